#pragma once
// Titles of `.test` files, which have no header: the file's name without folder and ending, unless a comment line
// "// test: TITLE" says otherwise (our printer writes one, so that a title survives under another file name).
#include <string>
#include <string_view>

namespace fencepost::litmus {

inline std::string stem_of(std::string_view name) {
  const size_t slash = name.find_last_of('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  if (name.ends_with(".test")) name.remove_suffix(5);
  return name == "-" ? std::string() : std::string(name);
}

// If `line` is such a comment, stores its title.
inline bool take_title(std::string_view line, std::string& title) {
  constexpr std::string_view k_mark = "// test:";
  if (!line.starts_with(k_mark)) return false;
  line.remove_prefix(k_mark.size());
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
  title = std::string(line);
  return true;
}

}  // namespace fencepost::litmus
