// Which texts are GLSL or OpenCL C: known without the compilers that read them.
#include "shader/glsl.h"
#include "shader/opencl_c.h"

namespace fencepost::shader {
namespace {

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (size_t i = text.find(word); i != std::string_view::npos; i = text.find(word, i + 1)) {
    const size_t end = i + word.size();
    if ((i == 0 || !is_name(text[i - 1])) && (end >= text.size() || !is_name(text[end]))) return true;
  }
  return false;
}

}  // namespace

bool glsl::is_glsl(std::string_view text) {
  const std::string_view all = text;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t' || line.front() == '\r'))
      line.remove_prefix(1);
    if (line.starts_with("/*")) {  // on to its end, which may stand lines below
      const size_t from = static_cast<size_t>(line.data() - all.data());
      const size_t close = all.find("*/", from + 2);
      if (close == std::string_view::npos) return false;
      text = all.substr(close + 2);
      continue;
    }
    if (line.empty() || line.starts_with("//")) continue;
    return line.starts_with("#version") || line.starts_with("#extension") ||
           line.starts_with("#pragma use_vulkan_memory_model");
  }
  return false;
}

bool opencl_c::is_opencl_c(const Source& source) {
  if (source.name.ends_with(".cl")) return true;
  return has_word(source.text, "__kernel") || has_word(source.text, "kernel void");
}

}  // namespace fencepost::shader
