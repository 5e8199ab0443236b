#include "ptxmod/flat.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "litmus/lexer.h"

namespace fencepost::ptxmod {
namespace {

constexpr size_t k_most_nodes = 200000;
constexpr uint64_t k_most_bytes = 1u << 24;  // of a variable with an initial value

// What a name stands for.
struct Meaning {
  enum class Kind : uint8_t { reg, range, variable, label, function } kind = Kind::reg;
  uint32_t index = 0;
  uint32_t count = 0;  // range
};
using Scope = std::map<std::string, Meaning>;

class Flattener {
 public:
  explicit Flattener(const Module& m) : m_(m) {}

  Flat run(const Function& entry) {
    scopes_.emplace_back();
    for (const Declaration& d : m_.variables) declare(d, "");
    for (const Function& f : m_.functions) scopes_.back()[f.name].kind = Meaning::Kind::function;
    scopes_.emplace_back();
    for (const Declaration& d : entry.parameters) {
      const uint32_t v = variable(d, "param");
      scopes_.back()[d.name] = {Meaning::Kind::variable, v, 0};
      out_.parameters.push_back(v);
    }
    end_ = label("end");
    body(entry);
    place(end_, entry.span);
    return std::move(out_);
  }

 private:
  // ---- names ----
  uint32_t label(std::string name) {
    out_.labels.push_back(std::move(name));
    return static_cast<uint32_t>(out_.labels.size() - 1);
  }
  uint32_t reg(std::string name, const std::string& type, const Span& span) {
    const uint32_t bytes = bytes_of(type);
    if (type != "pred" && (bytes == 0 || bytes > 8))
      litmus::unsupported(span, fmt::format("registers of type .{} are not read", type));
    const char kind = type[0] == 'u' || type[0] == 's'                                      ? 'i'
                      : (type[0] == 'f' || type.starts_with("bf")) && !type.ends_with("x2") ? 'f'
                                                                                            : 'b';
    out_.registers.push_back({std::move(name), type == "pred" ? uint8_t{1} : static_cast<uint8_t>(8 * bytes), kind});
    return static_cast<uint32_t>(out_.registers.size() - 1);
  }
  uint32_t variable(const Declaration& d, const std::string& space) {
    Variable v;
    v.name = d.name;
    v.space = space;
    v.element = bytes_of(d.type);
    if (v.element == 0) litmus::unsupported(d.span, fmt::format("variables of type .{} are not read", d.type));
    v.element *= d.lanes;
    v.bytes = d.count * v.element;
    v.align = d.align != 0 ? d.align : v.element;
    v.open = d.open;
    v.array = d.array;
    v.pointer = d.pointer;
    v.dynamic = d.open && space == "shared";
    v.external = d.is_external;
    v.span = d.span;
    initialise(v, d);
    out_.variables.push_back(std::move(v));
    return static_cast<uint32_t>(out_.variables.size() - 1);
  }
  void initialise(Variable& v, const Declaration& d) {
    if (d.init.empty()) return;
    const uint32_t each = v.element / d.lanes;
    if (d.open) v.bytes = d.init.size() * each, v.open = false;
    if (v.bytes > k_most_bytes) litmus::unsupported(d.span, "this variable is too large to be read");
    if (d.init.size() * each > v.bytes)
      litmus::fail_at(d.span, fmt::format("{} has more initial values than elements", d.name));
    v.init.assign(v.bytes, 0);
    for (size_t k = 0; k < d.init.size(); ++k) {
      const Operand& o = d.init[k];
      uint64_t n = o.number;
      if (o.kind == Operand::Kind::name) {
        v.addresses.push_back(k * each);
        continue;
      }
      if (o.kind == Operand::Kind::real && !o.is_double != (each == 4)) {
        const double x =
            o.is_double ? std::bit_cast<double>(o.number) : std::bit_cast<float>(static_cast<uint32_t>(o.number));
        n = each == 4 ? std::bit_cast<uint32_t>(static_cast<float>(x)) : std::bit_cast<uint64_t>(x);
      } else if (o.kind != Operand::Kind::number && o.kind != Operand::Kind::real) {
        litmus::unsupported(o.span, "this initial value is not read");
      }
      for (uint32_t b = 0; b < each; ++b) v.init[k * each + b] = static_cast<uint8_t>(b < 8 ? n >> (8 * b) : 0);
    }
  }
  void declare(const Declaration& d, const std::string& path) {
    if (d.space == "reg") {
      if (d.lanes > 1 || d.array) litmus::unsupported(d.span, "registers that are vectors or arrays are not read");
      if (d.range != 0) {
        const auto first = static_cast<uint32_t>(out_.registers.size());
        for (uint32_t k = 0; k < d.range; ++k) reg(fmt::format("{}{}{}", path, d.name, k), d.type, d.span);
        ranges_.back()[d.name] = {Meaning::Kind::range, first, d.range};
      } else {
        scopes_.back()[d.name] = {Meaning::Kind::reg, reg(path + d.name, d.type, d.span), 0};
      }
      return;
    }
    if (d.range != 0) litmus::fail_at(d.span, "only registers are declared in ranges");
    const std::string space = d.space == "param" ? "local" : d.space;
    // A variable outside of functions, or a shared one, is one for all calls.
    if (space == "shared" || space == "global" || space == "const") {
      if (const auto it = once_.find(&d); it != once_.end()) {
        scopes_.back()[d.name] = {Meaning::Kind::variable, it->second, 0};
        return;
      }
      // All shared memory that the launch gives begins at one place, whatever its names.
      if (space == "shared" && d.open && dynamic_ != k_nothing) {
        once_[&d] = dynamic_;
        scopes_.back()[d.name] = {Meaning::Kind::variable, dynamic_, 0};
        return;
      }
      once_[&d] = static_cast<uint32_t>(out_.variables.size());
      if (space == "shared" && d.open) dynamic_ = once_[&d];
    }
    scopes_.back()[d.name] = {Meaning::Kind::variable, variable(d, space), 0};
  }
  const Meaning* find(const std::string& name, Meaning& made) const {
    for (size_t k = scopes_.size(); k-- > 0;) {
      if (const auto it = scopes_[k].find(name); it != scopes_[k].end()) return &it->second;
      if (k >= ranges_.size()) continue;
      // "%r12" of "%r<13>"
      size_t digits = name.size();
      while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
      for (; digits < name.size() && name.size() - digits <= 9; ++digits) {
        if (name[digits] == '0' && digits + 1 < name.size()) continue;
        const auto it = ranges_[k].find(name.substr(0, digits));
        if (it == ranges_[k].end()) continue;
        const auto n = static_cast<uint32_t>(std::stoul(name.substr(digits)));
        if (n >= it->second.count) continue;
        made = {Meaning::Kind::reg, it->second.index + n, 0};
        return &made;
      }
    }
    return nullptr;
  }
  [[noreturn]] void unknown(const std::string& name, const Span& span) const {
    std::vector<std::string> names;
    for (const Scope& s : scopes_)
      for (const auto& [n, x] : s) names.push_back(n);
    litmus::fail_at(span, fmt::format("there is no {}", litmus::quoted(name)),
                    litmus::suggest(name, names, "names are declared by .reg, .shared, ... or are labels"));
  }

  Argument argument(const Operand& o) const {
    Argument a;
    a.span = o.span;
    a.negated = o.negated;
    a.number = o.number;
    a.offset = o.offset;
    a.is_double = o.is_double;
    for (const Operand& p : o.parts) a.parts.push_back(argument(p));
    switch (o.kind) {
      case Operand::Kind::number:
        a.kind = Argument::Kind::number;
        return a;
      case Operand::Kind::real:
        a.kind = Argument::Kind::real;
        return a;
      case Operand::Kind::list:
      case Operand::Kind::pair:
        a.kind = Argument::Kind::list;
        return a;
      case Operand::Kind::address:
        a.kind = Argument::Kind::address;
        return a;
      case Operand::Kind::name:
        break;
    }
    if (o.name == "_") return a;
    Meaning made;
    const Meaning* m = find(o.name, made);
    a.name = o.name;
    if (m == nullptr) {
      if (o.name[0] != '%' && o.name != "WARP_SZ") unknown(o.name, o.span);
      a.kind = Argument::Kind::special;
      if (o.name[0] == '%') a.name = o.name.substr(1);
      return a;
    }
    a.index = m->index;
    switch (m->kind) {
      case Meaning::Kind::label:
        a.kind = Argument::Kind::label;
        break;
      case Meaning::Kind::variable:
        a.kind = Argument::Kind::variable;
        break;
      case Meaning::Kind::reg:
        a.kind = Argument::Kind::reg;
        break;
      default:
        litmus::unsupported(o.span, fmt::format("the address of the function {} is not read", o.name));
    }
    return a;
  }

  // ---- code ----
  Node node(const Statement& s) const {
    Node n;
    n.words = s.words;
    n.span = s.span;
    if (s.line.line != 0) {
      const auto file = m_.files.find(s.line.file);
      if (file != m_.files.end()) {
        const size_t slash = file->second.find_last_of('/');
        n.line = fmt::format("{}:{}", slash == std::string::npos ? file->second : file->second.substr(slash + 1),
                             s.line.line);
      }
    }
    if (!s.predicate.empty()) {
      Meaning made;
      const Meaning* m = find(s.predicate, made);
      if (m == nullptr) unknown(s.predicate, s.span);
      if (m->kind != Meaning::Kind::reg || out_.registers[m->index].width != 1)
        litmus::fail_at(s.span, fmt::format("{} is not a predicate", s.predicate));
      n.predicate = m->index;
      n.negated = s.negated;
    }
    return n;
  }
  void place(uint32_t l, const Span& span) {
    Node n;
    n.kind = Node::Kind::label;
    n.label = l;
    n.span = span;
    put(std::move(n));
  }
  void put(Node n) {
    if (out_.nodes.size() > k_most_nodes)
      litmus::unsupported(n.span, "the kernel is too large once its calls are inlined");
    out_.nodes.push_back(std::move(n));
  }
  Node jump(const Statement& s, uint32_t to) const {
    Node n = node(s);
    n.kind = Node::Kind::jump;
    n.label = to;
    return n;
  }

  // Labels may be used before they stand: those of a block are declared when it opens.
  void labels_of(const Function& f, size_t from, const std::string& path) {
    uint32_t depth = 0;
    for (size_t k = from; k < f.body.size(); ++k) {
      const Statement& s = f.body[k];
      if (s.kind == Statement::Kind::open) ++depth;
      if (s.kind == Statement::Kind::close && depth-- == 0) return;
      if (s.kind != Statement::Kind::label || depth != 0) continue;
      if (scopes_.back().contains(s.words[0]))
        litmus::fail_at(s.span, fmt::format("the label {} stands twice", litmus::quoted(s.words[0])));
      scopes_.back()[s.words[0]] = {Meaning::Kind::label, label(path + s.words[0]), 0};
    }
  }
  void open(const Function& f, size_t from) {
    scopes_.emplace_back();
    while (ranges_.size() < scopes_.size()) ranges_.emplace_back();
    labels_of(f, from, path_);
  }
  void close() {
    scopes_.pop_back();
    ranges_.resize(scopes_.size());
  }

  void body(const Function& f) {
    calls_.push_back(&f);
    while (ranges_.size() < scopes_.size()) ranges_.emplace_back();
    open(f, 0);
    for (size_t k = 0; k < f.body.size(); ++k) {
      const Statement& s = f.body[k];
      switch (s.kind) {
        case Statement::Kind::open:
          open(f, k + 1);
          break;
        case Statement::Kind::close:
          close();
          break;
        case Statement::Kind::declaration:
          for (const Declaration& d : s.declared) declare(d, path_);
          break;
        case Statement::Kind::label:
          place(scopes_.back().at(s.words[0]).index, s.span);
          break;
        case Statement::Kind::instruction:
          instruction(s);
          break;
      }
    }
    close();
    calls_.pop_back();
  }

  void instruction(const Statement& s) {
    const std::string& head = s.words[0];
    if (head == ".branchtargets" || head == ".calltargets" || head == ".callprototype") {
      std::vector<uint32_t>& t = tables_[{scopes_.size(), s.words[1]}];
      t.clear();
      if (head == ".branchtargets")
        for (const Operand& o : s.operands) t.push_back(label_of(o));
      return;
    }
    if (head == "bra") {
      if (s.operands.size() != 1) litmus::fail_at(s.span, "bra has one target");
      put(jump(s, label_of(s.operands[0])));
    } else if (head == "brx") {
      Node n = node(s);
      if (s.operands.size() != 2) litmus::fail_at(s.span, "brx.idx has an index and a list of targets");
      n.args.push_back(argument(s.operands[0]));
      const auto it = tables_.find({scopes_.size(), s.operands[1].name});
      if (it == tables_.end())
        litmus::fail_at(s.span, fmt::format("there are no .branchtargets {}", litmus::quoted(s.operands[1].name)));
      n.table = it->second;
      put(std::move(n));
    } else if (head == "ret" || head == "exit") {
      put(jump(s, head == "exit" ? end_ : return_ == k_nothing ? end_ : return_));
    } else if (head == "call") {
      around(s, [&] { call(s); });
    } else if (head == "trap") {
      around(s, [&] { stop(node(s)); });
    } else if (head == "bar" || head == "barrier" || head == "shfl" || head == "vote" || head == "match" ||
               head == "redux" || head == "elect") {
      around(s, [&] { plain(s, false); });
    } else {
      plain(s, true);
    }
  }
  uint32_t label_of(const Operand& o) const {
    const Argument a = argument(o);
    if (a.kind != Argument::Kind::label) litmus::fail_at(o.span, "a branch goes to a label");
    return a.index;
  }
  void plain(const Statement& s, bool predicated) {
    Node n = node(s);
    for (const Operand& o : s.operands) n.args.push_back(argument(o));
    if (!predicated) n.predicate = k_nothing;
    put(std::move(n));
  }
  // What cannot be left out by a predicate is jumped over.
  template <class F>
  void around(const Statement& s, F&& f) {
    if (s.predicate.empty()) {
      f();
      return;
    }
    const uint32_t over = label(fmt::format("{}over{}", path_, ++overs_));
    Node n = jump(s, over);
    n.negated = !n.negated;
    n.words = {"bra"};
    put(std::move(n));
    f();
    place(over, s.span);
  }

  void call(const Statement& s) {
    // call{.uni} (results), f, (arguments); either list may be missing.
    const Operand *results = nullptr, *callee = nullptr, *arguments = nullptr;
    for (const Operand& o : s.operands) {
      if (o.kind == Operand::Kind::list)
        (callee == nullptr ? results : arguments) = &o;
      else if (callee == nullptr)
        callee = &o;
    }
    if (callee == nullptr || callee->kind != Operand::Kind::name) litmus::fail_at(s.span, "call names a function");
    const Function* f = nullptr;
    for (const Function& x : m_.functions)
      if (x.name == callee->name && (f == nullptr || x.has_body)) f = &x;
    if (f == nullptr) {
      Meaning made;
      if (find(callee->name, made) == nullptr) unknown(callee->name, callee->span);
      litmus::unsupported(s.span, "call: a call through a register is not read");
    }
    if (!f->has_body) {
      external(s, *f, results);
      return;
    }
    if (std::find(calls_.begin(), calls_.end(), f) != calls_.end())
      litmus::unsupported(s.span, fmt::format("call: {} calls itself, which is not read", f->name));
    const auto list = [&](const Operand* o) { return o == nullptr ? std::vector<Operand>{} : o->parts; };
    const std::vector<Operand> in = list(arguments), out = list(results);
    if (in.size() != f->parameters.size() || out.size() != f->results.size())
      litmus::fail_at(s.span, fmt::format("{} has {} parameters and {} results, the call {} and {}", f->name,
                                          f->parameters.size(), f->results.size(), in.size(), out.size()));
    // The callee sees the module and its own names; memory of parameters is that of the caller.
    std::vector<Scope> scopes(1, scopes_.front()), ranges(1, ranges_.empty() ? Scope{} : ranges_.front());
    Scope own;
    std::vector<std::pair<Argument, uint32_t>> before, after;  // copies of what comes in registers
    const std::string path = fmt::format("{}{}{}.", path_, "c", ++calls_made_);
    const auto bind = [&](const Declaration& d, const Operand& o, bool result) {
      const Argument a = argument(o);
      if (d.space == "reg") {
        const uint32_t r = reg(path + d.name, d.type, d.span);
        own[d.name] = {Meaning::Kind::reg, r, 0};
        (result ? after : before).emplace_back(a, r);
      } else if (a.kind == Argument::Kind::variable) {
        own[d.name] = {Meaning::Kind::variable, a.index, 0};
      } else {
        litmus::unsupported(o.span, "call: arguments are .param variables or registers");
      }
    };
    for (size_t k = 0; k < in.size(); ++k) bind(f->parameters[k], in[k], false);
    for (size_t k = 0; k < out.size(); ++k) bind(f->results[k], out[k], true);
    const auto copy = [&](Argument to, Argument from, uint8_t width) {
      Node n = node(s);
      n.predicate = k_nothing;
      n.words = {"mov", width == 1 ? "pred" : fmt::format("b{}", width)};
      n.args = {std::move(to), std::move(from)};
      put(std::move(n));
    };
    const auto as_argument = [&](uint32_t r) {
      Argument a;
      a.kind = Argument::Kind::reg;
      a.index = r;
      a.span = s.span;
      return a;
    };
    for (const auto& [a, r] : before) copy(as_argument(r), a, out_.registers[r].width);
    scopes.push_back(std::move(own));
    std::swap(scopes, scopes_);
    std::swap(ranges, ranges_);
    std::string outer_path = path;
    std::swap(outer_path, path_);
    const uint32_t outer_return = return_;
    return_ = label(path_ + "return");
    body(*f);
    place(return_, s.span);
    return_ = outer_return;
    path_ = outer_path;
    scopes_ = std::move(scopes);
    ranges_ = std::move(ranges);
    for (const auto& [a, r] : after) copy(a, as_argument(r), out_.registers[r].width);
  }

  void stop(Node n) {
    n.predicate = k_nothing;
    n.words = {"trap"};
    put(n);
    n.kind = Node::Kind::jump;
    n.label = end_;
    put(std::move(n));
  }
  // What CUDA's run time gives: printf writes a buffer that no kernel reads, and a failed assertion ends the launch.
  void external(const Statement& s, const Function& f, const Operand* results) {
    Node n = node(s);
    n.predicate = k_nothing;
    if (f.name == "vprintf") {
      n.words = {"call", "vprintf"};
      if (results != nullptr)
        for (const Operand& o : results->parts) n.args.push_back(argument(o));
    } else if (f.name == "__assertfail") {
      stop(std::move(n));
      return;
    } else {
      litmus::unsupported(s.span, fmt::format("call: {} has no body", f.name),
                          "functions of the module itself are read");
    }
    put(std::move(n));
  }

  const Module& m_;
  Flat out_;
  std::vector<Scope> scopes_, ranges_;
  std::map<const Declaration*, uint32_t> once_;
  std::map<std::pair<size_t, std::string>, std::vector<uint32_t>> tables_;
  std::vector<const Function*> calls_;
  std::string path_;
  uint32_t dynamic_ = k_nothing;  // variable
  uint32_t end_ = 0, return_ = k_nothing, calls_made_ = 0, overs_ = 0;
};

}  // namespace

uint32_t bytes_of(std::string_view type) {
  if (type == "tf32") return 4;
  if (type.ends_with("x2")) return 4;
  if (type.ends_with("128")) return 16;
  if (type.ends_with("64")) return 8;
  if (type.ends_with("32")) return 4;
  if (type.ends_with("16")) return 2;
  if (type.ends_with("8")) return 1;
  return 0;
}

const Function& entry_of(const Module& m, const std::string& name) {
  const Function* found = nullptr;
  std::vector<std::string> names;
  for (const Function& f : m.functions) {
    if (!f.is_entry || !f.has_body) continue;
    names.push_back(f.name);
    if (name.empty() ? found == nullptr : f.name == name) found = &f;
  }
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  if (names.empty()) litmus::fail_at(m.span, "the module has no kernel", "a kernel is an .entry with a body");
  if (found == nullptr)
    litmus::fail_at(m.span, fmt::format("there is no kernel {}", litmus::quoted(name)),
                    litmus::suggest(name, names, "the module has " + list));
  if (name.empty() && names.size() > 1)
    litmus::fail_at(m.span, fmt::format("the module has {} kernels: {}", names.size(), list), "choose one by --entry");
  return *found;
}

Flat flatten(const Module& m, const Function& entry) { return Flattener(m).run(entry); }

}  // namespace fencepost::ptxmod
