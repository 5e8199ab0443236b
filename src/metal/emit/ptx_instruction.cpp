#include "emit/ptx_instruction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "prog/shape.h"

namespace fencepost::emit {
namespace {

using prog::Kind;
using term::Expr;
using term::Op;

template <size_t N>
bool among(const std::array<const char*, N>& table, const std::string& word) {
  return std::any_of(table.begin(), table.end(), [&](const char* w) { return word == w; });
}
constexpr std::array<const char*, 8> k_orders = {"weak",    "relaxed", "acquire",  "release",
                                                 "acq_rel", "sc",      "volatile", "mmio"};
constexpr std::array<const char*, 4> k_scopes = {"cta", "cluster", "gpu", "sys"};
constexpr std::array<const char*, 5> k_caches = {"ca", "cg", "cv", "wb", "wt"};
constexpr std::array<const char*, 13> k_operations = {"add", "sub", "mul", "div", "exch", "cas", "and",
                                                      "or",  "xor", "min", "max", "inc",  "dec"};

// The words of a mnemonic by what they are.
struct Parts {
  std::string head, order, scope, cache, operation, type;
};

class Reader {
 public:
  explicit Reader(const code::Operation& op) : op_(op), words_(prog::words_of(op.instr.mnemonic)) {}

  Expected<PtxInstruction> read() {
    if (op_.dialect != prog::Dialect::ptx)
      return unsupported_at(op_.instr.span, fmt::format("'{}' is not a PTX instruction", op_.instr.mnemonic),
                            "translate the test first (fencepost lower), or run it on a device of its own kind");
    parts_.head = words_[0];
    if (parts_.head == "fence" || parts_.head == "membar") return fence();
    if (op_.instr.kind == Kind::barrier) return barrier();
    if (parts_.head != "ld" && parts_.head != "st" && parts_.head != "atom" && parts_.head != "red")
      return refuse(fmt::format("'{}' works through another proxy, and kernels have neither textures nor surfaces nor "
                                "constant banks",
                                op_.instr.mnemonic),
                    "keep the generic proxy: ld, st, atom, red");
    for (size_t k = 1; k < words_.size(); ++k)
      if (!word(words_[k])) return refuse(fmt::format("'{}' has an unknown part '.{}'", op_.instr.mnemonic, words_[k]));
    if (op_.place.width != 32 && op_.place.width != 64)
      return refuse(fmt::format("'{}' accesses an element of {} bits", op_.instr.mnemonic, op_.place.width),
                    "use 32 or 64 bits");
    if (auto bad = narrow_type()) return refuse(*bad, "use 32 or 64 bits");
    if (parts_.head == "atom" || parts_.head == "red") return atomic();
    return access();
  }

 private:
  std::unexpected<Diagnostics> refuse(std::string what, std::string hint = {}) const {
    return unsupported_at(op_.instr.span, std::move(what), std::move(hint));
  }

  bool word(const std::string& w) {
    if (among(k_orders, w)) {
      if (parts_.order == "mmio" && w == "relaxed") return true;
      parts_.order = w;
    } else if (among(k_scopes, w)) {
      parts_.scope = w;
    } else if (among(k_caches, w)) {
      parts_.cache = w;
    } else if (among(k_operations, w)) {
      parts_.operation = w;
    } else if (w == "global" || w == "shared") {
      // The place says it; the front end has compared the two.
    } else if (w.size() >= 2 && (w[0] == 's' || w[0] == 'u' || w[0] == 'b') && w[1] >= '0' && w[1] <= '9') {
      parts_.type = w;
    } else {
      return false;
    }
    return true;
  }

  std::optional<std::string> narrow_type() const {
    if (parts_.type.empty() || std::stoi(parts_.type.substr(1)) == op_.place.width) return std::nullopt;
    return fmt::format("'{}' accesses an element of {} bits in a place of {}", op_.instr.mnemonic,
                       parts_.type.substr(1), op_.place.width);
  }

  std::string space() const { return op_.place.buffer == code::k_shared ? ".shared" : ".global"; }
  static std::string dotted(const std::string& w) { return w.empty() ? w : "." + w; }

  Expected<PtxInstruction> access() const {
    PtxInstruction out;
    out.head = parts_.head;
    const std::string type = fmt::format(".b{}", op_.place.width);
    if (parts_.order == "mmio") {
      if (op_.place.buffer == code::k_shared) return refuse("an mmio access of shared memory does not exist");
      out.text = out.head + ".mmio.relaxed.sys" + space() + type;
      out.version = 82;
    } else if (!parts_.cache.empty()) {
      out.text = out.head + space() + dotted(parts_.cache) + type;
    } else if (parts_.order == "volatile") {
      out.text = out.head + ".volatile" + space() + type;
    } else {
      out.text =
          out.head + dotted(parts_.order.empty() ? "weak" : parts_.order) + dotted(parts_.scope) + space() + type;
    }
    if (out.head == "st") out.operand = op_.value;
    return out;
  }

  Expected<PtxInstruction> atomic() const {
    PtxInstruction out;
    out.head = parts_.head;
    out.operation = parts_.operation;
    const std::string& f = parts_.operation;
    if (f.empty()) return refuse(fmt::format("'{}' lacks its operation", op_.instr.mnemonic));
    if (f == "mul" || f == "div")
      return refuse(fmt::format("PTX has no '{}.{}'", parts_.head, f),
                    "atomic operations are add, exch, cas, and, or, xor, min, max, inc, dec");
    if (out.head == "red" && (parts_.order == "acquire" || parts_.order == "acq_rel"))
      return refuse(fmt::format("PTX has no 'red.{}'", parts_.order), "write atom, or red.release and red.relaxed");
    const uint8_t w = op_.place.width;
    if ((f == "inc" || f == "dec") && w != 32)
      return refuse(fmt::format("PTX has no '{}.{}' of 64 bits", parts_.head, f), "use a .u32 register");
    if (!op_.value) return refuse(fmt::format("'{}' lacks its operand", op_.instr.mnemonic));
    std::string type;
    if (f == "add" || f == "sub" || f == "inc" || f == "dec")
      type = fmt::format("u{}", w);
    else if (f == "min" || f == "max")
      type = fmt::format("{}{}", is_signed() ? 's' : 'u', w);
    else
      type = fmt::format("b{}", w);
    if (f == "sub") out.operation = "add";
    out.text = out.head + dotted(parts_.order) + dotted(parts_.scope) + space() + "." + out.operation + "." + type;
    if (!operands(out))
      return refuse(fmt::format("the operand of '{}' was not found in its effect", op_.instr.mnemonic),
                    "report this test");
    return out;
  }

  bool is_signed() const {
    const Op o = op_.value.op();
    return o == Op::smin || o == Op::smax || (!parts_.type.empty() && parts_.type[0] == 's');
  }

  // The operand is read off the effect: f(neutral, x) = x where `neutral` stands for the old value.
  bool operands(PtxInstruction& out) const {
    const std::string& f = parts_.operation;
    const uint8_t w = op_.place.width;
    const auto with_old = [&](uint64_t old) {
      return term::substitute(op_.value, [&](uint64_t v, uint8_t width) {
        return v == prog::k_old_value ? term::constant(old, width) : Expr();
      });
    };
    if (f == "cas") return exchange_if_equal(out);
    if (f == "inc" || f == "dec") return wrapping(out, f == "inc");
    const uint64_t top = uint64_t{1} << (w - 1);
    const uint64_t neutral = f == "and"                  ? ~uint64_t{0}
                             : f == "min" && is_signed() ? top - 1
                             : f == "max" && is_signed() ? top
                             : f == "min"                ? ~uint64_t{0}
                                                         : 0;
    out.operand = with_old(neutral);
    // min and max with a constant old value stay as they are; their operand is the other one.
    if (f == "min" || f == "max") {
      const auto& kids = op_.value.kids();
      if (kids.size() != 2) return false;
      const bool first_old = kids[0].is_var() && kids[0].value() == prog::k_old_value;
      out.operand = kids[first_old ? 1 : 0];
    }
    return out.operand && out.operand.width() == w;
  }

  static bool is_old(const Expr& e) { return e && e.is_var() && e.value() == prog::k_old_value; }

  bool exchange_if_equal(PtxInstruction& out) const {
    const bool guarded = static_cast<bool>(op_.guard);
    const Expr condition = guarded ? op_.guard : op_.value.op() == Op::ite ? op_.value.kids()[0] : Expr();
    if (!condition || condition.op() != Op::eq) return false;
    const auto& sides = condition.kids();
    out.expected = is_old(sides[0]) ? sides[1] : sides[0];
    out.operand = guarded ? op_.value : op_.value.kids()[1];
    return (is_old(sides[0]) || is_old(sides[1])) && (guarded || is_old(op_.value.kids()[2]));
  }

  // inc: old >= x ? 0 : old + 1.  dec: old == 0 || old > x ? x : old - 1.
  bool wrapping(PtxInstruction& out, bool up) const {
    if (op_.value.op() != Op::ite) return false;
    const Expr& condition = op_.value.kids()[0];
    if (up) {
      if (condition.op() != Op::uge || !is_old(condition.kids()[0])) return false;
      out.operand = condition.kids()[1];
      return true;
    }
    out.operand = op_.value.kids()[1];
    return true;
  }

  Expected<PtxInstruction> fence() const {
    PtxInstruction out;
    out.head = parts_.head;
    out.text = op_.instr.mnemonic;
    if (words_.size() > 2 && words_[1] == "proxy") {
      static constexpr std::array<const char*, 4> known = {"alias", "async", "async.global", "async.shared::cta"};
      const std::string which = out.text.substr(std::string("fence.proxy.").size());
      if (!among(known, which))
        return refuse(fmt::format("PTX has no '{}'", out.text),
                      "proxy fences of PTX are fence.proxy.alias and fence.proxy.async");
      out.version = which == "alias" ? 75 : 80;
      return out;
    }
    static constexpr std::array<const char*, 3> levels = {"cta", "gl", "sys"};
    if (parts_.head == "membar") {
      if (words_.size() != 2 || !among(levels, words_[1])) return refuse(fmt::format("PTX has no '{}'", out.text));
      return out;
    }
    const bool known =
        words_.size() == 3 && among(k_scopes, words_[2]) &&
        (words_[1] == "sc" || words_[1] == "acq_rel" || words_[1] == "acquire" || words_[1] == "release");
    if (!known) return refuse(fmt::format("PTX has no '{}'", out.text), "write fence.sc.gpu or fence.acq_rel.gpu");
    if (words_[1] == "acquire" || words_[1] == "release") out.version = 86;
    return out;
  }

  Expected<PtxInstruction> barrier() const {
    PtxInstruction out;
    out.head = "barrier";
    out.text = op_.instr.barrier.arrive ? "barrier.arrive" : "barrier.sync";
    return out;
  }

  const code::Operation& op_;
  std::vector<std::string> words_;
  Parts parts_;
};

}  // namespace

Expected<PtxInstruction> ptx_instruction(const code::Operation& op) { return Reader(op).read(); }

}  // namespace fencepost::emit
