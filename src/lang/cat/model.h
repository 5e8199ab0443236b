#pragma once
// A memory model written in cat, compiled to a DAG of typed nodes over named bases. Functions are applied
// at compile time, equal nodes are shared, `let rec` groups become fixpoint groups. Nodes are stored in
// topological order: the children of a node that is not part of a fixpoint group come before it.
//
// The language is that of herd's cat as the GPU models of herd and of Dartagnan use it (docs/cat.md).
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "vocab/vocab.h"

namespace fencepost::cat {

enum class Type : uint8_t { set, rel };

enum class NodeOp : uint8_t {
  // leaves
  base_rel,    // `base`
  base_set,    // `tag`
  everything,  // "_": every executed event (set)
  memory,      // "M" = R | W (set)
  empty_set,
  empty_rel,  // "0", {}, newSet(), newRelation()
  rec_var,    // reference to fixpoint variable `rec` (its defining node is kids[0] of nothing: see RecGroup)
  // operators; the type of the node says which variant
  union_,
  inter,
  diff,        // sets or relations
  complement,  // ~ : set -> _ \ s ; rel -> (_*_) \ r
  seq,         // r ; s
  inverse,     // r^-1
  plus,
  star,
  opt,      // r+  r*  r?     (star, opt add identity on every executed event)
  product,  // A * B
  ident,    // [s], toid(s)
  domain,
  range,  // rel -> set
};
const char* name(NodeOp op);

using NodeId = uint32_t;

struct Node {
  NodeOp op = NodeOp::empty_rel;
  Type type = Type::rel;
  std::vector<NodeId> kids;
  vocab::Base base{};  // base_rel
  vocab::Tag tag{};    // base_set
  uint32_t rec = 0;    // rec_var: index of the fixpoint variable
  std::string name;    // the name a `let` gave it, or "" ("hb", "ithbsemsc(SC0, SEMSC0)")
  Span span;           // where it is written
};

// Variables that are defined together and are the least solution of their equations.
struct RecGroup {
  std::vector<uint32_t> variables;
};
struct RecVariable {
  std::string name;
  Type type = Type::rel;
  NodeId definition = 0;  // its right-hand side, mentions rec_var nodes of its own group
  NodeId reference = 0;   // the one rec_var node
  uint32_t group = 0;
};

enum class AxiomKind : uint8_t { acyclic, irreflexive, empty };
const char* name(AxiomKind k);

struct Axiom {
  AxiomKind kind = AxiomKind::acyclic;
  bool negated = false;  // "~empty r"
  bool flag = false;     // "flag ..." and "undefined_unless ...": does not forbid, raises
  NodeId node = 0;
  std::string name;  // "as NAME", or "line 12" made up from the place
  Span span;
  // A flag is raised iff the (possibly negated) predicate is true; a constraint is violated iff it is false.
};

struct Shown {
  NodeId node = 0;
  std::string name;
};

struct Model {
  std::string title;  // first words or quoted string of the file
  std::string path;
  vocab::Dialect dialect{};  // which prelude was loaded
  // It says what the scope .cluster means to it: a header "(* scopes: cta cluster gpu sys *)", the name CLUSTER or
  // scluster, or it looks at no scope at all. Tests with that scope are refused under the others.
  bool knows_clusters = false;
  // A header "(* hosts: x86 *)": it says what x86 threads of the host mean. Without it tests with them are refused.
  bool knows_hosts = false;
  // A header "(* instructions: asynchronous *)": it says what asynchronous operations, mbarriers, fences of one
  // direction and barriers of clusters and warps mean. Tests with them are refused under the others.
  bool knows_asynchronous = false;
  // Questions that the specification leaves open, with the answer that this model was read with. A header
  // "(* variants: P2=mixedproxy|strict|intended ... *)" names each with its answers, the default first; the sets
  // P2-mixedproxy, P2-strict and P2-intended are `_` for the answer taken, and else empty.
  std::vector<std::pair<std::string, std::string>> variants;
  // A header "(* spaces: any *)": a location may lie in several address spaces, as in some published tests. Else such
  // tests are refused.
  bool any_space = false;
  // A header "(* barriers: mentioned *)": a PTX barrier without a number of threads waits for those whose code has a
  // barrier of its number, as in some published tests. Else it waits for all threads of the CTA, as the ISA has it.
  bool mentioned_barriers = false;
  std::vector<Node> nodes;
  std::vector<RecGroup> groups;
  std::vector<RecVariable> variables;
  std::vector<Axiom> axioms;  // of the prelude, of included files and of the model, in order
  std::vector<Shown> shown;
  std::vector<std::pair<std::string, NodeId>> names;  // last definition of every top-level name
  bool uses(vocab::Base b) const;
  std::optional<NodeId> find(std::string_view name) const;
};

// How a node may depend on the existential bases: whether adding pairs to them can only add to the node,
// only remove, or both. Leaves of kind fixed are `constant`.
enum class Polarity : uint8_t { constant, increasing, decreasing, mixed };
std::vector<Polarity> polarities(const Model& m);

struct LoadOptions {
  vocab::Dialect dialect = vocab::Dialect::ptx;
  std::vector<std::string> include_dirs;                      // searched after the including file's own folder
  std::string prelude;                                        // path of models/prelude-<dialect>.cat; "" = none
  std::vector<std::pair<std::string, std::string>> variants;  // answers other than the defaults (Model::variants)
  bool every_answer = false;   // all sets of variants are `_`, so that lint sees what each answer says
  bool sibling_stdlib = true;  // load stdlib.cat beside the model first, when there is one and it is not included
};
// Errors: file:line:col, the name nearest to a misspelt one, the cycle of includes, the non-monotone
// occurrence in a let rec.
Expected<Model> load_file(const std::string& path, const LoadOptions& options);
Expected<Model> load_text(SourcePtr source, const LoadOptions& options);

struct LintFinding {
  Diagnostic diagnostic;
  std::string rule;
};  // rule: "unused", "type", "unknown-name", ...
// Everything load reports plus warnings: unused definitions, shadowing, known tags outside the dialect,
// always-empty expressions, unnamed axioms.
// Rules: syntax include unknown-name type recursion size unsupported (errors, as in load); unused title header
// provides label unnamed-axiom dialect always-empty try (warnings); shadow ignored (notes). docs/cat.md says
// what each means. Misspelling any one identifier of a file without warnings gives a warning or an error.
std::vector<LintFinding> lint(const std::string& path, const LoadOptions& options);
// `source->name` is taken for the path: includes and stdlib.cat are searched beside it.
std::vector<LintFinding> lint_text(SourcePtr source, const LoadOptions& options);

}  // namespace fencepost::cat
