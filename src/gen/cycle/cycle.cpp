#include "cycle/cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

namespace fencepost::gen {
namespace {

template <class T>
struct Word {
  const char* text;
  T value;
};
constexpr Word<Sem> k_sems[] = {{"weak", Sem::weak},          {"relaxed", Sem::relaxed}, {"acquire", Sem::acquire},
                                {"release", Sem::release},    {"acq_rel", Sem::acq_rel}, {"sc", Sem::sc},
                                {"volatile", Sem::volatile_}, {"mmio", Sem::mmio}};
constexpr Word<Scope> k_scopes[] = {
    {"warp", Scope::warp}, {"cta", Scope::cta}, {"cluster", Scope::cluster}, {"gpu", Scope::gpu}, {"sys", Scope::sys}};
constexpr Word<Region> k_regions[] = {
    {"global", Region::global}, {"shared", Region::shared}, {"dshared", Region::dshared}, {"host", Region::host},
    {"sc0", Region::sc0},       {"sc1", Region::sc1},       {"sc2", Region::sc2},         {"sc3", Region::sc3}};
constexpr const char* k_covers[] = {"semsc0", "semsc1", "semsc2", "semsc3", "semav", "semvis"};
constexpr Word<Proxy> k_proxies[] = {{"generic", Proxy::generic}, {"alias", Proxy::alias},  {"const", Proxy::constant},
                                     {"tex", Proxy::texture},     {"surf", Proxy::surface}, {"async", Proxy::async}};
constexpr Word<Cache> k_caches[] = {
    {"ca", Cache::ca}, {"cg", Cache::cg}, {"cv", Cache::cv}, {"wb", Cache::wb}, {"wt", Cache::wt}};
constexpr Word<Operation> k_operations[] = {{"exch", Operation::exch}, {"add", Operation::add}};
constexpr Word<Rel> k_coms[] = {{"Rf", Rel::rf}, {"Co", Rel::co}, {"Fr", Rel::fr}, {"Ws", Rel::co}};
constexpr Word<Rel> k_internals[] = {{"Po", Rel::po},
                                     {"Fence", Rel::fence},
                                     {"Proxy", Rel::proxy},
                                     {"DpAddr", Rel::addr},
                                     {"DpData", Rel::data},
                                     {"DpCtrl", Rel::ctrl},
                                     {"Bar", Rel::bar},
                                     {"Rmw", Rel::rmw},
                                     {"AvDevice", Rel::av_device},
                                     {"VisDevice", Rel::vis_device}};

template <class T, size_t N>
std::optional<T> find(const Word<T> (&table)[N], std::string_view text) {
  for (const auto& w : table)
    if (text == w.text) return w.value;
  return std::nullopt;
}
template <class T, size_t N>
const char* word(const Word<T> (&table)[N], T value) {
  for (const auto& w : table)
    if (w.value == value) return w.text;
  return "";
}
template <class T, size_t N>
void list(const Word<T> (&table)[N], std::vector<std::string>& out) {
  for (const auto& w : table) out.emplace_back(w.text);
}

std::string hint_for(std::string_view text, const std::vector<std::string>& known, const char* otherwise) {
  const std::string near = nearest(text, known);
  return near.empty() ? otherwise : fmt::format("did you mean {}?", near);
}

struct Token {
  std::string_view text;
  Span span;
};

Span part_of(const Token& t, std::string_view part) {
  Span s = t.span;
  s.begin += static_cast<uint32_t>(part.data() - t.text.data());
  s.end = s.begin + static_cast<uint32_t>(part.size());
  return s;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> out;
  for (;;) {
    const size_t at = text.find(by);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

// Whether `part` is one of k_covers; it is put into `c`, where it may be already.
bool cover(std::string_view part, Covers& c, bool& twice) {
  for (size_t k = 0; k < std::size(k_covers); ++k) {
    if (part != k_covers[k]) continue;
    const Covers before = c;
    if (k < 4)
      c.classes = static_cast<uint8_t>(c.classes | (1u << k));
    else
      (k == 4 ? c.av : c.vis) = true;
    twice = c == before;
    return true;
  }
  return false;
}

void print_covers(const Covers& c, std::string& out) {
  for (uint32_t k = 0; k < 4; ++k)
    if ((c.classes >> k) & 1) out.append(out.empty() ? "" : ".").append(k_covers[k]);
  if (c.av) out.append(out.empty() ? "" : ".").append("semav");
  if (c.vis) out.append(out.empty() ? "" : ".").append("semvis");
}

Expected<Scope> level_of(const Token& t, std::string_view text) {
  if (const auto s = find(k_scopes, text)) return *s;
  std::vector<std::string> known;
  list(k_scopes, known);
  return error_at(part_of(t, text), fmt::format("'{}' is not a level", text),
                  hint_for(text, known, "levels are warp, cta, cluster, gpu and sys"));
}

// Po, Fence.sc.gpu, ...: without the three letters.
Expected<Edge> kind_of(const Token& t, std::string_view head) {
  auto parts = split(head, '.');
  const auto rel = find(k_internals, parts[0]);
  if (!rel) {
    std::vector<std::string> known;
    list(k_internals, known);
    return error_at(part_of(t, parts[0]), fmt::format("'{}' is not a relation within a thread", parts[0]),
                    hint_for(parts[0], known,
                             "these are Po, Fence.<sem>.<scope>, Proxy.<proxy>, DpAddr, DpData, DpCtrl, Bar.<id>, Rmw, "
                             "AvDevice, VisDevice"));
  }
  Edge e;
  e.rel = *rel;
  e.span = t.span;
  while ((e.rel == Rel::fence || e.rel == Rel::bar) && parts.size() > 2) {
    bool twice = false;
    if (!cover(parts.back(), e.covers, twice)) break;
    if (twice)
      return error_at(part_of(t, parts.back()), fmt::format("'{}' is there twice", parts.back()),
                      "remove one of the two");
    parts.pop_back();
  }
  const auto wants = [&](size_t n, const char* hint) -> Expected<void> {
    if (parts.size() == n) return {};
    return error_at(t.span, fmt::format("'{}' has {} parts", head, parts.size() < n ? "too few" : "too many"), hint);
  };
  switch (e.rel) {
    case Rel::fence: {
      if (auto ok = wants(3, "write Fence.acq_rel.gpudWW"); !ok) return std::unexpected(ok.error());
      const auto sem = find(k_sems, parts[1]);
      if (!sem || *sem == Sem::weak || *sem == Sem::relaxed || *sem == Sem::volatile_ || *sem == Sem::mmio)
        return error_at(part_of(t, parts[1]), fmt::format("'{}' is not an order of a fence", parts[1]),
                        "fences are acquire, release, acq_rel or sc");
      const auto scope = level_of(t, parts[2]);
      if (!scope) return std::unexpected(scope.error());
      e.sem = *sem;
      e.scope = *scope;
      return e;
    }
    case Rel::proxy: {
      if (auto ok = wants(2, "write Proxy.aliasdWW"); !ok) return std::unexpected(ok.error());
      const auto proxy = find(k_proxies, parts[1]);
      std::vector<std::string> known;
      list(k_proxies, known);
      if (!proxy)
        return error_at(part_of(t, parts[1]), fmt::format("'{}' is not a proxy", parts[1]),
                        hint_for(parts[1], known, "proxies are generic, alias, const, tex, surf and async"));
      e.proxy = *proxy;
      return e;
    }
    case Rel::bar: {
      if (auto ok = wants(2, "write Bar.0dWR"); !ok) return std::unexpected(ok.error());
      if (parts[1].empty() || parts[1].size() > 3 ||
          !std::all_of(parts[1].begin(), parts[1].end(), [](char c) { return c >= '0' && c <= '9'; }))
        return error_at(part_of(t, parts[1]), fmt::format("'{}' is not the number of a barrier", parts[1]),
                        "write Bar.0dWR");
      for (char c : parts[1]) e.barrier = e.barrier * 10 + static_cast<uint32_t>(c - '0');
      return e;
    }
    default:
      if (auto ok = wants(1, "only Fence, Proxy and Bar have parts"); !ok) return std::unexpected(ok.error());
      return e;
  }
}

bool is_direction(char c) { return c == 'R' || c == 'W'; }
Dir direction(char c) { return c == 'R' ? Dir::read : Dir::write; }
char letter(Dir d) { return d == Dir::read ? 'R' : 'W'; }

Expected<Edge> internal(const Token& t) {
  std::string_view head = t.text;
  if (head == "Rmw") {
    Edge e;
    e.rel = Rel::rmw;
    e.from = Dir::read;
    e.span = t.span;
    return e;
  }
  const std::string_view tail = head.substr(head.size() - 3);
  head.remove_suffix(3);
  if (head.ends_with('.')) head.remove_suffix(1);
  auto e = kind_of(t, head);
  if (!e) return e;
  e->same_location = tail[0] == 's';
  e->from = direction(tail[1]);
  e->to = direction(tail[2]);
  const bool dependency = e->rel == Rel::addr || e->rel == Rel::data || e->rel == Rel::ctrl;
  if (dependency && e->from != Dir::read)
    return error_at(part_of(t, tail.substr(1, 1)), "a dependency starts at a read",
                    fmt::format("write {}{}R{}", head, tail[0], tail[2]));
  if (e->rel == Rel::data && e->to != Dir::write)
    return error_at(part_of(t, tail.substr(2)), "a data dependency ends at a write",
                    fmt::format("write {}{}RW", head, tail[0]));
  if (e->rel == Rel::rmw && tail != "sRW")
    return error_at(t.span, "a read-modify-write reads and writes one location", "write Rmw");
  return e;
}

Expected<Node> node_of(const Token& t) {
  Node n;
  n.span = t.span;
  for (const std::string_view part : split(t.text, '.')) {
    const auto set = [&](auto& member, auto value) -> Expected<void> {
      if (member != decltype(value){})
        return error_at(part_of(t, part), fmt::format("'{}' is a second word of its kind", part),
                        "remove one of the two");
      member = value;
      return {};
    };
    Expected<void> done;
    bool twice = false;
    if (cover(part, n.covers, twice)) {
      if (twice)
        return error_at(part_of(t, part), fmt::format("'{}' is a second word of its kind", part),
                        "remove one of the two");
    } else if (part == "nonpriv")
      done = set(n.nonpriv, true);
    else if (const auto s = find(k_sems, part))
      done = set(n.sem, *s);
    else if (const auto sc = find(k_scopes, part))
      done = set(n.scope, *sc);
    else if (const auto r = find(k_regions, part))
      done = set(n.region, *r);
    else if (const auto p = find(k_proxies, part))
      done = set(n.proxy, *p);
    else if (const auto c = find(k_caches, part))
      done = set(n.cache, *c);
    else if (const auto o = find(k_operations, part))
      done = set(n.operation, *o);
    else if (part == "w8" || part == "w16" || part == "w32" || part == "w64" || part == "w128")
      done = set(n.width, static_cast<uint8_t>(part == "w8"    ? 8
                                               : part == "w16" ? 16
                                               : part == "w32" ? 32
                                               : part == "w64" ? 64
                                                               : 128));
    else {
      std::vector<std::string> known = {"Rfe", "Rfi",   "Coe",   "Coi",   "Fre",   "Fri",    "w32",
                                        "w64", "PodRR", "PodRW", "PodWR", "PodWW", "nonpriv"};
      known.insert(known.end(), std::begin(k_covers), std::end(k_covers));
      list(k_sems, known);
      list(k_scopes, known);
      list(k_regions, known);
      list(k_proxies, known);
      list(k_caches, known);
      list(k_operations, known);
      return error_at(
          part_of(t, part), fmt::format("'{}' is neither a relation nor a property of an access", part),
          hint_for(part, known, "relations are written Rfe, PodWR, Fence.sc.gpudWR; properties relaxed.gpu"));
    }
    if (!done) return std::unexpected(done.error());
  }
  return n;
}

Expected<std::optional<Edge>> communication(const Token& t) {
  const size_t at = t.text.find('@');
  const std::string_view head = t.text.substr(0, at);
  const auto rel = head.size() == 3 ? find(k_coms, head.substr(0, 2)) : std::nullopt;
  if (!rel || (head[2] != 'e' && head[2] != 'i')) {
    if (at != std::string_view::npos)
      return error_at(t.span, fmt::format("'{}' has a level but is not a communication", t.text),
                      "levels belong to Rfe, Coe and Fre: Rfe@cta");
    return std::optional<Edge>();
  }
  Edge e;
  e.rel = *rel;
  e.external = head[2] == 'e';
  e.from = e.rel == Rel::fr ? Dir::read : Dir::write;
  e.to = e.rel == Rel::rf ? Dir::read : Dir::write;
  e.span = t.span;
  if (at != std::string_view::npos) {
    if (!e.external)
      return error_at(part_of(t, t.text.substr(at)), "a communication within a thread has no level",
                      fmt::format("write {}e{}", head.substr(0, 2), t.text.substr(at)));
    const auto level = level_of(t, t.text.substr(at + 1));
    if (!level) return std::unexpected(level.error());
    e.level = *level;
  }
  return std::optional(e);
}

std::vector<Token> tokens_of(const SourcePtr& source) {
  std::vector<Token> out;
  const std::string_view all = source->text;
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; };
  for (size_t i = 0; i < all.size();) {
    if (blank(all[i])) {
      ++i;
      continue;
    }
    size_t j = i;
    while (j < all.size() && !blank(all[j])) ++j;
    out.push_back({all.substr(i, j - i), Span{source, static_cast<uint32_t>(i), static_cast<uint32_t>(j)}});
    i = j;
  }
  return out;
}

bool looks_internal(std::string_view text) {
  if (text == "Rmw") return true;
  const size_t n = text.size();
  return n > 3 && (text[n - 3] == 's' || text[n - 3] == 'd') && is_direction(text[n - 2]) && is_direction(text[n - 1]);
}

}  // namespace

const char* name(Sem s) { return word(k_sems, s); }
const char* name(Scope s) { return word(k_scopes, s); }
const char* name(Region r) { return word(k_regions, r); }
const char* name(Proxy p) { return word(k_proxies, p); }
const char* name(Cache c) { return word(k_caches, c); }
const char* name(Operation o) { return word(k_operations, o); }

bool Node::empty() const { return *this == Node{}; }

Expected<Cycle> parse_cycle(SourcePtr source) {
  Cycle c;
  Node pending;
  bool have_node = false;
  for (const Token& t : tokens_of(source)) {
    auto com = communication(t);
    if (!com) return std::unexpected(com.error());
    if (*com || looks_internal(t.text)) {
      Expected<Edge> e = *com ? Expected<Edge>(**com) : internal(t);
      if (!e) return std::unexpected(e.error());
      c.edges.push_back(*e);
      c.nodes.push_back(pending);
      pending = Node{};
      have_node = false;
      continue;
    }
    auto n = node_of(t);
    if (!n) return std::unexpected(n.error());
    if (have_node) return error_at(t.span, "two descriptions of one access", "join them with dots: relaxed.gpu.shared");
    pending = *n;
    have_node = true;
  }
  if (c.edges.empty())
    return error_at(Span{source, 0, 0}, "a cycle needs relations", "for example PodWW Rfe PodRR Fre");
  if (have_node) {  // behind the last relation: the access that the cycle begins with
    if (!c.nodes[0].empty())
      return error_at(pending.span, "two descriptions of one access", "it stands before the first relation already");
    c.nodes[0] = pending;
  }
  if (auto ok = check(c); !ok) return std::unexpected(ok.error());
  return c;
}

Expected<Cycle> parse_cycle(const std::string& text) { return parse_cycle(make_source("cycle", text)); }

Expected<Node> parse_node(const std::string& text) {
  const SourcePtr source = make_source("access", text);
  const auto tokens = tokens_of(source);
  if (tokens.size() != 1)
    return error_at(Span{source, 0, static_cast<uint32_t>(text.size())}, "this describes no access",
                    "for example relaxed.gpu");
  return node_of(tokens[0]);
}

Expected<Edge> parse_kind(const std::string& text) {
  const SourcePtr source = make_source("relation", text);
  const auto tokens = tokens_of(source);
  if (tokens.size() != 1)
    return error_at(Span{source, 0, static_cast<uint32_t>(text.size())}, "this is not a relation",
                    "for example Fence.sc.gpu");
  auto e = kind_of(tokens[0], tokens[0].text);
  if (e && e->rel == Rel::rmw) e->from = Dir::read;
  return e;
}

Expected<void> check(const Cycle& c) {
  size_t external = 0, changes = 0;
  for (size_t k = 0; k < c.size(); ++k) {
    const Edge &e = c.edges[k], &next = c.edges[c.after(k)];
    external += e.external ? 1 : 0;
    changes += e.same_location ? 0 : 1;
    if (e.to != next.from)
      return error_at(
          next.span,
          fmt::format("{} starts at a {}, and {} ends at a {}", print(next), next.from == Dir::read ? "read" : "write",
                      print(e), e.to == Dir::read ? "read" : "write"),
          "the directions of neighbours must agree");
    if (e.communication() && next.communication() && next.rel != Rel::rf && e.rel != Rel::rf)
      return error_at(next.span, fmt::format("two communications in a row: {} {}", print(e), print(next)),
                      fmt::format("they say no more than {} alone", e.rel == Rel::fr ? "Fr" : "Co"));
    if (e.rel == Rel::rmw && (c.edges[c.before(k)].rel == Rel::rmw || next.rel == Rel::rmw))
      return error_at(e.span, "two read-modify-writes share an access", "put a relation between them");
  }
  if (external < 2)
    return error_at(c.edges.front().span,
                    fmt::format("{} communication{} to another thread", external, external == 1 ? "" : "s"),
                    "a cycle needs two or more: Rfe, Coe or Fre");
  if (changes == 1)
    for (const Edge& e : c.edges)
      if (!e.same_location)
        return error_at(e.span, fmt::format("{} alone changes the location", print(e)),
                        "locations change at two or more places, or nowhere");
  if (changes == c.size())
    return error_at(c.edges.front().span, "the location changes at every step", "communications stay at one location");
  return {};
}

std::string print(const Node& n) {
  std::string out;
  const auto add = [&](const char* w) {
    if (*w == 0) return;
    if (!out.empty()) out += '.';
    out += w;
  };
  add(name(n.sem));
  add(name(n.scope));
  add(name(n.region));
  add(name(n.proxy));
  add(name(n.cache));
  if (n.width != 0) add(fmt::format("w{}", n.width).c_str());
  add(name(n.operation));
  if (n.nonpriv) add("nonpriv");
  print_covers(n.covers, out);
  return out;
}

std::string print_kind(const Edge& e) {
  std::string out = word(k_internals, e.rel);
  if (e.rel == Rel::fence) out += fmt::format(".{}.{}", name(e.sem), name(e.scope));
  if (e.rel == Rel::proxy) out += fmt::format(".{}", name(e.proxy));
  if (e.rel == Rel::bar) out += fmt::format(".{}", e.barrier);
  print_covers(e.covers, out);
  return out;
}

std::string print(const Edge& e) {
  if (e.communication()) {
    std::string out = word(k_coms, e.rel);
    out += e.external ? 'e' : 'i';
    if (e.level != Scope::none) out.append("@").append(name(e.level));
    return out;
  }
  if (e.rel == Rel::rmw) return "Rmw";
  return print_kind(e) + (e.same_location ? 's' : 'd') + letter(e.from) + letter(e.to);
}

std::string print(const Cycle& c) {
  std::string out;
  for (size_t k = 0; k < c.size(); ++k) {
    if (k > 0) out += ' ';
    if (!c.nodes[k].empty()) out += print(c.nodes[k]) + ' ';
    out += print(c.edges[k]);
  }
  return out;
}

Cycle rotated(const Cycle& c, size_t start) {
  Cycle out = c;
  std::rotate(out.edges.begin(), out.edges.begin() + static_cast<std::ptrdiff_t>(start), out.edges.end());
  std::rotate(out.nodes.begin(), out.nodes.begin() + static_cast<std::ptrdiff_t>(start), out.nodes.end());
  return out;
}

Cycle with_access(Cycle c, const Node& access) {
  for (size_t k = 0; k < c.size(); ++k) {
    Node& n = c.nodes[k];
    if (n.sem != Sem::none) continue;
    const bool read = c.edges[k].from == Dir::read;
    n.sem = access.sem;
    if (n.sem == Sem::acq_rel) n.sem = read ? Sem::acquire : Sem::release;
    if (n.sem == (read ? Sem::release : Sem::acquire)) n.sem = Sem::relaxed;
    if (n.scope == Scope::none) n.scope = access.scope;
    if (n.region == Region::none) n.region = access.region;
    if (n.proxy == Proxy::none) n.proxy = access.proxy;
    if (n.cache == Cache::none) n.cache = access.cache;
    if (n.width == 0) n.width = access.width;
    if (n.covers == Covers{}) {
      const bool orders = n.sem == Sem::acquire || n.sem == Sem::release;
      if (orders) n.covers.classes = access.covers.classes;
      n.covers.av = access.covers.av && n.sem == Sem::release;
      n.covers.vis = access.covers.vis && n.sem == Sem::acquire;
    }
    n.nonpriv = n.nonpriv || access.nonpriv;
  }
  return c;
}

}  // namespace fencepost::gen
