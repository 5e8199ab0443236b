// The three functions by which the program uses the library (launch/answer.h).
#include <exception>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

extern "C" __attribute__((visibility("default"))) const char* fencepost_kern_stamp() {
  return fencepost::launch::k_stamp;
}

extern "C" __attribute__((visibility("default"))) void fencepost_kern_version(std::string& out) {
  out = fencepost::clangfe::version();
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
