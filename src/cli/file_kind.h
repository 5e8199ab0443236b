#pragma once
// What a file is, by its first lines and its ending, and which commands ask something of it: for those who give a file
// and no verb, or a verb that cannot read it. Nothing is decided by this: every reader looks for itself.
#include <cstdint>
#include <string>
#include <vector>

namespace fencepost::cli {

enum class FileKind : uint8_t {
  unknown,  // also: not there, no regular file
  litmus,
  shader,  // GLSL, SPIR-V
  opencl_kernel,
  cuda_kernel,
  ptx_module,
  model,
  progress_test,
  progress_model,
  plan,
  mapping,
  store,
  table,   // of expected verdicts or of results
  record,  // of machine code
};
const char* name(FileKind k);  // "an OpenCL C kernel"

FileKind kind_of_file(const std::string& path);
// Endings of the files that are programs by themselves, which `check` takes out of a folder: headers are not.
const std::vector<std::string>& program_endings();

struct WayOut {
  std::string command;  // "fencepost check FILE"
  const char* answer;   // what it says
};
// The commonest first; empty: unknown.
std::vector<WayOut> ways_out(FileKind kind, const std::string& path);
// A line for each question, for a diagnostic's hint.
std::string hint_for(FileKind kind, const std::string& path);
// Does this verb read files of that kind as its operands? True for what is not known.
bool reads(const std::string& verb, FileKind kind);

}  // namespace fencepost::cli
