// One row for each API: what lists its devices and what opens one of them. A further backend adds a row.
#include <fmt/format.h>

#include <algorithm>
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

constexpr size_t k_most_together = 14;  // devices of a run: plan::k_most_devices

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

namespace {

// "cuda:0+1", "cuda:0+cuda:1", "cpu+cpu"; with the host as the last, "cuda:0+host", "cpu+host".
Expected<std::unique_ptr<Backend>> open_together(const std::string& id) {
  const auto bad = [&] {
    return error_at({}, fmt::format("there is no device '{}'", id),
                    "several devices are written cuda:0+1, or cpu+cpu for processors that pass for two; a GPU and its "
                    "host cuda:0+host");
  };
  std::vector<std::string> parts;
  for (size_t at = 0; at <= id.size();) {
    const size_t plus = std::min(id.find('+', at), id.size());
    parts.push_back(id.substr(at, plus - at));
    at = plus + 1;
  }
  const bool host = parts.back() == "host";
  if (host) parts.pop_back();
  if (std::all_of(parts.begin(), parts.end(), [](const std::string& p) { return p == "cpu"; })) {
    if (parts.size() > k_most_together) return bad();
    const auto count = static_cast<uint32_t>(parts.size());
    auto made = host ? cpu::open_with_host(count) : cpu::open_several(count);
    if (!made) return std::unexpected(made.error());
    return std::unique_ptr<Backend>(std::move(*made));
  }
  std::vector<uint32_t> indices;
  for (size_t k = 0; k < parts.size(); ++k) {
    const bool named = parts[k].starts_with("cuda:");
    if (k == 0 && !named) return bad();
    const auto n = number(std::string_view(parts[k]).substr(named ? 5 : 0));
    if (!n) return bad();
    if (std::find(indices.begin(), indices.end(), *n) != indices.end())
      return error_at({}, fmt::format("'{}' names cuda:{} twice", id, *n));
    indices.push_back(*n);
  }
  if (indices.size() > k_most_together) return bad();
  std::unique_ptr<Backend> processors;
  if (host) {
    auto opened = cpu::open();
    if (!opened) return std::unexpected(opened.error());
    processors = std::move(*opened);
  }
  auto made = cuda::open_several(indices, std::move(processors));
  if (!made) return std::unexpected(made.error());
  return std::unique_ptr<Backend>(std::move(*made));
}

}  // namespace

Expected<std::unique_ptr<Backend>> open(const std::string& id) {
  if (id.find('+') != std::string::npos) return open_together(id);
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
