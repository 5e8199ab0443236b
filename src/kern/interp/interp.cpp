// A run from its start to its end: threads, turns, and what is said of it.
#include "interp/interp.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interp/run.h"

namespace fencepost::interp {

const char* name(DefectKind k) {
  static constexpr const char* k_names[] = {"race",        "divergence",    "assertion",      "precondition",
                                            "null_access", "out_of_bounds", "constant_write", "deadlock",
                                            "group_copy",  "warp_operands"};
  return k_names[static_cast<uint8_t>(k)];
}

namespace {

bool only_arrives(const Instruction& i) {
  const auto* b = std::get_if<ir::Barrier>(&i.action);
  return b != nullptr && b->arrive && b->scope != Scope::cluster;
}

// Are there fences or atomics that order memory, or barriers that do not order all of a group?
bool orders_memory(const ir::Module& m) {
  for (const Function& f : m.functions)
    for (const Block& b : f.blocks)
      for (const Instruction& i : b.instructions) {
        if (std::holds_alternative<Fence>(i.action)) return true;
        if (const auto* a = std::get_if<Atomic>(&i.action); a != nullptr && a->order != Order::relaxed) return true;
        if (const auto* x = std::get_if<ir::Barrier>(&i.action); x != nullptr && (only_arrives(i) || x->count))
          return true;
      }
  return false;
}

bool has_arrivals(const ir::Module& m) {
  return std::ranges::any_of(m.functions, [](const Function& f) {
    return std::ranges::any_of(f.blocks,
                               [](const Block& b) { return std::ranges::any_of(b.instructions, only_arrives); });
  });
}

}  // namespace

Outcome Run::go() {
  if (limits_.seconds > 0) job_ = Job::with_budget(limits_.seconds);
  job_.cancelled = limits_.cancelled;
  if (!start()) return std::move(out_);
  while (!over()) {
    std::vector<uint32_t> ready;
    for (const Thread& t : threads_)
      if (t.state == Thread::running) ready.push_back(t.number);
    if (ready.empty()) {
      if (!open_barriers()) break;
      continue;
    }
    for (size_t i = ready.size(); i > 1; --i) std::swap(ready[i - 1], ready[rng_.below(i)]);
    for (const uint32_t n : ready) {
      if (shape_.lock_step)
        warp_turn(threads_[n]);
      else
        turn(threads_[n]);
      if (over()) break;
    }
  }
  if (!over()) copies_left_out();
  out_.steps = steps_;
  return std::move(out_);
}

void Run::finish(Outcome::Status s, std::string detail) {
  if (out_.status != Outcome::ended) return;
  out_.status = s;
  out_.detail = std::move(detail);
}

void Run::defect(Defect d) {
  d.made_up = out_.made_up;
  out_.defects.push_back(std::move(d));
  finish(Outcome::stopped);
}

bool Run::start() {
  const Function& f = m_.function(kernel_);
  uint64_t total = 1;
  for (int d = 0; d < 3; ++d)
    total *= static_cast<uint64_t>(shape_.local_size[d]) * (shape_.groups.empty() ? shape_.num_groups[d] : 1);
  if (!shape_.groups.empty()) total *= shape_.groups.size();
  if (total > limits_.threads) {
    finish(Outcome::gave_up, fmt::format("{} threads are more than {}", total, limits_.threads));
    return false;
  }
  if (m_.dialect == Dialect::cuda && !shape_.lock_step) way_out_ = std::make_unique<Leaving>(m_, kernel_, Cfg(f));
  Frame frame{.function = kernel_, .block = {0}};
  if (shape_.lock_step) frame.iterations.assign(line(kernel_).cfg().loops().size(), 0);
  frame.values.resize(f.values.size());
  for (uint32_t v = 0; v < f.values.size(); ++v)
    if (f.values[v].kind == Value::parameter) {
      const Parameter& p = f.parameters[f.values[v].index];
      const auto given = inputs_.arguments.find(f.values[v].index);
      if (!p.region)
        frame.values[v].bits =
            (given != inputs_.arguments.end() ? given->second : memory_.drawn(mix(inputs_.seed, 77), v)) &
            mask(p.type.width);
    }
  const uint32_t group_size = shape_.local_size[0] * shape_.local_size[1] * shape_.local_size[2];
  std::vector<std::array<uint32_t, 3>> groups = shape_.groups;
  if (groups.empty())
    for (uint32_t gz = 0; gz < shape_.num_groups[2]; ++gz)
      for (uint32_t gy = 0; gy < shape_.num_groups[1]; ++gy)
        for (uint32_t gx = 0; gx < shape_.num_groups[0]; ++gx) groups.push_back({gx, gy, gz});
  std::map<std::array<uint32_t, 3>, uint32_t> clusters;
  const auto cluster_of = [&](std::array<uint32_t, 3> g) {
    for (size_t d = 0; d < 3; ++d) g[d] /= std::max(1u, shape_.cluster[d]);
    return g;
  };
  uint32_t group = 0;
  for (const auto& [gx, gy, gz] : groups) {
    group_numbers_[{gx, gy, gz}] = group;
    for (uint32_t flat = 0; flat < group_size; ++flat) {
      Thread t;
      t.number = static_cast<uint32_t>(threads_.size());
      t.group = group;
      t.flat = flat;
      t.warp = flat / std::max(1u, shape_.warp_size);
      t.who.group = {gx, gy, gz};
      t.cluster = clusters.try_emplace(cluster_of(t.who.group), clusters.size()).first->second;
      t.who.local = {flat % shape_.local_size[0], flat / shape_.local_size[0] % shape_.local_size[1],
                     flat / shape_.local_size[0] / shape_.local_size[1]};
      t.frames.push_back(frame);
      threads_.push_back(std::move(t));
    }
    ++group;
  }
  group_count_ = group;
  for (Thread& t : threads_) bind_parameters(t);
  arrivals_ = has_arrivals(m_);
  if (orders_memory(m_)) {
    if (threads_.size() <= limits_.ordered_threads)
      happened_ = std::make_unique<Happened>(threads_.size(), m_.dialect);
    else
      out_.order_lost = true;
  }
  return true;
}

void Run::bind_parameters(Thread& t) {
  const Function& f = m_.function(kernel_);
  for (uint32_t v = 0; v < f.values.size(); ++v)
    if (f.values[v].kind == Value::parameter && f.parameters[f.values[v].index].region)
      t.frames[0].values[v] = inputs_.null_parameters.contains(f.values[v].index)
                                  ? Val{.kind = Val::pointer}
                                  : base_of(t, t.frames[0], f.parameters[f.values[v].index].region);
}

Val Run::base_of(const Thread& t, const Frame& f, RegionId r) {
  const Region& region = m_.region(r);
  uint64_t owner = 0;
  if (region.space == Space::group) owner = t.group;
  if (region.space == Space::private_) owner = (uint64_t{1} << 32) * (f.activation + 1) + t.number;
  return {.kind = Val::pointer, .instance = memory_.instance(r, owner)};
}

// Looked at from time to time. Logging an access takes longer the more others there are at its place.
bool Run::late() {
  if ((steps_ & 63) != 0 || !job_.out_of_time()) return false;
  finish(Outcome::gave_up, "the time is spent");
  return true;
}

void Run::turn(Thread& t) {
  for (uint32_t n = 0; n < limits_.turn && t.state == Thread::running && !over(); ++n) {
    if (++steps_ > limits_.steps) return finish(Outcome::gave_up, "the limit of steps is reached");
    if (late()) return;
    step(t);
    // Whoever waits for another by looking again and again must let it go on.
    if (std::exchange(yield_, false) && rng_.chance(0.5)) return;
    if (std::exchange(accessed_, false) && limits_.yields > 0 && rng_.chance(limits_.yields)) return;
  }
}

void Run::warp_turn(const Thread& one) {
  std::vector<Thread*> members;
  for (Thread& t : threads_)
    if (t.group == one.group && t.warp == one.warp) members.push_back(&t);
  for (uint32_t n = 0; n < limits_.turn && !over();) {
    std::vector<Thread*> now;
    std::vector<uint64_t> least;
    for (Thread* t : members) {
      if (t->state != Thread::running) continue;
      std::vector<uint64_t> key = place_of(*t);
      if (!now.empty() && behind(least, key)) continue;
      if (now.empty() || behind(key, least)) {
        now.clear();
        least = std::move(key);
      }
      now.push_back(t);
    }
    if (now.empty()) return;
    ++instants_;
    meet(now, true, true);
    for (Thread* t : now) {
      t->instant = instants_;
      t->common.resize(members.size());
      for (const Thread* u : now) t->common[u->flat - members[0]->flat] = instants_;
    }
    for (Thread* t : now) {
      if (over()) return;
      ++n;
      if (++steps_ > limits_.steps) return finish(Outcome::gave_up, "the limit of steps is reached");
      if (late()) return;
      step(*t);
    }
    // Lanes that exchange values do it at once.
    std::vector<Thread*> lanes;
    for (Thread* t : now)
      if (t->state == Thread::exchanging) lanes.push_back(t);
    if (!lanes.empty() && !over()) exchange(lanes);
    if (std::exchange(yield_, false) && rng_.chance(0.5)) return;
  }
}

std::vector<uint64_t> Run::place_of(const Thread& t) {
  std::vector<uint64_t> key;
  for (const Frame& f : t.frames) {
    key.push_back(f.function.index);
    line(f.function).key(f.block, f.iterations, key);
    key.push_back(f.next);
  }
  return key;
}

const Line& Run::line(FunctionId f) {
  std::unique_ptr<Line>& l = lines_[f.index];
  if (l == nullptr) l = std::make_unique<Line>(m_.function(f));
  return *l;
}

namespace {

std::string thread_text(const ThreadName& t) {
  return fmt::format("local id ({},{},{}) of group ({},{},{})", t.local[0], t.local[1], t.local[2], t.group[0],
                     t.group[1], t.group[2]);
}

}  // namespace

const Defect* Outcome::first_defect(bool benign_races_count) const {
  for (const Defect& d : defects)
    if (d.kind != DefectKind::race || !d.same_value || benign_races_count) return &d;
  return nullptr;
}

Outcome run(const ir::Module& m, FunctionId kernel, const Shape& shape, const Inputs& inputs, const Limits& limits) {
  return Run(m, kernel, shape, inputs, limits).go();
}

std::string describe(const ir::Module& m, const Defect& d) {
  static constexpr const char* k_kinds[] = {"read", "write", "atomic"};
  const auto access = [&](const AccessRecord& a) {
    return fmt::format("{} by {}, {}, bytes {}..{}, value {}", k_kinds[static_cast<uint8_t>(a.kind)],
                       thread_text(a.thread), where(m, a.place), a.offset, a.offset + a.bytes - 1, a.value);
  };
  std::string out = fmt::format("{}: ", name(d.kind));
  if (d.region) out += fmt::format("{} ", m.region(d.region).name);
  if (d.kind == DefectKind::race)
    return out + fmt::format("byte {}{}\n  {}\n  {}", d.byte, d.same_value ? " (same value)" : "", access(d.first),
                             access(d.second));
  out += fmt::format("at {} by {}", where(m, d.place), thread_text(d.thread));
  if (d.other) out += fmt::format(" while {} is elsewhere", thread_text(*d.other));
  return out;
}

}  // namespace fencepost::interp
