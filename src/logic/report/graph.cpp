// Executions as pictures. Rows follow program order in each column; initial writes stand above, over the thread that
// uses them; of co and po only the edges that the others do not imply are drawn.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "prog/test.h"
#include "report/naming.h"
#include "report/report.h"
#include "report/story.h"
#include "vocab/vocab.h"

namespace fencepost::report {

using reference::Execution;
using vocab::Base;
using vocab::Tag;

namespace {

std::string style_for(const std::string& label) {
  for (const char* known : {"po", "rf", "co", "fr"})
    if (label == known) return known;
  if (label.starts_with("rf")) return "rf";  // rfe, rfi
  if (label.starts_with("co") && label.size() == 3) return "co";
  if (label.starts_with("fr") && label.size() == 3) return "fr";
  if (label.starts_with("po")) return "po";  // po-loc, po-vloc
  for (const char* from_read : {"from-read", "from-init", "rb"})
    if (label == from_read) return "fr";
  if (label.find("sync") != std::string::npos || label.starts_with("sw") || label.ends_with("-sw") || label == "ssw" ||
      label == "fsc")
    return "sync";
  return "other";
}

Relation reduced(const Relation& r) {  // transitive reduction of a strict partial order
  Relation all = r.closure();
  return all - all.compose(all);
}

void gather(const std::vector<Step>& steps, std::vector<const Step*>& out) {
  for (const Step& s : steps) {
    out.push_back(&s);
    gather(s.parts, out);
  }
}

}  // namespace

draw::Graph execution_graph(const prog::Test& test, const cat::Model& model, const reference::RunResult& run,
                            const reference::Explanation* explanation) {
  const Execution& x = run.execution;
  auto n = static_cast<uint32_t>(x.events.size());
  draw::Graph g;
  g.title = test.title;
  for (uint32_t t = 0; t < test.threads.size(); ++t) g.columns.push_back({fmt::format("P{}", t), scope_text(test, t)});

  Story story;
  std::vector<const Step*> all_steps;
  if (explanation != nullptr) {
    story = tell(test, model, x, *explanation);
    gather(story.steps, all_steps);
  }
  // A pair that conflicts without a walk between the two (a race) gets one edge with the axiom's name.
  std::vector<Step> strong = story.brief;
  if (explanation != nullptr && !story.cyclic && !explanation->edges.empty()) {
    const reference::Reason& r = explanation->edges[0];
    bool walk = std::any_of(strong.begin(), strong.end(),
                            [](const Step& s) { return s.base || !s.parts.empty() || style_for(s.label) != "other"; });
    if (!walk) strong = {{r.node, r.from, r.to, model.axioms[explanation->axiom].name, false, false, false, {}, {}}};
  }

  // Initial writes are shown where somebody reads them or the explanation passes them.
  std::set<uint32_t> shown;
  for (uint32_t e = 0; e < n; ++e)
    if (x.events[e].key.thread != reference::k_init || !x.rel(Base::rf).successors(e).empty()) shown.insert(e);
  for (const Step& s : strong) {
    shown.insert(s.from);
    shown.insert(s.to);
  }

  // Columns of initial writes: over the first reader, two of them never in one cell.
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> init_cell;  // event -> column, row
  std::map<uint32_t, uint32_t> used;                            // column -> rows taken
  uint32_t init_rows = 0;
  for (uint32_t e : shown) {
    if (x.events[e].key.thread != reference::k_init) continue;
    uint32_t column = 0;
    for (uint32_t r = 0; r < n; ++r)
      if (x.rel(Base::rf).test(e, r) && x.events[r].key.thread != reference::k_init) {
        column = x.events[r].key.thread;
        break;
      }
    for (uint32_t shift = 0; shift < test.threads.size() && used[column] > 0; ++shift)
      if (uint32_t c = (column + shift) % static_cast<uint32_t>(test.threads.size()); used[c] == 0) column = c;
    init_cell[e] = {column, used[column]++};
    init_rows = std::max(init_rows, used[column]);
  }

  std::vector<uint32_t> node_of(n, prog::k_none);
  std::vector<uint32_t> next_row(test.threads.size(), init_rows);
  std::set<uint32_t> hot;
  for (const Step& s : strong)
    if (!s.absent) {
      hot.insert(s.from);
      hot.insert(s.to);
    }
  for (uint32_t e : shown) {
    draw::Node node;
    node.label = event_text(test, x, e);
    node.detail = instruction_text(test, x, e);
    node.emphasis = hot.contains(e);
    if (x.events[e].key.thread == reference::k_init) {
      node.column = init_cell[e].first;
      node.row = init_cell[e].second;
    } else {
      node.column = x.events[e].key.thread;
      node.row = next_row[node.column]++;
    }
    node_of[e] = static_cast<uint32_t>(g.nodes.size());
    g.nodes.push_back(std::move(node));
  }

  std::set<std::tuple<uint32_t, uint32_t, std::string>> drawn;
  auto edge = [&](uint32_t a, uint32_t b, const std::string& label, bool emphasis) {
    if (node_of[a] == prog::k_none || node_of[b] == prog::k_none) return;
    if (!drawn.insert({a, b, label}).second) return;
    g.edges.push_back({node_of[a], node_of[b], label, style_for(label), emphasis});
  };
  for (const Step& s : strong)
    if (!s.absent && s.from != s.to) edge(s.from, s.to, s.label, true);
  reduced(x.rel(Base::po)).for_each([&](uint32_t a, uint32_t b) { edge(a, b, "po", false); });
  x.rel(Base::rf).for_each([&](uint32_t a, uint32_t b) { edge(a, b, "rf", false); });
  Relation co = reduced(x.rel(Base::co));
  co.for_each([&](uint32_t a, uint32_t b) {
    // That the initial write comes first goes without saying.
    if (x.events[a].key.thread != reference::k_init) edge(a, b, "co", false);
  });
  // fr to the nearest overwriting writes, unless the picture has its emphasised form already.
  x.rel(Base::rf).inverse().compose(x.rel(Base::co)).for_each([&](uint32_t r, uint32_t w) {
    if (r == w) return;
    bool nearest = true;
    for (uint32_t v = 0; v < n; ++v)
      for (uint32_t m = 0; m < n; ++m)
        if (x.rel(Base::rf).test(v, r) && x.rel(Base::co).test(v, m) && x.rel(Base::co).test(m, w)) nearest = false;
    bool own = x.events[r].key.thread == x.events[w].key.thread && x.rel(Base::amo).test(r, w);
    bool told = std::any_of(strong.begin(), strong.end(),
                            [&](const Step& s) { return s.from == r && s.to == w && style_for(s.label) == "fr"; });
    if (nearest && !own && !told) edge(r, w, "fr", false);
  });
  x.rel(Base::fsc).for_each([&](uint32_t a, uint32_t b) { edge(a, b, "fsc", false); });
  // Synchronisation that the explanation rests on.
  for (const Step* s : all_steps)
    if (!s->absent && !s->base && s->from != s->to && style_for(s->label) == "sync" &&
        !model.nodes[s->node].name.empty())
      edge(s->from, s->to, s->label, false);
  return g;
}

}  // namespace fencepost::report
