#pragma once
// A graph value for people to look at: columns (threads) of nodes, labelled edges. Drawn as SVG (own
// columns layout: one column per thread, time downwards), DOT, or text. No knowledge of programs.
#include <string>
#include <vector>

namespace fencepost::draw {

struct Node {
  std::string label;   // "a: W x=1"
  std::string detail;  // second line, e.g. the instruction text
  uint32_t column = 0;
  uint32_t row = 0;
  bool emphasis = false;
};
struct Edge {
  uint32_t from = 0, to = 0;
  std::string label;      // "rf"
  std::string style;      // "rf" "co" "fr" "po" "sync" "step" "other": picks colour and dash
  bool emphasis = false;  // on the explained cycle
};
struct Column {
  std::string title;
  std::string group;
};  // "P0", "cta 0, gpu 0"
struct Graph {
  std::string title, caption;
  std::vector<Column> columns;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};
std::string to_svg(const Graph& g);
std::string to_dot(const Graph& g);
std::string to_text(const Graph& g);

}  // namespace fencepost::draw
