// fuzz_certificates: random programs under shipped and random models; each answer of `enumerate` must have a
// certificate that the verifier accepts, and the opposite answer must have none.
//
//   --seed S --count N   programs S/0 ... S/N-1
//   --folder DIR         where certificates are written (and overwritten)
//   --least N            at least so many wrong answers must have been refused, and as many right ones certified
//
// What this holds against each other: the readers, the model language, the relations and the encoding of the verifier,
// which share no code with fencepost, and the enumeration whose executions the reference interpreter replays. Exit
// status 0: no difference.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/read_file.h"
#include "cat/library.h"
#include "catalogue.h"
#include "certify/certify.h"
#include "check/check.h"
#include "program.h"
#include "random_model.h"

using namespace fencepost;
using namespace fencepost::fuzz;

namespace {

struct Counts {
  uint64_t certified[2] = {0, 0};  // unreachable, reachable
  uint64_t refused = 0, undecided = 0, wrong_refused = 0, unread = 0, differences = 0;
  std::map<std::string, uint64_t> why;
};

struct Judged {
  std::string name, text;
  const cat::Model* model = nullptr;
};

void look(const prog::Test& test, const std::string& text, const Judged& by, bool races, const std::string& folder,
          Counts& n) {
  check::Options o;
  o.engine = check::Engine::enumerate;
  o.property = races ? check::Property::races : check::Property::condition;
  Job job = Job::with_budget(1);
  const check::Result result = check::enumerate(test, *by.model, o, job);
  if (result.verdict.status != Status::holds && result.verdict.status != Status::fails) {
    ++n.undecided;
    return;
  }
  const bool reachable = races ? result.verdict.status == Status::fails : result.reachable;
  certify::Request r;
  r.test_name = "fuzz.litmus";
  r.test_text = text;
  r.model_name = by.name;
  r.model_text = by.text;
  const auto prelude = read_file(fmt::format("{}/prelude-{}.cat", cat::models_dir(), vocab::name(test.dialect)));
  if (prelude) r.prelude_text = (*prelude)->text;
  r.version = "fuzz";
  r.races = races;
  r.bound = o.bound.largest();
  for (const bool claim : {reachable, !reachable}) {
    Job time = Job::with_budget(20);
    const auto made = certify::certify(r, claim, folder, time);
    using Kind = certify::Made::Kind;
    const Kind kind = made ? made->kind : Kind::faulty;
    if (kind == Kind::not_certified || kind == Kind::gave_up) {
      ++n.refused;
      ++n.why[made->why];
      return;
    }
    if (claim == reachable && kind == Kind::written) {
      ++n.certified[reachable ? 1 : 0];
    } else if (claim != reachable && kind == Kind::disagrees) {
      ++n.wrong_refused;
    } else {
      ++n.differences;
      fmt::print("{}\n{}\nmodel {}, {}: the answer is '{}', the claim '{}': {}\n{}\n", text,
                 by.name.starts_with("random") ? by.text : "", by.name, races ? "races" : "condition",
                 reachable ? "reachable" : "unreachable", claim ? "reachable" : "unreachable", static_cast<int>(kind),
                 made ? made->why : "");
      return;
    }
  }
}

Expected<std::string> text_of(const std::string& name) {
  const auto path = cat::find_model(name);
  if (!path) return std::unexpected(path.error());
  const auto text = read_file(*path);
  if (!text) return std::unexpected(text.error());
  return (*text)->text;
}

void one(uint64_t seed, uint64_t index, const Catalogue& all, const std::string& folder, Counts& n) {
  Rng rng(seed * 0x9e3779b97f4a7c15u + index * 2 + 1);
  Program p = index % 3 == 0 ? generate_ptx(rng) : index % 3 == 1 ? generate_vulkan(rng) : generate_opencl(rng);
  p.title = fmt::format("fuzz-{}-{}", seed, index);
  if (!give_question(rng, p, all, 1)) {
    ++n.unread;
    return;
  }
  const std::string text = render(p);
  const auto test = parse(p);
  if (!test) {
    ++n.unread;
    return;
  }
  for (const Named* known : models_for(all, *test)) {
    if (known->first.find('~') != std::string::npos) continue;
    const auto model_text = text_of(known->first);
    if (!model_text) continue;
    for (const bool races : {false, true})
      look(*test, text, {known->first, *model_text, &known->second}, races, folder, n);
  }
  const std::string random =
      fmt::format("\"random\"\n(* dialect: {} *)\n", vocab::name(test->dialect)) + random_model(rng, test->dialect);
  cat::LoadOptions o;
  o.dialect = test->dialect;
  o.prelude = fmt::format("{}/prelude-{}.cat", cat::models_dir(), vocab::name(test->dialect));
  const auto model = cat::load_text(make_source("random.cat", random), o);
  if (!model) return;
  for (const bool races : {false, true}) look(*test, text, {"random", random, &*model}, races, folder, n);
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t seed = 1, count = 30, least = 0;
  std::string folder = "certificate";
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string a = argv[k];
    if (a == "--seed")
      seed = std::stoull(argv[k + 1]);
    else if (a == "--count")
      count = std::stoull(argv[k + 1]);
    else if (a == "--least")
      least = std::stoull(argv[k + 1]);
    else if (a == "--folder")
      folder = argv[k + 1];
    else
      return 2;
  }
  const auto all = load_catalogue({});
  if (!all) {
    fmt::print("{}", render(all.error()));
    return 2;
  }
  Counts n;
  for (uint64_t i = 0; i < count; ++i) one(seed, i, *all, folder, n);
  fmt::print(
      "seed {}: {} unreachable and {} reachable answers certified, {} wrong answers refused, {} not in the certified "
      "part, "
      "{} undecided, {} unread, {} differences\n",
      seed, n.certified[0], n.certified[1], n.wrong_refused, n.refused, n.undecided, n.unread, n.differences);
  for (const auto& [why, times] : n.why) fmt::print("  {} x {}\n", times, why);
  const bool enough = n.wrong_refused >= least && n.certified[0] + n.certified[1] >= least;
  return n.differences == 0 && enough ? 0 : 1;
}
