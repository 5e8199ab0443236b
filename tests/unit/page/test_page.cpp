#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>

#include "page/page.h"
#include "page/plot.h"

using namespace fencepost;
using namespace fencepost::page;

namespace {

size_t count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

// Two devices, twelve configurations, series, splits, mutants, a test never seen: something for every section. Names
// are hostile.
analysis::Table table() {
  analysis::Table t;
  t.name = "<script>alert(1)</script>";
  t.format = "store & more";
  std::mt19937_64 random(5);
  for (const char* d : {"chip \"A\"", "chip <B>"}) t.device(d);
  for (const char* n : {"MP", "SB'\"<img src=x onerror=alert(2)>", "LB~1", "never & seen"}) t.test(n);
  t.tests[2].mutator = "one-step <weakening>";
  t.tests[2].parent = "never & seen";
  for (int c = 0; c < 12; ++c) t.configuration("c" + std::to_string(c) + "</td>");
  for (uint32_t d = 0; d < 2; ++d)
    for (uint32_t k = 0; k < 4; ++k)
      for (uint32_t c = 0; c < 12; ++c) {
        analysis::Cell& x = t.at(d, k, c);
        x.measured = true;
        x.instances = 100000;
        x.seconds = 0.5 + 0.1 * c;
        x.weak = k == 3 ? 0 : (random() % 50) * (c + 1);
        x.split = analysis::Split{90000, 10000 - x.weak, x.weak};
        for (int r = 0; r < 200; ++r) x.rounds.push_back(k == 3 ? 0 : static_cast<double>(random() % 4));
        for (uint64_t g = 0; g < x.weak; ++g) x.gaps.push_back(1 + static_cast<double>(random() % 1000));
      }
  return t;
}

std::string page_of(const analysis::Table& t) {
  return html({{t, analysis::analyse(t, {}), std::nullopt}}, {.made_by = "the test"});
}

// Every element that is opened is closed, in order.
std::string unbalanced(const std::string& text) {
  static const std::regex tag("<(/?)([a-zA-Z0-9]+)([^>]*)>");
  std::vector<std::string> open;
  for (std::sregex_iterator it(text.begin(), text.end(), tag), end; it != end; ++it) {
    const std::string name = (*it)[2], rest = (*it)[3];
    if (name == "meta" || rest.ends_with("/")) continue;
    if ((*it)[1] == "/") {
      if (open.empty() || open.back() != name)
        return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
      open.pop_back();
    } else {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : open.back() + " stays open";
}

}  // namespace

TEST(Page, HasEverySection) {
  const std::string p = page_of(table());
  for (const char* id :
       {"devices", "kinds", "rates", "arrivals", "certainty", "steady", "tuning", "portable", "together", "mutants"}) {
    EXPECT_NE(p.find(std::string("<h2 id=\"") + id + "\">"), std::string::npos) << id;
    EXPECT_NE(p.find(std::string("href=\"#") + id + "\""), std::string::npos) << id;
  }
  EXPECT_EQ(unbalanced(p), "");
}

TEST(Page, EscapesEverythingAndLoadsNothing) {
  const std::string p = page_of(table());
  for (const char* hostile :
       {"<script>alert", "<img", "chip <B>", "</td></td>", "one-step <weakening>", "store & more", "never & seen"})
    EXPECT_EQ(p.find(hostile), std::string::npos) << hostile;
  EXPECT_NE(p.find("&lt;script&gt;"), std::string::npos);
  for (const char* loads : {"http://", "https://", " src=\"", "@import", "url(", "<link", "<iframe"})
    EXPECT_EQ(p.find(loads), std::string::npos) << loads;
  EXPECT_NE(p.find("default-src 'none'"), std::string::npos);
}

TEST(Page, EveryPlotHasWordsAndATable) {
  const std::string p = page_of(table());
  const size_t plots = count(p, "<svg ");
  EXPECT_GE(plots, 14u);
  EXPECT_EQ(count(p, "role=\"img\" aria-label=\""), plots);
  EXPECT_EQ(count(p, "<desc>"), plots);
  EXPECT_EQ(count(p, "<figure>"), plots);
  EXPECT_EQ(count(p, "The numbers of this plot"), plots);
  EXPECT_EQ(count(p, "<caption>"), count(p, "<table>"));
  EXPECT_EQ(p.find("\"nan"), std::string::npos);
  EXPECT_EQ(p.find("=\"inf"), std::string::npos);
  EXPECT_EQ(p.find("width=\"-"), std::string::npos);
}

// What no model judged, what is owed, and silence under stress that shows nothing are no PASS.
TEST(Page, TheVerdictIsThatOfTheWorstResult) {
  using judge::Allowed;
  using judge::Standing;
  const auto result = [](const char* title, Standing standing, Allowed condition, bool weakening_seen) {
    judge::Judgement j;
    j.seen.test.title = title;
    j.seen.device = "d";
    j.seen.instances = 100;
    j.model = "m";
    j.standing = standing;
    j.condition = condition;
    j.reason = "the reason";
    if (weakening_seen) j.weakenings = {{"MP~1", "weaker", Allowed::yes, true, 3, 100}};
    return j;
  };
  const auto word = [](std::optional<judge::Judged> judged) {
    analysis::Table t;
    t.device("d");
    const std::string p = html({{t, analysis::analyse(t, {}), std::move(judged)}}, {});
    const size_t at = p.find("<strong>", p.find("class=\"verdict"));
    return p.substr(at + 8, p.find("</strong>", at) - at - 8);
  };
  judge::Judged j;
  EXPECT_EQ(word(std::nullopt), "MEASURED");
  j.list = {result("SB", Standing::consistent, Allowed::yes, false)};
  EXPECT_EQ(word(j), "INCOMPLETE") << "nothing that is forbidden was asked for";
  j.list.push_back(result("MP", Standing::consistent, Allowed::no, false));
  EXPECT_EQ(word(j), "INCOMPLETE");
  j.list.back() = result("MP", Standing::consistent, Allowed::no, true);
  EXPECT_EQ(word(j), "PASS");
  judge::Judged silent = j;  // one of three weaker forms was seen
  for (const char* title : {"S", "2+2W"})
    silent.list.push_back(result(title, Standing::consistent, Allowed::no, false));
  EXPECT_EQ(word(silent), "NOTHING FORBIDDEN SEEN");
  j.owed = {{"c", "LB", "d", "default", 0}};
  EXPECT_EQ(word(j), "INCOMPLETE");
  j.owed.clear();
  j.list.push_back(result("LB", Standing::suspected, Allowed::no, true));
  EXPECT_EQ(word(j), "INCOMPLETE");
  j.list.push_back(result("R", Standing::violated, Allowed::no, true));
  EXPECT_EQ(word(j), "FAIL");
}

TEST(Page, RowsOfTwoDevicesHaveTwoNames) {
  analysis::Table t;
  judge::Judged j;
  for (const char* d : {"first", "second"}) {
    t.device(d);
    judge::Judgement one;
    one.seen.test.title = "SB";
    one.seen.device = d;
    one.seen.instances = 100;
    one.positive = 3;
    one.condition = judge::Allowed::yes;
    j.list.push_back(one);
  }
  const std::string p = html({{t, analysis::analyse(t, {}), j}}, {});
  EXPECT_NE(p.find(">SB \u00B7 first<"), std::string::npos);
  EXPECT_NE(p.find(">SB \u00B7 second<"), std::string::npos);
}

TEST(Page, IsTheSameForTheSameInput) { EXPECT_EQ(page_of(table()), page_of(table())); }

TEST(Page, LongTablesAreCutAloud) {
  analysis::Table t;
  t.device("d");
  t.configuration("c");
  for (int k = 0; k < 50; ++k) {
    analysis::Cell& c = t.at(0, t.test("T" + std::to_string(k)), 0);
    c.measured = true;
    c.weak = 5;
    c.instances = 100;
  }
  const std::string p = html({{t, analysis::analyse(t, {}), std::nullopt}}, {.most_rows = 10});
  EXPECT_NE(p.find("and 40 more rows"), std::string::npos);
}

TEST(Page, AnEmptyTableIsAPage) {
  analysis::Table t;
  EXPECT_EQ(unbalanced(page_of(t)), "");
  t.sightings = true;
  analysis::Cell& c = t.at(t.device("d"), t.test("T"), t.configuration("all"));
  c.measured = true;
  c.weak = 1;
  EXPECT_EQ(unbalanced(page_of(t)), "");
}

TEST(Plot, EmptyPlotsAreEmpty) {
  const Words w{"t", "d"};
  EXPECT_EQ(stacked_bars(w, {}, {}, true), "");
  EXPECT_EQ(grouped_bars(w, {}, {}, 1), "");
  EXPECT_EQ(histogram(w, {}, false, ""), "");
  EXPECT_EQ(histogram(w, {{0, 1, 0}}, false, ""), "");
  EXPECT_EQ(step_curves(w, {{"a", {{1, 0}}}}, "", "", true), "");
  EXPECT_EQ(dots(w, {}, "", axis_of({})), "");
  EXPECT_EQ(matrix(w, {}, {}), "");
}

// Names of generated tests are long and differ anywhere.
TEST(Plot, LongLabelsStandAboveTheirRows) {
  const Words w{"t", "d"};
  const std::string name = "3.SB+weak-fence.sc.cta-weak+weak-fence.sc.gpu-weak", other = name + "@01.2 with stress";
  const std::string shorts = stacked_bars(w, {}, {{"MP", {1}, ""}, {"SB", {1}, ""}}, true);
  EXPECT_NE(shorts.find("text-anchor=\"end\">MP<"), std::string::npos) << shorts;
  for (const std::string& svg : {stacked_bars(w, {}, {{name, {1}, ""}, {other, {1}, ""}}, true),
                                 grouped_bars(w, {}, {{name, {1}, ""}, {other, {1}, ""}}, 1),
                                 dots(w, {{name, 1, {0.5, 2}}, {other, 1, {0.5, 2}}}, "", {-1, 1})}) {
    EXPECT_NE(svg.find(">" + name + "<"), std::string::npos) << svg;
    EXPECT_NE(svg.find("with stress<"), std::string::npos) << "the end of a name is shown";
  }
}

// Side by side they are compared, so they have one axis; a family is cut only where it is longer than a figure.
TEST(Plot, FamiliesStandTogetherInFiguresOfOneAxis) {
  std::vector<Dot> rows;
  for (int i = 0; i < 9; ++i)
    rows.push_back({"T" + std::to_string(i),
                    std::pow(10.0, -i),
                    {std::pow(10.0, -i) / 2, std::pow(10.0, -i) * 2},
                    true,
                    0,
                    'o',
                    "",
                    i % 3 == 0   ? "MP"
                    : i % 3 == 1 ? "SB"
                                 : "LB"});
  const auto figures = in_figures(rows, 6);
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].size(), 6u);
  EXPECT_EQ(figures[1].size(), 3u);
  for (const Dot& d : figures[1]) EXPECT_EQ(d.group, "LB");
  ASSERT_EQ(in_figures(rows, 2).size(), 6u);
  const Axis axis = axis_of(rows);
  EXPECT_EQ(axis.floor, -9);
  EXPECT_EQ(axis.ceiling, 1);
  const std::string svg = dots({"t", "d"}, figures[0], "", axis);
  EXPECT_NE(svg.find("font-weight=\"bold\">MP<"), std::string::npos) << svg;
  EXPECT_NE(svg.find("font-weight=\"bold\">SB<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">1e-9<"), std::string::npos) << "the axis of all rows";
}

TEST(Plot, TicksAreShort) {
  EXPECT_EQ(tick_text(0), "0");
  EXPECT_EQ(tick_text(250), "250");
  EXPECT_EQ(tick_text(20000), "20000");
  EXPECT_EQ(tick_text(1e6), "1e6");
  EXPECT_EQ(tick_text(2.5e-7), "2.5e-7");
  EXPECT_EQ(tick_text(1e-5), "1e-5");
}

// The page in a browser, on a desk and on a phone: FENCEPOST_BROWSER names a Chromium.
TEST(Page, IsAsWideAsItsScreen) {
  const char* browser = std::getenv("FENCEPOST_BROWSER");
  if (browser == nullptr) GTEST_SKIP() << "FENCEPOST_BROWSER is not set: no browser to show the page in";
  std::string folder = (std::filesystem::temp_directory_path() / "fencepost-page-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  // A frame as wide as the screen says how wide the page in it is; scripts are allowed in these copies only.
  std::string p = page_of(table());
  const size_t policy = p.find("<meta http-equiv");
  p.erase(policy, p.find('>', policy) + 1 - policy);
  p.insert(p.find("</body>"), "<script>parent.postMessage(document.documentElement.scrollWidth,'*')</script>");
  std::ofstream(folder + "/page.html") << p;
  for (const int width : {1280, 768, 360}) {
    std::ofstream(folder + "/frame.html")
        << "<!DOCTYPE html><title>none</title><script>addEventListener('message',e=>{document.title='wide "
           "'+e.data})</script><iframe style='border:0;height:800px;width:"
        << width << "px' src='page.html'></iframe>";
    const std::string out = folder + "/dom.txt";
    const std::string command =
        std::string("timeout 60 ") + browser +
        " --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 --window-size=1400,900 --dump-dom file://" +
        folder + "/frame.html > " + out + " 2> /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream in(out);
    const std::string dom((std::istreambuf_iterator<char>(in)), {});
    std::smatch m;
    ASSERT_TRUE(std::regex_search(dom, m, std::regex("<title>wide (\\d+)</title>"))) << dom.substr(0, 300);
    EXPECT_LE(std::stoi(m[1]), width);
  }
  std::filesystem::remove_all(folder);
}
