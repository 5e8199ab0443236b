// Runs clang's front end in this process: the text and our headers are files in memory, includes come from the disk.
#include <clang/AST/ASTContext.h>
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
#include <cctype>
#include <filesystem>

#include "base/folder.h"
#include "base/read_file.h"
#include "clangfe/collector.h"
#include "clangfe/disk.h"
#include "clangfe/embedded.h"
#include "clangfe/llvm_module.h"
#include "clangfe/survey.h"
#include "clangfe/toolkit.h"

namespace fencepost::clangfe {
namespace {

const std::string k_defines = std::string(k_header_folder) + "/defines";

// -D or -U says what this macro is.
bool is_spoken_of(llvm::StringRef name, const Options& o) {
  const auto is = [&](llvm::StringRef word) { return word.substr(0, word.find_first_of("=(")) == name; };
  return std::any_of(o.defines.begin(), o.defines.end(), is) ||
         std::any_of(o.clang_arguments.begin(), o.clang_arguments.end(), [&](llvm::StringRef word) {
           return (word.consume_front("-U") || word.consume_front("-D")) && is(word);
         });
}

// Sets a tracker of conditions (conditions.h) on the text.
template <class Tracker, class Out, class... More>
void follow_conditions(clang::CompilerInstance& ci, Out& out, const Options& options, const More&... more) {
  const auto spoken_of = [&options](llvm::StringRef name) { return is_spoken_of(name, options); };
  const auto users = [&ci](clang::SourceLocation at) { return users_text(ci.getSourceManager(), ci.getTarget(), at); };
  ci.getPreprocessor().addPPCallbacks(std::make_unique<Tracker>(ci.getPreprocessor(), out, more..., spoken_of, users));
}

// The names of the functions that the user's own text declares.
class Watcher : public clang::ASTConsumer {
 public:
  Watcher(clang::CompilerInstance& ci, LlvmModule& out, const Differences& elsewhere)
      : ci_(ci), out_(out), elsewhere_(elsewhere) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* d : group)
      if (const auto* f = clang::dyn_cast<clang::FunctionDecl>(d))
        if (users(d) && f->getIdentifier() != nullptr) {
          out_.user_functions.insert(f->getName().str());
          if (f->isThisDeclarationADefinition()) with_text_.push_back(f);
        }
    return true;
  }
  void HandleTranslationUnit(clang::ASTContext& context) override {
    const std::vector<Failure> none;
    Closure closure(context, none);
    const CompilerNotes notes(context, elsewhere_.compilers, with_text_);
    for (const clang::FunctionDecl* f : with_text_) {
      std::set<const clang::Decl*> reached;
      closure.fault(f, reached);
      notes.of_kernel(f, reached, out_.other_text[f->getName().str()]);
    }
  }

 private:
  bool users(const clang::Decl* d) const {
    const auto& sm = ci_.getSourceManager();
    if (d->getLocation().isInvalid()) return false;
    const auto file = sm.getFileEntryRefForID(sm.getFileID(sm.getExpansionLoc(d->getLocation())));
    // Neither our headers nor clang's own.
    return file && !file->getName().starts_with(k_header_folder) &&
           !file->getName().starts_with(FENCEPOST_CLANG_RESOURCES);
  }

  clang::CompilerInstance& ci_;
  LlvmModule& out_;
  const Differences& elsewhere_;
  std::vector<const clang::FunctionDecl*> with_text_;
};

class Action : public clang::EmitLLVMOnlyAction {
 public:
  Action(LlvmModule& out, const Options& options)
      : EmitLLVMOnlyAction(out.context.get()), out_(out), options_(options) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& ci, llvm::StringRef file) override {
    auto codegen = EmitLLVMOnlyAction::CreateASTConsumer(ci, file);
    if (codegen == nullptr) return nullptr;
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    follow_conditions<Conditions>(ci, elsewhere_, options_);
    consumers.push_back(std::make_unique<Watcher>(ci, out_, elsewhere_));
    consumers.push_back(std::move(codegen));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

 private:
  LlvmModule& out_;
  const Options& options_;
  Differences elsewhere_;
};

// A CUDA file: the tree is surveyed, and code is made of what is sound in it.
class SurveyAction : public clang::ASTFrontendAction {
 public:
  SurveyAction(Collector& collector, LlvmModule& out, Found& found, const Options& options)
      : collector_(collector), out_(out), found_(found), options_(options) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& ci, llvm::StringRef) override {
    collector_.watch(&ci);
    follow_conditions<Includes>(ci, found_, options_, collector_.reads());
    // What is read for a memory model has no clusters, and newer compilers make clusters of some attributes.
    const bool attributes_decide = std::find(options_.clang_arguments.begin(), options_.clang_arguments.end(),
                                             "-D__FENCEPOST_CHECK") != options_.clang_arguments.end();
    return std::make_unique<Survey>(ci, collector_, out_, found_, attributes_decide);
  }
  void EndSourceFileAction() override { collector_.watch(nullptr); }

 private:
  Collector& collector_;
  LlvmModule& out_;
  Found& found_;
  const Options& options_;
};

// The text says something of itself that is for us.
bool annotated(const std::string& text) {
  for (const char* word : {"__requires", "__global_requires", "invariant(", "__ensures", "__global_ensures",
                           "__assert(", "__global_assert(", "__assume(", "__axiom(", "__read_permission",
                           "__barrier_invariant", "__uninterpreted_function_"})
    if (text.find(word) != std::string::npos) return true;
  return false;
}

std::vector<std::string> arguments(const SourcePtr& file, const Options& o, const std::string& standard,
                                   const std::vector<std::string>& toolkit) {
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
       "-fno-spell-checking",
       "-ferror-limit",
       "0",
       "-fgnuc-version=4.2.1"});
  if (cuda) {
    add({"-aux-triple", wide ? "x86_64-unknown-linux-gnu" : "i386-unknown-linux-gnu", "-x", "cuda", "-fcuda-is-device",
         "-target-feature",
         !toolkit.empty()    ? "+ptx85"
         : o.cuda_arch < 800 ? "+ptx63"
                             : "+ptx80"});
    a.insert(a.end(), {"-target-cpu", "sm_" + std::to_string(o.cuda_arch / 10)});
    a.push_back("-std=" + (standard.empty() ? "c++17" : standard));
    add({"-fcuda-allow-variadic-functions", "-Wno-missing-braces", "-fcxx-exceptions", "-Wno-register"});
    // The end of a function without its value is a place that must not be reached. At -O0 clang puts a trap there, as
    // the user does where a thread shall end.
    add({"-fsanitize=return", "-fsanitize-trap=return"});
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
  a.insert(a.end(), toolkit.begin(), toolkit.end());
  if (toolkit.empty())
    for (const char* system : {"", "/system"}) {
      a.push_back("-internal-isystem");
      a.push_back(std::string(k_header_folder) + system);
    }
  if (o.annotations != Options::all) a.push_back("-D__FENCEPOST_NO_ANNOTATIONS");
  if (o.annotations == Options::only_requires) a.push_back("-D__FENCEPOST_ONLY_REQUIRES");
  if (o.invariants_as_candidates) a.push_back("-D__FENCEPOST_INVARIANTS_AS_CANDIDATES");
  if (!toolkit.empty() && annotated(file->text)) a.push_back("-D__FENCEPOST_ANNOTATED");
  const char* own = !toolkit.empty() ? "/fencepost/toolkit.hdr"
                    : cuda           ? "/fencepost/cuda.hdr"
                                     : "/fencepost/opencl.hdr";
  a.push_back("-include");
  a.push_back(std::string(k_header_folder) + own);
  // Behind our header, so that no macro of the user's changes it.
  a.push_back("-include");
  a.push_back(k_defines);
  a.insert(a.end(), o.clang_arguments.begin(), o.clang_arguments.end());
  a.push_back(file->name);
  return a;
}

// Headers that a kernel file may name. Our own header, which every file gets, holds what kernels need of most of them;
// the others have a text of their own.
struct StandIn {
  const char* names;  // with spaces between them
  const char* header;
};
constexpr StandIn k_stand_ins[] = {
    {"cuda_fp16.h cuda_fp16.hpp cuda_bf16.h cuda_bf16.hpp", "half.hdr"},
    {"mma.h", "mma.hdr"},
    {"cub/cub.cuh cub/block/block_reduce.cuh cub/block/block_scan.cuh cub/block/block_load.cuh "
     "cub/block/block_store.cuh "
     "cub/block/block_radix_sort.cuh cub/block/block_exchange.cuh cub/warp/warp_reduce.cuh cub/warp/warp_scan.cuh "
     "cub/util_type.cuh cub/util_allocator.cuh cub/device/device_reduce.cuh cub/device/device_scan.cuh "
     "cub/device/device_radix_sort.cuh cub/device/device_select.cuh",
     "cub.hdr"},
    {"omp.h", "omp.hdr"},
    {"assert.h cassert cuda/std/cassert", "assert.hdr"},
    {"helper_cuda.h helper_functions.h helper_timer.h helper_string.h helper_image.h", "helper.hdr"},
    // The toolkit's.
    {"cuda.h cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h device_functions.h math_constants.h "
     "math_functions.h curand.h curand_kernel.h cooperative_groups.h cooperative_groups/reduce.h "
     "cooperative_groups/scan.h cooperative_groups/memcpy_async.h cooperative_groups/details/partitioning.h "
     "sm_11_atomic_functions.h sm_12_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_intrinsics.h "
     "sm_35_intrinsics.h vector_types.h vector_functions.h cuda_texture_types.h cuda_profiler_api.h driver_types.h "
     "device_atomic_functions.h crt/host_defines.h host_defines.h cuComplex.h cufft.h cublas_v2.h texture_types.h "
     "surface_functions.h surface_indirect_functions.h texture_fetch_functions.h texture_indirect_functions.h "
     "cutil_math.h helper_math.h cutil.h cuda/atomic cuda/barrier cuda/pipeline cuda/semaphore cuda/latch "
     "cuda/annotated_ptr cuda/std/atomic cuda/std/type_traits cuda/std/limits cuda/std/utility cuda/std/cstdint "
     "cuda/std/cstddef cuda/std/cmath cuda/std/array cuda/std/functional cuda/std/chrono "
     "cuda/std/tuple cuda/std/barrier cuda_awbarrier_primitives.h cuda_pipeline_primitives.h cuda_pipeline.h",
     ""},
    // The host's.
    {"stdio.h stdlib.h string.h math.h float.h limits.h stdint.h stddef.h time.h ctype.h errno.h unistd.h "
     "sys/time.h sys/types.h sys/stat.h getopt.h inttypes.h stdbool.h memory.h malloc.h signal.h strings.h cstdio "
     "cstdlib "
     "cstring cmath cfloat climits cstdint cstddef ctime cctype cinttypes cerrno vector string iostream "
     "fstream "
     "sstream iomanip algorithm chrono random memory map set unordered_map unordered_set utility functional numeric "
     "tuple array limits type_traits initializer_list iterator stdexcept exception new thread mutex list deque queue "
     "stack ios ostream istream complex valarray regex optional variant ratio iosfwd typeinfo atomic numbers bitset "
     "opencl.h clc/clc.h",
     ""}};

// `auto &x = (T){0};`: to nvcc a compound literal is an lvalue, to clang a temporary, to which no such reference binds.
// `auto &&x` is the same reference to an lvalue, and keeps a temporary as long as x. It is written in the room of the
// blanks, so that all places stay as they are, and only where a statement begins: behind `const` it would be another
// type.
void bind_temporaries(std::string& text) {
  constexpr std::string_view space = " \t\r\n";
  const auto skip = [&](size_t n) { return std::min(text.find_first_not_of(space, n), text.size()); };
  for (size_t at = text.find("auto"); at != std::string::npos; at = text.find("auto", at + 4)) {
    const size_t before = at == 0 ? std::string::npos : text.find_last_not_of(space, at - 1);
    if (before == std::string::npos || std::string_view(";{}").find(text[before]) == std::string_view::npos) continue;
    const size_t sign = skip(at + 4);
    if (sign == text.size() || text[sign] != '&' || text.compare(sign, 2, "&&") == 0) continue;
    const size_t name = skip(sign + 1);
    size_t end = name;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    const size_t equals = skip(end);
    if (end == name || equals == text.size() || text[equals] != '=') continue;
    if (sign > at + 4)
      text[sign - 1] = '&';
    else if (name > sign + 1)
      text[sign + 1] = '&';
  }
}

// CUDA lets __shared__ stand beside __device__ in a function, where clang refuses it: the second says nothing then, and
// is blanked, so that all places stay as they are.
std::string as_clang_reads(const SourcePtr& file, const Options& options) {
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
    // `__shared__ alignas(16) float x`: clang wants the alignment first.
    if (after == std::string::npos || text.compare(after, 8, "alignas(") != 0) continue;
    size_t end = after + 8;
    for (int depth = 1; depth > 0 && end < text.size(); ++end)
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    const auto place = [&](size_t n) { return text.begin() + static_cast<ptrdiff_t>(n); };
    std::rotate(place(at), place(after), place(end));
    at = end - 1;
  }
  bind_temporaries(text);
  return text;
}

// Our headers and nothing of the machine's, over the disk.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const Options& options, Reads& reads) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(disk(reads));
  auto memory = llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>(new llvm::vfs::InMemoryFileSystem);
  for (const EmbeddedHeader& h : embedded_headers())
    memory->addFile(std::string(k_header_folder) + "/fencepost/" + h.name, 0,
                    llvm::MemoryBuffer::getMemBuffer(h.text, std::string(k_header_folder) + "/fencepost/" + h.name));
  for (const StandIn& s : k_stand_ins) {
    // A toolkit has all but the headers of NVIDIA's samples and of the host's compiler.
    const std::string_view header = s.header;
    if (!options.cuda_path.empty() && header != "helper.hdr" && header != "omp.hdr") continue;
    if (options.cuda_path.empty() && header == "omp.hdr") continue;
    llvm::SmallVector<llvm::StringRef, 64> names;
    llvm::StringRef(s.names).split(names, ' ', -1, false);
    const std::string text =
        *s.header == 0 ? "" : std::string("#include \"") + k_header_folder + "/fencepost/" + s.header + "\"\n";
    for (const llvm::StringRef name : names)
      memory->addFile(std::string(k_header_folder) + "/system/" + name.str(), 0,
                      llvm::MemoryBuffer::getMemBufferCopy(text));
  }
  std::string defines;
  for (const std::string& d : options.defines) {
    const size_t at = d.find('=');
    defines += "#define " + d.substr(0, at) + " " + (at == std::string::npos ? "1" : d.substr(at + 1)) + "\n";
  }
  // The toolkit's own header includes it. -DNDEBUG is said now.
  if (options.dialect == ir::Dialect::cuda && options.cuda_path.empty())
    defines += std::string("#ifndef assert\n#include \"") + k_header_folder + "/fencepost/assert.hdr\"\n#endif\n";
  memory->addFile(k_defines, 0, llvm::MemoryBuffer::getMemBufferCopy(defines));
  files->pushOverlay(memory);
  return files;
}

// Runs an action of clang's over the file. False: clang gave up, and the collector knows why.
bool run(const SourcePtr& file, const Options& options, const std::string& standard, Collector& collector,
         clang::FrontendAction& action, const std::vector<std::string>& toolkit = {}) {
  const std::vector<std::string> args = arguments(file, options, standard, toolkit);
  std::vector<const char*> raw;
  for (const std::string& s : args) raw.push_back(s.c_str());
  auto engine = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions, &collector, false);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, raw, *engine)) return false;
  invocation->getDiagnosticOpts().ShowCarets = false;
  invocation->getCodeGenOpts().DiscardValueNames = false;
  invocation->getPreprocessorOpts().addRemappedFile(
      file->name, llvm::MemoryBuffer::getMemBufferCopy(as_clang_reads(file, options), file->name).release());
  clang::CompilerInstance ci;
  ci.setInvocation(invocation);
  ci.createDiagnostics(&collector, false);
  ci.createFileManager(file_system(options, collector.reads()));
  return ci.ExecuteAction(action);
}

Diagnostics given_up(const SourcePtr& file, const Collector& collector) {
  Diagnostics ds;
  ds.list = collector.errors();
  if (ds.list.empty()) ds.add({.span = {file, 0, 0}, .message = "clang gave up on this file without saying why"});
  return ds;
}

std::unique_ptr<LlvmModule> empty() {
  auto out = std::make_unique<LlvmModule>();
  out->context = std::make_unique<llvm::LLVMContext>();
  return out;
}

Expected<std::unique_ptr<LlvmModule>> parse_as(const SourcePtr& file, const Options& options,
                                               const std::string& standard, Reads& reads) {
  auto out = empty();
  Collector collector(file, options, reads);
  Action action(*out, options);
  if (!run(file, options, standard, collector, action) || !collector.failures.empty())
    return std::unexpected(given_up(file, collector));
  out->module = action.takeModule();
  out->warnings = std::move(collector.warnings);
  return out;
}

}  // namespace

// What -D says of __CUDA_ARCH__; 0: nothing.
static uint32_t said_arch(const Options& o) {
  for (const std::vector<std::string>* words : {&o.defines, &o.clang_arguments})
    for (llvm::StringRef w : *words) {
      if (words == &o.clang_arguments && !w.consume_front("-D")) continue;
      uint32_t n = 0;
      if (w.consume_front("__CUDA_ARCH__=") && !w.consumeInteger(0, n) && n > 0) return n;
    }
  return 0;
}

bool may_be_quoted(const std::string& path, const Source& file, const Options& options) {
  if (path.starts_with(k_header_folder)) return true;
  std::vector<std::string> folders = options.include_folders;
  const std::string home = std::filesystem::path(file.name).parent_path().string();
  folders.push_back(home.empty() ? "." : home);
  folders.push_back(FENCEPOST_CLANG_RESOURCES);
  if (!options.cuda_path.empty()) folders.push_back(options.cuda_path + "/include");
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& f) { return is_below(path, f); });
}

bool available() { return true; }
std::string version() { return std::string("clang ") + CLANG_VERSION_STRING; }

Expected<std::unique_ptr<LlvmModule>> parse(const SourcePtr& file, const Options& options) {
  Reads reads;
  auto first = parse_as(file, options, options.standard, reads);
  if (first || !options.standard.empty()) return first;
  // Generic pointers, C11 atomics and structures that hold pointers are of later versions of the language.
  for (const char* later : {"CL2.0", "CL3.0"})
    if (auto again = parse_as(file, options, later, reads)) return again;
  return first;
}

namespace {

Expected<Surveyed> survey_at(const SourcePtr& file, const Options& options, std::vector<ArchPlace>& arch) {
  Surveyed out{.parsed = empty(), .cuda_arch = said_arch(options)};
  std::vector<std::string> toolkit;
  if (!options.cuda_path.empty()) {
    auto arguments = toolkit_arguments(options);
    if (!arguments) return std::unexpected(std::move(arguments.error()));
    toolkit = std::move(*arguments);
    out.parsed->library = toolkit_folders(options);
  }
  Reads reads;
  Collector collector(file, options, reads);
  Found found;
  out.arch_given = !options.newer_arch || out.cuda_arch != 0;
  if (out.cuda_arch == 0) out.cuda_arch = options.cuda_arch;
  found.cuda_arch = out.cuda_arch;
  found.arch_given = out.arch_given;
  SurveyAction action(collector, *out.parsed, found, options);
  run(file, options, options.standard, collector, action, toolkit);
  // Without inlining, functions are looked at for themselves, and one that is at fault must not be passed over.
  const bool strict = !options.inline_calls && !collector.failures.empty();
  if (out.parsed->module == nullptr || strict) return std::unexpected(given_up(file, collector));
  out.parsed->warnings = std::move(collector.warnings);
  out.kernels = std::move(found.kernels);
  out.missing = std::move(found.missing);
  out.errors = collector.errors();
  arch = std::move(found.elsewhere.arch);
  return out;
}

}  // namespace

// A newer architecture may show text that asks for a newer one still.
Expected<Surveyed> survey(const SourcePtr& file, const Options& options) {
  Options o = options;
  // What -D says is what code is made for, where that can be read.
  if (std::find(std::begin(k_cuda_archs), std::end(k_cuda_archs), said_arch(o)) != std::end(k_cuda_archs))
    o.cuda_arch = said_arch(o);
  std::vector<ArchPlace> arch;
  auto out = survey_at(file, o, arch);
  while (out && !out->arch_given) {
    const uint32_t newer = arch_for(arch, o.cuda_arch);
    if (newer == o.cuda_arch) break;
    o.cuda_arch = newer;
    auto again = survey_at(file, o, arch);
    if (!again) break;
    out = std::move(again);
  }
  return out;
}

Expected<Unit> read(const SourcePtr& file, const Options& options) {
  if (options.dialect == ir::Dialect::opencl) {
    auto parsed = parse(file, options);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    prepare(*(*parsed)->module, options);
    std::map<std::string, Diagnostic> refused;
    auto module = lower(file, **parsed, options, &refused);
    if (!module) return std::unexpected(std::move(module.error()));
    Unit out{.module = std::move(*module), .other_text = std::move((*parsed)->other_text)};
    if (out.module.kernels().empty() && !refused.empty()) {
      Diagnostics ds;
      ds.add(refused.begin()->second);
      return std::unexpected(std::move(ds));
    }
    for (const auto& [name, why] : refused)
      out.kernels.push_back({.name = name, .symbol = name, .place = why.span, .not_read = why});
    return out;
  }
  auto surveyed = survey(file, options);
  if (!surveyed) return std::unexpected(std::move(surveyed.error()));
  LlvmModule& parsed = *surveyed->parsed;
  if (!options.cuda_path.empty()) adopt(parsed);
  prepare(*parsed.module, options);
  Unit out{.kernels = std::move(surveyed->kernels),
           .missing = std::move(surveyed->missing),
           .errors = std::move(surveyed->errors),
           .cuda_arch = surveyed->cuda_arch,
           .arch_given = surveyed->arch_given};
  std::map<std::string, Diagnostic> refused;
  auto module = lower(file, parsed, options, &refused);
  if (!module) return std::unexpected(std::move(module.error()));
  out.module = std::move(*module);
  for (HostKernel& k : out.kernels)
    if (const auto it = refused.find(k.symbol); it != refused.end() && !k.not_read) k.not_read = it->second;
  return out;
}

Expected<ir::Module> compile(const SourcePtr& file, const Options& options) {
  auto unit = read(file, options);
  if (!unit) return std::unexpected(std::move(unit.error()));
  if (!unit->errors.empty()) {
    Diagnostics ds;
    ds.list = std::move(unit->errors);
    return std::unexpected(std::move(ds));
  }
  for (const HostKernel& k : unit->kernels)
    if (k.not_read) {
      Diagnostics ds;
      ds.add(*k.not_read);
      return std::unexpected(std::move(ds));
    }
  return std::move(unit->module);
}

}  // namespace fencepost::clangfe
