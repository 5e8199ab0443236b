#include "litmus/asm_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "prog/operations.h"

namespace fencepost::litmus {

using prog::Instr;
using prog::Kind;

std::string Mnemonic::text(size_t count) const {
  std::string out;
  for (size_t i = 0; i < std::min(count, parts.size()); ++i) {
    if (i > 0) out += '.';
    out += parts[i].text;
  }
  return out;
}

Mnemonic parse_mnemonic(Cursor& c) {
  Mnemonic m;
  m.parts.reserve(8);
  m.parts.push_back(
      c.expect_word("an instruction", "an instruction starts with its mnemonic, as in ld.relaxed.gpu r0, x"));
  while (c.accept(".")) {
    const bool dimension = c.peek().kind == Tok::number && c.peek().text.ends_with('d');  // ".1d"
    Token part = dimension ? c.next() : c.expect_word("a modifier after '.'", "remove the dot or name a modifier");
    // "shared::cta" and "mbarrier::complete_tx::bytes" are one modifier each; a label's colon is single.
    while (c.at(":") && c.peek(1).is(":") && c.peek().begin == part.end && c.peek(1).begin == c.peek().end &&
           c.peek(2).begin == c.peek(1).end) {
      c.next();
      c.next();
      const Token more = c.next();
      part.text = std::string_view(c.source()->text).substr(part.begin, more.end - part.begin);
      part.end = more.end;
    }
    m.parts.push_back(part);
  }
  m.end = c.last_end();
  return m;
}

void fail_modifier(const Cursor& c, const Mnemonic& m, const Token& word, const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& k : known) all += (all.empty() ? "." : ", .") + k;
  c.fail(word, fmt::format("{} is not a modifier of {}", litmus::quoted(word.text), litmus::quoted(m.head().text)),
         suggest(word.text, known, "known here: " + all));
}

// ---- threads -------------------------------------------------------------------------------------------

bool ThreadBuilder::has_reg(std::string_view name) const {
  return std::any_of(templ_.registers.begin(), templ_.registers.end(), [&](const auto& r) { return r.name == name; });
}

prog::RegId ThreadBuilder::reg(std::string_view name) {
  auto& regs = templ_.registers;
  for (prog::RegId i = 0; i < regs.size(); ++i)
    if (regs[i].name == name) return i;
  regs.push_back(prog::Register{std::string(name), 64, {}, false});
  return static_cast<prog::RegId>(regs.size() - 1);
}

prog::RegId ThreadBuilder::temporary() {
  auto& regs = templ_.registers;
  regs.push_back(prog::Register{fmt::format("${}", regs.size()), 64, {}, true});
  return static_cast<prog::RegId>(regs.size() - 1);
}

void ThreadBuilder::replace(uint32_t at, std::vector<prog::Instr> by) {
  const auto count = static_cast<uint32_t>(by.size());
  auto& code = templ_.code;
  code.erase(code.begin() + at);
  code.insert(code.begin() + at, std::make_move_iterator(by.begin()), std::make_move_iterator(by.end()));
  for (prog::Label& l : templ_.labels)
    if (l.at > at) l.at += count - 1;
}

prog::LabelId ThreadBuilder::label_id(std::string_view name) {
  for (prog::LabelId i = 0; i < templ_.labels.size(); ++i)
    if (templ_.labels[i].name == name) return i;
  templ_.labels.push_back(prog::Label{std::string(name), 0});
  label_use_.emplace_back();
  label_defined_.push_back(false);
  return static_cast<prog::LabelId>(templ_.labels.size() - 1);
}

prog::LabelId ThreadBuilder::label(std::string_view name, const Span& use) {
  const prog::LabelId id = label_id(name);
  if (label_use_[id].source == nullptr) label_use_[id] = use;
  return id;
}

void ThreadBuilder::define_label(std::string_view name, const Span& at) {
  const prog::LabelId id = label_id(name);
  if (label_defined_[id])
    fail_at(at, fmt::format("the label {} is defined twice in this thread", litmus::quoted(name)),
            "rename one of the two");
  label_defined_[id] = true;
  templ_.labels[id].at = static_cast<uint32_t>(templ_.code.size());
  Instr i;
  i.kind = Kind::label;
  i.label = id;
  i.span = at;
  emit(std::move(i));
}

prog::Template ThreadBuilder::finish() {
  for (prog::LabelId i = 0; i < templ_.labels.size(); ++i) {
    if (label_defined_[i]) continue;
    std::vector<std::string> known;
    for (prog::LabelId k = 0; k < templ_.labels.size(); ++k)
      if (label_defined_[k]) known.push_back(templ_.labels[k].name);
    fail_at(label_use_[i], fmt::format("this thread has no label {}", litmus::quoted(templ_.labels[i].name)),
            suggest(templ_.labels[i].name, known,
                    fmt::format("put '{}:' where the jump should go", templ_.labels[i].name)));
  }
  return std::exchange(templ_, {});
}

// ---- test ----------------------------------------------------------------------------------------------

AsmBuilder::AsmBuilder(prog::Syntax syntax, prog::Dialect dialect) {
  test.syntax = syntax;
  test.dialect = dialect;
}

prog::SymbolId AsmBuilder::make(std::string_view name, const Span& span) {
  const auto id = static_cast<prog::SymbolId>(test.symbols.size());
  prog::Object o;
  o.name = std::string(name);
  o.span = span;
  prog::Symbol s;
  s.name = o.name;
  s.object = static_cast<prog::ObjectId>(test.objects.size());
  s.generic = id;
  s.span = span;
  test.objects.push_back(std::move(o));
  test.symbols.push_back(std::move(s));
  by_name_.emplace(name, id);
  return id;
}

prog::SymbolId AsmBuilder::symbol(std::string_view name, const Span& span) {
  const auto found = by_name_.find(name);
  return found != by_name_.end() ? found->second : make(name, span);
}

prog::SymbolId AsmBuilder::declare(std::string_view name, const Span& span) {
  if (has_symbol(name) || is_multimem(name))
    fail_at(span, fmt::format("the location {} is declared twice", litmus::quoted(name)), "remove one of the two");
  return make(name, span);
}

prog::SymbolId AsmBuilder::require(std::string_view name, const Span& span) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& s : test.symbols) names.push_back(s.name);
  fail_at(span, fmt::format("there is no location {} yet", litmus::quoted(name)),
          suggest(name, names, fmt::format("declare it before this point, as in '{} = 0'", name)));
}

prog::SymbolId AsmBuilder::alias(std::string_view name, prog::SymbolId target, std::string proxy, const Span& span) {
  if (has_symbol(name) || is_multimem(name))
    fail_at(span, fmt::format("the location {} is declared twice", litmus::quoted(name)), "remove one of the two");
  const auto id = static_cast<prog::SymbolId>(test.symbols.size());
  prog::Symbol s;
  s.name = std::string(name);
  s.object = test.symbols[target].object;
  // Through its own proxy a name shares the virtual address of what it aliases; a second generic name has its own.
  s.generic = proxy.empty() || proxy == "generic" ? id : test.symbols[target].generic;
  s.aliased = target;
  s.proxy = std::move(proxy);
  s.span = span;
  test.symbols.push_back(std::move(s));
  by_name_.emplace(name, id);
  return id;
}

void AsmBuilder::bind_multimem(std::string_view name, const std::vector<prog::SymbolId>& targets, const Span& span) {
  if (has_symbol(name) || is_multimem(name))
    fail_at(span, fmt::format("the location {} is declared twice", litmus::quoted(name)), "remove one of the two");
  std::vector<prog::SymbolId>& out = multimems_[name];
  for (const prog::SymbolId target : targets) {
    const auto id = static_cast<prog::SymbolId>(test.symbols.size());
    prog::Symbol s;
    s.name = fmt::format("{}({})", name, test.symbols[target].name);
    s.object = test.symbols[target].object;
    s.generic = id;
    s.aliased = target;
    s.proxy = "multimem";
    s.span = span;
    test.symbols.push_back(std::move(s));
    out.push_back(id);
  }
}

const std::vector<prog::SymbolId>* AsmBuilder::multimem(prog::SymbolId first) const {
  for (const auto& [name, all] : multimems_)
    if (all.front() == first) return &all;
  return nullptr;
}

size_t AsmBuilder::most_of_a_multimem() const {
  size_t out = 1;
  for (const auto& [name, all] : multimems_) out = std::max(out, all.size());
  return out;
}

std::string AsmBuilder::multimem_name(prog::SymbolId first) const {
  const std::string& name = test.symbols[first].name;
  return name.substr(0, name.find('('));
}

void AsmBuilder::finish_threads(std::vector<prog::ScopePath> scopes) {
  test.threads.reserve(threads.size());
  for (uint32_t i = 0; i < threads.size(); ++i) {
    prog::Thread t;
    t.id = i;
    prog::Template code = threads[i].finish();
    prog::number_operations(code);
    t.templ = prog::intern_template(test, std::move(code));
    t.scope = std::move(scopes[i]);
    t.host = threads[i].host;
    test.threads.push_back(std::move(t));
  }
}

// ---- operands ------------------------------------------------------------------------------------------

bool at_register(Cursor& c) { return c.peek().kind == Tok::word && is_register_name(c.peek().text); }

bool at_value(Cursor& c) { return at_register(c) || at_constant(c); }

prog::RegId parse_register(Cursor& c, ThreadBuilder& t) {
  if (!at_register(c)) c.fail_expected(c.peek(), "a register", "registers are written r0, r1, ...");
  return t.reg(c.next().text);
}

prog::SymbolId parse_location(Cursor& c, AsmBuilder& b) {
  if (at_register(c))
    c.fail(c.peek(), fmt::format("expected a location, found the register {}", litmus::quoted(c.peek().text)),
           "this dialect has no access through registers; name the location");
  const Token t = c.expect_word("a location", "name the memory location, as in ld.weak r0, x");
  if (b.is_multimem(t.text))  // PTX ISA 9.4, 8.2.3: "Only multimem.* operations are valid on multimem addresses"
    c.fail(t, fmt::format("{} is a multimem address, which other operations may not access", litmus::quoted(t.text)),
           "use multimem.ld_reduce, multimem.st or multimem.red, or name one of its locations");
  return b.symbol(t.text, c.span(t));
}

term::Expr parse_value(Cursor& c, ThreadBuilder& t) {
  if (at_register(c)) return t.value_of(t.reg(c.next().text));
  if (!at_constant(c)) c.fail_expected(c.peek(), "a constant or a register", "operands are registers (r0) or numbers");
  return term::constant(parse_constant(c), 64);
}

void parse_comma(Cursor& c, const Mnemonic& m) {
  if (c.accept(",")) return;
  c.fail_expected(c.peek(), "','", fmt::format("{} takes another operand", litmus::quoted(m.head().text)));
}

// ---- common instructions -------------------------------------------------------------------------------

namespace {
struct NamedOp {
  std::string_view name;
  term::Op op;
};
constexpr NamedOp k_arithmetic[] = {{"add", term::Op::add},  {"sub", term::Op::sub},  {"mul", term::Op::mul},
                                    {"div", term::Op::sdiv}, {"and", term::Op::and_}, {"or", term::Op::or_},
                                    {"xor", term::Op::xor_}};
constexpr NamedOp k_branches[] = {{"beq", term::Op::eq},  {"bne", term::Op::ne},  {"blt", term::Op::slt},
                                  {"ble", term::Op::sle}, {"bgt", term::Op::sgt}, {"bge", term::Op::sge}};

void no_modifiers(const Cursor& c, const Mnemonic& m) {
  if (m.parts.size() > 1)
    c.fail(m.parts[1], fmt::format("{} takes no modifier", litmus::quoted(m.head().text)),
           fmt::format("remove '.{}'", m.parts[1].text));
}

prog::LabelId parse_target(Cursor& c, ThreadBuilder& t) {
  const Token target = c.expect_word("a label", "name the label to jump to, as in goto LC00");
  return t.label(target.text, c.span(target));
}
}  // namespace

const term::Op* find_arithmetic(std::string_view word) {
  for (const NamedOp& n : k_arithmetic)
    if (n.name == word) return &n.op;
  return nullptr;
}

const std::vector<std::string>& common_mnemonics() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out = {"goto"};
    for (const NamedOp& n : k_arithmetic) out.emplace_back(n.name);
    for (const NamedOp& n : k_branches) out.emplace_back(n.name);
    return out;
  }();
  return names;
}

bool parse_label(Cursor& c, ThreadBuilder& t) {
  if (c.peek().kind != Tok::word || !c.peek(1).is(":")) return false;
  const Token name = c.next();
  c.next();
  t.define_label(name.text, c.span(name));
  return true;
}

bool parse_common(Cursor& c, ThreadBuilder& t, const Mnemonic& m) {
  const std::string_view head = m.head().text;
  Instr i;
  i.mnemonic = std::string(head);
  if (const term::Op* op = find_arithmetic(head)) {
    no_modifiers(c, m);
    i.kind = Kind::local;
    i.dst = parse_register(c, t);
    parse_comma(c, m);
    i.args.push_back(parse_value(c, t));
    parse_comma(c, m);
    i.args.push_back(parse_value(c, t));
    i.value = term::binary(*op, i.args[0], i.args[1]);
  } else if (head == "goto") {
    no_modifiers(c, m);
    i.kind = Kind::jump;
    i.label = parse_target(c, t);
  } else {
    const auto* branch =
        std::find_if(std::begin(k_branches), std::end(k_branches), [&](const NamedOp& n) { return n.name == head; });
    if (branch == std::end(k_branches)) return false;
    no_modifiers(c, m);
    i.kind = Kind::branch;
    i.args.push_back(parse_value(c, t));
    parse_comma(c, m);
    i.args.push_back(parse_value(c, t));
    parse_comma(c, m);
    i.label = parse_target(c, t);
    i.value = term::binary(branch->op, i.args[0], i.args[1]);
  }
  i.span = c.since(m.head().begin);
  t.emit(std::move(i));
  return true;
}

}  // namespace fencepost::litmus
