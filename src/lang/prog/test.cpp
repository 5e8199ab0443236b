#include "prog/test.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "prog/lanes.h"
#include "prog/loop_bounds.h"
#include "prog/syntax.h"

namespace fencepost::prog {
namespace {

bool is_c(const Test& t) { return t.syntax == Syntax::opencl || t.syntax == Syntax::cuda; }

std::string register_name(const Template& code, uint64_t number) {
  if (number == k_old_value) return "old";
  return number < code.registers.size() ? code.registers[number].name : "r?" + std::to_string(number);
}

std::string symbol_name(const Test& test, SymbolId s) { return s < test.symbols.size() ? test.symbols[s].name : "?"; }

// An operand; the outermost parentheses that terms print for safety are noise here.
std::string operand(const Template& code, const term::Expr& e) {
  std::string text = term::to_string(e, [&](uint64_t v) { return register_name(code, v); });
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return text;
  int depth = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return text;
  }
  return text.substr(1, text.size() - 2);
}

// A computed place of an object whose cells have names of their own: "x[...]", or "head|values[...]" of several.
std::string somewhere_in(const Object& o) {
  std::vector<std::string> all;
  for (const Cell& c : o.cells) {
    if (c.name.empty()) continue;
    const size_t end = c.name.find('[');
    std::string one = c.name.substr(0, end) + (end == std::string::npos ? "" : "[...]");
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
  }
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : "|") + one;
  return out.empty() ? o.name + "[...]" : out;
}

std::string location(const Test& test, const Template& code, const Address& a) {
  if (a.symbol == k_none) return a.index ? operand(code, a.index) : "";
  if (a.symbol < test.symbols.size() && !test.objects[test.symbols[a.symbol].object].cells.empty()) {
    if (!a.index) return cell_name(test, a.symbol, 0);
    if (a.index.is_const()) return cell_name(test, a.symbol, a.index.value());
    return somewhere_in(test.objects[test.symbols[a.symbol].object]);
  }
  std::string out = symbol_name(test, a.symbol);
  if (a.index) out += "[" + operand(code, a.index) + "]";
  return out;
}

std::string label_name(const Template& code, LabelId l) { return l < code.labels.size() ? code.labels[l].name : "?"; }

bool touches_memory(const Instr& i) { return i.kind == Kind::load || i.kind == Kind::store || i.kind == Kind::rmw; }

void append(std::string& out, const std::string& item, const char* separator = ", ") {
  if (item.empty()) return;
  if (!out.empty()) out += separator;
  out += item;
}

// Values of an instruction whose front end kept no operands as written.
std::vector<term::Expr> operands_of(const Instr& i) {
  if (!i.args.empty() || i.kind == Kind::barrier || !i.value) return i.args;
  return {i.value};
}

std::string assembly(const Test& test, const Template& code, const Instr& i) {
  if (i.kind == Kind::label) return label_name(code, i.label) + ":";
  if (i.operands) return i.operands->empty() ? i.mnemonic : i.mnemonic + " " + *i.operands;
  std::string operands;
  if (i.kind == Kind::barrier) {
    append(operands, i.args.empty() ? i.barrier.instance : operand(code, i.args.front()));
    // A name by value is the first operand; a register whose value could be read off stands in args as well.
    if (i.barrier.id && (i.args.empty() || !i.barrier.by_value())) append(operands, operand(code, i.barrier.id));
    if (i.barrier.quorum) append(operands, operand(code, i.barrier.quorum));
    if (!i.barrier.quorum && test.syntax == Syntax::ptx)
      for (const std::string& threads : i.spelling) append(operands, threads);
  } else if (i.tags.has(Tag::HOST) && touches_memory(i)) {  // x86: "mov r0, [x]", "mov [x], 1", "lock xadd [x], r0"
    if (i.kind == Kind::load) append(operands, register_name(code, i.dst));
    append(operands, "[" + location(test, code, i.addr) + "]");
    for (const term::Expr& e : operands_of(i)) append(operands, operand(code, e));
  } else {
    if (i.dst != k_none) append(operands, register_name(code, i.dst));
    if (touches_memory(i)) append(operands, location(test, code, i.addr));
    for (const term::Expr& e : operands_of(i)) append(operands, operand(code, e));
    if (i.label != k_none) append(operands, label_name(code, i.label));
  }
  std::string out;
  if (i.predicate != k_none)
    out = std::string("@") + (i.predicate_negated ? "!" : "") + register_name(code, i.predicate) + " ";
  out += i.mnemonic.empty() ? name(i.kind) : i.mnemonic;
  if (!operands.empty()) out += " " + operands;
  // Of a compiled module: the line of the source that the compiler made it of.
  if (test.syntax == Syntax::spirv && !i.spelling.empty()) out += "  // " + i.spelling.front();
  return out;
}

// C. A call is `mnemonic(location, operands, spelling)`; a mnemonic that is no identifier (or none) stands
// for a plain access or assignment.
std::string c_statement(const Test& test, const Template& code, const Instr& i) {
  const bool call = !i.mnemonic.empty() && std::all_of(i.mnemonic.begin(), i.mnemonic.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c | 32) >= 'a';
  }) && (i.mnemonic.find('_') != std::string::npos || i.mnemonic.starts_with("atomic"));
  const std::string assign = i.dst != k_none ? register_name(code, i.dst) + " = " : "";
  const std::vector<term::Expr> args = operands_of(i);
  switch (i.kind) {
    case Kind::label:
      return label_name(code, i.label) + ":";
    case Kind::jump:
      if (i.form == Form::c_else) return "else";
      if (i.form == Form::c_while_back) return "end of while";
      return "goto " + label_name(code, i.label);
    case Kind::branch: {
      const std::string cond = args.empty() ? "" : operand(code, args.front());
      if (i.form == Form::c_if) return "if (" + cond + ")";
      if (i.form == Form::c_while) return "while (" + cond + ")";
      return "if (" + cond + ") goto " + label_name(code, i.label);
    }
    case Kind::local:
      return assign + (args.empty() ? "" : operand(code, args.front()));
    case Kind::load:
      if (!call) return assign + "*" + location(test, code, i.addr);
      break;
    case Kind::store:
      if (!call) return "*" + location(test, code, i.addr) + " = " + (args.empty() ? "" : operand(code, args.front()));
      break;
    default:
      break;
  }
  std::string inside;
  if (touches_memory(i)) append(inside, location(test, code, i.addr));
  for (const term::Expr& e : args) append(inside, operand(code, e));
  for (const std::string& s : i.spelling) append(inside, s);
  std::string out = assign + (i.mnemonic.empty() ? name(i.kind) : i.mnemonic) + "(" + inside + ")";
  if (i.kind == Kind::barrier && !i.barrier.instance.empty()) out = i.barrier.instance + ": " + out;
  return out;
}

const char* symbol_of(term::Op op) {
  switch (op) {
    case term::Op::ne:
      return "!=";
    case term::Op::slt:
    case term::Op::ult:
      return "<";
    case term::Op::sle:
    case term::Op::ule:
      return "<=";
    case term::Op::sgt:
    case term::Op::ugt:
      return ">";
    case term::Op::sge:
    case term::Op::uge:
      return ">=";
    default:
      return "=";
  }
}

}  // namespace

const char* name(Syntax s) {
  switch (s) {
    case Syntax::ptx:
      return "ptx";
    case Syntax::vulkan:
      return "vulkan";
    case Syntax::opencl:
      return "opencl";
    case Syntax::gpu_ptx:
      return "gpu_ptx";
    case Syntax::vulkan_test:
      return "vulkan_test";
    case Syntax::mixedproxy_test:
      return "mixedproxy_test";
    case Syntax::spirv:
      return "spirv";
    case Syntax::cuda:
      return "cuda";
  }
  return "ptx";
}

const char* name(Kind k) {
  switch (k) {
    case Kind::local:
      return "local";
    case Kind::load:
      return "load";
    case Kind::store:
      return "store";
    case Kind::rmw:
      return "rmw";
    case Kind::fence:
      return "fence";
    case Kind::barrier:
      return "barrier";
    case Kind::label:
      return "label";
    case Kind::jump:
      return "goto";
    case Kind::branch:
      return "branch";
  }
  return "local";
}

const char* name(Quantifier q) {
  switch (q) {
    case Quantifier::none:
      return "none";
    case Quantifier::exists:
      return "exists";
    case Quantifier::not_exists:
      return "~exists";
    case Quantifier::forall:
      return "forall";
  }
  return "none";
}

uint64_t address_of(ObjectId object, uint64_t cell) { return k_object_stride * (uint64_t{object} + 1) + cell; }

uint32_t intern_template(Test& test, Template t) {
  const auto found = std::find(test.templates.begin(), test.templates.end(), t);
  if (found != test.templates.end()) return static_cast<uint32_t>(found - test.templates.begin());
  test.templates.push_back(std::move(t));
  return static_cast<uint32_t>(test.templates.size() - 1);
}

std::vector<std::pair<uint32_t, LabelId>> loops_of(const Test& test) {
  std::vector<std::pair<uint32_t, LabelId>> out;
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    const Template& code = test.code(t);
    std::vector<bool> seen(code.labels.size(), false);
    for (uint32_t i = 0; i < code.code.size(); ++i) {
      const Instr& in = code.code[i];
      if ((in.kind == Kind::jump || in.kind == Kind::branch) && code.labels[in.label].at <= i) seen[in.label] = true;
    }
    for (LabelId l = 0; l < seen.size(); ++l)
      if (seen[l]) out.emplace_back(t, l);
  }
  return out;
}

std::string to_string(const LoopBounds& bounds) {
  const uint32_t least = bounds.least(), largest = bounds.largest();
  return least == largest ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(largest);
}

LoopBounds raised(const Test& test, const LoopBounds& bounds, const std::vector<LoopId>& reached, uint32_t least) {
  LoopBounds out = bounds;
  if (reached.empty()) {
    out.all = std::max(least, out.all * 2);
    for (auto& [loop, bound] : out.loops) bound = std::max(least, bound * 2);
    return out;
  }
  const auto loops = loops_of(test);
  for (const LoopId& loop : loops) {
    const bool hit = std::any_of(reached.begin(), reached.end(), [&](const LoopId& r) {
      return r.second == loop.second && test.threads[r.first].templ == test.threads[loop.first].templ;
    });
    out.loops[loop] = std::max(least, bounds.of(loop.first, loop.second) * (hit ? 2 : 1));
  }
  if (out.loops.empty()) return out;
  // Every loop is named, so that the number of the others speaks of none. One number where one is enough.
  out.all = std::min_element(out.loops.begin(), out.loops.end(), [](const auto& a, const auto& b) {
              return a.second < b.second;
            })->second;
  if (std::all_of(out.loops.begin(), out.loops.end(),
                  [&](const auto& l) { return l.second == out.loops.begin()->second; }))
    out = LoopBounds(out.loops.begin()->second);
  return out;
}

bool may_fail_spuriously(const Test& test) {
  for (const Template& t : test.templates)
    for (const Instr& i : t.code)
      if (i.spurious != k_none) return true;
  return false;
}

bool forbid_spurious_failures(Test& test) {
  const bool any = may_fail_spuriously(test);
  for (Template& t : test.templates)
    for (Instr& i : t.code) i.spurious = k_none;
  return any;
}

uint32_t event_count(const Test& test) {
  uint32_t total = 0;
  for (uint32_t t = 0; t < test.threads.size(); ++t)
    for (const Instr& i : test.instrs(t)) {
      if (i.kind == Kind::rmw) total += 2;
      if (i.kind == Kind::load || i.kind == Kind::store || i.kind == Kind::fence || i.kind == Kind::barrier) ++total;
    }
  return total;
}

bool same_scope(const ScopePath& a, const ScopePath& b, uint32_t level) {
  if (a.size() <= level || b.size() <= level) return false;
  return std::equal(a.begin(), a.begin() + level + 1, b.begin());
}

bool same_scope(const Thread& a, const Thread& b, uint32_t level) {
  if (level != vocab::k_level_cluster) return same_scope(a.scope, b.scope, level);
  constexpr uint32_t k_gpu = 1, k_cta = 2;
  return same_scope(a.scope, b.scope, k_cta) ||
         (same_scope(a.scope, b.scope, k_gpu) && a.cluster != k_none && a.cluster == b.cluster);
}

bool has_cluster_scope(const Test& test) {
  return std::any_of(test.templates.begin(), test.templates.end(), [](const Template& t) {
    return std::any_of(t.code.begin(), t.code.end(),
                       [](const Instr& i) { return i.tags.has(Tag::CLUSTER) || i.store_tags.has(Tag::CLUSTER); });
  });
}

const Thread* host_thread(const Test& test) {
  const auto at = std::find_if(test.threads.begin(), test.threads.end(), [](const Thread& t) { return t.host; });
  return at == test.threads.end() ? nullptr : &*at;
}

const Instr* needs_ptx9(const Test& test) {
  constexpr Tag k_new[] = {Tag::ASY,   Tag::ASYNC, Tag::TMAP,  Tag::MBAR, Tag::DONE,
                           Tag::MINIT, Tag::OWN,   Tag::READS, Tag::VEC,  Tag::WARP};
  const auto is_new = [&](const TagSet& tags) {
    if (is_lane(tags)) return false;
    if (tags.has(Tag::F) && (tags.has(Tag::ACQ) || tags.has(Tag::REL))) return true;
    if (tags.has(Tag::B) && tags.has(Tag::CLUSTER)) return true;
    return std::any_of(std::begin(k_new), std::end(k_new), [&](Tag t) { return tags.has(t); });
  };
  if (test.dialect != Dialect::ptx) return nullptr;
  for (const Template& t : test.templates)
    for (const Instr& i : t.code)
      if (i.operation != k_none || is_new(i.tags) || is_new(i.store_tags)) return &i;
  return nullptr;
}

bool has_clusters(const Test& test) {
  return std::any_of(test.threads.begin(), test.threads.end(), [](const Thread& t) { return t.cluster != k_none; }) ||
         has_cluster_scope(test);
}

namespace {

const CondValue* of_any_group(const Cond& c) {
  if (c.kind == Cond::Kind::atom)
    for (const CondValue* v : {&c.lhs, &c.rhs})
      if (v->any_group) return v;
  for (const Cond& kid : c.kids)
    if (const CondValue* v = of_any_group(kid)) return v;
  return nullptr;
}

}  // namespace

std::string declared_name(const Symbol& s) {
  return s.instances == k_none ? s.name : s.name.substr(0, s.name.find('@'));
}

const CondValue* named_of_any_group(const Test& test) {
  for (const Cond* c : {&test.condition, &test.filter})
    if (const CondValue* v = of_any_group(*c)) return v;
  for (const CondValue& v : test.locations)
    if (v.any_group) return &v;
  return nullptr;
}

bool join_groups(Test& test) {
  bool any = false;
  const size_t symbols = test.symbols.size();
  for (SymbolId id = 0; id < symbols; ++id) {
    Symbol s = test.symbols[id];
    if (s.instances == k_none || s.object == test.symbols[s.instances].object) continue;
    // Every object has a name of its own: nobody accesses this one any more.
    Symbol left = s;
    left.name += "'";
    left.instances = left.group_of = k_none;
    left.generic = static_cast<SymbolId>(test.symbols.size());
    s.object = test.symbols[s.instances].object;
    s.generic = s.instances;
    test.symbols[id] = std::move(s);
    test.symbols.push_back(std::move(left));
    any = true;
  }
  return any;
}

std::string cell_name(const Object& object, const std::string& called, uint64_t cell) {
  if (cell < object.cells.size() && !object.cells[cell].name.empty()) return object.cells[cell].name;
  if (!object.cells.empty()) return called + "+" + std::to_string(cell * object.width / 8);
  return object.init.size() == 1 ? called : called + "[" + std::to_string(cell) + "]";
}
bool is_unsigned(const Object& object, uint64_t cell) {
  return cell < object.cells.size() ? object.cells[cell].is_unsigned : object.is_unsigned;
}
std::string cell_name(const Test& test, SymbolId symbol, uint64_t cell) {
  const Symbol& s = test.symbols[symbol];
  return cell_name(test.objects[s.object], s.name, cell);
}

std::string to_string(const Test& test, uint32_t thread, const Instr& instr) {
  FENCEPOST_INVARIANT(thread < test.threads.size(), "an instruction of a thread that does not exist was printed");
  const Template& code = test.code(thread);
  return is_c(test) ? c_statement(test, code, instr) : assembly(test, code, instr);
}

std::string to_string(const Test& test, const CondValue& v) {
  switch (v.kind) {
    case CondValue::Kind::reg:
      return std::to_string(v.thread) + ":" +
             (v.thread < test.threads.size() ? register_name(test.code(v.thread), v.reg) : "?");
    case CondValue::Kind::location: {
      const std::string called = v.any_group ? declared_name(test.symbols[v.symbol]) : symbol_name(test, v.symbol);
      if (v.symbol >= test.symbols.size()) return called;
      return cell_name(test.objects[test.symbols[v.symbol].object], called, v.cell);
    }
    case CondValue::Kind::constant:
      return std::to_string(static_cast<int64_t>(v.constant));
    case CondValue::Kind::address:
      return "&" + (v.any_group ? declared_name(test.symbols[v.symbol]) : symbol_name(test, v.symbol));
  }
  return "";
}

std::string to_string(const Test& test, const Cond& c) {
  const auto grouped = [&](const Cond& kid) {
    const bool open = kid.kind == Cond::Kind::and_ || kid.kind == Cond::Kind::or_;
    return open ? "(" + to_string(test, kid) + ")" : to_string(test, kid);
  };
  switch (c.kind) {
    case Cond::Kind::always:
      return "true";
    case Cond::Kind::atom: {
      // A bare location on the right of a comparison is its address in every dialect.
      std::string right = to_string(test, c.rhs);
      if (c.rhs.kind == CondValue::Kind::address) right.erase(0, 1);
      return to_string(test, c.lhs) + symbol_of(c.cmp) + right;
    }
    case Cond::Kind::not_: {
      const Cond& kid = c.kids.front();
      return kid.kind == Cond::Kind::atom ? "~(" + to_string(test, kid) + ")" : "~" + grouped(kid);
    }
    case Cond::Kind::and_:
    case Cond::Kind::or_: {
      std::string out;
      for (const Cond& kid : c.kids) append(out, grouped(kid), c.kind == Cond::Kind::and_ ? " /\\ " : " \\/ ");
      return out;
    }
  }
  return "";
}

}  // namespace fencepost::prog
