// A driver library for tests without a device: it keeps books about everything that is made, used and released, and
// refuses what the manual forbids, but runs nothing. A "kernel" named fill_<n> writes n to the first word of its first
// buffer; any other kernel does nothing. FENCEPOST_FAKE_CUDA_MODE says what goes wrong:
//   no-device   cuDeviceGetCount gives 0
//   hang        launches never end
//   lost        the launch ends in an error
//   no-peers    devices have no access to one another's memory
//   no-atomics  peers have no native atomics
//   lost-second the launch on the second context ends in an error
//   old-driver  there is no cuLaunchKernelEx and no cubin is accepted but its own
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

using Result = int32_t;
constexpr Result ok = 0, invalid = 1, not_initialised = 3, no_binary = 209, invalid_handle = 400, not_found = 500,
                 not_ready = 600, illegal_address = 700, bad_ptx = 218;

struct State {
  bool initialised = false;
  int retained = 0;
  void* current = nullptr;
  std::map<uint64_t, std::unique_ptr<std::vector<uint32_t>>> memory;
  std::map<void*, std::string> modules;    // -> image
  std::map<void*, std::string> functions;  // -> name
  std::map<void*, bool> events;            // -> recorded
  std::set<void*> links;
  std::map<uint64_t, std::unique_ptr<std::vector<uint32_t>>> host;
  std::vector<void*> contexts;
  std::map<void*, void*> event_of;  // -> context
  std::string pending_ptx, linked;
  uint32_t next = 1;
  std::string log;
};
State s;

std::string mode() {
  const char* m = std::getenv("FENCEPOST_FAKE_CUDA_MODE");
  return m != nullptr ? m : "";
}
void* handle() { return reinterpret_cast<void*>(static_cast<uintptr_t>(0x1000 + 16 * s.next++)); }
bool ready() { return s.initialised && s.current != nullptr && s.retained > 0; }

// The buffer that holds these bytes, and the offset in it.
std::pair<std::vector<uint32_t>*, uint64_t> find(uint64_t address, uint64_t bytes) {
  for (const auto& [first, words] : s.host)
    if (address >= first && address + bytes <= first + words->size() * 4) return {words.get(), address - first};
  auto at = s.memory.upper_bound(address);
  if (at == s.memory.begin()) return {nullptr, 0};
  --at;
  const uint64_t offset = address - at->first;
  if (offset + bytes > at->second->size() * 4) return {nullptr, 0};
  return {at->second.get(), offset};
}

Result launch(void* f, const std::string& how, void** parameters) {
  if (!ready()) return not_initialised;
  const auto at = s.functions.find(f);
  if (at == s.functions.end()) return invalid_handle;
  s.log += "launch " + at->second + " " + how + "\n";
  if (at->second.starts_with("fill_")) {
    uint64_t address = 0;
    std::memcpy(&address, parameters[0], 8);
    const auto [buffer, offset] = find(address, 4);
    if (buffer == nullptr) return illegal_address;
    (*buffer)[offset / 4] = static_cast<uint32_t>(std::stoul(at->second.substr(5)));
    uint8_t zeros[4096];  // as many bytes as `opaque` may have
    std::memcpy(zeros, parameters[1], sizeof zeros);
    for (const uint8_t z : zeros)
      if (z != 0) return invalid;
  }
  return ok;
}

}  // namespace

extern "C" {

const char* fake_cuda_log() { return s.log.c_str(); }
// What was made and not released.
uint32_t fake_cuda_left() {
  return static_cast<uint32_t>(s.memory.size() + s.host.size() + s.modules.size() + s.events.size() + s.links.size()) +
         static_cast<uint32_t>(s.retained);
}

Result cuInit(uint32_t flags) {
  s.initialised = flags == 0;
  return flags == 0 ? ok : invalid;
}
Result cuDriverGetVersion(int32_t* v) {
  *v = 12080;
  return ok;
}
Result cuGetErrorName(Result r, const char** name) {
  *name = r == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : r == invalid       ? "CUDA_ERROR_INVALID_VALUE"
          : r == bad_ptx       ? "CUDA_ERROR_INVALID_PTX"
          : r == not_found     ? "CUDA_ERROR_NOT_FOUND"
                               : "CUDA_ERROR_UNKNOWN";
  return ok;
}
Result cuGetErrorString(Result r, const char** text) {
  *text = r == illegal_address ? "an illegal memory access was encountered" : "something else";
  return ok;
}
Result cuDeviceGetCount(int32_t* n) {
  if (!s.initialised) return not_initialised;
  *n = mode() == "no-device" ? 0 : 2;
  return ok;
}
Result cuDeviceGet(int32_t* d, int32_t k) {
  if (k < 0 || k > 1) return invalid;
  *d = k + 10;
  return ok;
}
Result cuDeviceGetName(char* name, int32_t size, int32_t) {
  std::strncpy(name, "Fake H200", static_cast<size_t>(size));
  return ok;
}
Result cuDeviceGetAttribute(int32_t* v, int32_t a, int32_t) {
  static const std::map<int32_t, int32_t> values = {
      {1, 1024},     {5, 2147483647}, {8, 49152},     {10, 32},   {13, 1980000}, {16, 132},
      {36, 3201000}, {37, 6144},      {38, 62914560}, {39, 2048}, {75, 9},       {76, 0},
      {95, 1},       {106, 32},       {120, 1},       {19, 1},    {41, 1},       {86, 0}};
  const auto at = values.find(a);
  *v = at == values.end() ? 0 : at->second;
  return at == values.end() ? invalid : ok;
}
Result cuDeviceTotalMem_v2(size_t* bytes, int32_t) {
  *bytes = size_t{139} << 30;
  return ok;
}
Result cuDevicePrimaryCtxRetain(void** c, int32_t d) {
  if (!s.initialised || d < 10) return invalid;
  ++s.retained;
  *c = handle();
  s.contexts.push_back(*c);
  return ok;
}
Result cuDevicePrimaryCtxRelease_v2(int32_t) {
  if (s.retained == 0) return invalid;
  --s.retained;
  s.current = nullptr;
  return ok;
}
Result cuCtxSetCurrent(void* c) {
  s.current = c;
  return ok;
}
Result cuModuleLoadData(void** m, const void* image) {
  if (!ready()) return not_initialised;
  const std::string text(static_cast<const char*>(image), 4);
  const bool own = text == "FAKE", elf = text == "\177ELF";
  if (!own && (!elf || mode() == "old-driver")) return no_binary;
  *m = handle();
  s.modules[*m] = own ? s.linked : "elf";
  return ok;
}
Result cuModuleLoadDataEx(void** m, const void* image, uint32_t, int32_t*, void**) {
  if (!ready()) return not_initialised;
  const std::string text(static_cast<const char*>(image));
  if (!text.starts_with(".version")) return bad_ptx;
  *m = handle();
  s.modules[*m] = text;
  return ok;
}
Result cuModuleUnload(void* m) { return s.modules.erase(m) == 1 ? ok : invalid_handle; }
Result cuModuleGetFunction(void** f, void* m, const char* name) {
  const auto at = s.modules.find(m);
  if (at == s.modules.end()) return invalid_handle;
  if (at->second != "elf" && at->second.find(std::string(".entry ") + name + "(") == std::string::npos)
    return not_found;
  *f = handle();
  s.functions[*f] = name;
  return ok;
}
Result cuFuncGetAttribute(int32_t* v, int32_t, void* f) {
  *v = 0;
  return s.functions.contains(f) ? ok : invalid_handle;
}
Result cuFuncSetAttribute(void* f, int32_t, int32_t) { return s.functions.contains(f) ? ok : invalid_handle; }
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int32_t* n, void* f, int32_t lanes, size_t) {
  if (!s.functions.contains(f) || lanes < 1) return invalid;
  *n = std::min(32, 2048 / lanes);
  return ok;
}
Result cuLinkCreate_v2(uint32_t, int32_t*, void** values, void** link) {
  if (!ready()) return not_initialised;
  *link = handle();
  s.links.insert(*link);
  std::strcpy(static_cast<char*>(values[0]), "ptxas application ptx input, line 7; error   : Unknown symbol\n");
  return ok;
}
Result cuLinkAddData_v2(void* link, int32_t type, void* data, size_t size, const char*, uint32_t, int32_t*, void**) {
  if (!s.links.contains(link) || type != 1) return invalid_handle;
  const char* text = static_cast<const char*>(data);
  if (size == 0 || text[size - 1] != 0) return invalid;  // PTX ends in a zero
  s.pending_ptx = text;
  return s.pending_ptx.starts_with(".version") ? ok : bad_ptx;
}
Result cuLinkComplete(void* link, void** cubin, size_t* size) {
  if (!s.links.contains(link)) return invalid_handle;
  static char image[] = "FAKE cubin";
  s.linked = s.pending_ptx;
  *cubin = image;
  *size = sizeof image - 1;
  return ok;
}
Result cuLinkDestroy(void* link) { return s.links.erase(link) == 1 ? ok : invalid_handle; }
Result cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  if (!ready()) return not_initialised;
  if (bytes == 0 || bytes > (size_t{1} << 32)) return 2;
  *address = 0x700000000000ull + (uint64_t{s.next++} << 33);
  s.memory[*address] = std::make_unique<std::vector<uint32_t>>(bytes / 4, 0xcdcdcdcdu);
  return ok;
}
Result cuMemHostAlloc(void** p, size_t bytes, uint32_t flags) {
  if (!ready()) return not_initialised;
  if (flags != 3) return invalid;  // portable and mapped
  auto words = std::make_unique<std::vector<uint32_t>>(bytes / 4, 0xcdcdcdcdu);
  *p = words->data();
  s.host[reinterpret_cast<uintptr_t>(*p)] = std::move(words);
  return ok;
}
Result cuMemFreeHost(void* p) { return s.host.erase(reinterpret_cast<uintptr_t>(p)) == 1 ? ok : invalid; }
Result cuMemHostGetDevicePointer_v2(uint64_t* address, void* p, uint32_t flags) {
  *address = reinterpret_cast<uintptr_t>(p);
  return flags == 0 && s.host.contains(*address) ? ok : invalid;
}
Result cuDeviceCanAccessPeer(int32_t* can, int32_t a, int32_t b) {
  *can = a != b && mode() != "no-peers";
  return ok;
}
Result cuDeviceGetP2PAttribute(int32_t* v, int32_t attribute, int32_t, int32_t) {
  *v = attribute == 3 ? mode() != "no-atomics" : attribute == 1 ? 0 : 1;
  return ok;
}
Result cuCtxEnablePeerAccess(void* peer, uint32_t flags) {
  if (!ready() || peer == s.current || flags != 0) return invalid;
  s.log += "peer access\n";
  return ok;
}
Result cuMemFree_v2(uint64_t address) { return s.memory.erase(address) == 1 ? ok : invalid; }
Result cuMemsetD32_v2(uint64_t address, uint32_t value, size_t n) {
  const auto [buffer, offset] = find(address, n * 4);
  if (buffer == nullptr) return invalid;
  std::fill_n(buffer->begin() + static_cast<int64_t>(offset / 4), n, value);
  return ok;
}
Result cuMemcpyHtoD_v2(uint64_t address, const void* from, size_t bytes) {
  const auto [buffer, offset] = find(address, bytes);
  if (buffer == nullptr) return invalid;
  std::memcpy(buffer->data() + offset / 4, from, bytes);
  return ok;
}
Result cuMemcpyDtoH_v2(void* to, uint64_t address, size_t bytes) {
  const auto [buffer, offset] = find(address, bytes);
  if (buffer == nullptr) return invalid;
  std::memcpy(to, buffer->data() + offset / 4, bytes);
  return ok;
}
Result cuEventCreate(void** e, uint32_t) {
  if (!ready()) return not_initialised;
  *e = handle();
  s.events[*e] = false;
  s.event_of[*e] = s.current;
  return ok;
}
Result cuEventRecord(void* e, void*) {
  if (!s.events.contains(e)) return invalid_handle;
  s.events[e] = true;
  return ok;
}
Result cuEventQuery(void* e) {
  if (!s.events.contains(e) || !s.events[e]) return invalid_handle;
  if (s.event_of[e] != s.current) return invalid;  // asked in another context than its own
  if (mode() == "lost-second" && s.contexts.size() > 1 && s.current == s.contexts.back()) return illegal_address;
  return mode() == "hang" || mode() == "lost-second" ? not_ready : mode() == "lost" ? illegal_address : ok;
}
Result cuEventElapsedTime(float* ms, void* a, void* b) {
  if (!s.events[a] || !s.events[b]) return invalid_handle;
  *ms = 1.5f;
  return ok;
}
Result cuEventElapsedTime_v2(float* ms, void* a, void* b) { return cuEventElapsedTime(ms, a, b); }
Result cuEventDestroy_v2(void* e) { return s.events.erase(e) == 1 ? ok : invalid_handle; }
Result cuLaunchKernel(void* f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
                      uint32_t shared, void*, void** parameters, void** extra) {
  if (gy * gz * by * bz != 1 || shared != 0 || extra != nullptr) return invalid;
  return launch(f, std::to_string(gx) + "x" + std::to_string(bx), parameters);
}
Result cuLaunchKernelEx(const uint32_t* config, void* f, void** parameters, void**) {
  const uint32_t* attributes = nullptr;
  std::memcpy(&attributes, config + 10, 8);
  std::string how = std::to_string(config[0]) + "x" + std::to_string(config[3]);
  for (uint32_t k = 0; k < config[12]; ++k) {
    const uint32_t* a = attributes + 18 * k;
    if (a[0] == 4) how += " cluster " + std::to_string(a[2]) + "x" + std::to_string(a[3]) + "x" + std::to_string(a[4]);
    if (a[0] == 2) how += a[2] == 1 ? " cooperative" : " ?";
  }
  return launch(f, how, parameters);
}

}  // extern "C"
