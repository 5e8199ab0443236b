#pragma once
// Texts that are compared word for word with a file of tests/golden. FENCEPOST_PROMOTE=1 writes the file anew; read it
// as a newcomer would before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace golden {

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// `name` is a path under tests/golden. On a difference the first line that differs is shown, with the two before it.
inline void compare(const std::string& name, const std::string& text) {
  const std::string path = FENCEPOST_SOURCE_DIR "/tests/golden/" + name;
  if (std::getenv("FENCEPOST_PROMOTE") != nullptr) std::ofstream(path, std::ios::binary) << text;
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; FENCEPOST_PROMOTE=1 writes it";
  std::ostringstream all;
  all << file.rdbuf();
  if (all.str() == text) return;
  const std::vector<std::string> expected = lines(all.str()), found = lines(text);
  size_t k = 0;
  while (k < expected.size() && k < found.size() && expected[k] == found[k]) ++k;
  std::string before;
  for (size_t j = k < 2 ? 0 : k - 2; j < k; ++j) before += "  " + expected[j] + "\n";
  ADD_FAILURE() << name << ":" << k + 1 << "\n"
                << before << "expected: " << (k < expected.size() ? expected[k] : "the end")
                << "\nfound:    " << (k < found.size() ? found[k] : "the end");
}

}  // namespace golden
