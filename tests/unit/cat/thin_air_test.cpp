#include "cat/thin_air.h"

#include <set>

#include "cat/library.h"
#include "text.h"

namespace fencepost::cat {
namespace {

bool forbids(const std::string& axioms) { return forbids_thin_air(model(axioms)); }

TEST(ThinAir, AnAxiomForbidsItByWhatItHoldsAndNotByItsName) {
  EXPECT_TRUE(forbids("acyclic (rf | addr | data | ctrl) as whatever"));
  EXPECT_TRUE(forbids("acyclic po | rf"));
  EXPECT_TRUE(forbids("irreflexive (rf | data | addr | ctrl | co)+"));
  EXPECT_TRUE(forbids("let dp = addr | data | ctrl let rec hb = dp | rf | (hb; hb) acyclic hb"));
  EXPECT_TRUE(forbids("let f(r) = r | (rf & int) | (rf & ext) acyclic f(po)"));
  EXPECT_TRUE(forbids("acyclic (id; rf) | (po; [R]?; id)"));
  EXPECT_TRUE(forbids("acyclic ((rf | po) & (_ * _))"));
  EXPECT_FALSE(forbids("")) << "no axiom";
  EXPECT_FALSE(forbids("acyclic co as no-thin-air"));
  EXPECT_FALSE(forbids("acyclic (po | co | (rf^-1; co)) as sc"));
  EXPECT_FALSE(forbids("acyclic (rf | addr | data) as no-thin-air")) << "not through a branch";
  EXPECT_FALSE(forbids("acyclic ((rf & ext) | addr | data | ctrl)")) << "not through the rf of one thread";
  EXPECT_FALSE(forbids("acyclic po | (rf & ext)"))
      << "a load may read a later store of its thread: po does not forbid it";
  EXPECT_FALSE(forbids("acyclic ((po | rf) & loc)"));
  EXPECT_FALSE(forbids("acyclic (po | ([W & REL]; rf))"));
  EXPECT_FALSE(forbids("acyclic (po | rf) \\ ext"));
  EXPECT_FALSE(forbids("irreflexive po | rf")) << "no cycle of one step";
  EXPECT_FALSE(forbids("flag ~acyclic (po | rf) as no-thin-air")) << "a flag forbids nothing";
  EXPECT_FALSE(forbids("~empty rf as a acyclic po^-1 | rf"));
}

// Who reads the document of each model knows the answer.
TEST(ThinAir, OfTheModelsThatComeWithTheProgram) {
  const std::set<std::string> forbidding = {"sc", "rmo-scoped", "rmo-scoped-ca"};
  size_t seen = 0;
  for (const ModelInfo& m : shipped_models()) {
    const auto loaded = load_model(m.name, m.dialect);
    ASSERT_TRUE(loaded) << m.name;
    EXPECT_EQ(forbids_thin_air(*loaded), m.name.starts_with("ptx") || forbidding.contains(m.name)) << m.name;
    ++seen;
  }
  EXPECT_GT(seen, 20u);
}

TEST(ThinAir, WithoutItEveryModelForbidsIt) {
  for (const ModelInfo& m : shipped_models()) {
    const auto loaded = load_model(m.name, m.dialect);
    ASSERT_TRUE(loaded) << m.name;
    const Model grounded = without_thin_air(*loaded);
    EXPECT_TRUE(forbids_thin_air(grounded)) << m.name;
    EXPECT_EQ(grounded.axioms.size(), loaded->axioms.size() + 1) << m.name;
  }
}

}  // namespace
}  // namespace fencepost::cat
