// Labelled transition systems of a test, their reduction modulo strong bisimulation, Aldebaran and DOT. The exploration
// here is its own: it keeps terminations apart, and small systems for people need no packed states.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "oracle/oracle.h"
#include "oracle/steps.h"

namespace fencepost::oracle {
namespace {

// pc of each thread (its length: about to terminate; one more: terminated), memory, then the model's state. All done:
// empty.
using State = std::vector<uint32_t>;

class Builder {
 public:
  Builder(const axb::Test& test, const fair::Model* model, bool abstract, const Options& options, bool steps = false)
      : test_(test), abstract_(abstract), steps_(steps), max_states_(options.max_states) {
    fair::ThreadSet live = 0;
    for (uint32_t t = 0; t < threads(); ++t) live |= fair::ThreadSet{length(t) != 0} << t;
    if (model != nullptr) machine_.emplace(*model, threads(), live);
  }

  Expected<Lts> run() {
    State first;
    for (uint32_t t = 0; t < threads(); ++t) first.push_back(length(t) == 0 ? 1 : 0);
    for (const axb::Location& l : test_.locations) first.push_back(l.init);
    if (machine_) {
      auto m = machine_->initial();
      if (!m) return std::unexpected(m.error());
      first.push_back(*m);
    }
    intern(std::move(first));
    for (uint32_t s = 0; s < states_.size(); ++s) {
      if (states_.size() > max_states_)
        return unsupported_at(test_.span, fmt::format("the transition system has more than {} states", max_states_),
                              "raise the limit of states");
      if (auto done = expand(s); !done) return std::unexpected(done.error());
    }
    lts_.states = static_cast<uint32_t>(states_.size());
    std::sort(lts_.edges.begin(), lts_.edges.end(), [](const Lts::Edge& a, const Lts::Edge& b) {
      return std::tie(a.from, a.label, a.to) < std::tie(b.from, b.label, b.to);
    });
    for (const State& s : states_) lts_.state_names.push_back(name_of(s));
    return std::move(lts_);
  }

 private:
  uint32_t threads() const { return static_cast<uint32_t>(test_.threads.size()); }
  uint32_t length(uint32_t t) const { return static_cast<uint32_t>(test_.threads[t].code.size()); }

  uint32_t intern(State s) {
    auto [at, fresh] = ids_.try_emplace(std::move(s), static_cast<uint32_t>(states_.size()));
    if (fresh) states_.push_back(at->first);
    return at->second;
  }

  Expected<void> expand(uint32_t s) {
    const State at = states_[s];
    if (at.empty()) return {};
    bool all_done = true;
    for (uint32_t t = 0; t < threads(); ++t) {
      if (at[t] > length(t)) continue;
      all_done = false;
      State to = at;
      if (at[t] == length(t)) {
        ++to[t];
        if (machine_) {
          auto m = machine_->after_termination(at.back(), t);
          if (!m) return std::unexpected(m.error());
          to.back() = *m;
        }
        lts_.edges.push_back({s, intern(std::move(to)), fmt::format("TERMINATE !{}", t)});
        continue;
      }
      const axb::Instr& i = test_.threads[t].code[at[t]];
      uint32_t& cell = to[threads() + i.location];
      const bool writes = axb::writes(i, cell), jumps = axb::jumps(i, cell);
      if (writes) cell = i.value;
      to[t] = jumps ? i.jump : at[t] + 1;
      std::string label = fmt::format("EX !{}", t);
      if (!abstract_) {
        std::string text = axb::to_string(test_, t, at[t]);
        if (text.ends_with(';')) text.pop_back();
        label += fmt::format(" !{} !{}", text, jumps ? "TRUE" : "FALSE");
      }
      if (machine_) {
        label += " !" + fair::to_text(machine_->fair(at.back()));
        auto m = machine_->after_step(at.back(), t, {i.location, i.check, writes ? i.value : 0, writes, jumps});
        if (!m) return std::unexpected(m.error());
        to.back() = *m;
      }
      if (steps_ && to[t] == length(t)) {
        ++to[t];
        if (machine_) {
          auto m = machine_->after_termination(to.back(), t);
          if (!m) return std::unexpected(m.error());
          to.back() = *m;
        }
      }
      lts_.edges.push_back({s, intern(std::move(to)), std::move(label)});
    }
    if (all_done && !steps_) lts_.edges.push_back({s, intern({}), "exit"});
    return {};
  }

  std::string name_of(const State& s) const {
    if (s.empty()) return "done";
    std::string out = "pc";
    for (uint32_t t = 0; t < threads(); ++t)
      out += s[t] < length(t) ? fmt::format(" {}", s[t]) : s[t] == length(t) ? " end" : " -";
    for (size_t l = 0; l < test_.locations.size(); ++l)
      out += fmt::format("{} {}={}", l == 0 ? ";" : ",", test_.locations[l].name, s[threads() + l]);
    if (machine_) out += "; " + machine_->describe(s.back());
    return out;
  }

  const axb::Test& test_;
  bool abstract_, steps_;
  uint64_t max_states_;
  std::optional<fair::Machine> machine_;
  Lts lts_;
  std::vector<State> states_;
  std::map<State, uint32_t> ids_;
};

std::string in_quotes(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

Expected<Lts> lts(const axb::Test& test, const fair::Model* model, bool abstract, const Options& options) {
  if (auto valid = axb::validate(test); !valid) return std::unexpected(valid.error());
  auto l = Builder(test, model, abstract, options).run();
  if (!l || !abstract) return l;
  return reduce(*l);
}

Expected<Lts> steps_lts(const axb::Test& test, const fair::Model* model, const Options& options) {
  if (auto valid = axb::validate(test); !valid) return std::unexpected(valid.error());
  return Builder(test, model, false, options, true).run();
}

Lts with_all_done(Lts l) {
  for (Lts::Edge& e : l.edges)
    if (e.label == "exit") {
      e.label = "ALLDONE";
      l.edges.push_back({e.to, l.states++, "exit"});
      if (!l.state_names.empty()) l.state_names.emplace_back("all done");
      break;
    }
  return l;
}

// Partition refinement by signatures: the block of a state is split by the set of (label, block of the target) of its
// edges, until no block splits. A round costs the edges times a logarithm; rounds are at most the states, few in
// practice.
Lts reduce(const Lts& l) {
  std::map<std::string_view, uint32_t> labels;
  for (const Lts::Edge& e : l.edges) labels.try_emplace(e.label, 0);
  uint32_t next = 0;
  for (auto& [label, id] : labels) id = next++;
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> out(l.states);  // label, target
  for (const Lts::Edge& e : l.edges) out[e.from].push_back({labels.at(e.label), e.to});

  std::vector<uint32_t> block(l.states, 0);
  uint32_t blocks = l.states == 0 ? 0 : 1;
  for (bool split = true; split;) {
    std::map<std::vector<std::pair<uint32_t, uint32_t>>, uint32_t> of;  // signature, led by the old block
    std::vector<uint32_t> now(l.states);
    for (uint32_t s = 0; s < l.states; ++s) {
      std::vector<std::pair<uint32_t, uint32_t>> signature;
      for (auto [label, to] : out[s]) signature.push_back({label, block[to]});
      std::sort(signature.begin(), signature.end());
      signature.erase(std::unique(signature.begin(), signature.end()), signature.end());
      signature.push_back({block[s], 0});
      now[s] = of.try_emplace(std::move(signature), static_cast<uint32_t>(of.size())).first->second;
    }
    split = of.size() != blocks;
    blocks = static_cast<uint32_t>(of.size());
    block = std::move(now);
  }

  // One edge list per block, labels in their order; then numbers breadth first.
  std::vector<uint32_t> member(blocks, UINT32_MAX);
  for (uint32_t s = 0; s < l.states; ++s)
    if (member[block[s]] == UINT32_MAX) member[block[s]] = s;
  std::vector<std::string_view> text(labels.size());
  for (auto [label, id] : labels) text[id] = label;
  Lts r;
  std::vector<uint32_t> number(blocks, UINT32_MAX), order;
  auto visit = [&](uint32_t b) {
    if (number[b] != UINT32_MAX) return;
    number[b] = static_cast<uint32_t>(order.size());
    order.push_back(b);
  };
  if (l.states != 0) visit(block[l.initial]);
  for (size_t k = 0; k < order.size(); ++k) {
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (auto [label, to] : out[member[order[k]]]) edges.push_back({label, block[to]});
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (auto [label, to] : edges) {
      visit(to);
      r.edges.push_back({static_cast<uint32_t>(k), number[to], std::string(text[label])});
    }
  }
  r.states = static_cast<uint32_t>(order.size());
  return r;
}

std::string to_aut(const Lts& l) {
  std::string out = fmt::format("des ({}, {}, {})\n", l.initial, l.edges.size(), l.states);
  for (const Lts::Edge& e : l.edges) out += fmt::format("({}, {}, {})\n", e.from, in_quotes(e.label), e.to);
  return out;
}

std::string to_dot(const Lts& l) {
  std::string out =
      "digraph lts {\n  rankdir = TB;\n  node [shape = circle, fontname = \"monospace\"];\n"
      "  edge [fontname = \"monospace\", fontsize = 10];\n";
  for (uint32_t s = 0; s < l.states; ++s) {
    out += fmt::format("  {}", s);
    std::string attributes;
    if (s == l.initial) attributes = "peripheries = 2";
    if (s < l.state_names.size())
      attributes += fmt::format("{}tooltip = {}", attributes.empty() ? "" : ", ", in_quotes(l.state_names[s]));
    out += attributes.empty() ? ";\n" : fmt::format(" [{}];\n", attributes);
  }
  for (const Lts::Edge& e : l.edges) out += fmt::format("  {} -> {} [label = {}];\n", e.from, e.to, in_quotes(e.label));
  return out + "}\n";
}

}  // namespace fencepost::oracle
