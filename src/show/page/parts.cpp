#include "page/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/tell.h"
#include "draw/document.h"
#include "draw/xml.h"
#include "stats/sample.h"

namespace fencepost::page {
namespace {

using analysis::Cell;
using analysis::count_text;
using analysis::rate_text;
using draw::escape_xml;
using draw::figure;
using draw::Rows;
using draw::table;

constexpr size_t k_plots = 6;   // of one kind in a section
constexpr uint32_t k_many = 8;  // configurations (or tests) that a distribution needs

std::string plots(const std::string& figures) {
  return figures.empty() ? "" : "<div class=\"plots\">\n" + figures + "</div>\n";
}

Rows of_bins(const std::vector<Bin>& bins, const char* counted) {
  const bool fitted = std::any_of(bins.begin(), bins.end(), [](const Bin& b) { return b.fit >= 0; });
  Rows r{{"from", "to", counted}, {}, 0};
  if (fitted) r.head.push_back("expected");
  for (const Bin& b : bins) {
    r.rows.push_back({tick_text(b.from), tick_text(b.to), fmt::format("{:g}", b.count)});
    if (fitted) r.rows.back().push_back(fmt::format("{:.3g}", b.fit));
  }
  return r;
}

std::vector<Bin> linear_bins(const std::vector<double>& xs, double most, size_t n) {
  std::vector<Bin> out(n);
  for (size_t i = 0; i < n; ++i) {
    out[i].from = most * static_cast<double>(i) / static_cast<double>(n);
    out[i].to = most * static_cast<double>(i + 1) / static_cast<double>(n);
  }
  for (double x : xs)
    out[std::min(n - 1, static_cast<size_t>(std::max(0.0, x / most * static_cast<double>(n))))].count += 1;
  return out;
}

// Two bins a power of ten; zeros have a bin of their own at the left.
std::vector<Bin> logarithmic_bins(const std::vector<double>& xs) {
  double least = 1e300, most = 0;
  bool zeros = false;
  for (double x : xs) {
    if (x > 0)
      least = std::min(least, x), most = std::max(most, x);
    else
      zeros = true;
  }
  if (most <= 0) return {};
  const int from = static_cast<int>(std::floor(2 * std::log10(least))),
            to = std::max(from + 1, static_cast<int>(std::floor(2 * std::log10(most))) + 1);
  std::vector<Bin> out;
  if (zeros) out.push_back({0, std::pow(10, from / 2.0), 0, -1});
  for (int e = from; e < to; ++e) out.push_back({std::pow(10, e / 2.0), std::pow(10, (e + 1) / 2.0), 0, -1});
  for (double x : xs) {
    if (x <= 0) {
      out.front().count += 1;
      continue;
    }
    const int e = std::clamp(static_cast<int>(std::floor(2 * std::log10(x))), from, to - 1);
    out[static_cast<size_t>(e - from) + (zeros ? 1 : 0)].count += 1;
  }
  return out;
}

std::string both_histograms(const std::string& what, const std::vector<double>& rates, const char* counted,
                            const Options& o) {
  const double most = *std::max_element(rates.begin(), rates.end());
  if (most <= 0) return "";
  const auto linear = linear_bins(rates, most, 20), logarithmic = logarithmic_bins(rates);
  return figure(what + ", linear",
                histogram({what, fmt::format("Number of {} by rate, linear axis", counted)}, linear, false,
                          "weak outcomes per instance"),
                table(what, of_bins(linear, counted), o.most_rows)) +
         figure(what + ", logarithmic",
                histogram({what, fmt::format("Number of {} by rate, logarithmic axis; zeros at the left", counted)},
                          logarithmic, true, "weak outcomes per instance"),
                table(what, of_bins(logarithmic, counted), o.most_rows));
}

std::string on(const analysis::Table& t, uint32_t device, uint32_t test) {
  return t.devices.size() == 1 ? t.tests[test].name : fmt::format("{} on {}", t.tests[test].name, t.devices[device]);
}

}  // namespace

std::string rate_histograms(const Set& s, const Options& o) {
  const analysis::Table& t = s.table;
  std::vector<const analysis::Row*> rows;
  for (const analysis::Row& r : s.analysis.rows)
    if (r.configurations >= k_many && r.weak > 0) rows.push_back(&r);
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->seen_in > b->seen_in; });
  std::string out;
  for (size_t i = 0; i < rows.size() && i < k_plots / 2; ++i) {
    std::vector<double> rates;
    for (uint32_t c = 0; c < t.configurations.size(); ++c)
      if (const Cell& cell = t.at(rows[i]->device, rows[i]->test, c); cell.measured) rates.push_back(cell.rate());
    out += both_histograms(on(t, rows[i]->device, rows[i]->test), rates, "configurations", o);
  }
  if (!out.empty()) return plots(out);
  for (uint32_t d = 0; d < t.devices.size(); ++d) {
    std::vector<double> rates;
    for (const analysis::Row& r : s.analysis.rows)
      if (r.device == d) rates.push_back(r.largest);
    if (rates.size() >= k_many) out += both_histograms("Tests on " + t.devices[d], rates, "tests", o);
  }
  return plots(out);
}

std::string arrivals(const Set& s, const Options& o) {
  const analysis::Table& t = s.table;
  struct One {
    uint32_t d, k, c;
    const Cell* cell;
  };
  std::vector<One> list;
  for (uint32_t d = 0; d < t.devices.size(); ++d)
    for (uint32_t k = 0; k < t.tests.size(); ++k)
      for (uint32_t c = 0; c < t.configurations.size(); ++c)
        if (const Cell& cell = t.at(d, k, c); cell.gaps.size() >= 30) list.push_back({d, k, c, &cell});
  std::stable_sort(list.begin(), list.end(),
                   [](const One& a, const One& b) { return a.cell->gaps.size() > b.cell->gaps.size(); });
  // One of each test first: many configurations of one would tell one story.
  std::vector<One> chosen;
  for (const One& x : list)
    if (chosen.size() < k_plots / 2 &&
        std::none_of(chosen.begin(), chosen.end(), [&](const One& y) { return y.d == x.d && y.k == x.k; }))
      chosen.push_back(x);
  std::string out;
  for (const One& x : chosen) {
    const std::string what = fmt::format("{}, {}", on(t, x.d, x.k), t.configurations[x.c]);
    const auto& gaps = x.cell->gaps;
    const double mean = stats::mean(gaps), most = std::max(1.0, stats::quantile(gaps, 0.98));
    auto bins = linear_bins(gaps, most, 24);
    for (Bin& b : bins) b.fit = static_cast<double>(gaps.size()) * (std::exp(-b.from / mean) - std::exp(-b.to / mean));
    bins.back().fit = static_cast<double>(gaps.size()) * std::exp(-bins.back().from / mean);
    out += figure(fmt::format("{}: {} gaps, mean {}", what, gaps.size(), count_text(mean)),
                  histogram({"Inter-arrival counts of " + what,
                             "Instances between weak outcomes; the curve is the exponential distribution of the same "
                             "mean, the last bin holds all beyond"},
                            bins, false, "instances between weak outcomes"),
                  table("Inter-arrival counts", of_bins(bins, "gaps"), o.most_rows));
    const auto& rounds = x.cell->rounds;
    const double largest = *std::max_element(rounds.begin(), rounds.end());
    if (largest < 2 || largest > 60) continue;
    std::vector<Bin> counts;
    const double rate = stats::mean(rounds);
    double p = std::exp(-rate);
    for (double n = 0; n <= largest; ++n) {
      counts.push_back({n, n + 1, 0, static_cast<double>(rounds.size()) * p});
      p *= rate / (n + 1);
    }
    for (double n : rounds) counts[static_cast<size_t>(n)].count += 1;
    out += figure(
        fmt::format("{}: weak outcomes by round, var/mean {:.3g}", what, stats::index_of_dispersion(rounds)),
        histogram({"Weak outcomes by round of " + what,
                   "Rounds by their number of weak outcomes; the curve is Poisson's distribution of the same mean"},
                  counts, false, "weak outcomes in a round"),
        table("Rounds by number of weak outcomes", of_bins(counts, "rounds"), o.most_rows));
  }
  return plots(out);
}

std::string tuning_curves(const Set& s, const Options& o) {
  const analysis::Table& t = s.table;
  const bool timed = t.seconds() > 0;
  std::string out;
  for (uint32_t d = 0; d < t.devices.size(); ++d) {
    std::vector<Curve> curves;
    Rows rows{
        {"test", "configurations", "best", timed ? "weak per second" : "rate", "median", "best over median"}, {}, 1};
    std::vector<const analysis::Row*> order;
    for (const analysis::Row& r : s.analysis.rows)
      if (r.device == d && r.configurations >= k_many && r.weak > 0) order.push_back(&r);
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->seen_in > b->seen_in; });
    for (const analysis::Row* r : order) {
      Curve curve{t.tests[r->test].name, {}};
      double spent = 0, best = 0;
      std::vector<double> all;
      for (uint32_t c = 0; c < t.configurations.size(); ++c) {
        const Cell& cell = t.at(d, r->test, c);
        if (!cell.measured || t.incomparable.contains(c)) continue;
        spent += timed ? cell.seconds : static_cast<double>(cell.instances);
        const double value = timed ? cell.per_second() : cell.rate();
        all.push_back(value);
        best = std::max(best, value);
        curve.points.push_back({spent, best});
      }
      if (all.size() < k_many) continue;
      const double median = stats::median(all);
      rows.rows.push_back({t.tests[r->test].name, fmt::format("{}", r->configurations), t.configurations[r->best],
                           fmt::format("{:.4g}", best), fmt::format("{:.4g}", median),
                           median > 0 ? fmt::format("{:.3g}", best / median) : "-"});
      if (curves.size() < 6) curves.push_back(std::move(curve));
    }
    if (curves.empty()) continue;
    out += figure("Best so far on " + t.devices[d],
                  step_curves({"Tuning on " + t.devices[d],
                               timed ? "Highest weak rate per second so far against the seconds spent"
                                     : "Highest weak rate so far against the instances spent"},
                              curves, timed ? "seconds spent on the test" : "instances spent on the test",
                              timed ? "weak per second" : "weak per instance", true),
                  table("Best and median configuration", rows, o.most_rows));
  }
  return plots(out) + tuning_tables(s, o);
}

// What a search found, on fresh seeds beside the median configuration and no stress; and the incantations one by one.
std::string tuning_tables(const Set& s, const Options& o) {
  const analysis::Table& t = s.table;
  Rows confirmed{{"test", "device", "configuration", "weak", "instances", "weak per second", "95 %"}, {}, 3};
  std::map<std::pair<uint32_t, uint32_t>, std::map<std::string, const Cell*>> ablated;
  for (uint32_t d = 0; d < t.devices.size(); ++d)
    for (uint32_t k = 0; k < t.tests.size(); ++k)
      for (uint32_t c = 0; c < t.configurations.size(); ++c) {
        const Cell& cell = t.at(d, k, c);
        if (!cell.measured) continue;
        const std::string& name = t.configurations[c];
        if (const size_t at = name.find("confirm "); at != std::string::npos && cell.seconds > 0) {
          const auto i =
              stats::poisson_dispersed(cell.weak, cell.seconds, analysis::dispersion(cell), s.analysis.options.level);
          confirmed.rows.push_back(
              {t.tests[k].name, t.devices[d], name.substr(at + 8), count_text(static_cast<double>(cell.weak)),
               count_text(static_cast<double>(cell.instances)), fmt::format("{:.3g}", cell.per_second()),
               fmt::format("{:.3g} to {:.3g}", i.lower, i.upper)});
        } else if (const size_t of = name.find("ablate "); of != std::string::npos) {
          ablated[{d, k}][name.substr(of + 7)] = &cell;
        }
      }
  std::string out;
  if (!confirmed.rows.empty())
    out += table("What searches found, measured again on fresh seeds", confirmed, o.most_rows);
  if (ablated.empty()) return out;
  Rows rows{{"test", "device", "bank conflicts, memory stress"}, {}, 3};
  const std::vector<std::string> extras = {"none", "random", "sync", "both"},
                                 criticals = {"none", "bank", "stress", "both"};
  for (const std::string& e : extras)
    rows.head.push_back(e == "none"     ? "no extra"
                        : e == "random" ? "random threads"
                        : e == "sync"   ? "synchronised"
                                        : "both");
  for (const auto& [where, cells] : ablated)
    for (const std::string& critical : criticals) {
      rows.rows.push_back({t.tests[where.second].name, t.devices[where.first], critical});
      for (const std::string& extra : extras) {
        const auto it = cells.find(critical + "/" + extra);
        rows.rows.back().push_back(it == cells.end() ? "-" : fmt::format("{:.4g}", 1e5 * it->second->rate()));
      }
    }
  return out + table("Incantations: weak outcomes per 100,000 instances", rows, o.most_rows);
}

std::string portability(const Set& s, const Options& o) {
  if (s.analysis.portable.empty()) return "";
  std::vector<Bar> bars;
  Rows rows{{"one configuration for", "MFS", "MLFS", "MLFS-F", "possible"}, {}, 1};
  double most = 0;
  for (const analysis::PortableRow& r : s.analysis.portable) {
    const char* what = r.domain == stats::Domain::global   ? "all"
                       : r.domain == stats::Domain::device ? "each device"
                       : r.domain == stats::Domain::test   ? "each test"
                                                           : "each";
    Bar b{what, {}, ""};
    std::vector<std::string> cells = {what};
    for (const stats::Portable& p : r.by_metric) {
      b.parts.push_back(p.weak);
      cells.push_back(fmt::format("{}", p.weak));
      most = std::max<double>(most, p.possible);
    }
    cells.push_back(fmt::format("{}", r.by_metric[0].possible));
    bars.push_back(std::move(b));
    rows.rows.push_back(std::move(cells));
  }
  return plots(figure(fmt::format("Combinations with the outcome, of {:g} possible", most),
                      grouped_bars({"Portable parameters",
                                    "Combinations of test and device that show the weak outcome under the "
                                    "configuration that each metric chooses"},
                                   {"MFS", "MLFS", "MLFS-F"}, bars, most),
                      table("Portable parameters", rows, o.most_rows))) +
         (s.analysis.portable_note.empty() ? "" : fmt::format("<p>{}</p>\n", escape_xml(s.analysis.portable_note)));
}

std::string correlations(const Set& s, const Options& o) {
  std::string out;
  for (const analysis::Correlation& c : s.analysis.correlation) {
    std::vector<size_t> order;
    for (size_t i = 0; i < c.priority.size() && i < 12; ++i)
      order.push_back(static_cast<size_t>(std::find(c.tests.begin(), c.tests.end(), c.priority[i]) - c.tests.begin()));
    std::vector<std::string> names;
    std::vector<std::vector<double>> values;
    Rows rows{{"test"}, {}, 1};
    for (size_t i : order) {
      names.push_back(s.table.tests[c.tests[i]].name);
      rows.head.push_back(names.back());
      values.emplace_back();
      for (size_t j : order) values.back().push_back(c.r2[i][j]);
    }
    for (size_t i = 0; i < names.size(); ++i) {
      rows.rows.push_back({names[i]});
      for (double v : values[i]) rows.rows.back().push_back(fmt::format("{:.2f}", v));
    }
    out += figure(fmt::format("{}: R\u00B2 of rates, tests in order of priority", s.table.devices[c.device]),
                  matrix({"How far tests go together on " + s.table.devices[c.device],
                          "Squares darker for a higher R squared, most telling test first"},
                         names, values),
                  table("R\u00B2", rows, o.most_rows));
  }
  return plots(out);
}

}  // namespace fencepost::page
