#include <fmt/format.h>
#include <spirv/unified1/spirv.hpp11>

#include <algorithm>

#include "front/lexer.h"
#include "front/spirv.h"
#include "front/spirv/lower.h"

namespace fencepost::front::spirv {
namespace {

using spv::Op;

// Conditions over ids as conditions over cells.
class Asker {
 public:
  Asker(const Constants& c, Memory& memory) : c_(c), m_(c.module()), memory_(memory) {}

  prog::Cond cond(const QuestionCond& q) {
    prog::Cond out;
    out.kind = q.kind;
    out.span = q.span;
    if (q.kind == prog::Cond::Kind::atom) return atom(q);
    for (const QuestionCond& k : q.kids) {
      prog::Cond kid = cond(k);
      if (kid.kind == q.kind && q.kind != prog::Cond::Kind::not_) out.kids.insert(out.kids.end(), kid.kids.begin(), kid.kids.end());
      else out.kids.push_back(std::move(kid));
    }
    return out;
  }

 private:
  struct Located {
    prog::SymbolId symbol = 0;
    uint64_t cell = 0;
    uint32_t count = 1;
    uint8_t width = 32;   // of a cell
  };

  // The place as the question spells it: an id, or a name of the compiled text without its indices.
  std::string written(const QuestionValue& v) const {
    const std::string_view text = v.span.text();
    return m_.words().compiled ? std::string(text.substr(0, text.find_first_of(" ["))) : v.id;
  }

  Located locate(const QuestionValue& v) {
    const auto it = m_.words().by_name.find(v.id);
    if (it == m_.words().by_name.end()) {
      std::vector<std::string> names;
      for (const Instruction* x : m_.variables()) names.push_back(m_.name(x->result));
      for (const Instruction* x : m_.entry().parameters) names.push_back(m_.name(x->result));
      fail_at(v.span, fmt::format("there is no {} in this module", v.id), suggest(v.id, names, "conditions name variables and parameters of the entry point"));
    }
    const Instruction* d = m_.definition(it->second);
    const bool parameter = d != nullptr && static_cast<Op>(d->op) == Op::OpFunctionParameter &&
                           std::find(m_.entry().parameters.begin(), m_.entry().parameters.end(), d) != m_.entry().parameters.end();
    const bool variable = d != nullptr && static_cast<Op>(d->op) == Op::OpVariable &&
                          static_cast<spv::StorageClass>(d->word(0)) != spv::StorageClass::Function;
    if (!parameter && !variable) fail_at(v.span, fmt::format("{} is no variable and no parameter of the entry point", written(v)));
    const Type& p = m_.type(d->type, *d);
    if (p.kind != Type::Kind::pointer) fail_at(v.span, fmt::format("{} is no memory", written(v)), "conditions look at the final memory");
    const Variable& x = memory_.variable(*d);
    if (memory_.decisions().opaque.contains(x.id))
      unsupported(v.span, fmt::format("{} holds results of floating point arithmetic, which no condition can look at", written(v)));
    std::string key;
    if (x.sharing == Sharing::invocation)
      fail_at(v.span, fmt::format("{} belongs to each invocation by itself", written(v)), "store what the question needs in a buffer");
    const Grid& g = c_.launch().grid;
    if (x.sharing == Sharing::workgroup && g.workgroup_count() * g.queue_families * g.devices > 1)
      fail_at(v.span, fmt::format("{} exists once per workgroup, and the launch has several", written(v)), "store what the question needs in a buffer");
    // The path, as byte offset.
    Offset at;
    Id type = p.element;
    size_t k = 0;
    const auto index = [&](uint64_t stride) { at.bytes += static_cast<int64_t>(stride * v.path[k]); };
    if (parameter) {
      if (v.path.empty()) {
        if (x.layout.scalars.size() != 1) fail_at(v.span, fmt::format("{} points at several elements", written(v)), fmt::format("write {}[0]", written(v)));
      } else {
        const uint64_t n = c_.types().size(type, *d);
        const uint64_t a = m_.dialect() == vocab::Dialect::opencl ? c_.types().alignment(type, *d) : 1;
        index((n + a - 1) / a * a);
        ++k;
      }
    }
    for (; k < v.path.size(); ++k) {
      const Type& t = m_.type(type, *d);
      if (t.kind == Type::Kind::struct_) {
        if (v.path[k] >= t.members.size()) fail_at(v.span, fmt::format("there is no member {}", v.path[k]), fmt::format("{} has {}", m_.name(type), t.members.size()));
        at.bytes += static_cast<int64_t>(c_.types().offset(type, v.path[k], *d));
        type = t.members[v.path[k]];
      } else if (t.composite()) {
        if (t.kind != Type::Kind::runtime_array && v.path[k] >= c_.types().count(type, *d))
          fail_at(v.span, fmt::format("there is no element {}", v.path[k]), fmt::format("{} has {}", m_.name(type), c_.types().count(type, *d)));
        index(c_.types().stride(type, *d));
        type = t.element;
      } else {
        fail_at(v.span, "this path goes further than the variable", fmt::format("{} is a scalar", m_.name(type)));
      }
    }
    if (!m_.type(type, *d).scalar()) fail_at(v.span, "a condition compares scalars", "add indices: %id[i][j]");
    if (!memory_.scalar_at(x, at, static_cast<uint32_t>(c_.types().size(type, *d))))
      fail_at(v.span, "this element lies outside of the variable", fmt::format("{} has {} bytes", written(v), x.layout.size));
    const auto cells = memory_.cells(x, at, static_cast<uint32_t>(c_.types().size(type, *d)), c_.types().bits(type, *d), *d);
    return {memory_.symbol(x, key, cells.in_class), cells.index, cells.count, cells.width};
  }

  prog::CondValue value(const QuestionValue& v, const Located& l, uint32_t part = 0) {
    prog::CondValue out;
    out.kind = prog::CondValue::Kind::location;
    out.symbol = l.symbol;
    out.cell = l.cell + part;
    out.span = v.span;
    return out;
  }
  static prog::CondValue number(const QuestionValue& v, uint64_t n, uint8_t width) {
    prog::CondValue out;
    out.constant = static_cast<uint64_t>(term::to_signed(n & term::mask(width), width));
    out.span = v.span;
    return out;
  }

  prog::Cond atom(const QuestionCond& q) {
    prog::Cond out;
    out.kind = prog::Cond::Kind::atom;
    out.cmp = q.cmp;
    out.span = q.span;
    if (q.lhs.is_constant && q.rhs.is_constant) {
      out.lhs = number(q.lhs, q.lhs.constant, 64);
      out.rhs = number(q.rhs, q.rhs.constant, 64);
      return out;
    }
    if (q.lhs.is_constant || q.rhs.is_constant) {
      const QuestionValue& place = q.lhs.is_constant ? q.rhs : q.lhs;
      const QuestionValue& n = q.lhs.is_constant ? q.lhs : q.rhs;
      const Located l = locate(place);
      if (l.count == 1) {
        (q.lhs.is_constant ? out.rhs : out.lhs) = value(place, l);
        (q.lhs.is_constant ? out.lhs : out.rhs) = number(n, n.constant, l.width);
        return out;
      }
      return pieces(q, l.count, [&](prog::Cond& c, uint32_t part) {
        c.lhs = value(place, l, part);
        c.rhs = number(n, n.constant >> (part * l.width), l.width);
      });
    }
    const Located a = locate(q.lhs), b = locate(q.rhs);
    if (a.count == 1 && b.count == 1) {
      out.lhs = value(q.lhs, a);
      out.rhs = value(q.rhs, b);
      return out;
    }
    if (a.count != b.count || a.width != b.width) unsupported(q.span, "locations that are accessed in pieces of different sizes are not compared");
    return pieces(q, a.count, [&](prog::Cond& c, uint32_t part) {
      c.lhs = value(q.lhs, a, part);
      c.rhs = value(q.rhs, b, part);
    });
  }

  // Of a location in several cells: equal in all, or different in some.
  template <class F>
  prog::Cond pieces(const QuestionCond& q, uint32_t count, F&& fill) {
    if (q.cmp != term::Op::eq && q.cmp != term::Op::ne)
      unsupported(q.span, "a location that is accessed in smaller pieces is compared by == and != only");
    prog::Cond all;
    all.kind = q.cmp == term::Op::eq ? prog::Cond::Kind::and_ : prog::Cond::Kind::or_;
    all.span = q.span;
    for (uint32_t part = 0; part < count; ++part) {
      prog::Cond c;
      c.kind = prog::Cond::Kind::atom;
      c.cmp = q.cmp;
      c.span = q.span;
      fill(c, part);
      all.kids.push_back(std::move(c));
    }
    return all;
  }

  const Constants& c_;
  const Module& m_;
  Memory& memory_;
};

prog::Test build(const Module& m, const Header& header, const Constants& constants, Decisions& decisions) {
  prog::Test test;
  test.title = m.entry_name();
  test.syntax = prog::Syntax::spirv;
  test.dialect = m.dialect();
  test.span = m.entry().at->span;
  Memory memory(constants, decisions, test);
  const Flow flow = inline_calls(m);
  const Launch& launch = constants.launch();
  const auto threads = static_cast<uint32_t>(launch.grid.threads());
  for (uint32_t t = 0; t < threads; ++t) {
    Lowering lowering(constants, memory, flow, t);
    prog::Thread thread;
    thread.id = t;
    thread.templ = prog::intern_template(test, lowering.run());
    const Place p = launch.place(t);
    const uint32_t family = p.device * launch.grid.queue_families + p.queue_family;
    const uint32_t workgroup = launch.global_workgroup(p);
    const uint32_t subgroup = workgroup * launch.grid.subgroups + p.subgroup;
    if (m.dialect() == vocab::Dialect::vulkan) thread.scope = {p.device, family, workgroup, subgroup};
    else thread.scope = {0, p.device, workgroup, subgroup};
    test.threads.push_back(std::move(thread));
  }
  Asker asker(constants, memory);
  test.quantifier = header.question.quantifier;
  if (test.quantifier != prog::Quantifier::none) test.condition = asker.cond(header.question.condition);
  test.filter = asker.cond(header.question.filter);
  return test;
}

prog::Test test_of(const Module& module, const Header& header) {
  Constants constants(module, header);
  constants.set_launch(header.grid);
  Decisions decisions;
  for (;;) {
    try {
      return build(module, header, constants, decisions);
    } catch (const Restart&) {  // each one adds a decision, and there are finitely many
    }
  }
}

}  // namespace

bool is_spirv(std::string_view bytes) {
  if (bytes.starts_with(std::string_view("\x03\x02\x23\x07", 4)) || bytes.starts_with(std::string_view("\x07\x23\x02\x03", 4))) return true;
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  // Comments of assembly, then an instruction.
  while (!bytes.empty()) {
    const char c = bytes.front();
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      bytes.remove_prefix(1);
    } else if (c == ';') {
      std::string_view line = bytes.substr(1, bytes.find('\n'));
      while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
      if (line.starts_with("SPIR-V") || line.starts_with("@Config") || line.starts_with("@Input") || line.starts_with("@Output") || line.starts_with("@Filter"))
        return true;
      const size_t eol = bytes.find('\n');
      bytes.remove_prefix(eol == std::string_view::npos ? bytes.size() : eol + 1);
    } else {
      return bytes.starts_with("OpCapability") || bytes.starts_with("OpMemoryModel") || (c == '%' && bytes.substr(0, bytes.find('\n')).find("= Op") != std::string_view::npos);
    }
  }
  return false;
}

Expected<prog::Test> parse_spirv(const SourcePtr& source, const LaunchOptions& options) {
  return guarded([&] {
    const bool binary = source->text.size() >= 4 && (source->text[0] == '\x03' || source->text[0] == '\x07');
    const Header header = read_header(source, binary, options);
    return test_of(Module(read_words(source), options.entry), header);
  });
}

Expected<prog::Test> parse_compiled(const Compiled& compiled, const LaunchOptions& options) {
  return guarded([&] {
    const Header header = read_header(compiled, options);
    return test_of(Module(read_words(compiled), options.entry), header);
  });
}

}  // namespace fencepost::front::spirv
