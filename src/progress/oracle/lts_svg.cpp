// A transition system as a layered picture (draw/layered.h). All edges between two states in one direction are one
// curve with one label of several lines; loops and their labels stand right of their state.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "draw/elements.h"
#include "draw/layered.h"
#include "draw/xml.h"
#include "oracle/oracle.h"

namespace fencepost::oracle {
namespace {

namespace svg = draw::svg;
using svg::number;

constexpr double k_radius = 14, k_line = 13, k_char = 6.7, k_margin = 28, k_top = 64;
constexpr const char* k_colours[] = {"#0550ae", "#b35900", "#116329", "#8250df", "#a0306b", "#1b7c83"};
constexpr const char* k_quiet = "#57606a";

// Thread of "EX !3 ..." and "TERMINATE !3"; -1 for "exit".
int thread_of(const std::string& label) {
  const size_t mark = label.find(" !");
  if (mark == std::string::npos || mark + 2 >= label.size() || std::isdigit(label[mark + 2]) == 0) return -1;
  return std::atoi(label.c_str() + mark + 2);
}

std::string colour_of(int thread) {
  return thread < 0 ? k_quiet : k_colours[static_cast<size_t>(thread) % std::size(k_colours)];
}

// "EX !0 !INSTRUCTION !TRUE !{0}" stands on two lines.
std::vector<std::string> lines_of(const std::string& label) {
  for (const char* mark : {" !TRUE", " !FALSE"}) {
    const size_t at = label.rfind(mark);
    if (at != std::string::npos) return {label.substr(0, at), label.substr(at + 1)};
  }
  return {label};
}

struct Text {
  std::string line;
  int thread = -1;
};

// All edges between two states in one direction: one curve, one label of several lines.
struct Bundle {
  uint32_t from = 0, to = 0;
  std::vector<Text> texts;
  size_t path = 0;  // of the layout; none for a loop
};

class Picture {
 public:
  explicit Picture(const Lts& l) : l_(l) {
    std::map<std::pair<uint32_t, uint32_t>, size_t> at;
    for (const Lts::Edge& e : l.edges) {
      auto [k, fresh] = at.try_emplace({e.from, e.to}, bundles_.size());
      if (fresh) bundles_.push_back({e.from, e.to, {}, 0});
      for (std::string& line : lines_of(e.label)) bundles_[k->second].texts.push_back({line, thread_of(e.label)});
    }
    std::vector<draw::LayeredNode> nodes(l.states, {k_radius, k_radius, k_radius});
    std::vector<draw::LayeredEdge> edges;
    for (Bundle& b : bundles_) {
      const double half = k_line * static_cast<double>(b.texts.size()) / 2;
      if (b.from == b.to) {
        nodes[b.from].right += text_width(b) + 22;
        nodes[b.from].half_height = std::max(k_radius, half);
        continue;
      }
      b.path = edges.size();
      edges.push_back({b.from, b.to, text_width(b) / 2 + 3, half + 2});
    }
    layout_ = draw::layered(nodes, edges, l.initial, k_top, k_margin);
    width_ = std::max(layout_.width, 420.0);
    height_ = layout_.height + 12;
  }

  std::string draw() const;

 private:
  static double text_width(const Bundle& b) {
    size_t n = 0;
    for (const Text& t : b.texts) n = std::max(n, t.line.size());
    return static_cast<double>(n) * k_char;
  }
  void texts(std::string& out, const Bundle& b, double x, double y, const char* anchor) const;
  void curve(std::string& out, const std::string& d, const Bundle& b) const;
  std::string legend() const;
  std::string way(const Bundle& b) const;
  std::string states() const;

  const Lts& l_;
  std::vector<Bundle> bundles_;
  draw::Layered layout_;
  double width_ = 0, height_ = 0;
};

void Picture::texts(std::string& out, const Bundle& b, double x, double y, const char* anchor) const {
  double at = y - k_line * static_cast<double>(b.texts.size()) / 2 + 10;
  for (const Text& t : b.texts) {
    out += svg::text(x, at, t.line, fmt::format("text-anchor=\"{}\" fill=\"{}\"", anchor, colour_of(t.thread)));
    at += k_line;
  }
}

void Picture::curve(std::string& out, const std::string& d, const Bundle& b) const {
  const int t = b.texts.front().thread;
  out +=
      fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\"{} marker-end=\"url(#head{})\"/>\n",
                  d, colour_of(t), b.texts.front().line.starts_with("TERMINATE") ? " stroke-dasharray=\"5 3\"" : "", t);
}

// Root, styles, heads of arrows, title, and which colour is which thread.
std::string Picture::legend() const {
  std::set<int> threads;
  for (const Bundle& b : bundles_)
    for (const Text& t : b.texts) threads.insert(t.thread);
  const std::string title = fmt::format("{} states, {} transitions", l_.states, l_.edges.size());
  std::string out = svg::begin(width_, height_) + "<title>" + title + "</title>\n";
  out +=
      "<style>text{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:11px}"
      ".title{font-size:15px;font-weight:bold;fill:#1f2328}.state{font-size:12px;font-weight:bold;fill:#1f2328}</"
      "style>\n"
      "<defs>\n";
  for (int t : threads) out += svg::marker(fmt::format("head{}", t), colour_of(t), 9);
  out += "</defs>\n" + svg::ground(width_, height_) + svg::text(k_margin, 28, title, "class=\"title\"");
  double x = k_margin;
  for (int t : threads) {
    const std::string what = t < 0 ? "exit" : fmt::format("thread {}", t);
    out += svg::line(x, 44, x + 22, 44, fmt::format("stroke=\"{}\" stroke-width=\"2\"", colour_of(t)));
    out += svg::text(x + 28, 48, what, fmt::format("fill=\"{}\"", colour_of(t)));
    x += 28 + static_cast<double>(what.size()) * k_char + 20;
  }
  return out;
}

// The path of an edge. Vertical tangents at every place; the ends stand on the circles, towards the next place.
std::string Picture::way(const Bundle& b) const {
  const draw::LayeredPath& edge = layout_.paths[b.path];
  const std::vector<uint32_t>& path = edge.places;
  const auto& places = layout_.places;
  const double sign = edge.turned ? -1 : 1;
  auto on_circle = [&](uint32_t state, uint32_t towards, double& px, double& py) {
    const double dx = std::clamp((places[towards].x - places[state].x) / 60, -0.7, 0.7);
    px = places[state].x + k_radius * dx;
    py = places[state].y + (places[towards].y > places[state].y ? 1 : -1) * k_radius * (1 - dx * dx * 0.4);
  };
  double px = 0, py = 0;
  on_circle(path[0], path[1], px, py);
  std::string d = fmt::format("M{},{}", number(px), number(py));
  for (size_t k = 1; k < path.size(); ++k) {
    double qx = places[path[k]].x, qy = places[path[k]].y;
    if (k + 1 == path.size()) on_circle(path[k], path[k - 1], qx, qy);
    // A label is crossed straight: enter at its top, leave at its bottom.
    const bool label = path[k] == edge.label && k + 1 != path.size();
    const double half = label ? places[path[k]].half_height : 0;
    const double ey = qy - sign * half;
    const double pull = std::max(std::abs(ey - py) * 0.5, 4.0) * sign;
    d += fmt::format(" C{},{} {},{} {},{}", number(px), number(py + pull), number(qx), number(ey - pull), number(qx),
                     number(ey));
    if (label) d += fmt::format(" L{},{}", number(qx), number(qy + sign * half));
    px = qx;
    py = label ? qy + sign * half : qy;
  }
  return d;
}

std::string Picture::states() const {
  std::string out;
  for (uint32_t s = 0; s < l_.states; ++s) {
    const draw::Place& p = layout_.places[s];
    out += "<g>";
    if (s < l_.state_names.size()) out += fmt::format("<title>{}</title>", draw::escape_xml(l_.state_names[s]));
    out +=
        fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"#f6f8fa\" stroke=\"#24292f\" stroke-width=\"1.2\"/>",
                    number(p.x), number(p.y), number(k_radius));
    if (s == l_.initial)
      out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"none\" stroke=\"#24292f\"/>", number(p.x),
                         number(p.y), number(k_radius - 3));
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" class=\"state\">{}</text></g>\n", number(p.x),
                       number(p.y + 4), s);
  }
  return out;
}

std::string Picture::draw() const {
  std::string out = legend();
  for (const Bundle& b : bundles_) {
    const draw::Place& from = layout_.places[b.from];
    if (b.from != b.to) {
      curve(out, way(b), b);
      continue;
    }
    curve(out,
          fmt::format("M{},{} C{},{} {},{} {},{}", number(from.x + k_radius * 0.8), number(from.y - k_radius * 0.6),
                      number(from.x + k_radius + 20), number(from.y - 20), number(from.x + k_radius + 20),
                      number(from.y + 20), number(from.x + k_radius * 0.8), number(from.y + k_radius * 0.6)),
          b);
  }
  for (const Bundle& b : bundles_) {
    if (b.from == b.to) {
      texts(out, b, layout_.places[b.from].x + k_radius + 20, layout_.places[b.from].y, "start");
      continue;
    }
    const draw::Place& p = layout_.places[layout_.paths[b.path].label];
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\" opacity=\"0.94\"/>\n",
                       number(p.x - p.left), number(p.y - p.half_height + 1), number(p.left + p.right),
                       number(2 * p.half_height - 2));
    texts(out, b, p.x, p.y, "middle");
  }
  return svg::finished(out + states());
}

}  // namespace

std::string to_svg(const Lts& l) { return Picture(l).draw(); }

}  // namespace fencepost::oracle
