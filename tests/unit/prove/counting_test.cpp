// How many iterations a loop has, and whether what its atomics add comes round: held to loops that are run here, value
// by value, and to sums that are done by hand. Nothing is proved: what one run of the two threads takes for known is
// looked at.
#include <fmt/format.h>

#include "draft.h"
#include "flow/effects.h"
#include "prove/execute.h"

namespace fencepost::prove {
namespace {

// What is known of the tickets of a counter: that they are apart, that they are if the counter does not come round, or
// nothing.
enum class Says : uint8_t { apart, assumed, nothing };

Says says(Draft& d) {
  d.m.functions = {d.f};
  EXPECT_TRUE(ir::faults(d.m).empty());
  const flow::Effects effects(d.m);
  formula::Pool pool;
  const Refuted refuted;
  const Job job;
  Execution x(pool, d.m, effects, {0}, d.options, Pairing::same_group, refuted, Lanes::any, job);
  x.run();
  const bool assumed =
      std::ranges::any_of(x.assumptions, [](const Assumption& a) { return a.kind == Assumption::counter; });
  const bool apart = std::ranges::any_of(x.trace.facts, [](const order::Fact& f) { return f.threads == 3; });
  EXPECT_TRUE(apart || !assumed);
  return assumed ? Says::assumed : apart ? Says::apart : Says::nothing;
}

// 256 threads add 2^21 at a time: the counter has come round when each has done so more than eight times.
constexpr uint64_t k_amount = uint64_t{1} << 21;
constexpr uint64_t k_times = 8;

void sizes(Draft& d, uint64_t local = 64, uint64_t groups = 4) {
  d.options.launch.local_size[0] = local;
  d.options.launch.num_groups[0] = groups;
}

uint64_t ones(uint8_t width) { return formula::ones(width); }
int64_t as_signed(uint64_t v, uint8_t width) { return formula::as_signed(v, width); }

bool compares(Op o, uint64_t a, uint64_t b, uint8_t w) {
  const int64_t x = as_signed(a, w), y = as_signed(b, w);
  switch (o) {
    case Op::slt:
      return x < y;
    case Op::sle:
      return x <= y;
    case Op::sgt:
      return x > y;
    case Op::sge:
      return x >= y;
    case Op::ult:
      return a < b;
    case Op::ule:
      return a <= b;
    case Op::ugt:
      return a > b;
    case Op::uge:
      return a >= b;
    case Op::eq:
      return a == b;
    default:
      return a != b;
  }
}

// for (i = first; i `compare` limit; i = i `op` by) add();
// or, tested behind: do add(); while (next(i) `compare` limit);
struct Loop {
  Op compare = Op::slt;
  uint64_t first = 0, limit = 8;
  Op op = Op::add;
  uint64_t by = 1;
  uint8_t width = 8;
  bool latch = false;      // the next value is tested, behind the body
  bool swapped = false;    // the limit stands first
  bool leaves = false;     // the condition says that the loop is left
  bool in_header = false;  // the addition stands before the test
  bool nsw = false;        // the source says that the counter does not wrap
  bool moved = false;      // the limit is a variable of the loop: in each second round it is another number
  uint64_t first_more = 0, limit_more = 0;  // first and limit may be larger by up to so much, a power of two less one

  uint64_t next(uint64_t i) const {
    switch (op) {
      case Op::add:
        return (i + by) & ones(width);
      case Op::sub:
        return (i - by) & ones(width);
      case Op::mul:
        return (i * by) & ones(width);
      case Op::shl:
        return (i << by) & ones(width);
      case Op::ashr:
        return static_cast<uint64_t>(as_signed(i, width) >> by) & ones(width);
      case Op::sdiv:
        return static_cast<uint64_t>(as_signed(i, width) / static_cast<int64_t>(by)) & ones(width);
      default:
        return i >> by;
    }
  }
  bool stays(uint64_t i, uint64_t to) const {
    return compares(compare, swapped ? to : i, swapped ? i : to, width) != leaves;
  }
  // How often it adds; at most 100.
  uint64_t times(uint64_t from, uint64_t to) const {
    uint64_t n = 0;
    for (uint64_t i = from; n < 100;) {
      if (latch || in_header) ++n;
      if (latch) i = next(i);
      if (!stays(i, moved ? to ^ ((latch ? n - 1 : n) & 1) : to)) break;
      if (!latch && !in_header) ++n;
      if (!latch) i = next(i);
    }
    return n;
  }
  uint64_t times() const {
    uint64_t most = 0;
    for (uint64_t a = 0; a <= first_more; ++a)
      for (uint64_t b = 0; b <= limit_more; ++b) most = std::max(most, times(first + a, limit + b));
    return most;
  }
};

void add_to(Draft& d, ValueId counter, uint64_t amount) { d.atomic_add(counter, d.constant(0), d.constant(amount)); }

void build(Draft& d, const Loop& l, const std::function<void()>& body) {
  const Type type{Type::bits, l.width};
  const auto from = [&](uint64_t least, uint64_t more, const char* name) {
    if (more == 0) return d.constant(least, type);
    const ValueId some = d.op(Op::and_, d.scalar_parameter(name, type), d.constant(more, type));
    return d.op(Op::add, some, d.constant(least, type));
  };
  const ValueId start = from(l.first, l.first_more, "first"), limit = from(l.limit, l.limit_more, "limit");
  const BlockId before = d.at, header = d.block(), inside = l.latch ? BlockId{} : d.block(), after = d.block();
  d.jump(header);
  d.at = header;
  const ValueId i = d.value({.kind = Value::result, .type = type, .name = "i"});
  d.f.blocks[header.index].instructions.push_back({{i}, Phi{}, {}});
  ValueId moving = limit;
  if (l.moved) {
    moving = d.value({.kind = Value::result, .type = type, .name = "limit"});
    d.f.blocks[header.index].instructions.push_back({{moving}, Phi{}, {}});
  }
  ValueId other;
  const auto test = [&](ValueId v, BlockId on) {
    if (l.moved) other = d.op(Op::xor_, moving, d.constant(1, type));
    const ValueId c = d.op(l.compare, l.swapped ? moving : v, l.swapped ? v : moving);
    l.leaves ? d.branch(c, after, on) : d.branch(c, on, after);
  };
  const auto step = [&] { return d.op(l.op, i, d.constant(l.by, type), l.nsw); };
  ValueId n;
  if (l.latch) {
    body();
    n = step();
    test(n, header);
  } else {
    if (l.in_header) body();
    test(i, inside);
    d.at = inside;
    if (!l.in_header) body();
    n = step();
    d.jump(header);
  }
  std::get<Phi>(d.f.blocks[header.index].instructions[0].action).entries = {{before, start}, {d.at, n}};
  if (l.moved)
    std::get<Phi>(d.f.blocks[header.index].instructions[1].action).entries = {{before, limit}, {d.at, other}};
  d.at = after;
}

Says counted(const Loop& l, uint64_t amount = k_amount) {
  Draft d;
  const ValueId counter = d.pointer_parameter("counter");
  build(d, l, [&] { add_to(d, counter, amount); });
  sizes(d);
  return says(d);
}

std::string text(const Loop& l) {
  return fmt::format("{} {}+{} {}+{}, {} {}, {} bits{}{}{}{}{}", static_cast<int>(l.compare), l.first, l.first_more,
                     l.limit, l.limit_more, static_cast<int>(l.op), l.by, l.width, l.latch ? ", behind" : "",
                     l.swapped ? ", swapped" : "", l.leaves ? ", leaves" : "", l.in_header ? ", in the header" : "",
                     l.nsw ? ", nsw" : "");
}

// No value for which the loop goes on is so near the end of the numbers that a step passes it; nor is the first.
bool never_wraps(const Loop& l) {
  const bool is_signed = l.compare == Op::slt || l.compare == Op::sle || l.compare == Op::sgt || l.compare == Op::sge;
  const int64_t by = as_signed(l.op == Op::sub ? (0 - l.by) & ones(l.width) : l.by, l.width);
  const int64_t least = is_signed ? -int64_t{1} << (l.width - 1) : 0,
                most = least + static_cast<int64_t>(ones(l.width));
  const bool up = l.compare == Op::slt || l.compare == Op::sle || l.compare == Op::ult || l.compare == Op::ule;
  if (l.latch && up != (by > 0)) return false;  // away from the limit: of such a loop nothing is said
  const auto passes = [&](uint64_t i) {
    const int64_t x = (is_signed ? as_signed(i, l.width) : static_cast<int64_t>(i)) + by;
    return x < least || x > most;
  };
  for (uint64_t to = l.limit; to <= l.limit + l.limit_more; ++to)
    for (uint64_t i = 0; i <= ones(l.width); ++i)
      if (l.stays(i, to) && passes(i)) return false;
  for (uint64_t a = 0; a <= l.first_more; ++a)
    if (l.latch && passes(l.first + a)) return false;
  return true;
}

const std::vector<Op> k_orders{Op::slt, Op::sle, Op::sgt, Op::sge, Op::ult, Op::ule, Op::ugt, Op::uge};
const std::vector<uint64_t> k_near_ends{0,   1,   2,   7,   8,   9,   100, 119, 120, 126,
                                        127, 128, 129, 135, 136, 200, 247, 254, 255};

template <class Each>
void every_counter(bool latch, Each each) {
  for (const Op compare : k_orders)
    for (const uint64_t first : k_near_ends)
      for (const uint64_t limit : k_near_ends)
        for (const uint64_t by : {1u, 2u, 3u, 13u, 128u, 256u - 1u, 256u - 2u, 256u - 3u, 256u - 13u})
          each(Loop{.compare = compare, .first = first, .limit = limit, .by = by, .latch = latch});
}

TEST(Counting, no_loop_runs_more_often_than_it_is_said_to) {
  uint64_t often = 0;
  for (const bool latch : {false, true})
    every_counter(latch, [&](const Loop& l) {
      if ((l.first * 5 + l.limit + l.by) % 3 != 0 || l.times() <= k_times) return;
      ++often;
      EXPECT_NE(counted(l), Says::apart) << text(l);
    });
  EXPECT_GT(often, 1000u);
}

// Where no step passes the end of the numbers the count is exact: of constants the counter comes round, or does not.
TEST(Counting, counters_that_do_not_wrap_are_counted_exactly) {
  uint64_t seen = 0;
  every_counter(false, [&](Loop l) {
    if (!never_wraps(l) || l.times() == 0) return;
    ++seen;
    EXPECT_EQ(counted(l), l.times() <= k_times ? Says::apart : Says::nothing) << text(l);
  });
  EXPECT_GT(seen, 1000u);
}

TEST(Counting, counters_that_are_tested_behind_are_counted_exactly) {
  uint64_t seen = 0;
  every_counter(true, [&](Loop l) {
    if (!never_wraps(l) || l.times() == 0) return;
    ++seen;
    EXPECT_EQ(counted(l), l.times() <= k_times ? Says::apart : Says::nothing) << text(l);
  });
  EXPECT_GT(seen, 1000u);
}

// One more and one less: in other forms of the test, of the step and of the place of the addition.
TEST(Counting, the_forms_of_a_test) {
  struct Form {
    Op compare;
    uint64_t by;      // down from 40, or up from 10
    uint64_t eighth;  // limit of a loop that runs eight times
    int64_t further;  // to the limit of one that runs nine times
  };
  const std::vector<Form> forms{
      {Op::slt, 1, 18, 1},    {Op::sle, 1, 17, 1},    {Op::ult, 1, 18, 1},    {Op::ule, 1, 17, 1},
      {Op::sgt, 255, 32, -1}, {Op::sge, 255, 33, -1}, {Op::ugt, 255, 32, -1}, {Op::uge, 255, 33, -1},
      {Op::slt, 3, 34, 1},    {Op::sle, 3, 33, 1},    {Op::ult, 3, 34, 1},    {Op::ule, 3, 33, 1},
      {Op::sgt, 253, 16, -1}, {Op::sge, 253, 17, -1}, {Op::ugt, 253, 16, -1}, {Op::uge, 253, 17, -1},
      {Op::ne, 1, 18, 1},     {Op::ne, 255, 32, -1},  {Op::ne, 3, 34, 3},     {Op::ne, 253, 16, -3}};
  const auto mirrored = [](Op o) {
    switch (o) {
      case Op::slt:
        return Op::sgt;
      case Op::sle:
        return Op::sge;
      case Op::sgt:
        return Op::slt;
      case Op::sge:
        return Op::sle;
      case Op::ult:
        return Op::ugt;
      case Op::ule:
        return Op::uge;
      case Op::ugt:
        return Op::ult;
      case Op::uge:
        return Op::ule;
      default:
        return o;
    }
  };
  const auto negated = [](Op o) {
    switch (o) {
      case Op::slt:
        return Op::sge;
      case Op::sle:
        return Op::sgt;
      case Op::sgt:
        return Op::sle;
      case Op::sge:
        return Op::slt;
      case Op::ult:
        return Op::uge;
      case Op::ule:
        return Op::ugt;
      case Op::ugt:
        return Op::ule;
      case Op::uge:
        return Op::ult;
      case Op::eq:
        return Op::ne;
      default:
        return Op::eq;
    }
  };
  for (const Form& f : forms)
    for (int way = 0; way < 32; ++way) {
      const bool down = f.by > 128;
      Loop l{.compare = f.compare, .first = down ? 40u : 10u, .by = f.by, .latch = (way & 1) != 0};
      l.swapped = (way & 2) != 0;
      l.leaves = (way & 4) != 0;
      l.in_header = (way & 8) != 0 && !l.latch;
      if (l.swapped) l.compare = mirrored(l.compare);
      if (l.leaves) l.compare = negated(l.compare);
      if ((way & 16) != 0) {
        l.op = Op::sub;
        l.by = 256 - l.by;
      }
      for (const bool ninth : {false, true}) {
        l.limit = static_cast<uint64_t>(static_cast<int64_t>(f.eighth) + (ninth ? f.further : 0));
        // Of what stands before the test there is one more.
        const uint64_t size = down ? 256 - f.by : f.by;
        Loop shorter = l;
        if (l.in_header) shorter.first = down ? l.first - size : l.first + size;
        ASSERT_EQ(shorter.times(), ninth ? 9u : 8u) << text(shorter);
        EXPECT_EQ(counted(shorter), ninth ? Says::nothing : Says::apart) << text(shorter);
      }
    }
}

// A loop that runs once: its last value is its first one. And one that goes nowhere.
TEST(Counting, once_and_for_ever) {
  constexpr uint64_t k_too_much = uint64_t{1} << 25;  // of 256 threads, once each
  for (const bool latch : {false, true})
    for (const auto& [compare, limit, by] : std::vector<std::tuple<Op, uint64_t, uint64_t>>{{Op::slt, 21, 1},
                                                                                            {Op::sle, 20, 1},
                                                                                            {Op::ult, 21, 1},
                                                                                            {Op::ule, 20, 1},
                                                                                            {Op::sgt, 19, 255},
                                                                                            {Op::sge, 20, 255},
                                                                                            {Op::ugt, 19, 255},
                                                                                            {Op::uge, 20, 255},
                                                                                            {Op::ne, 21, 1},
                                                                                            {Op::ne, 19, 255}}) {
      const Loop once{.compare = compare, .first = 20, .limit = limit, .by = by, .latch = latch};
      ASSERT_EQ(once.times(), 1u) << text(once);
      EXPECT_EQ(counted(once, k_too_much / 2), Says::apart) << text(once);
      EXPECT_EQ(counted(once, k_too_much), Says::nothing) << text(once);
      for (const uint64_t first : {uint64_t{20}, limit}) {
        const Loop still{.compare = compare, .first = first, .limit = limit, .by = 0, .latch = latch};
        if (still.times() > k_times) EXPECT_EQ(counted(still), Says::assumed) << text(still);
      }
    }
}

// Behind its limit from the start: never, or once where that is asked behind.
TEST(Counting, behind_the_limit_at_once) {
  for (const auto& [compare, limit, by] : std::vector<std::tuple<Op, uint64_t, uint64_t>>{{Op::slt, 15, 1},
                                                                                          {Op::sle, 15, 1},
                                                                                          {Op::ult, 15, 1},
                                                                                          {Op::ule, 15, 1},
                                                                                          {Op::sgt, 25, 255},
                                                                                          {Op::sge, 25, 255},
                                                                                          {Op::ugt, 25, 255},
                                                                                          {Op::uge, 25, 255}}) {
    const Loop l{.compare = compare, .first = 20, .limit = limit, .by = by, .latch = true};
    ASSERT_EQ(l.times(), 1u);
    EXPECT_EQ(counted(l, uint64_t{1} << 24), Says::apart) << text(l);
  }
}

// Of numbers of which only a range is known the count is that of the furthest ones, and nothing is known to be added so
// often.
TEST(Counting, between_numbers_that_are_not_known) {
  struct Row {
    Loop loop;
    Says expected;
  };
  const auto row = [](Op compare, uint64_t first, uint64_t first_more, uint64_t limit, uint64_t limit_more, uint64_t by,
                      Says expected) {
    return Row{{.compare = compare,
                .first = first,
                .limit = limit,
                .by = by,
                .first_more = first_more,
                .limit_more = limit_more},
               expected};
  };
  const uint64_t down = 255;
  for (const Row& r : {row(Op::slt, 4, 3, 9, 3, 1, Says::apart), row(Op::slt, 4, 3, 10, 3, 1, Says::assumed),
                       row(Op::slt, 3, 3, 9, 3, 1, Says::assumed), row(Op::sle, 4, 3, 8, 3, 1, Says::apart),
                       row(Op::sle, 4, 3, 9, 3, 1, Says::assumed), row(Op::ult, 4, 3, 9, 3, 1, Says::apart),
                       row(Op::ult, 4, 3, 10, 3, 1, Says::assumed), row(Op::ule, 4, 3, 8, 3, 1, Says::apart),
                       row(Op::ule, 4, 3, 9, 3, 1, Says::assumed), row(Op::sgt, 37, 3, 32, 3, down, Says::apart),
                       row(Op::sgt, 38, 3, 32, 3, down, Says::assumed), row(Op::sgt, 37, 3, 31, 3, down, Says::assumed),
                       row(Op::sge, 37, 3, 33, 3, down, Says::apart), row(Op::sge, 37, 3, 32, 3, down, Says::assumed),
                       row(Op::ugt, 37, 3, 32, 3, down, Says::apart), row(Op::ugt, 38, 3, 32, 3, down, Says::assumed),
                       row(Op::uge, 37, 3, 33, 3, down, Says::apart), row(Op::uge, 37, 3, 32, 3, down, Says::assumed),
                       // To zero, from no one knows where.
                       row(Op::ne, 1, 7, 0, 0, down, Says::apart), row(Op::ne, 2, 7, 0, 0, down, Says::assumed),
                       // Somewhere else it may be passed.
                       row(Op::ne, 2, 3, 1, 0, down, Says::assumed), row(Op::ne, 1, 3, 0, 0, 254, Says::assumed),
                       row(Op::ne, 4, 0, 5, 3, 1, Says::assumed)}) {
    ASSERT_EQ(r.loop.times() <= k_times || r.expected != Says::apart, true) << text(r.loop);
    EXPECT_EQ(counted(r.loop), r.expected) << text(r.loop);
  }
}

// Tested behind, between a known limit and a start of which only a range is known.
TEST(Counting, tested_behind_from_a_number_that_is_not_known) {
  const auto row = [](Op compare, uint64_t first, uint64_t more, uint64_t limit, uint64_t by) {
    return Loop{.compare = compare, .first = first, .limit = limit, .by = by, .latch = true, .first_more = more};
  };
  for (const Loop& l :
       {row(Op::slt, 4, 3, 12, 1), row(Op::slt, 4, 3, 13, 1), row(Op::sle, 4, 3, 11, 1), row(Op::sle, 4, 3, 12, 1),
        row(Op::ult, 4, 3, 12, 1), row(Op::ult, 4, 3, 13, 1), row(Op::ule, 4, 3, 11, 1), row(Op::ule, 4, 3, 12, 1),
        row(Op::sgt, 37, 3, 32, 255), row(Op::sgt, 37, 3, 31, 255), row(Op::sge, 37, 3, 33, 255),
        row(Op::sge, 37, 3, 32, 255), row(Op::ugt, 37, 3, 32, 255), row(Op::ugt, 37, 3, 31, 255),
        row(Op::uge, 37, 3, 33, 255), row(Op::uge, 37, 3, 32, 255)})
    EXPECT_EQ(counted(l), l.times() <= k_times ? Says::apart : Says::assumed) << text(l) << ": " << l.times();
  // Which may be equal to the limit at once, and then all numbers come.
  EXPECT_EQ(counted(row(Op::ne, 4, 3, 12, 1)), Says::assumed);
}

// A limit that the loop changes says nothing, whichever side of it the counter begins at.
TEST(Counting, a_limit_that_is_changed) {
  for (const bool latch : {false, true})
    for (const auto& [compare, first, limit, by] :
         std::vector<std::tuple<Op, uint64_t, uint64_t, uint64_t>>{{Op::ult, 200, 255, 1},
                                                                   {Op::slt, 20, 100, 1},
                                                                   {Op::ugt, 100, 20, 255},
                                                                   {Op::sgt, 100, 20, 255},
                                                                   {Op::sgt, 0x80 - 1, 0xf0, 255},
                                                                   {Op::ne, 20, 100, 3}}) {
      const Loop l{.compare = compare, .first = first, .limit = limit, .by = by, .latch = latch, .moved = true};
      ASSERT_GT(l.times(), k_times) << text(l);
      EXPECT_EQ(counted(l), Says::assumed) << text(l);
    }
}

// Halved and doubled: as often as there are bits, by so many at a time.
TEST(Counting, shifts) {
  const auto right = [](Op compare, uint64_t first, uint64_t limit, Op op, uint64_t by, uint8_t width = 32) {
    return Loop{.compare = compare, .first = first, .limit = limit, .op = op, .by = by, .width = width};
  };
  // 7 bits, and 25 by three: 8 times at most are said; 9 times are made.
  for (const Loop& l :
       {right(Op::ugt, 127, 0, Op::lshr, 1), right(Op::ne, 127, 0, Op::lshr, 1), right(Op::uge, 127, 1, Op::lshr, 1),
        right(Op::sgt, 127, 0, Op::lshr, 1), right(Op::sge, 127, 1, Op::lshr, 1), right(Op::ugt, 127, 0, Op::udiv, 2),
        right(Op::sgt, 127, 0, Op::ashr, 1), right(Op::sge, 127, 1, Op::ashr, 1), right(Op::sgt, 127, 0, Op::sdiv, 2),
        right(Op::sge, 127, 1, Op::sdiv, 2), right(Op::sgt, 0x7fff, 0, Op::sdiv, 4),
        right(Op::ugt, 0x7fff, 0, Op::lshr, 2), right(Op::ugt, (1u << 23) - 1, 0, Op::lshr, 3),
        right(Op::ult, 1, 127, Op::shl, 1), right(Op::ule, 1, 127, Op::shl, 1), right(Op::slt, 1, 127, Op::shl, 1),
        right(Op::sle, 1, 127, Op::mul, 2), right(Op::ult, 1, 0x7fff, Op::shl, 2),
        right(Op::slt, 1, 0x7fff, Op::mul, 4)}) {
    EXPECT_LE(l.times(), k_times);
    EXPECT_EQ(counted(l), Says::apart) << text(l);
  }
  for (const Loop& l :
       {right(Op::ugt, 0x1ffffff, 0, Op::lshr, 3), right(Op::ne, 0x1ffffff, 0, Op::lshr, 3),
        right(Op::uge, 0x1ffffff, 1, Op::lshr, 3), right(Op::sgt, 0x1ffffff, 0, Op::ashr, 3),
        right(Op::sge, 0x1ffffff, 1, Op::sdiv, 8), right(Op::ult, 1, 0x1000001, Op::shl, 3),
        right(Op::ule, 1, 0x1000000, Op::mul, 8), right(Op::slt, 1, 0x1000001, Op::shl, 3),
        right(Op::sle, 1, 0x1000000, Op::mul, 8),
        // Not over: a limit that what is left may stay at, a test that says nothing, a start at 0 or below, a step that
        // passes the end.
        right(Op::uge, 127, 0, Op::lshr, 1), right(Op::sge, 127, 0, Op::lshr, 1), right(Op::ult, 127, 200, Op::lshr, 1),
        right(Op::ne, 127, 100, Op::lshr, 1), right(Op::sgt, 127, 0xffffffff, Op::lshr, 1),
        right(Op::sge, 127, 0xffffffff, Op::ashr, 1), right(Op::sgt, 0xffffff80, 0xfffffffe, Op::ashr, 1),
        right(Op::ult, 0, 128, Op::shl, 1), right(Op::slt, 0xffffffff, 127, Op::shl, 1),
        right(Op::ult, 1, 0x80000001, Op::shl, 1), right(Op::ule, 3, 0xffffffff, Op::shl, 1),
        right(Op::slt, 3, 0x7fffffff, Op::shl, 1), right(Op::ugt, 128, 3, Op::shl, 1),
        right(Op::ne, 1, 128, Op::shl, 1)}) {
    if (l.times() > k_times) EXPECT_NE(counted(l), Says::apart) << text(l);
  }
}

// That a counter of 64 bits makes fewer than 2^32 steps is taken for granted of steps of the launch's size alone.
TEST(Counting, a_long_counter_by_ones) {
  for (const Op compare : {Op::slt, Op::ult}) {
    Draft d;
    const ValueId counter = d.pointer_parameter("counter");
    build(d, {.compare = compare, .limit = 0, .width = 64, .limit_more = ~uint64_t{0} >> 1},
          [&] { add_to(d, counter, 1); });
    sizes(d, 1, 1);
    d.options.counters_end = true;
    EXPECT_EQ(says(d), Says::assumed);
  }
}

// ---- what all threads add together -----------------------------------------------------------------------------

struct Sum {
  uint64_t local = 64, groups = 4;
  uint64_t amount = uint64_t{1} << 24;
  bool group = false;  // the counter is of the group
  bool kernel = true;
  uint8_t dimension = 0;             // of the sizes
  bool twice = false;                // another addition behind it
  std::vector<uint64_t> loops = {};  // around it; 0: of a count that is not known
};

Says summed(const Sum& s) {
  Draft d;
  d.f.kernel = s.kernel;
  const ValueId counter = s.group ? d.group_array("counter", 4) : d.pointer_parameter("counter");
  std::function<void(size_t)> nested = [&](size_t n) {
    if (n == s.loops.size()) return add_to(d, counter, s.amount);
    const ValueId limit = s.loops[n] == 0 ? d.scalar_parameter("n") : d.constant(s.loops[n]);
    d.count(d.constant(0), limit, 1, [&](ValueId) { nested(n + 1); });
  };
  nested(0);
  if (s.twice) add_to(d, counter, s.amount);
  d.options.launch.local_size[s.dimension] = s.local;
  d.options.launch.num_groups[s.dimension] = s.groups;
  return says(d);
}

TEST(Counting, what_all_threads_add) {
  const uint64_t all = uint64_t{1} << 24;  // 256 times this is 2^32
  for (const uint8_t d : {0, 1, 2}) {
    EXPECT_EQ(summed({.dimension = d}), Says::apart);
    EXPECT_EQ(summed({.groups = 5, .dimension = d}), Says::nothing);
    EXPECT_EQ(summed({.local = 65, .dimension = d}), Says::nothing);
    EXPECT_EQ(summed({.amount = 4 * all, .group = true, .dimension = d}), Says::apart);
    EXPECT_EQ(summed({.amount = 4 * all + 1, .group = true, .dimension = d}), Says::nothing);
    EXPECT_EQ(summed({.local = 65, .amount = 4 * all, .group = true, .dimension = d}), Says::nothing);
  }
  EXPECT_EQ(summed({.amount = all + 1}), Says::nothing);
  EXPECT_EQ(summed({.amount = all / 2, .twice = true}), Says::apart);
  EXPECT_EQ(summed({.amount = all, .twice = true}), Says::nothing);
  // As often as the loops around it say, all of them.
  EXPECT_EQ(summed({.amount = all / 8, .loops = {8}}), Says::apart);
  EXPECT_EQ(summed({.amount = all / 8, .loops = {9}}), Says::nothing);
  EXPECT_EQ(summed({.amount = all / 8, .loops = {2, 4}}), Says::apart);
  EXPECT_EQ(summed({.amount = all / 8, .loops = {3, 4}}), Says::nothing);
  EXPECT_EQ(summed({.amount = all / 8, .loops = {2, 5}}), Says::nothing);
  // Of a count that is not known it is taken for granted; not where the rest is too much already.
  EXPECT_EQ(summed({.amount = 1, .loops = {0}}), Says::assumed);
  EXPECT_EQ(summed({.amount = all / 8, .loops = {8, 0}}), Says::assumed);
  EXPECT_EQ(summed({.amount = all / 8, .loops = {0, 8}}), Says::assumed);
  EXPECT_EQ(summed({.amount = all / 8, .loops = {9, 0}}), Says::nothing);
  EXPECT_EQ(summed({.amount = 2 * all, .loops = {0}}), Says::nothing);
}

TEST(Counting, what_launches_of_any_size_add) {
  const uint64_t large = uint64_t{1} << 24;  // of which 256 threads come round
  for (const bool groups : {false, true}) {
    const Sum any{.local = groups ? 64u : 0u, .groups = groups ? 0u : 4u};
    const auto of = [&](uint64_t amount, std::vector<uint64_t> loops = {}) {
      Sum s = any;
      s.amount = amount;
      s.loops = std::move(loops);
      return summed(s);
    };
    EXPECT_EQ(of(1), Says::assumed);
    EXPECT_EQ(of(large / 64), Says::assumed);
    EXPECT_EQ(of(large), Says::nothing);
    EXPECT_EQ(of(large - 1, {}), groups ? Says::assumed : Says::assumed);
    EXPECT_EQ(of(large / 8, {7}), Says::assumed);
    EXPECT_EQ(of(large / 8, {8}), Says::nothing);
  }
  // The counter of a group has its threads alone.
  EXPECT_EQ(summed({.groups = 0, .amount = 4 * large, .group = true}), Says::apart);
  EXPECT_EQ(summed({.local = 0, .amount = 1, .group = true}), Says::assumed);
  // A function that is no kernel may be called again.
  EXPECT_EQ(summed({.amount = 1, .kernel = false}), Says::assumed);
  EXPECT_EQ(summed({.amount = large - 1, .kernel = false}), Says::assumed);
  EXPECT_EQ(summed({.amount = large, .kernel = false}), Says::nothing);
}

// ---- counters that are taken not to pass the largest number of their type ------------------------------------------

struct Stride {
  Op compare = Op::slt;
  uint8_t width = 32;
  uint64_t step = 192;  // 0: the threads of a launch of any size
  bool nsw = false, swapped = false, leaves = false;
  bool assumes = true;  // the option
  bool twice = false;   // two additions
  bool moved = false;   // the limit is changed in the loop
  Op op = Op::add;
};

// What is assumed of `for (i = id; i < n; i += step) ;`, without the place of the loop.
std::vector<std::string> assumed(const Stride& s) {
  Draft d;
  const Type type{Type::bits, s.width};
  const ValueId n = d.scalar_parameter("n", type);
  const auto fit = [&](ValueId v) {
    return s.width == 32  ? v
           : s.width > 32 ? d.put(Compute{.op = Op::zext, .operands = {v}}, type)
                          : d.put(Compute{.op = Op::trunc, .operands = {v}}, type);
  };
  const ValueId start = fit(d.lid());
  const ValueId step = s.step != 0 ? d.constant(s.step & ones(s.width), type)
                                   : fit(d.op(Op::mul, d.id(IdKind::local_size), d.id(IdKind::num_groups)));
  const BlockId before = d.at, header = d.block(), inside = d.block(), after = d.block();
  d.jump(header);
  d.at = header;
  const ValueId i = d.value({.kind = Value::result, .type = type, .name = "i"});
  d.f.blocks[header.index].instructions.push_back({{i}, Phi{}, {}});
  ValueId limit = n, moving;
  if (s.moved) {
    moving = limit = d.value({.kind = Value::result, .type = type, .name = "limit"});
    d.f.blocks[header.index].instructions.push_back({{moving}, Phi{}, {}});
  }
  const ValueId c = d.op(s.compare, s.swapped ? limit : i, s.swapped ? i : limit);
  s.leaves ? d.branch(c, after, inside) : d.branch(c, inside, after);
  d.at = inside;
  ValueId next = d.op(s.op, i, step, s.nsw);
  if (s.twice) next = d.op(Op::add, next, d.constant(1, type), s.nsw);
  const ValueId more = s.moved ? d.op(Op::xor_, moving, d.constant(1, type)) : ValueId{};
  d.jump(header);
  std::get<Phi>(d.f.blocks[header.index].instructions[0].action).entries = {{before, start}, {d.at, next}};
  if (s.moved) std::get<Phi>(d.f.blocks[header.index].instructions[1].action).entries = {{before, n}, {d.at, more}};
  d.at = after;
  sizes(d, s.step == 0 ? 0 : 64, s.step == 0 ? 0 : 3);
  d.options.counters_end = s.assumes;
  d.m.functions = {d.f};
  EXPECT_TRUE(ir::faults(d.m).empty());
  const flow::Effects effects(d.m);
  formula::Pool pool;
  const Refuted refuted;
  const Job job;
  Execution x(pool, d.m, effects, {0}, d.options, Pairing::same_group, refuted, Lanes::any, job);
  x.run();
  std::vector<std::string> out;
  for (const Assumption& a : x.assumptions) {
    if (a.kind != Assumption::loop_counter) continue;
    const size_t at = std::min(a.text.find(" does not pass"), a.text.find(" makes"));
    EXPECT_TRUE(a.text.starts_with("the counter of the loop")) << a.text;
    out.push_back(a.text.substr(at + 1));
  }
  return out;
}

TEST(Counting, counters_that_are_taken_not_to_wrap) {
  using Texts = std::vector<std::string>;
  const Texts none, two31{"does not pass 2^31 - 1"}, two32{"does not pass 2^32 - 1"}, two63{"does not pass 2^63 - 1"},
      two64{"does not pass 2^64 - 1"}, few{"makes fewer than 2^32 steps"},
      both63{"does not pass 2^63 - 1", "makes fewer than 2^32 steps"},
      both64{"does not pass 2^64 - 1", "makes fewer than 2^32 steps"};
  EXPECT_EQ(assumed({}), two31);
  EXPECT_EQ(assumed({.compare = Op::sle}), two31);
  EXPECT_EQ(assumed({.compare = Op::ult}), two32);
  EXPECT_EQ(assumed({.compare = Op::ule}), two32);
  EXPECT_EQ(assumed({.compare = Op::sgt, .swapped = true}), two31);
  EXPECT_EQ(assumed({.compare = Op::uge, .swapped = true}), two32);
  EXPECT_EQ(assumed({.compare = Op::sge, .leaves = true}), two31);
  EXPECT_EQ(assumed({.compare = Op::ugt, .leaves = true}), two32);
  EXPECT_EQ(assumed({.width = 64}), two63);
  EXPECT_EQ(assumed({.compare = Op::ult, .width = 64}), two64);
  // Steps that no launch makes large.
  EXPECT_EQ(assumed({.step = 1}), two31);
  EXPECT_EQ(assumed({.step = 1u << 20}), two31);
  EXPECT_EQ(assumed({.step = (1u << 20) + 1}), none);
  EXPECT_EQ(assumed({.step = ~uint64_t{0}}), none);
  EXPECT_EQ(assumed({.step = 0}), two31);
  EXPECT_EQ(assumed({.compare = Op::ult, .step = 0}), two32);
  EXPECT_EQ(assumed({.width = 64, .step = 0}), both63);
  EXPECT_EQ(assumed({.compare = Op::ult, .width = 64, .step = 0}), both64);
  // Where the source says that it does not wrap there is nothing to assume but how many steps there are.
  EXPECT_EQ(assumed({.nsw = true}), none);
  EXPECT_EQ(assumed({.step = 0, .nsw = true}), none);
  EXPECT_EQ(assumed({.width = 64, .nsw = true}), none);
  EXPECT_EQ(assumed({.width = 64, .step = 0, .nsw = true}), few);
  // Not asked for; narrow; by two additions it is none that the source speaks of; tests that do not keep it below.
  EXPECT_EQ(assumed({.assumes = false}), none);
  EXPECT_EQ(assumed({.width = 31}), none);
  EXPECT_EQ(assumed({.width = 16}), none);
  EXPECT_EQ(assumed({.nsw = true, .twice = true}), two31);
  EXPECT_EQ(assumed({.compare = Op::ne}), none);
  EXPECT_EQ(assumed({.compare = Op::sgt}), none);
  EXPECT_EQ(assumed({.compare = Op::uge}), none);
  EXPECT_EQ(assumed({.compare = Op::slt, .swapped = true}), none);
  EXPECT_EQ(assumed({.compare = Op::slt, .leaves = true}), none);
  EXPECT_EQ(assumed({.moved = true}), none);
  EXPECT_EQ(assumed({.step = 1, .op = Op::sub}), none);
  EXPECT_EQ(assumed({.step = 1, .op = Op::shl}), none);
}

}  // namespace
}  // namespace fencepost::prove
