// tests/corpus/progress/malformed-models: X.progress is a model with one mistake, X.expect the whole message about it.
// Files called fault_* parse; their mistake shows when events happen.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "text.h"

namespace fencepost::fair {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& p) {
  std::ifstream in(p);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

std::vector<fs::path> files() {
  std::vector<fs::path> out;
  for (const auto& e : fs::directory_iterator(FENCEPOST_SOURCE_DIR "/tests/corpus/progress/malformed-models"))
    if (e.path().extension() == ".progress") out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

// With FENCEPOST_PROMOTE set, the messages of today become what is expected.
TEST(Malformed, EveryFileGetsItsMessage) {
  ASSERT_GE(files().size(), 40u);
  for (const fs::path& p : files()) {
    const std::string file = p.filename().string();
    const bool fault = file.starts_with("fault_");
    const auto m = parse_model(make_source(file, content(p)));
    ASSERT_EQ(m.has_value(), fault) << file << (m ? "" : "\n" + render(m.error()));
    const auto found = fault ? find_fault(*m, 3) : Expected<void>(std::unexpected(m.error()));
    ASSERT_FALSE(found.has_value()) << file;
    const Diagnostics& ds = found.error();
    ASSERT_EQ(ds.list.size(), 1u) << "one mistake is one message";
    EXPECT_TRUE(ds.list[0].span.source) << file;
    EXPECT_EQ(ds.list[0].fault, Fault::bad_input) << file;
    const std::string said = render(ds);
    fs::path expect = p;
    expect.replace_extension(".expect");
    if (std::getenv("FENCEPOST_PROMOTE") != nullptr) std::ofstream(expect) << said;
    EXPECT_EQ(said, content(expect)) << file;
    EXPECT_NE(said.find('^'), std::string::npos) << file;
  }
}

TEST(Malformed, FilesThatCannotBeRead) {
  const auto missing = load_model("no/such/model.progress");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().list[0].message, "cannot read no/such/model.progress: No such file or directory");
  const auto folder = load_model(FENCEPOST_SOURCE_DIR "/models");
  ASSERT_FALSE(folder.has_value());
  EXPECT_NE(folder.error().list[0].message.find("it is a folder"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::fair
