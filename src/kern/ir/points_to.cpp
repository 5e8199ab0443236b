#include "ir/points_to.h"

#include <algorithm>
#include <set>
#include <type_traits>

namespace fencepost::ir {
namespace {

// A target is a region, or a function (numbered behind the regions).
using Set = std::set<uint32_t>;

class Solver {
 public:
  explicit Solver(Module& m) : m_(m), regions_(static_cast<uint32_t>(m.regions.size())) {
    uint32_t next = regions_;  // node r < regions_: the contents of region r
    for (const Function& f : m.functions) {
      first_.push_back(next);
      next += static_cast<uint32_t>(f.values.size());
      result_.push_back(next);
      next += static_cast<uint32_t>(f.results.size());
    }
    sets_.resize(next);
    edges_.resize(next);
    loads_.resize(next);
    stores_.resize(next);
    calls_.resize(next);
  }

  void run() {
    for (uint32_t r = 0; r < regions_; ++r)
      for (const InitialPointer& p : m_.regions[r].pointers) {
        if (p.target) add(r, p.target.index);
        if (p.function) add(r, regions_ + p.function.index);
      }
    unknown_tables();
    for (uint32_t f = 0; f < m_.functions.size(); ++f) gather(f);
    while (!todo_.empty()) {
      const uint32_t n = todo_.back();
      todo_.pop_back();
      queued_.erase(n);
      const Set now = sets_[n];
      for (const uint32_t t : now) {
        if (t < regions_) {
          for (const uint32_t to : loads_[n]) edge(t, to);
          for (const uint32_t from : stores_[n]) edge(from, t);
        } else {
          for (const auto& [f, c, results] : calls_[n]) bind(f, c, results, t - regions_);
        }
      }
      for (const uint32_t to : edges_[n])
        for (const uint32_t t : now) add(to, t);
    }
    for (uint32_t f = 0; f < m_.functions.size(); ++f)
      for (Block& b : m_.functions[f].blocks)
        for (Instruction& i : b.instructions) write_back(f, i);
  }

 private:
  uint32_t node(uint32_t f, ValueId v) const { return first_[f] + v.index; }

  // Arrays that the host fills may hold addresses of functions: of any whose address the program takes. Calls through
  // them have these as targets if their types fit; that it is no other function is for the prover to show.
  void unknown_tables() {
    Set taken;
    for (const Function& f : m_.functions)
      for (const Value& v : f.values)
        if (v.kind == Value::function_address) taken.insert(regions_ + v.function.index);
    for (const Region& r : m_.regions)
      for (const InitialPointer& p : r.pointers)
        if (p.function) taken.insert(regions_ + p.function.index);
    for (uint32_t r = 0; r < regions_; ++r)
      if (const Region& region = m_.regions[r];
          region.contents == Contents::unknown && (region.space == Space::global || region.space == Space::constant))
        for (const uint32_t t : taken) add(r, t);
  }

  void add(uint32_t n, uint32_t target) {
    if (sets_[n].insert(target).second && queued_.insert(n).second) todo_.push_back(n);
  }
  void edge(uint32_t from, uint32_t to) {
    if (from == to || !edges_[from].insert(to).second) return;
    for (const uint32_t t : Set(sets_[from])) add(to, t);
  }
  void again(uint32_t n) {
    if (!sets_[n].empty() && queued_.insert(n).second) todo_.push_back(n);
  }

  void bind(uint32_t f, const Call* c, const std::vector<ValueId>* results, uint32_t callee) {
    const Function& g = m_.functions[callee];
    if (g.parameters.size() != c->arguments.size() || g.results.size() != results->size()) return;
    for (uint32_t v = 0; v < g.values.size(); ++v)
      if (g.values[v].kind == Value::parameter) edge(node(f, c->arguments[g.values[v].index]), first_[callee] + v);
    for (uint32_t k = 0; k < results->size(); ++k) edge(result_[callee] + k, node(f, (*results)[k]));
  }

  void gather(uint32_t f) {
    Function& g = m_.functions[f];
    for (uint32_t v = 0; v < g.values.size(); ++v) {
      const Value& x = g.values[v];
      if (x.kind == Value::region_address) add(first_[f] + v, x.region.index);
      if (x.kind == Value::function_address) add(first_[f] + v, regions_ + x.function.index);
      if (x.kind == Value::parameter && g.parameters[x.index].region)
        add(first_[f] + v, g.parameters[x.index].region.index);
      // A kernel's parameter that points to no data points to a function: any.
      if (x.kind == Value::parameter && g.kernel && x.type.kind == Type::pointer && !g.parameters[x.index].region)
        for (uint32_t k = 0; k < m_.functions.size(); ++k)
          if (m_.functions[k].body && !m_.functions[k].kernel && !m_.functions[k].axiom)
            add(first_[f] + v, regions_ + k);
    }
    for (Block& b : g.blocks) {
      for (const Instruction& i : b.instructions) gather(f, i);
      if (const auto* r = std::get_if<Return>(&b.terminator))
        for (uint32_t k = 0; k < r->values.size(); ++k) edge(node(f, r->values[k]), result_[f] + k);
    }
  }

  void reads(uint32_t f, const Access& a, ValueId into) {
    loads_[node(f, a.pointer)].push_back(node(f, into));
    again(node(f, a.pointer));
  }
  void writes(uint32_t f, const Access& a, ValueId from) {
    stores_[node(f, a.pointer)].push_back(node(f, from));
    again(node(f, a.pointer));
  }

  void gather(uint32_t f, const Instruction& i) {
    if (const auto* p = std::get_if<Phi>(&i.action)) {
      for (const Phi::Entry& e : p->entries) edge(node(f, e.value), node(f, i.results[0]));
    } else if (const auto* c = std::get_if<Compute>(&i.action)) {
      const size_t first = c->op == Op::ite ? 1 : 0;
      // An address may be cut and joined on its way; a comparison carries none.
      if (m_.functions[f].value(i.results[0]).type.width > 1)
        for (size_t k = first; k < c->operands.size(); ++k) edge(node(f, c->operands[k]), node(f, i.results[0]));
    } else if (const auto* l = std::get_if<Load>(&i.action)) {
      reads(f, l->access, i.results[0]);
    } else if (const auto* s = std::get_if<Store>(&i.action)) {
      writes(f, s->access, s->value);
    } else if (const auto* a = std::get_if<Atomic>(&i.action)) {
      if (!i.results.empty()) reads(f, a->access, i.results[0]);
      for (const ValueId v : a->operands) writes(f, a->access, v);
    } else if (const auto* w = std::get_if<WarpExchange>(&i.action)) {
      if (!i.results.empty())
        for (const ValueId v : w->operands) edge(node(f, v), node(f, i.results[0]));
    } else if (const auto* call = std::get_if<Call>(&i.action)) {
      if (call->callee) {
        bind(f, call, &i.results, call->callee.index);
      } else {
        calls_[node(f, call->pointer)].push_back({f, call, &i.results});
        again(node(f, call->pointer));
      }
    }
  }

  void fill(uint32_t f, Access& a) {
    a.regions.clear();
    for (const uint32_t t : sets_[node(f, a.pointer)])
      if (t < regions_) a.regions.push_back({t});
  }

  void write_back(uint32_t f, Instruction& i) {
    std::visit(
        [&](auto& x) {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, Load> || std::is_same_v<T, Store> || std::is_same_v<T, Atomic> ||
                        std::is_same_v<T, ReadPermission> || std::is_same_v<T, Frame>) {
            fill(f, x.access);
          } else if constexpr (std::is_same_v<T, AsyncCopy> || std::is_same_v<T, Snapshot>) {
            fill(f, x.destination);
            fill(f, x.source);
          } else if constexpr (std::is_same_v<T, Call>) {
            if (x.callee) return;
            x.targets.clear();
            for (const uint32_t t : sets_[node(f, x.pointer)]) {
              if (t < regions_) continue;
              const Function& g = m_.functions[t - regions_];
              bool fits = g.parameters.size() == x.arguments.size() && g.results.size() == i.results.size();
              for (size_t k = 0; fits && k < x.arguments.size(); ++k)
                fits = g.parameters[k].type == m_.functions[f].value(x.arguments[k]).type;
              for (size_t k = 0; fits && k < i.results.size(); ++k)
                fits = g.results[k] == m_.functions[f].value(i.results[k]).type;
              if (fits) x.targets.push_back({t - regions_});
            }
          }
        },
        i.action);
  }

  struct Site {
    uint32_t function;
    const Call* call;
    const std::vector<ValueId>* results;
  };

  Module& m_;
  uint32_t regions_;
  std::vector<uint32_t> first_, result_;
  std::vector<Set> sets_, edges_;
  std::vector<std::vector<uint32_t>> loads_, stores_;
  std::vector<std::vector<Site>> calls_;
  std::vector<uint32_t> todo_;
  std::set<uint32_t> queued_;
};

}  // namespace

void resolve_pointers(Module& m) { Solver(m).run(); }

}  // namespace fencepost::ir
