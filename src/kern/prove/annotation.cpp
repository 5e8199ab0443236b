// Annotations: what must hold at their place, and what may be taken for granted behind it.
#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

void Execution::annotation(Activation& a, const Instruction& in, const Annotation& n, Pair guard, Mode mode) {
  if (n.note == Note::ensures) {
    a.ensures.push_back(n.condition);
    a.ensure_global.push_back(n.global);
    a.ensure_places.push_back(in.place);
    return;
  }
  if (n.note == Note::function_wide_invariant) return;  // taken up when the function was entered
  ++position_;
  Pair c = get(a, n.condition);
  const bool two = mentions_other(a, n.condition);
  const auto reads = [](const Instruction& i) { return std::holds_alternative<Load>(i.action); };
  if (two && mode.lockstep && n.note == Note::invariant && mentions(a, n.condition, reads)) {
    of_both_ = true;
    for (const int t : {0, 1}) c[static_cast<size_t>(t)] = pure(a, n.condition, t, mode, nullptr);
    of_both_ = false;
  }
  Pair holds;
  for (const size_t t : k_both) holds[t] = n.global ? c[t] : pool_.implies(guard[t], c[t]);
  std::string candidate;
  if (n.candidate) {
    candidate = a.f->symbol + ":user:" + where(m_, in.place);
    candidates.insert(candidate);
    if (refuted_.contains(candidate)) return;
  }
  const bool apart = special(a, n);
  if (mode.asked == Asked::plain && apart) {
    // Of a loop that threads leave one by one: asked about in the run for that, and known while the thread is in it.
    if (!two && n.note == Note::invariant && header_ == Header::assume)
      for (const int t : {0, 1}) {
        const auto i = static_cast<size_t>(t);
        fact(guard[i], c[i], t);
      }
    return;
  }
  if (mode.asked == Asked::special) mode.check = apart;
  const auto require = [&](Kind kind) {
    Obligation* o = oblige(kind, pool_.not_(holds[0]), in.place, two, mode);
    if (o != nullptr) o->candidate = candidate;
    return o;
  };
  switch (n.note) {
    case Note::assert_:
      require(Kind::assertion);
      break;
    case Note::assume:
      if (a.entry && pool_.is_true(guard[0])) required_of_both = pool_.all({required_of_both, holds[0], holds[1]});
      break;
    case Note::invariant:
      if (header_ != Header::assume) {
        Mode checking = mode;
        checking.check = mode.asked != Asked::special || apart;
        mode = checking;
        require(header_ == Header::entry ? Kind::invariant_entry : Kind::invariant_maintained);
        return;  // the loop's own run assumes it
      }
      break;
    case Note::requires_:
      if (!a.entry) {
        if (Obligation* o = require(Kind::precondition); o != nullptr) {
          o->place = a.call;
          o->other_place = in.place;
        }
      } else {
        required = pool_.all(required, holds[0]);
        required_of_both = pool_.all({required_of_both, holds[0], holds[1]});
      }
      break;
    case Note::ensures:
    case Note::function_wide_invariant:
      break;
  }
  fact(pool_.yes(), holds[0], 0, two);
  fact(pool_.yes(), holds[1], 1, two);
}

// Does it speak of both threads, or of one that has left the loop?
bool Execution::special(const Activation& a, const Annotation& n) const {
  if (n.note != Note::assert_ && n.note != Note::invariant) return false;
  if (mentions_other(a, n.condition)) return true;
  return n.note == Note::invariant && n.global && mentions(a, n.condition, [](const Instruction& in) {
           const auto* c = std::get_if<Compute>(&in.action);
           return c != nullptr && c->op == Op::enabled;
         });
}

// A ghost of an array: what this thread sees of it here. Others see other things until the next barrier, from which on
// the ghost has one content for all of them, of which only what barrier invariants say is known. For these to be about
// one content, an array that they speak of by its ghost counts as read (log_spec_reads): no other thread then wrote
// there.
void Execution::snapshot(Activation& a, const Snapshot& s, Pair guard) {
  ++position_;
  for (RegionId to : s.destination.regions)
    if (writers_.any(to, flow::Writer::store) || writers_.any(to, flow::Writer::atomic))
      unsupported.insert("a snapshot into an array that the kernel writes");
  const Pair to = get(a, s.destination.pointer), from = get(a, s.source.pointer);
  const auto whole = [&](Pair p, const std::vector<RegionId>& regions) {
    const Term start = regions.size() == 1
                           ? pool_.constant(uint64_t{regions[0].index + 1} << pointers.offset_bits, pointers.width())
                           : Term{};
    return start && p[0] == start && p[1] == start;
  };
  const bool known = whole(to, s.destination.regions) && whole(from, s.source.regions);
  for (RegionId r : s.destination.regions) {
    if (memory.adversarial(r)) continue;
    for (const int t : {0, 1})
      if (!known || !pool_.is_true(guard[static_cast<size_t>(t)]) || !memory.copy(r, s.source.regions[0], t))
        memory.forget(r, t, guard[static_cast<size_t>(t)]);
    for (RegionId source : s.source.regions) snapshots_[r.index] = source.index;
  }
  if (s.source.regions.size() > 1) unsupported.insert("a snapshot of one of several arrays");
}

// Of every loop of the function.
void Execution::wide_invariants(Activation& a, uint32_t l, Pair guard, Mode mode, Header what) {
  for (const Instruction* in : a.wide_invariants) {
    const auto& n = std::get<Annotation>(in->action);
    // Kept or dropped for each loop by itself.
    const std::string candidate =
        n.candidate ? a.f->symbol + ":user:" + where(m_, in->place) + ":" + std::to_string(l) : "";
    if (n.candidate) {
      candidates.insert(candidate);
      if (refuted_.contains(candidate)) continue;
    }
    ++position_;
    const bool two = mentions_other(a, n.condition);
    for (const int t : {0, 1}) {
      const auto i = static_cast<size_t>(t);
      const Term c = pure(a, n.condition, t, mode, nullptr);
      const Term holds = n.global ? c : pool_.implies(guard[i], c);
      if (what == Header::assume) {
        fact(pool_.yes(), holds, t, two);
      } else if (t == 0) {
        Obligation* o = oblige(what == Header::entry ? Kind::invariant_entry : Kind::invariant_maintained,
                               pool_.not_(holds), in->place, two, mode);
        if (o != nullptr) o->candidate = candidate;
      }
    }
  }
}

}  // namespace fencepost::prove
