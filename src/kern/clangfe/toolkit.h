#pragma once
// Internal to the room: the headers of a CUDA toolkit in the place of our own (--cuda-path).
//
// clang takes them as it does for device code: its wrapper around the toolkit's headers comes first
// (__clang_cuda_runtime_wrapper.h), and the C and C++ library of the host lies on the path. What comes out is code of
// three kinds.
// - Functions that CUDA's guide describes and that our own header declares too (atomicAdd, __shfl_sync, __nanosleep):
//   their bodies are clang's, over intrinsics of its back end. adopt() takes the bodies away, and the names are
//   understood as those of our header are. So it is with libdevice (__nv_sinf) and with the barrier of a grid, whose
//   body spins on memory of the driver.
// - Inline PTX, of which libcu++ and most of cooperative groups are made: lower_assembly reads it, instruction by
//   instruction, and refuses the others by their text.
// - C++, which is code like the user's. libcu++ chooses an instruction by the order that it is given, at run time:
//   settle() folds what is constant once calls are in place, and takes branches away that are not taken.
// Tried and lost: the functions of libcu++ by their names. There are some hundreds, their names change from version to
// version, and a name says less than the instruction does.
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "clangfe/llvm_module.h"

namespace fencepost::clangfe {

// clang's arguments: folders, the wrapper, and what it asks of the version. Errors: the host has no C++ library.
Expected<std::vector<std::string>> toolkit_arguments(const Options& options);
// Folders whose text is not the user's: the toolkit's and the host's.
std::vector<std::string> toolkit_folders(const Options& options);

// Before calls are put in place.
void adopt(LlvmModule& m);
// After it, and after promotion of variables. True: something has changed.
bool settle(llvm::Function& f);

}  // namespace fencepost::clangfe
