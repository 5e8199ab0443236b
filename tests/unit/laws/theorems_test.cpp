// What the documents promise of their models, as theorems over small programs.
//
// Monotony: a fence that is there, a stronger order, a wider scope never allow what was forbidden, and never make a
// data race. DRF: a program without data races whose atomic operations are all seq_cst has the final states of
// sequential consistency and no others (OpenCL, Memory Consistency Model: such programs "appear to execute with
// sequential consistency"; C++ [intro.races] 22, which CUDA C++ keeps). PTX and Vulkan promise no such thing: they have
// no seq_cst accesses.
//
// The programs are the cycles of two or three threads in every placement with every access and fence as strong as the
// dialect has them, and random weaker forms of these (prog/weaken.h), each held against one that is weaker at one
// place. FENCEPOST_THEOREMS=N asks about N pairs of each model in place of the short form's. Where a document breaks a
// theorem, the table below names the steps, and the tests of the corpus that show it decide that they do
// (BUGS-FOUND.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>

#include "base/job.h"
#include "cat/library.h"
#include "check/check.h"
#include "cycle/cycle.h"
#include "cycle/families.h"
#include "cycle/test.h"
#include "print/litmus.h"
#include "prog/syntax.h"
#include "prog/weaken.h"
#include "read/read.h"

namespace fencepost {
namespace {

using gen::Sem;
using prog::Syntax;
using vocab::Dialect;

enum class Step : uint8_t { fence, order, scope };

struct Promise {
  const char* model;
  Syntax syntax;
  bool races = true, drf = false;
  // Steps for which the text is not monotone, and the least number of threads for which it shows.
  std::map<Step, uint32_t> broken = {};
};

// opencl-spec/MP+scopes-differ: scopes must be equal, so that a wider one may not synchronise. opencl-spec/
// SC-write-excuses: an SC write may allow what the same write relaxed forbids.
const Promise k_promises[] = {
    {"ptx-6.0", Syntax::ptx},
    {"ptx-7.5", Syntax::ptx},
    {"ptx-8", Syntax::ptx},
    {"rmo-scoped", Syntax::gpu_ptx, false},
    {"vulkan", Syntax::vulkan},
    {"vulkan-nochains", Syntax::vulkan},
    {"vulkan-alloy", Syntax::vulkan},
    {"opencl", Syntax::opencl, true, true, {{Step::scope, 2}, {Step::order, 3}}},
    {"opencl-3.1", Syntax::opencl, true, true, {{Step::order, 3}}},
    {"opencl-popl16", Syntax::opencl, true, true, {{Step::scope, 2}}},
    {"cuda", Syntax::opencl, true, true},
};

Dialect dialect_of(Syntax s) {
  return s == Syntax::vulkan ? Dialect::vulkan : s == Syntax::opencl ? Dialect::opencl : Dialect::ptx;
}

cat::Model model(const Promise& p) {
  auto m = cat::load_model(p.model, dialect_of(p.syntax));
  EXPECT_TRUE(m.has_value()) << (m ? "" : render(m.error()));
  return m ? std::move(*m) : cat::Model{};
}

Status status(const prog::Test& t, const cat::Model& m, check::Property p) {
  check::Options o;
  o.engine = check::Engine::solve;
  o.property = p;
  Job job = Job::with_budget(20);
  return check::check(t, m, o, job).verdict.status;
}

// Cycles of so many threads, in every placement, with the strongest accesses and fences of one scope.
std::vector<prog::Test> strong_tests(Syntax syntax, uint32_t threads) {
  std::vector<prog::Test> out;
  for (const gen::Scope scope : {gen::Scope::cta, gen::Scope::gpu, gen::Scope::sys})
    for (const bool fences : {false, true}) {
      gen::FamilyRequest r;
      r.least_threads = r.most_threads = threads;
      r.relations = {*gen::parse_kind(
          fences ? fmt::format("Fence.{}.{}", syntax == Syntax::vulkan ? "acq_rel" : "sc", gen::name(scope)) : "Po")};
      gen::Node read, write;
      if (syntax != Syntax::gpu_ptx) {  // which has no orders
        read.scope = write.scope = scope;
        read.sem = syntax == Syntax::opencl ? Sem::sc : Sem::acquire;
        write.sem = syntax == Syntax::opencl ? Sem::sc : Sem::release;
        r.reads = {read};
        r.writes = {write};
      }
      r.placement = gen::FamilyRequest::Placement::all;
      gen::TestOptions o;
      o.syntax = syntax;
      const auto made = gen::enumerate(r, [&](const gen::Spec& spec) {
        if (auto t = gen::make_test(spec, o)) out.push_back(std::move(*t));
        return true;
      });
      EXPECT_TRUE(made.has_value());
    }
  return out;
}

// What a change from one form of an instruction to a weaker one consists of.
std::set<Step> steps_of(const std::string& stronger, const std::string& weaker) {
  static const std::regex scopes("memory_scope_[a-z_]*|\\.(cta|cluster|gpu|sys|sg|wg|qf|dv|gl)\\b");
  if (weaker == "nothing") return {Step::fence};
  std::smatch a, b;
  std::regex_search(stronger, a, scopes);
  std::regex_search(weaker, b, scopes);
  std::set<Step> out;
  if (a.str() != b.str()) out.insert(Step::scope);
  if (std::regex_replace(stronger, scopes, "") != std::regex_replace(weaker, scopes, "")) out.insert(Step::order);
  return out;
}

struct Pair {
  prog::Test stronger, weaker;
  std::set<Step> steps;
};

std::optional<Pair> random_pair(const prog::Test& base, Rng& rng) {
  const auto sites = prog::weakening_sites(base, {.together = false});
  if (sites.empty()) return std::nullopt;
  prog::Choice choice(sites.size());
  for (size_t i = 0; i < sites.size(); ++i)
    choice[i] = rng.chance(0.6) ? 0 : static_cast<uint32_t>(rng.below(sites[i].forms.size()));
  const size_t at = rng.below(sites.size());
  const prog::SiteForm& from = sites[at].forms[choice[at]];
  if (from.below.empty()) return std::nullopt;
  prog::Test stronger = prog::apply(base, sites, choice).test;
  choice[at] = from.below[rng.below(from.below.size())];
  return Pair{std::move(stronger), prog::apply(base, sites, choice).test,
              steps_of(from.text, sites[at].forms[choice[at]].text)};
}

size_t pairs() {
  const char* n = std::getenv("FENCEPOST_THEOREMS");
  return n == nullptr ? 120 : static_cast<size_t>(std::atoi(n));
}

TEST(Theorems, AStrongerProgramAllowsNoMore) {
  for (const Promise& p : k_promises) {
    const cat::Model m = model(p);
    Rng rng(1);
    std::map<Step, size_t> compared;
    size_t telling = 0;
    for (const uint32_t threads : {2u, 3u}) {
      const std::vector<prog::Test> bases = strong_tests(p.syntax, threads);
      ASSERT_FALSE(bases.empty()) << p.model;
      for (size_t k = 0; k < pairs() / (threads - 1); ++k) {
        const auto pair = random_pair(bases[rng.below(bases.size())], rng);
        if (!pair) continue;
        const bool promised = std::none_of(pair->steps.begin(), pair->steps.end(), [&](Step step) {
          const auto broken = p.broken.find(step);
          return broken != p.broken.end() && threads >= broken->second;
        });
        if (!promised) continue;
        for (const Step step : pair->steps) ++compared[step];
        const Status strong = status(pair->stronger, m, check::Property::condition),
                     weak = status(pair->weaker, m, check::Property::condition);
        telling += strong != weak;
        EXPECT_FALSE(strong == Status::holds && weak == Status::fails)
            << p.model << "\n"
            << print::print(pair->stronger) << print::print(pair->weaker);
        if (!p.races) continue;
        EXPECT_FALSE(status(pair->stronger, m, check::Property::races) == Status::fails &&
                     status(pair->weaker, m, check::Property::races) == Status::holds)
            << p.model << ", races\n"
            << print::print(pair->stronger) << print::print(pair->weaker);
      }
    }
    EXPECT_GE(telling, 5u) << p.model;
    EXPECT_GE(compared[Step::fence], 5u) << p.model;
    if (!p.broken.contains(Step::scope) && p.syntax != Syntax::gpu_ptx) EXPECT_GE(compared[Step::scope], 5u) << p.model;
    if (p.syntax != Syntax::gpu_ptx) EXPECT_GE(compared[Step::order], 5u) << p.model;
  }
}

// The exceptions above are real: the named tests of the corpus.
TEST(Theorems, WhereTheTextBreaksThemATestShowsIt) {
  const std::string folder = std::string(FENCEPOST_SOURCE_DIR) + "/tests/corpus/opencl-spec/";
  const auto test = [&](const std::string& name) {
    auto t = read::parse_file(folder + name + ".litmus");
    EXPECT_TRUE(t.has_value()) << name;
    return t->front();
  };
  for (const Promise& p : k_promises) {
    if (p.broken.empty()) continue;
    const cat::Model m = model(p);
    if (p.broken.contains(Step::order)) {
      EXPECT_EQ(status(test("SC-write-excuses"), m, check::Property::condition), Status::holds) << p.model;
      EXPECT_EQ(status(test("SC-write-excuses-relaxed"), m, check::Property::condition), Status::fails) << p.model;
    }
    if (!p.broken.contains(Step::scope)) continue;
    prog::Test narrow = test("MP+scopes-differ");  // the store's scope is the wider one
    EXPECT_EQ(status(narrow, m, check::Property::races), Status::fails) << p.model;
    for (prog::Template& k : narrow.templates)
      for (prog::Instr& i : k.code)
        if (i.tags.has(vocab::Tag::DV)) i.tags.remove(vocab::Tag::DV).add(vocab::Tag::WG);
    EXPECT_EQ(status(narrow, m, check::Property::races), Status::holds) << p.model;
  }
}

TEST(Theorems, SeqCstProgramsWithoutRacesAreSequentiallyConsistent) {
  const auto sc = cat::load_model("sc", Dialect::opencl);
  ASSERT_TRUE(sc.has_value());
  for (const Promise& p : k_promises) {
    if (!p.drf) continue;
    const cat::Model m = model(p);
    Rng rng(2);
    size_t race_free = 0;
    for (const uint32_t threads : {2u, 3u}) {
      const std::vector<prog::Test> bases = strong_tests(p.syntax, threads);
      for (size_t k = 0; k < pairs() / 2; ++k) {
        prog::Test t = bases[rng.below(bases.size())];
        for (prog::Template& one : t.templates)  // scopes at random: some programs race
          for (prog::Instr& i : one.code)
            for (prog::TagSet* tags : {&i.tags, &i.store_tags})
              if (rng.chance(0.1) && tags->has(vocab::Tag::DV)) tags->remove(vocab::Tag::DV).add(vocab::Tag::WG);
        if (status(t, m, check::Property::races) != Status::holds) continue;
        ++race_free;
        if (status(t, *sc, check::Property::condition) != Status::fails) continue;
        EXPECT_EQ(status(t, m, check::Property::condition), Status::fails) << p.model << "\n" << print::print(t);
      }
    }
    EXPECT_GE(race_free, 15u) << p.model;
  }
}

}  // namespace
}  // namespace fencepost
