// fuzz_weaker: iterations left out (encode/reduction.h, encode/weaker.h), held against executions one by one and
// against the answers of `enumerate` and of the whole encoding.
//
//   --seed S --count N --seconds T -j N
//   --only I          just program I
//   --formulas N      random formulas that LeavingOut is asked about, beside those of the model
//
// Program I has two or three threads on a lock or a flag. The laws are those of weaker_laws.h. Then, of condition
// and races: what `solve` with iterations left out says is not there, `enumerate` does not find with one iteration
// more, nor `solve` without leaving anything out with two more; what is found there is found with iterations left
// out. Exit status 0: no law is broken, no death, and each was asked often enough.
#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "cat/library.h"
#include "check/check.h"
#include "drawn_models.h"
#include "left_out.h"
#include "looped.h"
#include "read/read.h"
#include "weaker_laws.h"
#include "workers.h"

using namespace fencepost;
using namespace fencepost::fuzz;

namespace {

struct Setup {
  uint64_t seed = 1, count = 100;
  uint32_t formulas = 60;
  double seconds = 1;
  unsigned jobs = 1;
  int64_t only = -1;
  Models models;
};

const ModelNames k_models = {{Machine::vulkan, {"vulkan", "vulkan-nochains", "vulkan-tables"}},
                             {Machine::ptx, {"ptx-8", "ptx-7.5", "ptx-6.0", "ptx-9"}},
                             {Machine::opencl, {"opencl", "cuda", "opencl-3.1"}}};

[[noreturn]] void stop(const std::string& sentence) {
  fmt::print(stderr, "fuzz_weaker: {}\n", sentence);
  std::exit(2);
}

struct Record {
  uint32_t weaker = 0, silent = 0, rests = 0, silent_rests = 0, flagged = 0, none = 0, found = 0, open = 0, broken = 0;
  uint64_t formulas = 0, instances = 0;
  char sentence[400] = {};
  void say(const std::string& s) {
    if (broken++ == 0) fmt::format_to_n(sentence, sizeof sentence - 1, "{}", s);
  }
};

std::string program_text(Rng& rng, Machine& machine) {
  const uint64_t k = rng.below(8);
  machine = k < 4 ? Machine::ptx : k < 7 ? Machine::opencl : Machine::vulkan;
  if (machine == Machine::vulkan) {
    LoopedShape shape;
    shape.threads = 2;
    shape.instructions = 4;
    return litmus_of(random_looped(rng, shape), machine, rng);
  }
  return rng.below(4) == 0 ? random_lock(rng, machine) : random_takers(rng, machine == Machine::ptx);
}

Record work(const Setup& s, uint64_t i) {
  Rng rng(s.seed * 1000003 + i);
  Record out;
  Machine machine;
  const std::string text = program_text(rng, machine);
  const std::string name = k_models.at(machine)[rng.below(k_models.at(machine).size())];
  const cat::Model& model = s.models.at({machine, name});
  auto parsed = read::parse_one(make_source("takers", text));
  if (!parsed) stop(render(parsed.error()) + text);
  const prog::Test& test = *parsed;
  if (s.only >= 0) fmt::print("{}\n{}\n", name, text);
  KeptOptions o;
  o.bound = test.threads.size() == 2 && rng.below(2) == 0 ? 3 : 2;
  o.formulas = s.formulas;
  o.seconds = s.seconds;
  const Kept k = hold_kept(test, model, o, rng);
  out.weaker = k.weaker;
  out.silent = k.silent;
  out.rests = k.rests;
  out.silent_rests = k.silent_rests;
  out.flagged = k.flagged;
  out.formulas = k.formulas;
  out.instances = k.instances;
  if (!k.wrong.empty()) out.say(fmt::format("{}: {}", name, k.wrong));
  const auto ask = [&](check::Property p, check::Engine e, bool reduce, uint32_t bound) {
    check::Options a;
    a.property = p;
    a.engine = e;
    a.reduce = reduce;
    a.bound = bound;
    a.companion = false;
    Job job = Job::with_budget(s.seconds);
    return check::check(test, model, a, job);
  };
  for (const check::Property p : {check::Property::condition, check::Property::races}) {
    const check::Result r = ask(p, check::Engine::solve, true, 2);
    const bool decided = r.verdict.status == Status::holds || r.verdict.status == Status::fails;
    if (!decided && r.verdict.status != Status::unknown) {
      ++out.open;
      continue;
    }
    ++(r.reachable ? out.found : decided ? out.none : out.open);
    for (const auto& [engine, bound] : {std::pair{check::Engine::enumerate, 2u},
                                        {check::Engine::enumerate, 3u},
                                        {check::Engine::solve, 2u},
                                        {check::Engine::solve, 4u}}) {
      if (!decided && bound > 2) continue;
      const check::Result w = ask(p, engine, false, bound);
      if (w.verdict.status != Status::holds && w.verdict.status != Status::fails && w.verdict.status != Status::unknown)
        continue;
      if (w.reachable && !r.reachable)
        out.say(fmt::format("{} {}: {} finds with bound {} what is said not to be there", name, check::name(p),
                            check::name(engine), bound));
    }
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
    else if (a == "--formulas")
      s.formulas = static_cast<uint32_t>(std::stoul(v));
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
    fmt::print("{} rests, {} without read-modify-writes, {} flagged; {} formulas, {} instances; {}\n", r.rests,
               r.silent_rests, r.flagged, r.formulas, r.instances, r.broken > 0 ? r.sentence : "nothing is broken");
    return r.broken > 0 ? 1 : 0;
  }
  Record total;
  uint64_t deaths = 0, done_with = 0;
  const auto done = [&](uint64_t i, const Record& r) {
    ++done_with;
    total.weaker += r.weaker;
    total.silent += r.silent;
    total.rests += r.rests;
    total.silent_rests += r.silent_rests;
    total.flagged += r.flagged;
    total.formulas += r.formulas;
    total.instances += r.instances;
    total.none += r.none;
    total.found += r.found;
    total.open += r.open;
    total.broken += r.broken;
    if (r.broken > 0) fmt::print("program {}/{}: {}\n", s.seed, i, r.sentence);
  };
  run_in_workers<Record>(
      s.count, s.jobs, 120, [&](uint64_t i) { return work(s, i); }, done,
      [&](uint64_t i, int status) {
        ++deaths;
        fmt::print("program {}/{}: the process {}\n", s.seed, i, out_of_time(status) ? "ran out of time" : "died");
      });
  fmt::print(
      "{} programs, {} with a weaker model, {} whose exchanges go; {} executions, {} without exchanges, {} that race; "
      "{} "
      "formulas said to be kept, {} instances that say something; answers: {} none, {} found, {} open\n",
      done_with, total.weaker, total.silent, total.rests, total.silent_rests, total.flagged, total.formulas,
      total.instances, total.none, total.found, total.open);
  fmt::print("{} deaths, {} laws broken\n", deaths, total.broken);
  const bool enough =
      total.silent > 0 && total.silent_rests > 0 && total.flagged > 0 && total.none > 0 && total.found > 0;
  return deaths == 0 && total.broken == 0 && enough ? 0 : 1;
}
