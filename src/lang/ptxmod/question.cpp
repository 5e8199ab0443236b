#include "ptxmod/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "litmus/lexer.h"

namespace fencepost::ptxmod {
namespace {

prog::Cond compare(const prog::CondValue& a, term::Op op, const prog::CondValue& b, const Span& span) {
  prog::Cond c;
  c.kind = prog::Cond::Kind::atom;
  c.cmp = op;
  c.lhs = a;
  c.rhs = b;
  c.span = span;
  return c;
}

}  // namespace

std::string encoded(uint32_t variable, int64_t at, const std::string& type) {
  return fmt::format("%{}+{}:{}", variable, at, type);
}

Named decoded(const std::string& id, const Span& span) {
  const size_t plus = id.find('+'), colon = id.find(':');
  if (plus == std::string::npos || colon == std::string::npos)
    litmus::fail_at(span, fmt::format("there is no variable {}", litmus::quoted(id)),
                    "variables have the names that the module gives them");
  Named out;
  out.key.variable = static_cast<uint32_t>(std::stoul(id.substr(1)));
  out.key.at = std::stoll(id.substr(plus + 1));
  out.type = id.substr(colon + 1);
  return out;
}

bool is_structure(const Variable& v) { return v.space == "param" && v.array && v.bytes > 8; }

prog::Cond Asker::cond(const spirv::QuestionCond& q) {
  prog::Cond out;
  out.kind = q.kind;
  out.span = q.span;
  if (q.kind == prog::Cond::Kind::atom) return atom(q);
  for (const spirv::QuestionCond& k : q.kids) {
    prog::Cond kid = cond(k);
    if (kid.kind == q.kind && q.kind != prog::Cond::Kind::not_)
      out.kids.insert(out.kids.end(), kid.kids.begin(), kid.kids.end());
    else
      out.kids.push_back(std::move(kid));
  }
  return out;
}

std::vector<prog::CondValue> Asker::cells(const spirv::QuestionValue& v) { return side(v).cells; }

Asker::Side Asker::side(const spirv::QuestionValue& v) {
  Side out;
  out.span = v.span;
  if (v.is_constant) {
    out.constant = true;
    out.written = &v;
    out.number = v.constant;
    return out;
  }
  const Named n = decoded(v.id, v.span);
  RootKey key = n.key;
  const Variable& var = flat_.variables[key.variable];
  if (!flat_.cuda && is_structure(var) && key.at == k_itself) key.at = 0;
  const uint64_t blocks = var.space == "shared" ? uint64_t{launch_.grid.workgroup_count()} * launch_.grid.devices : 1;
  const std::string each = flat_.cuda ? "block" : "cta";
  bool known = v.instance.empty();
  for (uint64_t k = 0; k < blocks && blocks > 1; ++k) known = known || v.instance == fmt::format("@{}{}", each, k);
  if (!known) litmus::fail_at(v.span, fmt::format("{} has no instance {}", memory_.name(key), v.instance));
  if (blocks > 1 && v.instance.empty())
    litmus::unsupported(v.span,
                        fmt::format("{} is shared memory, of which each {} has its own", memory_.name(key),
                                    flat_.cuda ? "block" : "CTA"),
                        fmt::format("that of the first is {}@{}0", memory_.name(key), each));
  Part part = flat_.cuda ? typed_part(key, v) : untyped_part({key, n.type}, v);
  part.instance = v.instance;
  return place(key, part, v.span);
}

// By the source's type: indices of arrays, and members by number.
Asker::Part Asker::typed_part(const RootKey& key, const spirv::QuestionValue& v) const {
  using Kind = DataType::Kind;
  const DataType* t = memory_.type(key);
  const std::string name = memory_.name(key);
  if (t == nullptr || (flat_.variables[key.variable].space == "param" && key.at == k_itself))
    litmus::fail_at(v.span, fmt::format("{} is a value that the launch gives, and no memory", name),
                    "a question is about memory: variables, and what pointers point at");
  uint64_t at = 0;
  for (size_t n = 0; n < v.path.size(); ++n) {
    const bool list = t->is(Kind::list);
    uint64_t k = v.path[n];
    if (v.named(n)) {
      if (!t->is(Kind::members)) litmus::fail_at(v.span, fmt::format("there is no member '{}'", v.name(n)));
      const auto m = std::find(t->names.begin(), t->names.end(), v.name(n));
      if (m == t->names.end())
        litmus::fail_at(v.span, fmt::format("there is no member '{}'", v.name(n)),
                        litmus::suggest(v.name(n), t->names, fmt::format("there are {}", fmt::join(t->names, ", "))));
      k = static_cast<uint64_t>(m - t->names.begin());
    }
    if (!list && !t->is(Kind::members))
      litmus::fail_at(v.span, fmt::format("{} has no further parts", name), "an index is of an array or a structure");
    if ((list && t->count != 0 && k >= t->count) || (!list && k >= t->parts.size()))
      litmus::fail_at(v.span, fmt::format("{} ends before this element", name));
    if (list && k > (uint64_t{1} << 32)) litmus::fail_at(v.span, fmt::format("{} is not so long", name));
    at += list ? k * t->parts.front().bytes : t->offsets[k];
    t = list ? &t->parts.front() : &t->parts[k];
  }
  if (v.byte) {
    const auto begin = static_cast<int64_t>(at + *v.byte);
    const uint32_t cell = *v.byte < (uint64_t{1} << 32) ? memory_.cell_at(key, begin) : 0;
    if (cell == 0)
      litmus::fail_at(v.span, "no cell of the memory begins here",
                      "PLACE + BYTES is for what is accessed in pieces, as `outcomes` prints it");
    return {begin, cell, true, "", ""};
  }
  if (t->is(Kind::list) || t->is(Kind::members))
    litmus::fail_at(v.span, fmt::format("{} has several elements", name),
                    fmt::format("name one, for example {}[0]", name));
  if (t->is(Kind::pointer)) litmus::unsupported(v.span, "a question about memory that holds addresses is not read");
  if (t->is(Kind::unknown)) litmus::unsupported(v.span, fmt::format("the type of {} is not read", name));
  if (t->is_float) litmus::unsupported(v.span, "a question about floating point numbers is not read");
  return {static_cast<int64_t>(at), static_cast<uint32_t>(t->bytes), t->is_unsigned, type_name(*t), ""};
}

Asker::Part Asker::untyped_part(const Named& n, const spirv::QuestionValue& v) {
  const RootKey& key = n.key;
  const Variable& var = flat_.variables[key.variable];
  const std::string name = memory_.name(key);
  if (v.byte || !v.names.empty()) litmus::fail_at(v.span, "memory of a module has one index and no members");
  if (v.path.size() > 1) litmus::fail_at(v.span, "memory of a module has one index", "count its elements");
  const Decision& d = memory_.decision(key);
  const Given* given = memory_.given(key);
  uint32_t element = n.type.empty() ? 0 : bytes_of(n.type);
  if (element == 0 && key.at == k_itself && !(var.array && var.element == 1)) element = var.element;
  if (element == 0 && given != nullptr) element = given->element;
  if (element == 0) element = d.cell;
  if (element == 0)
    litmus::fail_at(v.span, fmt::format("nothing accesses {}", name),
                    "say of which type its elements are, for example x.u32[0]");
  if (element > 8) litmus::unsupported(v.span, "elements of more than 64 bits are not compared");
  const uint64_t index = v.path.empty() ? 0 : v.path[0];
  if (v.path.empty() && key.at == k_itself && var.array && var.bytes > element)
    litmus::fail_at(v.span, fmt::format("{} has several elements", name),
                    fmt::format("name one, for example {}[0]", name));
  return {static_cast<int64_t>(index * element), element, !n.type.empty() && n.type[0] == 'u', "", ""};
}

Asker::Side Asker::place(const RootKey& key, const Part& p, const Span& span) {
  const auto at = p.at;
  const auto element = p.element;
  const bool is_unsigned = p.is_unsigned;
  Side out;
  out.type = p.type;
  out.span = span;
  const std::string name = memory_.name(key);
  Decision& d = memory_.decision(key);
  if (d.opaque)
    litmus::unsupported(span, fmt::format("{} holds results of floating point arithmetic, which are not known", name));
  if (d.cell == 0) d.cell = element;  // nobody accesses it
  if (!memory_.open_ended(key) && static_cast<uint64_t>(at) + element > memory_.bytes(key))
    litmus::fail_at(span, fmt::format("{} ends before this element", name));
  memory_.use(key, at, element);
  const uint32_t cell = d.apart ? element : d.cell;
  if (const uint64_t end = (static_cast<uint64_t>(at) + element) / cell; !d.apart && end > memory_.limit(key)) {
    if (end > 4096) litmus::fail_at(span, fmt::format("{} is not so long", name));
    d.cells = end;
    throw Restart{};
  }
  out.width = static_cast<uint8_t>(8 * element);
  out.is_unsigned = is_unsigned;
  for (uint32_t part = 0; part < element / cell; ++part) {
    prog::CondValue c;
    c.kind = prog::CondValue::Kind::location;
    c.symbol = memory_.symbol(key, p.instance, at, element);
    c.cell = d.apart ? 0 : static_cast<uint64_t>(at) / cell + part;
    c.is_unsigned = out.is_unsigned || part + 1 < element / cell;
    c.span = span;
    out.cells.push_back(c);
  }
  return out;
}

Asker::Side Asker::number(const Side& n, const Side& beside, term::Op cmp) {
  Side out = n;
  const uint8_t w = beside.width;
  const auto s = static_cast<int64_t>(n.number);
  if (!beside.type.empty()) spirv::need_number_of(*n.written, beside.type, beside.is_unsigned, w);
  if (w < 64 && n.number > term::mask(w) && (s >= 0 || s < -(int64_t{1} << (w - 1))))
    litmus::fail_at(n.span, fmt::format("this number does not fit into the {} bits that it is compared with", w));
  const size_t count = beside.cells.size();
  const auto each = static_cast<uint8_t>(w / count);
  const bool equality = cmp == term::Op::eq || cmp == term::Op::ne;
  for (size_t part = 0; part < count; ++part) {
    const uint64_t piece = (n.number >> (part * each)) & term::mask(each);
    prog::CondValue c;
    c.constant = piece;
    if (part + 1 == count && !beside.is_unsigned) {
      c.constant = static_cast<uint64_t>(term::to_signed(piece, each));
      if (!equality && count == 1) c.constant = n.number;
    }
    c.span = n.span;
    out.cells.push_back(c);
  }
  return out;
}

prog::Cond Asker::atom(const spirv::QuestionCond& q) {
  Side a = side(q.lhs), b = side(q.rhs);
  if (a.constant && b.constant) {
    prog::CondValue x, y;
    x.constant = a.number;
    y.constant = b.number;
    return compare(x, q.cmp, y, q.span);
  }
  if (a.constant) a = number(a, b, q.cmp);
  if (b.constant) b = number(b, a, q.cmp);
  if (a.cells.size() != b.cells.size())
    litmus::unsupported(q.span, "locations that are accessed in pieces of different sizes are not compared");
  if (a.cells.size() == 1) {
    const bool wide =
        (a.is_unsigned || b.is_unsigned) && std::max(a.constant ? 0 : a.width, b.constant ? 0 : b.width) == 64;
    term::Op cmp = q.cmp;
    if (wide && !(a.is_unsigned || a.constant))
      litmus::unsupported(q.span, "a signed and an unsigned number of 64 bits are not compared");
    if (wide && !(b.is_unsigned || b.constant))
      litmus::unsupported(q.span, "a signed and an unsigned number of 64 bits are not compared");
    if (wide)
      cmp = cmp == term::Op::slt   ? term::Op::ult
            : cmp == term::Op::sle ? term::Op::ule
            : cmp == term::Op::sgt ? term::Op::ugt
            : cmp == term::Op::sge ? term::Op::uge
                                   : cmp;
    return compare(a.cells[0], cmp, b.cells[0], q.span);
  }
  if (q.cmp != term::Op::eq && q.cmp != term::Op::ne)
    litmus::unsupported(q.span, "an order of locations that are accessed in pieces is not asked for");
  prog::Cond out;
  out.kind = q.cmp == term::Op::eq ? prog::Cond::Kind::and_ : prog::Cond::Kind::or_;
  out.span = q.span;
  for (size_t k = 0; k < a.cells.size(); ++k) out.kids.push_back(compare(a.cells[k], q.cmp, b.cells[k], q.span));
  return out;
}

}  // namespace fencepost::ptxmod
