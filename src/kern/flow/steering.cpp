#include "flow/steering.h"

#include <algorithm>

#include "flow/effects.h"

namespace fencepost::flow {

using namespace ir;

// Backwards: from conditions to what they are made of, until nothing is added.
std::vector<uint8_t> steering(const Module& m, const std::vector<uint8_t>& reached) {
  std::vector<uint8_t> regions(m.regions.size());
  std::vector<std::vector<uint8_t>> values(m.functions.size());
  std::vector<std::vector<uint8_t>> results(m.functions.size());
  for (size_t f = 0; f < m.functions.size(); ++f) {
    values[f].resize(m.functions[f].values.size());
    results[f].resize(m.functions[f].results.size());
  }
  bool again = true;
  for (size_t f = 0; f < m.functions.size(); ++f) {
    if (reached[f] == 0) continue;
    const auto mark = [&](ValueId v) { values[f][v.index] = 1; };
    for (const Block& b : m.functions[f].blocks) {
      for (const Instruction& in : b.instructions)
        if (const auto* n = std::get_if<Annotation>(&in.action))
          mark(n->condition);
        else if (const auto* i = std::get_if<BarrierInvariant>(&in.action))
          mark(i->condition);
      if (const auto* br = std::get_if<Branch>(&b.terminator)) mark(br->condition);
      if (const auto* s = std::get_if<Switch>(&b.terminator)) mark(s->value);
    }
  }
  while (again) {
    again = false;
    const auto set = [&](uint8_t& x) {
      again = again || x == 0;
      x = 1;
    };
    for (size_t f = 0; f < m.functions.size(); ++f) {
      if (reached[f] == 0) continue;
      const Function& fn = m.functions[f];
      const auto marked = [&](ValueId v) { return values[f][v.index] != 0; };
      const auto mark = [&](ValueId v) { set(values[f][v.index]); };
      // Parameters: one number for all values that stand for the same one.
      std::vector<uint8_t> parameters(fn.parameters.size());
      for (uint32_t v = 0; v < fn.values.size(); ++v)
        if (fn.values[v].kind == Value::parameter && values[f][v] != 0 && fn.values[v].index < parameters.size())
          parameters[fn.values[v].index] = 1;
      // Callers give what parameters are made of.
      for (size_t g = 0; g < m.functions.size(); ++g) {
        if (reached[g] == 0) continue;
        for (const Block& b : m.functions[g].blocks)
          for (const Instruction& in : b.instructions)
            if (const auto* c = std::get_if<Call>(&in.action))
              for (const FunctionId target : targets(*c))
                if (target.index == f)
                  for (size_t i = 0; i < std::min(c->arguments.size(), parameters.size()); ++i)
                    if (parameters[i] != 0) set(values[g][c->arguments[i].index]);
      }
      for (const Block& b : fn.blocks) {
        for (const Instruction& in : b.instructions) {
          bool wanted = false;
          for (const ValueId r : in.results) wanted = wanted || marked(r);
          if (const auto* l = std::get_if<Load>(&in.action)) {
            if (wanted)
              for (const RegionId r : l->access.regions) set(regions[r.index]);
          } else if (const auto* at = std::get_if<Atomic>(&in.action)) {
            for (const RegionId r : at->access.regions) {
              if (wanted) set(regions[r.index]);
              if (regions[r.index] != 0)
                for (const ValueId v : at->operands) mark(v);
            }
          } else if (const auto* s = std::get_if<Store>(&in.action)) {
            for (const RegionId r : s->access.regions)
              if (regions[r.index] != 0) mark(s->value);
          } else if (const auto* copy = std::get_if<AsyncCopy>(&in.action)) {
            for (const RegionId to : copy->destination.regions)
              if (regions[to.index] != 0)
                for (const RegionId from : copy->source.regions) set(regions[from.index]);
          } else if (const auto* c = std::get_if<Call>(&in.action)) {
            for (size_t i = 0; i < in.results.size(); ++i)
              if (marked(in.results[i]))
                for (const FunctionId target : targets(*c))
                  if (i < results[target.index].size()) set(results[target.index][i]);
            if (wanted)
              for (const FunctionId target : targets(*c))
                if (!m.functions[target.index].body)
                  for (const ValueId v : c->arguments) mark(v);
          } else if (wanted) {
            for_each_operand(in.action, mark);
          }
        }
        if (const auto* r = std::get_if<Return>(&b.terminator))
          for (size_t i = 0; i < std::min(r->values.size(), results[f].size()); ++i)
            if (results[f][i] != 0) mark(r->values[i]);
      }
    }
  }
  return regions;
}

}  // namespace fencepost::flow
