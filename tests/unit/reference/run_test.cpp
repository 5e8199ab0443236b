// The reference interpreter against docs/semantics.md, on programs built by hand.
#include "build.h"

namespace fencepost::reference {
namespace {

using vocab::Dialect;
const prog::ScopePath k_here = {0, 0, 0};  // opencl: all, dv, wg
const prog::ScopePath k_other_group = {0, 0, 1};

prog::Test store_buffering() {
  prog::Test t = program(Dialect::opencl, {"x", "y"});
  add_thread(t, k_here, {store(0, num(1)), load(0, 1)});
  add_thread(t, k_here, {store(1, num(1)), load(0, 0)});
  return t;
}

TEST(Run, StoreBufferingBuildsTheExecution) {
  const prog::Test t = store_buffering();
  Choices c;
  reads(c, at(0, 1), init(1), 0);
  reads(c, at(1, 1), at(0, 0), 1);
  const RunResult r = expect_run(t, c);
  const Execution& x = r.execution;
  ASSERT_EQ(x.events.size(), 6u);
  EXPECT_EQ(x.events[0].key, init(0));
  EXPECT_TRUE(x.events[0].tags.has(Tag::IW));
  EXPECT_EQ(x.events[2].key, at(0, 0));
  EXPECT_TRUE(x.complete());
  EXPECT_EQ(x.rel(Base::po).count(), 2u);
  EXPECT_EQ(x.rel(Base::rf).count(), 2u);
  EXPECT_TRUE(related(x, Base::rf, at(0, 0), at(1, 1)));
  EXPECT_TRUE(related(x, Base::co, init(0), at(0, 0)));
  EXPECT_EQ(x.rel(Base::co).count(), 2u);
  // Every Init write is a thread of its own: internal to itself only.
  EXPECT_TRUE(related(x, Base::int_, init(0), init(0)));
  EXPECT_TRUE(related(x, Base::ext, init(0), init(1)));
  EXPECT_EQ(x.rel(Base::int_).count(), 2u + 4u + 4u);
  EXPECT_EQ(x.rel(Base::loc).count(), 9u + 9u);
  EXPECT_EQ(x.final.registers[0][0], 0u);
  EXPECT_EQ(x.final.registers[1][0], 1u);
  EXPECT_EQ(x.final.memory[0][0], 1u);
}

TEST(Run, RejectsChoicesThatDoNotFit) {
  const prog::Test t = store_buffering();
  Choices good;
  reads(good, at(0, 1), init(1), 0);
  reads(good, at(1, 1), at(0, 0), 1);
  EXPECT_EQ(rejection(t, good), "accepted");
  Choices c = good;
  c.read_value.erase(at(0, 1));
  EXPECT_NE(rejection(t, c).find("no value"), std::string::npos);
  c = good;
  c.rf.erase(at(0, 1));
  EXPECT_NE(rejection(t, c).find("no rf"), std::string::npos);
  c = good;
  c.read_value[at(0, 1)] = 7;
  EXPECT_NE(rejection(t, c).find("two values"), std::string::npos);
  c = good;
  c.rf[at(1, 1)] = at(1, 0);
  EXPECT_NE(rejection(t, c).find("two addresses"), std::string::npos);
  c = good;
  c.rf[at(0, 1)] = at(1, 1);
  EXPECT_NE(rejection(t, c).find("not a write"), std::string::npos);
  c = good;
  reads(c, at(0, 7), init(0), 0);
  EXPECT_NE(rejection(t, c).find("does not happen"), std::string::npos);
  c = good;
  c.co.push_back({at(0, 0), at(1, 0)});
  EXPECT_NE(rejection(t, c).find("two writes of one location"), std::string::npos);
  c = good;
  c.co.push_back({at(0, 0), init(0)});
  EXPECT_NE(rejection(t, c).find("cycle"), std::string::npos);
}

TEST(Run, CoherenceIsTotalOrPartialByDialect) {
  for (const Dialect d : {Dialect::vulkan, Dialect::ptx}) {
    prog::Test t = program(d, {"x"});
    for (uint64_t v = 1; v <= 3; ++v) add_thread(t, {0, 0, 0, 0}, {store(0, num(v))});
    Choices c;
    EXPECT_EQ(rejection(t, c) == "accepted", d == Dialect::ptx);
    c.co = {{at(0, 0), at(1, 0)}, {at(1, 0), at(2, 0)}};
    const RunResult r = expect_run(t, c);
    EXPECT_TRUE(related(r.execution, Base::co, at(0, 0), at(2, 0))) << "co is closed";
    EXPECT_EQ(r.execution.final.memory[0][0], 3u);
    c.final_write[{0, 0}] = at(1, 0);
    EXPECT_NE(rejection(t, c).find("not the last"), std::string::npos);
    if (d != Dialect::ptx) continue;
    Choices partial;
    partial.co = {{at(0, 0), at(1, 0)}};
    for (const uint32_t last : {1u, 2u}) {
      partial.final_write[{0, 0}] = at(last, 0);
      EXPECT_EQ(expect_run(t, partial).execution.final.memory[0][0], last + 1);
    }
    partial.final_write[{0, 0}] = at(0, 0);
    EXPECT_NE(rejection(t, partial), "accepted");
  }
}

TEST(Run, ReadModifyWriteAndItsDependencies) {
  prog::Test t = program(Dialect::opencl, {"x", "y"});
  // r0 = y; r1 = fetch_add(x, r0); r2 = compare-exchange(x, 9 -> r1); *y = r1
  add_thread(t, k_here,
             {load(0, 1), rmw(1, 0, plus(old(), reg(0))), rmw(2, 0, reg(1), equal(old(), num(9))), store(1, reg(2))});
  Choices c;
  reads(c, at(0, 0), init(1), 0);
  reads(c, at(0, 1), init(0), 0);
  reads(c, at(0, 2), at(0, 1, 1), 0);
  const RunResult r = expect_run(t, c);
  const Execution& x = r.execution;
  EXPECT_EQ(x.events.size(), 2u + 5u) << "a failed compare-exchange has no write event";
  EXPECT_TRUE(related(x, Base::amo, at(0, 1), at(0, 1, 1)));
  EXPECT_FALSE(x.find(at(0, 2, 1)));
  EXPECT_TRUE(x.events[*x.find(at(0, 1))].tags.has(Tag::RMW));
  EXPECT_TRUE(x.events[*x.find(at(0, 1, 1))].tags.has(Tag::RMW));
  EXPECT_TRUE(related(x, Base::data, at(0, 0), at(0, 1, 1)));
  EXPECT_TRUE(related(x, Base::data, at(0, 1), at(0, 1, 1)));
  EXPECT_FALSE(related(x, Base::data, at(0, 0), at(0, 1)));
  EXPECT_TRUE(related(x, Base::data, at(0, 2), at(0, 3)));
  EXPECT_FALSE(related(x, Base::data, at(0, 1), at(0, 3))) << "the register was overwritten";
  EXPECT_EQ(x.rel(Base::ctrl).count(), 0u);

  prog::Test cas = program(Dialect::opencl, {"x", "y"});
  add_thread(cas, k_here, {load(0, 1), rmw(1, 0, num(5), equal(old(), reg(0)))});
  Choices d;
  reads(d, at(0, 0), init(1), 0);
  reads(d, at(0, 1), init(0), 0);
  const RunResult s = expect_run(cas, d);
  EXPECT_TRUE(related(s.execution, Base::ctrl, at(0, 1), at(0, 1, 1)));
  EXPECT_TRUE(related(s.execution, Base::ctrl, at(0, 0), at(0, 1, 1)));
  EXPECT_FALSE(related(s.execution, Base::ctrl, at(0, 0), at(0, 1)));
  EXPECT_EQ(s.execution.rel(Base::data).count(), 0u);
  EXPECT_EQ(s.execution.final.memory[0][0], 5u);
}

TEST(Run, ControlDependenciesReachAsFarAsTheirStatement) {
  for (const bool structured : {false, true}) {
    prog::Test t = program(Dialect::opencl, {"x", "y", "z"});
    Instr b = branch(equal(reg(0), num(1)), 0);
    if (structured) {
      b.reach = prog::CtrlReach::to_label;
      b.ctrl_end = 0;
    }
    add_thread(t, k_here, {load(0, 0), b, store(1, num(1)), label(0), store(2, num(1))});
    Choices c;
    reads(c, at(0, 0), init(0), 0);
    const RunResult r = expect_run(t, c);
    EXPECT_TRUE(related(r.execution, Base::ctrl, at(0, 0), at(0, 2)));
    EXPECT_EQ(related(r.execution, Base::ctrl, at(0, 0), at(0, 4)), !structured);
  }
}

TEST(Run, PredicatesGuardTheirOwnInstruction) {
  prog::Test t = program(Dialect::ptx, {"x", "y"});
  Instr yes = store(1, num(1));
  yes.predicate = 0;
  Instr no = store(1, num(2));
  no.predicate = 0;
  no.predicate_negated = true;
  add_thread(t, {0, 0, 0}, {load(0, 0), yes, no, store(0, num(3))});
  Choices c;
  reads(c, at(0, 0), init(0), 0);
  const RunResult r = expect_run(t, c);
  EXPECT_FALSE(r.execution.find(at(0, 1)));
  EXPECT_TRUE(related(r.execution, Base::ctrl, at(0, 0), at(0, 2)));
  EXPECT_FALSE(related(r.execution, Base::ctrl, at(0, 0), at(0, 3)));
}

TEST(Run, LoopsStopAsSpinOrCut) {
  // L0: r0 = x; if r0 == 1 goto L1; [store y]; goto L0; L1:
  const auto looping = [](bool effect, bool live) {
    prog::Test t = program(Dialect::opencl, {"x", "y"});
    std::vector<Instr> code = {label(0), load(0, 0), branch(equal(reg(0), num(1)), 1)};
    code.push_back(effect ? store(1, num(1)) : local(1, num(7)));
    code.push_back(jump(0));
    code.push_back(label(1));
    if (live) code.push_back(store(1, reg(1)));
    add_thread(t, k_here, std::move(code));
    // Observe what does not matter here, so that r0 and r1 are not live by observation.
    t.locations.push_back({prog::CondValue::Kind::location, 0, 0, 0, 0, 0, {}});
    return t;
  };
  Choices once;
  reads(once, at(0, 1), init(0), 0);
  EXPECT_EQ(expect_run(looping(false, false), once).threads[0].stop, StopReason::spin);
  EXPECT_EQ(expect_run(looping(false, true), once).threads[0].stop, StopReason::cut) << "assigned what is read later";
  EXPECT_EQ(expect_run(looping(true, false), once).threads[0].stop, StopReason::cut) << "wrote to memory";
  EXPECT_EQ(expect_run(looping(false, false), once).threads[0].stop_instr, 4u);
  EXPECT_FALSE(expect_run(looping(false, false), once).execution.complete());

  Choices twice = once;
  reads(twice, at(0, 1, 0, 1), init(0), 0);
  const RunResult r = expect_run(
      looping(true, false),
      [&] {
        Choices c = twice;
        c.co = {{at(0, 3), at(0, 3, 0, 1)}};
        return c;
      }(),
      2);
  EXPECT_EQ(r.threads[0].stop, StopReason::cut);
  EXPECT_EQ(r.execution.events.size(), 2u + 4u);
}

TEST(Run, NestedLoopsCountAfresh) {
  // outer 0 { inner 1 { r0 = x; if r0 goto 1 } if 1 goto 0 }: bound 2 runs the inner body twice in each outer turn.
  prog::Test t = program(Dialect::opencl, {"x"});
  add_thread(t, k_here,
             {label(0), local(1, plus(reg(1), num(1))), label(1), local(2, plus(reg(2), num(1))),
              branch(equal(term::binary(term::Op::and_, reg(2), num(1)), num(1)), 1), branch(num(1), 0)});
  const RunResult r = expect_run(t, {}, 2);
  EXPECT_EQ(r.threads[0].stop, StopReason::cut);
  EXPECT_EQ(r.execution.final.registers[0][1], 2u);
  EXPECT_EQ(r.execution.final.registers[0][2], 4u);
}

TEST(Run, BarriersWaitForTheirGroup) {
  const uint32_t wg = 2;
  prog::Test t = program(Dialect::opencl, {"x"});
  add_thread(t, k_here, {store(0, num(1)), barrier("B", wg)});
  add_thread(t, k_here, {barrier("B", wg), load(0, 0)});
  add_thread(t, k_other_group, {barrier("B", wg)});
  Choices c;
  reads(c, at(1, 1), at(0, 0), 1);
  const RunResult r = expect_run(t, c);
  EXPECT_TRUE(r.execution.complete());
  EXPECT_TRUE(related(r.execution, Base::syncbar, at(0, 1), at(1, 0)));
  EXPECT_TRUE(related(r.execution, Base::syncbar, at(1, 0), at(1, 0))) << "reflexive";
  EXPECT_FALSE(related(r.execution, Base::syncbar, at(0, 1), at(2, 0))) << "another workgroup";
}

TEST(Run, CrossedBarriersAreADeadlock) {
  prog::Test t = program(Dialect::opencl, {"x"});
  add_thread(t, k_here, {barrier("A", 2), barrier("B", 2)});
  add_thread(t, k_here, {barrier("B", 2), barrier("A", 2)});
  const RunResult r = expect_run(t, {});
  EXPECT_EQ(r.threads[0].stop, StopReason::blocked);
  EXPECT_EQ(r.threads[1].stop, StopReason::blocked);
  EXPECT_EQ(r.execution.events.size(), 1u) << "a blocked barrier is not an event";
}

TEST(Run, RepeatedBarriersMatchByOrdinal) {
  prog::Test t = program(Dialect::opencl, {"x"});
  add_thread(t, k_here, {barrier("B", 2), barrier("B", 2)});
  add_thread(t, k_here, {barrier("B", 2), barrier("B", 2)});
  const RunResult r = expect_run(t, {});
  EXPECT_TRUE(r.execution.complete());
  EXPECT_TRUE(related(r.execution, Base::syncbar, at(0, 0), at(1, 0)));
  EXPECT_FALSE(related(r.execution, Base::syncbar, at(0, 0), at(1, 1)));
  prog::Test uneven = program(Dialect::opencl, {"x"});
  add_thread(uneven, k_here, {barrier("B", 2), barrier("B", 2)});
  add_thread(uneven, k_here, {barrier("B", 2)});
  EXPECT_EQ(expect_run(uneven, {}).threads[0].stop, StopReason::blocked);
  EXPECT_EQ(expect_run(uneven, {}).threads[1].stop, StopReason::end);
}

TEST(Run, ArriveDoesNotWait) {
  prog::Test t = program(Dialect::ptx, {"x"});
  add_thread(t, {0, 0, 0}, {store(0, num(1)), barrier("1", 2, {}, {}, true)});
  add_thread(t, {0, 0, 0}, {barrier("1", 2)});
  const RunResult r = expect_run(t, {});
  EXPECT_TRUE(r.execution.complete());
  EXPECT_TRUE(related(r.execution, Base::syncbar, at(0, 1), at(1, 0)));
  EXPECT_FALSE(related(r.execution, Base::syncbar, at(1, 0), at(0, 1))) << "nothing waited there";
  EXPECT_FALSE(related(r.execution, Base::syncbar, at(0, 1), at(0, 1)));
}

TEST(Run, BarrierIdsSeparateThreads) {
  prog::Test t = program(Dialect::ptx, {"x"});
  add_thread(t, {0, 0, 0}, {barrier("1", 2, num(1))});
  add_thread(t, {0, 0, 0}, {barrier("1", 2, num(1))});
  add_thread(t, {0, 0, 0}, {load(0, 0), barrier("1", 2, reg(0))});  // id known only when it arrives
  Choices c;
  reads(c, at(2, 0), init(0), 0);
  const RunResult r = expect_run(t, c);
  EXPECT_TRUE(r.execution.complete());
  EXPECT_TRUE(related(r.execution, Base::syncbar, at(0, 0), at(1, 0)));
  EXPECT_FALSE(related(r.execution, Base::syncbar, at(0, 0), at(2, 1)));
  EXPECT_TRUE(related(r.execution, Base::data, at(2, 0), at(2, 1)));
  // A thread that never comes is waited for, unless its text shows another id.
  for (const bool constant : {false, true}) {
    prog::Test u = program(Dialect::ptx, {"x"});
    add_thread(u, {0, 0, 0}, {barrier("1", 2, num(1))});
    add_thread(u, {0, 0, 0}, {branch(num(1), 0), barrier("1", 2, constant ? num(2) : reg(0)), label(0)});
    EXPECT_EQ(expect_run(u, {}).threads[0].stop, constant ? StopReason::end : StopReason::blocked);
  }
}

TEST(Run, NamedBarriersDoNotWaitForPlainOnes) {
  // P1's named barrier passes at once, since P0's barrier of that instance is plain; then the plain ones meet.
  prog::Test t = program(Dialect::ptx, {"x"});
  add_thread(t, {0, 0, 0}, {barrier("0", 2), barrier("1", 2, {}, {}, true)});
  add_thread(t, {0, 0, 0}, {barrier("1", 2, num(1)), barrier("0", 2)});
  const RunResult r = expect_run(t, {});
  EXPECT_TRUE(r.execution.complete());
  EXPECT_FALSE(related(r.execution, Base::syncbar, at(0, 1), at(1, 0)));
  EXPECT_TRUE(related(r.execution, Base::syncbar, at(0, 0), at(1, 1)));
}

TEST(Run, QuorumsPickTheirMembers) {
  prog::Test t = program(Dialect::ptx, {"x"});
  for (int k = 0; k < 3; ++k) add_thread(t, {0, 0, 0}, {barrier("1", 2, num(1), num(2))});
  Choices c;
  EXPECT_NE(rejection(t, c).find("too small a quorum"), std::string::npos);
  c.quorum_members = {at(0, 0), at(2, 0)};
  const RunResult r = expect_run(t, c);
  EXPECT_TRUE(r.execution.complete());
  EXPECT_TRUE(related(r.execution, Base::syncbar, at(0, 0), at(1, 0)));
  EXPECT_FALSE(related(r.execution, Base::syncbar, at(1, 0), at(0, 0)));
  prog::Test hang = program(Dialect::ptx, {"x"});
  for (int k = 0; k < 3; ++k) add_thread(hang, {0, 0, 0}, {barrier("1", 2, num(1), num(4))});
  EXPECT_EQ(expect_run(hang, {}).threads[0].stop, StopReason::blocked);
}

TEST(Run, FenceOrderIsCheckedInPtx) {
  prog::Test t = program(Dialect::ptx, {"x"});
  add_thread(t, {0, 0, 0}, {fence({Tag::F, Tag::SC, Tag::CTA})});
  add_thread(t, {0, 0, 0}, {fence({Tag::F, Tag::SC, Tag::CTA})});
  add_thread(t, {0, 0, 1}, {fence({Tag::F, Tag::SC, Tag::CTA})});
  Choices c;
  EXPECT_NE(rejection(t, c).find("exactly one order"), std::string::npos);
  c.fence_order = {{at(1, 0), at(0, 0)}};
  const RunResult r = expect_run(t, c);
  EXPECT_TRUE(related(r.execution, Base::fsc, at(1, 0), at(0, 0)));
  EXPECT_TRUE(related(r.execution, Base::sync_fence, at(1, 0), at(0, 0)));
  c.sync_fence_free = {{at(2, 0), at(0, 0)}};
  EXPECT_TRUE(related(expect_run(t, c).execution, Base::sync_fence, at(2, 0), at(0, 0)));
  EXPECT_FALSE(related(expect_run(t, c).execution, Base::fsc, at(2, 0), at(0, 0)));
  c.sync_fence_free = {{at(0, 0), at(1, 0)}};
  EXPECT_NE(rejection(t, c), "accepted") << "in scope: not free";
  c.sync_fence_free.clear();
  c.fence_order.push_back({at(0, 0), at(1, 0)});
  EXPECT_NE(rejection(t, c), "accepted");
}

TEST(Run, ScopesAndAliases) {
  prog::Test t = program(Dialect::ptx, {"x"});
  prog::Symbol surface;  // a virtual alias of x through another proxy
  surface.name = "s";
  surface.aliased = 0;
  surface.generic = 0;
  t.symbols.push_back(surface);
  prog::Symbol apart = surface;  // another virtual address for the same memory
  apart.name = "y";
  apart.generic = 2;
  t.symbols.push_back(apart);
  add_thread(t, {0, 0, 0}, {store(0, num(1), {Tag::GPU}), store(1, num(2), {Tag::CTA})});
  add_thread(t, {0, 0, 1}, {store(2, num(3), {Tag::GPU}), store(0, num(4), {Tag::CTA})});
  add_thread(t, {}, {store(0, num(5), {Tag::SYS})});
  const RunResult r = expect_run(t, {});
  const Execution& x = r.execution;
  EXPECT_TRUE(related(x, Base::sr, at(0, 0), at(1, 0)));
  EXPECT_FALSE(related(x, Base::sr, at(0, 0), at(1, 1))) << "each must be in the other's scope";
  EXPECT_TRUE(related(x, Base::sr, at(0, 0), at(0, 1)));
  EXPECT_FALSE(related(x, Base::sr, at(2, 0), at(2, 0))) << "no place in the hierarchy";
  EXPECT_FALSE(related(x, Base::scta, at(0, 0), at(1, 0)));
  EXPECT_TRUE(related(x, Base::scta, at(0, 0), at(0, 1)));
  EXPECT_TRUE(related(x, Base::loc, at(0, 0), at(1, 0)));
  EXPECT_FALSE(related(x, Base::vloc, at(0, 0), at(1, 0)));
  EXPECT_TRUE(related(x, Base::vloc, at(0, 0), at(0, 1)));
  EXPECT_TRUE(related(x, Base::vloc, init(0), at(0, 1)));
}

TEST(Run, ArraysAndPointers) {
  prog::Test t = program(Dialect::opencl, {"a", "p"});
  t.objects[0].init = {10, 11, 12};
  t.objects[1].init_address = {0};
  Instr indexed = load(1, 0);
  indexed.addr.index = reg(0);
  Instr through;  // *r2
  through.kind = Kind::load;
  through.dst = 3;
  through.addr.index = reg(2);
  add_thread(t, k_here, {local(0, num(2)), indexed, load(2, 1), through});
  Choices c;
  reads(c, at(0, 1), init(0, 2), 12);
  reads(c, at(0, 2), init(1), prog::address_of(0));
  reads(c, at(0, 3), init(0, 0), 10);
  const RunResult r = expect_run(t, c);
  EXPECT_EQ(r.execution.final.registers[0][1], 12u);
  EXPECT_EQ(r.execution.final.registers[0][3], 10u);
  EXPECT_TRUE(related(r.execution, Base::addr, at(0, 2), at(0, 3)));
  EXPECT_EQ(r.execution.events[*r.execution.find(at(0, 3))].symbol, 0u);
}

}  // namespace
}  // namespace fencepost::reference
