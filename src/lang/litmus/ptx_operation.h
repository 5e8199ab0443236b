#pragma once
// Private to the reader of PTX's newer instructions: the events of one instruction, which is what ptx_async.cpp
// (copies, fences, mbarriers), ptx_tensor.cpp (tensor copies) and ptx_multimem.cpp are made of. Sections are those of
// PTX ISA 9.4.
//
// All events of one operation have one number; the first carries the text, the others are hidden.
#include <string>
#include <utility>
#include <vector>

#include "litmus/ptx_forms.h"
#include "prog/mbarrier.h"
#include "prog/ptx_objects.h"
#include "vocab/vocab.h"

namespace fencepost::litmus {

inline constexpr uint64_t k_element = 8;  // bytes of a location
inline constexpr uint64_t k_box = 16;     // bytes that one location stands for in a bulk copy

inline term::Expr number(uint64_t v) { return term::constant(v, 64); }
prog::Tag scope_tag(std::string_view word, std::string_view otherwise);  // "" is `otherwise`
prog::Tag order_tag(std::string_view word, std::string_view otherwise);
bool same_cta(const AsmBuilder& b, uint32_t s, uint32_t t);
bool same_cluster(const AsmBuilder& b, uint32_t s, uint32_t t);
// The number of a thread's CTA in its cluster, by the order in which the first row names them (%cluster_ctarank), and
// how many CTAs its cluster has.
uint32_t cta_rank(const AsmBuilder& b, uint32_t thread);
uint32_t cta_count(const AsmBuilder& b, uint32_t thread);

class Operation {
 public:
  Operation(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m, Written w);

 protected:
  [[noreturn]] void fail(const std::string& message, const std::string& hint) const;
  [[noreturn]] void refuse(const std::string& message, const std::string& hint) const;  // known, and not modelled
  // "Qualifiers .sem and .scope must be specified together"; a weak access has no scope. The default has neither.
  void check_order_and_scope() const;

  // ---- events ----
  prog::Instr& emit(prog::Instr i);
  prog::Instr& event(prog::Kind kind, prog::TagSet tags);
  term::Expr set(const term::Expr& value);        // a register that holds it
  void undefined_if(const term::Expr& when);      // the flag undefined-behavior
  prog::RegId predicate(const term::Expr& when);  // a register for prog::Instr::predicate
  void next_operation() { operation_ = t_.new_operation(); }

  // Accesses of an asynchronous operation, which have the tag ASY beside `tags`.
  term::Expr load(prog::TagSet tags, prog::SymbolId from);
  void store(prog::TagSet tags, prog::SymbolId to, const term::Expr& value);
  void transfer(prog::TagSet read, prog::TagSet write);  // from locations[1] to locations[0]
  void reduce(prog::TagSet tags, prog::SymbolId at, const term::Expr& by, prog::Tag write_order = prog::Tag::RLX);
  // What the operation of the mnemonic makes of the two.
  term::Expr reduced(const term::Expr& old, const term::Expr& by) const;

  // ---- checks ----
  const prog::Object& object(prog::SymbolId s) const { return b_.test.objects[b_.test.symbols[s].object]; }
  const std::string& name_of(prog::SymbolId s) const { return b_.test.symbols[s].name; }
  // None: of a bulk copy, which has any multiple of 16. A location is what is copied, and its value the first element.
  void check_size(const std::vector<uint64_t>& of) const;
  void in_space(prog::SymbolId s, bool shared, bool own);
  // The mbarrier operand. local: the instruction has no form for a peer's, which is undefined (9.7.15.16.11).
  void at_mbarrier(prog::SymbolId m, bool local);
  // A copy signals an mbarrier in the CTA of its destination.
  void signal_with(prog::SymbolId destination, prog::SymbolId m);
  // "Operand ctaMask specifies the destination CTAs": `at` has one object in each of them, and no other.
  void check_mask(const std::vector<prog::SymbolId>& at) const;

  // ---- mbarriers (9.7.15.16) and completion ----
  // Reads and writes the object in one step. `token`: receives the phase before.
  void on_mbarrier(prog::MbarrierOp op, prog::SymbolId m, const term::Expr& n, prog::TagSet read, prog::TagSet write,
                   prog::RegId token = prog::k_none, prog::TagSet more = {});
  // complete-tx: after the accesses of its own operation alone, a release at .cluster, through the generic proxy.
  void complete(prog::SymbolId m, uint64_t bytes);
  void track(size_t kind);  // the operation is of the next group: 0 of cp.async, 1 of bulk copies

  prog::TagSet bulk_tags() const;  // of the accesses of a bulk copy, by its order and scope

  Cursor& c_;
  AsmBuilder& b_;
  ThreadBuilder& t_;
  const Mnemonic& m_;
  Written w_;
  uint32_t thread_;
  uint32_t operation_ = 0;
  bool first_ = true;
  Span span_;
};

// Once all threads are read: reductions of floating point count in whole numbers, which are exact up to a bound of the
// type. A test that may go beyond it is refused.
void check_float_reductions(AsmBuilder& b);

// The two rooms of meanings beside ptx_async.cpp.
void lower_tensor(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m, Written w);
void lower_multimem(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m, Written w);

}  // namespace fencepost::litmus
