// Runs clang's front end in this process: the text and our headers are files in memory, includes come from the disk.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/LexDiagnostic.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <filesystem>

#include "base/folder.h"
#include "clangfe/disk.h"
#include "clangfe/embedded.h"
#include "clangfe/llvm_module.h"

namespace fencepost::clangfe {
namespace {

// clang's diagnostics become ours. A place in one of our headers is a fault of a macro's use: clang gives the place of
// the expansion, which is in the user's text.
class Collector : public clang::DiagnosticConsumer {
 public:
  Collector(SourcePtr file, const Options& options, const Reads& reads)
      : file_(file), options_(options), reads_(reads) {
    sources_[file->name] = file;
  }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& d) override {
    DiagnosticConsumer::HandleDiagnostic(level, d);
    if (level < clang::DiagnosticsEngine::Warning) return;
    llvm::SmallString<200> text;
    d.FormatDiagnostic(text);
    if (const Span from = foreign(d); from.source != nullptr) {
      if (level >= clang::DiagnosticsEngine::Error && errors.empty())
        errors.push_back(
            {.span = from,
             .message = "the file that is included here does not compile",
             .hint = "its text is not shown, since it lies outside of the kernel's folder and of those of -I"});
      return;
    }
    Diagnostic out;
    out.severity = level >= clang::DiagnosticsEngine::Error ? Severity::error : Severity::warning;
    out.message = text.str().str();
    out.span = place(d);
    if (d.getID() == clang::diag::err_pp_file_not_found) refused(d.getArgStdStr(0), out);
    (out.severity == Severity::error ? errors : warnings).push_back(std::move(out));
  }

  std::vector<Diagnostic> errors, warnings;

 private:
  // The file is there, and is of a kind that is not read.
  void refused(const std::string& name, Diagnostic& out) const {
    for (const auto& [path, why] : reads_.refused)
      if (path == name || path.ends_with("/" + name)) {
        out.message = "this include is not read: " + why.list.front().message;
        out.hint = why.list.front().hint;
      }
  }

  // Of a diagnostic inside of a file that is not to be quoted: the include in a file that may be; else no place.
  Span foreign(const clang::Diagnostic& d) {
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

  Span place(const clang::Diagnostic& d) {
    if (d.getLocation().isInvalid() || !d.hasSourceManager()) return {};
    const clang::PresumedLoc at =
        d.getSourceManager().getPresumedLoc(d.getSourceManager().getExpansionLoc(d.getLocation()));
    if (at.isInvalid()) return {};
    auto [it, fresh] = sources_.try_emplace(at.getFilename());
    if (fresh) {
      const clang::FileID id = d.getSourceManager().getFileID(d.getSourceManager().getExpansionLoc(d.getLocation()));
      it->second = make_source(at.getFilename(), d.getSourceManager().getBufferData(id).str());
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

  SourcePtr file_;
  const Options& options_;
  const Reads& reads_;
  std::map<std::string, SourcePtr> sources_;
};

// Variables of file scope are on the device, whatever their attributes: a kernel that is looked at alone often names
// textures and tables that its host code declares plainly.
class Watcher : public clang::ASTConsumer {
 public:
  Watcher(clang::CompilerInstance& ci, std::set<std::string>& functions) : ci_(ci), functions_(functions) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* d : group) visit(d);
    return true;
  }

 private:
  void visit(clang::Decl* d) {
    if (auto* context = clang::dyn_cast<clang::LinkageSpecDecl>(d)) {
      for (clang::Decl* inner : context->decls()) visit(inner);
    } else if (auto* space = clang::dyn_cast<clang::NamespaceDecl>(d)) {
      for (clang::Decl* inner : space->decls()) visit(inner);
    } else if (auto* f = clang::dyn_cast<clang::FunctionDecl>(d)) {
      if (users(d) && f->getIdentifier() != nullptr) functions_.insert(f->getName().str());
    } else if (auto* t = clang::dyn_cast<clang::FunctionTemplateDecl>(d)) {
      if (users(d) && t->getIdentifier() != nullptr) functions_.insert(t->getName().str());
    } else if (auto* v = clang::dyn_cast<clang::VarDecl>(d)) {
      if (ci_.getLangOpts().CUDA && !v->hasAttr<clang::CUDADeviceAttr>() && !v->hasAttr<clang::CUDAConstantAttr>() &&
          !v->hasAttr<clang::CUDASharedAttr>())
        v->addAttr(clang::CUDADeviceAttr::CreateImplicit(ci_.getASTContext()));
    }
  }
  bool users(const clang::Decl* d) const {
    const auto& sm = ci_.getSourceManager();
    if (d->getLocation().isInvalid()) return false;
    const auto file = sm.getFileEntryRefForID(sm.getFileID(sm.getExpansionLoc(d->getLocation())));
    // Neither our headers nor clang's own.
    return file && !file->getName().starts_with(k_header_folder) &&
           !file->getName().starts_with(FENCEPOST_CLANG_RESOURCES);
  }

  clang::CompilerInstance& ci_;
  std::set<std::string>& functions_;
};

class Action : public clang::EmitLLVMOnlyAction {
 public:
  Action(llvm::LLVMContext* context, std::set<std::string>& functions)
      : EmitLLVMOnlyAction(context), functions_(functions) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& ci, llvm::StringRef file) override {
    auto codegen = EmitLLVMOnlyAction::CreateASTConsumer(ci, file);
    if (codegen == nullptr) return nullptr;
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<Watcher>(ci, functions_));
    consumers.push_back(std::move(codegen));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

 private:
  std::set<std::string>& functions_;
};

std::vector<std::string> arguments(const SourcePtr& file, const Options& o, const std::string& standard) {
  const bool wide = o.pointer_bits == 64, cuda = o.dialect == ir::Dialect::cuda;
  std::vector<std::string> a = {
      "-triple", cuda ? (wide ? "nvptx64-nvidia-cuda" : "nvptx-nvidia-cuda") : (wide ? "spir64" : "spir")};
  const std::string resources = FENCEPOST_CLANG_RESOURCES;
  const auto add = [&](std::initializer_list<const char*> more) { a.insert(a.end(), more.begin(), more.end()); };
  add({"-resource-dir",
       FENCEPOST_CLANG_RESOURCES,
       "-emit-llvm-only",
       "-O0",
       "-disable-O0-optnone",
       "-disable-llvm-passes",
       "-fno-builtin",
       "-debug-info-kind=limited",
       "-dwarf-version=4",
       "-main-file-name",
       "kernel",
       "-nostdsysteminc",
       "-ffp-contract=off",
       "-Wall",
       "-Wno-unused",
       "-Wno-unused-value",
       "-Wno-unused-variable",
       "-Wno-unused-function",
       "-Wno-unknown-pragmas",
       "-Wno-comma",
       "-fgnuc-version=4.2.1"});
  if (cuda) {
    add({"-aux-triple", wide ? "x86_64-unknown-linux-gnu" : "i386-unknown-linux-gnu", "-x", "cuda", "-fcuda-is-device",
         "-target-feature", o.cuda_arch < 800 ? "+ptx63" : "+ptx80"});
    a.insert(a.end(), {"-target-cpu", "sm_" + std::to_string(o.cuda_arch / 10)});
    a.push_back("-std=" + (standard.empty() ? "c++17" : standard));
    add({"-fcuda-allow-variadic-functions", "-Wno-missing-braces"});
  } else {
    add({"-x", "cl", "-finclude-default-header", "-fdeclare-opencl-builtins", "-cl-ext=+all", "-fgnu89-inline",
         "-fpreserve-vec3-type"});
    a.push_back("-cl-std=" + (standard.empty() ? "CL1.2" : standard));
    a.push_back("-internal-isystem");
    a.push_back(resources + "/include");
  }
  const std::string folder = std::filesystem::path(file->name).parent_path().string();
  for (const std::string& i : o.include_folders) a.push_back("-I" + i);
  a.push_back("-I" + (folder.empty() ? "." : folder));
  for (const char* system : {"", "/system"}) {
    a.push_back("-internal-isystem");
    a.push_back(std::string(k_header_folder) + system);
  }
  for (const std::string& d : o.defines) a.push_back("-D" + d);
  if (o.annotations != Options::all) a.push_back("-D__FENCEPOST_NO_ANNOTATIONS");
  if (o.annotations == Options::only_requires) a.push_back("-D__FENCEPOST_ONLY_REQUIRES");
  if (o.invariants_as_candidates) a.push_back("-D__FENCEPOST_INVARIANTS_AS_CANDIDATES");
  a.push_back("-include");
  a.push_back(std::string(k_header_folder) + (cuda ? "/fencepost/cuda.hdr" : "/fencepost/opencl.hdr"));
  a.insert(a.end(), o.clang_arguments.begin(), o.clang_arguments.end());
  a.push_back(file->name);
  return a;
}

// Headers of the host that a kernel file may name; ours already hold what kernels need of them.
constexpr const char* k_host_headers[] = {"cuda.h",
                                          "cuda_runtime.h",
                                          "cuda_runtime_api.h",
                                          "device_launch_parameters.h",
                                          "device_functions.h",
                                          "math_constants.h",
                                          "math_functions.h",
                                          "curand.h",
                                          "curand_kernel.h",
                                          "cooperative_groups.h",
                                          "stdio.h",
                                          "stdlib.h",
                                          "string.h",
                                          "math.h",
                                          "assert.h",
                                          "float.h",
                                          "limits.h",
                                          "stdint.h",
                                          "stddef.h",
                                          "cstdio",
                                          "cstdlib",
                                          "cstring",
                                          "cmath",
                                          "cassert",
                                          "cfloat",
                                          "climits",
                                          "cstdint",
                                          "iostream",
                                          "sm_11_atomic_functions.h",
                                          "sm_12_atomic_functions.h",
                                          "vector_types.h",
                                          "cutil_math.h",
                                          "helper_math.h",
                                          "cutil.h",
                                          "cuda_fp16.h",
                                          "cuda/atomic",
                                          "cuda/std/atomic",
                                          "texture_fetch_functions.h",
                                          "opencl.h",
                                          "clc/clc.h"};

// CUDA lets __shared__ stand beside __device__ in a function, where clang refuses it: the second says nothing then, and
// is blanked, so that all places stay as they are.
std::string without_idle_words(const SourcePtr& file, const Options& options) {
  std::string text = file->text;
  if (options.dialect != ir::Dialect::cuda) return text;
  constexpr std::string_view device = "__device__", shared = "__shared__", space = " \t\r\n";
  for (size_t at = text.find(shared); at != std::string::npos; at = text.find(shared, at + 1)) {
    const size_t before = at == 0 ? std::string::npos : text.find_last_not_of(space, at - 1);
    const size_t after = text.find_first_not_of(space, at + shared.size());
    if (before != std::string::npos && before + 1 >= device.size() &&
        text.compare(before + 1 - device.size(), device.size(), device) == 0)
      std::fill_n(text.begin() + static_cast<ptrdiff_t>(before + 1 - device.size()), device.size(), ' ');
    if (after != std::string::npos && text.compare(after, device.size(), device) == 0)
      std::fill_n(text.begin() + static_cast<ptrdiff_t>(after), device.size(), ' ');
  }
  return text;
}

Expected<std::unique_ptr<LlvmModule>> parse_as(const SourcePtr& file, const Options& options,
                                               const std::string& standard, Reads& reads) {
  auto out = std::make_unique<LlvmModule>();
  out->context = std::make_unique<llvm::LLVMContext>();
  Collector collector(file, options, reads);
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(disk(reads));
  auto memory = llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>(new llvm::vfs::InMemoryFileSystem);
  for (const EmbeddedHeader& h : embedded_headers())
    memory->addFile(std::string(k_header_folder) + "/fencepost/" + h.name, 0,
                    llvm::MemoryBuffer::getMemBuffer(h.text, std::string(k_header_folder) + "/fencepost/" + h.name));
  for (const char* h : k_host_headers)
    memory->addFile(std::string(k_header_folder) + "/system/" + h, 0, llvm::MemoryBuffer::getMemBuffer(""));
  files->pushOverlay(memory);

  const std::vector<std::string> args = arguments(file, options, standard);
  std::vector<const char*> raw;
  for (const std::string& s : args) raw.push_back(s.c_str());
  auto engine = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions, &collector, false);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, raw, *engine)) {
    Diagnostics ds;
    ds.list = collector.errors;
    return std::unexpected(std::move(ds));
  }
  invocation->getDiagnosticOpts().ShowCarets = false;
  invocation->getCodeGenOpts().DiscardValueNames = false;
  invocation->getPreprocessorOpts().addRemappedFile(
      file->name, llvm::MemoryBuffer::getMemBufferCopy(without_idle_words(file, options), file->name).release());
  clang::CompilerInstance ci;
  ci.setInvocation(invocation);
  ci.createDiagnostics(&collector, false);
  ci.createFileManager(files);
  Action action(out->context.get(), out->user_functions);
  const bool ok = ci.ExecuteAction(action);
  if (!ok || !collector.errors.empty()) {
    Diagnostics ds;
    ds.list = collector.errors;
    if (ds.list.empty()) ds.add({.span = {file, 0, 0}, .message = "clang gave up on this file without saying why"});
    return std::unexpected(std::move(ds));
  }
  out->module = action.takeModule();
  out->warnings = std::move(collector.warnings);
  return out;
}

}  // namespace

bool may_be_quoted(const std::string& path, const Source& file, const Options& options) {
  if (path.starts_with(k_header_folder)) return true;
  std::vector<std::string> folders = options.include_folders;
  const std::string home = std::filesystem::path(file.name).parent_path().string();
  folders.push_back(home.empty() ? "." : home);
  folders.push_back(FENCEPOST_CLANG_RESOURCES);
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& f) { return is_below(path, f); });
}

bool available() { return true; }
std::string version() { return std::string("clang ") + CLANG_VERSION_STRING; }

Expected<std::unique_ptr<LlvmModule>> parse(const SourcePtr& file, const Options& options) {
  Reads reads;
  auto first = parse_as(file, options, options.standard, reads);
  if (first || options.dialect == ir::Dialect::cuda || !options.standard.empty()) return first;
  // Generic pointers, C11 atomics and structures that hold pointers are of later versions of the language.
  for (const char* later : {"CL2.0", "CL3.0"})
    if (auto again = parse_as(file, options, later, reads)) return again;
  return first;
}

Expected<ir::Module> compile(const SourcePtr& file, const Options& options) {
  auto parsed = parse(file, options);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  prepare(*(*parsed)->module, options);
  return lower(file, **parsed, options);
}

}  // namespace fencepost::clangfe
