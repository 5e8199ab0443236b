// Threads of the host beside those of GPUs: tests/corpus/ptx-x86 has what ptx-8-x86 decides; here is that the other
// models refuse them by name, and that for tests without them ptx-8-x86 and ptx-8 have the same outcomes.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::check {
namespace {

cat::Model shipped(const std::string& name) {
  auto m = cat::load_model(name, vocab::Dialect::ptx);
  EXPECT_TRUE(m) << (m ? "" : render(m.error()));
  return std::move(*m);
}

TEST(Hosts, OtherModelsRefuseThemByName) {
  const auto t = read::parse_file(FENCEPOST_SOURCE_DIR "/tests/corpus/ptx-x86/MP+host+acquire.sys.litmus");
  ASSERT_TRUE(t) << render(t.error());
  for (const auto& m : cat::shipped_models()) {
    if (m.dialect != vocab::Dialect::ptx && m.name != "sc") continue;
    const auto ok = fits(t->front(), shipped(m.name));
    EXPECT_EQ(ok.has_value(), m.name == "ptx-8-x86") << m.name;
    if (!ok)
      EXPECT_EQ(ok.error().list.front().message,
                "P0 is a thread of the host, and the model " + m.name + " does not know them");
  }
}

// Every bundled test of PTX, by verdict and races.
TEST(Hosts, WithoutThemTheModelIsPtx8) {
  const cat::Model with = shipped("ptx-8-x86"), without = shipped("ptx-8");
  size_t asked = 0;
  for (const char* folder : {"/examples/ptx", "/tests/corpus/ptx", "/examples/clusters"})
    for (const auto& e : std::filesystem::directory_iterator(std::string(FENCEPOST_SOURCE_DIR) + folder)) {
      if (e.path().extension() != ".litmus") continue;
      const auto tests = read::parse_file(e.path().string());
      if (!tests) continue;
      for (const prog::Test& t : *tests) {
        if (t.dialect != vocab::Dialect::ptx || !fits(t, without)) continue;
        for (const Property property : {Property::condition, Property::races}) {
          Job one = Job::with_budget(20), other = Job::with_budget(20);
          Options o;
          o.property = property;
          const Result a = check(t, without, o, one), b = check(t, with, o, other);
          EXPECT_EQ(a.verdict.status, b.verdict.status) << e.path() << " " << name(property);
        }
        ++asked;
      }
    }
  EXPECT_GE(asked, 100u);
}

}  // namespace
}  // namespace fencepost::check
