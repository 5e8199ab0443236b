// PTX litmus tests: the dialect of the published GPU corpora, and the shorter spellings of the papers.
#include <fmt/format.h>

#include <algorithm>

#include "litmus/asm_litmus.h"
#include "litmus/asm_ptx.h"
#include "litmus/parse.h"
#include "litmus/ptx_async.h"
#include "litmus/ptx_host.h"
#include "prog/syntax.h"
#include "vocab/vocab.h"

namespace fencepost::litmus {
namespace {

using prog::Instr;
using prog::Kind;

// Instructions of PTX ISA 9.4 that litmus tests do not have.
bool is_of_the_isa(std::string_view head) {
  static constexpr std::string_view k_heads[] = {
      "abs",          "activemask", "addc",      "alloca",  "applypriority", "bfe",          "bfi",
      "bfind",        "bmsk",       "brev",      "brkpt",   "brx",           "call",         "clmad",
      "clz",          "cnot",       "copysign",  "cos",     "createpolicy",  "cvt",          "cvta",
      "discard",      "dp2a",       "dp4a",      "elect",   "ex2",           "exit",         "fma",
      "fns",          "getctarank", "isspacep",  "istypep", "ldmatrix",      "ldu",          "lg2",
      "lop3",         "mad",        "mad24",     "madc",    "mapa",          "match",        "max",
      "min",          "mma",        "movmatrix", "mul24",   "nanosleep",     "neg",          "pmevent",
      "popc",         "prefetch",   "prefetchu", "prmt",    "rcp",           "redux",        "rem",
      "ret",          "rsqrt",      "sad",       "selp",    "set",           "setmaxnreg",   "setp",
      "shf",          "shfl",       "sin",       "slct",    "spcompress",    "spdecompress", "sqrt",
      "stackrestore", "stacksave",  "stmatrix",  "subc",    "suq",           "szext",        "tanh",
      "testp",        "tex",        "tld4",      "trap",    "txq",           "vote",         "wmma",
      "mov",          "not",        "cp",        "bra"};
  return std::find(std::begin(k_heads), std::end(k_heads), head) != std::end(k_heads);
}

void instruction(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m) {
  if (t.host) return parse_host_instruction(c, b, t, m);
  Instr i;
  if (m.head().is("ld") && m.parts.size() == 1) {  // "ld r, v" moves a value into a register
    i.kind = Kind::local;
    i.mnemonic = "ld";
    i.dst = parse_register(c, t);
    parse_comma(c, m);
    if (!at_value(c) && c.peek().kind == Tok::word)
      fail_at(c.span(m.end, m.end + 1), "a load needs an order here",
              fmt::format("write ld.weak {}, {}", t.code().registers[i.dst].name, c.peek().text));
    i.value = parse_value(c, t);
    i.args = {i.value};
    i.span = c.since(m.head().begin);
    t.emit(std::move(i));
    return;
  }
  if (parse_ptx_async(c, b, t, m)) return;
  const PtxOp op = parse_ptx_op(c, m);
  i.mnemonic = op.mnemonic;
  i.tags = op.tags;
  switch (op.kind) {
    case PtxOp::Kind::none: {
      if (is_of_the_isa(m.head().text))
        unsupported(
            c.span(m.head().begin, m.end), fmt::format("{} is not modelled", litmus::quoted(m.text())),
            "docs/litmus.md lists the instructions that are; columns with registers such as %r1 are read as modules");
      std::vector<std::string> known = ptx_mnemonics();
      known.insert(known.end(), ptx_async_mnemonics().begin(), ptx_async_mnemonics().end());
      known.insert(known.end(), common_mnemonics().begin(), common_mnemonics().end());
      for (const char* q : {"exists", "forall", "filter", "locations"}) known.emplace_back(q);
      for (const std::string& x86 : host_mnemonics())
        if (m.head().is(x86))
          c.fail(m.head(), fmt::format("{} is an instruction of x86, and this thread is on a GPU", litmus::quoted(x86)),
                 "threads of the host are placed so: P1@host");
      c.fail(m.head(), fmt::format("PTX has no instruction {}", litmus::quoted(m.head().text)),
             suggest(m.head().text, known,
                     "instructions are ld st atom red fence bar, their tex/surf forms, arithmetic and branches"));
    }
    case PtxOp::Kind::load:
      i.kind = Kind::load;
      i.dst = parse_register(c, t);
      parse_comma(c, m);
      i.addr.symbol = parse_location(c, b);
      break;
    case PtxOp::Kind::store:
      i.kind = Kind::store;
      i.addr.symbol = parse_location(c, b);
      parse_comma(c, m);
      i.value = parse_value(c, t);
      i.args = {i.value};
      break;
    case PtxOp::Kind::atom:
    case PtxOp::Kind::red: {
      prog::RegId dst = prog::k_none;
      if (op.kind == PtxOp::Kind::atom) {
        dst = parse_register(c, t);
        parse_comma(c, m);
      }
      const prog::SymbolId location = parse_location(c, b);
      std::vector<term::Expr> args;
      do {
        parse_comma(c, m);
        args.push_back(parse_value(c, t));
      } while (args.size() < (op.rmw == PtxOp::Rmw::cas ? 2u : 1u));
      i = make_ptx_rmw(op, dst, location, std::move(args));
      break;
    }
    case PtxOp::Kind::fence:
      i.kind = Kind::fence;
      break;
    case PtxOp::Kind::barrier:
      parse_barrier_operands(c, t, m, i);
      i.barrier.arrive = op.arrive;
      i.barrier.level = *vocab::level_of(prog::Dialect::ptx, "cta");
      break;
  }
  i.span = c.since(m.head().begin);
  guard_mbarrier(b, t, i);
  t.emit(std::move(i));
}

}  // namespace

Expected<prog::Test> parse_ptx(SourcePtr source) {
  static const AsmDialect dialect{
      prog::Syntax::ptx, prog::Dialect::ptx, {"gpu", "cta"}, true, false, instruction, true, true};
  return guarded([&] { return parse_asm(source, dialect); });
}

}  // namespace fencepost::litmus
