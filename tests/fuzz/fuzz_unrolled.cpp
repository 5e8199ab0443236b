// fuzz_unrolled: the safety of random looped programs, held against `enumerate` on the same program written out without
// loops as text (written_out.h), printed, parsed again and decided at bound 1, where nothing is left to unroll.
//
//   --seed S --count N --seconds T -j N
//   --only I          just program I: both texts, and what is said of them
//
// Program I has two or three threads, under one of the models of its dialect; each of its loops has a bound of its own
// from 1 to 3. Asked are `solve`, `enumerate` and `solve` with iterations left out, for the condition and for races:
//   - holds and fails must be what the written-out program says, at these bounds and with every bound one higher;
//   - unknown must mean that the written-out program has not what was looked for;
//   - the complete executions of both programs end in the same set of states.
// Exit status 0: no disagreement, no death, enough answers of each kind.
#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "cat/library.h"
#include "check/check.h"
#include "drawn_models.h"
#include "looped.h"
#include "prog/test.h"
#include "workers.h"
#include "written_out.h"

using namespace fencepost;
using namespace fencepost::fuzz;

namespace {

struct Setup {
  uint64_t seed = 1, count = 100;
  double seconds = 5;
  unsigned jobs = 1;
  int64_t only = -1;
  Models models;
};

const ModelNames k_models = {{Machine::vulkan, {"vulkan", "vulkan-nochains", "vulkan-tables"}},
                             {Machine::ptx, {"ptx-7.5", "ptx-8", "ptx-6.0-tables", "sc"}},
                             {Machine::opencl, {"opencl", "cuda", "opencl-3.1", "sc"}}};

[[noreturn]] void stop(const std::string& sentence) {
  fmt::print(stderr, "fuzz_unrolled: {}\n", sentence);
  std::exit(2);
}

struct Record {
  uint32_t holds = 0, fails = 0, unknown = 0, gave_up = 0, compared = 0, sets = 0, loops = 0, disagreements = 0;
  char sentence[400] = {};
  void say(const std::string& s) {
    if (disagreements++ == 0) fmt::format_to_n(sentence, sizeof sentence - 1, "{}", s);
  }
};

// Registers that some instruction writes, for the question; counters and arithmetic come from here too: in every third
// thread a loop is closed by a counter, so that it ends after two or three rounds.
std::string program_text(Rng& rng, Machine& machine) {
  machine = static_cast<Machine>(rng.below(3));
  if (machine != Machine::vulkan && rng.below(3) == 0) return random_lock(rng, machine);
  if (machine == Machine::opencl) return random_opencl(rng);
  LoopedShape shape;
  shape.threads = rng.below(4) == 0 ? 3 : 2;
  shape.instructions = shape.threads + 1 + static_cast<uint32_t>(rng.below(shape.threads == 3 ? 2 : 3));
  shape.locations = 1 + static_cast<uint32_t>(rng.below(2));
  axb::Test program = random_looped(rng, shape);
  if (rng.below(4) == 0) std::fill(program.threads.begin(), program.threads.end(), program.threads[0]);
  std::string text = rng.below(4) == 0 ? litmus_of(program, machine) : litmus_of(program, machine, rng);
  text.erase(text.rfind("exists"));
  // A counter around the whole of the first thread.
  if (rng.below(3) == 0) {
    const size_t row = text.find('\n', text.find('@')) + 1;
    const size_t last = text.rfind('\n', text.size() - 2) + 1;
    std::string blank;
    for (size_t t = 1; t < program.threads.size(); ++t) blank += "| ";
    text.insert(last, fmt::format(" LC777: {0};\n add r9, r9, 1 {0};\n b{1} r9, {2}, LC778 {0};\n", blank,
                                  rng.below(2) == 0 ? "lt" : "ne", 2 + rng.below(2)));
    text.insert(row, fmt::format(" LC778: {};\n", blank));
  }
  const auto atom = [&]() -> std::string {
    const size_t t = rng.below(program.threads.size());
    const size_t k = rng.below(program.threads[t].code.size());
    if (rng.below(2) == 0 || axb::is_store(program.threads[t].code[k], static_cast<uint32_t>(k)))
      return fmt::format("{} == {}", shape.locations == 2 && rng.below(2) == 0 ? "y" : "x", rng.below(2));
    return fmt::format("P{}:r{} == {}", t, k, rng.below(2));
  };
  if (rng.below(2) == 0) {
    text += "locations [ x;";
    for (size_t t = 0; t < program.threads.size(); ++t)
      for (size_t k = 0; k < program.threads[t].code.size(); ++k)
        if (!axb::is_store(program.threads[t].code[k], static_cast<uint32_t>(k))) text += fmt::format(" {}:r{};", t, k);
    text += " ]\n";
  }
  return text + fmt::format("{} ({} {} {})\n", rng.below(2) == 0 ? "exists" : "forall", atom(),
                            rng.below(2) == 0 ? "/\\" : "\\/", atom());
}

// Final states of the executions in which nobody has left, as text.
std::set<std::string> states(const check::Outcomes& o) {
  std::set<std::string> out;
  for (const prog::State& s : o.states.states) {
    bool left = false;
    std::string text;
    std::vector<std::string> parts;
    for (size_t i = 0; i < o.observables.size(); ++i) {
      if (o.observables[i].text.ends_with(":r99")) {
        left = left || s[i].free || s[i].value != 0;
        continue;
      }
      parts.push_back(o.observables[i].text + "=" + (s[i].free ? "?" : std::to_string(s[i].value)) + " ");
    }
    std::sort(parts.begin(), parts.end());
    for (const std::string& p : parts) text += p;
    if (!left) out.insert(text);
  }
  return out;
}

bool decided(Status s) { return s == Status::holds || s == Status::fails; }

Record work(const Setup& s, uint64_t i) {
  Rng rng(s.seed * 1000003 + i);
  Record out;
  Machine machine;
  const std::string text = program_text(rng, machine);
  const prog::Test test = looped_test(text);
  prog::LoopBounds bounds = 1;
  std::map<std::pair<uint32_t, std::string>, uint32_t> by_name;
  for (const prog::LoopId& loop : prog::loops_of(test)) {
    const uint32_t n = 1 + static_cast<uint32_t>(rng.below(3));
    bounds.loops[loop] = n;
    by_name[{loop.first, test.code(loop.first).labels[loop.second].name}] = n;
    ++out.loops;
  }
  const auto written = [&](uint32_t more) {
    return written_out(text, [&](uint32_t t, const std::string& label) { return by_name.at({t, label}) + more; });
  };
  const std::string flat = written(0);
  const prog::Test loopless = looped_test(flat), longer = looped_test(written(1));
  if (!prog::loops_of(loopless).empty()) out.say("the written-out program has a loop");
  const std::string name = k_models.at(machine)[rng.below(k_models.at(machine).size())];
  const cat::Model& model = s.models.at({machine, name});
  if (s.only >= 0) fmt::print("{}\n{}\n", text, flat);
  const auto ask = [&](const prog::Test& t, check::Options o, check::Engine e, double share = 1) {
    o.engine = e;
    Job job = Job::with_budget(s.seconds * share);
    return check::check(t, model, o, job);
  };
  for (const check::Property property : {check::Property::condition, check::Property::races}) {
    check::Options o;
    o.property = property;
    const check::Result truth = ask(loopless, o, check::Engine::enumerate);
    if (!decided(truth.verdict.status)) {
      ++out.gave_up;
      continue;
    }
    // One round more has many times the executions; where they are not looked through soon, nothing is held to them.
    const check::Result later = ask(longer, o, check::Engine::enumerate, 0.2);
    // What is found where something is: exists holds, forall and races fail.
    const Status found = property == check::Property::condition && test.quantifier == prog::Quantifier::exists
                             ? Status::holds
                             : Status::fails;
    o.bound = bounds;
    for (const auto& [engine, reduce] :
         {std::pair{check::Engine::enumerate, false}, {check::Engine::solve, false}, {check::Engine::solve, true}}) {
      o.reduce = reduce;
      const check::Result r = ask(test, o, engine);
      const std::string who = std::string(check::name(engine)) + (reduce ? " with iterations left out" : "");
      if (s.only >= 0)
        fmt::print("{} {}: {} {} ({}), written out {}, one more {}\n", name, check::name(property), who,
                   fencepost::name(r.verdict.status), r.verdict.detail, fencepost::name(truth.verdict.status),
                   fencepost::name(later.verdict.status));
      ++(r.verdict.status == Status::holds     ? out.holds
         : r.verdict.status == Status::fails   ? out.fails
         : r.verdict.status == Status::unknown ? out.unknown
                                               : out.gave_up);
      if (r.verdict.status != Status::unknown && !decided(r.verdict.status)) continue;
      ++out.compared;
      const auto differ = [&](const check::Result& t, const char* which) {
        out.say(fmt::format("{} {}: {} says {}, {} {}", name, check::name(property), who,
                            fencepost::name(r.verdict.status), which, fencepost::name(t.verdict.status)));
      };
      if (r.verdict.status == Status::unknown) {
        // With iterations left out an execution may be seen that the bound does not show, never the other way round.
        if (truth.verdict.status == found) differ(truth, "written out");
        continue;
      }
      // A bound that counts fewer iterations reaches further: there only what the text has found binds.
      const bool binding = !reduce || truth.verdict.status == found || r.verdict.status != found;
      if (binding && r.verdict.status != truth.verdict.status) differ(truth, "written out");
      if (binding && decided(later.verdict.status) && r.verdict.status != later.verdict.status)
        differ(later, "written out with one iteration more");
    }
  }
  // Sets of final states.
  check::Options o;
  Job one = Job::with_budget(s.seconds), two = Job::with_budget(s.seconds);
  const check::Outcomes b = check::outcomes(loopless, model, o, two);
  if (b.status.status == Status::gave_up) return out;
  o.bound = bounds;
  const check::Outcomes a = check::outcomes(test, model, o, one);
  if (a.status.status != Status::gave_up) {
    ++out.sets;
    if (states(a) != states(b))
      out.say(fmt::format("{}: {} final states with loops, {} written out", name, states(a).size(), states(b).size()));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  Setup s;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (i + 1 >= argc) stop("unknown option or missing value: " + a);
    const std::string v = argv[++i];
    if (a == "--seed")
      s.seed = std::stoull(v);
    else if (a == "--count")
      s.count = std::stoull(v);
    else if (a == "--seconds")
      s.seconds = std::stod(v);
    else if (a == "--only")
      s.only = std::stoll(v);
    else if (a == "-j")
      s.jobs = static_cast<unsigned>(std::stoul(v));
    else
      stop("unknown option " + a);
  }
  if (const auto added = add_models(k_models, s.models); !added) stop(render(added.error()));
  if (s.only >= 0) {
    const Record r = work(s, static_cast<uint64_t>(s.only));
    if (r.disagreements > 0) fmt::print("{}\n", r.sentence);
    return r.disagreements > 0 ? 1 : 0;
  }
  Record total;
  uint64_t deaths = 0;
  const auto done = [&](uint64_t i, const Record& r) {
    total.holds += r.holds;
    total.fails += r.fails;
    total.unknown += r.unknown;
    total.gave_up += r.gave_up;
    total.compared += r.compared;
    total.sets += r.sets;
    total.loops += r.loops;
    total.disagreements += r.disagreements;
    if (r.disagreements > 0) fmt::print("program {}/{}: {}\n", s.seed, i, r.sentence);
  };
  run_in_workers<Record>(
      s.count, s.jobs, 120, [&](uint64_t i) { return work(s, i); }, done,
      [&](uint64_t i, int) {
        ++deaths;
        fmt::print("program {}/{}: the process died\n", s.seed, i);
      });
  fmt::print("{} programs, {} loops; holds {} fails {} unknown {} gave up {}; compared {} answers, {} sets of states\n",
             s.count, total.loops, total.holds, total.fails, total.unknown, total.gave_up, total.compared, total.sets);
  fmt::print("{} deaths, {} disagreements\n", deaths, total.disagreements);
  const bool enough = total.holds > 0 && total.fails > 0 && total.unknown > 0 && total.loops > 0 &&
                      total.gave_up * 10 <= total.compared;
  return deaths == 0 && total.disagreements == 0 && enough ? 0 : 1;
}
