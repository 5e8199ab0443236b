#include "check/races.h"

#include <algorithm>
#include <filesystem>

#include "vocab/vocab.h"

namespace fencepost::check {
namespace {

bool of_prelude(const cat::Axiom& a) {
  return a.span.source != nullptr &&
         std::filesystem::path(a.span.source->name).filename().string().starts_with("prelude-");
}

}  // namespace

Races races_of(const cat::Model& model) {
  const bool own = std::any_of(model.axioms.begin(), model.axioms.end(),
                               [](const cat::Axiom& a) { return a.flag && !of_prelude(a); });
  if (!own) return Races::unknown;
  return model.dialect == vocab::Dialect::ptx ? Races::reported : Races::undefined;
}

bool undefines(const cat::Model& model, const cat::Axiom& flag) {
  return flag.flag && (model.dialect != vocab::Dialect::ptx || of_prelude(flag));
}

}  // namespace fencepost::check
