#include "translation/conduct.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "hunt/patience.h"
#include "translation/draw_programs.h"
#include "translation/explain.h"
#include "translation/kept.h"

namespace fencepost::translation {
namespace {

using hunt::Batch;
using hunt::Fault;
using hunt::Ledger;
using hunt::Row;

constexpr size_t k_most_reduced = 60;  // signatures of a configuration

// Program number n of a seed as a compiler gets it.
Program program_for(const Configuration& c, uint64_t seed, uint64_t n, std::vector<Respelt>* respelt = nullptr) {
  Program p = draw_program(seed, n, c.compiler.language);
  auto forms = respell(c, p);
  if (respelt != nullptr) *respelt = std::move(forms);
  return p;
}

Expected<std::optional<Batch>> batch_of(const Configuration& c, const Models& models, const Plan& plan, uint64_t first,
                                        const Job& job) {
  Batch out;
  std::vector<Program> programs;
  for (uint64_t n = 0; n < k_batch; ++n) {
    std::vector<Respelt> respelt;
    programs.push_back(program_for(c, plan.seed, first + n, &respelt));
    for (const Respelt& r : respelt) out.rows.push_back({first + n, "respelt", r.form, r.message});
  }
  const auto judged = judge_all(c, programs, models, plan.seconds, job);
  out.timed_out = std::ranges::all_of(
      judged, [](const Judged& j) { return j.state == 'c' && j.detail.starts_with(hunt::Patience::k_late); });
  if (!out.timed_out && std::ranges::all_of(judged, [](const Judged& j) { return j.state == 'c'; }))
    return std::unexpected(hunt::hopeless(c.name(), judged.front().detail));
  for (uint64_t n = 0; n < k_batch; ++n) {
    const Judged& j = judged[n];
    if (j.state == '-') return std::nullopt;
    out.states += j.state;
    if (j.state == 'r' || j.state == 'v') continue;
    out.rows.push_back({first + n, word_of(j.state), to_string(programs[n]), j.detail});
    if (j.state == 'f') out.rows.push_back({first + n, "module", "", kept(j.module, c.compiler.language)});
  }
  return out;
}

Program repaired(Program p, const Repair& r) {
  for (Thread& t : p.threads)
    for (Statement& s : t.body)
      if (covers(r.culprit, s)) s.spelling = r.spelling;
  return p;
}

// Finds, for one configuration, a signature for each program that fails.
//
// Whether a known fault explains a program is asked by explain.h. What fails otherwise is reduced without what is
// known, so that a fault that stands beside a known one is not taken for it.
//
// Tried and lost: comparing kinds and orders alone. Reduction turns acq_rel and seq_cst into acquire and release, so
// that no program with an acq_rel operation was explained by the signature that its own reduction had.
class Explaining {
 public:
  Explaining(Ledger& ledger, const Plan& plan, const Configuration& c, const Models& models, const Job& job)
      : ledger_(ledger), plan_(plan), c_(c), models_(models), job_(job) {}

  Expected<void> all() {
    if (const auto ok = load(); !ok) return ok;
    size_t reductions = 0;
    while (!pending_.empty() && !job_.out_of_time()) {
      if (const auto ok = explain_by_repairs(); !ok) return ok;
      if (pending_.empty() || job_.out_of_time() || reductions++ == k_most_reduced) break;
      if (const auto ok = reduce_first(); !ok) return ok;
    }
    return {};
  }

 private:
  Expected<void> load() {
    const auto rows = ledger_.findings(c_.name());
    if (!rows) return std::unexpected(rows.error());
    std::set<uint64_t> explained;
    for (const Row& r : *rows)
      if (r.effect == "explained") explained.insert(r.test);
    for (const Row& r : *rows)
      if (r.effect == "fault" && !explained.contains(r.test)) pending_.emplace(r.test, r);
    for (const Row& r : *rows)
      if (r.effect == "module") modules_[r.test] = r.detail;
    const auto faults = ledger_.faults();
    if (!faults) return std::unexpected(faults.error());
    for (const Fault& f : *faults) {
      faults_[f.signature] = f;
      const auto culprit = parse_program("block 0: " + f.culprit);
      if (!culprit || f.repair.empty()) continue;
      for (const Spelling s : {Spelling::ref, Spelling::builtin, Spelling::old})
        if (f.repair == name(s) && signature_of(c_, culprit->threads[0].body[0]) == f.signature)
          repairs_.push_back({f.signature, culprit->threads[0].body[0], s});
    }
    return {};
  }

  // In batches; those behind the end of the time are left out.
  std::vector<Judged> judged(const std::vector<Program>& programs) const {
    std::vector<Judged> out;
    for (size_t from = 0; from < programs.size() && !job_.out_of_time(); from += k_batch) {
      const size_t to = std::min<size_t>(programs.size(), from + k_batch);
      const std::vector<Program> some(programs.begin() + static_cast<std::ptrdiff_t>(from),
                                      programs.begin() + static_cast<std::ptrdiff_t>(to));
      auto more = judge_all(c_, some, models_, plan_.seconds);
      std::move(more.begin(), more.end(), std::back_inserter(out));
    }
    return out;
  }

  Expected<void> explain_by_repairs() {
    std::ranges::sort(repairs_, {}, &Repair::signature);
    std::vector<Case> cases;
    for (const auto& [test, row] : pending_) {
      auto one = case_of(test, program_for(c_, plan_.seed, test), repairs_);
      if (!one) continue;
      std::string asked;
      for (const Site& s : one->sites)
        for (const Repair* r : s.covering) asked += fmt::format("{}.{} {}\n", s.thread, s.at, r->signature);
      if (std::exchange(tried_[test], asked) != asked) cases.push_back(std::move(*one));
    }
    // 1. Is it right once all of them are spelt otherwise?
    std::vector<Program> programs;
    for (const Case& c : cases) programs.push_back(c.all);
    auto answers = judged(programs);
    cases.resize(answers.size());
    for (size_t n = 0; n < cases.size(); ++n)
      if (answers[n].state == 'f') cases[n].rest = cases[n].all;
    std::vector<Case*> right;
    for (size_t n = 0; n < cases.size(); ++n)
      if (answers[n].state == 'r') right.push_back(&cases[n]);
    prove(right, [&](const std::vector<Program>& asked) { return judged(asked); });
    for (Case& c : cases) {
      rest_.erase(c.test);
      if (c.rest)
        rest_[c.test] = *c.rest;
      else if (!c.proven.empty())
        if (const auto ok = explained(c.test, *c.proven.begin()); !ok) return ok;
    }
    return {};
  }

  Expected<void> explained(uint64_t test, const std::string& signature) {
    pending_.erase(test);
    Fault& f = faults_[signature];
    f.signature = signature;
    if (const auto ok = ledger_.keep(f); !ok) return ok;
    return ledger_.note(c_.name(), {{test, "explained", signature, ""}});
  }

  Expected<void> reduce_first() {
    const uint64_t test = pending_.begin()->first;
    const Row row = pending_.begin()->second;
    const Program whole = program_for(c_, plan_.seed, test);
    const auto rest = rest_.find(test);
    const Reduced small = reduced(c_, rest == rest_.end() ? whole : rest->second, models_, plan_.seconds, job_);
    Fault f;
    f.effect = "new-outcome";
    f.toolkit = fmt::format("{} {}{}{}", c_.compiler.name(), c_.compiler.version,
                            c_.compiler.toolkit.empty() ? "" : ", ", c_.compiler.toolkit);
    f.configuration = c_.name();
    f.test = to_string(whole);
    f.reduced = to_string(small.program);
    if (small.judged.state != 'f') {
      // Compiled again it is right: the compiler does not do the same each time.
      f.signature = fmt::format("{} not-again", c_.name());
      f.culprit = f.reduced = f.test;
      f.detail = row.detail;
      f.listing = modules_[test];
    } else {
      f.signature =
          small.culprit ? signature_of(c_, *small.culprit) : fmt::format("{} {}", c_.compiler.name(), f.reduced);
      f.culprit = small.culprit ? to_string(*small.culprit) : f.reduced;
      f.repair = small.repair ? name(*small.repair) : "";
      f.detail = small.judged.detail;
      f.listing = kept(small.judged.module, c_.compiler.language);
      f.known = small.culprit ? known_fault(c_, *small.culprit) : "";
    }
    f.reason = reason_text(small.judged.state == 'f' ? small.program : whole, f.detail);
    if (!faults_.contains(f.signature)) {
      look_elsewhere(f, small.judged.state == 'f' ? small.program : whole);
      faults_[f.signature] = f;
      if (small.repair) repairs_.push_back({f.signature, *small.culprit, *small.repair});
    }
    return explained(test, f.signature);
  }

  std::string reason_text(const Program& p, const std::string& outcome) const {
    const Reason why = why_forbidden(p, outcome, models_, plan_.seconds);
    return fmt::format("{}\n{}", fmt::join(why.axioms, ", "), why.story);
  }

  void look_elsewhere(Fault& f, const Program& p) const {
    // Right is the same compiler with what is at fault spelt otherwise, since then little else differs.
    const auto culprit = parse_program("block 0: " + f.culprit);
    // What is nearest: the same function of device scope, where that is right.
    if (culprit && culprit->threads[0].body[0].spelling == Spelling::old) {
      Program other = p;
      for (Thread& t : other.threads)
        for (Statement& s : t.body)
          if (is_of_kind(culprit->threads[0].body[0], s)) s.scope = Scope::device;
      const Judged j = judge_all(c_, {other}, models_, plan_.seconds).front();
      if (j.state == 'r' && !(other == p)) {
        f.right_listing = kept(j.module, c_.compiler.language);
        f.right_where = fmt::format("{}, as {}", c_.name(), to_string(other));
      }
    }
    for (const Spelling s : {Spelling::ref, Spelling::builtin, Spelling::old})
      if (culprit && f.repair == name(s) && f.right_listing.empty()) {
        const Program other = repaired(p, {f.signature, culprit->threads[0].body[0], s});
        const Judged j = judge_all(c_, {other}, models_, plan_.seconds).front();
        if (j.state != 'r') continue;
        f.right_listing = kept(j.module, c_.compiler.language);
        f.right_where = fmt::format("{}, as {}", c_.name(), to_string(other));
      }
    for (const Configuration& other : plan_.configurations) {
      const Judged j = judge_all(other, {p}, models_, plan_.seconds).front();
      f.table[other.name()] = word_of(j.state) + (j.state == 'r' || j.state == 'f' ? "" : ": " + j.detail);
      if (j.state == 'r' && f.right_listing.empty()) {
        f.right_listing = kept(j.module, c_.compiler.language);
        f.right_where = other.name();
      }
    }
  }

  Ledger& ledger_;
  const Plan& plan_;
  const Configuration& c_;
  const Models& models_;
  const Job& job_;
  std::map<uint64_t, Row> pending_;
  std::map<uint64_t, std::string> modules_, tried_;
  std::map<uint64_t, Program> rest_;  // what fails of a program without known faults
  std::map<std::string, Fault> faults_;
  std::vector<Repair> repairs_;
};

// A compiler that cannot compile a store and an atomic store, with the headers that programs have, would be tried
// program by program.
Expected<void> try_compilers(const Plan& plan, const Job& job) {
  const Statement plain{.op = Op::st, .value = 1};
  const Statement atomic{.op = Op::st, .order = Order::relaxed, .value = 1};
  for (const Configuration& c : plan.configurations) {
    const Compiled made = compile(c, {Program{{Thread{0, {plain, atomic}}}}}, job).front();
    if (made.state == Compiled::State::good || made.state == Compiled::State::late) continue;
    return std::unexpected(hunt::hopeless(c.name(), made.message));
  }
  return {};
}

}  // namespace

std::string signature_of(const Configuration& c, const Statement& s) {
  const char* kind = s.op == Op::cas ? "cas" : s.is_update() ? "update" : name(s.op);
  return fmt::format("{} {}.{}{}", c.compiler.name(), kind, name(s.order),
                     s.is_atomic() ? fmt::format(".{}", name(s.spelling)) : "");
}

Expected<bool> fill(Ledger& ledger, const Plan& plan, const Job& job, const hunt::Told& told) {
  if (const auto ok = try_compilers(plan, job); !ok) return std::unexpected(ok.error());
  const auto models = models_for(plan.configurations.front().compiler.language);
  if (!models) return std::unexpected(models.error());
  return hunt::fill_store(ledger, hunt::filling_of(plan, k_batch), job, told, [&](size_t c, uint64_t first) {
    return batch_of(plan.configurations[c], *models, plan, first, job);
  });
}

Expected<void> explain_faults(Ledger& ledger, const Plan& plan, const Job& job) {
  const auto models = models_for(plan.configurations.front().compiler.language);
  if (!models) return std::unexpected(models.error());
  for (const Configuration& c : plan.configurations)
    if (const auto ok = Explaining(ledger, plan, c, *models, job).all(); !ok) return ok;
  return {};
}

}  // namespace fencepost::translation
