#pragma once
// Internal to the room: clang's diagnostics, as ours. Each error keeps where clang saw it and in what function, so that
// the reader of published files can tell which kernels it concerns.
#include <clang/AST/Decl.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>

#include <map>
#include <string>
#include <vector>

#include "clangfe/disk.h"
#include "clangfe/llvm_module.h"

namespace fencepost::clangfe {

struct Failure {
  Diagnostic said;
  clang::SourceLocation at;  // where a macro is expanded, for what lies in one
  const clang::FunctionDecl* inside =
      nullptr;  // the function that clang was in; an instance of a template is told apart
};

// A place in one of our headers is a fault of a macro's use: clang gives the place of the expansion, which is in the
// user's text.
class Collector : public clang::DiagnosticConsumer {
 public:
  Collector(SourcePtr file, const Options& options, Reads& reads) : file_(file), options_(options), reads_(reads) {
    sources_[file->name] = file;
  }
  Reads& reads() const { return reads_; }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& d) override;
  // Where functions are asked for; while it lives.
  void watch(clang::CompilerInstance* ci) { ci_ = ci; }
  Span place(const clang::SourceManager& sm, clang::SourceLocation at);
  std::vector<Diagnostic> errors() const;

  std::vector<Failure> failures;
  std::vector<Diagnostic> warnings;
  std::vector<Failure> attributes;  // unknown to clang, which passes over them

 private:
  static std::string hint(const std::string& message);
  void refused(const std::string& name, Diagnostic& out) const;
  void from_header(const clang::Diagnostic& d, Failure& f);
  static void not_in_ours(Diagnostic& out);
  Span foreign(const clang::Diagnostic& d);

  SourcePtr file_;
  const Options& options_;
  Reads& reads_;
  clang::CompilerInstance* ci_ = nullptr;
  std::map<std::string, SourcePtr> sources_;
};

}  // namespace fencepost::clangfe
