#include "store/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/job.h"

using namespace fencepost;
using namespace fencepost::store;

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fencepost-store-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* file) const { return path_ + "/" + file; }

 private:
  std::string path_;
};

Record record(uint32_t group, const std::string& test = "SB") {
  Record r;
  r.campaign = "c";
  r.test = test;
  r.test_hash = hash_of(test);
  r.device = "cpu";
  r.configuration = "default";
  r.group = group;
  r.driver = "d 1";
  r.binary_hash = "b";
  r.plan_hash = "p";
  r.what_ran = "as-written";
  r.evidence = "as-written";
  r.parameters = "stride=4";
  r.launches = 2;
  r.incomplete = 3;
  r.filtered = 4;
  r.waits = 5;
  r.seed = 0xfedcba9876543210u;
  r.rounds = 10;
  r.instances = 100;
  r.corrupt = 1;
  r.time_outs = 2;
  r.seconds = 0.25;
  r.device_seconds = 0.125;
  r.finished_ms = 1'700'000'000'123;
  r.states = {{"0:r0=0; 1:r1=0;", 3}, {"0:r0=1; 1:r1=0;", 96 + group}};
  r.series = {{1, 0, 0, 7}, {0, 1, 4'000'000'000u, 5}};
  r.series_lost = 1;
  return r;
}

ProgressRecord progress(uint32_t run) {
  ProgressRecord r;
  r.campaign = "c";
  r.test = "2t3i 4";
  r.test_hash = hash_of(r.test);
  r.device = "cuda X";
  r.mapping = "chunked";
  r.variant = "inter-workgroup";
  r.run = run;
  r.outcome = "starved";
  r.starved = "0,2";
  r.seed = run;
  r.instances = 32766;
  r.starved_instances = 9;
  r.seconds = 0.1;
  r.finished_ms = 1;
  return r;
}

template <class T>
T value(Expected<T> e) {
  if (!e) throw std::runtime_error(render(e.error()));
  return std::move(*e);
}

TEST(Store, RowsComeBackWhole) {
  Folder dir;
  {
    Store s = value(Store::open(dir / "a.db"));
    EXPECT_TRUE(value(s.add(record(1))));
    EXPECT_TRUE(value(s.add(record(0))));
    EXPECT_TRUE(value(s.add(record(0, "MP"))));
    EXPECT_TRUE(value(s.add(progress(3))));
  }
  Store s = value(Store::open(dir / "a.db", true));
  EXPECT_EQ(value(s.records()), (std::vector{record(0, "MP"), record(0), record(1)}));
  EXPECT_EQ(value(s.records({.test = "SB"})), (std::vector{record(0), record(1)}));
  EXPECT_EQ(value(s.records({.device = "cuda"})), std::vector<Record>{});
  EXPECT_EQ(value(s.progress_records()), std::vector{progress(3)});
  EXPECT_TRUE(value(s.has(record(1))));
  EXPECT_FALSE(value(s.has(record(2))));
  EXPECT_FALSE(value(s.has(progress(2))));
}

Trial trial(const std::string& configuration, uint32_t part = 0) {
  Trial t;
  t.campaign = "c";
  t.purpose = "explore";
  t.test = "SB";
  t.test_hash = hash_of(t.test);
  t.device = "cuda X";
  t.configuration = configuration;
  t.part = part;
  t.driver = "d 1";
  t.binary_hash = "b";
  t.plan_hash = "p";
  t.what_ran = "as-written";
  t.evidence = "as-written";
  t.parameters = "stride=4,groups=3..9";
  t.mode = "parallel";
  t.seed = 0xfedcba9876543210u;
  t.rounds = {{100, 0, 1, 2}, {128, 127, 16383, 16384}, {~uint64_t{0} / 4, 1, 0, 0}};
  t.states = {{"0:r0=0; 1:r1=0;", 128}, {"0:r0=1; 1:r1=0;", 1}};
  t.corrupt = 1;
  t.incomplete = 2;
  t.filtered = 3;
  t.waits = 4;
  t.time_outs = 5;
  t.seconds = 0.5;
  t.finished_ms = 1'700'000'000'123;
  return t;
}

TEST(Store, TrialsComeBackAsTheyWere) {
  Folder dir;
  {
    Store s = value(Store::open(dir / "a.db"));
    for (const char* c : {"10", "9", "none"}) EXPECT_TRUE(value(s.add(trial(c))));
    EXPECT_TRUE(value(s.add(trial("9", 1))));
    EXPECT_FALSE(value(s.add(trial("9", 1))));
  }
  Store s = value(Store::open(dir / "a.db", true));
  EXPECT_EQ(value(s.trials()), (std::vector{trial("9"), trial("9", 1), trial("10"), trial("none")}));
  EXPECT_EQ(value(s.trials({.configuration = "9"})).size(), 2u);
  EXPECT_EQ(value(s.trials({.purpose = "search"})), std::vector<Trial>{});
  EXPECT_EQ(trial("9").events(), 128u);
  Store b = value(Store::open(dir / "b.db"));
  EXPECT_EQ(value(b.merge(dir / "a.db")), (Merged{4, 0, 0}));
  EXPECT_EQ(value(b.merge(dir / "a.db")), (Merged{0, 4, 0}));
}

// Stores of version 1 had no trials; opening one adds the table and keeps what is there.
TEST(Store, OlderStoresAreReadAndExtended) {
  Folder dir;
  {
    Store s = value(Store::open(dir / "a.db"));
    value(s.add(record(0)));
  }
  ASSERT_EQ(std::system(fmt::format("sqlite3 '{}' 'drop table trials; alter table groups drop column frame_missing; pragma user_version = 1' 2>/dev/null || "
                                    "python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.executescript(\"drop table "
                                    "trials; alter table groups drop column frame_missing; pragma user_version = 1\")' '{}'",
                                    dir / "a.db", dir / "a.db")
                            .c_str()),
            0);
  Store s = value(Store::open(dir / "a.db", true));
  EXPECT_EQ(value(s.records()), std::vector{record(0)});
  EXPECT_EQ(value(s.trials()), std::vector<Trial>{});
  EXPECT_TRUE(value(s.add(trial("1"))));
}

TEST(Store, AKeyIsThereOnce) {
  Folder dir;
  Store s = value(Store::open(dir / "a.db"));
  EXPECT_TRUE(value(s.add(record(0))));
  Record again = record(0);
  again.instances = 7;
  again.states = {{"x=1;", 7}};
  EXPECT_FALSE(value(s.add(again)));
  EXPECT_EQ(value(s.records()), std::vector{record(0)});
  EXPECT_TRUE(value(s.add(progress(0))));
  EXPECT_FALSE(value(s.add(progress(0))));
}

TEST(Store, MergeAddsWhatIsMissingAndCountsWhatDiffers) {
  Folder dir;
  Store a = value(Store::open(dir / "a.db"));
  {
    Store b = value(Store::open(dir / "b.db"));
    value(b.add(record(0)));
    value(b.add(record(1)));
    Record other = record(2);
    other.seed = 5;
    value(b.add(other));
    value(b.add(progress(0)));
    ASSERT_TRUE(b.remember_plan("c", "plan"));
  }
  value(a.add(record(0)));
  value(a.add(record(2)));
  EXPECT_EQ(value(a.merge(dir / "b.db")), (Merged{2, 1, 1}));
  EXPECT_EQ(value(a.records()), (std::vector{record(0), record(1), record(2)}));
  EXPECT_EQ(value(a.plan("c")), "plan");
  EXPECT_EQ(value(a.merge(dir / "b.db")), (Merged{0, 3, 1}));
}

TEST(Store, ACampaignKeepsItsPlan) {
  Folder dir;
  Store s = value(Store::open(dir / "a.db"));
  EXPECT_EQ(value(s.plan("c")), std::nullopt);
  EXPECT_TRUE(s.remember_plan("c", "one"));
  EXPECT_TRUE(s.remember_plan("c", "one"));
  const auto changed = s.remember_plan("c", "two");
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().list.front().message.find("campaign 'c' was begun under another plan"), std::string::npos);
  EXPECT_TRUE(s.remember_plan("d", "two"));
}

TEST(Store, TestsAreKeptAsText) {
  Folder dir;
  Store s = value(Store::open(dir / "a.db"));
  const std::string text = "PTX t\n{ }\n";
  EXPECT_EQ(value(s.test(hash_of(text))), std::nullopt);
  EXPECT_TRUE(s.remember_test(hash_of(text), text));
  EXPECT_TRUE(s.remember_test(hash_of(text), text));
  EXPECT_EQ(value(s.test(hash_of(text))), text);
}

TEST(Store, OtherFilesAreRefused) {
  Folder dir;
  std::ofstream(dir / "text") << "this is no database, and long enough to be looked at: ................................................";
  const auto text = Store::open(dir / "text");
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().list.front().message.find("is not a"), std::string::npos);
  EXPECT_FALSE(Store::open(dir / "missing", true));
  EXPECT_FALSE(std::filesystem::exists(dir / "missing"));
  EXPECT_FALSE(Store::open(dir / "no/such/folder.db"));
}

// A process that adds rows in turn is killed at a random moment, twenty times, and started again: what it said it had
// added is there, whole, and nothing twice.
TEST(Store, KilledWritersLoseAndRepeatNothing) {
  Folder dir;
  const std::string path = dir / "a.db";
  value(Store::open(path));
  Rng rng(7);
  uint32_t reported = 0;
  for (int round = 0; round < 20; ++round) {
    int fds[2];
    ASSERT_EQ(pipe(fds), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto s = Store::open(path);
      if (!s) _exit(3);
      for (uint32_t i = 0; i < 100000; ++i) {
        const Record r = record(i);
        const auto there = s->has(r);
        if (!there) _exit(4);
        if (*there) continue;
        if (!s->add(r)) _exit(5);
        if (write(fds[1], &i, sizeof i) != sizeof i) _exit(6);
      }
      _exit(0);
    }
    close(fds[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(2000 + rng.below(30000)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    uint32_t last = 0;
    while (read(fds[0], &last, sizeof last) == sizeof last) {
      EXPECT_GE(last, reported);  // never an index that an earlier process had finished
      reported = last + 1;
    }
    close(fds[0]);
    Store s = value(Store::open(path, true));
    const auto rows = value(s.records());
    ASSERT_GE(rows.size(), reported);
    for (uint32_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], record(i));
    reported = static_cast<uint32_t>(rows.size());
  }
  EXPECT_GT(reported, 20u);
}

TEST(Store, TwoWritersWaitForEachOther) {
  Folder dir;
  const std::string path = dir / "a.db";
  value(Store::open(path));
  const auto work = [&](const char* test) {
    Store s = value(Store::open(path));
    for (uint32_t i = 0; i < 200; ++i) value(s.add(record(i, test)));
  };
  std::thread a(work, "A"), b(work, "B");
  a.join();
  b.join();
  EXPECT_EQ(value(value(Store::open(path)).records()).size(), 400u);
}

TEST(Store, ShardsAreAPartition) {
  const uint32_t n = 7;
  std::vector<uint32_t> work(n, 0);
  for (int k = 0; k < 7000; ++k) {
    uint32_t takers = 0;
    for (uint32_t i = 1; i <= n; ++i)
      if (Shard{i, n}.takes(fmt::format("test {}", k))) {
        ++takers;
        ++work[i - 1];
      }
    ASSERT_EQ(takers, 1u);
  }
  for (const uint32_t w : work) EXPECT_NEAR(w, 1000, 150);
  EXPECT_EQ(value(parse_shard("3/8")).index, 3u);
  for (const char* bad : {"", "3", "0/8", "9/8", "1/0", "a/b", "1/8x", "-1/8", "99999999999999999999/1"}) EXPECT_FALSE(parse_shard(bad)) << bad;
}

}  // namespace
