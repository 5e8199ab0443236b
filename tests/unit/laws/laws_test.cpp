// Laws that hold for every program, checked on every bundled test with the solving engine (the corpus test
// holds it to the other one): the order of threads does not matter, fewer axioms never allow less, and a
// fence that is stronger or wider never allows more where the model promises that.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "base/job.h"
#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost {
namespace {

namespace fs = std::filesystem;

std::vector<prog::Test> bundled(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& e : fs::recursive_directory_iterator(std::string(FENCEPOST_SOURCE_DIR) + "/tests/corpus/" + folder))
    if (e.path().extension() == ".litmus") paths.push_back(e.path());
  std::sort(paths.begin(), paths.end());
  std::vector<prog::Test> out;
  for (const std::string& p : paths)
    if (auto t = read::parse_file(p))
      for (prog::Test& one : *t) out.push_back(std::move(one));
  return out;
}

cat::Model model(const std::string& name, vocab::Dialect d) {
  auto m = cat::load_model(name, d);
  EXPECT_TRUE(m.has_value()) << (m ? "" : render(m.error()));
  return std::move(*m);
}

Status verdict(const prog::Test& t, const cat::Model& m, check::Property p) {
  check::Options o;
  o.engine = check::Engine::solve;
  o.property = p;
  Job job = Job::with_budget(20);
  return check::check(t, m, o, job).verdict.status;
}

bool reachable(const prog::Test& t, const cat::Model& m) {
  check::Options o;
  o.engine = check::Engine::solve;
  o.companion = false;
  Job job = Job::with_budget(20);
  return check::check(t, m, o, job).reachable;
}

void rename_threads(prog::Cond& c, const std::vector<uint32_t>& now) {
  for (prog::CondValue* v : {&c.lhs, &c.rhs})
    if (v->kind == prog::CondValue::Kind::reg) v->thread = now[v->thread];
  for (prog::Cond& k : c.kids) rename_threads(k, now);
}

// Thread i of the result is thread order[i] of the argument.
prog::Test permuted(const prog::Test& t, const std::vector<uint32_t>& order) {
  prog::Test out = t;
  std::vector<uint32_t> now(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    out.threads[i] = t.threads[order[i]];
    out.threads[i].id = i;
    now[order[i]] = i;
  }
  for (auto& [a, b] : out.ssw) a = now[a], b = now[b];
  auto each = [&](prog::Cond& c) {
    if (c.kind == prog::Cond::Kind::always) return;
    rename_threads(c, now);
  };
  each(out.filter);
  each(out.condition);
  for (prog::CondValue& v : out.locations)
    if (v.kind == prog::CondValue::Kind::reg) v.thread = now[v.thread];
  return out;
}

struct Case {
  const char* folder;
  const char* model;
  vocab::Dialect dialect;
};
const Case k_cases[] = {{"ptx", "ptx-6.0", vocab::Dialect::ptx},
                        {"ptx", "ptx-7.5", vocab::Dialect::ptx},
                        {"vulkan", "vulkan", vocab::Dialect::vulkan},
                        {"opencl", "opencl", vocab::Dialect::opencl}};

TEST(Laws, TheOrderOfThreadsDoesNotMatter) {
  size_t compared = 0;
  for (const Case& c : k_cases) {
    const cat::Model m = model(c.model, c.dialect);
    for (const prog::Test& t : bundled(c.folder)) {
      if (t.threads.size() < 2) continue;
      std::vector<uint32_t> order(t.threads.size());
      std::iota(order.begin(), order.end(), 0u);
      std::reverse(order.begin(), order.end());
      const prog::Test other = permuted(t, order);
      for (check::Property p : {check::Property::condition, check::Property::races}) {
        EXPECT_EQ(verdict(t, m, p), verdict(other, m, p)) << t.title << " under " << c.model;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 400u);
}

TEST(Laws, FewerAxiomsNeverAllowLess) {
  size_t compared = 0;
  for (const Case& c : k_cases) {
    const cat::Model m = model(c.model, c.dialect);
    const std::vector<prog::Test> tests = bundled(c.folder);
    for (size_t a = 0; a < m.axioms.size(); ++a) {
      if (m.axioms[a].flag) continue;
      cat::Model weaker = m;
      weaker.axioms.erase(weaker.axioms.begin() + static_cast<std::ptrdiff_t>(a));
      for (size_t i = a % 5; i < tests.size(); i += 5) {
        if (!reachable(tests[i], m)) continue;
        EXPECT_TRUE(reachable(tests[i], weaker))
            << tests[i].title << " without " << m.axioms[a].name << " of " << c.model;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100u);
}

// The scope .cluster is .gpu where all CTAs of a device are in one cluster, and .cta where each is in one of its own.
TEST(Laws, AClusterOfAllIsTheDeviceAndOneOfOneIsTheCta) {
  using vocab::Tag;
  const cat::Model m = model("ptx-8", vocab::Dialect::ptx);
  size_t compared = 0, allowed = 0;
  for (const char* folder : {"ptx", "ptx-spec"})
    for (const prog::Test& t : bundled(folder))
      for (const Tag replaced : {Tag::GPU, Tag::CTA}) {
        prog::Test other = t;
        for (prog::Template& k : other.templates)
          for (prog::Instr& i : k.code)
            for (prog::TagSet* tags : {&i.tags, &i.store_tags})
              if (tags->has(replaced)) tags->remove(replaced).add(Tag::CLUSTER);
        if (!prog::has_cluster_scope(other)) continue;
        for (uint32_t k = 0; k < other.threads.size(); ++k) {
          const auto& path = other.threads[k].scope;
          if (replaced == Tag::GPU) other.threads[k].cluster = 7;
          if (replaced == Tag::CTA && k % 2 == 0 && path.size() > 2) other.threads[k].cluster = 10 + path[2];
          for (uint32_t o = 0; o < k; ++o)
            if (other.threads[o].scope == path) other.threads[k].cluster = other.threads[o].cluster;
        }
        for (check::Property p : {check::Property::condition, check::Property::races}) {
          const Status a = verdict(t, m, p), b = verdict(other, m, p);
          EXPECT_EQ(a, b) << t.title << " with .cluster for " << vocab::name(replaced);
          ++compared;
          allowed += a == Status::holds;
        }
      }
  EXPECT_GT(compared, 150u);
  EXPECT_GT(allowed, 30u);
}

// PTX ISA 8.7: a fence with a wider scope includes the synchronisation of a narrower one; fence.sc includes
// fence.acq_rel.
// The second holds of the models that read patterns as the text does (-spec).
TEST(Laws, WiderAndStrongerFencesNeverAllowMore) {
  using vocab::Tag;
  size_t compared = 0;
  for (const char* name : {"ptx-6.0", "ptx-7.5"}) {
    const cat::Model m = model(name, vocab::Dialect::ptx);
    for (const prog::Test& t : bundled("ptx")) {
      prog::Test wider = t;
      prog::Test stronger = t;
      bool has_fence = false;
      for (size_t k = 0; k < t.templates.size(); ++k)
        for (size_t i = 0; i < t.templates[k].code.size(); ++i) {
          const prog::Instr& in = t.templates[k].code[i];
          if (in.kind != prog::Kind::fence || !(in.tags.has(Tag::ACQ_REL) || in.tags.has(Tag::SC))) continue;
          has_fence = true;
          wider.templates[k].code[i].tags.remove(Tag::CTA).remove(Tag::GPU).add(Tag::SYS);
          stronger.templates[k].code[i].tags.remove(Tag::ACQ_REL).add(Tag::SC);
        }
      if (!has_fence) continue;
      for (const prog::Test* more : {&wider, &stronger}) {
        if (!reachable(*more, m)) continue;
        EXPECT_TRUE(reachable(t, m)) << t.title << " under " << name << (more == &wider ? ", wider" : ", stronger");
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10u);
}

}  // namespace
}  // namespace fencepost
