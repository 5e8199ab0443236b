// The analyses of flow/ that decide alone: which loops end, which volatile accesses are flags.
#include <functional>

#include "draft.h"
#include "flow/effects.h"
#include "flow/endings.h"
#include "flow/flags.h"

namespace fencepost::prove {
namespace {

// ---- loops that end ----

using Next = std::function<ValueId(Draft&, ValueId)>;

// for (i = n; stays(i); i = next(i)) ;
struct Loop {
  Op compare = Op::slt;
  uint64_t limit = 100;
  Next next;
  Type type = k_int;
  bool known = true;     // the limit is a constant
  bool swapped = false;  // the limit stands first
  bool leaves = false;   // the condition says that the loop is left
  bool negated = false;  // the condition is negated, and with it what it says
  bool latch = false;    // the next value is tested, behind the body
  bool moved = false;    // the limit is changed in the loop
  bool perhaps = false;  // the test is come to in some iterations only
};

bool ends(const Loop& l) {
  Draft d;
  const ValueId start = d.scalar_parameter("n", l.type), given = d.scalar_parameter("limit", l.type);
  ValueId limit = l.known ? d.constant(l.limit, l.type) : given;
  const BlockId before = d.at, header = d.block(), inside = d.block(), after = d.block();
  d.jump(header);
  d.at = header;
  const ValueId i = d.value({.kind = Value::result, .type = l.type, .name = "i"});
  d.f.blocks[header.index].instructions.push_back({{i}, Phi{}, {}});
  ValueId moving;
  if (l.moved) {
    moving = d.value({.kind = Value::result, .type = l.type, .name = "limit"});
    d.f.blocks[header.index].instructions.push_back({{moving}, Phi{}, {}});
    limit = moving;
  }
  const auto test = [&](ValueId tested) {
    ValueId c = l.swapped ? d.op(l.compare, limit, tested) : d.op(l.compare, tested, limit);
    if (l.negated) c = d.put(Compute{.op = Op::not_, .operands = {c}}, k_bit);
    return c;
  };
  ValueId n, more;
  const auto step = [&] {
    n = l.next(d, i);
    if (l.moved) more = d.op(Op::add, moving, d.constant(1, l.type));
  };
  BlockId back = inside;
  const bool out_if = l.leaves != l.negated;
  if (l.latch) {
    d.jump(inside);
    d.at = inside;
    step();
    const ValueId c = test(n);
    out_if ? d.branch(c, after, header) : d.branch(c, header, after);
  } else {
    if (l.perhaps) {
      const BlockId asks = d.block();
      d.branch(d.op(Op::eq, i, d.constant(7, l.type)), asks, inside);
      d.at = asks;
    }
    const ValueId c = test(i);
    out_if ? d.branch(c, after, inside) : d.branch(c, inside, after);
    d.at = inside;
    step();
    d.jump(header);
  }
  std::get<Phi>(d.f.blocks[header.index].instructions[0].action).entries = {{before, start}, {back, n}};
  if (l.moved) std::get<Phi>(d.f.blocks[header.index].instructions[1].action).entries = {{before, given}, {back, more}};
  d.at = after;
  d.m.functions = {d.f};
  EXPECT_TRUE(ir::faults(d.m).empty());
  return flow::ends_by_itself(d.m, flow::Effects(d.m), {0});
}

Next add(int64_t by, bool nsw = false) {
  return [=](Draft& d, ValueId i) {
    const Type t = d.f.value(i).type;
    const uint64_t ones = t.width == 64 ? ~uint64_t{0} : (uint64_t{1} << t.width) - 1;
    return d.op(Op::add, i, d.constant(static_cast<uint64_t>(by) & ones, t), nsw);
  };
}
Next subtract(uint64_t by) {
  return [=](Draft& d, ValueId i) { return d.op(Op::sub, i, d.constant(by, d.f.value(i).type)); };
}
Next shift(Op o, uint64_t by) {
  return [=](Draft& d, ValueId i) { return d.op(o, i, d.constant(by, d.f.value(i).type)); };
}

TEST(Endings, counters_come_to_their_limits) {
  for (const Op o : {Op::slt, Op::ult}) {
    EXPECT_TRUE(ends({.compare = o, .next = add(1)}));
    EXPECT_TRUE(ends({.compare = o, .next = add(1), .known = false}));
    EXPECT_FALSE(ends({.compare = o, .next = add(-1)}));
    EXPECT_FALSE(ends({.compare = o, .next = subtract(1)}));
    EXPECT_FALSE(ends({.compare = o, .next = add(2), .known = false}));
  }
  for (const Op o : {Op::sgt, Op::ugt}) {
    EXPECT_TRUE(ends({.compare = o, .next = add(-1)}));
    EXPECT_TRUE(ends({.compare = o, .next = subtract(1)}));
    EXPECT_FALSE(ends({.compare = o, .next = add(1)}));
    EXPECT_FALSE(ends({.compare = o, .next = add(-2), .known = false}));
  }
  // What may be the last of the numbers is never passed, but where the source says that the counter does not wrap.
  EXPECT_FALSE(ends({.compare = Op::sle, .next = add(1)}));
  EXPECT_TRUE(ends({.compare = Op::sle, .next = add(1, true)}));
  EXPECT_FALSE(ends({.compare = Op::slt, .next = add(2)}));
  EXPECT_TRUE(ends({.compare = Op::slt, .next = add(2, true)}));
  EXPECT_FALSE(ends({.compare = Op::sge, .next = add(-1)}));
  EXPECT_TRUE(ends({.compare = Op::sge, .next = add(-1, true)}));
  EXPECT_TRUE(ends({.compare = Op::sgt, .next = add(-3, true)}));
  EXPECT_FALSE(ends({.compare = Op::ult, .limit = 0xffffffff, .next = add(2, true)}));
}

TEST(Endings, longer_steps_do_not_step_over_the_end_of_the_numbers) {
  const uint64_t most = 0xffffffff;
  EXPECT_TRUE(ends({.compare = Op::ult, .limit = most - 2, .next = add(2)}));
  EXPECT_FALSE(ends({.compare = Op::ult, .limit = most - 1, .next = add(2)}));
  EXPECT_TRUE(ends({.compare = Op::ule, .limit = most - 1, .next = add(1)}));
  EXPECT_FALSE(ends({.compare = Op::ule, .limit = most, .next = add(1)}));
  EXPECT_FALSE(ends({.compare = Op::ule, .next = add(1), .known = false}));
  EXPECT_TRUE(ends({.compare = Op::ugt, .limit = 2, .next = add(-2)}));
  EXPECT_FALSE(ends({.compare = Op::ugt, .limit = 1, .next = add(-2)}));
  EXPECT_TRUE(ends({.compare = Op::uge, .limit = 1, .next = add(-1)}));
  EXPECT_FALSE(ends({.compare = Op::uge, .limit = 0, .next = add(-1)}));
  const Type wide{Type::bits, 64}, narrow{Type::bits, 8};
  EXPECT_TRUE(ends({.compare = Op::ult, .limit = ~uint64_t{0} - 5, .next = add(5), .type = wide}));
  EXPECT_FALSE(ends({.compare = Op::ult, .limit = ~uint64_t{0} - 4, .next = add(5), .type = wide}));
  EXPECT_TRUE(ends({.compare = Op::ult, .limit = 250, .next = add(5), .type = narrow}));
  EXPECT_FALSE(ends({.compare = Op::ult, .limit = 251, .next = add(5), .type = narrow}));
  EXPECT_TRUE(ends({.compare = Op::ugt, .limit = 5, .next = add(-5), .type = narrow}));
  EXPECT_FALSE(ends({.compare = Op::ugt, .limit = 4, .next = add(-5), .type = narrow}));
  EXPECT_TRUE(ends({.compare = Op::ult, .limit = 0, .next = add(127), .type = narrow}));
}

TEST(Endings, tests_for_one_number_need_steps_of_one) {
  EXPECT_TRUE(ends({.compare = Op::ne, .next = add(1)}));
  EXPECT_TRUE(ends({.compare = Op::ne, .next = add(-1)}));
  EXPECT_TRUE(ends({.compare = Op::ne, .next = add(1), .known = false}));
  EXPECT_FALSE(ends({.compare = Op::ne, .next = add(2)}));
  EXPECT_FALSE(ends({.compare = Op::ne, .next = add(0)}));
  EXPECT_FALSE(ends({.compare = Op::eq, .next = add(1)}));
  EXPECT_TRUE(ends({.compare = Op::eq, .next = add(1), .leaves = true}));
  EXPECT_FALSE(ends({.compare = Op::ne, .next = add(1), .leaves = true}));
}

TEST(Endings, halves_come_to_nothing) {
  EXPECT_TRUE(ends({.compare = Op::ne, .limit = 0, .next = shift(Op::lshr, 1)}));
  EXPECT_TRUE(ends({.compare = Op::ne, .limit = 0, .next = shift(Op::udiv, 2)}));
  EXPECT_FALSE(ends({.compare = Op::ne, .limit = 1, .next = shift(Op::lshr, 1)}));
  EXPECT_FALSE(ends({.compare = Op::ne, .next = shift(Op::lshr, 1), .known = false}));
  EXPECT_FALSE(ends({.compare = Op::ne, .limit = 0, .next = shift(Op::ashr, 1)}));
  EXPECT_TRUE(ends({.compare = Op::ugt, .limit = 0, .next = shift(Op::lshr, 1)}));
  EXPECT_TRUE(ends({.compare = Op::sgt, .limit = 0, .next = shift(Op::ashr, 1)}));
  EXPECT_FALSE(ends({.compare = Op::ugt, .limit = 1, .next = shift(Op::lshr, 1), .known = false}));
  EXPECT_FALSE(ends({.compare = Op::uge, .limit = 0, .next = shift(Op::lshr, 1)}));
  EXPECT_FALSE(ends({.compare = Op::ult, .limit = 0, .next = shift(Op::lshr, 1)}));
  EXPECT_FALSE(ends({.compare = Op::ne, .limit = 0, .next = shift(Op::shl, 1)}));
}

TEST(Endings, tests_stand_either_way_round) {
  EXPECT_TRUE(ends({.compare = Op::sgt, .next = add(1), .swapped = true}));
  EXPECT_FALSE(ends({.compare = Op::slt, .next = add(1), .swapped = true}));
  EXPECT_TRUE(ends({.compare = Op::slt, .next = add(-1), .swapped = true}));
  EXPECT_TRUE(ends({.compare = Op::ult, .limit = 0, .next = shift(Op::lshr, 1), .swapped = true}));
  EXPECT_TRUE(ends({.compare = Op::sge, .next = add(1), .leaves = true}));
  EXPECT_FALSE(ends({.compare = Op::sgt, .next = add(1), .leaves = true}));
  EXPECT_FALSE(ends({.compare = Op::slt, .next = add(1), .leaves = true}));
  EXPECT_TRUE(ends({.compare = Op::slt, .next = add(1), .negated = true}));
  EXPECT_FALSE(ends({.compare = Op::slt, .next = add(1), .leaves = true, .negated = true}));
  EXPECT_TRUE(ends({.compare = Op::sge, .next = add(1), .leaves = true, .negated = true}));
  EXPECT_TRUE(ends({.compare = Op::slt, .next = add(1), .latch = true}));
  EXPECT_FALSE(ends({.compare = Op::sgt, .next = add(1), .latch = true}));
}

TEST(Endings, need_a_limit_that_stays_and_a_test_in_every_iteration) {
  EXPECT_FALSE(ends({.next = add(1), .moved = true}));
  EXPECT_FALSE(ends({.next = add(1), .perhaps = true}));
  EXPECT_FALSE(ends({.next = [](Draft& d, ValueId i) { return d.op(Op::add, i, d.scalar_parameter("step")); }}));
  EXPECT_FALSE(ends(
      {.next = [](Draft& d, ValueId i) { return d.op(Op::add, d.op(Op::add, i, d.constant(1)), d.constant(1)); }}));
}

TEST(Endings, waiting_for_others_may_not_end) {
  const auto with = [](const std::function<void(Draft&)>& body) {
    Draft d;
    body(d);
    d.m.functions.insert(d.m.functions.begin(), d.f);
    return flow::ends_by_itself(d.m, flow::Effects(d.m), {0});
  };
  EXPECT_TRUE(with([](Draft&) {}));
  const auto barrier = [&](const std::function<void(Draft&, Barrier&)>& change) {
    return with([&](Draft& d) {
      Barrier b{.local_fence = d.constant(1, k_bit), .global_fence = d.constant(1, k_bit)};
      change(d, b);
      d.put(b);
    });
  };
  EXPECT_TRUE(barrier([](Draft&, Barrier&) {}));
  EXPECT_TRUE(barrier([](Draft&, Barrier& b) { b.scope = Scope::warp; }));
  EXPECT_FALSE(barrier([](Draft&, Barrier& b) { b.scope = Scope::device; }));
  EXPECT_FALSE(barrier([](Draft&, Barrier& b) { b.scope = Scope::cluster; }));
  EXPECT_FALSE(barrier([](Draft&, Barrier& b) { b.arrive = true; }));
  EXPECT_FALSE(barrier([](Draft& d, Barrier& b) { b.count = d.constant(32); }));
  EXPECT_FALSE(barrier([](Draft& d, Barrier& b) { b.name = d.constant(1); }));
  const auto call = [&](bool body) {
    return with([&](Draft& d) {
      Function g;
      g.name = g.symbol = "g";
      g.body = body;
      if (body) g.blocks.push_back({{}, Return{}, {}});
      d.m.functions.push_back(g);
      d.put(Call{.callee = {1}});
    });
  };
  EXPECT_TRUE(call(true));
  EXPECT_FALSE(call(false));
  EXPECT_FALSE(with([](Draft& d) { d.put(WaitEvents{.events = {d.constant(1)}}); }));
}

// ---- flags that are volatile ----

struct Shape {
  uint32_t bytes = 4;
  Type type = k_int;
  bool is_volatile = true, spec = false;
  Space space = Space::global;
  size_t arrays = 1;
};

// Which of a load and a store become atomics, of all volatile accesses.
std::pair<bool, bool> strengthened(const Shape& s, Dialect dialect = Dialect::cuda) {
  Draft d;
  const ValueId p = d.pointer_parameter("p");
  d.m.regions[0].space = s.space;
  d.m.dialect = dialect;
  Access a{.pointer = p, .bytes = s.bytes, .regions = std::vector<RegionId>(s.arrays, RegionId{0})};
  a.is_volatile = s.is_volatile;
  const ValueId v = d.put(Load{.access = a, .spec = s.spec}, s.type);
  d.put(Store{a, v});
  d.m.functions = {d.f};
  flow::strengthen_volatile(d.m);
  const auto& list = d.m.functions[0].blocks[0].instructions;
  return {std::holds_alternative<Atomic>(list[0].action), std::holds_alternative<Atomic>(list[1].action)};
}

TEST(Volatile, of_one_word_is_a_relaxed_atomic) {
  const std::pair both(true, true), none(false, false);
  for (const uint32_t bytes : {1u, 2u, 4u, 8u}) {
    const Type own{Type::bits, static_cast<uint8_t>(8 * bytes)};
    EXPECT_EQ(strengthened({.bytes = bytes, .type = own}), both) << bytes;
    EXPECT_EQ(
        strengthened({.bytes = bytes, .type = {Type::bits, static_cast<uint8_t>(bytes == 8 ? 32 : 8 * bytes + 8)}}),
        none)
        << bytes;
    EXPECT_EQ(strengthened({.bytes = bytes, .type = {Type::pointer, own.width}}), none) << bytes;
  }
  for (const uint32_t bytes : {3u, 5u, 6u, 7u})
    EXPECT_EQ(strengthened({.bytes = bytes, .type = {Type::bits, static_cast<uint8_t>(8 * bytes)}}), none) << bytes;
  EXPECT_EQ(strengthened({.is_volatile = false}), none);
  EXPECT_EQ(strengthened({.spec = true}), std::pair(false, true));
  EXPECT_EQ(strengthened({.space = Space::group}), both);
  EXPECT_EQ(strengthened({.space = Space::private_}), none);
  EXPECT_EQ(strengthened({.space = Space::constant}), none);
  EXPECT_EQ(strengthened({.arrays = 0}), none);
  EXPECT_EQ(strengthened({.arrays = 2}), both);
  EXPECT_EQ(strengthened({}, Dialect::opencl), none);
}

// while (flag[at] != 1); .. = flag[other]; : is the polled load a flag?
struct Poll {
  std::function<ValueId(Draft&, ValueId)> at, other;
  uint32_t other_bytes = 4;
  bool other_volatile = false;
};

bool polled(const Poll& p) {
  Draft d;
  d.m.dialect = Dialect::cuda;
  const ValueId n = d.scalar_parameter("n"), flag = d.pointer_parameter("flag");
  const ValueId at = p.at(d, n), other = p.other(d, n);
  const auto place = [&](ValueId bytes) {
    return d.put(Compute{.op = Op::pointer_add, .operands = {flag, bytes}}, k_pointer);
  };
  const ValueId here = place(at), there = place(other);
  const BlockId header = d.block(), after = d.block();
  d.jump(header);
  d.at = header;
  Access a{.pointer = here, .bytes = 4, .regions = {{0}}, .site = d.m.sites++};
  a.is_volatile = true;
  const ValueId seen = d.put(Load{.access = a}, k_int);
  d.branch(d.op(Op::ne, seen, d.constant(1)), header, after);
  d.at = after;
  Access b{.pointer = there, .bytes = p.other_bytes, .regions = {{0}}, .site = d.m.sites++};
  b.is_volatile = p.other_volatile;
  d.put(Load{.access = b}, {Type::bits, static_cast<uint8_t>(8 * p.other_bytes)});
  d.m.functions = {d.f};
  EXPECT_TRUE(ir::faults(d.m).empty());
  flow::strengthen_flags(d.m);
  return std::holds_alternative<Atomic>(d.m.functions[0].blocks[header.index].instructions[0].action);
}

// k * n + c bytes
std::function<ValueId(Draft&, ValueId)> bytes(uint64_t k, int64_t c) {
  return [=](Draft& d, ValueId n) {
    const ValueId constant = d.constant(static_cast<uint32_t>(c));
    return k == 0 ? constant : d.op(Op::add, d.op(Op::mul, n, d.constant(k)), constant);
  };
}

TEST(Flags, are_places_that_nothing_else_reads) {
  EXPECT_TRUE(polled({bytes(0, 0), bytes(0, 4)}));
  EXPECT_FALSE(polled({bytes(0, 0), bytes(0, 0)}));
  EXPECT_FALSE(polled({bytes(0, 0), bytes(0, 3), 1}));
  EXPECT_TRUE(polled({bytes(0, 0), bytes(0, 4), 1}));
  EXPECT_FALSE(polled({bytes(0, 4), bytes(0, 0), 8}));
  EXPECT_TRUE(polled({bytes(0, 8), bytes(0, 0), 8}));
  EXPECT_TRUE(polled({bytes(0, 8), bytes(0, 4)}));
  // The fields of an array of structures.
  EXPECT_TRUE(polled({bytes(8, 0), bytes(8, 4)}));
  EXPECT_TRUE(polled({bytes(8, 4), bytes(8, 0)}));
  EXPECT_FALSE(polled({bytes(8, 0), bytes(8, 8)}));
  EXPECT_FALSE(polled({bytes(8, 0), bytes(4, 4)}));
  EXPECT_FALSE(polled({bytes(8, 0), bytes(12, 8)}));
  EXPECT_TRUE(polled({bytes(16, 8), bytes(8, 4)}));
  EXPECT_TRUE(polled({bytes(8, 0), bytes(0, 4)}));
  EXPECT_FALSE(polled({bytes(8, 0), bytes(0, 16)}));
  EXPECT_TRUE(polled({bytes(8, -4), bytes(8, 0)}));
  EXPECT_TRUE(polled({bytes(8, 0), bytes(8, -4)}));
  EXPECT_FALSE(polled({bytes(8, -8), bytes(8, 0)}));
  EXPECT_FALSE(polled({bytes(8, 0), bytes(8, 4), 8}));
  EXPECT_FALSE(polled({bytes(1, 0), bytes(8, 4)}));
  // By shifts, and made wider.
  const auto shifted = [](uint64_t by, int64_t c) {
    return [=](Draft& d, ValueId n) {
      return d.op(Op::add, d.op(Op::shl, n, d.constant(by)), d.constant(static_cast<uint32_t>(c)));
    };
  };
  EXPECT_TRUE(polled({shifted(3, 0), shifted(3, 4)}));
  EXPECT_FALSE(polled({shifted(2, 0), shifted(3, 4)}));
  EXPECT_FALSE(polled({shifted(3, 0), shifted(3, 8)}));
  const auto wider = [](Op o, uint64_t by, int64_t c) {
    return [=](Draft& d, ValueId) {
      const Type half{Type::bits, 16};
      const ValueId n = d.scalar_parameter("m", half);
      const ValueId v =
          d.op(Op::add, d.op(Op::mul, n, d.constant(by, half)), d.constant(static_cast<uint16_t>(c), half));
      return d.put(Compute{.op = o, .operands = {v}}, k_int);
    };
  };
  for (const Op o : {Op::sext, Op::zext}) {
    EXPECT_TRUE(polled({wider(o, 8, 0), wider(o, 8, 4)}));
    EXPECT_TRUE(polled({wider(o, 8, -4), wider(o, 8, 0)}));
    EXPECT_FALSE(polled({wider(o, 8, 0), wider(o, 8, 8)}));
    EXPECT_FALSE(polled({wider(o, 4, 0), wider(o, 8, 4)}));
    EXPECT_TRUE(polled({wider(o, 24, 0), wider(o, 24, 4)}));
    EXPECT_FALSE(polled({wider(o, 24, 0), wider(o, 24, 8)}));  // it may have wrapped: 8 divides, 24 does not
  }
}

}  // namespace
}  // namespace fencepost::prove
