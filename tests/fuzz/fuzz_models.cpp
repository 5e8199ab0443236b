// fuzz_models: random models on random programs, one engine held against the other.
//
//   --seed S --models N     models S/0 ... S/N-1
//   --programs P            programs for each model (default 40)
//   --seconds T -j N --save DIR     as for fuzz_engines
//
// A model that no execution of most programs satisfies, or that rejects nothing, is drawn again.
// Exit status 0: no disagreement and no death of an engine.
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "cat/library.h"
#include "compare.h"
#include "condition.h"
#include "program.h"
#include "random_model.h"
#include "shrink.h"
#include "workers.h"

using namespace fencepost;
using namespace fencepost::fuzz;

namespace {

struct Setup {
  uint64_t seed = 1, models = 50, programs = 40;
  double seconds = 2;
  unsigned jobs = 1;
  std::string save = "disagreements";
};

struct Record {
  uint32_t holds = 0, fails = 0, flags = 0, vacuous = 0, gave_up = 0, disagreements = 0, sets = 0, redrawn = 0;
  bool usable = false;
};

Program program(Rng& rng, vocab::Dialect d) {
  if (d == vocab::Dialect::vulkan) return generate_vulkan(rng);
  if (d == vocab::Dialect::opencl) return generate_opencl(rng);
  return rng.chance(0.85) ? generate_ptx(rng) : generate_gpu_ptx(rng);
}

Expected<cat::Model> load(const std::string& text, vocab::Dialect d) {
  cat::LoadOptions o;
  o.dialect = d;
  o.prelude = fmt::format("{}/prelude-{}.cat", cat::models_dir(), vocab::name(d));
  auto m = cat::load_text(make_source("random.cat", text), o);
  if (m) m->knows_clusters = true;  // `sr` means what it means, whatever a random model does with it
  return m;
}

// Both consistent executions and forbidden candidates are frequent enough on a few programs.
bool discriminates(const cat::Model& model, const cat::Model& free, vocab::Dialect d, Rng rng) {
  uint32_t alive = 0, narrower = 0;
  for (int i = 0; i < 8; ++i) {
    auto test = parse(program(rng, d));
    if (!test) continue;
    Job a = Job::with_budget(0.3), b = Job::with_budget(0.3);
    const size_t some = check::outcomes(*test, model, {}, a).states.states.size();
    const size_t all = check::outcomes(*test, free, {}, b).states.states.size();
    if (some > 0) ++alive;
    if (some < all) ++narrower;
  }
  return alive >= 4 && narrower >= 1;
}

void save(const Setup& s, const std::string& name, const Program& p, const std::string& model_text,
          const std::string& sentence) {
  std::error_code ignored;
  std::filesystem::create_directories(s.save, ignored);
  std::string text = render(p);
  text.insert(text.find('\n') + 1, fmt::format("(* model {}.cat: {} *)\n", name, sentence));
  std::ofstream(fmt::format("{}/{}.litmus", s.save, name)) << text;
  std::ofstream(fmt::format("{}/{}.cat", s.save, name)) << model_text;
  fmt::print(stderr, "{}/{}.litmus\n{}\n{}\n", s.save, name, text, model_text);
}

// Drops lines of the model while the engines still disagree on the program.
std::string shrink_model(std::string text, vocab::Dialect d, const std::function<bool(const cat::Model&)>& disagree) {
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at) + 1;
      std::string fewer = text;
      fewer.erase(at, end - at);
      const auto m = load(fewer, d);
      if (m && disagree(*m)) {
        text = fewer;
        progress = true;
      } else {
        at = end;
      }
    }
  }
  return text;
}

Record one(const Setup& s, uint64_t index) {
  Record record;
  Rng rng(s.seed * 0x9e3779b97f4a7c15u + index * 2 + 1);
  const auto d = static_cast<vocab::Dialect>(index % 3);
  const auto free = load("\"no axioms\"\n", d);
  if (!free) return record;
  std::string text;
  std::optional<cat::Model> model;
  for (int attempt = 0; attempt < 60 && !model; ++attempt) {
    text = random_model(rng, d);
    auto m = load(text, d);
    if (!m) {
      fmt::print(stderr, "model {} is not read: {}\n{}\n", index, text, render(m.error()));
      record.disagreements = 1;
      return record;
    }
    if (discriminates(*m, *free, d, Rng(rng.next())))
      model = std::move(*m);
    else
      ++record.redrawn;
  }
  if (!model) return record;
  record.usable = true;
  for (uint64_t k = 0; k < s.programs; ++k) {
    Program p = program(rng, d);
    p.title = fmt::format("model-{}-{}-{}", s.seed, index, k);
    auto test = parse(p);
    if (!test) continue;
    Allowed allowed;
    Job job = Job::with_budget(s.seconds), brief = Job::with_budget(0.2);
    const check::Outcomes some = check::outcomes(*test, *model, {}, job);
    const check::Outcomes all = check::outcomes(*test, *free, {}, brief);
    allowed.observables = some.observables;
    allowed.states.assign(some.states.states.begin(), some.states.states.end());
    allowed.candidates.assign(all.states.states.begin(), all.states.states.end());
    p.question = choose_question(rng, allowed, rng.chance(0.5));
    test = parse(p);
    if (!test) continue;
    const CompareOptions o{s.seconds, 1, k % 2 == 0, k % 3 == 0};
    const Comparison c = compare(*test, *model, o);
    record.gave_up += c.gave_up;
    record.sets += c.outcomes_compared ? 1 : 0;
    if (c.condition == Status::holds) ++record.holds;
    if (c.condition == Status::fails) ++record.fails;
    if (c.races == Status::fails) ++record.flags;
    if (c.disagreements.empty()) continue;
    ++record.disagreements;
    limit_time(900);
    const Program small = shrink(p, [&](const Program& q) {
      auto t = parse(q);
      return t && !compare(*t, *model, o).disagreements.empty();
    });
    const auto small_test = parse(small);
    const std::string small_model = shrink_model(
        text, d, [&](const cat::Model& m) { return small_test && !compare(*small_test, m, o).disagreements.empty(); });
    std::string sentence = c.disagreements.front();
    if (const auto m = load(small_model, d); m && small_test)
      for (const std::string& dis : compare(*small_test, *m, o).disagreements) sentence = dis;
    save(s, fmt::format("model-{}-{}-{}", s.seed, index, k), small, small_model, sentence);
    return record;  // one reproducer for each model
  }
  return record;
}

}  // namespace

int main(int argc, char** argv) {
  Setup s;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string a = argv[i], v = argv[i + 1];
    if (a == "--seed")
      s.seed = std::stoull(v);
    else if (a == "--models")
      s.models = std::stoull(v);
    else if (a == "--programs")
      s.programs = std::stoull(v);
    else if (a == "--seconds")
      s.seconds = std::stod(v);
    else if (a == "-j")
      s.jobs = static_cast<unsigned>(std::stoul(v));
    else if (a == "--save")
      s.save = v;
    else {
      fmt::print(stderr, "fuzz_models: unknown option {}\n", a);
      return 2;
    }
  }
  Record total;
  uint64_t usable = 0, deaths = 0;
  run_in_workers<Record>(
      s.models, s.jobs, 600, [&](uint64_t i) { return one(s, i); },
      [&](uint64_t i, const Record& r) {
        usable += r.usable ? 1 : 0;
        if (!r.usable) fmt::print("model {}: none found that discriminates\n", i);
        total.holds += r.holds;
        total.fails += r.fails;
        total.flags += r.flags;
        total.gave_up += r.gave_up;
        total.sets += r.sets;
        total.redrawn += r.redrawn;
        total.disagreements += r.disagreements;
      },
      [&](uint64_t i, int status) {
        ++deaths;
        Rng rng(s.seed * 0x9e3779b97f4a7c15u + i * 2 + 1);
        fmt::print("model {} (seed {}) ends its process: {}\n", i, s.seed,
                   WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                       : fmt::format("exit status {}", WEXITSTATUS(status)));
      });
  fmt::print(
      "seed {}: {} models ({} drawn again), conditions {} hold {} fail, {} flags raised, {} sets of outcomes compared, "
      "{} questions not answered in time, "
      "{} deaths, {} disagreements\n",
      s.seed, usable, total.redrawn, total.holds, total.fails, total.flags, total.sets, total.gave_up, deaths,
      total.disagreements);
  return total.disagreements == 0 && deaths == 0 && usable == s.models ? 0 : 1;
}
