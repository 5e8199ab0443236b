// fuzz_liveness: random programs with loops, each way to decide termination held against another.
//
//   --kind loops      two locations, random orders, scopes and places: `solve` against `enumerate` at one bound: the
//                     same answer, unknown included, and no lasso that the judge cannot even play
//   --kind states     one location, all accesses relaxed: the exact answer against the oracle of progress litmus
//                     tests (weak fairness), and `solve` against both
//   --kind published  as states, with the published progress tests on one location; $FENCEPOST_PROGRESS_DATA is the
//                     folder of progress-tests.jsonl
//   --kind reduced    as loops under the Vulkan models, and locks under PTX, OpenCL and CUDA ones; conditions, races
//                     and termination, with iterations left out, against the same without at bounds up to 4
//   --extra E         loops: at most so many instructions more than threads
//   --seed S --count N --bound B --seconds T -j N
//   --only I          just program I, printed, with what is said of it
//
// Each program meets one memory model, one progress model and one definition of fair memory, by its number; `states`
// and `published` meet all six progress models. Exit status 0: no disagreement, no death, enough answers.
#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "axb/test.h"
#include "cat/library.h"
#include "check/liveness.h"
#include "check/progress_option.h"
#include "drawn_models.h"
#include "fair/model.h"
#include "looped.h"
#include "oracle/oracle.h"
#include "prog/test.h"
#include "workers.h"

using namespace fencepost;
using namespace fencepost::fuzz;

namespace {

struct Setup {
  std::string kind = "loops";
  uint64_t seed = 1, count = 100;
  uint32_t bound = 2, extra = 2;
  double seconds = 5;
  unsigned jobs = 1;
  int64_t only = -1;
  Models models;
  std::vector<fair::Model> progress;
  std::vector<axb::Test> published;
};

const char* k_progress[] = {"UNFAIR", "HSA", "OBE", "HSA_OBE", "LOBE", "FAIR"};
const ModelNames k_models = {{Machine::vulkan, {"vulkan", "vulkan-nochains", "vulkan-tables"}},
                             {Machine::ptx, {"ptx-7.5", "ptx-6.0-tables", "sc"}},
                             {Machine::opencl, {"opencl", "sc", "opencl"}}};
// Under which a weaker model is asked first (encode/weaker.h).
const ModelNames k_lock_models = {{Machine::ptx, {"ptx-8", "ptx-7.5", "ptx-6.0"}},
                                  {Machine::opencl, {"cuda", "opencl", "opencl-3.1"}}};

[[noreturn]] void stop(const std::string& sentence) {
  fmt::print(stderr, "fuzz_liveness: {}\n", sentence);
  std::exit(2);
}

struct Record {
  uint32_t holds = 0, fails = 0, unknown = 0, gave_up = 0, exact = 0, symmetric = 0, disagreements = 0;
  char sentence[400] = {};
  void say(const std::string& s) {
    if (disagreements++ == 0) fmt::format_to_n(sentence, sizeof sentence - 1, "{}", s);
  }
  void count(Status s) {
    ++(s == Status::holds ? holds : s == Status::fails ? fails : s == Status::unknown ? unknown : gave_up);
  }
};

check::Options options_for(const Setup& s, const char* progress, vocab::Dialect d) {
  check::Options o;
  o.property = check::Property::termination;
  o.bound = s.bound;
  o.progress = *check::parse_progress(progress, d);
  return o;
}

Record loops(const Setup& s, uint64_t i) {
  Rng rng(s.seed * 1000003 + i);
  Record out;
  LoopedShape shape;
  shape.threads = rng.below(4) == 0 ? 3 : 2;
  shape.instructions = shape.threads + static_cast<uint32_t>(rng.below(s.extra + 1));
  shape.locations = 2;
  const Machine machine = static_cast<Machine>(rng.below(3));
  // In every fourth program all threads are one another's copies.
  const bool copies = i % 4 == 3 && machine != Machine::opencl;
  if (copies) shape.instructions = std::max(2u, shape.instructions / shape.threads + 1);
  axb::Test program = random_looped(rng, shape);
  if (copies) std::fill(program.threads.begin(), program.threads.end(), program.threads[0]);
  const std::string text = machine == Machine::opencl ? random_opencl(rng)
                           : copies                   ? litmus_of(program, machine)
                                                      : litmus_of(program, machine, rng);
  const prog::Test test = looped_test(text);
  const std::string name = k_models.at(machine)[rng.below(3)];
  const char* progress = copies && rng.below(3) != 0 ? "FAIR" : k_progress[rng.below(6)];
  check::Options o = options_for(s, progress, test.dialect);
  if (rng.below(3) == 0) o.fairness = reference::Fairness::scoped;
  if (rng.below(3) == 0)  // each loop has its own bound
    for (const prog::LoopId& loop : prog::loops_of(test)) o.bound.loops[loop] = 1 + static_cast<uint32_t>(rng.below(3));
  const cat::Model& model = s.models.at({machine, name});
  Job job = Job::with_budget(s.seconds);
  const check::Result a = check::solve_termination(test, model, o, job);
  Job again = Job::with_budget(s.seconds);
  const check::Result b = check::enumerate_termination(test, model, o, again);
  if (s.only >= 0)
    fmt::print("{}\n{} {} {}: solve {} ({}), enumerate {} ({})\n", text, name, progress, reference::name(o.fairness),
               fencepost::name(a.verdict.status), a.verdict.detail, fencepost::name(b.verdict.status),
               b.verdict.detail);
  if (a.stats.symmetric_runs > 0) {
    ++out.symmetric;
    o.symmetry = false;
    Job third = Job::with_budget(s.seconds);
    const check::Result c = check::solve_termination(test, model, o, third);
    if (a.verdict.status != Status::gave_up && c.verdict.status != Status::gave_up &&
        a.verdict.status != c.verdict.status)
      out.say(fmt::format("{} {} {}: solve {} ({}), with symmetry broken {} ({})", name, progress,
                          reference::name(o.fairness), fencepost::name(c.verdict.status), c.verdict.detail,
                          fencepost::name(a.verdict.status), a.verdict.detail));
  }
  const bool answered = a.verdict.status != Status::gave_up && b.verdict.status != Status::gave_up;
  if (!answered) {
    ++out.gave_up;
    return out;
  }
  out.count(a.verdict.status);
  // A lasso that cannot be extended because the extension fits no program is a fault of the judge.
  for (const check::Result* r : {&a, &b})
    if (r->verdict.detail.find("do not fit") != std::string::npos) out.say(r->verdict.detail);
  if (a.verdict.status != b.verdict.status)
    out.say(fmt::format("{} {} {}: solve {} ({}), enumerate {} ({})", name, progress, reference::name(o.fairness),
                        fencepost::name(a.verdict.status), a.verdict.detail, fencepost::name(b.verdict.status),
                        b.verdict.detail));
  return out;
}

// What is said with iterations left out must be what is said without, at whatever bound that says anything.
Record reduced(const Setup& s, uint64_t i) {
  Rng rng(s.seed * 1000003 + i);
  Record out;
  LoopedShape shape;
  shape.threads = rng.below(3) == 0 ? 3 : 2;
  shape.instructions = shape.threads + static_cast<uint32_t>(rng.below(s.extra + 1));
  shape.locations = 1 + static_cast<uint32_t>(rng.below(2));
  axb::Test program = random_looped(rng, shape);
  if (i % 4 == 3) std::fill(program.threads.begin(), program.threads.end(), program.threads[0]);
  std::string text = rng.below(3) == 0 ? litmus_of(program, Machine::vulkan) : litmus_of(program, Machine::vulkan, rng);
  text.erase(text.rfind("exists"));
  const auto atom = [&] {
    const size_t t = rng.below(program.threads.size());
    const size_t k = rng.below(program.threads[t].code.size());
    if (rng.below(2) == 0 || axb::is_store(program.threads[t].code[k], static_cast<uint32_t>(k)))
      return fmt::format("{} == {}", shape.locations == 2 && rng.below(2) == 0 ? "y" : "x", rng.below(3));
    return fmt::format("P{}:r{} == {}", t, k, rng.below(3));
  };
  text += fmt::format("{} ({} {} {})\n", rng.below(2) == 0 ? "exists" : "forall", atom(),
                      rng.below(2) == 0 ? "/\\" : "\\/", atom());
  Machine machine = Machine::vulkan;
  std::string name = k_models.at(machine)[rng.below(3)];
  if (i % 2 == 1) {
    machine = rng.below(2) == 0 ? Machine::ptx : Machine::opencl;
    text = random_lock(rng, machine);
    name = k_lock_models.at(machine)[rng.below(3)];
  }
  const prog::Test test = looped_test(text);
  const cat::Model& model = s.models.at({machine, name});
  if (s.only >= 0) fmt::print("{}\n", text);
  for (const check::Property property : {check::Property::condition, check::Property::races}) {
    check::Options o;
    o.property = property;
    check::Result short_one;
    o.reduce = true;
    for (uint32_t bound = 1; bound <= 2; ++bound) {
      o.bound = bound;
      Job job = Job::with_budget(s.seconds);
      short_one = check::solve(test, model, o, job);
      if (short_one.verdict.status != Status::unknown) break;
    }
    out.count(short_one.verdict.status);
    if (short_one.verdict.status != Status::holds && short_one.verdict.status != Status::fails) continue;
    o.reduce = false;
    bool decided = false;
    for (uint32_t bound = 1; bound <= 4 && !decided; ++bound) {
      o.bound = bound;
      Job job = Job::with_budget(s.seconds);
      const check::Result full = check::enumerate(test, model, o, job);
      decided = full.verdict.status != Status::unknown;
      if (s.only >= 0)
        fmt::print("{} {} bound {}: reduced {}, enumerate {}\n", name, check::name(property), bound,
                   fencepost::name(short_one.verdict.status), fencepost::name(full.verdict.status));
      if (full.verdict.status != Status::holds && full.verdict.status != Status::fails) continue;
      ++out.exact;
      if (full.verdict.status != short_one.verdict.status || full.verdict.vacuous != short_one.verdict.vacuous)
        out.say(fmt::format("{} {}: with iterations left out {}, enumerate at bound {} {}", name, check::name(property),
                            fencepost::name(short_one.verdict.status), bound, fencepost::name(full.verdict.status)));
    }
  }
  // Termination: the same, with a lasso looked for at one bound more.
  check::Options o = options_for(s, rng.below(2) == 0 ? "FAIR" : k_progress[rng.below(6)], test.dialect);
  if (rng.below(3) == 0) o.fairness = reference::Fairness::scoped;
  o.reduce = true;
  o.bound = 2;
  Job job = Job::with_budget(s.seconds);
  const check::Result short_one = check::solve_termination(test, model, o, job);
  if (short_one.verdict.status != Status::holds && short_one.verdict.status != Status::fails) return out;
  o.reduce = false;
  for (uint32_t bound = 2; bound <= 4; ++bound) {
    o.bound = bound;
    Job again = Job::with_budget(s.seconds);
    const check::Result full = bound == 2 ? check::enumerate_termination(test, model, o, again)
                                          : check::solve_termination(test, model, o, again);
    if (s.only >= 0)
      fmt::print("{} termination bound {}: reduced {}, without {}\n", name, bound,
                 fencepost::name(short_one.verdict.status), fencepost::name(full.verdict.status));
    if (full.verdict.status != Status::holds && full.verdict.status != Status::fails) continue;
    ++out.exact;
    if (full.verdict.status != short_one.verdict.status)
      out.say(fmt::format("{} termination: with iterations left out {}, at bound {} {}", name,
                          fencepost::name(short_one.verdict.status), bound, fencepost::name(full.verdict.status)));
    break;
  }
  return out;
}

Record states(const Setup& s, uint64_t i) {
  Rng rng(s.seed * 1000003 + i);
  Record out;
  axb::Test program;
  if (s.kind == "published") {
    program = s.published[i];
  } else {
    LoopedShape shape;
    shape.threads = 2 + static_cast<uint32_t>(rng.below(2));
    shape.instructions = shape.threads + 1 + static_cast<uint32_t>(rng.below(3));
    program = random_looped(rng, shape);
  }
  const Machine machine = i % 2 == 0 ? Machine::vulkan : Machine::ptx;
  const std::string text = litmus_of(program, machine);
  const prog::Test test = looped_test(text);
  // The interleavings of one location are the executions of every model here.
  const std::string name = k_models.at(machine)[i / 2 % 3];
  const cat::Model& model = s.models.at({machine, name});
  for (size_t k = 0; k < std::size(k_progress); ++k) {
    const check::Options o = options_for(s, k_progress[k], test.dialect);
    const auto oracle = oracle::decide_both(program, s.progress[k], {});
    if (!oracle || !*oracle) {
      ++out.gave_up;
      continue;
    }
    const Status expected = (*oracle)->weak ? Status::holds : Status::fails;
    Job job = Job::with_budget(s.seconds);
    check::Statistics spent;
    const auto exact = check::decide_by_states(test, model, o, job, spent);
    Job again = Job::with_budget(s.seconds);
    const check::Result solved = check::solve_termination(test, model, o, again);
    if (s.only >= 0)
      fmt::print("{}\n{} {}: oracle {}, states {}, solve {} ({})\n", k == 0 ? text : "", name, k_progress[k],
                 fencepost::name(expected), exact ? fencepost::name(exact->verdict.status) : "-",
                 fencepost::name(solved.verdict.status), solved.verdict.detail);
    if (exact) ++out.exact;
    out.count(solved.verdict.status);
    if (exact && exact->verdict.status != expected)
      out.say(fmt::format("{} {}: oracle {}, states {}", name, k_progress[k], fencepost::name(expected),
                          fencepost::name(exact->verdict.status)));
    const bool decided = solved.verdict.status == Status::holds || solved.verdict.status == Status::fails;
    if (decided && solved.verdict.status != expected)
      out.say(fmt::format("{} {}: oracle {}, solve {}", name, k_progress[k], fencepost::name(expected),
                          fencepost::name(solved.verdict.status)));
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
    if (a == "--kind")
      s.kind = v;
    else if (a == "--seed")
      s.seed = std::stoull(v);
    else if (a == "--count")
      s.count = std::stoull(v);
    else if (a == "--bound")
      s.bound = static_cast<uint32_t>(std::stoul(v));
    else if (a == "--extra")
      s.extra = static_cast<uint32_t>(std::stoul(v));
    else if (a == "--seconds")
      s.seconds = std::stod(v);
    else if (a == "--only")
      s.only = std::stoll(v);
    else if (a == "-j")
      s.jobs = static_cast<unsigned>(std::stoul(v));
    else
      stop("unknown option " + a);
  }
  if (s.kind != "loops" && s.kind != "states" && s.kind != "published" && s.kind != "reduced")
    stop("no such kind: " + s.kind);
  for (const ModelNames* names : {&k_models, &k_lock_models})
    if (const auto added = add_models(*names, s.models); !added) stop(render(added.error()));
  for (const char* p : k_progress) {
    auto m = fair::load_model(p);
    if (!m) stop(render(m.error()));
    s.progress.push_back(std::move(*m));
  }
  if (s.kind == "published") {
    const char* folder = std::getenv("FENCEPOST_PROGRESS_DATA");
    if (folder == nullptr || *folder == '\0') {
      fmt::print("SKIPPED: FENCEPOST_PROGRESS_DATA names no folder\n");
      return 0;
    }
    auto tests = axb::parse_file(std::string(folder) + "/progress-tests.jsonl");
    if (!tests) stop(render(tests.error()));
    for (axb::Test& t : *tests) {
      // One location: those that only one instruction's location is ever named.
      std::map<uint32_t, int> used;
      for (const auto& th : t.threads)
        for (const auto& in : th.code) ++used[in.location];
      if (used.size() != 1) continue;
      const uint32_t only = used.begin()->first;
      for (auto& th : t.threads)
        for (auto& in : th.code) in.location = 0;
      t.locations = {t.locations[only]};
      s.published.push_back(std::move(t));
    }
    s.count = s.published.size();
  }
  const auto work = [&](uint64_t i) {
    return s.kind == "loops" ? loops(s, i) : s.kind == "reduced" ? reduced(s, i) : states(s, i);
  };
  Record total;
  uint64_t deaths = 0;
  const auto done = [&](uint64_t i, const Record& r) {
    total.holds += r.holds;
    total.fails += r.fails;
    total.unknown += r.unknown;
    total.gave_up += r.gave_up;
    total.exact += r.exact;
    total.symmetric += r.symmetric;
    total.disagreements += r.disagreements;
    if (r.disagreements > 0) fmt::print("program {}/{}: {}\n", s.seed, i, r.sentence);
  };
  if (s.only >= 0) {
    const Record r = work(static_cast<uint64_t>(s.only));
    return r.disagreements > 0 ? 1 : 0;
  }
  run_in_workers<Record>(s.count, s.jobs, 120, work, done, [&](uint64_t i, int) {
    ++deaths;
    fmt::print("program {}/{}: the process died\n", s.seed, i);
  });
  fmt::print("{}: {} programs; holds {} fails {} unknown {} gave up {}{}\n", s.kind, s.count, total.holds, total.fails,
             total.unknown, total.gave_up,
             s.kind == "loops" ? fmt::format("; with symmetry {}", total.symmetric)
                               : fmt::format("; {} {}", s.kind == "reduced" ? "compared" : "by states", total.exact));
  fmt::print("{} deaths, {} disagreements\n", deaths, total.disagreements);
  const bool enough = total.holds > 0 && total.fails > 0 && total.gave_up * 4 <= s.count;
  return deaths == 0 && total.disagreements == 0 && enough ? 0 : 1;
}
