#pragma once
// Hand-built kernels for the tests of devices: a persistent litmus run without `plan`, so that a device is tested apart
// from what uses it.
#include <fmt/format.h>

#include <array>
#include <functional>

#include "base/job.h"
#include "code/kernel.h"
#include "prog/test.h"

namespace fencepost::device_test {

using namespace code;
using term::Expr;
using term::Op;

inline Expr c32(uint64_t v) { return term::constant(v, 32); }
inline Expr add(Expr a, Expr b) { return term::binary(Op::add, std::move(a), std::move(b)); }
inline Expr mul(Expr a, Expr b) { return term::binary(Op::mul, std::move(a), std::move(b)); }
inline Expr eq(Expr a, Expr b) { return term::binary(Op::eq, std::move(a), std::move(b)); }
inline Expr uge(Expr a, Expr b) { return term::binary(Op::uge, std::move(a), std::move(b)); }

// Instructions of the three dialects that say the same: relaxed accesses at device scope.
enum class Style : uint8_t { ptx, opencl, vulkan };
inline void spell(Operation& o, Style style, const char* ptx, const char* opencl, const char* vulkan) {
  using vocab::Tag;
  const bool store = o.instr.kind == prog::Kind::store;
  switch (style) {
    case Style::ptx:
      o.dialect = prog::Dialect::ptx;
      o.instr.mnemonic = ptx;
      o.instr.tags = {Tag::RLX, Tag::GPU, Tag::GEN, store ? Tag::W : Tag::R};
      return;
    case Style::opencl:
      o.dialect = prog::Dialect::opencl;
      o.instr.mnemonic = opencl;
      o.instr.spelling = {"memory_order_relaxed", "memory_scope_device"};
      o.instr.tags = {Tag::A, Tag::RLX, Tag::DV, store ? Tag::W : Tag::R};
      return;
    case Style::vulkan:
      o.dialect = prog::Dialect::vulkan;
      o.instr.mnemonic = vulkan;
      o.instr.tags = {Tag::ATOM, Tag::NONPRIV, Tag::DV, Tag::SC0, store ? Tag::W : Tag::R, store ? Tag::AV : Tag::VIS};
  }
}
inline Operation store_op(uint32_t role, Place p, Expr value, Style style = Style::ptx) {
  Operation o;
  o.role = role;
  o.instr.kind = prog::Kind::store;
  spell(o, style, "st.relaxed.gpu", "atomic_store_explicit", "st.atom.dv.sc0");
  o.place = std::move(p);
  o.value = std::move(value);
  return o;
}
inline Operation load_op(uint32_t role, Place p, Var v, Style style = Style::ptx) {
  Operation o;
  o.role = role;
  o.instr.kind = prog::Kind::load;
  spell(o, style, "ld.relaxed.gpu", "atomic_load_explicit", "ld.atom.dv.sc0");
  o.place = std::move(p);
  o.var = v;
  return o;
}
inline Operation fence_op(uint32_t role, prog::TagSet tags, const char* mnemonic) {
  Operation o;
  o.role = role;
  o.instr.kind = prog::Kind::fence;
  o.instr.mnemonic = mnemonic;
  o.instr.tags = tags;
  return o;
}
inline Operation sc_fence_op(uint32_t role, Style style) {
  using vocab::Tag;
  if (style == Style::ptx) return fence_op(role, {Tag::F, Tag::SC, Tag::GPU, Tag::GEN}, "fence.sc.gpu");
  Operation o = fence_op(role, {Tag::F, Tag::SC, Tag::DV, Tag::GLOBAL}, "atomic_work_item_fence");
  o.dialect = prog::Dialect::opencl;
  o.instr.spelling = {"CLK_GLOBAL_MEM_FENCE", "memory_order_seq_cst", "memory_scope_device"};
  return o;
}

// Two roles of two instructions and at most one fence between them, as workgroups 0 and 1 of one invocation.
struct Shape {
  struct Access {
    bool store = true;
    uint32_t location = 0;  // 0: x, 1: y
    uint32_t value = 1;     // of a store
  };
  std::array<std::array<Access, 2>, 2> roles;
  bool fences = false;  // fence.sc between the two accesses
};
inline const Shape k_sb{{{{{{true, 0, 1}, {false, 1, 0}}}, {{{true, 1, 1}, {false, 0, 0}}}}}};
inline const Shape k_mp{{{{{{true, 0, 1}, {true, 1, 1}}}, {{{false, 1, 0}, {false, 0, 0}}}}}};
inline const Shape k_lb{{{{{{false, 0, 0}, {true, 1, 1}}}, {{{false, 1, 0}, {true, 0, 1}}}}}};
inline const Shape k_r{{{{{{true, 0, 1}, {true, 1, 1}}}, {{{true, 1, 2}, {false, 0, 0}}}}}};
inline const Shape k_s{{{{{{true, 0, 2}, {true, 1, 1}}}, {{{false, 1, 0}, {true, 0, 1}}}}}};
inline const Shape k_2p2w{{{{{{true, 0, 2}, {true, 1, 1}}}, {{{true, 1, 2}, {true, 0, 1}}}}}};

// Buffers: sync (64 words), memory, out, histogram (256 words). Every launch: `batches` times: meet; the roles of
// `batch` instances; meet; classify and reset, each workgroup one half. An instance's state is
// r(0) + 4 r(1) + 16 x + 64 y with r(k) the value that role k's last load saw.
inline constexpr uint32_t k_line = 16, k_sync_words = 64, k_states = 256;
struct Litmus {
  Kernel kernel;
  uint32_t memory_words, out_words;
};
inline Litmus persistent(const Shape& shape, uint32_t batch, uint32_t batches, uint32_t stride = 1,
                         const char* name = "litmus", Style style = Style::ptx) {
  Litmus out;
  Kernel& k = out.kernel;
  out.memory_words = batch * stride * 2 + k_line;
  out.out_words = batch * 2;
  k.name = name;
  k.buffers = {{"sync"}, {"memory"}, {"results"}, {"histogram"}};
  const Var g = add_variable(k, "g"), round = add_variable(k, "round"), i = add_variable(k, "i"),
            end = add_variable(k, "end"), x = add_variable(k, "x"), y = add_variable(k, "y"), r = add_variable(k, "r"),
            seen = add_variable(k, "seen"), goal = add_variable(k, "goal"), state = add_variable(k, "state"),
            v = add_variable(k, "v");
  const auto val = [&](Var n) { return value_of(k, n); };
  // The two workgroups meet at sync[0], which only grows.
  const std::vector<Statement> meet = {
      set(goal, add(val(goal), c32(2))),
      atomic(AtomicOp::add, k_no_var, {0, c32(0)}, c32(1)),
      loop({load(seen, {0, c32(0)}, Order::device), leave_if(uge(val(seen), val(goal)))}),
  };
  std::array<std::vector<Statement>, 2> role;
  for (uint32_t n = 0; n < 2; ++n) {
    for (size_t a = 0; a < 2; ++a) {
      const Shape::Access& access = shape.roles[n][a];
      const Place p{1, val(access.location == 0 ? x : y)};
      if (a == 1 && shape.fences) {
        k.operations.push_back(sc_fence_op(n, style));
        role[n].push_back(test(static_cast<uint32_t>(k.operations.size() - 1)));
      }
      k.operations.push_back(access.store ? store_op(n, p, c32(access.value), style) : load_op(n, p, r, style));
      role[n].push_back(test(static_cast<uint32_t>(k.operations.size() - 1)));
    }
    role[n].push_back(store({2, add(val(i), c32(n * batch))}, val(r)));
  }
  const auto places = [&](std::vector<Statement>& body) {
    body.push_back(set(x, mul(val(i), c32(stride * 2))));
    body.push_back(set(y, add(val(x), c32(stride))));
  };
  std::vector<Statement> work;
  places(work);
  work.push_back(branch(eq(val(g), c32(0)), role[0], role[1]));
  work.push_back(set(i, add(val(i), c32(1))));
  work.push_back(leave_if(uge(val(i), c32(batch))));

  std::vector<Statement> judge;
  places(judge);
  judge.push_back(load(state, {2, val(i)}));
  judge.push_back(load(v, {2, add(val(i), c32(batch))}));
  judge.push_back(set(state, add(val(state), mul(val(v), c32(4)))));
  judge.push_back(load(v, {1, val(x)}));
  judge.push_back(set(state, add(val(state), mul(val(v), c32(16)))));
  judge.push_back(load(v, {1, val(y)}));
  judge.push_back(set(state, add(val(state), mul(val(v), c32(64)))));
  judge.push_back(atomic(AtomicOp::add, k_no_var, {3, val(state)}, c32(1)));
  judge.push_back(store({1, val(x)}, c32(0)));
  judge.push_back(store({1, val(y)}, c32(0)));
  judge.push_back(set(i, add(val(i), c32(1))));
  judge.push_back(leave_if(uge(val(i), val(end))));

  std::vector<Statement> body = meet;
  body.push_back(fence());
  body.push_back(set(i, c32(0)));
  body.push_back(loop(work));
  body.push_back(fence());
  body.insert(body.end(), meet.begin(), meet.end());
  body.push_back(fence());
  body.push_back(set(i, mul(val(g), c32(batch / 2))));
  body.push_back(set(end, add(val(i), c32(batch / 2))));
  body.push_back(loop(judge));
  body.push_back(fence());
  body.push_back(set(round, add(val(round), c32(1))));
  body.push_back(leave_if(uge(val(round), c32(batches))));
  k.body = {read_builtin(g, Builtin::group), loop(body)};
  return out;
}

// Random expressions over four narrow and four wide variables that are loaded from `in`, each stored to `out`, and each
// followed by a branch on a random condition.
struct Expressions {
  Kernel kernel;
  std::vector<uint32_t> in, out;
};
inline Expressions expressions(uint64_t seed, int count) {
  Rng rng(seed);
  Expressions e_out;
  Kernel& k = e_out.kernel;
  k.name = "expressions";
  k.buffers = {{"in"}, {"out"}};
  std::vector<Var> narrow, wide;
  std::vector<uint32_t>& in = e_out.in;
  for (int n = 0; n < 4; ++n) {
    narrow.push_back(add_variable(k, fmt::format("a{}", n)));
    wide.push_back(add_variable(k, fmt::format("b{}", n), 64));
    k.body.push_back(load(narrow.back(), {0, c32(in.size())}));
    in.push_back(n == 0 ? 0 : n == 1 ? 0x80000000u : static_cast<uint32_t>(rng.next() >> (rng.below(32) + 32)));
    in.push_back(0);
    k.body.push_back(load(wide.back(), {0, c32(in.size()), 64}));
    in.push_back(static_cast<uint32_t>(rng.next()));
    in.push_back(n == 3 ? 0xffffffffu : static_cast<uint32_t>(rng.below(3)));
  }
  const std::function<Expr(uint8_t, int)> make = [&](uint8_t w, int depth) -> Expr {
    if (depth == 0 || rng.chance(0.1)) {
      if (w == 1) return term::truth(value_of(k, narrow[rng.below(4)]));
      if (rng.chance(0.3)) return term::constant(rng.chance(0.5) ? rng.below(70) : rng.next(), w);
      return value_of(k, w == 32 ? narrow[rng.below(4)] : wide[rng.below(4)]);
    }
    const uint64_t pick = rng.below(10);
    if (w == 1) {
      const uint8_t from = rng.chance(0.5) ? 32 : 64;
      if (pick < 8)
        return term::binary(static_cast<Op>(static_cast<int>(Op::eq) + rng.below(10)), make(from, depth - 1),
                            make(from, depth - 1));
      if (pick == 8) return term::unary(Op::not_, make(1, depth - 1));
      return term::binary(Op::and_, make(1, depth - 1), make(1, depth - 1));
    }
    if (pick == 0) return term::resize(make(w == 32 ? 64 : 32, depth - 1), w, rng.chance(0.5));
    if (pick == 1) return term::resize(make(1, depth - 1), w, rng.chance(0.5));
    if (pick == 2) return term::ite(make(1, depth - 1), make(w, depth - 1), make(w, depth - 1));
    if (pick == 3) return term::unary(rng.chance(0.5) ? Op::neg : Op::not_, make(w, depth - 1));
    return term::binary(static_cast<Op>(static_cast<int>(Op::add) + rng.below(17)), make(w, depth - 1),
                        make(w, depth - 1));
  };
  std::vector<uint32_t>& out = e_out.out;
  for (int n = 0; n < count; ++n) {
    const uint8_t w = n % 2 == 0 ? 32 : 64;
    const Expr e = make(w, 4);
    k.body.push_back(store({1, c32(out.size()), w}, e));
    out.resize(out.size() + 2);
    // The same as a condition: jumps are compiled apart.
    k.body.push_back(branch(make(1, 3), {store({1, c32(out.size())}, c32(1))}, {store({1, c32(out.size())}, c32(2))}));
    out.resize(out.size() + 2);
  }
  return e_out;
}

// Every lane writes its id to shared memory, meets, adds up what all have written, meets, and again; the sum to out.
inline Kernel reduction(uint32_t lanes, uint32_t rounds) {
  Kernel k;
  k.name = "reduction";
  k.buffers = {{"out"}};
  k.shared_words = lanes;
  const Var g = add_variable(k, "g"), l = add_variable(k, "l"), n = add_variable(k, "n"), i = add_variable(k, "i"),
            v = add_variable(k, "v"), sum = add_variable(k, "sum"), round = add_variable(k, "round");
  const auto val = [&](Var x) { return value_of(k, x); };
  k.body = {read_builtin(g, Builtin::group), read_builtin(l, Builtin::lane), read_builtin(n, Builtin::lanes),
            loop({
                store({k_shared, val(l)}, add(add(val(l), val(round)), val(g))),
                barrier(),
                set(i, c32(0)),
                loop({load(v, {k_shared, val(i)}), set(sum, add(val(sum), val(v))), set(i, add(val(i), c32(1))),
                      leave_if(uge(val(i), val(n)))}),
                barrier(),
                set(round, add(val(round), c32(1))),
                leave_if(uge(val(round), c32(rounds))),
            }),
            store({0, add(mul(val(g), val(n)), val(l))}, val(sum))};
  return k;
}

// Workgroup g waits until word g+1 (down: g-1) is set, then sets its own: a chain through all workgroups.
inline Kernel chain(bool down) {
  Kernel k;
  k.name = "chain";
  k.buffers = {{"flags"}};
  const Var g = add_variable(k, "g"), n = add_variable(k, "n"), v = add_variable(k, "v");
  const auto val = [&](Var x) { return value_of(k, x); };
  const Expr place = down ? val(g) : add(val(g), c32(2));
  k.body = {read_builtin(g, Builtin::group), read_builtin(n, Builtin::groups),
            loop({load(v, {0, place}, Order::device), leave_if(eq(val(v), c32(1)))}),
            store({0, add(val(g), c32(1))}, c32(1), Order::device)};
  return k;
}

// What the Vulkan backend runs to see whether loops end by themselves only: word 1 counts the iterations, word 0 says
// how many there are.
inline Kernel loop_test() {
  Kernel k;
  k.name = "loop_test";
  k.buffers = {{"words"}};
  const Var n = add_variable(k, "n"), i = add_variable(k, "i");
  k.body = {load(n, {0, c32(0)}),
            loop({atomic(AtomicOp::add, k_no_var, {0, c32(1)}, c32(1)), set(i, add(value_of(k, i), c32(1))),
                  leave_if(uge(value_of(k, i), value_of(k, n)))})};
  return k;
}

}  // namespace fencepost::device_test
