#include "spirv/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <spirv/unified1/spirv.hpp11>

namespace fencepost::spirv {

uint32_t term_size(const Expr& e, uint32_t most) {
  if (!e) return 0;
  uint32_t n = 1;
  for (const Expr& k : e.kids()) {
    if (n >= most) return n;
    n += term_size(k, most - n);
  }
  return n;
}

namespace {
uint64_t round_up(uint64_t n, uint64_t to) { return to == 0 ? n : (n + to - 1) / to * to; }
}  // namespace

uint8_t Types::bits(Id type, const Instruction& user) const {
  const Type& t = m_.type(type, user);
  if (t.kind == Type::Kind::pointer) return m_.address32() ? 32 : 64;
  if (!t.scalar()) m_.fail(user, fmt::format("{} is not a scalar type", m_.name(type)));
  return t.kind == Type::Kind::bool_ ? uint8_t{1} : static_cast<uint8_t>(t.width);
}

uint64_t Types::size(Id type, const Instruction& user) const {
  const Type& t = m_.type(type, user);
  switch (t.kind) {
    case Type::Kind::bool_:
      return 1;
    case Type::Kind::int_:
    case Type::Kind::float_:
      return (t.width + 7) / 8;
    case Type::Kind::pointer:
      return m_.address32() ? 4 : 8;
    case Type::Kind::vector: {
      const uint64_t n = m_.dialect() == vocab::Dialect::opencl && t.count == 3 ? 4 : t.count;
      return n * size(t.element, user);
    }
    case Type::Kind::array: {
      const uint64_t n = count(type, user), step = stride(type, user);
      if (n * step > k_most_bytes)  // both are below 2^32
        m_.refuse(user, fmt::format("{} has more than {} bytes", m_.name(type), k_most_bytes),
                  "make the arrays smaller");
      return n * step;
    }
    case Type::Kind::struct_: {
      uint64_t end = 0;
      for (size_t k = 0; k < t.members.size(); ++k)
        end = std::max(end, offset(type, k, user) + size(t.members[k], user));
      return t.packed || m_.dialect() == vocab::Dialect::vulkan ? end : round_up(end, alignment(type, user));
    }
    case Type::Kind::runtime_array:
      m_.fail(user, "a runtime array has no size of its own", "give its elements by @Input");
    default:
      m_.refuse(user, fmt::format("values of the type {} have no place in memory here", m_.name(type)));
  }
}

uint64_t Types::alignment(Id type, const Instruction& user) const {
  const Type& t = m_.type(type, user);
  switch (t.kind) {
    case Type::Kind::vector: {
      const uint64_t n = m_.dialect() == vocab::Dialect::opencl ? std::bit_ceil(t.count) : 1;
      return n * alignment(t.element, user);
    }
    case Type::Kind::array:
    case Type::Kind::runtime_array:
      return alignment(t.element, user);
    case Type::Kind::struct_: {
      uint64_t a = 1;
      if (!t.packed)
        for (const Id m : t.members) a = std::max(a, alignment(m, user));
      return a;
    }
    default:
      return std::bit_ceil(size(type, user));
  }
}

uint64_t Types::stride(Id array, const Instruction& user) const {
  const Type& t = m_.type(array, user);
  if (t.stride != 0) return t.stride;
  if (t.kind == Type::Kind::vector) return size(t.element, user);
  const uint64_t n = size(t.element, user);
  return m_.dialect() == vocab::Dialect::opencl ? round_up(n, alignment(t.element, user)) : n;
}

uint64_t Types::count(Id array, const Instruction& user) const {
  const Type& t = m_.type(array, user);
  if (t.kind == Type::Kind::vector) return t.count;
  const uint64_t n = length_(t.length, user);
  if (n == 0 || n > k_most_cells)
    m_.refuse(user, fmt::format("an array of {} elements is not read", n), fmt::format("1 to {} are", k_most_cells));
  return n;
}

uint64_t Types::offset(Id structure, size_t member, const Instruction& user) const {
  const Type& t = m_.type(structure, user);
  if (member >= t.members.size())
    m_.fail(user, fmt::format("member {} is asked for, and {} has {}", member, m_.name(structure), t.members.size()));
  if (t.offsets[member]) return *t.offsets[member];
  uint64_t at = 0;
  for (size_t k = 0; k <= member; ++k) {
    if (t.offsets[k]) {
      at = *t.offsets[k];
    } else if (!t.packed) {
      at = round_up(at, alignment(t.members[k], user));
    }
    if (k < member) at += size(t.members[k], user);
  }
  return at;
}

struct Types::Walk {
  Layout out;
  std::vector<size_t> path;       // member choices
  std::vector<Layout::Dim> dims;  // open arrays
  std::vector<uint64_t> at;       // indices in them
  std::map<std::vector<size_t>, uint32_t> class_of;
  uint64_t least = 0;
  uint64_t visits = 0;
  std::string member;  // the source's name of the member that is looked at, "" where it has none
};

void Types::check_depth(uint32_t depth, const Instruction& user) const {
  if (depth > 64) m_.refuse(user, "types nested more than 64 deep are not read");
}

void Types::walk(Walk& w, Id type, uint64_t offset, const InputValue* input, const Instruction& user) const {
  check_depth(w.path.size() + w.dims.size(), user);
  if (++w.visits > 8 * k_most_cells)  // of empty structures there may be many
    m_.refuse(user, fmt::format("variables of more than {} scalars are not read", k_most_cells),
              "make the arrays smaller");
  const Type& t = m_.type(type, user);
  const auto item = [&](size_t k) {
    return input != nullptr && input->is_list && k < input->items.size() && !input->items[k].absent ? &input->items[k]
                                                                                                    : nullptr;
  };
  switch (t.kind) {
    case Type::Kind::bool_:
    case Type::Kind::int_:
    case Type::Kind::pointer:  // of variables that never become memory objects
    case Type::Kind::float_: {
      auto [it, fresh] = w.class_of.try_emplace(w.path, static_cast<uint32_t>(w.out.classes.size()));
      if (fresh) {
        Layout::Class c;
        c.base = offset;
        for (size_t d = 0; d < w.dims.size(); ++d) c.base -= w.at[d] * w.dims[d].stride;
        c.bytes = static_cast<uint32_t>(size(type, user));
        c.type = type;
        c.dims = w.dims;
        c.cells = 1;
        for (const Layout::Dim& d : c.dims) c.cells *= d.count;
        w.out.classes.push_back(std::move(c));
      }
      uint64_t index = 0;
      for (size_t d = 0; d < w.dims.size(); ++d) index = index * w.dims[d].count + w.at[d];
      w.out.scalars.push_back({offset, w.out.classes[it->second].bytes, bits(type, user), type, it->second, index});
      if (w.out.scalars.size() > k_most_cells)
        m_.refuse(user, fmt::format("variables of more than {} scalars are not read", k_most_cells),
                  "make the arrays smaller");
      return;
    }
    case Type::Kind::vector:
    case Type::Kind::array:
    case Type::Kind::runtime_array: {
      uint64_t n = 0;
      if (t.kind == Type::Kind::runtime_array) {
        if (input == nullptr || !input->is_list)
          m_.fail(user,
                  w.member.empty() ? "the length of this runtime array is not known"
                                   : fmt::format("the length of the runtime array '{}' is not known", w.member),
                  !m_.words().compiled ? "give its elements: ; @Input: %id = {{0, 0}}"
                                       : fmt::format("give its elements: // @Input: {} = {{0, 0}}",
                                                     w.member.empty() ? "NAME" : w.member));
        n = std::max<uint64_t>(input->items.size(), w.dims.empty() ? w.least : 0);
        if (w.dims.empty()) w.out.element = stride(type, user);
      } else {
        n = count(type, user);
      }
      const uint64_t step = stride(type, user);
      w.dims.push_back({step, n});
      w.at.push_back(0);
      for (uint64_t k = 0; k < n; ++k) {
        w.at.back() = k;
        walk(w, t.element, offset + k * step, item(k), user);
      }
      w.dims.pop_back();
      w.at.pop_back();
      return;
    }
    case Type::Kind::struct_:
      for (size_t k = 0; k < t.members.size(); ++k) {
        w.path.push_back(k);
        const std::string outside = w.member;
        if (w.at.empty()) {
          const auto names = m_.words().members.find(type);
          const bool named = names != m_.words().members.end() && names->second.contains(static_cast<uint32_t>(k));
          w.member = named ? (outside.empty() ? "" : outside + ".") + names->second.at(static_cast<uint32_t>(k)) : "";
        }
        walk(w, t.members[k], offset + this->offset(type, k, user), item(k), user);
        w.member = outside;
        w.path.pop_back();
      }
      return;
    default:
      m_.refuse(user, fmt::format("memory that holds values of the type {} is not read", m_.name(type)));
  }
}

Layout Types::finish(Walk& w, uint64_t size, const Instruction& user) const {
  Layout& l = w.out;
  for (const Scalar& s : l.scalars) size = std::max(size, s.offset + s.bytes);
  if (size > k_most_bytes)
    m_.refuse(user, fmt::format("a variable of {} bytes is not read", size),
              fmt::format("at most {} are", k_most_bytes));
  l.size = size;
  bool even = !l.scalars.empty();
  const uint32_t g = l.scalars.empty() ? 4 : l.scalars.front().bytes;
  for (const Scalar& s : l.scalars) even = even && s.bytes == g && s.offset % g == 0;
  if (even) {
    l.dense = g;
    return std::move(l);
  }
  std::vector<std::pair<uint64_t, uint64_t>> taken;
  for (const Scalar& s : l.scalars) taken.emplace_back(s.offset, s.offset + s.bytes);
  std::sort(taken.begin(), taken.end());
  for (size_t k = 0; k + 1 < taken.size(); ++k)
    if (taken[k].second > taken[k + 1].first)
      m_.refuse(user, fmt::format("members that overlap, at byte {}, are not read", taken[k + 1].first),
                "give each member bytes of its own by Offset");
  return std::move(l);
}

bool Types::open_ended(Id type, const Instruction& user) const {
  const Type& t = m_.type(type, user);
  if (t.kind == Type::Kind::struct_) return !t.members.empty() && open_ended(t.members.back(), user);
  return t.kind == Type::Kind::runtime_array;
}

Layout Types::layout(Id type, const InputValue* input, uint64_t least, const Instruction& user) const {
  Walk w;
  w.least = least;
  if (static_cast<spv::Op>(user.op) == spv::Op::OpVariable) w.member = m_.words().given_name(user.result);
  walk(w, type, 0, input, user);
  // In OpenCL what pads the end belongs to the variable: compilers store vectors of three as four.
  return finish(w, m_.dialect() == vocab::Dialect::opencl && !open_ended(type, user) ? size(type, user) : 0, user);
}

Layout Types::layout_of_elements(Id element, uint64_t items, const InputValue* input, const Instruction& user) const {
  Walk w;
  const uint64_t n = size(element, user);
  const uint64_t step = m_.dialect() == vocab::Dialect::opencl ? round_up(n, alignment(element, user)) : n;
  w.out.element = step;
  w.dims.push_back({step, items});
  w.at.push_back(0);
  for (uint64_t k = 0; k < items; ++k) {
    w.at.back() = k;
    const InputValue* v = input == nullptr ? nullptr
                          : input->is_list ? (k < input->items.size() ? &input->items[k] : nullptr)
                                           : input;
    walk(w, element, k * step, v, user);
  }
  return finish(w, step * items, user);
}

}  // namespace fencepost::spirv
