// Functions of the CUDA runtime and of the C library, by what they do with the pointers that they are given (CUDA
// Runtime API, modules Memory Management, Stream, Event, Execution Control; ISO C 7.21 to 7.27). A name that is not
// here is not known.
#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>

#include "clangfe/host_walk.h"

namespace fencepost::clangfe {
namespace {

using clang::Expr;

const llvm::StringSet<>& allocate_on_device() {
  static const llvm::StringSet<> names = {
      "cudaMalloc", "cudaMallocManaged", "cudaMallocPitch", "cudaMallocAsync", "cudaMallocFromPoolAsync",
      "cuMemAlloc", "cuMemAllocManaged", "cuMemAllocPitch", "cuMemAllocAsync", "hipMalloc"};
  return names;
}
const llvm::StringSet<>& allocate_on_host() {
  static const llvm::StringSet<> names = {"cudaMallocHost", "cudaHostAlloc", "posix_memalign", "cuMemAllocHost",
                                          "cuMemHostAlloc"};
  return names;
}
const llvm::StringSet<>& give_memory() {
  static const llvm::StringSet<> names = {"malloc", "calloc",   "aligned_alloc",    "_aligned_malloc",
                                          "valloc", "memalign", "__builtin_malloc", "_mm_malloc"};
  return names;
}
const llvm::StringSet<>& copy() {
  static const llvm::StringSet<> names = {"memcpy",     "memmove",        "__builtin_memcpy", "__builtin_memmove",
                                          "cudaMemcpy", "cudaMemcpyAsync"};
  return names;
}
// They set bytes to a value: of one, two or four bytes. The driver's names have a version behind them.
std::optional<unsigned> sets_bytes(llvm::StringRef name) {
  for (const llvm::StringRef end : {"_ptds", "_ptsz", "_v2"}) name.consume_back(end);
  name.consume_back("Async");
  return llvm::StringSwitch<std::optional<unsigned>>(name)
      .Cases("memset", "__builtin_memset", "cudaMemset", "cudaMemset2D", "hipMemset", 1)
      .Cases("cuMemsetD8", "cuMemsetD2D8", "hipMemsetD8", 1)
      .Cases("cuMemsetD16", "cuMemsetD2D16", "hipMemsetD16", 2)
      .Cases("cuMemsetD32", "cuMemsetD2D32", "hipMemsetD32", 4)
      .Default(std::nullopt);
}
bool two_dimensions(llvm::StringRef name) { return name.contains("Memset2D") || name.contains("MemsetD2D"); }
// Functions that keep no pointer, and write no pointer to what they are given; and whether they write to what a pointer
// to something that is not `const` leads to.
enum class Touch : uint8_t { left, written };
std::optional<Touch> harmless(llvm::StringRef name) {
  static const llvm::StringSet<> leave = {"free",
                                          "cudaFree",
                                          "cudaFreeHost",
                                          "cudaFreeAsync",
                                          "cudaFreeArray",
                                          "cudaFreeMipmappedArray",
                                          "_aligned_free",
                                          "cudaMemPrefetchAsync",
                                          "cudaMemAdvise",
                                          "cudaHostRegister",
                                          "cudaHostUnregister",
                                          "cudaStreamDestroy",
                                          "cudaStreamSynchronize",
                                          "cudaStreamAttachMemAsync",
                                          "cudaEventRecord",
                                          "cudaIpcCloseMemHandle",
                                          "fflush",
                                          "fclose",
                                          "fseek",
                                          "rewind"};
  static const llvm::StringSet<> write = {"cudaMemGetInfo",
                                          "cudaMemcpyToArray",
                                          "cudaMemcpy2DToArray",
                                          "cudaMemcpy2DToArrayAsync",
                                          "cudaMallocArray",
                                          "cudaMalloc3DArray",
                                          "cudaMallocMipmappedArray",
                                          "cudaMemcpyFromSymbol",
                                          "cudaMemcpyFromSymbolAsync",
                                          "cudaMemcpyFromArray",
                                          "cudaMemcpy2DFromArray",
                                          "cudaMemcpyArrayToArray",
                                          "cudaHostGetFlags",
                                          "cudaGetSymbolSize",
                                          "cudaStreamCreate",
                                          "cudaStreamCreateWithFlags",
                                          "cudaStreamCreateWithPriority",
                                          "cudaStreamQuery",
                                          "cudaStreamWaitEvent",
                                          "cudaStreamBeginCapture",
                                          "cudaStreamEndCapture",
                                          "cudaStreamGetPriority",
                                          "cudaEventCreate",
                                          "cudaEventCreateWithFlags",
                                          "cudaEventDestroy",
                                          "cudaEventSynchronize",
                                          "cudaEventQuery",
                                          "cudaEventElapsedTime",
                                          "cudaDeviceSynchronize",
                                          "cudaThreadSynchronize",
                                          "cudaDeviceReset",
                                          "cudaThreadExit",
                                          "cudaSetDevice",
                                          "cudaGetDevice",
                                          "cudaGetDeviceCount",
                                          "cudaGetDeviceProperties",
                                          "cudaDeviceGetAttribute",
                                          "cudaDeviceCanAccessPeer",
                                          "cudaDeviceEnablePeerAccess",
                                          "cudaDeviceDisablePeerAccess",
                                          "cudaDeviceSetLimit",
                                          "cudaDeviceGetLimit",
                                          "cudaDeviceSetCacheConfig",
                                          "cudaDeviceSetSharedMemConfig",
                                          "cudaSetDeviceFlags",
                                          "cudaDeviceGetStreamPriorityRange",
                                          "cudaDriverGetVersion",
                                          "cudaRuntimeGetVersion",
                                          "cudaGetLastError",
                                          "cudaPeekAtLastError",
                                          "cudaGetErrorString",
                                          "cudaGetErrorName",
                                          "cudaFuncSetAttribute",
                                          "cudaFuncGetAttributes",
                                          "cudaFuncSetCacheConfig",
                                          "cudaFuncSetSharedMemConfig",
                                          "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                                          "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                                          "cudaOccupancyMaxPotentialBlockSize",
                                          "cudaOccupancyMaxPotentialBlockSizeVariableSMem",
                                          "cudaCreateChannelDesc",
                                          "cudaDestroyTextureObject",
                                          "cudaCreateSurfaceObject",
                                          "cudaDestroySurfaceObject",
                                          "cudaBindTextureToArray",
                                          "cudaUnbindTexture",
                                          "cudaBindSurfaceToArray",
                                          "cudaGraphicsMapResources",
                                          "cudaGraphicsUnmapResources",
                                          "cudaGraphInstantiate",
                                          "cudaGraphLaunch",
                                          "cudaGraphDestroy",
                                          "cudaGraphExecDestroy",
                                          "cudaGraphCreate",
                                          "cudaProfilerStart",
                                          "cudaProfilerStop",
                                          "cudaConfigureCall",
                                          "__cudaPushCallConfiguration",
                                          "printf",
                                          "fprintf",
                                          "sprintf",
                                          "snprintf",
                                          "puts",
                                          "putchar",
                                          "fputs",
                                          "fputc",
                                          "perror",
                                          "fopen",
                                          "fwrite",
                                          "ftell",
                                          "feof",
                                          "exit",
                                          "abort",
                                          "assert",
                                          "__assert_fail",
                                          "system",
                                          "getenv",
                                          "sleep",
                                          "usleep",
                                          "rand",
                                          "srand",
                                          "drand48",
                                          "srand48",
                                          "random",
                                          "srandom",
                                          "atoi",
                                          "atol",
                                          "atoll",
                                          "atof",
                                          "strcmp",
                                          "strncmp",
                                          "strcasecmp",
                                          "strlen",
                                          "memcmp",
                                          "clock",
                                          "time",
                                          "difftime",
                                          "gettimeofday",
                                          "clock_gettime",
                                          "__builtin_expect",
                                          "__builtin_trap",
                                          "__builtin_unreachable",
                                          "findCudaDevice",
                                          "gpuDeviceInit",
                                          "gpuGetMaxGflopsDeviceId",
                                          "checkCudaCapabilities",
                                          "checkCmdLineFlag",
                                          "getCmdLineArgumentInt",
                                          "getCmdLineArgumentFloat",
                                          "sdkCreateTimer",
                                          "sdkDeleteTimer",
                                          "sdkStartTimer",
                                          "sdkStopTimer",
                                          "sdkResetTimer",
                                          "sdkGetTimerValue",
                                          "sdkGetAverageTimerValue",
                                          "sdkCompareL2fe",
                                          "compareData",
                                          "ftoi",
                                          "_ConvertSMVer2Cores",
                                          "_ConvertSMVer2ArchName",
                                          "curandGenerateUniform",
                                          "curandGenerateNormal",
                                          "curandGenerateUniformDouble",
                                          "curandGenerate",
                                          "curandSetPseudoRandomGeneratorSeed",
                                          "cublasSetVector",
                                          "cublasGetVector",
                                          "cufftExecC2C",
                                          "cufftExecR2C",
                                          "cufftExecC2R"};
  return leave.contains(name)   ? std::optional(Touch::left)
         : write.contains(name) ? std::optional(Touch::written)
                                : std::nullopt;
}

// Something of this type may be a pointer, or bytes of one.
bool holds_pointers(clang::QualType t, clang::ASTContext& context) {
  t = context.getBaseElementType(t).getCanonicalType();
  if (t->isFloatingType()) return false;
  if (t->isIntegralOrEnumerationType()) return t->isIncompleteType() || context.getTypeSize(t) == 64;
  const auto* r = t->getAsCXXRecordDecl();
  if (r == nullptr || !r->hasDefinition() || r->getNumBases() > 0) return true;
  for (const clang::FieldDecl* f : r->fields())
    if (holds_pointers(f->getType(), context)) return true;
  return false;
}

}  // namespace

// The number that the argument is, with what the one caller has given for parameters that are only read.
std::optional<uint64_t> Library::known(unsigned k) const {
  const auto n = k < c_->getNumArgs() ? walk_.amount(c_->getArg(k), frame_) : std::nullopt;
  return n && *n >= 0 ? std::optional(static_cast<uint64_t>(*n)) : std::nullopt;
}

void Library::evaluate() {
  for (const Expr* a : c_->arguments()) walk_.loaded(a, frame_);
}

// Memory of its own, for each place where its address is put.
void Library::fresh(ObjectKind kind) {
  const Values to = walk_.loaded(c_->getArg(0), frame_);
  const Places all = HostWalk::addressed(to);
  for (const Place& p : all.all) {
    const Place memory{walk_.memory.object(kind, c_, frame_, &p), {element(0)}};
    walk_.memory.store_new(p, {.atoms = {{Atom::address, memory, nullptr}}});
    if (again()) walk_.made_in_rounds.insert(memory.object);
  }
}

bool Library::again() const { return walk_.loop_ != nullptr || walk_.frame(frame_).repeated; }

// Each place gets a stream of its own.
void Library::make_stream(std::optional<uint64_t> flags) {
  const Places all = HostWalk::addressed(walk_.loaded(c_->getArg(0), frame_));
  for (const Place& p : all.all) {
    const Place stream{walk_.memory.object(ObjectKind::stream, c_, frame_, &p), {}};
    walk_.memory.store(p, {.atoms = {{Atom::address, stream, nullptr}}});
    walk_.streams[stream.object] = {.one = !walk_.memory[stream.object].several && !again(), .blocking = flags == 0};
  }
  if (!all.all.empty()) walk_.note(HostWalk::Event::set, all, c_, frame_);
}

// Pointers as text or bytes, which may be read again.
void Library::prints(bool bytes) {
  for (const Expr* e : c_->arguments()) {
    const clang::QualType t = e->IgnoreParenCasts()->getType();
    if (!t->isPointerType() || t->getPointeeType()->isAnyCharacterType()) continue;
    const clang::QualType of = t->getPointeeType();
    if (bytes ? of->isPointerType() || (of->isRecordType() && holds_pointers(of, walk_.context_)) : !of->isRecordType())
      walk_.escape(e, frame_);
  }
}

// What the declaration lets it write to, it may have set.
void Library::writes(const clang::FunctionDecl* f) {
  if (harmless(f->getName()) == Touch::left) return;
  for (unsigned k = 0; k < c_->getNumArgs() && k < f->getNumParams(); ++k) {
    const clang::QualType t = f->getParamDecl(k)->getType();
    if (!t->isPointerType() || t->getPointeeType().isConstQualified() || t->getPointeeType()->isFunctionType())
      continue;
    walk_.note(HostWalk::Event::set, HostWalk::addressed(walk_.loaded(c_->getArg(k), frame_)), c_, frame_);
  }
}

// The library's own, of objects whose classes have no text for it.
bool Library::exchanges_bytes(const clang::FunctionDecl* f) const {
  if (walk_.users_(f->getLocation())) return false;
  const clang::CXXRecordDecl* r = c_->getArg(0)->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return r == nullptr || (r->hasDefinition() && r->hasSimpleMoveConstructor() && r->hasSimpleMoveAssignment());
}

// The variable is only read, and its first value is zeros.
bool Library::starts_zero(const clang::VarDecl* v) const {
  if (!v->hasInit() || v->getType()->isPointerType() || v->getType()->isReferenceType()) return false;
  const Expr* first = v->getInit()->IgnoreParenImpCasts();
  if (const auto* list = clang::dyn_cast<clang::InitListExpr>(first)) {
    for (const Expr* e : list->inits())
      if (!clang::isa<clang::ImplicitValueInitExpr>(e) && !walk_.is_zero(e)) return false;
  } else if (!walk_.is_zero(first)) {
    return false;
  }
  if (v->getType().isConstQualified()) return true;
  const auto* f = clang::dyn_cast_or_null<clang::FunctionDecl>(v->getParentFunctionOrMethod());
  return f != nullptr && f->getBody() != nullptr && only_copied(v, f->getBody());
}

// What the source holds is zeros: of a variable, or of a parameter that is only read, for which the one caller gives 0.
bool Library::zeros(const Expr* source) const {
  constexpr unsigned k_deep = 20;
  const auto* u = clang::dyn_cast<clang::UnaryOperator>(source->IgnoreParenCasts());
  const Expr* of = u != nullptr && u->getOpcode() == clang::UO_AddrOf ? u->getSubExpr() : source;
  uint32_t frame = frame_;
  for (unsigned depth = 0; depth < k_deep; ++depth) {
    const auto* d = clang::dyn_cast<clang::DeclRefExpr>(of->IgnoreParenCasts());
    const auto* v = d != nullptr ? clang::dyn_cast<clang::VarDecl>(d->getDecl()) : nullptr;
    const auto* p = v != nullptr ? clang::dyn_cast<clang::ParmVarDecl>(v) : nullptr;
    // A default argument is no first value: the value is the caller's.
    if (p == nullptr) return v != nullptr && starts_zero(v);
    const HostWalk::Frame& f = walk_.frame(frame);
    if (f.several || f.function == nullptr || f.function->getBody() == nullptr || p->getDeclContext() != f.function ||
        p->getType()->isPointerType() || p->getType()->isReferenceType() ||
        p->getFunctionScopeIndex() >= f.arguments.size() || !only_copied(p, f.function->getBody()))
      return false;
    of = f.arguments[p->getFunctionScopeIndex()];
    if (of == nullptr) return false;
    if (walk_.is_zero(of)) return true;
    frame = f.caller;
  }
  return false;
}

void Library::clear(bool zeros, unsigned to, std::optional<uint64_t> bytes, const Expr* size) {
  const Expr* pointer = c_->getArg(to)->IgnoreParenCasts();
  const Places all = HostWalk::addressed(walk_.loaded(c_->getArg(to), frame_));
  Extent extent{.from = {}, .bytes = bytes, .to = pointer, .size = size};
  if (!all.all.empty()) extent.from = walk_.offset(pointer, all.all.begin()->object, frame_);
  walk_.note(zeros ? HostWalk::Event::cleared : HostWalk::Event::set, all, c_, frame_, extent);
}

// More bytes than the member has that the pointer leads to: the others of its object are copied, too.
void Library::beyond(const Values& v, clang::QualType of, std::optional<uint64_t> bytes) {
  if (!of->isVoidType() && !of->isIncompleteType() && !of->isDependentType() && bytes &&
      *bytes <= static_cast<uint64_t>(walk_.context_.getTypeSizeInChars(of).getQuantity()))
    return;
  for (const Place& p : HostWalk::addressed(v).all)
    if (!p.path.empty() && !is_element(p.path.back()))
      walk_.memory.escape({.atoms = {{Atom::address, {p.object, {}}, nullptr}}});
}

void Library::copy_bytes(unsigned to, unsigned from) {
  const Expr *d = c_->getArg(to)->IgnoreParenCasts(), *s = c_->getArg(from)->IgnoreParenCasts();
  const Values there = walk_.loaded(c_->getArg(to), frame_), here = walk_.loaded(c_->getArg(from), frame_);
  const auto pointee = [](const Expr* e) {
    const clang::QualType t = e->getType();
    if (t->isPointerType()) return t->getPointeeType();
    return t->isArrayType() ? clang::QualType(t->getArrayElementTypeNoTypeQual(), 0) : t;
  };
  // A copy in another direction copies nothing, or something else.
  const clang::FunctionDecl* f = c_->getDirectCallee();
  const bool of_device = f->getName().starts_with("cuda");
  const std::optional<uint64_t> direction = of_device ? known(to + 3) : std::nullopt;
  clear(zeros(c_->getArg(from)) && (!of_device || direction == 1 || direction == 4), to, known(to + 2),
        c_->getArg(to + 2));
  const clang::QualType x = pointee(d).getCanonicalType().getUnqualifiedType(),
                        y = pointee(s).getCanonicalType().getUnqualifiedType();
  const auto plain = [&](clang::QualType t) { return !t->isVoidType() && !holds_pointers(t, walk_.context_); };
  if (plain(x) && plain(y)) return;
  for (const auto& [all, of] : {std::pair(&there, x), std::pair(&here, y)}) beyond(*all, of, known(to + 2));
  Values held;
  if (x == y && !x->isVoidType() && !here.unknown && !x->isIntegerType()) {
    for (Place p : HostWalk::addressed(here).all) {
      if (!p.path.empty() && is_element(p.path.back())) p.path.back() = k_any_element;
      held.atoms.insert({Atom::copy, std::move(p), nullptr});
    }
  } else {
    held.unknown = true;
    walk_.memory.escape(here);
    for (const Place& p : HostWalk::addressed(here).all) walk_.memory.escape({.atoms = {{Atom::copy, p, nullptr}}});
  }
  Places targets = HostWalk::addressed(there);
  Places whole{.unknown = targets.unknown};
  for (Place p : targets.all) {
    if (!p.path.empty() && is_element(p.path.back())) p.path.back() = k_any_element;
    // Bytes on the device are not followed.
    if (walk_.memory[p.object].kind != ObjectKind::device_memory)
      whole.all.insert(std::move(p));
    else
      for (const Place& q : HostWalk::addressed(here).all) walk_.memory.escape({.atoms = {{Atom::copy, q, nullptr}}});
  }
  walk_.store(whole, held);
}

// Resource descriptions say over which memory a texture lies: cudaResourceDesc, res.linear and res.pitch2D.
void Library::lay_texture(const Expr* description) {
  const Places all = HostWalk::addressed(walk_.loaded(description, frame_));
  walk_.textured.unknown = walk_.textured.unknown || all.unknown;
  const clang::QualType of = description->getType()->getPointeeType();
  const auto* record = of.isNull() ? nullptr : of->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) {
    walk_.textured.unknown = true;
    return;
  }
  const auto members = [](clang::QualType t) {
    std::vector<const clang::FieldDecl*> out;
    if (const auto* r = t->getAsCXXRecordDecl(); r != nullptr && r->hasDefinition())
      out.assign(r->field_begin(), r->field_end());
    return out;
  };
  for (const clang::FieldDecl* res : record->fields())
    for (const clang::FieldDecl* kind : members(res->getType()))
      for (const clang::FieldDecl* f : members(kind->getType()))
        if (f->getName() == "devPtr") {
          Places at = walk_.fields(walk_.fields(walk_.fields(all, res), kind), f);
          at.unknown = false;
          walk_.textured.add(walk_.read(at));
        }
}

bool Library::models(const clang::FunctionDecl* f, Values& result) {
  if (f->getIdentifier() == nullptr || clang::isa<clang::CXXMethodDecl>(f)) return false;
  const llvm::StringRef name = f->getName();
  const unsigned n = c_->getNumArgs();
  const auto value = [&](unsigned k) { return walk_.loaded(c_->getArg(k), frame_); };
  if (allocate_on_device().contains(name) && n >= 2) {
    evaluate();
    fresh(ObjectKind::device_memory);
  } else if (allocate_on_host().contains(name) && n >= 2) {
    evaluate();
    fresh(ObjectKind::host_memory);
  } else if (give_memory().contains(name)) {
    evaluate();
    result.atoms.insert(
        {Atom::address, {walk_.memory.object(ObjectKind::host_memory, c_, frame_), {element(0)}}, nullptr});
  } else if (name == "realloc" && n == 2) {
    evaluate();
    result = value(0);
    result.atoms.insert(
        {Atom::address, {walk_.memory.object(ObjectKind::host_memory, c_, frame_), {element(0)}}, nullptr});
  } else if (copy().contains(name) && n >= 3) {
    copy_bytes(0, 1);
    for (unsigned k = 2; k < n; ++k) value(k);
    result = value(0);
  } else if (const auto each = sets_bytes(name); each && n >= 3) {
    evaluate();
    const unsigned k = two_dimensions(name) ? 2 : 1;
    // Of several rows the first one counts.
    std::optional<uint64_t> bytes = known(k + 1);
    const std::optional<uint64_t> rows = two_dimensions(name) ? known(k + 2) : 1;
    const bool nothing = bytes == 0 || rows == 0;
    if (bytes) *bytes *= *each;
    if (!rows) bytes = std::nullopt;
    const Expr* size = *each == 1 && !two_dimensions(name) ? c_->getArg(k + 1) : nullptr;
    if (!nothing) clear(walk_.is_zero(c_->getArg(k)), 0, bytes, size);
    result = value(0);
  } else if ((name == "cudaMemcpyToSymbol" || name == "cudaMemcpyToSymbolAsync") && n >= 3) {
    evaluate();
    const Places symbol = walk_.places(c_->getArg(0), frame_);
    const std::optional<uint64_t> inside = n > 3 ? known(3) : 0;
    Extent extent{.from = {}, .bytes = known(2), .to = nullptr, .size = nullptr};
    if (symbol.all.size() == 1) extent.from = walk_.offset(*symbol.all.begin(), c_->getArg(0)->getType());
    if (extent.from && inside)
      *extent.from += *inside;
    else
      extent.from = std::nullopt;
    const std::optional<uint64_t> direction = n > 4 ? known(4) : 1;
    const bool cleared = zeros(c_->getArg(1)) && (direction == 1 || direction == 4);
    walk_.note(cleared ? HostWalk::Event::cleared : HostWalk::Event::set, symbol, c_, frame_, extent);
    // By a text, or by what is not seen: any of them.
    if (symbol.unknown || symbol.all.empty() || c_->getArg(0)->IgnoreParenImpCasts()->getType()->isAnyCharacterType() ||
        clang::isa<clang::StringLiteral>(c_->getArg(0)->IgnoreParenImpCasts()))
      walk_.symbols_by_name = true;
    const clang::QualType source = c_->getArg(1)->IgnoreParenImpCasts()->getType();
    const clang::QualType of =
        source->isPointerType() ? source->getPointeeType() : clang::QualType(source->getBaseElementTypeUnsafe(), 0);
    if (!of->isVoidType() && !of->isIncompleteType() && holds_pointers(of, walk_.context_))
      for (const Place& p : HostWalk::addressed(value(1)).all)
        walk_.memory.escape({.atoms = {{Atom::copy, p, nullptr}}});
  } else if (name == "cudaCreateTextureObject" && n >= 2) {
    evaluate();
    lay_texture(c_->getArg(1));
  } else if ((name == "cudaBindTexture" || name == "cudaBindTexture2D") && n >= 3) {
    evaluate();
    walk_.textured.add(value(2));
  } else if (name == "cudaMalloc3D" && n == 2 && c_->getArg(0)->getType()->isPointerType() &&
             c_->getArg(0)->getType()->getPointeeCXXRecordDecl() != nullptr &&
             c_->getArg(0)->getType()->getPointeeCXXRecordDecl()->hasDefinition()) {
    const auto* r = c_->getArg(0)->getType()->getPointeeType()->getAsCXXRecordDecl();
    for (const Place& p : HostWalk::addressed(value(0)).all)
      for (const clang::FieldDecl* field : r->fields())
        if (field->getName() == "ptr") {
          const Place to = HostWalk::with(p, field);
          const Place memory{walk_.memory.object(ObjectKind::device_memory, c_, frame_, &to), {element(0)}};
          walk_.memory.store(to, {.atoms = {{Atom::address, memory, nullptr}}});
        }
  } else if (name == "cudaHostGetDevicePointer" && n >= 2) {
    walk_.store(HostWalk::addressed(value(0)), value(1));
  } else if (name == "cudaGetSymbolAddress" && n == 2) {
    const Places symbol = walk_.places(c_->getArg(1), frame_);
    walk_.store(HostWalk::addressed(value(0)), HostWalk::addresses(symbol));
  } else if ((name == "cudaGraphicsResourceGetMappedPointer" || name == "cudaGLMapBufferObject") && n >= 2) {
    evaluate();
    const Place there{walk_.memory.object(ObjectKind::external, nullptr, 0), {element(0)}};
    walk_.store(HostWalk::addressed(value(0)), {.atoms = {{Atom::address, there, nullptr}}});
  } else if (name == "swap" && n == 2 && exchanges_bytes(f)) {
    const Places a = walk_.places(c_->getArg(0), frame_), b = walk_.places(c_->getArg(1), frame_);
    const auto one = [&](const Places& p) {
      return p.all.size() == 1 && !p.unknown &&
             std::find(p.all.begin()->path.begin(), p.all.begin()->path.end(), k_any_element) ==
                 p.all.begin()->path.end();
    };
    if (one(a) && one(b)) {
      walk_.memory.exchange(*a.all.begin(), *b.all.begin());
    } else {
      walk_.store(a, walk_.read(b));
      walk_.store(b, walk_.read(a));
    }
    for (const Places* p : {&a, &b}) walk_.note(HostWalk::Event::set, *p, c_, frame_);
  } else if (name.starts_with("cudaStreamCreate") && n >= 1 && harmless(name)) {
    evaluate();
    make_stream(n > 1 ? known(1) : 0);
  } else if (harmless(name)) {
    evaluate();
    writes(f);
    if (name == "sprintf" || name == "snprintf" || name == "fprintf") prints(false);
    if (name == "fwrite") prints(true);
  } else {
    return false;
  }
  return true;
}

}  // namespace fencepost::clangfe
