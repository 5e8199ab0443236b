#pragma once
// Many files, each decided as its own header lines say, and then once more: changed in a way that must not matter
// (`prove --suite DIR --again HOW`), or broken in many ways that must (`--mutants`).
//
// Answers are compared by what they decide (verified, a defect, refused at which stage, not decided), not by words.
#include "driver/gate.h"

namespace fencepost::driver {

// `words`: of the command line, read behind the words of each header. The exit code: 0 if all is well.
int suite_again(const launch::Options& o, const std::vector<std::string>& words, launch::AnswerFunction verify,
                const Output& output);

// The text without comments, lines kept; strings and character constants are left as they are.
std::string without_comments(const std::string& text);
// The words in another order, the same for the same words. Words that take the next one as their value stay with it.
std::vector<std::string> shuffled(const std::vector<std::string>& words);

}  // namespace fencepost::driver
