#include "report/story.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "report/naming.h"
#include "report/report.h"
#include "vocab/vocab.h"

namespace fencepost::report {
namespace {

using cat::NodeOp;
using cat::Type;
using reference::Execution;
using reference::Reason;
using vocab::Base;

struct Teller {
  const prog::Test& test;
  const cat::Model& model;
  const Execution& x;

  std::string name(uint32_t e) const { return event_name(test, x, e); }
  const cat::Node& node(const Reason& r) const { return model.nodes[r.node]; }

  static void add(std::vector<std::string>& out, std::string s) {
    if (std::find(out.begin(), out.end(), s) == out.end()) out.push_back(std::move(s));
  }

  // Tags that make a membership true, in the order met: "W", "REL", "not NONPRIV".
  void memberships(const Reason& r, std::vector<std::string>& out) const {
    if (r.absent) return add(out, r.label);
    const cat::Node& m = node(r);
    if (m.op == NodeOp::base_set) return add(out, vocab::name(m.tag));
    if (m.op == NodeOp::memory) return add(out, "M");
    if (m.op == NodeOp::domain || m.op == NodeOp::range) {
      // "range([IW & GLOBAL]; loc)": what is said of the other end.
      const Reason& edge = r.because[0];
      uint32_t other = m.op == NodeOp::domain ? edge.to : edge.from;
      std::vector<std::string> tags;
      sets_at(edge, other, tags);
      std::string list;
      for (const std::string& t : tags) list += (list.empty() ? "" : ", ") + t;
      return add(out, fmt::format("through {}{}", name(other), list.empty() ? "" : " (" + list + ")"));
    }
    if (m.type == Type::rel) return;
    for (const Reason& k : r.because) memberships(k, out);
  }
  void sets_at(const Reason& r, uint32_t event, std::vector<std::string>& out) const {
    if (node(r).type == Type::set) {
      if (r.from == event) memberships(r, out);
      return;
    }
    for (const Reason& k : r.because) sets_at(k, event, out);
  }

  void remark(const Reason& r, std::vector<Remark>& remarks) const {
    const cat::Node& m = node(r);
    if (m.op == NodeOp::everything || m.op == NodeOp::memory) return;  // says nothing new
    Remark n{r.from, m.op == NodeOp::base_set ? "" : m.name, {}, {}};
    memberships(r, n.tags);
    if (n.tags.size() == 1 && n.tags[0] == n.name) n.name.clear();
    keep(std::move(n), remarks);
  }
  // Nameless memberships of one event are one remark; what a named one already says is left out.
  static void keep(Remark n, std::vector<Remark>& remarks) {
    for (Remark& old : remarks) {
      if (old == n) return;
      if (!old.text.empty() || !n.text.empty() || old.event != n.event) continue;
      if (old.name.empty() && n.name.empty()) {
        for (std::string& t : n.tags) add(old.tags, std::move(t));
        return;
      }
    }
    remarks.push_back(std::move(n));
  }

  bool named(const Reason& r) const {
    const cat::Node& m = node(r);
    return m.op == NodeOp::base_rel || m.op == NodeOp::rec_var || !m.name.empty();
  }

  // The steps from r.from to r.to.
  void unfold(const Reason& r, bool backwards, std::vector<Step>& out, std::vector<Remark>& remarks) const {
    const cat::Node& m = node(r);
    if (r.absent) return absence(r.node, r.from, r.to, out, remarks);
    if (m.type == Type::set) return remark(r, remarks);
    if (!named(r)) return inside(r, backwards, false, out, remarks);
    Step s{r.node, r.from, r.to, r.label, m.op == NodeOp::base_rel, false, backwards, {}, {}};
    if (m.op == NodeOp::rec_var && r.because.size() == 1) {
      s.label = model.variables[m.rec].name;
      const Reason& definition = r.because[0];
      if (node(definition).op == NodeOp::base_rel)
        unfold(definition, false, s.parts, s.remarks);
      else
        inside(definition, false, true, s.parts, s.remarks);
    } else if (!s.base) {
      inside(r, false, true, s.parts, s.remarks);
    }
    out.push_back(std::move(s));
  }

  // Not (a | b) is: not a, and not b; not r^-1 is not r the other way.
  void absence(cat::NodeId id, uint32_t from, uint32_t to, std::vector<Step>& out, std::vector<Remark>& remarks) const {
    const cat::Node& m = model.nodes[id];
    if (m.type == Type::set) return keep({from, "", {reference::reason_label(model, id, true)}, {}}, remarks);
    if (m.name.empty() && m.op == NodeOp::union_) {
      for (cat::NodeId k : m.kids) absence(k, from, to, out, remarks);
      return;
    }
    if (m.name.empty() && m.op == NodeOp::inverse) return absence(m.kids[0], to, from, out, remarks);
    out.push_back({id, from, to, reference::expression(model, id, 60), false, true, false, {}, {}});
  }

  // As unfold, without regard to the node's own name. `flat`: the steps stand below a named relation, so that several
  // facts about its two events may stand side by side.
  void inside(const Reason& r, bool backwards, bool flat, std::vector<Step>& out, std::vector<Remark>& remarks) const {
    const cat::Node& m = node(r);
    switch (m.op) {
      case NodeOp::seq:
      case NodeOp::plus:
      case NodeOp::star:
        // Walked against its direction, a path is told from its end.
        if (backwards)
          for (size_t k = r.because.size(); k-- > 0;) unfold(r.because[k], true, out, remarks);
        else
          for (const Reason& k : r.because) unfold(k, false, out, remarks);
        return;
      case NodeOp::union_:
      case NodeOp::opt:
      case NodeOp::rec_var:
        // The branch taken stands for the whole, so it is below the name as well.
        for (const Reason& k : r.because) {
          if (flat && !named(k) && !k.absent && node(k).type == Type::rel)
            inside(k, backwards, true, out, remarks);
          else
            unfold(k, backwards, out, remarks);
        }
        return;
      case NodeOp::inverse:
        for (const Reason& k : r.because) unfold(k, !backwards, out, remarks);
        return;
      case NodeOp::ident:
      case NodeOp::product:
        for (const Reason& k : r.because) remark(k, remarks);
        return;
      case NodeOp::complement:
        for (const Reason& k : r.because) unfold(k, backwards, out, remarks);
        return;
      case NodeOp::inter:
      case NodeOp::diff:
        conjunction(r, backwards, flat, out, remarks);
        return;
      default:
        return;
    }
  }

  void conjuncts(const Reason& r, std::vector<const Reason*>& out) const {
    for (const Reason& k : r.because) {
      const cat::Node& km = node(k);
      bool inner =
          (km.op == NodeOp::inter || km.op == NodeOp::diff) && km.name.empty() && !k.absent && km.type == Type::rel;
      if (inner)
        conjuncts(k, out);
      else
        out.push_back(&k);
    }
  }

  // All of several facts about one pair. One walk carries the step; static facts and memberships remark on it.
  void conjunction(const Reason& r, bool backwards, bool flat, std::vector<Step>& out,
                   std::vector<Remark>& remarks) const {
    std::vector<const Reason*> all;
    conjuncts(r, all);
    std::vector<std::vector<Step>> walks;
    std::vector<const Reason*> facts;
    for (const Reason* k : all) {
      std::vector<Step> steps;
      if (trivial(*k)) continue;
      if (fixed(*k)) {
        facts.push_back(k);
        continue;
      }
      unfold(*k, backwards, steps, remarks);
      if (!steps.empty()) walks.push_back(std::move(steps));
    }
    // A walk of nothing but facts: the first relation among them is the step.
    if (walks.empty() && !flat && r.from != r.to)
      for (auto it = facts.begin(); it != facts.end(); ++it)
        if (node(**it).op == NodeOp::base_rel) {
          walks.push_back({{(*it)->node, r.from, r.to, (*it)->label, true, false, backwards, {}, {}}});
          facts.erase(it);
          break;
        }
    for (const Reason* k : facts) fact(*k, remarks);
    if (walks.size() == 1 || flat) {
      for (auto& w : walks)
        for (Step& s : w) out.push_back(std::move(s));
      return;
    }
    if (walks.empty()) return;
    // Several walks between the same two events: the step is the conjunction, they are its parts.
    Step s{r.node, r.from, r.to, reference::expression(model, r.node, 60), false, false, backwards, {}, {}};
    for (auto& w : walks)
      for (Step& p : w) s.parts.push_back(std::move(p));
    out.push_back(std::move(s));
  }

  bool trivial(const Reason& r) const {
    const cat::Node& m = node(r);
    if (m.op == NodeOp::product && m.name.empty() && !r.absent)
      return std::all_of(r.because.begin(), r.because.end(), [&](const Reason& k) {
        NodeOp op = node(k).op;
        return op == NodeOp::everything || op == NodeOp::memory;
      });
    // "\\ id" of two different events, and "& ext" of two threads, are plain to see.
    if (r.absent && m.op == NodeOp::base_rel && m.base == Base::id) return true;
    return m.op == NodeOp::base_rel && (m.base == Base::ext || m.base == Base::int_) && !r.absent;
  }

  // Facts that no execution can choose: they remark on a step rather than being one.
  bool fixed(const Reason& r) const {
    const cat::Node& m = node(r);
    if (r.absent) return false;
    if (m.op == NodeOp::product && m.name.empty()) return true;
    return m.op == NodeOp::base_rel && fixed(m.base);
  }
  static bool fixed(Base b) {
    switch (b) {
      case Base::loc:
      case Base::vloc:
      case Base::sr:
      case Base::scta:
      case Base::swarp:
      case Base::sgpu:
      case Base::scluster:
      case Base::si:
      case Base::home:
      case Base::ssg:
      case Base::swg:
      case Base::sqf:
      case Base::sdv:
      case Base::id:
        return true;
      default:
        return false;
    }
  }
  void fact(const Reason& r, std::vector<Remark>& remarks) const {
    if (node(r).op == NodeOp::product) {
      for (const Reason& k : r.because) remark(k, remarks);
      return;
    }
    if (r.from == r.to) return;
    Step s{r.node, r.from, r.to, r.label, true, false, false, {}, {}};
    keep({r.from,
          "",
          {},
          fmt::format("{} and {}: {} ({})", name(r.from), name(r.to), gloss(test, model, x, s), r.label)},
         remarks);
  }

  // ---- the brief form ----
  // Whether the parts of a step are one walk from its start to its end.
  static bool is_walk(const Step& s) {
    if (s.parts.empty()) return false;
    uint32_t at = s.from;
    for (const Step& p : s.parts) {
      if (p.absent || p.walk_from() != at) return false;
      at = p.walk_to();
    }
    return at == s.to;
  }
  // A relation is worth opening when somewhere below, through nothing but walks, program order takes part: cause and
  // hb open into po and synchronisation, synchronisation itself stays closed.
  bool opens(const Step& s) const {
    if (s.base || s.backwards) return false;
    if (!is_walk(s)) {  // several facts about two events: what they come down to may be a walk
      const Step& c = core(s);
      return &c != &s && opens(c);
    }
    bool po = false, deeper = false;
    for (const Step& p : s.parts) {
      if (p.backwards) return false;  // from-read by any name is one step
      if (p.walk_from() == p.walk_to()) continue;
      if (p.label == "po") po = true;
      if (opens(p)) deeper = true;
    }
    return po || deeper;
  }
  // Whether nothing below is chosen by the execution or goes elsewhere: scopes, tags, places.
  bool is_static(const Step& s) const {
    if (s.absent) return true;
    if (s.base) return model.nodes[s.node].op == NodeOp::base_rel && fixed(model.nodes[s.node].base);
    return std::all_of(s.parts.begin(), s.parts.end(), [&](const Step& p) { return is_static(p); });
  }
  static bool is_synchronisation(const std::string& label) {
    return label.find("sync") != std::string::npos || label.starts_with("sw") || label.ends_with("-sw");
  }
  // What a step comes down to when all its parts speak of its own two events: "observation" to rf, "sc-step" to rb.
  const Step& core(const Step& s) const {
    if (s.base || is_synchronisation(s.label) || s.label == "fr") return s;
    const Step* only = nullptr;
    const Step* order = nullptr;
    for (const Step& p : s.parts) {
      if (p.from != s.from || p.to != s.to || p.backwards != s.backwards) return s;
      if (is_static(p)) continue;
      if (core(p).label == "po") {  // moral strength and the like may rest on program order
        order = &p;
        continue;
      }
      if (only != nullptr) return s;
      only = &p;
    }
    if (only == nullptr) only = order;
    return only == nullptr ? s : core(*only);
  }
  void brief(const Step& given, std::vector<Step>& out) const {
    if (given.absent || given.walk_from() == given.walk_to()) return;
    const Step& s = opens(given) ? given : core(given);
    if (!opens(s)) {
      Step copy = s;
      copy.parts.clear();
      copy.remarks.clear();
      // Two steps of program order are one, unless they meet at a fence or barrier: that one matters.
      if (x.events[copy.from].is_memory && !out.empty() && out.back().label == "po" && copy.label == "po" &&
          out.back().to == copy.from) {
        out.back().to = copy.to;
        return;
      }
      out.push_back(std::move(copy));
      return;
    }
    if (!is_walk(s)) return brief(core(s), out);
    for (const Step& p : s.parts) brief(p, out);
  }
  // Facts about one pair, as the walks they are made of: "c -rmw-> d, and c -from-read-> g -asmo-> d".
  // Their steps are added to `all`.
  std::string walks(uint32_t to, const std::vector<Step>& steps, std::vector<Step>& all) const {
    std::string out;
    std::vector<Step> walk;
    auto flush = [&] {
      std::vector<Step> small;
      for (const Step& w : walk) brief(w, small);
      if (!small.empty()) out += (out.empty() ? "" : ", and ") + chain_text(test, x, small);
      all.insert(all.end(), small.begin(), small.end());
      walk.clear();
    };
    for (const Step& s : steps) {
      if (s.absent) {
        flush();
        out += fmt::format("{}not {} -{}-> {}", out.empty() ? "" : ", but ", name(s.from), s.label, name(s.to));
        continue;
      }
      if (steps.size() == 1 && !is_walk(s) && !s.parts.empty() && model.nodes[s.node].name.empty())
        return walks(to, s.parts, all);
      walk.push_back(s);
      if (s.walk_to() == to) flush();
    }
    flush();
    return out;
  }
};

// One line of tags below a step that stays on its event; false: there is more below than tags.
bool only_tags(const Step& s, std::vector<std::string>& tags) {
  for (const Remark& r : s.remarks) {
    if (!r.text.empty() || r.event != s.from) return false;
    for (const std::string& t : r.tags) Teller::add(tags, t);
  }
  for (const Step& p : s.parts) {
    if (p.absent || p.from != s.from || p.to != s.from) return false;
    if (!only_tags(p, tags)) return false;
  }
  return true;
}

bool said(const std::string& label, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return label == n; });
}

struct Printer {
  const prog::Test& test;
  const cat::Model& model;
  const Execution& x;
  std::set<std::tuple<cat::NodeId, uint32_t, uint32_t>> told;
  std::set<cat::NodeId> placed;
  std::set<std::string> explained;  // tags whose meaning has been given
  std::string out;

  std::string tag(const std::string& t) {
    for (const char* plain : {"R", "W", "M", "F", "RMW"})
      if (t == plain) return t;
    if (!explained.insert(t).second) return t;
    bool no = t.starts_with("not ");
    for (const vocab::TagInfo& info : vocab::tags())
      if (t.substr(no ? 4 : 0) == info.name) return fmt::format("{} [{}]", t, info.meaning);
    return t;
  }
  std::string tags(const std::vector<std::string>& list) {
    std::string s;
    for (const std::string& t : list) s += (s.empty() ? "" : ", ") + tag(t);
    return s;
  }

  void print(const Remark& r, size_t indent) {
    out += std::string(indent, ' ');
    if (!r.text.empty())
      out += r.text;
    else if (r.name.empty())
      out += fmt::format("{} is {}", event_name(test, x, r.event), tags(r.tags));
    else
      out += fmt::format("{} is {}: {}", event_name(test, x, r.event), r.name, tags(r.tags));
    out += "\n";
  }

  void print(const Step& given, size_t indent) {
    const Step* s = &given;
    std::string from = event_name(test, x, s->from), to = event_name(test, x, s->to), label = s->label;
    bool named = !model.nodes[s->node].name.empty() || s->base;
    if (s->absent) return line(indent, fmt::format("{} -{}-> {}", from, label, to), "does not hold");
    bool again =
        !s->base && !(s->parts.empty() && s->remarks.empty()) && !told.insert({s->node, s->from, s->to}).second;
    // A relation that is just another one here: "hb = ithb".
    while (!again && s->parts.size() == 1 && s->remarks.empty() && !s->parts[0].absent && s->parts[0].from == s->from &&
           s->parts[0].to == s->to) {
      s = &s->parts[0];
      label += " = " + s->label;
      if (!s->base && !(s->parts.empty() && s->remarks.empty()) && !told.insert({s->node, s->from, s->to}).second)
        again = true;
    }
    std::string note = gloss(test, model, x, s->base ? *s : given);
    if (!given.base && placed.insert(given.node).second && !model.nodes[given.node].name.empty())
      if (std::string p = definition_place(model, given.node); !p.empty())
        note += (note.empty() ? "(" : " (") + p + ")";
    if (s->from == s->to) {
      std::vector<std::string> list;
      if (only_tags(*s, list)) {
        line(indent, fmt::format("{} -{}-> itself", from, label),
             again || list.empty() ? note
                                   : note + (note.empty() ? "" : ": ") + fmt::format("{} is {}", from, tags(list)));
        return;
      }
      to = "itself";
    }
    bool parts = !s->parts.empty() || !s->remarks.empty();
    if (again) note += note.empty() ? "as above" : "; as above";
    if (parts && !again) note += note.empty() ? "because" : " because";
    line(indent, named ? fmt::format("{} -{}-> {}", from, label, to) : fmt::format("{} and {}", from, to),
         named || again ? note : "all of this:");
    if (again) return;
    for (const Step& p : s->parts) print(p, indent + 4);
    for (const Remark& r : s->remarks) print(r, indent + 4);
  }

  void line(size_t indent, std::string text, const std::string& note) {
    text.insert(0, indent, ' ');
    if (!note.empty()) {
      size_t want = indent + 26;
      text += std::string(text.size() < want ? want - text.size() : 2, ' ') + note;
    }
    out += text + "\n";
  }
};

}  // namespace

std::string definition_place(const cat::Model& model, cat::NodeId node) { return place_of(model.nodes[node].span); }

Story tell(const prog::Test& test, const cat::Model& model, const Execution& x, const reference::Explanation& e) {
  Story story;
  story.axiom = e.axiom;
  story.cyclic = !e.cycle.empty();
  Teller teller{test, model, x};
  for (const Reason& r : e.edges) {
    // An axiom on a named relation is told by that relation's edges; one on an expression by its steps.
    const cat::Node& m = model.nodes[r.node];
    bool fold = story.cyclic && e.edges.size() > 1;
    if (!m.name.empty() && !fold)
      teller.inside(r, false, !story.cyclic, story.steps, story.remarks);
    else
      teller.unfold(r, false, story.steps, story.remarks);
    if (!m.name.empty() && !fold && story.steps.empty()) teller.unfold(r, false, story.steps, story.remarks);
  }
  if (story.cyclic) {
    // The facts of an intersection are no walk; then the loop is told as one step.
    uint32_t at = e.cycle.front();
    bool walk = true;
    for (const Step& s : story.steps) {
      walk = walk && !s.absent && s.walk_from() == at;
      at = s.walk_to();
    }
    walk = walk && at == e.cycle.front();
    if (walk) {
      for (const Step& s : story.steps) teller.brief(s, story.brief);
      // Begin where a reader begins: at the first event of the code that the cycle passes.
      auto first = std::min_element(story.brief.begin(), story.brief.end(), [&](const Step& a, const Step& b) {
        bool ia = x.events[a.walk_from()].key.thread == reference::k_init,
             ib = x.events[b.walk_from()].key.thread == reference::k_init;
        return std::make_pair(ia, a.walk_from()) < std::make_pair(ib, b.walk_from());
      });
      if (first != story.brief.end()) std::rotate(story.brief.begin(), first, story.brief.end());
      if (story.brief.size() > 1 && story.brief.front().label == "po" && story.brief.back().label == "po" &&
          story.brief.back().to == story.brief.front().from) {
        story.brief.front().from = story.brief.back().from;
        story.brief.pop_back();
      }
      auto start = std::min_element(story.steps.begin(), story.steps.end(), [&](const Step& a, const Step& b) {
        bool ia = x.events[a.walk_from()].key.thread == reference::k_init,
             ib = x.events[b.walk_from()].key.thread == reference::k_init;
        return std::make_pair(ia, a.walk_from()) < std::make_pair(ib, b.walk_from());
      });
      if (start != story.steps.end()) std::rotate(story.steps.begin(), start, story.steps.end());
    }
  }
  if (!story.brief.empty())
    story.summary = chain_text(test, x, story.brief);
  else if (!e.edges.empty())
    story.summary = teller.walks(e.edges[0].to, story.steps, story.brief);
  return story;
}

std::string chain_text(const prog::Test& test, const Execution& x, const std::vector<Step>& steps) {
  std::string out;
  for (const Step& s : steps) {
    if (out.empty()) out = event_name(test, x, s.walk_from());
    out += s.backwards ? fmt::format(" <-{}- {}", s.label, event_name(test, x, s.walk_to()))
                       : fmt::format(" -{}-> {}", s.label, event_name(test, x, s.walk_to()));
  }
  return out;
}

std::string gloss(const prog::Test& test, const cat::Model& model, const Execution& x, const Step& s) {
  const cat::Node& m = model.nodes[s.node];
  std::string from = event_name(test, x, s.from), to = event_name(test, x, s.to);
  if (s.absent) return "";
  if (s.label == "fr" && m.op != NodeOp::base_rel)
    return fmt::format("{} reads a value older than the one that {} writes", from, to);
  if (said(s.label, {"po-loc"})) return "program order, same location";
  if (m.op != NodeOp::base_rel) return "";
  switch (m.base) {
    case Base::po:
      return fmt::format("{} comes before {} in the code of P{}", from, to, x.events[s.from].key.thread);
    case Base::int_:
      return "same thread";
    case Base::ext:
      return "different threads";
    case Base::id:
      return "same event";
    case Base::loc:
      return "same location in memory";
    case Base::vloc:
      return "same address, through the same name";
    case Base::rf:
      return fmt::format("{} reads the value that {} writes", to, from);
    case Base::co:
      return x.events[s.from].key.thread == reference::k_init
                 ? fmt::format("{} overwrites the initial value of {}", to, location_of(test, x, s.from))
                 : fmt::format("{} overwrites the value that {} wrote to {}", to, from, location_of(test, x, s.from));
    case Base::amo:
      return "read and write of one atomic operation";
    case Base::addr:
      return fmt::format("the address of {} depends on what {} reads", to, from);
    case Base::data:
      return fmt::format("the value of {} depends on what {} reads", to, from);
    case Base::ctrl:
      return fmt::format("whether {} is executed depends on what {} reads", to, from);
    case Base::sr:
      return "each thread lies inside the other's scope";
    case Base::scta:
      return "same cta";
    case Base::swarp:
      return "same warp";
    case Base::sgpu:
      return "same gpu";
    case Base::scluster:
      return "same cluster";
    case Base::si:
      return "parts of one instruction or asynchronous operation";
    case Base::await:
      return fmt::format("{} is known to be complete at {}", from, to);
    case Base::home:
      return "in shared memory of its cta";
    case Base::ssg:
      return "same subgroup";
    case Base::swg:
      return "same workgroup";
    case Base::sqf:
      return "same queue family";
    case Base::sdv:
      return "same device";
    case Base::ssw:
      return fmt::format("the test declares ssw {} {}", x.events[s.from].key.thread, x.events[s.to].key.thread);
    case Base::syncbar:
      return "they meet at the same barrier";
    case Base::sync_fence:
    case Base::fsc:
      return fmt::format("in this execution {} takes effect before {}", from, to);
    default:
      return "";
  }
}

std::string story_text(const prog::Test& test, const cat::Model& model, const Execution& x, const Story& story,
                       size_t indent) {
  Printer p{test, model, x, {}, {}, {}, {}};
  for (const Step& s : story.steps) p.print(s, indent);
  for (const Remark& r : story.remarks) p.print(r, indent);
  return p.out;
}

}  // namespace fencepost::report
