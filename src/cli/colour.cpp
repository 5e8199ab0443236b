#include "cli/colour.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "base/printable.h"
#include "cli/output.h"

namespace fencepost::cli {
namespace {

constexpr const char *k_good = "\x1b[32m", *k_bad = "\x1b[1;31m", *k_open = "\x1b[33m", *k_end = "\x1b[0m";

struct Word {
  std::string_view text;
  const char* colour;
};
// The longer of two with one beginning first.
constexpr std::array k_verdicts = {Word{"holds", k_good},       Word{"verified", k_good},  Word{"passed", k_good},
                                   Word{"PASS", k_good},        Word{"fails", k_bad},      Word{"FAIL", k_bad},
                                   Word{"violated", k_bad},     Word{"vacuous", k_open},   Word{"unknown", k_open},
                                   Word{"unsupported", k_open}, Word{"undefined", k_open}, Word{"undecided", k_open},
                                   Word{"gave_up", k_open},     Word{"gave up", k_open},   Word{"not decided", k_open},
                                   Word{"not read", k_open},    Word{"suspected", k_open}, Word{"INCOMPLETE", k_open}};
constexpr std::array k_errors = {Word{"error:", k_bad}, Word{"warning:", k_open}, Word{"unsupported:", k_open}};

std::string in(const char* colour, std::string_view word) { return std::string(colour) + std::string(word) + k_end; }

// "PATH  holds  ...": the word behind two spaces, or at the begin of the line, and before a space or the end.
std::string line_of(std::string_view line) {
  for (const Word& w : k_errors) {
    const size_t at = line.find(w.text);
    if (at != std::string_view::npos && (at == 0 || line.substr(0, at).ends_with(": ")))
      return std::string(line.substr(0, at)) + in(w.colour, w.text) + std::string(line.substr(at + w.text.size()));
  }
  for (size_t at = 0; at != std::string_view::npos;) {
    const std::string_view rest = line.substr(at);
    for (const Word& w : k_verdicts) {
      const std::string_view behind = rest.starts_with(w.text) ? rest.substr(w.text.size()) : "x";
      if (behind.empty() || behind.starts_with("  ") || behind.starts_with(": "))
        return std::string(line.substr(0, at)) + in(w.colour, w.text) + std::string(behind);
    }
    at = line.find("  ", at);
    if (at != std::string_view::npos) at = line.find_first_not_of(' ', at);
  }
  return std::string(line);
}

}  // namespace

std::string coloured(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out += line_of(text.substr(0, end));
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

bool has_colours(std::string_view when, bool is_terminal) {
  const char* no = std::getenv("NO_COLOR");
  return when == "always" || (when == "auto" && is_terminal && (no == nullptr || *no == '\0'));
}

int answer(const Answering& how, const Console& console, const std::function<int(const Console&)>& body) {
  const bool to_file = !how.file.empty() && how.file != "-";
  const bool out_coloured = how.text && !to_file && has_colours(how.colour, console.out_is_terminal);
  const bool err_coloured = has_colours(how.colour, console.err_is_terminal);
  if (!to_file && !how.quiet && !out_coloured && !err_coloured) return body(console);
  const auto say = [&](std::string_view s) {
    if (out_coloured && console.raw_out)
      console.raw_out(coloured(printable(s)));
    else
      console.out(out_coloured ? coloured(s) : std::string(s));
  };
  const auto complain = [&](std::string_view s) {
    if (err_coloured && console.raw_err)
      console.raw_err(coloured(printable(s)));
    else
      console.err(err_coloured ? coloured(s) : std::string(s));
  };
  Console own = console;
  std::vector<std::pair<bool, std::string>> held;  // to standard error?
  std::string file;
  own.out = say;
  own.err = complain;
  if (how.quiet) {
    own.out = [&](std::string_view s) { held.emplace_back(false, s); };
    own.err = [&](std::string_view s) { held.emplace_back(true, s); };
    own.err_is_terminal = own.own_process = false;
  }
  if (to_file) {
    own.out = [&](std::string_view s) { file += s; };
    own.own_process = false;
  }
  int code = body(own);
  if (code != k_exit_holds)
    for (const auto& [to_err, text] : held) to_err ? complain(text) : say(text);
  if (!to_file || (file.empty() && (code == k_exit_bad_input || code == k_exit_internal))) return code;
  return worse(code, put(console, how.file, file));
}

}  // namespace fencepost::cli
