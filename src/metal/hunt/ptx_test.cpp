#include "hunt/ptx_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ranges>
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

// A constant has a register of its own, %r3_k, which the prologue sets.
std::string operand(const Instruction& i, size_t n) {
  return i.value == Value::parameter ? fmt::format("%{}c", space_register(i.bits()))
                                     : fmt::format("%{}{}_k", space_register(i.bits()), n);
}
// The bits of a constant that has at most 64 of them.
uint64_t constant_of(const Instruction& i) {
  const uint32_t bits = std::min(64u, std::max(16u, i.bits()));
  switch (i.value) {
    case Value::one:
      return 1;
    case Value::ones:
      return ~uint64_t{0} >> (64 - bits);
    case Value::real:
      return i.type == "f64"      ? 0x3ff0000000000000
             : i.type == "f32"    ? 0x3f800000
             : i.type == "f16"    ? 0x3c00
             : i.type == "f16x2"  ? 0x3c003c00
             : i.type == "bf16"   ? 0x3f80
             : i.type == "bf16x2" ? 0x3f803f80
                                  : 1;
    default:
      return 0;
  }
}

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
  if (i.writes()) out += ", " + list(operand(i, n), i.vector, false);
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

// How the frame makes a register that a test may need, from others that stand before it.
struct Definition {
  const char *name, *type;
  std::string text;
};

std::vector<Definition> definitions() {
  return {{"%out", "b64", "ld.param.b64 %out, [out];"},
          {"%dc", "b64", "ld.param.b64 %dc, [val];"},
          {"%de", "b64", "ld.param.b64 %de, [val+8];"},
          {"%rc", "b32", "cvt.u32.u64 %rc, %dc;"},
          {"%re", "b32", "cvt.u32.u64 %re, %de;"},
          {"%hc", "b16", "cvt.u16.u64 %hc, %dc;"},
          {"%he", "b16", "cvt.u16.u64 %he, %de;"},
          {"%qc", "b128", "mov.b128 %qc, {%dc, %de};"},
          {"%qe", "b128", "mov.b128 %qe, {%de, %dc};"},
          {"%lane", "b32", fmt::format("mov.u32 %lane, %tid.x; mul.lo.u32 %lane, %lane, {};", k_stride)},
          {"%lane64", "b64", "cvt.u64.u32 %lane64, %lane;"},
          {"%aw", "b64", "ld.param.b64 %aw, [p];"},
          {"%ap", "b64", "add.u64 %ap, %aw, %lane64;"},
          {"%ak", "b64", "cvta.global.u64 %ak, %ap;"},
          {"%aq", "b64", "ld.param.b64 %aq, [q]; add.u64 %aq, %aq, %lane64;"},
          {"%au", "b64", "ld.param.b64 %au, [u]; add.u64 %au, %au, %lane64;"},
          {"%as", "b32", "mov.u32 %as, s; add.u32 %as, %as, %lane;"},
          {"%ah", "b64", "cvt.u64.u32 %ah, %as; cvta.shared.u64 %ah, %ah;"},
          {"%at", "b32", "ld.param.b32 %at, [c]; add.u32 %at, %at, %lane;"},
          {"%ac", "b32", "ld.param.b32 %ac, [c+4]; mapa.shared::cluster.u32 %ac, %at, %ac;"},
          {"%g", "b32", "ld.param.b32 %g, [n+4];"},
          {"%pg", "pred", "setp.ne.u32 %pg, %g, 0;"},
          {"%n", "b32", "ld.param.b32 %n, [n];"},
          {"%pl", "pred", ""}};
}

// "%rc" and whatever else a text names.
void add_registers(std::set<std::string>& into, const std::string& text) {
  for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    into.insert(text.substr(at, end - at));
  }
}

// Registers of the test's own: results, and constants with their values.
void own_registers(Kernel& k, std::vector<std::string>& values, const PtxTest& t) {
  for (size_t n = 0; n < t.body.size(); ++n) {
    const Instruction& i = t.body[n];
    if (!i.is_access()) continue;
    const uint32_t bits = std::max(16u, i.bits());
    for (uint32_t e = 0; i.reads() && e < i.vector; ++e) {
      k.add(fmt::format("  .reg .b{} {}{};", bits, result(i, n), e));
      // A guarded instruction may leave its result as it is.
      if (!i.unused && i.guard != Guard::none)
        values.push_back(fmt::format("mov.b{} {}{}, %{}c;", bits, result(i, n), e, space_register(i.bits())));
    }
    if (i.value == Value::parameter) continue;
    const std::string to = operand(i, n), constant = fmt::format("{:#x}", constant_of(i));
    k.add(fmt::format("  .reg .b{} {};", bits, to));
    if (bits == 128)
      values.push_back(
          fmt::format("{{ .reg .b64 %low, %high; mov.b64 %low, {}; mov.b64 %high, {}; mov.b128 {}, {{%low, %high}}; }}",
                      constant, i.value == Value::ones ? constant : "0", to));
    else
      values.push_back(fmt::format("mov.b{} {}, {};", bits, to, constant));
  }
}

// Declares and sets what `body` needs.
void prologue(Kernel& k, const PtxTest& t, const std::string& body) {
  std::vector<std::string> values;
  own_registers(k, values, t);
  std::set<std::string> needed;
  add_registers(needed, body);
  for (const std::string& v : values) add_registers(needed, v);
  std::vector<Definition> used;
  for (const Definition& d : definitions() | std::views::reverse) {
    if (!needed.contains(d.name)) continue;
    add_registers(needed, d.text);
    used.insert(used.begin(), d);
  }
  for (const Definition& d : used) k.add(fmt::format("  .reg .{} {};", d.type, d.name));
  const auto in = [&](const char* places) {
    return std::ranges::any_of(t.body, [&](const Instruction& i) {
      return i.place != 0 && std::string(places).find(i.place) != std::string::npos;
    });
  };
  if (in("shtc")) k.add("  .shared .align 128 .b8 s[1024];");
  if (in("l")) k.add("  .local .align 128 .b8 loc[1024];");
  k.add(fmt::format("  .loc 1 {} 0", k_frame_line));
  for (const Definition& d : used)
    if (!d.text.empty()) k.add("  " + d.text);
  for (const std::string& v : values) k.add("  " + v);
}

// The instructions, and the stores of their results.
Kernel body_of(const PtxTest& t) {
  Kernel k;
  // The pragma is lost with the instruction behind it if nothing uses that.
  if (t.loop) k.add("again:\n  .pragma \"nounroll\";\n  sub.u32 %n, %n, 1;"), k.lines += 2;
  for (size_t n = 0; n < t.body.size(); ++n) {
    const Instruction& i = t.body[n];
    k.add(fmt::format("  .loc 1 {} 0", k_first_line + n));
    if (i.guard == Guard::branch) k.add(fmt::format("  @!%pg bra skip{};", n));
    k.add(fmt::format("  {}{}", i.guard == Guard::predicate ? "@%pg " : "", statement(i, n)));
    if (i.guard == Guard::branch) k.add(fmt::format("skip{}:", n));
  }
  k.add(fmt::format("  .loc 1 {} 0", k_frame_line));
  if (t.loop) k.add("  setp.ne.u32 %pl, %n, 0; @%pl bra again;");
  uint32_t at = 0;
  std::vector<std::string> results;
  for (size_t n = 0; n < t.body.size(); ++n) {
    const Instruction& i = t.body[n];
    if (!i.is_access() || !i.reads() || i.unused) continue;
    for (uint32_t e = 0; e < i.vector; ++e, at += 16)
      results.push_back(
          fmt::format("  st.weak.global.b{} [%out+{}], {}{};", std::max(16u, i.bits()), at, result(i, n), e));
  }
  if (t.late) std::ranges::reverse(results);
  for (const std::string& r : results) k.add(r);
  return k;
}

Kernel build(const PtxTest& t, const std::string& name) {
  Kernel k;
  k.add(
      fmt::format(".visible .entry {}(.param .b64 p, .param .b64 q, .param .b64 u, .param .b64 out, .param .align 8 "
                  ".b8 c[8], .param .align 8 .b8 n[8], .param .align 16 .b8 val[16])",
                  name));
  k.add("{");
  const Kernel body = body_of(t);
  prologue(k, t, body.text);
  k.text += body.text;
  k.lines += body.lines;
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

namespace {

const char* word_of(Value v) {
  return v == Value::zero ? "=0" : v == Value::one ? "=1" : v == Value::ones ? "=-1" : v == Value::real ? "=1.0" : "";
}
// Takes "=VALUE" and " unused" from the end of an instruction.
Expected<void> take_ends(std::string& one, Instruction& into) {
  if (one.ends_with(" unused")) into.unused = true, one = trimmed(one.substr(0, one.size() - 7));
  const size_t at = one.find('=');
  if (at == std::string::npos) return {};
  for (const Value v : {Value::zero, Value::one, Value::ones, Value::real})
    if (one.substr(at) == word_of(v)) into.value = v;
  if (into.value == Value::parameter)
    return error_at({}, fmt::format("'{}' is not a value", one.substr(at + 1)), "0, 1, -1 and 1.0 are");
  one.resize(at);
  return {};
}
// Does the instruction have what these say?
Expected<void> has_ends(const Instruction& i) {
  if (i.unused && !(i.is_access() && i.reads()))
    return error_at({}, fmt::format("'{}' has no result that could be unused", i.words));
  if (i.value != Value::parameter && !(i.is_access() && i.writes()))
    return error_at({}, fmt::format("'{}' takes no value", i.words));
  if (i.value == Value::real && !i.is_real())
    return error_at({}, fmt::format("'{}' takes no value of floating point", i.words));
  return {};
}

}  // namespace

std::string to_string(const Instruction& i) {
  const char* guard = i.guard == Guard::none ? "" : i.guard == Guard::predicate ? "?p " : "?b ";
  return guard + i.words + (i.place == 0 ? "" : fmt::format("@{}{}", i.place, i.number)) + word_of(i.value) +
         (i.unused ? " unused" : "");
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
    Instruction ends;
    if (const auto ok = take_ends(one, ends); !ok) return std::unexpected(ok.error());
    const size_t at = one.find('@');
    char place = 0;
    uint32_t number = 0;
    if (at != std::string::npos) {
      place = at + 1 < one.size() ? one[at + 1] : ' ';
      const char *first = one.data() + std::min(at + 2, one.size()), *last = one.data() + one.size();
      const auto r = std::from_chars(first, last, number);
      if (r.ec != std::errc() || r.ptr != last || number < 1 || number > 15 ||
          std::string("pwqkuhstcl").find(place) == std::string::npos)
        return error_at({}, fmt::format("'{}' is not a place", one.substr(at + 1, 60)),
                        "a letter of p w q k u h s t c l and a number from 1 to 15");
    }
    auto i = instruction_of(one.substr(0, at), place, number, guard);
    if (!i) return std::unexpected(i.error());
    i->value = ends.value;
    i->unused = ends.unused;
    if (const auto ok = has_ends(*i); !ok) return std::unexpected(ok.error());
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
