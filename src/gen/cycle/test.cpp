#include "cycle/test.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cycle/writer.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::gen {
namespace {

std::string ask(prog::Quantifier q, const std::string& condition) {
  switch (q) {
    case prog::Quantifier::not_exists:
      return fmt::format("~exists ({})", condition);
    case prog::Quantifier::forall:
      return fmt::format("forall ~({})", condition);
    default:
      return fmt::format("exists ({})", condition);
  }
}

Expected<std::string> write(const Draft& d, prog::Syntax syntax) {
  switch (syntax) {
    case prog::Syntax::ptx:
      return write_ptx(d);
    case prog::Syntax::gpu_ptx:
      return write_gpu_ptx(d);
    case prog::Syntax::vulkan:
      return write_vulkan(d);
    case prog::Syntax::opencl:
      return write_opencl(d);
    default:
      return unsupported_at({}, fmt::format("tests are not made in the notation {}", prog::name(syntax)),
                            "use ptx, gpu_ptx, vulkan or opencl");
  }
}

Expected<prog::Test> read_back(const std::string& title, const Expected<std::string>& text) {
  if (!text) return std::unexpected(text.error());
  auto test = read::parse_one(make_source(title + ".litmus", *text));
  if (!test) {
    // A cycle that was accepted must give a text that its dialect reads: refusals belong into the writers.
    return std::unexpected(test.error());
  }
  return test;
}

}  // namespace

Node default_access(prog::Syntax syntax) {
  Node n;
  if (syntax == prog::Syntax::vulkan || syntax == prog::Syntax::opencl) {
    n.sem = Sem::relaxed;
    n.scope = Scope::sys;
  } else {
    n.sem = Sem::weak;
  }
  return n;
}

Expected<std::string> litmus_text(const Spec& s, const TestOptions& o) {
  const Cycle c = with_access(s.cycle, o.access.value_or(default_access(o.syntax)));
  auto layout = lay_out(c);
  if (!layout) return std::unexpected(layout.error());
  Draft d;
  d.title = o.title.empty() ? name(s) : o.title;
  d.remarks = {print(s.cycle)};
  d.remarks.insert(d.remarks.end(), o.remarks.begin(), o.remarks.end());
  d.question = ask(o.quantifier, print_condition(*layout));
  d.layout = std::move(*layout);
  d.tree = s.tree;
  return write(d, o.syntax);
}

Expected<prog::Test> make_test(const Spec& s, const TestOptions& o) {
  return read_back(o.title.empty() ? name(s) : o.title, litmus_text(s, o));
}

Expected<std::vector<Coherence>> coherence_tests(const TestOptions& o, const Tree& placement) {
  // x=1 | r=x ...: threads of accesses "W1", "R"; what is seen.
  struct Form {
    const char* name;
    std::vector<std::vector<std::pair<Dir, uint64_t>>> threads;  // a read: what it is to see
    uint64_t final_value;
  };
  const Dir r = Dir::read, w = Dir::write;
  const Form forms[] = {{"CoRR", {{{w, 1}}, {{r, 1}, {r, 0}}}, 0},
                        {"CoRW1", {{{r, 1}, {w, 1}}}, 0},
                        {"CoRW2", {{{r, 2}, {w, 1}}, {{w, 2}}}, 2},
                        {"CoWR", {{{w, 1}, {r, 2}}, {{w, 2}}}, 1},
                        {"CoWW", {{{w, 1}, {w, 2}}}, 1}};
  const Node access = o.access.value_or(default_access(o.syntax));
  std::vector<Coherence> out;
  for (const Form& f : forms) {
    Draft d;
    d.title = f.name;
    if (f.threads.size() > 1 && placement != spread(2)) d.title += fmt::format("@{}", print(placement));
    d.remarks = {"sequential consistency of one location"};
    d.remarks.insert(d.remarks.end(), o.remarks.begin(), o.remarks.end());
    d.layout.regions = {access.region};
    d.layout.final_values = {f.final_value};
    for (const auto& accesses : f.threads) {
      ThreadLayout t;
      uint32_t reg = 1;
      for (const auto& [dir, value] : accesses) {
        Access a;
        a.dir = dir;
        a.value = value;
        Cycle one;
        one.edges.resize(1);
        one.edges[0].from = dir;
        one.nodes.resize(1);
        a.node = with_access(one, access).nodes[0];
        if (dir == r) {
          a.reg = reg;
          reg += 2;
        }
        t.accesses.push_back(a);
      }
      d.layout.threads.push_back(t);
    }
    d.tree = f.threads.size() > 1 ? placement : spread(1);
    d.question = ask(o.quantifier, print_condition(d.layout));
    auto test = read_back(d.title, write(d, o.syntax));
    if (!test) return std::unexpected(test.error());
    out.push_back({d.title, std::move(*test)});
  }
  return out;
}

Expected<prog::Test> coherence_test(const std::string& name, const TestOptions& o, const Tree& placement) {
  auto tests = coherence_tests(o, placement.places.size() == 2 ? placement : spread(2));
  if (!tests) return std::unexpected(tests.error());
  for (Coherence& t : *tests)
    if (t.name == name || t.name.starts_with(name + "@")) return std::move(t.test);
  return error_at({}, fmt::format("'{}' is not a test of sequential consistency per location", name),
                  "CoRR, CoRW1, CoRW2, CoWR, CoWW");
}

// ---- shared by the writers ---------------------------------------------------------------------------

std::unexpected<Diagnostics> refuse(const Span& at, const std::string& what, const char* dialect,
                                    const std::string& hint) {
  return unsupported_at(at, fmt::format("{} is not in {}", what, dialect), hint);
}

Expected<void> refuse_common(const Draft& d, const char* dialect) {
  // Shared memory is that of one CTA: under one name, two would be two objects.
  std::vector<std::optional<size_t>> owner(d.layout.regions.size());
  for (size_t k = 0; k < d.layout.threads.size(); ++k)
    for (const Access& a : d.layout.threads[k].accesses) {
      if (d.layout.regions[a.location] != Region::shared) continue;
      if (!owner[a.location]) owner[a.location] = k;
      if (common_level(d.tree, *owner[a.location], k) > Scope::cta)
        return error_at(a.span,
                        fmt::format("{} lies in shared memory, and the threads {} and {} are in different CTAs",
                                    location_name(a.location), *owner[a.location], k),
                        "put them into one: Rfe@cta, or a placement as 01");
    }
  const bool ptx = std::string_view(dialect) == "PTX", vulkan = std::string_view(dialect) == "VULKAN";
  for (const Place& p : d.tree.places)
    if (p.host && !ptx) return refuse({}, "a thread of the host", dialect, "write PTX (--dialect PTX)");
  if (d.tree.clusters && !ptx)
    return refuse({}, "a placement with clusters", dialect, "leave '~' out, or write PTX (--dialect PTX)");
  for (const ThreadLayout& t : d.layout.threads) {
    for (const Access& a : t.accesses)
      for (const Node* n : {&a.node, &a.store_node}) {
        if (n->scope == Scope::cluster && !ptx) return refuse(a.span, "scope 'cluster'", dialect, "use cta or gpu");
        if (n->region == Region::dshared || n->region == Region::host)
          return refuse(a.span, fmt::format("region '{}'", name(n->region)), dialect, "use global or shared");
        if (n->proxy == Proxy::async)
          return refuse(a.span, "proxy 'async'", dialect, "use generic, alias, const, tex or surf");
        if (!vulkan && n->region >= Region::sc0)
          return refuse(a.span, fmt::format("storage class '{}'", name(n->region)), dialect,
                        "write VULKAN (--dialect VULKAN)");
        if (!vulkan && (n->covers != Covers{} || n->nonpriv))
          return refuse(a.span,
                        n->nonpriv ? "'nonpriv'"
                                   : "what an operation makes available or visible, and of which "
                                     "storage classes,",
                        dialect, "write VULKAN (--dialect VULKAN)");
        if (n->width != 0)
          return refuse(a.span, fmt::format("a width of {} bits", n->width), dialect, "leave the width out");
        if (n->sem == Sem::mmio) return refuse(a.span, "'mmio'", dialect, "use volatile or relaxed.sys");
        if (n->operation == Operation::add && !a.both)
          return refuse(a.span, "an 'add' whose write belongs to no cycle", dialect, "use Rmw for read-modify-writes");
        if (n->operation == Operation::exch && !a.both && a.dir == Dir::read)
          return refuse(a.span, "an exchange as a read", dialect,
                        "exch describes writes; use Rmw for read-modify-writes");
      }
    for (const Between& b : t.between) {
      if (b.edge.rel == Rel::fence && b.edge.scope == Scope::cluster && !ptx)
        return refuse(b.edge.span, "scope 'cluster'", dialect, "use cta or gpu");
      if (!vulkan && (b.edge.covers != Covers{} || b.edge.rel == Rel::av_device || b.edge.rel == Rel::vis_device))
        return refuse(b.edge.span, fmt::format("'{}'", print_kind(b.edge)), dialect, "write VULKAN (--dialect VULKAN)");
      if (b.edge.rel == Rel::proxy && b.edge.proxy == Proxy::async)
        return refuse(b.edge.span, "proxy 'async'", dialect, "use generic, alias, const, tex or surf");
    }
  }
  return {};
}

std::string header(const Draft& d, const char* language) {
  std::string out = fmt::format("{} {}\n", language, d.title);
  for (const std::string& r : d.remarks) out += fmt::format("\"{}\"\n", r);
  return out;
}

std::string rows(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& columns) {
  size_t most = 0;
  for (const auto& c : columns) most = std::max(most, c.size());
  std::string out = fmt::format(" {} ;\n", fmt::join(heads, " | "));
  for (size_t r = 0; r < most; ++r)
    for (size_t c = 0; c < columns.size(); ++c)
      out += fmt::format(" {}{}", r < columns[c].size() ? columns[c][r] : "", c + 1 == columns.size() ? " ;\n" : " |");
  return out;
}

}  // namespace fencepost::gen
