// tests/corpus/malformed/cat_*.cat: each file says on lines of its own what it is blamed for,
//   // expect: LINE:COLUMN: part of the message
//   // hint: part of the hint
// about the first diagnostic.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "text.h"

namespace fencepost::cat {
namespace {

namespace fs = std::filesystem;

std::string after(const std::string& file, const std::string& key) {
  const size_t at = file.find("// " + key + ": ");
  if (at == std::string::npos) return {};
  const size_t begin = at + key.size() + 5;
  return file.substr(begin, file.find('\n', begin) - begin);
}

std::vector<fs::path> files() {
  std::vector<fs::path> out;
  for (const auto& e : fs::directory_iterator(FENCEPOST_SOURCE_DIR "/tests/corpus/malformed"))
    if (e.path().filename().string().starts_with("cat_") && e.path().extension() == ".cat") out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Malformed, EveryFileIsBlamedForTheRightThing) {
  ASSERT_GE(files().size(), 30u);
  for (const fs::path& p : files()) {
    std::ifstream in(p);
    std::stringstream content;
    content << in.rdbuf();
    const auto m = load_file(p.string(), {});
    if (m) {
      ADD_FAILURE() << p << " loads";
      continue;
    }
    const Diagnostic& d = m.error().list.front();
    const Position at = d.span.position();
    const std::string said = std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + d.message;
    const std::string want = after(content.str(), "expect");
    ASSERT_FALSE(want.empty()) << p << " does not say what is wrong with it";
    EXPECT_EQ(said.find(want), 0u) << p << "\nwant " << want << "\n" << render(d);
    EXPECT_NE(d.hint.find(after(content.str(), "hint")), std::string::npos) << p << "\n" << render(d);
    EXPECT_EQ(d.fault, Fault::bad_input) << p;
    EXPECT_NE(render(d).find('^'), std::string::npos) << "a caret under the place";
    // One mistake is one message.
    EXPECT_EQ(m.error().list.size(), 1u) << p << "\n" << render(m.error());
    // lint says at least what load says.
    bool linted = false;
    for (const LintFinding& f : lint(p.string(), {})) linted = linted || f.diagnostic.message == d.message;
    EXPECT_TRUE(linted) << p;
  }
}

TEST(Malformed, FilesThatCannotBeRead) {
  const auto missing = load_file("no/such/model.cat", {});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().list[0].message.find("cannot read 'no/such/model.cat'"), 0u);
  const auto folder = load_file(FENCEPOST_SOURCE_DIR "/models", {});
  ASSERT_FALSE(folder.has_value());
  EXPECT_NE(folder.error().list[0].message.find("it is a folder"), std::string::npos);
  LoadOptions options;
  options.prelude = "no-prelude.cat";
  EXPECT_NE(complaint("let x = po", options).find("cannot read 'no-prelude.cat'"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::cat
