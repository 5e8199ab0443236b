#include "hunt/configuration.h"

#include <fmt/format.h>

namespace fencepost::hunt {

std::string compiler_of(const std::string& configuration) {
  std::string out = configuration.substr(0, configuration.find(' '));
  if (const size_t dash = out.find('-'); dash != std::string::npos) out[dash] = ' ';
  return out;
}

std::string target_of(const std::string& configuration) {
  const size_t from = configuration.find(' '), to = configuration.rfind(' ');
  return configuration.substr(from + 1, to - from - 1);
}

std::string level_of(const std::string& configuration) { return configuration.substr(configuration.rfind(' ') + 1); }

std::string table_of(const Fault& f, const std::function<std::string(const std::string&)>& result,
                     const std::function<std::string(const std::string&)>& command) {
  std::string out = "| compiler | target, level | result | command |\n|---|---|---|---|\n";
  for (const auto& [configuration, what] : f.table)
    out += fmt::format("| {} | {} {} | {} | `{}` |\n", compiler_of(configuration), target_of(configuration),
                       level_of(configuration), result(what), command(configuration));
  return out;
}

}  // namespace fencepost::hunt
