#include "verifier/understand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/read_file.h"
#include "flow/defined.h"
#include "flow/flags.h"
#include "ir/ir.h"
#include "verifier/includer.h"

namespace fencepost::verifier {
namespace {

clangfe::Options front_end_options(const launch::Options& o) {
  clangfe::Options c;
  c.dialect = *o.dialect;
  c.pointer_bits = o.pointer_bits;
  c.cuda_arch = launch::cuda_arch_of(o);
  c.newer_arch = !o.cuda_arch;
  c.cuda_path = o.cuda_path;
  c.cuda_version = o.cuda_version;
  c.defines = o.defines;
  c.include_folders = o.include_folders;
  c.clang_arguments = o.clang_arguments;
  c.standard = o.standard;
  c.inline_calls = o.inline_calls;
  c.annotations = o.annotations == launch::Annotations::none            ? clangfe::Options::none
                  : o.annotations == launch::Annotations::only_requires ? clangfe::Options::only_requires
                                                                        : clangfe::Options::all;
  c.invariants_as_candidates = o.invariants_as_candidates;
  c.straight_invariants = o.compat;
  return c;
}

Expected<clangfe::Unit> read(const SourcePtr& file, const launch::Options& o) {
  auto read = clangfe::read(file, front_end_options(o));
  if (read && *o.dialect == ir::Dialect::cuda) flow::strengthen_flags(read->module);
  if (read && o.model == launch::Model::ptx) flow::strengthen_volatile(read->module);
  if (read && o.profile == launch::Profile::standard) flow::keep_defined(read->module);
  return read;
}

// Names of the file that nothing declares.
std::vector<std::string> undeclared(const clangfe::Unit& unit) {
  std::vector<std::string> names;
  for (const Diagnostic& d : unit.errors)
    for (const char* begin : {"use of undeclared identifier '", "unknown type name '"})
      if (d.message.starts_with(begin)) {
        const size_t at = d.message.find('\'') + 1;
        std::string name = d.message.substr(at, d.message.find('\'', at) - at);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
      }
  return names;
}

size_t unread(const clangfe::Unit& unit) {
  return static_cast<size_t>(std::ranges::count_if(unit.kernels, [](const auto& k) { return k.not_read.has_value(); }));
}

// The kernels of this file, of all that the unit of its includer has.
Expected<clangfe::Unit> part(const SourcePtr& file, const SourcePtr& whole, const launch::Options& o) {
  auto unit = read(whole, o);
  if (!unit) return unit;
  std::error_code failed;
  std::erase_if(unit->kernels, [&](const clangfe::HostKernel& k) {
    return !k.place.source || !std::filesystem::equivalent(k.place.source->name, file->name, failed);
  });
  return unit;
}

}  // namespace

Expected<clangfe::Unit> understand(const SourcePtr& file, launch::Options& o, Beside& beside) {
  constexpr int k_rounds = 4;
  std::vector<BuildMacro>& taken = beside.macros;
  auto unit = read(file, o);
  // Under --strict nothing is taken for granted; and --compat is for kernels alone.
  if (*o.dialect != ir::Dialect::cuda || o.compat || o.strict) return unit;
  for (int round = 0; round < k_rounds && unit; ++round) {
    const size_t before = taken.size();
    for (const std::string& name : undeclared(*unit))
      if (const auto found = macro_beside(file->name, name);
          found && std::none_of(taken.begin(), taken.end(), [&](const BuildMacro& m) { return m.name == name; }))
        taken.push_back(*found);
    if (taken.size() == before) break;
    launch::Options more = o;
    for (size_t k = before; k < taken.size(); ++k) more.defines.push_back(taken[k].name + "=" + taken[k].value);
    auto again = read(file, more);
    if (!again) {
      taken.resize(before);
      break;
    }
    o.defines = more.defines;
    unit = std::move(again);
  }
  if (!unit || undeclared(*unit).empty() || unread(*unit) == 0) return unit;
  const auto includer = includer_of(file->name);
  const auto whole = includer ? read_file(*includer) : std::unexpected(Diagnostics{});
  if (!whole) return unit;
  auto again = part(file, *whole, o);
  if (!again || again->kernels.size() < unit->kernels.size() || unread(*again) >= unread(*unit)) return unit;
  beside.includer = *includer;
  return again;
}

Diagnostics reasons(const clangfe::Unit& unit) {
  Diagnostics ds;
  for (const clangfe::HostKernel& k : unit.kernels) {
    if (!k.not_read) continue;
    const bool said = std::any_of(ds.list.begin(), ds.list.end(), [&](const Diagnostic& d) {
      return d.message == k.not_read->message && d.span.location() == k.not_read->span.location();
    });
    if (!said) ds.add(*k.not_read);
  }
  return ds;
}

// Why no kernel was read, where there are some or where none was found behind errors.
Diagnostics nothing_read(const clangfe::Unit& unit) {
  const bool opencl = unit.module.dialect == ir::Dialect::opencl;  // whose list has the kernels that were not read
  if (opencl && !unit.module.kernels().empty()) return {};
  if (!std::ranges::all_of(unit.kernels, [](const auto& k) { return k.not_read.has_value(); })) return {};
  Diagnostics ds = reasons(unit);
  if (ds.list.empty()) ds.list = unit.errors;
  if (!unit.missing.empty() && !ds.list.empty() && ds.list.front().hint.empty())
    ds.list.front().hint = fmt::format("not found: {}; -I names a folder to look in", fmt::join(unit.missing, ", "));
  return ds;
}

std::string assumption(const BuildMacro& m) {
  return fmt::format("the build gives {} the value {}, as {} says", m.name, m.value, m.place);
}

Diagnostic read_as_part(const std::string& includer) {
  Diagnostic d;
  d.severity = Severity::warning;
  d.message = fmt::format("read as a part of {}, which includes it", includer);
  d.hint = "by itself it has names that nothing declares";
  return d;
}

std::vector<std::string> assumptions(const Beside& taken) {
  std::vector<std::string> out;
  for (const BuildMacro& m : taken.macros) out.push_back(assumption(m));
  if (!taken.includer.empty()) out.push_back(fmt::format("the file is compiled as a part of {}", taken.includer));
  return out;
}

Diagnostic taken_from_build(const BuildMacro& m) {
  Diagnostic d;
  d.severity = Severity::warning;
  d.message = fmt::format("{} is taken to be {}, as {} says", m.name, m.value, m.place);
  d.hint = fmt::format("-D{}=... gives another value", m.name);
  return d;
}

}  // namespace fencepost::verifier
