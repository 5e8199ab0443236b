// Macros that the build gives.
#include "verifier/makefile.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/read_file.h"
#include "base/write_file.h"
#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

std::string given(const std::string& text, const std::string& name) {
  const auto m = macro_of(text, "Makefile", name);
  return m ? m->value + " at " + m->place : "none";
}

TEST(Makefile, macros_of_the_command_line_are_found) {
  const std::string text =
      "NTHREADS ?= 256\nFLAGS := -O2 \\\n  -DSIZE=64\n"
      "all: a.cu\n\t$(NVCC) $(FLAGS) -D NTHREADS=$(NTHREADS) -DMODE -DNAME='\"x\"' $^ # -DLATE=1\n";
  EXPECT_EQ(given(text, "NTHREADS"), "256 at Makefile:5");
  EXPECT_EQ(given(text, "SIZE"), "64 at Makefile:2");
  EXPECT_EQ(given(text, "MODE"), "1 at Makefile:5");
  EXPECT_EQ(given(text, "LATE"), "none");
  EXPECT_EQ(given(text, "NTHREAD"), "none");
  EXPECT_EQ(given(text, "HREADS"), "none");
}

TEST(Makefile, what_has_several_values_has_none) {
  EXPECT_EQ(given("a:\n\tcc -DN=1\nb:\n\tcc -DN=2\n", "N"), "none");
  EXPECT_EQ(given("a:\n\tcc -DN=1\nb:\n\tcc -DN=1\n", "N"), "1 at Makefile:2");
  EXPECT_EQ(given("V = 1\nifeq ($(X),y)\nV = 2\nendif\na:\n\tcc -DN=$(V)\n", "N"), "none");
  EXPECT_EQ(given("V = 1\nV += 2\na:\n\tcc -DN=$(V)\n", "N"), "none");
  EXPECT_EQ(given("a:\n\tcc -DN=$(shell date) -DM=$(NO) -DS=f(x) -DP=$$ -DE=\n", "N"), "none");
  for (const char* name : {"M", "S", "P", "E"})
    EXPECT_EQ(given("a:\n\tcc -DM=$(NO) -DS=f(x) -DP=$$ -DE=\n", name), "none");
  EXPECT_EQ(given("V = $(V)\na:\n\tcc -DN=$(V)\n", "N"), "none");
  // Of one target, by other spellings, of a name that is put together, and taken back.
  EXPECT_EQ(given("a: V=2\nV=1\na:\n\tcc -DN=$(V)\n", "N"), "none");
  EXPECT_EQ(given("a: V:=1\na:\n\tcc -DN=$(V)\n", "N"), "1 at Makefile:3");
  EXPECT_EQ(given("a:\n\tcc -DN=1\n\tcc --define-macro N=2\n", "N"), "none");
  EXPECT_EQ(given("a:\n\tcc --define-macro=N=2\n", "N"), "2 at Makefile:2");
  EXPECT_EQ(given("X=N\na:\n\tcc -DN=1\n\tcc -D$(X)=2\n", "N"), "none");
  EXPECT_EQ(given("a:\n\tcc -DN=1 -UN\n", "N"), "none");
}

TEST(Makefile, what_an_included_one_may_say_otherwise_is_not_taken) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "included_makefiles";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    EXPECT_TRUE(write_file((folder / name).string(), text));
  };
  const auto said = [&](const std::string& first) {
    write("Makefile", first + "all:\n\tnvcc -DN=64 $(EXTRA) k.cu\n");
    const auto m = macro_beside((folder / "k.cu").string(), "N");
    return m ? m->value : "none";
  };
  write("other.mk", "EXTRA = -DM=1 -DNN=2\n");
  write("same.mk", "EXTRA = -UN\n");
  write("through.mk", "include same.mk\n");
  EXPECT_EQ(said(""), "64");
  EXPECT_EQ(said("include other.mk\n"), "64");
  EXPECT_EQ(said("include same.mk\n"), "none");
  EXPECT_EQ(said("include through.mk\n"), "none");
  EXPECT_EQ(said("include absent.mk\n"), "none");
  EXPECT_EQ(said("include $(WHERE)/same.mk\n"), "none");
  EXPECT_EQ(said("-include absent.d\n"), "64");
}

// A file of a folder of its own, asked with these options.
launch::Answer asked(const std::string& makefile, const std::vector<std::string>& words) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(write_file((folder / "Makefile").string(), makefile));
  const std::string path = (folder / "k.cu").string();
  EXPECT_TRUE(write_file(path,
                         "__global__ void k(int* a) { __shared__ int s[N]; s[threadIdx.x] = 1;"
                         " a[blockIdx.x * N + threadIdx.x] = s[threadIdx.x]; }\n"
                         "int main() { k<<<4, N>>>(0); }\n"));
  const auto o = launch::parse(words);
  EXPECT_TRUE(o);
  return answer(*o, *read_file(path));
}

TEST(Makefile, a_macro_that_is_taken_is_said) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const launch::Answer a = asked("k: k.cu\n\tnvcc -DN=96 k.cu\n", {});
  EXPECT_EQ(a.exit_code, 0) << a.out << a.err;
  EXPECT_NE(a.err.find("N is taken to be 96, as "), std::string::npos) << a.err;
  EXPECT_NE(a.err.find("Makefile:2"), std::string::npos) << a.err;
  EXPECT_NE(a.out.find("blockDim=96, gridDim=4"), std::string::npos) << a.out;
  // What the user says goes first, and nothing is taken.
  const launch::Answer own = asked("k: k.cu\n\tnvcc -DN=96 k.cu\n", {"-DN=32"});
  EXPECT_EQ(own.err.find("is taken to be"), std::string::npos) << own.err;
  EXPECT_NE(own.out.find("blockDim=32, gridDim=4"), std::string::npos) << own.out;
  // Without it, and under --strict, the name is missing.
  for (const auto& [makefile, words] : {std::pair<std::string, std::vector<std::string>>("k: k.cu\n", {}),
                                        {"k: k.cu\n\tnvcc -DN=96 k.cu\n", {"--strict"}}}) {
    const launch::Answer none = asked(makefile, words);
    EXPECT_NE(none.exit_code, 0);
    EXPECT_NE((none.out + none.err).find("undeclared identifier 'N'"), std::string::npos) << none.out << none.err;
  }
}

// A part of a program that is compiled where it is included.
TEST(Includer, a_file_that_lacks_names_is_read_where_it_is_included) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "includer";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto put = [&](const char* name, const std::string& text) {
    EXPECT_TRUE(write_file((folder / name).string(), text));
  };
  const auto ask = [&](const std::vector<std::string>& words) {
    return answer(*launch::parse(words), *read_file((folder / "kernels.cu").string()));
  };
  put("kernels.cu", "__global__ void k(word* a) { a[blockIdx.x * N + threadIdx.x] = 1; }\n");
  const std::string main =
      "typedef int word;\n#define N 64\n# include \"./kernels.cu\"\n"
      "__global__ void other(word* a) { a[0] = threadIdx.x; }\n"
      "int main() { k<<<4, N>>>(0); other<<<1, 32>>>(0); }\n";
  EXPECT_NE(ask({}).exit_code, 0);
  put("main.cu", main);
  const launch::Answer a = ask({});
  EXPECT_EQ(a.exit_code, 0) << a.out << a.err;
  EXPECT_NE(a.err.find("warning: read as a part of "), std::string::npos) << a.err;
  EXPECT_NE(a.out.find("blockDim=64, gridDim=4"), std::string::npos) << a.out;
  EXPECT_EQ(a.out.find("other"), std::string::npos) << a.out;
  EXPECT_NE(ask({"--json"}).out.find("the file is compiled as a part of "), std::string::npos);
  // Nothing is taken for granted; nor where two files include it, or the one that does has no such names.
  EXPECT_NE(ask({"--strict"}).exit_code, 0);
  put("second.cpp", main);
  EXPECT_NE(ask({}).exit_code, 0);
  put("second.cpp", "// #include \"kernels.cu\"\n");
  EXPECT_EQ(ask({}).exit_code, 0);
  put("main.cu", "#include \"kernels.cu\"\n");
  EXPECT_NE(ask({}).exit_code, 0);
}

}  // namespace
}  // namespace fencepost::verifier
