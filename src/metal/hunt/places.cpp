#include "hunt/places.h"

#include <charconv>
#include <map>
#include <set>
#include <string>

#include "hunt/guarantees.h"
#include "hunt/ptx_test.h"

namespace fencepost::hunt {
namespace {

using Offset = std::optional<int64_t>;

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
  static std::string bare(std::string word) {
    if (const size_t dot = word.find('.'); dot != std::string::npos && !word.starts_with(".")) word.resize(dot);
    return word;
  }
  static bool is_register(const std::string& w) {
    const size_t at = w.starts_with("UR") ? 2 : w.starts_with("R") ? 1 : 0;
    return at != 0 && w.size() > at && (w[at] == 'Z' || (w[at] >= '0' && w[at] <= '9'));
  }
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
      const size_t from = o.find('['), to = o.rfind(']');
      if (from == std::string::npos || to == std::string::npos || o.find("c[0x") != std::string::npos) continue;
      std::string inside = o.substr(from + 1, to - from - 1);
      if (const size_t second = inside.find("]["); second != std::string::npos) inside = inside.substr(second + 2);
      Offset total = 0;
      size_t at = 0;
      while (at < inside.size()) {
        size_t end = inside.find('+', at);
        if (end == std::string::npos) end = inside.size();
        total = sum(total, value(inside.substr(at, end - at)));
        at = end + 1;
      }
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
    if (words > 1) set(next(to), *role == Role::arithmetic ? second_word(i) : std::nullopt);
  }
  // Two parameters loaded at once are two roots; the high word of a sum is none.
  static Offset second_word(const MachineInstruction& i) {
    const std::string base = i.base();
    const bool constant = base == "LDC" || base == "ULDC" || base == "LDCU";
    const bool parameter = constant && i.operands.size() > 1 && i.operands[1].starts_with("c[0x0]");
    return parameter || base == "CS2R" ? Offset(0) : std::nullopt;
  }
  static size_t width(const MachineInstruction& i) { return i.has("64") || i.has("WIDE") || i.has("128") ? 2 : 1; }
  static std::string next(const std::string& r) {
    const size_t at = r.starts_with("UR") ? 2 : 1;
    int n = 0;
    std::from_chars(r.data() + at, r.data() + r.size(), n);
    return r.substr(0, at) + std::to_string(n + 1);
  }
  void set(const std::string& r, Offset v) {
    if (r == "RZ" || r == "URZ") return;
    known_[r] = v;
  }

  std::map<std::string, Offset> known_;
};

}  // namespace

std::vector<std::optional<uint32_t>> offsets_of(const MachineKernel& k) { return Follow().all(k); }

}  // namespace fencepost::hunt
