// A verdict that rests on a reading says so, with the sentence; and nothing is decided where nothing is asked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <utility>

#include "cat/library.h"
#include "ran.h"
#include "vocab/vocab.h"

namespace fencepost::cli {
namespace {

const std::string k_corpus = std::string(FENCEPOST_SOURCE_DIR) + "/tests/corpus/";

TEST(Readings, TheSentenceThatDecidesIsPrinted) {
  const Ran r = run_with({"check", "--readings", k_corpus + "vulkan-spec/barrier-narrow-scope.litmus"});
  EXPECT_NE(r.out.find("vulkan-alloy says"), std::string::npos) << r.out << r.err;
  EXPECT_NE(r.out.find("A and B are in the instance of C's execution scope"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("prior to OpenCL 3.1"), std::string::npos);

  const Ran j = run_with({"check", "--json", "--readings", k_corpus + "vulkan-spec/barrier-narrow-scope.litmus"});
  EXPECT_NE(j.out.find("\"readings\": ["), std::string::npos) << j.out;
  EXPECT_NE(j.out.find("\"model\": \"vulkan-alloy\""), std::string::npos);
  EXPECT_NE(j.out.find("\"sentences\": ["), std::string::npos);
}

// A verdict under answers that are not the defaults says which.
TEST(Readings, TheAnswersOfAVariantAreNamed) {
  const std::string test = std::string(FENCEPOST_SOURCE_DIR) + "/examples/ptx9/one-way+both.litmus";
  const Ran text = run_with({"check", "--variant", "P2=strict,P4=paired", test});
  EXPECT_NE(text.out.find("under ptx-9[P2=strict]\n"), std::string::npos) << text.out;
  const Ran json = run_with({"check", "--json", "--model", "ptx-9[P2=strict]", test});
  EXPECT_NE(json.out.find("\"model\": \"ptx-9[P2=strict]\""), std::string::npos) << json.out;
  EXPECT_NE(run_with({"check", test}).out.find("under ptx-9\n"), std::string::npos);
  EXPECT_NE(run_with({"explain", "--variant", "P2=strict", test}).out.find("ptx-9[P2=strict]"), std::string::npos);
  const Ran twice = run_with({"check", "--variant", "P2=strict,P2=intended", test});
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.err.find("variant 'P2' is answered twice"), std::string::npos) << twice.err;
}

// What an answer takes for granted where the document is open, if the answer is another one otherwise.
TEST(Readings, AnswersThatAVerdictRestsOnAreAssumptions) {
  const std::string folder = std::string(FENCEPOST_SOURCE_DIR) + "/examples/ptx9/";
  const std::string multimem = folder + "multimem.red+own-address.litmus";
  const std::string phases = folder + "mbarrier-phase-waited-for-elsewhere.litmus";
  const auto out = [](std::vector<std::string> words) {
    words.insert(words.begin(), "check");
    return run_with(words).out;
  };
  EXPECT_NE(out({multimem}).find("\n  assumes: MM=meet: 8.2.2, 8.7: "), std::string::npos) << out({multimem});
  EXPECT_NE(out({multimem}).find("(MM=alias says holds)"), std::string::npos) << out({multimem});
  EXPECT_NE(out({"--property", "races", multimem}).find("(MM=alias says fails)"), std::string::npos);
  EXPECT_NE(out({"--json", multimem}).find("\"MM=meet: 8.2.2"), std::string::npos);
  const std::string raced = out({"--property", "races", phases});
  EXPECT_NE(raced.find("\n  assumes: PW=any: 9.7.15.16.5.1: "), std::string::npos) << raced;
  EXPECT_NE(raced.find("(PW=own says fails)"), std::string::npos) << raced;
  // A reading that decides flags alone is none of a condition; nor is one that the user names, or that changes nothing.
  EXPECT_EQ(out({phases}).find("assumes"), std::string::npos);
  EXPECT_EQ(out({"--variant", "MM=meet", multimem}).find("assumes"), std::string::npos);
  EXPECT_EQ(out({"--variant", "MM=alias", multimem}).find("assumes"), std::string::npos);
  EXPECT_EQ(out({"--property", "races", folder + "bulk+mbarrier.litmus"}).find("assumes"), std::string::npos);
  EXPECT_EQ(out({folder + "ISA+multimem.red.litmus"}).find("assumes"), std::string::npos);
}

// Heads name questions of their model, the answer that it takes by default, and tags.
TEST(Readings, HeadsAssumeTheirDefaults) {
  size_t seen = 0;
  for (const cat::ModelInfo& m : cat::shipped_models())
    for (const cat::Assumed& a : cat::assumed_of(m.path)) {
      ++seen;
      const auto model = cat::load_model(m.path, m.dialect);
      ASSERT_TRUE(model.has_value());
      EXPECT_NE(std::find(model->variants.begin(), model->variants.end(), std::pair(a.name, a.answer)),
                model->variants.end())
          << m.name << ": " << a.name;
      for (const std::string& tag : a.needs)
        EXPECT_TRUE(vocab::find_tag(tag.substr(tag.starts_with('~') ? 1 : 0)).has_value()) << m.name << ": " << tag;
      EXPECT_FALSE(a.sentence.empty());
    }
  EXPECT_EQ(seen, 2u);
}

TEST(Readings, AgreementIsSaidToo) {
  const Ran r = run_with({"check", "--readings", k_corpus + "cuda/MP+none.litmus"});
  EXPECT_NE(r.out.find("cuda-volatile says " + std::string(r.code == 0 ? "holds" : "fails") + " too"),
            std::string::npos)
      << r.out;
  // A model without readings.
  const Ran none = run_with({"check", "--readings", "--model", "sc", k_corpus + "cuda/MP+none.litmus"});
  EXPECT_NE(none.err.find("names no other reading"), std::string::npos);
}

// Each differing pair of the table in docs/models.md is found under the names there.
TEST(Readings, HeadsNameModelsAndTags) {
  size_t seen = 0;
  for (const cat::ModelInfo& m : cat::shipped_models())
    for (const cat::Reading& r : cat::readings_of(m.path)) {
      ++seen;
      EXPECT_TRUE(cat::find_model(r.model).has_value()) << m.name << ": " << r.model;
      for (const std::string& tag : r.needs) EXPECT_TRUE(vocab::find_tag(tag).has_value()) << m.name << ": " << tag;
      EXPECT_NE(r.sentence.find(r.model + ":"), std::string::npos) << m.name << ": " << r.sentence;
    }
  EXPECT_GT(seen, 20u);
}

TEST(Readings, NothingAskedIsRefused) {
  const std::string path = ::testing::TempDir() + "nothing-asked.litmus";
  std::ofstream(path) << "PTX n\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\n";
  const Ran r = run_with({"check", path});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("no question is asked"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("--property races"), std::string::npos);
  EXPECT_EQ(run_with({"check", "--property", "races", path}).code, 0);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace fencepost::cli
