#pragma once
// Internal to the room: a kernel with the numbers that one launch of the host's gives it (clangfe/relations.h).
//
// Input: a module, one of its kernels, and the launch's relations. Output: the same module with relations as
// preconditions, and the parameters replaced by what the host computes, which says the same to a prover that does not
// solve equations: `pitch` is `n + 8` wherever it is used. A variable of the host that is itself an argument or a size
// is that parameter or size; any other is one more parameter, behind those of the kernel. So no number of a launch of
// the host's is lost, whatever the variables are. And numbers for runs, drawn for the variables and computed from
// there.
//
// A number in a structure that is given by value is what the host computes wherever the kernel reads it, as a whole,
// from the copy that it is given, if the kernel never writes to that copy.
//
// Not used: an argument of which the module has no number of the same width, and sizes and arguments that the options
// give, which the caller leaves out (rows.h).
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clangfe/relations.h"
#include "flow/effects.h"
#include "ir/ir.h"
#include "prove/prove.h"

namespace fencepost::verifier {

class Related {
 public:
  // `does`: what the kernel does, with all that it calls. `sizes`: of the grid and of the block, too.
  Related(const ir::Module& m, ir::FunctionId kernel, const flow::FunctionEffects& does,
          clangfe::HostRelations relations, bool sizes = true);
  // They say something.
  bool any() const { return !said_.empty(); }
  bool of_sizes() const;
  const ir::Module& module() const { return module_; }
  // "pitch == n + 8"
  const std::vector<std::string>& said() const { return said_; }
  // Some numbers and sizes that meet the relations and what the options have fixed; false: none was found.
  bool give(prove::Options& engine, uint64_t seed) const;
  // Do the numbers of the finding meet them? None: not known.
  std::optional<bool> met(const prove::Finding& f) const;
  // The parameters that are variables of the host are none of the kernel's.
  void forget_variables(prove::Finding& f) const;

 private:
  using Target = clangfe::HostRelations::Target;
  struct Place {
    Target target;
    uint32_t parameter = 0;  // of the function
    uint8_t width = 0;
  };
  bool is_variable(uint32_t step) const;
  void find_places();
  void find_members(const flow::FunctionEffects& does);
  void replace_members(const std::vector<ir::ValueId>& made);
  void define_variables();
  void build();
  void say();
  std::string words(uint32_t step, int around) const;
  bool trivial(const Place& p) const;
  std::optional<uint64_t> fixed(const prove::Options& engine, const Place& p) const;
  // The values of all steps; none: something is divided by 0.
  std::optional<std::vector<uint64_t>> compute(const std::vector<uint64_t>& variables) const;

  ir::Module module_;
  ir::FunctionId kernel_;
  clangfe::HostRelations r_;
  std::vector<Place> places_;
  struct Member {
    Target target;
    uint32_t parameter = 0;  // the structure
    uint8_t width = 0;
    std::vector<ir::ValueId> read;  // where the kernel reads it
  };
  std::vector<Member> members_;
  std::map<uint64_t, Place> defined_;     // variables that are arguments or sizes
  std::map<uint64_t, uint32_t> further_;  // the others: their parameters
  std::vector<std::string> said_;
};

}  // namespace fencepost::verifier
