#pragma once
// The disk as clang sees it while it reads one kernel. Includes may name any path, and a kernel is read more than once
// (with a later version of the language, where the first does not do). What a pipe, a terminal or a device gives is
// gone when it is read again, and may never end: such files are refused, and each other file is read once and kept, so
// that all readings see the same text.
#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/diagnostic.h"

namespace fencepost::clangfe {

// Files that were read, by device and number, and those that were refused, by the path that named them.
struct Reads {
  std::map<std::pair<uint64_t, uint64_t>, SourcePtr> files;
  std::map<std::string, Diagnostics> refused;
};

// The real file system through `reads`, which must outlive it.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk(Reads& reads);

}  // namespace fencepost::clangfe
