#pragma once
// A rate as people read it.
#include <string>

namespace fencepost::campaign {

// "1.23e+09", "12.3 M/s"; shared by the verbs.
std::string rate_text(double per_second);

}  // namespace fencepost::campaign
