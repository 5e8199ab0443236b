// Every text of tests/corpus/progress/malformed is blamed at the place and in the words of its .expect file, which
// holds the whole message. FENCEPOST_PROMOTE=1 writes them anew. The bundled examples are read, and print back.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "axb_support.h"

using namespace axb_test;
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

TEST(AxbMalformed, Corpus) {
  size_t count = 0;
  for (const auto& e : fs::directory_iterator(fs::path(FENCEPOST_SOURCE_DIR) / "tests/corpus/progress/malformed")) {
    const fs::path p = e.path();
    if (p.extension() == ".expect") continue;
    ++count;
    const auto t = axb::parse(make_source(p.filename().string(), contents(p)));
    ASSERT_FALSE(t.has_value()) << p;
    const std::string shown = render(t.error());
    const fs::path expect = fs::path(p).replace_extension(".expect");
    if (std::getenv("FENCEPOST_PROMOTE") != nullptr) std::ofstream(expect, std::ios::binary) << shown;
    EXPECT_EQ(shown, contents(expect)) << p;
    EXPECT_NE(shown.find('^'), std::string::npos) << shown;
    EXPECT_NE(shown.find("= hint: "), std::string::npos) << shown;
  }
  EXPECT_GE(count, 40u);
}

// A truncated or damaged text is refused or read, and never worse.
TEST(AxbMalformed, DamagedTexts) {
  std::mt19937 rng(7);
  const std::string characters = "{}()[];:,=!\"\\/*0x19ae \n\xc3";
  for (int k = 0; k < 3000; ++k) {
    const axb::Test t = random_test(rng, {.threads = 3});
    std::string text = k % 3 == 0 ? axb::to_text(t) : k % 3 == 1 ? axb::to_json_line(t) : axb::to_pseudo_code(t);
    const size_t at = rng() % text.size();
    if (k % 2)
      text.resize(at);
    else
      text[at] = characters[rng() % characters.size()];
    const auto tests = axb::parse(make_source("t", text));
    if (!tests) {
      ASSERT_TRUE(tests.error().has_errors());
      continue;
    }
    for (const axb::Test& read : *tests) ASSERT_TRUE(axb::validate(read).has_value()) << text;
  }
}

TEST(AxbExamples, AreReadAndPrintBack) {
  size_t count = 0;
  for (const auto& e : fs::directory_iterator(fs::path(FENCEPOST_SOURCE_DIR) / "examples/progress")) {
    if (e.path().extension() != ".axb") continue;
    const auto tests = axb::parse_file(e.path().string());
    ASSERT_TRUE(tests.has_value()) << render(tests.error());
    for (const axb::Test& t : *tests) {
      ++count;
      EXPECT_TRUE(axb::validate(t).has_value());
      EXPECT_FALSE(t.remarks.empty()) << e.path() << " does not say what it shows";
      EXPECT_EQ(read_one(axb::to_text(t)), t);
    }
  }
  EXPECT_GE(count, 20u);
}

}  // namespace
