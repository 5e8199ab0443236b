// Explicit state, depth first. Queues are not stored: without loops an instruction runs at most once, so the queue of
// an address is what has been issued and not performed, in program order. Issuing and the move into the load array
// disable nothing, so they are done as soon as they can be; the steps that are chosen are: perform an access or a
// fence, distribute a write.
#include "explicit/operational.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "explicit/key.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "reference/relations.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::explicit_state {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using vocab::Tag;

enum class Reach : uint8_t { own, block, device };

constexpr uint32_t k_initial = 0xffffffffu;  // the write of a location's initial value

struct Done {           // an instruction of a thread
  bool issued = false;  // it is part of the path, and its predicate is true
  bool performed = false;
  uint64_t value = 0;  // a load's or atomic's value read
  uint32_t location = k_none;
  auto operator<=>(const Done&) const = default;
};

struct Thread {
  uint32_t position = 0;
  std::vector<Done> done;
  std::vector<uint32_t> writer;  // by register: the instruction that wrote it last, k_none: its initial value
  auto operator<=>(const Thread&) const = default;
};

struct Write {              // the entry of a view
  uint32_t id = k_initial;  // thread << 16 | instruction
  uint64_t value = 0;
  Reach reach = Reach::device;
  auto operator<=>(const Write&) const = default;
};

struct State {
  std::vector<Thread> threads;
  std::vector<std::vector<Write>> views;  // [location][thread]; a shared location has one entry
};

struct Location {
  prog::ObjectId object = 0;
  uint64_t cell = 0;
  bool shared = false;
};

uint64_t extend(uint64_t v, uint8_t width) { return static_cast<uint64_t>(term::to_signed(v, width)); }

// One step, kept for the way back: an instruction performed (with the value that it read), or a write distributed.
struct Step {
  bool instruction = true;
  uint32_t thread = 0, position = 0, location = k_none;
  uint64_t value = 0;
  Reach to = Reach::own;
};

class Machine {
 public:
  Machine(const prog::Test& test, const OperationalOptions& options) : test_(test), options_(options) {
    for (prog::ObjectId o = 0; o < test.objects.size(); ++o) {
      first_.push_back(static_cast<uint32_t>(locations_.size()));
      for (uint64_t c = 0; c < test.objects[o].init.size(); ++c)
        locations_.push_back({o, c, test.objects[o].tags.has(Tag::SHARED)});
    }
    const auto cta = vocab::level_of(vocab::Dialect::ptx, "cta");
    for (uint32_t t = 0; t < test.threads.size(); ++t) {
      block_.push_back(t);
      for (uint32_t u = 0; u < t; ++u)
        if (prog::same_scope(test.threads[t].scope, test.threads[u].scope, *cta))
          block_[t] = std::min(block_[t], block_[u]);
    }
    one_block_ = std::all_of(block_.begin(), block_.end(), [](uint32_t b) { return b == 0; });
  }

  State start() const {
    State s;
    for (uint32_t t = 0; t < test_.threads.size(); ++t) {
      Thread th;
      th.done.resize(test_.instrs(t).size());
      th.writer.assign(test_.code(t).registers.size(), k_none);
      s.threads.push_back(std::move(th));
    }
    for (const Location& l : locations_) {
      const prog::Object& o = test_.objects[l.object];
      uint64_t v = o.init[l.cell];
      if (l.cell < o.init_address.size() && o.init_address[l.cell] != k_none)
        v = prog::address_of(test_.symbols[o.init_address[l.cell]].object);
      s.views.emplace_back(l.shared ? 1 : test_.threads.size(),
                           Write{k_initial, v & term::mask(o.width), Reach::device});
    }
    return s;
  }

  // Every thread goes on until it needs a value that is not there yet. False: an address outside of every object.
  bool issue(State& s) const {
    for (uint32_t t = 0; t < s.threads.size(); ++t) {
      Thread& th = s.threads[t];
      while (th.position < th.done.size()) {
        const uint32_t i = th.position;
        const Instr& in = instr(t, i);
        if (in.predicate != k_none) {
          const auto p = value_of(th, t, in.predicate, writer_before(th, t, in.predicate, i));
          if (!p) break;
          if ((*p != 0) == in.predicate_negated) {
            ++th.position;
            continue;
          }
        }
        if (in.kind == Kind::jump || in.kind == Kind::branch) {
          const auto taken = in.kind == Kind::jump ? std::optional<uint64_t>(1) : evaluate(th, t, in.value, i, 0);
          if (!taken) break;
          th.position = *taken != 0 ? test_.code(t).labels[in.label].at : i + 1;
          continue;
        }
        if (accesses(in)) {
          const auto l = locate(th, t, i);
          if (!l.known) break;
          if (l.location == k_none) return false;
          th.done[i].location = l.location;
        }
        th.done[i].issued = true;
        if (in.kind == Kind::local || in.kind == Kind::label) th.done[i].performed = true;
        if (in.dst != k_none) th.writer[in.dst] = i;
        ++th.position;
      }
    }
    return true;
  }

  // All states one step away; false: an address outside of every object.
  template <class F>
  bool each_step(const State& s, const F& f) const {
    for (uint32_t t = 0; t < s.threads.size(); ++t)
      for (uint32_t i = 0; i < s.threads[t].done.size(); ++i) {
        const Done& d = s.threads[t].done[i];
        if (!d.issued || d.performed || !can_perform(s, t, i)) continue;
        State next = s;
        perform(next, t, i);
        if (!issue(next)) return false;
        f(std::move(next), Step{true, t, i, d.location,
                                d.location == k_none ? 0 : s.views[d.location][shared(d.location) ? 0 : t].value});
      }
    for (uint32_t l = 0; l < s.views.size(); ++l) {
      std::vector<uint32_t> seen;
      for (const Write& w : s.views[l]) {
        if (w.reach == Reach::device || std::find(seen.begin(), seen.end(), w.id) != seen.end()) continue;
        seen.push_back(w.id);
        for (const Reach to : {Reach::block, Reach::device}) {
          if (to <= w.reach || (one_block_ && to == Reach::block)) continue;
          State next = s;
          distribute(next, l, w, to);
          f(std::move(next), Step{false, w.id >> 16, 0, l, w.value, to});
        }
      }
    }
    return true;
  }

  bool ended(const State& s) const {
    for (uint32_t t = 0; t < s.threads.size(); ++t) {
      if (s.threads[t].position < test_.instrs(t).size()) return false;
      for (const Done& d : s.threads[t].done)
        if (d.issued && !d.performed) return false;
    }
    for (const auto& view : s.views)
      for (const Write& w : view)
        if (w.reach != Reach::device) return false;
    return true;
  }

  prog::FinalValues final_values(const State& s) const {
    prog::FinalValues f;
    for (uint32_t t = 0; t < s.threads.size(); ++t) {
      f.registers.emplace_back();
      for (prog::RegId r = 0; r < s.threads[t].writer.size(); ++r) {
        const auto v = value_of(s.threads[t], t, r, s.threads[t].writer[r]);
        FENCEPOST_INVARIANT(v.has_value(), "every register has a value at the end");
        f.registers.back().push_back(*v);
      }
    }
    f.memory.resize(test_.objects.size());
    for (uint32_t l = 0; l < locations_.size(); ++l) {
      for (const Write& w : s.views[l]) FENCEPOST_INVARIANT(w.id == s.views[l][0].id, "at the end all views agree");
      f.memory[locations_[l].object].push_back(s.views[l][0].value);
    }
    return f;
  }

  std::string describe(const Step& x) const {
    if (!x.instruction)
      return fmt::format("{} = {} of T{} reaches its {}", name(x.location), x.value, x.thread,
                         x.to == Reach::block ? "block" : "device");
    const Instr& in = instr(x.thread, x.position);
    const std::string text = fmt::format("T{}: {}", x.thread, prog::to_string(test_, x.thread, in));
    if (in.kind == Kind::fence) return text;
    if (in.kind == Kind::store) return text + (shared(x.location) ? "  (shared memory)" : "  (into its own view)");
    return fmt::format("{}  (reads {})", text, x.value);
  }

  Key key_of(const State& s) const {
    Key k;
    for (const Thread& t : s.threads) {
      k.push_back(t.position);
      for (const Done& d : t.done) {
        k.push_back((uint64_t{d.location} << 2) | (d.issued ? 1 : 0) | (d.performed ? 2 : 0));
        k.push_back(d.value);
      }
    }
    for (const auto& view : s.views)
      for (const Write& w : view) {
        k.push_back((uint64_t{w.id} << 2) | static_cast<uint64_t>(w.reach));
        k.push_back(w.value);
      }
    return k;
  }

 private:
  const Instr& instr(uint32_t t, uint32_t i) const { return test_.instrs(t)[i]; }
  static bool accesses(const Instr& in) {
    return in.kind == Kind::load || in.kind == Kind::store || in.kind == Kind::rmw;
  }
  bool shared(uint32_t l) const { return locations_[l].shared; }
  std::string name(uint32_t l) const {
    const prog::Object& o = test_.objects[locations_[l].object];
    return prog::cell_name(o, o.name, locations_[l].cell);
  }

  // The value of register `r` as `writer` left it, once it is known. Writers of a path are found again from its
  // instructions: an operand of instruction i has the last writer before i.
  std::optional<uint64_t> value_of(const Thread& th, uint32_t t, prog::RegId r, uint32_t writer) const {
    const prog::Template& code = test_.code(t);
    if (writer == k_none) {
      uint64_t v = 0;
      for (const prog::InitValue& x : test_.threads[t].init)
        if (x.reg == r) v = x.address != k_none ? prog::address_of(test_.symbols[x.address].object) : x.value;
      return v & term::mask(code.registers[r].width);
    }
    const Instr& in = code.code[writer];
    if (in.kind == Kind::local) {
      const auto v = evaluate(th, t, in.value, writer, 0);
      return v ? std::optional(*v & term::mask(code.registers[r].width)) : std::nullopt;
    }
    const Done& d = th.done[writer];
    if (!d.performed) return std::nullopt;
    const uint64_t old = extend(d.value, test_.objects[locations_[d.location].object].width);
    if (in.kind == Kind::rmw && in.result) {
      const auto v = evaluate(th, t, in.result, writer, old);
      return v ? std::optional(*v & term::mask(code.registers[r].width)) : std::nullopt;
    }
    return old & term::mask(code.registers[r].width);
  }

  // An expression of instruction `at`: its registers are what they were there.
  std::optional<uint64_t> evaluate(const Thread& th, uint32_t t, const term::Expr& e, uint32_t at, uint64_t old) const {
    const auto v = term::eval(e, [&](uint64_t var) -> std::optional<uint64_t> {
      if (var == prog::k_old_value) return old;
      return value_of(th, t, static_cast<prog::RegId>(var), writer_before(th, t, static_cast<prog::RegId>(var), at));
    });
    return v ? std::optional(extend(*v, e.width())) : std::nullopt;
  }

  uint32_t writer_before(const Thread& th, uint32_t t, prog::RegId r, uint32_t at) const {
    for (uint32_t i = at; i-- > 0;)
      if (th.done[i].issued && instr(t, i).dst == r) return i;
    return k_none;
  }

  struct Located {
    bool known = false;
    uint32_t location = k_none;
  };
  Located locate(const Thread& th, uint32_t t, uint32_t i) const {
    const Instr& in = instr(t, i);
    if (in.addr.symbol != k_none) {
      uint64_t cell = 0;
      if (in.addr.index) {
        const auto v = evaluate(th, t, in.addr.index, i, 0);
        if (!v) return {};
        cell = *v;
      }
      const prog::ObjectId o = test_.symbols[in.addr.symbol].object;
      return {true, cell < test_.objects[o].init.size() ? first_[o] + static_cast<uint32_t>(cell) : k_none};
    }
    const auto a = evaluate(th, t, in.addr.index, i, 0);
    if (!a) return {};
    const auto c = reference::cell_at(test_, *a);
    return {true, c ? first_[c->object] + static_cast<uint32_t>(c->cell) : k_none};
  }

  bool can_perform(const State& s, uint32_t t, uint32_t i) const {
    const Thread& th = s.threads[t];
    const Instr& in = instr(t, i);
    for (uint32_t j = 0; j < i; ++j) {
      const Done& before = th.done[j];
      if (!before.issued || before.performed) continue;
      const Instr& other = instr(t, j);
      if (in.kind == Kind::fence || other.kind == Kind::fence) return false;  // fences are in all queues
      if (before.location != th.done[i].location) continue;
      // Loads that are ahead in the queue are in the array, if there is one.
      if (!(options_.load_array && in.kind == Kind::load && other.kind == Kind::load)) return false;
    }
    if (in.kind == Kind::fence) return true;
    const uint32_t l = th.done[i].location;
    if (in.kind == Kind::store && !evaluate(th, t, in.value, i, 0)) return false;
    if (in.kind == Kind::rmw) {
      for (const term::Expr* e : {&in.value, &in.guard, &in.result})
        if (*e && !evaluate(th, t, *e, i, 0)) return false;
      if (!shared(l))
        for (const Write& w : s.views[l])
          if (w.reach != Reach::device) return false;
    }
    return true;
  }

  void perform(State& s, uint32_t t, uint32_t i) const {
    Thread& th = s.threads[t];
    const Instr& in = instr(t, i);
    if (in.kind == Kind::fence) {
      const Reach to = in.tags.has(Tag::CTA) ? Reach::block : Reach::device;
      for (uint32_t l = 0; l < s.views.size(); ++l)
        if (!shared(l) && s.views[l][t].reach < to) {
          const Write w = s.views[l][t];
          distribute(s, l, w, to);
        }
      th.done[i].performed = true;
      return;
    }
    const uint32_t l = th.done[i].location;
    const uint8_t width = test_.objects[locations_[l].object].width;
    auto& view = s.views[l];
    Write& own = view[shared(l) ? 0 : t];
    const uint32_t id = (t << 16) | i;
    if (in.kind == Kind::store) {
      const uint64_t v = *evaluate(th, t, in.value, i, 0) & term::mask(width);
      own = {id, v, shared(l) ? Reach::device : Reach::own};
      // A block of one thread has been reached at once.
      if (!shared(l) && members(t) == 1) settle(own);
    } else {
      th.done[i].value = own.value;
      if (in.kind == Kind::rmw) {
        const uint64_t old = extend(own.value, width);
        if (!in.guard || *evaluate(th, t, in.guard, i, old) != 0) {
          const uint64_t v = *evaluate(th, t, in.value, i, old) & term::mask(width);
          for (Write& w : view) w = {id, v, Reach::device};
        }
      }
    }
    th.done[i].performed = true;
  }

  uint32_t members(uint32_t t) const {
    return static_cast<uint32_t>(std::count(block_.begin(), block_.end(), block_[t]));
  }
  void settle(Write& w) const { w.reach = one_block_ ? Reach::device : Reach::block; }

  void distribute(State& s, uint32_t l, Write w, Reach to) const {
    const uint32_t block = block_[w.id >> 16];
    const Reach from = w.reach;
    w.reach = to == Reach::block && one_block_ ? Reach::device : to;
    for (uint32_t t = 0; t < s.views[l].size(); ++t) {
      Write& v = s.views[l][t];
      const bool inside = block_[t] == block;
      if (v.id == w.id)
        v = w;  // its marks are cleared wherever it is seen
      else if (inside ? from == Reach::own : to == Reach::device)
        v = w;
    }
  }

  const prog::Test& test_;
  const OperationalOptions& options_;
  std::vector<Location> locations_;
  std::vector<uint32_t> first_;  // of an object's locations
  std::vector<uint32_t> block_;  // by thread: the first thread of its block
  bool one_block_ = false;
};

Expected<void> supported(const prog::Test& test) {
  if (test.syntax != prog::Syntax::gpu_ptx)
    return unsupported_at(
        test.span, fmt::format("the operational model runs GPU_PTX tests, and this is {}", prog::name(test.syntax)),
        "docs/litmus-gpu_ptx.md has the notation; `fencepost gen --dialect GPU_PTX` makes tests");
  const auto device = vocab::level_of(vocab::Dialect::ptx, "gpu");
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    if (!prog::same_scope(test.threads[t].scope, test.threads[0].scope, *device))
      return unsupported_at(test.span, "the operational model has one device, and threads of this test are on two");
    const auto& code = test.instrs(t);
    for (uint32_t i = 0; i < code.size(); ++i) {
      if (code[i].kind == Kind::barrier) return unsupported_at(code[i].span, "the operational model has no barriers");
      if ((code[i].kind == Kind::jump || code[i].kind == Kind::branch) && test.code(t).labels[code[i].label].at <= i)
        return unsupported_at(code[i].span, "the operational model runs tests without loops, and this jumps back");
    }
  }
  return {};
}

}  // namespace

Expected<OperationalOutcomes> operational_outcomes(const prog::Test& test, const OperationalOptions& options,
                                                   const Job& job) {
  if (auto ok = supported(test); !ok) return std::unexpected(ok.error());
  OperationalOutcomes out;
  out.observables = prog::observables(test);
  const Machine machine(test, options);

  struct Node {
    State state;
    uint32_t parent = k_none;
    Step step;
  };
  std::unordered_map<Key, uint32_t, KeyHash> ids;
  std::vector<Node> nodes;  // states are dropped once their steps are known; parents stay for the way back
  std::vector<uint32_t> open;
  const auto intern = [&](State s, uint32_t parent, const Step& step) {
    const auto [it, fresh] = ids.try_emplace(machine.key_of(s), static_cast<uint32_t>(nodes.size()));
    if (!fresh) return;
    open.push_back(it->second);
    nodes.push_back({std::move(s), parent, step});
  };
  State first = machine.start();
  bool fits = machine.issue(first);
  intern(std::move(first), k_none, {});
  out.states.complete = true;
  while (fits && !open.empty()) {
    if (ids.size() > options.max_states || ((out.explored & 255) == 0 && job.out_of_time())) {
      out.states.complete = false;
      break;
    }
    ++out.explored;
    const uint32_t at = open.back();
    open.pop_back();
    const State s = std::move(nodes[at].state);
    nodes[at].state = {};
    if (machine.ended(s)) {
      const prog::FinalValues f = machine.final_values(s);
      if (options.filter && !prog::holds(test, test.filter, f)) continue;
      if (out.states.states.insert(prog::state_of(test, out.observables, f)).second &&
          test.quantifier != prog::Quantifier::none && prog::holds(test, test.condition, f))
        ++out.positive;
      if (!out.steps && test.quantifier != prog::Quantifier::none &&
          prog::holds(test, test.condition, f) != (test.quantifier == prog::Quantifier::forall)) {
        out.steps.emplace();
        for (uint32_t n = at; nodes[n].parent != k_none; n = nodes[n].parent)
          out.steps->push_back(machine.describe(nodes[n].step));
        std::reverse(out.steps->begin(), out.steps->end());
      }
      continue;
    }
    fits = machine.each_step(s, [&](State next, const Step& step) { intern(std::move(next), at, step); });
  }
  if (!fits) return error_at(test.span, "an access has an address outside of every object");
  return out;
}

}  // namespace fencepost::explicit_state
