#pragma once
// Colours of verdicts and errors on a terminal, and answers that go to a file or nowhere: what --color, --output and
// --quiet ask of every verb alike.
#include <functional>
#include <string>
#include <string_view>

#include "cli/console.h"

namespace fencepost::cli {

// The lines of a text with their verdicts (a word of its own behind two spaces) and the words "error:" and "warning:"
// in colour. A line without any is as it was.
std::string coloured(std::string_view text);
// Whether a stream has colours. `when`: auto, always, never; auto: it is a terminal, and NO_COLOR is not set or empty.
bool has_colours(std::string_view when, bool is_terminal);

struct Answering {
  std::string file;             // "" and "-": standard output
  bool quiet = false;           // nothing is printed where the exit code is 0
  std::string colour = "auto";  // auto, always, never
  bool text = true;             // the answer is text for people
};
// Runs the body with a console that is so; the exit code, which is an error's if the file cannot be written.
int answer(const Answering& how, const Console& console, const std::function<int(const Console&)>& body);

}  // namespace fencepost::cli
