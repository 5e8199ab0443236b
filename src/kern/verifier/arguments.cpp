#include "verifier/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

namespace fencepost::verifier {
namespace {

// Each number fits its parameter; of a structure that is passed by value, one number gives up to eight bytes.
void check_widths(const ir::Module& m, const ir::Function& kernel, const launch::Arguments& a, Diagnostics& wrong) {
  size_t next = 0;
  for (const ir::Parameter& p : kernel.parameters) {
    if (p.region && m.region(p.region).origin != ir::Origin::by_value) continue;
    if (next >= a.values.size()) return;
    const launch::Size v = a.values[next++];
    if (!v) continue;
    const uint64_t bits = p.region ? 8 * m.region(p.region).size.value_or(0) : p.type.width > 0 ? p.type.width : 64;
    if (bits > 64)
      wrong.add({.message = fmt::format("--kernel-args: '{}' of '{}' has {} bytes, more than a number", p.name,
                                        a.kernel, bits / 8),
                 .hint = "* for any value"});
    else if (bits < 64 && (*v >> bits) != 0 && !fits_below_zero(*v, bits))
      wrong.add({.message = fmt::format("--kernel-args: {} is too {} for '{}' of '{}', which has {} bits", argument(v),
                                        static_cast<int64_t>(*v) < 0 ? "small" : "large", p.name, a.kernel, bits)});
  }
}

}  // namespace

bool fits_below_zero(uint64_t v, uint64_t bits) {
  return static_cast<int64_t>(v) < 0 && static_cast<int64_t>(v) >> (bits - 1) == -1;
}

std::string argument(const launch::Size& v) {
  if (!v) return "*";
  return static_cast<int64_t>(*v) < 0 ? std::to_string(static_cast<int64_t>(*v)) : std::to_string(*v);
}

void fill_structures(ir::Module& m, const launch::Options& o) {
  for (const launch::Arguments& a : o.kernel_args)
    for (const ir::Function& f : m.functions) {
      if (a.kernel != f.name || !f.kernel) continue;
      size_t next = 0;
      for (const ir::Parameter& p : f.parameters) {
        if (p.region && m.region(p.region).origin != ir::Origin::by_value) continue;
        if (next >= a.values.size()) break;
        const launch::Size v = a.values[next++];
        if (!p.region || !v) continue;
        ir::Region& r = m.regions[p.region.index];
        if (r.size.value_or(0) > 8) continue;  // one number has no more
        r.contents = ir::Contents::given;
        r.initial.clear();
        for (uint64_t i = 0; i < r.size.value_or(0); ++i) r.initial.push_back(static_cast<uint8_t>(*v >> (8 * i)));
      }
    }
}

void set_lengths(ir::Module& m, const launch::Options& o) {
  for (const launch::Arguments& a : o.kernel_arrays)
    for (const ir::Function& f : m.functions) {
      if (a.kernel != f.name || !f.kernel) continue;
      size_t next = 0;
      for (const ir::Parameter& p : f.parameters) {
        if (!p.region || m.region(p.region).origin != ir::Origin::parameter || next >= a.values.size()) continue;
        if (const launch::Size v = a.values[next++]; v) m.regions[p.region.index].size = *v;
      }
    }
}

void check_arguments(const ir::Module& m, const std::vector<launch::Arguments>& given, bool arrays,
                     Diagnostics& wrong) {
  const char* option = arrays ? "--kernel-arrays" : "--kernel-args";
  for (const launch::Arguments& a : given) {
    std::vector<std::string> names;
    const ir::Function* kernel = nullptr;
    for (const ir::Function& f : m.functions) {
      if (!f.kernel) continue;
      names.push_back(f.name);
      if (f.name == a.kernel) kernel = &f;
    }
    if (kernel == nullptr) {
      const std::string near = nearest(a.kernel, names);
      wrong.add({.message = fmt::format("{}: there is no kernel '{}'", option, a.kernel),
                 .hint = near.empty() ? fmt::format("there is {}", fmt::join(names, ", "))
                                      : fmt::format("did you mean '{}'?", near)});
      continue;
    }
    size_t takes = 0;
    for (const ir::Parameter& p : kernel->parameters) {
      const bool array = p.region && m.region(p.region).origin == ir::Origin::parameter;
      takes += arrays == array ? 1 : 0;
    }
    if (arrays ? a.values.size() > takes : a.values.size() != takes)
      wrong.add({.message = fmt::format("{}: '{}' has {} of these, and {} are given", option, a.kernel, takes,
                                        a.values.size()),
                 .hint = arrays ? "the arrays are the pointer parameters; * for one of any size"
                                : "the arguments are those that are not arrays; * for any value"});
    if (std::count_if(given.begin(), given.end(), [&](const auto& b) { return b.kernel == a.kernel; }) > 1 &&
        &a != &*std::find_if(given.begin(), given.end(), [&](const auto& b) { return b.kernel == a.kernel; }))
      wrong.add({.message = fmt::format("{}: '{}' is given twice", option, a.kernel), .hint = "give it once"});
    if (!arrays) check_widths(m, *kernel, a, wrong);
  }
}

}  // namespace fencepost::verifier
