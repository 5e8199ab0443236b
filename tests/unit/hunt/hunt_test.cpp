// The gate of the hunt on recorded machine code (listings/*.rec: the test, the target, the record of machine.h), with
// every fault planted that a compiler might make; drawing, notation, store. No compiler is needed; the last test uses
// one where FENCEPOST_PTXAS names it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "base/write_file.h"
#include "hunt/conduct.h"
#include "hunt/draw_tests.h"
#include "hunt/gate.h"
#include "hunt/guarantees.h"
#include "hunt/ledger.h"
#include "hunt/litmus.h"
#include "hunt/machine.h"
#include "hunt/report.h"
#include "hunt/show.h"
#include "recorded.h"

using namespace fencepost;
using namespace fencepost::hunt;

namespace {

std::set<std::string> effects(const Sample& r, const std::string& text) {
  const auto k = read_record("t", r.sm, text);
  EXPECT_TRUE(k.has_value());
  std::set<std::string> out;
  for (const Finding& f : judge(r.test, *k)) out.insert(name(f.effect));
  return out;
}
std::set<std::string> effects(const std::string& name) {
  const Sample r = recorded(name);
  return effects(r, r.text);
}
bool has_fault(const std::set<std::string>& e) {
  for (uint8_t n = 0; n < static_cast<uint8_t>(Effect::count_); ++n)
    if (level_of(static_cast<Effect>(n)) == Level::fault && e.contains(name(static_cast<Effect>(n)))) return true;
  return false;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}
std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& l : lines) out += l + "\n";
  return out;
}

const std::vector<std::string> k_right = {"mp-right", "mp-right-80", "fences",          "cta",   "atoms", "shared-u32",
                                          "loop",     "guarded",     "cluster-barrier", "alias", "O0"};

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fencepost-hunt-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* file) const { return path_ + "/" + file; }

 private:
  std::string path_;
};

}  // namespace

TEST(Hunt, RightCodeIsRight) {
  for (const std::string& name : k_right) EXPECT_EQ(effects(name), std::set<std::string>()) << name;
}

TEST(Hunt, KnownFaultsAreFaults) {
  EXPECT_TRUE(effects("shared-u64").contains("no-invalidate"));
  EXPECT_TRUE(effects("shared-u64-release").contains("no-membar"));
  EXPECT_TRUE(effects("generic-u64").contains("no-invalidate"));
  EXPECT_TRUE(effects("wide-acquire").contains("no-invalidate"));
  EXPECT_TRUE(effects("wide-acquire").contains("no-wait"));
  EXPECT_TRUE(effects("wide-release").contains("no-membar"));
}

TEST(Hunt, WeakeningsAreNoFaults) {
  for (const char* name : {"shared-u64-80", "generic-u64-80", "half"}) {
    EXPECT_FALSE(has_fault(effects(name))) << name;
    EXPECT_FALSE(effects(name).empty()) << name;
  }
  EXPECT_TRUE(effects("shared-u64-80").contains("no-remote"));
  EXPECT_TRUE(effects("generic-u64-80").contains("private-window"));
  EXPECT_TRUE(effects("half").contains("first-look"));
}

// A plain store of global memory is of no atomic operation, whatever its line: ptxas gives a store that stands for two
// the line of the compare-and-swap loop behind it.
TEST(Hunt, AStoreIsNotOfTheAtomicOperationBehindIt) {
  EXPECT_FALSE(has_fault(effects("store-with-cas")));
  EXPECT_TRUE(effects("store-with-cas").contains("merged"));
}

// A load that has the value of an earlier access of its thread: not where another thread's write must come between.
TEST(Hunt, AnswersOfEarlierAccessesAreHeldAgainstTheModel) {
  const auto judged = [](const char* name, const std::string& test, const std::string& from = "",
                         const std::string& to = "") {
    Sample r = recorded(name);
    r.test = *parse_test(test);
    std::string text = r.text;
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    return effects(r, text);
  };
  // A weak store races with every write that could come between, and the load may be older than such a write...
  const auto weak = judged("forwarded", "st.weak.global.u32@p1; ld.acquire.gpu.global.u32@q2; ld.weak.global.u32@p1");
  EXPECT_TRUE(weak.contains("merged") && !weak.contains("absent"));
  // ... but a strong store has its place in coherence, before or after such a write.
  const std::string strong = "st.relaxed.gpu.global.u32@p1; ld.acquire.gpu.global.u32@q2; ld.weak.global.u32@p1";
  EXPECT_TRUE(judged("forwarded", strong, "STG.E desc[UR4][R2", "STG.E.STRONG.GPU desc[UR4][R2").contains("absent"));
  // The offset of a global access is read behind its descriptor.
  const std::string plain = "st.weak.global.u32@p1; ld.acquire.gpu.global.u32@q2; ld.weak.global.u32@p1";
  EXPECT_TRUE(judged("forwarded", plain, "[R6.64+0x80]", "[R6.64+0xc0]").contains("elsewhere"));
  // A release alone orders nothing that comes before the load.
  const auto released =
      judged("forwarded-release", "st.weak.global.u32@p1; red.release.gpu.shared.add.u32@s2; ld.weak.global.u32@p1");
  EXPECT_TRUE(released.contains("merged") && !has_fault(released));
  const std::string behind = "red.release.gpu.shared.add.u32@s2; ld.acquire.gpu.global.u32@q2";
  EXPECT_TRUE(
      judged("forwarded-release", "st.weak.global.u32@p1; " + behind + "; ld.weak.global.u32@p1").contains("absent"));
  EXPECT_TRUE(
      judged("forwarded-release", "st.weak.global.u32@p1; membar.gl; ld.weak.global.u32@p1").contains("absent"));
}

// Results that are wanted in the other order: what ptxas 13.5 makes of two loads of one place.
TEST(Hunt, LateResultsMoveLoads) {
  EXPECT_TRUE(effects("late").contains("reordered"));
  EXPECT_TRUE(effects("late-used").contains("reordered"));
  const auto late = parse_test("late: ld.volatile.global.b32@p1; ld.relaxed.gpu.global.b32@p1");
  ASSERT_TRUE(late.has_value());
  EXPECT_TRUE(late->late && !late->loop);
  const std::string text = kernel_of(*late, "t0");
  EXPECT_LT(text.find("[%out+16], %r1_0"), text.find("[%out+0], %r0_0")) << text;
  EXPECT_EQ(to_string(*parse_test("late: loop: ld.weak.global.u32@p1")), "late: loop: ld.weak.global.u32@p1");
  EXPECT_FALSE(known_fault("reordered", *late, 1, "ptxas-13.5.37 sm_90 -O3").empty());
  uint32_t drawn = 0;
  for (uint64_t n = 0; n < 200; ++n) drawn += draw_test(1, n).late ? 1 : 0;
  EXPECT_GT(drawn, 30u);
  EXPECT_LT(drawn, 100u);
}

// Results that nobody uses. Two faults of ptxas that show in such tests alone; and what it makes right.
TEST(Hunt, UnusedResultsAreJudged) {
  EXPECT_TRUE(effects("overtaken").contains("overtaken"));
  EXPECT_TRUE(effects("bit-one").contains("operation"));
  EXPECT_TRUE(effects("red-one").contains("operation"));
  for (const char* name :
       {"unused-atoms", "inc-ones", "unused-volatile", "unused-alone", "unused-acquire", "unused-cta"})
    EXPECT_FALSE(has_fault(effects(name))) << name;
  EXPECT_TRUE(effects("unused-alone").contains("unused-load"));
  // A volatile load is done though nobody uses it, and a load whose result is kept is not left out.
  const auto gone = [](const char* name, const char* test, const char* opcode) {
    Sample r = recorded(name);
    if (*test != 0) r.test = *parse_test(test);
    auto lines = lines_of(r.text);
    for (std::string& l : lines)
      if (*opcode != 0 && l.find(opcode) != std::string::npos) l = l.substr(0, l.find("| ")) + "| NOP";
    return effects(r, joined(lines));
  };
  EXPECT_TRUE(gone("unused-volatile", "", ".STRONG.SYS").contains("absent"));
  EXPECT_TRUE(gone("unused-alone", "ld.acquire.gpu.global.u32@q1; ld.weak.global.u32@p2", "").contains("absent"));
  // The acquire that goes with its load still counts for an earlier read of the place.
  EXPECT_TRUE(gone("unused-acquire", "", "CCTL").contains("no-invalidate"));
  EXPECT_FALSE(has_fault(gone("unused-alone", "", "CCTL")));
  EXPECT_FALSE(has_fault(gone("unused-acquire",
                              "ld.relaxed.gpu.global.u32@p1; ld.acquire.gpu.global.u32@p3 unused; "
                              "ld.weak.global.u32@p2",
                              "CCTL")));
  Sample cta = recorded("unused-cta");
  std::string text = cta.text;
  for (size_t at = text.find("- 3f | NOP"); at != std::string::npos; at = text.find("- 3f | NOP"))
    text.replace(at, 10, "- 00 | NOP");
  EXPECT_TRUE(effects(cta, text).contains("no-wait"));
  // An operation without a result has no scoreboard, so that an acquire of it is awaited by a MEMBAR or not at all.
  Sample atoms = recorded("unused-atoms");
  std::string red = atoms.text;
  const size_t at = red.find("10 2 02 | ATOMG");
  ASSERT_NE(at, std::string::npos);
  red.replace(at, 15, "10 - 02 | ATOMG");
  EXPECT_TRUE(effects(atoms, red).contains("no-wait"));
}

// The machine's operation is the one that is written, in its type.
TEST(Hunt, OtherOperationsAreFaults) {
  const auto with = [](const char* name, const std::string& from, const std::string& to) {
    Sample r = recorded(name);
    std::string text = r.text;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return effects(r, text).contains("operation");
  };
  EXPECT_TRUE(with("unused-atoms", "REDG.E.MIN.S32", "REDG.E.MIN"));  // as unsigned
  EXPECT_TRUE(with("unused-atoms", "REDG.E.MIN.S32", "REDG.E.MAX.S32"));
  EXPECT_TRUE(with("unused-atoms", "REDG.E.MAX.64", "REDG.E.MAX.S64"));
  EXPECT_TRUE(with("unused-atoms", "ATOMG.E.ADD", "ATOMG.E.AND"));
  EXPECT_TRUE(with("unused-atoms", "ATOMG.E.ADD", "ATOMG.E.ADD.F32.FTZ.RN"));
  EXPECT_FALSE(with("unused-atoms", "ATOMG.E.ADD", "ATOMG.E.ADD.S32"));  // the same bits
  // inc up to the highest number adds 1, and no other does.
  EXPECT_FALSE(effects("inc-ones").contains("operation"));
  Sample other = recorded("inc-ones");
  other.test = *parse_test("atom.relaxed.gpu.global.inc.u32@w1=1; red.relaxed.gpu.shared.inc.u32@s2");
  EXPECT_TRUE(effects(other, other.text).contains("operation"));
}

// A loop whose pragma was lost is unrolled: its paths are named, not judged.
TEST(Hunt, UnrolledLoopsAreNamed) {
  EXPECT_EQ(effects("unrolled"), std::set<std::string>{"not-followed"});
  EXPECT_FALSE(
      effects("loops-in-loop").contains("not-followed"));  // loops for two operations stand in that of the test
  EXPECT_NE(kernel_of(*parse_test("loop: ld.weak.global.u32@p1 unused"), "t0").find("nounroll\";\n  sub.u32 %n"),
            std::string::npos);
}

// What the frame declares is used.
TEST(Hunt, KernelsHaveNoUnusedRegisters) {
  static const std::regex declared("\\.reg \\.\\w+ (%\\w+);"), named("%\\w+");
  size_t count = 0;
  for (uint64_t n = 0; n < 500; ++n) {
    const PtxTest t = draw_test(11, n);
    const std::string text = kernel_of(t, "t0");
    std::map<std::string, int> uses;
    for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at) ++uses[(*at)[0]];
    for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at, ++count)
      EXPECT_GE(uses[(*at)[1]], 2) << (*at)[1] << "\n" << text;
  }
  EXPECT_GT(count, 2000u);
}

TEST(Hunt, UnusedResultsAndConstantsAreDrawn) {
  std::map<std::string, uint32_t> seen;
  for (uint64_t n = 0; n < 3000; ++n)
    for (const Instruction& i : draw_test(13, n).body) {
      if (i.kind == Kind::atomic) ++seen[i.unused ? "atom unused" : "atom"];
      if (i.kind == Kind::load) ++seen[i.unused ? "ld unused" : "ld"];
      if (i.is_access() && i.writes()) ++seen[fmt::format("value {}", static_cast<int>(i.value))];
      EXPECT_TRUE(i.value != Value::real || i.is_real());
    }
  for (const auto& [what, n] : seen) EXPECT_GT(n, 40u) << what;
  EXPECT_EQ(seen.size(), 9u);
  for (const char* bad :
       {"st.weak.global.u32@p1 unused", "ld.weak.global.u32@p1=1", "fence.sc.gpu unused", "st.weak.global.u32@p1=2",
        "st.weak.global.u32@p1=1.0", "red.relaxed.gpu.global.add.u32@p1 unused"})
    EXPECT_FALSE(parse_test(bad).has_value()) << bad;
  const std::string text = kernel_of(*parse_test("atom.acquire.gpu.shared.add.u64@s1=-1 unused"), "t0");
  EXPECT_NE(text.find("mov.b64 %d0_k, 0xffffffffffffffff;"), std::string::npos) << text;
  EXPECT_EQ(text.find("st.weak.global"), std::string::npos) << text;
}

// Two stores of one value are one, under the line of what follows (whose lost fence is a fault); local memory moves
// freely.
TEST(Hunt, StoresOfOneValueAndLocalMemoryAreNoFaults) {
  const auto store = effects("same-store");
  EXPECT_TRUE(store.contains("merged") && store.contains("no-membar"));
  EXPECT_FALSE(store.contains("absent") || store.contains("stranger"));
  Sample other = recorded("same-store");
  other.test =
      *parse_test("st.weak.global.u32@p4; st.relaxed.gpu.global.u32@p4; atom.release.gpu.shared::cta.add.u64@s2");
  EXPECT_TRUE(effects(other, other.text).contains("absent"));
  EXPECT_FALSE(has_fault(effects("local-moved")));
  EXPECT_TRUE(effects("local-moved").contains("moved"));
}

// One MEMBAR, one CCTL.IVALL, one strength, one access, one barrier at a time.
TEST(Hunt, WhatIsTakenAwayIsMissed) {
  uint32_t planted = 0;
  for (const std::string& name : k_right) {
    const Sample r = recorded(name);
    const auto lines = lines_of(r.text);
    for (size_t n = 0; n < lines.size(); ++n)
      for (const char* gone :
           {"MEMBAR", "CCTL.IVALL", "LDG.E", "STG.E", "ATOMG.E", "REDG.E", "LDS", "STS", "ATOMS", "UCGABAR_WAIT"}) {
        const size_t at = lines[n].find(std::string(" ") + gone);
        if (at == std::string::npos || lines[n].find(" 9000 ") != std::string::npos) continue;
        auto changed = lines;
        changed[n] = lines[n].substr(0, at) + " NOP";
        const auto e = effects(r, joined(changed));
        // What another one of two fences still does is a weakening, and it is told.
        const bool fence = std::string(gone) == "MEMBAR" || std::string(gone) == "CCTL.IVALL";
        EXPECT_TRUE(has_fault(e) || (fence && e.contains("shared-fence"))) << name << ": " << lines[n];
        ++planted;
      }
  }
  EXPECT_GE(planted, 50u);
}

TEST(Hunt, WeakenedStrengthsAndFencesAreFaults) {
  const std::vector<std::pair<std::string, std::string>> changes = {{".STRONG.GPU", ""},
                                                                    {".STRONG.GPU", ".STRONG.SM"},
                                                                    {".STRONG.SYS", ".STRONG.GPU"},
                                                                    {".STRONG.SM", ""},
                                                                    {"MEMBAR.ALL.GPU", "MEMBAR.ALL.CTA"},
                                                                    {"MEMBAR.SC.SYS", "MEMBAR.ALL.SYS"},
                                                                    {"MEMBAR.ALL.SYS", "MEMBAR.ALL.GPU"}};
  uint32_t planted = 0;
  for (const std::string& name : k_right) {
    const Sample r = recorded(name);
    const auto lines = lines_of(r.text);
    for (size_t n = 0; n < lines.size(); ++n)
      for (const auto& [from, to] : changes) {
        const size_t at = lines[n].find(from);
        if (at == std::string::npos) continue;
        auto changed = lines;
        changed[n].replace(at, from.size(), to);
        EXPECT_TRUE(has_fault(effects(r, joined(changed)))) << name << ": " << changed[n];
        ++planted;
      }
  }
  EXPECT_GE(planted, 25u);
}

// Two accesses of the test change places, lines and all; and with their lines left where they were, as in a binary.
TEST(Hunt, SwappedAccessesAreSeen) {
  uint32_t planted = 0;
  for (const std::string& name : {std::string("mp-right"), std::string("atoms"), std::string("fences")}) {
    const Sample r = recorded(name);
    const auto lines = lines_of(r.text);
    std::vector<size_t> accesses;
    for (size_t n = 0; n < lines.size(); ++n)
      for (const char* word : {"LDG.E", "STG.E", "ATOMG.E", "REDG.E"})
        if (lines[n].find(word) != std::string::npos && lines[n].find(" 9000 ") == std::string::npos)
          accesses.push_back(n);
    for (size_t k = 0; k + 1 < accesses.size(); ++k)
      for (const bool with_lines : {true, false}) {
        auto changed = lines;
        std::string &a = changed[accesses[k]], &b = changed[accesses[k + 1]];
        const auto head = [&](const std::string& s) { return with_lines ? s.substr(0, 4) : s.substr(0, s.find("| ")); };
        const std::string a_head = head(a), b_head = head(b);
        const std::string a_rest = a.substr(a_head.size()), b_rest = b.substr(b_head.size());
        a = a_head + b_rest;
        b = b_head + a_rest;
        EXPECT_FALSE(effects(r, joined(changed)).empty()) << name << ": " << lines[accesses[k]];
        ++planted;
      }
  }
  EXPECT_GE(planted, 12u);
}

TEST(Hunt, LoadsThatAreNotAwaitedAreFaults) {
  const Sample r = recorded("cta");
  std::string text = r.text;
  for (auto& line : {"NOP"}) {
    const size_t at = text.find(line);
    ASSERT_NE(at, std::string::npos);
    // The mask of the NOP behind the acquiring load.
    const size_t mask = text.rfind('|', at) - 3;
    text.replace(mask, 2, "00");
  }
  EXPECT_TRUE(effects(r, text).contains("no-wait"));
}

TEST(Hunt, UnknownInstructionsAndStrangersAreNamed) {
  const Sample r = recorded("mp-right");
  auto lines = lines_of(r.text);
  std::string odd = r.text;
  odd.replace(odd.find("MEMBAR.ALL.GPU"), 14, "MEMBARX.GPU");
  EXPECT_EQ(effects(r, odd), std::set<std::string>{"unknown-opcode"});
  std::string strange = r.text;
  const size_t at = strange.find("NOP") == std::string::npos ? strange.find("ERRBAR") : strange.find("NOP");
  strange.replace(at, strange.find('\n', at) - at, "LDL R9, [R1]");
  EXPECT_TRUE(effects(r, strange).contains("stranger"));
}

TEST(Hunt, EveryEffectHasItsWords) {
  std::set<std::string> names;
  for (uint8_t n = 0; n < static_cast<uint8_t>(Effect::count_); ++n) {
    const auto e = static_cast<Effect>(n);
    EXPECT_TRUE(names.insert(name(e)).second) << name(e);
    if (level_of(e) != Level::named) EXPECT_NE(std::string(clause(e)), "");
  }
}

TEST(Hunt, DrawnTestsReadBack) {
  std::set<std::string> texts, kinds;
  for (uint64_t n = 0; n < 3000; ++n) {
    const PtxTest t = draw_test(5, n);
    const auto back = parse_test(to_string(t));
    ASSERT_TRUE(back.has_value()) << to_string(t);
    EXPECT_EQ(*back, t);
    EXPECT_EQ(draw_test(5, n), t);
    texts.insert(to_string(t));
    for (const Instruction& i : t.body) kinds.insert(i.words);
  }
  EXPECT_GT(texts.size(), 2900u);
  EXPECT_GT(kinds.size(), 2000u);
}

TEST(Hunt, BadTestsAreRefused) {
  for (const char* bad : {"", "ld.weak.global.u32", "ld.weak.global.u32@z1", "ld.weak.global.u32@p16", "mov.u32@p1",
                          "ld.weird.global.u32@p1", "fence.odd.gpu", "st.weak.global.u32@p1;;", "ld.weak.global@p1"})
    EXPECT_FALSE(parse_test(bad).has_value()) << bad;
}

TEST(Hunt, ModuleLinesLeadToKernels) {
  std::vector<PtxTest> tests;
  for (uint64_t n = 0; n < 50; ++n) tests.push_back(draw_test(3, n));
  const Module m = module_of(tests, "sm_90");
  const auto lines = lines_of(m.text);
  ASSERT_EQ(m.lines.size(), 51u);
  for (size_t n = 0; n < 50; ++n)
    EXPECT_TRUE(lines[m.lines[n] - 1].starts_with(fmt::format(".visible .entry t{}(", n))) << n;
  EXPECT_EQ(m.lines.back(), lines.size() + 1);
}

TEST(Hunt, StoreKeepsAndRefuses) {
  const Folder folder;
  const std::string path = folder / "h.db";
  {
    auto l = Ledger::open(path, 7, 4);
    ASSERT_TRUE(l.has_value());
    ASSERT_TRUE(l->add("ptxas-1.2.3 sm_90 -O3", 0, {"rfax", {{1, "no-membar", "st.release.gpu.global.u32@p1", "d"}}}));
    ASSERT_TRUE(l->keep({"s",
                         "no-membar",
                         "c",
                         "ptxas-1.2.3 sm_90 -O3",
                         "t",
                         "r",
                         "d",
                         "l",
                         "",
                         "",
                         "",
                         {{"ptxas-1.2.3 sm_90 -O0", "y"}}}));
  }
  auto l = Ledger::open(path, 7, 4);
  ASSERT_TRUE(l.has_value());
  EXPECT_TRUE(*l->has("ptxas-1.2.3 sm_90 -O3", 0));
  EXPECT_FALSE(*l->has("ptxas-1.2.3 sm_90 -O3", 1));
  EXPECT_FALSE(*l->has("ptxas-1.2.3 sm_90 -O0", 0));
  const auto s = summary_of(*l, path);
  ASSERT_TRUE(s.has_value());
  ASSERT_EQ(s->counts.size(), 1u);
  EXPECT_EQ(s->counts[0].second.fault, 1u);
  EXPECT_EQ(s->counts[0].second.refused, 1u);
  ASSERT_EQ(s->faults.size(), 1u);
  EXPECT_EQ(s->faults[0].table.at("ptxas-1.2.3 sm_90 -O0"), "y");
  EXPECT_FALSE(Ledger::open(path, 8, 4).has_value());
  // Programs of another version of the drawing do not go into the same store.
  EXPECT_FALSE(Ledger::open(path, 7, 4, "", "2").has_value());
  EXPECT_FALSE(Ledger::read(folder / "none.db").has_value());
  EXPECT_NE(text_of(*s).find("NEW FAULT"), std::string::npos);
  EXPECT_FALSE(report_files(*s).empty());
}

// Verdicts of two gates do not meet in one store.
TEST(Hunt, AStoreOfAnotherGateIsNotGoneOnWith) {
  const Folder folder;
  const std::string path = folder / "h.db";
  EXPECT_TRUE(Ledger::open(path, 7, 4).has_value());
  EXPECT_TRUE(Ledger::read(path)->is_of_this_gate());
  for (const char* sql : {"update meta set value = 'x' where key = 'gate'", "delete from meta where key = 'gate'"}) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(db);
    const auto l = Ledger::open(path, 7, 4);
    ASSERT_FALSE(l.has_value()) << sql;
    EXPECT_NE(l.error().list.front().message.find("the gate of another version"), std::string::npos);
    EXPECT_FALSE(Ledger::read(path)->is_of_this_gate());
  }
}

// A store that was changed by another hand is refused by the name of what cannot be read; nothing of it is left out.
TEST(Hunt, StoresThatAreDamagedAreRefused) {
  const Folder folder;
  const auto damaged = [&](const std::string& sql) {
    const std::string path = folder / "h.db";
    std::filesystem::remove(path);
    {
      auto l = Ledger::open(path, 7, 4);
      EXPECT_TRUE(l && l->add("ptxas-1.2.3 sm_90 -O3", 0, {"rfar", {{1, "no-membar", "membar.gl@p1", "d"}}}));
      EXPECT_TRUE(l && l->keep({"s", "no-membar", "c", "ptxas-1.2.3 sm_90 -O3", "t", "r", "d", "l", "", "", "", {}}));
    }
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(db);
    const auto l = Ledger::read(path);
    if (!l) return l.error().list.front().message;
    const auto s = summary_of(*l, path);
    return s ? std::string("read") : s.error().list.front().message;
  };
  EXPECT_EQ(damaged("select 1"), "read");
  for (const char* sql :
       {"update meta set value = 'x' where key = 'seed'", "delete from meta where key = 'seed'",
        "update meta set value = '99999999999999999999999' where key = 'batch'",
        "update meta set value = '0' where key = 'batch'", "update batches set states = 'qqqq'",
        "update batches set states = 'rr'", "update batches set states = x'00'", "update batches set batch = -1",
        "drop table findings", "drop table batches", "drop table faults", "update findings set test = -5",
        "update findings set effect = x'00ff'", "update faults set body = '{}'", "update faults set body = '[1'",
        "update faults set body = replace(body, 'no-membar', '../../evil')",
        "update faults set body = replace(body, ' -O3', '')", "update faults set body = replace(body, 'O3', 'O3;id')",
        "update faults set body = replace(body, 'ptxas-1.2.3 sm_90 -O3', '')"})
    EXPECT_NE(damaged(sql).find("cannot be read"), std::string::npos) << sql << ": " << damaged(sql);
  // Escape sequences of a terminal do not get out.
  EXPECT_EQ(damaged("update faults set signature = char(27) || '[31m'"), "read");
  const auto l = Ledger::read(folder / "h.db");
  EXPECT_EQ(text_of(*summary_of(*l, "h.db")).find('\x1b'), std::string::npos);
}

// A compiler that hangs is ended behind the budget, and what it was given counts as never tried.
TEST(Hunt, ACompilerThatHangsEndsWithTheBudget) {
  const Folder folder;
  const std::string path = folder / "ptxas";
  ASSERT_TRUE(write_file(path, "#!/bin/sh\nsleep 100\n"));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  Configuration c;
  c.compiler = {path, path, "1.2.3"};
  c.target = "sm_90";
  auto l = Ledger::open(folder / "h.db", 7, k_batch);
  ASSERT_TRUE(l.has_value());
  const auto begin = std::chrono::steady_clock::now();
  const auto all = fill(*l, {{c}, 7, 400, 1}, Job::with_budget(0.1), [](uint64_t, uint64_t) {});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  ASSERT_TRUE(all.has_value());
  EXPECT_FALSE(*all);
  EXPECT_TRUE(l->configurations()->empty());
}

// A compiler that compiles nothing is asked once, and not for each half of each batch.
TEST(Hunt, ACompilerThatCompilesNothingEndsTheHunt) {
  const Folder folder;
  const std::string path = folder / "ptxas";
  ASSERT_TRUE(write_file(path, "#!/bin/sh\necho >> " + std::string(folder / "asked") + "\necho no licence\nexit 1\n"));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  Configuration c;
  c.compiler = {path, path, "1.2.3"};
  c.target = "sm_90";
  auto l = Ledger::open(folder / "h.db", 7, k_batch);
  ASSERT_TRUE(l.has_value());
  const auto all = fill(*l, {{c}, 7, 400, 1}, Job(), [](uint64_t, uint64_t) {});
  ASSERT_FALSE(all.has_value());
  EXPECT_EQ(all.error().list.front().message,
            "ptxas-1.2.3 sm_90 -O3 compiles nothing: the compiler: it ended with status 1: no licence");
  EXPECT_EQ(std::filesystem::file_size(folder / "asked"), 1u);
  EXPECT_TRUE(l->configurations()->empty());
}

// A compiler that is gone when a fault is reduced leaves no fault in the store, which could not be read again.
TEST(Hunt, AFaultThatIsNotShownAgainIsNotKept) {
  const Folder folder;
  Configuration c;
  c.compiler = {folder / "none", folder / "none", "1.2.3"};
  c.target = "sm_90";
  auto l = Ledger::open(folder / "h.db", 7, k_batch);
  ASSERT_TRUE(l.has_value());
  const Row row{0, "no-invalidate", "atom.acquire.gpu.shared.add.u64@s1", "from ATOMS at 0x0 to LDG at 0x10"};
  ASSERT_TRUE(l->add(c.name(), 0, {std::string(k_batch, 'f'), {row}}).has_value());
  const auto done = reduce_all(*l, {{c}, 7, k_batch, 1}, Job());
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().list.front().message,
            "ptxas-1.2.3 sm_90 -O3: test 0 has no 'no-invalidate atom or red, a loop in shared memory, shared, scope "
            "above cta' when it is compiled again: failed: the compiler: it could not be started");
  const auto kept = l->faults();
  ASSERT_TRUE(kept.has_value());
  EXPECT_TRUE(kept->empty());
}

// An illegal instruction is known by name only when it is the one that is left, so that its test is no form of several.
TEST(Hunt, AnIllegalInstructionIsTheOneThatIsLeft) {
  const Folder folder;
  const std::string path = folder / "ptxas";
  ASSERT_TRUE(write_file(path, "#!/bin/sh\necho 'Illegal instruction found'; exit 1\n"));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  Configuration c;
  c.compiler = {path, path, "12.9.86"};
  c.target = "sm_80";
  auto l = Ledger::open(folder / "h.db", 7, k_batch);
  ASSERT_TRUE(l.has_value());
  const Row row{0, "illegal", "st.weak.global.u32@p1", "Illegal instruction found"};
  ASSERT_TRUE(l->add(c.name(), 0, {std::string(k_batch, 'f'), {row}}).has_value());
  ASSERT_TRUE(reduce_all(*l, {{c}, 7, k_batch, 1}, Job()).has_value());
  const auto kept = l->faults();
  ASSERT_TRUE(kept.has_value());
  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(parse_test(kept->front().reduced)->body.size(), 1u) << kept->front().reduced;
  EXPECT_EQ(kept->front().reduced, kept->front().culprit);
}

// A batch of which nothing ended in its time is made once more, alone; then it has failed by time-out, and the hunt
// goes on: load is no reason to say that a compiler compiles nothing.
TEST(HuntFill, ABatchThatTimesOutIsMadeAgainAlone) {
  const Folder folder;
  auto l = Ledger::open(folder / "h.db", 7, 2);
  ASSERT_TRUE(l.has_value());
  std::atomic<int> at_work = 0, most = 0, made = 0, alone = 0;
  const Filling filling{{"a", "b"}, 8, 2, 4};
  const auto all = fill_store(
      *l, filling, Job(), [](uint64_t, uint64_t) {},
      [&](size_t, uint64_t first) -> Expected<std::optional<Batch>> {
        const int now = ++at_work;
        if (now > most) most = now;
        ++made;
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        Batch b{"cc", {}, first == 4};
        if (first == 4 && at_work == 1) ++alone;
        --at_work;
        return std::optional(b);
      });
  ASSERT_TRUE(all.has_value());
  EXPECT_TRUE(*all);
  EXPECT_EQ(made, 10);  // 2 configurations of 4 batches, and one of each twice
  EXPECT_GT(most, 1);
  EXPECT_GE(alone, 2);
  EXPECT_TRUE(*l->has("a", 2));
  EXPECT_TRUE(*l->has("b", 2));
}

// The messages name what happened, test by test: a compiler that does not end is no compiler that compiles nothing.
TEST(Hunt, TimeOutsAreNamed) {
  const Folder folder;
  const std::string path = folder / "ptxas";
  ASSERT_TRUE(write_file(path, "#!/bin/sh\nexec sleep 100\n"));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  Configuration c;
  c.compiler = {path, path, "1.2.3"};
  c.compiler.run = std::chrono::seconds(1);
  c.target = "sm_90";
  const auto made = compile(c, {draw_test(1, 0), draw_test(1, 1)});
  for (const Compiled& m : made) {
    EXPECT_EQ(m.state, Compiled::State::failed);
    EXPECT_TRUE(m.timed_out);
    EXPECT_EQ(m.message, "time-out: no end within 1 s");
  }
}

// What a compiler says is kept without its control characters, and shortened.
TEST(Hunt, GarbageOfACompilerIsNotShown) {
  const Folder folder;
  const std::string path = folder / "ptxas";
  ASSERT_TRUE(write_file(path, "#!/bin/sh\nprintf '\\033[31m\\377'\nhead -c 5000 /dev/zero | tr '\\0' x\nexit 1\n"));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  Configuration c;
  c.compiler = {path, path, "1.2.3"};
  c.target = "sm_90";
  const auto made = compile(c, {*parse_test("ld.weak.global.u32@p1")});
  EXPECT_EQ(made.front().state, Compiled::State::failed);
  EXPECT_EQ(made.front().message.find('\x1b'), std::string::npos);
  EXPECT_EQ(made.front().message.find('\xff'), std::string::npos);
  EXPECT_LT(made.front().message.size(), 500u);
}

TEST(Hunt, RecordsAreJudgedWithoutACompiler) {
  const Sample r = ::recorded("generic-u64");
  const auto again = judge_recorded(fencepost::hunt::recorded(to_string(r.test), "sm_90", r.text));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->judged.verdict, "fault");
  EXPECT_EQ(again->judged.listing, r.text);
  for (const std::string bad : {"", "x", "ld.weak.global.u32@p1\n", "ld.weak.global.u32@p1\nsm_x\n0000 10 - 00 | NOP\n",
                                "ld.weak.global.u32@p1\nsm_90\n", "ld.weak.global.u32@p1\nsm_90\nzz | NOP\n"})
    EXPECT_FALSE(judge_recorded(bad).has_value()) << bad;
}

// Litmus tests of a lost acquire and a lost release: the fault, forms that are right, the relaxed control.
TEST(Hunt, FaultsBecomeLitmusTests) {
  const auto tests = [](const char* effect, const char* culprit, const char* test = "") {
    hunt::Fault f;
    f.effect = effect;
    f.culprit = culprit;
    f.reduced = test;
    return device_tests(f);
  };
  const auto acquire = tests("no-invalidate", "atom.acquire.gpu.shared.add.u64@s1");
  ASSERT_TRUE(acquire.has_value());
  ASSERT_EQ(acquire->size(), 4u);
  EXPECT_EQ((*acquire)[0].role, DeviceTest::Role::fault);
  EXPECT_EQ((*acquire)[0].text,
            "PTX MP+acquire+atom.acquire.gpu.shared.add.u64\n{ x = 0; y @ shared P1 = 0; }\n"
            " P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 ;\n"
            " st.weak x, 1               | atom.acquire.gpu.add r0, y, 0 ;\n"
            " st.release.gpu y, 1        | ld.weak r1, x ;\n"
            "exists (P1:r0 = 1 /\\ P1:r1 = 0)\n");
  EXPECT_NE((*acquire)[1].text.find("fence.acq_rel.gpu"), std::string::npos);
  EXPECT_NE((*acquire)[2].text.find("atom.acquire.gpu.cas r0, y, 0, 0 ;"), std::string::npos) << (*acquire)[2].text;
  EXPECT_EQ((*acquire)[3].role, DeviceTest::Role::control);
  EXPECT_EQ((*acquire)[3].text.find("fence"), std::string::npos);
  const auto release = tests("no-membar", "red.release.sys.shared.add.u64@t1");
  ASSERT_TRUE(release.has_value());
  EXPECT_NE((*release)[0].text.find(" red.release.sys.add y, 1 "), std::string::npos) << (*release)[0].text;
  EXPECT_NE((*release)[0].text.find("ld.acquire.sys r0, y"), std::string::npos) << (*release)[0].text;
  EXPECT_NE((*release)[2].text.find("atom.release.sys.exch r2, y, 1"), std::string::npos) << (*release)[2].text;
  // What `run` does not have is said, and no test stands for another.
  for (const char* culprit :
       {"atom.acquire.gpu.add.u64@u1", "atom.acquire.gpu.shared.add.f32@s1", "atom.acquire.gpu.shared.min.u64@s1",
        "atom.acquire.cta.shared.add.u64@s1", "atom.acquire.gpu.shared::cluster.add.u64@c1",
        "ld.acquire.gpu.global.v4.b64@p4", "fence.proxy.async"})
    EXPECT_FALSE(tests("no-invalidate", culprit).has_value()) << culprit;
  EXPECT_FALSE(tests("absent", "ld.weak.global.u64@p1").has_value());
  EXPECT_FALSE(tests("weaker", "st.relaxed.gpu.global.u32@p1").has_value());
  EXPECT_FALSE(tests("illegal", "fence.acquire.gpu").has_value());
  EXPECT_FALSE(tests("reordered", "ld.relaxed.gpu.global.b32@p1", "ld.weak.global.b32@q1; ld.relaxed.gpu.global.b32@p1")
                   .has_value());
}

TEST(Hunt, KnownFaultsHaveRules) {
  const auto known = [](const char* effect, const char* test, size_t culprit, const char* where) {
    return !known_fault(effect, *parse_test(test), culprit, where).empty();
  };
  const char *new90 = "ptxas-13.5.37 sm_90 -O3", *new80 = "ptxas-13.5.37 sm_80 -O3",
             *new100 = "ptxas-13.5.37 sm_100 -O3", *old100 = "ptxas-12.9.86 sm_100 -O3",
             *old80 = "ptxas-12.9.86 sm_80 -O3";
  EXPECT_TRUE(known("no-invalidate", "atom.acquire.gpu.shared.add.u64@s1", 0, new90));
  EXPECT_TRUE(known("no-membar", "red.release.gpu.shared.add.f32@t1", 0, new90));
  EXPECT_FALSE(known("no-invalidate", "atom.acquire.gpu.shared.add.u32@s1", 0, new90));
  EXPECT_TRUE(known("reordered", "st.weak.global.u32@p2; atom.acq_rel.gpu.shared.add.u64@s4", 1, new90));
  EXPECT_FALSE(known("reordered", "st.weak.global.u32@p2; atom.relaxed.gpu.shared.add.u64@s4", 1, new90));
  EXPECT_FALSE(known("no-invalidate", "atom.acquire.gpu.shared.add.u64@s1", 0, new80));
  const char* early = "atom.acquire.gpu.shared.add.u64@s1 unused; ld.weak.global.u32@p2";
  EXPECT_TRUE(known("overtaken", early, 0, new90));
  EXPECT_FALSE(known("overtaken", early, 0, new80));
  EXPECT_FALSE(known("overtaken", "atom.acquire.gpu.shared.add.u32@s1 unused; ld.weak.global.u32@p2", 0, new90));
  EXPECT_TRUE(known("operation", "atom.relaxed.gpu.shared.add.noftz.f16x2@s1=1 unused", 0, new80));
  EXPECT_TRUE(known("operation", "red.relaxed.gpu.shared.add.noftz.bf16x2@s1=1", 0, new90));
  EXPECT_FALSE(known("operation", "atom.relaxed.gpu.shared.add.noftz.f16x2@s1=1", 0, new80));
  EXPECT_FALSE(known("operation", "red.relaxed.gpu.shared.add.noftz.f16x2@s1", 0, new80));
  EXPECT_FALSE(known("operation", "red.relaxed.gpu.global.add.noftz.f16x2@p1=1", 0, new80));
  EXPECT_FALSE(known("weaker", "atom.acquire.gpu.shared.add.u64@s1", 0, new90));
  EXPECT_TRUE(known("no-invalidate", "atom.acquire.gpu.add.u64@u1", 0, new90));
  EXPECT_FALSE(known("no-membar", "atom.release.gpu.add.u64@u1", 0, new90));
  // Of an address that cvta.shared made ptxas makes the code of a generic one.
  const auto which = [&](const char* test) { return known_fault("no-invalidate", *parse_test(test), 0, new90); };
  EXPECT_EQ(which("atom.acquire.gpu.add.u64@h1"), which("atom.acquire.gpu.add.u64@u1"));
  EXPECT_NE(which("atom.acquire.gpu.add.u64@h1"), which("atom.acquire.gpu.shared.add.u64@s1"));
  EXPECT_TRUE(known("absent", "st.release.cluster.global.v8.b32@p4", 0, old100));
  EXPECT_FALSE(known("absent", "st.release.cluster.global.v8.b32@p4", 0, new100));
  EXPECT_FALSE(known("absent", "st.release.gpu.global.v8.b32@p4", 0, old100));
  EXPECT_TRUE(known("no-membar", "st.release.gpu.global.v8.b32@p4", 0, new100));
  EXPECT_FALSE(known("no-membar", "st.release.gpu.global.v4.b32@p4", 0, new100));
  const char* merged = "ld.weak.global.u32@p1; ld.acquire.gpu.global.u32@q2; ld.weak.global.u32@p1";
  EXPECT_TRUE(known("absent", merged, 2, new90));
  EXPECT_FALSE(known("absent", merged, 0, new90));
  EXPECT_FALSE(known("absent", merged, 1, new90));
  EXPECT_FALSE(known("absent", "ld.weak.global.u32@p1; ld.acquire.gpu.global.u32@q2; ld.weak.global.u32@p3", 2, new90));
  EXPECT_TRUE(known("reordered", "ld.relaxed.cta.b64@u3; ld.mmio.relaxed.sys.global.f64@p3", 1, new90));
  EXPECT_FALSE(known("reordered", "st.relaxed.cta.b64@u3; ld.mmio.relaxed.sys.global.f64@p3", 1, new90));
  EXPECT_TRUE(known("illegal", "fence.release.gpu; st.weak.global.u32@p1", 0, old80));
  EXPECT_FALSE(known("illegal", "fence.release.gpu; st.weak.global.u32@p1", 0, new90));
  EXPECT_TRUE(known("illegal", "fence.release.gpu; st.weak.global.u32@p1", 0, "ptxas-13.0.88 sm_80 -O3"));
}

// ---- with a compiler ----

// The first 400 tests of a seed: what the gate says of the machine code, and of the same with one thing taken away.
TEST(HuntLive, OneThingTakenAwayFromRealCode) {
  const char* ptxas = std::getenv("FENCEPOST_PTXAS");
  if (ptxas == nullptr || *ptxas == 0) GTEST_SKIP() << "FENCEPOST_PTXAS names no ptxas: the hunt is not tried on one";
  const auto compiler = open_compiler(ptxas, "");
  if (!compiler) GTEST_SKIP() << compiler.error().list.front().message;
  std::vector<PtxTest> tests;
  for (uint64_t n = 0; n < 400; ++n) tests.push_back(draw_test(77, n));
  uint32_t planted = 0, caught = 0;
  std::string missed;
  const auto compiled = compile({*compiler, "sm_90", 3}, tests);
  for (size_t n = 0; n < tests.size(); ++n) {
    if (compiled[n].state != Compiled::State::good) continue;
    const Sample r{tests[n], 90, record(compiled[n].machine)};
    const auto before = effects(r, r.text);
    if (has_fault(before)) continue;
    const auto lines = lines_of(r.text);
    for (size_t k = 0; k < lines.size(); ++k) {
      for (const auto& [from, to] :
           {std::pair<std::string, std::string>{"MEMBAR.", "NOP."}, {"CCTL.IVALL", "NOP"}, {".STRONG.", ".WEAK."}}) {
        const size_t at = lines[k].find(from);
        if (at == std::string::npos || lines[k].find("CAST") != std::string::npos) continue;
        auto changed = lines;
        changed[k].replace(at, from.size(), to);
        ++planted;
        if (effects(r, joined(changed)) != before)
          ++caught;
        else
          missed += to_string(tests[n]) + " | " + lines[k] + "\n";
      }
    }
  }
  std::cout << planted << " planted, " << caught << " caught; not caught:\n" << missed;
  EXPECT_GT(planted, 300u);
  EXPECT_EQ(caught, planted);
}

// Reduced by several threads at once: an order is between two accesses, and its sibling is the same operation.
TEST(HuntLive, OrdersAreBetweenAccessesAndHaveSiblings) {
  const char* ptxas = std::getenv("FENCEPOST_PTXAS");
  if (ptxas == nullptr || *ptxas == 0) GTEST_SKIP() << "FENCEPOST_PTXAS names no ptxas: the hunt is not tried on one";
  const auto compiler = open_compiler(ptxas, "");
  if (!compiler) GTEST_SKIP() << compiler.error().list.front().message;
  const Folder folder;
  auto l = Ledger::open(folder / "h.db", 99, k_batch);
  ASSERT_TRUE(l.has_value());
  Plan plan{{{*compiler, "sm_90", 3}}, 99, 200, 4};
  ASSERT_TRUE(fill(*l, plan, Job(), [](uint64_t, uint64_t) {}));
  ASSERT_TRUE(reduce_all(*l, plan, Job()));
  const auto faults = l->faults();
  ASSERT_TRUE(faults.has_value());
  size_t orders = 0;
  for (const hunt::Fault& f : *faults) {
    const bool known = f.signature.find("loop in shared memory, shared, scope above cta") != std::string::npos;
    if (!known || !f.signature.starts_with("no-")) continue;
    ++orders;
    const auto t = parse_test(f.reduced);
    ASSERT_TRUE(t.has_value());
    EXPECT_GE(t->body.size(), 2u) << f.reduced;
    EXPECT_EQ(f.detail.find("the end"), std::string::npos) << f.detail;
    EXPECT_EQ(f.detail.find("the begin"), std::string::npos) << f.detail;
    EXPECT_NE(f.right_where.find(".add.u32@"), std::string::npos) << f.right_where;
    EXPECT_FALSE(f.right_listing.empty());
    EXPECT_TRUE(f.toolkit.starts_with("ptxas V")) << f.toolkit;
  }
  EXPECT_GE(orders, 1u);
}
