// docs/cat.md says what the program does: its table of the vocabulary is the vocabulary, its rules are those of
// the linter, and its example is a model without findings.
#include "cat/library.h"
#include "cat/resolve.h"
#include "text.h"

namespace fencepost::cat {
namespace {

std::string page() {
  const auto source = read_source(FENCEPOST_SOURCE_DIR "/docs/cat.md");
  EXPECT_TRUE(source.has_value());
  return source ? (*source)->text : "";
}

std::string dialects(uint8_t mask) {
  if (mask == 7) return "all";
  std::string out;
  for (vocab::Dialect d : {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl})
    if (mask & (1u << static_cast<int>(d))) out += (out.empty() ? "" : ", ") + std::string(vocab::name(d));
  return out;
}

TEST(Docs, VocabularyIsComplete) {
  const std::string text = page();
  for (const auto& t : vocab::tags()) {
    const std::string row = std::string("| `") + t.name + "` | " + dialects(t.dialects) + " | " + t.meaning + " |\n";
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
  for (const auto& b : vocab::bases()) {
    const char* kind = b.kind == vocab::BaseKind::fixed     ? "fixed"
                       : b.kind == vocab::BaseKind::dynamic ? "dynamic"
                                                            : "existential";
    const std::string row =
        std::string("| `") + b.name + "` | " + dialects(b.dialects) + " | " + kind + " | " + b.meaning + " |\n";
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

TEST(Docs, TheExampleIsClean) {
  const std::string text = page();
  const size_t begin = text.find("```\n") + 4;
  const std::string example = text.substr(begin, text.find("```", begin) - begin);
  const SourcePtr source = make_source("example.cat", example);
  for (const LintFinding& f : lint_text(source, options_for("example.cat", vocab::Dialect::ptx)))
    ADD_FAILURE() << render(f.diagnostic);
  EXPECT_EQ(load_text(source, options_for("example.cat", vocab::Dialect::ptx))->axioms.size(), 4u)
      << "three and that of the prelude";
}

TEST(Docs, TheDiagnosticIsTheOneShown) {
  const auto m = load_text(make_source("models/mine.cat", "\n\n\nlet x = (rf; W)"), {});
  ASSERT_FALSE(m.has_value());
  EXPECT_NE(page().find(render(m.error())), std::string::npos) << render(m.error());
}

}  // namespace
}  // namespace fencepost::cat
