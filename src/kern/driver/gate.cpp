#include "driver/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/kernel_library.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "driver/again.h"
#include "driver/suite.h"

namespace fencepost::driver {
namespace {

using launch::Answer;

int fail(const Diagnostics& ds, const Output& output) {
  for (const Diagnostic& d : ds.list) output.err((d.span.source ? "" : "fencepost: ") + render(d));
  return !ds.list.empty() && ds.list.front().fault == Fault::unsupported ? 3 : 2;
}

// To a file; the exit code.
int write(const std::string& path, std::string_view text, const Output& output) {
  const Written w = write_file(path, printable(text));
  if (!w) fail(w.why, output);
  return w.code;
}

int suite(const launch::Options& o, const std::vector<std::string>& words, launch::AnswerFunction verify,
          const Output& output) {
  if (!std::filesystem::is_directory(o.suite))
    return fail(error_at({}, fmt::format("'{}' is not a folder", o.suite), "--suite=DIR").error(), output);
  if (!o.output.empty())
    return fail(error_at({}, "--output is of one file: a suite writes a table", "--table=FILE.csv").error(), output);
  if (o.form != launch::Form::text)
    return fail(error_at({}, "the report of a suite is text, or a table", "--table=FILE.json").error(), output);
  if (o.again != launch::Options::Again::no || o.mutants) return suite_again(o, words, verify, output);
  std::optional<std::vector<Ran>> before;
  if (!o.compare.empty()) {
    auto read = read_table(o.compare);
    if (!read) return fail(read.error(), output);
    before = std::move(*read);
  } else if (!o.plot.empty()) {
    return fail(error_at({}, "--plot needs --compare", "the plot has the times of both tables").error(), output);
  }
  const auto stem = [](const std::string& path) { return std::filesystem::path(path).stem().string(); };
  const uint32_t jobs = o.jobs > 0 ? o.jobs : std::max(1u, std::thread::hardware_concurrency());
  const auto files = launch::kernel_files(o.suite);
  if (!files) return fail(files.error(), output);
  std::vector<Ran> rows = run_suite(*files, words, jobs, o.timeout, o.budget, verify);
  const size_t silent = std::erase_if(rows, [](const Ran& r) { return r.verdict.empty(); });
  if (rows.empty())
    return fail(error_at({}, fmt::format("no file below '{}' says what to expect of it", o.suite),
                         "the first line is //pass or //xfail:NOT_ALL_VERIFIED")
                    .error(),
                output);
  if (!o.table.empty()) {
    if (const int code = write(o.table, table(rows, o.table.ends_with(".json")), output); code != 0) return code;
  }
  size_t passed = 0, bad = 0;
  for (const Ran& r : rows) {
    passed += r.passed ? 1 : 0;
    if (bad_input(r)) output.err((++bad, r.detail + "\n"));
    if (o.list_failures && !r.passed) output.out(fmt::format("{}: {}\n", r.file, r.why));
  }
  output.out(fmt::format("{} passed, {} failed{}\n", passed, rows.size() - passed,
                         silent > 0 ? fmt::format(", {} say not what to expect of them", silent) : ""));
  if (!o.second_opinion.empty()) {
    launch::SecondOpinion all;
    for (const Ran& r : rows) {
      all.agreed += r.second.agreed;
      all.disagreed += r.second.disagreed;
      all.unanswered += r.second.unanswered;
      all.seconds += r.second.seconds;
      if (r.second.disagreed > 0) output.out(fmt::format("{}: {} disagrees\n", r.file, o.second_opinion));
    }
    output.out(fmt::format(
        "second opinion: {} of {} questions answered alike by {}, {} otherwise, {} not answered; {:.1f} s\n",
        all.agreed, all.agreed + all.disagreed + all.unanswered, o.second_opinion, all.disagreed, all.unanswered,
        all.seconds));
    if (all.disagreed > 0) return 4;
  }
  if (o.time) output.out(times(rows));
  if (before) output.out(compare(*before, rows));
  if (!o.plot.empty()) {
    const std::string picture = plot(*before, rows, stem(o.compare), o.table.empty() ? "this run" : stem(o.table));
    if (const int code = write(o.plot, picture, output); code != 0) return code;
  }
  return bad > 0 ? 2 : passed == rows.size() ? 0 : 1;
}

}  // namespace

Expected<launch::AnswerFunction> verifier() {
  const auto opened = kernel_library();
  if (!opened) return std::unexpected(opened.error());
  return reinterpret_cast<launch::AnswerFunction>(kernel_function(*opened, launch::k_answer_name));
}

std::string judge(const launch::Header& h, const Answer& a) {
  if (a.ending != h.expected)
    return fmt::format("expected {}, got {}", launch::name(h.expected),
                       a.exit_code == 3 ? "no decision" : launch::name(a.ending));
  const std::string missing = launch::missing_pattern(h, a.out + "\n" + a.err);
  return missing.empty() ? "" : fmt::format("the output has no '{}'", missing);
}

Expected<Named> named_in(const std::vector<std::string>& words) {
  const auto o = launch::parse(words);
  if (!o) return std::unexpected(o.error());
  Named n;
  n.inputs = o->files;
  n.inputs.insert(n.inputs.end(), o->axiom_files.begin(), o->axiom_files.end());
  n.outputs = {o->output};
  n.kernels = o->files;
  n.output = o->output;
  n.form = o->form;
  n.one_by_one = o->suite.empty() && !o->mutants && !o->help && !o->version;
  if (!o->cuda_path.empty()) n.toolkits = {o->cuda_path};
  n.budget = o->budget;
  for (const auto& [name, given] :
       {std::pair("--suite", !o->suite.empty()), std::pair("--mutants", o->mutants),
        std::pair("--second-opinion", !o->second_opinion.empty()), std::pair("--smt-dump", !o->smt_dump.empty()),
        std::pair("--clang-opt", !o->clang_arguments.empty()), std::pair("--cuda-path=env", o->cuda_path == "env")})
    if (given && n.forbidden.empty()) n.forbidden = name;
  return n;
}

int prove(const std::vector<std::string>& words, const Output& output, const std::string& alone) {
  auto o = launch::parse(words);
  if (!o) return fail(o.error(), output);
  if (!alone.empty()) o->files = {alone}, o->output.clear();
  if (o->help) {
    output.out(launch::help());
    return 0;
  }
  const auto verify = verifier();
  if (o->version) {
    std::string text = "no kernel verifier";
    if (const auto opened = kernel_library())
      reinterpret_cast<launch::VersionFunction>(kernel_function(*opened, launch::k_version_name))(text);
    output.out(text + "\n");
    return 0;
  }
  if (o->suite.empty() && o->files.empty())
    return fail(error_at({}, "'prove' needs a kernel file", "fencepost prove --help").error(), output);
  if (!o->suite.empty() && !o->files.empty())
    return fail(error_at({}, fmt::format("'{}' beside --suite", o->files[0]), "give a file or --suite=DIR").error(),
                output);
  if (!verify) return fail(verify.error(), output);
  if (!o->suite.empty()) return suite(*o, words, *verify, output);
  if (o->files.size() > 1)
    return fail(error_at({}, fmt::format("expected one FILE, found also '{}'", o->files[1]),
                         "--mutants are of one file; --suite=DIR takes many")
                    .error(),
                output);
  for (const std::string& name : o->ignored)
    output.err(fmt::format("fencepost: warning: {} has no effect here\n", name));
  auto file = read_file(o->files[0]);
  // To clang, "-" is what is left of the stream, which is nothing.
  if (file && o->files[0] == "-") file = make_source("<stdin>", (*file)->text);
  Answer a;
  (*verify)(*o, file, a);
  if (!o->output.empty()) {
    if (const int code = write(o->output, a.out + a.err, output); code != 0) return code;
  } else {
    if (!a.err.empty()) output.err(a.err);
    if (!a.out.empty()) output.out(a.out);
  }
  return a.exit_code;
}

}  // namespace fencepost::driver
