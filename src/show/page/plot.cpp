#include "page/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/elements.h"
#include "draw/xml.h"

namespace fencepost::page {
namespace {

using draw::escape_xml;

constexpr double k_left = 116, k_right = 58, k_row = 18;

// A label in about `most` characters; the whole of it is in the table below the plot.
std::string cut(const std::string& s, size_t most) {
  if (s.size() <= most) return s;
  size_t at = most - 1;
  while (at > 0 && (static_cast<unsigned char>(s[at]) & 0xc0) == 0x80) --at;  // not inside of a UTF-8 character
  return s.substr(0, at) + "\u2026";
}

// The same, without what is inside: long names of tests differ at their ends.
std::string cut_inside(const std::string& s, size_t most) {
  if (s.size() <= most) return s;
  size_t at = s.size() - most / 3;
  while (at < s.size() && (static_cast<unsigned char>(s[at]) & 0xc0) == 0x80) ++at;
  return cut(s, most - most / 3) + s.substr(at);
}

std::string open(const Words& w, double height) {
  return draw::svg::begin(k_width, height, fmt::format("aria-label=\"{}\"", escape_xml(w.title + ". " + w.description)),
                          true) +
         fmt::format("<title>{}</title>\n<desc>{}</desc>\n", escape_xml(w.title), escape_xml(w.description));
}

std::string text(double x, double y, const std::string& s, const char* anchor = "start", const char* extra = "") {
  return draw::svg::text(x, y, s, fmt::format("text-anchor=\"{}\"{}", anchor, extra));
}

std::string line(double x1, double y1, double x2, double y2, const char* kind) {
  return draw::svg::line(x1, y1, x2, y2, fmt::format("class=\"{}\"", kind));
}

std::string rect(double x, double y, double width, double height, const std::string& kind) {
  return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", kind, x, y,
                     std::max(width, 0.0), std::max(height, 0.0));
}

// In rows, as many as needed; returns its height.
double legend(std::string& out, const std::vector<std::string>& names, double y) {
  double x = 4;
  if (names.empty()) return 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const double width = 28 + 6.6 * static_cast<double>(std::min<size_t>(names[i].size(), 40));
    if (x > 4 && x + width > k_width) x = 4, y += 15;
    out += rect(x, y - 9, 10, 10, fmt::format("c{}", i % 6));
    out += text(x + 14, y, cut(names[i], 40));
    x += width;
  }
  return y + 12;
}

// Labels of rows: left of them where all are short, else each on a line of its own above its row.
struct Labels {
  double left, lead = 0;  // where the axis begins; height of the line above
  size_t most;            // bytes of a label
  template <class Rows>
  Labels(const Rows& rows, double wide, size_t shortest) : left(wide), most(shortest) {
    if (std::all_of(rows.begin(), rows.end(), [&](const auto& r) { return r.label.size() <= shortest; })) return;
    left = 18;
    lead = 13;
    most = 54;
  }
  // Of a row from `top`; `middle` of what stands left of nothing else.
  std::string print(const std::string& label, double top, double middle, const char* extra = "") const {
    return lead > 0 ? text(4, top + 11, cut_inside(label, most), "start", extra)
                    : text(left - 5, middle, cut(label, most), "end", extra);
  }
};

// Steps of 1, 2 or 5 that cut 0..most into about `count`.
double step_of(double most, int count) {
  if (!(most > 0)) return 1;
  const double raw = most / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (double m : {1.0, 2.0, 5.0, 10.0})
    if (m * power >= raw * 0.999) return m * power;
  return 10 * power;
}

}  // namespace

std::string tick_text(double v) {
  if (v == 0) return "0";
  const double a = std::abs(v);
  if (a >= 1000 && a < 1e5) return fmt::format("{:.0f}", v);
  if (a >= 1e5 || a < 1e-3) {
    const int e = static_cast<int>(std::floor(std::log10(a) + 1e-9));
    const double m = v / std::pow(10, e);
    return std::abs(m - 1) < 1e-6 ? fmt::format("1e{}", e) : fmt::format("{:.2g}e{}", m, e);
  }
  return fmt::format("{:.3g}", v);
}

std::string stacked_bars(const Words& w, const std::vector<std::string>& names, const std::vector<Bar>& bars,
                         bool whole) {
  if (bars.empty()) return "";
  std::string body;
  const double top = std::max(8.0, legend(body, names, 14));
  const Labels labels(bars, k_left, 16);
  const double left = labels.left, row = k_row + labels.lead;
  const double width = k_width - left - k_right, bottom = top + row * static_cast<double>(bars.size());
  double most = 0;
  for (const Bar& b : bars) {
    double sum = 0;
    for (double p : b.parts) sum += p;
    most = std::max(most, sum);
  }
  double y = top;
  for (const Bar& b : bars) {
    double sum = 0, x = left;
    for (double p : b.parts) sum += p;
    const double all = whole ? sum : most;
    body += labels.print(b.label, y, y + 12);
    y += labels.lead;
    body += "<g>" + fmt::format("<title>{}</title>", escape_xml(b.label + " " + b.note));
    for (size_t i = 0; i < b.parts.size(); ++i) {
      if (b.parts[i] <= 0 || all <= 0) continue;
      // One unit at least: the part that matters is often the smallest.
      const double part = std::min(std::max(1.5, width * b.parts[i] / all), left + width - x + 1.5);
      body += rect(x, y + 2, part, k_row - 5, fmt::format("c{}", i % 6));
      x += part;
    }
    body += "</g>\n" + text(k_width - k_right + 4, y + 12, cut(b.note, 10));
    y += k_row;
  }
  body += line(left, bottom, left + width, bottom, "axis");
  for (int i = 0; i <= 4; ++i) {
    const double x = left + width * i / 4;
    body += line(x, bottom, x, bottom + 3, "axis");
    if (i % 2 == 0)
      body += text(x, bottom + 14, whole ? fmt::format("{} %", 25 * i) : tick_text(most * i / 4), "middle");
  }
  return open(w, bottom + 20) + body + "</svg>\n";
}

std::string grouped_bars(const Words& w, const std::vector<std::string>& names, const std::vector<Bar>& groups,
                         double most) {
  if (groups.empty() || most <= 0) return "";
  std::string body;
  double y = std::max(8.0, legend(body, names, 14));
  const Labels labels(groups, k_left, 16);
  const double left = labels.left, width = k_width - left - k_right;
  for (const Bar& g : groups) {
    const double height = 13 * static_cast<double>(g.parts.size());
    body += labels.print(g.label, y, y + height / 2 + 4);
    y += labels.lead;
    for (size_t i = 0; i < g.parts.size(); ++i) {
      body += rect(left, y + 1, width * std::clamp(g.parts[i] / most, 0.0, 1.0), 11, fmt::format("c{}", i % 6));
      body += text(left + width * std::clamp(g.parts[i] / most, 0.0, 1.0) + 4, y + 10.5, tick_text(g.parts[i]));
      y += 13;
    }
    y += 8;
  }
  body += line(left, y, left + width, y, "axis");
  const double step = step_of(most, 4);
  for (double v = 0; v <= most * 1.0001; v += step) {
    body += line(left + width * v / most, y, left + width * v / most, y + 3, "axis");
    body += text(left + width * v / most, y + 14, tick_text(v), "middle");
  }
  return open(w, y + 20) + body + "</svg>\n";
}

std::string histogram(const Words& w, const std::vector<Bin>& bins, bool logarithmic, const std::string& unit) {
  if (bins.empty()) return "";
  constexpr double k_height = 150, k_x = 40, k_top = 10;
  const double width = k_width - k_x - 12, bottom = k_top + k_height;
  double most = 0;
  for (const Bin& b : bins) most = std::max({most, b.count, b.fit});
  if (most <= 0) return "";
  const double step = step_of(most, 4), each = width / static_cast<double>(bins.size());
  std::string body;
  for (double v = 0; v <= most * 1.0001; v += step) {
    const double y = bottom - k_height * v / most;
    body += line(k_x, y, k_x + width, y, v == 0 ? "axis" : "grid") + text(k_x - 4, y + 4, tick_text(v), "end");
  }
  std::string curve;
  for (size_t i = 0; i < bins.size(); ++i) {
    const Bin& b = bins[i];
    const double x = k_x + each * static_cast<double>(i);
    if (b.count > 0) {
      const double height = std::max(1.0, k_height * b.count / most);
      body += fmt::format("<g><title>{} to {}: {:.6g}</title>{}</g>\n", tick_text(b.from), tick_text(b.to), b.count,
                          rect(x + 0.5, bottom - height, each - 1, height, "c0"));
    }
    if (b.fit >= 0)
      curve +=
          fmt::format("{}{:.1f} {:.1f}", curve.empty() ? "M" : "L", x + each / 2, bottom - k_height * b.fit / most);
  }
  if (!curve.empty()) body += fmt::format("<path class=\"fit\" d=\"{}\"/>\n", curve);
  const size_t every = std::max<size_t>(1, (bins.size() + (logarithmic ? 5 : 3)) / (logarithmic ? 6 : 4));
  for (size_t i = 0; i <= bins.size(); i += every) {
    const double x = k_x + each * static_cast<double>(i);
    const double v = i < bins.size() ? bins[i].from : bins.back().to;
    body += line(x, bottom, x, bottom + 3, "axis") +
            text(std::min(x, k_width - 2), bottom + 14, tick_text(v), x > k_width - 24 ? "end" : "middle");
  }
  body += text(k_x + width / 2, bottom + 28, unit, "middle");
  return open(w, bottom + 34) + body + "</svg>\n";
}

std::string step_curves(const Words& w, const std::vector<Curve>& curves, const std::string& x_unit,
                        const std::string& y_unit, bool log_y) {
  double most_x = 0, most_y = 0, least_y = 0;
  for (const Curve& c : curves)
    for (const auto& [x, y] : c.points) {
      most_x = std::max(most_x, x);
      most_y = std::max(most_y, y);
      if (y > 0) least_y = least_y == 0 ? y : std::min(least_y, y);
    }
  if (most_x <= 0 || most_y <= 0) return "";
  constexpr double k_height = 170, k_x = 46;
  std::string body;
  std::vector<std::string> names;
  for (const Curve& c : curves) names.push_back(c.name);
  const double top = std::max(8.0, legend(body, names, 14)) + 14, width = k_width - k_x - 14, bottom = top + k_height;
  const double floor = std::floor(std::log10(least_y)) - 0.3,
               ceiling = std::max(std::ceil(std::log10(most_y) - 1e-9), floor + 1);
  const auto at_y = [&](double v) {
    if (!log_y) return bottom - k_height * v / most_y;
    return v <= 0 ? bottom : bottom - k_height * (std::log10(v) - floor) / (ceiling - floor);
  };
  body += text(4, top - 6, y_unit);
  if (log_y) {
    const int every = std::max(1, static_cast<int>((ceiling - floor) / 5));
    for (int e = static_cast<int>(std::ceil(floor)); e <= static_cast<int>(ceiling); e += every)
      body += line(k_x, at_y(std::pow(10, e)), k_x + width, at_y(std::pow(10, e)), "grid") +
              text(k_x - 4, at_y(std::pow(10, e)) + 4, tick_text(std::pow(10, e)), "end");
  } else {
    for (double v = 0, step = step_of(most_y, 4); v <= most_y * 1.0001; v += step)
      body += line(k_x, at_y(v), k_x + width, at_y(v), "grid") + text(k_x - 4, at_y(v) + 4, tick_text(v), "end");
  }
  body += line(k_x, bottom, k_x + width, bottom, "axis");
  for (double v = 0, step = step_of(most_x, 6); v <= most_x * 1.0001; v += step)
    body += line(k_x + width * v / most_x, bottom, k_x + width * v / most_x, bottom + 3, "axis") +
            text(k_x + width * v / most_x, bottom + 14, tick_text(v), "middle");
  body += text(k_x + width / 2, bottom + 28, x_unit, "middle");
  for (size_t i = 0; i < curves.size(); ++i) {
    std::string d;
    double last = bottom;
    for (const auto& [x, y] : curves[i].points) {
      const double px = k_x + width * x / most_x, py = at_y(y);
      d += d.empty() ? fmt::format("M{:.1f} {:.1f}", px, py)
                     : fmt::format("L{:.1f} {:.1f}L{:.1f} {:.1f}", px, last, px, py);
      last = py;
    }
    if (!d.empty()) d += fmt::format("L{:.1f} {:.1f}", k_x + width, last);
    static constexpr const char* k_dashes[] = {"", "6 3", "2 2", "8 2 2 2", "1 3", "10 4"};
    body += fmt::format("<path class=\"curve s{}\" stroke-dasharray=\"{}\" d=\"{}\"/>\n", i % 6, k_dashes[i % 6], d);
  }
  return open(w, bottom + 34) + body + "</svg>\n";
}

Axis axis_of(const std::vector<Dot>& rows) {
  double least = 1e300, most = 0;
  for (const Dot& d : rows) {
    const double low = d.seen ? std::max(d.interval.lower, d.value / 1e3) : d.interval.upper / 3;
    if (low > 0) least = std::min(least, low);
    most = std::max({most, d.seen ? d.value : 0.0, d.interval.upper});
  }
  if (most <= 0 || least > most) return {};
  const double floor = std::floor(std::log10(least));
  return {floor, std::max(std::ceil(std::log10(most) - 1e-9), floor + 1)};
}

std::vector<std::vector<Dot>> in_figures(std::vector<Dot> rows, size_t most) {
  std::vector<std::string> groups;
  for (const Dot& d : rows)
    if (std::find(groups.begin(), groups.end(), d.group) == groups.end()) groups.push_back(d.group);
  std::vector<std::vector<Dot>> out;
  for (const std::string& g : groups) {
    const auto members =
        static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [&](const Dot& d) { return d.group == g; }));
    if (out.empty() || (!out.back().empty() && out.back().size() + members > most)) out.emplace_back();
    for (Dot& d : rows) {
      if (d.group != g) continue;
      if (out.back().size() >= most) out.emplace_back();
      out.back().push_back(d);
    }
  }
  return out;
}

std::string dots(const Words& w, const std::vector<Dot>& rows, const std::string& unit, const Axis& axis) {
  const auto [floor, ceiling] = axis;
  if (rows.empty() || floor == ceiling) return "";
  constexpr double k_note = 74, k_top = 8, k_head = 16;
  const Labels labels(rows, 146, 20);
  const double left = labels.left, row = k_row + labels.lead;
  size_t heads = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    heads += !rows[i].group.empty() && (i == 0 || rows[i].group != rows[i - 1].group) ? 1 : 0;
  // A name above each single row would say what the row says.
  const bool headed = heads < rows.size();
  if (!headed) heads = 0;
  const double width = k_width - left - k_note,
               bottom = k_top + row * static_cast<double>(rows.size()) + k_head * static_cast<double>(heads);
  const auto at = [&, low = floor, high = ceiling](double v) {
    return left + width * std::clamp((std::log10(std::max(v, 1e-300)) - low) / (high - low), 0.0, 1.0);
  };
  std::string body;
  const int every = std::max(1, static_cast<int>((ceiling - floor) / 4 + 0.5));
  for (int e = static_cast<int>(floor); e <= static_cast<int>(ceiling); e += every)
    body += line(at(std::pow(10, e)), k_top, at(std::pow(10, e)), bottom, "grid") +
            text(at(std::pow(10, e)), bottom + 14, tick_text(std::pow(10, e)), "middle");
  double y = k_top + k_row / 2;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Dot& d = rows[i];
    if (headed && !d.group.empty() && (i == 0 || d.group != rows[i - 1].group)) {
      body += text(4, y + 4, d.group, "start", " font-weight=\"bold\"");
      y += k_head;
    }
    body += fmt::format("<g class=\"c{} s{}\"><title>{}</title>\n", d.colour, d.colour,
                        escape_xml(fmt::format("{}: {}", d.label, d.note)));
    body += labels.print(d.label, y - k_row / 2, y + 4, " class=\"ink\"");
    y += labels.lead;
    if (d.seen) {
      body += fmt::format("<line class=\"bar\" x1=\"{0:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n",
                          at(d.interval.lower), at(d.interval.upper), y);
      if (d.shape == 'd')
        body += fmt::format("<path d=\"M{0:.1f} {1:.1f}l5 5l-5 5l-5 -5z\"/>\n", at(d.value), y - 5);
      else
        body += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>\n", at(d.value), y);
    } else {
      body += fmt::format("<path class=\"arrow\" d=\"M{0:.1f} {1:.1f}v8M{0:.1f} {2:.1f}h-12m4 -3l-4 3l4 3\"/>\n",
                          at(d.interval.upper), y - 4, y);
    }
    body += text(k_width - k_note + 4, y + 4, cut(d.note, 11), "start", " class=\"ink\"") + "</g>\n";
    y += k_row;
  }
  body += text(left + width / 2, bottom + 28, unit, "middle");
  return open(w, bottom + 34) + body + "</svg>\n";
}

std::string matrix(const Words& w, const std::vector<std::string>& names,
                   const std::vector<std::vector<double>>& values) {
  if (names.empty()) return "";
  const double side = std::min(34.0, (k_width - k_left - 6) / static_cast<double>(names.size()));
  const double size = side * static_cast<double>(names.size()), top = 84;
  std::string body;
  for (size_t i = 0; i < names.size(); ++i) {
    const double at = side * (static_cast<double>(i) + 0.5);
    body += text(k_left - 5, top + at + 4, cut(names[i], 16), "end");
    body += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-60)\">{}</text>\n", k_left + at + 4,
                        top - 5, escape_xml(cut(names[i], 14)));
    for (size_t j = 0; j < names.size(); ++j) {
      const double v = std::clamp(values[i][j], 0.0, 1.0);
      body += fmt::format(
          "<rect class=\"heat\" style=\"fill-opacity:{:.2f}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
          "height=\"{:.1f}\"><title>{}</title></rect>\n",
          v, k_left + side * static_cast<double>(j), top + side * static_cast<double>(i), side - 1, side - 1,
          escape_xml(fmt::format("{} and {}: {:.2f}", names[i], names[j], values[i][j])));
      if (side >= 22)
        body +=
            text(k_left + side * (static_cast<double>(j) + 0.5), top + at + 4,
                 fmt::format("{:.2f}", values[i][j]).substr(values[i][j] < 0.995 ? 1 : 0, values[i][j] < 0.995 ? 3 : 1),
                 "middle", v > 0.55 ? " class=\"on-dark\"" : "");
    }
  }
  return open(w, top + size + 8) + body + "</svg>\n";
}

}  // namespace fencepost::page
