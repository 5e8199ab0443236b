#include "cli/judge_by.h"

#include <filesystem>

#include "cat/library.h"

namespace fencepost::cli {

Expected<study::Judge> judge_by(const Settings& s, const std::vector<study::Observation>& seen, ModelCache& models) {
  for (const study::Observation& o : seen)
    if (s.model.empty() || o.test.dialect == seen.front().test.dialect)
      if (const auto& m = models.get(s.model, o.test.dialect); !m) return std::unexpected(m.error());
  study::Judge how;
  how.check.engine = s.engine;
  how.seconds_per_test = s.budget > 0 ? s.budget : 20;
  how.model_of = [&s, &models](const prog::Test& t) -> study::NamedModel {
    const auto& m = models.get(s.model, t.dialect);
    if (!m) return {};
    return {&*m, s.model.empty() ? cat::default_model(t.dialect) : std::filesystem::path(s.model).stem().string()};
  };
  return how;
}

}  // namespace fencepost::cli
