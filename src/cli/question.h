#pragma once
// A question as one JSON object, and its answer as another (docs/howto/serve.md has both forms): a command line, with
// the texts that it is about. `serve` runs it in a process of its own; ask.cc, for a page in a browser, in its own.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace fencepost::cli {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;  // name, text

struct Question {
  std::vector<std::string> arguments;  // the words after "fencepost"
  NamedTexts files;
};

// What the line asks, or why it asks nothing. `id` is filled as soon as it is known, so that the error carries it.
// Precondition: `id` is null.
Expected<Question> parse_question(const std::string& line, nlohmann::json& id);

// The files of a question in a folder. Error: one cannot be written.
Expected<void> write_files(const Question& q, const std::string& folder);
// The texts that lie there after the command has run and that the question did not bring: pictures, changed tests.
NamedTexts files_made(const Question& q, const std::string& folder);

struct Said {
  int status;
  std::string out, err;
  NamedTexts made;
};
nlohmann::json answer_form(const nlohmann::json& id, const Said& said);
nlohmann::json refusal_form(const nlohmann::json& id, const Diagnostics& why);
std::string line_of(const nlohmann::json& answer);  // with its end

}  // namespace fencepost::cli
