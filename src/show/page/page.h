#pragma once
// One HTML page about what was measured: everything of analysis/analyse.h and, for stores, of judge/judge.h, as plots
// with a table under each. The page is one file that loads nothing (no script, no font, no image of elsewhere; a policy
// in its head forbids it), fits phones and desks, light and dark, and can be read without seeing the plots.
//
// Every text that comes from a store or a file is escaped. Same input, same bytes. Tables are cut at Options::most_rows
// and say so; the whole is in `stats --csv` and `judge -o FILE.csv`.
#include <optional>
#include <string>
#include <vector>

#include "analysis/analyse.h"
#include "judge/judge.h"

namespace fencepost::page {

struct Set {
  analysis::Table table;
  analysis::Analysis analysis;
  std::optional<judge::Judged> judged;  // of a store
};

struct Options {
  std::string title = "What was measured";
  std::string made_by;      // "fencepost 0.2.0"
  size_t most_rows = 400;   // of a table
  size_t most_marks = 120;  // rows of a kind of plot, over its figures
  uint64_t seed = 1;
};

std::string html(const std::vector<Set>& sets, const Options& options);

}  // namespace fencepost::page
