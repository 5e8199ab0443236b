#include "clangfe/arch.h"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <fmt/format.h>

#include <algorithm>

namespace fencepost::clangfe {

using clang::IdentifierInfo;
using clang::SourceLocation;
using clang::Token;
namespace tok = clang::tok;

namespace {

constexpr llvm::StringRef k_feature = "__CUDA_ARCH_";

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

const IdentifierInfo* name_of(const clang::Preprocessor& pp, const Token& t) {
  if (t.is(tok::raw_identifier)) return pp.getIdentifierInfo(t.getRawIdentifier());
  return t.isAnnotation() || t.isLiteral() ? nullptr : t.getIdentifierInfo();
}

std::optional<uint32_t> number(const clang::Preprocessor& pp, const Token& t) {
  if (t.is(tok::numeric_constant)) {
    const std::string text = pp.getSpelling(t);
    llvm::StringRef digits = text;
    uint32_t n = 0;
    if (digits.consumeInteger(0, n) || digits.find_first_not_of("uUlL") != llvm::StringRef::npos) return std::nullopt;
    return n;
  }
  const IdentifierInfo* name = name_of(pp, t);
  const clang::MacroInfo* m = name == nullptr ? nullptr : pp.getMacroInfo(name);
  if (m == nullptr || !m->isObjectLike() || m->getNumTokens() != 1 ||
      m->getReplacementToken(0).isNot(tok::numeric_constant))
    return std::nullopt;
  return number(pp, m->getReplacementToken(0));
}

}  // namespace

bool is_asked_whether(const clang::Preprocessor& pp, const std::vector<Token>& tokens, size_t at) {
  const auto is_defined = [&](size_t k) {
    const IdentifierInfo* name = name_of(pp, tokens[k]);
    return name != nullptr && name->isStr("defined");
  };
  return (at > 0 && is_defined(at - 1)) || (at > 1 && tokens[at - 1].is(tok::l_paren) && is_defined(at - 2));
}

ArchDependence of_arch(const clang::Preprocessor& pp, const std::vector<Token>& tokens, size_t at, bool directive) {
  if (is_asked_whether(pp, tokens, at)) return {};
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
    return beside(number(pp, tokens[end + 1]), tokens[end].isOneOf(tok::greater, tok::lessequal));
  }
  if (begin > 1 && compares(tokens[begin - 1])) {
    if (begin > 2 && computes(tokens[begin - 3])) return {true, false, 0};
    return beside(number(pp, tokens[begin - 2]), tokens[begin - 1].isOneOf(tok::less, tok::greaterequal));
  }
  // Used as a truth value: __CUDA_ARCH__ is not 0 for any architecture.
  const bool truth =
      (begin == 0 || tokens[begin - 1].isOneOf(tok::l_paren, tok::ampamp, tok::pipepipe, tok::exclaim)) &&
      (end == tokens.size() || tokens[end].isOneOf(tok::r_paren, tok::ampamp, tok::pipepipe));
  return directive && truth ? ArchDependence{} : ArchDependence{true, false, 0};
}

ArchDependence arch_of_name(llvm::StringRef name, bool known) {
  if (const auto target = target_of(name)) return {true, *target > 0, *target};
  if (!name.starts_with(k_feature) || name == k_arch || known) return {};
  return {true, false, 0};
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

clang::SourceRange text_of(const clang::FunctionDecl* f) {
  if (const clang::FunctionDecl* pattern = f->getTemplateInstantiationPattern()) f = pattern;
  const clang::FunctionDecl* whole = nullptr;
  if (!f->hasBody(whole) || whole == nullptr) return {};
  return whole->getSourceRange();
}

bool holds(const clang::SourceManager& sm, const clang::FunctionDecl* f, SourceLocation from, SourceLocation to) {
  const clang::SourceRange range = text_of(f);
  if (range.isInvalid()) return false;
  const SourceLocation begin = sm.getExpansionLoc(range.getBegin()),
                       end = sm.getExpansionRange(range.getEnd()).getEnd();
  return sm.isBeforeInTranslationUnit(begin, sm.getExpansionLoc(from)) &&
         sm.isBeforeInTranslationUnit(sm.getExpansionLoc(to), end);
}

std::string lines_of(const clang::SourceManager& sm, SourceLocation begin, SourceLocation end) {
  const auto [file, from] = sm.getDecomposedLoc(sm.getExpansionLoc(begin));
  const unsigned first = sm.getLineNumber(file, from);
  std::string name;
  if (file != sm.getMainFileID()) name = sm.getFilename(sm.getExpansionLoc(begin)).str() + ": ";
  if (begin == end) return fmt::format("{}line {}", name, first);
  const unsigned last = sm.getLineNumber(file, sm.getFileOffset(sm.getExpansionLoc(end)));
  // Without the two directives.
  const unsigned a = std::min(first + 1, last), b = std::max(a, last - 1);
  return a == b ? fmt::format("{}line {} is", name, a) : fmt::format("{}lines {}-{} are", name, a, b);
}

static std::string words_of(const clang::SourceManager& sm, const ArchPlace& p, uint32_t arch) {
  const std::string lines = lines_of(sm, p.begin, p.end);
  return p.begin == p.end ? fmt::format("{} uses __CUDA_ARCH__, which is {}", lines, arch)
                          : fmt::format("{} left out for __CUDA_ARCH__ {}", lines, arch);
}

std::vector<OtherText> arch_notes(const clang::SourceManager& sm, const std::vector<ArchPlace>& places,
                                  const std::set<const clang::Decl*>& reached,
                                  const std::vector<const clang::FunctionDecl*>& functions, uint32_t arch, bool given) {
  std::vector<OtherText> out;
  for (const ArchPlace& p : places) {
    const bool mine = std::any_of(reached.begin(), reached.end(), [&](const clang::Decl* d) {
      const auto* f = clang::dyn_cast<clang::FunctionDecl>(d);
      return f != nullptr && holds(sm, f, p.begin, p.end);
    });
    // Constants may be made by a constexpr function that nothing reaches.
    const bool others = !mine && std::any_of(functions.begin(), functions.end(), [&](const clang::FunctionDecl* f) {
      return !f->isConstexpr() && holds(sm, f, p.begin, p.end);
    });
    if (others) continue;
    OtherText n{.text = words_of(sm, p, arch), .open = !given && (p.on.newest > arch || !p.on.compared)};
    n.wants = p.on.newest > arch ? p.on.newest : 0;
    if (std::none_of(out.begin(), out.end(), [&](const OtherText& o) { return o.text == n.text; }))
      out.push_back(std::move(n));
  }
  return out;
}

}  // namespace fencepost::clangfe
