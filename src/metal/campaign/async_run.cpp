#include "campaign/async_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/hash.h"
#include "code/kernel.h"
#include "device/cuda/cuda.h"
#include "emit/kernel_ptx.h"
#include "inspect/ptx_gate.h"

namespace fencepost::campaign {
namespace {

using async::Ptx9Module;
using async::Ptx9Settings;

constexpr uint32_t k_instances = 2048;  // of a launch
constexpr uint32_t k_first_cluster_sm = 90;
constexpr uint64_t k_ended = 1, k_gave_up = 3;
enum : size_t { k_memory, k_aliases, k_values, k_out, k_sync, k_scratch, k_settings, k_buffers };

uint64_t word64(const std::vector<uint32_t>& words, uint64_t byte) {
  return words[byte / 4] | uint64_t{words[byte / 4 + 1]} << 32;
}

}  // namespace

AsyncRun::AsyncRun(AsyncRun&& other) noexcept
    : module_(std::move(other.module_)),
      backend_(other.backend_),
      loaded_(other.loaded_),
      buffers_(std::exchange(other.buffers_, {})),
      initial_(std::move(other.initial_)) {}

AsyncRun::~AsyncRun() {
  for (size_t b = 0; b < buffers_.size(); ++b)
    if (b != k_aliases) backend_->release(buffers_[b]);
}

Expected<AsyncRun> AsyncRun::make(const prog::Test& test, const Options& options, device::Backend& backend,
                                  Setup& setup) {
  const device::Info& info = backend.info();
  const uint32_t sm = device::cuda::sm_of(info);
  if (sm < k_first_cluster_sm)
    return unsupported_at(test.span, fmt::format("{} does not run tests of asynchronous PTX", info.id),
                          "CUDA devices of compute capability 9.0 and later do");
  if (options.shape != plan::Shape{} || options.parameters != plan::Parameters{} || options.series_room != 0)
    return error_at({}, "modes, regions, parameters and series are not for tests of asynchronous PTX",
                    "leave the options out: a round group draws delays and traffic by its seed");
  auto m = async::ptx9_module(test, sm);
  if (!m) return std::unexpected(m.error());
  if (!m->no_program.empty())
    return unsupported_at(test.span, m->no_program + ", which runs do not make",
                          "'fencepost emit --target ptx' writes the kernel");
  if (m->aliases)
    return unsupported_at(test.span, "a location has two addresses, and runs map memory once",
                          "'fencepost emit --target cuda-source' writes a program that maps it twice");
  if (!m->map_at.empty())
    return unsupported_at(test.span, "the test reads a tensor map, which runs do not make",
                          "'fencepost emit --target cuda-source' writes a program that makes it");
  if (!m->untold.empty() && test.condition.kind != prog::Cond::Kind::always)
    return unsupported_at(test.span, fmt::format("{}, whose value no program can tell", m->untold.front()),
                          "ask for other registers and locations");
  auto tree = plan::tree_of(test, true);
  if (!tree) return std::unexpected(tree.error());
  setup.device = info;
  setup.language = backend.language();
  std::vector<bool> shared;
  for (const prog::Object& o : test.objects) shared.push_back(o.home != prog::k_none);
  setup.placement = plan::placement_name(*tree, shared);
  setup.tree = plan::to_string(*tree);
  setup.word_bits = 64;
  setup.observables = m->observables;
  setup.plan_hash = hex16(fnv1a(m->text));
  AsyncRun out(std::move(*m), backend);
  code::Kernel kernel;
  kernel.name = "test";
  for (const char* name : {"memory", "aliases", "values", "out", "sync", "scratch", "settings"})
    kernel.buffers.push_back({name, false});
  const auto loaded = backend.load({device::Language::ptx, out.module_.text, {kernel}});
  if (!loaded) return std::unexpected(loaded.error());
  out.loaded_ = *loaded;
  const device::Binary binary = backend.binary(*loaded);
  setup.binary_kind = binary.kind;
  setup.binary_hash = hex16(fnv1a(binary.bytes));
  emit::PtxText text;
  text.kernel = "test";
  text.sites = out.module_.sites;
  if (binary.kind == "cubin")
    setup.what_ran = inspect::what_ran(text, binary.bytes);
  else
    setup.what_ran.reason = fmt::format("the driver gave no machine code but {}", binary.kind);
  if (setup.what_ran.verdict == inspect::WhatRan::as_written) setup.evidence = Evidence::as_written;
  if (const auto ok = out.reserve(); !ok) return std::unexpected(ok.error());
  return out;
}

Expected<void> AsyncRun::reserve() {
  std::array<uint64_t, k_buffers> bytes{};
  bytes[k_memory] = uint64_t{module_.memory_bytes} * k_instances;
  bytes[k_values] = 16 * async::k_ptx9_values;
  bytes[k_out] = uint64_t{module_.out_bytes} * k_instances;
  bytes[k_sync] = uint64_t{async::k_ptx9_sync_bytes} * k_instances;
  bytes[k_scratch] = async::k_ptx9_scratch_bytes;
  bytes[k_settings] = 32;
  for (size_t b = 0; b < k_buffers; ++b) {
    if (b == k_aliases) {
      buffers_.push_back(buffers_[k_memory]);
      continue;
    }
    const auto made = backend_->allocate(bytes[b] / 4);
    if (!made) return std::unexpected(made.error());
    buffers_.push_back(*made);
    if (const auto ok = backend_->fill(*made, 0, bytes[b] / 4, 0); !ok) return ok;
  }
  for (uint32_t i = 0; i < k_instances; ++i)
    for (const uint64_t w : module_.memory) {
      initial_.push_back(static_cast<uint32_t>(w));
      initial_.push_back(static_cast<uint32_t>(w >> 32));
    }
  return {};
}

Expected<void> AsyncRun::run_group(const prog::Test& test, const Options& options, RoundGroup& g) {
  Rng rng(g.seed);
  Ptx9Settings s;
  static constexpr std::array<uint32_t, 6> k_delays = {0, 50, 200, 800, 3000, 12000};
  s.instances = k_instances;
  s.delay = k_delays[rng.below(k_delays.size())];
  s.touch = static_cast<uint32_t>(rng.below(2));
  const uint32_t traffic = rng.below(2) == 0 ? 0 : 4 * backend_->info().units;
  s.traffic = traffic == 0 ? 0 : 64u << rng.below(4);
  g.parameters = fmt::format("delay={},touch={},traffic={}x{}", s.delay, s.touch, traffic, s.traffic);
  g.groups = async::ptx9_groups(module_, s.instances, traffic);
  g.lanes = module_.lanes;
  g.rounds = 1;
  const auto start = Job::Clock::now();
  do {
    s.seed = static_cast<uint32_t>(rng.next());
    if (const auto ok = launch(test, options, s, traffic, g); !ok) return ok;
    g.seconds = std::chrono::duration<double>(Job::Clock::now() - start).count();
  } while (g.seconds < options.group_seconds && g.launches < options.most_launches);
  return {};
}

Expected<void> AsyncRun::launch(const prog::Test& test, const Options& options, const Ptx9Settings& s, uint32_t traffic,
                                RoundGroup& g) {
  std::vector<uint32_t> out(size_t{module_.out_bytes} / 4 * k_instances), memory(initial_.size());
  if (const auto ok = backend_->write(buffers_[k_memory], 0, initial_); !ok) return ok;
  if (const auto ok = backend_->write(buffers_[k_settings], 0, s.words()); !ok) return ok;
  if (const auto ok = backend_->fill(buffers_[k_out], 0, out.size(), 0); !ok) return ok;
  if (const auto ok = backend_->fill(buffers_[k_sync], 0, async::k_ptx9_sync_bytes / 4 * k_instances, 0); !ok)
    return ok;
  device::Launch l;
  l.module = loaded_;
  l.kernel = "test";
  l.groups = async::ptx9_groups(module_, s.instances, traffic);
  l.lanes = module_.lanes;
  l.limit = options.launch_limit;
  l.buffers = buffers_;
  const auto done = backend_->launch(l);
  if (!done) return std::unexpected(done.error());
  const device::Info& info = backend_->info();
  if (done->status != device::Outcome::Status::done)
    return error_at({}, fmt::format("{} ({}): kernel test {}", info.id, info.name,
                                    done->status == device::Outcome::Status::timed_out
                                        ? fmt::format("did not end within {:g} s", l.limit)
                                        : "was lost: " + done->message));
  g.device_seconds += done->seconds;
  ++g.launches;
  g.instances += s.instances;
  if (const auto ok = backend_->read(buffers_[k_out], 0, out); !ok) return ok;
  if (const auto ok = backend_->read(buffers_[k_memory], 0, memory); !ok) return ok;
  count(test, out, memory, g);
  return {};
}

void AsyncRun::count(const prog::Test& test, const std::vector<uint32_t>& out, const std::vector<uint32_t>& memory,
                     RoundGroup& g) const {
  for (uint64_t i = 0; i < k_instances; ++i) {
    bool corrupt = false, gave_up = false;
    for (const uint32_t at : module_.status_at) {
      const uint64_t status = word64(out, i * module_.out_bytes + at);
      corrupt = corrupt || (status != k_ended && status != k_gave_up);
      gave_up = gave_up || status == k_gave_up;
    }
    if (corrupt || gave_up) {
      ++(corrupt ? g.corrupt : g.incomplete);
      continue;
    }
    prog::State state;
    for (size_t k = 0; k < module_.where.size(); ++k) {
      const auto& w = module_.where[k];
      state.push_back({false, w.in_memory ? word64(memory, i * module_.memory_bytes + w.at)
                                          : word64(out, i * module_.out_bytes + w.at)});
    }
    if (plan::holds(test, module_.observables, state, test.filter))
      ++g.states[std::move(state)];
    else
      ++g.filtered;
  }
}

}  // namespace fencepost::campaign
