#include "plan/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

namespace fencepost::plan {
namespace {

using enum ParameterId;

// (l|s)+ up to length 5, by length, then in alphabetical order; 0: none.
constexpr const char* k_stress_words =
    "none|l|s|ll|ls|sl|ss|lll|lls|lsl|lss|sll|sls|ssl|sss|llll|llls|llsl|llss|lsll|lsls|lssl|lsss|slll|slls|sl"
    "sl|slss|ssll|ssls|sssl|ssss|lllll|lllls|lllsl|lllss|llsll|llsls|llssl|llsss|lslll|lslls|lslsl|lslss|"
    "lssll|lssls|lsssl|lssss|sllll|sllls|sllsl|sllss|slsll|slsls|slssl|slsss|sslll|sslls|sslsl|sslss|sssl"
    "l|sssls|ssssl|sssss";

// groups, lanes and rounds: `from` = `to` = 0 leaves the choice to the plan.
constexpr std::array<ParameterInfo, k_parameters> k_table = {{
    {groups, "groups", false, "", 1, 65535, 0, 0, 0, "workgroups",
     "Testing workgroups. Default: drawn between 2 and twice the units of the device, and never more than fit on it."},
    {lanes, "lanes", false, "", 1, 1024, 0, 0, 0, "invocations",
     "Invocations of a workgroup; made smaller to a multiple of the subgroup. Default: drawn from few to what the "
     "device has."},
    {rounds, "rounds", false, "", 1, 65536, 0, 0, 0, "",
     "Rounds of one launch, each on memory of its own. Default: as many as make a launch worth its cost and fit in "
     "memory."},
    {schedule, "schedule", false, "fused|split", 0, 1, 0, 1, 0.5, "",
     "fused: every invocation plays every role, each of another instance. split: a workgroup, subgroup or lane plays "
     "one role, so "
     "that no foreign access stands between those of a role. Tests with loops are always split."},
    {rotate, "rotate", false, "off|on", 0, 1, 0, 1, 0.5, "", "Subgroups begin with different roles (fused)."},
    {shuffle, "shuffle", false, "off|on", 0, 1, 0, 1, 0.9, "",
     "Thread shuffle: workgroups, subgroups, lanes and instances in memory are permuted."},
    {ticket, "ticket", false, "off|on", 0, 1, 0, 0, 0.5, "",
     "The workgroups that start first become the testing ones. Always on where workgroups may run one after another."},
    {align, "align", false, "off|on", 0, 1, 0, 1, 0.9, "",
     "Synchronisation: testing workgroups wait for each other, with relaxed accesses and a limit, before batches of "
     "rounds. Waits "
     "that meet the limit are counted."},
    {align_every, "align-every", true, "", 1, 65536, 1, 64, 0, "rounds", "Rounds of a batch."},
    {align_limit, "align-limit", false, "", 1, 1u << 30, 0, 0, 0, "polls",
     "How often a wait looks before it gives up. After eight waits that gave up, a workgroup looks once only. Default: "
     "4096, and more "
     "where processors run the workgroups."},
    {delay, "delay", false, "", 0, 100000, 0, 0, 0, "ns",
     "Each subgroup pauses up to this long before each round, differently in each round."},
    {churn, "churn", false, "", 0, 1000, 0, 0, 0, "workgroups", "Further workgroups that end at once."},
    {stride, "stride", true, "", 1, 4096, 1, 64, 0, "words", "Distance of one location's instances in memory."},
    {layout, "layout", false, "apart|together", 0, 1, 0, 1, 0.5, "",
     "apart: each location has a region. together: the locations of one instance index are neighbours (before the "
     "shuffle)."},
    {offset, "offset", false, "", 0, 63, 0, 15, 0, "words",
     "Up to where in its cache line a region starts; drawn for each location."},
    {xy_stride, "xy-stride", true, "", 1, 4096, 1, 256, 0, "words",
     "x-y stride: further distance between the regions of two locations."},
    {dummy_pattern, "dummy-pattern", false, "parallel|broadcast|conflict|mixed", 0, 3, 3, 3, 0, "",
     "Mode warp, general bank conflicts: where the other lanes of a testing subgroup access. broadcast is for loads "
     "only; "
     "mixed draws for each access and round."},
    {spin_limit, "spin-limit", false, "", 1, 1u << 30, 1024, 1024, 0, "iterations",
     "How often the loops of a role may run in all; an instance that needs more is counted as incomplete."},
    {stress, "stress", false, "off|on", 0, 1, 0, 1, 0.9, "", "Memory stress by workgroups that do not test."},
    {stress_groups, "stress-groups", false, "", 0, 65535, 1, 64, 0, "workgroups",
     "Stressing workgroups; fewer where they would not fit on the device."},
    {stress_iterations, "stress-iterations", false, "", 1, 1u << 20, 16, 1024, 0, "",
     "Iterations of a stressing invocation; it ends before when the tests have."},
    {stress_pattern, "stress-pattern", false, "store-store|store-load|load-store|load-load", 0, 3, 0, 3, 0, "",
     "The two accesses of an iteration."},
    {stress_line, "stress-line", true, "", 1, 1024, 4, 1024, 0, "words", "Size of a stressed line (2020: patch size)."},
    {stress_targets, "stress-targets", false, "", 1, 16, 1, 16, 0, "lines",
     "Number of stressed lines (2020: target number)."},
    {stress_assignment, "stress-assignment", false, "round-robin|chunk", 0, 1, 0, 1, 0.5, "",
     "Which workgroups stress which line: in turn, or neighbours the same."},
    {stress_spread, "stress-spread", false, "word|lanes", 0, 1, 0, 1, 0.5, "",
     "All lanes of a stressing workgroup access one word, or consecutive words from there."},
    {pre_stress, "pre-stress", false, "off|on", 0, 1, 0, 1, 0.5, "",
     "Testing subgroups stress memory before each batch."},
    {pre_stress_pattern, "pre-stress-pattern", false, "store-store|store-load|load-store|load-load", 0, 3, 0, 3, 0, "",
     "Its two accesses."},
    {pre_stress_iterations, "pre-stress-iterations", false, "", 1, 1u << 16, 1, 128, 0, "", "Its iterations."},
    {touch, "touch", false, "off|all|mixed", 0, 2, 0, 2, 0, "",
     "Before each round, invocations load a word beside each location that they are about to access, so that its line "
     "is in their cache. mixed draws for each subgroup, location and round: some accesses then hit and others miss."},
    {stress_word, "stress-word", false, k_stress_words, 0, 62, 0, 0, 0, "",
     "The accesses of an iteration as a word of up to five loads and stores (the sequences of the 2016 study), in "
     "place "
     "of the two of stress-pattern."},
    {cluster, "cluster", true, "", 1, 16, 0, 0, 0, "workgroups",
     "Workgroups of a cluster, on devices that have clusters. Default: as few as hold the threads of a test that names "
     "clusters, and none for others. Threads of one cluster of the test are in one, those of two, or of none, in two."},
    {home, "home", false, "", 0, 0xffffffffu, 0, 0, 0, "",
     "On several devices, in whose memory each location lies, in the order of the test's locations: gpu0, gpu1, ..., "
     "host, or any, joined by dots (gpu1.gpu0). any, and locations that are not named: drawn among the memories that "
     "all "
     "threads of the location can access as they do."},
}};

constexpr bool in_order() {
  for (size_t i = 0; i < k_parameters; ++i)
    if (static_cast<size_t>(k_table[i].id) != i) return false;
  return true;
}
static_assert(in_order());

std::vector<std::string> words_of(const ParameterInfo& i) {
  std::vector<std::string> out;
  std::string_view rest = i.words;
  while (!rest.empty()) {
    const size_t at = rest.find('|');
    out.emplace_back(rest.substr(0, at));
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  }
  return out;
}

constexpr const char* k_home_range = "gpu0 to gpu13, host, any, joined by dots";

std::optional<uint32_t> parse_homes(std::string_view text) {
  uint32_t out = 0;
  for (uint32_t o = 0;; ++o) {
    const size_t dot = text.find('.');
    const std::string_view word = text.substr(0, dot);
    uint32_t value = k_home_any;
    if (word == "host") {
      value = k_home_host;
    } else if (word != "any") {
      uint32_t n = 0;
      if (!word.starts_with("gpu")) return std::nullopt;
      const auto [end, failed] = std::from_chars(word.data() + 3, word.data() + word.size(), n);
      if (failed != std::errc{} || end != word.data() + word.size() || n >= k_most_devices) return std::nullopt;
      value = n + 1;
    }
    if (o >= k_most_homes) return std::nullopt;
    out |= value << (4 * o);
    if (dot == std::string_view::npos) return out;
    text.remove_prefix(dot + 1);
  }
}

std::string range_of(const ParameterInfo& i) {
  if (i.id == home) return k_home_range;
  if (i.id == stress_word) return "none, l, s, ll, ls, ..., sssss";
  if (*i.words != 0) return fmt::format("{}", fmt::join(words_of(i), ", "));
  return fmt::format("{}{} to {}{}{}", i.power_of_two ? "powers of two, " : "", i.least, i.most,
                     *i.unit != 0 ? " " : "", i.unit);
}

std::string value_text(const ParameterInfo& i, uint32_t value) {
  if (i.id == home) return home_text(value);
  return *i.words != 0 ? words_of(i)[value] : std::to_string(value);
}

Expected<uint32_t> parse_value(const ParameterInfo& i, std::string_view text) {
  if (i.id == home) {
    if (const auto homes = parse_homes(text)) return *homes;
    return error_at({}, fmt::format("'{}' is not a value for parameter {}", text, i.name),
                    fmt::format("it takes {}", range_of(i)));
  }
  const auto words = words_of(i);
  if (const auto found = std::find(words.begin(), words.end(), text); found != words.end())
    return static_cast<uint32_t>(found - words.begin());
  uint32_t n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  const bool number = failed == std::errc{} && end == text.data() + text.size();
  if (number && n >= i.least && n <= i.most && (!i.power_of_two || std::has_single_bit(n))) return n;
  return error_at({}, fmt::format("'{}' is not a value for parameter {}", text, i.name),
                  fmt::format("it takes {}", range_of(i)));
}

Expected<void> set_one(Parameters& p, std::string_view text) {
  const size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  std::vector<std::string> names;
  for (const ParameterInfo& i : k_table) names.emplace_back(i.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::string near = nearest(name, names);
    return error_at({}, fmt::format("'{}' is not a parameter of a run", name),
                    near.empty() ? fmt::format("the parameters are {}", fmt::join(names, ", "))
                                 : fmt::format("did you mean '{}'?", near));
  }
  const ParameterInfo& i = k_table[static_cast<size_t>(found - names.begin())];
  if (equals == std::string_view::npos)
    return error_at({}, fmt::format("parameter {} needs a value", name),
                    fmt::format("{}=VALUE or {}=FROM..TO", name, name));
  const std::string_view value = text.substr(equals + 1);
  const size_t dots = value.find("..");
  const auto from = parse_value(i, value.substr(0, dots));
  if (!from) return std::unexpected(from.error());
  const auto to = dots == std::string_view::npos ? from : parse_value(i, value.substr(dots + 2));
  if (!to) return std::unexpected(to.error());
  if (i.id == home && *from != *to)
    return error_at({}, "parameter home has no ranges", "a memory that is not named is drawn");
  if (*from > *to)
    return error_at({}, fmt::format("the range {} of parameter {} is empty", value, name),
                    "the smaller value comes first");
  p.wishes[static_cast<size_t>(i.id)] = Wish{*from, *to};
  return {};
}

}  // namespace

std::span<const ParameterInfo> parameter_table() { return k_table; }
const ParameterInfo& info(ParameterId id) { return k_table[static_cast<size_t>(id)]; }

Expected<void> set_parameters(Parameters& p, std::string_view text) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    if (const auto ok = set_one(p, text.substr(0, comma)); !ok) return ok;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return {};
}

std::string home_text(uint32_t homes) {
  std::string out;
  for (uint32_t o = 0; o < k_most_homes; ++o) {
    const uint32_t h = home_of(homes, o);
    if (o > 0 && homes >> (4 * o) == 0) break;
    out += fmt::format("{}{}", o == 0 ? "" : ".",
                       h == k_home_any    ? "any"
                       : h == k_home_host ? "host"
                                          : fmt::format("gpu{}", h - 1));
  }
  return out;
}

uint32_t draw_parameter(const ParameterInfo& i, const Wish& w, Rng& rng) {
  if (w.from >= w.to) return w.from;
  if (w.from == 0 && w.to == 1 && i.chance > 0) return rng.chance(i.chance) ? 1 : 0;
  if (!i.power_of_two) return w.from + static_cast<uint32_t>(rng.below(uint64_t{w.to} - w.from + 1));
  const auto low = static_cast<uint32_t>(std::bit_width(w.from)) - 1,
             high = static_cast<uint32_t>(std::bit_width(w.to)) - 1;
  return uint32_t{1} << (low + rng.below(high - low + 1));
}

std::string to_string(const Drawn& d) {
  std::string out;
  for (const ParameterInfo& i : k_table) {
    if (i.id == cluster && of(d, cluster) <= 1) continue;
    if (i.id == home && of(d, home) == 0) continue;
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", i.name, value_text(i, of(d, i.id)));
  }
  return out;
}

std::string to_string(const Parameters& p) {
  std::string out;
  for (const ParameterInfo& i : k_table)
    if (const auto& w = p.wishes[static_cast<size_t>(i.id)]) {
      out += fmt::format("{}{}={}", out.empty() ? "" : ",", i.name, value_text(i, w->from));
      if (w->to != w->from) out += ".." + value_text(i, w->to);
    }
  return out;
}

std::string parameters_markdown() {
  std::string out = "| parameter | values | drawn from | meaning |\n|---|---|---|---|\n";
  for (const ParameterInfo& i : k_table) {
    std::string wish = "see there";
    if (i.to != 0 || *i.words != 0) {
      wish = i.from == i.to ? value_text(i, i.from) : fmt::format("{}..{}", value_text(i, i.from), value_text(i, i.to));
      if (i.from == 0 && i.to == 1 && i.chance > 0) wish += fmt::format(" ({}: {:g})", value_text(i, 1), i.chance);
    }
    if (i.id == delay || i.id == churn) wish = "0";
    if (i.id == home) wish = "any";
    out += fmt::format("| `{}` | {} | {} | {} |\n", i.name, range_of(i), wish, i.help);
  }
  return out;
}

}  // namespace fencepost::plan
