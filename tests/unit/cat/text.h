#pragma once
// Nodes as text, so that tests can say what a model should be: (| a (; b c)).
#include <gtest/gtest.h>

#include "cat/model.h"

namespace fencepost::cat {

inline std::string text(const Model& m, NodeId id) {
  const Node& n = m.nodes[id];
  const auto with = [&](std::string op) {
    for (NodeId k : n.kids) op += " " + text(m, k);
    return "(" + op + ")";
  };
  switch (n.op) {
    case NodeOp::base_rel:
      return vocab::name(n.base);
    case NodeOp::base_set:
      return vocab::name(n.tag);
    case NodeOp::everything:
      return "_";
    case NodeOp::memory:
      return "M";
    case NodeOp::empty_set:
      return "{}";
    case NodeOp::empty_rel:
      return "0";
    case NodeOp::rec_var:
      return "$" + m.variables[n.rec].name;
    case NodeOp::union_:
      return with("|");
    case NodeOp::inter:
      return with("&");
    case NodeOp::diff:
      return with("\\");
    case NodeOp::complement:
      return with("~");
    case NodeOp::seq:
      return with(";");
    case NodeOp::inverse:
      return with("inv");
    case NodeOp::plus:
      return with("+");
    case NodeOp::star:
      return with("star");
    case NodeOp::opt:
      return with("?");
    case NodeOp::product:
      return with("x");
    case NodeOp::ident:
      return with("id");
    case NodeOp::domain:
      return with("domain");
    case NodeOp::range:
      return with("range");
  }
  return "?";
}

inline Expected<Model> load(const std::string& body, LoadOptions options = {}) {
  return load_text(make_source("test.cat", body), options);
}

inline Model model(const std::string& body, LoadOptions options = {}) {
  auto m = load(body, options);
  if (m) return *std::move(m);
  ADD_FAILURE() << "does not load:\n" << render(m.error());
  return {};
}

// The node that `let x = ...` in `body` defines.
inline std::string value(const std::string& body, const std::string& name = "x") {
  const Model m = model(body);
  const auto n = m.find(name);
  return n ? text(m, *n) : "undefined";
}

inline std::string expr(const std::string& e) { return value("let x = " + e); }

// The first error: "line:column: message".
inline std::string complaint(const std::string& body, LoadOptions options = {}) {
  const auto m = load(body, options);
  if (m) return "loads";
  const Diagnostic& d = m.error().list.front();
  const Position p = d.span.position();
  return std::to_string(p.line) + ":" + std::to_string(p.column) + ": " + d.message;
}

inline std::string hint(const std::string& body) {
  const auto m = load(body);
  return m ? "loads" : m.error().list.front().hint;
}

}  // namespace fencepost::cat
