#pragma once
// A campaign in tasks: processes on this machine or jobs of a cluster, each of which does its share and nothing else.
// All that they have in common is a folder, so that nothing is lost with a process, a node or the program that follows
// them:
//
//   tasks.json        the plan, the tests and who does what; written once, never changed
//   task-17.3.db      the third attempt at task 17: a store of its own
//   task-17.done      task 17 is over: which attempt has everything, and what was refused or lost
//   task-17.log       what task 17 printed
//
// Laws. (1) A file is there whole or not at all, but for the attempts, which are stores (store.h). (2) An attempt
// writes to its own store alone and begins with the round groups of the attempts before it. So two attempts at one
// task may run at the same time, as they do when a node that was given up is still at work: they do the same twice,
// and neither spoils the other's rows. (3) The first attempt that has everything makes the task's `done`; all rows of
// the task are taken from that attempt. (4) Tests are decided once, where the folder is made: a node that decides more
// slowly than another has no other list of weakenings.
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "campaign/conduct.h"
#include "campaign/plan_file.h"
#include "prog/test.h"

namespace fencepost::fleet {

struct Piece {  // one test on one device, under all configurations
  std::string test_hash, device;
  bool operator==(const Piece&) const = default;
};

struct Tasks {
  std::string version;                       // of the program that made the folder, and of those that work in it
  std::string id;                            // names its jobs in a queue: no two folders have the same
  std::string plan_name, plan;               // the plan's file and text
  std::string store;                         // where all comes together; absolute
  std::vector<std::string> own;              // hashes of the plan's tests, without weakenings
  std::map<std::string, std::string> tests;  // hash -> text
  std::vector<std::vector<Piece>> tasks;     // of task K: tasks[K - 1]
};

using ReadTest = std::function<Expected<prog::Test>(const std::string& text)>;

inline constexpr uint32_t k_most_tasks = 1000;  // a scheduler's array has no more by default (MaxArraySize)

// Shares what a plan asks for among `count` tasks. Error: a test whose text does not read back as the same test.
Expected<Tasks> share_out(const campaign::Plan& plan, const std::vector<prog::Test>& tests, size_t own, uint32_t count,
                          const ReadTest& read);

// What a task reported when it was over.
struct Done {
  std::string store;  // the file's name in the folder
  uint64_t works = 0;
  std::vector<campaign::Problem> problems;
  bool lost() const;  // some test was lost, and another attempt may have it
};

class Folder {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string log(uint32_t task) const;

  bool there() const;                         // tasks.json is
  Expected<void> make(const Tasks& t) const;  // the folder too
  Expected<Tasks> tasks() const;

  // Held by the one program that follows the tasks, until the process ends. Error: another one holds it.
  Expected<void> hold();

  // The name of a new attempt's store, an empty file, and the names of those before it, the newest first.
  Expected<std::string> begin(uint32_t task, std::vector<std::string>& before) const;
  std::vector<std::string> attempts(uint32_t task) const;  // the newest first
  // Nothing where another attempt was over first.
  Expected<void> finish(uint32_t task, const Done& done) const;
  std::set<uint32_t> finished() const;
  Expected<Done> done(uint32_t task) const;
  void forget_done(uint32_t task) const;
  // Removes the attempts but `kept`.
  void clear(uint32_t task, const std::string& kept) const;

 private:
  Expected<void> publish(const std::string& name, const std::string& text, bool first_wins) const;
  std::string path_;
  int held_ = -1;
};

}  // namespace fencepost::fleet
