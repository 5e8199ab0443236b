#include "verifier/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "verifier/arguments.h"
#include "verifier/bounds.h"

namespace fencepost::verifier {
namespace {

using launch::Size;

// The highest dimension of the launch that the kernel reads, and the functions that it calls: others it cannot see.
uint32_t dimensions_read(const ir::Module& m) {
  uint32_t most = 1;
  for (const ir::Function& f : m.functions)
    for (const ir::Block& b : f.blocks)
      for (const ir::Instruction& i : b.instructions)
        if (const auto* c = std::get_if<ir::Compute>(&i.action); c != nullptr && c->op == ir::Op::id)
          most = std::max<uint32_t>(most, c->dimension + 1);
  return most;
}
uint32_t dimensions_read(const ir::Module& m, const ir::Function& f) {
  uint32_t most = 1;
  for (const ir::Block& b : f.blocks)
    for (const ir::Instruction& i : b.instructions) {
      if (std::holds_alternative<ir::Call>(i.action)) return dimensions_read(m);
      if (const auto* c = std::get_if<ir::Compute>(&i.action); c != nullptr && c->op == ir::Op::id)
        most = std::max<uint32_t>(most, c->dimension + 1);
    }
  return most;
}

std::vector<Size> sizes(const std::array<clangfe::Known, 3>& known, uint32_t dimensions) {
  std::vector<Size> out;
  for (uint32_t d = 0; d < dimensions; ++d) out.push_back(known[d] && *known[d] > 0 ? Size{*known[d]} : Size{});
  return out;
}

std::string words(const std::vector<Size>& s) {
  std::string text;
  for (const Size& x : s) text += (text.empty() ? "" : ",") + (x ? std::to_string(*x) : std::string("*"));
  return s.size() > 1 ? "[" + text + "]" : text;
}

bool has_sizes(const launch::Launch& l) {
  return !l.local_size.empty() && !(l.num_groups.empty() && l.global_size.empty());
}

// The launch that one place of the host's makes, where the options leave it open.
launch::Launch launch_of(const launch::Launch& given, const clangfe::HostLaunch& h, const std::vector<Size>& any) {
  launch::Launch l = given;
  if (h.named_only) {
    if (l.local_size.empty()) l.local_size = any;
    if (l.num_groups.empty()) l.num_groups = any;
    return l;
  }
  if (l.local_size.empty()) l.local_size = sizes(h.block, h.block_dimensions);
  if (l.num_groups.empty()) l.num_groups = sizes(h.grid, h.grid_dimensions);
  return l;
}

// Some function asks where a pointer leads.
bool compares_pointers(const ir::Module& m) {
  for (const ir::Function& f : m.functions)
    for (const ir::Block& b : f.blocks)
      for (const ir::Instruction& i : b.instructions)
        if (const auto* c = std::get_if<ir::Compute>(&i.action);
            c != nullptr &&
            (c->op == ir::Op::pointer_eq || c->op == ir::Op::pointer_ult || c->op == ir::Op::pointer_to_bits))
          return true;
  return false;
}

// What the host gives as null, as far as that matters: some function compares pointers, or it is accessed.
std::vector<uint32_t> given_null(const ir::Module& m, const ir::Function& f, const flow::FunctionEffects& does,
                                 const clangfe::HostLaunch& h) {
  if (compares_pointers(m)) return h.null;
  std::vector<uint32_t> out;
  for (const ir::Parameter& p : f.parameters) {
    if (!p.region || std::ranges::count(h.null, p.source_index) == 0) continue;
    const uint32_t r = p.region.index;
    if (does.reads[r] != 0 || does.writes[r] != 0 || does.atomics[r] != 0) out.push_back(p.source_index);
  }
  return out;
}

// The arguments of the host, as --kernel-args would give them.
void give_arguments(launch::Options& o, const ir::Module& m, const ir::Function& f, const flow::FunctionEffects& does,
                    const clangfe::HostLaunch& h) {
  for (const launch::Arguments& a : o.kernel_args)
    if (a.kernel == f.name) return;
  launch::Arguments given{.kernel = f.name, .values = {}, .null = {}};
  given.null = given_null(m, f, does, h);
  bool any = !given.null.empty();
  for (const ir::Parameter& p : f.parameters) {
    const bool structure = p.region && m.region(p.region).origin == ir::Origin::by_value;
    if (p.region && !structure) continue;
    Size v;
    if (!structure && p.type.kind == ir::Type::bits && p.source_index < h.arguments.size())
      v = h.arguments[p.source_index];
    const uint32_t width = p.type.width;
    if (v && width < 64 && !fits_below_zero(*v, width)) *v &= (uint64_t{1} << width) - 1;
    any = any || v;
    given.values.push_back(v);
  }
  if (any) o.kernel_args.push_back(std::move(given));
}

// A launch of which the options say something is none of the host's.
bool as_host_says(const launch::Options& given, const ir::Function& f, const clangfe::HostLaunch& h) {
  const launch::Launch& l = given.launch;
  return !h.named_only && l.local_size.empty() && l.num_groups.empty() && l.global_size.empty() &&
         std::ranges::none_of(given.kernel_args, [&](const launch::Arguments& a) { return a.kernel == f.name; });
}

void add_relations(Question& q, const clangfe::HostLaunch& h) {
  auto same = std::ranges::find(q.alike, h.relations, &Alike::relations);
  if (same == q.alike.end()) same = q.alike.insert(q.alike.end(), {.relations = h.relations, .places = {}});
  if (std::ranges::none_of(same->places,
                           [&](const Span& p) { return p.source == h.place.source && p.begin == h.place.begin; }))
    same->places.push_back(h.place);
}

ir::FunctionId id_of(const ir::Module& m, const ir::Function& f) {
  return {static_cast<uint32_t>(&f - m.functions.data())};
}

// Which arrays the pointers of a kernel lead to, and what the kernel does with these.
class Arrays {
 public:
  Arrays(const ir::Module& m, ir::FunctionId kernel, const flow::Effects& effects)
      : m_(m), f_(m.function(kernel)), does_(effects.function(kernel)) {
    for (const ir::Parameter& p : f_.parameters) {
      if (!p.region) continue;
      if (m.region(p.region).origin != ir::Origin::by_value) of_[p.source_index].insert(p.region.index);
      for (const ir::InitialPointer& in : m.region(p.region).pointers)
        if (in.target) of_[p.source_index].insert(in.target.index);
    }
    for (uint32_t r = 0; r < m.regions.size(); ++r) {
      if (m.regions[r].origin != ir::Origin::variable || m.regions[r].space == ir::Space::group) continue;
      if (m.regions[r].name == clangfe::k_textures)
        textures_.insert(r);
      else if (m.regions[r].name == clangfe::k_surfaces)
        surfaces_.insert(r);
      else
        file_.insert(r);
    }
  }
  std::string name(uint32_t parameter) const {
    for (const ir::Parameter& p : f_.parameters)
      if (p.source_index == parameter) return p.name;
    return fmt::format("parameter {}", parameter + 1);
  }
  // If the arrays of both were one, a proof would be about another kernel.
  bool matters(uint32_t a, uint32_t b) const {
    return conflict(of(a), b == clangfe::k_of_the_file ? file_ : b == clangfe::k_of_a_texture ? textures_ : of(b));
  }
  // Texels are read that the kernel writes through a surface, perhaps.
  bool texels_change() const { return conflict(textures_, surfaces_); }
  // The regions of a parameter, or of a variable of file scope, by their names.
  std::vector<std::string> names(const clangfe::Start& s) const {
    std::vector<std::string> out;
    for (const uint32_t r : s.variable.empty() ? of(s.parameter) : file_)
      if (s.variable.empty() || m_.regions[r].name == s.variable) out.push_back(m_.regions[r].name);
    return out;
  }
  // Variables of file scope that the text starts with something else than zeros: nobody puts them back to 0.
  void add_first_values(std::map<std::string, clangfe::Start>& out) const {
    for (const uint32_t r : file_) {
      const ir::Region& variable = m_.regions[r];
      if (!variable.first_value) continue;
      const clangfe::Start first{.variable = variable.name, .why = "its first value in the text is another one"};
      if (const auto [it, fresh] = out.try_emplace(variable.name, first); !fresh && it->second.again)
        it->second = first;
    }
  }
  // The other array, by its name.
  std::optional<std::string> beside(uint32_t parameter) const {
    for (const auto& [other, regions] : of_)
      if (conflict(of(parameter), regions)) return other == parameter ? "" : name(other);
    for (const uint32_t r : file_)
      if (conflict(of(parameter), {r})) return m_.regions[r].name;
    if (conflict(of(parameter), textures_)) return clangfe::k_textures;
    return std::nullopt;
  }
  std::vector<uint32_t> parameters() const {
    std::vector<uint32_t> out;
    for (const auto& [parameter, regions] : of_) out.push_back(parameter);
    return out;
  }

 private:
  const std::set<uint32_t>& of(uint32_t parameter) const {
    static const std::set<uint32_t> none;
    const auto it = of_.find(parameter);
    return it == of_.end() ? none : it->second;
  }
  bool conflict(const std::set<uint32_t>& x, const std::set<uint32_t>& y) const {
    const auto writes = [&](uint32_t r) { return does_.writes[r] != 0 || does_.atomics[r] != 0; };
    for (const uint32_t a : x)
      for (const uint32_t b : y)
        if (a != b && ((writes(a) && (writes(b) || does_.reads[b] != 0)) || (writes(b) && does_.reads[a] != 0)))
          return true;
    return false;
  }

  const ir::Module& m_;
  const ir::Function& f_;
  const flow::FunctionEffects& does_;
  std::map<uint32_t, std::set<uint32_t>> of_;  // by parameter of the source
  std::set<uint32_t> file_, textures_, surfaces_;
};

std::string one_array(const Arrays& arrays, const clangfe::HostLaunch& h) {
  for (const auto& [a, b] : h.one_array) {
    if (!arrays.matters(a, b)) continue;
    if (b == clangfe::k_of_the_file)
      return fmt::format("the launch at {} may give '{}' an array of file scope, and a proof takes them for two",
                         h.place.location(), arrays.name(a));
    if (b == clangfe::k_of_a_texture)
      return fmt::format("the launch at {} gives '{}' memory that a texture may lie over, and the kernel reads texels",
                         h.place.location(), arrays.name(a));
    if (a == b)
      return fmt::format(
          "the launch at {} gives in '{}' two places that may be of one array, and a proof takes them for two",
          h.place.location(), arrays.name(a));
    return fmt::format(
        "the launch at {} gives '{}' and '{}' places that may be of one array, and a proof takes them for two",
        h.place.location(), arrays.name(a), arrays.name(b));
  }
  for (const uint32_t p : h.named_only ? arrays.parameters() : h.not_traced) {
    const auto other = arrays.beside(p);
    if (!other) continue;
    return fmt::format(
        "where the host has '{}' from, given at {}, is not known: it may be in the array of {}, and a "
        "proof takes them for two",
        arrays.name(p), h.place.location(), other->empty() ? std::string("another pointer in it") : "'" + *other + "'");
  }
  return "";
}

// A kernel that waits for the whole grid has a meaning in a cooperative launch only.
std::string not_cooperative(const ir::Module& m, const ir::Function& f, const clangfe::HostLaunch& h) {
  if (h.cooperative.value_or(true) || !meets_grid(m, id_of(m, f))) return "";
  return fmt::format("the launch at {} is not cooperative, and what a barrier of the grid does then is not defined",
                     h.place.location());
}

constexpr const char* k_texels_change = "a texture may lie over what the kernel writes through a surface";

// Why the launch has no proof, or a proof would be about another one.
std::string no_proof_of(const ir::Module& m, const ir::Function& f, const Arrays& arrays,
                        const clangfe::HostLaunch& h) {
  const std::string plain = not_cooperative(m, f, h);
  if (!plain.empty()) return plain;
  if (arrays.texels_change()) return k_texels_change;
  return one_array(arrays, h);
}

// Why counters may not start at 0, by the names of their arrays.
void add_starts(const Arrays& arrays, const clangfe::HostLaunch& h, std::map<std::string, clangfe::Start>& out) {
  for (const clangfe::Start& s : h.not_zero)
    for (const std::string& name : arrays.names(s))
      if (const auto [it, fresh] = out.try_emplace(name, s); !fresh && it->second.again) it->second = s;
}

}  // namespace

std::vector<Question> questions(const launch::Options& given, const ir::Module& m, const ir::Function& f,
                                const flow::Effects& effects, const clangfe::HostKernel* kernel) {
  std::vector<Question> out;
  const Arrays arrays(m, id_of(m, f), effects);
  const bool fixed = has_sizes(given.launch);
  const std::vector<Size> any(dimensions_read(m, f));
  if (fixed || kernel == nullptr || kernel->launches.empty()) {
    auto o = std::make_shared<launch::Options>(given);
    if (o->launch.local_size.empty()) o->launch.local_size = any;
    if (o->launch.num_groups.empty()) o->launch.num_groups = any;
    Question q{.options = std::move(o), .any_size = !fixed};
    if (arrays.texels_change()) q.no_proof = k_texels_change;
    // Sizes are taken from the options, and what the pointers have in common is not.
    if (kernel != nullptr)
      for (const clangfe::HostLaunch& h : kernel->launches) {
        if (q.no_proof.empty()) q.no_proof = no_proof_of(m, f, arrays, h);
        add_starts(arrays, h, q.starts);
      }
    arrays.add_first_values(q.starts);
    out.push_back(std::move(q));
    return out;
  }
  for (const clangfe::HostLaunch& h : kernel->launches) {
    auto o = std::make_shared<launch::Options>(given);
    o->launch = launch_of(given.launch, h, any);
    give_arguments(*o, m, f, effects.function(id_of(m, f)), h);
    const std::string no_proof = no_proof_of(m, f, arrays, h);
    const auto same = std::find_if(out.begin(), out.end(), [&](const Question& q) {
      return q.options->launch == o->launch && q.options->kernel_args == o->kernel_args && q.shared == h.shared &&
             q.named_only == h.named_only && q.no_proof.empty() == no_proof.empty() && q.cooperative == h.cooperative;
    });
    if (same != out.end()) {
      // Instances of one host template launch at one place.
      if (std::none_of(same->places.begin(), same->places.end(),
                       [&](const Span& p) { return p.source == h.place.source && p.begin == h.place.begin; }))
        same->places.push_back(h.place);
      add_starts(arrays, h, same->starts);
      if (as_host_says(given, f, h)) add_relations(*same, h);
      continue;
    }
    out.push_back({.options = std::move(o),
                   .places = {h.place},
                   .no_proof = no_proof,
                   .named_only = h.named_only,
                   .cooperative = h.cooperative,
                   .shared = h.shared});
    if (as_host_says(given, f, h)) add_relations(out.back(), h);
    add_starts(arrays, h, out.back().starts);
    arrays.add_first_values(out.back().starts);
  }
  return out;
}

std::vector<std::string> contradictions(const launch::Options& given, const clangfe::HostKernel& kernel) {
  std::vector<std::string> out;
  const auto add = [&](std::string words) {
    if (std::find(out.begin(), out.end(), words) == out.end()) out.push_back(std::move(words));
  };
  const auto differ = [](const std::vector<Size>& a, const std::vector<Size>& b) {
    for (size_t d = 0; d < 3; ++d) {
      const Size x = d < a.size() ? a[d] : Size{1}, y = d < b.size() ? b[d] : Size{1};
      if (x && y && *x != *y) return true;
    }
    return false;
  };
  for (const clangfe::HostLaunch& h : kernel.launches) {
    if (h.named_only) continue;
    const auto block = sizes(h.block, h.block_dimensions), grid = sizes(h.grid, h.grid_dimensions);
    const launch::Launch& l = given.launch;
    if (!l.local_size.empty() && differ(l.local_size, block))
      add(fmt::format("{}: the source launches '{}' with blockDim={}, and the options say {}", h.place.location(),
                      kernel.name, words(block), words(l.local_size)));
    if (!l.num_groups.empty() && differ(l.num_groups, grid))
      add(fmt::format("{}: the source launches '{}' with gridDim={}, and the options say {}", h.place.location(),
                      kernel.name, words(grid), words(l.num_groups)));
  }
  return out;
}

std::string launch_words(const launch::Launch& l, bool cuda) {
  return fmt::format("{}={}, {}={}", cuda ? "blockDim" : "local_size", words(l.local_size),
                     cuda ? "gridDim" : "num_groups", words(l.num_groups));
}

namespace {

std::string defects(const KernelReport& k) {
  size_t found = 0;
  for (const FindingReport& f : k.findings) found += f.only_possible() ? 0 : 1;
  return defects_text(found, k.findings.size() - found);
}

}  // namespace

std::string rows(const Report& r) {
  std::string out;
  for (const KernelReport& k : r.kernels) {
    const std::string verdict = k.not_read                  ? "not read"
                                : k.status == Status::holds ? (k.note.empty() ? "verified" : "verified: " + k.note)
                                : k.status == Status::fails ? defects(k)
                                                            : "not decided";
    out += fmt::format("  {}  {}", k.name, verdict);
    if (k.options != nullptr && !k.not_read) {
      out += "  " + launch_words(k.options->launch, *k.options->dialect == ir::Dialect::cuda);
      for (const launch::Arguments& a : k.options->kernel_args)
        if (a.kernel == k.name && !a.values.empty() &&
            (a.null.empty() || std::ranges::any_of(a.values, [](const Size& v) { return v.has_value(); }))) {
          std::string given;
          for (const Size& v : a.values) given += (given.empty() ? "" : ",") + argument(v);
          out += fmt::format(", arguments {}", given);
        }
    }
    std::string at;
    for (const Span& s : k.launched_at) at += (at.empty() ? "" : ", ") + s.location();
    if (!at.empty()) out += "  at " + at;
    if (k.named_only && !k.not_read) out += "  (any size: its name stands there, and no launch is seen)";
    if (k.any_size && !k.not_read) out += "  (any size: no launch is in the file)";
    if (k.not_read) out += fmt::format("  {}: {}", k.not_read->span.location(), k.not_read->message);
    out += "\n";
  }
  return out;
}

}  // namespace fencepost::verifier
