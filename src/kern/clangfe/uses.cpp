#include "clangfe/uses.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace fencepost::clangfe {

bool Uses::accounted(const clang::VarDecl* v, clang::SourceRange body) const {
  const clang::SourceManager& sm = context_.getSourceManager();
  const clang::SourceLocation begin = sm.getExpansionLoc(body.getBegin()), end = sm.getExpansionLoc(body.getEnd());
  const auto [file, from] = sm.getDecomposedLoc(begin);
  const auto [last, to] = sm.getDecomposedLoc(end);
  const clang::IdentifierInfo* name = v->getIdentifier();
  if (file != last || name == nullptr) return false;
  bool bad = false;
  const llvm::StringRef text = sm.getBufferData(file, &bad);
  if (bad) return false;
  const auto known = places_.find(name);
  clang::Lexer lexer(sm.getLocForStartOfFile(file), context_.getLangOpts(), text.begin(), text.begin() + from,
                     text.end());
  clang::Token t;
  while (!lexer.LexFromRawLexer(t)) {
    if (sm.getFileOffset(t.getLocation()) > to) break;
    if (t.is(clang::tok::raw_identifier) && t.getRawIdentifier() == name->getName() &&
        (known == places_.end() || known->second.count(t.getLocation().getRawEncoding()) == 0))
      return false;
  }
  return true;
}

}  // namespace fencepost::clangfe
