#include "store/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
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
  r.instances = 107 + group;
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

TEST(Store, DatabasesAreKnownByTheirFirstBytes) {
  Folder folder;
  const std::string base = folder / "a.db", table = folder / "t.csv", pipe = folder / "pipe";
  ASSERT_TRUE(Store::open(base));
  std::ofstream(table) << "a,b";  // shorter than the first bytes of a database
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(is_database(base));
  EXPECT_FALSE(is_database(table));
  EXPECT_FALSE(is_database(pipe));  // not opened: nobody may ever write to it
  EXPECT_FALSE(is_database(folder / "absent"));
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

// What a stranger, or an older version of this program, may do to the file.
void change(const std::string& path, const std::string& sql) {
  const std::string script = path + ".sql";
  std::ofstream(script) << sql;
  ASSERT_EQ(std::system(fmt::format("python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); "
                                    "d.executescript(open(sys.argv[2]).read())' '{}' '{}'",
                                    path, script)
                            .c_str()),
            0)
      << sql;
  std::filesystem::remove(script);
}

std::string why(const auto& e) { return e ? "" : e.error().list.front().message; }
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr const char* k_to_3 =
    "drop table tallies; alter table groups drop column checksum; alter table progress_runs drop column checksum; "
    "alter table plans drop column checksum; alter table tests drop column checksum; pragma user_version = 3;";
constexpr const char* k_trials_to_3 = "alter table trials drop column checksum;";
constexpr const char* k_to_2 = "alter table groups drop column frame_missing; pragma user_version = 2;";
constexpr const char* k_to_1 = "drop table trials; pragma user_version = 1;";

// Stores of version 1 had no trials, of 1 and 2 no frame_missing, of 1 to 3 no checksums. Reading leaves the file alone
// and says so; opening it for more rows adds what is missing.
TEST(Store, OlderStoresAreReadAndExtended) {
  for (const int version : {1, 2, 3}) {
    Folder dir;
    const std::string path = dir / "a.db";
    {
      Store s = value(Store::open(path));
      value(s.add(record(0)));
      value(s.add(trial("1")));
      ASSERT_TRUE(s.remember_plan("c", "plan"));
      EXPECT_EQ(s.warning(), "");
    }
    change(path, std::string(k_to_3) + k_trials_to_3 + (version < 3 ? k_to_2 : "") + (version < 2 ? k_to_1 : ""));
    const std::vector<Trial> trials = version < 2 ? std::vector<Trial>{} : std::vector{trial("1")};
    for (int twice = 0; twice < 2; ++twice) {
      Store s = value(Store::read(path));
      EXPECT_TRUE(has(s.warning(), fmt::format("is of version {} of the format", version))) << s.warning();
      EXPECT_EQ(value(s.records()), std::vector{record(0)});
      EXPECT_EQ(value(s.trials()), trials);
      EXPECT_EQ(value(s.plan("c")), "plan");
    }
    {
      Store s = value(Store::open(path, true));
      EXPECT_TRUE(has(s.warning(), "without checksums")) << s.warning();
      EXPECT_EQ(value(s.records()), std::vector{record(0)});
      EXPECT_TRUE(value(s.add(trial("2"))));
      EXPECT_TRUE(value(s.add(record(1))));
    }
    Store s = value(Store::read(path));
    EXPECT_EQ(s.warning(), "");
    EXPECT_EQ(value(s.records()), (std::vector{record(0), record(1)}));
    EXPECT_EQ(value(s.plan("c")), "plan");
  }
}

// One bit of the file after another: either what comes back is what was written, or it is refused.
TEST(Store, AFlippedBitIsNeverAnotherAnswer) {
  Folder dir;
  const std::string path = dir / "a.db", bad = dir / "b.db";
  std::vector<Record> records;
  {
    Store s = value(Store::open(path));
    for (uint32_t k = 0; k < 40; ++k) {
      records.push_back(record(k));
      value(s.add(records.back()));
    }
    value(s.add(progress(0)));
    value(s.add(trial("1")));
    ASSERT_TRUE(s.remember_plan("c", "plan"));
    ASSERT_TRUE(s.remember_test("h", "test"));
  }
  std::ifstream in(path, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  ASSERT_FALSE(std::filesystem::exists(path + "-wal"));
  Rng rng(3);
  uint32_t refused = 0;
  for (int k = 0; k < 400; ++k) {
    std::string bytes = good;
    const uint64_t bit = rng.below(8 * good.size());
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    std::ofstream(bad, std::ios::binary | std::ios::trunc) << bytes;
    const auto s = Store::read(bad);
    if (!s) {
      ++refused;
      continue;
    }
    EXPECT_EQ(s->warning(), "") << bit;
    const auto r = s->records();
    const auto p = s->progress_records();
    const auto t = s->trials();
    const auto plan = s->plan("c"), test = s->test("h");
    if (r) EXPECT_EQ(*r, records) << bit;
    if (p) EXPECT_EQ(*p, std::vector{progress(0)}) << bit;
    if (t) EXPECT_EQ(*t, std::vector{trial("1")}) << bit;
    if (plan && *plan) EXPECT_EQ(**plan, "plan") << bit;
    if (test && *test) EXPECT_EQ(**test, "test") << bit;
    refused += !r || !p || !t || !plan || !test;
  }
  EXPECT_GT(refused, 50u) << "some bits are of bytes that nobody reads";
}

TEST(Store, DamagedRowsAreNamedAndNotUsed) {
  struct Case {
    const char *sql, *said;
  };
  for (const Case& c : {
           Case{"update states set count = count + 1 where rowid in (select 1) or group_id = 2 and count = 3",
                "group 1"},
           Case{"update groups set what_ran = 'dropped' where id = 1",
                "row 1 of 'groups' (SB on cpu, default, group 0)"},
           Case{"delete from groups where id = 3", "'groups' has 3 rows, and not those 4 that were written"},
           Case{"delete from progress_runs", "'progress_runs' has 0 rows"},
           Case{"update progress_runs set outcome = 'terminated'", "row 1 of 'progress_runs'"},
           Case{"update trials set seconds = 1e300", "row 1 of 'trials'"},
       }) {
    Folder dir;
    const std::string path = dir / "a.db";
    {
      Store s = value(Store::open(path));
      for (uint32_t k = 0; k < 4; ++k) value(s.add(record(k)));
      value(s.add(progress(0)));
      value(s.add(trial("1")));
    }
    std::string sql = c.sql;
    if (const size_t at = sql.find("rowid in (select 1) or "); at != std::string::npos) sql.erase(at, 23);
    change(path, sql);
    const auto s = value(Store::read(path));
    const std::string all = why(s.records()) + why(s.progress_records()) + why(s.trials());
    EXPECT_TRUE(has(all, c.said)) << all;
    Store other = value(Store::open(dir / "b.db"));
    EXPECT_FALSE(other.merge(path));
    EXPECT_TRUE(value(other.records()).empty() && value(other.progress_records()).empty() &&
                value(other.trials()).empty())
        << "a merge that fails adds nothing";
  }
}

// Checksums can be made by anybody. Stores of version 3 stand for those whose checksums fit.
TEST(Store, HostileStoresAreRefusedByName) {
  struct Case {
    const char *sql, *said;
  };
  for (const Case& c : {
           Case{"create trigger t after insert on states begin delete from groups; end", "it has the trigger 't'"},
           Case{"alter table groups rename to g; create view groups as select * from g", "which a store has not"},
           Case{"create view v as select 1", "it has the view 'v'"},
           Case{"create table more(x)", "it has the table 'more'"},
           Case{"create index i on groups(test)", "it has the index 'i'"},
           Case{"alter table states add column more generated always as (count + 1) virtual", "generated"},
           Case{"drop table states; create table states(group_id integer, state text, count integer)",
                "its table 'states'"},
           Case{"drop table tests", "it has no table 'tests'"},
           Case{
               "drop table tests; create table tests(hash text primary key, text text not null check(1)) without rowid",
               "check("},
           Case{"drop table tests; create table tests(hash text primary key collate nocase, text text not null) "
                "without rowid",
                "collate"},
           Case{"pragma user_version = 99", "has version 99"},
           Case{"update groups set instances = -1", "its instances is 18446744073709551615, which is not a count"},
           Case{"update groups set instances = 9223372036854775807", "which is not a count"},
           Case{"update groups set instances = 1", "its counts do not add up to its instances"},
           Case{"update states set count = 4611686018427387904", "its counts do not add up"},
           Case{"update groups set instances = 'many'", "its instances is a text, not a whole number"},
           Case{"update groups set test = x'00'", "its test is bytes, not a text"},
           Case{"update groups set seconds = 9e999", "its seconds is inf"},
           Case{"update groups set seconds = -1", "its seconds is -1"},
           Case{"update groups set series = x'000102'", "its series is none"},
           Case{"update groups set round_group = 4294967296 where id = 1", "its round_group is 4294967296"},
           Case{"update progress_runs set starved_instances = instances + 1", "more instances starved than ran"},
           Case{"update trials set rounds = x'ffffffffffffffffffffffffffffff'", "its rounds are none"},
           Case{"update trials set states = 'x'", "its states are none"},
           Case{"update trials set instances = 5", "its sums are not those of its rounds"},
       }) {
    Folder dir;
    const std::string path = dir / "a.db";
    {
      Store s = value(Store::open(path));
      for (uint32_t k = 0; k < 2; ++k) value(s.add(record(k)));
      value(s.add(progress(0)));
      value(s.add(trial("1")));
    }
    change(path, std::string(k_to_3) + k_trials_to_3 + c.sql);
    const auto s = Store::read(path);
    const std::string all = s ? why(s->records()) + why(s->progress_records()) + why(s->trials()) : why(s);
    EXPECT_TRUE(has(all, c.said)) << c.sql << "\n" << all;
    EXPECT_FALSE(Store::open(path, true)) << c.sql;
    std::string warning;
    EXPECT_FALSE(merge_files(dir / "b.db", {path}, warning)) << c.sql;
    EXPECT_FALSE(std::filesystem::exists(dir / "b.db")) << c.sql;
  }
}

// NULL where the schema forbids it: the file's own text is changed.
TEST(Store, EmptyColumnsAreRefused) {
  Folder dir;
  const std::string path = dir / "a.db";
  {
    Store s = value(Store::open(path));
    value(s.add(record(0)));
  }
  change(path, std::string(
                   "pragma writable_schema = on; update sqlite_master set sql = replace(sql, 'what_ran text not null', "
                   "'what_ran text         ') where name = 'groups'; pragma writable_schema = reset; "
                   "update groups set what_ran = null; pragma writable_schema = on; update sqlite_master set sql = "
                   "replace(sql, 'what_ran text         ', 'what_ran text not null') where name = 'groups';"));
  const auto s = value(Store::read(path));
  EXPECT_TRUE(has(why(s.records()), "its what_ran is empty, not a text")) << why(s.records());
}

TEST(Store, WhatMayNotBeWrittenCanBeRead) {
  for (const bool killed : {false, true}) {
    Folder dir;
    const std::string folder = dir / "locked", path = folder + "/a.db";
    std::filesystem::create_directory(folder);
    if (killed) {
      const pid_t child = fork();
      if (child == 0) {
        auto s = Store::open(path);
        if (!s || !s->add(record(0))) _exit(1);
        ::kill(::getpid(), SIGKILL);
      }
      int status = 0;
      waitpid(child, &status, 0);
      ASSERT_TRUE(WIFSIGNALED(status));
      ASSERT_GT(std::filesystem::file_size(path + "-wal"), 0u);
      std::filesystem::remove(path + "-shm");
    } else {
      value(value(Store::open(path)).add(record(0)));
    }
    using std::filesystem::perms;
    for (const auto& e : std::filesystem::directory_iterator(folder))
      std::filesystem::permissions(e.path(), perms::owner_read);
    std::filesystem::permissions(folder, perms::owner_read | perms::owner_exec);
    const pid_t child = fork();  // root may write everywhere, so nobody reads
    if (child == 0) {
      if (::geteuid() == 0) {
        if (killed) _exit(0);  // the scratch folder of this process would be root's
        std::filesystem::permissions(dir / "", perms::all);
        std::filesystem::permissions(folder,
                                     perms::owner_read | perms::owner_exec | perms::others_read | perms::others_exec);
        for (const auto& e : std::filesystem::directory_iterator(folder))
          std::filesystem::permissions(e.path(), perms::owner_read | perms::others_read);
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) _exit(9);
      }
      const auto s = Store::read(path);
      if (!s) {
        fmt::print(stderr, "{}\n", why(s));
        _exit(2);
      }
      const auto rows = s->records();
      _exit(rows && *rows == std::vector{record(0)} ? 0 : 3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::filesystem::permissions(folder, perms::owner_all);
    EXPECT_EQ(status, 0) << killed << " " << WEXITSTATUS(status);
    const auto files = std::distance(std::filesystem::directory_iterator(folder), {});
    EXPECT_EQ(files, killed ? 2 : 1) << "reading made no file";
  }
}

TEST(Store, AMergeMakesAWholeFileOrNone) {
  Folder dir;
  std::string warning;
  EXPECT_TRUE(has(why(merge_files(dir / "all.db", {dir / "missing.db"}, warning)), "missing.db: cannot be opened"));
  EXPECT_FALSE(std::filesystem::exists(dir / "all.db"));
  {
    Store s = value(Store::open(dir / "a.db"));
    for (uint32_t k = 0; k < 2000; ++k) value(s.add(record(k)));
  }
  // Killed at any moment: nothing, or all of it.
  Rng rng(11);
  uint32_t none = 0;
  for (int k = 0; k < 20; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      std::string w;
      _exit(merge_files(dir / "all.db", {dir / "a.db"}, w) ? 0 : 1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(rng.below(60'000)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    size_t files = 0;
    for (const auto& e : std::filesystem::directory_iterator(dir / "")) {
      static_cast<void>(e);
      ++files;
    }
    if (std::filesystem::exists(dir / "all.db")) {
      EXPECT_EQ(files, 2u);
      EXPECT_EQ(value(value(Store::read(dir / "all.db")).records()).size(), 2000u);
      std::filesystem::remove(dir / "all.db");
    } else {
      ++none;
      EXPECT_EQ(files, 1u);
    }
  }
  EXPECT_GT(none, 3u);
  EXPECT_EQ(value(merge_files(dir / "all.db", {dir / "a.db"}, warning)), (Merged{2000, 0, 0}));
  EXPECT_EQ(value(merge_files(dir / "all.db", {dir / "a.db"}, warning)), (Merged{0, 2000, 0}));
}

TEST(Store, PipesAndDevicesAreNoStores) {
  Folder dir;
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {dir / "pipe", std::string("/dev/null"), dir / ""}) {
    EXPECT_TRUE(has(why(Store::read(path)), "it is not a file")) << path;
    EXPECT_TRUE(has(why(Store::open(path)), "it is not a file")) << path;
  }
}

TEST(Store, AKeyIsThereOnce) {
  Folder dir;
  Store s = value(Store::open(dir / "a.db"));
  EXPECT_TRUE(value(s.add(record(0))));
  Record again = record(0);
  again.instances = 15;
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
  std::ofstream(dir / "text")
      << "this is not a database, and long enough to be looked at: ................................................";
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
    // Every other process is killed after it has added a row, however slow the machine is; the others at any moment.
    uint32_t last = reported;
    if (round % 2 == 1) {
      ASSERT_EQ(read(fds[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
      EXPECT_GE(last, reported);
      reported = last + 1;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(2000 + rng.below(30000)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
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
  EXPECT_GE(reported, 10u);
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

// Opening and closing change the mode of the file, for which SQLite does not wait.
TEST(Store, WritersThatOpenAndCloseWaitForEachOther) {
  Folder dir;
  const std::string path = dir / "a.db";
  const auto work = [&](const std::string& test) {
    for (uint32_t i = 0; i < 60; ++i) {
      Store s = value(Store::open(path));
      value(s.add(record(i, test)));
    }
  };
  std::vector<std::thread> all;
  for (const char* test : {"A", "B", "C", "D"}) all.emplace_back(work, test);
  for (std::thread& t : all) t.join();
  EXPECT_EQ(value(value(Store::open(path)).records()).size(), 240u);
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
  for (const char* bad : {"", "3", "0/8", "9/8", "1/0", "a/b", "1/8x", "-1/8", "99999999999999999999/1"})
    EXPECT_FALSE(parse_shard(bad)) << bad;
}

}  // namespace
