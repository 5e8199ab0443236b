// Verdicts of generated tests, smallest forbidden ones, mutants.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/job.h"
#include "cat/library.h"
#include "cycle/families.h"
#include "cycle/layout.h"
#include "prog/syntax.h"
#include "suite/conformance.h"
#include "suite/decide.h"
#include "suite/mutate.h"

namespace fencepost::gen {
namespace {

using prog::Syntax;

const cat::Model& model(const std::string& name, vocab::Dialect d) {
  static std::map<std::string, Expected<cat::Model>> loaded;
  const auto [at, fresh] = loaded.try_emplace(name, cat::load_model(name, d));
  EXPECT_TRUE(at->second) << name;
  return *at->second;
}
const cat::Model& ptx() { return model("ptx-7.5", vocab::Dialect::ptx); }

struct Made {
  Spec spec;
  TestOptions options;
  prog::Test test;
};
Made make(const std::string& cycle, Syntax syntax = Syntax::ptx, const std::optional<std::string>& tree = {}) {
  Made m;
  const auto c = parse_cycle(cycle);
  EXPECT_TRUE(c) << cycle;
  m.spec = *spec_of(*c, tree);
  m.options.syntax = syntax;
  const auto t = make_test(m.spec, m.options);
  EXPECT_TRUE(t) << cycle << (t ? "" : render(t.error()));
  m.test = *t;
  return m;
}
Reach reach(const std::string& cycle, const std::optional<std::string>& tree = {}) {
  Job job;
  return ask(make(cycle, Syntax::ptx, tree).test, ptx(), {}, job).reach;
}

TEST(Decide, KnownVerdicts) {
  EXPECT_EQ(reach("PodWW Rfe PodRR Fre"), Reach::allowed);
  EXPECT_EQ(reach("PodWW release.gpu Rfe acquire.gpu PodRR Fre"), Reach::forbidden);
  EXPECT_EQ(reach("PodWW release.cta Rfe acquire.gpu PodRR Fre"), Reach::allowed);  // two CTAs
  EXPECT_EQ(reach("PodWW release.cta Rfe acquire.gpu PodRR Fre", "01"), Reach::forbidden);
  EXPECT_EQ(reach("PodWW release.gpu Rfe acquire.gpu PodRR Fre", "0_1"), Reach::allowed);
  EXPECT_EQ(reach("Fence.sc.gpudWR Fre Fence.sc.gpudWR Fre"), Reach::forbidden);
  EXPECT_EQ(reach("Fence.acq_rel.gpudWR Fre Fence.sc.gpudWR Fre"), Reach::allowed);
  Job job;
  for (auto q : {prog::Quantifier::exists, prog::Quantifier::not_exists, prog::Quantifier::forall}) {
    Made m = make("PodWW release.gpu Rfe acquire.gpu PodRR Fre");
    m.options.quantifier = q;
    EXPECT_EQ(ask(*make_test(m.spec, m.options), ptx(), {}, job).reach, Reach::forbidden);
  }
}

// Where a cycle begins numbers threads and locations, and changes no verdict; both engines say so.
TEST(Decide, RotationsAgree) {
  Job job;
  Rng rng(5);
  FamilyRequest r;
  r.most_threads = 3;
  r.relations = {*parse_kind("Po"), *parse_kind("Fence.acq_rel.gpu"), *parse_kind("Fence.sc.cta")};
  r.reads = {*parse_node("relaxed.gpu"), *parse_node("acquire.gpu")};
  r.writes = {*parse_node("relaxed.gpu"), *parse_node("release.cta")};
  r.placement = FamilyRequest::Placement::all;
  std::vector<Spec> specs;
  ASSERT_TRUE(enumerate(r, [&](const Spec& s) {
    if (rng.chance(0.01)) specs.push_back(s);
    return specs.size() < 120;
  }));
  check::Options both;
  both.engine = check::Engine::both;
  uint32_t forbidden = 0;
  for (const Spec& s : specs) {
    const size_t by = 1 + rng.below(s.cycle.size() - 1);
    const Cycle turned = rotated(s.cycle, by);
    const auto a = lay_out(s.cycle), b = lay_out(turned);
    std::vector<uint32_t> from(b->threads.size());
    for (size_t k = 0; k < s.cycle.size(); ++k) from[b->thread_of[k]] = a->thread_of[(k + by) % s.cycle.size()];
    const Reach x = ask(*make_test(s, {}), ptx(), both, job).reach;
    EXPECT_EQ(ask(*make_test({turned, permuted(s.tree, from)}, {}), ptx(), both, job).reach, x) << name(s);
    forbidden += x == Reach::forbidden;
  }
  EXPECT_GT(forbidden, 0u);
  EXPECT_LT(forbidden, specs.size());
}

TEST(Decide, SmallestForbidden) {
  Job job;
  const Minimality yes = minimality(make("PodWW release.gpu Rfe acquire.gpu PodRR Fre").test, ptx(), {}, job);
  EXPECT_EQ(yes.kind, Minimality::Kind::minimal) << yes.step;
  EXPECT_GE(yes.steps, 2u);
  const Minimality no = minimality(make("PodWW release.sys Rfe acquire.gpu PodRR Fre").test, ptx(), {}, job);
  EXPECT_EQ(no.kind, Minimality::Kind::not_minimal);
  EXPECT_EQ(no.step, "P0: st.release.sys y, 1 -> st.release.gpu y, 1");
  EXPECT_EQ(minimality(no.weaker, ptx(), {}, job).kind, Minimality::Kind::minimal);
}

using Names = std::set<std::string>;
Names names(const std::vector<Mutant>& ms) {
  Names out;
  for (const Mutant& m : ms) out.insert(name(m.mutator));
  return out;
}

TEST(Mutate, ByMutator) {
  const Made mp = make("PodWW release.gpu Rfe acquire.gpu PodRR Fre");
  const auto ms = mutants(mp.test, mp.spec, mp.options);
  EXPECT_EQ(names(ms), (Names{"weaken-sw", "ld-acq-rlx", "st-rel-rlx", "scope", "order"}));
  Job job;
  for (const Mutant& m : ms)
    EXPECT_EQ(ask(m.test, ptx(), {}, job).reach, Reach::allowed) << name(m.mutator) << " " << m.what;
  const Made cta = make("PodWW release.cta Rfe acquire.cta PodRR Fre", Syntax::ptx, "01");
  EXPECT_EQ(names(mutants(cta.test, cta.spec, cta.options)), (Names{"weaken-sw", "ld-acq-rlx", "st-rel-rlx", "order"}));
  const Made sb = make("Fence.sc.ctadWR Fre Fence.sc.ctadWR Fre", Syntax::ptx, "01");
  EXPECT_EQ(names(mutants(sb.test, sb.spec, sb.options)), (Names{"weaken-sw", "order"}));
  const Made corr = make("relaxed.cta Rfe relaxed.cta PosRR relaxed.cta Fre", Syntax::ptx, "01");
  EXPECT_TRUE(names(mutants(corr.test, corr.spec, corr.options)).contains("reverse-po-loc"));
  const Made mpco = make("relaxed.gpu PosWW relaxed.gpu Rfe relaxed.gpu PosRR relaxed.gpu Fre");
  EXPECT_EQ(ask(mpco.test, ptx(), {}, job).reach, Reach::forbidden);
  const auto co = mutants(mpco.test, mpco.spec, mpco.options);
  EXPECT_TRUE(names(co).contains("weaken-po-loc"));
  for (const Mutant& m : co)
    if (m.mutator == Mutator::weaken_po_loc || (m.mutator == Mutator::reverse_po_loc && m.what.starts_with("P1"))) {
      EXPECT_EQ(ask(m.test, ptx(), {}, job).reach, Reach::allowed) << m.what;
    }
  const Made proxy = make("surf Proxy.surfdWW relaxed.gpu Rfe relaxed.gpu PodRR Fre");
  EXPECT_TRUE(names(mutants(proxy.test, proxy.spec, proxy.options)).contains("proxy"));
  const Made cl = make("sc.gpu PodWR sc.gpu Fre sc.gpu PodWR sc.gpu Fre", Syntax::opencl);
  const Names of_cl = names(mutants(cl.test, cl.spec, cl.options));
  for (const char* m : {"ld-sc-acq", "ld-sc-rlx", "st-sc-rel", "st-sc-rlx", "weaken-sw", "order"})
    EXPECT_TRUE(of_cl.contains(m)) << m;
  EXPECT_EQ(find_mutator("st-sc-rel"), Mutator::st_sc_rel);
  EXPECT_EQ(find_mutator("nothing"), std::nullopt);
}

// Everything below one base, and what it says of itself.
TEST(Conformance, BelowMessagePassing) {
  Job job;
  const auto part = minimal_below(*parse_name("MP@01"), Syntax::ptx, ptx(), {}, job);
  EXPECT_TRUE(part.base_forbidden);
  EXPECT_EQ(part.undecided, "");
  EXPECT_GE(part.entries.size(), 4u);
  bool classic = false;
  for (const SuiteEntry& e : part.entries) {
    EXPECT_EQ(e.family, "MP");
    ASSERT_TRUE(e.spec) << e.name;
    EXPECT_EQ(name(*e.spec), e.name);
    EXPECT_EQ(e.test.title, e.name);
    EXPECT_EQ(e.test.quantifier, prog::Quantifier::not_exists);
    EXPECT_EQ(ask(e.test, ptx(), {}, job).reach, Reach::forbidden) << e.name;
    EXPECT_EQ(minimality(e.test, ptx(), {}, job).kind, Minimality::Kind::minimal) << e.name;
    classic |= e.name == "MP+weak-po-release.cta+acquire.cta-po-weak@01";
  }
  EXPECT_TRUE(classic);
}

TEST(Conformance, OtherDialects) {
  Job job;
  const auto vulkan =
      minimal_below(*parse_name("MP@01"), Syntax::vulkan, model("vulkan", vocab::Dialect::vulkan), {}, job);
  EXPECT_TRUE(vulkan.base_forbidden);
  EXPECT_GE(vulkan.entries.size(), 3u);
  for (const SuiteEntry& e : vulkan.entries) EXPECT_TRUE(e.spec) << e.name;
  // Vulkan has nothing sequentially consistent.
  EXPECT_FALSE(minimal_below(*parse_name("SB@01"), Syntax::vulkan, model("vulkan", vocab::Dialect::vulkan), {}, job)
                   .base_forbidden);
  const auto opencl =
      minimal_below(*parse_name("SB@01"), Syntax::opencl, model("opencl", vocab::Dialect::opencl), {}, job);
  EXPECT_TRUE(opencl.base_forbidden);
  EXPECT_GE(opencl.entries.size(), 1u);
  for (const SuiteEntry& e : opencl.entries) EXPECT_TRUE(e.spec) << e.name;
}

// An access at too narrow a scope has a data race in Vulkan and OpenCL: such a test is weaker and forbids nothing.
TEST(Conformance, NoTestRaces) {
  Job job;
  check::Options races;
  races.property = check::Property::races;
  for (const auto& [syntax, dialect, of] : {std::tuple{Syntax::vulkan, vocab::Dialect::vulkan, "vulkan"},
                                            std::tuple{Syntax::opencl, vocab::Dialect::opencl, "opencl"}}) {
    const SuitePart part = minimal_below(*parse_name("LB"), syntax, model(of, dialect), {}, job);
    EXPECT_FALSE(part.entries.empty());
    for (const SuiteEntry& e : part.entries)
      EXPECT_EQ(check::check(e.test, model(of, dialect), races, job).verdict.status, Status::holds) << e.name;
  }
  const auto racy = parse_name("LB+acquire.gpu-po-relaxed.warp+relaxed.warp-po-release.gpu");
  ASSERT_TRUE(racy);
  TestOptions o;
  o.syntax = Syntax::vulkan;
  EXPECT_EQ(ask(*make_test(*racy, o), model("vulkan", vocab::Dialect::vulkan), {}, job).reach, Reach::racy);
}

// Threads of the host have one form of access: nothing of theirs but a fence is weakened, and names say nothing of it.
TEST(Conformance, ThreadsOfTheHost) {
  Job job;
  const cat::Model& both = model("ptx-8-x86", vocab::Dialect::ptx);
  Names all;
  for (const char* base : {"MP@0_H1", "MP@H0_1", "SB@H0_1"}) {
    const SuitePart part = minimal_below(*parse_name(base), Syntax::ptx, both, {}, job);
    EXPECT_TRUE(part.base_forbidden) << base;
    EXPECT_EQ(part.undecided, "") << base;
    for (const SuiteEntry& e : part.entries) {
      ASSERT_TRUE(e.spec) << e.name;
      EXPECT_NE(prog::host_thread(e.test), nullptr) << e.name;
      EXPECT_EQ(minimality(e.test, both, {}, job).kind, Minimality::Kind::minimal) << e.name;
      all.insert(e.name);
    }
  }
  // x86 keeps the order of loads and that of stores, but not a store before a load.
  EXPECT_TRUE(all.contains("MP+weak-po-release.sys+po@0_H1"));
  EXPECT_TRUE(all.contains("MP+po+acquire.sys-po-weak@H0_1"));
  EXPECT_TRUE(all.contains("SB+fence.sc.sys+weak-fence.sc.sys-weak@H0_1"));
  const auto five = coherence_suite(Syntax::ptx, both, {}, job);
  ASSERT_TRUE(five);
  EXPECT_EQ(std::ranges::count_if(*five, [](const SuiteEntry& e) { return prog::host_thread(e.test) != nullptr; }), 6);
}

TEST(Conformance, CoherenceAndBases) {
  Job job;
  const auto five = coherence_suite(Syntax::ptx, ptx(), {}, job);
  ASSERT_TRUE(five);
  Names families;
  for (const SuiteEntry& e : *five) families.insert(e.family);
  EXPECT_EQ(families, (Names{"CoRR", "CoRW1", "CoRW2", "CoWR", "CoWW"}));
  EXPECT_EQ(five->size(), 3u * 3 + 2);
  SuiteRequest r;
  EXPECT_EQ(suite_bases(r)->size(), 6u * 3 + 5);
  r.families = {"MP"};
  EXPECT_EQ(suite_bases(r)->size(), 3u);
  // MP with either thread on the host; SB and its like with one of the two; two more of IRIW.
  r.hosts = true;
  EXPECT_EQ(suite_bases(r)->size(), 3u + 2);
  r.families = {};
  EXPECT_EQ(suite_bases(r)->size(), 6u * 3 + 5 + 3 + 3 * 2 + 2);
}

}  // namespace
}  // namespace fencepost::gen
