#include "cycle/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace fencepost::gen {
namespace {

constexpr size_t k_most_threads = 8;  // of an enumeration
constexpr size_t k_most_clustered = 5;

char digit(size_t thread) { return static_cast<char>(thread < 10 ? '0' + thread : 'a' + (thread - 10)); }

std::unexpected<Diagnostics> bad(const std::string& text, size_t at, std::string message) {
  const SourcePtr source = make_source("placement", text);
  return error_at(Span{source, static_cast<uint32_t>(at), static_cast<uint32_t>(std::min(at + 1, text.size()))},
                  std::move(message), "as in 01.2: threads 0 and 1 in one CTA, 2 in another; '_' separates devices");
}

// All set partitions of n things, as block numbers in order of first member.
std::vector<std::vector<uint32_t>> partitions(size_t n) {
  std::vector<std::vector<uint32_t>> out;
  std::vector<uint32_t> p;
  const std::function<void(uint32_t)> go = [&](uint32_t blocks) {
    if (p.size() == n) return out.push_back(p);
    for (uint32_t b = 0; b <= blocks; ++b) {
      p.push_back(b);
      go(std::max(blocks, b + 1));
      p.pop_back();
    }
  };
  go(0);
  return out;
}

}  // namespace

Tree normal(Tree t) {
  std::map<uint32_t, uint32_t> devices;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> clusters, ctas;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> warps;
  for (Place& p : t.places) {
    const Place old = p;
    const auto id = [](auto& known, const auto& key) {
      return known.emplace(key, static_cast<uint32_t>(known.size())).first->second;
    };
    p.device = id(devices, old.device);
    p.cta = id(ctas, std::pair(old.device, old.cta));
    p.warp = id(warps, std::tuple(old.device, old.cta, old.warp));
    p.cluster = t.clusters ? id(clusters, std::pair(old.device, old.cluster)) : p.cta;
  }
  return t;
}

Tree spread(size_t threads) {
  Tree t;
  for (uint32_t k = 0; k < threads; ++k) t.places.push_back({0, k, k, k});
  return t;
}

Scope common_level(const Tree& t, size_t a, size_t b) {
  const Place &x = t.places[a], &y = t.places[b];
  if (x.device != y.device) return Scope::sys;
  if (x.cta != y.cta) return t.clusters && x.cluster == y.cluster ? Scope::cluster : Scope::gpu;
  return x.warp != y.warp ? Scope::cta : Scope::warp;
}

Tree permuted(const Tree& t, const std::vector<uint32_t>& from) {
  Tree out;
  out.clusters = t.clusters;
  for (uint32_t k : from) out.places.push_back(t.places[k]);
  return normal(out);
}

std::string print(const Tree& tree) {
  const Tree t = normal(tree);
  std::string out;
  std::vector<bool> done(t.places.size(), false);
  // Groups in order of their first thread; inside a cluster CTAs likewise, inside a CTA warps.
  const auto same = [&](size_t a, size_t b, Scope level) { return common_level(t, a, b) <= level; };
  const auto cta = [&](size_t c) {
    for (size_t w = c; w < t.places.size(); ++w) {
      if (done[w] || !same(c, w, Scope::cta)) continue;
      bool mate = false;
      for (size_t k = w; k < t.places.size(); ++k) {
        if (done[k] || !same(w, k, Scope::warp)) continue;
        if (mate) out += '=';
        mate = true;
        if (t.places[k].host) out += 'H';
        out += digit(k);
        done[k] = true;
      }
    }
  };
  for (size_t d = 0; d < t.places.size(); ++d) {
    if (done[d]) continue;
    if (!out.empty()) out += '_';
    bool first = true;
    for (size_t g = d; g < t.places.size(); ++g) {
      if (done[g] || !same(d, g, Scope::gpu)) continue;
      if (!first) out += '.';
      first = false;
      bool mate = false;
      for (size_t c = g; c < t.places.size(); ++c) {
        if (done[c] || !same(g, c, Scope::cluster)) continue;
        if (mate) out += '~';
        mate = true;
        cta(c);
      }
    }
  }
  return t.clusters && out.find('~') == std::string::npos ? "~" + out : out;
}

Expected<Tree> parse_tree(const std::string& text, size_t threads) {
  Tree t;
  t.places.resize(threads);
  std::vector<bool> seen(threads, false);
  uint32_t device = 0, cluster = 0, cta = 0, warp = 0;
  bool item = false, join = false, host = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '~') t.clusters = true;
    if (c == '~' && i == 0) continue;
    if (c == '_' || c == '.' || c == '=' || c == '~') {
      if (!item || join || host) return bad(text, i, fmt::format("'{}' stands where a thread belongs", c));
      item = c == '=';
      join = c == '=';
      if (c == '_') ++device;
      if (c == '_' || c == '.') ++cluster;
      if (c != '=') ++cta;
      continue;
    }
    if (c == 'H' && !host && !join) {
      host = true;
      continue;
    }
    const bool letter = c >= 'a' && c <= 'z';
    if (!letter && !(c >= '0' && c <= '9')) return bad(text, i, fmt::format("'{}' is not a thread", c));
    const size_t thread = letter ? static_cast<size_t>(c - 'a') + 10 : static_cast<size_t>(c - '0');
    if (thread >= threads) return bad(text, i, fmt::format("there is no thread {}; the test has {}", thread, threads));
    if (seen[thread]) return bad(text, i, fmt::format("thread {} is placed twice", thread));
    seen[thread] = true;
    if (!join) ++warp;
    t.places[thread] = {device, cta, warp, cluster, host};
    host = false;
    item = true;
    join = false;
  }
  if (!item || join || host) return bad(text, text.size(), "the placement ends where a thread belongs");
  for (size_t k = 0; k < threads; ++k)
    if (!seen[k]) return bad(text, text.size(), fmt::format("thread {} has no place", k));
  for (size_t k = 0; k < threads; ++k)
    for (size_t o = 0; o < threads; ++o)
      if (o != k && t.places[k].host && t.places[o].device == t.places[k].device)
        return bad(text, text.find('H'), fmt::format("thread {} is on the host, and thread {} beside it", k, o));
  return normal(t);
}

std::vector<Tree> all_trees(size_t threads, bool warps, bool clusters) {
  FENCEPOST_INVARIANT(threads > 0 && threads <= (clusters ? k_most_clustered : k_most_threads),
                      "trees are enumerated for one to eight threads, with clusters for five");
  std::vector<Tree> out;
  const auto all = partitions(threads);
  // b refines a: equal blocks of b are equal blocks of a.
  const auto refines = [](const std::vector<uint32_t>& b, const std::vector<uint32_t>& a) {
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (b[i] == b[j] && a[i] != a[j]) return false;
    return true;
  };
  std::vector<uint32_t> own(threads);
  for (uint32_t k = 0; k < threads; ++k) own[k] = k;
  for (const auto& devices : all)
    for (const auto& ctas : all) {
      if (!refines(ctas, devices)) continue;
      for (const auto& groups : all) {
        if (clusters ? !refines(ctas, groups) || !refines(groups, devices) : groups != ctas) continue;
        for (const auto& lanes : all) {
          if (warps ? !refines(lanes, ctas) : lanes != own) continue;
          Tree t;
          t.clusters = clusters;
          for (size_t k = 0; k < threads; ++k) t.places.push_back({devices[k], ctas[k], lanes[k], groups[k]});
          out.push_back(normal(t));
        }
      }
    }
  return out;
}

std::vector<Tree> host_trees(size_t threads) {
  std::vector<Tree> out;
  for (const Tree& t : all_trees(threads, false)) {
    std::vector<size_t> alone;  // those that have a device for themselves, so that it may as well be the host
    for (size_t k = 0; k < threads; ++k)
      if (std::ranges::count(t.places, t.places[k].device, &Place::device) == 1) alone.push_back(k);
    for (uint32_t chosen = 1; chosen < 1u << alone.size(); ++chosen) {
      Tree hosted = t;
      for (size_t i = 0; i < alone.size(); ++i) hosted.places[alone[i]].host = (chosen >> i & 1) != 0;
      if (!std::ranges::all_of(hosted.places, &Place::host)) out.push_back(std::move(hosted));
    }
  }
  return out;
}

Expected<Tree> least_tree(size_t threads, const std::vector<Constraint>& constraints) {
  if (constraints.empty()) return spread(threads);
  bool warps = false, clusters = false;
  for (const Constraint& c : constraints) {
    clusters |= c.level == Scope::cluster;
    warps |= c.level == Scope::warp;
  }
  if (threads > (clusters ? k_most_clustered : k_most_threads))
    return unsupported_at(constraints.front().span,
                          fmt::format("levels on the relations of {} threads are not supported", threads),
                          "give the placement as a tree");
  const Tree* best = nullptr;
  std::tuple<size_t, size_t, size_t> best_cost;
  size_t furthest = 0;  // constraints met by some tree, from the first on
  const auto trees = all_trees(threads, warps, clusters);
  for (const Tree& t : trees) {
    size_t met = 0;
    while (met < constraints.size() &&
           common_level(t, constraints[met].a, constraints[met].b) == constraints[met].level)
      ++met;
    furthest = std::max(furthest, met);
    if (met < constraints.size()) continue;
    std::tuple<size_t, size_t, size_t> cost{0, 0, 0};
    for (size_t a = 0; a < threads; ++a)
      for (size_t b = 0; b < a; ++b) {
        const Scope level = common_level(t, a, b);
        std::get<0>(cost) += level <= Scope::cta ? 1 : 0;
        std::get<1>(cost) += level == Scope::sys ? 1 : 0;
        std::get<2>(cost) += level == Scope::cluster ? 1 : 0;
      }
    if (best == nullptr || cost < best_cost) best = &t, best_cost = cost;
  }
  if (best != nullptr) return *best;
  return error_at(constraints[furthest].span, "no placement of the threads meets this level and those before it",
                  "levels are of the narrowest group that holds both threads");
}

}  // namespace fencepost::gen
