// A counterexample of the prover is a pair of threads and values of parameters; what memory holds is left to the run. A
// run of the whole launch that shows the same pair of places on the same array confirms it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ranges>

#include "interp/interp.h"
#include "verifier/attack.h"
#include "verifier/related.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

constexpr uint64_t k_threads = 4096;  // that are run

bool same_defect(const prove::Finding& f, const interp::Defect& d, const ir::Module& m) {
  using interp::DefectKind;
  const auto line = [&](ir::PlaceId p) { return ir::where(m, p); };
  switch (f.kind) {
    case prove::Kind::race: {
      if (d.kind != DefectKind::race || d.region != f.region || f.threads.size() != 2) return false;
      const std::string a = line(f.threads[0].place), b = line(f.threads[1].place), x = line(d.first.place),
                        y = line(d.second.place);
      return (a == x && b == y) || (a == y && b == x);
    }
    case prove::Kind::barrier_divergence:
      return d.kind == DefectKind::divergence || d.kind == DefectKind::deadlock;
    case prove::Kind::async_operands:
      return d.kind == DefectKind::group_copy;
    case prove::Kind::warp_operands:
      return d.kind == DefectKind::warp_operands || d.kind == DefectKind::divergence;
    case prove::Kind::assertion:
    case prove::Kind::unreachable:
    case prove::Kind::barrier_invariant:
      return d.kind == DefectKind::assertion && line(d.place) == line(f.place);
    case prove::Kind::precondition:
      return d.kind == DefectKind::precondition;
    case prove::Kind::null_pointer:
      return d.kind == DefectKind::null_access && line(d.place) == line(f.place);
    case prove::Kind::constant_write:
      return d.kind == DefectKind::constant_write && line(d.place) == line(f.place);
    case prove::Kind::out_of_bounds:
      return d.kind == DefectKind::out_of_bounds && line(d.place) == line(f.place);
    default:
      return false;
  }
}

bool meets_grid(const ir::Module& m) {
  for (const ir::Function& f : m.functions)
    for (const ir::Block& b : f.blocks)
      for (const ir::Instruction& i : b.instructions)
        if (const auto* x = std::get_if<ir::Barrier>(&i.action); x != nullptr && x->scope == ir::Scope::device)
          return true;
  return false;
}

// The launch of a finding with the groups of its threads alone, which a launch may run before all others; a barrier of
// the grid needs all. None: it is too large.
std::optional<interp::Shape> shape_of(const ir::Module& m, const prove::Finding& f, const launch::Options& o) {
  interp::Shape shape;
  shape.warp_size = o.warp_size.value_or(o.sub_group_size.value_or(32));
  shape.lock_step = o.warp_size && !o.volta;
  shape.first_fences = o.profile == launch::Profile::gpuverify;
  shape.group_waits = !shape.first_fences;
  uint64_t threads = 1;
  for (uint32_t d = 0; d < 3; ++d) {
    // Sizes that are not fixed: as the counterexample has them.
    const uint64_t local = f.local_size[d], groups = f.num_groups[d];
    if (local == 0 || groups == 0 || local > k_threads || groups > ~0u) return std::nullopt;
    shape.local_size[d] = static_cast<uint32_t>(local);
    shape.num_groups[d] = static_cast<uint32_t>(groups);
    shape.global_offset[d] = o.launch.offset(d);
    shape.cluster[d] = static_cast<uint32_t>(f.cluster[d]);
    threads = std::min<uint64_t>(threads * local, k_threads + 1);
    threads = std::min<uint64_t>(threads * groups, k_threads + 1);
  }
  uint64_t group = 1;
  for (uint32_t d = 0; d < 3; ++d) group *= shape.local_size[d];
  for (const prove::Side& s : f.threads) {
    std::array<uint32_t, 3> g{};
    for (size_t d = 0; d < 3; ++d) g[d] = static_cast<uint32_t>(s.group_id[d]);
    if (std::find(shape.groups.begin(), shape.groups.end(), g) == shape.groups.end()) shape.groups.push_back(g);
  }
  if (shape.groups.empty()) shape.groups.push_back({0, 0, 0});
  if (meets_grid(m)) shape.groups.clear();
  if ((shape.groups.empty() ? threads : group * shape.groups.size()) > k_threads) return std::nullopt;
  shape.work_dim = std::max(1u, o.launch.dimensions());
  return shape;
}

// Numbers for the parameters that nothing fixes: most are small, for they are sizes and bounds of loops.
std::map<uint32_t, uint64_t> other_numbers(const ir::Function& f, const prove::Options& engine,
                                           const interp::Shape& shape, uint64_t seed) {
  std::map<uint32_t, uint64_t> out = required(f, shape);
  Rng rng(seed);
  for (uint32_t k = 0; k < f.parameters.size(); ++k) {
    const ir::Parameter& p = f.parameters[k];
    if (p.region) continue;
    const uint64_t drawn = rng.below(uint64_t{2} << rng.below(12));
    if (p.source_index < engine.arguments.size() && engine.arguments[p.source_index])
      out[k] = *engine.arguments[p.source_index];
    else if (p.type.kind == ir::Type::bits)
      out.try_emplace(k, p.type.width < 64 ? drawn & ((uint64_t{1} << p.type.width) - 1) : drawn);
  }
  return out;
}

// As far as k_threads.
uint64_t product(const std::array<uint32_t, 3>& x) {
  uint64_t n = 1;
  for (const uint32_t v : x) n = std::min<uint64_t>(n * v, k_threads + 1);
  return n;
}

}  // namespace

std::optional<Shown> confirm(const ir::Module& m, ir::FunctionId entry, const prove::Finding& f,
                             const launch::Options& o, const prove::Options& engine, double seconds,
                             const Related* related) {
  using interp::Inputs;
  const auto begin = std::chrono::steady_clock::now();
  const ir::Function& kernel = m.function(entry);
  if (!kernel.kernel) return std::nullopt;
  std::optional<interp::Shape> shape = shape_of(m, f, o);
  if (!shape || !start_clusters(m, entry, *shape)) return std::nullopt;
  const bool any_warp = m.dialect == ir::Dialect::opencl && !o.warp_size && !o.sub_group_size && uses_warps(m);
  interp::Limits limits{.steps = 300'000, .cancelled = o.spent, .window = uint64_t{1} << 40};
  constexpr size_t k_turns = 5;
  constexpr std::array tries{Inputs::small, Inputs::wild, Inputs::zeros, Inputs::small, Inputs::wild,
                             Inputs::tiny,  Inputs::tiny, Inputs::zeros, Inputs::tiny,  Inputs::small};
  bool cut_short = false, others = false;
  // At first with the numbers of the counterexample and the groups of its threads. A run of these that does not come to
  // its end (a loop of 2^30 rounds, a sum that overflows) says little of the pair of places: then with other numbers.
  // And the race may be one with whoever comes last: then with all groups, where these are few threads.
  for (size_t n = 0; n < 2 * k_turns; ++n) {
    const size_t turn = n % k_turns;
    if (n == k_turns) {
      const uint64_t groups = product(shape->num_groups);
      const bool all = !shape->groups.empty() && shape->groups.size() < groups &&
                       groups * product(shape->local_size) <= limits.ordered_threads;
      others = cut_short;
      if (!all && !others) break;
      if (all) shape->groups.clear();
    }
    limits.seconds = seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (limits.seconds <= 0) break;
    Inputs inputs;
    inputs.seed = o.seed + n;
    inputs.drawn = tries[n];
    if (others) {
      prove::Options numbers = engine;
      for (size_t d = 0; d < 3; ++d) {
        numbers.launch.local_size[d] = shape->local_size[d];
        numbers.launch.num_groups[d] = shape->num_groups[d];
      }
      if (related != nullptr && !related->give(numbers, inputs.seed)) continue;
      inputs.arguments = other_numbers(kernel, numbers, *shape, inputs.seed);
    }
    for (uint32_t k = 0; k < kernel.parameters.size(); ++k) {
      const std::string& name = kernel.parameters[k].name;
      for (const auto& [of, value] : f.arguments)
        if (!others && of == name) inputs.arguments[k] = value;
      if (std::ranges::find(f.null_parameters, name) != f.null_parameters.end()) inputs.null_parameters.insert(k);
    }
    // A counter that starts elsewhere makes races that the host's reset does not allow: none of them is confirmed.
    start_at_zero(m, inputs);
    inputs.spread = o.profile == launch::Profile::standard && turn % 2 == 1;
    static constexpr uint32_t k_warps[] = {64, 2, 32, 128, 8};
    if (any_warp) shape->warp_size = k_warps[turn];
    const interp::Outcome r = interp::run(m, entry, *shape, inputs, limits);
    cut_short = cut_short || r.status == interp::Outcome::gave_up || r.status == interp::Outcome::impossible;
    if ((r.order_lost && r.synchronises) || r.unknown_requirements || r.status == interp::Outcome::impossible) continue;
    for (const interp::Defect& d : r.defects)
      if (!d.made_up && (!d.same_value || !o.benign_races) && same_defect(f, d, m)) return Shown{d, inputs.arguments};
  }
  return std::nullopt;
}

void tell_as_run(const ir::Module& m, const ir::Function& kernel, const Shown& shown, prove::Finding& f) {
  const interp::Defect& run = shown.defect;
  for (auto& [name, value] : f.arguments)
    for (const auto& [k, used] : shown.arguments)
      if (kernel.parameters[k].name == name) value = used;
  if (f.kind != prove::Kind::race || f.threads.size() != 2) return;
  const auto of = [&](const prove::Side& s, const interp::AccessRecord& a) {
    return ir::where(m, s.place) == ir::where(m, a.place) &&
           static_cast<uint8_t>(s.access) == static_cast<uint8_t>(a.kind);
  };
  const bool turned = !of(f.threads[0], run.first) || !of(f.threads[1], run.second);
  const std::array records{turned ? &run.second : &run.first, turned ? &run.first : &run.second};
  for (size_t t = 0; t < 2; ++t) {
    std::copy(records[t]->thread.local.begin(), records[t]->thread.local.end(), f.threads[t].local_id.begin());
    std::copy(records[t]->thread.group.begin(), records[t]->thread.group.end(), f.threads[t].group_id.begin());
  }
  f.offset = static_cast<int64_t>(records[0]->offset);
  f.bytes = records[0]->bytes;
  f.other_offset = static_cast<int64_t>(records[1]->offset);
  f.other_bytes = records[1]->bytes;
}

std::string values_text(const interp::Defect& d) {
  if (d.kind != interp::DefectKind::race) return "";
  static constexpr const char* k_kinds[] = {"a read of", "a write of", "an atomic that leaves"};
  const auto one = [](const interp::AccessRecord& a) {
    return fmt::format("{} {}", k_kinds[static_cast<uint8_t>(a.kind)], a.value);
  };
  return fmt::format("{}, then {}", one(d.first), one(d.second));
}

}  // namespace fencepost::verifier
