#include "laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "cat/library.h"
#include "check/first_bounds.h"
#include "numbers.h"
#include "read/read.h"
#include "relax/relax.h"
#include "variant.h"

namespace fencepost::fuzz {

namespace {

using check::Property;
using Kind = Finding::Kind;

bool decided(Status s) { return s == Status::holds || s == Status::fails; }
bool answered(Status s) { return decided(s) || s == Status::unknown; }

Finding kept() { return {Kind::kept, ""}; }
Finding broken(std::string sentence) { return {Kind::broken, std::move(sentence)}; }

std::string told(const check::Result& r) {
  return fmt::format("{}{}", name(r.verdict.status), r.verdict.vacuous ? " (vacuous)" : "");
}
bool differ(const check::Result& a, const check::Result& b) {
  return a.verdict.status != b.verdict.status || a.verdict.vacuous != b.verdict.vacuous;
}

check::Result ask(const Asked& a, const prog::Test& t, check::Options o) {
  Job job = Job::with_budget(a.seconds);
  return a.decide.check(t, a.model, o, job);
}
check::Outcomes outcomes(const Asked& a, const prog::Test& t, check::Options o = {}) {
  Job job = Job::with_budget(a.seconds);
  return a.decide.outcomes(t, a.model, o, job);
}
check::Options with(check::Engine engine, Property property = Property::condition) {
  check::Options o;
  o.engine = engine;
  o.property = property;
  return o;
}
check::Engine some_engine(Rng& rng) { return rng.chance(0.5) ? check::Engine::enumerate : check::Engine::solve; }

// Without a question, so that everything is observed.
Program bare(Program p) {
  p.filter.clear();
  p.question = {};
  return p;
}

// Final states as text, by the original's names; a state with a value that nothing fixes says so.
struct Table {
  std::set<std::map<std::string, std::string>> states;
  bool complete = false, free = false;
  std::vector<std::string> flags;
};
Table table(const Asked& a, const prog::Test& t, const std::function<std::string(const std::string&)>& called,
            check::Options o = {}) {
  const check::Outcomes from = outcomes(a, t, o);
  Table out;
  out.complete = from.states.complete && from.status.status == Status::holds;
  out.flags = from.flags;
  out.flags.insert(out.flags.end(), from.findings.begin(), from.findings.end());
  std::sort(out.flags.begin(), out.flags.end());
  for (const prog::State& s : from.states.states) {
    std::map<std::string, std::string> row;
    for (size_t i = 0; i < s.size(); ++i) {
      const std::string known = called(from.observables[i].text);
      if (known.empty()) continue;
      out.free = out.free || s[i].free;
      row[known] = s[i].free ? "?" : prog::to_string(from.observables[i], s[i].value);
    }
    out.states.insert(std::move(row));
  }
  return out;
}
std::string same(const std::string& observable) { return observable; }

std::string text(const std::map<std::string, std::string>& row) {
  std::string out;
  for (const auto& [name, value] : row) out += fmt::format("{}{}={}", out.empty() ? "" : "; ", name, value);
  return out;
}
std::optional<std::string> difference(const Table& one, const Table& other) {
  if (!one.complete || !other.complete) return std::nullopt;
  if (one.flags != other.flags) return "the flags differ";
  if (one.free || other.free) return std::nullopt;
  for (const auto& [from, in, who] : {std::tuple(&one, &other, "the program"), {&other, &one, "the variant"}})
    for (const auto& row : from->states)
      if (!in->states.contains(row)) return fmt::format("only {} ends in {}", who, text(row));
  return std::nullopt;
}

// The same answers to the question, about races, and the same outcomes.
Finding same_meaning(const Asked& a, const Program& p, const Variant& v) {
  Rng rng(a.seed);
  const auto one = parse(p), other = parse(v.program);
  if (!one) return {};
  if (!other) return broken("the variant is not read: " + render(other.error()));
  bool some = false;
  for (const Property property : {Property::condition, Property::races}) {
    const check::Options o = with(some_engine(rng), property);
    const check::Result r = ask(a, *one, o), s = ask(a, *other, o);
    if (!answered(r.verdict.status) || !answered(s.verdict.status)) continue;
    some = true;
    if (differ(r, s))
      return broken(fmt::format("{} by {}: {}, of the variant {}", name(property), name(o.engine), told(r), told(s)));
  }
  const auto all = parse(bare(p)), all_of_variant = parse(bare(v.program));
  if (!all || !all_of_variant) return some ? kept() : Finding{};
  if (const auto d = difference(table(a, *all, same), table(a, *all_of_variant, v.called)))
    return broken("outcomes: " + *d);
  return some ? kept() : Finding{};
}

Finding look_permuted(const Asked& a) {
  const size_t n = a.program.threads.size();
  if (n < 2) return {};
  Rng rng(a.seed);
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = n; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  if (std::is_sorted(order.begin(), order.end())) std::reverse(order.begin(), order.end());
  return same_meaning(a, a.program, permuted(a.program, order));
}

Finding look_renamed(const Asked& a) { return same_meaning(a, a.program, renamed(a.program)); }

Finding look_unrelated(const Asked& a) {
  const auto v = with_location(a.program);
  return v ? same_meaning(a, a.program, *v) : Finding{};
}

// Not under models of published tables: who takes part in a barrier is read off the code there, and a register has no
// number in the code.
Finding look_registers(const Asked& a) {
  if (a.model.mentioned_barriers) return {};
  const auto v = with_register_barriers(a.program, a.seed % 2 == 0);
  return v ? same_meaning(a, a.program, *v) : Finding{};
}

Finding look_exchanges(const Asked& a) {
  const auto v = with_failing_exchanges(a.program);
  return v ? same_meaning(a, v->first, {v->second, same}) : Finding{};
}

// ptx-9 adds instructions to ptx-8 and says the same of programs without them (its header).
Finding look_versions(const Asked& a) {
  if (a.program.syntax != prog::Syntax::ptx && a.program.syntax != prog::Syntax::gpu_ptx) return {};
  static const auto older = cat::load_model("ptx-8", prog::Dialect::ptx),
                    newer = cat::load_model("ptx-9", prog::Dialect::ptx);
  const auto test = parse(a.program);
  if (!test || !older || !newer || !check::fits(*test, *older)) return {};
  Rng rng(a.seed);
  bool some = false;
  for (const Property property : {Property::condition, Property::races}) {
    const check::Options o = with(some_engine(rng), property);
    const check::Result before = ask({a.program, *older, a.decide, a.seconds, a.seed}, *test, o),
                        after = ask({a.program, *newer, a.decide, a.seconds, a.seed}, *test, o);
    if (!decided(before.verdict.status) || !answered(after.verdict.status)) continue;
    some = true;
    if (differ(before, after))
      return broken(fmt::format("{} by {}: {} under ptx-8, {} under ptx-9", name(property), name(o.engine),
                                told(before), told(after)));
  }
  return some ? kept() : Finding{};
}

// ---- the question, read once more from its text -----------------------------------------------------
enum class Truth : uint8_t { no, yes, open };

Truth holds(const Conjunction& c, const std::map<std::string, std::string>& row) {
  Truth out = Truth::yes;
  for (const Atom& a : c) {
    const auto at = row.find(a.thread < 0 ? a.name : fmt::format("{}:{}", a.thread, a.name));
    if (at == row.end() || at->second == "?")
      out = Truth::open;
    else if (at->second != a.value)
      return Truth::no;
  }
  return out;
}
Truth holds(const Question& q, const std::map<std::string, std::string>& row) {
  Truth out = Truth::no;
  for (const Conjunction& c : q.disjuncts) {
    const Truth one = holds(c, row);
    if (one == Truth::yes) {
      out = Truth::yes;
      break;
    }
    if (one == Truth::open) out = Truth::open;
  }
  if (!q.negated || out == Truth::open) return out;
  return out == Truth::yes ? Truth::no : Truth::yes;
}

Finding look_outcomes(const Asked& a) {
  const auto test = parse(a.program);
  if (!test || a.program.question.quantifier == prog::Quantifier::none) return {};
  Rng rng(a.seed);
  const Table all = table(a, *test, same);
  bool yes = false, no = false;
  for (const auto& row : all.states) {
    const Truth t = holds(a.program.question, row);
    if (t == Truth::open) return {};
    (t == Truth::yes ? yes : no) = true;
  }
  const prog::Quantifier q = a.program.question.quantifier;
  const bool forall = q == prog::Quantifier::forall;
  const bool seen = forall ? no : yes;  // what decides it from a single state
  const check::Options o = with(some_engine(rng));
  const check::Result r = ask(a, *test, o);
  if (answered(r.verdict.status) && (seen || all.complete)) {
    const Status expected = seen == (q == prog::Quantifier::exists) ? Status::holds : Status::fails;
    if (r.verdict.status != expected)
      return broken(fmt::format("{} says {}, and of {} final states {} meet the question{}", name(o.engine), told(r),
                                all.states.size(), yes ? no ? "some" : "all" : "none",
                                all.complete ? "" : " (not all states are known)"));
  }
  const check::Options races = with(some_engine(rng), Property::races);
  const check::Result flagged = ask(a, *test, races);
  if (all.complete && decided(flagged.verdict.status) && (flagged.verdict.status == Status::fails) == all.flags.empty())
    return broken(fmt::format("races by {}: {}, and {} flags among the outcomes", name(races.engine), told(flagged),
                              all.flags.size()));
  return kept();
}

Finding look_refine(const Asked& a) {
  Rng rng(a.seed);
  const Program whole = bare(a.program);
  std::vector<Program> others = smaller(whole);
  std::erase_if(others, [&](const Program& q) { return q.threads.size() != whole.threads.size() || !parse(q); });
  const auto source = parse(whole);
  if (others.empty() || !source) return {};
  const Program& changed = others[rng.below(others.size())];
  auto target = parse(changed);
  // Either of them may be the one that replaces the other.
  const bool turned = rng.chance(0.5);
  const prog::Test& from = turned ? *target : *source;
  const prog::Test& to = turned ? *source : *target;
  Job job = Job::with_budget(a.seconds);
  const auto r = a.decide.refine(from, to, a.model, {}, job);
  if (!r || !decided(r->verdict.status)) return {};
  const Table allowed = table(a, from, same), done = table(a, to, same);
  if (!allowed.complete || !done.complete || allowed.free || done.free) return {};
  const auto flagged = [&](const prog::Test& t) {
    return ask(a, t, with(check::Engine::solve, Property::races)).verdict.status;
  };
  if (r->undefined) return flagged(from) == Status::holds ? broken("refine takes the source for undefined") : kept();
  std::set<std::string> common;
  for (const prog::Observable& o : r->observables) common.insert(o.text);
  // Refine compares cells by their place: `B` of a test is `B[0]` of one in which B has two cells. The rows here go by
  // name, and say nothing of such pairs.
  const auto named_alike = [&](const Table& t) {
    return std::all_of(t.states.begin(), t.states.end(), [&](const auto& row) {
      return std::all_of(common.begin(), common.end(), [&](const std::string& o) { return row.contains(o); });
    });
  };
  if (!named_alike(allowed) || !named_alike(done)) return {};
  const auto projected = [&](const Table& t) {
    std::set<std::map<std::string, std::string>> out;
    for (auto row : t.states) {
      std::erase_if(row, [&](const auto& e) { return !common.contains(e.first); });
      out.insert(std::move(row));
    }
    return out;
  };
  const auto sources = projected(allowed), targets = projected(done);
  const bool included = std::includes(sources.begin(), sources.end(), targets.begin(), targets.end());
  const bool fewer_flags =
      std::includes(allowed.flags.begin(), allowed.flags.end(), done.flags.begin(), done.flags.end());
  if ((included && fewer_flags) != (r->verdict.status == Status::holds))
    return broken(fmt::format("refine of the program with a piece {} says {}, the outcomes are {}included{}",
                              turned ? "put back" : "taken away", name(r->verdict.status), included ? "" : "not ",
                              fewer_flags ? "" : ", and there is a new flag"));
  for (const prog::State& s : r->new_states) {
    const auto asked = [&](const prog::Test& t) {
      return ask(a, refine::asking_for(t, r->observables, s), with(check::Engine::solve)).verdict.status;
    };
    if (asked(to) == Status::fails) return broken("a new state of refine is none of the target");
    // The observables are the target's; by name they are the source's only where nothing moved.
    if (from.threads.size() == to.threads.size() && prog::observables(from) == prog::observables(to) &&
        asked(from) == Status::holds)
      return broken("a new state of refine is one of the source too");
  }
  return kept();
}

Finding look_relax(const Asked& a) {
  const auto test = parse(a.program);
  if (!test || a.program.question.quantifier == prog::Quantifier::none) return {};
  Job job = Job::with_budget(4 * a.seconds);
  const Relaxed r = a.decide.relax(*test, a.model, {}, job);
  if (!r.found) return {};
  for (const Property p : r.kept) {
    const check::Result again = ask(a, r.result, with(check::Engine::enumerate, p));
    if (answered(again.verdict.status) && again.verdict.status != Status::holds)
      return broken(fmt::format("{} of what relax has found: {}", name(p), told(again)));
  }
  for (const prog::Test& w : r.weaker) {
    bool wrong = false;
    for (const Property p : r.kept) {
      const check::Result again = ask(a, w, with(check::Engine::enumerate, p));
      wrong = wrong || again.verdict.status != Status::holds || again.verdict.vacuous;
    }
    if (!wrong) return broken("a step weaker than what relax has found holds too");
  }
  return kept();
}

Finding look_filter(const Asked& a) {
  if (a.program.filter.empty()) return {};
  Rng rng(a.seed);
  Program open = a.program;
  open.filter.clear();
  // With the filter as a further disjunct the same things are observed.
  Program asked = a.program;
  if (asked.question.quantifier == prog::Quantifier::none) return {};
  open.question.disjuncts.push_back(a.program.filter);
  asked.question.disjuncts.push_back(a.program.filter);
  const auto with_filter = parse(asked), without = parse(open);
  if (!with_filter || !without) return {};
  const Table some = table(a, *with_filter, same), all = table(a, *without, same);
  if (some.complete && all.complete && !all.free && !some.free) {
    std::set<std::map<std::string, std::string>> admitted;
    for (const auto& row : all.states)
      if (holds(a.program.filter, row) == Truth::yes) admitted.insert(row);
    if (admitted != some.states)
      return broken(fmt::format("{} final states with the filter, {} of the {} without it meet it", some.states.size(),
                                admitted.size(), all.states.size()));
  }
  for (const auto& row : some.states)
    if (holds(a.program.filter, row) == Truth::no)
      return broken("a final state does not meet the filter: " + text(row));
  // A flag that is raised in spite of the filter is raised without it; and an unfinished search stays unfinished.
  const check::Options races = with(some_engine(rng), Property::races);
  const check::Result narrow = ask(a, *with_filter, races), wide = ask(a, *without, races);
  if (narrow.verdict.status == Status::fails && wide.verdict.status == Status::holds)
    return broken("only with the filter a flag is raised");
  return kept();
}

// One answer says that there is no such execution, and the other shows one, of a test whose loops may end by values out
// of thin air: the first names it as an assumption that none does (docs/semantics.md, Loops).
bool is_thin_air(const Asked& a, const prog::Test& test, const check::Result& r, const check::Result& s) {
  // What has no execution at a bound at which no loop can end may have one beyond it, and then the bound is reached.
  const bool opens = r.verdict.vacuous && s.verdict.status == Status::unknown;
  // So with races, of which `holds` is vacuous where no execution ends.
  const bool ends = r.verdict.status == s.verdict.status && r.verdict.vacuous != s.verdict.vacuous;
  return (opens || ends || r.execution.has_value() != s.execution.has_value()) &&
         check::loops_may_end_by_themselves(test, a.model);
}

Finding look_bound(const Asked& a) {
  const auto test = parse(a.program);
  if (!test || !a.program.classes.contains("spin loop")) return {};
  Rng rng(a.seed);
  bool some = false;
  for (const Property property : {Property::condition, Property::races}) {
    check::Options o = with(some_engine(rng), property);
    o.bound = 1;
    const check::Result low = ask(a, *test, o);
    o.bound = 2;
    const check::Result high = ask(a, *test, o);
    if (!decided(low.verdict.status) || !answered(high.verdict.status)) continue;
    some = true;
    if (low.verdict.status != high.verdict.status && !is_thin_air(a, *test, low, high))
      return broken(
          fmt::format("{} by {}: {} at bound 1, {} at bound 2", name(property), name(o.engine), told(low), told(high)));
  }
  if (check::loops_may_end_by_themselves(*test, a.model)) return some ? kept() : Finding{};
  check::Options more;
  more.bound = 2;
  if (const auto d = difference(table(a, *test, same), table(a, *test, same, more)))
    return broken("outcomes at bound 2 (the variant): " + *d);
  return some ? kept() : Finding{};
}

// A column for each option of check::Options that says how to look, not what to look for.
check::Options drawn(Rng& rng, Property property) {
  check::Options o = with(std::vector{check::Engine::automatic, check::Engine::enumerate, check::Engine::solve,
                                      check::Engine::both}[rng.below(4)],
                          property);
  o.symmetry = rng.chance(0.5);
  o.reduce = rng.chance(0.5);
  o.companion = rng.chance(0.7);
  o.auto_bound = rng.chance(0.3);
  if (rng.chance(0.5)) o.lazy = rng.chance(0.5);
  if (rng.chance(0.3)) o.bound = 1 + static_cast<uint32_t>(rng.below(3));
  return o;
}

Finding look_options(const Asked& a) {
  const auto test = parse(a.program);
  if (!test) return {};
  Rng rng(a.seed);
  bool some = false;
  for (const Property property : {Property::condition, Property::races}) {
    const check::Options one = drawn(rng, property), other = drawn(rng, property);
    const check::Result r = ask(a, *test, one), s = ask(a, *test, other);
    if (!decided(r.verdict.status) || !decided(s.verdict.status)) continue;
    some = true;
    const bool differs = r.verdict.status != s.verdict.status || (one.companion && other.companion && differ(r, s));
    if (differs && !is_thin_air(a, *test, r, s))
      return broken(fmt::format("{}: {} by {}, {} by {} with other options", name(property), told(r), name(one.engine),
                                told(s), name(other.engine)));
  }
  return some ? kept() : Finding{};
}

// Of another program, drawn from the same seed: its model has nothing to say, since there is one thread.
Finding look_numbers(const Asked& a) {
  if (!in_c(a.program.syntax)) return {};
  Rng rng(a.seed);
  const Known known = known_numbers(rng);
  const check::Options o = with(some_engine(rng));
  for (const auto& [text, expected] : {std::pair(&known.right, Status::holds), {&known.wrong, Status::fails}}) {
    const auto test = read::parse_one(make_source("numbers.litmus", *text));
    if (!test) return broken("not read: " + render(test.error()) + *text);
    const check::Result r = ask(a, *test, o);
    if (decided(r.verdict.status) && r.verdict.status != expected)
      return broken(fmt::format("{} where {} is right:\n{}", told(r), name(expected), *text));
  }
  return kept();
}

// ---- the program's own ------------------------------------------------------------------------------
Relaxed relaxed(const prog::Test& test, const cat::Model& model, const check::Options& options, Job& job) {
  relax::Options o;
  o.check = options;
  o.check.engine = check::Engine::solve;
  o.keep = {Property::condition, Property::races};
  o.max_changes = 1;
  Relaxed out;
  const relax::Session session(test, model, o, job);
  const relax::Report& r = session.report();
  for (const relax::PropertyState& p : r.properties)
    if (p.kept) out.kept.push_back(p.property);
  if (r.mode == relax::Report::Mode::weaken) {
    out.found = true;
    out.result = session.variant(r.joint.choice);
    if (r.joint_minimal)
      for (size_t k = 0; k < r.sites.size(); ++k)
        for (const uint32_t f : r.sites[k].forms[r.joint.choice[k]].weaker) {
          prog::Choice c = r.joint.choice;
          c[k] = f;
          out.weaker.push_back(session.variant(c));
        }
  } else if (r.mode == relax::Report::Mode::repair && r.repair && !r.repair->fixes.empty()) {
    const prog::Choice& fix = r.repair->fixes.front().choice;
    out.found = true;
    out.result = session.variant(fix);
    for (size_t k = 0; r.repair->proved_fewest && k < fix.size(); ++k) {
      if (fix[k] == 0) continue;
      prog::Choice c = fix;
      c[k] = 0;
      out.weaker.push_back(session.variant(c));
    }
  }
  return out;
}

}  // namespace

const Deciders& real_deciders() {
  static const Deciders k_real = {
      check::check, [](const auto& t, const auto& m, const auto& o, Job& job) { return check::outcomes(t, m, o, job); },
      [](const auto& s, const auto& t, const auto& m, const auto& o, Job& job) {
        return refine::refine(s, t, m, o, job);
      },
      relaxed};
  return k_real;
}

std::span<const Law> laws() {
  static const Law k_laws[] = {
      {"permuted", look_permuted},   {"renamed", look_renamed},     {"unrelated", look_unrelated},
      {"outcomes", look_outcomes},   {"refine", look_refine},       {"relax", look_relax},
      {"filter", look_filter},       {"bound", look_bound},         {"options", look_options},
      {"registers", look_registers}, {"exchanges", look_exchanges}, {"numbers", look_numbers},
      {"versions", look_versions}};
  return k_laws;
}

}  // namespace fencepost::fuzz
