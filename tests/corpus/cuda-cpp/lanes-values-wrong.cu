// The sum of four lanes is 10.
// @Config: 4, 1, 1
// @Output: forall (sum[0] == 11)
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
