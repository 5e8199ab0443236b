#include "device/cuda/assembler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/child.h"

namespace fencepost::device::cuda {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Assembling takes a fraction of a second; one that hangs is killed.
constexpr std::chrono::seconds k_limit{600};

}  // namespace

std::optional<Assembler> find_assembler() {
  Assembler out;
  if (const char* given = std::getenv("FENCEPOST_PTXAS"))
    out.program = given;
  else
    out.program = find_program("ptxas", {"/usr/local/cuda/bin"});
  if (out.program.empty() || access(out.program.c_str(), X_OK) != 0) return std::nullopt;
  const ScratchFolder folder;
  if (folder.path().empty()) return std::nullopt;
  const ChildResult said = run_child({out.program, "--version"}, folder.path() + "/log", k_limit);
  if (!said.good()) return std::nullopt;
  const std::string& text = said.output;
  const size_t at = text.find(", V");
  out.version =
      at == std::string::npos ? "unknown version" : text.substr(at + 2, text.find_first_of(" \n", at + 2) - at - 2);
  return out;
}

Assembled assemble(const Assembler& a, const std::string& ptx, uint32_t sm, const std::string& options) {
  const ScratchFolder folder;
  if (folder.path().empty()) return {{}, "no temporary folder can be made"};
  const fs::path at = folder.path(), in = at / "kernel.ptx", out = at / "kernel.cubin";
  std::ofstream(in, std::ios::binary) << ptx;
  const std::string suffixed = fmt::format("sm_{}a", sm);
  const bool specific = ptx.find(".target " + suffixed) != std::string::npos;
  std::vector<std::string> words = {a.program, "-arch=" + (specific ? suffixed : fmt::format("sm_{}", sm)),
                                    "-lineinfo"};
  if (!options.empty()) words.push_back(options);
  words.insert(words.end(), {in.string(), "-o", out.string()});
  const ChildResult done = run_child(words, at / "log", k_limit);
  Assembled result;
  result.message = done.output;
  if (done.good()) result.cubin = text_of(out);
  if (!done.good() && result.message.empty()) result.message = a.program + " failed without a word";
  return result;
}

}  // namespace fencepost::device::cuda
