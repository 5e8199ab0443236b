// stats, report, and outcomes on the abstract machine.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "ran.h"

using namespace fencepost;
using namespace fencepost::cli;
namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string k_root = FENCEPOST_SOURCE_DIR;
const std::string k_log = k_root + "/examples/stats/two-chips.log";

}  // namespace

TEST(Stats, TextJsonAndCsv) {
  const Ran text = run_with({"stats", k_log});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(has(text.out, "MP on chip B")) << text.out;
  const Ran json = run_with({"stats", "--json", k_log});
  const auto j = nlohmann::json::parse(json.out);
  EXPECT_EQ(j["schema"], "fencepost.stats/1");
  EXPECT_EQ(j["rows"].size(), 4u);
  EXPECT_TRUE(nlohmann::json::parse(run_with({"stats", "--json", k_log, k_log}).out).is_array());
  const Ran csv = run_with({"stats", "--csv", k_log});
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 5);
  EXPECT_TRUE(csv.out.starts_with("set,device,test,configuration,"));
}

TEST(Stats, Selects) {
  const Ran one = run_with({"stats", k_log, "--only-tests", "SB", "--only-devices", "chip A"});
  EXPECT_TRUE(has(one.out, "1 test, 1 device"));
  EXPECT_FALSE(has(one.out, "MP"));
  EXPECT_FALSE(has(run_with({"stats", k_log, "--parts", "rates"}).out, "Never seen"));
  EXPECT_TRUE(has(run_with({"stats", k_log, "--level", "99"}).out, "99 %"));
}

TEST(Stats, RefusesWithAHint) {
  for (const auto& [args, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"stats", k_log, "--parts", "rate"}, "did you mean 'rates'?"},
           {{"stats", k_log, "--only-tests", "SBB"}, "did you mean 'SB'?"},
           {{"stats", k_log, "--only-devices", "nothing at all"}, "no result is of device"},
           {{"stats", k_log, "--level", "100"}, "not a percentage"},
           {{"stats", k_log, "--level", "x"}, "not a percentage"},
           {{"stats", k_log, "--json", "--csv"}, "give one of the two"},
           {{"stats", "/nonexistent.log"}, "nonexistent"},
           {{"stats", k_root + "/README.md"}, "not a result set"},
           {{"stats", k_root + "/models"}, "no file that is a result set"},
           {{"stats"}, "needs"},
           {{"report", k_root + "/README.md"}, "not a result set"},
           {{"report", k_log, "-o", "/nonexistent/page.html"}, "cannot be written"},
           {{"outcomes", "--steps", k_root + "/examples/thesis/MP.litmus"}, "add --operational"},
           {{"outcomes", "--operational", "--model", "sc", k_root + "/examples/thesis/MP.litmus"}, "leave out --model"},
       }) {
    const Ran r = run_with(args);
    EXPECT_EQ(r.code, 2) << args.back();
    EXPECT_TRUE(has(r.err, part)) << r.err;
  }
}

TEST(Report, OnePageOfALogAndOfAStore) {
  char name[] = "/tmp/fencepost-report-XXXXXX";
  const std::string folder = mkdtemp(name);
  const Ran log = run_with({"report", k_log, "-o", folder + "/log.html"});
  EXPECT_EQ(log.code, 0) << log.err;
  std::ifstream in(folder + "/log.html");
  const std::string page((std::istreambuf_iterator<char>(in)), {});
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(has(page, "chip B"));

  std::ofstream(folder + "/plan.toml")
      << "name = \"c\"\ntests = [\"" << k_root << "/examples/thesis/SB.litmus\", \"" << k_root
      << "/examples/thesis/MP+membar.gls.litmus\"]\ndevices = [\"reference\"]\niterations = 400\nseries = 64\n";
  const Ran campaign = run_with({"campaign", folder + "/plan.toml", "--store", folder + "/s.db"});
  ASSERT_EQ(campaign.code, 0) << campaign.err;
  const Ran store = run_with({"report", folder + "/s.db"});
  EXPECT_EQ(store.code, 0) << store.err;
  for (const char* part : {"Model and silicon", "MP+membar.gls", "forbidden", "Sequential, interleaved, weak"})
    EXPECT_TRUE(has(store.out, part)) << part;
  EXPECT_TRUE(has(run_with({"stats", folder + "/s.db"}).out, "store, 2 tests"));
  EXPECT_EQ(run_with({"stats", folder + "/s.db", "--campaign", "other"}).code, 2);
  fs::remove_all(folder);
}

TEST(OutcomesOperational, TextJsonAndRefusals) {
  const std::string mp = k_root + "/examples/thesis/MP.litmus";
  const Ran text = run_with({"outcomes", "--operational", "--steps", mp});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(has(text.out, "Observation MP Sometimes 1 3"));
  EXPECT_TRUE(has(text.out, "reaches its device"));
  const auto j = nlohmann::json::parse(run_with({"outcomes", "--operational", "--json", mp}).out);
  EXPECT_EQ(j["schema"], "fencepost.operational/1");
  EXPECT_EQ(j["states"].size(), 4u);
  const Ran never =
      run_with({"outcomes", "--operational", "--steps", k_root + "/examples/thesis/MP+membar.gls.litmus"});
  EXPECT_TRUE(has(never.out, "no run ends in what the test asks about"));
  const Ran corr = run_with({"outcomes", "--operational", "--coherent-loads", k_root + "/examples/thesis/CoRR.litmus"});
  EXPECT_TRUE(has(corr.out, "Never"));
  EXPECT_EQ(run_with({"outcomes", "--operational", k_root + "/examples/locks/seqlock.litmus"}).code, 3);
}
