// How events are called and where they stand.
#include "report/naming.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "check/first_bounds.h"
#include "prog/mbarrier.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "report/report.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::report {

using prog::k_none;
using reference::Execution;
using vocab::Tag;

namespace {

uint8_t width_of(const prog::Test& test, const reference::Event& e) {
  return e.object != k_none ? test.objects[e.object].width : 64;
}

}  // namespace

std::vector<std::string> assumptions(const prog::Test& test) {
  std::vector<std::string> out;
  for (const std::string& a : test.assumptions)
    if (std::find(out.begin(), out.end(), a) == out.end()) out.push_back(a);
  return out;
}

std::string assumptions_text(const prog::Test& test) {
  std::string out;
  for (const std::string& a : assumptions(test)) out += (out.empty() ? "" : "; ") + a;
  return out;
}

std::string event_name(const prog::Test& test, const Execution& x, uint32_t event) {
  const reference::Event& e = x.events[event];
  if (e.key.thread == reference::k_init) return "init " + location_of(test, x, event);
  uint32_t index = 0;
  for (uint32_t i = 0; i < event; ++i) index += x.events[i].key.thread != reference::k_init;
  if (index < 26) return std::string(1, static_cast<char>('a' + index));
  return "e" + std::to_string(index);
}

std::string location_of(const prog::Test& test, const Execution& x, uint32_t event) {
  const reference::Event& e = x.events[event];
  if (!e.is_memory || e.object == k_none) return "";
  bool symbol_fits = e.symbol != k_none && test.symbols[e.symbol].object == e.object;
  const prog::Object& o = test.objects[e.object];
  return prog::cell_name(o, symbol_fits ? test.symbols[e.symbol].name : o.name, e.address - prog::address_of(e.object));
}

std::string value_text(const prog::Test& test, uint64_t value, uint8_t width, bool is_unsigned) {
  // An address that a program handles as data is better read by name.
  if (value >= prog::k_object_stride && value % prog::k_object_stride == 0 &&
      value / prog::k_object_stride <= test.objects.size())
    return "&" + test.objects[value / prog::k_object_stride - 1].name;
  return is_unsigned ? std::to_string(value) : std::to_string(term::to_signed(value, width));
}

namespace {
bool has_no_sign(const prog::Test& test, const reference::Event& e) {
  return e.object != k_none && prog::is_unsigned(test.objects[e.object], e.address - prog::address_of(e.object));
}
}  // namespace

std::string number_text(const prog::Test& test, const reference::Event& e) {
  const bool is_unsigned = has_no_sign(test, e);
  return is_unsigned ? std::to_string(e.value) : std::to_string(term::to_signed(e.value, width_of(test, e)));
}

std::string event_body(const prog::Test& test, const Execution& x, uint32_t event) {
  const reference::Event& e = x.events[event];
  if (e.is_memory)
    return fmt::format("{} {} = {}{}", e.tags.has(Tag::W) ? "W" : "R", location_of(test, x, event),
                       e.object != k_none && test.objects[e.object].mbarrier
                           ? prog::mbarrier_text(e.value)
                           : value_text(test, e.value, width_of(test, e), has_no_sign(test, e)),
                       e.spurious ? ", fails spuriously" : "");
  if (const prog::Instr* in = instruction_of(test, x, event); in != nullptr && in->kind == prog::Kind::barrier)
    return "barrier";
  return "fence";
}

std::string event_text(const prog::Test& test, const Execution& x, uint32_t event) {
  return event_name(test, x, event) + ": " + event_body(test, x, event);
}

const prog::Instr* instruction_of(const prog::Test& test, const Execution& x, uint32_t event) {
  const reference::EventKey& k = x.events[event].key;
  if (k.thread == reference::k_init) return nullptr;
  const auto& code = test.instrs(k.thread);
  return k.instr < code.size() ? &code[k.instr] : nullptr;
}

namespace {

// An event of an instruction that has several, by what the instruction is called and what it does there.
std::string part_text(const prog::Test& test, const Execution& x, uint32_t event, const prog::Instr& in) {
  const uint32_t thread = x.events[event].key.thread;
  const auto& code = test.instrs(thread);
  auto first = std::find_if(code.begin(), code.end(), [&](const prog::Instr& i) {
    return !i.hidden && i.operation == in.operation && in.operation != k_none;
  });
  if (in.tags.has(Tag::HOST)) {  // of a locked operation, before it or behind it
    first = code.begin() + x.events[event].key.instr;
    first += std::next(first) != code.end() && std::next(first)->kind == prog::Kind::rmw ? 1 : -1;
  }
  const vocab::TagSet& tags = x.events[event].tags;
  const bool counts = in.kind == prog::Kind::rmw && tags.has(Tag::MBAR);
  const std::string part = tags.has(Tag::UB)                                     ? "its state is not allowed"
                           : tags.has(Tag::DONE)                                 ? "it was successful"
                           : tags.has(Tag::MBAR) && in.kind == prog::Kind::fence ? "the phase is complete"
                           : counts           ? tags.has(Tag::W) ? "its signal, written" : "its signal, read"
                           : tags.has(Tag::W) ? "its write"
                           : tags.has(Tag::R) ? "its read"
                                              : "its fence";
  return fmt::format("{}  ({})", first == code.end() ? "access to an mbarrier" : prog::to_string(test, thread, *first),
                     part);
}

}  // namespace

std::string instruction_text(const prog::Test& test, const Execution& x, uint32_t event) {
  const prog::Instr* in = instruction_of(test, x, event);
  if (in == nullptr) return "";
  if (in->hidden) return part_text(test, x, event, *in);
  std::string s = prog::to_string(test, x.events[event].key.thread, *in);
  if (in->kind == prog::Kind::rmw) s += x.events[event].key.part == 0 ? "  (its read)" : "  (its write)";
  if (x.events[event].key.occurrence > 0) s += fmt::format("  (time {})", x.events[event].key.occurrence + 1);
  return s;
}

std::string base_name(const std::string& path) {
  size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string place_of(const Span& span) {
  if (!span.source) return "";
  return fmt::format("{}:{}", base_name(span.source->name), span.position().line);
}

std::string place_of(const prog::Test& test, const Execution& x, uint32_t event) {
  const prog::Instr* in = instruction_of(test, x, event);
  if (in == nullptr) return "";
  return place_of(x.events[event].span.source ? x.events[event].span : in->span);
}

std::string scope_text(const prog::Test& test, uint32_t thread) {
  if (test.threads[thread].host) return "host";
  const prog::ScopePath& path = test.threads[thread].scope;
  std::span<const char* const> levels = vocab::levels(test.dialect);
  std::string out;
  for (size_t k = path.size(); k-- > 0;) {
    // The widest level says nothing while all threads share it.
    bool shared = k == 0 && std::all_of(test.threads.begin(), test.threads.end(), [&](const prog::Thread& t) {
                    return !t.scope.empty() && t.scope[0] == path[0];
                  });
    if (shared || k >= levels.size()) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}", levels[k], path[k]);
    if (k == 2 && test.threads[thread].cluster != prog::k_none)
      out += fmt::format(", cluster {}", test.threads[thread].cluster);
  }
  return out;
}

std::string stop_text(const prog::Test& test, uint32_t thread, const reference::ThreadRun& run) {
  std::string where;
  const auto& code = test.instrs(thread);
  if (run.stop_instr < code.size()) {
    const prog::Instr& in = code[run.stop_instr];
    where = prog::to_string(test, thread, in);
    if (std::string p = place_of(in.span); !p.empty()) where = p + " " + where;
  }
  switch (run.stop) {
    case reference::StopReason::end:
      return "";
    case reference::StopReason::spin:
      return "still spinning at " + where;
    case reference::StopReason::cut:
      return "stopped by the loop bound at " + where;
    case reference::StopReason::blocked:
      return "blocked at " + where;
    case reference::StopReason::halted:
      return "never scheduled again, before " + where;
  }
  return "";
}

std::string question_text(const prog::Test& test) {
  if (test.quantifier == prog::Quantifier::none) return "no condition";
  std::string c = prog::to_string(test, test.condition);
  const char* q = test.quantifier == prog::Quantifier::exists   ? "exists"
                  : test.quantifier == prog::Quantifier::forall ? "forall"
                                                                : "~exists";
  return fmt::format("{} ({})", q, c);
}

std::string launch_text(const prog::Test& test) {
  if (test.syntax != prog::Syntax::spirv || test.threads.empty()) return "";
  // Groups by level: what the scope paths of the threads are down to it. The widest level of OpenCL and PTX holds all
  // devices.
  const bool families = test.dialect == vocab::Dialect::vulkan;  // queue families
  const size_t from = families ? 0 : 1;
  std::vector<size_t> groups;
  for (size_t depth = from; depth < test.threads.front().scope.size(); ++depth) {
    std::set<prog::ScopePath> seen;
    for (const prog::Thread& t : test.threads)
      seen.insert(prog::ScopePath(t.scope.begin(), t.scope.begin() + static_cast<std::ptrdiff_t>(depth + 1)));
    groups.push_back(seen.size());
  }
  std::vector<size_t> counts;  // narrowest first: invocations per subgroup, subgroups per workgroup, ...
  size_t inside = test.threads.size();
  for (size_t k = groups.size(); k-- > 0; inside = groups[k]) counts.push_back(inside / groups[k]);
  if (!families) counts.push_back(1);
  counts.push_back(inside);
  while (counts.size() > 3 && counts.back() == 1) counts.pop_back();
  return fmt::format("{}", fmt::join(counts, "."));
}

std::string bound_text(const prog::Test& test, const check::Result& result) {
  if (prog::loops_of(test).empty() || result.bound.largest() == 0) return "";
  const std::string n = prog::to_string(result.bound);
  if (result.verdict.status == Status::unknown) return n + " reached";
  const bool decided = result.verdict.status == Status::holds || result.verdict.status == Status::fails;
  return decided && !result.execution ? n + " not reached" : n;
}

std::string thin_air_text(const prog::Test& test, const cat::Model& model, const check::Result& result) {
  return bound_text(test, result).ends_with("not reached") ? loops_text(test, model) : "";
}

std::string loops_text(const prog::Test& test, const cat::Model& model) {
  return check::loops_may_end_by_themselves(test, model) ? "no loop ends on a value out of thin air" : "";
}

}  // namespace fencepost::report
