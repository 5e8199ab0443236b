// The weaker model under which failed attempts on a lock are left out, and where there is none.
#include "encode/weaker.h"

#include <gtest/gtest.h>

#include "../../support/parsed.h"
#include "cat/library.h"
#include "prog/test.h"

namespace fencepost::encode {
namespace {

using vocab::Dialect;

using support::parsed;

cat::Model model(const std::string& name, Dialect d, const std::string& without = {}) {
  auto m = cat::load_model(name, d);
  if (!m) {
    ADD_FAILURE() << render(m.error());
    return {};
  }
  const size_t gone = std::erase_if(m->axioms, [&](const cat::Axiom& a) { return a.name == without; });
  EXPECT_EQ(gone, without.empty() ? 0 : 1);
  return std::move(*m);
}

// Two threads of different groups that take a lock; `give` gives it back.
std::string ptx(const std::string& take, const std::string& give = "st.release.gpu x, 0",
                const std::string& more = {}) {
  return "PTX lock\n{ x = 0; y = 0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n LC00: | LC10: ;\n " + take + " | " + take +
         " ;\n bne r0, 0, LC00 | bne r0, 0, LC10 ;\n ld.weak r1, y | ld.weak r1, y ;\n" + more + " " + give + " | " +
         give + " ;\nexists (P0:r1 = 0)\n";
}
const char* k_take = "atom.acquire.gpu.exch r0, x, 1";

std::string opencl(const std::string& scope = "memory_scope_device") {
  std::string out = "OPENCL lock\n{ x = 0; y = 0; }\n";
  for (const char* place : {"P0@wg 0, dev 0", "P1@wg 1, dev 0"}) {
    const std::string swap = "r0 = atomic_exchange_explicit(x, 1, memory_order_acquire, " + scope + ");";
    out += std::string(place) + " (global atomic_int* x, global int* y) {\n  int " + swap + "\n  while (r0 == 1) { " +
           swap + " }\n  int r1 = *y;\n  *y = r1 + 1;\n" +
           "  atomic_store_explicit(x, 0, memory_order_release, memory_scope_device);\n}\n";
  }
  return out + "exists (0:r1 == 0)\n";
}

std::set<std::string> names(const cat::Model& m) {
  std::set<std::string> out;
  for (const cat::Axiom& a : m.axioms) out.insert(a.name);
  return out;
}

TEST(Weaker, FailedExchangesAreLeftOutOfPtxWithoutItsDependencies) {
  for (const char* name : {"ptx-8", "ptx-7.5", "ptx-6.0"})
    for (const char* take : {k_take, "atom.acquire.gpu.cas r0, x, 0, 1", "atom.relaxed.gpu.exch r0, x, 1"}) {
      const cat::Model m = model(name, Dialect::ptx);
      const auto w = weaker_of(parsed(ptx(take)), m);
      ASSERT_TRUE(w) << name;
      EXPECT_TRUE(w->reduction.any_silent()) << name << take;
      EXPECT_TRUE(w->reduction.conditions && w->reduction.races) << name << take;
      EXPECT_TRUE(w->some_axioms) << name;
      auto all = names(m);
      all.erase("no-thin-air");
      EXPECT_EQ(names(w->model), all) << name;
      EXPECT_FALSE(w->model.uses(vocab::Base::data));
    }
}

TEST(Weaker, OfOpenClAndCudaWhatIsSaidOfVisibleSideEffectsIsKeptInPart) {
  for (const auto& [name, axiom] :
       {std::pair{"opencl", "visible-global"}, {"opencl-3.1", "visible-global"}, {"cuda", "visible-value"}}) {
    const cat::Model m = model(name, Dialect::opencl);
    const auto w = weaker_of(parsed(opencl()), m);
    ASSERT_TRUE(w) << name;
    EXPECT_TRUE(w->reduction.any_silent()) << name;
    EXPECT_TRUE(w->reduction.conditions && w->reduction.races) << name;
    EXPECT_FALSE(w->some_axioms) << name;
    EXPECT_TRUE(names(w->model).contains(axiom)) << name;
    EXPECT_TRUE(names(w->model).contains("atomicity")) << name;
  }
}

TEST(Weaker, NoFailedExchangeGoesWhereSomethingMayComeBetween) {
  const auto silent = [](const std::string& text, const cat::Model& m) {
    const auto w = weaker_of(parsed(text), m);
    return w && w->reduction.any_silent();
  };
  const cat::Model p8 = model("ptx-8", Dialect::ptx), cl = model("opencl", Dialect::opencl);
  EXPECT_TRUE(silent(ptx(k_take), p8));
  EXPECT_FALSE(silent(ptx(k_take, "st.weak x, 0"), p8));         // not morally strong
  EXPECT_FALSE(silent(ptx(k_take, "st.release.cta x, 0"), p8));  // out of scope
  EXPECT_FALSE(silent(ptx("atom.acquire.cta.exch r0, x, 1"), p8));
  EXPECT_FALSE(silent(ptx(k_take), model("ptx-8", Dialect::ptx, "atomicity")));        // interrupted
  EXPECT_FALSE(silent(ptx(k_take), model("ptx-8", Dialect::ptx, "coherence-total")));  // co does not order the cell
  EXPECT_TRUE(silent(opencl(), cl));
  EXPECT_FALSE(silent(opencl(), model("opencl", Dialect::opencl, "atomicity")));
  // Without coherence a write of the same thread may come between.
  cat::Model bare = model("opencl", Dialect::opencl, "coherence-global");
  std::erase_if(bare.axioms, [](const cat::Axiom& a) { return a.name == "write-order" || a.name == "local-co"; });
  EXPECT_FALSE(silent(opencl(), bare));
}

TEST(Weaker, NothingIsWeakerWhereTheModelItselfAllowsIt) {
  EXPECT_FALSE(
      weaker_of(parsed("PTX straight\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n st.relaxed.gpu x, 1 ;\nexists (x = 1)\n"),
                model("ptx-8", Dialect::ptx)));
  EXPECT_FALSE(weaker_of(
      parsed("VULKAN lock\n{ x = 1; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 ;\n LC00: | "
             "st.atom.rel.dv.sc0.semsc0 x, 0 ;\n rmw.atom.acq.dv.sc0.semsc0 r0, x, 1 | ;\n bne r0, 0, LC00 | ;\n"
             "exists (x = 1)\n"),
      model("vulkan", Dialect::vulkan)));
}

}  // namespace
}  // namespace fencepost::encode
