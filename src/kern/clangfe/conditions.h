#pragma once
// Internal to the room: which macros may differ elsewhere, why, and what text rests on them.
//
// A file is read once: with one compiler, one value of __CUDA_ARCH__, and the includes that are there. One tracker
// follows the directives of the user's text and notes what another reader would compile. Reasons:
//
// - A missing include may define macros. A name that nothing has defined may be one of them. A kernel that reaches such
//   text is not read, and sizes of launches that rest on it are not known.
// - Host code is compiled without __CUDA_ARCH__ (CUDA C++ Programming Guide, 5.2.3), and the text is read with it: of a
//   launch, its sizes and pointers, what a condition on it decides is not known.
// - Kernels are compiled for another __CUDA_ARCH__ (arch.h).
// - Macros of compilers, toolkits, systems and options differ (compilers.h). A proof names them as an assumption. So do
//   macros of headers for which we have others, or none: any name that the user's text does not define itself.
//
// A condition passes its reasons on to the text between its directives, left out or not, and to the macros that are
// defined there. A macro passes them on through the macros that it stands for, to any depth. Macros that -D or -U
// speaks of are known, and so is the guard of a file. Names that ## makes in a condition are seen where clang expands
// them; one that is no macro depends on all that any macro depends on.
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "clangfe/arch.h"
#include "clangfe/compilers.h"

namespace fencepost::clangfe {

// Why something may be another elsewhere.
struct Dependence {
  std::string missing;  // a sentence; "": no missing include decides it
  bool host = false;    // host code has no __CUDA_ARCH__
  ArchDependence arch;
  std::set<std::string> compilers;  // names of macros
  bool any() const { return !missing.empty() || host || arch.any || !compilers.empty(); }
  void join(const Dependence& o);
};

// What is in doubt for one reason.
struct Doubts {
  struct Region {
    clang::SourceLocation begin, end;  // of the directives
    std::string why;
  };
  struct Use {
    clang::SourceLocation at;  // where the macro is expanded in the text
    std::string why;
    bool of_host = false;  // for the lack of __CUDA_ARCH__
  };
  std::vector<Region> regions;
  std::vector<Use> uses;
  std::vector<clang::SourceRange> skipped;  // text that another outcome would compile
  // Words of such text, where host code comes to it (host_doubts.h).
  std::set<const clang::IdentifierInfo*> names;
  bool none() const { return regions.empty() && uses.empty(); }
  void add(const Doubts& o);
};

// What was found. It outlives the preprocessor, which owns the callbacks.
struct Differences {
  Doubts missing, host;  // host: of launches, their sizes and pointers alone
  std::vector<ArchPlace> arch;
  std::vector<CompilerPlace> compilers;
};

class Conditions : public clang::PPCallbacks {
 public:
  // `spoken_of`: -D or -U names it. `users`: the place is in the user's own text.
  Conditions(clang::Preprocessor& preprocessor, Differences& out, std::function<bool(llvm::StringRef)> spoken_of,
             std::function<bool(clang::SourceLocation)> users)
      : pp_(preprocessor), out_(out), spoken_of_(std::move(spoken_of)), users_(std::move(users)) {}
  void missing(const std::string& include) {
    if (missing_.empty()) missing_ = include;
  }

  void FileChanged(clang::SourceLocation at, FileChangeReason why, clang::SrcMgr::CharacteristicKind,
                   clang::FileID) override;
  void InclusionDirective(clang::SourceLocation at, const clang::Token&, llvm::StringRef, bool, clang::CharSourceRange,
                          clang::OptionalFileEntryRef file, llvm::StringRef, llvm::StringRef, const clang::Module*,
                          bool, clang::SrcMgr::CharacteristicKind) override;
  void If(clang::SourceLocation at, clang::SourceRange condition, ConditionValueKind value) override;
  void Elif(clang::SourceLocation at, clang::SourceRange condition, ConditionValueKind value,
            clang::SourceLocation) override;
  void Ifdef(clang::SourceLocation at, const clang::Token& name, const clang::MacroDefinition& d) override;
  void Ifndef(clang::SourceLocation at, const clang::Token& name, const clang::MacroDefinition& d) override;
  void Elifdef(clang::SourceLocation at, const clang::Token& name, const clang::MacroDefinition& d) override;
  void Elifdef(clang::SourceLocation at, clang::SourceRange condition, clang::SourceLocation) override;
  void Elifndef(clang::SourceLocation at, const clang::Token& name, const clang::MacroDefinition& d) override;
  void Elifndef(clang::SourceLocation at, clang::SourceRange condition, clang::SourceLocation) override;
  void Else(clang::SourceLocation at, clang::SourceLocation) override;
  void Endif(clang::SourceLocation at, clang::SourceLocation) override;
  void MacroDefined(const clang::Token& name, const clang::MacroDirective* d) override;
  void MacroUndefined(const clang::Token& name, const clang::MacroDefinition&, const clang::MacroDirective*) override;
  void MacroExpands(const clang::Token& name, const clang::MacroDefinition&, clang::SourceRange range,
                    const clang::MacroArgs*) override;
  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override;

 private:
  using Line = std::pair<clang::FileID, unsigned>;
  using Names = std::set<const clang::IdentifierInfo*>;
  enum class Asked { whether, condition, code };  // whether it is a macro; its value in a condition; in code
  struct Branch {
    clang::SourceLocation at;  // of its directive
    bool taken = false;
  };
  struct Chain {  // #if to #endif
    bool users = false;
    bool whole = false;    // it has an #else
    bool settled = false;  // a branch was taken before anything that may differ was asked
    Dependence on;
    const clang::IdentifierInfo* guard = nullptr;  // of #ifndef, until the next directive
    std::vector<Branch> branches;
  };
  struct Macro {
    Dependence on;
    bool inert = false;           // all that it may stand for in code says nothing of what is done (compilers.h)
    std::set<std::string> words;  // of what it stands for in text that is left out
  };
  Line line(clang::SourceLocation at) const;
  const clang::IdentifierInfo* name_of(const clang::Token& t) const;
  std::vector<clang::Token> rest_of_line(clang::SourceLocation at) const;
  bool differs_by_compiler(const clang::IdentifierInfo* name, const clang::MacroInfo* m, bool whether) const;
  bool may_be_of_library(const clang::IdentifierInfo* name) const;
  // Of a name itself.
  Dependence own(const clang::IdentifierInfo* name, const clang::MacroInfo* m, Asked asked) const;
  // Of words and all that they stand for; `met`: the names that it came by.
  Dependence of(const std::vector<clang::Token>& tokens, Asked asked, Names& met) const;
  void note_assert(clang::SourceLocation at, const clang::MacroArgs* arguments);
  ArchDependence of_arch_in_line(clang::SourceLocation at) const;
  Dependence of_condition(clang::SourceRange condition);
  Dependence whether(const clang::Token& name) const;
  std::set<std::string> words_elsewhere(const clang::IdentifierInfo* name) const;
  void open(clang::SourceLocation at, Dependence d, bool taken, const clang::IdentifierInfo* guard = nullptr);
  void branch(clang::SourceLocation at, const Dependence& d, bool taken);
  void note_compilers(const Chain& c, clang::SourceLocation end);
  Dependence open_now() const;

  clang::Preprocessor& pp_;
  Differences& out_;
  std::function<bool(llvm::StringRef)> spoken_of_;
  std::function<bool(clang::SourceLocation)> users_;
  std::string missing_;        // the first include that is not there
  std::vector<Chain> chains_;  // in the order of their beginnings
  std::vector<size_t> open_;
  std::map<Line, size_t> directives_;                     // the chain of each line
  std::map<const clang::IdentifierInfo*, Macro> macros_;  // that may differ by a condition
  Names own_names_;                                       // that the user's text defines anywhere
  bool stands_in_ = false;                              // the text includes a file that is not read as it is elsewhere
  Names undefined_;                                     // by the user's text
  std::vector<const clang::IdentifierInfo*> expanded_;  // in the condition that is being read
  bool outer_is_users_ = false;                         // the expansion that is going on began with the user's macro
};

}  // namespace fencepost::clangfe
