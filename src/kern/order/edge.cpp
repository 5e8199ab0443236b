#include "order/edge.h"

#include <algorithm>

namespace fencepost::order {

std::optional<Link> compose(Pool& pool, const Link& first, const Link& second) {
  if (!second.cumulative || second.from < first.to) return std::nullopt;
  Link r;
  r.from = first.from;
  r.to = second.to;
  r.happens = pool.all(first.happens, second.happens);
  r.cover = {pool.all(first.cover.group, second.cover.group), pool.all(first.cover.global, second.cover.global)};
  r.cumulative = first.cumulative;
  return r;
}

Term ordered(Pool& pool, const Link& link, const AccessRecord& before, const AccessRecord& behind) {
  if (before.position >= link.from || link.to >= behind.position) return pool.no();
  return pool.all(link.happens, link.cover.of(before.space));
}

// Modulo 2^w the distance is at least the step, either way.
Term apart(Pool& pool, const ApartRecord& r) {
  const uint8_t w = pool.width(r.value[0]);
  const Term ahead = pool.sub(r.value[1], r.value[0]), back = pool.neg(ahead);
  const Term far = pool.all(pool.ule(pool.constant(r.step[0], w), r.up ? ahead : back),
                            pool.ule(pool.constant(r.step[1], w), r.up ? back : ahead));
  return pool.implies(pool.all({r.guard[0], r.guard[1], pool.eq(r.offset[0], r.offset[1])}), far);
}

bool made_by_first(Pool& pool, const Trace& trace, Term guard, size_t thread) {
  if (pool.is_false(guard)) return false;
  return std::all_of(trace.local_id[thread].begin(), trace.local_id[thread].end(), [&](Term id) {
    return pool.is_constant(id) || pool.is_false(pool.all(guard, pool.ne(id, pool.constant(0, pool.width(id)))));
  });
}

}  // namespace fencepost::order
