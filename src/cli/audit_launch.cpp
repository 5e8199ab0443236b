// One kernel at one small launch, asked by the functions of check, relax and refine.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "base/printable.h"
#include "check/beside.h"
#include "check/check.h"
#include "check/progress_option.h"
#include "check/shared_cells.h"
#include "cli/audit.h"
#include "cli/inputs.h"
#include "cli/verbs.h"
#include "cli/worker.h"
#include "prog/lanes.h"
#include "prog/test.h"
#include "prog/weaken.h"
#include "read/read.h"
#include "reference/explain.h"
#include "refine/refinement.h"
#include "relax/relax.h"
#include "report/report.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::cli::audit {
namespace {

using prog::Kind;
using reference::Execution;

Json error_of(const Diagnostics& ds) {
  const Diagnostic& d = ds.list.front();
  return {{"message", d.message},
          {"hint", d.hint},
          {"location", d.span.location()},
          {"unsupported", d.fault == Fault::unsupported}};
}

const prog::Instr* instruction(const prog::Test& test, const reference::Event& e) {
  if (e.key.thread >= test.threads.size()) return nullptr;
  const auto& code = test.templates[test.threads[e.key.thread].templ].code;
  return e.key.instr < code.size() ? &code[e.key.instr] : nullptr;
}

std::string why_not_confirmed(const prog::Test& test, const Execution& x) {
  for (const reference::Event& e : x.events)
    if (check::in_shared_cells(test, e))
      return "the counterexample goes beyond the elements of an array that this launch tells apart";
  return "";
}

Json access(const prog::Test& test, const Execution& x, uint32_t event) {
  const reference::Event& e = x.events[event];
  std::string text = report::event_text(test, x, event);
  if (const size_t at = text.find(": "); at != std::string::npos) text = text.substr(at + 2);
  Json out = {{"text", text}, {"location", e.span.location()}};
  if (e.key.thread == reference::k_init) return out;
  out["thread"] = e.key.thread;
  const prog::ScopePath& scope = test.threads[e.key.thread].scope;
  constexpr size_t k_block = 3;  // levels down to a block, in every dialect of kernels
  if (scope.size() >= k_block) out["block"] = std::vector<uint32_t>(scope.begin(), scope.begin() + k_block);
  return out;
}

// Values that the execution chose for what nobody gave: "n = 4".
std::vector<std::string> chosen(const prog::Test& test, const Execution& x) {
  std::vector<std::string> out;
  for (uint32_t k = 0; k < x.events.size(); ++k) {
    const prog::Instr* i = instruction(test, x.events[k]);
    if (i == nullptr || i->mnemonic != "undefined") continue;
    std::string text = report::event_text(test, x, k);
    const size_t at = text.find(": R ");
    if (at == std::string::npos) continue;
    text = text.substr(at + 4);
    if (text.starts_with("elsewhere")) continue;  // what lies beyond the end of an array
    if (std::find(out.begin(), out.end(), text) == out.end() && out.size() < 6) out.push_back(text);
  }
  return out;
}

Json verdict_of(const prog::Test& test, const check::Result& r) {
  Json j = {{"verdict", r.verdict.vacuous ? "vacuous" : name(r.verdict.status)}, {"detail", r.verdict.detail}};
  if (!prog::loops_of(test).empty()) j["bound"] = r.bound.least();
  j["seconds"] = r.stats.seconds;
  return j;
}

Json races_of(const prog::Test& test, const cat::Model& model, const check::Result& r) {
  Json j = verdict_of(test, r);
  if (r.verdict.status != Status::fails || !r.execution) return j;
  j["flags"] = r.flags;
  const Execution& x = r.execution->execution;
  const reference::Evaluation ev = reference::evaluate(model, x);
  j["accesses"] = Json::array();
  for (const reference::Explanation& e : reference::explain(model, x, ev, true)) {
    if (e.edges.empty()) continue;
    std::set<uint32_t> events = {e.edges[0].from, e.edges[0].to};
    for (const uint32_t v : events) j["accesses"].push_back(access(test, x, v));
    j["flag"] = model.axioms[e.axiom].name;
    break;
  }
  j["chosen"] = chosen(test, x);
  const std::string why = why_not_confirmed(test, x);
  j["confirmed"] = why.empty();
  if (!why.empty()) j["why_not_confirmed"] = why;
  return j;
}

// "2.1.2" of "1.2.2": the same threads, those of a block in one warp. "": the launch has other numbers.
std::string in_whole_warps(const std::string& grid) {
  const auto g = spirv::parse_grid(grid);
  if (!g || g->subgroup != 1 || g->subgroups == 1 || !grid.starts_with("1.")) return "";
  const size_t second = grid.find('.', 2);
  return fmt::format("{}.1{}", g->subgroups, second == std::string::npos ? "" : grid.substr(second));
}

// Whether threads of a warp wait for each other, or give each other values.
bool synchronises_warps(const prog::Test& test) {
  constexpr uint32_t k_warp = 3;  // scope level, in every dialect of kernels
  return prog::has_lanes(test) || std::ranges::any_of(test.templates, [](const prog::Template& t) {
           return std::ranges::any_of(
               t.code, [](const prog::Instr& i) { return i.kind == Kind::barrier && i.barrier.level == k_warp; });
         });
}

// The kernel at a launch. Two threads of a block of two are in one warp on every device; each is a warp of its own
// here, so that only barriers of the block order them, unless the kernel synchronises warps: then both are in one.
struct Read {
  Expected<std::vector<prog::Test>> tests;
  spirv::LaunchOptions launch;
  std::string grid;
};
Read read_at(const std::string& path, const Settings& s, bool of_the_page) {
  const auto options_of = [&](const Settings& about) {
    spirv::LaunchOptions launch = launch_of(about);
    for (const std::string& i : s.include_folders) launch.preprocessor.push_back("-I" + i);
    return launch;
  };
  Read out{read::parse_file(path, options_of(s)), options_of(s), s.grid};
  Settings whole = s;
  whole.grid = of_the_page ? in_whole_warps(s.grid) : "";
  const bool opencl = path.ends_with(".cl");  // what it has of warps does not depend on their size
  if (whole.grid.empty() || (opencl && !(out.tests && synchronises_warps(out.tests->front())))) return out;
  Read other{read::parse_file(path, options_of(whole)), options_of(whole), whole.grid};
  const auto says = [](const Diagnostics& ds) {
    const std::string& m = ds.list.front().message;
    return std::ranges::any_of(std::vector<const char*>{"lane", "exchange", "barrier of a warp", "__syncwarp"},
                               [&](const char* word) { return m.contains(word); });
  };
  if (other.tests ? synchronises_warps(other.tests->front()) : says(other.tests.error())) return other;
  return out;
}

// Parameters that the counterexample chose a value of: "n" of "n+0 = -2147483648".
std::vector<std::string> chosen_parameters(const Json& answer) {
  std::vector<std::string> out;
  for (const std::string text : answer.value("chosen", Json::array())) {
    const std::string name = text.substr(0, text.find_first_of("+ ["));
    if (name.starts_with("unspecified") || name.find('#') != std::string::npos) continue;  // of no parameter
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

template <typename Asked>
std::optional<prog::Test> with_defined_values(Json& answer, const std::string& path, const spirv::LaunchOptions& launch,
                                              const Job& whole, Asked asked) {
  constexpr size_t k_most = 8;  // parameters
  for (const int v : {2, 1, 4}) {
    std::vector<std::string> names = chosen_parameters(answer), values;
    for (size_t before = 0; names.size() > before && names.size() <= k_most;) {
      Job job = whole;
      if (job.out_of_time()) return std::nullopt;
      before = names.size();
      values.clear();
      for (const std::string& n : names) values.push_back(fmt::format("{} = {}", n, v));
      spirv::LaunchOptions small = launch;
      small.inputs.insert(small.inputs.end(), values.begin(), values.end());
      const auto tests = read::parse_file(path, small);
      if (!tests) return std::nullopt;  // it is no parameter
      Json again = asked(tests->front());
      if (again.value("flag", "") != "undefined-behavior" && again["verdict"] != name(Status::gave_up)) {
        again["given"] = again["assumed"] = values;
        answer = std::move(again);
        return tests->front();
      }
      for (const std::string& n : chosen_parameters(again))
        if (std::find(names.begin(), names.end(), n) == names.end()) names.push_back(n);
    }
  }
  return std::nullopt;
}

// A counterexample beyond the elements that the launch tells apart is no end of the search: the same question with
// small values of the parameters that it chose, which do not lead so far. What is confirmed with them is an answer, of
// those values; that nothing is found says so of them alone, and is told beside the first answer. The kernel with them,
// where it is.
// Where it is undefined behaviour that a parameter leads to (`i % n` with n = 0), small values are taken for what the
// host gives: what is found with them is the answer, which says so.
template <typename Asked>
std::optional<prog::Test> with_small_values(Json& answer, const std::string& path, const spirv::LaunchOptions& launch,
                                            const Job& whole, Asked asked) {
  if (answer["verdict"] != name(Status::fails)) return std::nullopt;
  if (answer.value("flag", "") == "undefined-behavior") return with_defined_values(answer, path, launch, whole, asked);
  if (answer.value("confirmed", true)) return std::nullopt;
  const std::vector<std::string> names = chosen_parameters(answer);
  std::vector<std::string> without;
  for (const int v : {2, 1, 4}) {
    Job job = whole;
    if (names.empty() || job.out_of_time()) break;
    spirv::LaunchOptions small = launch;
    std::vector<std::string> values;
    for (const std::string& n : names) values.push_back(fmt::format("{} = {}", n, v));
    small.inputs.insert(small.inputs.end(), values.begin(), values.end());
    const auto tests = read::parse_file(path, small);
    if (!tests) break;  // it is no parameter
    Json again = asked(tests->front());
    if (again.value("confirmed", false)) {
      std::vector<std::string> all = again.value("chosen", std::vector<std::string>{});
      all.insert(all.begin(), values.begin(), values.end());
      again["chosen"] = all;
      again["given"] = values;
      answer = std::move(again);
      return tests->front();
    }
    if (again["verdict"] == name(Status::holds)) without.push_back(fmt::format("{}", fmt::join(values, ", ")));
  }
  if (!without.empty())
    answer["why_not_confirmed"] = fmt::format("{}; there is none with {}", answer.value("why_not_confirmed", ""),
                                              fmt::join(without, ", none with "));
  return std::nullopt;
}

// What each thread does in an execution without end.
Json hang_of(const prog::Test& test, const check::Result& r) {
  Json j = verdict_of(test, r);
  if (r.verdict.status != Status::fails || !r.execution || !r.lasso) return j;
  const Execution& x = r.execution->execution;
  j["threads"] = Json::array();
  for (uint32_t t = 0; t < r.lasso->threads.size(); ++t) {
    const reference::ThreadLasso& l = r.lasso->threads[t];
    Json one = {{"fate", reference::name(l.fate)}, {"started", l.prefix > 0 || l.fate == reference::Fate::running}};
    std::set<std::string> seen;
    one["again"] = Json::array();
    for (uint32_t e = 0; e < x.events.size(); ++e)
      if (x.events[e].key.thread == t && e < r.round.size() && r.round[e] >= 0 && x.events[e].is_memory)
        if (const prog::Instr* i = instruction(test, x.events[e]); i != nullptr && i->mnemonic != "undefined")
          if (const std::string at = x.events[e].span.location(); seen.insert(at).second)
            one["again"].push_back(access(test, x, e));
    if (l.fate == reference::Fate::blocked)
      for (uint32_t e = 0; e < x.events.size(); ++e)
        if (x.events[e].key.thread == t) one["last"] = x.events[e].span.location();
    j["threads"].push_back(std::move(one));
  }
  j["chosen"] = chosen(test, x);
  const std::string why = why_not_confirmed(test, x);
  j["confirmed"] = why.empty();
  if (!why.empty()) j["why_not_confirmed"] = why;
  return j;
}

// No execution ends within these bounds: what was looked at are beginnings.
bool none_ends(prog::Test test, const cat::Model& model, check::Options options, const prog::LoopBounds& bound) {
  constexpr double k_seconds = 2;
  test.condition = {};
  test.quantifier = prog::Quantifier::exists;
  options.property = check::Property::condition;
  options.auto_bound = false;
  options.bound = bound;
  Job job = Job::with_budget(k_seconds);
  const check::Result r = check::check(test, model, options, job);
  return r.verdict.status == Status::unknown || r.verdict.status == Status::fails;
}

// Whether there is more than plain accesses and barriers.
bool orders(const prog::Test& test) {
  using vocab::Tag;
  for (const prog::Template& t : test.templates)
    for (const prog::Instr& i : t.code) {
      if (i.kind == Kind::rmw || i.kind == Kind::fence) return true;
      if (i.kind != Kind::load && i.kind != Kind::store) continue;
      for (const Tag tag : {Tag::A, Tag::ATOM, Tag::RLX, Tag::ACQ, Tag::REL, Tag::SC, Tag::VOLATILE})
        if (i.tags.has(tag)) return true;
    }
  return false;
}

bool has_fences(const prog::Test& test) {
  return std::any_of(test.templates.begin(), test.templates.end(), [](const prog::Template& t) {
    return std::any_of(t.code.begin(), t.code.end(),
                       [](const prog::Instr& i) { return i.kind == Kind::fence || i.kind == Kind::barrier; });
  });
}

// The first finding that is not decided. None: all are.
const relax::Finding* undecided(const relax::SiteReport& s) {
  const auto f = std::find_if(s.findings.begin(), s.findings.end(),
                              [](const relax::Finding& x) { return x.decision.outcome == relax::Outcome::undecided; });
  return f == s.findings.end() ? nullptr : &*f;
}

// Fences and barriers: needed, not needed, or not decided. Not needed is what can go without a race, without a thread
// that waits for ever, and without a new final state.
Json fences_of(const prog::Test& test, const cat::Model& model, const relax::Session& session,
               const check::Options& options, const std::function<Job()>& next_job) {
  const relax::Report& r = session.report();
  Json out = Json::array();
  for (uint32_t k = 0; k < r.sites.size(); ++k) {
    const prog::Site& site = r.sites[k];
    const auto absent =
        std::find_if(site.forms.begin(), site.forms.end(), [](const prog::SiteForm& f) { return f.shape.absent; });
    if (absent == site.forms.end() || k >= r.each.size()) continue;
    Json one = {{"location", site.span.location()}, {"text", site.forms[0].text}};
    if (r.each[k].kind != relax::SiteReport::Kind::droppable) {
      const relax::Finding* open = undecided(r.each[k]);
      one["verdict"] = open != nullptr ? "undecided" : "needed";
      if (open != nullptr) one["why"] = open->decision.detail;
    } else {
      Job job = next_job();
      check::Options asked = options;
      const prog::Test without = session.variant(session.alone(k, static_cast<uint32_t>(absent - site.forms.begin())));
      const auto same = refine::refine(test, without, model, asked, job);
      const bool says = same && !same->verdict.vacuous && !same->undefined;
      one["verdict"] = says && same->verdict.status == Status::holds   ? "not-needed"
                       : says && same->verdict.status == Status::fails ? "needed"
                                                                       : "undecided";
      if (one["verdict"] == "undecided")
        one["why"] = !same                   ? same.error().list.front().message
                     : same->verdict.vacuous ? "no execution ends within the bound"
                     : same->undefined       ? "the kernel as it is raises a flag, so that every outcome is allowed"
                     : same->verdict.detail.empty() ? std::string(name(same->verdict.status))
                                                    : same->verdict.detail;
    }
    out.push_back(std::move(one));
  }
  return out;
}

// The repairs with the fewest changes of the source: threads whose code differs in constants change one by one.
Json repair_of(const relax::Report& r) {
  std::vector<Json> fixes;
  if (!r.repair) return Json::array();
  for (const relax::Minimal& m : r.repair->fixes) {
    Json changes = Json::array();
    for (size_t k = 0; k < m.choice.size(); ++k) {
      if (m.choice[k] == 0) continue;
      const prog::Site& site = r.sites[k];
      const prog::SiteForm& f = site.forms[m.choice[k]];
      std::string where = prog::describe(r.asked, site);  // "P0, P1: before atomicExch lock, 0"
      if (const size_t at = where.find(": "); at != std::string::npos) where = where.substr(at + 2);
      for (size_t at = where.find("@block"); at != std::string::npos; at = where.find("@block", at))
        where.erase(at, std::min(where.find_first_not_of("0123456789", at + 6), where.size()) - at);
      Json one = {
          {"location", site.span.location()},
          {"text", site.gap ? fmt::format("insert {} {}", f.text, where) : fmt::format("{} -> {}", where, f.text)}};
      if (std::find(changes.begin(), changes.end(), one) == changes.end()) changes.push_back(std::move(one));
    }
    fixes.push_back(std::move(changes));
  }
  std::stable_sort(fixes.begin(), fixes.end(), [](const Json& x, const Json& y) { return x.size() < y.size(); });
  Json out = Json::array();
  for (Json& f : fixes)
    if (out.size() < 2 && f.size() == fixes.front().size() && std::find(out.begin(), out.end(), f) == out.end())
      out.push_back(std::move(f));
  return out;
}

}  // namespace

Json ended_at_launch(const std::string& grid, Ask question, const std::string& why) {
  const char* key = question == Ask::races ? "races" : question == Ask::fair ? "fair" : "obe";
  return {{"launch", grid}, {"orders", true}, {key, {{"verdict", "gave_up"}, {"detail", why}}}};
}

Json at_launch(const std::string& path, const std::string& entry, const std::string& grid, Ask question,
               const Settings& given, const std::function<void(const Json&)>& so_far) {
  Settings s = given;
  s.grid = grid;
  s.entry = entry;
  Json j = {{"launch", grid}};
  const Read read = read_at(path, s, given.grid.empty());
  const auto& [tests, launch, shape] = read;
  if (shape != grid) j["warps"] = shape;
  if (!tests) return j["error"] = error_of(tests.error()), j;
  const prog::Test& test = tests->front();
  ModelCache models;
  const auto known = models.get("", test);
  if (!known) return j["error"] = error_of(known.error()), j;
  const cat::Model& model = **known;
  j["assumptions"] = test.assumptions;
  for (const std::string& i : s.inputs)
    j["assumptions"].push_back("values of --input: " +
                               printable_name(i.substr(std::min(i.find_first_not_of(' '), i.size()))));

  // Reading, races, and what is asked on from there (fences or a repair) share the budget.
  const Job whole = job_of(s);
  const auto next_job = [&] { return whole; };
  relax::Options o;
  o.check.auto_bound = s.bound == 0 || !s.has("--bound");
  o.check.bound = std::max(s.bound, 1u);
  const auto ask_of = [&](const prog::Test& about, check::Property property, const char* progress) {
    check::Options asked = o.check;
    asked.property = property;
    if (property == check::Property::termination) asked.progress = *check::parse_progress(progress, about.dialect);
    Job job = next_job();
    return check::check(about, model, asked, job);
  };
  const auto ask = [&](check::Property property, const char* progress) { return ask_of(test, property, progress); };
  if (question == Ask::fair || question == Ask::obe) {
    const char* blocks = test.dialect == vocab::Dialect::ptx ? "GPU=OBE" : "DV=OBE";
    const char* progress = question == Ask::fair ? "FAIR" : blocks;
    const auto hang = [&](const prog::Test& about) {
      return hang_of(about, ask_of(about, check::Property::termination, progress));
    };
    Json& answer = j[question == Ask::fair ? "fair" : "obe"] = hang(test);
    with_small_values(answer, path, launch, whole, hang);
    return j;
  }
  j["orders"] = orders(test);
  Json begun = j;
  begun["races"] = {{"verdict", "gave_up"}, {"detail", fmt::format("gave up: {}", k_why_ended)}};
  so_far(begun);
  const auto races_in = [&](const prog::Test& about, const check::Result& r) {
    Json answer = races_of(about, model, r);
    check::Options asked = o.check;
    asked.property = check::Property::races;
    using Said = check::Beside::Said;
    const Said air = check::beside(about, model, asked, r, next_job()).thin_air;
    if (answer.value("confirmed", false) && (air == Said::yes || air == Said::unknown)) {
      answer["confirmed"] = false;
      answer["why_not_confirmed"] = air == Said::yes ? "every execution that shows it has a value out of thin air"
                                                     : "the execution that shows it has a value out of thin air";
    }
    return answer;
  };
  const check::Result races = ask(check::Property::races, "");
  j["races"] = races_in(test, races);
  const auto small = with_small_values(j["races"], path, launch, whole, [&](const prog::Test& about) {
    return races_in(about, ask_of(about, check::Property::races, ""));
  });
  if (j["races"]["verdict"] == name(Status::unknown)) {
    Json ended = j;
    ended["ended"] = "gave_up";
    so_far(ended);
    if (none_ends(small ? *small : test, model, o.check, races.bound)) j["races"]["none_complete"] = true;
  }
  const bool hold = j["races"]["verdict"] == name(Status::holds);
  const bool racy = j["races"].value("confirmed", false) && j["races"].value("flag", "") != "undefined-behavior";
  if (!hold && !racy) return j;
  if (Json ended = j; racy || has_fences(test)) {
    ended[racy ? "repair_not_asked" : "fences_not_asked"] = k_why_ended;
    ended["ended"] = "gave_up";
    so_far(ended);
  }
  o.check.progress = *check::parse_progress("FAIR", test.dialect);
  o.keep_is_explicit = true;
  o.keep = {check::Property::races};
  o.steps = relax::Steps::drop;
  o.max_changes = 4;  // two places of the source, in the code of two threads
  const prog::Test& about = small ? *small : test;
  if (hold && ask_of(about, check::Property::termination, "FAIR").verdict.status == Status::holds)
    o.keep.push_back(check::Property::termination);
  Job job = next_job();
  const relax::Session session(about, model, o, job);
  const relax::Report& r = session.report();
  if (hold && r.mode == relax::Report::Mode::weaken) {
    j["fences"] = fences_of(r.asked, model, session, o.check, next_job);
  } else if (hold) {
    if (has_fences(test)) j["fences_not_asked"] = r.trouble;
  } else if (r.mode == relax::Report::Mode::repair) {
    j["repair"] = repair_of(r);
    if (r.repair->fixes.empty()) j["no_repair"] = r.repair->why_none;
  } else {
    j["repair_not_asked"] = r.trouble;
  }
  return j;
}

}  // namespace fencepost::cli::audit
