#pragma once
// Follows the tasks of a campaign until each is over or given up, and puts their stores together.
//
// Laws. (1) A task that ended before it was over is started again, whatever ended it. (2) It is given up after
// `retries` attempts in a row that brought no new round group, by name and with how it ended; what it has is merged
// all the same, and the answer is not that of a whole campaign. (3) A test that was lost (its process hung or died) is
// tried again in the same way, since a process that is killed from outside looks the same. (4) An engine that does not
// answer is asked again for `patience` seconds; nothing is started on a guess. One that answers and starts nothing,
// three times in a row, is an error in what it was asked.
#include "fleet/engine.h"
#include "fleet/folder.h"
#include "store/store.h"

namespace fencepost::fleet {

struct FollowOptions {
  uint32_t retries = 3;
  double patience = 1800;
};

struct Standing {  // for those who watch
  size_t tasks = 0, over = 0, running = 0, waiting = 0, given_up = 0;
  std::string note;                // why the engine could not be asked
  std::string waits_for;           // in its own word
  std::vector<std::string> ended;  // since the look before, those that ended early: "task 17: TIMEOUT on n3"
};

struct GivenUp {
  uint32_t task = 0;
  std::string why;
};

struct Followed {
  size_t tasks = 0, over_before = 0;
  uint64_t works = 0;                 // of the tasks that are over
  uint64_t started = 0;               // attempts
  std::vector<std::string> restarts;  // "task 17: TIMEOUT on n3"
  std::vector<GivenUp> given_up;
  std::vector<campaign::Problem> problems;
  store::Merged merged;
  bool stopped = false;  // by the job; nothing was merged
  std::string left;      // what becomes of the tasks then
  double seconds = 0;
};

Expected<Followed> follow(const Folder& folder, const Tasks& tasks, const std::string& campaign, Engine& engine,
                          const FollowOptions& options, Job& job, const std::function<void(const Standing&)>& on_look);

}  // namespace fencepost::fleet
