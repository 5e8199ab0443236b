#include <fmt/core.h>

#include "base/printable.h"
#include "draw/graph.h"
#include "draw/style.h"

namespace fencepost::draw {
namespace {

std::string quote(std::string_view s) {
  std::string out = "\"";
  for (char c : printable(s)) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\r') continue;
    out += c;
  }
  return out + "\"";
}

}  // namespace

// One cluster per column keeps a thread's events together; `pos` is not given, Graphviz lays out as it likes.
std::string to_dot(const Graph& g) {
  std::string out = "digraph execution {\n";
  out += fmt::format("  label={};\n  labelloc=t;\n  fontname=monospace;\n",
                     quote(g.caption.empty() ? g.title : g.title + "\n" + g.caption));
  out += "  node [shape=box, style=rounded, fontname=monospace, fontsize=11];\n";
  out += "  edge [fontname=monospace, fontsize=10];\n";
  size_t columns = g.columns.size();
  for (const Node& n : g.nodes) columns = std::max<size_t>(columns, n.column + 1);
  for (size_t c = 0; c < columns; ++c) {
    out += fmt::format("  subgraph cluster_{} {{\n", c);
    if (c < g.columns.size())
      out += fmt::format(
          "    label={};\n",
          quote(g.columns[c].group.empty() ? g.columns[c].title : g.columns[c].title + "\n" + g.columns[c].group));
    for (size_t i = 0; i < g.nodes.size(); ++i) {
      const Node& n = g.nodes[i];
      if (n.column != c) continue;
      out += fmt::format("    n{} [label={}{}];\n", i, quote(n.detail.empty() ? n.label : n.label + "\n" + n.detail),
                         n.emphasis ? fmt::format(", color=\"{}\", penwidth=2", k_emphasis_colour) : std::string());
    }
    out += "  }\n";
  }
  for (const Edge& e : g.edges) {
    const Style& s = style_of(e.style);
    std::string_view colour = e.emphasis ? k_emphasis_colour : s.colour;
    out += fmt::format("  n{} -> n{} [label={}, color=\"{}\", fontcolor=\"{}\"{}{}{}];\n", e.from, e.to, quote(e.label),
                       colour, colour, e.emphasis ? ", penwidth=2.5" : "", s.dash.empty() ? "" : ", style=dashed",
                       e.style == "po" ? ", weight=10" : ", constraint=false");
  }
  return out + "}\n";
}

}  // namespace fencepost::draw
