#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "lower/lower.h"
#include "print/litmus.h"
#include "prog/syntax.h"
#include "read/read.h"
#include "refine/refinement.h"

namespace fencepost::cli {
namespace {

namespace fs = std::filesystem;

struct Pair {  // one test and what became of it
  std::string name;
  prog::Test source;
  std::optional<prog::Test> target;
  std::optional<refine::Refinement> refinement;
  Diagnostics errors;
  std::vector<bool> used;  // by rule of the table
};

// A source that is undefined allows everything, so that nothing is said of the mapping.
bool says_nothing(const Pair& p) { return p.refinement->verdict.status == Status::holds && p.refinement->undefined; }
const char* verdict_of(const Pair& p) { return says_nothing(p) ? "undefined" : name(p.refinement->verdict.status); }

struct Models {
  const cat::Model* from = nullptr;
  const cat::Model* to = nullptr;
};

Pair decide(const lower::Table& table, const Models& models, const Settings& s, std::string name, prog::Test test) {
  Pair p{std::move(name), std::move(test), {}, {}, {}, {}};
  auto target = lower::apply(table, p.source, &p.used);
  if (!target) {
    p.errors = target.error();
    return p;
  }
  p.target = std::move(*target);
  Job job = job_of(s);
  auto r = refine::refine(p.source, *models.from, *p.target, *models.to, check_options(s), job);
  if (r)
    p.refinement = std::move(*r);
  else
    p.errors = r.error();
  return p;
}

std::string found(const Pair& p) {
  const refine::Refinement& r = *p.refinement;
  if (r.verdict.status == Status::fails && !r.new_states.empty())
    return fmt::format("new outcome: {}", prog::to_string(r.observables, r.new_states.front()));
  if (r.undefined) return r.verdict.detail;
  if (r.verdict.status == Status::holds)
    return fmt::format("every outcome is one of the source's ({} of {} states)", r.target_states, r.source_states);
  return r.verdict.detail;
}

// The two tests, each asking for the new outcome, so that `check` and `explain` show what is wrong.
std::pair<std::string, std::string> counterexample(const Pair& p) {
  prog::Test source = p.source, target = *p.target;
  const refine::Refinement& r = *p.refinement;
  if (!r.new_states.empty()) {
    target = refine::asking_for(target, r.observables, r.new_states.front());
    source.quantifier = prog::Quantifier::exists;
    source.condition = target.condition;
    // Registers and locations have other numbers there, and the same names.
    const auto rename = [&](auto&& self, prog::Cond& c) -> void {
      if (c.kind == prog::Cond::Kind::atom) {
        prog::CondValue& v = c.lhs;
        if (v.kind == prog::CondValue::Kind::reg) {
          const std::string& name = target.code(v.thread).registers[v.reg].name;
          const auto& regs = source.code(v.thread).registers;
          for (prog::RegId k = 0; k < regs.size(); ++k)
            if (regs[k].name == name) {
              v.reg = k;
              return;
            }
        } else if (v.kind == prog::CondValue::Kind::location) {
          const std::string name = target.symbols[v.symbol].name;
          for (prog::SymbolId k = 0; k < source.symbols.size(); ++k)
            if (source.symbols[k].name == name) {
              v.symbol = k;
              return;
            }
        }
      }
      for (prog::Cond& kid : c.kids) self(self, kid);
    };
    rename(rename, source.condition);
  }
  return {print::print(source), print::print(target)};
}

Expected<void> write_pair(const std::string& folder, const Pair& p, std::string& note) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  const std::string base = (fs::path(folder) / fs::path(p.name).stem()).string();
  const auto [source, target] = counterexample(p);
  for (const auto& [path, text] :
       {std::pair(base + "-source.litmus", source), std::pair(base + "-lowered.litmus", target)}) {
    if (auto written = write_output(path, text); !written) return written;
  }
  note = fmt::format("  {}-source.litmus\n  {}-lowered.litmus\n", base, base);
  return {};
}

std::string pair_json(const Pair& p) {
  if (!p.refinement)
    return fmt::format("{{\"path\": {}, \"verdict\": \"unsupported\", \"detail\": {}}}", json_string(p.name),
                       json_string(p.errors.list[0].message));
  std::string texts = "null";
  if (p.refinement->verdict.status == Status::fails) {
    const auto [source, target] = counterexample(p);
    texts = fmt::format("{{\"source\": {}, \"lowered\": {}}}", json_string(source), json_string(target));
  }
  return fmt::format("{{\"path\": {}, \"verdict\": \"{}\", \"detail\": {}, \"counterexample\": {}}}",
                     json_string(p.name), verdict_of(p), json_string(found(p)), texts);
}

struct Tally {
  uint64_t holds = 0, undefined = 0, fails = 0, undecided = 0, left_out = 0;
  void add(const Pair& p) {
    if (!p.refinement) return void(++left_out);
    const Status s = p.refinement->verdict.status;
    if (s == Status::holds)
      ++(p.refinement->undefined ? undefined : holds);
    else
      ++(s == Status::fails ? fails : undecided);
  }
};

// The rules that no test has met, by their patterns.
class Unused {
 public:
  explicit Unused(const lower::Table& table) : table_(table), met_(table.rules.size()) {}
  void add(const Pair& p) {
    for (size_t k = 0; k < p.used.size(); ++k) met_[k] = met_[k] || p.used[k];
  }
  // Those that map something that orders, and the others.
  std::vector<std::string> patterns(bool ordered) const {
    std::vector<std::string> out;
    for (size_t k = 0; k < met_.size(); ++k)
      if (!met_[k] && lower::orders(table_.rules[k]) == ordered) out.push_back(lower::to_string(table_.rules[k]));
    return out;
  }

 private:
  const lower::Table& table_;
  std::vector<bool> met_;
};

constexpr uint64_t k_shown = 3;  // counterexamples among generated tests that are written in full

}  // namespace

int run_lower(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto table = lower::load_table(line.operands[0]);
  if (!table) return report_errors(console, table.error());
  if (line.operands.size() < 2 && s.generate == 0)
    return report_errors(console,
                         error_at({}, "there is no test to lower", "name litmus files, or add --generate 3").error());
  const auto dialect = [](prog::Syntax x) {
    return x == prog::Syntax::ptx      ? vocab::Dialect::ptx
           : x == prog::Syntax::vulkan ? vocab::Dialect::vulkan
                                       : vocab::Dialect::opencl;
  };
  ModelCache cache;
  const auto& from = cache.get(s.model.empty() ? table->from_model : s.model, dialect(table->from));
  if (!from) return report_errors(console, from.error());
  const auto& to = cache.get(s.to_model.empty() ? table->to_model : s.to_model, dialect(table->to));
  if (!to) return report_errors(console, to.error());
  const Models models{&*from, &*to};

  int code = k_exit_holds;
  std::vector<std::string> json;
  Tally tally;
  Unused unused(*table);
  const auto told = [&](const Pair& p) -> bool {  // false: an error ends the run
    tally.add(p);
    unused.add(p);
    if (!p.refinement) {
      code = worse(code, exit_code(p.errors));
      if (s.json)
        json.push_back(pair_json(p));
      else
        console.err(render(p.errors));
      return true;
    }
    const Status status = p.refinement->verdict.status;
    code = worse(code, says_nothing(p) ? k_exit_undecided : fencepost::exit_code(status));
    std::string note;
    if (status == Status::fails && !s.output.empty())
      if (const auto written = write_pair(s.output, p, note); !written) {
        code = report_errors(console, written.error());
        return false;
      }
    if (s.json) {
      json.push_back(pair_json(p));
      return true;
    }
    console.out(fmt::format("{}  {}  {}\n{}", p.name, verdict_of(p), found(p), note));
    if (status == Status::fails && s.output.empty()) {
      const auto [a, b] = counterexample(p);
      console.out(a + b);
    }
    return true;
  };

  if (line.operands.size() > 1) {
    const auto files = expand({line.operands.begin() + 1, line.operands.end()});
    if (!files) return report_errors(console, files.error());
    for (const std::string& path : *files) {
      const auto tests = read::parse_file(path);
      if (!tests) {
        code = worse(code, report_errors(console, tests.error()));
        continue;
      }
      for (const prog::Test& t : *tests)
        if (!told(decide(*table, models, s, label(path, t, tests->size()), t))) return code;
    }
  }

  if (s.generate > 0) {
    tally = {};
    const uint64_t total = lower::count_generated(*table, s.generate);
    Progress progress(console, total, "tests");
    std::vector<lower::Generated> batch;
    uint64_t done = 0, shown = 0;
    bool fine = true;
    const Console nowhere{[](std::string_view) {}, [](std::string_view) {}, false};
    Progress quiet(nowhere, 1, "");
    const auto flush = [&] {
      in_order(
          batch.size(), s.threads, quiet,
          [&](size_t i) {
            std::string name = batch[i].test.title;
            return decide(*table, models, s, std::move(name), std::move(batch[i].test));
          },
          [&](size_t, Pair p) {
            ++done;
            if (!fine) return;
            if (!p.refinement || (p.refinement->verdict.status != Status::holds && shown++ < k_shown)) {
              progress.clear();
              fine = told(p);
            } else {
              tally.add(p);
              unused.add(p);
              code = worse(code, fencepost::exit_code(p.refinement->verdict.status));
            }
          });
      batch.clear();
      progress.at(done);
      return fine;
    };
    lower::generate(*table, s.generate, [&](lower::Generated g) {
      batch.push_back(std::move(g));
      return batch.size() < 512 || flush();
    });
    if (fine) flush();
    if (!fine) return code;
    progress.clear();
    if (s.json)
      json.push_back(
          fmt::format("{{\"generated\": {}, \"holds\": {}, \"undefined\": {}, \"fails\": {}, \"undecided\": {}, "
                      "\"unsupported\": {}}}",
                      total, tally.holds, tally.undefined, tally.fails, tally.undecided, tally.left_out));
    else
      console.out(
          fmt::format("{}  {} generated tests: {} gain no outcome, {} have a race in the source, {} gain one{}{}\n",
                      table->name, total, tally.holds, tally.undefined, tally.fails,
                      tally.undecided > 0 ? fmt::format(", {} undecided", tally.undecided) : "",
                      tally.left_out > 0 ? fmt::format(", {} not lowered", tally.left_out) : ""));
  }
  std::vector<std::string> unjudged, left = unused.patterns(false);
  const std::vector<std::string> unmet = unused.patterns(true);
  if (s.generate == 0) {
    left.insert(left.end(), unmet.begin(), unmet.end());
  } else {
    unjudged = lower::unjudged_updates(*table);
    if (!unjudged.empty())
      console.err(
          fmt::format("{}: not decided: the order of {}: a test that hands data over by it needs a rule for "
                      "accesses without order\n",
                      line.operands.front(), fmt::join(unjudged, ", ")));
    if (!unmet.empty())
      console.err(fmt::format("{}: not decided: {}: no generated test has met {}{}\n", line.operands.front(),
                              fmt::join(unmet, ", "),
                              unmet.size() == 1 ? "this rule, which orders" : "these rules, which order",
                              s.generate < 3 ? " (tests with fences begin at --generate 3; name others as files)"
                                             : "; name a test that does"));
    for (const std::string& u : unmet)
      if (std::ranges::find(unjudged, u) == unjudged.end()) unjudged.push_back(u);
    if (!unjudged.empty()) code = worse(code, k_exit_undecided);
  }
  if (!s.output.empty() && tally.fails == 0)
    console.err(
        fmt::format("{}: note: no test gains an outcome, so {} is not written\n", line.operands.front(), s.output));
  if (!s.json && !left.empty())
    console.err(s.generate > 0 ? fmt::format("{}: note: rules that no test has met: {}\n", line.operands.front(),
                                             fmt::join(left, ", "))
                               : fmt::format("{}: note: {} of the table's {} rules were met by no test\n",
                                             line.operands.front(), left.size(), table->rules.size()));
  if (s.json) {
    std::string list, rules, not_judged;
    for (const std::string& u : unjudged) not_judged += (not_judged.empty() ? "" : ", ") + json_string(u);
    for (const std::string& r : left) rules += (rules.empty() ? "" : ", ") + json_string(r);
    for (const std::string& j : json) list += (list.empty() ? "\n    " : ",\n    ") + j;
    console.out(
        fmt::format("{{\n  \"schema\": \"fencepost.lower/1\",\n  \"table\": {},\n  \"models\": [{}, {}],\n  "
                    "\"bound\": {},\n  \"unused_rules\": [{}],\n  \"not_judged\": [{}],\n  \"results\": [{}\n  ]\n}}\n",
                    json_string(table->name), json_string(fs::path(from->path).stem().string()),
                    json_string(fs::path(to->path).stem().string()), std::max(s.bound, 1u), rules, not_judged, list));
  }
  return code;
}

}  // namespace fencepost::cli
