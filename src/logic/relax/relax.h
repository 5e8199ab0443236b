#pragma once
// Which fences, orders, scopes and barriers of a test are needed; and what the smallest change is that makes a failing
// test hold. Every answer rests on verdicts of `check` about the changed test itself, or on an execution of it that the
// reference interpreter has run; that weaker means more outcomes is never assumed (except where `assumed` says so).
//
// Laws: what cannot be decided (bound, budget, unsupported) is never reported as kept. A variant that nothing can
// finish (vacuous) is not correct. `minimal`: every weaker variant is broken.
//
// The condition as a property to keep: `~exists C` and `forall C` must hold; of `exists C` the answer must stay what it
// is, except under `forbid`, which reads it as `~exists C`. A test without a condition keeps none, and nothing is said
// of it unless races are kept or `keep` is explicit. Nothing is said either while races are undecided as written under
// a model where a race makes the program undefined, unless `keep` leaves them out on purpose.
#include <string>
#include <vector>

#include "relax/judge.h"

namespace fencepost::relax {

// Which forms of a site are tried.
enum class Steps : uint8_t {
  all,
  order,  // those with the scope as written, and the weakest
  drop,   // the weakest alone: dropped, or what is left when all order is gone
};

struct Options {
  check::Options check;
  std::vector<check::Property> keep = {check::Property::condition, check::Property::races,
                                       check::Property::termination};
  bool keep_is_explicit =
      false;  // else a property other than the condition that does not hold as written is left alone
  bool forbid = false;
  prog::SiteOptions sites;
  Steps steps = Steps::all;
  bool exhaustive = false;
  uint64_t lattice_limit = 200'000;  // variants
  uint32_t max_changes = 3;          // of a repair
};

struct PropertyState {
  check::Property property = check::Property::condition;
  check::Result result;  // as written
  bool kept = true;      // false: does not hold as written and is left alone
};

struct Finding {  // of one form of one site, all others as written
  uint32_t form = 0;
  Decision decision;
};
struct SiteReport {
  enum class Kind : uint8_t { needed, weaker, droppable, undecided } kind = Kind::needed;
  std::vector<uint32_t> weakest;  // kept forms below which none is kept
  std::vector<Finding> findings;  // every form but the written one
  uint32_t shown = 0;             // needed: the form, a step below, whose failure is shown
};

struct Minimal {
  prog::Choice choice;
  uint32_t changed = 0;  // sites that are not as written
};

struct Lattice {
  uint64_t variants = 0;
  bool complete = false;  // every variant has been decided or lies above a minimal one
  std::string why_incomplete;
  std::vector<Minimal> minimal;  // all of them
};

struct Fixes {
  std::vector<Minimal> fixes;  // fewest changes; among these all weakest ones
  uint32_t changes = 0;        // of each
  uint64_t tried = 0;
  bool proved_fewest = false;  // every variant with fewer changes is broken
  // Proxy fences alone make it hold: each of them is needed beside the others, none need be in another place.
  bool irreducible = false;
  bool assumed = false;  // too many variants: only sets of changes whose strongest forms work were looked into
  std::string why_none;
};

struct Report {
  enum class Mode : uint8_t { weaken, repair, nothing } mode = Mode::nothing;
  prog::Test asked;  // the test with the question as it was read
  std::vector<PropertyState> properties;
  std::vector<prog::Site> sites;
  std::vector<SiteReport> each;    // weaken, parallel to sites
  Minimal joint;                   // weaken: greedily
  bool joint_minimal = false;      // every one-step weakening of it is broken
  std::optional<Lattice> lattice;  // exhaustive
  std::optional<Fixes> repair;
  std::string trouble;  // nothing: why; undecided as written
  Counts counts;
  double seconds = 0;
};

class Session {  // the report, and the judge that can show the execution behind a finding
 public:
  Session(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  const Report& report() const { return report_; }
  prog::Test variant(const prog::Choice& c) const { return prog::apply(report_.asked, report_.sites, c).test; }
  prog::Choice alone(uint32_t site, uint32_t form) const;
  std::optional<check::Result> evidence(const prog::Choice& c, const Decision& d) const {
    return judge_->evidence(c, d);
  }

 private:
  void weaken(Job& job);
  void repair(Job& job);
  void each_alone();
  void greedily();
  prog::Choice from(bool back);  // greedily, in one order of sites
  void whole_lattice(Job& job);
  bool all_at(uint32_t changes, Job& job);
  void proxy_fences();

  const cat::Model& model_;
  Options options_;
  Report report_;
  std::optional<Judge> judge_;
};

// Whether variant a is b or stronger at every site.
bool at_least(const std::vector<prog::Site>& sites, const prog::Choice& a, const prog::Choice& b);

}  // namespace fencepost::relax
