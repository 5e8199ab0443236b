#include "spirv/memory.h"

#include <fmt/format.h>
#include <spirv/unified1/NonSemanticClspvReflection.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <spirv/unified1/spirv.hpp11>

#include "litmus/lexer.h"

namespace fencepost::spirv {

using spv::Op;
using spv::StorageClass;
using vocab::Tag;

namespace {

constexpr uint64_t k_most_lengthened = 4096;
constexpr uint64_t k_default_elements = 10;  // at least, of what a pointer parameter points at, when no input says

Sharing sharing_of(StorageClass c) {
  switch (c) {
    case StorageClass::Function:
    case StorageClass::Private:
    case StorageClass::Input:
      return Sharing::invocation;
    case StorageClass::Workgroup:
      return Sharing::workgroup;
    default:
      return Sharing::launch;
  }
}

}  // namespace

const Variable& Memory::variable(const Instruction& at) {
  if (const auto it = variables_.find(at.result); it != variables_.end()) return it->second;
  const Type& p = m_.type(at.type, at);
  if (p.kind != Type::Kind::pointer) m_.fail(at, fmt::format("{} is not a pointer type", m_.name(at.type)));
  Variable v;
  v.id = at.result;
  v.at = &at;
  const bool parameter = static_cast<Op>(at.op) == Op::OpFunctionParameter;
  v.storage = parameter ? p.storage : at.word(0);
  if (v.storage != p.storage)
    m_.fail(at, fmt::format("the variable is {} and its pointer {}", storage_name(v.storage), storage_name(p.storage)));
  const auto c = static_cast<StorageClass>(v.storage);
  const bool vulkan = m_.dialect() == vocab::Dialect::vulkan;
  switch (c) {
    case StorageClass::Function:
    case StorageClass::Private:
    case StorageClass::Input:
    case StorageClass::Workgroup:
    case StorageClass::UniformConstant:
    case StorageClass::PhysicalStorageBuffer:
      break;
    case StorageClass::Uniform:
    case StorageClass::StorageBuffer:
    case StorageClass::Output:
    case StorageClass::Image:
    case StorageClass::PushConstant:
      if (!vulkan)
        m_.refuse(at, fmt::format("{} variables do not belong to the OpenCL memory model", storage_name(v.storage)));
      break;
    case StorageClass::CrossWorkgroup:
      if (vulkan)
        m_.refuse(at, fmt::format("{} variables do not belong to the Vulkan memory model", storage_name(v.storage)));
      break;
    default:
      m_.refuse(at, fmt::format("{} variables are not read", storage_name(v.storage)));
  }
  v.sharing = sharing_of(c);
  if (const auto b = m_.binding(v.id))
    for (const auto& [id, other] : variables_)
      if (m_.binding(id) == b)
        m_.refuse(at,
                  fmt::format("{} and {} have one binding, and two variables for one memory are not read", m_.name(id),
                              m_.name(v.id)),
                  "use one variable for both");
  v.read_only = c == StorageClass::Input || c == StorageClass::PushConstant || c == StorageClass::UniformConstant;
  const auto& of_entry = m_.entry().parameters;
  const bool copy = parameter && std::find(of_entry.begin(), of_entry.end(), &at) == of_entry.end();  // by value
  initialise(v, p.element, parameter && !copy);
  if (const auto it = decisions_.cell.find(v.id); it != decisions_.cell.end()) v.layout.dense = it->second;
  return variables_.emplace(v.id, std::move(v)).first->second;
}

void Memory::initialise(Variable& v, Id type, bool elements) {
  const Instruction& at = *v.at;
  const InputValue* in = c_.input(v.id);
  const bool initialiser = static_cast<Op>(at.op) == Op::OpVariable && at.size() > 1;
  const auto b = m_.built_in(v.id);
  if (in != nullptr && (initialiser || b))
    litmus::fail_at(in->span, fmt::format("{} already has an initial value", m_.name(v.id)),
                    "remove the @Input, or the initialiser");
  const auto wanted = decisions_.elements.find(v.id);
  const uint64_t least = wanted == decisions_.elements.end() ? 0 : wanted->second;
  v.open_ended = v.sharing != Sharing::invocation && (elements || c_.types().open_ended(type, at));
  if (elements) {
    uint64_t n = in == nullptr ? std::max<uint64_t>(k_default_elements, c_.launch().grid.threads())
                 : in->is_list ? in->items.size()
                               : 1;
    n = std::max(n, least);
    v.layout = c_.types().layout_of_elements(type, n, in, at);
    if (in != nullptr && in->is_list)
      for (const InputValue& x : in->items) c_.flatten(type, x, v.init, at);
    else if (in != nullptr)
      c_.flatten(type, *in, v.init, at);
  } else {
    v.layout = c_.types().layout(type, in, least, at);
    if (in != nullptr)
      c_.flatten(type, *in, v.init, at);
    else if (initialiser && c_.has(at.word(1)))
      c_.flatten(c_.value(at.word(1), at), v.init);
  }
  if (v.init.empty() || v.open_ended)  // what lies beyond the input is undefined
    for (size_t k = v.init.size(); k < v.layout.scalars.size(); ++k)
      v.init.push_back(c_.initial(v.layout.scalars[k].type, fmt::format("{}.{}", m_.name(v.id), k), at));
  if (v.init.size() != v.layout.scalars.size()) m_.fail(at, "the initial value is of another type than the variable");
  if (static_cast<StorageClass>(v.storage) == StorageClass::PushConstant) set_push_constants(v);
}

// What clspv notes about the push constants that its run time fills in.
void Memory::set_push_constants(Variable& v) {
  const Launch& launch = c_.launch();
  for (const Instruction* r : m_.reflection()) {
    Triple value = {0, 0, 0};
    switch (r->word(1)) {
      case NonSemanticClspvReflectionPushConstantGlobalOffset:
      case NonSemanticClspvReflectionPushConstantRegionOffset:
      case NonSemanticClspvReflectionPushConstantRegionGroupOffset:
        break;
      case NonSemanticClspvReflectionPushConstantGlobalSize:
        value = launch.global_size();
        break;
      case NonSemanticClspvReflectionPushConstantEnqueuedLocalSize:
        value = launch.local;
        break;
      case NonSemanticClspvReflectionPushConstantNumWorkgroups:
        for (int d = 0; d < 3; ++d) value[d] = launch.global_size()[d] / launch.local[d];
        break;
      default:
        continue;
    }
    if (r->size() < 4) m_.fail(*r, "this note has an offset and a size");
    const uint64_t offset = c_.whole(r->word(2), *r), size = c_.whole(r->word(3), *r);
    uint32_t filled = 0;
    for (size_t k = 0; k < v.layout.scalars.size() && filled < 3; ++k) {
      const Scalar& s = v.layout.scalars[k];
      if (s.offset < offset || s.offset >= offset + size) continue;
      v.init[k] = Value::scalar(s.type, term::constant(value[filled++], s.bits));
    }
    if (filled * 4 != size) m_.fail(*r, "the push constants have no three numbers at this offset");
  }
}

prog::SymbolId Memory::symbol(const Variable& v, const std::string& key, uint32_t in_class) {
  const auto [it, fresh] = symbols_.try_emplace({v.id, key, in_class}, 0);
  if (!fresh) return it->second;
  prog::Object o;
  const auto own = starts_.find({v.id, key});
  const std::vector<Value>& init = own != starts_.end() ? own->second : v.init;
  const std::string name = m_.name(v.id);
  o.name = name + key;
  if (v.layout.dense == 0 && v.layout.classes.size() > 1) o.name += fmt::format(".{}", in_class);
  o.span = v.at->span;
  if (m_.dialect() == vocab::Dialect::opencl) {
    const auto c = static_cast<StorageClass>(v.storage);
    const bool global = c == StorageClass::CrossWorkgroup || c == StorageClass::UniformConstant ||
                        c == StorageClass::PhysicalStorageBuffer;
    o.tags.add(global ? Tag::GLOBAL : Tag::LOCAL);
  }
  const auto number = [&](const Value& x) -> std::optional<uint64_t> {
    if (x.is(Value::Kind::undefined) || x.is(Value::Kind::opaque)) return std::nullopt;
    if (x.is(Value::Kind::pointer)) m_.refuse(*v.at, "memory that holds pointers is not read");
    if (!x.e.is_const()) m_.fail(*v.at, "the initial value is not a constant");
    return x.e.value();
  };
  const auto put = [&](uint64_t cell, std::optional<uint64_t> value) {
    if (value) {
      o.init[cell] = *value & term::mask(o.width);
      if (!o.undefined.empty()) o.undefined[cell] = false;
    }
  };
  if (const uint32_t g = v.layout.dense; g != 0) {
    const bool whole = !v.layout.scalars.empty() && v.layout.scalars.front().bytes == g;
    o.width = whole && v.layout.scalars.front().bits > 1 ? v.layout.scalars.front().bits : static_cast<uint8_t>(8 * g);
    o.init.assign(std::max<uint64_t>(v.layout.dense_cells(), 1), 0);
    o.undefined.assign(o.init.size(), true);
    for (size_t k = 0; k < v.layout.scalars.size(); ++k) {
      const Scalar& s = v.layout.scalars[k];
      const auto value = number(init[k]);
      for (uint32_t part = 0; part * g < s.bytes; ++part)
        put(s.offset / g + part,
            value ? std::optional(*value >> (8 * g * part)) : std::nullopt);  // a scalar has 8 bytes at most
    }
  } else {
    const Layout::Class& c = v.layout.classes[in_class];
    const uint8_t bits = c_.types().bits(c.type, *v.at);
    o.width = bits == 1 ? 8 : bits;
    o.init.assign(std::max<uint64_t>(c.cells, 1), 0);
    o.undefined.assign(o.init.size(), true);
    for (size_t k = 0; k < v.layout.scalars.size(); ++k)
      if (v.layout.scalars[k].in_class == in_class) put(v.layout.scalars[k].index, number(init[k]));
  }
  if (decisions_.computed.contains(v.id)) {
    const size_t more = elsewhere() + 8;  // and the further cells of an access in pieces
    o.init.insert(o.init.end(), more, 0);
    o.undefined.insert(o.undefined.end(), more, true);
  }
  if (std::find(o.undefined.begin(), o.undefined.end(), true) == o.undefined.end()) o.undefined.clear();
  const auto object = static_cast<prog::ObjectId>(test_.objects.size());
  const auto symbol = static_cast<prog::SymbolId>(test_.symbols.size());
  test_.symbols.push_back({o.name, object, symbol, prog::k_none, "", o.span});
  test_.objects.push_back(std::move(o));
  return it->second = symbol;
}

// Passes that are repeated leave objects behind that the last one does not use.
bool Memory::drop_unread() {
  std::vector<bool> keep(test_.symbols.size(), true);
  for (const auto& [name, symbol] : unknown_) keep[symbol] = false;
  for (const prog::Template& t : test_.templates)
    for (const prog::Instr& i : t.code)
      if (i.addr.symbol != prog::k_none) keep[i.addr.symbol] = true;
  bool several = false;
  for (const auto& [name, symbol] : unknown_)
    several = several || (keep[symbol] && test_.objects[test_.symbols[symbol].object].init.size() > 1);
  std::vector<uint32_t> now(keep.size(), prog::k_none);
  std::vector<prog::Symbol> symbols;
  std::vector<prog::Object> objects;
  for (size_t k = 0; k < keep.size(); ++k) {  // one symbol is one object here
    if (!keep[k]) continue;
    now[k] = static_cast<uint32_t>(symbols.size());
    prog::Symbol s = test_.symbols[k];
    objects.push_back(std::move(test_.objects[s.object]));
    s.object = s.generic = now[k];
    symbols.push_back(std::move(s));
  }
  test_.symbols = std::move(symbols);
  test_.objects = std::move(objects);
  for (prog::Template& t : test_.templates)
    for (prog::Instr& i : t.code)
      if (i.addr.symbol != prog::k_none) i.addr.symbol = now[i.addr.symbol];
  for (auto& [key, symbol] : symbols_) symbol = now[symbol];
  unknown_.clear();
  return several;
}

prog::SymbolId Memory::unknown(const std::string& name, uint8_t width, const Span& span, uint64_t cells) {
  const auto [it, fresh] = unknown_.try_emplace(name, 0);
  if (!fresh) return it->second;
  prog::Object o;
  o.name = name;
  o.width = width;
  o.init.assign(cells, 0);
  o.undefined.assign(cells, true);
  o.span = span;
  if (m_.dialect() == vocab::Dialect::opencl) o.tags.add(Tag::LOCAL);
  const auto object = static_cast<prog::ObjectId>(test_.objects.size());
  it->second = static_cast<prog::SymbolId>(test_.symbols.size());
  test_.symbols.push_back({name, object, it->second, prog::k_none, "", span});
  test_.objects.push_back(std::move(o));
  return it->second;
}

// ---- places --------------------------------------------------------------------------------------------

uint64_t Memory::elsewhere() const { return std::bit_ceil(std::clamp<uint64_t>(c_.launch().grid.threads(), 2, 64)); }

// An open-ended variable reaches at least to this byte.
void Memory::lengthen(const Variable& v, uint64_t end) {
  if (!v.open_ended || v.layout.element == 0 || v.layout.scalars.empty()) return;
  const uint64_t first = v.layout.scalars.front().offset;  // a runtime array may stand behind other members
  const uint64_t n = (end - std::min(end, first) + v.layout.element - 1) / v.layout.element;
  uint64_t& least = decisions_.elements[v.id];
  if (n > k_most_lengthened || n <= least) return;
  least = n;
  throw Restart{};
}

// The variable needs cells of at most `unit` bytes.
void Memory::split(const Variable& v, uint64_t unit, const Instruction& user) {
  uint64_t g = unit;
  for (const Scalar& s : v.layout.scalars) {
    g = std::gcd(g, s.bytes);
    g = std::gcd(g, s.offset);
  }
  if (v.layout.dense != 0) g = std::gcd(g, v.layout.dense);
  if (g == 0 || g == v.layout.dense)
    m_.refuse(user, fmt::format("this access to {} cannot be resolved", m_.name(v.id)));
  decisions_.cell[v.id] = static_cast<uint32_t>(g);
  throw Restart{};
}

// Each index into an array chooses one of its elements, and what is accessed does not reach beyond the array; a term of
// width 1, or nothing where that is so in any case. Of an array that is all of its variable the bounds of the variable
// say it.
Expr Memory::within(const Variable& v, const Offset& o, uint32_t bytes) const {
  Expr all;
  for (const Offset::Step& s : o.steps) {
    if (s.limit == 0 || s.limit == k_runtime || s.scale <= 0) continue;
    const auto scale = static_cast<uint64_t>(s.scale);
    const bool whole = o.steps.size() == 1 && o.bytes == 0 && !v.open_ended && s.limit * scale == v.layout.size;
    if (whole && !s.e.is_const()) continue;
    const uint64_t needs = std::max<uint64_t>(1, (bytes + scale - 1) / scale);
    const uint8_t w = s.e.width();
    const Expr fits = s.limit < needs ? term::constant(0, 1)
                                      : term::binary(term::Op::ult, s.e, term::constant(s.limit - needs + 1, w));
    if (fits.is_const(1)) continue;
    all = all ? term::binary(term::Op::and_, all, fits) : fits;
  }
  return all;
}

std::optional<size_t> Memory::scalar_at(const Variable& v, const Offset& o, uint32_t bytes) const {
  const auto at = o.constant();
  if (!at) return std::nullopt;
  if (const Expr fits = within(v, o, bytes); fits && !fits.is_const(1)) return std::nullopt;
  for (size_t k = 0; k < v.layout.scalars.size(); ++k)
    if (static_cast<int64_t>(v.layout.scalars[k].offset) == *at && v.layout.scalars[k].bytes == bytes) return k;
  return std::nullopt;
}

// Elements of the outermost open-ended array.
uint64_t Memory::open_elements(const Variable& v) const {
  const Layout& l = v.layout;
  if (l.element == 0 || l.scalars.empty()) return 0;
  uint64_t first = l.size;  // where it begins: the members before it are no part of it
  for (const Layout::Class& c : l.classes)
    if (!c.dims.empty() && c.dims.front().stride == l.element) first = std::min(first, c.base);
  return (l.size - std::min(first, l.size) + l.element - 1) / l.element;
}

Memory::Cells Memory::cells(const Variable& v, const Offset& o, uint32_t bytes, uint8_t bits, const Instruction& user) {
  const Layout& l = v.layout;
  Cells out;
  out.within = within(v, o, bytes);
  const auto at = o.constant();
  if (l.dense != 0) {
    dense_cells(out, v, o, bytes, user);
  } else if (at) {
    // Byte offsets wrap at the width of addresses, and what lies before the variable is not in it.
    const uint64_t base = static_cast<uint64_t>(*at) & term::mask(m_.address32() ? 32 : 64);
    out.width = bits == 1 ? 8 : bits;
    for (const Scalar& s : l.scalars) {
      if (s.offset != base) continue;
      if (s.bytes != bytes) split(v, std::gcd(s.bytes, bytes), user);
      out.in_class = s.in_class;
      out.index = s.index;
      out.limit = l.classes[s.in_class].cells;
      return out;
    }
    out.inside = false;
    if (base >= l.size && base - l.size < k_most_bytes) lengthen(v, base + bytes);
    if (base < l.size) split(v, std::gcd(uint64_t{bytes}, base), user);
  } else {
    out.width = bits == 1 ? 8 : bits;
    if (!class_cells(out, v, o, bytes)) split(v, o.unit(bytes), user);
  }
  if (out.computed) {
    out.open = v.open_ended;
    if (v.open_ended && decisions_.computed.insert(v.id).second) throw Restart{};
  }
  return out;
}

void Memory::dense_cells(Cells& out, const Variable& v, const Offset& o, uint32_t bytes, const Instruction& user) {
  const Layout& l = v.layout;
  const uint32_t g = l.dense;
  const uint8_t w = m_.address32() ? 32 : 64;
  const auto at = o.constant();
  const bool divides = at ? *at % static_cast<int64_t>(g) == 0 : o.unit(g) == g;
  if (bytes % g != 0 || !divides)
    split(v, at ? std::gcd(uint64_t{bytes}, static_cast<uint64_t>(*at < 0 ? -*at : *at)) : o.unit(bytes), user);
  out.count = bytes / g;
  out.limit = l.dense_cells();
  const bool whole = !l.scalars.empty() && l.scalars.front().bytes == g;
  out.width = whole && l.scalars.front().bits > 1 ? l.scalars.front().bits : static_cast<uint8_t>(8 * g);
  if (at) {
    const uint64_t base = static_cast<uint64_t>(*at) & term::mask(w);
    out.index = base / g;
    out.inside = out.index < out.limit && out.index + out.count <= out.limit;
    if (!out.inside && base < 2 * k_most_bytes) lengthen(v, base + bytes);
    return;
  }
  Expr sum = o.in_units(g, w);
  // Under physical addressing with 32 bits a sum of bytes wraps; an index under logical addressing does not.
  if (w == 32 && m_.dialect() == vocab::Dialect::opencl && (g & (g - 1)) == 0 && g > 1)
    sum = term::binary(term::Op::and_, sum, term::constant(term::mask(32) / g, 32));
  out.computed = term::resize(sum, 64, false);
  for (const Offset::Step& s : o.steps)  // the sum may wrap where an index is far out
    if (s.limit == k_runtime && w == 32 && s.scale != static_cast<int64_t>(g)) {
      const Expr e =
          term::binary(term::Op::ult, s.e, term::constant(std::min<uint64_t>(open_elements(v), term::mask(32)), 32));
      out.reaches = out.reaches ? term::binary(term::Op::and_, out.reaches, e) : e;
    }
}

// Of a variable in classes: the class in which each step is an index of its own dimension. With every index within its
// array no other class is reached. False: there is none, for the place is known as a sum of bytes only, or under
// another type.
bool Memory::class_cells(Cells& out, const Variable& v, const Offset& o, uint32_t bytes) const {
  const uint8_t w = m_.address32() ? 32 : 64;
  int64_t base = o.bytes;
  std::vector<const Offset::Step*> steps;
  for (const Offset::Step& s : o.steps) {
    if (s.e.is_const())
      base += s.scale * term::to_signed(s.e.value(), w);
    else
      steps.push_back(&s);
  }
  const auto fits = [&](const Layout::Class& c, Cells& cells) {
    if (c.bytes != bytes || c.dims.empty()) return false;
    int64_t rest = base - static_cast<int64_t>(c.base);
    const bool outermost =
        c.base < c.dims.front().stride && c.dims.front().stride * c.dims.front().count >= v.layout.size;
    std::vector<bool> used(steps.size(), false);
    uint64_t weight = c.cells;
    Expr sum = term::constant(0, w);
    for (size_t d = 0; d < c.dims.size(); ++d) {
      const auto stride = static_cast<int64_t>(c.dims[d].stride);
      if (stride <= 0 || c.dims[d].count == 0) return false;
      weight /= c.dims[d].count;
      int64_t constant = rest / stride;
      if (rest % stride < 0) --constant;
      rest -= constant * stride;
      Expr index = term::constant(static_cast<uint64_t>(constant) & term::mask(w), w);
      size_t here = 0;
      const bool free =
          d == 0 && outermost;  // wherever it leads is an element of this dimension, or outside of the variable
      for (size_t k = 0; k < steps.size(); ++k) {
        const Offset::Step& s = *steps[k];
        const bool bounded = s.limit == k_runtime ? d == 0 : s.limit != 0 && s.limit <= c.dims[d].count;
        const bool own =
            bounded && s.scale == stride && constant == 0 && here == 0;  // this dimension's index, and no more
        if (used[k] || s.scale % stride != 0 || (!free && !own)) continue;
        used[k] = true;
        ++here;
        const auto times = static_cast<uint64_t>(s.scale / stride);
        index =
            term::binary(term::Op::add, index,
                         times == 1 ? s.e : term::binary(term::Op::mul, s.e, term::constant(times & term::mask(w), w)));
      }
      if (!free && here == 0 && (constant < 0 || static_cast<uint64_t>(constant) >= c.dims[d].count)) return false;
      if (d == 0 && weight > 1) cells.reaches = term::binary(term::Op::ult, index, term::constant(c.dims[0].count, w));
      sum = term::binary(
          term::Op::add, sum,
          weight == 1 ? index : term::binary(term::Op::mul, index, term::constant(weight & term::mask(w), w)));
    }
    if (rest != 0 || std::find(used.begin(), used.end(), false) != used.end()) return false;
    cells.limit = c.cells;
    cells.by_index = true;
    cells.computed = term::resize(sum, 64, false);
    return true;
  };
  for (uint32_t k = 0; k < v.layout.classes.size(); ++k) {
    Cells found = out;
    if (!fits(v.layout.classes[k], found)) continue;
    out = std::move(found);
    out.in_class = k;
    return true;
  }
  return false;
}

}  // namespace fencepost::spirv
