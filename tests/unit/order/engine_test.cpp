// Conflicts and edges, record by record.
#include "order/engine.h"

#include <gtest/gtest.h>

#include <functional>

#include "scene.h"

namespace fencepost::order {
namespace {

using namespace ir;

struct Pairs : Scene {
  Pairs() {
    setting.pairing = Pairing::same_group;
    a = access(AccessKind::write, k_data, 10, fresh("p", 1), fresh("i"));
    b = access(AccessKind::read, k_data, 30, fresh("q", 1), fresh("j"));
  }
  Engine engine() {
    x.accesses = {a, b};
    x.accesses.insert(x.accesses.end(), more.begin(), more.end());
    return Engine(pool, m, x, setting, [this](std::vector<Term> goal, uint32_t position) {
      return impossible(std::move(goal), {position, position});
    });
  }
  AccessRecord atomic(AccessRecord r, const Atomic& at) {
    r.kind = AccessKind::atomic;
    return by(r, at);
  }
  // That they are whatever holds, and nothing else is looked at.
  bool settled() {
    Engine e = engine();
    const Engine::Edges edges = e.edges(x.accesses[0], x.accesses[1]);
    return edges.settled && edges.orders.empty() && edges.by_lock_step.empty();
  }
  // That the two are in order where both are made.
  bool ordered(bool by_lock_step = false) {
    Engine e = engine();
    const Engine::Edges edges = e.edges(x.accesses[0], x.accesses[1]);
    if (edges.settled) return true;
    const Term any = pool.any(by_lock_step ? edges.by_lock_step : edges.orders);
    return impossible({a.guard[0], b.guard[1], pool.not_(any)}, {b.position, b.position});
  }
  bool possible(std::vector<Term> when) {
    when.push_back(engine().conflict(x.accesses[0], x.accesses[1]).possible);
    return !impossible(std::move(when), {b.position, b.position});
  }
  // Of accesses at these bytes.
  bool meet(uint64_t at, uint64_t other) {
    return possible({pool.eq(a.offset[0], number(at)), pool.eq(b.offset[1], number(other))});
  }
  Atomic add{.op = AtomicOp::add}, narrow{.op = AtomicOp::add, .scope = Scope::group};
  AccessRecord a, b;
  std::vector<AccessRecord> more;
};

using Change = std::function<void(Pairs&)>;
bool ordered(const Change& change, bool by_lock_step = false) {
  Pairs p;
  change(p);
  return p.ordered(by_lock_step);
}

TEST(Conflict, is_of_common_bytes_one_of_them_written) {
  Pairs p;
  EXPECT_TRUE(p.meet(8, 8));
  for (const auto& [other, is] : {std::pair<uint64_t, bool>{4, false}, {5, true}, {11, true}, {12, false}})
    EXPECT_EQ(p.meet(8, other), is) << other;
  p.a.bytes = 8;  // of 8 bytes and of 4
  for (const auto& [other, is] : {std::pair<uint64_t, bool>{4, false}, {5, true}, {8, true}, {15, true}, {16, false}})
    EXPECT_EQ(p.meet(8, other), is) << other;
  std::swap(p.a.bytes, p.b.bytes);
  for (const auto& [other, is] : {std::pair<uint64_t, bool>{0, false}, {1, true}, {8, true}, {11, true}, {12, false}})
    EXPECT_EQ(p.meet(8, other), is) << other;
  Pairs q;
  q.a.kind = AccessKind::read;
  EXPECT_FALSE(q.possible({}));
  q.b.kind = AccessKind::write;
  EXPECT_TRUE(q.possible({}));
  q.b.region = Scene::k_other;
  EXPECT_FALSE(q.possible({}));
  // What is not aligned may lie anywhere.
  Pairs r;
  r.a.offset = r.fresh("i");
  EXPECT_TRUE(r.meet(8, 8));
  Pairs s;
  s.a.offset = s.both(s.pool.scale(s.pool.variable(32, "i"), 4));
  s.b.offset = s.both(s.pool.scale(s.pool.variable(32, "j"), 4));
  EXPECT_EQ(s.engine().conflict(s.x.accesses[0], s.x.accesses[1]).possible, s.pool.eq(s.a.offset[0], s.b.offset[1]));
  s.b.offset = s.both(s.pool.scale(s.pool.variable(32, "j"), 2));
  EXPECT_NE(s.engine().conflict(s.x.accesses[0], s.x.accesses[1]).possible, s.pool.eq(s.a.offset[0], s.b.offset[1]));
  std::swap(s.a.offset, s.b.offset);
  EXPECT_NE(s.engine().conflict(s.x.accesses[0], s.x.accesses[1]).possible, s.pool.eq(s.a.offset[0], s.b.offset[1]));
  s.a.offset = s.both(s.pool.scale(s.pool.variable(32, "i"), 4));
  s.b.offset = s.both(s.pool.scale(s.pool.variable(32, "j"), 4));
  s.a.bytes = s.b.bytes = 12;
  EXPECT_NE(s.engine().conflict(s.x.accesses[0], s.x.accesses[1]).possible, s.pool.eq(s.a.offset[0], s.b.offset[1]));
}

TEST(Conflict, atomics_of_the_same_bytes_are_none) {
  const auto atomics = [](const Change& change) {
    Pairs p;
    p.a.offset = p.both(p.pool.scale(p.pool.variable(32, "i"), 4));
    p.b.offset = p.both(p.pool.scale(p.pool.variable(32, "j"), 4));
    p.a = p.atomic(p.a, p.add);
    p.b = p.atomic(p.b, p.add);
    change(p);
    return p.possible({});
  };
  EXPECT_FALSE(atomics([](Pairs&) {}));
  EXPECT_TRUE(atomics([](Pairs& p) { p.b.kind = AccessKind::write; }));
  EXPECT_TRUE(atomics([](Pairs& p) {
    p.a.kind = AccessKind::read;
    p.a.mode = Mode::plain;
  }));
  EXPECT_TRUE(atomics([](Pairs& p) { p.a.bytes = 2; }));
  // In part over each other, and not at the same place.
  EXPECT_TRUE(atomics([](Pairs& p) { p.a.offset = p.fresh("i"); }));
  EXPECT_TRUE(atomics([](Pairs& p) { p.b.offset = p.fresh("j"); }));
  EXPECT_FALSE(atomics([](Pairs& p) { p.a.offset[0] = p.b.offset[1] = p.pool.variable(32, "i"); }));
  // In OpenCL two scopes are one only if they are the same.
  const Atomic of_system{.op = AtomicOp::add, .scope = Scope::system};
  for (const bool first : {true, false})
    for (const Dialect dialect : {Dialect::cuda, Dialect::opencl})
      EXPECT_EQ(atomics([&](Pairs& p) {
                  p.setting.dialect = dialect;
                  (first ? p.a : p.b).atomic = &of_system;
                }),
                dialect == Dialect::opencl);
  EXPECT_FALSE(atomics([&](Pairs& p) {
    p.setting.dialect = Dialect::opencl;
    p.a.atomic = p.b.atomic = &of_system;
  }));
  // The scope of each holds both.
  const auto scoped = [&](Scope scope, Pairing pairing, Lanes lanes, bool first) {
    const Atomic at{.op = AtomicOp::add, .scope = scope};
    return atomics([&](Pairs& p) {
      (first ? p.a : p.b).atomic = &at;
      p.setting.pairing = pairing;
      p.setting.lanes = lanes;
    });
  };
  for (const bool first : {true, false}) {
    EXPECT_TRUE(scoped(Scope::thread, Pairing::same_group, Lanes::same_warp, first));
    EXPECT_FALSE(scoped(Scope::warp, Pairing::same_group, Lanes::same_warp, first));
    EXPECT_TRUE(scoped(Scope::warp, Pairing::same_group, Lanes::any, first));
    EXPECT_TRUE(scoped(Scope::warp, Pairing::same_group, Lanes::other_warp, first));
    EXPECT_FALSE(scoped(Scope::group, Pairing::same_group, Lanes::any, first));
    EXPECT_TRUE(scoped(Scope::group, Pairing::other_group, Lanes::any, first));
    EXPECT_TRUE(scoped(Scope::cluster, Pairing::other_group, Lanes::any, first));
    EXPECT_FALSE(scoped(Scope::device, Pairing::other_group, Lanes::any, first));
    EXPECT_FALSE(scoped(Scope::system, Pairing::other_group, Lanes::any, first));
  }
}

TEST(Edges, are_settled_by_what_always_holds) {
  Pairs p;
  EXPECT_FALSE(p.settled());
  p.x.barriers = {p.barrier(20), p.barrier(21)};
  EXPECT_TRUE(p.settled());
  p.x.barriers[0].global = p.x.barriers[1].global = p.fresh("c", 1);
  EXPECT_FALSE(p.settled());
  p.x.barriers[1].global = p.yes();
  EXPECT_FALSE(p.settled());  // the first leaves a condition
  EXPECT_TRUE(p.ordered());
  p.b.global_segment = 1;
  EXPECT_TRUE(p.settled());
  Pairs copy;
  copy.a.mode = Mode::asynchronous;
  copy.a.event = copy.both(copy.number(1, 16));
  copy.setting.group_waits = true;
  copy.x.waits = {{.position = 15, .guard = copy.yes(), .event = copy.a.event}};
  copy.x.barriers = {copy.barrier(20)};
  EXPECT_TRUE(copy.settled());
  Pairs none;
  none.setting.lockstep = true;
  EXPECT_TRUE(none.engine().edges(none.x.accesses[0], none.x.accesses[1]).by_lock_step.empty());
  // The last ticket of four.
  Pairs last;
  last.setting.pairing = Pairing::other_group;
  TicketRecord k{.region = Scene::k_counter, .guard = last.first(), .value = last.fresh("k")};
  k.master_guard = last.yes();
  k.master_value = last.fresh("k");
  k.groups = last.number(1);  // of a single group: always the last
  k.position = 20;
  k.first_thread = k.acquires = k.releases = true;
  last.x.last_tickets = {k};
  last.x.group_barriers = {last.barrier(15), last.barrier(25)};
  EXPECT_TRUE(last.settled());
}

TEST(Edges, barriers_stand_between) {
  EXPECT_FALSE(ordered([](Pairs&) {}));
  const auto barrier = [](const Change& change) {
    return ordered([&](Pairs& p) {
      p.x.barriers = {p.barrier(20)};
      change(p);
    });
  };
  EXPECT_TRUE(barrier([](Pairs&) {}));
  EXPECT_FALSE(barrier([](Pairs& p) { p.x.barriers[0].position = 10; }));
  EXPECT_FALSE(barrier([](Pairs& p) { p.x.barriers[0].position = 30; }));
  EXPECT_FALSE(barrier([](Pairs& p) { p.x.barriers[0].global = p.both(p.pool.no()); }));
  EXPECT_TRUE(barrier([](Pairs& p) { p.x.barriers[0].local = p.both(p.pool.no()); }));
  EXPECT_FALSE(barrier([](Pairs& p) {
    p.x.barriers[0].local = p.both(p.pool.no());
    p.a.space = p.b.space = Space::group;
  }));
  // Of the earlier thread, or of both.
  const auto named = [&](bool both_fences, size_t thread) {
    return barrier([&](Pairs& p) {
      p.setting.both_fences = both_fences;
      p.x.barriers[0].global[thread] = p.pool.no();
    });
  };
  EXPECT_FALSE(named(false, 0));
  EXPECT_TRUE(named(false, 1));
  EXPECT_FALSE(named(true, 0));
  EXPECT_FALSE(named(true, 1));
  // One of a warp orders those who meet there, by what both name.
  const auto warp = [&](const Change& change) {
    return barrier([&](Pairs& p) {
      p.x.barriers[0].by = Provider::warp;
      p.x.barriers[0].meets = p.pool.all(p.a.guard[0], p.b.guard[1]);
      change(p);
    });
  };
  EXPECT_TRUE(warp([](Pairs&) {}));
  EXPECT_FALSE(warp([](Pairs& p) { p.x.barriers[0].meets = p.pool.variable(1, "c"); }));
  EXPECT_FALSE(warp([](Pairs& p) { p.x.barriers[0].global[1] = p.pool.no(); }));
  EXPECT_FALSE(warp([](Pairs& p) { p.x.barriers[0].global[0] = p.pool.no(); }));
  // Those that all pass are counted.
  EXPECT_TRUE(ordered([](Pairs& p) { p.b.global_segment = 1; }));
  EXPECT_FALSE(ordered([](Pairs& p) { p.b.local_segment = 1; }));
  EXPECT_TRUE(ordered([](Pairs& p) {
    p.b.local_segment = 1;
    p.a.space = p.b.space = Space::group;
  }));
  EXPECT_FALSE(ordered([](Pairs& p) {
    p.b.global_segment = 1;
    p.a.space = p.b.space = Space::group;
  }));
  EXPECT_FALSE(ordered([](Pairs& p) {
    p.b.global_segment = 1;
    p.a.mode = Mode::asynchronous;
    p.a.event = p.b.event = p.both(p.number(1, 16));
  }));
}

// A copy that the first thread starts at 10, waits for at 15, with a barrier at 20.
TEST(Edges, copies_end_where_they_are_waited_for) {
  const auto copy = [](const Change& change) {
    return ordered([&](Pairs& p) {
      p.a.mode = Mode::asynchronous;
      p.a.event = p.both(p.number(1, 16));
      p.x.barriers = {p.barrier(20)};
      p.x.waits = {{.position = 15, .guard = p.yes(), .event = p.a.event}};
      change(p);
    });
  };
  EXPECT_TRUE(copy([](Pairs&) {}));
  EXPECT_FALSE(copy([](Pairs& p) { p.x.waits.clear(); }));
  EXPECT_FALSE(copy([](Pairs& p) { p.x.barriers.clear(); }));
  EXPECT_FALSE(copy([](Pairs& p) { p.x.waits[0].position = 9; }));
  EXPECT_FALSE(copy([](Pairs& p) { p.x.waits[0].position = 21; }));
  EXPECT_FALSE(copy([](Pairs& p) { p.x.waits[0].guard[0] = p.pool.no(); }));
  EXPECT_TRUE(copy([](Pairs& p) { p.x.waits[0].guard[0] = p.a.guard[0]; }));
  EXPECT_FALSE(copy([](Pairs& p) { p.x.waits[0].event = p.both(p.number(2, 16)); }));
  EXPECT_FALSE(copy([](Pairs& p) { p.x.waits[0].event = p.both(p.number(1, 32)); }));
  EXPECT_FALSE(copy([](Pairs& p) { p.x.barriers[0].global[0] = p.pool.no(); }));
  // A group's copy: who has waited for it has all of it.
  const auto other = [&](const Change& change) {
    return copy([&](Pairs& p) {
      p.x.barriers.clear();
      p.setting.group_waits = true;
      p.x.waits[0].guard = {p.pool.no(), p.b.guard[1]};
      change(p);
    });
  };
  EXPECT_TRUE(other([](Pairs&) {}));
  EXPECT_FALSE(other([](Pairs& p) { p.setting.group_waits = false; }));
  EXPECT_FALSE(other([](Pairs& p) { p.setting.pairing = Pairing::other_group; }));
  EXPECT_FALSE(other([](Pairs& p) { p.a.own = true; }));
  EXPECT_FALSE(other([](Pairs& p) { p.a.iteration = p.fresh("n"); }));
  EXPECT_FALSE(other([](Pairs& p) { p.x.waits[0].guard[1] = p.pool.no(); }));
  EXPECT_FALSE(other([](Pairs& p) { p.x.waits[0].event[1] = p.number(2, 16); }));
  EXPECT_FALSE(other([](Pairs& p) { p.x.waits[0].event[1] = p.number(1, 32); }));
  EXPECT_FALSE(other([](Pairs& p) { p.x.waits[0].position = 31; }));
  EXPECT_FALSE(other([](Pairs& p) { p.x.waits[0].position = 9; }));
  EXPECT_TRUE(other([](Pairs& p) { p.x.waits[0].guard[1] = p.pool.yes(); }));
}

// A copy before a loop that is waited for in its first iterations.
TEST(Edges, copies_may_be_waited_for_in_the_first_iterations_of_a_loop) {
  const auto waited = [](const Change& change) {
    Pairs p;
    p.a.mode = Mode::asynchronous;
    p.a.own = true;
    p.a.event = p.both(p.number(1, 16));
    const Pair entered = p.fresh("entered", 1), at_once = p.fresh("first", 1), on = p.fresh("on", 1);
    p.x.steps = {{.begin = 15,
                  .end = 25,
                  .loop = 1,
                  .exact = true,
                  .last_end = 24,
                  .goes_on = on,
                  .entry = entered,
                  .at_once = at_once}};
    p.x.waits = {{.position = 18, .guard = at_once, .event = p.a.event}};
    change(p);
    Engine e = p.engine();
    const Term t = e.waited(p.x.accesses[0], 16);
    return p.impossible({entered[0], p.pool.not_(at_once[0]), p.pool.not_(t)}, {40, 40});
  };
  EXPECT_TRUE(waited([](Pairs&) {}));
  EXPECT_FALSE(waited([](Pairs& p) { p.a.own = false; }));
  EXPECT_FALSE(waited([](Pairs& p) { p.x.steps[0].exact = false; }));
  EXPECT_FALSE(waited([](Pairs& p) { p.x.steps[0].begin = 9; }));
  EXPECT_FALSE(waited([](Pairs& p) { p.x.steps[0].begin = 10; }));
  EXPECT_TRUE(waited([](Pairs& p) { p.x.steps[0].begin = 16; }));
  EXPECT_FALSE(waited([](Pairs& p) { p.x.steps[0].begin = 17; }));
  EXPECT_FALSE(waited([](Pairs& p) { p.x.steps[0].last_end = 18; }));
  EXPECT_FALSE(waited([](Pairs& p) { p.x.waits[0].guard = p.fresh("c", 1); }));
  EXPECT_TRUE(waited([](Pairs& p) { p.x.waits[0].guard = p.x.steps[0].goes_on; }));
}

TEST(Edges, copies_do_not_outlive_the_iterations_that_are_looked_at) {
  const auto outlives = [](const Change& change) {
    Pairs p;
    p.a.mode = Mode::asynchronous;
    p.a.event = p.both(p.number(1, 16));
    p.x.steps = {{.begin = 5, .end = 15, .loop = 3, .last_end = 24, .goes_on = p.fresh("on", 1)}};
    p.x.waits = {{.position = 18, .guard = p.a.guard, .event = p.a.event}};
    change(p);
    Engine e = p.engine();
    EXPECT_TRUE(e.in_step(3));
    EXPECT_FALSE(e.in_step(2));
    return e.copy_outlives_iterations(p.x.accesses[0]);
  };
  EXPECT_FALSE(outlives([](Pairs&) {}));
  EXPECT_FALSE(outlives([](Pairs& p) { p.x.waits[0].guard = p.x.steps[0].goes_on; }));
  EXPECT_TRUE(outlives([](Pairs& p) { p.x.waits[0].guard = p.fresh("c", 1); }));
  EXPECT_TRUE(outlives([](Pairs& p) { p.x.waits[0].position = 24; }));
  EXPECT_TRUE(outlives([](Pairs& p) { p.x.waits.clear(); }));
  const auto none = [&](const Change& change) {
    return outlives([&](Pairs& p) {
      p.x.waits.clear();
      change(p);
    });
  };
  EXPECT_FALSE(none([](Pairs& p) { p.a.mode = Mode::plain; }));
  EXPECT_FALSE(none([](Pairs& p) { p.a.position = 4; }));
  EXPECT_FALSE(none([](Pairs& p) { p.a.position = 16; }));
  EXPECT_FALSE(none([](Pairs& p) { p.a.guard = p.both(p.pool.no()); }));
  EXPECT_FALSE(none([](Pairs& p) { p.x.steps[0].goes_on = p.both(p.pool.no()); }));

  const auto ends = [](const Change& change) {
    Pairs p;
    p.a.mode = Mode::asynchronous;
    p.a.event = p.both(p.number(1, 16));
    p.a.loops = {1, 2};
    p.x.waits = {{.position = 18, .guard = p.a.guard, .event = p.a.event, .loops = {1, 2}}};
    change(p);
    return p.engine().ends_in_iteration(p.x.accesses[0]);
  };
  EXPECT_TRUE(ends([](Pairs&) {}));
  EXPECT_TRUE(ends([](Pairs& p) { p.x.waits[0].guard = p.yes(); }));
  EXPECT_FALSE(ends([](Pairs& p) { p.x.waits[0].guard = p.fresh("c", 1); }));
  EXPECT_FALSE(ends([](Pairs& p) { p.x.waits[0].position = 9; }));
  EXPECT_FALSE(ends([](Pairs& p) { p.x.waits[0].position = 10; }));
  EXPECT_FALSE(ends([](Pairs& p) { p.x.waits[0].loops = {1}; }));
  EXPECT_TRUE(ends([](Pairs& p) { p.x.waits[0].loops = {2}; }));
  EXPECT_FALSE(ends([](Pairs& p) { p.a.loops = {}; }));
  EXPECT_FALSE(ends([](Pairs& p) { p.x.waits[0].event[0] = p.number(2, 16); }));
  EXPECT_FALSE(ends([](Pairs& p) { p.x.waits[0].event[0] = p.number(1, 32); }));
}

// One warp arrives at 15, the other waits at 25; or in loops, where the one arrives for the round of the other.
NamedOrder named_order(Pairs& p, bool in_loops) {
  NamedRounds::Program arrive, wait;
  const size_t part = in_loops ? NamedRounds::round : NamedRounds::before;
  arrive[part] = {{{1}, 2, false, true}};
  wait[part] = {{{1}, 2, true, true}};
  if (in_loops) {  // and gives it back
    arrive[part].insert(arrive[part].begin(), {{2}, 2, true, true});
    wait[part].push_back({{2}, 2, false, true});
    wait[NamedRounds::before] = {{{2}, 2, false, true}};
  }
  NamedOrder out;
  out.rounds = NamedRounds({arrive, wait});
  EXPECT_EQ(out.rounds.why(), "");
  out.roles = {{.member = {p.pool.yes(), p.pool.no()}, .warps = {0}, .loop = in_loops ? 7u : 0},
               {.member = {p.pool.no(), p.pool.yes()}, .warps = {1}, .loop = in_loops ? 8u : 0}};
  out.roles[0].at[part] = {15};
  out.roles[1].at[part] = {25};
  if (in_loops) {
    out.roles[0].at[part] = {5, 15};
    out.roles[1].at[part] = {25, 35};
    out.roles[1].at[NamedRounds::before] = {21};
    p.a.loops = {7};
    p.b.loops = {8};
    for (NamedRole& r : out.roles) r.comes[0] = p.yes();
    for (const uint32_t l : {7u, 8u}) out.counts[{l, 0}] = p.both(p.number(10, 64));
  }
  return out;
}

TEST(Edges, named_barriers_order_who_arrives_before_who_waits) {
  const auto named = [](const Change& change) {
    return ordered([&](Pairs& p) {
      p.x.named = named_order(p, false);
      change(p);
    });
  };
  EXPECT_TRUE(named([](Pairs&) {}));
  EXPECT_FALSE(named([](Pairs& p) { p.x.named.roles[0].member[0] = p.pool.no(); }));
  EXPECT_FALSE(named([](Pairs& p) { p.x.named.roles[1].member[1] = p.pool.no(); }));
  EXPECT_FALSE(named([](Pairs& p) { p.x.named.roles[1].warps = {0}; }));
  EXPECT_FALSE(named([](Pairs& p) { p.x.named.roles[0].at[0] = {10}; }));
  EXPECT_FALSE(named([](Pairs& p) { p.x.named.roles[1].at[0] = {30}; }));
  EXPECT_FALSE(named([](Pairs& p) { p.setting.pairing = Pairing::other_group; }));
  EXPECT_FALSE(named([](Pairs& p) { p.b.mode = Mode::asynchronous; }));
  EXPECT_FALSE(named([](Pairs& p) {
    p.a.mode = Mode::asynchronous;
    p.a.event = p.both(p.number(1, 16));
  }));
  // In the order of time, not of the text: the second thread's access comes first.
  const auto back = [&](const Change& change) {
    return named([&](Pairs& p) {
      p.a.position = 30;
      p.b.position = 31;
      p.x.named.roles[0].at[0] = {35};  // behind b, by its thread
      p.x.named.roles[1].at[0] = {25};  // before a, by its thread
      for (NamedRole& r : p.x.named.roles) std::swap(r.member[0], r.member[1]);
      change(p);
    });
  };
  EXPECT_TRUE(back([](Pairs&) {}));
  EXPECT_FALSE(back([](Pairs& p) { p.x.named.roles[0].member[1] = p.pool.no(); }));
  EXPECT_FALSE(back([](Pairs& p) { p.x.named.roles[1].member[0] = p.pool.no(); }));
  EXPECT_FALSE(back([](Pairs& p) { p.x.named.roles[0].at[0] = {31}; }));
  EXPECT_FALSE(back([](Pairs& p) { p.x.named.roles[1].at[0] = {30}; }));
}

TEST(Edges, named_barriers_in_loops_order_rounds) {
  const auto rounds = [](
                          uint64_t first, uint64_t second, const Change& change = [](Pairs&) {}) {
    return ordered([&](Pairs& p) {
      p.x.named = named_order(p, true);
      p.x.named.counts[{7, 0}] = p.both(p.number(first, 64));
      p.x.named.counts[{8, 0}] = p.both(p.number(second, 64));
      change(p);
    });
  };
  // What is filled in a round is used in it and behind it, and filled again when the round before has been used.
  EXPECT_TRUE(rounds(10, 10));
  EXPECT_TRUE(rounds(10, 11));
  EXPECT_TRUE(rounds(10, 9));
  const auto late = [](Pairs& p) { p.b.position = 36; };  // behind its arrival
  EXPECT_TRUE(rounds(10, 10, late));
  EXPECT_TRUE(rounds(10, 8, late));
  EXPECT_FALSE(rounds(10, 9, late));
  const auto early = [](Pairs& p) { p.b.position = 24; };  // before its wait
  EXPECT_FALSE(rounds(10, 10, early));
  EXPECT_TRUE(rounds(10, 11, early));
  EXPECT_TRUE(rounds(10, 9, early));
  // In one that is left before its barriers.
  EXPECT_FALSE(rounds(10, 10, [](Pairs& p) { p.x.named.roles[0].comes[0][0] = p.pool.no(); }));
  EXPECT_FALSE(rounds(10, 10, [](Pairs& p) { p.x.named.roles[1].comes[0][1] = p.pool.no(); }));
  EXPECT_FALSE(rounds(10, 10, [](Pairs& p) {
    p.b.loops = {};
    p.b.position = 50;
    p.x.named.roles[0].comes[0][0] = p.pool.no();
  }));
  EXPECT_TRUE(rounds(10, 10, [](Pairs& p) {
    p.b.loops = {};
    p.b.position = 50;
  }));
  EXPECT_TRUE(rounds(10, 11, [](Pairs& p) {
    p.b.position = 24;
    p.x.named.roles[1].comes[0][1] = p.pool.no();
  }));
  // In an iteration that follows.
  const auto again = [](Pairs& p) {
    p.b.second = 3;
    p.b.position = 60;
    p.x.named.roles[1].again[3] = {55, 65};
    p.x.named.roles[1].comes[3] = p.yes();
    p.x.named.counts[{8, 3}] = p.both(p.number(11, 64));
  };
  EXPECT_TRUE(rounds(11, 10, again));
  EXPECT_TRUE(rounds(12, 10, again));
  EXPECT_FALSE(rounds(11, 10, [&](Pairs& p) {
    again(p);
    p.b.position = 50;
  }));
  EXPECT_FALSE(rounds(11, 10, [&](Pairs& p) {
    again(p);
    p.x.named.roles[1].again.clear();
  }));
  // Outside of the loops.
  EXPECT_TRUE(rounds(10, 10, [](Pairs& p) {
    p.a.loops = {};
    p.a.position = 4;
  }));
  EXPECT_FALSE(rounds(10, 10, [](Pairs& p) {
    p.a.loops = {};
    p.a.position = 16;
  }));
  EXPECT_TRUE(rounds(10, 10, [](Pairs& p) {
    p.b.loops = {};
    p.b.position = 20;
  }));
  EXPECT_TRUE(rounds(1, 10, [](Pairs& p) {
    p.b.loops = {};
    p.b.position = 22;
  }));
  EXPECT_FALSE(rounds(0, 10, [](Pairs& p) {
    p.b.loops = {};
    p.b.position = 22;
  }));
}

TEST(Edges, lanes_in_lock_step_execute_together) {
  const auto step = [](const Change& change) {
    return ordered(
        [&](Pairs& p) {
          p.setting.lockstep = true;
          p.x.same_warp = p.pool.yes();
          p.x.commons = {{.position = 20, .guard = p.yes()}};
          change(p);
        },
        true);
  };
  EXPECT_TRUE(step([](Pairs&) {}));
  EXPECT_FALSE(step([](Pairs& p) { p.setting.lockstep = false; }));
  EXPECT_FALSE(step([](Pairs& p) { p.x.same_warp = p.pool.no(); }));
  EXPECT_FALSE(step([](Pairs& p) { p.x.same_warp = p.pool.variable(1, "warp"); }));
  EXPECT_FALSE(step([](Pairs& p) { p.x.commons[0].position = 10; }));
  EXPECT_FALSE(step([](Pairs& p) { p.x.commons[0].position = 30; }));
  EXPECT_FALSE(step([](Pairs& p) { p.x.commons[0].guard[0] = p.pool.no(); }));
  EXPECT_FALSE(step([](Pairs& p) { p.x.commons[0].guard[1] = p.pool.no(); }));
  EXPECT_FALSE(step([](Pairs& p) { p.b.instant = p.a.instant; }));
  EXPECT_FALSE(step([](Pairs& p) {
    p.a.mode = Mode::asynchronous;
    p.a.event = p.both(p.number(1, 16));
  }));
  // An access that both make, at the first or up to the second.
  const auto made = [&](uint32_t position, const Change& change) {
    return step([&](Pairs& p) {
      p.x.commons.clear();
      p.more = {p.access(AccessKind::read, Scene::k_other, position, p.yes(), p.fresh("k"))};
      change(p);
    });
  };
  for (const auto& [position, is] :
       {std::pair<uint32_t, bool>{9, false}, {10, true}, {20, true}, {30, true}, {31, false}})
    EXPECT_EQ(made(position, [](Pairs&) {}), is) << position;
  EXPECT_FALSE(made(20, [](Pairs& p) { p.more[0].guard[0] = p.pool.no(); }));
  EXPECT_FALSE(made(20, [](Pairs& p) { p.more[0].guard[1] = p.pool.no(); }));
  EXPECT_FALSE(made(20, [](Pairs& p) { p.more[0].iteration = p.fresh("n"); }));
  // In a loop that all leave together, run as a summary: in different iterations, or by an access of the same one.
  const auto looped = [&](const Change& change) {
    return step([&](Pairs& p) {
      p.x.commons.clear();
      p.x.uniform_loops = {7};
      const Pair n = p.fresh("n");
      p.a.iteration = p.b.iteration = n;
      p.a.loops = p.b.loops = {7};
      p.more = {p.access(AccessKind::read, Scene::k_other, 20, p.yes(), p.fresh("k"))};
      p.more[0].iteration = n;
      p.more[0].loops = {7};
      change(p);
    });
  };
  EXPECT_TRUE(looped([](Pairs&) {}));
  EXPECT_FALSE(looped([](Pairs& p) { p.more.clear(); }));
  EXPECT_FALSE(looped([](Pairs& p) { p.x.uniform_loops = {8}; }));
  EXPECT_FALSE(looped([](Pairs& p) { p.b.loops = {7, 8}; }));
  EXPECT_FALSE(looped([](Pairs& p) { p.a.loops = p.b.loops = p.more[0].loops = {7, 8}; }));
  EXPECT_FALSE(looped([](Pairs& p) { p.more[0].loops = {}; }));
  EXPECT_FALSE(looped([](Pairs& p) { p.more[0].position = 9; }));
  EXPECT_TRUE(looped([](Pairs& p) { p.more[0].position = 10; }));
  EXPECT_TRUE(looped([](Pairs& p) { p.more[0].position = 30; }));
  EXPECT_FALSE(looped([](Pairs& p) { p.more[0].position = 31; }));
  EXPECT_FALSE(looped([](Pairs& p) { p.more[0].guard[0] = p.pool.no(); }));
  EXPECT_FALSE(looped([](Pairs& p) { p.more[0].guard[1] = p.pool.no(); }));
  EXPECT_FALSE(looped([](Pairs& p) { p.b.instant = p.a.instant; }));
  EXPECT_FALSE(looped([](Pairs& p) { p.x.same_warp = p.pool.variable(1, "warp"); }));
  // The parts of one access, in different iterations.
  EXPECT_TRUE(looped([](Pairs& p) {
    p.b.instant = p.a.instant;
    p.know(p.pool.ne(p.a.iteration[0], p.b.iteration[1]), 0, 3);
  }));
}

// Both in a critical section of one place.
TEST(Edges, critical_sections_of_one_place_exclude_each_other) {
  const auto sections = [](const Change& change) {
    return ordered([&](Pairs& p) {
      const Pair taken = p.fresh("taken", 1);
      LockRecord q{
          .region = Scene::k_counter, .guard = p.yes(), .offset = p.both(p.number(0)), .taken = taken, .position = 5};
      q.aligned = q.acquires = true;
      LockRecord s = q;
      s.guard = taken;
      s.position = 40;
      s.release = s.releases = true;
      p.x.locks = {q, s};
      p.a.guard = p.b.guard = taken;
      change(p);
    });
  };
  EXPECT_TRUE(sections([](Pairs&) {}));
  EXPECT_FALSE(sections([](Pairs& p) { p.x.locks[0].offset[1] = p.x.locks[1].offset[1] = p.number(4); }));
  EXPECT_FALSE(sections([](Pairs& p) { p.a.guard = p.yes(); }));
  EXPECT_FALSE(sections([](Pairs& p) { p.a.mode = Mode::atomic; }));
  EXPECT_FALSE(sections([](Pairs& p) {
    p.a.mode = Mode::asynchronous;
    p.a.event = p.both(p.number(1, 16));
  }));
}

TEST(Edges, a_matrix_is_stored_when_all_lanes_have_arrived) {
  const auto before = [](const Change& change) {
    Pairs p;
    p.a.kind = AccessKind::read;
    p.b.kind = AccessKind::write;
    p.b.arrival = 25;
    p.b.arrived = p.pool.yes();
    change(p);
    return p.pool.is_true(p.engine().read_before_matrix(p.x.accesses[0], p.x.accesses[1]));
  };
  EXPECT_TRUE(before([](Pairs&) {}));
  EXPECT_FALSE(before([](Pairs& p) { p.b.arrival = 0; }));
  EXPECT_FALSE(before([](Pairs& p) { p.b.arrival = 10; }));
  EXPECT_FALSE(before([](Pairs& p) { p.b.arrival = 30; }));
  EXPECT_FALSE(before([](Pairs& p) { p.a.kind = AccessKind::write; }));
  EXPECT_FALSE(before([](Pairs& p) { p.a.mode = Mode::asynchronous; }));
  EXPECT_FALSE(before([](Pairs& p) { p.setting.pairing = Pairing::other_group; }));
}

// ---- what looks like an order and is not shown -------------------------------------------------------------------

TEST(Perhaps, a_lock_that_is_none) {
  const auto perhaps = [](const Change& change) {
    Pairs p;
    LockRecord q{.region = Scene::k_counter,
                 .guard = p.yes(),
                 .offset = p.both(p.number(0)),
                 .taken = p.fresh("taken", 1),
                 .position = 5};
    LockRecord s = q;  // none is aligned: the lock is not valid
    s.position = 40;
    s.release = true;
    p.x.locks = {q, s};
    change(p);
    return p.engine().perhaps(p.x.accesses[0], p.x.accesses[1]) == Scene::k_counter;
  };
  EXPECT_TRUE(perhaps([](Pairs&) {}));
  EXPECT_FALSE(perhaps([](Pairs& p) { p.x.locks.clear(); }));
  EXPECT_FALSE(perhaps([](Pairs& p) { p.a.mode = Mode::asynchronous; }));
  EXPECT_FALSE(perhaps([](Pairs& p) { p.b.mode = Mode::asynchronous; }));
  // Taken behind both, or by one alone and never given back.
  EXPECT_FALSE(perhaps([](Pairs& p) { p.x.locks[0].position = 50; }));
  EXPECT_FALSE(perhaps([](Pairs& p) {
    p.x.locks.pop_back();
    p.x.locks[0].position = 20;
  }));
  EXPECT_TRUE(perhaps([](Pairs& p) { p.x.locks[0].position = 20; }));
  EXPECT_FALSE(perhaps([](Pairs& p) {
    p.x.locks[0].position = 20;
    p.x.locks[1].position = 8;
  }));
  EXPECT_TRUE(perhaps([](Pairs& p) { p.x.locks.pop_back(); }));
  EXPECT_FALSE(perhaps([](Pairs& p) { p.x.locks[1].position = 7; }));
  EXPECT_FALSE(perhaps([](Pairs& p) {
    p.x.locks[1].position = 7;
    p.x.locks[0].release = true;
  }));
  EXPECT_TRUE(perhaps([](Pairs& p) {
    p.x.locks[1].position = 7;
    p.x.locks[1].region = Scene::k_other;
  }));
  // In a loop around both.
  EXPECT_TRUE(perhaps([](Pairs& p) {
    p.x.locks[0].position = 50;
    p.x.locks[0].loops = p.a.loops = p.b.loops = {2};
  }));
  EXPECT_TRUE(perhaps([](Pairs& p) {
    p.x.locks[1].position = 7;
    p.x.locks[1].loops = p.a.loops = {2};
  }));
  EXPECT_FALSE(perhaps([](Pairs& p) {
    p.x.locks[1].position = 7;
    p.x.locks[1].loops = {3};
    p.a.loops = {2};
  }));
  EXPECT_TRUE(perhaps([](Pairs& p) { p.x.locks[1].position = 3; }));
  // By the access itself, which is none before it and none behind it.
  EXPECT_FALSE(perhaps([](Pairs& p) {
    p.x.locks.pop_back();
    p.x.locks[0].position = 10;
  }));
  EXPECT_FALSE(perhaps([](Pairs& p) {
    p.x.locks[0].position = 20;
    p.x.locks[1].position = 10;
  }));
  EXPECT_FALSE(perhaps([](Pairs& p) {
    p.x.locks.pop_back();
    p.b.position = 4;
  }));
  // Taken in the loop of the one, given back behind the other.
  EXPECT_TRUE(perhaps([](Pairs& p) {
    p.x.locks[0].position = 50;
    p.x.locks[0].loops = p.a.loops = {2};
    p.x.locks[1].position = 60;
  }));
  // A valid one is no question any more.
  EXPECT_FALSE(perhaps([](Pairs& p) {
    for (LockRecord& q : p.x.locks) q.aligned = true;
    p.x.locks[1].guard = p.x.locks[0].taken;
  }));
}

TEST(Perhaps, a_ticket_that_is_not_the_last) {
  const auto perhaps = [](const Change& change) {
    Pairs p;
    p.setting.pairing = Pairing::other_group;
    TicketRecord k{.region = Scene::k_counter,
                   .guard = p.yes(),
                   .value = p.fresh("k"),
                   .master_guard = p.yes(),
                   .master_value = p.fresh("k")};
    k.groups = p.number(4);
    k.position = 20;
    p.x.last_tickets = {k};
    p.x.fences = {p.fence(15, p.yes())};
    change(p);
    return p.engine().perhaps(p.x.accesses[0], p.x.accesses[1]) == Scene::k_counter;
  };
  EXPECT_TRUE(perhaps([](Pairs&) {}));
  EXPECT_FALSE(perhaps([](Pairs& p) { p.setting.pairing = Pairing::same_group; }));
  EXPECT_FALSE(perhaps([](Pairs& p) { p.x.fences.clear(); }));
  EXPECT_FALSE(perhaps([](Pairs& p) { p.x.fences[0].scope = Scope::group; }));
  EXPECT_FALSE(perhaps([](Pairs& p) { p.x.fences[0].order = Order::relaxed; }));
  EXPECT_TRUE(perhaps([](Pairs& p) { p.x.fences[0].order = Order::acquire; }));
  EXPECT_TRUE(perhaps([](Pairs& p) { p.x.fences[0].order = Order::release; }));
  const auto by_order = [&](bool releases, bool acquires) {
    return perhaps([&](Pairs& p) {
      p.x.fences.clear();
      p.x.last_tickets[0].releases = releases;
      p.x.last_tickets[0].acquires = acquires;
    });
  };
  EXPECT_TRUE(by_order(true, true));
  EXPECT_FALSE(by_order(true, false));
  EXPECT_FALSE(by_order(false, true));
  EXPECT_FALSE(perhaps([](Pairs& p) { p.x.last_tickets[0].position = 9; }));
  EXPECT_TRUE(perhaps([](Pairs& p) { p.x.last_tickets[0].position = 10; }));
  EXPECT_TRUE(perhaps([](Pairs& p) { p.x.last_tickets[0].position = 30; }));
  EXPECT_FALSE(perhaps([](Pairs& p) { p.x.last_tickets[0].position = 31; }));
  EXPECT_FALSE(perhaps([](Pairs& p) { p.x.last_tickets[0].first_thread = true; }));
  // The one before, the other behind: the second access comes first.
  EXPECT_TRUE(perhaps([](Pairs& p) {
    TicketRecord late = p.x.last_tickets[0];
    p.x.last_tickets[0].position = 5;
    late.position = 35;
    p.x.last_tickets.push_back(late);
  }));
  EXPECT_FALSE(perhaps([](Pairs& p) {
    TicketRecord late = p.x.last_tickets[0];
    p.x.last_tickets[0].position = 5;
    late.position = 35;
    late.region = Scene::k_other;
    p.x.last_tickets.push_back(late);
  }));
}

}  // namespace
}  // namespace fencepost::order
