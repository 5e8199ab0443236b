#include "hunt/ptx_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace fencepost::hunt {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == at)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

std::string trimmed(const std::string& s) {
  const size_t from = s.find_first_not_of(' '), to = s.find_last_not_of(' ');
  return from == std::string::npos ? std::string() : s.substr(from, to - from + 1);
}

bool is_type(const std::string& w) {
  static const std::set<std::string> types = {"b8",  "u8",  "s8",  "b16", "u16", "s16", "f16", "f16x2", "bf16",  "b32",
                                              "u32", "s32", "f32", "b64", "u64", "s64", "f64", "b128",  "bf16x2"};
  return types.contains(w);
}
bool is_operation(const std::string& w) {
  static const std::set<std::string> operations = {"add", "min", "max", "inc",  "dec",
                                                   "and", "or",  "xor", "exch", "cas"};
  return operations.contains(w);
}
// Words that change nothing about order, scope or width.
bool is_silent(const std::string& w) {
  static const std::set<std::string> words = {
      "weak", "global", "shared",      "local",           "ca",     "cg", "cs", "lu", "cv", "wb", "wt", "noftz", "gl",
      "nc",   "sync",   "shared::cta", "shared::cluster", "cluster"};
  return words.contains(w);
}

// A fence, barrier or membar: what it orders.
Expected<void> read_ordering(Instruction& i, const std::vector<std::string>& words) {
  const auto unknown = [&](const std::string& w) {
    return error_at({}, fmt::format("'{}' in '{}' is not known to the hunt", w, i.words));
  };
  if (i.words.starts_with("fence.proxy.") || i.words.starts_with("fence.mbarrier_init.")) {
    i.kind = Kind::proxy_fence;
    return {};
  }
  if (words[0] == "barrier" && words.size() > 2 && words[1] == "cluster") {
    i.kind = Kind::cluster_barrier;
    i.order = words[2].starts_with("release") ? Order::acq_rel : Order::acquire;
    i.scope = Scope::cluster;
    return {};
  }
  if (words[0] == "bar" || words[0] == "barrier") {
    i.kind = Kind::barrier;
    i.order = Order::acq_rel;
    i.scope = Scope::cta;
    return {};
  }
  i.kind = Kind::fence;
  if (words[0] == "membar") i.order = Order::sc;
  for (size_t k = 1; k < words.size(); ++k) {
    const std::string& w = words[k];
    if (w == "sc")
      i.order = Order::sc;
    else if (w == "acq_rel")
      i.order = Order::acq_rel;
    else if (w == "acquire")
      i.order = Order::acquire;
    else if (w == "release")
      i.order = Order::release;
    else if (w == "cta")
      i.scope = Scope::cta;
    else if (w == "cluster")
      i.scope = Scope::cluster;
    else if (w == "gpu" || w == "gl")
      i.scope = Scope::gpu;
    else if (w == "sys")
      i.scope = Scope::sys;
    else
      return unknown(w);
  }
  return {};
}

Expected<void> read_access(Instruction& i, const std::vector<std::string>& words) {
  i.kind = words[0] == "ld"     ? Kind::load
           : words[0] == "st"   ? Kind::store
           : words[0] == "atom" ? Kind::atomic
                                : Kind::reduction;
  const bool atomic = i.kind >= Kind::atomic;
  if (atomic) i.order = Order::relaxed, i.scope = Scope::gpu;
  for (size_t k = 1; k < words.size(); ++k) {
    const std::string& w = words[k];
    if (w == "relaxed")
      i.order = Order::relaxed;
    else if (w == "acquire")
      i.order = Order::acquire;
    else if (w == "release")
      i.order = Order::release;
    else if (w == "acq_rel")
      i.order = Order::acq_rel;
    else if (w == "volatile")
      i.order = Order::relaxed, i.scope = Scope::sys, i.is_volatile = true;
    else if (w == "mmio")
      i.mmio = true;
    else if (w == "cta")
      i.scope = Scope::cta;
    else if (w == "cluster")
      i.scope = Scope::cluster;
    else if (w == "gpu")
      i.scope = Scope::gpu;
    else if (w == "sys")
      i.scope = Scope::sys;
    else if (w == "v2" || w == "v4" || w == "v8")
      i.vector = static_cast<uint32_t>(w[1] - '0');
    else if (is_type(w))
      i.type = w;
    else if (atomic && is_operation(w))
      i.operation = w;
    else if (!is_silent(w))
      return error_at({}, fmt::format("'{}' in '{}' is not known to the hunt", w, i.words));
  }
  if (i.type.empty()) return error_at({}, fmt::format("'{}' has no type", i.words));
  if (i.place == 0) return error_at({}, fmt::format("'{}' has no place", i.words), "for example ld.weak.global.u32@p1");
  return {};
}

// ---- the kernel ----

const char* space_register(uint32_t bits) { return bits <= 16 ? "h" : bits == 32 ? "r" : bits == 64 ? "d" : "q"; }

std::string address(const Instruction& i) {
  const uint32_t offset = i.number * 64;
  if (i.place == 's') return fmt::format("[s+{}]", offset);
  if (i.place == 'l') return fmt::format("[loc+{}]", offset);
  return fmt::format("[%a{}+{}]", i.place, offset);
}

std::string list(const std::string& one, uint32_t n, bool numbered) {
  if (n == 1) return numbered ? one + "0" : one;
  std::string out;
  for (uint32_t k = 0; k < n; ++k)
    out += fmt::format("{}{}{}", k == 0 ? "" : ", ", one, numbered ? std::to_string(k) : "");
  return "{" + out + "}";
}

// Results are named after the instruction, so that none is overwritten: %r3_0.
std::string result(const Instruction& i, size_t n) { return fmt::format("%{}{}_", space_register(i.bits()), n); }

std::string operand(const Instruction& i) { return fmt::format("%{}c", space_register(i.bits())); }

std::string statement(const Instruction& i, size_t n) {
  if (i.kind == Kind::cluster_barrier) {
    const bool relaxed = i.words.find("relaxed+") != std::string::npos;
    return fmt::format("barrier.cluster.arrive.{}; barrier.cluster.wait.acquire;", relaxed ? "relaxed" : "release");
  }
  if (i.kind == Kind::barrier) return i.words + " 0;";
  if (i.words == "fence.proxy.tensormap::generic.acquire.gpu") return i.words + " [%ap], 128;";
  if (!i.is_access()) return i.words + ";";
  std::string out = i.words + " ";
  if (i.reads()) out += list(result(i, n), i.vector, true) + ", ";
  out += address(i);
  if (i.writes()) out += ", " + list(operand(i), i.vector, false);
  if (i.operation == "cas") out += fmt::format(", %{}e", space_register(i.bits()));
  return out + ";";
}

struct Kernel {
  std::string text;
  uint32_t lines = 0;
  void add(const std::string& line) {
    text += line + "\n";
    ++lines;
  }
};

void prologue(Kernel& k, const PtxTest& t) {
  std::set<char> places;
  bool wide = false, guarded = false;
  for (const Instruction& i : t.body) {
    places.insert(i.place);
    wide = wide || (i.is_access() && i.bits() == 128);
    guarded = guarded || i.guard != Guard::none;
    if (i.words.find("tensormap::generic.acquire") != std::string::npos) places.insert('p');
  }
  const auto has = [&](char c) { return places.contains(c); };
  k.add(
      "  .reg .b64 %ap, %aw, %aq, %ak, %au, %ah, %lane64, %out, %dc, %de; .reg .b32 %as, %at, %ac, %lane, %rc, %re, "
      "%n; .reg .b16 %hc, %he; .reg .pred %pg, %pl;");
  if (wide) k.add("  .reg .b128 %qc, %qe;");
  for (size_t n = 0; n < t.body.size(); ++n) {
    const Instruction& i = t.body[n];
    if (i.is_access() && i.reads())
      for (uint32_t e = 0; e < i.vector; ++e)
        k.add(fmt::format("  .reg .b{} {}{};", std::max(16u, i.bits()), result(i, n), e));
  }
  if (has('s') || has('h') || has('t') || has('c')) k.add("  .shared .align 128 .b8 s[1024];");
  if (has('l')) k.add("  .local .align 128 .b8 loc[1024];");
  k.add(fmt::format("  .loc 1 {} 0", k_frame_line));
  k.add("  ld.param.b64 %out, [out]; ld.param.b64 %dc, [val]; ld.param.b64 %de, [val+8];");
  k.add("  cvt.u32.u64 %rc, %dc; cvt.u32.u64 %re, %de; cvt.u16.u64 %hc, %dc; cvt.u16.u64 %he, %de;");
  if (wide) k.add("  mov.b128 %qc, {%dc, %de}; mov.b128 %qe, {%de, %dc};");
  k.add(fmt::format("  mov.u32 %lane, %tid.x; mul.lo.u32 %lane, %lane, {}; cvt.u64.u32 %lane64, %lane;", k_stride));
  if (has('p') || has('k') || has('w')) k.add("  ld.param.b64 %aw, [p]; add.u64 %ap, %aw, %lane64;");
  if (has('k')) k.add("  cvta.global.u64 %ak, %ap;");
  if (has('q')) k.add("  ld.param.b64 %aq, [q]; add.u64 %aq, %aq, %lane64;");
  if (has('u')) k.add("  ld.param.b64 %au, [u]; add.u64 %au, %au, %lane64;");
  if (has('h')) k.add("  mov.u32 %as, s; add.u32 %as, %as, %lane; cvt.u64.u32 %ah, %as; cvta.shared.u64 %ah, %ah;");
  if (has('t') || has('c')) k.add("  ld.param.b32 %at, [c]; add.u32 %at, %at, %lane;");
  if (has('c')) k.add("  ld.param.b32 %ac, [c+4]; mapa.shared::cluster.u32 %ac, %at, %ac;");
  if (guarded) k.add("  ld.param.b32 %n, [n+4]; setp.ne.u32 %pg, %n, 0;");
  for (size_t n = 0; n < t.body.size(); ++n) {
    const Instruction& i = t.body[n];
    if (!i.is_access() || !i.reads() || i.guard == Guard::none) continue;
    for (uint32_t e = 0; e < i.vector; ++e)
      k.add(fmt::format("  mov.b{} {}{}, {};", std::max(16u, i.bits()), result(i, n), e, operand(i)));
  }
  if (t.loop) k.add("  ld.param.b32 %n, [n];");
}

Kernel build(const PtxTest& t, const std::string& name) {
  Kernel k;
  k.add(
      fmt::format(".visible .entry {}(.param .b64 p, .param .b64 q, .param .b64 u, .param .b64 out, .param .align 8 "
                  ".b8 c[8], .param .align 8 .b8 n[8], .param .align 16 .b8 val[16])",
                  name));
  k.add("{");
  prologue(k, t);
  if (t.loop) k.add("again:\n  .pragma \"nounroll\";"), ++k.lines;
  for (size_t n = 0; n < t.body.size(); ++n) {
    const Instruction& i = t.body[n];
    k.add(fmt::format("  .loc 1 {} 0", k_first_line + n));
    if (i.guard == Guard::branch) k.add(fmt::format("  @!%pg bra skip{};", n));
    k.add(fmt::format("  {}{}", i.guard == Guard::predicate ? "@%pg " : "", statement(i, n)));
    if (i.guard == Guard::branch) k.add(fmt::format("skip{}:", n));
  }
  k.add(fmt::format("  .loc 1 {} 0", k_frame_line));
  if (t.loop) k.add("  sub.u32 %n, %n, 1; setp.ne.u32 %pl, %n, 0; @%pl bra again;");
  uint32_t at = 0;
  std::vector<std::string> results;
  for (size_t n = 0; n < t.body.size(); ++n) {
    const Instruction& i = t.body[n];
    if (!i.is_access() || !i.reads()) continue;
    for (uint32_t e = 0; e < i.vector; ++e, at += 16)
      results.push_back(
          fmt::format("  st.weak.global.b{} [%out+{}], {}{};", std::max(16u, i.bits()), at, result(i, n), e));
  }
  if (t.late) std::ranges::reverse(results);
  for (const std::string& r : results) k.add(r);
  k.add("  ret;");
  k.add("}");
  return k;
}

}  // namespace

uint32_t Instruction::bits() const {
  if (type.ends_with("x2")) return 32;
  const size_t at = type.find_first_of("0123456789");
  uint32_t out = 0;
  std::from_chars(type.data() + std::min(at, type.size()), type.data() + type.size(), out);
  return out;
}

Expected<Instruction> instruction_of(const std::string& words, char place, uint32_t number, Guard guard) {
  Instruction i;
  i.words = words;
  i.place = place;
  i.number = number;
  i.guard = guard;
  const auto parts = split(words, '.');
  if (parts[0] == "ld" || parts[0] == "st" || parts[0] == "atom" || parts[0] == "red") {
    if (const auto ok = read_access(i, parts); !ok) return std::unexpected(ok.error());
  } else if (parts[0] == "fence" || parts[0] == "membar" || parts[0] == "bar" || parts[0] == "barrier") {
    if (const auto ok = read_ordering(i, parts); !ok) return std::unexpected(ok.error());
  } else {
    return error_at({}, fmt::format("'{}' is not known to the hunt", parts[0]),
                    "ld, st, atom, red, fence, membar, bar and barrier are");
  }
  return i;
}

std::string to_string(const Instruction& i) {
  const char* guard = i.guard == Guard::none ? "" : i.guard == Guard::predicate ? "?p " : "?b ";
  return guard + i.words + (i.place == 0 ? "" : fmt::format("@{}{}", i.place, i.number));
}

std::string to_string(const PtxTest& t) {
  std::string out = fmt::format("{}{}", t.late ? "late: " : "", t.loop ? "loop: " : "");
  for (size_t k = 0; k < t.body.size(); ++k) out += (k == 0 ? "" : "; ") + to_string(t.body[k]);
  return out;
}

Expected<PtxTest> parse_test(const std::string& text) {
  PtxTest out;
  std::string rest = trimmed(text);
  if (rest.starts_with("late:")) out.late = true, rest = trimmed(rest.substr(5));
  if (rest.starts_with("loop:")) out.loop = true, rest = rest.substr(5);
  for (const std::string& part : split(rest, ';')) {
    std::string one = trimmed(part);
    if (one.empty()) return error_at({}, fmt::format("'{}' has an empty instruction", text));
    Guard guard = Guard::none;
    if (one.starts_with("?p ")) guard = Guard::predicate;
    if (one.starts_with("?b ")) guard = Guard::branch;
    if (guard != Guard::none) one = trimmed(one.substr(3));
    const size_t at = one.find('@');
    char place = 0;
    uint32_t number = 0;
    if (at != std::string::npos) {
      place = at + 1 < one.size() ? one[at + 1] : ' ';
      const char *first = one.data() + std::min(at + 2, one.size()), *last = one.data() + one.size();
      const auto r = std::from_chars(first, last, number);
      if (r.ec != std::errc() || r.ptr != last || number < 1 || number > 15 ||
          std::string("pwqkuhstcl").find(place) == std::string::npos)
        return error_at({}, fmt::format("'{}' is no place", one.substr(at + 1)),
                        "a letter of p w q k u h s t c l and a number from 1 to 15");
    }
    const auto i = instruction_of(one.substr(0, at), place, number, guard);
    if (!i) return std::unexpected(i.error());
    out.body.push_back(*i);
  }
  return out;
}

Module module_of(const std::vector<PtxTest>& tests, const std::string& target) {
  Module out;
  out.text = fmt::format(".version 8.8\n.target {}\n.address_size 64\n.file 1 \"test\"\n", target);
  uint32_t line = 5;
  for (size_t n = 0; n < tests.size(); ++n) {
    out.lines.push_back(line);
    const Kernel k = build(tests[n], fmt::format("t{}", n));
    out.text += k.text;
    line += k.lines;
  }
  out.lines.push_back(line);
  return out;
}

std::string kernel_of(const PtxTest& test, const std::string& name) { return build(test, name).text; }

}  // namespace fencepost::hunt
