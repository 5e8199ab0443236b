#pragma once
// The models that judge random programs of each notation, and a program's question, chosen with their help.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cat/model.h"
#include "condition.h"
#include "program.h"

namespace fencepost::fuzz {

using Named = std::pair<std::string, cat::Model>;

struct Catalogue {
  std::map<prog::Syntax, std::vector<Named>> models;
  std::map<prog::Dialect, cat::Model> without_axioms;
};

prog::Dialect dialect_of(prog::Syntax s);
const std::map<prog::Syntax, std::vector<std::string>>& default_models();

// `name` may end in "~axiom": the model without the axiom of that name; from `folder` if one is given.
Expected<cat::Model> load_named(const std::string& name, prog::Dialect dialect, const std::string& folder = "");
// The default models, or those of `only` that fit a notation. Errors: no such model or axiom, none for a notation, more
// than k_models_each.
Expected<Catalogue> load_catalogue(const std::vector<std::string>& only);

// Those of the program's notation that know all its scopes.
std::vector<const Named*> models_for(const Catalogue& all, const prog::Test& test);

// Gives the program a question, and now and then (with that chance) a filter, about states that one of the models
// allows or forbids. Errors: the program is not read.
Expected<void> give_question(Rng& rng, Program& p, const Catalogue& all, double seconds, double filtered = 0.12);

}  // namespace fencepost::fuzz
