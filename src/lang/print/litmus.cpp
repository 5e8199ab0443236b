#include "print/litmus.h"

#include <string>

#include "prog/syntax.h"
#include "prog/test.h"
#include "term/term.h"

namespace fencepost::print {
namespace {

// What SPIR-V or a PTX module was lowered to, for reading: no front end takes it back.
std::string list_lowered(const prog::Test& test) {
  std::string out = std::string("; lowered from ") +
                    (test.dialect == prog::Dialect::ptx ? "a PTX module: " : "SPIR-V: ") + test.title + "\n";
  for (const prog::Object& o : test.objects) {
    out += "; " + o.name + " = {";
    for (size_t k = 0; k < o.init.size(); ++k) {
      if (k > 0) out += ", ";
      out += k < o.undefined.size() && o.undefined[k] ? "?" : std::to_string(term::to_signed(o.init[k], o.width));
    }
    out += "}\n";
  }
  for (const prog::Thread& t : test.threads) {
    out += "P" + std::to_string(t.id) + ":\n";
    for (const prog::Instr& i : test.instrs(t.id))
      out += (i.kind == prog::Kind::label ? "  " : "    ") + prog::to_string(test, t.id, i) + "\n";
  }
  if (test.filter.kind != prog::Cond::Kind::always) out += "filter " + prog::to_string(test, test.filter) + "\n";
  if (test.quantifier != prog::Quantifier::none)
    out += std::string(prog::name(test.quantifier)) + " " + prog::to_string(test, test.condition) + "\n";
  return out;
}

}  // namespace

std::string print(const prog::Test& test) {
  switch (test.syntax) {
    case prog::Syntax::ptx:
      return print_ptx(test);
    case prog::Syntax::vulkan:
      return print_vulkan(test);
    case prog::Syntax::opencl:
    case prog::Syntax::cuda:
      return print_opencl(test);
    case prog::Syntax::gpu_ptx:
      return print_gpu_ptx(test);
    case prog::Syntax::vulkan_test:
      return print_khronos_test(test);
    case prog::Syntax::mixedproxy_test:
      return print_mixedproxy_test(test);
    case prog::Syntax::spirv:
      return list_lowered(test);
  }
  return print_ptx(test);
}

}  // namespace fencepost::print
