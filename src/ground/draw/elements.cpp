#include "draw/elements.h"

#include <fmt/format.h>

#include "draw/style.h"
#include "draw/xml.h"

namespace fencepost::draw::svg {

std::string number(double v) {
  std::string s = fmt::format("{:.1f}", v);
  if (s.ends_with(".0")) s.resize(s.size() - 2);
  return s == "-0" ? "0" : s;
}

static std::string with_space(std::string_view attributes) {
  return attributes.empty() ? std::string() : " " + std::string(attributes);
}

std::string begin(double width, double height, std::string_view attributes, bool fluid) {
  const std::string size = fluid ? "" : fmt::format("width=\"{}\" height=\"{}\" ", number(width), number(height));
  return fmt::format("<svg {}{}viewBox=\"0 0 {} {}\" role=\"img\"{}>\n",
                     fluid ? "" : "xmlns=\"http://www.w3.org/2000/svg\" ", size, number(width), number(height),
                     with_space(attributes));
}

std::string ground(double width, double height) {
  return fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", number(width), number(height));
}

std::string finished(std::string picture) { return with_dark(std::move(picture) + "</svg>\n"); }

std::string marker(std::string_view id, std::string_view colour, double size) {
  return fmt::format(
      "<marker id=\"{}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"{}\" markerHeight=\"{}\" "
      "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,1 L10,5 L0,9 z\" fill=\"{}\"/></marker>\n",
      id, number(size), number(size), colour);
}

std::string text(double x, double y, std::string_view s, std::string_view attributes) {
  return fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", number(x), number(y), with_space(attributes),
                     escape_xml(s));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view attributes) {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", number(x1), number(y1), number(x2),
                     number(y2), with_space(attributes));
}

}  // namespace fencepost::draw::svg
