#include "base/kernel_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <mutex>
#include <new>

namespace fencepost {
namespace {

// Without memory the library does what the program does at that time; a worker has a handler of its own. Whether the
// two have one handler or one each depends on how the standard library is linked into the program: where they share it,
// this function stands in the place of the program's, which it must then call and not itself.
std::new_handler programs_handler = nullptr;
void without_memory() {
  std::new_handler handler = std::get_new_handler();
  if (handler == without_memory) handler = programs_handler;
  if (handler == nullptr) throw std::bad_alloc();
  handler();
}

}  // namespace

Expected<void*> kernel_library() {
  static std::mutex guard;
  static void* handle = nullptr;
  const std::lock_guard lock(guard);
  if (handle != nullptr) return handle;
  std::error_code ec;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ec);
  std::string why;
  for (const std::filesystem::path& folder :
       {program.parent_path(), program.parent_path() / ".." / "lib" / "fencepost", program.parent_path() / ".." / "lib",
        program.parent_path().parent_path(), program.parent_path().parent_path().parent_path()}) {
    const std::filesystem::path file = folder / "libfencepost_kern.so";
    if (!std::filesystem::exists(file, ec)) continue;
    void* opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
      why = dlerror();
      continue;
    }
    const auto stamp = reinterpret_cast<const char* (*)()>(dlsym(opened, "fencepost_kern_stamp"));
    if (stamp == nullptr || std::string(stamp()) != k_kernel_library_stamp) {
      why = file.string() + " is of another build";
      continue;
    }
    const auto set_handler = reinterpret_cast<void (*)(void (*)())>(dlsym(opened, "fencepost_kern_without_memory"));
    programs_handler = std::get_new_handler();
    if (set_handler != nullptr) set_handler(without_memory);
    handle = opened;
    return handle;
  }
  auto error = unsupported_at(
      {}, why.empty() ? "this build has no kernel verifier" : "the kernel verifier cannot be opened: " + why,
      "install the package fencepost-prove; or llvm-19-dev, libclang-19-dev and libclang-cpp19-dev, and build again");
  return error;
}

void* kernel_function(void* library, const char* name) { return dlsym(library, name); }

}  // namespace fencepost
