// Statements and registers of OPENCL threads.
//
// Structured control flow becomes branches and labels that remember their form:
//   if:     branch !c -> else|end (c_if); then; [jump -> end (c_else); label else (c_else); else]; label end (c_end)
//   while:  label head (c_while); c; branch !c -> end (c_while); body; jump -> head (c_while_back); label end (c_end)
//   do:     label head (c_while, mnemonic "do"); body; branch c -> head (c_while_back); label end (c_end)
// A control dependency reaches to the end of the statement; a `break` or `continue` inside an `if` carries it
// on to the end of the loop, a `goto` to the end of the thread.
#include "litmus/opencl_lower.h"

#include <fmt/format.h>

#include <algorithm>

namespace fencepost::litmus::opencl {

using prog::CtrlReach;
using prog::Form;
using prog::Instr;
using prog::k_none;
using prog::Kind;

Lowering::Lowering(const prog::Test& test, const Memory& memory, const Thread& ast)
    : test_(test), memory_(memory), ast_(ast) {
  for (const Parameter& p : ast.parameters) t_.parameters.push_back(p.text);
}

bool is_temporary_name(std::string_view name) { return is_number_after(name, "_t"); }

// ---- registers ---------------------------------------------------------------------------------------

prog::RegId Lowering::new_register(const std::string& name, const CType& type, bool temporary) {
  prog::Register r;
  r.temporary = temporary;
  // The name of a temporary follows from its number, so that printing and parsing agree on it.
  r.name = temporary ? fmt::format("_t{}", temporaries_++) : name;
  r.type = type.plain().text();
  r.width = type.value_width();
  r.is_unsigned = !type.pointer() && !type.is_signed;
  t_.registers.push_back(std::move(r));
  return static_cast<prog::RegId>(t_.registers.size() - 1);
}

prog::RegId Lowering::temporary(const CType& type) { return new_register("", type, true); }

Value Lowering::register_value(prog::RegId reg, const CType& type) const {
  Value v;
  v.e = term::variable(reg, t_.registers[reg].width);
  v.type = type.plain();
  return v;
}

const Parameter* Lowering::parameter(std::string_view name) const {
  for (const Parameter& p : ast_.parameters)
    if (p.name == name) return &p;
  return nullptr;
}

prog::RegId Lowering::declare_variable(const std::string& name, const CType& type, const Span& span) {
  if (parameter(name))
    fail_at(span, fmt::format("{} is a parameter of P{}", litmus::quoted(name), ast_.id), "rename the variable");
  const auto it = variables_.find(name);
  if (it != variables_.end()) {
    Variable& v = it->second;
    if (!(v.type.text() == type.plain().text()))
      fail_at(span, fmt::format("{} is already declared as {}", litmus::quoted(name), v.type.text()),
              "rename one of the two");
    if (v.open && !v.from_init)
      fail_at(span, fmt::format("{} is already declared", litmus::quoted(name)),
              "assign to it, or rename one of the two");
    v.open = true;
    v.from_init = false;
    if (!scopes_.empty()) scopes_.back().push_back(name);
    return v.reg;
  }
  const prog::RegId reg = new_register(name, type, is_temporary_name(name));
  variables_.emplace(name, Variable{reg, type.plain(), false, true});
  if (!scopes_.empty()) scopes_.back().push_back(name);
  return reg;
}

Lowering::Variable& Lowering::variable(const std::string& name, const Span& span) {
  const auto it = variables_.find(name);
  if (it != variables_.end()) return it->second;
  std::vector<std::string> names;
  for (const auto& [n, v] : variables_) names.push_back(n);
  for (const Parameter& p : ast_.parameters) names.push_back(p.name);
  const bool is_location = std::any_of(test_.symbols.begin(), test_.symbols.end(),
                                       [&](const prog::Symbol& s) { return prog::declared_name(s) == name; });
  if (is_location)
    fail_at(span, fmt::format("{} is not a parameter of P{}", litmus::quoted(name), ast_.id),
            fmt::format("add 'global int* {}' to the parameters of P{}", name, ast_.id));
  if (name.starts_with("memory_") || name.starts_with("CLK_"))
    fail_at(span, fmt::format("{} is not a value", litmus::quoted(name)),
            "orders, scopes and fence flags stand in their places in atomic functions only");
  fail_at(span, fmt::format("{} is not declared in P{}", litmus::quoted(name), ast_.id),
          suggest(name, names,
                  fmt::format("declare it, int {0} = 0; or add 'global int* {0}' to the parameters of P{1}", name,
                              ast_.id)));
}

prog::RegId Lowering::destination(Dest* dest, const CType& type) {
  if (!dest || dest->used || dest->type.value_width() != type.value_width()) return temporary(type.plain());
  dest->used = true;
  if (dest->declare) return declare_variable(dest->name, dest->type, {});
  return variables_.find(dest->name)->second.reg;
}

prog::RegId Lowering::initial_register(const InitEntry& e, const CType& type) {
  if (parameter(e.name))
    fail_at(e.span, fmt::format("{} is a parameter of P{}", litmus::quoted(e.name), ast_.id),
            "its value is the address of the location");
  if (variables_.contains(e.name))
    fail_at(e.span, fmt::format("a second initial value of {}:{}", e.thread, e.name), "remove one");
  if (is_temporary_name(e.name))
    fail_at(e.span, fmt::format("{} is the name of a temporary", litmus::quoted(e.name)), "rename the register");
  const prog::RegId reg = new_register(e.name, type, false);
  variables_.emplace(e.name, Variable{reg, type.plain(), true, true});
  return reg;
}

prog::RegId Lowering::observed(std::string_view name, const Span& span) {
  const auto it = variables_.find(name);
  if (it != variables_.end() && !t_.registers[it->second.reg].temporary) return it->second.reg;
  if (const Parameter* p = parameter(name)) {
    CType type = p->type;
    ++type.stars;
    const prog::RegId reg = new_register(p->name, type, false);
    variables_.emplace(p->name, Variable{reg, type, false, true});
    init_.push_back({reg, 0, symbol_in(test_, ast_.id, p->name)});
    return reg;
  }
  std::vector<std::string> names;
  for (const auto& [n, v] : variables_)
    if (!t_.registers[v.reg].temporary) names.push_back(n);
  std::string all;
  for (const auto& n : names) all += (all.empty() ? "" : ", ") + n;
  fail_at(span, fmt::format("thread P{} has no variable {}", ast_.id, litmus::quoted(name)),
          suggest(name, names, names.empty() ? "this thread declares no variable" : "its variables are " + all));
}

// ---- code --------------------------------------------------------------------------------------------

Instr& Lowering::emit(Instr i, const Span& span) {
  i.span = span;
  if (t_.code.size() > 100000) fail_at(span, "this thread is too long", "split the test");
  t_.code.push_back(std::move(i));
  return t_.code.back();
}

prog::LabelId Lowering::new_label(std::string name) {
  t_.labels.push_back({std::move(name), 0});
  return static_cast<prog::LabelId>(t_.labels.size() - 1);
}

void Lowering::put_label(prog::LabelId l, Form form, const Span& span) {
  Instr i;
  i.kind = Kind::label;
  i.label = l;
  i.form = form;
  t_.labels[l].at = static_cast<uint32_t>(t_.code.size());
  emit(std::move(i), span);
}

namespace {

void assigned_names(const Expr& e, std::vector<std::string>& out);

void assigned_names(const std::vector<Stmt>& list, std::vector<std::string>& out) {
  for (const Stmt& s : list) {
    if (s.value) assigned_names(*s.value, out);
    if (s.step) assigned_names(*s.step, out);
    assigned_names(s.init, out);
    assigned_names(s.body, out);
    assigned_names(s.otherwise, out);
  }
}

void assigned_names(const Expr& e, std::vector<std::string>& out) {
  const bool changes = e.kind == Expr::Kind::assign || e.kind == Expr::Kind::postfix ||
                       (e.kind == Expr::Kind::unary && (e.op == "++" || e.op == "--"));
  if (changes && e.kids[0]->kind == Expr::Kind::name) out.push_back(e.kids[0]->op);
  for (const ExprPtr& k : e.kids) assigned_names(*k, out);
  assigned_names(e.body, out);
}

}  // namespace

// A parameter that the code moves is a register; the others are their locations.
void Lowering::collect_assigned_parameters() {
  std::vector<std::string> names;
  assigned_names(ast_.body, names);
  for (const Parameter& p : ast_.parameters)
    if (std::find(names.begin(), names.end(), p.name) != names.end()) observed(p.name, p.span);
}

void Lowering::run() {
  collect_assigned_parameters();
  statements(ast_.body);
  if (!wanted_labels_.empty()) {
    const auto& [name, span] = *wanted_labels_.begin();
    fail_at(span, fmt::format("there is no label {} in P{}", litmus::quoted(name), ast_.id),
            fmt::format("place it: {}: statement", name));
  }
}

void Lowering::statements(const std::vector<Stmt>& list) {
  scopes_.emplace_back();
  for (const Stmt& s : list) statement(s);
  for (const std::string& name : scopes_.back()) variables_.find(name)->second.open = false;
  scopes_.pop_back();
}

void Lowering::statement(const Stmt& s) {
  switch (s.kind) {
    case Stmt::Kind::expr:
      if (cuda() && s.value->kind == Expr::Kind::call &&
          (s.value->op == "__syncthreads" || s.value->op == "__syncwarp"))
        cuda_barrier(*s.value, s.name);
      else if (s.value->kind == Expr::Kind::call && s.value->op.find("barrier") != std::string::npos)
        barrier_call(*s.value, s.name);
      else
        discard(*s.value);
      return;
    case Stmt::Kind::declare:
      return declare(s);
    case Stmt::Kind::block:
      return statements(s.body);
    case Stmt::Kind::if_:
      return if_statement(s);
    case Stmt::Kind::while_:
      return while_statement(s, nullptr);
    case Stmt::Kind::do_:
      return do_statement(s);
    case Stmt::Kind::for_:
      scopes_.emplace_back();
      for (const Stmt& i : s.init) statement(i);
      while_statement(s, s.step.get());
      for (const std::string& name : scopes_.back()) variables_.find(name)->second.open = false;
      scopes_.pop_back();
      return;
    case Stmt::Kind::break_:
    case Stmt::Kind::continue_:
      return leave(s);
    case Stmt::Kind::goto_: {
      Instr i;
      i.kind = Kind::jump;
      go_to(s.name, s.span);
      i.label = gotos_.find(s.name)->second;
      emit(std::move(i), s.span);
      return;
    }
    case Stmt::Kind::label: {
      const bool known = gotos_.contains(s.name);
      if (known && !wanted_labels_.contains(s.name))
        fail_at(s.span, fmt::format("a second label {}", litmus::quoted(s.name)), "rename one");
      if (!known) gotos_.emplace(s.name, new_label(s.name));
      wanted_labels_.erase(s.name);
      put_label(gotos_.find(s.name)->second, Form::plain, s.span);
      return;
    }
  }
}

void Lowering::go_to(const std::string& label, const Span& span) {
  ++jumps_;
  for (size_t open : open_branches_) {
    t_.code[open].reach = CtrlReach::rest_of_thread;
    t_.code[open].ctrl_end = k_none;
  }
  if (gotos_.contains(label)) return;
  gotos_.emplace(label, new_label(label));
  wanted_labels_.emplace(label, span);
}

void Lowering::declare(const Stmt& s) {
  if (!s.value) {
    declare_variable(s.name, s.type, s.span);
    return;
  }
  // The variable comes into being after its initialiser has been evaluated.
  Dest dest{s.type, s.name, true, false};
  if (const auto it = variables_.find(s.name); it != variables_.end() || parameter(s.name)) {
    declare_variable(s.name, s.type, s.span);
    dest.declare = false;
  }
  const Value v = value(*s.value, &dest);
  if (dest.used) return;
  if (v.is_void) fail_at(s.value->span, "this has no value", "only loads and read-modify-writes give one");
  const prog::RegId reg = dest.declare ? declare_variable(s.name, s.type, s.span) : variables_.find(s.name)->second.reg;
  copy_to(reg, s.type.plain(), v, s.span);
}

Lowering::If Lowering::begin_if(const term::Expr& condition, bool has_else, const Span& span) {
  If out;
  const uint32_t n = constructs_++;
  if (has_else) out.otherwise = new_label(fmt::format("else.{}", n));
  out.end = new_label(fmt::format("end.{}", n));
  out.branch = t_.code.size();
  Instr i;
  i.kind = Kind::branch;
  i.value = term::unary(term::Op::not_, condition);
  i.args = {condition};
  i.label = has_else ? out.otherwise : out.end;
  i.reach = CtrlReach::to_label;
  i.ctrl_end = out.end;
  i.form = Form::c_if;
  emit(std::move(i), span);
  open_branches_.push_back(out.branch);
  return out;
}

void Lowering::begin_else(const If& i, const Span& span) {
  Instr jump;
  jump.kind = Kind::jump;
  jump.label = i.end;
  jump.form = Form::c_else;
  emit(std::move(jump), span);
  put_label(i.otherwise, Form::c_else, span);
}

void Lowering::end_if(const If& i, const Span& span) {
  put_label(i.end, Form::c_end, span);
  open_branches_.pop_back();
}

void Lowering::if_statement(const Stmt& s) {
  const term::Expr c = condition(*s.value);
  if (!s.has_else && s.body.size() == 1 && s.body.front().kind == Stmt::Kind::goto_) {
    // `if (c) goto l;` is the conditional jump of assembly.
    go_to(s.body.front().name, s.body.front().span);
    Instr i;
    i.kind = Kind::branch;
    i.value = c;
    i.args = {c};
    i.label = gotos_.find(s.body.front().name)->second;
    emit(std::move(i), s.span);
    return;
  }
  const If i = begin_if(c, s.has_else, s.span);
  statements(s.body);
  if (s.has_else) {
    begin_else(i, s.span);
    statements(s.otherwise);
  }
  end_if(i, s.span);
}

void Lowering::while_statement(const Stmt& s, const Expr* step) {
  const uint32_t n = constructs_++;
  const prog::LabelId head = new_label(fmt::format("while.{}", n));
  const prog::LabelId end = new_label(fmt::format("end.{}", n));
  put_label(head, Form::c_while, s.span);
  t_.code.back().mnemonic = "while";
  t_.code.back().ctrl_end = end;
  loops_.push_back({head, end, step == nullptr, open_branches_.size()});
  const term::Expr c = s.value ? condition(*s.value) : term::constant(1, 1);
  Instr test;
  test.kind = Kind::branch;
  test.value = term::unary(term::Op::not_, c);
  test.args = {c};
  test.label = end;
  test.reach = CtrlReach::to_label;
  test.ctrl_end = end;
  test.form = Form::c_while;
  open_branches_.push_back(t_.code.size());
  emit(std::move(test), s.span);
  statements(s.body);
  if (step) discard(*step);
  Instr back;
  back.kind = Kind::jump;
  back.label = head;
  back.form = Form::c_while_back;
  emit(std::move(back), s.span);
  put_label(end, Form::c_end, s.span);
  open_branches_.pop_back();
  loops_.pop_back();
}

void Lowering::do_statement(const Stmt& s) {
  const uint32_t n = constructs_++;
  const uint32_t jumps = jumps_;
  const prog::LabelId head = new_label(fmt::format("do.{}", n));
  const prog::LabelId end = new_label(fmt::format("end.{}", n));
  put_label(head, Form::c_while, s.span);
  t_.code.back().mnemonic = "do";
  t_.code.back().ctrl_end = end;
  loops_.push_back({head, end, false, open_branches_.size()});
  statements(s.body);
  const term::Expr c = condition(*s.value);
  Instr back;
  back.kind = Kind::branch;
  back.value = c;
  back.args = {c};
  back.label = head;
  back.reach = jumps == jumps_ ? CtrlReach::to_label : CtrlReach::rest_of_thread;
  back.ctrl_end = jumps == jumps_ ? end : k_none;
  back.form = Form::c_while_back;
  emit(std::move(back), s.span);
  put_label(end, Form::c_end, s.span);
  loops_.pop_back();
}

void Lowering::leave(const Stmt& s) {
  const bool is_break = s.kind == Stmt::Kind::break_;
  if (loops_.empty())
    fail_at(s.span, fmt::format("this {} is in no loop", is_break ? "break" : "continue"),
            "it belongs into a while or for loop");
  const Loop& loop = loops_.back();
  if (!is_break && !loop.may_continue)
    unsupported(s.span, "continue in a for or do loop is not supported", "write a while loop, or use if");
  // Whether the rest of the loop runs now depends on the enclosing ifs.
  for (size_t k = loop.open_branches; k < open_branches_.size(); ++k)
    if (t_.code[open_branches_[k]].reach == CtrlReach::to_label) t_.code[open_branches_[k]].ctrl_end = loop.end;
  Instr i;
  i.kind = Kind::jump;
  i.mnemonic = is_break ? "break" : "continue";
  i.label = is_break ? loop.end : loop.head;
  emit(std::move(i), s.span);
}

}  // namespace fencepost::litmus::opencl
