// Where a proof says that a program is coherent, solving finds no incoherent execution of it; where an access is not
// ordered with all others, no proof says so.
#include "encode/coherent.h"

#include <gtest/gtest.h>

#include "../../support/parsed.h"
#include "base/job.h"
#include "cat/library.h"
#include "encode/repeats.h"
#include "prog/test.h"

namespace fencepost::encode {
namespace {

constexpr const char* k_models[] = {
    "vulkan",        "vulkan-nochains",        "vulkan-alloy",   "vulkan-alloy-nochains",
    "vulkan-tables", "vulkan-nochains-tables", "vulkan-asplos24"};

using support::parsed;

cat::Model model(const std::string& name) { return cat::load_model(name, vocab::Dialect::vulkan).value(); }

// Threads of one to three accesses to x. One access in `odd` is not atomic, none if it is 0.
std::string draw(Rng& rng, uint64_t odd) {
  const char* const scopes[] = {"sg", "wg", "qf", "dv"};
  const uint64_t threads = 2 + rng.below(2);
  std::vector<std::vector<std::string>> code(threads);
  std::string head, narrow = scopes[rng.below(4)];
  for (uint64_t t = 0; t < threads; ++t) {
    head += (t > 0 ? " | " : " ") + ("P" + std::to_string(t)) + "@sg " + std::to_string(rng.below(2)) + ",wg " +
            std::to_string(rng.below(2)) + ",qf " + std::to_string(rng.chance(0.2) ? 1 : 0);
    const uint64_t n = 1 + rng.below(3);
    for (uint64_t k = 0; k < n; ++k) {
      const std::string scope = rng.chance(0.8) ? narrow : scopes[rng.below(4)];
      const std::string reg = "r" + std::to_string(k), value = std::to_string(1 + rng.below(2));
      const bool plain = odd > 0 && rng.below(odd) == 0;
      switch (rng.below(3)) {
        case 0:
          code[t].push_back(
              plain ? "ld.sc0 " + reg + ", x"
                    : (rng.chance(0.3) ? "ld.atom.acq." + scope + ".sc0.semsc0 " : "ld.atom." + scope + ".sc0 ") + reg +
                          ", x");
          break;
        case 1:
          code[t].push_back(
              plain ? "st.sc0 x, " + value
                    : (rng.chance(0.3) ? "st.atom.rel." + scope + ".sc0.semsc0 " : "st.atom." + scope + ".sc0 ") +
                          "x, " + value);
          break;
        default:
          code[t].push_back("rmw.atom." + scope + ".sc0 " + reg + ", x, " + value);
      }
    }
  }
  std::string out = "VULKAN drawn\n{ x = 0; }\n" + head + " ;\n";
  for (size_t k = 0; k < 3; ++k) {
    for (size_t t = 0; t < threads; ++t) out += (t > 0 ? " | " : " ") + (k < code[t].size() ? code[t][k] : "");
    out += " ;\n";
  }
  return out + "exists (x = 1)\n";
}

TEST(Coherent, SolvingFindsNothingWhereAProofSaysSo) {
  Rng rng(71);
  size_t proved = 0, incoherent = 0;
  for (const char* name : k_models) {
    const cat::Model m = model(name);
    for (int i = 0; i < 60; ++i) {
      const std::string text = draw(rng, i % 2 == 0 ? 0 : 6);
      const prog::Test test = parsed(text);
      const auto found = may_be_incoherent(test, m, 0, 0, Job{});
      ASSERT_TRUE(found.has_value());
      incoherent += *found;
      if (!coherent_by_proof(test, m)) continue;
      ++proved;
      EXPECT_FALSE(*found) << name << "\n" << text;
    }
  }
  EXPECT_GT(proved, 40u);
  EXPECT_GT(incoherent, 40u);
}

TEST(Coherent, EveryAccessMustBeOrderedWithAllOthers) {
  const auto proved = [](const std::string& first, const std::string& second, const std::string& place,
                         const char* name = "vulkan") {
    return coherent_by_proof(parsed("VULKAN two\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 | P1@" + place + " ;\n " + first +
                                    " | " + second + " ;\nexists (x = 1)\n"),
                             model(name));
  };
  EXPECT_TRUE(proved("st.atom.dv.sc0 x, 1", "rmw.atom.dv.sc0 r0, x, 2", "sg 1,wg 1,qf 1"));
  EXPECT_TRUE(proved("st.atom.wg.sc0 x, 1", "rmw.atom.dv.sc0 r0, x, 2", "sg 1,wg 0,qf 0"));
  EXPECT_FALSE(proved("st.atom.wg.sc0 x, 1", "rmw.atom.dv.sc0 r0, x, 2", "sg 0,wg 1,qf 0"));
  EXPECT_FALSE(proved("st.atom.dv.sc0 x, 1", "ld.atom.qf.sc0 r0, x", "sg 0,wg 0,qf 1"));
  EXPECT_FALSE(proved("st.sc0 x, 1", "ld.atom.dv.sc0 r0, x", "sg 0,wg 0,qf 0"));
  EXPECT_FALSE(proved("st.atom.dv.sc0 x, 1", "rmw.atom.dv.sc0 r0, x, 2", "sg 1,wg 1,qf 1", "vulkan-asplos24"))
      << "no proof is about this formula";
}

}  // namespace
}  // namespace fencepost::encode
