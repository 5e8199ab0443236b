#include "synth/symmetry.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace fencepost::synth {

Orbit orbit_of(const Program& p, const Request& request) {
  if (!request.symmetry.threads && !request.symmetry.values) return {};
  std::vector<uint32_t> threads(p.size());
  std::iota(threads.begin(), threads.end(), 0u);
  std::vector<uint8_t> values(request.values);
  std::iota(values.begin(), values.end(), uint8_t{0});
  std::set<Program> members;
  do {
    if (!request.per_thread.empty()) {
      bool same_split = true;
      for (size_t t = 0; t < p.size(); ++t) same_split = same_split && p[threads[t]].length == p[t].length;
      if (!same_split) continue;
    }
    do {
      Program q;
      for (const uint32_t t : threads) {
        q.push_back(p[t]);
        for (uint32_t pc = 0; pc < q.back().length; ++pc) {
          Ins& i = q.back().ins[pc];
          i.check = values[i.check];
          if (i.exchanges()) i.exchange = values[i.exchange];
        }
      }
      members.insert(with_locations_in_order(q));
      // Memory starts as 0, so that 0 keeps its name. next_permutation ends with the values back in order.
    } while (request.symmetry.values && std::next_permutation(values.begin() + 1, values.end()));
  } while (request.symmetry.threads && std::next_permutation(threads.begin(), threads.end()));
  return {members.size(), *members.begin() == p};
}

std::vector<uint32_t> declared_locations(uint32_t used, const Request& request) {
  std::vector<uint32_t> r = {used};
  if (!request.constraints.has(Constraint::no_surplus_locations))
    for (uint32_t k = used + 1; k <= request.locations; ++k) r.push_back(k);
  return r;
}

uint64_t renamings(uint32_t used, uint32_t declared) {
  uint64_t n = 1;
  for (uint32_t k = 0; k < used; ++k) n *= declared - k;
  return n;
}

std::vector<Program> renamed(const Program& p, uint32_t used, uint32_t declared) {
  std::vector<Program> r;
  std::vector<uint8_t> to(declared);
  std::iota(to.begin(), to.end(), uint8_t{0});
  do {
    Program q = p;
    for (Code& c : q)
      for (uint32_t pc = 0; pc < c.length; ++pc) c.ins[pc].location = to[c.ins[pc].location];
    // Permutations that differ on unused locations only give the same program, and stand next to each other.
    if (r.empty() || r.back() != q) r.push_back(std::move(q));
  } while (std::next_permutation(to.begin(), to.end()));
  FENCEPOST_INVARIANT(r.size() == renamings(used, declared), "every renaming of locations is made once");
  return r;
}

}  // namespace fencepost::synth
