#include "emit/kernel_cpp.h"

#include <fmt/format.h>

#include <map>

#include "emit/kernel_text.h"
#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::emit {
namespace {

using code::Statement;
using vocab::Tag;

constexpr const char* k_relaxed = "std::memory_order_relaxed";

std::string word(const CText& t, const code::Place& p) {
  const std::string at = fmt::format(
      "{}[{}]", p.buffer == code::k_shared ? "shared_words" : "b_" + t.kernel().buffers[p.buffer].name, t.index(p));
  return p.width == 32 ? at : fmt::format("*reinterpret_cast<std::uint64_t*>(&{})", at);
}
std::string atomic(const CText& t, const code::Place& p) {
  return fmt::format("std::atomic_ref<std::uint{}_t>({})", p.width, word(t, p));
}
void assign(CText& t, code::Var v, const std::string& value) {
  t.line(v == code::k_no_var ? value + ";" : fmt::format("{} = {};", t.name(v), value));
}

void load(CText& t, const Statement& s) {
  assign(t, s.var,
         s.order == code::Order::plain ? word(t, s.place) : fmt::format("{}.load({})", atomic(t, s.place), k_relaxed));
}
void store(CText& t, const Statement& s) {
  if (s.order == code::Order::plain) return t.line(fmt::format("{} = {};", word(t, s.place), t.value(s.value)));
  t.line(fmt::format("{}.store({}, {});", atomic(t, s.place), t.value(s.value), k_relaxed));
}
void read_modify_write(CText& t, const Statement& s) {
  const std::string at = atomic(t, s.place), v = t.value(s.value);
  const std::string to = s.var == code::k_no_var ? "" : t.name(s.var) + " = ";
  switch (s.op) {
    case code::AtomicOp::add:
      return t.line(fmt::format("{}{}.fetch_add({}, {});", to, at, v, k_relaxed));
    case code::AtomicOp::exchange:
      return t.line(fmt::format("{}{}.exchange({}, {});", to, at, v, k_relaxed));
    case code::AtomicOp::or_:
      return t.line(fmt::format("{}{}.fetch_or({}, {});", to, at, v, k_relaxed));
    case code::AtomicOp::compare_exchange:
    case code::AtomicOp::max:
      t.open("{");
      if (s.op == code::AtomicOp::max) {
        t.line(fmt::format("std::uint{}_t old = {}.load({});", s.place.width, at, k_relaxed));
        t.line(fmt::format("while (old < {0} && !{1}.compare_exchange_weak(old, {0}, {2})) {{}}", v, at, k_relaxed));
      } else {
        t.line(fmt::format("std::uint{}_t old = {};", s.place.width, t.value(s.compare)));
        t.line(fmt::format("{}.compare_exchange_strong(old, {}, {});", at, v, k_relaxed));
      }
      if (!to.empty()) t.line(to + "old;");
      return t.close();
  }
}

std::string order_of(const prog::TagSet& tags) {
  const bool acquire = tags.has(Tag::ACQ), release = tags.has(Tag::REL);
  return std::string("std::memory_order_") + (tags.has(Tag::SC)                                ? "seq_cst"
                                              : tags.has(Tag::ACQ_REL) || (acquire && release) ? "acq_rel"
                                              : acquire                                        ? "acquire"
                                              : release                                        ? "release"
                                                                                               : "relaxed");
}

Expected<void> rmw(CText& t, const code::Operation& o) {
  const uint8_t w = o.place.width;
  const std::string at = atomic(t, o.place), order = order_of(o.instr.tags | o.instr.store_tags);
  const RmwShape shape = shape_of(o);
  using K = RmwShape::Kind;
  static const std::map<K, const char*> names = {{K::exchange, "exchange"}, {K::add, "fetch_add"},
                                                 {K::sub, "fetch_sub"},     {K::and_, "fetch_and"},
                                                 {K::or_, "fetch_or"},      {K::xor_, "fetch_xor"}};
  t.open("{");
  const auto value = [&](const term::Expr& e) { return t.resized(t.value(e), e.width(), w); };
  t.old_value = "old";
  t.old_width = w;
  if (const auto f = names.find(shape.kind); f != names.end()) {
    t.line(fmt::format("const std::uint{}_t old = {}.{}({}, {});", w, at, f->second, value(shape.operand), order));
  } else {
    // Whatever it does, as a loop; where the guard is false the old value is written back.
    t.line(fmt::format("std::uint{}_t old = {}.load({});", w, at, k_relaxed));
    std::string next = value(o.value);
    if (o.guard) next = fmt::format("({} ? {} : old)", t.value(o.guard), next);
    t.line(fmt::format("while (!{}.compare_exchange_weak(old, {}, {})) {{}}", at, next, order));
  }
  if (o.var == code::k_no_var) {
    t.line("(void)old;");
  } else {
    const term::Expr r = o.result ? o.result : term::variable(prog::k_old_value, w);
    assign(t, o.var, t.resized(t.value(r), r.width(), t.kernel().variables[o.var].width));
  }
  t.close();
  return {};
}

Expected<void> test(CText& t, const code::Operation& o) {
  const prog::Instr& i = o.instr;
  const prog::TagSet& tags = i.tags;
  switch (i.kind) {
    case prog::Kind::load:
      assign(t, o.var,
             t.resized(fmt::format("{}.load({})", atomic(t, o.place), order_of(tags)), o.place.width,
                       o.var == code::k_no_var ? o.place.width : t.kernel().variables[o.var].width));
      return {};
    case prog::Kind::store:
      t.line(fmt::format("{}.store({}, {});", atomic(t, o.place),
                         t.resized(t.value(o.value), o.value.width(), o.place.width), order_of(tags)));
      return {};
    case prog::Kind::rmw:
      return rmw(t, o);
    case prog::Kind::fence: {
      if (tags.has(Tag::AVDEVICE) || tags.has(Tag::VISDEVICE)) return {};
      const bool full = i.mnemonic.starts_with("fence.proxy") ||
                        (o.dialect == vocab::Dialect::ptx && i.mnemonic.starts_with("membar"));
      t.line(fmt::format("std::atomic_thread_fence({});", full ? "std::memory_order_seq_cst" : order_of(tags)));
      return {};
    }
    case prog::Kind::barrier:
      if (i.barrier.arrive || i.barrier.quorum || (i.barrier.id && !i.barrier.id.is_const(0)))
        return unsupported_at(i.span, "a named or partial barrier in C++", "use a plain barrier");
      t.line("meeting.arrive_and_wait();");
      return {};
    default:
      FENCEPOST_INVARIANT(false, "a test statement is not a memory instruction, fence or barrier");
  }
  return {};
}

}  // namespace

Expected<std::string> kernel_cpp(const code::Kernel& k) {
  if (const auto ok = refuse_clusters(k, "C++"); !ok) return std::unexpected(ok.error());
  CFrame f;
  f.builtin = [](code::Builtin b) -> std::string {
    switch (b) {
      case code::Builtin::group:
        return "ids.group";
      case code::Builtin::lane:
        return "ids.lane";
      case code::Builtin::groups:
        return "ids.groups";
      case code::Builtin::lanes:
        return "ids.lanes";
      default:
        break;
    }
    return "0";
  };
  f.load = load;
  f.store = store;
  f.atomic = read_modify_write;
  f.fence = [](CText& t, bool partial) {
    t.line(fmt::format("std::atomic_thread_fence(std::memory_order_{});", partial ? "acq_rel" : "seq_cst"));
  };
  f.barrier = [](CText& t) { t.line("meeting.arrive_and_wait();"); };
  f.clock = [](CText& t, const std::string& v) {
    t.line(v +
           " = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / "
           "std::chrono::nanoseconds(1));");
  };
  f.pause = [](CText&, const std::string&) {};
  f.test = test;
  CText t(k, {"std::uint32_t", "std::uint64_t", "std::int32_t", "std::int64_t", "bool", "ull", "ll", true});
  std::string parameters;
  for (const code::Buffer& b : k.buffers) parameters += fmt::format(", [[maybe_unused]] std::uint32_t* b_{}", b.name);
  t.open(
      fmt::format("void {}([[maybe_unused]] const Ids& ids, [[maybe_unused]] std::barrier<>& meeting, [[maybe_unused]] "
                  "std::uint32_t* shared_words{}) {{",
                  k.name, parameters));
  if (auto e = print_statements(t, f); !e) return std::unexpected(e.error());
  t.close();
  return t.out;
}

}  // namespace fencepost::emit
