#pragma once
// What `prove` is asked: the launch, what is checked, how. One table makes the parser, --help and the manual; the lines
// at the top of test files are parsed by the same parser, so a kernel says about itself what one would type.
//
// Names and meanings of the options follow the reference tool's manual, so that its scripts and its suite run as they
// are: an option may be shortened to any beginning that no other option shares, `--name=value` and `--name value` are
// the same, and sizes are "64", "64,4" or "[64,4,2]" with "*" for a size that is not fixed. Options of the reference
// that steer its own machinery (--solver, --keep-temps ...) are accepted and named in `ignored`.
//
// Input: words. Output: Options, or diagnostics (bad_input) that name the option and what it may be.
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "ir/ir.h"

namespace fencepost::launch {

using Size = std::optional<uint64_t>;  // none: any size of at least 1 ("*")

// The launch: `dimensions` entries of each that was given, x first. Entries behind them are 1 (offsets: 0).
struct Launch {
  std::vector<Size> local_size;   // work items of a group, threads of a block; empty: not given
  std::vector<Size> num_groups;   // groups of the grid; made of global_size where that was given
  std::vector<Size> global_size;  // as given; empty: num_groups was given
  std::vector<uint64_t> global_offset;
  uint32_t dimensions() const {
    return static_cast<uint32_t>(local_size.size() > num_groups.size() ? local_size.size() : num_groups.size());
  }
  Size local(uint32_t d) const { return d < local_size.size() ? local_size[d] : Size{1}; }
  Size groups(uint32_t d) const { return d < num_groups.size() ? num_groups[d] : Size{1}; }
  uint64_t offset(uint32_t d) const { return d < global_offset.size() ? global_offset[d] : 0; }
  friend bool operator==(const Launch&, const Launch&) = default;
};

// --kernel-args=K,v1,...: the scalar parameters of kernel K in order; none: any value. A number below 0 has its 64
// bits, of which a parameter takes as many as it has.
// --kernel-arrays=K,s1,...: the sizes of its arrays in bytes; none: any size.
struct Arguments {
  std::string kernel;
  std::vector<Size> values;
  std::vector<uint32_t> null = {};  // parameters of the source to which the host gives a null pointer
  friend bool operator==(const Arguments&, const Arguments&) = default;
};

enum class Abstraction : uint8_t { automatic, adversarial, equality };
enum class Annotations : uint8_t { all, none, only_requires };
enum class WarpMethod : uint8_t { automatic, resync, two_pass, both };
enum class Atomics : uint8_t { refined, coarse };
// What is taken for granted of the machine and of the caller. `standard`: 64-bit addresses in CUDA, sub-groups of any
// size in OpenCL, pointers that a kernel tests may be null, and an address is a multiple of what the element asks for.
// `gpuverify`: as the reference has it: 32-bit addresses, sub-groups of 32, pointers that are neither null nor
// misaligned, functions without a body that touch no memory.
enum class Profile : uint8_t { standard, gpuverify };
inline constexpr uint32_t k_cuda_arch = 700, k_toolkit_arch = 900;
// By what rules threads see each other's accesses. `cuda`: CUDA's guide, whose last block reads what others wrote
// behind a barrier alone; `ptx`: the document of PTX, which asks for a fence; `opencl`: OpenCL's.
enum class Model : uint8_t { by_dialect, cuda, ptx, opencl };
enum class Form : uint8_t { text, json, sarif, html };

struct Options {
  // ---- the input
  std::optional<ir::Dialect> dialect;  // none: by the file's ending, then by its words
  std::vector<std::string> defines, include_folders, clang_arguments;
  std::string standard;
  Model model = Model::by_dialect;
  Profile profile = Profile::standard;
  bool strict = false;                     // a proof that rests on an assumption is none
  uint32_t pointer_bits = 0;               // 0: the profile's; settle() fills it in
  std::optional<uint32_t> cuda_arch;       // __CUDA_ARCH__; none: see cuda_arch_of()
  std::string cuda_path;                   // a toolkit whose headers are read; "": our own. settle() resolves it
  uint32_t cuda_version = 0;               // 12090; settle() reads it from the toolkit
  std::optional<uint32_t> sub_group_size;  // OpenCL; none: any, but 32 in the profile gpuverify
  Launch launch;
  std::vector<Arguments> kernel_args, kernel_arrays;
  std::string entry;  // only this kernel; "": all
  // ---- what is checked
  bool check_array_bounds = false;
  bool benign_races = true;  // writes of equal values are no race
  bool only_divergence = false;
  bool only_intra_group = false;
  bool only_log = false;
  std::vector<std::string> check_arrays;  // races only on these; empty: on all
  // ---- how
  Abstraction abstraction = Abstraction::automatic;
  Atomics atomics = Atomics::refined;
  std::optional<uint32_t> warp_size;  // --warp-sync=N: threads of a warp go in lock-step
  bool volta = false;                 // --warp-sync=volta: only warp barriers synchronise
  WarpMethod warp_method = WarpMethod::automatic;
  bool check_warp_divergence = false;
  Annotations annotations = Annotations::all;
  bool invariants_as_candidates = false;
  bool barrier_access_checks = true;
  bool asymmetric_asserts = false;
  bool inline_calls = true;
  bool infer = true;
  bool attack = true;                    // run the kernel before it is called verified
  uint32_t k_induction_depth = 0;        // 0: off
  std::optional<uint32_t> loop_unwind;   // bug finding: at most so many loop heads on a path; never `verified`
  std::vector<std::string> axiom_files;  // --boogie-file
  std::string second_opinion;            // z3, cvc5, bitwuzla: is asked again what was asked; "": no one
  std::string smt_dump;                  // a folder for all questions
  double timeout = 300;                  // seconds for one kernel; in a suite, of processor time for one file; 0: none
  double budget = 0;                     // seconds of wall time for all; 0: none
  // Set when the time is spent, where that is not wall time (a file of a suite); null: wall time alone.
  const std::atomic<bool>* spent = nullptr;
  uint64_t seed = 1;
  uint32_t jobs = 0;  // 0: one per processor
  // ---- what is said
  Form form = Form::text;
  std::string output;        // "": standard output
  uint32_t error_limit = 0;  // 0: none
  bool verbose = false, silent = false, time = false, debug = false, infer_info = false;
  bool trace = false;      // base/trace.h, room `prove`
  std::string time_label;  // --time-as-csv
  bool print_ir = false;
  bool compat = false;  // the reference's wording and its verdicts where we know better
  std::vector<std::string> vcgen_options, cruncher_options, boogie_options;  // as given; what is known of them is above
  // ---- many files
  std::string suite;           // --suite DIR
  bool list_failures = false;  // --suite: also say why
  std::string table;           // --suite: a line for each file goes here; JSON by its ending
  std::string compare, plot;   // an earlier table, and where the picture of both goes
  enum class Again : uint8_t { no, stripped, groups_16, local_16, any_size } again = Again::no;  // --suite: run twice
  bool mutants = false;  // break verified kernels, and see
  // ---- what was found on the line beside options
  std::vector<std::string> files;
  std::vector<std::string> ignored;  // accepted, without effect here
  bool help = false, version = false;
};

inline uint32_t cuda_arch_of(const Options& o) {
  return o.cuda_arch.value_or(o.cuda_path.empty() ? k_cuda_arch : k_toolkit_arch);
}

// `line`: where the words come from, for places in messages; its text may be anything that holds the words in order
// (a Source without text: messages have no place).
// `permit`: what is wrong with this option and value where these words come from, "" if nothing; words that are no
// options, and "--", are asked as values of an option without a name. None: all are permitted, as on the command line.
// An option whose help does not end with "May be repeated." takes one value, and two different ones are an error; but a
// value among the words from index `own` on (the command line) replaces one before them (a header line).
struct OptionInfo;
using Permit = std::function<std::string(const OptionInfo&, const std::string& value)>;
Expected<Options> parse(const std::vector<std::string>& words, const SourcePtr& line = nullptr,
                        const Permit& permit = nullptr, size_t own = 0);
// What must hold before a kernel is looked at: sizes are given, positive, of at most three dimensions and fit together;
// the dialect is known. CUDA may lack sizes: the file has them. Fills num_groups, from global_size, and dialect.
Expected<void> settle(Options& options, const Source& file);

// ---- the table -----------------------------------------------------------------------------------------------
struct OptionInfo {
  const char* name;     // "--local_size"
  const char* metavar;  // ""; a flag
  const char* preset;   // "" for none
  const char* group;    // a heading of the help text
  const char* help;
};
std::span<const OptionInfo> option_table();
std::string help();      // of the verb
std::string markdown();  // the same for the manual

}  // namespace fencepost::launch
