#include "clangfe/collector.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/LexDiagnostic.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaDiagnostic.h>

#include <algorithm>

#include "clangfe/survey.h"

namespace fencepost::clangfe {

void Collector::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& d) {
  DiagnosticConsumer::HandleDiagnostic(level, d);
  if (level < clang::DiagnosticsEngine::Warning) return;
  const bool error = level >= clang::DiagnosticsEngine::Error;
  Failure f;
  const bool attribute = d.getID() == clang::diag::warn_unknown_attribute_ignored;
  if ((error || attribute) && d.hasSourceManager() && d.getLocation().isValid())
    f.at = d.getSourceManager().getExpansionLoc(d.getLocation());
  if (error && ci_ != nullptr && ci_->hasSema()) f.inside = ci_->getSema().getCurFunctionDecl(true);
  if (const Span from = foreign(d); from.source != nullptr) {
    if (!error) return;
    f.said = {.span = from,
              .message = "the file that is included here does not compile",
              .hint = "its text is not shown, since it lies outside of the kernel's folder and of those of -I"};
    failures.push_back(std::move(f));
    return;
  }
  llvm::SmallString<200> text;
  d.FormatDiagnostic(text);
  f.said.severity = error ? Severity::error : Severity::warning;
  f.said.message = text.str().str();
  if (d.hasSourceManager()) f.said.span = place(d.getSourceManager(), d.getLocation());
  if (error) f.said.hint = hint(f.said.message);
  if (error && ci_ != nullptr && d.hasSourceManager()) from_header(d, f);
  if (error) not_in_ours(f.said);
  if (d.getID() == clang::diag::err_pp_file_not_found) refused(d.getArgStdStr(0), f.said);
  if (attribute) attributes.push_back(f);
  if (error)
    failures.push_back(std::move(f));
  else
    warnings.push_back(std::move(f.said));
}

// An error in a template of our headers is a fault of its use, which is where the user's text asked for the instance.
void Collector::from_header(const clang::Diagnostic& d, Failure& f) {
  const clang::SourceManager& sm = d.getSourceManager();
  if (!ci_->hasSema() || users_text(sm, ci_->getTarget(), d.getLocation())) return;
  const auto& contexts = ci_->getSema().CodeSynthesisContexts;
  const auto use = std::find_if(contexts.rbegin(), contexts.rend(), [&](const auto& c) {
    return users_text(sm, ci_->getTarget(), c.PointOfInstantiation);
  });
  if (use == contexts.rend()) return;
  f.said.span = place(sm, use->PointOfInstantiation);
  constexpr std::string_view ours = "'__fencepost_atomic_";
  if (const size_t at = f.said.message.find(ours); at != std::string::npos) {
    const std::string name = f.said.message.substr(at + ours.size());
    f.said.message = "an atomic object of this type has no model here (operation '" + name;
    f.said.message += f.said.message.ends_with('\'') ? ")" : "";
    f.said.hint = "integers of 8 to 64 bits and floating-point numbers have one";
    f.said.fault = Fault::unsupported;
  }
}

// What NVIDIA's headers have and ours have not is no fault of the program.
void Collector::not_in_ours(Diagnostic& out) {
  static constexpr std::string_view k_begins[] = {"no member named '", "no template named '", "no type named '"};
  static constexpr std::string_view k_ours[] = {"in 'cuda::", "in namespace 'cuda",
                                                "in 'cooperative_groups::", "in namespace 'cooperative_groups"};
  const std::string& m = out.message;
  const auto begins = [&](std::string_view b) { return m.starts_with(b); };
  const auto has = [&](std::string_view w) { return m.find(w) != std::string::npos; };
  if (!std::any_of(std::begin(k_begins), std::end(k_begins), begins) ||
      !std::any_of(std::begin(k_ours), std::end(k_ours), has))
    return;
  const size_t name = m.find('\'') + 1;
  out.message = "'" + m.substr(name, m.find('\'', name) - name) + "' is not among what is read of '" +
                m.substr(m.rfind('\'', m.size() - 2) + 1);
  out.hint = "docs/cuda-cpp.md lists what is read; if no header of CUDA has it either, the name is wrong";
  out.fault = Fault::unsupported;
}

// Programs give macros and types to their kernels on the compiler's command line.
std::string Collector::hint(const std::string& message) {
  for (const char* begin : {"use of undeclared identifier '", "unknown type name '"}) {
    if (!message.starts_with(begin)) continue;
    const size_t at = message.find('\'') + 1;
    const std::string name = message.substr(at, message.find('\'', at) - at);
    return "if the host's program gives '" + name + "' to the compiler, give it with -D" + name +
           "=...; -I names a folder for includes";
  }
  return "";
}

// The file is there, and is of a kind that is not read.
void Collector::refused(const std::string& name, Diagnostic& out) const {
  for (const auto& [path, why] : reads_.refused)
    if (path == name || path.ends_with("/" + name)) {
      out.message = "this include is not read: " + why.list.front().message;
      out.hint = why.list.front().hint;
    }
}

// What is said of the whole file. Of the files that are not to be quoted one sentence is enough.
std::vector<Diagnostic> Collector::errors() const {
  std::vector<Diagnostic> out;
  for (const Failure& f : failures)
    if (out.empty() || !f.said.message.starts_with("the file that is included here")) out.push_back(f.said);
  return out;
}

// Of a diagnostic inside of a file that is not to be quoted: the include in a file that may be; else no place.
Span Collector::foreign(const clang::Diagnostic& d) {
  if (d.getLocation().isInvalid() || !d.hasSourceManager()) return {};
  const clang::SourceManager& sm = d.getSourceManager();
  clang::SourceLocation at = sm.getExpansionLoc(d.getLocation());
  bool hidden = false;
  for (; at.isValid(); at = sm.getIncludeLoc(sm.getFileID(at)), hidden = true) {
    const auto file = sm.getFileEntryRefForID(sm.getFileID(at));
    const std::string name = file ? file->getName().str() : "";
    if (name.empty() || name == file_->name || may_be_quoted(name, *file_, options_)) {
      if (!hidden) return {};
      const auto offset = static_cast<uint32_t>(std::min<size_t>(sm.getFileOffset(at), file_->text.size()));
      return name == file_->name ? Span{file_, offset, offset} : Span{file_, 0, 0};
    }
  }
  return {file_, 0, 0};
}

Span Collector::place(const clang::SourceManager& sm, clang::SourceLocation where) {
  if (where.isInvalid()) return {};
  const clang::PresumedLoc at = sm.getPresumedLoc(sm.getExpansionLoc(where));
  if (at.isInvalid()) return {};
  auto [it, fresh] = sources_.try_emplace(at.getFilename());
  if (fresh) {
    const clang::FileID id = sm.getFileID(sm.getExpansionLoc(where));
    it->second = make_source(at.getFilename(), sm.getBufferData(id).str());
  }
  const std::string& text = it->second->text;
  size_t begin = 0;
  for (unsigned line = 1; line < at.getLine(); ++line) {
    const size_t next = text.find('\n', begin);
    if (next == std::string::npos) return {it->second, 0, 0};
    begin = next + 1;
  }
  const auto offset = static_cast<uint32_t>(std::min(begin + at.getColumn() - 1, text.size()));
  return {it->second, offset, std::min<uint32_t>(offset + 1, text.size())};
}

}  // namespace fencepost::clangfe
