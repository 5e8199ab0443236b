#include "clangfe/conditions.h"

#include <clang/Basic/OperatorPrecedence.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroArgs.h>
#include <clang/Lex/MacroInfo.h>
#include <llvm/ADT/StringSet.h>

#include <algorithm>

#include "clangfe/embedded.h"

namespace fencepost::clangfe {

using clang::IdentifierInfo;
using clang::SourceLocation;
using clang::Token;
namespace tok = clang::tok;

namespace {

constexpr const char* k_host_words = "host code has no __CUDA_ARCH__";
constexpr const char* k_made = "a name that ## makes";

bool pastes(const clang::MacroInfo* m) {
  return std::any_of(m->tokens_begin(), m->tokens_end(), [](const Token& t) { return t.is(tok::hashhash); });
}

// What stands in text that a condition leaves out, which goes from one directive to another.
struct SkippedText {
  struct Macro {
    const IdentifierInfo* name;
    bool inert;                   // of #undef: true
    std::set<std::string> words;  // of what it stands for
    bool defined;                 // false: #undef, or what says nothing where it says nothing here
  };
  bool content = false;  // code, an include or a layout of structures, or a file that cannot be read
  std::vector<Macro> macros;
};

SkippedText skipped_text(const clang::Preprocessor& pp, clang::SourceRange range) {
  const clang::SourceManager& sm = pp.getSourceManager();
  const std::vector<Token> words =
      words_between(sm, pp.getLangOpts(), sm.getExpansionLoc(range.getBegin()), sm.getExpansionLoc(range.getEnd()));
  SkippedText out;
  bool bad = false;
  (void)sm.getBufferData(sm.getFileID(sm.getExpansionLoc(range.getBegin())), &bad);
  out.content = bad;
  for (size_t k = 0; k < words.size(); ++k) {
    if (words[k].isNot(tok::hash) || !words[k].isAtStartOfLine()) {
      out.content = true;
      continue;
    }
    const auto raw = [&](size_t n) {
      return n < words.size() && words[n].is(tok::raw_identifier) && !words[n].isAtStartOfLine()
                 ? words[n].getRawIdentifier()
                 : llvm::StringRef();
    };
    const llvm::StringRef word = raw(k + 1), name = raw(k + 2);
    size_t end = k + 1;
    while (end < words.size() && !words[end].isAtStartOfLine()) ++end;
    out.content = out.content || word.starts_with("include") || (word == "pragma" && name == "pack");
    if ((word == "define" || word == "undef") && !name.empty()) {
      size_t from = k + 3;
      if (from < end && words[from].is(tok::l_paren) && !words[from].hasLeadingSpace())
        while (from < end && words[from++].isNot(tok::r_paren)) {
        }
      const std::vector<Token> body(words.begin() + static_cast<ptrdiff_t>(from),
                                    words.begin() + static_cast<ptrdiff_t>(end));
      std::set<std::string> said;
      for (const Token& t : body)
        if (t.is(tok::raw_identifier)) said.insert(t.getRawIdentifier().str());
      // A word that says nothing of what is done, as it is here.
      Token open = words[k + 2], close = open;
      open.setKind(tok::l_paren), close.setKind(tok::r_paren);
      const bool idle = is_inert(pp, {words[k + 2]}) || is_inert(pp, {words[k + 2], open, close});
      const bool defined = word == "define", inert = !defined || is_inert(pp, body);
      out.macros.push_back({pp.getIdentifierInfo(name), inert, std::move(said), defined && !(inert && idle)});
    }
    k = end - 1;
  }
  return out;
}

// Functions that compute and do nothing else.
bool only_computes(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"min",   "max",      "abs",  "fabs",  "fabsf", "isnan",
                                          "isinf", "isfinite", "sqrt", "sqrtf", "labs",  "defined"};
  return names.contains(name);
}

// A name before a parenthesis. What a macro with parameters stands for is looked at by itself.
bool is_call(const clang::Preprocessor& pp, const IdentifierInfo* name) {
  const clang::MacroInfo* m = pp.getMacroInfo(name);
  return m == nullptr ? !only_computes(name->getName()) : !m->isFunctionLike();
}

// Whether an expression may do more than compute: by its words, so that every call of a function counts but those.
bool has_effect(const clang::Preprocessor& pp, std::vector<Token> tokens) {
  std::set<const IdentifierInfo*> met;
  for (std::vector<std::vector<Token>> todo{std::move(tokens)}; !todo.empty();) {
    const std::vector<Token> now = std::move(todo.back());
    todo.pop_back();
    size_t opened = 0;  // where the parenthesis that was closed last began
    std::vector<size_t> open;
    for (size_t k = 0; k < now.size(); ++k) {
      const Token& t = now[k];
      if (t.isOneOf(tok::plusplus, tok::minusminus, tok::l_brace, tok::kw_new, tok::kw_delete, tok::kw_asm,
                    tok::equal) ||
          clang::getBinOpPrecedence(t.getKind(), true, true) == clang::prec::Assignment)
        return true;
      if (t.is(tok::r_paren) && !open.empty()) {
        opened = open.back();
        open.pop_back();
      }
      if (const IdentifierInfo* name = t.isAnnotation() || t.isLiteral() ? nullptr : t.getIdentifierInfo())
        if (const clang::MacroInfo* m = pp.getMacroInfo(name); m != nullptr && met.insert(name).second)
          todo.emplace_back(m->tokens_begin(), m->tokens_end());
      if (t.isNot(tok::l_paren)) continue;
      open.push_back(k);
      if (k == 0) continue;
      const Token& before = now[k - 1];
      const bool cast = before.is(tok::r_paren) && std::none_of(now.begin() + static_cast<ptrdiff_t>(opened),
                                                                now.begin() + static_cast<ptrdiff_t>(k),
                                                                [](const Token& x) { return x.is(tok::identifier); });
      if (before.is(tok::identifier)
              ? is_call(pp, before.getIdentifierInfo())
              : before.isOneOf(tok::greater, tok::r_square) || (before.is(tok::r_paren) && !cast))
        return true;
    }
  }
  return false;
}

}  // namespace

void Dependence::join(const Dependence& o) {
  if (missing.empty()) missing = o.missing;
  host = host || o.host;
  arch.join(o.arch);
  compilers.insert(o.compilers.begin(), o.compilers.end());
}

void Doubts::add(const Doubts& o) {
  regions.insert(regions.end(), o.regions.begin(), o.regions.end());
  uses.insert(uses.end(), o.uses.begin(), o.uses.end());
  skipped.insert(skipped.end(), o.skipped.begin(), o.skipped.end());
  names.insert(o.names.begin(), o.names.end());
}

// ---- names ---------------------------------------------------------------------------------------------------------

const IdentifierInfo* Conditions::name_of(const Token& t) const {
  if (t.is(tok::raw_identifier)) return pp_.getIdentifierInfo(t.getRawIdentifier());
  return t.isAnnotation() || t.isLiteral() ? nullptr : t.getIdentifierInfo();
}

bool Conditions::differs_by_compiler(const IdentifierInfo* name, const clang::MacroInfo* m, bool whether) const {
  const llvm::StringRef n = name->getName();
  if (spoken_of_(n) || undefined_.contains(name)) return false;
  if (m == nullptr && may_be_of_library(name)) return true;
  if (is_everywhere(n, whether)) return false;
  if (m != nullptr && !m->isBuiltinMacro() && users_(m->getDefinitionLoc())) return false;
  return m != nullptr || may_be_of_compilers(n);
}

// A header of the standard library, of CUDA or of somebody else is included whose text is not read here, and may define
// the name, which the user's own text defines nowhere.
bool Conditions::may_be_of_library(const IdentifierInfo* name) const {
  const llvm::StringRef n = name->getName();
  const bool limit = n.ends_with("_MAX") || n.ends_with("_MIN");
  if (own_names_.contains(name) || (!limit && is_everywhere(n, true))) return false;
  return stands_in_ || n.starts_with("cuda");  // nvcc includes cuda_runtime.h itself
}

void Conditions::FileChanged(SourceLocation at, FileChangeReason why, clang::SrcMgr::CharacteristicKind,
                             clang::FileID) {
  if (why != EnterFile || !users_(at)) return;
  const clang::SourceManager& sm = pp_.getSourceManager();
  const clang::FileID file = sm.getFileID(at);
  bool bad = false;
  const llvm::StringRef text = sm.getBufferData(file, &bad);
  if (bad) return;
  clang::Lexer lexer(sm.getLocForStartOfFile(file), pp_.getLangOpts(), text.begin(), text.begin(), text.end());
  unsigned read = 0;  // words of `#define`
  for (Token t; !lexer.LexFromRawLexer(t) && t.isNot(tok::eof);) {
    if (read == 2 && t.is(tok::raw_identifier)) own_names_.insert(name_of(t));
    const bool define = read == 1 && t.is(tok::raw_identifier) && t.getRawIdentifier() == "define";
    read = t.is(tok::hash) && t.isAtStartOfLine() ? 1 : define ? 2 : 0;
  }
}

void Conditions::InclusionDirective(SourceLocation at, const Token&, llvm::StringRef, bool, clang::CharSourceRange,
                                    clang::OptionalFileEntryRef file, llvm::StringRef, llvm::StringRef,
                                    const clang::Module*, bool, clang::SrcMgr::CharacteristicKind) {
  if (users_(at) && (!file || file->getName().starts_with(k_header_folder))) stands_in_ = true;
}

Dependence Conditions::own(const IdentifierInfo* name, const clang::MacroInfo* m, Asked asked) const {
  const llvm::StringRef n = name->getName();
  Dependence d;
  if (const auto it = macros_.find(name); it != macros_.end()) {
    d = it->second.on;
    if (asked == Asked::code && it->second.inert) d.compilers.clear();
  }
  if (d.missing.empty() && !missing_.empty() && m == nullptr && !of_compilers(n) && !spoken_of_(n))
    d.missing = "'" + n.str() + "' may be a macro of '" + missing_ + "', which is not there";
  d.host = d.host || n.starts_with("__CUDA_ARCH_");
  if (asked != Asked::whether || n != k_arch) d.arch.join(arch_of_name(n, m != nullptr || spoken_of_(n)));
  if ((asked != Asked::code || (d.missing.empty() && tells_in_code(n))) &&
      differs_by_compiler(name, m, asked == Asked::whether))
    d.compilers.insert(n.str());
  return d;
}

Dependence Conditions::of(const std::vector<Token>& tokens, Asked asked, Names& met) const {
  struct Text {
    std::vector<Token> tokens;
    bool directive, users;  // of a condition itself; of macros of the user's alone
    const clang::MacroInfo* of;
  };
  Dependence out;
  std::vector<Text> todo{{tokens, asked != Asked::code, true, nullptr}};
  while (!todo.empty()) {
    const Text now = std::move(todo.back());
    todo.pop_back();
    for (size_t k = 0; k < now.tokens.size(); ++k) {
      const IdentifierInfo* name = name_of(now.tokens[k]);
      if (name == nullptr || (now.of != nullptr && now.of->getParameterNum(name) >= 0)) continue;
      const clang::MacroInfo* m = pp_.getMacroInfo(name);
      const bool whether = asked != Asked::code && is_asked_whether(pp_, now.tokens, k);
      Dependence d = own(name, m, whether ? Asked::whether : asked);
      if (name->getName() == k_arch) d.arch = of_arch(pp_, now.tokens, k, now.directive);
      if (!now.users) d.arch = {}, d.compilers.clear();
      out.join(d);
      if (whether || !met.insert(name).second || m == nullptr || m->isBuiltinMacro()) continue;
      todo.push_back({{m->tokens_begin(), m->tokens_end()}, false, now.users && users_(m->getDefinitionLoc()), m});
    }
  }
  return out;
}

// The tokens of a preprocessor condition, and the names that ## makes of them.
Dependence Conditions::of_condition(clang::SourceRange condition) {
  Names met;
  Dependence d = of(rest_of_line(condition.getBegin()), Asked::condition, met);
  size_t made = 0, found = 0;
  const std::vector<const IdentifierInfo*> expanded = std::move(expanded_);
  expanded_.clear();
  for (const IdentifierInfo* name : expanded) {
    const clang::MacroInfo* m = pp_.getMacroInfo(name);
    made += m != nullptr && pastes(m) && users_(m->getDefinitionLoc()) ? 1 : 0;
    if (met.contains(name)) continue;
    ++found;
    Token t;
    t.startToken();
    t.setKind(tok::identifier);
    t.setIdentifierInfo(const_cast<IdentifierInfo*>(name));
    d.join(of({t}, Asked::condition, met));
    if (name->getName() == k_arch) d.arch.join({true, false, 0});
  }
  // A condition that was not evaluated, too.
  for (const IdentifierInfo* name : met)
    if (const clang::MacroInfo* m = pp_.getMacroInfo(name); m != nullptr && expanded.empty())
      made += pastes(m) && users_(m->getDefinitionLoc()) ? 1 : 0;
  if (made > found) {
    for (const auto& [name, macro] : macros_) d.join(macro.on);
    d.arch.compared = !d.arch.any;
    d.compilers.insert(k_made);
  }
  return d;
}

Dependence Conditions::whether(const Token& name) const {
  const IdentifierInfo* i = name_of(name);
  return i == nullptr ? Dependence{} : own(i, pp_.getMacroInfo(i), Asked::whether);
}

std::vector<Token> Conditions::rest_of_line(SourceLocation at) const {
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

// ---- directives ----------------------------------------------------------------------------------------------------

Conditions::Line Conditions::line(SourceLocation at) const {
  const clang::SourceManager& sm = pp_.getSourceManager();
  const auto [file, offset] = sm.getDecomposedLoc(sm.getExpansionLoc(at));
  return {file, sm.getLineNumber(file, offset)};
}

Dependence Conditions::open_now() const {
  Dependence d;
  for (const size_t k : open_) d.join(chains_[k].on);
  return d;
}

void Conditions::open(SourceLocation at, Dependence d, bool taken, const IdentifierInfo* guard) {
  Chain c{.users = users_(at), .guard = guard, .branches = {{at, taken}}};
  if (c.users) c.on = std::move(d);
  c.settled = taken && !c.on.any();
  directives_[line(at)] = chains_.size();
  open_.push_back(chains_.size());
  chains_.push_back(std::move(c));
  expanded_.clear();
}

void Conditions::branch(SourceLocation at, const Dependence& d, bool taken) {
  expanded_.clear();
  if (open_.empty()) return;
  directives_[line(at)] = open_.back();
  Chain& c = chains_[open_.back()];
  if (c.users && !c.settled) c.on.join(d);
  c.settled = c.settled || (taken && !c.on.any());
  c.guard = nullptr;
  c.branches.push_back({at, taken});
}

void Conditions::If(SourceLocation at, clang::SourceRange condition, ConditionValueKind value) {
  open(at, of_condition(condition), value == CVK_True);
}
void Conditions::Elif(SourceLocation at, clang::SourceRange condition, ConditionValueKind value, SourceLocation) {
  branch(at, of_condition(condition), value == CVK_True);
}
void Conditions::Ifdef(SourceLocation at, const Token& name, const clang::MacroDefinition& d) {
  open(at, whether(name), static_cast<bool>(d));
}
void Conditions::Ifndef(SourceLocation at, const Token& name, const clang::MacroDefinition& d) {
  open(at, whether(name), !d, name_of(name));
}
void Conditions::Elifdef(SourceLocation at, const Token& name, const clang::MacroDefinition& d) {
  branch(at, whether(name), static_cast<bool>(d));
}
void Conditions::Elifndef(SourceLocation at, const Token& name, const clang::MacroDefinition& d) {
  branch(at, whether(name), !d);
}
// Behind a branch that was taken.
void Conditions::Elifdef(SourceLocation at, clang::SourceRange, SourceLocation) { branch(at, {}, false); }
void Conditions::Elifndef(SourceLocation at, clang::SourceRange, SourceLocation) { branch(at, {}, false); }

void Conditions::Else(SourceLocation at, SourceLocation) {
  if (open_.empty()) return;
  const std::vector<Branch>& before = chains_[open_.back()].branches;
  branch(at, {}, std::none_of(before.begin(), before.end(), [](const Branch& b) { return b.taken; }));
  chains_[open_.back()].whole = true;
}

void Conditions::Endif(SourceLocation at, SourceLocation) {
  if (open_.empty()) return;
  const Chain& c = chains_[open_.back()];
  open_.pop_back();
  const SourceLocation begin = c.branches.front().at;
  if (!c.on.missing.empty()) out_.missing.regions.push_back({begin, at, c.on.missing});
  if (c.on.host) out_.host.regions.push_back({begin, at, k_host_words});
  if (!c.on.compilers.empty()) note_compilers(c, at);
  if (!c.on.arch.any) return;
  // Read for this __CUDA_ARCH__ alone. What is left out was noted where it was skipped.
  CompilerPlace p{.begin = begin, .end = at, .names = {k_arch.str()}};
  for (size_t k = 0; k < c.branches.size(); ++k) {
    const SourceLocation from = c.branches[k].at, to = k + 1 < c.branches.size() ? c.branches[k + 1].at : at;
    if (!c.branches[k].taken) {
      if (skipped_text(pp_, {from, to}).content) return;
    } else if (says_something(pp_, words_between(pp_.getSourceManager(), pp_.getLangOpts(), from, to))) {
      p.there.emplace_back(from, to);
    }
  }
  if (!p.there.empty()) out_.compilers.push_back(std::move(p));
}

void Conditions::note_compilers(const Chain& c, SourceLocation end) {
  const clang::SourceManager& sm = pp_.getSourceManager();
  CompilerPlace p{.begin = c.branches.front().at, .end = end, .names = c.on.compilers};
  std::set<std::string> texts;
  if (!c.whole) texts.insert("");
  for (size_t k = 0; k < c.branches.size(); ++k) {
    const SourceLocation next = k + 1 < c.branches.size() ? c.branches[k + 1].at : end;
    const std::vector<Token> words = words_between(sm, pp_.getLangOpts(), c.branches[k].at, next);
    std::string text;
    for (const Token& t : words) text += clang::Lexer::getSpelling(t, sm, pp_.getLangOpts()) + " ";
    texts.insert(text);
    if (says_something(pp_, words)) (c.branches[k].taken ? p.there : p.left).emplace_back(c.branches[k].at, next);
  }
  if (texts.size() > 1 && (!p.there.empty() || !p.left.empty())) out_.compilers.push_back(std::move(p));
}

// ---- macros --------------------------------------------------------------------------------------------------------

void Conditions::MacroDefined(const Token& name, const clang::MacroDirective* d) {
  const IdentifierInfo* i = name_of(name);
  const clang::MacroInfo* m = d->getMacroInfo();
  if (!open_.empty()) {
    Chain& c = chains_[open_.back()];
    if (c.guard == i) {
      // #ifndef X, #define X: the guard of a file, or a switch that is on in any case.
      if (m->tokens_empty()) c.on.missing.clear(), c.on.host = false;
      if (m->tokens_empty() || !of_compilers(i->getName())) {
        // That somebody else defines it is not thought of; what the text itself defined it by stays.
        const auto by = macros_.find(i);
        c.on.compilers = by == macros_.end() ? std::set<std::string>{} : by->second.on.compilers;
      }
    }
    c.guard = nullptr;
  }
  Dependence now = open_now();
  if (!users_(d->getLocation())) now.arch = {}, now.compilers.clear();
  undefined_.erase(i);
  const auto before = macros_.find(i);
  const bool inert =
      is_inert(pp_, {m->tokens_begin(), m->tokens_end()}) && (before == macros_.end() || before->second.inert);
  if (now.any())
    macros_.insert_or_assign(i, Macro{std::move(now), inert, words_elsewhere(i)});
  else
    macros_.erase(i);
}

std::set<std::string> Conditions::words_elsewhere(const IdentifierInfo* name) const {
  const auto it = macros_.find(name);
  return it == macros_.end() ? std::set<std::string>{} : it->second.words;
}

void Conditions::MacroUndefined(const Token& name, const clang::MacroDefinition& d, const clang::MacroDirective*) {
  const IdentifierInfo* i = name_of(name);
  if (!open_.empty()) chains_[open_.back()].guard = nullptr;
  Dependence now = open_now();
  if (now.any()) {
    const clang::MacroInfo* m = d.getMacroInfo();
    const bool inert = m == nullptr || is_inert(pp_, {m->tokens_begin(), m->tokens_end()});
    macros_.insert_or_assign(i, Macro{std::move(now), inert, words_elsewhere(i)});
    return;
  }
  macros_.erase(i);
  if (users_(name.getLocation())) undefined_.insert(i);
}

// With NDEBUG it is not evaluated. What it does is then not done; what it asks was proved, and nothing rests on it.
void Conditions::note_assert(SourceLocation at, const clang::MacroArgs* arguments) {
  const IdentifierInfo* name = pp_.getIdentifierInfo("NDEBUG");
  Dependence d = own(name, pp_.getMacroInfo(name), Asked::whether);
  if (d.compilers.empty() || arguments == nullptr || arguments->getNumMacroArguments() == 0) return;
  std::vector<Token> tokens;
  for (const Token* t = arguments->getUnexpArgument(0); t->isNot(tok::eof); ++t) tokens.push_back(*t);
  if (!has_effect(pp_, std::move(tokens))) return;
  out_.compilers.push_back({.begin = at, .end = at, .names = std::move(d.compilers), .macro = "assert"});
}

void Conditions::MacroExpands(const Token& name, const clang::MacroDefinition&, clang::SourceRange range,
                              const clang::MacroArgs* arguments) {
  const IdentifierInfo* i = name_of(name);
  if (i == nullptr) return;
  const clang::SourceManager& sm = pp_.getSourceManager();
  const SourceLocation at = sm.getExpansionLoc(range.getBegin());
  const bool in_text = name.getLocation().isFileID();
  const clang::MacroInfo* m = pp_.getMacroInfo(i);
  if (in_text) outer_is_users_ = m != nullptr && users_(m->getDefinitionLoc());
  if (const auto it = macros_.find(i); it != macros_.end()) {
    if (!it->second.on.missing.empty()) out_.missing.uses.push_back({at, it->second.on.missing});
    if (it->second.on.host && !it->second.inert) out_.host.uses.push_back({at, k_host_words, true});
  }
  if (pp_.isParsingIfOrElifDirective()) {
    expanded_.push_back(i);
    return;
  }
  if (!users_(at)) return;
  if (i->isStr("assert") && m != nullptr && !users_(m->getDefinitionLoc())) note_assert(at, arguments);
  // Else the macro around it was noted, or is a library's.
  const bool made = outer_is_users_ && sm.isWrittenInScratchSpace(sm.getSpellingLoc(name.getLocation()));
  ArchDependence arch;
  std::set<std::string> compilers;
  if (i->getName() == k_arch) {
    if (in_text)
      arch = of_arch_in_line(at);
    else if (made)
      arch = {true, false, 0};
  } else {
    Names met;
    Dependence d = of({name}, Asked::code, met);
    arch = d.arch;
    if (in_text || made) compilers = std::move(d.compilers);
  }
  if (arch.any) out_.arch.push_back({at, at, arch});
  if (!compilers.empty())
    out_.compilers.push_back({.begin = at,
                              .end = at,
                              .names = std::move(compilers),
                              .macro = i->getName().str(),
                              .words = words_elsewhere(i)});
}

// The word __CUDA_ARCH__ at this place of the text.
ArchDependence Conditions::of_arch_in_line(SourceLocation at) const {
  const clang::SourceManager& sm = pp_.getSourceManager();
  const auto [file, offset] = sm.getDecomposedLoc(at);
  const SourceLocation begin =
      sm.getLocForStartOfFile(file).getLocWithOffset(static_cast<int>(offset - (sm.getColumnNumber(file, offset) - 1)));
  const std::vector<Token> tokens = rest_of_line(begin);
  for (size_t k = 0; k < tokens.size(); ++k)
    if (tokens[k].getLocation() == at) return of_arch(pp_, tokens, k, false);
  return {true, false, 0};  // where the line begins within a comment, say
}

void Conditions::SourceRangeSkipped(clang::SourceRange range, SourceLocation) {
  const auto found = directives_.find(line(range.getBegin()));
  if (found == directives_.end() || !users_(range.getBegin())) return;
  const Chain& c = chains_[found->second];
  if (!c.on.any()) return;
  const SkippedText skipped = skipped_text(pp_, range);
  // A default that is not needed.
  const bool only_default = c.guard != nullptr && !skipped.content && skipped.macros.size() == 1 &&
                            skipped.macros.front().name == c.guard && !of_compilers(c.guard->getName());
  if (!c.on.missing.empty()) out_.missing.skipped.push_back(range);
  if (c.on.host) out_.host.skipped.push_back(range);
  if (c.on.arch.any && skipped.content) out_.arch.push_back({range.getBegin(), range.getEnd(), c.on.arch});
  for (const SkippedText::Macro& x : skipped.macros) {
    const clang::MacroInfo* m = pp_.getMacroInfo(x.name);
    const bool inert = x.inert && (m == nullptr || is_inert(pp_, {m->tokens_begin(), m->tokens_end()}));
    const auto [it, first] = macros_.try_emplace(x.name, Macro{{}, inert, {}});
    it->second.inert = it->second.inert && inert;
    it->second.words.insert(x.words.begin(), x.words.end());
    Dependence on = c.on;
    if (only_default) on.compilers.clear();
    it->second.on.join(on);
    if (!x.defined) continue;
    CompilerPlace p{.begin = range.getBegin(), .end = range.getEnd(), .names = on.compilers};
    if (on.arch.any) p.names.insert(k_arch.str());
    p.left.emplace_back(p.begin, p.end);
    p.words = {x.name->getName().str()};
    if (!p.names.empty()) out_.compilers.push_back(std::move(p));
  }
}

}  // namespace fencepost::clangfe
