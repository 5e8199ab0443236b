#include "trial/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "base/job.h"
#include "campaign/kernel_text.h"
#include "inspect/ptx_gate.h"
#include "store/store.h"

namespace fencepost::trial {
namespace {

constexpr uint32_t k_small_total = 60;  // has 2, 3, 4, 5 and 6 as divisors
constexpr const char* k_any_order = " any-order";
constexpr uint32_t k_vulkan_steps = 1u << 22;  // where there is no clock

bool one_subgroup(const Options& o) {
  return o.variant == Variant::intra_warp || o.variant == Variant::intra_warp_lock_step;
}
bool is_reference(const device::Info& info) { return info.id.starts_with("reference"); }
bool on_host(const device::Info& info) { return info.api == device::Api::cpu || !info.runs_groups_together; }

// OpenCL C has none but through PTX, SPIR-V none.
bool has_clock(const device::Backend& b) {
  switch (b.language()) {
    case device::Language::code:
    case device::Language::ptx:
      return true;
    case device::Language::opencl_c:
      return campaign::takes_inline_ptx(b.info());
    case device::Language::spirv:
      return false;
  }
  return false;
}

template <class E>
std::optional<E> find_name(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<E>(found - names.begin());
}

const std::vector<std::string>& outcome_names() {
  static const std::vector<std::string> names = {"terminated", "starved", "hung"};
  return names;
}

}  // namespace

const std::vector<std::string>& variant_names() {
  static const std::vector<std::string> names = {"inter-workgroup", "intra-warp", "intra-warp-lock-step", "cooperative",
                                                 "intra-workgroup"};
  return names;
}
std::string_view to_string(Variant v) { return variant_names()[static_cast<size_t>(v)]; }
std::optional<Variant> variant_from(std::string_view name) { return find_name<Variant>(variant_names(), name); }
std::string_view to_string(Outcome o) { return outcome_names()[static_cast<size_t>(o)]; }
std::optional<Outcome> outcome_from(std::string_view name) { return find_name<Outcome>(outcome_names(), name); }

std::string threads_text(ThreadSet threads) {
  std::string out;
  for (; threads != 0; threads &= threads - 1)
    out += fmt::format("{}{}", out.empty() ? "" : ",", std::countr_zero(threads));
  return out;
}

std::optional<ThreadSet> threads_from(std::string_view text) {
  ThreadSet out = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    uint32_t t = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), t);
    if (read.ec != std::errc{} || read.ptr != word.data() + word.size() || t >= axb::k_max_threads) return std::nullopt;
    out |= ThreadSet{1} << t;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out;
}

uint32_t default_total(const device::Info& info, exports::Mapping mapping, uint32_t threads) {
  if (mapping == exports::Mapping::plain) return threads;
  const uint32_t most = on_host(info) ? k_small_total : exports::k_published_total;
  return std::max(std::min(most, info.max_groups) / threads, 1u) * threads;
}

double default_limit(const device::Info& info) {
  if (is_reference(info)) return 0.0005;
  return on_host(info) ? 1 : 0.1;
}

std::string variant_text(const Options& o, uint32_t total) {
  std::string out = fmt::format("{} total={}", to_string(o.variant), total);
  if (o.order != exports::Order::relaxed) out += fmt::format(" order={}", exports::to_string(o.order));
  if (o.loads != exports::Loads::add) out += fmt::format(" loads={}", exports::to_string(o.loads));
  if (!o.watchdog) out += " watchdog=none";
  if (o.contention != 0) out += fmt::format(" contention={}", o.contention);
  if (o.padding != 1) out += fmt::format(" padding={}", o.padding);
  if (o.mapping == exports::Mapping::hybrid) out += fmt::format(" seed={}", o.seed);
  if (o.table) out += fmt::format(" table={}", store::hash_of(exports::to_text(*o.table)));
  if (o.table && o.table->any_order) out += k_any_order;
  return out;
}

bool any_order(std::string_view variant_text) { return variant_text.find(k_any_order) != std::string_view::npos; }

std::string mapping_text(const Options& o) {
  return o.table ? o.table->name : std::string(exports::to_string(o.mapping));
}

Expected<Loaded> load_kernel(device::Backend& backend, const code::Kernel& kernel, bool lock_step) {
  const auto text = campaign::text_of({kernel}, backend.language(), backend.info(), lock_step);
  if (!text) return std::unexpected(text.error());
  const auto module = backend.load(text->source);
  if (!module) return std::unexpected(module.error());
  Loaded out{*module, backend.language() == device::Language::code ? "as-written" : "unverified"};
  if (!text->ptx) return out;
  const device::Binary binary = backend.binary(*module);
  if (binary.kind != "cubin") return out;
  const inspect::WhatRanReport report = inspect::what_ran(*text->ptx, binary.bytes);
  if (report.frame_missing > 0)
    out.what_ran =
        fmt::format("dropped: {} of {} accesses, first {}", report.frame_missing, report.frame, report.first_missing);
  else if (report.frame > 0)
    out.what_ran = "as-written";
  return out;
}

struct Trial::Impl {
  axb::Test test;
  Options options;
  device::Backend* backend = nullptr;
  Setup setup;
  code::Kernel kernel;
  device::ModuleId module = 0;
  std::vector<device::BufferId> buffers;  // in the order of Buffer
  std::vector<uint32_t> memory;           // its first contents
  exports::Layout layout;
  uint32_t spread = 1;          // invocations from one of the layout to the next
  std::vector<uint32_t> roles;  // role_table(layout, spread)

  ~Impl() {
    for (const device::BufferId b : buffers) backend->release(b);
  }

  uint32_t threads() const { return static_cast<uint32_t>(test.threads.size()); }
  device::BufferId buffer(Buffer b) const { return buffers[static_cast<size_t>(b)]; }
  Expected<void> check_options() const;
  Expected<void> place();
  Expected<void> fill();
  Expected<void> prepare(Modules* modules);
  Expected<Run> judge(Run run) const;
};

Expected<void> Trial::Impl::check_options() const {
  const device::Info& info = backend->info();
  for (const device::Defect& d : info.defects)
    if (d.refuses_loops)
      return unsupported_at(
          {}, fmt::format("progress tests wait in loops, and {} cannot be trusted with them: {}", info.id, d.what));
  if (options.order == exports::Order::seq_cst && backend->language() == device::Language::spirv)
    return unsupported_at({}, fmt::format("{} has no sequentially consistent fence (Vulkan)", info.id),
                          "--order relaxed or acq_rel");
  if (options.variant == Variant::intra_warp_lock_step && info.api != device::Api::cuda)
    return unsupported_at({}, fmt::format("{} has no build with lanes in lock step", info.id), "cuda has");
  if (options.variant == Variant::cooperative && info.api != device::Api::cuda)
    return unsupported_at({}, fmt::format("{} has no cooperative launch", info.id), "cuda has");
  const bool one_group = options.variant == Variant::intra_workgroup;
  if (one_subgroup(options) || one_group) {
    if (options.mapping != exports::Mapping::plain && options.mapping != exports::Mapping::round_robin)
      return unsupported_at({},
                            fmt::format("the {} mapping does not keep an instance in one {}", mapping_text(options),
                                        one_group ? "workgroup" : "subgroup"),
                            "--mapping plain or round-robin");
  }
  if (one_group && threads() * info.subgroup > info.max_lanes)
    return unsupported_at({}, fmt::format("{} subgroups of {} do not fit the workgroups of {}, which have {}",
                                          threads(), info.subgroup, info.id, info.max_lanes));
  if (one_subgroup(options)) {
    if (info.subgroup < threads())
      return unsupported_at({}, fmt::format("a test of {} threads does not fit the subgroups of {}, which have {}",
                                            threads(), info.id, info.subgroup));
  }
  return {};
}

// Total and size of a workgroup.
Expected<void> Trial::Impl::place() {
  const device::Info& info = backend->info();
  const uint32_t t = threads();
  const bool plain = options.mapping == exports::Mapping::plain;
  uint32_t& total = setup.total;
  if (const auto& table = options.table) {
    const auto launched = static_cast<uint32_t>(table->roles.size());
    if (table->threads != t)
      return error_at({}, fmt::format("mapping {} is for tests of {} threads, and this one has {}", table->name,
                                      table->threads, t));
    if (options.total != 0 && options.total != launched)
      return error_at({},
                      fmt::format("mapping {} lists {} invocations, and {} are to be launched", table->name, launched,
                                  options.total),
                      "leave --total out");
    options.total = launched;
  }
  total = options.total != 0 ? options.total : default_total(info, options.mapping, t);
  setup.lanes = 1;
  setup.resident = backend->resident_groups(module, kernel.name, 1);
  if (one_subgroup(options)) {
    setup.lanes = plain ? std::min(total, info.subgroup) : info.subgroup / t * t;
    if (options.total == 0) total = std::max(total / setup.lanes, 1u) * setup.lanes;
  }
  if (options.variant == Variant::intra_workgroup) {
    spread = info.subgroup;
    setup.lanes = t * spread;
    if (options.total == 0) total = plain ? setup.lanes : std::max(total / setup.lanes, 1u) * setup.lanes;
  }
  if (options.variant == Variant::cooperative && options.total == 0 && !plain && setup.resident >= t)
    total = std::min(total, setup.resident / t * t);
  if (total < t || total > exports::k_max_total)
    return error_at({}, fmt::format("{} launched invocations do not do for a test of {} threads", total, t),
                    fmt::format("--total {}..{}", t, exports::k_max_total));
  if (total % setup.lanes != 0)
    return error_at(
        {}, fmt::format("{} launched invocations are not a multiple of the workgroup of {}", total, setup.lanes),
        fmt::format("--total {}", (total / setup.lanes + 1) * setup.lanes));
  if (total / setup.lanes > info.max_groups)
    return error_at(
        {},
        fmt::format("{} takes launches of up to {} workgroups, not {}", info.id, info.max_groups, total / setup.lanes),
        fmt::format("--total {}", uint64_t{info.max_groups} * setup.lanes / t * t));
  layout = {options.mapping, t, total / spread, options.seed, options.table};
  setup.instances = exports::instances(layout);
  return {};
}

// Buffers and what does not change between runs.
Expected<void> Trial::Impl::fill() {
  const uint64_t words =
      std::max<uint64_t>(word_of(static_cast<uint32_t>(test.locations.size()), 0, setup.instances, options.padding), 1);
  if (words > (1u << 30))
    return error_at({}, fmt::format("{} words of memory are more than a run may use", words),
                    "a smaller --total or padding");
  memory.assign(words, 0);
  for (uint32_t l = 0; l < test.locations.size(); ++l)
    for (uint32_t i = 0; i < setup.instances; ++i)
      memory[word_of(l, i, setup.instances, options.padding)] = test.locations[l].init;
  roles = role_table(layout, spread);
  const auto ns = static_cast<uint64_t>(std::llround(setup.limit * 1e9));
  std::array<uint32_t, static_cast<size_t>(Parameter::count_)> parameters{};
  const auto set = [&](Parameter p, uint32_t v) { parameters[static_cast<size_t>(p)] = v; };
  set(Parameter::limit_low, static_cast<uint32_t>(ns));
  set(Parameter::limit_high, static_cast<uint32_t>(ns >> 32));
  set(Parameter::steps, has_clock(*backend) ? k_most_steps : k_vulkan_steps);
  set(Parameter::instances, setup.instances);
  set(Parameter::padding, options.padding);
  set(Parameter::contention, options.contention);
  const std::array<uint64_t, static_cast<size_t>(Buffer::count_)> sizes = {parameters.size(), roles.size(), words,
                                                                           k_sync_words, setup.total};
  for (const uint64_t size : sizes) {
    const auto made = backend->allocate(size);
    if (!made) return std::unexpected(made.error());
    buffers.push_back(*made);
  }
  if (const auto ok = backend->write(buffer(Buffer::parameters), 0, parameters); !ok) return ok;
  return backend->write(buffer(Buffer::roles), 0, roles);
}

Expected<void> Trial::Impl::prepare(Modules* modules) {
  if (const auto ok = axb::validate(test); !ok) return ok;
  if (const auto ok = check_options(); !ok) return ok;
  setup.device = backend->info();
  setup.limit = options.limit > 0 ? options.limit : default_limit(setup.device);
  kernel = make_kernel(test, {options.order, options.loads, options.watchdog});
  const bool lock_step = options.variant == Variant::intra_warp_lock_step;
  Modules own;
  if (modules == nullptr) modules = &own;
  std::string text = code::to_string(kernel) + (lock_step ? "lock step" : "");
  auto found = modules->find(text);
  if (found == modules->end()) {
    auto made = load_kernel(*backend, kernel, lock_step);
    if (!made) return std::unexpected(made.error());
    found = modules->emplace(std::move(text), std::move(*made)).first;
  }
  module = found->second.module;
  setup.what_ran = found->second.what_ran;
  if (const auto ok = place(); !ok) return ok;
  setup.variant = variant_text(options, setup.total);
  const device::Binary binary = backend->binary(module);
  setup.binary_kind = binary.kind;
  setup.binary_hash = store::hash_of(binary.bytes);
  return fill();
}

// What the table of ends says.
Expected<Run> Trial::Impl::judge(Run run) const {
  std::vector<uint32_t> ends(setup.total), sync(k_sync_words);
  if (const auto ok = backend->read(buffer(Buffer::ends), 0, ends); !ok) return std::unexpected(ok.error());
  if (const auto ok = backend->read(buffer(Buffer::sync), 0, sync); !ok) return std::unexpected(ok.error());
  uint32_t counted = 0, corrupt = 0;
  std::vector<bool> starved(setup.instances);
  for (uint32_t gid = 0; gid < setup.total; ++gid) {
    const uint32_t thread = roles[size_t{gid} * k_role_words], instance = roles[size_t{gid} * k_role_words + 1];
    const bool role = thread != k_no_thread;
    const auto end = static_cast<End>(ends[gid] & 0xff);
    const uint32_t pc = ends[gid] >> 8;
    if (ends[gid] == k_sentinel || !role) {
      corrupt += role || end != End::no_role;
      counted += !role;
      continue;
    }
    const size_t length = test.threads[thread].code.size();
    switch (end) {
      case End::ended:
        ++counted;
        corrupt += pc != length;
        continue;
      case End::waiting:
        run.waiting |= ThreadSet{1} << thread;
        break;
      case End::unstarted:
        run.unstarted |= ThreadSet{1} << thread;
        corrupt += pc != 0;
        break;
      default:
        ++corrupt;
        continue;
    }
    corrupt += pc >= length;
    starved[instance] = true;
  }
  if (corrupt > 0 || counted != sync[k_sync_counter])
    return error_at({}, fmt::format("{}: the run is corrupt: {} of {} results are impossible, {} invocations ended by "
                                    "their words and {} by the counter",
                                    setup.device.id, corrupt, setup.total, counted, sync[k_sync_counter]));
  run.starved_instances = static_cast<uint32_t>(std::count(starved.begin(), starved.end(), true));
  run.outcome = run.starved() != 0 ? Outcome::starved : Outcome::terminated;
  return run;
}

Trial::Trial(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Trial::Trial(Trial&&) noexcept = default;
Trial& Trial::operator=(Trial&&) noexcept = default;
Trial::~Trial() = default;
const Setup& Trial::setup() const { return impl_->setup; }

Expected<Trial> Trial::make(const axb::Test& test, const Options& options, device::Backend& backend, Modules* modules) {
  auto impl = std::make_unique<Impl>();
  impl->test = test;
  impl->options = options;
  impl->backend = &backend;
  if (const auto ok = impl->prepare(modules); !ok) return std::unexpected(ok.error());
  return Trial(std::move(impl));
}

Expected<Run> Trial::run(uint32_t number) {
  Impl& t = *impl_;
  device::Backend& b = *t.backend;
  b.begin(Rng(t.options.seed + 0x9e3779b97f4a7c15u * (uint64_t{number} + 1)).next());
  if (const auto ok = b.write(t.buffer(Buffer::memory), 0, t.memory); !ok) return std::unexpected(ok.error());
  if (const auto ok = b.fill(t.buffer(Buffer::sync), 0, k_sync_words, 0); !ok) return std::unexpected(ok.error());
  if (const auto ok = b.fill(t.buffer(Buffer::ends), 0, t.setup.total, k_sentinel); !ok)
    return std::unexpected(ok.error());
  device::Launch l;
  l.module = t.module;
  l.kernel = t.kernel.name;
  l.groups = t.setup.total / t.setup.lanes;
  l.lanes = t.setup.lanes;
  l.buffers = t.buffers;
  l.limit = t.options.launch_limit;
  l.cooperative = t.options.variant == Variant::cooperative;
  const auto done = b.launch(l);
  if (!done) return std::unexpected(done.error());
  Run run;
  run.instances = t.setup.instances;
  run.seconds = done->seconds;
  switch (done->status) {
    case device::Outcome::Status::done:
      return t.judge(run);
    case device::Outcome::Status::timed_out:
      run.outcome = Outcome::hung;
      return run;
    case device::Outcome::Status::lost:
      break;
  }
  return error_at(
      {}, fmt::format("{} ({}): the launch was lost: {}", t.setup.device.id, t.setup.device.name, done->message));
}

}  // namespace fencepost::trial
