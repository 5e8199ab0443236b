#pragma once
// Boolean circuits, and the clauses that every execution obeys.
//
// A literal is 2*node, plus 1 where it is negated. Node 0 is true, so k_true is
// 0 and k_false is 1. A node is an input, which the execution chooses, or the
// conjunction of literals. Equal conjunctions are one node, and constants are
// folded. A word is 64 literals, the lowest bit first.
//
// Every node and every demand carries a label: the rule, and up to two events
// of its instance. Clauses are written in the directions that the demands use
// (Plaisted and Greenbaum, "A structure-preserving clause form translation",
// 1986).
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace fencepost::verify {

using Lit = uint32_t;
constexpr Lit k_true = 0, k_false = 1;
constexpr Lit negated(Lit a) { return a ^ 1U; }
using Word = std::array<Lit, 64>;
using Relation = std::vector<std::vector<Lit>>;

// What the certified part does not know, by name. `what` completes the sentence
// "... is not in the certified part".
struct NotCertified : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A text that cannot be read.
struct BadText : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The rule, by its number in Circuit::rules(), and the events of one instance, or k_none.
constexpr size_t k_none = -1;
struct Label {
  size_t rule = 0, a = k_none, b = k_none;
};

// DIMACS: variables from 1. clause k has the label labels[k].
struct Cnf {
  uint32_t variables = 0;
  std::vector<std::vector<int32_t>> clauses;
  std::vector<Label> labels;
};

struct HashOfMembers {
  template <class V>
  size_t operator()(const V& v) const {
    size_t h = v.size();
    for (const auto l : v) h = (h ^ static_cast<uint32_t>(l)) * 0x9e3779b97f4a7c15ULL + (h >> 29);
    return h;
  }
};

class Circuit {
 public:
  Circuit();

  // The label of the nodes and demands that follow.
  void label(const std::string& rule, size_t a = k_none, size_t b = k_none);
  void instance(size_t a, size_t b);  // of the same rule
  const std::vector<std::string>& rules() const { return rules_; }

  Lit input(const std::string& name);
  Lit all(std::vector<Lit> of);
  Lit any(std::vector<Lit> of);
  Lit both(Lit a, Lit b) { return all({a, b}); }
  Lit either(Lit a, Lit b) { return negated(all({negated(a), negated(b)})); }
  Lit mux(Lit c, Lit a, Lit b);
  Lit equal(Lit a, Lit b);

  // Words.
  static Word constant(uint64_t v);
  Word mux(Lit c, const Word& a, const Word& b);
  Word add(const Word& a, const Word& b, Lit carry = k_false);
  Word multiply(const Word& a, const Word& b);
  Lit equal(const Word& a, const Word& b);
  Lit less(const Word& a, const Word& b);  // signed

  // Demands on every execution: that a literal holds, that one of several does,
  // and that a relation has no cycle. For the last the execution chooses a total
  // order of the events that could be on one cycle; each pair leads forward in it.
  void demand(Lit a) { demand_any({a}); }
  void demand_any(std::vector<Lit> of);
  void demand_acyclic(const Relation& r);

  // A strict total order of the n events, where `related` holds of the two
  // (an equivalence), as the execution chooses it.
  Relation total_order(size_t n, const std::function<bool(size_t, size_t)>& related, const std::string& name);
  std::vector<std::string> names;  // of events, for the names of choices
  std::string pair(size_t i, size_t j) const { return names[i] + " " + names[j]; }

  Cnf clauses();

  // By concrete value: inputs that `chosen` names are true, the others false.
  // Returns what is not met: the labels of the demands that fail.
  std::vector<Label> failures(const std::set<std::string>& chosen);
  bool holds(Lit a) const { return value_[a >> 1] != ((a & 1) != 0); }  // after failures()

  // The variable of an input, 0: none; after clauses().
  uint32_t variable(size_t input) const { return variable_[input_nodes_[input]]; }
  const std::vector<std::string>& inputs() const { return input_names_; }

 private:
  struct Node {
    std::vector<Lit> in;  // empty: an input (or node 0)
    int32_t input = -1;
    uint32_t label = 0;
  };
  struct Demand {
    std::vector<Lit> any;
    uint32_t label;
  };
  uint32_t current_label();
  int32_t dimacs(Lit l) const { return static_cast<int32_t>(variable_[l >> 1]) * ((l & 1) != 0 ? -1 : 1); }

  std::vector<Node> nodes_;
  std::unordered_map<std::vector<Lit>, uint32_t, HashOfMembers> known_;
  std::vector<std::string> input_names_;
  std::vector<uint32_t> input_nodes_;
  std::vector<std::string> rules_;
  std::vector<Label> labels_;
  bool label_used_ = true;
  Label label_;
  std::vector<Demand> demands_;
  size_t orders_ = 0;
  std::vector<bool> value_;
  std::vector<uint32_t> variable_;  // by node, 0: none
};

}  // namespace fencepost::verify
