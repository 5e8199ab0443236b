// All targets in one program, for machines to which it must be carried: the variable FENCEPOST_TARGET names one.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TARGET(name) extern "C" int fuzz_one_##name(const uint8_t* data, size_t size);
#include "targets.inc"
#undef TARGET

namespace {

using Target = int (*)(const uint8_t*, size_t);

Target chosen() {
  const char* asked = std::getenv("FENCEPOST_TARGET");
#define TARGET(name) \
  if (asked != nullptr && std::strcmp(asked, #name) == 0) return fuzz_one_##name;
#include "targets.inc"
#undef TARGET
  std::fprintf(stderr, "FENCEPOST_TARGET names no target\n");
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Target target = chosen();
  return target(data, size);
}
