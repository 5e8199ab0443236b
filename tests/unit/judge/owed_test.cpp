// Campaigns that are not finished have no verdict: what is missing is named.
#include <gtest/gtest.h>

#include <filesystem>

#include "campaign/conduct.h"
#include "campaign/identity.h"
#include "judge/judge.h"
#include "read/read.h"

using namespace fencepost;
using namespace fencepost::judge;

namespace {

template <class T>
T value(Expected<T> e) {
  if (!e) throw std::runtime_error(render(e.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*e);
}

class OwedOf : public testing::Test {
 protected:
  OwedOf() {
    std::string name = (std::filesystem::temp_directory_path() / "fencepost-owed-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    store_ = std::make_unique<store::Store>(value(store::Store::open(folder_ + "/a.db")));
  }
  ~OwedOf() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  prog::Test test(const std::string& title) const {
    return value(read::parse_one(make_source(
        "t.litmus", "PTX " + title + "\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ld.relaxed.gpu r0, x ;\nexists (0:r0 = 1)\n")));
  }
  void plan(const std::string& text, const std::string& name = "c") {
    value(store_->remember_plan(name, "name = \"" + name + "\"\ntests = [\"t\"]\n" + text));
  }
  void remember(const std::string& title) {
    value(store_->remember_test(campaign::hash_of(test(title)), campaign::text_of(test(title))));
  }
  void row(const std::string& title, uint64_t instances, double seconds = 1,
           const std::string& configuration = "default", const std::string& device = "cuda X", uint32_t group = 0,
           const std::string& campaign = "c") {
    remember(title);
    store::Record r;
    r.campaign = campaign;
    r.test = title;
    r.test_hash = campaign::hash_of(test(title));
    r.device = device;
    r.configuration = configuration;
    r.group = group;
    r.what_ran = r.evidence = "as-written";
    r.seconds = seconds;
    r.instances = instances;
    r.states = {{"0:r0=0;", instances}};
    value(store_->add(r));
  }
  std::vector<Owed> owed() { return value(judge::owed(*store_, value(observations(*store_)))); }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(OwedOf, NothingWhenEveryWorkReachedItsEnd) {
  plan("devices = [\"cuda\"]\niterations = 100\n");
  row("A", 60, 1, "default", "cuda X", 0);
  row("A", 40, 1, "default", "cuda X", 1);  // groups add up
  row("B", 100);
  EXPECT_TRUE(owed().empty());
}

TEST_F(OwedOf, AWorkThatIsTooShort) {
  plan("devices = [\"cuda\"]\niterations = 100\n");
  row("A", 99);
  row("B", 100);
  const auto o = owed();
  ASSERT_EQ(o.size(), 1u);
  EXPECT_EQ(o[0].test, "A");
  EXPECT_EQ(o[0].instances, 99u);
  EXPECT_NE(sentence(o).find("1 of its works is missing or too short, for example A on cuda X, default, with 99"),
            std::string::npos)
      << sentence(o);
}

TEST(Owed, NamesOfAHostileStoreStayInTheirLine) {
  const std::string said = sentence({{"c", "A\nall is well", "cuda\x1b[31m", "p\xff", 0}});
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  EXPECT_EQ(said.find('\x1b'), std::string::npos) << said;
  EXPECT_EQ(said.find('\xff'), std::string::npos) << said;
  Judged j;
  j.owed = {{"c", "A", "cuda", "<script>", 0}};
  EXPECT_EQ(to_markdown(j).find("<script>"), std::string::npos) << to_markdown(j);
  EXPECT_NE(to_markdown(j).find("0 results, 0 instances."), std::string::npos) << to_markdown(j);
}

TEST_F(OwedOf, ATestThatNeverBegan) {
  plan("devices = [\"cuda\"]\niterations = 100\n");
  row("A", 100);
  remember("B");
  ASSERT_EQ(owed().size(), 1u);
  EXPECT_EQ(owed()[0].test, "B");
  EXPECT_EQ(owed()[0].instances, 0u);
}

TEST_F(OwedOf, AConfigurationThatNeverBegan) {
  plan(
      "devices = [\"cuda\"]\nseconds = 1\n[[configuration]]\nname = \"p\"\ntests = [\"A\"]\n"
      "[[configuration]]\nname = \"q\"\n");
  row("A", 100, 1, "p");
  row("B", 100, 1, "q");  // p is not for B
  ASSERT_EQ(owed().size(), 1u);
  EXPECT_EQ(owed()[0].configuration, "q");
  row("A", 100, 1, "q");
  EXPECT_TRUE(owed().empty());
}

TEST_F(OwedOf, ADeviceThatNeverBegan) {
  plan("devices = [\"cuda:0\", \"vulkan:0\"]\niterations = 100\n");
  row("A", 100);
  ASSERT_EQ(owed().size(), 1u);
  EXPECT_EQ(owed()[0].device, "vulkan:0");
  row("A", 100, 1, "default", "vulkan Y");
  EXPECT_TRUE(owed().empty());
}

TEST_F(OwedOf, SeveralDevicesInOneRunAreOfTheirInterface) {
  plan("devices = [\"cpu+host\", \"cuda:0+1\"]\niterations = 100\n");
  row("A", 100, 1, "default", "cpu Y + Y");
  ASSERT_EQ(owed().size(), 1u);
  EXPECT_EQ(owed()[0].device, "cuda:0+1");
  row("A", 100, 1, "default", "cuda 2 x X");
  EXPECT_TRUE(owed().empty());
}

TEST_F(OwedOf, EachDeviceOfOneInterfaceIsAskedForEachTest) {
  plan("devices = [\"cuda:0\", \"cuda:1\"]\niterations = 100\n");
  row("A", 100);
  row("A", 100, 1, "default", "cuda Z");
  row("B", 100, 1, "default", "cuda Z");
  ASSERT_EQ(owed().size(), 1u);  // once, though two devices of the plan are of this interface
  EXPECT_EQ(owed()[0].test, "B");
  EXPECT_EQ(owed()[0].device, "cuda X");
}

TEST_F(OwedOf, TestsOfAnotherCampaignAreItsOwn) {
  plan("devices = [\"cuda\"]\niterations = 100\n");
  plan("devices = [\"cuda\"]\niterations = 7\n", "d");
  row("A", 100);
  row("B", 7, 1, "default", "cuda X", 0, "d");
  EXPECT_TRUE(owed().empty());
}

TEST_F(OwedOf, RunsWithoutAPlanOweNothing) {
  row("A", 1, 1, "default", "cuda X", 0, "");
  remember("B");
  EXPECT_TRUE(owed().empty());
}

TEST_F(OwedOf, OutcomesThatDoNotShowAreAskedLonger) {
  plan("devices = [\"cuda\"]\nseconds = 1\nunseen_seconds = 3\n");
  row("A", 100, 2);
  EXPECT_EQ(owed().size(), 1u);
  row("A", 100, 1, "default", "cuda X", 1);
  EXPECT_TRUE(owed().empty());
}

// Violated is a verdict whatever is missing; consistent is none.
TEST_F(OwedOf, DecidesTheExitStatus) {
  Judged j;
  j.list.emplace_back().standing = Standing::consistent;
  EXPECT_EQ(j.exit_code(), 0);
  j.owed.push_back({"c", "A", "cuda X", "default", 0});
  EXPECT_EQ(j.exit_code(), 3);
  j.list.emplace_back().standing = Standing::violated;
  EXPECT_EQ(j.exit_code(), 1);
}

}  // namespace
