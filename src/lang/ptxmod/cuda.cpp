// The instructions that a kernel of CUDA C++ has beside those of PTX (clangfe/plain.cpp writes them):
//   cuda.ld.O.S.T r, [p]         a load; O: plain, volatile, or an order; S: none, block, device, system
//   cuda.st.O.S.T [p], v
//   cuda.rmw.NAME.OP.O.S.T r, [p], v      atomicAdd and its like, and fetch_add and its like
//   cuda.cas.NAME.O.F.W.S.T r, q, [p], expected, new     F: the order of failure; W: weak or strong; q gets whether it
//                                         failed spuriously
//   cuda.fence.NAME.O.S   cuda.barrier.SITE   cuda.syncwarp mask   cuda.printf r
//   cuda.ub.WHAT [p]             undefined behaviour (where p is true)
//   cuda.life.end v              what points at the variable v of the thread points at one whose lifetime is over
//   cuda.opaque.T r              a result of floating point arithmetic      cuda.freeze r, v: any one value if v is
//                                       none
// Their events have the tags that the functions of a CUDA litmus test have (litmus/opencl_cuda.cpp,
// opencl_value.cpp), so that one model judges both. A compare-exchange that fails writes nothing: that PTX writes the
// old value back is PTX's.
//
// __syncthreads meets itself: "allowed in conditional code but only if the conditional evaluates identically across the
// entire thread block" (CUDA C++ Programming Guide, Synchronization Functions). Threads that have ended are not waited
// for ("reached by all non-exited threads", Volta Compatibility Guide). A thread whose code leads past one that
// others of its block come to, and on to a later one, has done what nobody defines (`settle_barriers`). __syncwarp
// names the lanes that come, from wherever they come.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "litmus/lexer.h"
#include "ptxmod/lower.h"

namespace fencepost::ptxmod {

using prog::k_none;
using prog::Kind;
using prog::TagSet;
using T = term::Op;
using vocab::Tag;

namespace {

// Levels of the scope path: all, device, block, warp.
constexpr uint32_t k_block = 2, k_warp = 3;

std::string order_name(const std::string& o) {
  return o == "rlx" ? "relaxed" : o == "acq" ? "acquire" : o == "rel" ? "release" : o == "sc" ? "seq_cst" : o;
}
Tag scope_tag(const std::string& s) { return s == "block" ? Tag::WG : s == "device" ? Tag::DV : Tag::ALL; }
Tag read_order(const std::string& o) {
  return o == "acq" || o == "acq_rel" ? Tag::ACQ : o == "sc" ? Tag::SC : Tag::RLX;
}
Tag write_order(const std::string& o) {
  return o == "rel" || o == "acq_rel" ? Tag::REL : o == "sc" ? Tag::SC : Tag::RLX;
}

// The number of a __syncthreads in the text: they stand in its order.
std::optional<uint32_t> site_of(const prog::Instr& i) {
  if (i.kind != Kind::barrier || i.barrier.level != k_block || !i.barrier.instance.starts_with("s"))
    return std::nullopt;
  return static_cast<uint32_t>(std::stoul(i.barrier.instance.substr(1)));
}

void insert_undefined(prog::Template& t, size_t at) {
  prog::Instr ub;
  ub.kind = Kind::fence;
  ub.mnemonic = "undefined_behaviour";
  ub.tags = {Tag::UB};
  ub.span = t.code[at].span;
  t.code.insert(t.code.begin() + static_cast<std::ptrdiff_t>(at), std::move(ub));
  for (prog::Label& l : t.labels)
    if (l.at >= at) ++l.at;
}

}  // namespace

void settle_barriers(std::vector<prog::Template>& threads, const spirv::Launch& launch) {
  std::vector<std::set<uint32_t>> sites(threads.size());
  std::vector<uint32_t> block(threads.size());
  for (uint32_t t = 0; t < threads.size(); ++t) {
    block[t] = launch.global_workgroup(launch.place(t));
    for (const prog::Instr& i : threads[t].code)
      if (const auto s = site_of(i)) sites[t].insert(*s);
  }
  for (uint32_t t = 0; t < threads.size(); ++t)
    for (size_t k = 0; k < threads[t].code.size(); ++k) {
      const auto s = site_of(threads[t].code[k]);
      if (!s) continue;
      bool passed_by = false;
      for (uint32_t u = 0; u < threads.size() && !passed_by; ++u)
        passed_by = block[u] == block[t] && !sites[u].contains(*s) && sites[u].upper_bound(*s) != sites[u].end();
      if (passed_by) insert_undefined(threads[t], k++);
    }
}

void Lowering::cuda() {
  const std::vector<std::string>& w = node_->words;
  const std::string& what = w[1];
  if (what == "ld" || what == "st") return cuda_access(what == "ld");
  if (what == "rmw" || what == "cas") return cuda_atomic(what == "cas");
  if (what == "fence") {
    prog::Instr& in =
        emit(Kind::fence, w[2].starts_with("__") ? w[2] : fmt::format("{}.{}.{}", w[2], order_name(w[3]), w[4]));
    const Tag order = w[3] == "acq" ? Tag::ACQ : w[3] == "rel" ? Tag::REL : w[3] == "sc" ? Tag::SC : Tag::ACQ_REL;
    in.tags = {Tag::F, order, Tag::GLOBAL, Tag::LOCAL, scope_tag(w[4])};
    return;
  }
  if (what == "barrier") {
    prog::Instr& in = emit(Kind::barrier, "__syncthreads");
    in.tags = {Tag::F, Tag::B, Tag::ACQ_REL, Tag::GLOBAL, Tag::LOCAL, Tag::WG};
    in.barrier.instance = w[2];
    in.barrier.level = k_block;
    return;
  }
  if (what == "syncwarp") return cuda_syncwarp();
  if (what == "ub") {
    Expr when = node_->args.empty() ? Expr{} : number(argument(0), 1);
    return undefined_behaviour(when);
  }
  if (what == "life") return end_life();
  if (what == "opaque") {
    const uint32_t bytes = w[2] == "pred" ? 0 : bytes_of(w[2]);
    return define(argument(0), Value::opaque(bytes == 0 ? uint8_t{1} : static_cast<uint8_t>(8 * bytes)));
  }
  if (what == "freeze") {
    const Argument to = argument(0);
    const Value v = value(argument(1), flat_.registers[to.index].width);
    return define(to, v.is(Value::Kind::undefined) ? Value::scalar(term(v)) : v);
  }
  if (what == "printf") {
    notes_.prints = true;
    return define(argument(0), Value::undefined("printf", 32));
  }
  refuse(fmt::format("'{}' is not read", node_->mnemonic()));
}

// Addresses are values here wherever they are, since memory that holds addresses is refused: those of the variable are
// marked, and keep the mark through joins.
void Lowering::end_life() {
  const Value v = value(argument(0), 64);
  if (!v.is(Value::Kind::address) || v.targets.size() != 1) fail("the operand is a variable's address");
  for (auto& [key, x] : now_)
    for (Target& t : x.targets) t.ended = t.ended || t.root == v.targets[0].root;
}

// Undefined behaviour: an access through a pointer to a variable whose lifetime is over (C++ [basic.stc.general]).
void Lowering::require_life(const Value& address) {
  for (const Target& t : address.targets)
    if (t.ended) undefined_behaviour(t.when);
}

void Lowering::cuda_access(bool loads) {
  const std::vector<std::string>& w = node_->words;
  const std::string &order = w[2], &scope = w[3];
  const uint32_t bytes = bytes_of(w[4]);
  const bool plain = order == "plain", is_volatile = order == "volatile";
  TagSet tags;
  if (plain)
    tags = {Tag::NA};
  else if (is_volatile)
    tags = {Tag::A, Tag::RLX, Tag::ALL, Tag::VOLATILE};
  else
    tags = {Tag::A, loads ? read_order(order) : write_order(order), scope_tag(scope)};
  if (plain && !loads) tags.add(Tag::WI);
  std::string mnemonic = loads ? "load" : "store";
  if (is_volatile) mnemonic += ".volatile";
  if (!plain && !is_volatile) mnemonic += fmt::format(".{}.{}", order_name(order), scope);
  const Argument& place = argument(loads ? 1 : 0);
  const Value at = pointer(place, "");
  require_life(at);
  if (loads)
    define(argument(0), settle(load(at, bytes, tags, mnemonic, !plain, result_name()), result_name()));
  else
    store(at, bytes, value(argument(1), static_cast<uint8_t>(8 * bytes)), tags, mnemonic, !plain);
}

void Lowering::cuda_atomic(bool exchanges) {
  const std::vector<std::string>& words = node_->words;
  const std::string &name = words[2], &operation = exchanges ? words[1] : words[3],
                    &order = exchanges ? words[3] : words[4], &scope = words[words.size() - 2], &type = words.back();
  const std::string failure = exchanges ? words[4] : "";
  const bool weak = exchanges && words[5] == "weak", scoped = !name.starts_with("atomic");
  const uint32_t bytes = bytes_of(type);
  const auto w = static_cast<uint8_t>(8 * bytes);
  const size_t place = exchanges ? 2 : 1;
  const Value at = pointer(argument(place), "");
  require_life(at);
  const Value b = value(argument(place + 1), w), c = exchanges ? value(argument(place + 2), w) : b;
  for (const Value* v : {&b, &c})
    if (v->is(Value::Kind::address))
      for (const Target& t : v->targets)
        if (surely_address(t)) refuse("memory that holds addresses is not read");
  const bool opaque = type[0] == 'f' || b.is(Value::Kind::opaque) || c.is(Value::Kind::opaque);
  if (opaque && exchanges) refuse("a compare-exchange with results of floating point arithmetic is not read");
  const Expr x = opaque ? term::constant(0, w) : term(b), y = opaque || !exchanges ? x : term(c);
  const bool is_signed = type[0] == 's';
  // A compare-exchange writes where its guard holds, and only there: the choice that PTX's `cas` makes is its guard.
  const auto written = [&](const Expr& old) -> Expr {
    if (opaque) return term::constant(0, w);
    if (exchanges) return y;
    if (operation == "sub") return term::binary(T::sub, old, x);
    return combined(operation, is_signed, old, x, y);
  };
  const std::string mnemonic = !scoped ? name
                               : exchanges
                                   ? fmt::format("{}.{}.{}.{}", name, order_name(order), order_name(failure), scope)
                                   : fmt::format("{}.{}.{}", name, order_name(order), scope);
  const TagSet both = {Tag::A, Tag::RMW, scope_tag(scope)};
  TagSet read = both, write = both, failed = both;
  read.add(Tag::R).add(read_order(order));
  write.add(Tag::W).add(write_order(order));
  failed.add(Tag::R).add(read_order(failure));
  Expr out, fails = term::constant(0, 1);
  bool opaque_old = opaque;
  for (const Spot& s : spots(at, bytes, true, true)) {
    Decision& d = memory_.decision(roots_[s.root]);
    if (opaque && !d.opaque) {
      d.opaque = true;
      throw Restart{};
    }
    if (d.opaque && exchanges) refuse("a compare-exchange with results of floating point arithmetic is not read");
    opaque_old = opaque_old || d.opaque;
    const prog::RegId r = reg(result_name(), w), spurious = weak ? reg(result_name() + ".spurious", 1) : k_none;
    for (const prog::RegId k : {r, spurious}) {
      if (s.predicate == k_none || k == k_none) continue;
      prog::Instr& clear = emit(Kind::local, "mov");
      clear.dst = k;
      clear.value = term::constant(0, t_.registers[k].width);
    }
    if (weak) fails = term::binary(T::or_, std::move(fails), var(spurious));
    const Expr old = term::variable(prog::k_old_value, w);
    prog::Instr& in = emit(Kind::rmw, mnemonic);
    in.dst = r;
    in.addr = s.first;
    in.args = exchanges ? std::vector<Expr>{x, y} : std::vector<Expr>{x};
    in.value = d.opaque ? term::constant(0, w) : written(old);
    if (exchanges) in.guard = term::binary(T::eq, old, x);
    in.predicate = s.predicate;
    in.spurious = spurious;
    in.tags = read;
    in.store_tags = write;
    if (exchanges && !(failed == read)) in.failed_tags = failed;
    Expr e = var(r);
    if (s.inside && !s.inside.is_const(1)) {
      const Expr outside = term::unary(T::not_, s.inside);
      e = term::ite(s.inside, e, any(w, "elsewhere", s.when ? term::binary(T::and_, s.when, outside) : outside));
    }
    out = !out || !s.when ? e : term::ite(s.when, e, out);
  }
  if (exchanges) define(argument(1), Value::scalar(fails));
  define(argument(0), opaque_old ? Value::opaque(w) : Value::scalar(out ? out : term::constant(0, w)), is_signed);
}

// The lanes that name the same mask wait for each other, but for those that have ended. A thread that does not name
// itself does what nobody defines.
void Lowering::cuda_syncwarp() {
  const Expr mask = number(argument(0), 32);
  if (!mask.is_const()) refuse("a mask of __syncwarp that is computed is not read");
  if (launch_.grid.subgroup > 32) refuse("a warp has at most 32 threads");
  const uint64_t lanes = term::mask(static_cast<uint8_t>(launch_.grid.subgroup)), named = mask.value() & lanes;
  if ((named >> place_.lane & 1) == 0) return undefined_behaviour({});
  prog::Instr& in = emit(Kind::barrier, "__syncwarp");
  in.tags = {Tag::F, Tag::B, Tag::ACQ_REL, Tag::GLOBAL, Tag::LOCAL};
  in.barrier.instance = fmt::format("warp {:x}", mask.value());
  in.barrier.level = k_warp;
}

}  // namespace fencepost::ptxmod
