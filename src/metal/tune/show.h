#pragma once
// Results of tuning for people (text), programs (JSON, schema fencepost.tune/1), and campaign plans (TOML).
#include <string>
#include <vector>

#include "tune/conduct.h"
#include "tune/replay.h"

namespace fencepost::tune {

std::string to_text(const Task& task, const Report& r);
std::string to_json(const Task& task, const Report& r);
// [[configuration]] tables for a plan: each winner for the tests of its name ("MP", "MP+*", "MP@*", ...).
std::string to_plan(const Task& task, const Report& r);

std::string to_text(const std::vector<Replayed>& r, uint32_t repeats);
std::string to_json(const std::vector<Replayed>& r, uint32_t repeats);

}  // namespace fencepost::tune
