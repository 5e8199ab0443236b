#pragma once
// The parts of the verb audit: what every question about a kernel says, on one page (docs/audit.md).
//
// Nothing is decided here. `prove` is asked by its own function, and what `check`, `relax` and `refine` ask, by theirs.
// The answer is a JSON document (fencepost.audit/1, docs/json.md); text, HTML, SARIF and JUnit are made of it.
//
// Laws: a finding rests on a counterexample of the whole kernel, which prove's interpreter or the reference interpreter
// has run, or it says `confirmed: false`. What was looked at within a bound alone is not decided. A question that
// is not decided is listed, with the reason, and makes the exit code 3.
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"

namespace fencepost::cli::audit {

using Json = nlohmann::ordered_json;

// What is asked of one kernel at one small launch, each within the budget: races, with the fences that are not needed
// or the smallest repair; termination with fair scheduling, and with occupancy-bound scheduling of blocks.
enum class Ask : uint8_t { races, fair, obe };
inline constexpr Ask k_asks[] = {Ask::races, Ask::fair, Ask::obe};
// In a worker. `grid` "": the file's own. The answers to the questions of one launch are merged (Json::update).
// `so_far` gets what is known before fences or a repair are looked for: what is left if the worker is ended.
Json at_launch(const std::string& path, const std::string& entry, const std::string& grid, Ask question,
               const Settings& s, const std::function<void(const Json&)>& so_far);
// Where at_launch was ended: the same object with a reason only.
Json ended_at_launch(const std::string& grid, Ask question, const std::string& why);

// Of races in rows of prove, the change of one line without which they are there and with which they are not: `mend` of
// the finding, `line` and `text`. `prove` has the rows of the changed file, none where its time is over; places in it
// are of `path`.
void mend(std::vector<Json>& rows, const std::string& path, const std::string& text,
          const std::function<std::vector<Json>(const std::string& changed)>& prove);

// A kernel's rows of prove (objects of fencepost.prove/1) and its small launches as one entry of the page.
Json kernel_entry(const std::string& path, const std::string& name, const std::vector<Json>& proved,
                  const std::vector<Json>& small);

// ---- the page ----------------------------------------------------------------------------------------------------
// Gives each finding `source`: the lines of its places (`line`, `text`), each once, of the file at `path`, whose text
// is `content`.
void quote(Json& kernel, const std::string& path, const std::string& content);
// Numbers over all files, and the exit code.
void count(Json& page);
std::string text_of(const Json& page);
std::string html_of(const Json& page);

// ---- known findings ----------------------------------------------------------------------------------------------
// A baseline: one finding a line, known by kind, file, kernel and the text of its line, not by its number.
Expected<std::vector<std::string>> read_baseline(const std::string& path);
std::string baseline_of(const Json& page);
// Marks what the baseline has, and returns how many of its lines match nothing.
size_t mark_known(Json& page, const std::vector<std::string>& baseline);

// ---- answers that are kept ---------------------------------------------------------------------------------------
// In a folder, by the hash of what an answer depends on: the file and what it includes, options, the texts of the
// models, the program itself. A file that is not as it was written is no answer. Files whose includes cannot be
// followed are asked anew.
class Cache {
 public:
  Cache(std::string folder, const Settings& s);
  // What distinguishes the answer about this file; "" where that is not known.
  std::string key(const std::string& path, const std::string& question) const;
  std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, const std::string& answer) const;

 private:
  std::string folder_, program_, options_;
  std::vector<std::string> include_folders_;
  bool off_ = false;
};

}  // namespace fencepost::cli::audit
