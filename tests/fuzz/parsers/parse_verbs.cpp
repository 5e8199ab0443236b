// libFuzzer target: any bytes as a test, and a question about it, answered in this process as the verbs answer it:
// check by either engine or both, races, termination, outcomes, explain, relax, refine. The first byte is the question.
// A question that takes more than 1.2 times its budget and a second is told on a line that begins with LATE.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "cat/library.h"
#include "cat/model.h"
#include "check/check.h"
#include "check/machine.h"
#include "print/litmus.h"
#include "read/read.h"
#include "refine/outcomes_of.h"
#include "refine/refinement.h"
#include "relax/relax.h"
#include "report/report.h"

using namespace fencepost;

namespace {

constexpr double k_budget = 0.1;

void shown(const Diagnostics& d) {
  if (render(d).empty()) std::abort();  // a refusal without a word
}

// The models that a test of the dialect is asked under.
const cat::Model* model_for(vocab::Dialect dialect, unsigned which) {
  static std::map<std::string, Expected<cat::Model>> loaded;
  static const std::map<vocab::Dialect, std::vector<std::string>> names = {
      {vocab::Dialect::ptx, {"ptx-7.5", "ptx-6.0", "ptx-8"}},
      {vocab::Dialect::vulkan, {"vulkan"}},
      {vocab::Dialect::opencl, {"opencl", "cuda"}}};
  const auto of = names.find(dialect);
  if (of == names.end()) return nullptr;
  const std::string& name = of->second[which % of->second.size()];
  auto at = loaded.find(name);
  if (at == loaded.end()) {
    at = loaded.emplace(name, cat::load_model(name, dialect)).first;
  }
  if (!at->second) std::abort();  // FENCEPOST_MODELS is not set
  return &*at->second;
}

void ask(const prog::Test& test, const cat::Model& model, unsigned question) {
  check::Options o;
  o.bound = 1 + question / 64;
  Job job = Job::with_budget(k_budget);
  if (check::is_machine(model)) return;
  switch (question % 12) {
    case 0:
    case 1:
      o.engine = check::Engine::enumerate;
      (void)check::check(test, model, o, job);
      return;
    case 2:
    case 3:
      o.engine = check::Engine::solve;
      (void)check::check(test, model, o, job);
      return;
    case 4:
      o.engine = check::Engine::both;
      (void)check::check(test, model, o, job);
      return;
    case 5:
    case 6:
      o.property = check::Property::races;
      (void)check::check(test, model, o, job);
      return;
    case 7:
      o.property = check::Property::termination;
      o.auto_bound = true;
      (void)check::check(test, model, o, job);
      return;
    case 8:
      (void)refine::outcomes_of(test, model, o, job);
      return;
    case 9:
      (void)report::explain("fuzz", test, model, o, {}, job);
      return;
    case 10: {
      relax::Options r;
      r.check = o;
      const relax::Session session(test, model, r, job);
      return;
    }
    default:
      if (const auto found = refine::refine(test, test, model, o, job); !found)
        shown(found.error());
      else if (found->verdict.status == Status::fails)
        std::abort();  // a test does what itself does
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const unsigned question = data[0];
  const auto tests =
      read::parse(make_source("fuzz.litmus", std::string(reinterpret_cast<const char*>(data) + 1, size - 1)));
  if (!tests) {
    shown(tests.error());
    return 0;
  }
  for (const prog::Test& test : *tests) {
    const cat::Model* model = model_for(test.dialect, question / 12);
    if (model == nullptr || !check::fits(test, *model)) continue;
    const auto begin = std::chrono::steady_clock::now();
    ask(test, *model, question);
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (spent > 1.2 * k_budget + 1) std::fprintf(stderr, "LATE: question %u, %.2f s\n", question, spent);
  }
  return 0;
}
