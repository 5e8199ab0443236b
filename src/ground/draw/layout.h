#pragma once
// Places of everything in a picture, in pixels: boxes by column and row, one curve per edge, one spot per label.
// Deterministic: edges are routed in order, each takes the cheapest of a fixed list of curves.
#include <string>
#include <vector>

#include "draw/graph.h"

namespace fencepost::draw {

struct Point {
  double x = 0, y = 0;
};
struct Box {
  double x = 0, y = 0, w = 0, h = 0;  // left, top, width, height
  bool overlaps(const Box& o, double margin) const {
    return x < o.x + o.w + margin && o.x < x + w + margin && y < o.y + o.h + margin && o.y < y + h + margin;
  }
};
struct Curve {
  Point p0, c0, c1, p1;
};
Point at(const Curve& c, double t);

struct PlacedEdge {
  Curve curve;
  Box label;  // where the label's text stands; width 0 when there is none
};
struct GroupSpan {
  std::string name;
  double x0 = 0, x1 = 0;
};  // neighbouring columns of one group
struct Layout {
  double width = 0, height = 0;
  double top = 0;                    // below the title and caption
  std::vector<std::string> caption;  // broken into lines
  std::vector<double> column_x;      // left edge of each column's boxes
  std::vector<double> column_w;
  std::vector<GroupSpan> groups;
  double group_y = 0, column_title_y = 0;
  double bottom = 0;  // below the last node or curve: the legend starts here
  std::vector<Box> nodes;
  std::vector<PlacedEdge> edges;
};
inline constexpr double k_char = 7.3;        // width of a character of the 12-pixel monospace face
inline constexpr double k_small_char = 6.7;  // of the 11-pixel face of labels
Layout place(const Graph& g);

// Number of characters, not bytes (UTF-8).
size_t text_length(const std::string& s);

}  // namespace fencepost::draw
