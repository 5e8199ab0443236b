// The words of the text as the parser gets them, and what they say of the host's program by themselves.
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "clangfe/mentions.h"

namespace fencepost::clangfe {

using clang::SourceLocation;
namespace tok = clang::tok;

namespace {

// A literal without its prefix and its quotes: "a", u8"a", R"x(a)x".
std::string inside(llvm::StringRef literal) {
  const size_t quote = literal.find('"'), end = literal.rfind('"');
  if (quote == llvm::StringRef::npos || end <= quote) return "";
  const llvm::StringRef text = literal.slice(quote + 1, end);
  if (!literal.take_front(quote).ends_with("R")) return text.str();
  const size_t open = text.find('('), close = text.rfind(')');
  return open == llvm::StringRef::npos || close < open ? text.str() : text.slice(open + 1, close).str();
}

// The first word of a directive whose text the preprocessor is about to read.
llvm::StringRef first_word(const clang::Preprocessor& preprocessor) {
  const auto* lexer = static_cast<const clang::Lexer*>(preprocessor.getCurrentLexer());
  if (lexer == nullptr) return "";
  const llvm::StringRef rest = llvm::StringRef(lexer->getBufferLocation()).ltrim(" \t");
  return rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

}  // namespace

// cuModuleGetGlobal and its like, and functions by which these are found.
namespace {

bool finds_by_name(llvm::StringRef n) { return n.contains("ModuleGetFunction") || n.contains("LibraryGetKernel"); }
bool finds_all(llvm::StringRef n) {
  return n.contains("ModuleEnumerateFunctions") || n.contains("LibraryEnumerateKernels");
}
// cudaGraphExecKernelNodeSetParams, cudaGraphKernelNodeSetGridDim, cudaGraphExecNodeSetParams; not their attributes.
bool changes_nodes(llvm::StringRef n) {
  if (!n.contains("Graph") || n.contains("Attribute")) return false;
  const bool reaches = n.contains("Get") || n.contains("Set") || n.contains("Update");
  return reaches &&
         (n.contains("GraphKernelNode") || n.contains("GraphExecKernelNode") || n.contains("GraphNode") ||
          n.contains("GraphExecNode")) &&
         !n.contains("Enabled") && !n.contains("GetType") && !n.contains("Dependen");
}

// The third argument of the call whose name stands at `n`, if it is text and nothing else; else "".
std::string text_asked_for(const std::vector<Word>& words, size_t n) {
  if (n + 1 >= words.size() || words[n + 1].kind != tok::l_paren) return "";
  int depth = 0;
  unsigned argument = 0;
  std::string out;
  for (size_t k = n + 1; k < words.size(); ++k) {
    const Word& w = words[k];
    const bool opens = w.kind == tok::l_paren || w.kind == tok::l_square || w.kind == tok::l_brace;
    const bool closes = w.kind == tok::r_paren || w.kind == tok::r_square || w.kind == tok::r_brace;
    if (closes && --depth == 0) return argument == 2 ? out : "";
    if (opens) ++depth;
    if (w.kind == tok::comma && depth == 1) {
      ++argument;
    } else if (argument == 2) {
      if (w.text.empty() || w.text.find('\\') != std::string::npos) return "";
      out += w.text;
    }
  }
  return "";
}

}  // namespace

std::vector<Asked> asks_for_kernels(const std::vector<Word>& words) {
  std::vector<Asked> out;
  for (size_t n = 0; n < words.size(); ++n) {
    const Word& w = words[n];
    // `int cuModuleGetFunction(..);` declares it: no call has a type before its name.
    if (n > 0 && (words[n - 1].kind == tok::identifier || words[n - 1].kind == tok::kw_int)) continue;
    const llvm::StringRef name = w.name != nullptr ? w.name->getName() : llvm::StringRef(w.text);
    if (finds_all(name) || changes_nodes(name)) out.push_back({.at = w.at, .text = ""});
    if (finds_by_name(name)) out.push_back({.at = w.at, .text = w.name != nullptr ? text_asked_for(words, n) : ""});
  }
  return out;
}

bool asks_for_variables(const std::vector<Word>& words) {
  return std::any_of(words.begin(), words.end(), [](const Word& w) {
    if (w.name == nullptr) return false;
    const llvm::StringRef n = w.name->getName();
    return n.contains("GetGlobal") || n.contains("GetManaged") || n.contains("GetProcAddress") ||
           n.contains("EntryPoint") || n == "dlsym" || n == "dlvsym";
  });
}

namespace {

// By their names without what libraries put before and behind (ISO C 7.13; POSIX; Linux; Boost.Context).
bool comes_twice(llvm::StringRef name) {
  static const llvm::StringSet<> names = {
      "setjmp", "sigsetjmp", "longjmp", "siglongjmp", "getcontext", "setcontext",    "swapcontext",   "makecontext",
      "fork",   "vfork",     "clone3",  "syscall",    "forkpty",    "jump_fcontext", "make_fcontext", "ontop_fcontext"};
  if (name == "_Fork") return true;
  name = name.ltrim('_');
  for (const llvm::StringRef library : {"builtin_", "libc_", "GI_"}) name.consume_front(library);
  name = name.ltrim('_');
  name.consume_back("_chk");
  return names.contains(name) || name == "returns_twice" || name == "returns_twice__";
}

// Calls of the system that make no second program: `syscall(SYS_gettid)`.
bool plain_call_of_system(const std::vector<Word>& words, size_t at) {
  if (!words[at].name->isStr("syscall") || at + 2 >= words.size() || words[at + 1].kind != tok::l_paren) return false;
  llvm::StringRef number = words[at + 2].name != nullptr ? words[at + 2].name->getName() : "";
  return (number.consume_front("SYS_") || number.consume_front("__NR_")) && !comes_twice(number) &&
         !number.starts_with("clone") && !number.contains("sigreturn");
}

// Functions whose bodies stand here, as far as `name(...) {` shows them.
llvm::StringSet<> with_bodies(const std::vector<Word>& words) {
  llvm::StringSet<> out;
  std::vector<size_t> open;
  for (size_t n = 0; n < words.size(); ++n) {
    if (words[n].kind == tok::l_paren) open.push_back(n);
    if (words[n].kind != tok::r_paren || open.empty()) continue;
    const size_t begin = open.back();
    open.pop_back();
    if (begin > 0 && n + 1 < words.size() && words[n + 1].kind == tok::l_brace &&
        words[begin - 1].kind == tok::identifier && words[begin - 1].name != nullptr)
      out.insert(words[begin - 1].name->getName());
  }
  return out;
}

// The text says the name of the function to the linker: itself, mangled, or where an instruction goes to.
bool says(llvm::StringRef text, llvm::StringRef name) {
  if (text == name) return true;
  if (text.contains("_Z") && text.contains(std::to_string(name.size()) + name.str())) return true;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::SplitString(text, parts, " \t\n;,");
  for (size_t k = 1; k < parts.size(); ++k)
    if (parts[k].split('@').first == name &&
        llvm::StringSwitch<bool>(parts[k - 1]).Cases("call", "callq", "jmp", "jmpq", "b", "bl", true).Default(false))
      return true;
  return false;
}

// Words before the parenthesis of texts that name functions to the linker.
bool for_linker(llvm::StringRef word) {
  return llvm::StringSwitch<bool>(word.trim('_'))
      .Cases("asm", "ifunc", "alias", "weakref", "dlsym", "dlvsym", true)
      .Default(false);
}

}  // namespace

std::string comes_back(const std::vector<Word>& words) {
  const llvm::StringSet<> here = with_bodies(words);
  std::vector<llvm::StringRef> open;  // the words before parentheses
  llvm::StringRef before;
  for (size_t n = 0; n < words.size(); ++n) {
    const Word& w = words[n];
    const bool member = n > 0 && (words[n - 1].kind == tok::period || words[n - 1].kind == tok::arrow);
    if (w.name != nullptr && !member && comes_twice(w.name->getName()) && !plain_call_of_system(words, n))
      return w.name->getName().str();
    if (w.kind == tok::l_paren) open.push_back(before);
    if (w.kind == tok::r_paren && !open.empty()) open.pop_back();
    const bool qualified = w.name != nullptr && llvm::StringRef(w.name->getName()).contains("volatile");
    if (!qualified) before = w.name != nullptr ? w.name->getName() : "";
    if (w.text.empty() || open.empty() || !for_linker(open.back())) continue;
    if (comes_twice(w.text)) return w.text;
    for (const auto& f : here)
      if (says(w.text, f.getKey())) return open.back().str();
  }
  return "";
}

// Directives in the text, by _Pragma, and by a macro that has one.
class Words::Pragmas : public clang::PPCallbacks {
 public:
  Pragmas(clang::Preprocessor& preprocessor, Words& words) : preprocessor_(preprocessor), words_(words) {}
  void PragmaDirective(SourceLocation, clang::PragmaIntroducerKind) override {
    const llvm::StringRef word = first_word(preprocessor_);
    if (word == "omp" || word == "acc") words_.directive_ = true;
  }

 private:
  clang::Preprocessor& preprocessor_;
  Words& words_;
};

void Words::watch(clang::Preprocessor& preprocessor, std::function<bool(SourceLocation)> users) {
  const clang::SourceManager& sm = preprocessor.getSourceManager();
  preprocessor.addPPCallbacks(std::make_unique<Pragmas>(preprocessor, *this));
  preprocessor.setTokenWatcher([this, &sm, users = std::move(users)](const clang::Token& t) {
    if (t.isAnnotation() || t.getLocation().isInvalid()) return;
    const clang::FileID file = sm.getFileID(sm.getExpansionLoc(t.getLocation()));
    auto it = known_.find(file);
    if (it == known_.end()) it = known_.emplace(file, users(t.getLocation())).first;
    if (!it->second) return;
    Word w{.at = t.getLocation(), .kind = t.getKind()};
    if (!t.isLiteral()) w.name = t.getIdentifierInfo();
    if (tok::isStringLiteral(t.getKind())) w.text = inside({t.getLiteralData(), t.getLength()});
    keep(std::move(w));
  });
}

void Words::keep(Word w) {
  if (std::exchange(directive_, false)) shared_.insert(w.at);
  list_.push_back(std::move(w));
  follow_attributes();
}

// `[[omp::directive(parallel for)]] for (...)` (OpenMP 5.1, 2.1)
void Words::follow_attributes() {
  const Word& w = list_.back();
  if (brackets_ == 0) {
    if (w.kind != tok::l_square || list_.size() < 2 || list_[list_.size() - 2].kind != tok::l_square) return;
    brackets_ = 2;
    omp_ = false;
    return;
  }
  if (w.name != nullptr && w.name->isStr("omp")) omp_ = true;
  if (w.kind == tok::l_square) ++brackets_;
  if (w.kind == tok::r_square && --brackets_ == 0) directive_ = omp_;
}

}  // namespace fencepost::clangfe
