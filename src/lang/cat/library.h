#pragma once
// Finds the models that ship with the program, by name ("ptx-7.5") or path.
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "cat/model.h"

namespace fencepost::cat {

// $FENCEPOST_MODELS, then models/ beside the source tree the program was built from, then
// <prefix>/share/fencepost/models beside the executable.
std::string models_dir();

// Models only; preludes are not listed. In the order of their names; a folder that is missing has none.
struct ModelInfo {
  std::string name;
  std::string path;
  vocab::Dialect dialect;
  std::string summary;
};
std::vector<ModelInfo> shipped_models();

// A sentence of its document that another shipped model reads otherwise: a header of the model's file,
// "(* reading: MODEL; TAGS; SENTENCE *)". `needs`: tags of which a program has all if the sentence can matter to it.
struct Reading {
  std::string model;
  std::vector<std::string> needs;
  std::string sentence;
};
// In the order of the file; a file that cannot be read has none.
std::vector<Reading> readings_of(const std::string& path);

// "ptx-9[P2=strict,P3=writer]": the model ptx-9 with these answers to questions that its document leaves open
// (Model::variants). Without brackets: the model with its own.
struct NamedModel {
  std::string name;
  std::vector<std::pair<std::string, std::string>> variants;
};
NamedModel split_model_name(const std::string& name);

// The path of a shipped model's file, or `name_or_path` itself where such a file exists. Errors: no such
// model (with the nearest name) or file.
Expected<std::string> find_model(const std::string& name_or_path);
// How to read the file at `path`: the dialect of its "(* dialect: ... *)" header, else `dialect`, and the
// prelude of that dialect where models_dir() has one (a prelude itself gets none).
LoadOptions options_for(const std::string& path, vocab::Dialect dialect);

// `name_or_path`: a shipped name, or a file. The dialect comes from a "(* dialect: ptx *)" header line
// where there is one, else from the caller. `as_shipped`: set to whether it is a shipped model whose files are those
// that the program was built with (cat/compiled.h), so that lint has nothing to say of them.
Expected<Model> load_model(const std::string& name_or_path, vocab::Dialect dialect, bool* as_shipped = nullptr);
std::string default_model(vocab::Dialect d);  // ptx -> "ptx-7.5", vulkan -> "vulkan", opencl -> "opencl"

}  // namespace fencepost::cat
