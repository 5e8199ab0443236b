#include "check/progress_option.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "fair/model.h"
#include "reference/strong.h"

namespace fencepost::check {
namespace {

Expected<reference::LevelProgress> level_model(const std::string& name) {
  const auto model = fair::load_model(name);
  if (!model) return std::unexpected(model.error());
  if (!model->closed_form())
    return unsupported_at({}, "the progress model " + model->name() + " has variables of its own",
                          "termination under a memory model takes closed forms only: fair = an expression over live, "
                          "started and threads");
  reference::LevelProgress out;
  out.model = model->name();
  const bool by_name = name.find('/') == std::string::npos && !name.ends_with(".progress");
  if (by_name && out.model == "fair") return out;
  if (by_name)
    for (const auto& [word, known] :
         {std::pair{"unfair", reference::KnownProgress::unfair}, std::pair{"hsa", reference::KnownProgress::hsa},
          std::pair{"obe", reference::KnownProgress::obe}, std::pair{"hsa+obe", reference::KnownProgress::hsa_obe},
          std::pair{"lobe", reference::KnownProgress::lobe}})
      if (out.model == word) out.known = known;
  out.fair = [shared = std::make_shared<const fair::Model>(*model)](uint32_t n, uint64_t live, uint64_t started) {
    return shared->fair(n, live, started);
  };
  return out;
}

std::string lower(std::string s) {
  for (char& c : s)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return s;
}

}  // namespace

Expected<reference::Progress> parse_progress(const std::string& text, vocab::Dialect dialect) {
  for (const char* word : {reference::k_strong, reference::k_weak})
    if (text.starts_with(word)) {
      const std::string rest = text.substr(std::string_view(word).size());
      if (rest.starts_with(reference::k_strong) || rest.starts_with(reference::k_weak))
        return error_at({}, "'" + text + "' names two kinds of fairness", "write strong:MODEL or weak:MODEL");
      auto inner = parse_progress(rest, dialect);
      if (inner) inner->name = word == reference::k_strong ? text : rest;
      return inner;
    }
  reference::Progress out;
  out.name = text;
  const auto levels = vocab::levels(dialect);
  const size_t depths = levels.size() + 1;
  if (text.find('=') == std::string::npos) {
    const auto model = level_model(text);
    if (!model) return std::unexpected(model.error());
    out.inside.assign(depths, *model);
    return out;
  }
  std::vector<std::optional<reference::LevelProgress>> by_depth(depths);
  reference::LevelProgress others;
  std::vector<std::string> known{"root", "default"};
  for (const char* l : levels) known.push_back(l);
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    at = end + 1;
    const size_t eq = part.find('=');
    if (eq == std::string::npos || eq == 0 || eq + 1 == part.size())
      return error_at({}, "'" + part + "' is not part of a progress model", "LEVEL=MODEL, for example QF=OBE,SG=HSA");
    const std::string key = lower(part.substr(0, eq));
    const auto found = std::find(known.begin(), known.end(), key);
    if (found == known.end()) {
      const std::string near = nearest(key, known);
      std::string all;
      for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
      return error_at({}, "'" + part.substr(0, eq) + "' is not a scope level of " + vocab::name(dialect),
                      near.empty() ? "one of " + all : "did you mean '" + near + "'?");
    }
    const auto model = level_model(part.substr(eq + 1));
    if (!model) return std::unexpected(model.error());
    const size_t k = static_cast<size_t>(found - known.begin());
    if (k == 1) {
      others = *model;
      continue;
    }
    auto& slot = by_depth[k == 0 ? 0 : k - 1];
    if (slot) return error_at({}, "'" + part.substr(0, eq) + "' stands twice in the progress model");
    slot = *model;
  }
  for (const auto& l : by_depth) out.inside.push_back(l ? *l : others);
  return out;
}

}  // namespace fencepost::check
