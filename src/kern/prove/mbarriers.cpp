#include "prove/mbarriers.h"

#include <algorithm>

#include "order/position.h"

namespace fencepost::prove {

using namespace ir;

void Mbarriers::announce(std::string name, std::string form, std::vector<Pair> operands) {
  meets_ = name == k_arrive_and_wait;
  next_ = Use{std::move(name), std::move(form), std::move(operands)};
}

void Mbarriers::written(RegionId r, const Pair& guard, const Pair& offset, uint32_t bytes) {
  if (possible_ && !in_use_ && run_.module().region(r).space == Space::group)
    overwrites_.push_back({r, guard, offset, bytes});
}

void Mbarriers::access(const Access& access, const Pair& guard, const Pair& pointer,
                       const std::vector<uint32_t>& meetings) {
  in_use_ = next_.has_value();
  if (!next_) return;
  meetings_ = meetings;
  const Use use = *std::exchange(next_, std::nullopt);
  const std::string name =
      access.regions.empty() ? "an mbarrier" : "'" + run_.module().region(access.regions[0]).name + "'";
  const auto open = [&](const std::string& what) { run_.unsupported.insert("whether " + name + " " + what); };
  const Pair at = run_.offsets_of(pointer);
  const bool waits = use.name == k_wait;
  if (use.form == k_copies)
    for (const RegionId r : access.regions) pipelines_.insert(r.index);
  if (rings_.around(run_.loops_around())) {
    // What others have written before they arrived is seen from here on.
    if (waits) run_.forget_written(guard, {Space::group, Space::global});
    if (!run_.of_one_group()) return;
    if (access.regions.size() != 1 || run_.module().region(access.regions[0]).space != Space::group)
      return open("is one barrier in shared memory for all threads of a group");
    if (const std::string why = use_of_ring(access.regions[0], use, guard, at); !why.empty()) open(why);
    return;
  }
  if (access.regions.size() != 1 || run_.module().region(access.regions[0]).space != Space::group || at[0] != at[1] ||
      !pool_.is_constant(at[0]))
    return open("is one barrier in shared memory for all threads of a group");
  const auto place = std::make_pair(access.regions[0].index, pool_.value(at[0]));
  const auto known = numbers_.try_emplace(place, objects_.size());
  if (known.second) objects_.push_back({.name = name});
  Object& o = objects_[known.first->second];
  if (use.name == "mbarrier.init" && use.form == " those") {
    // Each thread says whether it is one of those who arrive.
    if (!run_.loops_around().empty() || !run_.always(guard) || o.begun != 0)
      return open("is initialised once, by all threads of each group");
    o.begun = run_.position();
    o.who = those(use.operands[0]);
    const Term threads = pool_.mul(run_.local_size[0], pool_.mul(run_.local_size[1], run_.local_size[2]));
    const auto some = static_cast<uint64_t>(std::ranges::count(o.who, 1));
    if (run_.every(use.operands[0], 1))
      o.count = Run::both(threads);
    else
      o.count = Run::both(pool_.constant(some, 32));  // 0: not known
    return;
  }
  if (use.name == "mbarrier.init" && use.operands.size() == 1) {
    const bool first = run_.by_masters(guard) && run_.always(masters_.of_both(guard));
    if (!run_.loops_around().empty() || !first || o.begun != 0)
      return open("is initialised once, by the first thread of each group");
    o.begun = run_.position();
    o.count = use.operands[0];
    return;
  }
  const bool begun =
      o.begun != 0 && std::ranges::any_of(meetings, [&](uint32_t m) { return o.begun < m && m < run_.position(); });
  if (!begun) return open("is initialised before '" + use.name + "'");
  if (const std::string why = use_of(o, use, guard); !why.empty()) open(why);
  if (waits) run_.forget_written(guard, {Space::group, Space::global});
}

// For which threads of the group it is true; empty: that is not known, or for all.
std::vector<uint8_t> Mbarriers::those(const Pair& which) {
  std::vector<uint8_t> who;
  for (const Run::Ids& ids : run_.threads_by_ids()) {
    const Term one = run_.with_ids(which[0], 0, ids);
    if (!pool_.is_constant(one)) return {};
    who.push_back(pool_.value(one) & 1);
  }
  return who;
}

// In an iteration of a loop around rings.
std::string Mbarriers::use_of_ring(RegionId r, const Use& use, const Pair& guard, const Pair& at) {
  constexpr const char* k_once = "is used in the iterations of one loop, and not of one inside it";
  if (run_.loops_around().size() != 1) return k_once;
  const bool tries = use.name == "mbarrier.try_wait" || use.name == "mbarrier.test_wait";
  if (!rings_.listens(run_.loops_around()) || (tries && use.form != " other")) return "";
  Rings::Use u;
  u.position = run_.position();
  u.region = r;
  u.guard = guard;
  u.place = at;
  if (use.name == "mbarrier.arrive" && use.operands.size() == 2) {
    const Pair& count = use.operands[0];
    if (!pool_.is_constant(count[0]) || count[0] != count[1] || pool_.value(count[0]) == 0)
      return "is passed in phases that can be told apart";
    u.count = pool_.value(count[0]);
    u.token = use.operands[1];
    u.copies = use.form == k_copies;
  } else if (use.name == k_wait) {
    u.waits = true;
    (use.form == " token" ? u.token : u.parity) = use.operands[0];
  } else {
    return "has the phases that arrivals and waiting alone give it, beside '" + use.name + "' in a loop";
  }
  rings_.use(std::move(u));
  return "";
}

std::vector<Phases::Claim> Mbarriers::conclude_rings() {
  std::vector<Rings::Single> singles;
  for (const Object& o : objects_) singles.push_back({o.name, o.begun, count_of(o), o.who, false});
  std::vector<Phases::Step> outside;
  for (size_t k = 0; k < steps_.size(); ++k)
    if (loops_[k].empty()) outside.push_back(steps_[k]);
  std::vector<Phases::Claim> claims = rings_.conclude(numbers_, singles, outside, meetings_);
  constexpr const char* k_phases = "is passed in phases that can be told apart";
  for (size_t n = 0; n < objects_.size(); ++n) {
    objects_[n].ring = singles[n].taken;
    if (run_.of_one_group() && !singles[n].taken && std::ranges::count(objects_[n].who, 0) != 0)
      run_.unsupported.insert("whether " + objects_[n].name + " is used by those whose role it is");
    if (singles[n].taken && objects_[n].apart) run_.unsupported.insert("whether " + objects_[n].name + " " + k_phases);
  }
  for (size_t k = steps_.size(); k-- > 0;) {
    const Phases::Step& s = steps_[k];
    if (s.kind == Phases::Step::meet || !objects_[s.object].ring) continue;
    if (!loops_[k].empty()) run_.unsupported.insert("whether " + objects_[s.object].name + " " + k_phases);
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(k));
    loops_.erase(loops_.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return claims;
}

uint64_t Mbarriers::count_of(const Object& o) const {
  if (!o.count[0]) return ~uint64_t{0};  // no one has initialised it
  const Term threads = pool_.mul(run_.local_size[0], pool_.mul(run_.local_size[1], run_.local_size[2]));
  constexpr uint64_t k_most = (1u << 20) - 1;  // PTX ISA, mbarrier.init
  if (pool_.is_constant(o.count[0]) && o.count[0] == o.count[1]) {
    const uint64_t n = pool_.value(o.count[0]);
    return n == 0 || n > k_most ? ~uint64_t{0} : n;
  }
  return o.count == Run::both(threads) ? 0 : ~uint64_t{0};
}

// What is not known of the phases of a use; "": nothing, as far as it is looked at alone.
std::string Mbarriers::use_of(Object& o, const Use& use, const Pair& guard) {
  constexpr const char *k_phases = "is passed in phases that can be told apart",
                       *k_waits = "is waited at for the phase of the arrival before",
                       *k_bytes = "is told of as many bytes as are expected there";
  const bool tries = use.name == "mbarrier.try_wait" || use.name == "mbarrier.test_wait";
  if (tries && use.form != " other") return "";
  Phases::Step s;
  s.position = run_.position();
  s.guard = guard;
  s.object = static_cast<size_t>(&o - objects_.data());
  const auto constant = [&](size_t k) {
    const Pair& p = use.operands[k];
    return pool_.is_constant(p[0]) && p[0] == p[1] ? std::optional(pool_.value(p[0])) : std::nullopt;
  };
  const std::vector<uint32_t>& loops = run_.loops_around();
  const bool once = loops.size() < 2;
  if (use.name == k_arrive_and_wait) {
    o.apart = o.apart || !loops.empty() || !run_.always(guard);
    if (o.apart && count_of(o) != run_.threads_of_group()) return "is initialised for as many arrivals as come";
    s.kind = Phases::Step::both;
  } else if (use.name == "mbarrier.arrive" && use.operands.size() > 1) {
    if (!once || !constant(0) || *constant(0) == 0) return k_phases;
    s.count = *constant(0);
    s.token = use.operands[1];
    s.copies = use.form == k_copies;
    s.expects = use.operands.size() > 2;
    if (s.expects && !constant(2)) return k_bytes;
    if (s.expects) s.bytes = *constant(2);
    o.alone = true;
  } else if (use.name == k_wait) {
    if (!once) return k_waits;
    s.kind = Phases::Step::wait;
    (use.form == " token" ? s.token : s.parity) = use.operands[0];
    o.alone = true;
  } else if (use.form == " bytes" && last_copy_[0]) {
    if (!once || !constant(0)) return k_bytes;
    s.kind = Phases::Step::copy;
    s.bytes = *constant(0);
    s.event = last_copy_;
    o.alone = true;
  } else {
    return "has the phases that arrivals and waiting alone give it, beside '" + use.name + "'";
  }
  if (o.apart && o.alone) return k_phases;
  if (!o.apart) {
    steps_.push_back(s);
    loops_.push_back(loops);
  }
  return "";
}

void Mbarriers::meeting(const Pair& guard) {
  if (!possible_ || (run_.loops_around().empty() && !run_.always(guard))) return;
  steps_.push_back({.kind = Phases::Step::meet, .position = run_.position(), .guard = guard});
  loops_.push_back(run_.loops_around());
}

std::vector<Phases::Claim> Mbarriers::conclude() {
  written_alone();
  if (pipelines_.size() > 1) run_.unsupported.insert("which of several pipelines a copy is for");
  std::vector<Phases::Claim> claims = conclude_rings();
  constexpr const char* k_phases = "is passed in phases that can be told apart";
  const auto fail = [&](size_t object, const std::string& why) {
    if (!why.empty()) run_.unsupported.insert("whether " + objects_[object].name + " " + why);
  };
  // By iteration; one more: those outside of loops. And the loop that each object is used in; none: several.
  std::vector<std::vector<Phases::Step>> parts(rounds_.size() + 1);
  std::map<size_t, std::vector<uint32_t>> used;
  for (size_t k = 0; k < steps_.size(); ++k) {
    const Phases::Step& s = steps_[k];
    const auto around = std::ranges::find_if(rounds_, [&](const Phases::Round& r) {
      return r.loops == loops_[k] && order::between(r.begin, s.position, r.end);
    });
    const bool outside = loops_[k].empty(), meets = s.kind == Phases::Step::meet;
    // Pairs of several groups are not in step.
    if (!outside && around == rounds_.end() && !meets && run_.of_one_group()) fail(s.object, k_phases);
    if (!meets && used.try_emplace(s.object, loops_[k]).first->second != loops_[k]) fail(s.object, k_phases);
    if (outside || around != rounds_.end())
      parts[outside ? rounds_.size() : static_cast<size_t>(around - rounds_.begin())].push_back(s);
  }
  std::map<std::vector<uint32_t>, uint32_t> before;  // by loop: phases of the iterations so far
  std::vector<uint64_t> counts;
  for (const Object& o : objects_) counts.push_back(count_of(o));
  for (size_t r = 0; r < parts.size(); ++r) {
    if (std::ranges::all_of(parts[r], [](const Phases::Step& s) { return s.kind == Phases::Step::meet; })) continue;
    const Phases::Round* round = r < rounds_.size() ? &rounds_[r] : nullptr;
    uint32_t none = 0, &so_far = round != nullptr ? before[round->loops] : none;
    const Phases::Answer answer = Phases::decide(run_, parts[r], counts, round, so_far);
    for (size_t k = 0; k < objects_.size(); ++k) fail(k, answer.whys[k]);
    claims.insert(claims.end(), answer.claims.begin(), answer.claims.end());
    so_far += answer.phases;
  }
  return claims;
}

void Mbarriers::written_alone() {
  const uint8_t ow = run_.pointers.offset_bits;
  for (const auto& [place, number] : numbers_) {
    const Term at = pool_.constant(place.second, ow);
    for (const Overwrite& w : overwrites_) {
      if (w.region.index != place.first) continue;
      for (const size_t t : k_both) {
        const Term near = pool_.any(pool_.ult(pool_.sub(w.offset[t], at), pool_.constant(8, ow)),
                                    pool_.ult(pool_.sub(at, w.offset[t]), pool_.constant(w.bytes, ow)));
        if (!pool_.is_false(pool_.all(w.guard[t], near)))
          run_.unsupported.insert("whether '" + run_.module().region(w.region).name +
                                  "' is written as a barrier alone");
      }
    }
  }
}

}  // namespace fencepost::prove
