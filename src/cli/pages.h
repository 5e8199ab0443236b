#pragma once
// Manual pages and completions of shells, made from the help texts and the tables of options.h, so that an option
// is spelt in one place. `fencepost help --man` and `fencepost help --completion` print them; the installation calls
// both.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace fencepost::cli {

// A manual page in the macros of man(7). `text` has the shape of the help texts: "fencepost check - what it does",
// then sections whose head stands in column 0, options in column 4 and what they mean in column 8. `name` is the
// page's ("fencepost-check").
std::string manual_page(const std::string& name, std::string_view text);

enum class Shell : uint8_t { bash, zsh, fish };

// A verb as completions need it; "progress check" has two words.
struct CompletedVerb {
  std::string name, summary;
  struct Option {
    std::vector<std::string> spellings;  // "-j", "--jobs"
    std::vector<std::string> values;     // of a choice; "NAME" alone for the names of models
    bool takes_value = false;
    std::string help;  // one sentence
  };
  std::vector<Option> options;
};
// The options that a help text lists; for verbs that are not in the table of options.
std::vector<CompletedVerb::Option> options_in(std::string_view help);
std::string completion(Shell shell, const std::vector<CompletedVerb>& verbs);

// `args` are the words after "help", the first of which is --man or --completion. `help_of_prove` is the text of the
// verb whose options are not in the table.
Expected<std::string> page(const std::vector<std::string>& args, const std::function<std::string()>& help_of_prove);

}  // namespace fencepost::cli
