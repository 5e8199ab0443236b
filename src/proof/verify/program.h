#pragma once
// A litmus test as the verifier reads it: PTX and VULKAN in columns, OPENCL in
// C. docs/certificates.md lists what is in the certified part; anything else is
// NotCertified by name, and what is no test at all is BadText.
//
// The reader is written from docs/litmus.md and docs/litmus-opencl.md, and
// shares no code with the readers of fencepost.
#include <memory>

#include "verify/circuit.h"

namespace fencepost::verify {

enum class Dialect : uint8_t { ptx, vulkan, opencl };

// op: "const" (value), "reg" (thread, index), "old" (what the read of a
// read-modify-write returned), "final" (symbol: the final value of a location),
// "address" (symbol), or an operator: + - * & | ^ == != < <= > >= not and or ?:
// width 32: the result is cut to 32 bits and extended by its sign.
struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;
struct Expr {
  std::string op, text;
  uint64_t value = 0;
  int thread = -1, index = -1;
  int width = 64, line = 0, depth = 0;
  std::vector<ExprPtr> kids;
};

struct Instr {
  enum class Kind : uint8_t { label, local, load, store, rmw, fence, barrier, jump, branch };
  Kind kind = Kind::label;
  std::string text;  // as written, for people; label: its name and ":"
  int dst = -1;      // register
  ExprPtr value;     // local, store: the value; rmw: what it writes; branch: jumps unless it is 0
  ExprPtr guard;     // rmw: writes unless it is 0
  int symbol = -1;
  std::set<std::string> tags, store_tags;
  std::set<std::string> failed_tags;  // of the read of an rmw that does not write
  std::string to;                     // jump, branch in columns: the name of a label
  int target = -1;                    // jump, branch: position in the code
  int reach = -1;                     // branch: control dependencies end at this position; -1: at the end of the thread
  std::string instance;               // barrier: its name
  ExprPtr id, quorum;                 // barrier: or null
  bool arrive = false, everyone = false;
};

struct Register {
  std::string name;
  int width = 64;  // or 32
  uint64_t start = 0;
};

struct Thread {
  std::vector<Instr> code;
  std::vector<Register> registers;
  std::vector<uint64_t> place;  // widest level first; the first level holds all threads
};

struct Symbol {
  std::string name;
  int object = -1;
  int generic = -1;  // symbols with one virtual address have one number
};

struct Object {
  std::string name;
  uint64_t start = 0;
  int width = 64;
  std::set<std::string> tags = {};  // of its initial write
  std::set<int> local_in = {};      // OPENCL: threads that declare it local
};

struct Program {
  Dialect dialect = Dialect::ptx;
  std::vector<Thread> threads;
  std::vector<Symbol> symbols;
  std::vector<Object> objects;
  std::vector<std::pair<int, int>> ssw;
  std::string quantifier;     // exists, ~exists, forall, or empty
  ExprPtr condition, filter;  // filter may be null
  std::string condition_text, filter_text;
};

Program read_litmus(const std::string& text);

// Readers and evaluators call themselves at most so deep: a text must not end the stack.
struct Deeper {
  Deeper(int& depth, const char* what) : depth_(depth) {
    if (++depth_ > 500) throw NotCertified(what);
  }
  ~Deeper() { --depth_; }
  int& depth_;
};

// ---- the reader's tokens
// -------------------------------------------------------------------------------

struct Token {
  enum class Kind : uint8_t { end, word, number, string, sign };
  Kind kind = Kind::end;
  std::string text;
  int line = 0;
};

class Tokens {
 public:
  enum class Style : uint8_t { columns, c, cat };
  // In cat, comments of the form "(* key: value *)" go to `headers`.
  Tokens(const std::string& text, size_t from, Style style, std::map<std::string, std::string>* headers = nullptr);
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token next();
  bool at(std::string_view text) const { return peek().kind != Token::Kind::string && peek().text == text; }
  bool accept(std::string_view text);
  void expect(std::string_view text);
  std::string word(const std::string& what);
  uint64_t number(const std::string& what);  // with a sign
  [[noreturn]] void bad(const std::string& message) const;
  size_t position() const { return at_; }
  std::string since(size_t position) const;  // the tokens, one blank between them
  bool ended() const { return peek().kind == Token::Kind::end; }

 private:
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

ExprPtr make(const std::string& op, std::vector<ExprPtr> kids, int width = 64, const std::string& text = "",
             int line = 0);
ExprPtr constant(uint64_t v);
ExprPtr leaf(const std::string& op, int thread, int index);

// The parts of the reader.
void read_columns(Tokens& c, Program& p);
void read_opencl(Tokens& c, Program& p);
int find_symbol(const Program& p, const std::string& name);  // -1: none
int create_symbol(Program& p, const std::string& name, uint64_t start, int width);
int find_register(const Thread& t, const std::string& name);  // -1: none
// "@level number, ...": each of the levels, which are named widest first.
std::vector<uint64_t> read_place(Tokens& c, const std::vector<std::string>& levels);

}  // namespace fencepost::verify
