#pragma once
// The store of a hunt, an SQLite file. A batch of tests in one configuration is one transaction, so a hunt that was
// killed goes on where it was and ends with the same rows: what a batch gives depends on seed, number and configuration
// alone.
//
//   meta(key, value)                 schema, seed, size of a batch, language ("" for PTX), drawing: which version of
//                                    what a seed and a number draw ("" for the first); of PTX also gate: which gate
//                                    judged (gate_print.h)
//   batches(configuration, batch, states)     one letter a test: r right, a weakened as the model allows, f fault,
//                                             n named, x refused by the compiler, c the compiler failed; of programs
//                                             (findings/translation) also v vacuous, u undecided
//   findings(configuration, test, effect, culprit, detail)
//   faults(signature, ...)           reduced, one for each signature
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace fencepost::hunt {

struct Row {
  uint64_t test = 0;
  std::string effect, culprit, detail;  // name of the effect; the instruction; for refusals the compiler's message
};
struct Batch {
  std::string states;
  std::vector<Row> rows;
  bool timed_out = false;  // no test of it was compiled, since no program ended in its time; not kept
};
struct Fault {
  std::string signature, effect, culprit, configuration, test, reduced, detail, listing, right_listing, right_where;
  std::string known;                            // what is known of it, "" for new
  std::map<std::string, std::string> table;     // configuration -> "fault", "right", "not judged: ...", "refused: ..."
  std::map<std::string, std::string> listings;  // of PTX: configuration -> record of what it makes of `reduced`
  // Of programs: why the model of the source forbids the outcome, and the spelling with which the culprit is right.
  std::string reason, repair;
  std::string toolkit;  // versions of the programs that took part, beside the compiler's
};

// The same with texts that no Markdown acts on: prose by base/markdown.h, and no backticks in what stands in code.
Fault for_markdown(Fault f);

class Ledger {
 public:
  // Made when missing. Errors: no store of this program; one of another seed, language, drawing or size of batches; one
  // of PTX whose tests another gate has judged.
  static Expected<Ledger> open(const std::string& path, uint64_t seed, uint64_t batch_size,
                               const std::string& language = "", const std::string& drawing = "");
  // To read, whatever its seed.
  static Expected<Ledger> read(const std::string& path);
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  ~Ledger();

  Expected<bool> has(const std::string& configuration, uint64_t batch) const;
  Expected<void> add(const std::string& configuration, uint64_t batch, const Batch& b);
  // Further findings of batches that are there.
  Expected<void> note(const std::string& configuration, const std::vector<Row>& rows);
  Expected<std::vector<std::string>> configurations() const;
  Expected<std::map<uint64_t, std::string>> states(const std::string& configuration) const;  // by batch
  Expected<std::vector<Row>> findings(const std::string& configuration) const;               // by test
  Expected<void> keep(const Fault& f);  // replaces what it has of the signature
  Expected<std::vector<Fault>> faults() const;
  uint64_t seed() const;
  uint64_t batch_size() const;
  const std::string& language() const;
  bool is_of_this_gate() const;  // its PTX tests were judged by the gate of this program

 private:
  struct Inside;
  explicit Ledger(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace fencepost::hunt
