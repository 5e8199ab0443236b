#pragma once
// What a wrong test lacks of the phases of its mbarriers: `relax` knows fences, orders and scopes, and this the rest.
// An arrival of a thread that then issues copies says how many bytes they bring (expect_tx), and the waits of a thread
// on one mbarrier alternate their parity, beginning with 0 (PTX ISA 9.4, 9.7.15.16.5, 9.7.15.16.19).
//
// All places that break such a rule are changed at once; if the test then holds, those that need no change are taken
// back one by one. Every answer rests on verdicts of `check` about the changed test.
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "prog/test.h"
#include "relax/relax.h"

namespace fencepost::cli {

struct PhaseChange {
  std::vector<uint32_t> threads;  // with this instruction in this place of their code
  uint32_t instr = 0;
  std::string was, becomes;
  Span span;  // of the first
};
struct PhaseFix {
  std::vector<PhaseChange> changes;  // each is needed beside the others
  prog::Test test;
  std::vector<std::string> not_under, unknown_under;  // answers to questions of the model: "P2=strict"
};

// A fix, or none: where the test does not fail, has no such place, or does not hold after all changes. `asked`: with
// the question whose good answer is `holds`.
std::optional<PhaseFix> phase_fix(const prog::Test& asked, const cat::Model& model, const relax::Options& options,
                                  double seconds, ModelCache& models);
std::string phase_text(const PhaseFix& fix);

}  // namespace fencepost::cli
