// Calls: functions with a body are run in their place, others are what their contract says; any target of a pointer.
#include <fmt/format.h>

#include <string_view>

#include "ir/assembly.h"
#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

namespace {

constexpr uint32_t k_call_depth = 48;
constexpr std::string_view k_uninterpreted = "__uninterpreted_function_";  // DECLARE_UF_*

}  // namespace

// A function that is only a contract: what it requires is shown, what it ensures is taken from it.
bool specification(const Function& f) { return f.name.starts_with("__spec_"); }

// Such a function accesses any part of what it names, and leaves any contents there.
void Execution::frame(Activation& a, const Instruction& in, const Frame& f, Pair guard, Mode mode) {
  const Pair p = get(a, f.access.pointer);
  const Pair offset = unknown(pointers.offset_bits, "somewhere", false);
  const Pair pointer{pool_.concat(base_of(p[0]), offset[0]), pool_.concat(base_of(p[1]), offset[1])};
  ++position_;
  // What the contract ensures of its accesses is said of the one that is tracked; the others are like it.
  const Pair chosen = track(f.kind, f.access, guard, pointer, mode);
  a.frames.push_back({&f, in.place, all(guard, chosen), pointer});
  if (f.kind == AccessKind::read) return;
  for (RegionId r : f.access.regions) {
    masters.forget(r);
    if (!memory.adversarial(r)) memory.forget(r, guard, mode.lockstep);
  }
}

void Execution::call(Activation& a, const Instruction& in, const Call& c, Pair guard, Mode mode) {
  std::vector<Pair> merged;
  for (ValueId r : in.results) merged.push_back(unknown(width(a.f->value(r).type), "result", false));
  Pair none = guard;
  Pair after = both(pool_.no());
  bool first = true;
  for (FunctionId target : flow::targets(c)) {
    Pair g = guard;
    if (!c.callee) {
      const Pair p = get(a, c.pointer);
      const Term address = pool_.constant(k_function_base + target.index, 16);
      for (const size_t t : k_both) {
        const Term hit = pool_.eq(base_of(p[t]), address);
        none[t] = pool_.all(none[t], pool_.not_(hit));
        g[t] = pool_.all(g[t], hit);
      }
    }
    if (never(g)) continue;
    const Function& f = m_.function(target);
    std::vector<Pair> results;
    Pair returned = g;
    if (!f.body) {
      const auto assembly = assembly_effect(f);
      if (assembly && assembly->kind == "barrier") {
        const std::string_view what = assembly->instruction, name = what.substr(0, what.find(' '));
        std::vector<Pair> operands;
        for (const ValueId v : c.arguments) operands.push_back(get(a, v));
        mbarriers_.announce(std::string(name), std::string(what.substr(name.size())), std::move(operands));
        // What it orders is not used.
        if (name != "mbarrier.init" && name != k_arrive_and_wait) perhaps = fmt::format("'{}'", name);
      }
      if (assembly && (assembly->kind == "waits" || assembly->kind == "unfollowed")) {
        const std::string quoted = "'" + std::string(assembly->instruction) + "'";
        perhaps = quoted;
        if (assembly->kind == "unfollowed") unsupported.insert("what " + quoted + " does to memory");
      }
      if (!options_.bodiless && !assembly && !f.name.starts_with(k_uninterpreted) && !specification(f))
        unsupported.insert("the function '" + f.name + "', which has no body");
      for (const Block& b : f.blocks)
        for (const Instruction& i : b.instructions)
          if (!std::holds_alternative<Compute>(i.action))
            unsupported.insert("a contract of the bodiless function " + f.name);
      if (f.name.starts_with(k_uninterpreted)) {
        // Of nothing but its arguments.
        const std::string name = "function " + f.name.substr(k_uninterpreted.size());
        for (const Type& type : f.results) {
          Pair r;
          for (const size_t t : k_both) {
            std::vector<Term> arguments;
            for (ValueId v : c.arguments) arguments.push_back(get(a, v)[t]);
            r[t] =
                floating(name + (results.empty() ? "" : "." + std::to_string(results.size())), width(type), arguments);
          }
          results.push_back(r);
        }
      } else {
        for (const Type& t : f.results) results.push_back(unknown(width(t), "result of " + f.name, false));
      }
    } else if (effects_.function(target).recursive || a.depth >= k_call_depth) {
      unsupported.insert("recursion through " + f.name);
      for (const Type& t : f.results) results.push_back(unknown(width(t), "result of " + f.name, false));
    } else {
      Activation inner;
      inner.id = target;
      inner.f = &f;
      inner.depth = a.depth + 1;
      inner.call = in.place;
      inner.path = a.path + "/" + f.symbol;
      inner.values.resize(f.values.size());
      std::vector<uint8_t> uniform;
      for (ValueId v : c.arguments) {
        const Pair p = get(a, v);
        const Instruction* def = a.recurrences->definition(v);
        // Addresses and parameters have what the analysis says, constants are the same for all.
        const bool address = a.f->value(v).type.kind == Type::pointer;
        uniform.push_back(def == nullptr && !address ? (p[0] == p[1] ? 1 : 0) : a.uniform.values[v.index]);
      }
      if (mode.check) {
        std::vector<Pair> arguments;
        for (ValueId v : c.arguments) arguments.push_back(get(a, v));
        note_call(f, target, arguments);
      }
      for (uint32_t x = 0; x < f.values.size(); ++x)
        if (f.values[x].kind == Value::parameter && f.values[x].index < c.arguments.size())
          inner.values[x] = get(a, c.arguments[f.values[x].index]);
      inner.uniform = flow::uniformity(
          m_, effects_, target, entry_, uniform,
          pairing_ == Pairing::same_group ? flow::Threads::of_group : flow::Threads::of_grid, options_.launch);
      function(inner, g, mode, results, returned);
    }
    for (size_t i = 0; i < results.size() && i < merged.size(); ++i)
      merged[i] = first && c.callee ? results[i]
                                    : Pair{pool_.ite(g[0], results[i][0], merged[i][0]),
                                           pool_.ite(g[1], results[i][1], merged[i][1])};
    for (const size_t t : k_both) after[t] = pool_.any(after[t], returned[t]);
    first = false;
  }
  for (size_t i = 0; i < in.results.size(); ++i) set(a, in.results[i], merged[i]);
  if (c.callee) {
    a.guard = after;
  } else {
    ++position_;
    // Memory that nothing is known of may hold the address of a function, and then the call is no defect.
    if (c.targets.empty() && a.f->value(c.pointer).kind == Value::result)
      unsupported.insert("a call through a pointer that may lead to no function of this file");
    else
      oblige(Kind::null_pointer, none[0], in.place, false, mode);
    for (const int t : {0, 1}) fact(pool_.yes(), pool_.not_(none[static_cast<size_t>(t)]), t);
  }
}

}  // namespace fencepost::prove
