#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "cli/json.h"
#include "cli/untrusted.h"
#include "cli/verbs.h"
#include "cli/worker.h"
#include "driver/gate.h"

namespace fencepost::cli {
namespace {

constexpr double k_preset = 300;  // of --timeout, which is for one kernel

// How many questions a file can ask, by its words, at least 1: a kernel is asked about at each of its launches. What a
// macro makes is not counted, and neither is what stands in included files.
double questions_in(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed) || std::filesystem::file_size(path, failed) > (1u << 24))
    return 1;
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  double n = 0;
  for (const std::string_view word : {"kernel", "__global__", "<<<", "cudaLaunch", "#include"})
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return std::max(n, 1.0);
}

// What the worker must know beforehand; the rest of the command line is the verifier's.
Expected<Limits> limits_in(std::vector<std::string>& words, bool untrusted) {
  Limits limits{0, *parse_memory(Settings{}.memory)};
  bool suite = false, mutants = false, given = false;
  std::string file;
  double timeout = k_preset, budget = 0;
  size_t files = 0;
  for (auto it = words.begin(); it != words.end();) {
    constexpr std::string_view k_memory = "--memory=", k_timeout = "--timeout=", k_budget = "--budget=";
    suite = suite || it->starts_with("--suite");
    mutants = mutants || it->starts_with("--mutants");
    if (it->starts_with(k_timeout)) std::from_chars(it->data() + k_timeout.size(), it->data() + it->size(), timeout);
    if (it->starts_with(k_budget)) std::from_chars(it->data() + k_budget.size(), it->data() + it->size(), budget);
    if (!it->starts_with("-")) {
      ++files;
      file = *it;
    }
    if (!it->starts_with(k_memory)) {
      ++it;
      continue;
    }
    const auto memory = parse_memory(it->substr(k_memory.size()));
    if (!memory)
      return error_at({}, "'" + *it + "' is no size of memory", "--memory=8G, --memory=512M or --memory=none");
    limits.memory = *memory;
    given = true;
    it = words.erase(it);
  }
  // The files of a suite have processes of their own, with limits of their own.
  if (suite && !given) limits.memory = 0;
  if (!untrusted && !suite && !mutants && timeout > 0 && files == 1) limits.seconds = timeout * questions_in(file);
  // A suite ends by itself, and says which files are left.
  if (!suite && budget > 0) limits.seconds = limits.seconds > 0 ? std::min(limits.seconds, budget) : budget;
  return limits;
}

// As driver::prove would say it.
std::string gave_up_json(const std::vector<std::string>& words, std::string said) {
  std::string path;
  for (const std::string& w : words)
    if (!w.starts_with("-")) path = w;
  for (const std::string_view begin : {"fencepost: ", "error: "})
    if (said.starts_with(begin)) said.erase(0, begin.size());
  return fmt::format(
      "{{\n  \"schema\": \"fencepost.prove/1\",\n  \"path\": {},\n  \"answer\": \"gave_up\",\n"
      "  \"kernels\": [],\n  \"diagnostics\": [\n    {{\n      \"severity\": \"error\",\n"
      "      \"message\": {}\n    }}\n  ]\n}}\n",
      json_string(path), json_string(said.substr(0, said.find('\n'))));
}

// prove --untrusted; `words` without that.
int prove_untrusted(std::vector<std::string> words, const Limits& limits, const Console& console) {
  const auto named = driver::named_in(words);
  if (!named) return report_errors(console, named.error());
  if (!named->forbidden.empty())
    return report_errors(
        console,
        error_at({}, named->forbidden + " is not asked with --untrusted", "docs/untrusted.md says what is").error());
  if (limits.memory == 0)
    return report_errors(
        console,
        error_at({}, "--memory=none and --untrusted contradict each other", "give a size, as --memory=2G").error());
  const auto confinement =
      confinement_of(named->inputs, named->outputs, named->toolkits, {named->budget, limits.memory}, true);
  if (!confinement) return report_errors(console, confinement.error());
  if (named->budget <= 0) words.push_back(fmt::format("--budget={:g}", k_untrusted_seconds));
  return in_cage(*confinement, console, false, named->inputs.empty() ? "" : named->inputs.front(),
                 [&](const Console& c) { return driver::prove(words, {.out = c.out, .err = c.err}); });
}

}  // namespace

int run_prove(const std::vector<std::string>& args, const Console& console) {
  std::vector<std::string> words(args.begin() + 1, args.end());
  // Before anything looks into the file.
  const bool untrusted = std::erase_if(words, asks_untrusted) > 0;
  const auto limits = limits_in(words, untrusted);
  if (!limits) return report_errors(console, limits.error());
  // A worker that gives up has printed nothing, and who asked for JSON gets some.
  const bool json = std::find(words.begin(), words.end(), "--format=json") != words.end();
  bool printed = false;
  std::string said;
  Console watched = console;
  watched.out = [&](std::string_view text) { console.out(text), printed = true; };
  watched.err = [&](std::string_view text) { console.err(text), said += text; };
  const int code = untrusted ? prove_untrusted(words, *limits, watched)
                             : in_worker(*limits, watched, false, "", [&](const Console& c) {
                                 return driver::prove(words, {.out = c.out, .err = c.err});
                               });
  if (json && !printed && code == k_exit_undecided) console.out(gave_up_json(words, said));
  return code;
}

}  // namespace fencepost::cli
