// Each exchange gives what the guide says.
// @Config: 4, 1, 1
// @Output: forall (r[0] == 3 && r[1] == 2 && r[2] == 1 && r[3] == 0 && sum[0] == 10 && sum[3] == 10 && up[0] == 1 && up[3] == 3 && pair[0] == 1 && pair[2] == 3 && odd[1] == 10 && odd[2] == 5 && same[0] == 15 && differ[0] == 0 && wide[1] == 8589934595 && most[2] == 4 && least[3] == -3)
__global__ void values(int* r, int* sum, int* up, int* pair, unsigned* odd, unsigned* same, unsigned* differ, long long* wide, unsigned* most, int* least) {
  int t = threadIdx.x, v = t + 1;
  r[t] = __shfl_xor_sync(~0u, t, 3);
  int s = v;
  s += __shfl_xor_sync(~0u, s, 2);
  s += __shfl_xor_sync(~0u, s, 1);
  sum[t] = s;
  up[t] = __shfl_up_sync(~0u, v, 1);
  pair[t] = __shfl_sync(~0u, v, 0, 2);
  odd[t] = __match_any_sync(~0u, t & 1);
  int all, none;
  same[t] = __match_all_sync(~0u, 7, &all);
  differ[t] = __match_all_sync(~0u, t, &none) + none + (all - 1);
  wide[t] = __shfl_down_sync(~0u, (long long)t << 32 | t + 1, 1);
  most[t] = __reduce_max_sync(~0u, (unsigned)v);
  least[t] = __reduce_min_sync(~0u, -t);
}
