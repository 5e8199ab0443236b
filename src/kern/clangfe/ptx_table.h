#pragma once
// Internal to the room: what the instructions of inline PTX do that are more than arithmetic, one table for all.
// Source: PTX ISA 9.7.
#include <cstdint>
#include <optional>
#include <string>

#include "clangfe/ptx_text.h"

namespace fencepost::clangfe {

enum class Does : uint8_t {
  nothing,     // nothing that a kernel alone can see: hints, and order that is not used
  meets,       // all lanes of the warp come to it; nothing else is used
  value,       // a result of which nothing is known
  map,         // mapa: the address of the same place in another block of the cluster
  warp_value,  // both
  waits,
  unfollowed,
  bulk_copy,  // cp.async.bulk between shared and global memory
  bulk_commit,
  bulk_wait,
  proxy_fence,    // between the generic and the asynchronous proxy
  thread_copy,    // cp.async
  load_matrix,    // ldmatrix: lanes read rows of 16 bytes
  store_matrix,   // stmatrix
  barrier_state,  // an mbarrier is used: its eight bytes are accessed as by an atomic operation
  barrier_plain,  // an mbarrier is made or ended: they are written
  elect,
  shuffle,
  reduce,
  vote,
  active_mask,
  load,
  store,
  trap,
};

// None: the table does not have it.
std::optional<Does> row_of(const PtxStatement& s);
// "wgmma.mma_async", "cp.async.bulk.tensor": the instruction without its kinds.
std::string short_name(const PtxStatement& s);

}  // namespace fencepost::clangfe
