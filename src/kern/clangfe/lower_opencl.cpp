// OpenCL C's built-in functions, by their names without mangling; letters of the mangled parameters tell signs.
// Source: The OpenCL C 3.0 specification, section 6.15.
#include "clangfe/lowering.h"

namespace fencepost::clangfe {

using namespace ir;

namespace {

// The letter of the last scalar in a mangled parameter list: "PU3AS1Vii" -> 'i', "Dv4_hS_" -> 'h'. S_ repeats a vector.
char scalar_letter(const std::string& parameters) {
  for (size_t k = parameters.size(); k-- > 0;) {
    const char c = parameters[k];
    if (std::string("ahstijlmxyfdc").find(c) != std::string::npos && (k == 0 || parameters[k - 1] != 'D')) return c;
    if (c == 'h' && k > 0 && parameters[k - 1] == 'D') return 'H';  // half
  }
  return 0;
}
char first_letter(const std::string& p) {
  size_t k = 0;
  if (p.starts_with("Dv")) k = p.find('_') + 1;
  if (p.substr(k).starts_with("Dh")) return 'H';
  return k < p.size() ? p[k] : 0;
}
bool is_signed(char letter) { return std::string("acsilx").find(letter) != std::string::npos; }
bool is_float(char letter) { return letter == 'f' || letter == 'd' || letter == 'H'; }

Order order_of(uint64_t v) {
  switch (v) {
    case 0:
      return Order::relaxed;
    case 1:
    case 2:
      return Order::acquire;
    case 3:
      return Order::release;
    case 4:
      return Order::acq_rel;
    default:
      return Order::seq_cst;
  }
}
Scope scope_of(uint64_t v) {
  switch (v) {
    case 0:
      return Scope::thread;
    case 1:
      return Scope::group;
    case 2:
      return Scope::device;
    case 4:
      return Scope::warp;
    default:
      return Scope::system;
  }
}

}  // namespace

Values Lowering::atomic(AtomicOp op, ValueId p, llvm::Type* t, Values operands, const std::string& spelling,
                        Order order, Scope scope, bool result) {
  const auto parts = leaves(t);
  if (parts.size() != 1) {
    refuse("'" + spelling + "' of a vector");
    return {};
  }
  Atomic a{.op = op,
           .access = access(p, parts[0].bytes),
           .operands = std::move(operands),
           .order = order,
           .failure = order,
           .scope = scope,
           .spelling = spelling};
  without_limit(a);
  if (!result) {
    emit(std::move(a));
    return {};
  }
  return {emit(parts[0].type, std::move(a))};
}

// atomicInc and atomicDec whose limit is the largest number of the type: they count on and come round as the type does.
void Lowering::without_limit(Atomic& a) {
  const bool up = a.op == AtomicOp::increment_to, down = a.op == AtomicOp::decrement_from;
  if ((!up && !down) || a.operands.size() != 1) return;
  const Value& limit = out().value(a.operands[0]);
  const uint64_t largest = a.access.bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * a.access.bytes)) - 1;
  if (limit.kind != Value::constant || limit.constant_bits != largest) return;
  a.op = up ? AtomicOp::increment : AtomicOp::decrement;
  a.operands.clear();
}

namespace {

// Any value in place of what a function gives, of which more is known than that: `imm` 1, and a run in which it decides
// anything confirms nothing from there on (interp.h).
Compute unspecified(const std::string& note) { return {.op = Op::any, .imm = 1, .note = note}; }

}  // namespace

std::optional<Values> Lowering::lower_opencl(const llvm::CallBase& c, const Demangled& d) {
  const std::string& n = d.base;
  const auto arg = [&](unsigned k) { return value(c.getArgOperand(k)); };
  const uint32_t width = module_.pointer_bits;
  // ---- ids: the dimension is nearly always a constant; else a selection over the three.
  static const std::map<std::string, IdKind> k_ids = {
      {"get_local_id", IdKind::local_id},     {"get_group_id", IdKind::group_id},
      {"get_local_size", IdKind::local_size}, {"get_enqueued_local_size", IdKind::local_size},
      {"get_num_groups", IdKind::num_groups}, {"get_global_offset", IdKind::global_offset}};
  const auto by_dimension = [&](auto&& of) -> Values {
    const ValueId dim = arg(0);
    if (const auto k = constant_of(dim)) return {of(*k)};
    ValueId v = of(3);
    for (uint64_t k = 3; k-- > 0;)
      v = compute(Op::ite, {compute(Op::eq, {dim, bits(k, type_of(dim).width)}, 1), of(k), v}, width);
    return {v};
  };
  const auto one = [&](IdKind k, uint64_t dim) {
    if (dim > 2) return bits(k == IdKind::local_size || k == IdKind::num_groups ? 1 : 0, width);
    return id(k, static_cast<uint32_t>(dim), width);
  };
  if (const auto it = k_ids.find(n); it != k_ids.end())
    return by_dimension([&](uint64_t k) { return one(it->second, k); });
  if (n == "get_global_id")
    return by_dimension([&](uint64_t k) {
      const ValueId group = compute(Op::mul, {one(IdKind::group_id, k), one(IdKind::local_size, k)}, width);
      return compute(
          Op::add, {compute(Op::add, {group, one(IdKind::local_id, k)}, width), one(IdKind::global_offset, k)}, width);
    });
  if (n == "get_global_size")
    return by_dimension(
        [&](uint64_t k) { return compute(Op::mul, {one(IdKind::num_groups, k), one(IdKind::local_size, k)}, width); });
  if (n == "get_work_dim") return Values{id(IdKind::work_dim, 0, 32)};
  const auto linear = [&](IdKind of, IdKind size) {
    ValueId v = id(of, 2, width);
    for (uint32_t k : {1u, 0u})
      v = compute(Op::add, {compute(Op::mul, {v, id(size, k, width)}, width), id(of, k, width)}, width);
    return v;
  };
  if (n == "get_local_linear_id") return Values{linear(IdKind::local_id, IdKind::local_size)};
  if (n == "__fencepost_choice") return Values{any({Type::bits, 32}, "a choice of the implementation's")};
  if (n == "get_max_sub_group_size") return Values{id(IdKind::warp_size, 0, 32)};
  // The last sub-group of a group may be smaller (OpenCL C 3.0, sub-group functions), so this is not one value.
  if (n == "get_sub_group_size") return Values{emit({Type::bits, 32}, unspecified("the size of one sub-group"))};
  if (n == "get_sub_group_id") return Values{id(IdKind::warp, 0, 32)};
  if (n == "get_num_sub_groups") return Values{id(IdKind::num_warps, 0, 32)};
  if (n == "get_sub_group_local_id") return Values{id(IdKind::lane, 0, 32)};
  // ---- sub-groups: all work items of one execute these together.
  static const std::map<std::string, WarpExchange::Kind> k_exchanges = {
      {"sub_group_any", WarpExchange::vote_any},
      {"sub_group_all", WarpExchange::vote_all},
      {"sub_group_broadcast", WarpExchange::shuffle},
      {"sub_group_shuffle", WarpExchange::shuffle},
      {"sub_group_shuffle_xor", WarpExchange::shuffle_xor},
      {"sub_group_shuffle_up", WarpExchange::shuffle_up},
      {"sub_group_shuffle_down", WarpExchange::shuffle_down},
      {"sub_group_reduce_add", WarpExchange::reduce},
      {"sub_group_reduce_min", WarpExchange::reduce},
      {"sub_group_reduce_max", WarpExchange::reduce}};
  if (const auto it = k_exchanges.find(n); it != k_exchanges.end()) {
    const auto parts = leaves(c.getType());
    if (parts.size() != 1) return refuse("'" + n + "' of a vector");
    WarpExchange w{.kind = it->second};
    const char letter = first_letter(d.parameters);
    if (n.ends_with("_add")) w.combine = is_float(letter) ? Op::fadd : Op::add;
    if (n.ends_with("_min")) w.combine = is_float(letter) ? Op::any : is_signed(letter) ? Op::smin : Op::umin;
    if (n.ends_with("_max")) w.combine = is_float(letter) ? Op::any : is_signed(letter) ? Op::smax : Op::umax;
    for (unsigned k = 0; k < c.arg_size(); ++k) w.operands.push_back(arg(k));
    return Values{emit(parts[0].type, std::move(w))};
  }
  // ---- work groups: all work items of one come to these, and nothing is said of the order of memory (OpenCL C 3.0,
  // 6.15.16), so that each is a barrier without a fence. What a reduction gives is any number, the same for all.
  if (n == "work_group_all" || n == "work_group_any" || n == "work_group_broadcast" ||
      n.starts_with("work_group_reduce_") || n.starts_with("work_group_scan_"))
    return lower_group_function(c, n);
  // ---- barriers and fences. Flags: bit 0 local, bit 1 global, bit 2 images, which are no buffers. A memory scope says
  // for whom the memory is ordered; one that is narrower than the threads that meet orders nothing for all of them.
  if (n == "barrier" || n == "work_group_barrier" || n == "sub_group_barrier") {
    const ValueId flags = arg(0);
    const bool group = n != "sub_group_barrier";
    bool orders = true;
    if (c.arg_size() > 1) {
      const auto scope = constant_of(arg(1));
      if (!scope) return refuse("'" + n + "' with a scope that is not constant");
      orders = *scope == 1 || *scope == 2 || *scope == 3 || (!group && *scope == 4);
    }
    const auto known = constant_of(flags);
    // Images are taken for global memory: one flag alone orders a part of that, and which part is not told apart.
    of_images_.barrier = of_images_.barrier || !orders || !known || (*known & 4) == 0 || (*known & 2) == 0;
    const ValueId off = bits(0, 1);
    barrier(group ? Scope::group : Scope::warp, orders ? bit_of(flags, 0) : off, orders ? bit_of(flags, 1) : off);
    return Values{};
  }
  // One that orders neither local nor global memory is one of images (flow/stale.h).
  const auto fence = [&](uint64_t flags, Order order, Scope scope) {
    const bool local = (flags & 1) != 0, global = (flags & 2) != 0;
    if (local || global) emit(Fence{.order = order, .scope = scope, .local = local, .global = global});
    if ((flags & 4) != 0) emit(Fence{.order = order, .scope = scope, .local = false, .global = false});
    return Values{};
  };
  if (n == "mem_fence" || n == "read_mem_fence" || n == "write_mem_fence") {
    const auto flags = constant_of(arg(0));
    if (!flags) return refuse("'" + n + "' with flags that are not constant");
    return fence(*flags,
                 n == "mem_fence"        ? Order::acq_rel
                 : n == "read_mem_fence" ? Order::acquire
                                         : Order::release,
                 Scope::group);
  }
  if (n == "atomic_work_item_fence") {
    const auto flags = constant_of(arg(0)), order = constant_of(arg(1)), scope = constant_of(arg(2));
    if (!flags || !order || !scope) return refuse("a fence whose flags, order or scope are not constant");
    return fence(*flags, order_of(*order), scope_of(*scope));
  }
  if (n == "printf" || n == "prefetch")
    return n == "printf" ? Values{emit({Type::bits, 32}, unspecified("what printf returns"))} : Values{};
  if (n == "__translate_sampler_initializer") return Values{null()};
  if (auto v = lower_opencl_atomic(c, d); v || !faults_.list.empty()) return v;
  if (auto v = lower_opencl_memory(c, d); v || !faults_.list.empty()) return v;
  if (auto v = lower_opencl_image(c, d); v || !faults_.list.empty()) return v;
  if (auto v = lower_opencl_convert(c, d); v || !faults_.list.empty()) return v;
  return lower_opencl_integer(c, d);
}

std::optional<Values> Lowering::lower_group_function(const llvm::CallBase& c, const std::string& n) {
  const ValueId off = bits(0, 1);
  const auto meeting = [&](ValueId predicate, Barrier::Reduce how) {
    Barrier b{.scope = Scope::group, .local_fence = off, .global_fence = off, .reduce = how};
    b.predicate = predicate;
    return emit({Type::bits, 32}, std::move(b));
  };
  of_images_.barrier = true;
  if (n == "work_group_all" || n == "work_group_any")
    return Values{
        meeting(truth(value(c.getArgOperand(0))), n == "work_group_all" ? Barrier::all_true : Barrier::any_true)};
  const auto parts = leaves(c.getType());
  if (parts.size() != 1) return refuse("'" + n + "' of a vector");
  // Of another work item, one that does not exist or is not the same for all leaves the call undefined.
  for (unsigned k = 1; k < c.arg_size(); ++k)
    if (constant_of(value(c.getArgOperand(k))) != uint64_t{0})
      return refuse("'" + n + "' of another work item than the first");
  if (n.starts_with("work_group_scan_")) {
    barrier(Scope::group, off, off);
    return Values{emit(parts[0].type, unspecified("what a scan of the work group gives"))};
  }
  const auto word = [&] {
    return meeting(truth(emit({Type::bits, 32}, unspecified("what a function of the work group gives"))),
                   Barrier::count_true);
  };
  const uint8_t w = parts[0].type.width;
  const ValueId low = word();
  if (w <= 32) return Values{resize(low, w, false)};
  return Values{compute(Op::concat, {word(), low}, 64)};
}

std::optional<Values> Lowering::lower_opencl_atomic(const llvm::CallBase& c, const Demangled& d) {
  const std::string& n = d.base;
  const auto arg = [&](unsigned k) { return value(c.getArgOperand(k)); };
  const auto type = [&](unsigned k) { return c.getArgOperand(k)->getType(); };
  const char letter = scalar_letter(d.parameters);
  static const std::map<std::string, AtomicOp> k_old = {{"add", AtomicOp::add},
                                                        {"sub", AtomicOp::sub},
                                                        {"xchg", AtomicOp::exchange},
                                                        {"inc", AtomicOp::increment},
                                                        {"dec", AtomicOp::decrement},
                                                        {"min", AtomicOp::smin},
                                                        {"max", AtomicOp::smax},
                                                        {"and", AtomicOp::and_},
                                                        {"or", AtomicOp::or_},
                                                        {"xor", AtomicOp::xor_},
                                                        {"cmpxchg", AtomicOp::compare_exchange}};
  const auto choose = [&](AtomicOp op, char l) {
    if (is_float(l))
      return op == AtomicOp::add    ? AtomicOp::fadd
             : op == AtomicOp::sub  ? AtomicOp::fsub
             : op == AtomicOp::smin ? AtomicOp::fmin
             : op == AtomicOp::smax ? AtomicOp::fmax
                                    : op;
    if (!is_signed(l)) return op == AtomicOp::smin ? AtomicOp::umin : op == AtomicOp::smax ? AtomicOp::umax : op;
    return op;
  };
  for (const char* prefix : {"atomic_", "atom_"}) {
    if (!n.starts_with(prefix)) continue;
    const auto it = k_old.find(n.substr(std::string(prefix).size()));
    if (it == k_old.end()) continue;
    Values operands;
    for (unsigned k = 1; k < c.arg_size(); ++k) operands.push_back(arg(k));
    return atomic(choose(it->second, letter), arg(0), c.getType(), operands, n, Order::relaxed, Scope::device, true);
  }
  if (n.starts_with("__fencepost_weak_load")) {  // prepare.cpp: (pointer, order, scope)
    const auto constant_at = [&](unsigned k) { return k < c.arg_size() ? constant_of(arg(k)) : std::nullopt; };
    const auto o = constant_at(1), s = constant_at(2);
    if (c.arg_size() > 1 && !o) return refuse("a compare-and-swap with an order that is not constant");
    if (c.arg_size() > 2 && !s) return refuse("a compare-and-swap with a scope that is not constant");
    return atomic(AtomicOp::load, arg(0), c.getType(), {}, "atomic_compare_exchange_weak",
                  o ? order_of(*o) : Order::seq_cst, s ? scope_of(*s) : Scope::device, true);
  }
  if (n.starts_with("__fencepost_compare_exchange")) {  // prepare.cpp: (pointer, expected, desired, orders, scope)
    const auto constant_at = [&](unsigned k) { return k < c.arg_size() ? constant_of(arg(k)) : std::nullopt; };
    const bool is_explicit = c.arg_size() > 3;
    const auto o = constant_at(3), f = constant_at(4), s = constant_at(5);
    if (is_explicit && (!o || !f)) return refuse("a compare-and-swap with an order that is not constant");
    if (c.arg_size() > 5 && !s) return refuse("a compare-and-swap with a scope that is not constant");
    const Values old =
        atomic(AtomicOp::compare_exchange, arg(0), c.getType(), {arg(1), arg(2)}, "atomic_compare_exchange",
               o ? order_of(*o) : Order::seq_cst, s ? scope_of(*s) : Scope::device, true);
    if (old.empty()) return std::nullopt;
    std::get<Atomic>(out().blocks[block_.index].instructions.back().action).failure = f ? order_of(*f) : Order::seq_cst;
    return old;
  }
  if (!n.starts_with("atomic_")) return std::nullopt;
  // ---- OpenCL 2: atomic_NAME(_explicit)(pointer, ..., order, scope)
  const bool is_explicit = n.ends_with("_explicit");
  std::string name = n.substr(7);
  if (is_explicit) name = name.substr(0, name.size() - 9);
  const auto order_at = [&](unsigned k, Order preset) -> std::optional<Order> {
    if (!is_explicit || k >= c.arg_size()) return preset;
    const auto v = constant_of(arg(k));
    if (!v) return refuse("'" + n + "' with an order that is not constant");
    return order_of(*v);
  };
  const auto scope_at = [&](unsigned k) -> std::optional<Scope> {
    if (!is_explicit || k >= c.arg_size()) return Scope::device;
    const auto v = constant_of(arg(k));
    if (!v) return refuse("'" + n + "' with a scope that is not constant");
    return scope_of(*v);
  };
  static const std::map<std::string, AtomicOp> k_new = {
      {"fetch_add", AtomicOp::add},  {"fetch_sub", AtomicOp::sub},    {"fetch_or", AtomicOp::or_},
      {"fetch_xor", AtomicOp::xor_}, {"fetch_and", AtomicOp::and_},   {"fetch_min", AtomicOp::smin},
      {"fetch_max", AtomicOp::smax}, {"exchange", AtomicOp::exchange}};
  if (name == "init") {  // not atomic
    store(arg(0), type(1), {arg(1)});
    return Values{};
  }
  if (name == "load") {
    const auto o = order_at(1, Order::seq_cst);
    const auto s = scope_at(2);
    if (!o || !s) return std::nullopt;
    return atomic(AtomicOp::load, arg(0), c.getType(), {}, n, *o, *s, true);
  }
  if (name == "store") {
    const auto o = order_at(2, Order::seq_cst);
    const auto s = scope_at(3);
    if (!o || !s) return std::nullopt;
    return atomic(AtomicOp::store, arg(0), type(1), {arg(1)}, n, *o, *s, false);
  }
  if (const auto it = k_new.find(name); it != k_new.end()) {
    const auto o = order_at(2, Order::seq_cst);
    const auto s = scope_at(3);
    if (!o || !s) return std::nullopt;
    // The letter of the pointee: behind "U7_Atomic".
    const auto at = d.parameters.find("U7_Atomic");
    const char l = at != std::string::npos && at + 9 < d.parameters.size() ? d.parameters[at + 9] : letter;
    return atomic(choose(it->second, l), arg(0), c.getType(), {arg(1)}, n, *o, *s, true);
  }
  if (name == "compare_exchange_strong" || name == "compare_exchange_weak") {
    const auto o = order_at(3, Order::seq_cst), f = order_at(4, Order::seq_cst);
    const auto s = scope_at(5);
    if (!o || !f || !s) return std::nullopt;
    const ValueId expected = load(arg(1), type(2))[0];
    const Values old = atomic(AtomicOp::compare_exchange, arg(0), type(2), {expected, arg(2)}, n, *o, *s, true);
    if (old.empty()) return std::nullopt;
    std::get<Atomic>(out().blocks[block_.index].instructions.back().action).failure = *f;
    store(arg(1), type(2), old);
    return Values{compute(Op::eq, {old[0], expected}, 1)};
  }
  if (name == "flag_test_and_set" || name == "flag_clear") {
    const bool set = name == "flag_test_and_set";
    const auto o = order_at(1, Order::seq_cst);
    const auto s = scope_at(2);
    if (!o || !s) return std::nullopt;
    llvm::Type* word = llvm::Type::getInt32Ty(c.getContext());
    const Values old =
        atomic(set ? AtomicOp::exchange : AtomicOp::store, arg(0), word, {bits(set ? 1 : 0, 32)}, n, *o, *s, set);
    return set ? Values{truth(old[0])} : Values{};
  }
  return std::nullopt;
}

std::optional<Values> Lowering::lower_opencl_memory(const llvm::CallBase& c, const Demangled& d) {
  const std::string& n = d.base;
  const auto arg = [&](unsigned k) { return value(c.getArgOperand(k)); };
  const auto type = [&](unsigned k) { return c.getArgOperand(k)->getType(); };
  const bool half = n.find("_half") != std::string::npos;
  if (n.starts_with("vload")) {  // vloadN(offset, p): N elements from p + offset * N
    const auto parts = leaves(c.getType());
    const uint64_t step = half ? 2 : parts[0].bytes;
    const uint64_t stride = n.starts_with("vloada_half3") ? 4 : parts.size();
    const ValueId base = offset_pointer(
        arg(1),
        compute(Op::mul, {resize(arg(0), module_.pointer_bits, false), bits(stride * step, module_.pointer_bits)},
                module_.pointer_bits));
    const uint32_t site = module_.sites++;
    Values vs;
    for (size_t k = 0; k < parts.size(); ++k) {
      const Leaf l{half ? Type{Type::bits, 16} : parts[k].type, k * step, static_cast<uint32_t>(step), nullptr};
      const ValueId v = load_leaf(base, l, site, static_cast<uint32_t>(k), false);
      vs.push_back(half ? compute(Op::float_to_float, {v}, parts[k].type) : v);
    }
    return vs;
  }
  if (n.starts_with("vstore")) {  // vstoreN(data, offset, p)
    const Values data = values(c.getArgOperand(0));
    const auto parts = leaves(type(0));
    const uint64_t step = half ? 2 : parts[0].bytes;
    const uint64_t stride = n.starts_with("vstorea_half3") ? 4 : parts.size();
    const ValueId base = offset_pointer(
        arg(2),
        compute(Op::mul, {resize(arg(1), module_.pointer_bits, false), bits(stride * step, module_.pointer_bits)},
                module_.pointer_bits));
    const uint32_t site = module_.sites++;
    for (size_t k = 0; k < parts.size(); ++k) {
      const ValueId v = half ? compute(Op::float_to_float, {data[k]}, 16) : data[k];
      store_leaf(base, {half ? Type{Type::bits, 16} : parts[k].type, k * step, static_cast<uint32_t>(step), nullptr}, v,
                 site, static_cast<uint32_t>(k), false);
    }
    return Values{};
  }
  if (n == "__fencepost_async_copy" || n == "__fencepost_async_strided_copy") {
    const bool strided = n == "__fencepost_async_strided_copy";
    const auto size = constant_of(arg(3));
    if (!size || *size == 0) return refuse("an asynchronous copy of elements without a size");
    uint64_t unit = 8;
    while (*size % unit != 0) unit /= 2;
    if (unit == 8 && *size > 8) unit = 4;  // vectors of floats and integers: by scalars
    const uint32_t w = module_.pointer_bits;
    const ValueId event = resize(arg(strided ? 5 : 4), w, false);
    const uint64_t parts = *size / unit;
    const Type t{Type::bits, static_cast<uint8_t>(w)};
    if (!strided) {
      const ValueId count = compute(Op::mul, {resize(arg(2), w, false), bits(parts, w)}, w);
      AsyncCopy a{.destination = access(arg(0), static_cast<uint32_t>(unit)),
                  .source = access(arg(1), static_cast<uint32_t>(unit)),
                  .count = count,
                  .event = event};
      return Values{emit(t, std::move(a))};
    }
    // Each scalar of an element is a strided copy of its own; all share one event.
    const bool to_local = d.parameters.starts_with("PU3AS3");
    const ValueId count = resize(arg(2), w, false),
                  stride = compute(Op::mul, {resize(arg(4), w, false), bits(parts, w)}, w);
    if (parts > 1) return refuse("a strided asynchronous copy of vectors");
    AsyncCopy a{.destination = access(arg(0), static_cast<uint32_t>(unit)),
                .source = access(arg(1), static_cast<uint32_t>(unit)),
                .count = count,
                .stride = stride,
                .stride_is_source = to_local,
                .event = event};
    return Values{emit(t, std::move(a))};
  }
  if (n == "__fencepost_wait_group_events") {
    const auto count = constant_of(arg(0));
    if (!count) return refuse("wait_group_events with a number of events that is not constant");
    WaitEvents w;
    const uint32_t bytes = module_.pointer_bits / 8;
    for (uint64_t k = 0; k < *count; ++k)
      w.events.push_back(
          load_leaf(arg(1), {{Type::bits, static_cast<uint8_t>(module_.pointer_bits)}, k * bytes, bytes, nullptr},
                    module_.sites++, 0, false));
    emit(std::move(w));
    return Values{};
  }
  // Functions with a second result through a pointer: both results are any value, the pointer is written.
  static const std::set<std::string> k_two = {"fract", "frexp", "lgamma_r", "modf", "remquo", "sincos"};
  if (k_two.count(n) != 0) {
    const unsigned last = c.arg_size() - 1;
    const auto parts = leaves(c.getType());
    const bool integer = n == "frexp" || n == "lgamma_r" || n == "remquo";
    const uint32_t site = module_.sites++;
    Values vs;
    for (size_t k = 0; k < parts.size(); ++k) {
      vs.push_back(emit(parts[k].type, unspecified("result of '" + n + "'")));
      const Leaf l = integer ? Leaf{{Type::bits, 32}, 4 * k, 4, nullptr} : parts[k];
      store_leaf(arg(last), l, emit(l.type, unspecified("second result of '" + n + "'")), site,
                 static_cast<uint32_t>(k), false);
    }
    return vs;
  }
  return std::nullopt;
}

// Images are arrays of texels of four 4-byte components, of the largest extent that OpenCL 3.0 guarantees in two
// dimensions (in three, of a quarter of that, so that addresses fit): two texels are the same exactly if all
// coordinates are.
std::optional<Values> Lowering::lower_opencl_image(const llvm::CallBase& c, const Demangled& d) {
  const std::string& n = d.base;
  const bool read = n.starts_with("read_image"), write = n.starts_with("write_image");
  if (n.starts_with("get_image_")) {
    Values vs;
    const Value& image = out().values[value(c.getArgOperand(0)).index];
    const auto parts = leaves(c.getType());
    for (size_t k = 0; k < parts.size(); ++k)
      vs.push_back(function_of(n + "." + image.name + (k > 0 ? "#" + std::to_string(k) : ""), {}, parts[k].type));
    return vs;
  }
  if (!read && !write) return std::nullopt;
  if (n == "read_imageh" || n == "write_imageh") return refuse("'" + n + "'");
  if (d.parameters.find("array") != std::string::npos || d.parameters.find("msaa") != std::string::npos ||
      d.parameters.find("depth") != std::string::npos)
    return refuse("'" + n + "' of an image of this kind");
  of_images_.written = of_images_.written || write;
  const ValueId image = value(c.getArgOperand(0));
  const bool sampler = read && d.parameters.find("ocl_sampler") != std::string::npos;
  const llvm::Value* coordinates = c.getArgOperand(sampler ? 2 : 1);
  Values at = values(coordinates);
  const uint64_t dimensions = d.parameters.find("image3d") != std::string::npos   ? 3
                              : d.parameters.find("image2d") != std::string::npos ? 2
                                                                                  : 1;
  const uint64_t limit = dimensions == 1 ? 1u << 24 : dimensions == 2 ? 16384 : 512;
  const bool floats = coordinates->getType()->getScalarType()->isFloatTy();
  ValueId texel;
  for (uint64_t k = dimensions; k-- > 0;) {
    ValueId x = floats ? compute(Op::float_to_sint, {at[k]}, 32) : at[k];
    if (sampler) x = compute(Op::smin, {compute(Op::smax, {x, bits(0, 32)}, 32), bits(limit - 1, 32)}, 32);
    texel = texel ? compute(Op::add, {compute(Op::mul, {texel, bits(limit, 32)}, 32), x}, 32) : x;
  }
  const ValueId base = offset_pointer(
      image, compute(Op::mul, {resize(texel, module_.pointer_bits, false), bits(16, module_.pointer_bits)},
                     module_.pointer_bits));
  const uint32_t site = module_.sites++;
  const Leaf word{{Type::bits, 32}, 0, 4, nullptr};
  Values vs;
  for (uint32_t k = 0; k < 4; ++k) {
    Leaf l = word;
    l.offset = 4 * k;
    if (read) {
      vs.push_back(load_leaf(base, l, site, k, false));
    } else {
      store_leaf(base, l, values(c.getArgOperand(2))[k], site, k, false);
    }
  }
  return read ? vs : Values{};
}

std::optional<Values> Lowering::lower_opencl_convert(const llvm::CallBase& c, const Demangled& d) {
  const std::string& n = d.base;
  if (!n.starts_with("convert_")) return std::nullopt;
  // convert_TYPE[N][_sat][_rt?]
  std::string target = n.substr(8);
  const bool saturate = target.find("_sat") != std::string::npos;
  const bool rounded = target.find("_rt") != std::string::npos;
  target = target.substr(0, target.find('_'));
  while (!target.empty() && std::isdigit(static_cast<unsigned char>(target.back())) != 0) target.pop_back();
  const bool to_float = target == "float" || target == "double" || target == "half",
             to_signed = !target.starts_with("u");
  const char from = first_letter(d.parameters);
  const auto parts = leaves(c.getType());
  const Values given = values(c.getArgOperand(0));
  Values vs;
  for (size_t k = 0; k < parts.size(); ++k) {
    const ValueId v = given[k];
    const uint32_t w = parts[k].type.width, have = type_of(v).width;
    if (rounded && (to_float || is_float(from))) {
      vs.push_back(function_of(n, {v}, parts[k].type));
    } else if (to_float) {
      vs.push_back(is_float(from) ? (w == have ? v : compute(Op::float_to_float, {v}, w))
                                  : compute(is_signed(from) ? Op::sint_to_float : Op::uint_to_float, {v}, w));
    } else if (is_float(from)) {
      vs.push_back(saturate ? function_of(n, {v}, parts[k].type)
                            : compute(to_signed ? Op::float_to_sint : Op::float_to_uint, {v}, w));
    } else if (!saturate) {
      vs.push_back(resize(v, w, is_signed(from)));
    } else {
      // One bit wider than both, then into the range of the target.
      const uint32_t wide = std::min(64u, std::max(w, have) + 1);
      if (std::max(w, have) == 64) return refuse("'" + n + "'");
      ValueId x = resize(v, wide, is_signed(from));
      const uint64_t high = to_signed ? (uint64_t{1} << (w - 1)) - 1 : (uint64_t{1} << w) - 1;
      const uint64_t low = to_signed ? ~uint64_t{0} << (w - 1) : 0;
      x = compute(Op::smin, {compute(Op::smax, {x, bits(low, wide)}, wide), bits(high, wide)}, wide);
      vs.push_back(resize(x, w, false));
    }
  }
  return vs;
}

std::optional<Values> Lowering::lower_opencl_integer(const llvm::CallBase& c, const Demangled& d) {
  const std::string& n = d.base;
  const char letter = first_letter(d.parameters);
  std::vector<Values> args;
  for (const llvm::Use& a : c.args()) args.push_back(values(a.get()));
  if (args.empty() || c.getType()->isVoidTy()) return std::nullopt;
  const auto parts = leaves(c.getType());
  const bool sign = is_signed(letter);
  // Predicates over vectors first: any and all look at the top bits.
  if (n == "any" || n == "all") {
    ValueId v;
    for (const ValueId x : args[0]) {
      const ValueId top = bit_of(x, type_of(x).width - 1);
      v = v ? compute(n == "any" ? Op::or_ : Op::and_, {v, top}, 1) : top;
    }
    return Values{resize(v, parts[0].type.width, false)};
  }
  if (n == "select") {  // select(a, b, c): per component of a vector the top bit of c, for scalars c itself
    Values vs;
    for (size_t k = 0; k < parts.size(); ++k) {
      const ValueId x = args[2][k];
      const ValueId when = parts.size() > 1 ? bit_of(x, type_of(x).width - 1) : truth(x);
      vs.push_back(compute(Op::ite, {when, args[1][k], args[0][k]}, parts[k].type));
    }
    return vs;
  }
  static const std::map<std::string, FloatCompare> k_compare = {
      {"isequal", FloatCompare::oeq},        {"isnotequal", FloatCompare::une}, {"isgreater", FloatCompare::ogt},
      {"isgreaterequal", FloatCompare::oge}, {"isless", FloatCompare::olt},     {"islessequal", FloatCompare::ole},
      {"islessgreater", FloatCompare::one},  {"isordered", FloatCompare::ord},  {"isunordered", FloatCompare::uno},
      {"isnan", FloatCompare::uno}};
  if (const auto it = k_compare.find(n); it != k_compare.end()) {
    Values vs;
    for (size_t k = 0; k < parts.size(); ++k) {
      const ValueId bit = compute(Op::fcmp, {args[0][k], args.size() > 1 ? args[1][k] : args[0][k]}, {Type::bits, 1},
                                  static_cast<uint64_t>(it->second));
      vs.push_back(resize(bit, parts[k].type.width, parts.size() > 1));  // vectors give -1, scalars 1
    }
    return vs;
  }
  if ((n == "shuffle" || n == "shuffle2")) {
    Values all = args[0];
    if (n == "shuffle2") all.insert(all.end(), args[1].begin(), args[1].end());
    Values vs;
    for (size_t k = 0; k < parts.size(); ++k) {
      const ValueId m = args.back()[k];
      const uint32_t w = type_of(m).width;
      const ValueId index = compute(Op::and_, {m, bits(all.size() - 1, w)}, w);
      if (const auto at = constant_of(index)) {
        vs.push_back(all[*at]);
        continue;
      }
      ValueId v = all[0];
      for (size_t j = 1; j < all.size(); ++j)
        v = compute(Op::ite, {compute(Op::eq, {index, bits(j, w)}, 1), all[j], v}, type_of(v));
      vs.push_back(v);
    }
    return vs;
  }
  if (n == "bitselect") {
    Values vs;
    for (size_t k = 0; k < parts.size(); ++k) {
      const uint32_t w = parts[k].type.width;
      const ValueId a = args[0][k], b = args[1][k], m = args[2][k];
      vs.push_back(
          compute(Op::or_, {compute(Op::and_, {b, m}, w), compute(Op::and_, {a, compute(Op::not_, {m}, w)}, w)}, w));
    }
    return vs;
  }
  if (is_float(letter) || letter == 'P') return std::nullopt;
  if (n == "fabs") return std::nullopt;
  const auto lane = [&](size_t k) -> std::optional<ValueId> {
    const auto a = [&](size_t i) { return args[i][args[i].size() == 1 ? 0 : k]; };
    const uint32_t w = type_of(a(0)).width;
    const auto wide2 = [&](size_t i, uint32_t to) { return resize(a(i), to, sign); };
    const Op least = sign ? Op::smin : Op::umin, most = sign ? Op::smax : Op::umax;
    if (n == "min") return compute(least, {a(0), a(1)}, w);
    if (n == "max") return compute(most, {a(0), a(1)}, w);
    if (n == "clamp") {  // undefined where the bounds are the other way round
      const ValueId wrong = compute(sign ? Op::sgt : Op::ugt, {a(1), a(2)}, 1);
      const ValueId held = compute(least, {compute(most, {a(0), a(1)}, w), a(2)}, w);
      return compute(Op::ite, {wrong, any(type_of(a(0)), "clamp with bounds the other way round"), held}, w);
    }
    if (n == "abs") return sign ? compute(Op::smax, {a(0), compute(Op::neg, {a(0)}, w)}, w) : a(0);
    if (n == "abs_diff") return compute(Op::sub, {compute(most, {a(0), a(1)}, w), compute(least, {a(0), a(1)}, w)}, w);
    if (n == "clz") return compute(Op::clz, {a(0)}, w);
    if (n == "ctz") return compute(Op::ctz, {a(0)}, w);
    if (n == "popcount") return compute(Op::popcount, {a(0)}, w);
    if (n == "mul24" || n == "mad24") {  // of numbers beyond 24 bits the product is up to the implementation
      const auto fits = [&](size_t i) { return compute(Op::eq, {resize(resize(a(i), 24, false), w, sign), a(i)}, 1); };
      const Type t = type_of(a(0));
      const ValueId p = compute(Op::ite,
                                {compute(Op::and_, {fits(0), fits(1)}, 1), compute(Op::mul, {a(0), a(1)}, w),
                                 function_of(sign ? "mul24" : "umul24", {a(0), a(1)}, t)},
                                t);
      return n == "mul24" ? p : compute(Op::add, {p, a(2)}, w);
    }
    if (n == "rotate") {
      const ValueId by = compute(Op::and_, {a(1), bits(w - 1, w)}, w);
      const ValueId back = compute(Op::and_, {compute(Op::neg, {by}, w), bits(w - 1, w)}, w);
      return compute(Op::or_, {compute(Op::shl, {a(0), by}, w), compute(Op::lshr, {a(0), back}, w)}, w);
    }
    if (w < 64 && (n == "add_sat" || n == "sub_sat" || n == "hadd" || n == "rhadd")) {
      const uint32_t v = w + 2;
      ValueId x = compute(n == "sub_sat" ? Op::sub : Op::add, {wide2(0, v), wide2(1, v)}, v);
      if (n == "rhadd") x = compute(Op::add, {x, bits(1, v)}, v);
      if (n == "hadd" || n == "rhadd") return resize(compute(Op::ashr, {x, bits(1, v)}, v), w, false);
      const uint64_t high = sign ? (uint64_t{1} << (w - 1)) - 1 : (uint64_t{1} << w) - 1,
                     low = sign ? ~uint64_t{0} << (w - 1) : 0;
      x = compute(Op::smin, {compute(Op::smax, {x, bits(low, v)}, v), bits(high, v)}, v);
      return resize(x, w, false);
    }
    if (w <= 32 && (n == "mul_hi" || n == "mad_hi")) {
      const ValueId high = compute(Op::extract, {compute(Op::mul, {wide2(0, 2 * w), wide2(1, 2 * w)}, 2 * w)},
                                   {Type::bits, static_cast<uint8_t>(w)}, w);
      return n == "mul_hi" ? high : compute(Op::add, {high, a(2)}, w);
    }
    if (n == "upsample") return compute(Op::concat, {a(0), a(1)}, 2 * w);
    return std::nullopt;
  };
  Values vs;
  for (size_t k = 0; k < parts.size(); ++k) {
    const auto v = lane(k);
    if (!v) return std::nullopt;
    vs.push_back(*v);
  }
  return vs;
}

}  // namespace fencepost::clangfe
