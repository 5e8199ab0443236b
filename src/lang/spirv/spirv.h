#pragma once
// SPIR-V -> prog::Test, for the Vulkan and the OpenCL memory model. Input: a module as text (assembly as
// SPIRV-Tools writes it) or as binary (either byte order). What is read, how storage classes and semantics become
// tags, and what is refused: docs/spirv.md.
//
// A module says nothing of the launch, the initial memory and the question. They come from comments before the code
//   ; @Config: T, S, W[, Q[, D]]     ; @Input: %id = value     ; @Output: exists|not exists|forall C     ; @Filter: C
// or from LaunchOptions, which go first. Every invocation becomes a thread with a template of its own, in which the
// built-in ids are constants; equal templates are shared.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "prog/names.h"

namespace fencepost::spirv {

// Invocations of a launch. A count in more than one dimension: workgroups only ("4.1.2x2x1").
struct Grid {
  uint32_t subgroup = 1;               // invocations of a subgroup
  uint32_t subgroups = 1;              // subgroups of a workgroup
  uint32_t workgroups[3] = {1, 1, 1};  // of a queue family, by dimension
  uint32_t queue_families = 1;         // of a device
  uint32_t devices = 1;
  bool operator==(const Grid&) const = default;

  uint32_t workgroup_size() const { return subgroup * subgroups; }
  uint32_t workgroup_count() const { return workgroups[0] * workgroups[1] * workgroups[2]; }
  uint64_t threads() const;
};
inline constexpr uint32_t k_most_threads = 1024;

// "T.S.W[.Q[.D]]": invocations per subgroup, subgroups per workgroup, workgroups, queue families, devices.
Expected<Grid> parse_grid(std::string_view text);
std::string to_string(const Grid& g);

// What headers say, from a command line. Text is written as in a header, after the colon.
struct LaunchOptions {
  std::optional<Grid> grid;
  std::vector<std::string>
      inputs;             // "%id = value", "%id[0] = value"; a variable named here forgets what the header gives it
  std::string condition;  // "forall (%x == 1)"; not empty: replaces every @Output
  std::string filter;     // not empty: replaces @Filter
  bool zero = false;     // memory without an input starts at 0, not at an undefined value; in OpenCL global memory only
  std::string entry;     // entry point by name; empty: the only one
  bool spurious = true;  // weak compare-exchanges may fail spuriously; every reader heeds it, those of litmus tests too
  std::vector<std::string> preprocessor;  // "-DNAME=VALUE", "-IDIR": of CUDA C++; other readers have no such thing
  bool published = false;  // a row of a table: its header may give a value to an id that the module has lost
};

// Does this text or binary look like SPIR-V? (magic number, or assembly)
bool is_spirv(std::string_view bytes);

Expected<prog::Test> parse_spirv(const SourcePtr& source, const LaunchOptions& options = {});

// A type of the compiled text, as far as a question needs it: a scalar, a list of one type, or members.
struct SourceType {
  bool is_list = false, is_unsigned = false;
  uint32_t bits = 0;              // scalar
  uint64_t offset = 0;            // member: bits from the beginning of its structure
  std::string name;               // of a member; "": it has none
  std::string spelled;            // scalar: "signed char"
  std::vector<SourceType> parts;  // list: the one type; structure: its members; scalar: none
};

// A module that a compiler made of a text which the user has (GLSL, OpenCL C). Places in messages and of instructions
// are places of that text, headers are its comments "// @Config: ..." wherever they stand, and questions and inputs
// name its variables; "%id" stays an id of the module.
struct Compiled {
  SourcePtr source;    // the user's text
  std::string module;  // assembly or binary
  std::string file;    // what OpLine calls the text
  struct Variable {
    std::string id;              // "%_"
    std::vector<uint64_t> path;  // members
  };
  std::map<std::string, Variable> variables;  // "lock" of a block without an instance name, "b.lock", "tile"
  std::vector<std::string> own;               // names of what each invocation has for itself
  std::vector<std::string> headers;           // further headers, which the compiler's caller reads: "Define"
  std::map<std::string, SourceType> types;    // by id, where the module itself does not tell signs
};
Expected<prog::Test> parse_compiled(const Compiled& compiled, const LaunchOptions& options = {});

}  // namespace fencepost::spirv
