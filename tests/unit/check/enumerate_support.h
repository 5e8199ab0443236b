#pragma once
// Tests as text and models as text, for the tests of the engines.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "../../support/parsed.h"
#include "cat/model.h"
#include "check/check.h"
#include "prog/test.h"

namespace fencepost::check {

using support::parsed;

inline cat::Model model_text(const std::string& body, vocab::Dialect d) {
  cat::LoadOptions o;
  o.dialect = d;
  auto m = cat::load_text(make_source("test.cat", "test\n" + body + "\n"), o);
  if (m) return *std::move(m);
  ADD_FAILURE() << render(m.error()) << body;
  return {};
}
inline cat::Model shipped(const std::string& name, vocab::Dialect d) {
  cat::LoadOptions o;
  o.dialect = d;
  const std::string dir = std::string(FENCEPOST_SOURCE_DIR) + "/models/";
  o.prelude = dir + "prelude-" + vocab::name(d) + ".cat";
  auto m = cat::load_file(dir + name + ".cat", o);
  if (m) return *std::move(m);
  ADD_FAILURE() << render(m.error());
  return {};
}

// No axiom at all, and sequential consistency.
inline const std::string k_anything = "flag ~empty 0 as never";
inline const std::string k_sc = "let fr = rf^-1; co\nacyclic po | rf | co | fr as sc";

inline Outcomes all(const prog::Test& t, const cat::Model& m, uint32_t bound = 1) {
  Options o;
  o.bound = bound;
  Job job;
  return outcomes(t, m, o, job);
}
inline std::set<std::string> texts(const Outcomes& o) {
  std::set<std::string> out;
  for (const auto& s : o.states.states) out.insert(prog::to_string(o.observables, s));
  return out;
}
inline uint64_t executions(const std::string& test, const std::string& model) {
  const prog::Test t = parsed(test);
  const Outcomes o = all(t, model_text(model, t.dialect));
  EXPECT_EQ(o.status.status, Status::holds) << o.status.detail;
  return o.positive + o.negative;
}

inline Result ask(const prog::Test& t, const cat::Model& m, Engine e = Engine::enumerate,
                  Property p = Property::condition, uint32_t bound = 1) {
  Options o;
  o.engine = e;
  o.property = p;
  o.bound = bound;
  Job job;
  return check(t, m, o, job);
}

// A VULKAN test of atomics from cells ("st.atom.dv.sc0 x, 1"), one column per thread.
inline std::string vulkan(const std::vector<std::vector<std::string>>& threads, const std::string& condition) {
  std::string s = "VULKAN t\n{ x=0; y=0; }\n";
  size_t rows = 0;
  for (size_t t = 0; t < threads.size(); ++t) {
    s += (t == 0 ? " " : " | ") + ("P" + std::to_string(t)) + "@sg 0, wg " + std::to_string(t) + ", qf 0";
    rows = std::max(rows, threads[t].size());
  }
  s += " ;\n";
  for (size_t r = 0; r < rows; ++r) {
    for (size_t t = 0; t < threads.size(); ++t)
      s += (t == 0 ? " " : " | ") + (r < threads[t].size() ? threads[t][r] : std::string());
    s += " ;\n";
  }
  return s + condition + "\n";
}
inline std::string W(const std::string& x, int v) { return "st.atom.dv.sc0 " + x + ", " + std::to_string(v); }
inline std::string R(const std::string& r, const std::string& x) { return "ld.atom.dv.sc0 " + r + ", " + x; }

}  // namespace fencepost::check
