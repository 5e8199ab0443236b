#include "prove/proxies.h"

#include <algorithm>

namespace fencepost::prove {

using namespace ir;

void Proxies::access(AccessKind kind, RegionId r, const Pair& guard, const Pair& pointer, bool object, bool lasts) {
  const Space space = run_.module().region(r).space;
  if (!possible_ || (space != Space::group && space != Space::global)) return;
  Use g{.at = here(guard), .kind = kind, .region = r, .object = object, .lasts = lasts};
  for (const size_t t : k_both) g.at.guard[t] = pool_.all(guard[t], run_.leads_to(pointer[t], r));
  if (!run_.never(g.at.guard)) uses_.push_back(std::move(g));
}

void Proxies::copy(const AsyncCopy& c, const Pair& guard, const Pair& to, const Pair& from) {
  copies_.push_back({here(guard), &c, to, from});
}

void Proxies::wait(const OwnWait& w, const Pair& guard) {
  std::vector<Point>& list = w.what == OwnCopies::bulk_commit ? commits_
                             : w.what == OwnCopies::bulk_wait ? waits_
                                                              : fences_;
  list.push_back(here(guard, w.pending));
}

void Proxies::meeting(const Pair& guard) {
  if (possible_) meetings_.push_back(here(guard));
}

// Is the access ordered before the copy for the asynchronous proxy, as far as it comes before?
bool Proxies::fenced(const Use& g, const Copy& c) const {
  const bool together =
      std::ranges::any_of(g.at.loops, [&](uint32_t l) { return std::ranges::find(c.at.loops, l) != c.at.loops.end(); });
  if (together || g.lasts) return false;
  if (g.at.position > c.at.position) return true;
  const bool one = run_.by_masters(g.at.guard) && run_.by_masters(c.at.guard);
  const uint64_t memory = run_.module().region(g.region).space == Space::group ? 1 : 2;
  return std::ranges::any_of(fences_, [&](const Point& f) {
    if (f.position <= g.at.position || f.position >= c.at.position || !f.loops.empty() || (f.pending & memory) == 0 ||
        !run_.implied(f.guard, g.at.guard))
      return false;
    return one || std::ranges::any_of(meetings_, [&](const Point& b) {
             return f.position < b.position && b.position < c.at.position && b.loops.empty() &&
                    run_.implied(b.guard, c.at.guard);
           });
  });
}

// Does its thread wait until the copy has read all, whatever way it takes?
bool Proxies::waited_for(const Copy& c) const {
  return std::ranges::any_of(commits_, [&](const Point& commit) {
    if (commit.position < c.at.position || commit.loops != c.at.loops || !run_.implied(commit.guard, c.at.guard))
      return false;
    return std::ranges::any_of(waits_, [&](const Point& w) {
      return w.position > commit.position && w.pending == 0 && w.loops.size() <= c.at.loops.size() &&
             std::equal(w.loops.begin(), w.loops.end(), c.at.loops.begin()) && run_.implied(w.guard, c.at.guard);
    });
  });
}

void Proxies::conclude() {
  for (const Copy& c : copies_) {
    const auto lies_in = [&](const Access& access, Pair pointer, RegionId r) {
      if (std::ranges::find(access.regions, r) == access.regions.end()) return false;
      return !pool_.is_false(pool_.any(run_.leads_to(pointer[0], r), run_.leads_to(pointer[1], r)));
    };
    const bool to_group = std::ranges::all_of(
        c.copy->destination.regions, [&](RegionId r) { return run_.module().region(r).space == Space::group; });
    for (const Use& g : uses_) {
      const bool written = lies_in(c.copy->destination, c.to, g.region),
                 read = g.kind != AccessKind::read && lies_in(c.copy->source, c.from, g.region);
      // Of copies that an mbarrier waits for, its state is no part.
      if ((!written && !read) || (g.object && to_group) || fenced(g, c)) continue;
      run_.unsupported.insert(read ? "generic writes before a bulk copy without fence.proxy.async"
                                   : "generic accesses before a bulk copy to their place without fence.proxy.async");
    }
    // Those to shared memory are waited for at an mbarrier.
    if (!to_group && !waited_for(c))
      run_.unsupported.insert("a bulk copy that its thread does not wait for before it ends");
  }
}

}  // namespace fencepost::prove
