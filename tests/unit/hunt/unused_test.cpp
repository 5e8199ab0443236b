// What compilers make of results that nobody uses, and of stores that stand for two: recorded machine code, and which
// faults are known.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "hunt/conduct.h"
#include "hunt/gate.h"
#include "hunt/machine.h"
#include "hunt/places.h"
#include "hunt/report.h"
#include "recorded.h"

using namespace fencepost;
using namespace fencepost::hunt;

namespace {

std::set<std::string> effects_of(const Sample& r) {
  const auto k = read_record("t", r.sm, r.text);
  EXPECT_TRUE(k.has_value());
  std::set<std::string> out;
  for (const Finding& f : judge(r.test, *k)) out.insert(name(f.effect));
  return out;
}

std::set<std::string> effects_of(const std::string& record, const std::string& from = "", const std::string& to = "",
                                 const std::string& test = "") {
  Sample r = recorded(record);
  if (!test.empty()) r.test = *parse_test(test);
  if (!from.empty()) {
    const size_t at = r.text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    r.text.replace(at, from.size(), to);
  }
  return effects_of(r);
}

using Effects = std::set<std::string>;

// The report of what is at fault in a record.
std::string report_of(const char* effect, const std::string& record, size_t culprit, const std::string& right,
                      const char* detail = "ATOM.E.ADD.STRONG.GPU at 0xb0 is not awaited before LDG.E at 0xd0") {
  const Sample r = recorded(record);
  hunt::Fault f;
  f.effect = effect;
  f.configuration = "ptxas-13.5.37 sm_90 -O3";
  f.test = f.reduced = to_string(r.test);
  f.culprit = to_string(r.test.body[culprit]);
  f.detail = detail;
  f.listing = f.right_listing = r.text;
  f.right_where = f.configuration + ", as " + right;
  f.table = {{f.configuration, "fault"}};
  f.known = known_fault(effect, r.test, culprit, f.configuration);
  Summary s;
  s.faults.push_back(f);
  for (const auto& file : report_files(s))
    if (file.path.ends_with("/report.md")) return file.text;
  return {};
}
void has(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace

// -O0 leaves a branch to the next instruction where a load was: it says nothing of the predicate, which a later branch
// asks again.
TEST(HuntUnused, ABranchToWhatIsNextTellsNothing) {
  EXPECT_EQ(effects_of("empty-branch"), Effects{"unused-load"});
  // Without the second branch the store is done whatever the predicate.
  EXPECT_EQ(effects_of("empty-branch", ".L_x_0: | @!P0 BRA `(.L_x_1)", ".L_x_0: | NOP"),
            (Effects{"unguarded", "unused-load"}));
}

// A store that stands for two has the line of what is around the test. It is one of the test by where its address comes
// from, and may stand for both if they have one value or the code selects one.
TEST(HuntUnused, AStoreOfTheFrameMayStandForTwo) {
  EXPECT_EQ(effects_of("store-of-two"), (Effects{"merged", "warp-merged"}));
  EXPECT_EQ(effects_of("store-selected"), (Effects{"merged", "warp-merged"}));
  // No store at all, one of a result, one at another place.
  EXPECT_TRUE(effects_of("store-of-two", "STG.E [R2.64+0x40], R5", "NOP").contains("absent"));
  EXPECT_TRUE(effects_of("store-of-two", "STG.E [R2.64+0x40], R5", "STG.E [R2.64+0x80], R5").contains("absent"));
  EXPECT_TRUE(effects_of("store-of-two", "c[0x0][0x160], 0xa", "c[0x0][0x178], 0xa").contains("absent"));
  // Another value that nothing selects: the second store is lost.
  EXPECT_TRUE(effects_of("store-selected", "@P0 IMAD.MOV.U32 R5, RZ, RZ, 0x1", "NOP").contains("absent"));
  EXPECT_TRUE(effects_of("store-of-two", "", "",
                         "st.weak.global.u32@p1; st.weak.global.u32@p1=1; red.release.cta.global.add.u64@w1")
                  .contains("absent"));
}

TEST(HuntUnused, AddressesComeFromParameters) {
  const Sample r = recorded("store-of-two");
  const auto k = read_record("t", r.sm, r.text);
  ASSERT_TRUE(k.has_value());
  const auto from = parameters_of(*k);
  bool seen = false;
  for (size_t n = 0; n < k->code.size(); ++n)
    if (k->code[n].base() == "STG") {
      seen = true;
      EXPECT_EQ(from[n], std::set<uint32_t>{0});
    }
  EXPECT_TRUE(seen);
  const Sample late = recorded("late");  // sm_90, with stores of results
  const auto other = read_record("t", late.sm, late.text);
  ASSERT_TRUE(other.has_value());
  const auto out = parameters_of(*other);
  for (size_t n = 0; n < other->code.size(); ++n) {
    if (other->code[n].base() == "STG") {
      EXPECT_EQ(out[n], std::set<uint32_t>{k_out_parameter});
    }
    if (other->code[n].base() == "LDG") {
      EXPECT_EQ(out[n], std::set<uint32_t>{0});
    }
  }
}

// PTX ISA 8.4.1: reads with .mmio are always performed.
TEST(HuntUnused, AnMmioReadThatOnePathLacksIsAKnownFault) {
  EXPECT_EQ(effects_of("mmio-skipped"), (Effects{"skipped", "warp-merged"}));
  const auto t = parse_test("ld.mmio.relaxed.sys.global.u32@p1 unused; ?p red.relaxed.gpu.global.add.u32@w1");
  ASSERT_TRUE(t.has_value());
  EXPECT_NE(known_fault("skipped", *t, 0, "ptxas-13.5.37 sm_90 -O3"), "");
  EXPECT_EQ(known_fault("skipped", *t, 1, "ptxas-13.5.37 sm_90 -O3"), "");
  const auto alone = parse_test("ld.mmio.relaxed.sys.global.u32@p1 unused; ?p st.weak.global.u32@w1");
  EXPECT_EQ(known_fault("skipped", *alone, 0, "ptxas-13.5.37 sm_90 -O3"), "");
}

// PTX ISA 8.8: an atom, with a result that is used or not, and fence.acquire are an acquire pattern; 8.11.1: a red is
// not.
TEST(HuntUnused, AFenceWaitsForAnAtomButNotForARed) {
  EXPECT_EQ(effects_of("not-awaited"), Effects{"no-wait"});
  EXPECT_EQ(effects_of("not-awaited-shared"), Effects{"no-wait"});
  EXPECT_EQ(effects_of("awaited"), Effects{});
  EXPECT_EQ(effects_of("not-awaited", "", "", "red.relaxed.gpu.add.u32@u1; fence.acquire.gpu; ld.weak.global.u32@p2"),
            Effects{});
  const auto t = parse_test("atom.relaxed.gpu.add.u32@u1 unused; fence.acquire.gpu; ld.weak.global.u32@p2");
  ASSERT_TRUE(t.has_value());
  EXPECT_NE(known_fault("no-wait", *t, 1, "ptxas-13.5.37 sm_90 -O3"), "");
  const auto used = parse_test("atom.relaxed.gpu.add.u32@u1; fence.acquire.gpu; ld.weak.global.u32@p2");
  EXPECT_EQ(known_fault("no-wait", *used, 1, "ptxas-13.5.37 sm_90 -O3"), "");
  const auto load = parse_test("ld.relaxed.gpu.global.u32@p1; fence.acquire.gpu; ld.weak.global.u32@p2");
  EXPECT_EQ(known_fault("no-wait", *load, 1, "ptxas-13.5.37 sm_90 -O3"), "");
}

// An acquiring load that nobody uses may go; its fence is owed where the guard is true. -O0 has a branch on the guard
// around it; above, it is behind a predicate that nothing sets.
TEST(HuntUnused, AGuardedAcquireKeepsItsGuard) {
  EXPECT_EQ(effects_of("guarded-acquire"), (Effects{"no-invalidate", "unused-load"}));
  EXPECT_EQ(effects_of("guarded-acquire-O0"), Effects{"unused-load"});
  EXPECT_EQ(effects_of("guarded-acquire-O0", "CCTL.IVALL", "NOP"), (Effects{"no-invalidate", "unused-load"}));
  // Without the guard the fence is done on every path.
  EXPECT_EQ(effects_of("guarded-acquire", "@P0 CCTL.IVALL", "CCTL.IVALL"), Effects{"unused-load"});
  const auto t = parse_test("ld.relaxed.gpu.global.u32@p2; ?p ld.acquire.gpu.global.u32@p2 unused");
  ASSERT_TRUE(t.has_value());
  EXPECT_NE(known_fault("no-invalidate", *t, 1, "ptxas-13.5.37 sm_90 -O3"), "");
  const auto always = parse_test("ld.relaxed.gpu.global.u32@p2; ld.acquire.gpu.global.u32@p2 unused");
  EXPECT_EQ(known_fault("no-invalidate", *always, 1, "ptxas-13.5.37 sm_90 -O3"), "");
}

// What is left of the acquire is owed to an earlier read that a release can be morally strong with: at `.cta` that is
// one of the same CTA, whose lines of the cache are the same (8.7, 8.10.5).
TEST(HuntUnused, AnEarlierReadOfTheCtaNeedsNoInvalidation) {
  const auto with = [](const std::string& earlier) {
    return effects_of("guarded-acquire", "LDG.E.STRONG.GPU",
                      earlier.contains(".cta.") ? "LDG.E.STRONG.SM" : "LDG.E.STRONG.GPU",
                      earlier + "; ?p ld.acquire.gpu.global.u32@p2 unused; ld.weak.global.u32@p3");
  };
  EXPECT_EQ(with("ld.relaxed.cta.global.u32@p2"), Effects{"unused-load"});
  EXPECT_EQ(with("ld.relaxed.cluster.global.u32@p2"), (Effects{"no-invalidate", "unused-load"}));
}

// A load of half of what is written, and one four bytes beside it.
TEST(HuntUnused, AnAccessIsWholeAndInItsPlace) {
  const std::string load = "LDG.E R9, desc[UR4][R2.64+0xc0]";
  const Effects before = {"no-invalidate", "unused-load"};
  EXPECT_EQ(effects_of("guarded-acquire"), before);
  const auto with = [&](const char* other) {
    Effects out = effects_of("guarded-acquire", load, other);
    for (const std::string& e : before) out.erase(e);
    return out;
  };
  EXPECT_EQ(with("LDG.E.U16 R9, desc[UR4][R2.64+0xc0]"), Effects{"width"});
  EXPECT_EQ(with("LDG.E R9, desc[UR4][R2.64+0xc4]"), Effects{"elsewhere"});
}

// A read by ld.volatile that one path lacks is another fault than one by ld.mmio.
TEST(HuntUnused, AVolatileReadThatOnePathLacksIsAKnownFault) {
  EXPECT_TRUE(effects_of("volatile-skipped").contains("skipped"));
  // With the way out behind the read nothing is wrong.
  EXPECT_FALSE(effects_of("volatile-skipped", "| @!P1 EXIT", "| NOP").contains("skipped"));
  const auto t = parse_test("ld.volatile.global.u64@w1 unused; ?p atom.acquire.gpu.global.add.noftz.bf16@p1 unused");
  const std::string known = known_fault("skipped", *t, 0, "ptxas-13.5.37 sm_90 -O3");
  EXPECT_TRUE(known.starts_with("a read by ld.volatile that nobody uses")) << known;
  has(report_of("skipped", "volatile-skipped", 0, to_string(*t)),
      {"8.4.2 volatile Operation", "(not operations) executed by a program is preserved", "is not executed",
       "which becomes a loop around a compare-and-swap", "a path from the begin to an EXIT", "was not executed",
       "device/mmio.cu && ./counts`"});
}

// What ld.nc reads is ordered by nothing, so that an earlier read of the place may stand for it.
TEST(HuntUnused, ANonCoherentReadMayBeAnswered) {
  EXPECT_EQ(effects_of("nc-merged"), (Effects{"merged", "moved"}));
  EXPECT_TRUE(
      effects_of("nc-merged", "", "", "ld.weak.global.u16@p2; ld.acquire.gpu.global.u32@p1; ld.weak.global.u16@p2")
          .contains("absent"));
}

// A byte fills its register by its sign or by zeros, as its type says; a permutation behind the load may make up for
// it.
TEST(HuntUnused, AByteFillsItsRegisterAsItsTypeSays) {
  const std::string load = "LDG.E.S8.STRONG.GPU R7", other = "LDG.E.U8 R9";
  EXPECT_EQ(effects_of("bytes"), Effects{});
  EXPECT_EQ(effects_of("bytes", load, "LDG.E.U8.STRONG.GPU R7"), Effects{"extended"});
  EXPECT_EQ(effects_of("bytes", other, "LDG.E.S8 R9"), Effects{"extended"});
  const std::string next = "0070 11 3 00 | LDG.E.U8 R9";
  EXPECT_EQ(effects_of("bytes", next, "0068 10 - 04 | PRMT R7, R7, 0x8880, RZ\n" + next), Effects{});
  EXPECT_EQ(effects_of("bytes", next, "0068 10 - 04 | PRMT R7, R7, 0x7770, RZ\n" + next), Effects{"extended"});
  // What is not followed is not accused, and an unused byte fills nothing.
  EXPECT_EQ(effects_of("bytes", next, "0068 10 - 04 | LOP3.LUT R7, R7, 0xff, RZ, 0xc0, !PT\n" + next), Effects{});
  EXPECT_NE(std::string(sentence(Effect::extended)).find("by its sign"), std::string::npos);
}

// Of an acquiring load of 256 bits that nobody uses the load stays, and its address goes.
TEST(HuntUnused, AnUnusedWideLoadGoesAstray) {
  EXPECT_TRUE(effects_of("wide-unused").contains("elsewhere"));
  const auto t = parse_test("ld.acquire.gpu.global.v8.b32@w1 unused");
  ASSERT_TRUE(t.has_value());
  EXPECT_NE(known_fault("elsewhere", *t, 0, "ptxas-13.5.37 sm_100 -O3"), "");
  EXPECT_EQ(known_fault("elsewhere", *t, 0, "ptxas-13.5.37 sm_90 -O3"), "");
}

TEST(HuntUnused, ReportOfTheGuardedAcquire) {
  const std::string used = "ld.relaxed.gpu.global.u32@p2; ?p ld.acquire.gpu.global.u32@p2; ld.weak.global.u32@p3";
  const std::string text =
      report_of("no-invalidate", "guarded-acquire", 1, used, "from LDG.E.STRONG.GPU at 0x60 to LDG.E at 0x90");
  has(text, {"does not acquire: its CCTL.IVALL is behind a predicate that is not the guard\n",
             "and between the two is done no `CCTL.IVALL`",
             "the new y by the read at 0x60 (line 10), which with line 11 is an acquire pattern on y (8.8: \"a strong "
             "read on M followed by an acquire operation on M in program order\"), whatever line 11 reads where its "
             "guard is true, and then x",
             "No instruction of this kernel writes P0", "from a line of the first-level cache that its SM had before",
             "CCTL.IVALL    <<< not done where this is false", "Its acquire is then owed to that earlier read",
             "307,127 (318,296)", "device/guarded.cu && ./counts 1000`", "'run' stores every result"});
  EXPECT_EQ(text.find("device/MP"), std::string::npos);
  EXPECT_EQ(text.find("shared memory of the own CTA"), std::string::npos);
}

// An acquiring load behind an atom without a scoreboard: not a stale line, but a later access that is begun before.
TEST(HuntUnused, ReportOfALoadThatDoesNotWait) {
  hunt::Fault f;
  f.effect = "no-wait";
  f.configuration = "ptxas-13.5.37 sm_90 -O3";
  f.test = f.reduced = "atom.relaxed.gpu.add.u32@u1 unused; ld.acquire.gpu.u32@u1 unused; st.weak.global.u32@p2";
  f.culprit = "ld.acquire.gpu.u32@u1 unused";
  f.detail = "ATOM.E.ADD.STRONG.GPU at 0x100 is not awaited before STG.E at 0x130";
  f.listing = "0100 10 - 08 | ATOM.E.ADD.STRONG.GPU PT, RZ, [R2+0x40], R6\n0120 11 - 3f | CCTL.IVALL\n";
  f.table = {{f.configuration, "fault"}};
  f.known = known_fault(f.effect, *parse_test(f.reduced), 1, f.configuration);
  Summary s;
  s.faults.push_back(f);
  const auto files = report_files(s);
  has(files.front().text, {"the new y by the read at 0x100", "begun before that read is done it may read 0",
                           "- Not tried, since no other version was at hand: ptxas before 12.9.86, and versions "
                           "between 12.9.86 and 13.5.37.\n"});
  EXPECT_EQ(files.front().text.find("a line of the first-level cache"), std::string::npos);
}

TEST(HuntUnused, ReportsOfBoth) {
  const std::string used = "atom.relaxed.gpu.add.u32@u1; fence.acquire.gpu; ld.weak.global.u32@p2";
  const std::string fence = report_of("no-wait", "not-awaited", 1, used);
  has(fence, {"`fence.acquire.gpu` does not wait for an `atom` whose result nobody uses on a generic address\n",
              "8.9.5 Causality Order; 8.10.6 Causality, 1", "8.11.1",
              "With a use of the result of `atom.relaxed.gpu.add.u32` in place of none:",
              "makes the same code, to the letter, as of `red.relaxed.gpu.add.u32` there", "44,486 of 2,067,456",
              "device/awaited.cu", "'run' stores every result", "## Limits"});
  EXPECT_EQ(fence.find("device/MP"), std::string::npos);
  const std::string kept = "ld.mmio.relaxed.sys.global.u32@p1; ?p red.relaxed.gpu.global.add.u32@w1";
  has(report_of("skipped", "mmio-skipped", 0, kept),
      {"is left out on a path\n", "\"Reads are always performed\"", "a path from the begin to an EXIT",
       "its effect on the I/O device is lost", "which by 8.1.1 it may not on some systems",
       "\"a few implementation-specific properties", "strictly preserve the number of operations performed",
       "device/mmio.cu && ./counts`", "with what was found", "no other thread sees whether a read was done"});
}
