#pragma once
// The models under which programs with loops are drawn, by the notation of the programs.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cat/library.h"
#include "looped.h"
#include "vocab/vocab.h"

namespace fencepost::fuzz {

using ModelNames = std::map<Machine, std::vector<std::string>>;
using Models = std::map<std::pair<Machine, std::string>, cat::Model>;

// Adds each model of `names`, loaded for the dialect of its programs.
inline Expected<void> add_models(const ModelNames& names, Models& to) {
  for (const auto& [machine, list] : names)
    for (const std::string& name : list) {
      const auto d = machine == Machine::vulkan ? vocab::Dialect::vulkan
                     : machine == Machine::ptx  ? vocab::Dialect::ptx
                                                : vocab::Dialect::opencl;
      auto m = cat::load_model(name, d);
      if (!m) return std::unexpected(m.error());
      to.try_emplace(std::pair{machine, name}, std::move(*m));
    }
  return {};
}

}  // namespace fencepost::fuzz
