#pragma once
// Where the models, progress models and tables that come with the program lie.
#include <string>

namespace fencepost {

// $FENCEPOST_MODELS; else share/fencepost/models beside the program's folder; else the source tree that the program was
// built in, found by its place relative to the build folder, so that no program has the path of a machine in it.
std::string models_folder();

}  // namespace fencepost
