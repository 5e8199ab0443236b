// Nested loops make an unrolling that takes seconds and gigabytes: it ends when its job does.
#include "encode/skeleton.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/job.h"
#include "read/read.h"

namespace fencepost::encode {
namespace {

constexpr const char* k_nested = R"(PTX nested
{ x = 0; }
 P0@cta 0,gpu 0       ;
 LC00:                ;
 LC01:                ;
 ld.relaxed.gpu r0, x ;
 bne r0, 1, LC01      ;
 ld.relaxed.gpu r1, x ;
 bne r1, 1, LC00      ;
exists (P0:r0 = 1)
)";

TEST(Unroll, EndsWithItsJob) {
  const auto test = read::parse_one(make_source("nested.litmus", k_nested));
  ASSERT_TRUE(test) << render(test.error());
  std::atomic<bool> cancelled = false;
  Job job;
  job.cancelled = &cancelled;
  EXPECT_TRUE(unroll(*test, 10, true, Unrolling::safety, {}, &job));
  cancelled = true;
  EXPECT_FALSE(unroll(*test, 10, true, Unrolling::safety, {}, &job));
  EXPECT_TRUE(unroll(*test, 10, true));
}

}  // namespace
}  // namespace fencepost::encode
