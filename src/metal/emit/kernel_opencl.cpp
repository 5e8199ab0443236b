#include "emit/kernel_opencl.h"

#include <fmt/format.h>

#include "emit/kernel_text.h"
#include "emit/ptx_instruction.h"
#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::emit {
namespace {

using code::Statement;
using vocab::Dialect;
using vocab::Tag;

constexpr const char* k_relaxed = "memory_order_relaxed";

// "&b_memory[i]"
std::string address(const CText& t, const code::Place& p) {
  const std::string buffer = p.buffer == code::k_shared ? "shared_words" : "b_" + t.kernel().buffers[p.buffer].name;
  return fmt::format("&{}[{}]", buffer, t.index(p));
}
const char* space(const code::Place& p) { return p.buffer == code::k_shared ? "__local" : "__global"; }

std::string plain(const CText& t, const code::Place& p) {
  if (p.width == 32) return address(t, p).substr(1);
  return fmt::format("*({} ulong*){}", space(p), address(t, p));
}

std::string atomic_pointer(const CText& t, const code::Place& p, bool is_signed = false) {
  const char* type =
      p.width == 64 ? (is_signed ? "atomic_long" : "atomic_ulong") : (is_signed ? "atomic_int" : "atomic_uint");
  return fmt::format("(volatile {} {}*){}", space(p), type, address(t, p));
}

std::string builtin_call(code::Builtin b) {
  switch (b) {
    case code::Builtin::group:
      return "(uint)get_group_id(0)";
    case code::Builtin::lane:
      return "(uint)get_local_id(0)";
    case code::Builtin::groups:
      return "(uint)get_num_groups(0)";
    case code::Builtin::lanes:
      return "(uint)get_local_size(0)";
    default:
      break;
  }
  return "0u";
}

// ---- scoped: OpenCL C 3.0 ---------------------------------------------------------------------------------
std::string frame_scope(code::Order o) {
  return fmt::format("{}, {}", k_relaxed, o == code::Order::group ? "memory_scope_work_group" : "memory_scope_device");
}

void scoped_load(CText& t, const Statement& s) {
  const std::string v = s.order == code::Order::plain ? plain(t, s.place)
                                                      : fmt::format("atomic_load_explicit({}, {})",
                                                                    atomic_pointer(t, s.place), frame_scope(s.order));
  t.line(s.var == code::k_no_var ? v + ";" : fmt::format("{} = {};", t.name(s.var), v));
}

void scoped_store(CText& t, const Statement& s) {
  if (s.order == code::Order::plain) return t.line(fmt::format("{} = {};", plain(t, s.place), t.value(s.value)));
  t.line(fmt::format("atomic_store_explicit({}, {}, {});", atomic_pointer(t, s.place), t.value(s.value),
                     frame_scope(s.order)));
}

void scoped_atomic(CText& t, const Statement& s) {
  const std::string p = atomic_pointer(t, s.place), scope = frame_scope(s.order);
  const std::string to = s.var == code::k_no_var ? "" : t.name(s.var) + " = ";
  const auto call = [&](const char* f) { t.line(fmt::format("{}{}({}, {}, {});", to, f, p, t.value(s.value), scope)); };
  switch (s.op) {
    case code::AtomicOp::add:
      return call("atomic_fetch_add_explicit");
    case code::AtomicOp::exchange:
      return call("atomic_exchange_explicit");
    case code::AtomicOp::or_:
      return call("atomic_fetch_or_explicit");
    case code::AtomicOp::max:
      return call("atomic_fetch_max_explicit");
    case code::AtomicOp::compare_exchange:
      t.open("{");
      t.line(fmt::format("{} expected = {};", t.type(s.place.width), t.value(s.compare)));
      t.line(fmt::format("atomic_compare_exchange_strong_explicit({}, &expected, {}, {}, {});", p, t.value(s.value),
                         k_relaxed, scope));
      if (!to.empty()) t.line(to + "expected;");
      return t.close();
  }
}

// The orders and scopes that a test writes, with what C forbids or lacks replaced (see the header).
std::string spelt(std::string order) { return order == "memory_order_consume" ? k_relaxed : order; }
std::string failure_order(const std::string& order) {
  if (order == "memory_order_release") return k_relaxed;
  return order == "memory_order_acq_rel" ? "memory_order_acquire" : spelt(order);
}
std::string scope_name(const std::string& s) {
  return s == "memory_scope_all_devices" ? "memory_scope_all_svm_devices" : s;
}

std::string orders_of(const prog::Instr& i) {
  std::string out;
  for (const std::string& s : i.spelling) out += ", " + (s.starts_with("memory_scope") ? scope_name(s) : spelt(s));
  return out;
}

Expected<void> scoped_fence(CText& t, const code::Operation& o) {
  const prog::Instr& i = o.instr;
  if (i.mnemonic == "atomic_thread_fence") {
    t.line(fmt::format("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, {}, memory_scope_device);",
                       spelt(i.spelling.at(0))));
    return {};
  }
  std::string arguments;
  for (const std::string& s : i.spelling)
    arguments += (arguments.empty() ? "" : ", ") + (s.starts_with("memory_scope") ? scope_name(s) : spelt(s));
  t.line(fmt::format("{}({});", i.mnemonic, arguments));
  return {};
}

Expected<void> scoped_rmw(CText& t, const code::Operation& o) {
  const prog::Instr& i = o.instr;
  const RmwShape shape = shape_of(o);
  const uint8_t w = o.place.width;
  using K = RmwShape::Kind;
  if (shape.kind == K::other)
    return unsupported_at(i.span, fmt::format("OpenCL C has no function for what '{}' does here", i.mnemonic));
  const bool result = o.var != code::k_no_var;
  if (result) t.open("{");
  const std::string to = result ? fmt::format("const {} old_value = ", t.type(w)) : "";
  const bool is_signed = shape.kind == K::smin || shape.kind == K::smax;
  const std::string p = atomic_pointer(t, o.place, is_signed);
  if (shape.kind == K::compare) {
    t.open("{");
    t.line(fmt::format("{} expected = {};", t.type(w), t.value(shape.operand)));
    std::string orders;
    for (size_t k = 0; k < i.spelling.size(); ++k)
      orders += ", " + (k == 1   ? failure_order(i.spelling[k])
                        : k == 0 ? spelt(i.spelling[k])
                                 : scope_name(i.spelling[k]));
    const char* f = orders.empty() ? "atomic_compare_exchange_strong" : "atomic_compare_exchange_strong_explicit";
    t.line(fmt::format("{}({}, &expected, {}{});", f, p, t.value(shape.desired), orders));
    if (result) {
      t.old_value = "expected";
      t.old_width = w;
      const term::Expr old = o.result ? o.result : term::variable(prog::k_old_value, w);
      t.line(fmt::format("{} = {};", t.name(o.var),
                         t.resized(t.value(old), old.width(), t.kernel().variables[o.var].width)));
      t.old_value = "old_value";
    }
    t.close();
  } else {
    const std::string v = t.resized(t.value(shape.operand), shape.operand.width(), w);
    const std::string call =
        fmt::format("{}({}, {}{})", i.mnemonic, p, is_signed ? t.cast(w == 64 ? "long" : "int", v) : v, orders_of(i));
    t.line(to + (is_signed && result ? t.cast(t.type(w), call) : call) + ";");
    if (result) {
      t.old_width = w;
      const term::Expr old = o.result ? o.result : term::variable(prog::k_old_value, w);
      t.line(fmt::format("{} = {};", t.name(o.var),
                         t.resized(t.value(old), old.width(), t.kernel().variables[o.var].width)));
    }
  }
  if (result) t.close();
  return {};
}

Expected<void> scoped_test(CText& t, const code::Operation& o) {
  const prog::Instr& i = o.instr;
  if (o.dialect != Dialect::opencl)
    return unsupported_at(
        i.span, fmt::format("'{}' is not an instruction of OpenCL C", i.mnemonic),
        o.dialect == Dialect::ptx ? "NVIDIA's OpenCL takes it as inline PTX" : "run it on a device of its own kind");
  const bool is_plain = !i.tags.has(Tag::A);
  const auto to = [&](const std::string& v) {
    if (o.var == code::k_no_var) return t.line(v + ";");
    t.line(fmt::format("{} = {};", t.name(o.var), t.resized(v, o.place.width, t.kernel().variables[o.var].width)));
  };
  switch (i.kind) {
    case prog::Kind::load:
      to(is_plain ? plain(t, o.place) : fmt::format("{}({}{})", i.mnemonic, atomic_pointer(t, o.place), orders_of(i)));
      return {};
    case prog::Kind::store: {
      const std::string v = t.resized(t.value(o.value), o.value.width(), o.place.width);
      t.line(is_plain ? fmt::format("{} = {};", plain(t, o.place), v)
                      : fmt::format("{}({}, {}{});", i.mnemonic, atomic_pointer(t, o.place), v, orders_of(i)));
      return {};
    }
    case prog::Kind::rmw:
      return scoped_rmw(t, o);
    case prog::Kind::fence:
      return scoped_fence(t, o);
    case prog::Kind::barrier:
      return scoped_fence(t, o);  // the same form: name(spelling)
    default:
      FENCEPOST_INVARIANT(false, "a test statement is not a memory instruction, fence or barrier");
  }
  return {};
}

CFrame scoped_frame() {
  CFrame f;
  f.builtin = builtin_call;
  f.load = scoped_load;
  f.store = scoped_store;
  f.atomic = scoped_atomic;
  f.fence = [](CText& t, bool partial) {
    t.line(fmt::format(
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_{}, memory_scope_device);",
        partial ? "acq_rel" : "seq_cst"));
  };
  f.barrier = [](CText& t) { t.line("barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);"); };
  f.clock = [](CText& t, const std::string& v) { t.line(fmt::format("{} = 0ul;", v)); };
  f.pause = [](CText&, const std::string&) {};
  f.test = scoped_test;
  return f;
}

// ---- inline_ptx: NVIDIA's OpenCL C 1.2 ----------------------------------------------------------------------
const char* ptx_space(const code::Place& p) { return p.buffer == code::k_shared ? "shared" : "global"; }
const char* constraint(uint8_t width) { return width == 64 ? "l" : "r"; }

// asm volatile("INSTRUCTION %0, [%1], ..." : "=r"(out) : "l"(address), "r"(in)... : "memory");
void assembly(CText& t, const std::string& instruction, const std::string& to, uint8_t width, const code::Place* p,
              const std::vector<std::string>& operands) {
  std::string text = instruction, inputs;
  size_t n = 0;
  if (!to.empty()) text += fmt::format(" %{}", n++);
  const auto input = [&](const char* c, const std::string& x) {
    inputs += fmt::format("{}\"{}\"({})", inputs.empty() ? "" : ", ", c, x);
  };
  if (p != nullptr) {
    text += fmt::format("{}[%{}]", n == 0 ? " " : ", ", n);
    ++n;
    input("l", address(t, *p));
  }
  for (const std::string& x : operands) {
    text += fmt::format(", %{}", n++);
    input(constraint(width), x);
  }
  const std::string outputs = to.empty() ? "" : fmt::format("\"={}\"({})", constraint(width), to);
  t.line(fmt::format("asm volatile(\"{};\" : {} : {} : \"memory\");", text, outputs, inputs));
}

const char* ptx_scope(code::Order o) { return o == code::Order::group ? "cta" : "gpu"; }

void ptx_load(CText& t, const Statement& s) {
  if (s.order == code::Order::plain) return scoped_load(t, s);
  assembly(t, fmt::format("ld.relaxed.{}.{}.b{}", ptx_scope(s.order), ptx_space(s.place), s.place.width), t.name(s.var),
           s.place.width, &s.place, {});
}
void ptx_store(CText& t, const Statement& s) {
  if (s.order == code::Order::plain) return scoped_store(t, s);
  assembly(t, fmt::format("st.relaxed.{}.{}.b{}", ptx_scope(s.order), ptx_space(s.place), s.place.width), "",
           s.place.width, &s.place, {t.value(s.value)});
}
void ptx_atomic(CText& t, const Statement& s) {
  const uint8_t w = s.place.width;
  const char* op = "add.u";
  switch (s.op) {
    case code::AtomicOp::add:
      op = "add.u";
      break;
    case code::AtomicOp::exchange:
      op = "exch.b";
      break;
    case code::AtomicOp::or_:
      op = "or.b";
      break;
    case code::AtomicOp::max:
      op = "max.u";
      break;
    case code::AtomicOp::compare_exchange:
      op = "cas.b";
      break;
  }
  std::vector<std::string> operands = {t.value(s.value)};
  if (s.op == code::AtomicOp::compare_exchange) operands.insert(operands.begin(), t.value(s.compare));
  const std::string instruction = fmt::format("atom.relaxed.{}.{}.{}{}", ptx_scope(s.order), ptx_space(s.place), op, w);
  if (s.var != code::k_no_var) return assembly(t, instruction, t.name(s.var), w, &s.place, operands);
  t.open("{");
  t.line(fmt::format("{} unused;", t.type(w)));
  assembly(t, instruction, "unused", w, &s.place, operands);
  t.close();
}

Expected<void> ptx_test(CText& t, const code::Operation& o) {
  if (o.dialect == Dialect::opencl)
    return unsupported_at(o.instr.span,
                          fmt::format("NVIDIA's OpenCL C has no '{}' with orders and scopes", o.instr.mnemonic),
                          "run a PTX test there, or this test on a device with OpenCL C 3.0 atomics");
  const auto p = ptx_instruction(o);
  if (!p) return std::unexpected(p.error());
  const uint8_t w = o.place.width;
  if (o.instr.kind == prog::Kind::fence) {
    assembly(t, p->text, "", 32, nullptr, {});
    return {};
  }
  if (o.instr.kind == prog::Kind::barrier) {
    const prog::Barrier& b = o.instr.barrier;
    if (b.quorum || (b.id && !b.id.is_const(0)) || b.arrive)
      return unsupported_at(o.instr.span, "a named barrier in OpenCL C", "use the PTX target");
    t.line("barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);");
    return {};
  }
  std::vector<std::string> operands;
  if (p->expected) operands.push_back(t.resized(t.value(p->expected), p->expected.width(), w));
  if (p->operand) {
    std::string x = t.resized(t.value(p->operand), p->operand.width(), w);
    operands.push_back(std::move(x));
  }
  const bool reads = p->head == "ld" || p->head == "atom";
  if (!reads) {
    assembly(t, p->text, "", w, &o.place, operands);
    return {};
  }
  t.open("{");
  t.line(fmt::format("{} old_value;", t.type(w)));
  assembly(t, p->text, "old_value", w, &o.place, operands);
  t.old_width = w;
  if (o.var != code::k_no_var) {
    const term::Expr old = o.result ? o.result : term::variable(prog::k_old_value, w);
    t.line(fmt::format("{} = {};", t.name(o.var),
                       t.resized(t.value(old), old.width(), t.kernel().variables[o.var].width)));
  }
  t.close();
  return {};
}

CFrame ptx_frame() {
  CFrame f = scoped_frame();
  f.load = ptx_load;
  f.store = ptx_store;
  f.atomic = ptx_atomic;
  f.fence = [](CText& t, bool partial) {
    assembly(t, partial ? "fence.acq_rel.gpu" : "fence.sc.gpu", "", 32, nullptr, {});
  };
  f.clock = [](CText& t, const std::string& v) {
    t.line(fmt::format("asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"({}) : : \"memory\");", v));
  };
  f.pause = [](CText& t, const std::string& n) {
    t.line(fmt::format("asm volatile(\"nanosleep.u32 %0;\" : : \"r\"((uint)({})));", n));
  };
  f.test = ptx_test;
  return f;
}

bool any_wide_atomic(const code::Kernel& k) {
  bool found = false;
  for (const code::Operation& o : k.operations) found = found || (o.place.width == 64 && o.instr.tags.has(Tag::A));
  const std::function<void(const std::vector<Statement>&)> look = [&](const std::vector<Statement>& list) {
    for (const Statement& s : list) {
      const bool access =
          s.kind == Statement::Kind::load || s.kind == Statement::Kind::store || s.kind == Statement::Kind::atomic;
      found = found ||
              (access && s.place.width == 64 && (s.order != code::Order::plain || s.kind == Statement::Kind::atomic));
      look(s.body);
      look(s.other);
    }
  };
  look(k.body);
  return found;
}

}  // namespace

Expected<OpenclText> kernel_opencl(const std::vector<code::Kernel>& kernels, OpenclKind kind) {
  OpenclText out;
  for (const code::Kernel& k : kernels)
    if (const auto ok = refuse_clusters(k, "OpenCL"); !ok) return std::unexpected(ok.error());
  const bool scoped = kind == OpenclKind::scoped;
  out.options = scoped ? "-cl-std=CL3.0 -w" : "-cl-std=CL1.2 -w";
  out.text =
      fmt::format("// options: {}\n// {}\n", out.options,
                  scoped ? "OpenCL C 3.0, atomics with orders and scopes."
                         : "OpenCL C 1.2 with inline PTX: what runs are the PTX instructions, not OpenCL's atomics.");
  bool wide = false;
  for (const code::Kernel& k : kernels) wide = wide || any_wide_atomic(k);
  if (wide && scoped)
    out.text +=
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
        "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n";
  const CFrame frame = scoped ? scoped_frame() : ptx_frame();
  std::string bodies;
  for (const code::Kernel& k : kernels) {
    CText t(k, {});
    std::string parameters;
    for (const code::Buffer& b : k.buffers)
      parameters +=
          fmt::format("{}__global {}uint* b_{}", parameters.empty() ? "" : ", ", b.read_only ? "const " : "", b.name);
    t.line("");
    t.open(fmt::format("__kernel void {}({}) {{", k.name, parameters));
    if (k.shared_words > 0)
      t.line(fmt::format("__local uint shared_words[{}] __attribute__((aligned(8)));", k.shared_words));
    if (auto e = print_statements(t, frame); !e) return std::unexpected(e.error());
    t.close();
    bodies += t.out;
  }
  // The scope is a feature that a device may lack. All threads run on one device, so there the next narrower one
  // includes the same threads.
  if (bodies.contains("memory_scope_all_svm_devices"))
    out.text +=
        "#if __OPENCL_C_VERSION__ >= 300 && !defined(__opencl_c_atomic_scope_all_devices)\n"
        "#define memory_scope_all_svm_devices memory_scope_device\n"
        "#endif\n";
  out.text += bodies;
  return out;
}

}  // namespace fencepost::emit
