#include "statistics.h"

#include <fmt/format.h>

#include "program.h"

namespace fencepost::fuzz {

void Statistics::add(const Record& r) {
  classes_.resize(classes().size());
  ++programs_;
  if (r.unread != 0) ++unread_;
  if (r.threads >= 3 && r.events >= 8) ++large_;
  for (size_t i = 0; i < classes_.size(); ++i) classes_[i] += (r.classes >> i) & 1;
  for (size_t k = 0; k < rules_.size(); ++k) rules_[k] += (r.rules >> k) & 1;
  for (size_t m = 0; m < r.models; ++m) {
    if (r.condition[m] >= 0) {
      ++cases_;
      ++condition_[static_cast<Status>(r.condition[m])];
    }
    if (r.races[m] >= 0) ++races_[static_cast<Status>(r.races[m])];
  }
  outcome_sets_ += r.outcome_sets;
  symmetric_ += r.symmetric;
  gave_up_ += r.gave_up;
  disagreements_ += r.disagreements;
}

std::string Statistics::text() const {
  const auto share = [](uint64_t part, uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  std::string out = fmt::format(
      "{} programs, {} cases decided by both engines, {} sets of outcomes compared, {} questions with symmetry, {} not "
      "answered in time\n",
      programs_, cases_, outcome_sets_, symmetric_, gave_up_);
  out += "conditions:";
  for (const auto& [s, n] : condition_) out += fmt::format(" {} {} ({:.1f} %)", name(s), n, share(n, cases_));
  out += "\nraces:";
  for (const auto& [s, n] : races_) out += fmt::format(" {} {}", name(s), n);
  out += fmt::format("\nthree or more threads and eight or more events: {:.1f} % of the programs\nclasses:",
                     share(large_, programs_));
  for (size_t i = 0; i < classes_.size(); ++i)
    out += fmt::format("{} {} {:.1f} %", i == 0 ? "" : ",", classes()[i], share(classes_[i], programs_));
  out += "\nrules:";
  for (size_t k = 0; k < rules_.size(); ++k)
    out += fmt::format("{} {} {:.1f} %", k == 0 ? "" : ",", bounds::name(static_cast<bounds::Rule>(k)),
                       share(rules_[k], programs_));
  out += fmt::format("\n{} programs not read, {} deaths, {} disagreements\n", unread_, deaths_, disagreements_);
  return out;
}

std::vector<std::string> Statistics::too_rare() const {
  std::vector<std::string> out;
  for (Status s : {Status::holds, Status::fails}) {
    const auto it = condition_.find(s);
    if (it == condition_.end() || it->second * 4 < cases_)
      out.push_back(fmt::format("'{}' is less than a quarter of the cases", name(s)));
  }
  if (large_ * 3 < programs_) out.emplace_back("less than a third of the programs have three threads and eight events");
  for (size_t i = 0; i < classes_.size(); ++i)
    if (classes_[i] * 20 < programs_)
      out.push_back(fmt::format("'{}' occurs in less than 5 % of the programs", classes()[i]));
  return out;
}

}  // namespace fencepost::fuzz
