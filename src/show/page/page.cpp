#include "page/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/tell.h"
#include "draw/document.h"
#include "draw/xml.h"
#include "page/parts.h"
#include "stats/reproduce.h"

namespace fencepost::page {
namespace {

using analysis::count_text;
using analysis::rate_text;
using draw::escape_xml;
using draw::figure;
using draw::Rows;
using draw::section;
using draw::table;
using judge::Judgement;
using judge::Standing;

std::string interval_text(const stats::Interval& i) { return fmt::format("{:.2g} to {:.2g}", i.lower, i.upper); }
bool is_weakening(const Judgement& j) {
  return j.seen.test.title.find('~') != std::string::npos || j.seen.test.title.find("--") != std::string::npos;
}

std::string card(const std::string& title, const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string out = fmt::format("<div class=\"card\"><h3>{}</h3><dl>", escape_xml(title));
  for (const auto& [what, value] : facts)
    out += fmt::format("<dt>{}</dt><dd>{}</dd>", escape_xml(what), escape_xml(value));
  return out + "</dl></div>\n";
}

std::string counted(const std::map<std::string, std::set<std::string>>& tests) {
  std::string out;
  for (const auto& [what, names] : tests)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", names.size(), what.empty() ? "unknown" : what);
  return out;
}

std::string time_text(double seconds) {
  return seconds < 100 ? fmt::format("{:.3g} s", seconds) : count_text(seconds) + " s";
}

std::string device_cards(const Set& s) {
  std::string out;
  const analysis::Table& t = s.table;
  for (uint32_t d = 0; d < t.devices.size(); ++d) {
    size_t tests = 0, seen = 0;
    uint64_t instances = 0, weak = 0, corrupt = 0;
    double seconds = 0;
    for (const analysis::Row& r : s.analysis.rows) {
      if (r.device != d) continue;
      ++tests;
      seen += r.weak > 0 ? 1 : 0;
      instances += r.instances;
      weak += r.weak;
      corrupt += r.corrupt;
      seconds += r.seconds;
    }
    std::vector<std::pair<std::string, std::string>> facts = {{"tests", fmt::format("{}", tests)},
                                                              {"with the outcome seen", fmt::format("{}", seen)}};
    if (!t.sightings) {
      facts.push_back({"instances", count_text(static_cast<double>(instances))});
      facts.push_back({"weak outcomes", count_text(static_cast<double>(weak))});
    }
    if (seconds > 0) {
      facts.push_back({"time", time_text(seconds)});
      facts.push_back({"instances per second", count_text(static_cast<double>(instances) / seconds)});
    }
    if (d < t.facts.size()) {
      const analysis::Facts& f = t.facts[d];
      std::string names;
      for (const std::string& n : f.drivers) names += (names.empty() ? "" : "; ") + n;
      facts.insert(facts.begin(), {"driver", names});
      facts.push_back({"time in kernels", time_text(f.device_seconds)});
      facts.push_back({"round groups", count_text(static_cast<double>(f.groups))});
      facts.push_back({"tests, by what ran", counted(f.what_ran)});
      facts.push_back({"tests, by evidence", counted(f.evidence)});
      facts.push_back({"waits that timed out", f.waits == 0
                                                   ? "none waited"
                                                   : fmt::format("{:.2g} %", 100.0 * static_cast<double>(f.time_outs) /
                                                                                 static_cast<double>(f.waits))});
      facts.push_back({"corrupt", fmt::format("{}", corrupt)});
      if (f.incomplete > 0) facts.push_back({"incomplete", count_text(static_cast<double>(f.incomplete))});
    }
    out += card(t.devices[d], facts);
  }
  return out.empty() ? "" : "<div class=\"cards\">\n" + out + "</div>\n";
}

// ---- model and silicon --------------------------------------------------------------------------------
int colour_of(const Judgement& j) {
  if (j.standing == Standing::violated || j.standing == Standing::broken_run) return 2;
  if (j.standing == Standing::suspected) return 1;
  return j.condition == judge::Allowed::yes ? 0 : j.condition == judge::Allowed::no ? 3 : 5;
}

// Of the weaker tests of a forbidden one that the model allows and that ran under the same stress: how many, and how
// many showed their outcome. One-step weakenings of a campaign, and mutants that `suite --mutants` made.
struct Sensitivity {
  size_t ran = 0, seen = 0;
};
class AllSensitivity {
 public:
  explicit AllSensitivity(const judge::Judged& all) {
    for (const Judgement& j : all.list) {
      const size_t at = j.seen.test.title.find("--");
      if (at == std::string::npos || j.condition != judge::Allowed::yes || j.seen.instances == 0) continue;
      Sensitivity& t = mutants_[{j.seen.test.title.substr(0, at), j.seen.device, j.seen.configuration}];
      ++t.ran;
      t.seen += j.positive > 0 ? 1 : 0;
    }
  }
  Sensitivity of(const Judgement& j) const {
    Sensitivity t;
    if (const auto it = mutants_.find({j.seen.test.title, j.seen.device, j.seen.configuration}); it != mutants_.end())
      t = it->second;
    for (const judge::SeenWeakening& x : j.weakenings) {
      if (!x.ran || x.allowed != judge::Allowed::yes) continue;
      ++t.ran;
      t.seen += x.seen > 0 ? 1 : 0;
    }
    return t;
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, Sensitivity> mutants_;
};

constexpr size_t k_rows_of_a_figure = 20;

// The shape under which a test's rate stands: what is before its first tag (gen/cycle/name.h), without a number of
// threads. Names of other kinds are families of their own.
std::string family_of(std::string title) {
  if (const size_t dot = title.find('.');
      dot < 3 &&
      std::all_of(title.begin(), title.begin() + static_cast<int>(dot), [](char c) { return c >= '0' && c <= '9'; }))
    title.erase(0, dot + 1);
  size_t end = title.find_first_of("+@~");
  const auto directions = [&](size_t from, size_t to) {
    return to - from == 2 && title.find_first_not_of("RW", from) >= to;
  };
  if (title.starts_with("2+2W")) end = title.find_first_of("+@~", 4);
  for (size_t from = 0; end != std::string::npos && directions(from, end) && title[end] == '+';) {
    from = end + 1;
    const size_t next = std::min(title.find_first_of("+@~", from), title.size());
    if (!directions(from, next)) break;
    end = next == title.size() ? std::string::npos : next;
  }
  return title.substr(0, end);
}

std::string judgements(const Set& s, const Options& o) {
  if (!s.judged || s.judged->list.empty()) return "";
  const judge::Judged& all = *s.judged;
  const AllSensitivity sensitivity_of(all);
  std::vector<const Judgement*> own;
  for (const Judgement& j : all.list)
    if (!is_weakening(j)) own.push_back(&j);
  std::string out = "<div class=\"cards\">\n";
  std::map<std::string, size_t> standings;
  std::set<std::string> models;
  size_t forbidden = 0, bare = 0;
  for (const Judgement* j : own) {
    ++standings[judge::name(j->standing)];
    models.insert(j->model);
    if (j->condition == judge::Allowed::no) {
      ++forbidden;
      bare += sensitivity_of.of(*j).seen > 0 ? 0 : 1;
    }
  }
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& [what, n] : standings) facts.push_back({what, fmt::format("{}", n)});
  std::string judged_by;
  for (const std::string& m : models) judged_by += (judged_by.empty() ? "" : ", ") + m;
  facts.insert(facts.begin(), {"model", judged_by});
  out += card("Tests by standing", facts);
  out += card("Forbidden outcomes",
              {{"tests whose outcome the model forbids", fmt::format("{}", forbidden)},
               {"an allowed weakening was seen under the same stress", fmt::format("{}", forbidden - bare)},
               {"no weakening was seen: the absence says little", fmt::format("{}", bare)}});
  out += "</div>\n";
  std::stable_sort(own.begin(), own.end(), [](const Judgement* a, const Judgement* b) {
    if (a->standing != b->standing) return a->standing < b->standing;
    const auto rate = [](const Judgement* j) {
      return j->seen.instances == 0 ? 0 : static_cast<double>(j->positive) / static_cast<double>(j->seen.instances);
    };
    return rate(a) > rate(b);
  });
  const bool several = s.table.configurations.size() > 1, devices = s.table.devices.size() > 1;
  const auto label = [&](const Judgement& j) {
    return j.seen.test.title + (several ? " \u00B7 " + j.seen.configuration : "") +
           (devices ? " \u00B7 " + j.seen.device : "");
  };
  std::vector<Dot> allowed, others;
  Rows rows{{"test", "device", "configuration", "model says", "standing", "sensitivity", "seen", "of", "rate, 95 %",
             "per second, 95 %", "what ran"},
            {},
            6};
  for (const Judgement* j : own) {
    const bool seen = j->positive > 0;
    if (auto& marks = j->condition == judge::Allowed::yes ? allowed : others;
        marks.size() < o.most_marks && j->seen.instances > 0)
      marks.push_back(
          {label(*j), static_cast<double>(j->positive) / static_cast<double>(j->seen.instances), j->positive_rate, seen,
           colour_of(*j), j->standing == Standing::violated ? 'd' : 'o',
           seen ? fmt::format("{} seen", count_text(static_cast<double>(j->positive))) : judge::name(j->condition),
           family_of(j->seen.test.title)});
    std::string sensitivity = "-";
    if (j->condition == judge::Allowed::no) {
      const Sensitivity x = sensitivity_of.of(*j);
      sensitivity = x.ran == 0 ? "none ran" : fmt::format("{} of {}", x.seen, x.ran);
    }
    rows.rows.push_back(
        {j->seen.test.title, j->seen.device, j->seen.configuration, judge::name(j->condition), judge::name(j->standing),
         sensitivity, count_text(static_cast<double>(j->positive)), count_text(static_cast<double>(j->seen.instances)),
         seen ? interval_text(j->positive_rate) : fmt::format("below {:.2g}", j->positive_rate.upper),
         seen ? interval_text(j->positive_per_second) : fmt::format("below {:.2g}", j->positive_per_second.upper),
         j->seen.what_ran});
  }
  const std::string numbers = table("Each test on each device under each configuration", rows, o.most_rows);
  const auto plots = [&](const std::vector<Dot>& marks, const char* which, const char* caption) {
    const Axis axis = axis_of(marks);
    std::string figures;
    const std::vector<std::vector<Dot>> parts = in_figures(marks, k_rows_of_a_figure);
    for (size_t i = 0; i < parts.size(); ++i)
      figures += figure(parts.size() == 1 ? caption : fmt::format("{} ({} of {})", caption, i + 1, parts.size()),
                        dots({fmt::format("Rates of {} outcomes", which),
                              fmt::format("{} result{} on a logarithmic axis, by family; the table below has them all",
                                          parts[i].size(), parts[i].size() == 1 ? "" : "s")},
                             parts[i], "per instance", axis),
                        "");
    return figures.empty() ? "" : "<div class=\"plots\">\n" + figures + "</div>\n";
  };
  out += plots(allowed, "allowed",
               "Outcomes that the model allows: rate with its interval; an arrow begins at the bound of what was never "
               "seen") +
         plots(others, "forbidden",
               "Outcomes that the model forbids (green) or does not decide: bounds of their rates; a diamond is a "
               "violation") +
         numbers;
  std::string broken;
  for (const Judgement* j : own)
    if (j->standing == Standing::violated || j->standing == Standing::suspected || j->standing == Standing::broken_run)
      broken += fmt::format("<li class=\"bad\">{}</li>\n",
                            escape_xml(fmt::format("{} on {}: {}", j->seen.test.title, j->seen.device, j->reason)));
  if (!broken.empty()) out = "<ul>\n" + broken + "</ul>\n" + out;
  return out;
}

// ---- figure 4 -----------------------------------------------------------------------------------------
std::string splits(const Set& s, const Options& o) {
  const analysis::Table& t = s.table;
  std::string out;
  for (uint32_t d = 0; d < t.devices.size(); ++d) {
    struct One {
      std::string test;
      double sequential = 0, interleaved = 0, weak = 0;
    };
    std::vector<One> list;
    for (uint32_t k = 0; k < t.tests.size(); ++k) {
      One x{t.tests[k].name};
      bool any = false;
      for (uint32_t c = 0; c < t.configurations.size(); ++c)
        if (const auto& split = t.at(d, k, c).split) {
          any = true;
          x.sequential += static_cast<double>(split->sequential);
          x.interleaved += static_cast<double>(split->interleaved);
          x.weak += static_cast<double>(split->weak);
        }
      if (any) list.push_back(x);
    }
    if (list.empty()) continue;
    std::stable_sort(list.begin(), list.end(), [](const One& a, const One& b) {
      return a.weak / std::max(1.0, a.sequential + a.interleaved + a.weak) >
             b.weak / std::max(1.0, b.sequential + b.interleaved + b.weak);
    });
    // Several figures side by side, so that many tests use the width of the page; the last table has what no bar shows.
    const size_t marks = std::min<size_t>(list.size(), o.most_marks),
                 parts = (marks + k_rows_of_a_figure - 1) / k_rows_of_a_figure, each = (marks + parts - 1) / parts;
    for (size_t i = 0; i < parts; ++i) {
      std::vector<Bar> bars;
      Rows rows{{"test", "sequential", "interleaved", "weak", "weak share"}, {}, 1};
      const size_t end = i + 1 == parts ? list.size() : (i + 1) * each;
      for (size_t k = i * each; k < end; ++k) {
        const One& x = list[k];
        const std::string share = rate_text(x.weak / std::max(1.0, x.sequential + x.interleaved + x.weak));
        if (k < marks) bars.push_back({x.test, {x.sequential, x.interleaved, x.weak}, share});
        rows.rows.push_back({x.test, count_text(x.sequential), count_text(x.interleaved), count_text(x.weak), share});
      }
      out += figure(
          parts == 1 ? t.devices[d] : fmt::format("{} ({} of {})", t.devices[d], i + 1, parts),
          stacked_bars({"How instances ended on " + t.devices[d],
                        "Shares of sequential, interleaved and weak final states, a bar a test, most weak first"},
                       {"sequential", "interleaved", "weak"}, bars, true),
          table("Final states by kind", rows, o.most_rows));
    }
  }
  return out.empty() ? "" : "<div class=\"plots\">\n" + out + "</div>\n";
}

// ---- mutants ------------------------------------------------------------------------------------------
std::string mutants(const Set& s, const Options& o) {
  std::string out;
  const auto part = [&](const std::vector<analysis::Kill>& kills, const std::string& by) {
    if (kills.empty()) return;
    std::vector<Bar> bars;
    Rows rows{{by, "killed", "of", "score", "mean of the highest weak rates per second"}, {}, 1};
    for (const analysis::Kill& k : kills) {
      const std::string name = k.mutator.empty() ? "all" : k.mutator;
      bars.push_back({name,
                      {static_cast<double>(k.killed), static_cast<double>(k.mutants - k.killed)},
                      fmt::format("{}/{}", k.killed, k.mutants)});
      rows.rows.push_back({name, fmt::format("{}", k.killed), fmt::format("{}", k.mutants),
                           fmt::format("{:.1f} %", 100.0 * k.killed / k.mutants),
                           k.rate > 0 ? fmt::format("{:.4g}", k.rate) : "-"});
    }
    out += figure("Mutants killed, by " + by,
                  stacked_bars({"Mutants killed by " + by, "Share of mutants whose weak outcome was seen"},
                               {"killed", "not killed"}, bars, true),
                  table("Mutants by " + by, rows, o.most_rows));
  };
  part(s.analysis.kills, "mutator");
  if (s.analysis.kills_by_device.size() > 1) part(s.analysis.kills_by_device, "device");
  if (!s.analysis.kills_by_configuration.empty()) {
    std::vector<std::string> names;
    std::vector<Bar> groups;
    Rows rows{{"mutator"}, {}, 1};
    for (const auto& [configuration, kills] : s.analysis.kills_by_configuration) {
      names.push_back(s.table.configurations[configuration]);
      rows.head.push_back("under " + names.back());
    }
    for (size_t k = 0; k < s.analysis.kills.size(); ++k) {
      const std::string name = s.analysis.kills[k].mutator.empty() ? "all" : s.analysis.kills[k].mutator;
      Bar b{name, {}, ""};
      rows.rows.push_back({name});
      for (const auto& [configuration, kills] : s.analysis.kills_by_configuration) {
        b.parts.push_back(kills[k].mutants == 0 ? 0 : std::round(1000.0 * kills[k].killed / kills[k].mutants) / 10);
        rows.rows.back().push_back(fmt::format("{} of {}", kills[k].killed, kills[k].mutants));
      }
      groups.push_back(std::move(b));
    }
    out += figure(
        "Mutants killed under each stress, percent",
        grouped_bars({"Mutants killed under each stress",
                      "Percent of each mutator's mutants whose weak outcome was seen, a bar for each configuration"},
                     names, groups, 100),
        table("Mutants killed, by mutator and configuration", rows, o.most_rows));
  }
  if (!s.analysis.kills.empty() && !s.analysis.budgets.empty()) {
    Rows rows{{"seconds a test", "reproducible", "of"}, {}, 1};
    for (const analysis::BudgetRow& b : s.analysis.budgets)
      rows.rows.push_back({fmt::format("{:g}", b.seconds), fmt::format("{}", b.reproducible), fmt::format("{}", b.of)});
    out += table(fmt::format("One configuration for each test on all devices, at {:g} %",
                             100 * s.analysis.options.budget_reproducibility),
                 rows, o.most_rows);
  }
  if (!out.empty()) out = "<div class=\"plots\">\n" + out + "</div>\n";
  if (s.judged) {
    Rows rows{{"weakening", "device", "model says", "seen", "of", "rate, 95 %"}, {}, 3};
    for (const Judgement& j : s.judged->list)
      if (is_weakening(j))
        rows.rows.push_back(
            {j.seen.test.title, j.seen.device, judge::name(j.condition), count_text(static_cast<double>(j.positive)),
             count_text(static_cast<double>(j.seen.instances)),
             j.positive > 0 ? interval_text(j.positive_rate) : fmt::format("below {:.2g}", j.positive_rate.upper)});
    if (!rows.rows.empty())
      out += "<details><summary>Every weakening that ran</summary>\n" + table("Weakenings", rows, o.most_rows) +
             "</details>\n";
  }
  return out;
}

std::string certainty(const Set& s, const Options& o) {
  const analysis::Table& t = s.table;
  const std::string r = fmt::format("{:g} %", 100 * s.analysis.options.reproducibility);
  Rows seen{{"test", "device", "seen in", "best configuration", "rate", "95 %", "seen again with", "needed for " + r,
             "redundant"},
            {},
            4};
  Rows never{{"test", "device", "ran", "rate below", "all at once", "rule asks for", "rule"}, {}, 2};
  for (const analysis::Row& x : s.analysis.rows) {
    if (x.weak > 0)
      seen.rows.push_back(
          {t.tests[x.test].name, t.devices[x.device], fmt::format("{}/{}", x.seen_in, x.configurations),
           t.configurations[x.best],
           rate_text(static_cast<double>(x.best_weak) / std::max(1.0, static_cast<double>(x.best_instances))),
           interval_text(x.best_rate),
           x.reproducibility > 0.99999 ? "> 99.999 %" : fmt::format("{:.4g} %", 100 * x.reproducibility),
           count_text(x.needed), count_text(x.redundant)});
    else if (x.instances > 0)
      never.rows.push_back({t.tests[x.test].name, t.devices[x.device], count_text(static_cast<double>(x.instances)),
                            fmt::format("{:.2g}", x.bound), fmt::format("{:.2g}", x.bound_of_all),
                            x.absence > 0 ? count_text(x.absence) : "-",
                            x.absence <= 0 ? "seen nowhere"
                            : x.absent     ? "met"
                                           : "not met"});
  }
  std::string out;
  if (!seen.rows.empty()) out += table("Seen: reproducibility, and the iterations it needs", seen, o.most_rows);
  if (!never.rows.empty()) out += table("Never seen: what the absence is worth", never, o.most_rows);
  return out;
}

std::string stationarity(const Set& s, const Options& o) {
  if (s.analysis.steady.empty()) return "";
  Rows rows{{"test", "device", "configuration", "series", "result", "D", "p", "adjusted p", "var/mean"}, {}, 5};
  std::vector<const analysis::Steady*> sorted;
  for (const analysis::Steady& x : s.analysis.steady) sorted.push_back(&x);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->adjusted < b->adjusted; });
  for (const analysis::Steady* x : sorted)
    rows.rows.push_back({s.table.tests[x->test].name, s.table.devices[x->device],
                         s.table.configurations[x->configuration], x->series,
                         x->rejected ? "not stationary" : "not rejected",
                         fmt::format("{:.3f}", x->test_of.ks.statistic), fmt::format("{:.2g}", x->test_of.ks.p_value),
                         fmt::format("{:.2g}", x->adjusted), fmt::format("{:.3g}", x->dispersion)});
  return fmt::format("<p>{} of {} series are rejected at a false discovery rate of {:g} %.</p>\n",
                     s.analysis.unsteady_cells, s.analysis.steady.size(), 100 * s.analysis.options.false_discovery) +
         table("First 20 % against last 10 % of each series", rows, o.most_rows);
}

std::string one_set(const Set& s, const Options& o, size_t number) {
  const auto id = [&](const char* name) {
    return number == 0 ? std::string(name) : fmt::format("{}-{}", name, number + 1);
  };
  std::string out;
  out += section(id("devices"), "Devices", "", device_cards(s));
  out += section(id("model"), "Model and silicon",
                 "Every test beside what the memory model says of its outcome. A device is called violated only where "
                 "the machine code was the test as written.",
                 judgements(s, o));
  if (s.table.sightings) return out;
  out += section(id("kinds"), "Sequential, interleaved, weak",
                 "A final state is sequential when whole threads one after another explain it, interleaved when some "
                 "interleaving does, and else weak.",
                 splits(s, o));
  out += section(id("rates"), "Rates over configurations",
                 "How many configurations, or tests, have which rate, on a linear and a logarithmic axis.",
                 rate_histograms(s, o));
  out += section(id("arrivals"), "Time between weak outcomes",
                 "Instances from one weak outcome to the next, with the curve that independent instances would follow; "
                 "or weak outcomes by round, with Poisson's.",
                 arrivals(s, o));
  out += section(id("certainty"), "How sure",
                 "An outcome seen n times shows again with probability 1 - (1 - n/N)^N; one never seen has an upper "
                 "bound, and a rule how long a test must run before its absence says something.",
                 certainty(s, o));
  out += section(
      id("steady"), "Stationarity",
      "Whether rates changed while they were measured: Kolmogorov and Smirnov's test, all series judged together.",
      stationarity(s, o));
  out += section(id("tuning"), "Tuning", "The best configuration so far, in the order in which they were measured.",
                 tuning_curves(s, o));
  out += section(id("portable"), "Portable parameters",
                 "Combinations of test and device that still show the outcome when one configuration is chosen for all "
                 "of them, for each device, each test, or each combination.",
                 portability(s, o));
  out += section(
      id("together"), "Tests that go together",
      "R\u00B2 of the tests' rates over configurations: tuning a test with high values says much about the others.",
      correlations(s, o));
  out += section(
      id("mutants"), "Mutants",
      "Tests made one step weaker: stress that does not show their outcome would not have caught such a device.",
      mutants(s, o));
  return out;
}

// ---- the verdict ---------------------------------------------------------------------------------------
// PASS needs a model's word about every test, nothing seen that is forbidden, and stress that showed an allowed
// weakening of at least half of what is forbidden: silence alone says nothing.
draw::Verdict verdict_of(const std::vector<Set>& sets) {
  size_t judged = 0, bad = 0, open = 0, owed = 0, forbidden = 0, sensitive = 0;
  std::vector<std::string> named_bad, named_open;
  std::set<std::string> devices;
  const auto name_it = [](std::vector<std::string>& list, const Judgement& j) {
    if (list.size() < 5) list.push_back(fmt::format("{} on {}: {}", j.seen.test.title, j.seen.device, j.reason));
  };
  for (const Set& s : sets) {
    if (!s.judged) continue;
    owed += s.judged->owed.size();
    const AllSensitivity sensitivity_of(*s.judged);
    for (const Judgement& j : s.judged->list) {
      ++judged;
      devices.insert(j.seen.device);
      if (j.standing == Standing::violated || j.standing == Standing::broken_run) {
        ++bad;
        name_it(named_bad, j);
      } else if (j.standing != Standing::consistent) {
        ++open;
        name_it(named_open, j);
      }
      if (is_weakening(j) || j.condition != judge::Allowed::no) continue;
      ++forbidden;
      sensitive += sensitivity_of.of(j).seen > 0 ? 1 : 0;
    }
  }
  const auto results = [](size_t n) { return fmt::format("{} result{}", n, n == 1 ? "" : "s"); };
  if (judged == 0)
    return {draw::Tone::plain, "MEASURED", {"None of these sets is a store, so that no memory model is asked."}};
  const std::string of =
      fmt::format("of {} on {} device{}", results(judged), devices.size(), devices.size() == 1 ? "" : "s");
  draw::Verdict v;
  if (bad > 0) {
    v = {draw::Tone::bad,
         "FAIL",
         {fmt::format("{} {} contradict{} the model or {} corrupt.", bad, of, bad == 1 ? "s" : "",
                      bad == 1 ? "is" : "are")}};
    v.why.insert(v.why.end(), named_bad.begin(), named_bad.end());
    if (bad > named_bad.size()) v.why.push_back(fmt::format("and {} more", bad - named_bad.size()));
  } else if (open > 0 || owed > 0) {
    v = {draw::Tone::open, "INCOMPLETE", {}};
    if (open > 0) {
      v.why.push_back(
          fmt::format("{} {} {} not decided, or suspected without proof.", open, of, open == 1 ? "is" : "are"));
      v.why.insert(v.why.end(), named_open.begin(), named_open.end());
      if (open > named_open.size()) v.why.push_back(fmt::format("and {} more", open - named_open.size()));
    }
    if (owed > 0)
      v.why.push_back(
          fmt::format("{} that a plan asks for {} missing or not whole.", results(owed), owed == 1 ? "is" : "are"));
  } else if (forbidden == 0) {
    v = {draw::Tone::open, "INCOMPLETE", {fmt::format("None {} asks for what its model forbids.", of)}};
  } else if (sensitive == 0) {
    v = {draw::Tone::open,
         "INCOMPLETE",
         {fmt::format("None {} shows what its model forbids, but no weaker form of a forbidden test showed its outcome "
                      "either: this "
                      "stress would not have shown a fault.",
                      of)}};
  } else {
    // Where less than half of the weaker forms were seen, silence says little of most tests.
    const bool few = 2 * sensitive < forbidden;
    v = {few ? draw::Tone::open : draw::Tone::good,
         few ? "NOTHING FORBIDDEN SEEN" : "PASS",
         {fmt::format("None {} shows what its model forbids.", of)}};
    v.why.push_back(
        fmt::format("Of {} with an outcome that is forbidden, {} had a weaker form that showed it under "
                    "the same stress.",
                    results(forbidden), sensitive));
  }
  return v;
}

}  // namespace

std::string html(const std::vector<Set>& sets, const Options& o) {
  draw::Document page;
  page.title = o.title;
  page.verdict = verdict_of(sets);
  std::vector<std::string> models, devices, drivers;
  const auto once = [](std::vector<std::string>& list, const std::string& s) {
    if (!s.empty() && std::find(list.begin(), list.end(), s) == list.end()) list.push_back(s);
  };
  for (size_t i = 0; i < sets.size(); ++i) {
    const Set& s = sets[i];
    page.lead.push_back(fmt::format(
        "{}: {}, {} test{} on {} device{} under {} configuration{}{}", s.table.name, s.table.format,
        s.table.tests.size(), s.table.tests.size() == 1 ? "" : "s", s.table.devices.size(),
        s.table.devices.size() == 1 ? "" : "s", s.table.configurations.size(),
        s.table.configurations.size() == 1 ? "" : "s",
        s.table.sightings
            ? ""
            : fmt::format("; {} instances, {} weak outcomes", count_text(static_cast<double>(s.table.instances())),
                          count_text(static_cast<double>(s.table.weak())))));
    for (const std::string& d : s.table.devices) once(devices, d);
    for (const analysis::Facts& f : s.table.facts)
      for (const std::string& d : f.drivers) once(drivers, d);
    if (s.judged)
      for (const Judgement& j : s.judged->list) once(models, j.model);
    draw::Part part{fmt::format("set-{}", i + 1), s.table.name, one_set(s, o, i)};
    for (const std::string& r : s.table.remarks) part.body += fmt::format("<p>{}</p>\n", escape_xml(r));
    page.parts.push_back(std::move(part));
  }
  const auto fact = [&](const char* what, const std::vector<std::string>& values) {
    if (!values.empty()) page.rests_on.emplace_back(what, fmt::format("{}", fmt::join(values, "; ")));
  };
  fact("devices", devices);
  fact("drivers", drivers);
  fact("models", models);
  fact("intervals", {fmt::format("{:g} %", sets.empty() ? 95.0 : 100 * sets.front().analysis.options.level)});
  fact("made by", {o.made_by});
  page.foot =
      "Where a result has round groups they are the samples of its interval, which is widened by the spread between "
      "them. Sources of the methods: OOPSLA 2020, \u201CFoundations of Empirical Memory Consistency Testing\u201D; "
      "ASPLOS 2023, \u201CMC Mutants\u201D.";
  return draw::html(page);
}

}  // namespace fencepost::page
