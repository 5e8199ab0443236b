#pragma once
// One thing weaker in the text of a test: what the gate must not take for the test.
#include <set>
#include <string>
#include <vector>

#include "emit/kernel_ptx.h"

// The instruction with one fence, order or scope weaker, each way; "" where it may go altogether.
std::vector<std::string> weaker(const std::string& instruction);

// The text with the instruction of a site in another form: same registers, other mnemonic.
std::string with(const std::string& text, const fencepost::emit::PtxSite& site, const std::string& instruction);
