// pack FILE: writes compiled_models() as a C++ source to FILE; run when the program is built (links.cmake), with
// FENCEPOST_MODELS set to the models' folder. Exit code 1: FILE cannot be written, or no model was compiled.
#include <cstdio>

#include "cat/compiled.h"

namespace fencepost::cat {
std::string_view compiled_models() { return {}; }
}  // namespace fencepost::cat

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const std::string bytes = fencepost::cat::compile_shipped_models();
  std::FILE* out = bytes.empty() ? nullptr : std::fopen(argv[1], "w");
  if (out == nullptr) return 1;
  std::fputs("#include \"cat/compiled.h\"\n\nnamespace {\nconstexpr unsigned char k_bytes[] = {", out);
  for (size_t i = 0; i < bytes.size(); ++i)
    std::fprintf(out, "%s%u,", i % 32 == 0 ? "\n" : "", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
  std::fputs(
      "};\n}  // namespace\n\nnamespace fencepost::cat {\nstd::string_view compiled_models() {\n"
      "  return {reinterpret_cast<const char*>(k_bytes), sizeof k_bytes};\n}\n}  // namespace fencepost::cat\n",
      out);
  return std::fclose(out) == 0 ? 0 : 1;
}
