// Machines: traces by hand, the stateful HSA of figure 14 against its closed form, the example models, interning.
#include <algorithm>
#include <filesystem>
#include <random>

#include "text.h"

namespace fencepost::fair {
namespace {

constexpr ThreadSet set(std::initializer_list<int> ids) {
  ThreadSet s = 0;
  for (int i : ids) s |= ThreadSet{1} << i;
  return s;
}

Model example(const std::string& name) {
  auto m = load_model(FENCEPOST_SOURCE_DIR "/examples/progress-models/" + name + ".progress");
  if (!m) ADD_FAILURE() << render(m.error());
  return m ? *m : closed("{}");
}

// Drives a machine; every answer must be one.
struct Driver {
  Machine machine;
  Machine::StateId at;
  Driver(const Model& m, uint32_t threads, ThreadSet live) : machine(m, threads, live), at(*machine.initial()) {}
  Driver(const Model& m, uint32_t threads) : Driver(m, threads, all_of(threads)) {}
  ThreadSet step(uint32_t t, const Step& s = {}) { return take(machine.after_step(at, t, s)); }
  ThreadSet end(uint32_t t) { return take(machine.after_termination(at, t)); }
  ThreadSet take(const Expected<Machine::StateId>& to) {
    EXPECT_TRUE(to.has_value()) << (to ? "" : render(to.error()));
    if (to) at = *to;
    return machine.fair(at);
  }
  ThreadSet fair() const { return machine.fair(at); }
};

TEST(Machines, HsaAsInFigure14) {
  const Model figure = model_of(
      "model \"hsa, figure 14\"\nvar hsa_thread = min live\nvar fair = {hsa_thread}\n"
      "on terminate(t) {\n  if t == hsa_thread { hsa_thread = min { u in live | u > hsa_thread } }\n"
      "  fair = if t in fair then {hsa_thread} else fair\n}\n");
  const Model closed_hsa = *load_model("hsa");
  EXPECT_FALSE(figure.closed_form());
  EXPECT_FALSE(figure.closed_form_text().has_value());
  std::mt19937_64 random(3);
  for (int round = 0; round < 400; ++round) {
    const uint32_t n = 1 + static_cast<uint32_t>(random() % 8);
    Machine a(figure, n, all_of(n)), b(closed_hsa, n, all_of(n));
    auto x = *a.initial(), y = *b.initial();
    for (int i = 0; i < 60 && b.live(y) != 0; ++i) {
      ASSERT_EQ(a.fair(x), b.fair(y));
      ASSERT_EQ(a.live(x), b.live(y));
      uint32_t t = static_cast<uint32_t>(random() % n);
      while ((b.live(y) >> t & 1) == 0) t = (t + 1) % n;
      const bool ends = random() % 4 == 0;
      const auto p = a.after(x, t, {}, ends), q = b.after(y, t, {}, ends);
      ASSERT_TRUE(p && q) << (p ? "" : render(p.error()));
      x = *p;
      y = *q;
    }
    EXPECT_EQ(a.fair(x), b.fair(y));
  }
}

TEST(Machines, Window) {
  Driver r(example("window"), 5);
  EXPECT_EQ(r.fair(), set({0, 1}));
  EXPECT_EQ(r.step(4), set({0, 1})) << "a step moves nothing";
  EXPECT_EQ(r.end(1), set({0})) << "the window has not moved";
  EXPECT_EQ(r.end(0), set({2, 3}));
  EXPECT_EQ(r.machine.describe(r.at), "F={2,3} first=2");
  EXPECT_EQ(r.end(3), set({2}));
  EXPECT_EQ(r.end(2), set({4}));
  EXPECT_EQ(r.end(4), set({}));
  EXPECT_EQ(r.machine.describe(r.at), "F={} first=none");
}

TEST(Machines, LockHolder) {
  const Model m = example("lock-holder");
  EXPECT_TRUE(m.reads_instructions());
  const Step spins{0, 1, 1, true, true}, wins{0, 1, 1, true, false}, reads{0, 1, 0, false, false};
  Driver r(m, 3);
  EXPECT_EQ(r.step(1, spins), set({}));
  EXPECT_EQ(r.step(1, reads), set({}));
  EXPECT_EQ(r.step(1, wins), set({1}));
  EXPECT_EQ(r.step(1, spins), set({1}));
  EXPECT_EQ(r.step(0, wins), set({0, 1}));
  EXPECT_EQ(r.end(1), set({0}));
}

TEST(Machines, Token) {
  Driver r(example("token"), 4);
  EXPECT_EQ(r.fair(), set({}));
  EXPECT_EQ(r.step(2), set({2}));
  EXPECT_EQ(r.step(0), set({2}));
  EXPECT_EQ(r.end(2), set({3}));
  EXPECT_EQ(r.end(3), set({0})) << "round the end";
  EXPECT_EQ(r.end(1), set({0}));
  EXPECT_EQ(r.end(0), set({}));
  EXPECT_EQ(r.machine.describe(r.at), "F={} token=none");
}

TEST(Machines, Patience) {
  Driver r(example("patience"), 3);
  EXPECT_EQ(r.step(1), set({}));
  EXPECT_EQ(r.machine.describe(r.at), "F={} steps=[0,1,0]");
  EXPECT_EQ(r.step(0), set({}));
  EXPECT_EQ(r.step(1), set({1}));
  EXPECT_EQ(r.step(1), set({1}));
  EXPECT_EQ(r.end(1), set({}));
}

TEST(Machines, ShippedAndExampleModelsHaveNoFault) {
  size_t examples = 0;
  for (const auto& e : std::filesystem::directory_iterator(FENCEPOST_SOURCE_DIR "/examples/progress-models")) {
    const auto m = load_model(e.path().string());
    ASSERT_TRUE(m.has_value()) << render(m.error());
    EXPECT_FALSE(m->summary().empty()) << e.path();
    EXPECT_EQ(m->name(), e.path().stem().string());
    const auto fault = find_fault(*m, 3);
    EXPECT_TRUE(fault.has_value()) << render(fault.error());
    EXPECT_EQ(model_of(to_text(*m)), *m) << to_text(*m);
    EXPECT_EQ(model_of(to_text(*m)).summary(), m->summary());
    ++examples;
  }
  EXPECT_GE(examples, 4u);
  for (const ModelInfo& info : shipped_models()) {
    const Model m = *load_model(info.name);
    const auto fault = find_fault(m, 4);
    EXPECT_TRUE(fault.has_value()) << render(fault.error());
    EXPECT_EQ(model_of(to_text(m)), m);
  }
}

// Components that a model does not read do not split its states.
TEST(Machines, StatesAreNoMoreThanTheModelNeeds) {
  const auto states = [](const Model& m, uint32_t threads) {
    Machine machine(m, threads, all_of(threads));
    (void)*machine.initial();
    for (Machine::StateId s = 0; s < machine.states(); ++s)
      for (uint32_t t = 0; t < threads; ++t)
        if ((machine.live(s) >> t & 1) != 0)
          for (const bool ends : {false, true}) (void)*machine.after(s, t, {0, 7, 9, true, ends}, ends);
    return machine.states();
  };
  EXPECT_EQ(states(*load_model("unfair"), 5), 32u) << "one per set of live threads";
  EXPECT_EQ(states(*load_model("hsa"), 5), 32u);
  EXPECT_EQ(states(*load_model("fair"), 5), 32u);
  EXPECT_EQ(states(*load_model("obe"), 5), 243u) << "not started, started, ended";
  EXPECT_EQ(states(*load_model("hsa+obe"), 5), 243u);
  // A thread ends with or after a step, so the largest started id is an ended one or larger. By its value m: all live
  // above, m live or not, 2^m below; and the start.
  EXPECT_EQ(states(*load_model("lobe"), 5), 1u + 2 * (1 + 2 + 4 + 8 + 16));
  EXPECT_EQ(states(closed("{ u in live | exists s in started : u <= s }"), 5), 63u);
  EXPECT_EQ(states(closed("{ u in live | exists s in started : s >= u and true }"), 5), 243u) << "seen as a whole";
}

// A model that does as it is told: every F before, every F after, of three threads, by a step and by an end.
TEST(Machines, BothLawsHoldAtEveryTransition) {
  std::string text = "model \"told\"\nvar fair = {}\nvar at_end = {}\non step(t, i) {\n";
  for (ThreadSet f = 0; f < 8; ++f) {
    std::string members;
    for (int t = 0; t < 3; ++t)
      if ((f >> t & 1) != 0) members += (members.empty() ? "thread " : ", thread ") + std::to_string(t);
    text += "  if i.value == " + std::to_string(f) + " { fair = {" + members + "} }\n";
    text += "  if i.compared == " + std::to_string(f) + " { at_end = {" + members + "} }\n";
  }
  const Model m = model_of(text + "}\non terminate(t) { fair = at_end }\n");
  for (ThreadSet live = 1; live < 8; ++live)
    for (ThreadSet before = 0; before < 8; ++before) {
      Machine machine(m, 3, live);
      const auto s = *machine.initial();
      const uint32_t t = live & 1 ? 0 : live & 2 ? 1 : 2;
      const auto at = machine.after_step(s, t, {0, 0, before, true, false});
      ASSERT_EQ(at.has_value(), (before & ~live) == 0) << "a thread that is not live";
      if (!at) continue;
      for (ThreadSet after = 0; after < 8; ++after) {
        const auto step = machine.after_step(*at, t, {0, 0, after, true, false});
        EXPECT_EQ(step.has_value(), (after & ~live) == 0 && (before & ~after) == 0) << before << " to " << after;
        const auto both = machine.after(*at, t, {0, after, before, true, false}, true);
        const ThreadSet left = live & ~(ThreadSet{1} << t);
        EXPECT_EQ(both.has_value(), (after & ~left) == 0 && (before & left & ~after) == 0) << before << " to " << after;
        if (!both)
          EXPECT_NE(both.error().list[0].message.find("when thread " + std::to_string(t) + " ends"), std::string::npos);
        const auto again = machine.after(*at, t, {0, after, before, true, false}, true);
        EXPECT_EQ(again.has_value(), both.has_value()) << "a fault is no less one the second time";
      }
    }
}

TEST(Machines, RepeatedEventsAreTheSameState) {
  const Model m = example("lock-holder");
  Machine machine(m, 2, 3);
  const auto s = *machine.initial();
  EXPECT_EQ(*machine.initial(), s);
  const auto a = *machine.after_step(s, 0, {3, 1, 1, true, false});
  EXPECT_EQ(*machine.after_step(s, 0, {9, 0, 4, true, false}), a) << "location and values are not read";
  EXPECT_NE(*machine.after_step(s, 0, {3, 1, 1, true, true}), a);
  EXPECT_EQ(*machine.after_step(s, 0, {3, 1, 1, true, true}), s);
  EXPECT_EQ(*machine.initial(2), *machine.initial(2));
  EXPECT_EQ(machine.live(*machine.initial(2)), 2u);
}

TEST(Machines, InstructionsAreSeenAsTheyAre) {
  const Model m = model_of(
      "model \"seen\"\nvar fair = {}\nvar last : -1..1000 = -1\n"
      "on step(t, i) {\n  if i.location == 2 and i.compared == 5 and i.value == 6 and not i.exchanged and i.jumped {\n"
      "    last = i.location * 100 + i.compared * 10 + i.value }\n  if last == 256 { fair = fair | {t} }\n}\n"
      "on terminate(t) { fair = fair & live }\n");
  Driver r(m, 2);
  EXPECT_EQ(r.step(0, {2, 5, 6, true, true}), 0u);
  EXPECT_EQ(r.step(0, {2, 5, 7, false, true}), 0u);
  EXPECT_EQ(r.step(0, {2, 4, 6, false, true}), 0u);
  EXPECT_EQ(r.step(0, {1, 5, 6, false, true}), 0u);
  EXPECT_EQ(r.step(0, {2, 5, 6, false, false}), 0u);
  EXPECT_EQ(r.step(0, {2, 5, 6, false, true}), 1u);
  EXPECT_EQ(r.machine.describe(r.at), "F={0} last=256");
}

// `started` holds the thread that steps, `live` lacks the one that ends, and assignments see those above them.
TEST(Machines, OrderOfEvaluation) {
  const Model m = model_of(
      "model \"order\"\nvar seen = none\nvar copy = none\nvar ended = true\nvar fair = {}\n"
      "on step(t) { if t in started { seen = t\n copy = seen } fair = fair | {copy} }\n"
      "on terminate(t) { ended = t in live\n if not ended and t in started { fair = fair & live } }\n");
  Driver r(m, 3);
  EXPECT_EQ(r.step(1), set({1}));
  EXPECT_EQ(r.end(1), set({}));
  EXPECT_EQ(r.machine.describe(r.at), "F={} seen=1 copy=1 ended=false");
}

TEST(Machines, SixtyFourThreads) {
  Driver r(example("patience"), 64);
  r.step(63);
  EXPECT_EQ(r.step(63), ThreadSet{1} << 63);
  r.step(0);
  EXPECT_EQ(r.step(0), (ThreadSet{1} << 63) | 1);
  EXPECT_EQ(r.end(63), 1u);
  Driver lobe(*load_model("lobe"), 64);
  EXPECT_EQ(lobe.step(63), ~ThreadSet{0});
}

TEST(Machines, ElementOfNoneIsNothing) {
  const Model m = model_of(
      "model \"none\"\nvar n[threads] : 0..1 = 1\nvar fair = {}\n"
      "on step(t) { n[none] = 0\n n[t] = n[none]\n fair = fair | { u in live | n[u] == 0 } }\n"
      "on terminate(t) { fair = fair & live }\n");
  Driver r(m, 2);
  EXPECT_EQ(r.step(1), set({1}));
}

TEST(Machines, ThreadsWithoutCodeAreNotLive) {
  Driver r(*load_model("fair"), 3, set({0, 2}));
  EXPECT_EQ(r.fair(), set({0, 2}));
  const Model first = model_of("model \"kept\"\nvar at_start = live\nfair = live & at_start\n");
  EXPECT_FALSE(first.closed_form());
  Driver kept(first, 3, set({0, 2}));
  EXPECT_EQ(kept.end(0), set({2}));
  EXPECT_EQ(kept.machine.describe(kept.at), "F={2} at_start={0,2}");
}

}  // namespace
}  // namespace fencepost::fair
