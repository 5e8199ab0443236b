#include "explorer/explorer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/job.h"
#include "draw/document.h"
#include "draw/xml.h"
#include "fair/model.h"
#include "oracle/oracle.h"
#include "page/plot.h"
#include "trial/trial.h"

namespace fencepost::explorer {
namespace {

using draw::escape_xml;
using fairness::Cell;
using fairness::Column;
using fairness::ColumnRow;
using fairness::Frequency;

// Filters without a script: the tests stand behind the radio buttons that choose among them.
const char* const k_style = R"(
.pick{display:flex;flex-wrap:wrap;gap:.3rem 1rem;margin:.6rem 0}
.tests>input{position:absolute;opacity:0}
.tests>label{display:inline-block;margin:0 .8rem .5rem 0;padding:.15rem .6rem;border:1px solid var(--rule);border-radius:1rem;cursor:pointer;font-size:.9rem}
.tests>input:checked+label{background:var(--c0);color:var(--ground)}
.tests>input:focus-visible+label{outline:2px solid var(--c0)}
#pick-weak:checked~.test:not(.weak),#pick-strong:checked~.test:not(.strong),#pick-starved:checked~.test:not(.starved),#pick-some:checked~.test:not(.some),#pick-never:checked~.test:not(.never){display:none}
.test{border-bottom:1px solid var(--rule)}
.test>summary{font-size:.95rem;color:var(--ink);padding:.2rem 0}
)";

std::string plural(uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }
std::string of(uint64_t some, uint64_t all) { return fmt::format("{} of {}", some, all); }

std::string column_name(const Column& c) { return fmt::format("{}, {}, {}", c.device, c.variant, c.mapping); }

std::string devices_by_variants(const fairness::Kept& kept, const fairness::Survey& s) {
  std::vector<page::Bar> bars;
  draw::Rows rows{{"device", "variant", "mapping", "tests", "never starve", "sometimes", "always", "hung",
                   "weak that starve", "strong that starve", "runs", "seconds", "watchdog"},
                  {},
                  3};
  for (const ColumnRow& r : s.rows) {
    const Column& c = kept.columns[r.column];
    bars.push_back({column_name(c),
                    {static_cast<double>(r.always), static_cast<double>(r.sometimes), static_cast<double>(r.never)},
                    of(r.always + r.sometimes, r.tests)});
    rows.rows.push_back({c.device, c.variant, c.mapping, fmt::format("{}", r.tests), fmt::format("{}", r.never),
                         fmt::format("{}", r.sometimes), fmt::format("{}", r.always), fmt::format("{}", r.hung),
                         of(r.weak_starved, r.weak), of(r.strong_starved, r.strong), fmt::format("{}", r.runs),
                         fmt::format("{:.2f}", r.seconds),
                         c.least_limit == c.largest_limit
                             ? fmt::format("{:g} s", c.least_limit)
                             : fmt::format("{:g} to {:g} s", c.least_limit, c.largest_limit)});
  }
  const std::string table = draw::table("Devices and variants", rows, rows.rows.size());
  return draw::figure("How many tests starved, in every run or in some",
                      page::stacked_bars({"Tests that starved", "One bar for each device, variant and mapping"},
                                         {"in every run", "in some", "never"}, bars, true),
                      "") +
         table;
}

std::string models(const fairness::Survey& s) {
  draw::Rows rows{{"device", "variant", "model", "weak violated", "maybe weak memory", "strong starved"}, {}, 3};
  for (const fairness::Group& g : s.groups)
    for (const fairness::ModelRow& m : g.summary.models)
      rows.rows.push_back({g.device, g.variant, m.model, of(m.violated.size(), m.conformance),
                           fmt::format("{}", m.explained.size()), of(m.strong.size(), m.strong_conformance)});
  return rows.rows.empty() ? "" : draw::table("Models", rows, rows.rows.size());
}

std::string verdicts(const fairness::Survey& s, uint32_t test) {
  draw::Rows rows{{"model", "weak fairness", "strong fairness"}, {}, 1};
  for (size_t m = 0; m < s.models.size(); ++m) {
    const oracle::Pair& p = s.verdicts[test][m];
    rows.rows.push_back({s.models[m].name(), p.weak ? "ends" : "may starve", p.strong ? "ends" : "may starve"});
  }
  return draw::table("What each model says", rows, rows.rows.size());
}

Expected<std::string> one_test(const fairness::Kept& kept, const fairness::Survey& s, uint32_t test,
                               const std::vector<const Cell*>& cells) {
  const axb::Test& t = kept.tests[test];
  draw::Rows rows{
      {"device", "variant", "mapping", "runs", "starved", "hung", "waiting threads", "unstarted threads", "instances"},
      {},
      3};
  uint32_t starved = 0, always = 0;
  for (const Cell* c : cells) {
    const Column& k = kept.columns[c->column];
    starved += c->runs.bad() > 0;
    always += frequency(c->runs) == Frequency::always;
    rows.rows.push_back({k.device, k.variant, k.mapping, fmt::format("{}", c->runs.total),
                         fmt::format("{}", c->runs.starved), fmt::format("{}", c->runs.hung),
                         trial::threads_text(c->waiting), trial::threads_text(c->unstarted),
                         of(c->starved_instances, c->instances)});
  }
  auto schedule = schedule_of(t);
  if (!schedule) return std::unexpected(schedule.error());
  const bool some = starved > always;
  std::string out =
      fmt::format("<details class=\"test {} {}{}\" id=\"test-{}\"><summary>{} ({}): {}</summary>\n",
                  s.weak[test] ? "weak" : "strong", starved > 0 ? "starved" : "never", some ? " some" : "", test,
                  escape_xml(t.name), s.weak[test] ? "weak" : "strong",
                  starved == 0 ? fmt::format("starved in none of {}", plural(cells.size(), "column"))
                               : fmt::format("starved in {} of {}", starved, plural(cells.size(), "column")));
  out += fmt::format("<pre>{}</pre>\n", escape_xml(axb::to_text(t))) + verdicts(s, test);
  out += schedule->empty() ? "<p>It ends under every model, the unfair one too.</p>\n"
                           : fmt::format("<pre>{}</pre>\n", escape_xml(*schedule));
  return out + draw::table("What each device did", rows, rows.rows.size()) + "</details>\n";
}

}  // namespace

Expected<std::string> schedule_of(const axb::Test& test) {
  for (const char* name : {"fair", "lobe", "hsa+obe", "obe", "hsa", "unfair"}) {
    const auto model = fair::load_model(name);
    if (!model) return std::unexpected(model.error());
    Job job;
    const auto answer = oracle::decide(test, *model, oracle::Fairness::weak, {}, job);
    if (!answer) return std::unexpected(answer.error());
    if (answer->lasso) return oracle::to_text(test, *model, oracle::Fairness::weak, *answer->lasso);
  }
  return std::string();
}

Expected<std::string> html(const fairness::Kept& kept, const fairness::Survey& s, const Options& o) {
  draw::Document page;
  page.title = o.title;
  page.style = k_style;
  std::set<std::string> devices;
  for (const Column& c : kept.columns) devices.insert(c.device);
  page.lead = {fmt::format("{} on {}, {}", plural(kept.tests.size(), "test"), plural(devices.size(), "device"),
                           plural(kept.runs, "run"))};
  page.rests_on = {{"devices", fmt::format("{}", fmt::join(devices, "; "))}, {"made by", o.made_by}};
  std::string out;
  out +=
      draw::section("devices", "Devices and variants",
                    "A test starves in a run when a thread had not ended as the watchdog looked. Weak tests always end "
                    "when every thread goes on running; strong ones need more luck than any scheduler promises.",
                    devices_by_variants(kept, s));
  out += draw::section(
      "models", "Progress models",
      "Weak tests whose end a model guarantees and that starved: the device does not keep the model's "
      "promise. Tests of several locations with relaxed instructions stand apart, since weak memory could "
      "be the reason.",
      models(s));
  if (kept.dropped > 0)
    out += fmt::format("<p>{} runs count for nothing: the assembler had left an access of their program out.</p>\n",
                       kept.dropped);
  std::vector<std::vector<const Cell*>> by_test(kept.tests.size());
  for (const Cell& c : kept.cells) by_test[c.test].push_back(&c);
  std::string tests = "<div class=\"tests\">\n";
  const std::pair<const char*, const char*> picks[] = {{"all", "all"},
                                                       {"weak", "weak"},
                                                       {"strong", "strong"},
                                                       {"starved", "starved somewhere"},
                                                       {"some", "not every run alike"},
                                                       {"never", "never starved"}};
  for (const auto& [id, words] : picks)
    tests += fmt::format("<input type=\"radio\" name=\"pick\" id=\"pick-{0}\"{2}><label for=\"pick-{0}\">{1}</label>\n",
                         id, words, std::string_view(id) == "all" ? " checked" : "");
  for (uint32_t t = 0; t < kept.tests.size(); ++t) {
    auto one = one_test(kept, s, t, by_test[t]);
    if (!one) return std::unexpected(one.error());
    tests += *one;
  }
  out +=
      draw::section("tests", "The tests",
                    "Each with its code, what the models say, the shortest schedule in which it starves under the "
                    "strongest model that allows one, and what each device did. F is the set of threads that the model "
                    "promises to run.",
                    tests + "</div>\n");
  page.parts = {{"survey", "Survey", std::move(out)}};
  page.foot =
      "Source of the tests and models: OOPSLA 2021, \u201CSpecifying and Testing GPU Workgroup Progress Models\u201D.";
  return draw::html(page);
}

}  // namespace fencepost::explorer
