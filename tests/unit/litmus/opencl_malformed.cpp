// tests/corpus/malformed/{opencl,gpuptx}_*.litmus: the first two lines of each file say where it is blamed, with
// which words, and what it is told to do:
//   (* expect: LINE:COL: message *)
//   (* hint: hint *)
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "asm_support.h"

using namespace asm_test;
namespace fs = std::filesystem;

namespace {

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const size_t a = text.find(from);
  if (a == std::string::npos) return {};
  const size_t b = text.find(to, a);
  return text.substr(a + from.size(), b - a - from.size());
}

void check(const std::string& prefix, size_t least) {
  std::vector<fs::path> files;
  for (const auto& e : fs::directory_iterator(FENCEPOST_SOURCE_DIR "/tests/corpus/malformed"))
    if (e.path().filename().string().starts_with(prefix)) files.push_back(e.path());
  std::sort(files.begin(), files.end());
  EXPECT_GE(files.size(), least);
  for (const fs::path& f : files) {
    std::ifstream in(f);
    std::stringstream text;
    text << in.rdbuf();
    const auto t = read::parse(make_source(f.filename().string(), text.str()));
    ASSERT_FALSE(t.has_value()) << f;
    const Diagnostic& d = t.error().list.front();
    const std::string shown = render(d);
    EXPECT_EQ(d.fault, Fault::bad_input) << shown;
    const auto at = d.span.position();
    EXPECT_EQ(std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + d.message,
              between(text.str(), "(* expect: ", " *)"))
        << shown;
    EXPECT_EQ(d.hint, between(text.str(), "(* hint: ", " *)")) << shown;
    EXPECT_FALSE(d.hint.empty()) << shown;
    EXPECT_NE(shown.find("\n     | "), std::string::npos) << shown;  // the line of the caret
    EXPECT_NE(shown.find('^'), std::string::npos) << shown;
  }
}

TEST(OpenclMalformed, EachFileIsBlamedInPlace) { check("opencl_", 35); }
TEST(GpuPtxMalformed, EachFileIsBlamedInPlace) { check("gpuptx_", 30); }

}  // namespace
