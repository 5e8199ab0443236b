#pragma once
// --untrusted: the whole command is done by one process that can open nothing but the input's folder and what comes
// with the program (cage/cage.h). docs/untrusted.md says to people what that guards against and what not.
//
// Here: which verbs may be asked so, and what the command line lets the process open. The command line is believed; the
// files that it names are not.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cli/options.h"
#include "cli/worker.h"

namespace fencepost::cli {

inline constexpr double k_untrusted_seconds = 60;  // of wall time, where no budget is given

// The option as the verifier's command line has it, where a beginning of a name does.
bool asks_untrusted(const std::string& word);

// Why a verb is not asked so: it needs what the process must not have, or reads nothing. "" for those that are.
const char* never_untrusted(Verb v);
// Exit code 2: it is a verb that is not, or one of its options contradicts it.
Expected<void> check_untrusted(const CommandLine& line);

// What the command may open, from its operands and options. Error: an input lies in the root of the file system, so
// that its folder is everything.
Expected<Confinement> confinement_of(const CommandLine& line);

// The parts, for verbs with a command line of their own (prove). `inputs`: the files and folders that it names.
Expected<Confinement> confinement_of(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                                     const std::vector<std::string>& toolkits, const Limits& limits, bool kernels);

}  // namespace fencepost::cli
