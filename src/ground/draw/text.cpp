#include <fmt/core.h>

#include <algorithm>

#include "draw/graph.h"
#include "draw/layout.h"

namespace fencepost::draw {

// Threads one after the other, then the edges: a form that survives a mail and a diff.
std::string to_text(const Graph& g) {
  std::string out;
  if (!g.title.empty()) out += g.title + "\n";
  if (!g.caption.empty()) out += g.caption + "\n";
  if (!out.empty()) out += "\n";
  size_t columns = g.columns.size();
  size_t width = 0;
  for (const Node& n : g.nodes) {
    columns = std::max<size_t>(columns, n.column + 1);
    width = std::max(width, text_length(n.label));
  }
  for (size_t c = 0; c < columns; ++c) {
    std::vector<size_t> rows;
    for (size_t i = 0; i < g.nodes.size(); ++i)
      if (g.nodes[i].column == c) rows.push_back(i);
    std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) { return g.nodes[a].row < g.nodes[b].row; });
    if (c < g.columns.size()) {
      out += g.columns[c].title;
      if (!g.columns[c].group.empty()) out += fmt::format("  ({})", g.columns[c].group);
      out += "\n";
    }
    for (size_t i : rows) {
      const Node& n = g.nodes[i];
      out += fmt::format("  {} {}", n.emphasis ? "*" : " ", n.label);
      if (!n.detail.empty()) out += std::string(width - text_length(n.label) + 3, ' ') + n.detail;
      out += "\n";
    }
  }
  if (!g.edges.empty()) out += "\n";
  auto head = [&](uint32_t n) {  // "a" of "a: W x=1"
    const std::string& s = g.nodes[n].label;
    return s.substr(0, s.find(':'));
  };
  for (const Edge& e : g.edges)
    out += fmt::format("  {} {} -{}-> {}\n", e.emphasis ? "*" : " ", head(e.from), e.label.empty() ? e.style : e.label,
                       head(e.to));
  return out;
}

}  // namespace fencepost::draw
