// Several devices as one Backend: on threads that pass for two devices, and with members that stop, fail or never end.
#include "device/several.h"

#include <chrono>

#include "device/cpu/cpu.h"
#include "running.h"

namespace fencepost::device_test {
namespace {

using device::Launch;
using device::Reach;
using device::Several;
using Part = Several::Part;

// Adds what word 0 of the first buffer holds to word `at` of the second, and waits for word 1 of the third to be 1.
Kernel meeting(uint32_t own, uint32_t other) {
  Kernel k;
  k.name = "meeting";
  k.buffers = {{"flags"}, {"out"}};
  const Var seen = code::add_variable(k, "seen"), polls = code::add_variable(k, "polls");
  const auto n = [](uint64_t v) { return term::constant(v, 32); };
  k.body = {
      code::store({0, n(own)}, n(1), code::Order::system),
      code::loop({code::load(seen, {0, n(other)}, code::Order::system),
                  code::leave_if(term::binary(term::Op::eq, code::value_of(k, seen), n(1))),
                  code::set(polls, term::binary(term::Op::add, code::value_of(k, polls), n(1))),
                  code::leave_if(term::binary(term::Op::uge, code::value_of(k, polls), n(1u << 24)))}),
      code::store({1, n(own)}, term::binary(term::Op::add, code::value_of(k, seen), n(10))),
  };
  return k;
}

// A member that fails: what it does with a launch is `how`.
class Faulty final : public Backend {
 public:
  Faulty(std::unique_ptr<Backend> of, std::string how) : of_(std::move(of)), how_(std::move(how)) {}
  const device::Info& info() const override { return of_->info(); }
  Language language() const override { return of_->language(); }
  Expected<device::ModuleId> load(const device::Source& s) override { return of_->load(s); }
  device::Binary binary(device::ModuleId m) const override { return of_->binary(m); }
  uint32_t resident_groups(device::ModuleId m, const std::string& k, uint32_t l) const override {
    return of_->resident_groups(m, k, l);
  }
  Expected<BufferId> allocate(uint64_t w) override { return of_->allocate(w); }
  void release(BufferId b) override { of_->release(b); }
  Expected<void> fill(BufferId b, uint64_t f, uint64_t w, uint32_t v) override { return of_->fill(b, f, w, v); }
  Expected<void> write(BufferId b, uint64_t f, std::span<const uint32_t> w) override { return of_->write(b, f, w); }
  Expected<void> read(BufferId b, uint64_t f, std::span<uint32_t> w) override { return of_->read(b, f, w); }
  Expected<Outcome> launch(const Launch& l) override { return of_->launch(l); }
  Expected<uint64_t> address(BufferId b) const override { return of_->address(b); }
  Expected<BufferId> adopt(uint64_t a, uint64_t w) override { return of_->adopt(a, w); }
  Expected<BufferId> allocate_on_host(uint64_t w) override { return of_->allocate_on_host(w); }
  Expected<void> start(const Launch& l) override {
    if (how_ == "refuses") return error_at({}, "the driver refuses the launch");
    return how_ == "stops" || how_ == "lost" ? Expected<void>{} : of_->start(l);
  }
  Expected<std::optional<Outcome>> poll() override {
    if (how_ == "stops") return std::optional<Outcome>();
    if (how_ == "lost") return Outcome{Outcome::Status::lost, 0, "the GPU has fallen off the bus"};
    return of_->poll();
  }
  void give_up(const std::string& why) override {
    given_up = why;
    of_->give_up(why);
  }
  std::string given_up;

 private:
  std::unique_ptr<Backend> of_;
  std::string how_;
};

struct Pair {
  std::unique_ptr<Several> both;
  Faulty* second = nullptr;
  std::vector<Part> parts;
};

Pair pair_with(const std::string& how, Reach of_peers = Reach::atomic) {
  Pair out;
  std::vector<std::unique_ptr<Backend>> members;
  members.push_back(device::cpu::open().value());
  auto second = std::make_unique<Faulty>(device::cpu::open().value(), how);
  out.second = second.get();
  members.push_back(std::move(second));
  out.both = Several::make("cpu+cpu", std::move(members),
                           {{Reach::atomic, of_peers, Reach::plain}, {of_peers, Reach::atomic, Reach::plain}}, {})
                 .value();
  return out;
}

void load(Pair& p, uint32_t home) {
  const BufferId flags = p.both->allocate_at(home, 2).value(), out = p.both->allocate_at(home, 2).value();
  EXPECT_TRUE(p.both->fill(flags, 0, 2, 0).has_value());
  EXPECT_TRUE(p.both->fill(out, 0, 2, 7).has_value());
  for (uint32_t place = 0; place < 2; ++place) {
    const Kernel k = meeting(place, 1 - place);
    EXPECT_EQ(code::fault_of(k), "");
    const auto m = p.both->load_at(place, {Language::code, "", {k}});
    ASSERT_TRUE(m.has_value()) << message(m.error());
    p.parts.push_back({place, {*m, k.name, 1, 1, 1, {flags, out}, 60}});
  }
}

TEST(Several, LaunchesRunAtTheSameTimeInMemoryOfEachHome) {
  for (uint32_t home = 0; home <= 2; ++home) {
    auto both = device::cpu::open_several(2);
    ASSERT_TRUE(both.has_value());
    EXPECT_EQ((*both)->places(), 2u);
    EXPECT_EQ((*both)->info().id, "cpu+cpu");
    EXPECT_TRUE((*both)->info().name.starts_with("2 x ")) << (*both)->info().name;
    Pair p{std::move(*both), nullptr, {}};
    load(p, home);
    const auto done = p.both->together(p.parts, 60);
    ASSERT_TRUE(done.has_value()) << message(done.error());
    for (const Outcome& o : *done) EXPECT_EQ(o.status, Outcome::Status::done) << o.message;
    std::vector<uint32_t> out(2);
    ASSERT_TRUE(p.both->read(p.parts[0].launch.buffers[1], 0, out).has_value());
    EXPECT_EQ(out, (std::vector<uint32_t>{11, 11})) << "each has seen the other, so they ran at the same time";
  }
}

TEST(Several, OnePartAloneDoesNotMeetTheOther) {
  Pair p = pair_with("");
  load(p, 0);
  const auto done = p.both->together({p.parts.data(), 1}, 60);
  ASSERT_TRUE(done.has_value());
  std::vector<uint32_t> out(2);
  ASSERT_TRUE(p.both->read(p.parts[0].launch.buffers[1], 0, out).has_value());
  EXPECT_EQ(out, (std::vector<uint32_t>{10, 7})) << "its wait has a limit of its own";
}

TEST(Several, APeerThatStopsEndsTheRun) {
  Pair p = pair_with("stops");
  load(p, 0);
  const auto begin = std::chrono::steady_clock::now();
  const auto done = p.both->together(p.parts, 0.3);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 20);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->back().status, Outcome::Status::timed_out);
  EXPECT_NE(done->back().message.find("gpu 1 (cpu)"), std::string::npos) << done->back().message;
  EXPECT_NE(p.second->given_up, "");
  const auto again = p.both->allocate_at(0, 1);
  ASSERT_FALSE(again.has_value());
  EXPECT_NE(message(again.error()).find("did not end within 0.3 s"), std::string::npos);
}

TEST(Several, ALostDeviceIsNamedAndTheOthersAreGivenUp) {
  for (const char* how : {"lost", "refuses"}) {
    Pair p = pair_with(how);
    load(p, 0);
    const auto done = p.both->together(p.parts, 60);
    if (std::string(how) == "lost") {
      ASSERT_TRUE(done.has_value());
      EXPECT_EQ(done->back().status, Outcome::Status::lost);
      EXPECT_EQ(done->back().message, "on gpu 1 (cpu): the GPU has fallen off the bus");
    } else {
      ASSERT_FALSE(done.has_value());
    }
    EXPECT_FALSE(p.both->launch(p.parts[0].launch).has_value()) << how;
    EXPECT_FALSE(p.both->together(p.parts, 60).has_value()) << how;
  }
}

TEST(Several, MemoryWithoutAccessIsRefusedByName) {
  Pair p = pair_with("", Reach::none);
  load(p, 0);
  const auto done = p.both->together(p.parts, 60);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(message(done.error()), "cpu+cpu: gpu 1 (cpu) has no access to buffer 0");
}

TEST(Several, DevicesAreFoundByTheNamesOfTheirParts) {
  device::Found found;
  for (const char* id : {"cpu", "cuda:0", "cuda:1"}) {
    device::Info i;
    i.id = id;
    i.api = *id == 'c' && id[1] == 'p' ? device::Api::cpu : device::Api::cuda;
    i.name = std::string(id).starts_with("cuda") ? "H200" : "EPYC";
    found.devices.push_back(i);
  }
  EXPECT_EQ(device::device_of(found, "cuda")->id, "cuda:0");
  EXPECT_EQ(device::device_of(found, "cuda:0+1")->name, "2 x H200");
  EXPECT_EQ(device::device_of(found, "cuda:1+cuda:0")->name, "2 x H200");
  EXPECT_EQ(device::device_of(found, "cpu+cpu")->name, "2 x EPYC");
  EXPECT_FALSE(device::device_of(found, "cuda:0+2"));
  EXPECT_FALSE(device::device_of(found, "cuda:0+"));
  for (const char* bad : {"cpu+", "cpu+cuda:0", "0+1", "vulkan:0+1", "cuda:0+x"}) {
    const auto opened = device::open(bad);
    ASSERT_FALSE(opened.has_value()) << bad;
    EXPECT_EQ(message(opened.error()), std::string("there is no device '") + bad + "'");
  }
}

// ---- the host as a place ----

TEST(SeveralWithHost, TheHostHasMemoryOfItsOwnAndSharesTheHostsHome) {
  auto both = device::open("cpu+host");
  ASSERT_TRUE(both.has_value()) << message(both.error());
  Several* s = (*both)->several();
  ASSERT_NE(s, nullptr);
  EXPECT_EQ(s->places(), 2u);
  EXPECT_TRUE(s->has_host() && s->is_host(1) && !s->is_host(0));
  EXPECT_EQ(s->reach(0, 1), Reach::none);
  EXPECT_EQ(s->reach(1, 0), Reach::none);
  EXPECT_EQ(s->reach(1, 1), Reach::atomic);
  EXPECT_EQ(s->reach(1, 2), Reach::atomic);
  Pair p{std::unique_ptr<Several>(static_cast<Several*>(both->release())), nullptr, {}};
  load(p, 2);
  const auto done = p.both->together(p.parts, 60);
  ASSERT_TRUE(done.has_value()) << message(done.error());
  std::vector<uint32_t> out(2);
  ASSERT_TRUE(p.both->read(p.parts[0].launch.buffers[1], 0, out).has_value());
  EXPECT_EQ(out, (std::vector<uint32_t>{11, 11})) << "each has seen the other, so they ran at the same time";
}

TEST(SeveralWithHost, AHostThatFailsIsNamedAndTheDeviceIsGivenUp) {
  for (const char* how : {"stops", "lost"}) {
    std::vector<std::unique_ptr<Backend>> members;
    auto device = std::make_unique<Faulty>(device::cpu::open().value(), "");
    Faulty* gpu = device.get();
    members.push_back(std::move(device));
    Pair p;
    p.both = Several::make_with_host("cpu+host", std::move(members), {{Reach::atomic, Reach::plain}}, {},
                                     std::make_unique<Faulty>(device::cpu::open().value(), how))
                 .value();
    load(p, 2);
    const auto done = p.both->together(p.parts, 0.3);
    ASSERT_TRUE(done.has_value());
    EXPECT_NE(done->back().status, Outcome::Status::done);
    EXPECT_NE(done->back().message.find("the host (cpu)"), std::string::npos) << done->back().message;
    if (std::string(how) == "lost") EXPECT_NE(gpu->given_up, "");
    EXPECT_FALSE(p.both->allocate_at(2, 1).has_value());
  }
}

TEST(SeveralWithHost, ADeviceThatFailsIsNamedAndTheHostIsGivenUp) {
  for (const char* how : {"stops", "lost"}) {
    std::vector<std::unique_ptr<Backend>> members;
    members.push_back(std::make_unique<Faulty>(device::cpu::open().value(), how));
    auto processors = std::make_unique<Faulty>(device::cpu::open().value(), "");
    Faulty* host = processors.get();
    Pair p;
    p.both = Several::make_with_host("cpu+host", std::move(members), {{Reach::atomic, Reach::plain}}, {},
                                     std::move(processors))
                 .value();
    load(p, 2);
    const auto done = p.both->together(p.parts, 0.3);
    ASSERT_TRUE(done.has_value());
    EXPECT_NE(done->front().status, Outcome::Status::done);
    EXPECT_NE(done->front().message.find("gpu 0 (cpu)"), std::string::npos) << done->front().message;
    if (std::string(how) == "lost") EXPECT_NE(host->given_up, "");
    EXPECT_FALSE(p.both->allocate_at(2, 1).has_value());
  }
}

TEST(SeveralWithHost, StoresKnowItByANameOfItsOwn) {
  const device::Info gpu{.id = "cuda:0", .api = device::Api::cuda, .name = "X"},
      host{.id = "cpu", .api = device::Api::cpu, .name = "Y"};
  EXPECT_EQ(device::info_of_all("cuda:0+1", {gpu, gpu}).name, "2 x X");
  EXPECT_EQ(device::info_of_all("cuda:0+host", {gpu, host}, true).name, "X + Y");
  EXPECT_EQ(device::info_of_all("cuda:0+1+host", {gpu, gpu, host}, true).name, "2 x X + Y");
  EXPECT_EQ(device::info_of_all("cpu+host", {host, host}, true).name, "Y + Y");
}

TEST(SeveralWithHost, IdsAreReadAndOthersAreNone) {
  EXPECT_EQ(device::open("cpu+cpu+host").value()->info().id, "cpu+cpu+host");
  for (const char* id : {"host", "host+cpu", "cpu+host+host", "+host", "cuda:0+host+1"})
    EXPECT_FALSE(device::open(id).has_value()) << id;
  const auto found = device::device_of(device::find_devices(), "cpu+host");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->id, "cpu+host");
}

}  // namespace
}  // namespace fencepost::device_test
