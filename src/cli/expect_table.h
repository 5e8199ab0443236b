#pragma once
// Tables of expected verdicts: comma-separated values with a header line. Fields may be quoted ("a, b", doubled
// quotes inside); empty lines and lines that start with '#' or '//' are skipped.
// Columns by name, in any order: model, property, path, expected; optional: suite, bound, grid. Others are ignored.
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/verdict.h"
#include "check/check.h"

namespace fencepost::cli {

struct ExpectRow {
  std::string suite;     // "" when the table has no such column
  std::string model;     // as the table spells it
  std::string property;  // as the table spells it
  std::string path;
  Status expected = Status::holds;  // holds, fails or unknown
  std::optional<uint32_t> bound;
  std::string grid;
  Span span;  // the line, for messages
};

Expected<std::vector<ExpectRow>> read_expect_table(const SourcePtr& source);

// A file NAME.expect beside NAME.litmus: lines "model property verdict # provenance", verdict holds, fails or
// unknown; '#' starts a comment. `path` becomes the path of every row.
Expected<std::vector<ExpectRow>> read_expect_lines(const SourcePtr& source, const std::string& path);

// The shipped model that a table's name stands for: "ptx-v6.0" is ptx-6.0-tables, "vulkan" is vulkan-tables, every name
// that no published table uses is itself.
std::string shipped_name(const std::string& model);

// What to ask for a row's property; nullopt when this program does not know it.
struct Question {
  check::Property property = check::Property::condition;
  bool filter = true;         // "+ignore_filter" switches it off
  std::string progress = {};  // "termination[HSA]": HSA; "termination": "", the option's
};
std::optional<Question> question_of(const ExpectRow& row);

// The row's own bound, or the default: 4 for liveness rows of Vulkan (as published), else 1.
uint32_t bound_of(const ExpectRow& row);

}  // namespace fencepost::cli
