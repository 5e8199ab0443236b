#pragma once
// The chart of judged results.
#include <string>

#include "judge/judge.h"

namespace fencepost::chart {

// Rates of the weak outcome of every test, logarithmic, with intervals; never seen as an arrow down from its bound;
// colour by what the model says.
std::string to_svg(const judge::Judged& j);

}  // namespace fencepost::chart
