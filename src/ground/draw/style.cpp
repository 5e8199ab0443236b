#include "draw/style.h"

#include <fmt/format.h>

namespace fencepost::draw {

const std::vector<Style>& styles() {
  static const std::vector<Style> list = {
      {"po", "#57606a", "", "po: program order"},
      {"rf", "#116329", "", "rf: the read takes the write's value"},
      {"co", "#953800", "6 3", "co: order of writes to one location"},
      {"fr", "#8250df", "6 3", "fr: the read sees a value older than this write"},
      {"sync", "#0550ae", "", "synchronisation defined by the model"},
      {"step", "#57606a", "", "next step of the schedule"},
      {"other", "#1b7c83", "2 3", "other relation of the model"},
  };
  return list;
}

const Style& style_of(std::string_view name) {
  for (const Style& s : styles())
    if (s.name == name) return s;
  return styles().back();
}

const std::vector<ColourPair>& colour_pairs() {
  static const std::vector<ColourPair> list = {
      // grounds
      {"#ffffff", "#0d1117"},
      {"#f6f8fa", "#151b23"},
      {"#fff5f5", "#2a1416"},
      // text and lines
      {"#1f2328", "#e6edf3"},
      {"#24292f", "#d0d7de"},
      {"#333333", "#c9d1d9"},
      {"#57606a", "#9198a1"},
      {"#888888", "#8b949e"},
      {"#8c959f", "#6e7681"},
      {"#d0d7de", "#3d444d"},
      {"#dddddd", "#30363d"},
      // colours
      {"#0550ae", "#6cb6ff"},
      {"#0969da", "#58a6ff"},
      {"#116329", "#57ab5a"},
      {"#1a7f37", "#4ac26b"},
      {"#1b7c83", "#39c5cf"},
      {"#1f5fa8", "#6cb6ff"},
      {"#8250df", "#b083f0"},
      {"#953800", "#e0823d"},
      {"#9a6700", "#d4a72c"},
      {"#a0306b", "#e275ad"},
      {"#b35900", "#e0823d"},
      {"#c2410c", "#ff8c4a"},
      {"#cf222e", "#ff6a69"},
  };
  return list;
}

std::string with_dark(std::string svg) {
  // The rule for text without a colour comes first, those for colours by attribute beat it.
  std::string rules =
      "text:not([fill]){fill:#e6edf3}text.group,text.detail{fill:#9198a1}g[fill] text:not([fill]){fill:inherit}";
  for (const auto& [light, dark] : colour_pairs()) {
    const auto has = [&, c = light](const char* before, const char* after) {
      return svg.find(fmt::format("{}{}{}", before, c, after)) != std::string::npos;
    };
    if (has("fill=\"", "\"")) rules += fmt::format("[fill=\"{}\"]{{fill:{}}}", light, dark);
    if (has("stroke=\"", "\"")) rules += fmt::format("[stroke=\"{}\"]{{stroke:{}}}", light, dark);
    if (has("style=\"fill:", "\"")) rules += fmt::format("[style=\"fill:{}\"]{{fill:{}!important}}", light, dark);
  }
  const size_t end = svg.rfind("</svg>");
  if (end != std::string::npos)
    svg.insert(end, fmt::format("<style>@media (prefers-color-scheme:dark){{{}}}</style>\n", rules));
  return svg;
}

}  // namespace fencepost::draw
