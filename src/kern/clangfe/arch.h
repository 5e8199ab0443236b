#pragma once
// Internal to the room: what __CUDA_ARCH__ decides in the user's text.
//
// A file that is read for one architecture may hide code from it: a kernel whose body stands in
// `#if __CUDA_ARCH__ >= 800` is empty for 700, and a proof of it says nothing. Noted is each piece of text that is left
// out because of a condition on __CUDA_ARCH__, and each place in code that uses it; both also by way of macros that
// such a condition defines, leaves undefined, or that expand to it. Whether __CUDA_ARCH__ is defined at all decides
// nothing here, nor does a comparison that comes out alike for all architectures that can be read.
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clangfe/clangfe.h"

namespace fencepost::clangfe {

// How text depends on __CUDA_ARCH__.
struct ArchDependence {
  bool any = false;
  bool compared = true;  // only by comparisons with numbers
  uint32_t newest = 0;   // the least value that is on the newer side of all these comparisons
  void join(const ArchDependence& o) {
    any = any || o.any;
    compared = compared && o.compared;
    newest = std::max(newest, o.newest);
  }
};

// Text between two directives that is left out (begin != end), or a place that uses __CUDA_ARCH__.
struct ArchPlace {
  clang::SourceLocation begin, end;
  ArchDependence on;
};

class ArchConditions : public clang::PPCallbacks {
 public:
  // `spoken_of`: -U names the macro. `users`: the place is in the user's own text. `out` outlives the preprocessor.
  ArchConditions(clang::Preprocessor& preprocessor, std::vector<ArchPlace>& out,
                 std::function<bool(llvm::StringRef)> spoken_of, std::function<bool(clang::SourceLocation)> users)
      : pp_(preprocessor), out_(out), spoken_of_(std::move(spoken_of)), users_(std::move(users)) {}

  void If(clang::SourceLocation at, clang::SourceRange condition, ConditionValueKind) override;
  void Elif(clang::SourceLocation at, clang::SourceRange condition, ConditionValueKind, clang::SourceLocation) override;
  void Ifdef(clang::SourceLocation at, const clang::Token& name, const clang::MacroDefinition&) override;
  void Ifndef(clang::SourceLocation at, const clang::Token& name, const clang::MacroDefinition&) override;
  void Elifdef(clang::SourceLocation at, const clang::Token& name, const clang::MacroDefinition&) override;
  void Elifdef(clang::SourceLocation at, clang::SourceRange condition, clang::SourceLocation) override;
  void Elifndef(clang::SourceLocation at, const clang::Token& name, const clang::MacroDefinition&) override;
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
  Line line(clang::SourceLocation at) const;
  std::vector<clang::Token> rest_of_line(clang::SourceLocation at) const;
  ArchDependence of(const std::vector<clang::Token>& tokens, unsigned depth, bool directive) const;
  ArchDependence of_name(const clang::IdentifierInfo* name, unsigned depth) const;
  ArchDependence of_arch(const std::vector<clang::Token>& tokens, size_t at, bool directive) const;
  std::optional<uint32_t> number(const clang::Token& t) const;
  const clang::IdentifierInfo* name_of(const clang::Token& t) const;
  void open(clang::SourceLocation at, ArchDependence d);
  void branch(clang::SourceLocation at, const ArchDependence& d);
  ArchDependence open_now() const;

  clang::Preprocessor& pp_;
  std::vector<ArchPlace>& out_;
  std::function<bool(llvm::StringRef)> spoken_of_;
  std::function<bool(clang::SourceLocation)> users_;
  std::vector<ArchDependence> chains_;  // #if to #endif, in the order of their beginnings
  std::vector<size_t> open_;
  std::map<Line, size_t> directives_;  // the chain of each line
  std::map<const clang::IdentifierInfo*, ArchDependence> macros_;
};

// The least architecture that can be read and is on the newer side of all comparisons with numbers; the newest one
// where none is. `least`: where there are no such comparisons.
uint32_t arch_for(const std::vector<ArchPlace>& places, uint32_t least);

// Of these places, those that lie in text that the kernel reaches, or in no function, as notes.
// `reached`: declarations that it reaches; `functions`: all that have a body of their own in the text.
std::vector<ArchNote> arch_notes(const clang::SourceManager& sm, const std::vector<ArchPlace>& places,
                                 const std::set<const clang::Decl*>& reached,
                                 const std::vector<const clang::FunctionDecl*>& functions, uint32_t arch, bool given);

}  // namespace fencepost::clangfe
