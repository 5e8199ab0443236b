#pragma once
// The parts of SVG that all pictures of this program are made of: plain shapes, no script, no external font. A picture
// begins with `begin`, has a ground, and ends with `finished`, which adds what viewers that prefer dark pages show.
#include <string>
#include <string_view>

namespace fencepost::draw::svg {

// One decimal at most, no "-0".
std::string number(double v);

// The root. A picture of its own has its size in pixels; one that stands in a page fits its column (`fluid`).
// `attributes`: more of them, as `font-size="11"`.
std::string begin(double width, double height, std::string_view attributes = {}, bool fluid = false);
// A white rectangle lies behind everything, so that a viewer with a dark background shows dark lines on white.
std::string ground(double width, double height);
std::string finished(std::string picture);

// The head of an arrow, for the <defs>.
std::string marker(std::string_view id, std::string_view colour, double size);
// `attributes`: as `class="label" text-anchor="middle"`. `s` is escaped.
std::string text(double x, double y, std::string_view s, std::string_view attributes = {});
std::string line(double x1, double y1, double x2, double y2, std::string_view attributes);

}  // namespace fencepost::draw::svg
