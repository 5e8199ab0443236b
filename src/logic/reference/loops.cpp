#include "reference/loops.h"

#include <algorithm>
#include <map>

#include "base/diagnostic.h"
#include "prog/state.h"
#include "prog/test.h"
#include "term/term.h"

namespace fencepost::reference {
namespace {

using prog::Instr;
using prog::Kind;

void use(std::vector<bool>& live, const term::Expr& e) {
  if (!e) return;
  term::for_each_variable(e, [&](uint64_t v) {
    if (v != prog::k_old_value) live[v] = true;
  });
}

// live-before(i) from live-after(i): a write under a predicate may not happen, so it ends no liveness.
std::vector<bool> before(const Instr& in, std::vector<bool> live) {
  if (in.dst != prog::k_none && in.predicate == prog::k_none) live[in.dst] = false;
  if (in.spurious != prog::k_none && in.predicate == prog::k_none) live[in.spurious] = false;
  use(live, in.value);
  use(live, in.guard);
  use(live, in.result);
  use(live, in.addr.index);
  use(live, in.barrier.id);
  use(live, in.barrier.quorum);
  if (in.predicate != prog::k_none) live[in.predicate] = true;
  return live;
}

void join(std::vector<bool>& into, const std::vector<bool>& from) {
  for (size_t r = 0; r < into.size(); ++r) into[r] = into[r] || from[r];
}

}  // namespace

std::vector<Loop> find_loops(const prog::Template& code, const std::vector<bool>& observable) {
  std::map<prog::LabelId, uint32_t> last;
  for (uint32_t i = 0; i < code.code.size(); ++i) {
    const Instr& in = code.code[i];
    if ((in.kind == Kind::jump || in.kind == Kind::branch) && code.labels[in.label].at <= i) last[in.label] = i;
  }
  std::vector<Loop> loops;
  for (const auto& [label, end] : last) loops.push_back({label, code.labels[label].at, end, {}});
  if (loops.empty()) return loops;
  // A loop that begins inside another belongs to it: its end is the other's end too. Extents then nest, and
  // every counter is reset only by a jump that an enclosing counter bounds.
  for (bool changed = true; changed;) {
    changed = false;
    for (Loop& a : loops)
      for (const Loop& b : loops)
        if (a.begin < b.begin && b.begin <= a.end && a.end < b.end) {
          a.end = b.end;
          changed = true;
        }
  }

  const auto live = live_registers(code, observable);
  for (Loop& l : loops) l.live = live[l.begin];
  return loops;
}

std::vector<std::vector<bool>> live_registers(const prog::Template& code, const std::vector<bool>& observable) {
  const size_t n = code.code.size();
  std::vector<std::vector<bool>> live(n + 1, std::vector<bool>(code.registers.size(), false));
  live[n] = observable;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = n; i-- > 0;) {
      const Instr& in = code.code[i];
      std::vector<bool> after(code.registers.size(), false);
      const bool always_jumps = in.kind == Kind::jump && in.predicate == prog::k_none;
      if (in.kind == Kind::jump || in.kind == Kind::branch) join(after, live[code.labels[in.label].at]);
      if (!always_jumps) join(after, live[i + 1]);
      after = before(in, std::move(after));
      if (after != live[i]) {
        live[i] = std::move(after);
        changed = true;
      }
    }
  }
  return live;
}

std::vector<std::vector<bool>> observable_registers(const prog::Test& test) {
  std::vector<std::vector<bool>> out(test.threads.size());
  for (uint32_t t = 0; t < out.size(); ++t) out[t].assign(test.code(t).registers.size(), false);
  for (const prog::Observable& o : prog::observables(test))
    if (o.is_register) out[o.thread][o.reg] = true;
  return out;
}

void LoopTracker::at(uint32_t position) {
  for (size_t k = 0; k < loops_->size(); ++k) {
    const Loop& l = (*loops_)[k];
    if (position < l.begin || position > l.end) {
      taken_[k] = 0;
      effect_[k] = true;  // an extent that is entered behind its label has not run an iteration yet
    }
    if (position == l.begin) effect_[k] = false;
  }
}

void LoopTracker::effect() { effect_.assign(effect_.size(), true); }

size_t LoopTracker::index(prog::LabelId label) const {
  for (size_t k = 0; k < loops_->size(); ++k)
    if ((*loops_)[k].label == label) return k;
  FENCEPOST_INVARIANT(false, "a backward jump goes to a label that is not a loop");
  return 0;
}

std::optional<StopReason> LoopTracker::jump_back(prog::LabelId label, uint32_t bound, bool idle) {
  const size_t k = index(label);
  if (taken_[k] + 1 >= bound) return idle ? StopReason::spin : StopReason::cut;
  ++taken_[k];
  return std::nullopt;
}

}  // namespace fencepost::reference
