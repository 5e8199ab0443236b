// fuzz_laws: random programs of every notation, held against laws that know no right answer (laws.h).
//
//   --seed S --count N      programs S/0 ... S/N-1; the same numbers give the same programs
//   --only I                just program I, printed, with what each law says
//   --law NAME              that law alone
//   --seconds T             time for each question (default 2)
//   -j N                    processes
//   --save DIR              where shrunk programs go that break a law
//
// Exit status 0: no law is broken, no death of an engine, every program read, and no law is idle on all programs.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "alike.h"
#include "catalogue.h"
#include "laws.h"
#include "shrink.h"
#include "workers.h"

using namespace fencepost;
using namespace fencepost::fuzz;

namespace {

constexpr size_t k_laws = 16;  // at most

struct Setup {
  uint64_t seed = 1, count = 100;
  int64_t only = -1;
  double seconds = 2;
  unsigned jobs = 1;
  std::string law, save = "disagreements";
  Catalogue all;
};

struct Looked {
  uint8_t kept[k_laws] = {}, broken[k_laws] = {};
  bool unread = false;
};

[[noreturn]] void stop(const std::string& sentence) {
  fmt::print(stderr, "fuzz_laws: {}\n", sentence);
  std::exit(2);
}

Setup read_arguments(int argc, char** argv) {
  Setup s;
  for (int i = 1; i < argc; i += 2) {
    const std::string a = argv[i];
    if (i + 1 >= argc) stop("unknown option or missing value: " + a);
    const std::string v = argv[i + 1];
    if (a == "--seed")
      s.seed = std::stoull(v);
    else if (a == "--count")
      s.count = std::stoull(v);
    else if (a == "--only")
      s.only = std::stoll(v);
    else if (a == "--law")
      s.law = v;
    else if (a == "--seconds")
      s.seconds = std::stod(v);
    else if (a == "-j")
      s.jobs = static_cast<unsigned>(std::stoul(v));
    else if (a == "--save")
      s.save = v;
    else
      stop("unknown option " + a);
  }
  return s;
}

uint64_t seed_of(const Setup& s, uint64_t index) { return s.seed * 0x9e3779b97f4a7c15u + index * 2 + 1; }

// Filters are frequent here, and copies as rare as in fuzz_engines.
Expected<Program> make(const Setup& s, uint64_t index, Rng& rng) {
  Program p = generate(rng);
  if (index % 4 == 3) make_alike(rng, p);
  p.title = fmt::format("laws-{}-{}", s.seed, index);
  if (const auto asked = give_question(rng, p, s.all, s.seconds, 0.35); !asked) return std::unexpected(asked.error());
  return p;
}

void save(const Setup& s, const Law& law, const Named& model, const Program& p, uint64_t seed,
          const std::string& file) {
  const auto broken = [&](const Program& q) {
    return parse(q) && law.look({q, model.second, real_deciders(), s.seconds, seed}).kind == Finding::Kind::broken;
  };
  limit_time(600);  // shrinking may take its time
  const Program small = broken(p) ? shrink(p, broken, 300) : p;
  const Finding f = law.look({small, model.second, real_deciders(), s.seconds, seed});
  std::string text = render(small);
  text.insert(text.find('\n') + 1, fmt::format("(* model {}, law {}: {} *)\n", model.first, law.name, f.sentence));
  std::error_code ignored;
  std::filesystem::create_directories(s.save, ignored);
  const std::string path = fmt::format("{}/{}.litmus", s.save, file);
  std::ofstream(path) << text;
  fmt::print(stderr, "{}\n{}\n", path, text);
}

Looked look(const Setup& s, uint64_t index) {
  Looked out;
  Rng rng(seed_of(s, index));
  const auto p = make(s, index, rng);
  const auto test = p ? parse(*p) : std::unexpected(p.error());
  if (!test) {
    fmt::print(stderr, "program {} is not read:\n{}\n", index, render(test.error()));
    out.unread = true;
    return out;
  }
  const auto models = models_for(s.all, *test);
  if (models.empty()) return out;
  const Named& model = *models[rng.below(models.size())];
  if (s.only >= 0) fmt::print("{}{}\n", render(*p), model.first);
  for (size_t k = 0; k < laws().size(); ++k) {
    const Law& law = laws()[k];
    if (!s.law.empty() && s.law != law.name) continue;
    const uint64_t seed = seed_of(s, index) + k;
    const Finding f = law.look({*p, model.second, real_deciders(), s.seconds, seed});
    if (s.only >= 0)
      fmt::print("  {}: {}\n", law.name,
                 f.kind == Finding::Kind::idle   ? "-"
                 : f.kind == Finding::Kind::kept ? "kept"
                                                 : f.sentence);
    out.kept[k] = f.kind == Finding::Kind::kept;
    out.broken[k] = f.kind == Finding::Kind::broken;
    if (out.broken[k] && s.only < 0) save(s, law, model, *p, seed, fmt::format("{}-{}-{}", s.seed, index, law.name));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  Setup s = read_arguments(argc, argv);
  auto all = load_catalogue({});
  if (!all) stop(render(all.error()));
  s.all = std::move(*all);
  if (s.only >= 0) {
    const Looked l = look(s, static_cast<uint64_t>(s.only));
    return l.unread || std::any_of(std::begin(l.broken), std::end(l.broken), [](uint8_t b) { return b != 0; }) ? 1 : 0;
  }
  uint64_t kept[k_laws] = {}, broken[k_laws] = {}, unread = 0, deaths = 0;
  run_in_workers<Looked>(
      s.count, s.jobs, 300, [&](uint64_t i) { return look(s, i); },
      [&](uint64_t, const Looked& l) {
        for (size_t k = 0; k < k_laws; ++k) kept[k] += l.kept[k], broken[k] += l.broken[k];
        unread += l.unread ? 1 : 0;
      },
      [&](uint64_t i, int status) {
        fmt::print(stderr, "program {} ends its process{}\n", i, out_of_time(status) ? " (too slow)" : "");
        ++deaths;
      });
  fmt::print("seed {}: {} programs, {} not read, {} deaths\n", s.seed, s.count, unread, deaths);
  bool good = unread == 0 && deaths == 0;
  for (size_t k = 0; k < laws().size(); ++k) {
    if (!s.law.empty() && s.law != laws()[k].name) continue;
    fmt::print("  {}: kept {}, broken {}\n", laws()[k].name, kept[k], broken[k]);
    good = good && broken[k] == 0 && (kept[k] != 0 || s.count < 100);
  }
  return good ? 0 : 1;
}
