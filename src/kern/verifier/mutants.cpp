#include "verifier/mutants.h"

#include <fmt/format.h>

#include <algorithm>

#include "flow/uniform.h"
#include "ir/mutate.h"

namespace fencepost::verifier {
namespace {

constexpr uint64_t k_threads = 512;  // of a launch that is run
constexpr uint32_t k_runs = 6;

uint64_t threads(const flow::Launch& l) {
  uint64_t n = 1;
  for (size_t d = 0; d < 3; ++d) n *= l.local_size[d] * l.num_groups[d];
  return n;
}

interp::Outcome run(const ir::Module& m, ir::FunctionId kernel, const prove::Options& o, uint64_t seed) {
  interp::Shape shape;
  for (size_t d = 0; d < 3; ++d) {
    shape.local_size[d] = static_cast<uint32_t>(o.launch.local_size[d]);
    shape.num_groups[d] = static_cast<uint32_t>(o.launch.num_groups[d]);
    shape.global_offset[d] = o.global_offset[d];
  }
  shape.work_dim = o.work_dim;
  interp::Inputs inputs;
  inputs.seed = seed;
  inputs.drawn = seed % 3 == 0 ? interp::Inputs::wild : seed % 3 == 1 ? interp::Inputs::small : interp::Inputs::zeros;
  const auto& parameters = m.function(kernel).parameters;
  for (uint32_t k = 0; k < parameters.size(); ++k)
    if (parameters[k].source_index < o.arguments.size() && o.arguments[parameters[k].source_index])
      inputs.arguments[k] = *o.arguments[parameters[k].source_index];
  return interp::run(m, kernel, shape, inputs, {.steps = 300'000});
}

// A defect that the prover looks for, and that is no matter of what is taken to be the same value.
const interp::Defect* wrong(const interp::Outcome& r, const prove::Options& o) {
  if (r.made_up || (r.order_lost && r.synchronises) || r.status == interp::Outcome::impossible ||
      r.status == interp::Outcome::unsupported)
    return nullptr;
  for (const interp::Defect& d : r.defects) {
    using interp::DefectKind;
    if (d.kind == DefectKind::race && o.races && (!d.same_value || !o.benign)) {
      if (!o.across_groups && d.first.thread.group != d.second.thread.group) continue;
      return &d;
    }
    if (d.kind == DefectKind::divergence || d.kind == DefectKind::assertion || d.kind == DefectKind::null_access)
      return &d;
  }
  return nullptr;
}

// The smallest launch at which the kernel is verified; false: none that can be run.
bool make_small(const ir::Module& m, ir::FunctionId kernel, prove::Options& o, const Job& job) {
  const flow::Launch given = o.launch;
  std::vector<flow::Launch> tries;
  for (const uint64_t local : {uint64_t{8}, uint64_t{32}, uint64_t{0}})
    for (const uint64_t groups : {uint64_t{2}, uint64_t{0}}) {
      flow::Launch l = given;
      for (size_t d = 0; d < 3; ++d) {
        if (local != 0 || l.local_size[d] == 0)
          l.local_size[d] = l.local_size[d] == 0 ? 4 : std::min(l.local_size[d], d == 0 ? local : uint64_t{4});
        if (groups != 0 || l.num_groups[d] == 0)
          l.num_groups[d] = l.num_groups[d] == 0 ? 2 : std::min(l.num_groups[d], groups);
      }
      if (threads(l) <= k_threads && std::none_of(tries.begin(), tries.end(), [&](const flow::Launch& t) {
            return t.local_size == l.local_size && t.num_groups == l.num_groups;
          }))
        tries.push_back(l);
    }
  for (const flow::Launch& l : tries) {
    o.launch = l;
    if (prove::prove(m, kernel, o, job).verdict.status != Status::holds) continue;
    bool good = true;
    for (uint64_t s = 1; s <= 2; ++s) good = good && wrong(run(m, kernel, o, s), o) == nullptr;
    if (good) return true;
  }
  return false;
}

}  // namespace

MutantReport try_mutants(const ir::Module& m, ir::FunctionId kernel, const prove::Options& given, const Job& job,
                         double seconds) {
  MutantReport out;
  if (!m.function(kernel).kernel || given.warp_sync > 0) return out;  // runs know no lock-step
  prove::Options o = given;
  if (!make_small(m, kernel, o, job)) return out;
  out.counts.kernels = 1;
  const size_t count = ir::mutants(m, kernel);
  for (size_t n = 0; n < count; ++n) {
    const ir::Mutant x = ir::mutant(m, kernel, n);
    ++out.counts.made;
    std::string seen;
    for (uint64_t s = 1; s <= k_runs && seen.empty(); ++s) {
      const interp::Outcome r = run(x.module, kernel, o, job.seed + s);
      if (const interp::Defect* d = wrong(r, o)) seen = interp::describe(x.module, *d);
    }
    if (seen.empty()) continue;
    ++out.counts.wrong;
    Job own = Job::with_budget(seconds);
    own.seed = job.seed;
    const Status status = prove::prove(x.module, kernel, o, own).verdict.status;
    if (status == Status::fails) {
      ++out.counts.refuted;
      continue;
    }
    ++(status == Status::holds ? out.counts.verified : out.counts.undecided);
    out.text +=
        fmt::format("{}: {} ({}), which a run shows to be wrong, is {}:\n{}\n", m.function(kernel).name, name(x.what),
                    ir::where(m, x.place), status == Status::holds ? "verified" : "not decided", seen);
  }
  return out;
}

}  // namespace fencepost::verifier
