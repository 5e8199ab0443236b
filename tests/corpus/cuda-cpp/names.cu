// Names: members, variables of the file, of a name space, static ones, references.
// @Config: 1, 1, 1
// @Output: forall (counter == 1 and total == 2 and box.inner.n == 3 and p.n == 4)
namespace deep { __device__ int counter; }
__device__ int total;
struct Inner { int unused, n; };
struct Box { Inner inner; };
__device__ Box box;
template <class T> __device__ void put(T& to, T value) { to = value; }
__global__ void k(Inner* p) {
  put(deep::counter, 1);
  put(total, 2);
  box.inner.n = 3;
  p->n = 4;
}
