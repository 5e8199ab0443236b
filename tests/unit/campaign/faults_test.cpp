// Faults planted one at a time between plan and judge: in what a device does with launches and buffers, on the pipe, in
// the store. Each must cost the run (corrupt, lost, or a state that no interleaving has), and none may pass for a
// result.
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <set>

#include "campaign/child.h"
#include "campaign/runner.h"
#include "campaign/session.h"
#include "campaign/wire.h"
#include "read/read.h"

using namespace fencepost;
using namespace fencepost::campaign;

namespace {

// Message passing: four states, of which interleavings have three.
prog::Test mp() {
  return *read::parse_one(make_source(
      "t.litmus",
      "PTX MP\n{ x = 0; y = 0; }\n P0@cta 0,gpu 0      | P1@cta 1,gpu 0      ;\n st.relaxed.gpu x, 1 | ld.relaxed.gpu "
      "r0, y ;\n st.relaxed.gpu y, 1 | ld.relaxed.gpu r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n"));
}

Options quick() {
  Options o;
  o.group_seconds = 1000;
  o.most_launches = 3;  // of one group: a fault may need an earlier launch's leavings
  const auto ok = plan::set_parameters(o.parameters,
                                       "groups=3,lanes=8,rounds=20,stress=0,pre-stress=0,align=1,align-every=4,"
                                       "align-limit=100000,touch=off");
  EXPECT_TRUE(ok.has_value());
  return o;
}

// The reference device, but for one fault.
struct Faults {
  std::function<bool(const device::Launch&, uint32_t number)> skips;  // a launch that does nothing
  std::function<bool(const device::Launch&, uint32_t number)> twice;  // one that runs two times
  std::function<void(std::span<uint32_t>)> reads;                     // what comes back of a buffer
  std::function<void(std::vector<uint32_t>&)> writes;                 // what reaches one
  std::function<void(device::Launch&)> changes;                       // how a launch is made
  bool ignores_fills = false;
};

class Faulty final : public device::Backend {
 public:
  explicit Faulty(Faults f) : f_(std::move(f)), real_(open_reference(7)) {}
  const device::Info& info() const override { return real_->info(); }
  device::Language language() const override { return real_->language(); }
  Expected<device::ModuleId> load(const device::Source& s) override { return real_->load(s); }
  device::Binary binary(device::ModuleId m) const override { return real_->binary(m); }
  uint32_t resident_groups(device::ModuleId m, const std::string& k, uint32_t lanes) const override {
    return real_->resident_groups(m, k, lanes);
  }
  Expected<device::BufferId> allocate(uint64_t words) override { return real_->allocate(words); }
  void release(device::BufferId b) override { real_->release(b); }
  Expected<void> fill(device::BufferId b, uint64_t first, uint64_t words, uint32_t value) override {
    return f_.ignores_fills ? Expected<void>{} : real_->fill(b, first, words, value);
  }
  Expected<void> write(device::BufferId b, uint64_t first, std::span<const uint32_t> words) override {
    std::vector<uint32_t> copy(words.begin(), words.end());
    if (f_.writes) f_.writes(copy);
    return real_->write(b, first, copy);
  }
  Expected<void> read(device::BufferId b, uint64_t first, std::span<uint32_t> words) override {
    auto ok = real_->read(b, first, words);
    if (ok && f_.reads) f_.reads(words);
    return ok;
  }
  Expected<device::Outcome> launch(const device::Launch& as_asked) override {
    device::Launch l = as_asked;
    if (f_.changes) f_.changes(l);
    const uint32_t number = launches_++;
    if (f_.skips && f_.skips(l, number)) return device::Outcome{};
    auto done = real_->launch(l);
    if (done && f_.twice && f_.twice(l, number)) done = real_->launch(l);
    return done;
  }

 private:
  Faults f_;
  std::unique_ptr<device::Backend> real_;
  uint32_t launches_ = 0;
};

const std::set<std::string> k_interleavings = {"1:r0=0; 1:r1=0;", "1:r0=0; 1:r1=1;", "1:r0=1; 1:r1=1;"};

// What gives a group away: "" when it passes for a result.
std::string given_away(Faults f, const prog::Test& test = mp(), const Options& options = quick()) {
  Faulty device(std::move(f));
  auto r = Runner::make(test, options, device);
  if (!r) return "refused";
  const auto g = r->run_group(0);
  if (!g) return "an error: " + g.error().list.front().message;
  if (g->corrupt > 0) return "corrupt";
  if (const std::string fault = fault_of(*g, options, 0); !fault.empty()) return fault;
  for (const auto& [s, n] : g->states)
    if (!k_interleavings.contains(prog::to_string(r->setup().observables, s))) return "a state that is forbidden";
  return "";
}

TEST(TransportFaults, NoneIsSeenWhereNoneIs) { EXPECT_EQ(given_away({}), ""); }

// Message passing in one cluster, and in two.
prog::Test clustered(bool one) {
  return *read::parse_one(make_source(
      "t.litmus", std::string("PTX MP\n{ x = 0; y = 0; }\n P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster ") +
                      (one ? "0" : "1") +
                      ",gpu 0 ;\n st.relaxed.cluster x, 1 | ld.relaxed.cluster r0, y ;\n st.relaxed.cluster y, 1 | "
                      "ld.relaxed.cluster r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n"));
}

TEST(TransportFaults, LaunchesKeepTheirClusters) {
  for (const bool one : {true, false})
    for (const plan::Mode mode : {plan::Mode::parallel, plan::Mode::single}) {
      Options o = quick();
      o.shape.mode = mode;
      ASSERT_TRUE(plan::set_parameters(o.parameters, "groups=8,cluster=4"));
      uint32_t in_clusters = 0;
      EXPECT_EQ(given_away({.changes = [&](device::Launch& l) { in_clusters += l.cluster == 4; }}, clustered(one), o),
                "");
      EXPECT_EQ(in_clusters, 3u) << "the test kernel, and it alone, three times";
      for (const uint32_t other : {1u, 2u, 8u}) {
        const auto change = [&](device::Launch& l) {
          if (l.cluster == 4) l.cluster = other;
        };
        const std::string why = given_away({.changes = change}, clustered(one), o);
        EXPECT_TRUE(why == "corrupt" || why.find("do not form whole clusters") != std::string::npos)
            << other << " " << why;
      }
    }
}

TEST(Runner, TheReferenceRunsClusters) {
  const auto device = open_reference(1);
  auto r = Runner::make(clustered(true), quick(), *device);
  ASSERT_TRUE(r) << render(r.error());
  EXPECT_EQ(r->setup().placement, "D-cta:S-cluster-Global");
  EXPECT_EQ(r->setup().tree, "[{0} {1}]");
  auto g = r->run_group(0);
  ASSERT_TRUE(g) << render(g.error());
  EXPECT_EQ(g->corrupt, 0u);
  EXPECT_NE(g->parameters.find(",cluster=2"), std::string::npos) << g->parameters;
  EXPECT_EQ(g->groups % 2, 0u);
  // The plan's hash tells tests with clusters from those without, and nothing else has changed its own.
  auto two = Runner::make(clustered(false), quick(), *device);
  auto none = Runner::make(mp(), quick(), *device);
  ASSERT_TRUE(two && none);
  EXPECT_EQ(two->setup().placement, "D-cluster:S-ker-Global");
  EXPECT_NE(two->setup().plan_hash, r->setup().plan_hash);
  EXPECT_NE(two->setup().plan_hash, none->setup().plan_hash);
  auto plain = none->run_group(0);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->parameters.find("cluster"), std::string::npos);
}

TEST(TransportFaults, EveryOneOfADeviceIsCaught) {
  const auto kernel = [](const char* name, uint32_t from) {
    return [name, from](const device::Launch& l, uint32_t number) { return l.kernel == name && number >= from; };
  };
  const auto late = [](const device::Launch&, uint32_t number) { return number >= 3; };
  struct Case {
    const char* name;
    Faults faults;
  };
  const Case cases[] = {
      {"stale result: the test is not launched the second time", {.skips = kernel("test", 3)}},
      {"stale memory: nothing is initialised the second time", {.skips = kernel("initialise", 3)}},
      {"stale counts: nothing is classified the second time", {.skips = kernel("classify", 3)}},
      {"stale everything: no launch of the second time happens", {.skips = late}},
      {"the test runs twice on one memory", {.twice = kernel("test", 0)}},
      {"the histogram is counted twice", {.twice = kernel("classify", 0)}},
      {"torn value: the high half of a count is lost",
       {.reads =
            [](std::span<uint32_t> words) {
              for (uint32_t& w : words)
                if (w > 8 && w < 10000) {
                  w &= 7;
                  return;
                }
            }}},
      {"swapped labels: counts come back one word further",
       {.reads =
            [](std::span<uint32_t> words) {
              if (words.size() < 10) std::rotate(words.begin(), words.begin() + 1, words.end());
            }}},
      {"truncated read: the end of a buffer is missing",
       {.reads =
            [](std::span<uint32_t> words) {
              for (size_t i = words.size() / 2; i < words.size(); ++i) words[i] = 0;
            }}},
      {"torn parameters: half of them do not arrive",
       {.writes =
            [](std::vector<uint32_t>& words) {
              for (size_t i = words.size() / 2; i < words.size(); ++i) words[i] = 0;
            }}},
  };
  for (const Case& c : cases) EXPECT_NE(given_away(c.faults), "") << c.name;
}

// Waits that met their limit are counted by the kernel; a count that the plan cannot have is no count.
TEST(TransportFaults, TimeOutsThatAreNotCountedAreMissed) {
  const auto lost = [](std::span<uint32_t> words) {
    if (words.size() > 100) words[size_t{plan::k_sync_waits} * plan::k_sync_stride] = 0;
  };
  EXPECT_EQ(given_away({.reads = lost}), "corrupt");
}

// ---- the pipe ---------------------------------------------------------------------------------------------

std::vector<ReadStatus> statuses_of(const std::string& bytes) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  MessageReader reader(ends[0]);
  std::vector<ReadStatus> out;
  std::string text;
  do out.push_back(reader.next(text, 1));
  while (out.back() == ReadStatus::text);
  ::close(ends[0]);
  return out;
}

TEST(TransportFaults, MessagesThatChangedOnTheWayAreNotRead) {
  const std::string two = frame("one message") + frame("another");
  EXPECT_EQ(statuses_of(two), (std::vector<ReadStatus>{ReadStatus::text, ReadStatus::text, ReadStatus::end}));
  for (size_t i = 0; i < two.size(); ++i) {
    std::string torn = two;
    torn[i] = static_cast<char>(torn[i] ^ 0x10);
    const auto h = statuses_of(torn);
    EXPECT_NE(h, (std::vector<ReadStatus>{ReadStatus::text, ReadStatus::text, ReadStatus::end})) << "byte " << i;
    EXPECT_LE(h.size(), 2u);
  }
  for (const size_t cut : {size_t{3}, two.size() / 2, two.size() - 1})
    EXPECT_EQ(statuses_of(two.substr(0, cut)).back(), ReadStatus::end) << "an end in the middle of a message";
}

TEST(TransportFaults, RoundGroupsThatAreLostRepeatedOrChangedAreNamed) {
  Options o = quick();
  const auto device = open_reference(3);
  auto r = Runner::make(mp(), o, *device);
  ASSERT_TRUE(r.has_value());
  const auto g = r->run_group(4);
  ASSERT_TRUE(g.has_value());
  EXPECT_EQ(fault_of(*g, o, 4), "");
  EXPECT_NE(fault_of(*g, o, 3), "") << "one was lost";
  EXPECT_NE(fault_of(*g, o, 5), "") << "it came twice";
  for (const std::function<void(RoundGroup&)>& change : std::vector<std::function<void(RoundGroup&)>>{
           [](RoundGroup& x) { x.seed ^= 1; }, [](RoundGroup& x) { ++x.states.begin()->second; },
           [](RoundGroup& x) { x.states.erase(x.states.begin()); }, [](RoundGroup& x) { --x.instances; },
           [](RoundGroup& x) { x.time_outs = x.waits + 1; }}) {
    RoundGroup x = *g;
    change(x);
    EXPECT_NE(fault_of(x, o, 4), "");
  }
}

}  // namespace
