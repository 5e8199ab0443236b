// The gate on tests of asynchronous PTX: what ptxas makes of every bundled test, and of each with one fence, order or
// scope weakened in the text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "async/ptx9.h"
#include "inspect/cubin.h"
#include "inspect/ptx_gate.h"
#include "kernels.h"
#include "read/read.h"

using namespace fencepost;
using inspect::WhatRan;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> bundled() {
  std::vector<fs::path> out;
  for (const auto& e : fs::directory_iterator(FENCEPOST_SOURCE_DIR "/examples/ptx9"))
    if (e.path().extension() == ".litmus") out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<async::Ptx9Module> module_of(const fs::path& file) {
  const auto tests = read::parse_file(file.string());
  if (!tests) return std::nullopt;
  auto m = async::ptx9_module(tests->front());
  if (!m) return std::nullopt;
  return std::move(*m);
}

emit::PtxText sites_of(const async::Ptx9Module& m) {
  emit::PtxText out;
  out.kernel = "test";
  out.sites = m.sites;
  return out;
}

std::string told(const inspect::WhatRanReport& r) {
  std::string out = fmt::format("{} {}\n", name(r.verdict), r.reason);
  for (const auto& s : r.sites)
    out += fmt::format("  P{}.{} {}: {} ({})\n", s.role, s.position, s.written, s.found, name(s.verdict));
  return out;
}

}  // namespace

TEST(AsyncGate, EveryBundledTestIsAsWrittenOrNamed) {
  SKIP_WITHOUT_PTXAS();
  std::map<std::string, size_t> verdicts;
  for (const fs::path& file : bundled()) {
    const auto m = module_of(file);
    if (!m) continue;
    const auto out = device::cuda::assemble(*ptxas(), m->text, m->sm);
    if (out.cubin.empty()) continue;  // an older ptxas
    const auto r = inspect::what_ran(sites_of(*m), out.cubin);
    ++verdicts[name(r.verdict)];
    if (r.verdict != WhatRan::as_written) std::cout << file.filename() << " " << told(r);
  }
  for (const auto& [v, n] : verdicts) std::cout << v << " " << n << "\n";
}
