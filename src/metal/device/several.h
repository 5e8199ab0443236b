#pragma once
// Several devices of one machine as one Backend: "cuda:0+1" (GPUs that access one another's memory), "cuda:0+host" (a
// GPU and the processors of its host), "cpu+cpu" and "cpu+host" (threads of the processors that pass for two devices,
// on which everything here can be tried without a GPU).
//
// Places. A device is a place, 0, 1, ... in the order given. Memory has a home: one of the places, or the host
// (home `places()`). A buffer is one allocation at its home, which every device that has access knows under the same
// number. Allocations are plain: cuMemAlloc with peer access switched on between all pairs, cuMemHostAlloc for the
// host's, mapped for all devices. There is no managed memory and no multicast.
//
// The host as a place is the last one: x86 threads of the backend `cpu`. Devices have no access to memory that is its
// own, nor it to theirs: what they share is in memory of the home `places()`.
//
// What is possible. reach(place, home): a device may access its own memory, that of a peer where the driver says that
// peers have access, and the host's. Its read-modify-writes are atomic there only where the driver says so: in its own
// memory; in a peer's by the peers' attribute "native atomics"; in the host's by "host native atomics". Whoever plans a
// launch asks. The properties of info() tell all of it.
//
// Launches. together() begins a launch on each place that has one and looks at all of them until they have ended or the
// limit is over. The first that is lost, or does not end, is named with its place; the others are given up then, and
// every later call fails with that message: the process that owns the Backend should end, as backend.h says. Kernels of
// the frame that wait for a device that has stopped leave their waits by their limits.
//
// The plain calls of Backend work on place 0; read, write, fill and release take any buffer.
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/backend.h"

namespace fencepost::device {

// What info() of several says but for links and names; in the order of their places. `host`: the last is the host.
Info info_of_all(std::string id, const std::vector<Info>& members, bool host = false);
// A device of those found: by its id, by its API (the first), or several by an id with '+'. None: it is not there.
std::optional<Info> device_of(const Found& found, const std::string& id);

enum class Reach : uint8_t { none, plain, atomic };

class Several : public Backend {
 public:
  // `reach`: [place][home], one home more than places; `links`: properties for people, "gpu 0 to gpu 1".
  static Expected<std::unique_ptr<Several>> make(std::string id, std::vector<std::unique_ptr<Backend>> members,
                                                 std::vector<std::vector<Reach>> reach, std::vector<Property> links,
                                                 bool host = false);
  // The same with the host as one more place, whose threads are `processors`.
  static Expected<std::unique_ptr<Several>> make_with_host(std::string id,
                                                           std::vector<std::unique_ptr<Backend>> members,
                                                           std::vector<std::vector<Reach>> reach,
                                                           std::vector<Property> links,
                                                           std::unique_ptr<Backend> processors);
  ~Several() override;

  uint32_t places() const { return static_cast<uint32_t>(members_.size()); }
  bool is_host(uint32_t place) const { return host_ && place + 1 == places(); }
  bool has_host() const { return host_; }
  // "gpu 1", "the host"
  std::string name_of_home(uint32_t home) const {
    return home < places() && !is_host(home) ? "gpu " + std::to_string(home) : "the host";
  }
  const Info& info_of(uint32_t place) const { return members_[place]->info(); }
  Language language_of(uint32_t place) const { return members_[place]->language(); }
  Reach reach(uint32_t place, uint32_t home) const { return reach_[place][home]; }
  Expected<ModuleId> load_at(uint32_t place, const Source& source);
  Binary binary_at(uint32_t place, ModuleId module) const { return members_[place]->binary(module); }
  uint32_t resident_groups_at(uint32_t place, ModuleId module, const std::string& kernel, uint32_t lanes) const {
    return members_[place]->resident_groups(module, kernel, lanes);
  }
  Expected<BufferId> allocate_at(uint32_t home, uint64_t words);
  struct Part {
    uint32_t place = 0;
    Launch launch;
  };
  // Outcomes in the order of the parts.
  Expected<std::vector<Outcome>> together(std::span<const Part> parts, double limit);

  const Info& info() const override { return info_; }
  void begin(uint64_t seed) override;
  Language language() const override { return members_[0]->language(); }
  Expected<ModuleId> load(const Source& source) override { return load_at(0, source); }
  Binary binary(ModuleId module) const override { return binary_at(0, module); }
  uint32_t resident_groups(ModuleId module, const std::string& kernel, uint32_t lanes) const override {
    return resident_groups_at(0, module, kernel, lanes);
  }
  Expected<BufferId> allocate(uint64_t words) override { return allocate_at(0, words); }
  void release(BufferId buffer) override;
  Expected<void> fill(BufferId buffer, uint64_t first_word, uint64_t words, uint32_t value) override;
  Expected<void> write(BufferId buffer, uint64_t first_word, std::span<const uint32_t> words) override;
  Expected<void> read(BufferId buffer, uint64_t first_word, std::span<uint32_t> words) override;
  Expected<Outcome> launch(const Launch& launch) override;
  Several* several() override { return this; }

 private:
  Several() = default;
  struct Shared {
    uint32_t owner = 0;                // the member that allocated it
    std::map<uint32_t, BufferId> ids;  // by place, where it has access
  };
  Expected<void> alive() const;
  std::string name_of(uint32_t place) const;
  Expected<Launch> own(const Part& part) const;  // with the member's numbers of the buffers

  Info info_;
  std::vector<std::unique_ptr<Backend>> members_;
  std::vector<std::vector<Reach>> reach_;
  std::map<BufferId, Shared> buffers_;
  BufferId next_ = 0;
  std::string dead_;
  bool host_ = false;
};

}  // namespace fencepost::device
