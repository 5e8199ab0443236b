#pragma once
// Constants of a module, specialised for a launch: the workgroup size comes from the launch, other specialisation
// constants from @Input or their default.
#include <unordered_map>

#include "spirv/grid.h"
#include "spirv/header.h"
#include "spirv/ops.h"

namespace fencepost::spirv {

class Constants {
 public:
  Constants(const Module& m, const Header& header);
  Constants(const Constants&) = delete;  // its parts point at each other

  const Module& module() const { return m_; }
  const Types& types() const { return types_; }
  const Operations& operations() const { return ops_; }
  const Launch& launch() const { return launch_; }

  // The launch of the header, or of an option; one whose workgroups are not those that the module fixes is an error, at
  // `where` or at the entry point.
  void set_launch(const std::optional<Grid>& grid, const Span& where);

  bool has(Id id) const;  // an OpConstant..., OpSpecConstant... or OpUndef of the module
  Value value(Id id, const Instruction& user) const;
  uint64_t whole(Id id, const Instruction& user) const;  // an integer constant, sign-extended when signed
  // Values of a built-in variable or constant of this type for an invocation.
  std::optional<Value> built_in(uint32_t which, Id type, const Place& place, const Instruction& user) const;
  // A value given as input, part by part in the order of a layout; runtime arrays have the input's length.
  void flatten(Id type, const InputValue& v, std::vector<Value>& out, const Instruction& user) const;
  void flatten(const Value& v, std::vector<Value>& out) const;
  // What a scalar of memory without an input starts with: undefined under that name, or, if asked for, 0.
  Value initial(Id type, std::string name, const Instruction& user) const;
  bool took_zero() const { return took_zero_; }                   // some memory without an input starts at 0
  const InputValue* input(Id id) const;                           // @Input for this id
  const std::vector<std::string>& lost() const { return lost_; }  // ids of inputs that the module does not have

 private:
  Value compute(const Instruction& i) const;
  bool takes_input(Id id) const;
  struct Dimension {
    uint32_t size = 1;
    bool open = false;  // a specialisation constant gives it
  };
  std::optional<std::array<Dimension, 3>> own_size() const;

  const Module& m_;
  Types types_;
  Operations ops_;
  Launch launch_;
  bool zero_ = false;
  mutable bool took_zero_ = false;
  std::vector<std::string> lost_;
  std::unordered_map<Id, const Input*> inputs_;
  std::unordered_map<uint32_t, uint32_t> sizes_;  // by SpecId: dimension of the workgroup size
  std::unordered_set<uint32_t> buffers_;          // SpecIds: lengths of local buffers
  std::unordered_map<Id, uint64_t> lengths_;
  mutable std::unordered_map<Id, Value> memo_;
  mutable std::vector<Id> open_;
};

}  // namespace fencepost::spirv
