#pragma once
// The sequential reference executor: runs a kernel over word buffers, one statement of one invocation at a time, in an
// order drawn from a seed. Memory is one flat store, so whatever it does is an interleaving (sequential consistency):
// a plan whose runs show anything else, or another number of results than instances, is wrong. It is slow and exact.
//
// Invocations advance at the granularity of statements: a load, a store, an atomic, a whole test operation, or a
// stretch of private work up to the next of them. A barrier (a `barrier` statement, or a `test` statement whose
// instruction is one) holds an invocation until all others of its workgroup stand at a barrier or have ended.
// Scheduling: with `burst` b, the invocation chosen goes on for 1 to b statements, so that both fine and coarse
// interleavings are drawn. At most `resident` workgroups run at a time; a further one starts when one ends (0: all).
//
// Errors: an access outside its buffer, a misaligned 64-bit place and statements without end (`limit`) are reported in
// `fault` with kernel and place; nothing is written outside the buffers.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "code/kernel.h"

namespace fencepost::code {

using Words = std::vector<uint32_t>;

struct Execution {
  uint64_t statements = 0;
  std::string fault;  // "": ended well
};

struct ExecuteOptions {
  uint64_t seed = 1;
  uint32_t burst = 4;
  uint32_t resident = 0;
  uint32_t cluster = 1;                    // workgroups of one cluster; neighbours, as on devices
  uint64_t limit = uint64_t{1} << 40;      // statements of all invocations together
  uint64_t nanoseconds_per_statement = 1;  // what `clock` counts
  // Told of each access of a `test` statement: workgroup, lane, operation, word of its buffer. For tests of placement.
  std::function<void(uint32_t, uint32_t, const Operation&, uint64_t)> watch = {};
};

// A kernel made ready to run. Holds no reference to the kernel.
class Executable {
 public:
  explicit Executable(const Kernel& k);  // invariant: fault_of(k) == ""
  // `buffers` parallel to Kernel::buffers.
  Execution run(uint32_t groups, uint32_t lanes, const std::vector<Words*>& buffers,
                const ExecuteOptions& options) const;

 private:
  struct Step {
    Statement::Kind kind = Statement::Kind::note;
    Statement statement;  // without body and other
    uint32_t target = 0;  // branch: else part; leave: after the loop; note with `jump`: target
    bool jump = false;
  };
  friend class Run;
  void flatten(const std::vector<Statement>& list, std::vector<std::vector<uint32_t>>& leaves);

  Kernel kernel_;
  std::vector<Step> steps_;
};

// Launches of one moment on several devices: an invocation of now this one, now that one goes on for a burst.
struct ExecutionPart {
  const Executable* kernel = nullptr;
  uint32_t groups = 1, lanes = 1, cluster = 1;
  std::vector<Words*> buffers;  // may be those of another part
};
std::vector<Execution> run_together(const std::vector<ExecutionPart>& parts, const ExecuteOptions& options);

}  // namespace fencepost::code
