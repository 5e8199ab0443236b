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

void arrange(const Types& types, Id type, const SourceType* source, InputValue& v, const Instruction& user) {
  if (source == nullptr || !v.is_list) return;
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
