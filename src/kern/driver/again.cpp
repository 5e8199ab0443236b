#include "driver/again.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <filesystem>
#include <thread>

#include "base/job.h"
#include "base/read_file.h"
#include "ir/ir.h"

namespace fencepost::driver {
namespace {

using launch::Answer;
using launch::Ending;
using Again = launch::Options::Again;

constexpr size_t k_most_launches = 4;    // of defects that are tried again
constexpr double k_launch_seconds = 20;  // for each of them

struct Tested {
  bool counted = false, passed = false, bad_input = false;
  std::string line;
  double seconds = 0;
  // The second run.
  bool twice = false, same = false, slow = false;
  double again = 0;
  launch::Mutants mutants;
};

// Of this thread: other work on the machine does not count.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void timed(launch::AnswerFunction verify, const launch::Options& o, const SourcePtr& file, Answer& a) {
  const double begin = processor_seconds();
  verify(o, file, a);
  a.seconds = processor_seconds() - begin;
}

const char* decision(const Answer& a) {
  return a.exit_code == 3 ? "no decision" : a.exit_code == 0 ? "verified" : launch::name(a.ending);
}

std::string text_of(const launch::Launch& l) {
  const auto side = [](const std::vector<launch::Size>& sizes) {
    std::string out;
    for (const launch::Size& s : sizes) out += (out.empty() ? "" : ",") + (s ? std::to_string(*s) : std::string("*"));
    return out;
  };
  return fmt::format("[{}] x [{}]", side(l.local_size), side(l.num_groups));
}

// As it would have been typed, with nothing in the file to go by.
void strip(const std::vector<std::string>& words, SourcePtr& file, launch::Options& o) {
  const bool cuda = file->name.ends_with(".cu");
  const std::string folder = std::filesystem::path(file->name).parent_path().string();
  auto parsed = launch::parse(shuffled(words));
  if (parsed) o = std::move(*parsed);
  if (!o.dialect) o.dialect = cuda ? ir::Dialect::cuda : ir::Dialect::opencl;
  o.include_folders.push_back(folder.empty() ? "." : folder);
  file = make_source("input", without_comments(file->text));
}

// 16 times the threads, or any number of them. False: the launch has no such form.
bool resize(launch::Options& o, const Source& file, Again how) {
  if (!launch::settle(o, file)) return false;
  launch::Launch& l = o.launch;
  l.global_size.clear();
  if (how == Again::any_size) {
    for (launch::Size& s : l.local_size) s.reset();
    for (launch::Size& s : l.num_groups) s.reset();
    return true;
  }
  launch::Size& s = how == Again::groups_16 ? l.num_groups[0] : l.local_size[0];
  if (!s) return false;
  s = *s * 16;
  return true;
}

// Is there a launch of fixed sizes at which the kernel is refuted? Then the verdict does depend on the size; best if a
// run shows it. Where any size was asked for, the launches of its defects come first.
std::string other_witness(const launch::Options& given, const Answer& answer, const SourcePtr& file,
                          launch::AnswerFunction verify) {
  launch::Options o = given;
  std::string refuted;
  const auto shown = [&] {
    Answer a;
    verify(o, file, a);
    if (a.exit_code == 1 && refuted.empty()) refuted = "it is refuted at " + text_of(o.launch) + " too";
    return a.confirmed > 0;
  };
  o.timeout = given.timeout > 0 ? std::min(given.timeout, k_launch_seconds) : k_launch_seconds;
  for (size_t i = 0; i < answer.launches.size() && i < k_most_launches; ++i) {
    o.launch.local_size = answer.launches[i].local_size;
    o.launch.num_groups = answer.launches[i].num_groups;
    if (shown()) return "a run confirms a defect at " + text_of(o.launch);
  }
  o.timeout = std::min(o.timeout, 2.0);
  for (const uint64_t local :
       {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{8}, uint64_t{32}, uint64_t{65}, uint64_t{256}, uint64_t{512}})
    for (const uint64_t groups : {uint64_t{1}, uint64_t{2}, uint64_t{5}}) {
      for (size_t d = 0; d < o.launch.local_size.size(); ++d)
        o.launch.local_size[d] = d == 0 ? local : std::min<uint64_t>(local, 2);
      for (size_t d = 0; d < o.launch.num_groups.size(); ++d)
        o.launch.num_groups[d] = d == 0 ? groups : std::min<uint64_t>(groups, 2);
      if (shown()) return "a run confirms a defect at " + text_of(o.launch);
    }
  return refuted;
}

void second_run(Tested& t, const std::string& path, const std::vector<std::string>& words, SourcePtr file,
                launch::Options o, const Answer& first, const launch::Options& shared, launch::AnswerFunction verify) {
  if (shared.again == Again::stripped) {
    strip(words, file, o);
  } else if (first.exit_code != 0 || !resize(o, *file, shared.again)) {
    return;
  }
  o.compat = true;
  o.suite.clear();
  Answer a;
  timed(verify, o, file, a);
  t.twice = true;
  t.again = a.seconds;
  t.same = a.exit_code == first.exit_code && a.ending == first.ending;
  // Below a tenth of a second it is the front end and the machine that one measures.
  t.slow = a.seconds > 2 * first.seconds && a.seconds > 0.1;
  if (t.same && !t.slow) return;
  std::string why;
  if (!t.same && shared.again != Again::stripped) {
    if (a.confirmed > 0) {
      why = ", which a run confirms";
    } else if (a.exit_code == 1) {
      const std::string at = other_witness(o, a, file, verify);
      if (!at.empty()) why = "; " + at;
    }
  }
  t.line += t.same
                ? fmt::format("{}: {:.2f} s, then {:.2f} s at {}\n", path, first.seconds, a.seconds, text_of(o.launch))
                : fmt::format("{}: {}, then {}{}{}\n", path, decision(first), decision(a),
                              shared.again == Again::stripped ? "" : " at " + text_of(o.launch), why);
}

Tested run_test(const std::string& path, const launch::Options& shared, const std::vector<std::string>& words,
                launch::AnswerFunction verify) {
  Tested t;
  const auto file = read_file(path);
  if (!file) return {.counted = true, .bad_input = true, .line = render(file.error())};
  const auto header = launch::read_header(*file);
  if (!header) return {.counted = true, .bad_input = true, .line = render(header.error())};
  if (!*header) return t;
  t.counted = true;
  Answer a;
  launch::Options own;
  std::vector<std::string> all = (*header)->words;
  all.insert(all.end(), words.begin(), words.end());
  if (auto o = launch::options_of(**header, words); !o) {
    a.exit_code = 2;
    a.ending = Ending::command_line_error;
    for (const Diagnostic& d : o.error().list) a.err += render(d);
  } else {
    o->compat = true;
    own = *o;
    own.mutants = false;
    own.suite.clear();
    timed(verify, *o, *file, a);
    t.mutants = a.mutants;
  }
  const std::string why = judge(**header, a);
  t.passed = why.empty();
  t.seconds = a.seconds;
  if (shared.mutants) {
    if (a.exit_code == 0 && a.mutants.wrong != a.mutants.refuted) t.line = fmt::format("{}:\n{}", path, a.err);
  } else if (shared.again != Again::no) {
    if (own.launch.dimensions() > 0) second_run(t, path, all, *file, own, a, shared, verify);
  } else if (!t.passed) {
    t.line = fmt::format("{}: {}\n", path, why);
  }
  return t;
}

}  // namespace

std::string without_comments(const std::string& text) {
  std::string out;
  const size_t n = text.size();
  for (size_t i = 0; i < n;) {
    const char c = text[i];
    if (c == '/' && i + 1 < n && text[i + 1] == '/') {
      while (i < n && text[i] != '\n') {
        if (text[i] == '\\' && i + 1 < n && text[i + 1] == '\n') {
          out += '\n';
          ++i;
        }
        ++i;
      }
    } else if (c == '/' && i + 1 < n && text[i + 1] == '*') {
      const size_t end = std::min(text.find("*/", i + 2), n);
      out += ' ';
      for (; i < end; ++i)
        if (text[i] == '\n') out += '\n';
      i = std::min(n, end + 2);
    } else if (c == '"' || c == '\'') {
      out += text[i++];
      while (i < n && text[i] != c && text[i] != '\n') {
        if (text[i] == '\\' && i + 1 < n) out += text[i++];
        out += text[i++];
      }
      if (i < n && text[i] == c) out += text[i++];
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}

std::vector<std::string> shuffled(const std::vector<std::string>& words) {
  // `--name value`: the value goes with its name.
  std::vector<std::vector<std::string>> parts;
  for (const std::string& w : words) {
    if (!parts.empty() && !w.starts_with("-"))
      parts.back().push_back(w);
    else
      parts.push_back({w});
  }
  Rng rng(words.size() + 1);
  for (size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[rng.below(i)]);
  std::vector<std::string> out;
  for (const auto& p : parts) out.insert(out.end(), p.begin(), p.end());
  return out;
}

int suite_again(const launch::Options& o, const std::vector<std::string>& words, launch::AnswerFunction verify,
                const Output& output) {
  const auto found = launch::kernel_files(o.suite);
  if (!found) {
    for (const Diagnostic& d : found.error().list) output.err("fencepost: " + render(d));
    return 2;
  }
  const std::vector<std::string>& files = *found;
  std::vector<Tested> results(files.size());
  std::atomic<size_t> next = 0;
  std::vector<std::thread> workers;
  const uint32_t jobs = o.jobs > 0 ? o.jobs : std::max(1u, std::thread::hardware_concurrency());
  for (uint32_t w = 0; w < jobs; ++w)
    workers.emplace_back([&] {
      for (size_t i = next++; i < files.size(); i = next++) results[i] = run_test(files[i], o, words, verify);
    });
  for (std::thread& w : workers) w.join();
  size_t passed = 0, failed = 0, bad = 0, twice = 0, same = 0, slow = 0;
  double again = 0, before = 0;
  launch::Mutants m;
  for (const Tested& t : results) {
    if (!t.counted) continue;
    ++(t.passed ? passed : failed);
    if (t.twice) {
      ++twice;
      same += t.same ? 1 : 0;
      slow += t.same && t.slow ? 1 : 0;
      before += t.seconds;
      again += t.again;
    }
    m += t.mutants;
    bad += t.bad_input ? 1 : 0;
    if (t.bad_input)
      output.err(t.line);
    else if (o.list_failures)
      output.out(t.line);
  }
  output.out(fmt::format("{} passed, {} failed\n", passed, failed));
  if (o.mutants) {
    output.out(fmt::format("{} kernels, {} mutants, {} go wrong in a run: {} refuted, {} not decided, {} verified\n",
                           m.kernels, m.made, m.wrong, m.refuted, m.undecided, m.verified));
    return bad > 0 ? 2 : m.wrong == m.refuted ? 0 : 1;
  }
  output.out(
      fmt::format("{} decided twice: {} alike, {} not; {} took more than twice as long (in all {:.1f} s, then {:.1f} s "
                  "of processor time)\n",
                  twice, same, twice - same, slow, before, again));
  return bad > 0 ? 2 : twice == same ? 0 : 1;
}

}  // namespace fencepost::driver
