// The grammar of PTX modules (PTX ISA, chapters 4 "Syntax", 5 "State Spaces, Types, and Variables", 11 "Directives").
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "litmus/lexer.h"
#include "ptxmod/syntax.h"

namespace fencepost::ptxmod {
namespace {

enum class Tok : uint8_t { end, word, number, real, string, punct };

struct Token {
  Tok kind = Tok::end;
  std::string_view text;
  uint32_t begin = 0, end = 0;
  bool is(std::string_view s) const { return kind != Tok::string && text == s; }
};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

// Words hold the dots of what is written in one piece, "ld.acquire.gpu.u32", "%tid.x", ".visible".
class Lexer {
 public:
  explicit Lexer(SourcePtr source) : source_(std::move(source)), text_(source_->text) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    now_ = lex();
  }
  Lexer(SourcePtr source, std::string_view text, uint32_t begin) : source_(std::move(source)), text_(text), at_(begin) {
    now_ = lex();
  }
  const Token& peek() const { return now_; }
  Token next() {
    Token t = now_;
    last_ = t.end;
    now_ = lex();
    return t;
  }
  bool at(std::string_view s) const { return now_.is(s); }
  bool accept(std::string_view s) {
    if (!at(s)) return false;
    next();
    return true;
  }
  void expect(std::string_view s, std::string_view hint = {}) {
    if (!accept(s)) fail(fmt::format("expected '{}', found {}", s, found()), std::string(hint));
  }
  std::string found() const { return now_.kind == Tok::end ? "the end of the text" : litmus::quoted(now_.text); }
  [[noreturn]] void fail(std::string message, std::string hint = {}) const {
    litmus::fail_at({source_, now_.begin, now_.end}, std::move(message), std::move(hint));
  }
  Span span(uint32_t begin) const { return {source_, begin, std::max(begin, last_)}; }
  Span span(const Token& t) const { return {source_, t.begin, t.end}; }

 private:
  void blanks() {
    for (;;) {
      while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) <= ' ' && text_[at_] != '\0') ++at_;
      if (text_.compare(at_, 2, "//") == 0) {
        at_ = static_cast<uint32_t>(std::min(text_.find('\n', at_), text_.size()));
      } else if (text_.compare(at_, 2, "/*") == 0) {
        const size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos)
          litmus::fail_at({source_, at_, at_ + 2}, "this comment does not end", "close it by */");
        at_ = static_cast<uint32_t>(close + 2);
      } else {
        return;
      }
    }
  }
  Token token(Tok kind, uint32_t begin) const { return {kind, text_.substr(begin, at_ - begin), begin, at_}; }
  Token lex() {
    blanks();
    const uint32_t begin = at_;
    if (at_ >= text_.size()) return {Tok::end, {}, begin, begin};
    const char c = text_[at_];
    const auto is = [&](uint32_t k, auto&& f) { return k < text_.size() && f(text_[k]); };
    if (c == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
        if (text_[at_] == '\\') ++at_;
      if (at_ >= text_.size()) litmus::fail_at({source_, begin, begin + 1}, "this string does not end");
      ++at_;
      Token t = token(Tok::string, begin);
      t.text = t.text.substr(1, t.text.size() - 2);
      return t;
    }
    if (digit(c)) {
      ++at_;
      bool dot = false;
      while (is(at_, letter) || is(at_, digit) ||
             (!dot && is(at_, [](char x) { return x == '.'; }) && is(at_ + 1, digit)) ||
             ((text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') && dot &&
              is(at_, [](char x) { return x == '-' || x == '+'; }))) {
        dot = dot || text_[at_] == '.';
        ++at_;
      }
      const std::string_view t = text_.substr(begin, at_ - begin);
      const bool bits = t.size() > 2 && t[0] == '0' && (t[1] == 'f' || t[1] == 'F' || t[1] == 'd' || t[1] == 'D');
      return token(dot || bits ? Tok::real : Tok::number, begin);
    }
    if (letter(c) || (c == '.' && is(at_ + 1, letter))) {
      ++at_;
      for (;;) {
        if (is(at_, letter) || is(at_, digit))
          ++at_;
        else if (is(at_, [](char x) { return x == '.'; }) && (is(at_ + 1, letter) || is(at_ + 1, digit)))
          at_ += 2;
        else if (text_.compare(at_, 2, "::") == 0 && (is(at_ + 2, letter) || is(at_ + 2, digit)))
          at_ += 3;
        else
          break;
      }
      return token(Tok::word, begin);
    }
    ++at_;
    return token(Tok::punct, begin);
  }

  SourcePtr source_;
  std::string_view text_;
  uint32_t at_ = 0, last_ = 0;
  Token now_;
};

std::vector<std::string> split(std::string_view word) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= word.size();) {
    const size_t dot = std::min(word.find('.', at), word.size());
    if (dot > at) out.emplace_back(word.substr(at, dot - at));
    at = dot + 1;
  }
  return out;
}

constexpr std::string_view k_spaces[] = {"reg", "local", "shared", "global", "const", "param"};
constexpr std::string_view k_types[] = {"pred", "b8",    "b16",  "b32",    "b64", "b128", "u8",
                                        "u16",  "u32",   "u64",  "s8",     "s16", "s32",  "s64",
                                        "f16",  "f16x2", "bf16", "bf16x2", "f32", "f64",  "tf32"};

template <class Table>
bool contains(const Table& table, std::string_view s) {
  return std::find(std::begin(table), std::end(table), s) != std::end(table);
}

class Parser {
 public:
  explicit Parser(const SourcePtr& source) : l_(source) { m_.span = {source, 0, 0}; }
  Parser(const SourcePtr& source, std::string_view text, uint32_t begin) : l_(source, text, begin) {}

  std::vector<Statement> statements() {
    std::vector<Statement> out;
    while (l_.peek().kind != Tok::end) {
      const Token t = l_.peek();
      Statement s;
      if (t.is(";")) {
        l_.next();
      } else if (t.kind == Tok::word && t.text[0] == '.') {
        s.kind = Statement::Kind::declaration;
        s.declared = declaration();
        l_.expect(";");
        s.span = s.declared.front().span;
        if (s.declared.front().space != "reg")
          litmus::unsupported(s.span, "a thread of a litmus test declares registers only",
                              "locations stand in the initial state");
        out.push_back(std::move(s));
      } else {
        statement(out, std::move(s));
      }
    }
    return out;
  }

  Module run() {
    while (l_.peek().kind != Tok::end) top();
    if (m_.version.empty()) litmus::fail_at(m_.span, "the module has no .version", "PTX begins with .version");
    return std::move(m_);
  }

 private:
  uint64_t number() {
    const bool minus = l_.accept("-");
    const Token t = l_.peek();
    if (t.is("(") || t.is("~") || t.is("!")) expression();
    if (t.kind != Tok::number) l_.fail(fmt::format("expected a number, found {}", l_.found()));
    l_.next();
    for (const char* op : {"*", "/"})
      if (l_.at(op)) expression();
    std::string_view s = t.text;
    while (s.size() > 1 && (s.back() == 'U' || s.back() == 'u')) s.remove_suffix(1);
    int base = 10;
    if (s.starts_with("0x") || s.starts_with("0X")) {
      base = 16;
      s.remove_prefix(2);
    } else if (s.starts_with("0b") || s.starts_with("0B")) {
      base = 2;
      s.remove_prefix(2);
    } else if (s.size() > 1 && s[0] == '0') {
      base = 8;
    }
    uint64_t v = 0;
    const auto [stop, failed] = std::from_chars(s.data(), s.data() + s.size(), v, base);
    if (failed == std::errc{} && stop != s.data() + s.size() && *stop == '%') expression();
    if (failed != std::errc{} || stop != s.data() + s.size())
      litmus::fail_at(l_.span(t), fmt::format("{} is not a number of 64 bits", litmus::quoted(t.text)));
    return minus ? 0 - v : v;
  }
  uint32_t small(uint64_t most = 0xffffffff) {
    const Token t = l_.peek();
    const uint64_t v = number();
    if (v > most) litmus::fail_at(l_.span(t), fmt::format("this number is above {}", most));
    return static_cast<uint32_t>(v);
  }

  void top() {
    const Token t = l_.peek();
    if (t.is(";")) {
      l_.next();
      return;
    }
    if (t.kind == Tok::word && t.text[0] != '.') {
      // "LABEL:" and such do not stand here.
      l_.fail(fmt::format("expected a directive, found {}", l_.found()),
              "a module is made of .version, .entry, .func, ...");
    }
    if (t.kind != Tok::word) l_.fail(fmt::format("expected a directive, found {}", l_.found()));
    if (t.is(".version")) {
      l_.next();
      m_.version = std::string(l_.next().text);
    } else if (t.is(".target")) {
      l_.next();
      do {
        const std::string word(l_.next().text);
        if (m_.target.empty()) m_.target = word;
      } while (l_.accept(","));
    } else if (t.is(".address_size")) {
      l_.next();
      if (number() != 64) litmus::unsupported(l_.span(t), "modules with addresses of 32 bits are not read");
    } else if (t.is(".file")) {
      file();
    } else if (t.is(".section")) {
      section();
    } else if (t.is(".pragma")) {
      while (!l_.at(";") && l_.peek().kind != Tok::end) l_.next();
      l_.expect(";");
    } else if (t.is(".loc")) {
      loc();
    } else {
      declared();
    }
  }
  void file() {
    l_.next();
    const uint32_t n = small();
    if (l_.peek().kind != Tok::string) l_.fail("expected the file's name");
    m_.files[n] = std::string(l_.next().text);
    while (l_.accept(",")) number();
  }
  // Debug information, which says nothing of what the code does.
  void section() {
    l_.next();
    while (!l_.at("{") && l_.peek().kind != Tok::end) l_.next();
    l_.expect("{");
    while (!l_.at("}") && l_.peek().kind != Tok::end) l_.next();
    l_.expect("}");
  }
  void loc() {
    l_.next();
    line_.file = small();
    line_.line = small();
    line_.column = small();
    while (l_.accept(",")) {
      const Token what = l_.next();
      if (what.is("function_name")) {
        l_.next();
        if (l_.accept("+")) number();
      } else if (what.is("inlined_at")) {
        // The innermost place is that of the text that the user reads only if it is in the kernel's file; the answer
        // names the outermost of one file, which the compiler gives first for code that is not inlined.
        const uint32_t file = small(), line = small();
        const Line outer = {file, line, small()};
        if (outer.file == 1) line_ = outer;
      } else {
        litmus::fail_at(l_.span(what), fmt::format("{} is not known in a .loc", litmus::quoted(what.text)));
      }
    }
  }

  // ".visible .entry ...", ".func ...", ".global ..."
  void declared() {
    bool is_external = false;
    for (;;) {
      const Token t = l_.peek();
      if (t.is(".visible") || t.is(".weak") || t.is(".common")) {
        l_.next();
      } else if (t.is(".extern")) {
        is_external = true;
        l_.next();
      } else {
        break;
      }
    }
    const Token t = l_.peek();
    if (t.is(".entry") || t.is(".func")) {
      function();
      return;
    }
    if (t.kind == Tok::word && t.text.size() > 1 && contains(k_spaces, split(t.text).front())) {
      for (Declaration& d : declaration()) {
        d.is_external = is_external;
        m_.variables.push_back(std::move(d));
      }
      l_.expect(";");
      return;
    }
    litmus::unsupported(l_.span(t), fmt::format("{} is not read", litmus::quoted(t.text)),
                        "docs/ptx-modules.md lists the directives that are");
  }

  // ".shared .align 4 .b8 x[4], y": a statement, without its ';'.
  std::vector<Declaration> declaration(bool parameter = false) {
    Declaration d;
    for (;;) {
      const Token t = l_.peek();
      if (t.kind != Tok::word || t.text[0] != '.') break;
      l_.next();
      for (const std::string& w : split(t.text)) {
        if (contains(k_spaces, w) && (d.space.empty() || d.pointer)) {
          if (d.space.empty()) d.space = w;
        } else if (w == "ptr" && d.space == "param") {
          d.pointer = true;
        } else if (w == "align") {
          const uint64_t n = number();
          if (!d.pointer) d.align = n;
        } else if (w == "v2" || w == "v4") {
          d.lanes = w == "v2" ? 2 : 4;
        } else if (contains(k_types, w) && d.type.empty()) {
          d.type = w;
        } else if (w == "attribute") {
          l_.expect("(");
          while (!l_.at(")") && l_.peek().kind != Tok::end) l_.next();
          l_.expect(")");
        } else if (w == "shared::cta" && d.space.empty()) {
          d.space = "shared";
        } else {
          litmus::unsupported(l_.span(t), fmt::format("'.{}' is not read in a declaration", w));
        }
      }
    }
    if (d.space.empty() || d.type.empty())
      l_.fail("a declaration has a state space and a type", "for example .shared .align 4 .b8 x[64];");
    std::vector<Declaration> out;
    do {
      Declaration one = d;
      const Token name = l_.peek();
      if (name.kind != Tok::word) l_.fail(fmt::format("expected a name, found {}", l_.found()));
      l_.next();
      one.name = std::string(name.text);
      if (l_.accept("<")) {
        one.range = small(1u << 20);
        if (one.range == 0) litmus::fail_at(l_.span(name), "a range of no names");
        l_.expect(">");
      }
      while (l_.accept("[")) {
        one.array = true;
        if (l_.at("]")) {
          one.open = true;
          one.count = 0;
        } else {
          const uint64_t n = number();
          if (!l_.at("]") && l_.peek().kind != Tok::end) expression();
          if (n > (uint64_t{1} << 40) || (n != 0 && one.count > (uint64_t{1} << 40) / n))
            litmus::fail_at(l_.span(name), "this array is too large");
          one.count *= n;
        }
        l_.expect("]");
      }
      if (l_.accept("=")) initialiser(one);
      one.span = l_.span(name);
      out.push_back(std::move(one));
    } while (!parameter && l_.accept(","));
    return out;
  }
  void initialiser(Declaration& d) {
    in_initialiser_ = true;
    initial_values(d);
    in_initialiser_ = false;
  }
  void initial_values(Declaration& d) {
    if (!l_.accept("{")) {
      d.init.push_back(operand());
      return;
    }
    if (l_.accept("}")) return;
    do {
      if (l_.at("{")) {
        initial_values(d);
      } else {
        d.init.push_back(operand());
      }
    } while (l_.accept(","));
    l_.expect("}");
  }

  std::vector<Declaration> parameters() {
    std::vector<Declaration> out;
    l_.expect("(");
    if (l_.accept(")")) return out;
    do {
      out.push_back(std::move(declaration(true).front()));
    } while (l_.accept(","));
    l_.expect(")");
    return out;
  }

  void function() {
    Function f;
    f.is_entry = l_.next().is(".entry");
    while (l_.peek().kind == Tok::word && l_.peek().text[0] == '.') directive(f);
    if (l_.at("(")) f.results = parameters();
    const Token name = l_.peek();
    if (name.kind != Tok::word) l_.fail(fmt::format("expected the function's name, found {}", l_.found()));
    l_.next();
    f.name = std::string(name.text);
    f.span = l_.span(name);
    if (l_.at("(")) f.parameters = parameters();
    while (l_.peek().kind == Tok::word && l_.peek().text[0] == '.') directive(f);
    if (l_.accept("{")) {
      f.has_body = true;
      line_ = {};
      body(f.body);
    } else {
      l_.expect(";");
    }
    m_.functions.push_back(std::move(f));
  }
  void directive(Function& f) {
    const Token t = l_.next();
    const std::string word(t.text.substr(1));
    std::vector<uint64_t>& values = f.directives[word];
    if (word == "pragma") {
      while (!l_.at(";") && l_.peek().kind != Tok::end) l_.next();
      l_.accept(";");
      return;
    }
    static constexpr std::string_view known[] = {
        "maxntid",           "reqntid",         "minnctapersm",        "maxnctapersm",   "maxnreg",
        "noreturn",          "explicitcluster", "reqnctapercluster",   "maxclusterrank", "unified",
        "blocksareclusters", "abi_preserve",    "abi_preserve_control"};
    if (!contains(known, word))
      litmus::unsupported(l_.span(t), fmt::format("'.{}' is not read", word),
                          "docs/ptx-modules.md lists the directives that are");
    if (l_.peek().kind == Tok::number) {
      do values.push_back(number());
      while (l_.accept(","));
    }
  }

  void body(std::vector<Statement>& out) {
    for (uint32_t depth = 0;;) {
      const Token t = l_.peek();
      Statement s;
      s.line = line_;
      if (t.kind == Tok::end) l_.fail("this function does not end", "close it by }");
      if (t.is("{") || t.is("}")) {
        l_.next();
        if (t.is("}") && depth == 0) return;
        depth += t.is("{") ? 1 : -1;
        if (depth > 200) litmus::unsupported(l_.span(t), "blocks nested more than 200 deep are not read");
        s.kind = t.is("{") ? Statement::Kind::open : Statement::Kind::close;
        s.span = l_.span(t);
        out.push_back(std::move(s));
      } else if (t.is(";")) {
        l_.next();
      } else if (t.is(".loc")) {
        loc();
      } else if (t.is(".file")) {
        file();
      } else if (t.is(".section")) {
        section();
      } else if (t.is(".pragma")) {
        while (!l_.at(";") && l_.peek().kind != Tok::end) l_.next();
        l_.expect(";");
      } else if (t.kind == Tok::word && t.text[0] == '.') {
        s.kind = Statement::Kind::declaration;
        const std::string first = split(t.text).empty() ? std::string() : split(t.text).front();
        if (!contains(k_spaces, first))
          litmus::unsupported(l_.span(t), fmt::format("{} is not read", litmus::quoted(t.text)),
                              "docs/ptx-modules.md lists the directives that are");
        s.declared = declaration();
        l_.expect(";");
        s.span = s.declared.front().span;
        out.push_back(std::move(s));
      } else {
        statement(out, std::move(s));
      }
    }
  }

  void statement(std::vector<Statement>& out, Statement s) {
    const uint32_t begin = l_.peek().begin;
    if (l_.accept("@")) {
      s.negated = l_.accept("!");
      if (l_.peek().kind != Tok::word) l_.fail(fmt::format("expected a predicate, found {}", l_.found()));
      s.predicate = std::string(l_.next().text);
    }
    const Token head = l_.peek();
    if (head.kind != Tok::word) l_.fail(fmt::format("expected an instruction, found {}", l_.found()));
    l_.next();
    if (s.predicate.empty() && l_.at(":")) {
      l_.next();
      s.kind = Statement::Kind::label;
      s.words = {std::string(head.text)};
      s.span = l_.span(head);
      if (l_.at(".branchtargets") || l_.at(".callprototype") || l_.at(".calltargets")) {
        const Token what = l_.next();
        Statement table = s;
        table.kind = Statement::Kind::instruction;
        table.words = {std::string(what.text), std::string(head.text)};
        if (what.is(".callprototype")) {
          while (!l_.at(";") && l_.peek().kind != Tok::end) l_.next();
        } else {
          do table.operands.push_back(operand());
          while (l_.accept(","));
        }
        l_.expect(";");
        out.push_back(std::move(table));
        return;
      }
      out.push_back(std::move(s));
      return;
    }
    s.words = split(head.text);
    if (s.words.empty()) litmus::fail_at(l_.span(head), "expected an instruction");
    if (!l_.at(";")) {
      do s.operands.push_back(operand());
      while (l_.accept(","));
    }
    l_.expect(";", "an instruction ends with ';'");
    s.span = l_.span(begin);
    out.push_back(std::move(s));
  }

  // 4.5: constants may be computed, which the reader does not do.
  [[noreturn]] void expression() const {
    litmus::unsupported(l_.span(l_.peek()), "constant expressions are not read", "write the value");
  }
  void no_expression(const Operand& o) const {
    if (o.kind != Operand::Kind::number && o.kind != Operand::Kind::name && o.kind != Operand::Kind::list) return;
    for (const char* s : {"*", "/", "%", "<", ">", "&", "^", "?", "=", "!"})
      if (l_.at(s)) expression();
    if (o.kind != Operand::Kind::name && l_.peek().kind == Tok::word && l_.peek().text[0] == '%') expression();
  }

  // ---- operands ----
  Operand operand() {
    const uint32_t begin = l_.peek().begin;
    Operand o = single();
    no_expression(o);
    if (l_.at("|")) {
      Operand pair;
      pair.kind = Operand::Kind::pair;
      pair.parts.push_back(std::move(o));
      l_.next();
      pair.parts.push_back(single());
      o = std::move(pair);
    }
    o.span = l_.span(begin);
    return o;
  }
  Operand single() {
    Operand o;
    const Token t = l_.peek();
    if (t.is("~")) expression();
    if (l_.accept("!")) {
      o = single();
      o.negated = !o.negated;
    } else if (t.is("{") || t.is("(")) {
      l_.next();
      if (l_.at(".u64") || l_.at(".s64")) expression();
      const char* close = t.is("{") ? "}" : ")";
      o.kind = Operand::Kind::list;
      if (!l_.accept(close)) {
        do o.parts.push_back(operand());
        while (l_.accept(","));
        l_.expect(close);
      }
      // A number in brackets is the number.
      if (t.is("(") && o.parts.size() == 1 && o.parts[0].kind == Operand::Kind::number) o = Operand(o.parts[0]);
    } else if (l_.accept("[")) {
      o.kind = Operand::Kind::address;
      do o.parts.push_back(operand());
      while (l_.accept(","));
      l_.expect("]");
    } else if (t.kind == Tok::number || t.is("-")) {
      if (t.is("-")) {
        l_.next();
        if (l_.peek().kind == Tok::real) {
          o = real();
          o.number ^= o.is_double ? uint64_t{1} << 63 : uint64_t{1} << 31;
          return o;
        }
        o.number = 0 - number();
      } else {
        o.number = number();
      }
      o.kind = Operand::Kind::number;
      sum(o);
    } else if (t.kind == Tok::real) {
      o = real();
    } else if (t.kind == Tok::word) {
      l_.next();
      o.name = std::string(t.text);
      if (o.name == "generic" && in_initialiser_ && l_.accept("(")) {
        o = single();
        l_.expect(")");
      }
      sum(o);
    } else {
      l_.fail(fmt::format("expected an operand, found {}", l_.found()));
    }
    return o;
  }
  void sum(Operand& o) {
    while (l_.at("+") || l_.at("-")) {
      const bool minus = l_.next().is("-");
      const uint64_t n = number();
      const uint64_t by = minus ? 0 - n : n;
      if (o.kind == Operand::Kind::number)
        o.number += by;
      else
        o.offset = static_cast<int64_t>(static_cast<uint64_t>(o.offset) + by);
    }
  }
  Operand real() {
    Operand o;
    o.kind = Operand::Kind::real;
    const Token t = l_.next();
    const char kind = t.text.size() > 2 && t.text[0] == '0' ? t.text[1] : '.';
    if (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D') {
      o.is_double = kind == 'd' || kind == 'D';
      const std::string_view digits = t.text.substr(2);
      const auto [stop, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), o.number, 16);
      if (failed != std::errc{} || stop != digits.data() + digits.size() || digits.size() != (o.is_double ? 16u : 8u))
        litmus::fail_at(l_.span(t), fmt::format("{} is not a floating point literal", litmus::quoted(t.text)),
                        "0f and 8 hexadecimal digits, or 0d and 16");
    } else {
      o.is_double = true;
      o.number = std::bit_cast<uint64_t>(std::strtod(std::string(t.text).c_str(), nullptr));
    }
    return o;
  }

  Lexer l_;
  Module m_;
  Line line_;
  bool in_initialiser_ = false;
};

}  // namespace

Module parse_module(const SourcePtr& source) { return Parser(source).run(); }

std::vector<Statement> parse_statements(const SourcePtr& source, std::string_view text, uint32_t begin) {
  return Parser(source, text, begin).statements();
}

}  // namespace fencepost::ptxmod
