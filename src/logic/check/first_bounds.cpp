#include "check/first_bounds.h"

#include <algorithm>

#include "cat/thin_air.h"

namespace fencepost::check {

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

}  // namespace fencepost::check
