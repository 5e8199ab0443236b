#pragma once
// Progress tests as stand-alone sources that a person can read, build and run without us: CUDA, OpenCL C, GLSL for
// Vulkan, Amber scripts, Metal, C++ threads; and as litmus files. docs/progress-export.md is the user's page.
//
// Input: valid tests (axb::validate) and Options. Output: files as values, names relative to the folder that the caller
// chooses; same input, same bytes. Nothing is written to disk here.
//
// What every source does. N invocations are launched (Options::total). The mapping (mapping.h) gives T of them per
// instance a role; a role runs its thread as "while (pc != end) switch (pc)", one atomic per instruction, as the test
// says. Every invocation, with or without a role, then adds 1 to a counter: counter == N iff all ended. Every location
// of every instance is a word of its own, Options::padding words from the next, and starts with the test's initial
// value. Stores are exchanges, so that every instruction is one atomic. Loads are fetch-and-add of 0 or, with
// Loads::load, loads.
//
// Programs (cpp, cuda, opencl) end with 0 when every run of every test had counter == N, with 1 when one timed out or
// counted wrong, with 2 when used wrongly or without a device. Their watchdog is the host: C++ sets a flag that the
// loops read, CUDA and OpenCL run in a child process that is left behind. Options::watchdog adds a flag to the loops of
// CUDA kernels.
//
// Errors: bad_input for a total that is too small or too large, or not a multiple of the workgroup; unsupported where a
// target has no such thing (seq_cst in Vulkan, orders other than relaxed in Metal, a bundle of GLSL).
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axb/test.h"
#include "base/diagnostic.h"
#include "export/mapping.h"

namespace fencepost::exports {

enum class Target { litmus_ptx, litmus_vulkan, litmus_opencl, cuda, opencl, glsl, amber, metal, cpp };
enum class Order { relaxed, acq_rel, seq_cst };
enum class Loads { add, load };

std::string_view to_string(Target t);  // "litmus-ptx"
std::string_view to_string(Order o);
std::string_view to_string(Loads l);
std::optional<Target> target_from(std::string_view name);
std::optional<Order> order_from(std::string_view name);
std::optional<Loads> loads_from(std::string_view name);
const std::vector<std::string>& target_names();  // for help and hints, in the order of the enumeration
const std::vector<std::string>& order_names();
const std::vector<std::string>& loads_names();

// What the published campaign launched: the largest multiple of 12 below the smallest limit on workgroups, 65,535.
inline constexpr uint32_t k_published_total = 65532;
inline constexpr uint32_t k_max_cpu_threads = 16384;

struct Options {
  Target target = Target::cpp;
  Mapping mapping = Mapping::plain;
  uint32_t total = 0;  // launched invocations; 0: 65,532, for cpp the first multiple of T from 6 on
  uint64_t seed = 1;   // of the hybrid mapping
  Order order = Order::relaxed;
  Loads loads = Loads::add;
  uint32_t workgroup = 1;  // invocations per workgroup (block, threadgroup); cpp ignores it
  uint32_t padding = 1;    // distance of locations, in words of 32 bits
  uint32_t runs = 20;      // default of the program's argument of that name
  uint32_t time_out = 20;  // seconds per run, likewise
  bool watchdog = false;   // cuda: the loops read a stop flag (one more load per step)
  std::string bundle;      // not empty: one source of this name (a word) for all tests; cpp, cuda, opencl, metal
};

struct File {
  std::string name;  // "round_robin_2t3i_22.cu"
  std::string text;
  bool operator==(const File&) const = default;
};

// All files of an export, shared ones (the OpenCL runner) once. Litmus files hold one instance and no launch: a mapping
// other than plain is an error there, and total, padding and workgroup do not matter.
Expected<std::vector<File>> export_files(std::span<const axb::Test> tests, const Options& options);

// The name of a test inside the sources: "round_robin_2t3i_22"; an identifier in every target.
std::string kernel_name(const axb::Test& test, Mapping mapping, size_t index);

}  // namespace fencepost::exports
