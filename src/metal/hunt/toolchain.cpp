#include "hunt/toolchain.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>

#include "base/child.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "hunt/patience.h"
#include "inspect/cubin.h"

namespace fencepost::hunt {
namespace {

std::string text_of(const std::string& path) {
  const auto read = read_file(path);
  return read ? (*read)->text : std::string();
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// "ptxas t.ptx, line 12; error   : Feature ..." -> line and message.
std::map<uint32_t, std::string> errors_of(const std::string& output) {
  static const std::regex pattern("line ([0-9]+); *(?:error|fatal) *: *([^\n]*)");
  std::map<uint32_t, std::string> out;
  for (std::sregex_iterator at(output.begin(), output.end(), pattern), end; at != end; ++at)
    out.emplace(static_cast<uint32_t>(std::stoul((*at)[1])), (*at)[2]);
  return out;
}

class Work {
 public:
  Work(const Configuration& c, const std::vector<PtxTest>& tests, const Job& job)
      : c_(c), tests_(tests), patience_(job, c.compiler.run), out_(tests.size()) {}

  std::vector<Compiled> all() {
    std::vector<size_t> every(tests_.size());
    for (size_t n = 0; n < every.size(); ++n) every[n] = n;
    some(every);
    return std::move(out_);
  }

 private:
  void fail(const std::vector<size_t>& which, const std::string& message) {
    for (const size_t n : which) out_[n] = {Compiled::State::failed, said(message), {}};
  }
  // No time is left: the tests are not judged, or the compiler does not end.
  void give_up(const std::vector<size_t>& which) {
    const auto state = patience_.job_is_over() ? Compiled::State::late : Compiled::State::failed;
    for (const size_t n : which) out_[n] = {state, patience_.time_out(), {}, state == Compiled::State::failed};
  }

  void some(std::vector<size_t> which) {
    while (!which.empty()) {
      std::vector<PtxTest> tests;
      for (const size_t n : which) tests.push_back(tests_[n]);
      const Module m = module_of(tests, c_.target);
      const ScratchFolder folder;
      if (folder.path().empty()) return fail(which, "no scratch folder could be made");
      const std::string ptx = folder.path() + "/t.ptx", cubin = folder.path() + "/t.cubin";
      if (!write_file(ptx, m.text)) return fail(which, "the scratch folder cannot be written");
      const ChildResult done = run_child(
          {c_.compiler.path, "-O" + std::to_string(c_.level), "-lineinfo", "-arch=" + c_.target, ptx, "-o", cubin},
          folder.path() + "/log", patience_.left());
      if (done.good()) return read(which, folder.path(), cubin);
      patience_.heard(done);
      if (patience_.is_over()) return give_up(which);
      const size_t before = which.size();
      refuse(which, m, done.output);
      if (which.size() != before) continue;
      return halves(which, "the compiler: " + how_it_ended(done), done.timed_out);
    }
  }

  void refuse(std::vector<size_t>& which, const Module& m, const std::string& output) {
    std::vector<size_t> dropped;
    for (const auto& [line, message] : errors_of(output)) {
      const auto at = std::upper_bound(m.lines.begin(), m.lines.end(), line);
      if (at == m.lines.begin() || at == m.lines.end()) continue;
      const size_t n = which[static_cast<size_t>(at - m.lines.begin()) - 1];
      if (std::find(dropped.begin(), dropped.end(), n) != dropped.end()) continue;
      out_[n] = {Compiled::State::refused, said(message), {}};
      dropped.push_back(n);
    }
    std::erase_if(which, [&](size_t n) { return std::find(dropped.begin(), dropped.end(), n) != dropped.end(); });
  }

  void halves(const std::vector<size_t>& which, const std::string& message, bool timed_out) {
    if (which.size() == 1) {
      fail(which, timed_out ? patience_.time_out() : message);
      out_[which.front()].timed_out = timed_out;
      if (message.find("Illegal instruction") != std::string::npos)
        out_[which.front()].state = Compiled::State::illegal;
      return;
    }
    const auto middle = which.begin() + static_cast<std::ptrdiff_t>(which.size() / 2);
    some({which.begin(), middle});
    some({middle, which.end()});
  }
  static std::string how_it_ended(const ChildResult& done) {
    if (!done.started) return "it could not be started";
    if (done.timed_out) return "it did not end";
    return fmt::format("it ended with status {}: {}", done.status, first_line(done.output));
  }

  void read(const std::vector<size_t>& which, const std::string& folder, const std::string& cubin) {
    const auto binary = inspect::read_cubin(text_of(cubin));
    if (!binary) return fail(which, binary.error().list.front().message);
    // A word of zeros is no instruction of any architecture; the disassembler would refuse the whole module for it.
    std::vector<size_t> good;
    for (size_t n = 0; n < which.size(); ++n) {
      const auto at = std::ranges::find(*binary, fmt::format("t{}", n), &inspect::CubinKernel::name);
      const bool zeros = at != binary->end() && std::ranges::any_of(at->code, [](const inspect::SassInstruction& i) {
                           return i.low == 0 && i.high == 0;
                         });
      if (zeros)
        out_[which[n]] = {Compiled::State::illegal, "an instruction of zeros: Illegal instruction", {}};
      else
        good.push_back(which[n]);
    }
    if (good.size() != which.size()) return some(good);
    const ChildResult listed =
        run_child({c_.compiler.disassembler, "-c", cubin}, folder + "/listing", patience_.left());
    if (!listed.good()) {
      patience_.heard(listed);
      if (patience_.is_over()) return give_up(which);
      const size_t error = listed.output.find("error");
      return halves(which,
                    "the disassembler: " + first_line(listed.output.substr(error == std::string::npos ? 0 : error)),
                    listed.timed_out);
    }
    const auto kernels = read_machine(*binary, text_of(folder + "/listing"));
    if (!kernels) return fail(which, kernels.error().list.front().message);
    std::map<std::string, const MachineKernel*> by_name;
    for (const MachineKernel& k : *kernels) by_name[k.name] = &k;
    for (size_t n = 0; n < which.size(); ++n) {
      const auto at = by_name.find(fmt::format("t{}", n));
      if (at == by_name.end())
        out_[which[n]] = {Compiled::State::failed, "the binary has no such kernel", {}};
      else
        out_[which[n]] = {Compiled::State::good, "", *at->second};
    }
  }

  const Configuration& c_;
  const std::vector<PtxTest>& tests_;
  Patience patience_;
  std::vector<Compiled> out_;
};

}  // namespace

namespace {

// "13.5.37", "" where it says none; nullopt: it does not run.
std::optional<std::string> version_of(const std::string& path) {
  const ScratchFolder folder;
  const ChildResult said = run_child({path, "--version"}, folder.path() + "/log", std::chrono::seconds(20));
  if (!said.good()) return std::nullopt;
  static const std::regex pattern("V([0-9]+\\.[0-9]+\\.[0-9]+)");
  std::smatch found;
  return std::regex_search(said.output, found, pattern) ? std::string(found[1]) : std::string();
}

}  // namespace

Expected<Compiler> open_compiler(const std::string& path, const std::string& disassembler) {
  Compiler out{path, disassembler, "", ""};
  const auto version = version_of(path);
  if (!version) return error_at({}, fmt::format("'{}' is not a ptxas that runs", path), "--compiler ptxas=PATH");
  if (version->empty()) return error_at({}, fmt::format("'{}' does not tell its version as ptxas does", path));
  out.version = *version;
  if (out.disassembler.empty()) {
    const std::string beside = (std::filesystem::path(path).parent_path() / "nvdisasm").string();
    std::error_code ignored;
    out.disassembler =
        std::filesystem::exists(beside, ignored) ? beside : find_program("nvdisasm", {"/usr/local/cuda/bin"});
  }
  if (out.disassembler.empty())
    return error_at({}, fmt::format("no nvdisasm beside '{}' nor on the PATH", path), "--disassembler PATH");
  out.disassembler_version = version_of(out.disassembler).value_or("");
  if (out.disassembler_version.empty()) out.disassembler_version = "unknown";
  return out;
}

std::vector<Compiled> compile(const Configuration& c, const std::vector<PtxTest>& tests, const Job& job) {
  return Work(c, tests, job).all();
}

}  // namespace fencepost::hunt
