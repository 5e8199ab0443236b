// What a model should be told beyond what keeps it from loading. The rules are chosen so that misspelling any
// one identifier of a file that is otherwise clean is always noticed: a use becomes unknown, a definition
// becomes unused, and labels, which nothing in the language refers to, are held against the file's header.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "cat/compile.h"
#include "cat/emptiness.h"
#include "cat/resolve.h"

namespace fencepost::cat {
namespace {

std::string lower(std::string s) {
  for (char& c : s) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return s;
}

class Linter {
 public:
  Linter(const Program& program, const LoadOptions& options, Findings& findings)
      : p_(program), options_(options), out_(findings) {
    for (const Header& h : p_.files[0].headers) {
      if (h.key == "reading" || h.key == "withheld" || h.key == "assumes") continue;
      if (headers_.contains(h.key))
        out_.warning("header", p_.span(0, h.begin, h.end), fmt::format("a second '{}' header", h.key),
                     "one of them is enough");
      headers_[h.key] = &h;
    }
  }

  void text_rules() {
    title();
    dialect_header();
    scopes_header();
    if (const Header* h = header("spaces"); h != nullptr && h->value != "any")
      out_.warning("header", span(*h), fmt::format("'{}' says nothing of address spaces", h->value),
                   "any, or no such header");
    if (const Header* h = header("hosts"); h != nullptr && h->value != "x86")
      out_.warning("header", span(*h), fmt::format("'{}' is not a host that tests can have", h->value),
                   "x86, or no such header");
    if (const Header* h = header("barriers"); h != nullptr && h->value != "mentioned")
      out_.warning("header", span(*h), fmt::format("'{}' says nothing of barriers", h->value),
                   "mentioned, or no such header");
    if (const Header* h = header("instructions"); h != nullptr && h->value != "asynchronous")
      out_.warning("header", span(*h), fmt::format("'{}' says nothing of instructions", h->value),
                   "asynchronous, or no such header");
    unused();
    provides();
    shadowing();
    dialect_of_names();
    for (const Statement& s : p_.statements) statement(s, false);
    labels("axioms", "axiom or flag", axiom_labels_);
    labels("shows", "show", show_labels_);
    clauses();
    vacuous_header();
  }

  void model_rules(const Model& m) { empty_expressions(m); }

 private:
  struct Seen {
    std::string name;
    Span span;
  };

  bool ours(uint16_t file) const { return p_.files[file].role == Role::main || p_.files[file].role == Role::included; }
  Span span(const Label& l, uint16_t file) const { return p_.span(file, l.begin, l.end); }
  const Header* header(const char* key) const {
    const auto it = headers_.find(key);
    return it == headers_.end() ? nullptr : it->second;
  }
  Span span(const Header& h) const { return p_.span(0, h.begin, h.end); }

  // ---- header and title
  void title() {
    static const std::set<std::string> k_words = {"ptx",         "vulkan", "opencl",    "gpu_ptx",
                                                  "c",           "withco", "withoutco", "withinit",
                                                  "withoutinit", "withsc", "withoutsc"};
    for (const Token& t : p_.files[0].title_words) {
      const Span at = p_.span(0, t.begin, t.end);
      if (!k_words.contains(lower(std::string(at.text()))))
        out_.warning("title", at,
                     fmt::format("'{}' before the first statement is neither a dialect nor an option", at.text()),
                     "put the title in double quotes");
    }
  }

  void dialect_header() {
    dialect_ = options_.dialect;
    const Header* h = header("dialect");
    if (h == nullptr) return;
    for (vocab::Dialect d : {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl}) {
      if (h->value != vocab::name(d)) continue;
      dialect_ = d;
      return;
    }
    out_.warning("header", span(*h), fmt::format("'{}' is not a dialect", h->value), "ptx, vulkan or opencl");
  }

  void scopes_header() {
    const Header* h = header("scopes");
    if (h == nullptr) return;
    for (const std::string& w : words(h->value))
      if (!vocab::level_of(dialect_, w))
        out_.warning("header", span(*h), fmt::format("'{}' is not a scope of {}", w, vocab::name(dialect_)),
                     "the scopes of PTX are cta, cluster, gpu and sys");
  }

  // ---- definitions
  std::set<std::string> provided(uint16_t file) const {
    std::set<std::string> out;
    for (const Header& h : p_.files[file].headers)
      if (h.key == "provides")
        for (const std::string& w : words(h.value)) out.insert(w);
    return out;
  }

  void unused() {
    std::vector<std::set<std::string>> exempt;
    for (uint16_t f = 0; f < p_.files.size(); ++f) exempt.push_back(provided(f));
    for (const Binder& b : p_.binders) {
      if (b.uses > 0 || !ours(b.file)) continue;
      const std::string name = p_.name(b.symbol);
      const bool top = b.kind == BinderKind::definition || b.kind == BinderKind::procedure;
      if (top && (p_.files[b.file].role == Role::included || exempt[b.file].contains(name))) continue;
      const char* what = b.kind == BinderKind::parameter   ? "parameter"
                         : b.kind == BinderKind::procedure ? "procedure"
                                                           : "definition";
      out_.warning("unused", p_.span(b), fmt::format("the {} '{}' is never used", what, name),
                   top ? "delete it, or list it in a '(* provides: ... *)' header if other files use it" : "delete it");
    }
  }

  void provides() {
    const Header* h = header("provides");
    if (h == nullptr) return;
    std::vector<std::string> names;
    for (const Binder& b : p_.binders)
      if (b.file == 0 && (b.kind == BinderKind::definition || b.kind == BinderKind::procedure))
        names.push_back(p_.name(b.symbol));
    for (const std::string& w : words(h->value)) {
      if (std::find(names.begin(), names.end(), w) != names.end()) continue;
      const std::string near = nearest(w, names);
      out_.warning("provides", span(*h), fmt::format("the header promises '{}', which this file does not define", w),
                   near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
  }

  // Each entry of "clauses" is of a definition or an axiom, has a section and says something.
  void clauses() {
    const Header* h = header("clauses");
    if (h == nullptr) return;
    std::set<std::string> names;
    for (const Binder& b : p_.binders)
      if (b.file == 0 && b.kind == BinderKind::definition) names.insert(p_.name(b.symbol));
    for (const Seen& a : axiom_labels_) names.insert(a.name);
    std::istringstream list(h->value);
    for (std::string item; std::getline(list, item, ';');) {
      const std::vector<std::string> parts = words(item);
      if (parts.size() < 3) {
        out_.warning("header", span(*h), fmt::format("'{}' is not a clause", item), "NAME SECTIONS TEXT");
      } else if (!names.contains(parts[0])) {
        const std::string near = nearest(parts[0], std::vector<std::string>(names.begin(), names.end()));
        out_.warning("header", span(*h),
                     fmt::format("there is a clause for '{}', which this file does not define", parts[0]),
                     near.empty() ? "" : fmt::format("did you mean '{}'?", near));
      }
    }
  }

  void shadowing() {
    size_t repeated = 0;
    for (const Binder& b : p_.binders) {
      if (!ours(b.file) || b.kind == BinderKind::procedure || b.end == b.begin) continue;
      const std::string name = p_.name(b.symbol);
      if (vocab::find_tag(name) || vocab::find_base(name) || name == "M") {
        out_.note("shadow", p_.span(b),
                  fmt::format("'{}' hides the {} of that name from here on", name,
                              vocab::find_base(name) ? "base relation" : "event set"),
                  "what an execution is keeps its meaning, only the name moves");
      } else if (b.replaces != 0 && p_.binders[b.replaces - 1].file == b.file) {
        if (++repeated > 100) continue;  // finding the line of each is not free
        out_.note("shadow", p_.span(b), fmt::format("'{}' is defined a second time", name),
                  fmt::format("the one before stands at {}", p_.span(p_.binders[b.replaces - 1]).location()));
      }
    }
  }

  void dialect_of_names() {
    std::set<Symbol> told;
    const uint8_t mask = static_cast<uint8_t>(1u << static_cast<int>(dialect_));
    for (const Expr& e : p_.exprs) {
      if (e.kind != ExprKind::name || !ours(e.file)) continue;
      uint8_t dialects = 0;
      if (e.resolution == Resolution::tag) {
        dialects = vocab::tags()[e.value].dialects;
      } else if (e.resolution == Resolution::base) {
        dialects = vocab::bases()[e.value].dialects;
      } else {
        continue;
      }
      if ((dialects & mask) != 0 || !told.insert(e.symbol).second) continue;
      out_.warning("dialect", p_.span(e),
                   fmt::format("no {} program has '{}', so it is always empty", vocab::name(dialect_),
                               p_.symbols.text(e.symbol)),
                   "docs/cat.md lists the names of each dialect");
    }
  }

  // ---- statements
  void statement(const Statement& s, bool inside) {
    if (!ours(s.file)) return;
    const bool main = s.file == 0;
    switch (s.kind) {
      case StatementKind::axiom:
        if (!s.label.present() && !inside) {
          out_.warning("unnamed-axiom", p_.span(s.file, s.begin, s.end), "this axiom has no name",
                       "add 'as NAME': explanations and reports use it");
        } else if (main && s.label.present()) {
          axiom_labels_.push_back({p_.name(s.label.symbol), span(s.label, s.file)});
        }
        break;
      case StatementKind::call:
        if (main && s.label.present()) axiom_labels_.push_back({p_.name(s.label.symbol), span(s.label, s.file)});
        break;
      case StatementKind::show:
        for (const ShowItem& item : s.shows)
          if (main && item.label.present())
            show_labels_.push_back({p_.name(item.label.symbol), span(item.label, s.file)});
        break;
      case StatementKind::procedure:
        for (const Statement& t : s.body) statement(t, true);
        break;
      case StatementKind::ignored:
        ignored(s);
        break;
      case StatementKind::let:
      case StatementKind::include:
        break;
    }
  }

  void ignored(const Statement& s) {
    if (s.shows.empty()) {
      out_.note("ignored", p_.span(s.file, s.begin, s.begin + 1),
                "this statement says nothing about executions and is skipped");
      return;
    }
    for (const ShowItem& item : s.shows) {  // unshow
      const std::string name = p_.name(item.label.symbol);
      const bool known =
          std::any_of(p_.binders.begin(), p_.binders.end(),
                      [&](const Binder& b) { return b.symbol == item.label.symbol; }) ||
          vocab::find_base(name) || vocab::find_tag(name) ||
          std::any_of(show_labels_.begin(), show_labels_.end(), [&](const Seen& l) { return l.name == name; });
      if (!known)
        out_.warning("unknown-name", span(item.label, s.file),
                     fmt::format("'{}' is nothing that could be shown", name));
    }
  }

  // Every label of the file stands in the header, and the other way round.
  void labels(const char* key, const char* what, const std::vector<Seen>& seen) {
    std::set<std::string> names;
    for (const Seen& l : seen)
      if (!names.insert(l.name).second)
        out_.warning("label", l.span, fmt::format("a second {} is called '{}'", what, l.name),
                     "give each its own name");
    const Header* h = header(key);
    if (h == nullptr) {
      if (!seen.empty())
        out_.warning("label", seen.front().span,
                     fmt::format("this file has no '(* {}: ... *)' header that lists its labels", key),
                     "without it a misspelt label goes unnoticed");
      return;
    }
    const std::vector<std::string> listed = words(h->value);
    for (const Seen& l : seen) {
      if (std::find(listed.begin(), listed.end(), l.name) != listed.end()) continue;
      const std::string near = nearest(l.name, listed);
      out_.warning("label", l.span, fmt::format("the '{}' header does not list '{}'", key, l.name),
                   near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
    for (const std::string& w : listed)
      if (!names.contains(w))
        out_.warning("label", span(*h),
                     fmt::format("the header lists '{}', but no {} of this file is called so", w, what));
  }

  void vacuous_header() {
    const Header* h = header("vacuous");
    if (h == nullptr) return;
    for (const std::string& w : words(h->value)) {
      vacuous_.insert(w);
      if (std::none_of(axiom_labels_.begin(), axiom_labels_.end(), [&](const Seen& l) { return l.name == w; }))
        out_.warning("label", span(*h),
                     fmt::format("the header calls '{}' vacuous, but no axiom of this file is called so", w));
    }
  }

  // ---- the model
  void empty_expressions(const Model& m) {
    const std::vector<bool> empty = always_empty(m);
    // Quiet: what only serves an axiom that is told as a whole, or whose vacuity is declared.
    std::vector<bool> quiet(m.nodes.size());
    for (const Axiom& a : m.axioms) {
      if (!empty[a.node] || a.span.source != p_.files[0].source) continue;
      mark(m, a.node, quiet);
      const NodeOp op = m.nodes[a.node].op;
      if (vacuous_.contains(a.name) || op == NodeOp::empty_rel || op == NodeOp::empty_set) continue;
      const bool predicate = !a.negated;  // of the empty relation
      const char* effect = a.flag ? (predicate ? "is raised by every execution" : "is never raised")
                                  : (predicate ? "forbids nothing" : "forbids everything");
      out_.warning("always-empty", a.span,
                   fmt::format("'{}' {}: its relation is empty in every execution", a.name, effect),
                   "list it in a '(* vacuous: ... *)' header if this is known");
    }
    for (NodeId i = 0; i < m.nodes.size(); ++i) {
      const Node& n = m.nodes[i];
      if (!empty[i] || quiet[i] || n.op == NodeOp::empty_rel || n.op == NodeOp::empty_set || n.op == NodeOp::rec_var)
        continue;
      if (n.span.source != p_.files[0].source) continue;
      if (std::any_of(n.kids.begin(), n.kids.end(), [&](NodeId k) { return empty[k]; })) continue;  // told there
      out_.warning("always-empty", n.span, "this expression is empty in every execution");
    }
  }

  static void mark(const Model& m, NodeId from, std::vector<bool>& seen) {
    std::vector<NodeId> todo{from};
    while (!todo.empty()) {
      const NodeId n = todo.back();
      todo.pop_back();
      if (seen[n]) continue;
      seen[n] = true;
      todo.insert(todo.end(), m.nodes[n].kids.begin(), m.nodes[n].kids.end());
      if (m.nodes[n].op == NodeOp::rec_var) todo.push_back(m.variables[m.nodes[n].rec].definition);
    }
  }

  const Program& p_;
  const LoadOptions& options_;
  Findings& out_;
  std::unordered_map<std::string, const Header*> headers_;
  std::vector<Seen> axiom_labels_, show_labels_;
  std::set<std::string> vacuous_;
  vocab::Dialect dialect_{};
};

}  // namespace

std::vector<LintFinding> lint_text(SourcePtr source, const LoadOptions& given) {
  LoadOptions options = given;
  options.every_answer = true;
  Program program;
  Findings findings;
  resolve(program, std::move(source), options, true, findings);
  const bool broken = std::any_of(findings.list().begin(), findings.list().end(), [](const LintFinding& f) {
    return f.diagnostic.severity == Severity::error && f.rule != "unknown-name";
  });
  if (broken) return findings.list();
  Compiler compiler(program, findings);
  compiler.run();
  Linter linter(program, options, findings);
  linter.text_rules();
  if (findings.errors() == 0) linter.model_rules(compiler.model());
  compiler.probe_unapplied_functions();
  std::vector<LintFinding> out = findings.list();
  // In the order of the text, the model's own findings before those about other files.
  const SourcePtr main = program.files[0].source;
  std::stable_sort(out.begin(), out.end(), [&](const LintFinding& a, const LintFinding& b) {
    const bool am = a.diagnostic.span.source == main, bm = b.diagnostic.span.source == main;
    if (am != bm) return am;
    return am && a.diagnostic.span.begin < b.diagnostic.span.begin;
  });
  return out;
}

std::vector<LintFinding> lint(const std::string& path, const LoadOptions& options) {
  const auto source = read_source(path);
  if (!source)
    return {{{Severity::error,
              Fault::bad_input,
              {},
              "cannot read '" + path + "': " + source.error(),
              "a model is a text file in the cat language"},
             "include"}};
  return lint_text(*source, options);
}

}  // namespace fencepost::cat
