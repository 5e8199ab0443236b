#include "cli/judge_by.h"

#include <filesystem>

#include "cat/library.h"

namespace fencepost::cli {

Expected<judge::Judge> judge_by(const Settings& s, const std::vector<judge::Observation>& seen, ModelCache& models) {
  for (const judge::Observation& o : seen)
    if (s.model.empty() || o.test.dialect == seen.front().test.dialect)
      if (const auto& m = models.get(s.model, o.test.dialect); !m) return std::unexpected(m.error());
  judge::Judge how;
  how.check.engine = s.engine;
  how.seconds_per_test = s.budget > 0 ? s.budget : 20;
  how.model_of = [&s, &models](const prog::Test& t) -> judge::NamedModel {
    // A scope that the model does not know is for check to say, as `undecided`.
    const auto& m = models.get(s.model.empty() ? default_model(t) : s.model, t.dialect);
    if (!m) return {};
    return {&*m, s.model.empty()             ? default_model(t)
                 : s.model.ends_with(".cat") ? std::filesystem::path(s.model).stem().string()
                                             : s.model};
  };
  return how;
}

}  // namespace fencepost::cli
