// Which values and branches are the same for all threads (flow/uniform.h): one kernel after another, value by value.
#include "flow/uniform.h"

#include "draft.h"
#include "flow/effects.h"

namespace fencepost::prove {
namespace {

using flow::Threads;

struct Uniform : Draft {
  flow::Uniformity of(Threads threads = Threads::of_group, std::vector<uint8_t> parameters = {}) {
    m.functions.insert(m.functions.begin(), f);
    const auto faults = ir::faults(m);
    EXPECT_TRUE(faults.empty()) << (faults.empty() ? "" : faults.front());
    if (parameters.empty()) parameters.assign(f.parameters.size(), 1);
    const flow::Effects effects(m);
    const auto u = flow::uniformity(m, effects, {0}, {0}, parameters, threads, launch);
    m.functions.erase(m.functions.begin());
    return u;
  }
  // 1: uniform; 2: of each thread's own; 0: neither.
  int value(ValueId v, Threads threads = Threads::of_group) { return of(threads).values[v.index]; }
  ValueId own(const std::string& name, Space space = Space::private_) {
    Region r;
    r.name = name;
    r.space = space;
    r.origin = space == Space::private_ ? Origin::automatic : Origin::variable;
    r.owner = {0};
    r.element = 4;
    r.size = 16;
    m.regions.push_back(r);
    return Draft::value(
        {.kind = Value::region_address, .type = k_pointer, .region = {static_cast<uint32_t>(m.regions.size() - 1)}});
  }
  ValueId pointers(Op o, ValueId a, ValueId b) { return put(Compute{.op = o, .operands = {a, b}}, k_bit); }
  ValueId bits_of(ValueId p) { return put(Compute{.op = Op::pointer_to_bits, .operands = {p}}, k_int); }
  flow::Launch launch{.local_size = {64, 1, 8}, .num_groups = {4, 1, 8}};
};

TEST(Uniform, numbers_of_the_launch) {
  for (const auto& [kind, d, group, grid] :
       std::vector<std::tuple<IdKind, uint8_t, int, int>>{{IdKind::local_id, 0, 0, 0},
                                                          {IdKind::local_id, 1, 1, 1},
                                                          {IdKind::local_id, 2, 0, 0},
                                                          {IdKind::group_id, 0, 1, 0},
                                                          {IdKind::group_id, 1, 1, 1},
                                                          {IdKind::group_id, 2, 1, 0},
                                                          {IdKind::lane, 0, 0, 0},
                                                          {IdKind::warp, 0, 0, 0},
                                                          {IdKind::local_size, 0, 1, 1},
                                                          {IdKind::num_groups, 0, 1, 1},
                                                          {IdKind::warp_size, 0, 1, 1}}) {
    Uniform u;
    const ValueId v = u.id(kind, d), sum = u.op(Op::add, v, u.constant(1));
    EXPECT_EQ(u.value(v), group) << static_cast<int>(kind) << " " << int{d};
    EXPECT_EQ(u.value(sum), group);
    EXPECT_EQ(u.value(v, Threads::of_grid), grid) << static_cast<int>(kind) << " " << int{d};
  }
}

// The address of a thread's own object: the same place of it, and another number.
TEST(Uniform, own_objects) {
  enum Kind : uint8_t { mine, other_mine, of_group, null, common, none, number };
  const auto compared = [](Op o, Kind a, Kind b, Threads threads = Threads::of_group) {
    Uniform u;
    const ValueId p = u.own("p"), q = u.own("q"), s = u.own("s", Space::group), c = u.pointer_parameter("c"),
                  zero = u.constant(0, k_pointer), any = u.element(c, u.lid()), sixteen = u.constant(16, k_pointer);
    const std::array<ValueId, 7> which{p, q, s, zero, c, any, sixteen};
    return u.value(u.pointers(o, which[a], which[b]), threads);
  };
  for (const Op o : {Op::pointer_eq, Op::pointer_ult})
    for (const bool turned : {false, true}) {
      const auto of = [&](Kind a, Kind b, Threads threads = Threads::of_group) {
        return turned ? compared(o, b, a, threads) : compared(o, a, b, threads);
      };
      EXPECT_EQ(of(mine, mine), 1);
      EXPECT_EQ(of(mine, other_mine), 1);
      EXPECT_EQ(of(mine, null), 1);
      EXPECT_EQ(of(mine, number), 0);
      EXPECT_EQ(of(common, number), 1);
      EXPECT_EQ(of(mine, common), 0);
      EXPECT_EQ(of(mine, none), 0);
      EXPECT_EQ(of(mine, of_group), 0);
      EXPECT_EQ(of(common, null), 1);
      EXPECT_EQ(of(common, common), 1);
      EXPECT_EQ(of(common, none), 0);
      EXPECT_EQ(of(of_group, common), 1);
      EXPECT_EQ(of(of_group, null), 1);
      // To the grid an array of the group is one for each group.
      EXPECT_EQ(of(of_group, common, Threads::of_grid), 0);
      EXPECT_EQ(of(of_group, null, Threads::of_grid), 1);
      EXPECT_EQ(of(of_group, mine, Threads::of_grid), 1);
    }
  Uniform u;
  const ValueId p = u.own("p"), c = u.pointer_parameter("c"), s = u.own("s", Space::group);
  const ValueId of_own = u.bits_of(p), of_common = u.bits_of(c), of_group_object = u.bits_of(s),
                moved = u.element(p, u.constant(2)), moved_by_any = u.element(p, u.lid()), of_moved = u.bits_of(moved),
                back = u.put(Compute{.op = Op::bits_to_pointer, .operands = {of_common}}, k_pointer);
  const auto group = u.of(), grid = u.of(Threads::of_grid);
  EXPECT_EQ(group.values[of_own.index], 0);
  EXPECT_EQ(group.values[of_common.index], 1);
  EXPECT_EQ(group.values[of_group_object.index], 1);
  EXPECT_EQ(grid.values[of_group_object.index], 0);
  EXPECT_EQ(group.values[p.index], flow::k_own);
  EXPECT_EQ(group.values[moved.index], flow::k_own);
  EXPECT_EQ(group.values[moved_by_any.index], 0);
  EXPECT_EQ(group.values[of_moved.index], 0);
  EXPECT_EQ(group.values[back.index], 0);
  EXPECT_EQ(group.values[s.index], 1);
  EXPECT_EQ(grid.values[s.index], flow::k_own);
}

TEST(Uniform, what_is_read) {
  struct Read {
    Space space = Space::global;
    bool written = false, counted = false, by_id = false, is_volatile = false;
  };
  const auto read = [](const Read& r, Threads threads = Threads::of_group) {
    Uniform u;
    const ValueId a = r.space == Space::global ? u.pointer_parameter("a") : u.own("a", r.space),
                  other = u.pointer_parameter("other");
    const std::vector<RegionId> regions{u.f.values[a.index].kind == Value::parameter
                                            ? u.f.parameters[u.f.values[a.index].index].region
                                            : u.f.values[a.index].region};
    const auto access = [&](ValueId at) {
      return Access{.pointer = u.element(a, at), .bytes = 4, .regions = regions, .site = u.m.sites++};
    };
    Access from = access(r.by_id ? u.lid() : u.constant(1));
    from.is_volatile = r.is_volatile;
    const ValueId v = u.put(Load{from}, k_int);
    if (r.written) u.put(Store{access(u.constant(0)), u.constant(1)});
    if (r.counted)
      u.put(Atomic{.op = AtomicOp::add, .access = access(u.constant(0)), .operands = {u.constant(1)}}, k_int);
    u.store(other, u.constant(0), u.constant(1));
    return u.value(v, threads);
  };
  EXPECT_EQ(read({}), 1);
  EXPECT_EQ(read({}, Threads::of_grid), 1);
  EXPECT_EQ(read({.written = true}), 0);
  EXPECT_EQ(read({.counted = true}), 0);
  EXPECT_EQ(read({.by_id = true}), 0);
  EXPECT_EQ(read({.is_volatile = true}), 0);
  EXPECT_EQ(read({.space = Space::group}), 1);
  EXPECT_EQ(read({.space = Space::group}, Threads::of_grid), 0);
  EXPECT_EQ(read({.space = Space::private_}), 0);
}

// A phi is the same where the branch that chose is; who parts meets again behind.
TEST(Uniform, branches_and_what_they_join) {
  for (const bool by_id : {false, true}) {
    Uniform u;
    const ValueId n = u.scalar_parameter("n"), c = u.op(Op::slt, by_id ? u.lid() : n, u.constant(3));
    const BlockId before = u.at;
    const ValueId v = u.either(c, [&] { return u.constant(1); }, [&] { return u.constant(2); });
    const ValueId behind = u.either(
        u.op(Op::eq, n, u.constant(7)), [&] { return u.constant(1); }, [&] { return u.op(Op::add, n, u.constant(1)); });
    const ValueId mixed = u.op(Op::add, v, behind);
    const auto r = u.of();
    EXPECT_EQ(r.branches[before.index], by_id ? 0 : 1);
    EXPECT_EQ(r.values[v.index], by_id ? 0 : 1);
    EXPECT_EQ(r.values[behind.index], 1);
    EXPECT_EQ(r.values[mixed.index], by_id ? 0 : 1);
  }
  // Of what differs on one side alone.
  Uniform u;
  const ValueId n = u.scalar_parameter("n");
  const ValueId v = u.either(u.op(Op::eq, n, u.constant(7)), [&] { return u.lid(); }, [&] { return n; });
  EXPECT_EQ(u.value(v), 0);
  EXPECT_EQ(u.of(Threads::of_group, {0}).values[n.index], 0);
}

// A loop that threads leave one by one; a loop inside of a branch of some.
TEST(Uniform, loops) {
  struct Turn {
    bool by_id = false;   // the limit of the loop
    bool leaves = false;  // some leave it from within
    bool skips = false;   // some skip a part of its body, and meet again
    bool inside = false;  // all of it is done by some threads
  };
  const auto of = [](const Turn& t) {
    Uniform u;
    const ValueId n = u.scalar_parameter("n"), id = u.lid(), zero = u.constant(0);
    const BlockId start = u.at, before = u.block(), header = u.block(), inside = u.block(), latch = u.block(),
                  part = u.block(), after = u.block(), end = u.block();
    if (t.inside)
      u.branch(u.op(Op::slt, id, u.constant(7)), before, end);
    else
      u.jump(before);
    (void)start;
    u.at = before;
    u.jump(header);
    u.at = header;
    const ValueId i = u.Draft::value({.kind = Value::result, .type = k_int, .name = "i"});
    u.f.blocks[header.index].instructions.push_back({{i}, Phi{}, {}});
    u.branch(u.op(Op::slt, i, t.by_id ? id : n), inside, after);
    u.at = inside;
    if (t.leaves)
      u.branch(u.op(Op::eq, id, i), after, part);
    else if (t.skips)
      u.branch(u.op(Op::eq, id, i), part, latch);
    else
      u.jump(part);
    u.at = part;
    u.jump(latch);
    u.at = latch;
    const ValueId next = u.op(Op::add, i, u.constant(1));
    u.jump(header);
    std::get<Phi>(u.f.blocks[header.index].instructions[0].action).entries = {{before, zero}, {latch, next}};
    u.at = after;
    u.jump(end);
    const auto r = u.of();
    EXPECT_EQ(r.loops.size(), 1u);
    return std::pair{int{r.loops[0]}, int{r.values[i.index]}};
  };
  using Is = std::pair<int, int>;
  EXPECT_EQ(of({}), Is(1, 1));
  EXPECT_EQ(of({.by_id = true}), Is(0, 0));
  EXPECT_EQ(of({.leaves = true}), Is(0, 0));
  EXPECT_EQ(of({.skips = true}), Is(1, 1));
  EXPECT_EQ(of({.inside = true}), Is(1, 1));
  EXPECT_EQ(of({.by_id = true, .inside = true}), Is(0, 0));
}

// What is returned: of one return, or of several that all come to together.
TEST(Uniform, results_of_functions) {
  struct Callee {
    bool returns_id = false, own = false, two = false, by_id = false, recursive = false, body = true;
    uint8_t parameter = 1;
  };
  const auto of = [](const Callee& c) {
    Uniform u;
    Draft g;
    g.m.regions = {};
    g.f.name = g.f.symbol = "g";
    g.f.kernel = false;
    g.f.body = c.body;
    g.f.results = {c.own ? k_pointer : k_int};
    const ValueId n = g.scalar_parameter("n");
    ValueId r = c.returns_id ? g.lid() : n;
    if (c.own) r = g.value({.kind = Value::region_address, .type = k_pointer, .region = {0}});
    if (c.two) {
      const BlockId then = g.block(), otherwise = g.block();
      g.branch(g.op(Op::slt, c.by_id ? g.lid() : n, g.constant(3)), then, otherwise);
      g.f.blocks[then.index].terminator = Return{{r}};
      g.f.blocks[otherwise.index].terminator = Return{{g.constant(1)}};
    } else {
      g.f.blocks[g.at.index].terminator = Return{{r}};
    }
    if (!c.body) g.f.blocks.clear(), g.f.values.clear();
    if (c.own) (void)u.own("p");
    const ValueId given = c.parameter != 0 ? u.scalar_parameter("given") : u.lid();
    const ValueId result = u.put(Call{.callee = {1}, .arguments = {given}}, c.own ? k_pointer : k_int);
    if (c.recursive) {
      g.f.blocks[0].instructions.push_back(
          {{g.value({.kind = Value::result, .type = k_int})}, Call{.callee = {1}, .arguments = {n}}, {}});
    }
    u.m.functions = {g.f};
    return u.value(result);
  };
  EXPECT_EQ(of({}), 1);
  EXPECT_EQ(of({.parameter = 0}), 0);
  EXPECT_EQ(of({.returns_id = true}), 0);
  EXPECT_EQ(of({.two = true}), 1);
  EXPECT_EQ(of({.two = true, .by_id = true}), 0);
  EXPECT_EQ(of({.recursive = true}), 0);
  EXPECT_EQ(of({.body = false}), 0);
  EXPECT_EQ(of({.own = true}), 0);
}

}  // namespace
}  // namespace fencepost::prove
