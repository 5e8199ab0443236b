#pragma once
// Internal to the room: what a launch of the host's gives for the arguments that are not known, in the host's words.
#include <string>
#include <vector>

#include "base/source.h"
#include "clangfe/clangfe.h"
#include "ir/ir.h"
#include "prove/prove.h"

namespace fencepost::verifier {

// The arguments of `k<<<..>>>(a, p.pitch)` as they are written; none where the text is not of this form: a macro, a
// comment or a string in it.
std::vector<std::string> arguments_at(const Span& launch);

// "pitch = 3 here; the launch at f.cu:3:5 gives `p.pitch`": of each number of the finding that is computed in the host,
// and of which nothing is known; and of each structure that is given by value, if nothing is known of its numbers.
std::vector<std::string> given_by_host(const ir::Module& m, const ir::Function& kernel, const prove::Finding& finding,
                                       const std::vector<clangfe::HostLaunch>& launches,
                                       const std::vector<Span>& places);

}  // namespace fencepost::verifier
