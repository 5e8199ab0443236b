#pragma once
// The name of a cycle with its placement, and back. A name is diy's family and tags, then what diy does not have:
//
//   name     := family { + tag } [ @ placement [ - regions ] ]
//   family   := a nickname (MP, SB, ..., IRIW; k_families in name.cpp), or the directions of each thread's first and
//               last access: WW+RW+RR. Cycles of one location: CoRR, CoRW, or the same words
//   tag      := one for each thread of several accesses, in the order of the family; accesses and relations joined by
//               '-': po fence.sc.gpu proxy.alias addr data ctrl bar.0 rmw rfi coi fri, with 's' behind where the
//               location stays ("pos"), with R or W behind where the next access's direction does not follow;
//               relaxed.gpu for an access. When a thread of one access is described, every thread has a tag, "_" for
//               nothing
//
// Equal tags of all threads are written once, with an 's' behind ("MP+fence.sc.gpus"); when all are po (pos where
// there is one location), there are none. The placement (tree.h) is left out when it is the default, regions when all
// locations are global: "MP@01-xs" has x in shared memory. Threads of a placement are those of the test, x, y its
// locations.
//
// Law: parse_name(name(s)) == canonical(s), and name(s) == name(t) iff s and t differ only by where the cycle begins.
#include <optional>
#include <string>

#include "cycle/cycle.h"
#include "cycle/tree.h"

namespace fencepost::gen {

struct Spec {
  Cycle cycle;  // without levels
  Tree tree;    // of the threads as lay_out numbers them
  bool operator==(const Spec&) const = default;
};

// Placement as written, or else the least one that the levels of the cycle allow.
Expected<Spec> spec_of(const Cycle& c, const std::optional<std::string>& tree = std::nullopt);

// The cycle begins where its family does, and otherwise where its text is least; regions stand on every access of a
// location, `global` on none. Specs that differ by a rotation, and so by an automorphism of the cycle, become equal.
Spec canonical(const Spec& s);
std::string name(const Spec& s);
Expected<Spec> parse_name(const std::string& text);

std::string family_name(const Cycle& c);  // the family alone: "MP", "WW+RW+WR"

}  // namespace fencepost::gen
