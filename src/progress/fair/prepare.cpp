// What is worked out once of a parsed model: its summary, what it sees of `started`, its code.
#include <algorithm>

#include "fair/impl.h"

namespace fencepost::fair {
namespace {

// The first sentence of the comment above the model.
std::string first_sentence(const std::string& comment) {
  std::string flat;
  for (size_t at = 0; at < comment.size();) {
    const size_t end = comment.find('\n', at);
    const std::string_view line = std::string_view(comment).substr(at, end - at);
    if (line.empty() && !flat.empty()) break;
    if (!line.empty()) flat += (flat.empty() ? "" : " ") + std::string(line);
    at = end + 1;
  }
  for (size_t i = 0; i < flat.size(); ++i)
    if (flat[i] == '.' && (i + 1 == flat.size() || flat[i + 1] == ' ')) return flat.substr(0, i);
  return flat;
}

// Is `started` seen through its maximum alone? Then threads below it need not be remembered.
StartedUse use_of_started(const Expr& e) {
  if (e.op == Op::started) return StartedUse::any;
  if (e.op == Op::maximum && e.children[0].op == Op::started) return StartedUse::maximum_only;
  if (e.op == Op::exists && e.children[0].op == Op::started) {
    // exists s in started : x <= s, with x about something else
    const Expr& body = e.children[1];
    const auto is_bound = [&](const Expr& x) { return x.op == Op::bound && x.index == e.index; };
    const auto simple = [&](const Expr& x) {
      return !is_bound(x) && (x.op == Op::bound || x.op == Op::event_thread || x.op == Op::variable);
    };
    const bool upward =
        (body.op == Op::less || body.op == Op::less_equal) && simple(body.children[0]) && is_bound(body.children[1]);
    const bool downward = (body.op == Op::greater || body.op == Op::greater_equal) && is_bound(body.children[0]) &&
                          simple(body.children[1]);
    if (upward || downward) return StartedUse::maximum_only;
  }
  StartedUse out = StartedUse::never;
  for (const Expr& c : e.children) out = std::max(out, use_of_started(c));
  return out;
}

StartedUse use_of_started(const std::vector<Statement>& body) {
  StartedUse out = StartedUse::never;
  for (const Statement& s : body) {
    out = std::max({out, use_of_started(s.value), use_of_started(s.then_part), use_of_started(s.else_part)});
    for (const Expr& i : s.index) out = std::max(out, use_of_started(i));
  }
  return out;
}

void compile(std::vector<Statement>& body) {
  for (Statement& s : body) {
    s.value_code = Code(s.value);
    if (!s.index.empty()) s.index_code = Code(s.index[0]);
    compile(s.then_part);
    compile(s.else_part);
  }
}

bool is_binder(Op op) { return op == Op::comprehension || op == Op::forall || op == Op::exists; }

}  // namespace

uint32_t nodes_of(const Expr& e) {
  uint32_t n = 1;
  for (const Expr& c : e.children) n += nodes_of(c);
  return n;
}
uint32_t binders_of(const Expr& e) {
  uint32_t n = 0;
  for (const Expr& c : e.children) n = std::max(n, binders_of(c));
  return n + (is_binder(e.op) ? 1 : 0);
}
void deepen(Expr& e, uint32_t by) {
  if (is_binder(e.op) || e.op == Op::bound) e.index += by;
  for (Expr& c : e.children) deepen(c, by);
}

void prepare(Model::Impl& m) {
  m.summary = first_sentence(m.comment);
  m.started_use =
      std::max({use_of_started(m.fair), use_of_started(m.on_step.body), use_of_started(m.on_terminate.body)});
  for (Variable& v : m.variables) {
    m.started_use = std::max(m.started_use, use_of_started(v.init));
    v.init_code = Code(v.init);
  }
  m.fair_code = Code(m.fair);
  compile(m.on_step.body);
  compile(m.on_terminate.body);
}

}  // namespace fencepost::fair
