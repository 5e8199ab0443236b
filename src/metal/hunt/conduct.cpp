#include "hunt/conduct.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "hunt/again.h"
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
  Batch out;
  out.timed_out = std::ranges::all_of(made, &Compiled::timed_out);
  if (!out.timed_out && std::ranges::all_of(made, [](const Compiled& m) { return m.state == Compiled::State::failed; }))
    return std::unexpected(hopeless(c.name(), made.front().message));
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
  return row_of(t, made.machine, signature).shown;
}

std::optional<Instruction> with_words(const Instruction& i, const std::string& words) {
  auto out = instruction_of(words, i.place, i.number, i.guard);
  if (!out) return std::nullopt;
  out->unused = i.unused && out->reads();
  if (out->writes()) out->value = i.value == Value::real && !out->is_real() ? Value::one : i.value;
  return *out;
}

// Two strong loads as the pair that says most to a reader, that is at fault on every target, and that was measured on a
// device: of one address, volatile and then relaxed, of which the second is wanted first.
std::optional<PtxTest> plainest_pair(const PtxTest& t) {
  std::vector<size_t> loads;
  for (size_t k = 0; k < t.body.size(); ++k)
    if (t.body[k].kind == Kind::load && t.body[k].order == Order::relaxed) loads.push_back(k);
  if (loads.size() != 2 || t.body[loads[0]].bits() != t.body[loads[1]].bits()) return std::nullopt;
  PtxTest out = t;
  const auto first = instruction_of("ld.volatile.global.b32", 'p', 1, Guard::none),
             second = instruction_of("ld.relaxed.gpu.global.b32", 'p', 1, Guard::none);
  if (!first || !second) return std::nullopt;
  out.late = true;
  out.body[loads[0]] = *first;
  out.body[loads[1]] = *second;
  return out == t ? std::nullopt : std::optional(out);
}

// The lowest number of a place that no access but `k` has.
uint32_t free_number(const PtxTest& t, size_t k) {
  uint32_t n = 1;
  const auto taken = [&] {
    for (size_t j = 0; j < t.body.size(); ++j)
      if (j != k && t.body[j].is_access() && t.body[j].number == n) return true;
    return false;
  };
  while (taken()) ++n;
  return n;
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
  if (const auto pair = plainest_pair(t)) out.push_back(*pair);
  if (t.late) out.push_back({t.loop, t.body, false});
  for (size_t k = 0; k < t.body.size(); ++k) {
    const Instruction& i = t.body[k];
    if (i.guard != Guard::none) {
      Instruction plain = i;
      plain.guard = Guard::none;
      with(k, plain);
    }
    // A place of the lowest number, where no other access of its pointer has that.
    const auto is_taken = [&](const Instruction& o) { return o.place == i.place && o.number == 1; };
    if (i.is_access() && i.number > 1 && std::ranges::none_of(t.body, is_taken)) {
      Instruction first = i;
      first.number = 1;
      with(k, first);
    }
    if (i.unused) {
      Instruction used = i;
      used.unused = false;
      with(k, used);
    }
    if (i.value != Value::parameter) {
      Instruction simple = i;
      simple.value = Value::parameter;
      with(k, simple);
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
    // An acquire as the plainest load, of a place that no other access has.
    if ((i.kind == Kind::atomic || i.kind == Kind::load) && i.acquires())
      if (auto load = instruction_of("ld.acquire.gpu.global.u32", 'p', free_number(t, k), i.guard)) with(k, *load);
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

bool is_order(Effect e) {
  return e == Effect::no_membar || e == Effect::weak_membar || e == Effect::no_invalidate || e == Effect::no_wait;
}

PtxTest with_instruction(const PtxTest& t, size_t at, const std::string& words, char place, uint32_t number) {
  PtxTest out = t;
  const auto i = instruction_of(words, place, number, Guard::none);
  if (i) out.body.insert(out.body.begin() + static_cast<std::ptrdiff_t>(at), *i);
  return out;
}

// An order is between two accesses. Where reduction has left one and the begin or the end of the kernel, a plain access
// before and behind it, where they show the same.
PtxTest with_neighbours(const Configuration& c, const PtxTest& t, const std::string& signature) {
  const auto made = compile(c, {t}).front();
  const auto finding = shown(t, made, signature);
  const auto names = [&](const char* end) { return finding->detail.find(end) != std::string::npos; };
  const bool alone = finding && is_order(finding->effect) && (names("the begin") || names("the end"));
  if (!alone) return t;
  const size_t at = finding->culprit;
  const uint32_t number = t.body[at].number == 1 ? 2 : 1;
  const PtxTest before = with_instruction(t, at, "st.weak.global.u32", 'p', number);
  const PtxTest behind = with_instruction(t, at + 1, "ld.weak.global.u32", 'p', number + 1);
  const PtxTest both = with_instruction(before, at + 2, "ld.weak.global.u32", 'p', number + 1);
  const PtxTest first = with_instruction(t, 0, "st.weak.global.u32", 'p', number);  // a fence may stand between
  const bool acquires = finding->effect == Effect::no_invalidate || finding->effect == Effect::no_wait;
  for (const PtxTest& other : {t.body[at].is_access() ? (acquires ? behind : before) : both, both, first}) {
    const auto again = compile(c, {other}).front();
    if (shown(other, again, signature)) return other;
  }
  return t;
}

// A fence that does not wait, behind the plainest operation: relaxed, and no loop for shared memory.
PtxTest with_plain_update(const Configuration& c, const PtxTest& t, const std::string& signature) {
  if (!signature.starts_with(std::string(name(Effect::no_wait)) + " fence")) return t;
  PtxTest plain = t;
  for (Instruction& i : plain.body) {
    if (i.kind != Kind::atomic) continue;
    std::string words = i.words;
    for (const auto& [from, to] : {std::pair{".release.", ".relaxed."}, std::pair{".add.u64", ".add.u32"}})
      if (const size_t at = words.find(from); at != std::string::npos)
        words.replace(at, std::string_view(from).size(), to);
    if (const auto other = with_words(i, words)) i = *other;
  }
  return shown(plain, compile(c, {plain}).front(), signature) ? plain : t;
}

// The forms that a device has measured (known.cpp): a report says most of these.
const std::vector<PtxTest>& measured_forms() {
  static const std::vector<PtxTest> all = [] {
    std::vector<PtxTest> out;
    for (const char* text :
         {"atom.acquire.gpu.shared.add.u64@s1; ld.weak.global.u32@p2",
          "st.weak.global.u32@p2; red.release.gpu.shared.add.u64@s1",
          "atom.acquire.gpu.add.u64@u1; ld.weak.global.u32@p2",
          "atom.acquire.gpu.shared.add.u64@s1 unused; ld.weak.global.u32@p2",
          "atom.acquire.gpu.shared.add.u64@s1 unused; st.weak.global.u32@p2",
          "atom.relaxed.gpu.add.u32@u1 unused; fence.acquire.cta; ld.weak.global.u32@p2",
          "atom.relaxed.gpu.add.u32@u1 unused; fence.acquire.cluster; ld.weak.global.u32@p2",
          "atom.relaxed.gpu.add.u32@u1 unused; fence.acquire.gpu; ld.weak.global.u32@p2",
          "atom.relaxed.gpu.add.u32@u1 unused; fence.acquire.sys; ld.weak.global.u32@p2",
          "red.relaxed.gpu.shared.add.noftz.f16x2@s1=1",
          "late: ld.volatile.global.b32@p1; ld.relaxed.gpu.global.b32@p1",
          "ld.weak.global.u32@p1; ld.acquire.gpu.global.u32@p2; ld.weak.global.u32@p1",
          "ld.mmio.relaxed.sys.global.u32@p1 unused; ?p red.relaxed.gpu.global.add.u32@w1",
          "ld.volatile.global.u64@w1 unused; ?p atom.acquire.gpu.global.add.noftz.bf16@p1 unused",
          "ld.relaxed.gpu.global.u32@p2; ?p ld.acquire.gpu.global.u32@p2 unused; ld.weak.global.u32@p3"})
      out.push_back(*parse_test(text));
    return out;
  }();
  return all;
}

// A measured form in place of what reduction has left, where it shows the same.
PtxTest with_measured_form(const Configuration& c, const PtxTest& t, const std::string& signature) {
  if (signature == illegal_signature()) return t;  // any form that has it would be taken for the one
  const auto made = compile(c, measured_forms());
  for (size_t n = 0; n < made.size(); ++n)
    if (shown(measured_forms()[n], made[n], signature)) return measured_forms()[n];
  return t;
}

// A load with the order and scope of another one.
std::string as_strong(const std::string& words, const std::string& other) {
  static const std::set<std::string> strengths = {"volatile", "mmio",    "relaxed", "acquire", "weak",
                                                  "cta",      "cluster", "gpu",     "sys"};
  std::string strength, rest, word;
  for (std::istringstream in(other); std::getline(in, word, '.');)
    if (strengths.contains(word)) strength += "." + word;
  std::istringstream in(words);
  std::getline(in, word, '.');
  for (std::string more; std::getline(in, more, '.');)
    if (!strengths.contains(more)) rest += "." + more;
  return word + strength + rest;
}

// Forms of the test that differ in little and may be right, the most alike first: the same operation of another width;
// the same operation, relaxed, with an explicit fence; an operation that becomes one instruction and not a loop. Of
// loads that are merged or moved: the culprit as strong as what stands before it.
std::vector<PtxTest> siblings_of(const PtxTest& t, size_t culprit, Effect effect) {
  const Instruction& i = t.body[culprit];
  std::vector<PtxTest> out;
  const auto with = [&](const std::string& words) {
    const auto other = with_words(i, words);
    if (!other || *other == i) return;
    out.push_back(t);
    out.back().body[culprit] = *other;
  };
  const auto replaced = [&](const std::string& from, const std::string& to) {
    const size_t at = i.words.find(from);
    return at == std::string::npos ? i.words : std::string(i.words).replace(at, from.size(), to);
  };
  const std::string space = i.words.find(".shared") != std::string::npos   ? ".shared"
                            : i.words.find(".global") != std::string::npos ? ".global"
                                                                           : "";
  const bool atomic = i.kind == Kind::atomic || i.kind == Kind::reduction;
  if (i.is_access() && !atomic && i.vector > 1 && i.bits() * i.vector == 256)
    with(replaced(i.vector == 8 ? ".v8." : ".v4.", i.vector == 8 ? ".v4." : ".v2."));
  if (effect == Effect::absent && i.kind == Kind::load)
    for (size_t k = culprit; k-- > 0;) {
      // The same loads, and a relaxed one with a fence in place of the acquire between them.
      const size_t at = t.body[k].words.find(".acquire.");
      if (t.body[k].kind != Kind::load || at == std::string::npos) continue;
      const auto relaxed = with_words(t.body[k], std::string(t.body[k].words).replace(at, 9, ".relaxed."));
      if (!relaxed) continue;
      PtxTest fenced = t;
      fenced.body[k] = *relaxed;
      out.push_back(with_instruction(fenced, k + 1, "fence.acq_rel.gpu", 0, 0));
    }
  if (effect == Effect::absent && i.kind == Kind::load) with("ld.relaxed.gpu" + space + "." + i.type);
  if (effect == Effect::reordered && i.kind == Kind::load)
    for (size_t k = culprit; k-- > 0;)
      if (t.body[k].kind == Kind::load && t.body[k].is_strong()) {
        // One of the two as strong as the other is, then both otherwise.
        for (const auto& [to, from] : {std::pair{culprit, k}, std::pair{k, culprit}}) {
          PtxTest alike = t;
          if (const auto other = with_words(t.body[to], as_strong(t.body[to].words, t.body[from].words))) {
            alike.body[to] = *other;
            out.push_back(alike);
          }
        }
        PtxTest same = t;
        for (const size_t n : {k, culprit})
          if (const auto other = with_words(t.body[n], "ld.relaxed.gpu" + space + "." + t.body[n].type))
            same.body[n] = *other;
        out.push_back(same);
        break;
      }
  // A fence that waits for everything, and an operation whose result is used.
  if (effect == Effect::no_wait && !i.is_access() && i.words.starts_with("fence.acquire")) {
    with(replaced(".acquire", ".acq_rel"));
    PtxTest used = t;
    for (size_t k = 0; k < culprit; ++k) used.body[k].unused = false;
    out.insert(out.begin(), used);
  }
  if (effect == Effect::skipped && i.kind == Kind::load && i.unused) {
    PtxTest used = t;
    used.body[culprit].unused = false;
    out.push_back(used);
  }
  if (!atomic) return out;
  if (effect == Effect::operation) {
    // The same operation whose result is kept, or of a parameter.
    PtxTest used = t, given = t;
    used.body[culprit].unused = false;
    given.body[culprit].value = Value::parameter;
    for (const PtxTest& one : {used, given})
      if (one.body != t.body) out.push_back(one);
  }
  if (i.bits() == 64 && i.type.size() == 3) with(replaced("." + i.type, fmt::format(".{}32", i.type.substr(0, 1))));
  for (const char* order : {".acquire.", ".release.", ".acq_rel."})
    if (i.words.find(order) != std::string::npos && (is_order(effect) || effect == Effect::overtaken) &&
        i.scope != Scope::none) {
      const auto relaxed = with_words(i, replaced(order, ".relaxed."));
      if (!relaxed) continue;
      PtxTest fenced = t;
      fenced.body[culprit] = *relaxed;
      const char* scope = i.scope == Scope::cta       ? "cta"
                          : i.scope == Scope::cluster ? "cluster"
                          : i.scope == Scope::sys     ? "sys"
                                                      : "gpu";
      const std::string fence = fmt::format("fence.acq_rel.{}", scope);
      if (i.acquires()) fenced = with_instruction(fenced, culprit + 1, fence, 0, 0);
      if (i.releases()) fenced = with_instruction(fenced, culprit, fence, 0, 0);
      out.push_back(fenced);
    }
  const size_t dot = i.words.find('.'), at = i.words.rfind("." + i.operation + ".");
  if ((i.bits() == 32 || i.bits() == 64) && dot != std::string::npos && at != std::string::npos &&
      i.operation != "exch")
    with(fmt::format("atom{}.exch.b{}", i.words.substr(dot, at - dot), i.bits()));
  return out;
}

// The first that the same compiler gets right.
void find_sibling(Fault& out, const Configuration& c, const PtxTest& small, size_t culprit, Effect effect) {
  for (const PtxTest& sibling : siblings_of(small, culprit, effect)) {
    const auto right = compile(c, {sibling}).front();
    if (right.state != Compiled::State::good || state_of(judge(sibling, right.machine)) == 'f') continue;
    out.right_listing = record(right.machine);
    out.right_where = fmt::format("{}, as {}", c.name(), to_string(sibling));
    return;
  }
}

Fault fault_of(const Plan& plan, const Configuration& c, uint64_t number, const std::string& signature,
               const Job& job) {
  Fault out;
  out.signature = signature;
  out.configuration = c.name();
  const PtxTest whole = draw_test(plan.seed, number);
  out.test = to_string(whole);
  const PtxTest reduced_test = with_neighbours(c, reduced(c, whole, signature, job), signature);
  const PtxTest small = with_measured_form(c, with_plain_update(c, reduced_test, signature), signature);
  out.reduced = to_string(small);
  std::optional<Finding> found;
  for (const Configuration& other : plan.configurations) {
    const auto made = compile(other, {small}).front();
    const auto finding = shown(small, made, signature);
    const std::string name = other.name();
    if (made.state == Compiled::State::refused || made.state == Compiled::State::failed) {
      out.table[name] = (made.state == Compiled::State::refused ? "refused: " : "failed: ") + made.message;
    } else if (made.state == Compiled::State::illegal) {
      out.table[name] =
          finding ? "fault"
                  : fmt::format("another finding, {}: {}", hunt::name(Effect::illegal), sentence(Effect::illegal));
    } else {
      out.table[name] = row_of(small, made.machine, signature).what;
      out.listings[name] = record(made.machine);
      if (out.table[name].starts_with("right") && out.right_listing.empty())
        out.right_listing = record(made.machine), out.right_where = name;
    }
    if (finding && name == out.configuration) {
      out.effect = hunt::name(finding->effect);
      out.culprit = to_string(small.body[finding->culprit]);
      out.detail = finding->detail;
      out.listing = record(made.machine);
      out.known = known_fault(out.effect, small, finding->culprit, name);
      found = finding;
      out.toolkit = fmt::format("ptxas V{}, nvdisasm V{}", c.compiler.version, c.compiler.disassembler_version);
    }
  }
  if (found) find_sibling(out, c, small, found->culprit, found->effect);
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
  if (!known) return error_at({}, fmt::format("'{}' is not a target", out.target), "for example sm_90");
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

namespace {

struct ToReduce {
  size_t configuration;
  uint64_t test;
  std::string signature;
};

bool is_fault(const std::string& effect) {
  for (uint8_t e = 0; e < static_cast<uint8_t>(Effect::count_); ++e)
    if (effect == name(static_cast<Effect>(e))) return level_of(static_cast<Effect>(e)) == Level::fault;
  return false;
}

// The first test of each signature that the store lacks, of the highest level and the last compiler that has it: whose
// listing is short, and who is asked to mend it.
Expected<std::vector<ToReduce>> unreduced(const Ledger& ledger, const Plan& plan) {
  const auto kept = ledger.faults();
  if (!kept) return std::unexpected(kept.error());
  std::set<std::string> have;
  for (const Fault& f : *kept) have.insert(f.signature);
  std::vector<ToReduce> out;
  std::vector<size_t> order(plan.configurations.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const Configuration &one = plan.configurations[a], &other = plan.configurations[b];
    if (one.level != other.level) return one.level > other.level;
    return std::strtod(one.compiler.version.c_str(), nullptr) > std::strtod(other.compiler.version.c_str(), nullptr);
  });
  for (const size_t c : order) {
    const auto rows = ledger.findings(plan.configurations[c].name());
    if (!rows) return std::unexpected(rows.error());
    for (const Row& r : *rows) {
      if (r.culprit.empty() || !is_fault(r.effect)) continue;
      const auto one = parse_test(r.culprit);
      if (!one) continue;
      const bool illegal = r.effect == illegal_signature();
      const std::string signature = illegal ? illegal_signature() : signature_of(r.effect, one->body.front());
      if (have.insert(signature).second) out.push_back({c, r.test, signature});
    }
  }
  return out;
}

// A compiler that is gone, or makes other code each time. Nothing is kept, so the same command tries again.
Diagnostics not_again(const ToReduce& r, const Fault& f) {
  const auto row = f.table.find(f.configuration);
  return error_at({},
                  fmt::format("{}: test {} has no '{}' when it is compiled again: {}", f.configuration, r.test,
                              r.signature, row == f.table.end() ? "right" : row->second),
                  "is the compiler still there, and does it make the same code each time? The same command goes on")
      .error();
}

}  // namespace

Expected<void> reduce_all(Ledger& ledger, const Plan& plan, const Job& job) {
  const auto todo = unreduced(ledger, plan);
  if (!todo) return std::unexpected(todo.error());
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  Expected<void> out;
  const auto work = [&] {
    for (size_t n = next++; n < todo->size() && !job.out_of_time(); n = next++) {
      const ToReduce& r = (*todo)[n];
      const Fault f = fault_of(plan, plan.configurations[r.configuration], r.test, r.signature, job);
      const std::lock_guard lock(mutex);
      if (!out) return;
      out = f.effect.empty() ? std::unexpected(not_again(r, f)) : ledger.keep(f);
    }
  };
  std::vector<std::jthread> pool;
  for (uint32_t t = 1; t < plan.threads; ++t) pool.emplace_back(work);
  work();
  pool.clear();
  return out;
}

}  // namespace fencepost::hunt
