#include "translation/explain.h"

#include <algorithm>
#include <utility>

#include "translation/reduce.h"

namespace fencepost::translation {
namespace {

// Sites of a case that are at fault together, while fewer of them are not.
struct Culprits {
  Case* of = nullptr;
  std::vector<const Site*> sites;
  Program program;  // as drawn at these alone
};

Program drawn_at(const Case& c, const std::vector<const Site*>& sites) {
  Program out = c.all;
  for (const Site* s : sites) s->in(out) = s->in(c.program);
  return out;
}

std::vector<const Site*> all_sites(const Case& c) {
  std::vector<const Site*> out;
  for (const Site& s : c.sites) out.push_back(&s);
  return out;
}

// Which of these fail? Nothing if the time is over. A program whose sites are all as drawn is not asked, since it does.
std::optional<std::vector<Culprits>> failing(std::vector<Culprits> asked, const Ask& ask) {
  std::vector<Program> programs;
  const auto is_whole = [](const Culprits& c) { return c.sites.size() == c.of->sites.size(); };
  for (Culprits& c : asked) {
    c.program = drawn_at(*c.of, c.sites);
    if (!is_whole(c)) programs.push_back(c.program);
  }
  const auto answers = ask(programs);
  if (answers.size() != programs.size()) return std::nullopt;
  std::vector<Culprits> out;
  size_t next = 0;
  for (Culprits& c : asked)
    if (is_whole(c) || answers[next++].state == 'f') out.push_back(std::move(c));
  return out;
}

// Of cases of which no site is at fault alone: one site after the other is spelt otherwise, as long as the rest fails.
std::optional<std::vector<Culprits>> together(const std::vector<Case*>& cases, const Ask& ask) {
  std::vector<Culprits> out;
  size_t most = 0;
  for (Case* c : cases) out.push_back({c, all_sites(*c), c->program}), most = std::max(most, c->sites.size());
  for (size_t k = 0; k < most; ++k) {
    std::vector<Culprits> fewer;
    for (const Culprits& c : out) {
      if (k >= c.of->sites.size()) continue;
      Culprits less = c;
      std::erase(less.sites, &c.of->sites[k]);
      fewer.push_back(std::move(less));
    }
    auto still = failing(std::move(fewer), ask);
    if (!still) return std::nullopt;
    for (Culprits& less : *still) *std::ranges::find(out, less.of, &Culprits::of) = std::move(less);
  }
  return out;
}

// The culprits as known faults have them.
struct Weaker {
  Program program;
  std::set<std::string> signatures;
};

// Every way to make each of them one of a signature's kind. One that is of such a kind stays as it is.
std::vector<Weaker> weaker(const Culprits& c) {
  std::vector<Weaker> out{{c.program, {}}};
  for (const Site* s : c.sites) {
    const Statement& drawn = s->in(c.of->program);
    std::set<std::string> own;
    for (const Repair* r : s->covering)
      if (is_of_kind(r->culprit, drawn)) own.insert(r->signature);
    std::vector<Weaker> next;
    for (const Weaker& w : out) {
      if (!own.empty()) {
        next.push_back(w);
        next.back().signatures.insert(own.begin(), own.end());
        continue;
      }
      for (const Repair* r : s->covering) {
        next.push_back(w);
        s->in(next.back().program) = weakened(drawn, r->culprit);
        next.back().signatures.insert(r->signature);
      }
    }
    out = std::move(next);
  }
  std::erase_if(out, [](const Weaker& w) { return !is_well_formed(w.program); });
  return out;
}

void name_faults(const std::vector<Culprits>& culprits, const Ask& ask) {
  std::set<const Culprits*> named;
  std::vector<std::pair<const Culprits*, Weaker>> asked;
  std::vector<Program> programs;
  const auto name = [&](const Culprits& c, const Weaker& w) {
    c.of->proven.insert(w.signatures.begin(), w.signatures.end());
    named.insert(&c);
  };
  for (const Culprits& c : culprits)
    for (Weaker& w : weaker(c)) {
      if (w.program == c.program) {
        name(c, w);
        continue;
      }
      programs.push_back(w.program);
      asked.emplace_back(&c, std::move(w));
    }
  const auto answers = ask(programs);
  for (size_t n = 0; n < answers.size(); ++n)
    if (answers[n].state == 'f') name(*asked[n].first, asked[n].second);
  if (answers.size() != programs.size()) return;
  for (const Culprits& c : culprits)
    if (!named.contains(&c) && !c.of->rest) c.of->rest = c.program;
}

}  // namespace

std::optional<Case> case_of(uint64_t test, const Program& program, const std::vector<Repair>& repairs) {
  Case out;
  out.test = test;
  out.program = out.all = program;
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (size_t k = 0; k < program.threads[t].body.size(); ++k) {
      Site site{t, k, {}};
      for (const Repair& r : repairs) {
        Statement other = site.in(program);
        if (!covers(r.culprit, other)) continue;
        other.spelling = r.spelling;
        if (is_possible(other)) site.covering.push_back(&r);
      }
      if (site.covering.empty()) continue;
      site.in(out.all).spelling = site.covering.front()->spelling;
      out.sites.push_back(std::move(site));
    }
  return out.sites.empty() ? std::nullopt : std::optional(std::move(out));
}

void prove(const std::vector<Case*>& cases, const Ask& ask) {
  std::vector<Culprits> each;
  for (Case* c : cases)
    for (const Site& s : c->sites) each.push_back({c, {&s}, {}});
  const auto alone = failing(std::move(each), ask);
  if (!alone) return;
  std::vector<Case*> others;
  std::ranges::copy_if(cases, std::back_inserter(others), [&](const Case* c) {
    return std::ranges::none_of(*alone, [&](const Culprits& a) { return a.of == c; });
  });
  name_faults(*alone, ask);
  if (const auto several = together(others, ask)) name_faults(*several, ask);
}

}  // namespace fencepost::translation
