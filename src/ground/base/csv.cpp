#include "base/csv.h"

namespace fencepost {

std::string csv_field(std::string_view cell) {
  if (cell.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(cell);
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
