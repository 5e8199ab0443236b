#pragma once
// Tests of asynchronous PTX as paths: an access, what stands between, and an access of the same location that the path
// is to order behind it. The question is whether the second may be seen before the first. docs/gen.md has examples.
//
//   path  := first { + edge } + last          "bulk.store.source+group.read+st", "st+proxy+bar+bulk.store.source"
//   first, last: how the location is accessed
//     st ld               by the generic proxy
//     bulk.load           written by a bulk copy from global to shared memory, whose mbarrier counts its bytes
//     bulk.load.source    read by one
//     bulk.store          written by a bulk copy from shared to global memory
//     bulk.store.source   read by one
//     bulk.reduce         written by a bulk reduction in global memory (first only)
//     cp.async            written by a cp.async (generic proxy)
//     st.async red.async  written in the shared memory of another CTA of the cluster (first only)
//   edge: completion, in the thread of the first access
//     group group.read    commit and wait for the group, or until its sources have been read: bulk.store, bulk.reduce
//     wait                cp.async.wait_all: cp.async
//   edge: to the next thread
//     mbar mbar.relaxed   the first access completes on an mbarrier, and the next thread waits for the phase
//     arrive arrive.relaxed  an arrival at an mbarrier that the next thread waits for
//     mbar.unwaited arrive.unwaited  the same, and nobody waits: for mutants, and not enumerated
//     bar                 a barrier of the CTA
//     cluster cluster.relaxed  a barrier of the cluster; the threads are then in CTAs of their own
//     flag flag.relaxed   a store that the next thread reads, releasing and acquiring or relaxed
//   edge: fences
//     proxy proxy.global proxy.shared proxy.release proxy.release.read proxy.acquire  of the async proxy
//     fence.release fence.acquire fence.acq_rel    of threads, of the scope that holds all threads
//
// Law: name(parse_path(s)) == s, and a path that is accepted makes a test that its dialect reads.
#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cycle/test.h"
#include "prog/names.h"

namespace fencepost::gen {

struct Path {
  std::string first, last;
  std::vector<std::string> edges;
  bool operator==(const Path&) const = default;
};

bool is_path(const std::string& name);  // whether it begins with an access of paths
Expected<Path> parse_path(const std::string& name);
std::string name(const Path& p);
// The path with one edge gone or relaxed ("mbar" as "mbar.relaxed", "group" as "group.read"), or without the wait of
// its mbarrier, where that is a path.
struct WeakerPath {
  Path path;
  std::string what;  // "mbar -> mbar.relaxed", "proxy -> nothing"
};
std::vector<WeakerPath> weaker_paths(const Path& p);
// The words of `edges`, and of all that is above, for messages and tests.
const std::vector<std::string>& path_edges();
const std::vector<std::string>& path_accesses();

Expected<std::string> path_text(const Path& p, const TestOptions& o);
Expected<prog::Test> make_test(const Path& p, const TestOptions& o);

// Every pair of accesses with every completion, one way to the next thread or none, and no fence, one of either side,
// or one of each direction; relaxed ways, and those behind `mbar`, without fences. In the order of accesses,
// completions, ways, fences; until `visit` says false.
void enumerate_paths(const std::function<bool(const Path&)>& visit);

}  // namespace fencepost::gen
