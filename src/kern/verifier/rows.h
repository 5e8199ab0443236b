#pragma once
// What is asked of each kernel of a file: a question for each launch. Sizes that the options give are taken; else they
// come from the launches in a CUDA file; else they are any size, in as many dimensions as the kernel looks at. And the
// table of rows, one line for each question and one for each kernel that was not read.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clangfe/clangfe.h"
#include "flow/effects.h"
#include "launch/options.h"
#include "verifier/report.h"

namespace fencepost::verifier {

// Launches that one question is about, and that give their numbers alike.
struct Alike {
  clangfe::HostRelations relations;
  std::vector<Span> places;
};

struct Question {
  std::shared_ptr<const launch::Options> options;  // with the launch, and with the arguments that the host gives
  std::vector<Span> places;                        // of the launches that ask it; none: options, or no launch
  std::string no_proof;             // a proof would be about another launch than the host's: why; "": it would not
  bool any_size = false;            // no launch is known
  bool named_only = false;          // the kernel's name stands at the places, and how it is launched there is not known
  std::optional<bool> cooperative;  // none: not known
  launch::Size shared;              // bytes of dynamic shared memory
  std::map<std::string, clangfe::Start> starts;  // arrays that may not hold 0 when the kernel starts
  // What the numbers that are not known have to do with one another: all launches, or none where the options give any.
  std::vector<Alike> alike;
};

std::vector<Question> questions(const launch::Options& given, const ir::Module& m, const ir::Function& f,
                                const flow::Effects& effects, const clangfe::HostKernel* kernel);
// What the source says otherwise than the options: sentences.
std::vector<std::string> contradictions(const launch::Options& given, const clangfe::HostKernel& kernel);
// "blockDim=[16,16], gridDim=[*,*]"
std::string launch_words(const launch::Launch& l, bool cuda);
// The table of the answer.
std::string rows(const Report& r);

}  // namespace fencepost::verifier
