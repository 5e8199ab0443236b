#include "reference/barriers.h"

#include <algorithm>

#include "prog/test.h"
#include "term/term.h"

namespace fencepost::reference {
namespace {

using prog::Instr;
using prog::Kind;

bool share_scope(const prog::Test& test, uint32_t a, uint32_t b, uint32_t level) {
  return a == b || prog::same_scope(test.threads[a].scope, test.threads[b].scope, level);
}

int64_t constant(const term::Expr& e) { return term::to_signed(e.value(), e.width()); }

// Whether the thread takes part: its code may come to the instance of `a`, or everybody does. A name that is computed
// may be any.
bool takes_part(const prog::Test& test, uint32_t thread, const Arrival& a) {
  if (a.barrier->everyone) return true;
  const auto& code = test.instrs(thread);
  return std::any_of(code.begin(), code.end(), [&](const Instr& i) {
    if (i.kind != Kind::barrier || i.barrier.instance != a.barrier->instance) return false;
    return !i.barrier.by_value() || !i.barrier.id.is_const() || constant(i.barrier.id) == *a.id;
  });
}

// Every barrier of the instance in the code has an id that is known, from the text alone, to differ.
bool never_has_id(const prog::Test& test, uint32_t thread, const std::string& instance, int64_t id) {
  const auto& code = test.instrs(thread);
  return std::none_of(code.begin(), code.end(), [&](const Instr& i) {
    if (i.kind != Kind::barrier || i.barrier.instance != instance || !i.barrier.id) return false;
    return !i.barrier.id.is_const() || constant(i.barrier.id) == id;
  });
}

}  // namespace

bool same_instance(const Arrival& a, const Arrival& b) {
  return a.barrier->instance == b.barrier->instance && (!a.barrier->by_value() || a.id == b.id);
}

uint32_t count_earlier(const Arrival& a, const std::vector<Arrival>& arrived) {
  return static_cast<uint32_t>(std::count_if(arrived.begin(), arrived.end(), [&](const Arrival& b) {
    return b.key.thread == a.key.thread && same_instance(a, b);
  }));
}

bool same_group(const prog::Test& test, const Arrival& a, const Arrival& b) {
  return same_instance(a, b) && a.ordinal == b.ordinal &&
         share_scope(test, a.key.thread, b.key.thread, a.barrier->level) &&
         share_scope(test, a.key.thread, b.key.thread, b.barrier->level);
}

bool equal_ids(const Arrival& a, const Arrival& b) { return a.id == b.id; }

bool passes(const prog::Test& test, const Arrival& a, const std::vector<Arrival>& arrived) {
  if (a.barrier->arrive) return true;
  if (a.quorum) {
    int64_t count = 0;
    for (const Arrival& b : arrived)
      if (same_group(test, a, b) && equal_ids(a, b)) ++count;
    return count >= *a.quorum;
  }
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    if (!share_scope(test, a.key.thread, t, a.barrier->level) || !takes_part(test, t, a)) continue;
    // An arrival with another id is as good as one with the same: neither is waited for.
    const bool is_there = std::any_of(arrived.begin(), arrived.end(),
                                      [&](const Arrival& b) { return b.key.thread == t && same_group(test, a, b); });
    if (is_there) continue;
    if (a.id && !a.barrier->by_value() && never_has_id(test, t, a.barrier->instance, *a.id)) continue;
    return false;
  }
  return true;
}

bool synchronizes(const prog::Test& test, const Arrival& a, const Arrival& b, bool a_in_quorum) {
  return !b.barrier->arrive && same_group(test, a, b) && equal_ids(a, b) && (!a.quorum || a_in_quorum);
}

}  // namespace fencepost::reference
