#pragma once
// A device that can run kernels: bytes and launches in, words and a status out. It knows nothing of tests.
//
// Life cycle. `open` gives a Backend or a sentence that says why not (nothing needs to be installed to build). Then
//   load -> Loaded (a module; what the driver made of it is kept in binary())
//   allocate -> BufferId; fill / write / read / release
//   launch (any number of times; each waits for its end) -> Outcome
// A Backend is used by one thread at a time. Buffers and modules live until released or until the Backend dies. After
// an Outcome other than `done` the Backend is dead: every later call fails with the same message, and the process that
// owns it should be given up (the runner keeps devices in a child process for that reason).
//
// Units: seconds, bytes, 32-bit words. Errors: Diagnostics whose message names the device and the driver's own words.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "code/kernel.h"

namespace fencepost::device {

enum class Api : uint8_t { cpu, cuda, vulkan, opencl };
const char* name(Api a);  // "cpu"

struct Property {  // of `devices`: name and value for people and --json
  std::string name, value;
};

// A known fault of a device or driver, found by a self-test at opening.
struct Defect {
  std::string name;            // "loop-limit"
  std::string what;            // one sentence with the number measured
  bool refuses_loops = false;  // spinning tests are refused on this device
};

struct Info {
  std::string id;  // "cpu", "cuda:0", "vulkan:1", "opencl:0"
  Api api = Api::cpu;
  std::string name, driver;  // as the driver says; driver with its version
  uint32_t units = 1;        // compute units, SMs, processors
  uint32_t subgroup = 1;     // warp, wave: invocations in lock step or scheduled together
  uint32_t max_lanes = 1;    // of a workgroup
  uint32_t max_groups = 1;   // of a launch (first dimension)
  uint32_t shared_bytes = 0;
  uint32_t max_cluster = 1;  // workgroups of a cluster; 1: none
  uint64_t memory_bytes = 0;
  uint32_t line_bytes = 64;          // of the cache line that stress should respect
  bool runs_groups_together = true;  // false: groups of a launch may run one after another (CPU-backed OpenCL, Vulkan)
  bool device_scope = true;          // memory model: device-scope atomics
  std::vector<Property> properties;
  std::vector<Defect> defects;
};

enum class Language : uint8_t { code, ptx, opencl_c, spirv };
const char* name(Language l);

struct Source {
  Language language = Language::code;
  std::string bytes;                  // text, or SPIR-V words in little-endian order; empty for `code`
  std::vector<code::Kernel> kernels;  // `code`: what is run; otherwise only the names are read
};

struct Binary {
  std::string kind;  // "cubin", "ptx", "spirv", "code", "none"
  std::string bytes;
};

using ModuleId = uint32_t;
using BufferId = uint32_t;

struct Launch {
  ModuleId module = 0;
  std::string kernel;
  uint32_t groups = 1, lanes = 1;
  uint32_t cluster = 1;           // workgroups of one cluster
  std::vector<BufferId> buffers;  // parallel to Kernel::buffers
  double limit = 10;              // seconds of wall time after which it counts as hung
  bool wait = true;  // false: cuda may return at once, with no time and no fault; the next call that waits has both
  bool cooperative = false;  // cuda: refused unless all workgroups are on the device together; others ignore it
};

struct Outcome {
  enum class Status : uint8_t {
    done,
    timed_out,  // did not end within the limit; the device may still be busy with it
    lost,       // the driver reported an error
  } status = Status::done;
  double seconds = 0;   // of the launch: device time where the driver measures it, else wall time
  std::string message;  // lost: the driver's words
};

class Several;

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const Info& info() const = 0;
  // A round group or a run begins: whatever the backend draws at random until the next call, it draws from this seed
  // alone, so that a campaign that was resumed has what an uninterrupted one has.
  virtual void begin(uint64_t seed) { static_cast<void>(seed); }
  virtual Language language() const = 0;
  virtual Expected<ModuleId> load(const Source& source) = 0;
  virtual Binary binary(ModuleId module) const = 0;
  // Workgroups of this size that are on the device at the same time for certain; 0: not known.
  virtual uint32_t resident_groups(ModuleId module, const std::string& kernel, uint32_t lanes) const = 0;
  virtual Expected<BufferId> allocate(uint64_t words) = 0;
  virtual void release(BufferId buffer) = 0;
  virtual Expected<void> fill(BufferId buffer, uint64_t first_word, uint64_t words, uint32_t value) = 0;
  virtual Expected<void> write(BufferId buffer, uint64_t first_word, std::span<const uint32_t> words) = 0;
  virtual Expected<void> read(BufferId buffer, uint64_t first_word, std::span<uint32_t> words) = 0;
  virtual Expected<Outcome> launch(const Launch& launch) = 0;

  // ---- devices that work together (several.h) ----
  virtual Several* several() { return nullptr; }
  // A buffer's address in this process, which devices of its API and threads of the host share.
  virtual Expected<uint64_t> address(BufferId buffer) const;
  // A buffer of this device over memory of another device or of the host, which keeps and frees it.
  virtual Expected<BufferId> adopt(uint64_t address, uint64_t words);
  // Memory of the host that this device and the others of its API can access.
  virtual Expected<BufferId> allocate_on_host(uint64_t words);
  // A launch that is begun and returns; poll() has its Outcome once it has ended. One at a time.
  virtual Expected<void> start(const Launch& launch);
  virtual Expected<std::optional<Outcome>> poll();
  // Ends what was started, or gives the device up: it is dead then. `why`: the message of later calls.
  virtual void give_up(const std::string& why) { static_cast<void>(why); }
};

// ---- the devices of this machine ------------------------------------------------------------------------
// Every device that answers, in the order cpu, cuda, vulkan, opencl, and one line for each API that does not.
struct Found {
  std::vector<Info> devices;
  std::vector<Property> absent;  // name of the API, reason ("cuda", "libcuda.so.1: cannot open shared object file")
};
Found find_devices();
// "cpu", "cuda" (the first), "cuda:1", ...; several as one (several.h): "cuda:0+1", "cpu+cpu", "cuda:0+host".
Expected<std::unique_ptr<Backend>> open(const std::string& id);

}  // namespace fencepost::device
