// Segments in a row: jumps and labels.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/lower.h"
#include "spirv/tidy.h"

namespace fencepost::spirv {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using T = term::Op;

namespace {

class Writer {
 public:
  explicit Writer(std::vector<prog::Register> registers) { t_.registers = std::move(registers); }

  prog::LabelId label(std::string name) {
    t_.labels.push_back({std::move(name), 0});
    return static_cast<prog::LabelId>(t_.labels.size() - 1);
  }
  void put(std::vector<Instr> code) {
    for (Instr& i : code) t_.code.push_back(std::move(i));
  }
  void place(prog::LabelId l, const Span& span) { add(Kind::label, "", l, {}, span); }
  void jump(prog::LabelId l, const Span& span) { add(Kind::jump, "goto", l, {}, span); }
  void branch(Expr when, prog::LabelId l, const Span& span) { add(Kind::branch, "if", l, std::move(when), span); }

  const std::vector<Instr>& code() const { return t_.code; }
  prog::Template finish() { return tidied(std::move(t_)); }

 private:
  void add(Kind kind, const char* mnemonic, prog::LabelId l, Expr value, const Span& span) {
    Instr i;
    i.kind = kind;
    i.mnemonic = mnemonic;
    i.label = l;
    i.value = std::move(value);
    i.span = span;
    t_.code.push_back(std::move(i));
  }

  prog::Template t_;
};

Expr negated(const Expr& e) { return term::unary(T::not_, e); }

}  // namespace

prog::Template Lowering::linear() {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Instr>> edges, threaded;
  std::vector<uint32_t> order;
  for (const uint32_t s : flow_.order) {
    if (!states_[s].done) continue;
    order.push_back(s);
    for (const Way& w : states_[s].ways) edges[{s, w.to}] = edge_code(s, w.to);
  }
  // A way into a segment without code, which the copies on the way decide, goes on to where that segment goes.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> goal;
  for (const uint32_t s : order)
    for (const Way& w : states_[s].ways) {
      std::map<uint64_t, Expr> known;
      std::vector<Instr> copies;
      uint32_t to = w.to;
      const auto follow = [&](uint32_t from, uint32_t next) {
        for (const Instr& i : edges[{from, next}]) {
          copies.push_back(i);
          if (i.kind != Kind::local) {
            if (i.dst != k_none) known.erase(i.dst);
            continue;
          }
          const Expr v = term::substitute(i.value, [&](uint64_t x, uint8_t) {
            const auto it = known.find(x);
            return it == known.end() ? Expr{} : it->second;
          });
          if (v.is_const())
            copies.back().value = known[i.dst] = v;
          else
            known.erase(i.dst);
        }
      };
      follow(s, to);
      for (int steps = 0; steps < 64 && states_[to].code.empty() && !states_[to].ways.empty(); ++steps) {
        const Way* taken = nullptr;
        for (const Way& x : states_[to].ways) {
          if (!x.when) {
            taken = &x;
            break;
          }
          const Expr c = term::substitute(x.when, [&](uint64_t v, uint8_t) {
            const auto it = known.find(v);
            return it == known.end() ? Expr{} : it->second;
          });
          if (c.is_const(0)) continue;
          taken = c.is_const(1) ? &x : nullptr;
          break;
        }
        if (taken == nullptr) break;
        const uint32_t from = to;
        to = taken->to;
        follow(from, to);
      }
      goal[{s, w.to}] = to;
      if (to != w.to) threaded[{s, w.to}] = std::move(copies);
    }
  for (auto& [edge, copies] : threaded) edges[edge] = std::move(copies);
  std::set<uint32_t> reached = {flow_.frames[0].entry};
  for (std::vector<uint32_t> work = {flow_.frames[0].entry}; !work.empty();) {
    const uint32_t s = work.back();
    work.pop_back();
    for (const Way& w : states_[s].ways)
      if (const uint32_t to = goal.at({s, w.to}); reached.insert(to).second) work.push_back(to);
  }
  std::erase_if(order, [&](uint32_t s) { return !reached.contains(s); });

  Writer out(t_.registers);
  std::map<uint32_t, prog::LabelId> labels;
  const auto name = [&](uint32_t s) {
    return flow_.frames[flow_.segments[s].frame].path + m_.name(flow_.segments[s].block->label);
  };
  for (const uint32_t s : order) labels[s] = out.label(name(s));
  const prog::LabelId end = out.label("end");
  for (size_t k = 0; k < order.size(); ++k) {
    const uint32_t s = order[k];
    const uint32_t next = k + 1 < order.size() ? order[k + 1] : k_nowhere;
    State& st = states_[s];
    const Segment& g = flow_.segments[s];
    const Span& span = g.block->code[g.end == 0 ? 0 : g.end - 1]->span;
    out.place(labels[s], g.block->code[g.begin < g.block->code.size() ? g.begin : 0]->span);
    out.put(std::move(st.code));
    if (st.ways.empty()) {
      if (next != k_nowhere) out.jump(end, span);
      continue;
    }
    const auto follow = [&](const Way& w, bool last) {  // the copies of a way, and the jump
      out.put(edges[{s, w.to}]);
      if (const uint32_t to = goal[{s, w.to}]; !last || to != next) out.jump(labels[to], span);
    };
    const Way& otherwise = st.ways.back();
    if (st.ways.size() == 2) {
      const Way& way = st.ways.front();
      const bool plain = edges[{s, way.to}].empty(), plain_else = edges[{s, otherwise.to}].empty();
      if (plain_else && (!plain || goal[{s, way.to}] == next)) {
        out.branch(negated(way.when), labels[goal[{s, otherwise.to}]], span);
        follow(way, true);
        continue;
      }
    }
    std::vector<std::pair<prog::LabelId, const Way*>> later;
    for (size_t n = 0; n + 1 < st.ways.size(); ++n) {
      const Way& w = st.ways[n];
      if (edges[{s, w.to}].empty()) {
        out.branch(w.when, labels[goal[{s, w.to}]], span);
      } else {
        later.push_back({out.label(name(s) + "." + name(w.to)), &w});
        out.branch(w.when, later.back().first, span);
      }
    }
    follow(otherwise, later.empty());
    for (size_t n = 0; n < later.size(); ++n) {
      out.place(later[n].first, span);
      follow(*later[n].second, n + 1 == later.size());
    }
  }
  // A barrier waits for every invocation of its scope, also for those that no way leads to it: the code mentions it.
  std::set<std::string> mentioned;
  for (const Instr& i : out.code())
    if (i.kind == Kind::barrier) mentioned.insert(i.barrier.instance);
  std::vector<Instr> missing;
  for (const Frame& f : flow_.frames)
    for (const Block& b : f.function->blocks)
      for (const Instruction* i : b.code) {
        const auto it = flow_.barriers.find(i);
        if (it == flow_.barriers.end() || !mentioned.insert(fmt::format("{}b{}", f.path, it->second)).second) continue;
        const bool subgroup =
            c_.has(i->word(0)) && c_.whole(i->word(0), *i) == static_cast<uint64_t>(spv::Scope::Subgroup);
        Instr in;
        in.kind = Kind::barrier;
        in.mnemonic = "OpControlBarrier";
        in.span = i->span;
        in.barrier.instance = fmt::format("{}b{}", f.path, it->second);
        in.barrier.level = subgroup ? 3 : 2;
        missing.push_back(std::move(in));
      }
  if (!missing.empty()) {
    out.jump(end, m_.entry().at->span);
    out.put(std::move(missing));
  }
  out.place(end, m_.entry().at->span);
  return out.finish();
}

}  // namespace fencepost::spirv
