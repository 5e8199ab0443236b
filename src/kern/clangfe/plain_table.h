#pragma once
// The table of files, names and types before the text of a kernel (plain.h), a line each:
//   file N PATH    kernel NAME FILE LINE SHOWN    var NAME FILE LINE SHOWN TYPE    own SHOWN
// NAME is that of the module, SHOWN that of the source; `own` is what each thread has for itself. Types:
//   u32, s8, f64    [4 T    [0 T of no known end    {16 a 0 u32;b 8 *f32;} bytes, and members with their offsets
//   *T a pointer    p a pointer to something deeper    ? anything else
#include <llvm/IR/DebugInfoMetadata.h>

#include <map>
#include <set>
#include <string>

namespace fencepost::clangfe {

std::string word_of(llvm::StringRef name);  // of letters and digits
// clang takes the current folder off the names of files.
bool is_file(const llvm::DIFile* f, llvm::StringRef name);

class Table {
 public:
  explicit Table(std::string main) : main_(std::move(main)) {}
  unsigned file(const llvm::DIFile* f);
  void variable(const std::string& name, const std::string& shown, const llvm::DIFile* f, unsigned line,
                const llvm::DIType* type);
  void kernel(const std::string& name, const std::string& shown, const llvm::DISubprogram* p);
  void own(const std::string& name);
  const std::string& text() const { return text_; }

 private:
  std::string main_, text_;
  std::map<std::string, unsigned> files_;
  std::set<std::string> own_;
};

}  // namespace fencepost::clangfe
