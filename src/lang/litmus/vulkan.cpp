// VULKAN litmus tests: the dialect of the published GPU corpora, and the papers' "ld.sc0 r3, 1".
#include <fmt/format.h>

#include "litmus/asm_litmus.h"
#include "litmus/asm_vulkan.h"
#include "litmus/parse.h"
#include "prog/syntax.h"
#include "vocab/vocab.h"

namespace fencepost::litmus {
namespace {

using prog::Instr;
using prog::Kind;

void instruction(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m) {
  Instr i;
  // "ld r, v" and "ld.sc0 r, v" move a value into a register: there is no memory to load from.
  const auto is_move = [&] {
    return m.head().is("ld") && at_register(c) && c.peek(1).is(",") &&
           (c.peek(2).kind == Tok::number || c.peek(2).is("-") ||
            (c.peek(2).kind == Tok::word && is_register_name(c.peek(2).text)));
  };
  if (m.head().is("ld") && (m.parts.size() == 1 || is_move())) {
    if (m.parts.size() > 1) parse_vulkan_op(c, m, VulkanSpelling::litmus);  // modifiers must at least make sense
    i.kind = Kind::local;
    i.mnemonic = "ld";
    i.dst = parse_register(c, t);
    parse_comma(c, m);
    if (!at_value(c) && c.peek().kind == Tok::word)
      fail_at(c.span(m.end, m.end + 1), "a load needs a storage class here",
              fmt::format("write ld.sc0 {}, {}", t.code().registers[i.dst].name, c.peek().text));
    i.value = parse_value(c, t);
    i.args = {i.value};
    i.span = c.since(m.head().begin);
    t.emit(std::move(i));
    return;
  }
  const VulkanOp op = parse_vulkan_op(c, m, VulkanSpelling::litmus);
  i.mnemonic = op.mnemonic;
  i.tags = op.tags;
  i.store_tags = op.store_tags;
  switch (op.kind) {
    case VulkanOp::Kind::none: {
      std::vector<std::string> known = vulkan_mnemonics();
      known.insert(known.end(), common_mnemonics().begin(), common_mnemonics().end());
      for (const char* q : {"exists", "forall", "filter", "locations"}) known.emplace_back(q);
      c.fail(m.head(), fmt::format("VULKAN has no instruction {}", litmus::quoted(m.head().text)),
             suggest(m.head().text, known,
                     "instructions are ld st rmw membar cbar avdevice visdevice, arithmetic and branches"));
    }
    case VulkanOp::Kind::load:
      i.kind = Kind::load;
      i.dst = parse_register(c, t);
      parse_comma(c, m);
      i.addr.symbol = parse_location(c, b);
      break;
    case VulkanOp::Kind::store:
      i.kind = Kind::store;
      i.addr.symbol = parse_location(c, b);
      parse_comma(c, m);
      i.value = parse_value(c, t);
      i.args = {i.value};
      break;
    case VulkanOp::Kind::rmw:
      i.kind = Kind::rmw;
      i.dst = parse_register(c, t);
      parse_comma(c, m);
      i.addr.symbol = parse_location(c, b);
      parse_comma(c, m);
      i.args.push_back(parse_value(c, t));
      i.value = op.exchange ? i.args[0] : term::binary(op.op, term::variable(prog::k_old_value, 64), i.args[0]);
      break;
    case VulkanOp::Kind::fence:
      i.kind = Kind::fence;
      break;
    case VulkanOp::Kind::barrier:
      parse_barrier_operands(c, t, m, i);
      // The threads that wait are the workgroup's, whatever the memory scope says.
      i.barrier.level = *vocab::level_of(prog::Dialect::vulkan, "wg");
      break;
  }
  i.span = c.since(m.head().begin);
  t.emit(std::move(i));
}

}  // namespace

Expected<prog::Test> parse_vulkan(SourcePtr source) {
  static const AsmDialect dialect{prog::Syntax::vulkan, prog::Dialect::vulkan, {"qf", "wg", "sg"}, false, true,
                                  instruction};
  return guarded([&] { return parse_asm(source, dialect); });
}

}  // namespace fencepost::litmus
