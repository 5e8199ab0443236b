// The `.test` notation of KhronosGroup/Vulkan-MemoryModel. Registers have no spelling there: the value that the
// filter asks of a load's register stands at the load. Threads are numbered, so that SSW lines can name them.
#include <fmt/format.h>

#include "print/asm_litmus.h"
#include "print/litmus.h"
#include "print/test_values.h"

namespace fencepost::print {
namespace {

using prog::Instr;
using prog::Kind;
using prog::Test;

std::string line(const Test& t, uint32_t thread, const Instr& i, const GivenValues& given) {
  switch (i.kind) {
    case Kind::barrier:
      return fmt::format("{} {}\n", i.mnemonic, i.barrier.instance);
    case Kind::load: {
      const auto v = given.of(thread, i.dst);
      return fmt::format("{} {}{}\n", i.mnemonic, t.symbols[i.addr.symbol].name, v ? fmt::format(" = {}", *v) : "");
    }
    case Kind::store:
      return fmt::format("{} {} = {}\n", i.mnemonic, t.symbols[i.addr.symbol].name,
                         static_cast<int64_t>(i.value.value()));
    case Kind::rmw: {
      const auto v = given.of(thread, i.dst);
      return fmt::format("{} {} = {} {}\n", i.mnemonic, t.symbols[i.addr.symbol].name, v.value_or(0),
                         static_cast<int64_t>(i.value.value()));
    }
    default:
      return i.mnemonic + "\n";
  }
}

}  // namespace

std::string print_khronos_test(const Test& t) {
  const GivenValues given(t.filter);
  std::string out = fmt::format("// test: {}\n", t.title);
  for (uint32_t th = 0; th < t.threads.size(); ++th) {
    if (th > 0) {
      // The widest level at which this thread's place differs from the last one's opens a group.
      static const char* const k_open[] = {"", "NEWQF\nNEWWG\nNEWSG\n", "NEWWG\nNEWSG\n", "NEWSG\n"};
      const auto &a = t.threads[th - 1].scope, &b = t.threads[th].scope;
      for (size_t k = 1; k < b.size() && k < a.size() && k < 4; ++k)
        if (a[k] != b[k]) {
          out += k_open[k];
          break;
        }
    }
    out += fmt::format("NEWTHREAD {}\n", th);
    for (const Instr& i : t.instrs(th)) out += line(t, th, i, given);
  }
  for (const auto& [a, b] : t.ssw) out += fmt::format("SSW {} {}\n", a, b);
  for (const prog::Symbol& s : t.symbols)
    if (s.aliased != prog::k_none) out += fmt::format("SLOC {} {}\n", t.symbols[s.aliased].name, s.name);
  for (const prog::Expectation& e : t.expectations) out += e.text + "\n";
  return out;
}

}  // namespace fencepost::print
