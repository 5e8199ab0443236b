#pragma once
// Internal to the room: every place of the user's text where the name of a kernel stands, and what clang made of it.
//
// A launch can be written in more ways than anybody lists: through a variable, a pointer, a template argument, a table,
// a wrapper, a node of a graph, a macro of a file that is not there. All of them have to name the kernel. So names are
// collected and not forms of launches: a place that is neither a declaration, nor a launch whose sizes were looked at,
// nor a call that is known to launch nothing, is a launch of which nothing is known. Two sources are laid side by side:
// the tokens that reach the parser, macros expanded, which lose nothing, and the tree, which tells what a token stands
// for. A token that the tree does not account for counts as a use.
//
// Tried and lost: the tree alone. Clang drops statements that it does not understand, branches of `if constexpr` and
// bodies behind a syntax error.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/Lex/Preprocessor.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "clangfe/conditions.h"
#include "clangfe/launches.h"

namespace fencepost::clangfe {

// One word of the text as the parser gets it; strings too, for kernels that are asked for by name.
struct Word {
  clang::SourceLocation at;
  clang::tok::TokenKind kind = clang::tok::unknown;
  const clang::IdentifierInfo* name = nullptr;
  std::string text;  // of a string, without its quotes
};

// Notes all words that lie in the user's own files.
class Words {
 public:
  void watch(clang::Preprocessor& preprocessor, std::function<bool(clang::SourceLocation)> users);
  const std::vector<Word>& list() const { return list_; }
  // First words of what a directive of OpenMP or of OpenACC stands before.
  const std::set<clang::SourceLocation>& shared() const { return shared_; }

 private:
  class Pragmas;
  void follow_attributes();
  void keep(Word w);

  std::vector<Word> list_;
  std::map<clang::FileID, bool> known_;
  std::set<clang::SourceLocation> shared_;
  bool directive_ = false;  // one was met, and no word since
  unsigned brackets_ = 0;   // that are open, of an attribute
  bool omp_ = false;        // the attribute is OpenMP's
};

// Functions that give the address of a variable of the device for its name, which a program may put together.
bool asks_for_variables(const std::vector<Word>& words);
// A place where the host asks for a kernel without a word that clang knows for it.
struct Asked {
  clang::SourceLocation at;
  std::string text;  // the kernels whose names are in it; "": any kernel
};
// Functions of a driver's module find a kernel by its name, mangled or not, or all that there are; functions of a graph
// read and write what the node of a captured launch is (CUDA driver API, "Module Management", "Library Management",
// "Graph Management"). The text does not say which kernel is launched then, nor with which sizes.
std::vector<Asked> asks_for_kernels(const std::vector<Word>& words);
// A function by which the host's program comes to one place again, or is there twice; "": none.
std::string comes_back(const std::vector<Word>& words);

struct Mention {
  const clang::FunctionDecl* kernel = nullptr;  // null: any of this name
  const clang::IdentifierInfo* name = nullptr;
  clang::SourceLocation at;
};

// A kernel that the body of an instance names which clang could not compile.
struct LostLaunch {
  const clang::FunctionDecl* kernel = nullptr;  // or its pattern
  const clang::FunctionDecl* host = nullptr;    // the instance
  clang::SourceLocation at;
};

struct Mentions {
  std::vector<FoundLaunch> launches;
  std::vector<Mention> unclear;  // uses of a kernel's name that are no launch that we understand
  std::vector<Mention> foreign;  // launches of what nothing in the text declares
  std::vector<LostLaunch> lost;
  std::vector<const clang::FunctionDecl*> hosts;  // all functions with a body
};

// `declarations`: the user's own, of file scope, in the order of the text. `of_host`: doubts of host code
// (host_doubts.h), beside those of includes that are not there. `kernels`: the names of all kernels. `errors`: where
// clang could not read the text.
Mentions mentions(clang::ASTContext& context, const std::vector<clang::Decl*>& declarations, const Words& words,
                  const Doubts& missing, const Doubts& of_host, const std::set<const clang::IdentifierInfo*>& kernels,
                  const std::vector<clang::SourceLocation>& errors);

}  // namespace fencepost::clangfe
