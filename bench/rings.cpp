// rings: how the time of a verdict grows with the number of threads.
//
//   rings                            a table as CSV: family,variant,model,threads,verdict,seconds (median of 3)
//   rings FAMILY DIALECT N VARIANT   prints one ring; VARIANT is relaxed or synchronised
//
// Exit status 1 when a verdict is not the one that the ring is made for: relaxed rings are allowed except under
// sc, synchronised ones are forbidden everywhere.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "cat/library.h"
#include "check/check.h"
#include "read/read.h"
#include "ring_tests.h"

using namespace fencepost;
using namespace fencepost::bench;

namespace {

constexpr uint32_t k_sizes[] = {2, 4, 6, 10, 20, 50, 100};
constexpr double k_budget = 60;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int table() {
  int status = 0;
  fmt::print("family,variant,model,threads,verdict,seconds\n");
  for (const cat::ModelInfo& info : cat::shipped_models()) {
    const bool any = info.name == "sc";
    const auto model = cat::load_model(info.name, info.dialect);
    if (!model) {
      fmt::print(stderr, "{}", render(model.error()));
      return 1;
    }
    for (Family family : k_families)
      for (bool sync : {false, true})
        for (uint32_t n : k_sizes) {
          const std::string text = ring(family, info.dialect, n, sync);
          if (text.empty()) continue;
          const auto test = read::parse_one(make_source(fmt::format("{}.litmus", name(family)), text));
          if (!test) {
            fmt::print(stderr, "{}", render(test.error()));
            return 1;
          }
          std::vector<double> times;
          check::Result r;
          // Three runs, fewer when one is slow already.
          for (int k = 0; k < 3 && (k == 0 || times.front() < 2); ++k) {
            Job job = Job::with_budget(k_budget);
            const auto start = std::chrono::steady_clock::now();
            r = check::check(*test, *model, {}, job);
            times.push_back(seconds_since(start));
          }
          std::sort(times.begin(), times.end());
          fmt::print("{},{},{},{},{},{:.6f}\n", name(family), sync ? "synchronised" : "relaxed", info.name, n,
                     fencepost::name(r.verdict.status), times[times.size() / 2]);
          std::fflush(stdout);
          const Status wanted = sync || any ? Status::fails : Status::holds;
          if (r.verdict.status != wanted) {
            fmt::print(stderr, "{} {} {} with {} threads: {}, expected {}\n", info.name, name(family),
                       sync ? "synchronised" : "relaxed", n, fencepost::name(r.verdict.status),
                       fencepost::name(wanted));
            status = 1;
          }
        }
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return table();
  if (argc == 5)
    for (Family f : k_families)
      for (vocab::Dialect d : {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl})
        if (name(f) == std::string(argv[1]) && vocab::name(d) == std::string(argv[2])) {
          fmt::print("{}",
                     ring(f, d, static_cast<uint32_t>(std::stoul(argv[3])), argv[4] == std::string("synchronised")));
          return 0;
        }
  fmt::print(stderr, "usage: rings [mp|sb|lb|iriw ptx|vulkan|opencl THREADS relaxed|synchronised]\n");
  return 2;
}
