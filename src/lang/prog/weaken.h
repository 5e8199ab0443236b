#pragma once
// Everything of a test that could be weaker, or stronger, without changing what it computes: fences, memory orders,
// scopes, barriers, availability and visibility, volatile, proxy fences. A *site* is one instruction (or one place
// where a fence could stand) with its *forms*; a *variant* gives every site one form.
//
// Laws (tests/unit/weaken): a variant prints and parses to itself; weaker(f) and stronger(f) are inverse to each other;
// the forms of a site are exactly what steps reach from the form as written. A weaker form of one instruction is
// weaker by the dialect's specification; whether a *model* keeps that promise is for `check` to say, never assumed.
#include <cstdint>
#include <string>
#include <vector>

#include "prog/shape.h"
#include "prog/test.h"

namespace fencepost::prog {

struct Place {
  uint32_t thread = 0, instr = 0;
  bool operator==(const Place&) const = default;
};

struct SiteForm {
  Shape shape;
  uint32_t distance = 0;         // fewest steps from the form as written
  std::vector<uint32_t> weaker;  // one step weaker: indices into Site::forms
  std::vector<uint32_t> below;   // all weaker forms, by any number of steps, increasing
  std::string text;              // the instruction; "nothing" when absent
};

struct Site {
  std::vector<Place> places;  // change together; a gap lies before its instruction
  bool gap = false;
  std::vector<SiteForm> forms;  // forms[0]: as written
  Span span;                    // of the first place
  const Place& at() const { return places.front(); }
};

struct SiteOptions {
  // Threads whose code has the same instructions up to operands change together, as the threads of one kernel do, and
  // so do instructions of several threads that stand at one place of the source.
  // The barriers that threads of one group meet at always change together.
  bool together = true;
};

std::vector<Site> weakening_sites(const Test& test, const SiteOptions& options);  // forms: as written and weaker
std::vector<Site> strengthening_sites(const Test& test,
                                      const SiteOptions& options);  // as written and stronger; gaps too

using Choice = std::vector<uint32_t>;  // a form for each site

struct Variant {
  Test test;
  std::vector<std::vector<uint32_t>> position;  // [thread][instruction as written] -> in `test`, k_none if absent
};
Variant apply(const Test& test, const std::vector<Site>& sites, const Choice& choice);

// "P0, P1: fence.sc.gpu", "P1: between ld.relaxed.gpu r0, y and ld.weak r1, x"
std::string describe(const Test& test, const Site& site);

}  // namespace fencepost::prog
