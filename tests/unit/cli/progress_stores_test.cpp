// stats, judge and report on stores of progress run.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "ran.h"

using namespace fencepost;
using namespace fencepost::cli;
namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string k_root = FENCEPOST_SOURCE_DIR;
const std::string k_down = k_root + "/examples/progress/producer-consumer-down.axb";
const std::string k_mutex = k_root + "/examples/progress/spin-mutex.axb";

// Two tests under two mappings: the consumer starves under chunked alone.
std::string store() {
  // Tests run beside each other, each in a process of its own.
  const std::string name = "fencepost-progress-stores-" + std::to_string(::getpid()) + ".db";
  const std::string path = (fs::temp_directory_path() / name).string();
  fs::remove(path);
  const Ran ran = run_with({"progress", "run", k_down, k_mutex, "--device", "reference", "--mapping", "plain,chunked",
                            "--total", "240", "--runs", "2", "--store", path});
  EXPECT_EQ(ran.code, 1) << ran.err;
  return path;
}

}  // namespace

TEST(ProgressStores, StatsTellDevicesByVariants) {
  const std::string db = store();
  const Ran text = run_with({"stats", db});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(has(text.out, "2 tests, 8 runs")) << text.out;
  EXPECT_TRUE(has(text.out, "inter-workgroup  chunked"));
  const auto j = nlohmann::json::parse(run_with({"stats", db, "--json"}).out);
  EXPECT_EQ(j["schema"], "fencepost.progress.stats/1");
  ASSERT_EQ(j["columns"].size(), 2u);
  EXPECT_EQ(j["columns"][0]["mapping"], "chunked");
  EXPECT_EQ(j["columns"][0]["always"], 1);
  EXPECT_EQ(j["columns"][0]["weak_starved"], 1);
  EXPECT_EQ(j["columns"][1]["never"], 2);
  const Ran csv = run_with({"stats", db, "--csv"});
  EXPECT_TRUE(has(csv.out, "\"producer-consumer, down\",weak,")) << csv.out;
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 5);
  EXPECT_TRUE(has(run_with({"stats", db, "--only-configurations", "plain"}).out, "2 tests, 4 runs"));
}

TEST(ProgressStores, JudgeHoldsThemAgainstProgressModels) {
  const std::string db = store();
  const Ran all = run_with({"judge", db});
  EXPECT_EQ(all.code, 1) << all.err;
  EXPECT_TRUE(has(all.out, "FAIR is violated by producer-consumer, down")) << all.out;
  EXPECT_EQ(run_with({"judge", db, "--model", "hsa,obe"}).code, 0);
  EXPECT_TRUE(has(run_with({"judge", db, "--csv"}).out, ",FAIR,2,1,0,"));
  const auto j = nlohmann::json::parse(run_with({"judge", db, "--json"}).out);
  EXPECT_EQ(j["schema"], "fencepost.progress.judge/1");
  EXPECT_EQ(j["groups"].size(), 1u);
}

TEST(ProgressStores, ReportIsOnePageWithEveryTest) {
  const std::string db = store();
  const Ran page = run_with({"report", db});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_TRUE(has(page.out, "<svg"));
  EXPECT_EQ(page.out.find("<script"), page.out.rfind("<script")) << "the page's own";
  EXPECT_FALSE(has(page.out, "http://") && has(page.out, "src=\"http"));
  EXPECT_TRUE(has(page.out, "<summary>producer-consumer, down (weak): starved in 1 of 2 columns</summary>"));
  EXPECT_TRUE(has(page.out, "<summary>spin mutex (weak): starved in none of 2 columns</summary>"));
  EXPECT_TRUE(has(page.out, "under lobe, weak fairness: threads 0 and 1 never end")) << "a schedule";
  EXPECT_EQ(page.out, run_with({"report", db, db}).out) << "a run that two stores hold counts once";
}

TEST(ProgressStores, RefusesWhatIsAboutLitmusTests) {
  const std::string db = store();
  for (const auto& [args, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"stats", db, "--parts", "rates"}, "--parts is about litmus tests"},
           {{"stats", db, "--only-tests", "producer"}, "no run is of test 'producer'"},
           {{"stats", db, "-o", "x.toml"}, "--output is about litmus tests"},
           {{"stats", db, "--domain", "test"}, "--domain is about litmus tests"},
           {{"judge", db, "--mutants"}, "--mutants is about litmus tests"},
           {{"judge", db, "--budget", "5"}, "--budget is about litmus tests"},
           {{"judge", db, "--model", "nothing"}, "nothing"},
           {{"judge", db, "-o", "x.svg"}, "'report' draws them"},
           {{"report", db, "--level", "99"}, "--level is about litmus tests"}}) {
    const Ran ran = run_with(args);
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_TRUE(has(ran.err, part)) << ran.err;
  }
}

// Not "has no results".
TEST(ProgressStores, DamageIsSaid) {
  const std::string db = store();
  std::ifstream in(db, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  in.close();
  for (size_t at = 0; (at = bytes.find("terminated", at)) != std::string::npos; ++at) bytes[at] = 'T';
  std::ofstream(db, std::ios::binary) << bytes;
  for (const char* verb : {"stats", "judge", "report"}) {
    const Ran ran = run_with({verb, db});
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_TRUE(has(ran.err, "is damaged")) << ran.err;
  }
}
