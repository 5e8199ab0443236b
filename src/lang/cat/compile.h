#pragma once
// Private to the room: runs a resolved program once and leaves a Model. Definitions are evaluated in order,
// functions are applied to evaluated arguments, and what remains is the DAG.
#include <deque>
#include <map>

#include "cat/dag.h"

namespace fencepost::cat {

inline const char* type_name(Type t) { return t == Type::set ? "set" : "relation"; }
// Source text on one line, cut to `limit` characters.
std::string collapsed(std::string_view text, size_t limit);

class Compiler {
 public:
  Compiler(Program& program, Findings& findings) : p_(program), findings_(&findings) {}

  void run();
  // Applies each function that the program itself never applies to stand-ins for sets and relations, so that
  // lint sees the type errors in its body. Call after run(); nodes made here never reach the model.
  void probe_unapplied_functions();
  // Title, path and dialect are the caller's to fill in. Only nodes that a name, an axiom or a show needs.
  Model model() const;

 private:
  struct Value {
    enum Kind : uint8_t { error, unknown, empty, set, rel, function, builtin } kind = error;
    uint32_t id = k_no_node;  // node; closure; Resolution of a builtin. A type without a node: k_no_node
  };
  using FrameId = uint32_t;
  struct Frame {
    FrameId parent = 0;
    std::vector<Value> slots;
  };
  // A function: some of its groups of parameters may have been bound already.
  struct Closure {
    const Binding* binding = nullptr;
    uint16_t file = 0;
    uint32_t bound = 0;
    FrameId frame = 0;
  };
  struct Variable {
    BinderId binder = 0;
    Type type = Type::rel;
    NodeId reference = k_no_node;
    NodeId definition = k_no_node;
    uint32_t group = 0;
  };
  struct PendingAxiom {
    AxiomKind kind;
    bool negated, flag;
    NodeId node;
    std::string name;
    Span span;
  };

  // Statements.
  void statement(const Statement& s, FrameId& frame);
  void axiom(const Statement& s, FrameId frame);
  void show(const Statement& s, FrameId frame);
  void call(const Statement& s, FrameId frame);
  // Binds the names of the group: global ones in globals_, local ones in a new frame, which `frame` becomes.
  void let(const Let& group, bool global, FrameId& frame);
  void let_rec(const Let& group, bool global, FrameId& frame);
  void bind(const Binding& b, bool global, FrameId frame, size_t slot, Value v);
  std::vector<Type> infer_types(const Let& group, bool global, FrameId frame);

  // Expressions.
  Value eval(ExprId e, FrameId frame);
  Value eval_inner(const Expr& e, FrameId frame);
  Value lookup(const Expr& e, FrameId frame);
  Value binary(const Expr& e, FrameId frame);
  Value joined(const Expr& e, Value l, Value r, FrameId frame);
  Value unary(const Expr& e, FrameId frame);
  Value apply_expr(const Expr& e, FrameId frame);
  Value apply_builtin(Resolution which, const std::vector<Value>& arguments, const Expr& e);
  Value apply(Value function, const std::vector<Value>& arguments, const Expr& e);
  Value definition(const Binding& b, uint16_t file, FrameId frame);
  // The type of an expression without making nodes; `unknown` where it depends on a variable being inferred.
  Value infer(ExprId e, FrameId frame);
  Value infer_inner(const Expr& e, FrameId frame);

  // Typing.
  bool node_of(Value v, Type want, const Expr& at, const char* who, NodeId& out);
  void wrong_type(Value v, Type want, const Expr& at, const char* who);
  void not_monotone(const Expr& operand, FrameId frame, const char* where);
  const Expr* open_occurrence(ExprId e, FrameId frame);
  bool is_open(Value v) const {
    return (v.kind == Value::set || v.kind == Value::rel) && v.id != k_no_node && dag_.open(v.id);
  }
  void type_error(const Span& span, std::string message, std::string hint = {});

  // Bookkeeping.
  bool within_limits();
  bool spend(const Span& at);
  bool stopped() const { return stopped_ || findings_->full(); }
  Place place(const Expr& e) const { return {e.file, e.begin, e.end}; }
  Span span(Place p) const { return p_.span(p.file, p.begin, p.end); }
  std::string text_of(const Expr& e, Value v) const;
  FrameId new_frame(FrameId parent, std::vector<Value> slots);
  std::string made_up_name(const Statement& s) const;
  static Value of_type(Type t, NodeId n) { return {t == Type::set ? Value::set : Value::rel, n}; }

  Program& p_;
  Findings* findings_;
  Dag dag_;
  std::vector<Value> globals_;          // by binder
  std::vector<BinderId> global_order_;  // every top-level definition, in order
  std::deque<Frame> frames_{1};         // frame 0 is the empty one
  std::vector<Closure> closures_;
  std::map<std::vector<uint32_t>, Value> applied_;  // closure and arguments -> result
  std::vector<bool> was_applied_;                   // by binder of the function
  std::vector<Variable> variables_;
  uint32_t groups_ = 0;
  bool in_group_ = false;
  std::vector<PendingAxiom> axioms_;
  std::vector<std::pair<NodeId, std::string>> shown_;
  std::vector<const Expr*> calls_;  // applications under way, for messages
  bool in_call_ = false;            // of a procedure: its definitions are local
  std::string label_of_call_;
  uint64_t steps_ = 0;
  uint32_t depth_ = 0;
  bool stopped_ = false;
};

}  // namespace fencepost::cat
