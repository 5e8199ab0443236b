// Vulkan modules with their verdicts, the small ones by both engines.
#include "spirv_support.h"

namespace spirv_test {
namespace {

struct Case {
  const char* name;
  const char* grid;
  const char* question;
  std::vector<std::string> threads;
  Status condition;
  Status races;
  uint32_t bound = 2;
};

constexpr Status k_holds = Status::holds, k_fails = Status::fails;

std::string store(const char* at, const char* value, const char* scope = "%dv", const char* order = "%relaxed") {
  return std::string("OpAtomicStore ") + at + " " + scope + " " + order + " " + value + "\n";
}
std::string load(const char* name, const char* at, const char* scope = "%dv", const char* order = "%relaxed") {
  return std::string(name) + " = OpAtomicLoad %uint " + at + " " + scope + " " + order + "\n";
}
std::string plain_store(const char* at, const char* value) {
  return std::string("OpStore ") + at + " " + value + " MakePointerAvailable|NonPrivatePointer %dv\n";
}
std::string plain_load(const char* name, const char* at) {
  return std::string(name) + " = OpLoad %uint " + at + " MakePointerVisible|NonPrivatePointer %dv\n";
}
std::string keep(const char* at, const char* value) { return std::string("OpStore ") + at + " " + value + "\n"; }
std::string fence(const char* order, const char* scope = "%dv") {
  return std::string("OpMemoryBarrier ") + scope + " " + order + "\n";
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      // Message passing, by order and scope.
      {"mp_relaxed",
       "1, 1, 2",
       "exists (%out[0][0] == 1 and %out[0][1] == 0)",
       {store("%px", "%n1") + store("%py", "%n1"),
        load("%a", "%py") + load("%b", "%px") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_holds,
       k_holds},
      {"mp_release_acquire",
       "1, 1, 2",
       "exists (%out[0][0] == 1 and %out[0][1] == 0)",
       {store("%px", "%n1") + store("%py", "%n1", "%dv", "%release"),
        load("%a", "%py", "%dv", "%acquire") + load("%b", "%px") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_fails,
       k_holds},
      {"mp_release_only",
       "1, 1, 2",
       "exists (%out[0][0] == 1 and %out[0][1] == 0)",
       {store("%px", "%n1") + store("%py", "%n1", "%dv", "%release"),
        load("%a", "%py") + load("%b", "%px") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_holds,
       k_holds},
      {"mp_narrow_scope",
       "1, 1, 2",
       "exists (%out[0][0] == 1 and %out[0][1] == 0)",
       {store("%px", "%n1") + store("%py", "%n1", "%wg", "%release"),
        load("%a", "%py", "%wg", "%acquire") + load("%b", "%px") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_holds,
       k_fails},
      {"mp_workgroup_scope",
       "1, 2, 1",
       "exists (%out[0][0] == 1 and %out[0][1] == 0)",
       {store("%px", "%n1") + store("%py", "%n1", "%wg", "%release"),
        load("%a", "%py", "%wg", "%acquire") + load("%b", "%px") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_fails,
       k_holds},
      {"mp_subgroup_scope",
       "2, 1, 1",
       "exists (%out[0][0] == 1 and %out[0][1] == 0)",
       {store("%px", "%n1", "%sg") + store("%py", "%n1", "%sg", "%release"),
        load("%a", "%py", "%sg", "%acquire") + load("%b", "%px", "%sg") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_fails,
       k_holds},
      {"mp_queue_family",
       "1, 1, 1, 2",
       "exists (%out[0][0] == 1 and %out[0][1] == 0)",
       {store("%px", "%n1", "%qf") + store("%py", "%n1", "%qf", "%release"),
        load("%a", "%py", "%qf", "%acquire") + load("%b", "%px", "%qf") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_holds,
       k_fails},
      {"mp_fences",
       "1, 1, 2",
       "exists (%out[0][0] == 1 and %out[0][1] == 0)",
       {store("%px", "%n1") + fence("%release") + store("%py", "%n1"),
        load("%a", "%py") + fence("%acquire") + load("%b", "%px") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_fails,
       k_holds},
      {"mp_one_fence",
       "1, 1, 2",
       "exists (%out[0][0] == 1 and %out[0][1] == 0)",
       {store("%px", "%n1") + fence("%both") + store("%py", "%n1"),
        load("%a", "%py") + load("%b", "%px") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_holds,
       k_holds},
      {"mp_other_class",
       "1, 1, 2",
       "exists (%out[0][0] == 1 and %out[0][1] == 0)",
       {store("%px", "%n1") + store("%py", "%n1", "%dv", "%release_wg"),
        load("%a", "%py", "%dv", "%acquire_wg") + load("%b", "%px") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_holds,
       k_holds},
      // Data published by plain accesses.
      {"publish",
       "1, 1, 2",
       "forall (%out[0][0] == 0 or %out[0][1] == 1)",
       {plain_store("%px", "%n1") + store("%py", "%n1", "%dv", "%release"),
        load("%a", "%py", "%dv", "%acquire") + keep("%out0", "%a") +
            "%got = OpIEqual %bool %a %n1\nOpSelectionMerge %m None\nOpBranchConditional %got %yes %m\n%yes = "
            "OpLabel\n" +
            plain_load("%b", "%px") + keep("%out1", "%b") + "OpBranch %m\n%m = OpLabel\n"},
       k_holds,
       k_holds},
      {"publish_relaxed",
       "1, 1, 2",
       "forall (%out[0][0] == 0 or %out[0][1] == 1)",
       {plain_store("%px", "%n1") + store("%py", "%n1"),
        load("%a", "%py") + keep("%out0", "%a") +
            "%got = OpIEqual %bool %a %n1\nOpSelectionMerge %m None\nOpBranchConditional %got %yes %m\n%yes = "
            "OpLabel\n" +
            plain_load("%b", "%px") + keep("%out1", "%b") + "OpBranch %m\n%m = OpLabel\n"},
       k_fails,
       k_fails},
      {"publish_private",
       "1, 1, 2",
       "forall (%out[0][0] == 0 or %out[0][1] == 1)",
       {"OpStore %px %n1\n" + store("%py", "%n1", "%dv", "%release"),
        load("%a", "%py", "%dv", "%acquire") + keep("%out0", "%a") +
            "%got = OpIEqual %bool %a %n1\nOpSelectionMerge %m None\nOpBranchConditional %got %yes %m\n%yes = "
            "OpLabel\n" +
            "%b = OpLoad %uint %px\n" + keep("%out1", "%b") + "OpBranch %m\n%m = OpLabel\n"},
       k_fails,
       k_fails},
      {"race_on_plain",
       "1, 1, 2",
       "exists (%x[0][0] == 1)",
       {plain_store("%px", "%n1"), plain_store("%px", "%n2")},
       k_holds,
       k_fails},
      {"no_race_on_own_element",
       "1, 1, 2",
       "forall (%out[0][0] == 1 and %out[0][1] == 2)",
       {keep("%pout", "%n1"), keep("%pout", "%n2")},
       k_holds,
       k_holds},
      // Store buffering, load buffering, coherence, independent reads.
      {"sb",
       "1, 1, 2",
       "exists (%out[0][0] == 0 and %out[0][1] == 0)",
       {store("%px", "%n1", "%dv", "%release") + load("%a", "%py", "%dv", "%acquire") + keep("%out0", "%a"),
        store("%py", "%n1", "%dv", "%release") + load("%b", "%px", "%dv", "%acquire") + keep("%out1", "%b")},
       k_holds,
       k_holds},
      {"lb_relaxed",
       "1, 1, 2",
       "exists (%out[0][0] == 1 and %out[0][1] == 1)",
       {load("%a", "%py") + store("%px", "%n1") + keep("%out0", "%a"),
        load("%b", "%px") + store("%py", "%n1") + keep("%out1", "%b")},
       k_holds,
       k_holds},
      {"lb_acquire_release",
       "1, 1, 2",
       "exists (%out[0][0] == 1 and %out[0][1] == 1)",
       {load("%a", "%py", "%dv", "%acquire") + store("%px", "%n1", "%dv", "%release") + keep("%out0", "%a"),
        load("%b", "%px", "%dv", "%acquire") + store("%py", "%n1", "%dv", "%release") + keep("%out1", "%b")},
       k_fails,
       k_holds},
      {"corr",
       "1, 1, 2",
       "exists (%out[0][0] == 1 and %out[0][1] == 0)",
       {store("%px", "%n1"), load("%a", "%px") + load("%b", "%px") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_fails,
       k_holds},
      {"coww",
       "1, 1, 2",
       "exists (%x[0][0] == 1)",
       {store("%px", "%n1") + store("%px", "%n2"), load("%a", "%px")},
       k_fails,
       k_holds},
      {"iriw_acquire",
       "1, 1, 4",
       "exists (%out[0][0] == 1 and %out[0][1] == 0 and %out[0][2] == 1 and %out[0][3] == 0)",
       {store("%px", "%n1", "%dv", "%release"), store("%py", "%n1", "%dv", "%release"),
        load("%a", "%px", "%dv", "%acquire") + load("%b", "%py", "%dv", "%acquire") + keep("%out0", "%a") +
            keep("%out1", "%b"),
        load("%c", "%py", "%dv", "%acquire") + load("%d", "%px", "%dv", "%acquire") + keep("%out2", "%c") +
            keep("%out3", "%d")},
       k_holds,
       k_holds},
      // Atomic operations.
      {"increments",
       "1, 1, 3",
       "forall (%x[0][0] == 3)",
       {"%a = OpAtomicIIncrement %uint %px %dv %relaxed\n", "%b = OpAtomicIIncrement %uint %px %dv %relaxed\n",
        "%c = OpAtomicIAdd %uint %px %dv %relaxed %n1\n"},
       k_holds,
       k_holds},
      {"lost_update",
       "1, 1, 2",
       "forall (%x[0][0] == 2)",
       {load("%a", "%px") + "%a1 = OpIAdd %uint %a %n1\n" + store("%px", "%a1"),
        load("%b", "%px") + "%b1 = OpIAdd %uint %b %n1\n" + store("%px", "%b1")},
       k_fails,
       k_holds},
      {"exchange",
       "1, 1, 2",
       "forall (%out[0][0] == 0 or %out[0][1] == 0)",
       {"%a = OpAtomicExchange %uint %px %dv %relaxed %n1\n" + keep("%out0", "%a"),
        "%b = OpAtomicExchange %uint %px %dv %relaxed %n1\n" + keep("%out1", "%b")},
       k_holds,
       k_holds},
      {"winner",
       "1, 1, 2",
       "forall (%out[0][0] != %out[0][1])",
       {"%a = OpAtomicCompareExchange %uint %px %dv %relaxed %relaxed %n1 %n0\n" + keep("%out0", "%a"),
        "%b = OpAtomicCompareExchange %uint %px %dv %relaxed %relaxed %n1 %n0\n" + keep("%out1", "%b")},
       k_holds,
       k_holds},
      {"minmax",
       "1, 1, 2",
       "forall (%x[0][0] == 5 and %y[0][0] == 0)",
       {"%a = OpAtomicUMax %uint %px %dv %relaxed %n5\n%a2 = OpAtomicUMin %uint %py %dv %relaxed %n1\n",
        "%b = OpAtomicSMax %uint %px %dv %relaxed %n3\n%b2 = OpAtomicSMin %uint %py %dv %relaxed %n7\n"},
       k_holds,
       k_holds},
      {"bits",
       "1, 1, 2",
       "forall (%x[0][0] == 6)",
       {"%a = OpAtomicOr %uint %px %dv %relaxed %n4\n",
        "%b = OpAtomicXor %uint %px %dv %relaxed %n2\n%c = OpAtomicAnd %uint %px %dv %relaxed %n7\n"},
       k_holds,
       k_holds},
      {"decrement",
       "1, 1, 2",
       "forall (%x[0][0] == -3)",
       {"%a = OpAtomicIDecrement %uint %px %dv %relaxed\n", "%b = OpAtomicISub %uint %px %dv %relaxed %n2\n"},
       k_holds,
       k_holds},
      {"release_sequence",
       "1, 1, 3",
       "exists (%out[0][0] == 2 and %out[0][1] == 0)",
       {store("%px", "%n1") + store("%py", "%n1", "%dv", "%release"), "%i = OpAtomicIAdd %uint %py %dv %relaxed %n1\n",
        load("%a", "%py", "%dv", "%acquire") + load("%b", "%px") + keep("%out0", "%a") + keep("%out1", "%b")},
       k_fails,
       k_holds},
  };
  return all;
}

std::string module_of(const Case& c) {
  return vulkan_threads(std::string("; @Config: ") + c.grid + "\n; @Output: " + c.question + "\n", c.threads);
}

TEST(SpirvVerdicts, Vulkan) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const prog::Test t = read(module_of(c));
    EXPECT_EQ(verdict(t, check::Property::condition, c.bound), c.condition);
    EXPECT_EQ(verdict(t, check::Property::races, c.bound), c.races);
  }
}

TEST(SpirvVerdicts, EnginesAgree) {
  int compared = 0;
  for (const Case& c : cases()) {
    if (c.threads.size() != 2) continue;
    SCOPED_TRACE(c.name);
    const prog::Test t = read(module_of(c));
    EXPECT_EQ(verdict(t, check::Property::condition, c.bound, check::Engine::both), c.condition);
    ++compared;
  }
  EXPECT_GE(compared, 20);
}

// The names of invocations and their order in the text mean nothing.
TEST(SpirvVerdicts, SwappedThreadsSameVerdict) {
  for (const Case& c : cases()) {
    if (c.threads.size() != 2 || std::string(c.question).find("out") == std::string::npos) continue;
    if (c.threads[0].find("%pout") != std::string::npos) continue;
    SCOPED_TRACE(c.name);
    Case swapped = c;
    std::swap(swapped.threads[0], swapped.threads[1]);
    EXPECT_EQ(verdict(read(module_of(swapped)), check::Property::condition, c.bound), c.condition);
    EXPECT_EQ(verdict(read(module_of(swapped)), check::Property::races, c.bound), c.races);
  }
}

// ---- barriers ------------------------------------------------------------------------------------------

const char* const k_exchange_by_barrier = R"(
%mine = OpAccessChain %pw %shared %local
%value = OpIAdd %uint %local %n1
OpStore %mine %value NonPrivatePointer
OpControlBarrier %wg %wg SEMANTICS
%other_index = OpISub %uint %n1 %local
%theirs = OpAccessChain %pw %shared %other_index
%got = OpLoad %uint %theirs NonPrivatePointer
OpStore %pout %got
)";

std::string exchange(const std::string& semantics, const std::string& grid) {
  std::string code = k_exchange_by_barrier;
  code.replace(code.find("SEMANTICS"), 9, semantics);
  return vulkan_all("; @Config: " + grid + "\n; @Output: forall (%out[0][0] == 2 and %out[0][1] == 1)\n", code);
}

TEST(SpirvVerdicts, ControlBarrierOrdersSharedMemory) {
  EXPECT_EQ(ask(exchange("%both_wg", "2, 1, 1")), k_holds);
  EXPECT_EQ(races(exchange("%both_wg", "2, 1, 1")), k_holds);
  EXPECT_EQ(races(exchange("%both_wg", "1, 2, 1")), k_holds);
  EXPECT_EQ(races(exchange("%both", "2, 1, 1")), k_fails);     // covers buffers, not workgroup memory
  EXPECT_EQ(races(exchange("%relaxed", "2, 1, 1")), k_fails);  // waits and orders nothing
}

TEST(SpirvVerdicts, EachWorkgroupHasItsOwnSharedMemory) {
  const std::string code = "%i = OpAtomicIIncrement %uint %ps %wg %relaxed\nOpStore %pout %i\n";
  EXPECT_EQ(
      ask(vulkan_all("; @Config: 1, 1, 2\n; @Output: forall (%out[0][0] == %out[0][1])\n", "OpStore %ps %n0\n" + code)),
      k_holds);
  EXPECT_EQ(ask(vulkan_all("; @Config: 1, 1, 2\n; @Output: forall (%out[0][0] == 0)\n", code)),
            k_fails);  // starts undefined
}

TEST(SpirvVerdicts, BarriersOfDifferentWorkgroupsDoNotMeet) {
  const std::string code =
      "OpAtomicStore %px %dv %relaxed %n1\nOpControlBarrier %wg %dv %both\n%a = OpAtomicLoad %uint %px %dv "
      "%relaxed\nOpStore %pout %a\n";
  EXPECT_EQ(races(vulkan_all("; @Config: 1, 1, 2\n", code)), k_holds);
  const std::string half = R"(
%first = OpIEqual %bool %id %n0
OpSelectionMerge %m None
OpBranchConditional %first %w %m
%w = OpLabel
OpStore %px %n1 NonPrivatePointer
OpBranch %m
%m = OpLabel
OpControlBarrier %wg %dv %both
%a = OpLoad %uint %px NonPrivatePointer
OpStore %pout %a
)";
  EXPECT_EQ(races(vulkan_all("; @Config: 2, 1, 1\n", half)), k_holds);
  EXPECT_EQ(races(vulkan_all("; @Config: 1, 1, 2\n", half)), k_fails);
}

TEST(SpirvVerdicts, SubgroupBarrier) {
  const std::string code = R"(
%first = OpIEqual %bool %id %n0
OpSelectionMerge %m None
OpBranchConditional %first %w %m
%w = OpLabel
OpStore %px %n1 NonPrivatePointer
OpBranch %m
%m = OpLabel
OpControlBarrier %sg %dv %both
%a = OpLoad %uint %px NonPrivatePointer
)";
  EXPECT_EQ(races(vulkan_all("; @Config: 2, 1, 1\n", code)), k_holds);
  EXPECT_EQ(races(vulkan_all("; @Config: 1, 2, 1\n", code)), k_fails);
}

TEST(SpirvVerdicts, BarrierInALoopMeetsItselfTurnByTurn) {
  const std::string code = R"(
OpBranch %head
%head = OpLabel
%k = OpPhi %uint %n0 %entry %next %head
%mine = OpAccessChain %pw %shared %local
OpStore %mine %k NonPrivatePointer
OpControlBarrier %wg %wg %both_wg
%other_index = OpISub %uint %n1 %local
%theirs = OpAccessChain %pw %shared %other_index
%got = OpLoad %uint %theirs NonPrivatePointer
OpControlBarrier %wg %wg %both_wg
%next = OpIAdd %uint %k %n1
%more = OpULessThan %bool %next %n2
OpLoopMerge %done %head None
OpBranchConditional %more %head %done
%done = OpLabel
OpStore %pout %got
)";
  const std::string text =
      vulkan_all("; @Config: 2, 1, 1\n; @Output: forall (%out[0][0] == 1 and %out[0][1] == 1)\n", code);
  EXPECT_EQ(ask(text, 2), k_holds);
  EXPECT_EQ(races(text, 2), k_holds);
  EXPECT_EQ(ask(text, 1), Status::unknown);
}

// Locks are asked for what each holder saw: the Vulkan model does not tie the order of coherence to that of plain
// writes.

// ---- loops and locks -----------------------------------------------------------------------------------

const char* const k_spin = R"(
OpBranch %head
%head = OpLabel
%seen = OpAtomicLoad %uint %py %dv ORDER
%wait = OpIEqual %bool %seen %n0
OpLoopMerge %done %head None
OpBranchConditional %wait %head %done
%done = OpLabel
%data = OpLoad %uint %px MakePointerVisible|NonPrivatePointer %dv
OpStore %out0 %data
)";

std::string spin(const std::string& order) {
  std::string code = k_spin;
  code.replace(code.find("ORDER"), 5, order);
  const size_t entry = code.find("OpBranch %head");
  code.erase(entry, std::string("OpBranch %head\n").size());
  return vulkan_threads(
      "; @Config: 1, 1, 2\n; @Output: forall (%out[0][0] == 7)\n",
      {"OpStore %px %n7 MakePointerAvailable|NonPrivatePointer %dv\nOpAtomicStore %py %dv %release %n1\n",
       "OpBranch %head\n" + code});
}

TEST(SpirvVerdicts, SpinLoopIsDecidedAtBoundOne) {
  EXPECT_EQ(ask(spin("%acquire"), 1), k_holds);
  EXPECT_EQ(races(spin("%acquire"), 1), k_holds);
  EXPECT_EQ(ask(spin("%relaxed"), 1), k_fails);
  EXPECT_EQ(races(spin("%relaxed"), 1), k_fails);
}

std::string cas_lock(const std::string& acquire, const std::string& release, const std::string& grid = "1, 1, 2") {
  return vulkan_all("; @Config: " + grid + "\n; @Output: forall (%out[0][0] != %out[0][1])\n", R"(
OpBranch %head
%head = OpLabel
%old = OpAtomicCompareExchange %uint %py %dv )" + acquire + " " + (acquire == "%relaxed" ? "%relaxed" : "%acquire") +
                                                                                                   R"( %n1 %n0
%taken = OpINotEqual %bool %old %n0
OpLoopMerge %go %head None
OpBranchConditional %taken %head %go
%go = OpLabel
%v = OpLoad %uint %px MakePointerVisible|NonPrivatePointer %dv
%w = OpIAdd %uint %v %n1
OpStore %px %w MakePointerAvailable|NonPrivatePointer %dv
OpStore %pout %v
OpAtomicStore %py %dv )" + release + " %n0\n");
}

TEST(SpirvVerdicts, CompareExchangeLock) {
  EXPECT_EQ(ask(cas_lock("%acquire", "%release"), 1), k_holds);
  EXPECT_EQ(races(cas_lock("%acquire", "%release"), 1), k_holds);
  EXPECT_EQ(ask(cas_lock("%relaxed", "%release"), 1), k_fails);
  EXPECT_EQ(races(cas_lock("%acquire", "%relaxed"), 1), k_fails);
  EXPECT_EQ(races(cas_lock("%acquire", "%release", "2, 1, 1"), 1), k_holds);
}

std::string ticket_lock(const std::string& acquire) {
  return vulkan_all("; @Config: 1, 1, 2\n; @Output: forall (%out[0][0] != %out[0][1])\n", R"(
%ticket = OpAtomicIAdd %uint %pz %dv %relaxed %n1
OpBranch %head
%head = OpLabel
%now = OpAtomicLoad %uint %py %dv )" + acquire + R"(
%mine = OpIEqual %bool %now %ticket
OpLoopMerge %go %head None
OpBranchConditional %mine %go %head
%go = OpLabel
%v = OpLoad %uint %px MakePointerVisible|NonPrivatePointer %dv
%w = OpIAdd %uint %v %n1
OpStore %px %w MakePointerAvailable|NonPrivatePointer %dv
OpStore %pout %v
%n = OpIAdd %uint %ticket %n1
OpAtomicStore %py %dv %release %n
)");
}

TEST(SpirvVerdicts, TicketLock) {
  EXPECT_EQ(ask(ticket_lock("%acquire"), 1), k_holds);
  EXPECT_EQ(races(ticket_lock("%acquire"), 1), k_holds);
  EXPECT_EQ(ask(ticket_lock("%relaxed"), 1), k_fails);
}

// A test-and-test-and-set lock: a loop with a spin in it, made one by the compiler.
TEST(SpirvVerdicts, ExchangeLockCountsOnlyFailedExchanges) {
  const std::string text = vulkan_all("; @Config: 1, 1, 2\n; @Output: forall (%out[0][0] != %out[0][1])\n", R"(
OpBranch %head
%head = OpLabel
%seen = OpAtomicLoad %uint %py %dv %relaxed
%free = OpIEqual %bool %seen %n0
OpLoopMerge %go %latch None
OpBranch %body
%body = OpLabel
OpSelectionMerge %join None
OpBranchConditional %free %try %join
%try = OpLabel
%old = OpAtomicExchange %uint %py %dv %acquire %n1
%failed = OpINotEqual %bool %old %n0
OpBranch %join
%join = OpLabel
%again = OpPhi %bool %failed %try %true %body
OpBranchConditional %again %latch %go
%latch = OpLabel
OpBranch %head
%go = OpLabel
%v = OpLoad %uint %px MakePointerVisible|NonPrivatePointer %dv
%w = OpIAdd %uint %v %n1
OpStore %px %w MakePointerAvailable|NonPrivatePointer %dv
OpStore %pout %v
OpAtomicStore %py %dv %release %n0
)");
  EXPECT_EQ(ask(text, 2), k_holds);
  EXPECT_EQ(races(text, 2), k_holds);
}

// With `body` nothing but arithmetic, a loop over constants is computed while it is lowered.
std::string counted(const std::string& body) {
  return vulkan_all("; @Config: 1, 1, 1\n; @Output: forall (%out[0][0] == 6)\n", R"(
OpBranch %head
%head = OpLabel
%k = OpPhi %uint %n0 %entry %k1 %body
%sum = OpPhi %uint %n0 %entry %sum1 %body
%more = OpULessThan %bool %k %n4
OpLoopMerge %done %body None
OpBranchConditional %more %body %done
%body = OpLabel
)" + body + R"(
%sum1 = OpIAdd %uint %sum %k
%k1 = OpIAdd %uint %k %n1
OpBranch %head
%done = OpLabel
OpStore %out0 %sum
)");
}

TEST(SpirvVerdicts, CountedLoop) {
  const std::string text = counted("%slot = OpAccessChain %p %x %n0 %k\nOpStore %slot %k\n");
  EXPECT_EQ(ask(text, 5), k_holds);  // four times back to the test
  EXPECT_EQ(ask(text, 4), Status::unknown);
  EXPECT_EQ(ask(counted(""), 1), k_holds);
}

// ---- OpenCL --------------------------------------------------------------------------------------------

TEST(SpirvVerdicts, OpenclMessagePassing) {
  const auto mp = [](const char* store, const char* load, const char* scope, const char* grid) {
    return opencl_threads(
        std::string("; @Config: ") + grid + "\n; @Output: exists (%out[0] == 1 and %out[1] == 0)\n",
        {std::string("OpAtomicStore %x ") + scope + " %relaxed %n1\nOpAtomicStore %y " + scope + " " + store + " %n1\n",
         std::string("%a = OpAtomicLoad %uint %y ") + scope + " " + load + "\n%b = OpAtomicLoad %uint %x " + scope +
             " %relaxed\nOpStore %out %a\n%o1 = OpInBoundsPtrAccessChain %p %out %n1\nOpStore %o1 %b\n"});
  };
  EXPECT_EQ(ask(mp("%release", "%acquire", "%dv", "1, 1, 2")), k_fails);
  EXPECT_EQ(ask(mp("%relaxed", "%acquire", "%dv", "1, 1, 2")), k_holds);
  EXPECT_EQ(ask(mp("%sc", "%sc", "%dv", "1, 1, 2")), k_fails);
  EXPECT_EQ(ask(mp("%release", "%acquire", "%wg", "1, 1, 2")), k_holds);
  EXPECT_EQ(ask(mp("%release", "%acquire", "%wg", "2, 1, 1")), k_fails);
  EXPECT_EQ(ask(mp("%release", "%acquire", "%all", "1, 1, 2")), k_fails);
}

TEST(SpirvVerdicts, OpenclStoreBuffering) {
  const auto sb = [](const char* order) {
    return opencl_threads("; @Config: 1, 1, 2\n; @Output: exists (%out[0] == 0 and %out[1] == 0)\n",
                          {std::string("OpAtomicStore %x %dv ") + order + " %n1\n%a = OpAtomicLoad %uint %y %dv " +
                               order + "\nOpStore %out %a\n",
                           std::string("OpAtomicStore %y %dv ") + order + " %n1\n%b = OpAtomicLoad %uint %x %dv " +
                               order + "\n%o1 = OpInBoundsPtrAccessChain %p %out %n1\nOpStore %o1 %b\n"});
  };
  EXPECT_EQ(ask(sb("%sc")), k_fails);
  EXPECT_EQ(ask(sb("%relaxed")), k_holds);
}

TEST(SpirvVerdicts, OpenclBarrierByRegion) {
  const auto share = [](const char* semantics) {
    return opencl_all("; @Config: 2, 1, 1\n; @Output: forall (%out[0] == 2 and %out[1] == 1)\n", std::string(R"(
%mine = OpInBoundsPtrAccessChain %pw %l %local
%value = OpIAdd %uint %local %n1
OpStore %mine %value
OpControlBarrier %wg %wg )") + semantics + R"(
%index = OpISub %uint %n1 %local
%theirs = OpInBoundsPtrAccessChain %pw %l %index
%got = OpLoad %uint %theirs
OpStore %pout %got
)");
  };
  EXPECT_EQ(races(share("%both_local")), k_holds);
  EXPECT_EQ(ask(share("%both_local")), k_holds);
  EXPECT_EQ(races(share("%both")), k_fails);  // the barrier covers global memory, and the data is local
}

TEST(SpirvVerdicts, OpenclPlainAccessesRace) {
  EXPECT_EQ(races(opencl_all("; @Config: 1, 1, 2\n", "OpStore %x %id\n")), k_fails);
  EXPECT_EQ(races(opencl_all("; @Config: 1, 1, 2\n", "OpStore %pout %id\n")), k_holds);
  EXPECT_EQ(races(opencl_all("; @Config: 1, 1, 2\n", "%a = OpAtomicIIncrement %uint %x %dv %relaxed\n")), k_holds);
  EXPECT_EQ(races(opencl_all("; @Config: 1, 1, 2\n", "%a = OpAtomicIIncrement %uint %x %wg %relaxed\n")), k_fails);
}

// A plain read of an object that is not atomic takes a visible side effect, also beside a race, as in litmus tests
// (tests/corpus/opencl/racing-plain-read). An object that is accessed atomically somewhere is an atomic object.
TEST(SpirvVerdicts, OpenclPlainReadsTakeVisibleSideEffects) {
  const auto read = [](const char* store) {
    return opencl_threads("; @Config: 1, 1, 2\n; @Output: exists (%out[0] == 1)\n",
                          {store, "%a = OpLoad %uint %x\nOpStore %out %a\n"});
  };
  EXPECT_EQ(ask(read("OpStore %x %n1\n")), k_fails);
  EXPECT_EQ(ask(read("OpAtomicStore %x %dv %relaxed %n1\n")), k_holds);
}

// Plain accesses carry no synchronisation in OpenCL, fences around them or not.
TEST(SpirvVerdicts, OpenclFencesAroundPlainAccessesDoNotSynchronise) {
  EXPECT_EQ(races(opencl_threads("; @Config: 1, 1, 2\n",
                                 {"OpStore %x %n1\nOpMemoryBarrier %dv %release\nOpStore %y %n1\n",
                                  "%a = OpLoad %uint %y\nOpMemoryBarrier %dv %acquire\n%b = OpLoad %uint %x\n"})),
            k_fails);
}

TEST(SpirvVerdicts, OpenclCallsAreInlined) {
  const std::string functions = R"(
%inc = OpFunction %void None %fn1
%q = OpFunctionParameter %p
%b = OpLabel
%slot = OpVariable %pp Function
OpStore %slot %q
%q2 = OpLoad %p %slot
%v = OpAtomicIAdd %uint %q2 %dv %relaxed %n1
OpReturn
OpFunctionEnd
)";
  const std::string text =
      opencl_all("; @Config: 1, 1, 2\n; @Output: forall (%x[0] == 4 and %out[1] == 0)\n",
                 "%c1 = OpFunctionCall %void %inc %x\n%c2 = OpFunctionCall %void %inc %x\n", functions);
  EXPECT_EQ(ask(text), k_holds);
}

}  // namespace
}  // namespace spirv_test
