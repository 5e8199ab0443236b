#pragma once
// Hand-built kernels for the tests of devices: a persistent litmus run without `plan`, so that a device is tested apart
// from what uses it.
#include <array>
#include <functional>

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

inline Operation store_op(uint32_t role, Place p, Expr value, prog::TagSet tags = {vocab::Tag::RLX},
                          const char* mnemonic = "st.relaxed.gpu") {
  Operation o;
  o.role = role;
  o.instr.kind = prog::Kind::store;
  o.instr.mnemonic = mnemonic;
  o.instr.tags = tags;
  o.place = std::move(p);
  o.value = std::move(value);
  return o;
}
inline Operation load_op(uint32_t role, Place p, Var v, prog::TagSet tags = {vocab::Tag::RLX},
                         const char* mnemonic = "ld.relaxed.gpu") {
  Operation o;
  o.role = role;
  o.instr.kind = prog::Kind::load;
  o.instr.mnemonic = mnemonic;
  o.instr.tags = tags;
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
                      const char* name = "litmus") {
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
        k.operations.push_back(fence_op(n, {vocab::Tag::F, vocab::Tag::SC, vocab::Tag::GPU}, "fence.sc.gpu"));
        role[n].push_back(test(static_cast<uint32_t>(k.operations.size() - 1)));
      }
      k.operations.push_back(access.store ? store_op(n, p, c32(access.value)) : load_op(n, p, r));
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

}  // namespace fencepost::device_test
