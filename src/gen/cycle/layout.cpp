// Where diy begins (diyone7 7.58; older versions begin elsewhere): walking back from the given start to a change of
// thread, then to a change of location, gives the place L where naming begins; thread 0 starts at L if an external
// communication enters it, else at the first relation within a thread behind the next external communication.
#include "cycle/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace fencepost::gen {
namespace {

class Builder {
 public:
  explicit Builder(const Cycle& c) : c_(c), n_(c.size()), value_(n_, 0) {}

  Expected<Layout> build() {
    find_starts();
    locations();
    if (auto ok = values(); !ok) return std::unexpected(ok.error());
    if (auto ok = regions(); !ok) return std::unexpected(ok.error());
    threads();
    return std::move(out_);
  }

 private:
  const Edge& in(size_t k) const { return c_.edges[c_.before(k)]; }  // enters access k
  const Edge& leaving(size_t k) const { return c_.edges[k]; }

  template <class P>
  std::optional<size_t> back(size_t from, P&& p) const {
    for (size_t i = 0, k = from; i < n_; ++i, k = c_.before(k))
      if (p(k)) return k;
    return std::nullopt;
  }
  template <class P>
  std::optional<size_t> ahead(size_t from, P&& p) const {
    for (size_t i = 0, k = from; i < n_; ++i, k = c_.after(k))
      if (p(k)) return k;
    return std::nullopt;
  }

  void find_starts() {
    const size_t boundary = *back(0, [&](size_t k) { return in(k).external; });  // check(): there are two
    const auto change = back(boundary, [&](size_t k) { return !in(k).same_location; });
    if (change) {
      naming_ = *ahead(*change, [&](size_t k) { return leaving(k).same_location; });
      one_location_ = false;
      first_value_ = *ahead(naming_, [&](size_t k) { return !in(k).same_location && leaving(k).same_location; });
    } else {
      // A single location: values begin at a communication that none precedes, of a read if there is one.
      naming_ = 0;
      one_location_ = true;
      const auto starts = [&](size_t k) { return !in(k).communication() && leaving(k).communication(); };
      const auto joined = [&](size_t k) {
        const auto is = [](const Edge& e) { return e.communication() || e.rel == Rel::rmw; };
        return !is(in(k)) && is(leaving(k));
      };
      auto at = ahead(0, [&](size_t k) { return joined(k) && leaving(k).from == Dir::read; });
      if (!at) at = ahead(0, joined);
      if (!at) at = ahead(0, [&](size_t k) { return starts(k) && leaving(k).from == Dir::read; });
      if (!at) at = ahead(0, starts);
      first_value_ = at.value_or(0);
    }
    if (in(first_value_).external) {
      thread0_ = first_value_;
    } else {
      const size_t external = *ahead(first_value_, [&](size_t k) { return leaving(k).external; });
      thread0_ = ahead(external, [&](size_t k) { return !leaving(k).external; }).value_or(external);
    }
  }

  void locations() {
    out_.location_of.assign(n_, 0);
    if (one_location_) {
      locations_ = 1;
      return;
    }
    uint32_t at = 0;
    for (size_t i = 0, k = naming_; i < n_; ++i, k = c_.after(k)) {
      if (i > 0 && !in(k).same_location) ++at;
      out_.location_of[k] = at;
    }
    locations_ = at + 1;
  }

  Expected<void> values() {
    std::vector<uint64_t> current(locations_, 0);
    std::vector<uint32_t> writes(locations_, 0);
    for (size_t i = 0, k = first_value_; i < n_; ++i, k = c_.after(k)) {
      const uint32_t l = out_.location_of[k];
      if (leaving(k).from == Dir::write) {
        current[l] = ++writes[l];
        if (writes[l] > 2)
          return unsupported_at(
              leaving(k).span,
              fmt::format("three writes to {}: the final value does not tell their order", location_name(l)),
              "use cycles with at most two writes to a location");
      }
      value_[k] = current[l];
    }
    out_.final_values.assign(locations_, 0);
    for (uint32_t l = 0; l < locations_; ++l)
      if (writes[l] > 1) out_.final_values[l] = writes[l];
    return {};
  }

  Expected<void> regions() {
    out_.regions.assign(locations_, Region::none);
    for (size_t k = 0; k < n_; ++k) {
      Region& r = out_.regions[out_.location_of[k]];
      const Node& node = c_.nodes[k];
      if (node.region == Region::none) continue;
      if (r != Region::none && r != node.region)
        return error_at(node.span,
                        fmt::format("{} lies in {}{} elsewhere", location_name(out_.location_of[k]),
                                    r >= Region::sc0 ? "storage class " : "",
                                    std::string(name(r)) + (r >= Region::sc0 ? "" : " memory")),
                        "a location lies in one region");
      r = node.region;
    }
    return {};
  }

  void threads() {
    out_.thread_of.assign(n_, 0);
    std::vector<uint32_t> index(n_, 0);  // of the access in its thread
    uint32_t thread = 0;
    out_.threads.emplace_back();
    for (size_t i = 0, k = thread0_; i < n_; ++i, k = c_.after(k)) {
      if (i > 0 && in(k).external) {
        ++thread;
        out_.threads.emplace_back();
      }
      out_.thread_of[k] = thread;
      ThreadLayout& t = out_.threads[thread];
      const Edge& edge = in(k);
      const bool inside = !edge.external;
      if (inside && edge.rel == Rel::rmw) {
        Access& a = t.accesses.back();
        a.both = true;
        a.expected = a.value;
        a.value = value_[k];
        a.store_node = c_.nodes[k];
        index[k] = static_cast<uint32_t>(t.accesses.size() - 1);
        continue;
      }
      Access a;
      a.dir = leaving(k).from;
      a.location = out_.location_of[k];
      a.value = value_[k];
      a.node = c_.nodes[k];
      a.span = c_.nodes[k].span.source ? c_.nodes[k].span : leaving(k).span;
      index[k] = static_cast<uint32_t>(t.accesses.size());
      if (inside && (edge.rel == Rel::addr || edge.rel == Rel::data || edge.rel == Rel::ctrl)) {
        a.dependency = edge.rel;
        a.depends_on = index[c_.before(k)];
      }
      if (inside && (edge.rel == Rel::fence || edge.rel == Rel::proxy || edge.rel == Rel::bar ||
                     edge.rel == Rel::av_device || edge.rel == Rel::vis_device))
        t.between.push_back({index[k], edge});
      t.accesses.push_back(a);
    }
    for (ThreadLayout& t : out_.threads) {
      uint32_t next = 1;
      for (Access& a : t.accesses)
        if (a.dir == Dir::read) {
          a.reg = next;
          next += 2;
        }
    }
    for (size_t k = 0; k < n_; ++k)
      if (leaving(k).external && leaving(k).level != Scope::none)
        out_.constraints.push_back({out_.thread_of[k], out_.thread_of[c_.after(k)], leaving(k).level, leaving(k).span});
  }

  const Cycle& c_;
  size_t n_;
  std::vector<uint64_t> value_;
  size_t naming_ = 0, first_value_ = 0, thread0_ = 0;
  bool one_location_ = false;
  uint32_t locations_ = 0;
  Layout out_;
};

}  // namespace

Expected<Layout> lay_out(const Cycle& c) {
  if (auto ok = check(c); !ok) return std::unexpected(ok.error());
  return Builder(c).build();
}

std::string location_name(uint32_t location) {
  static constexpr const char* names[] = {"x", "y", "z", "w"};
  if (location < 4) return names[location];
  const uint32_t k = location - 4;
  return k < 20 ? std::string(1, static_cast<char>('a' + k)) : fmt::format("v{}", k);
}

std::string print_condition(const Layout& l) {
  std::string out;
  const auto add = [&](const std::string& atom) {
    if (!out.empty()) out += " /\\ ";
    out += atom;
  };
  for (uint32_t x = 0; x < l.final_values.size(); ++x)
    if (l.final_values[x] != 0) add(fmt::format("[{}]={}", location_name(x), l.final_values[x]));
  for (size_t t = 0; t < l.threads.size(); ++t)
    for (const Access& a : l.threads[t].accesses)
      if (a.dir == Dir::read) add(fmt::format("{}:r{}={}", t, a.reg, a.both ? a.expected : a.value));
  return out;
}

}  // namespace fencepost::gen
