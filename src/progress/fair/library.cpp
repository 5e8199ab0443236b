#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/models_folder.h"
#include "base/read_file.h"
#include "fair/impl.h"

namespace fencepost::fair {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> k_weakest_first = {"unfair", "hsa", "obe", "hsa+obe", "lobe", "fair"};

// "HSA_OBE" is "hsa+obe".
std::string canonical(std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '+';
  }
  return name;
}

bool is_file(const fs::path& p) {
  std::error_code ec;
  return fs::is_regular_file(p, ec);
}

size_t rank(const std::string& name) {
  return static_cast<size_t>(std::find(k_weakest_first.begin(), k_weakest_first.end(), name) - k_weakest_first.begin());
}

std::vector<fs::path> model_files() {
  std::vector<fs::path> out;
  std::error_code ec;
  for (fs::directory_iterator it(models_dir(), ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".progress" && is_file(it->path())) out.push_back(it->path());
  std::sort(out.begin(), out.end(), [](const fs::path& a, const fs::path& b) {
    const std::string x = a.stem().string(), y = b.stem().string();
    return std::pair(rank(x), x) < std::pair(rank(y), y);
  });
  return out;
}

}  // namespace

std::string models_dir() { return (fs::path(models_folder()) / "progress").string(); }

Expected<Model> read_model(const std::string& path) {
  const auto source = read_file(path);
  return source ? parse_model(*source) : std::unexpected(source.error());
}

Expected<Model> load_model(const std::string& name_or_path) {
  const bool path_like =
      name_or_path == "-" || name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".progress");
  if (path_like) return read_model(name_or_path);
  const std::string name = canonical(name_or_path);
  if (const fs::path shipped = fs::path(models_dir()) / (name + ".progress"); is_file(shipped))
    return read_model(shipped.string());
  if (is_file(name_or_path)) return read_model(name_or_path);
  std::vector<std::string> names;
  for (const fs::path& p : model_files()) names.push_back(p.stem().string());
  const std::string near = nearest(name, names);
  return error_at({}, fmt::format("there is no progress model called '{}'", name_or_path),
                  !near.empty()   ? fmt::format("did you mean '{}'?", near)
                  : names.empty() ? fmt::format("there are no models in {}", models_dir())
                                  : fmt::format("the shipped ones are: {}", fmt::join(names, " ")));
}

std::vector<ModelInfo> shipped_models() {
  std::vector<ModelInfo> out;
  for (const fs::path& p : model_files()) {
    const auto m = read_model(p.string());
    out.push_back({p.stem().string(), p.string(), m ? m->summary() : ""});
  }
  return out;
}

}  // namespace fencepost::fair
