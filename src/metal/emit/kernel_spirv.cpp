#include "emit/kernel_spirv.h"

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>

#include <map>
#include <set>

#include "emit/kernel_text.h"
#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::emit {
namespace {

using code::Statement;
using term::Expr;
using term::Op;
using vocab::Tag;

enum Scope : uint32_t { k_device = 1, k_workgroup = 2, k_subgroup = 3, k_queue_family = 5 };
enum Semantic : uint32_t {
  k_acquire = 0x2,
  k_release = 0x4,
  k_acquire_release = 0x8,
  k_uniform = 0x40,
  k_workgroup_memory = 0x100,
  k_image = 0x800,
  k_output = 0x1000,
  k_available = 0x2000,
  k_visible = 0x4000,
};
constexpr uint32_t k_frame_semantics = k_acquire_release | k_uniform | k_workgroup_memory | k_available | k_visible;

struct Refused {
  Diagnostics why;
};

// What all kernels of a module share: types and constants in order of first use, and capabilities.
struct Module {
  std::set<uint64_t> u32, u64;
  bool int64 = false, int64_atomics = false, device_scope = false;

  std::string constant(uint64_t v, uint8_t width) {
    if (width == 1) return v != 0 ? "%true" : "%false";
    if (width == 64) return int64 = true, u64.insert(v), fmt::format("%ul_{}", v);
    return u32.insert(v), fmt::format("%u_{}", v);
  }
  std::string scope(uint32_t s) {
    device_scope = device_scope || s == k_device;
    return constant(s, 32);
  }
};

class Function {
 public:
  Function(const code::Kernel& k, Module& m) : k_(k), m_(m) {}

  void run() {
    for (const Statement& s : k_.body) statement(s);
    line("OpReturn");
    if (narrow.contains(code::k_shared) && wide.contains(code::k_shared))
      throw Refused{unsupported_at(
                        {}, fmt::format("kernel '{}' accesses workgroup memory as words of 32 and of 64 bits", k_.name),
                        "SPIR-V has no two views of it")
                        .error()};
  }

  // ---- what the module's head needs to know ----
  std::string code;
  std::set<uint32_t> narrow, wide;  // buffers by view; k_shared among them
  std::set<code::Builtin> builtins;
  std::string prefix() const { return "%" + k_.name + "_"; }
  std::string buffer(uint32_t b, bool is_wide) const {
    return fmt::format("{}{}{}", prefix(), b == code::k_shared ? "shared" : "b_" + k_.buffers[b].name,
                       is_wide ? "_wide" : "");
  }
  std::string variable(code::Var v) const { return prefix() + "v_" + k_.variables[v].name; }

 private:
  // ---- lines ----
  void line(const std::string& text) { code += "  " + text + "\n"; }
  std::string fresh() { return fmt::format("{}{}", prefix(), next_++); }
  std::string result(const std::string& instruction) {
    std::string id = fresh();
    line(fmt::format("{} = {}", id, instruction));
    return id;
  }
  void label(const std::string& id) { code += fmt::format("{} = OpLabel\n", id); }
  static const char* type(uint8_t width) { return width == 1 ? "%bool" : width == 64 ? "%ulong" : "%uint"; }
  std::string constant(uint64_t v, uint8_t width) { return m_.constant(v, width); }

  // ---- expressions ----
  std::string make(const char* op, uint8_t width, const std::string& a, const std::string& b) {
    if (width == 64) m_.int64 = true;
    return result(fmt::format("{} {} {} {}", op, type(width), a, b));
  }
  std::string select(uint8_t width, const std::string& c, const std::string& t, const std::string& e) {
    return result(fmt::format("OpSelect {} {} {} {}", type(width), c, t, e));
  }
  std::string resized(const std::string& x, uint8_t from, uint8_t to) {
    if (from == to) return x;
    if (to == 64 || from == 64) m_.int64 = true;
    if (to == 1) return make("OpINotEqual", 1, make("OpBitwiseAnd", from, x, constant(1, from)), constant(0, from));
    if (from == 1) return select(to, x, constant(1, to), constant(0, to));
    return result(fmt::format("OpUConvert {} {}", type(to), x));
  }

  std::string value(const Expr& e) {
    const uint8_t w = e.width();
    FENCEPOST_INVARIANT(w == 1 || w == 32 || w == 64, "a kernel has a value that is neither a truth value nor a word");
    switch (e.op()) {
      case Op::constant:
        return constant(e.value(), w);
      case Op::variable:
        if (e.value() == prog::k_old_value) return resized(old_, old_width_, w);
        return result(fmt::format("OpLoad {} {}", type(w), variable(static_cast<code::Var>(e.value()))));
      case Op::not_:
        return result(fmt::format("{} {} {}", w == 1 ? "OpLogicalNot" : "OpNot", type(w), value(e.kids()[0])));
      case Op::neg:
        return w == 1 ? value(e.kids()[0]) : result(fmt::format("OpSNegate {} {}", type(w), value(e.kids()[0])));
      case Op::ite: {
        const std::string c = value(e.kids()[0]), t = value(e.kids()[1]), f = value(e.kids()[2]);
        return select(w, c, t, f);
      }
      case Op::zext:
      case Op::trunc:
        return resized(value(e.kids()[0]), e.kids()[0].width(), w);
      case Op::sext:
        if (e.kids()[0].width() == 1) return select(w, value(e.kids()[0]), constant(term::mask(w), w), constant(0, w));
        m_.int64 = true;
        return result(fmt::format("OpSConvert {} {}", type(w), value(e.kids()[0])));
      default:
        break;
    }
    const std::string a = value(e.kids()[0]), b = value(e.kids()[1]);
    return binary(e.op(), e.kids()[0].width(), a, b);
  }

  std::string binary(Op op, uint8_t from, std::string a, std::string b) {
    if (from == 1 && op != Op::eq && op != Op::ne && term::is_comparison(op)) {
      if (op >= Op::slt && op <= Op::sge) std::swap(a, b);  // a signed truth value is 0 or -1
      a = resized(a, 1, 32), b = resized(b, 1, 32), from = 32;
    }
    const auto chosen = [&](const char* less) { return select(from, make(less, 1, a, b), a, b); };
    const auto zero = [&] { return constant(0, from); };
    const auto in_range = [&] { return make("OpULessThan", 1, b, constant(from, from)); };
    const auto is = [&](uint64_t v) { return make("OpIEqual", 1, b, constant(v & term::mask(from), from)); };
    if (from == 1) switch (op) {
        case Op::and_:
        case Op::mul:
          return make("OpLogicalAnd", 1, a, b);
        case Op::or_:
          return make("OpLogicalOr", 1, a, b);
        case Op::xor_:
        case Op::add:
        case Op::sub:
        case Op::ne:
          return make("OpLogicalNotEqual", 1, a, b);
        case Op::eq:
          return make("OpLogicalEqual", 1, a, b);
        default:
          FENCEPOST_INVARIANT(false, "a kernel divides or shifts truth values");
      }
    switch (op) {
      case Op::add:
        return make("OpIAdd", from, a, b);
      case Op::sub:
        return make("OpISub", from, a, b);
      case Op::mul:
        return make("OpIMul", from, a, b);
      case Op::and_:
        return make("OpBitwiseAnd", from, a, b);
      case Op::or_:
        return make("OpBitwiseOr", from, a, b);
      case Op::xor_:
        return make("OpBitwiseXor", from, a, b);
      case Op::eq:
        return make("OpIEqual", 1, a, b);
      case Op::ne:
        return make("OpINotEqual", 1, a, b);
      case Op::ult:
        return make("OpULessThan", 1, a, b);
      case Op::ule:
        return make("OpULessThanEqual", 1, a, b);
      case Op::ugt:
        return make("OpUGreaterThan", 1, a, b);
      case Op::uge:
        return make("OpUGreaterThanEqual", 1, a, b);
      case Op::slt:
        return make("OpSLessThan", 1, a, b);
      case Op::sle:
        return make("OpSLessThanEqual", 1, a, b);
      case Op::sgt:
        return make("OpSGreaterThan", 1, a, b);
      case Op::sge:
        return make("OpSGreaterThanEqual", 1, a, b);
      case Op::umin:
        return chosen("OpULessThan");
      case Op::umax:
        return chosen("OpUGreaterThan");
      case Op::smin:
        return chosen("OpSLessThan");
      case Op::smax:
        return chosen("OpSGreaterThan");
      // SPIR-V leaves shifts by the width or more, and divisions by zero, undefined.
      case Op::shl:
        return select(from, in_range(), make("OpShiftLeftLogical", from, a, b), zero());
      case Op::lshr:
        return select(from, in_range(), make("OpShiftRightLogical", from, a, b), zero());
      case Op::ashr: {
        const std::string last = constant(from - 1u, from);
        return make("OpShiftRightArithmetic", from, a, select(from, in_range(), b, last));
      }
      case Op::udiv:
      case Op::urem: {
        const std::string by_zero = is(0);
        const std::string safe = select(from, by_zero, constant(1, from), b);
        const bool rest = op == Op::urem;
        return select(from, by_zero, rest ? a : constant(term::mask(from), from),
                      make(rest ? "OpUMod" : "OpUDiv", from, a, safe));
      }
      case Op::sdiv:
      case Op::srem: {
        const bool rest = op == Op::srem;
        const std::string by_zero = is(0), by_minus_one = is(~uint64_t{0});
        const std::string unsafe = make("OpLogicalOr", 1, by_zero, by_minus_one);
        const std::string safe = select(from, unsafe, constant(1, from), b);
        // OpSRem of negative operands is undefined in Vulkan.
        std::string quotient = make("OpSDiv", from, a, safe);
        if (rest) quotient = make("OpISub", from, a, make("OpIMul", from, quotient, safe));
        const std::string negated = rest ? zero() : result(fmt::format("OpSNegate {} {}", type(from), a));
        return select(from, by_zero, zero(), select(from, by_minus_one, negated, quotient));
      }
      default:
        FENCEPOST_INVARIANT(false, "an operator has no SPIR-V instruction");
    }
    return {};
  }

  // ---- memory ----
  std::string pointer(const code::Place& p) {
    const bool is_wide = p.width == 64;
    (is_wide ? wide : narrow).insert(p.buffer);
    if (is_wide) m_.int64 = true;
    std::string index = resized(value(p.index), p.index.width(), 32);
    if (is_wide) index = make("OpShiftRightLogical", 32, index, constant(1, 32));
    const bool shared = p.buffer == code::k_shared;
    const char* t =
        shared ? (is_wide ? "%shared_ulong" : "%shared_uint") : (is_wide ? "%buffer_ulong" : "%buffer_uint");
    return result(fmt::format("OpAccessChain {} {} {}{}", t, buffer(p.buffer, is_wide),
                              shared ? "" : constant(0, 32) + " ", index));
  }
  std::string frame_scope(code::Order o) { return m_.scope(o == code::Order::group ? k_workgroup : k_device); }
  void wide_atomic(const code::Place& p) { m_.int64_atomics = m_.int64_atomics || p.width == 64; }
  void assign(code::Var v, const std::string& id) {
    if (v != code::k_no_var) line(fmt::format("OpStore {} {}", variable(v), id));
  }

  // ---- statements ----
  void statements(const std::vector<Statement>& list) {
    for (const Statement& s : list) statement(s);
  }

  void statement(const Statement& s) {
    using K = Statement::Kind;
    switch (s.kind) {
      case K::set:
        return assign(s.var, value(s.value));
      case K::builtin:
        return builtin(s);
      case K::load:
        return load(s);
      case K::store:
        return store(s);
      case K::atomic:
        return atomic(s);
      case K::test:
        return test(k_.operations[s.operation]);
      case K::fence:
        line(fmt::format("OpMemoryBarrier {} {}", m_.scope(k_device), constant(k_frame_semantics, 32)));
        return;
      case K::barrier: {
        const std::string group = m_.scope(k_workgroup);
        line(fmt::format("OpControlBarrier {} {} {}", group, group, constant(k_frame_semantics, 32)));
        return;
      }
      case K::branch:
        return branch(s);
      case K::loop:
        return loop(s);
      case K::leave:
        return leave(s);
      case K::clock:
        return assign(s.var, constant(0, 64));
      case K::pause:
      case K::note:
        return;
    }
  }

  void builtin(const Statement& s) {
    if (s.builtin == code::Builtin::lanes) return assign(s.var, "%workgroup_size");
    builtins.insert(s.builtin);
    const char* name = s.builtin == code::Builtin::group  ? "%group_id"
                       : s.builtin == code::Builtin::lane ? "%lane_id"
                                                          : "%group_count";
    const std::string all = result(fmt::format("OpLoad %uvec3 {}", name));
    assign(s.var, result(fmt::format("OpCompositeExtract %uint {} 0", all)));
  }

  void load(const Statement& s) {
    const std::string p = pointer(s.place);
    const char* t = type(s.place.width);
    if (s.order == code::Order::plain)
      return assign(s.var, result(fmt::format("OpLoad {} {} NonPrivatePointer", t, p)));
    wide_atomic(s.place);
    assign(s.var, result(fmt::format("OpAtomicLoad {} {} {} {}", t, p, frame_scope(s.order), constant(0, 32))));
  }
  void store(const Statement& s) {
    const std::string v = value(s.value), p = pointer(s.place);
    if (s.order == code::Order::plain) return line(fmt::format("OpStore {} {} NonPrivatePointer", p, v));
    wide_atomic(s.place);
    line(fmt::format("OpAtomicStore {} {} {} {}", p, frame_scope(s.order), constant(0, 32), v));
  }
  void atomic(const Statement& s) {
    wide_atomic(s.place);
    const std::string v = value(s.value), none = constant(0, 32);
    const std::string compare = s.compare ? value(s.compare) : "";
    const std::string p = pointer(s.place), scope = frame_scope(s.order);
    const char* t = type(s.place.width);
    const char* op = "OpAtomicIAdd";
    switch (s.op) {
      case code::AtomicOp::add:
        op = "OpAtomicIAdd";
        break;
      case code::AtomicOp::exchange:
        op = "OpAtomicExchange";
        break;
      case code::AtomicOp::or_:
        op = "OpAtomicOr";
        break;
      case code::AtomicOp::max:
        op = "OpAtomicUMax";
        break;
      case code::AtomicOp::compare_exchange:
        return assign(s.var, result(fmt::format("OpAtomicCompareExchange {} {} {} {} {} {} {}", t, p, scope, none, none,
                                                v, compare)));
    }
    assign(s.var, result(fmt::format("{} {} {} {} {} {}", op, t, p, scope, none, v)));
  }

  void branch(const Statement& s) {
    const std::string c = value(s.value), then = fresh(), merge = fresh(), other = s.other.empty() ? merge : fresh();
    line(fmt::format("OpSelectionMerge {} None", merge));
    line(fmt::format("OpBranchConditional {} {} {}", c, then, other));
    label(then);
    statements(s.body);
    line("OpBranch " + merge);
    if (!s.other.empty()) {
      label(other);
      statements(s.other);
      line("OpBranch " + merge);
    }
    label(merge);
  }
  void loop(const Statement& s) {
    const std::string header = fresh(), body = fresh(), next = fresh(), merge = fresh();
    line("OpBranch " + header);
    label(header);
    line(fmt::format("OpLoopMerge {} {} DontUnroll", merge, next));
    line("OpBranch " + body);
    label(body);
    merges_.push_back(merge);
    statements(s.body);
    merges_.pop_back();
    line("OpBranch " + next);
    label(next);
    line("OpBranch " + header);
    label(merge);
  }
  void leave(const Statement& s) {
    if (!s.value) {
      line("OpBranch " + merges_.back());
      return label(fresh());  // what follows is not reached
    }
    const std::string c = value(s.value), out = fresh(), stay = fresh();
    line(fmt::format("OpSelectionMerge {} None", stay));
    line(fmt::format("OpBranchConditional {} {} {}", c, out, stay));
    label(out);
    line("OpBranch " + merges_.back());
    label(stay);
  }

  // ---- the test's instructions ----
  [[noreturn]] static void refuse(const code::Operation& o, std::string what, std::string hint = {}) {
    throw Refused{unsupported_at(o.instr.span, std::move(what), std::move(hint)).error()};
  }

  std::string scope_of(const code::Operation& o) {
    const prog::TagSet tags = o.instr.tags | o.instr.store_tags;
    return m_.scope(tags.has(Tag::DV)   ? k_device
                    : tags.has(Tag::QF) ? k_queue_family
                    : tags.has(Tag::WG) ? k_workgroup
                                        : k_subgroup);
  }

  static uint32_t semantics_of(const prog::TagSet& t) {
    const bool acquire = t.has(Tag::ACQ), release = t.has(Tag::REL);
    if (!acquire && !release) return 0;
    uint32_t s = acquire && release ? k_acquire_release : acquire ? k_acquire : k_release;
    if (t.has(Tag::SEMSC0)) s |= k_uniform;
    if (t.has(Tag::SEMSC1)) s |= k_workgroup_memory;
    if (t.has(Tag::SEMSC2)) s |= k_image;
    if (t.has(Tag::SEMSC3)) s |= k_output;
    if (t.has(Tag::SEMAV)) s |= k_available;
    if (t.has(Tag::SEMVIS)) s |= k_visible;
    return s;
  }

  void check_class(const code::Operation& o) const {
    const prog::TagSet tags = o.instr.tags | o.instr.store_tags;
    if (tags.has(Tag::SC2) || tags.has(Tag::SC3))
      refuse(o, fmt::format("'{}' accesses an image or an output, which kernels do not have", o.instr.mnemonic),
             "use sc0 or sc1");
    const bool shared = o.place.buffer == code::k_shared;
    if (tags.has(Tag::SC1) != shared)
      refuse(o,
             fmt::format("'{}' names storage class {}, and its location is in {}", o.instr.mnemonic,
                         tags.has(Tag::SC1) ? "sc1 (workgroup memory)" : "sc0 (storage buffers)",
                         shared ? "workgroup memory" : "a storage buffer"),
             shared ? "use sc0 for locations of storage buffers"
                    : "only threads of one workgroup can share a location in sc1");
  }

  std::string memory_operands(const prog::TagSet& t, const code::Operation& o) {
    std::string out;
    if (!t.has(Tag::NONPRIV)) return out;
    out = " NonPrivatePointer";
    if (t.has(Tag::AV) && t.has(Tag::W)) return " MakePointerAvailable|NonPrivatePointer " + scope_of(o);
    if (t.has(Tag::VIS) && t.has(Tag::R)) return " MakePointerVisible|NonPrivatePointer " + scope_of(o);
    return out;
  }

  void test(const code::Operation& o) {
    const prog::Instr& i = o.instr;
    if (o.dialect != vocab::Dialect::vulkan)
      refuse(o, fmt::format("'{}' is not an instruction of the Vulkan memory model", i.mnemonic),
             "translate the test first (fencepost lower)");
    const prog::TagSet& tags = i.tags;
    if (tags.has(Tag::AVDEVICE) || tags.has(Tag::VISDEVICE))
      refuse(o, fmt::format("'{}' is an operation of the host, not of a shader", i.mnemonic));
    if (i.kind == prog::Kind::fence) {
      line(fmt::format("OpMemoryBarrier {} {}", scope_of(o), constant(semantics_of(tags), 32)));
      return;
    }
    if (i.kind == prog::Kind::barrier) {
      if (i.barrier.arrive || i.barrier.quorum)
        refuse(o, "SPIR-V has no barrier with a quorum, and none that does not wait");
      line(fmt::format("OpControlBarrier {} {} {}", m_.scope(k_workgroup), scope_of(o),
                       constant(semantics_of(tags), 32)));
      return;
    }
    check_class(o);
    const uint8_t w = o.place.width;
    const bool atomic = tags.has(Tag::ATOM);
    if (atomic) wide_atomic(o.place);
    const char* t = type(w);
    if (i.kind == prog::Kind::load) {
      const std::string p = pointer(o.place);
      const std::string v =
          atomic ? result(fmt::format("OpAtomicLoad {} {} {} {}", t, p, scope_of(o), constant(semantics_of(tags), 32)))
                 : result(fmt::format("OpLoad {} {}{}", t, p, memory_operands(tags, o)));
      if (o.var != code::k_no_var) assign(o.var, resized(v, w, k_.variables[o.var].width));
      return;
    }
    if (i.kind == prog::Kind::store) {
      const std::string v = resized(value(o.value), o.value.width(), w), p = pointer(o.place);
      line(atomic ? fmt::format("OpAtomicStore {} {} {} {}", p, scope_of(o), constant(semantics_of(tags), 32), v)
                  : fmt::format("OpStore {} {}{}", p, v, memory_operands(tags, o)));
      return;
    }
    rmw(o);
  }

  void rmw(const code::Operation& o) {
    const uint8_t w = o.place.width;
    const RmwShape shape = shape_of(o);
    using K = RmwShape::Kind;
    static const std::map<K, const char*> names = {
        {K::exchange, "OpAtomicExchange"}, {K::add, "OpAtomicIAdd"},  {K::sub, "OpAtomicISub"},
        {K::and_, "OpAtomicAnd"},          {K::or_, "OpAtomicOr"},    {K::xor_, "OpAtomicXor"},
        {K::smin, "OpAtomicSMin"},         {K::smax, "OpAtomicSMax"}, {K::umin, "OpAtomicUMin"},
        {K::umax, "OpAtomicUMax"}};
    const uint32_t s = semantics_of(o.instr.tags | o.instr.store_tags);
    const std::string scope = scope_of(o), semantics = constant(s, 32);
    std::string old;
    if (shape.kind == K::compare) {
      // Where the test does not say what a failure does: it cannot release, and acquires where the success does.
      prog::TagSet failed = o.instr.failed_tags.value_or(o.instr.tags);
      failed.remove(Tag::REL);
      const uint32_t unequal = semantics_of(failed);
      const std::string want = resized(value(shape.operand), shape.operand.width(), w);
      const std::string v = resized(value(shape.desired), shape.desired.width(), w), p = pointer(o.place);
      old = result(fmt::format("OpAtomicCompareExchange {} {} {} {} {} {} {}", type(w), p, scope, semantics,
                               constant(unequal, 32), v, want));
    } else {
      const auto at = names.find(shape.kind);
      if (at == names.end())
        refuse(o, fmt::format("SPIR-V has no atomic instruction for what '{}' does", o.instr.mnemonic),
               "use add, sub, and, or, xor, exchange or compare-exchange");
      const std::string v = resized(value(shape.operand), shape.operand.width(), w), p = pointer(o.place);
      old = result(fmt::format("{} {} {} {} {} {}", at->second, type(w), p, scope, semantics, v));
    }
    if (o.var == code::k_no_var) return;
    old_ = old;
    old_width_ = w;
    const Expr r = o.result ? o.result : term::variable(prog::k_old_value, w);
    assign(o.var, resized(value(r), r.width(), k_.variables[o.var].width));
  }

  const code::Kernel& k_;
  Module& m_;
  std::vector<std::string> merges_;
  uint32_t next_ = 0;
  std::string old_;
  uint8_t old_width_ = 32;
};

std::string head(const Module& m, const std::vector<code::Kernel>& kernels, const std::vector<Function>& functions) {
  std::string out = "; Generated for the Vulkan memory model.\n";
  const auto line = [&](const std::string& s) { out += s + "\n"; };
  line("OpCapability Shader");
  if (m.int64) line("OpCapability Int64");
  if (m.int64_atomics) line("OpCapability Int64Atomics");
  line("OpCapability VulkanMemoryModel");
  if (m.device_scope) line("OpCapability VulkanMemoryModelDeviceScope");
  line("OpMemoryModel Logical Vulkan");
  std::set<code::Builtin> builtins;
  for (size_t n = 0; n < kernels.size(); ++n) {
    const Function& f = functions[n];
    std::string interface;
    for (const auto& [set, is_wide] : {std::pair{f.narrow, false}, {f.wide, true}})
      for (const uint32_t b : set) interface += " " + f.buffer(b, is_wide);
    for (const code::Builtin b : f.builtins)
      interface += b == code::Builtin::group ? " %group_id" : b == code::Builtin::lane ? " %lane_id" : " %group_count";
    builtins.insert(f.builtins.begin(), f.builtins.end());
    line(fmt::format("OpEntryPoint GLCompute %{} \"{}\"{}", kernels[n].name, kernels[n].name, interface));
  }
  for (const code::Kernel& k : kernels) line(fmt::format("OpExecutionMode %{} LocalSize 1 1 1", k.name));
  bool shared_wide = false, shared_narrow = false;
  for (size_t n = 0; n < kernels.size(); ++n) {
    const Function& f = functions[n];
    for (const auto& [set, is_wide] : {std::pair{f.narrow, false}, {f.wide, true}})
      for (const uint32_t b : set) {
        if (b == code::k_shared) {
          (is_wide ? shared_wide : shared_narrow) = true;
          continue;
        }
        const std::string id = f.buffer(b, is_wide);
        line(fmt::format("OpDecorate {} DescriptorSet 0", id));
        line(fmt::format("OpDecorate {} Binding {}", id, b));
        if (f.narrow.contains(b) && f.wide.contains(b)) line(fmt::format("OpDecorate {} Aliased", id));
      }
  }
  line("OpDecorate %words ArrayStride 4");
  line("OpMemberDecorate %block 0 Offset 0");
  line("OpDecorate %block Block");
  if (m.int64) {
    line("OpDecorate %wide_words ArrayStride 8");
    line("OpMemberDecorate %wide_block 0 Offset 0");
    line("OpDecorate %wide_block Block");
  }
  if (builtins.contains(code::Builtin::group)) line("OpDecorate %group_id BuiltIn WorkgroupId");
  if (builtins.contains(code::Builtin::lane)) line("OpDecorate %lane_id BuiltIn LocalInvocationId");
  if (builtins.contains(code::Builtin::groups)) line("OpDecorate %group_count BuiltIn NumWorkgroups");
  line("OpDecorate %workgroup_size SpecId 0");
  line("OpDecorate %workgroup_sizes BuiltIn WorkgroupSize");

  for (const char* t :
       {"%void = OpTypeVoid", "%function = OpTypeFunction %void", "%bool = OpTypeBool", "%uint = OpTypeInt 32 0",
        "%uvec3 = OpTypeVector %uint 3", "%true = OpConstantTrue %bool", "%false = OpConstantFalse %bool",
        "%workgroup_size = OpSpecConstant %uint 1", "%one = OpConstant %uint 1",
        "%workgroup_sizes = OpSpecConstantComposite %uvec3 %workgroup_size %one %one",
        "%words = OpTypeRuntimeArray %uint", "%block = OpTypeStruct %words",
        "%buffer_block = OpTypePointer StorageBuffer %block", "%buffer_uint = OpTypePointer StorageBuffer %uint",
        "%shared_uint = OpTypePointer Workgroup %uint", "%own_bool = OpTypePointer Function %bool",
        "%own_uint = OpTypePointer Function %uint", "%input = OpTypePointer Input %uvec3"})
    line(t);
  if (m.int64)
    for (const char* t :
         {"%ulong = OpTypeInt 64 0", "%wide_words = OpTypeRuntimeArray %ulong",
          "%wide_block = OpTypeStruct %wide_words", "%buffer_wide_block = OpTypePointer StorageBuffer %wide_block",
          "%buffer_ulong = OpTypePointer StorageBuffer %ulong", "%shared_ulong = OpTypePointer Workgroup %ulong",
          "%own_ulong = OpTypePointer Function %ulong"})
      line(t);
  for (const uint64_t v : m.u32) line(fmt::format("%u_{0} = OpConstant %uint {0}", v));
  for (const uint64_t v : m.u64) line(fmt::format("%ul_{0} = OpConstant %ulong {0}", v));
  if (builtins.contains(code::Builtin::group)) line("%group_id = OpVariable %input Input");
  if (builtins.contains(code::Builtin::lane)) line("%lane_id = OpVariable %input Input");
  if (builtins.contains(code::Builtin::groups)) line("%group_count = OpVariable %input Input");
  for (size_t n = 0; n < kernels.size(); ++n) {
    const Function& f = functions[n];
    for (const uint32_t b : f.narrow)
      if (b != code::k_shared) line(fmt::format("{} = OpVariable %buffer_block StorageBuffer", f.buffer(b, false)));
    for (const uint32_t b : f.wide)
      if (b != code::k_shared) line(fmt::format("{} = OpVariable %buffer_wide_block StorageBuffer", f.buffer(b, true)));
    const auto array = [&](bool is_wide) {
      const std::string id = f.buffer(code::k_shared, is_wide);
      const uint32_t size = is_wide ? (kernels[n].shared_words + 1) / 2 : kernels[n].shared_words;
      line(fmt::format("{}_size = OpConstant %uint {}", id, std::max(size, 1u)));
      line(fmt::format("{0}_array = OpTypeArray {1} {0}_size", id, is_wide ? "%ulong" : "%uint"));
      line(fmt::format("{0}_type = OpTypePointer Workgroup {0}_array", id));
      line(fmt::format("{0} = OpVariable {0}_type Workgroup", id));
    };
    if (f.narrow.contains(code::k_shared)) array(false);
    if (f.wide.contains(code::k_shared)) array(true);
  }
  return out;
}

std::string function_text(const code::Kernel& k, const Function& f, Module& m) {
  std::string out = fmt::format("%{} = OpFunction %void None %function\n%{}_start = OpLabel\n", k.name, k.name);
  const std::vector<bool> mentioned = mentioned_variables(k);
  for (code::Var v = 0; v < k.variables.size(); ++v) {
    if (!mentioned[v]) continue;
    const uint8_t w = k.variables[v].width;
    out += fmt::format("  {} = OpVariable {} Function {}\n", f.variable(v),
                       w == 1    ? "%own_bool"
                       : w == 64 ? "%own_ulong"
                                 : "%own_uint",
                       m.constant(0, w));
  }
  return out + f.code + "OpFunctionEnd\n";
}

struct Context {
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_2);
  ~Context() { spvContextDestroy(context); }
};
std::string words_of(spv_diagnostic d) {
  const std::string out = d == nullptr ? "no diagnostic" : fmt::format("line {}: {}", d->position.line + 1, d->error);
  spvDiagnosticDestroy(d);
  return out;
}

}  // namespace

Expected<std::string> assemble_spirv(const std::string& assembly) {
  const Context c;
  spv_binary binary = nullptr;
  spv_diagnostic diagnostic = nullptr;
  // Ids are numbered in order of appearance; names are for readers and are left out.
  if (spvTextToBinaryWithOptions(c.context, assembly.data(), assembly.size(), SPV_TEXT_TO_BINARY_OPTION_NONE, &binary,
                                 &diagnostic) != SPV_SUCCESS)
    return unsupported_at({}, "SPIR-V does not assemble: " + words_of(diagnostic));
  std::string out(reinterpret_cast<const char*>(binary->code), binary->wordCount * 4);
  spvBinaryDestroy(binary);
  return out;
}

std::string spirv_fault(const std::string& words) {
  const Context c;
  std::vector<uint32_t> aligned(words.size() / 4);
  std::copy_n(words.data(), aligned.size() * 4, reinterpret_cast<char*>(aligned.data()));
  spv_const_binary_t binary{aligned.data(), aligned.size()};
  spv_diagnostic diagnostic = nullptr;
  if (spvValidate(c.context, &binary, &diagnostic) == SPV_SUCCESS) return "";
  return words_of(diagnostic);
}

Expected<SpirvText> kernel_spirv(const std::vector<code::Kernel>& kernels) {
  for (const code::Kernel& k : kernels)
    if (const auto ok = refuse_clusters(k, "SPIR-V"); !ok) return std::unexpected(ok.error());
  Module m;
  std::vector<Function> functions;
  for (const code::Kernel& k : kernels) functions.emplace_back(k, m);
  try {
    for (Function& f : functions) f.run();
  } catch (const Refused& r) {
    return std::unexpected(r.why);
  }
  for (const code::Kernel& k : kernels)
    for (const code::Variable& v : k.variables) m.int64 = m.int64 || v.width == 64;
  std::string bodies;
  for (size_t n = 0; n < kernels.size(); ++n) bodies += function_text(kernels[n], functions[n], m);
  SpirvText out;
  out.assembly = head(m, kernels, functions) + bodies;
  out.int64 = m.int64;
  out.int64_atomics = m.int64_atomics;
  out.device_scope = m.device_scope;
  auto words = assemble_spirv(out.assembly);
  if (!words) return std::unexpected(words.error());
  out.words = std::move(*words);
  if (const std::string fault = spirv_fault(out.words); !fault.empty())
    return unsupported_at({}, "SPIR-V is not valid: " + fault);
  return out;
}

}  // namespace fencepost::emit
