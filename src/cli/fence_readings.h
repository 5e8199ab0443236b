#pragma once
// Proxy fences and what the text leaves open: under which answers to the model's questions (cat::Model::variants) a
// fence that `relax` calls needed is needed, and one that it adds is enough.
#include <string>

#include "cat/model.h"
#include "check/check.h"
#include "cli/inputs.h"
#include "relax/relax.h"

namespace fencepost::cli {

// One answer other than the model's own at a time.
struct Reading {
  std::string answer;  // "P2=strict"
  const cat::Model* model = nullptr;
};
std::vector<Reading> readings_of(const cat::Model& model, ModelCache& models);

// Lines that begin with "readings:", or nothing: where the model has no such question, or no proxy fence matters. Each
// answer is asked for alone, for at most `seconds` a question.
std::string fence_readings(const relax::Session& session, const cat::Model& model, const check::Options& options,
                           double seconds, ModelCache& models);

}  // namespace fencepost::cli
