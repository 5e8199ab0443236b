#include "shader/assembly.h"

#include <algorithm>

namespace fencepost::shader {

std::string_view next_statement(std::string_view& rest) {
  size_t end = 0;
  for (bool quoted = false; end < rest.size() && (quoted || rest[end] != '\n'); ++end) {
    if (rest[end] == '"')
      quoted = !quoted;
    else if (rest[end] == '\\' && quoted)
      ++end;
  }
  end = std::min(end, rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

std::vector<std::string> words_of(std::string_view statement) {
  std::vector<std::string> out;
  for (size_t i = 0; i < statement.size();) {
    while (i < statement.size() && statement[i] == ' ') ++i;
    size_t end = i;
    if (end < statement.size() && statement[end] == '"') {
      for (++end; end < statement.size() && statement[end] != '"'; ++end)
        if (statement[end] == '\\') ++end;
      end = std::min(end + 1, statement.size());
    } else {
      end = std::min(statement.find(' ', i), statement.size());
    }
    if (end > i) out.emplace_back(statement.substr(i, end - i));
    i = end;
  }
  return out;
}

std::string unquoted(const std::string& word) {
  return word.size() >= 2 && word.front() == '"' ? word.substr(1, word.size() - 2) : word;
}

}  // namespace fencepost::shader
