#pragma once
// A program in the languages of compilers, and in the notation of the model.
//
// A kernel has the parameters x y u v d e, which are the places, and o and w, where results of 32 and of 64 bits go
// when their thread ends. What kernel number n is called: t0, t1, ...
#include <cstdint>
#include <string>
#include <vector>

#include "translation/program.h"

namespace fencepost::translation {

enum class Language : uint8_t { nvcc, clang, llvm, opencl };  // CUDA C++ as nvcc, as clang has it; LLVM IR; OpenCL C

struct Text {
  std::string text;
  std::vector<uint32_t> lines;  // first line of each kernel, then one more than the last
};
// headers: those of libcu++ are included. Programs without the spelling `ref` do without.
Text text_of(const std::vector<Program>& programs, Language language, bool headers = true);

// One statement of a language of the C family as an expression: "atomicMin_block(x, 1u)".
std::string text_of(const Statement& s, Language language);

// A result of a program: what the source calls it ("1:r0"), and where it goes.
struct Result {
  size_t thread = 0;
  uint32_t number = 0;  // in its thread
  uint32_t bits = 32;
  uint32_t index = 0;  // in o or w
};
std::vector<Result> results_of(const Program& p);

// The program as an OPENCL litmus test, whose scoped atomics are those of CUDA C++ under other names. A volatile access
// is a plain one, as it is under the models `cuda` and `opencl`. Observed are results and what was written.
std::string litmus_of(const Program& p);

}  // namespace fencepost::translation
