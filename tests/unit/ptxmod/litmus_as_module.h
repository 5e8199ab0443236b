#pragma once
// A PTX litmus test as the text of a module: each thread of the test is a thread of the launch, chosen by %ctaid and
// %tid, with a warp of its own; what the question asks of registers is stored into a buffer at the end.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>

#include "prog/test.h"

namespace ptxmod_test {

using namespace fencepost;

class AsModule {
 public:
  explicit AsModule(const prog::Test& t) : t_(t) {}

  // Nothing, and `why`, where modules have no such thing.
  std::optional<std::string> run() {
    try {
      return text();
    } catch (const std::string& s) {
      why = s;
      return std::nullopt;
    }
  }
  // The same as a litmus test whose columns have the text of modules.
  std::optional<std::string> columns() {
    try {
      in_columns_ = true;
      return column_text();
    } catch (const std::string& s) {
      why = s;
      return std::nullopt;
    }
  }
  std::string why;

 private:
  std::string column_text() {
    std::string out = "PTX columns\n{ ";
    for (const prog::Symbol& s : t_.symbols)
      if (s.aliased != prog::k_none || s.proxy != "") throw std::string("aliases");
    for (size_t k = 0; k < t_.objects.size(); ++k) {
      const prog::Object& o = t_.objects[k];
      if (o.width != 64 || !o.undefined.empty() || o.init.size() != 1) throw std::string("memory of another width");
      for (const prog::SymbolId a : o.init_address)
        if (a != prog::k_none) throw std::string("memory that holds addresses");
      out += fmt::format("m{} = {}; ", k, static_cast<int64_t>(o.init[0]));
    }
    out += "}\n";
    std::vector<std::vector<std::string>> cells;
    size_t rows = 0;
    for (const prog::Thread& th : t_.threads) {
      if (th.scope.size() < 3) throw std::string("a thread without a place");
      out += fmt::format("{} P{}@cta {}, gpu {}", th.id == 0 ? "" : " |", th.id, th.scope[2], th.scope[1]);
      if (th.cluster != prog::k_none) out += fmt::format(", cluster {}", th.cluster);
      std::vector<std::string>& own = cells.emplace_back();
      const std::string code = thread(th.id);
      for (size_t at = 0; at < code.size();) {
        const size_t end = code.find('\n', at);
        std::string line = code.substr(at, end - at);
        if (!line.empty() && line.back() == ';') line.pop_back();
        own.push_back(line);
        at = end + 1;
      }
      rows = std::max(rows, own.size());
    }
    out += " ;\n";
    for (size_t k = 0; k < rows; ++k) {
      for (size_t c = 0; c < cells.size(); ++c)
        out += (c == 0 ? " " : " | ") + (k < cells[c].size() ? cells[c][k] : "");
      out += " ;\n";
    }
    if (t_.filter.kind != prog::Cond::Kind::always) out += fmt::format("filter ({})\n", cond(t_.filter));
    out += fmt::format("{} ({})\n",
                       t_.quantifier == prog::Quantifier::exists   ? "exists"
                       : t_.quantifier == prog::Quantifier::forall ? "forall"
                                                                   : "~exists",
                       cond(t_.condition));
    return out;
  }

  std::string text() {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> ctas;  // by gpu and cta
    std::vector<std::vector<uint32_t>> threads;
    for (const prog::Thread& th : t_.threads) {
      if (th.scope.size() < 3) throw std::string("a thread without a place");
      if (th.scope[1] != t_.threads[0].scope[1] || th.scope[0] != t_.threads[0].scope[0])
        throw std::string("several devices");
      if (th.cluster != prog::k_none) throw std::string("clusters");
      const auto [it, fresh] = ctas.try_emplace({th.scope[1], th.scope[2]}, static_cast<uint32_t>(threads.size()));
      if (fresh) threads.emplace_back();
      threads[it->second].push_back(th.id);
    }
    size_t most = 0;
    for (const auto& c : threads) most = std::max(most, c.size());
    even_ = true;
    for (const auto& c : threads) even_ = even_ && c.size() == most;
    for (const auto& c : threads)
      for (const uint32_t n : c) of_cta_[n] = c.size();
    std::string inputs;
    for (const prog::Symbol& s : t_.symbols)
      if (s.aliased != prog::k_none || s.proxy != "") throw std::string("aliases");
    std::string parameters, loads;
    for (size_t k = 0; k < t_.objects.size(); ++k) {
      const prog::Object& o = t_.objects[k];
      if (o.width != 64 || !o.undefined.empty()) throw std::string("memory of another width");
      for (const prog::SymbolId a : o.init_address)
        if (a != prog::k_none) throw std::string("memory that holds addresses");
      inputs += fmt::format("// @Input: m{}.u64 = {{", k);
      for (size_t c = 0; c < o.init.size(); ++c)
        inputs += fmt::format("{}{}", c == 0 ? "" : ", ", static_cast<int64_t>(o.init[c]));
      inputs += "}\n";
      parameters += fmt::format(".param .u64 m{}, ", k);
      loads += fmt::format("ld.param.u64 %m{0}, [m{0}];\ncvta.to.global.u64 %m{0}, %m{0};\n", k);
    }
    const std::string question = t_.quantifier == prog::Quantifier::none
                                     ? ""
                                     : fmt::format("// @Output: {} ({})\n",
                                                   t_.quantifier == prog::Quantifier::exists   ? "exists"
                                                   : t_.quantifier == prog::Quantifier::forall ? "forall"
                                                                                               : "not exists",
                                                   cond(t_.condition));
    const std::string filter =
        t_.filter.kind == prog::Cond::Kind::always ? "" : fmt::format("// @Filter: {}\n", cond(t_.filter));
    std::string dispatch, code;
    for (size_t c = 0; c < threads.size(); ++c)
      for (size_t n = 0; n < threads[c].size(); ++n) {
        dispatch += fmt::format("setp.eq.u32 %c, %cta, {};\nsetp.eq.and.u32 %c, %tid, {}, %c;\n@%c bra THREAD{};\n", c,
                                n, threads[c][n]);
        code += thread(threads[c][n]);
      }
    return fmt::format(
        "// @Config: 1, {}, {}\n{}{}{}.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry test({}.param "
        ".u64 regs)\n{{\n.reg .b32 %cta, %tid;\n.reg .pred %c;\n.reg .b64 %m<{}>, %regs;\n{}ld.param.u64 %regs, "
        "[regs];\nmov.u32 %cta, %ctaid.x;\nmov.u32 %tid, %tid.x;\n{}ret;\n{}}}\n",
        most, threads.size(), inputs, question, filter, parameters, std::max<size_t>(t_.objects.size(), 1), loads,
        dispatch, code);
  }

  std::string operand(const prog::CondValue& v) {
    switch (v.kind) {
      case prog::CondValue::Kind::constant:
        return std::to_string(static_cast<int64_t>(v.constant));
      case prog::CondValue::Kind::location:
        return in_columns_ ? fmt::format("[m{}]", t_.symbols[v.symbol].object)
                           : fmt::format("m{}.s64[{}]", t_.symbols[v.symbol].object, v.cell);
      case prog::CondValue::Kind::reg: {
        if (v.is_unsigned) throw std::string("unsigned registers");
        if (in_columns_) return fmt::format("P{0}:%t{0}_{1}", v.thread, v.reg);
        const auto [it, fresh] = asked_.try_emplace({v.thread, v.reg}, asked_.size());
        return fmt::format("regs.s64[{}]", it->second);
      }
      default:
        throw std::string("addresses in the question");
    }
  }
  std::string cond(const prog::Cond& c) {
    using Kind = prog::Cond::Kind;
    if (c.kind == Kind::always) return "true";
    if (c.kind == Kind::atom) {
      const char* op = c.cmp == term::Op::eq    ? "=="
                       : c.cmp == term::Op::ne  ? "!="
                       : c.cmp == term::Op::slt ? "<"
                       : c.cmp == term::Op::sle ? "<="
                       : c.cmp == term::Op::sgt ? ">"
                       : c.cmp == term::Op::sge ? ">="
                                                : nullptr;
      if (op == nullptr) throw std::string("an unsigned comparison");
      return fmt::format("{} {} {}", operand(c.lhs), op, operand(c.rhs));
    }
    if (c.kind == Kind::not_) return fmt::format("not ({})", cond(c.kids[0]));
    const char *and_word = in_columns_ ? " /\\ " : " and ", *or_word = in_columns_ ? " \\/ " : " or ";
    std::string out;
    for (const prog::Cond& k : c.kids)
      out += fmt::format("{}({})", out.empty() ? "" : c.kind == Kind::and_ ? and_word : or_word, cond(k));
    return out;
  }

  // ---- code ----
  void line(const std::string& s) { code_ += s + "\n"; }
  std::string fresh(const char* type) {
    const std::string name = fmt::format("%v{}", ++values_);
    line(fmt::format(".reg .{} {};", type, name));
    return name;
  }
  std::string reg(prog::RegId r) const { return fmt::format("%t{}_{}", now_, r); }
  // A register that holds the term: .b64, or .pred for width 1.
  std::string value(const term::Expr& e) {
    using T = term::Op;
    const auto two = [&](const std::string& op) {
      const std::string a = value(e.kids()[0]), b = value(e.kids()[1]), d = fresh("b64");
      line(fmt::format("{} {}, {}, {};", op, d, a, b));
      return d;
    };
    const auto comparison = [&](const std::string& op) {
      const std::string a = value(e.kids()[0]), b = value(e.kids()[1]), d = fresh("pred");
      line(fmt::format("setp.{} {}, {}, {};", op, d, a, b));
      return d;
    };
    if (e.width() != 64 && e.width() != 1) throw std::string("terms of another width");
    switch (e.op()) {
      case T::constant: {
        if (e.width() == 1) throw std::string("constants of one bit");
        const std::string d = fresh("b64");
        line(fmt::format("mov.u64 {}, {};", d, static_cast<int64_t>(e.value())));
        return d;
      }
      case T::variable:
        return reg(static_cast<prog::RegId>(e.value()));
      case T::add:
        return two("add.s64");
      case T::sub:
        return two("sub.s64");
      case T::mul:
        return two("mul.lo.s64");
      case T::and_:
        return two("and.b64");
      case T::or_:
        return two("or.b64");
      case T::xor_:
        return two("xor.b64");
      case T::eq:
        return comparison("eq.s64");
      case T::ne:
        return comparison("ne.s64");
      case T::slt:
        return comparison("lt.s64");
      case T::sle:
        return comparison("le.s64");
      case T::sgt:
        return comparison("gt.s64");
      case T::sge:
        return comparison("ge.s64");
      case T::ite: {
        const std::string c = value(e.kids()[0]), a = value(e.kids()[1]), b = value(e.kids()[2]), d = fresh("b64");
        line(fmt::format("selp.b64 {}, {}, {}, {};", d, a, b, c));
        return d;
      }
      case T::zext: {
        if (e.kids()[0].width() != 1) throw std::string("terms of another width");
        const std::string c = value(e.kids()[0]), d = fresh("b64");
        line(fmt::format("selp.b64 {}, 1, 0, {};", d, c));
        return d;
      }
      default:
        throw std::string("arithmetic without an instruction");
    }
  }
  std::string address(const prog::Address& a) {
    if (a.symbol == prog::k_none) throw std::string("computed addresses");
    if (in_columns_ && a.index) throw std::string("computed addresses");
    const std::string base = fmt::format("{}m{}", in_columns_ ? "" : "%", t_.symbols[a.symbol].object);
    if (!a.index) return base;
    const std::string i = value(a.index), d = fresh("b64");
    line(fmt::format("shl.b64 {0}, {1}, 3;\nadd.s64 {0}, {2}, {0};", d, i, base));
    return d;
  }

  std::string thread(uint32_t n) {
    now_ = n;
    code_.clear();
    const prog::Template& code = t_.code(n);
    if (!in_columns_) line(fmt::format("THREAD{}:", n));
    for (prog::RegId r = 0; r < code.registers.size(); ++r) {
      if (code.registers[r].width != 64) throw std::string("registers of another width");
      line(fmt::format(".reg .b64 {};\nmov.u64 {}, 0;", reg(r), reg(r)));
    }
    for (const prog::InitValue& v : t_.threads[n].init) {
      if (v.address != prog::k_none) throw std::string("registers that hold addresses");
      line(fmt::format("mov.u64 {}, {};", reg(v.reg), static_cast<int64_t>(v.value)));
    }
    for (const prog::Instr& i : code.code) instruction(i, code);
    for (const auto& [who, k] : asked_)
      if (who.first == n) line(fmt::format("st.u64 [%regs+{}], {};", 8 * k, reg(who.second)));
    if (!in_columns_) line("ret;");
    return code_;
  }
  void instruction(const prog::Instr& i, const prog::Template& code) {
    using prog::Kind;
    const auto label = [&](prog::LabelId l) { return fmt::format("L{}_{}", now_, l); };
    std::string guard;
    if (i.predicate != prog::k_none) {
      const std::string p = fresh("pred");
      line(fmt::format("setp.ne.u64 {}, {}, 0;", p, reg(i.predicate)));
      guard = fmt::format("@{}{} ", i.predicate_negated ? "!" : "", p);
    }
    (void)code;
    const std::string& m = i.mnemonic;
    switch (i.kind) {
      case Kind::local:
        line(guard + fmt::format("mov.u64 {}, {};", reg(i.dst), value(i.value)));
        return;
      case Kind::load:
        if (!m.starts_with("ld.")) throw std::string("another proxy");
        line(guard + fmt::format("{}.u64 {}, [{}];", m, reg(i.dst), address(i.addr)));
        return;
      case Kind::store: {
        if (!m.starts_with("st.")) throw std::string("another proxy");
        const std::string v = value(i.value);
        line(guard + fmt::format("{}.u64 [{}], {};", m, address(i.addr), v));
        return;
      }
      case Kind::rmw: {
        if (!m.starts_with("atom.") && !m.starts_with("red.")) throw std::string("another proxy");
        const std::string op = m.substr(m.rfind('.') + 1);
        std::vector<std::string> args;
        for (const term::Expr& e : i.args) args.push_back(value(e));
        std::string name = m;
        if (op == "sub") {
          const std::string d = fresh("b64");
          line(fmt::format("neg.s64 {}, {};", d, args[0]));
          args[0] = d;
          name = m.substr(0, m.size() - 3) + "add";
        } else if (op != "add" && op != "exch" && op != "cas" && op != "and" && op != "or" && op != "xor") {
          throw std::string("an atomic operation that PTX does not have");
        }
        const char* type = op == "add" || op == "sub" ? "u64" : "b64";
        const std::string to = m[0] == 'a' ? (i.dst == prog::k_none ? "_" : reg(i.dst)) + ", " : "";
        line(guard + fmt::format("{}.{} {}[{}], {}{};", name, type, to, address(i.addr), args[0],
                                 args.size() > 1 ? ", " + args[1] : ""));
        return;
      }
      case Kind::fence:
        if (m.starts_with("fence.proxy") && m != "fence.proxy.alias") throw std::string("another proxy");
        line(guard + m + ";");
        return;
      case Kind::barrier:
        if (i.barrier.instance.empty() || i.barrier.id || i.barrier.arrive || i.barrier.quorum)
          throw std::string("barriers with ids");
        line(guard + (even_ ? fmt::format("bar.sync {};", i.barrier.instance)
                            : fmt::format("bar.sync {}, {};", i.barrier.instance, 32 * of_cta_[now_])));
        return;
      case Kind::label:
        line(label(i.label) + ":");
        return;
      case Kind::jump:
        line(guard + "bra " + label(i.label) + ";");
        return;
      case Kind::branch: {
        if (!guard.empty()) throw std::string("a branch under a predicate");
        std::string c = value(i.value);
        if (i.value.width() != 1) {
          const std::string p = fresh("pred");
          line(fmt::format("setp.ne.u64 {}, {}, 0;", p, c));
          c = p;
        }
        line(fmt::format("@{} bra {};", c, label(i.label)));
        return;
      }
    }
  }

  const prog::Test& t_;
  std::map<std::pair<uint32_t, prog::RegId>, size_t> asked_;
  std::map<uint32_t, size_t> of_cta_;
  std::string code_;
  uint32_t now_ = 0, values_ = 0;
  bool even_ = true, in_columns_ = false;
};

}  // namespace ptxmod_test
