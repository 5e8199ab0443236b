#pragma once
// Plots as SVG text for an HTML page. Every plot has a title and a description for those who do not see it; colours are
// the page's (classes c0..c5, told apart by the colour-blind), and no meaning hangs on colour alone.
//
// A plot is as wide as a phone (k_width units, text of 11): on a desk several stand side by side. Nothing is loaded;
// every text is escaped. Input in any order and size; an empty plot is an empty string.
#include <string>
#include <vector>

#include "stats/interval.h"

namespace fencepost::page {

inline constexpr double k_width = 380;

struct Words {
  std::string title, description;  // one sentence each
};

// Horizontal bars, each a stack of parts; parts of a bar that are too thin to see still get a mark.
struct Bar {
  std::string label;
  std::vector<double> parts;
  std::string note;  // behind the bar
};
// `names` of the parts; empty: no legend. `whole`: bars are shares of their sum.
std::string stacked_bars(const Words& w, const std::vector<std::string>& names, const std::vector<Bar>& bars,
                         bool whole);
// Several thin bars a group, with their values behind them; `most`: the right end of the axis.
std::string grouped_bars(const Words& w, const std::vector<std::string>& names, const std::vector<Bar>& groups,
                         double most);

struct Bin {
  double from = 0, to = 0, count = 0;
  double fit = -1;  // expected count; negative: no curve
};
// `logarithmic`: bins are shown equally wide, with their ends as powers of ten.
std::string histogram(const Words& w, const std::vector<Bin>& bins, bool logarithmic, const std::string& unit);

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by x
};
// Steps: the value holds until the next point. `log_y`: zeros lie on the floor.
std::string step_curves(const Words& w, const std::vector<Curve>& curves, const std::string& x_unit,
                        const std::string& y_unit, bool log_y);

struct Dot {
  std::string label;
  double value = 0;
  stats::Interval interval;
  bool seen = true;        // else an arrow down from interval.upper
  int colour = 0;          // class c0..c5
  char shape = 'o';        // o, d (diamond)
  std::string note;        // behind the dot
  std::string group = "";  // rows of one group stand together, under its name
};
// The powers of ten between which rows lie; plots of several figures share one axis.
struct Axis {
  double floor = 0, ceiling = 0;  // exponents; equal: there is nothing to show
};
Axis axis_of(const std::vector<Dot>& rows);
// On a logarithmic axis.
std::string dots(const Words& w, const std::vector<Dot>& rows, const std::string& unit, const Axis& axis);
// Rows by group, in figures of about `most` rows whose groups are whole where they fit: plots that stand side by side.
std::vector<std::vector<Dot>> in_figures(std::vector<Dot> rows, size_t most);

// A symmetric matrix of values in [0, 1], darker for more, the value in each cell.
std::string matrix(const Words& w, const std::vector<std::string>& names,
                   const std::vector<std::vector<double>>& values);

// "1", "250", "1e6"; short enough for an axis.
std::string tick_text(double v);

}  // namespace fencepost::page
