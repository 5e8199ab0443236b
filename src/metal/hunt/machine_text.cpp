// The finding of a gate names places (Fault::detail: "from ATOMS at 0x170 to LDG at 0x230"); the rows of the listing
// tell what stands there. Sentences are put together from the two, so that none says more than one can check by eye.
#include "hunt/machine_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <vector>

#include "base/markdown.h"
#include "hunt/wording.h"

namespace fencepost::hunt {
namespace {

// "0170" of "from ATOMS at 0x170 to LDG at 0x230".
std::vector<std::string> addresses_of(const Fault& f) {
  std::vector<std::string> out;
  for (size_t at = f.detail.find("at 0x"); at != std::string::npos; at = f.detail.find("at 0x", at + 1))
    out.push_back(fmt::format("{:04x}", std::strtoul(f.detail.c_str() + at + 3, nullptr, 16)));
  return out;
}

std::vector<std::string> rows_of(const std::string& listing) {
  std::vector<std::string> out;
  for (size_t from = 0, to = listing.find('\n'); to != std::string::npos; from = to + 1, to = listing.find('\n', from))
    out.push_back(listing.substr(from, to - from));
  return out;
}

// "@P0 CCTL.IVALL"
bool guarded_invalidate(const std::string& row) {
  return row.find("| @") != std::string::npos && row.ends_with(" CCTL.IVALL");
}

// Two weak loads of one place and an acquire between them, of which the second is answered by the first: the first.
const Instruction* first_of_merged(Effect e, const Instruction& i, const PtxTest* t) {
  const auto plain = [](const Instruction& one) { return one.kind == Kind::load && one.order == Order::weak; };
  if (e != Effect::absent || !plain(i) || t == nullptr) return nullptr;
  size_t k = t->body.size();
  while (k > 0 && t->body[k - 1] != i) --k;
  bool acquired = false;
  for (k = k > 0 ? k - 1 : 0; k-- > 0;) {
    const Instruction& one = t->body[k];
    if (acquired && plain(one) && one.place == i.place && one.number == i.number) return &one;
    acquired = acquired || one.acquires();
  }
  return nullptr;
}

}  // namespace

Effect effect_of(const std::string& word) {
  for (uint8_t e = 0; e < static_cast<uint8_t>(Effect::count_); ++e)
    if (word == name(static_cast<Effect>(e))) return static_cast<Effect>(e);
  return Effect::absent;
}

bool is_merged(Effect e, const Instruction& i, const PtxTest* t) { return first_of_merged(e, i, t) != nullptr; }

std::string writer_of_merged(Effect e, const Instruction& i, const PtxTest* t) {
  const Instruction* first = first_of_merged(e, i, t);
  if (first == nullptr || first->bits() == i.bits()) return {};
  std::string space;
  for (const char* one : {".global", ".shared::cluster", ".shared::cta", ".shared"})
    if (space.empty() && first->words.find(one) != std::string::npos) space = one;
  return fmt::format(
      "The writer stores x {} (`st.weak{}{}.b{}`), so that its race with the first load is of one size (8.7.2).",
      first->vector == 2  ? "as two halves"
      : first->vector > 1 ? fmt::format("as {} parts", first->vector)
                          : "in the width of the first load",
      space, first->vector > 1 ? fmt::format(".v{}", first->vector) : "", first->bits());
}

std::string missing(Effect e, const Instruction& i) {
  const char* scope = i.scope == Scope::cta       ? "CTA"
                      : i.scope == Scope::sys     ? i.in_shared() ? "GPU" : "SYS"
                      : i.scope == Scope::cluster ? "GPU (which serves .cluster)"
                                                  : "GPU";
  switch (e) {
    case Effect::no_membar:
    case Effect::weak_membar:
      return fmt::format("`MEMBAR.{}.{}`", i.order == Order::sc ? "SC" : "ALL", scope);
    case Effect::no_invalidate:
      return "`CCTL.IVALL`, which throws away old lines of the first-level cache";
    case Effect::no_wait:
      return "wait for the scoreboard of the first";
    default:
      return "";
  }
}

uint32_t line_of(const PtxTest& t, const Instruction& i) {
  uint32_t out = k_first_line;
  for (uint32_t k = 0; k < t.body.size(); ++k)
    if (t.body[k] == i) out = k_first_line + k;
  return out;
}

bool names_shared(const Fault& f) {
  return f.detail.find("ATOMS") != std::string::npos || f.detail.find("LDS") != std::string::npos;
}

bool has_scoreboards(const std::string& listing) {
  return std::ranges::any_of(rows_of(listing), [](const std::string& row) {
    std::istringstream words(row);
    std::string address, line, sets;
    words >> address >> line >> sets;
    return !sets.empty() && sets != "-";
  });
}

namespace {

// When an address that `mapa` made is that of the own CTA, from which it was made.
std::string own_rank(const Instruction& a, const Instruction& b) {
  const auto has = [&](char place) { return a.place == place || b.place == place; };
  if (!has('c') || !(has('t') || has('s')) || a.number != b.number) return {};
  return fmt::format(
      ", as they are where `[c+4]` is the rank of the executing CTA and %at an address of its own window{}, of which "
      "`mapa` then makes %ac",
      has('s') ? ", that of s" : "");
}

// Two loads that change places read one place only where their addresses are equal.
std::string one_place(const PtxTest& t, const Instruction& i) {
  const auto at = std::ranges::find(t.body, i);
  std::string out;
  const bool both_known = i.is_volatile || i.mmio;
  for (auto k = t.body.begin(); k != at; ++k) {
    if (k->kind != Kind::load || !k->is_strong()) continue;
    out = k->place == i.place && k->number == i.number
              ? fmt::format("Both loads have the address `{}` of the kernel below{}. ", operand_of(i),
                            std::string("pqkuhtc").find(i.place) == std::string::npos
                                ? ""
                                : ", with 1024 * %tid.x in its register, so that each thread has a place of its own")
              : fmt::format(
                    "The loads read one place where `{}` and `{}` of the kernel below are one address{}: nothing tells "
                    "the compiler that they differ. ",
                    operand_of(*k), operand_of(i), own_rank(*k, i));
    if (const std::string window = one_address(*k, i); !window.empty()) out += window + ". ";
    if (k->is_volatile || k->mmio || both_known)
      out +=
          "Both are strong operations: by 8.4 such are fences and memory operations with `.relaxed`, `.acquire`, "
          "`.release`, `.acq_rel`, `.volatile` or `.mmio`; a volatile one has the meaning of `.relaxed.sys`. ";
    if (k->is_volatile != i.is_volatile)
      out +=
          "8.4.2 lets the operations of volatile instructions be re-ordered only around each other; here one is not "
          "volatile, and 8.10.5 holds for both. ";
  }
  return out;
}

// Which old line a read behind a lost acquire may take. A generic address has an invalidation of its own before the
// loop for shared memory, so that only lines which came since are old.
std::string stale_line(const Fault& f, const Instruction& i) {
  const auto addresses = addresses_of(f);
  std::string before;
  if ((i.place == 'u' || i.place == 'h' || i.place == 'c') && !addresses.empty())
    for (const std::string& row : rows_of(f.listing))
      if (row.substr(0, 4) < addresses.front() && row.find("| CCTL.IVALL") != std::string::npos)
        before = row.substr(0, 4);
  if (before.empty()) return "a line of the first-level cache that its SM had before";
  return fmt::format(
      "a line that another thread of the same SM loads into the first-level cache between the CCTL.IVALL at 0x{:x} and "
      "the last pass through 0x{:x}",
      std::strtoul(before.c_str(), nullptr, 16), std::strtoul(addresses.front().c_str(), nullptr, 16));
}

// Is the result of the first of two instructions not even awaited before the second, on the straight way between them?
std::string not_awaited(const Fault& f) {
  const auto addresses = addresses_of(f);
  if (addresses.size() != 2) return {};
  std::string sets, last;
  for (const std::string& row : rows_of(f.listing)) {
    std::istringstream words(row);
    std::string address, line, scoreboard, mask;
    words >> address >> line >> scoreboard >> mask;
    if (address == addresses[0])
      sets = scoreboard;
    else if (sets.size() == 1 && sets[0] >= '0' && sets[0] <= '5') {
      if (row.find("BRA") != std::string::npos || row.find("BSYNC") != std::string::npos) return {};
      if ((std::strtoul(mask.c_str(), nullptr, 16) >> (sets[0] - '0')) & 1) return {};
      if (address == addresses[1])
        return fmt::format(
            "; the second does not wait for scoreboard {} of the first (its mask is {}), so that the two are not even "
            "in order",
            sets, mask);
    }
  }
  return {};
}

// The question for the space of a generic address, where the code has it.
std::string asked_space(const Fault& f) {
  for (const std::string& row : rows_of(f.listing))
    if (row.find("| QSPC.E.S ") != std::string::npos)
      return fmt::format("QSPC.E.S at 0x{:x}, which asks for the space, and from ",
                         std::strtoul(row.c_str(), nullptr, 16));
  return {};
}

// By which read a thread has the new value, where the acquiring load is one that nobody uses: itself, where the machine
// code has it, or an earlier read of its place, with which it is an acquire pattern.
std::string reader_of(const Fault& f, const Instruction& i, const PtxTest* t) {
  const auto addresses = addresses_of(f);
  if (i.kind != Kind::load || !i.unused || addresses.empty() || t == nullptr) return "this instruction";
  uint32_t line = 0;
  for (const std::string& row : rows_of(f.listing))
    if (row.starts_with(addresses.front() + " "))
      line = static_cast<uint32_t>(std::strtoul(row.c_str() + addresses.front().size(), nullptr, 10));
  const uint32_t own = line_of(*t, i);
  const size_t n = line - k_first_line;
  if (line == own || line < k_first_line || n >= t->body.size()) return "this instruction";
  const Instruction& first = t->body[n];
  const bool same = first.place == i.place && first.number == i.number;
  return fmt::format(
      "the read at 0x{:x} (line {}), {} (8.8: \"a strong read on M followed by an acquire operation on M in program "
      "order\"), whatever line {} reads{}",
      std::strtoul(addresses.front().c_str(), nullptr, 16), line,
      same ? fmt::format("which with line {} is an acquire pattern on y", own)
           : fmt::format("which with line {} is an acquire pattern on y where `{}` and `{}` are one address", own,
                         operand_of(first), operand_of(i)),
      own, i.guard == Guard::none ? "" : " where its guard is true");
}

// Who the other thread of an outcome is, where that is not any thread of the device.
std::string other_thread(const Fault& f, const Instruction& i) {
  std::string where;
  const bool generic = i.place == 'u' || i.place == 'c', in_shared = names_shared(f);
  if (generic && in_shared)
    where = fmt::format(
        " That the path at fault is the one for an address in shared memory of the own CTA is inferred from {}its "
        "instructions (LDS, ATOMS).",
        asked_space(f));
  if ((i.in_shared() || i.place == 'h' || i.place == 'c' || (generic && in_shared)) && i.scope > Scope::cta)
    where += " The other thread is in another CTA of the cluster.";
  if (i.scope == Scope::cta) where += " The other thread is in the same CTA.";
  return where;
}

std::string seen_of_merged(Effect e, const Instruction& i, const PtxTest* t) {
  return std::string() +
         "Let x be the place of the two loads, 0 at first. Another thread does `x = 1`, and then releases a value, "
         "with a scope that includes this thread, that the acquire between the loads reads. The first load may read "
         "0, since it races with `x = 1`. The second must read 1; with the machine code below it has the 0 of the "
         "first." +
         (t == nullptr || first_of_merged(e, i, t)->bits() == i.bits() ? "" : " " + writer_of_merged(e, i, t));
}

}  // namespace

std::string seen_of(const Fault& f, Effect e, const Instruction& i, const PtxTest* t, bool merged) {
  const std::string where = other_thread(f, i);
  const std::string reader = reader_of(f, i, t);
  if (merged) return seen_of_merged(e, i, t);
  switch (e) {
    case Effect::skipped:
      if (i.kind == Kind::load && i.is_volatile)
        return "Where the guard of the later operation is false, the read is not executed.";
      if (i.kind != Kind::load || !i.mmio) return "";
      return "Where the guard of the later operation is false, the read is not done, and its effect on the I/O device "
             "is lost.";
    case Effect::no_membar:
    case Effect::weak_membar:
      if (!i.is_access())
        return "Message passing: x = 1, the fence, y = 1 in this thread; another thread that reads y = 1 and then, "
               "behind a fence, x may read x = 0.";
      return fmt::format(
          "Message passing: this thread does `x = 1` and then this instruction on y; a thread that acquires the new y "
          "and then reads x may read x = 0.{}",
          where);
    case Effect::no_wait:
      if (!i.is_access())
        return "Let y be the place of the `atom`. Another thread does `x = 1`, a fence and an exchange of y that shows "
               "what y was, the two of a scope that includes this thread. Where the exchange came first, this thread "
               "has acquired what it released, and a load of x behind the fence must read 1; begun before the `atom` "
               "is done it may read 0. A store of x behind the "
               "fence must not be seen by a load that the other thread has in front of its fence.";
      return fmt::format(
          "Message passing: another thread does `x = 1` and then releases y; this thread reads the new y by {}. A load "
          "of x behind it must read 1; begun before that read is done it may read 0. A store of x behind it must not "
          "be seen by a load that the other thread has before its release.",
          reader);
    case Effect::no_invalidate:
      if (!i.is_access())
        return "Message passing: another thread does x = 1, a fence and y = 1; this thread that reads y = 1 and then, "
               "behind the fence, x may read x = 0.";
      return fmt::format(
          "Message passing: another thread does `x = 1` and then releases y; this thread reads the new y by {}, and "
          "then x, and may read x = 0, from {}.{}",
          reader, stale_line(f, i), where);
    case Effect::overtaken:
      return "Two threads of one CTA suffice; y is the place of this instruction. The other thread does `x = 1`, a "
             "fence and an exchange of y. Where the exchange comes first, this thread has acquired what it released, "
             "and its load "
             "of x behind the instruction must read 1; done before the instruction it may read 0. A store of x behind "
             "the "
             "instruction must not be seen by a load that the other thread has in front of its fence.";
    case Effect::reordered:
      if (t != nullptr && i.kind == Kind::load)
        return one_place(*t, i) +
               "The writer is a thread within the scopes of both loads (of `.cta`: of the same CTA) that does one "
               "strong store whose scope includes the reading thread. Then the three are morally strong (8.7), and the "
               "first load may have the new value and the second the old one, an outcome that 8.10.5 forbids in every "
               "execution.";
      return "Another thread may see the two accesses in the order in which they are not written.";
    default:
      return "";
  }
}

namespace {

// The way out before an access, and the access: "`@!P0 EXIT` at 0x70", "`LDG.E` at 0xc0".
std::pair<std::string, std::string> round_of(const Fault& f, uint32_t line) {
  std::string exit;
  for (const std::string& row : rows_of(f.listing)) {
    const size_t bar = row.find("| ");
    if (bar == std::string::npos) continue;
    const std::string text = row.substr(bar + 2);
    const auto named = [&](const std::string& words) {
      return fmt::format("`{}` at 0x{:x}", words, std::strtoul(row.c_str(), nullptr, 16));
    };
    if (text.starts_with("@") && text.ends_with("EXIT")) exit = named(text);
    if (row.find(fmt::format(" {} ", line)) == 4 && text.starts_with("LD") && !text.starts_with("LDC"))
      return exit.empty() ? std::pair<std::string, std::string>()
                          : std::pair(exit, named(text.substr(0, text.find(' '))));
  }
  return {};
}

// The MEMBARs of the machine code, by their place on the way that the finding names.
struct Membars {
  bool between = false;  // or the way is not a straight one, so that this is not known
  std::string before;    // address of the last one that stands before the first access
};

Membars membars_of(const Fault& f) {
  const auto addresses = addresses_of(f);
  if (addresses.empty() || addresses.front() > addresses.back() || f.listing.empty()) return {.between = true};
  Membars out;
  for (const std::string& row : rows_of(f.listing)) {
    if (row.find("MEMBAR.") == std::string::npos) continue;
    const std::string at = row.substr(0, 4);
    if (addresses.size() == 2 && at < addresses.front())
      out.before = fmt::format("0x{:x}", std::strtoul(at.c_str(), nullptr, 16));
    else if (at < addresses.back())
      out.between = true;
  }
  return out;
}

}  // namespace

bool is_of_another(const Fault& f, Effect e, uint32_t line) {
  if (e != Effect::weak_membar || f.listing.empty()) return false;
  return std::ranges::none_of(rows_of(f.listing), [&](const std::string& row) {
    return row.find("MEMBAR.") != std::string::npos && row.find(fmt::format(" {} ", line)) == 4;
  });
}

Fault with_nearest(Fault f, uint32_t line) {
  const std::string_view begin = "from the begin to ";
  const auto addresses = addresses_of(f);
  if (!f.detail.starts_with(begin) || addresses.size() != 1) return f;
  std::string nearest;
  for (const std::string& row : rows_of(f.listing)) {
    if (row.substr(0, 4) >= addresses.front()) break;
    const size_t bar = row.find("| ");
    if (bar == std::string::npos) continue;
    const std::string text = row.substr(bar + 2);
    std::istringstream words(row);
    std::string address;
    uint32_t of = 0;
    words >> address >> of;
    const bool access = text.starts_with("ST") || text.starts_with("ATOM") || text.starts_with("RED") ||
                        (text.starts_with("LD") && !text.starts_with("LDC"));
    if (access && of >= k_first_line && of < line)
      nearest = fmt::format("from {} at 0x{:x} to ", text.substr(0, text.find(' ')),
                            std::strtoul(address.c_str(), nullptr, 16));
    else if (text.starts_with("BRA") || text.starts_with("EXIT") || text.find("MEMBAR.") != std::string::npos)
      nearest.clear();
  }
  if (!nearest.empty()) f.detail.replace(0, begin.size(), nearest);
  return f;
}

std::string actual_of(const Fault& f, Effect e, const Instruction& i, uint32_t line, bool merged) {
  if (merged)
    return fmt::format(
        "the machine code has no load for line {}: its result is that of an earlier load of the same place", line);
  const std::string detail = markdown_text(f.detail);
  std::string out = fmt::format("in the machine code{}, {}", f.listing.empty() ? "" : " below", detail);
  if (const std::string lacks = missing(e, i); !lacks.empty()) {
    out = fmt::format("the machine code goes {}", detail);
    if (e == Effect::no_membar || e == Effect::weak_membar || e == Effect::no_invalidate) {
      out += i.unused && std::ranges::any_of(rows_of(f.listing), guarded_invalidate)
                 ? ", and between the two is done no "
                 : ", and between the two stands no ";
      const Membars membars = e == Effect::no_invalidate ? Membars{.between = true} : membars_of(f);
      if (!membars.between) {
        out += fmt::format("MEMBAR of any scope; {} is needed", lacks);
        if (i.scope == Scope::sys && i.in_shared()) out += ", since `.sys` on shared memory is `.cluster` (8.3)";
        if (!membars.before.empty())
          out += fmt::format("; the MEMBAR at {} stands before the first of the two", membars.before);
      } else {
        out += lacks + (e == Effect::no_invalidate ? not_awaited(f) : " (nor one of a wider scope)");
        if (is_of_another(f, e, line)) out += "; the MEMBAR there is of another instruction, and too weak for this one";
      }
    } else {
      out = fmt::format("in the machine code, {}", detail);
    }
  } else if (e == Effect::operation) {
    out = fmt::format("the machine code has {}", detail);
    if (i.value == Value::one && f.detail.find(".INC") != std::string::npos)
      out += i.type == "bf16x2"  ? ", which makes 0x3f803f81 of it"
             : i.type == "f16x2" ? ", which makes 0x3c003c01 of it"
                                 : "";
  } else if (e == Effect::overtaken || e == Effect::reordered) {
    out = fmt::format("in the machine code below stands {}", detail);
  } else if (e == Effect::absent) {
    out = "the machine code has no such access";
  } else if (e == Effect::skipped) {
    const auto [exit, access] = round_of(f, line);
    out = exit.empty() ? "the machine code below has a path from the begin to an EXIT that goes round the access"
                       : fmt::format(
                             "the machine code below has a path from the begin to an EXIT that goes round the "
                             "access: {} stands before {}",
                             exit, access);
  }
  return out;
}

namespace {

std::string with_marks(const std::string& listing, const std::function<std::string(const std::string&)>& mark) {
  std::string out;
  for (size_t from = 0, to = listing.find('\n'); to != std::string::npos;
       from = to + 1, to = listing.find('\n', from)) {
    const std::string one = listing.substr(from, to - from), said = mark(one);
    out += one + (said.empty() ? "" : "    <<< " + said) + "\n";
  }
  return out;
}

}  // namespace

std::string marked(const Fault& f, Effect e, const Instruction& i, uint32_t line, bool merged) {
  const auto addresses = addresses_of(f);
  const auto [exit, access] = e == Effect::skipped ? round_of(f, line) : std::pair<std::string, std::string>();
  const auto at = [](const std::string& named, const std::string& row) {
    const size_t from = named.rfind("0x");
    return from != std::string::npos &&
           row.starts_with(fmt::format("{:04x} ", std::strtoul(named.c_str() + from, nullptr, 16)));
  };
  const std::string lacks = e == Effect::no_invalidate                           ? "no CCTL.IVALL"
                            : e == Effect::no_membar || e == Effect::weak_membar ? "no MEMBAR of the scope"
                                                                                 : "";
  const auto t = parse_test(f.reduced);
  return with_marks(f.listing, [&](const std::string& one) -> std::string {
    if (at(exit, one)) return "a path ends here";
    if (at(access, one)) return "the access";
    if (e == Effect::no_invalidate && i.unused && guarded_invalidate(one)) return "not done where this is false";
    for (size_t n = 0; n < addresses.size(); ++n)
      if (one.starts_with(addresses[n] + " ")) {
        if (lacks.empty()) return n == 0 ? "this" : "before this";
        return n + 1 < addresses.size() ? "from here" : "to here: " + lacks + " since";
      }
    if (merged && t)
      for (uint32_t k = 0; k + k_first_line < line; ++k)
        if (t->body[k].kind == Kind::load && t->body[k].place == i.place && t->body[k].number == i.number &&
            one.find(fmt::format(" {} ", k + k_first_line)) == 4 && one.find("| LD") != std::string::npos)
          return fmt::format("the first load; line {} has none", line);
    return "";
  });
}

std::string marked_right(const std::string& listing, Effect e, bool merged) {
  const auto is_load = [](const std::string& one) {
    return one.find("| LD") != std::string::npos && one.find("| LDC") == std::string::npos;
  };
  size_t loads = 0, seen = 0;
  with_marks(listing, [&](const std::string& one) {
    loads += is_load(one);
    return std::string();
  });
  return with_marks(listing, [&](const std::string& one) -> std::string {
    const bool fence = one.find("| MEMBAR") != std::string::npos || one.find(" MEMBAR.") != std::string::npos;
    if ((e == Effect::no_membar || e == Effect::weak_membar) && fence) return "here it is";
    if (e == Effect::no_invalidate && one.find("CCTL.IVALL") != std::string::npos) return "here it is";
    if (merged && is_load(one) && ++seen == loads) return "the second load";
    return "";
  });
}

std::string elected(const Fault& f, Effect e) {
  if (e != Effect::no_membar && e != Effect::weak_membar) return {};
  bool votes = false, guarded = false;
  for (const std::string& row : rows_of(f.right_listing)) {
    votes = votes || row.find("| VOTEU") != std::string::npos;
    guarded = guarded || (row.find("| @") != std::string::npos && row.find(" MEMBAR.") != std::string::npos);
  }
  return votes && guarded ? "There MEMBAR is executed by the elected lane alone: whether it covers the stores of the "
                            "others was not tested.\n\n"
                          : "";
}

std::string unset_predicate(const Fault& f) {
  std::string guard;
  for (const std::string& row : rows_of(f.listing))
    if (guarded_invalidate(row)) guard = row.substr(row.find("| @") + 3, 2);
  if (guard.size() != 2 || guard[0] != 'P') return {};
  for (const std::string& row : rows_of(f.listing)) {
    const size_t at = row.find("| ");
    std::string text = at == std::string::npos ? "" : row.substr(at + 2);
    if (text.starts_with("@" + guard + " ")) text.erase(0, guard.size() + 2);
    if (text.find(guard) != std::string::npos) return {};
  }
  return fmt::format("No instruction of this kernel writes {0}, so it is what {0} was at the start.\n\n", guard);
}

}  // namespace fencepost::hunt
