#include "report/listing.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "prog/state.h"
#include "prog/test.h"
#include "report/naming.h"
#include "report/report.h"
#include "vocab/vocab.h"

namespace fencepost::report {

using prog::k_none;
using reference::Execution;
using vocab::Base;
using vocab::Tag;

namespace {

std::optional<uint32_t> source_of(const Execution& x, uint32_t read) {
  for (uint32_t w = 0; w < x.events.size(); ++w)
    if (x.rel(Base::rf).test(w, read)) return w;
  return std::nullopt;
}

std::string source_text(const prog::Test& test, const Execution& x, uint32_t read) {
  std::optional<uint32_t> w = source_of(x, read);
  if (!w) return "";
  if (x.events[*w].key.thread == reference::k_init) return "reads the initial value";
  return "reads from " + event_name(test, x, *w);
}

// The event whose read last set the register, if the register still holds what that event read.
std::optional<uint32_t> setter_of(const prog::Test& test, const Execution& x, uint32_t thread, prog::RegId reg) {
  std::optional<uint32_t> last;
  for (uint32_t e = 0; e < x.events.size(); ++e) {
    const reference::EventKey& k = x.events[e].key;
    if (k.thread != thread || k.part != 0 || !x.events[e].tags.has(Tag::R)) continue;
    const prog::Instr* in = instruction_of(test, x, e);
    if (in != nullptr && in->dst == reg && !in->result) last = e;
  }
  if (last && x.events[*last].value != x.final.registers[thread][reg]) return std::nullopt;
  return last;
}

void atoms(const prog::Cond& c, std::vector<const prog::Cond*>& out) {
  if (c.kind == prog::Cond::Kind::atom) out.push_back(&c);
  for (const prog::Cond& k : c.kids) atoms(k, out);
}

std::optional<uint32_t> final_writer(const prog::Test& test, const Execution& x, prog::SymbolId symbol, uint64_t cell) {
  prog::ObjectId object = test.symbols[symbol].object;
  uint64_t address = prog::address_of(object, cell);
  std::optional<uint32_t> best;
  for (uint32_t e = 0; e < x.events.size(); ++e) {
    const reference::Event& ev = x.events[e];
    if (!ev.is_memory || !ev.tags.has(Tag::W) || ev.address != address || ev.value != x.final.memory[object][cell])
      continue;
    bool last = true;
    x.rel(Base::co).for_each_in_row(e, [&](uint32_t) { last = false; });
    if (last) best = e;
  }
  return best;
}

}  // namespace

std::string listing_text(const prog::Test& test, const reference::RunResult& run, size_t indent) {
  const Execution& x = run.execution;
  struct Row {
    uint32_t thread;
    std::string event, instruction, place, source;
  };
  std::vector<Row> rows;
  size_t w1 = 0, w2 = 0, w3 = 0;
  for (uint32_t e = 0; e < x.events.size(); ++e) {
    if (x.events[e].key.thread == reference::k_init) continue;
    Row r{x.events[e].key.thread, event_text(test, x, e), instruction_text(test, x, e), place_of(test, x, e), {}};
    if (x.events[e].tags.has(Tag::R)) r.source = source_text(test, x, e);
    w1 = std::max(w1, r.event.size());
    // One long statement does not push every other line's remarks off the screen.
    if (r.instruction.size() <= 64) w2 = std::max(w2, r.instruction.size());
    w3 = std::max(w3, r.place.size());
    rows.push_back(std::move(r));
  }
  std::string pad(indent, ' '), out;
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    std::string scope = scope_text(test, t);
    out += fmt::format("{}P{}{}\n", pad, t, scope.empty() ? "" : "  (" + scope + ")");
    bool any = false;
    for (const Row& r : rows) {
      if (r.thread != t) continue;
      any = true;
      std::string line =
          fmt::format("{}  {:<{}}  {:<{}}  {:<{}}  {}", pad, r.event, w1, r.instruction, w2, r.place, w3, r.source);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    if (t < run.threads.size() && run.threads[t].stop != reference::StopReason::end)
      out += fmt::format("{}  ({})\n", pad, stop_text(test, t, run.threads[t]));
    else if (!any)
      out += fmt::format("{}  (no memory access)\n", pad);
  }
  return out;
}

std::string coherence_text(const prog::Test& test, const Execution& x, size_t indent) {
  std::string out, pad(indent, ' ');
  std::set<uint64_t> seen;
  const Relation& co = x.rel(Base::co);
  for (uint32_t e = 0; e < x.events.size(); ++e) {
    if (!x.events[e].is_memory || !x.events[e].tags.has(Tag::W) || !seen.insert(x.events[e].address).second) continue;
    std::vector<uint32_t> writes;
    for (uint32_t w = 0; w < x.events.size(); ++w)
      if (x.events[w].is_memory && x.events[w].tags.has(Tag::W) && x.events[w].address == x.events[e].address)
        writes.push_back(w);
    if (writes.size() < 3) continue;  // the initial value and one write: nothing to tell
    auto predecessors = [&](uint32_t w) {
      size_t n = 0;
      for (uint32_t v : writes) n += co.test(v, w);
      return n;
    };
    std::stable_sort(writes.begin(), writes.end(),
                     [&](uint32_t a, uint32_t b) { return predecessors(a) < predecessors(b); });
    bool total = true;
    for (size_t k = 0; k + 1 < writes.size(); ++k) total = total && co.test(writes[k], writes[k + 1]);
    std::string line;
    if (total) {
      for (uint32_t w : writes) line += (line.empty() ? "" : ", then ") + event_name(test, x, w);
    } else {
      for (uint32_t a : writes)
        for (uint32_t b : writes) {
          if (!co.test(a, b)) continue;
          bool direct =
              std::none_of(writes.begin(), writes.end(), [&](uint32_t m) { return co.test(a, m) && co.test(m, b); });
          if (direct)
            line +=
                fmt::format("{}{} before {}", line.empty() ? "" : ", ", event_name(test, x, a), event_name(test, x, b));
        }
      line += " (the others are not ordered)";
    }
    out += fmt::format("{}writes to {}: {}\n", pad, location_of(test, x, e), line);
  }
  std::string fences;
  x.rel(Base::fsc).for_each([&](uint32_t a, uint32_t b) {
    fences += fmt::format("{}{} before {}", fences.empty() ? "" : ", ", event_name(test, x, a), event_name(test, x, b));
  });
  if (!fences.empty()) out += fmt::format("{}fence.sc taking effect: {}\n", pad, fences);
  return out;
}

std::string state_text(const prog::Test& test, const Execution& x) {
  std::vector<prog::Observable> obs = prog::observables(test);
  return prog::to_string(obs, prog::state_of(test, obs, x.final));
}

std::string condition_text(const prog::Test& test, const Execution& x, size_t indent) {
  std::vector<const prog::Cond*> list;
  atoms(test.condition, list);
  std::string out, pad(indent, ' ');
  std::set<std::string> done;
  for (const prog::Cond* c : list)
    for (const prog::CondValue* v : {&c->lhs, &c->rhs}) {
      std::string name = prog::to_string(test, *v), line;
      if (v->kind == prog::CondValue::Kind::reg) {
        uint8_t width = test.code(v->thread).registers[v->reg].width;
        std::string value = value_text(test, x.final.registers[v->thread][v->reg], width, v->is_unsigned);
        std::optional<uint32_t> e = setter_of(test, x, v->thread, v->reg);
        line = fmt::format("{} is {}", name, value);
        if (e) {
          std::optional<uint32_t> w = source_of(x, *e);
          if (w)
            line += x.events[*w].key.thread == reference::k_init
                        ? fmt::format(": {} reads the initial value of {}", event_name(test, x, *e),
                                      location_of(test, x, *e))
                        : fmt::format(": {} reads from {}", event_name(test, x, *e), event_name(test, x, *w));
        }
      } else if (v->kind == prog::CondValue::Kind::location) {
        prog::ObjectId o = test.symbols[v->symbol].object;
        line = fmt::format("{} ends as {}", name,
                           value_text(test, x.final.memory[o][v->cell], test.objects[o].width, v->is_unsigned));
        if (std::optional<uint32_t> w = final_writer(test, x, v->symbol, v->cell))
          line += x.events[*w].key.thread == reference::k_init
                      ? ": nothing overwrites its initial value"
                      : fmt::format(": {} writes it last", event_name(test, x, *w));
      } else {
        continue;
      }
      if (done.insert(line).second) out += pad + line + "\n";
    }
  return out;
}

}  // namespace fencepost::report
