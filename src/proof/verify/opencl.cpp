// OPENCL tests: threads in C. docs/litmus-opencl.md is the specification.
// Certified are int and atomic_int locations, int variables, if, while and do,
// loads, stores, fetch operations, strong compare-exchanges, fences and
// work-group barriers.
//
// Each statement becomes instructions with labels. A load in an expression goes
// to a temporary register first, from left to right, as the page says. A
// control dependency of if and while reaches to the end of the statement.
#include <algorithm>
#include <map>

#include "verify/program.h"

namespace fencepost::verify {
namespace {

using Kind = Instr::Kind;
using Tags = std::set<std::string>;

std::string order_tag(const std::string& order,
                      char how) {  // how: 'l'oad, 's'tore, 'f'ence
  if (order == "seq_cst") return "SC";
  if (order == "acquire") return how == 's' ? "RLX" : "ACQ";
  if (order == "release") return how == 'l' ? "RLX" : "REL";
  if (order == "acq_rel") return how == 'l' ? "ACQ" : how == 's' ? "REL" : "ACQ_REL";
  return "RLX";
}

class Body {
 public:
  Body(Tokens& c, Program& p, size_t thread, std::set<std::string> parameters)
      : c_(c), p_(p), t_(thread), parameters_(std::move(parameters)) {}

  void read() {
    c_.expect("{");
    while (!c_.accept("}")) statement();
  }

 private:
  int variable(const std::string& name, bool declare) {
    const int known = find_register(p_.threads[t_], name);
    if (known >= 0) return known;
    if (!declare) c_.bad("'" + name + "' is not declared in P" + std::to_string(t_));
    p_.threads[t_].registers.push_back({name, 32});
    return find_register(p_.threads[t_], name);
  }

  // ---- statements ----
  void statement() {
    const Deeper here(depth_, "a program of this depth");
    const size_t from = c_.position();
    if (c_.accept(";")) return;
    if (c_.accept("{")) {
      while (!c_.accept("}")) statement();
      return;
    }
    if (c_.at("if")) return if_();
    if (c_.at("while") || c_.at("do")) return loop();
    for (const char* w : {"for", "goto", "break", "continue", "return", "switch"})
      if (c_.at(w)) throw NotCertified("the statement '" + std::string(w) + "'");
    if (c_.at("barrier") || c_.at("work_group_barrier") ||
        (c_.peek(1).text == ":" && c_.peek().kind == Token::Kind::word))
      return barrier();
    if (c_.accept("int")) {
      do {
        if (c_.at("*")) throw NotCertified("a pointer in a variable");
        const std::string name = c_.word("a variable");
        if (parameters_.contains(name)) c_.bad("'" + name + "' is a parameter");
        if (name.starts_with("_t")) throw NotCertified("a variable whose name starts with _t");
        ExprPtr v = c_.accept("=") ? expression() : nullptr;
        const int dst = variable(name, true);
        if (v) assign(dst, v, from);
      } while (c_.accept(","));
      c_.expect(";");
      return;
    }
    if (c_.at("*")) {
      const int to = star();
      c_.expect("=");
      put({.kind = Kind::store, .value = cut(expression()), .symbol = to, .tags = {"W", "NA", "WI"}}, from);
    } else if (c_.peek().kind == Token::Kind::word && c_.peek(1).text == "=") {
      const std::string name = c_.next().text;
      c_.next();
      const int dst = variable(name, false);
      assign(dst, expression(), from);
    } else {
      if (!c_.at("mem_fence") && !c_.peek().text.starts_with("atomic_") && !c_.peek().text.ends_with("_mem_fence"))
        throw NotCertified("a statement that starts with '" + c_.peek().text + "'");
      call(false);
    }
    c_.expect(";");
  }

  void assign(int dst, ExprPtr v, size_t from) {
    put({.kind = Kind::local, .dst = dst, .value = cut(std::move(v))}, from);
  }

  ExprPtr in_brackets() {
    c_.expect("(");
    ExprPtr out = expression();
    c_.expect(")");
    return out;
  }

  void if_() {
    const size_t from = c_.position();
    c_.expect("if");
    ExprPtr cond = in_brackets();
    if (c_.at("goto")) throw NotCertified("the statement 'goto'");
    const size_t branch = put_branch(make("==", {cond, constant(0)}), from);
    statement();
    const bool otherwise = c_.accept("else");
    const size_t jump = otherwise ? put({.kind = Kind::jump}, from) : 0;
    code()[branch].target = code()[branch].reach = label(from);
    if (!otherwise) return;
    statement();
    code()[jump].target = code()[branch].reach = label(from);
  }

  void loop() {
    const size_t from = c_.position();
    const int head = label(from);
    const bool first = c_.accept("do");
    if (first) statement();
    c_.expect("while");
    ExprPtr cond = in_brackets();
    if (first) c_.expect(";");
    const size_t branch = put_branch(make(first ? "!=" : "==", {cond, constant(0)}), from);
    if (!first) {
      statement();
      put({.kind = Kind::jump, .target = head}, from);
    }
    const int end = label(from);
    code()[branch].target = first ? head : end;
    code()[branch].reach = end;
  }

  void barrier() {
    const size_t from = c_.position();
    Instr i{.kind = Kind::barrier, .tags = {"F", "B", "ACQ_REL", "WG"}};
    if (c_.peek(1).text == ":") {
      i.instance = c_.next().text;
      c_.next();
    }
    if (!c_.accept("barrier") && !c_.accept("work_group_barrier"))
      throw NotCertified("a label before '" + c_.peek().text + "'");
    if (i.instance.empty()) i.instance = "#" + std::to_string(unnamed_++);
    c_.expect("(");
    flags(i.tags);
    if (c_.accept(",") && c_.word("a scope") != "memory_scope_work_group")
      throw NotCertified("a barrier of this scope");
    c_.expect(")");
    c_.expect(";");
    put(std::move(i), from);
  }

  void flags(Tags& out) {
    if (c_.accept("0")) return;
    do {
      const std::string f = c_.word("fence flags");
      if (f != "CLK_GLOBAL_MEM_FENCE" && f != "CLK_LOCAL_MEM_FENCE") throw NotCertified("the fence flag '" + f + "'");
      out.insert(f == "CLK_GLOBAL_MEM_FENCE" ? "GLOBAL" : "LOCAL");
    } while (c_.accept("|"));
  }

  // ---- expressions ----
  ExprPtr expression(int level = 0) {
    static const std::vector<std::vector<std::string>> k_levels = {
        {"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*"}};
    if (static_cast<size_t>(level) == k_levels.size()) return unary();
    ExprPtr out = expression(level + 1);
    for (;;) {
      const auto& ops = k_levels[level];
      const auto op = std::find_if(ops.begin(), ops.end(), [&](const std::string& s) { return c_.at(s); });
      if (op == ops.end()) break;
      const bool lazy = *op == "||" || *op == "&&";
      c_.next();
      const size_t before = code().size();
      ExprPtr rhs = expression(level + 1);
      if (lazy && code().size() != before) throw NotCertified("an access on the right of '" + *op + "'");
      out = lazy ? make(*op == "||" ? "or" : "and", {truth(out), truth(rhs)}) : make(*op, {out, rhs}, 32);
    }
    if (level == 0)
      for (const char* s : {"?", "=", "++", "--", "+=", "-=", "/", "%", "["})
        if (c_.at(s)) throw NotCertified("the operator '" + std::string(s) + "' here");
    return out;
  }

  static ExprPtr truth(const ExprPtr& e) { return make("!=", {e, constant(0)}); }
  static ExprPtr cut(ExprPtr e) { return make("+", {std::move(e), constant(0)}, 32); }

  ExprPtr unary() {
    const Deeper here(depth_, "a program of this depth");
    if (c_.accept("!")) return make("==", {unary(), constant(0)});
    if (c_.accept("-")) return make("-", {constant(0), unary()}, 32);
    if (c_.accept("~")) return make("^", {unary(), constant(~uint64_t{0})}, 32);
    if (c_.at("(")) {
      if (c_.peek(1).text == "int" || c_.peek(1).text == "{") throw NotCertified("'(" + c_.peek(1).text + "'");
      return in_brackets();
    }
    if (c_.at("*")) {
      const size_t from = c_.position();
      return into_temporary({.kind = Kind::load, .symbol = star(), .tags = {"R", "NA"}}, from);
    }
    if (c_.peek().kind == Token::Kind::number) {
      const uint64_t v = c_.number("a number");
      if (v > 0x7fffffff) throw NotCertified("a number above 2147483647");
      return constant(v);
    }
    if (c_.peek(1).text == "(") return call(true);
    const std::string name = c_.word("a value");
    if (parameters_.contains(name)) throw NotCertified("a location as a value");
    return reg(variable(name, false));
  }

  ExprPtr reg(int index) const { return leaf("reg", static_cast<int>(t_), index); }

  ExprPtr into_temporary(Instr i, size_t from) {
    const int tmp = i.dst = variable("$" + std::to_string(temporaries_++), true);
    put(std::move(i), from);
    return reg(tmp);
  }

  int place() {
    const std::string name = c_.word("a location");
    if (!parameters_.contains(name)) throw NotCertified("a place that is not a location by its name, '" + name + "'");
    if (c_.at("+") || c_.at("[") || c_.at("-")) throw NotCertified("the cell of an array");
    return find_symbol(p_, name);
  }
  int star() {
    c_.expect("*");
    if (c_.at("(") || c_.at("*")) throw NotCertified("a place that is not a location by its name");
    return place();
  }

  std::string order() {
    const std::string o = c_.word("an order");
    static const Tags k = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    if (!o.starts_with("memory_order_") || !k.contains(o.substr(13))) c_.bad("'" + o + "' is not an order");
    return o.substr(13);
  }
  std::string scope() {
    const std::string s = c_.word("a scope");
    static const std::map<std::string, std::string> k = {{"memory_scope_work_item", "WI"},
                                                         {"memory_scope_work_group", "WG"},
                                                         {"memory_scope_device", "DV"},
                                                         {"memory_scope_all_svm_devices", "ALL"},
                                                         {"memory_scope_all_devices", "ALL"}};
    if (!k.contains(s)) throw NotCertified("the scope '" + s + "'");
    return k.at(s);
  }

  ExprPtr call(bool wanted) {
    const size_t from = c_.position();
    std::string f = c_.word("a function");
    c_.expect("(");
    if (f == "atomic_work_item_fence" || f == "atomic_thread_fence" || f.ends_with("mem_fence")) return fence(f, from);
    const bool given = f.ends_with("_explicit");
    if (given) f.resize(f.size() - 9);
    if (f == "atomic_compare_exchange_strong") return compare_exchange(given, from);
    static const std::map<std::string, std::string> k = {
        {"atomic_load", ""},       {"atomic_store", ""},      {"atomic_exchange", ""},  {"atomic_fetch_add", "+"},
        {"atomic_fetch_sub", "-"}, {"atomic_fetch_and", "&"}, {"atomic_fetch_or", "|"}, {"atomic_fetch_xor", "^"}};
    if (!k.contains(f)) throw NotCertified("the function '" + f + "'");
    const bool load = f == "atomic_load", store = f == "atomic_store";
    const int at = place();
    ExprPtr operand;
    if (!load) {
      c_.expect(",");
      operand = cut(expression());
    }
    std::string o = "seq_cst", s = "DV";
    if (given) {
      c_.expect(",");
      o = order();
      if (c_.accept(",")) s = scope();
    }
    c_.expect(")");
    if ((load && (o == "release" || o == "acq_rel")) || (store && (o == "acquire" || o == "consume" || o == "acq_rel")))
      c_.bad("'" + f + "' cannot have this order");
    Instr i{.kind = load ? Kind::load : store ? Kind::store : Kind::rmw, .symbol = at};
    i.tags = {"A", s, order_tag(o, store ? 's' : 'l'), store ? "W" : "R"};
    i.store_tags = {"A", s, order_tag(o, 's'), "W", "RMW"};
    if (i.kind == Kind::rmw) i.tags.insert("RMW");
    i.value = k.at(f).empty() ? operand : cut(make(k.at(f), {make("old", {}), operand}));
    if (wanted && !store) return into_temporary(std::move(i), from);
    if (wanted) c_.bad("a store has no value");
    put(std::move(i), from);
    return constant(0);
  }

  ExprPtr fence(const std::string& f, size_t from) {
    Instr i{.kind = Kind::fence, .tags = {"F"}};
    if (f == "atomic_work_item_fence") {
      flags(i.tags);
      c_.expect(",");
      i.tags.insert(order_tag(order(), 'f'));
      c_.expect(",");
      i.tags.insert(scope());
    } else if (f == "atomic_thread_fence") {
      i.tags.insert({order_tag(order(), 'f'), "DV", "GLOBAL", "LOCAL"});
    } else if (f == "mem_fence" || f == "read_mem_fence" || f == "write_mem_fence") {
      flags(i.tags);
      i.tags.insert({f == "mem_fence" ? "ACQ_REL" : f == "read_mem_fence" ? "ACQ" : "REL", "WG"});
    } else {
      throw NotCertified("the function '" + f + "'");
    }
    c_.expect(")");
    put(std::move(i), from);
    return constant(0);
  }

  // Loads *expected, exchanges if it finds that, and else stores what it found
  // to *expected.
  ExprPtr compare_exchange(bool given, size_t from) {
    const int object = place();
    c_.expect(",");
    if (c_.at("&") || !parameters_.contains(c_.peek().text))
      throw NotCertified("a compare-exchange whose expected value is a variable");
    const int memory = place();
    c_.expect(",");
    ExprPtr desired = cut(expression());
    std::string o = "seq_cst", failure = o, s = "DV";
    if (given) {
      c_.expect(",");
      o = order();
      c_.expect(",");
      failure = order();
      if (c_.accept(",")) s = scope();
    }
    c_.expect(")");
    ExprPtr want = into_temporary({.kind = Kind::load, .symbol = memory, .tags = {"R", "NA"}}, from);
    Instr rmw{.kind = Kind::rmw, .value = desired, .guard = make("==", {make("old", {}), want}), .symbol = object};
    rmw.tags = {"A", s, "RMW", "R", order_tag(o, 'l')};
    rmw.store_tags = {"A", s, "RMW", "W", order_tag(o, 's')};
    rmw.failed_tags = {"A", s, "RMW", "R", order_tag(failure, 'l')};
    ExprPtr old = into_temporary(std::move(rmw), from);
    ExprPtr success = make("==", {old, want});
    const size_t branch = put_branch(success, from);  // jumps over the store where it succeeds
    put({.kind = Kind::store, .value = old, .symbol = memory, .tags = {"W", "NA", "WI"}}, from);
    code()[branch].target = code()[branch].reach = label(from);
    return into_temporary({.kind = Kind::local, .value = success}, from);
  }

  // ---- code ----
  std::vector<Instr>& code() { return p_.threads[t_].code; }
  size_t put(Instr i, size_t from) {
    i.text = c_.since(from);
    code().push_back(std::move(i));
    return code().size() - 1;
  }
  size_t put_branch(ExprPtr jumps, size_t from) { return put({.kind = Kind::branch, .value = std::move(jumps)}, from); }
  int label(size_t from) { return static_cast<int>(put(Instr{}, from)); }

  Tokens& c_;
  Program& p_;
  size_t t_;
  std::set<std::string> parameters_;
  int temporaries_ = 0, unnamed_ = 0, depth_ = 0;
};

class File {
 public:
  File(Tokens& c, Program& p) : c_(c), p_(p) {}

  void read() {
    c_.expect("{");
    while (!c_.accept("}")) {
      if (c_.accept(";")) continue;
      initial();
    }
    c_.accept(";");
    while (c_.peek().kind == Token::Kind::word && c_.peek().text == "P" + std::to_string(p_.threads.size())) thread();
    if (p_.threads.empty()) c_.bad("there is no thread");
  }

 private:
  void initial() {
    if (c_.at("atomic_int") || c_.at("int")) throw NotCertified("a typed location in the initial state");
    if (c_.peek(1).text == ":") throw NotCertified("an initial value of a variable");
    const bool bracket = c_.accept("[");
    const std::string name = c_.word("a location");
    if (bracket) c_.expect("]");
    c_.expect("=");
    if (c_.peek().kind != Token::Kind::number && !c_.at("-"))
      throw NotCertified("an initial value that is not a number");
    const uint64_t v = c_.number("a value");
    if (static_cast<int64_t>(v) < -2147483648LL || static_cast<int64_t>(v) > 2147483647LL)
      throw NotCertified("an initial value beyond int");
    if (find_symbol(p_, name) >= 0) c_.bad("a second initial value of " + name);
    create_symbol(p_, name, v, 32);
  }

  void thread() {
    const auto id = static_cast<int>(p_.threads.size());
    c_.next();
    p_.threads.push_back({.place = read_place(c_, {"dev", "wg"})});
    std::set<std::string> parameters;
    c_.expect("(");
    while (!c_.accept(")")) {
      std::string space = "GENERIC";
      for (bool more = true; more;) {
        more = c_.accept("volatile") || c_.accept("const");
        for (const char* s : {"global", "__global", "local", "__local"})
          if (c_.accept(s)) {
            space = std::string(s).ends_with("global") ? "GLOBAL" : "LOCAL";
            more = true;
          }
      }
      const std::string type = c_.word("a type");
      const bool atomic = type == "atomic_int";
      if (!atomic && type != "int") throw NotCertified("the type '" + type + "'");
      c_.expect("*");
      const std::string name = c_.word("a location");
      c_.accept(",");
      if (!parameters.insert(name).second) c_.bad("a second parameter " + name);
      const int known = find_symbol(p_, name);
      Object& o = p_.objects[p_.symbols[known >= 0 ? known : create_symbol(p_, name, 0, 32)].object];
      if (!atomic) o.tags.insert("NAL");
      o.tags.insert(space);
      if (space == "LOCAL") o.local_in.insert(id);
    }
    Body(c_, p_, static_cast<size_t>(id), parameters).read();
  }

  Tokens& c_;
  Program& p_;
};

}  // namespace

void read_opencl(Tokens& c, Program& p) { File(c, p).read(); }

}  // namespace fencepost::verify
