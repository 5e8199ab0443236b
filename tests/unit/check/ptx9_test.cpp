// What ptx-9 decides beyond the bundled expectations: pipelines, which are too large for the enumerating engine, and
// what is refused.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/job.h"
#include "cat/library.h"
#include "check/check.h"
#include "check/progress_option.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::check {
namespace {

cat::Model shipped(const std::string& name) {
  auto m = cat::load_model(name, vocab::Dialect::ptx);
  EXPECT_TRUE(m) << (m ? "" : render(m.error()));
  return m ? std::move(*m) : cat::Model{};
}

Status status(const prog::Test& t, const std::string& model, Property p = Property::condition) {
  Options o;
  o.engine = Engine::solve;
  o.property = p;
  Job job = Job::with_budget(60);
  return check(t, shipped(model), o, job).verdict.status;
}

prog::Test example(const std::string& name) {
  auto t = read::parse_file(std::string(FENCEPOST_SOURCE_DIR) + "/examples/ptx9/" + name + ".litmus");
  EXPECT_TRUE(t && t->size() == 1) << name;
  return t && !t->empty() ? t->front() : prog::Test{};
}

TEST(Ptx9, APipelineNeedsItsParityItsFenceAndItsBytes) {
  EXPECT_EQ(status(example("pipeline"), "ptx-9"), Status::fails);
  EXPECT_EQ(status(example("pipeline"), "ptx-9[P2=strict]"), Status::holds);
  for (const char* mutant : {"pipeline-no-flip", "pipeline-no-fence", "pipeline-no-expect"})
    EXPECT_EQ(status(example(mutant), "ptx-9"), Status::holds) << mutant;
}

// Two stages, two producers, four consumers.
TEST(Ptx9, APipelineOfSixThreadsIsDecided) {
  for (Property p : {Property::condition, Property::races, Property::termination})
    EXPECT_EQ(status(example("two-stage-pipeline"), "ptx-9", p), Status::holds) << name(p);
  for (const char* mutant :
       {"two-stage-pipeline-no-flip", "two-stage-pipeline-no-fence", "two-stage-pipeline-no-expect"})
    for (Property p : {Property::condition, Property::races})
      EXPECT_EQ(status(example(mutant), "ptx-9", p), Status::fails) << mutant << " " << name(p);
  EXPECT_EQ(status(example("two-stage-pipeline-no-flip"), "ptx-9", Property::termination), Status::fails);
  EXPECT_EQ(status(example("two-stage-pipeline-no-expect"), "ptx-9", Property::termination), Status::fails);
  // A missing fence makes nobody wait.
  EXPECT_EQ(status(example("two-stage-pipeline-no-fence"), "ptx-9", Property::termination), Status::holds);
}

TEST(Ptx9, EnumerationGivesUpWithinItsBudget) {
  Options o;
  o.engine = Engine::enumerate;
  Job job = Job::with_budget(1);
  const auto begin = Job::Clock::now();
  EXPECT_EQ(check(example("two-stage-pipeline"), shipped("ptx-9"), o, job).verdict.status, Status::gave_up);
  EXPECT_LT(std::chrono::duration<double>(Job::Clock::now() - begin).count(), 30);
}

TEST(Ptx9, OlderModelsAndUnfairSchedulersRefuseByName) {
  const prog::Test t = example("bulk+mbarrier");
  for (const char* model : {"ptx-8", "ptx-7.5", "ptx-6.0", "sc"}) {
    const auto ok = fits(t, shipped(model));
    ASSERT_FALSE(ok) << model;
    EXPECT_NE(ok.error().list[0].message.find("mbarrier.arrive.expect_tx"), std::string::npos) << model;
    EXPECT_NE(ok.error().list[0].hint.find("ptx-9"), std::string::npos) << model;
  }
  Options o;
  o.property = Property::termination;
  const auto obe = parse_progress("OBE", t.dialect);
  ASSERT_TRUE(obe.has_value());
  o.progress = *obe;
  Job job = Job::with_budget(60);
  EXPECT_EQ(check(t, shipped("ptx-9"), o, job).verdict.status, Status::unsupported);
}

TEST(Ptx9, VariantsAreAnswersOfTheModel) {
  EXPECT_FALSE(cat::load_model("ptx-9[P2=nothing]", vocab::Dialect::ptx));
  EXPECT_FALSE(cat::load_model("ptx-9[P7=strict]", vocab::Dialect::ptx));
  EXPECT_FALSE(cat::load_model("ptx-8[P2=strict]", vocab::Dialect::ptx));
  EXPECT_FALSE(cat::load_model("ptx-9[P2]", vocab::Dialect::ptx));
  const cat::Model m = shipped("ptx-9[SC=no,P2=strict]");
  for (const auto& [question, answer] : m.variants) {
    if (question == "SC") EXPECT_EQ(answer, "no");
    if (question == "P2") EXPECT_EQ(answer, "strict");
    if (question == "P3") EXPECT_EQ(answer, "anywhere");
  }
}

std::string error_of(const std::string& init, const std::string& instruction) {
  const auto t = read::parse_one(
      make_source("t.litmus", "PTX t\n{ " + init + " }\n P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 1, gpu 0 ;\n " +
                                  instruction + " | ;\nexists (x = 1)\n"));
  return t ? "" : t.error().list[0].message;
}

TEST(Ptx9, WhatIsNotModelledOrNotPtxIsRefusedAtItsPlace) {
  const std::string m = "x = 0; s @ shared P0 = 0; m @ mbarrier P0 = 1;";
  const auto has = [&](const std::string& instruction, const std::string& part, const std::string& init) {
    EXPECT_NE(error_of(init, instruction).find(part), std::string::npos)
        << instruction << ": " << error_of(init, instruction);
  };
  EXPECT_EQ(error_of(m, "mbarrier.arrive.shared::cta.b64 _, [m]"), "");
  has("fence.acquire", "is not finished", m);
  has("fence.acquire.warp", "'warp' does not fit here", m);
  has("fence.acquire.sync_restrict::shared::cta.cluster", "does not fit here", m);
  has("mbarrier.arrive.release.shared::cta.b64 _, [m]", "needs a scope", m);
  has("mbarrier.arrive.cluster.shared::cta.b64 _, [m]", "needs an order", m);
  has("mbarrier.arrive.shared::cta.b64 _, [x]", "x is not an mbarrier object", m);
  has("mbarrier.test_wait.parity.shared::cta.b64 _, [m], 0", "needs a register", m);
  has("mbarrier.test_wait.parity.shared::cta.b64 r0, [m], 2", "2 is not a parity", m);
  has("mbarrier.arrive.shared::cluster.b64 r0, [m]", "returns no state", m);
  has("mbarrier.test_wait.phase_type::conditional.shared::cta.b64 r0, [m], 0", "asks for .parity", m);
  has("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [x], 24, [m]", "24 is not a number of bytes",
      m);
  has("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [x], 0, [m]", "0 is not a number of bytes",
      m);
  has("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [x], [x], 16, [m]", "x lies in global memory", m);
  has("cp.async.bulk.global.shared::cta.bulk_group [s], [s], 16", "s lies in shared memory", m);
  has("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [x], 16, [m], 3",
      "the mask 3 is not that of the CTAs of the list", m);
  has("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.exch.u32 [s], 1, [m]", "'exch' does", m);
  has("mbarrier.init.layout::v1.shared::cta.b64 [m], 4", "is declared with the layout v0", m);
  has("cp.async.bulk.relaxed.sys.global.shared::cta.bulk_group [x], [s], 16", "together, or neither", m);
  has("cp.async.ca.shared::cta.global [s], [x], 5", "5 is not a number of bytes", m);
  has("cp.async.cg.shared::cta.global [s], [x], 8", "8 is not a number of bytes", m);
  has("fabric.wait.sync_restrict::reads", "is not modelled", m);
  has("wgmma.fence", "is not modelled", m);
  has("bar.warp.sync 3", "some threads of a warp", m);
  has("barrier.cluster.wait", "has not arrived", m);
  has("ld.weak r0, s", "cannot reach", "x = 0; s @ shared P1 = 0;");
  has("ld.weak r0, s", "there is no thread P5", "x = 0; s @ shared P5 = 0;");
}

TEST(Ptx9, PlacesThatAnInstructionDoesNotReachAreRefused) {
  const std::string m = "x = 0; y = 0; s @ shared P0 = 0; m @ mbarrier P0 = 1;";
  const auto says = [&](const std::string& instruction, const std::string& part) {
    EXPECT_NE(error_of(m, instruction).find(part), std::string::npos) << instruction << error_of(m, instruction);
  };
  says("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [s], [s], 16", "s lies in shared memory");
  says("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [x], [y], 16", "y lies in global memory");
  says("cp.async.ca.shared::cta.global [x], [y], 8", "x lies in global memory");
  says("cp.async.ca.shared::cta.global [s], [s], 8", "s lies in shared memory");
  says("st.async.release.sys.global.b64 [s], 1", "s lies in shared memory");
  const std::string copy =
      "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [x, {0}], [m] | ;\n ";
  EXPECT_EQ(error_of(m, copy + "fence.proxy.tensormap::generic.acquire.gpu [x], 128"), "");
  says(copy + "fence.proxy.tensormap::generic.acquire.gpu [y], 128", "a fence of another tensor map");
  says("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [m], 1, [m]", "m is an mbarrier object");
  says("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [s], 1, [s]", "s is not an mbarrier object");
  says("cp.async.mbarrier.arrive.shared.b64 [s]", "s is not an mbarrier object");
  says("mbarrier.init.shared.b64 [s], 1", "s is not an mbarrier object");
  says("mbarrier.test_wait.parity.shared.b64 r0, [s], 1", "s is not an mbarrier object");
  says("mbarrier.expect_tx.relaxed.cta.shared.b64 [s], 1", "s is not an mbarrier object");
  says("cp.async.bulk.global.shared::cta.bulk_group [x], [y], 16", "y lies in global memory");
  says("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [s], 16, [m]", "s lies in shared memory");
  says("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [x], [s], 16, [m]",
       "x lies in global memory");
  says("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [s], [x], 16, [m]",
       "x lies in global memory");
  says("cp.async.bulk.global.shared::cta.bulk_group [x], [s], 24", "24 is not a number of bytes");
  says("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [x], [s], 8", "8 is not a number of bytes");
  says("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [s], [s], 0, [m]",
       "0 is not a number of bytes");
  says("mbarrier.arrive.expect_tx.shared::cta.b64 _, [m]", "needs the number of bytes");
  says("bar.warp.sync 0", "some threads of a warp");
  says(
      "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [x, {0}], [m] | ;\n "
      "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [y, {0}], [m] | ;\n "
      "fence.proxy.tensormap::generic.acquire.gpu [x], 128",
      "two tensor maps");
  for (const char* weak :
       {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128 [s], [s], 16, [m]",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.b128 [s], [x], 16, [m]",
        "cp.async.bulk.global.shared::cta.bulk_group.b128 [x], [s], 16"})
    says(weak, "together, or neither");
  EXPECT_EQ(
      error_of(
          m, copy + "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [x, {0}], [m]"),
      "");
  EXPECT_EQ(error_of(m, copy + "ld.acquire.gpu.v2.b64 {r0, r1}, {x, y}"), "");
  EXPECT_EQ(error_of(m, copy + "fence.proxy.tensormap::generic.release.gpu"), "");
  // CTAs of no cluster are in none together.
  const auto apart = read::parse_one(
      make_source("t.litmus",
                  "PTX t\n{ s @ shared P1 = 0; }\n P0@cta 0, gpu 0 | P1@cta 1, gpu 0 ;\n ld.weak r0, s | ;\n"
                  "exists (P0:r0 = 0)\n"));
  ASSERT_FALSE(apart);
  EXPECT_NE(apart.error().list[0].message.find("cannot reach"), std::string::npos);
}

TEST(Ptx9, GroupsAndClusterBarriersStandInStraightCode) {
  const std::string m = "x = 0; s @ shared P0 = 0; m @ mbarrier P0 = 1;";
  const auto t = read::parse_one(
      make_source("t.litmus", "PTX t\n{ " + m +
                                  " }\n P0@cta 0, gpu 0 ;\n LC00: ;\n cp.async.wait_all ;\n bne r0, 0, LC00 ;\n"
                                  "exists (x = 1)\n"));
  ASSERT_FALSE(t);
  EXPECT_NE(t.error().list[0].message.find("in a loop or behind a branch"), std::string::npos);
  // Behind a jump, and around an instruction of each kind.
  for (const char* i :
       {"cp.async.wait_all", "cp.async.commit_group", "cp.async.mbarrier.arrive.shared.b64 [m]",
        "cp.async.wait_group 0", "cp.async.bulk.commit_group", "cp.async.bulk.wait_group 0",
        "cp.async.ca.shared::cta.global [s], [x], 8", "cp.async.cg.shared::cta.global [s], [x], 16",
        "cp.async.bulk.global.shared::cta.bulk_group [x], [s], 16", "barrier.cluster.arrive", "barrier.cluster.wait"}) {
    const bool wait = std::string(i) == "barrier.cluster.wait";
    const auto skipped = read::parse_one(make_source(
        "t.litmus", "PTX t\n{ " + m + " }\n P0@cta 0, gpu 0 ;\n " + (wait ? "barrier.cluster.arrive ;\n " : "") +
                        "goto LC00 ;\n " + i + " ;\n LC00: ;\nexists (x = 1)\n"));
    ASSERT_FALSE(skipped) << i;
    EXPECT_NE(skipped.error().list[0].message.find("in a loop or behind a branch"), std::string::npos) << i;
  }
  const auto barrier = read::parse_one(
      make_source("t.litmus", "PTX t\n{ " + m +
                                  " }\n P0@cta 0, gpu 0 ;\n LC00: ;\n bar.sync 0 ;\n bne r0, 0, LC00 ;\n"
                                  "exists (x = 1)\n"));
  EXPECT_TRUE(barrier.has_value());
  const auto after = read::parse_one(make_source(
      "t.litmus", "PTX t\n{ " + m +
                      " }\n P0@cta 0, gpu 0 ;\n LC00: ;\n bne r0, 0, LC00 ;\n cp.async.wait_all ;\nexists (x = 1)\n"));
  EXPECT_TRUE(after.has_value());
}

TEST(Ptx9, HintsSayWhatFits) {
  const auto hint = [](const std::string& i) {
    const auto t = read::parse_one(make_source(
        "t.litmus", "PTX t\n{ x = 0; s @ shared P0 = 0; }\n P0@cta 0, gpu 0 ;\n " + i + " ;\nexists (x = 1)\n"));
    return t ? "" : t.error().list[0].hint;
  };
  EXPECT_EQ(hint("cp.async.cg.shared::cta.global [s], [x], 8"), "cp.async.cg copies 16 bytes");
  EXPECT_EQ(hint("cp.async.ca.shared::cta.global [s], [x], 5"), "cp.async copies 4, 8 or 16 bytes");
  EXPECT_EQ(hint("cp.async.bulk.global.shared::cta.bulk_group [x], [s], 5"),
            "the size of a bulk copy is a multiple of 16");
}

TEST(Ptx9, BarriersOfAClusterAreInOrder) {
  const auto second =
      read::parse_one(make_source("t.litmus",
                                  "PTX t\n{ x = 0; }\n P0@cta 0, gpu 0 ;\n barrier.cluster.arrive ;\n st.weak x, 1 ;\n "
                                  "barrier.cluster.arrive ;\n barrier.cluster.wait ;\nexists (x = 1)\n"));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().list[0].span.position().line, 6u);
  const auto error = [](const std::string& rows) {
    const auto t = read::parse_one(make_source(
        "t.litmus",
        "PTX t\n{ x = 0; }\n P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 ;\n" + rows + "exists (x = 1)\n"));
    return t ? "" : t.error().list[0].message;
  };
  EXPECT_EQ(error(" barrier.cluster.arrive | ;\n barrier.cluster.wait | ;\n"), "");
  EXPECT_NE(error(" barrier.cluster.wait | ;\n barrier.cluster.arrive | ;\n").find("has not arrived"),
            std::string::npos);
  EXPECT_NE(error(" barrier.cluster.arrive | ;\n barrier.cluster.arrive | ;\n").find("without a wait"),
            std::string::npos);
  EXPECT_NE(error(" barrier.cluster.arrive | ;\n barrier.cluster.arrive | ;\n barrier.cluster.wait | ;\n")
                .find("without a wait"),
            std::string::npos);
  EXPECT_EQ(error(" barrier.cluster.arrive | ;\n barrier.cluster.wait | ;\n barrier.cluster.arrive | ;\n"), "");
  // An arrival is an event for each other thread of its cluster, of which the first is printed.
  const auto four = read::parse_one(make_source(
      "t.litmus",
      "PTX t\n{ x = 0; }\n P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 | P2@cta 2, cluster 0, gpu 0 | "
      "P3@cta 3, cluster 1, gpu 0 ;\n barrier.cluster.arrive | barrier.cluster.arrive | barrier.cluster.arrive | "
      "barrier.cluster.arrive ;\n barrier.cluster.wait | barrier.cluster.wait | barrier.cluster.wait | "
      "barrier.cluster.wait ;\n"
      "exists (x = 1)\n"));
  ASSERT_TRUE(four.has_value());
  const std::vector<prog::Instr>& code = four->instrs(0);
  ASSERT_EQ(code.size(), 3u);
  EXPECT_EQ(code[0].barrier.instance, "cluster 0 P1");
  EXPECT_EQ(code[1].barrier.instance, "cluster 0 P2");
  EXPECT_TRUE(!code[0].hidden && code[1].hidden && code[1].mnemonic.empty());
  EXPECT_EQ(code[2].barrier.instance, "cluster 0 P0");
  ASSERT_EQ(four->instrs(3).size(), 2u);
  EXPECT_EQ(four->instrs(3)[0].barrier.instance, "cluster 0 alone P3");
}

}  // namespace
}  // namespace fencepost::check
