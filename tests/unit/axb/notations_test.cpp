// The three notations: what is read, and that what is printed reads back.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "axb_support.h"

using namespace axb_test;

namespace {

axb::Instr exch_branch(uint32_t l, axb::Value check, axb::Value value, uint32_t jump) {
  return {.location = l, .check = check, .jump = jump, .exchanges = true, .value = value};
}

TEST(AxbText, ReadsTheMutex) {
  const axb::Test t = read_one(R"(// taken by the first to see 0
progress "exchange mutex" config "2t4i"
// Each thread enters once.
m, other = 0x10;   // not a remark
thread 1 {
  again: if (exch(m, 1) == 1) goto again;
  m = 0;
}
thread 0 {
  0: if (exch(m, 1) == 1) goto 0;
  1: if (other == 7) goto end;  /* a check */
  exch(m, 4294967295);
  last:
}
)");
  EXPECT_EQ(t.name, "exchange mutex");
  EXPECT_EQ(t.config, "2t4i");
  EXPECT_EQ(t.remarks, (std::vector<std::string>{"taken by the first to see 0", "Each thread enters once."}));
  EXPECT_EQ(t.locations, (std::vector<axb::Location>{{"m", 0}, {"other", 16}}));
  ASSERT_EQ(t.threads.size(), 2u);
  const std::vector<axb::Instr> first = {
      exch_branch(0, 1, 1, 0), {.location = 1, .check = 7, .jump = 3}, exch_branch(0, 0, 4294967295u, 3)};
  EXPECT_EQ(t.threads[0].code, first);
  EXPECT_EQ(t.threads[1].code, (std::vector<axb::Instr>{exch_branch(0, 1, 1, 0), exch_branch(0, 0, 0, 2)}));
  EXPECT_EQ(axb::to_string(t, 0, 0), "if (exch(m, 1) == 1) goto 0;");
  EXPECT_EQ(axb::to_string(t, 0, 1), "if (other == 7) goto end;");
  EXPECT_EQ(axb::to_string(t, 0, 2), "m = 4294967295;");
}

TEST(AxbText, SeveralTestsKeepTheirOwnRemarks) {
  const auto tests = axb::parse(make_source("two.axb", R"(
progress "one"
// of one
x;
// still of one
thread 0 { x = 1;
  // of nobody
}
// of nobody either
thread 1 { }
// of two
progress "two"
thread 0 { }
)"));
  ASSERT_TRUE(tests.has_value()) << render(tests.error());
  ASSERT_EQ(tests->size(), 2u);
  EXPECT_EQ((*tests)[0].remarks, (std::vector<std::string>{"of one", "still of one"}));
  EXPECT_EQ((*tests)[1].remarks, (std::vector<std::string>{"of two"}));
  EXPECT_TRUE((*tests)[1].locations.empty());
  EXPECT_EQ((*tests)[0].threads[0].code[0].span.text(), "x = 1;");
}

// Each notation that jumps just over an exchange means a store, whatever it compares with.
TEST(AxbText, AStoreHasOneForm) {
  EXPECT_EQ(read_one("progress \"\" x; thread 0 { if (exch(x, 2) == 5) goto 1; }"),
            read_one("progress \"\" x; thread 0 { x = 2; }"));
  EXPECT_EQ(read_one(R"({"threads":[[[0,5,1,1,2]]]})", "-").threads,
            read_one("THREAD0\natomic_store(0,2)", "-").threads);
  EXPECT_EQ(read_one("THREAD0 atomic_exch_branch(0,5,2,1)", "-").threads,
            read_one("THREAD0 atomic_exch_branch(0,7,2,END)", "-").threads);
}

TEST(AxbPseudoCode, ReadsThePublishedForm) {
  const axb::Test t =
      read_one("THREAD0\natomic_exch_branch(0,1,0,0)\n\natomic_chk_branch(1,0,END)\n\n\nTHREAD1\natomic_store(0,1)\n\n",
               "all/2t_3i_17/17.txt");
  EXPECT_EQ(t.config, "2t3i");
  EXPECT_EQ(t.name, "2t3i/17");
  EXPECT_EQ(t.locations, (std::vector<axb::Location>{{"x", 0}, {"y", 0}}));
  EXPECT_EQ(t.threads[0].code,
            (std::vector<axb::Instr>{exch_branch(0, 1, 0, 0), {.location = 1, .check = 0, .jump = 2}}));
  EXPECT_EQ(t.threads[1].code, (std::vector<axb::Instr>{exch_branch(0, 0, 1, 1)}));
}

TEST(AxbJson, ReadsLinesAndIgnoresWhatItDoesNotKnow) {
  const auto tests =
      axb::parse(make_source("t.jsonl", R"({"config":"2t2i","id":3,"threads":[[[0,0,0,1,1]],[[0,1,0,1,0]]]}
{"verdicts":{"a":[1,-2.5e+3,"\u00e9",null,true]},"name":"\u00e9\n","locations":["a","b"],"init":[0,7],"threads":[[[1,0,0,false,9]]]}
)"));
  ASSERT_TRUE(tests.has_value()) << render(tests.error());
  ASSERT_EQ(tests->size(), 2u);
  EXPECT_EQ((*tests)[0].name, "2t2i/3");
  EXPECT_EQ((*tests)[1].name, "\xc3\xa9\xef\xbf\xbd") << "names are made printable";
  EXPECT_EQ((*tests)[1].locations[1].init, 7u);
  EXPECT_EQ((*tests)[1].threads[0].code[0].value, 0u);  // it does not exchange
}

// A remark is one line, wherever it comes from.
TEST(AxbText, RemarksAreLines) {
  const axb::Test t = read_one("// one\rline\r\nprogress \"\" x; thread 0 { x = 1; }");
  EXPECT_EQ(t.remarks, (std::vector<std::string>{"one line"}));
  EXPECT_TRUE(axb::validate(t).has_value());
  const auto bad = axb::parse(make_source("t.jsonl", R"({"remarks":["a\nb"],"threads":[[[0,0,0,1,1]]]})"));
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().list.front().span.text(), R"("a\nb")");
}

TEST(AxbRoundTrip, RandomTests) {
  std::mt19937 rng(3);
  for (int k = 0; k < 2000; ++k) {
    axb::Test t =
        random_test(rng, {.threads = 5, .locations = 4, .instructions = 4, .values = k % 2 ? 2u : 4000000000u});
    switch (k % 5) {
      case 0:
        t.config = "c", t.name = fmt::format("c/{}", k);
        break;
      case 1:
        t.name = fmt::format("{}", k), t.config = "d";
        break;
      case 2:
        t.name = "quotes \" and \\ and \xef\xbf\xbd", t.remarks = {"", " two  ", "\"x\" // y /* z", "\\n \xc3\xa9"};
        break;
      case 3:
        t.name = "c", t.config = "c";
        break;
      default:
        t.name = "";
        break;
    }
    ASSERT_TRUE(axb::validate(t).has_value()) << axb::to_text(t);
    ASSERT_EQ(read_one(axb::to_text(t)), t) << axb::to_text(t);
    ASSERT_EQ(read_one(axb::to_json_line(t)), t) << axb::to_json_line(t);
    // Pseudo-code has neither names nor remarks.
    const axb::Test p = read_one(axb::to_pseudo_code(t), "-");
    ASSERT_EQ(p.threads, t.threads) << axb::to_pseudo_code(t);
    ASSERT_EQ(p.locations.size(), t.locations.size()) << axb::to_pseudo_code(t);
    for (size_t l = 0; l < p.locations.size(); ++l) ASSERT_EQ(p.locations[l].init, t.locations[l].init);
    ASSERT_EQ(read_one(axb::to_pseudo_code(p), "-"), p);
  }
}

TEST(AxbRoundTrip, SixtyFourThreads) {
  axb::Test t;
  t.locations = {{"x", 0}};
  t.threads.resize(64);
  EXPECT_EQ(read_one(axb::to_text(t)), t);
  EXPECT_EQ(read_one(axb::to_json_line(t)), t);
  t.threads.resize(65);
  EXPECT_FALSE(axb::validate(t).has_value());
  EXPECT_FALSE(axb::parse(make_source("t.axb", axb::to_text(t))).has_value());
  EXPECT_FALSE(axb::parse(make_source("t.axb", axb::to_json_line(t))).has_value());
  EXPECT_FALSE(axb::parse(make_source("t.axb", axb::to_pseudo_code(t))).has_value());
}

TEST(AxbValidate, RefusesWhatNoReaderReturns) {
  const axb::Test good = read_one("progress \"\" x, y; thread 0 { x = 1; if (y == 1) goto 0; }");
  EXPECT_TRUE(axb::validate(good).has_value());
  const auto refused = [&](auto&& change) {
    axb::Test t = good;
    change(t);
    return !axb::validate(t).has_value();
  };
  EXPECT_TRUE(refused([](axb::Test& t) { t.threads.clear(); }));
  EXPECT_TRUE(refused([](axb::Test& t) { t.threads[0].code[1].jump = 3; }));
  EXPECT_TRUE(refused([](axb::Test& t) { t.threads[0].code[1].location = 2; }));
  EXPECT_TRUE(refused([](axb::Test& t) { t.threads[0].code[1].value = 1; }));
  EXPECT_TRUE(refused([](axb::Test& t) { t.threads[0].code[0].check = 1; }));
  EXPECT_TRUE(refused([](axb::Test& t) { t.locations[1].name = "x"; }));
  EXPECT_TRUE(refused([](axb::Test& t) { t.locations[1].name = "end"; }));
  EXPECT_TRUE(refused([](axb::Test& t) { t.locations[1].name = "a b"; }));
  EXPECT_TRUE(refused([](axb::Test& t) { t.remarks = {"a\nb"}; }));
}

TEST(AxbPublished, JsonLinesAreReproduced) {
  const char* path = std::getenv("FENCEPOST_PROGRESS_TESTS");
  if (path == nullptr) GTEST_SKIP() << "FENCEPOST_PROGRESS_TESTS is not set: the 483 published tests were NOT read";
  std::ifstream in(path);
  std::string line;
  size_t count = 0;
  while (std::getline(in, line)) {
    const axb::Test t = read_one(line);
    EXPECT_EQ(axb::to_json_line(t), line);
    EXPECT_EQ(read_one(axb::to_text(t)), t);
    EXPECT_TRUE(axb::validate(t).has_value());
    ++count;
  }
  EXPECT_EQ(count, 483u);
  EXPECT_EQ(axb::parse_file(path)->size(), 483u);
}

// The folder ALL_tests_flat of the published artifact, whose texts are the same tests; ours differ in blanks only.
TEST(AxbPublished, PseudoCodeIsReproduced) {
  const char* lines = std::getenv("FENCEPOST_PROGRESS_TESTS");
  const char* folder = std::getenv("FENCEPOST_PROGRESS_PSEUDO_CODE");
  if (lines == nullptr || folder == nullptr)
    GTEST_SKIP()
        << "FENCEPOST_PROGRESS_TESTS or FENCEPOST_PROGRESS_PSEUDO_CODE is not set: 483 published texts were NOT read";
  const auto bare = [](std::string s) {
    std::erase_if(s, [](char c) { return c == ' ' || c == '\r' || c == '\n'; });
    return s;
  };
  const auto tests = axb::parse_file(lines);
  ASSERT_TRUE(tests.has_value());
  for (const axb::Test& t : *tests) {
    const std::string id = t.name.substr(t.name.find('/') + 1);
    const std::string path = fmt::format("{}/{}t_{}i_{}/{}.txt", folder, t.config[0], t.config[2], id, id);
    const auto p = axb::parse_file(path);
    ASSERT_TRUE(p.has_value()) << render(p.error());
    EXPECT_EQ(p->front(), t) << path;
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_EQ(bare(axb::to_pseudo_code(t)), bare(text.str())) << path;
  }
}

}  // namespace
