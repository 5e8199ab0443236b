#include "report/story.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "report/naming.h"
#include "report/report.h"

namespace fencepost::report {
namespace {

using cat::NodeOp;
using cat::Type;
using vocab::Base;
using witness::Execution;
using witness::Reason;

struct Teller {
  const prog::Test& test;
  const cat::Model& model;
  const Execution& x;

  std::string name(uint32_t e) const { return event_name(test, x, e); }

  // Tags that make a membership true, in the order met: "W", "REL", "not NONPRIV".
  void memberships(const Reason& r, std::vector<std::string>& out) const {
    auto add = [&](std::string s) {
      if (std::find(out.begin(), out.end(), s) == out.end()) out.push_back(std::move(s));
    };
    if (r.absent) return add(r.label);
    const cat::Node& m = model.nodes[r.node];
    if (m.type == Type::rel) return add(fmt::format("{} -{}-> {}", name(r.from), r.label, name(r.to)));
    if (m.op == NodeOp::base_set) return add(vocab::name(m.tag));
    if (m.op == NodeOp::memory) return add("M");
    for (const Reason& k : r.because) memberships(k, out);
  }

  void remark(const Reason& r, std::vector<std::string>& remarks) const {
    const cat::Node& m = model.nodes[r.node];
    if (m.op == NodeOp::everything || m.op == NodeOp::memory) return;  // says nothing new
    std::vector<std::string> tags;
    memberships(r, tags);
    std::string list;
    for (const std::string& t : tags) list += (list.empty() ? "" : ", ") + t;
    std::string s = !m.name.empty() && m.op != NodeOp::base_set && m.name != list
                        ? fmt::format("{} is {} ({})", name(r.from), m.name, list)
                        : fmt::format("{} is {}", name(r.from), list);
    if (std::find(remarks.begin(), remarks.end(), s) == remarks.end()) remarks.push_back(s);
  }

  bool named(const Reason& r) const {
    const cat::Node& m = model.nodes[r.node];
    return m.op == NodeOp::base_rel || m.op == NodeOp::rec_var || !m.name.empty();
  }

  // The steps from r.from to r.to.
  void unfold(const Reason& r, bool backwards, std::vector<Step>& out, std::vector<std::string>& remarks) const {
    const cat::Node& m = model.nodes[r.node];
    if (m.type == Type::set) return remark(r, remarks);
    if (r.absent) {
      out.push_back({r.node, r.from, r.to, r.label, false, true, backwards, {}, {}});
      return;
    }
    if (named(r)) {
      Step s{r.node, r.from, r.to, r.label, m.op == NodeOp::base_rel, false, backwards, {}, {}};
      if (m.op == NodeOp::rec_var && r.because.size() == 1) {
        s.label = model.variables[m.rec].name;
        const Reason& definition = r.because[0];
        model.nodes[definition.node].op == NodeOp::base_rel ? unfold(definition, false, s.parts, s.remarks)
                                                            : inside(definition, false, s.parts, s.remarks);
      } else if (!s.base) {
        inside(r, false, s.parts, s.remarks);
      }
      // "let inv = r^-1": told as the step that it inverts would hide the name; the parts carry the direction.
      out.push_back(std::move(s));
      return;
    }
    inside(r, backwards, out, remarks);
  }

  // As unfold, without regard to the node's own name.
  void inside(const Reason& r, bool backwards, std::vector<Step>& out, std::vector<std::string>& remarks) const {
    const cat::Node& m = model.nodes[r.node];
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
        for (const Reason& k : r.because) unfold(k, backwards, out, remarks);
        return;
      case NodeOp::inverse:
        for (const Reason& k : r.because) unfold(k, !backwards, out, remarks);
        return;
      case NodeOp::ident:
      case NodeOp::product:
      case NodeOp::domain:
      case NodeOp::range:
        for (const Reason& k : r.because) {
          if (model.nodes[k.node].type == Type::set)
            remark(k, remarks);
          else
            unfold(k, false, out, remarks);
        }
        return;
      case NodeOp::complement:
        for (const Reason& k : r.because) unfold(k, backwards, out, remarks);
        return;
      case NodeOp::inter:
      case NodeOp::diff: conjunction(r, backwards, out, remarks); return;
      default: return;
    }
  }

  void conjuncts(const Reason& r, std::vector<const Reason*>& out) const {
    const cat::Node& m = model.nodes[r.node];
    bool opens = (m.op == NodeOp::inter || m.op == NodeOp::diff) && !r.absent && m.type == Type::rel;
    for (const Reason& k : r.because) {
      const cat::Node& km = model.nodes[k.node];
      bool inner = (km.op == NodeOp::inter || km.op == NodeOp::diff) && km.name.empty() && !k.absent && km.type == Type::rel;
      if (opens && inner)
        conjuncts(k, out);
      else
        out.push_back(&k);
    }
  }

  // All of several facts about one pair. One walk carries the step; static facts and memberships remark on it.
  void conjunction(const Reason& r, bool backwards, std::vector<Step>& out, std::vector<std::string>& remarks) const {
    std::vector<const Reason*> all;
    conjuncts(r, all);
    std::vector<Step> facts;  // one per conjunct that is a walk
    std::vector<std::vector<Step>> walks;
    for (const Reason* k : all) {
      std::vector<Step> steps;
      if (trivial(*k)) continue;
      if (fixed(*k) && all.size() > 1) {
        fact(*k, remarks);
        continue;
      }
      unfold(*k, backwards, steps, remarks);
      if (!steps.empty()) walks.push_back(std::move(steps));
    }
    if (walks.size() == 1) {
      for (Step& s : walks[0]) out.push_back(std::move(s));
      return;
    }
    if (walks.empty()) {
      if (r.from != r.to) out.push_back({r.node, r.from, r.to, witness::expression(model, r.node, 60), true, false, backwards, {}, {}});
      return;
    }
    // Several walks between the same two events: the step is the conjunction, they are its parts.
    Step s{r.node, r.from, r.to, {}, false, false, backwards, {}, {}};
    std::vector<std::string> labels;
    for (const auto& w : walks) {
      std::string label;
      for (const Step& p : w) label += (label.empty() ? "" : ";") + p.label;
      labels.push_back(label);
    }
    for (const std::string& label : labels) s.label += (s.label.empty() ? "" : " & ") + label;
    if (s.label.size() > 60) s.label = witness::expression(model, r.node, 60);
    for (auto& w : walks)
      for (Step& p : w) s.parts.push_back(std::move(p));
    out.push_back(std::move(s));
  }

  bool trivial(const Reason& r) const {
    const cat::Node& m = model.nodes[r.node];
    if (m.op == NodeOp::product && m.name.empty() && !r.absent)
      return std::all_of(r.because.begin(), r.because.end(), [&](const Reason& k) {
        NodeOp op = model.nodes[k.node].op;
        return op == NodeOp::everything || op == NodeOp::memory;
      });
    // "\ id" of two different events, and "& ext" of two threads, are plain to see.
    if (r.absent && m.op == NodeOp::base_rel && m.base == Base::id) return true;
    return m.op == NodeOp::base_rel && (m.base == Base::ext || m.base == Base::int_) && !r.absent;
  }

  // Facts that no execution can choose: they remark on a step rather than being one.
  bool fixed(const Reason& r) const {
    const cat::Node& m = model.nodes[r.node];
    if (r.absent) return false;
    if (m.op == NodeOp::product && m.name.empty()) return true;
    if (m.op != NodeOp::base_rel) return false;
    switch (m.base) {
      case Base::loc: case Base::vloc: case Base::sr: case Base::scta: case Base::swarp: case Base::sgpu:
      case Base::ssg: case Base::swg: case Base::sqf: case Base::sdv: case Base::id:
        return true;
      default: return false;
    }
  }
  void fact(const Reason& r, std::vector<std::string>& remarks) const {
    const cat::Node& m = model.nodes[r.node];
    if (m.op == NodeOp::product) {
      for (const Reason& k : r.because) remark(k, remarks);
      return;
    }
    Step s{r.node, r.from, r.to, r.label, true, false, false, {}, {}};
    std::string text = gloss(test, model, x, s);
    if (r.from == r.to) return;
    std::string line = fmt::format("{} and {}: {} ({})", name(r.from), name(r.to), text, r.label);
    if (std::find(remarks.begin(), remarks.end(), line) == remarks.end()) remarks.push_back(line);
  }

  // ---- the brief form ----
  static bool moves_along_po(const std::vector<Step>& steps) {
    return std::any_of(steps.begin(), steps.end(), [](const Step& s) { return s.label == "po" && !s.absent; });
  }
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
  static bool opens(const Step& s) {
    if (s.base || s.backwards || !is_walk(s)) return false;
    bool po = false, deeper = false;
    for (const Step& p : s.parts) {
      if (p.walk_from() == p.walk_to()) continue;
      if (p.label == "po") po = true;
      if (opens(p)) deeper = true;
    }
    return po || deeper;
  }
  static void brief(const Step& s, std::vector<Step>& out) {
    if (s.absent) return;
    if (s.walk_from() == s.walk_to()) return;
    if (!opens(s)) {
      Step copy = s;
      copy.parts.clear();
      copy.remarks.clear();
      // Two steps of program order are one.
      if (!out.empty() && out.back().label == "po" && copy.label == "po" && out.back().to == copy.from) {
        out.back().to = copy.to;
        return;
      }
      out.push_back(std::move(copy));
      return;
    }
    for (const Step& p : s.parts) brief(p, out);
  }
};

bool said(const std::string& label, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return label == n; });
}

struct Printer {
  const prog::Test& test;
  const cat::Model& model;
  const Execution& x;
  std::set<std::tuple<cat::NodeId, uint32_t, uint32_t>> told;
  std::set<cat::NodeId> placed;
  std::string out;

  void print(const Step& s, size_t indent) {
    std::string line(indent, ' ');
    std::string from = event_name(test, x, s.from), to = event_name(test, x, s.to);
    if (s.absent)
      line += fmt::format("{} -{}-> {} does not hold", from, s.label.substr(0, 4) == "not " ? s.label.substr(4) : s.label, to);
    else if (s.from == s.to)
      line += fmt::format("{} -{}-> itself", from, s.label);
    else
      line += fmt::format("{} -{}-> {}", from, s.label, to);
    std::string text = gloss(test, model, x, s);
    bool parts = !s.parts.empty() || !s.remarks.empty();
    bool again = parts && !s.base && !told.insert({s.node, s.from, s.to}).second;
    std::string note;
    if (!text.empty()) note = text;
    if (again) note += note.empty() ? "as above" : "; as above";
    if (!s.base && !s.absent && placed.insert(s.node).second) {
      if (std::string p = definition_place(model, s.node); !p.empty() && !model.nodes[s.node].name.empty())
        note += (note.empty() ? "" : ", ") + ("defined at " + p);
    }
    if (parts && !again) note += note.empty() ? "because" : "; because";
    if (!note.empty()) {
      size_t pad = line.size() < indent + 22 ? indent + 22 - line.size() : 2;
      line += std::string(pad, ' ') + note;
    }
    out += line + "\n";
    if (again) return;
    for (const Step& p : s.parts) print(p, indent + 4);
    for (const std::string& r : s.remarks) out += std::string(indent + 4, ' ') + r + "\n";
  }
};

}  // namespace

std::string definition_place(const cat::Model& model, cat::NodeId node) { return place_of(model.nodes[node].span); }

std::vector<Step> tell(const prog::Test& test, const cat::Model& model, const Execution& x, const Reason& r,
                       std::vector<std::string>& remarks) {
  Teller teller{test, model, x};
  std::vector<Step> out;
  teller.unfold(r, false, out, remarks);
  return out;
}

Story tell(const prog::Test& test, const cat::Model& model, const Execution& x, const witness::Explanation& e) {
  Story story;
  story.axiom = e.axiom;
  story.cyclic = !e.cycle.empty();
  Teller teller{test, model, x};
  for (const Reason& r : e.edges) {
    // An axiom on a named relation is told by that relation's edges; one on an expression by its steps.
    const cat::Node& m = model.nodes[r.node];
    bool fold = story.cyclic && e.edges.size() > 1;
    if (!m.name.empty() && !fold)
      teller.inside(r, false, story.steps, story.remarks);
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
      for (const Step& s : story.steps) Teller::brief(s, story.brief);
      // Begin where a reader begins: at the first event of the code that the cycle passes.
      auto first = std::min_element(story.brief.begin(), story.brief.end(), [&](const Step& a, const Step& b) {
        bool ia = x.events[a.walk_from()].key.thread == witness::k_init, ib = x.events[b.walk_from()].key.thread == witness::k_init;
        return std::make_pair(ia, a.walk_from()) < std::make_pair(ib, b.walk_from());
      });
      if (first != story.brief.end()) std::rotate(story.brief.begin(), first, story.brief.end());
      if (story.brief.size() > 1 && story.brief.front().label == "po" && story.brief.back().label == "po" &&
          story.brief.back().to == story.brief.front().from) {
        story.brief.front().from = story.brief.back().from;
        story.brief.pop_back();
      }
      auto start = std::min_element(story.steps.begin(), story.steps.end(), [&](const Step& a, const Step& b) {
        bool ia = x.events[a.walk_from()].key.thread == witness::k_init, ib = x.events[b.walk_from()].key.thread == witness::k_init;
        return std::make_pair(ia, a.walk_from()) < std::make_pair(ib, b.walk_from());
      });
      if (start != story.steps.end()) std::rotate(story.steps.begin(), start, story.steps.end());
    }
  }
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
    case Base::po: return fmt::format("{} comes before {} in the code of P{}", from, to, x.events[s.from].key.thread);
    case Base::int_: return "same thread";
    case Base::ext: return "different threads";
    case Base::id: return "same event";
    case Base::loc: return "same location in memory";
    case Base::vloc: return "same address, through the same name";
    case Base::rf: return fmt::format("{} reads the value that {} writes", to, from);
    case Base::co:
      return x.events[s.from].key.thread == witness::k_init
                 ? fmt::format("{} overwrites the initial value of {}", to, location_of(test, x, s.from))
                 : fmt::format("{} overwrites the value that {} wrote to {}", to, from, location_of(test, x, s.from));
    case Base::amo: return "read and write of one atomic operation";
    case Base::addr: return fmt::format("the address of {} depends on what {} reads", to, from);
    case Base::data: return fmt::format("the value of {} depends on what {} reads", to, from);
    case Base::ctrl: return fmt::format("whether {} is executed depends on what {} reads", to, from);
    case Base::sr: return "each thread lies inside the other's scope";
    case Base::scta: return "same cta";
    case Base::swarp: return "same warp";
    case Base::sgpu: return "same gpu";
    case Base::ssg: return "same subgroup";
    case Base::swg: return "same workgroup";
    case Base::sqf: return "same queue family";
    case Base::sdv: return "same device";
    case Base::ssw:
      return fmt::format("the test declares ssw {} {}", x.events[s.from].key.thread, x.events[s.to].key.thread);
    case Base::syncbar: return "they meet at the same barrier";
    case Base::sync_fence:
    case Base::fsc: return fmt::format("in this execution {} takes effect before {}", from, to);
    default: return "";
  }
}

std::string story_text(const prog::Test& test, const cat::Model& model, const Execution& x, const Story& story, size_t indent) {
  Printer p{test, model, x, {}, {}, {}};
  for (const Step& s : story.steps) p.print(s, indent);
  for (const std::string& r : story.remarks) p.out += std::string(indent, ' ') + r + "\n";
  return p.out;
}

}  // namespace fencepost::report
