// The functions by which the program uses the library (launch/answer.h, base/kernel_library.h).
#include <exception>
#include <new>

#include "base/kernel_library.h"
#include "clangfe/clangfe.h"
#include "clangfe/plain.h"
#include "verifier/service.h"

extern "C" __attribute__((visibility("default"))) const char* fencepost_kern_stamp() {
  return fencepost::k_kernel_library_stamp;
}

// The program and this library may have a library of C++ each, and so a handler each.
extern "C" __attribute__((visibility("default"))) void fencepost_kern_without_memory(void (*handler)()) {
  std::set_new_handler(handler);
}

extern "C" __attribute__((visibility("default"))) void fencepost_kern_version(std::string& out) {
  out = fencepost::clangfe::version();
}

// The folder of clang's own headers, which are read with every kernel (cli/untrusted.h lets them be read).
extern "C" __attribute__((visibility("default"))) const char* fencepost_kern_headers() {
  return FENCEPOST_CLANG_RESOURCES;
}

extern "C" __attribute__((visibility("default"))) void fencepost_kern_answer(
    const fencepost::launch::Options& options, const fencepost::Expected<fencepost::SourcePtr>& file,
    fencepost::launch::Answer& answer) {
  try {
    answer =
        file ? fencepost::verifier::answer(options, *file) : fencepost::verifier::unreadable(options, file.error());
  } catch (const std::exception& e) {
    answer = {.exit_code = 4,
              .ending = fencepost::launch::Ending::boogie_internal_error,
              .err = std::string("fencepost: internal error: ") + e.what() + "\n"};
  }
}

// A kernel as text, for `check` (clangfe/plain.h, ptxmod/cuda_cpp.h).
extern "C" __attribute__((visibility("default"))) void fencepost_kern_text(const fencepost::SourcePtr& file,
                                                                           const std::vector<std::string>& words,
                                                                           fencepost::Expected<std::string>& text) {
  try {
    text = fencepost::clangfe::kernel_text(file, words);
  } catch (const std::exception& e) {
    text = fencepost::error_at({file, 0, 0}, std::string("reading this kernel failed: ") + e.what());
  }
}
