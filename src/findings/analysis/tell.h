#pragma once
// An analysis for people, for programs and for spreadsheets.
#include <string>
#include <vector>

#include "analysis/analyse.h"

namespace fencepost::analysis {

// Parts of the text; the order of the enumeration is the order of the text.
enum class Part : uint8_t {
  overview,
  rates,
  reproducibility,
  absence,
  stationarity,
  portable,
  correlation,
  mutants,
  peeking
};
const char* name(Part p);
inline constexpr uint32_t k_parts = 9;

struct Peeking {  // empty: not asked for
  std::vector<PeekRow> rows;
  uint64_t samples = 0;
};

// Tables longer than `most` rows are cut, and say so; 0: never.
std::string to_text(const Table& t, const Analysis& a, const Peeking& p, const std::vector<Part>& parts,
                    size_t most = 40);
std::string to_json(const Table& t, const Analysis& a, const Peeking& p);  // schema fencepost.stats/1

// One row for each test, device and configuration that was measured.
inline constexpr const char* k_csv_header =
    "set,device,test,configuration,weak,instances,seconds,rate,lower,upper,per_second,reproducibility,needed,redundant,"
    "dispersion,mutator\n";
std::string to_csv(const Table& t, const Analysis& a);  // without header

// "1.2e-05", "3.4 %", "0"
std::string rate_text(double rate);
std::string count_text(double n);  // "1.2e9", "34", "never" when infinite

}  // namespace fencepost::analysis
