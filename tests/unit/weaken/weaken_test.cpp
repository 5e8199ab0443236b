// The laws of prog/weaken.h, on every bundled test and on hand-made ones.
#include "prog/weaken.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../../support/parsed.h"
#include "base/job.h"
#include "cat/library.h"
#include "check/check.h"
#include "print/litmus.h"
#include "prog/places.h"
#include "read/read.h"

namespace fencepost {
namespace {

namespace fs = std::filesystem;
using prog::Site;

std::vector<prog::Test> bundled(const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  for (const std::string& f : folders)
    for (const auto& e : fs::recursive_directory_iterator(std::string(FENCEPOST_SOURCE_DIR) + "/" + f))
      if (e.path().extension() == ".litmus") paths.push_back(e.path());
  std::sort(paths.begin(), paths.end());
  std::vector<prog::Test> out;
  for (const std::string& p : paths)
    if (auto t = read::parse_file(p)) out.push_back(std::move(t->front()));
  return out;
}

using support::parsed;

// Every form of every site alone, and all sites at their last form at once.
template <class Visit>
void each_variant(const prog::Test& t, const std::vector<Site>& sites, size_t most, Visit&& visit) {
  prog::Choice last(sites.size());
  for (size_t k = 0; k < sites.size(); ++k) {
    last[k] = static_cast<uint32_t>(sites[k].forms.size() - 1);
    const size_t stride = std::max<size_t>(1, sites[k].forms.size() / most);
    for (uint32_t f = 0; f < sites[k].forms.size(); f += static_cast<uint32_t>(stride)) {
      prog::Choice c(sites.size(), 0);
      c[k] = f;
      visit(prog::apply(t, sites, c), sites[k].forms[f].text);
    }
  }
  visit(prog::apply(t, sites, last), "all");
}

TEST(Weaken, EveryVariantPrintsAndParsesToItself) {
  size_t variants = 0;
  for (const prog::Test& t : bundled({"examples", "tests/corpus/ptx", "tests/corpus/vulkan", "tests/corpus/opencl"})) {
    if (read::parse_one(make_source("again.litmus", print::print(t))).value_or(prog::Test{}) != t)
      continue;  // emit's own tests
    for (const bool together : {true, false})
      for (const auto& sites : {prog::weakening_sites(t, {together}), prog::strengthening_sites(t, {together})})
        each_variant(t, sites, together ? 8 : 3, [&](const prog::Variant& v, const std::string& what) {
          const std::string text = print::print(v.test);
          const auto again = read::parse_one(make_source("again.litmus", text));
          ASSERT_TRUE(again.has_value()) << t.title << ": " << what << "\n" << render(again.error()) << text;
          // A fence that is added stands between an access and the look at its place, which the reader puts in front.
          EXPECT_TRUE(prog::without_place_checks(*again) == prog::without_place_checks(v.test))
              << t.title << ": " << what << "\n"
              << text;
          ++variants;
        });
  }
  EXPECT_GT(variants, 3000u);
}

TEST(Weaken, StepsUpAndDownAreInverse) {
  size_t pairs = 0;
  for (const prog::Test& t : bundled({"examples", "tests/corpus"})) {
    prog::Surroundings around = prog::surroundings_of(t);
    // Spelt-out defaults (OPENCL) are not taken back.
    const auto same = [](const prog::Shape& a, const prog::Shape& b) {
      return a.absent == b.absent && a.kind == b.kind && a.tags == b.tags && a.store_tags == b.store_tags;
    };
    for (const Site& s : prog::strengthening_sites(t, {true}))
      for (const prog::SiteForm& f : s.forms)
        for (const prog::Step& up : prog::stronger(t.syntax, f.shape, around)) {
          const auto down = prog::weaker(t.syntax, up.to, around.clusters);
          // volatile is relaxed.sys by another name: what lies above it comes down to relaxed.sys.
          EXPECT_TRUE(std::any_of(down.begin(), down.end(), [&](const prog::Step& d) { return same(d.to, f.shape); }))
              << t.title << ": " << f.shape.mnemonic << " < " << up.to.mnemonic;
          ++pairs;
        }
    for (const Site& s : prog::weakening_sites(t, {true}))
      for (const prog::SiteForm& f : s.forms)
        for (const prog::Step& down : prog::weaker(t.syntax, f.shape, around.clusters)) {
          if (down.to.absent || f.shape.kind == prog::Kind::barrier ||
              f.shape.mnemonic.find("volatile") != std::string::npos)
            continue;
          const auto up = prog::stronger(
              t.syntax, down.to,
              {{vocab::Tag::SC0, vocab::Tag::SC1, vocab::Tag::SC2, vocab::Tag::SC3}, true, true, {}, around.clusters});
          EXPECT_TRUE(std::any_of(up.begin(), up.end(), [&](const prog::Step& d) { return same(d.to, f.shape); }))
              << t.title << ": " << f.shape.mnemonic << " > " << down.to.mnemonic;
          ++pairs;
        }
  }
  EXPECT_GT(pairs, 1000u);
}

std::vector<std::string> forms(const Site& s) {
  std::vector<std::string> out;
  for (const prog::SiteForm& f : s.forms) out.push_back(f.text);
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Weaken, ScopesGoThroughTheClusterWhereThereIsOne) {
  const char* const code =
      " st.relaxed.gpu x, 1 | ld.acquire.sys r0, x ;\n fence.sc.cta | fence.acq_rel.gpu ;\nexists (P1:r0 = 1)\n";
  const auto texts = [&](const char* row) {
    std::vector<std::string> out;
    const auto t = parsed(std::string("PTX t\n{ x = 0; }\n ") + row + code);
    for (const Site& s : prog::weakening_sites(t, {false}))
      for (const prog::SiteForm& f : s.forms) out.push_back(f.text);
    for (const Site& s : prog::strengthening_sites(t, {false}))
      for (const prog::SiteForm& f : s.forms) out.push_back(f.text);
    return out;
  };
  const auto with = texts("P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 ;\n");
  const auto without = texts("P0@cta 0, gpu 0 | P1@cta 1, gpu 0 ;\n");
  const auto has = [](const std::vector<std::string>& all, const std::string& t) {
    return std::find(all.begin(), all.end(), t) != all.end();
  };
  for (const char* t :
       {"st.relaxed.cluster x, 1", "ld.acquire.cluster r0, x", "fence.sc.cluster", "fence.acq_rel.cluster"}) {
    EXPECT_TRUE(has(with, t)) << t;
    EXPECT_FALSE(has(without, t)) << t;
  }
  for (const char* t : {"st.relaxed.cta x, 1", "ld.acquire.cta r0, x", "fence.sc.gpu", "fence.acq_rel.cta"}) {
    EXPECT_TRUE(has(with, t)) << t;
    EXPECT_TRUE(has(without, t)) << t;
  }
}

TEST(Weaken, SitesOfPtx) {
  const prog::Test t = parsed(
      "PTX sites\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | ld.acquire.gpu r0, y ;\n"
      " fence.sc.gpu | bar.cta.sync 0 ;\n atom.acq_rel.cta.add r1, y, 1 | ld.volatile r1, x ;\n bar.cta.sync 0 | "
      "ld.weak r2, x ;\n"
      "exists (P1:r0 = 1)\n");
  const auto sites = prog::weakening_sites(t, {true});
  ASSERT_EQ(sites.size(), 5u);
  EXPECT_EQ(forms(sites[0]), (std::vector<std::string>{"fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.sc.cta",
                                                       "fence.sc.gpu", "nothing"}));
  EXPECT_EQ(sites[1].forms.size(), 4u);  // atom: acq_rel, acquire, release, relaxed, at cta
  EXPECT_EQ(sites[2].places, (std::vector<prog::Place>{{0, 3}, {1, 1}}));  // the barrier, of both threads
  EXPECT_EQ(sites[2].forms.size(), 2u);
  EXPECT_EQ(forms(sites[3]),
            (std::vector<std::string>{"ld.acquire.cta r0, y", "ld.acquire.gpu r0, y", "ld.relaxed.cta r0, y",
                                      "ld.relaxed.gpu r0, y", "ld.weak r0, y"}));
  EXPECT_EQ(forms(sites[4]), (std::vector<std::string>{"ld.relaxed.cta r1, x", "ld.relaxed.gpu r1, x",
                                                       "ld.volatile r1, x", "ld.weak r1, x"}));
}

TEST(Weaken, SitesOfGpuPtx) {
  const prog::Test t = parsed(
      "GPU_PTX sites\n{\n x = 0; y = 0;\n 0:.reg .s32 r0;\n}\n T0 ;\n st.volatile [x],1 ;\n membar.gl ;\n ld.cg.s32 "
      "r0,[y] ;\n"
      "ScopeTree (device (cta (warp T0)))\nexists (0:r0=0)\n");
  const auto sites = prog::weakening_sites(t, {true});
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[0].forms.size(), 2u);
  EXPECT_EQ(forms(sites[1]), (std::vector<std::string>{"membar.cta", "membar.gl", "nothing"}));
}

TEST(Weaken, SitesOfVulkan) {
  const prog::Test t = parsed(
      "VULKAN sites\n{ x=0; y=0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 ;\n st.av.dv.sc0 x, 1 | "
      "ld.atom.acq.dv.sc0.semsc0 r0, y ;\n"
      " membar.rel.dv.semsc0 | ld.vis.dv.sc0 r1, x ;\n st.atom.dv.sc0 y, 1 | ;\nexists (P1:r0 = 1)\n");
  const auto sites = prog::weakening_sites(t, {true});
  ASSERT_EQ(sites.size(), 5u);
  EXPECT_EQ(sites[0].forms.size(), 6u);  // four scopes, nonpriv, private
  EXPECT_EQ(sites[1].forms.size(), 5u);  // four scopes, nothing
  EXPECT_EQ(sites[2].forms.size(), 4u);  // stays atomic
  EXPECT_EQ(sites[3].forms.size(), 8u);  // order and scope
  EXPECT_EQ(sites[4].forms.size(), 6u);
}

TEST(Weaken, SitesOfOpenCl) {
  const prog::Test t = parsed(
      "OPENCL sites\n{ x=0; y=0; }\nP0@wg 0, dev 0 (global atomic_int* x, global int* y) {\n  *y = 1;\n"
      "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);\n"
      "  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);\n}\n"
      "P1@wg 1, dev 0 (global atomic_int* x, global int* y) {\n  int r0 = atomic_load(x);\n  int r1 = *y;\n}\n"
      "exists (P1:r0 = 1 /\\ P1:r1 = 0)\n");
  const auto sites = prog::weakening_sites(t, {true});
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].forms.size(), 3u);
  EXPECT_EQ(sites[1].forms.size(), 2u);
  EXPECT_EQ(sites[2].forms.size(), 6u);
}

TEST(Weaken, ThreadsOfOneCodeChangeTogether) {
  const prog::Test t = parsed(
      "PTX sb\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu x, 2 ;\n"
      " fence.sc.gpu | fence.sc.gpu ;\n ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, x ;\nexists (P0:r0 = 2)\n");
  EXPECT_EQ(prog::weakening_sites(t, {true}).size(), 3u);
  EXPECT_EQ(prog::weakening_sites(t, {false}).size(), 6u);
  const auto gaps = prog::strengthening_sites(t, {true});
  EXPECT_EQ(std::count_if(gaps.begin(), gaps.end(), [](const Site& s) { return s.gap; }), 1);
}

// What the specification promises, and the -spec models keep: a weaker form never takes an outcome away.
TEST(Weaken, WeakeningNeverForbidsMoreWhereTheModelPromisesIt) {
  struct Case {
    const char* folder;
    const char* model;
    vocab::Dialect dialect;
  };
  size_t compared = 0;
  for (const Case& c : {Case{"tests/corpus/ptx", "ptx-6.0", vocab::Dialect::ptx},
                        Case{"tests/corpus/vulkan", "vulkan", vocab::Dialect::vulkan}}) {
    const auto m = cat::load_model(c.model, c.dialect);
    ASSERT_TRUE(m.has_value());
    const auto reachable = [&](const prog::Test& t) {
      check::Options o;
      o.companion = false;
      Job job = Job::with_budget(10);
      return check::check(t, *m, o, job).reachable;
    };
    size_t k = 0;
    for (const prog::Test& t : bundled({c.folder})) {
      if (++k % 4 != 0 || t.quantifier == prog::Quantifier::forall || !reachable(t)) continue;
      const auto sites = prog::weakening_sites(t, {true});
      for (size_t s = 0; s < sites.size(); ++s) {
        if (t.instrs(sites[s].at().thread)[sites[s].at().instr].kind == prog::Kind::barrier)
          continue;  // they also wait
        for (const uint32_t f : sites[s].forms[0].weaker) {
          prog::Choice choice(sites.size(), 0);
          choice[s] = f;
          EXPECT_TRUE(reachable(prog::apply(t, sites, choice).test)) << t.title << ": " << sites[s].forms[f].text;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 40u);
}

}  // namespace
}  // namespace fencepost
