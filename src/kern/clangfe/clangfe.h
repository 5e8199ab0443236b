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
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "ir/ir.h"

namespace fencepost::clangfe {

struct Options {
  ir::Dialect dialect = ir::Dialect::opencl;
  uint32_t pointer_bits = 32;        // size_t and addresses; 32 or 64
  uint32_t cuda_arch = 700;          // __CUDA_ARCH__
  std::vector<std::string> defines;  // "N" or "N=3"
  std::vector<std::string> include_folders;
  std::vector<std::string> clang_arguments;  // further arguments of clang's front end (cc1)
  std::string standard;                      // "": OpenCL C 1.2, or 2.0 or 3.0 where the text needs it; C++17
  bool inline_calls = true;                  // functions with a body are put in the place of their calls, unless they
                                             // recur or have contracts; false: they stay functions
  enum Annotations { all, none, only_requires } annotations = all;
  bool invariants_as_candidates = false;
  bool straight_invariants = false;  // refuse && and || in loop invariants, as the reference does
};

// False in a program that was built without LLVM: then compile() says so (unsupported).
bool available();
std::string version();  // "clang 19.1.7"; "" when not available

// `file`: its name as the user wrote it; the name's folder is searched for includes.
Expected<ir::Module> compile(const SourcePtr& file, const Options& options);

}  // namespace fencepost::clangfe
