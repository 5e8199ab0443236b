#include "cli/ci_forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/uri.h"
#include "cli/help.h"
#include "draw/answer.h"

namespace fencepost::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Rule {
  const char *id, *name, *sentence;
};
constexpr Rule k_rules[] = {
    {"condition", "Condition", "What the test asks of its final states does not hold under the memory model."},
    {"races", "DataRace", "Two accesses of one place, one of them a write, are unordered: a data race."},
    {"termination", "Termination", "Some thread may run for ever under the progress model."},
    {"race", "DataRace", "Two threads access the same bytes, one of them writes, and nothing orders them."},
    {"other-defect", "OtherDefect", "A barrier that not all threads reach, or an assertion that does not hold."},
    {"missing-order", "MissingOrder", "A fence, a memory order or a scope is missing, at a small launch."},
    {"may-hang", "MayHang", "Some thread may wait for ever, at a small launch."},
    {"fence-not-needed", "FenceNotNeeded", "A fence or barrier changes nothing at the small launches that were asked."},
    {"expected", "Expected", "A verdict is another one than the one that is written down."},
    {"undecided", "Undecided", "The question was not decided within the bound, the budget or what is modelled."},
    {"input", "Input", "The file cannot be read."},
};

// One answer, whatever its schema.
struct Answer {
  enum class Kind : uint8_t { passed, failed, known, undecided, unread } kind = Kind::undecided;
  std::string rule, path, title, sentence, at;  // `at`: "FILE:LINE" or "FILE:LINE:COLUMN", "" where none is known
  std::vector<std::pair<std::string, std::string>> also;  // other places, and what is there
  std::string fingerprint;                                // of the same finding in the next version of the file
  double seconds = 0;
};

std::string text(const Json& j, const char* key) { return j.contains(key) && j[key].is_string() ? j[key] : ""; }

// "a.litmus#MP" names a test of a file that holds several; a folder or file may have a '#' in its name too. The longest
// part before a '#' that is a file is meant; where none is, what stands before the last '#'.
std::string file_of(const std::string& path) {
  std::error_code ignored;
  std::string part = path;
  for (size_t end = path.size(); end != std::string::npos;
       end = end == 0 ? std::string::npos : path.rfind('#', end - 1)) {
    part = path.substr(0, end);
    if (std::filesystem::is_regular_file(part, ignored)) return part;
  }
  return path.substr(0, path.rfind('#'));
}

Answer of_check(const Json& j) {
  Answer a;
  a.path = text(j, "path");
  a.title = text(j, "title");
  a.rule = text(j, "property");
  a.at = text(j, "place");
  const std::string verdict = text(j, "verdict");
  const std::string asked = a.rule == "condition" ? text(j, "question") : a.rule;
  a.kind = verdict == "holds"   ? Answer::Kind::passed
           : verdict == "fails" ? Answer::Kind::failed
                                : Answer::Kind::undecided;
  a.sentence = fmt::format("{}, {}: {} under {}", a.path, asked, verdict, text(j, "model"));
  if (const std::string launch = text(j, "launch"); !launch.empty()) a.sentence += ", launch " + launch;
  if (const std::string why = text(j, "detail"); !why.empty()) a.sentence += ": " + why;
  const Json race = j.value("race", Json::array());
  std::string accesses;
  for (const Json& x : race) {
    const std::string what = fmt::format("{} in P{}", text(x, "text"), x.value("thread", 0));
    accesses += (accesses.empty() ? ": " : " and ") + what;
    if (&x != &race.front() && !text(x, "place").empty()) a.also.emplace_back(text(x, "place"), what);
  }
  a.sentence += accesses;
  if (j.contains("statistics") && j["statistics"].contains("seconds")) a.seconds = j["statistics"]["seconds"];
  return a;
}

std::vector<Answer> of_error(const Json& j) {
  std::vector<Answer> out;
  for (const Json& d : j.value("diagnostics", Json::array())) {
    if (text(d, "severity") != "error") continue;
    Answer a;
    const bool unsupported = d.value("unsupported", false);
    a.kind = unsupported ? Answer::Kind::undecided : Answer::Kind::unread;
    a.rule = "input";
    a.path = a.title = text(j, "path");
    a.at = text(d, "location");
    a.sentence = text(d, "message");
    if (const std::string hint = text(d, "hint"); !hint.empty()) a.sentence += " (" + hint + ")";
    out.push_back(std::move(a));
  }
  return out;
}

// A page of audit: its findings, what is not decided, and each kernel with neither.
std::vector<Answer> of_audit(const Json& page) {
  std::vector<Answer> out;
  for (const Json& f : page["files"]) {
    Answer of_file;
    of_file.path = of_file.title = text(f, "path");
    of_file.rule = "input";
    for (const auto& [key, kind] : {std::pair("error", Answer::Kind::unread), {"not_read", Answer::Kind::undecided}})
      if (of_file.sentence = text(f, key); !of_file.sentence.empty()) {
        of_file.kind = kind;
        out.push_back(of_file);
      }
    for (const Json& k : f["kernels"]) {
      Answer a;
      a.path = text(f, "path");
      a.title = text(k, "name");
      for (const Json& x : k["findings"]) {
        a.kind = x.value("known", false) ? Answer::Kind::known : Answer::Kind::failed;
        a.rule = text(x, "kind");
        a.at = text(x, "location");
        a.fingerprint = text(x, "fingerprint");
        a.sentence = fmt::format("{}{}, at {}", text(x, "message"),
                                 x.value("confirmed", false) ? "" : " (not confirmed)", text(x, "launch"));
        if (const std::string advice = text(x, "advice"); !advice.empty()) a.sentence += ": " + advice;
        out.push_back(a);
      }
      a.fingerprint.clear();
      a.at = text(k, "location");
      for (const Json& o : k["not_decided"]) {
        a.kind = Answer::Kind::undecided;
        a.rule = text(o, "question");
        a.sentence = fmt::format("{}: {}", a.rule, text(o, "why"));
        if (const std::string launch = text(o, "launch"); !launch.empty()) a.sentence += " (" + launch + ")";
        out.push_back(a);
      }
      if (!k["findings"].empty() || !k["not_decided"].empty()) continue;
      a.kind = Answer::Kind::passed;
      a.rule = "race";
      a.sentence = "nothing found";
      out.push_back(a);
    }
  }
  return out;
}

// A place of prove: null, or file, line and column.
std::string place_of(const Json& j) {
  if (!j.is_object() || !j.contains("file")) return "";
  return fmt::format("{}:{}:{}", text(j, "file"), j.value("line", 1), j.value("column", 1));
}

// "blockDim=64, gridDim=4"; the sizes of a launch are numbers, or "*".
std::string launch_of_prove(const Json& j, bool cuda) {
  std::string out;
  for (const auto& [key, word] : {std::pair("local_size", cuda ? "blockDim" : "local_size"),
                                  std::pair("num_groups", cuda ? "gridDim" : "num_groups")}) {
    std::vector<std::string> sizes;
    for (const Json& n : j.value(key, Json::array()))
      sizes.push_back(n.is_string() ? n.get<std::string>() : std::to_string(n.get<uint64_t>()));
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", word, fmt::join(sizes, ","));
  }
  return out;
}

// What prove says of one file: each kernel with its launch, each defect of it, and why a file was not read.
std::vector<Answer> of_prove(const Json& j) {
  std::vector<Answer> out;
  const std::string path = text(j, "path");
  for (const Json& k : j["kernels"]) {
    Answer a;
    a.path = path;
    a.rule = "race";
    a.at = text(k, "at");
    a.seconds = k.value("seconds", 0.0);
    // CUDA has a row for each launch of a kernel; elsewhere one launch is of all.
    const bool cuda = text(j, "dialect") == "cuda";
    const Json at_launch = k.value("launch", cuda ? Json() : j.value("launch", Json()));
    const std::string launch = at_launch.is_object() ? launch_of_prove(at_launch, cuda) : "";
    a.title = text(k, "name") + (launch.empty() ? "" : ", " + launch);
    const std::string verdict = text(k, "verdict"), detail = text(k, "detail");
    const bool vacuous = k.value("vacuous", false);
    const Answer of_kernel = a;
    for (const Json& f : k["findings"]) {
      a.kind = Answer::Kind::failed;
      a.rule = text(f, "kind") == "data-race" ? "race" : "other-defect";
      if (const std::string at = place_of(f.value("place", Json())); !at.empty()) a.at = at;
      a.sentence = fmt::format("{}: {}", text(k, "name"), text(f, "message"));
      if (const std::string values = text(f, "values"); !values.empty())
        a.sentence += fmt::format(" (confirmed by a run: {})", values);
      else if (text(f, "kind") == "data-race")
        a.sentence += f.value("confirmed", false) ? " (confirmed by a run)" : " (not confirmed)";
      if (const std::string numbers = text(f, "numbers"); !numbers.empty()) a.sentence += ", " + numbers;
      out.push_back(a);
      a = of_kernel;
    }
    if (verdict == "holds" && !vacuous && k["findings"].empty()) {
      a.kind = Answer::Kind::passed;
      a.sentence = "verified";
      out.push_back(a);
    } else if (verdict != "fails" || k["findings"].empty() || !detail.empty()) {
      a.kind = verdict == "not_read"                         ? Answer::Kind::unread
               : verdict == "fails" && k["findings"].empty() ? Answer::Kind::failed
                                                             : Answer::Kind::undecided;
      a.sentence = fmt::format("{}: {}", text(k, "name"),
                               vacuous          ? "no two threads meet the preconditions"
                               : detail.empty() ? verdict
                                                : detail);
      out.push_back(a);
    }
  }
  const auto open = [](const Answer& a) { return a.kind != Answer::Kind::passed; };
  const std::string answer = text(j, "answer");
  if (answer == "verified" || std::ranges::any_of(out, open)) return out;
  Answer of_file;
  of_file.path = of_file.title = path;
  of_file.rule = "input";
  of_file.kind = answer == "bad_input" ? Answer::Kind::unread : Answer::Kind::undecided;
  of_file.sentence = answer;
  for (const Json& d : j.value("diagnostics", Json::array()))
    if (text(d, "severity") == "error") {
      of_file.at = text(d, "location");
      of_file.sentence = text(d, "message");
      break;
    }
  out.push_back(of_file);
  return out;
}

// A line of what is expected, of the verb expect.
Answer of_expected(const Json& j) {
  Answer a;
  a.path = text(j, "path");
  a.title = fmt::format("{}{}{}", text(j, "model"), text(j, "model").empty() ? "" : ", ", text(j, "property"));
  a.rule = "expected";
  const std::string outcome = text(j, "outcome");
  a.kind = outcome == "passed"       ? Answer::Kind::passed
           : outcome == "unreadable" ? Answer::Kind::unread
           : outcome == "skipped"    ? Answer::Kind::undecided
                                     : Answer::Kind::failed;
  a.sentence = fmt::format("{}: expected {}", a.title, text(j, "expected"));
  if (const std::string found = text(j, "found"); !found.empty()) a.sentence += ", found " + found;
  return a;
}

std::vector<Answer> answers_of(const std::vector<std::string>& objects) {
  std::vector<Answer> out;
  for (const std::string& o : objects) {
    const Json j = Json::parse(o);
    if (text(j, "schema").starts_with("fencepost.error/"))
      std::ranges::move(of_error(j), std::back_inserter(out));
    else if (text(j, "schema").starts_with("fencepost.audit/"))
      std::ranges::move(of_audit(j), std::back_inserter(out));
    else if (text(j, "schema").starts_with("fencepost.prove/"))
      std::ranges::move(of_prove(j), std::back_inserter(out));
    else if (text(j, "schema").starts_with("fencepost.expected/"))
      out.push_back(of_expected(j));
    else
      out.push_back(of_check(j));
  }
  return out;
}

// FILE:LINE or FILE:LINE:COLUMN; where there is none, the first line of the test's file.
Json location_of(const std::string& at, const std::string& path) {
  std::string file = at;
  std::vector<uint32_t> numbers;  // the last first
  while (numbers.size() < 2) {
    const size_t colon = file.rfind(':');
    if (colon == std::string::npos || colon + 1 == file.size() || file.size() - colon > 9 ||
        file.find_first_not_of("0123456789", colon + 1) != std::string::npos)
      break;
    numbers.push_back(static_cast<uint32_t>(std::stoul(file.substr(colon + 1))));
    file.resize(colon);
  }
  if (numbers.empty() || numbers.back() == 0) numbers = {1}, file = file_of(path);
  Json region = {{"startLine", numbers.back()}};
  if (numbers.size() == 2 && numbers.front() > 0) region["startColumn"] = numbers.front();
  return {{"physicalLocation", {{"artifactLocation", {{"uri", uri_of_path(file)}}}, {"region", region}}}};
}

std::string escaped(const std::string& s) {
  std::string out;
  for (const char c : s) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      out += "?";  // XML 1.0 has no such characters
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string sarif_of(const std::string& verb, const std::vector<std::string>& objects, int exit_code) {
  Json driver = {{"name", "fencepost " + verb},
                 {"semanticVersion", version().substr(version().find(' ') + 1)},
                 {"rules", Json::array()}};
  for (const Rule& r : k_rules)
    driver["rules"].push_back({{"id", r.id},
                               {"name", r.name},
                               {"shortDescription", {{"text", r.sentence}}},
                               {"defaultConfiguration", {{"level", draw::level_of(1)}}}});
  Json results = Json::array(), unread = Json::array();
  for (const Answer& a : answers_of(objects)) {
    if (a.kind == Answer::Kind::unread)
      unread.push_back({{"level", "error"},
                        {"message", {{"text", a.sentence}}},
                        {"locations", Json::array({location_of(a.at, a.path)})}});
    const bool undecided = a.kind == Answer::Kind::undecided;
    Json r = {{"ruleId", undecided ? "undecided" : a.rule}};
    // A result of another kind than "fail" has the level "none", which viewers do not show: no kind for what is open.
    r["kind"] = a.kind == Answer::Kind::passed ? "pass" : "fail";
    r["level"] = draw::level_of(a.kind == Answer::Kind::passed ? 0 : undecided ? 3 : 1);
    r["message"] = {{"text", a.sentence}};
    r["locations"] = Json::array({location_of(a.at, a.path)});
    for (const auto& [at, what] : a.also) {
      Json also = location_of(at, a.path);
      also["message"] = {{"text", what}};
      r["relatedLocations"].push_back(std::move(also));
    }
    if (!a.fingerprint.empty()) r["partialFingerprints"] = {{"fencepostAudit/v1", a.fingerprint}};
    if (a.kind == Answer::Kind::known)
      r["suppressions"] = Json::array({{{"kind", "external"}, {"justification", "in the baseline"}}});
    results.push_back(std::move(r));
  }
  const Json run = {{"tool", {{"driver", driver}}},
                    {"columnKind", "unicodeCodePoints"},
                    {"invocations", Json::array({{{"executionSuccessful", exit_code <= 1},
                                                  {"exitCode", exit_code},
                                                  {"toolExecutionNotifications", unread}}})},
                    {"results", results}};
  const Json all = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string junit_of(const std::string& verb, const std::vector<std::string>& objects) {
  const auto answers = answers_of(objects);
  const auto count = [&](auto kind) { return std::ranges::count_if(answers, kind); };
  const auto failed = count([](const Answer& a) { return a.kind == Answer::Kind::failed; });
  const auto open =
      count([](const Answer& a) { return a.kind == Answer::Kind::undecided || a.kind == Answer::Kind::unread; });
  double seconds = 0;
  for (const Answer& a : answers) seconds += a.seconds;
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"fencepost {}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" time=\"{:.6f}\">\n",
      verb, answers.size(), failed, open, seconds);
  for (const Answer& a : answers) {
    out += fmt::format("<testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"", escaped(a.path),
                       escaped(a.title + (a.rule == "input" ? "" : ", " + a.rule)), a.seconds);
    if (a.kind == Answer::Kind::passed) {
      out += "/>\n";
      continue;
    }
    if (a.kind == Answer::Kind::known) {
      out += fmt::format("><skipped message=\"known: {}\"/></testcase>\n", escaped(a.sentence));
      continue;
    }
    const char* word = a.kind == Answer::Kind::failed ? "failure" : "error";
    const char* type = a.kind == Answer::Kind::failed   ? "fails"
                       : a.kind == Answer::Kind::unread ? "input"
                                                        : "undecided";
    out += fmt::format(">\n<{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n</testcase>\n", word, type, escaped(a.sentence),
                       escaped(a.at));
  }
  return out + "</testsuite>\n</testsuites>\n";
}

}  // namespace fencepost::cli
