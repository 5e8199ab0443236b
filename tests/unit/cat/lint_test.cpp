// The linter's rules, and the law that misspelling any one identifier of a shipped model is noticed.
#include <algorithm>
#include <filesystem>

#include "cat/lexer.h"
#include "cat/library.h"
#include "cat/resolve.h"
#include "text.h"

namespace fencepost::cat {
namespace {

namespace fs = std::filesystem;

std::vector<LintFinding> linted(const std::string& body, LoadOptions options = {}) {
  return lint_text(make_source("test.cat", body), options);
}

// "rule line:column" of every finding that is not a note.
std::vector<std::string> findings(const std::string& body, LoadOptions options = {}) {
  std::vector<std::string> out;
  for (const LintFinding& f : linted(body, options)) {
    if (f.diagnostic.severity == Severity::note) continue;
    const Position at = f.diagnostic.span.position();
    out.push_back(f.rule + " " + std::to_string(at.line) + ":" + std::to_string(at.column));
  }
  return out;
}

using Strings = std::vector<std::string>;

TEST(Lint, ACleanModelHasNoFindings) {
  EXPECT_EQ(findings("\"t\"\n(* axioms: a b *)\nlet hb = po | rf\nacyclic hb as a\nflag ~empty (hb; co) as b"),
            Strings{});
}

TEST(Lint, Unused) {
  EXPECT_EQ(findings("let x = po\nlet f(r, s) = r\nempty f(rf, co)"),
            (Strings{"unused 1:5", "unused 2:10", "unnamed-axiom 3:1"}));
  EXPECT_EQ(findings("let rec x = po | (x; x)"), Strings{"unused 1:9"}) << "its own recursion is no use";
  EXPECT_EQ(findings("let x = po\nlet x = x; x\n(* axioms: a *)\nacyclic x as a"), Strings{});
  EXPECT_EQ(findings("let x = po\nlet x = rf\n(* axioms: a *)\nacyclic x as a"), Strings{"unused 1:5"});
  EXPECT_EQ(findings("(* provides: x f *)\nlet x = po let f(r) = r let y = po"), Strings{"unused 2:29"});
  EXPECT_EQ(findings("procedure p(r) = acyclic r end let x = let y = po in rf show x"),
            (Strings{"unused 1:11", "unused 1:44"}));
  EXPECT_EQ(findings("(* provides: z *)\nlet x = po show x"), Strings{"provides 1:1"});
}

TEST(Lint, Labels) {
  EXPECT_EQ(findings("acyclic po as a\nacyclic rf as b"), Strings{"label 1:15"}) << "no header, told once";
  EXPECT_EQ(findings("(* axioms: a c *)\nacyclic po as a acyclic rf as b"), (Strings{"label 1:1", "label 2:31"}));
  EXPECT_EQ(findings("(* axioms: a, b *)\nacyclic po as a flag ~empty rf as a"), (Strings{"label 1:1", "label 2:35"}));
  EXPECT_EQ(findings("(* shows: h *)\nshow po as h, rf as i"), Strings{"label 2:21"});
}

TEST(Lint, TitleAndHeaders) {
  EXPECT_EQ(findings("PTX\nshow po"), Strings{});
  EXPECT_EQ(findings("PTZ\nshow po"), Strings{"title 1:1"});
  EXPECT_EQ(findings("(* dialect: cuda *) show po"), Strings{"header 1:1"});
  EXPECT_EQ(findings("(* axioms: *) (* axioms: *) show po"), Strings{"header 1:15"});
}

TEST(Lint, NamesOfOtherDialects) {
  LoadOptions vulkan;
  vulkan.dialect = vocab::Dialect::vulkan;
  EXPECT_EQ(findings("show [CTA]; scta; [CTA]", vulkan), (Strings{"dialect 1:7", "dialect 1:13"}));
  EXPECT_EQ(findings("show [CTA]; scta"), Strings{});
  EXPECT_EQ(findings("(* dialect: vulkan *)\nshow [CTA]"), Strings{"dialect 2:7"});
}

TEST(Lint, ExpressionsThatAreAlwaysEmpty) {
  EXPECT_EQ(findings("show rf; rf"), Strings{"always-empty 1:6"});
  EXPECT_EQ(findings("show [R]; [F]"), Strings{"always-empty 1:6"});
  EXPECT_EQ(findings("show [R \\ W] ; co"), Strings{"always-empty 1:6"});
  EXPECT_EQ(findings("show po & ext"), Strings{"always-empty 1:6"});
  EXPECT_EQ(findings("show (po; po) & (rf & ext)"), Strings{"always-empty 1:6"});
  EXPECT_EQ(findings("show (rf & ext); (po | rf^-1 & ext); po"), Strings{});
  EXPECT_EQ(findings("show [M]; po; [~M & IW]"), Strings{"always-empty 1:16"});
  EXPECT_EQ(findings("let rec x = (rf; rf) | (x; po) show x"), Strings{"always-empty 1:13"});
  // An axiom is told as a whole.
  EXPECT_EQ(findings("(* axioms: a *)\nempty (([F & SC]; (po & loc); [F & SC]) \\ fsc) as a"),
            Strings{"always-empty 2:1"});
  EXPECT_EQ(findings("(* axioms: a *)\n(* vacuous: a *)\nempty (([F & SC]; (po & loc); [F & SC]) \\ fsc) as a"),
            Strings{});
  EXPECT_EQ(findings("(* axioms: a *)\n(* vacuous: b *)\nacyclic po as a"), Strings{"label 2:1"});
}

TEST(Lint, NotesAreNotWarnings) {
  const auto found = linted("let co = co+\nlet x = co let x = x; x enum e = 'a show x");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].rule, "shadow");
  EXPECT_EQ(found[1].rule, "shadow");
  EXPECT_EQ(found[2].rule, "ignored");
}

TEST(Lint, TypesInFunctionsThatNobodyCalls) {
  EXPECT_EQ(findings("(* provides: f g h *)\nlet f(s, r) = [s]; r\nlet g(x) = [x]; x\nlet h f x = f x"),
            Strings{"type 3:13"});
}

TEST(Lint, TryThatFails) { EXPECT_EQ(findings("let x = try S with po show x"), Strings{"try 1:13"}); }

TEST(Lint, Unshow) {
  EXPECT_EQ(findings("show po as hb unshow hb, po unshow pq (* shows: hb *)"), Strings{"unknown-name 1:36"});
}

// ---- shipped models

std::vector<fs::path> shipped_files() {
  std::vector<fs::path> out;
  for (const auto& e : fs::directory_iterator(models_dir()))
    if (e.path().extension() == ".cat") out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Shipped, EveryModelAndPreludeIsClean) {
  ASSERT_GE(shipped_files().size(), 3u);
  for (const fs::path& p : shipped_files()) {
    const LoadOptions options = options_for(p.string(), vocab::Dialect::ptx);
    for (const LintFinding& f : lint(p.string(), options))
      EXPECT_EQ(f.diagnostic.severity, Severity::note) << f.rule << "\n" << render(f.diagnostic);
  }
}

// Every occurrence of every identifier, renamed on its own. `renamed` in front keeps the new name unlike any
// other; a name one letter away would only change the hint.
TEST(Shipped, RenamingAnyOneIdentifierIsNoticed) {
  size_t tried = 0;
  for (const fs::path& p : shipped_files()) {
    const LoadOptions options = options_for(p.string(), vocab::Dialect::ptx);
    const auto source = read_source(p.string());
    ASSERT_TRUE(source.has_value());
    Symbols symbols;
    Findings none;
    const Lexed lexed = lex(*source, symbols, none);
    for (const Token& t : lexed.tokens) {
      if (t.kind != Tok::name) continue;
      std::string text = (*source)->text;
      text.insert(t.begin, "renamed-");
      const auto found = lint_text(make_source(p.string(), text), options);
      const bool noticed = std::any_of(found.begin(), found.end(),
                                       [](const LintFinding& f) { return f.diagnostic.severity != Severity::note; });
      EXPECT_TRUE(noticed) << Span{*source, t.begin, t.end}.location() << ": '" << Span{*source, t.begin, t.end}.text()
                           << "'";
      ++tried;
    }
  }
  RecordProperty("identifiers", static_cast<int>(tried));
  EXPECT_GT(tried, 300u);
}

}  // namespace
}  // namespace fencepost::cat
