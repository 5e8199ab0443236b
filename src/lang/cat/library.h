#pragma once
// Finds the models that ship with the program, by name ("ptx-7.5") or path.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cat/model.h"

namespace fencepost::cat {

// $FENCEPOST_MODELS, then models/ beside the source tree the program was built from, then
// <prefix>/share/fencepost/models beside the executable.
std::string models_dir();

struct ModelInfo { std::string name; std::string path; vocab::Dialect dialect; std::string summary; };
std::vector<ModelInfo> shipped_models();

// `name_or_path`: a shipped name, or a file. The dialect comes from a "(* dialect: ptx *)" header line
// where there is one, else from the caller.
Expected<Model> load_model(const std::string& name_or_path, vocab::Dialect dialect);
std::string default_model(vocab::Dialect d);  // ptx -> "ptx-7.5", vulkan -> "vulkan", opencl -> "opencl"

}  // namespace fencepost::cat
