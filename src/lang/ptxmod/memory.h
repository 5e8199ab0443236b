#pragma once
// Variables of a module, and what pointer parameters point at, as objects of a test: one instance per launch, CTA or
// thread.
//
// PTX memory has no types: an object gets cells of the size in which it is accessed. Where sizes differ at places that
// are known, each place is an object of its own; else cells have the smallest size, and larger accesses are several
// events (a weak one may then be torn; a strong one is refused).
//
// Decisions are found out while code is lowered, and lowering starts afresh under them (Restart).
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "prog/test.h"
#include "ptxmod/flat.h"
#include "ptxmod/value.h"
#include "spirv/grid.h"
#include "spirv/header.h"

namespace fencepost::ptxmod {

struct Restart {};

inline constexpr int64_t k_itself = -1;
inline constexpr uint64_t k_rounds = 16;  // of a loop, in which an undefined value is another each time; a power of two

// What addresses may be relative to: a variable, or the buffer that a parameter of the kernel points at.
struct RootKey {
  uint32_t variable = 0;
  int64_t at = k_itself;  // else the pointer's byte offset in the parameter
  auto operator<=>(const RootKey&) const = default;
};

struct Decision {                     // of a root
  uint32_t cell = 0;                  // bytes; 0: no access yet
  bool apart = false, whole = false;  // its places are objects of their own; never
  bool in_memory = false;             // of a thread's own variable
  bool opaque = false;                // holds results of floating point arithmetic
  bool computed = false;              // open-ended, with accesses at computed places
  bool addressed = false;             // a parameter that is used as an address
  uint64_t cells = 0;                 // at least so many of an open-ended object
};

struct Decisions {
  std::map<RootKey, Decision> of;
  std::set<std::string> opaque;  // exchanges between lanes in which a result of floating point arithmetic is given
  std::set<std::pair<std::string, uint32_t>> ended;  // exchanges, and a thread that their mask names and that has ended
};

struct Given {  // what the header says of a root or a parameter
  spirv::InputValue value;
  uint32_t element = 0;  // bytes; 0: not said
  bool typed = false;    // of CUDA C++: the bytes as the source's type lays them out; -1: not given
  std::vector<int16_t> bytes;
};

class Memory {
 public:
  Memory(const Flat& flat, const spirv::Launch& launch, const std::map<RootKey, Given>& given, bool zero,
         Decisions& decisions, prog::Test& test)
      : flat_(flat), launch_(launch), given_(given), zero_(zero), decisions_(decisions), test_(test) {}

  const Flat& flat() const { return flat_; }
  const Variable& variable(const RootKey& r) const { return flat_.variables[r.variable]; }
  Decision& decision(const RootKey& r) { return decisions_.of[r]; }
  const Given* given(const RootKey& r) const;
  std::string name(const RootKey& r) const;
  // The type of what lies there, where the source is known. Null: none.
  const DataType* type(const RootKey& r) const;
  bool open_ended(const RootKey& r) const { return r.at != k_itself || variable(r).dynamic; }
  // Bytes of an object with an end.
  uint64_t bytes(const RootKey& r) const { return variable(r).bytes; }
  uint64_t elsewhere() const;

  // An access of `bytes` bytes at a known place, or at a computed one. May throw Restart.
  void use(const RootKey& r, std::optional<int64_t> at, uint32_t bytes);

  uint64_t limit(const RootKey& r);  // cells of the object that computed places are held against
  // The object of an instance ("", "@cta1", "@3"); of a root that lies apart that of the place.
  prog::SymbolId symbol(const RootKey& r, const std::string& instance, int64_t at, uint32_t bytes);
  prog::SymbolId unknown(const std::string& name, uint8_t width, const Span& span, uint64_t cells = 1);
  // What a lane of a warp gives: at least so many cells, which start at 0.
  prog::SymbolId given_by_lane(const std::string& name, uint8_t width, const Span& span, uint64_t cells);
  // Whether that exchange is of results of floating point arithmetic. May throw Restart.
  bool opaque_exchange(const std::string& name, bool now);
  bool has_ended(const std::string& exchange, uint32_t thread) const {
    return decisions_.ended.contains({exchange, thread});
  }
  bool drop_unread();
  // Once `drop_unread` has been called: the objects of `unknown`, which nobody looks at, are no locations.
  const std::set<prog::SymbolId>& hidden() const { return hidden_; }
  bool took_zero() const { return took_zero_; }
  // Bytes of the initial value, little end first; nothing where it is undefined.
  std::optional<uint64_t> initial(const RootKey& r, uint64_t at, uint32_t bytes);
  // Its number has been used while it may still be one; may throw Restart where it is found to be an address.
  void note_number(const RootKey& r) { numbers_.insert(r); }
  void note_address(const RootKey& r) {
    Decision& d = decision(r);
    if (d.addressed) return;
    d.addressed = true;
    if (numbers_.contains(r)) throw Restart{};
  }
  void note_write(const RootKey& r, const Span& span) { written_.try_emplace(r, span); }
  void note_constant_read(const RootKey& r, const Span& span) { read_only_.try_emplace(r, span); }
  // A parameter without an input is read so. False: another read overlaps it and is of other bytes.
  bool note_piece(uint32_t variable, int64_t at, uint32_t bytes);
  // Objects that parameters of the kernel point at, and global variables, that are accessed.
  struct Reached {
    size_t buffers = 0, variables = 0;
  };
  Reached reached() const;
  // How the source calls each cell, so that a question may: "q[1].b[2]", "q[0]+4". Of CUDA C++ alone.
  void name_cells();
  // The cell that begins at this byte: its bytes; 0: none does.
  uint32_t cell_at(const RootKey& r, int64_t at);
  void check_read_only() const;  // what is read as constant is written by nobody

 private:
  void lengthen(const RootKey& r, prog::Object& o);

  const Flat& flat_;
  const spirv::Launch& launch_;
  const std::map<RootKey, Given>& given_;
  bool zero_ = false, took_zero_ = false;
  Decisions& decisions_;
  prog::Test& test_;
  std::map<std::tuple<RootKey, std::string, int64_t>, prog::SymbolId> symbols_;
  std::map<RootKey, std::map<int64_t, uint32_t>> places_;  // of roots that lie apart
  std::map<std::string, prog::SymbolId> unknown_;
  std::map<uint32_t, std::map<int64_t, uint32_t>> pieces_;  // of parameters
  std::map<RootKey, Span> written_, read_only_;
  std::set<RootKey> numbers_;
  std::set<prog::SymbolId> hidden_;
};

}  // namespace fencepost::ptxmod
