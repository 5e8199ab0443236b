// The 2014 thesis to the last row: its 135 tests, the verdicts of six models, its two tables of model against chip, and
// every published observation held against each model.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/judge_sightings.h"
#include "ran.h"

using namespace fencepost;
using namespace fencepost::cli;
namespace fs = std::filesystem;

namespace {

const std::string k_examples = std::string(FENCEPOST_SOURCE_DIR) + "/examples/thesis/";
const std::string k_six = "operational,rmo-scoped,rmo-scoped-ca,ptx-6.0,ptx-7.5,ptx-9";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Rows of a table without quotes, by head.
using Row = std::map<std::string, std::string>;
std::vector<Row> rows_of(std::istream&& in) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out;
    std::istringstream words(line);
    for (std::string w; std::getline(words, w, ',');) out.push_back(w);
    return out;
  };
  std::string line;
  std::getline(in, line);
  const auto heads = cells(line);
  std::vector<Row> out;
  while (std::getline(in, line)) {
    const auto values = cells(line);
    Row r;
    for (size_t k = 0; k < heads.size(); ++k) r[heads[k]] = k < values.size() ? values[k] : "";
    out.push_back(std::move(r));
  }
  return out;
}

class Thesis : public testing::Test {
 protected:
  Thesis() : dir_(fs::temp_directory_path() / ("fencepost-thesis-" + std::to_string(::getpid()))) {
    fs::create_directories(dir_);
  }
  ~Thesis() override { fs::remove_all(dir_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
    return (dir_ / name).string();
  }
  // test -> outcome, under one model
  static std::map<std::string, std::string> verdicts(const std::string& model) {
    const Ran r = run_with({"judge", k_examples + "observed.csv", "--model", model, "--csv"});
    std::map<std::string, std::string> out;
    for (const Row& row : rows_of(std::istringstream(r.out))) out[row.at("test")] = row.at("outcome");
    return out;
  }
  fs::path dir_;
};

constexpr const char* k_filtered =
    "GPU_PTX F\n{ x = 0; 0:.reg .b64 ax = x; 1:.reg .b64 ax = x; 1:.reg .s32 r1; }\n T0 | T1 ;\n"
    " st.cg.s32 [ax], 1 | ld.cg.s32 r1, [ax] ;\n"
    "ScopeTree (device (cta (warp T0)) (cta (warp T1)))\nx: global\nfilter (1:r1 = 1)\nexists (1:r1 = 0)\n";

}  // namespace

TEST_F(Thesis, HundredAndThirtyFiveRowsWithTheirVerdicts) {
  const auto rows = rows_of(std::ifstream(k_examples + "verdicts.csv"));
  ASSERT_EQ(rows.size(), 135u);
  const Ran made = run_with({"gen", "--thesis", "--rows", "-o", (dir_ / "rows").string()});
  EXPECT_TRUE(has(made.out, "135 tests")) << made.out << made.err;
  for (const char* model : {"operational", "rmo-scoped", "rmo-scoped-ca", "ptx-6.0", "ptx-7.5", "ptx-9"}) {
    const auto got = verdicts(model);
    EXPECT_EQ(got.size(), 135u);
    for (const Row& r : rows) {
      EXPECT_TRUE(fs::exists(dir_ / "rows" / (r.at("test") + ".litmus"))) << r.at("test");
      ASSERT_TRUE(got.contains(r.at("test"))) << r.at("test");
      EXPECT_EQ(got.at(r.at("test")), r.at(model)) << r.at("test") << " under " << model;
    }
  }
}

// Tables 5.9 (25 printed rows) and 6.2 (24): what the machine and scoped RMO allow, and what was observed.
TEST_F(Thesis, TablesOfModelsAgainstChips) {
  const auto observed = rows_of(std::ifstream(k_examples + "observed.csv"));
  for (const auto& [file, model, count] :
       {std::tuple("table-5.9.csv", "operational", 25u), std::tuple("table-6.2.csv", "rmo-scoped", 24u)}) {
    const auto rows = rows_of(std::ifstream(k_examples + file));
    EXPECT_EQ(rows.size(), count);
    const auto got = verdicts(model);
    for (const Row& r : rows) {
      const std::string& test = r.at("test");
      ASSERT_TRUE(got.contains(test)) << test;
      EXPECT_EQ(got.at(test), r.at("allowed") == "YES" ? "allowed" : "forbidden") << test << " in " << file;
      for (const Row& o : observed)
        if (o.at("test") == test) {
          const bool seen = o.at("Fermi") != "0" || o.at("Kepler") != "0" || o.at("Maxwell") != "0";
          EXPECT_EQ(seen, r.at("observed") == "YES") << test << " in " << file;
        }
    }
  }
}

// Which published observations each model forbids.
TEST_F(Thesis, EveryObservationUnderSixModels) {
  const Ran r = run_with({"judge", k_examples + "observed.csv", "--model", k_six, "--csv"});
  EXPECT_EQ(r.code, 3) << r.err;  // the tables do not show what ran
  std::map<std::string, std::vector<std::string>> forbidden;
  size_t count = 0;
  for (const Row& row : rows_of(std::istringstream(r.out))) {
    ++count;
    EXPECT_NE(row.at("outcome"), "undecided") << row.at("test");
    if (row.at("outcome") == "forbidden" && row.at("seen") != "0")
      forbidden[row.at("model")].push_back(row.at("test") + " " + row.at("device"));
  }
  EXPECT_EQ(count, 135u * 3 * 6);
  const std::vector<std::string> l1 = {"MP-L1+membar.gls@K Fermi", "MP-L1+membar.syss@K Fermi"};
  EXPECT_EQ(forbidden["ptx-6.0"], l1);
  EXPECT_EQ(forbidden["ptx-7.5"], l1);
  EXPECT_EQ(forbidden["ptx-9"], l1);
  EXPECT_EQ(forbidden["rmo-scoped"].size(), 4u);  // the loads of L1 on Fermi
  EXPECT_TRUE(forbidden["rmo-scoped-ca"].empty());
  EXPECT_EQ(forbidden["operational"].size(), 8u);
  for (const char* test : {"MP+membar.gl+membar.cta@K Kepler", "LD+membar.ctas@K Kepler", "IRIW+membar.ctas@K Kepler"})
    EXPECT_TRUE(std::ranges::count(forbidden["operational"], test) == 1) << test;
}

TEST_F(Thesis, TheMachineIsAModel) {
  const std::string lb = k_examples + "LB+membar.ctas.litmus", mp = k_examples + "MP.litmus";
  EXPECT_EQ(run_with({"check", "--model", "operational", lb}).code, 1);
  EXPECT_EQ(run_with({"check", "--model", "operational", mp}).code, 0);
  EXPECT_EQ(run_with({"check", "--model", "operational", k_examples + "CoRR.litmus"}).code, 0);
  EXPECT_EQ(run_with({"check", "--model", "operational-coherent", k_examples + "CoRR.litmus"}).code, 1);
  const Ran differ = run_with({"diff-models", "operational", "rmo-scoped", k_examples});
  EXPECT_EQ(differ.code, 1);
  EXPECT_TRUE(has(differ.out, "LB+membar.ctas.litmus  operational: fails  rmo-scoped: holds")) << differ.out;
  EXPECT_TRUE(has(differ.out, "5 differ")) << differ.out;
  EXPECT_TRUE(has(run_with({"outcomes", "--model", "operational", mp}).out, "States 4\n"));
  EXPECT_TRUE(has(run_with({"gen", "LB+fence.sc.ctas", "-d", "GPU_PTX", "--decide", "--model", "operational"}).out,
                  "forbidden"));
  // A neighbour of a test may name it.
  fs::copy_file(lb, dir_ / "LB.litmus");
  write("LB.expect", "operational condition fails\n");
  EXPECT_EQ(run_with({"expect", (dir_ / "LB.litmus").string()}).code, 0);
  // What it does not decide it refuses by name.
  for (const auto& [args, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"check", "--property", "races", mp}, "data race"},
           {{"check", "--property", "termination", mp}, "without loops"},
           {{"check", "--engine", "solve", mp}, "no engine 'solve'"},
           {{"outcomes", "--engine", "both", mp}, "no engine 'both'"},
           {{"explain", mp}, "no executions"},
           {{"check", std::string(FENCEPOST_SOURCE_DIR) + "/examples/asplos24/fig05-mp-proxies.litmus"}, "GPU_PTX"}}) {
    auto with = args;
    with.insert(with.begin() + 1, {"--model", "operational"});
    const Ran r = run_with(with);
    EXPECT_EQ(r.code, 3) << part << r.out << r.err;
    EXPECT_TRUE(has(r.out + r.err, part)) << r.out << r.err;
  }
  // The filter keeps runs out, here as everywhere.
  const std::string filtered = write("filtered.litmus", k_filtered);
  EXPECT_EQ(run_with({"check", "--model", "operational", filtered}).code, 1);
  EXPECT_TRUE(has(run_with({"outcomes", "--operational", filtered}).out, "States 1\n"));
}

TEST_F(Thesis, AmpersandJoinsConditions) {
  std::string text = k_filtered;
  text.replace(text.find("exists"), std::string::npos, "exists (1:r1 = 1 & x = 1 & ~1:r1 = 0)\n");
  const Ran printed = run_with({"print", write("and.litmus", text)});
  EXPECT_TRUE(has(printed.out, "exists (1:r1=1 /\\ x=1 /\\ ~")) << printed.out << printed.err;
  // Elsewhere it is an error.
  EXPECT_EQ(run_with({"check",
                      write("ptx.litmus", "PTX T\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x=1 & x=1)\n")})
                .code,
            2);
}

TEST_F(Thesis, LogsAndTablesAreJudged) {
  const std::string mp = k_examples + "MP+membar.gls.litmus";
  // A log of our own says what ran; a forbidden state that was not asked about counts, too.
  const std::string log =
      write("a.log",
            "Test MP+membar.gls Allowed\nHistogram (2 states)\n10 :>1:r1=0; 1:r2=0;\n"
            "5 *>1:r1=1; 1:r2=0;\nOk\nWitnesses\nPositive: 5, Negative: 10\n"
            "WhatRan=as-written\nObservation MP+membar.gls Sometimes 5 10\nTime MP+membar.gls 0.1\n");
  const Ran seen = run_with({"judge", log, "--tests", mp, "--model", "ptx-7.5"});
  EXPECT_EQ(seen.code, 1) << seen.out << seen.err;
  EXPECT_TRUE(has(seen.out, "violated MP+membar.gls")) << seen.out;
  const Ran folder = run_with({"judge", log, "--tests", k_examples, "--model", "sc,ptx-7.5", "--json"});
  EXPECT_EQ(nlohmann::json::parse(folder.out)["models"].size(), 2u) << folder.err;
  // A count of witnesses that its own states contradict proves nothing.
  for (const char* lie : {"10 :>1:r1=0; 1:r2=0;\n5 *>1:r1=1; 1:r2=1;\nPositive: 5, Negative: 10\n",
                          "10 :>1:r1=0; 1:r2=0;\n5 *>1:r1=1; 1:r2=0;\nPositive: 0, Negative: 15\n"}) {
    const Ran no =
        run_with({"judge", write("lie.log", "Test MP+membar.gls Allowed\nHistogram (2 states)\n" + std::string(lie)),
                  "--tests", mp, "--model", "ptx-7.5"});
    EXPECT_EQ(no.code, 2) << no.out;
    EXPECT_TRUE(has(no.err, "times by its count of witnesses")) << no.err;
  }
  // Tables: numbers of instances give rates their bounds, texts are left out with a word.
  const std::string table = write("t.csv", "test,chip,remark,instances\nMP+membar.gls,0,none,1000\n");
  const Ran ok = run_with({"judge", table, "--tests", mp});
  EXPECT_EQ(ok.code, 0) << ok.out << ok.err;
  EXPECT_TRUE(has(ok.err, "left out: remark")) << ok.err;
  EXPECT_TRUE(has(run_with({"judge", table, "--tests", mp, "-o", (dir_ / "t.md").string()}).err, ""));
  EXPECT_TRUE(fs::exists(dir_ / "t.md"));
  const auto refused = [&](const std::string& text, const std::string& part,
                           const std::vector<std::string>& more = {}) {
    std::vector<std::string> args = {"judge", write("r.csv", text), "--tests", mp};
    args.insert(args.end(), more.begin(), more.end());
    const Ran r = run_with(args);
    EXPECT_EQ(r.code, 2) << r.out;
    EXPECT_TRUE(has(r.err, part)) << r.err;
  };
  refused("test,chip\nMP+membar.gl,0\n", "did you mean 'MP+membar.gls'?");
  refused("test,chip\nMP+membar.gls,0\nMP+membar.gls,1\n", "two rows");
  refused("test,chip\nMP+membar.gls,0\nSB,many\n", "not a count");
  refused("test,chip,instances\nMP+membar.gls,5,4\n", "not a count");
  refused("test,chip\nMP+membar.gls\n", "2 columns");
  refused("test,chip\nMP+membar.gls,1\n", "is about stores", {"--mutants"});
  refused("test,chip\nMP+membar.gls,1\n", "no model called 'nothing'", {"--model", "ptx-7.5,nothing"});
}

TEST(ModelList, CommasOutsideOfBrackets) {
  EXPECT_EQ(model_list(""), std::vector<std::string>{});
  EXPECT_EQ(model_list("sc"), std::vector<std::string>{"sc"});
  EXPECT_EQ(model_list("ptx-9[P2=strict,P3=writer],sc"),
            (std::vector<std::string>{"ptx-9[P2=strict,P3=writer]", "sc"}));
}
