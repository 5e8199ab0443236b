#pragma once
// Pieces that the explanations share. Internal to the room.
#include <string>
#include <vector>

#include "cat/model.h"
#include "prog/names.h"
#include "report/model_name.h"
#include "report/report.h"

namespace fencepost::report {

std::string head_text(const std::string& path, const prog::Test& test, const cat::Model& model, bool races);
std::string axiom_text(const cat::Model& model, uint32_t axiom);  // "axiom Causality (ptx-7.5.cat:90)"
std::string axiom_rule(const cat::Model& model, uint32_t axiom);  // "irreflexive (rf | fr); cause"
std::string explanation_text(const prog::Test& test, const cat::Model& model, const reference::Execution& x,
                             const reference::Explanation& e, size_t indent);
// Sentences on each pair that communicates (rf from another thread) without the model ordering it; "" if there is none
// or the model has no relation that could.
std::string missing_order(const prog::Test& test, const cat::Model& model, const reference::Execution& x,
                          const reference::Evaluation& ev);
// A section of a model's document, the events that it is about (two: from the first to the second), and what it says.
struct Cited {
  std::string section;
  std::vector<uint32_t> events;
  std::string says;
  std::string order;  // of an order that is kept back: "a -po-> b -fr-> a"
};
// On which sections the explanation of a rejection rests, waits of mbarriers last; none for models that do not say.
std::vector<Cited> cited(const prog::Test& test, const cat::Model& model, const reference::Execution& x,
                         const reference::Explanation& e);
struct Withheld {
  std::vector<Cited> orders, phases;
};
// Which keep back an order that would reject an execution, and what waits of mbarriers see in it.
Withheld withheld(const prog::Test& test, const cat::Model& model, const reference::Execution& x);
// The same as text, "" for nothing.
std::string clauses_text(const prog::Test& test, const cat::Model& model, const reference::Execution& x,
                         const reference::Explanation& e, size_t indent);
std::string withheld_text(const prog::Test& test, const cat::Model& model, const reference::Execution& x,
                          size_t indent);
// schema fencepost.explain/1
std::string explain_json(const std::string& path, const prog::Test& test, const cat::Model& model,
                         const check::Result& result, const Candidates* candidates,
                         const std::vector<reference::Explanation>* flags);

// Whether the question of the test is answered with yes by these outcomes.
bool validated(const prog::Test& test, const check::Outcomes& o);

}  // namespace fencepost::report
