// Values that move between the lanes of a warp: shuffles, votes, reductions.
// Sources: CUDA C++ programming guide, warp shuffle and warp vote functions; OpenCL 3.0 C, sub-group functions.
//
// Outside of lock-step a lane waits at an exchange. One with a mask takes place when all lanes that the mask names, and
// that have not ended early (leaving.h), wait at an exchange of the same kind with the same mask. One without takes
// place among the lanes that wait at the same instruction when no lane of the warp can go on. In lock-step it takes
// place among the lanes that execute it together. What a lane reads of one that takes no part is any value. To a matrix
// function all lanes of the warp must come, in lock-step too.
#include <algorithm>

#include "interp/run.h"

namespace fencepost::interp {

void Run::execute(Thread& t, const Instruction& i, const WarpExchange& w) {
  if (w.kind == WarpExchange::match_all || (w.kind == WarpExchange::reduce && w.combine == Op::any))
    return finish(Outcome::unsupported, "a comparison of the lanes of a warp");
  t.exchange = &w;
  t.given.clear();
  t.made_up = false;
  for (const ValueId v : w.operands) {
    const Val x = get(t, v);
    t.made_up = t.made_up || x.made_up;
    t.given.push_back(x.kind == Val::number ? x.bits : memory_.address(x));
  }
  t.mask = w.mask ? get(t, w.mask).bits : ~uint64_t{0};
  if (w.mask) decides(get(t, w.mask));
  t.barrier_result = i.results.empty() ? ValueId{} : i.results[0];
  t.barrier_place = place_;
  t.at_barrier = place_in_calls(t);
  // Which lanes are together is not known: each alone in half of the runs, all that come in the others.
  if (w.kind == WarpExchange::active_mask && !shape_.lock_step && (mix(inputs_.seed, 0xac71) & 1) == 0)
    return exchange({&t});
  t.state = Thread::exchanging;
  if (w.kind != WarpExchange::tile) return;
  if (t.given[0] != 0) t.tile_place = place_;  // without a pointer it is arithmetic alone
  // The rest of a block that is no multiple of a warp.
  const uint32_t size = std::max(1u, shape_.warp_size);
  const uint32_t group = shape_.local_size[0] * shape_.local_size[1] * shape_.local_size[2];
  if (group - t.flat / size * size < size)
    defect({.kind = DefectKind::warp_operands, .place = place_, .thread = t.who});
}

bool Run::whole(const std::vector<Thread*>& lanes) {
  const Thread& t = *lanes[0];
  if (t.exchange->kind != WarpExchange::tile) return true;
  for (const Thread& u : threads_) {
    if (u.group != t.group || u.warp != t.warp) continue;
    if (std::find(lanes.begin(), lanes.end(), &u) == lanes.end()) return diverge(t, u);
    if (u.given == t.given) continue;
    out_.made_up = out_.made_up || t.made_up || u.made_up;
    defect({.kind = DefectKind::warp_operands, .place = t.barrier_place, .thread = t.who, .other = u.who});
    return false;
  }
  return true;
}

bool Run::open_exchanges() {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Thread*>> warps;
  for (Thread& t : threads_) warps[{t.group, t.warp}].push_back(&t);
  const uint32_t size = std::max(1u, shape_.warp_size);
  bool opened = false;
  for (auto& [key, members] : warps)
    for (Thread* t : members) {
      if (t->state != Thread::exchanging) continue;
      std::vector<Thread*> lanes;
      bool all = true;
      for (Thread* u : members) {
        if (t->exchange->mask && (t->mask >> (u->flat % size) & 1) == 0) continue;
        const bool alike = u->state == Thread::exchanging && u->exchange->kind == t->exchange->kind &&
                           (t->exchange->mask ? u->mask == t->mask : u->at_barrier == t->at_barrier);
        if (t->exchange->mask && u->state == Thread::done && went_on(*t, *u)) return diverge(*t, *u);
        if (alike)
          lanes.push_back(u);
        else if (t->exchange->mask ? u->state != Thread::done
                                   : m_.dialect == Dialect::opencl || t->exchange->kind == WarpExchange::tile)
          all = false;
      }
      // A mask must name the lane that gives it.
      if (!all || std::find(lanes.begin(), lanes.end(), t) == lanes.end()) continue;
      exchange(lanes);
      opened = true;
    }
  return opened;
}

void Run::exchange(const std::vector<Thread*>& lanes) {
  if (!whole(lanes)) return;
  if (lanes[0]->exchange->kind == WarpExchange::tile)
    for (Thread* t : lanes) ++t->tiles;
  const uint32_t size = std::max(1u, shape_.warp_size);
  const auto lane = [&](const Thread& t) { return t.flat % size; };
  // In lock-step those that stand at the same instruction; else they have come for each other.
  std::vector<uint64_t> results;
  for (const Thread* t : lanes) {
    const WarpExchange& w = *t->exchange;
    const uint32_t own = lane(*t);
    const auto of = [&](uint32_t l) -> uint64_t {
      for (const Thread* u : lanes)
        if (lane(*u) == l && !u->given.empty()) return u->given[0];
      return memory_.drawn(mix(mix(inputs_.seed, 0x1a4e), mix(t->number, l)), 0);  // it takes no part
    };
    const uint32_t width =
        w.operands.size() > 2 ? static_cast<uint32_t>(std::clamp<uint64_t>(t->given[2], 1, size)) : size;
    const uint32_t first = own - own % width;
    const uint32_t by = w.operands.size() > 1 ? static_cast<uint32_t>(t->given[1]) : 0;
    uint64_t r = 0;
    switch (w.kind) {
      case WarpExchange::shuffle:
        r = of(first + by % width);
        break;
      case WarpExchange::shuffle_up:
        r = by > own - first ? t->given[0] : of(own - by);
        break;
      case WarpExchange::shuffle_down:
        r = by >= first + width - own ? t->given[0] : of(own + by);
        break;
      case WarpExchange::shuffle_xor:
        r = (own ^ by) >= first + width ? t->given[0] : of(own ^ by);
        break;
      case WarpExchange::vote_any:
        for (const Thread* u : lanes) r |= u->given[0] != 0 ? 1 : 0;
        break;
      case WarpExchange::vote_all:
        r = 1;
        for (const Thread* u : lanes) r &= u->given[0] != 0 ? 1 : 0;
        break;
      case WarpExchange::ballot:
        for (const Thread* u : lanes) r |= u->given[0] != 0 ? uint64_t{1} << lane(*u) : 0;
        break;
      case WarpExchange::match_any:
        for (const Thread* u : lanes) r |= u->given[0] == t->given[0] ? uint64_t{1} << lane(*u) : 0;
        break;
      case WarpExchange::reduce: {
        const uint32_t bits = t->barrier_result ? this->width(*t, t->barrier_result) : 32;
        r = lanes[0]->given[0];
        for (size_t k = 1; k < lanes.size(); ++k)
          r = evaluate(Compute{.op = w.combine}, {r, lanes[k]->given[0]}, bits, bits);
        break;
      }
      case WarpExchange::active_mask:
        for (const Thread* u : lanes) r |= uint64_t{1} << lane(*u);
        break;
      case WarpExchange::match_all:
      case WarpExchange::tile:
        break;
    }
    results.push_back(r);
  }
  const bool made_up = std::any_of(lanes.begin(), lanes.end(), [](const Thread* t) { return t->made_up; });
  for (size_t k = 0; k < lanes.size(); ++k) {
    Thread& t = *lanes[k];
    t.state = Thread::running;
    if (t.barrier_result)
      t.frames.back().values[t.barrier_result.index] = {.made_up = made_up,
                                                        .bits = results[k] & mask(width(t, t.barrier_result))};
  }
}

}  // namespace fencepost::interp
