#include "translation/conduct.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "translation/draw_programs.h"
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

std::optional<Batch> batch_of(const Configuration& c, const Models& models, const Plan& plan, uint64_t first,
                              const Job& job) {
  Batch out;
  std::vector<Program> programs;
  for (uint64_t n = 0; n < k_batch; ++n) {
    std::vector<Respelt> respelt;
    programs.push_back(program_for(c, plan.seed, first + n, &respelt));
    for (const Respelt& r : respelt) out.rows.push_back({first + n, "respelt", r.form, r.message});
  }
  const auto judged = judge_all(c, programs, models, plan.seconds, job);
  for (uint64_t n = 0; n < k_batch; ++n) {
    const Judged& j = judged[n];
    if (j.state == '-') return {};
    out.states += j.state;
    if (j.state == 'r' || j.state == 'v') continue;
    out.rows.push_back({first + n, word_of(j.state), to_string(programs[n]), j.detail});
    if (j.state == 'f') out.rows.push_back({first + n, "module", "", kept(j.module, c.compiler.language)});
  }
  return out;
}

// ---- reduction ----

bool well_formed(const Program& p) {
  for (const Thread& t : p.threads) {
    bool result = false;
    for (const Statement& s : t.body) {
      if (!is_possible(s) || (s.guard && !result)) return false;
      result = result || (!s.guard && s.has_result());
    }
    if (t.body.empty()) return false;
  }
  return !p.threads.empty();
}

// A statement in a simpler form, one step each.
std::vector<Statement> simpler(const Statement& s) {
  std::vector<Statement> out;
  const auto with = [&](auto change) {
    Statement other = s;
    change(other);
    if (!(other == s)) out.push_back(other);
  };
  with([](Statement& o) { o.guard.reset(); });
  if (s.order == Order::volatile_) with([](Statement& o) { o.order = Order::plain; });
  if (!s.is_atomic()) return out;
  with([](Statement& o) { o.spelling = Spelling::ref; });
  if (s.op != Op::fence) with([](Statement& o) { o.order = Order::relaxed; });
  if (s.order == Order::seq_cst || s.order == Order::acq_rel) {
    with([](Statement& o) { o.order = Order::acquire; });
    with([](Statement& o) { o.order = Order::release; });
  }
  with([](Statement& o) { o.scope = Scope::device; });
  if (s.is_update()) with([](Statement& o) { o.op = Op::add; });
  return out;
}

// One step smaller, the largest steps first.
std::vector<Program> smaller(const Program& p) {
  std::vector<Program> out;
  const auto add = [&](const Program& other) {
    if (well_formed(other)) out.push_back(other);
  };
  for (size_t t = 0; t < p.threads.size() && p.threads.size() > 1; ++t) {
    Program other = p;
    other.threads.erase(other.threads.begin() + static_cast<std::ptrdiff_t>(t));
    add(other);
  }
  for (size_t t = 0; t < p.threads.size(); ++t)
    for (size_t k = 0; k < p.threads[t].body.size(); ++k) {
      Program other = p;
      auto& body = other.threads[t].body;
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(k));
      if (body.empty()) other.threads.erase(other.threads.begin() + static_cast<std::ptrdiff_t>(t));
      add(other);
    }
  Program narrow = p;
  for (Thread& t : narrow.threads)
    for (Statement& s : t.body) s.place = s.place == 'u' ? 'x' : s.place == 'v' ? 'y' : s.place;
  if (!(narrow == p)) add(narrow);
  Program apart = p;
  for (size_t t = 0; t < apart.threads.size(); ++t) apart.threads[t].block = static_cast<uint32_t>(t);
  if (!(apart == p)) add(apart);
  for (size_t t = 0; t < p.threads.size(); ++t)
    for (size_t k = 0; k < p.threads[t].body.size(); ++k)
      for (const Statement& s : simpler(p.threads[t].body[k])) {
        Program other = p;
        other.threads[t].body[k] = s;
        add(other);
      }
  return out;
}

// What two statements of one signature share.
bool same_kind(const Statement& a, const Statement& b) {
  return a.is_atomic() == b.is_atomic() && a.order == b.order && (!a.is_atomic() || a.spelling == b.spelling) &&
         (a.op == b.op || (a.is_update() && b.is_update() && (a.op == Op::cas) == (b.op == Op::cas)));
}

Program repaired(Program p, const Statement& culprit, Spelling spelling) {
  for (Thread& t : p.threads)
    for (Statement& s : t.body)
      if (same_kind(s, culprit)) s.spelling = spelling;
  return p;
}

struct Repair {
  std::string signature;
  Statement culprit;
  Spelling spelling;
};

// Finds, for one configuration, a signature for each program that fails.
class Explaining {
 public:
  Explaining(Ledger& ledger, const Plan& plan, const Configuration& c, const Models& models, const Job& job)
      : ledger_(ledger), plan_(plan), c_(c), models_(models), job_(job) {}

  Expected<void> all() {
    if (const auto ok = load(); !ok) return ok;
    size_t reductions = 0;
    while (!pending_.empty() && !job_.out_of_time()) {
      if (const auto ok = explain_by_repairs(); !ok) return ok;
      if (pending_.empty() || reductions++ == k_most_reduced) break;
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

  // Those that are right once everything that is known to be at fault is spelt otherwise.
  Expected<void> explain_by_repairs() {
    std::vector<uint64_t> tests;
    std::vector<Program> programs;
    std::vector<std::string> signatures;
    std::ranges::sort(repairs_, {}, &Repair::signature);
    for (const auto& [test, row] : pending_) {
      Program p = program_for(c_, plan_.seed, test);
      std::string signature;
      for (const Repair& r : repairs_) {
        Program other = repaired(p, r.culprit, r.spelling);
        if (other == p || !well_formed(other)) continue;
        p = std::move(other);
        if (signature.empty()) signature = r.signature;
      }
      if (signature.empty() || tried_[test] == to_string(p)) continue;
      tried_[test] = to_string(p);
      tests.push_back(test);
      programs.push_back(std::move(p));
      signatures.push_back(signature);
    }
    for (size_t from = 0; from < tests.size() && !job_.out_of_time(); from += k_batch) {
      const size_t to = std::min<size_t>(tests.size(), from + k_batch);
      const std::vector<Program> some(programs.begin() + static_cast<std::ptrdiff_t>(from),
                                      programs.begin() + static_cast<std::ptrdiff_t>(to));
      const auto judged = judge_all(c_, some, models_, plan_.seconds);
      for (size_t n = from; n < to; ++n)
        if (judged[n - from].state == 'r')
          if (const auto ok = explained(tests[n], signatures[n]); !ok) return ok;
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
    const Reduced small = reduced(c_, whole, models_, plan_.seconds, job_);
    Fault f;
    f.effect = "new-outcome";
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
    for (const Configuration& other : plan_.configurations) {
      const Judged j = judge_all(other, {p}, models_, plan_.seconds).front();
      f.table[other.name()] = word_of(j.state) + (j.state == 'r' || j.state == 'f' ? "" : ": " + j.detail);
      if (j.state == 'r' && f.right_listing.empty()) {
        f.right_listing = kept(j.module, c_.compiler.language);
        f.right_where = other.name();
      }
    }
    if (!f.right_listing.empty() || f.repair.empty()) return;
    // No compiler at hand has it right: then the same program with what is at fault spelt otherwise.
    const auto culprit = parse_program("block 0: " + f.culprit);
    for (const Spelling s : {Spelling::ref, Spelling::builtin, Spelling::old})
      if (culprit && f.repair == name(s)) {
        const Program other = repaired(p, culprit->threads[0].body[0], s);
        const Judged j = judge_all(c_, {other}, models_, plan_.seconds).front();
        f.right_listing = kept(j.module, c_.compiler.language);
        f.right_where = fmt::format("{}, as {}", c_.name(), to_string(other));
      }
  }

  Ledger& ledger_;
  const Plan& plan_;
  const Configuration& c_;
  const Models& models_;
  const Job& job_;
  std::map<uint64_t, Row> pending_;
  std::map<uint64_t, std::string> modules_, tried_;
  std::map<std::string, Fault> faults_;
  std::vector<Repair> repairs_;
};

}  // namespace

std::string signature_of(const Configuration& c, const Statement& s) {
  const char* kind = s.op == Op::cas ? "cas" : s.is_update() ? "update" : name(s.op);
  return fmt::format("{} {}.{}{}", c.compiler.name(), kind, name(s.order),
                     s.is_atomic() ? fmt::format(".{}", name(s.spelling)) : "");
}

std::string known_fault(const Configuration& c, const Statement& s) {
  const bool llvm = c.compiler.language == Language::clang || c.compiler.language == Language::llvm;
  const bool of_ir = s.spelling == Spelling::builtin && s.is_update() && s.order > Order::relaxed;
  const long major = std::strtol(c.compiler.version.c_str(), nullptr, 10);
  if (!llvm || !of_ir || major < 19) return {};
  if (major <= 20)
    return "LLVM 19 and 20 compile atomicrmw and cmpxchg of every order as relaxed ones for NVPTX (BUGS-FOUND.md)";
  if (major <= 22 && s.op != Op::cas)
    return "LLVM up to 22 compiles atomicrmw of every order as a relaxed one of scope .gpu for NVPTX (BUGS-FOUND.md)";
  return {};
}

Reduced reduced(const Configuration& c, const Program& p, const Models& models, double seconds, const Job& job) {
  Reduced out{p, judge_all(c, {p}, models, seconds).front(), {}, {}};
  if (out.judged.state != 'f') return out;
  for (bool smaller_one = true; smaller_one && !job.out_of_time();) {
    smaller_one = false;
    const auto candidates = smaller(out.program);
    const auto made = compile(c, candidates);
    for (size_t n = 0; n < candidates.size() && !smaller_one; ++n) {
      const Judged j = judge(candidates[n], made[n], c.compiler.language, models, seconds);
      if (j.state != 'f') continue;
      out.program = candidates[n];
      out.judged = j;
      smaller_one = true;
    }
  }
  // Alone, so that the kernel is called as in the source of a report.
  if (const Judged alone = judge_all(c, {out.program}, models, seconds).front(); alone.state == 'f') out.judged = alone;
  std::vector<Program> others;
  std::vector<Statement> culprits;
  std::vector<Spelling> spellings;
  for (size_t t = 0; t < out.program.threads.size(); ++t)
    for (size_t k = 0; k < out.program.threads[t].body.size(); ++k)
      for (const Spelling s : {Spelling::ref, Spelling::builtin, Spelling::old}) {
        Program other = out.program;
        Statement& one = other.threads[t].body[k];
        if (!one.is_atomic() || one.spelling == s) continue;
        Statement culprit = one;
        culprit.guard.reset();
        one.spelling = s;
        if (!well_formed(other)) continue;
        others.push_back(other);
        culprits.push_back(culprit);
        spellings.push_back(s);
      }
  const auto judged = judge_all(c, others, models, seconds);
  for (size_t n = 0; n < others.size() && !out.culprit; ++n)
    if (judged[n].state == 'r') out.culprit = culprits[n], out.repair = spellings[n];
  return out;
}

Expected<bool> fill(Ledger& ledger, const Plan& plan, const Job& job, const hunt::Told& told) {
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
