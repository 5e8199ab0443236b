// Weakening from the bottom: variants are visited so that every weaker one comes first, and those above a correct one
// are skipped. A correct variant is thus met only when all weaker ones are broken, which makes it minimal without any
// assumption about the model; variants above it are never claimed to be anything.
#include "relax/relax.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/diagnostic.h"
#include "check/races.h"
#include "prog/cuda_cpp.h"
#include "prog/syntax.h"
#include "vocab/vocab.h"

namespace fencepost::relax {
namespace {

using check::Property;
using prog::Choice;
using prog::Quantifier;
using prog::Site;
using prog::SiteForm;

bool below_or_same(const Site& s, uint32_t low, uint32_t high) {
  const auto& b = s.forms[high].below;
  return low == high || std::binary_search(b.begin(), b.end(), low);
}

// Increases strictly from a form to every stronger one.
uint64_t rank(const std::vector<Site>& sites, const Choice& c) {
  uint64_t out = 0;
  for (size_t k = 0; k < sites.size(); ++k) out += sites[k].forms[c[k]].below.size();
  return out;
}

std::vector<prog::Tag> scopes(const prog::Test& test, const prog::Shape& s) {
  std::vector<prog::Tag> out;
  for (size_t t = 0; t < vocab::k_tags; ++t)
    if (const auto tag = static_cast<prog::Tag>(t);
        (s.tags | s.store_tags).has(tag) && vocab::level_of(test.dialect, tag))
      out.push_back(tag);
  return out;
}

// Keeps some forms; what lies below what stays as it was.
void restrict_forms(Site& s, const std::vector<bool>& keep) {
  std::vector<uint32_t> now(s.forms.size(), 0);
  std::vector<SiteForm> forms;
  for (uint32_t f = 0; f < s.forms.size(); ++f)
    if (keep[f]) {
      now[f] = static_cast<uint32_t>(forms.size());
      forms.push_back(s.forms[f]);
    }
  for (SiteForm& f : forms) {
    std::vector<uint32_t> below;
    for (uint32_t b : f.below)
      if (keep[b]) below.push_back(now[b]);
    f.below = below;
  }
  for (SiteForm& f : forms) {
    f.weaker.clear();
    for (uint32_t b : f.below)
      if (std::none_of(f.below.begin(), f.below.end(),
                       [&](uint32_t m) { return std::binary_search(forms[m].below.begin(), forms[m].below.end(), b); }))
        f.weaker.push_back(b);
  }
  s.forms = std::move(forms);
}

void restrict_steps(const prog::Test& test, std::vector<Site>& sites, Steps steps) {
  if (steps == Steps::all) return;
  for (Site& s : sites) {
    const auto written = scopes(test, s.forms[0].shape);
    std::vector<bool> keep(s.forms.size(), false);
    for (uint32_t f = 0; f < s.forms.size(); ++f)
      keep[f] =
          f == 0 || s.forms[f].below.empty() || (steps == Steps::order && scopes(test, s.forms[f].shape) == written);
    restrict_forms(s, keep);
  }
}

uint32_t changed(const Choice& c) {
  return static_cast<uint32_t>(std::count_if(c.begin(), c.end(), [](uint32_t f) { return f != 0; }));
}

bool above_any(const std::vector<Site>& sites, const Choice& c, const std::vector<Minimal>& found) {
  return std::any_of(found.begin(), found.end(), [&](const Minimal& m) { return at_least(sites, c, m.choice); });
}

}  // namespace

bool at_least(const std::vector<Site>& sites, const Choice& a, const Choice& b) {
  for (size_t k = 0; k < sites.size(); ++k)
    if (!below_or_same(sites[k], b[k], a[k])) return false;
  return true;
}

Choice Session::alone(uint32_t site, uint32_t form) const {
  Choice c(report_.sites.size(), 0);
  c[site] = form;
  return c;
}

Session::Session(const prog::Test& test, const cat::Model& model, const Options& options, Job& job)
    : model_(model), options_(options) {
  const auto start = std::chrono::steady_clock::now();
  Report& r = report_;
  r.asked = test;
  if (options_.forbid && r.asked.quantifier == Quantifier::exists) r.asked.quantifier = Quantifier::not_exists;
  bool failing = false;
  const bool asks = r.asked.quantifier != Quantifier::none;
  std::vector<Property> keep;
  for (Property p : options_.keep) {
    // What is not asked holds of every program: to keep it says nothing of a fence.
    if (p == Property::condition && !asks) {
      if (options_.keep_is_explicit) r.trouble = "no condition is asked, so that none can be kept";
      continue;
    }
    // Races that leave a program defined are kept away from it only where somebody asks for that.
    if (p == Property::races && !options_.keep_is_explicit && check::races_of(model_) != check::Races::undefined)
      continue;
    check::Options o = options_.check;
    o.property = p;
    PropertyState state{p, check::check(r.asked, model_, o, job), true};
    const Status s = state.result.verdict.status;
    if (p == Property::condition && r.asked.quantifier == Quantifier::exists && s == Status::fails) {
      // Not reachable, and to stay so.
      r.asked.quantifier = Quantifier::not_exists;
      state.result = check::check(r.asked, model_, o, job);
    }
    const Status now = state.result.verdict.status;
    // Where a race leaves the program undefined, no change that leaves it in mends anything.
    const bool undefines = p == Property::races && now == Status::fails;
    state.kept = now == Status::holds || p == Property::condition || undefines || options_.keep_is_explicit;
    if (state.kept && now != Status::holds && now != Status::fails && r.trouble.empty())
      r.trouble = std::string(check::name(p)) + " is " + fencepost::name(now) + " as written" +
                  (state.result.verdict.detail.empty() ? "" : ": " + state.result.verdict.detail);
    // Whatever is dropped from a program that cannot end, it still cannot.
    if (state.kept && state.result.verdict.vacuous && r.trouble.empty())
      r.trouble = "no execution comes to its end as written, so that nothing shows what is needed";
    failing = failing || (state.kept && now == Status::fails);
    // Where races make a program undefined, its conditions and its end mean nothing as long as races are open.
    if (p == Property::races && !state.kept && now != Status::fails && r.trouble.empty())
      r.trouble = std::string("races is ") + fencepost::name(now) + " as written" +
                  (state.result.verdict.detail.empty() ? "" : ": " + state.result.verdict.detail);
    if (state.kept) keep.push_back(p);
    r.properties.push_back(std::move(state));
  }
  // That a program ends asks for no order between accesses, or hardly any.
  if (!asks && !options_.keep_is_explicit && r.trouble.empty() &&
      std::find(keep.begin(), keep.end(), Property::races) == keep.end())
    r.trouble = "no condition is asked and races are not kept, so that nothing asks for a fence";
  const bool readable = test.syntax != prog::Syntax::vulkan_test && test.syntax != prog::Syntax::mixedproxy_test;
  if (test.syntax == prog::Syntax::spirv && test.dialect == vocab::Dialect::opencl && !prog::is_cuda_cpp(test))
    r.trouble =
        "what could be weaker or stronger in a kernel of the OpenCL model is not known; write it as an OPENCL litmus "
        "test";
  else if (test.syntax == prog::Syntax::cuda)
    r.trouble = "what could be weaker in a CUDA test is not known; lower it to PTX first";
  if (!readable) r.trouble = std::string("the steps of ") + prog::name(test.syntax) + " are not known";
  if (r.trouble.empty()) {
    r.mode = failing ? Report::Mode::repair : Report::Mode::weaken;
    r.sites =
        failing ? prog::strengthening_sites(r.asked, options_.sites) : prog::weakening_sites(r.asked, options_.sites);
    if (!failing) restrict_steps(r.asked, r.sites, options_.steps);
    judge_.emplace(r.asked, model_, options_.check, keep, r.sites, job);
    for (const PropertyState& p : r.properties)
      if (p.kept && p.property != Property::termination && p.result.verdict.status == Status::fails)
        judge_->learn(p.result, p.property);
    if (failing)
      repair(job);
    else
      weaken(job);
    r.counts = judge_->counts();
  }
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Session::weaken(Job& job) {
  each_alone();
  greedily();
  if (options_.exhaustive) whole_lattice(job);
}

void Session::each_alone() {
  for (uint32_t k = 0; k < report_.sites.size(); ++k) {
    const Site& site = report_.sites[k];
    SiteReport out;
    std::vector<bool> kept(site.forms.size(), false);
    bool undecided = false;
    for (uint32_t f = 1; f < site.forms.size(); ++f) {
      out.findings.push_back({f, judge_->decide(alone(k, f))});
      kept[f] = out.findings.back().decision.outcome == Outcome::kept;
      undecided = undecided || out.findings.back().decision.outcome == Outcome::undecided;
    }
    for (uint32_t f = 1; f < site.forms.size(); ++f) {
      const auto& below = site.forms[f].below;
      if (kept[f] && std::none_of(below.begin(), below.end(), [&](uint32_t b) { return kept[b]; }))
        out.weakest.push_back(f);
    }
    const bool dropped =
        std::any_of(out.weakest.begin(), out.weakest.end(), [&](uint32_t f) { return site.forms[f].shape.absent; });
    out.kind = dropped                ? SiteReport::Kind::droppable
               : !out.weakest.empty() ? SiteReport::Kind::weaker
               : undecided            ? SiteReport::Kind::undecided
                                      : SiteReport::Kind::needed;
    if (!site.forms[0].weaker.empty()) out.shown = site.forms[0].weaker.front();
    report_.each.push_back(std::move(out));
  }
}

// What can be dropped first (a fence that is gone is the clearest gain), then orders and scopes; of each site the
// weakest form that is kept. Once from the front and once from the back: where one fence stands in for another, the end
// counts at which more is gone.
void Session::greedily() {
  const std::vector<Site>& sites = report_.sites;
  const auto gain = [&](const Choice& c) {
    int64_t gone = 0;
    for (size_t k = 0; k < c.size(); ++k) gone += sites[k].forms[c[k]].shape.absent ? 1 : 0;
    return std::pair(gone, -static_cast<int64_t>(rank(sites, c)));
  };
  Choice best = from(false);
  if (Choice other = from(true); gain(best) < gain(other)) best = std::move(other);
  report_.joint_minimal = true;
  for (uint32_t k = 0; k < sites.size(); ++k)
    for (uint32_t f : sites[k].forms[best[k]].weaker) {
      Choice next = best;
      next[k] = f;
      report_.joint_minimal = report_.joint_minimal && judge_->decide(next).outcome == Outcome::broken;
    }
  report_.joint = {best, changed(best)};
}

Choice Session::from(bool back) {
  const std::vector<Site>& sites = report_.sites;
  std::vector<uint32_t> order(sites.size());
  std::iota(order.begin(), order.end(), 0u);
  if (back) std::reverse(order.begin(), order.end());
  const auto droppable = [&](uint32_t k) { return report_.each[k].kind == SiteReport::Kind::droppable ? 0 : 1; };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return droppable(a) < droppable(b); });
  Choice now(sites.size(), 0);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t k : order) {
      std::vector<uint32_t> forms = sites[k].forms[now[k]].below;
      std::stable_sort(forms.begin(), forms.end(), [&](uint32_t a, uint32_t b) {
        return sites[k].forms[a].below.size() < sites[k].forms[b].below.size();
      });
      for (uint32_t f : forms) {
        Choice next = now;
        next[k] = f;
        if (judge_->decide(next).outcome != Outcome::kept) continue;
        now = std::move(next);
        again = true;
        break;
      }
    }
  }
  return now;
}

void Session::whole_lattice(Job& job) {
  const std::vector<Site>& sites = report_.sites;
  Lattice out;
  out.variants = 1;
  for (const Site& s : sites) {
    out.variants *= s.forms.size();
    if (out.variants > options_.lattice_limit) break;
  }
  if (out.variants > options_.lattice_limit) {
    out.why_incomplete = "more than " + std::to_string(options_.lattice_limit) + " variants";
    report_.lattice = std::move(out);
    return;
  }
  std::vector<std::pair<uint64_t, Choice>> all;
  all.reserve(out.variants);
  for (uint64_t n = 0; n < out.variants; ++n) {
    Choice c(sites.size());
    uint64_t rest = n;
    for (size_t k = 0; k < sites.size(); ++k) {
      c[k] = static_cast<uint32_t>(rest % sites[k].forms.size());
      rest /= sites[k].forms.size();
    }
    const uint64_t r = rank(sites, c);
    all.emplace_back(r, std::move(c));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  out.complete = true;
  for (const auto& [r, c] : all) {
    if (above_any(sites, c, out.minimal)) continue;
    if (job.out_of_time()) {
      out.complete = false;
      out.why_incomplete = "out of time";
      break;
    }
    const Decision d = judge_->decide(c);
    if (d.outcome == Outcome::kept) out.minimal.push_back({c, changed(c)});
    if (d.outcome == Outcome::undecided) {
      out.complete = false;
      out.why_incomplete = "a variant is undecided: " + d.detail;
    }
  }
  report_.lattice = std::move(out);
}

// ---- repair --------------------------------------------------------------------------------------------

namespace {

// Every choice of `count` sites out of n, increasing.
template <class Visit>
bool each_set(uint32_t n, uint32_t count, Visit&& visit) {
  std::vector<uint32_t> set(count);
  std::iota(set.begin(), set.end(), 0u);
  if (count > n) return true;
  while (true) {
    if (!visit(set)) return false;
    uint32_t i = count;
    while (i > 0 && set[i - 1] == n - count + i - 1) --i;
    if (i == 0) return true;
    ++set[i - 1];
    for (uint32_t j = i; j < count; ++j) set[j] = set[j - 1] + 1;
  }
}

// Every way to change exactly the sites of `set`, each to a form that `allowed` names.
template <class Visit>
void each_change(const std::vector<std::vector<uint32_t>>& forms, size_t sites, const std::vector<uint32_t>& set,
                 Visit&& visit) {
  std::vector<size_t> at(set.size(), 0);
  Choice c(sites, 0);
  while (true) {
    for (size_t i = 0; i < set.size(); ++i) c[set[i]] = forms[set[i]][at[i]];
    visit(c);
    size_t i = 0;
    while (i < set.size() && ++at[i] == forms[set[i]].size()) at[i++] = 0;
    if (i == set.size()) return;
  }
}

}  // namespace

// All minimal fixes with exactly so many changes. False: time is out or something is undecided.
bool Session::all_at(uint32_t changes, Job& job) {
  const std::vector<Site>& sites = report_.sites;
  Fixes& out = *report_.repair;
  const auto n = static_cast<uint32_t>(sites.size());
  std::vector<std::vector<uint32_t>> all(n), top(n);
  for (uint32_t k = 0; k < n; ++k) {
    std::vector<bool> has_upper(sites[k].forms.size(), false);
    for (const SiteForm& f : sites[k].forms)
      for (uint32_t b : f.below) has_upper[b] = true;
    for (uint32_t f = 1; f < sites[k].forms.size(); ++f) {
      all[k].push_back(f);
      if (!has_upper[f]) top[k].push_back(f);
    }
  }
  uint64_t variants = 0;
  each_set(n, changes, [&](const auto& set) {
    uint64_t product = 1;
    for (uint32_t k : set) product = std::min<uint64_t>(product * all[k].size(), options_.lattice_limit + 1);
    variants += product;
    return variants <= options_.lattice_limit;
  });
  const bool everything = variants <= options_.lattice_limit;
  std::vector<std::pair<uint64_t, Choice>> tries;
  bool clean = true;
  each_set(n, changes, [&](const auto& set) {
    bool promising = everything;
    if (!everything)
      each_change(top, n, set, [&](const Choice& c) {
        if (promising || job.out_of_time()) return;
        ++out.tried;
        promising = judge_->decide(c).outcome == Outcome::kept;
      });
    if (promising && tries.size() <= options_.lattice_limit)
      each_change(all, n, set, [&](const Choice& c) { tries.emplace_back(rank(sites, c), c); });
    return !job.out_of_time();
  });
  std::stable_sort(tries.begin(), tries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [r, c] : tries) {
    if (above_any(sites, c, out.fixes)) continue;
    if (job.out_of_time()) {
      clean = false;
      break;
    }
    ++out.tried;
    const Decision d = judge_->decide(c);
    if (d.outcome == Outcome::kept) out.fixes.push_back({c, changes});
    clean = clean && d.outcome != Outcome::undecided;
  }
  out.assumed = out.assumed || !everything;
  return clean && !job.out_of_time();
}

// Proxy fences at every gap, and then without those that are not needed, from the front and from the back. A test of
// several stages lacks one in each, and trying all sets of places costs minutes where this takes one question a place.
void Session::proxy_fences() {
  const std::vector<Site>& sites = report_.sites;
  Fixes& out = *report_.repair;
  Choice all(sites.size(), 0);
  for (uint32_t k = 0; k < sites.size(); ++k)
    for (uint32_t f = 1; sites[k].gap && f < sites[k].forms.size(); ++f)
      if (sites[k].forms[f].shape.mnemonic == "fence.proxy.async") all[k] = f;
  const auto kept = [&](const Choice& c) {
    ++out.tried;
    return judge_->decide(c).outcome == Outcome::kept;
  };
  if (changed(all) == 0 || !kept(all)) return;
  for (const bool back : {false, true}) {
    Choice now = all;
    for (uint32_t n = 0; n < sites.size(); ++n) {
      const uint32_t k = back ? static_cast<uint32_t>(sites.size()) - 1 - n : n;
      if (now[k] == 0) continue;
      Choice next = now;
      next[k] = 0;
      if (kept(next)) now = std::move(next);
    }
    const bool known =
        std::any_of(out.fixes.begin(), out.fixes.end(), [&](const Minimal& m) { return m.choice == now; });
    if (changed(now) <= options_.max_changes && !known) out.fixes.push_back({now, changed(now)});
  }
  if (out.fixes.empty()) return;
  // The fewest of the two count.
  const auto least = std::min_element(out.fixes.begin(), out.fixes.end(), [](const Minimal& a, const Minimal& b) {
                       return a.changed < b.changed;
                     })->changed;
  std::erase_if(out.fixes, [&](const Minimal& m) { return m.changed != least; });
  out.irreducible = true;
  out.changes = least;
}

void Session::repair(Job& job) {
  report_.repair.emplace();
  Fixes& out = *report_.repair;
  bool clean = true;
  for (uint32_t changes = 1; changes <= options_.max_changes && out.fixes.empty() && !job.out_of_time(); ++changes) {
    if (changes == 2) proxy_fences();
    if (out.irreducible) return;
    out.proved_fewest = clean && !out.assumed;
    out.changes = changes;
    clean = all_at(changes, job) && clean;
  }
  if (!out.fixes.empty()) return;
  out.why_none = job.out_of_time() ? "out of time"
                 : !clean          ? "some variants are undecided"
                                   : "none with at most " + std::to_string(options_.max_changes) + " changes";
}

}  // namespace fencepost::relax
