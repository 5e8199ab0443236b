#pragma once
// What must hold of every program under every model, whatever they mean: the engines agree on much that the readers,
// the layouts and the filters before and beside them may both get wrong.
//
//   permuted     the order of the threads does not matter
//   renamed      nor do the names of locations, registers, labels, places and barriers
//   unrelated    a location that nobody touches changes nothing
//   outcomes     `check` says of the condition what the set of outcomes says, and of flags
//   refine       `refine` is inclusion of outcomes; what it shows is new, is
//   relax        its result still holds, and one step weaker it fails
//   filter       a filter only removes: exactly the outcomes that it does not admit
//   bound        where two bounds decide, they agree
//   options      how an answer is sought does not change it
//   registers    a barrier named by a register that holds a number is the barrier of that number
//   exchanges    a compare-exchange that cannot succeed is a load of its failure order
//   versions     ptx-9 says what ptx-8 says of programs without its instructions
//   numbers      one thread computes what C says, in every type (numbers.h)
//
// The engines are passed in, so that a test can plant a fault and see that the law notices.
#include <functional>
#include <span>
#include <string>

#include "check/check.h"
#include "program.h"
#include "refine/refinement.h"

namespace fencepost::fuzz {

// What `relax` makes of a test: the weakest variant that it found to keep everything, or the repair.
struct Relaxed {
  std::vector<check::Property> kept;
  prog::Test result;
  std::vector<prog::Test> weaker;  // one step weaker each; empty if it does not say that none of them is right
  bool found = false;
};

struct Deciders {
  std::function<check::Result(const prog::Test&, const cat::Model&, const check::Options&, Job&)> check;
  std::function<check::Outcomes(const prog::Test&, const cat::Model&, const check::Options&, Job&)> outcomes;
  std::function<Expected<refine::Refinement>(const prog::Test& source, const prog::Test& target, const cat::Model&,
                                             const check::Options&, Job&)>
      refine;
  std::function<Relaxed(const prog::Test&, const cat::Model&, const check::Options&, Job&)> relax;
};
const Deciders& real_deciders();

struct Asked {
  const Program& program;
  const cat::Model& model;
  const Deciders& decide;
  double seconds = 2;  // for each question
  uint64_t seed = 1;   // of what a law draws
};

struct Finding {
  enum class Kind : uint8_t { idle, kept, broken } kind = Kind::idle;  // idle: it says nothing of this program
  std::string sentence;                                                // broken: what happens
};

struct Law {
  const char* name;
  Finding (*look)(const Asked&);
};
std::span<const Law> laws();

}  // namespace fencepost::fuzz
