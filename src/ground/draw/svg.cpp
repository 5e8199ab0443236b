// The SVG writer: plain shapes, one style sheet, no script, no external font. A page behind everything keeps
// it readable in viewers of any ground; those that prefer dark pages show it dark.
#include <fmt/core.h>

#include <algorithm>

#include "base/printable.h"
#include "draw/elements.h"
#include "draw/graph.h"
#include "draw/layout.h"
#include "draw/style.h"
#include "draw/xml.h"

namespace fencepost::draw {

std::string escape_xml(std::string_view s) {
  std::string out;
  for (char c : printable(s)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\n':
        out += ' ';
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) out += c;  // XML 1.0 has no other control characters
    }
  return out;
}

namespace {

using svg::number;

void text(std::string& out, double x, double y, std::string_view cls, std::string_view anchor, std::string_view s,
          std::string_view fill = {}) {
  out += svg::text(x, y, s,
                   fmt::format("class=\"{}\" text-anchor=\"{}\"{}", cls, anchor,
                               fill.empty() ? "" : fmt::format(" style=\"fill:{}\"", fill)));
}

// "a" of "a: W x=1".
std::string_view name_of(const Node& n) { return std::string_view(n.label).substr(0, n.label.find(':')); }

}  // namespace

std::string to_svg(const Graph& g) {
  Layout l = place(g);
  std::vector<const Style*> used;
  for (const Style& s : styles())
    if (std::any_of(g.edges.begin(), g.edges.end(), [&](const Edge& e) { return &style_of(e.style) == &s; }))
      used.push_back(&s);
  bool emphasis = std::any_of(g.edges.begin(), g.edges.end(), [](const Edge& e) { return e.emphasis; });
  size_t entries = used.size() + (emphasis ? 1 : 0);
  double legend_w = 0;
  for (const Style* s : used) legend_w = std::max(legend_w, static_cast<double>(s->meaning.size()) * k_small_char);
  legend_w = std::max(legend_w + 56, 250.0);
  auto per_row = static_cast<size_t>(std::max(1.0, (l.width - 56) / legend_w));
  size_t legend_rows = entries == 0 ? 0 : (entries + per_row - 1) / per_row;
  double width = std::max(l.width, legend_w + 56);
  double height = l.bottom + 24 + static_cast<double>(legend_rows) * 20 + 14;

  std::string out = svg::begin(width, height);
  out += fmt::format("<title>{}</title>\n", escape_xml(g.title.empty() ? "execution" : g.title));
  out +=
      "<style>text{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:12px;fill:#1f2328}"
      ".title{font-size:15px;font-weight:bold}.small{font-size:11px}.group{font-size:11px;fill:#57606a}"
      ".column{font-weight:bold}.label{font-weight:bold}.detail{font-size:11px;fill:#57606a}"
      ".edge{font-size:11px;font-weight:bold}</style>\n<defs>\n";
  for (const Style* s : used) out += svg::marker(fmt::format("head-{}", s->name), s->colour, 9);
  if (emphasis) out += svg::marker("head-emphasis", k_emphasis_colour, 12);
  out += "</defs>\n" + svg::ground(width, height);

  double y = 28;
  if (!g.title.empty()) {
    text(out, 28, y + 8, "title", "start", g.title);
    y += 24;
  }
  for (const std::string& line : l.caption) {
    text(out, 28, y + 10, "small", "start", line);
    y += 17;
  }
  for (const GroupSpan& s : l.groups) {
    text(out, (s.x0 + s.x1) / 2, l.group_y - 3, "group", "middle", s.name);
    out += svg::line(s.x0, l.group_y + 4, s.x1, l.group_y + 4, "stroke=\"#8c959f\"");
  }
  for (size_t c = 0; c < g.columns.size(); ++c)
    text(out, l.column_x[c] + l.column_w[c] / 2, l.column_title_y, "column", "middle", g.columns[c].title);

  // Lines pass behind boxes, so that a crowded picture keeps its text; emphasis over the rest, labels over all.
  for (bool strong : {false, true})
    for (size_t i = 0; i < g.edges.size(); ++i) {
      const Edge& e = g.edges[i];
      if (e.emphasis != strong) continue;
      const Style& s = style_of(e.style);
      const Curve& c = l.edges[i].curve;
      out += fmt::format("<path d=\"M{},{} C{},{} {},{} {},{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"",
                         number(c.p0.x), number(c.p0.y), number(c.c0.x), number(c.c0.y), number(c.c1.x), number(c.c1.y),
                         number(c.p1.x), number(c.p1.y), strong ? k_emphasis_colour : s.colour, strong ? "2.6" : "1.4");
      if (!s.dash.empty()) out += fmt::format(" stroke-dasharray=\"{}\"", s.dash);
      // What the edge is, for viewers that show titles and for pages that tell more of it.
      const std::string from = escape_xml(name_of(g.nodes[e.from])), to = escape_xml(name_of(g.nodes[e.to]));
      out += fmt::format(
          " marker-end=\"url(#head-{0})\" data-from=\"{1}\" data-relation=\"{2}\" data-to=\"{3}\"><title>{2}: {1} → "
          "{3}</title></path>\n",
          strong ? std::string_view("emphasis") : s.name, from, escape_xml(e.label), to);
    }
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    const Box& b = l.nodes[i];
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
        number(b.x), number(b.y), number(b.w), number(b.h), n.emphasis ? "#fff5f5" : "#f6f8fa",
        n.emphasis ? k_emphasis_colour : std::string_view("#8c959f"), n.emphasis ? "2" : "1");
    text(out, b.x + b.w / 2, b.y + (n.detail.empty() ? b.h / 2 + 4 : 18), "label", "middle", n.label);
    if (!n.detail.empty()) text(out, b.x + b.w / 2, b.y + 35, "detail", "middle", n.detail);
  }
  for (size_t i = 0; i < g.edges.size(); ++i) {
    const Edge& e = g.edges[i];
    if (e.label.empty()) continue;
    const Box& b = l.edges[i].label;
    out +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#ffffff\" opacity=\"0.92\"/>\n",
                    number(b.x), number(b.y), number(b.w), number(b.h));
    text(out, b.x + b.w / 2, b.y + 12, "edge", "middle", e.label,
         e.emphasis ? k_emphasis_colour : style_of(e.style).colour);
  }

  double ly = l.bottom + 30;
  for (size_t i = 0; i < entries; ++i) {
    double x = 28 + static_cast<double>(i % per_row) * legend_w;
    double yy = ly + static_cast<double>(i / per_row) * 20;
    // A relation that occurs only in the explanation is shown as it is drawn, in red.
    bool last = i == used.size();
    bool strong = last || std::all_of(g.edges.begin(), g.edges.end(),
                                      [&](const Edge& e) { return e.emphasis || &style_of(e.style) != used[i]; });
    const std::string dash =
        !last && !used[i]->dash.empty() ? fmt::format(" stroke-dasharray=\"{}\"", used[i]->dash) : "";
    out += svg::line(x, yy, x + 34, yy,
                     fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", strong ? k_emphasis_colour : used[i]->colour,
                                 strong ? "2.6" : "1.4", dash));
    text(out, x + 42, yy + 4, "small", "start",
         last ? std::string_view("red: part of the explanation") : used[i]->meaning);
  }
  return svg::finished(std::move(out));
}

}  // namespace fencepost::draw
