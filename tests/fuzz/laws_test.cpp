// Each law is kept by the program as it is, and notices a fault that is planted in what it asks.
#include "laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cat/library.h"
#include "catalogue.h"
#include "read/read.h"
#include "variant.h"

namespace fencepost::fuzz {
namespace {

using Fault = std::function<void(Deciders&)>;

Program message_passing() {
  Program p;
  p.title = "mp";
  p.init = {"x = 0", "y = 0"};
  p.threads = {{"@cta 0,gpu 0", {"st.weak x, 1", "st.release.gpu y, 1"}},
               {"@cta 1,gpu 0", {"ld.acquire.gpu r0, y", "ld.weak r1, x"}}};
  p.question = {prog::Quantifier::not_exists, false, {{{1, "r0", "1"}, {1, "r1", "0"}}}};
  return p;
}
Program filtered() {
  Program p = message_passing();
  p.filter = {{1, "r0", "1"}};
  p.question.disjuncts = {{{1, "r1", "0"}}};
  return p;
}
Program waiting() {
  Program p = message_passing();
  // Two rounds, and no fewer.
  p.threads[1].items = {"add r3, 0, 0", "LC00:", "add r3, r3, 1", "bne r3, 2, LC00", "ld.weak r1, x"};
  p.question = {prog::Quantifier::exists, false, {{{1, "r1", "1"}}}};
  p.classes = {"spin loop"};
  return p;
}
Program barriers() {
  Program p = message_passing();
  p.threads = {{"@cta 0,gpu 0", {"st.weak x, 1", "bar.cta.sync 1"}},
               {"@cta 0,gpu 0", {"bar.cta.sync 1", "ld.weak r1, x"}}};
  p.question.disjuncts = {{{1, "r1", "0"}}};
  return p;
}
Program exchange() {
  Program p;
  p.syntax = prog::Syntax::opencl;
  p.title = "cas";
  p.parameters = "global atomic_int* x, global int* y";
  p.init = {"[x] = 0", "[y] = 0"};
  p.threads = {{"@wg 0, dev 0", {"*y = 1;", "atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);"}},
               {"@wg 1, dev 0",
                {"int r0 = 0;",
                 "int r1 = atomic_compare_exchange_strong_explicit(x, &r0, 2, memory_order_acq_rel, "
                 "memory_order_acquire, memory_scope_device);",
                 "if (r0 == 1) { int r2 = *y; }"}}};
  p.question = {prog::Quantifier::exists, false, {{{1, "r0", "1"}}}};
  return p;
}

// Turns the verdict round where the test is such.
Fault wrong_where(const std::function<bool(const prog::Test&, const check::Options&)>& such) {
  return [such](Deciders& d) {
    d.check = [such](const auto& t, const auto& m, const auto& o, Job& job) {
      check::Result r = check::check(t, m, o, job);
      if (such(t, o)) r.verdict.status = r.verdict.status == Status::holds ? Status::fails : Status::holds;
      return r;
    };
  };
}
bool has(const prog::Test& t, const std::function<bool(const prog::Instr&)>& such) {
  return std::any_of(t.templates.begin(), t.templates.end(),
                     [&](const auto& k) { return std::any_of(k.code.begin(), k.code.end(), such); });
}

struct Bite {
  const char* law;
  Program program;
  Fault fault;
};

std::vector<Bite> bites() {
  return {
      {"permuted", message_passing(),
       wrong_where([](const auto& t, const auto&) { return t.instrs(0).front().kind == prog::Kind::store; })},
      {"renamed", message_passing(),
       wrong_where([](const auto& t, const auto&) { return t.symbols.front().name == "m_x"; })},
      {"unrelated", message_passing(), wrong_where([](const auto& t, const auto&) { return t.objects.size() > 2; })},
      {"outcomes", message_passing(),
       [](Deciders& d) {
         d.outcomes = [](const auto& t, const auto& m, const auto& o, Job& job) {
           check::Outcomes out = check::outcomes(t, m, o, job);
           out.findings.clear();
           return out;
         };
       }},
      {"outcomes", message_passing(), wrong_where([](const auto&, const auto&) { return true; })},
      {"refine", message_passing(),
       [](Deciders& d) {
         d.refine = [](const auto& s, const auto& t, const auto& m, const auto& o, Job& job) {
           auto r = refine::refine(s, t, m, o, job);
           r->verdict.status = r->verdict.status == Status::holds ? Status::fails : Status::holds;
           return r;
         };
       }},
      {"relax", message_passing(),  // too weak
       [](Deciders& d) {
         d.relax = [](const auto& t, const auto& m, const auto& o, Job& job) {
           Relaxed r = real_deciders().relax(t, m, o, job);
           if (!r.weaker.empty()) r.result = r.weaker.front();
           return r;
         };
       }},
      {"relax", message_passing(),  // not weak enough
       [](Deciders& d) {
         d.relax = [](const auto& t, const auto& m, const auto& o, Job& job) {
           Relaxed r = real_deciders().relax(t, m, o, job);
           r.weaker.push_back(r.result);
           return r;
         };
       }},
      {"filter", filtered(),  // ignored
       [](Deciders& d) {
         d.outcomes = [](const auto& t, const auto& m, check::Options o, Job& job) {
           o.filter = false;
           return check::outcomes(t, m, o, job);
         };
       }},
      {"bound", waiting(),  // an unfinished search taken for a finished one
       [](Deciders& d) {
         d.check = [](const auto& t, const auto& m, const auto& o, Job& job) {
           check::Result r = check::check(t, m, o, job);
           if (r.verdict.status == Status::unknown && o.bound.all == 1) r.verdict.status = Status::fails;
           return r;
         };
       }},
      {"options", message_passing(), wrong_where([](const auto&, const check::Options& o) { return !o.symmetry; })},
      {"registers", barriers(), wrong_where([](const auto& t, const auto&) {
         return has(t, [](const auto& i) { return i.barrier.by_value(); });
       })},
      {"exchanges", exchange(), wrong_where([](const auto& t, const auto&) {
         return has(t, [](const auto& i) { return i.kind == prog::Kind::rmw; });
       })},
      {"versions", message_passing(),
       [](Deciders& d) {
         d.check = [](const auto& t, const auto& m, const auto& o, Job& job) {
           check::Result r = check::check(t, m, o, job);
           if (m.path.find("ptx-9") != std::string::npos)
             r.verdict.status = r.verdict.status == Status::holds ? Status::fails : Status::holds;
           return r;
         };
       }},
      {"numbers", exchange(),  // a sign that is not seen
       wrong_where([](const auto& t, const auto&) { return t.objects.front().is_unsigned; })},
  };
}

const Law& named(const std::string& name) {
  return *std::find_if(laws().begin(), laws().end(), [&](const Law& l) { return l.name == name; });
}

cat::Model model_for(const Program& p) {
  const bool ptx = p.syntax == prog::Syntax::ptx;
  return *cat::load_model(ptx ? "ptx-7.5" : "opencl", ptx ? prog::Dialect::ptx : prog::Dialect::opencl);
}

// Of a few draws of the law, each is kept without the fault, and one shows the fault.
TEST(FuzzLaws, EachLawNoticesAFault) {
  std::set<std::string> seen;
  for (const Bite& b : bites()) {
    const cat::Model model = model_for(b.program);
    Deciders faulty = real_deciders();
    b.fault(faulty);
    bool noticed = false;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      const Finding f = named(b.law).look({b.program, model, real_deciders(), 5, seed});
      EXPECT_NE(f.kind, Finding::Kind::broken) << b.law << ": " << f.sentence;
      noticed = noticed || named(b.law).look({b.program, model, faulty, 5, seed}).kind == Finding::Kind::broken;
    }
    EXPECT_TRUE(noticed) << b.law;
    seen.insert(b.law);
  }
  EXPECT_EQ(seen.size(), laws().size()) << "a law without a fault";
}

// A verdict whose loops may end by values out of thin air says that it takes none to do so: that bound 2 finds such an
// end is no fault of bound 1, and a lost execution of any other test is one.
TEST(FuzzLaws, EndsOutOfThinAirAreAnAssumption) {
  Program p = exchange();
  p.threads = {
      {"@wg 0, dev 0",
       {"int r0 = 0;", "while (r0 == 0) { r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device); }",
        "atomic_store_explicit(z, 1, memory_order_relaxed, memory_scope_device);"}},
      {"@wg 1, dev 0",
       {"int r0 = atomic_load_explicit(z, memory_order_relaxed, memory_scope_device);",
        "if (r0 == 1) { atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device); }"}}};
  p.parameters = "global atomic_int* x, global atomic_int* z";
  p.init = {"[x] = 0", "[z] = 0"};
  p.question = {prog::Quantifier::exists, false, {{{1, "r0", "1"}}}};
  p.classes = {"spin loop"};
  const cat::Model model = model_for(p);
  const auto test = read::parse_one(make_source("p.litmus", render(p)));
  ASSERT_TRUE(test) << render(test.error());
  Job job;
  check::Options o;
  o.engine = check::Engine::enumerate;
  o.companion = false;
  o.bound = 1;
  const check::Result low = check::check(*test, model, o, job);
  o.bound = 2;
  const check::Result high = check::check(*test, model, o, job);
  ASSERT_FALSE(low.execution) << name(low.verdict.status);
  ASSERT_TRUE(high.execution) << "the two bounds differ";
  for (uint64_t seed = 1; seed <= 8; ++seed)
    for (const char* law : {"bound", "options"}) {
      const Finding f = named(law).look({p, model, real_deciders(), 5, seed});
      EXPECT_NE(f.kind, Finding::Kind::broken) << law << ": " << f.sentence;
    }
}

// What the variants are made of is really another text.
TEST(FuzzLaws, VariantsAreOtherPrograms) {
  const Program p = barriers();
  EXPECT_EQ(render(permuted(permuted(p, {1, 0}).program, {1, 0}).program), render(p));
  EXPECT_NE(render(permuted(p, {1, 0}).program), render(p));
  EXPECT_NE(render(renamed(p).program).find("bar.cta.sync 0"), std::string::npos);
  EXPECT_NE(render(renamed(p).program).find("m_x"), std::string::npos);
  EXPECT_EQ(renamed(p).called("1:r12"), "1:r1");
  EXPECT_NE(render(with_register_barriers(p, true)->program).find("bar.cta.sync r90"), std::string::npos);
  EXPECT_NE(
      render(with_failing_exchanges(exchange())->second).find("r0 = atomic_load_explicit(x, memory_order_acquire"),
      std::string::npos);
}

// Two compare-exchanges that each write what the other has written may succeed on a value that nobody writes first:
// opencl without coherence allows it, so that "they expect what does not occur" is no law there.
TEST(FuzzLaws, ExchangesThatWriteWhatWasReadAreNoLaw) {
  Program p = exchange();
  p.threads[0].items = {"int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_all_svm_devices);",
                        "int r2 = 0;",
                        "int r1 = atomic_compare_exchange_strong_explicit(x, &r2, r0, memory_order_release, "
                        "memory_order_relaxed, memory_scope_device);"};
  p.threads[1].items = p.threads[0].items;
  p.question = {prog::Quantifier::exists, false, {{{0, "r1", "1"}}}};
  EXPECT_FALSE(with_failing_exchanges(p));
  Program expecting = p;
  for (auto& t : expecting.threads) t.items[1] = "int r2 = 77;";
  auto test = read::parse_one(make_source("thin.litmus", render(expecting)));
  ASSERT_TRUE(test);
  for (const auto& [name, status] : {std::pair{"opencl", Status::fails}, {"opencl~coherence-global", Status::holds}}) {
    const auto model = load_named(name, prog::Dialect::opencl, {});
    ASSERT_TRUE(model);
    for (const check::Engine engine : {check::Engine::solve, check::Engine::enumerate}) {
      check::Options o;
      o.engine = engine;
      Job job = Job::with_budget(20);
      EXPECT_EQ(check::check(*test, *model, o, job).verdict.status, status) << name << " " << check::name(engine);
    }
  }
  p = exchange();
  EXPECT_TRUE(with_failing_exchanges(p));
  p.threads[0].items.push_back("atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);");
  EXPECT_FALSE(with_failing_exchanges(p));
  p = exchange();
  p.threads[1].items.push_back("*y = r0;");
  EXPECT_FALSE(with_failing_exchanges(p));
}

}  // namespace
}  // namespace fencepost::fuzz
