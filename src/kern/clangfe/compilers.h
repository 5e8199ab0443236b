#pragma once
// Internal to the room: macros that one compiler has and another has not, or with another value: of compilers,
// toolkits, systems, versions of a language, extensions and options. A kernel whose text they decide is proved as it
// was read here, and its proof says so.
//
// Nothing is said where it makes no difference: where all branches have the same words, where they have only words that
// say nothing of what is done (attributes, qualifiers, static_assert), and of declarations that the kernel has no word
// of. Of host code only that counts which names the kernel, or a variable that its launch is made of.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>

#include <set>
#include <string>
#include <vector>

#include "clangfe/clangfe.h"

namespace fencepost::clangfe {

struct FoundLaunch;

// Text from one directive to the last of a chain, or a place that uses a macro (begin == end).
struct CompilerPlace {
  clang::SourceLocation begin, end;
  std::set<std::string> names;                                                       // of the macros that decide it
  std::string macro;                                                                 // that is used
  std::vector<std::pair<clang::SourceLocation, clang::SourceLocation>> left, there;  // with content: directives around
  // Of a macro that is used: what it stands for elsewhere. Else names that are macros elsewhere, and never here.
  std::set<std::string> words = {};
};

// No header of a project defines a macro of this name.
bool of_compilers(llvm::StringRef name);
// The same, or the name is reserved to compilers (C++ [lex.name]), which projects do not always heed.
bool may_be_of_compilers(llvm::StringRef name);
// It is as it is here in all compilers of the language. `whether`: only whether it is a macro counts.
bool is_everywhere(llvm::StringRef name, bool whether);
// In code, beside conditions, its value tells compilers apart.
bool tells_in_code(llvm::StringRef name);

// Words that say nothing of what is done.
bool is_inert(const clang::Preprocessor& preprocessor, const std::vector<clang::Token>& tokens);
// Code or an include that is not inert stands there.
bool says_something(const clang::Preprocessor& preprocessor, const std::vector<clang::Token>& words);

// Words of the text from the line after one directive to another directive.
std::vector<clang::Token> words_between(const clang::SourceManager& sm, const clang::LangOptions& language,
                                        clang::SourceLocation from, clang::SourceLocation to);

// The places as sentences, of those that this kernel rests on.
class CompilerNotes {
 public:
  // `functions`: all that have a body of their own in the text. `hosts`: those of the host; `launches`: theirs.
  CompilerNotes(clang::ASTContext& context, const std::vector<CompilerPlace>& places,
                const std::vector<const clang::FunctionDecl*>& functions)
      : context_(context), places_(places), functions_(functions) {}
  // By the kernel's own text. `reached`: declarations that it reaches.
  void of_kernel(const clang::FunctionDecl* kernel, const std::set<const clang::Decl*>& reached,
                 std::vector<OtherText>& out) const;
  // By the text of its launches.
  void of_launches(const clang::FunctionDecl* kernel, const std::vector<FoundLaunch>& launches,
                   const std::vector<const clang::FunctionDecl*>& hosts, std::vector<OtherText>& out) const;

 private:
  std::set<std::string> declared_by(const CompilerPlace& p) const;
  bool followed(const CompilerPlace& p) const;
  std::set<std::string> resetting(const std::vector<const clang::FunctionDecl*>& hosts) const;
  void add(const CompilerPlace& p, std::vector<OtherText>& out, bool of_resets = false) const;

  clang::ASTContext& context_;
  const std::vector<CompilerPlace>& places_;
  const std::vector<const clang::FunctionDecl*>& functions_;
};

}  // namespace fencepost::clangfe
