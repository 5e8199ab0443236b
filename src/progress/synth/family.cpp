#include "synth/family.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "synth/graph.h"

namespace fencepost::synth {
namespace {

// Locations that thread t may use: under `stores` and `comparisons` each must be named by another thread as well.
uint32_t location_bound(const Request& r, const std::vector<uint32_t>& lengths, uint32_t t, uint32_t used) {
  if (!r.constraints.has(Constraint::stores) || !r.constraints.has(Constraint::comparisons)) return used;
  const uint32_t others = std::accumulate(lengths.begin(), lengths.end(), 0u) - lengths[t];
  return std::min(used, others);
}

struct Alphabets {
  std::vector<std::vector<Ins>> at;  // by pc
  Alphabets(const Request& r, uint32_t length, uint32_t used) {
    for (uint32_t pc = 0; pc < length; ++pc) at.push_back(alphabet(length, pc, used, r.values, r.constraints));
  }
  double count(size_t from = 0) const {
    double n = 1;
    for (size_t pc = from; pc < at.size(); ++pc) n *= static_cast<double>(at[pc].size());
    return n;
  }
};

// Every code over the alphabets from `pc` on with at most `bound` locations; stops when `each` says so.
template <class Each>
bool codes_from(const Alphabets& a, Code& code, uint32_t pc, uint32_t touched, uint32_t bound, const Each& each) {
  if (pc == a.at.size()) return each(code);
  for (const Ins& i : a.at[pc]) {
    const uint32_t now = touched | 1u << i.location;
    if (static_cast<uint32_t>(std::popcount(now)) > bound) continue;
    code.ins[pc] = i;
    if (!codes_from(a, code, pc + 1, now, bound, each)) return false;
  }
  return true;
}

// First uses of a further thread: new locations are the next ones, in order. Returns how many are used then, or 0.
uint32_t extend_order(const Interface& f, uint32_t used) {
  for (const uint8_t x : f.order)
    if (x > used) {
      if (x != used + 1) return 0;
      ++used;
    }
  return used;
}

template <uint32_t W>
class FamilySearch final : public Search {
 public:
  FamilySearch(const Request& request, const Family& family)
      : request_(request),
        family_(family),
        rules_(GraphRules::of(request)),
        alphabets_(request, family.lengths[family.longest], family.used),
        bound_(location_bound(request, family.lengths, family.longest, family.used)),
        graph_(family.lengths, family.used, request.values, rules_),
        program_(family.lengths.size()) {
    const uint32_t n = static_cast<uint32_t>(family.lengths.size());
    for (uint32_t t = 0; t < n; ++t) {
      solo_.emplace_back(family.lengths[t], family.used, request.values, rules_);
      groups_.emplace_back();
      program_[t].length = static_cast<uint8_t>(family.lengths[t]);
      if (t != family.longest) list_codes(t);
    }
  }

  bool run(uint64_t index, Job& job, const std::function<void(const Program&, oracle::Size)>& accept,
           uint64_t& graphs) override {
    Code& code = program_[family_.longest];
    uint32_t touched = 0;
    for (uint32_t pc = family_.fixed; pc-- > 0;) {
      code.ins[pc] = alphabets_.at[pc][index % alphabets_.at[pc].size()];
      index /= alphabets_.at[pc].size();
      touched |= 1u << code.ins[pc].location;
    }
    if (static_cast<uint32_t>(std::popcount(touched)) > bound_) return true;
    uint32_t patience = 0;
    return codes_from(alphabets_, code, family_.fixed, touched, bound_, [&](const Code& c) {
      if ((++patience & 0x3ff) == 0 && job.out_of_time()) return false;
      return join(c, job, accept, graphs);
    });
  }

 private:
  using Compiled_ = Compiled<W>;
  struct Group {
    Interface face;
    std::vector<Code> codes;
  };
  struct List {
    std::vector<Code> codes;
    std::vector<Compiled_> compiled;
  };
  struct Combination {
    Environment environment = 0;     // of the longest thread
    std::vector<const List*> lists;  // by thread; null for the longest
  };

  void list_codes(uint32_t t) {
    const Alphabets a(request_, family_.lengths[t], family_.used);
    const uint32_t bound = location_bound(request_, family_.lengths, t, family_.used);
    Code code;
    code.length = static_cast<uint8_t>(family_.lengths[t]);
    std::map<Interface, std::vector<Code>> by_face;
    codes_from(a, code, 0, 0, bound, [&](const Code& c) {
      by_face[interface_of(c)].push_back(c);
      return true;
    });
    for (auto& [face, codes] : by_face) groups_[t].push_back({face, std::move(codes)});
  }

  const std::vector<Move<W>>& environment_moves(uint32_t t, Environment e) {
    auto& cache = environments_[{family_.lengths[t], e}];
    if (!cache) cache = std::make_unique<std::vector<Move<W>>>(solo_[t].layout().environment(e));
    return *cache;
  }

  const List& feasible(uint32_t t, uint32_t group, Environment e) {
    auto& cache = lists_[{t, group, e}];
    if (cache) return *cache;
    cache = std::make_unique<List>();
    const auto& moves = environment_moves(t, e);
    for (const Code& c : groups_[t][group].codes) {
      solo_[t].set(c);
      if (!solo_[t].feasible(moves)) continue;
      cache->codes.push_back(c);
      graph_.layout().compile(t, c, rules_, cache->compiled.emplace_back());
    }
    return *cache;
  }

  // Do the faces satisfy the rules between threads?
  bool compatible(const std::vector<const Interface*>& faces) const {
    if (!request_.constraints.has(Constraint::stores)) return true;
    for (size_t t = 0; t < faces.size(); ++t) {
      uint32_t branched = 0, touched = 0;
      for (size_t o = 0; o < faces.size(); ++o)
        if (o != t) {
          branched |= faces[o]->branched;
          touched |= faces[o]->touched;
        }
      if ((faces[t]->exchanged & ~branched) != 0 || (faces[t]->branched & ~touched) != 0) return false;
    }
    return true;
  }

  void combine(uint32_t t, uint32_t used, const Interface& longest, std::vector<const Interface*>& faces,
               std::vector<uint32_t>& chosen, std::vector<Combination>& out) {
    if (t == faces.size()) {
      if (used != family_.used || !compatible(faces)) return;
      Combination c;
      for (uint32_t i = 0; i < faces.size(); ++i) {
        Environment e = 0;
        for (uint32_t o = 0; o < faces.size(); ++o)
          if (o != i) e |= writes_of(*faces[o]);
        if (i == family_.longest) {
          c.environment = e;
          c.lists.push_back(nullptr);
          continue;
        }
        const List& list = feasible(i, chosen[i], e);
        if (list.codes.empty()) return;
        c.lists.push_back(&list);
      }
      out.push_back(std::move(c));
      return;
    }
    const auto go = [&](const Interface& f) {
      // A thread without code has no order and is always in place.
      const uint32_t now = f.touched == 0 ? used : extend_order(f, used);
      if (now == 0 && f.touched != 0) return;
      faces[t] = &f;
      combine(t + 1, now, longest, faces, chosen, out);
    };
    if (t == family_.longest) return go(longest);
    for (uint32_t g = 0; g < groups_[t].size(); ++g) {
      chosen[t] = g;
      go(groups_[t][g].face);
    }
  }

  const std::vector<Combination>& combinations(const Interface& longest) {
    const auto [at, fresh] = combinations_.try_emplace(longest);
    if (fresh) {
      std::vector<const Interface*> faces(family_.lengths.size());
      std::vector<uint32_t> chosen(faces.size());
      combine(0, 0, longest, faces, chosen, at->second);
    }
    return at->second;
  }

  bool join(const Code& code, Job& job, const std::function<void(const Program&, oracle::Size)>& accept,
            uint64_t& graphs) {
    const std::vector<Combination>& all = combinations(interface_of(code));
    if (all.empty()) return true;
    solo_[family_.longest].set(code);
    tried_.clear();
    bool compiled = false;
    for (const Combination& c : all) {
      auto known = std::find_if(tried_.begin(), tried_.end(), [&](const auto& k) { return k.first == c.environment; });
      if (known == tried_.end()) {
        tried_.emplace_back(c.environment,
                            solo_[family_.longest].feasible(environment_moves(family_.longest, c.environment)));
        known = tried_.end() - 1;
      }
      if (!known->second) continue;
      if (!compiled) {
        graph_.layout().compile(family_.longest, code, rules_, longest_);
        graph_.set(family_.longest, longest_);
        compiled = true;
      }
      if (!product(c, 0, job, accept, graphs)) return false;
    }
    return true;
  }

  bool product(const Combination& c, uint32_t t, Job& job,
               const std::function<void(const Program&, oracle::Size)>& accept, uint64_t& graphs) {
    if (t == c.lists.size()) {
      if (!request_.shapes.empty() && !has_shapes(program_, request_.shapes)) return true;
      if ((++graphs & 0xffff) == 0 && job.out_of_time()) return false;
      if (graph_.accepted()) accept(program_, graph_.size());
      return true;
    }
    if (t == family_.longest) return product(c, t + 1, job, accept, graphs);
    const List& list = *c.lists[t];
    for (size_t i = 0; i < list.codes.size(); ++i) {
      program_[t] = list.codes[i];
      graph_.set(t, list.compiled[i]);
      if (!product(c, t + 1, job, accept, graphs)) return false;
    }
    return true;
  }

  const Request request_;
  const Family family_;
  const GraphRules rules_;
  const Alphabets alphabets_;
  const uint32_t bound_;
  Graph<W> graph_;
  Program program_;
  Compiled_ longest_;
  std::vector<Solo<W>> solo_;               // by thread
  std::vector<std::vector<Group>> groups_;  // by thread; empty for the longest
  std::map<std::pair<uint32_t, Environment>, std::unique_ptr<std::vector<Move<W>>>> environments_;
  std::map<std::tuple<uint32_t, uint32_t, Environment>, std::unique_ptr<List>> lists_;
  std::map<Interface, std::vector<Combination>> combinations_;
  std::vector<std::pair<Environment, bool>> tried_;
};

void splits(const Request& r, uint32_t left, std::vector<uint32_t>& so_far, std::vector<std::vector<uint32_t>>& out) {
  const uint32_t least = r.constraints.has(Constraint::no_surplus_threads) ? 1 : 0;
  if (so_far.size() + 1 == r.threads) {
    if (left < least) return;
    so_far.push_back(left);
    out.push_back(so_far);
    so_far.pop_back();
    return;
  }
  for (uint32_t n = least; n <= left; ++n) {
    so_far.push_back(n);
    splits(r, left - n, so_far, out);
    so_far.pop_back();
  }
}

uint64_t states_of(const Family& f, uint32_t values) {
  uint64_t s = 1;
  for (uint32_t x = 0; x < f.used; ++x) s *= values;
  for (const uint32_t n : f.lengths) s *= n + 1;
  return s;
}

}  // namespace

std::vector<Family> families(const Request& r) {
  std::vector<std::vector<uint32_t>> all;
  std::vector<uint32_t> so_far;
  if (r.per_thread.empty()) {
    splits(r, r.instructions, so_far, all);
  } else {
    all.push_back(r.per_thread);
  }
  // Programs of a unit before any pruning: large enough that the lists of the shorter threads, made once per worker and
  // family, do not matter; small enough that a unit takes seconds and an interruption loses little.
  constexpr double k_unit = 5e8;
  std::vector<Family> r_families;
  uint64_t unit = 0;
  for (const auto& lengths : all) {
    const uint32_t instructions = std::accumulate(lengths.begin(), lengths.end(), 0u);
    for (uint32_t used = 1; used <= std::min(r.locations, instructions); ++used) {
      Family f{lengths, used};
      f.longest = static_cast<uint32_t>(std::max_element(lengths.begin(), lengths.end()) - lengths.begin());
      double others = 1;
      bool possible = true;
      for (uint32_t t = 0; t < lengths.size(); ++t) {
        if (t != f.longest) others *= Alphabets(r, lengths[t], used).count();
        if (lengths[t] > 0 && location_bound(r, lengths, t, used) == 0) possible = false;
      }
      if (!possible) continue;
      const Alphabets a(r, lengths[f.longest], used);
      f.units = 1;
      while (f.fixed < lengths[f.longest] && others * a.count(f.fixed) > k_unit) f.units *= a.at[f.fixed++].size();
      f.first_unit = unit;
      unit += f.units;
      r_families.push_back(std::move(f));
    }
  }
  return r_families;
}

std::unique_ptr<Search> make_search(const Request& request, const Family& family) {
  const uint64_t states = states_of(family, request.values);
  FENCEPOST_INVARIANT(states <= k_max_states, "a family of synthesis fits its state sets");
  if (states <= 64) return std::make_unique<FamilySearch<1>>(request, family);
  if (states <= 128) return std::make_unique<FamilySearch<2>>(request, family);
  if (states <= 256) return std::make_unique<FamilySearch<4>>(request, family);
  if (states <= 512) return std::make_unique<FamilySearch<8>>(request, family);
  if (states <= 1024) return std::make_unique<FamilySearch<16>>(request, family);
  return std::make_unique<FamilySearch<64>>(request, family);
}

}  // namespace fencepost::synth
