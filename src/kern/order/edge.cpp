#include "order/edge.h"

#include <algorithm>

namespace fencepost::order {

std::optional<Link> compose(Pool& pool, const Link& first, const Link& second) {
  if (!second.cumulative || second.from < first.to) return std::nullopt;
  Link r;
  r.by = second.by;
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

bool made_by_first(Pool& pool, const Trace& trace, Term guard, size_t thread) {
  if (pool.is_false(guard)) return false;
  return std::all_of(trace.local_id[thread].begin(), trace.local_id[thread].end(), [&](Term id) {
    return pool.is_constant(id) || pool.is_false(pool.all(guard, pool.ne(id, pool.constant(0, pool.width(id)))));
  });
}

}  // namespace fencepost::order
