#pragma once
// Whether every thread of a kernel ends by itself, at any launch: each loop counts to a limit that does not change
// while it runs, nothing is called again by itself, and no thread waits for another but at barriers of its block and
// with the lanes of its warp, of which `prove` shows that all come.
//
// A loop ends by itself if in every iteration a value that goes up (or down) by a constant is compared with such a
// limit, so that it comes there without wrapping, or a value is halved until it is 0. The language does not define a
// signed counter that wraps, so a loop is not treated as not terminating because its counter might.
#include "flow/effects.h"
#include "ir/ir.h"

namespace fencepost::flow {

bool ends_by_itself(const ir::Module& m, const Effects& effects, ir::FunctionId kernel);

}  // namespace fencepost::flow
