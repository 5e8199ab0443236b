#include "standalone/single_text.h"

#include <fmt/format.h>

#include "emit/kernel_glsl.h"
#include "emit/kernel_spirv.h"
#include "term/term.h"

namespace fencepost::standalone {
namespace {

using Place = std::function<std::string(const Single::Where&)>;

const char* symbol(term::Op op) {
  switch (op) {
    case term::Op::eq:
      return "==";
    case term::Op::ne:
      return "!=";
    case term::Op::slt:
      return "<";
    case term::Op::sle:
      return "<=";
    case term::Op::sgt:
      return ">";
    default:
      return ">=";
  }
}

std::string value_text(const Single& s, const prog::CondValue& v, const Place& place) {
  if (v.kind == prog::CondValue::Kind::constant) return fmt::format("{}", static_cast<int64_t>(v.constant));
  for (size_t k = 0; k < s.observables.size(); ++k) {
    const prog::Observable& o = s.observables[k];
    if (v.kind == prog::CondValue::Kind::reg ? o.is_register && o.thread == v.thread && o.reg == v.reg
                                             : !o.is_register && o.symbol == v.symbol && o.cell == v.cell)
      return place(s.where[k]);
    // Another name of the same cell.
    if (v.kind == prog::CondValue::Kind::location && !o.is_register && o.cell == v.cell &&
        s.test.symbols[o.symbol].object == s.test.symbols[v.symbol].object)
      return place(s.where[k]);
  }
  FENCEPOST_INVARIANT(false, "a condition names what is not observed");
  return {};
}

std::string condition_text(const Single& s, const prog::Cond& c, const Place& place) {
  using K = prog::Cond::Kind;
  switch (c.kind) {
    case K::always:
      return "true";
    case K::atom:
      return fmt::format("{} {} {}", value_text(s, c.lhs, place), symbol(c.cmp), value_text(s, c.rhs, place));
    case K::not_:
      return fmt::format("not ({})", condition_text(s, c.kids[0], place));
    case K::and_:
    case K::or_: {
      std::string out;
      for (const prog::Cond& kid : c.kids)
        out += fmt::format("{}({})",
                           out.empty()         ? ""
                           : c.kind == K::and_ ? " and "
                                               : " or ",
                           condition_text(s, kid, place));
      return out;
    }
  }
  return {};
}

// Lines for the head: launch and question; `inputs` in the form of the notation.
std::string head(const Single& s, const std::vector<std::string>& inputs, const Place& place) {
  std::string out = fmt::format("One instance of the litmus test {}.\n", s.test.title);
  out += fmt::format("@Config: {}, {}, {}\n", s.subgroup, s.subgroups, s.groups);
  for (const std::string& i : inputs) out += "@Input: " + i + "\n";
  const std::string question = question_text(s, place);
  if (!question.empty()) out += "@Output: " + question + "\n";
  if (s.test.filter.kind != prog::Cond::Kind::always)
    out += fmt::format("@Filter: {}\n", condition_text(s, s.test.filter, place));
  return out;
}

uint8_t width_of(const Single& s, uint32_t buffer) {
  for (const code::Operation& o : s.kernel.operations)
    if (o.place.index && o.place.buffer == buffer) return o.place.width;
  for (const Single::Where& w : s.where)
    if (w.buffer == buffer) return w.width;
  return 32;
}

std::vector<uint64_t> cells_of(const Single& s, uint32_t buffer) {
  const std::vector<uint32_t>& words = s.buffers[buffer].words;
  if (width_of(s, buffer) == 32) return {words.begin(), words.end()};
  std::vector<uint64_t> out;
  for (size_t k = 0; k + 1 < words.size(); k += 2) out.push_back(words[k] | uint64_t{words[k + 1]} << 32);
  return out;
}

}  // namespace

std::string question_text(const Single& s, const Place& place) {
  const char* q = s.test.quantifier == prog::Quantifier::exists       ? "exists"
                  : s.test.quantifier == prog::Quantifier::not_exists ? "not exists"
                  : s.test.quantifier == prog::Quantifier::forall     ? "forall"
                                                                      : "";
  if (*q == '\0') return {};
  return fmt::format("{} ({})", q, condition_text(s, s.test.condition, place));
}

Expected<std::string> glsl_text(const Single& s) {
  const auto name = [&](uint32_t buffer) { return emit::glsl_name(s.kernel.buffers[buffer]); };
  std::vector<std::string> inputs;
  for (uint32_t b = 0; b < s.buffers.size(); ++b) {
    const auto cells = cells_of(s, b);
    for (size_t c = 0; c < cells.size(); ++c)
      inputs.push_back(fmt::format("{}[{}] = {}", name(b), c, static_cast<int64_t>(cells[c])));
  }
  emit::GlslOptions o;
  o.lanes = s.subgroup * s.subgroups;
  o.comment = head(s, inputs, [&](const Single::Where& w) {
    return fmt::format("{}[{}]", name(w.buffer), w.word / (w.width / 32));
  });
  return emit::kernel_glsl(s.kernel, o);
}

Expected<std::string> spirv_text(const Single& s) {
  auto text = emit::kernel_spirv({s.kernel});
  if (!text) return std::unexpected(text.error());
  const auto name = [&](uint32_t buffer) {
    return fmt::format("%{}_b_{}{}", s.kernel.name, s.kernel.buffers[buffer].name,
                       width_of(s, buffer) == 64 ? "_wide" : "");
  };
  // What no instruction touches is not declared, and an input of it would be refused by whoever reads the module.
  const auto declared = [&](const std::string& id) { return text->assembly.find(id + " = ") != std::string::npos; };
  std::vector<std::string> inputs;
  if (declared("%workgroup_size")) inputs.push_back(fmt::format("%workgroup_size = {}", s.subgroup * s.subgroups));
  for (uint32_t b = 0; b < s.buffers.size(); ++b) {
    if (!declared(name(b))) continue;
    const auto cells = cells_of(s, b);
    std::string list;
    for (const uint64_t c : cells) list += fmt::format("{}{}", list.empty() ? "" : ", ", static_cast<int64_t>(c));
    inputs.push_back(fmt::format("{} = {{{{{}}}}}", name(b), list));
  }
  const std::string lines = head(s, inputs, [&](const Single::Where& w) {
    return fmt::format("{}[0][{}]", name(w.buffer), w.word / (w.width / 32));
  });
  std::string out;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = lines.find('\n', at);
    out += "; " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out + text->assembly;
}

}  // namespace fencepost::standalone
