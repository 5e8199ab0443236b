#include "check/first_bounds.h"

#include <algorithm>
#include <set>

#include "cat/thin_air.h"

namespace fencepost::check {
namespace {

// Accesses, fences and barriers of all threads when each loop is as often there as the bound says.
size_t unrolled_size(const prog::Test& test, uint32_t bound) {
  using prog::Kind;
  size_t total = 0;
  for (const prog::Thread& thread : test.threads) {
    const prog::Template& t = test.templates[thread.templ];
    for (uint32_t i = 0; i < t.code.size(); ++i) {
      const Kind kind = t.code[i].kind;
      if (kind != Kind::load && kind != Kind::store && kind != Kind::rmw && kind != Kind::fence &&
          kind != Kind::barrier)
        continue;
      std::set<uint32_t> around;  // labels of the loops that it is in
      for (uint32_t j = i; j < t.code.size(); ++j)
        if ((t.code[j].kind == Kind::jump || t.code[j].kind == Kind::branch) && t.labels[t.code[j].label].at <= i)
          around.insert(t.code[j].label);
      size_t times = 1;
      for (size_t k = 0; k < around.size() && times < 1000; ++k) times *= bound;
      total += times;
    }
  }
  return total;
}

}  // namespace

bool loops_may_end_by_themselves(const prog::Test& test, const cat::Model& model) {
  return !prog::loops_of(test).empty() && test.threads.size() > 1 && !cat::forbids_thin_air(model);
}

prog::LoopBounds first_bounds(const prog::Test& test, const cat::Model& model) {
  using prog::Kind;
  if (!loops_may_end_by_themselves(test, model)) return 1;
  const auto ends_before_it_reads = [&](const prog::LoopId& loop) {
    const prog::Template& t = test.code(loop.first);
    for (uint32_t i = t.labels[loop.second].at; i < t.code.size(); ++i) {
      const prog::Instr& in = t.code[i];
      if (in.kind == Kind::load || in.kind == Kind::rmw) return false;
      if (in.kind == Kind::jump || in.kind == Kind::branch) return t.labels[in.label].at > i;
    }
    return false;
  };
  const auto loops = prog::loops_of(test);
  return std::any_of(loops.begin(), loops.end(), ends_before_it_reads) ? 2 : 1;
}

bool loops_may_end_in_a_row(const prog::Test& test, const cat::Model& model, uint32_t bound) {
  constexpr size_t k_largest = 24;
  return loops_may_end_by_themselves(test, model) && unrolled_size(test, bound) <= k_largest;
}

}  // namespace fencepost::check
