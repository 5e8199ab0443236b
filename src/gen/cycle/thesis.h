#pragma once
// The 135 rows of tables 4.1 to 6.1 of the 2014 thesis (T. Sorensen, "Testing and Exposing Weak GPU Memory Models",
// University of Utah), as tests by the thesis' own names. A row that a table writes as "SB+*" is a row for each of the
// tests that the star stands for (section 5.1).
//
// A name is a test, its fences and dependencies, and after '@' one of the three configurations: S one CTA and shared
// memory (D-warp:S-cta-Shared), G one CTA and global memory (D-warp:S-cta-Global), K a CTA for each thread
// (D-cta:S-ker-Global). The rows of table 6.1 name the region of each location instead. LD is what is elsewhere LB.
//
// Most rows are cycles. The two spin locks and the queue of tables 4.5 to 4.7 are texts; that of the queue has the
// predicates as the text of section 4.6 means them, where figure 4.13 prints their opposites (BUGS-FOUND.md).
#include <optional>
#include <string>
#include <vector>

#include "cycle/test.h"

namespace fencepost::gen {

struct ThesisRow {
  std::string table;         // "5.2"
  std::string name;          // "MP+membar.ctas@K"
  std::optional<Spec> spec;  // empty: `text` is the test
  std::string text;
};

// In the order of the tables.
std::vector<ThesisRow> thesis_rows();
Expected<prog::Test> make_test(const ThesisRow& row);

}  // namespace fencepost::gen
