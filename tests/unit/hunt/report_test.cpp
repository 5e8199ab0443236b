// Reports of the hunt: what each says, and what lies in its folder.
#include "hunt/report.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "hunt/again.h"
#include "hunt/conduct.h"
#include "hunt/litmus.h"
#include "hunt/show.h"
#include "hunt/wording.h"
#include "recorded.h"

using namespace fencepost;
using namespace fencepost::hunt;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

hunt::Fault lost_acquire() {
  hunt::Fault f;
  f.signature = "no-invalidate atom or red, a loop in shared memory, shared, scope above cta";
  f.effect = "no-invalidate";
  f.configuration = "ptxas-13.5.37 sm_90 -O3";
  f.culprit = "atom.acquire.gpu.shared.add.u64@s1";
  f.test = f.reduced = f.culprit + "; ld.weak.global.u32@p2";
  f.detail = "from LDS.64 at 0xb0 to LDG.E at 0x130";
  f.listing = "00b0 10 - 00 | LDS.64\n0130 11 - 00 | LDG.E\n";
  f.right_listing = "0000 10 - 00 | CCTL.IVALL\n";
  f.right_where = f.configuration + ", as atom.acquire.gpu.shared.add.u32@s1; ld.weak.global.u32@p2";
  f.table = {{f.configuration, "fault"}, {"ptxas-13.5.37 sm_80 -O3", "right"}};
  f.toolkit = "ptxas V13.5.37, nvdisasm V13.5.37";
  f.known = known_fault(f.effect, *parse_test(f.reduced), 0, f.configuration);
  return f;
}

std::map<std::string, std::string> report_for(const hunt::Fault& f) {
  Summary s;
  s.faults.push_back(f);
  std::map<std::string, std::string> out;
  for (const auto& file : report_files(s)) out[file.path.substr(file.path.find('/') + 1)] = file.text;
  return out;
}

}  // namespace

// A report says what a reader of the ISA needs: what is expected and what is so in the first lines, the sections by
// number and title, versions, a command for each row, what a device showed.
TEST(Hunt, ReportsAreCompleteByThemselves) {
  auto files = report_for(lost_acquire());
  const std::string& text = files["report.md"];
  const auto lines = lines_of(text);
  ASSERT_GT(lines.size(), 4u);
  EXPECT_EQ(lines[0], "# ptxas 13.5.37, sm_90: `atom.acquire.gpu.shared.add.u64` does not acquire");
  EXPECT_TRUE(lines[2].starts_with("- **Expected:** ")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("- **Actual:** ")) << lines[3];
  for (const char* part :
       {"8.9.4 Memory synchronization", "8.9.5 Causality Order", "25,689,984 of 25,690,112",
        "a variable in shared memory", "ptxas V13.5.37, nvdisasm V13.5.37", "no `CCTL.IVALL`",
        "`atom.acquire.gpu.shared.add.u32` in place of `atom.acquire.gpu.shared.add.u64`", "lines `acquireN`",
        "## With Fencepost (optional)", "it loses its release as well as its acquire",
        "| ptxas 13.5.37 | sm_80 -O3 | right | `ptxas -O3 -arch=sm_80 -lineinfo test-sm_80.ptx -o test.cubin` |"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  // Every row can be run again, and nothing is named that is not in the folder.
  EXPECT_NE(files["test-sm_80.ptx"].find(".target sm_80\n"), std::string::npos);
  EXPECT_NE(files["test-sm_90.ptx"].find(".target sm_90\n"), std::string::npos);
  EXPECT_NE(files["right.ptx"].find("atom.acquire.gpu.shared.add.u32"), std::string::npos);
  EXPECT_NE(files["device/silicon.cu"].find("__global__"), std::string::npos);
  EXPECT_EQ(text.find("red.release"), std::string::npos);  // a lost release is another report
  for (const char* elsewhere : {"docs/", "examples/", "BUGS-FOUND"})
    EXPECT_EQ(text.find(elsewhere), std::string::npos) << elsewhere;
  static const std::regex named("`((?:device/)?[A-Za-z0-9_+.-]+\\.(?:ptx|rec|cu|litmus))`");
  size_t count = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at, ++count)
    EXPECT_TRUE(files.contains((*at)[1])) << (*at)[1];
  EXPECT_GT(count, 5u);
}

// Faults of results that nobody uses, and loads that change places: what a reader needs to see them alone.
TEST(Hunt, ReportsSayWhatIsUnusedAndWhatIsOnePlace) {
  const auto text_for = [](const char* effect, const char* culprit, const std::string& test, const char* detail) {
    hunt::Fault f = lost_acquire();
    f.effect = effect;
    f.culprit = culprit;
    f.test = f.reduced = test;
    f.detail = detail;
    const size_t behind = test.find(';');
    const bool unused = std::string_view(culprit).ends_with(" unused");
    f.right_where = f.configuration + ", as atom.acquire.gpu.shared.add.u32@s1" + (unused ? " unused" : "") +
                    (behind == std::string::npos ? "" : test.substr(behind));
    const auto t = parse_test(test);
    EXPECT_TRUE(t.has_value());
    const auto at = std::ranges::find(t->body, parse_test(culprit)->body.front());
    f.known = known_fault(effect, *t, static_cast<size_t>(at - t->body.begin()), f.configuration);
    auto files = report_for(f);
    if (files["report.md"].find("device/unused.cu") != std::string::npos) {
      EXPECT_TRUE(files.contains("device/unused.cu"));
    }
    return files["report.md"];
  };
  const auto has = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  const std::string early = "atom.acquire.gpu.shared.add.u64@s1 unused";
  has(text_for("overtaken", early.c_str(), early + "; ld.weak.global.u32@p1", "LDG.E at 0x70 before LDS.64 at 0x160"),
      {"`atom.acquire.gpu.shared.add.u64` is overtaken by a later access", "Two threads of one CTA suffice",
       "1,679,302", "device/unused.cu", "gives each lane of a warp an address of its own",
       "nvdisasm -c -g -hex test.cubin", "right.ptx -o right.cubin", "There the accesses stand in order",
       "nvdisasm -c -g -hex right.cubin", ".version 8.8"});
  const char* sum = "red.relaxed.gpu.shared.add.noftz.f16x2@s1=1";
  has(text_for("operation", sum, sum, "ATOMS.POPC.INC.32 at 0x40"),
      {"`red.relaxed.gpu.shared.add.noftz.f16x2` of the constant 1 (the bits 0x00000001) becomes an integer "
       "increment\n",
       "makes 0x3c003c00 again", "8.2.5 Memory Operations on Packed Data Types",
       "\"The .add operation rounds to nearest even.\"", "the machine code has ATOMS.POPC.INC.32 at 0x40", "0x3c003c01",
       "'run' has no 'f16x2' in shared memory"});
  const char* second = "ld.relaxed.gpu.global.b32@p1";
  has(text_for("reordered", second, "ld.volatile.global.b32@q2; ld.relaxed.gpu.global.b32@p1",
               "LDG at 0x80 before LDG at 0x90"),
      {"one place where `[%aq+128]` and `[%ap+64]` of the kernel below are one address: nothing tells",
       "Both are strong operations", "`.volatile` or `.mmio`", "2,225,274 of 98,304,000"});
  has(text_for("reordered", second, "ld.volatile.global.b32@p1; ld.relaxed.gpu.global.b32@p1",
               "LDG at 0x80 before LDG at 0x90"),
      {"Both loads have the address `[%ap+64]` of the kernel below"});
}

// What was tried beyond the table, and where a row needs more words than "right".
TEST(Hunt, ReportsSayHowFarAFaultGoes) {
  const auto files_for = [](const char* effect, const std::string& test, size_t at, const char* configuration,
                            const char* row, const char* detail) {
    hunt::Fault f = lost_acquire();
    f.effect = effect;
    f.test = f.reduced = test;
    f.configuration = configuration;
    f.detail = detail;
    const auto t = parse_test(test);
    EXPECT_TRUE(t.has_value());
    f.culprit = to_string(t->body[at]);
    f.right_where = f.configuration + ", as " + test.substr(0, test.find('='));
    f.table = {{configuration, "fault"}, {"ptxas-13.5.37 sm_80 -O3", row}};
    f.known = known_fault(effect, *t, at, f.configuration);
    EXPECT_FALSE(f.known.empty()) << test;
    if (std::string(effect) == "illegal") f.listing.clear();
    return report_for(f);
  };
  const auto has = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  const auto has_not = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_EQ(text.find(part), std::string::npos) << part << "\n" << text;
  };
  const char* const sm90 = "ptxas-13.5.37 sm_90 -O3";
  auto files =
      files_for("no-membar", "st.weak.global.u32@p2; red.release.gpu.shared.add.u64@t1", 1, sm90, "right", "d");
  has(files["report.md"], {"197 of 10,485,760", "lines `release`"});
  has(files["report.md"],
      {"A `red` with `.release` releases", "NVIDIA documents no more of `MEMBAR.ALL.GPU` than the name"});
  has_not(files["report.md"], {"| `atom.acquire", "`.acquire` has no CCTL.IVALL"});

  files = files_for("overtaken", "atom.acq_rel.gpu.shared.add.u64@s1 unused; st.weak.global.u32@q1", 0, sm90,
                    "right: only one CTA sees its shared memory", "STG.E at 0xd0 before LDS.64 at 0x130");
  has(files["report.md"], {"8.11.1", "right: the later accesses stand behind it", "`-O2` and `-O3` alone"});
  has_not(files["report.md"], {"only one CTA sees"});

  files = files_for("reordered", "late: ld.volatile.global.b32@p1; ld.relaxed.gpu.global.b32@p1", 1, sm90, "right",
                    "LDG.E.STRONG.GPU at 0x60 before LDG.E.STRONG.SYS at 0x70");
  has(files["report.md"],
      {"whose scope includes the reading thread",
       "(PTX ISA, 8.10.5 Sequential Consistency Per Location, litmus test \"CoRR\").",
       "is moved before an earlier access of the same address\n", "the control (loads of two places, allowed) 35,040",
       "right: the accesses of this program stand in order (of others: \"Limits\")",
       "Both loads have the address `[%ap+64]`", "Right with sm_80 -O3: 13.5.37 (the table under \"Where\")."});

  files = files_for("operation", "red.relaxed.gpu.shared.add.noftz.f16x2@s1=1", 0, sm90, "fault",
                    "ATOMS.POPC.INC.32 at 0x40");
  has(files["report.md"], {"With the addend from a register in place of the constant:", "number of words that changed",
                           "No row of the table under \"Where\" is right.", "A `red` of `bf16x2` was not run"});

  files = files_for("illegal", "fence.acquire.cta", 0, "ptxas-12.9.86 sm_80 -O3", "refused: x",
                    "an instruction of zeros: Illegal instruction");
  has(files["report.md"], {"the compiler refuses the program where the target is older than sm_90",
                           "in the machine code, an instruction of zeros", "16 bytes of zeros", "offset 0x10",
                           "0x00000010 00000000 00000000 00000000 00000000", "ptxas returns 0 and prints nothing",
                           "nvdisasm error   : Illegal instruction found"});
  has_not(files["report.md"], {"machine code below", "wrong.rec", "NVIDIA does not document"});
  EXPECT_FALSE(files.contains("wrong.rec"));

  files = files_for("no-invalidate", "atom.acquire.gpu.add.u64@u1; ld.weak.global.u32@p3", 0, sm90, "right",
                    "from ATOMS.CAST.SPIN.64 at 0x170 to LDG.E at 0x230");
  has(files["report.md"], {"does not acquire when the address is in the CTA's shared memory\n", "## Limits",
                           "CCTL.IVALL stands behind ATOM", "Probably"});
}

// The bytes of a recorded listing decide what a report says of it, and what it says of no listing is in all.
TEST(Hunt, ReportsSayOfMachineCodeWhatItHas) {
  const auto has = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  // Old lines of a generic address are those that came behind its first invalidation.
  hunt::Fault f = lost_acquire();
  f.culprit = "atom.acquire.gpu.add.u64@u1";
  f.test = f.reduced = f.culprit + "; ld.weak.global.u32@p3";
  f.detail = "from ATOMS.CAST.SPIN.64 at 0x170 to LDG.E at 0x230";
  f.listing = "00a0 10 - 04 | CCTL.IVALL\n0170 10 0 00 | ATOMS.CAST.SPIN.64\n0230 11 2 00 | LDG.E\n";
  f.right_where = f.configuration + ", as atom.acquire.gpu.add.u32@u1; ld.weak.global.u32@p3";
  f.known = known_fault(f.effect, *parse_test(f.reduced), 0, f.configuration);
  f.table["ptxas-12.9.86 sm_90 -O3"] = "fault";
  std::string text = report_for(f)["report.md"];
  has(text,
      {"from a line that another thread of the same SM loads into the first-level cache between the CCTL.IVALL at 0xa0 "
       "and the last pass through 0x170",
       "inferred from its instructions",
       "- Not tried, since no other version was at hand: ptxas before 12.9.86, and versions between 12.9.86 and "
       "13.5.37.\n",
       "Nothing above needs it. Found",
       "NVIDIA documents no more of `CCTL.IVALL` than the name; what it does is inferred from the form above, which "
       "has it.\n",
       "at fault, not seen", "so the 0 of the forms at fault says nothing"});
  for (const char* gone : {"these are needed", "chapter 8 of 8.x", "The drawn test", "that its SM had before"})
    EXPECT_EQ(text.find(gone), std::string::npos) << gone << "\n" << text;
  // A load that the next one does not wait for; a neighbour with the same fault stands beside.
  f = lost_acquire();
  f.configuration = "ptxas-13.5.37 sm_100 -O3";
  f.culprit = "ld.acquire.gpu.global.v8.b32@p1";
  f.test = f.reduced = f.culprit + "; ld.weak.global.u32@p3";
  f.detail = "from LDG.E.ENL2.256.STRONG.GPU at 0x60 to LDG.E at 0x70";
  f.listing = "0060 10 2 02 | LDG.E.ENL2.256.STRONG.GPU\n0070 11 3 00 | LDG.E\n";
  f.known = known_fault(f.effect, *parse_test(f.reduced), 0, f.configuration);
  auto files = report_for(f);
  has(files["report.md"], {"the second does not wait for scoreboard 2 of the first (its mask is 00)",
                           "8.2.4 Memory Operations on Vector Data Types", "`also.ptx` has a store with the fault"});
  EXPECT_NE(files["also.ptx"].find("st.release.gpu.global.v8.b32"), std::string::npos);
  f.listing = "0060 10 2 02 | LDG.E.ENL2.256.STRONG.GPU\n0070 11 3 04 | LDG.E\n";
  EXPECT_EQ(report_for(f)["report.md"].find("does not wait for scoreboard"), std::string::npos);
  // Two loads of which one is compiled otherwise: what differs is the load, and no use of a result.
  f = lost_acquire();
  f.effect = "reordered";
  f.culprit = "ld.relaxed.gpu.global.b32@p1";
  f.test = f.reduced = "late: ld.volatile.global.b32@p1; ld.relaxed.gpu.global.b32@p1";
  f.right_where = f.configuration + ", as late: ld.volatile.global.b32@p1; ld.volatile.global.b32@p1";
  f.known = known_fault(f.effect, *parse_test(f.reduced), 1, f.configuration);
  has(report_for(f)["report.md"],
      {"With `ld.volatile.global.b32` in place of `ld.relaxed.gpu.global.b32`:",
       "`[%ap+64]` of the kernel below, with 1024 * %tid.x in its register", "but for 13.0.88"});
}

// What a reader of the ISA asks of a form beside its table: which access is meant, which thread, which fault.
TEST(Hunt, ReportsNameTheNearestAccessAndTheOtherFault) {
  const auto text_of = [](const char* effect, const std::string& test, size_t at, const char* configuration,
                          const char* detail, const char* listing, const std::string& right) {
    hunt::Fault f = lost_acquire();
    f.effect = effect;
    f.test = f.reduced = test;
    f.configuration = configuration;
    f.detail = detail;
    f.listing = listing;
    f.right_where = f.configuration + ", as " + right;
    const auto t = parse_test(test);
    f.culprit = to_string(t->body[at]);
    f.known = known_fault(effect, *t, at, f.configuration);
    return report_for(f)["report.md"];
  };
  const auto has = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  const char* const sm90 = "ptxas-13.5.37 sm_90 -O3";
  // A fence before the store is none of the way; `.sys` on shared memory is `.cluster`.
  const std::string release = "fence.proxy.async.shared::cta; st.weak.global.u32@p2; red.release.sys.shared.add.u64@s1";
  std::string text = text_of("weak-membar", release, 2, sm90, "from the begin to ATOMS.CAST.SPIN.64 at 0x170",
                             "0040 10 - 00 | MEMBAR.ALL.CTA\n00a0 11 - 02 | STG.E desc[UR6]\n"
                             "0170 12 0 00 | ATOMS.CAST.SPIN.64\n",
                             release);
  has(text,
      {"goes from STG.E at 0xa0 to ATOMS.CAST.SPIN.64 at 0x170, and between the two stands no MEMBAR of any scope; "
       "`MEMBAR.ALL.GPU` is needed, since `.sys` on shared memory is `.cluster` (8.3); the MEMBAR at 0x40 stands "
       "before the first of the two",
       "does not release", "scoreboard that it sets when its result is there"});
  EXPECT_EQ(text.find("too weak for this one"), std::string::npos) << text;
  // With a fence between it is that fence which is too weak.
  text = text_of("weak-membar", release, 2, sm90, "from STG.E at 0xa0 to ATOMS.CAST.SPIN.64 at 0x170",
                 "00a0 11 - 02 | STG.E desc[UR6]\n00b0 10 - 00 | MEMBAR.ALL.CTA\n0170 12 0 00 | ATOMS.CAST.SPIN.64\n",
                 release);
  has(text, {"too weak for this one"});
  // The writer stores in the pieces that the first load reads.
  text = text_of("absent", "ld.shared.cv.v2.b16@t2; ld.acquire.gpu.global.u32@p1; ld.weak.shared.u32@t2", 2, sm90, "",
                 "0060 10 2 00 | LDS\n", "ld.weak.shared.u32@t2");
  has(text, {"The writer stores x as two halves (`st.weak.shared.v2.b16`), so that its race with the first load is of "
             "one size (8.7.2)."});
  // A form that differs in two things tells nothing.
  const std::string loads = "ld.volatile.global.b32@q1; ld.relaxed.gpu.global.b32@p1";
  text = text_of("reordered", loads, 1, sm90, "LDG at 0x80 before LDG at 0x90", "0080 11 2 00 | LDG\n",
                 "ld.relaxed.gpu.global.u32@q1; ld.relaxed.gpu.global.u32@p1");
  has(text, {"is moved before an earlier access of an address that may be the same\n",
             "8.4.2 lets the operations of volatile instructions be re-ordered only around each other"});
  EXPECT_EQ(text.find("the same compiler gets right"), std::string::npos) << text;
  // So does one that differs in two within an instruction.
  const std::string volatile_load = "ld.volatile.global.b32@q1; ";
  text = text_of("reordered", loads, 1, sm90, "LDG at 0x80 before LDG at 0x90", "0080 11 2 00 | LDG\n",
                 volatile_load + "ld.volatile.global.u64@p1");
  EXPECT_EQ(text.find("the same compiler gets right"), std::string::npos) << text;
  text = text_of("reordered", loads, 1, sm90, "LDG at 0x80 before LDG at 0x90", "0080 11 2 00 | LDG\n",
                 volatile_load + "ld.volatile.global.b32@p1");
  has(text, {"With `ld.volatile.global.b32` in place of `ld.relaxed.gpu.global.b32`:"});
  // Another fault has the name of its folder where it has one.
  const std::string wide = "ld.relaxed.cluster.global.v4.b64@q1";
  text = text_of("absent", wide, 0, "ptxas-12.9.86 sm_100 -O3", "", "0070 9000 - 02 | STG.E.64\n", wide);
  has(text, {"it puts no CCTL.IVALL: another fault, of which there is no report here.", "some were never written"});
}

TEST(Hunt, ReportsNameTheFolderOfAnotherFault) {
  Summary s;
  for (const char* effect : {"absent", "no-invalidate"}) {
    hunt::Fault f = lost_acquire();
    f.signature = f.effect = effect;
    f.configuration = "ptxas-12.9.86 sm_100 -O3";
    f.culprit = f.effect == "absent" ? "ld.relaxed.cluster.global.v4.b64@q1" : "ld.acquire.gpu.global.v8.b32@q1";
    f.test = f.reduced = f.culprit + "; ld.weak.global.u32@p3";
    f.known = known_fault(f.effect, *parse_test(f.reduced), 0, f.configuration);
    s.faults.push_back(f);
  }
  std::map<std::string, std::string> files;
  for (const auto& file : report_files(s)) files[file.path] = file.text;
  EXPECT_NE(files["absent-1/report.md"].find("no CCTL.IVALL: that is no-invalidate-1."), std::string::npos);
  EXPECT_NE(files["no-invalidate-1/report.md"].find("not even the access: that is absent-1."), std::string::npos);
}

// Addresses are named as the kernel of a report has them.
TEST(Hunt, ReportsNameAddressesAsTheKernelDoes) {
  for (const char place : std::string("pwqkuhstcl")) {
    const auto t = parse_test(std::string("ld.weak.u32@") + place + "2");
    ASSERT_TRUE(t.has_value()) << place;
    const std::string operand = operand_of(t->body.front());
    EXPECT_NE(kernel_of(*t, "t0").find(", " + operand + ";"), std::string::npos) << operand;
  }
  EXPECT_EQ(operand_of(parse_test("fence.acq_rel.gpu")->body.front()), "");
}

// Two loads through addresses of two windows: why these can be one address; and litmus tests of the form that a device
// ran, where the one of the report has none.
TEST(Hunt, ReportsSayHowAddressesOfTwoWindowsAreOne) {
  const auto fault_of = [](const std::string& test, const std::string& signature) {
    hunt::Fault f = lost_acquire();
    f.signature = signature;
    f.effect = "reordered";
    f.test = f.reduced = test;
    f.culprit = to_string(parse_test(test)->body[1]);
    f.detail = "LDS.64 at 0x70 before LD.E.64.STRONG.SYS at 0x80";
    f.listing = "0070 11 0 00 | LDS.64\n0080 10 2 00 | LD.E.64.STRONG.SYS\n";
    f.right_listing.clear();
    f.table = {{f.configuration, "fault"}, {"ptxas-13.5.37 sm_90 -O0", "right"}};
    f.known = known_fault(f.effect, *parse_test(test), 1, f.configuration);
    EXPECT_FALSE(f.known.empty());
    return f;
  };
  Summary s;
  s.faults = {fault_of("ld.volatile.shared::cluster.b64@c1; ld.relaxed.gpu.shared.f64@t1", "reordered a"),
              fault_of("ld.relaxed.gpu.shared::cluster.f64@c1; ld.volatile.u64@u1", "reordered b"),
              fault_of("ld.relaxed.gpu.u8@u1; ld.mmio.relaxed.sys.global.b8@p1", "reordered c")};
  std::map<std::string, std::string> files;
  for (const auto& file : report_files(s)) files[file.path] = file.text;
  const std::string& text = files["reordered-1/report.md"];
  std::map<std::string, std::string> rows;  // a form by its instruction
  for (const std::string& line : lines_of(text))
    if (line.starts_with("| `form-")) rows[line.substr(13, line.find('`', 14) - 12)] = line;
  const auto has = [](const std::string& in, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(in.find(part), std::string::npos) << part << "\n" << in;
  };
  has(text,
      {"`[%ac+64]` and `[%at+64]` of the kernel below are one address, as they are where `[c+4]` is the rank",
       "By 5.1.7 \"The addresses in the `.shared::cta` window also fall within", "forbids in every execution",
       "Right with sm_90 -O0: 13.5.37 (the table under \"Where\").", "The form above was not measured.",
       "Of the form above there is no litmus test: the two accesses have not one place in 'run'. Those that follow",
       "but the litmus tests", "at fault with | right with |"});
  EXPECT_EQ(text.find("There is no litmus test of this fault"), std::string::npos) << text;
  EXPECT_TRUE(files.contains("reordered-1/device/CoRR+late+volatile+relaxed.gpu.litmus"));
  ASSERT_EQ(rows.size(), 2u) << text;
  has(rows["`ld.volatile.u64`"], {"6.4.1.1, Generic Addressing", "the window of shared memory", "sm_90 -O0: 13.5.37 |",
                                  "Not measured on a device"});
  has(rows["`ld.mmio.relaxed.sys.global.b8`"], {"6.4.1.1, Generic Addressing", "maps to global memory"});
  // Of one window nothing is to be said.
  const auto pair = parse_test("ld.volatile.shared.b64@s1; ld.relaxed.gpu.shared.b64@t1; ld.weak.local.b64@l1");
  EXPECT_EQ(one_address(pair->body[0], pair->body[1]), "");
  EXPECT_EQ(one_address(pair->body[0], pair->body[2]), "");
  // The measured form has tests of its own.
  Summary own;
  own.faults = {fault_of("late: ld.volatile.global.b32@p1; ld.relaxed.gpu.global.b32@p1", "reordered d")};
  const std::string measured = report_files(own).front().text;
  EXPECT_EQ(measured.find("Of the form above there is no litmus test"), std::string::npos) << measured;
  EXPECT_EQ(measured.find("The form above was not measured"), std::string::npos) << measured;
}

// A title says where the operation lies that is not awaited, and no more.
TEST(Hunt, ATitleSaysWhereTheOperationLies) {
  const auto title_of_test = [](const std::string& test) {
    hunt::Fault f = lost_acquire();
    f.effect = "no-wait";
    f.test = f.reduced = test;
    f.culprit = to_string(parse_test(test)->body[1]);
    f.right_listing.clear();
    f.known = known_fault(f.effect, *parse_test(test), 1, f.configuration);
    return lines_of(report_for(f)["report.md"]).front();
  };
  const std::string fence = "; fence.acquire.gpu; ld.weak.global.u32@p2";
  for (const auto& [atom, where] :
       {std::pair{"atom.relaxed.gpu.add.u32@u1 unused", " on a generic address"},
        std::pair{"atom.relaxed.gpu.shared.add.u32@t1 unused", " in shared memory"},
        std::pair{"atom.relaxed.gpu.shared::cluster.add.u32@c1 unused", " in shared memory of the cluster"},
        std::pair{"ld.relaxed.gpu.global.u32@p1", ""}}) {
    const std::string title = title_of_test(atom + fence);
    EXPECT_TRUE(title.ends_with(std::string("whose result nobody uses") + where)) << title;
  }
}

// "No row is right" hides no target that is, and another finding is not this fault.
TEST(Hunt, ReportsSayWhereItIsRight) {
  hunt::Fault f = lost_acquire();
  f.table = {{f.configuration, "fault"}};
  std::string text = report_for(f)["report.md"];
  EXPECT_NE(text.find("No row of the table under \"Where\" is right. Beyond the table sm_80 is right (Limits)."),
            std::string::npos)
      << text;
  f.table["ptxas-13.5.37 sm_80 -O3"] = "right: only one CTA sees its shared memory";
  f.table["ptxas-12.9.86 sm_90 -O0"] = "another finding, no-membar: a sentence";
  f.table["ptxas-12.9.86 sm_80 -O3"] = "another finding, illegal: a sentence";
  text = report_for(f)["report.md"];
  for (const char* part :
       {"Right with sm_80 -O3: 13.5.37 (the table", "| not this fault; another finding, no-membar: a",
        "| another finding, illegal: a", "no clusters, so that only threads of its CTA reach"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("Beyond the table"), std::string::npos) << text;
}

// A column says with what a form is right by itself, and names the form beside it that is.
TEST(Hunt, ColumnsTellARightFormFromTheFormItself) {
  hunt::Fault f = lost_acquire();
  f.table = {{f.configuration, "fault"}};
  hunt::Fault other = f;
  other.signature = "no-invalidate of another form";
  other.culprit = "atom.acquire.gpu.shared.min.u64@s1";
  other.test = other.reduced = other.culprit + "; ld.weak.global.u32@p2";
  other.right_where = f.configuration + ", as atom.acquire.gpu.shared.exch.b64@s1; ld.weak.global.u32@p2";
  Summary s;
  s.faults = {f, other};
  std::map<std::string, std::string> files;
  for (const auto& file : report_files(s)) files[file.path] = file.text;
  EXPECT_TRUE(files.contains("no-invalidate-1/form-2/right.ptx"));
  const std::string& text = files["no-invalidate-1/report.md"];
  EXPECT_NE(text.find("| nothing that was tried; the form `form-2/right.ptx` beside it is right |"), std::string::npos)
      << text;
}

// Code without scoreboards (-O0) shows where instructions stand, and not how they wait.
TEST(Hunt, ARightFormWithoutScoreboardsSaysSo) {
  hunt::Fault f = lost_acquire();
  f.right_where = "ptxas-13.5.37 sm_90 -O0";
  f.right_listing = "0000 10 - 00 | ATOMS\n0010 10 - 00 | CCTL.IVALL\n";
  const char* none = "No instruction of this code sets a scoreboard.";
  std::string text = report_for(f)["report.md"];
  EXPECT_NE(text.find(none), std::string::npos) << text;
  f.right_listing = "0000 10 0 00 | ATOMS\n0010 10 - 01 | CCTL.IVALL\n";
  text = report_for(f)["report.md"];
  EXPECT_EQ(text.find(none), std::string::npos) << text;
}

// Which read has the new value, and what is said of the predicate, is so by the machine code.
TEST(Hunt, ReportsOfAnUnusedAcquireReadItsMachineCode) {
  hunt::Fault f = lost_acquire();
  f.test = f.reduced = "ld.relaxed.gpu.global.u32@q2; ?p ld.acquire.gpu.global.u32@p2 unused; ld.weak.global.u32@p3";
  f.culprit = "?p ld.acquire.gpu.global.u32@p2 unused";
  f.detail = "from LDG.E.STRONG.GPU at 0x60 to LDG.E at 0x90";
  f.listing =
      "0050 10 - 00 | ISETP.NE.AND P0, PT, R2, RZ, PT\n0060 10 2 00 | LDG.E.STRONG.GPU R7\n"
      "0080 11 - 3f | @P0 CCTL.IVALL\n0090 12 3 00 | LDG.E R9\n";
  f.right_listing.clear();
  f.known.clear();
  std::string text = report_for(f)["report.md"];
  EXPECT_NE(text.find("is an acquire pattern on y where `[%aq+128]` and `[%ap+128]` are one address"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("writes P0"), std::string::npos) << text;
  f.listing.replace(f.listing.find("0060 10"), 7, "0060 11");
  text = report_for(f)["report.md"];
  EXPECT_NE(text.find("reads the new y by this instruction"), std::string::npos) << text;
}

// A load with an order that is nowhere is left out; nothing stands for it.
TEST(Hunt, ReportsTellLoadsThatAreLeftOutFromMergedOnes) {
  hunt::Fault f = lost_acquire();
  f.effect = "absent";
  f.culprit = f.reduced = f.test = "ld.acquire.cluster.global.v8.b32@p1";
  f.known.clear();
  f.right_listing.clear();
  const std::string text = report_for(f)["report.md"];
  EXPECT_NE(text.find("`ld.acquire.cluster.global.v8.b32` is left out"), std::string::npos) << text;
  EXPECT_NE(text.find("the access is done (PTX ISA, chapter 9, `ld`)"), std::string::npos) << text;
  // Nor is a weak load merged with one that its test does not have.
  f.culprit = f.reduced = f.test = "ld.weak.global.u32@p1";
  EXPECT_NE(text.find("Not tried, since no other version was at hand: ptxas before 13.5.37"), std::string::npos)
      << text;
  const std::string alone = report_for(f)["report.md"];
  EXPECT_NE(alone.find("`ld.weak.global.u32` is left out"), std::string::npos) << alone;
  EXPECT_EQ(alone.find("acquire between"), std::string::npos) << alone;
}

// Without a program of ours or a litmus test the report says so.
TEST(Hunt, ReportsSayWhyThereIsNoDeviceTest) {
  hunt::Fault f = lost_acquire();
  f.effect = "absent";
  f.culprit = "ld.weak.global.u32@p1";
  f.reduced = f.test = "ld.weak.global.u32@p1; ld.acquire.gpu.global.u32@q2; ld.weak.global.u32@p1";
  f.known = known_fault(f.effect, *parse_test(f.reduced), 2, f.configuration);
  auto files = report_for(f);
  EXPECT_NE(files["report.md"].find("a load is lost only beside one of the same address"), std::string::npos);
  EXPECT_TRUE(files.contains("device/loads.cu"));
  EXPECT_NE(files["report.md"].find("behind an acquire is replaced by the value of an earlier load"), std::string::npos)
      << files["report.md"];
  f.known.clear();
  EXPECT_NE(report_for(f)["report.md"].find("Not measured on a device"), std::string::npos);
}

// ---- what a store keeps is judged again ----

namespace {

// What `hunt` keeps of the test of a record: a fault of this signature.
hunt::Fault kept(const std::string& record, const std::string& effect, size_t culprit) {
  const Sample r = recorded(record);
  hunt::Fault f;
  f.signature = signature_of(effect, r.test.body[culprit]);
  f.effect = effect;
  f.configuration = "ptxas-13.5.37 sm_90 -O3";
  f.test = f.reduced = to_string(r.test);
  f.culprit = to_string(r.test.body[culprit]);
  f.detail = "what an older gate said";
  f.listing = r.text;
  f.known = "what an older version knew (BUGS-FOUND.md)";
  f.table = {{f.configuration, "fault"}, {"ptxas-12.9.86 sm_80 -O3", "refused: no such form"}};
  f.listings = {{f.configuration, r.text}};
  return f;
}

}  // namespace

TEST(HuntAgain, AFaultIsToldByTodaysGate) {
  const auto again = judged_again("h.db", {kept("shared-u64", "no-invalidate", 0)});
  ASSERT_TRUE(again.has_value());
  ASSERT_EQ(again->faults.size(), 1u);
  const hunt::Fault& f = again->faults.front();
  EXPECT_NE(f.detail.find("from ATOMS.CAST.SPIN.64 at 0xe0 to LDG.E at 0x130"), std::string::npos) << f.detail;
  EXPECT_TRUE(f.known.starts_with("atomic operations on shared memory that become a loop")) << f.known;
  EXPECT_EQ(f.table.at("ptxas-12.9.86 sm_80 -O3"), "refused: no such form");
}

// An earlier read of the scope .cta owes nothing to a release of another CTA: an older gate asked for CCTL.IVALL there.
TEST(HuntAgain, WhatIsNoFaultTodayIsNotReported) {
  const auto again = judged_again("h.db", {kept("unused-cta", "no-invalidate", 1)});
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->faults.empty());
  ASSERT_EQ(again->withdrawn.size(), 1u);
  Summary s;
  s.faults = again->faults;
  const auto files = report_files(s, again->withdrawn, false);
  ASSERT_EQ(files.size(), 1u);
  for (const char* part : {"none by this version", "what an older gate said", "another version of Fencepost"})
    EXPECT_NE(files.front().text.find(part), std::string::npos) << part << "\n" << files.front().text;
}

// Rows beside the fault are judged again too: one that was right and is not, one that was at fault and is right.
TEST(HuntAgain, RowsAreJudgedAgain) {
  hunt::Fault f = kept("shared-u64", "no-invalidate", 0);
  f.table["ptxas-12.9.86 sm_90 -O3"] = "right";
  f.listings["ptxas-12.9.86 sm_90 -O3"] = recorded("shared-u64").text;
  f.table["ptxas-13.5.37 sm_80 -O3"] = "fault";
  std::string right = recorded("shared-u64").text;
  const std::string label = "0130 11 2 00 .L_x_0:";
  right.replace(right.find(label), label.size(), "0128 10 - 3f .L_x_0: | CCTL.IVALL\n0130 11 2 00");
  f.listings["ptxas-13.5.37 sm_80 -O3"] = right;
  f.right_where = f.configuration;
  f.right_listing = recorded("shared-u64").text;  // and what was kept as right is not
  f.table["ptxas-12.9.86 sm_80 -O3"] = "another finding, illegal: an instruction that the architecture does not have";
  const auto again = judged_again("h.db", {f});
  ASSERT_TRUE(again.has_value());
  ASSERT_EQ(again->faults.size(), 1u);
  EXPECT_EQ(again->faults[0].table.at("ptxas-12.9.86 sm_90 -O3"), "fault");
  EXPECT_TRUE(again->faults[0].table.at("ptxas-13.5.37 sm_80 -O3").starts_with("right"));
  EXPECT_TRUE(again->faults[0].right_listing.empty());
}

// Where no instruction sets a scoreboard a missing wait is not judged, and no column says "right".
TEST(HuntAgain, AMissingWaitIsNotJudgedWithoutScoreboards) {
  const std::string unoptimised = "ptxas-13.5.37 sm_90 -O0";
  const auto fault_of = [&](const std::string& scope) {
    hunt::Fault f = kept("not-awaited", "no-wait", 1);
    const auto words = [&](std::string& text) {
      const size_t at = text.find("fence.acquire.gpu");
      text.replace(at, std::string("fence.acquire.gpu").size(), "fence.acquire." + scope);
    };
    words(f.signature), words(f.test), words(f.reduced), words(f.culprit);
    f.table = {{f.configuration, "fault"}, {unoptimised, "right"}};
    static const std::regex columns("(^|\n)([0-9a-f]{4} [0-9]+) [0-9-] [0-9a-f]{2}");
    f.listings[unoptimised] = std::regex_replace(f.listing, columns, "$1$2 - 00");
    return f;
  };
  const auto again = judged_again("h.db", {fault_of("gpu"), fault_of("cluster")});
  ASSERT_TRUE(again.has_value());
  ASSERT_EQ(again->faults.size(), 2u);
  EXPECT_EQ(again->faults[0].table.at(unoptimised), "not judged: no instruction of this code sets a scoreboard");
  Summary s;
  s.faults = again->faults;
  const std::string text = report_files(s).front().text;
  for (const char* part :
       {"No row of the table under \"Where\" is right. Not judged: sm_90 -O0: 13.5.37.", "| sm_90 -O0 | not judged: no",
        "| nothing that was tried; not judged: sm_90 -O0: 13.5.37 |", "Not measured on a device"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("| right |"), std::string::npos) << text;
}

// Without the machine code nothing is taken on trust.
TEST(HuntAgain, AStoreWithoutRecordsIsRefusedByName) {
  hunt::Fault f = kept("shared-u64", "no-invalidate", 0);
  f.listings.clear();
  const auto again = judged_again("old.db", {f});
  ASSERT_FALSE(again.has_value());
  EXPECT_NE(again.error().list.front().message.find("old.db: the fault 'no-invalidate atom"), std::string::npos);
  f.listings[f.configuration] = "no record";
  EXPECT_FALSE(judged_again("old.db", {f}).has_value());
}

// Signatures of one fault are one folder; the form that was measured is its report.
TEST(HuntAgain, OneFaultIsOneFolder) {
  Summary s;
  hunt::Fault f = lost_acquire();
  hunt::Fault other = f;
  other.signature = "weak-membar of another form";
  other.effect = "weak-membar";
  other.culprit = "red.release.gpu.shared.add.f32@s1";
  other.test = other.reduced = "st.weak.global.u32@p2; fence.acq_rel.cta; " + other.culprit;
  other.listing = "00a0 10 - 00 | STG.E\n00b0 11 - 00 | MEMBAR.ALL.CTA\n0130 12 - 00 | ATOMS.CAST.SPIN\n";
  other.detail = "from STG.E at 0xa0 to ATOMS.CAST.SPIN at 0x130";
  other.right_listing.clear();
  other.known = known_fault(other.effect, *parse_test(other.reduced), 2, other.configuration);
  hunt::Fault release = other;
  release.signature = "no-membar atom or red, a loop in shared memory, shared, scope above cta";
  release.effect = "no-membar";
  release.culprit = "red.release.gpu.shared.add.u64@t1";
  release.test = release.reduced = "st.weak.global.u32@p2; " + release.culprit;
  hunt::Fault fresh = lost_acquire();
  fresh.signature = "split st, global, 32 bits";
  fresh.effect = "split";
  fresh.culprit = fresh.test = fresh.reduced = "st.weak.global.u32@p1";
  fresh.known.clear();
  s.faults = {f, other, release, fresh};
  std::map<std::string, std::string> files;
  for (const auto& file : report_files(s)) files[file.path] = file.text;
  std::vector<std::string> reports;
  for (const auto& [path, text] : files)
    if (path.ends_with("/report.md")) reports.push_back(path);
  EXPECT_EQ(reports,
            (std::vector<std::string>{"no-invalidate-1/report.md", "no-membar-1/report.md", "split-1/report.md"}));
  const std::string& text = files["no-membar-1/report.md"];
  EXPECT_NE(text.find("`red.release.gpu.shared.add.u64` does not release"), std::string::npos) << text;
  // No MEMBAR is its own, so it does not release: the one on the way is the fence's.
  EXPECT_NE(
      text.find("| `form-2` | `red.release.gpu.shared.add.f32` | a variable in shared memory | 12 | does not release"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("the MEMBAR there is of another instruction"), std::string::npos) << text;
  EXPECT_TRUE(files.contains("no-membar-1/form-2/test-sm_90.ptx"));
  EXPECT_TRUE(files.contains("no-membar-1/form-2/wrong.rec"));
  EXPECT_EQ(files["no-invalidate-1/report.md"].find("Other forms"), std::string::npos);
  EXPECT_NE(files["index.md"].find("| [no-membar-1](no-membar-1/report.md) |"), std::string::npos);
  EXPECT_TRUE(
      std::regex_search(files["index.md"], std::regex("judged by Fencepost [0-9.]+ \\(gate [0-9a-f]{12}\\)\\.")));
  // The other half of what is known has a folder of its own.
  EXPECT_NE(files["no-invalidate-1/report.md"].find("A lost release by itself: that is no-membar-1."),
            std::string::npos);
}

// Why no device was asked.
TEST(HuntAgain, WhatWasNotMeasuredSaysWhy) {
  hunt::Fault f = lost_acquire();
  f.known.clear();
  EXPECT_NE(report_for(f)["report.md"].find("Not measured on a device: the fault is new"), std::string::npos);
  f.configuration = "ptxas-12.9.86 sm_80 -O3";
  f.table = {{f.configuration, "fault"}, {"ptxas-12.9.86 sm_90 -O3", "right"}};
  EXPECT_NE(
      report_for(f)["report.md"].find("in code for sm_80 alone, and the devices at hand (H100, H200) are of sm_90"),
      std::string::npos);
}
