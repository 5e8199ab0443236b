#pragma once
// A question about the memory of a module, once its threads are lowered: names become cells, numbers the pieces of
// them.
#include <string>
#include <vector>

#include "ptxmod/lower.h"
#include "spirv/header.h"

namespace fencepost::ptxmod {

// "%17+8:u32": variable 17, what stands 8 bytes into it, taken as elements of that type.
struct Named {
  RootKey key;  // `at` of a parameter; k_itself of other variables
  std::string type;
};
std::string encoded(uint32_t variable, int64_t at, const std::string& type);
Named decoded(const std::string& id, const Span& span);

// A parameter that is no single number: what stands in it has places, "s.0" and "s.8".
bool is_structure(const Variable& v);

class Asker {
 public:
  Asker(Memory& memory, const Flat& flat, const spirv::Launch& launch)
      : memory_(memory), flat_(flat), launch_(launch) {}

  prog::Cond cond(const spirv::QuestionCond& q);
  std::vector<prog::CondValue> cells(const spirv::QuestionValue& v);  // that an element lies in, little end first

 private:
  struct Side {
    bool constant = false, is_unsigned = false;
    std::string type;                               // "signed char"; "": not known
    const spirv::QuestionValue* written = nullptr;  // a constant
    uint64_t number = 0;
    uint8_t width = 64;  // of the whole
    std::vector<prog::CondValue> cells;
    Span span;
  };
  struct Part {  // of a root, in bytes
    int64_t at = 0;
    uint32_t element = 0;
    bool is_unsigned = false;
    std::string type, instance;
  };
  Side side(const spirv::QuestionValue& v);
  Part typed_part(const RootKey& key, const spirv::QuestionValue& v) const;
  Part untyped_part(const Named& n, const spirv::QuestionValue& v);
  Side place(const RootKey& key, const Part& p, const Span& span);
  static Side number(const Side& n, const Side& beside, term::Op cmp);
  prog::Cond atom(const spirv::QuestionCond& q);

  Memory& memory_;
  const Flat& flat_;
  const spirv::Launch& launch_;
};

// Where nothing is asked for, all memory of the module is observed, and no value that nobody gave.
void observe(const Memory& memory, prog::Test& test);
// What the answer takes for granted.
void say_notes(const Notes& notes, prog::Test& test);

}  // namespace fencepost::ptxmod
