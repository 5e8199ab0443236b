#pragma once
// A memory model for tests whose lanes exchange values (prog/lanes.h): the events of exchanges, WARP \ B, are in
// none of the model's sets, and rf, co, loc, vloc and syncbar relate none of them. Two axioms are added:
//   lane-exchange   no load of an exchange reads the initial value: it is behind the barrier of the lanes that store
//   lane-thin-air   where the model forbids values out of thin air: no value depends on itself through an exchange
#include "cat/model.h"

namespace fencepost::cat {

bool knows_lanes(const Model& model);
// The model itself where it is one of these already.
Model with_lanes(const Model& model);

}  // namespace fencepost::cat
