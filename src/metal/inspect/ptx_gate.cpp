#include "inspect/ptx_gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "inspect/async_sass.h"
#include "inspect/cubin.h"
#include "prog/shape.h"

namespace fencepost::inspect {

const char* name(WhatRan w) {
  switch (w) {
    case WhatRan::as_written:
      return "as-written";
    case WhatRan::merged:
      return "merged";
    case WhatRan::dropped:
      return "dropped";
    case WhatRan::reordered:
      return "reordered";
    case WhatRan::unverified:
      return "unverified";
  }
  return "unverified";
}

namespace {

using Sequence = std::vector<std::string>;

// What an instruction's words say about the machine code.
struct Wanted {
  std::string head, operation, type;
  std::string scope = "";  // CTA GPU SYS of fences
  std::string strength = "WEAK";
  bool shared = false, peer = false, acquire = false, release = false, mmio = false, sc = false;
  uint32_t elements = 1;
};

std::string scope_of(const std::string& word) {
  if (word == "cta") return "CTA";
  if (word == "gpu" || word == "cluster" || word == "gl") return "GPU";
  return word == "sys" ? "SYS" : "";
}
std::string strong(const std::string& scope) { return "STRONG." + (scope == "CTA" ? "SM" : scope); }

Wanted read(const std::string& instruction) {
  const auto words = prog::words_of(instruction);
  Wanted out;
  out.head = words[0];
  const bool atomic = out.head == "atom" || out.head == "red";
  if (atomic) out.scope = "GPU", out.strength = strong("GPU");
  for (size_t k = 1; k < words.size(); ++k) {
    const std::string& w = words[k];
    if (const std::string s = scope_of(w); !s.empty()) {
      out.scope = s;
      out.strength = out.mmio ? "MMIO.SYS" : strong(s);
    } else if (w == "shared" || w == "shared::cta") {
      out.shared = true;
    } else if (w == "shared::cluster") {
      out.peer = true;  // by generic addresses
    } else if (w == "v2") {
      out.elements = 2;
    } else if (w == "volatile" || w == "cv" || w == "wt") {
      out.strength = strong("SYS");
    } else if (w == "cg") {
      out.strength = strong("GPU");
    } else if (w == "ca" || w == "wb") {
      out.strength = strong("CTA");
    } else if (w == "mmio") {
      out.mmio = true;
    } else if (w == "acquire") {
      out.acquire = true;
    } else if (w == "release") {
      out.release = true;
    } else if (w == "acq_rel") {
      out.acquire = out.release = true;
    } else if (w == "sc") {
      out.sc = true;
    } else if (w.size() == 3 && (w.ends_with("32") || w.ends_with("64"))) {
      out.type = w;
    } else if (w != "weak" && w != "relaxed" && w != "global") {
      out.operation = w;
    }
  }
  return out;
}

std::string upper(std::string s) {
  for (char& c : s) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return s;
}

// Signs are told apart only by min and max.
std::string atomic_type(const Wanted& w) {
  const std::string bits = w.type.substr(1);
  return (w.type[0] == 's' && (w.operation == "min" || w.operation == "max") ? "S" : "U") + bits;
}

// The access itself.
std::vector<Sequence> access(const Wanted& w) {
  const std::string bits = w.type.empty() ? "32" : std::to_string(w.elements * std::stoul(w.type.substr(1)));
  if (w.head == "ld" || w.head == "st") {
    if (!w.operation.empty()) return {};
    const std::string op = w.head == "ld" ? "LD" : "ST";
    if (w.peer) return {{fmt::format("{}.{}.{}", op, bits, w.strength)}};
    return {{w.shared ? op + "S." + bits : fmt::format("{}G.{}.{}", op, bits, w.strength)}};
  }
  if (w.peer || w.elements != 1) return {};  // a search for the space that the address is of
  if (w.operation == "cas")
    return {{w.shared ? "ATOMS.CAS." + bits : fmt::format("ATOMG.CAS.{}.{}", bits, w.strength)}};
  const std::string what = upper(w.operation) + "." + atomic_type(w);
  if (!w.shared) return {{fmt::format("{}.{}.{}", w.head == "red" ? "REDG" : "ATOMG", what, w.strength)}};
  std::vector<Sequence> out = {{"ATOMS." + what}};
  if (bits == "64" && w.operation != "exch") out.push_back({"LDS.64", "ATOMS.CAST.64"});
  return out;
}

std::vector<Sequence> fence(const std::string& instruction, const Wanted& w) {
  if (instruction.starts_with("fence.proxy.alias")) return {{"MEMBAR.SC.GPU", "MEMBAR.SC.SYS", "CCTL.IVALL"}};
  if (instruction == "fence.proxy.async") return {{"MEMBAR.ALL.GPU", "FENCE.VIEW.ASYNC.S"}};
  if (instruction == "fence.proxy.async.global") return {{"FENCE.VIEW.ASYNC.G"}};
  if (instruction == "fence.proxy.async.shared::cta") return {{"MEMBAR.ALL.CTA", "FENCE.VIEW.ASYNC.S"}};
  Sequence out;
  const bool sc = w.sc || w.head == "membar";
  if (sc || w.release) out.push_back(fmt::format("MEMBAR.{}.{}", sc ? "SC" : "ALL", w.scope));
  if (w.scope != "CTA" && (sc || w.acquire)) out.emplace_back("CCTL.IVALL");
  return {out};
}

// `found` is `pattern` once or several times.
bool repeats(const Sequence& found, const Sequence& pattern) {
  if (pattern.empty()) return found.empty();
  if (found.empty() || found.size() % pattern.size() != 0) return false;
  for (size_t k = 0; k < found.size(); ++k)
    if (found[k] != pattern[k % pattern.size()]) return false;
  return true;
}

bool is_access(const std::string& sass) {
  return sass.starts_with("LD") || sass.starts_with("ST") || sass.starts_with("ATOM") || sass.starts_with("RED");
}
bool is_fence(const std::string& instruction) {
  return instruction.starts_with("fence") || instruction.starts_with("membar");
}

struct Found {
  Sequence all;                     // without ERRBAR, and without DEPBAR.LE that no instruction asks for
  std::vector<uint64_t> addresses;  // of the same
  bool warp_wide = false;           // with a vote or reduction of the warp
};

class Gate {
 public:
  Gate(const emit::PtxText& ptx, const CubinKernel& kernel) : ptx_(ptx), kernel_(kernel) {
    std::map<uint32_t, size_t> by_line;
    for (size_t s = 0; s < ptx.sites.size(); ++s) {
      by_line[ptx.sites[s].line] = s;
      straight_[{ptx.sites[s].role, ptx.sites[s].segment}].push_back(s);
    }
    found_.resize(ptx.sites.size());
    for (const SassInstruction& i : kernel.code)
      if (const auto to = branch_target(i, kernel.sm)) {
        targets_.insert(*to);
        if (*to <= i.address && !returns_from_warp_sync(i.address, *to)) backward_.push_back({*to, i.address});
      }
    const std::map<uint64_t, size_t> syncs = warp_syncs(by_line);
    // DEPBAR.LE is the wait of asynchronous copies. In code without any it is a wait for results that the assembler put
    // in (12.9, in a membar.cta of sm_90 and later), which orders nothing less.
    const bool waits = std::any_of(ptx.sites.begin(), ptx.sites.end(), [](const emit::PtxSite& s) {
      const auto rows = expected_sass(s.instruction);
      return std::any_of(rows.begin(), rows.end(), [](const Sequence& row) {
        return std::any_of(row.begin(), row.end(), [](const std::string& t) { return t.starts_with("DEPBAR"); });
      });
    });
    for (const SassInstruction& i : kernel.code) {
      const auto at = by_line.find(i.line);
      if (at != by_line.end() && is_warp_wide(i)) found_[at->second].warp_wide = true;
      const auto sync = syncs.find(i.address);
      const std::string text = sync != syncs.end() ? "WARPSYNC" : memory_instruction(i);
      if (is_access(text)) accessed_.insert(i.line);
      if (text.empty() || text == "ERRBAR" || (!waits && text.starts_with("DEPBAR.LE"))) continue;
      const size_t site = sync != syncs.end() ? sync->second : at == by_line.end() ? k_frame : at->second;
      if (!all_.empty() && all_.back().site == site && is_narrower(all_.back().text, text)) forget_last();
      all_.push_back({i.address, text, site});
      if (site == k_frame) continue;
      found_[site].all.push_back(text);
      found_[site].addresses.push_back(i.address);
    }
  }

  WhatRanReport report() const {
    WhatRanReport out;
    out.verdict = WhatRan::as_written;
    out.frame = static_cast<uint32_t>(ptx_.frame.size());
    for (const emit::PtxSite& f : ptx_.frame)
      if (!accessed_.contains(f.line) && out.frame_missing++ == 0) out.first_missing = f.instruction;
    std::vector<WhatRan> verdicts;
    for (size_t s = 0; s < found_.size(); ++s) verdicts.push_back(verdict(s));
    for (const auto& [key, sites] : straight_) {
      const bool all =
          std::all_of(sites.begin(), sites.end(), [&](size_t s) { return verdicts[s] == WhatRan::as_written; });
      if (!all && whole(sites))
        for (const size_t s : sites) verdicts[s] = WhatRan::as_written;
    }
    for (size_t s = 0; s < found_.size(); ++s) {
      const emit::PtxSite& site = ptx_.sites[s];
      const WhatRan v = verdicts[s];
      out.sites.push_back(
          {site.role, site.position, site.instruction, fmt::format("{}", fmt::join(found_[s].all, "; ")), v});
      if (worse(v, out.verdict)) {
        out.verdict = v;
        out.reason = sentence(out.sites.back());
      }
    }
    if (out.verdict == WhatRan::as_written) order(out);
    if (out.verdict == WhatRan::as_written) early(out);
    return out;
  }

 private:
  // Lanes of the warp that are not together branch to a WARPSYNC behind the code, which has the line of bar.warp.sync,
  // and come back from it. The branch stands for it: it may have the line of a neighbour.
  static constexpr uint64_t k_warp_sync_block = 6 * 16;  // bytes from its begin to the WARPSYNC, at most
  const SassInstruction* branch_to(const SassInstruction& sync) const {
    const SassInstruction* out = nullptr;
    uint64_t begin = 0;
    for (const SassInstruction& i : kernel_.code)
      if (const auto to = branch_target(i, kernel_.sm); to && is_branch_of_divergent(i) && *to <= sync.address &&
                                                        sync.address - *to < k_warp_sync_block && *to >= begin)
        out = &i, begin = *to;
    return out;
  }
  // Where each bar.warp.sync stands: address and site.
  std::map<uint64_t, size_t> warp_syncs(const std::map<uint32_t, size_t>& by_line) const {
    std::map<uint64_t, size_t> out;
    for (const SassInstruction& i : kernel_.code) {
      const auto at = by_line.find(i.line);
      if (!is_warp_sync(i) || at == by_line.end()) continue;
      if (!ptx_.sites[at->second].instruction.starts_with("bar.warp.sync")) continue;
      const SassInstruction* branch = branch_to(i);
      out[branch != nullptr ? branch->address : i.address] = at->second;
    }
    return out;
  }
  // Such a way back makes no loop.
  bool returns_from_warp_sync(uint64_t from, uint64_t to) const {
    return std::any_of(kernel_.code.begin(), kernel_.code.end(), [&](const SassInstruction& i) {
      if (!is_warp_sync(i) || i.address > from || from - i.address > 4 * k_warp_sync_block) return false;
      const SassInstruction* branch = branch_to(i);
      return branch != nullptr && branch->address < to && to < i.address;
    });
  }

  // Code that is to be linked has MEMBAR.ALL.CTA before every wider fence, which orders all that it orders.
  static bool is_narrower(const std::string& first, const std::string& next) {
    return first == "MEMBAR.ALL.CTA" && next.starts_with("MEMBAR.") && !next.ends_with(".CTA");
  }
  void forget_last() {
    if (all_.back().site != k_frame) {
      found_[all_.back().site].all.pop_back();
      found_[all_.back().site].addresses.pop_back();
    }
    all_.pop_back();
  }

  static int badness(WhatRan w) {
    switch (w) {
      case WhatRan::as_written:
        return 0;
      case WhatRan::unverified:
        return 1;
      case WhatRan::reordered:
        return 2;
      case WhatRan::merged:
        return 3;
      case WhatRan::dropped:
        return 4;
    }
    return 4;
  }
  static bool worse(WhatRan a, WhatRan b) { return badness(a) > badness(b); }

  static std::string sentence(const WhatRanSite& s) {
    const std::string where = fmt::format("instruction {} of thread {}, {},", s.position, s.role, s.written);
    if (s.verdict == WhatRan::unverified && expected_sass(s.written).empty())
      return where + " has no row in the table of machine code";
    if (s.verdict == WhatRan::reordered) return where + " was moved out of a loop";
    if (s.verdict == WhatRan::merged && (s.written.starts_with("atom") || s.written.starts_with("red")) &&
        !s.found.empty())
      return where + " was made one operation of a whole warp";
    if (s.found.empty())
      return where + (s.verdict == WhatRan::merged ? " was merged with another" : " is not in the machine code");
    return fmt::format("{} became {}", where, s.found);
  }

  WhatRan verdict(size_t s) const {
    const emit::PtxSite& site = ptx_.sites[s];
    const auto wanted = expected_sass(site.instruction);
    const Found& found = found_[s];
    if (wanted.empty()) return WhatRan::unverified;
    if (is_shared_by_lanes(s)) return WhatRan::merged;
    if (has_left_a_loop(s)) return WhatRan::reordered;
    for (const Sequence& w : wanted)
      if (repeats(found.all, w)) return WhatRan::as_written;
    // Everything that was written is there, and something else too?
    const auto contains = [&](const Sequence& w) {
      size_t at = 0;
      for (const std::string& f : found.all)
        if (at < w.size() && f == w[at]) ++at;
      return at == w.size();
    };
    if (std::any_of(wanted.begin(), wanted.end(), contains)) return WhatRan::unverified;
    if (is_fence(site.instruction) || site.place.empty()) return WhatRan::dropped;
    const bool accessed = std::any_of(found.all.begin(), found.all.end(), is_access);
    return (accessed ? wider(found.all, wanted.front()) : answered_elsewhere(s)) ? WhatRan::merged : WhatRan::dropped;
  }

  // Loops of the machine code around an address: targets of branches back over it.
  size_t loops_at(uint64_t address) const {
    std::vector<uint64_t> heads;
    for (const auto& [head, from] : backward_)
      if (head <= address && address <= from && std::find(heads.begin(), heads.end(), head) == heads.end())
        heads.push_back(head);
    return heads.size();
  }

  // No copy of one of its instructions is in as many loops; the first iteration may have a copy before the loop.
  bool has_left_a_loop(size_t s) const {
    const Found& f = found_[s];
    const auto stays = [&](const std::string& text) {
      for (size_t k = 0; k < f.all.size(); ++k)
        if (f.all[k] == text && loops_at(f.addresses[k]) >= ptx_.sites[s].loops) return true;
      return false;
    };
    return !std::all_of(f.all.begin(), f.all.end(), stays);
  }
  bool is_shared_by_lanes(size_t s) const {
    const std::string& i = ptx_.sites[s].instruction;
    const auto counts_lanes = [](const std::string& sass) { return sass.find(".POPC.") != std::string::npos; };
    if (std::any_of(found_[s].all.begin(), found_[s].all.end(), counts_lanes)) return true;
    return found_[s].warp_wide && (i.starts_with("atom") || i.starts_with("red"));
  }

  // One access of 64 or 128 bits in place of narrower ones.
  static bool wider(const Sequence& found, const Sequence& wanted) {
    const auto bits = [](const Sequence& s) {
      int most = 0;
      for (const std::string& x : s)
        if (x.starts_with("LD") || x.starts_with("ST"))
          for (const int b : {32, 64, 128})
            if (x.find(fmt::format(".{}", b)) != std::string::npos) most = std::max(most, b);
      return most;
    };
    return bits(wanted) > 0 && bits(found) > bits(wanted);
  }

  // Another access of the role to the same place is there, or a wider one, whose neighbour this may be.
  bool answered_elsewhere(size_t s) const {
    for (size_t t = 0; t < found_.size(); ++t) {
      if (t == s || ptx_.sites[t].role != ptx_.sites[s].role || ptx_.sites[t].place.empty()) continue;
      const bool there = std::any_of(found_[t].all.begin(), found_[t].all.end(), is_access);
      if (!there) continue;
      const auto wanted = expected_sass(ptx_.sites[t].instruction);
      if (ptx_.sites[t].place == ptx_.sites[s].place || (!wanted.empty() && wider(found_[t].all, wanted.front())))
        return true;
    }
    return false;
  }

  // The straight code of a role, taken together: some assemblers give the fence that ends an instruction the line of
  // the next one. Everything between the first and the last address, and the fences right after, must be what the table
  // expects for all, in order.
  static Sequence accesses(const Sequence& s) {
    Sequence out;
    std::copy_if(s.begin(), s.end(), std::back_inserter(out), is_access);
    return out;
  }
  // The address of the fence that stands right before an access and carries no line of the test, else the access' own.
  // Nothing may come between by which the access is reached without the fence: no control instruction, no target of a
  // branch; where lanes meet again stands such an instruction (BSYNC). A guard of the fence is that of the access, with
  // nothing between that could set it.
  uint64_t led_by(uint64_t access) const {
    constexpr size_t k_nearest = 3;
    const auto& code = kernel_.code;
    const auto at = std::lower_bound(code.begin(), code.end(), access,
                                     [](const SassInstruction& i, uint64_t a) { return i.address < a; });
    const auto is_control = [](const SassInstruction& i) {
      const uint64_t operation = i.low & 0xfff;
      return (operation & 0xff0) == 0x940 || (operation & 0xff0) == 0x950 || operation == 0x348;  // 0x348: WARPSYNC
    };
    const auto guard = [](const SassInstruction& i) { return i.low >> 12 & 0xf; };
    bool beside = true;  // nothing but ERRBAR stands between
    for (size_t back = 1; back <= k_nearest && back <= static_cast<size_t>(at - code.begin()); ++back) {
      const SassInstruction& i = *(at - static_cast<ptrdiff_t>(back));
      if (targets_.contains((at - static_cast<ptrdiff_t>(back) + 1)->address) || is_control(i)) return access;
      const std::string text = memory_instruction(i);
      if (text.starts_with("MEMBAR.")) {
        const bool always = guard(i) == 7 || (beside && at != code.end() && guard(i) == guard(*at));
        const bool of_frame = std::none_of(ptx_.sites.begin(), ptx_.sites.end(),
                                           [&](const emit::PtxSite& s) { return s.line == i.line; });
        return always && of_frame ? i.address : access;
      }
      if (!text.empty() && text != "ERRBAR") return access;
      beside = beside && text == "ERRBAR";
    }
    return access;
  }
  struct Any;
  // A fence without a line of the test that is the first of another site's instruction, which has none of its own.
  bool leads_another(const Any& fence) const {
    const auto next = std::find_if(all_.begin(), all_.end(), [&](const Any& i) {
      return i.address > fence.address && i.site != k_frame && is_access(i.text);
    });
    if (next == all_.end() || led_by(next->address) != fence.address) return false;
    const auto wanted = expected_sass(ptx_.sites[next->site].instruction);
    return !wanted.empty() && !wanted.front().empty() && wanted.front().front() == fence.text &&
           is_access(found_[next->site].all.front());
  }
  bool whole(const std::vector<size_t>& sites) const {
    Sequence wanted;
    uint64_t first = ~uint64_t{0}, last = 0;
    for (const size_t s : sites) {
      const auto alternatives = expected_sass(ptx_.sites[s].instruction);
      if (alternatives.empty()) return false;
      const Sequence& one = alternatives.front();
      if (is_shared_by_lanes(s) || has_left_a_loop(s)) return false;
      if (accesses(one) != accesses(found_[s].all)) return false;
      wanted.insert(wanted.end(), one.begin(), one.end());
      for (const uint64_t a : found_[s].addresses) first = std::min(first, a), last = std::max(last, a);
    }
    if (!wanted.empty() && !is_access(wanted.front())) first = led_by(first);
    Sequence there;
    for (const Any& i : all_) {
      if (i.address < first) continue;
      const bool inside = i.address <= last;
      if (!inside && (is_access(i.text) || i.site != k_frame || leads_another(i))) break;
      if (i.site == k_frame && is_access(i.text)) continue;
      if (i.site != k_frame && std::find(sites.begin(), sites.end(), i.site) == sites.end()) return false;
      there.push_back(i.text);
    }
    return there == wanted;
  }

  // Instructions of one copy of what was found at site `s`.
  size_t expected_length(size_t s) const {
    for (const Sequence& w : expected_sass(ptx_.sites[s].instruction))
      if (repeats(found_[s].all, w)) return w.size();
    return found_[s].all.size();
  }

  // How often the code of site `s` is there.
  size_t copies(size_t s) const { return found_[s].all.size() / std::max<size_t>(1, expected_length(s)); }

  // Straight code in several copies has all of it in each. Copies may share their begin (one store, then two ways that
  // each have the fence) or their end, so where instructions are there differently often every way through the machine
  // code is walked: what comes before each of them on it must be the one before it in the test.
  bool whole_copies(const std::vector<size_t>& sites, WhatRanReport& out) const {
    const auto differs = [&](size_t s) { return copies(s) != copies(sites.front()); };
    const auto odd = std::find_if(sites.begin(), sites.end(), differs);
    if (odd == sites.end()) return true;
    // Shared begins or ends alone: guards that exclude each other make ways that nobody goes, and the walk knows none.
    const auto fewer = [&](size_t a, size_t b) { return copies(a) < copies(b); };
    const auto more = [&](size_t a, size_t b) { return copies(a) > copies(b); };
    if (std::is_sorted(sites.begin(), sites.end(), fewer) || std::is_sorted(sites.begin(), sites.end(), more))
      return true;
    std::map<uint64_t, size_t> steps;  // address -> number among the instructions that the sites ask for
    std::vector<size_t> site_of_step;
    for (const size_t s : sites) {
      const size_t once = expected_length(s), base = site_of_step.size();
      for (size_t k = 0; k < found_[s].all.size(); ++k) steps[found_[s].addresses[k]] = base + k % once;
      site_of_step.insert(site_of_step.end(), once, s);
    }
    const auto wrong = first_out_of_step(steps, site_of_step.size());
    if (!wrong) return true;
    const size_t s = *wrong < site_of_step.size() ? site_of_step[*wrong] : *odd;
    const emit::PtxSite& a = ptx_.sites[s];
    out.verdict = out.sites[s].verdict = WhatRan::unverified;
    out.reason = fmt::format(
        "the code of thread {} is there in copies, and one that instruction {}, {}, ends lacks what "
        "comes before it or after it",
        a.role, a.position, a.instruction);
    return false;
  }

  // Walks from the first instruction; what is known at each is which steps may have been the last. Whoever ends must
  // have done all or nothing. The step that came at a wrong moment; `count`: the end did.
  std::optional<size_t> first_out_of_step(const std::map<uint64_t, size_t>& steps, size_t count) const {
    const auto& code = kernel_.code;
    std::vector<std::set<size_t>> before(code.size());
    std::vector<size_t> work;
    const auto reach = [&](size_t at, size_t last) {
      if (at < code.size() && before[at].insert(last).second) work.push_back(at);
    };
    reach(0, count - 1);
    while (!work.empty()) {
      const size_t at = work.back();
      work.pop_back();
      const SassInstruction& i = code[at];
      const auto step = steps.find(i.address);
      const bool always = (i.low >> 12 & 0xf) == 7, exit = (i.low & 0x1ff) == 0x14d;
      const auto to = branch_target(i, kernel_.sm);
      for (const size_t last : std::set<size_t>(before[at])) {
        if (step != steps.end() && (last + 1) % count != step->second) return step->second;
        if (exit && last + 1 != count) return count;
        const size_t now = step != steps.end() ? step->second : last;
        if (to) reach(index_of(*to), now);
        if (!((exit || (to && branches_always(i))) && always)) reach(at + 1, now);
      }
    }
    return std::nullopt;
  }
  size_t index_of(uint64_t address) const {
    const auto& code = kernel_.code;
    return static_cast<size_t>(std::lower_bound(code.begin(), code.end(), address,
                                                [](const SassInstruction& i, uint64_t a) { return i.address < a; }) -
                               code.begin());
  }

  // Within straight code, addresses rise with the sites, once or in several whole copies.
  void order(WhatRanReport& out) const {
    for (const auto& [key, every] : straight_) {
      std::vector<size_t> sites;
      std::copy_if(every.begin(), every.end(), std::back_inserter(sites),
                   [&](size_t s) { return !found_[s].all.empty(); });
      const bool shifted = whole(every);  // fences may carry the line of their neighbour
      if (!shifted && !whole_copies(sites, out)) return;
      struct At {
        uint64_t address;
        size_t copy, rank;  // which copy of the code, which of `sites`
      };
      std::vector<At> at;
      for (size_t r = 0; r < sites.size(); ++r) {
        const Found& f = found_[sites[r]];
        const size_t once = shifted ? f.all.size() : expected_length(sites[r]);
        for (size_t k = 0; k < f.all.size(); ++k)
          if (!shifted || is_access(f.all[k])) at.push_back({f.addresses[k], k / std::max<size_t>(once, 1), r});
      }
      std::sort(at.begin(), at.end(), [](const At& x, const At& y) { return x.address < y.address; });
      size_t last = 0, last_copy = 0;
      for (const auto& [address, copy, rank] : at) {
        if (std::pair{copy, rank} < std::pair{last_copy, last}) {
          const emit::PtxSite &a = ptx_.sites[sites[rank]], &b = ptx_.sites[sites[last]];
          out.verdict = WhatRan::reordered;
          out.reason = fmt::format("in the code of thread {}, instruction {}, {}, comes after instruction {}, {}",
                                   a.role, a.position, a.instruction, b.position, b.instruction);
          for (const size_t s : {sites[rank], sites[last]}) out.sites[s].verdict = WhatRan::reordered;
          return;
        }
        last = rank;
        last_copy = copy;
      }
    }
  }

  // Nothing that stands behind the answer of an mbarrier may be issued before it: another unit makes it than reads
  // global memory. Loads of shared memory wait in the same queue.
  void early(WhatRanReport& out) const {
    for (size_t k = 0; k < kernel_.code.size(); ++k) {
      const size_t test = site_of(kernel_.code[k]);
      if (test == k_frame || !memory_instruction(kernel_.code[k]).starts_with("SYNCS.PHASECHK") ||
          ptx_.sites[test].instruction.find(".relaxed") != std::string::npos)
        continue;
      const uint32_t answer = result_scoreboard(kernel_.code[k]);
      for (size_t n = k + 1; n < kernel_.code.size(); ++n) {
        const SassInstruction& i = kernel_.code[n];
        if ((awaited_scoreboards(i) >> answer & 1) != 0 || branch_target(i, kernel_.sm)) break;
        const std::string text = memory_instruction(i);
        const size_t site = site_of(i);
        if (site == k_frame || site == test || !is_access(text) || text.starts_with("LDS") || text.starts_with("STS") ||
            text.starts_with("ATOMS") || text.starts_with("LDGDEPBAR"))
          continue;
        const emit::PtxSite &a = ptx_.sites[site], &b = ptx_.sites[test];
        out.verdict = out.sites[site].verdict = WhatRan::reordered;
        out.reason = fmt::format(
            "in the code of thread {}, instruction {}, {}, does not wait for the answer of instruction {}, {}", a.role,
            a.position, a.instruction, b.position, b.instruction);
        return;
      }
    }
  }
  size_t site_of(const SassInstruction& i) const {
    for (size_t s = 0; s < ptx_.sites.size(); ++s)
      if (ptx_.sites[s].line == i.line) return s;
    return k_frame;
  }

  static constexpr size_t k_frame = ~size_t{0};
  struct Any {
    uint64_t address;
    std::string text;
    size_t site;  // or k_frame
  };

  const emit::PtxText& ptx_;
  const CubinKernel& kernel_;
  std::vector<Found> found_;                                               // by site
  std::set<uint32_t> accessed_;                                            // lines with an access
  std::vector<Any> all_;                                                   // of the kernel
  std::vector<std::pair<uint64_t, uint64_t>> backward_;                    // branches: target, address
  std::set<uint64_t> targets_;                                             // of branches
  std::map<std::pair<uint32_t, uint32_t>, std::vector<size_t>> straight_;  // by role and segment
};

}  // namespace

std::vector<std::vector<std::string>> expected_sass(const std::string& instruction) {
  if (auto known = async_sass(instruction)) return *known;
  const Wanted w = read(instruction);
  if (w.head == "barrier" && instruction.starts_with("barrier.cta."))
    return {{instruction == "barrier.cta.arrive" ? "BAR.ARV" : "BAR.SYNC"}};
  if (w.head == "barrier") return {{instruction == "barrier.arrive" ? "BAR.ARV" : "BAR.SYNC"}};
  if (is_fence(instruction)) return fence(instruction, w);
  std::vector<Sequence> out = access(w);
  for (Sequence& s : out) {
    if (w.release) s.insert(s.begin(), fmt::format("MEMBAR.ALL.{}", w.scope));
    if (w.acquire && w.scope != "CTA") s.emplace_back("CCTL.IVALL");
  }
  // The fence of a releasing loop may stand before or after the first look at the old value.
  if (w.release && out.size() > 1 && !w.peer) {
    Sequence other = out[1];
    std::swap(other[0], other[1]);
    out.push_back(other);
  }
  return out;
}

WhatRanReport what_ran(const emit::PtxText& ptx, const CubinKernel& kernel) {
  if (kernel.sm < 80)
    return {WhatRan::unverified, fmt::format("the gate cannot read the machine code of sm_{}", kernel.sm), {}};
  if (!kernel.has_lines) return {WhatRan::unverified, "the binary has no line information", {}};
  return Gate(ptx, kernel).report();
}

WhatRanReport what_ran(const emit::PtxText& ptx, const std::string& cubin) {
  const auto kernels = read_cubin(cubin);
  if (!kernels) return {WhatRan::unverified, kernels.error().list.front().message, {}};
  for (const CubinKernel& k : *kernels)
    if (k.name == ptx.kernel) return what_ran(ptx, k);
  return {WhatRan::unverified, fmt::format("the binary has no kernel '{}'", ptx.kernel), {}};
}

}  // namespace fencepost::inspect
