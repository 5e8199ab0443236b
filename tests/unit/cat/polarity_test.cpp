#include "text.h"

namespace fencepost::cat {
namespace {

Polarity of(const std::string& body) {
  const Model m = model(body);
  return polarities(m)[*m.find("x")];
}

TEST(Polarity, OfOperators) {
  using enum Polarity;
  EXPECT_EQ(of("let x = po; [R]"), constant);
  EXPECT_EQ(of("let x = ~(po | addr)"), constant);
  EXPECT_EQ(of("let x = rf"), increasing);
  EXPECT_EQ(of("let x = po & loc"), increasing) << "loc depends on computed addresses";
  EXPECT_EQ(of("let x = (rf^-1; co)+ & ext"), increasing);
  EXPECT_EQ(of("let x = ~rf"), decreasing);
  EXPECT_EQ(of("let x = po \\ rf"), decreasing);
  EXPECT_EQ(of("let x = ~~(po \\ rf)"), decreasing);
  EXPECT_EQ(of("let x = co \\ rf"), mixed);
  EXPECT_EQ(of("let x = po \\ (po \\ rf)"), increasing);
  EXPECT_EQ(of("let x = [R \\ range(rf)]"), decreasing);
  EXPECT_EQ(of("let x = domain(rf) * W"), increasing);
}

TEST(Polarity, OfRecursion) {
  using enum Polarity;
  EXPECT_EQ(of("let rec x = po | (x; x)"), constant);
  EXPECT_EQ(of("let rec x = po | (x; rf; x)"), increasing);
  EXPECT_EQ(of("let rec x = (po \\ rf) | (x; x)"), decreasing);
  EXPECT_EQ(of("let rec a = po | b and b = (po \\ rf) | (co; a) let x = a"), mixed);
}

}  // namespace
}  // namespace fencepost::cat
