#include "judge/standing.h"

#include <fmt/format.h>

namespace fencepost::judge {

const char* name(Allowed a) {
  switch (a) {
    case Allowed::no:
      return "forbidden";
    case Allowed::yes:
      return "allowed";
    case Allowed::unknown:
      return "undecided";
  }
  return "";
}

const char* name(Standing s) {
  switch (s) {
    case Standing::violated:
      return "violated";
    case Standing::broken_run:
      return "broken-run";
    case Standing::suspected:
      return "suspected";
    case Standing::undecided:
      return "undecided";
    case Standing::consistent:
      return "consistent";
  }
  return "";
}

int exit_code(Standing s) {
  if (s == Standing::violated || s == Standing::broken_run) return 1;
  return s == Standing::consistent ? 0 : 3;
}

Ruling rule(const Seen& seen) {
  const SeenState *forbidden = nullptr, *open = nullptr;
  uint64_t instances = 0;
  for (const SeenState& s : seen.states) {
    if (s.count == 0) continue;
    if (s.allowed == Allowed::no) {
      if (forbidden == nullptr) forbidden = &s;
      instances += s.count;
    }
    if (s.allowed == Allowed::unknown && open == nullptr) open = &s;
  }
  const char* times = instances == 1 ? "time" : "times";
  if (seen.corrupt > 0)
    return {Standing::broken_run, fmt::format("{} of {} results are corrupt: the run says nothing about the device",
                                              seen.corrupt, seen.instances)};
  if (forbidden != nullptr && !seen.flags.empty())
    return {Standing::consistent,
            fmt::format("{} is not a final state of {}, but the test has {} under it, and then anything may happen",
                        forbidden->text, seen.model, seen.flags.front())};
  if (forbidden != nullptr && (seen.evidence == "as-written" || seen.evidence == "language-level"))
    return {Standing::violated, fmt::format("{} showed {} {} {}, which {} forbids, and the test ran {}", seen.device,
                                            forbidden->text, instances, times, seen.model,
                                            seen.evidence == "as-written" ? "as written" : "as its language says")};
  if (forbidden != nullptr)
    return {Standing::suspected,
            fmt::format("{} was seen {} {}, which {} forbids; what ran is {}, so the compiler may have done it",
                        forbidden->text, instances, times, seen.model,
                        seen.what_ran.empty() ? "unverified" : seen.what_ran)};
  // A flagged test allows whatever was seen, decided or not.
  if (open != nullptr && seen.flags.empty())
    return {Standing::undecided,
            fmt::format("{} was seen, and {} could not be asked about it in time", open->text, seen.model)};
  if (seen.instances == 0) return {Standing::undecided, "nothing ran"};
  return {Standing::consistent, "only allowed outcomes were seen"};
}

}  // namespace fencepost::judge
