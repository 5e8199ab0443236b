#pragma once
// One HTML page in the one design of all reports: the verdict first, then what it rests on, links to the sections, the
// sections, and a foot. The page is one file that loads nothing (a policy in its head forbids it), fits phones, desks
// and paper, light and dark, and can be read without colour and without its script. The script sorts tables by a click
// on a column's head; the policy admits it alone, by its hash.
//
// Every text is escaped here, but for what is named HTML. Same input, same bytes. Colours are Okabe and Ito's, told
// apart by the colour-blind; text and marks have the contrasts that WCAG 2.2 AA asks for (4.5 and 3), held by a test.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fencepost::draw {

// A table with a head; `numbers`: columns from there on are aligned right and sorted as numbers. Rows beyond `most` are
// counted in a last line, which says where the whole is.
struct Rows {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  size_t numbers = 1;
};
std::string table(const std::string& caption, const Rows& r, size_t most);

// A plot (SVG text) with its caption and the table of its numbers, which opens at a click (none: it stands below the
// figure). Without a plot: the table, open.
std::string figure(const std::string& caption, const std::string& svg, const std::string& table);

// `body` is HTML. Nothing where it is empty.
std::string section(const std::string& id, const std::string& title, const std::string& lead, const std::string& body);

enum class Tone : uint8_t { good, bad, open, plain };
struct Verdict {
  Tone tone = Tone::plain;
  std::string word;              // "PASS"
  std::vector<std::string> why;  // sentences; the first gives the word
};

// A part of a page: sections, and the title under which their links stand. A page with one part has no titles of parts.
struct Part {
  std::string id, title;
  std::string body;  // HTML; its <h2 id="..."> are linked
};

struct Document {
  std::string title;
  std::optional<Verdict> verdict;
  std::vector<std::string> lead;                              // paragraphs below the verdict
  std::vector<std::pair<std::string, std::string>> rests_on;  // what, value: device, model, version
  std::vector<Part> parts;
  std::string style;  // further rules of style
  std::string foot;   // one paragraph
};
std::string html(const Document& d);

// The rules of style and the script, for tests.
std::string_view document_style();
std::string_view document_script();

}  // namespace fencepost::draw
