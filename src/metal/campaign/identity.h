#pragma once
// How a store knows a test and its final states: a test by its printed text and that text's hash, a state by its text.
#include <optional>
#include <string>
#include <vector>

#include "prog/names.h"
#include "prog/state.h"

namespace fencepost::campaign {

// Whether a state is the outcome that a test asks about: it satisfies the condition; of `forall C`, it does not.
bool asked_about(const prog::Test& test, const std::vector<prog::Observable>& observables, const prog::State& s);
// "0:r0=1; x=2;" -> the state; none when the text names other observables.
std::optional<prog::State> state_from(const std::vector<prog::Observable>& observables, const std::string& text);
// The text under whose hash a store knows a test: its printed form.
std::string text_of(const prog::Test& test);
std::string hash_of(const prog::Test& test);

}  // namespace fencepost::campaign
