// OPENCL litmus files. The front end lowers C to instructions with temporaries; this printer gives the C back:
//   - forms and labels become if, while, do; plain jumps become goto;
//   - the instructions of a compare-exchange become one call;
//   - a temporary that is read once, by what directly follows, prints as its load, provided that C would evaluate
//     the loads of that statement in the order of the code; any other prints as a variable _tN, which the front
//     end reads as a temporary.
// Registers are declared in the order of their numbers, so that reading gives the same numbers.
#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "print/litmus.h"
#include "print/opencl_text.h"
#include "print/question.h"
#include "prog/places.h"
#include "prog/syntax.h"

namespace fencepost::print {
namespace {

using namespace opencl;
using prog::Form;
using prog::Instr;
using prog::k_none;
using prog::Kind;
using prog::RegId;

class ThreadPrinter {
 public:
  ThreadPrinter(const prog::Test& test, uint32_t thread, std::string& out)
      : test_(test),
        code_(test.code(thread)),
        out_(out),
        declared_(code_.registers.size(), false),
        inside_call_(code_.registers.size(), false),
        uses_(code_.registers.size(), 0),
        definitions_(code_.registers.size(), 0) {
    for (const prog::InitValue& v : test.threads[thread].init) declared_[v.reg] = true;
    for (RegId r = 0; r < code_.registers.size(); ++r)
      for (const std::string& p : code_.parameters)
        declared_[r] = declared_[r] || p.ends_with(" " + code_.registers[r].name);
    count();
  }

  void body() {
    indent_ = 1;
    block(0, size(), std::nullopt);
    declare_all(static_cast<RegId>(code_.registers.size()));
  }

 private:
  // Some instructions that print as one statement.
  struct Unit {
    size_t begin = 0;
    size_t end = 0;  // one past
    enum class Kind : uint8_t { plain, cas, if_, loop } kind = Kind::plain;
    RegId dst = k_none;  // what it defines, if it can stand inside another expression
  };

  size_t size() const { return code_.code.size(); }
  const Instr& at(size_t i) const { return code_.code[i]; }
  bool is(size_t i, std::string_view mnemonic) const { return i < size() && at(i).mnemonic == mnemonic; }
  size_t position(prog::LabelId l) const { return l < code_.labels.size() ? code_.labels[l].at : size(); }
  void line(const std::string& text) { out_ += std::string(static_cast<size_t>(indent_) * 2, ' ') + text + "\n"; }

  // ---- structure -------------------------------------------------------------------------------------

  Unit unit(size_t i) const {
    Unit u{i, i + 1, Unit::Kind::plain, k_none};
    const Instr& in = at(i);
    if (in.mnemonic == "cas.expected") {
      u.kind = Unit::Kind::cas;
      u.end = std::min(size(), is(i + 5, "cas.result") ? i + 6 : i + 5);
      if (is(i + 5, "cas.result")) u.dst = at(i + 5).dst;
    } else if (in.kind == Kind::rmw && in.mnemonic.starts_with("atomic_compare_exchange")) {
      u.kind = Unit::Kind::cas;
      if (is(i + 1, "cas.result")) u.dst = at(i + 1).dst;
      u.end = std::min(size(), u.dst != k_none ? i + 3 : i + 2);
    } else if (in.kind == Kind::branch && in.form == Form::c_if) {
      u.kind = Unit::Kind::if_;
      u.end = std::min(size(), std::max(i, end_of_if(i)) + 1);
    } else if (in.kind == Kind::label && in.form == Form::c_while) {
      u.kind = Unit::Kind::loop;
      u.end = std::min(size(), std::max(i, position(in.ctrl_end)) + 1);
    } else if (in.kind == Kind::load || in.kind == Kind::rmw) {
      u.dst = in.dst;
    }
    return u;
  }

  // Position of the else label, or of the end label when there is no else.
  size_t else_of(size_t branch) const { return std::min(position(at(branch).label), size() - 1); }
  bool has_else(size_t branch) const { return at(else_of(branch)).form == Form::c_else && else_of(branch) > branch; }
  size_t end_of_if(size_t branch) const {
    const size_t e = else_of(branch);
    return has_else(branch) ? std::min(position(at(e - 1).label), size() - 1) : e;
  }

  // ---- uses ------------------------------------------------------------------------------------------

  void count() {
    const auto use = [&](const term::Expr& e) {
      term::for_each_variable(e, [&](uint64_t v) {
        if (v < uses_.size()) ++uses_[v];
      });
    };
    for (const Instr& in : code_.code) {
      use(in.addr.index);
      if (in.kind == Kind::rmw) {
        const bool cas = in.guard && in.args.size() == 2 && in.mnemonic.starts_with("atomic_");
        for (size_t k = cas ? 1 : 0; k < in.args.size(); ++k) use(in.args[k]);
      } else {
        use(in.value);
      }
      use(in.barrier.id);
      use(in.barrier.quorum);
      if (in.dst != k_none) ++definitions_[in.dst];
    }
    for (size_t i = 0; i < size(); ++i)
      for (RegId r : internals(unit(i)))
        if (r != k_none) inside_call_[r] = true;
  }

  bool inlinable(const Unit& u) const {
    return u.dst != k_none && code_.registers[u.dst].temporary && uses_[u.dst] == 1 && definitions_[u.dst] == 1 &&
           !declared_[u.dst];
  }

  // ---- declarations ----------------------------------------------------------------------------------

  void declare_all(RegId end) {
    for (RegId r = 0; r < end; ++r)
      if (!declared_[r]) {
        declared_[r] = true;
        line(fmt::format("{} {};", type_of(code_.registers[r]), code_.registers[r].name));
      }
  }

  // Registers that reading the unit as one expression makes, in order, without its result.
  std::vector<RegId> internals(const Unit& u) const {
    std::vector<RegId> out;
    if (u.kind == Unit::Kind::cas)
      for (size_t i = u.begin; i < u.end; ++i)
        if (at(i).kind == Kind::load || at(i).kind == Kind::rmw) {
          out.push_back(at(i).dst);
          if (at(i).spurious != k_none) out.push_back(at(i).spurious);
        }
    return out;
  }

  // ---- statements ------------------------------------------------------------------------------------

  // Text of the unit as an expression.
  Text expression(Writer& w, const Unit& u) const {
    const Instr& in = at(u.begin);
    if (u.kind == Unit::Kind::cas) {
      const bool memory = in.mnemonic == "cas.expected";
      const Instr& rmw = memory ? at(u.begin + 1) : in;
      const std::string type = type_of(code_.registers[rmw.dst]);
      std::string args = w.pointer(rmw.addr, type, true).s;
      if (memory)
        args += ", " + w.pointer(in.addr, type_of(code_.registers[in.dst]), true).s;
      else
        args += fmt::format(", &{}", u.end > u.begin + 1 ? w.name(at(u.end - 1).dst) : "?");
      args += ", " + w.argument(rmw.args.empty() ? rmw.value : rmw.args.back());
      for (const std::string& s : rmw.spelling) args += ", " + s;
      return {rmw.mnemonic + "(" + args + ")", k_primary, 32, true};
    }
    const uint8_t width = in.dst != k_none ? code_.registers[in.dst].width : in.value ? in.value.width() : 32;
    const std::string type = in.dst != k_none ? type_of(code_.registers[in.dst]) : integer_type(width, true);
    const bool exact = in.dst != k_none && code_.registers[in.dst].temporary;
    if (in.mnemonic.empty() || in.mnemonic == "load")
      return {w.dereference(in.addr, type, exact), k_unary, width, true};
    std::string args = w.pointer(in.addr, rmw_type(in, type), exact || in.kind == Kind::rmw).s;
    for (const term::Expr& e : in.args) args += ", " + w.argument(e);
    for (const std::string& s : in.spelling) args += ", " + s;
    return {in.mnemonic + "(" + args + ")", k_primary, width, true};
  }

  // fetch_min and fetch_max compare with the sign of the object's type.
  static std::string rmw_type(const Instr& in, const std::string& type) {
    if (in.kind != Kind::rmw || !in.value ||
        (in.mnemonic.find("fetch_m") == std::string::npos && !in.mnemonic.starts_with("atomicM")))
      return type;
    return integer_type(in.value.width(), in.value.op() != term::Op::umin && in.value.op() != term::Op::umax);
  }

  std::string statement(Writer& w, const Unit& u) const {
    const Instr& in = at(u.begin);
    switch (in.kind) {
      case Kind::store: {
        if (in.mnemonic.empty() || in.mnemonic == "store") {
          const std::string left = w.dereference(in.addr, integer_type(in.value.width(), true), false);
          return fmt::format("{} = {};", left, w.assigned(in.value, ""));
        }
        std::string args = w.pointer(in.addr, integer_type(in.value.width(), true), false).s;
        args += ", " + w.argument(in.value);
        for (const std::string& s : in.spelling) args += ", " + s;
        return fmt::format("{}({});", in.mnemonic, args);
      }
      case Kind::fence:
        return fmt::format("{}({});", in.mnemonic, fmt::join(in.spelling, ", "));
      case Kind::barrier: {
        const std::string label = in.barrier.instance.starts_with("#") ? "" : in.barrier.instance + ": ";
        return fmt::format("{}{}({});", label, in.mnemonic, fmt::join(in.spelling, ", "));
      }
      case Kind::label:
        return label_name(in.label) + ": ;";
      case Kind::jump:
        return in.mnemonic.empty() ? "goto " + label_name(in.label) + ";" : in.mnemonic + ";";
      case Kind::branch: {
        const bool negated = in.form == Form::c_if;
        const term::Expr c = negated ? term::unary(term::Op::not_, in.value) : in.value;
        if (negated) return "if (" + w.condition(c) + ")";
        if (in.form == Form::c_while || in.form == Form::c_while_back)
          return w.condition(in.form == Form::c_while ? term::unary(term::Op::not_, c) : c);
        return fmt::format("if ({}) goto {};", w.condition(c), label_name(in.label));
      }
      case Kind::local:
        return w.assigned(in.value, type_of(code_.registers[in.dst])) + ";";
      case Kind::load:
      case Kind::rmw:
        return expression(w, u).s + ";";
    }
    return "";
  }

  std::string label_name(prog::LabelId l) const {
    std::string name = l < code_.labels.size() ? code_.labels[l].name : "nowhere";
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
  }

  RegId target(const Unit& u) const {
    if (u.kind == Unit::Kind::cas) return u.dst;
    const Instr& in = at(u.begin);
    return u.kind == Unit::Kind::plain ? in.dst : k_none;
  }

  // `r = t` of a load would be read as a load into r.
  bool copies(const Unit& u, const std::vector<Unit>& defs) const {
    const Instr& in = at(u.begin);
    if (u.kind != Unit::Kind::plain || in.kind != Kind::local || !in.value.is_var()) return false;
    return std::any_of(defs.begin(), defs.end(), [&](const Unit& d) { return d.dst == in.value.value(); });
  }

  // Registers that reading the statement makes, in order.
  std::vector<RegId> made_by(const Unit& u, const std::vector<Unit>& defs) const {
    std::vector<RegId> made;
    for (const Unit& d : defs) {
      const auto inside = internals(d);
      made.insert(made.end(), inside.begin(), inside.end());
      made.push_back(d.dst);
    }
    const auto inside = internals(u);
    made.insert(made.end(), inside.begin(), inside.end());
    // A variable with a smaller number was declared on its own, earlier.
    const RegId dst = target(u);
    if (dst != k_none && !declared_[dst] && (made.empty() || dst > made.back())) made.push_back(dst);
    return made;
  }

  // Variables that the statement reads must stand before it.
  void declare_used(const Unit& u, const std::vector<Unit>& defs, const std::vector<RegId>& made) {
    RegId most = 0;
    const auto use = [&](const term::Expr& e) {
      term::for_each_variable(e, [&](uint64_t v) {
        const auto r = static_cast<RegId>(v);
        const bool here =
            v >= declared_.size() || (std::find(made.begin(), made.end(), r) != made.end() && r != target(u));
        if (!here && !declared_[r]) most = std::max(most, r + 1);
      });
    };
    const auto uses = [&](const Unit& x) {
      for (size_t i = x.begin; i < x.end; ++i) {
        use(at(i).addr.index);
        use(at(i).value);
        use(at(i).guard);
        if (at(i).mnemonic == "cas.update") most = std::max(most, declared_[at(i).dst] ? 0 : at(i).dst + 1);
        for (const term::Expr& e : at(i).args) use(e);
      }
    };
    uses(u);
    for (const Unit& d : defs) uses(d);
    declare_all(most);
  }

  // The text of `u` with `defs` inside it, if that reads back the same.
  std::optional<std::string> fits(const Unit& u, const std::vector<Unit>& defs) const {
    if (copies(u, defs)) return std::nullopt;
    Writer w(test_, code_);
    for (const Unit& d : defs) w.inlined.emplace(d.dst, [this, &w, d] { return expression(w, d); });
    std::string text = statement(w, u);
    if (w.misplaced || w.met.size() != defs.size()) return std::nullopt;
    for (size_t k = 0; k < defs.size(); ++k)
      if (w.met[k] != defs[k].dst) return std::nullopt;
    const std::vector<RegId> made = made_by(u, defs);
    for (size_t k = 0; k < made.size(); ++k)
      if (declared_[made[k]] || (k > 0 && made[k] != made[k - 1] + 1)) return std::nullopt;
    return text;
  }

  std::string assignment(const Unit& u, const std::string& text, bool declares) const {
    const RegId dst = target(u);
    if (dst == k_none) return text;
    return fmt::format("{}{} = {}", declares ? type_of(code_.registers[dst]) + " " : "", code_.registers[dst].name,
                       text);
  }

  // Prints the pending definitions that cannot stand inside `u`, and gives the text of `u`.
  std::string resolve(std::vector<Unit>& pending, const Unit& u) {
    for (size_t k = 0; k <= pending.size(); ++k) {
      const std::vector<Unit> inside(pending.begin() + static_cast<long>(k), pending.end());
      const auto text = fits(u, inside);
      if (!text) continue;
      pending.resize(k);
      flush(pending);
      declare_used(u, inside, made_by(u, inside));
      if (const RegId dst = target(u); dst != k_none && !declared_[dst]) {
        const std::vector<RegId> first = made_by(u, inside);
        if (first.empty() || first.back() != dst) declare_all(dst + 1);
      }
      const std::vector<RegId> made = made_by(u, inside);
      if (std::any_of(made.begin(), made.end(), [&](RegId r) { return declared_[r]; })) {
        // What stood before had to declare some of them.
        pending = inside;
        flush(pending);
        return resolve(pending, u);
      }
      const bool declares = target(u) != k_none && !declared_[target(u)];
      if (!made.empty()) declare_all(made.front());
      for (RegId r : made) declared_[r] = true;
      return assignment(u, *text, declares);
    }
    flush(pending);
    declare_used(u, {}, made_by(u, {}));
    // The registers do not come in the order in which C would make them: declare them ahead.
    RegId most = 0;
    for (RegId r : made_by(u, {})) most = std::max(most, r + 1);
    declare_all(most);
    Writer w(test_, code_);
    return assignment(u, statement(w, u), false);
  }

  void flush(std::vector<Unit>& pending) {
    while (!pending.empty()) {
      // The last one may still hold those before it.
      std::vector<Unit> before(pending.begin(), pending.end() - 1);
      const Unit last = pending.back();
      const std::string text = resolve(before, last);
      line(text);
      pending.clear();
    }
  }

  // Statements of [begin, end). With `tail`, the text of that unit, whose loads may stand inside it.
  std::string block(size_t begin, size_t end, std::optional<Unit> tail) {
    std::vector<Unit> pending;
    for (size_t i = begin; i < end;) {
      const Unit u = unit(i);
      i = std::max(u.end, i + 1);
      if (inlinable(u)) {
        // Longer statements than this are no easier to read, and checking them is cubic.
        if (pending.size() >= 32) flush(pending);
        pending.push_back(u);
        continue;
      }
      if (u.kind == Unit::Kind::if_) {
        declare_shared(u);
        if_statement(pending, u);
      } else if (u.kind == Unit::Kind::loop) {
        flush(pending);
        declare_shared(u);
        loop(u);
      } else {
        const std::string text = resolve(pending, u);
        line(text);
      }
    }
    if (tail) return resolve(pending, *tail);
    flush(pending);
    return "";
  }

  // Variables that live on after the statement, or in both arms of it, are declared before it.
  void declare_shared(const Unit& u) {
    const auto mentioned = [&](size_t from, size_t to) {
      std::vector<bool> m(code_.registers.size(), false);
      const auto use = [&](const term::Expr& e) {
        term::for_each_variable(e, [&](uint64_t v) {
          if (v < m.size()) m[v] = true;
        });
      };
      for (size_t i = from; i < to; ++i) {
        use(at(i).addr.index);
        use(at(i).value);
        for (const term::Expr& e : at(i).args) use(e);
        if (at(i).dst != k_none) m[at(i).dst] = true;
      }
      return m;
    };
    const std::vector<bool> inside = mentioned(u.begin + 1, u.end);
    const std::vector<bool> after = mentioned(u.end, size());
    std::vector<bool> first(inside.size(), false);
    std::vector<bool> second(inside.size(), false);
    if (u.kind == Unit::Kind::if_ && has_else(u.begin)) {
      first = mentioned(u.begin + 1, else_of(u.begin));
      second = mentioned(else_of(u.begin), u.end);
    }
    RegId most = 0;
    for (RegId r = 0; r < inside.size(); ++r)
      if (!declared_[r] && ((inside[r] && after[r]) || (first[r] && second[r]))) most = r + 1;
    // The temporaries of a compare-exchange cannot be declared: the call makes them. What comes after one in
    // number has to wait for it, even if a C compiler would then find it out of its block.
    for (RegId r = 0; r < most; ++r)
      if (!declared_[r] && inside_call_[r]) most = r;
    declare_all(most);
  }

  void if_statement(std::vector<Unit>& pending, const Unit& u) {
    const size_t branch = u.begin;
    const std::string head = resolve(pending, Unit{branch, branch + 1, Unit::Kind::plain, k_none});
    const size_t end = end_of_if(branch);
    const bool both = has_else(branch);
    const size_t then_end = both ? else_of(branch) - 1 : end;
    line(head + " {");
    ++indent_;
    // A lone goto would be read as a conditional jump; a block keeps it a statement.
    const bool lone =
        !both && then_end == branch + 2 && at(branch + 1).kind == Kind::jump && at(branch + 1).mnemonic.empty();
    if (lone) out_ += std::string(static_cast<size_t>(indent_) * 2, ' ') + "{\n";
    block(branch + 1, then_end, std::nullopt);
    if (lone) line("}");
    --indent_;
    if (both) {
      line("} else {");
      ++indent_;
      block(else_of(branch) + 1, end, std::nullopt);
      --indent_;
    }
    line("}");
  }

  void loop(const Unit& u) {
    const size_t head = u.begin;
    const size_t end = u.end - 1;
    if (at(head).mnemonic == "do") {
      line("do {");
      ++indent_;
      const size_t back = end - 1;
      const std::string condition = block(head + 1, back, Unit{back, back + 1, Unit::Kind::plain, k_none});
      --indent_;
      line("} while (" + condition + ");");
      return;
    }
    size_t test = head + 1;
    while (test < end &&
           !(at(test).kind == Kind::branch && at(test).form == Form::c_while && at(test).label == at(head).ctrl_end))
      ++test;
    FENCEPOST_INVARIANT(test < end, "a while loop without its condition was printed");
    const Unit tail{test, test + 1, Unit::Kind::plain, k_none};
    const size_t start = out_.size();
    indent_ += 2;
    std::string condition = block(head + 1, test, tail);
    indent_ -= 2;
    if (out_.size() == start) {
      line("while (" + condition + ") {");
    } else {
      // What the condition needs first stands in a statement expression.
      const std::string before = out_.substr(start);
      out_.resize(start);
      line("while (({");
      out_ += before;
      line("    " + condition + ";");
      line("  })) {");
    }
    ++indent_;
    block(test + 1, end - 1, std::nullopt);
    --indent_;
    line("}");
  }

  const prog::Test& test_;
  const prog::Template& code_;
  std::string& out_;
  std::vector<bool> declared_;
  std::vector<bool> inside_call_;  // made by a compare-exchange for itself
  std::vector<uint32_t> uses_;
  std::vector<uint32_t> definitions_;
  int indent_ = 0;
};

std::string initial_value(const prog::Test& test, const prog::Object& o, size_t cell) {
  if (cell < o.init_address.size() && o.init_address[cell] != k_none)
    return "&" + test.symbols[o.init_address[cell]].name;
  if (o.is_unsigned) return std::to_string(o.init[cell]);
  return std::to_string(term::to_signed(o.init[cell], o.width));
}

std::string initial_state(const prog::Test& test) {
  std::string out = "{\n";
  for (prog::SymbolId id = 0; id < test.symbols.size(); ++id) {
    const prog::Symbol& s = test.symbols[id];
    if (s.instances != k_none && s.instances != id) continue;  // all instances start alike
    const prog::Object& o = test.objects[s.object];
    const std::string name = prog::declared_name(s);
    out += "  ";
    if (!o.declared.empty()) out += o.declared + " ";
    if (o.init.size() == 1) {
      out += o.declared.empty() ? "[" + name + "]" : name;
      out += " = " + initial_value(test, o, 0);
    } else {
      out += fmt::format("{}[{}] = {{", name, o.init.size());
      for (size_t k = 0; k < o.init.size(); ++k) out += (k == 0 ? "" : ", ") + initial_value(test, o, k);
      out += "}";
    }
    out += ";\n";
  }
  for (const prog::Thread& t : test.threads)
    for (const prog::InitValue& v : t.init) {
      const prog::Template& code = test.templates[t.templ];
      const prog::Register& r = code.registers[v.reg];
      const bool is_parameter = std::any_of(code.parameters.begin(), code.parameters.end(),
                                            [&](const std::string& p) { return p.ends_with(" " + r.name); });
      if (is_parameter) continue;
      out += fmt::format("  {} {}:{} = {};\n", type_of(r), t.id, r.name,
                         v.address != k_none ? "&" + prog::declared_name(test.symbols[v.address])
                         : r.is_unsigned     ? std::to_string(v.value)
                                             : std::to_string(term::to_signed(v.value, r.width)));
    }
  return out + "}\n";
}

}  // namespace

std::string print_opencl(const prog::Test& test) {
  if (prog::has_place_checks(test)) return print_opencl(prog::without_place_checks(test));
  const bool cuda = test.syntax == prog::Syntax::cuda;
  std::string out = (cuda ? "CUDA " : "OPENCL ") + test.title + "\n";
  for (const std::string& r : test.remarks) out += "\"" + r + "\"\n";
  out += initial_state(test);
  for (uint32_t k = 0; k < test.threads.size(); ++k) {
    const prog::Thread& t = test.threads[k];
    out += fmt::format("\nP{}", t.id);
    if (t.scope.size() > 2)
      out += cuda ? fmt::format("@block {}, {}device {}", t.scope[2],
                                t.cluster != prog::k_none ? fmt::format("cluster {}, ", t.cluster) : "", t.scope[1])
                  : fmt::format("@wg {}, dev {}", t.scope[2], t.scope[1]);
    if (t.scope.size() > 3) out += fmt::format(", {} {}", cuda ? "warp" : "sg", t.scope[3]);
    out += fmt::format(" ({}) {{\n", fmt::join(test.code(k).parameters, ", "));
    ThreadPrinter(test, k, out).body();
    out += "}\n";
  }
  const std::string question = print_question(test);
  return question.empty() ? out : out + "\n" + question;
}

}  // namespace fencepost::print
