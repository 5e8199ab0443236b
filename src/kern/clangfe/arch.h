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

inline constexpr llvm::StringRef k_arch = "__CUDA_ARCH__";

// The word before this one is `defined`, with or without a parenthesis.
bool is_asked_whether(const clang::Preprocessor& preprocessor, const std::vector<clang::Token>& tokens, size_t at);
// The word __CUDA_ARCH__ at this position of a condition's words (`directive`), or of other text.
ArchDependence of_arch(const clang::Preprocessor& preprocessor, const std::vector<clang::Token>& tokens, size_t at,
                       bool directive);
// A name that tells architectures apart by itself, other than __CUDA_ARCH__. `known`: it is a macro, or -U says not.
ArchDependence arch_of_name(llvm::StringRef name, bool known);

// The text of a function, or of the template that it was made of.
clang::SourceRange text_of(const clang::FunctionDecl* f);
// This text lies in that of the function.
bool holds(const clang::SourceManager& sm, const clang::FunctionDecl* f, clang::SourceLocation begin,
           clang::SourceLocation end);
// "lines 3-5 are", "f.h: line 4 is": the lines between two directives, or of one place.
std::string lines_of(const clang::SourceManager& sm, clang::SourceLocation begin, clang::SourceLocation end);

// The least architecture that can be read and is on the newer side of all comparisons with numbers; the newest one
// where none is. `least`: where there are no such comparisons.
uint32_t arch_for(const std::vector<ArchPlace>& places, uint32_t least);

// Of these places, those that lie in text that the kernel reaches, or in no function, as notes.
// `reached`: declarations that it reaches; `functions`: all that have a body of their own in the text.
std::vector<OtherText> arch_notes(const clang::SourceManager& sm, const std::vector<ArchPlace>& places,
                                  const std::set<const clang::Decl*>& reached,
                                  const std::vector<const clang::FunctionDecl*>& functions, uint32_t arch, bool given);

}  // namespace fencepost::clangfe
