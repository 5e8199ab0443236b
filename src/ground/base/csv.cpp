#include "base/csv.h"

#include <charconv>

#include "base/printable.h"

namespace fencepost {
namespace {

bool is_number(std::string_view s) {
  if (s.starts_with('+')) s.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  return error == std::errc{} && end == s.data() + s.size();
}

bool is_formula(std::string_view s) {
  return s.size() > 1 && std::string_view("=+-@\t\r\n").find(s.front()) != std::string_view::npos && !is_number(s);
}

}  // namespace

std::string csv_field(std::string_view given) {
  const std::string cell = (is_formula(given) ? "'" : "") + printable(given);
  if (cell.find_first_of(",\"\n\r") == std::string_view::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string out;
  for (size_t k = 0; k < cells.size(); ++k) out += (k > 0 ? "," : "") + csv_field(cells[k]);
  return out + "\n";
}

}  // namespace fencepost
