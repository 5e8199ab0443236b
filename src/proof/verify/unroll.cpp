// Threads as events. A thread is walked over all its positions at once: a state
// is a position with the counters of its loops, and says when (a literal) the
// thread comes there, with which registers. States of one position and equal
// counters are merged, in an order in which all that leads to a state comes
// before it. So a program is unrolled into a straight line of guarded events.
//
// docs/semantics.md ("Loops", "Values and rf", "Base relations") is the
// specification: the counter of a loop stays below the bound.
#include <algorithm>

#include "verify/encode.h"

namespace fencepost::verify {

Word evaluate(Circuit& c, const Expr& e, const std::function<Word(const Expr&)>& leaf) {
  if (e.op == "const") return Circuit::constant(e.value);
  if (e.kids.empty()) return leaf(e);
  std::vector<Word> kids;
  std::vector<Lit> truth;
  for (const ExprPtr& k : e.kids) {
    kids.push_back(evaluate(c, *k, leaf));
    truth.push_back(c.any({kids.back().begin(), kids.back().end()}));
  }
  const Word &a = kids.front(), &b = kids.back();
  Word out = Circuit::constant(0);
  if (e.op == "?:") return c.mux(truth[0], kids[1], kids[2]);
  if (e.op == "and" || e.op == "or" || e.op == "not") {
    out[0] = e.op == "and" ? c.all(truth) : e.op == "or" ? c.any(truth) : negated(truth[0]);
  } else if (e.op == "==" || e.op == "!=") {
    out[0] = c.equal(a, b) ^ (e.op == "!=" ? 1 : 0);
  } else if (e.op == "<" || e.op == ">=") {
    out[0] = c.less(a, b) ^ (e.op == ">=" ? 1 : 0);
  } else if (e.op == ">" || e.op == "<=") {
    out[0] = c.less(b, a) ^ (e.op == "<=" ? 1 : 0);
  } else if (e.op == "+") {
    out = c.add(a, b);
  } else if (e.op == "-") {
    for (size_t k = 0; k < 64; ++k) out[k] = negated(b[k]);
    out = c.add(a, out, k_true);
  } else if (e.op == "*") {
    out = c.multiply(a, b);
  } else {
    for (size_t k = 0; k < 64; ++k)
      out[k] = e.op == "&" ? c.both(a[k], b[k]) : e.op == "|" ? c.either(a[k], b[k]) : negated(c.equal(a[k], b[k]));
  }
  if (e.width == 32)
    for (size_t k = 32; k < 64; ++k) out[k] = out[31];
  return out;
}

namespace {

using Sources = std::map<int, Lit>;  // events of reads, and when they count

// A loop is a position with a jump back to it; it reaches to the last such jump, and to the end of loops that begin in
// it. By begin: the end.
std::map<int, int> loops_of(const std::vector<Instr>& code) {
  std::map<int, int> end;
  for (size_t k = 0; k < code.size(); ++k)
    if (code[k].target >= 0 && code[k].target <= static_cast<int>(k)) end[code[k].target] = static_cast<int>(k);
  for (auto outer = end.rbegin(); outer != end.rend(); ++outer)  // the last to begin has its end already
    for (auto inner = end.upper_bound(outer->first); inner != end.end() && inner->first <= outer->second; ++inner)
      outer->second = std::max(outer->second, inner->second);
  return end;
}

struct State {
  Lit guard = k_false;
  std::vector<Word> registers;
  std::vector<Sources> sources;  // by register
  Sources ctrl;
  std::map<int, Sources> scoped;  // by the position where they end
};

class Walker {
 public:
  Walker(const Program& p, size_t thread, const Question& q, const KnownBits& known, Encoding& out)
      : p_(p), t_(thread), code_(p.threads[thread].code), q_(q), known_(known), out_(out), c_(out.circuit) {}

  std::vector<Word> registers;
  Lit complete = k_false;

  void walk() {
    loops_ = loops_of(code_);
    State first;
    first.guard = k_true;
    for (const Register& r : p_.threads[t_].registers) first.registers.push_back(Circuit::constant(r.start));
    first.sources.resize(first.registers.size());
    registers = first.registers;
    add(0, {}, first);
    size_t steps = 0;
    while (!open_.empty()) {
      if (++steps > 20000 || out_.events.size() > 400) throw NotCertified("a test of this size");
      auto node = open_.extract(open_.begin());
      place_ = node.mapped().first;
      counters_ = node.mapped().second.first;
      step(node.mapped().second.second);
    }
  }

 private:
  using Counters = std::map<int, uint64_t>;  // by the begin of a loop

  std::vector<uint64_t> key(int at, const Counters& counters) const {
    std::vector<uint64_t> out;
    for (const auto& [begin, end] : loops_)
      if (begin <= at && at <= end) out.insert(out.end(), {static_cast<uint64_t>(begin), counters.at(begin)});
    out.push_back(static_cast<uint64_t>(at));
    return out;
  }

  void merge(Sources& into, Lit g, const Sources& from, Lit h) {
    for (const auto& [e, l] : from) into.try_emplace(e, k_false);
    for (auto& [e, l] : into) {
      const auto at = from.find(e);
      const Lit other = at == from.end() ? k_false : at->second;
      if (l != other) l = c_.either(c_.both(g, l), c_.both(h, other));
    }
  }

  // The thread also comes to `at` in this state.
  void add(int at, Counters counters, const State& s) {
    if (s.guard == k_false) return;
    for (const auto& [begin, end] : loops_)
      if (at < begin || at > end)
        counters.erase(begin);
      else
        counters.try_emplace(begin, 0);
    const auto [place, fresh] = open_.try_emplace(key(at, counters), at, std::pair(counters, s));
    if (fresh) return;
    State& o = place->second.second.second;
    c_.label("merge " + std::to_string(t_) + ":" + std::to_string(at));
    for (size_t r = 0; r < s.registers.size(); ++r) o.registers[r] = c_.mux(s.guard, s.registers[r], o.registers[r]);
    for (size_t r = 0; r < s.sources.size(); ++r) merge(o.sources[r], o.guard, s.sources[r], s.guard);
    merge(o.ctrl, o.guard, s.ctrl, s.guard);
    for (const auto& [end, from] : s.scoped) o.scoped.try_emplace(end);
    for (auto& [end, into] : o.scoped)
      merge(into, o.guard, s.scoped.contains(end) ? s.scoped.at(end) : Sources{}, s.guard);
    o.guard = c_.either(o.guard, s.guard);
  }

  // The thread goes no further: what its registers are then.
  void stop(const State& s) {
    for (size_t r = 0; r < s.registers.size(); ++r) registers[r] = c_.mux(s.guard, s.registers[r], registers[r]);
  }

  std::string name_here() const {
    std::string out = "P" + std::to_string(t_) + ":" + std::to_string(place_);
    for (const auto& [b, n] : counters_)
      if (n > 0) out += "/" + std::to_string(b) + "." + std::to_string(n);
    return out;
  }

  void step(State& s) {
    if (place_ >= static_cast<int>(code_.size())) {
      complete = c_.either(complete, s.guard);
      stop(s);
      return;
    }
    const Instr& in = code_[place_];
    std::erase_if(s.scoped, [&](const auto& x) { return x.first <= place_; });
    c_.label("program " + name_here());
    switch (in.kind) {
      case Instr::Kind::label:
        break;
      case Instr::Kind::local:
        assign(s, in, value(s, *in.value), sources(s, *in.value));
        break;
      case Instr::Kind::load:
      case Instr::Kind::store:
      case Instr::Kind::rmw:
        access(s, in);
        break;
      case Instr::Kind::fence:
        event(s, in, in.tags, s.guard);
        break;
      case Instr::Kind::barrier:
        barrier(s, in);
        break;
      case Instr::Kind::jump:
        return jump(s, in.target);
      case Instr::Kind::branch: {
        const Word w = value(s, *in.value);
        const Lit taken = c_.any({w.begin(), w.end()});
        Sources& into = in.reach < 0 ? s.ctrl : s.scoped[in.reach];
        join(into, sources(s, *in.value));
        State other = s;
        other.guard = c_.both(s.guard, taken);
        jump(other, in.target);
        s.guard = c_.both(s.guard, negated(taken));
        break;
      }
    }
    add(place_ + 1, counters_, s);
  }

  void jump(State& s, int target) {
    if (target > place_) return add(target, counters_, s);
    if (s.guard == k_false) return;
    Counters counters = counters_;
    const uint64_t n = ++counters[target];
    counters.erase(counters.upper_bound(target), counters.end());
    if (n >= q_.bound) {  // beyond the bound: the thread stays behind
      out_.bounded = true;
      out_.partial = c_.either(out_.partial, s.guard);
      stop(s);
      return;
    }
    if (q_.races) {
      // A flag is looked for in executions that are not complete, too: a thread
      // may stay behind in a loop at any time.
      c_.label("left behind " + name_here());
      const Lit stays = c_.both(s.guard, c_.input("stays " + name_here()));
      out_.partial = c_.either(out_.partial, stays);
      State left = s;
      left.guard = stays;
      stop(left);
      s.guard = c_.both(s.guard, negated(stays));
    }
    add(target, counters, s);
  }

  void join(Sources& into, const Sources& from) {
    for (const auto& [e, l] : from) {
      Lit& to = into.try_emplace(e, k_false).first->second;
      to = c_.either(to, l);
    }
  }

  Word value(const State& s, const Expr& e, const Word* old = nullptr) {
    return evaluate(c_, e, [&](const Expr& l) { return l.op == "reg" ? s.registers[l.index] : *old; });
  }

  Sources sources(const State& s, const Expr& e, int old = -1) {
    if (e.op == "reg") return s.sources[e.index];
    if (e.op == "old") return {{old, k_true}};
    Sources out;
    for (const ExprPtr& k : e.kids) join(out, sources(s, *k, old));
    return out;
  }

  void assign(State& s, const Instr& in, const Word& v, Sources from) {
    if (in.dst < 0) return;
    const auto r = static_cast<size_t>(in.dst);
    s.registers[r] = v;
    if (p_.threads[t_].registers[r].width == 32)
      for (size_t k = 32; k < 64; ++k) s.registers[r][k] = v[31];
    s.sources[r] = std::move(from);
  }

  int event(const State& s, const Instr& in, const std::set<std::string>& tags, Lit exec, const char* part = "") {
    Event e;
    e.thread = static_cast<int>(t_);
    e.name = name_here() + part;
    e.text = in.text;
    for (const std::string& t : tags) e.tags[t] = k_true;
    e.exec = exec;
    e.ctrl = s.ctrl;
    for (const auto& [end, from] : s.scoped) join(e.ctrl, from);
    if (in.symbol >= 0) {
      e.symbol = in.symbol;
      e.object = p_.symbols[in.symbol].object;
      e.width = p_.objects[e.object].width;
    }
    out_.events.push_back(std::move(e));
    return static_cast<int>(out_.events.size() - 1);
  }

  // What a read returns: bits that are known, and for the others what the
  // execution chooses.
  Word read_value(const Event& e) {
    const auto known = known_.find(e.name);
    Word out;
    for (size_t k = 0; k < 64; ++k) {
      if (k >= static_cast<size_t>(e.width)) {
        out[k] = out[e.width - 1];
      } else if (known != known_.end() && known->second[k]) {
        out[k] = *known->second[k] ? k_true : k_false;
      } else {
        c_.label("value " + e.name);
        out[k] = c_.input("bit " + e.name + " " + std::to_string(k));
      }
    }
    c_.label("program " + name_here());
    return out;
  }

  void write(const State& s, const Instr& in, Lit exec, const Word& v, int self, const Sources& ctrl) {
    const bool store = in.kind == Instr::Kind::store;
    Event& e = out_.events[event(s, in, store ? in.tags : in.store_tags, exec, store ? "" : "w")];
    e.write = true;
    e.value = v;
    e.data = sources(s, *in.value, self);
    join(e.ctrl, ctrl);
  }

  void access(State& s, const Instr& in) {
    if (in.kind == Instr::Kind::store) return write(s, in, s.guard, value(s, *in.value), -1, {});
    const int self = event(s, in, in.tags, s.guard);
    const Word old = read_value(out_.events[self]);
    out_.events[self].read = true;
    out_.events[self].value = old;
    if (in.kind == Instr::Kind::rmw) {
      const Word v = value(s, *in.value, &old);
      Lit writes = k_true;
      Sources ctrl;
      if (in.guard) {
        const Word g = value(s, *in.guard, &old);
        writes = c_.any({g.begin(), g.end()});
        ctrl = sources(s, *in.guard, self);
        Event& r = out_.events[self];
        for (const std::string& t : in.tags) r.tags[t] = in.failed_tags.contains(t) ? k_true : writes;
        for (const std::string& t : in.failed_tags)
          if (!in.tags.contains(t)) r.tags[t] = negated(writes);
      }
      out_.events[self].partner = static_cast<int>(out_.events.size());
      write(s, in, c_.both(s.guard, writes), v, self, ctrl);
    }
    assign(s, in, old, {{self, k_true}});
  }

  void barrier(State& s, const Instr& in) {
    Lit passes = k_true;
    if (q_.races && !in.arrive) {
      c_.label("barrier " + name_here());
      passes = c_.input("passes " + name_here());
    }
    // How many arrivals of this thread there were before, at the same barrier.
    Word count = Circuit::constant(0);
    for (const Event& e : out_.events)
      if (e.thread == static_cast<int>(t_) && e.barrier != nullptr && e.barrier->instance == in.instance)
        count = c_.add(count, Circuit::constant(0), e.arrived);
    Event& e = out_.events[event(s, in, in.tags, c_.both(s.guard, passes))];
    e.barrier = &in;
    e.arrived = s.guard;
    e.ordinal = count;
    if (in.id) e.id = value(s, *in.id);
    if (in.quorum) e.quorum = value(s, *in.quorum);
    for (const ExprPtr& x : {in.id, in.quorum})
      if (x) join(e.data, sources(s, *x));
    State blocked = s;
    blocked.guard = c_.both(s.guard, negated(passes));
    stop(blocked);
    s.guard = c_.both(s.guard, passes);
  }

  const Program& p_;
  size_t t_;
  const std::vector<Instr>& code_;
  const Question& q_;
  const KnownBits& known_;
  Encoding& out_;
  Circuit& c_;
  std::map<int, int> loops_;
  std::map<std::vector<uint64_t>, std::pair<int, std::pair<Counters, State>>> open_;
  int place_ = 0;
  Counters counters_;
};

}  // namespace

void unroll(const Program& p, const Question& q, const KnownBits& known, Encoding& out,
            std::vector<std::vector<Word>>& final_registers, std::vector<Lit>& complete) {
  for (size_t o = 0; o < p.objects.size(); ++o) {
    Event e;
    e.name = p.objects[o].name;
    e.text = "initial " + e.name;
    for (const std::string& t : p.objects[o].tags) e.tags[t] = k_true;
    e.tags["IW"] = e.tags["W"] = k_true;
    e.write = true;
    e.object = static_cast<int>(o);
    for (size_t s = p.symbols.size(); s-- > 0;)
      if (p.symbols[s].object == e.object && p.symbols[s].generic == static_cast<int>(s))
        e.symbol = static_cast<int>(s);
    e.width = p.objects[o].width;
    e.value = Circuit::constant(p.objects[o].start);
    out.events.push_back(std::move(e));
  }
  for (size_t t = 0; t < p.threads.size(); ++t) {
    Walker w(p, t, q, known, out);
    w.walk();
    final_registers.push_back(w.registers);
    complete.push_back(w.complete);
  }
}

}  // namespace fencepost::verify
