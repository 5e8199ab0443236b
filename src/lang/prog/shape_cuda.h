#pragma once
// Steps of kernels of CUDA C++ (shape.h):
//   seq_cst > acq_rel > acquire, release > relaxed; system > device > block; a fence of one order is absent at the scope
//   of the block. __threadfence and its like are seq_cst fences. atomicAdd and its like are relaxed, and only their
//   scopes have steps. Accesses without an order stay so.
#include "prog/shape.h"

namespace fencepost::prog {

std::vector<Step> cuda_steps(const Shape& s, bool up);
Shape cuda_fence(bool acquire);  // the weakest

}  // namespace fencepost::prog
