// seed_spirv FILE.comp: the shader as SPIR-V assembly with a launch and a question, to start the fuzzing of modules
// with.
#include <cstdio>

#include "base/read_file.h"
#include "shader/glsl.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto source = fencepost::read_file(argv[1]);
  const auto assembly = source ? fencepost::shader::glsl::compile(*source)
                               : fencepost::Expected<std::string>(std::unexpected(source.error()));
  if (!assembly) {
    std::fputs(render(assembly.error()).c_str(), stderr);
    return 1;
  }
  std::printf("; @Config: 1, 1, 2\n; @Input: %%_[0] = 0\n; @Output: forall (%%_[0] != 3 or %%_[1] == 0)\n%s",
              assembly->c_str());
  return 0;
}
