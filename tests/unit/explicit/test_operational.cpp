#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "../../support/parsed.h"
#include "cat/library.h"
#include "check/check.h"
#include "explicit/interleave.h"
#include "explicit/operational.h"
#include "prog/test.h"
#include "read/read.h"

using namespace fencepost;
using namespace fencepost::explicit_state;

namespace {

using support::parsed;

OperationalOutcomes run(const prog::Test& test, bool load_array = true) {
  auto o = operational_outcomes(test, {.load_array = load_array}, Job());
  EXPECT_TRUE(o) << (o ? "" : render(o.error()));
  if (!o) return {};
  EXPECT_TRUE(o->states.complete);
  return std::move(*o);
}

// Whether the outcome that the test asks about is there.
bool allows(const prog::Test& test, bool load_array = true) { return run(test, load_array).steps.has_value(); }

enum class Place : uint8_t { shared, global, apart };  // one CTA and shared memory; one CTA; a CTA for each thread

std::string tree(Place p, int threads) {
  std::string out;
  for (int t = 0; t < threads; ++t)
    out += p == Place::apart ? fmt::format("(cta (warp T{}))", t) : fmt::format("(warp T{}) ", t);
  return p == Place::apart ? "(device " + out + ")" : "(device (cta " + out + "))";
}

// A cell's instructions separated by ';' "st x 1", "ld r1 y", "cta", "gl"; an empty one is left out.
std::string litmus(const std::vector<std::vector<std::string>>& threads, Place place, const std::string& question) {
  std::string text = "GPU_PTX test\n{ x = 0; y = 0; z = 0;\n", rows;
  size_t height = 0;
  for (size_t t = 0; t < threads.size(); ++t) {
    for (int r = 0; r < 6; ++r) text += fmt::format(" {}:.reg .s32 r{};", t, r);
    for (const char* l : {"x", "y", "z"}) text += fmt::format(" {}:.reg .b64 a{} = {};", t, l, l);
    text += "\n";
    height = std::max(height, threads[t].size());
  }
  text += "}\n";
  for (size_t t = 0; t < threads.size(); ++t) text += fmt::format("{}T{}", t == 0 ? " " : " | ", t);
  text += " ;\n";
  for (size_t r = 0; r < height; ++r) {
    for (size_t t = 0; t < threads.size(); ++t) {
      std::string cell = r < threads[t].size() ? threads[t][r] : "";
      char a[8] = {}, b[8] = {};
      if (std::sscanf(cell.c_str(), "st %7s %7s", a, b) == 2)
        cell = fmt::format("st.cg.s32 [a{}], {}", a, b);
      else if (std::sscanf(cell.c_str(), "ld %7s %7s", a, b) == 2)
        cell = fmt::format("ld.cg.s32 {}, [a{}]", a, b);
      else if (std::sscanf(cell.c_str(), "xchg %7s %7s", a, b) == 2)
        cell = fmt::format("atom.exch.b32 r5, [a{}], {}", a, b);
      else if (cell == "cta" || cell == "gl" || cell == "sys")
        cell = "membar." + cell;
      text += (t == 0 ? " " : " | ") + cell;
    }
    text += " ;\n";
  }
  const char* region = place == Place::shared ? "shared" : "global";
  return text + fmt::format("ScopeTree {}\nx: {}, y: {}, z: {}\n{}\n", tree(place, static_cast<int>(threads.size())),
                            region, region, region, question);
}

prog::Test mp(const std::string& writer, const std::string& reader, Place p) {
  return parsed(
      litmus({{"st x 1", writer, "st y 1"}, {"ld r1 y", reader, "ld r2 x"}}, p, "exists (1:r1=1 /\\ 1:r2=0)"));
}
prog::Test corr(const std::string& fence, Place p) {
  return parsed(litmus({{"st x 1"}, {"ld r1 x", fence, "ld r2 x"}}, p, "exists (1:r1=1 /\\ 1:r2=0)"));
}
prog::Test lb(const std::string& a, const std::string& b, Place p) {
  return parsed(litmus({{"ld r1 y", a, "st x 1"}, {"ld r1 x", b, "st y 1"}}, p, "exists (0:r1=1 /\\ 1:r1=1)"));
}
prog::Test sb(const std::string& a, const std::string& b, Place p) {
  return parsed(litmus({{"st x 1", a, "ld r1 y"}, {"st y 1", b, "ld r1 x"}}, p, "exists (0:r1=0 /\\ 1:r1=0)"));
}

constexpr Place k_inside[] = {Place::shared, Place::global};

}  // namespace

// Figures 8 and 9 of the ICS 2013 write-up, every row of the column of the model.
TEST(Operational, PublishedRows) {
  for (Place p : k_inside) {
    EXPECT_TRUE(allows(mp("", "", p)));
    for (const char* fence : {"cta", "gl", "sys"}) EXPECT_FALSE(allows(mp(fence, fence, p))) << fence;
    EXPECT_TRUE(allows(corr("", p)));
    for (const char* fence : {"cta", "gl"}) EXPECT_FALSE(allows(corr(fence, p))) << fence;
  }
  EXPECT_TRUE(allows(mp("", "", Place::apart)));
  EXPECT_TRUE(allows(mp("cta", "cta", Place::apart)));
  EXPECT_FALSE(allows(mp("gl", "gl", Place::apart)));
  EXPECT_TRUE(allows(corr("", Place::apart)));
  EXPECT_FALSE(allows(corr("cta", Place::apart)));
  EXPECT_FALSE(allows(corr("gl", Place::apart)));
}

// The finding for which the thesis gave the machine up: the hardware shows it, and the machine does not.
TEST(Operational, DisallowsLoadDelayWithBlockFencesBetweenBlocks) {
  EXPECT_TRUE(allows(lb("", "", Place::apart)));
  EXPECT_FALSE(allows(lb("cta", "cta", Place::apart)));
  EXPECT_FALSE(allows(lb("gl", "gl", Place::apart)));
}

TEST(Operational, CoherentLoadsForbidCoRR) {
  for (Place p : {Place::shared, Place::global, Place::apart}) {
    EXPECT_FALSE(allows(corr("", p), false));
    EXPECT_TRUE(allows(mp("", "", p), false));  // two addresses: still in any order
  }
}

TEST(Operational, FencesReachAsFarAsTheySay) {
  EXPECT_TRUE(allows(sb("", "", Place::global)));
  EXPECT_FALSE(allows(sb("cta", "cta", Place::global)));
  EXPECT_FALSE(allows(sb("cta", "cta", Place::shared)));
  EXPECT_TRUE(allows(sb("cta", "cta", Place::apart)));
  EXPECT_FALSE(allows(sb("gl", "gl", Place::apart)));
  EXPECT_TRUE(allows(sb("gl", "cta", Place::apart)));
}

// Whoever sees a write of its block carries it to the device by its own fence.
TEST(Operational, FencesAreCumulative) {
  const auto wrc = [](const char* tree) {
    std::string text = litmus({{"st x 1"}, {"ld r1 x", "gl", "st y 1"}, {"ld r1 y", "gl", "ld r2 x"}}, Place::apart,
                              "exists (1:r1=1 /\\ 2:r1=1 /\\ 2:r2=0)");
    const size_t at = text.find("ScopeTree "), end = text.find('\n', at);
    return parsed(text.replace(at, end - at, tree));
  };
  EXPECT_FALSE(allows(wrc("ScopeTree (device (cta (warp T0) (warp T1)) (cta (warp T2)))")));
  EXPECT_FALSE(allows(wrc("ScopeTree (device (cta (warp T0)) (cta (warp T1)) (cta (warp T2)))")));
}

// Writes become visible to a block before they do to the device: not multi-copy atomic.
TEST(Operational, ABlockSeesItsWritesFirst) {
  std::string text = litmus({{"st x 1"}, {"ld r1 x", "cta", "ld r2 y"}, {"st y 1"}, {"ld r1 y", "cta", "ld r2 x"}},
                            Place::apart, "exists (1:r1=1 /\\ 1:r2=0 /\\ 3:r1=1 /\\ 3:r2=0)");
  EXPECT_FALSE(allows(parsed(text)));
  const size_t at = text.find("ScopeTree "), end = text.find('\n', at);
  text.replace(at, end - at, "ScopeTree (device (cta (warp T0) (warp T1)) (cta (warp T2) (warp T3)))");
  EXPECT_TRUE(allows(parsed(text)));
}

TEST(Operational, DependenciesHoldBackWhatNeedsThem) {
  const auto thin_air =
      parsed(litmus({{"ld r1 y", "st x r1"}, {"ld r1 x", "st y r1"}}, Place::apart, "exists (0:r1=1)"));
  EXPECT_FALSE(allows(thin_air));
  EXPECT_FALSE(allows(parsed(litmus({{"ld r1 y", "and.b32 r2, r1, 0", "add.s32 r3, r2, 1", "st x r3"},
                                     {"ld r1 x", "and.b32 r2, r1, 0", "add.s32 r3, r2, 1", "st y r3"}},
                                    Place::apart, "exists (0:r1=1 /\\ 1:r1=1)"))));
}

TEST(Operational, AtomicsAreIndivisibleAndOrderNothing) {
  const auto both = parsed(litmus({{"xchg x 1"}, {"xchg x 2"}}, Place::apart, "exists (0:r5=0 /\\ 1:r5=0)"));
  EXPECT_FALSE(allows(both));
  EXPECT_TRUE(allows(
      parsed(litmus({{"st x 1", "xchg y 1"}, {"ld r1 y", "ld r2 x"}}, Place::apart, "exists (1:r1=1 /\\ 1:r2=0)"))));
  EXPECT_FALSE(allows(parsed(litmus({{"st x 1", "gl", "xchg y 1"}, {"xchg y 2", "gl", "ld r2 x"}}, Place::apart,
                                    "exists (1:r5=1 /\\ 1:r2=0)"))));
}

TEST(Operational, TellsItsSteps) {
  const auto o = run(mp("", "", Place::apart));
  ASSERT_TRUE(o.steps);
  std::string all;
  for (const std::string& s : *o.steps) all += s + "\n";
  EXPECT_NE(all.find("(into its own view)"), std::string::npos) << all;
  EXPECT_NE(all.find("y = 1 of T0 reaches its device"), std::string::npos) << all;
  EXPECT_NE(all.find("(reads 1)"), std::string::npos) << all;
}

TEST(Operational, RefusesByName) {
  const auto refused = [](const std::string& text) {
    const auto o = operational_outcomes(parsed(text), {}, Job());
    return o ? std::string("nothing") : render(o.error());
  };
  EXPECT_NE(refused("PTX a\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)\n").find("GPU_PTX"),
            std::string::npos);
  EXPECT_NE(refused("GPU_PTX a\n{ x = 0; 0:.reg .s32 r0; 0:.reg .pred p; 0:.reg .b64 ax = x; }\n T0 ;\n L: ld.cg.s32 "
                    "r0, [ax] ;\n setp.eq.s32 p, r0, 0 ;\n @p bra L ;\n"
                    "ScopeTree (device (cta (warp T0)))\nx: global\nexists (0:r0=1)\n")
                .find("loops"),
            std::string::npos);
  EXPECT_NE(refused("GPU_PTX a\n{ x = 0; 0:.reg .b64 ax = x; 1:.reg .b64 ax = x; }\n T0 | T1 ;\n st.cg.s32 [ax], 1 | "
                    "st.cg.s32 [ax], 2 ;\n"
                    "ScopeTree (system (device (cta (warp T0))) (device (cta (warp T1))))\nx: global\nexists (x=1)\n")
                .find("two"),
            std::string::npos);
  const auto small = operational_outcomes(mp("", "", Place::apart), {.max_states = 5}, Job());
  ASSERT_TRUE(small);
  EXPECT_FALSE(small->states.complete);
}

// ---- against other definitions ------------------------------------------------------------------------
namespace {

class ModelFile {
 public:
  explicit ModelFile(const std::string& text) {
    std::string name = (std::filesystem::temp_directory_path() / "fencepost-cat-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream(folder_ + "/m.cat") << text;
  }
  ~ModelFile() { std::filesystem::remove_all(folder_); }
  cat::Model load() const {
    auto m = cat::load_model(folder_ + "/m.cat", vocab::Dialect::ptx);
    EXPECT_TRUE(m) << (m ? "" : render(m.error()));
    return std::move(*m);
  }

 private:
  std::string folder_;
};

cat::Model coherence(bool loads) {
  return ModelFile(fmt::format("\"coherence\"\n(* dialect: ptx *)\nempty ((W * W) & loc) \\ (co | co^-1 | id) as "
                               "total\nlet com = rf | co | fr\n"
                               "acyclic ({} | com) as uniproc\nempty rmw & (fre; coe) as atomicity\n",
                               loads ? "po-loc" : "(po-loc \\ (R * R))"))
      .load();
}

std::string random_test(Rng& random, Place& place) {
  place = static_cast<Place>(random.below(3));
  const uint64_t threads = 2 + random.below(3);
  std::vector<std::vector<std::string>> code;
  uint64_t value = 0;
  std::vector<std::string> named;
  for (uint64_t t = 0; t < threads; ++t) {
    code.emplace_back();
    uint64_t loads = 0, atomics = 0;
    for (uint64_t k = 0, n = (threads == 2   ? 3
                              : threads == 3 ? 2
                                             : 1) +
                             random.below(threads == 2 ? 3 : 2);
         k < n; ++k) {
      const char* location = random.below(2) == 0 ? "x" : "y";
      if (k > 0 && random.below(5) < 2) code.back().push_back(random.below(2) == 0 ? "cta" : "gl");
      switch (random.below(8)) {
        case 0:
        case 1:
        case 2:
          code.back().push_back(fmt::format("st {} {}", location, ++value));
          break;
        case 3:
        case 4:
        case 5:
          if (loads < 4) code.back().push_back(fmt::format("ld r{} {}", ++loads, location));
          break;
        default:
          if (++atomics == 1) code.back().push_back(fmt::format("xchg {} {}", location, ++value));
          break;
      }
    }
    for (uint64_t r = 1; r <= loads; ++r) named.push_back(fmt::format("{}:r{}", t, r));
    if (atomics > 0) named.push_back(fmt::format("{}:r5", t));
  }
  std::string locations = "locations [x; y;";
  for (const std::string& n : named) locations += " " + n + ";";
  return litmus(code, place, locations + "]\nexists (x=0)");
}

bool within(const prog::StateSet& a, const prog::StateSet& b) {
  return std::includes(b.states.begin(), b.states.end(), a.states.begin(), a.states.end());
}

uint64_t programs() {
  const char* n = std::getenv("FENCEPOST_OPERATIONAL_PROGRAMS");
  return n == nullptr ? 60 : std::strtoull(n, nullptr, 10);
}

}  // namespace

// Every interleaving is a run; every run keeps coherence; without the load array there are no more runs than with it.
TEST(Operational, LiesBetweenInterleavingsAndCoherence) {
  const cat::Model without_loads = coherence(false), with_loads = coherence(true);
  Rng random(20140101);
  for (uint64_t n = 0; n < programs(); ++n) {
    Place place;
    const std::string text = random_test(random, place);
    const prog::Test test = parsed(text);
    const auto relaxed = run(test), ordered = run(test, false);
    const auto sc = interleavings(test, relaxed.observables);
    ASSERT_TRUE(sc.complete);
    for (const prog::State& s : sc.all) ASSERT_TRUE(ordered.states.states.contains(s)) << text;
    for (const prog::State& s : sc.sequential) ASSERT_TRUE(sc.all.contains(s)) << text;
    ASSERT_TRUE(within(ordered.states, relaxed.states)) << text;
    Job job;
    const auto loose = check::outcomes(test, without_loads, {}, job),
               tight = check::outcomes(test, with_loads, {}, job);
    ASSERT_TRUE(loose.states.complete && tight.states.complete);
    ASSERT_TRUE(within(relaxed.states, loose.states)) << text;
    ASSERT_TRUE(within(ordered.states, tight.states)) << text;
  }
}

// Against scoped RMO, the model that the thesis put in its place. What the machine shows and RMO does not, or the other
// way round, has one of the causes below; a difference without a cause fails.
// A write may reach its block before the device, and dependencies of other threads do not wait for that.
TEST(Operational, AllowsWhatScopedRmoForbids) {
  const auto t = read::parse_file(FENCEPOST_SOURCE_DIR "/examples/thesis/WRC+addrs@02.1.litmus");
  ASSERT_TRUE(t.has_value());
  EXPECT_TRUE(allows(t->front()));
  const auto m = cat::load_model("rmo-scoped", vocab::Dialect::ptx);
  ASSERT_TRUE(m.has_value());
  Job job;
  EXPECT_EQ(check::check(t->front(), *m, {}, job).verdict.status, Status::fails);
}

TEST(Operational, DifferencesFromScopedRmoHaveKnownCauses) {
  auto rmo = cat::load_model("rmo-scoped", vocab::Dialect::ptx);
  ASSERT_TRUE(rmo) << render(rmo.error());
  Rng random(20140102);
  std::map<std::string, uint64_t> counts;
  for (uint64_t n = 0; n < programs(); ++n) {
    Place place;
    const std::string text = random_test(random, place);
    const prog::Test test = parsed(text);
    const auto machine = run(test);
    Job job;
    const auto axiomatic = check::outcomes(test, *rmo, {}, job);
    ASSERT_TRUE(axiomatic.states.complete);
    const bool fewer = !within(axiomatic.states, machine.states), more = !within(machine.states, axiomatic.states);
    if (!fewer && !more) {
      ++counts["equal"];
      continue;
    }
    const bool block_fence = text.find("membar.cta") != std::string::npos, apart = place == Place::apart;
    // 1. A fence is in all queues of its thread: membar.cta orders the thread's accesses for other blocks too.
    // 2. Distribution is one step for the whole device (block): where a fence orders two reads, all threads outside the
    //    writer's block agree on the order of writes.
    std::string cause;
    if (fewer && apart && block_fence)
      cause = "fewer: membar.cta orders between blocks";
    else
      cause = fmt::format("{}{} in place {}", fewer ? "fewer " : "", more ? "more" : "", static_cast<int>(place));
    ++counts[cause];
    if (cause.find(" in place") != std::string::npos) ADD_FAILURE() << cause << "\n" << text;
  }
  for (const auto& [cause, count] : counts) std::printf("%s: %lu\n", cause.c_str(), static_cast<unsigned long>(count));
}
