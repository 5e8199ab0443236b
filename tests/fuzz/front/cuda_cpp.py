"""The random kernels of kernels.py as CUDA C++: macros give its words another meaning. Vectors are structures with operators, as
CUDA's own are, and their functions are templates; the memory is told apart by no word.

Amounts of shifts are masked, and divisors are not zero: C++ leaves the rest undefined. Arithmetic with a sign wraps around in both.
"""

import kernels

HEAD = """#include <cuda/atomic>
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong;
#define kernel extern "C" __global__
#define global
#define local
#define LOCAL_ARRAY __shared__
#define barrier(flags) __syncthreads()
#define get_local_id(d) ((ulong)threadIdx.x)
#define get_group_id(d) ((ulong)blockIdx.x)
#define get_global_id(d) ((ulong)(blockIdx.x * blockDim.x + threadIdx.x))
#define get_local_size(d) ((ulong)blockDim.x)
#define SH(n, mask) ((n) & (mask))
#define QUO(T, a, op, b) ((T)(a) op (T)(b))
#define AT(v, k) ((v).__c[k])
#define MAKE2(T, a, b) (T{{(T::of)(a), (T::of)(b)}})
#define MAKE4(T, a, b, c, d) (T{{(T::of)(a), (T::of)(b), (T::of)(c), (T::of)(d)}})
#define SHUFFLE(T, x, a, b, y, c, d) do { T t_ = (y); T u_ = (x); u_.__c[a] = t_.__c[c]; u_.__c[b] = t_.__c[d]; (x) = u_; } while (0)
#define LOAD(T, n, at, p) load_<T##n>((p) + n * (at))
#define STORE(T, n, v, at, p) store_<T##n>(v, (p) + n * (at))
template <class T, int N> struct vector_ { typedef T of; T __c[N]; };
#define OPERATOR(op) template <class T, int N> __device__ vector_<T, N> operator op(const vector_<T, N>& a, const vector_<T, N>& b) { \\
  vector_<T, N> c; for (int k = 0; k < N; k++) c.__c[k] = (T)(a.__c[k] op b.__c[k]); return c; }
OPERATOR(+) OPERATOR(-) OPERATOR(*) OPERATOR(&) OPERATOR(|) OPERATOR(^)
template <class V> __device__ V load_(const typename V::of* p) { V v; for (int k = 0; k < sizeof v / sizeof *p; k++) v.__c[k] = p[k]; return v; }
template <class V> __device__ void store_(V v, typename V::of* p) { for (int k = 0; k < sizeof v / sizeof *p; k++) p[k] = v.__c[k]; }
""" + "".join(
    f"typedef vector_<{t}, {n}> {v}_;\nstatic_assert(sizeof({v}_) > 0);\n#define {v} {v}_\n" for v, (t, n) in kernels.VECTORS.items())


class Kernel(kernels.Kernel):
    def make_function(self):
        return "__device__ " + super().make_function()

    def make_taker(self):
        return "__device__ " + super().make_taker()

    def make_changer(self):
        return "__device__ " + super().make_changer()

    def host_text(self):
        return "#define __device__\n" + super().host_text()

    def whole(self, values):
        condition = " and ".join(f"{place} == {value}" for place, value in values)
        return self.headers() + f"// @Output: forall ({condition})\n" + HEAD + self.text()
