#include "draw/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/elements.h"
#include "draw/xml.h"

namespace fencepost::draw {
namespace {

constexpr double k_side = 420, k_left = 70, k_top = 40;
constexpr const char *k_plain = "#1f5fa8", *k_marked = "#c2410c";

}  // namespace

std::string to_svg(const Scatter& s) {
  const double low = std::log10(s.least), high = std::log10(s.most);
  const auto part = [&](double v) { return (std::log10(std::clamp(v, s.least, s.most)) - low) / (high - low); };
  const auto x = [&](double v) { return k_left + k_side * part(v); };
  const auto y = [&](double v) { return k_top + k_side * (1 - part(v)); };
  const double width = k_left + k_side + 30, height = k_top + k_side + 60;
  std::string out = svg::begin(width, height, "font-family=\"sans-serif\" font-size=\"11\"");
  out += svg::ground(width, height) + svg::text(k_left, 22, s.title, "font-size=\"14\"");
  for (int e = static_cast<int>(std::ceil(low)); e <= static_cast<int>(std::floor(high)); ++e) {
    const double v = std::pow(10.0, e);
    out += fmt::format(
        "<path d=\"M{0:.1f},{1:.1f}V{2:.1f}M{3:.1f},{4:.1f}H{5:.1f}\" stroke=\"#dddddd\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{6:.1f}\" text-anchor=\"middle\">{7:g}</text>\n"
        "<text x=\"{8:.1f}\" y=\"{9:.1f}\" text-anchor=\"end\">{7:g}</text>\n",
        x(v), k_top, k_top + k_side, k_left, y(v), k_left + k_side, k_top + k_side + 16, v, k_left - 6, y(v) + 4);
  }
  out += fmt::format(
      "<rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{2:.1f}\" fill=\"none\" stroke=\"#333333\"/>\n"
      "<path d=\"M{0:.1f},{3:.1f}L{4:.1f},{1:.1f}\" stroke=\"#888888\"/>\n"
      "<text x=\"{5:.1f}\" y=\"{6:.1f}\" text-anchor=\"middle\">{7}</text>\n"
      "<text transform=\"translate(18,{8:.1f}) rotate(-90)\" text-anchor=\"middle\">{9}</text>\n",
      k_left, k_top, k_side, k_top + k_side, k_left + k_side, k_left + k_side / 2, k_top + k_side + 40,
      escape_xml(s.x_label), k_top + k_side / 2, escape_xml(s.y_label));
  for (const ScatterPoint& p : s.points)
    out += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\" fill-opacity=\"0.6\"><title>{}</title></circle>\n",
        x(p.x), y(p.y), p.marked ? k_marked : k_plain, escape_xml(fmt::format("{}: {:.3g}, {:.3g}", p.name, p.x, p.y)));
  return svg::finished(std::move(out));
}

}  // namespace fencepost::draw
