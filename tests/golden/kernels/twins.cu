// ---- tickets-of-lanes-0 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__device__ int atomicAggInc(int*ctr){ cg::coalesced_group g=cg::coalesced_threads(); int w; if(g.thread_rank()==0) w=atomicAdd(ctr,g.size()); return g.thread_rank()+g.shfl(w,0); }
__global__ void filter(int*dst,int*nres,const int*src,int n){ int i=threadIdx.x+blockIdx.x*blockDim.x; if(i>=n) return; if(src[i]>0) dst[atomicAggInc(nres)]=src[i]; }

// ---- tickets-of-lanes-1 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__device__ int atomicAggInc(int*ctr){ cg::coalesced_group g=cg::coalesced_threads(); int w; if(g.thread_rank()==0) w=atomicAdd(ctr,g.size()-1); return g.thread_rank()+g.shfl(w,0); }
__global__ void filter(int*dst,int*nres,const int*src,int n){ int i=threadIdx.x+blockIdx.x*blockDim.x; if(i>=n) return; if(src[i]>0) dst[atomicAggInc(nres)]=src[i]; }

// ---- tickets-of-lanes-10 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__global__ void filter(int*dst,int*nres,const int*src){ int i=threadIdx.x+blockIdx.x*blockDim.x; int w; if(threadIdx.x%32==0) w=atomicAdd(nres,16); cg::coalesced_group g=cg::coalesced_threads(); w=g.shfl(w,0); if(src[i]>0){ cg::coalesced_group h=cg::coalesced_threads(); dst[w+h.thread_rank()]=src[i]; } }

// ---- tickets-of-lanes-11 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__global__ void k(int*dst,int*n){ auto tile=cg::tiled_partition<16>(cg::this_thread_block()); int w=0; if(tile.thread_rank()==0) w=atomicAdd(n,16); w=tile.shfl(w,0); dst[w+tile.thread_rank()]=threadIdx.x; }

// ---- tickets-of-lanes-12 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__global__ void k(int*dst,int*n){ auto tile=cg::tiled_partition<16>(cg::this_thread_block()); int w=0; if(tile.thread_rank()==0) w=atomicAdd(n,8); w=tile.shfl(w,0); dst[w+tile.thread_rank()]=threadIdx.x; }

// ---- tickets-of-lanes-13 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__global__ void k(int*dst,int*n){ auto tile=cg::tiled_partition<16>(cg::this_thread_block()); int w=0; if(tile.thread_rank()==0) w=atomicAdd(n,16); w=tile.shfl(w,0); dst[w+threadIdx.x%32]=threadIdx.x; }

// ---- tickets-of-lanes-14 --blockDim=64 --gridDim=4
__global__ void k(int*dst,int*n,int*src){ int i=threadIdx.x+blockIdx.x*blockDim.x; int lane=threadIdx.x%32; bool p=src[i]>0; unsigned m=__ballot_sync(~0u,p); int w=0; if(lane==0) w=atomicAdd(n,__popc(m)); w=__shfl_sync(~0u,w,0); if(p) dst[w+__popc(m&((1u<<lane)-1))]=i; }

// ---- tickets-of-lanes-15 --blockDim=64 --gridDim=4
__global__ void k(int*dst,int*n,int*src){ int i=threadIdx.x+blockIdx.x*blockDim.x; int lane=threadIdx.x%32; bool p=src[i]>0; unsigned m=__ballot_sync(~0u,p); int w=0; if(lane==0) w=atomicAdd(n,__popc(m)); w=__shfl_sync(~0u,w,0); if(p) dst[w+__popc(m&((2u<<lane)-1))]=i; }

// ---- tickets-of-lanes-16 --blockDim=64 --gridDim=4
__global__ void k(int*dst,int*n,int*src){ int i=threadIdx.x+blockIdx.x*blockDim.x; int lane=threadIdx.x%32; bool p=src[i]>0; unsigned m=__ballot_sync(~0u,p); int w=0; if(lane==0) w=atomicAdd(n,__popc(m)); w=__shfl_sync(~0u,w,0); if(!p) dst[w+__popc(m&((1u<<lane)-1))]=i; }

// ---- tickets-of-lanes-17 --blockDim=64 --gridDim=4
__global__ void k(int*dst,int*n,int*src){ int i=threadIdx.x+blockIdx.x*blockDim.x; int lane=threadIdx.x%32; bool p=src[i]>0; unsigned m=__ballot_sync(~0u,p); int w=0; if(lane==0) w=atomicAdd(n,__popc(m)); w=__shfl_sync(~0u,w,1); if(p) dst[w+__popc(m&((1u<<lane)-1))]=i; }

// ---- tickets-of-lanes-18 --blockDim=64 --gridDim=4
__global__ void k(int*dst,int*n,int*src){ int i=threadIdx.x+blockIdx.x*blockDim.x; int lane=threadIdx.x%32; bool p=src[i]>0; unsigned m=__ballot_sync(~0u,p); int w=0; if(lane==0) w=atomicAdd(n,__popc(m)); w=__shfl_sync(~0u,w,0,16); if(p) dst[w+__popc(m&((1u<<lane)-1))]=i; }

// ---- tickets-of-lanes-19 --blockDim=48 --gridDim=4
__global__ void k(int*dst,int*n,int*src){ int i=threadIdx.x+blockIdx.x*blockDim.x; int lane=threadIdx.x%32; bool p=src[i]>0; unsigned m=__ballot_sync(~0u,p); int w=0; if(lane==0) w=atomicAdd(n,__popc(m)); w=__shfl_sync(~0u,w,0); if(p) dst[w+__popc(m&((1u<<lane)-1))]=i; }

// ---- tickets-of-lanes-2 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__device__ int atomicAggInc(int*ctr){ cg::coalesced_group g=cg::coalesced_threads(); int w; if(g.thread_rank()==0) w=atomicAdd(ctr,g.size()); return g.thread_rank()+g.shfl(w,1); }
__global__ void filter(int*dst,int*nres,const int*src,int n){ int i=threadIdx.x+blockIdx.x*blockDim.x; if(i>=n) return; if(src[i]>0) dst[atomicAggInc(nres)]=src[i]; }

// ---- tickets-of-lanes-20 --blockDim=64 --gridDim=4
__global__ void k(int*dst,int*n,int*src){ int i=threadIdx.x+blockIdx.x*blockDim.x; int lane=threadIdx.x%32; bool p=src[i]>0; unsigned m=__ballot_sync(~0u,p); int w=0; if(threadIdx.x==0) w=atomicAdd(n,__popc(m)); w=__shfl_sync(~0u,w,0); if(p) dst[w+__popc(m&((1u<<lane)-1))]=i; }

// ---- tickets-of-lanes-3 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__device__ int atomicAggInc(int*ctr){ cg::coalesced_group g=cg::coalesced_threads(); int w; if(g.thread_rank()==0) w=atomicAdd(ctr,g.size()); return g.shfl(w,0); }
__global__ void filter(int*dst,int*nres,const int*src,int n){ int i=threadIdx.x+blockIdx.x*blockDim.x; if(i>=n) return; if(src[i]>0) dst[atomicAggInc(nres)]=src[i]; }

// ---- tickets-of-lanes-4 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__device__ int atomicAggInc(int*ctr){ cg::coalesced_group g=cg::coalesced_threads(); int w; if(g.thread_rank()==0) w=atomicAdd(ctr,g.size()); return threadIdx.x%32+g.shfl(w,0); }
__global__ void filter(int*dst,int*nres,const int*src,int n){ int i=threadIdx.x+blockIdx.x*blockDim.x; if(i>=n) return; if(src[i]>0) dst[atomicAggInc(nres)]=src[i]; }

// ---- tickets-of-lanes-5 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__device__ int atomicAggInc(int*ctr){ cg::coalesced_group g=cg::coalesced_threads(); int w; if(g.thread_rank()==0) w=atomicAdd(ctr,1); return g.thread_rank()+g.shfl(w,0); }
__global__ void filter(int*dst,int*nres,const int*src,int n){ int i=threadIdx.x+blockIdx.x*blockDim.x; if(i>=n) return; if(src[i]>0) dst[atomicAggInc(nres)]=src[i]; }

// ---- tickets-of-lanes-6 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__device__ int atomicAggInc(int*ctr){ cg::coalesced_group g=cg::coalesced_threads(); int w; if(g.thread_rank()==0) w=atomicAdd_block(ctr,g.size()); return g.thread_rank()+g.shfl(w,0); }
__global__ void filter(int*dst,int*nres,const int*src,int n){ int i=threadIdx.x+blockIdx.x*blockDim.x; if(i>=n) return; if(src[i]>0) dst[atomicAggInc(nres)]=src[i]; }

// ---- tickets-of-lanes-7 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__device__ int atomicAggInc(int*ctr){ cg::coalesced_group g=cg::coalesced_threads(); int w; if(g.thread_rank()==1) w=atomicAdd(ctr,g.size()); return g.thread_rank()+g.shfl(w,0); }
__global__ void filter(int*dst,int*nres,const int*src,int n){ int i=threadIdx.x+blockIdx.x*blockDim.x; if(i>=n) return; if(src[i]>0) dst[atomicAggInc(nres)]=src[i]; }

// ---- tickets-of-lanes-8 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__device__ int atomicAggInc(int*ctr){ cg::coalesced_group g=cg::coalesced_threads(); int w; if(g.thread_rank()==g.size()-1) w=atomicAdd(ctr,g.size()); return g.thread_rank()+g.shfl(w,g.size()-1); }
__global__ void filter(int*dst,int*nres,const int*src,int n){ int i=threadIdx.x+blockIdx.x*blockDim.x; if(i>=n) return; if(src[i]>0) dst[atomicAggInc(nres)]=src[i]; }

// ---- tickets-of-lanes-9 --blockDim=64 --gridDim=4
#include <cooperative_groups.h>
namespace cg=cooperative_groups;
__device__ int atomicAggInc(int*ctr){ cg::coalesced_group g=cg::coalesced_threads(); int w; if(g.thread_rank()==0) w=atomicAdd(ctr,g.size()); return 2*g.thread_rank()+g.shfl(w,0); }
__global__ void filter(int*dst,int*nres,const int*src,int n){ int i=threadIdx.x+blockIdx.x*blockDim.x; if(i>=n) return; if(src[i]>0) dst[atomicAggInc(nres)]=src[i]; }

// ---- look-back-0 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-1 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-10 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s; if(t==0 && b==7) atomicExch(next,0u);
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-11 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)<0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-12 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_block> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-13 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);

 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }

 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-14 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s/2;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-15 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,2u);
 __syncthreads();
 unsigned b=s/2;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-16 --blockDim=64 --gridDim=512
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=(unsigned char)s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-2 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=b>1?pre[b-2]:0;
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-3 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b+1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-4 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd_block(next,1u);
 __syncthreads();
 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-5 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_relaxed);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-6 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_relaxed)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-7 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }

  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  pre[b]=run+v; base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-8 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicInc(next,7u);
 __syncthreads();
 unsigned b=s;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-9 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 unsigned b=s; if(t==0 && b==7) *next=0;
 if(t==0){
  int v=in[b];
  int run=0;
  if(b>0){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]);
    while(p.load(cuda::memory_order_acquire)==0);
    run=pre[b-1];
  }
  pre[b]=run+v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-0 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=agg[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-1 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f>=1){ run+=pre[j]; break; }
    run+=agg[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-10 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=blockIdx.x;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=agg[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-11 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s%8;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=agg[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-12 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t<2){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=agg[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-13 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next0,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(blockIdx.x&1?next:next0,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=agg[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-14 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s; if(t==0 && b==gridDim.x-1) atomicExch(next,0u);
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=agg[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-15 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=agg[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run; if(b>0){cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[b-1]); p.store(0,cuda::memory_order_relaxed);}
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-2 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=pre[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-3 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=agg[j]; break; }
    run+=agg[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-4 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=agg[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_relaxed);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-5 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_relaxed);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=agg[j];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-6 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=agg[j];
  }

  q.store(2,cuda::memory_order_release);
  pre[b]=run+v; base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-7 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=agg[j]; break; }
    run+=agg[j];
  }
  agg[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-8 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=agg[j+1];
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- look-back-two-9 --blockDim=64 --gridDim=16
#include <cuda/atomic>
__global__ void scan(int*in,int*out,unsigned*next,int*agg,int*pre,int*flag){
 __shared__ unsigned s; __shared__ int base; int t=threadIdx.x;
 if(t==0) s=atomicAdd(next,1u);
 __syncthreads();
 int b=s;
 if(t==0){
  int v=in[b]; 
  agg[b]=v;
  cuda::atomic_ref<int,cuda::thread_scope_device> q(flag[b]);
  q.store(1,cuda::memory_order_release);
  int run=0;
  for(int j=b-1;j>=0;j--){
    cuda::atomic_ref<int,cuda::thread_scope_device> p(flag[j]);
    int f;
    while((f=p.load(cuda::memory_order_acquire))==0);
    if(f==2){ run+=pre[j]; break; }
    run+=j?agg[j-1]:0;
  }
  pre[b]=run+v;
  q.store(2,cuda::memory_order_release);
  base=run;
 }
 __syncthreads();
 out[b*blockDim.x+t]=in[b]+base;
}

// ---- lanes-1 --blockDim=32 --gridDim=1
__global__ void k(int*o){int t=threadIdx.x; if(t==0) return; int v=__shfl_sync(~0u,t,0); if(v) { if(t==2) o[0]=7; return; } if(t==1) o[0]=5; }

// ---- lanes-10 --blockDim=32 --gridDim=1
__global__ void k(int*o){int t=threadIdx.x; if(t==0) o[0]=__shfl_sync(3,t,0); else if(t==1) o[1]=__ballot_sync(3,1); }

// ---- lanes-11 --blockDim=64 --gridDim=8
__global__ void last(float*in, float*part, unsigned*count, float*out){ __shared__ bool L; int t=threadIdx.x; part[blockIdx.x*64+t]=in[blockIdx.x*64+t]; __threadfence(); __syncwarp(); if(t==0){ L=atomicInc(count,gridDim.x-1)==gridDim.x-1; __threadfence(); } __syncthreads(); if(L && t==0){ float s=0; for(int i=0;i<gridDim.x*64;i++) s+=part[i]; out[0]=s; } }

// ---- lanes-12 --blockDim=32 --gridDim=8 --model=ptx
__global__ void last(float*in, float*part, unsigned*count, float*out){ __shared__ bool L; int t=threadIdx.x; part[blockIdx.x*32+t]=in[blockIdx.x*32+t]; __threadfence(); __syncwarp(); if(t==0){ L=atomicInc(count,gridDim.x-1)==gridDim.x-1; __threadfence(); } __syncthreads(); if(L && t==0){ float s=0; for(int i=0;i<gridDim.x*32;i++) s+=part[i]; out[0]=s; } }

// ---- lanes-13 --blockDim=64 --gridDim=8 --model=ptx
__global__ void last(float*in, float*part, unsigned*count, float*out){ __shared__ bool L; int t=threadIdx.x; part[blockIdx.x*64+t]=in[blockIdx.x*64+t]; if(t<32) __threadfence(); __syncthreads(); if(t==0){ L=atomicInc(count,gridDim.x-1)==gridDim.x-1; } __syncthreads(); if(L && t==0){ __threadfence(); float s=0; for(int i=0;i<gridDim.x*64;i++) s+=part[i]; out[0]=s; } }

// ---- lanes-14 --blockDim=64 --gridDim=8 --model=ptx
__global__ void last(float*in, float*part, unsigned*count, float*out){ __shared__ bool L; int t=threadIdx.x; __threadfence(); part[blockIdx.x*64+t]=in[blockIdx.x*64+t]; __syncthreads(); if(t==0){ L=atomicInc(count,gridDim.x-1)==gridDim.x-1; } __syncthreads(); if(L && t==0){ __threadfence(); float s=0; for(int i=0;i<gridDim.x*64;i++) s+=part[i]; out[0]=s; } }

// ---- lanes-15 --blockDim=64 --gridDim=8 --model=ptx
__global__ void last(float*in, float*part, unsigned*count, float*out){ __shared__ bool L; int t=threadIdx.x; part[blockIdx.x*64+t]=in[blockIdx.x*64+t]; __threadfence(); __syncthreads(); if(t==0){ __threadfence(); L=atomicInc(count,gridDim.x-1)==gridDim.x-1; } __syncthreads(); if(L && t==0){ float s=0; for(int i=0;i<gridDim.x*64;i++) s+=part[i]; out[0]=s; } }

// ---- lanes-16 --blockDim=64 --gridDim=8 --model=ptx
__global__ void last(float*in, float*part, unsigned*count, float*out){ __shared__ bool L; int t=threadIdx.x; part[blockIdx.x*64+t]=in[blockIdx.x*64+t]; __threadfence(); __syncthreads(); if(t==0){ L=atomicInc(count,gridDim.x-1)==gridDim.x-1; } __syncthreads(); if(L && t==1) __threadfence(); if(L && t==0){ float s=0; for(int i=0;i<gridDim.x*64;i++) s+=part[i]; out[0]=s; } }

// ---- lanes-17 --blockDim=64 --gridDim=8 --model=ptx
__global__ void last(float*in, float*part, unsigned*count, float*out){ __shared__ bool L; int t=threadIdx.x; part[blockIdx.x*64+t]=in[blockIdx.x*64+t]; __threadfence(); __syncthreads(); if(t==0){ L=atomicInc(count,gridDim.x-1)==gridDim.x-1; } __syncthreads(); if(L && t==1) __threadfence(); __syncthreads(); if(L && t==0){ float s=0; for(int i=0;i<gridDim.x*64;i++) s+=part[i]; out[0]=s; } }

// ---- lanes-2 --blockDim=32 --gridDim=1
__global__ void k(int*o,int*x){int t=threadIdx.x; int v=__shfl_sync(~0u,x[t],0,16); if(v) { if(t==20) o[0]=7; } else if(t==1) o[0]=5; }

// ---- lanes-3 --blockDim=32 --gridDim=1
__global__ void k(int*o,int*x){int t=threadIdx.x; int v=__shfl_sync(~0u,x[t],0); if(v) { if(t==20) o[0]=7; } else if(t==1) o[0]=5; }

// ---- lanes-4 --blockDim=32 --gridDim=1
__global__ void k(int*o,int*x){int t=threadIdx.x; int v; if(t<16) v=__any_sync(0xffffu,x[t]); else v=__any_sync(0xffff0000u,x[t]); if(v) { if(t==20) o[0]=7; } else if(t==1) o[0]=5; }

// ---- lanes-5 --blockDim=64 --gridDim=1
__global__ void k(int*o,int*x){int t=threadIdx.x; int v=__any_sync(~0u,x[t]); if(v) { if(t==40) o[0]=7; } else if(t==1) o[0]=5; }

// ---- lanes-6 --blockDim=32 --gridDim=1
__global__ void k(int*o,volatile int*x){int t=threadIdx.x; int v=0; for(int i=0;i<=(t>15);i++) v=0; v=__ballot_sync(~0u,t<3)==7; if(v) { if(t==20) o[0]=7; if(t==3) o[0]=8; } }

// ---- lanes-7 --blockDim=32 --gridDim=1
__global__ void k(int*o){int t=threadIdx.x; unsigned m=__ballot_sync(~0u,t<3); if(m==7) { if(t==20) o[0]=7; } else if(t==3) o[0]=8; }

// ---- lanes-8 --blockDim=32 --gridDim=1
__global__ void k(int*o){int t=threadIdx.x; if(t<16){ if(t==3) o[0]=1; __syncwarp(0xffffu);} else { __syncwarp(0xffff0000u); if(t==20) o[0]=2; } }

// ---- lanes-9 --blockDim=32 --gridDim=1
__global__ void k(int*o,int*q){__shared__ int s[32]; int t=threadIdx.x; s[t]=t; int v=__shfl_xor_sync(~0u,t,1); q[t]=s[v]; }

// ---- matrix-0 --blockDim=32 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[256]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i];
}

// ---- matrix-1 --blockDim=32 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[256]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];

 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i];
}

// ---- matrix-10 --blockDim=32 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[256]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 if(t<16) wmma::mma_sync(fc,fa,fb,fc);
 wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i];
}

// ---- matrix-11 --check-array-bounds --blockDim=32 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[256]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,32); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i];
}

// ---- matrix-12 --blockDim=64 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[512]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 wmma::store_matrix_sync(sc+(t/32)*240,fc,16,wmma::mem_row_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i]+t;
}

// ---- matrix-2 --blockDim=32 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[256]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major);
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i];
}

// ---- matrix-3 --blockDim=64 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[256]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i];
}

// ---- matrix-4 --blockDim=32 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[256]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 float x=sc[t]; wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i]+x;
}

// ---- matrix-5 --model=ptx --blockDim=32 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[256]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 float x=sc[t]; wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i]+x;
}

// ---- matrix-6 --blockDim=32 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[256]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 sc[t]=1.f; wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i];
}

// ---- matrix-7 --blockDim=32 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[256]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major); wmma::load_matrix_sync(fc,sc,16,wmma::mem_row_major); wmma::store_matrix_sync(sc,fc,16,wmma::mem_col_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i];
}

// ---- matrix-8 --blockDim=32 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[256]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[i]=sc[i]+blockIdx.x;
}

// ---- matrix-9 --blockDim=32 --gridDim=4
#include <mma.h>
using namespace nvcuda;
__global__ void k(half*a,half*b,float*c){
 __shared__ half sa[256]; __shared__ float sc[512]; int t=threadIdx.x;
 for(int i=t;i<256;i+=32) sa[i]=a[i];
 __syncwarp();
 wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,16,float> fc;
 wmma::fill_fragment(fc,0.f);
 wmma::load_matrix_sync(fa,sa,16); wmma::load_matrix_sync(fb,b,16);
 wmma::mma_sync(fc,fa,fb,fc);
 wmma::store_matrix_sync(sc,fc,16,wmma::mem_row_major); wmma::store_matrix_sync(sc+8,fc,16,wmma::mem_row_major);
 __syncwarp();
 for(int i=t;i<256;i+=32) c[blockIdx.x*256+i]=sc[i];
}
