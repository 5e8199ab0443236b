#pragma once
// The pieces of the page: escaped text, tables, figures, and the style.
#include <string>
#include <vector>

namespace fencepost::page {

std::string escape(const std::string& s);

// A table with a head; `numbers`: columns from there on are aligned right. Rows beyond `most` are counted in a last
// line.
struct Rows {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  size_t numbers = 1;
};
std::string table(const std::string& caption, const Rows& r, size_t most);

// A plot (SVG text) with its caption and the table of its numbers, which opens at a click (none: it stands below the
// figure). Without a plot: the table, open.
std::string figure(const std::string& caption, const std::string& svg, const std::string& table);

std::string section(const std::string& id, const std::string& title, const std::string& lead, const std::string& body);

// Everything before the first section: style, policy, title.
std::string head(const std::string& title);

}  // namespace fencepost::page
