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

Word evaluate(Circuit& c, const Expr& e, const std::vector<Word>& registers, const Word* old) {
  if (e.op == "const") return Circuit::constant(e.value);
  if (e.op == "reg") return registers[e.index];
  if (e.op == "old") return *old;
  const auto kid = [&](size_t k) { return evaluate(c, *e.kids[k], registers, old); };
  const auto bit = [](Lit l) {
    Word w = Circuit::constant(0);
    w[0] = l;
    return w;
  };
  const auto truth = [&](size_t k) {
    const Word w = kid(k);
    return c.any({w.begin(), w.end()});
  };
  if (e.op == "and") return bit(c.both(truth(0), truth(1)));
  if (e.op == "or") return bit(c.either(truth(0), truth(1)));
  if (e.op == "?:") return c.mux(truth(0), kid(1), kid(2));
  const Word a = kid(0), b = kid(1);
  if (e.op == "==") return bit(c.equal(a, b));
  if (e.op == "!=") return bit(negated(c.equal(a, b)));
  if (e.op == "<") return bit(c.less(a, b));
  if (e.op == "<=") return bit(negated(c.less(b, a)));
  if (e.op == ">") return bit(c.less(b, a));
  if (e.op == ">=") return bit(negated(c.less(a, b)));
  Word out;
  if (e.op == "+") {
    out = c.add(a, b);
  } else if (e.op == "-") {
    Word n = b;
    for (Lit& l : n) l = negated(l);
    out = c.add(a, n, k_true);
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

struct Loop {
  int begin = 0, end = 0;
};

// A loop is a position with a jump back to it; it reaches to the last such
// jump, and to the end of loops that begin in it.
std::vector<Loop> loops_of(const std::vector<Instr>& code) {
  std::map<int, int> end;
  for (size_t k = 0; k < code.size(); ++k)
    if (code[k].target >= 0 && code[k].target <= static_cast<int>(k)) {
      int& e = end[code[k].target];
      e = std::max(e, static_cast<int>(k));
    }
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& [b, e] : end)
      for (const auto& [b2, e2] : end)
        if (b < b2 && b2 <= e && e < e2) {
          e = e2;
          moved = true;
        }
  }
  std::vector<Loop> out;
  for (const auto& [b, e] : end) out.push_back({b, e});
  return out;
}

struct State {
  Lit guard = k_false;
  std::vector<Word> registers;
  std::vector<Sources> sources;
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
    for (const uint64_t v : p_.threads[t_].start) first.registers.push_back(Circuit::constant(v));
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
    for (const Loop& l : loops_)
      if (l.begin <= at && at <= l.end) {
        out.push_back(static_cast<uint64_t>(l.begin));
        out.push_back(counters.at(l.begin));
      }
    out.push_back(static_cast<uint64_t>(at));
    return out;
  }

  void merge(Sources& into, Lit g, const Sources& from, Lit h) {
    Sources out;
    for (const auto& [e, l] : into) {
      const auto at = from.find(e);
      out[e] = at == from.end()  ? c_.both(g, l)
               : at->second == l ? l
                                 : c_.either(c_.both(g, l), c_.both(h, at->second));
    }
    for (const auto& [e, l] : from)
      if (!into.contains(e)) out[e] = c_.both(h, l);
    into = std::move(out);
  }

  // The thread also comes to `at` in this state.
  void add(int at, Counters counters, const State& s) {
    if (s.guard == k_false) return;
    for (const Loop& l : loops_) {
      if (at < l.begin || at > l.end)
        counters.erase(l.begin);
      else
        counters.try_emplace(l.begin, 0);
    }
    const auto [place, fresh] = open_.try_emplace(key(at, counters), at, std::pair(counters, s));
    if (fresh) return;
    State& o = place->second.second.second;
    c_.label("merge " + std::to_string(t_) + ":" + std::to_string(at));
    for (size_t r = 0; r < s.registers.size(); ++r) o.registers[r] = c_.mux(s.guard, s.registers[r], o.registers[r]);
    for (size_t r = 0; r < s.sources.size(); ++r) merge(o.sources[r], o.guard, s.sources[r], s.guard);
    merge(o.ctrl, o.guard, s.ctrl, s.guard);
    std::set<int> ends;
    for (const auto& [e, x] : o.scoped) ends.insert(e);
    for (const auto& [e, x] : s.scoped) ends.insert(e);
    for (const int e : ends) merge(o.scoped[e], o.guard, s.scoped.contains(e) ? s.scoped.at(e) : Sources{}, s.guard);
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
        jump(s, in.target);
        return;
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
    for (const Loop& l : loops_)
      if (l.begin > target) counters.erase(l.begin);
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
      const auto at = into.find(e);
      into[e] = at == into.end() ? l : c_.either(at->second, l);
    }
  }

  Word value(const State& s, const Expr& e, const Word* old = nullptr) { return evaluate(c_, e, s.registers, old); }

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
    if (p_.threads[t_].widths[r] == 32)
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
      e.cell = in.cell;
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

  void access(State& s, const Instr& in) {
    if (in.kind == Instr::Kind::store) {
      Word v = value(s, *in.value);
      Sources data = sources(s, *in.value);
      Event& e = out_.events[event(s, in, in.tags, s.guard)];
      e.write = true;
      e.value = v;
      e.data = std::move(data);
      return;
    }
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
      const int w = event(s, in, in.store_tags, c_.both(s.guard, writes), "w");
      Event& e = out_.events[w];
      e.write = true;
      e.value = v;
      e.data = sources(s, *in.value, self);
      join(e.ctrl, ctrl);
      out_.events[self].partner = w;
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
    std::vector<Lit> count;
    for (const Event& e : out_.events) {
      if (e.thread != static_cast<int>(t_) || e.barrier == nullptr || e.barrier->instance != in.instance) continue;
      Lit carry = e.arrived;
      for (Lit& l : count) {
        const Lit sum = negated(c_.equal(l, carry));
        carry = c_.both(l, carry);
        l = sum;
      }
      count.push_back(carry);
    }
    Word id = Circuit::constant(0), quorum = id;
    Sources data;
    if (in.id) {
      id = value(s, *in.id);
      data = sources(s, *in.id);
    }
    if (in.quorum) {
      quorum = value(s, *in.quorum);
      join(data, sources(s, *in.quorum));
    }
    Event& e = out_.events[event(s, in, in.tags, c_.both(s.guard, passes))];
    e.barrier = &in;
    e.arrived = s.guard;
    e.ordinal = std::move(count);
    e.id = id;
    e.quorum = quorum;
    e.data = std::move(data);
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
  std::vector<Loop> loops_;
  std::map<std::vector<uint64_t>, std::pair<int, std::pair<Counters, State>>> open_;
  int place_ = 0;
  Counters counters_;
};

}  // namespace

void unroll(const Program& p, const Question& q, const KnownBits& known, Encoding& out,
            std::vector<std::vector<Word>>& final_registers, std::vector<Lit>& complete) {
  for (size_t o = 0; o < p.objects.size(); ++o)
    for (size_t c = 0; c < p.objects[o].start.size(); ++c) {
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
      e.cell = c;
      e.width = p.objects[o].width;
      e.value = Circuit::constant(p.objects[o].start[c]);
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
