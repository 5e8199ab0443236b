#include "page/conformance.h"

#include <fmt/format.h>

#include <map>

#include "draw/document.h"
#include "draw/xml.h"
#include "page/plot.h"

namespace fencepost::page {
namespace {

using draw::escape_xml;
using draw::figure;
using draw::Rows;
using draw::section;
using draw::table;
using judge::Certification;
using judge::Conforms;
using judge::TestVerdict;

constexpr size_t k_all = 100'000;  // no table is cut: a certification is read whole

std::string count(uint64_t n) {
  return n < 1'000'000 ? fmt::format("{}", n) : fmt::format("{:.3g}", static_cast<double>(n));
}

std::vector<std::pair<std::string, std::string>> provenance(const judge::Provenance& of) {
  return {{"device", of.device},
          {"driver", of.driver},
          {"model", of.model},
          {"suite", fmt::format("{}: {} tests, {} mutants", of.suite, of.tests, of.mutants)},
          {"hash of the suite", of.suite_hash},
          {"hash of the plan", of.plan_hash},
          {"seed", std::to_string(of.seed)},
          {"instances", count(of.instances)},
          {"time on the device", fmt::format("{:.3g} s", of.seconds)},
          {"store", of.store},
          {"made by", of.version},
          {"date", of.date}};
}

std::string verdicts(const Certification& c) {
  Rows r{{"test", "verdict", "instances", "rate below", "mutants seen", "of", "why"}, {}, 2};
  for (const TestVerdict& t : c.tests) {
    const bool told = t.verdict == Conforms::failed || t.verdict == Conforms::open;
    r.rows.push_back({t.test, judge::name(t.verdict), count(t.instances), told ? "" : fmt::format("{:.2g}", t.bound),
                      std::to_string(t.mutants.killed), std::to_string(t.mutants.allowed), told ? t.reason : ""});
  }
  return table("Tests, the worst first", r, k_all);
}

std::string mutators(const Certification& c) {
  std::map<std::string, judge::Mutants> by;
  for (const judge::Campaign& k : c.conformance.campaigns)
    for (const auto& [mutator, m] : k.by_mutator) {
      by[mutator].allowed += m.allowed;
      by[mutator].killed += m.killed;
    }
  std::vector<Bar> bars;
  Rows r{{"fault", "seen", "allowed"}, {}, 1};
  for (const auto& [mutator, m] : by) {
    if (m.allowed == 0) continue;
    bars.push_back({mutator,
                    {static_cast<double>(m.killed), static_cast<double>(m.allowed - m.killed)},
                    fmt::format("{} of {}", m.killed, m.allowed)});
    r.rows.push_back({mutator, std::to_string(m.killed), std::to_string(m.allowed)});
  }
  if (bars.empty()) return "";
  return figure("Mutants seen, by kind of fault and configuration",
                stacked_bars({"Mutants seen by kind of fault", "Each bar is the share of mutants that were seen."},
                             {"seen", "not seen"}, bars, true),
                table("Mutants by kind of fault", r, k_all));
}

}  // namespace

std::string html(const Certification& c) {
  draw::Document page;
  page.title = "Conformance of " + c.of.device;
  page.verdict = {c.grade == judge::Grade::pass   ? draw::Tone::good
                  : c.grade == judge::Grade::fail ? draw::Tone::bad
                                                  : draw::Tone::open,
                  judge::name(c.grade), c.why};
  page.rests_on = provenance(c.of);
  std::string out;
  if (!c.conformance.owed.empty()) {
    Rows r{{"test", "configuration", "instances"}, {}, 2};
    for (const judge::Owed& o : c.conformance.owed) r.rows.push_back({o.test, o.configuration, count(o.instances)});
    out += section("missing", "Not finished", "Runs of the plan that are missing or too short.",
                   table("Runs that are missing", r, k_all));
  }
  if (!c.not_run.empty()) {
    Rows r{{"test", "standing", "why"}, {}, 3};
    for (const judge::NotRun& n : c.not_run) r.rows.push_back({n.test, n.supported ? "lost" : "not supported", n.why});
    out += section("not-run", "Did not run", "Tests and mutants that gave no result.", table("Did not run", r, k_all));
  }
  out += section("tests", "Tests",
                 "Each test asks for an outcome that the model forbids. A mutant is the test with a small fault, whose "
                 "outcome the model allows: that it was seen shows that such a fault would have been noticed. A test "
                 "none of whose mutants was seen is silent.",
                 verdicts(c));
  out += section("mutants", "Sensitivity", "Which kinds of fault the stress made visible.", mutators(c));
  page.parts = {{"conformance", "Conformance", std::move(out)}};
  return draw::html(page);
}

std::string junit(const Certification& c) {
  std::string cases;
  size_t failures = 0, errors = 0, skipped = 0, all = 0;
  const auto add = [&](const std::string& name, const std::string& inside) {
    ++all;
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"{}\n", escape_xml(c.of.device), escape_xml(name),
                         inside.empty() ? "/>" : ">" + inside + "</testcase>");
  };
  const auto element = [](const char* what, const std::string& message) {
    return fmt::format("<{} message=\"{}\"/>", what, escape_xml(message));
  };
  if (c.grade == judge::Grade::incomplete) {
    ++errors;
    add("the suite as a whole", element("error", "INCOMPLETE: " + (c.why.empty() ? "" : c.why.front())));
  }
  for (const TestVerdict& t : c.tests) {
    std::string inside;
    if (t.verdict == Conforms::failed) {
      ++failures;
      inside = element("failure", t.reason);
    } else if (t.verdict == Conforms::open) {
      ++errors;
      inside = element("error", t.reason);
    } else if (t.verdict == Conforms::silent) {
      inside = "<system-out>silent: none of its mutants was seen</system-out>";
    }
    add(t.test, inside);
  }
  for (const judge::NotRun& n : c.not_run) {
    ++(n.supported ? errors : skipped);
    add(n.test, element(n.supported ? "error" : "skipped", n.why));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"fencepost certify\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" skipped=\"{}\" timestamp=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      all, failures, errors, skipped, escape_xml(c.of.date), cases);
}

}  // namespace fencepost::page
