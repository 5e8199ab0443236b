#pragma once
// Kernels run on any device of this machine, and in the executor for comparison.
#include <gtest/gtest.h>

#include "code/execute.h"
#include "device/backend.h"
#include "emit/kernel_opencl.h"
#include "emit/kernel_spirv.h"
#include "kernels.h"

namespace fencepost::device_test {

using device::Backend;
using device::BufferId;
using device::Language;
using device::Outcome;

inline std::string message(const Diagnostics& d) { return d.list.empty() ? "" : d.list[0].message; }

// The source of a kernel in the device's language.
inline Expected<device::Source> source_for(const Backend& device, const Kernel& kernel) {
  device::Source s{device.language(), "", {kernel}};
  if (s.language == Language::opencl_c) {
    auto text = emit::kernel_opencl({kernel});
    if (!text) return std::unexpected(text.error());
    s.bytes = text->text;
  }
  if (s.language == Language::spirv) {
    auto text = emit::kernel_spirv({kernel});
    if (!text) return std::unexpected(text.error());
    s.bytes = text->words;
  }
  return s;
}

// Buffers in, buffers out. `limit`: seconds.
struct Ran {
  bool ok = false;
  std::string message;
  Outcome outcome;
  std::vector<std::vector<uint32_t>> buffers;
};
inline Ran run_on(Backend& device, const Kernel& k, uint32_t groups, uint32_t lanes,
                  std::vector<std::vector<uint32_t>> contents, double limit = 60) {
  Ran out;
  EXPECT_EQ(code::fault_of(k), "");
  const auto source = source_for(device, k);
  if (!source) return out.message = message(source.error()), out;
  const auto m = device.load(*source);
  if (!m) return out.message = message(m.error()), out;
  std::vector<BufferId> ids;
  for (const auto& c : contents) {
    ids.push_back(device.allocate(c.size()).value());
    EXPECT_TRUE(device.write(ids.back(), 0, c).has_value());
  }
  const auto o = device.launch({*m, k.name, groups, lanes, 1, ids, limit});
  if (!o) return out.message = message(o.error()), out;
  out.outcome = *o;
  out.ok = o->status == Outcome::Status::done;
  if (!out.ok) return out.message = o->message, out;
  for (size_t n = 0; n < ids.size(); ++n) {
    out.buffers.emplace_back(contents[n].size());
    EXPECT_TRUE(device.read(ids[n], 0, out.buffers.back()).has_value());
    device.release(ids[n]);
  }
  return out;
}

// The statements that store to a word, as text.
inline std::string writers_of(const std::vector<Statement>& list, size_t buffer, uint64_t word) {
  std::string out;
  for (const Statement& s : list) {
    const bool here = s.kind == Statement::Kind::store && s.place.buffer == buffer && s.place.index.is_const();
    if (here && s.place.index.value() <= word && word < s.place.index.value() + s.place.width / 32)
      out += term::to_string(s.value, [](uint64_t v) { return fmt::format("v{}", v); }) + "\n";
    const std::string inner = writers_of(s.body, buffer, word) + writers_of(s.other, buffer, word);
    if (!inner.empty() && s.value)
      out += "under " + term::to_string(s.value, [](uint64_t v) { return fmt::format("v{}", v); }) + "\n" + inner;
  }
  return out;
}

// The same in the device and in the executor, for kernels whose result does not depend on the schedule.
inline void expect_as_executed(Backend& device, const Kernel& k, uint32_t groups, uint32_t lanes,
                               std::vector<std::vector<uint32_t>> contents) {
  const Ran r = run_on(device, k, groups, lanes, contents);
  ASSERT_TRUE(r.ok) << r.message;
  std::vector<code::Words*> buffers;
  for (auto& c : contents) buffers.push_back(&c);
  const code::Execution e = code::Executable(k).run(groups, lanes, buffers, {});
  ASSERT_EQ(e.fault, "");
  for (size_t n = 0; n < contents.size(); ++n)
    for (size_t w = 0, shown = 0; w < contents[n].size() && shown < 4; ++w) {
      if (r.buffers[n][w] == contents[n][w]) continue;
      ++shown;
      ADD_FAILURE() << k.name << " on " << device.info().id << ", word " << w << " of " << k.buffers[n].name << ": "
                    << r.buffers[n][w] << " and not " << contents[n][w] << "\n"
                    << writers_of(k.body, n, w);
    }
}

struct Histogram {
  std::array<uint64_t, k_states> count{};
  uint64_t total = 0;
  double seconds = 0;
};
inline Histogram run_litmus(Backend& device, Style style, const Shape& shape, uint32_t batch, uint32_t batches,
                            uint32_t stride = 1) {
  Histogram out;
  const Litmus l = persistent(shape, batch, batches, stride, "litmus", style);
  const Ran r = run_on(device, l.kernel, 2, 1,
                       {std::vector<uint32_t>(k_sync_words), std::vector<uint32_t>(l.memory_words),
                        std::vector<uint32_t>(l.out_words), std::vector<uint32_t>(k_states)});
  EXPECT_TRUE(r.ok) << r.message;
  if (!r.ok) return out;
  for (size_t s = 0; s < k_states; ++s) {
    out.count[s] = r.buffers[3][s];
    out.total += out.count[s];
  }
  out.seconds = r.outcome.seconds;
  return out;
}
constexpr size_t state(uint32_t r0, uint32_t r1, uint32_t x, uint32_t y) { return r0 + 4 * r1 + 16 * x + 64 * y; }

}  // namespace fencepost::device_test
