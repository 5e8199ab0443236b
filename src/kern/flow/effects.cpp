#include "flow/effects.h"

#include <algorithm>

#include "ir/assembly.h"

namespace fencepost::flow {
namespace {

using namespace ir;

bool is_true(const Function& f, ValueId v) {
  return v && f.value(v).kind == Value::constant && (f.value(v).constant_bits & 1) != 0;
}

void merge(std::vector<uint8_t>& into, const std::vector<uint8_t>& from) {
  for (size_t i = 0; i < from.size(); ++i) into[i] |= from[i];
}

}  // namespace

bool whole_warp(const Function& f, const Barrier& b) {
  return b.scope == Scope::warp && (!b.mask || (f.value(b.mask).kind == Value::constant &&
                                                (f.value(b.mask).constant_bits & 0xffffffffu) == 0xffffffffu));
}

std::vector<FunctionId> targets(const Call& c) {
  if (c.callee) return {c.callee};
  return c.targets;
}

Effects::Effects(const Module& m) : module_(m) {
  const size_t n = m.functions.size(), regions = m.regions.size();
  functions_.resize(n);
  called_.assign(n, 0);
  for (const Function& f : m.functions) cfgs_.emplace_back(f);
  std::vector<std::vector<uint8_t>> calls(n, std::vector<uint8_t>(n, 0));
  for (size_t i = 0; i < n; ++i) {
    FunctionEffects& e = functions_[i];
    e.reads.assign(regions, 0);
    e.writes.assign(regions, 0);
    e.atomics.assign(regions, 0);
    for (const Block& b : m.functions[i].blocks)
      for (const Instruction& in : b.instructions)
        if (const auto* c = std::get_if<Call>(&in.action))
          for (FunctionId t : targets(*c)) {
            calls[i][t.index] = 1;
            called_[t.index] = 1;
          }
  }
  // Transitive closure; functions are few.
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i)
      if (calls[i][k] != 0) merge(calls[i], calls[k]);
  for (size_t i = 0; i < n; ++i) {
    functions_[i].recursive = calls[i][i] != 0;
    functions_[i].reached = calls[i];
    functions_[i].reached[i] = 1;
  }
  // Waits at barrier objects are taken for barriers of the group that order all memory; where that is not so, the
  // kernel is not decided (prove/mbarriers.h).
  std::vector<uint8_t> waits(n, 0);
  for (size_t i = 0; i < n; ++i)
    if (const auto assembly = assembly_effect(m.functions[i]);
        assembly && assembly->kind == "barrier" && assembly->instruction.starts_with("mbarrier.wait")) {
      waits[i] = 1;
      functions_[i].group_barrier = true;
      functions_[i].always_warp = functions_[i].always_group = {true, true};
    }
  // Effects of calls are those of the callees: repeat until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < n; ++i) {
      if (waits[i] != 0) continue;
      LoopEffects e{functions_[i].reads, functions_[i].writes, functions_[i].atomics, false, false, false, {}, {}, {}};
      for (const Block& b : m.functions[i].blocks)
        for (const Instruction& in : b.instructions) add(in, e);
      FunctionEffects& f = functions_[i];
      std::vector<BlockId> ends;
      bool traps = false;
      for (uint32_t b = 0; b < m.functions[i].blocks.size(); ++b) {
        if (std::holds_alternative<Return>(m.functions[i].blocks[b].terminator)) ends.push_back({b});
        if (std::holds_alternative<Trap>(m.functions[i].blocks[b].terminator)) traps = true;
      }
      (void)traps;  // a thread that ends in the function never passes what follows
      std::vector<BlockId> everywhere;
      for (uint32_t b = 0; b < m.functions[i].blocks.size(); ++b)
        if (!ends.empty() &&
            std::all_of(ends.begin(), ends.end(), [&](BlockId end) { return cfgs_[i].dominates({b}, end); }))
          everywhere.push_back({b});
      const FunctionId self{static_cast<uint32_t>(i)};
      const Fences w = always(self, everywhere, Scope::warp), g = always(self, everywhere, Scope::group),
                   d = always(self, everywhere, Scope::device);
      changed = changed || e.reads != f.reads || e.writes != f.writes || e.atomics != f.atomics ||
                e.warp_barrier != f.warp_barrier || e.group_barrier != f.group_barrier ||
                e.device_barrier != f.device_barrier || !(w == f.always_warp) || !(g == f.always_group) ||
                !(d == f.always_device);
      f.reads = e.reads;
      f.writes = e.writes;
      f.atomics = e.atomics;
      f.warp_barrier = e.warp_barrier;
      f.group_barrier = e.group_barrier;
      f.device_barrier = e.device_barrier;
      f.always_warp = w;
      f.always_group = g;
      f.always_device = d;
    }
  }
}

void Effects::add(const Instruction& in, LoopEffects& e) const {
  const auto mark = [](std::vector<uint8_t>& set, const Access& a) {
    for (RegionId r : a.regions) set[r.index] = 1;
  };
  if (const auto* l = std::get_if<Load>(&in.action)) {
    if (!l->spec) mark(e.reads, l->access);
  } else if (const auto* s = std::get_if<Store>(&in.action)) {
    mark(e.writes, s->access);
  } else if (const auto* a = std::get_if<Atomic>(&in.action)) {
    mark(e.atomics, a->access);
  } else if (const auto* c = std::get_if<AsyncCopy>(&in.action)) {
    mark(e.writes, c->destination);
    mark(e.reads, c->source);
  } else if (const auto* s2 = std::get_if<Snapshot>(&in.action)) {
    mark(e.writes, s2->destination);
  } else if (const auto* fr = std::get_if<Frame>(&in.action)) {
    mark(fr->kind == AccessKind::read ? e.reads : fr->kind == AccessKind::write ? e.writes : e.atomics, fr->access);
  } else if (const auto* b = std::get_if<Barrier>(&in.action)) {
    if (b->scope == Scope::warp) e.warp_barrier = true;
    if (b->scope == Scope::group) e.group_barrier = true;
    if (b->scope != Scope::group && b->scope != Scope::warp) e.device_barrier = true;
  } else if (const auto* w = std::get_if<WarpExchange>(&in.action)) {
    // Whom the mask names must come.
    if (w->mask || w->kind == WarpExchange::tile || module_.dialect == Dialect::opencl) e.warp_barrier = true;
  } else if (const auto* call = std::get_if<Call>(&in.action)) {
    for (FunctionId t : targets(*call)) {
      const FunctionEffects& f = functions_[t.index];
      merge(e.reads, f.reads);
      merge(e.writes, f.writes);
      merge(e.atomics, f.atomics);
      e.warp_barrier = e.warp_barrier || f.warp_barrier;
      e.group_barrier = e.group_barrier || f.group_barrier;
      e.device_barrier = e.device_barrier || f.device_barrier;
    }
  }
}

// Fences of the barriers at which at least `least` meets: warp, group or device.
Fences Effects::always(FunctionId f, const std::vector<BlockId>& blocks, Scope least) const {
  Fences r;
  const Function& fn = module_.function(f);
  for (BlockId b : blocks)
    for (const Instruction& in : fn.blocks[b.index].instructions) {
      if (const auto* bar = std::get_if<Barrier>(&in.action)) {
        const bool is_warp = bar->scope == Scope::warp, is_device = !is_warp && bar->scope != Scope::group;
        if (is_warp ? least != Scope::warp || !whole_warp(fn, *bar)
                    : bar->arrive || bar->count || bar->mask || (least == Scope::device && !is_device))
          continue;
        r.local = r.local || is_true(fn, bar->local_fence);
        r.global = r.global || is_true(fn, bar->global_fence);
      } else if (const auto* call = std::get_if<Call>(&in.action); call != nullptr && call->callee) {
        const FunctionEffects& c = functions_[call->callee.index];
        const Fences& o = least == Scope::device  ? c.always_device
                          : least == Scope::group ? c.always_group
                                                  : c.always_warp;
        r.local = r.local || o.local;
        r.global = r.global || o.global;
      }
    }
  return r;
}

LoopEffects Effects::loop(FunctionId f, uint32_t index) const {
  const Cfg& cfg = cfgs_[f.index];
  const Loop& loop = cfg.loops()[index];
  LoopEffects e;
  e.reads.assign(module_.regions.size(), 0);
  e.writes = e.atomics = e.reads;
  std::vector<BlockId> every;
  for (BlockId b : loop.blocks) {
    for (const Instruction& in : module_.function(f).blocks[b.index].instructions) add(in, e);
    if (cfg.dominates(b, loop.latch)) every.push_back(b);
  }
  e.always_warp = always(f, every, Scope::warp);
  e.always_group = always(f, every, Scope::group);
  e.always_device = always(f, every, Scope::device);
  return e;
}

}  // namespace fencepost::flow
