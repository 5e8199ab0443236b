// Bulk copies read and write through the asynchronous proxy. What a thread has accessed in the usual way is not ordered
// with a copy that comes later by barriers alone: the thread has to come to a fence of both proxies behind its access,
// and the barrier has to come behind that (PTX ISA 8.1.1 "Proxies", and "Async proxy" of cp.async.bulk). And a thread
// that copies from shared memory has to wait until the copy has read it, before it ends: when all threads of a group
// have ended, its memory is no longer theirs.
//
// Looked for in one run of two threads, by guards that are the same terms or conjunctions of them. What is not found is
// not decided. Not tried: fences and copies in loops that the accesses are in, too, and fences behind other waits than
// barriers of the whole group.
#include <algorithm>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

bool Execution::implied(Pair guard, Pair by) {
  for (const size_t t : k_both)
    if (!pool_.is_false(pool_.all(by[t], pool_.not_(guard[t])))) return false;
  return true;
}

void Execution::note_generic(AccessKind kind, RegionId r, Pair guard, Pair pointer, bool lasts) {
  const Space space = m_.region(r).space;
  if (!bulk_possible_ || (space != Space::group && space != Space::global)) return;
  GenericUse g{.at = {position_, guard, loops_around_, 0}, .kind = kind, .region = r, .lasts = lasts};
  for (const size_t t : k_both)
    g.at.guard[t] = pool_.all(guard[t], pool_.eq(base_of(pointer[t]), pool_.constant(r.index + 1, 16)));
  if (never(g.at.guard)) return;
  g.object = kind != AccessKind::read && object_access_;
  generic_uses_.push_back(std::move(g));
}

void Execution::note_bulk(const AsyncCopy& c, Pair guard, Pair to, Pair from) {
  bulk_uses_.push_back({{position_, guard, loops_around_, 0}, &c, to, from});
}

void Execution::note_proxy(const OwnWait& w, Pair guard, Mode mode) {
  if (!mode.log) return;
  std::vector<ProxyPoint>& list = w.what == OwnCopies::bulk_commit ? bulk_commits_
                                  : w.what == OwnCopies::bulk_wait ? bulk_waits_
                                                                   : proxy_fences_;
  list.push_back({position_, guard, loops_around_, w.pending});
}

// Is the access ordered before the copy for the asynchronous proxy, as far as it comes before?
bool Execution::fenced(const GenericUse& g, const BulkUse& c) {
  const bool together =
      std::ranges::any_of(g.at.loops, [&](uint32_t l) { return std::ranges::find(c.at.loops, l) != c.at.loops.end(); });
  if (together || g.lasts) return false;
  if (g.at.position > c.at.position) return true;
  const bool one = by_masters(g.at.guard) && by_masters(c.at.guard);
  const uint64_t memory = m_.region(g.region).space == Space::group ? 1 : 2;
  return std::ranges::any_of(proxy_fences_, [&](const ProxyPoint& f) {
    if (f.position <= g.at.position || f.position >= c.at.position || !f.loops.empty() || (f.pending & memory) == 0 ||
        !implied(f.guard, g.at.guard))
      return false;
    return one || std::ranges::any_of(group_meetings_, [&](const ProxyPoint& b) {
             return f.position < b.position && b.position < c.at.position && b.loops.empty() &&
                    implied(b.guard, c.at.guard);
           });
  });
}

// Does its thread wait until the copy has read all, whatever way it takes?
bool Execution::waited_for(const BulkUse& c) {
  return std::ranges::any_of(bulk_commits_, [&](const ProxyPoint& commit) {
    if (commit.position < c.at.position || commit.loops != c.at.loops || !implied(commit.guard, c.at.guard))
      return false;
    return std::ranges::any_of(bulk_waits_, [&](const ProxyPoint& w) {
      return w.position > commit.position && w.pending == 0 && w.loops.size() <= c.at.loops.size() &&
             std::equal(w.loops.begin(), w.loops.end(), c.at.loops.begin()) && implied(w.guard, c.at.guard);
    });
  });
}

void Execution::proxies() {
  for (const BulkUse& c : bulk_uses_) {
    const auto lies_in = [&](const Access& access, Pair pointer, RegionId r) {
      if (std::ranges::find(access.regions, r) == access.regions.end()) return false;
      const Term here = pool_.constant(r.index + 1, 16);
      return !pool_.is_false(pool_.any(pool_.eq(base_of(pointer[0]), here), pool_.eq(base_of(pointer[1]), here)));
    };
    const bool to_group = std::ranges::all_of(c.copy->destination.regions,
                                              [&](RegionId r) { return m_.region(r).space == Space::group; });
    for (const GenericUse& g : generic_uses_) {
      const bool written = lies_in(c.copy->destination, c.to, g.region),
                 read = g.kind != AccessKind::read && lies_in(c.copy->source, c.from, g.region);
      // Of copies that an mbarrier waits for, its state is no part.
      if ((!written && !read) || (g.object && to_group) || fenced(g, c)) continue;
      unsupported.insert(read ? "generic writes before a bulk copy without fence.proxy.async"
                              : "generic accesses before a bulk copy to their place without fence.proxy.async");
    }
    // Those to shared memory are waited for at an mbarrier.
    if (!to_group && !waited_for(c)) unsupported.insert("a bulk copy that its thread does not wait for before it ends");
  }
}

}  // namespace fencepost::prove
