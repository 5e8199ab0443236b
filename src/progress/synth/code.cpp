#include "synth/code.h"

#include <algorithm>
#include <functional>
#include <string>

namespace fencepost::synth {

std::vector<Ins> alphabet(uint32_t length, uint32_t pc, uint32_t locations, uint32_t values, Constraints constraints) {
  const bool plain = constraints.has(Constraint::comparisons);
  std::vector<Ins> all;
  for (uint32_t x = 0; x < locations; ++x)
    for (uint32_t c = 0; c < values; ++c)
      for (uint32_t j = 0; j <= length; ++j)
        for (uint32_t e = 0; e <= values; ++e) {
          const bool exchanges = e != values;
          if (j == pc + 1 && (exchanges ? c != 0 : plain)) continue;
          all.push_back({static_cast<uint8_t>(x), static_cast<uint8_t>(c), static_cast<uint8_t>(j),
                         exchanges ? static_cast<uint8_t>(e) : k_no_exchange});
        }
  return all;
}

Interface interface_of(const Code& code) {
  Interface f;
  uint32_t seen = 0;
  for (uint32_t pc = 0; pc < code.length; ++pc) {
    const Ins& i = code.ins[pc];
    const auto bit = static_cast<uint8_t>(1u << i.location);
    if (!(f.touched & bit)) f.order[seen++] = static_cast<uint8_t>(i.location + 1);
    f.touched |= bit;
    if (i.branch(pc)) f.branched |= bit;
    if (i.exchanges()) {
      f.exchanged |= bit;
      f.writes[i.location] |= static_cast<uint8_t>(1u << i.exchange);
    }
  }
  return f;
}

Environment writes_of(const Interface& i) {
  Environment e = 0;
  for (uint32_t x = 0; x < k_max_locations; ++x) e |= Environment{i.writes[x]} << (x * k_max_values);
  return e;
}

Program with_locations_in_order(const Program& p, uint32_t* used) {
  std::array<uint8_t, k_max_locations> to{};
  to.fill(0xff);
  uint8_t next = 0;
  Program r = p;
  for (Code& c : r)
    for (uint32_t pc = 0; pc < c.length; ++pc) {
      uint8_t& x = c.ins[pc].location;
      if (to[x] == 0xff) to[x] = next++;
      x = to[x];
    }
  if (used != nullptr) *used = next;
  return r;
}

uint32_t locations_used(const Program& p) {
  uint32_t used = 0;
  with_locations_in_order(p, &used);
  return used;
}

namespace {

bool matches(const Shape& s, const Ins& i, uint32_t pc, uint32_t length) {
  using K = Shape::Kind;
  using T = Shape::Target;
  const bool branch = i.branch(pc);
  const K kind = branch ? (i.exchanges() ? K::exch_branch : K::chk_branch) : (i.exchanges() ? K::store : K::check);
  if (s.kind != K::any && s.kind != kind) return false;
  switch (s.target) {
    case T::any:
      return true;
    case T::self:
      return i.jump == pc;
    case T::back:
      return i.jump < pc;
    case T::forward:
      return i.jump > pc + 1 && i.jump < length;
    case T::end:
      return i.jump == length && branch;
  }
  return false;
}

}  // namespace

bool has_shapes(const Program& p, const std::vector<Shape>& shapes) {
  if (shapes.empty()) return true;
  // A different instruction for each shape: a matching, by augmenting paths.
  std::vector<std::vector<uint32_t>> fits(shapes.size());
  uint32_t n = 0;
  for (const Code& c : p)
    for (uint32_t pc = 0; pc < c.length; ++pc, ++n)
      for (size_t s = 0; s < shapes.size(); ++s)
        if (matches(shapes[s], c.ins[pc], pc, c.length)) fits[s].push_back(n);
  std::vector<size_t> taken(n, shapes.size());
  std::vector<bool> tried;
  const std::function<bool(size_t)> place = [&](size_t s) {
    for (const uint32_t i : fits[s]) {
      if (tried[i]) continue;
      tried[i] = true;
      if (taken[i] == shapes.size() || place(taken[i])) {
        taken[i] = s;
        return true;
      }
    }
    return false;
  };
  for (size_t s = 0; s < shapes.size(); ++s) {
    tried.assign(n, false);
    if (!place(s)) return false;
  }
  return true;
}

axb::Test to_test(const Program& p, uint32_t locations) {
  static constexpr const char* k_names[] = {"x", "y", "z", "w"};
  axb::Test t;
  for (uint32_t x = 0; x < locations; ++x) t.locations.push_back({k_names[x], 0});
  for (const Code& c : p) {
    axb::Thread& thread = t.threads.emplace_back();
    for (uint32_t pc = 0; pc < c.length; ++pc) {
      const Ins& i = c.ins[pc];
      axb::Instr o;
      o.location = i.location;
      o.check = i.check;
      o.jump = i.jump;
      o.exchanges = i.exchanges();
      o.value = i.exchanges() ? i.exchange : 0;
      thread.code.push_back(o);
    }
  }
  return t;
}

Program from_test(const axb::Test& test) {
  Program p;
  for (const axb::Thread& t : test.threads) {
    FENCEPOST_INVARIANT(t.code.size() <= k_max_instructions, "a program is within the bounds of synthesis");
    Code c;
    for (const axb::Instr& i : t.code)
      c.ins[c.length++] = {static_cast<uint8_t>(i.location), static_cast<uint8_t>(i.check),
                           static_cast<uint8_t>(i.jump), i.exchanges ? static_cast<uint8_t>(i.value) : k_no_exchange};
    p.push_back(c);
  }
  return p;
}

std::string list_line(const axb::Test& test) {
  std::string s = "[";
  for (size_t t = 0; t < test.threads.size(); ++t) {
    s += t == 0 ? "[" : ",[";
    const auto& code = test.threads[t].code;
    for (size_t pc = 0; pc < code.size(); ++pc) {
      const axb::Instr& i = code[pc];
      if (pc != 0) s += ',';
      s += '[' + std::to_string(i.location) + ',' + std::to_string(i.check) + ',' + std::to_string(i.jump) + ',' +
           (i.exchanges ? '1' : '0') + ',' + std::to_string(i.exchanges ? i.value : 0) + ']';
    }
    s += ']';
  }
  return s + ']';
}

}  // namespace fencepost::synth
