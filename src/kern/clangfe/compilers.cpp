#include "clangfe/compilers.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/ADT/StringSet.h>

#include <algorithm>
#include <cctype>

#include "clangfe/arch.h"
#include "clangfe/launches.h"
#include "clangfe/survey.h"

namespace fencepost::clangfe {

using clang::FunctionDecl;
using clang::SourceLocation;
using clang::Token;
namespace tok = clang::tok;

// ---- which macros --------------------------------------------------------------------------------------------------

namespace {

// A macro of compilers, toolkits, languages and systems: by its whole name, or by how its name begins.
struct MacroRow {
  llvm::StringRef name;
  enum : uint8_t { whole, begins } by = begins;
  bool tells = false;  // its value, written in code, tells of the compiler (tells_in_code)
};

constexpr MacroRow k_macros[] = {
    // clang-format off
    // CUDA and its compilers
    {"__CUDA"},                               {"__CUDACC_VER", MacroRow::begins, true},
    {"__CUDA_API", MacroRow::begins, true},   {"__CUDA__", MacroRow::whole, true},
    {"__NV"},                                 {"__NVCC", MacroRow::begins, true},
    {"CUDA_VERSION", MacroRow::whole, true},  {"CUDART_VERSION", MacroRow::whole, true},
    {"CUB_VERSION", MacroRow::whole, true},   {"THRUST_VERSION", MacroRow::whole, true},
    // other compilers
    {"__HIP"},      {"__HCC"},     {"__SYCL"},   {"__INTEL"},  {"__PGI"},    {"__EDG"},  {"__MINGW"},
    {"__clang"},                              {"__clang__", MacroRow::whole, true},
    {"__clang_m", MacroRow::begins, true},    {"__clang_p", MacroRow::begins, true},
    {"__clang_v", MacroRow::begins, true},    {"__GNU"},
    {"__GNUC", MacroRow::begins, true},       {"_MSC"},
    {"_MSC_", MacroRow::begins, true},
    // languages and what they have
    {"__STDC"},                               {"__STDC_V", MacroRow::begins, true},
    {"__cplusplus"},                          {"__cplusplus", MacroRow::whole, true},
    {"__cpp_", MacroRow::begins, true},       {"__has_"},   {"_OPENMP"},   {"_OPENACC"},
    {"CL_VERSION_", MacroRow::begins, true},  {"__OPENCL_", MacroRow::begins, true},
    {"__opencl_"},  {"CL_HPP_"},   {"cl_khr_"},  {"cl_intel_"}, {"cl_amd_"}, {"cl_arm_"},
    {"cl_nv_"},     {"cl_ext_"},   {"cl_qcom_"}, {"cl_img_"},
    {"__IMAGE_"},                             {"__IMAGE_SUPPORT__", MacroRow::whole, true},
    {"__FAST_"},    {"__EMBEDDED_PROFILE"},
    {"defined", MacroRow::whole},  {"true", MacroRow::whole},  {"false", MacroRow::whole},
    {"and", MacroRow::whole},      {"or", MacroRow::whole},    {"not", MacroRow::whole},
    {"NDEBUG", MacroRow::whole},   {"_DEBUG", MacroRow::whole},
    // systems and processors
    {"__APPLE__"},  {"__unix"},    {"_WIN"},     {"__WIN"},    {"__DEVICE"},
    {"__linux"},                              {"__linux__", MacroRow::whole, true},
    {"__x86"},                                {"__x86_64__", MacroRow::whole, true},
    {"__amd64"},    {"__aarch64"},
    {"__LP64"},                               {"__LP64__", MacroRow::whole, true},
    {"__ENDIAN_"},                            {"__ENDIAN_LITTLE__", MacroRow::whole, true},
    {"__SIZEOF"},                             {"__SIZEOF_", MacroRow::begins, true},
    {"WIN32", MacroRow::whole},    {"WIN64", MacroRow::whole},
    {"linux", MacroRow::whole},    {"unix", MacroRow::whole},
    // clang-format on
};

bool is(const MacroRow& row, llvm::StringRef name) {
  return row.by == MacroRow::whole ? name == row.name : name.starts_with(row.name);
}

}  // namespace

bool of_compilers(llvm::StringRef name) {
  return std::ranges::any_of(k_macros, [&](const MacroRow& r) { return is(r, name); });
}

bool may_be_of_compilers(llvm::StringRef name) {
  return of_compilers(name) || name.starts_with("__") ||
         (name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1])) != 0);
}

bool is_everywhere(llvm::StringRef name, bool whether) {
  static const llvm::StringSet<> always = {"defined",
                                           "true",
                                           "false",
                                           "and",
                                           "or",
                                           "not",
                                           "__VA_ARGS__",
                                           "__VA_OPT__",
                                           "__LINE__",
                                           "__FILE__",
                                           "__COUNTER__",
                                           "NULL",
                                           "__CUDACC__",
                                           "__INTELLISENSE__",
                                           "__global__",
                                           "__device__",
                                           "__host__",
                                           "__shared__",
                                           "__constant__",
                                           "__managed__",
                                           "__noinline__",
                                           "__forceinline__",
                                           "__launch_bounds__",
                                           "__restrict__",
                                           "__align__",
                                           "__CUDA_ARCH__",
                                           "__kernel",
                                           "__global",
                                           "__local",
                                           "__constant",
                                           "__private",
                                           "__attribute__"};
  static const llvm::StringSet<> present = {"__cplusplus", "__OPENCL_VERSION__", "__STDC__"};
  if (always.contains(name) || (whether && present.contains(name))) return true;
  // The limits of types.
  return name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_MAX__") ||
         name.starts_with("__CUDA_ARCH_");
}

// A header that comes with a compiler, a toolkit or a system: what it declares has names of its own, which a kernel
// that is read without it does not use. Any other may be a project's, and may declare what it likes.
static bool comes_with_system(llvm::StringRef header) {
  // Folders of toolkits, systems and libraries of pictures.
  for (const char* begin : {"cuda/",   "cub/",  "thrust/",  "cooperative_groups/",
                            "crt/",    "nv/",   "nvtx3/",   "hip/",
                            "sys/",    "arpa/", "netinet/", "linux/",
                            "mach/",   "GL/",   "GLES2/",   "GLES3/",
                            "GLUT/",   "GLFW/", "EGL/",     "X11/",
                            "vulkan/", "CL/",   "OpenCL/",  "OpenGL/",
                            "wrl/",    "ext/"})
    if (header.starts_with(begin)) return true;
  if (header.ends_with("intrin.h")) return true;  // of x86
  constexpr llvm::StringRef k_names =
      // C and POSIX.
      " assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h "
      "signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h "
      "tgmath.h threads.h time.h uchar.h wchar.h wctype.h unistd.h pthread.h getopt.h malloc.h memory.h strings.h "
      "dirent.h dlfcn.h fcntl.h sched.h semaphore.h poll.h termios.h netdb.h pwd.h libgen.h glob.h regex.h syslog.h "
      "execinfo.h ucontext.h "
      // Windows and its pictures.
      "windows.h Windows.h io.h direct.h process.h conio.h tchar.h strsafe.h intrin.h winsock2.h ws2tcpip.h psapi.h "
      "d3d9.h d3d10.h d3d11.h d3d12.h dxgi.h dxgi1_4.h DirectXMath.h wrl.h "
      // C++.
      "algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts coroutine deque "
      "exception execution expected filesystem format forward_list fstream functional future initializer_list iomanip "
      "ios iosfwd iostream istream iterator latch limits list locale map mdspan memory memory_resource mutex new "
      "numbers numeric optional ostream print queue random ranges ratio regex scoped_allocator semaphore set "
      "shared_mutex source_location span spanstream sstream stack stdexcept stdfloat stop_token streambuf string "
      "string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map "
      "unordered_set utility valarray variant vector version cassert cctype cerrno cfenv cfloat cinttypes climits "
      "clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype "
      // The toolkit of CUDA, the headers of its samples, OpenMP, MPI, OpenCL.
      "cuda.h cuda_runtime.h cuda_runtime_api.h cuda_fp16.h cuda_fp16.hpp cuda_bf16.h cuda_bf16.hpp cuda_fp8.h "
      "cuda_fp6.h cuda_fp4.h cuda_pipeline.h cuda_pipeline_primitives.h cuda_awbarrier.h cuda_awbarrier_primitives.h "
      "cuda_texture_types.h cuda_profiler_api.h cudaProfiler.h cuda_gl_interop.h cuda_egl_interop.h cudaEGL.h "
      "cudaGL.h cuda_d3d11_interop.h cuda_occupancy.h cuda_device_runtime_api.h cudart_platform.h cuda_stdint.h "
      "cuComplex.h cublas.h cublas_v2.h cublasXt.h cublasLt.h cufft.h cufftXt.h curand.h curand_kernel.h "
      "curand_mtgp32_host.h cusparse.h cusparse_v2.h cusolverDn.h cusolverSp.h cusolver_common.h cudnn.h cupti.h "
      "nvrtc.h nvml.h nvToolsExt.h nvJitLink.h nccl.h mma.h cooperative_groups.h driver_types.h driver_functions.h "
      "vector_types.h vector_functions.h vector_functions.hpp device_launch_parameters.h device_functions.h "
      "device_atomic_functions.h device_types.h device_double_functions.h host_defines.h host_config.h common_types.h "
      "builtin_types.h channel_descriptor.h math_constants.h math_functions.h texture_types.h "
      "texture_fetch_functions.h texture_indirect_functions.h surface_types.h surface_functions.h "
      "surface_indirect_functions.h library_types.h sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h "
      "sm_32_atomic_functions.h sm_32_intrinsics.h sm_35_atomic_functions.h sm_35_intrinsics.h "
      "sm_60_atomic_functions.h sm_61_intrinsics.h helper_cuda.h helper_functions.h helper_timer.h helper_string.h "
      "helper_image.h helper_math.h cutil.h cutil_math.h omp.h mpi.h opencl.h ";
  return !header.contains(' ') && k_names.contains((" " + header + " ").str());
}

bool tells_in_code(llvm::StringRef name) {
  return std::ranges::any_of(k_macros, [&](const MacroRow& r) { return r.tells && is(r, name); });
}

// ---- words of the text ---------------------------------------------------------------------------------------------

bool is_inert(const clang::Preprocessor& pp, const std::vector<Token>& tokens) {
  static const llvm::StringSet<> words = {
      "__host__", "__device__", "__forceinline__", "__noinline__", "__inline__",   "__inline",   "__forceinline",
      "inline",   "static",     "extern",          "constexpr",    "__restrict__", "__restrict", "restrict",
      "noexcept", "template",   "nodiscard",       "maybe_unused", "typename",     "_Noreturn",  "__extension__"};
  static const llvm::StringSet<> with_argument = {"__attribute__",  "__declspec", "__align__",       "alignas",
                                                  "noexcept",       "__pragma",   "_Pragma",         "static_assert",
                                                  "_Static_assert", "__assume",   "__builtin_expect"};
  for (size_t k = 0; k < tokens.size(); ++k) {
    const Token& t = tokens[k];
    if (t.isOneOf(tok::semi, tok::l_square, tok::r_square, tok::comment)) continue;
    const std::string word = pp.getSpelling(t);
    if (with_argument.contains(word) && k + 1 < tokens.size() && tokens[k + 1].is(tok::l_paren)) {
      size_t end = k + 2;
      for (int depth = 1; depth > 0 && end < tokens.size(); ++end)
        depth += tokens[end].is(tok::l_paren) ? 1 : tokens[end].is(tok::r_paren) ? -1 : 0;
      k = end - 1;
    } else if (!words.contains(word)) {
      return false;
    }
  }
  return true;
}

namespace {

// Without directives.
std::vector<Token> code_of(const std::vector<Token>& words) {
  std::vector<Token> out;
  bool directive = false;
  for (const Token& t : words) {
    if (t.isAtStartOfLine()) directive = t.is(tok::hash);
    if (!directive) out.push_back(t);
  }
  return out;
}

enum class Included { nothing, system, own };
Included included(const clang::SourceManager& sm, const std::vector<Token>& words) {
  Included out = Included::nothing;
  for (size_t k = 0; k + 2 < words.size(); ++k) {
    if (words[k].isNot(tok::hash) || !words[k].isAtStartOfLine() || words[k + 1].isNot(tok::raw_identifier) ||
        !(words[k + 1].getRawIdentifier().starts_with("include") || words[k + 1].getRawIdentifier() == "import"))
      continue;
    if (words[k + 2].is(tok::less)) {
      // The words of the name as they stand in the text.
      const char* const begin = sm.getCharacterData(words[k + 2].getLocation()) + 1;
      const char* end = begin;
      while (*end != '>' && *end != '\n' && *end != 0) ++end;
      const llvm::StringRef name(begin, static_cast<size_t>(end - begin));
      out = std::max(out, comes_with_system(name) ? Included::system : Included::own);
      continue;
    }
    const llvm::StringRef name =
        words[k + 2].is(tok::string_literal)
            ? llvm::StringRef(words[k + 2].getLiteralData(), words[k + 2].getLength()).trim('"')
            : llvm::StringRef();
    out = std::max(out, comes_with_system(name) ? Included::system : Included::own);
  }
  return out;
}

}  // namespace

// #pragma pack: what structures look like from here on.
static bool lays_out(const std::vector<Token>& words) {
  const auto is = [&](size_t k, llvm::StringRef word) {
    return words[k].is(tok::raw_identifier) && words[k].getRawIdentifier() == word;
  };
  for (size_t k = 0; k + 2 < words.size(); ++k)
    if (words[k].is(tok::hash) && words[k].isAtStartOfLine() && is(k + 1, "pragma") && is(k + 2, "pack")) return true;
  return false;
}

bool says_something(const clang::Preprocessor& pp, const std::vector<Token>& words) {
  return !is_inert(pp, code_of(words)) || lays_out(words) ||
         included(pp.getSourceManager(), words) != Included::nothing;
}

std::vector<Token> words_between(const clang::SourceManager& sm, const clang::LangOptions& language,
                                 SourceLocation from, SourceLocation to) {
  const auto [file, begin] = sm.getDecomposedLoc(sm.getExpansionLoc(from));
  const unsigned end = sm.getFileOffset(sm.getExpansionLoc(to));
  std::vector<Token> out;
  bool bad = false;
  const llvm::StringRef text = sm.getBufferData(file, &bad);
  if (bad) return out;
  clang::Lexer lexer(sm.getLocForStartOfFile(file), language, text.begin(), text.begin() + begin, text.end());
  Token t;
  bool first = true;
  while (!lexer.LexFromRawLexer(t) && t.isNot(tok::eof) && sm.getFileOffset(t.getLocation()) < end) {
    // The first token counts as the start of a line, wherever it stands.
    if (std::exchange(first, false) || (out.empty() && !t.isAtStartOfLine())) continue;
    out.push_back(t);
  }
  // The '#' of the directive.
  if (!out.empty() && out.back().is(tok::hash) && out.back().isAtStartOfLine()) out.pop_back();
  return out;
}

std::string assumption(const OtherText& t) { return t.by_compiler ? t.text : "this __CUDA_ARCH__ is meant: " + t.text; }

// ---- notes ---------------------------------------------------------------------------------------------------------

namespace {

using Names = std::set<std::string>;

void add_words(Names& to, const std::vector<Token>& words) {
  for (const Token& t : words)
    if (t.is(tok::raw_identifier)) to.insert(t.getRawIdentifier().str());
}

// A name that a declaration may give: no keyword and no qualifier.
bool is_name(clang::ASTContext& context, llvm::StringRef word) {
  return context.Idents.get(word).getTokenID() == tok::identifier && !is_everywhere(word, false) && word != "inline" &&
         !word.starts_with("__attribute");
}

// Words of a declaration's text, from its first token to its last.
void add_words(Names& to, clang::ASTContext& context, clang::SourceRange range) {
  if (range.isInvalid()) return;
  const clang::SourceManager& sm = context.getSourceManager();
  const auto [file, begin] = sm.getDecomposedLoc(sm.getExpansionLoc(range.getBegin()));
  const auto [last, end] = sm.getDecomposedLoc(sm.getExpansionRange(range.getEnd()).getEnd());
  bool bad = false;
  const llvm::StringRef text = sm.getBufferData(file, &bad);
  if (bad || file != last) return;
  clang::Lexer lexer(sm.getLocForStartOfFile(file), context.getLangOpts(), text.begin(), text.begin() + begin,
                     text.end());
  for (Token t; !lexer.LexFromRawLexer(t) && t.isNot(tok::eof) && sm.getFileOffset(t.getLocation()) <= end;)
    if (t.is(tok::raw_identifier)) to.insert(t.getRawIdentifier().str());
}

// Declarations of file scope whose text a kernel may rest on without reaching them: types, constants, templates.
void file_scope(clang::DeclContext* d, std::vector<clang::NamedDecl*>& out) {
  for (clang::Decl* inner : d->decls()) {
    if (auto* space = clang::dyn_cast<clang::DeclContext>(inner);
        space != nullptr && clang::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(inner)) {
      file_scope(space, out);
      continue;
    }
    auto* n = clang::dyn_cast<clang::NamedDecl>(inner);
    const auto* f = clang::dyn_cast<FunctionDecl>(inner);
    if (n != nullptr && n->getIdentifier() != nullptr && !n->isImplicit() && (f == nullptr || f->isConstexpr()))
      out.push_back(n);
    if (auto* e = clang::dyn_cast<clang::EnumDecl>(inner))
      for (clang::EnumConstantDecl* c : e->enumerators()) out.push_back(c);
  }
}

clang::SourceRange range_of(clang::NamedDecl* d) {
  if (const auto* c = clang::dyn_cast<clang::EnumConstantDecl>(d))
    return clang::cast<clang::EnumDecl>(c->getDeclContext())->getSourceRange();
  return d->getSourceRange();
}

// What the kernel's text has words of, those of the declarations that it names included.
Names words_of(clang::ASTContext& context, const std::set<const clang::Decl*>& reached) {
  Names out;
  for (const clang::Decl* d : reached) {
    if (const auto* n = clang::dyn_cast<clang::NamedDecl>(d); n != nullptr && n->getIdentifier() != nullptr)
      out.insert(n->getName().str());
    const auto* f = clang::dyn_cast<FunctionDecl>(d);
    add_words(out, context, f != nullptr ? text_of(f) : d->getSourceRange());
    if (f != nullptr) add_words(out, context, f->getSourceRange());
  }
  std::vector<clang::NamedDecl*> rest;
  file_scope(context.getTranslationUnitDecl(), rest);
  const clang::SourceManager& sm = context.getSourceManager();
  std::erase_if(rest, [&](clang::NamedDecl* d) { return !users_text(sm, context.getTargetInfo(), d->getLocation()); });
  for (size_t before = 0; before != rest.size();) {
    before = rest.size();
    std::erase_if(rest, [&](clang::NamedDecl* d) {
      if (!out.contains(d->getName().str())) return false;
      add_words(out, context, range_of(d));
      return true;
    });
  }
  return out;
}

// How values come together in the host's code: what is given a value, and of what.
struct Flow {
  std::set<const clang::Decl*> targets, sources;
  clang::SourceRange range;
};

class Flows : public clang::RecursiveASTVisitor<Flows> {
 public:
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitVarDecl(clang::VarDecl* v) {
    if (v->hasInit() && v->getInit() != nullptr) list.push_back({{v}, names(v->getInit()), v->getSourceRange()});
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) {
    if (b->isAssignmentOp()) list.push_back({names(b->getLHS()), names(b->getRHS()), b->getSourceRange()});
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) {
    if (u->isIncrementDecrementOp()) list.push_back({names(u->getSubExpr()), {}, u->getSourceRange()});
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* c) {
    const auto* op = clang::dyn_cast<clang::CXXOperatorCallExpr>(c);
    if (op != nullptr && op->isAssignmentOp() && c->getNumArgs() == 2) {
      list.push_back({names(c->getArg(0)), names(c->getArg(1)), c->getSourceRange()});
      return true;
    }
    const FunctionDecl* f = c->getDirectCallee();
    for (unsigned k = 0; k < c->getNumArgs(); ++k) {
      const clang::Expr* a = c->getArg(k)->IgnoreParenCasts();
      Flow out{{}, {}, c->getSourceRange()};
      if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(a); u != nullptr && u->getOpcode() == clang::UO_AddrOf)
        out.targets = names(u->getSubExpr());
      if (f != nullptr) out.sources.insert(f->getCanonicalDecl());
      if (!out.targets.empty()) list.push_back(std::move(out));
      if (f != nullptr && k < f->getNumParams()) list.push_back({{f->getParamDecl(k)}, names(a), c->getSourceRange()});
    }
    return true;
  }
  // What a function gives back.
  void returns(const FunctionDecl* f) {
    struct Visitor : clang::RecursiveASTVisitor<Visitor> {
      std::vector<const clang::ReturnStmt*> found;
      bool VisitReturnStmt(clang::ReturnStmt* r) { return found.push_back(r), true; }
    } v;
    v.TraverseDecl(const_cast<FunctionDecl*>(f));
    for (const clang::ReturnStmt* r : v.found)
      if (r->getRetValue() != nullptr)
        list.push_back({{f->getCanonicalDecl()}, names(r->getRetValue()), r->getSourceRange()});
  }
  // Variables, fields and functions that an expression names.
  static std::set<const clang::Decl*> names(const clang::Expr* e) {
    struct Visitor : clang::RecursiveASTVisitor<Visitor> {
      std::set<const clang::Decl*> found;
      bool VisitDeclRefExpr(clang::DeclRefExpr* r) { return found.insert(r->getDecl()->getCanonicalDecl()), true; }
      bool VisitMemberExpr(clang::MemberExpr* m) { return found.insert(m->getMemberDecl()->getCanonicalDecl()), true; }
    } v;
    v.TraverseStmt(const_cast<clang::Expr*>(e));
    return v.found;
  }
  std::vector<Flow> list;
};

// Text that this __CUDA_ARCH__ reads and another leaves out, with none in its place.
bool is_read_for_arch(const CompilerPlace& p) { return p.names.size() == 1 && p.names.contains(k_arch.str()); }

// The place goes around the whole text.
bool around_all(const clang::SourceManager& sm, clang::SourceRange r, const CompilerPlace& p) {
  return r.isValid() && sm.isBeforeInTranslationUnit(p.begin, sm.getExpansionLoc(r.getBegin())) &&
         sm.isBeforeInTranslationUnit(sm.getExpansionRange(r.getEnd()).getEnd(), p.end);
}

bool inside(const clang::SourceManager& sm, clang::SourceRange r, const CompilerPlace& p) {
  if (r.isInvalid()) return false;
  const SourceLocation begin = sm.getExpansionLoc(r.getBegin()), end = sm.getExpansionRange(r.getEnd()).getEnd();
  return !sm.isBeforeInTranslationUnit(p.begin, begin) && !sm.isBeforeInTranslationUnit(end, p.end);
}

// The launches of a kernel, and what they are made of.
struct LaunchText {
  std::set<const clang::Decl*> made_of;
  std::vector<clang::SourceRange> ranges;
  // Does a word of text in this function mean one of them?
  bool named(const std::string& word, const FunctionDecl* in) const {
    return std::any_of(made_of.begin(), made_of.end(), [&](const clang::Decl* d) {
      const auto* n = clang::cast<clang::NamedDecl>(d);
      if (n->getIdentifier() == nullptr || n->getName() != word) return false;
      const auto* v = clang::dyn_cast<clang::VarDecl>(d);
      if (v == nullptr || v->isFileVarDecl()) return true;
      const auto* own = clang::dyn_cast<FunctionDecl>(v->getDeclContext());
      return in == nullptr || own == nullptr || text_of(own) == text_of(in);
    });
  }
};

LaunchText launch_text(const FunctionDecl* kernel, const std::vector<FoundLaunch>& launches,
                       const std::vector<const FunctionDecl*>& hosts) {
  Flows flows;
  for (const FunctionDecl* f : hosts) {
    flows.TraverseDecl(const_cast<FunctionDecl*>(f));
    flows.returns(f);
  }
  LaunchText out;
  for (const FoundLaunch& l : launches)
    if (l.call != nullptr && (l.kernel == nullptr || l.kernel->getCanonicalDecl() == kernel->getCanonicalDecl())) {
      const auto names = Flows::names(l.call);
      out.made_of.insert(names.begin(), names.end());
      out.ranges.push_back(l.call->getSourceRange());
    }
  std::vector<bool> used(flows.list.size());
  for (bool more = true; more;) {
    more = false;
    for (size_t k = 0; k < flows.list.size(); ++k) {
      const Flow& f = flows.list[k];
      const bool wanted = std::any_of(f.targets.begin(), f.targets.end(), [&](const clang::Decl* d) {
        return out.made_of.contains(d->getCanonicalDecl());
      });
      if (used[k] || !wanted) continue;
      used[k] = more = true;
      out.ranges.push_back(f.range);
      out.made_of.insert(f.sources.begin(), f.sources.end());
    }
  }
  return out;
}

}  // namespace

// Names that the text declares where no function is around it; "" among them: any.
std::set<std::string> CompilerNotes::declared_by(const CompilerPlace& p) const {
  const clang::SourceManager& sm = context_.getSourceManager();
  if (p.macro.empty() && !p.words.empty()) return p.words;
  Names out;
  for (const auto* parts : {&p.left, &p.there})
    for (const auto& [from, to] : *parts) {
      const std::vector<Token> words = words_between(sm, context_.getLangOpts(), from, to);
      if (included(sm, words) == Included::own || lays_out(words)) out.insert("");
      // What stands in braces is reached by the name before them, but for namespaces.
      int depth = 0, parentheses = 0;
      bool open = false;  // `namespace n` or `extern "C"` was the last
      llvm::StringRef last;
      for (const Token& t : code_of(words)) {
        if (t.is(tok::raw_identifier)) {
          // Used without a word of their own: operators, and what a namespace makes visible.
          const bool visible = last == "namespace_" && t.getRawIdentifier() != "std";
          if (depth == 0 && (t.getRawIdentifier() == "operator" || visible)) out.insert("");
          last = t.getRawIdentifier() == "namespace" && last == "using" ? "namespace_" : t.getRawIdentifier();
          if (t.getRawIdentifier() == "namespace" || t.getRawIdentifier() == "extern") open = true;
          if (depth == 0 && parentheses == 0 && is_name(context_, t.getRawIdentifier()))
            out.insert(t.getRawIdentifier().str());
        }
        if (t.isOneOf(tok::l_paren, tok::r_paren))
          parentheses = std::max(0, parentheses + (t.is(tok::l_paren) ? 1 : -1));
        if (t.is(tok::semi)) open = false;
        if (t.is(tok::l_brace) && !std::exchange(open, false)) ++depth;
        if (t.is(tok::r_brace) && depth > 0) --depth;
      }
    }
  // Around it, in its file: the statement that it stands in, and the names before braces that are open.
  const auto [file, at] = sm.getDecomposedLoc(sm.getExpansionLoc(p.begin));
  bool bad = false;
  const llvm::StringRef text = sm.getBufferData(file, &bad);
  if (bad) return Names{""};
  clang::Lexer lexer(sm.getLocForStartOfFile(file), context_.getLangOpts(), text.begin(), text.begin(), text.end());
  std::vector<Names> around{{}};
  Names statement;
  bool behind = false, space = false;                 // space: `namespace n` or `extern "C"` was the last
  bool directive = false, within = !p.macro.empty();  // within: a statement that goes on behind it
  for (Token t; !lexer.LexFromRawLexer(t) && t.isNot(tok::eof);) {
    if (t.isAtStartOfLine()) directive = t.is(tok::hash);
    if (!behind && sm.getFileOffset(t.getLocation()) > at) {
      behind = true;
      within = within || !statement.empty();
    }
    if (behind && (!within || (!directive && t.isOneOf(tok::semi, tok::l_brace, tok::r_brace)))) break;
    if (directive) continue;
    if (t.is(tok::raw_identifier) && is_name(context_, t.getRawIdentifier()))
      statement.insert(t.getRawIdentifier().str());
    if (t.is(tok::l_brace)) {
      around.push_back(std::exchange(space, false) ? Names{} : statement);
    }
    space = space ||
            (t.is(tok::raw_identifier) && (t.getRawIdentifier() == "namespace" || t.getRawIdentifier() == "extern"));
    if (t.is(tok::semi)) space = false;
    if (t.is(tok::r_brace) && around.size() > 1) around.pop_back();
    if (t.isOneOf(tok::semi, tok::l_brace, tok::r_brace)) statement.clear();
  }
  for (const Names& n : around) out.insert(n.begin(), n.end());
  if (within) out.insert(statement.begin(), statement.end());
  return out;
}

// Names that are macros here, too: their uses were followed where they are expanded (conditions.h).
bool CompilerNotes::followed(const CompilerPlace& p) const {
  return p.macro.empty() && std::any_of(p.words.begin(), p.words.end(), [&](const std::string& word) {
           return context_.Idents.get(word).hadMacroDefinition();
         });
}

void CompilerNotes::add(const CompilerPlace& p, std::vector<OtherText>& out, bool of_resets) const {
  const clang::SourceManager& sm = context_.getSourceManager();
  std::vector<std::string> some(p.names.begin(), p.names.end());
  if (some.size() > 3) some.resize(3);
  std::string what;
  const bool by_arch = is_read_for_arch(p);
  if (by_arch) {
    const auto& [from, to] = p.there.empty() ? p.left.front() : p.there.front();
    what = fmt::format("{} {} for it", lines_of(sm, from, to), p.there.empty() ? "left out" : "read");
  } else if (!p.macro.empty()) {
    const bool itself = p.names.size() == 1 && p.names.contains(p.macro);
    const std::string line = lines_of(sm, p.begin, p.end);
    what = itself ? fmt::format("{} is as it is here: {} uses it", p.macro, line)
                  : fmt::format("{} {} here: {} uses {}", fmt::join(some, " and "),
                                some.size() == 1 ? "is as it is" : "are as they are", line, p.macro);
  } else {
    const auto& [from, to] = p.left.empty() ? p.there.front() : p.left.front();
    what =
        fmt::format("{} {} here: {} {}", fmt::join(some, " and "), some.size() == 1 ? "is as it is" : "are as they are",
                    lines_of(sm, from, to), p.left.empty() ? "read" : "left out");
  }
  if (const auto known = std::ranges::find(out, what, &OtherText::text); known != out.end())
    known->of_resets = known->of_resets && of_resets;
  else
    out.push_back({.text = std::move(what), .by_compiler = !by_arch, .of_resets = of_resets});
}

// Functions of the host that may change what memory of the device holds, by name, with those that name them.
std::set<std::string> CompilerNotes::resetting(const std::vector<const FunctionDecl*>& hosts) const {
  std::map<std::string, Names> named;
  Names out;
  for (const FunctionDecl* f : hosts) {
    if (f->getIdentifier() == nullptr) continue;
    Names& words = named[f->getName().str()];
    add_words(words, context_, text_of(f));
    for (const llvm::StringRef w : words)
      if (w.starts_with("cudaMemset") || w.starts_with("cudaMemcpy") || w.starts_with("cuMemset") ||
          w.starts_with("cuMemcpy"))
        out.insert(f->getName().str());
  }
  for (size_t before = out.size() + 1; before != out.size();) {
    before = out.size();
    for (const auto& [f, words] : named)
      if (std::ranges::any_of(words, [&](const std::string& w) { return out.contains(w); })) out.insert(f);
  }
  return out;
}

void CompilerNotes::of_kernel(const FunctionDecl* kernel, const std::set<const clang::Decl*>& reached,
                              std::vector<OtherText>& out) const {
  if (places_.empty()) return;
  const clang::SourceManager& sm = context_.getSourceManager();
  Names words = words_of(context_, reached);
  add_words(words, context_, kernel->getSourceRange());
  const auto rests_on = [&](const Names& names) {
    return names.contains("") ||
           std::any_of(names.begin(), names.end(), [&](const std::string& n) { return words.contains(n); });
  };
  for (const CompilerPlace& p : places_) {
    // A kernel that stands in this text whole is not there for another __CUDA_ARCH__.
    if (followed(p) || (is_read_for_arch(p) && (!context_.getLangOpts().CUDA || around_all(sm, text_of(kernel), p))))
      continue;
    const auto around = [&](const FunctionDecl* f) { return holds(sm, f, p.begin, p.end); };
    const bool mine = around(kernel) || std::any_of(reached.begin(), reached.end(), [&](const clang::Decl* d) {
                        const auto* f = clang::dyn_cast<FunctionDecl>(d);
                        return f != nullptr && around(f);
                      });
    const auto other = std::find_if(functions_.begin(), functions_.end(), around);
    // Constants may be made by a constexpr function that nothing reaches.
    const bool apart = other != functions_.end() && !((*other)->isConstexpr() && (*other)->getIdentifier() != nullptr &&
                                                      words.contains((*other)->getName().str()));
    if (mine || (other != functions_.end() ? !apart : rests_on(declared_by(p)))) add(p, out);
  }
}

void CompilerNotes::of_launches(const FunctionDecl* kernel, const std::vector<FoundLaunch>& launches,
                                const std::vector<const FunctionDecl*>& hosts, std::vector<OtherText>& out) const {
  if (places_.empty()) return;
  const clang::SourceManager& sm = context_.getSourceManager();
  const LaunchText launch = launch_text(kernel, launches, hosts);
  const std::string name = kernel->getIdentifier() != nullptr ? kernel->getName().str() : "";
  const Names resets = resetting(hosts);
  for (const CompilerPlace& p : places_) {
    if (followed(p) || is_read_for_arch(p)) continue;  // host code has no __CUDA_ARCH__
    const auto around = [&](const FunctionDecl* f) { return holds(sm, f, p.begin, p.end); };
    const auto host = std::find_if(hosts.begin(), hosts.end(), around);
    bool wanted =
        std::any_of(launch.ranges.begin(), launch.ranges.end(), [&](clang::SourceRange r) { return inside(sm, r, p); });
    Names words;
    if (host == hosts.end()) {
      if (std::any_of(functions_.begin(), functions_.end(), around)) continue;
      words = declared_by(p);
      // A function that is left out may launch it.
      Names inner;
      for (const auto& [from, to] : p.left) add_words(inner, words_between(sm, context_.getLangOpts(), from, to));
      wanted = wanted || inner.contains(name);
    } else {
      words = p.words;
      for (const auto* parts : {&p.left, &p.there})
        for (const auto& [from, to] : *parts) add_words(words, words_between(sm, context_.getLangOpts(), from, to));
      wanted = wanted || ((*host)->getIdentifier() != nullptr && launch.named((*host)->getName().str(), nullptr));
    }
    wanted = wanted || words.contains(name) || std::any_of(words.begin(), words.end(), [&](const std::string& w) {
               return launch.named(w, host == hosts.end() ? nullptr : *host);
             });
    if (wanted)
      add(p, out);
    else if (host != hosts.end() && (*host)->getIdentifier() != nullptr && resets.contains((*host)->getName().str()))
      add(p, out, true);
  }
}

}  // namespace fencepost::clangfe
