// Compare-exchanges whose orders differ between success and failure: the read is ordered as the case that happened
// says.
#include <random>

#include "spirv_support.h"

namespace spirv_test {
namespace {

constexpr Status k_holds = Status::holds, k_fails = Status::fails;

// Thread 0 writes x and releases y := 1. Thread 1 compares y with `expected`, and looks at x when the exchange has
// found 1.
std::string message(bool opencl, const char* expected, const char* equal, const char* unequal) {
  const std::string header =
      "; @Config: 1, 1, 2\n; @Output: not exists (%out[0]" + std::string(opencl ? "" : "[0]") + " == 7)\n";
  const std::string test = std::string("%old = OpAtomicCompareExchange %uint ") + (opencl ? "%y" : "%py") + " %dv " +
                           equal + " " + unequal + " %n2 " + expected +
                           "\n%one = OpIEqual %bool %old %n1\nOpSelectionMerge %after None\nOpBranchConditional %one "
                           "%look %after\n%look = OpLabel\n";
  if (opencl)
    return opencl_threads(header,
                          {"OpStore %x %n1\nOpAtomicStore %y %dv %release %n1\n",
                           test + "%v = OpLoad %uint %x\nOpStore %out %v\nOpBranch %after\n%after = OpLabel\n"});
  return vulkan_threads(
      header,
      {"OpStore %px %n1 MakePointerAvailable|NonPrivatePointer %dv\nOpAtomicStore %py %dv %release %n1\n",
       test + "%v = OpLoad %uint %px MakePointerVisible|NonPrivatePointer %dv\nOpBranch %after\n%after = OpLabel\n"});
}

TEST(SpirvExchange, OnlyTheCaseThatHappenedIsOrdered) {
  for (const bool opencl : {true, false})
    for (const check::Engine engine : {check::Engine::enumerate, check::Engine::solve}) {
      SCOPED_TRACE(opencl ? "OpenCL" : "Vulkan");
      // Expected 1: who finds 1 has succeeded.
      EXPECT_EQ(races(message(opencl, "%n1", "%acquire", "%relaxed"), 2, engine), k_holds);
      EXPECT_EQ(races(message(opencl, "%n1", "%relaxed", "%relaxed"), 2, engine), k_fails);
      // Expected 0: who finds 1 has failed.
      EXPECT_EQ(races(message(opencl, "%n0", "%acquire", "%relaxed"), 2, engine), k_fails);
      EXPECT_EQ(races(message(opencl, "%n0", "%acquire", "%acquire"), 2, engine), k_holds);
      EXPECT_EQ(races(message(opencl, "%n0", "%both", "%acquire"), 2, engine), k_holds);
      EXPECT_EQ(races(message(opencl, "%n0", "%both", "%relaxed"), 2, engine), k_fails);
      // The other way round, which C does not have and SPIR-V does not forbid here.
      EXPECT_EQ(races(message(opencl, "%n0", "%relaxed", "%acquire"), 2, engine), k_holds);
      EXPECT_EQ(races(message(opencl, "%n1", "%relaxed", "%acquire"), 2, engine), k_fails);
    }
}

TEST(SpirvExchange, FailedTagsAreOfTheRead) {
  const prog::Test t = read(message(true, "%n0", "%both", "%relaxed"));
  int seen = 0;
  for (const prog::Template& templ : t.templates)
    for (const prog::Instr& i : templ.code)
      if (i.kind == prog::Kind::rmw) {
        ++seen;
        EXPECT_TRUE(i.tags.has(Tag::ACQ));
        EXPECT_TRUE(i.store_tags.has(Tag::REL));
        ASSERT_TRUE(i.failed_tags.has_value());
        EXPECT_TRUE(i.failed_tags->has(Tag::RLX));
        EXPECT_FALSE(i.failed_tags->has(Tag::ACQ));
      }
  EXPECT_EQ(seen, 1);
  const prog::Test same = read(message(true, "%n0", "%acquire", "%acquire"));
  for (const prog::Template& templ : same.templates)
    for (const prog::Instr& i : templ.code) EXPECT_FALSE(i.failed_tags.has_value());
}

// A weak exchange returns what it has read also where it fails spuriously; the comparison with what it expects tells.
TEST(SpirvExchange, AWeakOneMayFailSpuriously) {
  const auto verdict_of = [](const std::string& op, const std::string& compare, const std::string& question) {
    const std::string code = "%old = " + op + " %uint %y %dv %both %relaxed %n2 %n0\n%same = " + compare +
                             " %bool %old %n0\n%r = OpSelect %uint %same %n1 %n3\nOpStore %out %r\n"
                             "%now = OpAtomicLoad %uint %y %dv %relaxed\n%o1 = OpInBoundsPtrAccessChain %p %out %n1\n"
                             "OpStore %o1 %now\n";
    const std::string text = opencl_threads("; @Config: 1, 1, 1\n; @Output: " + question + "\n", {code});
    const Status a = verdict(read(text), check::Property::condition, 1, check::Engine::enumerate);
    EXPECT_EQ(a, verdict(read(text), check::Property::condition, 1, check::Engine::solve));
    return std::string(name(a));
  };
  const std::string strong = "OpAtomicCompareExchange", weak = "OpAtomicCompareExchangeWeak";
  EXPECT_EQ(verdict_of(strong, "OpIEqual", "forall (%out[0] == 1 and %out[1] == 2)"), "holds");
  EXPECT_EQ(verdict_of(weak, "OpIEqual", "exists (%out[0] == 3 and %out[1] == 0)"), "holds");
  EXPECT_EQ(verdict_of(weak, "OpINotEqual", "exists (%out[0] == 1 and %out[1] == 0)"), "holds");
  EXPECT_EQ(verdict_of(weak, "OpIEqual", "exists (%out[0] == 1 and %out[1] == 0)"), "fails");
}

// Both engines, the second one eager and lazy, on random programs of exchanges, loads and stores of every order.
TEST(SpirvExchange, EnginesAgreeOnRandomPrograms) {
  std::mt19937 rng(20240711);
  const auto pick = [&](std::vector<std::string> all) { return all[rng() % all.size()]; };
  int held[2] = {0, 0}, failed[2] = {0, 0};
  for (int round = 0; round < 60; ++round) {
    const bool opencl = round % 2 == 0;
    std::vector<std::string> threads;
    int results = 0;
    for (int t = 0; t < 2; ++t) {
      std::string code;
      for (int k = 0; k < 3; ++k) {
        const std::string at = opencl ? pick({"%x", "%y"}) : pick({"%px", "%py"});
        const std::string r = "%r" + std::to_string(t) + std::to_string(k);
        std::string found;
        switch (rng() % 4) {
          case 0:
            code += "OpAtomicStore " + at + " %dv " +
                    (opencl ? pick({"%relaxed", "%release", "%sc"}) : pick({"%relaxed", "%release"})) + " " +
                    pick({"%n1", "%n2"}) + "\n";
            break;
          case 1:
            code += r + " = OpAtomicLoad %uint " + at + " %dv " + pick({"%relaxed", "%acquire"}) + "\n";
            found = r;
            break;
          default:
            code +=
                r + " = OpAtomicCompareExchange" + (opencl ? pick({"", "Weak"}) : "") + " %uint " + at + " %dv " +
                (opencl ? pick({"%relaxed", "%acquire", "%both", "%sc"}) : pick({"%relaxed", "%acquire", "%both"})) +
                " " + (opencl ? pick({"%relaxed", "%acquire", "%sc"}) : pick({"%relaxed", "%acquire"})) + " " +
                pick({"%n1", "%n2"}) + " " + pick({"%n0", "%n1"}) + "\n";
            found = r;
            break;
        }
        if (!found.empty()) {
          const std::string slot = "%o" + std::to_string(t) + std::to_string(k);
          const std::string index = "%n" + std::to_string(results % 4);
          code += slot +
                  (opencl ? " = OpInBoundsPtrAccessChain %p %out " + index : " = OpAccessChain %p %out %n0 " + index) +
                  "\nOpStore " + slot + " " + found + "\n";
          ++results;
        }
      }
      threads.push_back(code);
    }
    const std::string part = opencl ? "" : "[0]";
    const std::string header = "; @Config: 1, 1, 2\n; @Output: exists (%out" + part +
                               "[0] == " + std::to_string(rng() % 3) + " and %out" + part +
                               "[1] == " + std::to_string(rng() % 3) + " and %out" + part +
                               "[2] == " + std::to_string(rng() % 2) + ")\n";
    const std::string text = opencl ? opencl_threads(header, threads) : vulkan_threads(header, threads);
    SCOPED_TRACE(text);
    const prog::Test t = read(text);
    const auto model = cat::load_model(cat::default_model(t.dialect), t.dialect);
    ASSERT_TRUE(model.has_value());
    for (const check::Property property : {check::Property::condition, check::Property::races}) {
      check::Options o;
      o.property = property;
      Job job;
      o.engine = check::Engine::enumerate;
      const Status expected = check::check(t, *model, o, job).verdict.status;
      o.engine = check::Engine::solve;
      for (const bool lazy : {false, true}) {
        o.lazy = lazy;
        EXPECT_EQ(check::check(t, *model, o, job).verdict.status, expected) << "lazy " << lazy;
      }
      ++(expected == k_holds ? held : failed)[property == check::Property::races];
    }
  }
  for (int k = 0; k < 2; ++k) {
    EXPECT_GE(held[k], 5) << k;
    EXPECT_GE(failed[k], 5) << k;
  }
}

}  // namespace
}  // namespace spirv_test
