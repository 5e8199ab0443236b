// VULKAN: one storage class, sc0; ordered accesses and fences name it in their semantics. No sequentially consistent
// fences, no address dependencies, no volatile.
#include <fmt/format.h>

#include "cycle/writer.h"

namespace fencepost::gen {
namespace {

constexpr const char* k_dialect = "VULKAN";

Expected<std::string> scope(Scope s, const Span& at) {
  switch (s) {
    case Scope::warp:
      return ".sg";
    case Scope::cta:
      return ".wg";
    case Scope::gpu:
      return ".qf";
    case Scope::sys:
      return ".dv";
    case Scope::none:
      return refuse(at, "an atomic access without a scope", k_dialect, "add warp, cta, gpu or sys: relaxed.sys");
    default:
      return refuse(at, fmt::format("scope '{}'", name(s)), k_dialect, "use warp, cta, gpu or sys");
  }
}

Expected<std::string> mnemonic(const Access& a) {
  const Node& n = a.node;
  if (n.cache != Cache::none) return refuse(a.span, "a cache operator", k_dialect, "leave it out");
  if (n.region == Region::shared)
    return refuse(a.span, "shared memory", k_dialect, "use the dialects GPU_PTX or OPENCL");
  if (n.proxy != Proxy::none && n.proxy != Proxy::generic)
    return refuse(a.span, fmt::format("proxy '{}'", name(n.proxy)), k_dialect, "use the dialect PTX");
  const bool rmw = a.both || n.operation != Operation::none, read = a.dir == Dir::read;
  for (const Node* node : {&a.node, &a.store_node})
    if (node->sem == Sem::volatile_ || node->sem == Sem::sc)
      return refuse(a.span, fmt::format("an access of order '{}'", name(node->sem)), k_dialect,
                    "use weak, relaxed, acquire or release");
  if (n.sem == Sem::weak) {
    if (rmw) return refuse(a.span, "a weak read-modify-write", k_dialect, "use relaxed");
    if (n.scope == Scope::none) return std::string(read ? "ld.sc0" : "st.sc0");
    const auto s = scope(n.scope, a.span);
    if (!s) return s;
    return fmt::format("{}{}.sc0", read ? "ld.vis" : "st.av", *s);
  }
  const Sem second = a.both ? a.store_node.sem : n.sem;
  const bool acquires = (rmw || read) && (n.sem == Sem::acquire || n.sem == Sem::acq_rel);
  const bool releases = (rmw || !read) && (second == Sem::release || second == Sem::acq_rel);
  if (!rmw && read && n.sem != Sem::relaxed && !acquires)
    return refuse(a.span, "a releasing read", k_dialect, "reads are weak, relaxed or acquire");
  if (!rmw && !read && n.sem != Sem::relaxed && !releases)
    return refuse(a.span, "an acquiring write", k_dialect, "writes are weak, relaxed or release");
  const Scope where = n.scope == Scope::none ? a.store_node.scope : n.scope;
  if (a.both && a.store_node.scope != Scope::none && a.store_node.scope != where)
    return refuse(a.span, "a read-modify-write with two scopes", k_dialect, "give its read and its write one scope");
  const auto s = scope(where, a.span);
  if (!s) return s;
  const char* order = acquires && releases ? ".acq_rel" : acquires ? ".acq" : releases ? ".rel" : "";
  return fmt::format("{}.atom{}{}.sc0{}", rmw ? "rmw" : read ? "ld" : "st", order, *s, *order != 0 ? ".semsc0" : "");
}

}  // namespace

Expected<std::string> write_vulkan(const Draft& d) {
  if (auto ok = refuse_common(d, k_dialect); !ok) return std::unexpected(ok.error());
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> columns;
  for (size_t t = 0; t < d.layout.threads.size(); ++t) {
    const ThreadLayout& thread = d.layout.threads[t];
    const Place& p = d.tree.places[t];
    heads.push_back(fmt::format("P{}@sg {},wg {},qf {}", t, p.warp, p.cta, p.device));
    std::vector<std::string> code;
    uint32_t spare = 2, label = 0, unused = 1000;
    for (uint32_t k = 0; k < thread.accesses.size(); ++k) {
      for (const Between& b : thread.between) {
        if (b.at != k) continue;
        const Edge& e = b.edge;
        if (e.rel == Rel::fence) {
          if (e.sem == Sem::sc) return refuse(e.span, "a fence of order 'sc'", k_dialect, "use acq_rel");
          const auto s = scope(e.scope, e.span);
          if (!s) return s;
          const char* order = e.sem == Sem::acquire ? "acq" : e.sem == Sem::release ? "rel" : "acq_rel";
          code.push_back(fmt::format("membar.{}{}.semsc0", order, *s));
        } else if (e.rel == Rel::proxy) {
          return refuse(e.span, "a proxy fence", k_dialect, "use the dialect PTX");
        } else {
          code.push_back(fmt::format("cbar.acq_rel.wg.semsc0 {}", e.barrier));
        }
      }
      const Access& a = thread.accesses[k];
      const auto m = mnemonic(a);
      if (!m) return m;
      const std::string place = location_name(a.location);
      std::string value = std::to_string(a.value);
      if (a.dependency != Rel::po) {
        const uint32_t on = thread.accesses[a.depends_on].reg;
        if (a.dependency == Rel::addr)
          return refuse(a.span, "an address dependency", k_dialect,
                        "use DpData or DpCtrl, or the dialects GPU_PTX or OPENCL");
        if (a.dependency == Rel::ctrl) {
          code.push_back(fmt::format("bne r{}, 0, LC{}{}", on, t, label));
          code.push_back(fmt::format("LC{}{}:", t, label++));
        } else {
          code.push_back(fmt::format("and r{}, r{}, {}", spare, on, k_false_bit));
          code.push_back(fmt::format("add r{}, r{}, {}", spare + 2, spare, a.value));
          value = fmt::format("r{}", spare + 2);
          spare += 4;
        }
      }
      if (a.both || a.node.operation != Operation::none) {
        const bool add = a.both && (a.node.operation == Operation::add || a.store_node.operation == Operation::add);
        if (add && a.value != a.expected + 1)
          return refuse(a.span, "an 'add' that must skip a value", k_dialect, "use exch");
        code.push_back(
            fmt::format("{}{} r{}, {}, {}", *m, add ? ".add" : "", a.both ? a.reg : unused, place, add ? "1" : value));
        if (!a.both) unused += 1;
      } else if (a.dir == Dir::read) {
        code.push_back(fmt::format("{} r{}, {}", *m, a.reg, place));
      } else {
        code.push_back(fmt::format("{} {}, {}", *m, place, value));
      }
    }
    columns.push_back(std::move(code));
  }
  std::string out = header(d, "VULKAN") + "{\n";
  for (uint32_t l = 0; l < d.layout.regions.size(); ++l) out += location_name(l) + " = 0;\n";
  return out + "}\n" + rows(heads, columns) + d.question + "\n";
}

}  // namespace fencepost::gen
