#include "flow/clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "ir/assembly.h"
#include "ir/mapped.h"

namespace fencepost::flow {
namespace {

using namespace ir;

bool of_cluster(const Instruction& i) {
  const auto* b = std::get_if<Barrier>(&i.action);
  return b != nullptr && b->scope == Scope::cluster;
}

// The accesses of an instruction.
template <class I, class F>
void each_access(I& i, F f) {
  std::visit(
      [&](auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, Load> || std::is_same_v<T, Store> || std::is_same_v<T, Atomic> ||
                      std::is_same_v<T, ReadPermission> || std::is_same_v<T, ir::Frame>)
          f(x.access);
        if constexpr (std::is_same_v<T, AsyncCopy> || std::is_same_v<T, Snapshot>) {
          f(x.destination);
          f(x.source);
        }
      },
      i.action);
}

// What of a kernel with clusters is read, and what is not: undecided().
class Reading {
 public:
  Reading(const Module& m, const Effects& effects, FunctionId entry)
      : m_(m), effects_(effects), entry_(entry), f_(m.function(entry)), mapped_(mapped(f_)) {
    for (const Block& b : f_.blocks)
      for (const Instruction& i : b.instructions)
        if (!std::holds_alternative<ir::Frame>(i.action))
          each_access(i, [&](const Access& a) {
            if (is_mapped(a.pointer)) clustered_.insert(a.regions.begin(), a.regions.end());
          });
  }

  Clusters run() {
    uses();
    if (!out_.any()) return out_;
    for (const uint32_t n : f_.cluster)
      if (n > 16) undecided("a cluster of more than 16 blocks");
    other_functions();
    halves();
    if (!out_.remote) return out_;
    memory();
    present();
    return out_;
  }

  bool is_mapped(ValueId v) const { return mapped_[v.index] != 0; }
  const std::set<RegionId>& clustered() const { return clustered_; }

 private:
  void undecided(std::string what, PlaceId at = {}) {
    const std::string place = where(m_, at);
    out_.undecided.insert(place.empty() ? std::move(what) : fmt::format("{} at {}", what, place));
  }

  void absent(const char* what, PlaceId at) {
    out_.absent.insert(fmt::format("whether the block whose shared memory is accessed at {} {}", where(m_, at), what));
  }

  template <class F>
  void each_reached(F f) const {
    for (uint32_t k = 0; k < m_.functions.size(); ++k)
      if (effects_.function(entry_).reached[k] != 0)
        for (const Block& b : m_.functions[k].blocks)
          for (const Instruction& i : b.instructions) f(FunctionId{k}, i);
  }

  void uses() {
    each_reached([&](FunctionId, const Instruction& i) {
      out_.barriers = out_.barriers || of_cluster(i);
      const auto* a = std::get_if<Atomic>(&i.action);
      out_.scoped = out_.scoped || (a != nullptr && a->scope == Scope::cluster);
      const auto* c = std::get_if<Compute>(&i.action);
      if (c == nullptr) return;
      out_.remote = out_.remote || c->op == Op::map_rank;
      const auto k = static_cast<IdKind>(c->imm);
      out_.ids = out_.ids || (c->op == Op::id && (k == IdKind::cluster_rank || k == IdKind::cluster_size));
    });
  }

  // Functions that were not put in the place of their calls.
  void other_functions() {
    each_reached([&](FunctionId f, const Instruction& i) {
      const auto* c = std::get_if<Compute>(&i.action);
      if (f != entry_ && (of_cluster(i) || (c != nullptr && c->op == Op::map_rank)))
        undecided("a cluster in a function that is called", i.place);
    });
  }

  // ---- arrivals and waits that stand apart
  enum Half : uint8_t { none, idle, arrived };

  void halves() {
    std::vector<Half> at(f_.blocks.size(), none);
    at[0] = idle;
    std::vector<BlockId> todo{{0}};
    while (!todo.empty()) {
      const BlockId b = todo.back();
      todo.pop_back();
      Half now = at[b.index];
      for (const Instruction& i : f_.blocks[b.index].instructions) now = behind(now, i);
      const Block& block = f_.blocks[b.index];
      if (now == arrived && std::holds_alternative<Return>(block.terminator))
        undecided("an arrival at the barrier of the cluster that no wait follows");
      for (const BlockId s : successors(block.terminator)) {
        if (at[s.index] == none) {
          at[s.index] = now;
          todo.push_back(s);
        } else if (at[s.index] != now) {
          undecided("an arrival at the barrier of the cluster on some ways only", block.place);
        }
      }
    }
  }

  Half behind(Half now, const Instruction& i) {
    const auto* b = std::get_if<Barrier>(&i.action);
    if (b != nullptr && b->scope == Scope::cluster) {
      if (b->wait != (now == arrived))
        undecided(b->wait ? "a wait at the barrier of the cluster without an arrival before it"
                          : "an arrival at the barrier of the cluster before the wait of the last one",
                  i.place);
      return b->arrive ? arrived : idle;
    }
    if (now == arrived && seen_by_others(i))
      undecided("what is done between an arrival at the barrier of the cluster and the wait", i.place);
    return now;
  }

  // May other threads see that the instruction is made, or does it see what they do?
  bool seen_by_others(const Instruction& i) const {
    if (const auto* c = std::get_if<Call>(&i.action))
      return std::ranges::any_of(targets(*c),
                                 [&](FunctionId f) {
                                   const auto assembly = assembly_effect(m_.function(f));
                                   return m_.function(f).body || (assembly && assembly->kind != "value");
                                 }) ||
             !c->callee;
    if (std::holds_alternative<Phi>(i.action) || std::holds_alternative<Compute>(i.action) ||
        std::holds_alternative<Annotation>(i.action))
      return false;
    const auto* l = std::get_if<Load>(&i.action);
    const auto* s = std::get_if<Store>(&i.action);
    if (l == nullptr && s == nullptr) return true;
    const Access& a = l != nullptr ? l->access : s->access;
    const FunctionEffects& e = effects_.function(entry_);
    return a.regions.empty() || std::ranges::any_of(a.regions, [&](RegionId r) {
             if (m_.region(r).space == Space::private_) return false;
             return s != nullptr || e.writes[r.index] != 0 || e.atomics[r.index] != 0;
           });
  }

  // ---- memory of other groups
  void memory() {
    for (const RegionId r : clustered_)
      if (m_.region(r).space != Space::group)
        undecided(fmt::format("an address in another block of '{}', which is no shared memory", m_.region(r).name));
    each_reached([&](FunctionId f, const Instruction& i) {
      if (f != entry_) {
        each_access(i, [&](const Access& a) {
          if (touches(a)) undecided("shared memory that other blocks access, in a function that is called", i.place);
        });
        return;
      }
      kept(i);
      const auto* at = std::get_if<Atomic>(&i.action);
      out_.tickets = out_.tickets || (at != nullptr && !i.results.empty() && touches(at->access));
      const bool plain = std::holds_alternative<Load>(i.action) || std::holds_alternative<Store>(i.action) ||
                         std::holds_alternative<Atomic>(i.action);
      const auto* load = std::get_if<Load>(&i.action);
      each_access(i, [&](const Access& a) {
        if (touches(a) && (!plain || (load != nullptr && load->spec)))
          undecided("a copy, or an annotation, of shared memory that other blocks access", i.place);
      });
    });
    for (uint32_t k = 0; k < m_.functions.size(); ++k)
      if (effects_.function(entry_).reached[k] != 0 && !clustered_.empty())
        if (const auto assembly = assembly_effect(m_.functions[k]); assembly && assembly->kind == "barrier")
          undecided("barrier objects beside shared memory that other blocks access");
  }
  bool touches(const Access& a) const {
    return std::ranges::any_of(a.regions, [&](RegionId r) { return clustered_.contains(r); });
  }

  // An address that is put where this does not look.
  void kept(const Instruction& i) {
    bool away = false;
    if (const auto* s = std::get_if<Store>(&i.action)) away = is_mapped(s->value);
    if (const auto* a = std::get_if<Atomic>(&i.action)) away = std::ranges::any_of(a->operands, mapped_here());
    if (const auto* c = std::get_if<Call>(&i.action)) away = std::ranges::any_of(c->arguments, mapped_here());
    if (const auto* w = std::get_if<WarpExchange>(&i.action)) away = std::ranges::any_of(w->operands, mapped_here());
    if (away) undecided("an address in another block that is kept, or given away,", i.place);
  }
  std::function<bool(ValueId)> mapped_here() const {
    return [this](ValueId v) { return is_mapped(v); };
  }

  // ---- is the other group there?
  void present() {
    const std::vector<uint8_t> begun = on_every_way(true), ends = on_every_way(false);
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      const std::vector<Instruction>& list = f_.blocks[b].instructions;
      for (size_t k = 0; k < list.size(); ++k)
        each_access(list[k], [&](const Access& a) {
          if (!is_mapped(a.pointer)) return;
          const auto at = list.begin() + static_cast<ptrdiff_t>(k);
          if (begun[b] == 0 && std::none_of(list.begin(), at, whole))
            absent("has started: no barrier of the cluster stands before the access on every way", list[k].place);
          if (ends[b] == 0 && std::none_of(at, list.end(), whole))
            absent("has not ended: no barrier of the cluster stands behind the access on every way", list[k].place);
        });
    }
  }
  static bool whole(const Instruction& i) { return of_cluster(i) && !std::get<Barrier>(i.action).arrive; }

  // By block: whether a whole barrier of the cluster stands on every way from the beginning to the block's start, or
  // from the block's end to that of the kernel. A thread that traps ends the kernel.
  std::vector<uint8_t> on_every_way(bool forward) const {
    const Cfg& cfg = effects_.cfg(entry_);
    std::vector<uint8_t> out(f_.blocks.size(), 1);
    std::vector<uint8_t> has(f_.blocks.size());
    for (size_t b = 0; b < f_.blocks.size(); ++b) has[b] = std::ranges::any_of(f_.blocks[b].instructions, whole);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
        const auto& next = forward ? cfg.predecessors({b}) : successors(f_.blocks[b].terminator);
        bool all = forward ? b != 0 : !std::holds_alternative<Return>(f_.blocks[b].terminator);
        for (const BlockId n : next) all = all && (has[n.index] != 0 || out[n.index] != 0);
        if (all || out[b] == 0) continue;
        out[b] = 0;
        changed = true;
      }
    }
    return out;
  }

  const Module& m_;
  const Effects& effects_;
  const FunctionId entry_;
  const Function& f_;
  const std::vector<uint8_t> mapped_;
  std::set<RegionId> clustered_;
  Clusters out_;
};

}  // namespace

Clusters clusters(const Module& m, const Effects& effects, FunctionId entry) {
  return Reading(m, effects, entry).run();
}

Module seen(const Module& m, const Effects& effects, FunctionId entry, Scope as) {
  Module out = m;
  const Reading reading(m, effects, entry);
  for (const RegionId r : reading.clustered()) out.regions[r.index].clustered = true;
  for (Function& f : out.functions)
    for (Block& b : f.blocks) {
      std::erase_if(b.instructions,
                    [](const Instruction& i) { return of_cluster(i) && std::get<Barrier>(i.action).arrive; });
      for (Instruction& i : b.instructions)
        if (auto* x = std::get_if<Barrier>(&i.action); x != nullptr && x->scope == Scope::cluster) {
          x->scope = as;
          x->wait = true;  // so that it is known for one
        }
    }
  for (Block& b : out.functions[entry.index].blocks)
    for (Instruction& i : b.instructions) each_access(i, [&](Access& a) { a.remote = reading.is_mapped(a.pointer); });
  return out;
}

}  // namespace fencepost::flow
