// An engine that is wrong gets no certificate: whatever its fault, what it hands to the certifier is the other answer.
#include "certify/certify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fencepost::certify {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Dialect {
  std::string head, model, prelude;
};
const std::vector<Dialect> k_dialects = {
    {"PTX", "ptx-7.5", "prelude-ptx"}, {"VULKAN", "vulkan", "prelude-vulkan"}, {"OPENCL", "opencl", "prelude-opencl"}};

std::vector<fs::path> litmus_files() {
  std::vector<fs::path> out;
  for (const char* folder : {"examples", "tests/corpus"})
    for (const auto& e : fs::recursive_directory_iterator(fs::path(FENCEPOST_SOURCE_DIR) / folder))
      if (e.path().extension() == ".litmus") out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

// A text that would end the stack is refused by name: chains, what stands in brackets, and functions of functions.
TEST(Certify, DeepTextsAreRefused) {
  const auto times = [](size_t n, const std::string& what) {
    std::string out;
    for (size_t k = 0; k < n; ++k) out += what;
    return out;
  };
  constexpr size_t k_deep = 200'000;
  std::string calls = "let f0(x) = x\n";
  for (size_t k = 1; k < 50'000; ++k) calls += fmt::format("let f{}(x) = f{}(x)\n", k, k - 1);
  const std::string opencl = "OPENCL t\n{ x = 0; }\nP0@wg 0,dev 0 (global atomic_int* x) {\n",
                    end = "\n}\nexists (x=1)\n";
  const std::string ptx = "PTX t\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\n";
  const std::string plain = ptx + "exists (x = 1)\n";
  const std::pair<std::string, std::string> texts[] = {
      {plain, "let a = " + times(k_deep, "po;") + "po\nacyclic a as a\n"},
      {plain, "let a = po" + times(k_deep, "+") + "\nacyclic a as a\n"},
      {plain, "let a = po" + times(k_deep, "^-1") + "\nacyclic a as a\n"},
      {plain, "let a = " + times(k_deep, "(") + "po" + times(k_deep, ")") + "\nacyclic a as a\n"},
      {plain, calls + "acyclic f49999(po) as a\n"},
      {ptx + "exists " + times(k_deep, "(") + "x = 1" + times(k_deep, ")") + "\n", "acyclic po as a\n"},
      {ptx + "exists " + times(k_deep, "~") + "(x = 1)\n", "acyclic po as a\n"},
      {opencl + "int r0 = " + times(k_deep, "(") + "1" + times(k_deep, ")") + ";" + end, "acyclic po as a\n"},
      {opencl + "int r0 = " + times(k_deep, "!") + "1;" + end, "acyclic po as a\n"},
      {opencl + "int r0 = 1" + times(k_deep, " + 1") + ";" + end, "acyclic po as a\n"},
      {opencl + times(k_deep, "if (1) ") + ";" + end, "acyclic po as a\n"},
      {opencl + times(k_deep, "{") + times(k_deep, "}") + end, "acyclic po as a\n"},
      {opencl + times(k_deep, "do ") + ";" + times(k_deep, "while (0);") + end, "acyclic po as a\n"}};
  char name[] = "/tmp/certify-test-XXXXXX";
  const fs::path home = ::mkdtemp(name);
  for (const auto& [test, model] : texts) {
    Request r;
    r.test_text = test;
    r.model_text = "\"m\"\n" + model;
    Job job;
    const auto made = certify(r, false, home / "folder", job);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->kind, Made::Kind::not_certified) << test.substr(0, 120) << model.substr(0, 60);
    EXPECT_NE(made->why.find("of this depth"), std::string::npos) << made->why;
  }
  fs::remove_all(home);
}

TEST(Certify, AWrongAnswerIsNotCertified) {
  const fs::path source = FENCEPOST_SOURCE_DIR;
  char name[] = "/tmp/certify-test-XXXXXX";
  const fs::path home = ::mkdtemp(name);
  size_t wrong = 0, refuted = 0;
  for (const fs::path& path : litmus_files()) {
    const std::string text = text_of(path);
    const auto d = std::find_if(k_dialects.begin(), k_dialects.end(),
                                [&](const Dialect& x) { return text.starts_with(x.head + " "); });
    if (d == k_dialects.end() || wrong >= 240) continue;
    for (const bool races : {false, true}) {
      Request r;
      r.test_name = path.filename().string();
      r.test_text = text;
      r.model_name = d->model;
      r.model_text = text_of(source / "models" / (d->model + ".cat"));
      r.prelude_text = text_of(source / "models" / (d->prelude + ".cat"));
      r.version = "fencepost";
      r.races = races;
      const auto ask = [&](bool reachable) {
        Job job = Job::with_budget(20);
        const fs::path folder = home / (reachable ? "reachable" : "unreachable");
        fs::remove_all(folder);
        const auto made = certify(r, reachable, folder, job);
        EXPECT_TRUE(made.has_value()) << path;
        const bool there = fs::exists(folder / "statement.txt");
        EXPECT_EQ(there, made->kind == Made::Kind::written) << path << ": " << made->why;
        if (made->kind == Made::Kind::disagrees)
          EXPECT_TRUE(!fs::exists(folder) || fs::is_empty(folder)) << path << ": something is left of it";
        return made->kind;
      };
      const Made::Kind yes = ask(true), no = ask(false);
      const auto one = [](Made::Kind k) { return k == Made::Kind::written || k == Made::Kind::disagrees; };
      EXPECT_TRUE(yes != Made::Kind::faulty && no != Made::Kind::faulty) << path;
      EXPECT_FALSE(yes == Made::Kind::written && no == Made::Kind::written) << path << ": both answers are certified";
      if (!one(yes) || !one(no)) continue;
      ++wrong;
      refuted += (yes == Made::Kind::written) != (no == Made::Kind::written) ? 1 : 0;
    }
  }
  fs::remove_all(home);
  EXPECT_GE(wrong, 200u) << "too few tests are certified to say much";
  EXPECT_EQ(refuted, wrong);
  RecordProperty("wrong_answers", static_cast<int>(wrong));
  std::printf("%zu wrong answers, none certified\n", wrong);
}

}  // namespace
}  // namespace fencepost::certify
