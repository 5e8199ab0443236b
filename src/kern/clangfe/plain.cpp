// LLVM IR of one kernel -> the text that plain.h describes. clang runs as it does for `prove`; calls are inlined, and
// variables of a thread whose address does not escape become values (mem2reg). No other pass of LLVM's runs: SROA,
// which `prove` has as well, makes one number of members that are copied together, of 24 or 56 bits and with what
// lies between them; structures stay memory of the thread here, and ptxmod knows what they hold.
//
// The notation is that of PTX because ptxmod reads it already: registers that are set many times, byte addresses,
// branches, and objects whose cells are found by how they are accessed are what LLVM IR has too. Tried and lost: SPIR-V
// made of the IR, as the OpenCL path has it; its pointers have types, and LLVM's do not, so that every pointer's type
// had to be guessed. A grammar of C++ of our own was not tried: templates and overloads are clang's work.
//
// One class (plain_writer.h) writes one kernel: here its blocks and instructions, values and addresses in
// plain_values.cpp, accesses and copies in plain_memory.cpp, functions of CUDA in plain_calls.cpp.
//
// Undefined behaviour of C++ that PTX defines (a shift by the width or more, a division by zero, the end of a function
// without a value) is an instruction of its own, `cuda.ub`. A phi becomes copies on the ways that lead to it, through
// registers of their own, since all phis of a block happen at once.
#include "clangfe/plain.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <algorithm>

#include "clangfe/embedded.h"
#include "clangfe/llvm_module.h"
#include "clangfe/lowering.h"
#include "clangfe/plain_table.h"
#include "clangfe/plain_writer.h"

namespace fencepost::clangfe {
namespace {

// The place in the file itself: of what stands in our headers, or in an included file, the place of the call.
const llvm::DILocation* in_file(const llvm::DILocation* at, llvm::StringRef file) {
  while (at != nullptr && (!is_file(at->getFile(), file) || at->getLine() == 0)) at = at->getInlinedAt();
  return at;
}

}  // namespace

std::string Writer::run() {
  name_values();
  std::string parameters;
  for (llvm::Argument& a : kernel_.args()) parameters += (parameters.empty() ? "" : ", ") + parameter(a);
  table_.kernel(word_of(kernel_.getName()), shown_, kernel_.getSubprogram());
  for (llvm::BasicBlock& b : kernel_) block(b);
  std::string out = ".version 8.5\n.target sm_70\n.address_size 64\n";
  out += variables_;
  for (const char* word : {"__cluster_dims__", "__block_size__"})  // as headers/cuda.hdr marks them
    if (kernel_.getSection() == word) refuse(word, "leave it out: without it the blocks are not clusters");
  out += fmt::format(".visible .entry {}({})\n{}{{\n", word_of(kernel_.getName()), parameters, launch_bounds());
  out += registers_ + code_ + "}\n";
  return table_.text() + "%%\n" + out;
}

// The first number of __launch_bounds__, as clang notes it. The second is about speed; the third is the most blocks of
// a cluster, which every launch of ours keeps, since its blocks are no clusters.
std::string Writer::launch_bounds() const {
  const llvm::NamedMDNode* notes = kernel_.getParent()->getNamedMetadata("nvvm.annotations");
  if (notes == nullptr) return "";
  for (const llvm::MDNode* n : notes->operands()) {
    const auto* of =
        n->getNumOperands() < 3 ? nullptr : llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(n->getOperand(0));
    if (of == nullptr || of->getValue() != &kernel_) continue;
    for (unsigned k = 1; k + 1 < n->getNumOperands(); k += 2)
      if (const auto* word = llvm::dyn_cast<llvm::MDString>(n->getOperand(k));
          word != nullptr && word->getString() == "maxntidx")
        if (const auto* most = llvm::mdconst::dyn_extract<llvm::ConstantInt>(n->getOperand(k + 1)))
          return fmt::format(".maxntid {}\n", most->getZExtValue());
  }
  return "";
}

void Writer::refuse(std::string what, std::string hint) const { throw Refusal{std::move(what), std::move(hint), at_}; }

void Writer::name_values() {
  for (llvm::BasicBlock& b : kernel_)
    for (llvm::Instruction& i : b)
      for (llvm::DbgVariableRecord& r : llvm::filterDbgVars(i.getDbgRecordRange())) {
        const llvm::DILocalVariable* v = r.getVariable();
        if (v->getFilename().starts_with(k_header_folder) || v->getName().empty()) continue;
        if (r.isDbgDeclare() || r.getNumVariableLocationOps() != 1) {
          table_.own(word_of(v->getName()));
          continue;
        }
        if (llvm::Value* x = r.getVariableLocationOp(0); x != nullptr && !llvm::isa<llvm::Argument>(x))
          if (llvm::isa<llvm::Instruction>(x)) said_.try_emplace(x, word_of(v->getName()));
        if (v->getArg() == 0 || v->getScope()->getSubprogram() != kernel_.getSubprogram())
          table_.own(word_of(v->getName()));
      }
}

std::string Writer::fresh(const std::string& wish) {
  std::string name = "%" + (wish.empty() ? "v" : wish);
  const unsigned n = often_[name]++;
  if (n > 0) name += fmt::format(".{}", n);
  return name;
}

std::string Writer::declare(const std::string& wish, unsigned bits) {
  const std::string name = fresh(wish);
  registers_ += fmt::format(".reg .{} {};\n", bits == 1 ? "pred" : fmt::format("b{}", bits), name);
  return name;
}

unsigned Writer::bits_of(llvm::Type* t) const {
  if (t->isPointerTy()) return 64;
  if (t->isIntegerTy() || t->isFloatingPointTy()) {
    const auto n = static_cast<unsigned>(t->getPrimitiveSizeInBits());
    if (n == 1 || n == 8 || n == 16 || n == 32 || n == 64) return n;
  }
  refuse(fmt::format("a value of type {}", said(t)),
         "numbers of 8, 16, 32 and 64 bits, pointers, and structures and arrays in memory are read; bit-fields in a "
         "unit of such a size");
}

std::string Writer::register_of(const llvm::Value& v) {
  auto it = names_.find(&v);
  if (it != names_.end()) return it->second;
  const auto named = said_.find(&v);
  const std::string wish = named != said_.end()            ? named->second
                           : llvm::isa<llvm::CallBase>(&v) ? "value"
                                                           : word_of(v.getName());
  return names_[&v] = declare(wish, bits_of(v.getType()));
}

std::string Writer::label(const llvm::BasicBlock& b) {
  const auto [it, fresh] = labels_.try_emplace(&b, "");
  if (fresh) it->second = fmt::format("$L{}", labels_.size());
  return it->second;
}

void Writer::put(const std::string& text) {
  if (at_ != where_) {
    where_ = at_;
    if (at_ != nullptr)
      code_ += fmt::format(".loc {} {} {}\n", table_.file(at_->getFile()), at_->getLine(), at_->getColumn());
  }
  code_ += text + ";\n";
}

void Writer::block(llvm::BasicBlock& b) {
  code_ += label(b) + ":\n";
  where_ = nullptr;
  for (llvm::Instruction& i : b) {
    if (const llvm::DILocation* d = in_file(i.getDebugLoc().get(), file_)) at_ = d;
    if (llvm::isa<llvm::PHINode>(i)) continue;
    instruction(i);
  }
}

void Writer::copies(llvm::BasicBlock& from, llvm::BasicBlock& to) {
  std::vector<std::string> moves;
  for (llvm::PHINode& p : to.phis()) {
    const std::vector<std::string> source = whole(p.getIncomingValueForBlock(&from));
    const bool is_one = !is_whole(p.getType());
    const std::vector<std::string> target = is_one ? std::vector<std::string>{register_of(p)} : whole(&p);
    const auto of = numbers(p.getType());
    for (size_t k = 0; k < source.size(); ++k) {
      const unsigned bits = bits_of(of[k].second);
      const std::string aside = declare("phi", bits);
      put(fmt::format("mov.{} {}, {}", type(bits), aside, source[k]));
      moves.push_back(fmt::format("mov.{} {}, {}", type(bits), target[k], aside));
    }
  }
  for (const std::string& text : moves) put(text);
  put(fmt::format("bra {}", label(to)));
}

namespace {

// What clang's check of a bool branches to where the bool is neither 0 nor 1.
bool is_no_bool(const llvm::BasicBlock& b) {
  bool called = false;
  for (const llvm::Instruction& i : b) {
    if (llvm::isa<llvm::DbgInfoIntrinsic>(i)) continue;
    if (called) return llvm::isa<llvm::UnreachableInst>(i);
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    if (call == nullptr || call->getCalledFunction() == nullptr) return false;
    if (call->getCalledFunction()->getName() != k_no_bool) return false;
    called = true;
  }
  return false;
}

}  // namespace

void Writer::branch(llvm::BranchInst& b) {
  if (b.isUnconditional()) return copies(*b.getParent(), *b.getSuccessor(0));
  // The check parts no lanes and no order hangs on it: it says when behaviour is undefined.
  if (is_no_bool(*b.getSuccessor(1)) && !is_no_bool(*b.getSuccessor(0))) {
    const std::string other = declare("no_bool", 1);
    put(fmt::format("xor.pred {}, {}, 1", other, predicate(b.getCondition())));
    put(fmt::format("cuda.ub.unreachable {}", other));
    return copies(*b.getParent(), *b.getSuccessor(0));
  }
  const std::string yes = fmt::format("$E{}", edges_++);
  put(fmt::format("@{} bra {}", predicate(b.getCondition()), yes));
  copies(*b.getParent(), *b.getSuccessor(1));
  code_ += yes + ":\n";
  copies(*b.getParent(), *b.getSuccessor(0));
}

void Writer::choose(llvm::SwitchInst& s) {
  const unsigned bits = bits_of(s.getCondition()->getType());
  const std::string on = value(s.getCondition());
  std::vector<std::pair<std::string, llvm::BasicBlock*>> ways;
  for (const auto& c : s.cases()) {
    const std::string p = declare("case", 1), way = fmt::format("$E{}", edges_++);
    put(fmt::format("setp.eq.u{} {}, {}, {}", bits, p, on, c.getCaseValue()->getZExtValue()));
    put(fmt::format("@{} bra {}", p, way));
    ways.emplace_back(way, c.getCaseSuccessor());
  }
  copies(*s.getParent(), *s.getDefaultDest());
  for (const auto& [way, to] : ways) {
    code_ += way + ":\n";
    copies(*s.getParent(), *to);
  }
}

void Writer::instruction(llvm::Instruction& i) {
  if (whole_instruction(i)) return;
  if (auto* b = llvm::dyn_cast<llvm::BinaryOperator>(&i)) return binary(*b);
  if (auto* c = llvm::dyn_cast<llvm::CastInst>(&i)) return cast(*c);
  if (auto* c = llvm::dyn_cast<llvm::CallBase>(&i)) return call(*c);
  if (auto* g = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
    const std::string at = address(*llvm::cast<llvm::GEPOperator>(g), "address");
    return put(fmt::format("mov.b64 {}, {}", register_of(i), at));
  }
  switch (i.getOpcode()) {
    case llvm::Instruction::Ret:
      return put("ret");
    case llvm::Instruction::Br:
      return branch(llvm::cast<llvm::BranchInst>(i));
    case llvm::Instruction::Switch:
      return choose(llvm::cast<llvm::SwitchInst>(i));
    case llvm::Instruction::Unreachable:
      put("cuda.ub.unreachable");
      return put("exit");
    case llvm::Instruction::ICmp:
      return compare(llvm::cast<llvm::ICmpInst>(i));
    case llvm::Instruction::FCmp:
    case llvm::Instruction::FNeg:
      return opaque(i);
    case llvm::Instruction::Select: {
      const std::string no = value(i.getOperand(2)), yes = value(i.getOperand(1)), p = predicate(i.getOperand(0));
      return put(fmt::format("selp.{} {}, {}, {}, {}", type(bits_of(i.getType())), register_of(i), yes, no, p));
    }
    case llvm::Instruction::Freeze:
      if (i.use_empty()) return;
      return put(fmt::format("cuda.freeze {}, {}", register_of(i), value(i.getOperand(0))));
    case llvm::Instruction::Alloca:
      return local(llvm::cast<llvm::AllocaInst>(i));
    case llvm::Instruction::Load:
      return load(llvm::cast<llvm::LoadInst>(i));
    case llvm::Instruction::Store:
      return store(llvm::cast<llvm::StoreInst>(i));
    default:
      refuse(fmt::format("the instruction '{}' of LLVM", i.getOpcodeName()));
  }
}

void Writer::opaque(llvm::Instruction& i) {
  put(fmt::format("cuda.opaque.{} {}", type(bits_of(i.getType())), register_of(i)));
}

void Writer::undefined(const char* what, const std::string& comparison, unsigned bits, const std::string& a,
                       const std::string& b) {
  const std::string p = declare(what, 1);
  put(fmt::format("setp.{}{} {}, {}, {}", comparison, bits, p, a, b));
  put(fmt::format("cuda.ub.{} {}", what, p));
}

void Writer::binary(llvm::BinaryOperator& b) {
  if (b.getType()->isFloatingPointTy()) return opaque(b);
  const unsigned n = bits_of(b.getType());
  std::string x = value(b.getOperand(0)), y = value(b.getOperand(1));
  const auto simple = [&](const std::string& op) { put(fmt::format("{} {}, {}, {}", op, register_of(b), x, y)); };
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(b.getOperand(1));
  if (n == 1) {
    switch (b.getOpcode()) {
      case llvm::Instruction::And:
      case llvm::Instruction::Mul:
        return simple("and.pred");
      case llvm::Instruction::Or:
        return simple("or.pred");
      case llvm::Instruction::Xor:
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
        return simple("xor.pred");
      default:
        refuse(fmt::format("'{}' of single bits", b.getOpcodeName()));
    }
  }
  switch (b.getOpcode()) {
    case llvm::Instruction::Add:
      return simple(fmt::format("add.u{}", n));
    case llvm::Instruction::Sub:
      return simple(fmt::format("sub.u{}", n));
    case llvm::Instruction::Mul:
      return simple(fmt::format("mul.lo.u{}", n));
    case llvm::Instruction::And:
      return simple(fmt::format("and.b{}", n));
    case llvm::Instruction::Or:
      return simple(fmt::format("or.b{}", n));
    case llvm::Instruction::Xor:
      return simple(fmt::format("xor.b{}", n));
    case llvm::Instruction::UDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::SRem: {
      const bool sign = b.getOpcode() == llvm::Instruction::SDiv || b.getOpcode() == llvm::Instruction::SRem;
      const bool rest = b.getOpcode() == llvm::Instruction::URem || b.getOpcode() == llvm::Instruction::SRem;
      if (constant == nullptr || constant->isZero()) undefined("division", "eq.u", n, y, "0");
      if (sign && (constant == nullptr || constant->isMinusOne())) {  // the least number by -1
        const std::string least = fmt::format("{}", uint64_t{1} << (n - 1)),
                          minus = fmt::format("{}", n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1);
        const std::string p = declare("least", 1), q = declare("minus", 1), both = declare("overflow", 1);
        put(fmt::format("setp.eq.u{} {}, {}, {}", n, p, x, least));
        put(fmt::format("setp.eq.u{} {}, {}, {}", n, q, y, minus));
        put(fmt::format("and.pred {}, {}, {}", both, p, q));
        put(fmt::format("cuda.ub.division {}", both));
      }
      return simple(fmt::format("{}.{}{}", rest ? "rem" : "div", sign ? 's' : 'u', n));
    }
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr: {
      if (constant == nullptr || constant->getValue().uge(n)) undefined("shift", "ge.u", n, y, std::to_string(n));
      if (n != 32 && constant == nullptr) {  // PTX takes amounts of 32 bits
        const std::string amount = declare("amount", 32);
        put(fmt::format("cvt.u32.u{} {}, {}", n, amount, y));
        y = amount;
      }
      const bool left = b.getOpcode() == llvm::Instruction::Shl;
      return simple(fmt::format("{}.{}{}", left ? "shl" : "shr",
                                b.getOpcode() == llvm::Instruction::AShr ? 's'
                                : left                                   ? 'b'
                                                                         : 'u',
                                n));
    }
    default:
      refuse(fmt::format("the instruction '{}' of LLVM", b.getOpcodeName()));
  }
}

void Writer::compare(llvm::ICmpInst& c) {
  const unsigned n = bits_of(c.getOperand(0)->getType());
  const std::string x = value(c.getOperand(0)), y = value(c.getOperand(1)), r = register_of(c);
  if (n == 1) {
    if (!c.isEquality()) refuse("an order of truth values");
    put(fmt::format("xor.pred {}, {}, {}", r, x, y));
    if (c.getPredicate() == llvm::CmpInst::ICMP_EQ) put(fmt::format("xor.pred {}, {}, 1", r, r));
    return;
  }
  const std::string p = llvm::CmpInst::getPredicateName(c.getPredicate()).str();  // "eq", "ult", "sge"
  const std::string op = c.isEquality() ? p : p.substr(1);
  put(fmt::format("setp.{}.{}{} {}, {}, {}", op, c.isSigned() ? 's' : 'u', n, r, x, y));
}

void Writer::cast(llvm::CastInst& c) {
  switch (c.getOpcode()) {
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt: {
      const bool sign = c.getOpcode() == llvm::Instruction::SExt;
      const unsigned from = bits_of(c.getSrcTy()), to = bits_of(c.getDestTy());
      const std::string x = from == 1 ? predicate(c.getOperand(0)) : value(c.getOperand(0));
      if (from == 1)
        return put(fmt::format("selp.b{} {}, {}, 0, {}", to, register_of(c),
                               !sign ? "1" : fmt::format("{}", to == 64 ? ~uint64_t{0} : (uint64_t{1} << to) - 1), x));
      return put(fmt::format("cvt.{0}{1}.{0}{2} {3}, {4}", sign ? 's' : 'u', to, from, register_of(c), x));
    }
    case llvm::Instruction::Trunc: {
      const unsigned from = bits_of(c.getSrcTy()), to = bits_of(c.getDestTy());
      const std::string x = value(c.getOperand(0));
      if (to == 1) {
        const std::string low = declare("low", from);
        put(fmt::format("and.b{} {}, {}, 1", from, low, x));
        return put(fmt::format("setp.ne.u{} {}, {}, 0", from, register_of(c), low));
      }
      return put(fmt::format("cvt.u{}.u{} {}, {}", to, from, register_of(c), x));
    }
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr: {
      const unsigned from = bits_of(c.getSrcTy()), to = bits_of(c.getDestTy());
      const std::string x = value(c.getOperand(0));
      return put(from == to ? fmt::format("mov.b64 {}, {}", register_of(c), x)
                            : fmt::format("cvt.u{}.u{} {}, {}", to, from, register_of(c), x));
    }
    case llvm::Instruction::BitCast:
      return put(fmt::format("mov.{} {}, {}", type(bits_of(c.getType())), register_of(c), value(c.getOperand(0))));
    case llvm::Instruction::AddrSpaceCast: {
      const unsigned from = c.getSrcTy()->getPointerAddressSpace(), to = c.getDestTy()->getPointerAddressSpace();
      if (from > 5 || from == 2 || (to != 0 && to != from))
        refuse(fmt::format("a cast from address space {} to {}", from, to));
      return put(fmt::format("mov.b64 {}, {}", register_of(c), value(c.getOperand(0))));
    }
    default:
      return opaque(c);  // of floating point numbers
  }
}

namespace {

Span line_of(const SourcePtr& file, const llvm::DILocation* at) {
  if (at == nullptr) return {file, 0, 0};
  const SourcePtr& source = file;
  size_t begin = 0;
  for (unsigned k = 1; k < at->getLine() && begin != std::string::npos; ++k) {
    begin = source->text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos) return {file, 0, 0};
  const size_t eol = std::min(source->text.find('\n', begin), source->text.size());
  const size_t first = std::min<size_t>(begin + (at->getColumn() > 0 ? at->getColumn() - 1 : 0), eol);
  size_t end = first;
  while (end < eol && (llvm::isAlnum(source->text[end]) || source->text[end] == '_')) ++end;
  return {file, static_cast<uint32_t>(first), static_cast<uint32_t>(std::max(end, std::min(first + 1, eol)))};
}

// The kernel that is meant.
Expected<const HostKernel*> chosen(const SourcePtr& file, const std::vector<HostKernel>& kernels,
                                   const std::string& entry) {
  const Span start{file, 0, 0};
  std::string names;
  for (const HostKernel& k : kernels) names += (names.empty() ? "" : ", ") + k.name;
  if (kernels.empty()) return error_at(start, "this file has no kernel", "a kernel is a __global__ function");
  if (entry.empty()) {
    if (kernels.size() == 1) return &kernels.front();
    return error_at(start, fmt::format("this file has {} kernels: {}", kernels.size(), names),
                    fmt::format("--entry '{}' chooses the first", kernels.front().name));
  }
  const HostKernel* found = nullptr;
  for (const HostKernel& k : kernels)
    if (k.name == entry || k.symbol == entry) return &k;
  for (const HostKernel& k : kernels)
    if (k.name.starts_with(entry + "<")) {
      if (found != nullptr)
        return error_at(start, fmt::format("several kernels are instances of '{}': {}", entry, names),
                        "--entry names one with its arguments");
      found = &k;
    }
  if (found == nullptr) return error_at(start, fmt::format("there is no kernel '{}'", entry), "the file has " + names);
  return found;
}

bool idle(const llvm::Function& f) {
  for (const llvm::BasicBlock& b : f)
    for (const llvm::Instruction& i : b)
      if (i.mayReadOrWriteMemory() && !i.isDebugOrPseudoInst() && !i.isLifetimeStartOrEnd()) return false;
  return true;
}

// What would be compiled elsewhere: lines for the table. Error: nobody said what is meant, and this text says too
// little of the kernel.
Expected<std::string> left_out(const HostKernel& kernel, const Surveyed& surveyed, const llvm::Function& f) {
  std::string lines = idle(f) ? "arch a kernel that makes no access is meant\n" : "";
  for (const OtherText& t : kernel.other_text) {
    if (t.of_resets || (!t.by_compiler && surveyed.arch_given)) continue;
    if (t.open || idle(f))
      return unsupported_at(kernel.place, t.text,
                            t.by_compiler ? "-D says what the macro is" : "--cuda-arch says the one that is meant");
    lines += "arch " + assumption(t) + "\n";
  }
  return lines;
}

}  // namespace

Expected<std::string> kernel_text(const SourcePtr& file, const std::vector<std::string>& words) {
  Options options;
  options.dialect = ir::Dialect::cuda;
  options.pointer_bits = 64;
  // The types of all that pointers point at, also where the kernel does not look; and where variables begin, which
  // clang says from -O1 on. No pass runs at any level.
  options.clang_arguments = {"-D__FENCEPOST_CHECK", "-debug-info-kind=standalone", "-O1", "-fsanitize=bool",
                             "-fsanitize-minimal-runtime"};
  options.newer_arch = true;
  std::string entry;
  for (const std::string& w : words) {
    if (w.starts_with("entry=")) entry = w.substr(6);
    if (w.starts_with("-D")) options.defines.push_back(w.substr(2));
    if (w.starts_with("-I")) options.include_folders.push_back(w.substr(2));
  }
  auto surveyed = survey(file, options);
  if (!surveyed) return std::unexpected(std::move(surveyed.error()));
  const auto kernel = chosen(file, surveyed->kernels, entry);
  if (!kernel) return std::unexpected(kernel.error());
  if ((*kernel)->not_read) {
    Diagnostics ds;
    ds.add(*(*kernel)->not_read);
    return std::unexpected(std::move(ds));
  }
  llvm::Module& module = *surveyed->parsed->module;
  llvm::Function* f = module.getFunction((*kernel)->symbol);
  if (f == nullptr || f->isDeclaration())
    return unsupported_at((*kernel)->place, fmt::format("clang makes no code of the kernel '{}'", (*kernel)->name));
  make_values(module, *f);
  auto left = left_out(**kernel, *surveyed, *f);
  if (!left) return left;
  try {
    std::string absent;
    for (const std::string& name : surveyed->missing) absent += "absent " + name + "\n";
    return absent + *left + Writer(module, *f, (*kernel)->name, file->name).run();
  } catch (const Refusal& r) {
    return unsupported_at(r.at == nullptr ? (*kernel)->place : line_of(file, r.at), r.what + " is not read", r.hint);
  }
}

}  // namespace fencepost::clangfe
