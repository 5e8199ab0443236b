#pragma once
// campaign --engine: a plan as tasks of this machine or of a cluster; campaign --task: one of them.
#include "campaign/plan_file.h"
#include "cli/console.h"
#include "cli/options.h"

namespace fencepost::cli {

int run_campaign_in_tasks(const campaign::Plan& plan, const CommandLine& line, const Console& console);
int run_campaign_task(const CommandLine& line, const Console& console);

}  // namespace fencepost::cli
