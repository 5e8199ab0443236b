// fuzz_engines: random programs under several models, one engine held against the other.
//
//   --seed S --count N      programs S/0 ... S/N-1; the same numbers give the same programs
//   --models a,b,c,d        instead of four models for each dialect; "vulkan~atomicity" is vulkan without
//                           the axiom of that name
//   --only I                just program I, printed, with what the engines say
//   --replay DIR            the saved programs of a folder instead of random ones
//   --outcomes K            compare the sets of final states of every K-th program (default 3; 0: never)
//   --seconds T             time for each question (default 2)
//   -j N                    processes
//   --save DIR              where shrunk disagreements go
//   --launches              every program is a launch: copies of one lock-like thread
//   --quick                 stop at the first disagreement or death, without shrinking
//   --reference DIR         `enumerate` reads the models of that folder (tools/mutate plants faults in the others)
//   --check-statistics      fail when a verdict, a size or an instruction class was too rare
//
// Exit status 0: no disagreement, no death of an engine, every program read.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "alike.h"
#include "catalogue.h"
#include "compare.h"
#include "print/litmus.h"
#include "prog/syntax.h"
#include "program.h"
#include "read/read.h"
#include "shrink.h"
#include "statistics.h"
#include "workers.h"

using namespace fencepost;
using namespace fencepost::fuzz;

namespace {

struct Setup {
  uint64_t seed = 1;
  uint64_t count = 300;
  std::vector<std::string> models;
  int64_t only = -1;
  uint64_t outcomes_every = 3;
  double seconds = 2;
  unsigned jobs = 1;
  std::string save = "disagreements";
  bool check_statistics = false;
  std::string reference;
  bool quick = false;
  bool launches = false;
  std::string replay;
  // Loaded before the workers start.
  Catalogue all;
  std::map<std::pair<prog::Syntax, std::string>, cat::Model> references;

  // Random programs are small: without being told, `solve` would never learn lazily on them.
  CompareOptions compare_options(prog::Syntax syntax, const std::string& model, bool outcomes, uint64_t index) const {
    const auto it = references.find({syntax, model});
    return {seconds, 1, outcomes, index / 2 % 2 == 1, it == references.end() ? nullptr : &it->second};
  }
};

[[noreturn]] void stop(const std::string& sentence) {
  fmt::print(stderr, "fuzz_engines: {}\n", sentence);
  std::exit(2);
}

Setup read_arguments(int argc, char** argv) {
  Setup s;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--quick") {
      s.quick = true;
      continue;
    }
    if (a == "--launches") {
      s.launches = true;
      continue;
    }
    if (a == "--check-statistics") {
      s.check_statistics = true;
      continue;
    }
    if (i + 1 >= argc) stop("unknown option or missing value: " + a);
    const std::string v = argv[++i];
    if (a == "--seed")
      s.seed = std::stoull(v);
    else if (a == "--count")
      s.count = std::stoull(v);
    else if (a == "--only")
      s.only = std::stoll(v);
    else if (a == "--outcomes")
      s.outcomes_every = std::stoull(v);
    else if (a == "--seconds")
      s.seconds = std::stod(v);
    else if (a == "-j")
      s.jobs = static_cast<unsigned>(std::stoul(v));
    else if (a == "--save")
      s.save = v;
    else if (a == "--reference")
      s.reference = v;
    else if (a == "--replay")
      s.replay = v;
    else if (a == "--models") {
      for (size_t at = 0; at < v.size();) {
        const size_t end = std::min(v.find(',', at), v.size());
        s.models.push_back(v.substr(at, end - at));
        at = end + 1;
      }
    } else
      stop("unknown option " + a);
  }
  return s;
}

void load_models(Setup& s) {
  auto all = load_catalogue(s.models);
  if (!all) stop(render(all.error()));
  s.all = std::move(*all);
  if (s.reference.empty()) return;
  for (const auto& [syntax, models] : s.all.models)
    for (const Named& m : models) {
      auto r = load_named(m.first, dialect_of(syntax), s.reference);
      if (!r) stop(render(r.error()));
      s.references.emplace(std::pair{syntax, m.first}, std::move(*r));
    }
}

uint64_t class_bits(const Program& p) {
  uint64_t bits = 0;
  for (size_t i = 0; i < classes().size(); ++i)
    if (p.classes.contains(classes()[i])) bits |= uint64_t{1} << i;
  return bits;
}

// In every fourth program threads are copies of one another.
bool has_copies(const Setup& setup, uint64_t index) { return setup.launches || index % 4 == 3; }

Program draft(const Setup& setup, uint64_t index, Rng& rng) {
  Program p = setup.launches ? generate_launch(rng) : generate(rng);
  if (has_copies(setup, index) && !setup.launches) make_alike(rng, p);
  p.title = fmt::format("fuzz-{}-{}", setup.seed, index);
  return p;
}

// The finished program: generated, filtered now and then, with a question.
std::optional<Program> make(const Setup& setup, uint64_t index, Record& record) {
  Rng rng(setup.seed * 0x9e3779b97f4a7c15u + index * 2 + 1);
  Program p = draft(setup, index, rng);
  if (const auto asked = give_question(rng, p, setup.all, setup.seconds); !asked) {
    fmt::print(stderr, "{}program {} is not read:\n{}\n", render(p), index, render(asked.error()));
    record.unread = 1;
    return std::nullopt;
  }
  if (has_copies(setup, index) && rng.chance(0.6)) ask_alike(p, p.question);
  return p;
}

void save(const Setup& setup, const Program& p, const std::string& model, const std::string& sentence,
          const std::string& file) {
  std::error_code ignored;
  std::filesystem::create_directories(setup.save, ignored);
  std::string text = render(p);
  text.insert(text.find('\n') + 1, fmt::format("(* model {}: {} *)\n", model, sentence));
  const std::string path = fmt::format("{}/{}.litmus", setup.save, file);
  std::ofstream(path) << text;
  fmt::print(stderr, "{}\n{}\n", path, text);
}

std::string kind_of(const std::string& sentence) { return sentence.substr(0, sentence.find(':')); }

void report_disagreement(const Setup& setup, const Program& p, const std::string& name, const cat::Model& model,
                         const CompareOptions& options, const std::string& sentence, uint64_t index) {
  const auto interesting = [&](const Program& q) {
    auto t = parse(q);
    if (!t) return false;
    for (const std::string& d : compare(*t, model, options).disagreements)
      if (kind_of(d) == kind_of(sentence)) return true;
    return false;
  };
  limit_time(600);  // shrinking may take its time
  const Program small = shrink(p, interesting);
  std::string last = sentence;
  if (auto t = parse(small))
    for (const std::string& d : compare(*t, model, options).disagreements)
      if (kind_of(d) == kind_of(sentence)) last = d;
  save(setup, small, name, last,
       fmt::format("{}-{}-{}-{}", setup.seed, index, std::filesystem::path(name).stem().string(), kind_of(sentence)));
}

Record one(const Setup& setup, uint64_t index) {
  Record record;
  const std::optional<Program> p = make(setup, index, record);
  if (!p) return record;
  record.classes = class_bits(*p);
  auto test = parse(*p);
  if (!test) {
    fmt::print(stderr, "{}program {} is not read:\n{}\n", render(*p), index, render(test.error()));
    record.unread = 1;
    return record;
  }
  record.threads = static_cast<uint32_t>(test->threads.size());
  record.events = prog::event_count(*test);
  const std::string printed = print::print(*test);
  const auto back = read::parse_one(make_source("printed", printed));
  if (!back || !(*back == *test)) {
    fmt::print(stderr, "program {} changes when it is printed and read again{}{}\n{}\n{}\n", index, back ? "" : ": ",
               back ? "" : render(back.error()), render(*p), printed);
    record.unread = 2;
  }
  for (const auto* known : models_for(setup.all, *test)) {
    const auto& [name, model] = *known;
    const CompareOptions o =
        setup.compare_options(p->syntax, name, setup.outcomes_every != 0 && index % setup.outcomes_every == 0, index);
    const Comparison c = compare(*test, model, o);
    record.condition[record.models] = c.condition ? static_cast<int8_t>(*c.condition) : -1;
    record.races[record.models] = c.races ? static_cast<int8_t>(*c.races) : -1;
    record.rules |= static_cast<uint32_t>(c.rules.to_ulong());
    ++record.models;
    record.outcome_sets += c.outcomes_compared ? 1 : 0;
    record.symmetric += c.symmetric;
    record.gave_up += c.gave_up;
    record.disagreements += static_cast<uint32_t>(c.disagreements.size());
    if (!c.disagreements.empty() && !setup.quick)
      report_disagreement(setup, *p, name, model, o, c.disagreements.front(), index);
  }
  return record;
}

// A program that kills an engine, found again and shrunk with a process for each question.
void report_death(const Setup& setup, uint64_t index, int status) {
  Record ignored;
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("signal {}{}", WTERMSIG(status), out_of_time(status) ? " (too slow)" : "")
                              : fmt::format("exit status {}", WEXITSTATUS(status));
  fmt::print(stderr, "program {} ends its process: {}\n", index, how);
  Rng rng(setup.seed * 0x9e3779b97f4a7c15u + index * 2 + 1);
  Program p = draft(setup, index, rng);
  const auto dies = [&](const Program& q) {
    return fails_in_child(20, [&] {
      auto t = parse(q);
      if (!t) return false;
      Job brief = Job::with_budget(0.2);
      check::outcomes(*t, setup.all.without_axioms.at(dialect_of(q.syntax)), {}, brief);
      for (const auto* known : models_for(setup.all, *t))
        compare(*t, known->second, setup.compare_options(q.syntax, known->first, true, index));
      return false;
    });
  };
  if (out_of_time(status)) {
    save(setup, p, "?", how, fmt::format("{}-{}-slow", setup.seed, index));
    return;
  }
  if (dies(p)) {
    p = shrink(p, dies, 300);
  } else if (!fails_in_child(60, [&] {
               p = *make(setup, index, ignored);
               return false;
             })) {
    p = *make(setup, index, ignored);
    if (dies(p)) p = shrink(p, dies, 300);
  }
  save(setup, p, "?", how, fmt::format("{}-{}-death", setup.seed, index));
}

// The workers notice that nobody listens any more.
[[noreturn]] void stop_early(uint64_t index, const char* why) {
  fmt::print("program {}: {}\n", index, why);
  std::fflush(stdout);
  _exit(1);
}

// Programs on which the engines once differed; they must stay one mind.
int replay_saved(const Setup& setup) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(setup.replay))
    if (entry.path().extension() == ".litmus") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  int status = paths.empty() ? 1 : 0;
  for (const std::string& path : paths) {
    const auto tests = read::parse_file(path);
    if (!tests) stop(render(tests.error()));
    for (const prog::Test& test : *tests)
      for (const auto* known : models_for(setup.all, test))
        for (uint64_t lazy : {0, 1})
          for (const std::string& d :
               compare(test, known->second, setup.compare_options(test.syntax, known->first, true, lazy))
                   .disagreements) {
            fmt::print("{}: {}: {}\n", path, known->first, d);
            status = 1;
          }
  }
  fmt::print("{} saved programs\n", paths.size());
  return status;
}

int show_one(const Setup& setup) {
  Record record;
  const auto index = static_cast<uint64_t>(setup.only);
  const std::optional<Program> p = make(setup, index, record);
  if (!p) return 1;
  fmt::print("{}", render(*p));
  auto test = parse(*p);
  if (!test) stop(render(test.error()));
  for (const auto* known : models_for(setup.all, *test)) {
    const auto& [name, model] = *known;
    const Comparison c = compare(*test, model, setup.compare_options(p->syntax, name, true, index));
    fmt::print("{}: condition {}, races {}\n", name, c.condition ? fencepost::name(*c.condition) : "not decided",
               c.races ? fencepost::name(*c.races) : "not decided");
    for (size_t k = 0; k < bounds::k_rules; ++k)
      if (c.rules.test(k)) fmt::print("  rule: {}\n", bounds::name(static_cast<bounds::Rule>(k)));
    for (const std::string& d : c.disagreements) fmt::print("  {}\n", d);
  }
  const Record r = one(setup, index);
  return r.disagreements == 0 && r.unread == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Setup setup = read_arguments(argc, argv);
  load_models(setup);
  if (setup.only >= 0) return show_one(setup);
  if (!setup.replay.empty()) return replay_saved(setup);
  Statistics statistics;
  run_in_workers<Record>(
      setup.count, setup.jobs, 180, [&](uint64_t i) { return one(setup, i); },
      [&](uint64_t i, const Record& r) {
        statistics.add(r);
        if (setup.quick && (r.disagreements != 0 || r.unread != 0)) stop_early(i, "the engines disagree");
      },
      [&](uint64_t i, int status) {
        if (setup.quick) stop_early(i, "an engine ends its process");
        statistics.add_death();
        report_death(setup, i, status);
      });
  fmt::print("seed {}: {}", setup.seed, statistics.text());
  bool good = statistics.clean();
  if (setup.check_statistics)
    for (const std::string& sentence : statistics.too_rare()) {
      fmt::print("{}\n", sentence);
      good = false;
    }
  return good ? 0 : 1;
}
