#include "interp/order.h"

#include <algorithm>

namespace fencepost::interp {

using namespace ir;

void join(Clock& to, const Clock& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

void View::join(const View& from) {
  for (size_t s = 0; s < 2; ++s) {
    interp::join(known[s], from.known[s]);
    interp::join(fenced[s], from.fenced[s]);
    interp::join(heard[s], from.heard[s]);
  }
  for (const auto& [location, number] : from.observed) observed[location] = std::max(observed[location], number);
}

namespace {

bool for_device(Scope s) { return s == Scope::device || s == Scope::system; }
bool for_group(Scope s) { return s == Scope::group || s == Scope::cluster || for_device(s); }
bool acquires(Order o) { return o == Order::acquire || o == Order::acq_rel || o == Order::seq_cst; }
bool releases(Order o) { return o == Order::release || o == Order::acq_rel || o == Order::seq_cst; }

}  // namespace

void Happened::advance(uint32_t thread, bool step) {
  Knowledge& k = of_[thread];
  if (step) ++k.epoch;
  for (Clock& c : k.now.known) {
    c.resize(std::max<size_t>(c.size(), threads_));
    c[thread] = k.epoch;
  }
}

void Happened::atomic(const Synchronising& a, Carried& location) {
  Knowledge& k = of_[a.thread];
  // An ordered atomic orders everything (CUDA), or what is in the same address space.
  const auto ordered = [&](const View& v) {
    View r = v;
    if (dialect_ == Dialect::opencl) r.known[a.in_group_memory ? 1 : 0].clear();
    r.fenced = r.heard = {};
    return r;
  };
  // The atomic itself reads all that came before it here.
  if (a.reads && dialect_ == Dialect::cuda && for_device(a.scope)) k.now.observed[a.location] = a.number;
  if (a.reads) {
    if (for_device(a.scope)) {
      k.read_device.join(location.device);
      for (size_t s = 0; s < 2 && dialect_ == Dialect::cuda; ++s)
        interp::join(k.now.heard[s], location.device.fenced[s]);
      if (acquires(a.order)) k.now.join(ordered(location.device));
    }
    if (for_group(a.scope))
      if (const auto it = location.group.find(a.group); it != location.group.end()) {
        k.read_group.join(it->second);
        if (acquires(a.order)) k.now.join(ordered(it->second));
      }
  }
  if (!a.writes) return;
  if (!a.reads) location = {};  // a store ends what was released before
  View device, group;
  if (for_device(a.scope)) device = k.released_device;
  if (for_group(a.scope)) group = k.released_group;
  if (releases(a.order)) {
    if (for_device(a.scope)) device.join(ordered(k.now));
    if (for_group(a.scope)) group.join(ordered(k.now));
  }
  device.fenced = group.fenced = k.now.fenced;
  device.heard = group.heard = {};
  if (for_device(a.scope)) location.device.join(device);
  if (for_group(a.scope)) location.group[a.group].join(group);
  if (releases(a.order)) advance(a.thread);  // else what is released was so by a fence
}

void Happened::fence(uint32_t thread, const Fence& f) {
  Knowledge& k = of_[thread];
  const bool sc = f.order == Order::seq_cst && dialect_ == Dialect::cuda && for_device(f.scope);
  for (size_t s = 0; s < 2; ++s) {
    if (!(s == 0 ? f.local : f.global)) continue;
    if (acquires(f.order)) {
      if (for_device(f.scope)) interp::join(k.now.known[s], k.read_device.known[s]);
      if (for_group(f.scope)) interp::join(k.now.known[s], k.read_group.known[s]);
    }
    if (sc) {
      interp::join(k.now.known[s], k.now.heard[s]);
      interp::join(k.now.fenced[s], k.now.known[s]);
    }
    if (releases(f.order)) {
      if (for_device(f.scope)) interp::join(k.released_device.known[s], k.now.known[s]);
      if (for_group(f.scope)) interp::join(k.released_group.known[s], k.now.known[s]);
    }
  }
  if (releases(f.order)) {
    if (for_device(f.scope)) k.released_device.observed = k.now.observed;
    if (for_group(f.scope)) k.released_group.observed = k.now.observed;
  }
  if (acquires(f.order)) {
    View seen;
    if (for_device(f.scope)) seen.observed = k.read_device.observed;
    if (for_group(f.scope)) seen.join({.observed = k.read_group.observed});
    k.now.join(seen);
  }
  advance(thread);
}

View Happened::hand(uint32_t thread) {
  const View v = of_[thread].now;
  advance(thread);
  return v;
}

void Happened::meet(const std::vector<uint32_t>& threads, bool group_memory, bool global_memory, bool acquires) {
  if (acquires)
    for (const uint32_t t : threads) {
      of_[t].now.join(of_[t].read_device);
      of_[t].now.join(of_[t].read_group);
      for (size_t s = 0; s < 2; ++s) interp::join(of_[t].now.known[s], of_[t].now.heard[s]);
    }
  for (size_t s = 0; s < 2; ++s) {
    if (!(s == 0 ? group_memory : global_memory)) continue;
    Clock known, fenced, heard;
    for (const uint32_t t : threads) {
      interp::join(known, of_[t].now.known[s]);
      interp::join(fenced, of_[t].now.fenced[s]);
      interp::join(heard, of_[t].now.heard[s]);
    }
    for (const uint32_t t : threads) {
      of_[t].now.known[s] = known;
      of_[t].now.fenced[s] = fenced;
      of_[t].now.heard[s] = heard;
    }
  }
  if (dialect_ == Dialect::cuda) {
    View all;
    for (const uint32_t t : threads)
      for (const auto& [location, number] : of_[t].now.observed)
        all.observed[location] = std::max(all.observed[location], number);
    for (const uint32_t t : threads) of_[t].now.observed = all.observed;
  }
  for (const uint32_t t : threads) advance(t);
}

}  // namespace fencepost::interp
