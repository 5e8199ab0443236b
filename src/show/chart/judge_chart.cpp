// One row per result, the rate of the weak outcome on a logarithmic axis. A dot with its interval where it was seen; an
// arrow from the upper bound towards zero where it was not. Colour and shape say the same, for those who see no colour.
#include "chart/judge_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/elements.h"
#include "draw/xml.h"

namespace fencepost::chart {
namespace {

namespace svg = draw::svg;

constexpr double k_row = 18, k_left = 260, k_width = 520, k_right = 150, k_top = 56;

// Contrast of at least 4.5 on white.
const char* colour(const judge::Judgement& j) {
  if (j.standing == judge::Standing::violated || j.standing == judge::Standing::broken_run) return "#cf222e";
  if (j.standing == judge::Standing::suspected) return "#9a6700";
  return j.condition == judge::Allowed::yes ? "#0969da" : j.condition == judge::Allowed::no ? "#1a7f37" : "#57606a";
}

}  // namespace

std::string to_svg(const judge::Judged& j) {
  int least = -1;  // exponent of ten at the left edge
  for (const judge::Judgement& x : j.list)
    if (x.seen.instances > 0) {
      const double low = x.positive == 0 ? x.positive_rate.upper / 3 : std::max(x.positive_rate.lower, 1e-15);
      least = std::min(least, static_cast<int>(std::floor(std::log10(low))));
    }
  const double height = k_top + k_row * static_cast<double>(j.list.size()) + 46, width = k_left + k_width + k_right;
  const auto at = [&](double rate) {
    return k_left +
           k_width * std::clamp((std::log10(std::max(rate, 1e-300)) - least) / -static_cast<double>(least), 0.0, 1.0);
  };
  std::string out =
      svg::begin(width, height,
                 "font-family=\"sans-serif\" font-size=\"12\" aria-label=\"Rates of weak outcomes with 95 "
                 "percent intervals\"");
  out += svg::ground(width, height);
  out += svg::text(k_left, 20, "rate of the weak outcome per instance, with 95 % interval", "font-size=\"14\"");
  double legend = k_left;
  for (const auto& [text, c] : {std::pair{"\u25CF allowed", "#0969da"},
                                {"\u25CF forbidden", "#1a7f37"},
                                {"\u25C6 violated", "#cf222e"},
                                {"\u2190 never seen, from its bound", "#57606a"}}) {
    out += svg::text(legend, 40, text, fmt::format("fill=\"{}\"", c));
    legend += 110;
  }
  const double bottom = k_top + k_row * static_cast<double>(j.list.size());
  for (int e = least; e <= 0; ++e) {
    const double x = at(std::pow(10.0, e));
    out += svg::line(x, k_top - 6, x, bottom, "stroke=\"#d0d7de\"");
    if (e % std::max(1, -least / 10) == 0)
      out += svg::text(x, bottom + 16, e == 0 ? "1" : fmt::format("1e{}", e), "text-anchor=\"middle\"");
  }
  const bool several = std::any_of(j.list.begin(), j.list.end(), [&](const judge::Judgement& x) {
    return x.seen.device != j.list.front().seen.device;
  });
  double y = k_top + k_row / 2;
  for (const judge::Judgement& x : j.list) {
    std::string label = x.seen.test.title + (x.seen.configuration.empty() ? "" : " \u00B7 " + x.seen.configuration);
    if (several) label += " \u00B7 " + x.seen.device;
    out += fmt::format("<g fill=\"{0}\" stroke=\"{0}\"><title>{1}</title>\n", colour(x),
                       draw::escape_xml(fmt::format("{} on {}: {}", label, x.seen.device, x.reason)));
    out += svg::text(k_left - 8, y + 4, label, "text-anchor=\"end\" stroke=\"none\"");
    if (x.seen.instances > 0 && x.positive > 0) {
      const double rate = at(static_cast<double>(x.positive) / static_cast<double>(x.seen.instances));
      out += svg::line(at(x.positive_rate.lower), y, at(x.positive_rate.upper), y, "stroke-width=\"2\"");
      if (x.standing == judge::Standing::violated)
        out += fmt::format("<path d=\"M{0:.1f} {1:.1f}l5 5l-5 5l-5 -5z\"/>\n", rate, y - 5);
      else
        out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", rate, y);
    } else if (x.seen.instances > 0) {
      const double bound = at(x.positive_rate.upper);
      out += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}v10M{0:.1f} {2:.1f}h-14m5 -4l-5 4l5 4\" fill=\"none\" stroke-width=\"1.5\"/>\n",
          bound, y - 5, y);
    }
    out += svg::text(k_left + k_width + 10, y + 4,
                     x.positive > 0 ? fmt::format("{} seen", x.positive)
                                    : fmt::format("0 of {:.2g}", static_cast<double>(x.seen.instances)),
                     "stroke=\"none\"") +
           "</g>\n";
    y += k_row;
  }
  return svg::finished(std::move(out));
}

}  // namespace fencepost::chart
