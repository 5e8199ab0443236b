#pragma once
// Models as the verifier reads them, from docs/cat.md: definitions, functions,
// the three tests and their negations, flags. A model is evaluated over
// circuits: a set is a literal for each event, a relation one for each pair.
#include "verify/program.h"

namespace fencepost::verify {

// Expressions have op "name" (text), "empty", "call" (kids: arguments, text: the function), "[]", "product", or an
// operator: + * ? ^-1 ~ & \ ; |
struct CatStatement {
  std::string name;                     // let: the name; test: its label
  std::vector<std::string> parameters;  // let
  std::string test;                     // acyclic, irreflexive, empty; let: ""
  bool negated = false, flag = false;
  ExprPtr value;
  int line = 0;
};

struct CatModel {
  std::vector<CatStatement> statements;
  std::map<std::string, std::string> headers;
};

CatModel read_cat(const std::string& text);

using EventSet = std::vector<Lit>;

// The execution as circuits. A tag that no event has is the empty set, if
// docs/cat.md knows it.
struct BaseFacts {
  EventSet events;  // executed
  std::map<std::string, EventSet> sets;
  std::map<std::string, Relation> relations;
};

class CatEvaluator {
 public:
  CatEvaluator(Circuit& c, const BaseFacts& base) : c_(c), base_(base), n_(base.events.size()) {}

  // Demands every axiom; adds the literals of raised flags. `file` names the
  // model in labels.
  void judge(const CatModel& model, const std::string& file, std::vector<Lit>& flags);

 private:
  struct Value {  // a set is a relation that holds of events and themselves
    enum class Kind : uint8_t { empty, set, relation, function } kind = Kind::empty;
    Relation pairs;
    const CatStatement* function = nullptr;
    size_t known = 0;  // function: how many definitions it sees
  };
  using Scope = std::vector<std::pair<std::string, Value>>;

  Value evaluate(const Expr& e, const Scope& scope);
  Value name(const Expr& e, const Scope& scope);
  Value call(const Expr& e, const Scope& scope);
  Value combined(const Expr& e, const Value& a, const Value& b, Value out);
  Relation closed(Relation r, const std::string& op);
  const Relation& typed(const Value& v, Value::Kind kind, const Expr& e) const;
  Relation nothing() const { return Relation(n_, EventSet(n_, k_false)); }

  Circuit& c_;
  const BaseFacts& base_;
  size_t n_;
  int depth_ = 0;
  Scope globals_;
};

}  // namespace fencepost::verify
