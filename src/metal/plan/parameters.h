#pragma once
// The parameters of a run: the incantations of the 2014 thesis (general bank conflicts, memory stress, random threads,
// synchronisation), those of the 2020 study (thread shuffle, barrier, memory stress, stress line size, target number,
// assignment, access pattern, x-y stride, pre-stress and its pattern), and ours. One table gives name, range, default
// and meaning; each round group draws every parameter anew from its wish, with one seed. None of them changes the code
// of a test but `mode` and `region`, which choose between modules.
//
// A wish is a range: its value is drawn uniformly (powers of two: uniformly among them). Equal ends: fixed.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/job.h"

namespace fencepost::plan {

enum class ParameterId : uint8_t {
  groups,
  lanes,
  rounds,
  schedule,
  rotate,
  shuffle,
  ticket,
  align,
  align_every,
  align_limit,
  delay,
  churn,
  stride,
  layout,
  offset,
  xy_stride,
  dummy_pattern,
  spin_limit,
  stress,
  stress_groups,
  stress_iterations,
  stress_pattern,
  stress_line,
  stress_targets,
  stress_assignment,
  stress_spread,
  pre_stress,
  pre_stress_pattern,
  pre_stress_iterations,
  touch,
  stress_word,
  cluster,
  home,
  count_
};
inline constexpr size_t k_parameters = static_cast<size_t>(ParameterId::count_);

struct ParameterInfo {
  ParameterId id;
  const char* name;      // "stress-line"
  bool power_of_two;     // only powers of two are drawn
  const char* words;     // "fused|split": names of the values 0, 1, ...; "" for numbers
  uint32_t least, most;  // legal
  uint32_t from, to;     // default wish
  double chance;         // 0/1 parameters: of 1 when the wish is 0..1
  const char* unit;      // "words", "workgroups", ... or ""
  const char* help;      // one or two sentences
};
std::span<const ParameterInfo> parameter_table();
const ParameterInfo& info(ParameterId id);

struct Wish {
  uint32_t from = 0, to = 0;
  bool operator==(const Wish&) const = default;
};

// The sizes of clusters are 1 where there are none, and then `cluster` is not told: runs without clusters are told as
// ever. So it is with `home`, which runs on several devices have alone.
//
// `home` is the memory in which each location lies, four bits for each in the order of the test's objects: 0 leaves it
// to the draw, 1 to 14 are devices 0 to 13, 15 is the host's. As text: "gpu1.gpu0", "host.any"; missing ones are "any".
//
// `automatic` leaves a parameter to the plan, which knows device and test: groups, lanes, rounds, align_every.
struct Parameters {
  std::array<std::optional<Wish>, k_parameters> wishes;  // none: the default of the table, or the plan's choice
  bool operator==(const Parameters&) const = default;
  void fix(ParameterId id, uint32_t value) { wishes[static_cast<size_t>(id)] = Wish{value, value}; }
};

inline constexpr uint32_t k_home_any = 0, k_home_host = 15, k_most_homes = 8, k_most_devices = 14;
inline uint32_t home_of(uint32_t homes, size_t object) { return homes >> (4 * object) & 15; }
std::string home_text(uint32_t homes);

using Drawn = std::array<uint32_t, k_parameters>;
inline uint32_t of(const Drawn& d, ParameterId id) { return d[static_cast<size_t>(id)]; }

// "stride=8", "stress=0", "groups=2..64", "schedule=split", several separated by commas. Errors name the parameter
// and its range.
Expected<void> set_parameters(Parameters& p, std::string_view text);
uint32_t draw_parameter(const ParameterInfo& i, const Wish& w, Rng& rng);
// "groups=12,lanes=64,...": every value, in the order of the table; set_parameters reads it back.
std::string to_string(const Drawn& d);
// "groups=12..16,stress=on": the wishes alone; set_parameters reads it back.
std::string to_string(const Parameters& p);
// The Markdown table of docs/run.md.
std::string parameters_markdown();

}  // namespace fencepost::plan
