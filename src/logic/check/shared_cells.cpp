#include "check/shared_cells.h"

#include "prog/test.h"
#include "reference/evaluate.h"
#include "reference/explain.h"
#include "term/term.h"

namespace fencepost::check {

// The readers write such an index as `inside ? index : (index & mask) + limit`.
bool in_shared_cells(const prog::Test& test, const reference::Event& e) {
  if (!e.is_memory || e.key.thread >= test.threads.size()) return false;
  const auto& code = test.templates[test.threads[e.key.thread].templ].code;
  if (e.key.instr >= code.size()) return false;
  const prog::Instr& i = code[e.key.instr];
  if (i.addr.symbol == prog::k_none || !i.addr.index || i.addr.index.op() != term::Op::ite) return false;
  const term::Expr& beyond = i.addr.index.kids()[2];
  if (beyond.op() != term::Op::add) return false;
  for (const term::Expr& k : beyond.kids())
    if (k.is_const()) {
      const prog::Object& o = test.objects[e.object];
      const uint64_t cell = e.address - prog::address_of(e.object);
      return cell >= k.value() && k.value() <= o.init.size();
    }
  return false;
}

std::string beyond_its_array(const prog::Test& test, const cat::Model& model, const reference::Execution& x) {
  const reference::Evaluation ev = reference::evaluate(model, x);
  for (const reference::Explanation& e : reference::explain(model, x, ev, true)) {
    if (e.edges.empty()) continue;
    const auto &from = x.events[e.edges[0].from], &to = x.events[e.edges[0].to];
    if (e.edges[0].from == e.edges[0].to || !in_shared_cells(test, from) || !in_shared_cells(test, to)) return "";
    return "the index is beyond its array: undefined behaviour if the array ends there, and perhaps two places if not";
  }
  return "";
}

}  // namespace fencepost::check
