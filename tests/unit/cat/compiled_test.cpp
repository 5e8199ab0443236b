// Models compiled when the program is built are what their files say, and no longer where a file has changed.
#include "cat/compiled.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cat/library.h"

namespace fencepost::cat {
namespace {

namespace fs = std::filesystem;

std::string place(const Span& s) {
  return s.source ? s.location() + "-" + std::to_string(s.end) + " " + std::string(s.text()) : "";
}

void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.path, b.path);
  EXPECT_EQ(a.dialect, b.dialect);
  EXPECT_EQ(a.knows_clusters, b.knows_clusters);
  EXPECT_EQ(a.knows_asynchronous, b.knows_asynchronous);
  EXPECT_EQ(a.any_space, b.any_space);
  EXPECT_EQ(a.mentioned_barriers, b.mentioned_barriers);
  EXPECT_EQ(a.variants, b.variants);
  EXPECT_EQ(a.names, b.names);
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    const Node &x = a.nodes[i], &y = b.nodes[i];
    EXPECT_TRUE(x.op == y.op && x.type == y.type && x.kids == y.kids && x.base == y.base && x.tag == y.tag &&
                x.rec == y.rec && x.name == y.name)
        << i;
    EXPECT_EQ(place(x.span), place(y.span)) << i;
  }
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (size_t i = 0; i < a.groups.size(); ++i) EXPECT_EQ(a.groups[i].variables, b.groups[i].variables);
  ASSERT_EQ(a.variables.size(), b.variables.size());
  for (size_t i = 0; i < a.variables.size(); ++i) {
    const RecVariable &x = a.variables[i], &y = b.variables[i];
    EXPECT_TRUE(x.name == y.name && x.type == y.type && x.definition == y.definition && x.reference == y.reference &&
                x.group == y.group)
        << i;
  }
  ASSERT_EQ(a.axioms.size(), b.axioms.size());
  for (size_t i = 0; i < a.axioms.size(); ++i) {
    const Axiom &x = a.axioms[i], &y = b.axioms[i];
    EXPECT_TRUE(x.kind == y.kind && x.negated == y.negated && x.flag == y.flag && x.node == y.node && x.name == y.name)
        << i;
    EXPECT_EQ(place(x.span), place(y.span)) << i;
  }
  ASSERT_EQ(a.shown.size(), b.shown.size());
  for (size_t i = 0; i < a.shown.size(); ++i)
    EXPECT_TRUE(a.shown[i].node == b.shown[i].node && a.shown[i].name == b.shown[i].name) << i;
}

TEST(CompiledModels, AreWhatTheirFilesSay) {
  size_t compiled = 0;
  for (const ModelInfo& info : shipped_models())
    for (const vocab::Dialect d : {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl}) {
      SCOPED_TRACE(info.name + " for " + vocab::name(d));
      const auto read = load_file(info.path, options_for(info.path, d));
      const auto model = compiled_model(info.path, d);
      if (!read) {
        EXPECT_FALSE(model);
        continue;
      }
      ASSERT_TRUE(model) << "it is read at each start";
      expect_same(*model, *read);
      ++compiled;
    }
  EXPECT_GE(compiled, shipped_models().size());
}

class CopiedModels : public testing::Test {
 protected:
  void SetUp() override {
    const char* set = getenv("FENCEPOST_MODELS");
    before_ = set != nullptr ? set : "";
    folder_ = fs::temp_directory_path() / ("fencepost-models-" + std::to_string(getpid()));
    fs::copy(models_dir(), folder_, fs::copy_options::recursive);
    setenv("FENCEPOST_MODELS", folder_.c_str(), 1);
  }
  void TearDown() override {
    before_.empty() ? unsetenv("FENCEPOST_MODELS") : setenv("FENCEPOST_MODELS", before_.c_str(), 1);
    fs::remove_all(folder_);
  }
  void append(const char* file, const char* text) { std::ofstream(folder_ / file, std::ios::app) << text; }
  static size_t axioms(const char* model) {
    bool as_shipped = false;
    const auto m = load_model(model, vocab::Dialect::ptx, &as_shipped);
    EXPECT_EQ(as_shipped, compiled_model(models_dir() + "/" + model + ".cat", vocab::Dialect::ptx).has_value());
    return m ? m->axioms.size() : 0;
  }
  fs::path folder_;
  std::string before_;
};

TEST_F(CopiedModels, OfAnotherFolderAreUsedWhileTheirTextIsTheSame) {
  const auto m = compiled_model((folder_ / "ptx-7.5.cat").string(), vocab::Dialect::ptx);
  ASSERT_TRUE(m);
  expect_same(*m, load_file(m->path, options_for(m->path, vocab::Dialect::ptx)).value());
}

TEST_F(CopiedModels, AModelThatHasChangedIsRead) {
  const size_t before = axioms("ptx-7.5");
  append("ptx-7.5.cat", "\nacyclic po as one-more\n");
  EXPECT_FALSE(compiled_model((folder_ / "ptx-7.5.cat").string(), vocab::Dialect::ptx));
  EXPECT_EQ(axioms("ptx-7.5"), before + 1);
  EXPECT_TRUE(compiled_model((folder_ / "ptx-6.0.cat").string(), vocab::Dialect::ptx)) << "the others are as they were";
}

TEST_F(CopiedModels, APreludeThatHasChangedIsRead) {
  const size_t before = axioms("ptx-7.5");
  append("prelude-ptx.cat", "\nacyclic po as one-more\n");
  EXPECT_EQ(axioms("ptx-7.5"), before + 1);
}

TEST_F(CopiedModels, AStdlibBesideThemIsRead) {
  const size_t before = axioms("ptx-7.5");
  append("stdlib.cat", "acyclic po as one-more\n");
  EXPECT_EQ(axioms("ptx-7.5"), before + 1);
}

TEST_F(CopiedModels, AModelWithoutItsPreludeIsRead) {
  fs::remove(folder_ / "prelude-ptx.cat");
  EXPECT_FALSE(compiled_model((folder_ / "ptx-7.5.cat").string(), vocab::Dialect::ptx));
}

TEST_F(CopiedModels, OthersThanTheShippedAreNotAmongThem) {
  fs::copy(folder_ / "ptx-7.5.cat", folder_ / "mine.cat");
  EXPECT_FALSE(compiled_model((folder_ / "mine.cat").string(), vocab::Dialect::ptx));
  fs::create_directory(folder_ / "other");
  fs::copy(folder_ / "ptx-7.5.cat", folder_ / "other" / "ptx-7.5.cat");
  EXPECT_FALSE(compiled_model((folder_ / "other" / "ptx-7.5.cat").string(), vocab::Dialect::ptx));
}

}  // namespace
}  // namespace fencepost::cat
