#pragma once
// The assembly that SPIRV-Tools prints of a compiled module, statement by statement and word by word. Both readers of
// source languages find in it the names of the source. Strings may hold line ends and escaped quotes: a text says by
// #line what its file is called, and so what stands in a string of the module.
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::shader {

// The first statement, taken off `rest`: a line, but for line ends inside of strings.
std::string_view next_statement(std::string_view& rest);

// Words between blanks; a string is one word, with its quotes.
std::vector<std::string> words_of(std::string_view statement);

// Without the quotes; the text itself if it has none.
std::string unquoted(const std::string& word);

}  // namespace fencepost::shader
