// One row for each API: what lists its devices and what opens one of them. A further backend adds a row.
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "device/backend.h"
#include "device/cpu/cpu.h"
#include "device/cuda/cuda.h"
#include "device/opencl/opencl.h"
#include "device/vulkan/vulkan.h"

namespace fencepost::device {
namespace {

struct Row {
  Api api;
  bool numbered;                          // ids are "name:0", "name:1", ...
  Expected<std::vector<Info>> (*list)();  // an error says why there is none
  Expected<std::unique_ptr<Backend>> (*open)(uint32_t index);
};

constexpr Row k_rows[] = {
    {Api::cpu, false, [] { return Expected<std::vector<Info>>({cpu::describe()}); },
     [](uint32_t) { return cpu::open(); }},
    {Api::cuda, true, cuda::list, cuda::open},
    {Api::vulkan, true, vulkan::list, vulkan::open},
    {Api::opencl, true, opencl::list, opencl::open},
};

std::string first_message(const Diagnostics& d) { return d.list.empty() ? "not found" : d.list.front().message; }

std::optional<uint32_t> number(std::string_view text) {
  uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

}  // namespace

Found find_devices() {
  Found out;
  for (const Row& row : k_rows) {
    auto devices = row.list();
    if (!devices) {
      out.absent.push_back({name(row.api), first_message(devices.error())});
      continue;
    }
    if (devices->empty()) out.absent.push_back({name(row.api), "no device"});
    for (Info& i : *devices) out.devices.push_back(std::move(i));
  }
  return out;
}

Expected<std::unique_ptr<Backend>> open(const std::string& id) {
  const size_t colon = id.find(':');
  const std::string api = id.substr(0, colon);
  std::vector<std::string> known;
  for (const Row& row : k_rows) {
    known.emplace_back(name(row.api));
    if (api != name(row.api)) continue;
    if (colon == std::string::npos) return row.open(0);
    const auto index = number(std::string_view(id).substr(colon + 1));
    if (!row.numbered || !index)
      return error_at({}, fmt::format("there is no device '{}'", id),
                      row.numbered ? fmt::format("write {}:0 for the first", api) : fmt::format("write {}", api));
    return row.open(*index);
  }
  const std::string near = nearest(api, known);
  return error_at({}, fmt::format("there is no device '{}'", id),
                  near.empty() ? "`fencepost devices` lists what is here" : fmt::format("did you mean {}?", near));
}

}  // namespace fencepost::device
