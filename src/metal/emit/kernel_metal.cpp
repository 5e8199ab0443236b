#include "emit/kernel_metal.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "emit/kernel_text.h"
#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::emit {
namespace {

using code::Statement;
using vocab::Tag;

constexpr const char* k_relaxed = "memory_order_relaxed";

std::string address(const CText& t, const code::Place& p) {
  return fmt::format("&{}[{}]", p.buffer == code::k_shared ? "shared_words" : "b_" + t.kernel().buffers[p.buffer].name,
                     t.index(p));
}
const char* space(const code::Place& p) { return p.buffer == code::k_shared ? "threadgroup" : "device"; }
std::string plain(const CText& t, const code::Place& p) {
  return p.width == 32 ? address(t, p).substr(1) : fmt::format("*({} ulong*){}", space(p), address(t, p));
}
std::string atomic(const CText& t, const code::Place& p, bool is_signed = false) {
  return fmt::format("(volatile {} {}*){}", space(p), is_signed ? "atomic_int" : "atomic_uint", address(t, p));
}
void assign(CText& t, code::Var v, const std::string& value) {
  t.line(v == code::k_no_var ? value + ";" : fmt::format("{} = {};", t.name(v), value));
}

class Printer {
 public:
  explicit Printer(const code::Kernel& k) : k_(k), text_(k, {}) {}

  Expected<std::string> run() {
    CFrame f;
    f.builtin = [](code::Builtin b) -> std::string {
      switch (b) {
        case code::Builtin::group:
          return "group_id";
        case code::Builtin::lane:
          return "lane_id";
        case code::Builtin::groups:
          return "group_count";
        case code::Builtin::lanes:
          return "lane_count";
        default:
          break;
      }
      return "0u";
    };
    f.load = [&](CText& t, const Statement& s) {
      if (s.order != code::Order::plain) narrow(s.place, {});
      assign(t, s.var,
             s.order == code::Order::plain
                 ? plain(t, s.place)
                 : fmt::format("atomic_load_explicit({}, {})", atomic(t, s.place), k_relaxed));
    };
    f.store = [&](CText& t, const Statement& s) {
      if (s.order == code::Order::plain) return t.line(fmt::format("{} = {};", plain(t, s.place), t.value(s.value)));
      narrow(s.place, {});
      t.line(fmt::format("atomic_store_explicit({}, {}, {});", atomic(t, s.place), t.value(s.value), k_relaxed));
    };
    f.atomic = [&](CText& t, const Statement& s) { frame_atomic(t, s); };
    f.fence = [](CText& t, bool partial) {
      t.line(
          fmt::format("atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_{}, "
                      "thread_scope_device);",
                      partial ? "acq_rel" : "seq_cst"));
    };
    f.barrier = [](CText& t) { t.line("threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);"); };
    f.clock = [](CText& t, const std::string& v) { t.line(v + " = 0ul;"); };
    f.pause = [](CText&, const std::string&) {};
    f.test = [&](CText& t, const code::Operation& o) { return test(t, o); };
    std::string parameters;
    for (size_t b = 0; b < k_.buffers.size(); ++b)
      parameters += fmt::format("device uint* b_{} [[buffer({})]], ", k_.buffers[b].name, b);
    text_.open(
        fmt::format("kernel void {}({}uint group_id [[threadgroup_position_in_grid]], uint lane_id "
                    "[[thread_position_in_threadgroup]], "
                    "uint group_count [[threadgroups_per_grid]], uint lane_count [[threads_per_threadgroup]]) {{",
                    k_.name, parameters));
    if (k_.shared_words > 0) text_.line(fmt::format("threadgroup uint shared_words[{}];", k_.shared_words));
    if (auto e = print_statements(text_, f); !e) return std::unexpected(e.error());
    if (refused_) return std::unexpected(*refused_);
    text_.close();
    return text_.out;
  }

 private:
  void refuse(const Span& span, std::string what, std::string hint = {}) {
    if (!refused_) refused_ = unsupported_at(span, std::move(what), std::move(hint)).error();
  }
  void narrow(const code::Place& p, const Span& span) {
    if (p.width == 64) refuse(span, "Metal has no 64-bit atomics", "use a test whose values fit 32 bits");
  }

  void frame_atomic(CText& t, const Statement& s) {
    narrow(s.place, {});
    const std::string p = atomic(t, s.place), v = t.value(s.value);
    const auto call = [&](const char* f) { assign(t, s.var, fmt::format("{}({}, {}, {})", f, p, v, k_relaxed)); };
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
        return compare(t, p, t.value(s.compare), v, s.var, {});
    }
  }

  // Metal has the weak form only, which may fail without a reason: again, until it fails for one.
  void compare(CText& t, const std::string& p, const std::string& want, const std::string& v, code::Var to,
               const term::Expr& result) {
    t.open("{");
    t.line(fmt::format("uint old = {};", want));
    t.line(fmt::format("while (!atomic_compare_exchange_weak_explicit({}, &old, {}, {}, {}) && old == {}) {{}}", p, v,
                       k_relaxed, k_relaxed, want));
    t.old_value = "old";
    t.old_width = 32;
    if (to != code::k_no_var) {
      const term::Expr r = result ? result : term::variable(prog::k_old_value, 32);
      assign(t, to, t.resized(t.value(r), r.width(), k_.variables[to].width));
    }
    t.close();
  }

  Expected<void> test(CText& t, const code::Operation& o) {
    const prog::Instr& i = o.instr;
    const prog::TagSet tags = i.tags | i.store_tags;
    const bool access = i.kind == prog::Kind::load || i.kind == prog::Kind::store || i.kind == prog::Kind::rmw;
    if (access && (tags.has(Tag::ACQ) || tags.has(Tag::REL) || tags.has(Tag::SC) || tags.has(Tag::ACQ_REL)))
      return unsupported_at(i.span, fmt::format("'{}' has an order, and Metal's atomics are relaxed", i.mnemonic),
                            "use relaxed accesses and fences");
    const bool is_plain =
        tags.has(Tag::NA) || tags.has(Tag::WEAK) || (o.dialect == vocab::Dialect::vulkan && !tags.has(Tag::ATOM));
    if (access && !(is_plain && i.kind != prog::Kind::rmw)) narrow(o.place, i.span);
    switch (i.kind) {
      case prog::Kind::load: {
        const std::string v =
            is_plain ? plain(t, o.place) : fmt::format("atomic_load_explicit({}, {})", atomic(t, o.place), k_relaxed);
        assign(t, o.var,
               t.resized(v, o.place.width, o.var == code::k_no_var ? o.place.width : k_.variables[o.var].width));
        return {};
      }
      case prog::Kind::store: {
        const std::string v = t.resized(t.value(o.value), o.value.width(), o.place.width);
        t.line(is_plain ? fmt::format("{} = {};", plain(t, o.place), v)
                        : fmt::format("atomic_store_explicit({}, {}, {});", atomic(t, o.place), v, k_relaxed));
        return {};
      }
      case prog::Kind::rmw:
        return rmw(t, o);
      case prog::Kind::fence:
        return fence(t, o);
      case prog::Kind::barrier:
        if (i.barrier.arrive || i.barrier.quorum) return unsupported_at(i.span, "a partial barrier in Metal");
        t.line("threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);");
        return {};
      default:
        FENCEPOST_INVARIANT(false, "a test statement is not a memory instruction, fence or barrier");
    }
    return {};
  }

  Expected<void> rmw(CText& t, const code::Operation& o) {
    using K = RmwShape::Kind;
    const RmwShape shape = shape_of(o);
    static const std::map<K, const char*> names = {
        {K::exchange, "exchange"}, {K::add, "fetch_add"},  {K::sub, "fetch_sub"},  {K::and_, "fetch_and"},
        {K::or_, "fetch_or"},      {K::xor_, "fetch_xor"}, {K::smin, "fetch_min"}, {K::smax, "fetch_max"},
        {K::umin, "fetch_min"},    {K::umax, "fetch_max"}};
    const auto value = [&](const term::Expr& e) { return t.resized(t.value(e), e.width(), 32); };
    if (shape.kind == K::compare) {
      compare(t, atomic(t, o.place), value(shape.operand), value(shape.desired), o.var, o.result);
      return {};
    }
    const auto f = names.find(shape.kind);
    if (f == names.end())
      return unsupported_at(o.instr.span,
                            fmt::format("Metal has no atomic function for what '{}' does", o.instr.mnemonic));
    const bool is_signed = shape.kind == K::smin || shape.kind == K::smax;
    t.open("{");
    t.line(fmt::format("const uint old = (uint)atomic_{}_explicit({}, {}{}, {});", f->second,
                       atomic(t, o.place, is_signed), is_signed ? "(int)" : "", value(shape.operand), k_relaxed));
    t.old_value = "old";
    t.old_width = 32;
    if (o.var != code::k_no_var) {
      const term::Expr r = o.result ? o.result : term::variable(prog::k_old_value, 32);
      assign(t, o.var, t.resized(t.value(r), r.width(), k_.variables[o.var].width));
    }
    t.close();
    return {};
  }

  Expected<void> fence(CText& t, const code::Operation& o) {
    const prog::Instr& i = o.instr;
    const prog::TagSet& tags = i.tags;
    if (tags.has(Tag::AVDEVICE) || tags.has(Tag::VISDEVICE))
      return unsupported_at(i.span, fmt::format("'{}' is an operation of the host", i.mnemonic));
    if (i.mnemonic.starts_with("fence.proxy")) return unsupported_at(i.span, "Metal has no proxies");
    const bool full = tags.has(Tag::SC) || (o.dialect == vocab::Dialect::ptx && i.mnemonic.starts_with("membar"));
    const bool acquire = tags.has(Tag::ACQ), release = tags.has(Tag::REL),
               both = tags.has(Tag::ACQ_REL) || (acquire && release);
    const bool inner = tags.has(Tag::CTA) || tags.has(Tag::WG) || tags.has(Tag::SG) || i.mnemonic == "membar.cta";
    t.line(fmt::format(
        "atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_{}, thread_scope_{});",
        full      ? "seq_cst"
        : both    ? "acq_rel"
        : acquire ? "acquire"
        : release ? "release"
                  : "relaxed",
        inner ? "threadgroup" : "device"));
    return {};
  }

  const code::Kernel& k_;
  CText text_;
  std::optional<Diagnostics> refused_;
};

}  // namespace

Expected<std::string> kernel_metal(const code::Kernel& kernel) {
  if (const auto ok = refuse_clusters(kernel, "Metal"); !ok) return std::unexpected(ok.error());
  return Printer(kernel).run();
}

}  // namespace fencepost::emit
