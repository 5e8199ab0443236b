#include "ir/print.h"

#include <fmt/format.h>

#include <type_traits>

namespace fencepost::ir {
namespace {

std::string type_text(Type t) { return t.kind == Type::pointer ? "ptr" : std::to_string(t.width); }

const char* name(Space s) {
  static constexpr const char* k_names[] = {"global", "group", "constant", "private"};
  return k_names[static_cast<uint8_t>(s)];
}

const char* name(Origin o) {
  static constexpr const char* k_names[] = {"parameter", "by_value", "variable", "automatic", "fresh", "image"};
  return k_names[static_cast<uint8_t>(o)];
}

const char* name(AccessKind k) { return k == AccessKind::read ? "read" : k == AccessKind::write ? "write" : "atomic"; }

std::string in_quotes(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

class Printer {
 public:
  Printer(const Module* m, const Function& f) : m_(m), f_(f) {}

  std::string value(ValueId v) const {
    if (!v) return "-";
    const Value& x = f_.value(v);
    switch (x.kind) {
      case Value::constant:
        if (x.type.kind == Type::pointer)
          return x.constant_bits == 0 ? "null" : fmt::format("address({:#x})", x.constant_bits);
        return x.constant_bits < 1024 ? fmt::format("{}:{}", x.constant_bits, x.type.width)
                                      : fmt::format("{:#x}:{}", x.constant_bits, x.type.width);
      case Value::region_address:
        return fmt::format("@{}", m_ != nullptr ? region_name(x.region) : fmt::format("r{}", x.region.index));
      case Value::function_address:
        return fmt::format("&{}",
                           m_ != nullptr ? m_->function(x.function).symbol : fmt::format("f{}", x.function.index));
      case Value::parameter:
      case Value::result:
        return fmt::format("%{}", v.index);
    }
    return "?";
  }

  std::string region_name(RegionId r) const {
    const Region& x = m_->region(r);
    return (x.owner ? m_->function(x.owner).name + "." : "") + x.name;
  }

  std::string action(const Action& a) const {
    return std::visit([&](const auto& x) { return text(x); }, a);
  }

  std::string terminator(const Terminator& t) const {
    return std::visit(
        [&](const auto& x) -> std::string {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, Jump>) return fmt::format("jump b{}", x.to.index);
          if constexpr (std::is_same_v<T, Branch>)
            return fmt::format("branch {} b{} b{}", value(x.condition), x.then_.index, x.else_.index);
          if constexpr (std::is_same_v<T, Switch>) {
            std::string out = "switch " + value(x.value);
            for (const auto& [bits, to] : x.cases) out += fmt::format(" {}->b{}", bits, to.index);
            return out + fmt::format(" else b{}", x.otherwise.index);
          }
          if constexpr (std::is_same_v<T, Return>) return fmt::format("return{}", values(x.values));
          if constexpr (std::is_same_v<T, Unreachable>) return "unreachable";
          return "trap";
        },
        t);
  }

 private:
  std::string values(const std::vector<ValueId>& vs) const {
    std::string out;
    for (const ValueId v : vs) out += fmt::format(" {}", value(v));
    return out;
  }

  std::string access(const Access& a) const {
    std::string out = fmt::format("{} {} {{", a.bytes, value(a.pointer));
    for (size_t i = 0; i < a.regions.size(); ++i)
      out += fmt::format("{}{}", i > 0 ? " " : "",
                         m_ != nullptr ? region_name(a.regions[i]) : fmt::format("r{}", a.regions[i].index));
    return out + fmt::format("}} site {}{}{}{}{}", a.site, a.part > 0 ? fmt::format(".{}", a.part) : "",
                             a.is_volatile ? " volatile" : "", a.remote ? " remote" : "",
                             a.cache == Access::coherent    ? ""
                             : a.cache == Access::read_only ? " read-only"
                                                            : " of a surface");
  }

  std::string text(const Phi& p) const {
    std::string out = "phi";
    for (const Phi::Entry& e : p.entries) out += fmt::format(" b{}:{}", e.from.index, value(e.value));
    return out;
  }
  std::string text(const Compute& c) const {
    std::string out = ir::name(c.op);
    switch (c.op) {
      case Op::id:
        return out + fmt::format(" {}.{}", ir::name(static_cast<IdKind>(c.imm)), c.dimension);
      case Op::fcmp:
        out += fmt::format(" {}", ir::name(static_cast<FloatCompare>(c.imm)));
        break;
      case Op::function:
        out += fmt::format(" {}", m_ != nullptr ? m_->symbols[c.symbol.index] : fmt::format("s{}", c.symbol.index));
        break;
      case Op::accessed:
      case Op::access_offset:
        out += fmt::format(" {}", name(static_cast<AccessKind>(c.imm)));
        break;
      case Op::extract:
      case Op::return_value:
      case Op::no_overflow_add:
        out += fmt::format(" #{}", c.imm);
        break;
      default:
        break;
    }
    out += values(c.operands);
    if (c.no_signed_wrap) out += " nsw";
    if (c.no_unsigned_wrap) out += " nuw";
    if (!c.note.empty()) out += fmt::format(" {}", in_quotes(c.note));
    return out;
  }
  std::string text(const Load& l) const {
    return fmt::format("{} {}", l.spec ? "load_spec" : "load", access(l.access));
  }
  std::string text(const Store& s) const { return fmt::format("store {} <- {}", access(s.access), value(s.value)); }
  std::string text(const Atomic& a) const {
    std::string out = fmt::format("atomic {} {} {} {} <-{}", ir::name(a.op), ir::name(a.order), ir::name(a.scope),
                                  access(a.access), values(a.operands));
    if (a.op == AtomicOp::compare_exchange) out += fmt::format(" failure {}", ir::name(a.failure));
    return out + (a.spelling.empty() ? "" : fmt::format(" {}", in_quotes(a.spelling)));
  }
  std::string text(const Fence& f) const {
    return fmt::format("fence {} {}{}{}", ir::name(f.order), ir::name(f.scope), f.local ? " local" : "",
                       f.global ? " global" : "");
  }
  std::string text(const Barrier& b) const {
    static constexpr const char* k_reduce[] = {"", " count", " all", " any"};
    std::string out = fmt::format("{} {} local {} global {}",
                                  b.arrive ? "arrive"
                                  : b.wait ? "wait"
                                           : "barrier",
                                  ir::name(b.scope), value(b.local_fence), value(b.global_fence));
    if (b.name) out += fmt::format(" name {}", value(b.name));
    if (b.count) out += fmt::format(" count {}", value(b.count));
    if (b.mask) out += fmt::format(" mask {}", value(b.mask));
    return out + k_reduce[b.reduce] + (b.predicate ? fmt::format(" {}", value(b.predicate)) : "");
  }
  std::string text(const WarpExchange& w) const {
    static constexpr const char* k_kinds[] = {"shuffle",   "shuffle_up", "shuffle_down", "shuffle_xor",
                                              "vote_any",  "vote_all",   "ballot",       "match_any",
                                              "match_all", "reduce",     "active_mask",  "tile"};
    return fmt::format("warp_exchange {}{}{}{}", k_kinds[w.kind],
                       w.kind == WarpExchange::reduce ? fmt::format(" {}", name(w.combine)) : "", values(w.operands),
                       w.mask ? fmt::format(" mask {}", value(w.mask)) : "");
  }
  std::string text(const AsyncCopy& c) const {
    return fmt::format(
        "async_copy {} <- {} count {}{} event {}", access(c.destination), access(c.source), value(c.count),
        c.stride ? fmt::format(" stride {} of {}", value(c.stride), c.stride_is_source ? "source" : "destination") : "",
        value(c.event));
  }
  std::string text(const WaitEvents& w) const { return "wait_events" + values(w.events); }
  std::string text(const Call& c) const {
    if (c.callee)
      return "call @" + (m_ != nullptr ? m_->function(c.callee).symbol : fmt::format("f{}", c.callee.index)) +
             values(c.arguments);
    std::string out = "call_indirect " + value(c.pointer) + " {";
    for (size_t i = 0; i < c.targets.size(); ++i)
      out += (i > 0 ? " " : "") +
             (m_ != nullptr ? m_->function(c.targets[i]).symbol : fmt::format("f{}", c.targets[i].index));
    return out + "}" + values(c.arguments);
  }
  std::string text(const Annotation& a) const {
    return fmt::format("{}{}{} {}", a.candidate ? "candidate " : "", a.global ? "global " : "", ir::name(a.note),
                       value(a.condition));
  }
  std::string text(const BarrierInvariant& b) const {
    return fmt::format("barrier_invariant{} {} for{}", b.binary ? " binary" : "", value(b.condition),
                       values(b.instances));
  }
  std::string text(const ReadPermission& r) const { return "read_permission " + access(r.access); }
  std::string text(const Snapshot& s) const {
    return fmt::format("snapshot {} <- {}", access(s.destination), access(s.source));
  }
  std::string text(const Frame& f) const { return fmt::format("frame {} {}", name(f.kind), access(f.access)); }

  const Module* m_;
  const Function& f_;
};

std::string place_text(const Module* m, PlaceId p) {
  if (m == nullptr) return {};
  const std::string at = where(*m, p);
  if (at.empty()) return {};
  const PlaceId from = m->place(p)->called_from;
  const std::string rest = from ? place_text(m, from) : "";
  return fmt::format("  ; {}", at) + (rest.empty() ? "" : fmt::format(" from{}", rest.substr(3)));
}

std::string function_text(const Module* m, const Function& f) {
  Printer printer(m, f);
  std::string out = fmt::format("{}{} @{}(",
                                f.axiom    ? "axiom"
                                : f.kernel ? "kernel"
                                           : "function",
                                f.body ? "" : " bodiless", f.symbol);
  uint32_t shown = 0;
  for (uint32_t v = 0; v < f.values.size(); ++v) {
    if (f.values[v].kind != Value::parameter) continue;
    const Parameter& p = f.parameters[f.values[v].index];
    out += fmt::format("{}%{} {}: {}", shown++ > 0 ? ", " : "", v, p.name, type_text(p.type));
    if (p.region && m != nullptr) out += fmt::format(" -> {}", printer.region_name(p.region));
  }
  out += ")";
  for (size_t i = 0; i < f.results.size(); ++i) out += (i == 0 ? " -> " : ", ") + type_text(f.results[i]);
  out += place_text(m, f.place) + "\n";
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    out += fmt::format("b{}:\n", b);
    for (const Instruction& i : f.blocks[b].instructions) {
      std::string line = "  ";
      for (const ValueId r : i.results) {
        const Value& v = f.value(r);
        line +=
            fmt::format("%{}:{}{} ", r.index, type_text(v.type), v.name.empty() ? "" : fmt::format(" ({})", v.name));
      }
      if (!i.results.empty()) line += "= ";
      line += printer.action(i.action);
      out += line + place_text(m, i.place) + "\n";
    }
    out += fmt::format("  {}", printer.terminator(f.blocks[b].terminator)) + place_text(m, f.blocks[b].place) + "\n";
  }
  return out;
}

}  // namespace

std::string print_value(const Function& f, ValueId v) { return Printer(nullptr, f).value(v); }
std::string print(const Module& m, const Function& f) { return function_text(&m, f); }

std::string print(const Module& m) {
  std::string out =
      fmt::format("module {} pointers {}\n", m.dialect == Dialect::opencl ? "opencl" : "cuda", m.pointer_bits);
  for (const Region& r : m.regions) {
    out += fmt::format("region {}{} {} {} element {}", r.owner ? m.function(r.owner).name + "." : "", r.name,
                       name(r.space), name(r.origin), r.element);
    for (const uint64_t d : r.dimensions) out += fmt::format("[{}]", d);
    out += r.size ? fmt::format(" size {}", *r.size) : "";
    out += r.contents == Contents::zero ? " zero" : r.contents == Contents::given ? " given" : "";
    if (r.restrict_) out += " restrict";
    if (r.contents == Contents::given && r.initial.size() <= 64) {
      out += " =";
      for (const uint8_t byte : r.initial) out += fmt::format(" {:02x}", byte);
    }
    for (const InitialPointer& p : r.pointers)
      out += fmt::format(" {}:{}{:+}", p.offset,
                         p.target     ? fmt::format("@{}", m.region(p.target).name)
                         : p.function ? fmt::format("&{}", m.function(p.function).symbol)
                                      : "null",
                         p.addend);
    out += place_text(&m, r.place) + "\n";
  }
  for (const Function& f : m.functions) out += fmt::format("\n{}", function_text(&m, f));
  return out;
}

}  // namespace fencepost::ir
