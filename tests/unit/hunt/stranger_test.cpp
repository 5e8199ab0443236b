// Reports of stores that others have made: nothing of them acts in Markdown or in the HTML inside of it.
#include <gtest/gtest.h>

#include "hunt/report.h"

namespace fencepost::hunt {
namespace {

TEST(HuntStranger, NoTextOfAStoreActsInMarkdown) {
  const std::string evil = "<script>x</script> ](javascript:x) `a` | ```";
  Fault f{evil, "no-invalidate", evil, "ptxas-1.2.3 sm_90 -O3", evil, evil, evil, "0000 | " + evil + "\n", "", "",
          evil};
  f.table["ptxas-1.2.3 sm_90 -O0"] = evil;
  f.toolkit = evil;
  Summary s;
  s.faults = {f};
  size_t pages = 0;
  for (const ReportFile& file : report_files(s)) {
    if (!file.path.ends_with(".md")) continue;
    ++pages;
    bool block = false;
    for (size_t from = 0; from < file.text.size();) {
      const size_t to = std::min(file.text.find('\n', from), file.text.size());
      std::string line = file.text.substr(from, to - from);
      from = to + 1;
      const bool fence = line.starts_with("```");
      if (fence) block = !block;
      if (fence || block) continue;
      const std::string whole = line;
      // Outside of code spans.
      for (size_t open = 0; (open = line.find('`')) != std::string::npos;) {
        const size_t close = line.find('`', open + 1);
        ASSERT_NE(close, std::string::npos) << whole;
        line.erase(open, close + 1 - open);
      }
      EXPECT_EQ(line.find("<script"), std::string::npos) << file.path << ": " << line;
      EXPECT_EQ(line.find("](javascript"), std::string::npos) << file.path << ": " << line;
    }
    EXPECT_FALSE(block) << file.path;
  }
  EXPECT_EQ(pages, 2u);
}

}  // namespace
}  // namespace fencepost::hunt
