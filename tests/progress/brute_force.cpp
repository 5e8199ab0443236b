// Synthesis against a brute force that shares no code and no idea with it: every program is written down, symmetric or
// not, its graph is built state by state, and each constraint is read off the list of actions as the published Alloy
// model words it. Nothing is pruned; the cheap constraints are merely asked first.
//
//   brute_force            the sizes that ctest runs
//   brute_force T N [L V]  one size, all constraints
//   brute_force --list T N L V STORES SYMMETRY
//                          no brute force: the list that synthesis makes, for its digest (digests.py)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "synth/synth.h"

namespace {

// ---- the brute force; no header of the program is used in this part ------------------------------------------------

struct Instruction {
  int check_loc, check_val, branch_target, exch_val;  // branch_target: length of the thread is END; exch_val -1: none
};
using Program = std::vector<std::vector<Instruction>>;

struct Wanted {
  bool ends = true, no_surplus_threads = true, no_surplus_locations = true, interesting = true, comparisons = true,
       stores = true, branches = true, older_stores = false;
};

struct Action {
  int pre, post, thread, pc, value_before;
};

struct Transitions {
  std::vector<std::vector<int>> states;  // pcs, then memory; 0 is START
  std::vector<Action> actions;
  std::vector<bool> is_end;
};

int after(int pc) { return pc + 1; }  // po; the one after the last is END

Transitions run(const Program& p, int locations) {
  Transitions t;
  std::map<std::vector<int>, int> known;
  const int threads = static_cast<int>(p.size());
  t.states.push_back(std::vector<int>(static_cast<size_t>(threads + locations), 0));
  known[t.states[0]] = 0;
  for (int s = 0; s < static_cast<int>(t.states.size()); ++s) {
    bool end = true;
    for (int i = 0; i < threads; ++i) {
      const int pc = t.states[s][i];
      if (pc == static_cast<int>(p[i].size())) continue;
      end = false;
      const Instruction& in = p[i][pc];
      std::vector<int> next = t.states[s];
      int& memory = next[threads + in.check_loc];
      const int before = memory;
      next[i] = before == in.check_val ? in.branch_target : after(pc);
      if (in.exch_val >= 0) memory = in.exch_val;
      auto at = known.find(next);
      if (at == known.end()) {
        at = known.emplace(next, static_cast<int>(t.states.size())).first;
        t.states.push_back(next);
      }
      t.actions.push_back({s, at->second, i, pc, before});
    }
    t.is_end.push_back(end);
  }
  return t;
}

void reach_from(const std::vector<std::vector<int>>& successors, int s, std::vector<bool>& seen) {
  for (const int n : successors[s])
    if (!seen[n]) {
      seen[n] = true;
      reach_from(successors, n, seen);
    }
}

template <class Predicate>
bool some_other_thread(const Program& p, size_t thread, int location, Predicate predicate) {
  for (size_t t = 0; t < p.size(); ++t)
    if (t != thread)
      for (size_t pc = 0; pc < p[t].size(); ++pc)
        if (p[t][pc].check_loc == location && predicate(p[t][pc], static_cast<int>(pc))) return true;
  return false;
}

bool is_store(const Instruction& i, int pc) { return i.branch_target == after(pc); }

bool accepted(const Program& p, int locations, const Wanted& w) {
  std::vector<bool> used(static_cast<size_t>(locations), false);
  for (const auto& thread : p) {
    if (w.no_surplus_threads && thread.empty()) return false;
    for (size_t pc = 0; pc < thread.size(); ++pc) {
      const Instruction& i = thread[pc];
      used[i.check_loc] = true;
      if (w.comparisons && is_store(i, static_cast<int>(pc)) && (i.check_val != 0 || i.exch_val < 0)) return false;
    }
  }
  if (w.no_surplus_locations && std::count(used.begin(), used.end(), false) != 0) return false;
  if (w.stores)
    for (size_t t = 0; t < p.size(); ++t)
      for (size_t pc = 0; pc < p[t].size(); ++pc) {
        const Instruction& i = p[t][pc];
        if (i.exch_val >= 0 &&
            !some_other_thread(p, t, i.check_loc, [](const Instruction& o, int at) { return !is_store(o, at); }))
          return false;
        if (!is_store(i, static_cast<int>(pc)) &&
            !some_other_thread(p, t, i.check_loc, [](const Instruction&, int) { return true; }))
          return false;
      }
  const Transitions graph = run(p, locations);
  const auto some_action = [&](size_t thread, size_t pc, auto predicate) {
    return std::any_of(graph.actions.begin(), graph.actions.end(), [&](const Action& a) {
      return a.thread == static_cast<int>(thread) && a.pc == static_cast<int>(pc) && predicate(a);
    });
  };
  for (size_t t = 0; t < p.size(); ++t)
    for (size_t pc = 0; pc < p[t].size(); ++pc) {
      const Instruction& i = p[t][pc];
      if (w.branches && !is_store(i, static_cast<int>(pc)) && (!some_action(t, pc, [&](const Action& a) {
            return a.value_before == i.check_val;
          }) || !some_action(t, pc, [&](const Action& a) { return a.value_before != i.check_val; })))
        return false;
      if (w.stores && !w.older_stores && i.exch_val >= 0 &&
          !some_action(t, pc, [&](const Action& a) { return a.value_before != i.exch_val; }))
        return false;
    }
  std::vector<std::vector<int>> successors(graph.states.size());
  for (const Action& a : graph.actions) successors[a.pre].push_back(a.post);
  bool cycle = false;
  for (size_t s = 0; s < graph.states.size(); ++s) {
    std::vector<bool> seen(graph.states.size(), false);
    reach_from(successors, static_cast<int>(s), seen);
    cycle = cycle || seen[s];
    bool end = graph.is_end[s];
    for (size_t n = 0; n < seen.size(); ++n) end = end || (seen[n] && graph.is_end[n]);
    if (w.ends && !end) return false;
  }
  return cycle || !w.interesting;
}

std::string line_of(const Program& p) {
  std::string s = "[";
  for (size_t t = 0; t < p.size(); ++t) {
    s += t == 0 ? "[" : ",[";
    for (size_t pc = 0; pc < p[t].size(); ++pc) {
      const Instruction& i = p[t][pc];
      char b[64];
      std::snprintf(b, sizeof b, "%s[%d,%d,%d,%d,%d]", pc == 0 ? "" : ",", i.check_loc, i.check_val, i.branch_target,
                    i.exch_val >= 0 ? 1 : 0, i.exch_val >= 0 ? i.exch_val : 0);
      s += b;
    }
    s += "]";
  }
  return s + "]";
}

struct Brute {
  int locations, values;
  Wanted wanted;
  Program program;
  std::vector<std::string> found;
  uint64_t tried = 0;

  void fill(size_t thread, size_t pc) {
    if (thread == program.size()) {
      ++tried;
      if (accepted(program, locations, wanted)) found.push_back(line_of(program));
      return;
    }
    const int length = static_cast<int>(program[thread].size());
    if (static_cast<int>(pc) == length) return fill(thread + 1, 0);
    Instruction& i = program[thread][pc];
    for (i.check_loc = 0; i.check_loc < locations; ++i.check_loc)
      for (i.check_val = 0; i.check_val < values; ++i.check_val)
        for (i.branch_target = 0; i.branch_target <= length; ++i.branch_target)
          for (i.exch_val = -1; i.exch_val < values; ++i.exch_val) {
            // What a store compares with has no effect, and only `comparisons` says what it is to be; our texts write
            // none, which reads as 0.
            if (!wanted.comparisons && i.exch_val >= 0 && is_store(i, static_cast<int>(pc)) && i.check_val != 0)
              continue;
            fill(thread, pc + 1);
          }
  }

  void split(size_t threads, size_t instructions) {
    if (threads == 1) {
      program.emplace_back(instructions);
      fill(0, 0);
      program.pop_back();
      return;
    }
    for (size_t n = 0; n <= instructions; ++n) {
      program.emplace_back(n);
      split(threads - 1, instructions - n);
      program.pop_back();
    }
  }
};

// Locations renamed by first use: one line of a class.
std::string first_use(const std::string& line) {
  std::string r = line;
  std::map<char, char> to;
  for (size_t k = 0; k + 1 < r.size(); ++k)
    if (r[k] == '[' && r[k + 1] >= '0' && r[k + 1] <= '9') {
      const auto [at, fresh] = to.try_emplace(r[k + 1], static_cast<char>('0' + to.size()));
      r[k + 1] = at->second;
    }
  return r;
}

// ---- the comparison ------------------------------------------------------------------------------------------------

using fencepost::synth::Constraint;
using fencepost::synth::Request;

bool compare(const Request& r) {
  const auto start = std::chrono::steady_clock::now();
  Wanted w;
  w.ends = r.constraints.has(Constraint::ends);
  w.no_surplus_threads = r.constraints.has(Constraint::no_surplus_threads);
  w.no_surplus_locations = r.constraints.has(Constraint::no_surplus_locations);
  w.interesting = r.constraints.has(Constraint::interesting);
  w.comparisons = r.constraints.has(Constraint::comparisons);
  w.stores = r.constraints.has(Constraint::stores);
  w.branches = r.constraints.has(Constraint::branches);
  w.older_stores = r.older_stores;
  std::vector<std::string> labelled;  // with the number of declared locations in front
  uint64_t tried = 0;
  for (uint32_t k = 1; k <= r.locations; ++k) {
    Brute b{static_cast<int>(k), static_cast<int>(r.values), w, {}, {}, 0};
    b.split(r.threads, r.instructions);
    for (const auto& line : b.found) labelled.push_back(std::to_string(k) + " " + line);
    tried += b.tried;
  }
  std::vector<std::string> canonical;
  for (const auto& line : labelled) canonical.push_back(first_use(line));
  for (auto* list : {&labelled, &canonical}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  const auto ours = [&](const char* symmetry, uint64_t& labels) {
    Request q = r;
    q.symmetry = *fencepost::synth::parse_symmetry(symmetry);
    std::vector<std::string> list;
    fencepost::Job job;
    const auto done = fencepost::synth::synthesise(q, {}, job, [&](const fencepost::synth::Found& f) {
      list.push_back(std::to_string(f.test.locations.size()) + " " + fencepost::synth::list_line(f.test));
    });
    if (!done) {
      std::fputs(render(done.error()).c_str(), stderr);
      std::exit(2);
    }
    labels = done->labelled;
    std::sort(list.begin(), list.end());
    return list;
  };
  uint64_t labels_none = 0, labels_locations = 0;
  const bool same = ours("none", labels_none) == labelled && ours("locations", labels_locations) == canonical &&
                    labels_none == labelled.size() && labels_locations == labelled.size();
  std::printf("%-6s %u locations %u values %-45s%s canonical %zu labelled %zu of %llu programs, %.1f s: %s\n",
              config_name(r).c_str(), r.locations, r.values, to_string(r.constraints).c_str(),
              r.older_stores ? " older" : "", canonical.size(), labelled.size(), static_cast<unsigned long long>(tried),
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
              same ? "equal" : "DIFFERENT");
  std::fflush(stdout);
  return same;
}

}  // namespace

int main(int argc, char** argv) {
  bool all = true;
  Request r;
  if (argc == 8 && std::string(argv[1]) == "--list") {
    r.threads = static_cast<uint32_t>(std::atoi(argv[2]));
    r.instructions = static_cast<uint32_t>(std::atoi(argv[3]));
    r.locations = static_cast<uint32_t>(std::atoi(argv[4]));
    r.values = static_cast<uint32_t>(std::atoi(argv[5]));
    r.older_stores = std::string(argv[6]) == "older";
    r.symmetry = *fencepost::synth::parse_symmetry(argv[7]);
    fencepost::Job job;
    return synthesise(r, {}, job,
                      [](const fencepost::synth::Found& f) { std::puts(fencepost::synth::list_line(f.test).c_str()); })
               ? 0
               : 2;
  }
  if (argc > 1) {
    r.threads = static_cast<uint32_t>(std::atoi(argv[1]));
    r.instructions = argc > 2 ? static_cast<uint32_t>(std::atoi(argv[2])) : 4;
    if (argc > 4)
      r.locations = static_cast<uint32_t>(std::atoi(argv[3])), r.values = static_cast<uint32_t>(std::atoi(argv[4]));
    return compare(r) ? 0 : 1;
  }
  const auto at = [&](uint32_t threads, uint32_t instructions, uint32_t locations, uint32_t values) {
    r.threads = threads;
    r.instructions = instructions;
    r.locations = locations;
    r.values = values;
    all = compare(r) && all;
  };
  for (const bool older : {false, true}) {
    r.older_stores = older;
    at(2, 2, 2, 2);
    at(2, 3, 2, 2);
    at(3, 3, 2, 2);
  }
  r.older_stores = false;
  at(2, 4, 2, 2);
  at(3, 4, 2, 2);
  at(4, 4, 1, 2);
  at(2, 3, 2, 3);
  at(3, 3, 3, 2);
  // Each constraint off on its own, and each on its own.
  for (uint32_t c = 0; c < fencepost::synth::k_constraints; ++c) {
    using fencepost::synth::Constraints;
    r.constraints = Constraints::all().without(static_cast<Constraint>(c));
    at(2, 3, 2, 2);
    at(3, 3, 2, 2);
    r.constraints = Constraints::none().with(static_cast<Constraint>(c));
    at(2, 2, 2, 2);
  }
  r.constraints = fencepost::synth::Constraints::none();
  at(2, 2, 2, 2);
  return all ? 0 : 1;
}
