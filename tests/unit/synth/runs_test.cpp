// Jobs, interruption, the state file, accounting for published tests.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "synth/synth.h"

namespace fencepost::synth {
namespace {

struct Delivered {
  std::optional<Summary> summary;
  std::string text, fault;
};

Delivered deliver(const Request& r, const Options& o, Job job = {}) {
  Delivered d;
  const auto s = synthesise(r, o, job, [&](const Found& f) {
    d.text += f.test.name + " " + list_line(f.test) + " " + std::to_string(f.labelled) + " " +
              std::to_string(f.size.states) + " " + std::to_string(f.size.actions) + " " + f.idiom + "\n";
    for (const auto& v : f.verdicts) d.text += v.strong ? "S" : v.weak ? "W" : "-";
  });
  if (s) {
    d.summary = *s;
  } else {
    d.fault = render(s.error());
  }
  return d;
}

// Six units and some thousand tests, in about ten milliseconds.
Request several_units() {
  Request r;
  r.threads = 3;
  r.instructions = 4;
  return r;
}

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fencepost-synth-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}
void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

TEST(Jobs, DoNotChangeTheOutput) {
  Options one, two, seven;
  two.jobs = 2;
  seven.jobs = 7;
  const Delivered a = deliver(several_units(), one);
  EXPECT_GT(a.summary->units, 3u);
  EXPECT_EQ(deliver(several_units(), two).text, a.text);
  EXPECT_EQ(deliver(several_units(), seven).text, a.text);
  EXPECT_EQ(deliver(several_units(), one).text, a.text);
}

TEST(Jobs, ReportProgressToTheEnd) {
  uint64_t last = 0, total = 0;
  Options o;
  o.jobs = 2;
  o.progress = [&](uint64_t done, uint64_t of) {
    EXPECT_EQ(done, last + 1);
    last = done;
    total = of;
  };
  const Delivered d = deliver(several_units(), o);
  EXPECT_EQ(last, total);
  EXPECT_EQ(total, d.summary->units);
}

TEST(Jobs, ACancelledRunIsNotComplete) {
  const std::string whole = deliver(several_units(), {}).text;
  std::atomic<bool> cancelled = false;
  Options o;
  o.progress = [&](uint64_t done, uint64_t) { cancelled = done >= 2; };
  Job job;
  job.cancelled = &cancelled;
  const Delivered d = deliver(several_units(), o, job);
  ASSERT_TRUE(d.summary);
  EXPECT_FALSE(d.summary->complete());
  EXPECT_EQ(d.summary->units_done, 2u);
  EXPECT_LT(d.text.size(), whole.size());
  EXPECT_TRUE(whole.starts_with(d.text));
}

TEST(Resume, AfterEveryKindOfTruncation) {
  const Folder folder;
  Options o;
  o.state_file = folder.file("state");
  const Delivered whole = deliver(several_units(), o);
  ASSERT_TRUE(whole.summary) << whole.fault;
  EXPECT_EQ(whole.summary->units_resumed, 0u);
  const std::string state = read(o.state_file);
  Rng rng(20211);
  std::vector<size_t> cuts = {0, 1, 5, state.find('\n'), state.find('\n') + 1, state.size() - 1, state.size()};
  for (int k = 0; k < 6; ++k) cuts.push_back(rng.below(state.size()));
  for (const size_t cut : cuts) {
    write(o.state_file, state.substr(0, cut));
    const Delivered again = deliver(several_units(), o);
    ASSERT_TRUE(again.summary) << again.fault;
    EXPECT_EQ(again.text, whole.text) << cut;
    EXPECT_TRUE(again.summary->complete());
    EXPECT_EQ(again.summary->canonical, whole.summary->canonical);
    EXPECT_EQ(again.summary->labelled, whole.summary->labelled);
    EXPECT_EQ(read(o.state_file), state) << cut;  // with one worker, units finish in order
    if (cut == state.size()) {
      EXPECT_EQ(again.summary->units_resumed, whole.summary->units);
    }
  }
}

TEST(Resume, VerdictsAreDecidedAnew) {
  const Folder folder;
  Options o;
  o.state_file = folder.file("state");
  Request r = several_units();
  r.instructions = 3;
  deliver(r, o);
  o.models = {*fair::load_model("hsa"), *fair::load_model("fair")};
  const Delivered resumed = deliver(r, o);
  ASSERT_TRUE(resumed.summary) << resumed.fault;
  EXPECT_EQ(resumed.summary->units_resumed, resumed.summary->units);
  o.state_file.clear();
  EXPECT_EQ(resumed.text, deliver(r, o).text);
}

TEST(Resume, SurvivesKills) {
  const Folder folder;
  Options o;
  o.jobs = 2;
  o.state_file = folder.file("state");
  const std::string whole = deliver(several_units(), {}).text;
  Rng rng(7);
  int killed = 0;
  for (int round = 0; round < 8; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      deliver(several_units(), o);
      _exit(0);
    }
    usleep(static_cast<useconds_t>(round == 0 ? 0 : rng.below(10'000)));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status) ? 1 : 0;
  }
  EXPECT_GT(killed, 0);
  const Delivered last = deliver(several_units(), o);
  ASSERT_TRUE(last.summary) << last.fault;
  EXPECT_EQ(last.text, whole);
  EXPECT_TRUE(last.summary->complete());
}

TEST(Resume, OtherFilesAreRefusedAndKept) {
  const Folder folder;
  Options o;
  o.state_file = folder.file("state");
  Request r;
  r.instructions = 3;
  deliver(r, o);
  const std::string state = read(o.state_file);

  Request other = r;
  other.older_stores = true;
  EXPECT_NE(deliver(other, o).fault.find("not a state file of this request"), std::string::npos);
  Options counts = o;
  counts.count_only = true;
  EXPECT_NE(deliver(r, counts).fault.find("not a state file of this request"), std::string::npos);
  EXPECT_EQ(read(o.state_file), state);

  std::string damaged = state;
  const size_t second = damaged.find('\n') + 8;
  damaged[second] = damaged[second] == '1' ? '2' : '1';
  write(o.state_file, damaged);
  const std::string fault = deliver(r, o).fault;
  EXPECT_NE(fault.find("state:2:1: error: this line of the state file is damaged"), std::string::npos) << fault;
  EXPECT_EQ(read(o.state_file), damaged);

  write(o.state_file, "dear diary");
  EXPECT_NE(deliver(r, o).fault.find("not a state file"), std::string::npos);
  EXPECT_EQ(read(o.state_file), "dear diary");

  write(o.state_file, state);
  const int held = open(o.state_file.c_str(), O_RDWR);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  EXPECT_NE(deliver(r, o).fault.find("in use by another process"), std::string::npos);
  close(held);
  EXPECT_EQ(deliver(r, o).fault, "");

  o.state_file = folder.file("no/such/folder");
  EXPECT_NE(deliver(r, o).fault.find("cannot be opened"), std::string::npos);
}

// ---- the published tests -------------------------------------------------------------------------------------------

TEST(Published, EveryTestIsAccountedFor) {
  const char* data = std::getenv("FENCEPOST_PROGRESS_DATA");
  if (data == nullptr)
    GTEST_SKIP()
        << "set FENCEPOST_PROGRESS_DATA to the folder of progress-tests.jsonl to account for the 483 published tests";
  const auto tests = axb::parse_file(std::string(data) + "/progress-tests.jsonl");
  ASSERT_TRUE(tests.has_value()) << render(tests.error());
  ASSERT_EQ(tests->size(), 483u);
  Job job;
  const auto accounts = account(*tests, job);
  ASSERT_TRUE(accounts.has_value()) << render(accounts.error());
  std::map<std::string, std::array<int, 4>> rows;  // tests, in the complete set, only in the older one, in neither
  int same_text = 0, renamed = 0;
  std::vector<std::string> older;
  for (const Account& a : *accounts) {
    auto& row = rows[a.config];
    ++row[0];
    ++row[a.current ? 1 : a.older ? 2 : 3];
    if (!a.current && a.older) older.push_back(a.test);
    EXPECT_TRUE(a.older || !a.current) << a.test;
    if (!a.duplicate_of.empty()) ++same_text;
    if (!a.renaming_of.empty()) ++renamed;
  }
  using Row = std::array<int, 4>;
  EXPECT_EQ(rows["2t2i"], (Row{8, 8, 0, 0}));
  EXPECT_EQ(rows["2t3i"], (Row{176, 162, 14, 0}));
  EXPECT_EQ(rows["2t4i"], (Row{173, 173, 0, 0}));
  EXPECT_EQ(rows["3t3i"], (Row{21, 21, 0, 0}));
  EXPECT_EQ(rows["3t4i"], (Row{105, 105, 0, 0}));
  EXPECT_EQ(same_text, 6);
  EXPECT_EQ(483 - same_text - renamed, 463);
  std::cout << to_table(*accounts);
}

}  // namespace
}  // namespace fencepost::synth
