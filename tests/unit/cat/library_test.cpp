#include "cat/library.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "text.h"

namespace fencepost::cat {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test.
class Library : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("fencepost-cat-" + std::to_string(::getpid()) + "-" +
                                        testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(dir_ / "lib");
  }
  void TearDown() override {
    unsetenv("FENCEPOST_MODELS");
    fs::remove_all(dir_);
  }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
    return (dir_ / name).string();
  }
  fs::path dir_;
};

TEST_F(Library, ShippedModelsLoadByName) {
  const auto models = shipped_models();
  ASSERT_FALSE(models.empty());
  for (const ModelInfo& info : models) {
    const auto m = load_model(info.name, info.dialect);
    ASSERT_TRUE(m.has_value()) << render(m.error());
    EXPECT_EQ(m->dialect, info.dialect);
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_FALSE(m->title.empty()) << info.name;
    EXPECT_TRUE(m->find("fr")) << "the prelude is there";
  }
  for (vocab::Dialect d : {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl}) {
    const auto m = load_model(default_model(d), d);
    ASSERT_TRUE(m.has_value()) << render(m.error());
    EXPECT_EQ(m->dialect, d);
  }
}

// From a folder of the user's own, and with what the included file says of itself.
TEST_F(Library, AShippedModelCanBeIncluded) {
  const std::string mine =
      write("mine.cat", "\"mine\"\n(* axioms: extra *)\ninclude \"ptx-8.cat\"\nacyclic po | rf as extra\n");
  const auto m = load_model(mine, vocab::Dialect::ptx);
  ASSERT_TRUE(m.has_value()) << render(m.error());
  const auto whole = load_model("ptx-8", vocab::Dialect::ptx);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(m->axioms.size(), whole->axioms.size() + 1);
  EXPECT_TRUE(m->knows_clusters);
  EXPECT_EQ(m->title, "mine");
  const auto own =
      load_model(write("own.cat", "\"own\"\n(* scopes: cta gpu sys *)\ninclude \"ptx-8.cat\"\n"), vocab::Dialect::ptx);
  ASSERT_TRUE(own.has_value());
  EXPECT_FALSE(own->knows_clusters);  // the file's own word counts
  const auto spaces = load_model(write("spaces.cat", "\"s\"\ninclude \"opencl-tables.cat\"\n"), vocab::Dialect::opencl);
  ASSERT_TRUE(spaces.has_value());
  EXPECT_TRUE(spaces->any_space);
  const auto none = load_model(write("none.cat", "\"n\"\ninclude \"ptx-8x.cat\"\n"), vocab::Dialect::ptx);
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().list[0].hint.find("ptx-8.cat"), std::string::npos) << render(none.error());
  // What stands beside the model goes first.
  write("ptx-8.cat", "\"mine too\"\nacyclic po as one\n");
  const auto beside = load_model(mine, vocab::Dialect::ptx);
  ASSERT_TRUE(beside.has_value());
  EXPECT_LT(beside->axioms.size(), whole->axioms.size());
}

// Models for herd begin with its cos.cat. The constructs of cat that are read, and those that are refused by name.
TEST_F(Library, HerdsCoherence) {
  const auto m = load_model(write("herd.cat", "\"herd\"\ninclude \"cos.cat\"\nacyclic po | rf | fr | co as sc\n"),
                            vocab::Dialect::ptx);
  ASSERT_TRUE(m.has_value()) << render(m.error());
  EXPECT_TRUE(m->find("coi") && m->find("ca"));
  EXPECT_TRUE(std::any_of(m->axioms.begin(), m->axioms.end(), [](const Axiom& a) { return a.name == "cos-total"; }));
  const auto read =
      load_model(write("read.cat",
                       "\"r\"\nlet X = try unknown with emptyset\nprocedure sub(a, b) =\n  empty a \\ b as inside\n"
                       "end\ncall sub(rf, loc)\nempty X & R as none\n"),
                 vocab::Dialect::ptx);
  ASSERT_TRUE(read.has_value()) << render(read.error());
  for (const auto& [line, word] :
       {std::pair<std::string, std::string>{"let f s = match s with || {} -> 0 || e ++ t -> e end", "match"},
        {"with co from generate_cos(co0)", "with ... from"},
        {"if \"cos-opt\" include \"cos.cat\" else include \"cos.cat\" end", "if"}}) {
    const auto refused = load_model(write("refused.cat", "\"r\"\n" + line + "\n"), vocab::Dialect::ptx);
    ASSERT_FALSE(refused.has_value()) << line;
    const auto& first = refused.error().list[0];
    EXPECT_NE(first.message.find(word), std::string::npos) << render(refused.error());
    EXPECT_GT(first.hint.size(), 25u) << line;
  }
}

TEST_F(Library, NamesThatAreNearAreOffered) {
  const auto m = load_model("ptx-7.4", vocab::Dialect::ptx);
  ASSERT_FALSE(m.has_value());
  EXPECT_EQ(m.error().list[0].message, "there is no model called 'ptx-7.4'");
  EXPECT_NE(m.error().list[0].hint.find("did you mean 'ptx-7.5'?"), std::string::npos);
  EXPECT_FALSE(load_model("nowhere/x.cat", vocab::Dialect::ptx).has_value());
}

TEST_F(Library, AnotherFolderAndTheHeaderOfAFile) {
  write("mine.cat", "\"Mine\"\n(* dialect: vulkan *)\n(* summary: a model\n   of mine *)\nacyclic po-loc as a");
  write("prelude-vulkan.cat", "let po-loc = po & loc");
  setenv("FENCEPOST_MODELS", dir_.c_str(), 1);
  EXPECT_EQ(models_dir(), dir_.string());
  const auto models = shipped_models();
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0].name, "mine");
  EXPECT_EQ(models[0].dialect, vocab::Dialect::vulkan);
  EXPECT_EQ(models[0].summary, "a model of mine");
  const auto m = load_model("mine", vocab::Dialect::ptx);
  ASSERT_TRUE(m.has_value()) << render(m.error());
  EXPECT_EQ(m->dialect, vocab::Dialect::vulkan);
  EXPECT_EQ(text(*m, m->axioms[0].node), "(& po loc)");
  EXPECT_TRUE(load_model((dir_ / "mine.cat").string(), vocab::Dialect::ptx).has_value());
}

TEST_F(Library, IncludesBesideTheFileThenInTheFolders) {
  write("lib/a.cat", "let a = po");
  write("lib/b.cat", "include \"a.cat\" let b = a; rf");
  const std::string main = write("main.cat", "include \"b.cat\" let x = b");
  EXPECT_FALSE(load_file(main, {}).has_value());
  LoadOptions options;
  options.include_dirs = {(dir_ / "lib").string()};
  auto m = load_file(main, options);
  ASSERT_TRUE(m.has_value()) << render(m.error());
  EXPECT_EQ(text(*m, *m->find("x")), "(; po rf)");
  write("b.cat", "let b = co");
  m = load_file(main, options);
  EXPECT_EQ(text(*m, *m->find("x")), "co");
  // The same file twice is no cycle.
  EXPECT_TRUE(load_file(write("twice.cat", "include \"b.cat\" include \"b.cat\" let x = b"), options).has_value());
}

TEST_F(Library, StdlibBesideTheModelComesFirstAndOnce) {
  write("stdlib.cat", "let fr = rf^-1; co\nempty [UB] as ub");
  const std::string implicit = write("m.cat", "acyclic fr as a");
  const std::string explicitly = write("n.cat", "include \"stdlib.cat\" acyclic fr as a");
  const std::string prelude = write("prelude.cat", "let fr = co");
  LoadOptions options;
  options.prelude = prelude;
  for (const std::string& path : {implicit, explicitly}) {
    const auto m = load_file(path, options);
    ASSERT_TRUE(m.has_value()) << render(m.error());
    ASSERT_EQ(m->axioms.size(), 2u) << path;
    EXPECT_EQ(m->axioms[0].name, "ub");
    EXPECT_EQ(text(*m, m->axioms[1].node), "(; (inv rf) co)") << "stdlib.cat comes after the prelude";
  }
  options.sibling_stdlib = false;
  const auto m = load_file(implicit, options);
  ASSERT_TRUE(m.has_value());
  EXPECT_EQ(text(*m, m->axioms[0].node), "co");
  EXPECT_EQ(load_file(dir_ / "stdlib.cat", {})->axioms.size(), 1u) << "it is not read before itself";
  // A text with a folder in its name finds the same neighbours.
  EXPECT_EQ(load_text(make_source(implicit, "acyclic fr as a"), {})->axioms.size(), 2u);
}

TEST_F(Library, UnnamedAxiomsAreCalledByTheirLine) {
  write("stdlib.cat", "\nempty [UB]");
  const auto m = load_file(write("m.cat", "\n\nacyclic po"), {});
  ASSERT_TRUE(m.has_value());
  EXPECT_EQ(m->axioms[0].name, "stdlib.cat line 2");
  EXPECT_EQ(m->axioms[1].name, "line 3");
}

}  // namespace
}  // namespace fencepost::cat
