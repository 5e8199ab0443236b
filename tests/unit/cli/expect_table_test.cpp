#include "cli/expect_table.h"

#include <gtest/gtest.h>

using namespace fencepost;
using namespace fencepost::cli;

namespace {

Expected<std::vector<ExpectRow>> read(std::string text) {
  return read_expect_table(make_source("t.csv", std::move(text)));
}

std::string error_of(std::string text) {
  const auto rows = read(std::move(text));
  EXPECT_FALSE(rows.has_value());
  return rows ? "" : render(rows.error());
}

}  // namespace

TEST(ExpectTable, ColumnsComeInAnyOrder) {
  const auto rows = read(
      "suite,model,property,path,expected\nS,ptx-v6.0,program_spec,a.litmus,1\r\n\n// off\n# "
      "off\nT,vulkan,cat_spec,b.litmus,0\n");
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].suite, "S");
  EXPECT_EQ((*rows)[0].model, "ptx-v6.0");
  EXPECT_EQ((*rows)[0].path, "a.litmus");
  EXPECT_EQ((*rows)[0].expected, Status::holds);
  EXPECT_EQ((*rows)[1].expected, Status::fails);
  EXPECT_FALSE((*rows)[1].bound.has_value());

  const auto other =
      read("expected , path,grid,bound,note,property,model\nUNKNOWN,\"a, \"\"b\"\".litmus\",3.1.2,9,x, condition ,m");
  ASSERT_TRUE(other.has_value());
  ASSERT_EQ(other->size(), 1u);
  EXPECT_EQ(other->front().suite, "");
  EXPECT_EQ(other->front().path, "a, \"b\".litmus");
  EXPECT_EQ(other->front().property, "condition");
  EXPECT_EQ(other->front().expected, Status::unknown);
  EXPECT_EQ(other->front().bound, 9u);
  EXPECT_EQ(other->front().grid, "3.1.2");
  EXPECT_EQ(read("path,model,property,expected\n")->size(), 0u);
  EXPECT_EQ(read("path,model,property,expected\np,m,races,PASS\n")->front().expected, Status::holds);
  EXPECT_EQ(read("path,model,property,expected\np,m,races,FAIL")->front().expected, Status::fails);
}

TEST(ExpectTable, FaultsHavePlaces) {
  const std::string h = "model,property,path,expected,bound\n";
  EXPECT_NE(error_of("").find("table is empty"), std::string::npos);
  EXPECT_NE(error_of("a,b\n").find("no column 'model'"), std::string::npos);
  EXPECT_NE(error_of("model,model,property,path,expected\n").find("t.csv:1:7: error: the column 'model' stands twice"),
            std::string::npos);
  EXPECT_NE(error_of(h + "m,p,x,1\n").find("t.csv:2:1: error: this row has 4 fields, and the header has 5"),
            std::string::npos);
  EXPECT_NE(error_of(h + "m,p,x,2,\n").find("t.csv:2:7: error: '2' is not an expected verdict"), std::string::npos);
  EXPECT_NE(error_of(h + "m,p,x,pass,\n").find("not an expected verdict"), std::string::npos);
  EXPECT_NE(error_of(h + "m,p,x,1,0\n").find("t.csv:2:9: error: '0' is not a bound"), std::string::npos);
  EXPECT_NE(error_of(h + "m,p,x,1,-4\n").find("not a bound"), std::string::npos);
  EXPECT_NE(error_of(h + "m,,x,1,\n").find("'property' is empty"), std::string::npos);
  EXPECT_NE(error_of(h + "\"m,p,x,1,\n").find("quote is not closed"), std::string::npos);
  EXPECT_NE(error_of(h + "\"m\"n,p,x,1,\n").find("comma is missing"), std::string::npos);
}

TEST(ExpectTable, NamesPropertiesAndBounds) {
  EXPECT_EQ(shipped_name("ptx-v6.0"), "ptx-6.0-tables");
  EXPECT_EQ(shipped_name("ptx-v7.5"), "ptx-7.5-tables");
  EXPECT_EQ(shipped_name("vulkan-nochains"), "vulkan-nochains-tables");
  ExpectRow row;
  row.model = "vulkan";
  const auto ask = [&](const char* p) {
    row.property = p;
    return question_of(row);
  };
  EXPECT_EQ(ask("program_spec")->property, check::Property::condition);
  EXPECT_EQ(ask("races")->property, check::Property::races);
  EXPECT_TRUE(ask("cat_spec")->filter);
  EXPECT_FALSE(ask("cat_spec+ignore_filter")->filter);
  EXPECT_EQ(ask("termination[FAIR]")->property, check::Property::termination);
  EXPECT_EQ(ask("termination[QF=OBE,SG=HSA]")->progress, "QF=OBE,SG=HSA");
  EXPECT_EQ(ask("termination")->progress, "");
  EXPECT_FALSE(ask("trackability").has_value());
  EXPECT_FALSE(ask("cat_spce").has_value());
  EXPECT_EQ((ask("termination[HSA]"), bound_of(row)), 4u);
  EXPECT_EQ((ask("condition"), bound_of(row)), 1u);
  row.model = "ptx-v6.0";
  EXPECT_EQ((ask("termination[FAIR]"), bound_of(row)), 1u);
  row.bound = 7;
  EXPECT_EQ(bound_of(row), 7u);
}

TEST(ExpectTable, LinesBesideATest) {
  const auto read_lines = [](std::string text) {
    return read_expect_lines(make_source("a.expect", std::move(text)), "a.litmus");
  };
  const auto rows =
      read_lines("# note\n\nptx-7.5 condition fails # why: a # b\r\n vulkan  races\tholds\nsc condition unknown#x");
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 3u);
  EXPECT_EQ((*rows)[0].model, "ptx-7.5");
  EXPECT_EQ((*rows)[0].path, "a.litmus");
  EXPECT_EQ((*rows)[0].expected, Status::fails);
  EXPECT_EQ((*rows)[1].property, "races");
  EXPECT_EQ((*rows)[1].expected, Status::holds);
  EXPECT_EQ((*rows)[2].expected, Status::unknown);
  EXPECT_EQ(read_lines("")->size(), 0u);
  for (const char* bad :
       {"ptx-7.5 condition\n", "ptx-7.5 condition 1\n", "m condition holds really\n", "m conditoin holds\n"})
    EXPECT_FALSE(read_lines(bad).has_value()) << bad;
  EXPECT_NE(render(read_lines("m races holds\nm races\n").error()).find("a.expect:2:1: error: "), std::string::npos);
}
