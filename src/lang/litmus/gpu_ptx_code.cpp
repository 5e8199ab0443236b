// Instructions of the 2014 dialect. The meaning is that of PTX ISA 7.5 (8.7 and 9.7.12):
//   ld, st with a cache operator or none   weak; the operator is kept as a tag (none: .ca for ld, .wb for st)
//   ld.volatile, st.volatile               relaxed at scope sys                         (9.7.8.8, 9.7.8.11)
//   membar.cta, .gl, .sys                  fence.sc at scope cta, gpu, sys              (9.7.12.4)
//   atom, red                              relaxed at scope gpu                         (9.7.12.5)
// A compare-and-swap always writes: the old value where the comparison fails.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "litmus/gpu_ptx.h"
#include "vocab/vocab.h"

namespace fencepost::litmus::gpu_ptx {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using term::Op;
using vocab::Tag;

namespace {

const std::vector<std::string> k_mnemonics = {"ld",  "st",  "membar", "atom", "red", "setp", "mov", "cvt",
                                              "bra", "add", "sub",    "mul",  "div", "rem",  "min", "max",
                                              "and", "or",  "xor",    "not",  "neg", "shl",  "shr"};

std::optional<Op> comparison(std::string_view word, bool is_signed) {
  if (word == "eq") return Op::eq;
  if (word == "ne") return Op::ne;
  if (word == "lt") return is_signed ? Op::slt : Op::ult;
  if (word == "le") return is_signed ? Op::sle : Op::ule;
  if (word == "gt") return is_signed ? Op::sgt : Op::ugt;
  if (word == "ge") return is_signed ? Op::sge : Op::uge;
  if (word == "lo") return Op::ult;
  if (word == "ls") return Op::ule;
  if (word == "hi") return Op::ugt;
  if (word == "hs") return Op::uge;
  return std::nullopt;
}

std::optional<Op> operation(std::string_view word, bool is_signed) {
  if (word == "add") return Op::add;
  if (word == "sub") return Op::sub;
  if (word == "mul") return Op::mul;
  if (word == "div") return is_signed ? Op::sdiv : Op::udiv;
  if (word == "rem") return is_signed ? Op::srem : Op::urem;
  if (word == "min") return is_signed ? Op::smin : Op::umin;
  if (word == "max") return is_signed ? Op::smax : Op::umax;
  if (word == "and") return Op::and_;
  if (word == "or") return Op::or_;
  if (word == "xor") return Op::xor_;
  if (word == "shl") return Op::shl;
  if (word == "shr") return is_signed ? Op::ashr : Op::lshr;
  return std::nullopt;
}

}  // namespace

std::optional<Type> find_type(std::string_view name) {
  if (name == "pred") return Type{"pred", 1, false};
  if (name.size() < 2 || name.size() > 3 || (name[0] != 's' && name[0] != 'u' && name[0] != 'b')) return std::nullopt;
  for (const auto& [digits, width] : {std::pair{"8", 8}, {"16", 16}, {"32", 32}, {"64", 64}})
    if (name.substr(1) == digits) return Type{std::string(name), static_cast<uint8_t>(width), name[0] == 's'};
  return std::nullopt;
}

std::vector<std::string> type_names() {
  return {"s32", "u32", "b32", "s64", "u64", "b64", "pred", "s16", "u16", "b16", "s8", "u8", "b8"};
}

// ---- locations and registers -------------------------------------------------------------------------

prog::SymbolId Builder::location(std::string_view name, const Span& span, bool mention) {
  auto it = by_name_.find(name);
  if (it == by_name_.end()) {
    if (test.objects.size() >= 4096) fail_at(span, "too many locations", "at most 4096");
    prog::Object o;
    o.name = std::string(name);
    o.width = 32;
    o.span = span;
    prog::Symbol s;
    s.name = o.name;
    s.object = static_cast<prog::ObjectId>(test.objects.size());
    s.generic = static_cast<prog::SymbolId>(test.symbols.size());
    s.span = span;
    test.objects.push_back(std::move(o));
    test.symbols.push_back(std::move(s));
    it =
        by_name_.emplace(std::string(name), Location{static_cast<prog::SymbolId>(test.symbols.size() - 1), false, span})
            .first;
  }
  it->second.mentioned = it->second.mentioned || mention;
  return it->second.symbol;
}

prog::RegId ThreadCode::find_reg(std::string_view name) const {
  for (prog::RegId r = 0; r < t_.registers.size(); ++r)
    if (t_.registers[r].name == name) return r;
  return k_none;
}

prog::RegId ThreadCode::declare(std::string_view name, const Type& type, const Span& span) {
  if (find_reg(name) != k_none)
    fail_at(span, fmt::format("T{} declares {} twice", id_, litmus::quoted(name)), "remove one of the two");
  t_.registers.push_back({std::string(name), type.width, type.name, false});
  return static_cast<prog::RegId>(t_.registers.size() - 1);
}

prog::RegId ThreadCode::parse_reg(Cursor& c, std::string_view what) {
  const Token name = c.expect_word(what, "registers are declared in the initial state: 0:.reg .s32 r0");
  const prog::RegId r = find_reg(name.text);
  if (r != k_none) return r;
  std::vector<std::string> names;
  for (const auto& x : t_.registers) names.push_back(x.name);
  c.fail(name, fmt::format("T{} has no register {}", id_, litmus::quoted(name.text)),
         suggest(name.text, names, fmt::format("declare it in the initial state: {}:.reg .s32 {};", id_, name.text)));
}

void ThreadCode::check_width(Cursor& c, const Token& at, prog::RegId r, const Type& type) const {
  const prog::Register& x = t_.registers[r];
  if (x.width != type.width)
    c.fail(at, fmt::format("{} is a .{} register, not one of {} bits", litmus::quoted(x.name), x.type, type.width),
           x.width == 1 || type.width == 1 ? "predicates are made by setp" : "convert it first: cvt.u64.u32 r1, r0");
}

Type ThreadCode::type_or(const std::optional<Type>& written, prog::RegId r) const {
  if (written) return *written;
  return r == k_none ? *find_type("s32") : *find_type(t_.registers[r].type);
}

ThreadCode::Operand ThreadCode::operand(Cursor& c, const Type& type, bool may_be_location) {
  Operand o;
  const Token t = c.peek();
  if (at_constant(c)) {
    o.e = term::constant(parse_constant(c, type.width), type.width);
  } else if (t.kind == Tok::word && find_reg(t.text) == k_none && may_be_location && b_.has_location(t.text)) {
    c.next();
    if (type.width != 64)
      c.fail(t, fmt::format("the address of {} has 64 bits", litmus::quoted(t.text)),
             "use mov.u64 and a 64-bit register");
    const prog::SymbolId s = b_.location(t.text, c.span(t), false);
    reaches(s, c.span(t));
    o.symbol = std::string(t.text);
    o.e = term::constant(prog::address_of(b_.test.symbols[s].object), 64);
  } else {
    const prog::RegId r = parse_reg(c, "a register or a constant");
    check_width(c, t, r, type);
    o.e = term::variable(r, type.width);
  }
  o.span = c.since(t.begin);
  return o;
}

void ThreadCode::address(Cursor& c, Instr& i) {
  c.expect("[", "an address is written in brackets: [r1] or [x]");
  const Token name =
      c.expect_word("a register or a location", "an address is [r1], of a register that holds one, or [x]");
  const prog::RegId r = find_reg(name.text);
  if (r != k_none) {
    if (t_.registers[r].width < 32)
      c.fail(name, fmt::format("{} holds no address", litmus::quoted(name.text)), "addresses live in .b64 registers");
    i.spelling = {std::string(name.text)};
    i.addr.index = term::resize(term::variable(r, t_.registers[r].width), 64, false);
  } else {
    i.addr.symbol = b_.location(name.text, c.span(name), false);
    reaches(i.addr.symbol, c.span(name));
  }
  if (c.at("+") || c.at("-"))
    unsupported(c.span(c.peek()), "offsets in addresses are not supported", "declare one location per address");
  c.expect("]", "close the address");
}

prog::LabelId ThreadCode::label(std::string_view name, const Span& use) {
  for (prog::LabelId l = 0; l < t_.labels.size(); ++l)
    if (t_.labels[l].name == name) return l;
  t_.labels.push_back({std::string(name), 0});
  label_use_.push_back(use);
  label_placed_.push_back(false);
  return static_cast<prog::LabelId>(t_.labels.size() - 1);
}

// ---- modifiers ---------------------------------------------------------------------------------------

struct ThreadCode::Modifiers {
  bool is_volatile = false;
  std::string space;      // global, shared
  std::string cache;      // ca cg cv wb wt
  std::string operation;  // of setp, atom, red; lo of mul
  std::optional<Type> type;
  std::optional<Type> from;  // cvt
};

// `allowed`: words that are operations here, separated by blanks; memory modifiers are known by themselves.
ThreadCode::Modifiers ThreadCode::modifiers(Cursor& c, const Mnemonic& m, std::string_view allowed) {
  Modifiers out;
  std::vector<std::string> known;
  for (size_t at = 0; at < allowed.size();) {
    const size_t end = std::min(allowed.find(' ', at), allowed.size());
    known.emplace_back(allowed.substr(at, end - at));
    at = end + 1;
  }
  const bool memory = m.head().is("ld") || m.head().is("st");
  const bool atomic = m.head().is("atom") || m.head().is("red");
  const auto once = [&](std::string& slot, const Token& t) {
    if (!slot.empty())
      c.fail(t, fmt::format("{} after .{}", litmus::quoted(t.text), slot), "an instruction has one of these");
    slot = std::string(t.text);
  };
  for (size_t k = 1; k < m.parts.size(); ++k) {
    const Token& t = m.parts[k];
    if (std::find(known.begin(), known.end(), t.text) != known.end())
      once(out.operation, t);
    else if ((memory || atomic) && (t.is("global") || t.is("shared")))
      once(out.space, t);
    else if (memory && t.is("volatile") && !out.is_volatile)
      out.is_volatile = true;
    else if (m.head().is("ld") && (t.is("ca") || t.is("cg") || t.is("cv")))
      once(out.cache, t);
    else if (m.head().is("st") && (t.is("wb") || t.is("cg") || t.is("wt")))
      once(out.cache, t);
    else if (const auto type = find_type(t.text); type && !out.type)
      out.type = type;
    else if (type && m.head().is("cvt") && !out.from)
      out.from = type;
    else {
      std::vector<std::string> names = known;
      if (memory || atomic) names.insert(names.end(), {"global", "shared"});
      if (m.head().is("ld")) names.insert(names.end(), {"volatile", "ca", "cg", "cv"});
      if (m.head().is("st")) names.insert(names.end(), {"volatile", "wb", "cg", "wt"});
      for (const char* type_name : {"s32", "u32", "b32", "s64", "u64", "b64"}) names.emplace_back(type_name);
      fail_modifier(c, m, t, names);
    }
  }
  if (out.is_volatile && !out.cache.empty())
    c.fail(m.head(), fmt::format("a volatile access has no cache operator, but .{} stands here", out.cache),
           "write .volatile or the operator");
  return out;
}

// ---- instructions ------------------------------------------------------------------------------------

void ThreadCode::cell(Cursor& c) {
  while (c.peek().kind == Tok::word && c.peek(1).is(":")) {
    const Token name = c.next();
    c.next();
    const prog::LabelId l = label(name.text, c.span(name));
    if (label_placed_[l])
      c.fail(name, fmt::format("the label {} stands twice in T{}", litmus::quoted(name.text), id_),
             "rename one of the two");
    label_placed_[l] = true;
    t_.labels[l].at = static_cast<uint32_t>(t_.code.size());
    Instr i;
    i.kind = Kind::label;
    i.label = l;
    i.span = c.span(name);
    t_.code.push_back(std::move(i));
  }
  if (c.at("|") || c.at(";")) return;
  instruction(c);
}

void ThreadCode::instruction(Cursor& c) {
  Instr i;
  const uint32_t begin = c.position();
  if (c.accept("@")) {
    i.predicate_negated = c.accept("!");
    const Token t = c.peek();
    i.predicate = parse_reg(c, "a predicate register after '@'");
    if (t_.registers[i.predicate].width != 1)
      c.fail(
          t,
          fmt::format("{} is a .{} register, not a predicate", litmus::quoted(t.text), t_.registers[i.predicate].type),
          fmt::format("declare it: {}:.reg .pred {};", id_, t.text));
  }
  const Mnemonic m = parse_mnemonic(c);
  i.mnemonic = m.text();
  const Token& head = m.head();
  if (head.is("ld") || head.is("st"))
    memory(c, m, i);
  else if (head.is("atom") || head.is("red"))
    atomic(c, m, i);
  else if (head.is("membar"))
    membar(c, m, i);
  else if (head.is("setp"))
    set_predicate(c, m, i);
  else if (head.is("mov") || head.is("not") || head.is("neg") || head.is("cvt"))
    move_or_convert(c, m, i);
  else if (head.is("bra")) {
    for (size_t k = 1; k < m.parts.size(); ++k)
      if (!m.parts[k].is("uni")) fail_modifier(c, m, m.parts[k], {"uni"});
    const Token name = c.expect_word("a label", "write bra L1");
    i.kind = Kind::jump;
    i.label = label(name.text, c.span(name));
  } else if (operation(head.text, true)) {
    arithmetic(c, m, i);
  } else {
    c.fail(head, fmt::format("unknown instruction {}", litmus::quoted(head.text)),
           head.is("fence") || head.is("bar")
               ? "this is a later PTX; fences are membar.cta, membar.gl and membar.sys here, or write a PTX test"
               : suggest(head.text, k_mnemonics,
                         "instructions are ld, st, membar, atom, red, setp, mov, cvt, bra and arithmetic"));
  }
  i.span = c.since(begin);
  t_.code.push_back(std::move(i));
}

void ThreadCode::memory(Cursor& c, const Mnemonic& m, Instr& i) {
  const bool is_load = m.head().is("ld");
  const Modifiers mod = modifiers(c, m, "");
  i.kind = is_load ? Kind::load : Kind::store;
  i.tags = {Tag::GEN};
  if (mod.is_volatile)
    i.tags |= {Tag::RLX, Tag::SYS, Tag::VOLATILE};
  else
    i.tags.add(Tag::WEAK).add(mod.cache == "cg"   ? Tag::CG
                              : mod.cache == "cv" ? Tag::CV
                              : mod.cache == "wt" ? Tag::WT
                              : is_load           ? Tag::CA
                                                  : Tag::WB);
  if (mod.space == "shared") i.tags.add(Tag::SHARED);
  if (is_load) {
    const Token t = c.peek();
    i.dst = parse_reg(c, "the register to load");
    const Type type = type_or(mod.type, i.dst);
    check_width(c, t, i.dst, type);
    if (type.width == 1) c.fail(t, "a predicate cannot be loaded", "load a .s32 register and use setp");
    parse_comma(c, m);
    address(c, i);
    return;
  }
  address(c, i);
  parse_comma(c, m);
  // Without a type the width is that of the stored register.
  const prog::RegId r = c.peek().kind == Tok::word ? find_reg(c.peek().text) : k_none;
  const Type type = type_or(mod.type, r);
  if (type.width == 1) c.fail(c.peek(), "a predicate cannot be stored", "store a .s32 register");
  i.value = operand(c, type).e;
  i.args = {i.value};
}

void ThreadCode::atomic(Cursor& c, const Mnemonic& m, Instr& i) {
  const bool is_atom = m.head().is("atom");
  const Modifiers mod =
      modifiers(c, m, is_atom ? "cas exch add inc dec and or xor min max" : "add inc dec and or xor min max");
  if (mod.operation.empty())
    c.fail(m.head(), fmt::format("{} needs its operation", litmus::quoted(m.head().text)),
           is_atom ? "one of .cas .exch .add .inc .dec .and .or .xor .min .max"
                   : "one of .add .inc .dec .and .or .xor .min .max");
  i.kind = Kind::rmw;
  i.tags = {Tag::GEN, Tag::RLX, Tag::GPU};
  if (mod.space == "shared") i.tags.add(Tag::SHARED);
  i.store_tags = i.tags;
  if (is_atom) {
    const Token t = c.peek();
    i.dst = parse_reg(c, "the register for the old value");
    check_width(c, t, i.dst, type_or(mod.type, i.dst));
    parse_comma(c, m);
  }
  address(c, i);
  parse_comma(c, m);
  prog::RegId r = i.dst;
  if (r == k_none && c.peek().kind == Tok::word) r = find_reg(c.peek().text);
  const Type type = type_or(mod.type, r);
  if (type.width < 32)
    c.fail(m.head(), fmt::format("{} has no .{} form", litmus::quoted(m.head().text), type.name),
           "use .s32, .u32, .b32, .u64 or .b64");
  const term::Expr first = operand(c, type).e;
  i.args = {first};
  const term::Expr old = term::variable(prog::k_old_value, type.width);
  const term::Expr zero = term::constant(0, type.width);
  const term::Expr one = term::constant(1, type.width);
  if (mod.operation == "cas") {
    parse_comma(c, m);
    const term::Expr desired = operand(c, type).e;
    i.args.push_back(desired);
    i.value = term::ite(term::binary(Op::eq, old, first), desired, old);
  } else if (mod.operation == "exch") {
    i.value = first;
  } else if (mod.operation == "inc") {
    i.value = term::ite(term::binary(Op::uge, old, first), zero, term::binary(Op::add, old, one));
  } else if (mod.operation == "dec") {
    const term::Expr wraps = term::binary(Op::or_, term::binary(Op::eq, old, zero), term::binary(Op::ugt, old, first));
    i.value = term::ite(wraps, first, term::binary(Op::sub, old, one));
  } else {
    i.value = term::binary(*operation(mod.operation, type.is_signed), old, first);
  }
}

void ThreadCode::membar(Cursor& c, const Mnemonic& m, Instr& i) {
  i.kind = Kind::fence;
  i.tags = {Tag::F, Tag::SC, Tag::GEN};
  if (m.parts.size() < 2) c.fail(m.head(), "'membar' needs a level here", "add .cta, .gl or .sys");
  if (m.parts.size() > 2) fail_modifier(c, m, m.parts[2], {});
  const Token& level = m.parts[1];
  if (level.is("cta"))
    i.tags.add(Tag::CTA);
  else if (level.is("gl"))
    i.tags.add(Tag::GPU);
  else if (level.is("sys"))
    i.tags.add(Tag::SYS);
  else
    fail_modifier(c, m, level, {"cta", "gl", "sys"});
}

void ThreadCode::set_predicate(Cursor& c, const Mnemonic& m, Instr& i) {
  const Modifiers mod = modifiers(c, m, "eq ne lt le gt ge lo ls hi hs");
  if (mod.operation.empty()) c.fail(m.head(), "'setp' needs a comparison", "add .eq, .ne, .lt, .le, .gt or .ge");
  i.kind = Kind::local;
  const Token t = c.peek();
  i.dst = parse_reg(c, "the predicate to set");
  if (t_.registers[i.dst].width != 1)
    c.fail(t, fmt::format("{} is a .{} register, not a predicate", litmus::quoted(t.text), t_.registers[i.dst].type),
           fmt::format("declare it: {}:.reg .pred {};", id_, t.text));
  parse_comma(c, m);
  prog::RegId r = c.peek().kind == Tok::word ? find_reg(c.peek().text) : k_none;
  const Type type = type_or(mod.type, r);
  const term::Expr a = operand(c, type).e;
  parse_comma(c, m);
  const term::Expr b = operand(c, type).e;
  i.args = {a, b};
  i.value = term::binary(*comparison(mod.operation, type.is_signed), a, b);
}

void ThreadCode::move_or_convert(Cursor& c, const Mnemonic& m, Instr& i) {
  const Modifiers mod = modifiers(c, m, "");
  i.kind = Kind::local;
  const Token t = c.peek();
  i.dst = parse_reg(c, "the destination register");
  const Type type = type_or(mod.type, i.dst);
  check_width(c, t, i.dst, type);
  parse_comma(c, m);
  if (m.head().is("cvt")) {
    if (!mod.from) c.fail(m.head(), "'cvt' needs two types", "write cvt.u64.u32 r1, r0");
    if (mod.from->width == 1 || type.width == 1) c.fail(m.head(), "predicates are not converted", "use setp");
    const term::Expr a = operand(c, *mod.from).e;
    i.args = {a};
    i.value = term::resize(a, type.width, mod.from->is_signed);
    return;
  }
  const Operand a = operand(c, type, m.head().is("mov"));
  i.args = {a.e};
  if (!a.symbol.empty()) i.spelling = {a.symbol};
  i.value = m.head().is("not") ? term::unary(Op::not_, a.e) : m.head().is("neg") ? term::unary(Op::neg, a.e) : a.e;
}

void ThreadCode::arithmetic(Cursor& c, const Mnemonic& m, Instr& i) {
  const Modifiers mod = modifiers(c, m, m.head().is("mul") ? "lo" : "");
  i.kind = Kind::local;
  const Token t = c.peek();
  i.dst = parse_reg(c, "the destination register");
  const Type type = type_or(mod.type, i.dst);
  check_width(c, t, i.dst, type);
  const bool logical = m.head().is("and") || m.head().is("or") || m.head().is("xor");
  if (type.width == 1 && !logical)
    c.fail(t, fmt::format("{} has no .pred form", litmus::quoted(m.head().text)),
           "predicates have and, or, xor and not");
  parse_comma(c, m);
  const term::Expr a = operand(c, type).e;
  parse_comma(c, m);
  const bool shift = m.head().is("shl") || m.head().is("shr");
  // The distance of a shift is an unsigned 32-bit number, clamped by the width (PTX ISA 9.7.7.7).
  Type second = type;
  if (shift) second = *find_type("u32");
  const term::Expr b = operand(c, second).e;
  i.args = {a, b};
  term::Expr right = b;
  if (shift && type.width < 32)
    unsupported(c.span(m.head()), "shifts of less than 32 bits are not supported", "use .b32");
  if (shift) right = term::resize(b, type.width, false);
  i.value = term::binary(*operation(m.head().text, type.is_signed), a, right);
}

// ---- the whole thread --------------------------------------------------------------------------------

prog::Template ThreadCode::finish() {
  for (prog::LabelId l = 0; l < t_.labels.size(); ++l)
    if (!label_placed_[l]) {
      std::vector<std::string> names;
      for (prog::LabelId k = 0; k < t_.labels.size(); ++k)
        if (label_placed_[k]) names.push_back(t_.labels[k].name);
      fail_at(label_use_[l], fmt::format("T{} has no label {}", id_, litmus::quoted(t_.labels[l].name)),
              suggest(t_.labels[l].name, names, fmt::format("put '{}:' before an instruction", t_.labels[l].name)));
    }
  std::vector<bool> written(t_.registers.size(), false);
  for (const Instr& i : t_.code)
    if (i.dst != k_none) written[i.dst] = true;
  for (Instr& i : t_.code) {
    if (i.kind != Kind::load && i.kind != Kind::store && i.kind != Kind::rmw) continue;
    if (i.addr.symbol == k_none) {
      const prog::RegId r = find_reg(i.spelling.front());
      const auto start = std::find_if(init.begin(), init.end(),
                                      [&](const prog::InitValue& v) { return v.reg == r && v.address != k_none; });
      if (!written[r]) {
        if (start == init.end())
          fail_at(i.span, fmt::format("{} holds no address", litmus::quoted(i.spelling.front())),
                  fmt::format("give it one in the initial state: {}:.reg .b64 {} = x;", id_, i.spelling.front()));
        i.addr = {start->address, {}};
      }
    }
    // Where the location is known, its region is: accesses to shared memory carry the tag however they are spelt.
    if (i.addr.symbol == k_none) continue;
    const prog::Object& o = b_.test.objects[b_.test.symbols[i.addr.symbol].object];
    const bool shared = o.tags.has(Tag::SHARED);
    if (i.tags.has(Tag::SHARED) && !shared)
      fail_at(i.span, fmt::format("{} is in global memory", litmus::quoted(o.name)),
              fmt::format("write '{}: shared' in the memory map, or remove .shared", o.name));
    if (i.mnemonic.find(".global") != std::string::npos && shared)
      fail_at(i.span, fmt::format("{} is in shared memory", litmus::quoted(o.name)),
              fmt::format("write '{}: global' in the memory map, or remove .global", o.name));
    if (shared) {
      i.tags.add(Tag::SHARED);
      if (i.kind == Kind::rmw) i.store_tags.add(Tag::SHARED);
    }
  }
  return std::move(t_);
}

}  // namespace fencepost::litmus::gpu_ptx
