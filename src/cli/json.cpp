#include "cli/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace fencepost::cli {

std::string json_string(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_list(const std::vector<std::string>& objects) {
  const auto trimmed = [](std::string_view o) {
    while (!o.empty() && o.back() == '\n') o.remove_suffix(1);
    return o;
  };
  if (objects.size() == 1) return fmt::format("{}\n", trimmed(objects.front()));
  std::string out = "[";
  for (size_t i = 0; i < objects.size(); ++i) out += fmt::format("{}\n{}", i > 0 ? "," : "", trimmed(objects[i]));
  return out + "\n]\n";
}

std::string json_errors(std::string_view path, const Diagnostics& ds) {
  std::string list;
  for (const Diagnostic& d : ds.list) {
    const char* severity = d.severity == Severity::error     ? "error"
                           : d.severity == Severity::warning ? "warning"
                                                             : "note";
    list += fmt::format(
        "{}\n    {{\"severity\": \"{}\", \"unsupported\": {}, \"location\": {}, \"message\": {}, \"hint\": {}}}",
        list.empty() ? "" : ",", severity, d.fault == Fault::unsupported, json_string(d.span.location()),
        json_string(d.message), json_string(d.hint));
  }
  return fmt::format("{{\n  \"schema\": \"fencepost.error/1\",\n  \"path\": {},\n  \"diagnostics\": [{}]\n}}\n",
                     json_string(path), list);
}

}  // namespace fencepost::cli
