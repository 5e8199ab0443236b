#pragma once
// Internal to the room: the bytes of a run, and the log of who touched which.
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "interp/interp.h"
#include "interp/value.h"

namespace fencepost::interp {

// One copy of a region: of the grid, of a group, of a thread, of a call.
struct Instance {
  ir::RegionId region;
  uint64_t salt = 0;  // of drawn contents
  std::optional<uint64_t> size;
  std::unordered_map<uint64_t, uint8_t> bytes;
  std::unordered_map<uint64_t, Val> pointers;  // by offset: what kind of pointer the bytes there stand for
  std::unordered_set<uint64_t> made_up;        // bytes that hold a part of such a value
  // Numbers of logged accesses by byte. A read can only conflict with the others, of which there are few.
  struct Touched {
    std::vector<uint32_t> reads, others;
  };
  std::unordered_map<uint64_t, Touched> touched;
  std::unordered_set<uint64_t> seen;  // hashes of (byte, thread, site, interval, value): logged already
};

class Memory {
 public:
  Memory(const ir::Module& m, const Inputs& inputs, const Limits& limits) : m_(m), inputs_(inputs), limits_(limits) {
    instances_.emplace_back();
  }

  // The instance of a region for an owner: 0 for global and constant memory, the group's or the thread's number else.
  uint32_t instance(ir::RegionId r, uint64_t owner);
  Instance& at(uint32_t i) { return instances_[i]; }

  uint8_t read_byte(uint32_t i, uint64_t offset);
  Val read(uint32_t i, uint64_t offset, uint32_t bytes, bool pointer);
  void write(uint32_t i, uint64_t offset, uint32_t bytes, const Val& v);
  // A number that stands for a pointer, and back. Instances get addresses when one is asked for.
  uint64_t address(const Val& v);
  Val pointer(uint64_t address);
  uint64_t drawn(uint64_t salt, uint64_t at) const;  // an unknown 4-byte word

 private:
  const ir::Module& m_;
  const Inputs& inputs_;
  const Limits& limits_;
  std::vector<Instance> instances_;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> numbers_;
  std::map<uint32_t, uint64_t> bases_;
  std::map<uint64_t, uint32_t> by_base_;
  uint64_t next_base_ = 0x10000;
};

}  // namespace fencepost::interp
