#pragma once
// The configurations that tuning chooses from. A configuration fixes what a person could write down and run again (how
// instances lie, how they are aligned, the stress); what is left open is drawn anew for every round: the number of
// testing workgroups within a quarter below the configuration's, offsets, permutations, stressed addresses. So every
// round is a fresh sample of the configuration, as the iteration parameters of OOPSLA 2020 are.
//
// Input: what a device is (plan::Target), parameters that the user has given (they are left alone), a seed, a number.
// Output: plan::Parameters. Laws: deterministic in (device's numbers, given, seed, number); the same number is the same
// configuration for every test, so that tests can be compared configuration by configuration, but where a test cannot
// meet it: then rounds, workgroups and invocations give way (plan/fitted.h). A neighbour depends on its parent too.
#include "plan/parameters.h"
#include "plan/plan.h"

namespace fencepost::tune {

struct Space {
  plan::Target target;
  bool host = false;  // workgroups run on a processor's threads: a launch needs many rounds to be worth its start
  plan::Parameters given;
};

plan::Parameters draw_configuration(const Space& space, uint64_t seed, uint32_t number);

// `parent` with one to four parameters as configuration `number` has them. Deterministic as above. What the user has
// given stays.
plan::Parameters draw_neighbour(const Space& space, uint64_t seed, uint32_t number, const plan::Parameters& parent);

// Everything that is there to provoke weak outcomes is off: stress, pre-stress, shuffle, rotation, alignment,
// distances.
plan::Parameters no_stress(const Space& space);

}  // namespace fencepost::tune
