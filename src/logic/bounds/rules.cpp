#include "bounds/rules.h"

namespace fencepost::bounds {

const char* name(Rule r) {
  switch (r) {
    case Rule::empty:
      return "empty";
    case Rule::irreflexive:
      return "irreflexive";
    case Rule::acyclic:
      return "acyclic";
    case Rule::union_:
      return "union";
    case Rule::inter:
      return "intersection";
    case Rule::diff:
      return "difference";
    case Rule::first_step:
      return "first step";
    case Rule::second_step:
      return "second step";
    case Rule::closure:
      return "closure";
    case Rule::inverse:
      return "inverse";
    case Rule::required:
      return "required";
    case Rule::total_order:
      return "total order";
    case Rule::last_source:
      return "last source";
    case Rule::values:
      return "values";
    case Rule::probing:
      return "probing";
    case Rule::count_:
      break;
  }
  return "";
}

}  // namespace fencepost::bounds
