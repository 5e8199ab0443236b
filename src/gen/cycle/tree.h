#pragma once
// Where the threads of a test run: a partition into devices, of these into clusters where the placement has any, of
// these into CTAs (workgroups), of these into warps (subgroups). Without clusters a CTA is a cluster of its own. Ids
// are positions in order of first thread, so that equal placements are equal values.
//
// Text: threads are 0..9, a..z; '_' separates devices, '.' CTAs, and threads of one CTA stand side by side, each in a
// warp of its own; '=' before a thread puts it into the warp of the one before it.
//   01.2     threads 0 and 1 in one CTA, 2 in another of the same device
//   0_1      two devices           0=1.2   0 and 1 in one warp
// '~' joins CTAs of one cluster, and at the front says that a placement has clusters though no two CTAs share one.
//   0~1.2    0 and 1 in two CTAs of one cluster, 2 in another cluster       ~0.1   two clusters
// 'H' before a thread puts it on the host (PTX): an x86 thread, which is in no device's groups and so stands alone.
//   0_H1     0 on a device, 1 on the host                                   H0_1.2   0 on the host
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cycle/cycle.h"

namespace fencepost::gen {

struct Place {
  uint32_t device = 0, cta = 0, warp = 0;  // ids over the whole test, not inside the wider group
  uint32_t cluster = 0;                    // likewise; equal to the CTA's where the tree has no clusters
  bool host = false;                       // an x86 thread of the host, on a device of its own
  bool operator==(const Place&) const = default;
};
struct Tree {
  std::vector<Place> places;  // by thread
  bool clusters = false;      // the placement names clusters
  bool operator==(const Tree&) const = default;
};

Tree normal(Tree t);                                              // ids by first thread
Tree spread(size_t threads);                                      // the default: a CTA for each thread, one device
Scope common_level(const Tree& t, size_t a, size_t b);            // warp, cta, cluster, gpu or sys
Tree permuted(const Tree& t, const std::vector<uint32_t>& from);  // thread k of the result is thread from[k]

// Law: parse_tree(print(t)) == normal(t).
std::string print(const Tree& t);
Expected<Tree> parse_tree(const std::string& text, size_t threads);

// Every tree of this many threads; `warps`: also those with threads in one warp; `clusters`: all with clusters, else
// all without. At most 8 threads, with clusters 5.
std::vector<Tree> all_trees(size_t threads, bool warps, bool clusters = false);

// Every tree of this many threads with a thread or more on the host and one or more on a device; each thread is in a
// warp of its own, and there are no clusters. At most 8 threads.
std::vector<Tree> host_trees(size_t threads);

struct Constraint {
  size_t a = 0, b = 0;
  Scope level = Scope::none;
  Span span;
};
// Of the trees that meet all constraints the one nearest to `spread`: fewest pairs of threads in one CTA, then fewest
// on different devices, then fewest in one cluster; with clusters where a constraint is of that level. Error at the
// constraint that cannot be met.
Expected<Tree> least_tree(size_t threads, const std::vector<Constraint>& constraints);

}  // namespace fencepost::gen
