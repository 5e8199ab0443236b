#pragma once
// Compilers as child processes: many programs in one file -> the assembly of each.
//
//   nvcc   CUDA C++ -> PTX         clang   CUDA C++ -> PTX, headers of a CUDA toolkit beside it
//   llc    LLVM IR -> PTX          opencl  OpenCL C -> SPIR-V, by clang and llvm-spirv
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/job.h"
#include "translation/texts.h"

namespace fencepost::translation {

// How a back end ends at a form of a statement alone, "" if it does not; by target, level and form.
struct Forms {
  std::mutex mutex;
  std::map<std::string, std::string> ends;
};

struct Compiler {
  Language language = Language::nvcc;
  std::string path;
  std::string version;     // "13.5.37"
  std::string cuda_path;   // clang: the toolkit; "": where clang looks by itself
  std::string translator;  // opencl: llvm-spirv
  std::string toolkit;     // "headers of CUDA 12.9", "" where none is named
  std::shared_ptr<Forms> forms = std::make_shared<Forms>();
  const char* name() const;
};
// `word`: "nvcc=PATH", "clang=PATH", "llc=PATH", "opencl=PATH". Errors name what is missing.
Expected<Compiler> open_compiler(const std::string& word, const std::string& cuda_path, const std::string& translator);

struct Configuration {
  Compiler compiler;
  std::string target;  // "sm_90"; "spirv64"
  uint32_t level = 3;  // of optimisation
  std::string name() const;
};

struct Compiled {
  enum class State : uint8_t {
    good,
    refused,  // the compiler says that it has no such thing, or cannot select it
    failed,   // it ended badly, or what it made lacks the kernel
    late,     // the job's time was over before the compiler ended
  } state = State::good;
  std::string message;  // why not
  std::string kernel;   // what it is called
  std::string module;   // a module with this kernel alone
};
// In the order of the programs. A program that the compiler refuses is left out and the others are compiled again. A
// back end that ends at a function costs that function, and those that have a form at which it ends alone: each form of
// the programs is asked once.
std::vector<Compiled> compile(const Configuration& c, const std::vector<Program>& programs, const Job& job = {});

// A statement that the compiler cannot compile, as a form without operands and place, and how it ends at it.
struct Respelt {
  std::string form, message;
};
// Spells `ref` what the compiler cannot compile, so that the program says something of the rest. Each form is asked
// once, alone; only clang and llc are asked.
std::vector<Respelt> respell(const Configuration& c, Program& p);

// The command that compiles `source` to `target`, for people.
std::string command_of(const Configuration& c, const std::string& source, const std::string& target);

// Modules of one kernel each, of a PTX module of many. A kernel that is not there has none.
std::vector<std::string> split_module(const std::string& ptx, const std::vector<std::string>& kernels);

}  // namespace fencepost::translation
