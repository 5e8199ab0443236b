// AXB as litmus: what is printed reads back to the same program, the way back gives the same AXB, and `outcomes` finds
// the final memories that interleaving the instructions gives.
#include "axb/translate.h"

#include <set>

#include "axb_support.h"
#include "cat/model.h"
#include "check/check.h"
#include "print/litmus.h"
#include "prog/test.h"
#include "read/read.h"

using namespace axb_test;
using vocab::Dialect;

namespace {

constexpr Dialect k_dialects[] = {Dialect::ptx, Dialect::vulkan, Dialect::opencl};

// ---- texts -------------------------------------------------------------------------------------------

TEST(AxbTranslate, PrintsWhatAPersonWouldWrite) {
  const axb::Test t = read_one(R"(progress "mutex" m, x = 3;
thread 0 { 0: if (exch(m, 1) == 1) goto 0; 1: x = 4294967295; 2: m = 0; }
thread 1 { if (x == 3) goto 0; })");
  axb::TranslateOptions o;
  o.quantifier = prog::Quantifier::exists;
  o.final_values = {{0, 0}, {1, 4294967295u}};
  EXPECT_EQ(print::print(*axb::to_prog(t, Dialect::ptx, o)), R"(PTX mutex
{
m = 0;
x = 3;
}
 P0@cta 0, gpu 0                | P1@cta 1, gpu 0      ;
 LC00:                          | LC00:                ;
 atom.relaxed.gpu.exch r0, m, 1 | ld.relaxed.gpu r0, x ;
 beq r0, 1, LC00                | beq r0, 3, LC00      ;
 st.relaxed.gpu x, 4294967295   |                      ;
 st.relaxed.gpu m, 0            |                      ;
locations [m; x;]
exists (m=0 /\ x=4294967295)
)");
  EXPECT_EQ(print::print(*axb::to_prog(t, Dialect::opencl, o)), R"(OPENCL mutex
{
  [m] = 0;
  [x] = 3;
}

P0@wg 0, dev 0 (global atomic_int* m, global atomic_int* x) {
  LC00: ;
  int r0 = atomic_exchange_explicit(m, 1, memory_order_relaxed, memory_scope_device);
  if (r0 == 1) goto LC00;
  atomic_store_explicit(x, -1, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(m, 0, memory_order_relaxed, memory_scope_device);
}

P1@wg 1, dev 0 (global atomic_int* m, global atomic_int* x) {
  LC00: ;
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  if (r0 == 3) goto LC00;
}

locations [m; x;]
exists (m=0 /\ x=-1)
)");
  o.order = axb::Order::acq_rel;
  o.placement = axb::Placement::same_workgroup;
  o.loads_as_rmw = true;
  EXPECT_EQ(print::print(*axb::to_prog(t, Dialect::vulkan, o)), R"(VULKAN mutex
{
m = 0;
x = 3;
}
 P0@sg 0, wg 0, qf 0                     | P1@sg 1, wg 0, qf 0                         ;
 LC00:                                   | LC00:                                       ;
 rmw.atom.acq_rel.dv.sc0.semsc0 r0, m, 1 | rmw.atom.acq_rel.dv.sc0.semsc0.add r0, x, 0 ;
 beq r0, 1, LC00                         | beq r0, 3, LC00                             ;
 st.atom.rel.dv.sc0.semsc0 x, 4294967295 |                                             ;
 st.atom.rel.dv.sc0.semsc0 m, 0          |                                             ;
locations [m; x;]
exists (m=0 /\ x=4294967295)
)");
}

axb::TranslateOptions options(uint32_t k) {
  axb::TranslateOptions o;
  o.placement = static_cast<axb::Placement>(k % 3);
  o.order = static_cast<axb::Order>(k / 3 % 3);
  o.loads_as_rmw = k / 9 % 2 == 1;
  o.quantifier = static_cast<prog::Quantifier>(k / 18 % 4);
  if (o.quantifier != prog::Quantifier::none) {
    o.final_values = {{0, 7}};
    if (k % 2) o.final_values.push_back({0, 4294967295u});
  }
  return o;
}

TEST(AxbTranslate, PrintedLitmusReadsBackAndSoDoesAxb) {
  std::mt19937 rng(17);
  for (uint32_t k = 0; k < 600; ++k) {
    axb::Test t =
        random_test(rng, {.threads = 4, .locations = 3, .instructions = 4, .values = k % 2 ? 2u : 4000000000u});
    for (const Dialect d : k_dialects) {
      axb::TranslateOptions o = options(k);
      if (d == Dialect::vulkan && o.order == axb::Order::sc) {
        EXPECT_FALSE(axb::to_prog(t, d, o).has_value());
        o.order = axb::Order::acq_rel;
      }
      const auto p = axb::to_prog(t, d, o);
      ASSERT_TRUE(p.has_value()) << render(p.error());
      const std::string text = print::print(*p);
      const auto again = read::parse_one(make_source("t.litmus", text));
      ASSERT_TRUE(again.has_value()) << render(again.error()) << text;
      ASSERT_TRUE(*again == *p) << text << print::print(*again);
      const auto back = axb::from_prog(*again);
      ASSERT_TRUE(back.has_value()) << render(back.error()) << text;
      ASSERT_EQ(*back, t) << axb::to_text(t) << axb::to_text(*back) << text;
    }
  }
}

TEST(AxbTranslate, NamesThatLitmusCannotSpell) {
  const axb::Test t = read_one(
      "progress \"a {\\\"b\\\"} (* c *)\" config \"c\" r0, int, LC00, int_, atomic_int, x; thread 0 { r0 = 1; int = 1; "
      "if "
      "(LC00 == 0) goto 0; }");
  for (const Dialect d : k_dialects) {
    const auto p = axb::to_prog(t, d);
    ASSERT_TRUE(p.has_value());
    const auto again = read::parse_one(make_source("t.litmus", print::print(*p)));
    ASSERT_TRUE(again.has_value()) << render(again.error()) << print::print(*p);
    EXPECT_TRUE(*again == *p) << print::print(*p);
    const auto back = axb::from_prog(*again);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(back->locations[0].name, "r0_");
    EXPECT_EQ(back->locations[1].name, "int__");  // int_ is another location
    EXPECT_EQ(back->locations[5].name, "x");
    EXPECT_EQ(back->threads, t.threads);
  }
}

// ---- from litmus that people write ----------------------------------------------------------------------

Expected<axb::Test> from_text(const std::string& text) {
  const auto p = read::parse_one(make_source("t.litmus", text));
  EXPECT_TRUE(p.has_value()) << (p ? "" : render(p.error()));
  if (!p) return std::unexpected(p.error());
  return axb::from_prog(*p);
}

axb::Test recovered(const std::string& text) {
  const auto t = from_text(text);
  EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
  return t ? *t : axb::Test{};
}

TEST(AxbFromProg, RecoversLoopsThatPeopleWrite) {
  // The lock's loop goes back while it reads 1, the other waits for a 1: only 0 and 1 are ever in either location.
  const axb::Test c = recovered(R"(OPENCL lock
{ l = 0; f = 0; }
P0@wg 0, dev 0 (global atomic_int* l, global atomic_int* f) {
  while (atomic_exchange_explicit(l, 1, memory_order_acquire, memory_scope_device) != 0) { }
  atomic_store_explicit(f, 1, memory_order_relaxed, memory_scope_device);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
  atomic_store(l, 0);
}
P1@wg 1, dev 0 (global atomic_int* f) {
  do { int r0 = atomic_load(f); } while (!(r0 == 1));
  int r1 = atomic_fetch_add(f, 0);
  if (r1) { atomic_store(f, 0); }
}
)");
  EXPECT_EQ(axb::to_text(c), R"(progress "lock"
l = 0, f = 0;
thread 0 {
  0: if (exch(l, 1) == 1) goto 0;
  1: f = 1;
  2: l = 0;
}
thread 1 {
  0: if (f == 0) goto 0;
  1: if (f == 0) goto end;
  2: f = 0;
}
)");
  const axb::Test p = recovered(R"(PTX forward
{ x = 5; P1:r7 = 1; }
P0@cta 0, gpu 0                | P1@cta 1, gpu 0 ;
LC00:                          | beq r7, 1, LC09 ;
atom.relaxed.gpu.exch r0, x, 1 | st.relaxed.gpu x, 9 ;
sub r1, r0, 0                  | LC09: ;
beq r0, 5, LC01                | ld.relaxed.gpu r0, x ;
goto LC02                      | beq r0, 2, LC10 ;
LC02: bne r0, 6, LC03          | LC10: ;
LC03: st.relaxed.gpu x, 2      | ;
LC01:                          | ;
)");
  EXPECT_EQ(axb::to_text(p), R"(progress "forward"
x = 5;
thread 0 {
  0: if (exch(x, 1) == 5) goto end;
  1: x = 2;
}
thread 1 {
  0: if (x == 2) goto end;
}
)");
}

std::string refusal(const std::string& thread, const std::string& init = "x = 0; y = 0;") {
  std::string rows;
  for (size_t at = 0; at < thread.size();) {
    const size_t semicolon = thread.find(';', at);
    rows += thread.substr(at, semicolon - at) + " ;\n";
    at = semicolon + 1;
  }
  const auto t = from_text("PTX t\n{ " + init + " }\nP0@cta 0, gpu 0 ;\n" + rows);
  EXPECT_FALSE(t.has_value()) << (t ? axb::to_text(*t) : "");
  if (t) return "";
  const std::string shown = render(t.error());
  EXPECT_NE(shown.find("= hint: "), std::string::npos) << shown;
  EXPECT_TRUE(t.error().list.front().span.source != nullptr) << shown;
  return t.error().list.front().message;
}

TEST(AxbFromProg, RefusesWhatAxbCannotExpress) {
  EXPECT_EQ(refusal("st.weak x, 1;"), "P0: this access is not atomic");
  EXPECT_EQ(refusal("ld.relaxed.gpu r0, x; st.relaxed.gpu y, 1; beq r0, 1, LC00; st.relaxed.gpu x, 1; LC00: ;"),
            "P0: branches on a value that was read before the last access");
  EXPECT_EQ(refusal("ld.relaxed.gpu r0, x; st.relaxed.gpu y, r0;"), "P0: the value stored is not a constant");
  EXPECT_EQ(refusal("atom.relaxed.gpu.add r0, x, 1;"),
            "P0: a read-modify-write whose new value depends on the old one");
  EXPECT_EQ(refusal("LC00: atom.relaxed.gpu.cas r0, x, 0, 1; bne r0, 2, LC00;"),
            "P0: compares a compare-and-swap with 2, and it expects 0");
  EXPECT_EQ(refusal("LC00: ld.relaxed.gpu r0, x; blt r0, 3, LC00;"),
            "P0: compares the value read otherwise than for equality with a constant");
  EXPECT_EQ(refusal("LC00: ld.relaxed.gpu r0, x; bne r0, 3, LC00;"), "P0: goes back for every value but 3");
  EXPECT_EQ(refusal("LC00: st.relaxed.gpu x, 1; goto LC00;"), "P0: is followed by an unconditional jump backwards");
  EXPECT_EQ(refusal("st.relaxed.gpu x, 1; LC00: goto LC00;"), "P0: a loop that accesses no memory");
  EXPECT_EQ(
      refusal(
          "ld.relaxed.gpu r0, x; beq r0, 1, LC01; st.relaxed.gpu x, 1; goto LC09; LC01: st.relaxed.gpu x, 2; LC09: ;"),
      "P0: jumps to code that nothing else runs into");
  EXPECT_EQ(refusal("ld.relaxed.gpu r0, x; beq r0, 1, LC09; beq r0, 2, LC08; st.relaxed.gpu x, 1; LC08: st.relaxed.gpu "
                    "x, 2; LC09: ;"),
            "P0: a second branch on the same value");
  EXPECT_EQ(refusal("bar.cta.sync 0;"), "P0: a control barrier");
  EXPECT_EQ(refusal("st.relaxed.gpu x, -1;"), "P0: the value -1 does not fit 32 bits");
  EXPECT_EQ(refusal("st.relaxed.gpu x, 1;", "x = -1;"), "the initial value of 'x' does not fit 32 bits");
  EXPECT_EQ(refusal("st.relaxed.gpu x, 1;", "y = 0; x = &y;"), "the initial value of 'x' does not fit 32 bits");
}

// ---- outcomes ----------------------------------------------------------------------------------------

// Every final memory, by running the instructions in every order.
void interleave(const axb::Test& t, std::vector<uint32_t>& pc, std::vector<axb::Value>& memory,
                std::set<std::vector<axb::Value>>& out) {
  bool ended = true;
  for (size_t n = 0; n < pc.size(); ++n) {
    if (pc[n] == t.threads[n].code.size()) continue;
    ended = false;
    const axb::Instr& i = t.threads[n].code[pc[n]];
    const uint32_t old_pc = pc[n];
    const axb::Value old = memory[i.location];
    if (i.exchanges) memory[i.location] = i.value;
    pc[n] = old == i.check ? i.jump : old_pc + 1;
    interleave(t, pc, memory, out);
    pc[n] = old_pc;
    memory[i.location] = old;
  }
  if (ended) out.insert(memory);
}

std::set<std::vector<axb::Value>> interleavings(const axb::Test& t) {
  std::vector<uint32_t> pc(t.threads.size(), 0);
  std::vector<axb::Value> memory;
  for (const axb::Location& l : t.locations) memory.push_back(l.init);
  std::set<std::vector<axb::Value>> out;
  interleave(t, pc, memory, out);
  return out;
}

cat::Model model(const std::string& name, Dialect d) {
  cat::LoadOptions o;
  o.dialect = d;
  const std::string dir = std::string(FENCEPOST_SOURCE_DIR) + "/models/";
  o.prelude = dir + "prelude-" + vocab::name(d) + ".cat";
  auto m = cat::load_file(dir + name + ".cat", o);
  EXPECT_TRUE(m.has_value()) << (m ? "" : render(m.error()));
  return *std::move(m);
}

std::set<std::vector<axb::Value>> final_memories(const prog::Test& t, const cat::Model& m) {
  Job job;
  check::Options o;
  const check::Outcomes found = check::outcomes(t, m, o, job);
  EXPECT_EQ(found.status.status, Status::holds) << found.status.detail;
  std::set<std::vector<axb::Value>> out;
  for (const prog::State& s : found.states.states) {
    std::vector<axb::Value> values(t.objects.size());
    for (size_t k = 0; k < s.size(); ++k) {
      EXPECT_FALSE(found.observables[k].is_register);
      values[t.symbols[found.observables[k].symbol].object] = static_cast<axb::Value>(s[k].value);
    }
    out.insert(values);
  }
  return out;
}

struct Models {
  Dialect dialect;
  std::vector<const char*> names;
};

void agree(uint32_t locations, uint32_t count, const std::vector<Models>& all, uint32_t seed) {
  std::mt19937 rng(seed);
  size_t interesting = 0;
  for (const Models& models : all)
    for (const char* name : models.names) {
      const cat::Model m = model(name, models.dialect);
      for (uint32_t k = 0; k < count; ++k) {
        axb::Test t;
        do
          t = random_test(rng, {.threads = 3, .locations = locations, .instructions = 3, .values = 3, .forward = true});
        while (t.locations.size() != locations);
        axb::TranslateOptions o = options(k % 18);
        if (o.order == axb::Order::sc && models.dialect == Dialect::vulkan) o.order = axb::Order::relaxed;
        const auto p = axb::to_prog(t, models.dialect, o);
        ASSERT_TRUE(p.has_value());
        const auto expected = interleavings(t);
        interesting += expected.size() > 1;
        ASSERT_EQ(final_memories(*p, m), expected) << name << '\n' << axb::to_text(t) << print::print(*p);
        // The question: is this final memory reachable?
        o.quantifier = prog::Quantifier::exists;
        o.final_values.clear();
        for (uint32_t l = 0; l < locations; ++l) o.final_values.push_back({l, static_cast<axb::Value>(rng() % 3)});
        std::vector<axb::Value> asked;
        for (const axb::FinalValue& f : o.final_values) asked.push_back(f.value);
        Job job;
        const check::Result r = check::check(*axb::to_prog(t, models.dialect, o), m, {}, job);
        ASSERT_EQ(r.verdict.status, expected.contains(asked) ? Status::holds : Status::fails) << axb::to_text(t);
      }
    }
  EXPECT_GT(interesting, count / 2);
}

// Coherence makes one location sequentially consistent under every model.
TEST(AxbOutcomes, OneLocationIsInterleavingUnderEveryModel) {
  agree(1, 40,
        {{Dialect::ptx, {"sc", "ptx-6.0", "ptx-7.5"}},
         {Dialect::vulkan, {"sc", "vulkan"}},
         {Dialect::opencl, {"sc", "opencl"}}},
        23);
}

TEST(AxbOutcomes, TwoLocationsAreInterleavingUnderSc) {
  agree(2, 40, {{Dialect::ptx, {"sc"}}, {Dialect::vulkan, {"sc"}}, {Dialect::opencl, {"sc"}}}, 29);
}

}  // namespace
