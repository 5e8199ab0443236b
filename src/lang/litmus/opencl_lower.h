#pragma once
// OPENCL threads -> prog::Template. One Lowering per thread; the memory of the test is complete before.
//
// Expressions are evaluated left to right; what touches memory inside them goes through temporaries, which
// print as declared variables named _t0, _t1, ... and are read back as temporaries. Right operands of && and
// || and the arms of ?: that touch memory run only when C runs them.
//
// Compare-exchange on `expected` in memory becomes, as OpenCL C 3.0 section 6.15.12.7.6 describes it:
//   _te = *expected;  _to = rmw object {if old == _te: desired};  if (_to != _te) *expected = _to;  result = _to == _te
// and with `&r` of a variable: _to = rmw object {if old == r: desired};  result = _to == r;  r = _to.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "litmus/opencl_ast.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::litmus::opencl {

// What threads share: the type of every object, by object id.
struct Memory {
  std::vector<CType> types;
};

// The location that thread `thread` calls `name`: its own work-group's, where each has one.
prog::SymbolId symbol_in(const prog::Test& test, uint32_t thread, std::string_view name);

// A value in flight. Pointers to a known location stay symbolic until they are used as numbers. Truth values
// keep width 1 under type int until a number is needed.
struct Value {
  term::Expr e;  // empty for a symbolic pointer and for void
  CType type;
  prog::SymbolId symbol = prog::k_none;
  term::Expr index;  // symbolic pointer: cells from the start, 64 bits; empty: 0
  bool is_void = false;
  bool symbolic() const { return symbol != prog::k_none; }
};

class Lowering {
 public:
  Lowering(const prog::Test& test, const Memory& memory, const Thread& ast);

  // A register of the initial state; before the code. The register's number.
  prog::RegId initial_register(const InitEntry& e, const CType& type);
  void run();

  // A register by source name, for conditions. Parameters become registers that hold their address.
  prog::RegId observed(std::string_view name, const Span& span);

  prog::Template& code() { return t_; }
  std::vector<prog::InitValue>& init() { return init_; }

 private:
  struct Variable {
    prog::RegId reg = 0;
    CType type;
    bool from_init = false;
    bool open = true;  // its block is still open
  };
  // Where a result should go: makes (or names) the register when the value is ready.
  struct Dest {
    CType type;
    std::string name;  // variable to declare or assign
    bool declare = false;
    bool used = false;
  };
  struct Place {
    prog::Address addr;
    CType type;  // of the object
  };
  struct If {
    prog::LabelId otherwise = prog::k_none;
    prog::LabelId end = prog::k_none;
    size_t branch = 0;
  };
  struct Loop {
    prog::LabelId head = prog::k_none;
    prog::LabelId end = prog::k_none;
    bool may_continue = true;
    size_t open_branches = 0;
  };

  // opencl_lower.cpp: statements
  void statements(const std::vector<Stmt>& list);
  void statement(const Stmt& s);
  void declare(const Stmt& s);
  void if_statement(const Stmt& s);
  void while_statement(const Stmt& s, const Expr* step);
  void do_statement(const Stmt& s);
  void leave(const Stmt& s);
  void go_to(const std::string& label, const Span& span);
  If begin_if(const term::Expr& condition, bool has_else, const Span& span);
  void begin_else(const If& i, const Span& span);
  void end_if(const If& i, const Span& span);

  // opencl_value.cpp: expressions
  Value value(const Expr& e, Dest* dest = nullptr);
  void discard(const Expr& e);  // value not needed
  Value name_value(const Expr& e);
  Value unary(const Expr& e, Dest* dest);
  Value binary(const Expr& e);
  Value combine(std::string_view op, const Value& a, const Value& b, const Span& span);
  Value pointer_sum(const Value& p, const Value& i, bool minus, const Span& span);
  Value logical(const Expr& e);
  Value conditional(const Expr& e);
  Value assign(const Expr& e);
  Value change_by_one(const Expr& e, bool want_old, bool wanted);
  Value minmax(const Expr& e);
  void set(const std::string& name, const Span& span, const Expr& right);
  void copy_to(prog::RegId reg, const CType& type, const Value& v, const Span& span);
  term::Expr condition(const Expr& e);  // width 1
  Place place(const Expr& lvalue);
  Place place_of(const Value& pointer, const Span& span);
  Value load(const Place& p, const Span& span, Dest* dest);
  void store(const Place& p, const Value& v, const Span& span);
  term::Expr word(const Value& v, const Span& span) const;
  term::Expr convert(const Value& v, const CType& to, const Span& span) const;
  term::Expr truth(const Value& v, const Span& span) const;
  Value promoted(const Value& v, const Span& span) const;

  // opencl_call.cpp: functions
  Value call(const Expr& e, bool wanted, Dest* dest);
  Value atomic_call(const Expr& e, const std::string& operation, bool is_explicit, bool wanted, Dest* dest);
  Value atomic_at(const std::optional<Place>& at, const Expr& e, const std::string& operation, bool is_explicit,
                  bool wanted, Dest* dest);
  Value flag_call(const Expr& e, bool clear, bool is_explicit, bool wanted, Dest* dest);
  Value compare_exchange(const Expr& e, const std::string& mnemonic, bool is_explicit, bool wanted, Dest* dest);
  Value fence_call(const Expr& e);
  // opencl_cuda.cpp: the functions of CUDA
  bool cuda() const { return test_.syntax == prog::Syntax::cuda; }
  Value cuda_call(const Expr& e, bool wanted, Dest* dest);
  Value cuda_atomic(const Expr& e, const std::string& operation, vocab::Tag scope, bool wanted, Dest* dest);
  Value cuda_barrier(const Expr& e, const std::string& label);
  Value barrier_call(const Expr& e, const std::string& label);

  // registers
  prog::RegId new_register(const std::string& name, const CType& type, bool temporary);
  prog::RegId temporary(const CType& type);
  prog::RegId destination(Dest* dest, const CType& type);  // dest if it fits, else a temporary
  prog::RegId declare_variable(const std::string& name, const CType& type, const Span& span);
  Variable& variable(const std::string& name, const Span& span);
  Value register_value(prog::RegId reg, const CType& type) const;
  const Parameter* parameter(std::string_view name) const;
  void collect_assigned_parameters();

  prog::Instr& emit(prog::Instr i, const Span& span);
  prog::LabelId new_label(std::string name);
  void put_label(prog::LabelId l, prog::Form form, const Span& span);

  const prog::Test& test_;
  const Memory& memory_;
  const Thread& ast_;
  prog::Template t_;
  std::vector<prog::InitValue> init_;
  std::map<std::string, Variable, std::less<>> variables_;
  std::map<std::string, prog::LabelId, std::less<>> gotos_;
  std::map<std::string, Span, std::less<>> wanted_labels_;  // mentioned by goto, not yet placed
  std::vector<std::vector<std::string>> scopes_;
  std::vector<size_t> open_branches_;  // of the ifs and whiles around the current statement
  std::vector<Loop> loops_;
  uint32_t constructs_ = 0;  // structured statements so far
  uint32_t jumps_ = 0;       // gotos so far
  uint32_t temporaries_ = 0;
  uint32_t unnamed_barriers_ = 0;
  uint32_t unnamed_warp_barriers_ = 0;
};

// True when evaluating `e` neither touches memory nor changes a variable.
bool is_pure(const Expr& e);
bool is_temporary_name(std::string_view name);  // _t0, _t1, ...

}  // namespace fencepost::litmus::opencl
