#include "cat/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/models_folder.h"
#include "cat/compiled.h"
#include "cat/resolve.h"

namespace fencepost::cat {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_prelude = "prelude-";

struct Headers {
  std::optional<vocab::Dialect> dialect;
  std::string summary;
};

std::optional<vocab::Dialect> dialect_named(std::string_view name) {
  for (vocab::Dialect d : {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl})
    if (name == vocab::name(d)) return d;
  return std::nullopt;
}

Headers headers_of(const std::string& path) {
  Headers out;
  const auto source = read_source(path);
  if (!source) return out;
  Symbols symbols;
  Findings ignored;
  for (const Header& h : lex(*source, symbols, ignored).headers) {
    if (h.key == "dialect") out.dialect = dialect_named(h.value);
    if (h.key == "summary") out.summary = h.value;
  }
  return out;
}

std::string trimmed(std::string_view t) {
  while (t.starts_with(' ')) t.remove_prefix(1);
  while (t.ends_with(' ')) t.remove_suffix(1);
  return std::string(t);
}

// The headers of this key that have three parts, "A; B; C"; C may have semicolons.
std::vector<std::array<std::string, 3>> triples_of(const std::string& path, std::string_view key) {
  std::vector<std::array<std::string, 3>> out;
  const auto source = read_source(path);
  if (!source) return out;
  Symbols symbols;
  Findings ignored;
  for (const Header& h : lex(*source, symbols, ignored).headers) {
    const size_t first = h.value.find(';');
    const size_t second = first == std::string::npos ? first : h.value.find(';', first + 1);
    if (h.key != key || second == std::string::npos) continue;
    const std::string_view value = h.value;
    out.push_back({trimmed(value.substr(0, first)), trimmed(value.substr(first + 1, second - first - 1)),
                   trimmed(value.substr(second + 1))});
  }
  return out;
}

bool is_file(const fs::path& p) {
  std::error_code ec;
  return fs::is_regular_file(p, ec);
}

bool is_prelude(const fs::path& p) { return p.filename().string().starts_with(k_prelude); }

std::vector<fs::path> model_files() {
  std::vector<fs::path> out;
  std::error_code ec;
  for (fs::directory_iterator it(models_dir(), ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".cat" && !is_prelude(it->path()) && is_file(it->path())) out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::string models_dir() { return models_folder(); }

std::vector<ModelInfo> shipped_models() {
  std::vector<ModelInfo> out;
  for (const fs::path& p : model_files()) {
    const Headers h = headers_of(p.string());
    out.push_back({p.stem().string(), p.string(), h.dialect.value_or(vocab::Dialect::ptx), h.summary});
  }
  return out;
}

std::vector<Reading> readings_of(const std::string& path) {
  std::vector<Reading> out;
  for (const auto& [first, second, third] : triples_of(path, "reading")) out.push_back({first, words(second), third});
  return out;
}

std::vector<Assumed> assumed_of(const std::string& path) {
  std::vector<Assumed> out;
  for (const auto& [first, second, third] : triples_of(path, "assumes")) {
    const size_t equals = first.find('=');
    if (equals == std::string::npos) continue;
    Assumed a{first.substr(0, equals), first.substr(equals + 1), words(second), false, third};
    a.flags_only = std::erase(a.needs, "races") > 0;
    out.push_back(std::move(a));
  }
  return out;
}

std::vector<Clause> clauses_of(const std::string& path) {
  std::vector<Clause> out;
  const auto source = read_source(path);
  if (!source) return out;
  Symbols symbols;
  Findings ignored;
  for (const Header& h : lex(*source, symbols, ignored).headers) {
    if (h.key != "clauses") continue;
    std::istringstream list(h.value);
    for (std::string item; std::getline(list, item, ';');) {
      std::istringstream entry(item);
      Clause c;
      std::string sections;
      entry >> c.name >> sections;
      std::getline(entry, c.text);
      c.text = trimmed(c.text);
      for (const char ch : sections) c.section += ch == ',' ? std::string(", ") : std::string(1, ch);
      if (!c.text.empty()) out.push_back(std::move(c));
    }
  }
  return out;
}

std::vector<Withheld> withheld_of(const std::string& path) {
  std::vector<Withheld> out;
  for (const auto& [first, second, third] : triples_of(path, "withheld")) out.push_back({first, second, third});
  return out;
}

std::string withheld_flag(size_t k) { return fmt::format("withheld-{}", k + 1); }

Expected<Model> with_withheld_flags(const Model& model) {
  const auto source = read_source(model.path);
  if (!source) return error_at({}, source.error());
  std::string text = (*source)->text;
  const std::vector<Withheld> withheld = withheld_of(model.path);
  for (size_t k = 0; k < withheld.size(); ++k)
    text += fmt::format("\nflag ~irreflexive ((rf | fr | co); ({})) as {}\n", withheld[k].expression, withheld_flag(k));
  LoadOptions options = options_for(model.path, model.dialect);
  options.variants = model.variants;
  return load_text(make_source(model.path, std::move(text)), options);
}

NamedModel split_model_name(const std::string& name) {
  NamedModel out{name, {}};
  const size_t open = name.rfind('[');
  if (open == std::string::npos || !name.ends_with(']')) return out;
  std::vector<std::pair<std::string, std::string>> variants;
  std::istringstream list(name.substr(open + 1, name.size() - open - 2));
  for (std::string item; std::getline(list, item, ',');) {
    const size_t equals = item.find('=');
    if (equals == std::string::npos) return out;
    variants.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  return {name.substr(0, open), std::move(variants)};
}

Expected<std::string> find_model(const std::string& full_name) {
  const std::string name_or_path = split_model_name(full_name).name;
  const bool path_like = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".cat");
  if (path_like && is_file(name_or_path)) return name_or_path;
  if (!path_like)
    if (const fs::path shipped = fs::path(models_dir()) / (name_or_path + ".cat"); is_file(shipped))
      return shipped.string();
  if (!path_like && is_file(name_or_path)) return name_or_path;
  if (path_like)
    return error_at({}, fmt::format("there is no model file '{}'", name_or_path),
                    "a shipped model goes by its name alone, for example ptx-7.5");
  std::vector<std::string> names;
  for (const fs::path& p : model_files()) names.push_back(p.stem().string());
  const std::string near = nearest(name_or_path, names);
  return error_at({}, fmt::format("there is no model called '{}'", name_or_path),
                  near.empty() ? fmt::format("the shipped ones are: {}", fmt::join(names, " "))
                               : fmt::format("did you mean '{}'?", near));
}

LoadOptions options_for(const std::string& path, vocab::Dialect dialect) {
  LoadOptions options;
  options.dialect = headers_of(path).dialect.value_or(dialect);
  if (is_prelude(path)) return options;
  const fs::path prelude = fs::path(models_dir()) / fmt::format("{}{}.cat", k_prelude, vocab::name(options.dialect));
  if (is_file(prelude)) options.prelude = prelude.string();
  return options;
}

Expected<Model> load_model(const std::string& name_or_path, vocab::Dialect dialect, bool* as_shipped) {
  const auto path = find_model(name_or_path);
  if (!path) return std::unexpected(path.error());
  auto variants = split_model_name(name_or_path).variants;
  auto compiled = variants.empty() ? compiled_model(*path, dialect) : std::nullopt;
  if (as_shipped != nullptr) *as_shipped = compiled.has_value();
  if (compiled) return std::move(*compiled);
  LoadOptions options = options_for(*path, dialect);
  options.variants = std::move(variants);
  return load_file(*path, options);
}

std::string default_model(vocab::Dialect d) {
  switch (d) {
    case vocab::Dialect::ptx:
      return "ptx-7.5";
    case vocab::Dialect::vulkan:
      return "vulkan";
    case vocab::Dialect::opencl:
      return "opencl";
  }
  return "ptx-7.5";
}

}  // namespace fencepost::cat
