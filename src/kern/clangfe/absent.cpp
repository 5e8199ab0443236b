// Stands in for the rest of the room where LLVM's development files were absent at build time.
#include "clangfe/clangfe.h"

namespace fencepost::clangfe {

bool available() { return false; }
std::string version() { return {}; }

namespace {
std::unexpected<Diagnostics> absent(const SourcePtr& file) {
  return unsupported_at({file, 0, 0}, "this build cannot read kernels: it was made without clang",
                        "install llvm-19-dev, libclang-19-dev and libclang-cpp19-dev, and build again");
}
}  // namespace

Expected<ir::Module> compile(const SourcePtr& file, const Options&) { return absent(file); }
Expected<Unit> read(const SourcePtr& file, const Options&) { return absent(file); }

}  // namespace fencepost::clangfe
