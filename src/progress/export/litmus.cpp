// Litmus files: the translation is axb's, the printing emit's. The condition asks nothing: the question of such a file
// is whether it ends.
#include "print/litmus.h"

#include "axb/translate.h"
#include "export/plan.h"
#include "vocab/vocab.h"

namespace fencepost::exports {

Expected<std::string> print_litmus(const axb::Test& test, const Options& o) {
  axb::TranslateOptions t;
  t.order = o.order == Order::relaxed   ? axb::Order::relaxed
            : o.order == Order::acq_rel ? axb::Order::acq_rel
                                        : axb::Order::sc;
  t.loads_as_rmw = o.loads == Loads::add;
  const vocab::Dialect dialect = o.target == Target::litmus_ptx      ? vocab::Dialect::ptx
                                 : o.target == Target::litmus_vulkan ? vocab::Dialect::vulkan
                                                                     : vocab::Dialect::opencl;
  auto program = axb::to_prog(test, dialect, t);
  if (!program) return std::unexpected(program.error());
  return print::print(*program);
}

}  // namespace fencepost::exports
