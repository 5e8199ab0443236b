// OPENCL: C threads. A control dependency puts the rest of its thread into the `if`, because it reaches no further
// there.
#include <fmt/format.h>

#include <map>

#include "cycle/writer.h"

namespace fencepost::gen {
namespace {

constexpr const char* k_dialect = "OPENCL";

Expected<std::string> scope(Scope s, const Span& at) {
  switch (s) {
    case Scope::cta:
      return "memory_scope_work_group";
    case Scope::gpu:
      return "memory_scope_device";
    case Scope::sys:
      return "memory_scope_all_svm_devices";
    case Scope::none:
      return refuse(at, "an atomic access without a scope", k_dialect, "add cta, gpu or sys: relaxed.sys");
    default:
      return refuse(at, fmt::format("scope '{}'", name(s)), k_dialect, "use cta, gpu or sys");
  }
}

const char* order(Sem s) {
  switch (s) {
    case Sem::acquire:
      return "memory_order_acquire";
    case Sem::release:
      return "memory_order_release";
    case Sem::acq_rel:
      return "memory_order_acq_rel";
    case Sem::sc:
      return "memory_order_seq_cst";
    default:
      return "memory_order_relaxed";
  }
}

Expected<void> check_access(const Access& a) {
  const Node& n = a.node;
  if (n.cache != Cache::none) return refuse(a.span, "a cache operator", k_dialect, "leave it out");
  if (n.proxy != Proxy::none && n.proxy != Proxy::generic)
    return refuse(a.span, fmt::format("proxy '{}'", name(n.proxy)), k_dialect, "use the dialect PTX");
  const bool rmw = a.both || n.operation != Operation::none;
  for (const Node* node : {&a.node, &a.store_node})
    if (node->sem == Sem::volatile_)
      return refuse(a.span, "a volatile access", k_dialect, "use weak, relaxed, acquire, release or sc");
  if (rmw) {
    if (n.sem == Sem::weak) return refuse(a.span, "a weak read-modify-write", k_dialect, "use relaxed");
    return {};
  }
  if (a.dir == Dir::read && (n.sem == Sem::release || n.sem == Sem::acq_rel))
    return refuse(a.span, "a releasing read", k_dialect, "reads are weak, relaxed, acquire or sc");
  if (a.dir == Dir::write && (n.sem == Sem::acquire || n.sem == Sem::acq_rel))
    return refuse(a.span, "an acquiring write", k_dialect, "writes are weak, relaxed, release or sc");
  if (n.sem == Sem::weak && n.scope != Scope::none)
    return refuse(a.span, "a plain access with a scope", k_dialect, "leave the scope out, or write relaxed");
  return {};
}

}  // namespace

Expected<std::string> write_opencl(const Draft& d) {
  if (auto ok = refuse_common(d, k_dialect); !ok) return std::unexpected(ok.error());
  std::string out = header(d, "OPENCL") + "{ ";
  for (uint32_t l = 0; l < d.layout.regions.size(); ++l) out += fmt::format("[{}] = 0; ", location_name(l));
  out += "}\n";
  for (size_t t = 0; t < d.layout.threads.size(); ++t) {
    const ThreadLayout& thread = d.layout.threads[t];
    std::string declarations, code, closing;
    std::map<uint32_t, bool> atomic;  // by location
    uint32_t spare = 2;
    for (uint32_t k = 0; k < thread.accesses.size(); ++k) {
      for (const Between& b : thread.between) {
        if (b.at != k) continue;
        const Edge& e = b.edge;
        bool global = false, local = false;  // the memory that the thread touches
        for (const Access& a : thread.accesses)
          (d.layout.regions[a.location] == Region::shared ? local : global) = true;
        const std::string flags = global && local ? "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE"
                                  : local         ? "CLK_LOCAL_MEM_FENCE"
                                                  : "CLK_GLOBAL_MEM_FENCE";
        if (e.rel == Rel::fence) {
          const auto s = scope(e.scope, e.span);
          if (!s) return s;
          code += fmt::format("  atomic_work_item_fence({}, {}, {});\n", flags, order(e.sem), *s);
        } else if (e.rel == Rel::proxy) {
          return refuse(e.span, "a proxy fence", k_dialect, "use the dialect PTX");
        } else {
          code += fmt::format("  B{}: barrier({});\n", e.barrier, flags);
        }
      }
      const Access& a = thread.accesses[k];
      if (auto ok = check_access(a); !ok) return std::unexpected(ok.error());
      const bool plain = a.node.sem == Sem::weak;
      const auto [known, fresh] = atomic.emplace(a.location, !plain);
      if (!fresh && known->second == plain)
        return refuse(a.span, fmt::format("a thread with plain and atomic accesses to {}", location_name(a.location)),
                      k_dialect, "make all of them atomic or all plain");
      std::string place = location_name(a.location), value = std::to_string(a.value);
      if (a.dependency != Rel::po) {
        const uint32_t on = thread.accesses[a.depends_on].reg;
        if (a.dependency == Rel::ctrl) {
          code += fmt::format("  if (r{} != {}) {{\n", on, k_false_bit);
          closing += "  }\n";
        } else {
          declarations += fmt::format("  int r{} = 0;\n", spare);
          code += fmt::format("  r{} = r{} & {};\n", spare, on, k_false_bit);
          if (a.dependency == Rel::addr)
            place = fmt::format("{} + r{}", place, spare);
          else
            value = fmt::format("r{} + {}", spare, a.value);
          spare += 2;
        }
      }
      if (a.dir == Dir::read) declarations += fmt::format("  int r{} = 0;\n", a.reg);
      if (plain) {
        const std::string cell =
            fmt::format(fmt::runtime(place.find('+') == std::string::npos ? "*{}" : "*({})"), place);
        code +=
            a.dir == Dir::read ? fmt::format("  r{} = {};\n", a.reg, cell) : fmt::format("  {} = {};\n", cell, value);
        continue;
      }
      const Scope where = a.node.scope == Scope::none ? a.store_node.scope : a.node.scope;
      if (a.both && a.store_node.scope != Scope::none && a.store_node.scope != where)
        return refuse(a.span, "a read-modify-write with two scopes", k_dialect,
                      "give its read and its write one scope");
      const auto s = scope(where, a.span);
      if (!s) return s;
      if (a.both || a.node.operation != Operation::none) {
        Sem sem = a.node.sem;
        if (a.both) {
          const bool acquires = a.node.sem == Sem::acquire || a.node.sem == Sem::acq_rel;
          const bool releases = a.store_node.sem == Sem::release || a.store_node.sem == Sem::acq_rel;
          const bool strong = a.node.sem == Sem::sc || a.store_node.sem == Sem::sc;
          sem = strong                 ? Sem::sc
                : acquires && releases ? Sem::acq_rel
                : acquires             ? Sem::acquire
                : releases             ? Sem::release
                                       : Sem::relaxed;
        }
        const bool add = a.both && (a.node.operation == Operation::add || a.store_node.operation == Operation::add);
        if (add && a.value != a.expected + 1)
          return refuse(a.span, "an 'add' that must skip a value", k_dialect, "use exch");
        code += fmt::format("  {}{}_explicit({}, {}, {}, {});\n", a.both ? fmt::format("r{} = ", a.reg) : "",
                            add ? "atomic_fetch_add" : "atomic_exchange", place, add ? "1" : value, order(sem), *s);
      } else if (a.dir == Dir::read) {
        code += fmt::format("  r{} = atomic_load_explicit({}, {}, {});\n", a.reg, place, order(a.node.sem), *s);
      } else {
        code += fmt::format("  atomic_store_explicit({}, {}, {}, {});\n", place, value, order(a.node.sem), *s);
      }
    }
    std::string parameters;
    for (const auto& [l, is_atomic] : atomic)
      parameters += fmt::format("{}{} {}* {}", parameters.empty() ? "" : ", ",
                                d.layout.regions[l] == Region::shared ? "local" : "global",
                                is_atomic ? "atomic_int" : "int", location_name(l));
    const Place& p = d.tree.places[t];
    out += fmt::format("P{}@wg {}, dev {} ({}) {{\n{}{}{}}}\n", t, p.cta, p.device, parameters, declarations, code,
                       closing);
  }
  return out + d.question + "\n";
}

}  // namespace fencepost::gen
