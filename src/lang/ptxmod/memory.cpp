#include "ptxmod/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "litmus/lexer.h"
#include "prog/lanes.h"
#include "vocab/vocab.h"

namespace fencepost::ptxmod {
namespace {

constexpr uint64_t k_most_cells = 1u << 16, k_most_lengthened = 4096, k_default_cells = 10;

}  // namespace

const Given* Memory::given(const RootKey& r) const {
  const auto it = given_.find(r);
  return it == given_.end() ? nullptr : &it->second;
}

const DataType* Memory::type(const RootKey& r) const {
  if (!flat_.cuda) return nullptr;
  const DataType& whole = variable(r).type;
  if (r.at == k_itself) return &whole;
  const auto [leaf, begin] = leaf_at(whole, static_cast<uint64_t>(r.at));
  return leaf != nullptr && leaf->is(DataType::Kind::pointer) && begin == static_cast<uint64_t>(r.at)
             ? &leaf->parts.front()
             : nullptr;
}

std::string Memory::name(const RootKey& r) const {
  if (flat_.cuda)
    return r.at == k_itself ? variable(r).name
                            : variable(r).name + leaf_name(variable(r).type, static_cast<uint64_t>(r.at));
  return r.at > 0 ? fmt::format("{}.{}", variable(r).name, r.at) : variable(r).name;
}

uint64_t Memory::elsewhere() const { return std::bit_ceil(std::clamp<uint64_t>(launch_.grid.threads(), 2, 64)); }

void Memory::use(const RootKey& r, std::optional<int64_t> at, uint32_t bytes) {
  Decision& d = decision(r);
  if (d.cell == 0) {
    d.cell = bytes;
    if (const Given* g = given(r); g != nullptr && g->element != 0 && !g->typed && r.at != k_itself)
      d.cell = std::min(d.cell, g->element);
  }
  const auto one_size = [&] {  // cells of the smallest size
    d.apart = false;
    d.whole = true;
    throw Restart{};
  };
  if (!at) {
    if (d.apart) one_size();
    if (open_ended(r) && !d.computed) {
      d.computed = true;
      throw Restart{};
    }
    if (bytes < d.cell) {
      d.cell = bytes;
      throw Restart{};
    }
    if (bytes > d.cell) d.whole = true;
    return;
  }
  if (d.apart) {
    if (*at < 0) return;
    if (bytes < d.cell) d.cell = bytes;  // if it comes to one size after all
    auto& places = places_[r];
    const auto it = places.lower_bound(*at);
    if (it != places.end() && it->first == *at && it->second == bytes) return;
    const bool meets_next = it != places.end() && it->first < *at + static_cast<int64_t>(bytes);
    const bool meets_last =
        it != places.begin() && std::prev(it)->first + static_cast<int64_t>(std::prev(it)->second) > *at;
    if (meets_next || meets_last) one_size();
    places[*at] = bytes;
    return;
  }
  if (bytes == d.cell && *at % static_cast<int64_t>(bytes) == 0) return;
  if (!d.whole && !d.computed && (given(r) == nullptr || given(r)->typed)) {
    d.apart = true;
    d.cell = std::min(d.cell, bytes);
    throw Restart{};
  }
  const uint64_t unit =
      std::min<uint64_t>({bytes, d.cell, uint64_t{1} << std::countr_zero(static_cast<uint64_t>(*at) | bytes)});
  if (unit < d.cell) {
    d.cell = static_cast<uint32_t>(unit);
    throw Restart{};
  }
}

uint64_t Memory::limit(const RootKey& r) {
  Decision& d = decision(r);
  const uint64_t cell = std::max<uint32_t>(d.cell, 1);
  if (!open_ended(r)) return (bytes(r) + cell - 1) / cell;
  uint64_t n = std::max(k_default_cells, launch_.grid.threads());
  if (const Given* g = given(r); g != nullptr) {
    if (g->typed) return std::max<uint64_t>((g->bytes.size() + cell - 1) / cell, d.cells);
    n = g->value.is_list ? g->value.items.size() : 1;
    if (g->element != 0) n = (n * g->element + cell - 1) / cell;
  }
  return std::max(n, d.cells);
}

std::optional<uint64_t> Memory::initial(const RootKey& r, uint64_t at, uint32_t bytes) {
  const Variable& v = variable(r);
  const auto zero = [&]() -> std::optional<uint64_t> {
    const bool parameter = v.space == "param" && r.at == k_itself;
    if (!zero_ || v.space == "shared" || v.space == "local" || parameter) return std::nullopt;
    took_zero_ = true;
    return 0;
  };
  if (const Given* g = given(r); g != nullptr && g->typed) {
    uint64_t whole = 0;
    for (uint32_t b = 0; b < bytes; ++b) {
      if (at + b >= g->bytes.size() || g->bytes[at + b] < 0) return zero();
      whole |= static_cast<uint64_t>(g->bytes[at + b]) << (8 * b);
    }
    return whole;
  }
  if (const Given* g = given(r); g != nullptr) {
    const uint64_t element = g->element != 0                                   ? g->element
                             : r.at != k_itself || (v.array && v.element == 1) ? std::max<uint32_t>(decision(r).cell, 1)
                                                                               : v.element;
    const size_t n = g->value.is_list ? g->value.items.size() : 1;
    uint64_t whole = 0;
    for (uint32_t b = 0; b < bytes; ++b) {
      const uint64_t k = (at + b) / element;
      if (k >= n) return zero();
      const spirv::InputValue& x = g->value.is_list ? g->value.items[k] : g->value;
      if (x.absent) return zero();
      if (x.is_list) litmus::fail_at(x.span, fmt::format("{} is a list of numbers", name(r)));
      const auto s = static_cast<int64_t>(x.number);
      if (element < 8 && x.number > term::mask(static_cast<uint8_t>(8 * element)) &&
          s < -(int64_t{1} << (8 * element - 1)))
        litmus::fail_at(x.span, fmt::format("this number does not fit into {} bits", 8 * element));
      if (element < 8 && s > 0 && x.number > term::mask(static_cast<uint8_t>(8 * element)))
        litmus::fail_at(x.span, fmt::format("this number does not fit into {} bits", 8 * element));
      const uint64_t piece = (at + b) % element < 8 ? x.number >> (8 * ((at + b) % element)) & 0xff : 0;
      whole |= piece << (8 * b);
    }
    return whole;
  }
  if (r.at != k_itself) return zero();
  for (const uint64_t a : v.addresses)
    if (a < at + bytes && at < a + 8)
      litmus::unsupported(v.span,
                          fmt::format("{} holds addresses, and memory that holds addresses is not read", v.name));
  // A global variable without an initialiser starts at 0; what the host writes into constant memory nobody says.
  // Nor does this module say what a variable of another one starts with.
  if (!v.external && (v.space == "global" || (v.space == "const" && !v.init.empty()))) {
    uint64_t whole = 0;
    for (uint32_t b = 0; b < bytes; ++b)
      if (at + b < v.init.size()) whole |= uint64_t{v.init[at + b]} << (8 * b);
    return whole;
  }
  return zero();
}

prog::SymbolId Memory::symbol(const RootKey& r, const std::string& instance, int64_t at, uint32_t bytes) {
  const Decision& d = decision(r);
  const auto [it, fresh] = symbols_.try_emplace({r, instance, d.apart ? at : 0}, 0);
  if (!fresh) {
    if (!d.apart && !d.computed) lengthen(r, test_.objects[test_.symbols[it->second].object]);
    return it->second;
  }
  prog::Object o;
  o.name = name(r) + instance;
  if (d.apart && flat_.cuda && type(r) != nullptr)
    o.name += leaf_name(*type(r), static_cast<uint64_t>(at));
  else if (d.apart)
    o.name += at % static_cast<int64_t>(bytes) == 0 ? fmt::format("[{}]", at / static_cast<int64_t>(bytes))
                                                    : fmt::format("+{}", at);
  if (d.apart)
    for (const prog::Object& other : test_.objects)
      if (other.name == o.name) {
        o.name = fmt::format("{}{}+{}", name(r), instance, at);
        break;
      }
  o.span = variable(r).span;
  if (const DataType* t = type(r); t != nullptr) {
    const auto [leaf, begin] = leaf_at(*t, d.apart ? static_cast<uint64_t>(at) : 0);
    o.is_unsigned = leaf != nullptr && leaf->is_unsigned;
  }
  if (flat_.cuda)
    o.tags.add(r.at == k_itself && variable(r).space == "shared" ? vocab::Tag::LOCAL : vocab::Tag::GLOBAL);
  const uint32_t cell = d.apart ? bytes : d.cell;
  o.width = static_cast<uint8_t>(8 * cell);
  const uint64_t cells = d.apart ? 1 : std::max<uint64_t>(limit(r), 1);
  if (cells > k_most_cells)
    litmus::unsupported(variable(r).span, fmt::format("{} has more than {} cells", name(r), k_most_cells));
  for (uint64_t k = 0; k < cells; ++k) {
    const auto v = initial(r, (d.apart ? static_cast<uint64_t>(at) : 0) + k * cell, cell);
    if (k == 0) o.init.clear();
    o.init.push_back(v.value_or(0));
    o.undefined.push_back(!v);
  }
  if (d.computed) {
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

// Adds cells to an object that was made when fewer of them were known: an access at a higher offset was found since.
void Memory::lengthen(const RootKey& r, prog::Object& o) {
  const uint64_t cell = o.width / 8, cells = limit(r);
  while (o.init.size() < cells) {
    const auto v = initial(r, o.init.size() * cell, static_cast<uint32_t>(cell));
    if (!v && o.undefined.empty()) o.undefined.assign(o.init.size(), false);
    o.init.push_back(v.value_or(0));
    if (!o.undefined.empty()) o.undefined.push_back(!v);
  }
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
  const auto object = static_cast<prog::ObjectId>(test_.objects.size());
  it->second = static_cast<prog::SymbolId>(test_.symbols.size());
  test_.symbols.push_back({name, object, it->second, prog::k_none, "", span});
  test_.objects.push_back(std::move(o));
  return it->second;
}

prog::SymbolId Memory::given_by_lane(const std::string& name, uint8_t width, const Span& span, uint64_t cells) {
  const prog::SymbolId s = unknown(name, width, span, cells);
  prog::Object& o = test_.objects[test_.symbols[s].object];
  o.undefined.clear();
  o.tags = {vocab::Tag::WARP};
  if (o.init.size() < cells) o.init.resize(cells, 0);
  return s;
}

bool Memory::opaque_exchange(const std::string& name, bool now) {
  if (decisions_.opaque.contains(name)) return true;
  if (!now) return false;
  decisions_.opaque.insert(name);
  throw Restart{};
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
    if (const prog::Object& o = test_.objects[test_.symbols[symbol].object]; !prog::is_lane(o.tags))
      several = several || (keep[symbol] && o.init.size() > 1);
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
  for (const auto& [name, symbol] : unknown_)
    if (now[symbol] != prog::k_none) hidden_.insert(now[symbol]);
  unknown_.clear();
  return several;
}

bool Memory::note_piece(uint32_t variable, int64_t at, uint32_t bytes) {
  auto& pieces = pieces_[variable];
  const auto [it, fresh] = pieces.try_emplace(at, bytes);
  if (!fresh) return it->second == bytes;
  const auto next = std::next(it);
  if (next != pieces.end() && next->first < at + static_cast<int64_t>(bytes)) return false;
  return it == pieces.begin() || std::prev(it)->first + static_cast<int64_t>(std::prev(it)->second) <= at;
}

Memory::Reached Memory::reached() const {
  Reached out;
  for (const auto& [r, d] : decisions_.of) {
    if (d.cell == 0) continue;
    if (r.at != k_itself)
      ++out.buffers;
    else if (variable(r).space == "global")
      ++out.variables;
  }
  return out;
}

uint32_t Memory::cell_at(const RootKey& r, int64_t at) {
  const Decision& d = decision(r);
  if (!d.apart) return d.cell != 0 && at % static_cast<int64_t>(d.cell) == 0 ? d.cell : 0;
  const auto& places = places_[r];
  const auto it = places.find(at);
  return it == places.end() ? 0 : it->second;
}

void Memory::name_cells() {
  if (!flat_.cuda) return;
  for (prog::Object& o : test_.objects) o.cells.assign(o.init.size(), {});
  for (const auto& [of, symbol] : symbols_) {
    const auto& [r, instance, at] = of;
    if (symbol == prog::k_none || variable(r).space == "local" || decision(r).opaque) continue;
    prog::Object& o = test_.objects[test_.symbols[symbol].object];
    const DataType* t = type(r);
    const uint64_t bytes = o.width / 8, known = decision(r).apart ? 1 : limit(r);
    const std::string base = name(r) + instance;
    for (uint64_t k = 0; k < std::min<uint64_t>(o.cells.size(), known); ++k) {
      const uint64_t begin = static_cast<uint64_t>(at) + k * bytes;
      prog::Cell& cell = o.cells[k];
      cell = {fmt::format("{}+{}", base, begin), true};
      if (t == nullptr || t->is(DataType::Kind::unknown)) continue;
      const auto [leaf, from] = leaf_at(*t, begin);
      if (leaf == nullptr || leaf->is(DataType::Kind::pointer)) {  // padding, or what no question is about
        cell = {};
      } else if (from != begin || leaf->bytes != bytes || leaf->is_float) {
        cell.name = fmt::format("{}{}+{}", base, leaf_name(*t, from), begin - from);
      } else {
        cell = {base + leaf_name(*t, begin), leaf->is_unsigned};
      }
    }
  }
}

void Memory::check_read_only() const {
  for (const auto& [r, span] : read_only_)
    if (const auto it = written_.find(r); it != written_.end())
      litmus::unsupported(
          span,
          fmt::format("ld.global.nc of {}, which {} writes: such loads are of memory that nobody writes", name(r),
                      it->second.location()),
          "the memory model of PTX says nothing of what they read then");
}

}  // namespace fencepost::ptxmod
