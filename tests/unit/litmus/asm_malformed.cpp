// Every malformed assembly test of tests/corpus/malformed is blamed at the place and in the words of its .expect file.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "asm_support.h"

using namespace asm_test;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

TEST(AsmMalformed, Corpus) {
  size_t count = 0;
  for (const auto& e : fs::directory_iterator(fs::path(FENCEPOST_SOURCE_DIR) / "tests/corpus/malformed")) {
    const fs::path p = e.path();
    if (!p.filename().string().starts_with("asm_") || p.extension() == ".expect") continue;
    ++count;
    fs::path expect = p;
    expect.replace_extension(".expect");
    const auto t = read::parse(make_source(p.filename().string(), read(p)));
    ASSERT_FALSE(t.has_value()) << p;
    const std::string shown = render(t.error());
    EXPECT_EQ(shown.substr(0, shown.find('\n') + 1), read(expect)) << shown;
    EXPECT_NE(shown.find("= hint: "), std::string::npos) << shown;
    EXPECT_NE(shown.find('^'), std::string::npos) << shown;
    EXPECT_EQ(t.error().list.front().fault, Fault::bad_input) << shown;
  }
  EXPECT_GE(count, 40u);
}

}  // namespace
