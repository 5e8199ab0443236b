#pragma once
// From operands to tests and models: folders become files, files become tests, names become models. Models are
// loaded once per process and shared read-only between threads.
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cat/model.h"
#include "check/bounds_file.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "prog/names.h"
#include "spirv/spirv.h"

namespace fencepost::cli {

// Files as given; a folder becomes the files with one of the endings below it, sorted by path. A folder without
// any, and a path that does not exist, are errors.
Expected<std::vector<std::string>> expand(const std::vector<std::string>& operands,
                                          const std::vector<std::string>& endings = program_endings());

// What --grid, --input, --condition, --filter and --entry say of the launch of a shader.
spirv::LaunchOptions launch_of(const Settings& s);

// The bounds of --bounds, "" for none.
Expected<std::optional<check::BoundsFile>> bounds_file(const Settings& s);
// Puts those of `test` in `path` into the options.
Expected<void> take_bounds(check::Options& options, const std::optional<check::BoundsFile>& file,
                           const std::string& path, const prog::Test& test);

// How output names one of the `count` tests of a file: the path, and the title after '#' if there are several.
std::string label(const std::string& path, const prog::Test& test, size_t count);

// A model that an input names, and not the command line, is a shipped one or a *.cat file: what is wrong with a model
// is said with its line, and other files are not the input's to show.
Expected<void> may_be_named(const std::string& model);

// The model of a test for which nobody names one: that of its dialect, ptx-8 for PTX tests with clusters, and ptx-9
// for those with instructions that only it knows.
std::string default_model(const prog::Test& test);

class ModelCache {
 public:
  // The model `name` (a shipped name or a file; "" for the dialect's default) for tests of dialect `d`. A model
  // made for another dialect is an error. The reference stays valid as long as the cache.
  const Expected<cat::Model>& get(const std::string& name, vocab::Dialect d);
  // The model `name`, or the one that this test is judged by where nobody names one. A scope of the test that the model
  // does not know is an error, at its instruction.
  Expected<const cat::Model*> get(const std::string& name, const prog::Test& test);

 private:
  struct Entry {
    std::once_flag once;
    std::unique_ptr<Expected<cat::Model>> model;
  };
  std::mutex mutex_;
  std::map<std::pair<std::string, vocab::Dialect>, Entry> entries_;
};

}  // namespace fencepost::cli
