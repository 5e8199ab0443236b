#pragma once
// Colours and dashes of edges, shared by the SVG and DOT writers. Colours keep a contrast of at least 4.5 on white.
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::draw {

struct Style {
  std::string_view name;  // Edge::style
  std::string_view colour;
  std::string_view dash;     // SVG stroke-dasharray; "" = solid
  std::string_view meaning;  // for the legend
};
inline constexpr std::string_view k_emphasis_colour = "#cf222e";
const std::vector<Style>& styles();            // in legend order
const Style& style_of(std::string_view name);  // an unknown name is drawn as "other"

// Every colour that a picture of this program has on a white ground, and its like on a dark one.
struct ColourPair {
  std::string_view light, dark;
};
const std::vector<ColourPair>& colour_pairs();

// A picture that is drawn for a white ground, whole ("<svg ...>...</svg>\n"), with rules of style by which viewers that
// prefer dark pages show it so. Colours stand in the attributes fill and stroke, and in style="fill:...".
std::string with_dark(std::string svg);

}  // namespace fencepost::draw
