#pragma once
// Clusters of groups (CUDA: thread block clusters). This file says what a kernel does with its cluster, and makes the
// two copies of the kernel that the proof looks at: one for two threads of one group or of two clusters, one for two
// threads of different groups of one cluster.
//
// A barrier of the cluster is passed by all threads of all groups of one cluster, and orders all memory among them (PTX
// ISA 9.7.13.4). So two threads of one group see a barrier of the group in it, two threads of two groups of one cluster
// see a barrier of the grid, and two threads of two clusters see one of the group, which orders nothing between them.
// `seen` puts that in its place, so that all that is known of those barriers holds of this one.
//
// Where an arrival and its wait stand apart, they are one barrier at the place of the wait if nothing that other
// threads could see is done in between.
//
// Group memory of another group is accessed through an address that Op::map_rank has made. The guide ("Distributed
// Shared Memory") asks that the other group has started and has not ended. Both hold if on every way to the access a
// barrier of the cluster stands before it, and on every way from it to the end of the kernel one behind it: all threads
// of the cluster pass the same barriers, which the proof shows beside. What is not of these forms is not decided, by
// its name. Lost: to find in the condition of a barrier that it holds whenever the access is made.
#include <set>
#include <string>

#include "flow/effects.h"
#include "ir/ir.h"

namespace fencepost::flow {

struct Clusters {
  bool ids = false;                 // the kernel asks for its place in the cluster,
  bool barriers = false;            // meets the other groups of its cluster,
  bool remote = false;              // accesses group memory of others,
  bool scoped = false;              // has atomics that are so for one cluster alone,
  bool tickets = false;             // and uses what atomics give of group memory that others access
  std::set<std::string> undecided;  // what is not read: it may order accesses, too
  std::set<std::string> absent;     // what the guide asks for and is not there
  bool any() const { return ids || barriers || remote || scoped; }
  bool two_kinds() const { return barriers || remote || scoped; }  // pairs of groups of one cluster, and of two
};

// What the entry function, and what it calls, does with clusters.
Clusters clusters(const ir::Module& m, const Effects& effects, ir::FunctionId entry);

// The module with barriers of the cluster as barriers of this scope (group or device), and with what may be accessed by
// other groups marked (Region::clustered, Access::remote).
ir::Module seen(const ir::Module& m, const Effects& effects, ir::FunctionId entry, ir::Scope as);

}  // namespace fencepost::flow
