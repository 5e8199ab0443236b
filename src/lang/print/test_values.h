#pragma once
// The values that a `.test` file writes at its loads, found again in the filter they became: a conjunction of
// "register = constant".
#include <cstdint>
#include <optional>
#include <vector>

#include "prog/test.h"

namespace fencepost::print {

class GivenValues {
 public:
  explicit GivenValues(const prog::Cond& filter) {
    if (filter.kind == prog::Cond::Kind::atom) atoms_.push_back(&filter);
    if (filter.kind == prog::Cond::Kind::and_)
      for (const prog::Cond& k : filter.kids) atoms_.push_back(&k);
  }
  std::optional<int64_t> of(uint32_t thread, prog::RegId reg) const {
    for (const prog::Cond* a : atoms_)
      if (a->kind == prog::Cond::Kind::atom && a->lhs.kind == prog::CondValue::Kind::reg && a->lhs.thread == thread &&
          a->lhs.reg == reg)
        return static_cast<int64_t>(a->rhs.constant);
    return std::nullopt;
  }

 private:
  std::vector<const prog::Cond*> atoms_;
};

}  // namespace fencepost::print
