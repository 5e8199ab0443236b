#pragma once
// The little JSON that the verbs themselves write; results of tests are written by room report.
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace fencepost::cli {

std::string json_string(std::string_view text);  // quoted and escaped; bytes that are no UTF-8 become U+FFFD

// One object as it is; several as an array.
std::string json_list(const std::vector<std::string>& objects);

// schema fencepost.error/1: path, diagnostics [{severity, location, message, hint}]
std::string json_errors(std::string_view path, const Diagnostics& ds);

}  // namespace fencepost::cli
