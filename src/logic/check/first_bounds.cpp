#include "check/first_bounds.h"

#include <algorithm>
#include <set>

#include "cat/thin_air.h"
#include "encode/skeleton.h"

namespace fencepost::check {
namespace {

// Accesses, fences and barriers of all threads when each loop is as often there as the bound says.
size_t unrolled_size(const prog::Test& test, uint32_t bound) {
  using prog::Kind;
  size_t total = 0;
  for (const prog::Thread& thread : test.threads) {
    const prog::Template& t = test.templates[thread.templ];
    for (uint32_t i = 0; i < t.code.size(); ++i) {
      const Kind kind = t.code[i].kind;
      if (kind != Kind::load && kind != Kind::store && kind != Kind::rmw && kind != Kind::fence &&
          kind != Kind::barrier)
        continue;
      std::set<uint32_t> around;  // labels of the loops that it is in
      for (uint32_t j = i; j < t.code.size(); ++j)
        if ((t.code[j].kind == Kind::jump || t.code[j].kind == Kind::branch) && t.labels[t.code[j].label].at <= i)
          around.insert(t.code[j].label);
      size_t times = 1;
      for (size_t k = 0; k < around.size() && times < 1000; ++k) times *= bound;
      total += times;
    }
  }
  return total;
}

// Of the threads that end on no path, and come to the bound of one loop on all, with an effect in each iteration:
// that loop. Of several loops it would have to be asked which of them are come to, as the others are better left as
// they are.
std::vector<prog::LoopId> surely_cut(const encode::Skeleton& s) {
  using encode::Exit;
  std::vector<prog::LoopId> out;
  for (uint32_t t = 0; t < s.threads.size(); ++t) {
    const std::vector<Exit>& exits = s.threads[t].exits;
    const bool cut = std::all_of(exits.begin(), exits.end(), [&](const Exit& x) {
      return x.kind == Exit::Kind::stopped && x.effect.is_const(1) && x.loop == exits[0].loop;
    });
    if (cut && !exits.empty()) out.push_back({t, s.threads[t].loops[exits[0].loop].label});
  }
  return out;
}

}  // namespace

bool loops_may_end_by_themselves(const prog::Test& test, const cat::Model& model) {
  return !prog::loops_of(test).empty() && test.threads.size() > 1 && !cat::forbids_thin_air(model);
}

prog::LoopBounds first_bounds(const prog::Test& test, const cat::Model& model) {
  using prog::Kind;
  if (!loops_may_end_by_themselves(test, model)) return 1;
  const auto ends_before_it_reads = [&](const prog::LoopId& loop) {
    const prog::Template& t = test.code(loop.first);
    for (uint32_t i = t.labels[loop.second].at; i < t.code.size(); ++i) {
      const prog::Instr& in = t.code[i];
      if (in.kind == Kind::load || in.kind == Kind::rmw) return false;
      if (in.kind == Kind::jump || in.kind == Kind::branch) return t.labels[in.label].at > i;
    }
    return false;
  };
  const auto loops = prog::loops_of(test);
  return std::any_of(loops.begin(), loops.end(), ends_before_it_reads) ? 2 : 1;
}

prog::LoopBounds within(prog::LoopBounds raised, const prog::LoopBounds& given) {
  raised.all = std::min(raised.all, given.all);
  for (auto& [loop, bound] : raised.loops) bound = std::min(bound, given.all);
  return raised.least() == given.all ? given : raised;
}

CountedBounds past_counted_loops(const prog::Test& test, const prog::LoopBounds& first, const prog::LoopBounds& most,
                                 const Job& job) {
  constexpr uint32_t k_states = 2000;
  if (prog::loops_of(test).empty()) return {first};
  // No exchange counts as an effect that puts back what it has read, as in the reduction that has most of them.
  std::vector<std::vector<bool>> silent;
  for (uint32_t t = 0; t < test.threads.size(); ++t) silent.emplace_back(test.code(t).code.size(), true);
  for (prog::LoopBounds now = first;;) {
    const auto s = encode::unroll(test, now, false, encode::Unrolling::direct, silent, &job, k_states);
    if (!s) return {first};
    const std::vector<prog::LoopId> cut = surely_cut(*s);
    if (cut.empty()) return {now, !s->has_stops, false};
    prog::LoopBounds next = within(prog::raised(test, now, cut), most);
    if (next == now) return {now, false, true};
    now = std::move(next);
  }
}

bool loops_may_end_in_a_row(const prog::Test& test, const cat::Model& model, uint32_t bound) {
  constexpr size_t k_largest = 24;
  return loops_may_end_by_themselves(test, model) && unrolled_size(test, bound) <= k_largest;
}

}  // namespace fencepost::check
