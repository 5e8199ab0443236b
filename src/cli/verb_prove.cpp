#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "cli/ci_forms.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/untrusted.h"
#include "cli/verbs.h"
#include "cli/worker.h"
#include "driver/gate.h"
#include "launch/options.h"

namespace fencepost::cli {
namespace {

constexpr double k_preset = 300;  // of --timeout, which is for one kernel

// How many questions a file can ask, by its words and those of the files that it includes with "...", at least 1: a
// kernel is asked about at each of its launches, and one launch of a template may be of several kernels. What a macro
// makes is not counted. It is a bound for what does not end by itself: each question has its own time.
double questions_in(const std::string& path) {
  constexpr double k_instances = 4;
  constexpr size_t k_most_files = 64;
  std::vector<std::filesystem::path> files{path};
  double n = 0;
  bool templates = false;
  for (size_t k = 0; k < files.size(); ++k) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(files[k], failed) ||
        std::filesystem::file_size(files[k], failed) > (1u << 24))
      continue;
    std::ifstream in(files[k], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    templates = templates || text.find("template") != std::string::npos;
    for (const std::string_view word : {"kernel", "__global__", "<<<", "cudaLaunch", "#include"})
      for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
    for (size_t at = text.find("#include \""); at != std::string::npos; at = text.find("#include \"", at + 1)) {
      const size_t begin = at + 10, end = text.find_first_of("\"\n", begin);
      if (end == std::string::npos || text[end] != '"') continue;
      const auto next = (files[k].parent_path() / text.substr(begin, end - begin)).lexically_normal();
      if (files.size() < k_most_files && std::ranges::find(files, next) == files.end()) files.push_back(next);
    }
  }
  return std::max(templates ? k_instances * n : n, 1.0);
}

// What the worker must know beforehand; the rest of the command line is the verifier's.
Expected<Limits> limits_in(std::vector<std::string>& words, bool untrusted, const std::vector<std::string>& files) {
  Limits limits{0, *parse_memory(Settings{}.memory)};
  bool suite = false, mutants = false, given = false;
  double timeout = k_preset, budget = 0;
  for (auto it = words.begin(); it != words.end();) {
    constexpr std::string_view k_memory = "--memory=", k_timeout = "--timeout=", k_budget = "--budget=";
    suite = suite || it->starts_with("--suite");
    mutants = mutants || it->starts_with("--mutants");
    if (it->starts_with(k_timeout)) std::from_chars(it->data() + k_timeout.size(), it->data() + it->size(), timeout);
    if (it->starts_with(k_budget)) std::from_chars(it->data() + k_budget.size(), it->data() + it->size(), budget);
    if (!it->starts_with(k_memory)) {
      ++it;
      continue;
    }
    const auto memory = parse_memory(it->substr(k_memory.size()));
    if (!memory)
      return error_at({}, "'" + *it + "' is not a size of memory", "--memory=8G, --memory=512M or --memory=none");
    limits.memory = *memory;
    given = true;
    it = words.erase(it);
  }
  // The files of a suite have processes of their own, with limits of their own.
  if (suite && !given) limits.memory = 0;
  if (!untrusted && !suite && !mutants && timeout > 0 && files.size() == 1)
    limits.seconds = timeout * questions_in(files[0]);
  // A suite ends by itself, and says which files are left. A file's worker ends by itself a little before its time, so
  // that kernels that are decided by then are not lost.
  if (!suite && budget > 0)
    limits.seconds = limits.seconds > 0 ? std::min(limits.seconds, budget) : budget;
  else if (limits.seconds > 0)
    words.insert(words.begin(), fmt::format("--budget={:g}", limits.seconds)), limits.each = true;
  return limits;
}

// As driver::prove would say it.
std::string gave_up_json(const std::string& path, std::string said) {
  for (const std::string_view begin : {"fencepost: ", "error: "})
    if (said.starts_with(begin)) said.erase(0, begin.size());
  return fmt::format(
      "{{\n  \"schema\": \"fencepost.prove/1\",\n  \"path\": {},\n  \"answer\": \"gave_up\",\n"
      "  \"kernels\": [],\n  \"diagnostics\": [\n    {{\n      \"severity\": \"error\",\n"
      "      \"message\": {}\n    }}\n  ]\n}}\n",
      json_string(path), json_string(said.substr(0, said.find('\n'))));
}

// prove --untrusted; `words` without that.
int prove_untrusted(std::vector<std::string> words, const Limits& limits, const Console& console,
                    const std::string& alone) {
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
                 [&](const Console& c) { return driver::prove(words, {.out = c.out, .err = c.err}, alone); });
}

// `--format junit`, or a file of --output whose ending is .xml and no --format: `words` ask for JSON then, of which
// JUnit's XML is made.
bool take_junit(std::vector<std::string>& words) {
  bool asked = false, chosen = false, xml = false;
  for (size_t k = 0; k < words.size(); ++k) {
    const size_t equals = words[k].find('=');
    const std::string name = words[k].substr(0, equals);
    std::string* value = equals == std::string::npos && k + 1 < words.size() ? &words[k + 1] : nullptr;
    const std::string text = value != nullptr ? *value : equals == std::string::npos ? "" : words[k].substr(equals + 1);
    const auto means = [&](std::string_view option) { return name.size() > 3 && option.starts_with(name); };
    if (name == "--json") chosen = true;
    if (means("--format")) {
      chosen = true;
      if (text != "junit") continue;
      asked = true;
      (value != nullptr ? *value : words[k]) = value != nullptr ? "json" : name + "=json";
    } else if (means("--output") || name == "-o") {
      xml = std::filesystem::path(text).extension() == ".xml";
    }
  }
  return asked || (xml && !chosen);
}

// One file of those that are named, in a process of its own.
struct Proved {
  int code = k_exit_internal;
  std::string out, err;
};

// Several reports of SARIF in one: each file stays a run.
std::string joined_sarif(const std::vector<std::string>& reports) {
  nlohmann::ordered_json all;
  for (const std::string& r : reports) {
    auto one = nlohmann::ordered_json::parse(r);
    if (all.is_null())
      all = std::move(one);
    else
      for (auto& run : one["runs"]) all["runs"].push_back(std::move(run));
  }
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Several files, or JUnit's form. A file's time ends with that of the command (--budget), and a file that has none left
// is not decided.
int prove_each(const std::vector<std::string>& words, bool untrusted, const driver::Named& named, bool junit,
               const Console& console) {
  using launch::Form;
  const bool several = named.kernels.size() > 1;
  if (several && untrusted)
    return report_errors(console, error_at({}, "--untrusted is of one file", "ask for each file by itself").error());
  if (several && named.form == Form::html)
    return report_errors(console, error_at({}, "a page of prove is of one file",
                                           "fencepost audit -o page.html FILE... makes one page of several")
                                      .error());
  const auto begin = std::chrono::steady_clock::now();
  std::string text;
  std::vector<std::string> reports;
  int code = k_exit_holds;
  for (const std::string& file : named.kernels) {
    std::vector<std::string> own = words;
    auto limits = limits_in(own, untrusted, {file});
    if (!limits) return report_errors(console, limits.error());
    Proved p;
    Console held = console;
    held.out = [&](std::string_view s) { p.out += s; };
    held.err = [&](std::string_view s) { p.err += s; };
    held.err_is_terminal = false;
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (named.budget > 0 && spent >= named.budget) {
      p.code = k_exit_undecided;
      p.err = fmt::format("{}: not decided: the --budget of {:g} s is spent\n", printable_name(file), named.budget);
    } else {
      if (named.budget > 0) limits->seconds = std::min(limits->seconds, named.budget - spent);
      p.code = untrusted ? prove_untrusted(own, *limits, held, file)
                         : in_worker(*limits, held, false, file, [&](const Console& c) {
                             return driver::prove(own, {.out = c.out, .err = c.err}, file);
                           });
    }
    code = worse(code, p.code);
    if (named.form == Form::text) {
      if (!named.output.empty()) {
        text += p.out + p.err;
        continue;
      }
      if (!p.err.empty()) console.err(p.err);
      if (!p.out.empty()) console.out(p.out);
      continue;
    }
    // Nothing is printed by a process that was ended.
    const bool silent = p.out.empty();
    if (!p.err.empty()) console.err(p.err);
    if (silent) p.out = gave_up_json(file, p.err);
    if (silent && named.form == Form::sarif) p.out = sarif_of("prove", {p.out}, p.code);
    reports.push_back(std::move(p.out));
  }
  if (named.form == Form::text) {
    if (named.output.empty()) return code;
  } else {
    text = junit ? junit_of("prove", reports) : named.form == Form::sarif ? joined_sarif(reports) : json_list(reports);
  }
  return worse(code, put(console, named.output, text));
}

}  // namespace

int run_prove(const std::vector<std::string>& args, const Console& console) {
  std::vector<std::string> words(args.begin() + 1, args.end());
  // Before anything looks into the file.
  const bool untrusted = std::erase_if(words, asks_untrusted) > 0;
  const bool junit = take_junit(words);
  // The words by themselves, without what is the worker's.
  std::vector<std::string> own = words;
  std::erase_if(own, [](const std::string& w) { return w.starts_with("--memory="); });
  const auto named = driver::named_in(own);
  const std::vector<std::string> files = named ? named->kernels : std::vector<std::string>{};
  if (named && named->one_by_one && (files.size() > 1 || (junit && !files.empty())))
    return prove_each(words, untrusted, *named, junit, console);
  const auto limits = limits_in(words, untrusted, files);
  if (!limits) return report_errors(console, limits.error());
  // A worker that gives up has printed nothing, and who asked for JSON or SARIF gets some.
  const launch::Form form = named && named->output.empty() ? named->form : launch::Form::text;
  bool printed = false;
  std::string said;
  Console watched = console;
  watched.out = [&](std::string_view text) { console.out(text), printed = true; };
  watched.err = [&](std::string_view text) { console.err(text), said += text; };
  const int code = untrusted ? prove_untrusted(words, *limits, watched, "")
                             : in_worker(*limits, watched, false, "", [&](const Console& c) {
                                 return driver::prove(words, {.out = c.out, .err = c.err});
                               });
  if (printed || code != k_exit_undecided) return code;
  const std::string gave_up = gave_up_json(files.empty() ? "" : files.front(), said);
  if (form == launch::Form::json) console.out(gave_up);
  if (form == launch::Form::sarif) console.out(sarif_of("prove", {gave_up}, code));
  return code;
}

}  // namespace fencepost::cli
