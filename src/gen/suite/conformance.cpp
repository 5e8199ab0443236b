#include "suite/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "check/races.h"
#include "cycle/families.h"
#include "cycle/layout.h"
#include "prog/syntax.h"
#include "prog/weaken.h"
#include "relax/relax.h"
#include "suite/decide.h"
#include "vocab/vocab.h"

namespace fencepost::gen {
namespace {

using prog::Syntax;
using vocab::Tag;

constexpr uint64_t k_whole_lattice = 120'000;  // variants that relax goes through in about a second
constexpr uint64_t k_order_lattice = 200'000;

Scope widest(const Tree& t) {
  Scope s = Scope::cta;
  for (size_t a = 0; a < t.places.size(); ++a)
    for (size_t b = 0; b < a; ++b) s = std::max(s, common_level(t, a, b));
  return s;
}

// As strong as the dialect has it. Accesses of a thread of the host have one form, and say nothing.
Spec strongest(const Spec& s, Syntax syntax) {
  Spec out = s;
  const Scope scope = widest(s.tree);
  const auto layout = lay_out(s.cycle);
  for (size_t k = 0; k < out.cycle.size(); ++k) {
    Edge& e = out.cycle.edges[k];
    Node& n = out.cycle.nodes[k];
    if (!layout || !s.tree.places[layout->thread_of[k]].host) {
      n.scope = scope;
      n.sem = syntax == Syntax::opencl ? Sem::sc : e.from == Dir::read ? Sem::acquire : Sem::release;
    }
    if (e.communication()) continue;
    e.rel = Rel::fence;
    e.sem = syntax == Syntax::vulkan ? Sem::acq_rel : Sem::sc;
    e.scope = scope;
  }
  return canonical(out);
}

// Where the accesses and fences of a cycle stand in its test: one instruction each.
struct Places {
  std::vector<prog::Place> access;  // by edge: of its source
  std::vector<prog::Place> fence;   // by edge; instr k_none: none
};
Places places_of(const Cycle& c, const Layout& l, const prog::Test& test) {
  Places p;
  p.access.resize(c.size());
  p.fence.assign(c.size(), {0, prog::k_none});
  // First access of each thread in the cycle, then onwards.
  for (size_t k = 0; k < c.size(); ++k) {
    if (!c.edges[c.before(k)].external) continue;
    const uint32_t t = l.thread_of[k];
    std::vector<uint32_t> events;
    for (uint32_t i = 0; i < test.instrs(t).size(); ++i) {
      const prog::Kind kind = test.instrs(t)[i].kind;
      if (kind == prog::Kind::load || kind == prog::Kind::store || kind == prog::Kind::fence) events.push_back(i);
    }
    size_t at = 0;
    for (size_t j = k;; j = c.after(j)) {
      FENCEPOST_INVARIANT(at < events.size(), "every access of a cycle is an instruction");
      p.access[j] = {t, events[at++]};
      if (c.edges[j].external) break;
      if (c.edges[j].rel == Rel::fence) {
        FENCEPOST_INVARIANT(at < events.size(), "every fence of a cycle is an instruction");
        p.fence[j] = {t, events[at++]};
      }
    }
  }
  return p;
}

bool same_code(const prog::Test& a, const prog::Test& b) {
  if (a.threads.size() != b.threads.size()) return false;
  for (uint32_t t = 0; t < a.threads.size(); ++t) {
    if (a.threads[t].scope != b.threads[t].scope || a.threads[t].cluster != b.threads[t].cluster ||
        a.instrs(t).size() != b.instrs(t).size())
      return false;
    for (size_t i = 0; i < a.instrs(t).size(); ++i)
      if (prog::to_string(a, t, a.instrs(t)[i]) != prog::to_string(b, t, b.instrs(t)[i])) return false;
  }
  return true;
}

class Below {
 public:
  Below(const Spec& base, Syntax syntax, const cat::Model& model, const check::Options& options, Job& job)
      : top_(strongest(base, syntax)), model_(model), options_(options), job_(job) {
    test_options_.syntax = syntax;
    test_options_.quantifier = prog::Quantifier::not_exists;
  }

  SuitePart run() {
    const auto test = make_test(top_, test_options_);
    if (!test) {
      part_.undecided = test.error().list.front().message;
      return std::move(part_);
    }
    const Answer a = ask(*test, model_, options_, job_);
    if (a.reach == Reach::undecided) part_.undecided = a.detail;
    part_.base_forbidden = a.reach == Reach::forbidden;
    if (!part_.base_forbidden) return std::move(part_);
    lattice(*test);
    std::sort(part_.entries.begin(), part_.entries.end(), [](const auto& x, const auto& y) { return x.name < y.name; });
    return std::move(part_);
  }

 private:
  void lattice(const prog::Test& top) {
    prog::SiteOptions each;
    each.together = false;
    double variants = 1;
    for (const prog::Site& s : prog::weakening_sites(top, each)) variants *= static_cast<double>(s.forms.size());
    relax::Options o;
    o.check = options_;
    o.keep = {check::Property::condition};
    if (check::races_of(model_) == check::Races::undefined) o.keep.push_back(check::Property::races);
    o.keep_is_explicit = true;
    o.sites = each;
    o.exhaustive = true;
    o.steps = variants <= static_cast<double>(k_whole_lattice) ? relax::Steps::all : relax::Steps::order;
    o.lattice_limit = k_order_lattice;
    const relax::Session session(top, model_, o, job_);
    const relax::Report& r = session.report();
    if (!r.lattice) {
      part_.undecided = r.trouble.empty() ? "the variants were not gone through" : r.trouble;
      return;
    }
    if (!r.lattice->complete) part_.undecided = r.lattice->why_incomplete;
    for (const relax::Minimal& m : r.lattice->minimal) settle(session.variant(m.choice), top);
  }

  // Weakens step by step until every step allows; what was listed under all steps is there already.
  void settle(prog::Test test, const prog::Test& top) {
    for (;;) {
      Minimality m = minimality(test, model_, options_, job_);
      if (m.kind == Minimality::Kind::undecided) {
        part_.undecided = fmt::format("undecided step: {}", m.step);
        return;
      }
      if (m.kind == Minimality::Kind::minimal) break;
      test = std::move(m.weaker);
    }
    keep(test, top);
  }

  void keep(const prog::Test& test, const prog::Test& top) {
    SuiteEntry e;
    e.kind = "minimal";
    e.family = family_name(top_.cycle);
    e.spec = spec_of_variant(test, top);
    if (e.spec) {
      e.name = name(*e.spec);
      auto made = make_test(*e.spec, test_options_);
      FENCEPOST_INVARIANT(made.has_value(), "a variant of a test can be made");
      // The canonical cycle may number threads and locations in another way: then it is another test, and is asked
      // itself.
      if (!same_code(*made, test))
        FENCEPOST_INVARIANT(ask(*made, model_, options_, job_).reach != Reach::allowed &&
                                minimality(*made, model_, options_, job_).kind != Minimality::Kind::not_minimal,
                            "a test keeps its verdict when its threads are renumbered");
      e.test = std::move(*made);
    } else {
      e.name = fmt::format("{}-{}", name(top_), part_.entries.size() + 1);
      e.test = test;
      e.test.title = e.name;
    }
    for (const SuiteEntry& o : part_.entries)
      if (o.name == e.name) return;
    part_.entries.push_back(std::move(e));
  }

  // The variant as a cycle: accesses and fences as its instructions say, an absent fence as po.
  std::optional<Spec> spec_of_variant(const prog::Test& test, const prog::Test& top) const {
    const auto layout = lay_out(top_.cycle);
    const Places places = places_of(top_.cycle, *layout, top);
    // Dropped fences shift what follows: position of each instruction of `top` in `test`.
    std::vector<std::vector<uint32_t>> position(top.threads.size());
    for (uint32_t t = 0; t < top.threads.size(); ++t) {
      uint32_t at = 0;
      for (const prog::Instr& i : top.instrs(t)) {
        const bool here = at < test.instrs(t).size() && test.instrs(t)[at].kind == i.kind;
        position[t].push_back(here ? at++ : prog::k_none);
        if (!here && i.kind != prog::Kind::fence) return std::nullopt;
      }
      if (at != test.instrs(t).size()) return std::nullopt;
    }
    Spec s = top_;
    for (size_t k = 0; k < s.cycle.size(); ++k) {
      const prog::Place a = places.access[k], f = places.fence[k];
      const Node n = node_of(test, test.instrs(a.thread)[position[a.thread][a.instr]].tags);
      if (!test.threads[a.thread].host) {
        s.cycle.nodes[k].sem = n.sem;
        s.cycle.nodes[k].scope = n.scope;
      }
      if (f.instr == prog::k_none) continue;
      Edge& e = s.cycle.edges[k];
      const uint32_t at = position[f.thread][f.instr];
      if (at == prog::k_none) {
        e.rel = Rel::po;
        e.sem = Sem::none;
        e.scope = Scope::none;
        continue;
      }
      const Node fence = node_of(test, test.instrs(f.thread)[at].tags);
      e.sem = fence.sem;
      e.scope = fence.scope;
    }
    const auto made = make_test(s, test_options_);
    if (!made || !same_code(*made, test)) return std::nullopt;
    return canonical(s);
  }

  Spec top_;
  const cat::Model& model_;
  const check::Options& options_;
  Job& job_;
  TestOptions test_options_;
  SuitePart part_;
};

}  // namespace

Node node_of(const prog::Test& test, const prog::TagSet& tags) {
  Node n;
  const bool vulkan = test.dialect == vocab::Dialect::vulkan, opencl = test.dialect == vocab::Dialect::opencl;
  const bool acquires = tags.has(Tag::ACQ), releases = tags.has(Tag::REL);
  n.sem = tags.has(Tag::SC)                                     ? Sem::sc
          : tags.has(Tag::ACQ_REL) || (acquires && releases)    ? Sem::acq_rel
          : acquires                                            ? Sem::acquire
          : releases                                            ? Sem::release
          : tags.has(Tag::WEAK) || tags.has(Tag::NA)            ? Sem::weak
          : vulkan && !tags.has(Tag::ATOM) && !tags.has(Tag::F) ? Sem::weak
                                                                : Sem::relaxed;
  if (vulkan)
    n.scope = tags.has(Tag::SG)   ? Scope::warp
              : tags.has(Tag::WG) ? Scope::cta
              : tags.has(Tag::QF) ? Scope::gpu
              : tags.has(Tag::DV) ? Scope::sys
                                  : Scope::none;
  else if (opencl)
    n.scope = tags.has(Tag::WG)    ? Scope::cta
              : tags.has(Tag::DV)  ? Scope::gpu
              : tags.has(Tag::ALL) ? Scope::sys
                                   : Scope::none;
  else
    n.scope = tags.has(Tag::CTA)       ? Scope::cta
              : tags.has(Tag::CLUSTER) ? Scope::cluster
              : tags.has(Tag::GPU)     ? Scope::gpu
              : tags.has(Tag::SYS)     ? Scope::sys
                                       : Scope::none;
  return n;
}

Expected<std::vector<Spec>> suite_bases(const SuiteRequest& r) {
  std::vector<Spec> out;
  FamilyRequest f;
  f.most_threads = r.most_threads;
  f.families = r.families;
  f.relations = {Edge{}};
  f.relations[0].same_location = false;
  f.placement = FamilyRequest::Placement::all;
  f.hosts = r.hosts;
  const auto add = [&](const Spec& s) {
    out.push_back(s);
    return true;
  };
  if (auto n = enumerate(f, add); !n) return std::unexpected(n.error());
  const bool wanted = r.families.empty() || std::find(r.families.begin(), r.families.end(), "IRIW") != r.families.end();
  if (r.iriw && wanted) {
    f.least_threads = f.most_threads = 4;
    f.families = {"IRIW"};
    f.placement = FamilyRequest::Placement::given;
    // Threads 0 and 2 read, 1 and 3 write: together, all apart, a reader with the writer it reads first or last, on
    // devices.
    f.trees = {"0123", "0.1.2.3", "01.23", "03.12", "0_1_2_3"};
    // The readers, or the writers, on the host.
    if (r.hosts) f.trees.insert(f.trees.end(), {"H0_1.3_H2", "0.2_H1_H3"});
    if (auto n = enumerate(f, add); !n) return std::unexpected(n.error());
  }
  return out;
}

SuitePart minimal_below(const Spec& base, Syntax syntax, const cat::Model& model, const check::Options& options,
                        Job& job) {
  return Below(base, syntax, model, options, job).run();
}

SuitePart minimal_path(const Path& path, const cat::Model& model, const check::Options& options, Job& job) {
  SuitePart out;
  TestOptions o;
  o.quantifier = prog::Quantifier::not_exists;
  auto test = make_test(path, o);
  FENCEPOST_INVARIANT(test.has_value(), "a path of the enumeration is a test");
  const Answer a = ask(*test, model, options, job);
  if (a.reach == Reach::undecided) out.undecided = a.detail;
  out.base_forbidden = a.reach == Reach::forbidden;
  if (!out.base_forbidden) return out;
  const Minimality m = minimality(*test, model, options, job);
  if (m.kind == Minimality::Kind::undecided) out.undecided = fmt::format("undecided step: {}", m.step);
  if (m.kind != Minimality::Kind::minimal) return out;
  for (const WeakerPath& w : weaker_paths(path)) {
    const auto weaker = make_test(w.path, o);
    FENCEPOST_INVARIANT(weaker.has_value(), "a weaker path is a test");
    const Answer b = ask(*weaker, model, options, job);
    if (b.reach == Reach::undecided) out.undecided = fmt::format("undecided step: {}", w.what);
    if (b.reach == Reach::forbidden || b.reach == Reach::undecided) return out;
  }
  SuiteEntry e;
  e.path = path;
  e.name = name(path);
  e.kind = "path";
  e.family = fmt::format("{}..{}", path.first, path.last);
  e.test = std::move(*test);
  out.entries.push_back(std::move(e));
  return out;
}

Expected<std::vector<SuiteEntry>> coherence_suite(Syntax syntax, const cat::Model& model, const check::Options& options,
                                                  Job& job) {
  std::vector<SuiteEntry> out;
  std::set<std::string> seen;
  std::vector<Tree> trees = all_trees(2, false);
  if (model.knows_hosts && syntax == Syntax::ptx) std::ranges::copy(host_trees(2), std::back_inserter(trees));
  for (const Tree& t : trees) {
    TestOptions o;
    o.syntax = syntax;
    o.quantifier = prog::Quantifier::not_exists;
    if (syntax != Syntax::gpu_ptx) {
      Node n;
      n.sem = Sem::relaxed;
      n.scope = widest(t);
      o.access = n;
    }
    auto tests = coherence_tests(o, t);
    if (!tests) return std::unexpected(tests.error());
    for (Coherence& c : *tests) {
      if (!seen.insert(c.name).second) continue;
      if (ask(c.test, model, options, job).reach != Reach::forbidden) continue;
      SuiteEntry e;
      e.family = c.name.substr(0, c.name.find('@'));
      e.name = std::move(c.name);
      e.kind = "coherence";
      e.test = std::move(c.test);
      out.push_back(std::move(e));
    }
  }
  return out;
}

}  // namespace fencepost::gen
