#include "spirv/source_types.h"

#include <fmt/format.h>

#include "litmus/lexer.h"

namespace fencepost::spirv {

const SourceType* element(const SourceType* list) {
  return list != nullptr && list->is_list && list->parts.size() == 1 ? &list->parts[0] : nullptr;
}

const SourceType* member(const SourceType* structure, uint64_t k) {
  return structure != nullptr && !structure->is_list && k < structure->parts.size() ? &structure->parts[k] : nullptr;
}

uint64_t module_member(const Types& types, Id structure, const SourceType* source, uint64_t k, const Instruction& user,
                       const Span& where) {
  const SourceType* m = member(source, k);
  if (m == nullptr) {
    if (source == nullptr || source->is_list || source->parts.empty()) return k;
    litmus::fail_at(where, fmt::format("there is no member {}", k),
                    fmt::format("the structure has {}", source->parts.size()));
  }
  const Type& t = types.module().type(structure, user);
  for (size_t n = 0; m->offset % 8 == 0 && n < t.members.size(); ++n)
    if (types.offset(structure, n, user) == m->offset / 8) return n;
  litmus::unsupported(where, fmt::format("member {} has no bytes of its own in the compiled module", k),
                      "bit fields are not read");
}

namespace {

// Whether a type of the text and one of the module can be the same.
bool alike(const Types& types, Id type, const SourceType& source, const Instruction& user) {
  const Type& t = types.module().type(type, user);
  if (t.kind == Type::Kind::struct_) return !source.is_list && !source.parts.empty();
  if (t.composite()) return source.is_list && alike(types, t.element, source.parts.front(), user);
  return !source.is_list && source.parts.empty() && (t.kind == Type::Kind::bool_ || source.bits == t.width);
}

}  // namespace

uint64_t member_named(const Module& module, Id structure, const SourceType* source, const std::string& name,
                      const Span& where) {
  std::vector<std::string> all;
  if (source != nullptr && !source->is_list) {
    for (uint64_t k = 0; k < source->parts.size(); ++k) {
      if (source->parts[k].name == name) return k;
      all.push_back(source->parts[k].name);
    }
  } else if (const auto it = module.words().members.find(structure); it != module.words().members.end()) {
    for (const auto& [k, n] : it->second) {
      if (n == name) return k;
      all.push_back(n);
    }
  }
  std::erase(all, "");
  litmus::fail_at(where, fmt::format("there is no member '{}'", name),
                  litmus::suggest(name, all,
                                  all.empty() ? "members are numbers here: x[0]"
                                              : fmt::format("there are {}", fmt::join(all, ", "))));
}

std::optional<MemberName> name_of_member(const Types& types, Id structure, const SourceType* source, uint64_t member,
                                         const Instruction& user) {
  const Type& t = types.module().type(structure, user);
  if (source == nullptr || source->is_list || source->parts.empty()) {
    const auto& known = types.module().words().members;
    const auto it = known.find(structure);
    const auto name = it == known.end() ? std::map<uint32_t, std::string>::const_iterator{}
                                        : it->second.find(static_cast<uint32_t>(member));
    if (it == known.end() || name == it->second.end() || name->second.empty())
      return MemberName{member, fmt::format("[{}]", member)};
    return MemberName{member, "." + name->second};
  }
  const uint64_t bits = 8 * types.offset(structure, member, user);
  for (uint64_t k = 0; k < source->parts.size(); ++k) {
    const SourceType& p = source->parts[k];
    if (p.offset != bits || !alike(types, t.members[member], p, user)) continue;
    return MemberName{k, p.name.empty() ? fmt::format("[{}]", k) : "." + p.name};
  }
  return std::nullopt;
}

void arrange(const Types& types, Id type, const SourceType* source, InputValue& v, const Instruction& user) {
  if (source == nullptr) return;
  const bool number = !source->is_list && source->parts.empty() && source->bits > 0 && source->bits <= 64;
  if (number && !source->spelled.empty() && !v.is_list && !v.absent &&
      types.module().type(type, user).kind != Type::Kind::float_)
    need_number_of(v, source->spelled, source->is_unsigned, static_cast<uint8_t>(source->bits));
  if (!v.is_list) return;
  const Type& t = types.module().type(type, user);
  if (t.kind != Type::Kind::struct_) {
    if (t.composite())
      for (InputValue& item : v.items) arrange(types, t.element, element(source), item, user);
    return;
  }
  const size_t n = source->parts.size();
  if (source->is_list || n == 0) return;
  if (v.items.size() > n || (!v.partial && v.items.size() < n))
    litmus::fail_at(v.span, fmt::format("{} values are given, and the structure has {}", v.items.size(), n));
  std::vector<InputValue> items(t.members.size());
  for (InputValue& item : items) {
    item.absent = true;
    item.span = v.span;
  }
  for (size_t k = 0; k < v.items.size(); ++k) {
    const uint64_t at = module_member(types, type, source, k, user, v.items[k].span);
    arrange(types, t.members[at], &source->parts[k], v.items[k], user);
    if (!v.items[k].absent && !items[at].absent)
      litmus::fail_at(v.items[k].span, "two members of a union have a value", "give one of them");
    if (!v.items[k].absent) items[at] = std::move(v.items[k]);
  }
  v.items = std::move(items);
  v.partial = true;
}

}  // namespace fencepost::spirv
