#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "draw/graph.h"
#include "draw/graphml.h"
#include "draw/layout.h"

namespace fencepost::draw {
namespace {

Graph mp() {
  Graph g;
  g.title = "MP <&> \"x\"";
  g.caption = "Rejected by axiom Causality: the cycle a -po-> b -sw-> c -po-> d -fr-> a.";
  g.columns = {{"P0", "cta 0, gpu 0"}, {"P1", "cta 1, gpu 0"}};
  g.nodes = {{"init x: W x = 0", "", 1, 0, false},
             {"a: W x = 1", "st.weak x, 1", 0, 1, true},
             {"b: W y = 1", "st.release.gpu y, 1", 0, 2, true},
             {"c: R y = 1", "ld.acquire.gpu r0, y", 1, 1, true},
             {"d: R x = 0", "ld.weak r1, x", 1, 2, true}};
  g.edges = {{1, 2, "po", "po", true},  {2, 3, "rf", "rf", false},   {2, 3, "sw", "sync", true},
             {3, 4, "po", "po", true},  {0, 4, "rf", "rf", false},   {4, 1, "fr", "fr", true},
             {0, 1, "co", "co", false}, {1, 4, "hb", "other", false}};
  return g;
}

Graph iriw() {
  Graph g;
  g.title = "IRIW";
  g.columns = {{"P0", "gpu 0"}, {"P1", "gpu 0"}, {"P2", "gpu 0"}, {"P3", "gpu 0"}};
  g.nodes = {{"init x: W x = 0", "", 0, 0, false},
             {"init y: W y = 0", "", 2, 0, false},
             {"a: W x = 1", "st.relaxed.gpu x, 1", 0, 1, true},
             {"b: R x = 1", "ld.relaxed.gpu r0, x", 1, 1, true},
             {"c: R y = 0", "ld.relaxed.gpu r1, y", 1, 2, true},
             {"d: W y = 1", "st.relaxed.gpu y, 1", 2, 1, true},
             {"e: R y = 1", "ld.relaxed.gpu r0, y", 3, 1, true},
             {"f: R x = 0", "ld.relaxed.gpu r1, x", 3, 2, true}};
  g.edges = {{2, 3, "rf", "rf", true}, {3, 4, "po", "po", true}, {4, 5, "fr", "fr", true},  {5, 6, "rf", "rf", true},
             {6, 7, "po", "po", true}, {7, 2, "fr", "fr", true}, {0, 7, "rf", "rf", false}, {1, 4, "rf", "rf", false}};
  return g;
}

bool well_formed(const std::string& xml) {  // tags balance, nothing unescaped
  std::vector<std::string> open;
  for (size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '&') {
      bool entity = false;
      for (const char* e : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) entity |= xml.compare(i, strlen(e), e) == 0;
      if (!entity) return false;
    }
    if (xml[i] != '<') continue;
    size_t end = xml.find('>', i);
    if (end == std::string::npos) return false;
    std::string tag = xml.substr(i + 1, end - i - 1);
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    i = end;
  }
  return open.empty();
}

// FENCEPOST_DRAW_TO=DIR writes the pictures for a person to look at.
void keep(const std::string& name, const std::string& text) {
  if (const char* dir = std::getenv("FENCEPOST_DRAW_TO")) std::ofstream(std::string(dir) + "/" + name) << text;
}

TEST(Draw, SvgIsWellFormedAndEscapes) {
  std::string svg = to_svg(mp());
  keep("mp.svg", svg);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_NE(svg.find("MP &lt;&amp;&gt; &quot;x&quot;"), std::string::npos);
  EXPECT_NE(svg.find("fill=\"#ffffff\""), std::string::npos);
  EXPECT_NE(svg.find("part of the explanation"), std::string::npos);
  EXPECT_NE(svg.find("data-relation=\"rf\""), std::string::npos);
  EXPECT_NE(svg.find("<title>rf: "), std::string::npos);
  EXPECT_EQ(svg, to_svg(mp()));
  std::string wide = to_svg(iriw());
  keep("iriw.svg", wide);
  EXPECT_TRUE(well_formed(wide));
}

TEST(Draw, EmptyGraph) {
  EXPECT_TRUE(well_formed(to_svg(Graph{})));
  EXPECT_EQ(to_text(Graph{}), "");
  EXPECT_NE(to_dot(Graph{}).find("digraph"), std::string::npos);
}

TEST(Draw, BoxesNeverOverlapAndLabelsAvoidBoxes) {
  for (const Graph& g : {mp(), iriw()}) {
    Layout l = place(g);
    for (size_t i = 0; i < l.nodes.size(); ++i)
      for (size_t j = i + 1; j < l.nodes.size(); ++j) EXPECT_FALSE(l.nodes[i].overlaps(l.nodes[j], 0));
    for (size_t e = 0; e < l.edges.size(); ++e) {
      for (const Box& n : l.nodes) EXPECT_FALSE(l.edges[e].label.overlaps(n, 0)) << g.title << " edge " << e;
      for (size_t f = e + 1; f < l.edges.size(); ++f)
        EXPECT_FALSE(l.edges[e].label.overlaps(l.edges[f].label, 0)) << g.title << " edges " << e << " " << f;
    }
  }
}

TEST(Draw, Dot) {
  std::string dot = to_dot(mp());
  EXPECT_NE(dot.find("MP <&> \\\"x\\\""), std::string::npos);
  EXPECT_NE(dot.find("n4 -> n1 [label=\"fr\""), std::string::npos);
  keep("mp.dot", dot);
}

TEST(Draw, Text) {
  std::string text = to_text(mp());
  EXPECT_NE(text.find("P1  (cta 1, gpu 0)\n    init x: W x = 0\n  * c: R y = 1        ld.acquire.gpu r0, y\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  * d -fr-> a\n"), std::string::npos);
}

TEST(Draw, LoopsAndLongColumns) {
  Graph g;
  g.columns = {{"P0", ""}};
  for (uint32_t i = 0; i < 20; ++i) g.nodes.push_back({"n" + std::to_string(i), "", 0, i, false});
  g.edges = {{3, 3, "loop", "other", false}, {0, 19, "far", "sync", false}, {19, 0, "back", "fr", true}};
  std::string svg = to_svg(g);
  keep("long.svg", svg);
  EXPECT_TRUE(well_formed(svg));
}

TEST(Graphml, HasEveryNodeAndEdgeWithItsDataEscaped) {
  const Graph g = mp();
  const std::string out = to_graphml(g);
  size_t nodes = 0, edges = 0;
  for (size_t at = 0; (at = out.find("<node ", at)) != std::string::npos; ++at) ++nodes;
  for (size_t at = 0; (at = out.find("<edge ", at)) != std::string::npos; ++at) ++edges;
  EXPECT_EQ(nodes, g.nodes.size());
  EXPECT_EQ(edges, g.edges.size());
  EXPECT_NE(out.find("MP &lt;&amp;&gt;"), std::string::npos);
  EXPECT_NE(out.find("<edge source=\"n4\" target=\"n1\"><data key=\"edge\">fr</data><data key=\"style\">fr</data>"
                     "<data key=\"emphasis\">true</data></edge>"),
            std::string::npos);
  EXPECT_NE(out.find("<data key=\"label\">a: W x = 1</data><data key=\"detail\">st.weak x, 1</data>"
                     "<data key=\"column\">P0</data><data key=\"row\">1</data>"),
            std::string::npos);
}

}  // namespace
}  // namespace fencepost::draw
