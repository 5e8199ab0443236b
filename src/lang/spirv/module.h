#pragma once
// A module as tables: types, decorations, constants as instructions, functions as blocks, the entry point. Ids are
// checked where they are looked up: a message names the instruction that uses a wrong one.
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "prog/names.h"
#include "spirv/words.h"
#include "vocab/vocab.h"

namespace fencepost::spirv {

struct Type {
  enum class Kind : uint8_t {
    void_,
    bool_,
    int_,
    float_,
    vector,
    array,
    runtime_array,
    struct_,
    pointer,
    function,
    opaque
  };
  Kind kind = Kind::void_;
  uint32_t width = 0;  // int, float: bits
  bool is_signed = false;
  Id element = 0;                                // vector, arrays: of an element; pointer: pointee; function: result
  uint32_t count = 0;                            // vector
  Id length = 0;                                 // array: the constant
  std::vector<Id> members;                       // struct; function: parameters
  uint32_t storage = 0;                          // pointer: storage class
  uint32_t stride = 0;                           // arrays, pointers: ArrayStride, or 0
  std::vector<std::optional<uint32_t>> offsets;  // struct: Offset by member
  bool packed = false;
  const Instruction* at = nullptr;

  bool scalar() const { return kind == Kind::bool_ || kind == Kind::int_ || kind == Kind::float_; }
  bool composite() const {
    return kind == Kind::vector || kind == Kind::array || kind == Kind::runtime_array || kind == Kind::struct_;
  }
};

struct Block {
  Id label = 0;
  std::vector<const Instruction*> code;  // after the label, the terminator last
};

struct Function {
  Id id = 0;
  const Instruction* at = nullptr;
  std::vector<const Instruction*> parameters;
  std::vector<Block> blocks;
  std::unordered_map<Id, uint32_t> block_of;  // by label
};

enum class ExtendedSet : uint8_t { glsl, opencl, clspv, silent };

class Module {
 public:
  Module(Words words, const std::string& entry_name);

  const Words& words() const { return words_; }
  vocab::Dialect dialect() const { return dialect_; }
  bool address32() const { return address32_; }  // byte offsets wrap at 32 bits

  const Type& type(Id id, const Instruction& user) const;
  const Type* find_type(Id id) const;                            // or null
  const Type& type_of(Id value, const Instruction& user) const;  // of a constant, variable or result
  Id type_id_of(Id value, const Instruction& user) const;
  const Instruction* definition(Id id) const;  // nullptr: none
  const Function& function(Id id, const Instruction& user) const;
  const Function* find_function(Id id) const;
  const Function& entry() const { return *entry_; }
  const std::string& entry_name() const { return entry_name_; }

  std::optional<uint32_t> built_in(Id id) const;  // spv::BuiltIn
  std::optional<uint32_t> spec_id(Id id) const;
  std::optional<std::pair<uint32_t, uint32_t>> binding(Id id) const;               // descriptor set and binding
  bool saturates(Id conversion) const { return saturated_.contains(conversion); }  // SaturatedConversion
  bool by_value(Id parameter) const { return by_value_.contains(parameter); }      // FuncParamAttr ByVal
  std::optional<std::array<Id, 3>> local_size_ids() const { return local_size_ids_; }
  std::optional<std::array<uint32_t, 3>> local_size() const { return local_size_; }
  std::vector<Id> workgroup_sizes() const;  // ids decorated as the built-in WorkgroupSize
  std::optional<ExtendedSet> extended(Id set) const;
  const std::vector<const Instruction*>& reflection() const { return reflection_; }
  const std::vector<const Instruction*>& variables() const { return variables_; }  // of the module, in order

  std::string name(Id id) const { return words_.name(id); }
  [[noreturn]] void fail(const Instruction& i, std::string message, std::string hint = {}) const {
    spirv::fail(words_, i, std::move(message), std::move(hint));
  }
  [[noreturn]] void refuse(const Instruction& i, std::string message, std::string hint = {}) const {
    spirv::refuse(words_, i, std::move(message), std::move(hint));
  }

 private:
  void scan();
  void decorate(const Instruction& i, Id target);
  void decorate_by_groups();
  void read_type(const Instruction& i);
  void read_entry(const std::string& name);
  void read_function(size_t& k);
  std::string described(Id type, int depth) const;
  void need_arguments(const Instruction& i, size_t n) const;

  Words words_;
  vocab::Dialect dialect_ = vocab::Dialect::vulkan;
  bool address32_ = true;
  std::unordered_map<Id, Type> types_;
  std::unordered_set<Id> forward_;  // members of structures that were not declared yet
  std::unordered_map<Id, const Instruction*> definitions_;
  std::unordered_map<Id, uint32_t> built_in_, spec_id_, stride_, set_, binding_;
  std::unordered_map<Id, std::map<uint32_t, uint32_t>> offsets_;
  std::unordered_set<Id> packed_, by_value_, saturated_;
  std::unordered_map<Id, ExtendedSet> sets_;
  std::vector<const Instruction*> entries_, modes_, reflection_, variables_;
  std::vector<Function> functions_;
  std::unordered_map<Id, size_t> function_of_;
  const Function* entry_ = nullptr;
  std::string entry_name_;
  std::optional<std::array<uint32_t, 3>> local_size_;
  std::optional<std::array<Id, 3>> local_size_ids_;
};

const char* storage_name(uint32_t storage_class);

}  // namespace fencepost::spirv
