// CUDA's built-in functions as our header declares them, and inline PTX.
// Sources: CUDA C++ programming guide, sections on atomic, synchronisation, warp vote and shuffle functions; PTX ISA.
#include <llvm/ADT/StringExtras.h>

#include "clangfe/lowering.h"
#include "clangfe/ptx_text.h"

namespace fencepost::clangfe {

using namespace ir;

namespace {

// Any value in place of what a function gives, of which more is known than that: `imm` 1, and a run in which it decides
// anything confirms nothing from there on (interp.h).
Compute unspecified(const std::string& note) { return {.op = Op::any, .imm = 1, .note = note}; }

}  // namespace

std::optional<Values> Lowering::lower_cuda(const llvm::CallBase& c, const Demangled& d) {
  const std::string& n = d.base;
  const auto arg = [&](unsigned k) { return value(c.getArgOperand(k)); };
  // ---- atomics: atomicNAME[_block|_system](pointer, operands); the type of the result tells the width.
  if (n.starts_with("atomic")) {
    std::string op = n.substr(6);
    Scope scope = Scope::device;
    if (op.ends_with("_block")) {
      scope = Scope::group;
      op = op.substr(0, op.size() - 6);
    } else if (op.ends_with("_system")) {
      scope = Scope::system;
      op = op.substr(0, op.size() - 7);
    }
    const char letter = d.parameters.empty() ? 'i' : d.parameters.back();
    const bool is_float = letter == 'f' || letter == 'd', is_signed = letter == 'i' || letter == 'x';
    static const std::map<std::string, AtomicOp> k_ops = {{"Add", AtomicOp::add},
                                                          {"Sub", AtomicOp::sub},
                                                          {"Exch", AtomicOp::exchange},
                                                          {"Min", AtomicOp::smin},
                                                          {"Max", AtomicOp::smax},
                                                          {"And", AtomicOp::and_},
                                                          {"Or", AtomicOp::or_},
                                                          {"Xor", AtomicOp::xor_},
                                                          {"Inc", AtomicOp::increment_to},
                                                          {"Dec", AtomicOp::decrement_from},
                                                          {"CAS", AtomicOp::compare_exchange}};
    if (const auto it = k_ops.find(op); it != k_ops.end()) {
      AtomicOp a = it->second;
      if (is_float && a == AtomicOp::add) a = AtomicOp::fadd;
      if (!is_signed && a == AtomicOp::smin) a = AtomicOp::umin;
      if (!is_signed && a == AtomicOp::smax) a = AtomicOp::umax;
      Values operands;
      for (unsigned k = 1; k < c.arg_size(); ++k) operands.push_back(arg(k));
      return atomic(a, arg(0), c.getType(), operands, n, Order::relaxed, scope, true);
    }
  }
  // ---- libcu++: the last operands are order and scope, constants once the class is inlined.
  if (n.starts_with("__fencepost_atomic_") || n == "__fencepost_scoped_fence") {
    const auto order_at = [&](unsigned k) -> std::optional<Order> {
      const auto v = constant_of(arg(k));
      if (!v || *v > 5) return std::nullopt;
      static constexpr Order k_orders[] = {Order::relaxed, Order::acquire, Order::acquire,
                                           Order::release, Order::acq_rel, Order::seq_cst};
      return k_orders[*v];
    };
    const unsigned last = c.arg_size() - 1;
    const bool compares = n.ends_with("_cas");
    const auto o = order_at(compares ? last - 2 : last - 1);
    const auto s = constant_of(arg(last));
    if (!o || !s) return refuse("an atomic operation whose order or scope is not constant");
    const Scope scope = *s == 0 ? Scope::system : *s == 1 ? Scope::device : *s == 2 ? Scope::group : Scope::thread;
    if (n == "__fencepost_scoped_fence") {
      if (*o != Order::relaxed) emit(Fence{.order = *o, .scope = scope});
      return Values{};
    }
    // "PVjjii": a pointer to volatile unsigned ...; "PVKj" of a load.
    const char letter = d.parameters.size() > 2 ? d.parameters[2] == 'K' ? d.parameters[3] : d.parameters[2] : 'i';
    const bool is_float = letter == 'f' || letter == 'd',
               is_signed = std::string_view("acsilx").find(letter) != std::string_view::npos;
    const std::string name = n.substr(19);
    static const std::map<std::string, AtomicOp> k_ops = {
        {"load", AtomicOp::load},         {"store", AtomicOp::store},
        {"exchange", AtomicOp::exchange}, {"cas", AtomicOp::compare_exchange},
        {"add", AtomicOp::add},           {"sub", AtomicOp::sub},
        {"and", AtomicOp::and_},          {"or", AtomicOp::or_},
        {"xor", AtomicOp::xor_},          {"min", AtomicOp::smin},
        {"max", AtomicOp::smax}};
    AtomicOp op = k_ops.at(name);
    if (is_float && op == AtomicOp::add) op = AtomicOp::fadd;
    if (is_float && op == AtomicOp::sub) op = AtomicOp::fsub;
    if (!is_signed && op == AtomicOp::smin) op = AtomicOp::umin;
    if (!is_signed && op == AtomicOp::smax) op = AtomicOp::umax;
    Values operands;
    for (unsigned k = 1; k < (op == AtomicOp::load ? 1u : compares ? 3u : 2u); ++k) operands.push_back(arg(k));
    const bool stores = op == AtomicOp::store;
    const Values old = atomic(op, arg(0), stores ? c.getArgOperand(1)->getType() : c.getType(), operands,
                              "cuda::atomic_ref::" + name, *o, scope, !stores);
    if (compares && !old.empty()) {
      // Not given: what the order of success has of acquiring.
      const Order preset = *o == Order::acq_rel ? Order::acquire : *o == Order::release ? Order::relaxed : *o;
      std::get<Atomic>(out().blocks[block_.index].instructions.back().action).failure =
          order_at(last - 1).value_or(preset);
    }
    return stores ? Values{} : old;
  }
  static const std::map<std::string, Scope> k_fences = {{"__threadfence_block", Scope::group},
                                                        {"__threadfence_cluster", Scope::cluster},
                                                        {"__threadfence", Scope::device},
                                                        {"__threadfence_system", Scope::system}};
  if (const auto it = k_fences.find(n); it != k_fences.end()) {
    emit(Fence{.scope = it->second});
    return Values{};
  }
  const ValueId on = bits(1, 1);
  if (n == "__syncwarp") {
    emit(Barrier{.scope = Scope::warp, .local_fence = on, .global_fence = on, .mask = arg(0)});
    return Values{};
  }
  if (n.starts_with("__fencepost_grid_barrier")) {  // behind the name may be a number of LLVM's
    barrier(Scope::device, on, on);
    return Values{};
  }
  if (auto v = lower_cluster(c, n)) return v;
  if (n == "__fencepost_read_only" || n == "__fencepost_of_surface") return Values{arg(0)};
  if (n == "__fencepost_meeting") {  // of a library's primitive
    const ValueId off = bits(0, 1);
    Barrier b{.scope = Scope::group, .local_fence = off, .global_fence = off, .reduce = Barrier::count_true};
    b.predicate = truth(arg(0));
    return Values{emit({Type::bits, 32}, std::move(b))};
  }
  if (n.starts_with("__fencepost_any_pointer"))
    return Values{any(leaves(c.getType())[0].type, "an address of the driver's")};
  if (n.starts_with("__fencepost_reserved_shared")) {
    // A group of the block keeps the address, and only tiles of several warps use it.
    if (!c.use_empty()) return refuse("the shared memory that the driver keeps for tiles of several warps");
    return Values{any(leaves(c.getType())[0].type, "an address of the driver's")};
  }
  if (n.starts_with("__nv_")) return lower_libdevice(c, n);
  if (n.starts_with("__fencepost_barrier_") || n.starts_with("__syncthreads_")) {
    Barrier b{.scope = Scope::group, .local_fence = on, .global_fence = on};
    b.reduce = n.ends_with("count") ? Barrier::count_true : n.ends_with("and") ? Barrier::all_true : Barrier::any_true;
    b.predicate = truth(arg(0));
    return Values{emit({Type::bits, 32}, std::move(b))};
  }
  // ---- warps
  static const std::map<std::string, WarpExchange::Kind> k_exchanges = {
      {"__shfl", WarpExchange::shuffle},           {"__shfl_up", WarpExchange::shuffle_up},
      {"__shfl_down", WarpExchange::shuffle_down}, {"__shfl_xor", WarpExchange::shuffle_xor},
      {"__any", WarpExchange::vote_any},           {"__all", WarpExchange::vote_all},
      {"__fencepost_all", WarpExchange::vote_all}, {"__ballot", WarpExchange::ballot},
      {"__match_any", WarpExchange::match_any},    {"__reduce_add", WarpExchange::reduce},
      {"__reduce_min", WarpExchange::reduce},      {"__reduce_max", WarpExchange::reduce},
      {"__reduce_and", WarpExchange::reduce},      {"__reduce_or", WarpExchange::reduce},
      {"__reduce_xor", WarpExchange::reduce},      {"__activemask", WarpExchange::active_mask}};
  const bool masked = n.ends_with("_sync");
  if (const auto it = k_exchanges.find(masked ? n.substr(0, n.size() - 5) : n); it != k_exchanges.end()) {
    WarpExchange w{.kind = it->second};
    const bool sign = d.parameters.empty() || d.parameters.back() == 'i';
    if (n.starts_with("__reduce_min")) w.combine = sign ? Op::smin : Op::umin;
    if (n.starts_with("__reduce_max")) w.combine = sign ? Op::smax : Op::umax;
    if (n.starts_with("__reduce_and")) w.combine = Op::and_;
    if (n.starts_with("__reduce_or")) w.combine = Op::or_;
    if (n.starts_with("__reduce_xor")) w.combine = Op::xor_;
    for (unsigned k = 0; k < c.arg_size(); ++k) (masked && k == 0 ? w.mask : w.operands.emplace_back()) = arg(k);
    return Values{emit(leaves(c.getType())[0].type, std::move(w))};
  }
  if (n == "__fencepost_tile") {
    WarpExchange w{.kind = WarpExchange::tile};
    for (unsigned k = 0; k < c.arg_size(); ++k) w.operands.push_back(arg(k));
    emit(std::move(w));
    return Values{};
  }
  if (n == "__nanosleep") return Values{};
  if (auto v = lower_async(c, n)) return v;
  if (n == "printf" || n == "vprintf") return Values{emit({Type::bits, 32}, unspecified("what printf returns"))};
  if (n == "clock" || n == "clock64") return Values{any(leaves(c.getType())[0].type, n)};
  if (n == "__fencepost_any_int" || n == "__fencepost_any_float" || n == "__fencepost_any_double")
    return Values{emit(leaves(c.getType())[0].type, unspecified("a value of the device"))};
  if (n == "__fencepost_choice") return Values{any({Type::bits, 32}, "a choice of the library's")};
  if (n == "__fencepost_any_bytes") {
    const auto size = constant_of(arg(1));
    if (!size) return refuse("a value of unknown size");
    const auto plan = copy_plan(c.getArgOperand(0), nullptr, *size, *size % 4 == 0 ? 4 : 1);
    const uint32_t site = module_.sites++;
    for (size_t k = 0; k < plan.size(); ++k)
      store_leaf(arg(0), plan[k], emit(plan[k].type, unspecified("a texel")), site, static_cast<uint32_t>(k), false);
    return Values{};
  }
  if (n == "__fencepost_boundary") {
    // A mode that moves coordinates, or one that is not known, makes two texels one.
    const auto mode = constant_of(arg(0));
    if (!mode || *mode == 1) return refuse("a surface write with this boundary mode");
    return Values{};
  }
  if (n == "__fencepost_assert_fail" || n == "__assert_fail" || n == "__assertfail") {
    emit(Annotation{.note = Note::assert_, .condition = bits(0, 1)});
    return Values{};
  }
  if (n == "memcpy" || n == "memset") {
    // clang makes intrinsics of these; what is left has a length that it does not know.
    return refuse("'" + n + "' with a length that is not constant");
  }
  // ---- integers
  if (n == "__clz" || n == "__clzll") return Values{resize(compute(Op::clz, {arg(0)}, type_of(arg(0))), 32, false)};
  if (n == "__popc" || n == "__popcll")
    return Values{resize(compute(Op::popcount, {arg(0)}, type_of(arg(0))), 32, false)};
  if (n == "__brev" || n == "__brevll") return Values{compute(Op::bitreverse, {arg(0)}, type_of(arg(0)))};
  if (n == "__mulhi" || n == "__umulhi") {
    const bool sign = n == "__mulhi";
    return Values{compute(Op::extract, {compute(Op::mul, {resize(arg(0), 64, sign), resize(arg(1), 64, sign)}, 64)},
                          {Type::bits, 32}, 32)};
  }
  if (n == "__fencepost_isnan")
    return Values{resize(compute(Op::fcmp, {arg(0), arg(0)}, {Type::bits, 1}, static_cast<uint64_t>(FloatCompare::uno)),
                         32, false)};
  return std::nullopt;
}

// ---- inline PTX
// ------------------------------------------------------------------------------------------------------- One
// instruction, as libcu++ and hand-written kernels have it: fences, barriers, special registers, and accesses with an
// order and a scope. Everything else is refused by its own text.

namespace {

std::vector<std::string> split(const std::string& s, const char* separators) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : s) {
    if (std::string(separators).find(c) != std::string::npos) {
      if (!word.empty()) out.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) out.push_back(word);
  return out;
}

}  // namespace

Values Lowering::lower_assembly(const llvm::CallBase& c, const llvm::InlineAsm& a) {
  std::string text = a.getAsmString();
  std::vector<std::string> statements;
  for (std::string& s : split(text, ";\n")) {
    const size_t begin = s.find_first_not_of(" \t{}"), end = s.find_last_not_of(" \t{}");
    if (begin != std::string::npos) statements.push_back(s.substr(begin, end - begin + 1));
  }
  const auto results = [&]() -> std::vector<Leaf> {
    return c.getType()->isVoidTy() ? std::vector<Leaf>{} : leaves(c.getType());
  };
  if (statements.empty() && ptx_statements(text)) {  // a compiler fence
    Values vs;
    for (const Leaf& l : results()) vs.push_back(emit(l.type, unspecified("inline assembly")));
    return vs;
  }
  const auto bad = [&]() -> Values {
    refuse("the inline assembly '" + text + "'", "fences, barriers, special registers, ld, st, atom and red are read");
    return {};
  };
  // Braces that do not pair, and operands without a text.
  if (statements.size() != 1 || !ptx_statements(text)) return bad();
  if (statements[0].starts_with("cp.async.")) {
    const auto v = lower_async_assembly(c, statements[0]);
    return v ? *v : bad();
  }
  // Instructions that are finished later than they are issued, and vectors.
  const std::vector<std::string> first_word = split(split(statements[0], " \t")[0], ".");
  if (statements[0].starts_with("barrier.cluster.")) return cluster_assembly(first_word) ? Values{} : bad();
  for (const std::string& part : first_word)
    if (part == "async" || part == "bulk" || part == "v2" || part == "v4" || part == "v8" || part == "mbarrier_init" ||
        part.starts_with("sync_restrict") || part == "mmio")
      return bad();
  const std::vector<std::string> words = split(statements[0], " \t");
  std::vector<std::string> name = split(words[0], ".");
  std::vector<std::string> operands;
  {
    std::string rest = statements[0].substr(words[0].size());
    for (std::string& o : split(rest, ",")) {
      const size_t begin = o.find_first_not_of(" \t"), end = o.find_last_not_of(" \t");
      if (begin != std::string::npos) operands.push_back(o.substr(begin, end - begin + 1));
    }
  }
  const auto has = [&](const char* m) { return std::find(name.begin(), name.end(), m) != name.end(); };
  const Scope scope = has("cta")       ? Scope::group
                      : has("cluster") ? Scope::cluster
                      : has("sys")     ? Scope::system
                                       : Scope::device;
  const Order order = has("acquire")   ? Order::acquire
                      : has("release") ? Order::release
                      : has("acq_rel") ? Order::acq_rel
                      : has("sc")      ? Order::seq_cst
                                       : Order::relaxed;
  // Operand $k: outputs first, then inputs.
  const unsigned outputs = static_cast<unsigned>(results().size());
  const auto input = [&](const std::string& o) -> std::optional<ValueId> {
    if (o.starts_with("$")) {
      unsigned k = 0;
      if (llvm::StringRef(o).drop_front().getAsInteger(10, k) || k < outputs || k - outputs >= c.arg_size())
        return std::nullopt;
      return value(c.getArgOperand(k - outputs));
    }
    uint64_t n = 0;
    if (llvm::StringRef(o).getAsInteger(0, n)) return std::nullopt;
    return bits(n, 32);
  };
  const ValueId on = bits(1, 1);
  if (name[0] == "membar") {
    emit(Fence{.scope = has("gl") ? Scope::device : scope});
    return {};
  }
  if (name[0] == "fence" && !has("proxy")) {
    emit(Fence{.order = order, .scope = scope});
    return {};
  }
  if ((name[0] == "bar" || name[0] == "barrier") && (has("sync") || has("arrive")) && !has("cluster")) {
    Barrier b{.scope = has("warp") ? Scope::warp : Scope::group,
              .local_fence = on,
              .global_fence = on,
              .arrive = has("arrive")};
    for (size_t k = 0; k < operands.size(); ++k) {
      const auto v = input(operands[k]);
      if (!v) return bad();
      (has("warp") ? b.mask : k == 0 ? b.name : b.count) = *v;
    }
    emit(std::move(b));
    return {};
  }
  if (name[0] == "mov" && operands.size() == 2) {
    static const std::map<std::string, std::pair<IdKind, uint32_t>> k_registers = {
        {"%laneid", {IdKind::lane, 0}},         {"%tid.x", {IdKind::local_id, 0}},
        {"%tid.y", {IdKind::local_id, 1}},      {"%tid.z", {IdKind::local_id, 2}},
        {"%ctaid.x", {IdKind::group_id, 0}},    {"%ctaid.y", {IdKind::group_id, 1}},
        {"%ctaid.z", {IdKind::group_id, 2}},    {"%ntid.x", {IdKind::local_size, 0}},
        {"%ntid.y", {IdKind::local_size, 1}},   {"%ntid.z", {IdKind::local_size, 2}},
        {"%nctaid.x", {IdKind::num_groups, 0}}, {"%nctaid.y", {IdKind::num_groups, 1}},
        {"%nctaid.z", {IdKind::num_groups, 2}}};
    std::string r = operands[1];
    if (r.starts_with("%%")) r = r.substr(1);
    if (const auto it = k_registers.find(r); it != k_registers.end() && outputs == 1)
      return {id(it->second.first, it->second.second, results()[0].type.width)};
    if (const auto v = cluster_register(r); v && outputs == 1) return {resize(*v, results()[0].type.width, false)};
    // A warp may be moved while it runs, and has another number then (PTX ISA, Special Registers: %warpid).
    if (r == "%warpid" || r == "%clock" || r == "%clock64" || r == "%globaltimer" || r == "%smid" ||
        r == "%lanemask_lt" || r == "%lanemask_le" || r == "%lanemask_gt" || r == "%lanemask_ge")
      return {emit(results()[0].type, unspecified(r))};
    // The same for all threads of a block.
    for (const char* start : {"%is_explicit_cluster", "%dynamic_smem_size", "%total_smem_size", "%gridid", "%nsmid"})
      if (r.starts_with(start) && outputs == 1) {
        Values block;
        for (uint32_t d = 0; d < 3; ++d) block.push_back(id(IdKind::group_id, d, 32));
        return {function_of(r, std::move(block), results()[0].type)};
      }
    return bad();
  }
  // Among all lanes of a warp, as __shfl_sync and its like with a width of 32; without the predicate beside the result.
  if (name[0] == "shfl" && has("sync") && has("b32") && operands.size() == 5 && outputs == 1 &&
      c.getType()->isIntegerTy(32)) {
    const bool up = has("up");
    const auto v = input(operands[1]), by = input(operands[2]), mask = input(operands[4]);
    uint64_t clamp = 1;
    if (!v || !by || !mask || type_of(*v).kind != Type::bits || llvm::StringRef(operands[3]).getAsInteger(0, clamp) ||
        clamp != (up ? 0 : 0x1f) || !(up || has("down") || has("bfly") || has("idx")))
      return bad();
    WarpExchange x{.kind = up            ? WarpExchange::shuffle_up
                           : has("down") ? WarpExchange::shuffle_down
                           : has("bfly") ? WarpExchange::shuffle_xor
                                         : WarpExchange::shuffle};
    x.mask = *mask;
    x.operands = {*v, *by, bits(32, 32)};
    return Values{emit(leaves(c.getType())[0].type, std::move(x))};
  }
  const auto pointer = [&](const std::string& given) -> std::optional<ValueId> {
    if (!given.starts_with("[") || !given.ends_with("]")) return std::nullopt;
    const std::string o = llvm::StringRef(given).drop_front().drop_back().trim().str();
    unsigned k = 0;
    if (!input(o) || !o.starts_with("$") || llvm::StringRef(o).drop_front().getAsInteger(10, k)) return std::nullopt;
    return shared_address(c.getArgOperand(k - outputs));
  };
  // The state space that the instruction says is the one of what it accesses (see Lowering::in_space).
  const auto said = [&](Access where) {
    for (const char* space : {"global", "shared", "local", "const"})
      if (has(space) || ((has("shared::cta") || has("shared::cluster")) && space == std::string_view("shared")))
        say_space(where.site, words[0]);
    return where;
  };
  const auto width_of = [&]() -> uint32_t {
    for (const std::string& m : name)
      if (m.size() >= 2 && (m[0] == 'b' || m[0] == 'u' || m[0] == 's' || m[0] == 'f')) {
        uint32_t w = 0;
        if (!llvm::StringRef(m).drop_front().getAsInteger(10, w) && (w == 8 || w == 16 || w == 32 || w == 64)) return w;
      }
    return 0;
  };
  // What an access may say beside its type; each of these is looked at here, or changes nothing that is modelled.
  static const std::set<std::string> k_said = {
      "weak",   "relaxed", "acquire", "release", "acq_rel", "volatile", "cta", "cluster", "gpu", "sys", "global",
      "shared", "const",   "local",   "nc",      "ca",      "cg",       "cs",  "lu",      "cv",  "wb",  "wt",
      "add",    "exch",    "cas",     "min",     "max",     "and",      "or",  "xor",     "inc", "dec"};
  for (size_t k = 1; k < name.size(); ++k)
    if (k_said.count(name[k]) == 0 && name[k] != "shared::cta" && name[k] != "shared::cluster" &&
        ptx_width(name[k]) == 0 && !name[k].starts_with("L1::") &&
        !(name[k].starts_with("L2::") && name[k] != "L2::cache_hint"))
      return bad();
  const bool strong = has("relaxed") || has("acquire") || has("release") || has("volatile");
  const uint32_t w = width_of();
  if (name[0] == "ld" && operands.size() == 2 && outputs == 1 && w != 0 && !has("v2") && !has("v4")) {
    const auto p = pointer(operands[1]);
    if (!p) return bad();
    const Type t{Type::bits, static_cast<uint8_t>(w)};
    ValueId v;
    if (strong && !has("volatile")) {
      v = emit(t, Atomic{.op = AtomicOp::load,
                         .access = said(access(*p, w / 8)),
                         .order = order,
                         .failure = order,
                         .scope = scope,
                         .spelling = words[0]});
    } else {
      Access where = said(access(*p, w / 8));
      where.is_volatile = has("volatile");
      v = emit(t, Load{.access = where});
    }
    return {resize(v, results()[0].type.width, has("s8") || has("s16") || has("s32"))};
  }
  if (name[0] == "st" && operands.size() == 2 && w != 0 && !has("v2") && !has("v4")) {
    const auto p = pointer(operands[0]);
    const auto v = input(operands[1]);
    if (!p || !v) return bad();
    const ValueId data = resize(*v, w, false);
    if (strong && !has("volatile")) {
      emit(Atomic{.op = AtomicOp::store,
                  .access = said(access(*p, w / 8)),
                  .operands = {data},
                  .order = order,
                  .failure = order,
                  .scope = scope,
                  .spelling = words[0]});
    } else {
      Access where = said(access(*p, w / 8));
      where.is_volatile = has("volatile");
      emit(Store{.access = where, .value = data});
    }
    return {};
  }
  if ((name[0] == "atom" || name[0] == "red") && w != 0) {
    const bool result = name[0] == "atom";
    const bool sign = has("s32") || has("s64"), is_float = has("f32") || has("f64");
    std::optional<AtomicOp> op;
    if (has("add")) op = is_float ? AtomicOp::fadd : AtomicOp::add;
    if (has("exch")) op = AtomicOp::exchange;
    if (has("cas")) op = AtomicOp::compare_exchange;
    if (has("min")) op = sign ? AtomicOp::smin : AtomicOp::umin;
    if (has("max")) op = sign ? AtomicOp::smax : AtomicOp::umax;
    if (has("and")) op = AtomicOp::and_;
    if (has("or")) op = AtomicOp::or_;
    if (has("xor")) op = AtomicOp::xor_;
    if (has("inc")) op = AtomicOp::increment_to;
    if (has("dec")) op = AtomicOp::decrement_from;
    const size_t first = result ? 1 : 0;
    if (!op || operands.size() < first + 2 || (result && outputs != 1)) return bad();
    const auto p = pointer(operands[first]);
    if (!p) return bad();
    Values given;
    for (size_t k = first + 1; k < operands.size(); ++k) {
      const auto v = input(operands[k]);
      if (!v) return bad();
      given.push_back(resize(*v, w, false));
    }
    Atomic made{.op = *op,
                .access = said(access(*p, w / 8)),
                .operands = given,
                .order = order,
                .failure = order,
                .scope = scope,
                .spelling = words[0]};
    without_limit(made);
    if (!result) {
      emit(std::move(made));
      return {};
    }
    return {resize(emit({Type::bits, static_cast<uint8_t>(w)}, std::move(made)), results()[0].type.width, false)};
  }
  return bad();
}

}  // namespace fencepost::clangfe
