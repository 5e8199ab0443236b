// GPU_PTX, the dialect of 2014: accesses are weak with a cache operator, or volatile; fences are membar.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cycle/writer.h"

namespace fencepost::gen {
namespace {

constexpr const char* k_dialect = "GPU_PTX";

Expected<std::string> suffix(const Access& a) {
  const Node& n = a.node;
  const bool read = a.dir == Dir::read;
  if (n.proxy != Proxy::none && n.proxy != Proxy::generic)
    return refuse(a.span, fmt::format("proxy '{}'", name(n.proxy)), k_dialect, "use the dialect PTX");
  if (n.scope != Scope::none)
    return refuse(a.span, "an access with a scope", k_dialect, "accesses are weak or volatile; use the dialect PTX");
  if (n.sem == Sem::volatile_) {
    if (n.cache != Cache::none)
      return refuse(a.span, "a volatile access with a cache operator", k_dialect, "leave one of the two out");
    return ".volatile";
  }
  if (n.sem != Sem::weak)
    return refuse(a.span, fmt::format("an access of order '{}'", name(n.sem)), k_dialect,
                  "accesses are weak or volatile; use the dialect PTX");
  const bool fits =
      n.cache == Cache::none || n.cache == Cache::cg ||
      (read ? n.cache == Cache::ca || n.cache == Cache::cv : n.cache == Cache::wb || n.cache == Cache::wt);
  if (!fits)
    return refuse(a.span, fmt::format("cache operator '{}' on a {}", name(n.cache), read ? "read" : "write"), k_dialect,
                  read ? "reads have ca, cg or cv" : "writes have wb, cg or wt");
  return fmt::format(".{}", n.cache == Cache::none ? "cg" : name(n.cache));
}

std::string tree_text(const Tree& t) {
  std::map<uint32_t, std::map<uint32_t, std::map<uint32_t, std::string>>> devices;
  for (size_t k = 0; k < t.places.size(); ++k)
    devices[t.places[k].device][t.places[k].cta][t.places[k].warp] += fmt::format(" T{}", k);
  std::string out;
  for (const auto& [d, ctas] : devices) {
    out += out.empty() ? "(device" : " (device";
    for (const auto& [c, warps] : ctas) {
      out += " (cta";
      for (const auto& [w, threads] : warps) out += " (warp" + threads + ")";
      out += ")";
    }
    out += ")";
  }
  return fmt::format(fmt::runtime(devices.size() == 1 ? "ScopeTree {}" : "ScopeTree (system {})"), out);
}

}  // namespace

Expected<std::string> write_gpu_ptx(const Draft& d) {
  if (auto ok = refuse_common(d, k_dialect); !ok) return std::unexpected(ok.error());
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> columns;
  std::string declarations;
  for (size_t t = 0; t < d.layout.threads.size(); ++t) {
    const ThreadLayout& thread = d.layout.threads[t];
    heads.push_back(fmt::format("T{}", t));
    std::vector<std::string> code;
    std::vector<std::string> registers;
    const auto declare = [&](std::string text) {
      if (std::find(registers.begin(), registers.end(), text) == registers.end()) registers.push_back(std::move(text));
    };
    uint32_t spare = 2, label = 0, unused = 1000;
    for (uint32_t k = 0; k < thread.accesses.size(); ++k) {
      for (const Between& b : thread.between) {
        if (b.at != k) continue;
        const Edge& e = b.edge;
        if (e.rel == Rel::proxy) return refuse(e.span, "a proxy fence", k_dialect, "use the dialect PTX");
        if (e.rel == Rel::bar) return refuse(e.span, "a barrier", k_dialect, "use the dialects PTX, VULKAN or OPENCL");
        if (e.sem != Sem::sc)
          return refuse(e.span, fmt::format("a fence of order '{}'", name(e.sem)), k_dialect,
                        "fences are Fence.sc.cta, .gpu and .sys (membar)");
        if (e.scope == Scope::warp) return refuse(e.span, "scope 'warp'", k_dialect, "use cta, gpu or sys");
        code.push_back(fmt::format("membar.{}", e.scope == Scope::cta ? "cta" : e.scope == Scope::gpu ? "gl" : "sys"));
      }
      const Access& a = thread.accesses[k];
      const std::string place = fmt::format("a{}", location_name(a.location));
      declare(fmt::format(".b64 {} = {}", place, location_name(a.location)));
      std::string value = std::to_string(a.value);
      if (a.dependency != Rel::po) {
        const uint32_t on = thread.accesses[a.depends_on].reg;
        if (a.dependency == Rel::ctrl) {
          declare(fmt::format(".pred p{}", label));
          code.push_back(fmt::format("setp.ne.s32 p{}, r{}, 0", label, on));
          code.push_back(fmt::format("@p{0} bra L{1}{0}", label, t));
          code.push_back(fmt::format("L{}{}:", t, label++));
        } else {
          declare(fmt::format(".s32 r{}", spare));
          code.push_back(fmt::format("and.b32 r{}, r{}, 0x80000000", spare, on));
          if (a.dependency == Rel::addr) {
            declare(fmt::format(".u64 d{}", spare));
            code.push_back(fmt::format("cvt.u64.u32 d{0}, r{0}", spare));
            code.push_back(fmt::format("add.u64 {0}, {0}, d{1}", place, spare));
          } else {
            declare(fmt::format(".s32 r{}", spare + 2));
            code.push_back(fmt::format("add.s32 r{}, r{}, {}", spare + 2, spare, a.value));
            value = fmt::format("r{}", spare + 2);
          }
          spare += 4;
        }
      }
      if (a.both || a.node.operation != Operation::none) {
        for (const Node* n : {&a.node, &a.store_node})
          if ((n->sem != Sem::weak && n->sem != Sem::none) || n->scope != Scope::none || n->cache != Cache::none)
            return refuse(a.span, "an order or a cache operator of a read-modify-write", k_dialect,
                          "describe it as exch or add alone");
        const bool add = a.both && (a.node.operation == Operation::add || a.store_node.operation == Operation::add);
        if (add && a.value != a.expected + 1)
          return refuse(a.span, "an 'add' that must skip a value", k_dialect, "use exch");
        const uint32_t reg = a.both ? a.reg : unused++;
        declare(fmt::format(".s32 r{}", reg));
        code.push_back(
            fmt::format("atom.{} r{}, [{}], {}", add ? "add.s32" : "exch.b32", reg, place, add ? "1" : value));
        continue;
      }
      const auto s = suffix(a);
      if (!s) return s;
      if (a.dir == Dir::read) {
        declare(fmt::format(".s32 r{}", a.reg));
        code.push_back(fmt::format("ld{}.s32 r{}, [{}]", *s, a.reg, place));
      } else {
        code.push_back(fmt::format("st{}.s32 [{}], {}", *s, place, value));
      }
    }
    for (const std::string& r : registers) declarations += fmt::format(" {}:.reg {};\n", t, r);
    columns.push_back(std::move(code));
  }
  std::string out = header(d, "GPU_PTX") + "{\n", map;
  for (uint32_t l = 0; l < d.layout.regions.size(); ++l) {
    out += location_name(l) + " = 0;\n";
    map += fmt::format("{}{}: {}", map.empty() ? "" : ", ", location_name(l),
                       d.layout.regions[l] == Region::shared ? "shared" : "global");
  }
  return out + declarations + "}\n" + rows(heads, columns) + tree_text(d.tree) + "\n" + map + "\n" + d.question + "\n";
}

}  // namespace fencepost::gen
