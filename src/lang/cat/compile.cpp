// Runs a resolved model once, as a program of a small functional language whose values are nodes of a DAG: `let` binds,
// functions are applied to evaluated arguments and vanish, `let rec` leaves variables that the engines solve for the
// least fixpoint. Equal nodes are one node, so that what two axioms share is evaluated and encoded once.
//
// A model is text that somebody else wrote. Steps, nodes and depth have limits, and a model that is cut short is never
// returned. Chains of one operator lean to the left and are walked, so that depth is bounded by brackets and calls and
// not by the length of a union. A function that nobody applies is tried with a set and a relation for each of its up to
// four parameters; what is wrong in every one of these trials is an error, so that its mistakes are found too.
#include "cat/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace fencepost::cat {
namespace {

constexpr uint64_t k_max_steps = 500'000;
constexpr size_t k_max_nodes = 200'000;
constexpr uint32_t k_max_depth = 500;  // a level takes up to 8 KiB of stack under the sanitizers

const char* symbol_of(ExprKind k) {
  switch (k) {
    case ExprKind::union_:
      return "'|'";
    case ExprKind::inter:
      return "'&'";
    case ExprKind::diff:
      return "'\\'";
    case ExprKind::seq:
      return "';'";
    case ExprKind::product:
      return "'*'";
    case ExprKind::complement:
      return "'~'";
    case ExprKind::inverse:
      return "'^-1'";
    case ExprKind::plus:
      return "'+'";
    case ExprKind::star:
      return "'*'";
    case ExprKind::opt:
      return "'?'";
    case ExprKind::square:
      return "'^2'";
    case ExprKind::ident:
      return "'[ ]'";
    default:
      return "this";
  }
}

NodeOp node_op(ExprKind k) {
  switch (k) {
    case ExprKind::union_:
      return NodeOp::union_;
    case ExprKind::inter:
      return NodeOp::inter;
    case ExprKind::diff:
      return NodeOp::diff;
    case ExprKind::seq:
      return NodeOp::seq;
    case ExprKind::product:
      return NodeOp::product;
    case ExprKind::complement:
      return NodeOp::complement;
    case ExprKind::inverse:
      return NodeOp::inverse;
    case ExprKind::plus:
      return NodeOp::plus;
    case ExprKind::star:
      return NodeOp::star;
    case ExprKind::opt:
      return NodeOp::opt;
    case ExprKind::ident:
      return NodeOp::ident;
    default:
      break;
  }
  FENCEPOST_INVARIANT(false, "this expression is not an operator of the model");
  return NodeOp::empty_rel;
}

bool is_binary(const Expr& e) {
  return e.kind == ExprKind::union_ || e.kind == ExprKind::inter || e.kind == ExprKind::diff ||
         e.kind == ExprKind::seq || e.kind == ExprKind::product;
}

}  // namespace

// ---- statements ------------------------------------------------------------------------------------

void Compiler::run() {
  globals_.resize(p_.binders.size());
  was_applied_.resize(p_.binders.size());
  FrameId frame = 0;
  for (const Statement& s : p_.statements) {
    if (stopped()) return;
    statement(s, frame);
  }
}

void Compiler::statement(const Statement& s, FrameId& frame) {
  switch (s.kind) {
    case StatementKind::let: {
      const Let& group = p_.lets[s.let];
      const bool global = !in_call_;
      group.recursive ? let_rec(group, global, frame) : let(group, global, frame);
      break;
    }
    case StatementKind::axiom:
      axiom(s, frame);
      break;
    case StatementKind::show:
      show(s, frame);
      break;
    case StatementKind::call:
      call(s, frame);
      break;
    case StatementKind::procedure:
    case StatementKind::include:
    case StatementKind::ignored:
      break;
  }
}

Compiler::Value Compiler::definition(const Binding& b, uint16_t file, FrameId frame) {
  if (b.groups.empty()) return eval(b.body, frame);
  closures_.push_back({&b, file, 0, frame});
  return {Value::function, static_cast<uint32_t>(closures_.size() - 1)};
}

void Compiler::bind(const Binding& b, bool global, FrameId frame, size_t slot, Value v) {
  if (v.kind == Value::empty) v.id = dag_.empty(Type::rel, {p_.binders[b.binder].file, b.begin, b.end});
  if (v.kind == Value::set || v.kind == Value::rel) {
    const std::string name = p_.name(b.symbol);
    bool alias = false;
    for (const Header& h : p_.files[p_.binders[b.binder].file].headers)
      if (h.key == "aliases")
        for (const std::string& w : words(h.value)) alias = alias || w == name;
    dag_.name(v.id, name, alias, alias, {p_.binders[b.binder].file, b.begin, b.end});
  }
  if (global) {
    globals_[b.binder] = v;
    global_order_.push_back(b.binder);
  } else {
    frames_[frame].slots[slot] = v;
  }
}

void Compiler::let(const Let& group, bool global, FrameId& frame) {
  std::vector<Value> values;
  for (const Binding& b : group.bindings) values.push_back(definition(b, group.file, frame));
  if (!global) frame = new_frame(frame, std::vector<Value>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) bind(group.bindings[i], global, frame, i, values[i]);
}

std::vector<Type> Compiler::infer_types(const Let& group, bool global, FrameId frame) {
  const size_t n = group.bindings.size();
  std::vector<Value::Kind> kinds(n, Value::unknown);
  const FrameId trial = global ? frame : new_frame(frame, std::vector<Value>(n, Value{Value::unknown}));
  const auto publish = [&] {
    for (size_t i = 0; i < n; ++i)
      (global ? globals_[group.bindings[i].binder] : frames_[trial].slots[i]) = Value{kinds[i]};
  };
  bool changed = true;
  for (size_t round = 0; changed && round <= n; ++round) {
    changed = false;
    publish();
    for (size_t i = 0; i < n; ++i) {
      if (kinds[i] != Value::unknown) continue;
      const Value v = infer(group.bindings[i].body, trial);
      if (v.kind != Value::set && v.kind != Value::rel) continue;
      kinds[i] = v.kind;
      changed = true;
    }
  }
  std::vector<Type> out;
  for (Value::Kind k : kinds) out.push_back(k == Value::set ? Type::set : Type::rel);
  return out;
}

void Compiler::let_rec(const Let& group, bool global, FrameId& frame) {
  const size_t n = group.bindings.size();
  const auto place_of = [&](const Binding& b) { return Place{group.file, b.begin, b.end}; };
  const auto functions =
      std::any_of(group.bindings.begin(), group.bindings.end(), [](const Binding& b) { return !b.groups.empty(); });
  if (in_group_ && !functions)
    findings_->unsupported(span(place_of(group.bindings[0])), "a 'let rec' inside another is not supported here",
                           "define both together with 'and'");
  const std::vector<Type> types = infer_types(group, global, frame);
  if (!global) frame = new_frame(frame, std::vector<Value>(n));
  if (in_group_ || functions) {
    for (size_t i = 0; i < n; ++i) bind(group.bindings[i], global, frame, i, {});
    return;
  }
  const size_t first = variables_.size();
  for (size_t i = 0; i < n; ++i) {
    const Binding& b = group.bindings[i];
    const NodeId reference = dag_.variable(static_cast<uint32_t>(variables_.size()), types[i], place_of(b));
    variables_.push_back({b.binder, types[i], reference, k_no_node, groups_});
    bind(b, global, frame, i, of_type(types[i], reference));
  }
  in_group_ = true;
  bool recursive = false, failed = false;
  for (size_t i = 0; i < n; ++i) {
    const Expr& body = p_.exprs[group.bindings[i].body];
    const Value v = eval(group.bindings[i].body, frame);
    NodeId node = k_no_node;
    if (!node_of(v, types[i], body, "this definition", node)) {
      node = dag_.empty(types[i], place(body));
      failed = true;
    }
    variables_[first + i].definition = node;
    recursive = recursive || dag_.open(node);
  }
  in_group_ = false;
  dag_.close();
  if (recursive && !failed) {
    ++groups_;
    return;
  }
  // `rec` without recursion: the variables vanish.
  for (size_t i = 0; i < n; ++i) {
    const Value v = failed ? Value{} : of_type(types[i], variables_[first + i].definition);
    bind(group.bindings[i], global, frame, i, v);
  }
  variables_.resize(first);
}

std::string Compiler::made_up_name(const Statement& s) const {
  const Span at = p_.span(s.file, s.begin, s.end);
  const std::string line = fmt::format("line {}", at.position().line);
  const Role role = p_.files[s.file].role;
  if (role == Role::main) return line;
  return std::filesystem::path(at.source->name).filename().string() + " " + line;
}

void Compiler::axiom(const Statement& s, FrameId frame) {
  const Expr& e = p_.exprs[s.expr];
  const Value v = eval(s.expr, frame);
  NodeId node = k_no_node;
  if (s.axiom == AxiomKind::empty && v.kind == Value::set) {
    node = dag_.unary(NodeOp::ident, v.id, place(e));  // empty as a relation iff the set is
  } else {
    const std::string who = fmt::format("'{}'", cat::name(s.axiom));
    if (!node_of(v, Type::rel, e, who.c_str(), node)) return;
  }
  std::string name = s.label.present()        ? p_.name(s.label.symbol)
                     : label_of_call_.empty() ? made_up_name(s)
                                              : label_of_call_;
  axioms_.push_back({s.axiom, s.negated, s.flag, node, std::move(name), p_.span(s.file, s.begin, s.end)});
}

void Compiler::show(const Statement& s, FrameId frame) {
  for (const ShowItem& item : s.shows) {
    const Expr& e = p_.exprs[item.expr];
    const Value v = eval(item.expr, frame);
    NodeId node = v.id;
    if (v.kind != Value::set && !node_of(v, Type::rel, e, "'show'", node)) continue;
    shown_.emplace_back(node, item.label.present() ? p_.name(item.label.symbol) : collapsed(p_.span(e).text(), 60));
  }
}

void Compiler::call(const Statement& s, FrameId frame) {
  const Statement& callee = *p_.procedures[s.procedure];
  std::vector<Value> arguments;
  for (ExprId e : s.arguments) arguments.push_back(eval(e, frame));
  if (!spend(p_.span(s.file, s.begin, s.end))) return;
  FrameId inner = new_frame(0, std::move(arguments));
  const bool outer = std::exchange(in_call_, true);
  const std::string outer_label = label_of_call_;
  if (s.label.present()) label_of_call_ = p_.name(s.label.symbol);
  ++depth_;
  for (const Statement& t : callee.body) {
    if (!spend(p_.span(t.file, t.begin, t.end))) break;
    statement(t, inner);
  }
  --depth_;
  label_of_call_ = outer_label;
  in_call_ = outer;
}

// ---- expressions -----------------------------------------------------------------------------------

bool Compiler::within_limits() {
  if (stopped()) return false;
  return ++steps_ <= k_max_steps && dag_.size() <= k_max_nodes && depth_ <= k_max_depth;
}

// A model that is cut short is never returned: stopping always leaves an error.
bool Compiler::spend(const Span& at) {
  if (within_limits()) return true;
  if (!stopped())
    findings_->error("size", at,
                     depth_ > k_max_depth ? "this is nested too deeply, or functions are applied too deeply"
                                          : "this model grows too large when its functions are applied",
                     "give names to intermediate results and call functions less often");
  stopped_ = true;
  return false;
}

Compiler::FrameId Compiler::new_frame(FrameId parent, std::vector<Value> slots) {
  frames_.push_back({parent, std::move(slots)});
  return static_cast<FrameId>(frames_.size() - 1);
}

Compiler::Value Compiler::eval(ExprId id, FrameId frame) {
  const Expr& e = p_.exprs[id];
  if (!within_limits() && !spend(p_.span(e))) return {};
  ++depth_;
  const Value v = eval_inner(e, frame);
  --depth_;
  return v;
}

Compiler::Value Compiler::eval_inner(const Expr& e, FrameId frame) {
  switch (e.kind) {
    case ExprKind::name:
      return lookup(e, frame);
    case ExprKind::empty_any:
      return {Value::empty};
    case ExprKind::union_:
    case ExprKind::inter:
    case ExprKind::diff:
    case ExprKind::seq:
    case ExprKind::product:
      return binary(e, frame);
    case ExprKind::complement:
    case ExprKind::inverse:
    case ExprKind::plus:
    case ExprKind::star:
    case ExprKind::opt:
    case ExprKind::square:
    case ExprKind::ident:
      return unary(e, frame);
    case ExprKind::apply:
      return apply_expr(e, frame);
    case ExprKind::fun:
      return definition(p_.lets[e.payload].bindings[0], e.file, frame);
    case ExprKind::let_in: {
      const Let& group = p_.lets[e.payload];
      FrameId inner = frame;
      group.recursive ? let_rec(group, false, inner) : let(group, false, inner);
      return eval(e.first, inner);
    }
    case ExprKind::try_with:
      return eval(e.payload == 0 ? e.first : p_.exprs[e.first].next, frame);
  }
  return {};
}

Compiler::Value Compiler::lookup(const Expr& e, FrameId frame) {
  switch (e.resolution) {
    case Resolution::global:
      return globals_[e.value];
    case Resolution::local: {
      for (uint16_t up = 0; up < e.depth; ++up) frame = frames_[frame].parent;
      FENCEPOST_INVARIANT(e.value < frames_[frame].slots.size(), "a local name of a cat file has a place in its frame");
      return frames_[frame].slots[e.value];
    }
    case Resolution::tag:
      return {Value::set, dag_.tag(static_cast<vocab::Tag>(e.value), place(e))};
    case Resolution::base:
      return {Value::rel, dag_.base(static_cast<vocab::Base>(e.value), place(e))};
    case Resolution::everything:
      return {Value::set, dag_.everything(place(e))};
    case Resolution::memory:
      return {Value::set, dag_.memory(place(e))};
    case Resolution::zero:
      return {Value::empty};
    case Resolution::emptyset:
      return {Value::set, dag_.empty(Type::set, place(e))};
    case Resolution::fn_domain:
    case Resolution::fn_range:
    case Resolution::fn_toid:
    case Resolution::fn_new_set:
    case Resolution::fn_new_relation:
      return {Value::builtin, static_cast<uint32_t>(e.resolution)};
    case Resolution::unresolved:
    case Resolution::unknown:
      break;
  }
  return {};
}

// A chain of binary operators leans to the left: it is walked, not recursed into, whatever its length.
Compiler::Value Compiler::binary(const Expr& e, FrameId frame) {
  std::vector<const Expr*> chain{&e};
  while (is_binary(p_.exprs[chain.back()->first])) chain.push_back(&p_.exprs[chain.back()->first]);
  Value v = eval(chain.back()->first, frame);
  for (; !chain.empty(); chain.pop_back())
    v = joined(*chain.back(), v, eval(p_.exprs[chain.back()->first].next, frame), frame);
  return v;
}

Compiler::Value Compiler::joined(const Expr& e, Value l, Value r, FrameId frame) {
  const Expr& left = p_.exprs[e.first];
  const Expr& right = p_.exprs[left.next];
  const NodeOp op = node_op(e.kind);
  const char* who = symbol_of(e.kind);
  NodeId a = k_no_node, b = k_no_node;
  if (e.kind == ExprKind::seq || e.kind == ExprKind::product) {
    const Type want = e.kind == ExprKind::seq ? Type::rel : Type::set;
    const bool left_ok = node_of(l, want, left, who, a);
    if (!node_of(r, want, right, who, b) || !left_ok) return {};
    return {Value::rel, dag_.binary(op, a, b, place(e))};
  }
  if (l.kind == Value::error || r.kind == Value::error) return {};
  if (l.kind == Value::empty && r.kind == Value::empty) return l;
  const bool right_decides = l.kind == Value::empty || l.kind == Value::function || l.kind == Value::builtin;
  const Type type = (right_decides ? r : l).kind == Value::set ? Type::set : Type::rel;
  const bool known_left = l.kind == Value::set || l.kind == Value::rel;
  const bool known_right = r.kind == Value::set || r.kind == Value::rel;
  if (known_left && known_right && l.kind != r.kind) {
    const Expr& set = l.kind == Value::set ? left : right;
    type_error(
        p_.span(right),
        fmt::format("{} joins two sets or two relations, but '{}' is a {} and '{}' a {}", who,
                    collapsed(p_.span(left).text(), 30), type_name(l.kind == Value::set ? Type::set : Type::rel),
                    collapsed(p_.span(right).text(), 30), type_name(r.kind == Value::set ? Type::set : Type::rel)),
        fmt::format("[{}] is the identity on the set", collapsed(p_.span(set).text(), 30)));
    return {};
  }
  if (!node_of(l, type, left, who, a) || !node_of(r, type, right, who, b)) return {};
  if (e.kind == ExprKind::diff && is_open(r)) {
    not_monotone(right, frame, "on the right of '\\'");
    return {};
  }
  return of_type(type, dag_.binary(op, a, b, place(e)));
}

Compiler::Value Compiler::unary(const Expr& e, FrameId frame) {
  const Expr& operand = p_.exprs[e.first];
  const Value v = eval(e.first, frame);
  const char* who = symbol_of(e.kind);
  NodeId a = k_no_node;
  if (e.kind == ExprKind::complement) {
    // Without a type the complement of the empty relation is meant, as everywhere that a type is open.
    const Type type = v.kind == Value::set ? Type::set : Type::rel;
    if (!node_of(v, type, operand, who, a)) return {};
    if (is_open(v)) {
      not_monotone(operand, frame, "under '~'");
      return {};
    }
    return of_type(type, dag_.unary(NodeOp::complement, a, place(e)));
  }
  const bool of_set = e.kind == ExprKind::ident || e.kind == ExprKind::square;
  if (!node_of(v, of_set ? Type::set : Type::rel, operand, who, a)) return {};
  if (e.kind == ExprKind::square) return {Value::rel, dag_.binary(NodeOp::product, a, a, place(e))};
  return {Value::rel, dag_.unary(node_op(e.kind), a, place(e))};
}

std::string Compiler::text_of(const Expr& e, Value v) const {
  if (v.kind == Value::set || v.kind == Value::rel) {
    const Dag::Entry& n = dag_[v.id];
    if (!n.name.empty()) return n.name;
    if (n.op == NodeOp::base_set) return vocab::name(static_cast<vocab::Tag>(n.payload));
    if (n.op == NodeOp::base_rel) return vocab::name(static_cast<vocab::Base>(n.payload));
  }
  return collapsed(p_.span(e).text(), 30);
}

Compiler::Value Compiler::apply_expr(const Expr& e, FrameId frame) {
  const Expr& function = p_.exprs[e.first];
  const Value f = eval(e.first, frame);
  std::vector<Value> arguments;
  std::string shown;
  bool failed = f.kind == Value::error;
  for (ExprId k = function.next; k != k_no_expr; k = p_.exprs[k].next) {
    arguments.push_back(eval(k, frame));
    failed = failed || arguments.back().kind == Value::error;
    if (!failed) shown += (shown.empty() ? "" : ", ") + text_of(p_.exprs[k], arguments.back());
  }
  if (failed) return {};
  if (f.kind == Value::builtin) return apply_builtin(static_cast<Resolution>(f.id), arguments, e);
  if (f.kind != Value::function) {
    const std::string text = collapsed(p_.span(function).text(), 30);
    if (calls_.empty() || function.resolution != Resolution::local) {
      type_error(
          p_.span(function),
          fmt::format("'{}' is a {}, not a function", text, type_name(f.kind == Value::set ? Type::set : Type::rel)),
          fmt::format("an operator may be missing after '{}': | & \\ ; *", text));
    } else {
      type_error(p_.span(function),
                 fmt::format("'{}' is applied, but it stands for a {}", text,
                             type_name(f.kind == Value::set ? Type::set : Type::rel)),
                 "pass a function for it");
    }
    return {};
  }
  const Value v = apply(f, arguments, e);
  if (v.kind == Value::set || v.kind == Value::rel)
    dag_.name(v.id,
              function.kind == ExprKind::name ? fmt::format("{}({})", p_.symbols.text(function.symbol), shown)
                                              : collapsed(p_.span(e).text(), 60),
              true);
  return v;
}

Compiler::Value Compiler::apply_builtin(Resolution which, const std::vector<Value>& arguments, const Expr& e) {
  const Expr& function = p_.exprs[e.first];
  const std::string name = collapsed(p_.span(function).text(), 30);
  const size_t want = which == Resolution::fn_new_set || which == Resolution::fn_new_relation ? 0 : 1;
  if (arguments.size() != want) {
    type_error(p_.span(function), fmt::format("'{}' takes {} argument{}, not {}", name, want == 0 ? "no" : "one",
                                              want == 0 ? "s" : "", arguments.size()));
    return {};
  }
  if (which == Resolution::fn_new_set) return {Value::set, dag_.empty(Type::set, place(e))};
  if (which == Resolution::fn_new_relation) return {Value::rel, dag_.empty(Type::rel, place(e))};
  const Type type = which == Resolution::fn_toid ? Type::set : Type::rel;
  const std::string who = fmt::format("'{}'", name);
  NodeId a = k_no_node;
  if (!node_of(arguments[0], type, p_.exprs[function.next], who.c_str(), a)) return {};
  if (which == Resolution::fn_toid) return {Value::rel, dag_.unary(NodeOp::ident, a, place(e))};
  return {Value::set, dag_.unary(which == Resolution::fn_domain ? NodeOp::domain : NodeOp::range, a, place(e))};
}

Compiler::Value Compiler::apply(Value function, const std::vector<Value>& arguments, const Expr& e) {
  const Closure c = closures_[function.id];
  const std::vector<Parameter>& parameters = c.binding->groups[c.bound];
  if (c.binding->binder < was_applied_.size()) was_applied_[c.binding->binder] = true;
  if (arguments.size() != parameters.size()) {
    const Expr& head = p_.exprs[e.first];
    type_error(p_.span(head),
               fmt::format("'{}' takes {} argument{}, not {}", collapsed(p_.span(head).text(), 30), parameters.size(),
                           parameters.size() == 1 ? "" : "s", arguments.size()),
               fmt::format("it is defined at {}", p_.span(c.file, c.binding->begin, c.binding->end).location()));
    return {};
  }
  std::vector<uint32_t> key{function.id};
  for (const Value& v : arguments) key.insert(key.end(), {static_cast<uint32_t>(v.kind), v.id});
  if (const auto it = applied_.find(key); it != applied_.end()) return it->second;
  const FrameId frame = new_frame(c.frame, arguments);
  Value v;
  if (c.bound + 1 < c.binding->groups.size()) {
    closures_.push_back({c.binding, c.file, c.bound + 1, frame});
    v = {Value::function, static_cast<uint32_t>(closures_.size() - 1)};
  } else {
    calls_.push_back(&e);
    v = eval(c.binding->body, frame);
    calls_.pop_back();
  }
  applied_.emplace(std::move(key), v);
  return v;
}

// ---- functions that nobody applies -----------------------------------------------------------------

void Compiler::probe_unapplied_functions() {
  Findings* const out = findings_;
  const std::vector<BinderId> order = global_order_;
  for (BinderId b : order) {
    if (globals_[b].kind != Value::function || was_applied_[b]) continue;
    const Binding& f = *closures_[globals_[b].id].binding;
    size_t parameters = 0;
    for (const auto& group : f.groups) parameters += group.size();
    if (parameters > 4) continue;
    std::optional<Findings> fewest;
    for (uint32_t choice = 0; choice < (1u << parameters); ++choice) {
      Findings trial;
      findings_ = &trial;
      uint32_t bits = choice;
      FrameId frame = closures_[globals_[b].id].frame;
      for (const auto& group : f.groups) {
        std::vector<Value> slots;
        for (size_t i = 0; i < group.size(); ++i, bits >>= 1)
          slots.push_back(bits & 1 ? Value{Value::set, dag_.tag(vocab::Tag::R, {})}
                                   : Value{Value::rel, dag_.base(vocab::Base::po, {})});
        frame = new_frame(frame, std::move(slots));
      }
      eval(f.body, frame);
      findings_ = out;
      if (!fewest || trial.errors() < fewest->errors()) fewest = trial;
      if (fewest->errors() == 0) break;
    }
    for (const LintFinding& found : fewest->list())
      if (found.diagnostic.severity == Severity::error &&
          found.diagnostic.message.find("not a function") == std::string::npos)
        out->error("type", found.diagnostic.span, found.diagnostic.message, found.diagnostic.hint);
  }
  findings_ = out;
}

// ---- the result ------------------------------------------------------------------------------------

Model Compiler::model() const {
  std::vector<bool> needed(dag_.size());
  std::vector<bool> group_needed(groups_);
  std::vector<NodeId> todo;
  const auto need = [&](NodeId n) {
    if (n == k_no_node || needed[n]) return;
    needed[n] = true;
    todo.push_back(n);
  };
  std::unordered_map<Symbol, BinderId> last;
  for (BinderId b : global_order_) last[p_.binders[b].symbol] = b;
  constexpr BinderId k_told = UINT32_MAX;
  std::vector<BinderId> named;
  for (BinderId b : global_order_) {
    const Value v = globals_[b];
    if (last[p_.binders[b].symbol] != b || (v.kind != Value::set && v.kind != Value::rel && v.kind != Value::empty))
      continue;
    if (std::exchange(last[p_.binders[b].symbol], k_told) == k_told) continue;
    named.push_back(b);
    need(v.id);
  }
  for (const PendingAxiom& a : axioms_) need(a.node);
  for (const auto& [node, name] : shown_) need(node);
  while (!todo.empty()) {
    const NodeId n = todo.back();
    todo.pop_back();
    need(dag_[n].a);
    need(dag_[n].b);
    if (dag_[n].op != NodeOp::rec_var) continue;
    const uint32_t group = variables_[dag_[n].payload].group;
    if (group_needed[group]) continue;
    group_needed[group] = true;
    for (const Variable& v : variables_) {
      if (v.group != group) continue;
      need(v.reference);
      need(v.definition);
    }
  }

  Model m;
  std::vector<uint32_t> new_group(groups_), new_variable(variables_.size());
  for (uint32_t g = 0; g < groups_; ++g) {
    if (!group_needed[g]) continue;
    new_group[g] = static_cast<uint32_t>(m.groups.size());
    m.groups.emplace_back();
  }
  std::vector<NodeId> renumbered(dag_.size(), k_no_node);
  NodeId count = 0;
  for (NodeId n = 0; n < dag_.size(); ++n)
    if (needed[n]) renumbered[n] = count++;
  for (uint32_t i = 0; i < variables_.size(); ++i) {
    const Variable& v = variables_[i];
    if (!group_needed[v.group]) continue;
    new_variable[i] = static_cast<uint32_t>(m.variables.size());
    m.groups[new_group[v.group]].variables.push_back(new_variable[i]);
    m.variables.push_back({p_.name(p_.binders[v.binder].symbol), v.type, renumbered[v.definition],
                           renumbered[v.reference], new_group[v.group]});
  }
  m.nodes.reserve(count);
  for (NodeId n = 0; n < dag_.size(); ++n) {
    if (!needed[n]) continue;
    const Dag::Entry& e = dag_[n];
    Node node;
    node.op = e.op;
    node.type = e.type;
    if (e.a != k_no_node) node.kids.reserve(e.b != k_no_node ? 2 : 1);
    if (e.a != k_no_node) node.kids.push_back(renumbered[e.a]);
    if (e.b != k_no_node) node.kids.push_back(renumbered[e.b]);
    if (e.op == NodeOp::base_rel) node.base = static_cast<vocab::Base>(e.payload);
    if (e.op == NodeOp::base_set) node.tag = static_cast<vocab::Tag>(e.payload);
    if (e.op == NodeOp::rec_var) node.rec = new_variable[e.payload];
    node.name = e.name;
    node.span = span(e.place);
    m.nodes.push_back(std::move(node));
  }
  for (const PendingAxiom& a : axioms_)
    m.axioms.push_back({a.kind, a.negated, a.flag, renumbered[a.node], a.name, a.span});
  for (const auto& [node, name] : shown_) m.shown.push_back({renumbered[node], name});
  for (BinderId b : named) m.names.emplace_back(p_.name(p_.binders[b].symbol), renumbered[globals_[b].id]);
  return m;
}

}  // namespace fencepost::cat
