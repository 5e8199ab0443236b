// Answers of `relax` held against check on every variant, on small tests and on the bundled locks with fences planted.
#include "relax/relax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "../../support/parsed.h"
#include "cat/library.h"
#include "check/races.h"
#include "print/litmus.h"
#include "prog/syntax.h"
#include "read/read.h"

namespace fencepost {
namespace {

namespace fs = std::filesystem;
using relax::Outcome;
using relax::Session;
using relax::SiteReport;

using support::parsed;

cat::Model model_of(vocab::Dialect d, const char* name = nullptr) {
  auto m = cat::load_model(name != nullptr ? name : d == vocab::Dialect::ptx ? "ptx-7.5" : vocab::name(d), d);
  EXPECT_TRUE(m.has_value());
  return std::move(*m);
}

std::string mp(const std::string& writer_fence, const std::string& reader_fence,
               const std::string& question = "~exists") {
  return "PTX mp\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.relaxed.gpu r0, y ;\n " +
         writer_fence + " | " + reader_fence + " ;\n st.relaxed.gpu y, 1 | ld.weak r1, x ;\n" + question +
         " (P1:r0 = 1 /\\ P1:r1 = 0)\n";
}

// Asked afresh, without witnesses and without memory.
bool correct(const prog::Test& t, const cat::Model& m) {
  for (auto p : {check::Property::condition, check::Property::races}) {
    // A race leaves a PTX program defined, and relax lets it in.
    if (p == check::Property::races && check::races_of(m) != check::Races::undefined) continue;
    check::Options o;
    o.property = p;
    Job job;
    const auto r = check::check(t, m, o, job);
    if (r.verdict.status != Status::holds || r.verdict.vacuous) return false;
  }
  return true;
}

std::vector<prog::Choice> weakest_by_force(const prog::Test& t, const cat::Model& m,
                                           const std::vector<prog::Site>& sites) {
  std::vector<prog::Choice> good;
  prog::Choice c(sites.size(), 0);
  for (bool more = true; more;) {
    if (correct(prog::apply(t, sites, c).test, m)) good.push_back(c);
    size_t k = 0;
    while (k < c.size() && ++c[k] == sites[k].forms.size()) c[k++] = 0;
    more = k < c.size();
  }
  std::vector<prog::Choice> out;
  for (const auto& a : good)
    if (std::none_of(good.begin(), good.end(), [&](const auto& b) { return a != b && relax::at_least(sites, a, b); }))
      out.push_back(a);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<prog::Choice> choices(const std::vector<relax::Minimal>& list) {
  std::vector<prog::Choice> out;
  for (const auto& m : list) out.push_back(m.choice);
  std::sort(out.begin(), out.end());
  return out;
}

// Every broken finding that names an execution has one of the variant itself, which breaks it.
void expect_defended(const Session& s, const cat::Model& m) {
  for (uint32_t k = 0; k < s.report().each.size(); ++k)
    for (const auto& f : s.report().each[k].findings) {
      const prog::Choice c = s.alone(k, f.form);
      const prog::Test v = s.variant(c);
      if (f.decision.outcome == Outcome::kept) {
        EXPECT_TRUE(correct(v, m)) << print::print(v);
      }
      if (f.decision.outcome != Outcome::broken || !f.decision.witness) continue;
      const auto e = s.evidence(c, f.decision);
      ASSERT_TRUE(e.has_value() && e->execution) << print::print(v);
      EXPECT_TRUE(reference::evaluate(m, e->execution->execution).consistent());
      EXPECT_TRUE(f.decision.property == check::Property::races
                      ? !e->flags.empty()
                      : reference::satisfies_condition(v, e->execution->execution));
    }
}

// Whatever is dropped from a program that cannot end, it still cannot: nothing may be called not needed.
TEST(Relax, WhatCannotEndAsWrittenHasNoAnswer) {
  const prog::Test t = parsed(
      "PTX vacuous\n{ f=0; d=0; }\n P0@cta 0, gpu 0 | P1@cta 1, gpu 0 ;\n st.weak d, 1 | L1: ;\n"
      " fence.sc.gpu | ld.relaxed.gpu r0, f ;\n | bne r0, 2, L1 ;\n st.relaxed.gpu f, 1 | fence.sc.gpu ;\n"
      " | ld.weak r1, d ;\n~exists (P1:r1=0)\n");
  relax::Options options;
  options.check.bound = 2;
  Job job = Job::with_budget(20);
  Session s(t, model_of(t.dialect), options, job);
  EXPECT_NE(s.report().trouble.find("no execution comes to its end as written"), std::string::npos);
}

TEST(Relax, FencesOfMessagePassing) {
  const cat::Model m = model_of(vocab::Dialect::ptx, "ptx-7.5");
  relax::Options o;
  o.exhaustive = true;
  Job job;
  const Session s(parsed(mp("fence.sc.sys", "fence.acq_rel.gpu")), m, o, job);
  const auto& r = s.report();
  ASSERT_EQ(r.mode, relax::Report::Mode::weaken);
  ASSERT_EQ(r.sites.size(), 4u);
  EXPECT_EQ(r.each[0].kind, SiteReport::Kind::weaker);
  ASSERT_EQ(r.each[0].weakest.size(), 1u);
  EXPECT_EQ(r.sites[0].forms[r.each[0].weakest[0]].text, "fence.acq_rel.gpu");
  for (size_t k : {1, 2, 3}) EXPECT_EQ(r.each[k].kind, SiteReport::Kind::needed) << k;
  EXPECT_TRUE(r.joint_minimal);
  ASSERT_TRUE(r.lattice && r.lattice->complete);
  EXPECT_EQ(choices(r.lattice->minimal), weakest_by_force(r.asked, m, r.sites));
  expect_defended(s, m);
}

TEST(Relax, AReachableExistsIsKeptOrForbidden) {
  const cat::Model m = model_of(vocab::Dialect::ptx);
  const prog::Test t = parsed(mp("fence.acq_rel.cta", "fence.acq_rel.gpu", "exists"));
  relax::Options o;
  Job job;
  const Session kept(t, m, o, job);
  EXPECT_EQ(kept.report().mode, relax::Report::Mode::weaken);
  EXPECT_EQ(kept.report().each[0].kind, SiteReport::Kind::droppable);
  o.forbid = true;
  const Session fixed(t, m, o, job);
  ASSERT_EQ(fixed.report().mode, relax::Report::Mode::repair);
  ASSERT_EQ(fixed.report().repair->changes, 1u);
  // The fence wider, or something else of one change; each is right, and nothing weaker at that site is.
  bool wider = false;
  for (const auto& f : fixed.report().repair->fixes) {
    EXPECT_TRUE(correct(fixed.variant(f.choice), m)) << print::print(fixed.variant(f.choice));
    wider = wider || print::print(fixed.variant(f.choice)).find("cta  ") == std::string::npos;
    for (size_t k = 0; k < f.choice.size(); ++k)
      for (uint32_t w : fixed.report().sites[k].forms[f.choice[k]].weaker) {
        prog::Choice c = f.choice;
        c[k] = w;
        EXPECT_FALSE(correct(fixed.variant(c), m));
      }
  }
  EXPECT_TRUE(wider);
}

// PTX keeps its axioms in spite of races: they are left alone unless they are named.
TEST(Relax, RacesOfPtxCountWhereTheyAreNamed) {
  const cat::Model m = model_of(vocab::Dialect::ptx);
  const prog::Test t = parsed(mp("fence.acq_rel.gpu", "fence.acq_rel.gpu"));
  Job job;
  relax::Options o;
  const Session silent(t, m, o, job);
  EXPECT_EQ(silent.report().mode, relax::Report::Mode::weaken);
  for (const auto& p : silent.report().properties) EXPECT_NE(p.property, check::Property::races);
  o.keep = {check::Property::condition, check::Property::races};
  o.keep_is_explicit = true;
  const Session named(t, m, o, job);
  EXPECT_EQ(named.report().mode, relax::Report::Mode::repair);  // the data is read where the flag was not seen, too
  const Session unanswered(t, model_of(vocab::Dialect::ptx, "ptx-7.5-tables"), o, job);
  EXPECT_NE(unanswered.report().trouble.find("races is unsupported as written"), std::string::npos)
      << unanswered.report().trouble;
}

TEST(Relax, TwoChangesWhereOneIsNotEnough) {
  const cat::Model m = model_of(vocab::Dialect::ptx);
  std::string text = mp("add r7, r7, 0", "add r7, r7, 0");
  relax::Options o;
  Job job;
  const Session s(parsed(text), m, o, job);
  ASSERT_EQ(s.report().mode, relax::Report::Mode::repair);
  const auto& fix = *s.report().repair;
  EXPECT_EQ(fix.changes, 2u);
  EXPECT_TRUE(fix.proved_fewest);
  ASSERT_FALSE(fix.fixes.empty());
  for (const auto& f : fix.fixes) EXPECT_TRUE(correct(s.variant(f.choice), m));
  // Release and acquire on the flag are among them.
  EXPECT_TRUE(std::any_of(fix.fixes.begin(), fix.fixes.end(), [&](const auto& f) {
    const std::string t = print::print(s.variant(f.choice));
    return t.find("st.release.gpu y, 1") != std::string::npos && t.find("ld.acquire.gpu r0, y") != std::string::npos;
  }));
}

TEST(Relax, UndecidedIsNoPass) {
  const cat::Model m = model_of(vocab::Dialect::ptx);
  relax::Options o;
  Job late = Job::with_budget(1e-9);
  const Session s(parsed(mp("fence.acq_rel.gpu", "fence.acq_rel.gpu")), m, o, late);
  EXPECT_NE(s.report().mode, relax::Report::Mode::repair);
  for (const auto& e : s.report().each) EXPECT_TRUE(e.weakest.empty());
  EXPECT_EQ(s.report().joint.changed, 0u);
  // A loop that writes: nothing is known beyond the bound.
  const prog::Test loop = parsed(
      "PTX spin\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n L: | st.relaxed.gpu x, 1 ;\n"
      " atom.acquire.gpu.exch r0, x, 2 | fence.sc.gpu ;\n bne r0, 1, L | ld.relaxed.gpu r1, y ;\n~exists (P0:r0 = "
      "5)\n");
  Job job;
  const Session unknown(loop, m, o, job);
  EXPECT_EQ(unknown.report().mode, relax::Report::Mode::nothing);
  EXPECT_FALSE(unknown.report().trouble.empty());
}

TEST(Relax, WithoutAQuestionRacesHaveToBeKept) {
  const auto silent = [](const std::string& text) { return parsed(text.substr(0, text.find("~exists"))); };
  relax::Options o;
  Job job;
  const Session ptx(silent(mp("fence.acq_rel.gpu", "fence.acq_rel.gpu")), model_of(vocab::Dialect::ptx), o, job);
  EXPECT_EQ(ptx.report().mode, relax::Report::Mode::nothing);
  EXPECT_NE(ptx.report().trouble.find("no condition is asked"), std::string::npos) << ptx.report().trouble;
  const std::string handed =
      "OPENCL handed\n{ x=0; y=0; }\nP0@wg 0, dev 0 (global int* x, global atomic_int* y) {\n  *x = 1;\n  "
      "atomic_store_explicit(y, 1, memory_order_ORDER);\n}\nP1@wg 1, dev 0 (global int* x, global atomic_int* y) {\n  "
      "int "
      "r0 = atomic_load_explicit(y, memory_order_acquire);\n  int r1 = 0;\n  if (r0 == 1) r1 = *x;\n}\n~exists "
      "(0:r9=1)\n";
  const auto with = [&](const char* order) {
    std::string text = handed.substr(0, handed.find("~exists"));
    return parsed(text.replace(text.find("ORDER"), 5, order));
  };
  const cat::Model opencl = model_of(vocab::Dialect::opencl);
  const Session kept(with("release"), opencl, o, job);
  ASSERT_EQ(kept.report().mode, relax::Report::Mode::weaken) << kept.report().trouble;
  EXPECT_EQ(kept.report().properties.front().property, check::Property::races);
  EXPECT_EQ(kept.report().each[0].kind, SiteReport::Kind::needed);
  const Session racy(with("relaxed"), opencl, o, job);
  // A race undefines the program, so that it is to be mended: by the release that is missing.
  ASSERT_EQ(racy.report().mode, relax::Report::Mode::repair);
  EXPECT_FALSE(racy.report().repair->fixes.empty());
  o.keep = {check::Property::condition};
  o.keep_is_explicit = true;
  EXPECT_EQ(Session(with("release"), opencl, o, job).report().mode, relax::Report::Mode::nothing);
}

// Nothing is known of a program that may race, where a race makes it undefined.
TEST(Relax, OpenRacesAreNoPass) {
  const prog::Test t = parsed(
      "OPENCL open\n{ x=0; l=0; }\nP0@wg 0, dev 0 (global int* x, global atomic_int* l) {\n  while (atomic_exchange(l, "
      "1) == 1) {}\n  *x = 1;\n  atomic_store(l, 0);\n}\nP1@wg 1, dev 0 (global int* x, global atomic_int* l) {\n  "
      "while "
      "(atomic_fetch_add(l, 1) != 0) {}\n  *x = 2;\n  atomic_store(l, 0);\n}\nforall (x=1 \\/ x=2)\n");
  const cat::Model m = model_of(vocab::Dialect::opencl);
  relax::Options o;
  Job job;
  const Session open(t, m, o, job);
  EXPECT_EQ(open.report().mode, relax::Report::Mode::nothing);
  EXPECT_TRUE(open.report().each.empty());
}

TEST(Relax, ABarrierThatEveryoneWaitsAtIsNotDroppedOnOneSide) {
  const cat::Model m = model_of(vocab::Dialect::ptx);
  const prog::Test t = parsed(
      "PTX bar\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | bar.cta.sync 0 ;\n bar.cta.sync 0 | "
      "ld.weak r0, x ;\n"
      "~exists (P1:r0 = 0)\n");
  relax::Options o;
  Job job;
  const Session s(t, m, o, job);
  ASSERT_EQ(s.report().sites.size(), 1u);
  EXPECT_EQ(s.report().sites[0].places.size(), 2u);
  EXPECT_EQ(s.report().each[0].kind, SiteReport::Kind::needed);
  expect_defended(s, m);
}

TEST(Relax, TerminationIsKept) {
  const cat::Model m = model_of(vocab::Dialect::ptx);
  const prog::Test t = parsed(
      "PTX spin\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | L: ;\n  | ld.relaxed.gpu r0, x "
      ";\n"
      "  | beq r0, 0, L ;\nforall (P1:r0 = 1)\n");
  relax::Options o;
  o.check.fairness = reference::Fairness::scoped;
  Job job;
  const Session s(t, m, o, job);
  ASSERT_EQ(s.report().sites.size(), 2u);
  for (uint32_t k : {0, 1}) {
    EXPECT_EQ(s.report().each[k].kind, SiteReport::Kind::needed);
    const auto& f = s.report().each[k].findings.front();
    EXPECT_EQ(f.decision.property, check::Property::termination);
    const auto e = s.evidence(s.alone(k, f.form), f.decision);
    ASSERT_TRUE(e.has_value());
    EXPECT_EQ(e->verdict.status, Status::fails);
  }
  o.keep = {check::Property::condition};
  const Session any(t, m, o, job);
  EXPECT_EQ(any.report().each[0].kind, SiteReport::Kind::weaker);
}

TEST(Relax, WitnessesOfHigherBoundsAreReplayedThere) {
  // The wrong value needs two rounds of the loop.
  const cat::Model m = model_of(vocab::Dialect::ptx);
  const prog::Test t = parsed(
      "PTX rounds\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | L: ;\n fence.acq_rel.gpu "
      "| add r3, r2, 0 ;\n"
      " st.relaxed.gpu y, 1 | fence.acq_rel.gpu ;\n | ld.relaxed.gpu r0, x ;\n | ld.relaxed.gpu r2, y ;\n | add r1, "
      "r1, 1 ;\n"
      " | beq r1, 1, L ;\n~exists (P1:r3 = 1 /\\ P1:r0 = 0)\n");
  relax::Options o;
  o.keep = {check::Property::condition};
  o.check.auto_bound = true;
  Job job;
  const Session s(t, m, o, job);
  ASSERT_EQ(s.report().mode, relax::Report::Mode::weaken) << s.report().trouble;
  size_t shown = 0;
  for (uint32_t k = 0; k < s.report().each.size(); ++k)
    for (const auto& f : s.report().each[k].findings)
      if (f.decision.outcome == Outcome::broken) {
        const auto e = s.evidence(s.alone(k, f.form), f.decision);
        ASSERT_TRUE(e.has_value());
        EXPECT_EQ(e->bound, 2u);
        ++shown;
      }
  EXPECT_GE(shown, 4u);
}

// ---- locks -------------------------------------------------------------------------------------------

std::vector<prog::Test> locks() {
  std::vector<std::string> paths;
  for (const auto& e : fs::directory_iterator(std::string(FENCEPOST_SOURCE_DIR) + "/examples/locks"))
    if (e.path().extension() == ".litmus" && e.path().stem() != "peterson-one-fence") paths.push_back(e.path());
  std::sort(paths.begin(), paths.end());
  std::vector<prog::Test> out;
  for (const auto& p : paths) {
    auto t = read::parse_file(p);
    EXPECT_TRUE(t.has_value()) << p;
    if (t) out.push_back(t->front());
  }
  return out;
}

// Three strong fences before accesses: the first, the middle and the last place where one may stand. Returned as
// read from the printed text, with the places where they ended up.
struct Planted {
  prog::Test test;
  std::vector<prog::Place> places;
};
Planted plant(const prog::Test& t) {
  auto sites = prog::strengthening_sites(t, {true});
  std::erase_if(sites, [](const prog::Site& s) { return !s.gap; });
  EXPECT_GE(sites.size(), 3u) << t.title;
  const std::string strong =
      t.syntax == prog::Syntax::ptx ? "fence.acq_rel.gpu"
      : t.syntax == prog::Syntax::vulkan
          ? "membar.acq_rel.dv.semsc0.semav.semvis"
          : "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)";
  prog::Choice c(sites.size(), 0);
  for (size_t k : {size_t{0}, sites.size() / 2, sites.size() - 1})
    for (uint32_t f = 0; f < sites[k].forms.size(); ++f)
      if (sites[k].forms[f].text == strong) c[k] = f;
  EXPECT_EQ(std::count_if(c.begin(), c.end(), [](uint32_t f) { return f != 0; }), 3) << t.title;
  const prog::Variant v = prog::apply(t, sites, c);
  Planted out;
  out.test = *read::parse_one(make_source(t.title, print::print(v.test)));
  for (size_t k = 0; k < sites.size(); ++k)
    if (c[k] != 0)
      out.places.push_back({sites[k].at().thread, v.position[sites[k].at().thread][sites[k].at().instr] - 1});
  return out;
}

TEST(Relax, ThreePlantedFencesOfTenLocksAreFound) {
  const auto tests = locks();
  ASSERT_EQ(tests.size(), 10u);
  size_t lattices = 0;
  for (const prog::Test& lock : tests) {
    const auto start = std::chrono::steady_clock::now();
    const cat::Model m = model_of(lock.dialect);
    const Planted p = plant(lock);
    relax::Options o;
    Job job = Job::with_budget(60);
    const Session all(p.test, m, o, job);
    std::vector<uint32_t> planted;
    for (uint32_t k = 0; k < all.report().sites.size(); ++k)
      if (std::find(p.places.begin(), p.places.end(), all.report().sites[k].at()) != p.places.end()) {
        planted.push_back(k);
        EXPECT_EQ(all.report().each[k].kind, SiteReport::Kind::droppable)
            << lock.title << " " << all.report().sites[k].forms[0].text;
      }
    ASSERT_EQ(planted.size(), 3u) << lock.title;
    EXPECT_TRUE(all.report().joint_minimal) << lock.title;
    EXPECT_TRUE(correct(all.variant(all.report().joint.choice), m)) << lock.title;
    // Where a planted fence can stand in for one of the lock's own, which of them goes is open; that three go is not.
    const auto& joint = all.report().joint.choice;
    size_t gone = 0;
    for (size_t k = 0; k < joint.size(); ++k) gone += all.report().sites[k].forms[joint[k]].shape.absent ? 1 : 0;
    EXPECT_GE(gone, 3u) << lock.title;
    expect_defended(all, m);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_LT(seconds, 60) << lock.title;

    o.exhaustive = true;
    o.steps = relax::Steps::drop;
    const Session drop(p.test, m, o, job);
    ASSERT_TRUE(drop.report().lattice.has_value()) << lock.title;
    EXPECT_TRUE(drop.report().lattice->complete) << lock.title;
    EXPECT_TRUE(std::any_of(drop.report().lattice->minimal.begin(), drop.report().lattice->minimal.end(),
                            [&](const auto& one) {
                              return std::all_of(planted.begin(), planted.end(),
                                                 [&](uint32_t k) { return one.choice[k] != 0; });
                            }))
        << lock.title;
    if (drop.report().sites.size() > 10) continue;
    EXPECT_EQ(choices(drop.report().lattice->minimal), weakest_by_force(drop.report().asked, m, drop.report().sites))
        << lock.title;
    ++lattices;
  }
  EXPECT_GE(lattices, 6u);
}

// A shader: its sites name lines of the GLSL text, forms are those of VULKAN tests with the same tags, and what is
// called broken has its execution.
TEST(Relax, ShadersAreWeakenedAndRepaired) {
  for (const char* name : {"queue", "queue-relaxed-release"}) {
    const bool correct_one = std::string(name) == "queue";
    const auto tests = read::parse_file(std::string(FENCEPOST_SOURCE_DIR) + "/examples/glsl/" + name + ".comp");
    ASSERT_TRUE(tests.has_value()) << render(tests.error());
    const prog::Test& t = tests->front();
    const cat::Model m = model_of(t.dialect);
    relax::Options o;
    o.keep = {check::Property::condition, check::Property::races};
    o.keep_is_explicit = true;
    o.check.auto_bound = true;
    Job job = Job::with_budget(60);
    const Session s(t, m, o, job);
    EXPECT_EQ(s.report().mode, correct_one ? relax::Report::Mode::weaken : relax::Report::Mode::repair)
        << s.report().trouble;
    EXPECT_GE(s.report().sites.size(), 3u);
    size_t needed = 0;
    for (uint32_t k = 0; k < s.report().sites.size(); ++k) {
      EXPECT_NE(s.report().sites[k].span.location().find(std::string(name) + ".comp:"), std::string::npos)
          << s.report().sites[k].span.location();
      if (!correct_one) continue;
      needed += s.report().each[k].kind == SiteReport::Kind::needed ? 1 : 0;
      for (const auto& f : s.report().each[k].findings)
        if (f.decision.outcome == Outcome::broken) EXPECT_TRUE(s.evidence(s.alone(k, f.form), f.decision).has_value());
    }
    if (correct_one) {
      EXPECT_GE(needed, 1u);
    } else {
      ASSERT_TRUE(s.report().repair.has_value());
      ASSERT_FALSE(s.report().repair->fixes.empty());
      const prog::Test fixed = s.variant(s.report().repair->fixes.front().choice);
      for (const check::Property p : o.keep) {
        check::Options q;
        q.property = p;
        q.auto_bound = true;
        EXPECT_EQ(check::check(fixed, m, q, job).verdict.status, Status::holds);
      }
    }
  }
}

TEST(Relax, TheLatticeOfSmallLocksIsThatOfBruteForce) {
  size_t compared = 0;
  for (const prog::Test& lock : locks()) {
    const cat::Model m = model_of(lock.dialect);
    relax::Options o;
    o.exhaustive = true;
    o.lattice_limit = 600;
    o.keep = {check::Property::condition, check::Property::races};
    Job job;
    const Session s(lock, m, o, job);
    if (!s.report().lattice->complete) continue;
    EXPECT_EQ(choices(s.report().lattice->minimal), weakest_by_force(s.report().asked, m, s.report().sites))
        << lock.title;
    ++compared;
  }
  EXPECT_GE(compared, 5u);
}

// Every bundled test with few sites: what is called kept is so when asked afresh, what is called broken has its
// execution.
TEST(Relax, EveryFindingOnBundledTestsIsDefended) {
  size_t kept = 0, broken = 0, fixes = 0;
  for (const char* folder : {"ptx", "vulkan", "opencl"}) {
    std::vector<std::string> paths;
    for (const auto& e : fs::directory_iterator(std::string(FENCEPOST_SOURCE_DIR) + "/tests/corpus/" + folder))
      if (e.path().extension() == ".litmus") paths.push_back(e.path());
    std::sort(paths.begin(), paths.end());
    for (size_t n = 0; n < paths.size(); ++n) {
      const auto t = read::parse_file(paths[n]);
      if (!t) continue;
      const cat::Model m = model_of(t->front().dialect);
      relax::Options o;
      o.forbid = n % 2 == 0;
      o.max_changes = 2;
      Job job = Job::with_budget(20);
      const Session s(t->front(), m, o, job);
      const auto& r = s.report();
      const auto all_hold = [&](const prog::Choice& c) {
        for (const auto& p : r.properties) {
          if (!p.kept) continue;
          check::Options ask;
          ask.property = p.property;
          ask.engine = p.property == check::Property::termination ? check::Engine::automatic
                                                                  : check::Engine::enumerate;  // the other engine
          Job fresh = Job::with_budget(20);
          if (check::check(s.variant(c), m, ask, fresh).verdict.status != Status::holds) return false;
        }
        return true;
      };
      if (r.mode == relax::Report::Mode::weaken) {
        EXPECT_TRUE(all_hold(r.joint.choice)) << paths[n];
      }
      for (uint32_t k = 0; k < r.each.size(); ++k)
        for (size_t i = 0; i < r.each[k].findings.size(); i += 2) {
          const auto& f = r.each[k].findings[i];
          const prog::Choice c = s.alone(k, f.form);
          if (f.decision.outcome == Outcome::kept) {
            EXPECT_TRUE(all_hold(c)) << paths[n] << ": " << r.sites[k].forms[f.form].text;
            ++kept;
          } else if (f.decision.outcome == Outcome::broken && f.decision.detail.empty()) {
            EXPECT_TRUE(s.evidence(c, f.decision).has_value()) << paths[n] << ": " << r.sites[k].forms[f.form].text;
            ++broken;
          }
        }
      if (r.repair)
        for (const auto& f : r.repair->fixes) {
          EXPECT_TRUE(all_hold(f.choice)) << paths[n];
          ++fixes;
        }
    }
  }
  EXPECT_GT(kept, 200u);
  EXPECT_GT(broken, 200u);
  EXPECT_GT(fixes, 20u);
}

TEST(Relax, TheAcquireOfTheTicketIsNotNeeded) {
  const auto t = read::parse_file(std::string(FENCEPOST_SOURCE_DIR) + "/examples/asplos24/fig13-ticket-acquire.litmus");
  ASSERT_TRUE(t.has_value());
  for (const char* name : {"ptx-7.5", "ptx-6.0", "ptx-7.5-tables"}) {
    const cat::Model m = model_of(vocab::Dialect::ptx, name);
    Job job;
    const Session s(t->front(), m, {}, job);
    const auto& r = s.report();
    ASSERT_EQ(r.sites.size(), 3u);
    ASSERT_EQ(r.each[0].weakest.size(), 1u);
    EXPECT_EQ(r.sites[0].forms[r.each[0].weakest[0]].text, "atom.relaxed.gpu.add r1, in, 1");
    EXPECT_EQ(r.each[1].kind, SiteReport::Kind::needed);
    EXPECT_EQ(r.each[2].kind, SiteReport::Kind::needed);
  }
}

TEST(Relax, PetersonNeedsASecondFence) {
  const auto t = read::parse_file(std::string(FENCEPOST_SOURCE_DIR) + "/examples/locks/peterson-one-fence.litmus");
  ASSERT_TRUE(t.has_value());
  const cat::Model m = model_of(vocab::Dialect::ptx);
  Job job;
  const Session s(t->front(), m, {}, job);
  ASSERT_TRUE(s.report().repair.has_value());
  EXPECT_EQ(s.report().repair->changes, 2u);
  EXPECT_TRUE(s.report().repair->proved_fewest);
  for (const auto& f : s.report().repair->fixes) EXPECT_TRUE(correct(s.variant(f.choice), m));
}

// A generic write, a barrier and a copy by another thread: the fence may stand in either (docs/ptx9.md, P3).
TEST(Relax, AddsFencesOfTheAsyncProxy) {
  const prog::Test t = parsed(
      "PTX copy\n{ g = 0; s @ shared P0 = 0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak s, 1 | bar.cta.sync 0 ;\n "
      "bar.cta.sync 0 | cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16 ;\n | cp.async.bulk.commit_group ;\n "
      "| "
      "cp.async.bulk.wait_group 0 ;\n | ld.weak r0, g ;\nexists (P1:r0 = 0)\n");
  const cat::Model m = model_of(vocab::Dialect::ptx, "ptx-9");
  relax::Options o;
  o.forbid = true;
  Job job = Job::with_budget(60);
  const Session s(t, m, o, job);
  ASSERT_TRUE(s.report().repair.has_value());
  ASSERT_EQ(s.report().repair->changes, 1u);
  std::vector<uint32_t> threads;
  for (const relax::Minimal& f : s.report().repair->fixes)
    for (size_t k = 0; k < f.choice.size(); ++k)
      if (f.choice[k] != 0) {
        EXPECT_EQ(s.report().sites[k].forms[f.choice[k]].shape.mnemonic, "fence.proxy.async");
        threads.push_back(s.report().sites[k].at().thread);
      }
  EXPECT_EQ(threads, (std::vector<uint32_t>{0, 1}));
}

}  // namespace
}  // namespace fencepost
