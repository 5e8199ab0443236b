#include "hunt/places.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "hunt/guarantees.h"
#include "hunt/ptx_test.h"

namespace fencepost::hunt {
namespace {

using Offset = std::optional<int64_t>;

std::string bare(std::string word) {
  if (const size_t dot = word.find('.'); dot != std::string::npos && !word.starts_with(".")) word.resize(dot);
  return word;
}
bool is_register(const std::string& w) {
  const size_t at = w.starts_with("UR") ? 2 : w.starts_with("R") ? 1 : 0;
  return at != 0 && w.size() > at && (w[at] == 'Z' || (w[at] >= '0' && w[at] <= '9'));
}
std::string next_register(const std::string& r) {
  const size_t at = r.starts_with("UR") ? 2 : 1;
  int n = 0;
  std::from_chars(r.data() + at, r.data() + r.size(), n);
  return r.substr(0, at) + std::to_string(n + 1);
}
// "R2.64+0x40" of "desc[UR4][R2.64+0x40]"; nothing for an operand that is no address.
std::optional<std::string> inside(const std::string& o) {
  const size_t from = o.find('['), to = o.rfind(']');
  if (from == std::string::npos || to == std::string::npos || o.find("c[0x") != std::string::npos) return std::nullopt;
  std::string out = o.substr(from + 1, to - from - 1);
  if (const size_t second = out.find("]["); second != std::string::npos) out = out.substr(second + 2);
  return out;
}
template <class Term>
void each_term(const std::string& sum, const Term& term) {
  for (size_t at = 0; at < sum.size();) {
    const size_t end = std::min(sum.find('+', at), sum.size());
    term(sum.substr(at, end - at));
    at = end + 1;
  }
}

class Follow {
 public:
  std::vector<std::optional<uint32_t>> all(const MachineKernel& k) {
    std::vector<std::optional<uint32_t>> out;
    for (const MachineInstruction& i : k.code) {
      out.push_back(address(i));
      step(i);
    }
    return out;
  }

 private:
  static Offset number(const std::string& w) {
    if (w.empty()) return std::nullopt;
    const bool minus = w[0] == '-';
    std::string_view s = std::string_view(w).substr(minus ? 1 : 0);
    if (!s.starts_with("0x")) {
      int64_t v = 0;
      const auto r = std::from_chars(s.data(), s.data() + s.size(), v);
      if (r.ec != std::errc() || r.ptr != s.data() + s.size()) return std::nullopt;
      return minus ? -v : v;
    }
    uint64_t v = 0;
    const auto r = std::from_chars(s.data() + 2, s.data() + s.size(), v, 16);
    if (r.ec != std::errc() || r.ptr != s.data() + s.size()) return std::nullopt;
    return minus ? -static_cast<int64_t>(v) : static_cast<int64_t>(v);
  }
  // A register, a number, or a constant bank (a parameter, a base: 0).
  Offset value(const std::string& operand) const {
    // Bank 0 holds parameters; the compiler's own constants, in others, may hold an offset.
    if (operand.find("c[") != std::string::npos) return operand.starts_with("c[0x0]") ? Offset(0) : Offset();
    const std::string w = bare(operand);
    if (w == "RZ" || w == "URZ") return 0;
    if (is_register(w)) {
      const auto at = known_.find(w);
      return at == known_.end() ? std::nullopt : at->second;
    }
    return number(operand);
  }
  static Offset sum(Offset a, Offset b) { return a && b ? Offset(*a + *b) : std::nullopt; }

  std::optional<uint32_t> address(const MachineInstruction& i) const {
    for (const std::string& o : i.operands) {
      const auto sum_of = inside(o);
      if (!sum_of) continue;
      Offset total = 0;
      each_term(*sum_of, [&](const std::string& term) { total = sum(total, value(term)); });
      if (!total) return std::nullopt;
      const auto stride = static_cast<int64_t>(k_stride);
      return static_cast<uint32_t>((*total % stride + stride) % stride);
    }
    return std::nullopt;
  }

  // Offsets of results; the high word of an address takes part in nothing.
  Offset result(const MachineInstruction& i) const {
    const std::string base = i.base();
    std::vector<Offset> in;
    for (size_t k = 1; k < i.operands.size(); ++k) {
      const std::string& o = i.operands[k];
      if (o.starts_with("P") || o.starts_with("UP") || o.starts_with("!")) continue;
      in.push_back(value(o));
    }
    const auto at = [&](size_t k) { return k < in.size() ? in[k] : Offset(0); };
    if (base == "S2R" || base == "S2UR" || base == "CS2R") return 0;
    if (base == "LDC" || base == "ULDC" || base == "LDCU") return at(0);
    if (base == "MOV" || base == "UMOV" || base == "R2UR" || base == "UR2R") return at(0);
    if (base == "IADD3" || base == "UIADD3" || base == "IADD" || base == "VIADD" || base == "UIADD" ||
        base == "UVIADD") {
      if (i.opcode.find(".X") != std::string::npos) return std::nullopt;
      return sum(sum(at(0), at(1)), at(2));
    }
    if (base == "LEA" || base == "ULEA") {
      if (i.has("HI") || i.has("X")) return std::nullopt;
      return at(0) && *at(0) == 0 ? at(1) : std::nullopt;
    }
    if (base == "IMAD" || base == "UIMAD") {
      if (i.has("HI") || i.has("X")) return std::nullopt;
      if (i.has("MOV")) return at(2);
      if (i.has("SHL")) return at(0) && *at(0) == 0 ? Offset(0) : std::nullopt;
      if (at(0) && at(1) && (*at(0) == 0 || *at(1) == 0)) return at(2);
      if (at(0) && at(1) && (*at(0) == 1 || *at(1) == 1)) return sum(*at(0) == 1 ? at(1) : at(0), at(2));
      return std::nullopt;
    }
    if (base == "SHF" || base == "SHL" || base == "USHF" || base == "SEL" || base == "PRMT")
      return at(0) && *at(0) == 0 && at(2) && (*at(2) == 0) ? Offset(0) : std::nullopt;
    return std::nullopt;
  }

  void step(const MachineInstruction& i) {
    if (i.operands.empty()) return;
    const auto role = role_of(i);
    if (!role || *role == Role::write || *role == Role::membar || *role == Role::barrier) return;
    // The first operand that is a register is the result; atomics may have a predicate before it.
    size_t first = 0;
    while (first < i.operands.size() && !is_register(bare(i.operands[first]))) ++first;
    if (first >= 2 || first >= i.operands.size() || i.operands[first].find('[') != std::string::npos) return;
    const std::string to = bare(i.operands[first]);
    Offset v = *role == Role::arithmetic && first == 0 ? result(i) : std::nullopt;
    if (!i.guard.empty()) v = std::nullopt;
    const size_t words = width(i);
    set(to, v);
    if (words > 1) set(next_register(to), *role == Role::arithmetic ? second_word(i) : std::nullopt);
  }
  // Two parameters loaded at once are two roots; the high word of a sum is none.
  static Offset second_word(const MachineInstruction& i) {
    const std::string base = i.base();
    const bool constant = base == "LDC" || base == "ULDC" || base == "LDCU";
    const bool parameter = constant && i.operands.size() > 1 && i.operands[1].starts_with("c[0x0]");
    return parameter || base == "CS2R" ? Offset(0) : std::nullopt;
  }
  static size_t width(const MachineInstruction& i) { return i.has("64") || i.has("WIDE") || i.has("128") ? 2 : 1; }
  void set(const std::string& r, Offset v) {
    if (r == "RZ" || r == "URZ") return;
    known_[r] = v;
  }

  std::map<std::string, Offset> known_;
};

// From which parameters registers come.
class Roots {
 public:
  explicit Roots(uint32_t sm) : first_(sm >= 100 ? 0x380 : sm >= 90 ? 0x210 : 0x160) {}
  using From = std::set<uint32_t>;
  std::vector<From> all(const MachineKernel& k) {
    std::vector<From> out;
    for (const MachineInstruction& i : k.code) {
      out.emplace_back();
      for (const std::string& o : i.operands)
        if (const auto sum = inside(o)) each_term(*sum, [&](const std::string& term) { add(out.back(), of(term)); });
      step(i);
    }
    return out;
  }
  bool compares(const MachineKernel& k, uint32_t parameter) {
    bool out = false;
    for (const MachineInstruction& i : k.code) {
      const std::string base = i.base();
      for (const std::string& o : i.operands)
        out = out || o.find("c[0x0][R") != std::string::npos ||
              ((base == "ISETP" || base == "UISETP") && of(o).contains(parameter));
      step(i);
    }
    return out;
  }

 private:
  static void add(From& to, const From& more) { to.insert(more.begin(), more.end()); }
  From of(const std::string& operand) const {
    if (const size_t at = operand.find("c[0x0][0x"); at != std::string::npos) {
      const auto n = static_cast<uint32_t>(std::strtoul(operand.c_str() + at + 7, nullptr, 16));
      return n >= first_ && n < first_ + k_parameters ? From{(n - first_) / 8 * 8} : From{};
    }
    const auto known = from_.find(bare(operand));
    return known == from_.end() ? From{} : known->second;
  }
  void step(const MachineInstruction& i) {
    if (i.operands.empty() || !is_register(bare(i.operands[0]))) return;
    const auto role = role_of(i);
    if (!role || *role == Role::write || *role == Role::membar || *role == Role::barrier) return;
    From from;
    if (*role == Role::arithmetic)
      for (size_t k = 1; k < i.operands.size(); ++k) add(from, of(i.operands[k]));
    const std::string to = bare(i.operands[0]);
    if (!i.guard.empty()) add(from, from_[to]);
    from_[to] = from;
    if (!(i.has("64") || i.has("WIDE") || i.has("128"))) return;
    // Two parameters that are loaded at once stand in four registers.
    from_[next_register(to)] = from;
    if (!i.has("128") || *role != Role::arithmetic) return;
    From second;
    for (const uint32_t n : from) second.insert(n + 8);
    const std::string third = next_register(next_register(to));
    from_[third] = from_[next_register(third)] = second;
  }

  static constexpr uint32_t k_parameters = 0x40;  // bytes
  uint32_t first_;
  std::map<std::string, From> from_;
};

}  // namespace

std::vector<std::set<uint32_t>> parameters_of(const MachineKernel& k) { return Roots(k.sm).all(k); }

bool compares(const MachineKernel& k, uint32_t parameter) { return Roots(k.sm).compares(k, parameter); }

std::vector<std::optional<uint32_t>> offsets_of(const MachineKernel& k) { return Follow().all(k); }

std::optional<Extension> extension_of(const std::vector<MachineInstruction>& code, size_t n) {
  if (code[n].operands.empty() || !(code[n].has("S8") || code[n].has("U8"))) return std::nullopt;
  const Extension loaded = code[n].has("S8") ? Extension::sign : Extension::zeros;
  const std::string to = bare(code[n].operands.front());
  for (size_t m = n + 1; m < code.size(); ++m) {
    const auto& o = code[m].operands;
    const bool writes = role_of(code[m]) == Role::write;
    for (size_t k = writes ? 0 : 1; k < o.size(); ++k) {
      if (bare(o[k]) != to) continue;
      if (writes) return loaded;
      // The permutations of one byte: by its sign, by zeros, the low half as it is.
      if (code[m].base() != "PRMT" || k != 1 || o.size() < 3) return std::nullopt;
      if (o[2] == "0x8880") return Extension::sign;
      if (o[2] == "0x7770") return Extension::zeros;
      if (o[2] != "0x7710") return std::nullopt;
      return loaded;
    }
    if (!o.empty() && !writes && bare(o.front()) == to) break;  // it is set anew
  }
  return loaded;
}

}  // namespace fencepost::hunt
