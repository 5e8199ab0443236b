#pragma once
// OpenCL C and CUDA C++ source -> kernel IR (ir/ir.h), in this process: clang 19 parses and type-checks, LLVM at -O0
// with promotion of private variables to values gives SSA, `lower` takes vectors, structures and built-in functions
// apart. No toolkit and no OpenCL headers on the machine are needed; own headers (headers/*.hdr) stand in for CUDA's,
// and declare the annotations of both dialects.
//
// Input: the text of one file and how it is to be read. Output: a Module that holds the laws of ir/ir.h, or
// diagnostics: clang's own errors with their places (fault bad_input), or what we cannot express, by name and place
// (fault unsupported). Warnings of clang are in Module::warnings. Reads from the disk: files that the text includes,
// and clang's own headers in its resource folder. Laws: accesses to memory keep their number, order, width and place;
// only private scalars, vectors and structures whose address does not escape become values. No optimisation that merges
// or drops accesses runs.
//
// A CUDA file as it is published holds the host's code too, and `read` takes it so. The whole text is parsed once, as
// clang does for the device, and errors are kept instead of obeyed: an error in host code concerns no kernel. What a
// kernel reaches, its types, variables and the functions that it calls, decides whether the kernel is read: an error in
// any of it, or a name that is missing there, makes the kernel `not read`, with that error. Launches (<<<>>> and
// cudaLaunchKernel*) are found in the same tree, and the templates that they name are instantiated by clang itself.
// Tried and lost: a second parse that skips host bodies and instantiates what the first one wrote down as text. Types
// that are local to a function have no such text, and one tree tells which error lies in which instance.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "clangfe/relations.h"
#include "ir/ir.h"

namespace fencepost::clangfe {

struct Options {
  ir::Dialect dialect = ir::Dialect::opencl;
  uint32_t pointer_bits = 32;        // size_t and addresses; 32 or 64
  uint32_t cuda_arch = 700;          // __CUDA_ARCH__
  std::string cuda_path;             // CUDA: the folder of a toolkit whose headers are read; "": our own (toolkit.h)
  uint32_t cuda_version = 0;         // of these headers: 12090
  std::vector<std::string> defines;  // "N" or "N=3"
  std::vector<std::string> include_folders;
  std::vector<std::string> clang_arguments;  // further arguments of clang's front end (cc1)
  std::string standard;                      // "": OpenCL C 1.2, or 2.0 or 3.0 where the text needs it; C++17
  bool inline_calls = true;                  // functions with a body are put in the place of their calls, unless they
                                             // recur or have contracts; false: they stay functions
  enum Annotations { all, none, only_requires } annotations = all;
  bool invariants_as_candidates = false;
  bool straight_invariants = false;  // refuse && and || in loop invariants, as the reference does
  bool newer_arch = false;           // a newer __CUDA_ARCH__ is taken where the text has code for it
};

// Values of __CUDA_ARCH__ that can be read.
inline constexpr uint32_t k_cuda_archs[] = {500, 520, 530, 600, 610, 620, 700, 720, 750, 800, 860, 870, 890, 900};

using Known = std::optional<uint64_t>;  // none: the host computes it

// One place where the host launches a kernel.
inline constexpr uint32_t k_of_the_file = 0xffffffffu;
inline constexpr uint32_t k_of_a_texture = 0xfffffffeu;

// Arrays of the module that stand for all memory under textures, and under surfaces.
inline constexpr const char* k_textures = "the memory of textures";
inline constexpr const char* k_surfaces = "the memory of surfaces";

// Memory that may hold something else than 0 when the kernel starts.
struct Start {
  uint32_t parameter = k_of_the_file;  // that leads to it
  std::string variable;                // of file scope
  std::string why;                     // a sentence's second half: "the host sets it to another value at f.cu:3:4"
  bool again = false;                  // because a kernel was given it before; it is 0 if each of these puts it back:
  std::vector<std::string> others;     // besides the kernel itself, by HostKernel::symbol
};

struct HostLaunch {
  Span place;
  std::array<Known, 3> grid, block;                    // blocks, threads of a block; x first
  uint32_t grid_dimensions = 3, block_dimensions = 3;  // the others are 1 by the source; 3 also where nothing is known
  Known shared = 0;                                    // bytes of dynamic shared memory
  std::optional<bool> cooperative = false;
  std::vector<Known> arguments;  // of the kernel's parameters in order; only integers are known
  std::vector<uint32_t> null;    // parameters that are given a null pointer, by the text
  // The kernel's name stands there, and how it is launched is not known: sizes and arguments are none.
  bool named_only = false;
  // Parameters that are given pointers into one variable of the host's. k_of_the_file: an array of the device that the
  // file declares. k_of_a_texture: memory over which the host lays a texture.
  std::vector<std::pair<uint32_t, uint32_t>> one_array;
  // Parameters that are given pointers of which it is not known where the host has them from.
  std::vector<uint32_t> not_traced;
  std::vector<Start> not_zero;
  HostRelations relations;  // of the numbers that are not known
};

// What a primitive of a library asks of the blocks that call it.
struct BlockNeed {
  std::string what;  // "cub::BlockReduce<int, 64>"
  std::array<uint64_t, 3> size;
};

// Text that would be another elsewhere (conditions.h).
struct OtherText {
  std::string text;          // a sentence: "lines 3-5 are left out for __CUDA_ARCH__ 700"
  bool by_compiler = false;  // by macros of compilers, toolkits, systems; else by __CUDA_ARCH__, and then:
  bool open = false;         // nobody chose this value, and the text asks for a newer one, or by more than a comparison
  uint32_t wants = 0;        // the newer one
  bool of_resets = false;    // of host code that decides what counters hold
};
// What a proof assumes of it.
std::string assumption(const OtherText& t);

// A __global__ function, or one instance of a template.
struct HostKernel {
  std::string name;    // "reduce<float, 256>"
  std::string symbol;  // ir::Function::symbol
  Span place;
  std::optional<Diagnostic> not_read;
  std::vector<HostLaunch> launches;      // in the order of the text
  std::optional<uint64_t> most_threads;  // of a block, by __launch_bounds__
  std::vector<BlockNeed> needs;
  std::vector<OtherText> other_text;  // that it can reach, or that its launches rest on
};

struct Unit {
  ir::Module module;                                         // the kernels that were read
  std::vector<HostKernel> kernels;                           // all, in the order of the text; OpenCL: those not read
  std::vector<std::string> missing;                          // included files that are not there
  std::vector<Diagnostic> errors;                            // all that clang found, wherever it is
  uint32_t cuda_arch = 0;                                    // the value that was taken
  bool arch_given = false;                                   // by whoever asks, not by the text
  std::map<std::string, std::vector<OtherText>> other_text;  // OpenCL: of each kernel
};

// False in a program that was built without LLVM: then compile() says so (unsupported).
bool available();
std::string version();  // "clang 19.1.7"; "" when not available

// `file`: its name as the user wrote it; the name's folder is searched for includes.
// All of the text must compile.
Expected<ir::Module> compile(const SourcePtr& file, const Options& options);
// A file with its host code, if it has any. Errors: OpenCL: as compile(); CUDA: only those that leave no tree at all,
// such as a file that includes itself.
Expected<Unit> read(const SourcePtr& file, const Options& options);

}  // namespace fencepost::clangfe
