// Which known faults explain a program that fails. What a compiler does is a predicate here.
#include "translation/explain.h"

#include <gtest/gtest.h>

using namespace fencepost::translation;

namespace {

Program program(const std::string& text) {
  const auto p = parse_program(text);
  EXPECT_TRUE(p.has_value()) << text;
  return p ? *p : Program{};
}
Statement statement(const std::string& text) { return program("block 0: " + text).threads[0].body[0]; }

// Read-modify-writes of the spelling `builtin` lose acquire and release, as those of LLVM 19.
const std::vector<Repair> k_repairs = {
    {"acquire", statement("add.acquire.device.builtin x 1"), Spelling::ref},
    {"release", statement("add.release.device.builtin x 1"), Spelling::ref},
};

bool is_lost(const Statement& s, Order what) {
  return s.spelling == Spelling::builtin && (s.order == what || s.order == Order::acq_rel || s.order == Order::seq_cst);
}

// What is said of a program of which exactly those fail that `fails` says.
struct Said {
  std::set<std::string> proven;
  std::string rest;
  size_t asked = 0;
};
Said said_of(const std::string& text, const std::function<bool(const Program&)>& fails, size_t most = 1000) {
  Said out;
  auto one = case_of(7, program(text), k_repairs);
  EXPECT_TRUE(one.has_value()) << text;
  if (!one) return out;
  EXPECT_TRUE(fails(one->program)) << text;
  EXPECT_FALSE(fails(one->all)) << text;
  prove({&*one}, [&](const std::vector<Program>& programs) {
    std::vector<Judged> answers;
    for (const Program& p : programs)
      if (out.asked++ < most) answers.push_back({fails(p) ? 'f' : 'r', "", ""});
    return answers;
  });
  out.proven = one->proven;
  out.rest = one->rest ? to_string(*one->rest) : "";
  return out;
}

using Names = std::set<std::string>;

// The order between the first two statements of a thread is there if the first acquires or the second releases.
bool out_of_order(const Program& p) {
  const auto& body = p.threads[0].body;
  return is_lost(body[0], Order::acquire) && is_lost(body[1], Order::release);
}

}  // namespace

TEST(Explaining, AnOperationAtFaultAloneHasItsSignature) {
  const auto fails = [](const Program& p) { return is_lost(p.threads[0].body[0], Order::acquire); };
  const char* rest = "; add.release.device.builtin y 1 | block 1: add.relaxed.device.ref x 1";
  EXPECT_EQ(said_of(std::string("block 0: add.acquire.device.builtin x 1") + rest, fails).proven, Names{"acquire"});
  // Of another order: weakened to that of the signature it still fails.
  EXPECT_EQ(said_of(std::string("block 0: cas.seq_cst.device.builtin x 0 1") + rest, fails).proven, Names{"acquire"});
  // The only one that a known fault may have spoilt is not asked about alone.
  EXPECT_EQ(said_of("block 0: add.acquire.device.builtin x 1; ld.relaxed.device.ref y", fails).asked, 0u);
}

// Either of two operations keeps them in order, so that none is at fault alone.
TEST(Explaining, OperationsAtFaultTogetherHaveTheirSignatures) {
  const char* rest = " | block 1: add.acq_rel.device.ref y 1; add.acq_rel.device.ref x 1";
  const Said plain = said_of(
      std::string("block 0: add.acquire.device.builtin x 1; exch.release.device.builtin y 2") + rest, out_of_order);
  EXPECT_EQ(plain.proven, (Names{"acquire", "release"}));
  EXPECT_EQ(plain.rest, "");
  // A third one that has nothing to do with it is not among them.
  const Said third = said_of(std::string("block 0: add.acquire.device.builtin x 1; or.release.device.builtin y 2; "
                                         "add.acquire.device.builtin u 1") +
                                 rest,
                             [](const Program& p) { return out_of_order(p); });
  EXPECT_EQ(third.proven, (Names{"acquire", "release"}));
  // Of other orders: weakened together to those of the signatures the program still fails.
  const Said strong = said_of(
      std::string("block 0: add.acq_rel.device.builtin x 1; cas.seq_cst.device.builtin y 0 2") + rest, out_of_order);
  EXPECT_EQ(strong.proven, (Names{"acquire", "release"}));
  EXPECT_EQ(strong.rest, "");
}

TEST(Explaining, AnotherFaultIsNotTakenForAKnownOne) {
  const char* text =
      "block 0: add.seq_cst.device.builtin x 1; add.seq_cst.device.builtin y 2 | "
      "block 1: add.acq_rel.device.ref y 1; add.acq_rel.device.ref x 1; add.release.device.builtin u 1";
  const auto sequential = [](const Statement& s) {
    return s.spelling == Spelling::builtin && s.order == Order::seq_cst;
  };
  const Said together = said_of(
      text, [&](const Program& p) { return sequential(p.threads[0].body[0]) && sequential(p.threads[0].body[1]); });
  EXPECT_EQ(together.proven, Names{});
  EXPECT_EQ(together.rest,
            "block 0: add.seq_cst.device.builtin x 1; add.seq_cst.device.builtin y 2 | "
            "block 1: add.acq_rel.device.ref y 1; add.acq_rel.device.ref x 1; add.release.device.ref u 1");
  const Said alone = said_of(text, [&](const Program& p) { return sequential(p.threads[0].body[0]); });
  EXPECT_EQ(alone.proven, Names{});
  EXPECT_NE(alone.rest.find("add.seq_cst.device.builtin x 1; add.seq_cst.device.ref y 2"), std::string::npos);
}

// Nothing is said of a program whose questions were not answered in time.
TEST(Explaining, EndsWithTheTime) {
  const std::string text =
      "block 0: add.acq_rel.device.builtin x 1; exch.acq_rel.device.builtin y 2; "
      "add.acquire.device.builtin u 1 | block 1: ld.relaxed.device.ref x";
  const size_t all = said_of(text, out_of_order).asked;
  for (size_t most = 0; most < all; ++most) {
    const Said said = said_of(text, out_of_order, most);
    EXPECT_EQ(said.rest, "") << most;
  }
}
