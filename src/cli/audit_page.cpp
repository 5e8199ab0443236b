// From the answers about one kernel to its entry on the page, and from the page to text and HTML.
#include "cli/audit_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "base/printable.h"
#include "cli/audit.h"
#include "cli/help.h"
#include "prog/not_reached.h"
#include "spirv/spirv.h"

namespace fencepost::cli::audit {
namespace {

std::string text(const Json& j, const char* key) { return j.contains(key) && j[key].is_string() ? j[key] : ""; }
bool is(const Json& j, const char* key) { return j.contains(key) && j[key].is_boolean() && j[key].get<bool>(); }

std::string many(uint64_t n, const char* one, const char* more) { return fmt::format("{} {}", n, n == 1 ? one : more); }

// "2 blocks of 1 thread"
std::string launch_words(const std::string& grid, bool opencl) {
  const auto g = grid.empty() ? Expected<spirv::Grid>(error_at({}, "")) : spirv::parse_grid(grid);
  if (!g) return "the launch of the file";
  return fmt::format(
      "{} of {}",
      opencl ? many(g->workgroup_count(), "work-group", "work-groups") : many(g->workgroup_count(), "block", "blocks"),
      opencl ? many(g->workgroup_size(), "work-item", "work-items") : many(g->workgroup_size(), "thread", "threads"));
}

// The same, where the threads of a block are in one warp though the page asks with warps of one thread else.
std::string launch_words(const Json& at, bool opencl) {
  const std::string warps = text(at, "warps");
  return warps.empty() ? launch_words(text(at, "launch"), opencl)
                       : launch_words(warps, opencl) + (opencl ? " in one sub-group" : " in one warp");
}

// Whether a row of prove speaks of n threads of a block, or n blocks.
bool speaks_of(const Json& launch, const char* key, uint64_t n) {
  if (!launch.is_object() || !launch.contains(key)) return false;
  uint64_t product = 1;
  for (const Json& one : launch[key]) {
    if (!one.is_number_unsigned()) return true;
    product *= one.get<uint64_t>();
  }
  return product == n;
}

std::string where(const Json& place) {
  if (!place.is_object()) return "";
  return fmt::format("{}:{}:{}", place.value("file", ""), place.value("line", 0), place.value("column", 0));
}

std::string sizes(const Json& launch, const char* key) {
  if (!launch.is_object() || !launch.contains(key)) return "*";
  std::vector<std::string> out;
  for (const Json& n : launch[key])
    out.push_back(n.is_string() ? n.get<std::string>() : n.dump(-1, ' ', false, Json::error_handler_t::replace));
  return out.size() == 1 ? out[0] : fmt::format("[{}]", fmt::join(out, ","));
}
std::string size_words(const Json& launch, bool opencl) {
  return opencl ? fmt::format("local_size={}, num_groups={}", sizes(launch, "local_size"), sizes(launch, "num_groups"))
                : fmt::format("blockDim={}, gridDim={}", sizes(launch, "local_size"), sizes(launch, "num_groups"));
}

// "3", or "[3,1,0]" of several dimensions.
std::string indices(const Json& thread, const char* key) {
  std::vector<std::string> out;
  for (const Json& n : thread.value(key, Json::array()))
    out.push_back(n.is_string() ? n.get<std::string>() : n.dump(-1, ' ', false, Json::error_handler_t::replace));
  while (out.size() > 1 && out.back() == "0") out.pop_back();
  return out.size() == 1 ? out[0] : fmt::format("[{}]", fmt::join(out, ","));
}

class Entry {
 public:
  Entry(const std::string& path, const std::string& name) : path_(path), opencl_(path.ends_with(".cl")) {
    j_ = {{"name", name},
          {"location", ""},
          {"proved", Json::array()},
          {"findings", Json::array()},
          {"not_decided", Json::array()},
          {"silent", Json::array()},
          {"notes", Json::array()}};
  }

  void add_proved(const Json& row) {
    const std::string verdict = text(row, "verdict");
    if (const std::string at = text(row, "at"); !at.empty()) j_["location"] = at;
    const std::string launch = row.contains("launch") ? size_words(row["launch"], opencl_) : "the launch that is given";
    const Json granted = row.value("assumptions", Json::array());
    j_["proved"].push_back(
        {{"launch", launch}, {"verdict", verdict}, {"detail", text(row, "detail")}, {"assumptions", granted}});
    proved_ = true;
    if (verdict == "holds" && row.contains("launch")) proofs_.push_back(row["launch"]);
    all_end_ = all_end_ && verdict == "holds" && is(row, "ends");
    all_hold_ = all_hold_ && verdict == "holds" && !is(row, "vacuous");
    if (verdict == "not_read")
      return open("races at every launch", "", "the kernel is not read: " + text(row, "detail"));
    if (is(row, "vacuous")) return open("races at every launch", launch, "no launch meets the requirements");
    if (verdict != "holds" && verdict != "fails") {
      const std::string why = text(row, "detail");
      open("races at every launch", launch, why.empty() ? verdict : why);
    }
    if (const std::string why = text(row, "detail"); verdict == "fails" && !why.empty())
      open("races at every launch", launch, why);
    if (const std::string note = text(row, "note"); !note.empty())
      idle_ = true, j_["notes"].push_back(fmt::format("the proof says little: {} ({})", note, launch));
    for (const Json& f : row["findings"]) {
      const std::string kind = text(f, "kind");
      Json x = finding(kind == "data-race" ? "race" : "other-defect", where(f["place"]), text(f, "message"));
      x["rule"] = kind;
      x["confirmed"] = is(f, "confirmed");
      x["launch"] = f.contains("launch") ? size_words(f["launch"], opencl_) : launch;
      if (const std::string v = text(f, "values"); !v.empty()) x["values"] = v;
      std::vector<std::string> threads;
      x["places"] = Json::array();
      for (const Json& t : f.value("threads", Json::array()))
        if (t.contains("place") && t["place"].is_object()) {
          threads.push_back(fmt::format("{} by thread {} of {} {} at {}", text(t, "access"), indices(t, "local_id"),
                                        opencl_ ? "work-group" : "block", indices(t, "group_id"), where(t["place"])));
          x["places"].push_back(where(t["place"]));
        }
      x["accesses"] = threads;
      if (f.contains("mend")) {
        x["advice"] = "smallest change: " + text(f["mend"], "text");
        x["mended_at"] = f["mend"]["line"];
      }
      add(std::move(x));
    }
  }

  void add_small(const Json& at) {
    const std::string words = launch_words(at, opencl_);
    launches_.push_back(words);
    if (at.contains("error")) return unread(at["error"], words, text(at, "warps"));
    far_.clear();
    for (const std::string a : at.value("assumptions", Json::array())) {
      if (a.starts_with(prog::k_not_reached))
        far_ = numbers_in(a);
      else
        assume(a);
    }
    far_everywhere_.push_back(far_);
    races(at, words);
    if (at.contains("fair")) hang(at, "fair", "FAIR", words);
    // What hangs however threads are scheduled is told once; one block is not scheduled beside others.
    if (at.contains("obe") && (!at.contains("fair") || text(at["fair"], "verdict") != "fails"))
      hang(at, "obe", "OBE", words);
    if (const std::string why = text(at, "fences_not_asked"); !why.empty()) open("fences not needed", words, why);
    if (!at.contains("fences")) {
      fences_known_ = false;
      return;
    }
    std::map<std::string, std::string> here;  // the worst of the threads' answers
    for (const Json& f : at["fences"]) {
      std::string& v = here[text(f, "location")];
      const std::string said = text(f, "verdict");
      if (v.empty() || said == "needed" || (said == "undecided" && v == "not-needed")) v = said;
      fence_text_[text(f, "location")] = text(f, "text");
      if (said == "undecided") fence_open_[text(f, "location")].emplace(words, text(f, "why"));
    }
    for (const auto& [place, verdict] : here) fences_[place].push_back(verdict);
  }

  Json done() {
    if (proof_answers_)
      j_["silent"].push_back(
          "missing order: none at any launch that was asked about (proved: the kernel has no atomic operation and no "
          "fence, so that it would be a race)");
    never_reached();
    if (proved_ && all_end_)
      j_["silent"].push_back(
          "may hang: not at any launch that was asked about (proved: each loop counts to its end, and no thread waits "
          "but at barriers that all come to)");
    for (const auto& [line, launches] : silent_)
      j_["silent"].push_back(fmt::format("{}{}", line, fmt::join(launches, "; ")));
    size_t needed = 0, dropped = 0, unknown = 0;
    for (const auto& [place, verdicts] : fences_) {
      const auto any = [&](const char* v) { return std::find(verdicts.begin(), verdicts.end(), v) != verdicts.end(); };
      if (any("needed")) {
        ++needed;
      } else if (any("undecided") || !fences_known_) {
        ++unknown;
        // That a race or an open question keeps it from being asked is told by that.
        for (const auto& [launch, why] : fence_open_[place])
          open("fences not needed", launch, fmt::format("{} ({}): {}", fence_text_[place], near(place), why));
      } else {
        ++dropped;
        Json x = finding("fence-not-needed", place, fence_text_[place] + " is not needed");
        x["confirmed"] = true;
        x["launch"] = fmt::format("{}", fmt::join(launches_, "; "));
        x["advice"] =
            "without it, at these launches, no race, no hang and no final state is new; larger launches are "
            "not covered";
        add(std::move(x));
      }
    }
    sort_races();
    j_["fences"] = {{"needed", needed}, {"not_needed", dropped}, {"not_decided", unknown}};
    if (proved_ && all_hold_)
      j_["silent"].push_back(idle_ ? "races: none, for the kernel makes no access (nothing was to be proved)"
                                   : "races: none at any launch that was asked about (proved)");
    j_["assumptions"] = assumed_;
    return std::move(j_);
  }

 private:
  Json finding(const char* kind, const std::string& location, const std::string& message) const {
    return {{"kind", kind}, {"location", location}, {"message", message}};
  }
  void add(Json f) {
    for (const Json& g : j_["findings"])
      if (g["kind"] == f["kind"] && g["location"] == f["location"] && g["message"] == f["message"]) return;
    j_["findings"].push_back(std::move(f));
  }
  void open(const std::string& question, const std::string& launch, const std::string& why) {
    for (Json& o : j_["not_decided"])
      if (o["question"] == question && o["why"] == why) {
        if (!launch.empty()) o["launch"] = text(o, "launch") + "; " + launch;
        return;
      }
    j_["not_decided"].push_back({{"question", question}, {"launch", launch}, {"why", why}});
  }

  void assume(const std::string& a) {
    if (std::find(assumed_.begin(), assumed_.end(), a) == assumed_.end()) assumed_.push_back(a);
  }

  void unread(const Json& e, const std::string& words, const std::string& warps) {
    const std::string place = text(e, "location"), hint = text(e, "hint");
    const size_t input = hint.find("; where a parameter decides");
    open("order and termination at small launches", words,
         fmt::format("{}{}{}{}", warps.empty() ? "" : "not asked, since warp-level synchronisation needs whole warps: ",
                     text(e, "message"), place.empty() ? "" : " (" + place + ")",
                     input == std::string::npos ? "" : hint.substr(input)));
  }

  // Races first that a run has shown; of those that one change mends, the pair that it parts, then near ones: the
  // others follow from it.
  void sort_races() {
    const auto rank = [](const Json& x) {
      if (x["kind"] != "race") return std::tuple<int, int, uint64_t>{0, 0, 0};
      std::vector<uint64_t> lines;
      for (const Json& p : x.value("places", Json::array())) lines.push_back(line_of(p.get<std::string>()));
      if (lines.size() != 2) return std::tuple<int, int, uint64_t>{is(x, "confirmed") ? 1 : 2, 1, 0};
      const auto [least, most] = std::minmax(lines[0], lines[1]);
      const uint64_t at = x.value("mended_at", uint64_t{0});
      return std::tuple<int, int, uint64_t>{is(x, "confirmed") ? 1 : 2, least < at && at <= most ? 0 : 1, most - least};
    };
    std::vector<Json> sorted = j_["findings"];
    const auto race = [](const Json& x) { return x["kind"] == "race"; };
    const auto first = std::ranges::find_if(sorted, race);
    std::ranges::stable_sort(first, std::find_if_not(first, sorted.end(), race),
                             [&](const Json& x, const Json& y) { return rank(x) < rank(y); });
    j_["findings"] = sorted;
  }
  static uint64_t line_of(const std::string& place) {
    const size_t column = place.rfind(':'), line = column == std::string::npos ? column : place.rfind(':', column - 1);
    return line == std::string::npos ? 0 : std::strtoull(place.c_str() + line + 1, nullptr, 10);
  }

  // The lines in "no thread of this launch comes to lines 94, 96, where ...".
  static std::set<uint64_t> numbers_in(const std::string& sentence) {
    std::set<uint64_t> out;
    for (size_t k = 0; k < sentence.size(); ++k) {
      if (sentence[k] < '0' || sentence[k] > '9') continue;
      out.insert(std::strtoull(sentence.c_str() + k, nullptr, 10));
      while (k < sentence.size() && sentence[k] >= '0' && sentence[k] <= '9') ++k;
    }
    return out;
  }
  static std::string lines_of(const std::set<uint64_t>& lines) {
    return fmt::format("line{} {}", lines.size() == 1 ? "" : "s", fmt::join(lines, ", "));
  }

  // Atomic operations, fences and barriers that no small launch comes to: where nothing happens, nothing is found.
  void never_reached() {
    if (far_everywhere_.empty()) return;
    std::set<uint64_t> lines = far_everywhere_.front();
    for (const std::set<uint64_t>& other : far_everywhere_)
      std::erase_if(lines, [&](uint64_t n) { return !other.contains(n); });
    if (!lines.empty())
      open("order and termination at small launches", "",
           fmt::format("no small launch comes to {}, where the kernel orders or waits: --grid asks at a larger one",
                       lines_of(lines)));
  }

  // Values that were taken for parameters that nobody gives, since others lead to undefined behaviour.
  void assume_values(const Json& q) {
    const Json values = q.value("assumed", Json::array());
    if (!values.empty())
      assume(fmt::format(
          "the host gives {}: other values of what nobody gives may lead to undefined behaviour; --input gives "
          "others",
          fmt::join(values.get<std::vector<std::string>>(), ", ")));
  }

  // What was found nowhere at this launch. False: it is open.
  bool silence(const std::string& what, const Json& q, std::string words) {
    if (text(q, "verdict") != "holds") return false;
    if (!far_.empty()) words += fmt::format(" ({} not reached)", lines_of(far_));
    const std::string within = "none at ";
    for (auto& [line, launches] : silent_)
      if (line == what + ": " + within) return launches.push_back(words), true;
    silent_.push_back({what + ": " + within, {words}});
    return true;
  }

  // "line 12" of the kernel's own file.
  std::string near(const std::string& location) const {
    if (!location.starts_with(path_ + ":")) return location;
    const std::string rest = location.substr(path_.size() + 1);
    return "line " + rest.substr(0, rest.find(':'));
  }

  static std::string with(const Json& q) {
    if (!q.contains("chosen") || q["chosen"].empty()) return "";
    std::vector<std::string> all = q["chosen"];
    // A scalar parameter is an array of one element to the reader of kernels: "n+0 = 2".
    for (std::string& one : all)
      if (const size_t at = one.find("+0 = "); at != std::string::npos) one.erase(at, 2);
    std::erase_if(all, [](const std::string& one) { return one.starts_with("unspecified"); });
    if (all.empty()) return "";
    return fmt::format(" (with {})", fmt::join(all, ", "));
  }

  // Whether a proof of prove speaks of this launch.
  bool proved_at(const std::string& grid) const {
    const auto g = spirv::parse_grid(grid);
    return g && proved_ && all_hold_ && std::ranges::any_of(proofs_, [&](const Json& launch) {
             return speaks_of(launch, "local_size", g->workgroup_size()) &&
                    speaks_of(launch, "num_groups", g->workgroup_count());
           });
  }

  void races(const Json& at, const std::string& words) {
    const std::string grid = at.contains("warps") ? text(at, "warps") : text(at, "launch");
    const Json& q = at["races"];
    assume_values(q);
    if (text(q, "verdict") != "fails") {
      if (silence("missing order", q, words)) return;
      // Without atomic operations and fences a missing order is a race, which the proof has ruled out.
      if (proved_ && all_hold_ && at.contains("orders") && !is(at, "orders") && far_.empty()) {
        proof_answers_ = true;
        return;
      }
      return open("order at small launches", words, reason(q));
    }
    if (text(q, "flag") == "undefined-behavior") {
      const std::string place = q["accesses"].empty() ? "" : text(q["accesses"][0], "location");
      return open("order at small launches", words,
                  fmt::format("an execution has undefined behaviour{}{}, which says nothing of order; --input gives "
                              "parameters their values",
                              place.empty() ? "" : " at " + place, with(q)));
    }
    std::vector<std::string> sides, lines;
    for (const Json& a : q["accesses"]) {
      const std::string who = a.contains("thread") ? fmt::format(", thread {}", a["thread"].get<uint64_t>()) : "";
      sides.push_back(fmt::format("{} ({}{})", text(a, "text"), near(text(a, "location")), who));
      lines.push_back(text(a, "location"));
    }
    if (!is(q, "confirmed"))
      return open("order at small launches", words,
                  fmt::format("a possible race is not confirmed: {} ({}{})", text(q, "why_not_confirmed"),
                              fmt::join(sides, " and "), with(q)));
    const std::string message = sides.size() == 2 ? fmt::format("nothing orders {} and {}", sides[0], sides[1])
                                                  : "flag raised: " + text(q, "flag");
    if (!is(at, "orders") && proved_ && all_hold_) {
      j_["notes"].push_back(fmt::format("at {}, which is not a launch that was proved: {}{}", words, message, with(q)));
      return;
    }
    Json x = finding("missing-order", lines.empty() ? text(j_, "location") : lines[0], message + with(q));
    x["places"] = lines;
    std::sort(lines.begin(), lines.end());
    x["rule"] = fmt::format("{}", fmt::join(lines, " "));
    x["accesses"] = sides;
    x["launch"] = words;
    x["grid"] = grid;
    // What both write is equal: the race is one of the language, and an atomic store of any order ends it.
    const bool same = sides.size() == 2 && q["accesses"][0]["text"] == q["accesses"][1]["text"];
    x["confirmed"] = same || !proved_at(grid);
    if (!is(x, "confirmed"))
      x["why_not_confirmed"] =
          "a run of the whole kernel shows it, but prove has verified the kernel at this launch: one of the two does "
          "not "
          "see what orders them";
    std::string advice;
    if (at.contains("repair"))
      for (const Json& fix : at["repair"]) {
        std::vector<std::string> changes;
        for (const Json& c : fix) changes.push_back(fmt::format("{}: {}", near(text(c, "location")), text(c, "text")));
        advice += fmt::format("{}{}", advice.empty() ? "" : "; or ", fmt::join(changes, ", and "));
      }
    const bool one_block = std::all_of(q["accesses"].begin(), q["accesses"].end(), [&](const Json& a) {
      return a.contains("block") && q["accesses"][0].contains("block") && a["block"] == q["accesses"][0]["block"];
    });
    const std::string not_asked = text(at, "repair_not_asked"), none = text(at, "no_repair");
    const std::string searched =
        none == "out of time" ? std::string("a change that mends it was not looked for to the end (out of time)")
        : not_asked.empty()   ? fmt::format("no small change of fences, orders or scopes was found that mends it{}",
                                          none.empty() || none.starts_with("none") ? "" : " (" + none + ")")
                              : "a change that mends it was not looked for: " + not_asked;
    x["advice"] = !advice.empty() ? "smallest change: " + advice
                  : same && equal_always(lines)
                      ? "both write the same value: make the stores atomic (relaxed is enough for the race)"
                  : same ? "at this launch both write the same value; " + searched
                  : one_block
                      ? searched + "; the two threads are of one block: is a barrier missing between the accesses?"
                      : searched;
    for (const Json& g : j_["findings"])  // the same two places, at another launch or in the other order
      if (g["kind"] == "missing-order" && g["rule"] == x["rule"]) return;
    add(std::move(x));
  }

  // Prove, which does not mind equal values, has decided the races, and found none in these lines.
  bool equal_always(const std::vector<std::string>& places) const {
    if (!proved_) return false;
    for (const Json& o : j_["not_decided"])
      if (o["question"] == "races at every launch") return false;
    for (const Json& f : j_["findings"]) {
      if (f["kind"] != "race") continue;
      for (const std::string& p : places) {
        const std::string line = p.substr(0, p.rfind(':')) + ":";
        if (text(f, "location").starts_with(line)) return false;
        for (const Json& a : f.value("accesses", Json::array()))
          if (a.get<std::string>().find(line) != std::string::npos) return false;
      }
    }
    return true;
  }

  void hang(const Json& at, const char* key, const char* model, const std::string& words) {
    const Json& q = at[key];
    const bool fair = std::string_view(model) == "FAIR";
    if (text(q, "verdict") != "fails") {
      if (silence(fair ? "may hang, fair scheduling" : "may hang, blocks scheduled by occupancy", q, words)) return;
      return open(fair ? "termination at small launches, fair scheduling"
                       : "termination at small launches, blocks scheduled by occupancy",
                  words, reason(q));
    }
    std::vector<std::string> stories, places;
    bool waits = false;
    uint32_t t = 0;
    for (const Json& thread : q.value("threads", Json::array())) {
      const std::string fate = text(thread, "fate");
      std::vector<std::string> again;
      for (const Json& a : thread["again"]) {
        again.push_back(fmt::format("{} ({})", text(a, "text"), near(text(a, "location"))));
        places.push_back(text(a, "location"));
      }
      waits = waits || !again.empty() || fate == "blocked";
      if (fate == "running")
        stories.push_back(again.empty() ? fmt::format("thread {} stays in a loop for ever", t)
                                        : fmt::format("thread {} repeats {} for ever", t, fmt::join(again, ", ")));
      else if (fate == "blocked")
        stories.push_back(fmt::format("thread {} waits for ever at a barrier", t)),
            places.push_back(text(thread, "last"));
      else if (fate == "halted")
        stories.push_back(
            fmt::format("thread {} is {}", t, is(thread, "started") ? "not scheduled again" : "never started"));
      ++t;
    }
    const std::string message = fmt::format("{}{}", fmt::join(stories, "; "), with(q));
    if (!waits && q.contains("chosen") && !q["chosen"].empty()) {
      j_["notes"].push_back(fmt::format("at {}: {}, a value that nothing in the kernel rules out", words, message));
      return;
    }
    if (!is(q, "confirmed"))
      return open("termination at small launches", words,
                  fmt::format("a wait for ever is not confirmed: {} ({})", text(q, "why_not_confirmed"), message));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    Json x = finding("may-hang", places.empty() ? text(j_, "location") : places[0], message);
    x["rule"] = fmt::format("{} {}", model, fmt::join(places, " "));
    x["places"] = places;
    x["progress"] = model;
    x["launch"] = words;
    x["confirmed"] = true;
    x["advice"] = fair ? "it hangs even where every thread is scheduled again and again: the program itself never ends "
                         "the wait"
                       : "it ends only where all blocks are resident: launch it cooperatively or with no more blocks "
                         "than fit, or let a block wait only for blocks that have begun";
    for (const Json& g : j_["findings"])
      if (g["kind"] == "may-hang" && g["rule"] == x["rule"]) return;
    add(std::move(x));
  }

  static std::string reason(const Json& q) {
    const std::string detail = text(q, "detail"), verdict = text(q, "verdict");
    if (verdict == "vacuous") return "no execution of the launch ends, so that nothing was found says nothing";
    if (verdict == "unknown" && q.contains("bound"))
      return fmt::format("nothing was found within {}, and the time did not suffice for more{}",
                         many(q["bound"].get<uint64_t>(), "iteration", "iterations"),
                         is(q, "none_complete") ? "; no execution ends within them" : "");
    // "unsupported: 'f.cu, kernel k': gave up: the 10 s for the whole file are spent (..)"
    if (const size_t at = detail.find("gave up: "); verdict == "gave_up" && at != std::string::npos)
      return detail.substr(at);
    const std::string word = verdict == "gave_up" ? "gave up" : verdict;
    return detail.empty() || detail == verdict ? word : word + ": " + detail;
  }

  std::string path_;
  bool opencl_;
  Json j_;
  bool proved_ = false, all_hold_ = true, all_end_ = true, fences_known_ = true;
  bool proof_answers_ = false;  // the question of order, where a small launch does not
  std::vector<Json> proofs_;    // launches of rows that hold
  std::set<uint64_t> far_;      // lines that order or wait and are not reached at the launch that is told
  std::vector<std::set<uint64_t>> far_everywhere_;  // the same, of each launch
  bool idle_ = false;                               // a proof is of a kernel that makes no access
  std::vector<std::string> launches_;
  std::vector<std::pair<std::string, std::vector<std::string>>> silent_;
  Json assumed_ = Json::array();
  std::map<std::string, std::vector<std::string>> fences_;
  std::map<std::string, std::string> fence_text_;
  std::map<std::string, std::map<std::string, std::string>> fence_open_;  // why, by place and launch
};

}  // namespace

std::string standing(const Json& f) {
  std::string out = is(f, "confirmed")                ? "confirmed by a run of the whole kernel"
                    : f["kind"] == "fence-not-needed" ? ""
                                                      : "not confirmed";
  if (f["kind"] == "fence-not-needed") out = "asked";
  if (const std::string why = text(f, "why_not_confirmed"); !why.empty()) out += ": " + why;
  if (const std::string launch = text(f, "launch"); !launch.empty()) out += " at " + launch;
  if (const std::string values = text(f, "values"); !values.empty()) out += ": " + values;
  return out;
}

// What the proofs of a kernel rest on, each sentence once.
Json granted_to_proofs(const Json& kernel) {
  Json out = Json::array();
  for (const Json& row : kernel["proved"])
    for (const Json& a : row["assumptions"])
      if (std::find(out.begin(), out.end(), a) == out.end()) out.push_back(a);
  return out;
}

std::string summary(const Json& page) {
  const Json& c = page["counts"];
  std::vector<std::string> parts;
  for (const Section& s : k_sections) parts.push_back(many(c[s.kind].get<size_t>(), s.one, s.more));
  std::string out = fmt::format("{} in {}: {}; {} not decided", many(c["kernels"], "kernel", "kernels"),
                                many(page["files"].size(), "file", "files"), fmt::join(parts, ", "),
                                many(c["not_decided"], "question", "questions"));
  if (page.contains("baseline"))
    out += fmt::format("; {} known, {} of the baseline not found", c["known"].get<size_t>(),
                       page["baseline"]["not_found"].get<size_t>());
  return out + "\n";
}

// The architecture that the proofs of a CUDA file are about.
std::string arch_words(const Json& file) {
  return file.contains("cuda_arch") ? fmt::format("  (__CUDA_ARCH__ {})", file["cuda_arch"].get<uint64_t>()) : "";
}

namespace {

std::string title_of(const Json& kernel) {
  const std::string at = text(kernel, "location");
  return text(kernel, "name") + (at.empty() ? "" : "  (" + at + ")");
}

std::string kernel_text(const Json& k) {
  std::string out = fmt::format("kernel {}\n", title_of(k));
  for (const Section& s : k_sections) {
    std::string lines;
    for (const Json& f : k["findings"]) {
      if (f["kind"] != s.kind) continue;
      lines += fmt::format("    {}  {}{}\n        {}\n", text(f, "location"), text(f, "message"),
                           is(f, "known") ? "  [known]" : "", standing(f));
      if (f["kind"] == "race" && f.contains("accesses") && !f["accesses"].empty())
        lines += fmt::format("        {}\n", fmt::join(f["accesses"].get<std::vector<std::string>>(), ", "));
      for (const Json& q : f.value("source", Json::array()))
        lines += fmt::format("        {:>5} | {}\n", q["line"].get<uint64_t>(), text(q, "text"));
      if (const std::string advice = text(f, "advice"); !advice.empty()) lines += fmt::format("        {}\n", advice);
    }
    if (!lines.empty()) out += fmt::format("  {}\n{}", s.title, lines);
  }
  const auto list = [&](const char* title, const Json& of, auto&& line) {
    if (of.empty()) return;
    out += fmt::format("  {}\n", title);
    for (const Json& o : of) out += fmt::format("    {}\n", line(o));
  };
  list("not decided", k["not_decided"], [](const Json& o) {
    const std::string at = text(o, "launch");
    return fmt::format("{}{}: {}", text(o, "question"), at.empty() ? "" : " (" + at + ")", text(o, "why"));
  });
  list("nothing found", k["silent"], [](const Json& o) { return o.get<std::string>(); });
  list("notes", k["notes"], [](const Json& o) { return o.get<std::string>(); });
  const Json& f = k["fences"];
  if (f["needed"].get<size_t>() + f["not_needed"].get<size_t>() + f["not_decided"].get<size_t>() > 0)
    out += fmt::format("  fences and barriers: {} needed, {} not needed, {} not decided\n", f["needed"].get<size_t>(),
                       f["not_needed"].get<size_t>(), f["not_decided"].get<size_t>());
  list("proofs assume", granted_to_proofs(k), [](const Json& o) { return o.get<std::string>(); });
  list("small launches assume", k["assumptions"], [](const Json& o) { return o.get<std::string>(); });
  return out;
}

}  // namespace

Json kernel_entry(const std::string& path, const std::string& name, const std::vector<Json>& proved,
                  const std::vector<Json>& small) {
  Entry e(path, name);
  for (const Json& r : proved) e.add_proved(r);
  for (const Json& s : small) e.add_small(s);
  return e.done();
}

void quote(Json& kernel, const std::string& path, const std::string& content) {
  std::vector<std::string> lines;
  std::istringstream in(content);
  for (std::string l; std::getline(in, l);) lines.push_back(std::move(l));
  for (Json& f : kernel["findings"]) {
    std::set<size_t> wanted;
    Json places = f.value("places", Json::array());
    places.push_back(text(f, "location"));
    for (const Json& p : places) {
      const std::string at = p.get<std::string>();
      if (!at.starts_with(path + ":")) continue;
      const size_t n = static_cast<size_t>(std::atoi(at.c_str() + path.size() + 1));
      if (n > 0 && n <= lines.size()) wanted.insert(n);
    }
    f["source"] = Json::array();
    for (const size_t n : wanted) {
      std::string t = lines[n - 1].substr(0, 200);
      while (!t.empty() && (t.back() == '\r' || t.back() == ' ')) t.pop_back();
      for (size_t tab = t.find('\t'); tab != std::string::npos; tab = t.find('\t', tab)) t.replace(tab, 1, "  ");
      f["source"].push_back({{"line", n}, {"text", printable_name(t)}});
    }
  }
}

void count(Json& page) {
  std::map<std::string, size_t> n;
  size_t kernels = 0, open = 0, known = 0, found = 0;
  bool bad = false;
  for (const Json& f : page["files"]) {
    bad = bad || f.contains("error");
    open += f.contains("not_read") ? 1 : 0;
    for (const Json& k : f["kernels"]) {
      ++kernels;
      open += k["not_decided"].size();
      for (const Json& x : k["findings"]) {
        ++(is(x, "known") ? known : n[text(x, "kind")]);
        found += is(x, "known") ? 0 : 1;
      }
    }
  }
  Json c = {{"kernels", kernels}};
  for (const Section& s : k_sections) c[s.kind] = n[s.kind];
  c["not_decided"] = open;
  c["known"] = known;
  page["counts"] = c;
  page["exit_code"] = bad ? k_exit_bad_input : found > 0 ? k_exit_fails : open > 0 ? k_exit_undecided : k_exit_holds;
}

std::string text_of(const Json& page) {
  std::string out;
  for (const Json& f : page["files"]) {
    out += fmt::format("{}{}\n", text(f, "path"), arch_words(f));
    for (const char* key : {"error", "not_read"})
      if (const std::string why = text(f, key); !why.empty())
        out += fmt::format("  {}{}\n", std::string_view(key) == "error" ? "" : "not decided: ", why);
    for (const Json& k : f["kernels"]) out += kernel_text(k);
    out += "\n";
  }
  return out + summary(page);
}

}  // namespace fencepost::cli::audit
