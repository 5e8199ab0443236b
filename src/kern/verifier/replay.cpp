// A counterexample of the prover is a pair of threads and values of parameters; what memory holds is left to the run. A
// run of the whole launch that shows the same pair of places on the same array confirms it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "interp/interp.h"
#include "verifier/attack.h"
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

}  // namespace

std::optional<interp::Defect> confirm(const ir::Module& m, ir::FunctionId entry, const prove::Finding& f,
                                      const launch::Options& o, double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  if (!m.function(entry).kernel) return std::nullopt;
  interp::Shape shape;
  const bool any_warp = m.dialect == ir::Dialect::opencl && !o.warp_size && !o.sub_group_size && uses_warps(m);
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
    threads = std::min<uint64_t>(threads * local, k_threads + 1);
    threads = std::min<uint64_t>(threads * groups, k_threads + 1);
  }
  // The groups of the two threads alone, which a launch may run before all others; a barrier of the grid needs all.
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
  interp::Limits limits{.steps = 300'000, .cancelled = o.spent, .window = uint64_t{1} << 40};
  const std::array tries{interp::Inputs::small, interp::Inputs::wild, interp::Inputs::zeros, interp::Inputs::small,
                         interp::Inputs::wild};
  for (size_t n = 0; n < tries.size(); ++n) {
    const auto drawn = tries[n];
    limits.seconds = seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (limits.seconds <= 0) return std::nullopt;
    interp::Inputs inputs;
    inputs.seed = o.seed + n;
    inputs.drawn = drawn;
    const auto& parameters = m.function(entry).parameters;
    for (const auto& [name, value] : f.arguments)
      for (uint32_t k = 0; k < parameters.size(); ++k)
        if (parameters[k].name == name) inputs.arguments[k] = value;
    for (const std::string& name : f.null_parameters)
      for (uint32_t k = 0; k < parameters.size(); ++k)
        if (parameters[k].name == name) inputs.null_parameters.insert(k);
    // A counter that starts elsewhere makes races that the host's reset does not allow: none of them is confirmed.
    start_at_zero(m, inputs);
    inputs.spread = o.profile == launch::Profile::standard && n % 2 == 1;
    static constexpr uint32_t k_warps[] = {64, 2, 32, 128, 8};
    if (any_warp) shape.warp_size = k_warps[n];
    const interp::Outcome r = interp::run(m, entry, shape, inputs, limits);
    if ((r.order_lost && r.synchronises) || r.status == interp::Outcome::impossible) continue;
    for (const interp::Defect& d : r.defects)
      if (!d.made_up && (!d.same_value || !o.benign_races) && same_defect(f, d, m)) return d;
  }
  return std::nullopt;
}

void tell_as_run(const ir::Module& m, const interp::Defect& run, prove::Finding& f) {
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
