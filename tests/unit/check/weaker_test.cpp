// Answers of a weaker model are answers of the model (encode/weaker.h).
#include <gtest/gtest.h>

#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::check {
namespace {

Result ask(const std::string& text, const char* name, vocab::Dialect d, Property property, bool reduce,
           uint32_t bound) {
  auto test = read::parse_one(make_source("test.litmus", text));
  auto model = cat::load_model(name, d);
  EXPECT_TRUE(test && model);
  Options o;
  o.property = property;
  o.reduce = reduce;
  o.engine = reduce ? Engine::solve : Engine::enumerate;
  o.bound = bound;
  Job job = Job::with_budget(20);
  return check(*test, *model, o, job);
}

// Only the failed attempt acquires what P0 releases: P1 reads y after P0's write because it found the lock taken by it.
// P2 opens the lock with a relaxed store.
std::string acquired_by_failing(const char* question) {
  return std::string(R"(OPENCL failing
{ x = 1; y = 0; }
P0@wg 0, dev 0 (global atomic_int* x, global int* y) {
  *y = 1;
  atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);
}
P1@wg 1, dev 0 (global atomic_int* x, global int* y) {
  int r0 = atomic_exchange_explicit(x, 1, memory_order_acquire, memory_scope_device);
  while (r0 == 1) { r0 = atomic_exchange_explicit(x, 1, memory_order_acquire, memory_scope_device); }
  int r1 = *y;
}
P2@wg 2, dev 0 (global atomic_int* x) {
  atomic_store_explicit(x, 0, memory_order_relaxed, memory_scope_device);
}
)") + question +
         "\n";
}

TEST(Weaker, AMessageThatOnlyAFailedAttemptReceivesIsSeen) {
  for (const char* name : {"opencl", "cuda"})
    for (const char* question : {"exists (1:r1 == 1)", "exists (1:r1 == 0)", "forall (1:r1 == 0)"}) {
      const std::string text = acquired_by_failing(question);
      const Result a = ask(text, name, vocab::Dialect::opencl, Property::condition, true, 2);
      const Result b = ask(text, name, vocab::Dialect::opencl, Property::condition, false, 3);
      EXPECT_EQ(a.reachable, b.reachable) << name << " " << question;
      if (b.reachable) EXPECT_EQ(a.verdict.status, b.verdict.status) << name << " " << question;
    }
}

// Three threads on a lock with exchanges: not decided by leaving out repeated attempts alone.
std::string three(bool releases) {
  std::string head, label, take, back, read, next, write, give;
  for (int t = 0; t < 3; ++t) {
    const std::string bar = t == 0 ? " " : " | ", n = std::to_string(t);
    head += bar + "P" + n + "@cta " + n + ",gpu 0";
    label += bar + "LC0" + n + ":";
    take += bar + "atom.acquire.gpu.exch r0, lock, 1";
    back += bar + "bne r0, 0, LC0" + n;
    read += bar + "ld.weak r1, x";
    next += bar + "add r2, r1, 1";
    write += bar + "st.weak x, r2";
    give += bar + (releases ? "st.release.gpu lock, 0" : "st.relaxed.gpu lock, 0");
  }
  std::string out = "PTX three\n{ x = 0; lock = 0; }\n";
  for (const std::string& row : {head, label, take, back, read, next, write, give}) out += row + " ;\n";
  return out + "~exists (P0:r1 = P1:r1 \\/ P0:r1 = P2:r1 \\/ P1:r1 = P2:r1)\n";
}

TEST(Weaker, LocksOfThreeThreadsAreDecidedInPtx) {
  for (const Property p : {Property::condition, Property::races, Property::termination}) {
    const Result r = ask(three(true), "ptx-8", vocab::Dialect::ptx, p, true, p == Property::termination ? 3 : 1);
    EXPECT_EQ(r.verdict.status, Status::holds) << name(p) << " " << r.verdict.detail;
    EXPECT_FALSE(r.verdict.vacuous);
  }
  for (const Property p : {Property::condition, Property::races}) {
    const Result r = ask(three(false), "ptx-8", vocab::Dialect::ptx, p, true, 1);
    EXPECT_EQ(r.verdict.status, Status::fails) << name(p) << " " << r.verdict.detail;
    EXPECT_TRUE(r.execution);
  }
}

}  // namespace
}  // namespace fencepost::check
