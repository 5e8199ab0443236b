#include "device/cpu/byte_code.h"

#include <fmt/format.h>

#include <map>

#include "prog/test.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::device::cpu {
namespace {

using code::Statement;
using term::Expr;
using term::Op;
using vocab::Tag;

// A kernel that needs more than 65,535 registers is not one that a person or `plan` writes.
constexpr uint32_t k_max_registers = 65535;

struct TooLarge {};
struct Refused {
  Diagnostics why;
};

class Compiler {
 public:
  explicit Compiler(const code::Kernel& k) : k_(k) {
    out_.name = k.name;
    out_.shared_words = k.shared_words;
    out_.group_limit = k.group_limit;
    for (const code::Buffer& b : k.buffers) out_.slots.push_back(b.name);
    out_.slots.emplace_back("shared memory");
    first_temporary_ = k_builtin_registers + static_cast<uint32_t>(k.variables.size());
    peak_ = next_ = first_temporary_;
  }

  Program run() {
    statements(k_.body);
    emit(Code::end);
    // Constants get the registers behind the temporaries, whose number is known only now.
    for (auto& [place, value] : uses_) {
      const auto [it, fresh] = constants_.try_emplace(value, peak_ + static_cast<uint32_t>(constants_.size()));
      if (it->second > k_max_registers) throw TooLarge{};
      const auto r = static_cast<uint16_t>(it->second);
      if (fresh) out_.constants.emplace_back(r, value);
      Ins& i = out_.code[place.ins];
      switch (place.field) {
        case Field::a:
          i.a = r;
          break;
        case Field::b:
          i.b = r;
          break;
        case Field::dst:
          i.dst = r;
          break;
        case Field::low:
          i.imm = (i.imm & ~uint64_t{0xffffffff}) | r;
          break;
        case Field::high:
          i.imm = (i.imm & 0xffffffff) | (uint64_t{r} << 32);
          break;
      }
    }
    out_.registers = peak_ + static_cast<uint32_t>(constants_.size());
    return std::move(out_);
  }

 private:
  enum class Field : uint8_t { a, b, dst, low, high };
  struct Use {
    size_t ins;
    Field field;
  };
  // Where a value is: in a register, or a constant still without one.
  struct Value {
    bool constant = false;
    uint64_t v = 0;  // register or constant
  };

  static Value in(uint32_t reg) { return {false, reg}; }
  static uint32_t variable(code::Var v) { return k_builtin_registers + v; }

  uint32_t temporary() {
    if (next_ >= k_max_registers) throw TooLarge{};
    const uint32_t r = next_++;
    if (next_ > peak_) peak_ = next_;
    return r;
  }

  size_t emit(Code c, uint64_t imm = 0) {
    out_.code.push_back({c, 0, 0, 0, imm});
    return out_.code.size() - 1;
  }
  void put(size_t ins, Field f, Value v) {
    if (v.constant) {
      uses_.emplace_back(Use{ins, f}, v.v);
      return;
    }
    Ins& i = out_.code[ins];
    switch (f) {
      case Field::a:
        i.a = static_cast<uint16_t>(v.v);
        break;
      case Field::b:
        i.b = static_cast<uint16_t>(v.v);
        break;
      case Field::dst:
        i.dst = static_cast<uint16_t>(v.v);
        break;
      case Field::low:
        i.imm = (i.imm & ~uint64_t{0xffffffff}) | v.v;
        break;
      case Field::high:
        i.imm = (i.imm & 0xffffffff) | (v.v << 32);
        break;
    }
  }
  size_t here() const { return out_.code.size(); }
  void patch(size_t ins, size_t target) { out_.code[ins].imm = target; }

  // ---- expressions ----
  // The value of e; an instruction at its root writes `want` where given, else a fresh temporary.
  Value value(const Expr& e, uint32_t want = UINT32_MAX) {
    if (e.is_const()) return {true, e.value()};
    if (e.is_var()) {
      if (e.value() != prog::k_old_value) return in(variable(static_cast<code::Var>(e.value())));
      FENCEPOST_INVARIANT(old_ != UINT32_MAX, "an expression outside a read-modify-write mentions the old value");
      return in(old_);
    }
    const uint8_t w = e.width(), from = e.kids()[0].width();
    const uint32_t mark = next_;
    switch (e.op()) {
      case Op::zext:
        return value(e.kids()[0], want);  // values are zero-extended already
      case Op::trunc:
        if (w == 32 || w == 1) return finish(mark, want, w == 32 ? Code::low32 : Code::low1, value(e.kids()[0]), {});
        break;
      case Op::ite: {
        const Value c = value(e.kids()[0]), t = value(e.kids()[1]), f = value(e.kids()[2]);
        const size_t i = finish_at(mark, want, Code::choose, c, t);
        put(i, Field::low, f);
        return in(out_.code[i].dst);
      }
      default:
        break;
    }
    const Value a = value(e.kids()[0]);
    const Value b = e.kids().size() > 1 ? value(e.kids()[1]) : Value{true, 0};
    bool swap = false;
    if (const auto c = direct(e.op(), from, swap)) return finish(mark, want, *c, swap ? b : a, swap ? a : b);
    if (e.op() == Op::neg && (w == 32 || w == 64))
      return finish(mark, want, w == 32 ? Code::sub32 : Code::sub64, {true, 0}, a);
    if (e.op() == Op::not_) return finish(mark, want, Code::xor_, a, {true, term::mask(w)});
    const size_t i = finish_at(mark, want, Code::any, a, b);
    out_.code[i].imm = static_cast<uint64_t>(e.op()) | uint64_t{from} << 8 | uint64_t{w} << 16;
    return in(out_.code[i].dst);
  }

  size_t finish_at(uint32_t mark, uint32_t want, Code c, Value a, Value b) {
    next_ = mark;  // the operands are read before the result is written
    const uint32_t dst = want != UINT32_MAX ? want : temporary();
    const size_t i = emit(c);
    out_.code[i].dst = static_cast<uint16_t>(dst);
    put(i, Field::a, a);
    put(i, Field::b, b);
    return i;
  }
  Value finish(uint32_t mark, uint32_t want, Code c, Value a, Value b) {
    return in(out_.code[finish_at(mark, want, c, a, b)].dst);
  }

  // The instruction of an operator on operands of width w; `swap`: with its operands exchanged.
  static std::optional<Code> direct(Op op, uint8_t w, bool& swap) {
    const bool full = w == 32 || w == 64;
    const auto pick = [&](Code c32, Code c64) { return full ? std::optional(w == 32 ? c32 : c64) : std::nullopt; };
    switch (op) {
      case Op::add:
        return pick(Code::add32, Code::add64);
      case Op::sub:
        return pick(Code::sub32, Code::sub64);
      case Op::mul:
        return pick(Code::mul32, Code::mul64);
      case Op::shl:
        return pick(Code::shl32, Code::shl64);
      case Op::lshr:
        return pick(Code::lshr32, Code::lshr64);
      case Op::and_:
        return Code::and_;
      case Op::or_:
        return Code::or_;
      case Op::xor_:
        return Code::xor_;
      case Op::umin:
        return Code::umin;
      case Op::umax:
        return Code::umax;
      case Op::udiv:
        return w == 32 ? std::optional(Code::udiv32) : std::nullopt;
      case Op::urem:
        return w == 32 ? std::optional(Code::urem32) : std::nullopt;
      case Op::eq:
        return Code::eq;
      case Op::ne:
        return Code::ne;
      case Op::ugt:
        swap = true;
        [[fallthrough]];
      case Op::ult:
        return Code::ult;
      case Op::uge:
        swap = true;
        [[fallthrough]];
      case Op::ule:
        return Code::ule;
      case Op::sgt:
        swap = true;
        [[fallthrough]];
      case Op::slt:
        return pick(Code::slt32, Code::slt64);
      case Op::sge:
        swap = true;
        [[fallthrough]];
      case Op::sle:
        return pick(Code::sle32, Code::sle64);
      default:
        return std::nullopt;
    }
  }

  void assign(uint32_t dst, const Expr& e) {
    const Value v = value(e, dst);
    if (!v.constant && v.v == dst) return;
    const size_t i = emit(Code::mov);
    out_.code[i].dst = static_cast<uint16_t>(dst);
    put(i, Field::a, v);
  }

  // A jump that is taken when the condition's value is `when`; its target is patched in.
  size_t jump(const Expr& condition, bool when) {
    if (condition.op() == Op::not_) return jump(condition.kids()[0], !when);
    const uint32_t mark = next_;
    const auto two = [&](Code c, bool swap) {
      const Value a = value(condition.kids()[0]), b = value(condition.kids()[1]);
      next_ = mark;
      const size_t i = emit(c);
      put(i, Field::a, swap ? b : a);
      put(i, Field::b, swap ? a : b);
      return i;
    };
    switch (condition.op()) {
      case Op::eq:
        return two(when ? Code::jump_eq : Code::jump_ne, false);
      case Op::ne:
        return two(when ? Code::jump_ne : Code::jump_eq, false);
      case Op::ult:
        return two(when ? Code::jump_ult : Code::jump_ule, !when);  // not a < b: b <= a
      case Op::ule:
        return two(when ? Code::jump_ule : Code::jump_ult, !when);
      case Op::ugt:
        return two(when ? Code::jump_ult : Code::jump_ule, when);
      case Op::uge:
        return two(when ? Code::jump_ule : Code::jump_ult, when);
      default:
        break;
    }
    const Value v = value(condition);
    next_ = mark;
    const size_t i = emit(when ? Code::jump_if : Code::jump_unless);
    put(i, Field::a, v);
    return i;
  }

  // ---- statements ----
  void statements(const std::vector<Statement>& body) {
    for (const Statement& s : body) {
      const uint32_t mark = next_;
      statement(s);
      next_ = mark;
    }
  }

  static Code sized(Code c32, uint8_t width) {
    return width == 64 ? static_cast<Code>(static_cast<uint16_t>(c32) + 1) : c32;  // each 64 follows its 32
  }

  // dst: register of the loaded or stored value, or of an atomic's old value.
  size_t access(Code c32, const code::Place& p, Value dst) {
    const Value index = value(p.index);
    return access_at(c32, p, index, dst);
  }
  size_t access_at(Code c32, const code::Place& p, Value index, Value dst) {
    const size_t i = emit(sized(c32, p.width));
    put(i, Field::a, index);
    put(i, Field::dst, dst);
    out_.code[i].b = static_cast<uint16_t>(p.buffer == code::k_shared ? k_.buffers.size() : p.buffer);
    return i;
  }

  uint32_t destination(code::Var v) { return v == code::k_no_var ? temporary() : variable(v); }

  void statement(const Statement& s) {
    using K = Statement::Kind;
    switch (s.kind) {
      case K::set:
        return assign(variable(s.var), s.value);
      case K::builtin: {
        const size_t i = emit(Code::mov);
        out_.code[i].dst = static_cast<uint16_t>(variable(s.var));
        out_.code[i].a = static_cast<uint16_t>(s.builtin);
        return;
      }
      case K::load:
        access(s.order == code::Order::plain ? Code::load32 : Code::rload32, s.place, in(destination(s.var)));
        return;
      case K::store: {
        const Value v = value(s.value);
        access(s.order == code::Order::plain ? Code::store32 : Code::rstore32, s.place, v);
        return;
      }
      case K::atomic:
        return atomic(s);
      case K::test:
        return test(k_.operations[s.operation]);
      case K::fence:
        emit(s.partial ? Code::t_fence_acq_rel : Code::fence);
        return;
      case K::barrier:
        emit(Code::barrier);
        return;
      case K::branch: {
        const size_t skip = jump(s.value, false);
        statements(s.body);
        if (s.other.empty()) return patch(skip, here());
        const size_t over = emit(Code::jump);
        patch(skip, here());
        statements(s.other);
        return patch(over, here());
      }
      case K::loop: {
        leaves_.emplace_back();
        const size_t start = here();
        statements(s.body);
        patch(emit(Code::back), start);
        for (const size_t l : leaves_.back()) patch(l, here());
        leaves_.pop_back();
        return;
      }
      case K::leave:
        leaves_.back().push_back(s.value ? jump(s.value, true) : emit(Code::jump));
        return;
      case K::clock: {
        const size_t i = emit(Code::clock);
        out_.code[i].dst = static_cast<uint16_t>(variable(s.var));
        return;
      }
      case K::pause: {
        const Value v = s.value ? value(s.value) : Value{true, 0};
        put(emit(Code::pause), Field::a, v);
        return;
      }
      case K::note:
        return;
    }
  }

  void atomic(const Statement& s) {
    Code c = Code::add_at32;
    switch (s.op) {
      case code::AtomicOp::add:
        c = Code::add_at32;
        break;
      case code::AtomicOp::exchange:
        c = Code::xchg_at32;
        break;
      case code::AtomicOp::compare_exchange:
        c = Code::cas_at32;
        break;
      case code::AtomicOp::or_:
        c = Code::or_at32;
        break;
      case code::AtomicOp::max:
        c = Code::max_at32;
        break;
    }
    const Value v = value(s.value);
    const Value compare = s.compare ? value(s.compare) : Value{true, 0};
    const size_t i = access(c, s.place, in(destination(s.var)));
    put(i, Field::low, v);
    put(i, Field::high, compare);
  }

  // ---- the test's instructions ----
  [[noreturn]] static void refuse(const code::Operation& o, const char* what, const char* hint) {
    throw Refused{unsupported_at(o.instr.span, fmt::format("the CPU has no {}", what), hint).error()};
  }

  void test(const code::Operation& o) {
    const prog::TagSet& tags = o.instr.tags;
    switch (o.instr.kind) {
      case prog::Kind::load: {
        const Code c = tags.has(Tag::SC) ? Code::t_load_sc32 : tags.has(Tag::ACQ) ? Code::t_load_acq32 : Code::t_load32;
        const uint32_t dst = destination(o.var);
        access(c, o.place, in(dst));
        return widen(o, dst);
      }
      case prog::Kind::store: {
        const Code c = tags.has(Tag::SC)    ? Code::t_store_sc32
                       : tags.has(Tag::REL) ? Code::t_store_rel32
                                            : Code::t_store32;
        const Value v = value(o.value);
        access(c, o.place, v);
        return;
      }
      case prog::Kind::rmw:
        return rmw(o);
      case prog::Kind::fence:
        return fence(o);
      case prog::Kind::barrier: {
        const prog::Barrier& b = o.instr.barrier;
        if (b.arrive) refuse(o, "barrier that does not wait", "use a barrier that waits");
        if (b.quorum) refuse(o, "barrier with a number of participants", "use a plain barrier");
        if (b.id && !b.id.is_const(0)) refuse(o, "barrier with an id other than 0", "use a plain barrier");
        emit(Code::barrier);
        return;
      }
      default:
        FENCEPOST_INVARIANT(false, "a test statement is not a memory instruction, fence or barrier");
    }
  }

  // A 32-bit load into a wider or narrower variable.
  void widen(const code::Operation& o, uint32_t reg) {
    if (o.var == code::k_no_var || k_.variables[o.var].width >= o.place.width) return;
    const size_t i = emit(k_.variables[o.var].width == 1 ? Code::low1 : Code::low32);
    out_.code[i].dst = out_.code[i].a = static_cast<uint16_t>(reg);
  }

  void fence(const code::Operation& o) {
    const prog::TagSet& tags = o.instr.tags;
    if (tags.has(Tag::AVDEVICE) || tags.has(Tag::VISDEVICE)) return;
    const bool proxy = tags.has(Tag::ALIAS) || o.instr.mnemonic.starts_with("fence.proxy");
    const bool membar = o.dialect == vocab::Dialect::ptx && o.instr.mnemonic.starts_with("membar");
    const bool partial = !tags.has(Tag::SC) && (tags.has(Tag::ACQ_REL) || tags.has(Tag::ACQ) || tags.has(Tag::REL));
    emit(proxy || membar || !partial ? Code::t_fence_sc : Code::t_fence_acq_rel);
  }

  static bool mentions_old(const Expr& e) {
    bool found = false;
    term::for_each_variable(e, [&](uint64_t v) { found = found || v == prog::k_old_value; });
    return found;
  }
  static bool is_old(const Expr& e) {
    if (e.op() == Op::zext || e.op() == Op::trunc) return is_old(e.kids()[0]);
    return e.is_var() && e.value() == prog::k_old_value;
  }
  // The other operand where e is `old op x` or `x op old` and x does not mention old.
  static const Expr* partner(const Expr& e, Op op) {
    if (!e || e.op() != op) return nullptr;
    if (is_old(e.kids()[0]) && !mentions_old(e.kids()[1])) return &e.kids()[1];
    if (is_old(e.kids()[1]) && !mentions_old(e.kids()[0])) return &e.kids()[0];
    return nullptr;
  }

  void rmw(const code::Operation& o) {
    const Value index = value(o.place.index);
    old_ = temporary();
    const Expr* compare = nullptr;
    const Expr* desired = nullptr;
    if (o.guard) {
      compare = partner(o.guard, Op::eq);
      desired = &o.value;
    } else if (o.value.op() == Op::ite && is_old(o.value.kids()[2])) {  // PTX: a failed cas writes the old value back
      compare = partner(o.value.kids()[0], Op::eq);
      desired = &o.value.kids()[1];
    }
    const bool whole = o.value.width() == o.place.width;
    if (compare != nullptr && !mentions_old(*desired) && compare->width() == o.place.width) {
      const Value want = value(*compare), v = value(*desired);
      const size_t i = access_at(Code::t_cas32, o.place, index, in(old_));
      put(i, Field::low, v);
      put(i, Field::high, want);
    } else if (!o.guard && !mentions_old(o.value)) {
      const Value v = value(o.value);
      put(access_at(Code::t_xchg32, o.place, index, in(old_)), Field::low, v);
    } else if (const Expr* e = partner(o.value, Op::add); !o.guard && e != nullptr && whole) {
      const Value v = value(*e);
      put(access_at(Code::t_xadd32, o.place, index, in(old_)), Field::low, v);
    } else {
      any_rmw(o, index);
    }
    if (o.var != code::k_no_var) {
      if (o.result)
        assign(variable(o.var), o.result);
      else
        assign(variable(o.var),
               term::resize(term::variable(prog::k_old_value, o.place.width), k_.variables[o.var].width, false));
    }
    old_ = UINT32_MAX;
  }

  void any_rmw(const code::Operation& o, Value index) {
    const uint32_t seen = temporary();
    const size_t retry = here();
    access_at(Code::t_load32, o.place, index, in(old_));
    Value v = value(o.value);
    if (o.guard) {
      const Value g = value(o.guard);
      const size_t i = emit(Code::choose);
      const uint32_t t = temporary();
      out_.code[i].dst = static_cast<uint16_t>(t);
      put(i, Field::a, g);
      put(i, Field::b, v);
      put(i, Field::low, in(old_));
      v = in(t);
    }
    const size_t i = access_at(Code::t_cas32, o.place, index, in(seen));
    put(i, Field::low, v);
    put(i, Field::high, in(old_));
    const size_t done = emit(Code::jump_eq);
    put(done, Field::a, in(seen));
    put(done, Field::b, in(old_));
    patch(emit(Code::back), retry);
    patch(done, here());
  }

  const code::Kernel& k_;
  Program out_;
  uint32_t first_temporary_ = 0, next_ = 0, peak_ = 0, old_ = UINT32_MAX;
  std::vector<std::pair<Use, uint64_t>> uses_;
  std::map<uint64_t, uint32_t> constants_;
  std::vector<std::vector<size_t>> leaves_;
};

const char* what_runs(Code c) {
  switch (c) {
#if defined(__x86_64__)
    case Code::t_load32:
    case Code::t_load64:
    case Code::t_load_acq32:
    case Code::t_load_acq64:
    case Code::t_load_sc32:
    case Code::t_load_sc64:
      return "mov (load)";
    case Code::t_store32:
    case Code::t_store64:
    case Code::t_store_rel32:
    case Code::t_store_rel64:
      return "mov (store)";
    case Code::t_store_sc32:
    case Code::t_store_sc64:
    case Code::t_xchg32:
    case Code::t_xchg64:
      return "xchg";
    case Code::t_xadd32:
    case Code::t_xadd64:
      return "lock xadd";
    case Code::t_cas32:
    case Code::t_cas64:
      return "lock cmpxchg";
    case Code::t_fence_sc:
      return "mfence";
    case Code::t_fence_acq_rel:
      return "no instruction";
#else
    case Code::t_fence_sc:
      return "seq_cst fence";
    case Code::t_fence_acq_rel:
      return "acq_rel fence";
#endif
    default:
      return "";
  }
}

}  // namespace

const char* name(Code c) {
  static constexpr const char* k_names[] = {
#define X(c) #c,
      FENCEPOST_CPU_CODES(X)
#undef X
  };
  return c < Code::count_ ? k_names[static_cast<size_t>(c)] : "?";
}

Expected<Program> compile(const code::Kernel& kernel) {
  if (code::uses_clusters(kernel))
    return unsupported_at({}, fmt::format("kernel '{}' reads its cluster, and the CPU has none", kernel.name));
  try {
    return Compiler(kernel).run();
  } catch (const TooLarge&) {
    return unsupported_at(
        {}, fmt::format("kernel '{}' needs more than {} registers on the CPU", kernel.name, k_max_registers));
  } catch (const Refused& r) {
    return std::unexpected(r.why);
  }
}

std::string listing(const Program& p) {
  std::string out = fmt::format("{}: {} registers\n", p.name, p.registers);
  for (const auto& [reg, value] : p.constants) out += fmt::format("  r{} = {}\n", reg, value);
  for (size_t k = 0; k < p.code.size(); ++k) {
    const Ins& i = p.code[k];
    out += fmt::format("{:5} {:<12} r{} r{} {} {:#x}", k, name(i.code), i.dst, i.a, i.b, i.imm);
    if (const char* runs = what_runs(i.code); *runs != '\0') out += fmt::format("   ; {}", runs);
    out += '\n';
  }
  return out;
}

}  // namespace fencepost::device::cpu
