#pragma once
// Internal to the room: what an include that is not there may have decided.
//
// A missing file may define macros. Where the text tests one (#if, #ifdef) that nothing has defined, both of its
// branches may be the ones that are compiled elsewhere; where it gives one a value because nothing has (#ifndef N,
// #define N 16), the value may be another. What lies inside of such a condition, what holds one, and what uses a macro
// that one defines is in doubt: a kernel that reaches it is not read, and sizes of launches that rest on it are not
// known. Macros that -D or -U speaks of are known; so are those that belong to compilers and to the guard of a file.
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fencepost::clangfe {

// What stands in text that a condition leaves out, which goes from one directive to another.
struct SkippedText {
  bool content = false;                              // code or an include, or a file that cannot be read
  std::vector<const clang::IdentifierInfo*> macros;  // of #define and #undef
};
SkippedText skipped_text(const clang::Preprocessor& preprocessor, clang::SourceRange range);

class Conditions : public clang::PPCallbacks {
 public:
  struct Region {
    clang::SourceLocation begin, end;  // of the directives
    std::string why;
  };
  struct Use {
    clang::SourceLocation at;  // where the macro is expanded in the text
    std::string why;
  };
  // What was found outlives the preprocessor, which owns the callbacks.
  struct Doubts {
    std::vector<Region> regions;
    std::vector<Use> uses;
    std::vector<clang::SourceRange> skipped;  // text that another outcome would compile
    bool none() const { return regions.empty() && uses.empty(); }
  };

  // `spoken_of`: -U names it. `users`: the place is in the user's own text.
  Conditions(clang::Preprocessor& preprocessor, Doubts& out, std::function<bool(llvm::StringRef)> spoken_of,
             std::function<bool(clang::SourceLocation)> users)
      : pp_(preprocessor), out_(out), spoken_of_(std::move(spoken_of)), users_(std::move(users)) {}
  void missing(const std::string& include) {
    if (missing_.empty()) missing_ = include;
  }

  void If(clang::SourceLocation at, clang::SourceRange condition, ConditionValueKind) override;
  void Elif(clang::SourceLocation at, clang::SourceRange condition, ConditionValueKind, clang::SourceLocation) override;
  void Ifdef(clang::SourceLocation at, const clang::Token& name, const clang::MacroDefinition&) override;
  void Ifndef(clang::SourceLocation at, const clang::Token& name, const clang::MacroDefinition&) override;
  void Endif(clang::SourceLocation at, clang::SourceLocation) override;
  void MacroDefined(const clang::Token& name, const clang::MacroDirective* d) override;
  void MacroUndefined(const clang::Token& name, const clang::MacroDefinition&, const clang::MacroDirective*) override;
  void MacroExpands(const clang::Token& name, const clang::MacroDefinition&, clang::SourceRange range,
                    const clang::MacroArgs*) override;
  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override;

 protected:
  // Why it is not known whether the name is a macro, or which; "" if it is. What stands in for it is looked at besides.
  virtual std::string itself(const clang::IdentifierInfo* name) const;
  virtual bool in_use() const { return !missing_.empty(); }

 private:
  struct Open {
    clang::SourceLocation at;
    std::string why;                               // "": it is as it would be elsewhere
    const clang::IdentifierInfo* guard = nullptr;  // of #ifndef, until the next directive
  };
  std::string doubt(const clang::IdentifierInfo* name, unsigned depth) const;
  std::string doubt(clang::SourceRange condition) const;
  const std::string* open_doubt() const;
  void open(clang::SourceLocation at, std::string why, const clang::IdentifierInfo* guard = nullptr);

  clang::Preprocessor& pp_;
  Doubts& out_;
  std::function<bool(llvm::StringRef)> spoken_of_;
  std::function<bool(clang::SourceLocation)> users_;
  std::string missing_;  // the first include that is not there
  std::vector<Open> open_;
  std::string closed_;  // the doubt of the condition whose #endif is the last that was told
  std::map<const clang::IdentifierInfo*, std::string> macros_;  // whose value is in doubt
};

// Host code is compiled without __CUDA_ARCH__, and the text is read with it: of a launch, its sizes and its pointers,
// what a condition on it decides is in doubt.
class HostConditions : public Conditions {
 public:
  using Conditions::Conditions;

 protected:
  std::string itself(const clang::IdentifierInfo* name) const override;
  bool in_use() const override { return true; }
};

}  // namespace fencepost::clangfe
