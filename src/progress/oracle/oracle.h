#pragma once
// Does a progress litmus test end under a progress model? Explicit state: (pc of each thread, memory, model state).
//
// A thread is enabled until it ends, so every infinite run goes round some cycle. F, the set of fairly scheduled
// threads, only grows while no thread ends, so it is constant within a strongly connected component (OOPSLA 2021,
// section 4 and appendix 9):
//   weak    a test starves iff some reachable component holds a cycle in which every thread of F takes a step. Threads
//           outside F may step too. With F empty every cycle starves.
//   strong  fairness of transitions: a test starves iff some reachable set of states is strongly connected by at least
//           one step and closed under the steps of F. With F empty every cycle starves.
// A test that does not starve terminates. docs/progress-oracle.md derives both and tells the algorithms.
//
// Tests are those that axb's readers return, or that axb::validate accepts.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "axb/test.h"
#include "base/job.h"
#include "base/verdict.h"
#include "draw/graph.h"
#include "fair/model.h"

namespace fencepost::oracle {

enum class Fairness : uint8_t { weak, strong };
const char* name(Fairness f);

struct Options {
  uint64_t max_states = 50'000'000;  // more: gave_up
};

// One step of a schedule, with what it did.
struct Event {
  uint32_t thread = 0, pc = 0, next_pc = 0;
  axb::Value read = 0;
  bool ends = false;
  fair::ThreadSet fair = 0;        // F before the step
  std::vector<axb::Value> memory;  // after the step
};
// prefix, then cycle for ever. `starving`: live threads that never end because of it (all that are live in the cycle);
// `fair`: F throughout the cycle. Weak: every thread of F steps in `cycle`. Strong: `cycle` is one tour through every
// fair step of the closed set, so that no fair step leaves it.
struct Lasso {
  std::vector<Event> prefix, cycle;
  fair::ThreadSet starving = 0, fair = 0;
};

struct Answer {
  Verdict verdict;             // holds: it terminates on every run that the model allows; fails: it may starve
  std::optional<Lasso> lasso;  // when it fails and was asked for; shortest prefix, then a short cycle
  // Explored: pcs, memory and the state of a fair::Machine.
  uint64_t states = 0, transitions = 0;
};

// Errors: those of the model (ill-formed).
Expected<Answer> decide(const axb::Test& test, const fair::Model& model, Fairness fairness, const Options& options,
                        Job& job, bool want_lasso = true);

// Both verdicts of one exploration; true: terminates. nullopt: over options.max_states. Makes a Decider for the one
// call.
struct Pair {
  bool weak = false, strong = false;
  bool operator==(const Pair&) const = default;
};
inline bool passes(const Pair& p, Fairness f) { return f == Fairness::weak ? p.weak : p.strong; }
Expected<std::optional<Pair>> decide_both(const axb::Test& test, const fair::Model& model, const Options& options);

// Both verdicts of many tests under many models, for classification and synthesis: the buffers are kept, closed forms
// are tables, and all closed forms share one exploration of (pcs, memory, started threads): F is a function of the live
// and the started threads, and these are constant within a component. A model with variables of its own has its own
// exploration. One test of the published sizes and six models takes a few microseconds. One Decider per thread of the
// process.
class Decider {
 public:
  explicit Decider(std::vector<fair::Model> models, const Options& options = {});
  ~Decider();
  Decider(Decider&&) noexcept;
  Decider& operator=(Decider&&) noexcept;

  const std::vector<fair::Model>& models() const;
  // One Pair per model, in their order; valid until the next call. nullopt: over options.max_states.
  // Errors: those of the models (ill-formed on some run of this test).
  Expected<std::optional<std::span<const Pair>>> operator()(const axb::Test& test);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The reachable graph of the program alone (no model): what synthesis constrains and table 3 counts.
struct Size {
  uint64_t states = 0, actions = 0;
  bool operator==(const Size&) const = default;
};
Size size_of(const axb::Test& test);

// The schedule as text for people: one line per step with thread, instruction, memory, F; the cycle marked; who
// starves.
std::string to_text(const axb::Test& test, const fair::Model& model, Fairness fairness, const Lasso& lasso);
draw::Graph to_graph(const axb::Test& test, const fair::Model& model, Fairness fairness, const Lasso& lasso);

// ---- labelled transition systems (figures 2b, 5, 6) --------------------------------------------------------------
struct Lts {
  struct Edge {
    uint32_t from = 0, to = 0;
    std::string label;
  };
  uint32_t initial = 0, states = 0;
  std::vector<Edge> edges;               // sorted
  std::vector<std::string> state_names;  // pcs, memory, F and the model's variables; empty after reduction
};
// As the published transition systems: a thread that has run off its code is a step away from its "TERMINATE !t", until
// which the model counts it as live, and when all have terminated there is a last edge "exit".
//   raw       labels "EX !t !INSTRUCTION !TRUE|FALSE !{F}": whether it jumped, and F before the step (no F without a
//   model) abstract  labels "EX !t !{F}"; then reduced
// Errors: those of the model; more than options.max_states (unsupported).
Expected<Lts> lts(const axb::Test& test, const fair::Model* model, bool abstract, const Options& options);
// Modulo strong bisimulation; states numbered breadth first, names dropped.
Lts reduce(const Lts& l);
std::string to_aut(const Lts& l);  // Aldebaran format
std::string to_dot(const Lts& l);
std::string to_svg(const Lts& l);

}  // namespace fencepost::oracle
