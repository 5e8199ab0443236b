#pragma once
// Instructions of the PTX memory model (PTX ISA 7.5, section "Memory Consistency Model"; .cluster of PTX ISA 7.8),
// shared by the PTX litmus dialect and the mixed-proxy `.test` notation. Modifiers may stand in any order; the mnemonic
// that is kept is in the order order.scope.operation.
//
//   event tags: kind (R W F RMW), order (WEAK RLX ACQ REL ACQ_REL SC), scope (CTA CLUSTER GPU SYS), proxy (GEN TEX SUR
//   CON). A weak access has no scope. `fence.gpu` is fence.acq_rel.gpu; `membar.gl` is fence.sc.gpu, `membar.proxy.P`
//   is fence.proxy.P. `.volatile` is relaxed at scope sys (PTX ISA 7.5, 8.3.1). `fence.sc` carries
//   SC but not ACQ_REL. A proxy fence carries F and its proxy, no scope; an alias fence F and ALIAS.
//   A control barrier is F and B, without scope or proxy.
//   red: its read is RED as well.
//   atom, red: the read is ACQ under acquire and acq_rel, the write REL under release and acq_rel, else RLX.
#include "litmus/asm_builder.h"

namespace fencepost::litmus {

struct PtxOptions {
  bool default_orders = false;   // no order means weak (ld, st) or relaxed at scope gpu (atom, red)
  bool operation_first = false;  // canonical mnemonic atom.add.relaxed.gpu instead of atom.relaxed.gpu.add
};

// What a mnemonic says, without its operands.
struct PtxOp {
  enum class Kind : uint8_t { none, load, store, atom, red, fence, barrier } kind = Kind::none;
  enum class Rmw : uint8_t { none, arithmetic, cas, exch } rmw = Rmw::none;
  term::Op op = term::Op::add;  // of Rmw::arithmetic
  bool arrive = false;          // barrier
  std::string mnemonic;         // canonical
  prog::TagSet tags, store_tags;
};

// kind none: the head is no PTX memory instruction. Throws for modifiers that do not fit.
PtxOp parse_ptx_op(const Cursor& c, const Mnemonic& m, PtxOptions options = {});
const std::vector<std::string>& ptx_mnemonics();

// The instruction of a read-modify-write, once its operands are known. `args`: the operand, or expected and new.
prog::Instr make_ptx_rmw(const PtxOp& op, prog::RegId dst, prog::SymbolId location, std::vector<term::Expr> args);

}  // namespace fencepost::litmus
