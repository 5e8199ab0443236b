#include "cli/pages.h"

#include <gtest/gtest.h>

namespace fencepost::cli {
namespace {

TEST(Pages, AManualPageHasTheSectionsOfTheHelpText) {
  const std::string page =
      manual_page("fencepost-x",
                  "fencepost x - do it\n\nSYNOPSIS\n    fencepost x FILE\n\nDESCRIPTION\n    One\n    two.\n\n"
                  "    'Next'.\n\nOPTIONS\n    -n, --name NAME\n        A name, as a\\b.\n");
  EXPECT_NE(page.find(".SH NAME\nfencepost\\-x \\- do it\n"), std::string::npos) << page;
  EXPECT_NE(page.find(".SH SYNOPSIS\n.nf\nfencepost x FILE\n.fi\n"), std::string::npos) << page;
  // A line that begins with a quotation mark is no request, and the first paragraph needs no .PP.
  EXPECT_NE(page.find(".SH DESCRIPTION\nOne\ntwo.\n.PP\n\\&'Next'.\n"), std::string::npos) << page;
  EXPECT_NE(page.find(".TP\n.B \\-n, \\-\\-name NAME\nA name, as a\\eb.\n"), std::string::npos) << page;
}

TEST(Pages, OptionsAreReadFromAHelpText) {
  const auto options = options_in(
      "    --size=N,N\n        How many.\n    -D NAME[=VALUE]\n        Define.\n    --quiet\n        Hush.\n    "
      "-j, --jobs N\n        Jobs.\n");
  ASSERT_EQ(options.size(), 4u);
  EXPECT_EQ(options[0].spellings, std::vector<std::string>{"--size"});
  EXPECT_TRUE(options[0].takes_value);
  EXPECT_EQ(options[1].spellings, std::vector<std::string>{"-D"});
  EXPECT_TRUE(options[1].takes_value);
  EXPECT_FALSE(options[2].takes_value);
  EXPECT_EQ(options[2].help, "Hush.");
  EXPECT_EQ(options[3].spellings, (std::vector<std::string>{"-j", "--jobs"}));
  EXPECT_TRUE(options[3].takes_value);
}

TEST(Pages, CompletionsKnowVerbsOptionsAndValues) {
  const std::vector<CompletedVerb> verbs = {
      {"check", "decide", {{{"-e", "--engine"}, {"solve", "both"}, true, "How it's done"}}},
      {"progress run", "run", {}}};
  const std::string bash = completion(Shell::bash, verbs);
  EXPECT_NE(bash.find("help check progress"), std::string::npos) << bash;
  EXPECT_NE(bash.find("-e|--engine) values=\"solve both\""), std::string::npos) << bash;
  const std::string fish = completion(Shell::fish, verbs);
  EXPECT_NE(fish.find("-s e -l engine -x -a 'solve both' -d 'How it'\\''s done'"), std::string::npos) << fish;
  EXPECT_NE(fish.find("-n '__fish_seen_subcommand_from progress' -a run -d 'run'"), std::string::npos) << fish;
}

TEST(Pages, WhatIsNoPageIsRefused) {
  const auto prove = [] { return std::string("    --warp\n        Warps.\n"); };
  EXPECT_FALSE(page({"--man", "nothing"}, prove));
  EXPECT_FALSE(page({"--completion", "csh"}, prove));
  EXPECT_FALSE(page({"--pages"}, prove));
  EXPECT_TRUE(page({"--man", "progress", "check"}, prove));
  const auto bash = page({"--completion", "bash"}, prove);
  ASSERT_TRUE(bash);
  EXPECT_NE(bash->find("options=\"--warp\""), std::string::npos);
}

}  // namespace
}  // namespace fencepost::cli
