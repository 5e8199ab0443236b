#include "cli/readings.h"

#include <algorithm>

#include "cat/library.h"
#include "cli/verbs.h"
#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::cli {
namespace {

vocab::TagSet tags_of(const prog::Test& test) {
  vocab::TagSet all;
  for (const prog::Template& k : test.templates)
    for (const prog::Instr& i : k.code) all = all | i.tags | i.store_tags;
  return all;
}

bool has_all(const vocab::TagSet& tags, const std::vector<std::string>& needed) {
  return std::all_of(needed.begin(), needed.end(), [&](const std::string& name) {
    const auto tag = vocab::find_tag(name);
    return tag && tags.has(*tag);
  });
}

}  // namespace

std::vector<report::OtherReading> other_readings(const prog::Test& test, const cat::Model& model,
                                                 const check::Options& options, const Settings& settings,
                                                 ModelCache& models) {
  const vocab::TagSet tags = tags_of(test);
  std::vector<report::OtherReading> out;
  for (const cat::Reading& r : cat::readings_of(model.path)) {
    auto at = std::find_if(out.begin(), out.end(), [&](const auto& o) { return o.model == r.model; });
    if (at == out.end()) {
      at = out.insert(out.end(), {r.model, {Status::unsupported, "the model cannot be read"}, {}});
      const auto other = models.get(r.model, test);
      if (other) {
        Job job = job_of(settings);
        at->verdict = check::check(test, **other, options, job).verdict;
      }
    }
    if (has_all(tags, r.needs)) at->sentences.push_back(r.sentence);
  }
  return out;
}

}  // namespace fencepost::cli
