#pragma once
// Points of two measurements of the same things, on logarithmic axes with the diagonal: which of the two is larger, and
// how often. Input: the points, both coordinates in the same unit. Output: SVG. Points at or below `least` are drawn at
// it; those at or above `most` lie on the upper edge.
#include <string>
#include <vector>

namespace fencepost::draw {

struct ScatterPoint {
  double x = 0, y = 0;
  std::string name;     // shown by the viewer under the pointer
  bool marked = false;  // another colour
};

struct Scatter {
  std::string title, x_label, y_label;
  double least = 0.01, most = 100;
  std::vector<ScatterPoint> points;
};

std::string to_svg(const Scatter& s);

}  // namespace fencepost::draw
