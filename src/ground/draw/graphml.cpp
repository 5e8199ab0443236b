#include "draw/graphml.h"

#include <fmt/format.h>

#include "draw/xml.h"

namespace fencepost::draw {
namespace {

struct Key {
  const char *id, *of, *type;
};
constexpr Key k_keys[] = {
    {"title", "graph", "string"}, {"caption", "graph", "string"}, {"label", "node", "string"},
    {"detail", "node", "string"}, {"column", "node", "string"},   {"row", "node", "int"},
    {"edge", "edge", "string"},   {"style", "edge", "string"},    {"emphasis", "edge", "boolean"}};

void data(std::string& out, const char* key, const std::string& text) {
  if (!text.empty()) out += fmt::format("<data key=\"{}\">{}</data>", key, escape_xml(text));
}

}  // namespace

std::string to_graphml(const Graph& g) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  for (const Key& k : k_keys)
    out += fmt::format("  <key id=\"{}\" for=\"{}\" attr.name=\"{}\" attr.type=\"{}\"/>\n", k.id, k.of,
                       std::string(k.id) == "edge" ? "label" : k.id, k.type);
  out += "  <graph id=\"G\" edgedefault=\"directed\">\n    ";
  data(out, "title", g.title);
  data(out, "caption", g.caption);
  out += "\n";
  for (size_t n = 0; n < g.nodes.size(); ++n) {
    const Node& x = g.nodes[n];
    out += fmt::format("    <node id=\"n{}\">", n);
    data(out, "label", x.label);
    data(out, "detail", x.detail);
    if (x.column < g.columns.size()) data(out, "column", g.columns[x.column].title);
    data(out, "row", std::to_string(x.row));
    out += "</node>\n";
  }
  for (const Edge& e : g.edges) {
    out += fmt::format("    <edge source=\"n{}\" target=\"n{}\">", e.from, e.to);
    data(out, "edge", e.label);
    data(out, "style", e.style);
    data(out, "emphasis", e.emphasis ? "true" : "");
    out += "</edge>\n";
  }
  return out + "  </graph>\n</graphml>\n";
}

}  // namespace fencepost::draw
