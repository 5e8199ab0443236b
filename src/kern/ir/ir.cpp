#include "ir/ir.h"

#include <algorithm>
#include <type_traits>

namespace fencepost::ir {

const char* name(Op op) {
  switch (op) {
    case Op::not_:
      return "not";
    case Op::neg:
      return "neg";
    case Op::add:
      return "add";
    case Op::sub:
      return "sub";
    case Op::mul:
      return "mul";
    case Op::sdiv:
      return "sdiv";
    case Op::udiv:
      return "udiv";
    case Op::srem:
      return "srem";
    case Op::urem:
      return "urem";
    case Op::and_:
      return "and";
    case Op::or_:
      return "or";
    case Op::xor_:
      return "xor";
    case Op::shl:
      return "shl";
    case Op::lshr:
      return "lshr";
    case Op::ashr:
      return "ashr";
    case Op::smin:
      return "smin";
    case Op::smax:
      return "smax";
    case Op::umin:
      return "umin";
    case Op::umax:
      return "umax";
    case Op::clz:
      return "clz";
    case Op::ctz:
      return "ctz";
    case Op::popcount:
      return "popcount";
    case Op::bitreverse:
      return "bitreverse";
    case Op::byteswap:
      return "byteswap";
    case Op::eq:
      return "eq";
    case Op::ne:
      return "ne";
    case Op::slt:
      return "slt";
    case Op::sle:
      return "sle";
    case Op::sgt:
      return "sgt";
    case Op::sge:
      return "sge";
    case Op::ult:
      return "ult";
    case Op::ule:
      return "ule";
    case Op::ugt:
      return "ugt";
    case Op::uge:
      return "uge";
    case Op::ite:
      return "ite";
    case Op::zext:
      return "zext";
    case Op::sext:
      return "sext";
    case Op::trunc:
      return "trunc";
    case Op::extract:
      return "extract";
    case Op::concat:
      return "concat";
    case Op::pointer_add:
      return "pointer_add";
    case Op::pointer_eq:
      return "pointer_eq";
    case Op::pointer_ult:
      return "pointer_ult";
    case Op::pointer_to_bits:
      return "pointer_to_bits";
    case Op::bits_to_pointer:
      return "bits_to_pointer";
    case Op::map_rank:
      return "map_rank";
    case Op::fneg:
      return "fneg";
    case Op::fadd:
      return "fadd";
    case Op::fsub:
      return "fsub";
    case Op::fmul:
      return "fmul";
    case Op::fdiv:
      return "fdiv";
    case Op::frem:
      return "frem";
    case Op::fabs:
      return "fabs";
    case Op::fma:
      return "fma";
    case Op::fcmp:
      return "fcmp";
    case Op::float_to_sint:
      return "float_to_sint";
    case Op::float_to_uint:
      return "float_to_uint";
    case Op::sint_to_float:
      return "sint_to_float";
    case Op::uint_to_float:
      return "uint_to_float";
    case Op::float_to_float:
      return "float_to_float";
    case Op::function:
      return "function";
    case Op::id:
      return "id";
    case Op::any:
      return "any";
    case Op::other:
      return "other";
    case Op::enabled:
      return "enabled";
    case Op::dominator_enabled:
      return "dominator_enabled";
    case Op::old:
      return "old";
    case Op::return_value:
      return "return_value";
    case Op::implies:
      return "implies";
    case Op::accessed:
      return "accessed";
    case Op::access_offset:
      return "access_offset";
    case Op::pointer_base:
      return "pointer_base";
    case Op::pointer_offset:
      return "pointer_offset";
    case Op::no_overflow_add:
      return "no_overflow_add";
    case Op::taken_value:
      return "taken_value";
  }
  return "?";
}

const char* name(FloatCompare c) {
  static constexpr const char* k_names[] = {"never", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                            "uno",   "ueq", "ugt", "uge", "ult", "ule", "une", "always"};
  return k_names[static_cast<uint8_t>(c)];
}

const char* name(IdKind k) {
  static constexpr const char* k_names[] = {"local_id",      "group_id", "local_size",   "num_groups",
                                            "global_offset", "work_dim", "cluster_rank", "cluster_size",
                                            "lane",          "warp",     "warp_size",    "num_warps"};
  return k_names[static_cast<uint8_t>(k)];
}

const char* name(Order o) {
  static constexpr const char* k_names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst", "weak"};
  return k_names[static_cast<uint8_t>(o)];
}

const char* name(Scope s) {
  static constexpr const char* k_names[] = {"thread", "warp", "group", "cluster", "device", "system"};
  return k_names[static_cast<uint8_t>(s)];
}

const char* name(AtomicOp op) {
  static constexpr const char* k_names[] = {"load",         "store",
                                            "exchange",     "compare_exchange",
                                            "add",          "sub",
                                            "and",          "or",
                                            "xor",          "nand",
                                            "smin",         "smax",
                                            "umin",         "umax",
                                            "increment",    "decrement",
                                            "increment_to", "decrement_from",
                                            "fadd",         "fsub",
                                            "fmin",         "fmax"};
  return k_names[static_cast<uint8_t>(op)];
}

const char* name(Note n) {
  static constexpr const char* k_names[] = {"assert",   "assume", "invariant", "function_wide_invariant",
                                            "requires", "ensures"};
  return k_names[static_cast<uint8_t>(n)];
}

std::vector<FunctionId> Module::kernels() const {
  std::vector<FunctionId> found;
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (functions[i].kernel && functions[i].body) found.push_back({i});
  return found;
}

std::string where(const Module& m, PlaceId p) {
  const Place* place = m.place(p);
  if (place == nullptr || place->line == 0) return {};
  return m.sources[place->file]->name + ":" + std::to_string(place->line) + ":" + std::to_string(place->column);
}

namespace {

// [begin, end) of a 1-based line, without its line feed.
std::pair<uint32_t, uint32_t> line_range(const std::string& text, uint32_t line) {
  size_t begin = 0;
  for (uint32_t i = 1; i < line; ++i) {
    const size_t next = text.find('\n', begin);
    if (next == std::string::npos) return {text.size(), text.size()};
    begin = next + 1;
  }
  const size_t end = std::min(text.find('\n', begin), text.size());
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

}  // namespace

std::string source_line(const Module& m, PlaceId p) {
  const Place* place = m.place(p);
  if (place == nullptr || place->line == 0) return {};
  const std::string& text = m.sources[place->file]->text;
  auto [begin, end] = line_range(text, place->line);
  while (begin < end && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
  while (begin < end && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r')) --end;
  return text.substr(begin, end - begin);
}

Span span(const Module& m, PlaceId p) {
  const Place* place = m.place(p);
  if (place == nullptr || place->line == 0) return {};
  const SourcePtr& source = m.sources[place->file];
  const auto [begin, end] = line_range(source->text, place->line);
  const uint32_t at = std::min(begin + (place->column > 0 ? place->column - 1 : 0), end);
  return {source, at, std::min(at + 1, end)};
}

void for_each_operand(const Action& a, const std::function<void(ValueId)>& f) {
  const auto one = [&](ValueId v) {
    if (v) f(v);
  };
  const auto all = [&](const std::vector<ValueId>& vs) { std::for_each(vs.begin(), vs.end(), one); };
  std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, Phi>) {
          for (const Phi::Entry& e : x.entries) one(e.value);
        } else if constexpr (std::is_same_v<T, Compute>) {
          all(x.operands);
        } else if constexpr (std::is_same_v<T, Load> || std::is_same_v<T, ReadPermission> || std::is_same_v<T, Frame>) {
          one(x.access.pointer);
        } else if constexpr (std::is_same_v<T, Store>) {
          one(x.access.pointer);
          one(x.value);
        } else if constexpr (std::is_same_v<T, Atomic>) {
          one(x.access.pointer);
          all(x.operands);
        } else if constexpr (std::is_same_v<T, Fence>) {
        } else if constexpr (std::is_same_v<T, Barrier>) {
          for (ValueId v : {x.local_fence, x.global_fence, x.name, x.count, x.mask, x.predicate}) one(v);
        } else if constexpr (std::is_same_v<T, WarpExchange>) {
          all(x.operands);
          one(x.mask);
        } else if constexpr (std::is_same_v<T, AsyncCopy>) {
          for (ValueId v : {x.destination.pointer, x.source.pointer, x.count, x.stride, x.event}) one(v);
        } else if constexpr (std::is_same_v<T, WaitEvents>) {
          all(x.events);
        } else if constexpr (std::is_same_v<T, Call>) {
          one(x.pointer);
          all(x.arguments);
        } else if constexpr (std::is_same_v<T, Annotation>) {
          one(x.condition);
        } else if constexpr (std::is_same_v<T, BarrierInvariant>) {
          one(x.condition);
          all(x.instances);
        } else {
          static_assert(std::is_same_v<T, Snapshot>);
          one(x.destination.pointer);
          one(x.source.pointer);
        }
      },
      a);
}

void for_each_operand(const Terminator& t, const std::function<void(ValueId)>& f) {
  if (const auto* b = std::get_if<Branch>(&t)) f(b->condition);
  if (const auto* s = std::get_if<Switch>(&t)) f(s->value);
  if (const auto* r = std::get_if<Return>(&t))
    for (ValueId v : r->values) f(v);
}

std::vector<BlockId> successors(const Terminator& t) {
  std::vector<BlockId> found;
  const auto add = [&](BlockId b) {
    if (std::find(found.begin(), found.end(), b) == found.end()) found.push_back(b);
  };
  if (const auto* j = std::get_if<Jump>(&t)) add(j->to);
  if (const auto* b = std::get_if<Branch>(&t)) {
    add(b->then_);
    add(b->else_);
  }
  if (const auto* s = std::get_if<Switch>(&t)) {
    for (const auto& [value, to] : s->cases) add(to);
    add(s->otherwise);
  }
  return found;
}

}  // namespace fencepost::ir
