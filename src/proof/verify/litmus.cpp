// Tokens, the frame of a test, its question, and the two dialects in columns.
// docs/litmus.md is the specification.
#include <algorithm>
#include <charconv>
#include <map>

#include "verify/program.h"

namespace fencepost::verify {

// ---- tokens
// --------------------------------------------------------------------------------------------

namespace {
void header(const std::string& comment, std::map<std::string, std::string>& headers) {
  const size_t key = comment.find_first_not_of(' '), colon = comment.find(": "), end = comment.find_last_not_of(' ');
  if (key != std::string::npos && colon != std::string::npos && comment.find('\n') == std::string::npos)
    headers.emplace(comment.substr(key, colon - key), comment.substr(colon + 2, end - colon - 1));
}
}  // namespace

// In C, "(*" opens a comment outside of threads only: in one it is a bracket
// and a dereference. In cat comments nest, and "." "-" and "'" stand in names.
Tokens::Tokens(const std::string& text, size_t i, Style style, std::map<std::string, std::string>* headers) {
  static const std::vector<std::string> k_signs[] = {
      {"/\\", "\\/", "==", "!=", "<=", ">="},
      {"/\\", "\\/", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "|=", "&="},
      {"^-1", "^+", "^*", "^?", "{}"}};
  const bool c = style == Style::c, cat = style == Style::cat;
  const auto is_word = [](char x) { return std::isalnum(static_cast<unsigned char>(x)) != 0 || x == '_'; };
  int depth = 0,
      blocks = 0;  // the first block is the initial state, the others are threads
  int line = 1 + static_cast<int>(std::count(text.begin(), text.begin() + i, '\n'));
  const auto opens = [&](size_t at, const char* s) { return text.compare(at, 2, s) == 0; };
  const auto behind = [&](size_t from, const std::string& close) {
    const size_t at = text.find(close, from);
    if (at == std::string::npos) throw BadText("line " + std::to_string(line) + ": a comment or string has no end");
    return at + close.size();
  };
  for (size_t to = i; i < text.size(); line += std::count(text.begin() + i, text.begin() + to, '\n'), i = to) {
    const char ch = text[i];
    to = i + 1;
    if (std::isspace(static_cast<unsigned char>(ch)) != 0) continue;
    if (opens(i, "(*") && (!c || depth == 0 || blocks < 2)) {
      to = behind(i + 2, "*)");
      for (size_t at = i + 2; cat && at < to; ++at)
        if (opens(at, "(*")) {  // one more end is needed; what has been looked
                                // at stays so
          to = behind(to, "*)");
          ++at;
        }
      if (headers != nullptr) header(text.substr(i + 2, to - i - 4), *headers);
    } else if (style == Style::columns && opens(i, "<<")) {
      to = behind(i + 2, ">>");
    } else if (c && opens(i, "/*")) {
      to = behind(i + 2, "*/");
    } else if (cat && (opens(i, "/*") || opens(i, "{%"))) {
      throw NotCertified("this kind of comment in a model");
    } else if (style != Style::columns && (opens(i, "//") || (cat && ch == '#'))) {
      to = std::min(text.find('\n', i), text.size());
    } else if (ch == '"') {
      to = behind(i + 1, "\"");
      tokens_.push_back({Token::Kind::string, text.substr(i + 1, to - i - 2), line});
    } else if (is_word(ch)) {
      while (to < text.size() && (is_word(text[to]) || (cat && std::string_view(".-'").find(text[to]) < 3))) ++to;
      const bool number = !cat && std::isdigit(static_cast<unsigned char>(ch)) != 0;
      tokens_.push_back({number ? Token::Kind::number : Token::Kind::word, text.substr(i, to - i), line});
    } else {
      if (static_cast<unsigned char>(ch) >= 0x80 || ch < ' ')
        throw BadText("line " + std::to_string(line) + ": a character that no text has");
      if (ch == '{' && depth++ == 0) ++blocks;
      if (ch == '}') --depth;
      for (const std::string& s : k_signs[static_cast<size_t>(style)])
        if (text.compare(i, s.size(), s) == 0) to = std::max(to, i + s.size());
      tokens_.push_back({Token::Kind::sign, text.substr(i, to - i), line});
    }
  }
  tokens_.push_back({Token::Kind::end, "", line});
}

Token Tokens::next() {
  Token t = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return t;
}
bool Tokens::accept(std::string_view text) {
  if (!at(text) || peek().kind == Token::Kind::end) return false;
  next();
  return true;
}
void Tokens::expect(std::string_view text) {
  if (!accept(text)) bad("'" + std::string(text) + "' is missing before '" + peek().text + "'");
}
std::string Tokens::word(const std::string& what) {
  if (peek().kind != Token::Kind::word) bad(what + " is missing before '" + peek().text + "'");
  return next().text;
}
uint64_t Tokens::number(const std::string& what) {
  const bool minus = accept("-");
  if (peek().kind != Token::Kind::number) bad(what + " is missing before '" + peek().text + "'");
  const std::string digits = next().text;
  const bool hex = digits.starts_with("0x");
  uint64_t v = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data() + (hex ? 2 : 0), last, v, hex ? 16 : 10);
  if (error != std::errc() || end != last || (minus && v > (uint64_t{1} << 63)))
    bad("'" + digits + "' is not a number of 64 bits");
  return minus ? 0 - v : v;
}
void Tokens::bad(const std::string& message) const {
  throw BadText("line " + std::to_string(peek().line) + ": " + message);
}
std::string Tokens::since(size_t position) const {
  std::string out;
  for (size_t k = position; k < at_; ++k) out += (k == position ? "" : " ") + tokens_[k].text;
  return out;
}

ExprPtr make(const std::string& op, std::vector<ExprPtr> kids, int width, const std::string& text, int line) {
  int depth = 0;
  for (const ExprPtr& k : kids) depth = std::max(depth, k->depth + 1);
  if (depth > 1000) throw NotCertified("an expression of this depth");
  return std::make_shared<Expr>(
      Expr{.op = op, .text = text, .width = width, .line = line, .depth = depth, .kids = std::move(kids)});
}
ExprPtr constant(uint64_t v) { return std::make_shared<Expr>(Expr{.op = "const", .value = v}); }
ExprPtr leaf(const std::string& op, int thread, int index) {
  return std::make_shared<Expr>(Expr{.op = op, .thread = thread, .index = index});
}

namespace {
template <class T>
int find_named(const std::vector<T>& in, const std::string& name) {
  const auto at = std::find_if(in.begin(), in.end(), [&](const T& x) { return x.name == name; });
  return at == in.end() ? -1 : static_cast<int>(at - in.begin());
}
}  // namespace

int find_symbol(const Program& p, const std::string& name) { return find_named(p.symbols, name); }
int find_register(const Thread& t, const std::string& name) { return find_named(t.registers, name); }

int create_symbol(Program& p, const std::string& name, uint64_t start, int width) {
  const auto id = static_cast<int>(p.symbols.size());
  p.symbols.push_back({name, static_cast<int>(p.objects.size()), id});
  p.objects.push_back({name, start, width});
  return id;
}

std::vector<uint64_t> read_place(Tokens& c, const std::vector<std::string>& levels) {
  if (!c.accept("@")) throw NotCertified("a thread without a place");
  std::vector<uint64_t> out(levels.size() + 1, 0);
  std::set<std::string> seen;
  do {
    const std::string level = c.word("a level");
    const auto at = std::find(levels.begin(), levels.end(), level);
    if (at == levels.end()) throw NotCertified("the level '" + level + "'");
    if (!seen.insert(level).second) c.bad("a level is given twice");
    out[at - levels.begin() + 1] = c.number("a number");
  } while (c.accept(","));
  if (seen.size() != levels.size()) throw NotCertified("a place that lacks a level");
  return out;
}

namespace {

// The value of `key` in a table "key=value key=value"; "" if it has none.
std::string entry(const std::string& table, const std::string& key) {
  const size_t at = (" " + table).find(" " + key + "=");
  if (at == std::string::npos) return "";
  const size_t from = at + key.size() + 1;
  return table.substr(from, table.find(' ', from) - from);
}

bool is_register_name(const std::string& s) {
  return s.size() > 1 && s[0] == 'r' &&
         std::all_of(s.begin() + 1, s.end(), [](char c) { return std::isdigit(c) != 0; });
}

int thread_id(Tokens& c) {
  std::string t = c.next().text;
  if (t.starts_with("P")) t = t.substr(1);
  if (t.empty() || t.size() > 4 || !std::all_of(t.begin(), t.end(), [](char x) { return std::isdigit(x) != 0; }))
    c.bad("a thread is missing before '" + c.peek().text + "'");
  return std::stoi(t);
}

// ---- the question --------------------------------------------------------------------------------------

class Question {
 public:
  Question(Tokens& c, Program& p) : c_(c), p_(p) {}

  void read() {
    while (!c_.ended()) {
      if (c_.accept(";")) continue;
      if (c_.accept("locations")) {
        c_.expect("[");
        while (!c_.accept("]")) {
          if (c_.ended()) c_.bad("']' is missing");
          c_.next();
        }
        continue;
      }
      const bool filter = c_.accept("filter");
      if (filter ? p_.filter != nullptr : !p_.quantifier.empty()) c_.bad("a second question or filter");
      if (!filter) {
        const bool negated = c_.accept("~") || c_.accept("not");
        p_.quantifier = !negated && c_.accept("forall") ? "forall" : negated ? "~exists" : "exists";
        if (p_.quantifier != "forall" && !c_.accept("exists"))
          throw NotCertified("'" + c_.peek().text + "' where a question stands");
      }
      const size_t from = c_.position();
      ExprPtr e = chain(true);
      (filter ? p_.filter : p_.condition) = std::move(e);
      (filter ? p_.filter_text : p_.condition_text) = c_.since(from);
    }
  }

 private:
  // A disjunction of conjunctions.
  ExprPtr chain(bool either) {
    std::vector<ExprPtr> kids;
    do kids.push_back(either ? chain(false) : negation());
    while (c_.accept(either ? "\\/" : "/\\"));
    return kids.size() == 1 ? kids[0] : make(either ? "or" : "and", std::move(kids));
  }
  ExprPtr negation() {
    const Deeper here(depth_, "a condition of this depth");
    if (c_.accept("~") || c_.accept("not")) return make("not", {negation()});
    if (c_.accept("(")) {
      ExprPtr out = chain(true);
      c_.expect(")");
      return out;
    }
    if (c_.at("true") || c_.at("false")) return constant(c_.next().text == "true" ? 1 : 0);
    ExprPtr lhs = value(false);
    std::string op = c_.next().text;
    if (op == "=") op = "==";
    if (op != "==" && op != "!=" && op != "<" && op != "<=" && op != ">" && op != ">=")
      c_.bad("a comparison is missing");
    ExprPtr rhs = value(true);
    const bool left = lhs->op == "address", right = rhs->op == "address";
    const auto plain = [](const ExprPtr& e) { return e->op == "const" && e->value == 0; };
    if ((left && !right && !plain(rhs)) || (right && !left && !plain(lhs)) ||
        ((left || right) && op != "==" && op != "!="))
      throw NotCertified("a comparison with an address");
    return make(op, {lhs, rhs});
  }
  ExprPtr value(bool right) {
    if (c_.peek(1).text == ":") return variable();
    if (c_.peek().kind == Token::Kind::number || c_.at("-")) return constant(c_.number("a value"));
    if (c_.accept("&")) return leaf("address", -1, symbol(c_.word("a location")));
    if (c_.accept("[")) {
      const int s = symbol(c_.word("a location"));
      c_.expect("]");
      return leaf("final", -1, s);
    }
    const int s = symbol(c_.word("a value"));
    if (c_.at("[") || c_.at("@")) throw NotCertified("the cell of an array, or of one group, in a condition");
    return leaf(right ? "address" : "final", -1, s);
  }
  ExprPtr variable() {
    const auto t = static_cast<size_t>(thread_id(c_));
    c_.expect(":");
    const std::string name = c_.word("a register");
    if (t >= p_.threads.size()) c_.bad("there is no such thread");
    const int r = find_register(p_.threads[t], name);
    if (r >= 0) return leaf("reg", static_cast<int>(t), r);
    if (p_.dialect == Dialect::opencl && find_symbol(p_, name) >= 0) return leaf("address", -1, symbol(name));
    c_.bad("thread P" + std::to_string(t) + " has no register " + name);
  }
  int symbol(const std::string& name) {
    const int s = find_symbol(p_, name);
    if (s < 0) c_.bad("there is no location " + name);
    return s;
  }

  Tokens& c_;
  Program& p_;
  int depth_ = 0;
};

// ---- columns: PTX and VULKAN ---------------------------------------------------------------------------

using Kind = Instr::Kind;
using Tags = std::set<std::string>;

class Columns {
 public:
  Columns(Tokens& c, Program& p) : c_(c), p_(p), ptx_(p.dialect == Dialect::ptx) {}

  void read() {
    initial_state();
    if (!ptx_ && c_.accept("{")) pairs();
    threads();
    while (!c_.ended() && !at_question()) row();
    for (const auto& [at, v] : starts_) {
      if (at.first >= p_.threads.size()) c_.bad("there is no thread P" + std::to_string(at.first));
      p_.threads[at.first].registers[reg(at.first, at.second)].start = v;
    }
    for (Thread& t : p_.threads)
      for (Instr& i : t.code) {
        if (i.to.empty()) continue;
        const auto at = std::find_if(t.code.begin(), t.code.end(), [&](const Instr& l) { return is_label(l, i.to); });
        if (at == t.code.end()) throw BadText("there is no label " + i.to);
        i.target = static_cast<int>(at - t.code.begin());
      }
  }

 private:
  static bool is_label(const Instr& i, const std::string& name) {
    return i.kind == Kind::label && i.text == name + ":";
  }
  bool at_question() const {
    for (const char* w : {"locations", "filter", "exists", "forall", "final", "not", "~"})
      if (c_.at(w)) return true;
    return false;
  }

  void initial_state() {
    c_.expect("{");
    while (!c_.accept("}")) {
      if (c_.accept(";")) continue;
      if (c_.peek(1).text == ":") {
        const int t = thread_id(c_);
        c_.expect(":");
        const std::string name = c_.word("a register");
        c_.expect("=");
        if (c_.peek().kind != Token::Kind::number && !c_.at("-"))
          throw NotCertified("an initial value that is an address");
        if (!starts_.emplace(std::pair(static_cast<size_t>(t), name), c_.number("a value")).second)
          c_.bad("a second initial value of " + name);
        continue;
      }
      const std::string name = c_.word("a location");
      if (find_symbol(p_, name) >= 0) c_.bad("a second location " + name);
      if (is_register_name(name)) c_.bad("a register without its thread");
      const bool proxied = c_.accept("@");
      const std::string proxy = proxied ? c_.word("a proxy") : "generic";
      if (proxy != "generic" && proxy != "constant" && proxy != "texture" && proxy != "surface")
        throw NotCertified("the kind of location '" + proxy + "'");
      if (c_.accept("aliases")) {
        if (proxied != ptx_) c_.bad("an alias of the other dialect");
        const Symbol to = p_.symbols[known_symbol()];
        const auto own = static_cast<int>(p_.symbols.size());
        p_.symbols.push_back({name, to.object, proxy == "generic" ? own : to.generic});
        continue;
      }
      if (proxied) c_.bad("'aliases' is missing");
      c_.expect("=");
      if (c_.at("&")) throw NotCertified("an initial value that is an address");
      const uint64_t v = c_.peek().kind == Token::Kind::word ? p_.objects[p_.symbols[known_symbol()].object].start
                                                             : c_.number("a value");
      p_.objects[p_.symbols[symbol(name)].object].start = v;
    }
    c_.accept(";");
  }

  int known_symbol() {
    const int s = find_symbol(p_, c_.next().text);
    if (s < 0) c_.bad("there is no such location yet");
    return s;
  }

  void pairs() {
    while (!c_.accept("}")) {
      if (c_.accept(";")) continue;
      c_.expect("ssw");
      const int a = thread_id(c_);
      p_.ssw.emplace_back(a, thread_id(c_));
    }
    c_.accept(";");
  }

  void threads() {
    do {
      if (thread_id(c_) != static_cast<int>(p_.threads.size())) c_.bad("threads are P0, P1, ... in order");
      p_.threads.push_back({.place = ptx_ ? read_place(c_, {"gpu", "cta"}) : read_place(c_, {"qf", "wg", "sg"})});
    } while (c_.accept("|"));
    c_.expect(";");
    for (const auto& [a, b] : p_.ssw)
      if (std::max(a, b) >= static_cast<int>(p_.threads.size())) c_.bad("ssw of a thread that is not there");
  }

  void row() {
    for (size_t t = 0; t < p_.threads.size(); ++t) {
      while (c_.peek().kind == Token::Kind::word && c_.peek(1).text == ":") {
        const std::string name = c_.next().text;
        c_.next();
        auto& code = p_.threads[t].code;
        if (std::any_of(code.begin(), code.end(), [&](const Instr& l) { return is_label(l, name); }))
          c_.bad("a second label " + name);
        code.push_back({.text = name + ":"});
      }
      if (!c_.at("|") && !c_.at(";")) instruction(t);
      c_.expect(t + 1 == p_.threads.size() ? ";" : "|");
    }
  }

  int symbol(const std::string& name) {
    const int known = find_symbol(p_, name);
    if (known >= 0) return known;
    if (is_register_name(name)) throw NotCertified("an access through a register");
    return create_symbol(p_, name, 0, 64);
  }
  int reg(size_t t, const std::string& name) {
    if (!is_register_name(name)) c_.bad("a register is missing before '" + name + "'");
    auto& registers = p_.threads[t].registers;
    if (find_register(p_.threads[t], name) < 0) registers.push_back({name});
    return find_register(p_.threads[t], name);
  }
  bool at_value(size_t ahead = 0) const {
    const Token& t = c_.peek(ahead);
    return t.kind == Token::Kind::number || t.text == "-" || is_register_name(t.text);
  }
  ExprPtr value(size_t t) {
    if (!at_value()) c_.bad("a constant or a register is missing before '" + c_.peek().text + "'");
    if (c_.peek().kind == Token::Kind::word) return leaf("reg", static_cast<int>(t), reg(t, c_.next().text));
    return constant(c_.number("a value"));
  }
  static std::string operator_of(const std::string& word) { return entry("add=+ sub=- mul=* and=& or=| xor=^", word); }
  [[noreturn]] static void unknown(const std::string& modifier, const std::string& head) {
    throw NotCertified(modifier.empty() ? "the instruction '" + head + "'"
                                        : "the modifier '." + modifier + "' of '" + head + "'");
  }

  void instruction(size_t t) {
    const size_t from = c_.position();
    Instr i;
    std::vector<std::string> m = {c_.word("an instruction")};
    while (c_.accept(".")) m.push_back(c_.word("a modifier"));
    const std::string operation = m.size() > 1 ? "" : operator_of(m[0]);
    const std::string branch = m.size() > 1 ? "" : entry("beq=== bne=!= blt=< ble=<= bgt=> bge=>=", m[0]);
    const auto comma = [&] { c_.expect(","); };
    if (m[0] == "ld" && is_register_name(c_.peek().text) && c_.peek(1).text == "," && at_value(2)) {
      if (ptx_ && m.size() > 1) c_.bad("a move has no modifier");
      i.kind = Kind::local;
      i.dst = reg(t, c_.next().text);
      comma();
      i.value = value(t);
    } else if (!operation.empty() || !branch.empty()) {
      i.kind = branch.empty() ? Kind::local : Kind::branch;
      if (branch.empty()) {
        i.dst = reg(t, c_.word("a register"));
        comma();
      }
      ExprPtr a = value(t);
      comma();
      i.value = make(operation + branch, {a, value(t)});
      if (!branch.empty()) {
        comma();
        i.to = c_.word("a label");
      }
    } else if (m.size() == 1 && m[0] == "goto") {
      i.kind = Kind::jump;
      i.to = c_.word("a label");
    } else if (ptx_) {
      ptx(t, m, i);
    } else {
      vulkan(t, m, i);
    }
    i.text = c_.since(from);
    std::erase(i.text, ' ');
    p_.threads[t].code.push_back(std::move(i));
  }

  // The operands of a load, store or read-modify-write.
  void operands(size_t t, Instr& i, const std::string& op, bool result = true) {
    const bool reads = i.kind != Kind::store;
    if (reads && result) {
      i.dst = reg(t, c_.word("a register"));
      c_.expect(",");
    }
    i.symbol = symbol(c_.word("a location"));
    if (i.kind == Kind::load) return;
    c_.expect(",");
    ExprPtr a = value(t);
    if (i.kind == Kind::store || op == "exch") {
      i.value = a;
    } else if (op == "cas") {
      c_.expect(",");
      // A compare-and-swap of PTX always writes: the old value where the comparison fails.
      i.value = make("?:", {make("==", {make("old", {}), a}), value(t), make("old", {})});
    } else {
      i.value = make(operator_of(op), {make("old", {}), a});
    }
  }

  void ptx(size_t t, const std::vector<std::string>& m, Instr& i) {
    const std::string head = entry(
        "ld=lGEN tld=lTEX suld=lSUR cold=lCON ldc=lCON st=sGEN sust=sSUR atom=aGEN suatom=aSUR "
        "red=rGEN sured=rSUR fence=fGEN bar=b",
        m[0]);
    if (head.empty()) unknown("", m[0]);
    if (head == "b") return bar(t, m, i);
    const bool red = head[0] == 'r', rmw = red || head[0] == 'a';
    i.kind = rmw ? Kind::rmw : head[0] == 'l' ? Kind::load : head[0] == 's' ? Kind::store : Kind::fence;
    i.tags = {head.substr(1)};
    if (i.kind == Kind::fence && m.size() == 3 && m[1] == "proxy") {
      const std::string proxy = entry("generic=GEN constant=CON texture=TEX surface=SUR alias=ALIAS", m[2]);
      if (proxy.empty()) unknown(m[2], m[0]);
      i.tags = {"F", proxy};
      return;
    }
    std::string order, scope, op;
    for (size_t k = 1; k < m.size(); ++k) {
      const std::string o = entry(
          "weak=WEAK relaxed=RLX rlx=RLX acquire=ACQ acq=ACQ release=REL rel=REL sc=SC "
          "volatile=VOLATILE acq_rel=ACQ_REL acqrel=ACQ_REL",
          m[k]);
      const std::string s = entry("cta=CTA gpu=GPU sys=SYS", m[k]);
      const bool operation = rmw && (!operator_of(m[k]).empty() || (!red && (m[k] == "exch" || m[k] == "cas")));
      std::string& into = !o.empty() ? order : !s.empty() ? scope : op;
      if (o.empty() && s.empty() && !operation) unknown(m[k], m[0]);
      if (!into.empty()) c_.bad("a second '." + m[k] + "'");
      into = operation ? m[k] : o + s;
    }
    const std::string fit = entry(
        "l=,WEAK,RLX,ACQ,VOLATILE, s=,WEAK,RLX,REL,VOLATILE, f=,ACQ_REL,SC, "
        "a=,RLX,ACQ,REL,ACQ_REL, r=,RLX,ACQ,REL,ACQ_REL,",
        head.substr(0, 1));
    const bool unscoped = order == "WEAK" || order == "VOLATILE";
    if (order.empty() || fit.find("," + order + ",") == std::string::npos || unscoped != scope.empty() ||
        rmw == op.empty())
      c_.bad("'" + m[0] + "' with this order, scope and operation");
    if (!scope.empty()) i.tags.insert(scope);
    if (rmw) {
      const bool both = order == "ACQ_REL";
      i.tags.insert("RMW");
      i.store_tags = i.tags;
      i.tags.insert({"R", both || order == "ACQ" ? "ACQ" : "RLX"});
      i.store_tags.insert({"W", both || order == "REL" ? "REL" : "RLX"});
      if (red) i.tags.insert("RED");
    } else {
      if (order == "VOLATILE") i.tags.insert("SYS");
      i.tags.insert({order == "VOLATILE" ? "RLX" : order, head[0] == 'l' ? "R" : head[0] == 's' ? "W" : "F"});
    }
    if (i.kind != Kind::fence) operands(t, i, op, !red);
  }

  void bar(size_t t, const std::vector<std::string>& m, Instr& i) {
    i.arrive = m.back() == "arrive";
    if (m.size() != 3 || m[1] != "cta" || (m[2] != "sync" && !i.arrive))
      throw NotCertified("a barrier that is not written bar.cta.sync or bar.cta.arrive");
    i.kind = Kind::barrier;
    i.tags = {"F", "B"};
    barrier_operands(t, i, 16);
    i.everyone = !i.id;
  }

  void barrier_operands(size_t t, Instr& i, uint64_t numbers) {
    if (c_.peek().kind != Token::Kind::number) throw NotCertified("a barrier that a register names");
    const uint64_t name = c_.number("a barrier");
    if (numbers != 0 && name >= numbers) c_.bad("barriers are 0 to 15");
    i.instance = std::to_string(name);
    if (!c_.accept(",")) return;
    i.id = value(t);
    if (numbers != 0 && !c_.at(",") && i.id->op == "const" && i.id->value >= numbers)
      throw NotCertified("a number of threads at a barrier");
    if (c_.accept(",")) i.quorum = value(t);
  }

  void vulkan(size_t t, const std::vector<std::string>& m, Instr& i) {
    const std::string head = entry("st=s ld=l rmw=a membar=f cbar=b avdevice=AVDEVICE visdevice=VISDEVICE", m[0]);
    if (head.empty()) unknown("", m[0]);
    const bool load = head == "l", store = head == "s", rmw = head == "a", control = head == "b";
    const bool memory = load || store || rmw;
    i.kind = load ? Kind::load : store ? Kind::store : rmw ? Kind::rmw : control ? Kind::barrier : Kind::fence;
    if (head.size() > 1) {
      if (m.size() > 1) unknown(m[1], m[0]);
      i.tags = {head};
      return;
    }
    std::string op = "exch";
    Tags classes, scopes, sems, has;
    for (size_t k = 1; k < m.size(); ++k) {
      const std::string w = entry(
          "sg=SG wg=WG qf=QF dv=DV sc0=SC0 sc1=SC1 sc2=SC2 sc3=SC3 semsc0=SEMSC0 semsc1=SEMSC1 "
          "semsc2=SEMSC2 semsc3=SEMSC3 acq=ACQ acquire=ACQ rel=REL release=REL acq_rel=ACQ_REL "
          "atom=ATOM nonpriv=NONPRIV av=AV vis=VIS semav=SEMAV semvis=SEMVIS",
          m[k]);
      if (rmw && op == "exch" && !operator_of(m[k]).empty()) {
        op = m[k];
        continue;
      }
      if (w.empty()) unknown(m[k], m[0]);
      Tags& into = w.starts_with("SEMSC")       ? sems
                   : w.starts_with("SC")        ? classes
                   : w.size() == 2 && w != "AV" ? scopes
                                                : has;
      if (!into.insert(w).second) c_.bad("a second '." + m[k] + "'");
    }
    const auto given = [&](const char* w) { return has.contains(w); };
    const bool acquires = given("ACQ") || given("ACQ_REL"), releases = given("REL") || given("ACQ_REL");
    const bool atomic = given("ATOM"), av = given("AV"), vis = given("VIS"), ordered = acquires || releases;
    const bool fits = ordered == !sems.empty() && (releases || !given("SEMAV")) && (acquires || !given("SEMVIS")) &&
                      (memory ? classes.size() == 1 && scopes.size() == (atomic || av || vis ? 1U : 0U) &&
                                    (atomic || (!ordered && !rmw)) && !(atomic && (av || vis || given("NONPRIV"))) &&
                                    !(av && load) && !(vis && store) && !(acquires && store) && !(releases && load)
                              : classes.empty() && scopes.size() == 1 && !atomic && !av && !vis && !given("NONPRIV") &&
                                    (ordered || control));
    if (!fits) c_.bad("modifiers that do not fit '" + m[0] + "'");
    Tags common = scopes;
    common.insert(classes.begin(), classes.end());
    if (atomic) common.insert("ATOM");
    if (atomic || av || vis || given("NONPRIV")) common.insert("NONPRIV");
    if (rmw) common.insert("RMW");
    if (control) common.insert({"CBAR", "B"});
    if (!memory && ordered) common.insert("F");
    const auto side = [&](bool reads, bool writes) {
      Tags tags = common;
      if (memory && reads) tags.insert("R");
      if (memory && writes) tags.insert("W");
      if (memory && reads && (atomic || vis)) tags.insert("VIS");
      if (memory && writes && (atomic || av)) tags.insert("AV");
      const bool acquire = acquires && reads, release = releases && writes;
      if (acquire || release) tags.insert(sems.begin(), sems.end());
      if (acquire) tags.insert("ACQ");
      if (release) tags.insert("REL");
      if (acquire && given("SEMVIS")) tags.insert("SEMVIS");
      if (release && given("SEMAV")) tags.insert("SEMAV");
      return tags;
    };
    i.tags = side(!store, store || !memory);
    i.store_tags = side(false, true);
    if (control) barrier_operands(t, i, 0);
    if (memory) operands(t, i, op);
  }

  Tokens& c_;
  Program& p_;
  bool ptx_;
  std::map<std::pair<size_t, std::string>, uint64_t> starts_;  // of registers
};

}  // namespace

void read_columns(Tokens& c, Program& p) { Columns(c, p).read(); }

Program read_litmus(const std::string& text) {
  Program p;
  const size_t eol = std::min(text.find('\n'), text.size());
  const size_t blank = std::min(text.find_first_of(" \t\r"), eol);
  std::string language = text.substr(0, blank);
  std::transform(language.begin(), language.end(), language.begin(), [](unsigned char c) { return std::toupper(c); });
  const std::vector<std::string> known = {"PTX", "VULKAN", "OPENCL"};
  const auto dialect = std::find(known.begin(), known.end(), language);
  if (dialect == known.end()) throw NotCertified("a test that starts with '" + language.substr(0, 20) + "'");
  p.dialect = static_cast<Dialect>(dialect - known.begin());
  // The body starts at the first brace outside of comments and strings; the
  // title and remarks stand before it.
  size_t i = 0;
  while (i < text.size() && text[i] != '{') {
    size_t to = i + 1;
    if (i >= eol && text.compare(i, 2, "(*") == 0) to = text.find("*)", i);
    if (text[i] == '"') to = text.find('"', i + 1);
    if (to == std::string::npos) throw BadText("a string or comment has no end");
    i = to == i + 1 && text[i] != '"' ? to : to + 1;
  }
  if (i >= text.size()) throw BadText("there is no '{'");
  const bool opencl = p.dialect == Dialect::opencl;
  Tokens c(text, i, opencl ? Tokens::Style::c : Tokens::Style::columns);
  opencl ? read_opencl(c, p) : read_columns(c, p);
  Question(c, p).read();
  return p;
}

}  // namespace fencepost::verify
