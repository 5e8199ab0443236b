// A transition system as a layered picture (Sugiyama, Tagawa, Toda 1981): edges that close a cycle in a depth-first
// walk are turned round, states get the rank of their longest path from the start, and every edge becomes a chain of
// places, one per rank; odd ranks hold the edges' labels, so that a label has room of its own. Places are ordered
// within a rank by repeated barycentres, the order with the fewest crossings wins, and columns follow by least squares
// under the order (pool-adjacent-violators). Loops and their labels stand right of their state.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <set>

#include "draw/style.h"
#include "oracle/oracle.h"

namespace fencepost::oracle {
namespace {

constexpr double k_radius = 14, k_gap = 18, k_line = 13, k_char = 6.7, k_margin = 28, k_rank_gap = 22;
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

std::string escape(std::string_view s) {
  std::string out;
  for (char c : s) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

struct Text {
  std::string line;
  int thread = -1;
};

// A place of the layered drawing: a state, a label, or a bend of a long edge. It takes `left` and `right` of its x.
struct Place {
  uint32_t rank = 0;
  double left = 4, right = 4, half_height = 0, x = 0, y = 0;
  std::vector<uint32_t> up, down;
};

// All edges between two states in one direction: one curve, one label of several lines.
struct Bundle {
  uint32_t from = 0, to = 0;
  std::vector<Text> texts;
  bool turned = false;
  uint32_t label = 0;          // place
  std::vector<uint32_t> path;  // places, top to bottom
};

class Picture {
 public:
  explicit Picture(const Lts& l) : l_(l) {
    std::map<std::pair<uint32_t, uint32_t>, size_t> at;
    for (const Lts::Edge& e : l.edges) {
      auto [k, fresh] = at.try_emplace({e.from, e.to}, bundles_.size());
      if (fresh) bundles_.push_back({e.from, e.to, {}, false, 0, {}});
      for (std::string& line : lines_of(e.label)) bundles_[k->second].texts.push_back({line, thread_of(e.label)});
    }
    rank_states();
    make_places();
    order();
    set_columns();
    set_rows();
  }

  std::string draw() const;

 private:
  void rank_states();
  void make_places();
  void order();
  void set_columns();
  void set_rows();
  size_t crossings() const;
  void sort_rank(uint32_t rank, bool by_upper);
  double loop_width(uint32_t s) const {
    double w = 0;
    for (const Bundle& b : bundles_)
      if (b.from == s && b.to == s) w = std::max(w, text_width(b) + 22);
    return w;
  }
  static double text_width(const Bundle& b) {
    size_t n = 0;
    for (const Text& t : b.texts) n = std::max(n, t.line.size());
    return static_cast<double>(n) * k_char;
  }

  const Lts& l_;
  std::vector<Bundle> bundles_;
  std::vector<uint32_t> rank_;                // of a state, before doubling
  std::vector<Place> places_;                 // the states first
  std::vector<std::vector<uint32_t>> ranks_;  // places of a rank, left to right
  double width_ = 0, height_ = 0;
};

void Picture::rank_states() {
  std::vector<std::vector<size_t>> out(l_.states);
  for (size_t k = 0; k < bundles_.size(); ++k)
    if (bundles_[k].from != bundles_[k].to) out[bundles_[k].from].push_back(k);
  // Depth first from the start; an edge to a state on the stack is turned. `order` collects states as they are left.
  std::vector<uint8_t> colour(l_.states, 0);
  std::vector<uint32_t> order;
  std::vector<std::pair<uint32_t, size_t>> stack;
  auto walk = [&](uint32_t root) {
    if (colour[root] != 0) return;
    colour[root] = 1;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      auto& [s, next] = stack.back();
      if (next == out[s].size()) {
        colour[s] = 2;
        order.push_back(s);
        stack.pop_back();
        continue;
      }
      Bundle& b = bundles_[out[s][next++]];
      if (colour[b.to] == 1) b.turned = true;
      if (colour[b.to] == 0) {
        colour[b.to] = 1;
        stack.push_back({b.to, 0});
      }
    }
  };
  if (l_.states != 0) walk(l_.initial);
  for (uint32_t s = 0; s < l_.states; ++s) walk(s);
  rank_.assign(l_.states, 0);
  // Reversed order of leaving is topological without the turned edges; a turned edge runs against it.
  for (auto s = order.rbegin(); s != order.rend(); ++s)
    for (size_t k : out[*s]) {
      const Bundle& b = bundles_[k];
      if (!b.turned) rank_[b.to] = std::max(rank_[b.to], rank_[*s] + 1);
    }
}

void Picture::make_places() {
  for (uint32_t s = 0; s < l_.states; ++s) {
    Place p;
    p.rank = 2 * rank_[s];
    p.left = k_radius;
    p.right = k_radius + loop_width(s);
    p.half_height = k_radius;
    for (const Bundle& b : bundles_)
      if (b.from == s && b.to == s)
        p.half_height = std::max(p.half_height, k_line * static_cast<double>(b.texts.size()) / 2);
    places_.push_back(p);
  }
  for (Bundle& b : bundles_) {
    if (b.from == b.to) continue;
    const uint32_t top = b.turned ? b.to : b.from, bottom = b.turned ? b.from : b.to;
    const uint32_t first = places_[top].rank, last = places_[bottom].rank;
    // Near its source: after the first step down, or before the last one of a turned edge.
    const uint32_t at_label = b.turned ? last - 1 : first + 1;
    b.path.push_back(top);
    for (uint32_t r = first + 1; r < last; ++r) {
      Place p;
      p.rank = r;
      if (r == at_label) {
        p.left = p.right = text_width(b) / 2 + 3;
        p.half_height = k_line * static_cast<double>(b.texts.size()) / 2 + 2;
        b.label = static_cast<uint32_t>(places_.size());
      }
      b.path.push_back(static_cast<uint32_t>(places_.size()));
      places_.push_back(p);
    }
    b.path.push_back(bottom);
    for (size_t k = 0; k + 1 < b.path.size(); ++k) {
      places_[b.path[k]].down.push_back(b.path[k + 1]);
      places_[b.path[k + 1]].up.push_back(b.path[k]);
    }
  }
  uint32_t last = 0;
  for (const Place& p : places_) last = std::max(last, p.rank);
  ranks_.resize(last + 1);
  // A first order by a walk from the start, so that neighbours begin near each other.
  std::vector<bool> seen(places_.size());
  std::vector<uint32_t> work;
  for (uint32_t s = 0; s < l_.states; ++s) {
    work.push_back(s);
    while (!work.empty()) {
      const uint32_t p = work.back();
      work.pop_back();
      if (seen[p]) continue;
      seen[p] = true;
      ranks_[places_[p].rank].push_back(p);
      for (auto d = places_[p].down.rbegin(); d != places_[p].down.rend(); ++d) work.push_back(*d);
    }
  }
}

size_t Picture::crossings() const {
  std::vector<uint32_t> position(places_.size());
  for (const auto& rank : ranks_)
    for (uint32_t k = 0; k < rank.size(); ++k) position[rank[k]] = k;
  size_t n = 0;
  for (const auto& rank : ranks_) {
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (uint32_t p : rank)
      for (uint32_t d : places_[p].down) edges.push_back({position[p], position[d]});
    for (size_t i = 0; i < edges.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if ((edges[i].first < edges[j].first) != (edges[i].second < edges[j].second) &&
            edges[i].first != edges[j].first && edges[i].second != edges[j].second)
          ++n;
  }
  return n;
}

void Picture::sort_rank(uint32_t rank, bool by_upper) {
  std::vector<uint32_t> position(places_.size());
  for (const auto& other : ranks_)
    for (uint32_t k = 0; k < other.size(); ++k) position[other[k]] = k;
  std::vector<std::pair<double, uint32_t>> keyed;
  for (uint32_t p : ranks_[rank]) {
    const auto& next = by_upper ? places_[p].up : places_[p].down;
    double sum = 0;
    for (uint32_t q : next) sum += position[q];
    keyed.push_back({next.empty() ? position[p] : sum / static_cast<double>(next.size()), p});
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t k = 0; k < keyed.size(); ++k) ranks_[rank][k] = keyed[k].second;
}

void Picture::order() {
  // Counting crossings is quadratic in the edges of a rank: big systems get fewer rounds.
  const int rounds = places_.size() < 2000 ? 24 : places_.size() < 20000 ? 2 : 0;
  if (rounds == 0) return;
  auto best = ranks_;
  size_t least = crossings();
  for (int round = 0; round < rounds && least != 0; ++round) {
    if (round % 2 == 0)
      for (uint32_t r = 1; r < ranks_.size(); ++r) sort_rank(r, true);
    else
      for (auto r = static_cast<uint32_t>(ranks_.size() - 1); r-- > 0;) sort_rank(r, false);
    const size_t now = crossings();
    if (now < least) {
      least = now;
      best = ranks_;
    }
  }
  ranks_ = best;
}

// Each place wants the mean x of its neighbours. Under the order of the rank, with room between, the least squares
// answer merges neighbours that would overlap into blocks that stand at their mean.
void Picture::set_columns() {
  for (const auto& rank : ranks_) {
    double x = 0;
    for (uint32_t p : rank) {
      places_[p].x = x + places_[p].left;
      x = places_[p].x + places_[p].right + k_gap;
    }
  }
  struct Block {
    double sum = 0;
    size_t count = 0;
  };
  auto settle = [&](const std::vector<uint32_t>& rank, bool by_upper, bool by_lower) {
    std::vector<double> offset(rank.size(), 0);
    std::vector<Block> blocks;
    for (size_t k = 0; k < rank.size(); ++k) {
      const Place& p = places_[rank[k]];
      if (k > 0) offset[k] = offset[k - 1] + places_[rank[k - 1]].right + k_gap + p.left;
      double sum = 0;
      size_t n = 0;
      if (by_upper)
        for (uint32_t q : p.up) sum += places_[q].x, ++n;
      if (by_lower)
        for (uint32_t q : p.down) sum += places_[q].x, ++n;
      const double wish = n == 0 ? p.x : sum / static_cast<double>(n);
      blocks.push_back({wish - offset[k], 1});
      while (blocks.size() > 1) {
        const Block last = blocks.back();
        Block& before = blocks[blocks.size() - 2];
        if (before.sum / static_cast<double>(before.count) <= last.sum / static_cast<double>(last.count)) break;
        before.sum += last.sum;
        before.count += last.count;
        blocks.pop_back();
      }
    }
    size_t k = 0;
    for (const Block& b : blocks)
      for (size_t i = 0; i < b.count; ++i, ++k) places_[rank[k]].x = b.sum / static_cast<double>(b.count) + offset[k];
  };
  for (int round = 0; round < 40; ++round) {
    for (size_t r = 1; r < ranks_.size(); ++r) settle(ranks_[r], true, round > 3);
    for (size_t r = ranks_.size() - 1; r-- > 0;) settle(ranks_[r], round > 3, true);
  }
}

void Picture::set_rows() {
  double low = 1e300, high = -1e300;
  for (const Place& p : places_) {
    low = std::min(low, p.x - p.left);
    high = std::max(high, p.x + p.right);
  }
  if (places_.empty()) low = high = 0;
  for (Place& p : places_) p.x += k_margin - low;
  width_ = std::max(high - low + 2 * k_margin, 420.0);
  double y = 64;
  for (const auto& rank : ranks_) {
    double half = 0;
    for (uint32_t p : rank) half = std::max(half, places_[p].half_height);
    for (uint32_t p : rank) places_[p].y = y + half;
    y += 2 * half + k_rank_gap;
  }
  height_ = y + 12;
}

std::string num(double v) {
  std::string s = fmt::format("{:.1f}", v);
  if (s.ends_with(".0")) s.resize(s.size() - 2);
  return s == "-0" ? "0" : s;
}

std::string Picture::draw() const {
  std::set<int> threads;
  for (const Bundle& b : bundles_)
    for (const Text& t : b.texts) threads.insert(t.thread);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n"
      "<title>{2} states, {3} transitions</title>\n"
      "<style>text{{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:11px}}"
      ".title{{font-size:15px;font-weight:bold;fill:#1f2328}}.state{{font-size:12px;font-weight:bold;fill:#1f2328}}</"
      "style>\n"
      "<defs>\n",
      num(width_), num(height_), l_.states, l_.edges.size());
  for (int t : threads)
    out += fmt::format(
        "<marker id=\"head{}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" "
        "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,1 L10,5 L0,9 z\" fill=\"{}\"/></marker>\n",
        t, colour_of(t));
  out += fmt::format("</defs>\n<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", num(width_), num(height_));
  out += fmt::format("<text x=\"{}\" y=\"28\" class=\"title\">{} states, {} transitions</text>\n", num(k_margin),
                     l_.states, l_.edges.size());
  double x = k_margin;
  for (int t : threads) {
    const std::string what = t < 0 ? "exit" : fmt::format("thread {}", t);
    out += fmt::format(
        "<line x1=\"{}\" y1=\"44\" x2=\"{}\" y2=\"44\" stroke=\"{}\" stroke-width=\"2\"/>\n"
        "<text x=\"{}\" y=\"48\" fill=\"{}\">{}</text>\n",
        num(x), num(x + 22), colour_of(t), num(x + 28), colour_of(t), what);
    x += 28 + static_cast<double>(what.size()) * k_char + 20;
  }

  auto texts = [&](const Bundle& b, double at_x, double at_y, const char* anchor) {
    double y = at_y - k_line * static_cast<double>(b.texts.size()) / 2 + 10;
    for (const Text& t : b.texts) {
      out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", num(at_x), num(y),
                         anchor, colour_of(t.thread), escape(t.line));
      y += k_line;
    }
  };
  auto curve = [&](const std::string& d, const Bundle& b) {
    const int t = b.texts.front().thread;
    out += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\"{} marker-end=\"url(#head{})\"/>\n", d,
        colour_of(t), b.texts.front().line.starts_with("TERMINATE") ? " stroke-dasharray=\"5 3\"" : "", t);
  };
  for (const Bundle& b : bundles_) {
    const Place& from = places_[b.from];
    if (b.from == b.to) {
      curve(fmt::format("M{},{} C{},{} {},{} {},{}", num(from.x + k_radius * 0.8), num(from.y - k_radius * 0.6),
                        num(from.x + k_radius + 20), num(from.y - 20), num(from.x + k_radius + 20), num(from.y + 20),
                        num(from.x + k_radius * 0.8), num(from.y + k_radius * 0.6)),
            b);
      continue;
    }
    std::vector<uint32_t> path = b.path;
    if (b.turned) std::reverse(path.begin(), path.end());
    // Vertical tangents at every place; the ends stand on the circles, towards the next place.
    const double sign = b.turned ? -1 : 1;
    auto on_circle = [&](uint32_t state, uint32_t towards, double& px, double& py) {
      const double dx = std::clamp((places_[towards].x - places_[state].x) / 60, -0.7, 0.7);
      px = places_[state].x + k_radius * dx;
      py = places_[state].y + (places_[towards].y > places_[state].y ? 1 : -1) * k_radius * (1 - dx * dx * 0.4);
    };
    double px = 0, py = 0;
    on_circle(path[0], path[1], px, py);
    std::string d = fmt::format("M{},{}", num(px), num(py));
    for (size_t k = 1; k < path.size(); ++k) {
      double qx = places_[path[k]].x, qy = places_[path[k]].y;
      if (k + 1 == path.size()) on_circle(path[k], path[k - 1], qx, qy);
      // A label is crossed straight: enter at its top, leave at its bottom.
      const bool label = path[k] == b.label && k + 1 != path.size();
      const double half = label ? places_[path[k]].half_height : 0;
      const double ey = qy - sign * half;
      const double pull = std::max(std::abs(ey - py) * 0.5, 4.0) * sign;
      d += fmt::format(" C{},{} {},{} {},{}", num(px), num(py + pull), num(qx), num(ey - pull), num(qx), num(ey));
      if (label) d += fmt::format(" L{},{}", num(qx), num(qy + sign * half));
      px = qx;
      py = label ? qy + sign * half : qy;
    }
    curve(d, b);
  }
  for (const Bundle& b : bundles_) {
    if (b.from == b.to) {
      texts(b, places_[b.from].x + k_radius + 20, places_[b.from].y, "start");
      continue;
    }
    const Place& p = places_[b.label];
    out +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\" opacity=\"0.94\"/>\n",
                    num(p.x - p.left), num(p.y - p.half_height + 1), num(p.left + p.right), num(2 * p.half_height - 2));
    texts(b, p.x, p.y, "middle");
  }
  for (uint32_t s = 0; s < l_.states; ++s) {
    const Place& p = places_[s];
    out += "<g>";
    if (s < l_.state_names.size()) out += fmt::format("<title>{}</title>", escape(l_.state_names[s]));
    out +=
        fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"#f6f8fa\" stroke=\"#24292f\" stroke-width=\"1.2\"/>",
                    num(p.x), num(p.y), num(k_radius));
    if (s == l_.initial)
      out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"none\" stroke=\"#24292f\"/>", num(p.x), num(p.y),
                         num(k_radius - 3));
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" class=\"state\">{}</text></g>\n", num(p.x),
                       num(p.y + 4), s);
  }
  return draw::with_dark(out + "</svg>\n");
}

}  // namespace

std::string to_svg(const Lts& l) { return Picture(l).draw(); }

}  // namespace fencepost::oracle
