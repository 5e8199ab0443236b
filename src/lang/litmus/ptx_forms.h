#pragma once
// Private to the reader of PTX's newer instructions: the table of their forms, one row each, in the notation of the
// ISA, and what an instruction says once its row is found. To add an instruction, add its row, and its meaning if it
// has none of those that are there (ptx_async.cpp).
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "litmus/asm_builder.h"

namespace fencepost::litmus {

enum class Meaning : uint8_t {
  thread_fence,
  proxy_fence,
  mbarrier_fence,
  mbarrier_init,
  mbarrier_inval,
  mbarrier_count,   // expect_tx, complete_tx
  mbarrier_arrive,  // and arrive_drop
  mbarrier_wait,
  mbarrier_layout,   // check_layout
  mbarrier_pending,  // pending_count
  copy,              // cp.async
  copy_arrive,       // cp.async.mbarrier.arrive
  commit,
  wait_group,
  bulk_to_shared,
  bulk_to_global,
  bulk_peer,
  prefetch,  // cp.async.bulk.prefetch
  try_cancel,
  tensor_load,
  tensor_store,
  tensor_reduce,
  tensor_prefetch,
  tensor_replace,         // tensormap.replace
  tensor_copy_and_fence,  // tensormap.cp_fenceproxy
  multimem_load,
  multimem_store,
  multimem_red,
  multimem_store_async,
  multimem_red_async,
  multimem_copy,
  multimem_reduce,
  reduce_to_global,
  reduce_to_shared,
  bulk_zero,  // st.bulk
  store_async,
  store_async_release,
  red_async,
  red_async_release,
  cluster_arrive,
  cluster_wait,
  warp_sync,
  vector_load,
  vector_store,
  refused,  // known, and not modelled
};

// `syntax`: words, then " : " and operands. A word in braces may be left out, one in parentheses may not; '|' separates
// alternatives. Words that follow the head have the order of the ISA's syntax here; of copies, mbarriers and the like
// any order is read, as ptxas reads it and the ISA's own examples have it, but that of state spaces.
// Operands: d a register or _, [m] an mbarrier, [x] and [y] locations, v a value, n a number; braces may
// be left out with what is in them; "{d, d}" of vectors is written "<d, d>".
// [X] and [M] may be lists, [{s, t}]: one of each CTA that a multicast reaches, or four rows. [T] a tensor map, what
// overrides it, and coordinates. Operands that a word asks for, with their comma: I im2col, K multicast, P cache_hint,
// B cp_mask, O ignore_oob; Z what cp.async leaves out of its source, and P; A how many arrive, which may be left out.
// "<d>" and "<v>": as many as .v2, .v4 or .v8 says.
struct Form {
  const char* syntax;
  Meaning meaning;
};
std::span<const Form> ptx_forms();

// What was written.
struct Written {
  const Form* form = nullptr;
  std::set<std::string_view> words;        // of the groups, as in "release" and "shared::cta"
  std::string_view sem, scope, operation;  // of these kinds, or ""
  std::string mnemonic;                    // the words in the order of the syntax
  std::vector<prog::RegId> registers;      // k_none for _
  prog::SymbolId mbarrier = prog::k_none;  // the first of these
  std::vector<prog::SymbolId> mbarriers;
  std::vector<prog::SymbolId> locations;           // the first of each operand
  std::vector<std::vector<prog::SymbolId>> lists;  // by operand; what a multimem address stands for
  std::vector<term::Expr> values;
  std::vector<uint64_t> numbers;
  std::vector<term::Expr> coordinates, sizes, im2col;
  std::optional<term::Expr> base;             // .override::global_address
  std::optional<term::Expr> mask, byte_mask;  // of multicast, of cp_mask
  std::optional<term::Expr> ignored;          // cp.async: 1 where the source is left out
  std::optional<uint64_t> source_bytes;       // cp.async: so many are copied, the others are 0
  std::string operands;                       // as it is printed
  bool has(std::string_view word) const { return words.contains(word); }
};

// form == nullptr: no row begins like this.
Written read_form(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m);

}  // namespace fencepost::litmus
