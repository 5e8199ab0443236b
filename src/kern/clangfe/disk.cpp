#include "clangfe/disk.h"

#include <llvm/Support/MemoryBuffer.h>

#include "base/read_file.h"

namespace fencepost::clangfe {
namespace {

namespace vfs = llvm::vfs;

// A file whose text is in memory.
class Kept : public vfs::File {
 public:
  Kept(vfs::Status status, SourcePtr source) : status_(std::move(status)), source_(std::move(source)) {}

  llvm::ErrorOr<vfs::Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, int64_t, bool, bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(source_->text, name);
  }
  std::error_code close() override { return {}; }

 private:
  vfs::Status status_;
  SourcePtr source_;
};

class Disk : public vfs::ProxyFileSystem {
 public:
  explicit Disk(Reads& reads) : ProxyFileSystem(vfs::getRealFileSystem()), reads_(reads) {}

  llvm::ErrorOr<vfs::Status> status(const llvm::Twine& path) override {
    auto real = ProxyFileSystem::status(path);
    if (!real || real->isDirectory()) return real;
    const SourcePtr kept = read(*real, path.str());
    if (kept == nullptr) return std::make_error_code(std::errc::no_such_file_or_directory);
    return vfs::Status(path, real->getUniqueID(), real->getLastModificationTime(), real->getUser(), real->getGroup(),
                       kept->text.size(), llvm::sys::fs::file_type::regular_file, real->getPermissions());
  }

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine& path) override {
    auto known = status(path);
    if (!known) return known.getError();
    if (known->isDirectory()) return std::make_error_code(std::errc::is_a_directory);
    return std::make_unique<Kept>(*known, read(*known, path.str()));
  }

 private:
  // None: it is refused.
  SourcePtr read(const vfs::Status& status, const std::string& path) {
    const auto key = std::make_pair(status.getUniqueID().getDevice(), status.getUniqueID().getFile());
    if (const auto it = reads_.files.find(key); it != reads_.files.end()) return it->second;
    if (reads_.refused.contains(path)) return nullptr;
    auto text = read_file(path);
    if (!text) {
      reads_.refused.emplace(path, std::move(text.error()));
      return nullptr;
    }
    return reads_.files.emplace(key, *text).first->second;
  }

  Reads& reads_;
};

}  // namespace

llvm::IntrusiveRefCntPtr<vfs::FileSystem> disk(Reads& reads) { return llvm::makeIntrusiveRefCnt<Disk>(reads); }

}  // namespace fencepost::clangfe
