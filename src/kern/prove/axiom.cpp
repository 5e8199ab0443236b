#include "prove/axiom.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <set>

namespace fencepost::prove {

using formula::Pool;
using formula::Term;

std::string function_symbol(const std::string& name, uint8_t width, const std::vector<uint8_t>& operands) {
  std::string full = "f." + name + ":" + std::to_string(width);
  for (const uint8_t o : operands) full += "," + std::to_string(o);
  return full;
}

namespace {

constexpr uint8_t k_pointer = 255;  // functionPtr, ptr: not computed with

struct Stop {
  Diagnostics diagnostics;
};

// An operation of SMT-LIB: its name, and whether it gives truth.
struct Builtin {
  const char* name;
  bool truth;
};
constexpr Builtin k_builtins[] = {
    {"bvadd", false},  {"bvsub", false}, {"bvmul", false}, {"bvudiv", false}, {"bvurem", false}, {"bvsdiv", false},
    {"bvsrem", false}, {"bvand", false}, {"bvor", false},  {"bvxor", false},  {"bvshl", false},  {"bvlshr", false},
    {"bvashr", false}, {"bvnot", false}, {"bvneg", false}, {"bvult", true},   {"bvule", true},   {"bvugt", true},
    {"bvuge", true},   {"bvslt", true},  {"bvsle", true},  {"bvsgt", true},   {"bvsge", true}};

const Builtin* builtin(const std::string& name) {
  for (const Builtin& b : k_builtins)
    if (name == b.name) return &b;
  return nullptr;
}

// BV32_ADD is bvadd, FADD32 the addition of floats that the kernel's own is; "" for other names.
std::string machine_operation(const std::string& name) {
  if (name.starts_with("BV")) {
    const size_t bar = name.find('_');
    if (bar == std::string::npos || bar == 2) return {};
    if (!std::all_of(name.begin() + 2, name.begin() + static_cast<long>(bar),
                     [](unsigned char c) { return std::isdigit(c); }))
      return {};
    std::string op = "bv";
    for (const char c : name.substr(bar + 1)) op += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return builtin(op) != nullptr ? "=" + op : std::string();
  }
  for (const char* op : {"ADD", "SUB", "MUL", "DIV"})
    for (const char* bits : {"32", "64"})
      if (name == std::string("F") + op + bits) {
        std::string lower;
        for (const char* c = op; *c != 0; ++c) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
        return "float " + lower;
      }
  return {};
}

class Parser {
 public:
  explicit Parser(const SourcePtr& file) : file_(file), text_(file->text) {}

  std::vector<Axiom> run() {
    for (skip(); at_ < text_.size(); skip()) {
      begin_ = at_;
      const std::string word = identifier("'axiom', 'function', 'type' or 'const'");
      if (word == "axiom")
        axiom();
      else if (word == "type")
        type_synonym();
      else if (word == "function")
        function();
      else if (word == "const")
        unsupported("constants", "declare a function of the kernel instead");
      else
        fault("'" + word + "' begins no declaration", "'axiom', 'function' and 'type' do");
    }
    return std::move(axioms_);
  }

 private:
  // ---- text ------------------------------------------------------------------------------------------------------
  Span here() const {
    const auto from = static_cast<uint32_t>(std::min(at_, text_.size()));
    return {file_, from, static_cast<uint32_t>(std::min(text_.size(), static_cast<size_t>(from) + 1))};
  }
  [[noreturn]] void fault(std::string message, std::string hint = {}) const {
    throw Stop{error_at(here(), std::move(message), std::move(hint)).error()};
  }
  [[noreturn]] void unsupported(const std::string& what, std::string hint = {}) const {
    throw Stop{unsupported_at(here(), what + " in axioms are not supported", std::move(hint)).error()};
  }
  void skip() {
    while (true) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (text_.compare(at_, 2, "//") == 0) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.compare(at_, 2, "/*") == 0) {
        const size_t end = text_.find("*/", at_);
        if (end == std::string::npos) fault("this comment has no end");
        at_ = end + 2;
      } else {
        return;
      }
    }
  }
  bool peek(std::string_view what) {
    skip();
    return text_.compare(at_, what.size(), what) == 0;
  }
  bool take(std::string_view what) {
    if (!peek(what)) return false;
    at_ += what.size();
    return true;
  }
  void expect(std::string_view what) {
    if (!take(what)) fault("'" + std::string(what) + "' is missing here");
  }
  // Behind the text stands a zero byte, which is neither.
  static bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
  static bool letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' || c == '\'' ||
           c == '#';
  }
  std::string word() {
    skip();
    std::string w;
    while (letter(text_[at_])) w += text_[at_++];
    return w;
  }
  bool take_word(std::string_view what) {
    const size_t saved = at_;
    if (word() == what) return true;
    at_ = saved;
    return false;
  }
  std::string identifier(const char* what) {
    const size_t saved = at_;
    std::string w = word();
    if (w.empty() || std::isdigit(static_cast<unsigned char>(w[0])) != 0) {
      at_ = saved;
      skip();
      fault(std::string("expected ") + what);
    }
    return w;
  }

  // ---- declarations ------------------------------------------------------------------------------------------------
  uint8_t type() {
    const size_t saved = at_;
    const std::string w = identifier("a type");
    if (w == "bool") return 1;
    if (w == "functionPtr" || w == "ptr" || w == "arrayId") return k_pointer;
    if (w.starts_with("bv") && w.size() > 2 && w.size() < 5 &&
        std::all_of(w.begin() + 2, w.end(), [](unsigned char c) { return std::isdigit(c); })) {
      const int bits = std::stoi(w.substr(2));
      if (bits >= 1 && bits <= 64) return static_cast<uint8_t>(bits);
    }
    if (const auto it = types_.find(w); it != types_.end()) return it->second;
    at_ = saved;
    skip();
    unsupported("values of type '" + w + "'", "bv1 to bv64 and bool are");
  }
  void type_synonym() {
    const std::string name = identifier("the name of a type");
    expect("=");
    types_[name] = type();
    expect(";");
  }
  void function() {
    std::string built;
    while (take("{")) {
      expect(":");
      const std::string attribute = identifier("an attribute");
      if (take("\"")) {
        const size_t end = text_.find('"', at_);
        if (end == std::string::npos) fault("this text has no end");
        if (attribute == "bvbuiltin") {
          built = text_.substr(at_, end - at_);
          if (builtin(built) == nullptr) unsupported("the built-in function '" + built + "'");
        }
        at_ = end + 1;
      }
      expect("}");
    }
    const std::string name = identifier("the name of a function");
    Declared d;
    d.builtin = built;
    expect("(");
    if (!take(")")) {
      do {
        const size_t saved = at_;
        const std::string first = word();
        if (!take(":") || first.empty()) at_ = saved;  // parameters may be named
        d.parameters.push_back(type());
      } while (take(","));
      expect(")");
    }
    if (take_word("returns")) {
      expect("(");
      d.result = type();
      expect(")");
    } else {
      expect(":");
      d.result = type();
    }
    if (peek("{")) unsupported("functions with bodies", "state it as an axiom");
    expect(";");
    functions_[name] = d;
  }

  void axiom() {
    Axiom a;
    a.span = {file_, static_cast<uint32_t>(begin_), static_cast<uint32_t>(at_)};
    patterns_.clear();
    variables_.clear();
    const bool parentheses = take("(");
    if (take_word("forall")) {
      quantifier(a);
      if (parentheses) expect(")");
    } else {
      if (parentheses) at_ = text_.rfind('(', at_ - 1);
      a.body = expression(0);
    }
    if (a.body.width != 1) fault("an axiom is true or false, and this is a value");
    expect(";");
    a.span.end = static_cast<uint32_t>(at_);
    if (pointers_) {  // about casts of pointers: nothing that is not so here
      pointers_ = false;
      return;
    }
    a.patterns = patterns_;
    if (a.patterns.empty() && !a.variables.empty()) find_pattern(a);
    axioms_.push_back(std::move(a));
  }

  void quantifier(Axiom& a) {
    do {
      std::vector<std::string> names;
      do names.push_back(identifier("a variable"));
      while (take(","));
      expect(":");
      if (peek(":")) fault("this variable has no type", "forall x : bv32 :: ...");
      const uint8_t w = type();
      if (w == k_pointer) pointers_ = true;
      for (const std::string& n : names) {
        variables_[n] = static_cast<uint32_t>(a.variables.size());
        a.variables.push_back(w);
      }
    } while (take(","));
    widths_ = a.variables;
    expect("::");
    while (peek("{")) {
      expect("{");
      std::vector<AxiomTerm> set;
      do set.push_back(expression(0));
      while (take(","));
      expect("}");
      std::set<uint32_t> held;
      for (const AxiomTerm& t : set) collect(t, held);
      if (held.size() != a.variables.size()) fault("this pattern does not name all variables of the axiom");
      for (const AxiomTerm& t : set)
        if (!matchable(t) && !pointers_) unsupported("patterns that are not applications of the kernel's functions");
      patterns_.push_back(std::move(set));
    }
    a.body = expression(0);
  }

  static void collect(const AxiomTerm& t, std::set<uint32_t>& held) {
    if (t.kind == AxiomTerm::variable) held.insert(t.number);
    for (const AxiomTerm& k : t.kids) collect(k, held);
  }
  static bool matchable(const AxiomTerm& t) {
    if (t.kind != AxiomTerm::apply || t.function.starts_with("=")) return false;
    return std::all_of(t.kids.begin(), t.kids.end(),
                       [](const AxiomTerm& k) { return k.kind != AxiomTerm::apply || matchable(k); });
  }
  // The smallest application in the body that holds all variables.
  void find_pattern(Axiom& a) {
    const AxiomTerm* best = nullptr;
    const std::function<void(const AxiomTerm&)> look = [&](const AxiomTerm& t) {
      for (const AxiomTerm& k : t.kids) look(k);
      std::set<uint32_t> held;
      collect(t, held);
      if (best == nullptr && held.size() == a.variables.size() && matchable(t)) best = &t;
    };
    look(a.body);
    if (best == nullptr)
      throw Stop{unsupported_at(a.span, "an axiom without a pattern is not supported",
                                "write { A(x, y) } behind '::', with all variables")
                     .error()};
    a.patterns = {{*best}};
  }

  // ---- expressions -------------------------------------------------------------------------------------------------
  static AxiomTerm make(std::string function, uint8_t width, std::vector<AxiomTerm> kids) {
    AxiomTerm t;
    t.kind = AxiomTerm::apply;
    t.function = std::move(function);
    t.width = width;
    t.kids = std::move(kids);
    return t;
  }
  static AxiomTerm truth(bool b) {
    AxiomTerm t;
    t.bits = b ? 1 : 0;
    t.width = 1;
    return t;
  }
  void same(const AxiomTerm& a, const AxiomTerm& b) const {
    if (a.width != b.width && !pointers_)
      fault("the two sides have " + std::to_string(a.width) + " and " + std::to_string(b.width) + " bits");
  }
  void is_truth(const AxiomTerm& a) const {
    if (a.width != 1) fault("this connective joins what is true or false");
  }

  // Levels: <==>, ==>, || and &&, comparisons, ++, unary.
  AxiomTerm expression(int level) {
    AxiomTerm a = level < 4 ? expression(level + 1) : unary();
    while (true) {
      if (level == 0 && take("<==>")) {
        AxiomTerm b = expression(1);
        is_truth(a), is_truth(b);
        a = make("=eq", 1, {a, b});
      } else if (level == 1 && take("==>")) {
        AxiomTerm b = expression(1);  // to the right
        is_truth(a), is_truth(b);
        a = make("=implies", 1, {a, b});
      } else if (level == 2 && (peek("&&") || peek("||"))) {
        const bool both = take("&&");
        if (!both) expect("||");
        AxiomTerm b = expression(3);
        is_truth(a), is_truth(b);
        a = make(both ? "=and" : "=or", 1, {a, b});
      } else if (level == 3 && ((peek("==") && !peek("==>")) || peek("!="))) {
        const bool equal = take("==");
        if (!equal) expect("!=");
        AxiomTerm b = expression(4);
        same(a, b);
        a = make(equal ? "=eq" : "=ne", 1, {a, b});
      } else if (!peek("<==>") && (peek("<") || peek(">"))) {
        unsupported("comparisons of integers", "declare function {:bvbuiltin \"bvule\"} ...");
      } else if (level == 4 && take("++")) {
        AxiomTerm b = unary();
        if (a.width + b.width > 64) unsupported("values of more than 64 bits");
        const auto w = static_cast<uint8_t>(a.width + b.width);
        a = make("=concat", w, {a, b});
      } else if (peek("+") || peek("-") || peek("*")) {
        unsupported("operators of integers", "declare function {:bvbuiltin \"bvadd\"} ...");
      } else {
        return a;
      }
    }
  }

  AxiomTerm unary() {
    if (peek("!") && !peek("!=")) {
      expect("!");
      AxiomTerm a = unary();
      is_truth(a);
      return make("=not", 1, {a});
    }
    AxiomTerm a = atom();
    while (take("[")) {
      const uint64_t high = number();
      expect(":");
      const uint64_t low = number();
      expect("]");
      if (high > a.width || low >= high) fault("these are not the bits of a value of " + std::to_string(a.width));
      AxiomTerm e = make("=extract", static_cast<uint8_t>(high - low), {a});
      e.bits = low;
      a = std::move(e);
    }
    return a;
  }

  uint64_t number() {
    skip();
    if (!digit(text_[at_])) fault("expected a number");
    uint64_t v = 0;
    while (digit(text_[at_])) {
      const uint64_t next = v * 10 + static_cast<uint64_t>(text_[at_++] - '0');
      if (next / 10 != v) fault("this number has more than 64 bits");
      v = next;
    }
    return v;
  }

  AxiomTerm atom() {
    if (++depth_ > 200) fault("this is nested too deeply");
    AxiomTerm t = atom_within();
    --depth_;
    return t;
  }
  AxiomTerm atom_within() {
    if (take("(")) {
      AxiomTerm a = expression(0);
      expect(")");
      return a;
    }
    if (digit(text_[at_])) {
      AxiomTerm c;
      c.bits = number();
      if (!take("bv")) unsupported("integers", "write 0bv32");
      const uint64_t w = number();
      if (w < 1 || w > 64) fault("a value has 1 to 64 bits");
      c.width = static_cast<uint8_t>(w);
      if (w < 64 && c.bits >> w != 0) fault("this number has more than " + std::to_string(w) + " bits");
      return c;
    }
    const size_t saved = at_;
    const std::string name = identifier("a value");
    if (name == "true" || name == "false") return truth(name == "true");
    if (name == "exists" || name == "forall") unsupported("quantifiers below the top");
    if (name == "if") {
      AxiomTerm c = expression(0);
      is_truth(c);
      if (!take_word("then")) fault("'then' is missing here");
      AxiomTerm a = expression(0);
      if (!take_word("else")) fault("'else' is missing here");
      AxiomTerm b = expression(0);
      same(a, b);
      const uint8_t w = a.width;
      return make("=ite", w, {c, a, b});
    }
    if (!peek("(")) {
      const auto it = variables_.find(name);
      if (it == variables_.end()) {
        at_ = saved;
        std::vector<std::string> known;
        for (const auto& [n, v] : variables_) known.push_back(n);
        const std::string near = nearest(name, known);
        fault("'" + name + "' is not a variable here", near.empty() ? "" : "did you mean '" + near + "'?");
      }
      AxiomTerm v;
      v.kind = AxiomTerm::variable;
      v.number = it->second;
      v.width = widths_[it->second];
      return v;
    }
    expect("(");
    std::vector<AxiomTerm> kids;
    if (!take(")")) {
      do kids.push_back(expression(0));
      while (take(","));
      expect(")");
    }
    return call(name, std::move(kids));
  }

  AxiomTerm operation(const std::string& op, std::vector<AxiomTerm> kids) {
    const Builtin* b = builtin(op);
    const size_t arity = op == "bvnot" || op == "bvneg" ? 1 : 2;
    if (kids.size() != arity) fault("'" + op + "' takes " + std::to_string(arity) + " values");
    if (arity == 2) same(kids[0], kids[1]);
    const uint8_t w = b->truth ? uint8_t{1} : kids[0].width;
    return make("=" + op, w, std::move(kids));
  }

  AxiomTerm call(const std::string& name, std::vector<AxiomTerm> kids) {
    if ((name == "FUNCPTR_TO_PTR" || name == "PTR_TO_FUNCPTR") && kids.size() == 1) {
      pointers_ = true;
      return kids[0];
    }
    if (const auto it = functions_.find(name); it != functions_.end()) {
      const Declared& d = it->second;
      if (d.parameters.size() != kids.size())
        fault("'" + name + "' takes " + std::to_string(d.parameters.size()) + " values");
      for (size_t i = 0; i < kids.size(); ++i)
        if (kids[i].width != d.parameters[i])
          fault("value " + std::to_string(i + 1) + " of '" + name + "' has " + std::to_string(kids[i].width) +
                " bits, not " + std::to_string(d.parameters[i]));
      if (!d.builtin.empty()) return operation(d.builtin, std::move(kids));
      return make("function " + name, d.result, std::move(kids));
    }
    const std::string machine = machine_operation(name);
    if (machine.starts_with("=")) return operation(machine.substr(1), std::move(kids));
    if (!machine.empty() && kids.size() == 2) {
      const uint8_t w = kids[0].width;
      return make(machine.substr(6), w, std::move(kids));
    }
    // A function of the kernel: its result is as wide as what it is compared with says; here, as its first operand.
    if (kids.empty()) unsupported("functions without operands");
    const uint8_t w = kids[0].width;
    return make("function " + name, w, std::move(kids));
  }

  struct Declared {
    std::string builtin;
    std::vector<uint8_t> parameters;
    uint8_t result = 0;
  };
  SourcePtr file_;
  const std::string& text_;
  size_t at_ = 0, begin_ = 0;
  int depth_ = 0;
  bool pointers_ = false;  // the axiom is about pointers
  std::map<std::string, uint8_t> types_;
  std::map<std::string, Declared> functions_;
  std::map<std::string, uint32_t> variables_;
  std::vector<uint8_t> widths_;
  std::vector<std::vector<AxiomTerm>> patterns_;
  std::vector<Axiom> axioms_;
};

using Binding = std::vector<Term>;

Term operation(Pool& p, const AxiomTerm& t, const std::vector<Term>& k) {
  const std::string& op = t.function;
  if (op == "=eq") return p.eq(k[0], k[1]);
  if (op == "=ne") return p.ne(k[0], k[1]);
  if (op == "=and") return p.all(k[0], k[1]);
  if (op == "=or") return p.any(k[0], k[1]);
  if (op == "=implies") return p.implies(k[0], k[1]);
  if (op == "=not" || op == "=bvnot") return p.not_(k[0]);
  if (op == "=ite") return p.ite(k[0], k[1], k[2]);
  if (op == "=concat") return p.concat(k[0], k[1]);
  if (op == "=extract") return p.extract(k[0], static_cast<uint8_t>(t.bits), t.width);
  if (op == "=bvneg") return p.neg(k[0]);
  if (op == "=bvadd") return p.add(k[0], k[1]);
  if (op == "=bvsub") return p.sub(k[0], k[1]);
  if (op == "=bvmul") return p.mul(k[0], k[1]);
  if (op == "=bvudiv") return p.udiv(k[0], k[1]);
  if (op == "=bvurem") return p.urem(k[0], k[1]);
  if (op == "=bvsdiv") return p.sdiv(k[0], k[1]);
  if (op == "=bvsrem") return p.srem(k[0], k[1]);
  if (op == "=bvand") return p.and_(k[0], k[1]);
  if (op == "=bvor") return p.or_(k[0], k[1]);
  if (op == "=bvxor") return p.xor_(k[0], k[1]);
  if (op == "=bvshl") return p.shl(k[0], k[1]);
  if (op == "=bvlshr") return p.lshr(k[0], k[1]);
  if (op == "=bvashr") return p.ashr(k[0], k[1]);
  if (op == "=bvult") return p.ult(k[0], k[1]);
  if (op == "=bvule") return p.ule(k[0], k[1]);
  if (op == "=bvugt") return p.ult(k[1], k[0]);
  if (op == "=bvuge") return p.ule(k[1], k[0]);
  if (op == "=bvslt") return p.slt(k[0], k[1]);
  if (op == "=bvsle") return p.sle(k[0], k[1]);
  if (op == "=bvsgt") return p.slt(k[1], k[0]);
  if (op == "=bvsge") return p.sle(k[1], k[0]);
  FENCEPOST_INVARIANT(false, "an operation of axioms has no formula");
  return {};
}

std::string symbol_of(const AxiomTerm& t) {
  std::vector<uint8_t> widths;
  for (const AxiomTerm& k : t.kids) widths.push_back(k.width);
  return function_symbol(t.function, t.width, widths);
}

Term build(Pool& p, const AxiomTerm& t, const Binding& b) {
  if (t.kind == AxiomTerm::variable) return b[t.number];
  if (t.kind == AxiomTerm::constant) return p.constant(t.bits, t.width);
  std::vector<Term> kids;
  for (const AxiomTerm& k : t.kids) kids.push_back(build(p, k, b));
  if (t.function.starts_with("=")) return operation(p, t, kids);
  return p.apply(p.symbol(symbol_of(t)), t.width, std::move(kids));
}

// The names of functions hold the widths of their operands.
bool match(const Pool& p, const AxiomTerm& pattern, Term t, Binding& b) {
  if (pattern.kind == AxiomTerm::variable) {
    if (b[pattern.number]) return b[pattern.number] == t;
    b[pattern.number] = t;
    return true;
  }
  if (pattern.kind == AxiomTerm::constant) return p.is_constant(t, pattern.bits);
  const formula::Node& n = p[t];
  if (n.op != formula::Op::apply || p.symbol_name(n.value) != symbol_of(pattern)) return false;
  for (size_t i = 0; i < n.kids.size(); ++i)
    if (!match(p, pattern.kids[i], n.kids[i], b)) return false;
  return true;
}

}  // namespace

Expected<std::vector<Axiom>> parse_axioms(const SourcePtr& file) {
  try {
    return Parser(file).run();
  } catch (Stop& s) {
    return std::unexpected(std::move(s.diagnostics));
  }
}

std::vector<Term> instances(Pool& pool, const std::vector<Axiom>& axioms, size_t most) {
  std::vector<Term> found;
  std::set<std::pair<size_t, std::vector<uint32_t>>> made;
  for (size_t i = 0; i < axioms.size(); ++i)
    if (axioms[i].variables.empty()) found.push_back(build(pool, axioms[i].body, {}));
  for (int round = 0; round < 8; ++round) {
    std::vector<Term> applications;
    for (const uint32_t i : std::views::iota(uint32_t{0}, static_cast<uint32_t>(pool.size())))
      if (pool[Term{i}].op == formula::Op::apply) applications.push_back({i});
    bool more = false;
    for (size_t i = 0; i < axioms.size(); ++i)
      for (const std::vector<AxiomTerm>& pattern : axioms[i].patterns) {
        // All ways to find the pattern's terms, one after the other.
        std::vector<Binding> partial{Binding(axioms[i].variables.size())};
        for (const AxiomTerm& part : pattern) {
          std::vector<Binding> longer;
          for (const Binding& b : partial)
            for (const Term t : applications) {
              Binding next = b;
              if (longer.size() < most && match(pool, part, t, next)) longer.push_back(std::move(next));
            }
          partial = std::move(longer);
        }
        for (const Binding& b : partial) {
          std::vector<uint32_t> key;
          for (const Term t : b) key.push_back(t.id);
          if (found.size() >= most || !made.emplace(i, std::move(key)).second) continue;
          const Term instance = build(pool, axioms[i].body, b);
          more = true;
          if (!pool.is_true(instance)) found.push_back(instance);
        }
      }
    if (!more) break;
  }
  return found;
}

}  // namespace fencepost::prove
