#include "code/execute.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/diagnostic.h"
#include "base/job.h"

namespace fencepost::code {
namespace {

using Kind = Statement::Kind;
using term::Op;

// Values of a kernel's expressions; every variable is known. Much faster than term::eval, which asks a function.
uint64_t evaluate(const term::Expr& e, const uint64_t* variables, uint64_t old) {
  switch (e.op()) {
    case Op::constant:
      return e.value();
    case Op::variable:
      return e.value() == prog::k_old_value ? old : variables[e.value()];
    case Op::ite:
      return evaluate(e.kids()[evaluate(e.kids()[0], variables, old) != 0 ? 1 : 2], variables, old);
    default:
      break;
  }
  const uint64_t a = evaluate(e.kids()[0], variables, old);
  const uint64_t b = e.kids().size() > 1 ? evaluate(e.kids()[1], variables, old) : 0;
  return term::eval_op(e.op(), e.kids()[0].width(), e.width(), a, b, 0);
}

}  // namespace

Executable::Executable(const Kernel& k) : kernel_(k) {
  const std::string fault = fault_of(k);
  FENCEPOST_INVARIANT(fault.empty(), fault.c_str());
  std::vector<std::vector<uint32_t>> leaves;
  flatten(k.body, leaves);
}

void Executable::flatten(const std::vector<Statement>& list, std::vector<std::vector<uint32_t>>& leaves) {
  const auto here = [&] { return static_cast<uint32_t>(steps_.size()); };
  const auto jump = [&](uint32_t target) {
    Step s;
    s.jump = true;
    s.target = target;
    steps_.push_back(std::move(s));
    return here() - 1;
  };
  for (const Statement& s : list) {
    if (s.kind == Kind::note) continue;
    if (s.kind == Kind::loop) {
      const uint32_t head = here();
      leaves.emplace_back();
      flatten(s.body, leaves);
      jump(head);
      for (const uint32_t l : leaves.back()) steps_[l].target = here();
      leaves.pop_back();
      continue;
    }
    Step step;
    step.kind = s.kind;
    step.statement = s;
    step.statement.body.clear();
    step.statement.other.clear();
    steps_.push_back(std::move(step));
    const uint32_t at = here() - 1;
    if (s.kind == Kind::leave) leaves.back().push_back(at);
    if (s.kind != Kind::branch) continue;
    flatten(s.body, leaves);
    if (s.other.empty()) {
      steps_[at].target = here();
      continue;
    }
    const uint32_t over = jump(0);
    steps_[at].target = here();
    flatten(s.other, leaves);
    steps_[over].target = here();
  }
}

class Run {
 public:
  Run(const Executable& e, uint32_t groups, uint32_t lanes, const std::vector<Words*>& buffers, const ExecuteOptions& o)
      : e_(e), k_(e.kernel_), groups_(groups), lanes_(lanes), buffers_(buffers), o_(o), rng_(o.seed) {
    FENCEPOST_INVARIANT(buffers.size() == k_.buffers.size(), "a kernel was run with another number of buffers");
  }

  Execution go() {
    begin();
    while (going()) turn();
    return result_;
  }

  void begin() {
    if (lanes_ > k_.group_limit) return fail(" was launched with more invocations than its limit");
    if (o_.cluster == 0 || groups_ % o_.cluster != 0)
      return fail(" was launched with workgroups that do not form whole clusters");
    const uint32_t resident = o_.resident == 0 ? groups_ : std::min(o_.resident, groups_);
    while (next_group_ < resident) start();
  }
  bool going() const { return !ready_.empty() && result_.fault.empty(); }
  // One invocation goes on for a burst. Precondition: going().
  void turn() {
    const uint64_t slot = rng_.below(ready_.size());
    const uint32_t id = ready_[slot];
    uint64_t burst = 1 + rng_.below(std::max<uint32_t>(o_.burst, 1));
    bool on = true;
    while (burst-- > 0 && on && result_.fault.empty()) on = advance(invocations_[id]);
    if (on) return;
    ready_[slot] = ready_.back();
    ready_.pop_back();
    stopped(id);
  }
  const Execution& result() const { return result_; }

 private:
  struct Invocation {
    uint32_t group = 0, lane = 0, at = 0;
    bool ended = false;
    std::vector<uint64_t> variables;
  };
  struct Group {
    uint32_t running = 0, ended = 0;
    Words shared;
    std::vector<uint32_t> members;
  };

  void start() {
    const uint32_t g = next_group_++;
    Group& group = group_of_[g];
    group.running = lanes_;
    group.shared.resize(k_.shared_words);
    for (uint32_t& w : group.shared) w = static_cast<uint32_t>(rng_.next());  // contents are undefined
    for (uint32_t l = 0; l < lanes_; ++l) {
      uint32_t id = 0;
      if (free_.empty()) {
        id = static_cast<uint32_t>(invocations_.size());
        invocations_.emplace_back();
      } else {
        id = free_.back();
        free_.pop_back();
      }
      Invocation& i = invocations_[id];
      i = {g, l, 0, false, std::vector<uint64_t>(k_.variables.size(), 0)};
      group.members.push_back(id);
      ready_.push_back(id);
    }
  }

  // The invocation stands at a barrier (already passed by its position) or has ended.
  void stopped(uint32_t id) {
    Group& group = group_of_[invocations_[id].group];
    if (invocations_[id].ended) ++group.ended;
    if (--group.running != 0) return;
    if (group.ended == lanes_) {
      free_.insert(free_.end(), group.members.begin(), group.members.end());
      group_of_.erase(invocations_[id].group);
      if (next_group_ < groups_) start();
      return;
    }
    for (const uint32_t m : group.members)
      if (!invocations_[m].ended) {
        ++group.running;
        ready_.push_back(m);
      }
  }

  void fail(const std::string& what) { result_ = {0, k_.name + what}; }
  void fault(std::string what) {
    if (result_.fault.empty()) result_.fault = k_.name + ": " + std::move(what);
  }

  uint32_t* word(const Invocation& i, const Place& p) {
    const uint64_t index = evaluate(p.index, i.variables.data(), 0);
    Words& words = p.buffer == k_shared ? group_of_[i.group].shared : *buffers_[p.buffer];
    const uint64_t count = p.width / 32;
    if (index % count != 0 || index >= words.size() || words.size() - index < count) {
      fault("word " + std::to_string(index) + " of " +
            (p.buffer == k_shared ? "shared memory" : k_.buffers[p.buffer].name) + " (" + std::to_string(words.size()) +
            " words) by lane " + std::to_string(i.lane) + " of workgroup " + std::to_string(i.group) +
            (index % count != 0 ? ": misaligned" : ": outside"));
      return nullptr;
    }
    return words.data() + index;
  }

  static uint64_t get(const uint32_t* w, uint8_t width) { return width == 64 ? w[0] | (uint64_t{w[1]} << 32) : w[0]; }
  static void put(uint32_t* w, uint8_t width, uint64_t value) {
    w[0] = static_cast<uint32_t>(value);
    if (width == 64) w[1] = static_cast<uint32_t>(value >> 32);
  }

  // False at a barrier and at the end. One statement that touches memory, with the private work before it.
  bool advance(Invocation& i) {
    while (i.at < e_.steps_.size()) {
      const Executable::Step& step = e_.steps_[i.at];
      if (++result_.statements > o_.limit) {
        fault("did not end within the limit of statements");
        return false;
      }
      if (step.jump) {
        i.at = step.target;
        continue;
      }
      ++i.at;
      const Statement& s = step.statement;
      switch (s.kind) {
        case Kind::set:
          i.variables[s.var] = evaluate(s.value, i.variables.data(), 0);
          break;
        case Kind::builtin: {
          const uint32_t values[] = {i.group,   i.lane, groups_, lanes_, i.group / o_.cluster, i.group % o_.cluster,
                                     o_.cluster};
          i.variables[s.var] = values[static_cast<size_t>(s.builtin)];
          break;
        }
        case Kind::branch:
          if (evaluate(s.value, i.variables.data(), 0) == 0) i.at = step.target;
          break;
        case Kind::leave:
          if (!s.value || evaluate(s.value, i.variables.data(), 0) != 0) i.at = step.target;
          break;
        case Kind::load:
          if (const uint32_t* w = word(i, s.place)) i.variables[s.var] = get(w, s.place.width);
          return true;
        case Kind::store:
          if (uint32_t* w = word(i, s.place)) put(w, s.place.width, evaluate(s.value, i.variables.data(), 0));
          return true;
        case Kind::atomic:
          atomic(i, s);
          return true;
        case Kind::test:
          if (k_.operations[s.operation].instr.kind == prog::Kind::barrier) return false;
          operation(i, k_.operations[s.operation]);
          return true;
        case Kind::clock:
          i.variables[s.var] = result_.statements * o_.nanoseconds_per_statement;
          return true;
        case Kind::barrier:
          return false;
        case Kind::fence:
        case Kind::pause:
          return true;
        case Kind::loop:
        case Kind::note:
          break;
      }
    }
    i.ended = true;
    return false;
  }

  void atomic(Invocation& i, const Statement& s) {
    uint32_t* w = word(i, s.place);
    if (w == nullptr) return;
    const uint8_t width = s.place.width;
    const uint64_t old = get(w, width);
    const uint64_t value = evaluate(s.value, i.variables.data(), 0);
    uint64_t now = value;
    switch (s.op) {
      case AtomicOp::add:
        now = (old + value) & term::mask(width);
        break;
      case AtomicOp::exchange:
        break;
      case AtomicOp::compare_exchange:
        if (old != evaluate(s.compare, i.variables.data(), 0)) now = old;
        break;
      case AtomicOp::or_:
        now = old | value;
        break;
      case AtomicOp::max:
        now = std::max(old, value);
        break;
    }
    put(w, width, now);
    if (s.var != k_no_var) i.variables[s.var] = old;
  }

  void operation(Invocation& i, const Operation& o) {
    if (o.instr.kind == prog::Kind::fence) return;
    uint32_t* w = word(i, o.place);
    if (w == nullptr) return;
    if (o_.watch) o_.watch(i.group, i.lane, o, evaluate(o.place.index, i.variables.data(), 0));
    uint64_t* const v = i.variables.data();
    const uint8_t width = o.place.width;
    if (o.instr.kind == prog::Kind::store) return put(w, width, evaluate(o.value, v, 0));
    const uint64_t old = get(w, width);
    if (o.instr.kind == prog::Kind::rmw) {
      if (!o.guard || evaluate(o.guard, v, old) != 0) put(w, width, evaluate(o.value, v, old));
      if (o.var != k_no_var) v[o.var] = o.result ? evaluate(o.result, v, old) : old;
      return;
    }
    v[o.var] = old;
  }

  const Executable& e_;
  const Kernel& k_;
  uint32_t groups_, lanes_;
  const std::vector<Words*>& buffers_;
  ExecuteOptions o_;
  Rng rng_;
  Execution result_;
  uint32_t next_group_ = 0;
  std::vector<Invocation> invocations_;
  std::vector<uint32_t> free_, ready_;
  std::map<uint32_t, Group> group_of_;
};

Execution Executable::run(uint32_t groups, uint32_t lanes, const std::vector<Words*>& buffers,
                          const ExecuteOptions& options) const {
  return Run(*this, groups, lanes, buffers, options).go();
}

std::vector<Execution> run_together(const std::vector<ExecutionPart>& parts, const ExecuteOptions& options) {
  Rng rng(options.seed);
  std::vector<std::unique_ptr<Run>> runs;
  for (const ExecutionPart& p : parts) {
    ExecuteOptions own = options;
    own.seed = rng.next();
    own.cluster = p.cluster;
    runs.push_back(std::make_unique<Run>(*p.kernel, p.groups, p.lanes, p.buffers, own));
    runs.back()->begin();
  }
  std::vector<Run*> left;
  for (const auto& r : runs)
    if (r->going()) left.push_back(r.get());
  while (!left.empty()) {
    const uint64_t which = rng.below(left.size());
    left[which]->turn();
    if (left[which]->going()) continue;
    left[which] = left.back();
    left.pop_back();
  }
  std::vector<Execution> out;
  for (const auto& r : runs) out.push_back(r->result());
  return out;
}

}  // namespace fencepost::code
