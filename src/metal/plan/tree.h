#pragma once
// Who must share what: the roles (test threads) of a test, grouped by its scope paths. Roles of one *block* share a
// workgroup, roles of one *warp* of a block share a subgroup, and roles in different blocks never meet. Blocks of one
// *cluster* are neighbours in one cluster of workgroups, at different ranks; different clusters never meet. Where the
// test names no clusters each block is a cluster of its own, and a launch needs none.
//
// Levels count from the widest (vocab::levels): the workgroup is level 2 and the subgroup level 3 in every dialect. A
// path that ends at the workgroup says nothing of subgroups: such roles get warps of their own. A thread without a path
// gets a workgroup of its own. Where a device has subgroups of one invocation, roles of one warp are put into warps of
// their own, since no two invocations share one (`subgroups` false).
//
// Devices. Threads of one device or queue family are in one launch. Where a run has several devices (Places), the
// test's are given out in ascending order of their numbers, place 0, 1, ..., each with a launch of its own; else two
// are refused by name. Blocks are numbered over all devices, clusters on their own device. Threads of the host are on
// the last place, each in a block of its own, where the run has the host; else they are refused by name.
#include <cstdint>
#include <vector>

#include "base/diagnostic.h"
#include "prog/names.h"

namespace fencepost::plan {

struct Seat {
  uint32_t block = 0;     // in [0, Tree::blocks)
  uint32_t warp = 0;      // in the block
  uint32_t position = 0;  // in the warp
  uint32_t cluster = 0;   // of its device, in [0, Tree::clusters); the block's number there where the test names none
  uint32_t rank = 0;      // of the block in its cluster
  uint32_t place = 0;     // the device
  bool operator==(const Seat&) const = default;
};

struct Tree {
  std::vector<Seat> seats;  // by test thread
  uint32_t blocks = 0;
  uint32_t warps = 0;                  // most of a block
  uint32_t positions = 0;              // most of a warp
  uint32_t clusters = 0;               // most of a device
  uint32_t ranks = 0;                  // most blocks of a cluster
  bool clustered = false;              // the test names clusters: its launches have them
  bool merged = false;                 // some warp was split because the device has no subgroups
  bool host = false;                   // some thread is on the host, which is the last of `places`
  std::vector<uint32_t> places = {0};  // that have threads, ascending
  bool operator==(const Tree&) const = default;
};
struct Places {  // that a run has
  uint32_t devices = 1;
  bool host = false;  // the last of them is the host
};
Expected<Tree> tree_of(const prog::Test& test, bool subgroups, const Places& places = {});

// "{{0 1} {2}} {3}": blocks apart, then warps in braces; with clusters "[{0} {1}] [{2}]"; on two devices
// "{0} | {1}".
std::string to_string(const Tree& tree);

// The placement in the thesis's words: D-warp:S-cta (threads share a CTA, not a warp), D-cta:S-ker (nobody shares a
// CTA), S-warp (all share a warp), or mixed; of CTAs in clusters D-cta:S-cluster (all in one) and D-cluster:S-ker
// (nobody shares one); with the regions of the locations: -Shared, -Global, -mixed.
std::string placement_name(const Tree& tree, const std::vector<bool>& shared_objects);

}  // namespace fencepost::plan
