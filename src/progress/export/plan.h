#pragma once
// What the printers of this room share: a test with its numbers settled (Plan), and the parts of a source that read the
// same in every C-like language: the role arithmetic, the hybrid's permutation, the threads' loops. Private to the
// room.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "axb/test.h"
#include "export/export.h"
#include "export/mapping.h"

namespace fencepost::exports {

struct Plan {
  const axb::Test* test = nullptr;
  std::string name;   // of the kernel
  std::string title;  // the test's name for comments
  Layout layout;
  uint32_t instances = 1;
  uint32_t words = 1;  // of one location over all instances, padding included
  uint32_t padding = 1;
  std::vector<std::string> locations;  // as identifiers: "loc_x"
};

struct Dialect {
  std::string_view uint = "uint";  // the 32-bit unsigned type
  std::string_view function = "";  // before a function's type: "static "
  std::string_view index = "";     // after a location's name: "[at]" where a location is an array, "" where a pointer
  bool instance = false;           // `instance` is wanted in the plain mapping too, where it is 0
  // Further condition of the loops, " && !stopped(stop)"; each loop then sets `ended`.
  std::string_view going = "";
};

std::string one_line(std::string_view text);  // safe inside a // comment

// "// " lines: the test, the mapping, the launch; without build instructions.
std::string heading(const std::vector<Plan>& plans, const Options& options);
std::string description(const Plan& plan);  // the same of one test, before its kernel: its code as a person reads it

// Two functions `hybrid_slot` and `hybrid_id`; empty for other mappings.
std::string hybrid_functions(const Options& options, const Dialect& dialect);

// Statements from `gid` to `thread`, `instance` and `takes_part`, each line indented by two.
std::string role(const Plan& plan, const Dialect& dialect);

// "memory + 21844u + instance * 2u": the word of a location of `instance` where all locations share one array.
std::string word_of(const Plan& plan, size_t location);
std::vector<bool> used_locations(const axb::Test& test);

// Per thread: if (thread == k) { while ... switch ... }, with calls exchange(location, value) and fetch(location).
std::string threads(const Plan& plan, const Dialect& dialect, int indent);

// ---- printers ----------------------------------------------------------------------------------------------------
std::string print_cpp(const std::vector<Plan>& plans, const Options& options);
std::string print_cuda(const std::vector<Plan>& plans, const Options& options);
std::string print_opencl(const std::vector<Plan>& plans, const Options& options);
std::string print_opencl_runner(const Options& options);  // progress_runner.c, the same for all tests
std::string print_glsl(const Plan& plan, const Options& options);
std::string print_amber(const Plan& plan, const Options& options);
std::string print_metal(const std::vector<Plan>& plans, const Options& options);
Expected<std::string> print_litmus(const axb::Test& test, const Options& options);

}  // namespace fencepost::exports
