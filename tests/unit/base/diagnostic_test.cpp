#include "base/diagnostic.h"

#include <gtest/gtest.h>

using namespace fencepost;

namespace {

SourcePtr sample() { return make_source("mp.litmus", "PTX MP\n{ x=0; }\n ld.acquire r0, y ;\n\tst x, 1"); }

Span find(const SourcePtr& s, std::string_view word) {
  const auto at = static_cast<uint32_t>(s->text.find(word));
  return {s, at, at + static_cast<uint32_t>(word.size())};
}

}  // namespace

TEST(Span, PositionsAreOneBased) {
  const SourcePtr s = sample();
  EXPECT_EQ(find(s, "PTX").location(), "mp.litmus:1:1");
  EXPECT_EQ(find(s, "{ x").location(), "mp.litmus:2:1");
  EXPECT_EQ(find(s, "ld.acquire").location(), "mp.litmus:3:2");
  EXPECT_EQ(find(s, "ld.acquire").text(), "ld.acquire");
  const Span end{s, static_cast<uint32_t>(s->text.size()), static_cast<uint32_t>(s->text.size())};
  EXPECT_EQ(end.location(), "mp.litmus:4:9");
  const Span beyond{s, 100000, 100001};
  EXPECT_EQ(beyond.location(), "mp.litmus:4:9");
  EXPECT_EQ(beyond.text(), "");
  EXPECT_EQ(Span{}.location(), "");
  EXPECT_EQ(Span{}.position().line, 0u);
}

TEST(Span, JoinCoversBothAndLayoutIsNotMeaning) {
  const SourcePtr s = sample();
  EXPECT_EQ(join(find(s, "r0"), find(s, "ld")).text(), "ld.acquire r0");
  EXPECT_EQ(join(Span{}, find(s, "ld")).text(), "ld");
  EXPECT_EQ(find(s, "r0"), find(s, "ld"));
}

TEST(Diagnostic, RendersPlaceLineCaretAndHint) {
  const SourcePtr s = sample();
  const auto e = error_at(find(s, "ld.acquire"), "'ld.acquire' needs a scope here", "add .cta, .gpu or .sys");
  EXPECT_EQ(render(e.error()),
            "mp.litmus:3:2: error: 'ld.acquire' needs a scope here\n"
            "   3 |  ld.acquire r0, y ;\n"
            "     |  ^~~~~~~~~~\n"
            "     = hint: add .cta, .gpu or .sys\n");
}

TEST(Diagnostic, TabsKeepTheCaretInPlace) {
  const SourcePtr s = sample();
  const auto e = error_at(find(s, "st x"), "no mode");
  EXPECT_EQ(render(e.error()), "mp.litmus:4:2: error: no mode\n   4 | \tst x, 1\n     | \t^~~~\n");
}

TEST(Diagnostic, TheEndOfTheTextAndNoPlaceAtAll) {
  const SourcePtr s = make_source("a", "x\n");
  EXPECT_EQ(render(error_at({s, 2, 2}, "text ends early").error()),
            "a:2:1: error: text ends early\n   2 | \n     | ^\n");
  EXPECT_EQ(render(error_at({s, 0, 200}, "long").error()), "a:1:1: error: long\n   1 | x\n     | ^\n");
  EXPECT_EQ(render(error_at({}, "no such file", "look again").error()),
            "error: no such file\n     = hint: look again\n");
  EXPECT_EQ(render(unsupported_at({}, "images").error()), "error: unsupported: images\n");
  EXPECT_EQ(render(error_at({make_source("-", ""), 0, 0}, "empty").error()), "-:1:1: error: empty\n");
}

TEST(Diagnostic, WideCharactersTakeOneColumn) {
  const SourcePtr s = make_source("u", "\xc3\xa9\xc3\xa9 bad");
  EXPECT_EQ(render(error_at({s, 5, 8}, "m").error()), "u:1:6: error: m\n   1 | \xc3\xa9\xc3\xa9 bad\n     |    ^~~\n");
}

TEST(Diagnostic, ListsKnowTheirErrors) {
  Diagnostics ds;
  ds.add({Severity::warning, Fault::bad_input, {}, "w", ""});
  EXPECT_FALSE(ds.has_errors());
  ds.append(error_at({}, "e").error());
  EXPECT_TRUE(ds.has_errors());
  EXPECT_EQ(render(ds), "warning: w\nerror: e\n");
}

TEST(Nearest, FindsTyposAndNothingElse) {
  const std::vector<std::string> names = {"rf", "po", "co", "sync_fence", "syncbar", "NONPRIV", "addr", "data"};
  EXPECT_EQ(nearest("sync-fence", names), "sync_fence");
  EXPECT_EQ(nearest("NONPRI", names), "NONPRIV");
  EXPECT_EQ(nearest("nonpriv", names), "NONPRIV");
  EXPECT_EQ(nearest("adrd", names), "addr");
  EXPECT_EQ(nearest("fr", names), "rf");
  EXPECT_EQ(nearest("zzzzzz", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(InvariantDeathTest, EndsWithFour) {
  EXPECT_EXIT(FENCEPOST_INVARIANT(1 + 1 == 3, "sums are off"), testing::ExitedWithCode(4), "sums are off");
}
