#include "flow/uniform.h"

#include <algorithm>

namespace fencepost::flow {
namespace {

using namespace ir;

class Analysis {
 public:
  Analysis(const Module& m, const Effects& effects, FunctionId id, FunctionId root, Threads threads,
           const Launch& launch, int depth)
      : m_(m),
        effects_(effects),
        id_(id),
        root_(root),
        f_(m.function(id)),
        cfg_(effects.cfg(id)),
        threads_(threads),
        launch_(launch),
        depth_(depth) {}

  Uniformity run(const std::vector<uint8_t>& parameters) {
    u_.values.assign(f_.values.size(), 1);
    u_.branches.assign(f_.blocks.size(), 1);
    u_.loops.assign(cfg_.loops().size(), 1);
    joins_.assign(f_.blocks.size(), 1);
    for (size_t v = 0; v < f_.values.size(); ++v) {
      const Value& value = f_.values[v];
      if (value.kind == Value::parameter) u_.values[v] = value.index < parameters.size() ? parameters[value.index] : 0;
      if (value.kind == Value::region_address && own_object(m_.region(value.region), threads_)) u_.values[v] = k_own;
    }
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (BlockId b : cfg_.reverse_postorder()) block(b);
    }
    for (const Block& b : f_.blocks)
      if (const auto* r = std::get_if<Return>(&b.terminator))
        for (ValueId v : r->values) u_.results = u_.results && uniform(v) && !own(v);
    // Which return is reached may differ between threads.
    size_t returns = 0;
    bool all_branches = true;
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      returns += std::holds_alternative<Return>(f_.blocks[b].terminator) ? 1 : 0;
      all_branches = all_branches && u_.branches[b] != 0;
    }
    if (returns > 1 && !all_branches) u_.results = false;
    return u_;
  }

 private:
  bool uniform(ValueId v) const { return u_.values[v.index] != 0; }
  bool own(ValueId v) const { return u_.values[v.index] == k_own; }
  void diverge(uint8_t& flag) {
    if (flag == 0) return;
    flag = 0;
    changed_ = true;
  }
  bool all_uniform(const std::vector<ValueId>& vs) const {
    return std::all_of(vs.begin(), vs.end(), [&](ValueId v) { return uniform(v); });
  }

  bool compute(const Compute& c) const {
    switch (c.op) {
      case Op::any:
      case Op::other:
      case Op::enabled:
      case Op::dominator_enabled:
      case Op::accessed:
      case Op::access_offset:
      case Op::taken_value:
      case Op::bits_to_pointer:
        return false;
      case Op::map_rank:  // of another object for each group
        return threads_ == Threads::of_group && all_uniform(c.operands);
      case Op::id:
        switch (static_cast<IdKind>(c.imm)) {
          case IdKind::local_id:
            return launch_.local_size[c.dimension] == 1;
          case IdKind::group_id:
          case IdKind::cluster_rank:
            return threads_ == Threads::of_group || launch_.num_groups[c.dimension] == 1;
          case IdKind::lane:
          case IdKind::warp:
            return false;
          default:
            return true;
        }
      case Op::pointer_to_bits:
        return uniform(c.operands[0]) && !own(c.operands[0]);
      case Op::pointer_eq:
      case Op::pointer_ult: {
        // Two places of each thread's own objects compare alike for all; one of them and a common address need not.
        const auto apart = [&](ValueId v) { return !own(v) && !null(v); };
        const bool some = own(c.operands[0]) || own(c.operands[1]);
        return all_uniform(c.operands) && !(some && (apart(c.operands[0]) || apart(c.operands[1])));
      }
      default:
        return all_uniform(c.operands);
    }
  }
  bool null(ValueId v) const { return f_.value(v).kind == Value::constant && f_.value(v).constant_bits == 0; }

  // Does the result point to an object of each thread's own, if all threads point to the same place of theirs?
  bool owns(const Instruction& in) const {
    if (f_.value(in.results[0]).type.kind != Type::pointer) return false;
    if (const auto* p = std::get_if<Phi>(&in.action))
      return std::any_of(p->entries.begin(), p->entries.end(), [&](const Phi::Entry& e) { return own(e.value); });
    const auto* c = std::get_if<Compute>(&in.action);
    return c != nullptr && std::any_of(c->operands.begin(), c->operands.end(), [&](ValueId v) { return own(v); });
  }

  bool load(const Load& l) const {
    if (!uniform(l.access.pointer) || l.access.is_volatile) return false;
    const FunctionEffects& e = effects_.function(root_);
    for (RegionId r : l.access.regions) {
      const Region& region = m_.region(r);
      if (e.writes[r.index] != 0 || e.atomics[r.index] != 0) return false;
      if (region.space == Space::private_) return false;
      if (region.space == Space::group && threads_ == Threads::of_grid) return false;
    }
    return true;
  }

  bool call(const Call& c) const {
    if (!c.callee || depth_ > 16) return false;
    const Function& callee = m_.function(c.callee);
    if (!callee.body || effects_.function(c.callee).recursive) return false;
    std::vector<uint8_t> arguments;
    for (ValueId v : c.arguments) arguments.push_back(u_.values[v.index]);
    return Analysis(m_, effects_, c.callee, root_, threads_, launch_, depth_ + 1).run(arguments).results;
  }

  void block(BlockId b) {
    const Block& blk = f_.blocks[b.index];
    for (const Instruction& in : blk.instructions) {
      if (in.results.empty()) continue;
      bool ok = false;
      if (const auto* p = std::get_if<Phi>(&in.action)) {
        ok = joins_[b.index] != 0;
        for (const Phi::Entry& e : p->entries) ok = ok && uniform(e.value);
      } else if (const auto* c = std::get_if<Compute>(&in.action)) {
        ok = compute(*c);
      } else if (const auto* l = std::get_if<Load>(&in.action)) {
        ok = load(*l);
      } else if (const auto* k = std::get_if<Call>(&in.action)) {
        ok = call(*k);
      }
      if (!ok)
        for (ValueId r : in.results) diverge(u_.values[r.index]);
      else if (owns(in) && u_.values[in.results[0].index] == 1) {
        u_.values[in.results[0].index] = k_own;
        changed_ = true;
      }
    }
    bool same = true;
    for_each_operand(blk.terminator, [&](ValueId v) {
      if (!std::holds_alternative<Return>(blk.terminator)) same = same && uniform(v);
    });
    if (!same && u_.branches[b.index] != 0) {
      diverge(u_.branches[b.index]);
      spread(b);
    }
  }

  // The branch at the end of `b` may part the threads: until its postdominator every join may be reached from
  // different sides, and a loop that has an exit among those edges is left in different iterations.
  void spread(BlockId b) {
    const BlockId end = cfg_.immediate_postdominator(b);
    std::vector<uint8_t> seen(f_.blocks.size());
    std::vector<BlockId> todo = successors(f_.blocks[b.index].terminator);
    while (!todo.empty()) {
      const BlockId x = todo.back();
      todo.pop_back();
      if (seen[x.index] != 0) continue;
      seen[x.index] = 1;
      if (cfg_.predecessors(x).size() > 1 && !shut(x, b)) diverge(joins_[x.index]);
      if (x == end) continue;
      for (BlockId s : successors(f_.blocks[x.index].terminator)) todo.push_back(s);
    }
    for (uint32_t l = 0; l < cfg_.loops().size(); ++l) {
      if (!cfg_.in_loop(b, l)) continue;
      // Does some path from b leave the loop before the threads meet again inside it?
      const bool meets_inside = end && cfg_.in_loop(end, l);
      if (meets_inside) {
        bool leaves = false;
        for (BlockId exit : cfg_.loops()[l].exits) leaves = leaves || seen[exit.index] != 0;
        if (!leaves) continue;
      }
      diverge(u_.loops[l]);
      diverge(joins_[cfg_.loops()[l].header.index]);
    }
  }

  // Inside a loop that b is not in: all who are there in one iteration have come through its header, and that from the
  // one block before the loop, or from its latch.
  bool shut(BlockId x, BlockId b) const {
    for (uint32_t l = cfg_.innermost_loop(x); l != ~0u; l = cfg_.loops()[l].parent)
      if (!cfg_.in_loop(b, l)) return true;
    return false;
  }

  const Module& m_;
  const Effects& effects_;
  FunctionId id_, root_;
  const Function& f_;
  const Cfg& cfg_;
  Threads threads_;
  const Launch& launch_;
  int depth_;
  Uniformity u_;
  std::vector<uint8_t> joins_;
  bool changed_ = true;
};

}  // namespace

bool own_object(const Region& r, Threads threads) {
  return r.space == Space::private_ || (r.space == Space::group && threads == Threads::of_grid);
}

Uniformity uniformity(const Module& m, const Effects& effects, FunctionId f, FunctionId root,
                      const std::vector<uint8_t>& parameters, Threads threads, const Launch& launch) {
  return Analysis(m, effects, f, root, threads, launch, 0).run(parameters);
}

}  // namespace fencepost::flow
