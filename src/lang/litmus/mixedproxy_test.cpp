// The `.test` notation of NVlabs/mixedproxy: PTX accesses through proxies and aliases, and, after "$$", a table
// whose rows replace $0, $1, ... in the text above. One Test per row and per command:
//   permit (C) as name; check (C) as name;   exists C            expected to hold
//   assert (C) as name;                      forall C            expected to hold
// "ld r0, [x] == 1" keeps only executions in which the load gives 1: a conjunct of the filter, so that an assert
// says nothing about the others. No order means weak, .volatile is relaxed.sys, atom without an order is
// relaxed.gpu. "physically aliases" makes a second generic name, "virtually aliases" a name for another proxy.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "litmus/asm_ptx.h"
#include "litmus/condition.h"
#include "litmus/parse.h"
#include "litmus/test_title.h"
#include "prog/syntax.h"

namespace fencepost::litmus {
namespace {

using prog::Instr;
using prog::Kind;

constexpr LexOptions k_lex = {.litmus_comments = false, .c_comments = true, .c_operators = true};

std::string collapse(std::string_view s) {
  std::string out;
  for (const char c : s) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// ---- the table ---------------------------------------------------------------------------------------

struct Row {
  std::vector<std::string_view> cells;
  uint32_t begin = 0, end = 0;
};

struct Table {
  std::string_view text;  // above "$$"
  std::vector<Row> rows;
  bool present = false;
};

Table split(const SourcePtr& source) {
  const std::string_view all = source->text;
  Table t;
  t.text = all;
  const auto trim = [](std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t' || s.front() == '\r')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
    return s;
  };
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find('\n', begin), all.size());
    const std::string_view line = trim(all.substr(begin, end - begin));
    if (!t.present) {
      if (line == "$$") {
        t.present = true;
        t.text = all.substr(0, begin);
      }
    } else if (!line.empty() && line.front() != '#' && !line.starts_with("//")) {
      Row row{{}, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
      for (std::string_view rest = line;;) {
        const size_t bar = rest.find('|');
        row.cells.push_back(trim(rest.substr(0, bar)));
        if (bar == std::string_view::npos) break;
        rest.remove_prefix(bar + 1);
      }
      if (!t.rows.empty() && row.cells.size() != t.rows.front().cells.size())
        fail_at(Span{source, row.begin, row.end},
                fmt::format("this row has {} cell{}, the first row {}", row.cells.size(),
                            row.cells.size() == 1 ? "" : "s", t.rows.front().cells.size()),
                "separate the cells with '|'; a cell may be empty");
      t.rows.push_back(std::move(row));
    }
    begin = end + 1;
  }
  if (t.present && t.rows.empty())
    fail_at(Span{source, static_cast<uint32_t>(t.text.size()), static_cast<uint32_t>(all.size())},
            "the table after $$ has no rows", "add rows of cells separated by '|', or remove the $$ line");
  return t;
}

// Replaces $k by cell k. Cells hold no line feed, so lines keep their numbers.
SourcePtr expand(const SourcePtr& source, const Table& t, const Row& row, size_t number) {
  std::string out;
  for (size_t i = 0; i < t.text.size();) {
    if (t.text[i] != '$') {
      out += t.text[i++];
      continue;
    }
    size_t end = i + 1;
    uint64_t k = 0;
    while (end < t.text.size() && end - i < 6 && t.text[end] >= '0' && t.text[end] <= '9')
      k = k * 10 + static_cast<uint64_t>(t.text[end++] - '0');
    if (end == i + 1 || k >= row.cells.size())
      fail_at(Span{source, static_cast<uint32_t>(i), static_cast<uint32_t>(end)},
              fmt::format("the table has no column {}", litmus::quoted(t.text.substr(i, end - i))),
              fmt::format("its columns are $0 to ${}", row.cells.size() - 1));
    out += row.cells[k];
    i = end;
  }
  return make_source(fmt::format("{}(row {})", source->name, number), std::move(out));
}

// ---- one instance --------------------------------------------------------------------------------------

class Reader {
 public:
  Reader(const SourcePtr& source, std::string title)
      : c_(source, k_lex), b_(prog::Syntax::mixedproxy_test, prog::Dialect::ptx) {
    b_.test.title = std::move(title);
    for (std::string_view rest = source->text; !rest.empty();) {
      const size_t eol = std::min(rest.find('\n'), rest.size());
      take_title(rest.substr(0, eol), b_.test.title);
      rest.remove_prefix(std::min(eol + 1, rest.size()));
    }
  }

  void parse(std::vector<prog::Test>& out) {
    while (c_.accept(".")) declaration();
    while (at_thread()) thread();
    if (b_.threads.empty())
      c_.fail_expected(
          c_.peek(), "a thread",
          c_.at("$") ? "a $ parameter needs a table after a line $$" : "threads are written d0.b0.t0 { ... }");
    b_.finish_threads(std::move(scopes_));
    if (!filter_.empty()) b_.test.filter = join_conditions(prog::Cond::Kind::and_, std::move(filter_));
    b_.test.span = Span{c_.source(), 0, static_cast<uint32_t>(c_.source()->text.size())};
    const size_t first = out.size();
    std::vector<std::string> names;
    while (!c_.at_end()) command(out, names);
    if (out.size() == first)
      c_.fail(c_.peek(), "the test asks nothing", "add permit (r0 == 1) as name; or assert (...) as name;");
    if (out.size() - first > 1)  // several commands: each test is named after its own
      for (size_t i = first; i < out.size(); ++i) out[i].title += "-" + names[i - first];
  }

 private:
  // ---- declarations ----
  void declaration() {
    const Token kind = c_.expect_word("a memory space", ".global, .shared, .texref or .surfref");
    static const std::vector<std::string> known = {"global", "shared", "texref", "surfref"};
    if (std::find(known.begin(), known.end(), kind.text) == known.end())
      c_.fail(kind, fmt::format("there is no declaration .{}", kind.text),
              suggest(kind.text, known, "write .global, .shared, .texref or .surfref"));
    const bool memory = kind.is("global") || kind.is("shared");
    const Token name = c_.expect_word("a name");
    if (memory && c_.at(";")) {
      prog::Object& o = b_.test.objects[b_.test.symbols[b_.declare(name.text, c_.span(name))].object];
      o.declared = std::string(kind.text);
      if (kind.is("shared")) o.tags.add(prog::Tag::SHARED);
    } else {
      const char* how = memory ? "physically" : "virtually";
      c_.expect(how, fmt::format("write .{} {} {} aliases x;", kind.text, name.text, how));
      c_.expect("aliases");
      const Token target = c_.expect_word("the location that it aliases");
      const prog::SymbolId t = b_.require(target.text, c_.span(target));
      const prog::Object& o = b_.test.objects[b_.test.symbols[t].object];
      if (memory && o.declared != kind.text)
        c_.fail(kind, fmt::format("{} lies in .{}", litmus::quoted(target.text), o.declared),
                "an alias lies in the same memory");
      b_.alias(name.text, t, memory ? "generic" : kind.is("texref") ? "texture" : "surface", c_.span(name));
    }
    c_.expect(";");
  }

  // ---- threads ----
  bool at_thread() { return c_.peek().kind == Tok::word && is_number_after(c_.peek().text, "d"); }

  uint32_t level(const char* prefix) {
    const Token t = c_.peek();
    if (t.kind != Tok::word || !is_number_after(t.text, prefix))
      c_.fail_expected(t, fmt::format("'{}' and a number", prefix), "threads are written d0.b0.t0 { ... }");
    c_.next();
    Token digits = t;
    digits.kind = Tok::number;
    digits.text.remove_prefix(1);
    return static_cast<uint32_t>(number_value(c_, digits, 0xffffffff));
  }

  void thread() {
    const Token at = c_.peek();
    const uint32_t d = level("d");
    c_.expect(".");
    const uint32_t block = level("b");
    c_.expect(".");
    const uint32_t k = level("t");
    for (const Place& p : places_)
      if (p.d == d && p.b == block && p.t == k)
        c_.fail(at, "this thread exists already", "give every thread its own d.b.t");
    places_.push_back({d, block, k});
    scopes_.push_back({0, d, block});
    b_.threads.emplace_back();
    c_.expect("{");
    while (!c_.accept("}")) instruction(b_.threads.back());
  }

  prog::SymbolId address() {
    c_.expect("[", "addresses stand in brackets, as in [x]");
    const Token t = c_.expect_word("a location");
    const prog::SymbolId s = b_.require(t.text, c_.span(t));
    c_.expect("]");
    return s;
  }

  // Registers are named for the whole test, and each is written once: a filter can then speak of its final value.
  prog::RegId destination(ThreadBuilder& t) {
    const Token r = c_.peek();
    if (!at_register(c_)) c_.fail_expected(r, "a register", "registers are written r0, r1, ...");
    for (const Token& w : written_)
      if (w.text == r.text)
        c_.fail(r, fmt::format("register {} is written twice", litmus::quoted(r.text)), "use a register of its own");
    written_.push_back(r);
    return parse_register(c_, t);
  }

  void given(prog::RegId reg) {
    if (!c_.accept("==")) return;
    prog::Cond atom;
    atom.kind = prog::Cond::Kind::atom;
    atom.lhs.kind = prog::CondValue::Kind::reg;
    atom.lhs.thread = static_cast<uint32_t>(b_.threads.size() - 1);
    atom.lhs.reg = reg;
    atom.rhs.constant = parse_constant(c_);
    filter_.push_back(std::move(atom));
  }

  void instruction(ThreadBuilder& t) {
    const Mnemonic m = parse_mnemonic(c_);
    const PtxOp op = parse_ptx_op(c_, m, {.default_orders = true, .operation_first = true});
    Instr i;
    i.mnemonic = op.mnemonic;
    i.tags = op.tags;
    switch (op.kind) {
      case PtxOp::Kind::load:
        i.kind = Kind::load;
        i.dst = destination(t);
        parse_comma(c_, m);
        i.addr.symbol = address();
        given(i.dst);
        break;
      case PtxOp::Kind::store:
        i.kind = Kind::store;
        i.addr.symbol = address();
        parse_comma(c_, m);
        i.value = parse_value(c_, t);
        i.args = {i.value};
        break;
      case PtxOp::Kind::atom:
      case PtxOp::Kind::red: {
        prog::RegId dst = prog::k_none;
        if (op.kind == PtxOp::Kind::atom) {
          dst = destination(t);
          parse_comma(c_, m);
        }
        const prog::SymbolId location = address();
        std::vector<term::Expr> args;
        do {
          parse_comma(c_, m);
          args.push_back(parse_value(c_, t));
        } while (args.size() < (op.rmw == PtxOp::Rmw::cas ? 2u : 1u));
        i = make_ptx_rmw(op, dst, location, std::move(args));
        if (dst != prog::k_none) given(dst);
        break;
      }
      case PtxOp::Kind::fence:
        i.kind = Kind::fence;
        break;
      default: {
        std::vector<std::string> known = ptx_mnemonics();
        std::erase_if(known, [](const std::string& k) { return k.starts_with("bar"); });
        c_.fail(m.head(), fmt::format("there is no instruction {} in this notation", litmus::quoted(m.head().text)),
                suggest(m.head().text, known, "instructions are ld st atom red fence and their tex/surf forms"));
      }
    }
    i.span = c_.since(m.head().begin);
    t.emit(std::move(i));
    c_.expect(";", "end the instruction with ';'");
  }

  // ---- commands ----
  void command(std::vector<prog::Test>& out, std::vector<std::string>& names) {
    const Token verb = c_.next();
    const bool exists = verb.is("permit") || verb.is("check");
    if (!exists && !verb.is("assert"))
      c_.fail_expected(verb, "permit, check or assert",
                       suggest(verb.text, {"permit", "check", "assert"}, "write permit (r0 == 1) as name;"));
    prog::Test t = b_.test;
    c_.expect("(");
    t.condition = parse_condition(c_, t, resolver());
    c_.expect(")");
    c_.expect("as", "name the command, as in permit (r0 == 1) as outcome;");
    const Token name = c_.expect_word("a name");
    for (const std::string& n : names)
      if (n == name.text)
        c_.fail(name, fmt::format("the name {} is used twice", litmus::quoted(name.text)),
                "give every command its own name");
    names.emplace_back(name.text);
    t.quantifier = exists ? prog::Quantifier::exists : prog::Quantifier::forall;
    t.expectations = {{collapse(c_.since(verb.begin).text()), "condition", true, ""}};
    c_.expect(";");
    out.push_back(std::move(t));
  }

  Resolver resolver() const {
    Resolver r = resolver_of(b_.test);
    r.bare = [this](std::string_view name, const Span& span) {
      prog::CondValue v;
      v.kind = prog::CondValue::Kind::reg;
      bool found = false;
      std::vector<std::string> names;
      for (uint32_t t = 0; t < b_.test.threads.size(); ++t) {
        const auto& regs = b_.test.code(t).registers;
        for (prog::RegId k = 0; k < regs.size(); ++k) {
          names.push_back(regs[k].name);
          if (regs[k].name != name) continue;
          // A register that another thread only reads is that thread's own and never written.
          const bool writes = std::any_of(b_.test.instrs(t).begin(), b_.test.instrs(t).end(),
                                          [&](const Instr& i) { return i.dst == k; });
          if (found && !writes) continue;
          found = true;
          v.thread = t;
          v.reg = k;
        }
      }
      if (!found)
        fail_at(span, fmt::format("no thread has the register {}", litmus::quoted(name)),
                suggest(name, names, "conditions compare registers and numbers"));
      return v;
    };
    return r;
  }

  struct Place {
    uint32_t d, b, t;
  };

  Cursor c_;
  AsmBuilder b_;
  std::vector<Place> places_;
  std::vector<prog::ScopePath> scopes_;
  std::vector<Token> written_;
  std::vector<prog::Cond> filter_;
};

}  // namespace

Expected<std::vector<prog::Test>> parse_mixedproxy_test(SourcePtr source) {
  return guarded([&] {
    std::vector<prog::Test> out;
    const Table table = split(source);
    const std::string stem = stem_of(source->name);
    if (!table.present) {
      Reader(source, stem).parse(out);
      return out;
    }
    for (size_t i = 0; i < table.rows.size(); ++i)
      Reader(expand(source, table, table.rows[i], i + 1), fmt::format("{}-{}", stem, i + 1)).parse(out);
    return out;
  });
}

}  // namespace fencepost::litmus
