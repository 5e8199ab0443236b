#include "clangfe/conditions.h"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>

namespace fencepost::clangfe {

using clang::IdentifierInfo;
using clang::SourceLocation;

namespace {

// Macros of compilers, systems and the toolkit: no header of a project defines them.
bool of_compilers(llvm::StringRef name) {
  for (const char* begin : {"__CUDA",    "__NV",        "__HIP",     "__HCC",   "__SYCL",   "__clang", "__GNU",
                            "__STDC",    "__cplusplus", "__APPLE__", "__linux", "__unix",   "__x86",   "__amd64",
                            "__aarch64", "__INTEL",     "__PGI",     "__has_",  "_WIN",     "__WIN",   "_MSC",
                            "_OPENMP",   "_OPENACC",    "__MINGW",   "__cpp_",  "__DEVICE", "__LP64",  "__SIZEOF"})
    if (name.starts_with(begin)) return true;
  for (const char* whole : {"defined", "true", "false", "NDEBUG", "_DEBUG", "WIN32", "WIN64", "CUDA_VERSION",
                            "CUDART_VERSION", "and", "or", "not"})
    if (name == whole) return true;
  return false;
}

}  // namespace

std::string Conditions::itself(const IdentifierInfo* name) const {
  if (pp_.getMacroInfo(name) != nullptr || of_compilers(name->getName()) || spoken_of_(name->getName())) return "";
  return "'" + name->getName().str() + "' may be a macro of '" + missing_ + "', which is not there";
}

std::string HostConditions::itself(const IdentifierInfo* name) const {
  return name->getName().starts_with("__CUDA_ARCH_") ? "host code has no __CUDA_ARCH__" : "";
}

// Why it is not known what a macro is, if it is not; "" else.
std::string Conditions::doubt(const IdentifierInfo* name, unsigned depth) const {
  if (!in_use() || name == nullptr || depth > 8) return "";
  if (const auto it = macros_.find(name); it != macros_.end()) return it->second;
  if (std::string why = itself(name); !why.empty()) return why;
  const clang::MacroInfo* m = pp_.getMacroInfo(name);
  if (m == nullptr) return "";
  // What stands in for it, where a condition needs its value.
  for (const clang::Token& t : m->tokens())
    if (t.is(clang::tok::identifier) && t.getIdentifierInfo() != name && m->getParameterNum(t.getIdentifierInfo()) < 0)
      if (std::string why = doubt(t.getIdentifierInfo(), depth + 1); !why.empty()) return why;
  return "";
}

std::string Conditions::doubt(clang::SourceRange condition) const {
  const clang::SourceManager& sm = pp_.getSourceManager();
  const auto [file, from] = sm.getDecomposedLoc(sm.getExpansionLoc(condition.getBegin()));
  bool bad = false;
  const llvm::StringRef text = sm.getBufferData(file, &bad);
  if (bad || !in_use()) return "";
  clang::Lexer lexer(sm.getLocForStartOfFile(file), pp_.getLangOpts(), text.begin(), text.begin() + from, text.end());
  clang::Token t;
  lexer.setParsingPreprocessorDirective(true);
  while (!lexer.LexFromRawLexer(t) && !t.isOneOf(clang::tok::eod, clang::tok::eof))
    if (t.is(clang::tok::raw_identifier))
      if (std::string why = doubt(pp_.getIdentifierInfo(t.getRawIdentifier()), 0); !why.empty()) return why;
  return "";
}

const std::string* Conditions::open_doubt() const {
  for (const Open& o : open_)
    if (!o.why.empty()) return &o.why;
  return nullptr;
}

void Conditions::open(SourceLocation at, std::string why, const IdentifierInfo* guard) {
  if (!users_(at)) why.clear();
  closed_.clear();
  open_.push_back({at, std::move(why), guard});
}

void Conditions::If(SourceLocation at, clang::SourceRange condition, ConditionValueKind) { open(at, doubt(condition)); }

void Conditions::Elif(SourceLocation, clang::SourceRange condition, ConditionValueKind, SourceLocation) {
  closed_.clear();
  if (!open_.empty() && open_.back().why.empty() && users_(open_.back().at)) open_.back().why = doubt(condition);
}

void Conditions::Ifdef(SourceLocation at, const clang::Token& name, const clang::MacroDefinition&) {
  open(at, doubt(name.getIdentifierInfo(), 0));
}

void Conditions::Ifndef(SourceLocation at, const clang::Token& name, const clang::MacroDefinition&) {
  open(at, doubt(name.getIdentifierInfo(), 0), name.getIdentifierInfo());
}

void Conditions::Endif(SourceLocation at, SourceLocation) {
  closed_.clear();
  if (open_.empty()) return;
  if (const Open& o = open_.back(); !o.why.empty()) out_.regions.push_back({o.at, at, o.why});
  closed_ = open_.back().why;
  open_.pop_back();
}

void Conditions::MacroDefined(const clang::Token& name, const clang::MacroDirective* d) {
  const IdentifierInfo* i = name.getIdentifierInfo();
  if (!open_.empty() && open_.back().guard == i && d->getMacroInfo()->tokens_empty()) {
    // #ifndef X, #define X: the guard of a file, or a switch that is on in any case.
    open_.back().why.clear();
  } else if (const std::string* why = open_doubt()) {
    macros_.insert_or_assign(i, *why);
  } else {
    macros_.erase(i);
  }
  if (!open_.empty()) open_.back().guard = nullptr;
}

void Conditions::MacroUndefined(const clang::Token& name, const clang::MacroDefinition&, const clang::MacroDirective*) {
  if (const std::string* why = open_doubt()) macros_.insert_or_assign(name.getIdentifierInfo(), *why);
  if (!open_.empty()) open_.back().guard = nullptr;
}

void Conditions::MacroExpands(const clang::Token& name, const clang::MacroDefinition&, clang::SourceRange range,
                              const clang::MacroArgs*) {
  if (const auto it = macros_.find(name.getIdentifierInfo()); it != macros_.end())
    out_.uses.push_back({pp_.getSourceManager().getExpansionLoc(range.getBegin()), it->second});
}

// An #endif is told before the text that it ends.
void Conditions::SourceRangeSkipped(clang::SourceRange range, SourceLocation) {
  const std::string* open = open_doubt();
  const std::string why = open != nullptr ? *open : closed_;
  closed_.clear();
  if (why.empty()) return;
  out_.skipped.push_back(range);
  for (const IdentifierInfo* name : skipped_text(pp_, range).macros) macros_.insert_or_assign(name, why);
}

SkippedText skipped_text(const clang::Preprocessor& pp, clang::SourceRange range) {
  const clang::SourceManager& sm = pp.getSourceManager();
  const auto [file, from] = sm.getDecomposedLoc(sm.getExpansionLoc(range.getBegin()));
  const unsigned to = sm.getFileOffset(sm.getExpansionLoc(range.getEnd()));
  SkippedText out;
  const llvm::StringRef text = sm.getBufferData(file, &out.content);
  if (out.content) return out;  // it cannot be read
  clang::Lexer lexer(sm.getLocForStartOfFile(file), pp.getLangOpts(), text.begin(), text.begin() + from, text.end());
  clang::Token t;
  bool more = !lexer.LexFromRawLexer(t);
  const auto next = [&] { more = more && t.isNot(clang::tok::eof) && !lexer.LexFromRawLexer(t); };
  while (more && sm.getFileOffset(t.getLocation()) < to) {
    if (t.isNot(clang::tok::hash) || !t.isAtStartOfLine()) {
      out.content = out.content || t.isNot(clang::tok::eof);
      next();
      continue;
    }
    next();
    const llvm::StringRef word = more && t.is(clang::tok::raw_identifier) ? t.getRawIdentifier() : "";
    out.content = out.content || word.starts_with("include");
    next();
    if ((word == "define" || word == "undef") && more && t.is(clang::tok::raw_identifier))
      out.macros.push_back(pp.getIdentifierInfo(t.getRawIdentifier()));
    while (more && t.isNot(clang::tok::eof) && !t.isAtStartOfLine()) next();
  }
  return out;
}

}  // namespace fencepost::clangfe
