#pragma once
// One kernel file from options to answer: read it (clangfe), verify its functions (prove), replay what was found
// (interp), and say so. All of it runs inside libfencepost_kern.so; the program reaches it through the functions of
// launch/answer.h.
//
// Laws: `verified` (exit 0) only if every function that was asked for was proved; a construct that is not modelled, a
// spent budget or an unknown answer is exit 3, never a pass. A finding is labelled confirmed only if a concrete run
// showed it.
#include <map>
#include <optional>

#include "interp/interp.h"
#include "ir/ir.h"
#include "launch/answer.h"
#include "prove/prove.h"
#include "verifier/report.h"

namespace fencepost::verifier {

class Related;

launch::Answer answer(const launch::Options& options, const SourcePtr& file);
// What is said, in the form that the options ask for, of a file that cannot be read.
launch::Answer unreadable(const launch::Options& options, const Diagnostics& why);

// ---- parts, for tests ------------------------------------------------------------------------------------------
// "A[1][2] (bytes 4..7)": the element of a region at an offset; the bytes when the access is not the whole element.
std::string element_text(const ir::Region& r, uint64_t offset, uint64_t first, uint64_t last);
// The text of one finding, as the reference words it.
std::string finding_text(const ir::Module& m, ir::FunctionId entry, const FindingReport& f, const launch::Options& o);
// Its first line without the place: "possible write-read race on A[4]".
std::string finding_title(const ir::Module& m, const prove::Finding& f, const launch::Options& o);
// "work item 5 with local id 1 in work group 1", in the language's own words.
std::string thread_text(const ir::Module& m, const prove::Side& s, const launch::Options& o);
// The options with the launch of the finding where theirs is not fixed.
launch::Options launched(const launch::Options& o, const prove::Finding& f);
// "local_size=7, num_groups=2" in the language's own words; "" if the launch is fixed.
std::string launch_text(const ir::Module& m, const launch::Options& o, const prove::Finding& f);
// What a run shows, and with which numbers for the kernel's parameters.
struct Shown {
  interp::Defect defect;
  std::map<uint32_t, uint64_t> arguments;  // by number of the parameter
};
// A concrete run of the finding's launch that shows the same defect, with the finding's arguments, or, where a run with
// these is cut short, with others that `engine` and the preconditions allow. None if the launch is too large, or no run
// does. Within `seconds`. `related`: the module is its own, and other numbers meet it, too.
std::optional<Shown> confirm(const ir::Module& m, ir::FunctionId entry, const prove::Finding& f,
                             const launch::Options& o, const prove::Options& engine, double seconds = 10,
                             const Related* related = nullptr);
// What a run shows is told with the arguments of that run, a race also with its threads and element. The prover's may
// be ones that no run has: it leaves open what memory holds.
void tell_as_run(const ir::Module& m, const ir::Function& kernel, const Shown& shown, prove::Finding& f);
// Of a race in a run: "a write of 3, then a read of 0"; else "".
std::string values_text(const interp::Defect& d);

}  // namespace fencepost::verifier
