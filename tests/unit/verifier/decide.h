#pragma once
// Small CUDA kernels, each with the exit status of `prove` and a word that it says.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {

struct Case {
  const char* name;
  const char* text;
  int exit_code;
  const char* says = "";  // "!...": does not say it
  std::vector<std::string> options = {};
  bool launched = false;  // with the sizes of its launches
};

inline const char* const k_plain = "__global__ void k(int *o) { o[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n";

inline void decide(const std::vector<Case>& cases) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Case& c : cases) {
    std::vector<std::string> words;
    const bool opencl = std::string_view(c.name).ends_with(".cl");
    if (!c.launched)
      words = opencl ? std::vector<std::string>{"--local_size=64", "--num_groups=4"}
                     : std::vector<std::string>{"--blockDim=64", "--gridDim=4"};
    const size_t own = words.size();
    words.insert(words.end(), c.options.begin(), c.options.end());
    const auto o = launch::parse(words, nullptr, nullptr, own);
    ASSERT_TRUE(o) << c.name;
    const launch::Answer a = answer(*o, make_source(c.name, c.text));
    EXPECT_EQ(a.exit_code, c.exit_code) << c.name << "\n" << c.text << "\n" << a.out << a.err;
    const std::string said = a.out + a.err;
    if (*c.says == '!')
      EXPECT_EQ(said.find(c.says + 1), std::string::npos) << c.name << "\n" << said;
    else
      EXPECT_NE(said.find(c.says), std::string::npos) << c.name << ": " << c.says << "\n" << said;
  }
}

}  // namespace fencepost::verifier
