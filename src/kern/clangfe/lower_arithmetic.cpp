// Inline PTX that only computes: each result is a function of the operands of which nothing else is known. The list of
// instructions is closed; one that looks at memory, at other threads or at a special register is not in it.
// Source: PTX ISA, "Integer arithmetic instructions" to "Data movement and conversion instructions".
#include <algorithm>

#include "clangfe/lowering.h"
#include "clangfe/ptx_text.h"

namespace fencepost::clangfe {

using namespace ir;

namespace {

const std::set<std::string> k_arithmetic = {
    "abs",      "add",       "addc",  "and",   "bfe",   "bfi",    "bfind", "bmsk",  "brev",  "clz",   "cnot",
    "copysign", "cos",       "cvt",   "div",   "dp2a",  "dp4a",   "ex2",   "fma",   "fns",   "lg2",   "lop3",
    "mad",      "mad24",     "madc",  "max",   "min",   "mov",    "mul",   "mul24", "neg",   "not",   "or",
    "popc",     "prmt",      "rcp",   "rem",   "rsqrt", "sad",    "selp",  "set",   "setp",  "shf",   "shl",
    "shr",      "sin",       "slct",  "sqrt",  "sub",   "subc",   "szext", "tanh",  "vadd",  "vadd2", "vadd4",
    "vabsdiff", "vavrg2",    "vmad",  "vmax",  "vmin",  "vset",   "vshl",  "vshr",  "vsub",  "xor",   "testp",
    "vmax2",    "vabsdiff2", "vmin2", "vmax4", "vmin4", "vavrg4", "vsub2", "vsub4", "vset2", "vset4", "vabsdiff4"};

}  // namespace

bool ptx_only_computes(const std::string& first) { return k_arithmetic.count(first) != 0; }

namespace {

bool only_computes(const std::string& text) {
  std::string statement;
  bool any = false;
  const auto finish = [&]() {
    const size_t begin = statement.find_first_not_of(" \t\r\n{}");
    if (begin == std::string::npos) return true;
    statement = statement.substr(begin);
    if (statement.starts_with(".reg") || statement.starts_with("//")) return true;
    any = true;
    return ptx_only_computes(statement.substr(0, statement.find_first_of(". \t")));
  };
  for (const char c : text) {
    // Memory, a predicate or a comment that hides something, a label, an array.
    if (c == '[' || c == '@' || c == '/' || c == ':' || c == '"') return false;
    if (c != ';') {
      statement += c;
      continue;
    }
    if (!finish()) return false;
    statement.clear();
  }
  if (!finish() || !any) return false;
  for (const char* special : {"tid", "ctaid", "nsmid", "smid", "laneid", "warpid", "clock", "globaltimer", "lanemask",
                              "gridid", "envreg", "pm", "smem", "cluster", "nctaid", "ntid"})
    if (text.find(std::string("%") + special) != std::string::npos ||
        text.find(std::string("_") + special) != std::string::npos)
      return false;
  return true;
}

// All registers that it names are its own, and the carry that it reads: others hold what text elsewhere has put there.
bool of_its_own(const std::string& text) {
  const auto statements = ptx_statements(text);
  if (!statements) return false;
  bool carry = false;
  for (const PtxStatement& s : *statements) {
    if (ptx_reads_carry(s) && !carry) return false;
    carry = carry || s.has("cc");
    for (const std::string& operand : s.operands)
      for (const std::string& e : ptx_elements(operand)) {
        const size_t begin = e.find_first_not_of("!- ");
        if (begin == std::string::npos) return false;
        const char c = e[begin];
        // "name@3" is declared.
        if (c != '$' && !(c >= '0' && c <= '9') && e != "_" && e.find('@') == std::string::npos) return false;
      }
  }
  return true;
}

}  // namespace

std::optional<Values> Lowering::lower_arithmetic(const llvm::CallBase& c, const llvm::InlineAsm& a) {
  const std::string text = a.getAsmString();
  if (c.getType()->isVoidTy() || !only_computes(text) || !of_its_own(text)) return std::nullopt;
  Values operands;
  for (const llvm::Use& u : c.args()) {
    if (u->getType()->isPointerTy()) return std::nullopt;
    const Values given = values(u.get());
    operands.insert(operands.end(), given.begin(), given.end());
  }
  Values results;
  for (const Leaf& l : leaves(c.getType())) {
    if (l.type.kind == Type::pointer) return std::nullopt;
    results.push_back(function_of("asm " + text + " " + std::to_string(results.size()), operands, l.type));
  }
  return results;
}

}  // namespace fencepost::clangfe
