#include "spirv/cell_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/source_types.h"

namespace fencepost::spirv {
namespace {

using spv::Op;

struct Step {
  uint64_t number = 0;
  std::string text;
};
struct Leaf {
  std::vector<Step> steps;
  bool is_unsigned = false;
};

class Namer {
 public:
  Namer(const Constants& c, const Variable& v, const Compiled* compiled)
      : c_(c), m_(c.module()), types_(c.types()), v_(v), compiled_(compiled) {
    if (compiled == nullptr) {
      bases_.push_back({m_.name(v.id), {}});
      return;
    }
    for (const auto& [id, type] : compiled->types)
      if (is_this(id)) source_ = &type;
    for (const auto& [name, variable] : compiled->variables)
      if (is_this(variable.id)) bases_.push_back({name, variable.path});
    std::stable_sort(bases_.begin(), bases_.end(),
                     [](const Base& a, const Base& b) { return a.path.size() < b.path.size(); });
  }

  // "" where the source has no word for it.
  prog::Cell scalar(const Scalar& s, const std::string& instance) const {
    const auto leaf = find(s.offset);
    if (!leaf) return {};
    for (const Base& b : bases_) {
      if (b.path.size() > leaf->steps.size()) continue;
      bool leads_there = true;
      for (size_t k = 0; k < b.path.size(); ++k) leads_there = leads_there && b.path[k] == leaf->steps[k].number;
      if (!leads_there) continue;
      std::string out = b.name + instance;
      for (size_t k = b.path.size(); k < leaf->steps.size(); ++k) out += leaf->steps[k].text;
      return {out, leaf->is_unsigned};
    }
    return {};
  }

 private:
  struct Base {
    std::string name;
    std::vector<uint64_t> path;
  };
  bool is_this(const std::string& id) const {
    const auto it = m_.words().by_name.find(id);
    return it != m_.words().by_name.end() && it->second == v_.id;
  }

  // The scalar that begins at this byte, as a question counts (Asker::locate, which goes the other way).
  std::optional<Leaf> find(uint64_t at) const {
    const Instruction& user = *v_.at;
    Id type = m_.type(user.type, user).element;
    const SourceType* source = source_;
    Leaf out;
    const auto index = [&](uint64_t stride) {
      out.steps.push_back({at / stride, fmt::format("[{}]", at / stride)});
      at %= stride;
      source = element(source);
    };
    if (static_cast<Op>(user.op) == Op::OpFunctionParameter) {
      const uint64_t n = types_.size(type, user);
      const uint64_t a = m_.dialect() == vocab::Dialect::opencl ? types_.alignment(type, user) : 1;
      index((n + a - 1) / a * a);
    }
    for (;;) {
      const Type& t = m_.type(type, user);
      if (t.kind == Type::Kind::struct_) {
        size_t k = t.members.size();
        while (k > 0 && types_.offset(type, k - 1, user) > at) --k;
        if (k-- == 0) return std::nullopt;
        const auto name = name_of_member(types_, type, source, k, user);
        if (!name) return std::nullopt;
        out.steps.push_back({name->number, name->text});
        at -= types_.offset(type, k, user);
        source = member(source, name->number);
        type = t.members[k];
      } else if (t.composite()) {
        index(types_.stride(type, user));
        type = t.element;
      } else {
        if (at != 0 || !t.scalar()) return std::nullopt;
        out.is_unsigned = has_no_sign(m_, source, type, user).value_or(false);
        return out;
      }
    }
  }

  const Constants& c_;
  const Module& m_;
  const Types& types_;
  const Variable& v_;
  const Compiled* compiled_;
  const SourceType* source_ = nullptr;
  std::vector<Base> bases_;
};

}  // namespace

std::optional<bool> has_no_sign(const Module& m, const SourceType* source, Id type, const Instruction& user) {
  const Type& t = m.type(type, user);
  if (t.kind == Type::Kind::bool_) return true;
  if (t.kind != Type::Kind::int_) return std::nullopt;
  if (m.dialect() == vocab::Dialect::vulkan) return !t.is_signed;
  if (source == nullptr || !source->parts.empty() || source->bits != t.width) return std::nullopt;
  return source->is_unsigned;
}

void name_cells(const Constants& constants, const Memory& memory, const Compiled* compiled, prog::Test& test) {
  for (prog::Object& o : test.objects) o.cells.assign(o.init.size(), {});
  memory.for_each([&](const Variable& v, const std::string& key, uint32_t in_class, prog::SymbolId symbol) {
    if (v.sharing == Sharing::invocation || memory.decisions().opaque.contains(v.id)) return;
    const Namer names(constants, v, compiled);
    std::vector<prog::Cell>& cells = test.objects[test.symbols[symbol].object].cells;
    for (const Scalar& s : v.layout.scalars) {
      if (v.layout.dense == 0) {
        if (s.in_class == in_class && s.index < cells.size()) cells[s.index] = names.scalar(s, key);
        continue;
      }
      const prog::Cell whole = names.scalar(s, key);
      const uint32_t g = v.layout.dense;
      for (uint32_t part = 0; part * g < s.bytes && !whole.name.empty(); ++part) {
        const uint64_t cell = s.offset / g + part;
        if (cell >= cells.size()) break;
        cells[cell] = whole;
        if (s.bytes == g) continue;
        cells[cell].name += fmt::format("+{}", part * g);
        if ((part + 1) * g < s.bytes) cells[cell].is_unsigned = true;
      }
    }
  });
}

}  // namespace fencepost::spirv
