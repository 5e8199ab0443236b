#include "verifier/attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "interp/interp.h"
#include "verifier/related.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

using namespace ir;

constexpr uint64_t k_threads = 256;   // of a run
constexpr uint64_t k_group = 1024;    // of a group that cannot be made smaller
constexpr uint64_t k_steps = 40'000;  // of a run
constexpr uint32_t k_runs = 24;       // at most
constexpr uint32_t k_first_runs = 3;  // whatever they cost
constexpr double k_least_seconds = 0.006;
constexpr double k_longest_run = 0.01;
constexpr double k_first_early = 0.5;  // seconds of a proof before the kernel is run beside it,
constexpr double k_early_steps = 4;    // the same again, so many times later,
constexpr double k_early_part = 0.5;   // and what part of the time so far counts for the budget of an attack

template <class F>
void each_instruction(const Module& m, F f) {
  for (const Function& fn : m.functions)
    for (const Block& b : fn.blocks)
      for (const Instruction& i : b.instructions) f(fn, i);
}

bool meets_grid(const Module& m) {
  bool found = false;
  each_instruction(m, [&](const Function&, const Instruction& i) {
    const auto* b = std::get_if<Barrier>(&i.action);
    found = found || (b != nullptr && b->scope == Scope::device);
  });
  return found;
}

uint64_t draw(uint64_t& state) {  // splitmix64
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// A small launch of the kind that was proved; false: none can be run.
bool shape_for(const launch::Options& o, const prove::Options& engine, bool grid, uint32_t n, uint64_t& state,
               interp::Shape& s) {
  uint64_t group = 1, groups = 1;
  for (uint32_t d = 0; d < 3; ++d) {
    uint64_t local = engine.launch.local_size[d], count = engine.launch.num_groups[d];
    if (engine.global_size[d] != 0 && (local == 0 || count == 0)) {
      // Divided into groups of some size.
      const uint64_t whole = engine.global_size[d];
      if (local == 0)
        local = count != 0 ? whole / count : whole % 2 == 0 && whole <= 16 ? whole / 2 : whole <= 16 ? whole : 1;
      if (count == 0) count = whole / local;
      if (local * count != whole) return false;
    }
    static constexpr uint64_t k_sizes[] = {4, 3, 8, 2, 5, 1, 16, 33};
    if (local == 0) local = d == 0 ? k_sizes[(n + draw(state) % 2) % 8] : 1 + draw(state) % 3;
    if (count == 0) count = d == 0 ? 2 + draw(state) % 2 : 1 + draw(state) % 2;
    if (local > k_group || count > 0xffffffffu) return false;
    s.local_size[d] = static_cast<uint32_t>(local);
    s.num_groups[d] = static_cast<uint32_t>(count);
    s.global_offset[d] = o.launch.offset(d);
    group *= local;
    groups = std::min<uint64_t>(groups * count, 1u << 30);
  }
  if (group > k_group) return false;
  s.work_dim = std::max(1u, o.launch.dimensions());
  if (group * groups <= k_threads) return true;
  if (grid) return group * groups <= 1024;
  // Some groups, which a launch may run before all others: neighbours, and far ones.
  std::array<uint32_t, 3> first{}, second{};
  uint32_t axis = 0;
  for (uint32_t d = 0; d < 3; ++d)
    if (s.num_groups[d] > 1) axis = d;
  for (uint32_t d = 0; d < 3; ++d) first[d] = n == 0 ? 0 : static_cast<uint32_t>(draw(state) % s.num_groups[d]);
  second = first;
  second[axis] =
      n % 2 == 0 ? (first[axis] + 1) % s.num_groups[axis] : static_cast<uint32_t>(draw(state) % s.num_groups[axis]);
  s.groups = {first};
  if (second != first && 2 * group <= k_group) s.groups.push_back(second);
  return true;
}

}  // namespace

bool start_clusters(const Module& m, FunctionId kernel, interp::Shape& s) {
  bool used = false;
  each_instruction(m, [&](const Function&, const Instruction& i) {
    const auto* b = std::get_if<Barrier>(&i.action);
    const auto* c = std::get_if<Compute>(&i.action);
    used = used || (b != nullptr && b->scope == Scope::cluster) ||
           (c != nullptr &&
            (c->op == Op::map_rank || (c->op == Op::id && (c->imm == static_cast<uint64_t>(IdKind::cluster_rank) ||
                                                           c->imm == static_cast<uint64_t>(IdKind::cluster_size)))));
  });
  const auto& given = m.function(kernel).cluster;
  uint32_t blocks = 1;
  for (uint32_t d = 0; d < 3; ++d) {
    uint32_t& size = s.cluster[d];
    if (given[d] != 0) size = given[d];
    if (given[d] == 0 && (!used || size == 0 || size * blocks > 16 || s.num_groups[d] % size != 0)) size = 1;
    if (s.num_groups[d] % size != 0) return false;
    blocks *= size;
  }
  if (!used || s.groups.empty()) return true;
  // With each group, all of its cluster.
  std::vector<std::array<uint32_t, 3>> all;
  for (const auto& g : s.groups)
    for (uint32_t k = 0; k < blocks; ++k) {
      const std::array<uint32_t, 3> rank{k % s.cluster[0], k / s.cluster[0] % s.cluster[1],
                                         k / s.cluster[0] / s.cluster[1]};
      std::array<uint32_t, 3> one{};
      for (size_t d = 0; d < 3; ++d) one[d] = g[d] / s.cluster[d] * s.cluster[d] + rank[d];
      if (std::ranges::find(all, one) == all.end()) all.push_back(one);
    }
  s.groups = std::move(all);
  return true;
}

namespace {

// Blocks of any size are whole warps, where the proof takes that for granted.
void whole_warps(const prove::Options& engine, interp::Shape& s) {
  const uint32_t lanes = engine.warp_sync > 0 ? engine.warp_sync : engine.warp_size;
  for (uint32_t d = 0; d < 3 && lanes > 0; ++d)
    if (engine.launch.local_size[d] == 0 && engine.global_size[d] == 0 &&
        s.local_size[0] * s.local_size[1] * s.local_size[2] % lanes != 0)
      s.local_size[d] = lanes;
}

bool uses_tiles(const Module& m) {
  bool found = false;
  each_instruction(m, [&](const Function&, const Instruction& i) {
    const auto* w = std::get_if<WarpExchange>(&i.action);
    found = found || (w != nullptr && w->kind == WarpExchange::tile);
  });
  return found;
}

// A defect that the options ask for.
const interp::Defect* counts(const Module& m, const interp::Outcome& r, const launch::Options& o) {
  using interp::DefectKind;
  if (r.made_up || r.order_lost || r.unknown_requirements || r.status == interp::Outcome::impossible ||
      r.status == interp::Outcome::unsupported)
    return nullptr;
  for (const interp::Defect& d : r.defects) {
    const bool all_come =
        d.kind == DefectKind::divergence || d.kind == DefectKind::group_copy || d.kind == DefectKind::warp_operands;
    if (all_come && !r.unknown_annotations) return &d;
    if (d.kind != DefectKind::race || o.only_divergence || o.only_log || (d.same_value && o.benign_races)) continue;
    if (o.only_intra_group && d.first.thread.group != d.second.thread.group) continue;
    if (!o.check_arrays.empty() &&
        std::find(o.check_arrays.begin(), o.check_arrays.end(), m.region(d.region).name) == o.check_arrays.end())
      continue;
    return &d;
  }
  return nullptr;
}

prove::Finding finding(const interp::Defect& d, const interp::Shape& shape) {
  prove::Finding f;
  const bool race = d.kind == interp::DefectKind::race;
  f.kind = race                                          ? prove::Kind::race
           : d.kind == interp::DefectKind::group_copy    ? prove::Kind::async_operands
           : d.kind == interp::DefectKind::warp_operands ? prove::Kind::warp_operands
                                                         : prove::Kind::barrier_divergence;
  f.place = race ? d.first.place : d.place;
  f.other_place = race ? d.second.place : PlaceId{};
  f.region = d.region;
  const auto side = [](const interp::ThreadName& t, const interp::AccessRecord& a) {
    prove::Side s;
    for (size_t k = 0; k < 3; ++k) {
      s.local_id[k] = t.local[k];
      s.group_id[k] = t.group[k];
    }
    s.access = static_cast<AccessKind>(a.kind);
    s.place = a.place;
    return s;
  };
  if (race) {
    f.threads = {side(d.first.thread, d.first), side(d.second.thread, d.second)};
    f.offset = static_cast<int64_t>(d.first.offset);
    f.bytes = d.first.bytes;
    f.other_offset = static_cast<int64_t>(d.second.offset);
    f.other_bytes = d.second.bytes;
  } else {
    f.threads = {side(d.thread, {})};
    if (d.other) f.threads.push_back(side(*d.other, {}));
  }
  for (size_t k = 0; k < 3; ++k) {
    f.cluster[k] = shape.cluster[k];
    f.local_size[k] = shape.local_size[k];
    f.num_groups[k] = shape.num_groups[k];
  }
  return f;
}

}  // namespace

std::map<uint32_t, uint64_t> required(const Function& f, const interp::Shape& shape) {
  std::map<uint32_t, uint64_t> out;
  std::vector<const Instruction*> made(f.values.size());
  for (const Block& b : f.blocks)
    for (const Instruction& i : b.instructions)
      for (const ValueId r : i.results) made[r.index] = &i;
  const auto number = [&](ValueId v) -> std::optional<uint64_t> {
    if (f.value(v).kind == Value::constant) return f.value(v).constant_bits;
    const auto* c = made[v.index] == nullptr ? nullptr : std::get_if<Compute>(&made[v.index]->action);
    if (c == nullptr || c->op != Op::id) return std::nullopt;
    if (static_cast<IdKind>(c->imm) == IdKind::local_size) return shape.local_size[c->dimension];
    if (static_cast<IdKind>(c->imm) == IdKind::num_groups) return shape.num_groups[c->dimension];
    return std::nullopt;
  };
  for (const Block& b : f.blocks)
    for (const Instruction& i : b.instructions) {
      const auto* n = std::get_if<Annotation>(&i.action);
      if (n == nullptr || n->note != Note::requires_ || made[n->condition.index] == nullptr) continue;
      const auto* c = std::get_if<Compute>(&made[n->condition.index]->action);
      if (c == nullptr || c->operands.size() != 2) continue;
      const uint64_t more = c->op == Op::sgt || c->op == Op::ugt ? 1 : 0;
      if (c->op != Op::eq && c->op != Op::sge && c->op != Op::uge && more == 0) continue;
      for (size_t k = 0; k < 2; ++k) {
        const Value& p = f.value(c->operands[k]);
        if (p.kind != Value::parameter || (k == 1 && c->op != Op::eq)) continue;
        if (const auto v = number(c->operands[1 - k])) out[p.index] = *v + more;
      }
    }
  return out;
}

void start_at_zero(const Module& m, interp::Inputs& inputs) {
  each_instruction(m, [&](const Function&, const Instruction& i) {
    if (const auto* a = std::get_if<Atomic>(&i.action))
      for (const RegionId r : a->access.regions) inputs.zeroed.insert(r.index);
  });
}

bool uses_warps(const Module& m) {
  bool found = false;
  each_instruction(m, [&](const Function&, const Instruction& i) {
    if (const auto* c = std::get_if<Compute>(&i.action); c != nullptr && c->op == Op::id)
      found = found || static_cast<IdKind>(c->imm) >= IdKind::lane;
    if (const auto* b = std::get_if<Barrier>(&i.action)) found = found || b->scope == Scope::warp;
    found = found || std::holds_alternative<WarpExchange>(i.action);
  });
  return found;
}

namespace {

// `tame`: what a proof may assume is met, and no input is wild.
Attack try_runs(const Module& m, FunctionId kernel, const launch::Options& o, const prove::Options& given,
                const prove::Result& proof, double seconds, bool tame, const Related* related) {
  Attack out;
  const Function& f = m.function(kernel);
  if (!f.kernel) return out;
  const auto begin = std::chrono::steady_clock::now();
  const double most = std::min(seconds / 5, std::max(k_least_seconds, proof.effort.seconds / 5));
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const bool grid = meets_grid(m), warps = uses_warps(m), tiles = uses_tiles(m), any_size = given.warp_size == 0;
  const auto assumed = [&](prove::Assumption::Kind k) {
    return std::any_of(proof.assumptions.begin(), proof.assumptions.end(),
                       [&](const prove::Assumption& x) { return x.kind == k; });
  };
  // Where there is no proof, nothing has said what a flag or a counter starts at: as in confirm(), at what the host's
  // reset leaves. A race from another start would be one that the kernel's user never sees.
  const bool zeros = proof.verdict.status != Status::holds || assumed(prove::Assumption::starts_at_zero) ||
                     assumed(prove::Assumption::counter);
  const auto nullable = [&](uint32_t k) { return proof.nullable.contains(f.parameters[k].name); };
  uint64_t state = o.seed;
  for (uint32_t n = 0; n < k_runs && (n < k_first_runs || spent() < most); ++n) {
    interp::Shape shape;
    prove::Options engine = given;
    if (related != nullptr && !related->give(engine, o.seed + n)) return out;
    if (!shape_for(o, engine, grid, n, state, shape)) {
      if (related != nullptr) continue;
      return out;
    }
    if (tiles) whole_warps(engine, shape);
    for (uint32_t d = 0; d < 3; ++d)
      if (const uint32_t size = f.cluster[d]; size > 1 && engine.launch.num_groups[d] == 0)
        shape.num_groups[d] = std::max(shape.num_groups[d] / size, 1u) * size;
    for (uint32_t d = 0; d < 3; ++d) shape.cluster[d] = std::min(shape.num_groups[d], 8u - n % 7);
    if (!start_clusters(m, kernel, shape)) continue;
    static constexpr uint32_t k_warps[] = {32, 2, 4, 64, 1, 16, 3};
    shape.warp_size = any_size               ? k_warps[warps ? n % 7 : 0]
                      : engine.warp_sync > 0 ? engine.warp_sync
                                             : engine.warp_size;
    shape.lock_step = engine.warp_sync > 0;
    shape.first_fences = !engine.both_fences;
    shape.group_waits = engine.group_waits;
    shape.barriers_acquire = tame || assumed(prove::Assumption::as_in_guide);
    shape.matrix_stores_wait = tame || assumed(prove::Assumption::matrix_stores);
    interp::Inputs inputs;
    inputs.seed = o.seed + n;
    inputs.drawn = n % 4 == 2   ? interp::Inputs::zeros
                   : n % 4 == 3 ? (tame ? interp::Inputs::tiny : interp::Inputs::wild)
                                : interp::Inputs::small;
    inputs.spread = engine.element_aligned && n % 2 == 1;
    inputs.arguments = required(f, shape);
    for (uint32_t k = 0; k < f.parameters.size(); ++k) {
      const uint32_t at = f.parameters[k].source_index;
      if (at < engine.arguments.size() && engine.arguments[at])
        inputs.arguments[k] = *engine.arguments[at];
      else if (tame && f.parameters[k].type.kind == Type::bits && !f.parameters[k].region)
        inputs.arguments.try_emplace(k, draw(state) % (uint64_t{4} << draw(state) % 6));  // so that it can be told
      const bool null = std::ranges::count(engine.null_arguments, at) != 0;
      if (nullable(k) && (null || draw(state) % 2 == 0)) inputs.null_parameters.insert(k);
    }
    if (zeros || n % 2 == 0) start_at_zero(m, inputs);
    const interp::Outcome r = interp::run(m, kernel, shape, inputs,
                                          {.steps = k_steps,
                                           .turn = 400,
                                           .yields = n % 3 == 1 ? 0.3 : 0,
                                           .seconds = std::max(most, k_longest_run),
                                           .cancelled = o.spent});
    ++out.runs;
    out.possible += r.status == interp::Outcome::impossible ? 0 : 1;
    if (const interp::Defect* d = counts(m, r, o)) {
      out.finding = finding(*d, shape);
      for (const auto& [k, v] : inputs.arguments)
        if (!f.parameters[k].region) out.finding->arguments.emplace_back(f.parameters[k].name, v);
      for (const uint32_t k : inputs.null_parameters) out.finding->null_parameters.push_back(f.parameters[k].name);
      out.values = values_text(*d);
      out.run = fmt::format("run {} with seed {}: {}", n, inputs.seed, interp::describe(m, *d));
      return out;
    }
  }
  return out;
}

}  // namespace

Attack attack(const Module& m, FunctionId kernel, const launch::Options& o, const prove::Options& engine,
              const prove::Result& proof, double seconds, const Related* related) {
  return try_runs(m, kernel, o, engine, proof, seconds, false, related);
}

EarlyRuns::EarlyRuns(const Module& m, FunctionId kernel, const launch::Options& options, const prove::Options& engine,
                     const Job& job)
    : m_(m), kernel_(kernel), options_(options), engine_(engine), outer_(job.cancelled), job_(job) {
  job_.cancelled = &stop_;
  options_.spent = &over_;
  runs_ = std::thread([this] { watch(); });
}

EarlyRuns::~EarlyRuns() { end(); }

void EarlyRuns::end() {
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  if (runs_.joinable()) runs_.join();
}

std::optional<Attack> EarlyRuns::shown() {
  end();
  return found_;
}

void EarlyRuns::watch() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  double next = k_first_early;
  prove::Result none;
  none.verdict.status = Status::gave_up;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::milliseconds(5), [this] { return over_.load(); })) {
    if (outer_ != nullptr && outer_->load(std::memory_order_relaxed)) stop_ = true;
    if (found_ || std::chrono::duration<double>(Clock::now() - begin).count() < next) continue;
    lock.unlock();
    none.effort.seconds = k_early_part * next;
    Attack a = try_runs(m_, kernel_, options_, engine_, none, next, true, nullptr);
    options_.seed += k_runs;
    next *= k_early_steps;
    lock.lock();
    if (!a.finding) continue;
    found_ = std::move(a);
    stop_ = true;
  }
}

}  // namespace fencepost::verifier
