#pragma once
// All cycles up to a size: every way to join so many threads by communications, with the given relations inside
// threads, descriptions of accesses and placements. One of each set that differs only by where the cycle begins.
//
// A thread has one access, a write that is read next (W), or two joined by one relation (WW WR RW RR); in a cycle of
// several locations two or more threads have two. Communications follow from directions. So two threads and two
// locations give MP, SB, LB, S, R and 2+2W; three add those between WRC and Z6.5; four IRIW and its kin.
//
// Law: no two results have one name; a result's name is that of its canonical form; the order is by number of threads,
// family, relations, accesses, placement.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cycle/name.h"

namespace fencepost::gen {

struct FamilyRequest {
  uint32_t least_threads = 2, most_threads = 2;  // 2..6
  std::vector<std::string> families;             // nicknames or words to keep; empty: all
  std::vector<Edge> relations;      // parse_kind: Po, Fence.sc.gpu, ...; where a direction does not fit, not used
  std::vector<Node> reads, writes;  // descriptions of accesses; an empty list: one empty description
  bool uniform = false;             // one index into reads and writes for all accesses of a test
  bool same_location = false;       // also cycles of one location, in place of those of several
  enum class Placement : uint8_t { spread, all, given } placement = Placement::spread;
  std::vector<std::string> trees;  // given; those for another number of threads are skipped
  bool hosts = false;              // all: also those with threads on the host
  uint64_t limit = 0;              // 0: none
};

// Calls back with each canonical spec until it returns false. Errors: nothing to make tests from, a placement that no
// number of threads has.
Expected<uint64_t> enumerate(const FamilyRequest& r, const std::function<bool(const Spec&)>& visit);

}  // namespace fencepost::gen
