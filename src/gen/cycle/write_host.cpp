// x86 threads of the host. Their accesses have one form, and their fence is mfence: what a cycle says beyond that is
// refused, but for the orders and the scope that every access of x86 has (relaxed, acquire, release at .sys).
#include <fmt/format.h>

#include "cycle/writer.h"

namespace fencepost::gen {
namespace {

constexpr const char* k_dialect = "x86 threads of the host";

// "" or why not.
const char* fault_of(const Access& a) {
  for (const Node* n : {&a.node, &a.store_node}) {
    if (n->cache != Cache::none) return "a cache operator";
    if (n->proxy != Proxy::none && n->proxy != Proxy::generic) return "a proxy";
    if (n->region != Region::none && n->region != Region::global) return "a region";
    if (n->scope != Scope::none && n->scope != Scope::sys) return "a scope narrower than sys";
    if (n->sem == Sem::volatile_ || n->sem == Sem::sc) return "an access of such an order";
  }
  if (a.dependency == Rel::addr) return "an address dependency";
  return "";
}

}  // namespace

Expected<std::vector<std::string>> write_host(const Draft& d, size_t thread) {
  std::vector<std::string> code;
  const ThreadLayout& layout = d.layout.threads[thread];
  uint32_t spare = 2, label = 0, unused = 1000;  // as in write_ptx
  for (uint32_t k = 0; k < layout.accesses.size(); ++k) {
    for (const Between& b : layout.between) {
      if (b.at != k) continue;
      const Edge& e = b.edge;
      if (e.rel != Rel::fence || e.sem != Sem::sc || e.scope != Scope::sys)
        return refuse(e.span, "a barrier, or a fence other than fence.sc.sys", k_dialect,
                      "their fence is mfence, written Fence.sc.sys");
      code.emplace_back("mfence");
    }
    const Access& a = layout.accesses[k];
    if (const char* why = fault_of(a); *why != 0)
      return refuse(a.span, why, k_dialect, "their accesses are mov, xchg and lock xadd");
    const std::string place = location_name(a.location);
    std::string value = std::to_string(a.value);
    if (a.dependency == Rel::ctrl) {
      code.push_back(fmt::format("bne r{}, 0, LC{}{}", layout.accesses[a.depends_on].reg, thread, label));
      code.push_back(fmt::format("LC{}{}:", thread, label++));
    } else if (a.dependency == Rel::data) {
      code.push_back(fmt::format("and r{}, r{}, {}", spare, layout.accesses[a.depends_on].reg, k_false_bit));
      code.push_back(fmt::format("add r{}, r{}, {}", spare + 2, spare, a.value));
      value = fmt::format("r{}", spare + 2);
      spare += 4;
    }
    if (a.both || a.node.operation != Operation::none) {
      const bool add = a.both && (a.node.operation == Operation::add || a.store_node.operation == Operation::add);
      if (add && a.value != a.expected + 1)
        return refuse(a.span, "an 'add' that must skip a value", k_dialect, "use exch");
      const uint32_t reg = a.both ? a.reg : unused++;
      code.push_back(fmt::format("mov r{}, {}", reg, add ? "1" : value));
      code.push_back(fmt::format("{} [{}], r{}", add ? "lock xadd" : "xchg", place, reg));
    } else if (a.dir == Dir::read) {
      code.push_back(fmt::format("mov r{}, [{}]", a.reg, place));
    } else {
      code.push_back(fmt::format("mov [{}], {}", place, value));
    }
  }
  return code;
}

}  // namespace fencepost::gen
