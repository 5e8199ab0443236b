#include "cli/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/folder.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "cli/console.h"

namespace fencepost::cli {
namespace {

using json = nlohmann::json;
namespace fs = std::filesystem;

// Verbs that answer from their input. The others run devices or compilers, or keep a store: a terminal is their place.
constexpr std::array k_answering = {"check",
                                    "outcomes",
                                    "explain",
                                    "diff-models",
                                    "refine",
                                    "lint-model",
                                    "expect",
                                    "print",
                                    "emit",
                                    "models",
                                    "relax",
                                    "lower",
                                    "prove",
                                    "progress check",
                                    "help",
                                    "progress lts",
                                    "progress classify",
                                    "progress compare",
                                    "progress print",
                                    "progress models"};

// A plain relative path: it stays below the folder that it is in.
bool stays_below(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && !name.contains('\0') && path.is_relative() && path.lexically_normal() == path &&
         path.has_filename() &&
         std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".." || part == "."; });
}

bool answers(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return false;
  const std::string two = arguments.size() > 1 ? arguments[0] + " " + arguments[1] : arguments[0];
  return std::any_of(k_answering.begin(), k_answering.end(),
                     [&](std::string_view v) { return v == arguments[0] || v == two; });
}

// Is the text nested so deeply that a reader which calls itself would use up the stack?
bool too_deep(const std::string& line) {
  constexpr int k_deepest = 64;
  int depth = 0;
  bool quoted = false;
  for (size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (quoted && c == '\\')
      ++k;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > k_deepest)
      return true;
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

// The output as values, where it is JSON, one after the other; null where it is not.
json values_of(const std::string& text) {
  const json whole = json::parse(text, nullptr, false);
  if (!whole.is_discarded()) return json::array({whole});
  json all = json::array();
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    json one = json::parse(text.begin() + static_cast<ptrdiff_t>(at), text.begin() + static_cast<ptrdiff_t>(end),
                           nullptr, false);
    if (one.is_discarded()) return nullptr;
    all.push_back(std::move(one));
    at = end + 1;
  }
  return all;
}

// Forms that a command writes beside its output.
const std::vector<std::string> k_made = {".svg", ".dot", ".graphml", ".json", ".txt", ".html", ".litmus", ".bounds"};

}  // namespace

Expected<Question> parse_question(const std::string& line, json& id) {
  if (too_deep(line)) return error_at({}, "the line is nested too deeply", "64 levels at most");
  const json j = json::parse(line, nullptr, false);
  if (!j.is_object())
    return error_at({}, "the line is not a JSON object", R"({"id":1,"arguments":["check","mp.litmus"]})");
  Question q;
  if (j.contains("id")) id = j["id"];
  for (const auto& [key, value] : j.items())
    if (key != "id" && key != "arguments" && key != "files")
      return error_at({}, fmt::format("unknown field '{}'", key), "a question has id, arguments and files");
  if (!j.contains("arguments") || !j["arguments"].is_array() || j["arguments"].empty())
    return error_at({}, "'arguments' is not a list of words", R"("arguments":["check","mp.litmus"])");
  for (const json& a : j["arguments"]) {
    if (!a.is_string())
      return error_at({}, "'arguments' is not a list of words", R"("arguments":["check","mp.litmus"])");
    q.arguments.push_back(a);
    if (q.arguments.back().contains('\0')) return error_at({}, "a word of 'arguments' has a character 0 in it");
  }
  if (!answers(q.arguments))
    return error_at({}, fmt::format("'{}' is not asked here", q.arguments.front()),
                    "serve answers check, outcomes, explain, refine, relax, prove and others (docs/howto/serve.md)");
  if (std::find(q.arguments.begin(), q.arguments.end(), "-") != q.arguments.end())
    return error_at({}, "standard input has the questions", "give the text in 'files' and its name in 'arguments'");
  if (!j.contains("files")) return q;
  if (!j["files"].is_object()) return error_at({}, "'files' is not an object", R"("files":{"mp.litmus":"PTX ..."})");
  for (const auto& [name, text] : j["files"].items()) {
    if (!stays_below(name))
      return error_at({}, fmt::format("'{}' is not the name of a file", name), "a relative path without '.' and '..'");
    if (!text.is_string()) return error_at({}, fmt::format("the text of '{}' is not a string", name));
    q.files.emplace_back(name, text);
  }
  return q;
}

Expected<void> write_files(const Question& q, const std::string& folder) {
  for (const auto& [name, text] : q.files) {
    const fs::path path = fs::path(folder) / name;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (!write_file(path.string(), text)) return error_at({}, fmt::format("'{}' cannot be written", name));
  }
  return {};
}

NamedTexts files_made(const Question& q, const std::string& folder) {
  NamedTexts made;
  if (folder.empty()) return made;
  const auto found = files_below(folder, k_made);
  if (!found) return made;
  for (const std::string& path : *found) {
    const std::string name = path.substr(folder.size() + 1);
    if (std::ranges::any_of(q.files, [&](const auto& f) { return f.first == name; })) continue;
    if (const auto text = read_file(path)) made.emplace_back(name, (*text)->text);
  }
  return made;
}

json answer_form(const json& id, const Said& said) {
  json a = {{"schema", "fencepost.serve/1"}, {"id", id}, {"status", said.status}, {"messages", said.err}};
  if (json values = said.out.empty() ? json() : values_of(said.out); values.is_array())
    a["answers"] = std::move(values);
  else
    a["output"] = said.out;
  for (const auto& [name, text] : said.made) a["files"][name] = text;
  return a;
}

json refusal_form(const json& id, const Diagnostics& why) {
  std::string words;
  for (const Diagnostic& d : why.list) words += render(d);
  return {{"schema", "fencepost.serve/1"}, {"id", id}, {"status", k_exit_bad_input}, {"messages", words}};
}

std::string line_of(const json& answer) { return answer.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

}  // namespace fencepost::cli
