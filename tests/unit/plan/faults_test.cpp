// Faults planted one at a time in programs and configurations: each must show as a corrupt result, a count that does
// not add up, a fault of the executor, or a state that no interleaving has.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "plan/plan.h"
#include "read/read.h"
#include "run_on_executor.h"

using namespace fencepost;
using namespace fencepost::plan;

namespace {

using code::Statement;

// One instance has few possible ends, all known: two exchanges, of which exactly one sees 0, and message passing.
const char* const k_exchanges =
    "PTX X\n{ x = 0; }\n P0@cta 0,gpu 0                  | P1@cta 1,gpu 0                  ;\n"
    " atom.relaxed.gpu.exch r0, x, 1 | atom.relaxed.gpu.exch r0, x, 1 ;\nexists (P0:r0 = 0 /\\ P1:r0 = 0)\n";
const char* const k_message =
    "PTX MP\n{ x = 0; y = 0; }\n P0@cta 0,gpu 0      | P1@cta 1,gpu 0      ;\n st.relaxed.gpu x, 1 | ld.relaxed.gpu "
    "r0, y ;\n"
    " st.relaxed.gpu y, 1 | ld.relaxed.gpu r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n";
const char* const k_final =
    "PTX F\n{ x = 0; y = 5; }\n P0@cta 0,gpu 0      | P1@cta 0,gpu 0      ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu x, "
    "2 ;\n"
    "                     | ld.relaxed.gpu r0, y ;\nexists (x = 1 /\\ P1:r0 = 5)\n";

struct Case {
  Program program;
  Configuration configuration;
  std::set<std::string> sc;  // states that interleavings have
};

Case make(const char* text, std::set<std::string> sc, const std::string& parameters = "") {
  const auto test = read::parse_one(make_source("t.litmus", text));
  EXPECT_TRUE(test.has_value());
  Target t;
  t.subgroup = 4, t.max_lanes = 16, t.max_groups = 64, t.units = 3, t.memory_words = 1 << 20, t.shared_words = 512;
  Case c;
  c.program = *make_program(*test, t, {});
  Parameters p;
  EXPECT_TRUE(set_parameters(
                  p, "groups=4,lanes=16,rounds=8,schedule=fused,stress=off,pre-stress=off,align-limit=100000,churn=0")
                  .has_value());
  EXPECT_TRUE(set_parameters(p, parameters).has_value());
  const auto drawn = draw(c.program, t, p, 17, 4);
  EXPECT_TRUE(drawn.has_value()) << (drawn ? "" : render(drawn.error()));
  if (drawn) c.configuration = *drawn;
  c.sc = std::move(sc);
  return c;
}

std::vector<Case> cases() {
  return {make(k_exchanges, {"0:r0=0; 1:r0=1;", "0:r0=1; 1:r0=0;"}),
          make(k_message, {"1:r0=0; 1:r1=0;", "1:r0=0; 1:r1=1;", "1:r0=1; 1:r1=1;"}),
          make(k_final, {"1:r0=5; x=1;", "1:r0=5; x=2;"})};
}

bool caught(const Case& c) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Ran r = run_on_executor(c.program, c.configuration, {.seed = seed, .burst = 3, .limit = 20000000});
    if (!r.fault.empty() || r.total() != c.configuration.instances() || r.counts[c.program.corrupt()] > 0) return true;
    for (uint32_t s = 0; s < c.program.states; ++s)
      if (r.counts[s] > 0 && !c.sc.contains(prog::to_string(c.program.observables, c.program.state(s)))) return true;
    const uint64_t batches = (c.configuration.rounds + of(c.configuration.drawn, ParameterId::align_every) - 1) /
                             of(c.configuration.drawn, ParameterId::align_every);
    const uint64_t waits =
        of(c.configuration.drawn, ParameterId::align) != 0 ? batches * c.configuration.map.groups : 0;
    if (r.waits != waits) return true;
  }
  return false;
}

code::Kernel& kernel(Case& c, Phase p) { return c.program.kernels[static_cast<size_t>(p)]; }
uint32_t& word(Case& c, const std::string& name) { return c.configuration.words[c.program.parameter_words.at(name)]; }

// Visits every statement, innermost last; `f` may change it or, returning true, have it removed.
void edit(std::vector<Statement>& list, const std::function<bool(Statement&)>& f) {
  for (Statement& s : list) {
    edit(s.body, f);
    edit(s.other, f);
  }
  std::erase_if(list, f);
}

bool stores_to(const Case& c, Phase p, const Statement& s, BufferUse u) {
  if (s.kind != Statement::Kind::store || s.place.buffer == code::k_shared) return false;
  return c.program.uses[static_cast<size_t>(p)][s.place.buffer] == u;
}

struct Fault {
  const char* name;
  std::function<void(Case&)> plant;
};

const std::vector<Fault> k_faults = {
    {"initial values are not written",
     [](Case& c) {
       edit(kernel(c, Phase::initialise).body,
            [&](Statement& s) { return stores_to(c, Phase::initialise, s, BufferUse::memory); });
     }},
    {"a role does not report",
     [](Case& c) {
       edit(kernel(c, Phase::test).body, [&](Statement& s) { return stores_to(c, Phase::test, s, BufferUse::out); });
     }},
    {"rounds are missing", [](Case& c) { word(c, "rounds") -= 1; }},
    {"the inverse map is wrong", [](Case& c) { word(c, "r1.b-inverse") += 1; }},
    {"lanes are outside of the map", [](Case& c) { word(c, "s") -= 1; }},
    {"all instances share their memory",
     [](Case& c) {
       for (const char* o : {"o0.stride", "o1.stride"})
         if (c.program.parameter_words.contains(o)) word(c, o) = 0;
     }},
    {"rounds share their memory", [](Case& c) { word(c, "round-words") = 0; }},
    {"a store of the test is dropped",
     [](Case& c) {
       edit(kernel(c, Phase::test).body, [&](Statement& s) {
         return s.kind == Statement::Kind::test &&
                kernel(c, Phase::test).operations[s.operation].instr.kind != prog::Kind::load &&
                kernel(c, Phase::test).operations[s.operation].role == 0 &&
                kernel(c, Phase::test).operations[s.operation].position == 0;
       });
     }},
    {"a value is torn",
     [](Case& c) {
       for (code::Operation& o : kernel(c, Phase::test).operations)
         if (o.value && o.value.is_const()) o.value = term::constant(o.value.value() | 0x10000, 32);
     }},
    {"the labels are swapped",
     [](Case& c) {
       for (auto& d : c.program.digits) std::reverse(d.begin(), d.end());
     }},
    {"classification stops early",
     [](Case& c) {
       edit(kernel(c, Phase::classify).body, [&](Statement& s) {
         if (s.kind == Statement::Kind::leave && s.value && s.value.kids().size() == 2 && !s.value.kids()[1].is_const())
           s.value = term::binary(term::Op::uge, s.value.kids()[0], term::constant(100, 32));
         return false;
       });
     }},
    {"the histogram is not added up",
     [](Case& c) {
       edit(kernel(c, Phase::classify).body,
            [&](Statement& s) { return s.kind == Statement::Kind::atomic && s.place.buffer == code::k_shared; });
     }},
    {"operations run in another order",
     [](Case& c) {
       auto& ops = kernel(c, Phase::test).operations;
       for (size_t i = 0; i + 1 < ops.size(); ++i)
         if (ops[i].role == ops[i + 1].role && ops[i].instr.kind == ops[i + 1].instr.kind) {
           std::swap(ops[i], ops[i + 1]);
           ++i;
         }
       // Where there is nothing to swap, the first role's result goes to the wrong instance.
       if (ops.size() < 4) word(c, "r0.q") += 1;
     }},
    {"waits are not counted",
     [](Case& c) {
       word(c, "align") = 1;
       c.configuration.drawn[static_cast<size_t>(ParameterId::align)] = 1;
       edit(kernel(c, Phase::test).body, [&](Statement& s) {
         return s.kind == Statement::Kind::atomic && s.place.index.is_const(uint64_t{k_sync_waits} * k_sync_stride);
       });
     }},
};

TEST(Faults, NoFaultIsSeenWhereNoneIs) {
  for (const Case& c : cases()) EXPECT_FALSE(caught(c)) << c.program.test.title;
}

TEST(Faults, EveryPlantedOneIsCaught) {
  for (const Fault& f : k_faults) {
    bool found = false;
    for (Case c : cases()) {
      f.plant(c);
      found = found || caught(c);
    }
    EXPECT_TRUE(found) << f.name;
  }
}

// Workgroups that never run together cannot meet: waits meet their limit, and are counted.
TEST(Faults, TimeOutsAreCounted) {
  Case c = make(k_message, {}, "align=on,align-every=4,align-limit=10,ticket=off");
  const Ran r = run_on_executor(c.program, c.configuration, {.seed = 1, .resident = 1});
  EXPECT_EQ(r.fault, "");
  EXPECT_EQ(r.total(), c.configuration.instances());
  EXPECT_EQ(r.counts[c.program.corrupt()], 0u);
  EXPECT_EQ(r.waits, 8u);  // four workgroups, two batches
  // Arrivals add up: the third workgroup finds four, the fourth all eight.
  EXPECT_EQ(r.timeouts, 5u);
}

}  // namespace
