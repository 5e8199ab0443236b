#pragma once
// One task of a campaign, in this process: what `fencepost campaign FOLDER --task K` does on whichever machine it runs.
#include "fleet/folder.h"

namespace fencepost::fleet {

struct TaskReport {
  bool over_before = false;  // another attempt has done everything
  uint64_t works = 0, finished_before = 0;
  campaign::Report report;
  std::vector<std::string> warnings;  // attempts that cannot be read, and whose work is done again
};

// Begins with the rows that the campaign's store and the attempts before have. A task that is stopped by the job has
// kept its round groups; one that comes to its end is `done`.
Expected<TaskReport> run_task(const Folder& folder, const Tasks& tasks, uint32_t task, const ReadTest& read, Job& job,
                              const std::function<void(const campaign::Progress&)>& on_progress);

// Rows of the campaign in a store; none where it cannot be read.
size_t rows_of(const std::string& store, const std::string& campaign);

}  // namespace fencepost::fleet
