#pragma once
// The bundled tests: every X.litmus under examples/ and tests/corpus/ that has an X.expect beside it. A line of
// X.expect (outside tests/corpus/malformed) is "model property verdict # provenance"; '#' at the start of a line is a
// comment.
#include <string>
#include <vector>

namespace fencepost::corpus {

struct Line {
  std::string model, property, verdict, provenance;
  uint32_t number = 0;
};
struct Case {
  std::string litmus;  // path
  std::string expect;  // path
  std::vector<Line> lines;
};

// Sorted by path. A malformed line comes back with an empty model, so that the caller can fail on it.
std::vector<Case> bundled(const std::string& source_dir);

}  // namespace fencepost::corpus
