// Options of prove and headers of kernel files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/child.h"
#include "base/read_file.h"
#include "launch/header.h"
#include "launch/options.h"

namespace fencepost::launch {
namespace {

namespace fs = std::filesystem;

std::string failure(const std::vector<std::string>& words) {
  auto o = parse(words);
  if (!o) return render(o.error());
  o->dialect = o->dialect.value_or(ir::Dialect::opencl);
  const auto s = settle(*o, Source{"k.cl", ""});
  return s ? "" : render(s.error());
}

TEST(Options, sizes_in_all_spellings) {
  for (const auto& words : {std::vector<std::string>{"--local_size=64,4", "--num_groups=[2,*]"},
                            {"--local_size", "[64,4]", "--num_groups", "2,*"},
                            {"--blockDim=64,4", "--gridDim=2,*"}}) {
    const auto o = parse(words);
    ASSERT_TRUE(o) << render(o.error());
    EXPECT_EQ(o->launch.local_size, (std::vector<Size>{64, 4}));
    EXPECT_EQ(o->launch.num_groups, (std::vector<Size>{2, std::nullopt}));
    EXPECT_EQ(o->launch.local(2), Size{1});
    EXPECT_EQ(o->launch.dimensions(), 2u);
  }
}

TEST(Options, the_grid_from_the_global_size) {
  auto o = parse({"--local_size=64", "--global_size=256"});
  ASSERT_TRUE(o);
  ASSERT_TRUE(settle(*o, Source{"k.cl", ""}));
  EXPECT_EQ(o->launch.num_groups, std::vector<Size>{4});
  EXPECT_NE(failure({"--local_size=64,10", "--global_size=256,11"})
                .find("Dimension 1 of global size does not divide by dimension 1 of local size"),
            std::string::npos);
  EXPECT_NE(failure({"--local_size=64", "--global_size=256,11"}).find("Dimensions of local and global size must match"),
            std::string::npos);
}

TEST(Options, names_may_be_shortened) {
  const auto o = parse({"--no-inl", "--equality", "--vcgen-op=/checkArrays:A,B"});
  ASSERT_TRUE(o) << render(o.error());
  EXPECT_FALSE(o->inline_calls);
  EXPECT_EQ(o->abstraction, Abstraction::equality);
  EXPECT_EQ(o->check_arrays, (std::vector<std::string>{"A", "B"}));
  EXPECT_NE(failure({"--no-in"}).find("'--no-in' may be --no-inline or --no-infer"), std::string::npos);
}

// The ending of the report's file is its form where --format says none.
TEST(Options, the_name_of_the_report_picks_its_form) {
  const std::pair<const char*, Form> forms[] = {{"x.html", Form::html},   {"a.txt/x.json", Form::json},
                                                {"x.sarif", Form::sarif}, {"x.txt", Form::text},
                                                {"x", Form::text},        {"a.html/x", Form::text}};
  for (const auto& [name, form] : forms) EXPECT_EQ(parse({"-o", name})->form, form) << name;
  EXPECT_EQ(parse({"--format=sarif", "-o", "x.json"})->form, Form::sarif);
  EXPECT_EQ(parse({"-o", "x.pdf", "--format=text"})->form, Form::text);
  EXPECT_NE(failure({"-o", "x.pdf"}).find("the ending of 'x.pdf' names no form of this report"), std::string::npos);
}

// The names that the other verbs have; an alias is as its option in everything.
TEST(Options, names_of_the_other_verbs) {
  const auto o =
      parse({"--block-dim", "64", "--grid-dim=2", "--json", "-q", "-o", "x.json", "--budget", "2m", "--timeout=500ms"});
  ASSERT_TRUE(o);
  EXPECT_EQ(o->launch.local_size, (std::vector<Size>{64}));
  EXPECT_EQ(o->launch.num_groups, (std::vector<Size>{2}));
  EXPECT_EQ(o->form, Form::json);
  EXPECT_TRUE(o->silent);
  EXPECT_EQ(o->output, "x.json");
  EXPECT_EQ(o->budget, 120);
  EXPECT_EQ(o->timeout, 0.5);
  EXPECT_NE(failure({"--json=1"}).find("--json takes no value"), std::string::npos);
  EXPECT_NE(failure({"--block-dim=1", "--local-size=2"}).find("not allowed with"), std::string::npos);
  EXPECT_NE(failure({"--budget=2w"}).find("such as 30, 2.5, 500ms or 2m"), std::string::npos);
}

TEST(Options, what_excludes_each_other) {
  EXPECT_NE(failure({"--local_size=1", "--num_groups=2", "--global_size=2"})
                .find("argument --global_size=: not allowed with argument --num_groups="),
            std::string::npos);
  EXPECT_NE(failure({"--equality-abstraction", "--adversarial-abstraction"})
                .find("not allowed with argument --equality-abstraction"),
            std::string::npos);
}

TEST(Options, of_two_values_none_is_passed_over) {
  EXPECT_NE(failure({"--blockDim=8", "--gridDim=1", "--blockDim=9"}).find("--blockDim is given twice: '8' and '9'"),
            std::string::npos);
  EXPECT_NE(failure({"--block-dim=8", "--blockDim=9"}).find("is given twice"), std::string::npos);
  EXPECT_NE(failure({"--model=ptx", "--model=cuda"}).find("is given twice"), std::string::npos);
  EXPECT_TRUE(parse({"--blockDim=8", "--blockDim=8", "--strict", "--strict"}));
  EXPECT_TRUE(parse({"-DA=1", "-DB=2", "-Ia", "-Ib", "--kernel-args=k,1", "--kernel-args=l,2", "--clang-opt=-Wall",
                     "--clang-opt=-Wextra", "--vcgen-opt=/checkArrays:a", "--vcgen-opt=/noRefinedAtomics",
                     "--solver=cvc4", "--solver=z3"}));
  // What the command line says replaces what a header does.
  const auto o = parse({"--blockDim=8", "--blockDim=9"}, nullptr, nullptr, 1);
  ASSERT_TRUE(o);
  EXPECT_EQ(o->launch.local_size, (std::vector<Size>{9}));
  EXPECT_FALSE(parse({"--blockDim=8", "--blockDim=9", "--blockDim=10"}, nullptr, nullptr, 1));
}

TEST(Options, kind_errors) {
  EXPECT_NE(failure({"--local_size=0", "--num_groups=1"}).find("a size is at least 1"), std::string::npos);
  EXPECT_NE(failure({"--local_size=x", "--num_groups=1"}).find("not a whole number"), std::string::npos);
  EXPECT_NE(failure({"--local_size=1,1,1,1", "--num_groups=1"}).find("4 dimensions"), std::string::npos);
  EXPECT_NE(failure({"--lokal_size=1"}).find("did you mean '--local_size'?"), std::string::npos);
  EXPECT_NE(failure({"--local_size=1"}).find("the launch is not given"), std::string::npos);
  EXPECT_NE(failure({"--local_size"}).find("needs a value"), std::string::npos);
  EXPECT_NE(failure({"--time=3"}).find("takes no value"), std::string::npos);
  EXPECT_NE(failure({"--atomics=rafined"}).find("did you mean 'refined'?"), std::string::npos);
}

TEST(Options, nothing_is_ignored_without_a_word) {
  const std::vector<std::string> launch{"--local_size=8", "--num_groups=2"};
  const auto with = [&](const std::string& word) {
    auto words = launch;
    words.push_back(word);
    return failure(words);
  };
  for (const char* word : {"--mutants", "--vcgen-opt=/checkArrays:a", "--warp-sync=32", "--solver=z3"})
    EXPECT_EQ(with(word), "") << word;
  for (const char* word : {"--omit-infer=zzz", "--math-int", "--check-overflow", "--vcgen-opt=/zzz"}) {
    EXPECT_NE(with(word).find("is not supported"), std::string::npos) << word << with(word);
    EXPECT_NE(with(word).find("hint: "), std::string::npos) << word;
  }
  for (const char* word : {"--table=t.csv", "--plot=p.svg", "--compare=t.csv", "--again=stripped", "--list-failures",
                           "--warp-method=resync", "--check-warp-divergence"})
    EXPECT_NE(with(word).find("has no meaning without --"), std::string::npos) << word << with(word);
  for (const char* word : {"--time-as-csv=", "--entry=", "--check-arrays=", "--output="})
    EXPECT_NE(with(word).find("needs a value that is not empty"), std::string::npos) << word;
  EXPECT_NE(with("--cuda-arch=800").find("--cuda-arch is CUDA's"), std::string::npos);
}

TEST(Options, arguments_of_kernels) {
  const auto o = parse({"--kernel-args=foo,0xB9,*", "-DN=3", "-I", "inc", "--warp-sync=16", "k.cl", "--solver=z3"});
  ASSERT_TRUE(o) << render(o.error());
  EXPECT_EQ(o->kernel_args, (std::vector<Arguments>{{"foo", {0xb9, std::nullopt}}}));
  EXPECT_EQ(o->defines, std::vector<std::string>{"N=3"});
  EXPECT_EQ(o->include_folders, std::vector<std::string>{"inc"});
  EXPECT_EQ(o->warp_size, 16u);
  EXPECT_EQ(o->files, std::vector<std::string>{"k.cl"});
  EXPECT_EQ(o->ignored, std::vector<std::string>{"--solver"});
}

TEST(Options, the_dialect_by_ending_then_by_words) {
  auto o = parse({"--local_size=1", "--num_groups=1"});
  EXPECT_TRUE(settle(*o, Source{"k.cu", ""}));
  EXPECT_EQ(o->dialect, ir::Dialect::cuda);
  o->dialect.reset();
  EXPECT_TRUE(settle(*o, Source{"-", "__kernel void f() {}"}));
  EXPECT_EQ(o->dialect, ir::Dialect::opencl);
  o->dialect.reset();
  EXPECT_FALSE(settle(*o, Source{"-", "int x;"}));
}

TEST(Header, expectation_options_and_patterns) {
  const auto h = read_header(make_source(
      "dir/kernel.cl",
      "//xfail:not_all_verified\n//--local_size=64 --boogie-file=${KERNEL_DIR}/a.bpl\n//kernel.cl:12:(8|9): "
      "error\n//race on A\\[4\\]\n\n// no pattern\n"));
  ASSERT_TRUE(h) << render(h.error());
  ASSERT_TRUE(*h);
  EXPECT_EQ((*h)->expected, Ending::not_all_verified);
  EXPECT_EQ((*h)->words, (std::vector<std::string>{"--local_size=64", "--boogie-file=dir/a.bpl"}));
  EXPECT_EQ((*h)->patterns.size(), 2u);
  EXPECT_EQ(missing_pattern(**h, "x\nkernel.cl:12:9: error\npossible race on A[4]\n"), "");
  EXPECT_EQ(missing_pattern(**h, "kernel.cl:12:9: error\n"), "race on A\\[4\\]");
}

TEST(Header, the_first_line_has_nothing_else) {
  for (const char* line : {"//pass extra words", "//passes", "//xfail:NOT_ALL_VERIFIED always"}) {
    const auto h = read_header(make_source("k.cl", std::string(line) + "\n//--local_size=8 --num_groups=2\n"));
    ASSERT_FALSE(h) << line;
    EXPECT_NE(render(h.error()).find("k.cl:1:1: error: "), std::string::npos) << render(h.error());
    EXPECT_NE(render(h.error()).find("too many"), std::string::npos) << render(h.error());
  }
}

TEST(Header, files_without_one_and_mistakes) {
  EXPECT_FALSE(*read_header(make_source("k.cl", "__kernel void f() {}\n")));
  EXPECT_TRUE(*read_header(make_source("k.cl", "//PASS\n//\n")));
  const auto bad = read_header(make_source("k.cl", "//xfail:NOT_ALL_VERIFIEDD\n//\n"));
  ASSERT_FALSE(bad);
  EXPECT_NE(render(bad.error()).find("did you mean 'NOT_ALL_VERIFIED'?"), std::string::npos);
  EXPECT_FALSE(read_header(make_source("k.cl", "//pass\nint x;\n")));
  EXPECT_FALSE(read_header(make_source("k.cl", "//pass\n//\n//(\n")));
}

// A kernel's second line is a stranger's: none of these may reach clang, a solver or a file outside its folder.
class HeaderLine : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(home_ + "/include");
    fs::create_directory(folder_.path() + "/secret");
    std::ofstream(home_ + "/axioms.bpl") << "axiom true;";
    std::ofstream(folder_.path() + "/secret/axioms.bpl") << "axiom true;";
    fs::create_directory_symlink("../secret", home_ + "/way-out");
    fs::create_symlink("../secret/axioms.bpl", home_ + "/out.bpl");
    fs::create_directory_symlink("include", home_ + "/way-in");
  }
  // The message; "" if the line is taken.
  std::string said(const std::string& line) const {
    const auto h = read_header(make_source(home_ + "/kernel.cl", "//pass\n//" + line + "\n__kernel void f() {}\n"));
    return h ? "" : render(h.error());
  }
  const ScratchFolder folder_;
  const std::string home_ = folder_.path() + "/home";
};

TEST_F(HeaderLine, what_could_run_code_or_touch_other_files_is_refused_at_its_place) {
  for (const char* line :
       {// clang's own front end: plugins, outputs, other inputs
        "--clang-opt=-fpass-plugin=/tmp/x.so", "--clang-opt=-load", "--clang-opt=-fplugin=x.so", "--clang-opt=-plugin",
        "--clang-opt=-Xclang", "--clang-opt=-o", "--clang-opt=-include", "--clang-opt=-include/etc/passwd",
        "--clang-opt=@/tmp/response", "--clang-opt=--config", "--clang-opt=-working-directory=/", "--clang-opt=-MF",
        "--clang-opt=-dependency-file", "--clang-opt=-mllvm", "--clang-opt=-I/etc", "--clang-opt=-isystem/etc",
        "--clang-opt=-emit-obj", "--clang-opt=-serialize-diagnostic-file", "--clang-opt=/etc/passwd", "--clang-opt=-",
        "--clang-opt -fpass-plugin=/tmp/x.so", "--clang=-fpass-plugin=x", "--cl=-load", "--clang-opt=-Wp,-MD,/tmp/x",
        "--clang-opt=-Wl,x", "--clang-opt=-Wa,x", "--clang-opt=-w", "--clang-opt=-Wx=/tmp/y",
        // our own options that write, start programs, or make a pass of nothing
        "--smt-dump=/tmp/x", "--smt-d=/tmp/x", "--output=/tmp/x", "--out=x", "--table=/tmp/x", "--plot=/tmp/x",
        "--compare=/etc/passwd", "--suite=/", "--second-opinion=z3", "--print-ir", "--help", "--version", "--mutants",
        "--again=stripped", "--format=html", "--jobs=1000", "-j1000", "-h",
        // files elsewhere
        "-I/etc", "-I /etc", "-I..", "-I${KERNEL_DIR}/..", "-I${KERNEL_DIR}/include/../..", "-I${KERNEL_DIR}/way-out",
        "-I=/etc", "-I-", "-I${KERNEL_DIR}2", "--boogie-file=/etc/passwd",
        "--boogie-file=${KERNEL_DIR}/../secret/axioms.bpl", "--boogie-file=${KERNEL_DIR}/out.bpl",
        "--boogie-file=${KERNEL_DIR}/way-out/axioms.bpl", "--boogie-file=-",
        // macros that are more than macros
        "-DX=\"/etc/passwd\"", "-DX='a'", "-DX=1\\", "-DX=#include", "-DX=a\r#include", "-D=1", "-D1X", "-D-o",
        "-DX=\x01", "-DX\x7f", "-D", "-DX=\xff", "--std=CL1.2 --output=/tmp/x", "--std=../x", "--std=c++17,x",
        // operands and the end of options
        "other.cl", "@response", "--", "-", "-- --output=/tmp/x", "--local_size=64 /etc/passwd"}) {
    const std::string why = said(std::string("--local_size=64 --num_groups=2 ") + line);
    if (std::string(line) == "-D") continue;  // lacks its value, which the parser says
    EXPECT_NE(why.find("kernel.cl:2:"), std::string::npos) << line << ": " << why;
    EXPECT_NE(why.find(": error: "), std::string::npos) << line << ": " << why;
  }
}

TEST_F(HeaderLine, what_describes_the_launch_and_the_question_is_taken) {
  for (const char* line :
       {"--local_size=64 --num_groups=[2,*] --no-inline", "--blockDim=2 --gridDim=[64,64] --equality-abstraction",
        "-DWIDTH=256 -D N=(4*2) -DF(x)=x", "--clang-opt=-Wno-uninitialized --clang-opt=-Werror=shadow",
        "--vcgen-op=/checkArrays:A,B", "--boogie-file=${KERNEL_DIR}/axioms.bpl",
        "-I${KERNEL_DIR} -I$KERNEL_DIR/include -I${KERNEL_DIR}/way-in",
        "--cruncher-opt=/displayLoopAbstractions --debug --infer-info",
        "--kernel-args=foo,0x3 --warp-sync=16 --k-induction-depth=2 --loop-unwind=2", "--std=CL2.0 --global_offset=64",
        ""})
    EXPECT_EQ(said(line), "") << line;
}

TEST_F(HeaderLine, the_last_word_takes_nothing_from_the_command_line) {
  const auto h =
      read_header(make_source(home_ + "/kernel.cl", "//pass\n//--local_size=1 --num_groups=1 --clang-opt\n"));
  ASSERT_TRUE(h && *h);
  EXPECT_FALSE(options_of(**h, {"--smt-dump=/tmp/x"}));
  const auto good = read_header(make_source(home_ + "/kernel.cl", "//pass\n//--local_size=1 --num_groups=1\n"));
  const auto o = options_of(**good, {"--smt-dump=/tmp/x", "--local_size=2"});
  EXPECT_EQ(o->smt_dump, "/tmp/x") << "the command line is the user's own";
}

TEST_F(HeaderLine, a_folder_that_is_called_like_the_variable) {
  fs::create_directory(home_ + "/$KERNEL_DIR");
  EXPECT_TRUE(read_header(make_source(home_ + "/$KERNEL_DIR/kernel.cl", "//pass\n//-I$KERNEL_DIR\n")));
}

TEST(Header, places_of_bad_options_are_in_the_file) {
  const auto h = read_header(make_source("k.cl", "//pass\n//--local_size=64 --num_grups=2\n"));
  const auto o = parse((*h)->words, (*h)->line);
  ASSERT_FALSE(o);
  EXPECT_NE(render(o.error()).find("k.cl:2:19: error"), std::string::npos) << render(o.error());
}

TEST(Options, the_manual_has_the_table) {
  const auto page = read_file(FENCEPOST_SOURCE_DIR "/docs/prove.md");
  ASSERT_TRUE(page);
  EXPECT_NE((*page)->text.find(markdown()), std::string::npos) << "docs/prove.md should hold:\n" << markdown();
}

TEST(Options, the_help_names_every_option) {
  const std::string text = help();
  for (const OptionInfo& i : option_table()) EXPECT_NE(text.find(i.name), std::string::npos) << i.name;
}

}  // namespace
}  // namespace fencepost::launch
