#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/markdown.h"
#include "judge/judge.h"

namespace fencepost::judge {
namespace {

std::string whole(uint64_t n) {  // 1234567 -> "1.23e+06" only above a million: people read small counts exactly
  return n < 1'000'000 ? fmt::format("{}", n) : fmt::format("{:.3g}", static_cast<double>(n));
}

std::string rate_text(const Judgement& j) {
  if (j.seen.instances == 0) return "-";
  if (j.positive == 0) return fmt::format("< {:.2g}", j.positive_rate.upper);
  return fmt::format("{:.3g} [{:.3g}, {:.3g}]", static_cast<double>(j.positive) / static_cast<double>(j.seen.instances),
                     j.positive_rate.lower, j.positive_rate.upper);
}

std::string sensitivity_text(const Judgement& j) {
  if (j.condition != Allowed::no) return "";
  uint32_t could = 0, ran = 0, seen = 0;
  for (const SeenWeakening& t : j.weakenings) {
    if (t.allowed != Allowed::yes) continue;
    ++could;
    ran += t.ran ? 1 : 0;
    seen += t.seen > 0 ? 1 : 0;
  }
  if (ran == 0) return "";
  return fmt::format("{} of {} seen{}", seen, could, ran < could ? fmt::format(" ({} ran)", ran) : "");
}

struct Column {
  const char* head;
  bool right;
  std::function<std::string(const Judgement&)> text;
};

const std::vector<Column>& columns() {
  static const std::vector<Column> k = {
      {"test", false, [](const Judgement& j) { return j.seen.test.title; }},
      {"device", false, [](const Judgement& j) { return j.seen.device; }},
      {"configuration", false, [](const Judgement& j) { return j.seen.configuration; }},
      {"model", false, [](const Judgement& j) { return j.model; }},
      {"weak outcome", false, [](const Judgement& j) { return std::string(name(j.condition)); }},
      {"instances", true, [](const Judgement& j) { return whole(j.seen.instances); }},
      {"seen", true, [](const Judgement& j) { return whole(j.positive); }},
      {"rate, 95 % interval", false, rate_text},
      {"per second", true,
       [](const Judgement& j) {
         return j.seen.seconds > 0 ? fmt::format("{:.3g}", static_cast<double>(j.positive) / j.seen.seconds) : "";
       }},
      {"weakenings", false, sensitivity_text},
      {"what ran", false, [](const Judgement& j) { return j.seen.what_ran; }},
      {"standing", false, [](const Judgement& j) { return std::string(name(j.standing)); }},
  };
  return k;
}

std::string counts(const Judged& j) {
  std::string out = fmt::format("{} results, {} instances:", j.list.size(), whole(j.instances()));
  for (const Standing s :
       {Standing::violated, Standing::broken_run, Standing::suspected, Standing::undecided, Standing::consistent})
    if (const uint32_t n = j.count(s); n > 0) out += fmt::format(" {} {},", n, name(s));
  out.back() = '.';
  if (j.forbidden > 0)
    out += fmt::format(
        " Of {} forbidden outcomes that one-step weakenings allow, {} had such a weakening seen under the same stress "
        "({:.0f} %).",
        j.forbidden, j.sensitive, 100.0 * j.sensitive / j.forbidden);
  return out + "\n";
}

std::string summary(const Judged& j) { return j.owed.empty() ? counts(j) : counts(j) + sentence(j.owed) + "\n"; }

// A column whose cells are all equal says nothing in a table; it stands above it once.
bool constant(const Judged& j, const Column& c) {
  return j.list.size() > 1 && std::all_of(j.list.begin(), j.list.end(),
                                          [&](const Judgement& x) { return c.text(x) == c.text(j.list.front()); });
}

}  // namespace

std::string to_text(const Judged& j) {
  std::string out;
  std::vector<const Column*> shown;
  for (const Column& c : columns()) {
    const bool stands_above =
        constant(j, c) && (std::string(c.head) == "device" || std::string(c.head) == "configuration" ||
                           std::string(c.head) == "model" || std::string(c.head) == "what ran");
    if (stands_above) {
      if (!c.text(j.list.front()).empty()) out += fmt::format("{:<14} {}\n", c.head, c.text(j.list.front()));
    } else {
      shown.push_back(&c);
    }
  }
  if (!out.empty()) out += "\n";
  std::vector<size_t> width;
  for (const Column* c : shown) {
    size_t w = std::string(c->head).size();
    for (const Judgement& x : j.list) w = std::max(w, c->text(x).size());
    width.push_back(w);
  }
  const auto row = [&](const std::function<std::string(const Column&)>& cell) {
    std::string line;
    for (size_t i = 0; i < shown.size(); ++i) {
      const std::string text = cell(*shown[i]);
      line += (i == 0 ? "" : "  ") +
              (shown[i]->right ? fmt::format("{:>{}}", text, width[i]) : fmt::format("{:<{}}", text, width[i]));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  row([](const Column& c) { return std::string(c.head); });
  for (const Judgement& x : j.list) row([&](const Column& c) { return c.text(x); });
  out += "\n" + summary(j);
  for (const Judgement& x : j.list) {
    if (x.standing == Standing::consistent) continue;
    out += fmt::format("\n{} on {} ({}): {}\n  {}\n", x.seen.test.title, x.seen.device, x.seen.configuration,
                       name(x.standing), x.reason);
    for (const StateRow& r : x.rows) out += fmt::format("  {:>14}  {:<9}  {}\n", r.count, name(r.allowed), r.text);
  }
  return out;
}

std::string to_markdown(const Judged& j) {
  std::string out = "|", rule = "|";
  for (const Column& c : columns()) {
    out += fmt::format(" {} |", c.head);
    rule += c.right ? " ---: |" : " --- |";
  }
  out += "\n" + rule + "\n";
  for (const Judgement& x : j.list) {
    out += "|";
    for (const Column& c : columns()) out += fmt::format(" {} |", markdown_text(c.text(x)));
    out += "\n";
  }
  out += "\n" + counts(j);
  return j.owed.empty() ? out : out + markdown_text(sentence(j.owed)) + "\n";
}

std::string to_csv(const Judged& j) {
  std::string out =
      "test,device,driver,configuration,model,what_ran,evidence,standing,instances,state,asked_about,allowed,count,"
      "rate,lower,upper,seconds\n";
  for (const Judgement& x : j.list)
    for (const StateRow& r : x.rows)
      out += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g}\n", csv_field(x.seen.test.title),
          csv_field(x.seen.device), csv_field(x.seen.driver), csv_field(x.seen.configuration), csv_field(x.model),
          x.seen.what_ran, x.seen.evidence, name(x.standing), x.seen.instances, csv_field(r.text), r.positive ? 1 : 0,
          name(r.allowed), r.count,
          x.seen.instances == 0 ? 0.0 : static_cast<double>(r.count) / static_cast<double>(x.seen.instances),
          r.rate.lower, r.rate.upper, x.seen.seconds);
  return out;
}

std::string to_json(const Judged& j) {
  using nlohmann::ordered_json;
  ordered_json list = ordered_json::array();
  for (const Judgement& x : j.list) {
    ordered_json rows = ordered_json::array(), weakenings = ordered_json::array();
    for (const StateRow& r : x.rows)
      rows.push_back({{"state", r.text},
                      {"count", r.count},
                      {"allowed", name(r.allowed)},
                      {"asked_about", r.positive},
                      {"rate", {r.rate.lower, r.rate.upper}}});
    for (const SeenWeakening& t : x.weakenings)
      weakenings.push_back({{"test", t.title},
                            {"change", t.what},
                            {"allowed", name(t.allowed)},
                            {"ran", t.ran},
                            {"seen", t.seen},
                            {"instances", t.instances}});
    const Observation& o = x.seen;
    list.push_back({{"test", o.test.title},
                    {"device", o.device},
                    {"driver", o.driver},
                    {"configuration", o.configuration},
                    {"model", x.model},
                    {"standing", name(x.standing)},
                    {"reason", x.reason},
                    {"weak_outcome", name(x.condition)},
                    {"what_ran", o.what_ran},
                    {"evidence", o.evidence},
                    {"instances", o.instances},
                    {"seen", x.positive},
                    {"rate", {x.positive_rate.lower, x.positive_rate.upper}},
                    {"per_second", {x.positive_per_second.lower, x.positive_per_second.upper}},
                    {"dispersion", x.dispersion},
                    {"groups", o.groups.size()},
                    {"seconds", o.seconds},
                    {"device_seconds", o.device_seconds},
                    {"corrupt", o.corrupt},
                    {"incomplete", o.incomplete},
                    {"filtered", o.filtered},
                    {"waits", o.waits},
                    {"time_outs", o.time_outs},
                    {"frame_missing", o.frame_missing},
                    {"flags", x.flags},
                    {"states", std::move(rows)},
                    {"weakenings", std::move(weakenings)}});
  }
  ordered_json standings;
  for (const Standing s :
       {Standing::violated, Standing::broken_run, Standing::suspected, Standing::undecided, Standing::consistent})
    standings[name(s)] = j.count(s);
  ordered_json missing = ordered_json::array();
  for (const Owed& o : j.owed)
    missing.push_back({{"campaign", o.campaign},
                       {"test", o.test},
                       {"device", o.device},
                       {"configuration", o.configuration},
                       {"instances", o.instances}});
  const ordered_json all = {{"schema", "fencepost-judgement/1"}, {"standings", standings},
                            {"instances", j.instances()},        {"forbidden_with_weakenings", j.forbidden},
                            {"sensitive", j.sensitive},          {"finished", j.owed.empty()},
                            {"missing", std::move(missing)},     {"results", std::move(list)}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace fencepost::judge
