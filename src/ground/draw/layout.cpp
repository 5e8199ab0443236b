// Columns are threads, rows are time. Boxes get their place first; then every edge takes, in order, the cheapest
// of about forty cubic curves (attachment side, bulge and slope vary) where the price counts crossed boxes, room
// for the label, closeness to the curves already laid and length; short edges go first because they have the
// fewest ways round. Optimal routing was not tried: litmus tests have a dozen events.
#include "draw/layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/diagnostic.h"

namespace fencepost::draw {
namespace {

constexpr double k_margin = 28;
constexpr double k_row = 92;  // from box to box downwards
constexpr double k_column_gap = 150;
constexpr double k_box_pad = 12;
constexpr double k_label_h = 16;
constexpr int k_samples = 60;

std::vector<std::string> wrap(const std::string& text, size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '\n') {
      lines.push_back(line);
      line.clear();
      ++i;
      continue;
    }
    size_t end = text.find_first_of(" \n", i);
    if (end == std::string::npos) end = text.size();
    std::string word = text.substr(i, end - i);
    if (!line.empty() && text_length(line) + 1 + text_length(word) > columns) {
      lines.push_back(line);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    i = end;
    if (i < text.size() && text[i] == ' ') ++i;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

double node_height(const Node& n) { return n.detail.empty() ? 30 : 44; }

struct Router {
  const Graph& g;
  Layout& l;
  std::vector<std::vector<Point>> laid;  // samples of the curves that have their place
  std::vector<size_t> laid_edge;
  std::vector<Box> labels;

  std::vector<Curve> candidates(const Edge& e) const {
    const Box& a = l.nodes[e.from];
    const Box& b = l.nodes[e.to];
    double am = a.x + a.w / 2, bm = b.x + b.w / 2;
    std::vector<Curve> out;
    if (e.from == e.to) {  // a loop beside the box
      for (double side : {1.0, -1.0}) {
        double x = side > 0 ? a.x + a.w : a.x;
        for (double bulge : {46.0, 66.0})
          out.push_back({{x, a.y + a.h * 0.25},
                         {x + side * bulge, a.y - 14},
                         {x + side * bulge, a.y + a.h + 14},
                         {x, a.y + a.h * 0.75}});
      }
      return out;
    }
    bool same_column = g.nodes[e.from].column == g.nodes[e.to].column;
    if (same_column) {
      bool down = b.y > a.y;
      double y0 = down ? a.y + a.h : a.y, y1 = down ? b.y : b.y + b.h;
      for (double dx : {0.0, -0.25, 0.25, -0.38, 0.38}) {
        double x0 = am + dx * a.w, x1 = bm + dx * b.w;
        out.push_back({{x0, y0}, {x0, y0 + (y1 - y0) / 3}, {x1, y1 - (y1 - y0) / 3}, {x1, y1}});
      }
      for (double side : {-1.0, 1.0})
        for (double bulge : {36.0, 56.0, 80.0, 110.0})
          for (double f : {0.5, 0.8, 0.2}) {
            double x0 = side > 0 ? a.x + a.w : a.x, x1 = side > 0 ? b.x + b.w : b.x;
            double ya = a.y + a.h * f, yb = b.y + b.h * (1 - f);
            double edge = side > 0 ? std::max(x0, x1) : std::min(x0, x1);
            out.push_back({{x0, ya}, {edge + side * bulge, ya}, {edge + side * bulge, yb}, {x1, yb}});
          }
      return out;
    }
    bool right = b.x > a.x;
    double x0 = right ? a.x + a.w : a.x, x1 = right ? b.x : b.x + b.w;
    double reach = std::abs(x1 - x0);
    for (double fa : {0.5, 0.25, 0.75})
      for (double fb : {0.5, 0.25, 0.75})
        for (double bend : {0.0, 46.0, -46.0, 96.0, -96.0, 150.0, -150.0}) {
          double ya = a.y + a.h * fa, yb = b.y + b.h * fb;
          double s = (right ? 1 : -1) * reach * (bend == 0 ? 0.4 : 0.3);
          out.push_back({{x0, ya}, {x0 + s, ya + bend * 1.3}, {x1 - s, yb + bend * 1.3}, {x1, yb}});
        }
    // From the bottom or top of the box: for edges that leave the initial writes or go far.
    for (bool from_bottom : {true, false})
      for (bool to_top : {true, false}) {
        double ya = from_bottom ? a.y + a.h : a.y, yb = to_top ? b.y : b.y + b.h;
        double va = from_bottom ? 34 : -34, vb = to_top ? -34 : 34;
        double xa = am + (right ? 0.22 : -0.22) * a.w, xb = bm - (right ? 0.22 : -0.22) * b.w;
        out.push_back({{xa, ya}, {xa, ya + va}, {xb, yb + vb}, {xb, yb}});
        double stretch = std::abs(yb - ya) * 0.6;
        out.push_back(
            {{xa, ya}, {xa, ya + (va > 0 ? stretch : -stretch)}, {xb, yb + (vb > 0 ? stretch : -stretch)}, {xb, yb}});
      }
    return out;
  }

  std::optional<Box> best_label(const Curve& c, double width, double& price) const {
    std::optional<Box> best;
    price = 1e9;
    for (double t : {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8}) {
      Point p = at(c, t);
      Box box{p.x - width / 2, p.y - k_label_h / 2, width, k_label_h};
      double cost = std::abs(t - 0.5) * 20;
      for (const Box& n : l.nodes)
        if (box.overlaps(n, 2)) cost += 200;
      for (const Box& other : labels)
        if (box.overlaps(other, 2)) cost += 160;
      for (const auto& samples : laid)
        for (const Point& q : samples)
          if (q.x > box.x - 2 && q.x < box.x + box.w + 2 && q.y > box.y - 2 && q.y < box.y + box.h + 2) cost += 3;
      if (box.x < 4) cost += 100;
      if (cost < price) {
        price = cost;
        best = box;
      }
    }
    return best;
  }

  void route(size_t index) {
    const Edge& e = g.edges[index];
    double width = e.label.empty() ? 0 : static_cast<double>(text_length(e.label)) * k_small_char + 6;
    double best = 1e18;
    PlacedEdge place;
    std::vector<Point> best_samples;
    for (const Curve& c : candidates(e)) {
      std::vector<Point> samples;
      for (int i = 0; i <= k_samples; ++i) samples.push_back(at(c, static_cast<double>(i) / k_samples));
      double cost = 0, length = 0;
      for (int i = 1; i <= k_samples; ++i)
        length += std::hypot(samples[i].x - samples[i - 1].x, samples[i].y - samples[i - 1].y);
      cost += length * 0.12;
      for (size_t n = 0; n < l.nodes.size(); ++n) {
        const Box& box = l.nodes[n];
        bool own = n == e.from || n == e.to;
        for (int i = own ? 6 : 1; i <= k_samples - (own ? 6 : 1); ++i) {
          double m = own ? -1 : 5;
          if (samples[i].x > box.x - m && samples[i].x < box.x + box.w + m && samples[i].y > box.y - m &&
              samples[i].y < box.y + box.h + m)
            cost += 30;
        }
      }
      for (const Box& other : labels)
        for (const Point& q : samples)
          if (q.x > other.x && q.x < other.x + other.w && q.y > other.y && q.y < other.y + other.h) cost += 5;
      for (size_t k = 0; k < laid.size(); ++k) {
        // Ends on one spot of one box, or side by side for a while.
        if (std::hypot(laid[k].front().x - samples.front().x, laid[k].front().y - samples.front().y) < 6) cost += 10;
        if (std::hypot(laid[k].back().x - samples.back().x, laid[k].back().y - samples.back().y) < 6) cost += 10;
        if (std::hypot(laid[k].back().x - samples.front().x, laid[k].back().y - samples.front().y) < 6) cost += 14;
        if (std::hypot(laid[k].front().x - samples.back().x, laid[k].front().y - samples.back().y) < 6) cost += 14;
        int close = 0;
        for (const Point& p : samples)
          for (const Point& q : laid[k])
            if (std::abs(p.x - q.x) < 7 && std::abs(p.y - q.y) < 7) {
              ++close;
              break;
            }
        cost += close <= 5 ? close * 1.2 : close * 4;
      }
      for (const Point& q : samples)
        if (q.x < 8 || q.y < l.top) cost += 16;
      double label_cost = 0;
      std::optional<Box> spot;
      if (width > 0) {
        spot = best_label(c, width, label_cost);
        cost += label_cost;
      }
      if (cost < best) {
        best = cost;
        place.curve = c;
        place.label = spot.value_or(Box{});
        best_samples = std::move(samples);
      }
    }
    l.edges[index] = place;
    laid.push_back(std::move(best_samples));
    laid_edge.push_back(index);
    if (width > 0) labels.push_back(place.label);
  }
};

}  // namespace

Point at(const Curve& c, double t) {
  double u = 1 - t;
  double b0 = u * u * u, b1 = 3 * u * u * t, b2 = 3 * u * t * t, b3 = t * t * t;
  return {b0 * c.p0.x + b1 * c.c0.x + b2 * c.c1.x + b3 * c.p1.x, b0 * c.p0.y + b1 * c.c0.y + b2 * c.c1.y + b3 * c.p1.y};
}

size_t text_length(const std::string& s) {
  size_t n = 0;
  for (unsigned char c : s)
    if ((c & 0xc0) != 0x80) ++n;
  return n;
}

Layout place(const Graph& g) {
  Layout l;
  size_t columns = g.columns.size();
  uint32_t rows = 0;
  for (const Node& n : g.nodes) {
    columns = std::max<size_t>(columns, n.column + 1);
    rows = std::max(rows, n.row + 1);
  }
  l.column_w.assign(columns, 90);
  for (size_t c = 0; c < g.columns.size(); ++c)
    l.column_w[c] = std::max(l.column_w[c], static_cast<double>(text_length(g.columns[c].title)) * k_char + 8);
  for (const Node& n : g.nodes)
    l.column_w[n.column] =
        std::max(l.column_w[n.column], std::max(static_cast<double>(text_length(n.label)) * k_char,
                                                static_cast<double>(text_length(n.detail)) * k_small_char) +
                                           2 * k_box_pad);
  // Groups of neighbouring columns; a long group name widens its columns.
  bool any_group = false;
  for (size_t c = 0; c < g.columns.size();) {
    size_t end = c + 1;
    while (end < g.columns.size() && g.columns[end].group == g.columns[c].group) ++end;
    if (!g.columns[c].group.empty()) {
      any_group = true;
      double have =
          std::accumulate(l.column_w.begin() + static_cast<long>(c), l.column_w.begin() + static_cast<long>(end),
                          k_column_gap * static_cast<double>(end - c - 1));
      double need = static_cast<double>(text_length(g.columns[c].group)) * k_small_char + 8;
      if (need > have) l.column_w[end - 1] += need - have;
    }
    c = end;
  }
  double x = k_margin + 46;
  for (size_t c = 0; c < columns; ++c) {
    l.column_x.push_back(x);
    x += l.column_w[c] + k_column_gap;
  }
  l.width = std::max(x - k_column_gap + k_margin + 46, 360.0);
  l.width = std::max(l.width, static_cast<double>(text_length(g.title)) * 8.6 + 2 * k_margin);
  if (!g.caption.empty()) l.width = std::max(l.width, 520.0);
  l.caption = wrap(g.caption, static_cast<size_t>((l.width - 2 * k_margin) / k_small_char));

  double y = k_margin;
  if (!g.title.empty()) y += 24;
  y += 17.0 * static_cast<double>(l.caption.size());
  if (!l.caption.empty()) y += 6;
  l.top = y;
  if (any_group) {
    l.group_y = y + 14;
    y += 28;
  }
  l.column_title_y = y + 14;
  if (!g.columns.empty()) y += 26;
  for (size_t c = 0; c < g.columns.size();) {
    size_t end = c + 1;
    while (end < g.columns.size() && g.columns[end].group == g.columns[c].group) ++end;
    if (!g.columns[c].group.empty())
      l.groups.push_back({g.columns[c].group, l.column_x[c], l.column_x[end - 1] + l.column_w[end - 1]});
    c = end;
  }
  double first = y + 8;
  for (const Node& n : g.nodes) {
    double h = node_height(n);
    l.nodes.push_back({l.column_x[n.column], first + n.row * k_row + (44 - h) / 2, l.column_w[n.column], h});
  }
  l.bottom = first + (rows == 0 ? 0 : (rows - 1) * k_row + 44);

  l.edges.resize(g.edges.size());
  std::vector<size_t> order(g.edges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  auto span = [&](size_t i) {
    const Box& a = l.nodes[g.edges[i].from];
    const Box& b = l.nodes[g.edges[i].to];
    return std::abs(a.x + a.w / 2 - b.x - b.w / 2) + std::abs(a.y - b.y);
  };
  for (const Edge& e : g.edges)
    FENCEPOST_INVARIANT(e.from < g.nodes.size() && e.to < g.nodes.size(),
                        "an edge of a picture joins two of its nodes");
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (g.edges[a].emphasis != g.edges[b].emphasis) return g.edges[a].emphasis;  // the explanation has first pick
    return span(a) < span(b);
  });
  Router router{g, l, {}, {}, {}};
  for (size_t i : order) router.route(i);
  // Curves may bulge past the boxes.
  for (const PlacedEdge& e : l.edges) {
    for (int i = 0; i <= k_samples; ++i) {
      Point p = at(e.curve, static_cast<double>(i) / k_samples);
      l.bottom = std::max(l.bottom, p.y + 8);
      l.width = std::max(l.width, p.x + 16);
    }
    l.width = std::max(l.width, e.label.x + e.label.w + 12);
    l.bottom = std::max(l.bottom, e.label.y + e.label.h);
  }
  l.height = l.bottom + k_margin;
  return l;
}

}  // namespace fencepost::draw
