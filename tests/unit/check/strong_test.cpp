// Strong fairness of `check`, held against the progress oracle, which decides AXB by its own states.
#include "reference/strong.h"

#include <gtest/gtest.h>

#include "axb/translate.h"
#include "base/job.h"
#include "cat/library.h"
#include "check/check.h"
#include "check/liveness.h"
#include "check/progress_option.h"
#include "fair/model.h"
#include "oracle/oracle.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

const char* const k_models[] = {"UNFAIR", "HSA", "OBE", "HSA_OBE", "LOBE", "FAIR"};

axb::Test random_test(Rng& rng, uint32_t locations) {
  axb::Test t;
  t.name = "random";
  for (uint32_t l = 0; l < locations; ++l) t.locations.push_back({std::string(1, static_cast<char>('x' + l)), 0});
  const auto threads = 2 + rng.below(2);
  for (uint64_t n = 0; n < threads; ++n) {
    axb::Thread th;
    const auto length = static_cast<uint32_t>(1 + rng.below(threads == 2 ? 3 : 2));
    for (uint32_t pc = 0; pc < length; ++pc) {
      axb::Instr i;
      i.location = static_cast<uint32_t>(rng.below(locations));
      i.exchanges = rng.chance(0.8);
      i.value = i.exchanges ? static_cast<axb::Value>(rng.below(2)) : 0;
      i.jump = rng.chance(0.5) ? pc : static_cast<uint32_t>(rng.below(length + 1));
      if (!i.exchanges && i.jump == pc + 1) i.jump = pc;
      i.check = axb::is_store(i, pc) ? 0 : static_cast<axb::Value>(rng.below(2));
      th.code.push_back(i);
    }
    t.threads.push_back(std::move(th));
  }
  return t;
}

bool oracle_passes(const axb::Test& t, const char* model, bool strong) {
  const auto pair = oracle::decide_both(t, fair::load_model(model).value(), {}).value().value();
  return strong ? pair.strong : pair.weak;
}

Options options_for(const prog::Test& t, const std::string& progress) {
  Options o;
  o.property = Property::termination;
  o.bound = 3;
  o.progress = parse_progress(progress, t.dialect).value();
  return o;
}

// One location: decided exactly, by states.
TEST(StrongFairness, OneLocationIsAsTheOracleSays) {
  Rng rng(23);
  uint32_t apart = 0, ends = 0;
  for (int k = 0; k < 50; ++k) {
    axb::Test t = random_test(rng, 1);
    if (k % 10 == 0) {  // a livelock: each undoes what the other waits for
      t.threads.resize(2);
      t.threads[0].code = {{.location = 0, .check = 1, .jump = 0, .exchanges = true, .value = 0}};
      t.threads[1].code = {{.location = 0, .check = 0, .jump = 0, .exchanges = true, .value = 1}};
      if (k % 20 == 0) std::swap(t.threads[0], t.threads[1]);
    }
    const vocab::Dialect dialect = k % 2 == 0 ? vocab::Dialect::ptx : vocab::Dialect::vulkan;
    const prog::Test p = axb::to_prog(t, dialect).value();
    const cat::Model m = cat::load_model(cat::default_model(dialect), dialect).value();
    for (const char* model : k_models) {
      const bool weak = oracle_passes(t, model, false), strong = oracle_passes(t, model, true);
      Job job;
      const Result r = termination(p, m, options_for(p, std::string("strong:") + model), job);
      EXPECT_EQ(r.verdict.status, strong ? Status::holds : Status::fails)
          << axb::to_text(t) << model << ": " << r.verdict.detail;
      EXPECT_EQ(r.verdict.status == Status::fails, r.lasso.has_value());
      apart += weak != strong;
      ends += strong;
    }
  }
  EXPECT_GT(apart, 10u) << "weak and strong fairness differ on some";
  EXPECT_GT(ends, 20u);
}

// Each engine by itself, on two locations too: what it decides is what the oracle says, or it decides nothing.
TEST(StrongFairness, NoEngineContradictsTheOracle) {
  Rng rng(5);
  uint32_t holds = 0, fails = 0;
  for (int k = 0; k < 30; ++k) {
    const axb::Test t = random_test(rng, 1 + k % 2);
    const prog::Test p = axb::to_prog(t, vocab::Dialect::ptx).value();
    const cat::Model m = cat::load_model("sc", vocab::Dialect::ptx).value();
    for (const char* model : {"OBE", "FAIR"}) {
      const bool strong = oracle_passes(t, model, true);
      const Options o = options_for(p, std::string("strong:") + model);
      Job job;
      for (const Result& r : {solve_termination(p, m, o, job), enumerate_termination(p, m, o, job)}) {
        if (r.verdict.status == Status::holds) {
          ++holds;
          EXPECT_TRUE(strong) << axb::to_text(t) << model;
        }
        if (r.verdict.status == Status::fails) {
          ++fails;
          EXPECT_FALSE(strong) << axb::to_text(t) << model;
        }
      }
    }
  }
  EXPECT_GT(holds, 5u);
  EXPECT_GT(fails, 5u);
}

// Compare-and-swaps as PTX, weakly and strongly fair; barriers are stores and checks by then, of several locations.
TEST(StrongFairness, CompareAndSwapsAreAsTheOracleSays) {
  const cat::Model m = cat::load_model(cat::default_model(vocab::Dialect::ptx), vocab::Dialect::ptx).value();
  const char* const k_ways[] = {"if (cas(x, 0, 1) != 0) goto 0;", "if (cas(x, 0, 1) == 0) goto end;",
                                "if (cas(x, 1, 0) != 1) goto 0;", "if (exch(x, 1) == 1) goto 0;"};
  for (const char* a : k_ways)
    for (const char* b : k_ways) {
      const std::string text = std::string("progress \"t\" x = 0; thread 0 { 0: ") + a +
                               " 1: x = 0; } thread 1 { 0: " + b + " 1: if (x == 1) goto 0; }";
      const axb::Test t = axb::parse(make_source("t.axb", text)).value().front();
      const prog::Test p = axb::to_prog(t, vocab::Dialect::ptx).value();
      for (const char* model : k_models)
        for (const bool strong : {false, true}) {
          Job job;
          const Result r = termination(p, m, options_for(p, std::string(strong ? "strong:" : "weak:") + model), job);
          EXPECT_EQ(r.verdict.status, oracle_passes(t, model, strong) ? Status::holds : Status::fails)
              << text << model << strong;
        }
    }
}

TEST(StrongFairness, BarriersAreAsTheOracleSays) {
  const axb::Test t = axb::parse(make_source("t.axb",
                                             "progress \"b\" x = 0; thread 0 { x = 1; barrier; } "
                                             "thread 1 { barrier; if (x == 0) goto end; }"))
                          .value()
                          .front();
  const prog::Test p = axb::to_prog(t, vocab::Dialect::ptx).value();
  const cat::Model m = cat::load_model("sc", vocab::Dialect::ptx).value();
  for (const char* model : k_models) {
    Job job;
    EXPECT_EQ(termination(p, m, options_for(p, model), job).verdict.status,
              oracle_passes(t, model, false) ? Status::holds : Status::fails)
        << model;
  }
}

TEST(StrongFairness, IsAskedForByAPrefix) {
  const auto strong = [](const char* text) {
    return reference::is_strong(parse_progress(text, vocab::Dialect::ptx).value());
  };
  EXPECT_TRUE(strong("strong:FAIR"));
  EXPECT_EQ(parse_progress("strong:FAIR", vocab::Dialect::ptx)->name, "strong:FAIR");
  EXPECT_FALSE(strong("weak:OBE"));
  EXPECT_FALSE(strong("OBE"));
  EXPECT_FALSE(parse_progress("strong:weak:FAIR", vocab::Dialect::ptx));
  EXPECT_FALSE(parse_progress("strong:", vocab::Dialect::ptx));
  EXPECT_FALSE(parse_progress("strong:nothing", vocab::Dialect::ptx));
}

// Workgroups of several threads under a model that chooses among workgroups: the promise is no set of threads.
TEST(StrongFairness, RefusesWhereThePromiseIsNoSetOfThreads) {
  const axb::Test t =
      axb::parse(make_source("t.axb",
                             "progress \"t\" x = 0; thread 0 { if (x == 0) goto 0; } thread 1 { x = 1; } "
                             "thread 2 { x = 1; }"))
          .value()
          .front();
  prog::Test p = axb::to_prog(t, vocab::Dialect::ptx).value();
  p.threads[1].scope = p.threads[0].scope;  // two in one workgroup
  const cat::Model m = cat::load_model(cat::default_model(p.dialect), p.dialect).value();
  Job job;
  EXPECT_EQ(termination(p, m, options_for(p, "strong:OBE"), job).verdict.status, Status::unsupported);
  EXPECT_EQ(termination(p, m, options_for(p, "strong:FAIR"), job).verdict.status, Status::holds);
}

}  // namespace
}  // namespace fencepost::check
