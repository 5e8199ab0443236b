#include "catalogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "cat/library.h"
#include "statistics.h"

namespace fencepost::fuzz {

namespace {

Allowed allowed_states(const prog::Test& test, const cat::Model& pivot, const cat::Model& free, double seconds) {
  check::Options o;
  Job job = Job::with_budget(seconds);
  const check::Outcomes some = check::outcomes(test, pivot, o, job);
  Job brief = Job::with_budget(std::min(seconds, 0.2));
  const check::Outcomes all = check::outcomes(test, free, o, brief);
  Allowed out;
  out.observables = some.observables;
  out.states.assign(some.states.states.begin(), some.states.states.end());
  out.candidates.assign(all.states.states.begin(), all.states.states.end());
  return out;
}

}  // namespace

prog::Dialect dialect_of(prog::Syntax s) {
  if (s == prog::Syntax::vulkan) return prog::Dialect::vulkan;
  return in_c(s) ? prog::Dialect::opencl : prog::Dialect::ptx;
}

const std::map<prog::Syntax, std::vector<std::string>>& default_models() {
  static const std::map<prog::Syntax, std::vector<std::string>> k_models = {
      {prog::Syntax::ptx, {"ptx-6.0", "ptx-7.5", "ptx-7.5-tables", "ptx-7.5-asplos24", "ptx-8"}},
      {prog::Syntax::gpu_ptx, {"rmo-scoped", "ptx-7.5", "ptx-6.0", "sc"}},
      {prog::Syntax::vulkan, {"vulkan", "vulkan-nochains", "vulkan-alloy", "vulkan-asplos24", "vulkan-tables"}},
      {prog::Syntax::cuda, {"cuda", "cuda-volatile", "opencl", "sc"}},
      {prog::Syntax::opencl,
       {"opencl", "opencl-3.1", "opencl-popl16", "cuda", "opencl~sc-order", "opencl~coherence-global", "sc"}},
  };
  return k_models;
}

Expected<cat::Model> load_named(const std::string& name, prog::Dialect dialect, const std::string& folder) {
  const size_t tilde = name.find('~');
  const std::string file = name.substr(0, tilde);
  auto m = cat::load_model(folder.empty() ? file : folder + "/" + file + ".cat", dialect);
  if (!m || tilde == std::string::npos) return m;
  if (std::erase_if(m->axioms, [&](const cat::Axiom& a) { return a.name == name.substr(tilde + 1); }) != 1)
    return error_at({}, "no such axiom: " + name, "");
  return m;
}

Expected<Catalogue> load_catalogue(const std::vector<std::string>& only) {
  Catalogue out;
  for (const auto& [syntax, names] : default_models()) {
    const prog::Dialect dialect = dialect_of(syntax);
    auto& models = out.models[syntax];
    for (const std::string& name : only.empty() ? names : only) {
      auto m = load_named(name, dialect);
      if (!m && !only.empty()) continue;  // of another dialect
      if (!m) return std::unexpected(m.error());
      if (m->dialect != dialect) continue;
      if (models.size() == k_models_each)
        return error_at({}, fmt::format("more than {} models for a notation", k_models_each), "");
      models.emplace_back(name, std::move(*m));
    }
    if (models.empty()) return error_at({}, "no model for one of the dialects", "");
    cat::LoadOptions o;
    o.dialect = dialect;
    o.prelude = fmt::format("{}/prelude-{}.cat", cat::models_dir(), vocab::name(dialect));
    auto free = cat::load_text(make_source("free", "\"no axioms\"\n"), o);
    if (!free) return std::unexpected(free.error());
    out.without_axioms.emplace(dialect, std::move(*free));
  }
  return out;
}

std::vector<const Named*> models_for(const Catalogue& all, const prog::Test& test) {
  std::vector<const Named*> out;
  for (const Named& m : all.models.at(test.syntax))
    if (check::fits(test, m.second)) out.push_back(&m);
  return out;
}

Expected<void> give_question(Rng& rng, Program& p, const Catalogue& all, double seconds, double filtered) {
  const cat::Model& free = all.without_axioms.at(dialect_of(p.syntax));
  auto test = parse(p);
  if (!test) return std::unexpected(test.error());
  const auto models = models_for(all, *test);
  const uint64_t chosen = rng.next();
  const cat::Model& pivot = models.empty() ? free : models[chosen % models.size()]->second;
  Allowed allowed = allowed_states(*test, pivot, free, seconds);
  if (rng.chance(filtered)) {
    p.filter = choose_filter(rng, allowed);
    if (!p.filter.empty()) {
      p.classes.insert("filter");
      if (auto again = parse(p)) allowed = allowed_states(*again, pivot, free, seconds);
    }
  }
  p.question = choose_question(rng, allowed, rng.chance(0.5));
  return {};
}

}  // namespace fencepost::fuzz
