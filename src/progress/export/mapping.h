#pragma once
// Which launched invocation plays which thread of which instance of a progress test. Pure functions; no memory.
//
//   threads T, total N, id 0 <= gid < N          thread               instance       instances
//   plain        the first T ids                 gid                  0              1
//   round-robin  neighbours are one instance     gid % T              gid / T        N / T
//   chunked      neighbours are one thread       gid / (N / T)        gid % (N / T)  N / T
//   hybrid       drawn                           rank in its group    its group      N / T
//   paired       threads 0 and 1 are neighbours, each further thread has a chunk of its own              N / T
//                gid < 2I, I = N / T:            gid % 2              gid / 2
//                else:                           gid / I              gid % I
//   table        a file says it (export/table.h)                                     those of the file
//
// Laws. An id has a role iff gid < T * instances: of a total that T does not divide, the last N % T ids take none
// (plain: all but the first T); they are launched, count and end. On the others role_of is a bijection onto
// threads x instances and gid_of is its inverse. Within an instance a thread with a larger number has a larger id,
// under every mapping, because HSA, OBE and LOBE are statements about the order of ids.
//
// Hybrid: a keyed permutation (four Feistel rounds on the next even number of bits, walked until the value is in
// range) sends an id to a slot; slots iT..iT+T-1 are instance i, and its ids in rising order are threads 0..T-1. It is
// arithmetic, so that a kernel computes it without a table, and equal seeds give equal assignments on every target.
//
// The mappings plain, round-robin and chunked are those of "Specifying and Testing GPU Workgroup Progress Models"
// (OOPSLA 2021, section 6); paired is the hybrid that its section 6.3.3 suggests for tests in which threads 0 and 1
// must run together while thread 2 has not begun. With two threads it is round-robin.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::exports {

enum class Mapping { plain, round_robin, chunked, hybrid, paired, table };

std::string_view to_string(Mapping m);  // "round-robin"
std::optional<Mapping> mapping_from(std::string_view name);
const std::vector<std::string>& mapping_names();  // those that need no file, in the order of the enumeration

struct RoleTable;

struct Layout {
  Mapping mapping = Mapping::plain;
  uint32_t threads = 1;                              // T, at least 1
  uint32_t total = 1;                                // N, launched invocations, at least T, at most k_max_total
  uint64_t seed = 1;                                 // hybrid only
  std::shared_ptr<const RoleTable> table = nullptr;  // Mapping::table: threads and total are its own
};
inline constexpr uint32_t k_max_total = 1u << 24;

struct Role {
  uint32_t thread = 0;
  uint32_t instance = 0;
  bool operator==(const Role&) const = default;
};

uint32_t instances(const Layout& layout);
uint32_t participants(const Layout& layout);                      // T * instances
std::optional<Role> role_of(const Layout& layout, uint32_t gid);  // none: takes no role
uint32_t gid_of(const Layout& layout, Role role);                 // the inverse

// The hybrid's permutation of 0..size-1, for those who print it as code.
struct Permutation {
  uint32_t size = 1;
  uint32_t half_bits = 1;          // the permutation works on 2 * half_bits bits
  std::array<uint32_t, 4> keys{};  // from the seed alone
};
Permutation permutation(uint32_t size, uint64_t seed);
uint32_t forward(const Permutation& p, uint32_t value);
uint32_t backward(const Permutation& p, uint32_t value);  // backward(forward(v)) == v
inline constexpr uint32_t k_mix_first = 0x9E3779B1u;
inline constexpr uint32_t k_mix_second = 0x85EBCA6Bu;

}  // namespace fencepost::exports
