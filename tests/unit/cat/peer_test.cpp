// The published GPU models load as they are. FENCEPOST_PEER_CORPUS names a checkout of the tool that ships
// them; without it these tests are skipped.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "cat/library.h"
#include "cat/model.h"

namespace fencepost::cat {
namespace {

struct Case {
  const char* file;
  vocab::Dialect dialect;
  size_t axioms;  // with the two of stdlib.cat
  size_t flags;
};

class Peer : public testing::TestWithParam<Case> {
 protected:
  std::string folder() const {
    const char* root = std::getenv("FENCEPOST_PEER_CORPUS");
    return root == nullptr ? "" : std::string(root) + "/cat/";
  }
};

TEST_P(Peer, LoadsUnmodified) {
  if (folder().empty()) GTEST_SKIP() << "FENCEPOST_PEER_CORPUS is not set";
  const Case c = GetParam();
  LoadOptions options;
  options.dialect = c.dialect;
  const auto m = load_file(folder() + c.file, options);
  ASSERT_TRUE(m.has_value()) << render(m.error());
  EXPECT_EQ(m->axioms.size(), c.axioms);
  size_t flags = 0;
  for (const Axiom& a : m->axioms) flags += a.flag ? 1 : 0;
  EXPECT_EQ(flags, c.flags);
  // With the prelude of the dialect before it, as the program reads it.
  const auto full = load_file(folder() + c.file, options_for(folder() + c.file, c.dialect));
  ASSERT_TRUE(full.has_value()) << render(full.error());
  EXPECT_GE(full->axioms.size(), m->axioms.size());
  // Every finding of lint is one that the file deserves: no error, and no unknown name or type.
  for (const LintFinding& f : lint(folder() + c.file, options))
    EXPECT_NE(f.diagnostic.severity, Severity::error) << render(f.diagnostic);
  RecordProperty("nodes", static_cast<int>(m->nodes.size()));
}

INSTANTIATE_TEST_SUITE_P(Models, Peer,
                         testing::Values(Case{"ptx-v6.0.cat", vocab::Dialect::ptx, 9, 1},
                                         Case{"ptx-v7.5.cat", vocab::Dialect::ptx, 8, 1},
                                         Case{"vulkan.cat", vocab::Dialect::vulkan, 6, 2},
                                         Case{"vulkan-nochains.cat", vocab::Dialect::vulkan, 6, 2},
                                         Case{"opencl.cat", vocab::Dialect::opencl, 13, 3},
                                         Case{"opencl-herd.cat", vocab::Dialect::opencl, 14, 3}),
                         [](const auto& info) {
                           std::string name = info.param.file;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace fencepost::cat
