#include "prove/doubts.h"

#include <algorithm>

#include "formula/solve.h"
#include "prove/execute.h"

namespace fencepost::prove {

bool unfollowed(const std::set<std::string>& unsupported) {
  return std::ranges::any_of(unsupported, [](const std::string& u) { return u.starts_with("what '"); });
}

std::string not_followed(const Pool& pool, const std::vector<Term>& goal) {
  std::vector<Term> open = goal;
  std::set<uint32_t> seen;
  std::string tickets;
  while (!open.empty()) {
    const Term t = open.back();
    open.pop_back();
    if (!seen.insert(t.id).second) continue;
    const formula::Node& n = pool[t];
    open.insert(open.end(), n.kids.begin(), n.kids.end());
    if (n.op != formula::Op::variable) continue;
    const std::string& name = pool.variable_name(n.value);
    if (name.starts_with(k_exchanged)) return "what lanes of a warp give each other keeps";
    if (name.starts_with(k_ticket)) {
      const std::string counter = name.substr(k_ticket.size());
      tickets = "the tickets of '" + counter.substr(0, counter.find('\'')) + "' keep";
    }
  }
  return tickets;
}

std::string computed(const Pool& pool, const ir::Module& m, const flow::FunctionEffects& effects,
                     const std::vector<Term>& places) {
  for (const Term t : places)
    for (const uint64_t n : formula::names(pool, t)) {
      const ir::RegionId r =
          n < formula::k_function ? ir::RegionId{} : Memory::contents(m, pool.symbol_name(n - formula::k_function));
      if (r && m.region(r).space == ir::Space::group && effects.writes[r.index] != 0)
        return "what the kernel puts into '" + m.region(r).name + "' keeps";
    }
  return "";
}

}  // namespace fencepost::prove
