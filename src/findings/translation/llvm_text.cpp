// Programs as LLVM IR for the NVPTX back end. The spelling `builtin` and `old` are atomic instructions of the IR with
// their syncscope; `ref` is inline PTX, as the headers of libcu++ have it (a seq_cst access is a fence.sc and an
// acquiring or releasing one), so that a fault of the back end has a right sibling.
#include <fmt/format.h>

#include <algorithm>

#include "translation/texts.h"

namespace fencepost::translation {
namespace {

std::string scope_of(Scope s) { return s == Scope::system ? "" : fmt::format(" syncscope(\"{}\")", name(s)); }
const char* order_of(Order o) { return o == Order::relaxed ? "monotonic" : name(o); }
const char* ptx_scope(Scope s) { return s == Scope::block ? "cta" : s == Scope::device ? "gpu" : "sys"; }

// Inline PTX: the code, its result, its operands.
std::string inline_ptx(const Statement& s, const std::string& type, const std::string& result) {
  const std::string scope = ptx_scope(s.scope);
  const std::string bits = std::to_string(s.bits());
  const char kind = s.bits() == 64 ? 'l' : 'r';
  std::string out;
  const auto call = [&](const std::string& code, const std::string& constraint, const std::string& operands) {
    const bool gives = constraint.starts_with("=");
    return fmt::format("  {}call {} asm sideeffect \"{}\", \"{}~{{memory}}\"({})\n", gives ? result + " = " : "",
                       gives ? type : "void", code, constraint, operands);
  };
  if (s.op == Op::fence)
    return call(s.order == Order::seq_cst ? "fence.sc." + scope + ";" : "fence.acq_rel." + scope + ";", "", "");
  std::string order = name(s.order);
  if (s.order == Order::seq_cst) {
    out += fmt::format("  call void asm sideeffect \"fence.sc.{};\", \"~{{memory}}\"()\n", scope);
    order = s.op == Op::ld ? "acquire" : s.op == Op::st ? "release" : "acq_rel";
  }
  const std::string at = fmt::format("ptr %{}", s.place), value = fmt::format("{} {}", type, s.value);
  if (s.op == Op::ld)
    return out + call(fmt::format("ld.{}.{}.b{} $0,[$1];", order, scope, bits), fmt::format("={},l,", kind), at);
  if (s.op == Op::st)
    return out + call(fmt::format("st.{}.{}.b{} [$0],$1;", order, scope, bits), fmt::format("l,{},", kind),
                      at + ", " + value);
  if (s.op == Op::cas)
    return out + call(fmt::format("atom.cas.{}.{}.b{} $0,[$1],$2,$3;", order, scope, bits),
                      fmt::format("={0},l,{0},{0},", kind), fmt::format("{}, {}, {} {}", at, value, type, s.written));
  const bool bitwise = s.op == Op::exch || s.op == Op::and_ || s.op == Op::or_ || s.op == Op::xor_;
  const std::string op = s.op == Op::sub ? "add" : name(s.op);
  const std::string operand = s.op == Op::sub ? fmt::format("{} -{}", type, s.value) : value;
  return out + call(fmt::format("atom.{}.{}.{}.{}{} $0,[$1],$2;", op, order, scope, bitwise ? "b" : "u", bits),
                    fmt::format("={0},l,{0},", kind), at + ", " + operand);
}

std::string instruction(const Statement& s, const std::string& result) {
  const std::string type = fmt::format("i{}", s.bits()), align = std::to_string(s.bits() / 8);
  if (!s.is_atomic()) {
    const char* word = s.order == Order::volatile_ ? " volatile" : "";
    return s.op == Op::ld ? fmt::format("  {} = load{} {}, ptr %{}, align {}\n", result, word, type, s.place, align)
                          : fmt::format("  store{} {} {}, ptr %{}, align {}\n", word, type, s.value, s.place, align);
  }
  if (s.spelling == Spelling::ref) return inline_ptx(s, type, result);
  const std::string end = scope_of(s.scope) + " " + order_of(s.order);
  switch (s.op) {
    case Op::fence:
      return fmt::format("  fence{}\n", end);
    case Op::ld:
      return fmt::format("  {} = load atomic {}, ptr %{}{}, align {}\n", result, type, s.place, end, align);
    case Op::st:
      return fmt::format("  store atomic {} {}, ptr %{}{}, align {}\n", type, s.value, s.place, end, align);
    case Op::cas:
      return fmt::format(
          "  {0}.pair = cmpxchg ptr %{1}, {2} {3}, {2} {4}{5} {6}\n  {0} = extractvalue {{ {2}, i1 }} "
          "{0}.pair, 0\n",
          result, s.place, type, s.value, s.written, end, order_of(order_of_failure(s.order)));
    default:
      break;
  }
  const char* op = s.op == Op::exch ? "xchg" : s.op == Op::max ? "umax" : s.op == Op::min ? "umin" : name(s.op);
  return fmt::format("  {} = atomicrmw {} ptr %{}, {} {}{}\n", result, op, s.place, type, s.value, end);
}

}  // namespace

std::string llvm_kernel(const Program& p, const std::string& name) {
  std::string out = fmt::format(
      "define void @{}(ptr %x, ptr %y, ptr %u, ptr %v, ptr %d, ptr %e, ptr %o, ptr %w) {{\nentry:\n"
      "  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n  %n = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "  br label %ask0\n",
      name);
  const auto results = results_of(p);
  for (size_t t = 0; t < p.threads.size(); ++t) {
    out += fmt::format(
        "ask{0}:\n  %b{0} = icmp eq i32 %b, {1}\n  %n{0} = icmp eq i32 %n, {2}\n  %a{0} = and i1 %b{0}, %n{0}\n"
        "  br i1 %a{0}, label %run{0}, label %ask{3}\nrun{0}:\n",
        t, p.threads[t].block, p.number_in_block(t), t + 1);
    auto next = std::ranges::find(results, t, &Result::thread);
    std::string ends, last, block = fmt::format("run{}", t);
    uint32_t last_bits = 32, place = 0;
    for (const Statement& s : p.threads[t].body) {
      std::string result;
      if (s.has_result()) result = fmt::format("%r{}.{}", t, next->number);
      if (!s.guard) {
        out += instruction(s, result);
      } else {
        const std::string tag = fmt::format("{}.{}", t, place);
        out += fmt::format("  %g{0} = icmp eq i{1} {2}, {3}\n  br i1 %g{0}, label %then{0}, label %join{0}\nthen{0}:\n",
                           tag, last_bits, last, *s.guard);
        out += instruction(s, s.has_result() ? result + ".got" : "");
        out += fmt::format("  br label %join{0}\njoin{0}:\n", tag);
        if (s.has_result())
          out += fmt::format("  {0} = phi i{1} [ 0, %{2} ], [ {0}.got, %then{3} ]\n", result, s.bits(), block, tag);
        block = "join" + tag;
      }
      if (s.has_result()) {
        const std::string at = fmt::format("%at{}.{}", t, next->number);
        ends += fmt::format("  {0} = getelementptr i{1}, ptr %{2}, i64 {3}\n  store i{1} {4}, ptr {0}, align {5}\n", at,
                            s.bits(), s.bits() == 64 ? 'w' : 'o', next->index, result, s.bits() / 8);
        if (!s.guard) last = result, last_bits = s.bits();
        ++next;
      }
      ++place;
    }
    out += ends + fmt::format("  br label %ask{}\n", t + 1);
  }
  return out + fmt::format("ask{}:\n  ret void\n}}\n", p.threads.size());
}

std::string llvm_frame(size_t kernels) {
  std::string out = "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
  std::string list;
  for (size_t n = 0; n < kernels; ++n) {
    list += fmt::format("{}!{}", n == 0 ? "" : ", ", n);
    out += fmt::format("!{0} = !{{ptr @t{0}, !\"kernel\", i32 1}}\n", n);
  }
  return out + fmt::format("!nvvm.annotations = !{{{}}}\n", list);
}

}  // namespace fencepost::translation
