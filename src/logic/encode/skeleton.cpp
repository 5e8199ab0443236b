#include "encode/skeleton.h"

#include <algorithm>
#include <functional>

#include "encode/thread_graph.h"
#include "prog/lanes.h"
#include "prog/test.h"

namespace fencepost::encode {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using term::Op;

Expr yes() { return term::constant(1, 1); }
Expr no() { return term::constant(0, 1); }
Expr both(const Expr& a, const Expr& b) {
  if (a.is_const()) return a.is_const(1) ? b : a;
  if (b.is_const()) return b.is_const(1) ? a : b;
  if (a.identity() == b.identity()) return a;
  return Expr::make({Op::and_, 1, 0, {a, b}});
}
Expr invert(const Expr& a) {
  if (a.is_const()) return a.is_const(1) ? no() : yes();
  if (a.op() == Op::not_) return a.kids()[0];
  return Expr::make({Op::not_, 1, 0, {a}});
}
bool opposite(const Expr& a, const Expr& b) {
  return (a.op() == Op::not_ && a.kids()[0].identity() == b.identity()) ||
         (b.op() == Op::not_ && b.kids()[0].identity() == a.identity());
}
// Or, with (g & c) | (g & ~c) = g so that the guard after a diamond is the guard before it.
Expr either(const Expr& a, const Expr& b) {
  if (a.is_const()) return a.is_const(1) ? a : b;
  if (b.is_const()) return b.is_const(1) ? b : a;
  if (a.identity() == b.identity()) return a;
  if (opposite(a, b)) return yes();
  if (a.op() == Op::and_ && b.op() == Op::and_ && a.kids()[0].identity() == b.kids()[0].identity() &&
      opposite(a.kids()[1], b.kids()[1]))
    return a.kids()[0];
  return Expr::make({Op::or_, 1, 0, {a, b}});
}
Expr choose(const Expr& c, const Expr& t, const Expr& e) {
  if (c.is_const()) return c.is_const(1) ? t : e;
  if (t.identity() == e.identity()) return t;
  if (t.is_const() && e.is_const() && t.value() == e.value()) return t;
  return Expr::make({Op::ite, t.width(), 0, {c, t, e}});
}

using Taint = std::map<uint32_t, Expr>;  // load event -> condition

void add_taint(Taint& into, const Taint& from, const Expr& condition) {
  for (const auto& [load, c] : from) {
    const Expr both_c = both(condition, c);
    auto [it, fresh] = into.emplace(load, both_c);
    if (!fresh) it->second = either(it->second, both_c);
  }
}

struct ScopedCtrl {
  prog::LabelId until = 0;
  Taint taint;
};

// What a thread knows at one point of one path set.
struct State {
  Expr guard;
  std::vector<Expr> regs;
  std::vector<Taint> taints;                // by register
  Taint ctrl;                               // reaching to the end of the thread
  std::vector<ScopedCtrl> scoped;           // structured statements still open
  std::vector<Expr> effect;                 // by loop: a write or a barrier since its label
  std::vector<std::vector<Expr>> at_label;  // by loop: the registers at the last time there; empty: never there
  std::map<std::string, std::vector<Arrival>> arrivals;
};

class ThreadUnroller {
 public:
  ThreadUnroller(Skeleton& s, uint32_t thread, bool deps, Unrolling kind,
                 const std::vector<std::vector<bool>>& observable, const std::vector<bool>& silent, const Job* job)
      : s_(s),
        test_(*s.test),
        t_(thread),
        code_(test_.code(thread)),
        deps_(deps),
        repeats_(kind == Unrolling::liveness || kind == Unrolling::unfair_liveness),
        halts_(kind == Unrolling::fragments || kind == Unrolling::all_fragments ||
               kind == Unrolling::direct_fragments || kind == Unrolling::unfair_liveness),
        only_effects_(kind == Unrolling::fragments || kind == Unrolling::direct_fragments ||
                      kind == Unrolling::direct || kind == Unrolling::direct_waiting),
        waits_(kind == Unrolling::direct_waiting),
        observable_(observable[thread]),
        silent_(silent),
        clock_{job} {}

  bool run(uint32_t max_nodes) {
    auto graph = thread_graph(code_, t_, s_.bound, observable_, max_nodes, clock_);
    if (!graph) return false;
    graph_ = std::move(*graph);
    s_.threads[t_].first_event = static_cast<uint32_t>(s_.events.size());
    s_.threads[t_].first_variable = static_cast<uint32_t>(s_.variables.size());
    if (!simulate()) return false;
    s_.threads[t_].last_event = static_cast<uint32_t>(s_.events.size());
    s_.threads[t_].last_variable = static_cast<uint32_t>(s_.variables.size());
    auto reaches = graph_.reachability(clock_);
    if (!reaches) return false;
    s_.threads[t_].reaches = std::move(*reaches);
    s_.threads[t_].loops = graph_.loops;
    return true;
  }

 private:
  // ---- symbolic run ----
  static void merge(State& into, const State& from) {
    if (!into.guard) {
      into = from;
      return;
    }
    const Expr& pick = from.guard;
    for (size_t r = 0; r < into.regs.size(); ++r) into.regs[r] = choose(pick, from.regs[r], into.regs[r]);
    for (size_t k = 0; k < into.effect.size(); ++k) {
      into.effect[k] = choose(pick, from.effect[k], into.effect[k]);
      // Where one of the two has not been at the label, its effect says so, and the registers do not matter.
      if (into.at_label[k].empty())
        into.at_label[k] = from.at_label[k];
      else if (!from.at_label[k].empty())
        for (size_t r = 0; r < into.at_label[k].size(); ++r)
          into.at_label[k][r] = choose(pick, from.at_label[k][r], into.at_label[k][r]);
    }
    auto merge_taint = [&](Taint& a, const Taint& b) {
      for (auto& [load, c] : a) {
        auto it = b.find(load);
        if (it == b.end())
          c = both(invert(pick), c);
        else if (it->second.identity() != c.identity() && !(c.is_const(1) && it->second.is_const(1)))
          c = choose(pick, it->second, c);
      }
      for (const auto& [load, c] : b)
        if (!a.contains(load)) a.emplace(load, both(pick, c));
    };
    for (size_t r = 0; r < into.taints.size(); ++r) merge_taint(into.taints[r], from.taints[r]);
    merge_taint(into.ctrl, from.ctrl);
    for (const ScopedCtrl& sc : from.scoped) {
      auto it = std::find_if(into.scoped.begin(), into.scoped.end(),
                             [&](const ScopedCtrl& x) { return x.until == sc.until; });
      if (it == into.scoped.end()) {
        ScopedCtrl mine{sc.until, {}};
        merge_taint(mine.taint, sc.taint);
        into.scoped.push_back(std::move(mine));
      } else {
        merge_taint(it->taint, sc.taint);
      }
    }
    for (ScopedCtrl& sc : into.scoped)
      if (std::none_of(from.scoped.begin(), from.scoped.end(),
                       [&](const ScopedCtrl& x) { return x.until == sc.until; }))
        merge_taint(sc.taint, {});
    std::map<std::string, std::vector<Arrival>> theirs = from.arrivals;
    for (const auto& [instance, list] : into.arrivals) theirs.try_emplace(instance, std::vector<Arrival>{{0, yes()}});
    for (const auto& [instance, list] : theirs) {
      auto& mine = into.arrivals[instance];
      if (mine.empty()) mine = {{0, yes()}};
      for (Arrival& a : mine) {
        auto it = std::find_if(list.begin(), list.end(), [&](const Arrival& b) { return b.k == a.k; });
        a.condition = choose(pick, it == list.end() ? no() : it->condition, a.condition);
      }
      for (const Arrival& b : list)
        if (std::none_of(mine.begin(), mine.end(), [&](const Arrival& a) { return a.k == b.k; }))
          mine.push_back({b.k, both(pick, b.condition)});
    }
    into.guard = either(into.guard, from.guard);
  }

  State initial() const {
    State st;
    st.guard = yes();
    for (const auto& r : code_.registers) st.regs.push_back(term::constant(0, r.width));
    for (const auto& iv : test_.threads[t_].init) {
      const uint8_t w = code_.registers[iv.reg].width;
      const uint64_t v = iv.address != k_none ? prog::address_of(test_.symbols[iv.address].object) : iv.value;
      st.regs[iv.reg] = term::constant(v & term::mask(w), w);
    }
    st.taints.resize(code_.registers.size());
    st.at_label.resize(graph_.loops.size());
    st.effect.assign(graph_.loops.size(), yes());  // until the label: an extent may be entered behind it
    return st;
  }

  static Expr resolve(const Expr& e, const State& st, const Expr* old_value = nullptr) {
    if (!e) return e;
    return term::substitute(e, [&](uint64_t v, uint8_t width) -> Expr {
      if (v == prog::k_old_value && old_value != nullptr) return *old_value;
      (void)width;
      return st.regs[v];
    });
  }

  Taint taint_of(const Expr& e, const State& st) const {
    Taint out;
    if (e && deps_)
      term::for_each_variable(e, [&](uint64_t v) {
        if (v < st.taints.size()) add_taint(out, st.taints[v], yes());
      });
    return out;
  }

  static std::vector<Dependency> list(const Taint& t) {
    std::vector<Dependency> out;
    for (const auto& [load, c] : t) out.push_back({load, c});
    return out;
  }

  bool simulate() {
    std::vector<State> in(graph_.nodes.size());
    auto& exits = s_.threads[t_].exits;
    if (graph_.nodes.empty()) {
      exits.push_back({Exit::Kind::end, yes(), no(), initial().regs, 0, 0, 0, 0});
      return true;
    }
    auto& nodes = s_.threads[t_].nodes;
    for (const ThreadGraph::Node& k : graph_.nodes) nodes.push_back({k.pc, k.counters, {}});
    in[0] = initial();
    State at_end;
    for (uint32_t n = 0; n < graph_.nodes.size(); ++n) {
      if (clock_.out_of_time()) return false;
      State st = std::move(in[n]);
      if (!st.guard) continue;
      const Instr& instr = code_.code[graph_.nodes[n].pc];
      for (size_t k = 0; k < graph_.loops.size(); ++k)
        if (!spans(graph_.loops[k], graph_.nodes[n].pc)) st.effect[k] = yes();
      if ((halts_ && (n == 0 || makes_event(instr))) || (waits_ && begins_loop(instr))) {
        const Expr stop = choice();
        exits.push_back({Exit::Kind::halted, both(st.guard, stop), no(), st.regs, graph_.nodes[n].pc, 0, n, 0});
        st.guard = both(st.guard, invert(stop));
      }
      nodes[n].guard = st.guard;
      if (instr.kind == Kind::label) s_.threads[t_].head_registers[n] = st.regs;
      Expr taken = yes();  // condition of the jump side
      step(n, instr, st, taken);
      for (const ThreadGraph::Edge& e : graph_.edges[n]) {
        State out = graph_.edges[n].size() > 1 ? st : std::move(st);
        if (graph_.edges[n].size() > 1) out.guard = both(out.guard, e.taken ? taken : invert(taken));
        if (out.guard.is_const(0)) continue;
        const Expr effect = e.back_loop != k_none ? effect_of(out, e.back_loop) : no();
        if (repeats_ && e.back_loop != k_none) {
          const Expr last = e.to == ThreadGraph::k_stop ? yes() : either(choice(), invert(effect));
          exits.push_back(
              {Exit::Kind::repeats, both(out.guard, last), effect, out.regs, graph_.nodes[n].pc, 0, n, e.back_loop});
          out.guard = both(out.guard, invert(last));
          if (out.guard.is_const(0)) continue;
        }
        if (only_effects_ && e.back_loop != k_none && e.to != ThreadGraph::k_stop) {
          const Expr idle = invert(effect);
          if (!idle.is_const(0)) {
            s_.has_stops = true;
            exits.push_back({Exit::Kind::stopped, both(out.guard, idle), no(), out.regs, graph_.nodes[n].pc, 0, n,
                             e.back_loop, true});
          }
          out.guard = both(out.guard, effect);
          if (out.guard.is_const(0)) continue;
        }
        if (e.to == ThreadGraph::k_stop) {
          if (repeats_) continue;
          s_.has_stops = true;
          exits.push_back({Exit::Kind::stopped, out.guard, effect, out.regs, graph_.nodes[n].pc, 0, n, e.back_loop});
        } else if (e.to == ThreadGraph::k_end) {
          merge(at_end, out);
        } else {
          merge(in[e.to], out);
        }
      }
    }
    if (at_end.guard)
      exits.push_back(
          {Exit::Kind::end, at_end.guard, no(), at_end.regs, static_cast<uint32_t>(code_.code.size()), 0, 0, 0});
    return true;
  }

  static bool makes_event(const Instr& in) {
    return in.kind == Kind::load || in.kind == Kind::store || in.kind == Kind::rmw || in.kind == Kind::fence ||
           in.kind == Kind::barrier;
  }

  bool begins_loop(const Instr& in) const {
    return in.kind == Kind::label &&
           std::any_of(graph_.loops.begin(), graph_.loops.end(), [&](const SymLoop& l) { return l.label == in.label; });
  }

  Expr choice() {
    s_.variables.push_back({Variable::Kind::choice, 0, 1});
    return term::variable(s_.variables.size() - 1, 1);
  }

  void effect_everywhere(State& st, const Expr& when) {
    for (Expr& e : st.effect) e = either(e, when);
  }

  void assign(State& st, prog::RegId r, Expr v, Taint t, const Expr& when) {
    const uint8_t w = code_.registers[r].width;
    if (v.width() != w) v = term::resize(v, w, true);
    if (!when.is_const(1)) {
      v = choose(when, v, st.regs[r]);
      Taint kept;
      add_taint(kept, st.taints[r], invert(when));
      add_taint(kept, t, when);
      t = std::move(kept);
    }
    st.regs[r] = std::move(v);
    if (deps_) st.taints[r] = std::move(t);
  }

  // Whether a read-modify-write changes its cell. Of a compare-and-swap that writes where it fails: whether it
  // succeeds, which the clauses of `!=` say only where every bit is known. Then the rounds of settle() see without
  // probing that who takes a lock read that it was free.
  static Expr differs(const Expr& value, const Expr& old) {
    if (value.op() != Op::ite || value.kids()[2].identity() != old.identity()) return term::binary(Op::ne, value, old);
    const Expr &when = value.kids()[0], &other = value.kids()[1];
    if (when.op() == Op::eq && other.op() == Op::constant)
      for (size_t k = 0; k < 2; ++k)
        if (when.kids()[k].identity() == old.identity() && when.kids()[1 - k].op() == Op::constant)
          return when.kids()[1 - k].value() == other.value() ? no() : when;
    return both(when, term::binary(Op::ne, other, old));
  }
  // Whether the iteration that ends here had an effect: a write, a barrier, or another value in a live register.
  Expr effect_of(const State& st, uint32_t loop) const {
    Expr out = st.effect[loop];
    if (out.is_const(1)) return out;
    for (size_t r = 0; r < st.regs.size(); ++r) {
      const Expr& now = st.regs[r];
      const Expr& then = st.at_label[loop][r];
      if (!graph_.loops[loop].live[r] || now.identity() == then.identity()) continue;
      out = either(out, term::binary(Op::ne, now, then));
    }
    return out;
  }

  SymEvent event(uint32_t node, const Instr& instr, const State& st, const Expr& when, const vocab::TagSet& tags) {
    SymEvent e;
    e.thread = t_;
    e.instr = graph_.nodes[node].pc;
    e.tags = tags;
    // What the kind of an instruction says, front ends need not repeat.
    switch (instr.kind) {
      case Kind::load:
        e.tags.add(vocab::Tag::R);
        break;
      case Kind::store:
        e.tags.add(vocab::Tag::W);
        break;
      case Kind::rmw:
        e.tags.add(vocab::Tag::R).add(vocab::Tag::RMW);
        break;
      case Kind::fence:
        if (!tags.has(vocab::Tag::AVDEVICE) && !tags.has(vocab::Tag::VISDEVICE)) e.tags.add(vocab::Tag::F);
        break;
      default:
        break;
    }
    e.guard = both(st.guard, when);
    e.node = node;
    e.span = instr.span;
    if (deps_) {
      Taint c = st.ctrl;
      for (const auto& sc : st.scoped) add_taint(c, sc.taint, yes());
      if (instr.predicate != k_none) add_taint(c, st.taints[instr.predicate], yes());
      e.ctrl = list(c);
    }
    return e;
  }

  prog::Address resolve_address(const Instr& instr, const State& st) const {
    prog::Address a = instr.addr;
    a.index = resolve(instr.addr.index, st);
    return a;
  }

  uint8_t cell_width(const prog::Address& a, uint8_t fallback) const {
    return a.symbol != k_none ? test_.objects[test_.symbols[a.symbol].object].width : fallback;
  }

  Expr load_variable(uint32_t event, uint8_t width) {
    s_.variables.push_back({Variable::Kind::load, event, width});
    return term::variable(s_.variables.size() - 1, width);
  }

  void step(uint32_t node, const Instr& instr, State& st, Expr& taken) {
    Expr when = yes();
    if (instr.predicate != k_none) {
      when = term::truth(st.regs[instr.predicate]);
      if (instr.predicate_negated) when = invert(when);
    }
    const uint32_t id = static_cast<uint32_t>(s_.events.size());
    switch (instr.kind) {
      case Kind::label:
        for (size_t k = 0; k < graph_.loops.size(); ++k)
          if (graph_.loops[k].label == instr.label) {
            st.effect[k] = no();
            st.at_label[k] = st.regs;
          }
        std::erase_if(st.scoped, [&](const ScopedCtrl& sc) { return sc.until == instr.label; });
        break;
      case Kind::jump:
        taken = when;
        break;
      case Kind::branch: {
        const Expr c = term::truth(resolve(instr.value, st));
        taken = both(when, c);
        if (deps_) {
          Taint t = taint_of(instr.value, st);
          if (instr.reach == prog::CtrlReach::rest_of_thread) {
            add_taint(st.ctrl, t, when);
          } else {
            auto it = std::find_if(st.scoped.begin(), st.scoped.end(),
                                   [&](const ScopedCtrl& sc) { return sc.until == instr.ctrl_end; });
            if (it == st.scoped.end())
              st.scoped.push_back({instr.ctrl_end, std::move(t)});
            else
              add_taint(it->taint, t, yes());
          }
        }
        break;
      }
      case Kind::local:
        assign(st, instr.dst, resolve(instr.value, st), taint_of(instr.value, st), when);
        break;
      case Kind::load: {
        SymEvent e = event(node, instr, st, when, instr.tags);
        e.read = true;
        e.address = resolve_address(instr, st);
        e.addr = list(taint_of(instr.addr.index, st));
        e.width = cell_width(e.address, instr.dst != k_none ? code_.registers[instr.dst].width : 64);
        e.value = load_variable(id, e.width);
        s_.events.push_back(e);
        if (instr.dst != k_none) assign(st, instr.dst, e.value, {{id, yes()}}, when);
        break;
      }
      case Kind::store: {
        SymEvent e = event(node, instr, st, when, instr.tags);
        e.write = true;
        e.address = resolve_address(instr, st);
        e.addr = list(taint_of(instr.addr.index, st));
        e.width = cell_width(e.address, instr.value.width());
        e.value = term::resize(resolve(instr.value, st), e.width, true);
        e.data = list(taint_of(instr.value, st));
        s_.events.push_back(e);
        effect_everywhere(st, when);
        break;
      }
      case Kind::rmw: {
        SymEvent r = event(node, instr, st, when, instr.tags);
        r.read = true;
        r.address = resolve_address(instr, st);
        r.addr = list(taint_of(instr.addr.index, st));
        r.width = cell_width(r.address, instr.value.width());  // a reduction has no destination
        r.value = load_variable(id, r.width);
        r.partner = id + 1;
        SymEvent w = r;
        if (instr.guard && instr.failed_tags) {
          r.failed_tags = *instr.failed_tags;
          r.failed_tags->add(vocab::Tag::R).add(vocab::Tag::RMW);
        }
        w.tags = instr.store_tags;
        w.tags.add(vocab::Tag::W).add(vocab::Tag::RMW);
        w.part = 1;
        w.read = false;
        w.write = true;
        w.partner = id;
        const Expr old = r.value;
        auto with_old = [&](const Expr& e) { return resolve_old(e, st, old); };
        Expr writes = yes();
        if (instr.guard) {
          writes = term::truth(with_old(instr.guard));
          if (instr.spurious != k_none) {
            const Expr chosen = choice();
            r.spurious = both(writes, chosen);
            writes = both(writes, invert(chosen));
          }
          w.guard = both(r.guard, writes);
          if (deps_) {
            Taint c = taint_of(instr.guard, st);
            if (mentions_old(instr.guard)) c.emplace(id, yes());
            for (const Dependency& d : w.ctrl) add_taint(c, {{d.load, d.condition}}, yes());
            w.ctrl = list(c);
          }
        }
        w.value = term::resize(with_old(instr.value), w.width, true);
        if (deps_) {
          Taint d = taint_of(instr.value, st);
          if (mentions_old(instr.value)) d.emplace(id, yes());
          w.data = list(d);
        }
        Taint result = taint_of(instr.result, st);
        if (!instr.result || mentions_old(instr.result)) result.emplace(id, yes());
        const Expr out = instr.result ? with_old(instr.result) : old;
        s_.events.push_back(r);
        s_.events.push_back(w);
        if (instr.dst != k_none) assign(st, instr.dst, out, std::move(result), when);
        if (instr.spurious != k_none)
          assign(st, instr.spurious, term::resize(r.spurious, code_.registers[instr.spurious].width, false),
                 {{id, yes()}}, when);
        Expr effect = both(when, writes);
        if (!silent_.empty() && silent_[graph_.nodes[node].pc]) effect = both(effect, differs(w.value, r.value));
        effect_everywhere(st, effect);
        break;
      }
      case Kind::fence:
        s_.events.push_back(event(node, instr, st, when, instr.tags));
        break;
      case Kind::barrier: {
        SymEvent e = event(node, instr, st, when, instr.tags);
        e.barrier = &instr.barrier;
        e.barrier_id = resolve(instr.barrier.id, st);
        e.barrier_quorum = resolve(instr.barrier.quorum, st);
        e.data = list(taint_of(instr.barrier.id, st));
        if (deps_ && instr.barrier.quorum) {
          Taint d;
          for (const Dependency& x : e.data) d.emplace(x.load, x.condition);
          add_taint(d, taint_of(instr.barrier.quorum, st), yes());
          e.data = list(d);
        }
        auto& arrivals = st.arrivals[instr.barrier.instance];
        if (arrivals.empty()) arrivals = {{0, yes()}};
        e.arrivals = arrivals;
        std::vector<Arrival> next;
        auto put = [&](uint32_t k, const Expr& c) {
          if (c.is_const(0)) return;
          for (Arrival& a : next)
            if (a.k == k) {
              a.condition = either(a.condition, c);
              return;
            }
          next.push_back({k, c});
        };
        for (const Arrival& a : arrivals) {
          put(a.k + 1, both(a.condition, when));
          put(a.k, both(a.condition, invert(when)));
        }
        arrivals = std::move(next);
        if (instr.barrier.arrive) {
          e.pass = yes();
        } else {
          s_.variables.push_back({Variable::Kind::pass, id, 1});
          e.pass = term::variable(s_.variables.size() - 1, 1);
          const Expr stuck = both(when, invert(e.pass));
          s_.threads[t_].exits.push_back(
              {Exit::Kind::blocked, both(st.guard, stuck), no(), st.regs, graph_.nodes[node].pc, id, node, 0});
          st.guard = both(st.guard, invert(stuck));
        }
        s_.events.push_back(e);
        effect_everywhere(st, when);
        break;
      }
    }
  }

  static bool mentions_old(const Expr& e) {
    bool found = false;
    if (e) term::for_each_variable(e, [&](uint64_t v) { found = found || v == prog::k_old_value; });
    return found;
  }
  static Expr resolve_old(const Expr& e, const State& st, const Expr& old) { return resolve(e, st, &old); }

  Skeleton& s_;
  const prog::Test& test_;
  uint32_t t_;
  const prog::Template& code_;
  bool deps_;
  bool repeats_;
  bool halts_;
  bool only_effects_;  // goes back only after an iteration with an effect
  bool waits_;         // may be left behind at a loop's label
  std::vector<bool> observable_;
  std::vector<bool> silent_;
  Clock clock_;
  ThreadGraph graph_;
};

}  // namespace

bool Skeleton::program_order(uint32_t a, uint32_t b) const {
  const SymEvent& x = events[a];
  const SymEvent& y = events[b];
  if (x.thread != y.thread || x.thread == k_init_thread || a >= b) return false;
  return x.node == y.node || threads[x.thread].reaches[x.node].test(y.node);
}

bool Skeleton::same_instruction(uint32_t a, uint32_t b) const {
  const SymEvent& x = events[a];
  const SymEvent& y = events[b];
  if (a == b) return true;
  if (x.thread != y.thread || x.thread == k_init_thread) return false;
  const SymThread& t = threads[x.thread];
  if (t.nodes[x.node].counters != t.nodes[y.node].counters) return false;  // another iteration
  const auto& code = test->instrs(x.thread);
  const uint32_t operation = code[x.instr].operation;
  return x.instr == y.instr || (operation != k_none && operation == code[y.instr].operation);
}

bool Skeleton::awaits(uint32_t a, uint32_t b) const {
  const SymEvent& x = events[a];
  const SymEvent& y = events[b];
  if (x.thread != y.thread || x.thread == k_init_thread || !x.tags.has(vocab::Tag::ASY)) return false;
  const auto& code = test->instrs(x.thread);
  const std::vector<uint32_t>& awaited = code[y.instr].awaits;
  return code[x.instr].operation != k_none &&
         std::find(awaited.begin(), awaited.end(), code[x.instr].operation) != awaited.end();
}

bool Skeleton::at_home(uint32_t a, uint32_t b) const {
  const SymEvent& x = events[a];
  const SymEvent& y = events[b];
  if (x.thread == k_init_thread || !y.memory() || y.address.symbol == k_none) return false;
  const uint32_t home = test->objects[test->symbols[y.address.symbol].object].home;
  return home != k_none &&
         prog::same_scope(test->threads[x.thread], test->threads[home], *vocab::level_of(vocab::Dialect::ptx, "cta"));
}

bool Skeleton::compatible(uint32_t a, uint32_t b) const {
  if (a == b || events[a].thread != events[b].thread || events[a].thread == k_init_thread) return true;
  return program_order(std::min(a, b), std::max(a, b));
}

Expected<Skeleton> unroll(const prog::Test& test, const prog::LoopBounds& bound, bool dependencies, Unrolling kind,
                          const std::vector<std::vector<bool>>& silent, const Job* job, uint32_t max_nodes) {
  if (const auto many = prog::too_many_exchanges(test, bound)) return unsupported_at(test.span, *many, "lower --bound");
  Skeleton s;
  s.test = &test;
  s.bound = bound;
  s.threads.resize(test.threads.size());
  for (prog::ObjectId o = 0; o < test.objects.size(); ++o) {
    const prog::Object& obj = test.objects[o];
    prog::SymbolId own = k_none;
    for (prog::SymbolId y = 0; y < test.symbols.size() && own == k_none; ++y)
      if (test.symbols[y].object == o && test.symbols[y].aliased == k_none) own = y;
    for (uint32_t c = 0; c < obj.init.size(); ++c) {
      SymEvent e;
      e.instr = o;
      e.cell = c;
      e.tags = obj.tags;
      e.tags.add(vocab::Tag::IW).add(vocab::Tag::W);
      e.guard = yes();
      e.write = true;
      e.address.symbol = own;
      e.address.index = c == 0 ? Expr{} : term::constant(c, 64);
      e.width = obj.width;
      uint64_t v = obj.init[c];
      if (c < obj.init_address.size() && obj.init_address[c] != k_none)
        v = prog::address_of(test.symbols[obj.init_address[c]].object);
      e.value = term::constant(v & term::mask(obj.width), obj.width);
      if (c < obj.undefined.size() && obj.undefined[c]) {
        s.variables.push_back({Variable::Kind::any, static_cast<uint32_t>(s.events.size()), obj.width});
        e.value = term::variable(s.variables.size() - 1, obj.width);
      }
      e.span = obj.span;
      s.events.push_back(std::move(e));
    }
  }
  s.init_events = static_cast<uint32_t>(s.events.size());
  std::vector<std::vector<bool>> observable(test.threads.size());
  for (uint32_t t = 0; t < test.threads.size(); ++t) observable[t].assign(test.code(t).registers.size(), false);
  if (kind == Unrolling::safety || kind == Unrolling::direct || kind == Unrolling::direct_fragments ||
      kind == Unrolling::direct_waiting || kind == Unrolling::all_fragments)
    for (const auto& o : prog::observables(test))
      if (o.is_register) observable[o.thread][o.reg] = true;
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    ThreadUnroller u(s, t, dependencies, kind, observable, silent.empty() ? std::vector<bool>{} : silent[t], job);
    if (!u.run(max_nodes)) return unsupported_at(test.span, "the unrolled program is too large", "lower --bound");
  }
  return s;
}

}  // namespace fencepost::encode
