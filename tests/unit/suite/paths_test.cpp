// Paths of asynchronous PTX: names are read back, every path of the enumeration is a test, known ones have the verdict
// that examples/ptx9 give theirs, and the minimal ones have mutants that are allowed.
#include "cycle/paths.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/job.h"
#include "base/read_file.h"
#include "cat/library.h"
#include "prog/test.h"
#include "read/read.h"
#include "suite/conformance.h"
#include "suite/decide.h"
#include "suite/mutate.h"

namespace fencepost::gen {
namespace {

cat::Model ptx9() {
  auto m = cat::load_model("ptx-9", vocab::Dialect::ptx);
  EXPECT_TRUE(m.has_value());
  return std::move(*m);
}

TEST(Paths, NamesAreReadBackAndEveryPathIsATest) {
  std::set<std::string> names, used;
  enumerate_paths([&](const Path& p) {
    const std::string n = name(p);
    EXPECT_TRUE(names.insert(n).second) << n;
    const auto back = parse_path(n);
    EXPECT_TRUE(back && *back == p) << n;
    const auto test = make_test(p, {});
    EXPECT_TRUE(test.has_value()) << n << "\n" << (test ? "" : render(test.error()));
    if (!test) return false;
    EXPECT_EQ(test->title, n);
    used.insert(p.edges.begin(), p.edges.end());
    used.insert({p.first, p.last});
    return true;
  });
  EXPECT_GT(names.size(), 1000u);
  for (const std::string& a : path_accesses()) EXPECT_TRUE(used.contains(a)) << a;
  for (const std::string& e : path_edges())
    if (!e.starts_with("fence") && !e.ends_with(".unwaited")) EXPECT_TRUE(used.contains(e)) << e;
}

// Of a program with undefined behaviour nothing is promised: it forbids nothing, though no execution reaches what it
// asks for. A data race of PTX is a finding, and takes nothing away.
TEST(Paths, UndefinedProgramsForbidNothing) {
  const cat::Model model = ptx9();
  const auto asked = [&](const std::string& file) {
    const auto text = read_file(std::string(FENCEPOST_SOURCE_DIR) + "/examples/ptx9/" + file + ".litmus");
    EXPECT_TRUE(text.has_value()) << file;
    const auto test = read::parse_one(*text);
    EXPECT_TRUE(test.has_value()) << file;
    Job job;
    return ask(*test, model, {}, job).reach;
  };
  EXPECT_EQ(asked("mbarrier-old-token"), Reach::racy);
  EXPECT_EQ(asked("mbarrier-init-twice"), Reach::racy);
  EXPECT_EQ(asked("mbarrier-too-many-arrivals"), Reach::racy);
  EXPECT_EQ(asked("bulk+mbarrier"), Reach::forbidden);
  for (const char* path : {"st.async+mbar+arrive+st", "st.async+mbar+cluster+st", "st.async+mbar+flag+st"}) {
    Job job;
    const SuitePart part = minimal_path(*parse_path(path), model, {}, job);
    EXPECT_FALSE(part.base_forbidden) << path;
    EXPECT_TRUE(part.entries.empty()) << path;
  }
}

// Kind by kind: completion by mbarrier, by group, by wait; every proxy fence; every way to another thread.
TEST(Paths, KnownOnesHaveTheirVerdict) {
  const cat::Model model = ptx9();
  const std::map<std::string, Reach> known = {
      {"bulk.load+mbar+ld", Reach::forbidden},
      {"bulk.load+mbar.relaxed+ld", Reach::allowed},
      {"bulk.load+mbar.relaxed+fence.acquire+ld", Reach::forbidden},
      {"bulk.load+ld", Reach::allowed},
      {"bulk.load+mbar.unwaited+ld", Reach::allowed},
      {"st+arrive.unwaited+ld", Reach::allowed},
      {"bulk.store+group+ld", Reach::forbidden},
      {"bulk.store+group.read+ld", Reach::allowed},
      {"bulk.store.source+group.read+st", Reach::forbidden},
      {"bulk.store.source+st", Reach::allowed},
      {"bulk.reduce+group+ld", Reach::forbidden},
      {"bulk.reduce+ld", Reach::allowed},
      {"cp.async+wait+ld", Reach::forbidden},
      {"cp.async+ld", Reach::allowed},
      {"cp.async+mbar+ld", Reach::forbidden},
      {"st.async+mbar+ld", Reach::forbidden},
      {"st.async+mbar.relaxed+ld", Reach::allowed},
      {"red.async+mbar+ld", Reach::forbidden},
      {"st+bar+bulk.store.source", Reach::allowed},
      {"st+proxy+bar+bulk.store.source", Reach::forbidden},
      {"st+proxy.shared+bar+bulk.store.source", Reach::forbidden},
      {"st+proxy.global+bar+bulk.store.source", Reach::allowed},
      {"st+bar+proxy+bulk.store.source", Reach::forbidden},
      {"st+proxy.release+bar+proxy.acquire+bulk.store.source", Reach::forbidden},
      {"st+proxy.release+bar+bulk.store.source", Reach::allowed},
      {"ld+arrive+bulk.load", Reach::allowed},
      {"ld+proxy+arrive+bulk.load", Reach::forbidden},
      {"ld+proxy+arrive.relaxed+bulk.load", Reach::allowed},
      {"ld+proxy+flag+bulk.load", Reach::forbidden},
      {"st+cluster+ld", Reach::forbidden},
      {"st+cluster.relaxed+ld", Reach::allowed},
      {"st+fence.release+flag.relaxed+fence.acquire+ld", Reach::forbidden},
  };
  for (const auto& [n, reach] : known) {
    const auto p = parse_path(n);
    ASSERT_TRUE(p.has_value()) << n << render(p.error());
    const auto test = make_test(*p, {});
    ASSERT_TRUE(test.has_value()) << n << render(test.error());
    Job job = Job::with_budget(60);
    EXPECT_EQ(ask(*test, model, {}, job).reach, reach) << n;
  }
}

TEST(Paths, MinimalOnesHaveMutantsThatAreAllowed) {
  const cat::Model model = ptx9();
  const auto part = [&](const char* n) {
    Job job = Job::with_budget(60);
    return minimal_path(*parse_path(n), model, {}, job);
  };
  for (const char* n : {"bulk.load+mbar+ld", "st+proxy+bar+bulk.store.source", "bulk.store.source+group.read+st"}) {
    const SuitePart p = part(n);
    ASSERT_EQ(p.entries.size(), 1u) << n << p.undecided;
    TestOptions o;
    o.quantifier = prog::Quantifier::not_exists;
    auto all = mutants(p.entries[0].test, std::nullopt, o);
    for (Mutant& m : path_mutants(*p.entries[0].path, o)) all.push_back(std::move(m));
    EXPECT_FALSE(all.empty()) << n;
    if (p.entries[0].path->edges[0] == "mbar") {
      const auto dropped =
          std::find_if(all.begin(), all.end(), [](const Mutant& m) { return m.what == "mbar -> nothing"; });
      ASSERT_NE(dropped, all.end());
      EXPECT_EQ(dropped->mutator, Mutator::presence);
      EXPECT_EQ(dropped->test.title, "bulk.load+mbar.unwaited+ld");
      for (const prog::Thread& t : dropped->test.threads)
        for (const prog::Instr& i : dropped->test.instrs(t.id)) EXPECT_EQ(i.mnemonic.find("wait"), std::string::npos);
    }
    for (const Mutant& m : all) {
      Job job = Job::with_budget(60);
      EXPECT_EQ(ask(m.test, model, {}, job).reach, Reach::allowed) << n << ": " << m.what;
    }
  }
  // One fence too many, and one too few.
  EXPECT_TRUE(part("st+proxy+bar+ld").entries.empty());
  EXPECT_FALSE(part("st+bar+bulk.store.source").base_forbidden);
}

TEST(Paths, WhatIsNoPathIsRefusedByName) {
  for (const auto& [n, why] :
       std::map<std::string, std::string>{{"ld+bar+ld", "neither access"},
                                          {"bulk.load+group+ld", "'group' tells nothing of 'bulk.load'"},
                                          {"bulk.load+bar+bulk.store", "no location in common"},
                                          {"st+bar+cluster+ld", "different CTAs"},
                                          {"st+proxi+bar+ld", "did you mean proxy?"},
                                          {"st+bar+red.async", "does not end a path"},
                                          {"st.async+ld", "one thread"}}) {
    const auto p = parse_path(n);
    ASSERT_FALSE(p.has_value()) << n;
    EXPECT_NE(render(p.error()).find(why), std::string::npos) << n << render(p.error());
  }
  TestOptions o;
  o.syntax = prog::Syntax::vulkan;
  EXPECT_FALSE(make_test(*parse_path("st+bar+ld"), o).has_value());
}

}  // namespace
}  // namespace fencepost::gen
