#pragma once
// Variables of a module as objects of a test: one instance per launch, workgroup or invocation, by storage class.
// Objects come into being when code or the question first reaches them.
//
// Decisions are found out while code is lowered, and lowering starts afresh under them (Restart): which private
// variables need memory, in which cells a variable is accessed, which hold results of floating point arithmetic.
#include <map>
#include <set>
#include <tuple>

#include "spirv/constants.h"

namespace fencepost::spirv {

struct Decisions {
  std::map<Id, uint32_t> cell;  // bytes
  std::set<Id> in_memory;       // private variables
  std::set<Id> opaque;
  std::map<Id, uint64_t> elements;  // at least so many of an open-ended variable
  std::set<Id> computed;            // open-ended variables with accesses at computed places
};
struct Restart {};
inline constexpr uint64_t k_rounds = 16;  // of a loop, in which an undefined value is another each time; a power of two

enum class Sharing : uint8_t { launch, workgroup, invocation };

struct Variable {
  Id id = 0;
  const Instruction* at = nullptr;
  uint32_t storage = 0;  // spv::StorageClass
  Sharing sharing = Sharing::launch;
  Layout layout;
  std::vector<Value> init;  // by scalar of the layout; undefined where nothing says
  // Pointer parameters and runtime arrays: the buffer may be longer than what is said of it. Constant places beyond
  // the end lengthen it; computed ones share a few more cells: equal places always share one, distinct ones may.
  bool open_ended = false;
  bool read_only = false;  // Input, PushConstant, UniformConstant: loads at known places are constants
};

class Memory {
 public:
  Memory(const Constants& constants, Decisions& decisions, prog::Test& test)
      : c_(constants), m_(constants.module()), decisions_(decisions), test_(test) {}

  Decisions& decisions() { return decisions_; }
  const Decisions& decisions() const { return decisions_; }
  // An OpVariable, or a parameter of the entry point. `initial`: of an invocation's own variable.
  const Variable& variable(const Instruction& at);

  // The object of one class of an instance; `key` tells instances apart ("", "@wg1", "@3").
  prog::SymbolId symbol(const Variable& v, const std::string& key, uint32_t in_class);
  // The initial values of an instance that has values of its own; before its first `symbol`.
  void start(const Variable& v, const std::string& key, std::vector<Value> init) {
    starts_[{v.id, key}] = std::move(init);
  }
  // Every object but those of `unknown`: what of, which instance, which class, its symbol.
  template <class F>
  void for_each(F f) const {
    for (const auto& [of, symbol] : symbols_)
      if (symbol != prog::k_none) f(variables_.at(std::get<0>(of)), std::get<1>(of), std::get<2>(of), symbol);
  }
  // An object of one cell whose initial value the execution chooses.
  prog::SymbolId unknown(const std::string& name, uint8_t width, const Span& span, uint64_t cells = 1);
  // Takes away the objects of `unknown` that no code of the test reads. True: one of several cells is left.
  bool drop_unread();

  // Where `bytes` bytes at an offset lie: cells of one object, `count` of them, little end first.
  struct Cells {
    uint32_t in_class = 0;
    uint64_t index = 0;  // constant
    Expr computed;       // or this, 64 bits
    uint64_t limit = 0;  // cells of the object
    uint32_t count = 1;
    uint8_t width = 32;
    bool inside = true;     // constant: within the object
    Expr within;            // each index is within its array; empty: always. Else behaviour is undefined
    bool by_index = false;  // computed from indices, so that without `within` it is not the place that bytes would give
    Expr reaches;  // computed: what `computed` < `limit` does not say of its being within the object; empty: nothing
    bool open = false;  // computed: what lies beyond `limit` is one of `elsewhere()` cells from there on
  };
  uint64_t elsewhere() const;  // a power of two
  Cells cells(const Variable& v, const Offset& offset, uint32_t bytes, uint8_t bits, const Instruction& user);
  // The scalar of a variable that is kept in registers; nothing when the access needs memory.
  std::optional<size_t> scalar_at(const Variable& v, const Offset& offset, uint32_t bytes) const;

 private:
  void dense_cells(Cells& out, const Variable& v, const Offset& o, uint32_t bytes, const Instruction& user);
  bool class_cells(Cells& out, const Variable& v, const Offset& o, uint32_t bytes) const;
  Expr within(const Variable& v, const Offset& o, uint32_t bytes) const;
  uint64_t open_elements(const Variable& v) const;
  void initialise(Variable& v, Id type, bool elements);
  void lengthen(const Variable& v, uint64_t end);
  void set_push_constants(Variable& v);
  [[noreturn]] void split(const Variable& v, uint64_t unit, const Instruction& user);

  const Constants& c_;
  const Module& m_;
  Decisions& decisions_;
  prog::Test& test_;
  std::map<Id, Variable> variables_;
  std::map<std::tuple<Id, std::string, uint32_t>, prog::SymbolId> symbols_;
  std::map<std::pair<Id, std::string>, std::vector<Value>> starts_;
  std::map<std::string, prog::SymbolId> unknown_;
};

}  // namespace fencepost::spirv
