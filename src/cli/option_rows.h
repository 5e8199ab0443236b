#pragma once
// What the tables of options are written with: the verbs that take an option as masks, and where its value goes.
#include <type_traits>

#include "cli/options.h"

namespace fencepost::cli {

constexpr uint64_t bit(Verb v) { return uint64_t{1} << static_cast<uint32_t>(v); }
inline constexpr uint64_t k_check = bit(Verb::check), k_outcomes = bit(Verb::outcomes), k_explain = bit(Verb::explain),
                          k_diff = bit(Verb::diff_models), k_refine = bit(Verb::refine), k_lint = bit(Verb::lint_model),
                          k_expect = bit(Verb::expect), k_models = bit(Verb::models);
inline constexpr uint64_t k_p_check = bit(Verb::progress_check), k_p_lts = bit(Verb::progress_lts),
                          k_p_classify = bit(Verb::progress_classify), k_p_compare = bit(Verb::progress_compare),
                          k_p_expect = bit(Verb::progress_expect), k_p_synth = bit(Verb::progress_synth),
                          k_p_account = bit(Verb::progress_account), k_p_export = bit(Verb::progress_export),
                          k_p_print = bit(Verb::progress_print), k_p_models = bit(Verb::progress_models),
                          k_p_run = bit(Verb::progress_run);
inline constexpr uint64_t k_relax = bit(Verb::relax), k_lower = bit(Verb::lower), k_emit = bit(Verb::emit),
                          k_gen = bit(Verb::gen), k_suite = bit(Verb::suite), k_run = bit(Verb::run),
                          k_devices = bit(Verb::devices);
inline constexpr uint64_t k_campaign = bit(Verb::campaign), k_certify = bit(Verb::certify), k_merge = bit(Verb::merge),
                          k_judge = bit(Verb::judge), k_stats = bit(Verb::stats), k_tune = bit(Verb::tune),
                          k_report = bit(Verb::report), k_hunt = bit(Verb::hunt),
                          k_hunt_report = bit(Verb::hunt_report), k_serve = bit(Verb::serve),
                          k_audit = bit(Verb::audit);
// Verbs whose --output has a meaning of its own: a folder, or a file whose ending picks the form.
inline constexpr uint64_t k_own_output = k_tune | k_relax | k_lower | k_p_lts | k_p_synth | k_p_export | k_emit |
                                         k_gen | k_suite | k_certify | k_judge | k_report | k_stats | k_hunt_report |
                                         k_audit;
// Every verb but those whose options are read elsewhere, or that answer questions one by one.
inline constexpr uint64_t k_every = ((uint64_t{1} << static_cast<uint32_t>(Verb::count_)) - 1) &
                                    ~(bit(Verb::prove) | bit(Verb::help_markdown) | k_serve);
inline constexpr uint64_t k_launch = k_check | k_outcomes | k_explain | k_relax | bit(Verb::print);
inline constexpr uint64_t k_deciding = k_check | k_outcomes | k_explain | k_diff | k_refine;

std::vector<std::string> split(std::string_view text, char separator);

// Where most values go: a member of Settings, whose type says which part of the value it takes.
template <auto Member>
Expected<void> put(Settings& s, const Value& v) {
  auto& to = s.*Member;
  using T = std::remove_reference_t<decltype(to)>;
  if constexpr (std::is_same_v<T, bool>)
    to = true;
  else if constexpr (std::is_same_v<T, double>)
    to = v.time;
  else if constexpr (std::is_integral_v<T>)
    to = static_cast<T>(v.number);
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    to = split(v.text, ',');
  else
    to = v.text;
  return {};
}

// The rows, one table for each part of the program; help lists them in this order.
std::span<const OptionInfo> check_options();
std::span<const OptionInfo> progress_options();
std::span<const OptionInfo> device_options();
std::span<const OptionInfo> gen_options();
std::span<const OptionInfo> tune_options();
std::span<const OptionInfo> hunt_options();

}  // namespace fencepost::cli
