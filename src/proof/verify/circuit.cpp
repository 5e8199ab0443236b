#include "verify/circuit.h"

#include <algorithm>

namespace fencepost::verify {

Circuit::Circuit() {
  rules_.emplace_back("constant");
  labels_.emplace_back();
  nodes_.emplace_back();
}

void Circuit::label(const std::string& rule, size_t a, size_t b) {
  if (rules_.empty() || rules_.back() != rule) rules_.push_back(rule);
  instance(a, b);
}

void Circuit::instance(size_t a, size_t b) {
  label_ = {rules_.size() - 1, a, b};
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
    of = nodes_[of[0] >> 1].in;  // the negation of a conjunction is itself a clause
    for (Lit& l : of) l = negated(l);
  }
  demands_.push_back({std::move(of), current_label()});
}

Relation Circuit::total_order(size_t n, const std::function<bool(size_t, size_t)>& related, const std::string& name) {
  Relation before(n, std::vector<Lit>(n, k_false));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      if (i != j && related(i, j)) {
        instance(i, j);
        before[i][j] = i < j ? input(name + " " + pair(i, j)) : negated(before[j][i]);
      }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = i + 1; j < n; ++j)
      for (size_t k = i + 1; k < n; ++k)  // each rotation once: i is the least
        if (j != k && related(i, j) && related(i, k))
          demand_any({negated(before[i][j]), negated(before[j][k]), negated(before[k][i])});
  return before;
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
  const auto together = [&](size_t i, size_t j) { return path[i][j] && path[j][i]; };
  const Relation before = total_order(n, together, "before " + std::to_string(++orders_));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      if (r[i][j] != k_false && together(i, j)) demand_any({negated(r[i][j]), before[i][j]});
}

Cnf Circuit::clauses() {
  // Which directions of each node are used: 1: the node implies its inputs, 2:
  // the inputs imply the node.
  std::vector<uint8_t> use(nodes_.size(), 0);
  std::vector<Lit> open;
  const auto mark = [&](Lit l) {
    const uint8_t how = (l & 1) != 0 ? 2 : 1;
    if ((use[l >> 1] & how) == 0) open.push_back(l);
    use[l >> 1] |= how;
  };
  for (const Demand& d : demands_)
    for (const Lit l : d.any) mark(l);
  while (!open.empty()) {
    const Lit at = open.back();
    open.pop_back();
    for (const Lit in : nodes_[at >> 1].in) mark(in ^ (at & 1));
  }

  Cnf out;
  variable_.assign(nodes_.size(), 0);
  for (uint32_t id = 1; id < nodes_.size(); ++id)
    if (use[id] != 0) variable_[id] = ++out.variables;
  const auto put = [&](std::vector<int32_t> clause, const std::vector<Lit>& more, Lit sign, uint32_t label) {
    clause.reserve(clause.size() + more.size());
    for (const Lit l : more) clause.push_back(dimacs(l ^ sign));
    out.clauses.push_back(std::move(clause));
    out.labels.push_back(labels_[label]);
  };
  for (uint32_t id = 1; id < nodes_.size(); ++id) {
    const Node& n = nodes_[id];
    if (n.in.empty()) continue;
    if ((use[id] & 1) != 0)
      for (const Lit in : n.in) put({-dimacs(2 * id)}, {in}, 0, n.label);
    if ((use[id] & 2) != 0) put({dimacs(2 * id)}, n.in, 1, n.label);
  }
  for (const Demand& d : demands_) put({}, d.any, 0, d.label);
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
  return out;
}

}  // namespace fencepost::verify
