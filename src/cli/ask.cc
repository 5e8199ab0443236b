// fencepost-ask: one question on standard input, as `serve` takes it, and its answer on standard output. The command
// runs in this process, for places where there is no other: a page in a browser, which begins a new instance for each
// question. Built for this machine too, so that the tests can hold it against `serve`. Exit code 0: there is an answer,
// whatever it says.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "base/child.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "cli/question.h"
#include "cli/verbs.h"

namespace fencepost::cli {
namespace {

using json = nlohmann::json;

json answer_to(const std::string& line) {
  json id;
  const auto q = parse_question(line, id);
  if (!q) return refusal_form(id, q.error());
  const ScratchFolder folder;
  if (folder.path().empty()) return refusal_form(id, error_at({}, "there is no folder for the files").error());
  if (const auto ok = write_files(*q, folder.path()); !ok) return refusal_form(id, ok.error());
  if (::chdir(folder.path().c_str()) != 0)
    return refusal_form(id, error_at({}, "there is no folder for the files").error());
  Said said{k_exit_internal, {}, {}, {}};
  Console console;
  console.raw_out = [&](std::string_view text) { said.out += text; };
  console.out = [&](std::string_view text) { said.out += printable(text); };
  console.err = [&](std::string_view text) { said.err += printable(text); };
  console.raw_err = [&](std::string_view text) { said.err += text; };
  try {
    said.status = run(q->arguments, console);
  } catch (const std::exception& e) {
    said.err += std::string("fencepost: internal error: ") + e.what() + "\n";
  }
  said.made = files_made(*q, folder.path());
  if (::chdir("/") != 0) return refusal_form(id, error_at({}, "the folder of the files cannot be left").error());
  return answer_form(id, said);
}

}  // namespace
}  // namespace fencepost::cli

int main() {
  using namespace fencepost;
  const auto line = read_file("-", uint64_t{16} << 20);
  const std::string answer =
      cli::line_of(line ? cli::answer_to((*line)->text) : cli::refusal_form(nullptr, line.error()));
  if (std::fwrite(answer.data(), 1, answer.size(), stdout) != answer.size()) return cli::k_exit_internal;
  return std::fflush(stdout) == 0 ? 0 : cli::k_exit_internal;
}
