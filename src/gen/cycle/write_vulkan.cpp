// VULKAN: a location lies in storage class sc0, or in the one that its accesses name; ordered operations cover the
// classes that they name, or else all that the test has, and make available or visible where they say so. No
// sequentially consistent fences, no address dependencies, no volatile.
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

// ".semsc0.semsc1.semav": `all` where the operation names no classes.
std::string semantics(const Covers& c, uint8_t all) {
  std::string out;
  const uint8_t classes = c.classes != 0 ? c.classes : all;
  for (uint32_t k = 0; k < 4; ++k)
    if ((classes >> k) & 1) out += fmt::format(".semsc{}", k);
  return out + (c.av ? ".semav" : "") + (c.vis ? ".semvis" : "");
}

// An operation that neither acquires nor releases covers nothing; availability is a release's, visibility an acquire's.
Expected<void> fits(const Covers& c, bool acquires, bool releases, const Span& at) {
  if (c.classes != 0 && !acquires && !releases)
    return refuse(at, "storage classes of an operation without an order", k_dialect, "add acquire or release");
  if (c.av && !releases) return refuse(at, "'semav' of an operation that does not release", k_dialect, "add release");
  if (c.vis && !acquires) return refuse(at, "'semvis' of an operation that does not acquire", k_dialect, "add acquire");
  return {};
}

uint32_t class_of(Region r) {
  return r >= Region::sc0 ? static_cast<uint32_t>(r) - static_cast<uint32_t>(Region::sc0) : 0;
}

// `in`: the location's region; `all`: the storage classes of the test.
Expected<std::string> mnemonic(const Access& a, Region in, uint8_t all) {
  const Node& n = a.node;
  const uint32_t sc = class_of(in);
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
    if (auto ok = fits(n.covers, false, false, a.span); !ok) return std::unexpected(ok.error());
    if (n.scope == Scope::none) return fmt::format("{}{}.sc{}", read ? "ld" : "st", n.nonpriv ? ".nonpriv" : "", sc);
    const auto s = scope(n.scope, a.span);
    if (!s) return s;
    if (n.nonpriv)
      return refuse(a.span, "'nonpriv' of an access with a scope", k_dialect, "it is non-private without the word");
    return fmt::format("{}{}.sc{}", read ? "ld.vis" : "st.av", *s, sc);
  }
  if (n.nonpriv || a.store_node.nonpriv)
    return refuse(a.span, "'nonpriv' of an atomic access", k_dialect, "it is non-private without the word");
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
  Covers covers = n.covers;
  if (a.both) {
    covers.classes = static_cast<uint8_t>(covers.classes | a.store_node.covers.classes);
    covers.av = covers.av || a.store_node.covers.av;
    covers.vis = covers.vis || a.store_node.covers.vis;
  }
  if (auto ok = fits(covers, acquires, releases, a.span); !ok) return std::unexpected(ok.error());
  const char* order = acquires && releases ? ".acq_rel" : acquires ? ".acq" : releases ? ".rel" : "";
  return fmt::format("{}.atom{}{}.sc{}{}",
                     rmw    ? "rmw"
                     : read ? "ld"
                            : "st",
                     order, *s, sc, *order != 0 ? semantics(covers, all) : "");
}

}  // namespace

Expected<std::string> write_vulkan(const Draft& d) {
  if (auto ok = refuse_common(d, k_dialect); !ok) return std::unexpected(ok.error());
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> columns;
  uint8_t all = 0;
  for (const Region r : d.layout.regions) all = static_cast<uint8_t>(all | (1u << class_of(r)));
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
          if (auto ok = fits(e.covers, e.sem != Sem::release, e.sem != Sem::acquire, e.span); !ok)
            return std::unexpected(ok.error());
          code.push_back(fmt::format("membar.{}{}{}", order, *s, semantics(e.covers, all)));
        } else if (e.rel == Rel::av_device || e.rel == Rel::vis_device) {
          code.emplace_back(e.rel == Rel::av_device ? "avdevice" : "visdevice");
        } else if (e.rel == Rel::proxy) {
          return refuse(e.span, "a proxy fence", k_dialect, "use the dialect PTX");
        } else {
          code.push_back(fmt::format("cbar.acq_rel.wg{} {}", semantics(e.covers, all), e.barrier));
        }
      }
      const Access& a = thread.accesses[k];
      const auto m = mnemonic(a, d.layout.regions[a.location], all);
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
