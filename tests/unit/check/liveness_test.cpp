// Termination: small tests whose answer is known by hand, each by every way to decide it; and the judge of lassos.
#include "check/liveness.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "../../support/parsed.h"
#include "cat/library.h"
#include "check/progress_option.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

using support::parsed;

cat::Model model(const std::string& name, vocab::Dialect d) {
  auto m = cat::load_model(name, d);
  if (m) return std::move(*m);
  ADD_FAILURE() << render(m.error());
  return {};
}

Options options_for(const prog::Test& t, const std::string& progress, uint32_t bound = 2) {
  Options o;
  o.property = Property::termination;
  o.bound = bound;
  const auto p = parse_progress(progress, t.dialect);
  if (p)
    o.progress = *p;
  else
    ADD_FAILURE() << render(p.error());
  return o;
}

// The answer of each engine; "holds", or "solve holds, enumerate fails".
std::string ask(const std::string& text, const std::string& progress = "FAIR", uint32_t bound = 2,
                reference::Fairness fairness = reference::Fairness::co, const std::string& model_name = "") {
  const prog::Test t = parsed(text);
  const cat::Model m = model(model_name.empty() ? cat::default_model(t.dialect) : model_name, t.dialect);
  Options o = options_for(t, progress, bound);
  o.fairness = fairness;
  Job job;
  const Result a = solve_termination(t, m, o, job);
  const Result b = enumerate_termination(t, m, o, job);
  for (const Result* r : {&a, &b}) {
    EXPECT_EQ(r->verdict.status == Status::fails, r->lasso.has_value());
    if (r->lasso) EXPECT_TRUE(reference::verify(t, m, *r->lasso, o.progress, o.fairness));
  }
  if (a.verdict.status == b.verdict.status) return name(a.verdict.status);
  return std::string("solve ") + name(a.verdict.status) + ", enumerate " + name(b.verdict.status);
}

const char* k_wait = R"(PTX wait
{ f = 0; }
 P0@cta 0, gpu 0      | P1@cta 1, gpu 0     ;
 LC00:                | st.relaxed.gpu f, 1 ;
 ld.relaxed.gpu r0, f |                     ;
 beq r0, 0, LC00      |                     ;
exists (f == 1)
)";

TEST(Liveness, WaitingForAnotherThread) {
  EXPECT_EQ(ask(k_wait, "FAIR"), "holds");
  EXPECT_EQ(ask(k_wait, "HSA"), "fails") << "P0 has the smaller id";
  EXPECT_EQ(ask(k_wait, "OBE"), "fails") << "P1 need not start";
  EXPECT_EQ(ask(k_wait, "HSA_OBE"), "fails");
  EXPECT_EQ(ask(k_wait, "LOBE"), "fails");
  EXPECT_EQ(ask(k_wait, "UNFAIR"), "fails");
}

TEST(Liveness, WaitingForASmallerId) {
  const char* text = R"(PTX wait
{ f = 0; }
 P0@cta 0, gpu 0     | P1@cta 1, gpu 0      ;
 st.relaxed.gpu f, 1 | LC10:                ;
                     | ld.relaxed.gpu r0, f ;
                     | beq r0, 0, LC10      ;
exists (f == 1)
)";
  EXPECT_EQ(ask(text, "HSA"), "holds");
  EXPECT_EQ(ask(text, "LOBE"), "holds") << "once P1 runs, so does P0";
  EXPECT_EQ(ask(text, "OBE"), "fails");
}

TEST(Liveness, ModelsPerLevel) {
  // P1 and P2 share a workgroup; P1 waits for P2, P0 is alone.
  const char* text = R"(VULKAN levels
{ f = 0; }
 P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0    | P2@sg 1, wg 1, qf 0   ;
 add r0, 1, 0        | LC10:                  | st.atom.dv.sc0 f, 1   ;
                     | ld.atom.dv.sc0 r0, f   |                       ;
                     | beq r0, 0, LC10        |                       ;
exists (f == 1)
)";
  EXPECT_EQ(ask(text, "QF=HSA"), "holds") << "within a workgroup all run";
  EXPECT_EQ(ask(text, "WG=HSA"), "fails") << "among subgroups only the first";
  EXPECT_EQ(ask(text, "QF=OBE,SG=HSA"), "holds");
  EXPECT_EQ(ask(text, "DEFAULT=HSA,WG=FAIR"), "holds");
}

TEST(Liveness, ExchangeSpinsNeedALasso) {
  const char* both = R"(VULKAN pingpong
{ f = 0; }
 P0@sg 0, wg 0, qf 0      | P1@sg 0, wg 0, qf 0      ;
 LC00:                    | LC10:                    ;
 rmw.atom.dv.sc0 r0, f, 1 | rmw.atom.dv.sc0 r0, f, 0 ;
 beq r0, 0, LC00          | beq r0, 1, LC10          ;
exists (f == 1)
)";
  EXPECT_EQ(ask(both, "FAIR", 1), "unknown");
  EXPECT_EQ(ask(both, "FAIR", 2), "fails");
  const char* lock = R"(VULKAN lock
{ f = 0; }
 P0@sg 0, wg 0, qf 0      | P1@sg 0, wg 0, qf 0      ;
 LC00:                    | LC10:                    ;
 rmw.atom.dv.sc0 r0, f, 1 | rmw.atom.dv.sc0 r0, f, 1 ;
 beq r0, 1, LC00          | beq r0, 1, LC10          ;
 st.atom.dv.sc0 f, 0      | st.atom.dv.sc0 f, 0      ;
exists (f == 0)
)";
  EXPECT_EQ(ask(lock, "FAIR", 2), "unknown") << "an iteration that did not get the lock has written all the same";
  EXPECT_EQ(ask(lock, "OBE", 2), "unknown");
  EXPECT_EQ(ask(lock, "HSA", 2), "fails") << "P1 takes the lock and is left behind";
  // By states there is an answer.
  const prog::Test t = parsed(lock);
  const cat::Model m = model("vulkan", t.dialect);
  Job job;
  Statistics spent;
  for (const char* p : {"FAIR", "OBE", "LOBE", "HSA_OBE"}) {
    const auto r = decide_by_states(t, m, options_for(t, p), job, spent);
    ASSERT_TRUE(r) << p;
    EXPECT_EQ(r->verdict.status, Status::holds) << p;
  }
  EXPECT_EQ(decide_by_states(t, m, options_for(t, "HSA"), job, spent)->verdict.status, Status::fails);
}

TEST(Liveness, TheWeakMemorySeparation) {
  // Live if executions are interleavings; P0 may otherwise wait for what P1 will not do, each having missed the other.
  const char* text = R"(VULKAN separation
{ x = 0; y = 0; }
 P0@sg 0, wg 0, qf 0    | P1@sg 0, wg 0, qf 0    ;
 st.atom.dv.sc0 x, 1    | st.atom.dv.sc0 y, 1    ;
 ld.atom.dv.sc0 r0, y   | ld.atom.dv.sc0 r0, x   ;
 beq r0, 1, LC00        | beq r0, 0, LC10        ;
 LC01:                  | st.atom.dv.sc0 x, 0    ;
 ld.atom.dv.sc0 r1, x   | LC10:                  ;
 beq r1, 1, LC01        |                        ;
 LC00:                  |                        ;
exists (x == 0)
)";
  EXPECT_EQ(ask(text, "FAIR", 1, reference::Fairness::co, "sc"), "holds");
  EXPECT_EQ(ask(text, "FAIR", 1), "fails");
}

TEST(Liveness, ScopedFairnessGrantsLess) {
  // The flag is set in workgroup scope, and awaited in another workgroup.
  const auto wait = [](const char* scope, const char* place) {
    return std::string("VULKAN scoped\n{ f = 0; }\n P0@sg 0, wg 0, qf 0  | P1@sg 0, wg ") + place +
           ", qf 0 ;\n LC00: | st.atom." + scope + ".sc0 f, 1 ;\n ld.atom." + scope +
           ".sc0 r0, f | ;\n beq r0, 0, LC00 | ;\nexists (f == 1)\n";
  };
  using reference::Fairness;
  EXPECT_EQ(ask(wait("wg", "1"), "FAIR", 1, Fairness::co), "holds");
  EXPECT_EQ(ask(wait("wg", "1"), "FAIR", 1, Fairness::scoped), "fails");
  EXPECT_EQ(ask(wait("wg", "0"), "FAIR", 1, Fairness::scoped), "holds");
  EXPECT_EQ(ask(wait("dv", "1"), "FAIR", 1, Fairness::scoped), "holds");
  // One side in scope is not enough.
  const char* half = R"(VULKAN half
{ f = 0; }
 P0@sg 0, wg 0, qf 0  | P1@sg 0, wg 1, qf 0 ;
 LC00:                | st.atom.wg.sc0 f, 1 ;
 ld.atom.dv.sc0 r0, f |                     ;
 beq r0, 0, LC00      |                     ;
exists (f == 1)
)";
  EXPECT_EQ(ask(half, "FAIR", 1, Fairness::co), "holds");
  EXPECT_EQ(ask(half, "FAIR", 1, Fairness::scoped), "fails");
}

TEST(Liveness, StuckBarriers) {
  const char* text = R"(PTX stuck
{ x = 0; }
 P0@cta 0, gpu 0        | P1@cta 0, gpu 0     ;
 ld.relaxed.gpu r0, x   | st.relaxed.gpu x, 1 ;
 beq r0, 1, LC00        | bar.cta.sync 1      ;
 bar.cta.sync 1         |                     ;
 LC00:                  |                     ;
exists (x == 1)
)";
  EXPECT_EQ(ask(text, "FAIR", 1), "fails") << "P0 passes by, P1 waits";
  const char* meet = R"(PTX meet
{ x = 0; }
 P0@cta 0, gpu 0        | P1@cta 0, gpu 0     ;
 ld.relaxed.gpu r0, x   | st.relaxed.gpu x, 1 ;
 bar.cta.sync 1         | bar.cta.sync 1      ;
exists (x == 1)
)";
  EXPECT_EQ(ask(meet, "FAIR", 1), "holds");
  EXPECT_EQ(ask(meet, "UNFAIR", 1), "holds") << "somebody who can run does";
}

TEST(Liveness, ALoopEnteredBehindItsLabelHasNotIdled) {
  // The first time at the jump back nothing has been done, but the loop would do something.
  const char* text = R"(PTX middle
{ x = 0; }
 P0@cta 0, gpu 0      ;
 goto LC01            ;
 LC00:                ;
 st.relaxed.gpu x, 1  ;
 LC01:                ;
 ld.relaxed.gpu r0, x ;
 beq r0, 0, LC00      ;
exists (x == 1)
)";
  EXPECT_EQ(ask(text, "FAIR", 2), "holds");
  const prog::Test t = parsed(text);
  const cat::Model m = model("ptx-7.5", t.dialect);
  Options o;
  Job job;
  for (Engine e : {Engine::enumerate, Engine::solve}) {
    o.engine = e;
    o.bound = 1;
    EXPECT_EQ(check(t, m, o, job).verdict.status, Status::unknown) << name(e);
    o.bound = 2;
    EXPECT_EQ(check(t, m, o, job).verdict.status, Status::holds) << name(e);
  }
}

TEST(Liveness, ALoopThatReadsAgainWhatItKnewIsIdle) {
  // The register is live at the loop's head, and has the value again that it had.
  const char* text = R"(OPENCL wait
{ x = 0; }
P0@wg 0, dev 0 (global atomic_int* x) {
  int r = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  while (r == 0) {
    r = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  }
}
P1@wg 1, dev 0 (global atomic_int* x) {
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
}
exists (x == 1)
)";
  EXPECT_EQ(ask(text, "OBE", 1), "fails");
  EXPECT_EQ(ask(text, "FAIR", 1), "unknown") << "the iteration that reads something new";
  EXPECT_EQ(ask(text, "FAIR", 2), "holds");
}

TEST(Liveness, AnUndefinedInitialValueMayKeepALoopGoing) {
  prog::Test t = parsed(R"(VULKAN undefined
{ f = 0; }
 P0@sg 0, wg 0, qf 0    ;
 LC00:                  ;
 ld.atom.dv.sc0 r0, f   ;
 beq r0, 7, LC00        ;
exists (f == 0)
)");
  const cat::Model m = model("vulkan", t.dialect);
  const Options o = options_for(t, "FAIR", 1);
  Job job;
  Statistics spent;
  EXPECT_EQ(check(t, m, o, job).verdict.status, Status::holds);
  t.objects[0].undefined = {true};
  EXPECT_FALSE(decide_by_states(t, m, o, job, spent));
  for (const Result& r : {solve_termination(t, m, o, job), enumerate_termination(t, m, o, job)}) {
    EXPECT_EQ(r.verdict.status, Status::fails) << r.verdict.detail;
    EXPECT_TRUE(r.lasso);
  }
}

TEST(Liveness, BoundAutoGoesOnUntilThereIsAnAnswer) {
  const char* text = R"(VULKAN count
{ x = 0; y = 0; }
 P0@sg 0, wg 0, qf 0      ;
 LC00:                    ;
 rmw.atom.dv.sc0.add r0, x, 1 ;
 st.atom.dv.sc0 y, 1      ;
 bne r0, 2, LC00          ;
exists (x == 3)
)";
  const prog::Test t = parsed(text);
  const cat::Model m = model("vulkan", t.dialect);
  Options o = options_for(t, "FAIR", 1);
  Job job;
  EXPECT_EQ(check(t, m, o, job).verdict.status, Status::unknown);
  o.auto_bound = true;
  const Result r = check(t, m, o, job);
  EXPECT_EQ(r.verdict.status, Status::holds);
  EXPECT_EQ(r.bound, 4u);
  o.property = Property::condition;
  EXPECT_EQ(check(t, m, o, job).bound, 4u);
}

TEST(Liveness, TheJudgeRejectsWhatIsNoLasso) {
  const prog::Test t = parsed(k_wait);
  const cat::Model m = model("ptx-7.5", t.dialect);
  const Options o = options_for(t, "OBE", 1);
  Job job;
  const Result r = solve_termination(t, m, o, job);
  ASSERT_TRUE(r.lasso);
  const auto why = [&](const reference::Lasso& l, const reference::Progress& p = {}) {
    const auto ok = reference::verify(t, m, l, p, reference::Fairness::co);
    return ok ? std::string("fine") : ok.error().list[0].message;
  };
  EXPECT_EQ(why(*r.lasso, o.progress), "fine");
  EXPECT_EQ(why(*r.lasso), "the scheduler breaks its promise") << "FAIR promises P1";
  reference::Lasso all = *r.lasso;
  all.threads[1] = {reference::Fate::ended, 0, 0, 0};
  EXPECT_NE(why(all), "fine") << "then P1 has set the flag";
  reference::Lasso shorter = *r.lasso;
  --shorter.threads[0].cycle;
  EXPECT_NE(why(shorter, o.progress), "fine");
  reference::Lasso none = *r.lasso;
  none.threads[0] = {reference::Fate::halted, 1, 0, 0};
  none.choices = {};
  EXPECT_EQ(why(none, o.progress), "every thread ends or is left behind");
}

TEST(Liveness, ProgressOptions) {
  const auto error = [](const std::string& text) {
    const auto p = parse_progress(text, vocab::Dialect::vulkan);
    return p ? std::string() : p.error().list[0].message;
  };
  EXPECT_EQ(error("FAIR"), "");
  EXPECT_TRUE(parse_progress("fair", vocab::Dialect::vulkan)->all_fair());
  EXPECT_EQ(parse_progress("WG=OBE", vocab::Dialect::vulkan)->at(3).model, "obe");
  EXPECT_TRUE(parse_progress("WG=OBE", vocab::Dialect::vulkan)->at(2).is_fair());
  EXPECT_NE(error("CTA=OBE").find("not a scope level of vulkan"), std::string::npos);
  EXPECT_NE(error("SG=OBE,SG=HSA").find("twice"), std::string::npos);
  EXPECT_NE(error("SG=").find("not part"), std::string::npos);
  EXPECT_FALSE(error("OBEY").empty());
  const std::string file = testing::TempDir() + "window.progress";
  std::ofstream(file)
      << "# A window.\nmodel \"window\"\nvar first = min live\nfair = { u in live | id u <= id first }\n"
         "on terminate(t) { if t == first { first = min live } }\n";
  const auto p = parse_progress(file, vocab::Dialect::vulkan);
  ASSERT_FALSE(p);
  EXPECT_EQ(p.error().list[0].fault, Fault::unsupported) << p.error().list[0].message;
}

// OpenCL orders no fences; the rounds that the judge adds may not either.
TEST(Liveness, SequentiallyConsistentFencesInALoopOfOpenCl) {
  const std::string head =
      "OPENCL spin\n{ [x] = 0; }\nP0@wg 0, dev 0 (global atomic_int* x) {\n"
      "  while (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) == 0) {\n"
      "    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);\n  }\n}\n";
  EXPECT_EQ(ask(head + "exists (x = 0)\n"), "fails");
  EXPECT_EQ(
      ask(head + "P1@wg 1, dev 0 (global atomic_int* x) {\n"
                 "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);\n"
                 "  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);\n}\nexists (x = 1)\n"),
      "holds");
}

}  // namespace
}  // namespace fencepost::check
