// Where the headers are. The host's C and C++ libraries are found by clang's own driver, as it finds them to compile
// for the host.
#include "clangfe/toolkit.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Job.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Host.h>

#include <filesystem>

#include "clangfe/embedded.h"

namespace fencepost::clangfe {
namespace {

// The version up to which clang 19 knows what a toolkit has; later headers are read as those of this one.
constexpr uint32_t k_known_to_clang = 12050;

struct Search {
  std::string option, folder;
};

// The folders of the host's libraries in clang's order.
const std::vector<Search>& host_folders() {
  static const std::vector<Search> k_folders = [] {
    std::vector<Search> out;
    llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids(new clang::DiagnosticIDs);
    clang::DiagnosticsEngine engine(ids, new clang::DiagnosticOptions, new clang::IgnoringDiagConsumer);
    clang::driver::Driver driver("/usr/bin/clang", llvm::sys::getDefaultTargetTriple(), engine, "clang",
                                 llvm::vfs::getRealFileSystem());
    driver.ResourceDir = FENCEPOST_CLANG_RESOURCES;
    driver.setCheckInputsExist(false);
    const std::unique_ptr<clang::driver::Compilation> plan(
        driver.BuildCompilation({"clang", "-fsyntax-only", "-x", "c++", "host.cpp"}));
    if (plan == nullptr) return out;
    for (const clang::driver::Command& job : plan->getJobs()) {
      const auto& words = job.getArguments();
      for (size_t k = 0; k + 1 < words.size(); ++k) {
        const std::string word = words[k];
        if (word == "-internal-isystem" || word == "-internal-externc-isystem") out.push_back({word, words[k + 1]});
      }
    }
    return out;
  }();
  return k_folders;
}

std::string include_of(const Options& o) {
  return (std::filesystem::absolute(o.cuda_path) / "include").lexically_normal().string();
}

}  // namespace

std::vector<std::string> toolkit_folders(const Options& options) {
  std::vector<std::string> out{include_of(options), FENCEPOST_CLANG_RESOURCES, k_header_folder};
  for (const Search& s : host_folders()) out.push_back(s.folder);
  return out;
}

Expected<std::vector<std::string>> toolkit_arguments(const Options& options) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<std::string> a;
  const std::string resources = std::string(FENCEPOST_CLANG_RESOURCES) + "/include";
  bool library = false;
  const auto system = [&](const std::string& option, const std::string& folder) {
    a.push_back(option);
    a.push_back(folder);
  };
  system("-internal-isystem", resources + "/cuda_wrappers");
  for (const Search& s : host_folders()) {
    system(s.option, s.folder);
    library = library || fs::is_regular_file(fs::path(s.folder) / "cstdlib", failed);
  }
  if (!library)
    return error_at({},
                    "--cuda-path: the toolkit's headers include those of the C++ library, and this machine has none",
                    "install a C++ compiler, on Debian the package g++");
  system("-internal-isystem", include_of(options));
  system("-internal-isystem", std::string(k_header_folder) + "/system");
  a.push_back("-include");
  a.emplace_back("__clang_cuda_runtime_wrapper.h");
  const uint32_t version = std::min(options.cuda_version, k_known_to_clang);
  a.push_back("-target-sdk-version=" + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10));
  a.emplace_back("-fexceptions");
  return a;
}

std::string path_of(const llvm::DIFile& file) {
  const std::filesystem::path name = file.getFilename().str();
  // clang cuts off what the path has in common with the folder that it runs in.
  if (name.is_absolute() || file.getDirectory().empty()) return name.string();
  return (std::filesystem::path(file.getDirectory().str()) / name).string();
}

bool of_library(const LlvmModule& m, llvm::StringRef path) {
  return path.starts_with(k_header_folder) ||
         std::any_of(m.library.begin(), m.library.end(), [&](const std::string& f) { return path.starts_with(f); });
}

}  // namespace fencepost::clangfe
