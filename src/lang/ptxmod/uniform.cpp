// Do all threads of a warp come to each barrier that is .aligned together? PTX ISA, `bar`: ".aligned indicates that all
// threads in the warp must execute the same barrier instruction. [...] the behavior is undefined" where they do not.
//
// A register is *uniform* if all threads of a warp that are together find one value in it. A branch is uniform if
// each thread takes the same known way, or if its predicate is uniform. Behind any other branch, up to the block in
// which its ways meet again, threads are apart (Karrenberg and Hack, "Improving Performance of OpenCL on CPUs", CC
// 2012, section 3): what is set there is not uniform, and a barrier there is refused. What memory holds may change
// between two threads that read it, so that only parameters, constant memory and variables of the thread are uniform.
#include <fmt/format.h>

#include <algorithm>

#include "litmus/lexer.h"
#include "ptxmod/lower.h"

namespace fencepost::ptxmod {
namespace {

bool is_aligned_barrier(const Node& n) {
  if (n.kind != Node::Kind::instruction || n.words.empty()) return false;
  if (n.words[0] == "bar") return n.words.size() < 2 || n.words[1] != "warp";
  return n.words[0] == "barrier" && std::find(n.words.begin(), n.words.end(), "aligned") != n.words.end();
}

bool is_exchange(const Node& n) {
  static constexpr const char* heads[] = {"shfl", "vote", "match", "redux", "elect"};
  return n.kind == Node::Kind::instruction && !n.words.empty() &&
         std::find(std::begin(heads), std::end(heads), n.words[0]) != std::end(heads);
}

using Alike = std::map<const Node*, bool>;

class Uniform {
 public:
  // With `alike`, ways that the number of a thread decides count as one: what comes to be then is known.
  Uniform(const Flat& flat, const Blocks& flow, const spirv::Launch& launch, std::vector<uint32_t> lanes,
          const std::vector<std::vector<Taken>>& taken, const Alike* alike)
      : flat_(flat), flow_(flow), launch_(launch), lanes_(std::move(lanes)), taken_(taken), alike_(alike) {}

  // The first instruction of that kind that some threads of a warp may go around. Null: there is none.
  const Node* first_apart(bool (*of_kind)(const Node&)) {
    ways();
    meetings();
    start();
    for (bool changed = true; changed;) changed = step();
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      if (!apart_.contains(b)) continue;
      for (size_t k = flow_.blocks[b].begin; k < flow_.blocks[b].end; ++k)
        if (of_kind(flat_.nodes[k])) return &flat_.nodes[k];
    }
    return nullptr;
  }

 private:
  // Where any thread of the warp may go from a block.
  void ways() {
    next_.resize(flow_.blocks.size());
    for (uint32_t b = 0; b < next_.size(); ++b)
      for (const uint32_t l : lanes_) next_[b].insert(taken_[l][b].next.begin(), taken_[l][b].next.end());
  }
  bool reached(uint32_t b) const {
    return std::any_of(lanes_.begin(), lanes_.end(), [&](uint32_t l) { return taken_[l][b].reached; });
  }

  // The first block that all ways from a block come to: its immediate postdominator, k_nothing where there is none.
  void meetings() {
    const auto n = static_cast<uint32_t>(next_.size());
    std::vector<std::vector<uint32_t>> before(n + 1);  // n: behind the end
    for (uint32_t b = 0; b < n; ++b) {
      for (const uint32_t t : next_[b]) before[t].push_back(b);
      if (next_[b].empty() && reached(b)) before[n].push_back(b);
    }
    std::vector<uint32_t> order, rank(n + 1, k_nothing);  // from the end, each block behind what follows it
    std::vector<std::pair<uint32_t, size_t>> path = {{n, 0}};
    std::vector<bool> seen(n + 1, false);
    seen[n] = true;
    while (!path.empty()) {
      auto& [b, k] = path.back();
      if (k < before[b].size()) {
        const uint32_t t = before[b][k++];
        if (!seen[t]) {
          seen[t] = true;
          path.emplace_back(t, 0);
        }
      } else {
        rank[b] = static_cast<uint32_t>(order.size());
        order.push_back(b);
        path.pop_back();
      }
    }
    meeting_.assign(n + 1, k_nothing);
    meeting_[n] = n;
    const auto common = [&](uint32_t a, uint32_t b) {
      while (a != b) {
        while (rank[a] < rank[b]) a = meeting_[a];
        while (rank[b] < rank[a]) b = meeting_[b];
      }
      return a;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t o = order.size(); o-- > 0;) {
        const uint32_t b = order[o];
        if (b == n) continue;
        uint32_t now = k_nothing;
        const auto meet = [&](uint32_t t) {
          if (meeting_[t] != k_nothing) now = now == k_nothing ? t : common(now, t);
        };
        for (const uint32_t t : next_[b]) meet(t);
        if (next_[b].empty()) meet(n);
        if (now != meeting_[b]) {
          meeting_[b] = now;
          changed = true;
        }
      }
    }
  }

  // What differs from the start: registers that nobody set, and variables whose address is taken.
  void start() {
    differs_ = flow_.live_in[0];
    for (const Node& n : flat_.nodes)
      for (size_t k = 0; k < n.args.size(); ++k) taken_address(n.args[k]);
  }
  void taken_address(const Argument& a) {
    if (a.kind == Argument::Kind::variable) variables_.insert(a.index);
    if (a.kind == Argument::Kind::address && !a.parts.empty() && a.parts[0].kind == Argument::Kind::variable) return;
    for (const Argument& p : a.parts) taken_address(p);
  }

  bool one_value(const std::string& special) const {
    static constexpr const char* same[] = {"ctaid.", "ntid.", "nctaid.", "warpid", "nwarpid", "WARP_SZ"};
    for (const char* s : same)
      if (special.starts_with(s)) return true;
    for (size_t d = 0; d < 3; ++d)
      if (special == fmt::format("tid.{}", "xyz"[d]))
        return std::all_of(lanes_.begin(), lanes_.end(), [&](uint32_t l) {
          return launch_.local_id(launch_.place(l))[d] == launch_.local_id(launch_.place(lanes_[0]))[d];
        });
    return special == "tid.w";
  }
  bool differs(const Argument& a) const {
    if (a.kind == Argument::Kind::special && !one_value(a.name)) return true;
    return std::any_of(a.parts.begin(), a.parts.end(), [&](const Argument& p) { return differs(p); });
  }
  // Does an instruction give threads that are together different results, whatever its registers hold?
  bool varies(const Node& n) const {
    const std::string& head = n.words[0];
    static constexpr const char* kinds[] = {"atom",  "shfl",  "vote", "match", "activemask",
                                            "elect", "redux", "call", "tex",   "tld4"};
    if (std::find(std::begin(kinds), std::end(kinds), head) != std::end(kinds)) return true;
    if (head == "cuda" && n.words[1] != "ld") return true;
    // Each thread decides for itself what floating point arithmetic comes to.
    if (alike_ != nullptr && (head == "setp" || head == "set" || head == "cvt") &&
        std::any_of(n.words.begin() + 1, n.words.end(), [](const std::string& w) {
          return w == "f16" || w == "f16x2" || w == "bf16" || w == "bf16x2" || w == "f32" || w == "f64";
        }))
      return true;
    if (head == "ld" || head == "ldu" || head == "cuda") {
      const bool constant = std::find(n.words.begin(), n.words.end(), "const") != n.words.end();
      if (constant) return false;
      const Argument* base = n.args.size() > 1 && !n.args[1].parts.empty() ? &n.args[1].parts[0] : nullptr;
      if (base == nullptr || base->kind != Argument::Kind::variable) return true;
      const std::string& space = flat_.variables[base->index].space;
      return space != "param" && (head == "cuda" || space != "local" || variables_.contains(base->index));
    }
    return std::any_of(n.args.begin(), n.args.end(), [&](const Argument& a) { return differs(a); });
  }

  bool step() {
    bool changed = false;
    const auto carry = static_cast<uint32_t>(flat_.registers.size());
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      if (!reached(b)) continue;
      for (size_t k = flow_.blocks[b].begin; k < flow_.blocks[b].end; ++k) {
        const Node& n = flat_.nodes[k];
        if (n.kind != Node::Kind::instruction || n.words.empty()) continue;
        if (is_alike(n) && !apart_.contains(b) && !ways_.contains(b)) continue;
        std::set<uint32_t> reads, writes;
        reads_and_writes(n, reads, writes, carry);
        const bool is_apart = apart_.contains(b) || ways_.contains(b) || varies(n) ||
                              std::any_of(reads.begin(), reads.end(), [&](uint32_t r) { return differs_.contains(r); });
        if (!is_apart) continue;
        for (const uint32_t r : writes) changed = differs_.insert(r).second || changed;
        if (n.words[0] == "st" && !n.args.empty() && !n.args[0].parts.empty() &&
            n.args[0].parts[0].kind == Argument::Kind::variable)
          changed = variables_.insert(n.args[0].parts[0].index).second || changed;
      }
      if (next_[b].size() <= 1) continue;
      // Where each lane's way is known, those that come to an exchange are known too; but what is written on the ways
      // differs from then on.
      if (parts(b))
        changed = spread(b, apart_) || changed;
      else if (alike_ != nullptr && ways_differ(b))
        changed = spread(b, ways_) || changed;
    }
    return changed;
  }
  bool is_alike(const Node& n) const {
    if (alike_ == nullptr) return false;
    const auto it = alike_->find(&n);
    return it != alike_->end() && it->second;
  }
  // Do lanes whose ways behind the block are known go different ones, now or in another round?
  bool ways_differ(uint32_t b) const {
    for (const uint32_t l : lanes_)
      if (taken_[l][b].reached && taken_[l][b].next.size() == 1 && taken_[l][b].next.size() < next_[b].size())
        return true;
    return false;
  }
  // May threads that come to the end of the block together go different ways?
  bool parts(uint32_t b) const {
    bool known = true, one = true;
    const std::set<uint32_t>* first = nullptr;
    for (const uint32_t l : lanes_) {
      const Taken& t = taken_[l][b];
      if (!t.reached) continue;
      known = known && t.next.size() == 1;
      one = one && (first == nullptr || *first == t.next);
      if (first == nullptr) first = &t.next;
    }
    if (known) return alike_ == nullptr && !one;
    const Node& last = flat_.nodes[flow_.blocks[b].end - 1];
    std::set<uint32_t> reads, writes;
    reads_and_writes(last, reads, writes, static_cast<uint32_t>(flat_.registers.size()));
    return std::any_of(reads.begin(), reads.end(), [&](uint32_t r) { return differs_.contains(r); });
  }
  bool spread(uint32_t b, std::set<uint32_t>& into) {
    bool changed = false;
    std::vector<uint32_t> open(next_[b].begin(), next_[b].end());
    std::set<uint32_t> seen;
    while (!open.empty()) {
      const uint32_t t = open.back();
      open.pop_back();
      if (t == meeting_[b] || !seen.insert(t).second) continue;
      changed = into.insert(t).second || changed;
      open.insert(open.end(), next_[t].begin(), next_[t].end());
    }
    return changed;
  }

  const Flat& flat_;
  const Blocks& flow_;
  const spirv::Launch& launch_;
  std::vector<uint32_t> lanes_;
  const std::vector<std::vector<Taken>>& taken_;
  const Alike* alike_;
  std::vector<std::set<uint32_t>> next_;
  std::vector<uint32_t> meeting_;
  std::set<uint32_t> differs_;    // registers
  std::set<uint32_t> variables_;  // of the thread, that differ
  std::set<uint32_t> apart_;      // blocks
  std::set<uint32_t> ways_;       // blocks to which known ways lead some lanes alone
};

std::vector<std::vector<uint32_t>> warps_of(const spirv::Launch& launch, size_t threads) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> warps;
  for (uint32_t t = 0; t < threads; ++t) {
    const spirv::Place p = launch.place(t);
    warps[{launch.global_workgroup(p), p.subgroup}].push_back(t);
  }
  std::vector<std::vector<uint32_t>> out;
  for (auto& [where, lanes] : warps) out.push_back(std::move(lanes));
  return out;
}

}  // namespace

void check_aligned(const Flat& flat, const Blocks& flow, const spirv::Launch& launch,
                   const std::vector<std::vector<Taken>>& taken) {
  for (const auto& lanes : warps_of(launch, taken.size()))
    if (const Node* n = Uniform(flat, flow, launch, lanes, taken, nullptr).first_apart(is_aligned_barrier))
      litmus::unsupported(
          n->span,
          fmt::format("{}: some threads of a warp may go around this barrier, which is .aligned", n->mnemonic()),
          "a launch 1.S.W has one thread per warp");
}

void check_exchanges(const Flat& flat, const Blocks& flow, const spirv::Launch& launch,
                     const std::vector<std::vector<Taken>>& taken, const Alike& alike) {
  if (alike.empty()) return;
  for (const auto& lanes : warps_of(launch, taken.size()))
    if (const Node* n = Uniform(flat, flow, launch, lanes, taken, &alike).first_apart(is_exchange))
      litmus::unsupported(
          n->span,
          fmt::format("{}: memory decides which lanes of a warp come to this exchange", exchange_name(*n, flat.cuda)),
          "a launch 1.S.W has one thread per warp");
}

}  // namespace fencepost::ptxmod
