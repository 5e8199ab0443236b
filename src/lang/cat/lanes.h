#pragma once
// A memory model for tests whose lanes exchange values (prog/lanes.h): the events of exchanges, WARP \ B, are in
// none of the model's sets, and rf, co, loc, vloc and syncbar relate none of them. Axioms are added. `lane-
// exchange`: no load of an exchange reads the initial value, since it comes behind the barrier of the lanes that
// have stored. And where the model forbids values out of thin air, `lane-thin-air`: none comes round through
// exchanges.
#include "cat/model.h"

namespace fencepost::cat {

bool knows_lanes(const Model& model);
// The model itself where it is one of these already.
Model with_lanes(const Model& model);

}  // namespace fencepost::cat
