#pragma once
// Kernels of which one condition at a time is taken away.
#include "decide.h"

namespace fencepost::verifier {

class WithClang : public testing::Test {
 protected:
  void SetUp() override {
    if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  }
};

using Changes = std::vector<std::pair<std::string, std::string>>;

inline std::string changed(std::string text, const Changes& changes) {
  for (const auto& [what, by] : changes) {
    const size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    if (at != std::string::npos) text.replace(at, what.size(), by);
  }
  return text;
}

// By the proof alone; a run before it makes no difference to what is verified.
inline int decided(const std::string& text, const std::string& block = "64", const std::string& grid = "4",
                   const std::string& name = "k.cu", const std::vector<std::string>& more = {}) {
  const auto code = [&](const char* attack) {
    std::vector<std::string> words{"--local_size=" + block, "--num_groups=" + grid, attack};
    words.insert(words.end(), more.begin(), more.end());
    const auto o = launch::parse(words);
    EXPECT_TRUE(o);
    return answer(*o, make_source(name, text)).exit_code;
  };
  const int proof = code("--no-attack");
  EXPECT_EQ(proof == 0, code("--seed=1") == 0) << text;
  return proof;
}

struct Row {
  const char* body;
  int exit_code;
  const char* says = "";
  const char* block = "64";
};

// Kernels that begin and end alike, by the proof alone. `head` ends in the kernel's body.
inline void rows(const std::string& head, const std::vector<Row>& all, const std::string& tail = "") {
  for (const Row& r : all) {
    const std::string text = head + r.body + tail + " }";
    decide({{"k.cu", text.c_str(), r.exit_code, r.says, {std::string("--blockDim=") + r.block, "--no-attack"}}});
  }
}

}  // namespace fencepost::verifier
