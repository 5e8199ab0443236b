#include "flow/stale.h"

#include <algorithm>
#include <set>

namespace fencepost::flow {
namespace {

using namespace ir;

bool contains(const Access& a, RegionId r) {
  return std::any_of(a.regions.begin(), a.regions.end(), [&](RegionId x) { return x.index == r.index; });
}

bool writes(const Instruction& in, RegionId r) {
  const auto* s = std::get_if<Store>(&in.action);
  return s != nullptr && contains(s->access, r);
}

bool reads_stale(const Instruction& in, RegionId r) {
  const auto* l = std::get_if<Load>(&in.action);
  return l != nullptr && l->access.cache != Access::coherent && contains(l->access, r);
}

// Whether a path of the function leads from a store into the array to a read of it.
bool written_before(const Function& f, RegionId r) {
  std::set<uint32_t> behind;  // blocks to whose beginning a path from a store leads
  std::vector<uint32_t> todo;
  const auto follow = [&](const Block& b) {
    for (const BlockId n : successors(b.terminator))
      if (behind.insert(n.index).second) todo.push_back(n.index);
  };
  for (const Block& b : f.blocks) {
    bool written = false;
    for (const Instruction& in : b.instructions) {
      if (written && reads_stale(in, r)) return true;
      written = written || writes(in, r);
    }
    if (written) follow(b);
  }
  while (!todo.empty()) {
    const Block& b = f.blocks[todo.back()];
    todo.pop_back();
    if (std::any_of(b.instructions.begin(), b.instructions.end(), [&](const auto& in) { return reads_stale(in, r); }))
      return true;
    follow(b);
  }
  return false;
}

// The thread's own accesses to images on both sides are in order.
bool orders_images(const Instruction& in) {
  if (const auto* f = std::get_if<Fence>(&in.action))
    return !f->local && !f->global && (f->order == Order::acq_rel || f->order == Order::seq_cst);
  const auto* b = std::get_if<Barrier>(&in.action);
  return b != nullptr && !b->arrive;
}

// Whether a path leads from a store into the image to a read of it without such a point. What functions do that are
// called is not looked at: they stand in the place of their calls, or count as both.
bool read_behind_write(const Function& f, RegionId r, const std::vector<uint8_t>& touches) {
  std::vector<uint8_t> written(f.blocks.size(), 0);  // at the block's beginning
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t n = 0; n < f.blocks.size(); ++n) {
      bool now = written[n] != 0;
      for (const Instruction& in : f.blocks[n].instructions) {
        const auto* l = std::get_if<Load>(&in.action);
        const auto* c = std::get_if<Call>(&in.action);
        const bool other =
            c != nullptr && std::ranges::any_of(targets(*c), [&](FunctionId g) { return touches[g.index] != 0; });
        if ((l != nullptr && !l->spec && contains(l->access, r) && now) || other) return true;
        now = (now || writes(in, r)) && !orders_images(in);
      }
      for (const BlockId next : successors(f.blocks[n].terminator))
        if (now && written[next.index] == 0) {
          written[next.index] = 1;
          changed = true;
        }
    }
  }
  return false;
}

// Barriers alone put threads in order, and all is in one function.
bool only_barriers(const Module& m, const FunctionEffects& e, FunctionId entry) {
  if (std::any_of(e.atomics.begin(), e.atomics.end(), [](uint8_t a) { return a != 0; })) return false;
  for (uint32_t f = 0; f < m.functions.size(); ++f) {
    if (e.reached[f] == 0) continue;
    for (const Block& b : m.functions[f].blocks)
      for (const Instruction& in : b.instructions) {
        if (std::holds_alternative<Fence>(in.action) || std::holds_alternative<WarpExchange>(in.action)) return false;
        const auto* bar = std::get_if<Barrier>(&in.action);
        if (bar != nullptr && (bar->scope == Scope::warp || bar->name || bar->count || bar->arrive)) return false;
        if (f != entry.index && (std::holds_alternative<Store>(in.action) || std::holds_alternative<Load>(in.action)))
          return false;
      }
  }
  return true;
}

}  // namespace

std::vector<RegionId> stale_reads(const Module& m, const Effects& effects, FunctionId entry) {
  const FunctionEffects& e = effects.function(entry);
  std::vector<uint8_t> read_only(m.regions.size(), 0), surface = read_only;
  for (size_t f = 0; f < m.functions.size(); ++f) {
    if (e.reached[f] == 0) continue;
    for (const Block& b : m.functions[f].blocks)
      for (const Instruction& in : b.instructions)
        if (const auto* l = std::get_if<Load>(&in.action); l != nullptr && l->access.cache != Access::coherent)
          for (const RegionId r : l->access.regions)
            (l->access.cache == Access::surface ? surface : read_only)[r.index] = 1;
  }
  const bool barriers = only_barriers(m, e, entry);
  std::vector<RegionId> out;
  for (uint32_t r = 0; r < m.regions.size(); ++r) {
    if (e.writes[r] == 0 && e.atomics[r] == 0) continue;
    const bool seen = barriers && !written_before(m.function(entry), {r});
    if (read_only[r] != 0 || (surface[r] != 0 && !seen)) out.push_back({r});
  }
  return out;
}

std::vector<RegionId> unfenced_images(const Module& m, const Effects& effects, FunctionId entry) {
  std::vector<RegionId> out;
  const FunctionEffects& e = effects.function(entry);
  for (uint32_t r = 0; r < m.regions.size(); ++r) {
    if (m.dialect != Dialect::opencl || m.regions[r].origin != Origin::image || e.reads[r] == 0 || e.writes[r] == 0)
      continue;
    std::vector<uint8_t> touches(m.functions.size(), 0);
    for (uint32_t f = 0; f < m.functions.size(); ++f) {
      const FunctionEffects& g = effects.function({f});
      touches[f] = g.reads[r] != 0 || g.writes[r] != 0 ? 1 : 0;
    }
    if (read_behind_write(m.function(entry), {r}, touches)) out.push_back({r});
  }
  return out;
}

}  // namespace fencepost::flow
