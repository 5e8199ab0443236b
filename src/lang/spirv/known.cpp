// Which texts and binaries are SPIR-V: known without SPIRV-Tools, which reads them.
#include "spirv/spirv.h"

namespace fencepost::spirv {

bool is_spirv(std::string_view bytes) {
  if (bytes.starts_with(std::string_view("\x03\x02\x23\x07", 4)) ||
      bytes.starts_with(std::string_view("\x07\x23\x02\x03", 4)))
    return true;
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  // Comments of assembly, then an instruction.
  while (!bytes.empty()) {
    const char c = bytes.front();
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      bytes.remove_prefix(1);
    } else if (c == ';') {
      std::string_view line = bytes.substr(1, bytes.find('\n'));
      while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
      if (line.starts_with("SPIR-V") || line.starts_with("@Config") || line.starts_with("@Input") ||
          line.starts_with("@Output") || line.starts_with("@Filter"))
        return true;
      const size_t eol = bytes.find('\n');
      bytes.remove_prefix(eol == std::string_view::npos ? bytes.size() : eol + 1);
    } else {
      return bytes.starts_with("OpCapability") || bytes.starts_with("OpMemoryModel") ||
             (c == '%' && bytes.substr(0, bytes.find('\n')).find("= Op") != std::string_view::npos);
    }
  }
  return false;
}

}  // namespace fencepost::spirv
