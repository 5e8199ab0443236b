#include "cli/fence_readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/job.h"
#include "prog/test.h"
#include "prog/weaken.h"

namespace fencepost::cli {

std::vector<Reading> readings_of(const cat::Model& model, ModelCache& models) {
  std::vector<Reading> out;
  const std::string stem = std::filesystem::path(model.path).stem().string();
  for (const auto& [question, taken] : model.variants)
    for (const auto& [name, node] : model.names) {
      if (!name.starts_with(question + "-") || name == question + "-" + taken) continue;
      const std::string answer = name.substr(question.size() + 1);
      std::string all;
      for (const auto& [q, a] : model.variants)
        all += fmt::format("{}{}={}", all.empty() ? "" : ",", q, q == question ? answer : a);
      const auto& m = models.get(fmt::format("{}[{}]", stem, all), model.dialect);
      if (m) out.push_back({fmt::format("{}={}", question, answer), &*m});
    }
  return out;
}

namespace {

class Asking {
 public:
  Asking(const relax::Session& session, const check::Options& options, double seconds)
      : session_(session), options_(options), seconds_(seconds) {}

  // Whether the condition, and absence of races where it is kept, holds of the variant.
  Status status(const prog::Choice& choice, const cat::Model& model) const {
    const prog::Test test = session_.variant(choice);
    Status all = Status::holds;
    for (const relax::PropertyState& p : session_.report().properties) {
      if (!p.kept || p.property == check::Property::termination) continue;
      check::Options o = options_;
      o.property = p.property;
      Job job = Job::with_budget(seconds_);
      const Status s = check::check(test, model, o, job).verdict.status;
      if (s == Status::fails) return s;
      if (s != Status::holds) all = s;
    }
    return all;
  }

 private:
  const relax::Session& session_;
  check::Options options_;
  double seconds_;
};

bool is_proxy_fence(const prog::Shape& s) { return s.mnemonic.starts_with("fence.proxy"); }

std::string list_of(const std::vector<std::string>& answers) {
  std::string out;
  for (const std::string& a : answers) out += (out.empty() ? "" : ", ") + a;
  return out;
}

// Answers under which the status is the one asked for, and those under which it is not known.
struct Split {
  std::vector<std::string> such, unknown;
};
Split split(const Asking& ask, const prog::Choice& choice, const std::vector<Reading>& readings, Status such) {
  Split out;
  for (const Reading& r : readings) {
    const Status s = ask.status(choice, *r.model);
    if (s == such)
      out.such.push_back(r.answer);
    else if (s != Status::holds && s != Status::fails)
      out.unknown.push_back(r.answer);
  }
  return out;
}
std::string undecided(const Split& s) {
  return s.unknown.empty() ? "" : fmt::format("; undecided under {}", list_of(s.unknown));
}

}  // namespace

std::string fence_readings(const relax::Session& session, const cat::Model& model, const check::Options& options,
                           double seconds, ModelCache& models) {
  const relax::Report& r = session.report();
  if (model.variants.empty() || r.mode == relax::Report::Mode::nothing || prog::needs_ptx9(r.asked) == nullptr)
    return "";
  const std::vector<Reading> readings = readings_of(model, models);
  const Asking ask(session, options, seconds);
  std::string out;
  if (r.mode == relax::Report::Mode::weaken) {
    for (uint32_t k = 0; k < r.sites.size(); ++k) {
      const auto& forms = r.sites[k].forms;
      const auto absent =
          std::find_if(forms.begin(), forms.end(), [](const prog::SiteForm& f) { return f.shape.absent; });
      if (!is_proxy_fence(forms[0].shape) || absent == forms.end() || r.each[k].kind != relax::SiteReport::Kind::needed)
        continue;
      const Split s =
          split(ask, session.alone(k, static_cast<uint32_t>(absent - forms.begin())), readings, Status::holds);
      out += s.such.empty() ? fmt::format("readings: {} of {} is needed under every answer{}\n", forms[0].text, k + 1,
                                          undecided(s))
                            : fmt::format("readings: {} of {} is not needed under {}{}\n", forms[0].text, k + 1,
                                          list_of(s.such), undecided(s));
    }
    return out;
  }
  for (size_t n = 0; r.repair && n < r.repair->fixes.size(); ++n) {
    const prog::Choice& c = r.repair->fixes[n].choice;
    bool fences = false;
    for (size_t k = 0; k < c.size(); ++k)
      fences = fences || (c[k] != 0 && is_proxy_fence(r.sites[k].forms[c[k]].shape));
    if (!fences) continue;
    const Split s = split(ask, c, readings, Status::fails);
    out += s.such.empty()
               ? fmt::format("readings: fix {} is enough under every answer{}\n", n + 1, undecided(s))
               : fmt::format("readings: fix {} is not enough under {}{}\n", n + 1, list_of(s.such), undecided(s));
  }
  return out;
}

}  // namespace fencepost::cli
