#include "encode/symmetry.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "encode/unseen.h"

namespace fencepost::encode {
namespace {

using prog::k_none;

using Cell = std::pair<prog::ObjectId, uint64_t>;

// One permutation of the threads, tried out on everything that could tell them apart.
class Exchange {
 public:
  Exchange(const Skeleton& s, std::vector<uint32_t> image, bool scopes_unseen)
      : s_(s), test_(*s.test), image_(std::move(image)), scopes_unseen_(scopes_unseen) {}

  bool is_automorphism(const std::vector<const prog::Cond*>& questions) {
    if (!scopes_unseen_ && !keeps_scopes()) return false;
    for (uint32_t t = 0; t < image_.size(); ++t)
      if (!same_shape(t, image_[t])) return false;
    map_variables();
    for (uint32_t e = s_.init_events; e < s_.events.size(); ++e)
      if (!event_maps(e)) return false;
    for (uint32_t t = 0; t < image_.size(); ++t)
      if (!thread_maps(t)) return false;
    if (!initial_values_map()) return false;
    return std::all_of(questions.begin(), questions.end(), [&](const prog::Cond* q) { return question_maps(*q); });
  }

 private:
  uint32_t event_image(uint32_t e) const {
    const uint32_t t = s_.events[e].thread;
    return s_.threads[image_[t]].first_event + (e - s_.threads[t].first_event);
  }

  bool keeps_scopes() const {
    const auto& threads = test_.threads;
    // Of two that stay where they are nothing changes.
    const auto stay = [&](uint32_t a, uint32_t b) { return image_[a] == a && image_[b] == b; };
    for (uint32_t a = 0; a < threads.size(); ++a)
      for (uint32_t b = 0; b < threads.size(); ++b)
        for (uint32_t level = 0; level < threads[a].scope.size() && !stay(a, b); ++level)
          if (prog::same_scope(threads[a].scope, threads[b].scope, level) !=
              prog::same_scope(threads[image_[a]].scope, threads[image_[b]].scope, level))
            return false;
    for (uint32_t a = 0; a < threads.size(); ++a)
      for (uint32_t b = 0; b < threads.size(); ++b)
        if (!stay(a, b) && prog::same_scope(threads[a], threads[b], vocab::k_level_cluster) !=
                               prog::same_scope(threads[image_[a]], threads[image_[b]], vocab::k_level_cluster))
          return false;
    // Shared memory belongs to one CTA: an exchange leaves threads in theirs.
    if (std::any_of(test_.objects.begin(), test_.objects.end(), [](const prog::Object& o) { return o.home != k_none; }))
      for (uint32_t t = 0; t < threads.size(); ++t)
        if (!prog::same_scope(threads[t], threads[image_[t]], *vocab::level_of(vocab::Dialect::ptx, "cta")))
          return false;
    for (const auto& [a, b] : test_.ssw)
      if (std::find(test_.ssw.begin(), test_.ssw.end(), std::pair{image_[a], image_[b]}) == test_.ssw.end())
        return false;
    return true;
  }

  // Loops, states of the unrolling and barriers of the code: what needs no terms.
  bool same_shape(uint32_t t, uint32_t u) const {
    if (t == u) return true;
    const SymThread& a = s_.threads[t];
    const SymThread& b = s_.threads[u];
    if (a.last_event - a.first_event != b.last_event - b.first_event || a.exits.size() != b.exits.size() ||
        a.loops.size() != b.loops.size() || a.nodes.size() != b.nodes.size() || !(a.reaches == b.reaches) ||
        a.head_registers.size() != b.head_registers.size() ||
        a.last_variable - a.first_variable != b.last_variable - b.first_variable)
      return false;
    for (size_t k = 0; k < a.loops.size(); ++k)
      if (a.loops[k].from != b.loops[k].from || a.loops[k].to != b.loops[k].to || a.loops[k].live != b.loops[k].live)
        return false;
    for (size_t k = 0; k < a.nodes.size(); ++k)
      if (a.nodes[k].position != b.nodes[k].position || a.nodes[k].counters != b.nodes[k].counters) return false;
    const auto& code = test_.instrs(t);
    const auto& other = test_.instrs(u);
    for (size_t k = 0; k < std::max(code.size(), other.size()); ++k) {
      const prog::Instr none;
      const prog::Instr& x = k < code.size() ? code[k] : none;
      const prog::Instr& y = k < other.size() ? other[k] : none;
      if (x.operation != y.operation || x.awaits != y.awaits) return false;
    }
    std::vector<const prog::Barrier*> mine, theirs;
    for (const prog::Instr& i : test_.instrs(t))
      if (i.kind == prog::Kind::barrier) mine.push_back(&i.barrier);
    for (const prog::Instr& i : test_.instrs(u))
      if (i.kind == prog::Kind::barrier) theirs.push_back(&i.barrier);
    return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                      [](const prog::Barrier* x, const prog::Barrier* y) { return *x == *y; });
  }

  void map_variables() {
    variable_.assign(s_.variables.size(), k_none);
    for (uint32_t t = 0; t < image_.size(); ++t)
      for (uint32_t v = s_.threads[t].first_variable; v < s_.threads[t].last_variable; ++v)
        variable_[v] = s_.threads[image_[t]].first_variable + (v - s_.threads[t].first_variable);
  }

  // `b` is `a` with every variable replaced by its image.
  bool term_maps(const Expr& a, const Expr& b) {
    if (!a || !b) return !a && !b;
    if (a.op() != b.op() || a.width() != b.width()) return false;
    if (a.is_const()) return a.value() == b.value();
    if (a.is_var()) return variable_maps(a.value(), b.value());
    if (a.kids().size() != b.kids().size()) return false;
    if (a.identity() == b.identity() && a.kids().empty()) return true;
    const auto [it, fresh] = compared_.try_emplace({a.identity(), b.identity()}, true);
    if (!fresh) return it->second;
    bool same = true;
    for (size_t k = 0; same && k < a.kids().size(); ++k) same = term_maps(a.kids()[k], b.kids()[k]);
    compared_[{a.identity(), b.identity()}] = same;
    return same;
  }

  bool variable_maps(uint64_t a, uint64_t b) const {
    const Variable& x = s_.variables[a];
    const Variable& y = s_.variables[b];
    if (x.kind != y.kind || x.width != y.width) return false;
    if (x.kind == Variable::Kind::any) return false;  // stands in no term of a thread
    if (variable_[a] != b) return false;
    return x.kind == Variable::Kind::choice || event_image(x.event) == y.event;
  }

  bool bind(const Cell& from, const Cell& to) {
    const auto [there, fresh] = cells_.try_emplace(from, to);
    const auto [back, unused] = back_.try_emplace(to, from);
    return there->second == to && back->second == from;
  }

  bool address_maps(const prog::Address& a, const prog::Address& b) {
    if (a.symbol == k_none || b.symbol == k_none) {  // a computed pointer may go anywhere
      if (a.symbol != b.symbol || !term_maps(a.index, b.index)) return false;
      for (prog::ObjectId o = 0; o < test_.objects.size(); ++o)
        if (!bind_object(o, o)) return false;
      return true;
    }
    const prog::Symbol& x = test_.symbols[a.symbol];
    const prog::Symbol& y = test_.symbols[b.symbol];
    // Different names of one object are told apart by vloc.
    if (a.symbol != b.symbol && !(only_name(a.symbol) && only_name(b.symbol))) return false;
    const auto constant = [](const prog::Address& p) { return !p.index || p.index.is_const(); };
    if (constant(a) && constant(b)) {
      const uint64_t from = a.index ? a.index.value() : 0;
      const uint64_t to = b.index ? b.index.value() : 0;
      const uint64_t end = test_.objects[x.object].init.size();
      if (from >= end || to >= test_.objects[y.object].init.size())
        return from == to && bind_object(x.object, y.object);
      return bind({x.object, from}, {y.object, to});
    }
    return term_maps(a.index, b.index) && bind_object(x.object, y.object);
  }

  bool bind_object(prog::ObjectId from, prog::ObjectId to) {
    if (test_.objects[from].init.size() != test_.objects[to].init.size()) return false;
    for (uint64_t k = 0; k < test_.objects[from].init.size(); ++k)
      if (!bind({from, k}, {to, k})) return false;
    return true;
  }

  bool only_name(prog::SymbolId y) const {
    return std::count_if(test_.symbols.begin(), test_.symbols.end(),
                         [&](const prog::Symbol& s) { return s.object == test_.symbols[y].object; }) == 1;
  }

  bool dependencies_map(const std::vector<Dependency>& a, const std::vector<Dependency>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Dependency& x, const Dependency& y) {
      return event_image(x.load) == y.load && term_maps(x.condition, y.condition);
    });
  }

  bool event_maps(uint32_t e) {
    const SymEvent& a = s_.events[e];
    const SymEvent& b = s_.events[event_image(e)];
    if (a.part != b.part || !(a.tags == b.tags) || !(a.failed_tags == b.failed_tags) || a.read != b.read ||
        a.write != b.write || a.width != b.width || a.node != b.node)
      return false;
    if ((a.partner == k_none) != (b.partner == k_none) || (a.partner != k_none && event_image(a.partner) != b.partner))
      return false;
    if (!term_maps(a.guard, b.guard)) return false;
    if (a.memory() && (!address_maps(a.address, b.address) || !term_maps(a.value, b.value))) return false;
    if ((a.barrier == nullptr) != (b.barrier == nullptr)) return false;
    if (a.barrier != nullptr) {
      if (!(*a.barrier == *b.barrier) || !term_maps(a.barrier_id, b.barrier_id) ||
          !term_maps(a.barrier_quorum, b.barrier_quorum) || !term_maps(a.pass, b.pass))
        return false;
      if (!std::equal(
              a.arrivals.begin(), a.arrivals.end(), b.arrivals.begin(), b.arrivals.end(),
              [&](const Arrival& x, const Arrival& y) { return x.k == y.k && term_maps(x.condition, y.condition); }))
        return false;
    }
    return dependencies_map(a.data, b.data) && dependencies_map(a.addr, b.addr) && dependencies_map(a.ctrl, b.ctrl);
  }

  bool thread_maps(uint32_t t) {
    const SymThread& a = s_.threads[t];
    const SymThread& b = s_.threads[image_[t]];
    for (size_t k = 0; k < a.nodes.size(); ++k)
      if (!term_maps(a.nodes[k].guard, b.nodes[k].guard)) return false;
    for (size_t k = 0; k < a.exits.size(); ++k) {
      const Exit& x = a.exits[k];
      const Exit& y = b.exits[k];
      if (x.kind != y.kind || x.instr != y.instr || x.node != y.node || x.loop != y.loop) return false;
      if (x.kind == Exit::Kind::blocked && event_image(x.barrier_event) != y.barrier_event) return false;
      if (!term_maps(x.guard, y.guard) || !term_maps(x.effect, y.effect)) return false;
    }
    // Unrolled for liveness, the registers at a loop's label are compared with each other.
    for (auto x = a.head_registers.begin(), y = b.head_registers.begin(); x != a.head_registers.end(); ++x, ++y) {
      if (x->first != y->first) return false;
      for (const SymLoop& loop : a.loops) {
        if (loop.from != a.nodes[x->first].position) continue;
        for (size_t r = 0; r < x->second.size(); ++r)
          if (loop.live[r] &&
              (r >= y->second.size() || !(both_constant(a, b, loop, r) || term_maps(x->second[r], y->second[r]))))
            return false;
      }
    }
    return true;
  }

  // Whether, in each of the two threads, register r always has the same value at the loop's label: then comparing it
  // with the other thread's says nothing.
  static bool both_constant(const SymThread& a, const SymThread& b, const SymLoop& loop, size_t r) {
    const auto constant = [&](const SymThread& t) {
      std::optional<uint64_t> value;
      for (const auto& [node, registers] : t.head_registers) {
        if (t.nodes[node].position != loop.from) continue;
        if (!registers[r].is_const() || (value && *value != registers[r].value())) return false;
        value = registers[r].value();
      }
      return true;
    };
    return constant(a) && constant(b);
  }

  bool initial_values_map() {
    for (uint32_t e = 0; e < s_.init_events; ++e) {
      const Cell here{s_.events[e].instr, s_.events[e].cell};
      if (!cells_.contains(here) && !bind(here, here)) return false;
    }
    std::map<Cell, uint32_t> init;
    for (uint32_t e = 0; e < s_.init_events; ++e) init[{s_.events[e].instr, s_.events[e].cell}] = e;
    for (const auto& [from, to] : cells_) {
      if (!init.contains(from) || !init.contains(to)) return false;
      const SymEvent& a = s_.events[init.at(from)];
      const SymEvent& b = s_.events[init.at(to)];
      if (!(a.tags == b.tags) || a.width != b.width) return false;
      const bool free = a.value.is_var() && b.value.is_var();
      if (!free && !(a.value.is_const() && b.value.is_const(a.value.value()))) return false;
      if (free && from == to && a.value.value() != b.value.value()) return false;
    }
    return true;
  }

  // ---- questions ----
  static std::string text(char kind, uint64_t a, uint64_t b) {
    std::string out(1, kind);
    out.append(std::to_string(a)).append(1, '.').append(std::to_string(b));
    return out;
  }

  // As text in which the order of operands does not matter.
  std::optional<std::string> canonical(const prog::CondValue& v, bool image) {
    switch (v.kind) {
      case prog::CondValue::Kind::constant:
        return text('#', v.constant, 0);
      case prog::CondValue::Kind::address: {
        Cell c{test_.symbols[v.symbol].object, v.cell};
        if (cells_.contains(c) && cells_.at(c) != c) return std::nullopt;
        return text('&', c.first, c.second);
      }
      case prog::CondValue::Kind::location: {
        Cell c{test_.symbols[v.symbol].object, v.cell};
        if (image) {
          const auto it = cells_.find(c);
          if (it == cells_.end()) return std::nullopt;
          c = it->second;
        }
        return text('@', c.first, c.second);
      }
      case prog::CondValue::Kind::reg: {
        const uint32_t t = image ? image_[v.thread] : v.thread;
        if (image && t != v.thread) {
          const auto& mine = s_.threads[v.thread].exits;
          const auto& theirs = s_.threads[t].exits;
          for (size_t k = 0; k < mine.size(); ++k)
            if (v.reg >= theirs[k].registers.size() || !term_maps(mine[k].registers[v.reg], theirs[k].registers[v.reg]))
              return std::nullopt;
        }
        return text(':', t, v.reg);
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> canonical(const prog::Cond& c, bool image) {
    if (c.kind == prog::Cond::Kind::always) return "true";
    std::vector<std::string> parts;
    std::string word;
    if (c.kind == prog::Cond::Kind::atom) {
      const auto l = canonical(c.lhs, image);
      const auto r = canonical(c.rhs, image);
      if (!l || !r) return std::nullopt;
      parts = {*l, *r};
      word = term::name(c.cmp);
      if (c.cmp == term::Op::eq || c.cmp == term::Op::ne) std::sort(parts.begin(), parts.end());
    } else {
      word = c.kind == prog::Cond::Kind::not_ ? "not" : c.kind == prog::Cond::Kind::and_ ? "and" : "or";
      for (const prog::Cond& k : c.kids) {
        auto text = canonical(k, image);
        if (!text) return std::nullopt;
        parts.push_back(std::move(*text));
      }
      std::sort(parts.begin(), parts.end());
    }
    std::string out(1, '(');
    out.append(word);
    for (const std::string& p : parts) out.append(1, ' ').append(p);
    return out.append(1, ')');
  }

  bool question_maps(const prog::Cond& q) {
    const auto before = canonical(q, false);
    const auto after = canonical(q, true);
    return before && after && *before == *after;
  }

  const Skeleton& s_;
  const prog::Test& test_;
  std::vector<uint32_t> image_;
  bool scopes_unseen_;
  std::vector<uint32_t> variable_;
  std::map<std::pair<const term::Node*, const term::Node*>, bool> compared_;
  std::map<Cell, Cell> cells_, back_;
};

// Walks the tree of scopes.
class Search {
 public:
  Search(const Skeleton& s, const std::vector<const prog::Cond*>& questions, bool scopes_unseen)
      : s_(s), test_(*s.test), questions_(questions), scopes_unseen_(scopes_unseen) {}

  std::vector<SymmetricRun> run() {
    const size_t depth = test_.threads.empty() ? 0 : test_.threads[0].scope.size();
    std::vector<uint32_t> all;
    for (uint32_t t = 0; t < test_.threads.size(); ++t) {
      if (test_.threads[t].scope.size() != depth) return {};
      all.push_back(t);
    }
    std::vector<SymmetricRun> out;
    for (const Local& l : visit(all, scopes_unseen_ ? depth : 0)) {
      SymmetricRun r;
      for (uint32_t t : l.leaders) r.keys.push_back(s_.threads[t].first_event + l.offset);
      out.push_back(std::move(r));
    }
    return out;
  }

 private:
  struct Local {
    std::vector<uint32_t> leaders;  // threads
    uint32_t offset = 0;            // of the key among the events of each
  };
  using Group = std::vector<uint32_t>;

  std::vector<Local> visit(const Group& members, size_t level) {
    std::vector<Group> children;
    if (level == test_.threads[members[0]].scope.size()) {
      for (uint32_t t : members) children.push_back({t});
    } else {
      std::map<uint32_t, size_t> place;
      for (uint32_t t : members) {
        const auto [it, fresh] = place.try_emplace(test_.threads[t].scope[level], children.size());
        if (fresh) children.emplace_back();
        children[it->second].push_back(t);
      }
    }
    std::vector<std::vector<Local>> inside(children.size());
    if (children[0].size() > 1 || children.size() < members.size())
      for (size_t k = 0; k < children.size(); ++k)
        if (children[k].size() > 1) inside[k] = visit(children[k], level + 1);
    std::vector<Local> out;
    for (size_t first = 0; first < children.size();) {
      size_t last = first;
      while (last + 1 < children.size() &&
             exchangeable(children[last], children[last + 1], inside[last], inside[last + 1]))
        ++last;
      if (last > first) {
        Local l;
        for (size_t k = first; k <= last; ++k) l.leaders.push_back(children[k][0]);
        if (const auto key = shared_write(l.leaders)) {
          l.offset = *key;
          out.push_back(std::move(l));
        }
      }
      first = last + 1;
    }
    for (auto& i : inside) out.insert(out.end(), i.begin(), i.end());
    return out;
  }

  bool exchangeable(const Group& a, const Group& b, const std::vector<Local>& in_a, const std::vector<Local>& in_b) {
    if (a.size() != b.size() || in_a.size() != in_b.size()) return false;
    const auto place = [](const Group& g, uint32_t t) { return std::find(g.begin(), g.end(), t) - g.begin(); };
    for (size_t k = 0; k < in_a.size(); ++k) {
      if (in_a[k].offset != in_b[k].offset || in_a[k].leaders.size() != in_b[k].leaders.size()) return false;
      for (size_t i = 0; i < in_a[k].leaders.size(); ++i)
        if (place(a, in_a[k].leaders[i]) != place(b, in_b[k].leaders[i])) return false;
    }
    std::vector<uint32_t> image(test_.threads.size());
    for (uint32_t t = 0; t < image.size(); ++t) image[t] = t;
    for (size_t k = 0; k < a.size(); ++k) {
      image[a[k]] = b[k];
      image[b[k]] = a[k];
    }
    return Exchange(s_, std::move(image), scopes_unseen_).is_automorphism(questions_);
  }

  // The number of the first write, counted from the start of a thread, that goes to the same cell in all leaders.
  std::optional<uint32_t> shared_write(const std::vector<uint32_t>& leaders) const {
    const auto cell = [&](const SymEvent& e) -> std::optional<Cell> {
      if (!e.write || e.address.symbol == k_none || (e.address.index && !e.address.index.is_const()))
        return std::nullopt;
      return Cell{test_.symbols[e.address.symbol].object, e.address.index ? e.address.index.value() : 0};
    };
    const SymThread& first = s_.threads[leaders[0]];
    for (uint32_t k = 0; k < first.last_event - first.first_event; ++k) {
      const auto where = cell(s_.events[first.first_event + k]);
      if (!where) continue;
      if (std::all_of(leaders.begin(), leaders.end(),
                      [&](uint32_t t) { return cell(s_.events[s_.threads[t].first_event + k]) == where; }))
        return k;
    }
    return std::nullopt;
  }

  const Skeleton& s_;
  const prog::Test& test_;
  const std::vector<const prog::Cond*>& questions_;
  bool scopes_unseen_;
};

}  // namespace

std::vector<SymmetricRun> symmetric_runs(const Skeleton& s, const std::vector<const prog::Cond*>& questions,
                                         const cat::Model* model) {
  if (s.threads.size() < 2) return {};
  std::vector<SymmetricRun> tree = Search(s, questions, false).run();
  const auto orders_all = [&](const std::vector<SymmetricRun>& runs) {
    return runs.size() == 1 && runs[0].keys.size() == s.threads.size();
  };
  if (model == nullptr || orders_all(tree)) return tree;
  // What may be exchanged if no axiom sees the groups comes first: mostly nothing, and whether one does takes longer.
  std::vector<SymmetricRun> flat = Search(s, questions, true).run();
  return orders_all(flat) && scopes_unseen(s, *model) ? flat : tree;
}

void require_order(ProgramEncoding& p, sat::Circuit& c, const std::vector<SymmetricRun>& runs) {
  for (const SymmetricRun& r : runs)
    for (size_t i = 0; i < r.keys.size(); ++i) {
      if (i + 1 < r.keys.size()) c.add({-p.exec(r.keys[i + 1]), p.exec(r.keys[i])});
      for (size_t j = i + 1; j < r.keys.size(); ++j) c.add({-p.co(r.keys[j], r.keys[i])});
    }
}

}  // namespace fencepost::encode
