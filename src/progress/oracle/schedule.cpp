// A lasso for people: as a table and as a graph with one column per thread.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "oracle/oracle.h"

namespace fencepost::oracle {
namespace {

// "thread 1", "threads 0 and 2", "threads 0, 1 and 2"
std::string threads_named(fair::ThreadSet s) {
  std::string out = std::popcount(s) == 1 ? "thread " : "threads ";
  for (int left = std::popcount(s); s != 0; s &= s - 1, --left) {
    out += std::to_string(std::countr_zero(s));
    if (left > 2) out += ", ";
    if (left == 2) out += " and ";
  }
  return out;
}

std::string memory_of(const axb::Test& test, const std::vector<axb::Value>& memory) {
  std::string out;
  for (size_t l = 0; l < memory.size(); ++l)
    out += fmt::format("{}{}={}", l == 0 ? "" : " ", test.locations[l].name, memory[l]);
  return out;
}

std::string heading(const axb::Test& test, const fair::Model& model, Fairness fairness, const Lasso& lasso) {
  return fmt::format("{}under {}, {} fairness: {} {}", test.name.empty() ? "" : test.name + " ", model.name(),
                     name(fairness), threads_named(lasso.starving),
                     std::popcount(lasso.starving) == 1 ? "never ends" : "never end");
}

// Why the model allows the cycle for ever.
std::string reason(Fairness fairness, const Lasso& lasso) {
  const std::string f = fair::to_text(lasso.fair);
  if (lasso.fair == 0) return "nobody is in F, so nothing obliges the scheduler ever to leave the cycle";
  const fair::ThreadSet out = lasso.starving & ~lasso.fair;
  std::string why =
      fairness == Fairness::weak
          ? fmt::format("every thread of F = {} steps in the cycle, and that is all that weak fairness asks", f)
          : fmt::format(
                "F = {}, and every step that F can take from a state of the cycle is taken in it, "
                "and that is all that strong fairness asks",
                f);
  if (out != 0)
    why +=
        fmt::format("; {} {} outside F and need not run", threads_named(out), std::popcount(out) == 1 ? "is" : "are");
  return why;
}

struct Line {
  std::string step, thread, instruction, read, memory, fair;
};

Line line_of(const axb::Test& test, const Event& e, size_t step) {
  const axb::Instr& i = test.threads[e.thread].code[e.pc];
  Line l;
  l.step = std::to_string(step);
  l.thread = std::to_string(e.thread);
  l.instruction = fmt::format("{}: {}{}", e.pc, axb::to_string(test, e.thread, e.pc), e.ends ? "  (ends)" : "");
  l.read = fmt::format("{}={}", test.locations[i.location].name, e.read);
  l.memory = memory_of(test, e.memory);
  l.fair = fair::to_text(e.fair);
  return l;
}

}  // namespace

std::string to_text(const axb::Test& test, const fair::Model& model, Fairness fairness, const Lasso& lasso) {
  std::vector<Line> lines = {{"step", "thread", "instruction", "reads", "memory after", "F before"}};
  size_t step = 0;
  for (const std::vector<Event>* part : {&lasso.prefix, &lasso.cycle})
    for (const Event& e : *part) lines.push_back(line_of(test, e, ++step));
  auto width = [&](std::string Line::* field) {
    size_t w = 0;
    for (const Line& l : lines) w = std::max(w, (l.*field).size());
    return w;
  };
  const size_t ws = width(&Line::step), wt = width(&Line::thread), wi = width(&Line::instruction),
               wr = width(&Line::read), wm = width(&Line::memory);
  std::string out = heading(test, model, fairness, lasso) + "\n\n";
  for (size_t k = 0; k < lines.size(); ++k) {
    const Line& l = lines[k];
    if (k == 1 + lasso.prefix.size()) out += fmt::format("  {:->{}} for ever\n", "", ws);
    out += fmt::format("  {:>{}}  {:<{}}  {:<{}}  {:<{}}  {:<{}}  {}\n", l.step, ws, l.thread, wt, l.instruction, wi,
                       l.read, wr, l.memory, wm, l.fair);
  }
  out += fmt::format("  {:->{}} and again from step {}\n\n", "", ws, lasso.prefix.size() + 1);
  return out + reason(fairness, lasso) + "\n";
}

draw::Graph to_graph(const axb::Test& test, const fair::Model& model, Fairness fairness, const Lasso& lasso) {
  draw::Graph g;
  g.title = heading(test, model, fairness, lasso);
  g.caption = "Time runs downwards; the red steps are repeated for ever: " + reason(fairness, lasso) + ".";
  for (size_t t = 0; t < test.threads.size(); ++t) g.columns.push_back({fmt::format("thread {}", t), ""});
  auto add = [&](const Event& e, bool in_cycle) {
    const Line l = line_of(test, e, g.nodes.size() + 1);
    draw::Node n;
    n.label = fmt::format("{}. {}", l.step, l.instruction);
    n.detail = fmt::format("reads {}; then {}; F {}", l.read, l.memory, l.fair);
    n.column = e.thread;
    n.row = static_cast<uint32_t>(g.nodes.size());
    n.emphasis = in_cycle;
    g.nodes.push_back(std::move(n));
  };
  for (const Event& e : lasso.prefix) add(e, false);
  for (const Event& e : lasso.cycle) add(e, true);
  const auto first = static_cast<uint32_t>(lasso.prefix.size()), last = static_cast<uint32_t>(g.nodes.size()) - 1;
  for (uint32_t k = 0; k < last; ++k) g.edges.push_back({k, k + 1, "", "step", k >= first});
  g.edges.push_back({last, first, "for ever", "step", true});
  return g;
}

}  // namespace fencepost::oracle
