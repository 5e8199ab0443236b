#include "code/kernel.h"

#include <algorithm>
#include <set>

#include "base/diagnostic.h"

namespace fencepost::code {
namespace {

using Kind = Statement::Kind;

const char* name_of(Builtin b) {
  switch (b) {
    case Builtin::group:
      return "group";
    case Builtin::lane:
      return "lane";
    case Builtin::groups:
      return "groups";
    case Builtin::lanes:
      return "lanes";
    case Builtin::cluster:
      return "cluster";
    case Builtin::rank:
      return "rank";
    case Builtin::ranks:
      return "ranks";
  }
  return "group";
}

const char* name_of(AtomicOp op) {
  switch (op) {
    case AtomicOp::add:
      return "add";
    case AtomicOp::exchange:
      return "exchange";
    case AtomicOp::compare_exchange:
      return "compare_exchange";
    case AtomicOp::or_:
      return "or";
    case AtomicOp::max:
      return "max";
  }
  return "add";
}

const char* name_of(Order o) {
  switch (o) {
    case Order::plain:
      return "plain";
    case Order::group:
      return "group";
    case Order::device:
      return "device";
    case Order::system:
      return "system";
  }
  return "plain";
}

bool is_identifier(const std::string& s) {
  const auto letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !s.empty() && letter(s[0]) &&
         std::all_of(s.begin(), s.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// Collects the first fault only; every check is skipped after it.
class Checker {
 public:
  explicit Checker(const Kernel& k) : k_(k) {}

  std::string run() {
    names();
    for (size_t i = 0; i < k_.operations.size(); ++i) operation(k_.operations[i], static_cast<uint32_t>(i));
    statements(k_.body, 0);
    return fault_;
  }

 private:
  void fail(std::string what) {
    if (fault_.empty()) fault_ = std::move(what);
  }

  void names() {
    if (!is_identifier(k_.name)) fail("the kernel's name '" + k_.name + "' is not an identifier");
    std::set<std::string> seen;
    for (const Buffer& b : k_.buffers) {
      if (!is_identifier(b.name)) fail("the buffer's name '" + b.name + "' is not an identifier");
      if (!seen.insert(b.name).second) fail("two buffers or variables are called " + b.name);
    }
    for (const Variable& v : k_.variables) {
      if (!is_identifier(v.name)) fail("the variable's name '" + v.name + "' is not an identifier");
      if (!seen.insert(v.name).second) fail("two buffers or variables are called " + v.name);
      if (v.width != 1 && v.width != 32 && v.width != 64)
        fail("variable " + v.name + " has a width other than 1, 32, 64");
    }
  }

  // `old_width`: of prog::k_old_value, 0 where it may not stand.
  void expression(const term::Expr& e, const std::string& where, uint8_t old_width = 0) {
    if (!fault_.empty()) return;
    if (e.width() != 1 && e.width() != 32 && e.width() != 64)
      return fail(where + ": a value of width " + std::to_string(e.width()));
    if (e.is_var()) {
      if (e.value() == prog::k_old_value && old_width != 0) {
        if (e.width() != old_width) fail(where + ": the old value has another width than its place");
      } else if (e.value() >= k_.variables.size()) {
        fail(where + ": a variable that is not declared");
      } else if (e.width() != k_.variables[e.value()].width) {
        fail(where + ": variable " + k_.variables[e.value()].name + " is read with another width");
      }
    }
    for (const term::Expr& kid : e.kids()) expression(kid, where, old_width);
  }

  void needs(const term::Expr& e, uint8_t width, const std::string& where, uint8_t old_width = 0) {
    if (!e) return fail(where + ": a value is missing");
    if (e.width() != width)
      return fail(where + ": a value of width " + std::to_string(e.width()) + " instead of " + std::to_string(width));
    expression(e, where, old_width);
  }

  // Width of a variable, or 0 after a fault.
  uint8_t destination(Var v, const std::string& where) {
    if (v < k_.variables.size()) return k_.variables[v].width;
    fail(where + ": a variable that is not declared");
    return 0;
  }

  void place(const Place& p, const std::string& where) {
    if (p.width != 32 && p.width != 64) fail(where + ": a place of a width other than 32, 64");
    if (p.buffer == k_shared ? k_.shared_words == 0 : p.buffer >= k_.buffers.size())
      fail(where + ": a buffer that is not declared");
    if (!p.index) return fail(where + ": a place without an index");
    if (p.index.width() != 32 && p.index.width() != 64) return fail(where + ": an index of a width other than 32, 64");
    expression(p.index, where);
  }

  void written(const Place& p, const std::string& where) {
    if (p.buffer < k_.buffers.size() && k_.buffers[p.buffer].read_only)
      fail(where + ": buffer " + k_.buffers[p.buffer].name + " is read-only");
  }

  void operation(const Operation& o, uint32_t number) {
    const std::string where = "operation " + std::to_string(number) + " (" + o.instr.mnemonic + ")";
    const uint8_t width = o.place.width;
    const auto gets = [&](uint8_t w) {
      if (o.var != k_no_var && destination(o.var, where) != w) fail(where + ": its destination has another width");
    };
    switch (o.instr.kind) {
      case prog::Kind::load:
        place(o.place, where);
        if (o.var == k_no_var) fail(where + ": a load without destination");
        gets(width);
        return;
      case prog::Kind::store:
        place(o.place, where);
        written(o.place, where);
        needs(o.value, width, where);
        return;
      case prog::Kind::rmw:
        place(o.place, where);
        written(o.place, where);
        needs(o.value, width, where, width);
        if (o.guard) needs(o.guard, 1, where, width);
        if (o.result) expression(o.result, where, width);
        gets(o.result ? o.result.width() : width);
        return;
      case prog::Kind::fence:
      case prog::Kind::barrier:
        return;
      default:
        fail(where + ": no memory instruction, fence or barrier");
    }
  }

  void statements(const std::vector<Statement>& list, uint32_t loops) {
    for (const Statement& s : list) statement(s, loops);
  }

  void statement(const Statement& s, uint32_t loops) {
    if (!fault_.empty()) return;
    switch (s.kind) {
      case Kind::set:
        if (const uint8_t w = destination(s.var, "set")) needs(s.value, w, "set " + k_.variables[s.var].name);
        return;
      case Kind::builtin:
        if (destination(s.var, "builtin") != 32) fail("builtin: the variable must have width 32");
        return;
      case Kind::load:
        place(s.place, "load");
        if (destination(s.var, "load") != s.place.width) fail("load: place and variable differ in width");
        return;
      case Kind::store:
        place(s.place, "store");
        written(s.place, "store");
        needs(s.value, s.place.width, "store");
        return;
      case Kind::atomic:
        place(s.place, "atomic");
        written(s.place, "atomic");
        if (s.order == Order::plain) fail("atomic: an atomic of order plain");
        if (s.var != k_no_var && destination(s.var, "atomic") != s.place.width)
          fail("atomic: place and variable differ in width");
        needs(s.value, s.place.width, "atomic");
        if (s.op == AtomicOp::compare_exchange)
          needs(s.compare, s.place.width, "atomic");
        else if (s.compare)
          fail("atomic: only compare_exchange compares");
        return;
      case Kind::test:
        if (s.operation >= k_.operations.size()) fail("test: an operation that is not declared");
        return;
      case Kind::branch:
        needs(s.value, 1, "branch");
        statements(s.body, loops);
        statements(s.other, loops);
        return;
      case Kind::loop:
        statements(s.body, loops + 1);
        return;
      case Kind::leave:
        if (loops == 0) fail("leave: outside of a loop");
        if (s.value) needs(s.value, 1, "leave");
        return;
      case Kind::clock:
        if (destination(s.var, "clock") != 64) fail("clock: the variable must have width 64");
        return;
      case Kind::pause:
        needs(s.value, 32, "pause");
        return;
      case Kind::fence:
      case Kind::barrier:
      case Kind::note:
        return;
    }
  }

  const Kernel& k_;
  std::string fault_;
};

class Printer {
 public:
  explicit Printer(const Kernel& k) : k_(k) {}

  std::string run() {
    out_ = "kernel " + k_.name + "(";
    for (size_t i = 0; i < k_.buffers.size(); ++i)
      out_ += (i != 0 ? ", " : "") + k_.buffers[i].name + (k_.buffers[i].read_only ? ": const" : "");
    out_ += ")";
    if (k_.shared_words != 0) out_ += " shared " + std::to_string(k_.shared_words);
    out_ += " lanes <= " + std::to_string(k_.group_limit) + "\n";
    for (const Variable& v : k_.variables) line(1, "var " + v.name + ": " + std::to_string(v.width));
    statements(k_.body, 1);
    return out_;
  }

 private:
  void line(int depth, const std::string& text) {
    out_ += std::string(static_cast<size_t>(depth) * 2, ' ') + text + "\n";
  }

  std::string variable(uint64_t v) const {
    if (v == prog::k_old_value) return "old";
    return v < k_.variables.size() ? k_.variables[v].name : "v?" + std::to_string(v);
  }
  std::string text(const term::Expr& e) const {
    return e ? term::to_string(e, [&](uint64_t v) { return variable(v); }) : "?";
  }
  std::string text(const Place& p) const {
    const std::string base = p.buffer == k_shared           ? "shared"
                             : p.buffer < k_.buffers.size() ? k_.buffers[p.buffer].name
                                                            : "b?";
    return base + "[" + text(p.index) + "]" + (p.width == 64 ? ":64" : "");
  }

  std::string operation(uint32_t number) const {
    if (number >= k_.operations.size()) return "test ?";
    const Operation& o = k_.operations[number];
    std::string s = "test P" + std::to_string(o.role) + " " + o.instr.mnemonic + ": ";
    switch (o.instr.kind) {
      case prog::Kind::load:
        return s + variable(o.var) + " := " + text(o.place);
      case prog::Kind::store:
        return s + text(o.place) + " := " + text(o.value);
      case prog::Kind::rmw:
        if (o.var != k_no_var) s += variable(o.var) + " := " + (o.result ? text(o.result) : "old") + ", ";
        s += text(o.place) + " := " + text(o.value);
        return o.guard ? s + " if " + text(o.guard) : s;
      default:
        return s.substr(0, s.size() - 2);
    }
  }

  void statements(const std::vector<Statement>& list, int depth) {
    for (const Statement& s : list) statement(s, depth);
  }

  void statement(const Statement& s, int depth) {
    const std::string order = s.order == Order::plain ? "" : std::string(" ") + name_of(s.order);
    switch (s.kind) {
      case Kind::set:
        return line(depth, variable(s.var) + " := " + text(s.value));
      case Kind::builtin:
        return line(depth, variable(s.var) + " := " + name_of(s.builtin));
      case Kind::load:
        return line(depth, variable(s.var) + " := " + text(s.place) + order);
      case Kind::store:
        return line(depth, text(s.place) + " := " + text(s.value) + order);
      case Kind::atomic: {
        std::string t = s.var != k_no_var ? variable(s.var) + " := " : "";
        t += std::string(name_of(s.op)) + "(" + text(s.place);
        if (s.compare) t += ", " + text(s.compare);
        return line(depth, t + ", " + text(s.value) + ")" + order);
      }
      case Kind::test:
        return line(depth, operation(s.operation));
      case Kind::fence:
        return line(depth, s.partial ? "fence acq_rel" : "fence");
      case Kind::barrier:
        return line(depth, "barrier");
      case Kind::branch:
        line(depth, "if " + text(s.value));
        statements(s.body, depth + 1);
        if (!s.other.empty()) {
          line(depth, "else");
          statements(s.other, depth + 1);
        }
        return;
      case Kind::loop:
        line(depth, "loop");
        return statements(s.body, depth + 1);
      case Kind::leave:
        return line(depth, s.value ? "leave if " + text(s.value) : "leave");
      case Kind::clock:
        return line(depth, variable(s.var) + " := clock");
      case Kind::pause:
        return line(depth, "pause " + text(s.value));
      case Kind::note:
        return line(depth, "# " + s.text);
    }
  }

  const Kernel& k_;
  std::string out_;
};

Statement of(Kind kind) {
  Statement s;
  s.kind = kind;
  return s;
}

}  // namespace

Statement set(Var v, term::Expr value) {
  Statement s = of(Kind::set);
  s.var = v;
  s.value = std::move(value);
  return s;
}

Statement read_builtin(Var v, Builtin b) {
  Statement s = of(Kind::builtin);
  s.var = v;
  s.builtin = b;
  return s;
}

Statement load(Var v, Place p, Order o) {
  Statement s = of(Kind::load);
  s.var = v;
  s.place = std::move(p);
  s.order = o;
  return s;
}

Statement store(Place p, term::Expr value, Order o) {
  Statement s = of(Kind::store);
  s.place = std::move(p);
  s.value = std::move(value);
  s.order = o;
  return s;
}

Statement atomic(AtomicOp op, Var old, Place p, term::Expr value, Order o, term::Expr compare) {
  Statement s = of(Kind::atomic);
  s.op = op;
  s.var = old;
  s.place = std::move(p);
  s.value = std::move(value);
  s.order = o;
  s.compare = std::move(compare);
  return s;
}

Statement branch(term::Expr condition, std::vector<Statement> then, std::vector<Statement> otherwise) {
  Statement s = of(Kind::branch);
  s.value = std::move(condition);
  s.body = std::move(then);
  s.other = std::move(otherwise);
  return s;
}

Statement loop(std::vector<Statement> body) {
  Statement s = of(Kind::loop);
  s.body = std::move(body);
  return s;
}

Statement leave_if(term::Expr condition) {
  Statement s = of(Kind::leave);
  s.value = std::move(condition);
  return s;
}

Statement barrier() { return of(Kind::barrier); }
Statement fence(bool partial) {
  Statement s = of(Kind::fence);
  s.partial = partial;
  return s;
}

Statement clock(Var v) {
  Statement s = of(Kind::clock);
  s.var = v;
  return s;
}

Statement pause(term::Expr nanoseconds) {
  Statement s = of(Kind::pause);
  s.value = std::move(nanoseconds);
  return s;
}

Statement note(std::string text) {
  Statement s = of(Kind::note);
  s.text = std::move(text);
  return s;
}

Statement test(uint32_t operation) {
  Statement s = of(Kind::test);
  s.operation = operation;
  return s;
}

Var add_variable(Kernel& k, std::string name, uint8_t width) {
  k.variables.push_back({std::move(name), width});
  return static_cast<Var>(k.variables.size() - 1);
}

term::Expr value_of(const Kernel& k, Var v) {
  FENCEPOST_INVARIANT(v < k.variables.size(), "the value of a variable that does not exist was asked for");
  return term::variable(v, k.variables[v].width);
}

bool uses_clusters(const Kernel& k) {
  const auto in = [](const auto& self, const std::vector<Statement>& body) -> bool {
    return std::any_of(body.begin(), body.end(), [&](const Statement& s) {
      return (s.kind == Statement::Kind::builtin && s.builtin >= Builtin::cluster) || self(self, s.body) ||
             self(self, s.other);
    });
  };
  return in(in, k.body);
}

std::string fault_of(const Kernel& k) { return Checker(k).run(); }
std::string to_string(const Kernel& k) { return Printer(k).run(); }

}  // namespace fencepost::code
