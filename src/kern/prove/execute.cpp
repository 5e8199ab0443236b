#include "prove/execute.h"

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"
#include "ir/assembly.h"

namespace fencepost::prove {

using namespace ir;

namespace {

constexpr uint64_t k_block_limit = 400000;  // blocks run in one execution

// Does the function say itself what may be taken for granted of its numbers?
bool own_contract(const Function& f) {
  for (const Block& b : f.blocks)
    for (const Instruction& in : b.instructions)
      if (const auto* n = std::get_if<Annotation>(&in.action);
          n != nullptr && (n->note == Note::requires_ || n->note == Note::ensures))
        return true;
  return false;
}

}  // namespace

Execution::Execution(Pool& pool, const Module& m, const flow::Effects& effects, FunctionId entry,
                     const Options& options, Pairing pairing, const Refuted& refuted, Lanes lanes, const Job& job,
                     Groups groups)
    : Run(pool, m, effects, entry, options, pairing, lanes, groups),
      masters(*this, writers_),
      rows(pool),
      promises(pool),
      writers_(m, effects, entry),
      refuted_(refuted),
      job_(job) {
  const flow::FunctionEffects& e = effects.function(entry);
  for (uint32_t r = 0; r < m.regions.size(); ++r) {
    const Space space = m.regions[r].space;
    const bool shared = space == Space::global || space == Space::group;
    if (writers_.any({r}, flow::Writer::copy)) memory.make_adversarial({r});
    // Threads of other groups may write there at any time.
    if (m.regions[r].clustered) memory.make_adversarial({r});
    if (shared && (e.atomics[r] != 0 || options.abstraction == Abstraction::adversarial)) memory.make_adversarial({r});
  }
  required = required_of_both = pool_.yes();
  trapped_ = both(pool_.no());
  for (size_t i = 0; i < m.functions.size(); ++i) {
    if (e.reached[i] == 0) continue;
    for (const Block& b : m.functions[i].blocks)
      for (const Instruction& in : b.instructions)
        if (const auto* c = std::get_if<Compute>(&in.action))
          tracking_ = tracking_ || c->op == Op::accessed || c->op == Op::access_offset;
  }
}

// What a requirement says that a parameter is: `__requires(n == 1024)`. The requirement itself is still taken up where
// it stands, so that two of them which contradict each other are noticed.
std::optional<uint64_t> Execution::required_value(const Function& f, size_t parameter) {
  const flow::Recurrences& r = recurrences(entry_);
  for (const Instruction& in : f.blocks[0].instructions) {
    const auto* n = std::get_if<Annotation>(&in.action);
    if (n == nullptr || n->note != Note::requires_ || n->candidate) continue;
    const Instruction* made = r.definition(n->condition);
    const auto* c = made == nullptr ? nullptr : std::get_if<Compute>(&made->action);
    if (c == nullptr || c->op != Op::eq || c->operands.size() != 2) continue;
    for (const size_t side : {0, 1}) {
      const Value &x = f.value(c->operands[side]), &y = f.value(c->operands[1 - side]);
      if (x.kind != Value::parameter || x.index != parameter || y.type != x.type) continue;
      if (y.kind == Value::constant) return y.constant_bits;
      // The sizes of the launch, where they are fixed.
      const Instruction* other = r.definition(c->operands[1 - side]);
      const auto* id = other == nullptr ? nullptr : std::get_if<Compute>(&other->action);
      if (id == nullptr || id->op != Op::id) continue;
      const auto& l = options_.launch;
      const uint64_t size = static_cast<IdKind>(id->imm) == IdKind::num_groups   ? l.num_groups[id->dimension]
                            : static_cast<IdKind>(id->imm) == IdKind::local_size ? l.local_size[id->dimension]
                                                                                 : 0;
      if (size != 0) return size;
    }
  }
  return std::nullopt;
}

void Execution::run() {
  launch();
  const Function& f = m_.function(entry_);
  launch_variables = common_variables = pool_.variables();
  Activation a;
  a.id = entry_;
  a.f = &f;
  a.entry = true;
  a.path = f.symbol;
  a.values.resize(f.values.size());
  std::vector<uint8_t> uniform_parameters;
  const std::set<size_t> nullable = f.kernel && options_.nullable ? compared_with_null() : std::set<size_t>{};
  const auto may_be_null = [&](const std::string& name) {
    null_parameters.emplace_back(name, pool_.variable(1, "null " + name));
    return null_parameters.back().second;
  };
  for (size_t i = 0; i < f.parameters.size(); ++i) {
    const Parameter& p = f.parameters[i];
    const bool shared = f.kernel;
    Pair v;
    if (p.type.kind == Type::pointer && p.region) {
      v = both(pool_.constant(uint64_t{p.region.index + 1} << pointers.offset_bits, pointers.width()));
      const bool structure = m_.region(p.region).origin == Origin::by_value;
      const bool given_null_by_host = std::ranges::count(options_.null_arguments, p.source_index) != 0;
      if (nullable.contains(i) && !structure && given_null_by_host) {
        v = both(pool_.constant(0, pointers.width()));
        null_arguments.push_back(p.name);
      } else if (nullable.contains(i) && structure) {
        // The pointers in a structure.
        for (const InitialPointer& field : m_.region(p.region).pointers)
          if (field.target) memory.may_be_null(p.region, field.offset, may_be_null(m_.region(field.target).name));
      } else if (nullable.contains(i)) {
        v = both(
            pool_.concat(pool_.ite(may_be_null(p.name), pool_.constant(0, 16), pool_.constant(p.region.index + 1, 16)),
                         pool_.constant(0, pointers.offset_bits)));
      } else if (f.kernel && given_null_by_host && !structure) {
        given_null.emplace(p.region.index, p.name);
      }
      // A function that no one calls gets any pointer: null too.
      if (!f.kernel)
        v = both(pool_.ite(pool_.variable(1, "null " + p.name), pool_.constant(0, pointers.width()), v[0]));
    } else if (p.type.kind == Type::bits && p.source_index < options_.arguments.size() &&
               options_.arguments[p.source_index] && f.kernel) {
      v = both(pool_.constant(*options_.arguments[p.source_index], p.type.width));
    } else if (const std::optional<uint64_t> fixed = required_value(f, i); fixed && p.type.kind == Type::bits) {
      v = both(pool_.constant(*fixed, p.type.width));
    } else if (options_.contract.calls > 0 && i < options_.contract.parameters.size() &&
               (p.type.kind == Type::pointer || !own_contract(f))) {
      v = parameter_by_contract(options_.contract.parameters[i], p.type, "parameter " + p.name);
    } else {
      v = unknown(width(p.type), "parameter " + p.name, shared);
    }
    if (p.type.kind == Type::pointer && !p.region) {
      // Of a function with callers: one of the regions that its accesses may reach.
      std::set<uint32_t> regions;
      for (const Block& b : f.blocks)
        for (const Instruction& in : b.instructions) {
          const auto add = [&](const Access& access) {
            ValueId at = access.pointer;
            const flow::Recurrences& r = recurrences(entry_);
            for (int steps = 0; steps < 100; ++steps) {
              const Instruction* def = r.definition(at);
              const auto* c = def == nullptr ? nullptr : std::get_if<Compute>(&def->action);
              if (c == nullptr || c->op != Op::pointer_add) break;
              at = c->operands[0];
            }
            if (f.value(at).kind == Value::parameter && f.value(at).index == i)
              for (RegionId x : access.regions) regions.insert(x.index);
          };
          if (const auto* l = std::get_if<Load>(&in.action)) add(l->access);
          if (const auto* s = std::get_if<Store>(&in.action)) add(s->access);
          if (const auto* at = std::get_if<Atomic>(&in.action)) add(at->access);
        }
      for (const size_t t : k_both) {
        if (regions.empty()) continue;
        std::vector<Term> one_of;
        for (uint32_t x : regions) one_of.push_back(pool_.eq(base_of(v[t]), pool_.constant(x + 1, 16)));
        Fact known;
        known.term = pool_.any(std::move(one_of));
        known.threads = 0;
        known.names = formula::names(pool_, known.term);
        trace.facts.push_back(std::move(known));
      }
    }
    if (p.type.kind == Type::bits) scalars.emplace_back(p.name, v);
    uniform_parameters.push_back(v[0] == v[1] ? 1 : 0);
    for (uint32_t x = 0; x < f.values.size(); ++x)
      if (f.values[x].kind == Value::parameter && f.values[x].index == i) a.values[x] = v;
  }
  a.uniform = flow::uniformity(m_, effects_, entry_, entry_, uniform_parameters,
                               pairing_ == Pairing::same_group ? flow::Threads::of_group : flow::Threads::of_grid,
                               options_.launch);
  std::vector<Pair> results;
  Pair returned;
  // Parameters of a function that is no kernel may differ between the threads of a group.
  if (f.kernel) common_variables = pool_.variables();
  find_counters();
  find_claims();
  find_locks();
  find_last_tickets();
  find_messages();
  others_in_order_ = messages_possible_;
  for (const Function& g : m_.functions)
    if (const auto assembly = assembly_effect(g); assembly && assembly->kind == "barrier") {
      mbarriers_.expect(assembly->instruction);
      others_in_order_ =
          others_in_order_ || (assembly->instruction != "mbarrier.init" && assembly->instruction != k_arrive_and_wait);
    }
  for (size_t i = 0; i < m_.functions.size(); ++i) {
    if (effects().reached[i] == 0) continue;
    for (const Block& b : m_.functions[i].blocks)
      for (const Instruction& in : b.instructions)
        if (const auto* x = std::get_if<Barrier>(&in.action)) {
          others_in_order_ = others_in_order_ || x->arrive || x->name || x->count;
          named_.in_text(m_.functions[i], *x, i == entry_.index);
        } else if (const auto* copy = std::get_if<AsyncCopy>(&in.action); copy != nullptr && by_thread(in)) {
          if (is_bulk(*copy)) proxies_.expect_copies();
        }
  }
  // A lock that nobody gives back orders no one behind another.
  masters.in_any_order(others_in_order_ || std::any_of(lock_values_.begin(), lock_values_.end(),
                                                       [](const auto& l) { return l.second.released; }));
  axioms();
  function(a, both(pool_.yes()), Mode{}, results, returned);
  locks_begin();
  for (const Phases::Claim& c : mbarriers_.conclude()) {
    Obligation o;
    o.kind = Kind::barrier_divergence;
    o.failing = c.failing;
    o.position = c.position;
    o.both = !c.of_ring;
    o.open = c.of_ring ? "arrivals and waits at a ring of barrier objects come in turn in each iteration"
                       : "who waits at a barrier object in a loop waits for the phase of that iteration";
    obligations.push_back(std::move(o));
  }
  ticket_facts();
  ticket_bounds();
  for (const NamedBarriers::Claim& c : named_.conclude()) {
    Obligation o;
    o.kind = Kind::barrier_divergence;
    o.failing = c.failing;
    o.position = c.position;
    o.open = "the numbers of a barrier of some threads in a loop come in turn";
    obligations.push_back(std::move(o));
  }
  proxies_.conclude();
  ones_facts();
  for (const Term t : instances(pool_, options_.axioms)) {
    Fact f;
    f.term = t;
    f.threads = 0;
    f.names = formula::names(pool_, t);
    trace.facts.push_back(std::move(f));
  }
}

// __axiom(e): a function without parameters whose result is true.
void Execution::axioms() {
  for (uint32_t i = 0; i < m_.functions.size(); ++i) {
    const Function& f = m_.functions[i];
    if (!f.axiom || !f.body || !f.parameters.empty() || f.results.empty()) continue;
    Activation a;
    a.id = {i};
    a.f = &f;
    a.path = f.symbol;
    a.values.resize(f.values.size());
    a.uniform = flow::uniformity(m_, effects_, {i}, entry_, {}, flow::Threads::of_grid, options_.launch);
    std::vector<Pair> results;
    Pair returned;
    function(a, both(pool_.yes()), Mode{false, false, true}, results, returned);
    for (const size_t t : k_both) {
      const Term r = results[0][t];
      const Term holds = pool_.width(r) == 1 ? r : pool_.ne(r, pool_.constant(0, pool_.width(r)));
      required = t == 0 ? pool_.all(required, holds) : required;
      fact(pool_.yes(), holds, static_cast<int>(t));
    }
  }
}

// ---- values ------------------------------------------------------------------------------------------------

Pair Execution::unknown(uint8_t width, const std::string& name, bool shared) {
  const Term v = pool_.variable(width, name);
  return {v, shared ? v : pool_.variable(width, name + "'")};
}

Pair Execution::get(Activation& a, ValueId v) {
  const Value& value = a.f->value(v);
  switch (value.kind) {
    case Value::constant:
      if (value.type.kind == Type::pointer) {
        if (value.constant_bits == 0) return both(pool_.constant(0, pointers.width()));
        // A raw address: an unknown object, the same for all.
        const Term address = pool_.constant(value.constant_bits, pointers.width());
        return both(pool_.apply(pool_.symbol("address"), pointers.width(), {address}));
      }
      return both(pool_.constant(value.constant_bits, value.type.width));
    case Value::region_address:
      return both(pool_.constant(uint64_t{value.region.index + 1} << pointers.offset_bits, pointers.width()));
    case Value::function_address:
      return both(pool_.constant((k_function_base + value.function.index) << pointers.offset_bits, pointers.width()));
    case Value::parameter:
    case Value::result:
      break;
  }
  const Pair p = a.values[v.index];
  if (p[0] && p[1]) return p;
  return both(pool_.constant(0, width(value.type)));  // in code that no thread reaches
}

bool Execution::mentions(const Activation& a, ValueId v, const std::function<bool(const Instruction&)>& what,
                         int depth) const {
  const Instruction* in = a.recurrences->definition(v);
  if (in == nullptr || depth > 40) return depth > 40;
  if (what(*in)) return true;
  const auto* c = std::get_if<Compute>(&in->action);
  return c != nullptr && std::any_of(c->operands.begin(), c->operands.end(),
                                     [&](ValueId o) { return mentions(a, o, what, depth + 1); });
}

bool Execution::mentions_other(const Activation& a, ValueId v) const {
  return mentions(a, v, [](const Instruction& in) {
    const auto* c = std::get_if<Compute>(&in.action);
    return c != nullptr && c->op == Op::other;
  });
}

// The value of an expression of pure instructions and spec loads, as of now; `memory_state`: as memory was then.
Term Execution::pure(Activation& a, ValueId v, int thread, Mode mode, const Memory::State* memory_state, int depth) {
  const auto t = static_cast<size_t>(thread);
  const Instruction* in = a.recurrences->definition(v);
  if (in == nullptr || depth > 200) return get(a, v)[t];
  const auto of = [&](ValueId x, int who, const Memory::State* state) {
    return pure(a, x, who, mode, state, depth + 1);
  };
  if (const auto* l = std::get_if<Load>(&in->action); l != nullptr && l->spec) {
    const Term p = of(l->access.pointer, thread, memory_state);
    const bool pointer = a.f->value(v).type.kind == Type::pointer;
    Term r;
    for (RegionId region : l->access.regions) {
      const uint32_t head = (memory_state != nullptr ? *memory_state : memory.state)[region.index][t];
      const Term x = of_both_ && memory_state == nullptr
                         ? memory.read_of_both(region, thread, offset_of(p), l->access.bytes, pointer)
                         : memory.read_at(head, region, thread, offset_of(p), l->access.bytes, pointer);
      r = r ? pool_.ite(pool_.eq(base_of(p), pool_.constant(region.index + 1, 16)), x, r) : x;
    }
    return r ? r : memory.any(width(a.f->value(v).type));
  }
  const auto* c = std::get_if<Compute>(&in->action);
  if (c == nullptr || c->op == Op::any) return get(a, v)[t];
  if (c->op == Op::old) return of(c->operands[0], thread, &a.entry_memory);
  if (c->op == Op::return_value)
    return c->imm < a.returned.size() ? a.returned[c->imm][t] : memory.any(width(a.f->value(v).type));
  if (c->op == Op::other) {
    if (!mode.lockstep) return memory.any(width(a.f->value(v).type));
    const Term theirs = of(c->operands[0], 1 - thread, memory_state);
    return third_ != nullptr ? masters.as_another(theirs, (*third_)[1 - t]) : theirs;
  }
  std::vector<Term> operands;
  std::vector<Pair> pairs;
  for (ValueId o : c->operands) {
    operands.push_back(of(o, thread, memory_state));
    pairs.push_back(both(operands.back()));
  }
  const bool outer = std::exchange(in_pure_, true);
  const Term r = compute(a, *c, a.f->value(v).type, operands, thread, mode, pairs);
  in_pure_ = outer;
  return r;
}

// ---- functions and blocks ----------------------------------------------------------------------------------

const flow::Recurrences& Execution::recurrences(FunctionId f) {
  auto& r = recurrences_[f.index];
  if (r == nullptr) r = std::make_unique<flow::Recurrences>(m_.function(f), effects_.cfg(f));
  return *r;
}

const flow::LoopEffects& Execution::loop_effects(FunctionId f, uint32_t l) {
  const auto key = std::make_pair(f.index, l);
  auto it = loop_effects_.find(key);
  if (it == loop_effects_.end()) it = loop_effects_.emplace(key, effects_.loop(f, l)).first;
  return it->second;
}

void Execution::function(Activation& a, Pair guard, Mode mode, std::vector<Pair>& results, Pair& returned) {
  const Function& f = *a.f;
  a.cfg = &effects_.cfg(a.id);
  a.recurrences = &recurrences(a.id);
  a.guards.assign(f.blocks.size(), both(pool_.no()));
  a.loop_entry.assign(a.cfg->loops().size(), both(pool_.no()));
  if (!a.cfg->reducible()) unsupported.insert("irreducible control flow in " + f.name);
  for (uint32_t r = 0; r < m_.regions.size(); ++r)
    if (m_.regions[r].origin == Origin::automatic && m_.regions[r].owner == a.id) memory.forget({r}, guard, false);
  a.entry_memory = memory.state;
  for (const Block& b : f.blocks)
    for (const Instruction& in : b.instructions)
      if (const auto* n = std::get_if<Annotation>(&in.action); n != nullptr && n->note == Note::function_wide_invariant)
        a.wide_invariants.push_back(&in);
  a.guards[0] = guard;
  blocks(a, a.cfg->reverse_postorder(), ~0u, mode);

  // What is returned: of the return that is reached.
  std::vector<uint32_t> ends;
  bool dies = false;
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    if (std::holds_alternative<Return>(f.blocks[b].terminator)) ends.push_back(b);
    if (std::holds_alternative<Trap>(f.blocks[b].terminator) ||
        std::holds_alternative<Unreachable>(f.blocks[b].terminator))
      dies = true;
  }
  results.clear();
  for (size_t i = 0; i < f.results.size(); ++i) {
    Pair v{};
    for (uint32_t b : ends) {
      const auto& ret = std::get<Return>(f.blocks[b].terminator);
      const Pair x = get(a, ret.values[i]);
      if (!v[0])
        v = x;
      else
        v = {pool_.ite(a.guards[b][0], x[0], v[0]), pool_.ite(a.guards[b][1], x[1], v[1])};
    }
    if (!v[0]) v = unknown(width(f.results[i]), "no return", false);
    results.push_back(v);
  }
  if (!dies && !ends.empty()) {
    returned = guard;
  } else {
    returned = both(pool_.no());
    for (uint32_t b : ends)
      for (const size_t t : k_both) returned[t] = pool_.any(returned[t], a.guards[b][t]);
  }
  a.returned = results;
  for (size_t i = 0; i < a.ensures.size(); ++i) {
    ++position_;
    const bool two = mentions_other(a, a.ensures[i]);
    for (const int t : {0, 1}) {
      const Term c = pure(a, a.ensures[i], t, mode, nullptr);
      const Term holds = a.ensure_global[i] ? c : pool_.implies(returned[static_cast<size_t>(t)], c);
      if (t == 0 && !specification(f)) oblige(Kind::postcondition, pool_.not_(holds), a.ensure_places[i], two, mode);
      fact(pool_.yes(), holds, t, two);
    }
  }
  ++position_;
  for (const Activation::Effect& e : a.frames) {
    if (!mode.log) break;
    for (RegionId r : e.frame->access.regions) {
      const Pair value = unknown(static_cast<uint8_t>(8 * std::max(1u, e.frame->access.bytes)), "written", false);
      const size_t before = trace.accesses.size();
      log(e.frame->kind, e.frame->access, r, e.guard, e.pointer, value, false, e.place, nullptr);
      if (trace.accesses.size() > before) trace.accesses.back().by_contract = true;
    }
  }
}

void Execution::blocks(Activation& a, const std::vector<BlockId>& order, uint32_t loop_number, Mode mode) {
  for (BlockId b : order) {
    const uint32_t inner = a.cfg->innermost_loop(b);
    if (inner != loop_number) {
      if (inner != ~0u && a.cfg->loops()[inner].header == b && a.cfg->loops()[inner].parent == loop_number)
        loop(a, inner, mode);
      continue;
    }
    const bool header = inner != ~0u && a.cfg->loops()[inner].header == b;
    if (!header && b.index != 0) a.guards[b.index] = guard_of(a, b, loop_number);
    block(a, b, header, mode);
  }
}

Pair Execution::guard_of(Activation& a, BlockId b, uint32_t loop_number) {
  (void)loop_number;
  const BlockId d = a.cfg->immediate_dominator(b);
  if (d) {
    uint32_t left = ~0u;  // the outermost loop around d that b is not in
    for (uint32_t l = a.cfg->innermost_loop(d); l != ~0u; l = a.cfg->loops()[l].parent)
      if (!a.cfg->in_loop(b, l)) left = l;
    const BlockId from = left == ~0u ? d : a.cfg->loops()[left].header;
    if (a.cfg->postdominates(b, from)) return left == ~0u ? a.guards[d.index] : a.loop_entry[left];
  }
  Pair g = both(pool_.no());
  for (BlockId p : a.cfg->predecessors(b))
    if (const auto it = a.edges.find({p.index, b.index}); it != a.edges.end())
      for (const size_t t : k_both) g[t] = pool_.any(g[t], it->second[t]);
  return g;
}

void Execution::block(Activation& a, BlockId b, bool header, Mode mode) {
  const Block& blk = a.f->blocks[b.index];
  const Pair guard = a.guards[b.index];
  const bool dead = never(guard);
  stopped = stopped || ((blocks_run_ & 31) == 0 && job_.out_of_time());
  if (stopped) return;
  if (++blocks_run_ > k_block_limit) {
    unsupported.insert("a kernel with so many nested loops and calls");
    return;
  }
  a.guard = guard;
  a.block = b;
  if (a.entry) entry_block_ = b;
  if (a.cfg->innermost_loop(b) != ~0u && !repeats_.empty()) repeats_.back().in_header = header;
  if (options_.warp_sync > 0 && mode.log && mode.lockstep) trace.commons.push_back({++position_, guard});
  if (!dead) {
    for (const Instruction& in : blk.instructions) {
      if (const auto* phi = std::get_if<Phi>(&in.action)) {
        if (header) continue;
        Pair v{};
        for (const size_t t : k_both) {
          const std::vector<Term> known = pool_.conjuncts(guard[t]);
          for (const Phi::Entry& e : phi->entries) {
            const auto it = a.edges.find({e.from.index, b.index});
            if (it == a.edges.end() || pool_.is_false(it->second[t])) continue;
            const Term x = get(a, e.value)[t];
            if (!v[t]) {
              v[t] = x;
              continue;
            }
            // Relative to the block's own guard.
            std::vector<Term> condition;
            for (Term c : pool_.conjuncts(it->second[t]))
              if (!std::binary_search(known.begin(), known.end(), c)) condition.push_back(c);
            v[t] = pool_.ite(pool_.all(std::move(condition)), x, v[t]);
          }
          if (!v[t]) v[t] = pool_.constant(0, width(a.f->value(in.results[0]).type));
        }
        set(a, in.results[0], v);
        continue;
      }
      instruction(a, in, a.guard, mode);
    }
    a.guards[b.index] = a.guard;
  }
  terminator(a, b, mode);
}

void Execution::terminator(Activation& a, BlockId b, Mode mode) {
  const Block& blk = a.f->blocks[b.index];
  const Pair g = a.guards[b.index];
  for (BlockId s : successors(blk.terminator)) a.edges[{b.index, s.index}] = both(pool_.no());
  const auto put = [&](BlockId to, Pair c) {
    Pair& e = a.edges[{b.index, to.index}];
    const Pair edge = all(g, c);
    for (const size_t t : k_both) e[t] = pool_.any(e[t], edge[t]);
    note_leaving(a, to, edge);
  };
  if (const auto* j = std::get_if<Jump>(&blk.terminator)) {
    put(j->to, both(pool_.yes()));
  } else if (const auto* br = std::get_if<Branch>(&blk.terminator)) {
    const Pair c = get(a, br->condition);
    if (options_.warp_divergence && mode.check && !pool_.is_false(same_warp)) {
      // Of different iterations nothing is known.
      const Term part =
          mode.lockstep ? pool_.not_(pool_.eq(c[0], c[1])) : pool_.truth(a.uniform.branches[b.index] == 0);
      oblige(Kind::warp_divergence, pool_.all({g[0], g[1], same_warp, part}), blk.place, true, mode);
    }
    put(br->then_, c);
    put(br->else_, {pool_.not_(c[0]), pool_.not_(c[1])});
  } else if (const auto* s = std::get_if<Switch>(&blk.terminator)) {
    const Pair v = get(a, s->value);
    Pair rest = both(pool_.yes());
    for (const auto& [value, to] : s->cases) {
      Pair c;
      for (const size_t t : k_both) {
        c[t] = pool_.eq(v[t], pool_.constant(value, pool_.width(v[t])));
        rest[t] = pool_.all(rest[t], pool_.not_(c[t]));
      }
      put(to, c);
    }
    put(s->otherwise, rest);
  } else if (std::holds_alternative<Unreachable>(blk.terminator)) {
    oblige(Kind::unreachable, g[0], blk.place, false, mode);
  } else if (std::holds_alternative<Trap>(blk.terminator) && loops_around_.empty()) {
    for (const size_t t : k_both) trapped_[t] = pool_.any(trapped_[t], g[t]);
  }
}

void Execution::fact(Term guard, Term claim, int thread, bool two) {
  const Term t = pool_.implies(guard, claim);
  if (pool_.is_true(t)) return;
  Fact f;
  f.term = t;
  f.from = {position_, position_};
  f.threads = two ? 3 : static_cast<uint8_t>(1 << thread);
  f.names = formula::names(pool_, t);
  trace.facts.push_back(std::move(f));
}

Obligation* Execution::oblige(Kind kind, Term failing, PlaceId place, bool two, Mode mode) {
  if (!mode.check || pool_.is_false(failing)) return nullptr;
  Obligation o;
  o.kind = kind;
  o.failing = failing;
  o.position = position_++;
  o.both = two;
  o.place = place;
  obligations.push_back(std::move(o));
  return &obligations.back();
}

// ---- instructions ------------------------------------------------------------------------------------------

void Execution::instruction(Activation& a, const Instruction& in, Pair guard, Mode mode) {
  const auto result_type = [&]() { return a.f->value(in.results[0]).type; };
  if (const auto* c = std::get_if<Compute>(&in.action)) {
    if (c->op == Op::any) {
      set(a, in.results[0], unknown(width(result_type()), "any " + c->note, false));
      return;
    }
    std::vector<Pair> pairs;
    for (ValueId o : c->operands) pairs.push_back(get(a, o));
    Pair r;
    for (const int t : {0, 1}) {
      std::vector<Term> operands;
      for (const Pair& p : pairs) operands.push_back(p[static_cast<size_t>(t)]);
      if (c->op == Op::old || c->op == Op::return_value)
        r[static_cast<size_t>(t)] = c->op == Op::old ? pure(a, in.results[0], t, mode, &a.entry_memory)
                                                     : memory.any(width(result_type()));  // known at the end only
      else
        r[static_cast<size_t>(t)] = compute(a, *c, result_type(), operands, t, mode, pairs);
    }
    if (pairs.size() == 2 && (mode.log || mode.check))
      for (const size_t t : k_both) {
        if (c->op == Op::pointer_add)
          promises.offset(pairs[1][t], guard[t], static_cast<int>(t), position_);
        else if (c->op == Op::map_rank)
          rank_exists(pairs[1][t], guard[t], in.place, mode);
        else if (c->no_signed_wrap)
          promises.arithmetic(c->op, pairs[0][t], pairs[1][t], guard[t], static_cast<int>(t), position_);
      }
    set(a, in.results[0], r);
  } else if (const auto* l = std::get_if<Load>(&in.action)) {
    load(a, in, *l, guard, mode);
  } else if (const auto* s = std::get_if<Store>(&in.action)) {
    store(a, in, *s, guard, mode);
  } else if (const auto* at = std::get_if<Atomic>(&in.action)) {
    atomic(a, in, *at, guard, mode);
  } else if (const auto* b = std::get_if<Barrier>(&in.action)) {
    barrier(a, in, *b, guard, mode);
  } else if (const auto* k = std::get_if<Call>(&in.action)) {
    call(a, in, *k, guard, mode);
  } else if (const auto* n = std::get_if<Annotation>(&in.action)) {
    annotation(a, in, *n, guard, mode);
  } else if (const auto* exchanged = std::get_if<WarpExchange>(&in.action)) {
    exchange(a, in, *exchanged, guard, mode);
  } else if (const auto* copy = std::get_if<AsyncCopy>(&in.action)) {
    async_copy(a, in, *copy, guard, mode);
  } else if (const auto* wait = std::get_if<WaitEvents>(&in.action)) {
    wait_events(a, in, *wait, guard, mode);
  } else if (const auto* effect = std::get_if<Frame>(&in.action)) {
    frame(a, in, *effect, guard, mode);
  } else if (std::holds_alternative<BarrierInvariant>(in.action)) {
    a.barrier_invariants.push_back(&in);
  } else if (std::holds_alternative<ReadPermission>(in.action)) {
    // The reads of a barrier invariant are logged as such; no permission is taken for granted.
  } else if (const auto* ghost = std::get_if<Snapshot>(&in.action)) {
    snapshot(a, *ghost, guard);
  } else if (const auto* orders = std::get_if<Fence>(&in.action)) {
    // Orders, but no one waits.
    ++position_;
    if (!lock_values_.empty() || tickets_possible_ || messages_possible_ || updates_possible_)
      trace.fences.push_back(
          {position_++, guard, orders->scope, orders->local, orders->global, orders->order, !loops_around_.empty()});
  } else {
    static constexpr const char* k_names[] = {"",
                                              "",
                                              "",
                                              "",
                                              "",
                                              "",
                                              "",
                                              "",
                                              "asynchronous group copy",
                                              "waiting for asynchronous copies",
                                              "",
                                              "",
                                              "barrier invariant",
                                              "read permission",
                                              "array snapshot",
                                              "effects of a specification function"};
    unsupported.insert(k_names[in.action.index()]);
    for (ValueId r : in.results) set(a, r, unknown(width(a.f->value(r).type), "unsupported", false));
  }
}

}  // namespace fencepost::prove
