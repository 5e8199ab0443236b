#include "suite/mutate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "cycle/layout.h"
#include "prog/weaken.h"
#include "term/term.h"

namespace fencepost::gen {
namespace {

constexpr const char* k_names[] = {"reverse-po-loc", "weaken-po-loc", "weaken-sw", "ld-acq-rlx", "ld-sc-acq",
                                   "ld-sc-rlx",      "st-sc-rel",     "st-sc-rlx", "st-rel-rlx", "scope",
                                   "order",          "semantics",     "access",    "presence",   "proxy"};
static_assert(std::size(k_names) == static_cast<size_t>(Mutator::count_));

// Equal code and question, whatever the title.
bool same(const prog::Test& a, const prog::Test& b) {
  prog::Test x = a, y = b;
  x.title = y.title = "";
  x.remarks = y.remarks = {};
  return x == y;
}

class Maker {
 public:
  Maker(const prog::Test& test, const std::optional<Spec>& spec, const TestOptions& options)
      : test_(test), spec_(spec), options_(options) {}

  std::vector<Mutant> run() {
    reverse_po_loc();
    if (spec_) {
      weaken_po_loc();
      weaken_sw();
      orders();
    }
    steps();
    std::stable_sort(out_.begin(), out_.end(), [](const Mutant& a, const Mutant& b) { return a.mutator < b.mutator; });
    return std::move(out_);
  }

 private:
  void add(Mutator m, std::string what, prog::Test t) {
    if (same(t, test_)) return;
    for (const Mutant& o : out_)
      if (o.mutator == m && same(o.test, t)) return;
    out_.push_back({m, std::move(what), std::move(t)});
  }
  void add(Mutator m, std::string what, const Spec& s) {
    auto t = make_test(s, options_);
    if (t) add(m, std::move(what), std::move(*t));  // a mutant that the dialect cannot say is none
  }

  void reverse_po_loc() {
    for (uint32_t t = 0; t < test_.threads.size(); ++t) {
      const auto& code = test_.instrs(t);
      for (uint32_t i = 0; i + 1 < code.size(); ++i) {
        const auto plain = [](const prog::Instr& x) {
          return (x.kind == prog::Kind::load || x.kind == prog::Kind::store) && x.addr.direct();
        };
        const prog::Instr &a = code[i], &b = code[i + 1];
        if (!plain(a) || !plain(b) || test_.symbols[a.addr.symbol].object != test_.symbols[b.addr.symbol].object)
          continue;
        bool depends = false;
        if (b.value) term::for_each_variable(b.value, [&](uint64_t v) { depends |= v == a.dst; });
        if (depends) continue;  // a data dependency stays
        prog::Test mutant = test_;
        prog::Template templ = test_.code(t);
        std::swap(templ.code[i], templ.code[i + 1]);
        mutant.threads[t].templ = prog::intern_template(mutant, std::move(templ));
        add(Mutator::reverse_po_loc,
            fmt::format("P{}: {} after {}", t, prog::to_string(test_, t, a), prog::to_string(test_, t, b)),
            std::move(mutant));
      }
    }
  }

  void weaken_po_loc() {
    Spec s = *spec_;
    bool changed = false;
    for (Edge& e : s.cycle.edges)
      if (!e.communication() && e.same_location && e.rel != Rel::rmw) {
        e.same_location = false;
        changed = true;
      }
    if (changed && check(s.cycle)) add(Mutator::weaken_po_loc, "two locations in place of one", renumbered(s));
  }

  // The tree belongs to the thread numbers of the old cycle.
  Spec renumbered(Spec s) const {
    const auto before = lay_out(spec_->cycle), after = lay_out(s.cycle);
    if (!before || !after) return s;
    std::vector<uint32_t> from(after->threads.size(), 0);
    for (size_t k = 0; k < s.cycle.size(); ++k) from[after->thread_of[k]] = before->thread_of[k];
    s.tree = permuted(s.tree, from);
    return s;
  }

  void weaken_sw() {
    const auto layout = lay_out(spec_->cycle);
    const auto without = [&](std::optional<uint32_t> thread) {
      Spec s = *spec_;
      bool changed = false;
      for (size_t k = 0; k < s.cycle.size(); ++k) {
        if (thread && layout->thread_of[k] != *thread) continue;
        Edge& e = s.cycle.edges[k];
        if (e.rel == Rel::fence) {
          e.rel = Rel::po;
          e.sem = Sem::none;
          e.scope = Scope::none;
          changed = true;
        }
        Sem& sem = s.cycle.nodes[k].sem;
        if (sem == Sem::acquire || sem == Sem::release || sem == Sem::acq_rel || sem == Sem::sc) {
          sem = Sem::relaxed;
          changed = true;
        }
      }
      return changed ? std::optional(s) : std::nullopt;
    };
    for (uint32_t t = 0; t < layout->threads.size(); ++t)
      if (const auto s = without(t)) add(Mutator::weaken_sw, fmt::format("P{} does not synchronise", t), *s);
    if (const auto s = without(std::nullopt)) add(Mutator::weaken_sw, "nobody synchronises", *s);
  }

  void orders() {
    struct Row {
      Mutator mutator;
      Dir dir;
      Sem from, to;
    };
    constexpr Row rows[] = {{Mutator::ld_acq_rlx, Dir::read, Sem::acquire, Sem::relaxed},
                            {Mutator::ld_sc_acq, Dir::read, Sem::sc, Sem::acquire},
                            {Mutator::ld_sc_rlx, Dir::read, Sem::sc, Sem::relaxed},
                            {Mutator::st_sc_rel, Dir::write, Sem::sc, Sem::release},
                            {Mutator::st_sc_rlx, Dir::write, Sem::sc, Sem::relaxed},
                            {Mutator::st_rel_rlx, Dir::write, Sem::release, Sem::relaxed}};
    for (const Row& r : rows) {
      Spec s = *spec_;
      bool changed = false;
      for (size_t k = 0; k < s.cycle.size(); ++k) {
        const bool rmw = s.cycle.edges[k].rel == Rel::rmw || s.cycle.edges[s.cycle.before(k)].rel == Rel::rmw;
        if (rmw || s.cycle.edges[k].from != r.dir || s.cycle.nodes[k].sem != r.from) continue;
        s.cycle.nodes[k].sem = r.to;
        changed = true;
      }
      if (changed)
        add(r.mutator,
            fmt::format("every {} {} is {}", gen::name(r.from), r.dir == Dir::read ? "read" : "write", gen::name(r.to)),
            s);
    }
  }

  void steps() {
    prog::SiteOptions each;
    each.together = false;
    const auto sites = prog::weakening_sites(test_, each);
    for (size_t k = 0; k < sites.size(); ++k) {
      const prog::Shape& as_written = sites[k].forms[0].shape;
      for (const prog::Step& step : prog::weaker(test_.syntax, as_written, prog::has_clusters(test_))) {
        const auto& forms = sites[k].forms;
        const auto at =
            std::find_if(forms.begin(), forms.end(), [&](const prog::SiteForm& f) { return f.shape == step.to; });
        if (at == forms.end()) continue;
        prog::Choice choice(sites.size(), 0);
        choice[k] = static_cast<uint32_t>(at - forms.begin());
        add(mutator_of(step, as_written), fmt::format("{} -> {}", prog::describe(test_, sites[k]), at->text),
            prog::apply(test_, sites, choice).test);
      }
    }
  }

  static Mutator mutator_of(const prog::Step& step, const prog::Shape& from) {
    if (from.mnemonic.starts_with("fence.proxy")) return Mutator::proxy;
    switch (step.aspect) {
      case prog::Aspect::order:
        return Mutator::order;
      case prog::Aspect::scope:
        return Mutator::scope;
      case prog::Aspect::semantics:
        return Mutator::semantics;
      case prog::Aspect::access:
        return Mutator::access;
      case prog::Aspect::presence:
        return Mutator::presence;
    }
    return Mutator::order;
  }

  const prog::Test& test_;
  const std::optional<Spec>& spec_;
  TestOptions options_;
  std::vector<Mutant> out_;
};

}  // namespace

const char* name(Mutator m) { return k_names[static_cast<size_t>(m)]; }

std::optional<Mutator> find_mutator(std::string_view text) {
  for (size_t k = 0; k < std::size(k_names); ++k)
    if (text == k_names[k]) return static_cast<Mutator>(k);
  return std::nullopt;
}

std::vector<Mutant> mutants(const prog::Test& test, const std::optional<Spec>& spec, const TestOptions& options) {
  return Maker(test, spec, options).run();
}

std::vector<Mutant> path_mutants(const Path& path, const TestOptions& options) {
  std::vector<Mutant> out;
  for (const WeakerPath& w : weaker_paths(path)) {
    auto test = make_test(w.path, options);
    FENCEPOST_INVARIANT(test.has_value(), "a weaker path is a test");
    const Mutator m = !w.what.ends_with("nothing")  ? Mutator::order
                      : w.what.starts_with("proxy") ? Mutator::proxy
                                                    : Mutator::presence;
    out.push_back({m, w.what, std::move(*test)});
  }
  return out;
}

}  // namespace fencepost::gen
