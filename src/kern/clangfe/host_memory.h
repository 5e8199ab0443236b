#pragma once
// Internal to the room: what the host's variables may hold, as far as pointers go.
//
// Inclusion-based points-to sets (Andersen, Program Analysis and Specialization for the C Programming Language, 1994,
// chapter 4), with fields and known elements apart, whatever the order of the statements. An object is a variable of
// one activation, a temporary, or what an allocation gives; an allocation is named by its call, its activation, and by
// where its address is put first, so that `cudaMalloc(&a)` and `cudaMalloc(&b)` of one helper differ. The sets are
// closed: what is not followed is `unknown`, and an object whose address gets out of sight (`escape`) holds unknowns.
// Values that are exchanged stay as different as they were; everybody else sees all that take part.
#include <clang/AST/Decl.h>
#include <clang/Basic/IdentifierTable.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace fencepost::clangfe {

enum class ObjectKind : uint8_t {
  variable,
  temporary,
  closure,
  result,
  host_memory,
  device_memory,  // kernels may write to it
  external,       // memory that another library hands out
  stream,         // of the device's work
  unseen          // what code outside of the file gives; each place of it is an array of its own, as the profile says
};

struct Place {
  uint32_t object = 0;
  std::vector<const void*> path;  // fields by declaration, elements by `element`
  friend auto operator<=>(const Place&, const Place&) = default;
};

// Elements by number, as steps of a path that are no declaration; k_any_element for one that is not known.
const void* element(uint64_t n);
extern const void* const k_any_element;
bool is_element(const void* step);

struct Atom {
  // copy: all that is held there; distance: from one pointer to another, as a number
  enum Kind : uint8_t { address, copy, function, distance } kind = address;
  Place place;
  const clang::FunctionDecl* code = nullptr;
  friend auto operator<=>(const Atom&, const Atom&) = default;
};

struct Values {
  std::set<Atom> atoms;
  bool unknown = false;
  void add(const Values& v) {
    atoms.insert(v.atoms.begin(), v.atoms.end());
    unknown = unknown || v.unknown;
  }
};

struct Places {
  std::set<Place> all;
  bool unknown = false;
};

class HostMemory {
 public:
  struct Object {
    ObjectKind kind;
    const void* what;
    uint32_t frame, of;
    bool escaped = false;
    bool several = false;  // one for each element of an array
    friend auto operator<=>(const Object& a, const Object& b) {
      return std::tie(a.kind, a.what, a.frame, a.of) <=> std::tie(b.kind, b.what, b.frame, b.of);
    }
  };

  uint32_t object(ObjectKind kind, const void* what, uint32_t frame, const Place* of = nullptr);
  const Object& operator[](uint32_t object) const { return objects_[object]; }
  // Where the address of what was allocated has been put first.
  std::optional<Place> made_for(uint32_t object) const;
  void store(const Place& at, const Values& v);
  // What an allocation puts there itself: no other place has it.
  void store_new(const Place& at, const Values& v);
  // Everything that matches the place was put there by an allocation, so that two elements are of two arrays.
  bool only_new(const Place& at) const;
  Values read(const Place& at);
  // All objects to which a pointer leads that is held there, or in one of these.
  std::set<uint32_t> reachable(uint32_t object) const;
  // Without what it may have got by an exchange.
  Values own(const Place& at);
  // Its address, or what it holds, is in hands that are not followed.
  void escape(const Values& v);
  void exchange(const Place& a, const Place& b);
  // All that are exchanged with one another; {} for a place that is not.
  std::vector<Place> exchanged(const Place& at) const;

  // Names of which some use is not in the tree.
  std::set<const clang::IdentifierInfo*> doubtful;
  std::set<const clang::FunctionDecl*> loose_functions;  // escaped
  std::set<uint32_t> loose_closures;
  bool changed = false;

 private:
  void put(const Place& at, const Values& v);
  void read(const Place& at, bool exchanges, std::set<Place>& seen, Values& out);
  void held(const Place& at, std::set<Place>& seen, Values& out);
  bool in_doubt(const Place& at) const;
  bool not_assigned(const Place& at) const;

  std::vector<Object> objects_{{}};
  std::map<Object, uint32_t> numbers_;
  std::map<Place, uint32_t> places_;
  std::map<uint32_t, std::map<std::vector<const void*>, Values>> held_;
  std::vector<std::set<Place>> exchanges_;
  std::set<Place> assigned_;
};

}  // namespace fencepost::clangfe
