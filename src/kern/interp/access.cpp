// Loads, stores and atomics: what they do, and whether they race with what was logged.
#include <algorithm>

#include "interp/run.h"

namespace fencepost::interp {

bool Run::valid(Thread& t, const Val& p, uint32_t bytes, AccessKind kind) {
  decides(p);
  if (p.unknown) {
    finish(Outcome::unsupported, "an access through a pointer that only the prover knows");
    return false;
  }
  // No array begins below this address; above it the number is one that arithmetic made of an array's.
  constexpr uint64_t k_page = 4096;
  if (p.kind == Val::pointer && p.instance == 0 && p.bits >= k_page) {
    finish(Outcome::unsupported, "an access through a number that is the address of no array");
    return false;
  }
  if (p.kind != Val::pointer || p.instance == 0) {
    defect({.kind = DefectKind::null_access, .place = place_, .thread = t.who});
    return false;
  }
  const Instance& x = memory_.at(p.instance);
  if (x.size && (p.bits >= *x.size || p.bits + bytes > *x.size)) {
    Defect d{.kind = DefectKind::out_of_bounds, .region = x.region, .place = place_, .thread = t.who};
    d.first = {.thread = t.who, .kind = kind, .place = place_, .offset = p.bits, .bytes = bytes};
    defect(std::move(d));
    return false;
  }
  if (kind != AccessKind::read && m_.region(x.region).space == Space::constant) {
    defect({.kind = DefectKind::constant_write, .region = x.region, .place = place_, .thread = t.who});
    return false;
  }
  return true;
}

namespace {

uint64_t location(uint32_t instance, uint64_t offset) { return mix(instance, offset); }

}  // namespace

bool Run::ordered(const Logged& a, const Logged& b, Space space) {
  if (a.copy != 0) {
    if (a.copy == b.copy) return true;
    const Copy& c = copies_[a.copy - 1];
    if ((b.thread == c.thread || shape_.group_waits) && threads_[b.thread].waited.contains(a.copy)) return true;
    return c.done && b.thread != c.thread && ordered(c.end, b, space);
  }
  if (a.thread == b.thread) return true;
  if (happened_ != nullptr && happened_->before(a.thread, a.epoch, b.thread, space == Space::group)) return true;
  if (happened_ != nullptr && a.number != 0 && b.record.kind != AccessKind::atomic &&
      happened_->observed(location(a.instance, a.record.offset), a.number, b.thread))
    return true;
  if (a.grid_epoch != b.grid_epoch) {
    // Grid barriers order like others: both passed one between, with flags for the space.
    return true;
  }
  if (a.cluster == b.cluster && a.cluster_epoch != b.cluster_epoch) return true;
  if (a.group != b.group) return false;
  if (a.warp == b.warp && (met(a, b) || in_step(a, b))) return true;
  if (shape_.matrix_stores_wait && a.warp == b.warp && a.record.kind == AccessKind::read && a.tiles < b.tile)
    return true;
  const auto [low, high] = std::minmax(a.barriers, b.barriers);
  const auto& pa = threads_[a.thread].passed;
  const auto& pb = threads_[b.thread].passed;
  for (uint32_t k = low; k < high && k < pa.size() && k < pb.size(); ++k) {
    const bool first = shape_.first_fences, local = pa[k].local && (first || pb[k].local),
               global = pa[k].global && (first || pb[k].global);
    if (space == Space::group ? local : global) return true;
  }
  return false;
}

bool Run::met(const Logged& a, const Logged& b) const {
  const auto &x = threads_[a.thread].warp_meetings, &y = threads_[b.thread].warp_meetings;
  for (size_t i = a.meetings; i < x.size(); ++i)
    if (std::binary_search(y.begin(), y.begin() + b.meetings, x[i])) return true;
  return false;
}

bool Run::in_step(const Logged& a, const Logged& b) const {
  if (!shape_.lock_step || a.instant == b.instant) return false;
  const Thread &t = threads_[a.thread], &u = threads_[b.thread];
  const uint32_t first = t.flat - t.flat % std::max(1u, shape_.warp_size);
  return u.flat - first < t.common.size() && t.common[u.flat - first] >= std::min(a.instant, b.instant);
}

void Run::log(Thread& t, const Access& a, const Val& p, AccessKind kind, const Val& made, uint64_t old, Scope scope,
              uint32_t epoch, bool loads) {
  const Space space = m_.region(memory_.at(p.instance).region).space;
  if (space == Space::private_ || space == Space::constant) return;
  const uint64_t value = made.bits;
  Logged now;
  // What a matrix function accesses has its place: parts of our headers have none of their own.
  if (std::exchange(t.tile_place, {}) == place_) now.tile = t.tiles;
  now.record = {.thread = t.who,
                .kind = kind,
                .place = place_,
                .site = a.site,
                .offset = p.bits,
                .bytes = a.bytes,
                .value = value,
                .changes = kind == AccessKind::read || value != old,
                .made_up = made.made_up,
                .loads = loads || kind == AccessKind::read,
                .scope = scope};
  accessed_ = true;
  stamp(now, t);
  now.instance = p.instance;
  now.copy = copy_;
  if (epoch != 0) now.epoch = epoch;
  if (kind == AccessKind::atomic) now.number = atomic_number_;
  if (shape_.lock_step) {
    uint64_t& made = t.site_instant[a.site];
    if (a.part == 0 || made == 0) made = t.instant;
    now.instant = made;
  }
  const auto number = static_cast<uint32_t>(log_.size());
  bool kept = false;
  Instance& x = memory_.at(p.instance);
  for (uint32_t k = 0; k < a.bytes; ++k) {
    // What the same thread did here already in this interval, with the same value, tells nothing new.
    uint64_t h = mix(
        p.bits + k,
        mix(now.thread,
            mix(a.site, mix(static_cast<uint64_t>(kind),
                            mix(now.barriers, mix(now.grid_epoch, mix(now.meetings, mix(now.epoch, now.instant))))))));
    if (shape_.matrix_stores_wait) h = mix(h, mix(now.tiles, now.tile));
    if (!copies_.empty()) h = mix(h, mix(now.copy, t.waited.size()));
    if (kind != AccessKind::read) h = mix(h, value);
    if (value != old) h = mix(h, now.number);
    if (!x.seen.insert(h).second) continue;
    Instance::Touched& at = x.touched[p.bits + k];
    const auto against = [&](const std::vector<uint32_t>& list) {
      for (const uint32_t n : list) {
        const Logged& before = log_[n];
        if ((before.thread != now.thread || before.copy != 0) && conflict(before, now) && !ordered(before, now, space))
          race(before, now, p.bits + k);
      }
    };
    against(at.others);
    if (kind != AccessKind::read) against(at.reads);
    (kind == AccessKind::read ? at.reads : at.others).push_back(number);
    kept = true;
  }
  if (kept) log_.push_back(std::move(now));
}

void Run::stamp(Logged& l, const Thread& t) const {
  l.thread = t.number;
  l.group = t.group;
  l.cluster = t.cluster;
  l.cluster_epoch = t.cluster_epoch;
  l.warp = t.warp;
  l.barriers = static_cast<uint32_t>(t.passed.size());
  l.grid_epoch = t.grid_epoch;
  l.meetings = static_cast<uint32_t>(t.warp_meetings.size());
  l.tiles = t.tiles;
  l.epoch = happened_ != nullptr ? happened_->epoch(t.number) : 0;
}

bool Run::conflict(const Logged& before, const Logged& now) const {
  const AccessRecord &a = before.record, &b = now.record;
  if (a.loads && b.loads) return false;
  if (a.kind == AccessKind::atomic && b.kind == AccessKind::atomic) {
    // Atomic for each other only if of the same bytes, and within the scope that both name.
    if (a.offset != b.offset || a.bytes != b.bytes) return true;
    const auto narrow = [&](Scope s) {
      return s == Scope::thread || (before.group != now.group && (s == Scope::group || s == Scope::warp)) ||
             (before.cluster != now.cluster && s == Scope::cluster);
    };
    // Before OpenCL 3.1 they have to name the same scope.
    return narrow(a.scope) || narrow(b.scope) || (m_.dialect == ir::Dialect::opencl && a.scope != b.scope);
  }
  return true;
}

bool Run::wrote_itself(const Logged& reader, uint64_t byte, uint64_t value) {
  const bool local = m_.region(memory_.at(reader.instance).region).space == Space::group;
  const std::vector<Passed>& passed = threads_[reader.thread].passed;
  // A barrier that orders other memory alone does not end the interval of this one.
  const auto same_interval = [&](const Logged& w) {
    return std::none_of(passed.begin() + w.barriers, passed.begin() + reader.barriers,
                        [&](const Passed& b) { return local ? b.local : b.global; });
  };
  for (const uint32_t n : memory_.at(reader.instance).touched[byte].others) {
    const Logged& w = log_[n];
    if (w.thread == reader.thread && w.copy == 0 && w.record.kind == AccessKind::write &&
        (w.record.value >> (8 * (byte - w.record.offset)) & 255) == value && same_interval(w))
      return true;
  }
  return false;
}

void Run::race(const Logged& a, const Logged& b, uint64_t byte) {
  const RegionId region = memory_.at(a.instance).region;
  Defect d{.kind = DefectKind::race,
           .region = region,
           .first = a.record,
           .second = b.record,
           .place = b.record.place,
           .byte = byte,
           .made_up = out_.made_up,
           .thread = b.record.thread,
           .other = a.record.thread};
  const auto part = [&](const AccessRecord& r) { return r.value >> (8 * (byte - r.offset)) & 255; };
  if (a.record.kind == AccessKind::write && b.record.kind == AccessKind::write)
    d.same_value = part(a.record) == part(b.record) || a.record.made_up || b.record.made_up;
  if (a.record.kind == AccessKind::write && b.record.kind == AccessKind::read)
    d.same_value = !a.record.changes || wrote_itself(b, byte, part(a.record));
  if (a.record.kind == AccessKind::read && b.record.kind == AccessKind::write) d.same_value = !b.record.changes;
  // One of each pair of sites; one that counts takes the place of a benign one.
  const auto key =
      std::tuple(std::min(a.record.site, b.record.site), std::max(a.record.site, b.record.site), region.index);
  const auto [it, fresh] = races_.try_emplace(key, out_.defects.size());
  if (fresh)
    out_.defects.push_back(std::move(d));
  else if (out_.defects[it->second].same_value && !d.same_value)
    out_.defects[it->second] = std::move(d);
}

void Run::execute(Thread& t, const Instruction& i, const Load& l) {
  const Val p = get(t, l.access.pointer);
  const bool pointer = m_.function(t.frames.back().function).value(i.results[0]).type.kind == Type::pointer;
  if (l.spec) {  // an annotation may look anywhere
    if (p.unknown || p.instance == 0) return set(t, i, {.unknown = true});
    return set(t, i, memory_.read(p.instance, p.bits, l.access.bytes, pointer));
  }
  if (!valid(t, p, l.access.bytes, AccessKind::read)) return;
  const Val v = memory_.read(p.instance, p.bits, l.access.bytes, pointer);
  yield_ = yield_ || l.access.is_volatile;
  set(t, i, v);
  log(t, l.access, p, AccessKind::read, v, v.bits, Scope::device);
}

void Run::execute(Thread& t, const Instruction&, const Store& s) {
  const Val p = get(t, s.access.pointer), v = get(t, s.value);
  if (!valid(t, p, s.access.bytes, AccessKind::write)) return;
  const Val old = memory_.read(p.instance, p.bits, s.access.bytes, false);
  const uint64_t bits = v.kind == Val::number ? v.bits : memory_.address(v);
  memory_.write(p.instance, p.bits, s.access.bytes, v);
  if (happened_ != nullptr) {  // what an atomic left here is gone
    const uint64_t from = p.bits < 7 ? 0 : p.bits - 7;
    auto it = carried_.lower_bound({p.instance, from});
    // The last byte may have the largest offset: places before an array of unknown size wrap.
    while (it != carried_.end() && it->first.first == p.instance &&
           it->first.second - from < p.bits - from + s.access.bytes)
      it = carried_.erase(it);
  }
  log(t, s.access, p, AccessKind::write, {.made_up = v.made_up, .bits = bits},
      old.kind == Val::number ? old.bits : memory_.address(old), Scope::device);
}

void Run::execute(Thread& t, const Instruction& i, const Atomic& a) {
  const Val p = get(t, a.access.pointer);
  if (!valid(t, p, a.access.bytes, AccessKind::atomic)) return;
  out_.atomics = true;
  out_.synchronises = out_.synchronises || a.order != Order::relaxed;
  const uint32_t w = 8 * a.access.bytes;
  const Val was = memory_.read(p.instance, p.bits, a.access.bytes, false);
  const uint64_t old = was.bits;
  std::vector<uint64_t> x;
  bool made_up = was.made_up;
  for (const ValueId v : a.operands) {
    x.push_back(get(t, v).bits);
    made_up = made_up || get(t, v).made_up;
  }
  const auto by = [&](Op op) { return evaluate(Compute{.op = op}, {old, x[0]}, w, w); };
  uint64_t made = old;
  switch (a.op) {
    case AtomicOp::load:
      break;
    case AtomicOp::store:
    case AtomicOp::exchange:
      made = x[0];
      break;
    case AtomicOp::compare_exchange:
      made = old == x[0] ? x[1] : old;
      break;
    case AtomicOp::add:
      made = by(Op::add);
      break;
    case AtomicOp::sub:
      made = by(Op::sub);
      break;
    case AtomicOp::and_:
      made = by(Op::and_);
      break;
    case AtomicOp::or_:
      made = by(Op::or_);
      break;
    case AtomicOp::xor_:
      made = by(Op::xor_);
      break;
    case AtomicOp::nand:
      made = ~by(Op::and_) & mask(w);
      break;
    case AtomicOp::smin:
      made = by(Op::smin);
      break;
    case AtomicOp::smax:
      made = by(Op::smax);
      break;
    case AtomicOp::umin:
      made = by(Op::umin);
      break;
    case AtomicOp::umax:
      made = by(Op::umax);
      break;
    case AtomicOp::increment:
      made = (old + 1) & mask(w);
      break;
    case AtomicOp::decrement:
      made = (old - 1) & mask(w);
      break;
    case AtomicOp::increment_to:
      made = old >= x[0] ? 0 : old + 1;
      break;
    case AtomicOp::decrement_from:
      made = old == 0 || old > x[0] ? x[0] : old - 1;
      break;
    case AtomicOp::fadd:
      made = by(Op::fadd);
      break;
    case AtomicOp::fsub:
      made = by(Op::fsub);
      break;
    case AtomicOp::fmin:
      made = evaluate(Compute{.op = Op::fcmp, .imm = static_cast<uint64_t>(FloatCompare::olt)}, {old, x[0]}, w, 1) != 0
                 ? old
                 : x[0];
      break;
    case AtomicOp::fmax:
      made = evaluate(Compute{.op = Op::fcmp, .imm = static_cast<uint64_t>(FloatCompare::ogt)}, {old, x[0]}, w, 1) != 0
                 ? old
                 : x[0];
      break;
  }
  if (made != old || a.op == AtomicOp::store || made_up)
    memory_.write(p.instance, p.bits, a.access.bytes, {.made_up = made_up, .bits = made});
  set(t, i, {.made_up = was.made_up, .bits = old});
  yield_ = true;
  // What it acquires is ordered before the atomic itself, what it releases includes it.
  const uint32_t epoch = happened_ != nullptr ? happened_->epoch(t.number) : 0;
  const bool ordered = a.order != ir::Order::relaxed && a.order != ir::Order::weak;
  if (ordered && of_more_groups(a.scope))
    return finish(Outcome::unsupported, "an ordered atomic of the scope of a cluster");
  if (happened_ != nullptr) {
    const bool writes = a.op != AtomicOp::load && (a.op != AtomicOp::compare_exchange || old == x[0]);
    const bool failed = a.op == AtomicOp::compare_exchange && !writes;
    const uint64_t here = location(p.instance, p.bits);
    atomic_number_ = ++atomics_[here];
    happened_->atomic({.thread = t.number,
                       .group = t.group,
                       .order = failed ? a.failure : a.order,
                       .scope = a.scope,
                       .in_group_memory = m_.region(memory_.at(p.instance).region).space == Space::group,
                       .reads = a.op != AtomicOp::store,
                       .writes = writes,
                       .location = here,
                       .number = atomic_number_},
                      carried_[{p.instance, p.bits}]);
  }
  log(t, a.access, p, AccessKind::atomic, {.made_up = made_up, .bits = made}, old, a.scope, epoch,
      a.op == AtomicOp::load);
}

}  // namespace fencepost::interp
