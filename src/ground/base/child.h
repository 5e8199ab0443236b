#pragma once
// A program run as a child process, without a shell: its arguments, and what it said. Output goes to a file, so that no
// pipe can fill up. A child that is still running after the limit is killed with all that it started, and so is one
// whose parent ends (process.h): between the two stands a process that leads the program's group and ends it when the
// parent is gone.
// The program's temporary files go to the folder of the output file.
#include <chrono>
#include <string>
#include <vector>

namespace fencepost {

// A folder of its own in the run's scratch folder (process.h), removed with everything in it. `path` is empty where
// none could be made.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct ChildResult {
  bool started = false, timed_out = false;
  int status = 0;      // exit status; 128 + signal
  std::string output;  // standard output and error together
  bool good() const { return started && !timed_out && status == 0; }
};
ChildResult run_child(const std::vector<std::string>& arguments, const std::string& output_file,
                      std::chrono::seconds limit);

// From now on this process starts no program: run_child says `started` false. What wants one asks first, and refuses by
// name (--untrusted).
void start_no_programs();
bool programs_can_be_started();

// The program on PATH or in one of these folders; "" where there is none.
std::string find_program(const std::string& name, const std::vector<std::string>& folders);

}  // namespace fencepost
