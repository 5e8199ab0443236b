#pragma once
// The state file of an interrupted search: a header line that names the request, then one line per finished unit with
// all that was found in it and a checksum. Lines are appended by one write each and synced, so that after a crash at
// any moment only the last line can be damaged; it is cut off when the file is opened again, and its unit redone.
//
// Verdicts are not kept: a model file may change between two runs, so they are decided anew.
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "synth/code.h"

namespace fencepost::synth {

struct Hit {
  Program program;
  uint32_t locations = 0;  // declared
  uint64_t labelled = 0;
  oracle::Size size;
  std::vector<oracle::Pair> verdicts;  // not in the journal
  bool operator==(const Hit&) const = default;
};
struct UnitResult {
  uint64_t canonical = 0, labelled = 0, graphs = 0;
  std::vector<Hit> hits;  // empty when only counted
  bool operator==(const UnitResult&) const = default;
};

class Journal {
 public:
  Journal() = default;
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Opens or creates; reads what is finished. Errors: no such folder, another request, damaged before its last line, in
  // use by another process.
  Expected<void> open(const std::string& path, const std::string& request_line, uint64_t units);
  std::map<uint64_t, UnitResult> take_finished() { return std::move(finished_); }
  // From any thread. False: it could not be written.
  bool append(uint64_t unit, const UnitResult& result);

 private:
  int fd_ = -1;
  std::mutex mutex_;
  std::map<uint64_t, UnitResult> finished_;
};

}  // namespace fencepost::synth
