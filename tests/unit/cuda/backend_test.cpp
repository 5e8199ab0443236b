// The life cycle of the CUDA backend against a driver that keeps books, and the whole of it on a real device where one
// is.
#include <dlfcn.h>

#include <array>
#include <cstdlib>

#include "device/cuda/cuda.h"
#include "emit/kernel_ptx.h"
#include "kernels.h"

using namespace fencepost;
using namespace fencepost::device;

namespace {

std::string words(const Diagnostics& ds) { return ds.list.empty() ? "" : ds.list.front().message; }

code::Kernel named(const std::string& name) {
  code::Kernel k;
  k.name = name;
  k.buffers = {{"out"}};
  k.body = {code::store({0, term::constant(0, 32)}, term::constant(7, 32))};
  return k;
}

device::Source source_of(const std::vector<code::Kernel>& kernels) {
  device::Source s;
  s.language = Language::ptx;
  s.bytes = emit::kernel_ptx(kernels.front())->text;
  s.kernels = kernels;
  return s;
}

class FakeDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("FENCEPOST_LIBCUDA", FENCEPOST_FAKE_CUDA, 1);
    setenv("FENCEPOST_PTXAS", "", 1);  // the driver's own compiler
    mode("");
    void* library = dlopen(FENCEPOST_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    left_ = reinterpret_cast<uint32_t (*)()>(dlsym(library, "fake_cuda_left"));
    log_ = reinterpret_cast<const char* (*)()>(dlsym(library, "fake_cuda_log"));
    before_ = left_();
  }
  void TearDown() override {
    for (const char* v : {"FENCEPOST_LIBCUDA", "FENCEPOST_PTXAS", "FENCEPOST_FAKE_CUDA_MODE"}) unsetenv(v);
  }
  static void mode(const char* m) { setenv("FENCEPOST_FAKE_CUDA_MODE", m, 1); }
  uint32_t left() const { return left_() - before_; }
  std::string log() const { return log_(); }

 private:
  uint32_t (*left_)() = nullptr;
  const char* (*log_)() = nullptr;
  uint32_t before_ = 0;
};

}  // namespace

TEST(CudaDriver, ItsAbsenceIsAReason) {
  setenv("FENCEPOST_LIBCUDA", "libcuda-that-is-not-there.so.1", 1);
  const auto all = cuda::list();
  const auto one = cuda::open(0);
  unsetenv("FENCEPOST_LIBCUDA");
  ASSERT_FALSE(all);
  EXPECT_NE(words(all.error()).find("libcuda-that-is-not-there.so.1"), std::string::npos);
  EXPECT_FALSE(one);
  setenv("FENCEPOST_LIBCUDA", "libm.so.6", 1);
  const auto other = cuda::list();
  unsetenv("FENCEPOST_LIBCUDA");
  ASSERT_FALSE(other);
  EXPECT_EQ(words(other.error()), "libm.so.6 has no function cuInit");
}

TEST_F(FakeDriver, DevicesAreListedWithWhatMatters) {
  const auto all = cuda::list();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  const Info& i = all->at(1);
  EXPECT_EQ(i.id, "cuda:1");
  EXPECT_EQ(i.name, "Fake H200");
  EXPECT_NE(i.driver.find("CUDA 12.8"), std::string::npos);
  EXPECT_EQ(i.units, 132u);
  EXPECT_EQ(i.subgroup, 32u);
  EXPECT_EQ(i.max_lanes, 1024u);
  EXPECT_EQ(i.max_cluster, 16u);
  EXPECT_EQ(i.memory_bytes, uint64_t{139} << 30);
  EXPECT_EQ(cuda::sm_of(i), 90u);
  EXPECT_EQ(left(), 0u);
  mode("no-device");
  EXPECT_TRUE(cuda::list()->empty());
  EXPECT_EQ(words(cuda::open(0).error()), "there is no device 'cuda:0'");
}

TEST_F(FakeDriver, BuffersAreFilledWrittenAndRead) {
  {
    const auto b = cuda::open(0);
    ASSERT_TRUE(b) << words(b.error());
    EXPECT_EQ((*b)->language(), Language::ptx);
    const auto one = (*b)->allocate(8), two = (*b)->allocate(4);
    ASSERT_TRUE(one && two);
    const std::array<uint32_t, 3> in = {1, 2, 3};
    EXPECT_TRUE((*b)->fill(*one, 0, 8, 9));
    EXPECT_TRUE((*b)->write(*one, 4, in));
    std::array<uint32_t, 8> out{};
    EXPECT_TRUE((*b)->read(*one, 0, out));
    EXPECT_EQ(out, (std::array<uint32_t, 8>{9, 9, 9, 9, 1, 2, 3, 9}));
    EXPECT_TRUE((*b)->fill(*one, 8, 0, 1));
    EXPECT_EQ(words((*b)->fill(*one, 7, 2, 1).error()), "cuda:0: words 7 to 9 lie outside a buffer of 8");
    (*b)->release(*two);
    EXPECT_FALSE((*b)->fill(*two, 0, 1, 1));
    EXPECT_EQ(*(*b)->allocate(2), *two);  // its number is free again
    EXPECT_FALSE((*b)->allocate(uint64_t{1} << 40));
  }
  EXPECT_EQ(left(), 0u);
}

TEST_F(FakeDriver, KernelsAreCompiledByTheDriverAndLaunched) {
  {
    const auto b = cuda::open(0);
    ASSERT_TRUE(b);
    const auto m = (*b)->load(source_of({named("fill_42")}));
    ASSERT_TRUE(m) << words(m.error());
    EXPECT_EQ((*b)->binary(*m).kind, "cubin");
    EXPECT_EQ((*b)->binary(*m).bytes, "FAKE cubin");
    EXPECT_EQ((*b)->resident_groups(*m, "fill_42", 256), 8u * 132);
    EXPECT_EQ((*b)->resident_groups(*m, "other", 256), 0u);
    const auto buffer = (*b)->allocate(1);
    Launch l{.module = *m, .kernel = "fill_42", .groups = 12, .lanes = 64, .buffers = {*buffer}};
    const auto done = (*b)->launch(l);
    ASSERT_TRUE(done) << words(done.error());
    EXPECT_EQ(done->status, Outcome::Status::done);
    EXPECT_NEAR(done->seconds, 1.5e-3, 1e-9);
    uint32_t got = 0;
    EXPECT_TRUE((*b)->read(*buffer, 0, std::span(&got, 1)));
    EXPECT_EQ(got, 42u);
    l.cluster = 4;
    EXPECT_TRUE((*b)->launch(l));
    l.cooperative = true;
    EXPECT_TRUE((*b)->launch(l));
    EXPECT_NE(log().find("launch fill_42 12x64\nlaunch fill_42 12x64 cluster 4x1x1\n"
                         "launch fill_42 12x64 cluster 4x1x1 cooperative\n"),
              std::string::npos)
        << log();
    l.cluster = 5;
    EXPECT_EQ(words((*b)->launch(l).error()), "cuda:0: 12 workgroups cannot form clusters of 5");
    l.cluster = 1;
    l.buffers = {};
    EXPECT_EQ(words((*b)->launch(l).error()), "cuda:0: kernel 'fill_42' has 1 buffers, not 0");
    l.kernel = "none";
    EXPECT_FALSE((*b)->launch(l));
  }
  EXPECT_EQ(left(), 0u);
}

TEST_F(FakeDriver, RefusedKernelsCarryTheCompilersLog) {
  {
    const auto b = cuda::open(1);
    ASSERT_TRUE(b);
    device::Source s = source_of({named("fill_1")});
    s.bytes = "no PTX";
    const auto m = (*b)->load(s);
    ASSERT_FALSE(m);
    EXPECT_NE(words(m.error()).find("CUDA_ERROR_INVALID_PTX"), std::string::npos);
    EXPECT_NE(words(m.error()).find("line 7; error   : Unknown symbol"), std::string::npos);
    s = source_of({named("fill_1")});
    s.kernels.push_back(named("absent"));
    EXPECT_NE(words((*b)->load(s).error()).find("CUDA_ERROR_NOT_FOUND"), std::string::npos);
    s.language = Language::opencl_c;
    EXPECT_EQ(words((*b)->load(s).error()), "cuda:1 takes PTX, not opencl_c");
  }
  EXPECT_EQ(left(), 0u);
}

TEST_F(FakeDriver, HungLaunchesTimeOutAndKillTheBackend) {
  const auto b = cuda::open(0);
  ASSERT_TRUE(b);
  const auto m = (*b)->load(source_of({named("fill_3")}));
  const auto buffer = (*b)->allocate(1);
  mode("hang");
  const auto out = (*b)->launch({.module = *m, .kernel = "fill_3", .buffers = {*buffer}, .limit = 0.05});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->status, Outcome::Status::timed_out);
  EXPECT_GE(out->seconds, 0.05);
  EXPECT_LT(out->seconds, 5.0);
  mode("");
  const auto again = (*b)->allocate(1);
  ASSERT_FALSE(again);
  EXPECT_EQ(words(again.error()), "cuda:0 (Fake H200): a launch did not end within 0.05 s");
}

TEST_F(FakeDriver, LostDevicesSpeakForThemselves) {
  const auto b = cuda::open(0);
  ASSERT_TRUE(b);
  const auto m = (*b)->load(source_of({named("fill_3")}));
  const auto buffer = (*b)->allocate(1);
  mode("lost");
  const auto out = (*b)->launch({.module = *m, .kernel = "fill_3", .buffers = {*buffer}});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->status, Outcome::Status::lost);
  EXPECT_EQ(out->message, "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered");
  EXPECT_EQ(words((*b)->fill(*buffer, 0, 1, 0).error()),
            "cuda:0 (Fake H200): CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered");
}

TEST_F(FakeDriver, AnAssemblerIsPreferredAndCanBeRefused) {
  unsetenv("FENCEPOST_PTXAS");
  if (!cuda::find_assembler()) GTEST_SKIP() << "no ptxas: set FENCEPOST_PTXAS or put it on the PATH";
  {
    const auto b = cuda::open(0);
    ASSERT_TRUE(b);
    const auto m = (*b)->load(source_of({named("fill_5")}));
    ASSERT_TRUE(m) << words(m.error());
    EXPECT_TRUE((*b)->binary(*m).bytes.starts_with("\177ELF"));
    const auto again = (*b)->load(source_of({named("fill_5")}));
    EXPECT_TRUE(again && *again == *m) << "one text is one module";
    mode("old-driver");
    const auto older = (*b)->load(source_of({named("fill_6")}));
    ASSERT_TRUE(older) << words(older.error());
    EXPECT_EQ((*b)->binary(*older).bytes, "FAKE cubin");
    mode("");
    device::Source s = source_of({named("fill_5")});
    s.bytes += "nonsense";
    EXPECT_NE(words((*b)->load(s).error()).find("refuses the kernel"), std::string::npos);
  }
  EXPECT_EQ(left(), 0u);
}

// ---- several devices ----

namespace {

std::string property(const Info& i, const std::string& name) {
  for (const Property& p : i.properties)
    if (p.name == name) return p.value;
  return "none";
}

}  // namespace

TEST_F(FakeDriver, SeveralDevicesSayWhatTheyMayDoWithMemory) {
  {
    const auto both = cuda::open_several({0, 1});
    ASSERT_TRUE(both) << words(both.error());
    const Several& s = **both;
    EXPECT_EQ(s.info().id, "cuda:0+1");
    EXPECT_EQ(s.info().name, "2 x Fake H200");
    EXPECT_EQ(s.reach(0, 0), Reach::atomic);
    EXPECT_EQ(s.reach(0, 1), Reach::atomic);
    EXPECT_EQ(s.reach(1, 2), Reach::plain) << "the host has no native atomics";
    EXPECT_EQ(property(s.info(), "gpu 0 to memory of gpu 1"), "peer access with native atomics, performance rank 0");
    EXPECT_EQ(property(s.info(), "gpu 1 to memory of the host"), "mapped, without native atomics");
    EXPECT_NE(s.info().driver.find("gpu 1 to memory of gpu 0: peer access with native atomics"), std::string::npos)
        << "stores keep it";
    EXPECT_NE(log().find("peer access\npeer access\n"), std::string::npos) << "in both directions";
    mode("no-atomics");
    EXPECT_EQ((*cuda::open_several({0, 1}))->reach(1, 0), Reach::plain);
    mode("no-peers");
    EXPECT_EQ((*cuda::open_several({0, 1}))->reach(1, 0), Reach::none);
    EXPECT_EQ(property(cuda::list()->at(0), "memory of cuda:1"), "no access");
  }
  EXPECT_EQ(left(), 0u);
  EXPECT_EQ(words(cuda::open_several({0, 2}).error()), "there is no device 'cuda:2'");
}

TEST_F(FakeDriver, MemoryHasAHomeAndOneAddressForAll) {
  {
    auto both = cuda::open_several({0, 1});
    ASSERT_TRUE(both);
    Several& s = **both;
    std::vector<Several::Part> parts;
    for (uint32_t home = 0; home <= 2; ++home) {
      const auto b = s.allocate_at(home, 4);
      ASSERT_TRUE(b) << words(b.error());
      ASSERT_TRUE(s.fill(*b, 0, 4, 1));
      parts.clear();
      for (uint32_t place = 0; place < 2; ++place) {
        const std::string name = "fill_" + std::to_string(10 * home + place);
        const auto m = s.load_at(place, source_of({named(name)}));
        ASSERT_TRUE(m) << words(m.error());
        parts.push_back({place, {.module = *m, .kernel = name, .groups = 1, .lanes = 32, .buffers = {*b}}});
      }
      const auto done = s.together(parts, 5);
      ASSERT_TRUE(done) << words(done.error());
      EXPECT_EQ(done->size(), 2u);
      uint32_t got = 0;
      ASSERT_TRUE(s.read(*b, 0, std::span(&got, 1)));
      EXPECT_EQ(got, 10 * home + 1) << "both wrote to one word, the second device last";
      if (home == 1) s.release(*b);
    }
  }
  EXPECT_EQ(left(), 0u) << "adopted memory is its owner's to free";
}

TEST_F(FakeDriver, AFaultOnOneDeviceEndsTheRunOfAll) {
  auto both = cuda::open_several({0, 1});
  ASSERT_TRUE(both);
  Several& s = **both;
  const auto b = s.allocate_at(0, 4);
  std::vector<Several::Part> parts;
  for (uint32_t place = 0; place < 2; ++place) {
    const auto m = s.load_at(place, source_of({named("fill_1")}));
    parts.push_back({place, {.module = *m, .kernel = "fill_1", .groups = 1, .lanes = 32, .buffers = {*b}}});
  }
  mode("lost-second");
  const auto done = s.together(parts, 5);
  ASSERT_TRUE(done) << words(done.error());
  EXPECT_EQ(done->at(1).status, Outcome::Status::lost);
  EXPECT_EQ(done->at(1).message,
            "on gpu 1 (cuda:1): CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered");
  mode("");
  EXPECT_FALSE(s.allocate_at(0, 1)) << "it is dead";
  EXPECT_FALSE(s.together(parts, 5));
}

TEST_F(FakeDriver, ALaunchThatNeverEndsOnTwoDevicesIsGivenUp) {
  auto both = cuda::open_several({0, 1});
  ASSERT_TRUE(both);
  const auto m = (*both)->load_at(1, source_of({named("fill_1")}));
  const auto b = (*both)->allocate_at(1, 4);
  const Several::Part part{1, {.module = *m, .kernel = "fill_1", .groups = 1, .lanes = 32, .buffers = {*b}}};
  mode("hang");
  const auto done = (*both)->together({&part, 1}, 0.05);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->at(0).status, Outcome::Status::timed_out);
  EXPECT_EQ(done->at(0).message, "a launch did not end within 0.05 s on gpu 1 (cuda:1)");
}
