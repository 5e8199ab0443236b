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
  if (order == "memory_order_seq_cst") return "SC";
  if (order == "memory_order_acquire") return how == 's' ? "RLX" : "ACQ";
  if (order == "memory_order_release") return how == 'l' ? "RLX" : "REL";
  if (order == "memory_order_acq_rel") return how == 'l' ? "ACQ" : how == 's' ? "REL" : "ACQ_REL";
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
  int variable(const std::string& name, bool declare) {
    auto& regs = p_.threads[t_].registers;
    const auto at = std::find(regs.begin(), regs.end(), name);
    if (at != regs.end()) return static_cast<int>(at - regs.begin());
    if (!declare) c_.bad("'" + name + "' is not declared in P" + std::to_string(t_));
    regs.push_back(name);
    p_.threads[t_].widths.push_back(32);
    p_.threads[t_].start.push_back(0);
    return static_cast<int>(regs.size() - 1);
  }

 private:
  struct Place {
    int symbol = -1;
    uint64_t cell = 0;
  };

  // ---- statements ----
  void statement() {
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
        if (c_.accept("=")) {
          ExprPtr v = expression();
          assign(variable(name, true), v, from);
        } else {
          variable(name, true);
        }
      } while (c_.accept(","));
      c_.expect(";");
      return;
    }
    if (c_.at("*")) {
      const Place to = star();
      c_.expect("=");
      Instr i = access(Kind::store, to, {"W", "NA", "WI"});
      i.value = cut(expression());
      put(std::move(i), from);
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
    Instr i;
    i.kind = Kind::local;
    i.dst = dst;
    i.value = cut(std::move(v));
    put(std::move(i), from);
  }

  void if_() {
    const size_t from = c_.position();
    c_.expect("if");
    c_.expect("(");
    ExprPtr cond = expression();
    c_.expect(")");
    if (c_.at("goto")) throw NotCertified("the statement 'goto'");
    const size_t branch = put_branch(make("==", {cond, constant(0)}), from);
    statement();
    if (c_.accept("else")) {
      Instr jump;
      jump.kind = Kind::jump;
      const size_t at = put(std::move(jump), from);
      code()[branch].target = label(from);
      statement();
      const int end = label(from);
      code()[at].target = end;
      code()[branch].reach = end;
    } else {
      code()[branch].target = code()[branch].reach = label(from);
    }
  }

  void loop() {
    const size_t from = c_.position();
    const int head = label(from);
    const bool first = c_.accept("do");
    if (first) statement();
    c_.expect("while");
    c_.expect("(");
    ExprPtr cond = expression();
    c_.expect(")");
    if (first) {
      c_.expect(";");
      const size_t back = put_branch(make("!=", {cond, constant(0)}), from);
      code()[back].target = head;
      code()[back].reach = label(from);
      return;
    }
    const size_t out = put_branch(make("==", {cond, constant(0)}), from);
    statement();
    Instr back;
    back.kind = Kind::jump;
    back.target = head;
    put(std::move(back), from);
    code()[out].target = code()[out].reach = label(from);
  }

  void barrier() {
    const size_t from = c_.position();
    Instr i;
    i.kind = Kind::barrier;
    if (c_.peek(1).text == ":") {
      i.instance = c_.next().text;
      c_.next();
    }
    if (!c_.accept("barrier") && !c_.accept("work_group_barrier"))
      throw NotCertified("a label before '" + c_.peek().text + "'");
    if (i.instance.empty()) i.instance = "#" + std::to_string(unnamed_++);
    if (!p_.threads[t_].placed) c_.bad("a barrier in a thread without a place");
    c_.expect("(");
    i.tags = {"F", "B", "ACQ_REL", "WG"};
    flags(i.tags);
    if (c_.accept(",") && c_.word("a scope") != "memory_scope_work_group")
      throw NotCertified("a barrier of this scope");
    c_.expect(")");
    c_.expect(";");
    put(std::move(i), from);
  }

  void flags(Tags& out) {
    if (c_.peek().text == "0" && c_.peek().kind == Token::Kind::number) {
      c_.next();
      return;
    }
    do {
      const std::string f = c_.word("fence flags");
      if (f == "CLK_GLOBAL_MEM_FENCE")
        out.insert("GLOBAL");
      else if (f == "CLK_LOCAL_MEM_FENCE")
        out.insert("LOCAL");
      else
        throw NotCertified("the fence flag '" + f + "'");
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
    if (c_.accept("!")) return make("==", {unary(), constant(0)});
    if (c_.accept("-")) return make("-", {constant(0), unary()}, 32);
    if (c_.accept("~")) return make("^", {unary(), constant(~uint64_t{0})}, 32);
    if (c_.accept("(")) {
      if (c_.at("int") || c_.at("{")) throw NotCertified("'(" + c_.peek().text + "'");
      ExprPtr out = expression();
      c_.expect(")");
      return out;
    }
    if (c_.at("*")) {
      const size_t from = c_.position();
      Instr i = access(Kind::load, star(), {"R", "NA"});
      return into_temporary(std::move(i), from);
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

  ExprPtr reg(int index) const {
    auto e = std::make_shared<Expr>();
    e->op = "reg";
    e->thread = static_cast<int>(t_);
    e->index = index;
    return e;
  }

  ExprPtr into_temporary(Instr i, size_t from) {
    const int tmp = variable("$" + std::to_string(temporaries_++), true);
    i.dst = tmp;
    put(std::move(i), from);
    return reg(tmp);
  }

  Place place() {
    const std::string name = c_.word("a location");
    if (!parameters_.contains(name)) throw NotCertified("a place that is not a location by its name, '" + name + "'");
    if (c_.at("+") || c_.at("[") || c_.at("-")) throw NotCertified("the cell of an array");
    return {find_symbol(p_, name), 0};
  }
  Place star() {
    c_.expect("*");
    if (c_.at("(") || c_.at("*")) throw NotCertified("a place that is not a location by its name");
    return place();
  }

  std::string order() {
    const std::string o = c_.word("an order");
    static const Tags k = {"memory_order_relaxed", "memory_order_consume", "memory_order_acquire",
                           "memory_order_release", "memory_order_acq_rel", "memory_order_seq_cst"};
    if (!k.contains(o)) c_.bad("'" + o + "' is no order");
    return o;
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
    const Place at = place();
    ExprPtr operand;
    if (!load) {
      c_.expect(",");
      operand = cut(expression());
    }
    std::string o = "memory_order_seq_cst", s = "DV";
    if (given) {
      c_.expect(",");
      o = order();
      if (c_.accept(",")) s = scope();
    }
    c_.expect(")");
    if ((load && (o == "memory_order_release" || o == "memory_order_acq_rel")) ||
        (store && (o == "memory_order_acquire" || o == "memory_order_consume" || o == "memory_order_acq_rel")))
      c_.bad("'" + f + "' cannot have this order");
    Instr i = access(load ? Kind::load : store ? Kind::store : Kind::rmw, at, {"A", s});
    i.store_tags = i.tags;
    i.tags.insert(order_tag(o, store ? 's' : 'l'));
    i.store_tags.insert(order_tag(o, 's'));
    i.tags.insert(store ? "W" : "R");
    if (i.kind == Kind::rmw) {
      i.tags.insert("RMW");
      i.store_tags.insert({"W", "RMW"});
    }
    i.value = k.at(f).empty() ? operand : cut(make(k.at(f), {make("old", {}), operand}));
    if (wanted && !store) return into_temporary(std::move(i), from);
    if (wanted) c_.bad("a store has no value");
    put(std::move(i), from);
    return constant(0);
  }

  ExprPtr fence(const std::string& f, size_t from) {
    Instr i;
    i.kind = Kind::fence;
    i.tags = {"F"};
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
    const Place object = place();
    c_.expect(",");
    if (c_.at("&") || !parameters_.contains(c_.peek().text))
      throw NotCertified("a compare-exchange whose expected value is a variable");
    const Place memory = place();
    c_.expect(",");
    ExprPtr desired = cut(expression());
    std::string o = "memory_order_seq_cst", failure = o, s = "DV";
    if (given) {
      c_.expect(",");
      o = order();
      c_.expect(",");
      failure = order();
      if (c_.accept(",")) s = scope();
    }
    c_.expect(")");
    ExprPtr want = into_temporary(access(Kind::load, memory, {"R", "NA"}), from);
    Instr rmw = access(Kind::rmw, object, {"A", s, "RMW"});
    rmw.store_tags = rmw.failed_tags = rmw.tags;
    rmw.tags.insert({"R", order_tag(o, 'l')});
    rmw.store_tags.insert({"W", order_tag(o, 's')});
    rmw.failed_tags.insert({"R", order_tag(failure, 'l')});
    rmw.value = desired;
    rmw.guard = make("==", {make("old", {}), want});
    ExprPtr old = into_temporary(std::move(rmw), from);
    ExprPtr success = make("==", {old, want});
    const size_t branch = put_branch(success, from);  // jumps over the store where it succeeds
    Instr back = access(Kind::store, memory, {"W", "NA", "WI"});
    back.value = old;
    put(std::move(back), from);
    code()[branch].target = code()[branch].reach = label(from);
    Instr result;
    result.kind = Kind::local;
    result.value = success;
    return into_temporary(std::move(result), from);
  }

  // ---- code ----
  std::vector<Instr>& code() { return p_.threads[t_].code; }
  Instr access(Kind kind, Place at, Tags tags) const {
    Instr i;
    i.kind = kind;
    i.symbol = at.symbol;
    i.cell = at.cell;
    i.tags = std::move(tags);
    return i;
  }
  size_t put(Instr i, size_t from) {
    i.line = c_.peek().line;
    i.text = c_.since(from);
    code().push_back(std::move(i));
    return code().size() - 1;
  }
  size_t put_branch(ExprPtr jumps, size_t from) {
    Instr i;
    i.kind = Kind::branch;
    i.value = std::move(jumps);
    return put(std::move(i), from);
  }
  int label(size_t from) { return static_cast<int>(put(Instr{}, from)); }

  Tokens& c_;
  Program& p_;
  size_t t_;
  std::set<std::string> parameters_;
  int temporaries_ = 0, unnamed_ = 0;
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
    if (c_.accept("atomic_int") || c_.accept("int")) {
      if (c_.at("*")) throw NotCertified("a pointer in the initial state");
      throw NotCertified("a typed location in the initial state");
    }
    if (c_.peek(1).text == ":") throw NotCertified("an initial value of a variable");
    const bool bracket = c_.accept("[");
    const std::string name = c_.word("a location");
    if (bracket) c_.expect("]");
    c_.expect("=");
    if (c_.peek().kind != Token::Kind::number && !c_.at("-")) throw NotCertified("an initial value that is no number");
    const uint64_t v = c_.number("a value");
    if (static_cast<int64_t>(v) < -2147483648LL || static_cast<int64_t>(v) > 2147483647LL)
      throw NotCertified("an initial value beyond int");
    if (find_symbol(p_, name) >= 0) c_.bad("a second initial value of " + name);
    create(name, v);
  }

  int create(const std::string& name, uint64_t v) {
    Object o;
    o.name = name;
    o.width = 32;
    o.start = {v};
    const auto id = static_cast<int>(p_.symbols.size());
    p_.symbols.push_back({name, static_cast<int>(p_.objects.size()), id});
    p_.objects.push_back(std::move(o));
    return id;
  }

  void thread() {
    const auto id = static_cast<int>(p_.threads.size());
    c_.next();
    Thread t;
    t.placed = c_.accept("@");
    if (!t.placed) throw NotCertified("a thread without a place");
    t.place = {0, 0, 0};
    std::set<std::string> seen;
    while (t.placed) {
      const std::string level = c_.word("a level");
      if (level != "wg" && level != "dev") throw NotCertified("the level '" + level + "'");
      if (!seen.insert(level).second) c_.bad("a level is given twice");
      t.place[level == "wg" ? 2 : 1] = c_.number("a number");
      if (!c_.accept(",")) break;
    }
    if (t.placed && seen.size() != 2) throw NotCertified("a place without wg or dev");
    p_.threads.push_back(std::move(t));
    std::set<std::string> parameters;
    c_.expect("(");
    while (!c_.accept(")")) {
      std::string space = "GENERIC";
      bool atomic = false;
      for (;;) {
        if (c_.accept("volatile") || c_.accept("const")) continue;
        if (c_.accept("global") || c_.accept("__global")) {
          space = "GLOBAL";
        } else if (c_.accept("local") || c_.accept("__local")) {
          space = "LOCAL";
        } else {
          break;
        }
      }
      const std::string type = c_.word("a type");
      atomic = type == "atomic_int";
      if (!atomic && type != "int") throw NotCertified("the type '" + type + "'");
      c_.expect("*");
      const std::string name = c_.word("a location");
      c_.accept(",");
      if (!parameters.insert(name).second) c_.bad("a second parameter " + name);
      const int known = find_symbol(p_, name);
      Object& o = p_.objects[p_.symbols[known >= 0 ? known : create(name, 0)].object];
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
