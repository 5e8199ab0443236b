#include "clangfe/host_flow.h"

#include <algorithm>

namespace fencepost::clangfe {
namespace {

constexpr uint64_t k_most_steps = 2'000'000;
constexpr unsigned k_most_rounds = 16;

}  // namespace

void HostFlow::clear() {
  sequences_ = {{}, {}};
  bodies_.clear();
  roots.clear();
  now_ = 1;
}

uint32_t HostFlow::within(const std::function<void()>& go_over) {
  if (closed) {
    go_over();
    return 0;
  }
  const auto own = static_cast<uint32_t>(sequences_.size());
  sequences_.emplace_back();
  const uint32_t around = std::exchange(now_, own);
  go_over();
  now_ = around;
  return own;
}

void Standing::join(const Standing& o) {
  if (!o.reached) return;
  if (!reached) {
    *this = o;
    return;
  }
  if (o.zero < zero || (o.zero == zero && o.by < by)) by = o.by;
  if (o.zero < zero || (o.zero == zero && o.missed < missed)) missed = o.missed;
  zero = std::min(zero, o.zero);
  first = first || o.first;
  running.insert(o.running.begin(), o.running.end());
  elsewhere.insert(o.elsewhere.begin(), o.elsewhere.end());
}

Ways::Ways(const HostFlow& flow, std::vector<bool> concerns, std::function<void(uint32_t, Standing&)> done)
    : flow_(flow),
      concerns_(std::move(concerns)),
      done_(std::move(done)),
      touches_(flow.sequences_.size()),
      jumps_(flow.sequences_.size()) {
  for (bool more = true; more;) {
    more = false;
    for (size_t n = flow.sequences_.size(); n-- > 0;)
      for (const Step& s : flow.sequences_[n]) {
        bool touches = s.kind == Step::event && concerns_[s.number];
        bool jumps = s.kind == Step::case_label || s.kind == Step::label || s.kind == Step::jump ||
                     s.kind == Step::leaves || s.kind == Step::next || s.kind == Step::returns ||
                     s.kind == Step::throws;
        if (const auto body = flow.bodies_.find(s.number); s.kind == Step::call && body != flow.bodies_.end())
          touches = touches_[body->second];
        for (const uint32_t p : s.parts) {
          touches = touches || touches_[p];
          jumps = jumps || jumps_[p];
        }
        if ((touches && !touches_[n]) || (jumps && !jumps_[n])) more = true;
        touches_[n] = touches_[n] || touches;
        jumps_[n] = jumps_[n] || jumps;
      }
  }
}

uint32_t Ways::any_event(uint32_t sequence, std::set<uint32_t>& seen) const {
  if (!touches_[sequence] || !seen.insert(sequence).second) return k_no_event;
  for (const Step& s : flow_.sequences_[sequence]) {
    if (s.kind == Step::event && concerns_[s.number]) return s.number;
    const auto body = flow_.bodies_.find(s.number);
    uint32_t found = s.kind == Step::call && body != flow_.bodies_.end() ? any_event(body->second, seen) : k_no_event;
    for (const uint32_t p : s.parts)
      if (found == k_no_event) found = any_event(p, seen);
    if (found != k_no_event) return found;
  }
  return k_no_event;
}

uint32_t Ways::event_in(uint32_t sequence) const {
  std::set<uint32_t> seen;
  return any_event(sequence, seen);
}

uint32_t Ways::done_aside(uint32_t sequence) const {
  std::set<uint32_t> met, seen;
  std::vector<uint32_t> todo{sequence};
  while (!todo.empty()) {
    const uint32_t n = todo.back();
    todo.pop_back();
    if (!touches_[n] || !met.insert(n).second) continue;
    for (const Step& s : flow_.sequences_[n]) {
      if (s.kind == Step::aside) {
        if (const uint32_t e = any_event(s.parts.front(), seen); e != k_no_event) return e;
        continue;
      }
      todo.insert(todo.end(), s.parts.begin(), s.parts.end());
      if (const auto body = flow_.bodies_.find(s.number); s.kind == Step::call && body != flow_.bodies_.end())
        todo.push_back(body->second);
    }
  }
  return k_no_event;
}

bool Ways::go_over(uint32_t sequence, const Standing& at_first) {
  steps_ = 0;
  lost_ = false;
  jumped_.clear();
  over(sequence, at_first);
  return !lost_;
}

void Ways::may_end(const Standing& s) {
  for (Standing* a : attempts_) a->join(s);
}

Standing Ways::loop(const Step& step, const Standing& s) {
  Standing head = s, leaves, next;
  Standing *const outer_leaves = std::exchange(leaves_, &leaves), *const outer_next = std::exchange(next_, &next);
  Standing out;
  for (unsigned round = 0;; ++round) {
    next = {};
    Standing end;
    if (step.first) {
      Standing body = over(step.parts[1], head);
      body.join(next);
      out = over(step.parts[0], body);
      end = out;
    } else {
      out = over(step.parts[0], head);
      Standing body = over(step.parts[1], out);
      body.join(next);
      end = over(step.parts[2], body);
    }
    const Standing before = head;
    head.join(end);
    if (head == before) break;
    if (round > k_most_rounds || lost_) {
      lost_ = true;
      break;
    }
  }
  leaves_ = outer_leaves;
  next_ = outer_next;
  out.join(leaves);
  return out;
}

Standing Ways::enter(uint32_t frame, const Standing& s) {
  const auto body = flow_.bodies_.find(frame);
  if (body == flow_.bodies_.end() || !touches_[body->second]) return s;
  if (std::find(active_.begin(), active_.end(), frame) != active_.end()) {
    lost_ = true;
    return s;
  }
  active_.push_back(frame);
  Standing out;
  Standing returns;
  Standing *const outer_returns = std::exchange(returns_, &returns),
                  *const outer_leaves = std::exchange(leaves_, nullptr),
                  *const outer_next = std::exchange(next_, nullptr);
  const Standing* const outer_switch = std::exchange(at_switch_, nullptr);
  // Again where a jump has come back to a label.
  for (unsigned round = 0;; ++round) {
    const std::map<const void*, Standing> before = jumped_;
    out = over(body->second, s);
    if (jumped_ == before) break;
    if (round > k_most_rounds || lost_) {
      lost_ = true;
      break;
    }
  }
  out.join(returns);
  returns_ = outer_returns;
  leaves_ = outer_leaves;
  next_ = outer_next;
  at_switch_ = outer_switch;
  active_.pop_back();
  return out;
}

Standing Ways::over(uint32_t sequence, Standing s) {
  for (const Step& step : flow_.sequences_[sequence]) {
    if (lost_ || ++steps_ > k_most_steps) {
      lost_ = true;
      return s;
    }
    const auto matters = [&] {
      return std::any_of(step.parts.begin(), step.parts.end(), [&](uint32_t p) { return touches_[p] || jumps_[p]; });
    };
    switch (step.kind) {
      case Step::event:
        if (!s.reached || !concerns_[step.number]) break;
        may_end(s);
        done_(step.number, s);
        may_end(s);
        break;
      case Step::choice:
        if (matters()) {
          Standing out;
          for (const uint32_t p : step.parts) out.join(over(p, s));
          s = std::move(out);
        }
        break;
      case Step::loop:
        if (matters()) s = loop(step, s);
        break;
      case Step::call:
        if (s.reached) s = enter(step.number, s);
        break;
      case Step::attempt: {
        if (!matters()) break;
        Standing ended = s;
        attempts_.push_back(&ended);
        Standing out = over(step.parts.front(), s);
        attempts_.pop_back();
        for (size_t k = 1; k < step.parts.size(); ++k) out.join(over(step.parts[k], ended));
        s = std::move(out);
        break;
      }
      case Step::cases: {
        if (!matters()) break;
        const Standing before = s;
        Standing leaves;
        Standing* const outer_leaves = std::exchange(leaves_, &leaves);
        const Standing* const outer = std::exchange(at_switch_, &before);
        Standing out = over(step.parts.front(), {});
        at_switch_ = outer;
        leaves_ = outer_leaves;
        out.join(leaves);
        if (!step.first) out.join(before);
        s = std::move(out);
        break;
      }
      case Step::case_label:
        if (at_switch_ != nullptr) s.join(*at_switch_);
        break;
      case Step::label:
        if (const auto from = jumped_.find(step.what); from != jumped_.end()) s.join(from->second);
        break;
      case Step::jump:
        // Where an address says the label, nothing is known.
        if (step.what == nullptr && s.reached) lost_ = true;
        jumped_[step.what].join(s);
        s = {};
        break;
      case Step::leaves:
      case Step::next:
      case Step::returns:
        if (Standing* to = step.kind == Step::leaves ? leaves_ : step.kind == Step::next ? next_ : returns_)
          to->join(s);
        s = {};
        break;
      case Step::throws:
        may_end(s);
        s = {};
        break;
      case Step::aside:
        break;
    }
  }
  return s;
}

}  // namespace fencepost::clangfe
