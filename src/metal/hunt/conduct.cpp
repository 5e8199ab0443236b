#include "hunt/conduct.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "hunt/draw_tests.h"
#include "hunt/smallest.h"

namespace fencepost::hunt {
namespace {

struct Outcome {
  char state = 'r';
  std::vector<Row> rows;
};

char state_of(const std::vector<Finding>& findings) {
  const std::string order = "ranf";
  size_t worst = 0;
  for (const Finding& f : findings) {
    const Level level = level_of(f.effect);
    worst = std::max(worst, order.find(level == Level::fault ? 'f' : level == Level::named ? 'n' : 'a'));
  }
  return order[worst];
}
const char* word_of(char state) {
  return state == 'r'   ? "right"
         : state == 'a' ? "weakened"
         : state == 'f' ? "fault"
         : state == 'n' ? "named"
         : state == 'x' ? "refused"
                        : "failed";
}

Outcome outcome_of(uint64_t number, const PtxTest& test, const Compiled& made) {
  if (made.state == Compiled::State::refused) return {'x', {{number, "refused", "", made.message}}};
  if (made.state == Compiled::State::illegal)
    return {'f', {{number, name(Effect::illegal), to_string(test.body[0]), made.message}}};
  if (made.state == Compiled::State::failed || made.state == Compiled::State::late)
    return {'c', {{number, "failed", "", made.message}}};
  Outcome out;
  const auto findings = judge(test, made.machine);
  out.state = state_of(findings);
  for (const Finding& f : findings)
    out.rows.push_back({number, name(f.effect), to_string(test.body[f.culprit]), f.detail});
  return out;
}

Expected<std::optional<Batch>> batch_of(const Configuration& c, uint64_t seed, uint64_t first, const Job& job) {
  std::vector<PtxTest> tests;
  for (uint64_t n = 0; n < k_batch; ++n) tests.push_back(draw_test(seed, first + n));
  const auto made = compile(c, tests, job);
  if (std::ranges::any_of(made, [](const Compiled& m) { return m.state == Compiled::State::late; }))
    return std::nullopt;
  if (std::ranges::all_of(made, [](const Compiled& m) { return m.state == Compiled::State::failed; }))
    return std::unexpected(hopeless(c.name(), made.front().message));
  Batch out;
  for (uint64_t n = 0; n < k_batch; ++n) {
    Outcome o = outcome_of(first + n, tests[n], made[n]);
    out.states += o.state;
    std::move(o.rows.begin(), o.rows.end(), std::back_inserter(out.rows));
  }
  return out;
}

// ---- reduction ----

std::string illegal_signature() { return name(Effect::illegal); }

// Does the test show the fault? The finding, if so.
std::optional<Finding> shown(const PtxTest& t, const Compiled& made, const std::string& signature) {
  // Which instruction is illegal is known when one is left.
  if (made.state == Compiled::State::illegal && signature == illegal_signature())
    return Finding{Effect::illegal, 0, made.message};
  if (made.state != Compiled::State::good) return std::nullopt;
  for (const Finding& f : judge(t, made.machine))
    if (level_of(f.effect) == Level::fault && signature_of(name(f.effect), t.body[f.culprit]) == signature) return f;
  return std::nullopt;
}

std::optional<Instruction> with_words(const Instruction& i, const std::string& words) {
  auto out = instruction_of(words, i.place, i.number, i.guard);
  return out ? std::optional(*out) : std::nullopt;
}

// One step smaller, the largest steps first.
std::vector<PtxTest> smaller(const PtxTest& t) {
  std::vector<PtxTest> out;
  const auto with = [&](size_t k, const Instruction& i) {
    if (i == t.body[k]) return;
    out.push_back(t);
    out.back().body[k] = i;
  };
  for (size_t k = 0; k < t.body.size() && t.body.size() > 1; ++k) {
    out.push_back(t);
    out.back().body.erase(out.back().body.begin() + static_cast<std::ptrdiff_t>(k));
  }
  if (t.loop) out.push_back({false, t.body, t.late});
  if (t.late) out.push_back({t.loop, t.body, false});
  for (size_t k = 0; k < t.body.size(); ++k) {
    const Instruction& i = t.body[k];
    if (i.guard != Guard::none) {
      Instruction plain = i;
      plain.guard = Guard::none;
      with(k, plain);
    }
    // A plain access in place of a stronger one beside the culprit.
    if (i.kind <= Kind::store && i.words != "ld.weak.global.u32" && i.words != "st.weak.global.u32")
      if (auto weak = instruction_of(i.kind == Kind::load ? "ld.weak.global.u32" : "st.weak.global.u32", 'p', i.number,
                                     Guard::none))
        with(k, *weak);
    if (i.kind == Kind::atomic || i.kind == Kind::reduction) {
      const size_t at = i.words.rfind('.' + i.operation);
      if (at != std::string::npos && i.words.substr(at) != ".add.u64")
        if (auto simple = with_words(i, i.words.substr(0, at) + ".add.u64")) with(k, *simple);
    }
    for (const char* scope : {".sys", ".cluster"})
      if (const size_t at = i.words.find(scope); at != std::string::npos && !i.mmio && i.words[at + 1 + 3] != ':') {
        std::string words = i.words;
        if (words.compare(at > 7 ? at - 7 : 0, 7, "shared:") != 0)
          if (auto gpu = with_words(i, words.replace(at, std::string(scope).size(), ".gpu"))) with(k, *gpu);
      }
  }
  return out;
}

PtxTest reduced(const Configuration& c, PtxTest t, const std::string& signature, const Job& job) {
  return smallest(std::move(t), job, smaller, [&](const std::vector<PtxTest>& candidates) -> std::optional<size_t> {
    const auto made = compile(c, candidates);
    for (size_t n = 0; n < candidates.size(); ++n)
      if (shown(candidates[n], made[n], signature)) return n;
    return {};
  });
}

// The culprit with an operation that becomes one instruction and not a loop: where it is right, it shows what is
// missing.
std::optional<PtxTest> sibling_of(const PtxTest& t, size_t culprit) {
  const Instruction& i = t.body[culprit];
  if (i.kind < Kind::atomic || i.kind > Kind::reduction || (i.bits() != 32 && i.bits() != 64)) return std::nullopt;
  const size_t dot = i.words.find('.'), at = i.words.rfind("." + i.operation + ".");
  if (dot == std::string::npos || at == std::string::npos || i.operation == "exch") return std::nullopt;
  const auto other = with_words(i, fmt::format("atom{}.exch.b{}", i.words.substr(dot, at - dot), i.bits()));
  if (!other) return std::nullopt;
  PtxTest out = t;
  out.body[culprit] = *other;
  return out;
}

Fault fault_of(const Plan& plan, const Configuration& c, uint64_t number, const std::string& signature,
               const Job& job) {
  Fault out;
  out.signature = signature;
  out.configuration = c.name();
  const PtxTest whole = draw_test(plan.seed, number);
  out.test = to_string(whole);
  const PtxTest small = reduced(c, whole, signature, job);
  out.reduced = to_string(small);
  for (const Configuration& other : plan.configurations) {
    const auto made = compile(other, {small}).front();
    const auto finding = shown(small, made, signature);
    const std::string name = other.name();
    if (made.state == Compiled::State::refused || made.state == Compiled::State::failed) {
      out.table[name] = (made.state == Compiled::State::refused ? "refused: " : "failed: ") + made.message;
    } else if (!finding) {
      const bool any = std::ranges::any_of(judge(small, made.machine),
                                           [](const Finding& f) { return level_of(f.effect) != Level::allowed; });
      out.table[name] = any ? "another finding" : "right";
      if (!any && out.right_listing.empty()) out.right_listing = record(made.machine), out.right_where = name;
    } else {
      out.table[name] = "fault";
    }
    if (finding && name == out.configuration) {
      out.effect = hunt::name(finding->effect);
      out.culprit = to_string(small.body[finding->culprit]);
      out.detail = finding->detail;
      out.listing = record(made.machine);
      out.known = known_fault(out.effect, small, finding->culprit, name);
      if (const auto sibling = sibling_of(small, finding->culprit)) {
        const auto right = compile(c, {*sibling}).front();
        if (right.state == Compiled::State::good && state_of(judge(*sibling, right.machine)) != 'f') {
          out.right_listing = record(right.machine);
          out.right_where = fmt::format("{}, as {}", name, to_string(*sibling));
        }
      }
    }
  }
  return out;
}

// A compiler that cannot compile one store would be tried test by test.
Expected<void> try_compilers(const Plan& plan, const Job& job) {
  const PtxTest store{false, {*instruction_of("st.weak.global.u32", 'p', 1, Guard::none)}};
  for (const Configuration& c : plan.configurations) {
    const Compiled made = compile(c, {store}, job).front();
    if (made.state == Compiled::State::good || made.state == Compiled::State::late) continue;
    return std::unexpected(hopeless(c.name(), made.message));
  }
  return {};
}

}  // namespace

std::string recorded(const std::string& test, const std::string& target, const std::string& listing) {
  return test + "\n" + target + "\n" + listing;
}

Expected<Recorded> judge_recorded(const std::string& text) {
  const size_t one = text.find('\n'), two = one == std::string::npos ? one : text.find('\n', one + 1);
  if (two == std::string::npos)
    return error_at({}, "a record has a test, a target and machine code, each on its lines");
  auto test = parse_test(text.substr(0, one));
  if (!test) return std::unexpected(test.error());
  Recorded out{*test, text.substr(one + 1, two - one - 1), {}};
  const bool known = out.target.size() >= 5 && out.target.size() <= 7 && out.target.starts_with("sm_") &&
                     out.target.find_first_not_of("0123456789", 3) == std::string::npos;
  if (!known) return error_at({}, fmt::format("'{}' is no target", out.target), "for example sm_90");
  const auto machine = read_record("t0", static_cast<uint32_t>(std::stoul(out.target.substr(3))), text.substr(two + 1));
  if (!machine) return std::unexpected(machine.error());
  if (machine->code.empty()) return error_at({}, "the record has no machine code");
  out.judged.listing = record(*machine);
  out.judged.findings = judge(*test, *machine);
  out.judged.verdict = word_of(state_of(out.judged.findings));
  return out;
}

Judged judge_in(const Configuration& c, const PtxTest& test) {
  const Compiled made = compile(c, {test}).front();
  Judged out;
  out.message = made.message;
  if (made.state == Compiled::State::good) {
    out.findings = judge(test, made.machine);
    out.listing = record(made.machine);
  }
  out.verdict = word_of(outcome_of(0, test, made).state);
  return out;
}

Expected<bool> fill(Ledger& ledger, const Plan& plan, const Job& job, const Told& told) {
  if (const auto ok = try_compilers(plan, job); !ok) return std::unexpected(ok.error());
  return fill_store(ledger, filling_of(plan, k_batch), job, told,
                    [&](size_t c, uint64_t first) { return batch_of(plan.configurations[c], plan.seed, first, job); });
}

Expected<void> reduce_all(Ledger& ledger, const Plan& plan, const Job& job) {
  const auto kept = ledger.faults();
  if (!kept) return std::unexpected(kept.error());
  std::set<std::string> have;
  for (const Fault& f : *kept) have.insert(f.signature);
  for (const Configuration& c : plan.configurations) {
    const auto rows = ledger.findings(c.name());
    if (!rows) return std::unexpected(rows.error());
    for (const Row& r : *rows) {
      if (r.culprit.empty()) continue;
      const auto one = parse_test(r.culprit);
      if (!one) continue;
      const bool illegal = r.effect == illegal_signature();
      const std::string signature = illegal ? illegal_signature() : signature_of(r.effect, one->body.front());
      if (have.contains(signature)) continue;
      bool fault = false;
      for (uint8_t e = 0; e < static_cast<uint8_t>(Effect::count_); ++e)
        fault = fault || (r.effect == name(static_cast<Effect>(e)) && level_of(static_cast<Effect>(e)) == Level::fault);
      if (!fault) continue;
      if (job.out_of_time()) return {};
      have.insert(signature);
      if (const auto ok = ledger.keep(fault_of(plan, c, r.test, signature, job)); !ok) return ok;
    }
  }
  return {};
}

}  // namespace fencepost::hunt
