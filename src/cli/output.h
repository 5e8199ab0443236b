#pragma once
// Answers on their way to files. Standard output is the console's (cli/console.h); both check every write.
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "cli/console.h"

namespace fencepost::cli {

// An answer did not reach its reader whole: nothing that follows can mend that, so the verb is left. run() catches it
// and makes exit code 4 of it.
struct OutputLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Says that an answer was lost; nothing where its reader has closed the pipe, as `head` does, and wants no more.
void say_lost(const Console& console, const OutputLost& lost);
bool reader_is_gone();  // of standard output
// The text as `printable` has it, in a file. Error: the path cannot be opened for writing. Throws OutputLost.
Expected<void> write_output(const std::string& path, std::string_view text);
Expected<void> write_made(const std::string& path, const Expected<std::string>& text);  // or why there is no text
// The same, or to the console's output for "" and "-"; the exit code, 0 if it is there. Throws OutputLost.
int put(const Console& console, const std::string& path, std::string_view text);
// The ending of the path, one of those named (".csv"), picks the form of an answer; "" for text: no path, "-", ".txt"
// or no ending. Error: another ending, which would hold something that its name does not say.
Expected<std::string> form_of_ending(const std::string& path, std::initializer_list<std::string_view> forms);

}  // namespace fencepost::cli
