#include "verifier/engine_options.h"

#include <algorithm>

namespace fencepost::verifier {

prove::Options engine_options(const launch::Options& o, const ir::Module& m, const ir::Function& f) {
  prove::Options p;
  for (uint32_t d = 0; d < 3; ++d) {
    p.launch.local_size[d] = o.launch.local(d).value_or(0);
    p.launch.num_groups[d] = o.launch.groups(d).value_or(0);
    p.global_offset[d] = o.launch.offset(d);
    if (d < o.launch.global_size.size()) p.global_size[d] = o.launch.global_size[d].value_or(0);
  }
  p.work_dim = std::max(1u, o.launch.dimensions());
  p.abstraction = o.abstraction == launch::Abstraction::adversarial ? prove::Abstraction::adversarial
                  : o.abstraction == launch::Abstraction::equality  ? prove::Abstraction::equality
                                                                    : prove::Abstraction::automatic;
  p.benign = o.benign_races;
  p.check_bounds = o.check_array_bounds;
  p.races = !o.only_divergence && !o.only_log;
  p.across_groups = !o.only_intra_group;
  p.infer = o.infer;
  p.k_induction = std::max(1u, o.k_induction_depth);
  p.asymmetric = o.asymmetric_asserts;
  p.barrier_access_checks = o.barrier_access_checks;
  p.refined_atomics = o.atomics == launch::Atomics::refined;
  p.warp_sync = o.volta ? 0 : o.warp_size.value_or(0);
  // OpenCL does not say how large a sub-group is, nor which work items it has.
  p.warp_size = *o.dialect == ir::Dialect::cuda ? 32 : 0;
  if (o.sub_group_size) p.warp_size = *o.sub_group_size;
  if (o.warp_size) p.warp_size = *o.warp_size;
  p.warp_barriers = true;
  p.nullable = p.element_aligned = o.profile == launch::Profile::standard;
  p.both_fences = o.profile == launch::Profile::standard;
  p.group_waits = p.both_fences;
  p.counters_end = o.profile == launch::Profile::standard && !o.strict;
  p.bodiless = o.profile == launch::Profile::gpuverify;
  p.warp_divergence = o.check_warp_divergence;
  p.warp_method = o.warp_method == launch::WarpMethod::resync     ? prove::WarpMethod::resync
                  : o.warp_method == launch::WarpMethod::two_pass ? prove::WarpMethod::two_pass
                  : o.warp_method == launch::WarpMethod::both     ? prove::WarpMethod::both
                                                                  : prove::WarpMethod::automatic;
  if (o.error_limit > 0) p.max_findings = o.error_limit;
  for (const launch::Arguments& a : o.kernel_args) {
    if (a.kernel != f.name) continue;
    if (p.nullable) p.null_arguments = a.null;
    size_t next = 0;
    for (const ir::Parameter& parameter : f.parameters) {
      const bool structure = parameter.region && m.region(parameter.region).origin == ir::Origin::by_value;
      if ((parameter.region && !structure) || next >= a.values.size()) continue;
      launch::Size v = a.values[next++];
      if (structure) continue;
      if (v && parameter.type.width > 0 && parameter.type.width < 64) *v &= (uint64_t{1} << parameter.type.width) - 1;
      if (p.arguments.size() <= parameter.source_index) p.arguments.resize(parameter.source_index + 1);
      p.arguments[parameter.source_index] = v;
    }
  }
  return p;
}

}  // namespace fencepost::verifier
