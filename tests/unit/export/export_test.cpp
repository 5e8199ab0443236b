// The exported sources: names, refusals, Metal by golden files, and for every target whose tools are here that the
// sources compile; C++ and OpenCL also run, end and starve as they should. Absent tools skip the test by their name.
// tests/progress/compile_exports is the long form over the published tests.
#include "export/export.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "prog/test.h"
#include "read/read.h"

namespace fencepost::exports {
namespace {

namespace fs = std::filesystem;

std::vector<axb::Test> read(const std::string& json) {
  auto tests = axb::parse(make_source("tests.jsonl", json));
  EXPECT_TRUE(tests) << (tests ? "" : render(tests.error()));
  return tests ? *tests : std::vector<axb::Test>{};
}

// A mutex by exchange, a consumer that waits for its producer's order, and three threads over two locations.
std::vector<axb::Test> three_tests() {
  auto tests = read(R"({"config":"mutex","id":1,"threads":[[[0,1,0,1,1],[0,0,2,1,0]],[[0,1,0,1,1],[0,0,2,1,0]]]})"
                    "\n"
                    R"({"config":"consumer","id":2,"threads":[[[0,0,0,0,0],[0,1,3,0,0],[0,0,3,1,0]],[[0,0,1,1,1]]]})"
                    "\n"
                    R"({"config":"relay","id":3,"threads":[[[0,7,0,0,0]],[[1,4,0,0,0],[0,0,2,1,8]],[[1,0,1,1,5]]]})"
                    "\n");
  if (tests.size() == 3) {
    tests[2].locations[0] = {"turn", 7};
    tests[2].locations[1] = {"gate", 4};
  }
  return tests;
}

// Waits for a store that never comes.
std::vector<axb::Test> starving() {
  return read(R"({"config":"stuck","id":0,"threads":[[[0,0,0,0,0]],[[0,0,1,1,0]]]})");
}

std::vector<File> files_of(std::span<const axb::Test> tests, const Options& o) {
  auto files = export_files(tests, o);
  EXPECT_TRUE(files) << (files ? "" : render(files.error()));
  return files ? *files : std::vector<File>{};
}

class Folder {
 public:
  Folder() : path_(fs::path(testing::TempDir()) / fmt::format("fencepost-export-{}", getpid())) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  void write(const std::vector<File>& files) const {
    for (const auto& f : files) std::ofstream(path_ / f.name) << f.text;
  }
  struct Result {
    int status;
    std::string output;
  };
  Result run(const std::string& command) const {
    FILE* pipe = popen(fmt::format("cd '{}' && ( {} ) 2>&1", path_.string(), command).c_str(), "r");
    Result r{-1, ""};
    if (!pipe) return r;
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) r.output.append(buffer, n);
    const int status = pclose(pipe);
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return r;
  }
  bool has(const std::string& tool) const { return run("command -v " + tool).status == 0; }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

#define NEED_TOOL(folder, tool) \
  if (!(folder).has(tool)) GTEST_SKIP() << tool << " is not on the PATH: these exports were not compiled"

const Mapping k_mappings[] = {Mapping::plain, Mapping::round_robin, Mapping::chunked, Mapping::hybrid, Mapping::paired};

Options with(Target t, Mapping m, uint32_t total, std::string bundle = "") {
  Options o;
  o.target = t;
  o.mapping = m;
  o.total = total;
  o.seed = 5;
  o.bundle = std::move(bundle);
  return o;
}

TEST(Export, NamesOfTargetsAndOptionsRoundTrip) {
  for (const auto& n : target_names()) EXPECT_EQ(to_string(*target_from(n)), n);
  for (const auto& n : order_names()) EXPECT_EQ(to_string(*order_from(n)), n);
  for (const auto& n : loads_names()) EXPECT_EQ(to_string(*loads_from(n)), n);
  EXPECT_EQ(target_from("CUDA"), std::nullopt);
  auto tests = three_tests();
  EXPECT_EQ(kernel_name(tests[0], Mapping::round_robin, 0), "round_robin_mutex_1");
  tests[0].name = "a  b\n*/__x";
  EXPECT_EQ(kernel_name(tests[0], Mapping::plain, 0), "plain_a_b_x");
  tests[0].name = "";
  EXPECT_EQ(kernel_name(tests[0], Mapping::plain, 4), "plain_test_4");
}

TEST(Export, FilesAreNamedAfterMappingAndTestAndNeverTwice) {
  auto tests = three_tests();
  tests[1].name = tests[0].name;
  const auto files = files_of(tests, with(Target::opencl, Mapping::chunked, 12));
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0].name, "chunked_mutex_1.cl");
  EXPECT_EQ(files[1].name, "chunked_mutex_1_2.cl");
  EXPECT_EQ(files[2].name, "chunked_relay_3.cl");
  EXPECT_EQ(files[3].name, "progress_runner.c");
  EXPECT_EQ(files, files_of(tests, with(Target::opencl, Mapping::chunked, 12)));
}

TEST(Export, WhatCannotBeIsRefusedWithItsReason) {
  const auto tests = three_tests();
  const auto message = [&](Options o) {
    const auto files = export_files(tests, o);
    return files ? std::string("exported") : files.error().list.at(0).message;
  };
  Options o = with(Target::cuda, Mapping::plain, 2);
  EXPECT_EQ(message(o), "2 invocations are too few for the 3 threads of the test");
  o.total = 100, o.workgroup = 64;
  EXPECT_EQ(message(o), "100 invocations do not fill workgroups of 64");
  o.workgroup = 0;
  EXPECT_EQ(message(o), "a workgroup has 1 to 1024 invocations");
  o = with(Target::cpp, Mapping::plain, 20000);
  EXPECT_EQ(message(o), "20000 invocations are too many for target cpp");
  o = with(Target::glsl, Mapping::plain, 65536);
  EXPECT_EQ(message(o), "65536 workgroups are more than every Vulkan device has to take, 65535");
  o = with(Target::amber, Mapping::plain, 6);
  o.order = Order::seq_cst;
  EXPECT_EQ(message(o), "Vulkan has no sequentially consistent atomics");
  o = with(Target::metal, Mapping::plain, 6);
  o.order = Order::acq_rel;
  EXPECT_EQ(message(o), "Metal's atomics on device memory are relaxed, not acq_rel");
  o = with(Target::glsl, Mapping::plain, 6, "all");
  EXPECT_EQ(message(o), "target glsl has no bundle: a file holds one test");
  o = with(Target::cpp, Mapping::plain, 6, "../all");
  EXPECT_EQ(message(o), "'../all' cannot name a bundle");
  o = with(Target::opencl, Mapping::chunked, 60000);
  o.padding = 65536;
  EXPECT_EQ(message(o), "the locations of all instances take more than 256 MiB");
  o = with(Target::litmus_ptx, Mapping::chunked, 0);
  EXPECT_EQ(message(o), "a litmus file holds one instance: mapping chunked means nothing there");
  EXPECT_EQ(export_files({}, with(Target::cpp, Mapping::plain, 6)).error().list.at(0).message,
            "there is no test to export");
}

TEST(Export, LitmusFilesAreReadAgain) {
  for (const Target t : {Target::litmus_ptx, Target::litmus_vulkan, Target::litmus_opencl})
    for (const Order order : {Order::relaxed, Order::acq_rel})
      for (const Loads loads : {Loads::add, Loads::load}) {
        Options o = with(t, Mapping::plain, 0);
        o.order = order, o.loads = loads;
        const auto files = files_of(three_tests(), o);
        ASSERT_EQ(files.size(), 3u);
        EXPECT_EQ(files[0].name, t == Target::litmus_ptx      ? "mutex_1.ptx.litmus"
                                 : t == Target::litmus_vulkan ? "mutex_1.vulkan.litmus"
                                                              : "mutex_1.opencl.litmus");
        for (const auto& f : files) {
          const auto test = read::parse_one(make_source(f.name, f.text));
          ASSERT_TRUE(test) << render(test.error()) << f.text;
        }
        EXPECT_EQ(files[2].text.find("add") != std::string::npos, loads == Loads::add) << files[2].text;
      }
  Options o = with(Target::litmus_vulkan, Mapping::plain, 0);
  o.order = Order::seq_cst;
  EXPECT_FALSE(export_files(three_tests(), o));
}

// FENCEPOST_UPDATE_GOLDEN=1 writes the files anew; read the difference before you commit it.
TEST(Export, MetalIsAsInTheGoldenFiles) {
  const fs::path golden = fs::path(FENCEPOST_SOURCE_DIR) / "tests/golden/export";
  for (const Mapping m : k_mappings)
    for (const auto& f : files_of(three_tests(), with(Target::metal, m, 0))) {
      if (std::getenv("FENCEPOST_UPDATE_GOLDEN")) std::ofstream(golden / f.name) << f.text;
      std::ifstream in(golden / f.name);
      std::stringstream expected;
      expected << in.rdbuf();
      EXPECT_EQ(f.text, expected.str()) << golden / f.name;
    }
}

TEST(Export, CppComputesTheMappingAndEnds) {
  const Folder folder;
  NEED_TOOL(folder, "g++");
  const auto tests = three_tests();
  for (const Mapping m : k_mappings) {
    Options o = with(Target::cpp, m, 11, "bundle");  // 11: surplus for two and for three threads
    o.padding = m == Mapping::chunked ? 16 : 1;
    o.loads = m == Mapping::hybrid ? Loads::load : Loads::add;
    o.order = m == Mapping::round_robin ? Order::seq_cst : m == Mapping::hybrid ? Order::acq_rel : Order::relaxed;
    folder.write(files_of(tests, o));
    const auto built = folder.run("g++ -std=c++20 -Wall -Wextra -Werror -pthread bundle.cpp -o bundle");
    ASSERT_EQ(built.status, 0) << built.output;
    std::string expected;
    for (size_t i = 0; i < tests.size(); ++i)
      for (uint32_t gid = 0; gid < 11; ++gid) {
        const auto r = role_of({m, static_cast<uint32_t>(tests[i].threads.size()), 11, o.seed}, gid);
        expected += kernel_name(tests[i], m, i) +
                    (r ? fmt::format(" id {} thread {} instance {}\n", gid, r->thread, r->instance)
                       : fmt::format(" id {} no role\n", gid));
      }
    EXPECT_EQ(folder.run("./bundle --roles").output, expected);
    const auto ran = folder.run("./bundle --runs 20 --seconds 20");
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_NE(ran.output.find("relay_3: all 11 ended, 20 of 20 runs\n"), std::string::npos) << ran.output;
    EXPECT_NE(ran.output.find("3 tests, 0 failed\n"), std::string::npos) << ran.output;
  }
}

// A program of one thread is deterministic: what it leaves in memory, in every instance and between the instances, is
// what a direct reading of axb/test.h gives. The threads' text is the same in all C-like targets.
TEST(Export, CppExecutesRandomInstructionsAsTheLanguageSays) {
  const Folder folder;
  NEED_TOOL(folder, "g++");
  std::mt19937 random(20211018);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  constexpr uint32_t k_padding = 2, k_instances = 3;
  std::vector<axb::Test> tests;
  std::string expected;
  int jumped_back = 0;
  while (tests.size() < 60) {
    axb::Test t;
    t.name = fmt::format("random/{}", tests.size());
    for (const char* name : {"x", "y", "z"}) t.locations.push_back({name, below(3)});
    t.threads.resize(1);
    const uint32_t length = 1 + below(6);
    for (uint32_t pc = 0; pc < length; ++pc) {
      axb::Instr i{.location = below(3), .check = below(3), .jump = below(length + 1), .exchanges = below(3) != 0};
      if (i.exchanges) i.value = below(3);
      if (axb::is_store(i, pc)) i.check = 0;
      t.threads[0].code.push_back(i);
    }
    std::vector<uint32_t> memory;
    for (const auto& l : t.locations) memory.push_back(l.init);
    uint32_t pc = 0, steps = 0;
    bool back = false;
    for (; pc < length && steps < 200; ++steps) {
      const auto& i = t.threads[0].code[pc];
      const uint32_t old = memory[i.location];
      if (i.exchanges) memory[i.location] = i.value;
      const uint32_t next = old == i.check ? i.jump : pc + 1;
      back |= next <= pc;
      pc = next;
    }
    if (pc < length) continue;  // does not end
    jumped_back += back;
    const std::string name = kernel_name(t, Mapping::round_robin, tests.size());
    for (size_t l = 0; l < memory.size(); ++l) {
      expected += fmt::format("{} location {}:", name, l);
      for (uint32_t i = 0; i < k_instances; ++i) expected += fmt::format(" {} {}", memory[l], t.locations[l].init);
      expected += "\n";
    }
    expected += fmt::format("{}: all 3 ended, 1 of 1 runs\n", name);
    tests.push_back(std::move(t));
  }
  EXPECT_GT(jumped_back, 5);
  Options o = with(Target::cpp, Mapping::round_robin, k_instances, "bundle");
  o.padding = k_padding;
  folder.write(files_of(tests, o));
  const auto built = folder.run("g++ -std=c++20 -pthread bundle.cpp -o bundle");
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_EQ(folder.run("./bundle --runs 1 --memory").output, expected + "60 tests, 0 failed\n");
}

TEST(Export, CppReportsATestThatStarvesWithExitCodeOne) {
  const Folder folder;
  NEED_TOOL(folder, "g++");
  folder.write(files_of(starving(), with(Target::cpp, Mapping::round_robin, 0)));
  ASSERT_EQ(folder.run("g++ -std=c++20 -pthread round_robin_stuck_0.cpp -o stuck").status, 0);
  const auto ran = folder.run("timeout 60 ./stuck --seconds 3");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_EQ(ran.output,
            "round_robin_stuck_0: timed out after 3 s in run 1: 3 of 6 ended; id 0 (thread 0 of instance 0) did not\n"
            "1 tests, 1 failed\n");
  EXPECT_EQ(folder.run("./stuck --test other").status, 2);
  EXPECT_EQ(folder.run("./stuck --runs 0").status, 2);
}

TEST(Export, OpenClRunsOnPoclAndReportsStarvation) {
  const Folder folder;
  NEED_TOOL(folder, "cc");
  auto files = files_of(starving(), with(Target::opencl, Mapping::plain, 2));
  folder.write(files);
  if (folder.run("cc -std=c11 -Wall -Wextra -Werror progress_runner.c -o runner -lOpenCL").status != 0)
    GTEST_SKIP() << "the OpenCL headers and loader (opencl-headers, ocl-icd-opencl-dev) are not here: OpenCL exports "
                    "were not run";
  if (folder.run("./runner --list | grep -q .").status != 0)
    GTEST_SKIP() << "there is no OpenCL device (pocl-opencl-icd): OpenCL exports were not run";
  const auto stuck = folder.run("timeout 60 ./runner plain_stuck_0.cl --seconds 1 --runs 2");
  EXPECT_EQ(stuck.status, 1) << stuck.output;
  EXPECT_EQ(stuck.output, "plain_stuck_0: timed out after 1 s in run 1\n1 tests, 1 failed\n");
  std::string all;
  // Two workgroups at a time is what PoCL surely has, so the tests here must end under the order of ids alone (HSA):
  // the mutex, and a pair in which the smaller id goes first.
  auto tests = three_tests();
  const auto pair = read(R"({"config":"pair","id":4,"threads":[[[0,0,1,1,9]],[[0,9,1,0,0],[0,0,0,0,0]]]})");
  const std::vector<axb::Test> end_anywhere = {tests[0], pair[0]};
  for (const Mapping m : k_mappings) {
    Options o = with(Target::opencl, m, 300, fmt::format("b{}", static_cast<int>(m)));
    o.order = m == Mapping::hybrid ? Order::seq_cst : m == Mapping::chunked ? Order::acq_rel : Order::relaxed;
    o.loads = m == Mapping::plain ? Loads::add : Loads::load;
    o.padding = 3;
    folder.write(files_of(end_anywhere, o));
    all += o.bundle + ".cl ";
  }
  const auto ran = folder.run("timeout 120 ./runner " + all + "--seconds 20 --runs 5");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_NE(ran.output.find("hybrid_pair_4: all 300 ended, 5 of 5 runs\n"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("8 tests, 0 failed\n"), std::string::npos) << ran.output;
}

TEST(Export, GlslIsValidSpirvUnderTheVulkanMemoryModel) {
  const Folder folder;
  NEED_TOOL(folder, "glslangValidator");
  NEED_TOOL(folder, "spirv-val");
  const auto tests = three_tests();
  for (const Mapping m : k_mappings) {
    const std::span<const axb::Test> some = std::span(tests).subspan(m == Mapping::round_robin ? 0 : 2);
    Options o = with(Target::glsl, m, 12);
    o.order = m == Mapping::chunked || m == Mapping::plain ? Order::acq_rel : Order::relaxed;
    o.loads = m == Mapping::hybrid || m == Mapping::plain ? Loads::load : Loads::add;
    folder.write(files_of(some, o));
    for (const auto& f : files_of(some, o)) {
      const auto r = folder.run(fmt::format(
          "glslangValidator -V --target-env vulkan1.2 {} -o x.spv && spirv-val --target-env vulkan1.2 x.spv", f.name));
      EXPECT_EQ(r.status, 0) << f.name << "\n" << r.output << f.text;
    }
    // The shader inside the Amber script, without the Vulkan memory model.
    o.target = Target::amber;
    for (const auto& f : files_of(some, o)) {
      const size_t begin = f.text.find("#version"), end = f.text.find("\nEND\n");
      ASSERT_TRUE(begin < end && end != std::string::npos) << f.text;
      folder.write({{"shader.comp", f.text.substr(begin, end + 1 - begin)}});
      const auto r = folder.run(
          "glslangValidator -V --target-env vulkan1.1 shader.comp -o x.spv && spirv-val --target-env vulkan1.1 x.spv");
      EXPECT_EQ(r.status, 0) << f.name << "\n" << r.output << f.text;
    }
  }
}

TEST(Export, CudaCompilesToTheAtomicsThatWereAskedFor) {
  const Folder folder;
  NEED_TOOL(folder, "nvcc");
  struct Case {
    Mapping mapping;
    Order order;
    Loads loads;
    bool watchdog;
    std::vector<std::string> present, absent;
  };
  const Case cases[] = {
      {Mapping::round_robin,
       Order::relaxed,
       Loads::add,
       false,
       {"atom.relaxed.gpu.exch.b32", "atom.relaxed.gpu.add.u32"},
       {"ld.relaxed.gpu", "fence.sc"}},
      {Mapping::hybrid,
       Order::seq_cst,
       Loads::load,
       true,
       {"fence.sc.gpu; atom.acq_rel.gpu.exch.b32", "fence.sc.gpu; ld.acquire.gpu.u32"},
       {"atom.relaxed.gpu.add"}},
  };
  for (const auto& c : cases) {
    Options o = with(Target::cuda, c.mapping, 0, "bundle");
    o.order = c.order, o.loads = c.loads, o.watchdog = c.watchdog;
    folder.write(files_of(three_tests(), o));
    const auto r = folder.run("nvcc -arch=sm_90 -ptx bundle.cu -o bundle.ptx && cat bundle.ptx");
    ASSERT_EQ(r.status, 0) << r.output;
    for (const auto& s : c.present) EXPECT_NE(r.output.find(s), std::string::npos) << s;
    for (const auto& s : c.absent) EXPECT_EQ(r.output.find(s), std::string::npos) << s;
  }
}

// No Metal compiler outside Apple's system: the language is C++, so a header that declares what the exports use lets
// g++ read it.
TEST(Export, MetalReadsAsCpp) {
  const Folder folder;
  NEED_TOOL(folder, "g++");
  for (const Mapping m : k_mappings) {
    Options o = with(Target::metal, m, 0, "bundle");
    o.loads = m == Mapping::plain ? Loads::load : Loads::add;
    folder.write(files_of(three_tests(), o));
    const auto r =
        folder.run(fmt::format("g++ -std=c++17 -fsyntax-only -Wall -Wextra -Wno-attributes -Werror "
                               "-I{}/tests/progress/metal -x c++ bundle.metal",
                               FENCEPOST_SOURCE_DIR));
    EXPECT_EQ(r.status, 0) << r.output;
  }
}

}  // namespace
}  // namespace fencepost::exports
