#include "cycle/name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "cycle/layout.h"

namespace fencepost::gen {
namespace {

using Words = std::vector<std::string>;

struct Family {
  const char* nickname;
  const char* words;  // by thread, from where the cycle begins
};
// diy's nicknames. Communications follow from the directions: W to R is Rf, W to W is Co, R to W is Fr.
constexpr Family k_families[] = {
    {"MP", "WW RR"},       {"SB", "WR WR"},       {"LB", "RW RW"},       {"S", "WW RW"},        {"R", "WW WR"},
    {"2+2W", "WW WW"},     {"WRC", "W RW RR"},    {"RWC", "W RR WR"},    {"WWC", "W RW RW"},    {"ISA2", "WW RW RR"},
    {"WRW+2W", "W RW WW"}, {"WRW+WR", "W RW WR"}, {"WRR+2W", "W RR WW"}, {"3.2W", "WW WW WW"},  {"3.SB", "WR WR WR"},
    {"3.LB", "RW RW RW"},  {"Z6.0", "WW RW WR"},  {"Z6.1", "WW WW RW"},  {"Z6.2", "WW RW RW"},  {"Z6.3", "WW WW RR"},
    {"Z6.4", "WW WR WR"},  {"Z6.5", "WW WW WR"},  {"W+RWC", "WW RR WR"}, {"IRIW", "W RR W RR"}, {"IRRWIW", "W RR W RW"},
    {"IRWIW", "W RW W RW"}};
constexpr Family k_one_location[] = {{"CoRR", "W RR"}, {"CoRW", "W RW"}};

constexpr std::pair<Region, char> k_region_letters[] = {
    {Region::none, 'g'}, {Region::shared, 's'}, {Region::dshared, 'd'}, {Region::host, 'h'},
    {Region::sc1, '1'},  {Region::sc2, '2'},    {Region::sc3, '3'}};
char region_letter(Region r) {
  for (const auto& [region, c] : k_region_letters)
    if (region == r) return c;
  return 'g';
}

char letter(Dir d) { return d == Dir::read ? 'R' : 'W'; }

bool one_location(const Cycle& c) {
  return std::all_of(c.edges.begin(), c.edges.end(), [](const Edge& e) { return e.same_location; });
}

// Accesses of each thread, from access 0, which begins a thread.
std::vector<std::vector<size_t>> threads_of(const Cycle& c) {
  std::vector<std::vector<size_t>> out;
  for (size_t k = 0; k < c.size(); ++k) {
    if (k == 0 || c.edges[k - 1].external) out.emplace_back();
    out.back().push_back(k);
  }
  return out;
}

Words words_of(const Cycle& c) {
  Words out;
  for (const auto& t : threads_of(c)) {
    std::string w(1, letter(c.edges[t.front()].from));
    if (t.size() > 1) w += letter(c.edges[t.back()].from);
    out.push_back(w);
  }
  return out;
}

const char* nickname(const Words& w, bool coherence) {
  const std::string joined = fmt::format("{}", fmt::join(w, " "));
  if (coherence) {
    for (const Family& f : k_one_location)
      if (joined == f.words) return f.nickname;
    return nullptr;
  }
  for (const Family& f : k_families)
    if (joined == f.words) return f.nickname;
  return nullptr;
}

const char* tag_word(const Edge& e) {
  switch (e.rel) {
    case Rel::rf:
      return "rfi";
    case Rel::co:
      return "coi";
    case Rel::fr:
      return "fri";
    case Rel::po:
      return "po";
    case Rel::fence:
      return "fence";
    case Rel::proxy:
      return "proxy";
    case Rel::addr:
      return "addr";
    case Rel::data:
      return "data";
    case Rel::ctrl:
      return "ctrl";
    case Rel::bar:
      return "bar";
    case Rel::rmw:
      return "rmw";
    case Rel::av_device:
      return "avdevice";
    case Rel::vis_device:
      return "visdevice";
  }
  return "";
}

bool gives_target(Rel r) { return r <= Rel::fr || r == Rel::data || r == Rel::rmw; }
bool gives_source(Rel r) { return r <= Rel::fr || r == Rel::addr || r == Rel::data || r == Rel::ctrl || r == Rel::rmw; }

std::string tag_of(const Cycle& c, const std::vector<size_t>& thread) {
  std::string out;
  const auto add = [&](const std::string& item) {
    if (!out.empty()) out += '-';
    out += item;
  };
  for (size_t i = 0; i < thread.size(); ++i) {
    Node n = c.nodes[thread[i]];
    n.region = Region::none;
    if (!n.empty()) add(print(n));
    if (i + 1 == thread.size()) break;
    const Edge& e = c.edges[thread[i]];
    std::string item = tag_word(e);
    if (e.rel == Rel::fence) item += fmt::format(".{}.{}", name(e.sem), name(e.scope));
    if (e.rel == Rel::proxy) item += fmt::format(".{}", name(e.proxy));
    if (e.rel == Rel::bar) item += fmt::format(".{}", e.barrier);
    if (e.covers != Covers{}) {
      const std::string all = print_kind(e);  // Fence.acq_rel.sys.semav: what stands behind the two parts
      item += all.substr(item.size());
    }
    if (e.same_location && !e.communication() && e.rel != Rel::rmw) item += 's';
    if (i + 2 < thread.size() && !gives_target(e.rel) && !gives_source(c.edges[thread[i + 1]].rel))
      item += letter(e.to);
    add(item);
  }
  return out;
}

// ---- reading --------------------------------------------------------------------------------------------

class Reader {
 public:
  explicit Reader(const std::string& text) : source_(make_source("name", text)), all_(source_->text) {}

  Expected<Spec> read() {
    std::string_view text = all_;
    std::optional<std::string_view> suffix;
    if (const size_t at = text.find('@'); at != std::string_view::npos) {
      suffix = text.substr(at + 1);
      text = text.substr(0, at);
    }
    if (auto ok = family(text); !ok) return std::unexpected(ok.error());
    if (auto ok = tags(); !ok) return std::unexpected(ok.error());
    Spec s;
    s.cycle = std::move(cycle_);
    if (auto ok = check(s.cycle); !ok) return std::unexpected(ok.error());
    s.tree = spread(words_.size());
    if (suffix) {
      const size_t dash = suffix->find('-');
      auto tree = parse_tree(std::string(suffix->substr(0, dash)), words_.size());
      if (!tree) return std::unexpected(tree.error());
      s.tree = *tree;
      if (dash != std::string_view::npos)
        if (auto ok = regions(s.cycle, suffix->substr(dash + 1)); !ok) return std::unexpected(ok.error());
    }
    return s;
  }

 private:
  Span span(std::string_view part) const {
    const auto begin = static_cast<uint32_t>(part.data() - all_.data());
    return Span{source_, begin, begin + static_cast<uint32_t>(part.size())};
  }

  static bool is_word(std::string_view s) {
    return (s.size() == 1 || s.size() == 2) &&
           std::all_of(s.begin(), s.end(), [](char c) { return c == 'R' || c == 'W'; });
  }

  Expected<void> family(std::string_view text) {
    const auto take = [&](const Family& f) {
      const std::string_view nick = f.nickname;
      if (!text.starts_with(nick) || (text.size() > nick.size() && text[nick.size()] != '+')) return false;
      const std::string_view rest = text.substr(std::min(text.size(), nick.size() + 1));
      if (is_word(rest.substr(0, rest.find('+')))) return false;  // "R+WW+...": directions, not the nickname R
      words_.clear();
      std::string_view w = f.words;
      for (size_t at = 0; at != std::string_view::npos;) {
        at = w.find(' ');
        words_.emplace_back(w.substr(0, at));
        if (at != std::string_view::npos) w.remove_prefix(at + 1);
      }
      rest_ = rest;
      return true;
    };
    size_t longest = 0;  // "WRW+2W" before "W"
    for (const Family& f : k_families)
      if (std::string_view(f.nickname).size() > longest && take(f))
        longest = std::string_view(f.nickname).size(), coherence_ = false;
    for (const Family& f : k_one_location)
      if (std::string_view(f.nickname).size() > longest && take(f))
        longest = std::string_view(f.nickname).size(), coherence_ = true;
    if (longest > 0) return {};
    rest_ = text;
    for (;;) {
      const std::string_view part = rest_.substr(0, rest_.find('+'));
      if (!is_word(part)) break;
      words_.emplace_back(part);
      rest_.remove_prefix(std::min(rest_.size(), part.size() + 1));
    }
    if (words_.size() >= 2) return {};
    std::vector<std::string> known;
    for (const Family& f : k_families) known.emplace_back(f.nickname);
    for (const Family& f : k_one_location) known.emplace_back(f.nickname);
    const std::string_view first = text.substr(0, text.find('+'));
    const std::string near = nearest(first, known);
    return error_at(
        span(first), fmt::format("'{}' is not a family of cycles", first),
        near.empty() ? "families are MP, SB, LB, ..., or directions: WW+RR" : fmt::format("did you mean {}?", near));
  }

  Expected<void> tags() {
    std::vector<std::string_view> given;
    for (std::string_view r = rest_; !r.empty();) {
      const size_t at = r.find('+');
      given.push_back(r.substr(0, at));
      r.remove_prefix(at == std::string_view::npos ? r.size() : at + 1);
    }
    const auto several =
        static_cast<size_t>(std::count_if(words_.begin(), words_.end(), [](const auto& w) { return w.size() == 2; }));
    const char* plain = coherence_ ? "pos" : "po";
    std::vector<std::string_view> each(words_.size(), "_");
    const bool one_for_all = given.size() == 1 && several != 1;
    if (one_for_all && !given[0].ends_with('s'))
      return error_at(span(given[0]), fmt::format("one tag for {} threads", several > 0 ? several : words_.size()),
                      fmt::format("write {}s, or a tag for each", given[0]));
    if (!given.empty() && !one_for_all && given.size() != several && given.size() != words_.size())
      return error_at(span(given.back()), fmt::format("{} tags for {} threads", given.size(), words_.size()),
                      fmt::format("give {}, for the threads of several accesses", several));
    size_t next = 0;
    for (size_t t = 0; t < words_.size(); ++t) {
      const bool multiple = words_[t].size() == 2;
      if (given.empty()) {
        if (multiple) each[t] = plain;
      } else if (one_for_all) {
        if (multiple || several == 0) each[t] = given[0].substr(0, given[0].size() - 1);
      } else if (multiple || given.size() == words_.size()) {
        each[t] = given[next++];
      }
    }
    std::vector<Dir> first, last;
    std::vector<size_t> end;  // index of the last access of each thread
    for (size_t t = 0; t < words_.size(); ++t) {
      if (auto ok = thread(words_[t], each[t]); !ok) return ok;
      end.push_back(cycle_.edges.size() - 1);
    }
    for (size_t t = 0; t < words_.size(); ++t) {
      Edge& e = cycle_.edges[end[t]];
      const Dir to = words_[(t + 1) % words_.size()].front() == 'R' ? Dir::read : Dir::write;
      e.external = true;
      e.to = to;
      if (e.from == Dir::read && to == Dir::read)
        return error_at(span(all_), "a read follows a read of another thread", "no communication joins two reads");
      e.rel = e.from == Dir::read ? Rel::fr : to == Dir::read ? Rel::rf : Rel::co;
    }
    return {};
  }

  // Accesses and relations of one thread; the last relation is left to be an external one.
  Expected<void> thread(const std::string& word, std::string_view tag) {
    struct Item {
      Edge edge;
      std::optional<Dir> to;
    };
    std::vector<Item> relations;
    std::vector<Node> nodes(1);
    if (tag != "_")
      for (std::string_view rest = tag;;) {
        const size_t at = rest.find('-');
        const std::string_view part = rest.substr(0, at);
        Item item;
        if (relation(part, item.edge, item.to)) {
          relations.push_back(item);
          nodes.emplace_back();
        } else {
          auto n = parse_node(std::string(part));
          if (!n)
            return error_at(span(part), fmt::format("'{}' is neither a relation nor a property of an access", part),
                            "as in po, fence.sc.gpu, relaxed.gpu");
          if (!nodes.back().empty())
            return error_at(span(part), "two descriptions of one access", "join them with dots");
          n->span = Span{};
          nodes.back() = *n;
        }
        if (at == std::string_view::npos) break;
        rest.remove_prefix(at + 1);
      }
    if ((word.size() == 2) != !relations.empty())
      return error_at(tag == "_" ? span(all_) : span(tag),
                      fmt::format("'{}' has {} relation{} for the accesses {}", tag, relations.size(),
                                  relations.size() == 1 ? "" : "s", word),
                      "a thread of one access has none, a thread of two has one or more");
    std::vector<Dir> dirs(nodes.size());
    dirs.front() = word.front() == 'R' ? Dir::read : Dir::write;
    dirs.back() = word.back() == 'R' ? Dir::read : Dir::write;
    for (size_t k = 1; k + 1 < nodes.size(); ++k) {
      const Rel in = relations[k - 1].edge.rel, out = relations[k].edge.rel;
      if (relations[k - 1].to)
        dirs[k] = *relations[k - 1].to;
      else if (gives_target(in))
        dirs[k] = in == Rel::rf ? Dir::read : Dir::write;
      else if (gives_source(out))
        dirs[k] = out == Rel::rf || out == Rel::co ? Dir::write : Dir::read;
      else
        return error_at(span(tag), fmt::format("the direction of access {} does not follow from '{}'", k + 1, tag),
                        "write R or W behind the relation before it: poW-po");
    }
    for (size_t k = 0; k < nodes.size(); ++k) {
      Edge e;
      if (k + 1 < nodes.size()) {
        e = relations[k].edge;
        e.to = dirs[k + 1];
        const Dir needs = e.rel == Rel::rf || e.rel == Rel::co ? Dir::write : gives_source(e.rel) ? Dir::read : dirs[k];
        if (needs != dirs[k] || (gives_target(e.rel) && (e.rel == Rel::rf ? Dir::read : Dir::write) != e.to))
          return error_at(span(tag), fmt::format("'{}' does not fit the accesses {}", tag, word),
                          "dependencies start at reads; rfi, coi, fri, data and rmw have their directions");
      }
      e.from = dirs[k];
      e.span = span(tag == "_" ? all_ : tag);
      cycle_.edges.push_back(e);
      cycle_.nodes.push_back(nodes[k]);
    }
    return {};
  }

  static bool relation(std::string_view text, Edge& e, std::optional<Dir>& to) {
    if (text.ends_with('R') || text.ends_with('W')) {
      to = text.ends_with('R') ? Dir::read : Dir::write;
      text.remove_suffix(1);
    }
    if (base(text, e)) {
      e.same_location = e.communication() || e.rel == Rel::rmw;
      return true;
    }
    if (!text.ends_with('s')) return false;
    text.remove_suffix(1);
    if (!base(text, e) || e.communication() || e.rel == Rel::rmw) return false;
    e.same_location = true;
    return true;
  }

  static bool base(std::string_view text, Edge& e) {
    const std::string_view head = text.substr(0, text.find('.'));
    for (Rel r : {Rel::rf, Rel::co, Rel::fr, Rel::po, Rel::fence, Rel::proxy, Rel::addr, Rel::data, Rel::ctrl, Rel::bar,
                  Rel::rmw, Rel::av_device, Rel::vis_device}) {
      Edge probe;
      probe.rel = r;
      if (head != tag_word(probe)) continue;
      if (r <= Rel::fr) {
        e = probe;
        return text == head;
      }
      Edge printed;
      printed.rel = r;
      std::string long_form = print_kind(printed);
      long_form = long_form.substr(0, long_form.find('.')) + std::string(text.substr(head.size()));
      auto parsed = parse_kind(long_form);
      if (!parsed) return false;
      e = *parsed;
      e.span = Span{};
      return true;
    }
    return false;
  }

  // "xsyg": a location's letter, then s or g. Locations as the layout names them.
  Expected<void> regions(Cycle& c, std::string_view text) {
    auto layout = lay_out(c);
    if (!layout) return std::unexpected(layout.error());
    for (size_t i = 0; i < text.size(); i += 2) {
      uint32_t l = 0;
      while (l < layout->regions.size() && location_name(l) != text.substr(i, 1)) ++l;
      const auto* region = std::find_if(std::begin(k_region_letters), std::end(k_region_letters),
                                        [&](const auto& r) { return i + 1 < text.size() && r.second == text[i + 1]; });
      if (l == layout->regions.size() || region == std::end(k_region_letters))
        return error_at(span(text), fmt::format("'{}' names no regions", text),
                        "as in xs: x lies in shared memory; g is global, d dshared, h host, 1 to 3 a storage class");
      for (size_t k = 0; k < c.size(); ++k)
        if (layout->location_of[k] == l) c.nodes[k].region = region->first;
    }
    return {};
  }

  SourcePtr source_;
  std::string_view all_, rest_;
  Words words_;
  bool coherence_ = false;
  Cycle cycle_;
};

// Regions on every access of their location; no spans and no levels.
Cycle plain(const Cycle& c, const Layout& l) {
  Cycle out = c;
  for (size_t k = 0; k < c.size(); ++k) {
    const Region r = l.regions[l.location_of[k]];
    out.nodes[k].region = r == Region::global || r == Region::sc0 ? Region::none : r;
    out.edges[k].level = Scope::none;
  }
  return out;
}

}  // namespace

Expected<Spec> spec_of(const Cycle& c, const std::optional<std::string>& tree) {
  auto layout = lay_out(c);
  if (!layout) return std::unexpected(layout.error());
  Expected<Tree> t =
      tree ? parse_tree(*tree, layout->threads.size()) : least_tree(layout->threads.size(), layout->constraints);
  if (!t) return std::unexpected(t.error());
  if (tree)
    for (const Constraint& k : layout->constraints)
      if (common_level(*t, k.a, k.b) != k.level)
        return error_at(
            k.span,
            fmt::format("the placement {} has these threads in one {}", *tree, name(common_level(*t, k.a, k.b))),
            "leave one of the two out");
  Spec s{c, *t};
  for (Edge& e : s.cycle.edges) e.level = Scope::none;
  return s;
}

Spec canonical(const Spec& s) {
  const auto base = lay_out(s.cycle);
  FENCEPOST_INVARIANT(base.has_value(), "a spec has a cycle that can be laid out");
  const Cycle c = plain(s.cycle, *base);
  using Key = std::tuple<int, Words, std::string, std::string>;
  std::optional<Key> best;
  Spec out;
  for (size_t r = 0; r < c.size(); ++r) {
    if (!c.edges[c.before(r)].external) continue;
    Spec candidate;
    candidate.cycle = rotated(c, r);
    const auto layout = lay_out(candidate.cycle);
    FENCEPOST_INVARIANT(layout.has_value(), "a rotated cycle can be laid out when the cycle can");
    std::vector<uint32_t> from(layout->threads.size(), 0);
    for (size_t k = 0; k < c.size(); ++k) from[layout->thread_of[k]] = base->thread_of[(k + r) % c.size()];
    candidate.tree = permuted(s.tree, from);
    const Words words = words_of(candidate.cycle);
    Key key{nickname(words, one_location(c)) != nullptr ? 0 : 1, words, print(candidate.cycle), print(candidate.tree)};
    if (best && !(key < *best)) continue;
    best = std::move(key);
    out = std::move(candidate);
  }
  return out;
}

std::string family_name(const Cycle& cycle) {
  const auto layout = lay_out(cycle);
  FENCEPOST_INVARIANT(layout.has_value(), "a family is of a cycle that can be laid out");
  const Cycle c = canonical({cycle, spread(layout->threads.size())}).cycle;
  const Words words = words_of(c);
  const char* nick = nickname(words, one_location(c));
  return nick != nullptr ? std::string(nick) : fmt::format("{}", fmt::join(words, "+"));
}

std::string name(const Spec& spec) {
  const Spec s = canonical(spec);
  const Words words = words_of(s.cycle);
  const bool coherence = one_location(s.cycle);
  const char* nick = nickname(words, coherence);
  std::string out = nick != nullptr ? nick : fmt::format("{}", fmt::join(words, "+"));
  std::vector<std::string> several, all;
  bool single_described = false;
  for (const auto& t : threads_of(s.cycle)) {
    std::string tag = tag_of(s.cycle, t);
    if (t.size() > 1)
      several.push_back(tag);
    else
      single_described |= !tag.empty();
    all.push_back(tag.empty() ? "_" : tag);
  }
  const std::vector<std::string>& tags = single_described ? all : several;
  const bool equal = std::all_of(tags.begin(), tags.end(), [&](const auto& t) { return t == tags.front(); });
  const bool plain_tags = equal && (tags.empty() || tags.front() == (nick != nullptr && coherence ? "pos" : "po"));
  // Words without a nickname have no other mark of one location than their tags.
  if (!plain_tags) {
    if (equal && tags.size() > 1)
      out += fmt::format("+{}s", tags.front());
    else
      for (const std::string& t : tags) out += fmt::format("+{}", t);
  }
  std::string regions;
  const auto layout = lay_out(s.cycle);
  for (uint32_t l = 0; l < layout->regions.size(); ++l)
    if (const char r = region_letter(layout->regions[l]); r != 'g') regions += location_name(l) + r;
  if (!regions.empty() || s.tree != spread(s.tree.places.size())) out += fmt::format("@{}", print(s.tree));
  if (!regions.empty()) out += fmt::format("-{}", regions);
  return out;
}

Expected<Spec> parse_name(const std::string& text) {
  auto s = Reader(text).read();
  if (!s) return s;
  return canonical(*s);
}

}  // namespace fencepost::gen
