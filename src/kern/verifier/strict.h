#pragma once
// What a proof rests on that was not shown: what the prover names (counters that start at 0, the size of a launch), and
// what the profile takes for granted of the machine and the caller, where this kernel has use for it.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "clangfe/clangfe.h"
#include "ir/ir.h"
#include "launch/options.h"
#include "prove/prove.h"
#include "verifier/rows.h"

namespace fencepost::verifier {

// One sentence each, none if the verdict holds as it stands. `source`: of the kernel, where nobody chose the
// __CUDA_ARCH__ that it may ask for; else "".
std::vector<std::string> taken_for_granted(const ir::Module& m, ir::FunctionId kernel, const launch::Options& options,
                                           const prove::Result& proof, const std::string& source);

// What the user's text assumes in the kernel and what it calls: `__builtin_assume`, `__assume`. A sentence for each
// place.
std::vector<std::string> assumed_by_user(const ir::Module& m, ir::FunctionId kernel);

// Why there may be further defects beside those that were found; "" if there are none. `timeout`: in seconds.
std::string not_looked_at(const prove::Result& r, bool time_is_spent, double timeout);

// The kernel has no access to shared or global memory, no barrier and no assertion, so that nothing was to be proved.
bool without_effect(const ir::Module& m, ir::FunctionId kernel);

// Why a proof of this kernel says too little: text that would be compiled elsewhere, where nobody said what is meant;
// "" if it does not. `given`: somebody chose the __CUDA_ARCH__. `idle`: without_effect.
std::string left_out(const std::vector<clangfe::OtherText>& other_text, bool given, bool idle);

// What the model of the options does not grant, of the assumptions of this proof; "" if nothing.
std::string not_granted(const launch::Options& options, const prove::Result& proof);

// A counter that the proof takes for 0 at the start, and that the host does not leave so: a sentence; "" if none.
std::string other_start(const ir::Module& m, const prove::Result& proof, const Question& question);

// How a small launch decides what prove does not follow, messages and locks: a hint, with a newline; else "".
std::string way_on(const std::string& kernel, const std::string& why, const std::string& path);

// Counters that launches hand on to one another. A proof that takes such a counter for 0 stands if each kernel that is
// given it puts it back in each of its launches, which is known when all questions have been answered.
class HandedOn {
 public:
  void asked(const std::string& kernel) { ++asked_[kernel]; }
  // A proof for the kernel: what it puts back, and what it asks of others. The row is any number of the caller's.
  void proved(size_t row, const std::string& kernel, const ir::Module& m, const prove::Result& proof,
              const Question& question);
  // The rows whose proof does not stand, and why, from the last to the first.
  std::vector<std::pair<size_t, std::string>> broken() const;

 private:
  struct Row {
    size_t row;
    std::string kernel, counter, why;
    std::vector<std::string> others;
  };
  std::vector<Row> rows_;
  std::map<std::string, size_t> asked_;
  std::map<std::pair<std::string, std::string>, size_t> put_back_;  // by kernel and array: in how many of its launches
};

}  // namespace fencepost::verifier
