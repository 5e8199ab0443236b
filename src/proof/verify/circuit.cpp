#include "verify/circuit.h"

#include <algorithm>

namespace fencepost::verify {

size_t Circuit::Hash::operator()(const std::vector<Lit>& v) const {
  size_t h = v.size();
  for (const Lit l : v) h = (h ^ l) * 0x9e3779b97f4a7c15ULL + (h >> 29);
  return h;
}

Circuit::Circuit() {
  rules_.emplace_back("constant");
  labels_.emplace_back();
  nodes_.emplace_back();
}

void Circuit::label(const std::string& rule, int32_t a, int32_t b) {
  if (rules_.empty() || rules_.back() != rule) rules_.push_back(rule);
  instance(a, b);
}

void Circuit::instance(int32_t a, int32_t b) {
  label_ = {static_cast<uint32_t>(rules_.size() - 1), a, b};
  label_used_ = false;
}

uint32_t Circuit::current_label() {
  if (!label_used_) labels_.push_back(label_);
  label_used_ = true;
  return static_cast<uint32_t>(labels_.size() - 1);
}

Lit Circuit::input(const std::string& name) {
  const auto id = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({{}, static_cast<int32_t>(input_names_.size()), current_label()});
  input_names_.push_back(name);
  input_nodes_.push_back(id);
  return 2 * id;
}

Lit Circuit::all(std::vector<Lit> of) {
  std::sort(of.begin(), of.end());
  of.erase(std::unique(of.begin(), of.end()), of.end());
  if (!of.empty() && of.front() == k_true) of.erase(of.begin());
  if (of.empty()) return k_true;
  if (of.front() == k_false) return k_false;
  for (size_t k = 0; k + 1 < of.size(); ++k)
    if (of[k + 1] == negated(of[k])) return k_false;
  if (of.size() == 1) return of.front();
  const auto found = known_.find(of);
  if (found != known_.end()) return 2 * found->second;
  const auto id = static_cast<uint32_t>(nodes_.size());
  known_.emplace(of, id);
  nodes_.push_back({std::move(of), -1, current_label()});
  return 2 * id;
}

Lit Circuit::any(std::vector<Lit> of) {
  for (Lit& l : of) l = negated(l);
  return negated(all(std::move(of)));
}

Lit Circuit::mux(Lit c, Lit a, Lit b) {
  if (a == b || c == k_true) return a;
  if (c == k_false) return b;
  return either(both(c, a), both(negated(c), b));
}

Lit Circuit::equal(Lit a, Lit b) {
  if (a == b) return k_true;
  if (a == negated(b)) return k_false;
  return negated(either(both(a, negated(b)), both(negated(a), b)));
}

Word Circuit::constant(uint64_t v) {
  Word out;
  for (size_t k = 0; k < 64; ++k) out[k] = ((v >> k) & 1) != 0 ? k_true : k_false;
  return out;
}

Word Circuit::mux(Lit c, const Word& a, const Word& b) {
  Word out;
  for (size_t k = 0; k < 64; ++k) out[k] = mux(c, a[k], b[k]);
  return out;
}

Word Circuit::add(const Word& a, const Word& b, Lit carry) {
  Word out;
  for (size_t k = 0; k < 64; ++k) {
    const Lit half = negated(equal(a[k], b[k]));
    out[k] = negated(equal(half, carry));
    carry = either(both(a[k], b[k]), both(half, carry));
  }
  return out;
}

Word Circuit::multiply(const Word& a, const Word& b) {
  Word out = constant(0);
  for (size_t k = 0; k < 64; ++k) {
    if (b[k] == k_false) continue;
    Word shifted = constant(0);
    for (size_t j = k; j < 64; ++j) shifted[j] = both(a[j - k], b[k]);
    out = add(out, shifted);
  }
  return out;
}

Lit Circuit::equal(const Word& a, const Word& b) {
  std::vector<Lit> bits;
  for (size_t k = 0; k < 64; ++k) bits.push_back(equal(a[k], b[k]));
  return all(std::move(bits));
}

Lit Circuit::less(const Word& a, const Word& b) {
  Lit out = k_false;
  for (size_t k = 0; k < 64; ++k) {
    const Lit x = k == 63 ? b[k] : a[k],
              y = k == 63 ? a[k] : b[k];  // the sign counts the other way
    out = mux(equal(x, y), out, both(negated(x), y));
  }
  return out;
}

void Circuit::demand_any(std::vector<Lit> of) {
  if (std::find(of.begin(), of.end(), k_true) != of.end()) return;
  std::erase(of, k_false);
  if (of.size() == 1 && (of[0] & 1) != 0 && !nodes_[of[0] >> 1].in.empty()) {
    // The negation of a conjunction is itself a clause.
    std::vector<Lit> open;
    for (const Lit l : nodes_[of[0] >> 1].in) open.push_back(negated(l));
    demands_.push_back({std::move(open), current_label()});
    return;
  }
  demands_.push_back({std::move(of), current_label()});
}

void Circuit::demand_acyclic(const Relation& r) {
  const size_t n = r.size();
  std::vector<std::vector<bool>> path(n, std::vector<bool>(n));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) path[i][j] = r[i][j] != k_false;
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; path[i][k] && j < n; ++j)
        if (path[k][j]) path[i][j] = true;
  Acyclic a{{}, current_label()};
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      if (r[i][j] != k_false && path[j][i]) a.pairs.push_back({{i, j}, r[i][j]});  // a cycle may lead through it
  acyclic_.push_back(std::move(a));
}

// The pairs go along with a strict total order of their members; `before` says which of two comes first.
void Circuit::order(const Acyclic& a, Cnf& out) const {
  std::map<std::pair<size_t, size_t>, int32_t> known;
  const auto before = [&](size_t i, size_t j) {
    const auto [at, fresh] = known.try_emplace({std::min(i, j), std::max(i, j)}, 0);
    if (fresh) at->second = static_cast<int32_t>(++out.variables);
    return i < j ? at->second : -at->second;
  };
  const auto put = [&](std::vector<int32_t> clause) {
    out.clauses.push_back(std::move(clause));
    out.labels.push_back(labels_[a.label]);
  };
  std::map<size_t, std::set<size_t>> near;  // members that a cycle may lead through together
  for (const auto& [at, l] : a.pairs) {
    std::vector<int32_t> clause;
    if (l != k_true) clause.push_back(-dimacs(l));
    if (at.first != at.second) clause.push_back(before(at.first, at.second));
    put(std::move(clause));
    near[at.first].insert(at.second);
    near[at.second].insert(at.first);
  }
  for (bool grows = true; grows;) {  // what is near to something near is near
    grows = false;
    for (auto& [i, of] : near)
      for (const size_t j : std::set<size_t>(of))
        for (const size_t k : near[j]) grows = of.insert(k).second || grows;
  }
  for (const auto& [i, of] : near)
    for (const size_t j : of)
      for (const size_t k : of)
        if (i < j && i < k && j != k)  // each rotation once: i is the least
          put({-before(i, j), -before(j, k), -before(k, i)});
}

Cnf Circuit::clauses() {
  // Which directions of each node are used: 1: the node implies its inputs, 2:
  // the inputs imply the node.
  std::vector<uint8_t> use(nodes_.size(), 0);
  std::vector<uint32_t> open;
  const auto mark = [&](Lit l) {
    const uint8_t how = (l & 1) != 0 ? 2 : 1;
    if ((use[l >> 1] & how) != 0) return;
    use[l >> 1] |= how;
    open.push_back(l);
    while (!open.empty()) {
      const Lit at = open.back();
      open.pop_back();
      for (Lit in : nodes_[at >> 1].in) {
        const Lit next = (at & 1) != 0 ? negated(in) : in;
        const uint8_t bit = (next & 1) != 0 ? 2 : 1;
        if ((use[next >> 1] & bit) != 0) continue;
        use[next >> 1] |= bit;
        open.push_back(next);
      }
    }
  };
  for (const Demand& d : demands_)
    for (const Lit l : d.any) mark(l);
  for (const Acyclic& a : acyclic_)
    for (const auto& [at, l] : a.pairs) mark(negated(l));

  Cnf out;
  variable_.assign(nodes_.size(), 0);
  for (uint32_t id = 1; id < nodes_.size(); ++id)
    if (use[id] != 0) variable_[id] = ++out.variables;
  const auto put = [&](std::vector<int32_t> clause, uint32_t label) {
    out.clauses.push_back(std::move(clause));
    out.labels.push_back(labels_[label]);
  };
  for (uint32_t id = 1; id < nodes_.size(); ++id) {
    const Node& n = nodes_[id];
    if (n.in.empty()) continue;
    if ((use[id] & 1) != 0)
      for (const Lit in : n.in) put({-dimacs(2 * id), dimacs(in)}, n.label);
    if ((use[id] & 2) != 0) {
      std::vector<int32_t> clause = {dimacs(2 * id)};
      for (const Lit in : n.in) clause.push_back(-dimacs(in));
      put(std::move(clause), n.label);
    }
  }
  for (const Demand& d : demands_) {
    std::vector<int32_t> clause;
    for (const Lit l : d.any) clause.push_back(dimacs(l));
    put(std::move(clause), d.label);
  }
  for (const Acyclic& a : acyclic_) order(a, out);
  return out;
}

std::vector<Label> Circuit::failures(const std::set<std::string>& chosen) {
  value_.assign(nodes_.size(), false);
  value_[0] = true;
  for (uint32_t id = 1; id < nodes_.size(); ++id) {
    const Node& n = nodes_[id];
    if (n.in.empty())
      value_[id] = chosen.contains(input_names_[n.input]);
    else
      value_[id] = std::all_of(n.in.begin(), n.in.end(), [&](Lit l) { return holds(l); });
  }
  std::vector<Label> out;
  for (const Demand& d : demands_)
    if (std::none_of(d.any.begin(), d.any.end(), [&](Lit l) { return holds(l); })) out.push_back(labels_[d.label]);
  for (const Acyclic& a : acyclic_) {
    // Members are taken away while nothing points at them; what is left has a
    // cycle.
    std::set<std::pair<size_t, size_t>> edges;
    for (const auto& [at, l] : a.pairs)
      if (holds(l)) edges.insert(at);
    for (bool moved = true; moved;) {
      std::set<size_t> targets;
      for (const auto& e : edges) targets.insert(e.second);
      moved = std::erase_if(edges, [&](const auto& e) { return !targets.contains(e.first); }) > 0;
    }
    if (!edges.empty()) out.push_back(labels_[a.label]);
  }
  return out;
}

std::set<std::string> Circuit::chosen(const std::vector<bool>& model) const {
  std::set<std::string> out;
  for (size_t k = 0; k < input_nodes_.size(); ++k) {
    const uint32_t v = variable_[input_nodes_[k]];
    if (v != 0 && model[v]) out.insert(input_names_[k]);
  }
  return out;
}

}  // namespace fencepost::verify
