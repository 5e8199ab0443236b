#include "fleet/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/child.h"
#include "base/write_file.h"

namespace fencepost::fleet {
namespace {

constexpr auto k_limit = std::chrono::seconds(60);  // of one command; a busy controller takes its time

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string in_shell(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Expected<std::string> ask(std::vector<std::string> words) {
  const ScratchFolder scratch;
  if (scratch.path().empty()) return error_at({}, "no folder for temporary files can be made");
  const std::string name = std::filesystem::path(words.front()).filename().string();
  // Jobs get the environment of sbatch, and the folder that run_child names there is gone by then.
  const char* own = std::getenv("TMPDIR");
  std::vector<std::string> head = {"/usr/bin/env"};
  // A person's own choice of what squeue lists must not hide a job.
  for (const char* name : {"SQUEUE_ACCOUNT", "SQUEUE_FORMAT", "SQUEUE_FORMAT2", "SQUEUE_LICENSES", "SQUEUE_NAMES",
                           "SQUEUE_PARTITION", "SQUEUE_QOS", "SQUEUE_SORT", "SQUEUE_STATES", "SQUEUE_USERS",
                           "SBATCH_ARRAY_INX", "SBATCH_JOB_NAME", "SBATCH_REQUEUE", "SBATCH_WAIT"})
    head.insert(head.end(), {"-u", name});
  if (own == nullptr) head.insert(head.end(), {"-u", "TMPDIR"});
  if (own != nullptr) head.push_back(fmt::format("TMPDIR={}", own));
  words.insert(words.begin(), head.begin(), head.end());
  const ChildResult r = run_child(words, scratch.path() + "/said", k_limit);
  if (r.timed_out) return error_at({}, fmt::format("{} gave no answer in {} s", name, k_limit.count()));
  if (!r.good()) return error_at({}, fmt::format("{} failed ({}): {}", name, r.status, first_line(r.output)));
  return r.output;
}

// What comes after the last of these is another state: RUNNING, PENDING, COMPLETING, CONFIGURING, SUSPENDED, ...
bool has_ended(std::string_view state) {
  for (const char* s : {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
                        "PREEMPTED", "REVOKED", "TIMEOUT"})
    if (state == s) return true;
  return false;
}

}  // namespace

std::string array_of(const std::vector<uint32_t>& tasks) {
  std::vector<uint32_t> sorted = tasks;
  std::sort(sorted.begin(), sorted.end());
  std::string out;
  for (size_t i = 0; i < sorted.size();) {
    size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    out += out.empty() ? "" : ",";
    out += end - i > 1 ? fmt::format("{}-{}", sorted[i], sorted[end - 1]) : fmt::format("{}", sorted[i]);
    i = end;
  }
  return out;
}

Expected<Look> look_of(const std::string& printed, std::vector<std::string>& held) {
  Look out;
  std::map<uint32_t, uint64_t> newest;  // task -> the job whose end is told
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    std::vector<std::string> parts;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '|');) parts.push_back(cell);
    parts.resize(std::max<size_t>(parts.size(), 5));
    uint64_t job = 0;
    uint32_t task = 0;
    const auto whole = [](const std::string& text, auto& to) {
      const auto r = std::from_chars(text.data(), text.data() + text.size(), to);
      return r.ec == std::errc() && r.ptr == text.data() + text.size() && !text.empty();
    };
    // A line that is not understood might be a task at work: nothing is submitted on a guess.
    if (!whole(parts[0], job) || !whole(parts[1], task) || parts[2].empty())
      return error_at({}, fmt::format("squeue printed '{}', which is not understood", line));
    if (!has_ended(parts[2])) {
      if (parts[2] == "PENDING" && parts[4].find("launch failed") != std::string::npos) {
        held.push_back(fmt::format("{}_{}", job, task));
        continue;
      }
      out.at_work.insert(task);
      if (parts[2] != "PENDING")
        ++out.running;
      else if (parts[4] != "None")
        out.waits_for = parts[4];
      continue;
    }
    if (job < newest[task]) continue;
    newest[task] = job;
    out.ended[task] = parts[3].empty() ? parts[2] : fmt::format("{} on {}", parts[2], parts[3]);
  }
  for (const uint32_t task : out.at_work) out.ended.erase(task);
  return out;
}

Slurm::Slurm(const Folder& folder) : folder_(folder), began_(std::chrono::steady_clock::now()) {}

Expected<Slurm> Slurm::make(const Folder& folder, const Tasks& tasks, std::string program, uint32_t at_a_time,
                            std::vector<std::string> options) {
  for (const std::string& word : options)
    for (const char* taken : {"--array", "--job-name", "--wrap", "--chdir", "--output", "--wait", "--test-only", "-a",
                              "-J", "-D", "-o", "-W"})
      if (word == taken || word.starts_with(std::string(taken) + "=") || (taken[1] != '-' && word.starts_with(taken)))
        return error_at({}, fmt::format("--sbatch {}: '{}' is set by the program itself", word, taken), "leave it out");
  Slurm out(folder);
  out.id_ = tasks.id;
  out.program_ = std::move(program);
  out.at_a_time_ = at_a_time;
  out.options_ = std::move(options);
  for (const auto& [name, to] :
       {std::pair{"sbatch", &out.sbatch_}, {"squeue", &out.squeue_}, {"scancel", &out.scancel_}}) {
    *to = find_program(name, {"/usr/local/slurm/bin", "/opt/slurm/bin"});
    if (to->empty())
      return error_at({}, fmt::format("there is no '{}' on PATH", name),
                      "--engine slurm is for a login node of a cluster; --engine local needs nothing");
  }
  return out;
}

Expected<Look> Slurm::look() {
  const auto said = ask({squeue_, "--name=" + id_, "--noheader", "--array", "--states=all", "--format=%F|%K|%T|%N|%r"});
  if (!said) return std::unexpected(said.error());
  std::vector<std::string> held;
  auto out = look_of(*said, held);
  for (const std::string& job : held)
    if (const auto gone = ask({scancel_, job}); !gone) return std::unexpected(gone.error());
  return out;
}

Expected<void> Slurm::start(const std::vector<uint32_t>& tasks) {
  const std::string script = folder_.file("task.sh");
  const Written written =
      write_file(script, fmt::format("#!/bin/sh\nexec {} campaign {} --task \"$SLURM_ARRAY_TASK_ID\"\n",
                                     in_shell(program_), in_shell(folder_.path())));
  if (!written) return std::unexpected(written.why);
  std::vector<std::string> words = {
      sbatch_,
      "--job-name=" + id_,
      "--parsable",
      "--no-requeue",
      "--chdir=" + folder_.path(),
      "--output=task-%a.log",
      "--open-mode=append",
      fmt::format("--array={}{}", array_of(tasks), at_a_time_ > 0 ? fmt::format("%{}", at_a_time_) : std::string())};
  words.insert(words.end(), options_.begin(), options_.end());
  words.push_back(script);
  if (const auto said = ask(words); !said) return std::unexpected(said.error());
  return {};
}

std::string Slurm::leave() { return fmt::format("its jobs stay in the queue, and `scancel --name={}` ends them", id_); }

bool Slurm::may_pass(const Diagnostics& why) const {
  const std::string& text = why.list.front().message;
  for (const char* part : {"no answer in", "contact slurm controller", "ocket timed out", "onnection refused",
                           "Zero Bytes", "temporarily", "onnection reset", "nvalid authentication"})
    if (text.find(part) != std::string::npos) return true;
  return false;
}

double Slurm::pause() const {
  // A controller serves many; who waits for hours may wait for a quarter of a minute.
  const auto age = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  return std::clamp(age / 60, 1.0, 15.0);
}

}  // namespace fencepost::fleet
