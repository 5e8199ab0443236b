#include "fair/model.h"

#include <fmt/format.h>

#include <bit>

#include "fair/impl.h"

namespace fencepost::fair {
namespace {

std::string in_lines(const std::vector<Statement>& body, int indent, const std::vector<Variable>& variables,
                     const std::vector<std::string>& taken) {
  std::string out;
  const std::string margin(static_cast<size_t>(indent), ' ');
  for (const Statement& s : body) {
    const std::string value = to_text(s.value, taken);
    switch (s.kind) {
      case Statement::Kind::set_fair:
        out += fmt::format("{}fair = {}\n", margin, value);
        break;
      case Statement::Kind::set_variable:
        out += fmt::format("{}{} = {}\n", margin, variables[s.variable].name, value);
        break;
      case Statement::Kind::set_element:
        out += fmt::format("{}{}[{}] = {}\n", margin, variables[s.variable].name, to_text(s.index[0], taken), value);
        break;
      case Statement::Kind::branch:
        out += fmt::format("{}if {} {{\n{}{}}}", margin, value, in_lines(s.then_part, indent + 2, variables, taken),
                           margin);
        if (!s.else_part.empty())
          out += fmt::format(" else {{\n{}{}}}", in_lines(s.else_part, indent + 2, variables, taken), margin);
        out += '\n';
    }
  }
  return out;
}

std::string handler_text(const char* event, const Handler& h, const Model::Impl& m, std::vector<std::string> taken) {
  if (!h.present) return {};
  std::string names = h.thread_word;
  taken.push_back(h.thread_word);
  if (!h.instr_word.empty()) {
    names += ", " + h.instr_word;
    taken.push_back(h.instr_word);
  }
  return fmt::format("\non {}({}) {{\n{}}}\n", event, names, in_lines(h.body, 2, m.variables, taken));
}

}  // namespace

std::string Model::name() const { return impl_->name; }
std::string Model::summary() const { return impl_->summary; }
bool Model::closed_form() const { return !impl_->machine(); }
bool Model::reads_instructions() const { return impl_->instr_fields != 0; }

ThreadSet Model::fair(uint32_t threads, ThreadSet live, ThreadSet started) const {
  FENCEPOST_INVARIANT(closed_form(), "F of a model with variables needs a Machine");
  FENCEPOST_INVARIANT(threads <= 64, "a set of threads is one word");
  Environment env;
  env.threads = threads == 64 ? ~ThreadSet{0} : (ThreadSet{1} << threads) - 1;
  env.live = live;
  env.started = started;
  return static_cast<ThreadSet>(impl_->fair_code.run(env));
}

const Expr& Model::closed_form_expr() const {
  FENCEPOST_INVARIANT(closed_form(), "a model with variables is not one expression");
  return impl_->fair;
}

std::optional<std::string> Model::closed_form_text() const {
  if (!closed_form()) return std::nullopt;
  return to_text(impl_->fair);
}

bool operator==(const Model& a, const Model& b) {
  const Model::Impl &x = a.impl(), &y = b.impl();
  return x.name == y.name && x.stores_fair == y.stores_fair && x.fair == y.fair && x.variables == y.variables &&
         x.on_step.body == y.on_step.body && x.on_terminate.body == y.on_terminate.body;
}

std::string to_text(const Model& model) {
  const Model::Impl& m = model.impl();
  std::string out;
  for (size_t at = 0; at < m.comment.size();) {
    const size_t end = m.comment.find('\n', at);
    out += fmt::format("#{}{}\n", end == at ? "" : " ", m.comment.substr(at, end - at));
    at = end + 1;
  }
  out += fmt::format("model \"{}\"\n\n", m.name);
  std::vector<std::string> taken;
  for (const Variable& v : m.variables) taken.push_back(v.name);
  for (const Variable& v : m.variables) {
    const std::string range = v.type == Type::integer ? fmt::format(" : {}..{}", v.low, v.high) : "";
    out += fmt::format("var {}{}{} = {}\n", v.name, v.per_thread ? "[threads]" : "", range, to_text(v.init, taken));
  }
  out += fmt::format("{}fair = {}\n", m.stores_fair ? "var " : "", to_text(m.fair, taken));
  out += handler_text("step", m.on_step, m, taken);
  out += handler_text("terminate", m.on_terminate, m, taken);
  return out;
}

std::string to_text(ThreadSet threads) {
  std::vector<int> ids;
  for (ThreadSet left = threads; left != 0; left &= left - 1) ids.push_back(std::countr_zero(left));
  return fmt::format("{{{}}}", fmt::join(ids, ","));
}

}  // namespace fencepost::fair
