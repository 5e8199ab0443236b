#pragma once
// Operands that stand for tests by themselves, not through a folder.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "prog/names.h"
#include "spirv/spirv.h"

namespace fencepost::cli {

Expected<std::vector<prog::Test>> tests_of(const std::string& path,
                                           const spirv::LaunchOptions& launch = {});  // a folder is an error
Expected<prog::Test> one_test(const std::string& path,
                              const spirv::LaunchOptions& launch = {});  // and so are several tests in one file

}  // namespace fencepost::cli
