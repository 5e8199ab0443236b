#include "ring_tests.h"

#include <fmt/format.h>

#include <vector>

namespace fencepost::bench {

namespace {

struct Access {
  bool write = false;
  std::string location;
  std::string reg;   // read: where the value goes
  int expected = 0;  // read: in the weak outcome
};
using Thread = std::vector<Access>;

std::vector<Thread> accesses(Family family, uint32_t n) {
  std::vector<Thread> out(n);
  const auto x = [](uint32_t i) { return fmt::format("x{}", i); };
  const auto write = [](std::string l) { return Access{true, std::move(l), "", 0}; };
  const auto read = [](std::string l, const char* r, int v) { return Access{false, std::move(l), r, v}; };
  switch (family) {
    case Family::mp:
      for (uint32_t i = 0; i < n; ++i) {
        out[i].push_back(i == 0 ? write(x(0)) : read(x(i), "r0", 1));
        out[i].push_back(i + 1 == n ? read(x(0), "r1", 0) : write(x(i + 1)));
      }
      break;
    case Family::sb:
      for (uint32_t i = 0; i < n; ++i) out[i] = {write(x(i)), read(x((i + 1) % n), "r0", 0)};
      break;
    case Family::lb:
      for (uint32_t i = 0; i < n; ++i) out[i] = {read(x(i), "r0", 1), write(x((i + 1) % n))};
      break;
    case Family::iriw:
      for (uint32_t i = 0; i < n / 2; ++i) {
        out[i] = {write(x(i))};
        out[n / 2 + i] = {read(x(i), "r0", 1), read(x((i + 1) % (n / 2)), "r1", 0)};
      }
      break;
  }
  return out;
}

std::string ptx(const Access& a, bool sync) {
  if (a.write) return fmt::format("st.{}.gpu {}, 1", sync ? "release" : "relaxed", a.location);
  return fmt::format("ld.{}.gpu {}, {}", sync ? "acquire" : "relaxed", a.reg, a.location);
}
std::string vulkan(const Access& a) {
  if (a.write) return fmt::format("st.atom.rel.dv.sc0.semsc0 {}, 1", a.location);
  return fmt::format("ld.atom.acq.dv.sc0.semsc0 {}, {}", a.reg, a.location);
}
std::string vulkan_relaxed(const Access& a) {
  if (a.write) return fmt::format("st.atom.dv.sc0 {}, 1", a.location);
  return fmt::format("ld.atom.dv.sc0 {}, {}", a.reg, a.location);
}
std::string opencl(const Access& a, bool sync) {
  const char* order = sync ? "memory_order_seq_cst" : "memory_order_relaxed";
  if (a.write) return fmt::format("atomic_store_explicit({}, 1, {}, memory_scope_device);", a.location, order);
  return fmt::format("int {} = atomic_load_explicit({}, {}, memory_scope_device);", a.reg, a.location, order);
}

std::vector<std::string> lines(const Thread& t, vocab::Dialect d, bool sync) {
  std::vector<std::string> out;
  for (const Access& a : t) {
    if (!out.empty() && sync && d == vocab::Dialect::ptx) out.emplace_back("fence.sc.gpu");
    if (!out.empty() && sync && d == vocab::Dialect::vulkan) out.emplace_back("cbar.acq_rel.wg.semsc0 0");
    if (d == vocab::Dialect::ptx) out.push_back(ptx(a, sync));
    if (d == vocab::Dialect::vulkan) out.push_back(sync ? vulkan(a) : vulkan_relaxed(a));
    if (d == vocab::Dialect::opencl) out.push_back(opencl(a, sync));
  }
  return out;
}

}  // namespace

const char* name(Family f) {
  switch (f) {
    case Family::mp:
      return "mp";
    case Family::sb:
      return "sb";
    case Family::lb:
      return "lb";
    case Family::iriw:
      return "iriw";
  }
  return "";
}

std::string ring(Family family, vocab::Dialect dialect, uint32_t n, bool sync) {
  if (n < 2 || (family == Family::iriw && (n < 4 || n % 2 != 0))) return "";
  const std::vector<Thread> threads = accesses(family, n);
  std::vector<std::vector<std::string>> code;
  size_t rows = 0;
  for (const Thread& t : threads) {
    code.push_back(lines(t, dialect, sync));
    rows = std::max(rows, code.back().size());
  }
  static const char* const k_languages[] = {"PTX", "VULKAN", "OPENCL"};
  std::string out = fmt::format("{} {}-{}-{}\n{{ }}\n", k_languages[static_cast<size_t>(dialect)], name(family), n,
                                sync ? "synchronised" : "relaxed");
  const bool together = sync && dialect == vocab::Dialect::vulkan;
  if (dialect == vocab::Dialect::opencl) {
    for (uint32_t t = 0; t < n; ++t) {
      std::string parameters;
      for (const Access& a : threads[t]) {
        const std::string p = fmt::format("global atomic_int* {}", a.location);
        if (parameters.find(p + ",") == std::string::npos && !parameters.ends_with(p))
          parameters += (parameters.empty() ? "" : ", ") + p;
      }
      out += fmt::format("P{}@wg {}, dev 0 ({}) {{\n", t, t, parameters);
      for (const std::string& line : code[t]) out += "  " + line + "\n";
      out += "}\n";
    }
  } else {
    for (uint32_t t = 0; t < n; ++t)
      out +=
          (t == 0 ? " " : " | ") + (dialect == vocab::Dialect::ptx
                                        ? fmt::format("P{}@cta {},gpu 0", t, t)
                                        : fmt::format("P{}@sg {}, wg {}, qf 0", t, together ? t : 0, together ? 0 : t));
    out += " ;\n";
    for (size_t r = 0; r < rows; ++r) {
      for (uint32_t t = 0; t < n; ++t)
        out += (t == 0 ? " " : " | ") + (r < code[t].size() ? code[t][r] : std::string());
      out += " ;\n";
    }
  }
  std::string condition;
  for (uint32_t t = 0; t < n; ++t)
    for (const Access& a : threads[t])
      if (!a.write) condition += fmt::format("{}{}:{} = {}", condition.empty() ? "" : " /\\ ", t, a.reg, a.expected);
  return out + "exists (" + condition + ")\n";
}

}  // namespace fencepost::bench
