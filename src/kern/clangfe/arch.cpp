#include "clangfe/arch.h"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <fmt/format.h>

#include <algorithm>

#include "clangfe/conditions.h"

namespace fencepost::clangfe {

using clang::IdentifierInfo;
using clang::SourceLocation;
using clang::Token;
namespace tok = clang::tok;

namespace {

// Of a name it is only asked whether it is a macro.
constexpr unsigned k_only_whether = 100;
constexpr unsigned k_deepest = 8;
constexpr llvm::StringRef k_arch = "__CUDA_ARCH__", k_feature = "__CUDA_ARCH_";

bool compares(const Token& t) {
  return t.isOneOf(tok::greaterequal, tok::greater, tok::lessequal, tok::less, tok::equalequal, tok::exclaimequal);
}
bool computes(const Token& t) {
  return t.isOneOf(tok::plus, tok::minus, tok::star, tok::slash, tok::percent, tok::amp, tok::pipe, tok::caret,
                   tok::lessless, tok::greatergreater, tok::tilde);
}

// nv/target: NV_PROVIDES_SM_80 and the like, in the text of NV_IF_TARGET.
std::optional<uint32_t> target_of(llvm::StringRef name) {
  for (const llvm::StringRef begin : {"NV_PROVIDES_SM_", "NV_IS_EXACTLY_SM_", "NV_HAS_FEATURE_SM_"}) {
    unsigned n = 0;
    if (name.consume_front(begin)) return name.consumeInteger(10, n) ? 0 : n * 10;
  }
  return std::nullopt;
}

}  // namespace

const IdentifierInfo* ArchConditions::name_of(const Token& t) const {
  if (t.is(tok::raw_identifier)) return pp_.getIdentifierInfo(t.getRawIdentifier());
  return t.isAnnotation() || t.isLiteral() ? nullptr : t.getIdentifierInfo();
}

std::optional<uint32_t> ArchConditions::number(const Token& t) const {
  if (t.is(tok::numeric_constant)) {
    const std::string text = pp_.getSpelling(t);
    llvm::StringRef digits = text;
    uint32_t n = 0;
    if (digits.consumeInteger(0, n) || digits.find_first_not_of("uUlL") != llvm::StringRef::npos) return std::nullopt;
    return n;
  }
  const IdentifierInfo* name = name_of(t);
  const clang::MacroInfo* m = name == nullptr ? nullptr : pp_.getMacroInfo(name);
  if (m == nullptr || !m->isObjectLike() || m->getNumTokens() != 1 ||
      m->getReplacementToken(0).isNot(tok::numeric_constant))
    return std::nullopt;
  return number(m->getReplacementToken(0));
}

// The word __CUDA_ARCH__ among others.
ArchDependence ArchConditions::of_arch(const std::vector<Token>& tokens, size_t at, bool directive) const {
  const auto is_defined = [&](size_t k) {
    const IdentifierInfo* name = name_of(tokens[k]);
    return name != nullptr && name->isStr("defined");
  };
  if ((at > 0 && is_defined(at - 1)) || (at > 1 && tokens[at - 1].is(tok::l_paren) && is_defined(at - 2))) return {};
  size_t begin = at, end = at + 1;
  for (; begin > 0 && end < tokens.size() && tokens[begin - 1].is(tok::l_paren) && tokens[end].is(tok::r_paren); ++end)
    --begin;
  const auto beside = [&](std::optional<uint32_t> n, bool beyond) -> ArchDependence {
    if (!n) return {true, false, 0};
    const uint32_t newer = *n + (beyond ? 1 : 0);
    if (newer <= k_cuda_archs[0]) return {};
    return {true, true, newer};
  };
  const bool computed_left = begin > 0 && computes(tokens[begin - 1]),
             computed_right = end < tokens.size() && computes(tokens[end]);
  if (computed_left || computed_right) return {true, false, 0};
  if (end + 1 < tokens.size() && compares(tokens[end])) {
    if (end + 2 < tokens.size() && computes(tokens[end + 2])) return {true, false, 0};
    return beside(number(tokens[end + 1]), tokens[end].isOneOf(tok::greater, tok::lessequal));
  }
  if (begin > 1 && compares(tokens[begin - 1])) {
    if (begin > 2 && computes(tokens[begin - 3])) return {true, false, 0};
    return beside(number(tokens[begin - 2]), tokens[begin - 1].isOneOf(tok::less, tok::greaterequal));
  }
  // It is not 0 for any.
  const bool truth =
      (begin == 0 || tokens[begin - 1].isOneOf(tok::l_paren, tok::ampamp, tok::pipepipe, tok::exclaim)) &&
      (end == tokens.size() || tokens[end].isOneOf(tok::r_paren, tok::ampamp, tok::pipepipe));
  return directive && truth ? ArchDependence{} : ArchDependence{true, false, 0};
}

ArchDependence ArchConditions::of_name(const IdentifierInfo* name, unsigned depth) const {
  if (const auto it = macros_.find(name); it != macros_.end()) return it->second;
  if (const auto target = target_of(name->getName())) return {true, *target > 0, *target};
  if (name->getName().starts_with(k_feature) && name->getName() != k_arch) {
    const bool known = pp_.getMacroInfo(name) != nullptr || spoken_of_(name->getName());
    return known ? ArchDependence{} : ArchDependence{true, false, 0};
  }
  const clang::MacroInfo* m = pp_.getMacroInfo(name);
  if (m == nullptr || m->isBuiltinMacro() || depth >= k_only_whether || !users_(m->getDefinitionLoc())) return {};
  if (depth > k_deepest) return {true, false, 0};
  return of({m->tokens_begin(), m->tokens_end()}, depth + 1, false);
}

ArchDependence ArchConditions::of(const std::vector<Token>& tokens, unsigned depth, bool directive) const {
  ArchDependence out;
  for (size_t k = 0; k < tokens.size(); ++k)
    if (const IdentifierInfo* name = name_of(tokens[k])) {
      out.join(name->getName() == k_arch ? of_arch(tokens, k, directive) : of_name(name, depth));
      // A name that is put together may be one that a condition decides.
      const clang::MacroInfo* m = pp_.getMacroInfo(name);
      if (directive && m != nullptr && !macros_.empty() && users_(m->getDefinitionLoc()) &&
          std::any_of(m->tokens_begin(), m->tokens_end(), [](const Token& t) { return t.is(tok::hashhash); }))
        out.join({true, false, 0});
    }
  return out;
}

std::vector<Token> ArchConditions::rest_of_line(SourceLocation at) const {
  const clang::SourceManager& sm = pp_.getSourceManager();
  const auto [file, from] = sm.getDecomposedLoc(sm.getExpansionLoc(at));
  bool bad = false;
  const llvm::StringRef text = sm.getBufferData(file, &bad);
  std::vector<Token> out;
  if (bad) return out;
  clang::Lexer lexer(sm.getLocForStartOfFile(file), pp_.getLangOpts(), text.begin(), text.begin() + from, text.end());
  lexer.setParsingPreprocessorDirective(true);
  for (Token t; !lexer.LexFromRawLexer(t) && !t.isOneOf(tok::eod, tok::eof);) out.push_back(t);
  return out;
}

ArchConditions::Line ArchConditions::line(SourceLocation at) const {
  const clang::SourceManager& sm = pp_.getSourceManager();
  const auto [file, offset] = sm.getDecomposedLoc(sm.getExpansionLoc(at));
  return {file, sm.getLineNumber(file, offset)};
}

void ArchConditions::open(SourceLocation at, ArchDependence d) {
  if (!users_(at)) d = {};
  directives_[line(at)] = chains_.size();
  open_.push_back(chains_.size());
  chains_.push_back(d);
}

void ArchConditions::branch(SourceLocation at, const ArchDependence& d) {
  if (open_.empty()) return;
  directives_[line(at)] = open_.back();
  if (users_(at)) chains_[open_.back()].join(d);
}

ArchDependence ArchConditions::open_now() const {
  ArchDependence d;
  for (const size_t k : open_)
    if (chains_[k].any) d.join(chains_[k]);
  return d;
}

void ArchConditions::If(SourceLocation at, clang::SourceRange condition, ConditionValueKind) {
  open(at, of(rest_of_line(condition.getBegin()), 0, true));
}
void ArchConditions::Elif(SourceLocation at, clang::SourceRange condition, ConditionValueKind, SourceLocation) {
  branch(at, of(rest_of_line(condition.getBegin()), 0, true));
}
void ArchConditions::Ifdef(SourceLocation at, const Token& name, const clang::MacroDefinition&) {
  const IdentifierInfo* i = name_of(name);
  open(at, i == nullptr || i->getName() == k_arch ? ArchDependence{} : of_name(i, k_only_whether));
}
void ArchConditions::Ifndef(SourceLocation at, const Token& name, const clang::MacroDefinition& d) {
  Ifdef(at, name, d);
}
void ArchConditions::Elifdef(SourceLocation at, const Token& name, const clang::MacroDefinition&) {
  const IdentifierInfo* i = name_of(name);
  branch(at, i == nullptr || i->getName() == k_arch ? ArchDependence{} : of_name(i, k_only_whether));
}
void ArchConditions::Elifdef(SourceLocation at, clang::SourceRange, SourceLocation) { branch(at, {}); }
void ArchConditions::Elifndef(SourceLocation at, const Token& name, const clang::MacroDefinition& d) {
  Elifdef(at, name, d);
}
void ArchConditions::Elifndef(SourceLocation at, clang::SourceRange, SourceLocation) { branch(at, {}); }
void ArchConditions::Else(SourceLocation at, SourceLocation) { branch(at, {}); }
void ArchConditions::Endif(SourceLocation, SourceLocation) {
  if (!open_.empty()) open_.pop_back();
}

void ArchConditions::MacroDefined(const Token& name, const clang::MacroDirective* d) {
  if (!users_(d->getLocation())) return;
  const ArchDependence now = open_now();
  if (now.any)
    macros_.insert_or_assign(name_of(name), now);
  else
    macros_.erase(name_of(name));
}

void ArchConditions::MacroUndefined(const Token& name, const clang::MacroDefinition&, const clang::MacroDirective*) {
  const ArchDependence now = open_now();
  if (now.any)
    macros_.insert_or_assign(name_of(name), now);
  else
    macros_.erase(name_of(name));
}

void ArchConditions::MacroExpands(const Token& name, const clang::MacroDefinition&, clang::SourceRange range,
                                  const clang::MacroArgs*) {
  const IdentifierInfo* i = name_of(name);
  if (i == nullptr || pp_.isParsingIfOrElifDirective()) return;
  const clang::SourceManager& sm = pp_.getSourceManager();
  const SourceLocation at = sm.getExpansionLoc(range.getBegin());
  if (!users_(at)) return;
  ArchDependence d;
  if (i->getName() != k_arch) {
    d = of_name(i, 0);
  } else if (name.getLocation().isFileID()) {  // else the macro around it was noted, or is a library's
    const auto [file, offset] = sm.getDecomposedLoc(at);
    const SourceLocation begin = sm.getLocForStartOfFile(file).getLocWithOffset(
        static_cast<int>(offset - (sm.getColumnNumber(file, offset) - 1)));
    const std::vector<Token> tokens = rest_of_line(begin);
    d = {true, false, 0};  // where the line begins within a comment, say
    for (size_t k = 0; k < tokens.size(); ++k)
      if (tokens[k].getLocation() == at) d = of_arch(tokens, k, false);
  }
  if (d.any) out_.push_back({at, at, d});
}

void ArchConditions::SourceRangeSkipped(clang::SourceRange range, SourceLocation) {
  const auto chain = directives_.find(line(range.getBegin()));
  if (chain == directives_.end() || !chains_[chain->second].any || !users_(range.getBegin())) return;
  const ArchDependence& on = chains_[chain->second];
  const SkippedText skipped = skipped_text(pp_, range);
  for (const IdentifierInfo* name : skipped.macros) macros_[name].join(on);
  if (skipped.content) out_.push_back({range.getBegin(), range.getEnd(), on});
}

// ---- what it is to kernels -----------------------------------------------------------------------------------------

uint32_t arch_for(const std::vector<ArchPlace>& places, uint32_t least) {
  uint32_t newest = least;
  for (const ArchPlace& p : places) newest = std::max(newest, p.on.newest);
  if (newest == least) return least;
  for (const uint32_t a : k_cuda_archs)
    if (a >= newest) return a;
  return std::max(least, *std::rbegin(k_cuda_archs));
}

namespace {

// The text of a function, or of the template that it was made of.
clang::SourceRange text_of(const clang::FunctionDecl* f) {
  if (const clang::FunctionDecl* pattern = f->getTemplateInstantiationPattern()) f = pattern;
  const clang::FunctionDecl* whole = nullptr;
  if (!f->hasBody(whole) || whole == nullptr) return {};
  return whole->getSourceRange();
}

std::string words_of(const clang::SourceManager& sm, const ArchPlace& p, uint32_t arch) {
  const auto [file, from] = sm.getDecomposedLoc(sm.getExpansionLoc(p.begin));
  const unsigned first = sm.getLineNumber(file, from);
  std::string name;
  if (file != sm.getMainFileID()) name = sm.getFilename(sm.getExpansionLoc(p.begin)).str() + ": ";
  if (p.begin == p.end) return fmt::format("{}line {} uses __CUDA_ARCH__, which is {}", name, first, arch);
  const unsigned last = sm.getLineNumber(file, sm.getFileOffset(sm.getExpansionLoc(p.end)));
  // Without the two directives.
  const unsigned a = std::min(first + 1, last), b = std::max(a, last - 1);
  return a == b ? fmt::format("{}line {} is left out for __CUDA_ARCH__ {}", name, a, arch)
                : fmt::format("{}lines {}-{} are left out for __CUDA_ARCH__ {}", name, a, b, arch);
}

}  // namespace

std::vector<ArchNote> arch_notes(const clang::SourceManager& sm, const std::vector<ArchPlace>& places,
                                 const std::set<const clang::Decl*>& reached,
                                 const std::vector<const clang::FunctionDecl*>& functions, uint32_t arch, bool given) {
  const auto holds = [&](const clang::FunctionDecl* f, const ArchPlace& p) {
    const clang::SourceRange range = text_of(f);
    if (range.isInvalid()) return false;
    const SourceLocation begin = sm.getExpansionLoc(range.getBegin()),
                         end = sm.getExpansionRange(range.getEnd()).getEnd(), from = sm.getExpansionLoc(p.begin),
                         to = sm.getExpansionLoc(p.end);
    return sm.isBeforeInTranslationUnit(begin, from) && sm.isBeforeInTranslationUnit(to, end);
  };
  std::vector<ArchNote> out;
  for (const ArchPlace& p : places) {
    const bool mine = std::any_of(reached.begin(), reached.end(), [&](const clang::Decl* d) {
      const auto* f = clang::dyn_cast<clang::FunctionDecl>(d);
      return f != nullptr && holds(f, p);
    });
    // Constants may be made by a constexpr function that nothing reaches.
    const bool others = !mine && std::any_of(functions.begin(), functions.end(), [&](const clang::FunctionDecl* f) {
      return !f->isConstexpr() && holds(f, p);
    });
    if (others) continue;
    ArchNote n{.text = words_of(sm, p, arch), .open = !given && (p.on.newest > arch || !p.on.compared)};
    n.wants = p.on.newest > arch ? p.on.newest : 0;
    if (std::none_of(out.begin(), out.end(), [&](const ArchNote& o) { return o.text == n.text; }))
      out.push_back(std::move(n));
  }
  return out;
}

}  // namespace fencepost::clangfe
