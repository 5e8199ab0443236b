#include "export/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "export/plan.h"

namespace fencepost::exports {
namespace {

template <class E>
std::optional<E> from(std::string_view name, const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<E>(i);
  return std::nullopt;
}

bool is_litmus(Target t) { return t == Target::litmus_ptx || t == Target::litmus_vulkan || t == Target::litmus_opencl; }
bool bundles(Target t) { return t == Target::cuda || t == Target::opencl || t == Target::metal || t == Target::cpp; }

std::string_view extension(Target t) {
  switch (t) {
    // The dialect is in the name, so that several targets share a folder.
    case Target::litmus_ptx:
      return ".ptx.litmus";
    case Target::litmus_vulkan:
      return ".vulkan.litmus";
    case Target::litmus_opencl:
      return ".opencl.litmus";
    case Target::cuda:
      return ".cu";
    case Target::opencl:
      return ".cl";
    case Target::glsl:
      return ".comp";
    case Target::amber:
      return ".amber";
    case Target::metal:
      return ".metal";
    case Target::cpp:
      return ".cpp";
  }
  return "";
}

// Letters, digits and single underscores: "__" is reserved in GLSL and C++.
std::string word(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter)
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
    if (out.size() == 64) break;
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

std::string unique(std::string name, std::set<std::string>& taken) {
  std::string candidate = name;
  for (int i = 2; !taken.insert(candidate).second; ++i) candidate = fmt::format("{}_{}", name, i);
  return candidate;
}

Expected<Plan> plan(const axb::Test& test, const Options& o, std::string name) {
  Plan p;
  p.test = &test;
  p.name = std::move(name);
  p.title = test.name.empty() ? p.name : one_line(test.name);
  const auto t = static_cast<uint32_t>(test.threads.size());
  const uint32_t at_least_six = (6 + t - 1) / t * t;
  p.layout = {o.mapping, t, o.total ? o.total : o.target == Target::cpp ? at_least_six : k_published_total, o.seed};
  const uint32_t most = o.target == Target::cpp ? k_max_cpu_threads : k_max_total;
  if (p.layout.total < t)
    return error_at(test.span,
                    fmt::format("{} invocations are too few for the {} threads of the test", p.layout.total, t),
                    fmt::format("launch {} or more", t));
  if (p.layout.total > most)
    return error_at(test.span,
                    fmt::format("{} invocations are too many for target {}", p.layout.total, to_string(o.target)),
                    fmt::format("launch at most {}", most));
  if (o.target != Target::cpp && p.layout.total % o.workgroup != 0)
    return error_at(test.span, fmt::format("{} invocations do not fill workgroups of {}", p.layout.total, o.workgroup),
                    fmt::format("launch {}", p.layout.total / o.workgroup * o.workgroup + o.workgroup));
  if ((o.target == Target::glsl || o.target == Target::amber) && p.layout.total / o.workgroup > 65535)
    return error_at(
        test.span,
        fmt::format("{} workgroups are more than every Vulkan device has to take, 65535", p.layout.total / o.workgroup),
        "launch fewer, or make the workgroups larger");
  p.instances = instances(p.layout);
  p.padding = o.padding;
  if (uint64_t{p.instances} * o.padding * std::max<size_t>(1, test.locations.size()) > uint64_t{1} << 26)
    return error_at(test.span, "the locations of all instances take more than 256 MiB",
                    "launch fewer invocations, or pad less");
  p.words = p.instances * o.padding;
  std::set<std::string> taken;
  for (const auto& l : test.locations) p.locations.push_back(unique("loc_" + word(l.name), taken));
  return p;
}

Expected<void> check(std::span<const axb::Test> tests, const Options& o) {
  if (o.workgroup == 0 || o.workgroup > 1024) return error_at({}, "a workgroup has 1 to 1024 invocations");
  if (o.padding == 0 || o.padding > 65536) return error_at({}, "the padding is 1 to 65536 words");
  if (o.runs == 0 || o.time_out == 0) return error_at({}, "runs and time-out are at least 1");
  if (tests.empty()) return error_at({}, "there is no test to export");
  if (!o.bundle.empty()) {
    if (!bundles(o.target))
      return unsupported_at({}, fmt::format("target {} has no bundle: a file holds one test", to_string(o.target)),
                            "leave the bundle out, or choose cuda, opencl, metal or cpp");
    if (word(o.bundle) != o.bundle)
      return error_at({}, fmt::format("'{}' cannot name a bundle", one_line(o.bundle)),
                      "use letters, digits and underscores");
  }
  if (o.mapping == Mapping::table)
    return unsupported_at({}, "a mapping from a file is not printed into sources, which compute their roles",
                          "'progress run' takes it; or choose a mapping by name");
  if (is_litmus(o.target) && o.mapping != Mapping::plain)
    return error_at(
        {}, fmt::format("a litmus file holds one instance: mapping {} means nothing there", to_string(o.mapping)),
        "leave the mapping out");
  if ((o.target == Target::glsl || o.target == Target::amber) && o.order == Order::seq_cst)
    return unsupported_at({}, "Vulkan has no sequentially consistent atomics", "use acq_rel");
  if (o.target == Target::metal && o.order != Order::relaxed)
    return unsupported_at({}, fmt::format("Metal's atomics on device memory are relaxed, not {}", to_string(o.order)),
                          "use relaxed");
  if (o.watchdog && o.target != Target::cuda && o.target != Target::cpp)
    return unsupported_at({}, fmt::format("target {} has no watchdog inside the kernel", to_string(o.target)),
                          "use an outer time-out");
  return {};
}

std::string print(const std::vector<Plan>& plans, const Options& o) {
  switch (o.target) {
    case Target::cuda:
      return print_cuda(plans, o);
    case Target::opencl:
      return print_opencl(plans, o);
    case Target::metal:
      return print_metal(plans, o);
    case Target::cpp:
      return print_cpp(plans, o);
    case Target::glsl:
      return print_glsl(plans[0], o);
    case Target::amber:
      return print_amber(plans[0], o);
    default:
      break;
  }
  FENCEPOST_INVARIANT(false, "litmus files are printed by another function");
  return "";
}

}  // namespace

const std::vector<std::string>& target_names() {
  static const std::vector<std::string> names = {"litmus-ptx", "litmus-vulkan", "litmus-opencl", "cuda", "opencl",
                                                 "glsl",       "amber",         "metal",         "cpp"};
  return names;
}
const std::vector<std::string>& order_names() {
  static const std::vector<std::string> names = {"relaxed", "acq_rel", "seq_cst"};
  return names;
}
const std::vector<std::string>& loads_names() {
  static const std::vector<std::string> names = {"add", "load"};
  return names;
}
std::string_view to_string(Target t) { return target_names()[static_cast<size_t>(t)]; }
std::string_view to_string(Order o) { return order_names()[static_cast<size_t>(o)]; }
std::string_view to_string(Loads l) { return loads_names()[static_cast<size_t>(l)]; }
std::optional<Target> target_from(std::string_view name) { return from<Target>(name, target_names()); }
std::optional<Order> order_from(std::string_view name) { return from<Order>(name, order_names()); }
std::optional<Loads> loads_from(std::string_view name) { return from<Loads>(name, loads_names()); }

std::string kernel_name(const axb::Test& test, Mapping mapping, size_t index) {
  const std::string name = word(test.name);
  return word(to_string(mapping)) + "_" + (name.empty() ? fmt::format("test_{}", index) : name);
}

Expected<std::vector<File>> export_files(std::span<const axb::Test> tests, const Options& options) {
  if (auto ok = check(tests, options); !ok) return std::unexpected(ok.error());
  std::vector<File> files;
  std::set<std::string> taken;
  std::vector<Plan> plans;
  for (size_t i = 0; i < tests.size(); ++i) {
    if (auto ok = axb::validate(tests[i]); !ok) return std::unexpected(ok.error());
    if (axb::has_compare_and_swap(tests[i]) && !is_litmus(options.target))
      return unsupported_at(tests[i].span, "a compare-and-swap is not printed into sources",
                            "'progress run' runs it, and --target litmus-ptx has it");
    std::string name = unique(kernel_name(tests[i], options.mapping, i), taken);
    if (is_litmus(options.target)) {
      auto text = print_litmus(tests[i], options);
      if (!text) return std::unexpected(text.error());
      const std::string stem = word(tests[i].name);
      files.push_back({(stem.empty() ? fmt::format("test_{}", i) : name.substr(name.find('_') + 1)) +
                           std::string(extension(options.target)),
                       *std::move(text)});
      continue;
    }
    auto p = plan(tests[i], options, std::move(name));
    if (!p) return std::unexpected(p.error());
    if (options.bundle.empty())
      files.push_back({p->name + std::string(extension(options.target)), print({*p}, options)});
    else
      plans.push_back(*std::move(p));
  }
  if (!plans.empty()) files.push_back({options.bundle + std::string(extension(options.target)), print(plans, options)});
  if (options.target == Target::opencl) files.push_back({"progress_runner.c", print_opencl_runner(options)});
  return files;
}

}  // namespace fencepost::exports
