#include "hunt/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <ranges>
#include <set>

#include "hunt/guarantees.h"
#include "hunt/places.h"

namespace fencepost::hunt {
namespace {

using Nodes = std::vector<size_t>;
constexpr uint32_t k_remote_shared = 90;  // the first architecture where another CTA sees shared memory

uint32_t reach_of(Scope s) { return s == Scope::none ? 0 : s == Scope::cta ? 1 : s == Scope::sys ? 3 : 2; }

class Gate {
 public:
  Gate(const PtxTest& test, const MachineKernel& machine) : test_(test), code_(machine.code), sm_(machine.sm) {
    sites_.resize(test.body.size());
    offsets_ = offsets_of(machine);
    parameters_ = parameters_of(machine);
    has_guard_ = compares(machine, k_guard_parameter);
    has_scoreboards_ = std::ranges::any_of(code_, [](const MachineInstruction& i) { return i.sets.has_value(); });
    uint64_t most = 0;
    size_t begin = 0;
    std::vector<std::pair<size_t, size_t>> loops;  // of branches back that are of no instruction of the test
    for (size_t n = 0; n < code_.size(); ++n)
      for (const size_t to : code_[n].next) {
        if (to >= n) continue;
        if (code_[n].line == k_frame_line && code_[n].base() == "BRA" && to + 1 < n) loops.emplace_back(to, n);
        if (code_[n].address - code_[to].address > most)
          most = code_[n].address - code_[to].address, loop_end_ = n, begin = to;
      }
    // A loop for an atomic operation stands in the loop of the test; a copy of that stands beside it.
    unrolled_ =
        test.loop && std::ranges::any_of(loops, [&](const auto& l) { return l.second < begin || l.first > loop_end_; });
  }

  std::vector<Finding> run() {
    // Copies of a loop's body have paths that only the count of its rounds excludes.
    if (unrolled_) return {{Effect::not_followed, 0, "the loop is unrolled"}};
    for (size_t n = 0; n < code_.size(); ++n) attribute(n);
    for (const bool reads : {false, true})
      for (const size_t n : lost_)
        if ((role_of(code_[n]) == Role::read) == reads) find_owner(n);
    for (const size_t n : unlabelled_) take_store(n);
    for (Site& s : sites_)
      for (Nodes* nodes : {&s.all, &s.reads, &s.writes}) std::sort(nodes->begin(), nodes->end());
    if (unread_) return sorted();
    for (uint32_t k = 0; k < test_.body.size(); ++k)
      if (test_.body[k].is_access()) access(k);
    for (uint32_t k = 0; k < test_.body.size(); ++k) orders(k);
    overlaps();
    numbers();
    return sorted();
  }

 private:
  struct Site {
    Nodes all;  // machine accesses, in the order of addresses, without those of the private window
    Nodes writes, reads;
    bool warp_merged = false, gone = false;
  };

  // ---- which instruction of the test is it? ----
  void attribute(size_t n) {
    const MachineInstruction& i = code_[n];
    const auto role = role_of(i);
    if (!role) {
      unread_ = true;
      return add(Effect::unknown_opcode, site_of(i).value_or(0), fmt::format("{} at {:#x}", i.opcode, i.address));
    }
    const auto k = site_of(i);
    if (*role == Role::barrier && k) sites_[*k].all.push_back(n);
    if (k && (i.base() == "VOTE" || i.base() == "VOTEU" || i.base() == "MATCH" || i.base() == "ELECT"))
      sites_[*k].warp_merged = true;
    if (i.has("POPC") && i.base() != "POPC" && k) sites_[*k].warp_merged = true;
    if (*role != Role::read && *role != Role::write && *role != Role::both) return;
    if (!k || !fits(i, test_.body[*k])) {
      if (!of_frame(i)) lost_.push_back(n);
      if (of_frame(i) && i.base() == "STG" && !parameters_[n].empty() && !parameters_[n].contains(k_out_parameter))
        unlabelled_.push_back(n);
      return;
    }
    if (is_private_window(i, test_.body[*k], *k)) return add(Effect::private_window, *k, at(n));
    const bool of_shared = i.base() == "LDS" || i.base() == "STS" || i.base() == "ATOMS" || i.has("CAST");
    if (of_shared && test_.body[*k].place == 'k') return add(Effect::other_window, *k, at(n));
    take(n, *k);
  }
  void take(size_t n, uint32_t k) {
    const auto role = role_of(code_[n]);
    Site& s = sites_[k];
    s.all.push_back(n);
    if (*role != Role::write) s.reads.push_back(n);
    if (*role != Role::read) s.writes.push_back(n);
  }
  // Can this machine access be of that instruction?
  static bool fits(const MachineInstruction& i, const Instruction& p) {
    if (!p.is_access()) return false;
    if (p.kind >= Kind::atomic) {
      const bool of_shared = i.base() == "LDS" || i.base() == "ATOMS" || i.base() == "REDS";
      if ((p.in_shared() && !of_shared) || i.base() == "STG") return false;
      return !i.has("CAS") || p.operation == "cas" || p.bits() == 16;
    }
    return role_of(i) == (p.kind == Kind::load ? Role::read : Role::write);
  }
  // The body of a loop for a 16-bit operation may carry the line of what the scheduler put before it. It is at the
  // address of the look before the loop.
  void find_owner(size_t n) {
    const std::string address = address_of(code_[n]);
    std::optional<std::pair<size_t, uint32_t>> nearest;
    for (uint32_t k = 0; k < test_.body.size() && role_of(code_[n]) == Role::both; ++k) {
      if (test_.body[k].kind != Kind::atomic && test_.body[k].kind != Kind::reduction) continue;
      for (const size_t m : sites_[k].all)
        if (m < n && address_of(code_[m]) == address && (!nearest || m > nearest->first)) nearest = {m, k};
    }
    if (nearest && !address.empty()) return take(n, nearest->second);
    // Even the look may carry another line: then the one 16-bit operation that has no attempt yet owns it.
    for (uint32_t k = 0; k < test_.body.size(); ++k) {
      const Instruction& p = test_.body[k];
      const bool small = p.kind >= Kind::atomic && p.kind <= Kind::reduction && p.bits() == 16;
      if (small && sites_[k].writes.empty() && code_[n].has("CAS")) return take(n, k);
      const bool look = small && role_of(code_[n]) == Role::read && !sites_[k].writes.empty() &&
                        address_of(code_[sites_[k].writes.front()]) == address;
      if (look) return take(n, k);
    }
    if (!take_store(n)) add(Effect::stranger, site_of(code_[n]).value_or(0), at(n));
  }
  // A store that stands for two may carry the line of what follows, or of the frame: its place and width say whose it
  // is.
  bool take_store(size_t n) {
    for (const bool guarded : {false, true})
      for (uint32_t k = 0; k < test_.body.size(); ++k) {
        const Instruction& p = test_.body[k];
        const bool of_space = code_[n].base() == "STG" ? std::string("pwkq").find(p.place) != std::string::npos
                                                       : code_[n].base() == "STS" && p.in_shared();
        if (p.kind == Kind::store && of_space && sites_[k].all.empty() && (p.guard != Guard::none) == guarded &&
            offsets_[n].value_or(displacement_of(code_[n])) == p.number * 64 &&
            width_of(code_[n]) == p.bits() * p.vector) {
          take(n, k);
          return true;
        }
      }
    return false;
  }
  // 0x100 of "[R2.64+0x100]": the offset where the base was set before a label, over which it is not followed.
  static uint32_t displacement_of(const MachineInstruction& i) {
    for (const std::string& o : i.operands)
      if (const size_t plus = o.rfind("+0x"); plus != std::string::npos && o.ends_with("]") && !o.starts_with("c["))
        return static_cast<uint32_t>(std::strtoul(o.c_str() + plus + 1, nullptr, 16));
    return 0;
  }
  static std::string address_of(const MachineInstruction& i) {
    for (const std::string& o : i.operands)
      if (const size_t from = o.rfind('['); from != std::string::npos && o.find("c[0x") == std::string::npos) {
        std::string inside = o.substr(from);
        if (const size_t wide = inside.find(".64"); wide != std::string::npos) inside.erase(wide, 3);
        return inside;
      }
    return {};
  }

  std::optional<uint32_t> site_of(const MachineInstruction& i) const {
    if (i.line < k_first_line || i.line >= k_first_line + test_.body.size()) return std::nullopt;
    return i.line - k_first_line;
  }
  // The frame stores results, and at -O0 it keeps things on the stack.
  static bool of_frame(const MachineInstruction& i) {
    return i.line == k_frame_line && (i.base() == "STG" || i.base() == "STL" || i.base() == "LDL");
  }
  // A plain generic access of an atomic instruction behind an ATOM that may refuse its address.
  bool is_private_window(const MachineInstruction& i, const Instruction& p, uint32_t k) const {
    if (p.kind < Kind::atomic || (i.base() != "LD" && i.base() != "ST") || reach_of(i) != 0) return false;
    return std::any_of(sites_[k].all.begin(), sites_[k].all.end(), [&](size_t n) {
      const auto& o = code_[n].operands;
      return code_[n].base() == "ATOM" && !o.empty() && o[0].starts_with("P") && o[0] != "PT";
    });
  }
  std::string at(size_t n) const { return fmt::format("{} at {:#x}", code_[n].opcode, code_[n].address); }

  void add(Effect e, uint32_t culprit, const std::string& detail) { found_.insert({{culprit, e}, detail}); }
  std::vector<Finding> sorted() const {
    std::vector<Finding> out;
    for (const auto& [key, detail] : found_) out.push_back({key.second, key.first, detail});
    return out;
  }

  // ---- paths ----
  // A path remembers the last predicate that a branch asked for, until something sets it again: two branches on one
  // predicate go the same way, as in fence.proxy.alias and barrier.cluster. "P0", "!P0", "" for none.
  struct State {
    size_t node;
    std::string known;
    bool again = false;  // it went round the loop of the test
    auto operator<=>(const State&) const = default;
  };
  static std::string negated(const std::string& p) { return p.starts_with("!") ? p.substr(1) : "!" + p; }
  static bool is_predicate(const std::string& p) {
    const size_t at = p.starts_with("UP") ? 2 : p.starts_with("P") ? 1 : 0;
    return at != 0 && p.size() == at + 1 && p[at] >= '0' && p[at] <= '9';
  }
  static std::string condition_of(const MachineInstruction& i) {
    const std::string base = i.base();
    if (base == "EXIT") return i.guard;
    if (base != "BRA" || i.opcode.find(".DIV") != std::string::npos || i.opcode.find(".ANY") != std::string::npos)
      return {};
    if (i.operands.size() < 2) return i.guard;
    const std::string& asked = i.operands[0];
    return i.guard.empty() && is_predicate(asked.starts_with("!") ? asked.substr(1) : asked) ? asked : std::string();
  }
  static bool sets(const MachineInstruction& i, const std::string& known) {
    const std::string p = known.starts_with("!") ? known.substr(1) : known;
    for (size_t k = 0; k < std::min<size_t>(3, i.operands.size()); ++k)
      if (i.operands[k] == p && i.base() != "BRA") return true;
    return i.base() == "R2P" || i.base() == "R2UP" || i.base() == "UR2UP";
  }
  // Is the instruction done on a path that knows this?
  bool surely(size_t n, const std::string& known) const { return code_[n].guard.empty() || code_[n].guard == known; }
  bool possibly(size_t n, const std::string& known) const {
    return code_[n].guard.empty() || known.empty() || code_[n].guard != negated(known);
  }

  using Stops = std::function<bool(size_t)>;
  // The instructions that a path from those behind `from` does, while it does none that stops; the one that stops is
  // not reached. `itself`: the path begins before `from`. `forward_only`: no path goes back.
  std::vector<bool> reached(const Nodes& from, bool itself, const Stops& stops, bool forward_only,
                            bool whatever_guard = false, bool round = false) const {
    std::vector<bool> done(code_.size(), false);
    std::set<State> seen;
    std::vector<State> work;
    const auto visit = [&](State s) {
      if (stops(s.node)) {
        if (whatever_guard || surely(s.node, s.known)) return;
        s.known = negated(code_[s.node].guard);  // the path on which it is not done
      }
      if (!seen.insert(s).second) return;
      if (possibly(s.node, s.known) && (!round || s.again)) done[s.node] = true;
      work.push_back(s);
    };
    const auto follow = [&](const State& s) {
      const MachineInstruction& i = code_[s.node];
      const std::string asked = condition_of(i);
      for (const size_t to : i.next) {
        if (forward_only && code_[to].address <= i.address) continue;
        State next{to, s.known, s.again || (s.node == loop_end_ && to < s.node)};
        const bool forks = i.base() != "BRA" || i.next.size() == 2;  // a branch to what is next anyway tells nothing
        if (!asked.empty() && i.next.size() <= 2 && forks) {
          const bool taken = i.base() == "BRA" && to != s.node + 1;
          const std::string now = taken ? asked : negated(asked);
          if (!s.known.empty() && s.known == negated(now)) continue;
          next.known = now;
        } else if (!next.known.empty() && sets(i, next.known)) {
          next.known.clear();
        }
        visit(next);
      }
    };
    for (const size_t f : from) {
      if (itself) {
        visit({f, ""});
        continue;
      }
      const MachineInstruction& i = code_[f];
      follow({f, i.guard.empty() || sets(i, i.guard) ? std::string() : i.guard});
    }
    while (!work.empty()) {
      const State s = work.back();
      work.pop_back();
      follow(s);
    }
    return done;
  }
  static bool never(size_t) { return false; }
  Nodes exits() const {
    Nodes out;
    for (size_t n = 0; n < code_.size(); ++n)
      if (code_[n].base() == "EXIT") out.push_back(n);
    return out;
  }
  bool before(const Nodes& a, const Nodes& b) const {
    const auto seen = reached(a, false, never, true);
    return std::any_of(b.begin(), b.end(), [&](size_t n) { return seen[n]; });
  }

  // ---- one access ----
  void access(uint32_t k) {
    const Instruction& p = test_.body[k];
    Site& s = sites_[k];
    if (s.all.empty()) return missing(k);
    if (p.is_strong() || p.writes()) present(k);
    for (const size_t n : s.all) strength(k, n);
    guard(k);
    pieces(k);
  }

  // Nothing of the instruction is there: may another one stand for it?
  void missing(uint32_t k) {
    const Instruction& p = test_.body[k];
    sites_[k].gone = true;
    if (p.place == 'l') return add(Effect::local_gone, k, to_string(p));
    if (p.unused && p.kind == Kind::load && !p.is_volatile && !p.mmio) return unused_load(k);
    const bool may = !p.is_volatile && !p.mmio && p.kind <= Kind::store && !p.acquires() && !p.releases();
    for (uint32_t j = 0; may && j < test_.body.size(); ++j) {
      const Instruction& o = test_.body[j];
      if (j == k || !o.is_access() || o.place != p.place || o.number != p.number || sites_[j].all.empty()) continue;
      // The earlier of two weak stores may stand for both if they have one value, or one that is selected.
      const bool one_value = o.value == p.value || (p.guard != Guard::none && selects());
      const bool again = p.kind == Kind::store && o.kind == Kind::store && j < k && !p.is_strong() && !o.is_strong() &&
                         o.guard == Guard::none && o.bits() == p.bits() && o.vector == p.vector && one_value;
      if (p.kind == Kind::store && !again && (j < k || !o.writes() || o.guard != Guard::none)) continue;
      // What ld.nc reads is ordered by nothing.
      const bool answered = p.kind == Kind::load && j < k && (is_incoherent(p) || may_answer(j, k));
      if (answered || !ordered_between(std::min(j, k), std::max(j, k)))
        return add(Effect::merged, k, fmt::format("with {}", to_string(o)));
    }
    add(Effect::absent, k, to_string(p));
  }
  // Does the code choose between two values, which are not followed?
  bool selects() const {
    return std::ranges::any_of(code_, [](const MachineInstruction& i) {
      const std::string base = i.base();
      return base == "SEL" || base == "USEL" || base == "FSEL" ||
             (!i.guard.empty() && (base == "MOV" || base == "IMAD" || base == "CS2R" || base == "UMOV"));
    });
  }
  // Nobody knows what a load read whose value nothing uses, so that it may have read the oldest value: what this thread
  // has read of the place before. What follows an acquire comes after that read, where a release is morally strong with
  // it, and so at the scope of that read if it is the narrower one.
  void unused_load(uint32_t k) {
    const Instruction& p = test_.body[k];
    add(Effect::unused_load, k, to_string(p));
    for (const End& from : ends(k, true)) {
      if (!p.acquires() || from.kernel || from.site > k) continue;
      const Instruction& o = test_.body[from.site];
      if (!o.reads() || !o.is_strong() || o.bits() != p.bits() || !may_overlap(o, p)) continue;
      for (const End& to : ends(k, false)) {
        if (!to.kernel && to.site < k) continue;
        // Which path the guard takes is not followed. Where nothing asks for it no predicate can stand for it.
        if (p.guard == Guard::none || !has_guard_ || !invalidates_between(from, to)) acquire(k, from, to, o.scope);
      }
    }
  }
  // May load k have the value of access j of its thread, which stands before it? Not if another thread's write must
  // come between them: what is acquired in between may stand behind such a write. The write comes after a load j in
  // any case that matters, after a strong store by coherence, and after a weak one, with which it races, only through
  // a release of this thread that it acquired. One instruction is not both, but for fence.sc and barriers.
  bool may_answer(uint32_t j, uint32_t k) const {
    const Instruction& first = test_.body[j];
    if (!first.writes() && first.acquires()) return false;
    bool released = !first.writes() || first.is_strong();
    for (uint32_t m = j + 1; m < k; ++m) {
      const Instruction& o = test_.body[m];
      const bool both = o.kind > Kind::fence || o.order == Order::sc;
      if (both || (o.acquires() && released)) return false;
      released = released || o.releases();
    }
    return true;
  }
  bool ordered_between(uint32_t i, uint32_t j) const {
    for (uint32_t m = i; m <= j; ++m) {
      const Instruction& o = test_.body[m];
      if (m != i && m != j && (!o.is_access() || o.acquires() || o.releases())) return true;
      if ((m == i && o.acquires()) || (m == j && o.releases())) return true;
    }
    return false;
  }

  void present(uint32_t k) {
    const Instruction& p = test_.body[k];
    const Site& s = sites_[k];
    const bool uniform = p.place == 's' || p.place == 'w';
    const bool asks_warp = std::ranges::any_of(code_, [](const MachineInstruction& i) {
      return i.base() == "VOTE" || i.base() == "VOTEU" || i.base() == "MATCH" || i.base() == "ELECT";
    });
    if ((s.warp_merged || (uniform && asks_warp)) && p.kind >= Kind::atomic)
      return add(Effect::warp_merged, k, at(s.all.front()));
    if (p.guard != Guard::none) return;
    const Nodes& must = p.writes() ? s.writes : s.reads;
    const auto stops = [&](size_t n) { return std::find(must.begin(), must.end(), n) != must.end(); };
    const auto seen = reached({0}, true, stops, false);
    const bool misses = std::ranges::any_of(exits(), [&](size_t e) { return seen[e]; });
    if (!misses) return;
    // A loop for min, max, and, or may end after its look, when the value would stay what it is.
    const auto looks = [&](size_t n) { return std::find(s.all.begin(), s.all.end(), n) != s.all.end(); };
    const auto unseen = reached({0}, true, looks, false);
    const bool idle = p.kind >= Kind::atomic && keeps_values(p.operation) &&
                      !std::ranges::any_of(exits(), [&](size_t e) { return unseen[e]; });
    add(idle ? Effect::idle_write : Effect::skipped, k, to_string(p));
  }

  // The strength that cache operators have where nothing asks for one.
  static uint32_t hinted(const std::string& words) {
    const auto has = [&](const char* w) { return words.find(w) != std::string::npos; };
    if (has(".cv.") || has(".wt.")) return 3;
    return has(".cg.") ? 2 : has(".ca.") || has(".wb.") ? 1 : 0;
  }
  static bool keeps_values(const std::string& operation) {
    return operation == "min" || operation == "max" || operation == "and" || operation == "or" || operation == "cas";
  }
  void strength(uint32_t k, size_t n) {
    const Instruction& p = test_.body[k];
    const MachineInstruction& i = code_[n];
    const std::string base = i.base();
    const bool has_scope =
        base != "LDS" && base != "STS" && base != "ATOMS" && base != "REDS" && base != "LDL" && base != "STL";
    const uint32_t wanted = p.mmio ? 4 : p.is_strong() ? reach_of(p.scope) : 0;
    const bool first = p.kind >= Kind::atomic && role_of(i) == Role::read;
    const bool cast = i.has("CAST");  // only shared memory has it
    if (has_scope && reach_of(i) < wanted)
      add(first ? Effect::first_look : cast ? Effect::one_copy : Effect::weaker, k, at(n));
    if (has_scope && !p.is_strong() && reach_of(i) < hinted(p.words)) add(Effect::cache_operator, k, at(n));
    if (has_scope && i.has("CONSTANT") && p.words.find(".nc") == std::string::npos) add(Effect::weaker, k, at(n));
    if (offsets_[n] && p.place != 'l' && is_beside(p, *offsets_[n], width_of(i)))
      add(Effect::elsewhere, k, fmt::format("{} has the offset {}, not {}", at(n), *offsets_[n], p.number * 64));
    if (p.kind >= Kind::atomic && role_of(i) == Role::both && !does(i, p)) add(Effect::operation, k, at(n));
    width(k, n);
  }
  // Is that the operation of the instruction? What a loop around a compare-and-swap computes is not followed.
  static bool does(const MachineInstruction& i, const Instruction& p) {
    const std::string& code = i.opcode;
    if (i.has("CAS") || i.has("CAST")) return true;
    const auto is = [&](const char* word) { return code.find(word) != std::string::npos; };
    const bool real = is(".F16") || is(".BF16") || is(".F32") || is(".F64");
    if (real != p.is_real()) return false;
    if (real) {
      const std::string type = p.type.starts_with("bf16") ? ".BF16" : "." + std::string(1, 'F') + p.type.substr(1, 2);
      return i.has("ADD") && is(type.c_str()) && p.operation == "add";
    }
    const bool is_signed = is(".S32") || is(".S64");
    const bool compares = p.operation == "min" || p.operation == "max";
    if (compares && is_signed != p.type.starts_with("s")) return false;
    // inc up to the highest number is add of 1.
    const bool adds_one =
        (p.operation == "add" && p.value == Value::one) || (p.operation == "inc" && p.value == Value::ones);
    if (i.has("POPC")) return adds_one;
    std::string wanted = p.operation;
    for (char& c : wanted) c = static_cast<char>(c - 'a' + 'A');
    return i.has(wanted) || (adds_one && i.has("ADD"));
  }
  void width(uint32_t k, size_t n) {
    const Instruction& p = test_.body[k];
    const uint32_t found = width_of(code_[n]), element = p.bits(), whole = element * p.vector;
    if (p.kind == Kind::load && whole == 8 && !p.unused)
      if (const auto as = extension_of(code_, n); as && (*as == Extension::sign) != p.type.starts_with("s"))
        add(Effect::extended, k, at(n));
    if (p.kind >= Kind::atomic) {
      if (p.vector == 1 && element >= 32 && (found >= 64) != (element >= 64)) add(Effect::width, k, at(n));
      return;
    }
    if (found > whole) add(p.kind == Kind::load && !p.is_strong() ? Effect::wider_load : Effect::width, k, at(n));
    if (found >= whole) return;
    // In pieces: all of it, and no element in several, which other threads would see.
    uint32_t all = 0;
    for (const size_t other : sites_[k].all) all += width_of(code_[other]);
    const bool seen = found < element && p.place != 'l';
    add(all < whole ? Effect::width : seen ? Effect::split : Effect::vector_split, k, at(n));
  }
  // At this offset, is it no part of what the instruction names? 16-bit operations work on the word around theirs.
  static bool is_beside(const Instruction& p, uint32_t offset, uint32_t found) {
    const uint32_t begin = p.number * 64, whole = p.bits() * p.vector;
    if (p.kind >= Kind::atomic) return p.bits() >= 32 && offset != begin;
    if (found > whole) return offset / 64 != p.number;
    return offset < begin || offset * 8 + found > begin * 8 + whole;
  }

  void guard(uint32_t k) {
    const Instruction& p = test_.body[k];
    if (p.guard == Guard::none || (p.kind == Kind::load && !p.is_strong() && !p.is_volatile)) return;
    const Site& s = sites_[k];
    const auto stops = [&](size_t n) { return std::find(s.all.begin(), s.all.end(), n) != s.all.end(); };
    const auto seen = reached({0}, true, stops, false);
    for (const size_t e : exits())
      if (seen[e]) return;
    add(Effect::unguarded, k, at(s.all.front()));
  }

  // A scalar load or store is one access on each path.
  void pieces(uint32_t k) {
    const Instruction& p = test_.body[k];
    if (p.kind >= Kind::atomic || p.vector > 1 || (!p.is_strong() && p.kind == Kind::load)) return;
    for (const size_t a : sites_[k].all)
      if (before({a}, sites_[k].all)) {
        const bool narrow = width_of(code_[a]) < p.bits();
        if (!narrow) add(Effect::repeated, k, at(a));
        return;
      }
  }

  // ---- orders ----
  struct End {
    bool kernel = false;  // the begin or the end of it
    uint32_t site = 0;
    const Nodes* nodes = nullptr;
    bool reads_cache = true;  // may be served by, or must see, the first-level cache
  };
  bool reads_cache(const Instruction& p) const {
    return p.kind == Kind::barrier || p.kind == Kind::cluster_barrier || p.releases() ||
           (p.reads() && p.place != 's' && p.place != 't' && p.place != 'l' && p.place != 'h');
  }
  // ld.nc reads through another proxy, of which the model says nothing.
  static bool is_incoherent(const Instruction& p) { return p.words.find(".nc.") != std::string::npos; }
  // Accesses before instruction `k`; in a loop also those behind it, of an earlier round.
  std::vector<End> ends(uint32_t k, bool earlier) {
    std::vector<End> out;
    for (uint32_t j = 0; j < test_.body.size(); ++j) {
      const Instruction& o = test_.body[j];
      if (j == k || sites_[j].all.empty() || o.place == 'l' || is_incoherent(o)) continue;
      if (!test_.loop && (earlier ? j > k : j < k)) continue;
      if (earlier && !o.is_access()) continue;
      out.push_back({false, j, &sites_[j].all, reads_cache(o)});
    }
    exits_ = exits();
    out.push_back({true, 0, earlier ? &entry_ : &exits_, true});
    return out;
  }

  void orders(uint32_t k) {
    const Instruction& p = test_.body[k];
    if (p.is_access() && sites_[k].all.empty()) return;
    switch (p.kind) {
      case Kind::fence:
        return fence(k);
      case Kind::proxy_fence:
        return proxy_fence(k);
      case Kind::barrier:
      case Kind::cluster_barrier:
        return barrier(k);
      default:
        if (p.releases())
          for (const End& e : ends(k, true)) membar(k, e, {false, k, &sites_[k].writes, false});
        if (p.acquires())
          for (const End& e : ends(k, false)) acquire(k, {false, k, &sites_[k].reads, false}, e);
    }
  }

  void fence(uint32_t k) {
    const Instruction& p = test_.body[k];
    for (const End& from : ends(k, true))
      for (const End& to : ends(k, false)) {
        // Two ends of one round with the fence on the other side of the loop have no order from it.
        if (p.releases()) membar(k, from, to);
        // An acquiring fence works through a read before it; fence.sc also through the order of such fences.
        const bool reads = !from.kernel && test_.body[from.site].reads();
        if (p.acquires() && (reads || p.order == Order::sc)) acquire(k, from, to);
      }
  }

  // Every path from `from` to `to` that passes instruction `k` of the test has the MEMBAR that `k` needs. In a loop a
  // path that goes round is meant, so only ends on the two sides of `k` are asked for directly.
  bool is_across(uint32_t k, const End& from, const End& to) const {
    if (!test_.loop || test_.body[k].is_access()) return true;
    return (from.kernel || from.site < k) && (to.kernel || to.site > k);
  }
  void membar(uint32_t k, const End& from, const End& to) {
    if (!is_across(k, from, to)) return;
    const Instruction& p = test_.body[k];
    const uint32_t wanted = reach_of(p.scope);
    const bool sc = p.order == Order::sc;
    const auto path = [&](const std::function<bool(const MachineInstruction&)>& good) {
      return open_path(from, to, [&](size_t n) { return code_[n].base() == "MEMBAR" && good(code_[n]); });
    };
    const auto strong =
        path([&](const MachineInstruction& m) { return reach_of_membar(m) >= wanted && (!sc || is_sequential(m)); });
    if (!strong) return;
    const bool any = !path([](const MachineInstruction&) { return true; }).has_value();
    add(any ? Effect::weak_membar : Effect::no_membar, k, *strong);
  }
  static uint32_t reach_of_membar(const MachineInstruction& m) { return hunt::reach_of(m); }

  // `least`: a scope that the acquire is not wider than.
  void acquire(uint32_t k, const End& from, const End& to, Scope least = Scope::sys) {
    if (!is_across(k, from, to)) return;
    const Instruction& p = test_.body[k];
    const bool above_cta = std::min(reach_of(p.scope), reach_of(least)) > 1;
    const bool awaited_by_membar = !p.is_access() && p.releases();
    if (!from.kernel && !to.kernel && !awaited_by_membar && test_.body[to.site].is_access()) wait(k, from, to);
    if (!above_cta || !to.reads_cache) return;
    const auto open = open_path(from, to, [&](size_t n) { return role_of(code_[n]) == Role::invalidate; });
    if (!open) return;
    const bool local = sm_ < k_remote_shared && p.is_access() && (p.in_shared() || p.place == 'h');
    add(local ? Effect::no_remote : Effect::no_invalidate, k, *open);
  }

  bool invalidates_between(const End& from, const End& to) const {
    const auto behind = reached(*from.nodes, false, never, false, true);
    Nodes invalidates;
    for (size_t n = 0; n < code_.size(); ++n)
      if (behind[n] && role_of(code_[n]) == Role::invalidate) invalidates.push_back(n);
    const auto seen = reached(invalidates, false, never, false, true);
    return std::ranges::any_of(*to.nodes, [&](size_t n) { return seen[n]; });
  }

  // The value of each read is there before `to` begins.
  void wait(uint32_t k, const End& from, const End& to) {
    for (const size_t a : *from.nodes) {
      const auto role = role_of(code_[a]);
      if (role == Role::write || (!code_[a].sets && (role != Role::both || !has_scoreboards_))) continue;
      // An operation without a result may have no scoreboard: then a MEMBAR alone waits for it. With -O0 none has one.
      const uint32_t bit = code_[a].sets ? 1U << *code_[a].sets : 0;
      const auto waits = [&](size_t n) {
        return (code_[n].waits & bit) != 0 || code_[n].base() == (bit != 0 ? "DEPBAR" : "MEMBAR");
      };
      const bool round = test_.loop && from.site > to.site;
      const auto seen = reached({a}, false, waits, false, true, round);  // a wait comes before the predicate is asked
      // Of a loop for an atomic operation the attempt is named: what it looked at before takes no effect by itself.
      const auto is_attempt = [&](size_t n) { return role_of(code_[n]) != Role::read; };
      for (const bool attempts : {true, false})
        for (const size_t b : *to.nodes)
          if (seen[b] && b != a && is_attempt(b) == attempts)
            return add(Effect::no_wait, k, fmt::format("{} is not awaited before {}", at(a), at(b)));
    }
  }

  // A sentence if some path from one end to the other has nothing that closes it.
  std::optional<std::string> open_path(const End& from, const End& to, const Stops& closes) const {
    // Of a loop for an atomic operation the last node is the attempt, which reads what counts; before it stands a look.
    for (const size_t a : *from.nodes | std::views::reverse) {
      // What stands behind an instruction of the test comes before it by way of the loop alone.
      const bool round = test_.loop && !from.kernel && !to.kernel && from.site > to.site;
      const auto seen = reached({a}, from.kernel, closes, false, false, round);
      for (const size_t b : *to.nodes)
        if (seen[b] && (from.kernel || to.kernel || a != b || test_.loop))
          return fmt::format("from {} to {}", from.kernel ? "the begin" : at(a), to.kernel ? "the end" : at(b));
    }
    return std::nullopt;
  }

  void barrier(uint32_t k) {
    const Instruction& p = test_.body[k];
    const bool cluster = p.kind == Kind::cluster_barrier;
    Nodes arrivals;
    for (const size_t n : sites_[k].all)
      if (code_[n].base() == "UCGABAR_ARV") arrivals.push_back(n);
    for (const End& from : ends(k, true)) {
      if (cluster && p.releases() && (from.kernel || from.site < k))
        if (const auto open = open_path(from, {false, k, &arrivals, false}, [&](size_t n) {
              return code_[n].base() == "MEMBAR" && hunt::reach_of(code_[n]) >= 2;
            }))
          add(Effect::no_membar, k, *open);
      for (const End& to : ends(k, false)) {
        if (!is_across(k, from, to)) continue;
        const auto open = open_path(from, to, [&](size_t n) {
          const MachineInstruction& i = code_[n];
          return i.base() == "BAR" ? !i.has("ARV") : i.base() == "UCGABAR_WAIT";
        });
        if (open) add(Effect::no_barrier, k, *open);
      }
    }
    Nodes waits;
    for (const size_t n : sites_[k].all)
      if (code_[n].base() == "UCGABAR_WAIT") waits.push_back(n);
    if (!waits.empty())
      for (const End& to : ends(k, false))
        if (is_across(k, {true, 0, &entry_, true}, to) && to.site != k) acquire(k, {true, 0, &waits, true}, to);
  }

  // How many fences the instructions ask for one by one. With fewer, one serves two, or has nothing to order here: what
  // is needed was found on every path above.
  void numbers() {
    size_t membars = 0, invalidates = 0;
    for (const Instruction& p : test_.body) {
      const bool both = p.words == "fence.proxy.alias";
      const bool view = p.kind == Kind::proxy_fence && p.words != "fence.proxy.async.global" &&
                        p.words.find("generic.acquire") == std::string::npos;
      const bool cluster = p.kind == Kind::cluster_barrier;
      if (p.kind == Kind::barrier || p.place == 'l') continue;
      membars += both ? 2 : view || (p.releases() && p.kind != Kind::proxy_fence) ? 1 : 0;
      const bool above_cta = reach_of(p.scope) > 1;
      const bool local = sm_ < k_remote_shared && p.is_access() && (p.in_shared() || p.place == 'h');
      invalidates += both || cluster || (p.acquires() && above_cta && !local) ? 1 : 0;
    }
    const auto there = [&](Role r) {
      return static_cast<size_t>(std::ranges::count_if(code_, [&](const auto& i) { return role_of(i) == r; }));
    };
    const size_t found = there(Role::membar), dropped = there(Role::invalidate);
    // A missing fence that is a fault is told as one.
    const bool told =
        std::ranges::any_of(found_, [](const auto& f) { return level_of(f.first.second) == Level::fault; });
    if (told) return;
    if (found < membars || dropped < invalidates)
      add(Effect::shared_fence, 0,
          fmt::format("{} MEMBAR for {}, {} CCTL.IVALL for {}", found, membars, dropped, invalidates));
  }

  // A fence of the async proxy with a space orders that space.
  static bool concerns(const Instruction& fence, const Instruction& access) {
    const auto in = [&](const char* s) { return std::string(s).find(access.place) != std::string::npos; };
    if (fence.words == "fence.proxy.async.global") return in("pwqku");
    if (fence.words.starts_with("fence.proxy.async.shared")) return in("sthcu");
    return true;
  }
  void proxy_fence(uint32_t k) {
    const std::string& w = test_.body[k].words;
    struct Step {
      const char *base, *modifier;
      uint32_t reach;
    };
    std::vector<Step> steps;
    if (w == "fence.proxy.alias") steps = {{"MEMBAR", "SC", 2}, {"CCTL", "IVALL", 0}};
    if (w == "fence.proxy.async" || w == "fence.proxy.async.shared::cluster")
      steps = {{"MEMBAR", "", 2}, {"FENCE", "VIEW.ASYNC", 0}};
    if (w == "fence.proxy.async.shared::cta") steps = {{"MEMBAR", "", 1}, {"FENCE", "VIEW.ASYNC", 0}};
    if (w == "fence.proxy.async.global") steps = {{"FENCE", "VIEW.ASYNC", 0}};
    if (w.starts_with("fence.proxy.tensormap::generic.release")) steps = {{"MEMBAR", "", 2}};
    if (w.starts_with("fence.proxy.tensormap::generic.acquire")) steps = {{"UTMACCTL", "IV", 0}};
    for (const Step& s : steps)
      for (const End& from : ends(k, true))
        for (const End& to : ends(k, false)) {
          if (!is_across(k, from, to)) continue;
          if (!from.kernel && !concerns(test_.body[k], test_.body[from.site])) continue;
          if (!to.kernel && !concerns(test_.body[k], test_.body[to.site])) continue;
          const auto open = open_path(from, to, [&](size_t n) {
            const MachineInstruction& i = code_[n];
            return i.base() == s.base && (*s.modifier == 0 || i.has(s.modifier)) &&
                   (s.reach == 0 || hunt::reach_of(i) >= s.reach);
          });
          if (open) add(Effect::no_view, k, fmt::format("{} {}", s.base, *open));
        }
  }

  // ---- what needs no fence: accesses that may overlap keep their order, all others may lose it ----
  static bool may_overlap(const Instruction& a, const Instruction& b) {
    const auto in = [](char c, const char* s) { return std::string(s).find(c) != std::string::npos; };
    const auto same_root = [&](const char* s) { return in(a.place, s) && in(b.place, s); };
    if (a.place == b.place || same_root("pwk") || same_root("sh")) return a.number == b.number;
    if (a.place == 'l' || b.place == 'l') return false;
    if (a.place == 'u' || b.place == 'u') return true;
    return same_root("pwkq") || same_root("shtc");
  }
  bool has_order(uint32_t i, uint32_t j) const {
    const Instruction &a = test_.body[i], &b = test_.body[j];
    if (is_incoherent(a) || is_incoherent(b)) return false;
    if ((a.place == 'l') != (b.place == 'l')) return false;  // no other thread sees local memory
    if (a.acquires() || b.releases()) return true;
    for (uint32_t m = i + 1; m < j; ++m) {
      const Instruction& between = test_.body[m];
      if (!between.is_access() && concerns(between, a) && concerns(between, b)) return true;
    }
    return must_stay(i, j);
  }
  // By coherence alone: reads of one place are ordered if both are strong and overlap completely.
  bool must_stay(uint32_t i, uint32_t j) const {
    const Instruction &a = test_.body[i], &b = test_.body[j];
    return may_overlap(a, b) && (a.writes() || b.writes() || (a.is_strong() && b.is_strong() && a.bits() == b.bits()));
  }
  void overlaps() {
    for (uint32_t i = 0; i < test_.body.size(); ++i)
      for (uint32_t j = i + 1; j < test_.body.size(); ++j) {
        if (!test_.body[i].is_access() || !test_.body[j].is_access()) continue;
        if (sites_[i].all.empty() || sites_[j].all.empty()) continue;
        if (!before(sites_[j].all, sites_[i].all)) continue;
        const auto detail = fmt::format("{} before {}", at(sites_[j].all.front()), at(sites_[i].all.front()));
        const bool by_acquire = test_.body[i].acquires() && !must_stay(i, j);
        if (!has_order(i, j))
          add(Effect::moved, j, detail);
        else
          add(by_acquire ? Effect::overtaken : Effect::reordered, by_acquire ? i : j, detail);
      }
  }

  const PtxTest& test_;
  const std::vector<MachineInstruction>& code_;
  uint32_t sm_;
  std::vector<Site> sites_;
  std::vector<std::optional<uint32_t>> offsets_;
  std::vector<std::set<uint32_t>> parameters_;
  std::map<std::pair<uint32_t, Effect>, std::string> found_;
  Nodes lost_, unlabelled_;
  bool has_scoreboards_ = false;
  bool has_guard_ = false;  // some predicate comes from the guard of the test
  bool unrolled_ = false;
  size_t loop_end_ = ~size_t{0};  // the branch back that spans most
  Nodes entry_ = {0}, exits_;
  bool unread_ = false;
};

}  // namespace

std::vector<Finding> judge(const PtxTest& test, const MachineKernel& machine) {
  if (machine.code.empty()) return {{Effect::not_followed, 0, "the kernel is empty"}};
  return Gate(test, machine).run();
}

}  // namespace fencepost::hunt
