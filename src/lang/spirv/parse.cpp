#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "litmus/lexer.h"
#include "prog/plain_objects.h"
#include "prog/syntax.h"
#include "spirv/cell_names.h"
#include "spirv/lower.h"
#include "spirv/source_types.h"
#include "spirv/spirv.h"

namespace fencepost::spirv {
namespace {

using spv::Op;

// Conditions over ids as conditions over cells.
class Asker {
 public:
  Asker(const Constants& c, Memory& memory, const Compiled* compiled)
      : c_(c), m_(c.module()), memory_(memory), compiled_(compiled) {}

  prog::Cond cond(const QuestionCond& q) {
    prog::Cond out;
    out.kind = q.kind;
    out.span = q.span;
    if (q.kind == prog::Cond::Kind::atom) return atom(q);
    for (const QuestionCond& k : q.kids) {
      prog::Cond kid = cond(k);
      if (kid.kind == q.kind && q.kind != prog::Cond::Kind::not_)
        out.kids.insert(out.kids.end(), kid.kids.begin(), kid.kids.end());
      else
        out.kids.push_back(std::move(kid));
    }
    return out;
  }

 private:
  struct Located {
    prog::SymbolId symbol = 0;
    uint64_t cell = 0;
    uint32_t count = 1;
    uint8_t width = 32;  // of a cell
    bool is_unsigned = false;
    std::string type;  // as the source says it; "": nobody says whether it has a sign
  };

  // The place as the question spells it: an id, or a name of the compiled text without its indices.
  std::string written(const QuestionValue& v) const {
    const std::string_view text = v.span.text();
    return m_.words().compiled ? std::string(text.substr(0, text.find_first_of(" [@+"))) : v.id;
  }

  Located locate(const QuestionValue& v) {
    const auto it = m_.words().by_name.find(v.id);
    if (it == m_.words().by_name.end()) {
      std::vector<std::string> names;
      for (const Instruction* x : m_.variables()) names.push_back(m_.name(x->result));
      for (const Instruction* x : m_.entry().parameters) names.push_back(m_.name(x->result));
      litmus::fail_at(v.span, fmt::format("there is no {} in this module", v.id),
                      litmus::suggest(v.id, names, "conditions name variables and parameters of the entry point"));
    }
    const Instruction* d = m_.definition(it->second);
    const bool parameter =
        d != nullptr && static_cast<Op>(d->op) == Op::OpFunctionParameter &&
        std::find(m_.entry().parameters.begin(), m_.entry().parameters.end(), d) != m_.entry().parameters.end();
    const bool variable = d != nullptr && static_cast<Op>(d->op) == Op::OpVariable &&
                          static_cast<spv::StorageClass>(d->word(0)) != spv::StorageClass::Function;
    if (!parameter && !variable)
      litmus::fail_at(v.span, fmt::format("{} is neither a variable nor a parameter of the entry point", written(v)));
    const Type& p = m_.type(d->type, *d);
    if (p.kind != Type::Kind::pointer)
      litmus::fail_at(v.span, fmt::format("{} is not memory", written(v)), "conditions look at the final memory");
    const Variable& x = memory_.variable(*d);
    if (memory_.decisions().opaque.contains(x.id))
      litmus::unsupported(
          v.span,
          fmt::format("{} holds results of floating point arithmetic, which no condition can look at", written(v)));
    if (x.sharing == Sharing::invocation)
      litmus::fail_at(v.span, fmt::format("{} belongs to each invocation by itself", written(v)),
                      "store what the question needs in a buffer");
    const Grid& g = c_.launch().grid;
    const uint64_t instances =
        x.sharing == Sharing::workgroup ? uint64_t{g.workgroup_count()} * g.queue_families * g.devices : 1;
    bool known = v.instance.empty();
    for (uint64_t k = 0; k < instances && instances > 1; ++k) known = known || v.instance == fmt::format("@wg{}", k);
    if (!known) litmus::fail_at(v.span, fmt::format("{} has no instance {}", written(v), v.instance));
    if (instances > 1 && v.instance.empty())
      litmus::fail_at(v.span, fmt::format("{} exists once per workgroup, and the launch has several", written(v)),
                      fmt::format("that of the first workgroup is {}@wg0", written(v)));
    // The path, as byte offset.
    Offset at;
    Id type = p.element;
    const SourceType* source = source_of(v.id);
    size_t k = 0;
    const auto index = [&](uint64_t stride) { at.bytes += static_cast<int64_t>(stride * v.path[k]); };
    if (parameter) {
      if (v.path.empty()) {
        if (x.layout.scalars.size() != 1)
          litmus::fail_at(v.span, fmt::format("{} points at several elements", written(v)),
                          fmt::format("write {}[0]", written(v)));
      } else {
        if (v.named(0))
          litmus::fail_at(v.span, fmt::format("{} is a pointer", written(v)),
                          fmt::format("write {}[0].{}", written(v), v.name(0)));
        const uint64_t n = c_.types().size(type, *d);
        const uint64_t a = m_.dialect() == vocab::Dialect::opencl ? c_.types().alignment(type, *d) : 1;
        index((n + a - 1) / a * a);
        ++k;
      }
      source = element(source);
    }
    for (; k < v.path.size(); ++k) {
      const Type& t = m_.type(type, *d);
      if (t.kind == Type::Kind::struct_) {
        const uint64_t n = v.named(k) ? member_named(m_, type, source, v.name(k), v.span) : v.path[k];
        const uint64_t m = module_member(c_.types(), type, source, n, *d, v.span);
        if (m >= t.members.size())
          litmus::fail_at(v.span, fmt::format("there is no member {}", n),
                          fmt::format("{} has {}", m_.name(type), t.members.size()));
        at.bytes += static_cast<int64_t>(c_.types().offset(type, m, *d));
        type = t.members[m];
        source = member(source, n);
      } else if (v.named(k)) {
        litmus::fail_at(v.span, fmt::format("there is no member '{}'", v.name(k)),
                        fmt::format("{} is not a structure", m_.name(type)));
      } else if (t.composite()) {
        if (t.kind != Type::Kind::runtime_array && v.path[k] >= c_.types().count(type, *d))
          litmus::fail_at(v.span, fmt::format("there is no element {}", v.path[k]),
                          fmt::format("{} has {}", m_.name(type), c_.types().count(type, *d)));
        index(c_.types().stride(type, *d));
        type = t.element;
        source = element(source);
      } else {
        litmus::fail_at(v.span, "this path goes further than the variable",
                        fmt::format("{} is a scalar", m_.name(type)));
      }
    }
    if (v.byte) {
      const bool no_sign = m_.type(type, *d).scalar() && has_no_sign(m_, source, type, *d).value_or(false);
      return piece(v, x, at.bytes, no_sign);
    }
    if (!m_.type(type, *d).scalar())
      litmus::fail_at(v.span, "a condition compares scalars",
                      fmt::format("add indices: {}[i][j]", m_.words().compiled ? "x" : "%id"));
    if (!memory_.scalar_at(x, at, static_cast<uint32_t>(c_.types().size(type, *d))))
      litmus::fail_at(v.span, "this element lies outside of the variable",
                      fmt::format("{} has {} bytes", written(v), x.layout.size));
    const auto cells =
        memory_.cells(x, at, static_cast<uint32_t>(c_.types().size(type, *d)), c_.types().bits(type, *d), *d);
    const auto no_sign = has_no_sign(m_, source, type, *d);
    Located out{memory_.symbol(x, v.instance, cells.in_class),
                cells.index,
                cells.count,
                cells.width,
                no_sign.value_or(false),
                ""};
    if (no_sign) out.type = source != nullptr && !source->spelled.empty() ? source->spelled : type_name(type, *d);
    return out;
  }

  std::string type_name(Id type, const Instruction& user) const {
    const Type& t = m_.type(type, user);
    if (m_.words().compiled || t.kind != Type::Kind::int_) return m_.name(type);
    return fmt::format("{}int{} ({})", t.is_signed ? "" : "u", t.width, m_.name(type));
  }

  // The cell that begins so many bytes behind a place, which holds numbers without a sign or others.
  Located piece(const QuestionValue& v, const Variable& x, int64_t at, bool no_sign) {
    const uint32_t g = x.layout.dense;
    const uint64_t byte = static_cast<uint64_t>(at) + *v.byte;
    if (g == 0 || byte % g != 0 || byte / g >= x.layout.dense_cells())
      litmus::fail_at(v.span, "no cell of the memory begins here",
                      "PLACE + BYTES is for what is accessed in pieces, as `outcomes` prints it");
    Located out;
    out.symbol = memory_.symbol(x, v.instance, 0);
    out.cell = byte / g;
    out.width = static_cast<uint8_t>(8 * g);
    out.is_unsigned = true;
    for (const Scalar& s : x.layout.scalars)
      if (s.offset + s.bytes == byte + g) out.is_unsigned = no_sign;  // the piece with the sign
    return out;
  }

  // A side of a comparison as its cells, low end first; of a number, what the cells of the other side would hold.
  struct Side {
    std::vector<prog::CondValue> cells;
    bool is_unsigned = false, is_constant = false;
    uint8_t width = 64;  // of the whole
    Span span;
  };
  static constexpr bool k_equality(term::Op op) { return op == term::Op::eq || op == term::Op::ne; }

  static Side side(const QuestionValue& v, const Located& l) {
    Side out{{}, l.is_unsigned, false, static_cast<uint8_t>(l.count * l.width), v.span};
    for (uint32_t part = 0; part < l.count; ++part) {
      prog::CondValue c;
      c.kind = prog::CondValue::Kind::location;
      c.symbol = l.symbol;
      c.cell = l.cell + part;
      c.is_unsigned = l.is_unsigned || part + 1 < l.count;
      c.span = v.span;
      out.cells.push_back(c);
    }
    return out;
  }
  // A number beside a location is one that its type has, as far as the type is known (header.h, need_number_of). Of an
  // unknown sign, what exceeds the signed numbers of the width is a pattern of bits to == and !=, and itself to the
  // others.
  static Side number(const QuestionValue& v, const Located& beside, term::Op cmp) {
    const auto w = static_cast<uint8_t>(beside.count * beside.width);
    const uint64_t n = v.constant;
    const auto s = static_cast<int64_t>(n);
    if (!beside.type.empty()) need_number_of(v, beside.type, beside.is_unsigned, w);
    if (w < 64 && n > term::mask(w) && (s >= 0 || s < -(int64_t{1} << (w - 1))))
      litmus::fail_at(v.span, fmt::format("this number does not fit into the {} bits that it is compared with", w));
    Side out{{}, beside.is_unsigned, true, w, v.span};
    for (uint32_t part = 0; part < beside.count; ++part) {
      const bool top = part + 1 == beside.count;
      const uint64_t piece = (n >> (part * beside.width)) & term::mask(beside.width);
      prog::CondValue c;
      c.constant = piece;
      if (top && !beside.is_unsigned) {
        c.constant = static_cast<uint64_t>(term::to_signed(piece, beside.width));
        if (!k_equality(cmp) && beside.count == 1) c.constant = n;
      }
      c.span = v.span;
      out.cells.push_back(c);
    }
    return out;
  }

  static prog::Cond compare_cells(const prog::CondValue& a, term::Op op, const prog::CondValue& b, const Span& span) {
    prog::Cond c;
    c.kind = prog::Cond::Kind::atom;
    c.cmp = op;
    c.lhs = a;
    c.rhs = b;
    c.span = span;
    return c;
  }
  static prog::Cond join(prog::Cond::Kind kind, std::vector<prog::Cond> kids, const Span& span) {
    prog::Cond c;
    c.kind = kind;
    c.kids = std::move(kids);
    c.span = span;
    return c;
  }

  prog::Cond atom(const QuestionCond& q) {
    if (q.lhs.is_constant && q.rhs.is_constant) {
      prog::CondValue a, b;
      a.constant = q.lhs.constant;
      b.constant = q.rhs.constant;
      a.span = q.lhs.span;
      b.span = q.rhs.span;
      return compare_cells(a, q.cmp, b, q.span);
    }
    if (q.lhs.is_constant || q.rhs.is_constant) {
      const Located l = locate(q.lhs.is_constant ? q.rhs : q.lhs);
      const Side place = side(q.lhs.is_constant ? q.rhs : q.lhs, l);
      const Side n = number(q.lhs.is_constant ? q.lhs : q.rhs, l, q.cmp);
      return q.lhs.is_constant ? compare(n, q.cmp, place, q.span) : compare(place, q.cmp, n, q.span);
    }
    const Located a = locate(q.lhs), b = locate(q.rhs);
    if ((a.count > 1 || b.count > 1) && (a.count != b.count || a.width != b.width || a.is_unsigned != b.is_unsigned))
      litmus::unsupported(q.span, "locations that are accessed in pieces of different sizes or signs are not compared");
    return compare(side(q.lhs, a), q.cmp, side(q.rhs, b), q.span);
  }

  // The numbers that the two sides hold, compared. Engines compare 64 bits as signed numbers, so that unsigned ones of
  // 64 bits are compared as such, and with signed ones only where these are not negative.
  static prog::Cond compare(const Side& a, term::Op op, const Side& b, const Span& span) {
    using term::Op;
    using Kind = prog::Cond::Kind;
    if (op == Op::sgt || op == Op::sge) return compare(b, op == Op::sgt ? Op::slt : Op::sle, a, span);
    const size_t n = a.cells.size();
    if (k_equality(op)) {
      std::vector<prog::Cond> all;
      for (size_t k = 0; k < n; ++k) all.push_back(compare_cells(a.cells[k], op, b.cells[k], span));
      if (const Side* s = signed_beside_wide(a, b); s != nullptr)
        all.push_back(compare_cells(s->cells.back(), op == Op::eq ? Op::sge : Op::slt, {}, span));
      return all.size() == 1 ? std::move(all.front())
                             : join(op == Op::eq ? Kind::and_ : Kind::or_, std::move(all), span);
    }
    if (n == 1) {
      const Op wide = op == Op::slt ? Op::ult : Op::ule;
      const bool both = is_wide(a) || is_wide(b);
      prog::Cond c = compare_cells(a.cells[0], both ? wide : op, b.cells[0], span);
      const Side* s = signed_beside_wide(a, b);
      if (s == nullptr) return c;
      // s is a: also where it is negative; s is b: only where it is not.
      prog::Cond sign = compare_cells(s->cells[0], s == &a ? Op::slt : Op::sge, {}, span);
      return join(s == &a ? Kind::or_ : Kind::and_, {std::move(sign), std::move(c)}, span);
    }
    // Of several cells, the highest that differ decide.
    prog::Cond out = compare_cells(a.cells[0], op, b.cells[0], span);
    for (size_t k = 1; k < n; ++k) {
      prog::Cond equal = compare_cells(a.cells[k], Op::eq, b.cells[k], span);
      prog::Cond below = compare_cells(a.cells[k], Op::slt, b.cells[k], span);
      prog::Cond rest = join(Kind::and_, {std::move(equal), std::move(out)}, span);
      out = join(Kind::or_, {std::move(below), std::move(rest)}, span);
    }
    return out;
  }
  static bool is_wide(const Side& s) { return s.is_unsigned && s.cells.size() == 1 && s.width == 64; }
  static const Side* signed_beside_wide(const Side& a, const Side& b) {
    if (is_wide(a) && !b.is_unsigned && !b.is_constant) return &b;
    if (is_wide(b) && !a.is_unsigned && !a.is_constant) return &a;
    return nullptr;
  }

  const SourceType* source_of(const std::string& id) const {
    if (compiled_ == nullptr) return nullptr;
    const auto it = compiled_->types.find(id);
    return it == compiled_->types.end() ? nullptr : &it->second;
  }

  const Constants& c_;
  const Module& m_;
  Memory& memory_;
  const Compiled* compiled_;
};

prog::Test build(const Module& m, const Header& header, const Constants& constants, Decisions& decisions,
                 const Compiled* compiled) {
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
    if (m.dialect() == vocab::Dialect::vulkan)
      thread.scope = {p.device, family, workgroup, subgroup};
    else
      thread.scope = {0, p.device, workgroup, subgroup};
    test.threads.push_back(std::move(thread));
  }
  if (memory.drop_unread())
    test.assumptions.push_back(fmt::format(
        "an undefined value in a loop is another in each of {} rounds, and then one of those again", k_rounds));
  if (m.dialect() == vocab::Dialect::opencl) prog::mark_plain_objects(test);
  Asker asker(constants, memory, compiled);
  test.quantifier = header.question.quantifier;
  if (test.quantifier != prog::Quantifier::none) test.condition = asker.cond(header.question.condition);
  test.filter = asker.cond(header.question.filter);
  name_cells(constants, memory, compiled, test);
  if (constants.took_zero()) test.assumptions.emplace_back("buffers without an input start at 0");
  // -1 and 2^32 - 1 are one index there; where addresses have 64 bits, what is negative is flagged.
  if (m.dialect() == vocab::Dialect::opencl && m.address32() && !decisions.computed.empty())
    test.assumptions.emplace_back(
        "no computed index is negative (with addresses of 32 bits a place before a buffer is one far behind its end)");
  for (const std::string& id : constants.lost())
    test.assumptions.push_back(
        fmt::format("the header's value for {}, which the module does not have, says nothing", id));
  return test;
}

// Inputs of structures are written as the text counts their members.
void arrange_inputs(const Module& module, Header& header, const Compiled& compiled) {
  const Constants constants(module, header);
  for (Input& in : header.inputs) {
    const auto source = compiled.types.find(in.id);
    const auto id = module.words().by_name.find(in.id);
    if (source == compiled.types.end() || id == module.words().by_name.end()) continue;
    const Instruction* d = module.definition(id->second);
    if (d == nullptr || d->type == 0) continue;
    const Type& t = module.type(d->type, *d);
    if (static_cast<Op>(d->op) == Op::OpFunctionParameter && t.kind == Type::Kind::pointer) {
      if (!source->second.is_list && !source->second.parts.empty()) {
        // A structure by value is memory of one element, which only the module sees.
        arrange(constants.types(), t.element, &source->second, in.value, *d);
        InputValue one;
        one.is_list = true;
        one.span = in.value.span;
        one.items.push_back(std::move(in.value));
        in.value = std::move(one);
      } else if (in.value.is_list)
        for (InputValue& item : in.value.items)
          arrange(constants.types(), t.element, element(&source->second), item, *d);
      else
        arrange(constants.types(), t.element, element(&source->second), in.value, *d);
    } else {
      arrange(constants.types(), t.kind == Type::Kind::pointer ? t.element : d->type, &source->second, in.value, *d);
    }
  }
}

prog::Test test_of(const Module& module, Header header, const Compiled* compiled) {
  if (compiled != nullptr) arrange_inputs(module, header, *compiled);
  Constants constants(module, header);
  constants.set_launch(header.grid, header.grid_span);
  Decisions decisions;
  for (;;) {
    try {
      return build(module, header, constants, decisions, compiled);
    } catch (const Restart&) {  // each one adds a decision, and there are finitely many
    }
  }
}

}  // namespace

Expected<prog::Test> parse_spirv(const SourcePtr& source, const LaunchOptions& options) {
  return litmus::guarded([&] {
    const bool binary = source->text.size() >= 4 && (source->text[0] == '\x03' || source->text[0] == '\x07');
    const Header header = read_header(source, binary, options);
    return test_of(Module(read_words(source), options.entry), header, nullptr);
  });
}

Expected<prog::Test> parse_compiled(const Compiled& compiled, const LaunchOptions& options) {
  return litmus::guarded([&] {
    const Header header = read_header(compiled, options);
    return test_of(Module(read_words(compiled), options.entry), header, &compiled);
  });
}

}  // namespace fencepost::spirv
