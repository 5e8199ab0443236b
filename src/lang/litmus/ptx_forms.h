#pragma once
// Private to the reader of PTX's newer instructions: the table of their forms, one row each, in the notation of the ISA,
// and what an instruction says once its row is found. To add an instruction, add its row, and its meaning if it has none
// of those that are there (ptx_async.cpp).
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
  copy,         // cp.async
  copy_arrive,  // cp.async.mbarrier.arrive
  commit,
  wait_group,
  bulk_to_shared,
  bulk_to_global,
  bulk_peer,
  tensor_copy,
  reduce_to_global,
  reduce_to_shared,
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
// alternatives. Operands: d a register or _, [m] an mbarrier, [x] and [y] locations, v a value, n a number; braces may
// be left out with what is in them; "{d, d}" of vectors is written "<d, d>".
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
  std::vector<prog::RegId> registers;      // k_none for _
  prog::SymbolId mbarrier = prog::k_none;
  std::vector<prog::SymbolId> locations;
  std::vector<term::Expr> values;
  std::vector<uint64_t> numbers;
  std::string operands;  // as it is printed
  bool has(std::string_view word) const { return words.contains(word); }
};

// form == nullptr: no row begins like this.
Written read_form(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m);

}  // namespace fencepost::litmus
