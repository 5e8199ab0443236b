#include "campaign/together.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "campaign/kernel_text.h"
#include "code/kernel.h"
#include "inspect/ptx_gate.h"

namespace fencepost::campaign {
namespace {

using plan::BufferUse;
using plan::Phase;

constexpr size_t index_of(BufferUse u) { return static_cast<size_t>(u); }
constexpr size_t index_of(Phase p) { return static_cast<size_t>(p); }

// Without the test's instructions that are the host's, or without the others.
std::vector<code::Statement> kept(const std::vector<code::Statement>& from, const std::vector<uint32_t>& numbers) {
  std::vector<code::Statement> out;
  for (code::Statement s : from) {
    s.body = kept(s.body, numbers);
    s.other = kept(s.other, numbers);
    if (s.kind == code::Statement::Kind::test) {
      if (numbers[s.operation] == prog::k_none) continue;
      s.operation = numbers[s.operation];
    }
    out.push_back(std::move(s));
  }
  return out;
}

}  // namespace

code::Kernel Together::kernel_of(Phase phase, uint32_t place) const {
  code::Kernel k = program_->kernels[index_of(phase)];
  if (!program_->tree.host) return k;
  std::vector<code::Operation> mine;
  std::vector<uint32_t> numbers;
  for (const code::Operation& o : k.operations) {
    const bool here = program_->test.threads[o.role].host == several_->is_host(place);
    numbers.push_back(here ? static_cast<uint32_t>(mine.size()) : prog::k_none);
    if (here) mine.push_back(o);
  }
  k.operations = std::move(mine);
  k.body = kept(k.body, numbers);
  return k;
}

std::vector<std::vector<plan::Access>> access_of(const device::Several& several) {
  std::vector<std::vector<plan::Access>> out;
  for (uint32_t p = 0; p < several.places(); ++p) {
    out.emplace_back();
    for (uint32_t h = 0; h <= several.places(); ++h) {
      const device::Reach r = several.reach(p, h);
      out.back().push_back(r == device::Reach::none    ? plan::Access::none
                           : r == device::Reach::plain ? plan::Access::plain
                                                       : plan::Access::atomic);
    }
  }
  return out;
}

Together::Together(Together&& other) noexcept
    : program_(other.program_),
      several_(other.several_),
      modules_(std::move(other.modules_)),
      buffers_(std::move(other.buffers_)) {
  other.buffers_.clear();
}

Together::~Together() {
  for (const auto& [key, held] : buffers_) several_->release(held.id);
}

Expected<Together> Together::make(const plan::Program& program, device::Several& several, Setup& setup,
                                  plan::Target& target) {
  Together out(program, several);
  setup.what_ran.verdict = inspect::WhatRan::as_written;
  std::string binaries;
  // Place 0 runs the kernels before and after the test, whether it has threads or not.
  std::vector<uint32_t> places = program.tree.places;
  if (places.front() != 0) places.insert(places.begin(), 0);
  for (const uint32_t place : places) {
    if (const auto ok = out.load(place, setup); !ok) return std::unexpected(ok.error());
    const device::Binary binary = several.binary_at(place, out.modules_[place][index_of(Phase::test)]);
    if (!several.is_host(place) || setup.binary_kind.empty()) setup.binary_kind = binary.kind;
    binaries += binary.bytes;
  }
  setup.binary_hash = hex16(fnv1a(binaries));
  if (setup.what_ran.verdict == inspect::WhatRan::as_written) setup.evidence = Evidence::as_written;
  for (uint32_t lanes = std::min(32u, target.max_lanes); lanes <= target.max_lanes; lanes *= 2) {
    uint32_t fit = 0xffffffffu;
    for (const uint32_t place : program.tree.places)
      fit = std::min(fit, several.resident_groups_at(place, out.modules_[place][index_of(Phase::test)], "test", lanes));
    if (fit > 0) target.resident.emplace_back(lanes, fit);
  }
  if (several.info().api == device::Api::cpu)
    target.resident = {{target.max_lanes, std::max(target.units, program.tree.clusters)}};
  return out;
}

Expected<void> Together::load(uint32_t place, Setup& setup) {
  const device::Info& info = several_->info_of(place);
  std::array<device::ModuleId, 3>& modules = modules_[place];
  if (several_->language_of(place) == device::Language::code) {
    device::Source source;
    for (const Phase phase : {Phase::initialise, Phase::test, Phase::classify})
      source.kernels.push_back(kernel_of(phase, place));
    const auto module = several_->load_at(place, source);
    if (!module) return std::unexpected(module.error());
    modules.fill(*module);
    return {};
  }
  for (size_t k = 0; k < program_->kernels.size(); ++k) {
    const code::Kernel kernel = kernel_of(static_cast<Phase>(k), place);
    const auto text = text_of({kernel}, device::Language::ptx, info);
    if (!text) return std::unexpected(text.error());
    const auto module = several_->load_at(place, text->source);
    if (!module) return std::unexpected(module.error());
    modules[k] = *module;
    if (k != index_of(Phase::test)) continue;
    inspect::WhatRanReport ran = campaign::what_ran(*text, several_->binary_at(place, *module));
    // The first device whose code is not the test speaks for all.
    if (setup.what_ran.verdict != inspect::WhatRan::as_written) continue;
    if (ran.verdict != inspect::WhatRan::as_written)
      ran.reason = fmt::format("on gpu {} ({}): {}", place, info.id, ran.reason);
    setup.what_ran = std::move(ran);
  }
  return {};
}

Expected<bool> Together::hold(const Key& key, uint64_t words, uint32_t home) {
  words = std::max<uint64_t>(words, 1);
  const auto found = buffers_.find(key);
  if (found != buffers_.end() && found->second.words >= words) return false;
  if (found != buffers_.end()) {
    several_->release(found->second.id);
    buffers_.erase(found);
  }
  const auto made = several_->allocate_at(home, words);
  if (!made) return std::unexpected(made.error());
  buffers_[key] = {*made, words};
  if (const auto ok = several_->fill(*made, 0, words, 0); !ok) return std::unexpected(ok.error());
  return true;
}

Expected<void> Together::reserve(const plan::Configuration& c, std::span<const uint32_t> interest) {
  const auto size = [&](BufferUse u) { return c.sizes[index_of(u)]; };
  for (const uint32_t home : c.homes)
    if (const auto ok = hold({BufferUse::memory, home}, size(BufferUse::memory)); !ok)
      return std::unexpected(ok.error());
  std::vector<uint32_t> places = program_->tree.places;
  if (places.front() != 0) places.insert(places.begin(), 0);
  for (const uint32_t place : places) {
    for (const BufferUse u : {BufferUse::parameters, BufferUse::out, BufferUse::sync, BufferUse::scratch})
      // Place 0 reads the results of all.
      if (const auto ok =
              hold({u, place}, size(u), u == BufferUse::out && several_->is_host(place) ? meeting() : place);
          !ok)
        return std::unexpected(ok.error());
    std::vector<uint32_t> words = c.words;
    if (const auto at = program_->parameter_words.find("place"); at != program_->parameter_words.end())
      words[at->second] = place;
    if (const auto ok = several_->write(at(BufferUse::parameters, place), 0, words); !ok) return ok;
  }
  if (program_->tree.host)
    if (const auto ok = hold({BufferUse::sync, meeting()}, size(BufferUse::sync)); !ok)
      return std::unexpected(ok.error());
  for (const BufferUse u : {BufferUse::counts, BufferUse::series})
    if (const auto ok = hold({u, 0}, size(u)); !ok) return std::unexpected(ok.error());
  const auto fresh = hold({BufferUse::interest, 0}, size(BufferUse::interest));
  if (!fresh) return std::unexpected(fresh.error());
  return *fresh ? several_->write(at(BufferUse::interest, 0), 0, interest) : Expected<void>{};
}

device::BufferId Together::main(BufferUse use) const { return at(use, 0); }

std::vector<device::BufferId> Together::syncs() const {
  std::vector<device::BufferId> out;
  for (const uint32_t place : program_->tree.places) out.push_back(at(BufferUse::sync, place));
  return out;
}

device::Several::Part Together::part(Phase phase, uint32_t place, const plan::Configuration& c) const {
  device::Several::Part out{place, {}};
  device::Launch& l = out.launch;
  l.module = modules_.at(place)[index_of(phase)];
  l.kernel = program_->kernels[index_of(phase)].name;
  const auto& uses = program_->uses[index_of(phase)];
  for (size_t k = 0; k < uses.size(); ++k) {
    const uint32_t number = program_->numbers[index_of(phase)][k];
    switch (uses[k]) {
      case BufferUse::memory:
        // A location of other places' threads may lie where this place has no access; its kernel does not touch it.
        l.buffers.push_back(several_->reach(place, c.homes[number]) == device::Reach::none
                                ? at(BufferUse::scratch, place)
                                : at(BufferUse::memory, c.homes[number]));
        break;
      case BufferUse::out:
      case BufferUse::sync:
        l.buffers.push_back(at(uses[k], number == plan::k_own       ? place
                                        : number == plan::k_meeting ? meeting()
                                                                    : number));
        break;
      case BufferUse::parameters:
      case BufferUse::scratch:
        l.buffers.push_back(at(uses[k], place));
        break;
      case BufferUse::counts:
      case BufferUse::series:
      case BufferUse::interest:
        l.buffers.push_back(at(uses[k], 0));
        break;
    }
  }
  return out;
}

Expected<double> Together::run(std::span<const device::Several::Part> parts, double limit) {
  const auto done = several_->together(parts, limit);
  if (!done) return std::unexpected(done.error());
  double seconds = 0;
  for (size_t k = 0; k < done->size(); ++k) {
    const device::Outcome& o = (*done)[k];
    const device::Info& info = several_->info();
    if (o.status == device::Outcome::Status::timed_out)
      return error_at({}, fmt::format("{} ({}): kernel {}: {}", info.id, info.name, parts[k].launch.kernel, o.message));
    if (o.status == device::Outcome::Status::lost)
      return error_at(
          {}, fmt::format("{} ({}): kernel {} was lost {}", info.id, info.name, parts[k].launch.kernel, o.message));
    seconds = std::max(seconds, o.seconds);
  }
  return seconds;
}

Expected<double> Together::launch(const plan::Configuration& c, double limit, const plan::Target& target,
                                  uint32_t stale) {
  // What an earlier launch left must not pass for this one's. The alignment's words must be clear before any device
  // writes to another's, so each is looked at, which waits for it.
  if (const auto ok = several_->fill(at(BufferUse::counts, 0), 0, c.sizes[index_of(BufferUse::counts)], stale); !ok)
    return std::unexpected(ok.error());
  std::vector<uint32_t> clear = program_->tree.places;
  if (program_->tree.host) clear.push_back(meeting());
  for (const uint32_t place : clear) {
    const auto sync = at(BufferUse::sync, place);
    if (const auto ok = several_->fill(sync, 0, c.sizes[index_of(BufferUse::sync)], 0); !ok)
      return std::unexpected(ok.error());
    uint32_t word = stale;
    if (const auto ok = several_->read(sync, 0, {&word, 1}); !ok) return std::unexpected(ok.error());
    if (word != 0)
      return error_at({}, fmt::format("{}: memory of {} does not hold what was written", several_->info().id,
                                      several_->name_of_home(place)));
  }
  const bool host = several_->info().api == device::Api::cpu;
  const auto walk = [&](Phase phase) {
    device::Several::Part p = part(phase, 0, c);
    p.launch.lanes = host ? 1 : std::min(256u, target.max_lanes);
    p.launch.groups = std::min(target.max_groups, host ? target.units : 8 * target.units);
    return p;
  };
  const auto first = walk(Phase::initialise);
  if (const auto ok = run({&first, 1}, limit); !ok) return std::unexpected(ok.error());
  std::vector<device::Several::Part> tests;
  for (const uint32_t place : program_->tree.places) {
    device::Several::Part p = part(Phase::test, place, c);
    p.launch.groups = c.groups;
    p.launch.lanes = c.lanes;
    p.launch.cluster = c.cluster;
    tests.push_back(std::move(p));
  }
  const auto seconds = run(tests, limit);
  if (!seconds) return std::unexpected(seconds.error());
  const auto last = walk(Phase::classify);
  if (const auto ok = run({&last, 1}, limit); !ok) return std::unexpected(ok.error());
  return *seconds;
}

}  // namespace fencepost::campaign
