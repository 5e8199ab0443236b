#pragma once
// Names and texts of inputs inside of Markdown: cells of tables, code spans, paragraphs.
#include <string>
#include <string_view>

namespace fencepost {

// On one line, and without what Markdown or the HTML inside of it would act on: <, >, &, |, [, ], ! and backticks are
// references to characters, which readers show as they were.
std::string markdown_text(std::string_view text);

}  // namespace fencepost
