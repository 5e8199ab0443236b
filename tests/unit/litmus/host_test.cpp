// Threads of the host in PTX tests: places, instructions of x86, printing back, and what is refused.
#include <gtest/gtest.h>

#include "print/litmus.h"
#include "prog/test.h"
#include "prog/weaken.h"
#include "read/read.h"

namespace fencepost::litmus {
namespace {

using vocab::Tag;

Expected<prog::Test> read(const std::string& t) { return read::parse_one(make_source("t.litmus", t)); }

// P0 on a GPU, P1 on the host.
std::string text(const std::string& code, const std::string& place = "host") {
  return "PTX t\n{ x = 0; y = 0; }\n P0@cta 0,gpu 0 | P1@" + place + " ;\n" + code + "exists (P1:r0 = 1)\n";
}
std::string one(const std::string& instruction) { return text(" ld.relaxed.sys r0, x | " + instruction + " ;\n"); }
std::string message(const std::string& t) {
  const auto read_back = read(t);
  EXPECT_FALSE(read_back) << t;
  return read_back ? "" : read_back.error().list.front().message;
}

TEST(Hosts, AThreadIsInTheSystemAndInNoGroup) {
  const auto t = read(text(" st.relaxed.sys x, 1 | mov r0, [x] ;\n"));
  ASSERT_TRUE(t) << render(t.error());
  EXPECT_TRUE(t->threads[1].host);
  EXPECT_FALSE(t->threads[0].host);
  EXPECT_EQ(prog::host_thread(*t), &t->threads[1]);
  EXPECT_EQ(t->threads[1].scope, prog::ScopePath{0});
  EXPECT_TRUE(prog::same_scope(t->threads[0], t->threads[1], 0));
  for (const uint32_t level : {1u, 2u, vocab::k_level_cluster})
    EXPECT_FALSE(prog::same_scope(t->threads[0], t->threads[1], level)) << level;
  EXPECT_EQ(prog::needs_ptx9(*t), nullptr);
}

TEST(Hosts, InstructionsAreEventsOfX86) {
  const auto t =
      read(text(" | mov r0, [x] ;\n | mov [y], 2 ;\n | mov r1, 5 ;\n | mfence ;\n | lock xadd [x], r1 ;\n"
                " | xchg [y], r0 ;\n | lock or [x], r1 ;\n"));
  ASSERT_TRUE(t) << render(t.error());
  std::string kinds;
  for (const prog::Instr& i : t->instrs(1)) {
    kinds += std::string(kinds.empty() ? "" : " ") + name(i.kind) + (i.hidden ? "*" : "");
    EXPECT_EQ(i.tags.has(Tag::HOST), i.kind != prog::Kind::local) << i.mnemonic;
    EXPECT_EQ(i.tags.has(Tag::SYS), i.kind != prog::Kind::local) << i.mnemonic;
    if (i.kind == prog::Kind::fence) EXPECT_TRUE(i.tags.has(Tag::SC));
    if (i.kind == prog::Kind::load || i.kind == prog::Kind::rmw) EXPECT_TRUE(i.tags.has(Tag::ACQ));
    if (i.kind == prog::Kind::store) EXPECT_TRUE(i.tags.has(Tag::REL));
    if (i.kind == prog::Kind::rmw) EXPECT_TRUE(i.store_tags.has(Tag::REL) && i.store_tags.has(Tag::HOST));
  }
  EXPECT_EQ(kinds, "load store local fence fence* rmw fence* fence* rmw fence* fence* rmw fence*");
  const std::string printed = print::print(*t);
  for (const char* line : {"P1@host", "mov r0, [x]", "mov [y], 2", "mov r1, 5", "mfence", "lock xadd [x], r1",
                           "xchg [y], r0", "lock or [x], r1"})
    EXPECT_NE(printed.find(line), std::string::npos) << printed;
  const auto back = read(printed);
  ASSERT_TRUE(back) << render(back.error());
  EXPECT_EQ(*back, *t);
}

TEST(Hosts, OneMachineHasNotTheOthersInstructions) {
  EXPECT_EQ(message(one("st.relaxed.sys x, 1")),
            "'st.relaxed.sys' is not an instruction of x86: modifiers with dots are PTX's");
  EXPECT_EQ(message(one("fence")), "'fence' is not an instruction of x86 that threads of the host may have");
  EXPECT_EQ(message(one("lfence")), "'lfence' is not an instruction of x86 that threads of the host may have");
  EXPECT_EQ(message(one("lock cmpxchg [x], r1")),
            "'lock cmpxchg' is not an instruction that threads of the host may have");
  EXPECT_EQ(message(one("mov r0, x")), "expected a constant or a register, found 'x'");
  EXPECT_EQ(message(one("xchg [x], 1")), "expected a register, found '1'");
  EXPECT_EQ(message(text(" mfence | mfence ;\n")), "'mfence' is an instruction of x86, and this thread is on a GPU");
  EXPECT_EQ(message(text(" | ;\n", "hots")), "there is no scope level 'hots'");
  EXPECT_EQ(message(text(" | ;\n", "host, gpu 0")), "expected ';', found ','");
  EXPECT_EQ(message("VULKAN t\n{ x = 0; }\n P0@host ;\n st.sc0 x, 1 ;\nexists (x = 1)\n"),
            "there is no scope level 'host'");
}

TEST(Hosts, BesideClustersTheyNameNone) {
  const auto t = read(
      "PTX t\n{ x = 0; }\n P0@cta 0, cluster 0, gpu 0 | P1@host ;\n st.relaxed.sys x, 1 | mov r0, [x] ;\n"
      "exists (P1:r0 = 1)\n");
  ASSERT_TRUE(t) << render(t.error());
}

// A fence of the host is there or not, and what is put between two accesses is x86's.
TEST(Hosts, FencesAreStrengthenedAndWeakenedAsX86Has) {
  const auto t = read(text(" st.weak x, 1 | mov [y], 1 ;\n | mfence ;\n | mov r0, [x] ;\n | xchg [x], r0 ;\n"));
  ASSERT_TRUE(t) << render(t.error());
  size_t fences = 0;
  for (const prog::Site& s : prog::weakening_sites(*t, {})) {
    if (s.at().thread != 1) continue;
    ++fences;
    ASSERT_EQ(s.forms.size(), 2u);
    EXPECT_EQ(s.forms[0].text, "mfence");
    EXPECT_EQ(s.forms[1].text, "nothing");
  }
  EXPECT_EQ(fences, 1u);
  size_t gaps = 0;
  for (const prog::Site& s : prog::strengthening_sites(*t, {})) {
    if (s.at().thread != 1) continue;
    EXPECT_TRUE(s.gap);
    ++gaps;
    ASSERT_EQ(s.forms.size(), 2u);
    EXPECT_EQ(s.forms[1].text, "mfence");
    prog::Variant v = prog::apply(*t, {s}, {1});
    const auto back = read(print::print(v.test));
    ASSERT_TRUE(back) << render(back.error());
    EXPECT_EQ(*back, v.test) << print::print(v.test);
  }
  EXPECT_EQ(gaps, 1u) << "a locked operation is fenced as it is";
}

}  // namespace
}  // namespace fencepost::litmus
