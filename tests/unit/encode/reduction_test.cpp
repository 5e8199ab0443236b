// Which iterations may be left out: where leaving them out would hide something, it must not be done.
#include "encode/reduction.h"

#include <gtest/gtest.h>

#include "../../support/parsed.h"
#include "cat/library.h"
#include "encode/unseen.h"
#include "prog/test.h"

namespace fencepost::encode {
namespace {

using support::parsed;

cat::Model model(const std::string& name, vocab::Dialect d = vocab::Dialect::vulkan) {
  auto m = cat::load_model(name, d);
  if (m) return std::move(*m);
  ADD_FAILURE() << render(m.error());
  return {};
}

// P0 takes the lock x by exchanging, P1 opens it.
std::string lock(const std::string& exchange, const std::string& unlock,
                 const std::string& second_place = "sg 0,wg 1,qf 0") {
  return "VULKAN lock\n{ x = 1; y = 0; }\n P0@sg 0,wg 0,qf 0 | P1@" + second_place + " ;\n LC00: | " + unlock +
         " ;\n " + exchange + " | ;\n bne r0, 0, LC00 | ;\nexists (x = 1)\n";
}
const char* k_exchange = "rmw.atom.acq.dv.sc0.semsc0 r0, x, 1";

TEST(Reduction, SilentExchangesOfAnAtomicLockAreLeftOut) {
  for (const char* name : {"vulkan", "vulkan-nochains", "vulkan-alloy", "vulkan-alloy-nochains", "vulkan-tables",
                           "vulkan-nochains-tables"}) {
    const Reduction r = reduction_of(parsed(lock(k_exchange, "st.atom.rel.dv.sc0.semsc0 x, 0")), model(name));
    EXPECT_TRUE(r.conditions) << name;
    EXPECT_TRUE(r.races) << name;
    EXPECT_TRUE(r.any_silent()) << name;
  }
}

TEST(Reduction, AnAccessThatIsNotOrderedWithAllOthersForbidsIt) {
  const auto silent = [](const std::string& text) { return reduction_of(parsed(text), model("vulkan")).any_silent(); };
  EXPECT_FALSE(silent(lock(k_exchange, "st.av.dv.sc0 x, 0")));    // plain
  EXPECT_FALSE(silent(lock(k_exchange, "st.atom.wg.sc0 x, 0")));  // of another workgroup
  EXPECT_FALSE(silent(lock("rmw.atom.acq.wg.sc0.semsc0 r0, x, 1", "st.atom.rel.dv.sc0.semsc0 x, 0")));
  EXPECT_TRUE(silent(lock("rmw.atom.acq.wg.sc0.semsc0 r0, x, 1", "st.atom.rel.dv.sc0.semsc0 x, 0", "sg 0,wg 0,qf 0")));
  EXPECT_FALSE(
      silent("VULKAN alias\n{ x = 1; z aliases x; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 ;\n LC00: | st.atom.dv.sc0 "
             "z, 0 ;\n " +
             std::string(k_exchange) + " | ;\n bne r0, 0, LC00 | ;\nexists (x = 1)\n"));
}

TEST(Reduction, ProvenFormulasOnly) {
  const prog::Test t = parsed(lock(k_exchange, "st.atom.rel.dv.sc0.semsc0 x, 0"));
  EXPECT_FALSE(reduction_of(t, model("vulkan-asplos24")).any_silent());
  for (const char* axiom : {"atomicity", "consistency", "visible-value"}) {
    cat::Model m = model("vulkan");
    ASSERT_EQ(std::erase_if(m.axioms, [&](const cat::Axiom& a) { return a.name == axiom; }), 1u);
    EXPECT_FALSE(reduction_of(t, m).any_silent()) << axiom;
    EXPECT_NE(fingerprint(m), fingerprint(model("vulkan")));
  }
}

TEST(Reduction, APlainReadOfALoopMayRace) {
  const std::string spin =
      "VULKAN spin\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 ;\n LC00: | st.sc0 x, 1 ;\n ld.sc0 r0, x | ;\n "
      "beq r0, 0, LC00 | ;\n";
  const Reduction r = reduction_of(parsed(spin + "exists (x = 1)\n"), model("vulkan"));
  EXPECT_TRUE(r.conditions);
  EXPECT_FALSE(r.races);
}

// A formula that looks through the events of loops when it says what is forbidden.
cat::Model written(const std::string& axiom) {
  cat::LoadOptions o;
  o.dialect = vocab::Dialect::vulkan;
  o.prelude = cat::models_dir() + "/prelude-vulkan.cat";
  auto m = cat::load_text(make_source("model", "\"model\"\n" + axiom + "\n"), o);
  if (m) return std::move(*m);
  ADD_FAILURE() << render(m.error());
  return {};
}

TEST(Reduction, WhatIsFilledInByAReadOfALoopIsNotLost) {
  const prog::Test t = parsed(lock("ld.atom.dv.sc0 r0, x", "st.atom.dv.sc0 x, 0"));
  EXPECT_TRUE(reduction_of(t, written("acyclic (po | rf | co) as order")).conditions);
  EXPECT_TRUE(reduction_of(t, written("acyclic (po | rf; rf^-1; co) as order")).conditions);
  // Fewer reads in between make the difference larger.
  EXPECT_FALSE(reduction_of(t, written("empty ((W * W) & (co \\ (rf; rf^-1))) as seen")).conditions);
  EXPECT_FALSE(reduction_of(t, written("empty ([W] \\ [domain(rf)]) as seen")).conditions);
  EXPECT_FALSE(reduction_of(t, written("~empty rf as something")).conditions);
  EXPECT_FALSE(reduction_of(t, written("flag ~empty (rf; rf^-1) as shared")).races);
  EXPECT_TRUE(reduction_of(t, written("flag ~empty (co; co) as twice")).races);
}

TEST(Reduction, DependenciesAreNotLookedThrough) {
  const prog::Test t = parsed(
      "PTX spin\n{ x = 0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n LC00: | st.relaxed.gpu x, 1 ;\n ld.relaxed.gpu r0, x "
      "| ;\n beq r0, 0, LC00 | ;\nexists (x = 1)\n");
  EXPECT_FALSE(reduction_of(t, model("ptx-7.5", vocab::Dialect::ptx)).conditions);
}

// The names beside the fingerprints are those of the models that have them, and no released model lost its proof.
TEST(Proofs, FingerprintsAreThoseOfTheModels) {
  for (const Proven& p : proven_silent()) EXPECT_EQ(fingerprint(model(p.model)), p.fingerprint) << p.model;
  for (const Proven& p : proven_repeats()) EXPECT_EQ(fingerprint(model(p.model), false), p.fingerprint) << p.model;
  for (const Proven& p : proven_unseen()) EXPECT_EQ(fingerprint(model(p.model)), p.fingerprint) << p.model;
}

}  // namespace
}  // namespace fencepost::encode
