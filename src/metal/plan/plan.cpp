#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "plan/frame.h"
#include "plan/homes.h"
#include "prog/places.h"
#include "vocab/vocab.h"

namespace fencepost::plan {
namespace {

using enum ParameterId;

bool mentions_address(const prog::Cond& c) {
  if (c.kind == prog::Cond::Kind::atom)
    return c.lhs.kind == prog::CondValue::Kind::address || c.rhs.kind == prog::CondValue::Kind::address;
  return std::any_of(c.kids.begin(), c.kids.end(), mentions_address);
}

Expected<void> check_features(const prog::Test& t) {
  using vocab::Tag;
  if (t.threads.empty()) return unsupported_at(t.span, "a test without threads cannot be run");
  if (!t.ssw.empty())
    return unsupported_at(t.span, "system-synchronizes-with between threads cannot be run",
                          "it stands for work of the host between launches");
  for (const prog::Symbol& s : t.symbols)
    if (!s.proxy.empty())
      return unsupported_at(
          s.span, fmt::format("'{}' is an alias through the {} proxy, and runs have one address for each object",
                              s.name, s.proxy));
  for (uint32_t th = 0; th < t.threads.size(); ++th)
    for (const prog::Instr& i : t.instrs(th)) {
      const bool memory = i.kind == prog::Kind::load || i.kind == prog::Kind::store || i.kind == prog::Kind::rmw;
      for (const Tag proxy : {Tag::TEX, Tag::SUR, Tag::CON})
        if (memory && i.tags.has(proxy))
          return unsupported_at(i.span, fmt::format("accesses through the proxy {} cannot be run", vocab::name(proxy)));
    }
  if (mentions_address(t.condition) || mentions_address(t.filter))
    return unsupported_at(t.condition.span, "the condition compares with an address, and runs know numbers only");
  return {};
}

bool may_be_narrow(const prog::Test& t, const Values& v) {
  if (!v.narrow) return false;
  for (const prog::Object& o : t.objects)
    if (o.width != 64 || !o.declared.empty()) return false;
  for (uint32_t th = 0; th < t.threads.size(); ++th)
    for (const prog::Register& r : t.code(th).registers)
      if (r.width != 64 && r.width != 1) return false;
  return true;
}

// VULKAN: storage class 1 is the workgroup's memory (emit/kernel_spirv.h).
bool in_class_one(const Program& p, prog::ObjectId o) {
  for (uint32_t t = 0; t < p.test.threads.size(); ++t)
    for (uint32_t i = 0; i < p.test.instrs(t).size(); ++i)
      if (p.test.instrs(t)[i].tags.has(vocab::Tag::SC1) && !p.values.targets[t][i].cells.empty() &&
          p.values.targets[t][i].object == o)
        return true;
  return false;
}

Expected<void> choose_regions(Program& p, const Target& target) {
  const auto& t = p.test;
  p.shared.assign(t.objects.size(), false);
  for (prog::ObjectId o = 0; o < t.objects.size(); ++o) {
    const bool written =
        t.objects[o].tags.has(vocab::Tag::SHARED) || t.objects[o].tags.has(vocab::Tag::LOCAL) || in_class_one(p, o);
    const bool odd = p.shape.region == Region::mixed_odd, even = p.shape.region == Region::mixed_even;
    const bool second = (odd && o % 2 == 1) || (even && o % 2 == 0);
    if (!(p.shape.region == Region::shared || (p.shape.region == Region::as_written && written) || second)) continue;
    uint32_t block = prog::k_none;
    bool apart = false;
    for (uint32_t th = 0; th < t.threads.size(); ++th) {
      const auto used = objects_of(p, th);
      if (std::find(used.begin(), used.end(), o) == used.end()) continue;
      apart = apart || (block != prog::k_none && block != p.tree.seats[th].block);
      block = p.tree.seats[th].block;
    }
    if (apart && !second)
      return unsupported_at(
          t.objects[o].span,
          fmt::format("'{}' is in shared memory, and threads of two workgroups access it", t.objects[o].name));
    p.shared[o] = block != prog::k_none && !apart;
  }
  if (std::find(p.shared.begin(), p.shared.end(), true) == p.shared.end()) return {};
  // Two words are the frame's own. More than 48 KiB needs leave on some devices.
  const uint32_t most = std::min<uint32_t>(target.shared_words, 12288);
  if (most < 66) return unsupported_at(t.span, "this device has no memory for workgroups");
  p.shared_words = most - 2;
  return {};
}

Expected<void> count_states(Program& p) {
  p.observables = prog::observables(p.test);
  uint64_t states = 1;
  for (const prog::Observable& o : p.observables) {
    if (o.is_register && p.values.pointer[o.thread][o.reg])
      return unsupported_at(p.test.span, fmt::format("{} holds an address, and runs observe numbers only", o.text));
    const ValueSet& set =
        o.is_register ? p.values.registers[o.thread][o.reg] : p.values.cells[p.test.symbols[o.symbol].object][o.cell];
    std::vector<uint64_t> digits(set.begin(), set.end());
    if (digits.empty()) digits.push_back(0);  // a thread that never ends
    states *= digits.size();
    if (states > k_most_states)
      return unsupported_at(p.test.span, fmt::format("the test may end in more than {} states", k_most_states),
                            "name fewer registers and locations in the condition");
    p.digits.push_back(std::move(digits));
  }
  p.states = static_cast<uint32_t>(states);
  return {};
}

// Dummy words hold 0, and lanes that load it must not compute an address that the test knows nothing of.
Expected<void> check_dummies(const Program& p) {
  if (p.shape.mode != Mode::warp) return {};
  for (uint32_t t = 0; t < p.test.threads.size(); ++t)
    for (const prog::Instr& i : p.test.instrs(t))
      if (i.addr.index && !i.addr.index.is_const())
        for (const prog::ObjectId o : objects_of(p, t))
          for (const uint64_t v : p.test.objects[o].init)
            if (v != 0)
              return unsupported_at(i.span, "mode warp knows computed addresses only where all locations start at 0",
                                    "use mode parallel or single");
  return {};
}

// ---- drawing ---------------------------------------------------------------------------------------------

class Drawing {
 public:
  Drawing(const Program& p, const Target& target, const Parameters& wishes, uint64_t seed, uint32_t series_room)
      : p_(p), target_(target), wishes_(wishes), rng_(seed), series_room_(series_room) {
    c_.seed = seed;
  }

  Expected<Configuration> run() {
    for (const ParameterInfo& i : parameter_table()) {
      const auto& wish = wishes_.wishes[static_cast<size_t>(i.id)];
      Rng own = stream(i.id == cluster ? k_cluster_stream : i.id == home ? k_home_stream : static_cast<uint64_t>(i.id));
      at(i.id) = draw_parameter(i, wish ? *wish : Wish{i.from, i.to}, own);
    }
    if (p_.loops || p_.shape.mode != Mode::parallel) {
      if (fixed(schedule) && at(schedule) == 0)
        return error_at({},
                        p_.loops ? "schedule=fused is not for tests with loops" : "schedule=fused is for mode parallel",
                        "with it an invocation could wait for itself; use schedule=split");
      at(schedule) = 1;
    }
    if (p_.clusters && at(ticket) == 1) {
      // Tickets would tear clusters apart.
      if (fixed(ticket)) return error_at({}, "ticket=on cannot be met in a launch with clusters", "leave it out");
      at(ticket) = 0;
    }
    if (!target_.groups_together) at(ticket) = 1;
    if (const uint32_t b = target_.loop_budget; b > 0) {
      // A device that leaves long loops silently: each kind of loop gets a share. Nine waits look so often, the rest
      // once.
      at(stress_iterations) = std::min(at(stress_iterations), b / 2);
      at(pre_stress_iterations) = std::min(at(pre_stress_iterations), 4u);
    }
    if (!wished(align_limit)) at(align_limit) = target_.align_limit;
    if (target_.loop_budget > 0) at(align_limit) = std::min(at(align_limit), target_.loop_budget / 36);
    if (const auto ok = homes(); !ok) return std::unexpected(ok.error());
    if (const auto ok = lanes_and_groups(); !ok) return std::unexpected(ok.error());
    if (const auto ok = memory(); !ok) return std::unexpected(ok.error());
    shared_memory();
    scratch();
    fill();
    return std::move(c_);
  }

 private:
  // Each parameter has random numbers of its own, so that giving one does not change the others. Those of a parameter
  // are numbered by it, but for `cluster` and `home`, which came when 31 and 32 had their meaning.
  static constexpr uint64_t k_lanes_stream = 31, k_groups_stream = 32, k_cluster_stream = 33, k_home_stream = 34;
  Rng stream(uint64_t number) const { return Rng(c_.seed + 0x9e3779b97f4a7c15u * (number + 1)); }
  uint32_t& at(ParameterId id) { return c_.drawn[static_cast<size_t>(id)]; }
  bool fixed(ParameterId id) const {
    const auto& w = wishes_.wishes[static_cast<size_t>(id)];
    return w.has_value() && w->from == w->to;
  }
  bool wished(ParameterId id) const { return wishes_.wishes[static_cast<size_t>(id)].has_value(); }

  // What was drawn from a range, moved to the part of the range that this test on this device can meet, if there is
  // one.
  uint32_t within(ParameterId id, uint32_t least, uint32_t most) const {
    const uint32_t drawn = c_.drawn[static_cast<size_t>(id)];
    const auto& wish = wishes_.wishes[static_cast<size_t>(id)];
    if (!wish || wish->to < least || wish->from > most || least > most) return drawn;
    return std::clamp(drawn, least, most);
  }

  // Words of shared memory that one instance needs at least.
  uint32_t shared_footprint() const {
    uint32_t words = 0;
    for (prog::ObjectId o = 0; o < p_.shared.size(); ++o)
      if (p_.shared[o]) words += std::bit_ceil(footprint(p_, o));
    return words;
  }

  // Mode warp: words of shared memory for the other lanes of so many subgroups.
  uint32_t shared_dummies(uint32_t subgroups) const {
    return p_.shape.mode == Mode::warp ? subgroups * k_shared_dummy_words : 0;
  }

  // Workgroups of so many invocations that run at the same time.
  uint32_t room_for(uint32_t lanes_wanted) const {
    for (const auto& [size, count] : target_.resident)
      if (lanes_wanted <= size) return count;
    if (!target_.resident.empty()) return target_.resident.back().second;
    return target_.groups_together ? target_.max_groups : std::max(target_.units, 1u);
  }

  // Mode warp: how often the dummy words of `subgroups` subgroups fit into half of the memory.
  uint32_t dummy_room(uint32_t subgroups) const {
    if (p_.shape.mode != Mode::warp) return 0xffffffu;
    const uint64_t each = uint64_t{std::max(subgroups, 1u)} * std::max(p_.operations, 1u) * k_dummy_words;
    return static_cast<uint32_t>(std::clamp<uint64_t>(target_.memory_words / 2 / each, 1, 0xffffff));
  }

  // Workgroups of a cluster. 1 for launches without clusters.
  Expected<void> choose_cluster() {
    const uint32_t least = p_.tree.clustered ? std::bit_ceil(p_.tree.ranks) : 1;
    if (!wished(cluster)) {
      at(cluster) = least;
      return {};
    }
    if (!fixed(cluster)) at(cluster) = within(cluster, least, target_.max_cluster);
    if (at(cluster) < least || at(cluster) > target_.max_cluster)
      return error_at({}, fmt::format("cluster={} cannot be met", at(cluster)),
                      target_.max_cluster > 1
                          ? fmt::format("this test on this device needs {} to {}", least, target_.max_cluster)
                          : "this device has no clusters of workgroups");
    if (at(cluster) > 1 && !p_.clusters)
      return error_at({}, fmt::format("cluster={} cannot be met", at(cluster)),
                      "its kernels were made without clusters");
    return {};
  }

  // In whose memory each location lies.
  Expected<void> homes() {
    if (!p_.several) {
      if (wished(home))
        return error_at({}, fmt::format("home={} cannot be met: the run has one device", home_text(at(home))),
                        "a run on several devices names them all, as in --device cuda:0+1");
      return {};
    }
    Rng rng = stream(k_home_stream);
    const uint32_t asked = at(home);
    const size_t count = p_.test.objects.size();
    if (count < k_most_homes && asked >> (4 * count) != 0)
      return error_at({}, fmt::format("home={} cannot be met: the test has {} locations", home_text(asked), count));
    at(home) = 0;
    for (prog::ObjectId o = 0; o < count; ++o) {
      std::vector<uint32_t> legal;
      for (uint32_t h = 0; h <= target_.devices(); ++h)
        if (fault_of_home(p_, target_, o, h).empty()) legal.push_back(h);
      uint32_t chosen = legal[rng.below(legal.size())];
      if (const uint32_t wanted = home_of(asked, o); wanted != k_home_any) {
        chosen = wanted == k_home_host ? target_.devices() : wanted - 1;
        if (wanted != k_home_host && chosen >= target_.devices())
          return error_at({}, fmt::format("'{}' cannot be in the memory of gpu {}: the run has {} devices",
                                          p_.test.objects[o].name, chosen, target_.devices()));
        if (const std::string why = fault_of_home(p_, target_, o, chosen); !why.empty())
          return error_at({}, fmt::format("'{}' cannot be in the memory of {}: {}", p_.test.objects[o].name,
                                          home_name(target_, chosen), why));
      }
      c_.homes.push_back(chosen);
      at(home) |= (chosen == target_.devices() ? k_home_host : chosen + 1) << (4 * o);
    }
    return {};
  }

  Expected<void> lanes_and_groups() {
    if (const auto ok = choose_cluster(); !ok) return ok;
    MapWish w;
    w.cluster = at(cluster);
    w.subgroup = target_.subgroup;
    w.split = at(schedule) == 1;
    w.one_instance = p_.shape.mode == Mode::single;
    w.one_lane = p_.shape.mode == Mode::warp;
    w.shuffle = at(shuffle) == 1;
    const uint32_t least = least_lanes(p_.tree, w);
    if (least > target_.max_lanes)
      return unsupported_at(p_.test.span,
                            fmt::format("the test needs {} invocations in a workgroup, and the device has at most {}",
                                        least, target_.max_lanes));
    if (p_.tree.positions > w.subgroup)
      return unsupported_at(p_.test.span,
                            fmt::format("{} threads share a subgroup, and the device's has {} invocations",
                                        p_.tree.positions, w.subgroup));
    uint32_t most = target_.max_lanes;
    const uint32_t need = shared_footprint();
    if (need > 0 && w.one_lane && need + shared_dummies(p_.tree.warps) > p_.shared_words)
      return unsupported_at(p_.test.span,
                            "the device's memory for workgroups has no room for the dummy words of mode warp",
                            "use mode parallel or single");
    if (need > 0)
      most = std::max(
          least,
          std::min(most, w.one_lane
                             ? p_.shared_words / (need + shared_dummies(p_.tree.warps)) * p_.tree.warps * w.subgroup
                             : p_.shared_words / need * (w.split ? p_.tree.warps * p_.tree.positions : 1)));
    if (!wished(lanes)) {
      const uint32_t usual =
          std::max(least, std::min({most, target_.usual_lanes, dummy_room(least_groups(p_.tree, w)) * w.subgroup}));
      uint32_t choices = 1;
      while (!w.one_instance && choices < 16 && least << choices <= usual) ++choices;
      at(lanes) = least << stream(k_lanes_stream).below(choices);
      // Lanes that share a processor's thread take turns only where they wait for each other.
      if (p_.loops && !target_.groups_together) at(lanes) = least;
    }
    if (!fixed(lanes)) at(lanes) = within(lanes, least, target_.max_lanes);
    if (at(lanes) < least || at(lanes) > target_.max_lanes)
      return error_at({}, fmt::format("lanes={} cannot be met", at(lanes)),
                      fmt::format("this test on this device needs {} to {}", least, target_.max_lanes));
    w.lanes = std::min(at(lanes), std::max(most, least));

    const uint32_t fewest = least_groups(p_.tree, w);
    const uint32_t all = target_.max_groups / w.cluster * w.cluster;
    const uint32_t room = in_clusters(room_for(w.lanes), w.cluster, fewest);
    if (fewest > room)
      return unsupported_at(
          p_.test.span,
          fmt::format("the test needs {} workgroups at the same time, and the device runs {}", fewest, room));
    if (!wished(groups)) {
      const uint32_t top = std::max(fewest, std::min({room, 2 * target_.units, dummy_room(w.lanes / w.subgroup)}));
      at(groups) =
          w.one_instance
              ? fewest
              : std::max(fewest, 2u > top ? fewest : 2 + static_cast<uint32_t>(stream(k_groups_stream).below(top - 1)));
      at(groups) = std::max(fewest, std::min(at(groups), top) / w.cluster * w.cluster);
    }
    if (!fixed(groups)) at(groups) = within(groups, fewest, std::min(room, all));
    if (at(groups) < fewest || at(groups) > std::min(room, all))
      return error_at({}, fmt::format("groups={} cannot be met", at(groups)),
                      fmt::format("this test on this device needs {} to {}{}", fewest, std::min(room, all),
                                  w.cluster > 1 ? fmt::format(", in clusters of {}", w.cluster) : ""));
    w.groups = at(groups) / w.cluster * w.cluster;
    c_.map = draw_map(p_.tree, w, rng_);
    at(lanes) = c_.map.lanes;
    at(groups) = c_.map.groups;
    c_.lanes = c_.map.lanes;
    if (at(stress) == 0) at(stress_groups) = 0;
    const uint32_t limit = std::min(room, all);
    at(stress_groups) = std::min(at(stress_groups), limit - c_.map.groups);
    at(stress) = at(stress_groups) > 0;
    at(churn) = std::min(at(churn), all - c_.map.groups - at(stress_groups));
    // Clusters are whole: workgroups that do nothing fill the last one.
    c_.groups = c_.map.groups + at(stress_groups) + at(churn);
    c_.groups = (c_.groups + w.cluster - 1) / w.cluster * w.cluster;
    c_.cluster = w.cluster;
    return {};
  }

  // How many of `n` workgroups may run in clusters. A part of a device that runs a cluster together may have processors
  // left that no cluster fills; how many, no driver says without the kernel: a quarter is left free, but for what the
  // test needs.
  static uint32_t in_clusters(uint32_t n, uint32_t size, uint32_t fewest) {
    if (size == 1) return n;
    return std::max((n - n / 4) / size * size, std::min(n / size * size, fewest));
  }

  struct Placed {
    uint64_t base = 0, stride = 1;
    Affine order;
  };

  // Regions of all objects for one round, from word 0; returns its size.
  uint64_t lay_out(uint32_t stride_words) {
    const uint64_t n = c_.map.instances();
    const uint64_t line = target_.line_words;
    const auto up = [](uint64_t x, uint64_t to) { return (x + to - 1) / to * to; };
    const auto count = p_.test.objects.size();
    regions_.assign(count, {});
    uint64_t end = 0;
    for (size_t o = 0; o < count; ++o) {
      Placed& r = regions_[o];
      if (at(layout) == 1) {
        r.base = offsets_[0] + o * stride_words;
        r.stride = stride_words * count;
        end = r.base + n * r.stride;
      } else {
        r.base = up(end + (o > 0 ? at(xy_stride) : 0), line) + offsets_[o];
        r.stride = stride_words;
        end = r.base + n * r.stride;
      }
    }
    return up(end, line);
  }

  Expected<void> memory() {
    const uint64_t n = c_.map.instances();
    uint32_t least_stride = 1;
    for (prog::ObjectId o = 0; o < p_.test.objects.size(); ++o)
      least_stride = std::max(least_stride, std::bit_ceil(footprint(p_, o)));
    at(stride) = std::max(at(stride), least_stride);
    // A touched word lies between the instances of a location.
    if (at(touch) != 0 && !fixed(stride)) at(stride) = std::max(at(stride), 2 * least_stride);
    for (size_t o = 0; o < p_.test.objects.size(); ++o) {
      const uint64_t off = rng_.below(uint64_t{at(offset)} + 1);
      offsets_.push_back(off % target_.line_words & ~uint64_t{1});
    }
    if (offsets_.empty()) offsets_.push_back(0);
    const uint64_t subgroups = c_.map.lanes / c_.map.subgroup;
    const uint64_t dummies =
        p_.shape.mode == Mode::warp ? c_.map.groups * subgroups * p_.operations * k_dummy_words : 0;
    const uint64_t budget = std::min<uint64_t>(target_.memory_words, 0xf0000000u);
    uint64_t round = 0;
    while (true) {
      round = lay_out(at(stride));
      if (round + n * p_.record_words + dummies <= budget || at(stride) == least_stride || fixed(stride)) break;
      at(stride) /= 2;
    }
    for (prog::ObjectId o = 0; o < p_.test.objects.size(); ++o)
      if (footprint(p_, o) == at(stride)) at(touch) = 0;
    const uint64_t each = round + n * p_.record_words;
    if (each + dummies > budget)
      return error_at({},
                      fmt::format("one round of {} instances needs {} words of memory, and a launch may use {}", n,
                                  each + dummies, budget),
                      "ask for fewer groups or lanes, or for a smaller stride");
    const uint64_t fit = (budget - dummies) / each;
    if (!wished(rounds)) at(rounds) = static_cast<uint32_t>(std::clamp<uint64_t>(fit, 1, 1024));
    if (target_.loop_budget > 0)
      at(rounds) =
          std::clamp(at(rounds), 1u, target_.loop_budget / 4 / (static_cast<uint32_t>(p_.test.threads.size()) + 6));
    if (at(rounds) > fit) {
      if (fixed(rounds))
        return error_at({}, fmt::format("rounds={} need more memory than a launch may use", at(rounds)),
                        fmt::format("{} fit", fit));
      at(rounds) = static_cast<uint32_t>(fit);
    }
    c_.rounds = at(rounds);
    at(align_every) = std::min(at(align_every), std::bit_ceil(c_.rounds));
    round_words_ = round;
    dummy_words_ = dummies;
    dummy_base_ = round * c_.rounds;
    for (Placed& r : regions_) r.order = draw_affine(n, at(shuffle) == 1, rng_);
    size(BufferUse::memory) = dummy_base_ + dummies;
    size(BufferUse::out) = std::max<uint64_t>(1, n * c_.rounds * p_.record_words);
    return {};
  }

  void shared_memory() {
    shared_.assign(p_.test.objects.size(), {});
    uint32_t count = 0;
    for (const bool s : p_.shared) count += s;
    if (count == 0) return;
    const uint64_t n = c_.map.per_group();
    uint64_t wide = at(stride);
    const auto need = [&](uint64_t stride_words) {
      uint64_t words = 0;
      for (prog::ObjectId o = 0; o < p_.shared.size(); ++o)
        if (p_.shared[o]) words += n * std::max<uint64_t>(stride_words, std::bit_ceil(footprint(p_, o)));
      return words;
    };
    const uint64_t room = p_.shared_words - shared_dummies(c_.map.lanes / c_.map.subgroup);
    while (wide > 1 && need(wide) > room) wide /= 2;
    FENCEPOST_INVARIANT(need(wide) <= room, "instances of a workgroup do not fit into its shared memory");
    uint64_t end = 0;
    for (prog::ObjectId o = 0; o < p_.shared.size(); ++o) {
      if (!p_.shared[o]) continue;
      shared_[o] = {end, std::max<uint64_t>(wide, std::bit_ceil(footprint(p_, o))),
                    draw_affine(n, at(shuffle) == 1, rng_)};
      end += n * shared_[o].stride;
    }
    shared_dummy_base_ = end;
  }

  void scratch() {
    const uint64_t line = at(stress_line), lines = uint64_t{32} * at(stress_targets);
    for (uint32_t t = 0; t < k_most_targets; ++t)
      table_.push_back(static_cast<uint32_t>(rng_.below(lines) * line + rng_.below(line)));
    size(BufferUse::scratch) = lines * line + 1024 + c_.lanes;
    size(BufferUse::counts) = p_.count_words();
    size(BufferUse::interest) = p_.count_words();
    size(BufferUse::sync) = uint64_t{k_sync_words + (p_.several ? target_.devices() : 0)} * k_sync_stride;
    size(BufferUse::series) = k_series_header + uint64_t{series_room_} * k_series_words;
    size(BufferUse::parameters) = p_.parameter_count;
  }

  uint64_t& size(BufferUse u) { return c_.sizes[static_cast<size_t>(u)]; }

  void put(const std::string& name, uint64_t value) {
    const auto found = p_.parameter_words.find(name);
    if (found == p_.parameter_words.end()) return;  // this test's kernels do not ask for it
    FENCEPOST_INVARIANT(value <= 0xffffffffu, "a parameter of a launch does not fit its word");
    c_.words[found->second] = static_cast<uint32_t>(value);
    given_[found->second] = true;
  }

  void fill() {
    c_.words.assign(p_.parameter_count, 0);
    given_.assign(p_.parameter_count, false);
    const Map& m = c_.map;
    const uint64_t n = m.instances();
    const auto group_order = draw_affine(c_.groups / c_.cluster, at(shuffle) == 1, rng_);
    put("place", 0);  // the host writes that of each launch
    put("instances", n);
    put("records", n * c_.rounds);
    put("rounds", c_.rounds);
    put("round-words", round_words_);
    put("series-room", series_room_);
    put("subgroup-size", m.subgroup);
    put("subgroups", m.lanes / m.subgroup);
    put("testing-groups", m.groups);
    put("stress-groups", at(stress_groups));
    put("ticket", at(ticket));
    put("group-a", group_order.a);
    put("group-c", group_order.c);
    put("c", m.c), put("u", m.u), put("s", m.s), put("per-group", m.per_group());
    // Without clusters the parts of a workgroup are the tree's blocks.
    put("group-parts", m.cluster_parts), put("warp-parts", m.warp_parts), put("lane-parts", m.lane_parts);
    put("cluster", m.cluster), put("cluster-parts", m.cluster_parts), put("rank-parts", m.rank_parts);
    put("x", m.x), put("y", m.y);
    put("align", at(align));
    put("align-every", at(align_every));
    put("align-limit", at(align_limit));
    put("delay", at(delay));
    put("rotate", at(rotate));
    put("spin-limit", at(spin_limit));
    put("stress-pattern", at(stress_pattern));
    // Number 1 is the first word of length 1; bit i of a word says whether access i stores.
    uint32_t length = 0, rank = at(stress_word);
    for (uint32_t first = 1, l = 1; rank >= first && at(stress_word) > 0; first += 1u << l++)
      if (rank < first + (1u << l)) {
        length = l;
        rank -= first;
        break;
      }
    uint32_t bits = 0;
    for (uint32_t i = 0; i < length; ++i) bits |= (rank >> (length - 1 - i) & 1) << i;
    put("stress-word-length", length);
    put("stress-word-bits", bits);
    put("stress-iterations", at(stress_iterations));
    put("stress-targets", at(stress_targets));
    put("stress-assignment", at(stress_assignment));
    put("stress-spread", at(stress_spread));
    put("pre-pattern", at(pre_stress_pattern));
    put("pre-iterations", at(pre_stress) != 0 ? at(pre_stress_iterations) : 0);
    put("dummy-base", dummy_base_);
    put("dummy-words", dummy_words_);
    put("dummy-operations", p_.operations);
    put("dummy-pattern", at(dummy_pattern));
    put("shared-dummy-base", shared_dummy_base_);
    put("touch", at(touch));
    for (uint32_t a = 0; a < p_.aliases; ++a) put(fmt::format("alias-{}", a), 0);
    for (uint32_t t = 0; t < m.roles.size(); ++t) {
      const RoleMap& r = m.roles[t];
      const std::string name = fmt::format("r{}.", t);
      put(name + "a-inverse", r.a_inverse), put(name + "o", r.o);
      put(name + "b-inverse", r.b_inverse), put(name + "q", r.q);
      put(name + "p-inverse", r.p_inverse), put(name + "r", r.r);
      put(name + "d-offset", r.d_offset), put(name + "d-m", r.d_m), put(name + "d-k", r.d_k);
    }
    for (size_t o = 0; o < regions_.size(); ++o) {
      const std::string name = fmt::format("o{}.", o);
      put(name + "base", regions_[o].base), put(name + "stride", regions_[o].stride);
      put(name + "a", regions_[o].order.a), put(name + "c", regions_[o].order.c);
      put(name + "shared-base", shared_[o].base), put(name + "shared-stride", shared_[o].stride);
      put(name + "shared-a", shared_[o].order.a), put(name + "shared-c", shared_[o].order.c);
    }
    if (const auto table = p_.parameter_words.find("stress-table"); table != p_.parameter_words.end())
      for (uint32_t t = 0; t < k_most_targets; ++t) {
        c_.words[table->second + t] = table_[t];
        given_[table->second + t] = true;
      }
    FENCEPOST_INVARIANT(std::find(given_.begin(), given_.end(), false) == given_.end(),
                        "a parameter of a kernel was not given");
  }

  const Program& p_;
  const Target& target_;
  const Parameters& wishes_;
  Rng rng_;
  uint32_t series_room_;
  Configuration c_;
  std::vector<uint64_t> offsets_;
  std::vector<Placed> regions_, shared_;
  uint64_t round_words_ = 0, dummy_base_ = 0, dummy_words_ = 0, shared_dummy_base_ = 0;
  std::vector<uint32_t> table_;
  std::vector<bool> given_;
};

}  // namespace

Shape with_clusters(Shape shape, const Parameters& parameters) {
  const auto& wish = parameters.wishes[static_cast<size_t>(cluster)];
  shape.clusters = wish && wish->to > 1;
  return shape;
}

const char* name(Mode m) {
  switch (m) {
    case Mode::parallel:
      return "parallel";
    case Mode::warp:
      return "warp";
    case Mode::single:
      return "single";
  }
  return "parallel";
}

const char* name(Region r) {
  switch (r) {
    case Region::as_written:
      return "as-written";
    case Region::shared:
      return "shared";
    case Region::global:
      return "global";
    case Region::mixed_odd:
      return "mixed-odd";
    case Region::mixed_even:
      return "mixed-even";
  }
  return "as-written";
}

const char* name(BufferUse u) {
  switch (u) {
    case BufferUse::parameters:
      return "parameters";
    case BufferUse::memory:
      return "memory";
    case BufferUse::out:
      return "results";
    case BufferUse::counts:
      return "counts";
    case BufferUse::sync:
      return "sync";
    case BufferUse::scratch:
      return "scratch";
    case BufferUse::series:
      return "series";
    case BufferUse::interest:
      return "interest";
  }
  return "memory";
}

prog::State Program::state(uint32_t number) const {
  prog::State s(observables.size());
  for (size_t i = observables.size(); i-- > 0;) {
    const auto radix = static_cast<uint32_t>(digits[i].size());
    s[i] = {false, digits[i][number % radix]};
    number /= radix;
  }
  return s;
}

bool holds(const prog::Test& test, const std::vector<prog::Observable>& observables, const prog::State& s,
           const prog::Cond& c) {
  prog::FinalValues f;
  for (uint32_t t = 0; t < test.threads.size(); ++t) f.registers.emplace_back(test.code(t).registers.size(), 0);
  for (const prog::Object& o : test.objects) f.memory.push_back(o.init);
  for (size_t i = 0; i < observables.size(); ++i) {
    const prog::Observable& o = observables[i];
    if (o.is_register)
      f.registers[o.thread][o.reg] = s[i].value;
    else
      f.memory[test.symbols[o.symbol].object][o.cell] = s[i].value;
  }
  return prog::holds(test, c, f);
}

Expected<Program> make_program(const prog::Test& test, const Target& target, const Shape& shape) {
  if (prog::has_place_checks(test)) return make_program(prog::without_place_checks(test), target, shape);
  if (const auto ok = check_features(test); !ok) return std::unexpected(ok.error());
  for (const prog::Object& o : test.objects)
    if (o.home != prog::k_none)
      return unsupported_at(
          o.span, "'" + o.name + "' is declared in shared memory of a cta, which runs do not place",
          "runs take the memory of a test from --region; 'fencepost emit --target cuda-source' writes "
          "a program that places it");
  if (const prog::Instr* i = prog::needs_ptx9(test))
    return unsupported_at(i->span, "'" + i->mnemonic + "' is not launched among other instances of a test",
                          "'fencepost emit --target cuda-source' writes a program that launches the test, and --target "
                          "ptx its kernel");
  Program p;
  p.test = test;
  p.shape = shape;
  auto tree = tree_of(test, target.subgroup > 1, {target.devices(), target.host});
  if (!tree) return std::unexpected(tree.error());
  p.tree = std::move(*tree);
  p.several = target.several();
  p.clusters = p.tree.clustered || shape.clusters;
  if (p.tree.clustered && target.max_cluster == 1)
    return unsupported_at(test.span, "the test places its threads in clusters, and this device has none",
                          "CUDA devices have them from compute capability 9.0 on");
  if (p.tree.clustered && std::bit_ceil(p.tree.ranks) > target.max_cluster)
    return unsupported_at(test.span,
                          fmt::format("the test needs clusters of {} workgroups, and this device's have at most {}",
                                      std::bit_ceil(p.tree.ranks), target.max_cluster));
  if (p.clusters && target.max_cluster == 1)
    return error_at({}, "the parameter cluster cannot be met: this device has no clusters of workgroups",
                    "CUDA devices have them from compute capability 9.0 on");
  auto values = possible_values(test);
  if (!values) return std::unexpected(values.error());
  p.values = std::move(*values);
  p.narrow = may_be_narrow(test, p.values);
  for (const prog::Object& o : test.objects) {
    const uint8_t width = word_width(o.width, p.narrow);
    if (width == 64 && !target.wide_atomics)
      return unsupported_at(o.span,
                            fmt::format("'{}' has 64 bits, and this device has no atomics of that width", o.name));
    if (std::string why = refused_width("'" + o.name + "'", width, true); !why.empty())
      return unsupported_at(o.span, std::move(why));
  }
  if (const auto ok = choose_regions(p, target); !ok) return std::unexpected(ok.error());
  if (const auto ok = count_states(p); !ok) return std::unexpected(ok.error());
  for (const std::vector<uint64_t>& d : p.digits)
    if (std::find(d.begin(), d.end(), k_sentinel) != d.end())
      return unsupported_at(test.span, fmt::format("the value {} marks missing results in runs", k_sentinel),
                            "use another value");
  if (const auto ok = check_dummies(p); !ok) return std::unexpected(ok.error());
  if (const auto ok = check_places(p, target); !ok) return std::unexpected(ok.error());
  if (const auto ok = build_kernels(p); !ok) return std::unexpected(ok.error());
  return p;
}

Expected<Configuration> draw(const Program& program, const Target& target, const Parameters& parameters, uint64_t seed,
                             uint32_t series_room) {
  return Drawing(program, target, parameters, seed, series_room).run();
}

}  // namespace fencepost::plan
