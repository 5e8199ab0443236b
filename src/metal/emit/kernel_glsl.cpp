#include "emit/kernel_glsl.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>

#include "emit/kernel_text.h"
#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::emit {
namespace {

using code::Statement;
using vocab::Tag;

constexpr const char* k_both = "gl_StorageSemanticsBuffer | gl_StorageSemanticsShared";
constexpr const char* k_full = "gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible";

// How a variable is declared, read off its accesses.
struct Declared {
  uint8_t width = 0;                     // 0: never accessed
  std::optional<std::string> qualifier;  // "", "nonprivate", "devicecoherent", ...
};

std::string joined(std::initializer_list<std::pair<bool, const char*>> parts, const char* none) {
  std::string out;
  for (const auto& [there, name] : parts)
    if (there) out += (out.empty() ? "" : " | ") + std::string(name);
  return out.empty() ? none : out;
}

const char* scope_name(const prog::TagSet& t) {
  return t.has(Tag::DV)   ? "gl_ScopeDevice"
         : t.has(Tag::QF) ? "gl_ScopeQueueFamily"
         : t.has(Tag::WG) ? "gl_ScopeWorkgroup"
                          : "gl_ScopeSubgroup";
}

// "storage, semantics" of an access or barrier. `failure`: of a compare-exchange that fails.
std::string semantics(const prog::TagSet& t, bool failure = false) {
  const bool acquire = t.has(Tag::ACQ), release = t.has(Tag::REL) && !failure;
  if (!acquire && !release) return "0, gl_SemanticsRelaxed";
  const std::string storage = joined({{t.has(Tag::SEMSC0), "gl_StorageSemanticsBuffer"},
                                      {t.has(Tag::SEMSC1), "gl_StorageSemanticsShared"},
                                      {t.has(Tag::SEMSC2), "gl_StorageSemanticsImage"},
                                      {t.has(Tag::SEMSC3), "gl_StorageSemanticsOutput"}},
                                     "0");
  return storage + ", " +
         joined({{acquire && release, "gl_SemanticsAcquireRelease"},
                 {acquire && !release, "gl_SemanticsAcquire"},
                 {release && !acquire, "gl_SemanticsRelease"},
                 {t.has(Tag::SEMAV) && !failure, "gl_SemanticsMakeAvailable"},
                 {t.has(Tag::SEMVIS), "gl_SemanticsMakeVisible"}},
                "gl_SemanticsRelaxed");
}

std::string frame_scope(code::Order o) { return o == code::Order::group ? "gl_ScopeWorkgroup" : "gl_ScopeDevice"; }

class Shader {
 public:
  Shader(const code::Kernel& k, const GlslOptions& o) : k_(k), o_(o), text_(k, syntax()) {}

  Expected<std::string> run() {
    if (auto e = survey(k_.body); !e) return std::unexpected(e.error());
    CFrame f;
    f.builtin = [](code::Builtin b) -> std::string {
      switch (b) {
        case code::Builtin::group:
          return "gl_WorkGroupID.x";
        case code::Builtin::lane:
          return "gl_LocalInvocationID.x";
        case code::Builtin::groups:
          return "gl_NumWorkGroups.x";
        case code::Builtin::lanes:
          return "gl_WorkGroupSize.x";
        default:
          break;
      }
      return "0u";
    };
    f.load = [&](CText& t, const Statement& s) { load(t, s); };
    f.store = [&](CText& t, const Statement& s) { store(t, s); };
    f.atomic = [&](CText& t, const Statement& s) { atomic(t, s); };
    f.fence = [](CText& t, bool) { t.line(fmt::format("memoryBarrier(gl_ScopeDevice, {}, {});", k_both, k_full)); };
    f.barrier = [](CText& t) {
      t.line(fmt::format("controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, {}, {});", k_both, k_full));
    };
    f.clock = [](CText& t, const std::string& v) { t.line(v + " = 0ul;"); };
    f.pause = [](CText&, const std::string&) {};
    f.test = [&](CText& t, const code::Operation& o) { return test(t, o); };
    text_.open("void main() {");
    if (auto e = print_statements(text_, f); !e) return std::unexpected(e.error());
    text_.close();
    return head() + text_.out;
  }

 private:
  static CSyntax syntax() { return {"uint", "uint64_t", "int", "int64_t", "bool", "ul", "l", true}; }

  // ---- what variables there are ----
  Declared& declared(const code::Place& p) { return variables_[p.buffer]; }

  Expected<void> uses(const code::Place& p, const Span& span) {
    Declared& d = declared(p);
    if (d.width != 0 && d.width != p.width)
      return unsupported_at(
          span, fmt::format("{} holds words of 32 and of 64 bits, and GLSL has one type for it", place_name(p)));
    d.width = p.width;
    return {};
  }
  Expected<void> qualified(const code::Place& p, const std::string& qualifier, const Span& span) {
    if (p.buffer == code::k_shared && qualifier != "workgroupcoherent")
      return unsupported_at(
          span,
          fmt::format("a plain access of shared memory is {}, and GLSL makes every one workgroupcoherent",
                      qualifier.empty() ? "private" : qualifier),
          "print SPIR-V, where each access says it");
    Declared& d = declared(p);
    if (d.qualifier && *d.qualifier != qualifier) {
      const auto word = [](const std::string& q) { return q.empty() ? "private" : q; };
      return unsupported_at(
          span,
          fmt::format("plain accesses of {} are {} and {}, and GLSL qualifies variables, not accesses", place_name(p),
                      word(*d.qualifier), word(qualifier)),
          "print SPIR-V, where each access says it");
    }
    d.qualifier = qualifier;
    return {};
  }

  Expected<void> survey(const std::vector<Statement>& list) {
    using K = Statement::Kind;
    for (const Statement& s : list) {
      Expected<void> e;
      if (s.kind == K::load || s.kind == K::store || s.kind == K::atomic) {
        e = uses(s.place, {});
        if (e && s.order == code::Order::plain && s.kind != K::atomic && s.place.buffer != code::k_shared)
          e = qualified(s.place, "nonprivate", {});
      } else if (s.kind == K::test) {
        e = survey(k_.operations[s.operation]);
      }
      if (e) e = survey(s.body);
      if (e) e = survey(s.other);
      if (!e) return e;
    }
    return {};
  }
  Expected<void> survey(const code::Operation& o) {
    const prog::Instr& i = o.instr;
    if (i.kind != prog::Kind::load && i.kind != prog::Kind::store && i.kind != prog::Kind::rmw) return {};
    if (auto e = uses(o.place, i.span); !e) return e;
    if (i.tags.has(Tag::ATOM)) return {};
    std::string q = i.tags.has(Tag::NONPRIV) ? "nonprivate" : "";
    const bool coherent = i.kind == prog::Kind::store ? i.tags.has(Tag::AV) : i.tags.has(Tag::VIS);
    if (coherent)
      q = i.tags.has(Tag::DV)   ? "devicecoherent"
          : i.tags.has(Tag::QF) ? "queuefamilycoherent"
          : i.tags.has(Tag::WG) ? "workgroupcoherent"
                                : "subgroupcoherent";
    return qualified(o.place, q, i.span);
  }

  std::string place_name(const code::Place& p) const {
    return p.buffer == code::k_shared ? "shared memory" : fmt::format("'{}'", k_.buffers[p.buffer].name);
  }

  std::string head() const {
    bool wide = false;
    for (const auto& [b, d] : variables_) wide = wide || d.width == 64;
    for (const code::Variable& v : k_.variables) wide = wide || v.width == 64;
    std::string out = "#version 450\n#extension GL_KHR_memory_scope_semantics : require\n";
    if (wide) out += "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n";
    if (wide_atomics_) out += "#extension GL_EXT_shader_atomic_int64 : require\n";
    out += "#pragma use_vulkan_memory_model\n";
    for (size_t at = 0; at < o_.comment.size();) {
      const size_t end = std::min(o_.comment.find('\n', at), o_.comment.size());
      out += "// " + o_.comment.substr(at, end - at) + "\n";
      at = end + 1;
    }
    out += fmt::format("layout(local_size_x = {}) in;\n", o_.lanes);
    for (uint32_t b = 0; b < k_.buffers.size(); ++b) {
      const auto at = variables_.find(b);
      const uint8_t w = at == variables_.end() ? uint8_t{32} : at->second.width;
      const std::string q = at == variables_.end() ? "nonprivate" : at->second.qualifier.value_or("nonprivate");
      out += fmt::format("layout(set = 0, binding = {}, std430) {}{}buffer B{} {{ {} {}[]; }};\n", b, q,
                         q.empty() ? "" : " ", b, w == 64 ? "uint64_t" : "uint", glsl_name(k_.buffers[b]));
    }
    if (const auto at = variables_.find(code::k_shared); at != variables_.end()) {
      const bool w = at->second.width == 64;
      out += fmt::format("shared {} shared_words[{}];\n", w ? "uint64_t" : "uint",
                         w ? (k_.shared_words + 1) / 2 : k_.shared_words);
    }
    return out + "\n";
  }

  // ---- accesses ----
  std::string place(const CText& t, const code::Place& p) {
    std::string index = t.resized(t.index(p), p.index.width(), 32);
    if (p.width == 64)
      index = p.index.is_const() ? fmt::format("{}u", p.index.value() / 2) : fmt::format("({} / 2u)", index);
    return fmt::format("{}[{}]", p.buffer == code::k_shared ? "shared_words" : glsl_name(k_.buffers[p.buffer]), index);
  }
  void wide(const code::Place& p) { wide_atomics_ = wide_atomics_ || p.width == 64; }
  static void assign(CText& t, code::Var v, const std::string& value) {
    t.line(v == code::k_no_var ? value + ";" : fmt::format("{} = {};", t.name(v), value));
  }

  void load(CText& t, const Statement& s) {
    const std::string p = place(t, s.place);
    if (s.order == code::Order::plain) return assign(t, s.var, p);
    wide(s.place);
    assign(t, s.var, fmt::format("atomicLoad({}, {}, 0, gl_SemanticsRelaxed)", p, frame_scope(s.order)));
  }
  void store(CText& t, const Statement& s) {
    const std::string p = place(t, s.place), v = t.value(s.value);
    if (s.order == code::Order::plain) return t.line(fmt::format("{} = {};", p, v));
    wide(s.place);
    t.line(fmt::format("atomicStore({}, {}, {}, 0, gl_SemanticsRelaxed);", p, v, frame_scope(s.order)));
  }
  void atomic(CText& t, const Statement& s) {
    wide(s.place);
    const std::string p = place(t, s.place), v = t.value(s.value), scope = frame_scope(s.order);
    const auto call = [&](const char* f) {
      assign(t, s.var, fmt::format("{}({}, {}, {}, 0, gl_SemanticsRelaxed)", f, p, v, scope));
    };
    switch (s.op) {
      case code::AtomicOp::add:
        return call("atomicAdd");
      case code::AtomicOp::exchange:
        return call("atomicExchange");
      case code::AtomicOp::or_:
        return call("atomicOr");
      case code::AtomicOp::max:
        return call("atomicMax");
      case code::AtomicOp::compare_exchange:
        return assign(t, s.var,
                      fmt::format("atomicCompSwap({}, {}, {}, {}, 0, gl_SemanticsRelaxed, 0, gl_SemanticsRelaxed)", p,
                                  t.value(s.compare), v, scope));
    }
  }

  // ---- the test's instructions ----
  Expected<void> check(const code::Operation& o) const {
    const prog::Instr& i = o.instr;
    if (o.dialect != vocab::Dialect::vulkan)
      return unsupported_at(i.span, fmt::format("'{}' is not an instruction of the Vulkan memory model", i.mnemonic),
                            "translate the test first (fencepost lower)");
    if (i.tags.has(Tag::AVDEVICE) || i.tags.has(Tag::VISDEVICE))
      return unsupported_at(i.span, fmt::format("'{}' is an operation of the host, not of a shader", i.mnemonic));
    const prog::TagSet tags = i.tags | i.store_tags;
    if (tags.has(Tag::SC2) || tags.has(Tag::SC3))
      return unsupported_at(i.span,
                            fmt::format("'{}' accesses an image or an output, which kernels do not have", i.mnemonic),
                            "use sc0 or sc1");
    const bool access = i.kind == prog::Kind::load || i.kind == prog::Kind::store || i.kind == prog::Kind::rmw;
    if (access && tags.has(Tag::SC1) != (o.place.buffer == code::k_shared))
      return unsupported_at(i.span, fmt::format("'{}' names another storage class than its location has", i.mnemonic));
    if (i.kind == prog::Kind::barrier && (i.barrier.arrive || i.barrier.quorum))
      return unsupported_at(i.span, "GLSL has no barrier with a quorum, and none that does not wait");
    return {};
  }

  Expected<void> test(CText& t, const code::Operation& o) {
    if (auto e = check(o); !e) return e;
    const prog::Instr& i = o.instr;
    const prog::TagSet tags = i.tags | i.store_tags;
    const auto result = [&](const std::string& v) {
      if (o.var == code::k_no_var) return t.line(v + ";");
      assign(t, o.var, t.resized(v, o.place.width, k_.variables[o.var].width));
    };
    switch (i.kind) {
      case prog::Kind::fence:
        t.line(fmt::format("memoryBarrier({}, {});", scope_name(tags), semantics(tags)));
        return {};
      case prog::Kind::barrier:
        t.line(fmt::format("controlBarrier(gl_ScopeWorkgroup, {}, {});", scope_name(tags), semantics(tags)));
        return {};
      default:
        break;
    }
    const std::string p = place(t, o.place);
    const bool atomic = tags.has(Tag::ATOM);
    if (atomic) wide(o.place);
    if (i.kind == prog::Kind::load) {
      result(atomic ? fmt::format("atomicLoad({}, {}, {})", p, scope_name(tags), semantics(tags)) : p);
      return {};
    }
    if (i.kind == prog::Kind::store) {
      const std::string v = t.resized(t.value(o.value), o.value.width(), o.place.width);
      t.line(atomic ? fmt::format("atomicStore({}, {}, {}, {});", p, v, scope_name(tags), semantics(tags))
                    : fmt::format("{} = {};", p, v));
      return {};
    }
    return rmw(t, o, p, tags);
  }

  Expected<void> rmw(CText& t, const code::Operation& o, const std::string& p, const prog::TagSet& tags) {
    using K = RmwShape::Kind;
    const RmwShape shape = shape_of(o);
    static const std::map<K, const char*> names = {
        {K::exchange, "atomicExchange"}, {K::add, "atomicAdd"},  {K::sub, "atomicAdd"},
        {K::and_, "atomicAnd"},          {K::or_, "atomicOr"},   {K::xor_, "atomicXor"},
        {K::umin, "atomicMin"},          {K::umax, "atomicMax"}, {K::compare, "atomicCompSwap"}};
    const auto at = names.find(shape.kind);
    if (at == names.end())
      return unsupported_at(o.instr.span,
                            fmt::format("GLSL has no atomic function for what '{}' does", o.instr.mnemonic));
    const uint8_t w = o.place.width;
    const auto word = [&](const term::Expr& e) { return t.resized(t.value(e), e.width(), w); };
    std::string call;
    if (shape.kind == K::compare)
      call =
          fmt::format("atomicCompSwap({}, {}, {}, {}, {}, {})", p, word(shape.operand), word(shape.desired),
                      scope_name(tags), semantics(tags), semantics(o.instr.failed_tags.value_or(o.instr.tags), true));
    else
      call =
          fmt::format("{}({}, {}{}, {}, {})", at->second, p, shape.kind == K::sub ? (w == 64 ? "0ul - " : "0u - ") : "",
                      word(shape.operand), scope_name(tags), semantics(tags));
    if (o.var == code::k_no_var) {
      t.line(call + ";");
      return {};
    }
    if (!o.result) {
      assign(t, o.var, t.resized(call, w, k_.variables[o.var].width));
      return {};
    }
    t.open("{");
    t.line(fmt::format("{} old_value = {};", t.type(w), call));
    t.old_width = w;
    assign(t, o.var, t.resized(t.value(o.result), o.result.width(), k_.variables[o.var].width));
    t.close();
    return {};
  }

  const code::Kernel& k_;
  const GlslOptions& o_;
  CText text_;
  std::map<uint32_t, Declared> variables_;
  bool wide_atomics_ = false;
};

}  // namespace

std::string glsl_name(const code::Buffer& buffer) { return "b_" + buffer.name; }

Expected<std::string> kernel_glsl(const code::Kernel& kernel, const GlslOptions& options) {
  if (const auto ok = refuse_clusters(kernel, "GLSL"); !ok) return std::unexpected(ok.error());
  return Shader(kernel, options).run();
}

}  // namespace fencepost::emit
