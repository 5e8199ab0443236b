// A test of one dialect rewritten, instruction by instruction, into another. Each instruction becomes the dotted words
// that tables speak of, the first rule that fits gives the words of the target, and the whole test is printed and read
// again by the target's own reader: the result is exactly what its text says, and no second reader of instructions can
// disagree with the first. Registers, locations and the question keep their names. Barriers keep their numbers; a named
// one gets the first number that no barrier of the test has.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "lower/lower.h"
#include "prog/places.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "read/read.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::lower {
namespace {

using prog::Instr;
using prog::Kind;
using prog::Syntax;

const std::vector<std::string> k_operations = {"exch", "cas", "add", "sub", "and", "or", "xor"};

bool is_any(const std::string& word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Words split(const std::string& dotted) {
  Words out;
  for (size_t at = 0; at <= dotted.size();) {
    const size_t end = std::min(dotted.find('.', at), dotted.size());
    out.push_back(dotted.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string join(const Words& w) { return fmt::format("{}", fmt::join(w, ".")); }

// The dotted form of a call of OPENCL; empty: not one that tables speak of.
std::string opencl_form(const Instr& i) {
  std::string order = "seq_cst", scope = "device";
  for (const std::string& s : i.spelling) {
    if (s.starts_with("memory_order_")) order = s.substr(13);
    if (s.starts_with("memory_scope_")) scope = s.substr(13);
  }
  if (i.mnemonic == "mem_fence" || i.mnemonic == "read_mem_fence" || i.mnemonic == "write_mem_fence") {
    order = i.mnemonic == "mem_fence" ? "acq_rel" : i.mnemonic == "read_mem_fence" ? "acquire" : "release";
    scope = "work_group";
  }
  const bool atomic = i.tags.has(prog::Tag::A);
  switch (i.kind) {
    case Kind::load:
      return i.mnemonic.starts_with("cas.") ? "" : atomic ? "load." + order + "." + scope : "load.plain";
    case Kind::store:
      return i.mnemonic.starts_with("cas.") ? "" : atomic ? "store." + order + "." + scope : "store.plain";
    case Kind::fence:
      return "fence." + order + "." + scope;
    case Kind::barrier:
      return "barrier";
    case Kind::rmw:
      for (const std::string& op : k_operations)
        if (i.mnemonic.starts_with("atomic_fetch_" + op) || (op == "exch" && i.mnemonic.starts_with("atomic_exchange")))
          return "rmw." + order + "." + scope + "." + op;
      return "";
    default:
      return "";
  }
}

// Functions of CUDA are called what they are called.
std::string cuda_form(const Instr& i) {
  const char* kind = i.tags.has(prog::Tag::A) ? "volatile" : "plain";
  return i.kind == Kind::load    ? fmt::format("load.{}", kind)
         : i.kind == Kind::store ? fmt::format("store.{}", kind)
                                 : i.mnemonic;
}

struct Bound {
  std::string scope, operation;
};

class Writer {
 public:
  Writer(const Table& table, const prog::Test& test, std::vector<bool>* used)
      : table_(table), test_(test), used_(used) {
    if (used_ != nullptr) used_->resize(table.rules.size());
  }

  Expected<prog::Test> write() {
    if (test_.syntax != table_.from)
      return error_at(test_.span,
                      fmt::format("the table leads from {}, and this test is in {}", language(table_.from),
                                  prog::name(test_.syntax)),
                      "use a table for this dialect");
    for (const prog::Symbol& s : test_.symbols)
      if (s.aliased != prog::k_none)
        return unsupported_at(s.span, "aliases of locations are not lowered",
                              "give the test one name for each location");
    for (const prog::Symbol& s : test_.symbols)
      if (s.instances != prog::k_none)
        return unsupported_at(s.span, "memory that each group of threads has for itself is not lowered",
                              "put the location into global memory, or all threads into one group");
    for (const prog::Object& o : test_.objects) {
      if (o.init.size() != 1 || (!o.init_address.empty() && o.init_address[0] != prog::k_none))
        return unsupported_at(o.span, "arrays and pointers are not lowered", "use plain locations");
      init_ += fmt::format("{} = {}; ", o.name, static_cast<int64_t>(o.init[0]));
    }
    if (const prog::Instr* i = prog::needs_ptx9(test_))
      return unsupported_at(i->span, fmt::format("'{}' is not lowered", i->mnemonic),
                            "mappings are of accesses, fences and barriers that all models know");
    for (const prog::Object& o : test_.objects)
      if (o.home != prog::k_none)
        return unsupported_at(o.span, "shared memory of a cta is not lowered", "put the location into global memory");
    if (!test_.ssw.empty())
      return unsupported_at(test_.span, "system-synchronizes-with is not lowered", "remove the second block");
    for (uint32_t t = 0; t < test_.threads.size(); ++t)
      if (auto r = thread(t); !r) return std::unexpected(r.error());
    std::string question;
    if (auto r = ask(question); !r) return std::unexpected(r.error());
    const std::string text = assemble(question);
    auto out = read::parse_one(make_source(test_.title + " lowered", text));
    if (!out) return std::unexpected(out.error());
    return out;
  }

 private:
  static const char* language(Syntax s) {
    return s == Syntax::ptx ? "PTX" : s == Syntax::vulkan ? "VULKAN" : s == Syntax::cuda ? "CUDA" : "OPENCL";
  }
  bool from_c() const { return test_.syntax == Syntax::opencl || test_.syntax == Syntax::cuda; }
  bool to_c() const { return table_.to == Syntax::opencl; }
  std::unexpected<Diagnostics> cannot(const Instr& i, uint32_t t, const std::string& why, std::string hint) const {
    return unsupported_at(i.span, fmt::format("{}: {}", prog::to_string(test_, t, i), why), std::move(hint));
  }

  std::optional<std::string> value(const prog::Template& code, const term::Expr& e) const {
    if (e.is_const()) return std::to_string(term::to_signed(e.value(), e.width()));
    if (e.is_var() && e.value() < code.registers.size()) return code.registers[e.value()].name;
    return std::nullopt;
  }

  bool fits(const Rule& rule, const Words& form, Bound& bound) const {
    bound = {};
    for (size_t k = 0; k < rule.from.size(); ++k) {
      if (rule.from[k] == "*") return true;
      if (k >= form.size()) return false;
      if (rule.from[k] == "SCOPE") {
        const auto at =
            std::find_if(table_.scopes.begin(), table_.scopes.end(), [&](const auto& s) { return s.first == form[k]; });
        if (at == table_.scopes.end()) return false;
        bound.scope = at->second;
      } else if (rule.from[k] == "OP") {
        if (std::find(k_operations.begin(), k_operations.end(), form[k]) == k_operations.end()) return false;
        bound.operation = form[k];
      } else if (rule.from[k] != form[k]) {
        return false;
      }
    }
    return rule.from.size() == form.size();
  }

  std::string form_of(const Instr& i) const {
    if (test_.syntax == Syntax::opencl) return opencl_form(i);
    if (test_.syntax == Syntax::cuda) return cuda_form(i);
    std::string out = i.mnemonic;
    if (test_.syntax == Syntax::vulkan && i.kind == Kind::rmw) {
      const Words w = split(out);
      if (std::find(k_operations.begin(), k_operations.end(), w.back()) == k_operations.end()) out += ".exch";
    }
    return out;
  }

  Expected<void> instruction(uint32_t t, const Instr& i, std::vector<std::string>& out) {
    const prog::Template& code = test_.code(t);
    const std::string form = form_of(i);
    if (form.empty())
      return cannot(i, t, "tables do not speak of it",
                    "split it into loads, stores, fences and simple read-modify-writes");
    Bound bound;
    const auto rule = std::find_if(table_.rules.begin(), table_.rules.end(),
                                   [&](const Rule& r) { return fits(r, split(form), bound); });
    if (rule == table_.rules.end())
      return cannot(i, t, fmt::format("the table {} has no rule for {}", table_.name, form), "add a rule to the table");
    if (used_ != nullptr) (*used_)[static_cast<size_t>(rule - table_.rules.begin())] = true;
    std::string dst, location;
    std::vector<std::string> args;
    if (i.dst != prog::k_none) dst = code.registers[i.dst].name;
    if (i.kind == Kind::load || i.kind == Kind::store || i.kind == Kind::rmw) {
      if (!i.addr.direct()) return cannot(i, t, "computed addresses are not lowered", "name the location");
      location = test_.symbols[i.addr.symbol].name;
    }
    std::vector<term::Expr> operands = i.args;
    if (operands.empty() && i.kind == Kind::store) operands = {i.value};
    for (const term::Expr& e : operands) {
      const auto v = value(code, e);
      if (!v)
        return cannot(i, t, "only registers and constants are lowered as operands",
                      "compute the value in a register first");
      args.push_back(*v);
    }
    for (const Words& pattern : rule->to) {
      Words words;
      for (const std::string& w : pattern)
        words.push_back(w == "SCOPE" ? bound.scope : w == "OP" ? bound.operation : w);
      if (auto r = emit(t, i, rule->span, words, dst, location, args, out); !r) return r;
    }
    return {};
  }

  Expected<void> emit(uint32_t t, const Instr& i, const Span& at, Words words, std::string dst,
                      const std::string& location, const std::vector<std::string>& args,
                      std::vector<std::string>& out) {
    const std::string head = words[0];
    const auto misfit = [&](const char* what) {
      return error_at(at, fmt::format("{} cannot become {}: {}", prog::to_string(test_, t, i), join(words), what),
                      "check the rule");
    };
    const bool load = is_any(head, {"ld", "load"}), store = is_any(head, {"st", "store"}),
               rmw = is_any(head, {"atom", "rmw", "red"});
    if ((load || store || rmw) && location.empty()) return misfit("it accesses no memory");
    if (load && i.kind != Kind::load) return misfit("it is not a load");
    if (store && i.kind != Kind::store) return misfit("it is not a store");
    if (rmw && i.kind == Kind::load) return misfit("a load has nothing to write");
    if (rmw && dst.empty() && head != "red") dst = fmt::format("r{}", 900 + t);
    if (!dst.empty()) registers_[t][dst];
    if (to_c()) return c_statement(t, misfit, words, load, store, rmw, dst, location, args, out);
    if (table_.to == Syntax::vulkan && rmw && words.back() == "exch") words.pop_back();
    if (table_.to == Syntax::vulkan && rmw && words.back() == "cas")
      return misfit("VULKAN tests have no compare-and-swap");
    const std::string mn = join(words);
    if (load)
      out.push_back(fmt::format("{} {}, {}", mn, dst, location));
    else if (store)
      out.push_back(fmt::format("{} {}, {}", mn, location, args.at(0)));
    else if (rmw)
      out.push_back(fmt::format("{} {}{}, {}", mn, head == "red" ? "" : dst + ", ", location, fmt::join(args, ", ")));
    else if (is_any(head, {"bar", "barrier", "cbar"}) && (i.barrier.id || i.barrier.quorum))
      return misfit("a barrier with an id, a quorum or a computed name is not lowered");
    else if (is_any(head, {"bar", "barrier", "cbar"}))
      out.push_back(fmt::format("{} {}", mn, number(i)));
    else
      out.push_back(mn);
    return {};
  }

  // Barriers keep their number; named ones get one by order of first sight, of those that no barrier of the test has.
  // PTX has 16: what is beyond is refused when the result is read.
  std::string number(const Instr& i) {
    const std::string& name = i.barrier.instance;
    if (!name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return name;
    if (const auto known = barriers_.find(name); known != barriers_.end()) return std::to_string(known->second);
    const auto taken = [&](size_t n) {
      return std::any_of(test_.templates.begin(), test_.templates.end(), [&](const prog::Template& t) {
        return std::any_of(t.code.begin(), t.code.end(),
                           [&](const Instr& i) { return i.barrier.instance == std::to_string(n); });
      });
    };
    while (taken(next_barrier_)) ++next_barrier_;
    return std::to_string(barriers_.emplace(name, next_barrier_++).first->second);
  }

  template <class Misfit>
  Expected<void> c_statement(uint32_t t, Misfit&& misfit, const Words& w, bool load, bool store, bool rmw,
                             const std::string& dst, const std::string& location, const std::vector<std::string>& args,
                             std::vector<std::string>& out) {
    if (w[0] == "barrier") {
      out.push_back("barrier(CLK_GLOBAL_MEM_FENCE);");
      return {};
    }
    const bool plain = w.size() == 2 && w[1] == "plain";
    if (!plain && w.size() < 3) return misfit("it needs an order and a scope");
    const std::string order = plain ? "" : "memory_order_" + w[1], scope = plain ? "" : "memory_scope_" + w[2];
    if (w[0] == "fence") {
      out.push_back(fmt::format("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, {}, {});", order, scope));
      return {};
    }
    if (!load && !store && !rmw) return misfit("OPENCL forms are load, store, rmw, fence and barrier");
    locations_[t][location] = locations_[t][location] || !plain;
    atomic_[location] = atomic_[location] || !plain;
    if (load && plain)
      out.push_back(fmt::format("{} = *{};", dst, location));
    else if (load)
      out.push_back(fmt::format("{} = atomic_load_explicit({}, {}, {});", dst, location, order, scope));
    else if (store && plain)
      out.push_back(fmt::format("*{} = {};", location, args.at(0)));
    else if (store)
      out.push_back(fmt::format("atomic_store_explicit({}, {}, {}, {});", location, args.at(0), order, scope));
    else if (w.back() == "cas")
      return misfit("compare-and-swap of C keeps the expected value in a variable");
    else
      out.push_back(fmt::format("{} = atomic_{}_explicit({}, {}, {}, {});", dst,
                                w.back() == "exch" ? "exchange" : "fetch_" + w.back(), location, args.at(0), order,
                                scope));
    return {};
  }

  Expected<void> thread(uint32_t t) {
    const prog::Template& code = test_.code(t);
    for (const prog::Register& r : code.registers)
      if (!r.temporary && (r.name.size() < 2 || r.name[0] != 'r' ||
                           !std::all_of(r.name.begin() + 1, r.name.end(), [](char c) { return c >= '0' && c <= '9'; })))
        return unsupported_at(code.code.empty() ? test_.span : code.code.front().span,
                              fmt::format("the register '{}' has no name in the target", r.name),
                              "call registers r0, r1, ...");
    std::vector<std::string> out;
    for (const prog::InitValue& v : test_.threads[t].init) {
      if (v.address != prog::k_none)
        return unsupported_at(test_.span, "registers that hold addresses are not lowered", "name the location");
      const std::string& name = code.registers[v.reg].name;
      registers_[t][name];
      out.push_back(to_c() ? fmt::format("{} = {};", name, static_cast<int64_t>(v.value))
                           : fmt::format("ld {}, {}", name, static_cast<int64_t>(v.value)));
    }
    for (const Instr& i : code.code) {
      switch (i.kind) {
        case Kind::load:
        case Kind::store:
        case Kind::rmw:
        case Kind::fence:
        case Kind::barrier:
          if (auto r = instruction(t, i, out); !r) return r;
          break;
        default:
          if (from_c() || to_c())
            return cannot(i, t, "computation and control flow are lowered between PTX and VULKAN only",
                          "use straight-line tests here");
          if (i.dst != prog::k_none) registers_[t][code.registers[i.dst].name];
          out.push_back(prog::to_string(test_, t, i));
      }
    }
    code_.push_back(std::move(out));
    return {};
  }

  std::string place(uint32_t t) const {
    const auto levels = vocab::levels(table_.to == Syntax::ptx      ? prog::Dialect::ptx
                                      : table_.to == Syntax::vulkan ? prog::Dialect::vulkan
                                                                    : prog::Dialect::opencl);
    std::string out;
    for (size_t k = levels.size(); k-- > 1;) {
      const std::string level = levels[k];
      if ((table_.to == Syntax::ptx && level == "warp") || (table_.to == Syntax::opencl && level == "sg")) continue;
      // A cluster goes with the places that it is between.
      if (table_.to == Syntax::ptx && level == "gpu" && test_.threads[t].cluster != prog::k_none)
        out += fmt::format(", cluster {}", test_.threads[t].cluster);
      uint32_t id = 0;
      for (const auto& [from, to] : table_.places) {
        if (to != level && !(level == "dv" && to == "dev")) continue;
        if (from == "thread")
          id = t;
        else if (const auto l = vocab::level_of(test_.dialect, from == "dev" || from == "device" ? "dv"
                                                               : from == "block"                 ? "wg"
                                                                                                 : from);
                 l && *l < test_.threads[t].scope.size())
          id = test_.threads[t].scope[*l];
      }
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ",
                         table_.to == Syntax::opencl && level == "dv" ? "dev" : level, id);
    }
    return fmt::format("P{}@{}", t, out);
  }

  // ---- question ----
  Expected<std::string> text(const prog::CondValue& v) const {
    switch (v.kind) {
      case prog::CondValue::Kind::reg:
        return fmt::format("P{}:{}", v.thread, test_.code(v.thread).registers[v.reg].name);
      case prog::CondValue::Kind::location:
        return test_.symbols[v.symbol].name;
      case prog::CondValue::Kind::constant:
        return std::to_string(static_cast<int64_t>(v.constant));
      case prog::CondValue::Kind::address:
        break;
    }
    return unsupported_at(v.span, "addresses in conditions are not lowered", "compare values");
  }
  Expected<std::string> text(const prog::Cond& c) const {
    if (c.kind == prog::Cond::Kind::atom) {
      const auto l = text(c.lhs), r = text(c.rhs);
      if (!l) return l;
      if (!r) return r;
      const char* op = c.cmp == term::Op::ne    ? "!="
                       : c.cmp == term::Op::slt ? "<"
                       : c.cmp == term::Op::sle ? "<="
                       : c.cmp == term::Op::sgt ? ">"
                       : c.cmp == term::Op::sge ? ">="
                                                : "==";
      return fmt::format("{} {} {}", *l, op, *r);
    }
    std::string out = c.kind == prog::Cond::Kind::not_ ? "~" : "";
    for (const prog::Cond& k : c.kids) {
      const auto kid = text(k);
      if (!kid) return kid;
      if (&k != &c.kids.front()) out += c.kind == prog::Cond::Kind::and_ ? " /\\ " : " \\/ ";
      out += "(" + *kid + ")";
    }
    return out;
  }
  Expected<void> ask(std::string& out) const {
    if (test_.filter.kind != prog::Cond::Kind::always) {
      const auto f = text(test_.filter);
      if (!f) return std::unexpected(f.error());
      out += fmt::format("filter ({})\n", *f);
    }
    if (!test_.locations.empty()) {
      out += "locations [";
      for (const prog::CondValue& v : test_.locations) {
        const auto l = text(v);
        if (!l) return std::unexpected(l.error());
        out += *l + "; ";
      }
      out += "]\n";
    }
    if (test_.quantifier == prog::Quantifier::none) return {};
    const auto c = text(test_.condition);
    if (!c) return std::unexpected(c.error());
    out += fmt::format("{}\n({})\n", prog::name(test_.quantifier), *c);
    return {};
  }

  std::string assemble(const std::string& question) {
    std::string out = fmt::format("{} {}\n{{ {}}}\n", language(table_.to), test_.title, init_);
    if (to_c()) {
      for (uint32_t t = 0; t < code_.size(); ++t) {
        std::string params;
        for (const auto& [l, unused] : locations_[t])
          params += fmt::format("{}global {}* {}", params.empty() ? "" : ", ", atomic_[l] ? "atomic_int" : "int", l);
        out += fmt::format("{} ({}) {{\n", place(t), params);
        for (const auto& [r, unused] : registers_[t]) out += fmt::format("  int {} = 0;\n", r);
        for (const std::string& s : code_[t]) out += "  " + s + "\n";
        out += "}\n";
      }
      return out + question;
    }
    size_t rows = 0;
    for (const auto& c : code_) rows = std::max(rows, c.size());
    for (size_t r = 0; r <= rows; ++r)
      for (uint32_t t = 0; t < code_.size(); ++t)
        out += fmt::format("{} {}",
                           r == 0                    ? place(t)
                           : r - 1 < code_[t].size() ? code_[t][r - 1]
                                                     : "",
                           t + 1 == code_.size() ? ";\n" : "| ");
    return out + question;
  }

  const Table& table_;
  const prog::Test& test_;
  std::vector<bool>* used_;
  std::string init_;
  std::vector<std::vector<std::string>> code_;
  std::map<uint32_t, std::map<std::string, bool>> registers_, locations_;
  std::map<std::string, bool> atomic_;
  std::map<std::string, size_t> barriers_;
  size_t next_barrier_ = 0;
};

}  // namespace

Expected<prog::Test> apply(const Table& table, const prog::Test& test, std::vector<bool>* used) {
  if (prog::has_place_checks(test)) return apply(table, prog::without_place_checks(test), used);
  return Writer(table, test, used).write();
}

std::string to_string(const Rule& r) { return fmt::format("{}", fmt::join(r.from, ".")); }

}  // namespace fencepost::lower
