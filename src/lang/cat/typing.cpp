// Types of expressions: inferred without making nodes, checked when nodes are made, and what is said where they differ.
#include <fmt/format.h>

#include "cat/compile.h"

namespace fencepost::cat {

std::string collapsed(std::string_view text, size_t limit) {
  std::string out;
  for (char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.size() > limit) out = out.substr(0, limit - 3) + "...";
  return out;
}

Compiler::Value Compiler::infer(ExprId id, FrameId frame) {
  const Expr& e = p_.exprs[id];
  if (!within_limits() && !spend(p_.span(e))) return {};
  ++depth_;
  const Value v = infer_inner(e, frame);
  --depth_;
  return v;
}

Compiler::Value Compiler::infer_inner(const Expr& e, FrameId frame) {
  const auto typed = [](Value::Kind k) { return Value{k, k_no_node}; };
  switch (e.kind) {
    case ExprKind::name:
      return lookup(e, frame);
    case ExprKind::empty_any:
      return typed(Value::unknown);
    case ExprKind::union_:
    case ExprKind::inter:
    case ExprKind::diff: {
      // Any operand of the chain that has a type decides.
      const Expr* at = &e;
      for (; at->kind == ExprKind::union_ || at->kind == ExprKind::inter || at->kind == ExprKind::diff;
           at = &p_.exprs[at->first]) {
        const Value r = infer(p_.exprs[at->first].next, frame);
        if (r.kind == Value::set || r.kind == Value::rel) return typed(r.kind);
      }
      const Value l = infer(static_cast<ExprId>(at - p_.exprs.data()), frame);
      return typed(l.kind == Value::set || l.kind == Value::rel ? l.kind : Value::unknown);
    }
    case ExprKind::complement:
      return infer(e.first, frame);
    case ExprKind::seq:
    case ExprKind::product:
    case ExprKind::inverse:
    case ExprKind::plus:
    case ExprKind::star:
    case ExprKind::opt:
    case ExprKind::square:
    case ExprKind::ident:
      return typed(Value::rel);
    case ExprKind::fun:
      return definition(p_.lets[e.payload].bindings[0], e.file, frame);
    case ExprKind::try_with:
      return infer(e.payload == 0 ? e.first : p_.exprs[e.first].next, frame);
    case ExprKind::let_in: {
      const Let& group = p_.lets[e.payload];
      std::vector<Value> slots;
      if (group.recursive) {
        for (Type t : infer_types(group, false, frame)) slots.push_back(of_type(t, k_no_node));
      } else {
        for (const Binding& b : group.bindings)
          slots.push_back(b.groups.empty() ? infer(b.body, frame) : definition(b, group.file, frame));
      }
      return infer(e.first, new_frame(frame, std::move(slots)));
    }
    case ExprKind::apply: {
      const Value f = infer(e.first, frame);
      if (f.kind == Value::builtin) {
        const auto which = static_cast<Resolution>(f.id);
        return typed(which == Resolution::fn_toid || which == Resolution::fn_new_relation ? Value::rel : Value::set);
      }
      if (f.kind != Value::function) return typed(Value::unknown);
      const Closure c = closures_[f.id];
      std::vector<Value> slots;
      for (ExprId k = p_.exprs[e.first].next; k != k_no_expr; k = p_.exprs[k].next) slots.push_back(infer(k, frame));
      if (slots.size() != c.binding->groups[c.bound].size()) return typed(Value::unknown);
      const FrameId inner = new_frame(c.frame, std::move(slots));
      if (c.bound + 1 == c.binding->groups.size()) return infer(c.binding->body, inner);
      closures_.push_back({c.binding, c.file, c.bound + 1, inner});
      return {Value::function, static_cast<uint32_t>(closures_.size() - 1)};
    }
  }
  return typed(Value::unknown);
}

bool Compiler::node_of(Value v, Type want, const Expr& at, const char* who, NodeId& out) {
  if (v.kind == Value::error) return false;
  if (v.kind == Value::empty) {
    out = dag_.empty(want, place(at));
    return true;
  }
  if (v.kind == (want == Type::set ? Value::set : Value::rel)) {
    out = v.id;
    return true;
  }
  wrong_type(v, want, at, who);
  return false;
}

void Compiler::wrong_type(Value v, Type want, const Expr& at, const char* who) {
  const std::string text = collapsed(p_.span(at).text(), 40);
  std::string have = "function", hint = fmt::format("apply it: {}(...)", text);
  if (v.kind == Value::set) {
    have = "set";
    hint = fmt::format("[{}] is the identity on it, {} * {} its pairs", text, text, text);
  } else if (v.kind == Value::rel) {
    have = "relation";
    hint = fmt::format("domain({}) and range({}) are sets", text, text);
  }
  type_error(p_.span(at), fmt::format("{} needs a {}, but '{}' is a {}", who, type_name(want), text, have), hint);
}

void Compiler::type_error(const Span& at, std::string message, std::string hint) {
  for (const LintFinding& f : findings_->list()) {  // a body that is applied twice has its mistakes once
    const Span& other = f.diagnostic.span;
    if (other.source == at.source && other.begin == at.begin && other.end == at.end && f.rule == "type") return;
  }
  if (!calls_.empty()) {
    if (!hint.empty()) hint += "; ";
    hint += fmt::format("this happens in the call at {}", p_.span(*calls_.back()).location());
  }
  findings_->error("type", at, std::move(message), std::move(hint));
}

const Expr* Compiler::open_occurrence(ExprId id, FrameId frame) {
  const Expr& e = p_.exprs[id];
  if (e.kind == ExprKind::name) return is_open(lookup(e, frame)) ? &e : nullptr;
  if (e.kind == ExprKind::let_in || e.kind == ExprKind::fun) return nullptr;
  for (ExprId k = e.first; k != k_no_expr; k = p_.exprs[k].next)
    if (const Expr* found = open_occurrence(k, frame)) return found;
  return nullptr;
}

void Compiler::not_monotone(const Expr& operand, FrameId frame, const char* where) {
  const Expr* found = open_occurrence(static_cast<ExprId>(&operand - p_.exprs.data()), frame);
  const Expr& at = found != nullptr ? *found : operand;
  const std::string text = collapsed(p_.span(at).text(), 40);
  std::string hint =
      "a 'let rec' is the least solution of its equations, which exists when each right-hand side only "
      "grows with the names it defines";
  if (!calls_.empty()) hint += fmt::format("; this happens in the call at {}", p_.span(*calls_.back()).location());
  findings_->error("recursion", p_.span(at), fmt::format("'{}' stands {} in its own recursive definition", text, where),
                   hint);
}

}  // namespace fencepost::cat
