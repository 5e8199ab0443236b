// base/child.h where no program can be started: as after start_no_programs() elsewhere.
#include "base/child.h"

#include "base/process.h"

namespace fencepost {

ScratchFolder::ScratchFolder() : path_(new_scratch_folder()) {}
ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) remove_tree(path_.c_str());
}

ChildResult run_child(const std::vector<std::string>&, const std::string&, std::chrono::seconds) { return {}; }
void start_no_programs() {}
bool programs_can_be_started() { return false; }
std::string find_program(const std::string&, const std::vector<std::string>&) { return ""; }

}  // namespace fencepost
