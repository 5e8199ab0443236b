#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "classify/classify.h"

namespace fencepost::classify {
namespace {

using oracle::Fairness;
constexpr Fairness k_fairness[] = {Fairness::weak, Fairness::strong};

// "2t3i/22" -> {"2t3i", "22"}; without a slash the configuration is empty.
std::pair<std::string, std::string> split(const std::string& test) {
  const size_t slash = test.rfind('/');
  if (slash == std::string::npos) return {"", test};
  return {test.substr(0, slash), test.substr(slash + 1)};
}

}  // namespace

std::string table_name(std::string_view model) {
  std::string out(model);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == '+') c = '_';
  }
  return out;
}

Expected<Suite> decide_all(const std::vector<axb::Test>& tests, const std::vector<fair::Model>& models,
                           const oracle::Options& options) {
  Suite s;
  for (const fair::Model& m : models) s.models.push_back(table_name(m.name()));
  oracle::Decider decide(models, options);
  for (const axb::Test& t : tests) {
    s.tests.push_back(t.name.empty() ? fmt::format("#{}", s.tests.size() + 1) : t.name);
    s.threads = std::max(s.threads, static_cast<uint32_t>(t.threads.size()));
    auto verdicts = decide(t);
    if (!verdicts) return std::unexpected(verdicts.error());
    if (!*verdicts)
      return unsupported_at(t.span, fmt::format("test {} has more than {} states", s.tests.back(), options.max_states),
                            "raise the limit of states");
    s.verdicts.emplace_back((*verdicts)->begin(), (*verdicts)->end());
  }
  return s;
}

std::string to_text(const Suite& s) {
  size_t width = 4;
  for (const std::string& t : s.tests) width = std::max(width, t.size());
  std::string out;
  // A line of a name and one cell per model, without trailing blanks.
  auto line = [&](const std::string& first, auto&& cell) {
    std::string l = fmt::format("{:<{}}", first, width);
    for (size_t m = 0; m < s.models.size(); ++m)
      l += fmt::format("  {:<{}}", std::string(cell(m)), std::max<size_t>(3, s.models[m].size()));
    l.erase(l.find_last_not_of(' ') + 1);
    out += l + '\n';
  };
  line("test", [&](size_t m) { return s.models[m]; });
  line("", [&](size_t) { return "w s"; });
  for (size_t k = 0; k < s.tests.size(); ++k)
    line(s.tests[k], [&](size_t m) {
      const oracle::Pair& p = s.verdicts[k][m];
      return fmt::format("{} {}", p.weak ? 'P' : 'F', p.strong ? 'P' : 'F');
    });
  return out;
}

std::string to_csv(const Suite& s) {
  std::string out = "config,id,model,fairness,verdict\n";
  for (size_t k = 0; k < s.tests.size(); ++k) {
    const auto [config, id] = split(s.tests[k]);
    for (size_t m = 0; m < s.models.size(); ++m)
      for (Fairness f : k_fairness)
        out += fmt::format("{},{},{},{},{}\n", config, id, s.models[m], oracle::name(f),
                           passes(s.verdicts[k][m], f) ? "PASS" : "FAIL");
  }
  return out;
}

std::string to_json(const Suite& s) {
  nlohmann::ordered_json j;
  j["models"] = s.models;
  j["tests"] = nlohmann::ordered_json::array();
  for (size_t k = 0; k < s.tests.size(); ++k) {
    nlohmann::ordered_json t;
    t["test"] = s.tests[k];
    for (size_t m = 0; m < s.models.size(); ++m)
      for (Fairness f : k_fairness)
        t["verdicts"][s.models[m]][oracle::name(f)] = passes(s.verdicts[k][m], f) ? "pass" : "fail";
    j["tests"].push_back(std::move(t));
  }
  return j.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace fencepost::classify
