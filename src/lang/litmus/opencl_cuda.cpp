// Functions of CUDA threads, as of the CUDA C++ Programming Guide 12 (memory fence functions, atomic functions,
// synchronisation functions; docs/litmus-cuda.md):
//   __threadfence_block, __threadfence, __threadfence_system   sequentially consistent fences of block, device and
//                                                              system
//   atomicAdd, atomicCAS, ...                                  relaxed, of the device; with _block, _system of those
//   __syncthreads                                              the barrier of the block, for both memories
//   __syncwarp                                                 the same of the warp, by all of its threads; it orders
//                                                              memory among them and is no fence of any scope
// Accesses through a volatile pointer are relaxed at system scope, as PTX has them (opencl_value.cpp).
#include <fmt/format.h>

#include <array>

#include "litmus/opencl_lower.h"

namespace fencepost::litmus::opencl {

using prog::Instr;
using prog::Kind;
using term::Op;
using vocab::Tag;

namespace {

constexpr std::array<const char*, 9> k_operations = {"atomicAdd", "atomicSub", "atomicExch", "atomicMin", "atomicMax",
                                                     "atomicAnd", "atomicOr",  "atomicXor",  "atomicCAS"};

std::vector<std::string> function_names() {
  std::vector<std::string> out = {
      "__threadfence", "__threadfence_block", "__threadfence_system", "__syncthreads", "__syncwarp", "min", "max"};
  for (const char* op : k_operations)
    for (const char* scope : {"", "_block", "_system"}) out.push_back(std::string(op) + scope);
  return out;
}

void take(const Expr& e, size_t count, const std::string& usage) {
  if (e.kids.size() != count)
    fail_at(e.span,
            fmt::format("{} takes {} argument{}, not {}", litmus::quoted(e.op), count, count == 1 ? "" : "s",
                        e.kids.size()),
            "write " + usage);
}

}  // namespace

Value Lowering::cuda_call(const Expr& e, bool wanted, Dest* dest) {
  if (e.op == "min" || e.op == "max") return minmax(e);
  if (e.op == "__syncthreads" || e.op == "__syncwarp")
    fail_at(e.span, "a barrier is a statement", "write it on its own");
  Value none;
  none.is_void = true;
  if (e.op.starts_with("__threadfence")) {
    const std::string scope = e.op.substr(13);
    if (scope.empty() || scope == "_block" || scope == "_system") {
      take(e, 0, e.op + "()");
      Instr i;
      i.kind = Kind::fence;
      i.mnemonic = e.op;
      i.tags = {Tag::F, Tag::SC, Tag::GLOBAL, Tag::LOCAL,
                scope.empty()       ? Tag::DV
                : scope == "_block" ? Tag::WG
                                    : Tag::ALL};
      emit(std::move(i), e.span);
      return none;
    }
  }
  std::string operation = e.op;
  Tag scope = Tag::DV;
  for (const auto& [ending, tag] : {std::pair{std::string("_block"), Tag::WG}, {std::string("_system"), Tag::ALL}})
    if (operation.ends_with(ending)) {
      operation.resize(operation.size() - ending.size());
      scope = tag;
    }
  for (const char* known : k_operations)
    if (operation == known) return cuda_atomic(e, operation, scope, wanted, dest);
  fail_at(e.span, fmt::format("unknown function {}", litmus::quoted(e.op)),
          suggest(e.op, function_names(),
                  "known are atomicAdd, Sub, Exch, Min, Max, And, Or, Xor and CAS, "
                  "__threadfence, _block and _system, __syncthreads and __syncwarp"));
}

Value Lowering::cuda_atomic(const Expr& e, const std::string& operation, Tag scope, bool wanted, Dest* dest) {
  const bool cas = operation == "atomicCAS";
  take(e, cas ? 3 : 2, e.op + (cas ? "(p, compare, value)" : "(p, value)"));
  const Place p = place_of(value(*e.kids[0]), e.kids[0]->span);
  const CType type = p.type.plain();
  // Which locations are atomic is read off the text (opencl.cpp): a pointer that was computed would escape that.
  if (p.addr.symbol == prog::k_none)
    unsupported(e.kids[0]->span, "an atomic function on a computed pointer",
                "name the parameter: atomicAdd(x, 1) or atomicAdd(&x[i], 1)");
  if (type.pointer())
    fail_at(e.kids[0]->span, fmt::format("{} of a pointer", litmus::quoted(operation)), "use an integer type");
  Instr i;
  i.kind = Kind::rmw;
  i.mnemonic = e.op;
  i.addr = p.addr;
  i.tags = i.store_tags = {Tag::A, Tag::RLX, scope};
  const term::Expr old = term::variable(prog::k_old_value, type.value_width());
  const bool s = type.value_signed();
  for (size_t k = 1; k < e.kids.size(); ++k) i.args.push_back(convert(value(*e.kids[k]), type, e.kids[k]->span));
  const term::Expr& operand = i.args.back();
  i.value = operation == "atomicAdd"   ? term::binary(Op::add, old, operand)
            : operation == "atomicSub" ? term::binary(Op::sub, old, operand)
            : operation == "atomicAnd" ? term::binary(Op::and_, old, operand)
            : operation == "atomicOr"  ? term::binary(Op::or_, old, operand)
            : operation == "atomicXor" ? term::binary(Op::xor_, old, operand)
            : operation == "atomicMin" ? term::binary(s ? Op::smin : Op::umin, old, operand)
            : operation == "atomicMax" ? term::binary(s ? Op::smax : Op::umax, old, operand)
                                       : operand;
  if (cas) i.guard = term::binary(Op::eq, old, i.args[0]);
  if (!wanted) {
    emit(std::move(i), e.span);
    Value none;
    none.is_void = true;
    return none;
  }
  const prog::RegId reg = i.dst = destination(dest, type);
  emit(std::move(i), e.span);
  return register_value(reg, type);
}

Value Lowering::cuda_barrier(const Expr& e, const std::string& label) {
  const bool warp = e.op == "__syncwarp";
  if (warp && e.kids.size() == 1)
    unsupported(e.kids[0]->span, "a mask of __syncwarp", "without one, all threads of the warp take part");
  take(e, 0, e.op + "()");
  if (ast_.scope.empty())
    fail_at(e.span, fmt::format("thread P{} belongs to no block", ast_.id),
            fmt::format("write P{}@block 0, device 0", ast_.id));
  if (warp && std::none_of(ast_.scope.begin(), ast_.scope.end(), [](const auto& s) { return s.first == "sg"; }))
    fail_at(e.span, fmt::format("thread P{} belongs to no warp", ast_.id),
            fmt::format("write P{}@warp 0, block 0, device 0", ast_.id));
  Instr i;
  i.kind = Kind::barrier;
  i.mnemonic = e.op;
  i.tags = {Tag::F, Tag::B, Tag::ACQ_REL, Tag::GLOBAL, Tag::LOCAL};
  if (!warp) i.tags.add(Tag::WG);
  // Unnamed barriers meet in the order in which they stand in their threads.
  i.barrier.instance = !label.empty() ? label
                       : warp         ? fmt::format("#w{}", unnamed_warp_barriers_++)
                                      : fmt::format("#{}", unnamed_barriers_++);
  i.barrier.level = *vocab::level_of(vocab::Dialect::opencl, warp ? "sg" : "wg");
  emit(std::move(i), e.span);
  Value none;
  none.is_void = true;
  return none;
}

}  // namespace fencepost::litmus::opencl
