// PTX: locations are named directly, so there are no address dependencies; the memory is global.
#include <fmt/format.h>

#include <set>

#include "cycle/writer.h"

namespace fencepost::gen {
namespace {

constexpr const char* k_dialect = "PTX";

struct ProxyWord {
  Proxy proxy;
  const char* load;
  const char* store;
  const char* atomic;
  const char* alias;   // "y @ <alias> aliases x"
  const char* suffix;  // of the alias's name
};
constexpr ProxyWord k_words[] = {
    {Proxy::none, "ld", "st", "atom", "", ""},           {Proxy::generic, "ld", "st", "atom", "", ""},
    {Proxy::alias, "ld", "st", "atom", "generic", "_a"}, {Proxy::constant, "cold", "", "", "constant", "_c"},
    {Proxy::texture, "tld", "", "", "texture", "_t"},    {Proxy::surface, "suld", "sust", "suatom", "surface", "_s"}};
const ProxyWord& word(Proxy p) {
  for (const ProxyWord& w : k_words)
    if (w.proxy == p) return w;
  return k_words[0];
}

// The scope's part of a mnemonic; refuses what PTX has no word for.
Expected<std::string> scope(Scope s, const Span& at) {
  switch (s) {
    case Scope::cta:
      return ".cta";
    case Scope::cluster:
      return ".cluster";
    case Scope::gpu:
      return ".gpu";
    case Scope::sys:
      return ".sys";
    case Scope::none:
      return refuse(at, "an ordered access without a scope", k_dialect, "add cta, cluster, gpu or sys: relaxed.gpu");
    default:
      return refuse(at, fmt::format("scope '{}'", name(s)), k_dialect, "use cta, cluster, gpu or sys");
  }
}

Expected<std::string> order(const Access& a) {
  const Node& n = a.node;
  if (n.cache != Cache::none) return refuse(a.span, "a cache operator", k_dialect, "use the dialect GPU_PTX");
  if (n.region == Region::shared) return refuse(a.span, "shared memory", k_dialect, "use the dialect GPU_PTX");
  if (a.both || n.operation != Operation::none) {
    const Sem read = n.sem, write = a.both ? a.store_node.sem : n.sem;
    const Scope s = n.scope == Scope::none ? a.store_node.scope : n.scope;
    if (a.both && n.scope != a.store_node.scope && n.scope != Scope::none && a.store_node.scope != Scope::none)
      return refuse(a.span, "a read-modify-write with two scopes", k_dialect, "give its read and its write one scope");
    const bool acquires = read == Sem::acquire || read == Sem::acq_rel,
               releases = write == Sem::release || write == Sem::acq_rel;
    for (Sem sem : {read, write})
      if (sem == Sem::sc || sem == Sem::volatile_)
        return refuse(a.span, fmt::format("a {} read-modify-write", name(sem)), k_dialect,
                      "use relaxed, acquire, release or acq_rel");
    const auto text =
        scope(s == Scope::none ? Scope::gpu : s, a.span);  // without a scope atom works at gpu (PTX ISA 7.5, 9.7.12.4)
    if (!text) return text;
    return fmt::format("{}{}",
                       acquires && releases ? ".acq_rel"
                       : acquires           ? ".acquire"
                       : releases           ? ".release"
                                            : ".relaxed",
                       *text);
  }
  const bool read = a.dir == Dir::read;
  switch (n.sem) {
    case Sem::weak:
    case Sem::volatile_:
      if (n.scope != Scope::none)
        return refuse(a.span, fmt::format("a {} access with a scope", name(n.sem)), k_dialect,
                      "leave the scope out, or write relaxed");
      return fmt::format(".{}", name(n.sem));
    case Sem::relaxed:
      break;
    case Sem::acquire:
      if (!read)
        return refuse(a.span, "an acquiring write", k_dialect, "writes are weak, relaxed, release or volatile");
      break;
    case Sem::release:
      if (read) return refuse(a.span, "a releasing read", k_dialect, "reads are weak, relaxed, acquire or volatile");
      break;
    default:
      return refuse(a.span, fmt::format("an access of order '{}'", name(n.sem)), k_dialect,
                    "use weak, relaxed, acquire, release or volatile, or a fence");
  }
  const auto s = scope(n.scope, a.span);
  if (!s) return s;
  return fmt::format(".{}{}", name(n.sem), *s);
}

}  // namespace

Expected<std::string> write_ptx(const Draft& d) {
  if (auto ok = refuse_common(d, k_dialect); !ok) return std::unexpected(ok.error());
  std::set<std::string> aliases;
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> columns;
  for (size_t t = 0; t < d.layout.threads.size(); ++t) {
    const ThreadLayout& thread = d.layout.threads[t];
    const Place& p = d.tree.places[t];
    if (p.host) {
      auto code = write_host(d, t);
      if (!code) return std::unexpected(code.error());
      heads.push_back(fmt::format("P{}@host", t));
      columns.push_back(std::move(*code));
      continue;
    }
    heads.push_back(d.tree.clusters ? fmt::format("P{}@cta {},cluster {},gpu {}", t, p.cta, p.cluster, p.device)
                                    : fmt::format("P{}@cta {},gpu {}", t, p.cta, p.device));
    std::vector<std::string> code;
    uint32_t spare = 2, label = 0, unused = 1000;  // registers of dependencies: even; of unread exchanges: far away
    for (uint32_t k = 0; k < thread.accesses.size(); ++k) {
      for (const Between& b : thread.between) {
        if (b.at != k) continue;
        const Edge& e = b.edge;
        if (e.rel == Rel::fence) {
          if (e.sem != Sem::acq_rel && e.sem != Sem::sc)
            return refuse(e.span, fmt::format("a fence of order '{}'", name(e.sem)), k_dialect,
                          "fences are acq_rel or sc");
          const auto s = scope(e.scope, e.span);
          if (!s) return s;
          code.push_back(fmt::format("fence.{}{}", name(e.sem), *s));
        } else if (e.rel == Rel::proxy) {
          const char* names[] = {"", "generic", "alias", "constant", "texture", "surface", ""};
          code.push_back(fmt::format("fence.proxy.{}", names[static_cast<size_t>(e.proxy)]));
        } else {
          code.push_back(fmt::format("bar.cta.sync {}", e.barrier));
        }
      }
      const Access& a = thread.accesses[k];
      const auto o = order(a);
      if (!o) return o;
      const ProxyWord& w = word(a.node.proxy);
      const std::string base = location_name(a.location), place = base + w.suffix;
      if (*w.suffix != 0) aliases.insert(fmt::format("{} @ {} aliases {};", place, w.alias, base));
      std::string value = std::to_string(a.value);
      if (a.dependency != Rel::po) {
        const uint32_t on = thread.accesses[a.depends_on].reg;
        if (a.dependency == Rel::addr)
          return refuse(a.span, "an address dependency", k_dialect, "use DpData or DpCtrl, or the dialect GPU_PTX");
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
        if (*w.atomic == 0)
          return refuse(a.span, fmt::format("a read-modify-write through the proxy '{}'", name(a.node.proxy)),
                        k_dialect, "use generic, alias or surf");
        const bool add = a.both && (a.node.operation == Operation::add || a.store_node.operation == Operation::add);
        if (add && a.value != a.expected + 1)
          return refuse(a.span, "an 'add' that must skip a value", k_dialect, "use exch");
        code.push_back(fmt::format("{}{}.{} r{}, {}, {}", w.atomic, *o, add ? "add" : "exch", a.both ? a.reg : unused,
                                   place, add ? "1" : value));
        if (!a.both) unused += 1;
      } else if (a.dir == Dir::read) {
        code.push_back(fmt::format("{}{} r{}, {}", w.load, *o, a.reg, place));
      } else {
        if (*w.store == 0)
          return refuse(a.span, fmt::format("a write through the proxy '{}'", name(a.node.proxy)), k_dialect,
                        "use generic, alias or surf");
        code.push_back(fmt::format("{}{} {}, {}", w.store, *o, place, value));
      }
    }
    columns.push_back(std::move(code));
  }
  std::string out = header(d, "PTX") + "{\n";
  for (uint32_t l = 0; l < d.layout.regions.size(); ++l) out += location_name(l) + " = 0;\n";
  for (const std::string& a : aliases) out += a + "\n";
  return out + "}\n" + rows(heads, columns) + d.question + "\n";
}

}  // namespace fencepost::gen
