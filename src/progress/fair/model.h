#pragma once
// Progress models as data: which threads a scheduler promises to run ("fairly scheduled", the set F), written in a
// small language and evaluated event by event ("Specifying and Testing GPU Workgroup Progress Models", OOPSLA 2021,
// section 4.2 and figures 13, 14). docs/progress-models.md is the manual of the language.
//
// A model is either a closed form, F = an expression over `live`, `started` and the order on ids, or a machine with
// variables of its own: initial values, updates on step(t, instr) and on terminate(t). F is in force at the point
// *before* a step; the step's update gives the F of the next point. A step that ends its thread is one `step` followed
// by one `terminate`.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace fencepost::fair {

using ThreadSet = uint64_t;  // bit t: thread t; at most 64 threads

// What a model may ask about the instruction that was just executed. All false or 0 where the caller has none.
struct Step {
  uint32_t location = 0;
  uint64_t compared = 0;  // the value that it compared with
  uint64_t exchanged_value = 0;
  bool exchanged = false;  // it wrote
  bool jumped = false;
  bool operator==(const Step&) const = default;
};

struct Expr;  // fair/expr.h

class Model {
 public:
  std::string name() const;         // as the file declares it
  std::string summary() const;      // its first comment sentence
  bool closed_form() const;         // F depends on live, started and ids only
  bool reads_instructions() const;  // some update looks at instr
  // F of a closed form. `started`: every thread that has taken a step, ended ones too. `live` of `threads` threads.
  ThreadSet fair(uint32_t threads, ThreadSet live, ThreadSet started) const;
  // The expression of a closed form: as a tree for encoders (closed forms only), and as text (nullopt for a machine).
  const Expr& closed_form_expr() const;
  std::optional<std::string> closed_form_text() const;

  struct Impl;
  explicit Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// Same name, variables and expressions; comments, layout, names of bound threads and `let` do not count.
bool operator==(const Model& a, const Model& b);

// Parses and checks types. Errors are located, with hints.
Expected<Model> parse_model(const SourcePtr& source);
Expected<Model> read_model(const std::string& path);  // "-": standard input

// Canonical text with definitions filled in: parse_model(to_text(m)) == m. Keeps the comment at the head.
std::string to_text(const Model& model);

// A shipped model by name ("unfair", "hsa", "obe", "hsa+obe", "lobe", "fair"; case does not matter, '_' is '+'), or a
// file.
Expected<Model> load_model(const std::string& name_or_path);
struct ModelInfo {
  std::string name, path, summary;
};
std::vector<ModelInfo> shipped_models();  // weakest first: unfair, hsa, obe, hsa+obe, lobe, fair; others after them
std::string models_dir();  // "progress" under $FENCEPOST_MODELS, the source tree's models/, or <prefix>/share

// "{0,2}"
std::string to_text(ThreadSet threads);

// One model at work on a fixed number of threads: its states are interned, so that an explorer stores a small number
// and a repeated transition is one look-up. Not shared between threads of the process; cheap to make.
//
// Well-formedness is checked on every new transition: F holds live threads only, and loses a thread only when that
// thread ends. A model that breaks this gives a diagnostic at the offending assignment that names the event. So does an
// integer that leaves its range. An error is not remembered: asking again computes it again.
//
// A state is (F, live, variables) and, where the model mentions it, `started`; where only max started is asked for,
// that thread alone. Two states are the same number iff these are equal.
class Machine {
 public:
  using StateId = uint32_t;
  Machine(const Model& model, uint32_t threads, ThreadSet live_at_start);  // threads with empty code are not live
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;

  Expected<StateId> initial();
  // The initial state with other threads live. One machine serves many programs with the same number of threads, so
  // that what was learnt about the model is kept.
  Expected<StateId> initial(ThreadSet live_at_start);
  // Thread t, live, takes a step; `ends`: and terminates with it.
  Expected<StateId> after(StateId s, uint32_t t, const Step& step, bool ends);
  // Only the step, or only the termination, for explorers that keep termination as an event of its own.
  Expected<StateId> after_step(StateId s, uint32_t t, const Step& step);
  Expected<StateId> after_termination(StateId s, uint32_t t);
  ThreadSet fair(StateId s) const;
  ThreadSet live(StateId s) const;
  std::string describe(StateId s) const;  // "F={0,2}", then the model's variables
  size_t states() const;                  // so far

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Looks for a fault of the model itself: every sequence of events of 1, 2, ... `threads` threads (instructions with
// every combination of the parts that the model reads, numbers 0 and 1), breadth first, so that the fault found needs
// few threads and few events. Stops without an answer, that is with no error, after `max_states` states of one number
// of threads.
Expected<void> find_fault(const Model& model, uint32_t threads, size_t max_states = 100'000);

}  // namespace fencepost::fair
