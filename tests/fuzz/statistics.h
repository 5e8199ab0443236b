#pragma once
// What a fuzzing run has met: proof that the agreement of the engines was worth something.
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/verdict.h"
#include "bounds/rules.h"

namespace fencepost::fuzz {

inline constexpr size_t k_models_each = 7;

// The result of one program, small enough for a pipe.
struct Record {
  uint64_t classes = 0;  // bit i: classes()[i]
  uint32_t threads = 0;
  uint32_t events = 0;
  uint32_t unread = 0;  // 1: the front end refused the program; 2: printing and parsing changed it
  uint32_t models = 0;
  int8_t condition[k_models_each] = {};  // Status, or -1: an engine gave up
  int8_t races[k_models_each] = {};
  uint32_t rules = 0;  // bit i: bounds::Rule i
  uint32_t outcome_sets = 0;
  uint32_t symmetric = 0;
  uint32_t gave_up = 0;
  uint32_t disagreements = 0;
};

class Statistics {
 public:
  void add(const Record& r);
  void add_death() { ++deaths_; }
  std::string text() const;
  // What is too rare, one sentence each: each verdict a quarter of the cases, three threads and eight events in
  // a third of the programs, each instruction class in a twentieth of them.
  std::vector<std::string> too_rare() const;
  bool clean() const { return disagreements_ == 0 && deaths_ == 0 && unread_ == 0; }

 private:
  uint64_t programs_ = 0, cases_ = 0, large_ = 0, outcome_sets_ = 0, symmetric_ = 0, gave_up_ = 0, unread_ = 0,
           disagreements_ = 0, deaths_ = 0;
  std::map<Status, uint64_t> condition_, races_;
  std::vector<uint64_t> classes_;
  std::array<uint64_t, bounds::k_rules> rules_{};
};

}  // namespace fencepost::fuzz
