// micro: the parts of a verdict, timed inside the process.
#include <benchmark/benchmark.h>

#include "cat/library.h"
#include "check/check.h"
#include "read/read.h"
#include "ring_tests.h"

using namespace fencepost;

namespace {

const char* const k_models[] = {"ptx-7.5", "vulkan", "opencl"};

struct Fixture {
  std::string text;
  prog::Test test;
  cat::Model model;
};

// Message passing of `threads` threads; `dialect` 0, 1, 2 with its default model.
Fixture fixture(int64_t dialect, int64_t threads, bool synchronised) {
  const auto d = static_cast<vocab::Dialect>(dialect);
  Fixture f;
  f.text = bench::ring(bench::Family::mp, d, static_cast<uint32_t>(threads), synchronised);
  f.test = read::parse_one(make_source("mp.litmus", f.text)).value();
  f.model = cat::load_model(k_models[dialect], d).value();
  return f;
}

void parse(benchmark::State& state) {
  const Fixture f = fixture(state.range(0), 2, true);
  for (auto _ : state) benchmark::DoNotOptimize(read::parse_one(make_source("mp.litmus", f.text)));
}
BENCHMARK(parse)->DenseRange(0, 2);

void load_model(benchmark::State& state) {
  const auto d = static_cast<vocab::Dialect>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(cat::load_model(k_models[state.range(0)], d));
}
BENCHMARK(load_model)->DenseRange(0, 2);

void enumerate(benchmark::State& state) {
  const Fixture f = fixture(state.range(0), 3, true);
  for (auto _ : state) {
    Job job;
    benchmark::DoNotOptimize(check::enumerate(f.test, f.model, {}, job));
  }
}
BENCHMARK(enumerate)->DenseRange(0, 2);

void solve(benchmark::State& state) {
  const Fixture f = fixture(state.range(0), state.range(1), true);
  for (auto _ : state) {
    Job job;
    benchmark::DoNotOptimize(check::solve(f.test, f.model, {}, job));
  }
}
BENCHMARK(solve)->ArgsProduct({{0, 1, 2}, {3, 10, 30}})->Unit(benchmark::kMillisecond);

void outcomes(benchmark::State& state) {
  const Fixture f = fixture(state.range(0), 3, false);
  for (auto _ : state) {
    Job job;
    benchmark::DoNotOptimize(check::outcomes(f.test, f.model, {}, job));
  }
}
BENCHMARK(outcomes)->DenseRange(0, 2);

}  // namespace

BENCHMARK_MAIN();
