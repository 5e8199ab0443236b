#include "campaign/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/hash.h"
#include "campaign/async_run.h"
#include "campaign/kernel_text.h"
#include "campaign/together.h"
#include "code/kernel.h"
#include "device/several.h"
#include "inspect/ptx_gate.h"
#include "plan/fitted.h"
#include "vocab/vocab.h"

namespace fencepost::campaign {
namespace {

using plan::BufferUse;
using plan::Phase;

constexpr uint32_t k_stale = 0x57a1e57a;

constexpr size_t index_of(BufferUse u) { return static_cast<size_t>(u); }
constexpr size_t index_of(Phase p) { return static_cast<size_t>(p); }

std::string hash_of(std::string_view bytes) { return hex16(fnv1a(bytes)); }

// A run with a round group's seed begins with that round group.
uint64_t mix(uint64_t seed, uint64_t number) {
  return number == 0 ? seed : Rng(seed ^ (0x9e3779b97f4a7c15u * (number + 1))).next();
}

std::unexpected<Diagnostics> dead(const device::Info& info, const std::string& kernel, const device::Outcome& o,
                                  double limit) {
  const std::string what = o.status == device::Outcome::Status::timed_out
                               ? fmt::format("kernel {} did not end within {:g} s", kernel, limit)
                               : fmt::format("kernel {} was lost: {}", kernel, o.message);
  return error_at({}, fmt::format("{} ({}): {}", info.id, info.name, what));
}

}  // namespace

const char* name(Evidence e) {
  switch (e) {
    case Evidence::as_written:
      return "as-written";
    case Evidence::language_level:
      return "language-level";
    case Evidence::none:
      return "none";
  }
  return "none";
}

void Totals::add(const RoundGroup& g) {
  for (const auto& [s, n] : g.states) states[s] += n;
  ++groups;
  launches += g.launches;
  instances += g.instances;
  corrupt += g.corrupt;
  incomplete += g.incomplete;
  filtered += g.filtered;
  waits += g.waits;
  time_outs += g.time_outs;
  seconds += g.seconds;
  device_seconds += g.device_seconds;
}

uint64_t positive(const prog::Test& test, const std::vector<prog::Observable>& observables,
                  const std::map<prog::State, uint64_t>& states) {
  uint64_t n = 0;
  for (const auto& [s, count] : states)
    if (plan::holds(test, observables, s, test.condition)) n += count;
  return n;
}

plan::Target target_of(const device::Info& info, const Options& options) {
  plan::Target t;
  t.units = std::max(info.units, 1u);
  t.subgroup = std::max(info.subgroup, 1u);
  t.max_lanes = std::min(info.max_lanes, 1024u);
  t.max_groups = std::min(info.max_groups, 65535u);
  t.shared_words = info.shared_bytes / 4;
  t.line_words = std::clamp(info.line_bytes / 4, 1u, 64u);
  t.groups_together = info.runs_groups_together;
  t.max_cluster = std::max(info.max_cluster, 1u);
  // Invocations of a workgroup take turns on a processor's thread.
  if (info.api == device::Api::cpu && !is_reference(info.id)) t.usual_lanes = 4;
  // Threads that must wake up first, or share a processor with others.
  if (!is_reference(info.id) && (info.api == device::Api::cpu || !info.runs_groups_together))
    t.align_limit = t.groups_together ? 1u << 16 : 1u << 24;
  // Processors lose weak outcomes when a round's memory leaves their caches; other devices want large launches.
  const bool host = info.api == device::Api::cpu || !info.runs_groups_together;
  for (const device::Defect& d : info.defects)
    if (d.refuses_loops) t.loop_budget = 32768;
  t.memory_words = is_reference(info.id)             ? 1u << 16
                   : host                            ? 1u << 20
                   : info.api == device::Api::vulkan ? 1u << 26
                                                     : uint64_t{1} << 28;
  if (options.memory_words != 0) t.memory_words = options.memory_words;
  if (info.memory_bytes != 0) t.memory_words = std::min<uint64_t>(t.memory_words, info.memory_bytes / 4 / 2);
  return t;
}

struct Runner::Impl {
  prog::Test test;
  Options options;
  device::Backend* backend = nullptr;
  Setup setup;
  plan::Target target;
  plan::Program program;
  std::array<device::ModuleId, 3> modules{};
  std::array<std::optional<std::pair<device::BufferId, uint64_t>>, plan::k_buffer_uses> buffers;  // with its words
  std::optional<Together> together;  // then no modules and buffers
  std::vector<uint32_t> interest;
  std::optional<AsyncRun> async;  // then no program, modules and buffers
  double counted_seconds = 0;     // of all launches of the round group at hand, as the device tells them

  ~Impl() {
    for (const auto& b : buffers)
      if (b) backend->release(b->first);
  }

  Expected<void> prepare();
  void give_way();
  void find_interest();
  Expected<void> load();
  Expected<void> load_ptx();
  Expected<void> reserve(const plan::Configuration& c);
  Expected<double> launch(Phase phase, uint32_t groups, uint32_t lanes, uint32_t cluster = 1);
  Expected<void> launch_all(const plan::Configuration& c, uint32_t number, RoundGroup& g);
  Expected<void> collect(const plan::Configuration& c, uint32_t number, RoundGroup& g);
};

Expected<void> Runner::Impl::prepare() {
  const device::Info& info = backend->info();
  target = target_of(info, options);
  device::Several* several = backend->several();
  if (several != nullptr) {
    target.access = access_of(*several);
    target.host = several->has_host();
    // Polls of a processor are quicker than a launch of a GPU begins.
    if (target.host) target.align_limit = std::max(target.align_limit, 1u << 16);
    // A location may be in the host's memory, which is reached slowly.
    target.memory_words = std::min(target.memory_words, uint64_t{1} << 26);
  }
  if (async::is_ptx9(test)) {
    if (several != nullptr)
      return unsupported_at(test.span,
                            "asynchronous instructions are run on one device, and " + info.id + " is several");
    auto run = AsyncRun::make(test, options, *backend, setup);
    if (!run) return std::unexpected(run.error());
    async.emplace(std::move(*run));
    return {};
  }
  auto made = plan::make_program(test, target, plan::with_clusters(options.shape, options.parameters));
  if (!made) return std::unexpected(made.error());
  program = std::move(*made);
  if (program.loops)
    for (const device::Defect& d : info.defects)
      if (d.refuses_loops)
        return unsupported_at(
            test.span, fmt::format("the test has loops, and {} cannot be trusted with them: {}", info.id, d.what));
  setup.device = info;
  setup.language = backend->language();
  setup.placement = plan::placement_name(program.tree, program.shared);
  setup.tree = plan::to_string(program.tree);
  setup.merged_subgroups = program.tree.merged;
  setup.observables = program.observables;
  for (const code::Operation& o : program.kernels[index_of(Phase::test)].operations)
    setup.word_bits = std::max<uint32_t>(setup.word_bits, o.place.width);
  std::string text;
  for (const code::Kernel& k : program.kernels) text += code::to_string(k);
  setup.plan_hash = hash_of(text);
  if (several != nullptr) {
    auto made = Together::make(program, *several, setup, target);
    if (!made) return std::unexpected(made.error());
    together.emplace(std::move(*made));
    give_way();
    find_interest();
    return {};
  }
  if (const auto ok = load(); !ok) return ok;
  for (uint32_t lanes = std::min(32u, target.max_lanes); lanes <= target.max_lanes; lanes *= 2)
    if (const uint32_t n = backend->resident_groups(modules[index_of(Phase::test)], "test", lanes); n > 0)
      target.resident.emplace_back(lanes, n);
  // More threads than processors wait for time slices, not for each other.
  const uint32_t needed = program.clusters ? 2 * program.tree.clusters * target.max_cluster : program.tree.blocks;
  if (info.api == device::Api::cpu) target.resident = {{target.max_lanes, std::max(target.units, needed)}};
  give_way();
  const device::Binary binary = backend->binary(modules[index_of(Phase::test)]);
  setup.binary_kind = binary.kind;
  setup.binary_hash = hash_of(binary.bytes);
  find_interest();
  return {};
}

void Runner::Impl::find_interest() {
  interest.assign(program.count_words(), 0);
  for (uint32_t s = 0; s < program.states; ++s) {
    const prog::State state = program.state(s);
    interest[s] = plan::holds(test, program.observables, state, test.filter) &&
                  plan::holds(test, program.observables, state, test.condition);
  }
  if (test.condition.kind == prog::Cond::Kind::always || options.series_room == 0)
    std::fill(interest.begin(), interest.end(), 0);
}

void Runner::Impl::give_way() {
  if (!options.give_way || async) return;
  options.parameters = plan::fitted(options.parameters, [&](const plan::Parameters& p) {
    return plan::draw(program, target, p, options.seed, options.series_room).has_value();
  });
}

Expected<void> Runner::Impl::load() {
  if (setup.language == device::Language::ptx) return load_ptx();
  const auto text = text_of({program.kernels.begin(), program.kernels.end()}, setup.language, setup.device);
  if (!text) return std::unexpected(text.error());
  const auto module = backend->load(text->source);
  if (!module) return std::unexpected(module.error());
  modules.fill(*module);
  if (setup.language == device::Language::code) {
    // The kernels are what runs; the backend's header says which machine instruction each operation is.
    setup.what_ran.verdict = inspect::WhatRan::as_written;
    setup.evidence = Evidence::as_written;
    return {};
  }
  setup.what_ran.reason = "the driver does not show its machine code";
  // With inline PTX the driver's text still is PTX: nobody has looked at machine code.
  const bool in_its_language = setup.language == device::Language::spirv
                                   ? test.dialect == vocab::Dialect::vulkan
                                   : test.dialect == vocab::Dialect::opencl && !takes_inline_ptx(setup.device);
  if (in_its_language) setup.evidence = Evidence::language_level;
  return {};
}

Expected<void> Runner::Impl::load_ptx() {
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const auto text = text_of({program.kernels[k]}, setup.language, setup.device);
    if (!text) return std::unexpected(text.error());
    const auto module = backend->load(text->source);
    if (!module) return std::unexpected(module.error());
    modules[k] = *module;
    if (k != index_of(Phase::test)) continue;
    setup.what_ran = what_ran(*text, backend->binary(*module));
    if (setup.what_ran.verdict == inspect::WhatRan::as_written) setup.evidence = Evidence::as_written;
  }
  return {};
}

// Buffers only grow: what a smaller configuration does not use keeps its old contents, which no kernel reads.
Expected<void> Runner::Impl::reserve(const plan::Configuration& c) {
  if (together) return together->reserve(c, interest);
  for (size_t u = 0; u < plan::k_buffer_uses; ++u) {
    const uint64_t words = std::max<uint64_t>(c.sizes[u], 1);
    if (buffers[u] && buffers[u]->second >= words) continue;
    if (buffers[u]) backend->release(buffers[u]->first);
    buffers[u].reset();
    const auto made = backend->allocate(words);
    if (!made) return std::unexpected(made.error());
    buffers[u] = {*made, words};
    if (const auto ok = backend->fill(*made, 0, words, 0); !ok) return ok;
    if (u == index_of(BufferUse::interest))
      if (const auto ok = backend->write(*made, 0, interest); !ok) return ok;
  }
  return {};
}

Expected<double> Runner::Impl::launch(Phase phase, uint32_t groups, uint32_t lanes, uint32_t cluster) {
  device::Launch l;
  l.module = modules[index_of(phase)];
  l.kernel = program.kernels[index_of(phase)].name;
  l.groups = groups;
  l.lanes = lanes;
  l.cluster = cluster;
  l.limit = options.launch_limit;
  l.wait = phase == Phase::test;  // the others have no loops that could hang, and reading the counts waits for them
  for (const BufferUse u : program.uses[index_of(phase)]) l.buffers.push_back(buffers[index_of(u)]->first);
  const auto done = backend->launch(l);
  if (!done) return std::unexpected(done.error());
  if (done->status != device::Outcome::Status::done) return dead(setup.device, l.kernel, *done, l.limit);
  counted_seconds += done->seconds;
  return done->seconds;
}

Expected<void> Runner::Impl::launch_all(const plan::Configuration& c, uint32_t number, RoundGroup& g) {
  if (together) {
    const auto seconds = together->launch(c, options.launch_limit, target, k_stale);
    if (!seconds) return std::unexpected(seconds.error());
    counted_seconds += *seconds;
    g.device_seconds += *seconds;
    return collect(c, number, g);
  }
  // The other kernels walk over all records with any number of invocations.
  const bool host = setup.device.api == device::Api::cpu;
  const uint32_t lanes = host ? 1 : std::min(256u, target.max_lanes);
  uint32_t groups = std::min(target.max_groups, host ? target.units : 8 * target.units);
  if (target.loop_budget > 0)
    groups = static_cast<uint32_t>(
        std::min<uint64_t>(target.max_groups, c.instances() * 4 / target.loop_budget / lanes + groups));
  // What an earlier launch left must not pass for this one's.
  for (const BufferUse u : {BufferUse::counts, BufferUse::sync})
    if (const auto ok = backend->fill(buffers[index_of(u)]->first, 0, c.sizes[index_of(u)], k_stale); !ok) return ok;
  if (const auto ok = launch(Phase::initialise, groups, lanes); !ok) return std::unexpected(ok.error());
  const auto seconds = launch(Phase::test, c.groups, c.lanes, c.cluster);
  if (!seconds) return std::unexpected(seconds.error());
  g.device_seconds += *seconds;
  if (const auto ok = launch(Phase::classify, groups, lanes); !ok) return std::unexpected(ok.error());
  return collect(c, number, g);
}

Expected<void> Runner::Impl::collect(const plan::Configuration& c, uint32_t number, RoundGroup& g) {
  std::vector<uint32_t> counts(program.count_words());
  const auto buffer_of = [&](BufferUse u) { return together ? together->main(u) : buffers[index_of(u)]->first; };
  if (const auto ok = backend->read(buffer_of(BufferUse::counts), 0, counts); !ok) return ok;
  const std::vector<device::BufferId> syncs =
      together ? together->syncs() : std::vector<device::BufferId>{buffer_of(BufferUse::sync)};
  using plan::ParameterId;
  const uint32_t every = of(c.drawn, ParameterId::align_every);
  const uint64_t each =
      of(c.drawn, ParameterId::align) != 0 ? uint64_t{(c.rounds + every - 1) / every} * c.map.groups : 0;
  const uint64_t waits = each * syncs.size();
  ++g.launches;
  g.instances += c.instances();
  // Every testing workgroup says once that it has come to its end, and how often it has waited.
  uint64_t time_outs = 0;
  bool whole = true;
  for (const device::BufferId b : syncs) {
    std::vector<uint32_t> sync(size_t{plan::k_sync_words} * plan::k_sync_stride);
    if (const auto ok = backend->read(b, 0, sync); !ok) return ok;
    const auto at = [&](uint32_t which) { return sync[size_t{which} * plan::k_sync_stride]; };
    whole = whole && at(plan::k_sync_done) == c.map.groups && at(plan::k_sync_waits) == each &&
            at(plan::k_sync_timeouts) <= each;
    time_outs += at(plan::k_sync_timeouts);
  }
  if (!whole) {
    g.corrupt += c.instances();
    return {};
  }
  uint64_t sum = 0;
  for (const uint32_t n : counts) sum += n;
  if (sum > c.instances()) {
    g.corrupt += c.instances();
    return {};
  }
  for (uint32_t s = 0; s < program.states; ++s) {
    if (counts[s] == 0) continue;
    prog::State state = program.state(s);
    if (plan::holds(test, program.observables, state, test.filter))
      g.states[std::move(state)] += counts[s];
    else
      g.filtered += counts[s];
  }
  g.corrupt += counts[program.corrupt()] + (c.instances() - sum);
  g.incomplete += counts[program.incomplete()];
  g.waits += waits;
  g.time_outs += time_outs;
  if (options.series_room == 0) return {};
  std::vector<uint32_t> series(1);
  const auto buffer = buffer_of(BufferUse::series);
  if (const auto ok = backend->read(buffer, 0, series); !ok) return ok;
  const uint32_t seen = series[0], kept = std::min(seen, options.series_room);
  g.series_lost += seen - kept;
  series.resize(plan::k_series_header + size_t{kept} * plan::k_series_words);
  if (const auto ok = backend->read(buffer, 0, series); !ok) return ok;
  for (uint32_t e = 0; e < kept; ++e) {
    const uint32_t* w = series.data() + plan::k_series_header + size_t{e} * plan::k_series_words;
    if (w[0] < program.states) g.series.push_back({program.state(w[0]), number, w[1], w[2]});
  }
  return {};
}

Runner::Runner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Runner::Runner(Runner&&) noexcept = default;
Runner& Runner::operator=(Runner&&) noexcept = default;
Runner::~Runner() = default;
const Setup& Runner::setup() const { return impl_->setup; }

Expected<Runner> Runner::make(const prog::Test& test, const Options& options, device::Backend& backend) {
  auto impl = std::make_unique<Impl>();
  impl->test = test;
  impl->options = options;
  impl->backend = &backend;
  if (const auto ok = impl->prepare(); !ok) return std::unexpected(ok.error());
  return Runner(std::move(impl));
}

void Runner::set(const plan::Parameters& parameters, uint64_t seed) {
  impl_->options.parameters = parameters;
  impl_->options.seed = seed;
  impl_->give_way();
}

const plan::Parameters& Runner::parameters() const { return impl_->options.parameters; }

const plan::Target& Runner::target() const { return impl_->target; }

Expected<RoundGroup> Runner::run_group(uint64_t number) {
  Impl& r = *impl_;
  RoundGroup g;
  g.number = number;
  g.seed = mix(r.options.seed, number);
  r.backend->begin(g.seed);
  if (r.async) {
    if (const auto ok = r.async->run_group(r.test, r.options, g); !ok) return std::unexpected(ok.error());
    return g;
  }
  r.counted_seconds = 0;
  const auto start = Job::Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Job::Clock::now() - start).count(); };
  const auto c = plan::draw(r.program, r.target, r.options.parameters, g.seed, r.options.series_room);
  if (!c) return std::unexpected(c.error());
  g.parameters = plan::to_string(c->drawn);
  g.groups = c->groups;
  g.lanes = c->lanes;
  g.rounds = c->rounds;
  if (const auto ok = r.reserve(*c); !ok) return std::unexpected(ok.error());
  if (!r.together)
    if (const auto ok = r.backend->write(r.buffers[index_of(BufferUse::parameters)]->first, 0, c->words); !ok)
      return std::unexpected(ok.error());
  do {
    if (const auto ok = r.launch_all(*c, g.launches, g); !ok) return std::unexpected(ok.error());
  } while ((is_reference(r.setup.device.id) ? r.counted_seconds : elapsed()) < r.options.group_seconds &&
           g.launches < r.options.most_launches);
  g.seconds = elapsed();
  return g;
}

std::string fault_of(const RoundGroup& g, const Options& options, uint64_t expected) {
  if (g.number != expected) return fmt::format("number {} came where {} was expected", g.number, expected);
  if (g.seed != mix(options.seed, g.number)) return fmt::format("number {} has the seed of another", g.number);
  uint64_t sum = g.corrupt + g.incomplete + g.filtered;
  for (const auto& [s, n] : g.states) sum += n;
  if (sum != g.instances) return fmt::format("number {} counts {} of {} instances", g.number, sum, g.instances);
  if (g.time_outs > g.waits)
    return fmt::format("number {} has {} waits that met their limit of {}", g.number, g.time_outs, g.waits);
  return {};
}

Expected<Totals> run_groups(Runner& runner, const prog::Test& test, const Options& options, Job& job, uint64_t first,
                            const std::function<bool(const RoundGroup&)>& on_group) {
  Totals totals;
  uint64_t events = 0;
  while (!job.out_of_time()) {
    const auto g = runner.run_group(first++);
    if (!g) return std::unexpected(g.error());
    totals.add(*g);
    events += positive(test, runner.setup().observables, g->states);
    if (!on_group(*g)) break;
    if (g->corrupt > 0) break;
    if (options.iterations == 0 && options.seconds == 0 && options.events == 0) break;
    if (options.iterations > 0 && totals.instances >= options.iterations) break;
    if (options.events > 0 && events >= options.events) break;
    const double limit = events == 0 ? std::max(options.seconds, options.unseen_seconds) : options.seconds;
    // The round groups' own time, which a store keeps and whoever asks whether a work is finished adds up.
    if (options.seconds > 0 && totals.seconds >= limit) break;
  }
  return totals;
}

}  // namespace fencepost::campaign
