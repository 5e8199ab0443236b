// ptx-9 says what ptx-8 says of tests without the new instructions, and both engines agree on random tests with them.
// FENCEPOST_PTX9_LAWS=N asks about N tests of each kind, FENCEPOST_PTX9_SEED=K about others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "base/job.h"
#include "cat/library.h"
#include "check/check.h"
#include "cycle/cycle.h"
#include "cycle/families.h"
#include "cycle/test.h"
#include "print/litmus.h"
#include "prog/weaken.h"
#include "read/read.h"

namespace fencepost {
namespace {

namespace fs = std::filesystem;

size_t asked(size_t usual) {
  const char* n = std::getenv("FENCEPOST_PTX9_LAWS");
  return n == nullptr ? usual : std::strtoull(n, nullptr, 10);
}

uint64_t seed(uint64_t usual) {
  const char* k = std::getenv("FENCEPOST_PTX9_SEED");
  return usual + (k == nullptr ? 0 : 1000003 * std::strtoull(k, nullptr, 10));
}

cat::Model model(const std::string& name) {
  auto m = cat::load_model(name, vocab::Dialect::ptx);
  EXPECT_TRUE(m.has_value()) << (m ? "" : render(m.error()));
  return m ? std::move(*m) : cat::Model{};
}

Status verdict(const prog::Test& t, const cat::Model& m, check::Property p, check::Engine e) {
  check::Options o;
  o.engine = e;
  o.property = p;
  Job job = Job::with_budget(30);
  return check::check(t, m, o, job).verdict.status;
}

// Cycles of two and three threads in every placement, and the bundled tests, which have proxies, aliases and atomics.
std::vector<prog::Test> older_tests() {
  std::vector<prog::Test> out;
  for (const char* folder : {"ptx", "ptx-spec"})
    for (const auto& e :
         fs::recursive_directory_iterator(std::string(FENCEPOST_SOURCE_DIR) + "/tests/corpus/" + folder))
      if (e.path().extension() == ".litmus")
        if (auto t = read::parse_file(e.path()))
          for (prog::Test& one : *t) out.push_back(std::move(one));
  for (uint32_t threads : {2u, 3u}) {
    gen::FamilyRequest r;
    r.least_threads = r.most_threads = threads;
    r.relations = {*gen::parse_kind("Fence.sc.gpu"), *gen::parse_kind("Po")};
    gen::Node read, write;
    read.scope = write.scope = gen::Scope::gpu;
    read.sem = gen::Sem::acquire;
    write.sem = gen::Sem::release;
    r.reads = {read};
    r.writes = {write};
    r.placement = gen::FamilyRequest::Placement::all;
    gen::TestOptions o;
    o.syntax = prog::Syntax::ptx;
    const auto made = gen::enumerate(r, [&](const gen::Spec& spec) {
      if (auto t = gen::make_test(spec, o)) out.push_back(std::move(*t));
      return out.size() < 4000;
    });
    EXPECT_TRUE(made.has_value());
  }
  return out;
}

prog::Test weakened(const prog::Test& base, Rng& rng) {
  const auto sites = prog::weakening_sites(base, {.together = false});
  if (sites.empty()) return base;
  prog::Choice choice(sites.size());
  for (size_t i = 0; i < sites.size(); ++i)
    choice[i] = rng.chance(0.5) ? 0 : static_cast<uint32_t>(rng.below(sites[i].forms.size()));
  return prog::apply(base, sites, choice).test;
}

TEST(Ptx9, SaysWhatPtx8SaysOfOlderTests) {
  const cat::Model older = model("ptx-8"), newer = model("ptx-9");
  const std::vector<prog::Test> bases = older_tests();
  ASSERT_GT(bases.size(), 100u);
  Rng rng(seed(98));
  size_t allowed = 0, raced = 0;
  const size_t n = asked(300);
  for (size_t k = 0; k < n; ++k) {
    const prog::Test t = weakened(bases[rng.below(bases.size())], rng);
    for (check::Property p : {check::Property::condition, check::Property::races}) {
      const Status a = verdict(t, older, p, check::Engine::solve), b = verdict(t, newer, p, check::Engine::solve);
      ASSERT_EQ(a, b) << print::print(t);
      allowed += p == check::Property::condition && a == Status::holds;
      raced += p == check::Property::races && a == Status::fails;
    }
  }
  fmt::print("{} older tests: {} allowed, {} with races\n", n, allowed, raced);
  EXPECT_GT(allowed, n / 20);
  EXPECT_GT(raced, n / 20);
}

// ---- random tests of the new instructions ----------------------------------------------------------------------

// r, s: registers of the line.
const char* const k_lines[] = {
    "st.weak x, 1",
    "st.relaxed.cluster x, 2",
    "ld.weak r{0}, x",
    "ld.acquire.cluster r{0}, x",
    "ld.weak r{0}, s",
    "st.weak s, 3",
    "ld.relaxed.gpu r{0}, g",
    "st.relaxed.gpu g, 4",
    "red.relaxed.gpu.add g, 1",
    "fence.release.cluster",
    "fence.acquire.cluster",
    "fence.sc.gpu",
    "fence.release.sync_restrict::shared::cta.cluster",
    "fence.acquire.sync_restrict::shared::cluster.cluster",
    "fence.mbarrier_init.release.cluster",
    "fence.proxy.async",
    "fence.proxy.async.global",
    "fence.proxy.async.shared::cta",
    "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [m]",
    "mbarrier.arrive.shared::cluster.b64 _, [m]",
    "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [m], 16",
    "mbarrier.test_wait.parity.shared::cta.b64 r{0}, [m], 0",
    "mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 r{0}, [m], 0",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [g], 16, [m]",
    "cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16",
    "cp.async.bulk.commit_group",
    "cp.async.bulk.wait_group 0",
    "cp.async.bulk.wait_group.read 0",
    "cp.async.ca.shared::cta.global [s], [g], 8",
    "cp.async.wait_all",
    "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m]",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [g], [s], 16",
    "st.async.release.sys.global.b64 [g], 5",
    "red.async.release.gpu.global.add.u64 [g], 1",
    "st.relaxed.gpu.v2.b64 {{x, g}}, {{1, 1}}",
    "ld.weak.v2.b64 {{r{0}, r{1}}}, {{x, g}}",
    "bar.warp.sync 0xffffffff",
    "mbarrier.init.shared::cta.b64 [m], 1",
    "mbarrier.inval.shared::cta.b64 [m]",
    "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [m], 16",
    "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [m], 16",
    "mbarrier.arrive.noComplete.shared::cta.b64 r{0}, [m], 1",
    "mbarrier.arrive_drop.shared::cluster.b64 _, [m]",
    "mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _, [m], 16",
    "mbarrier.test_wait.shared::cta.b64 r{0}, [m], 0",
    "cp.async.commit_group",
    "cp.async.wait_group 0",
    "cp.async.mbarrier.arrive.shared::cta.b64 [m]",
    "cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [g], [s], 16",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [s], [u], 16, [m]",
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [g, {{0}}], [m]",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [s], 5, [m]",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [s], 1, [m]",
    "fence.proxy.tensormap::generic.release.gpu",
    "fence.proxy.tensormap::generic.acquire.gpu [g], 128",
    "fence.proxy.alias",
    "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster",
    "fence.proxy.generic::fabric.alias.release.sys",
    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [d, {{0}}], [m]",
    "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [d, {{0}}], [s]",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [d, {{0}}], [s]",
    "tensormap.replace.tile.global_address.global.b1024.b64 [d], 1",
    "cp.async.bulk.prefetch.L2.global [g], 16",
    "multimem.st.relaxed.gpu.b64 [mm], 4",
    "multimem.red.release.gpu.add.u64 [mm], 1",
    "multimem.ld_reduce.acquire.gpu.add.u64 r{0}, [mm]",
    "multimem.cp.async.bulk.global.shared::cta.bulk_group [mm], [s], 16",
    "multimem.st.async.release.gpu.global.b64 [mm], 5",
};
const char* const k_places[][2] = {
    {"cta 0, cluster 0, gpu 0", "cta 0, cluster 0, gpu 0"},
    {"cta 0, cluster 0, gpu 0", "cta 1, cluster 0, gpu 0"},
    {"warp 0, cta 0, cluster 0, gpu 0", "warp 0, cta 0, cluster 0, gpu 0"},
};

std::string random_text(Rng& rng) {
  std::vector<std::string> columns[2];
  uint32_t registers = 0;
  for (auto& column : columns)
    for (size_t k = 2 + rng.below(2); k-- > 0; ++registers)
      column.push_back(fmt::format(fmt::runtime(k_lines[rng.below(std::size(k_lines))]), registers, registers + 10));
  if (rng.chance(0.3))
    for (auto& column : columns) {
      const auto at = column.begin() + static_cast<std::ptrdiff_t>(rng.below(column.size() + 1));
      const std::string arrive = rng.chance(0.5) ? "barrier.cluster.arrive" : "barrier.cluster.arrive.relaxed";
      column.insert(column.insert(at, "barrier.cluster.wait"), arrive);
    }
  const auto& places = k_places[rng.below(std::size(k_places))];
  std::string out = fmt::format(
      "PTX random\n{{ x = 0; g = 7; y = 2; d @ tensormap g, x; mm @ multimem g, y; s @ shared P0 = 9; u @ shared P1 = "
      "3; "
      "m @ mbarrier P0 = {}; }}\n P0@{} | P1@{} ;\n",
      1 + rng.below(2), places[0], places[1]);
  for (size_t k = 0; k < std::max(columns[0].size(), columns[1].size()); ++k)
    out += fmt::format(" {} | {} ;\n", k < columns[0].size() ? columns[0][k] : "",
                       k < columns[1].size() ? columns[1][k] : "");
  std::vector<std::string> asked;  // registers that are read into
  for (size_t t = 0; t < 2; ++t)
    for (const std::string& line : columns[t])
      for (size_t at = line.find('r'); at != std::string::npos; at = line.find('r', at + 1))
        if (at + 1 < line.size() && std::isdigit(static_cast<unsigned char>(line[at + 1])) != 0 &&
            (line[at - 1] == ' ' || line[at - 1] == '{'))
          asked.push_back(fmt::format("P{}:{}", t, line.substr(at, line.find_first_of(",}", at) - at)));
  const uint64_t values[] = {0, 1, 3, 7, 9};
  std::string question = fmt::format("~(g = {})", values[rng.below(5)]);
  if (!asked.empty()) question = fmt::format("{} = {}", asked[rng.below(asked.size())], values[rng.below(5)]);
  return out + fmt::format("exists ({} /\\ ~(s = {}))\n", question, values[rng.below(5)]);
}

// How many of the programs have each instruction, by its mnemonic.
class Histogram {
 public:
  Histogram() {
    for (const char* line : k_lines) {
      const std::string text = line;
      programs_[text.substr(0, text.find(' '))] = 0;
    }
  }
  void add(const std::string& text) {
    ++all_;
    std::set<std::string> words;
    std::istringstream in(text);
    for (std::string w; in >> w;) words.insert(w);
    for (auto& [mnemonic, n] : programs_) n += words.contains(mnemonic) ? 1 : 0;
  }
  // Percent of the rarest; all are printed.
  double least() const {
    double out = 100;
    for (const auto& [mnemonic, n] : programs_) {
      const double percent = 100.0 * static_cast<double>(n) / static_cast<double>(std::max<size_t>(all_, 1));
      fmt::print("{:5.1f} %  {}\n", percent, mnemonic);
      out = std::min(out, percent);
    }
    fmt::print("each of {} kinds in {:.1f} % or more of {} programs\n", programs_.size(), out, all_);
    return out;
  }

 private:
  std::map<std::string, size_t> programs_;
  size_t all_ = 0;
};

TEST(Ptx9, EnginesAgreeOnRandomTestsOfNewInstructions) {
  const cat::Model models[] = {
      model("ptx-9"), model("ptx-9[P2=intended,P3=writer,P4=alone,PW=causal]"),
      model("ptx-9[P2=strict,A1=destination,A2=ordered,M1=widened,M2=cta,SC=no,WARP=no,MM=same,PW=own]")};
  Rng rng(seed(909));
  Histogram kinds;
  size_t read = 0, allowed = 0, flagged = 0, late = 0;
  const size_t n = asked(150);
  for (size_t k = 0; k < n; ++k) {
    const std::string text = random_text(rng);
    const auto t = read::parse_one(make_source("random.litmus", text));
    if (!t) continue;  // a form that this place has not
    ++read;
    kinds.add(text);
    const auto again = read::parse_one(make_source("again.litmus", print::print(*t)));
    ASSERT_TRUE(again.has_value()) << render(again.error()) << print::print(*t);
    ASSERT_EQ(*again, *t) << text << print::print(*t);
    const cat::Model& m = models[k % std::size(models)];
    for (check::Property p : {check::Property::condition, check::Property::races}) {
      const Status a = verdict(*t, m, p, check::Engine::enumerate), b = verdict(*t, m, p, check::Engine::solve);
      ASSERT_NE(b, Status::gave_up) << text;
      if (a == Status::gave_up) {  // seven operations on one mbarrier have 7! orders
        ++late;
        continue;
      }
      ASSERT_EQ(a, b) << text;
      allowed += p == check::Property::condition && a == Status::holds;
      flagged += p == check::Property::races && a == Status::fails;
    }
  }
  fmt::print("{} of {} read: {} allowed, {} with flags, {} not enumerated in 30 s\n", read, n, allowed, flagged, late);
  EXPECT_LE(late, n / 100);
  EXPECT_GT(read, n / 2);
  EXPECT_GT(allowed, n / 50);
  EXPECT_GT(flagged, n / 5);
  // Of few programs the share of a kind says little: four standard deviations.
  EXPECT_GE(kinds.least(), 5.0 - 4 * std::sqrt(5.0 * 95.0 / static_cast<double>(std::max<size_t>(read, 1))));
}

// A thread issues, another goes round a loop that may see it.
std::string random_loop(Rng& rng) {
  static constexpr const char* issued[] = {
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 16",
      "mbarrier.arrive.shared::cta.b64 _, [m]",
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 16",
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [m]",
      "cp.async.bulk.relaxed.gpu.shared::cta.global.mbarrier::complete_tx::bytes.b128 [s], [g], 16, [m]",
      "cp.async.bulk.relaxed.cluster.shared::cta.global.mbarrier::complete_tx::bytes.b128 [s], [g], 16, [m]",
      "cp.async.bulk.global.shared::cta.bulk_group [h], [s], 16",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [h], [s], 16",
      "cp.async.ca.shared::cta.global [s], [g], 8",
      "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m]",
      "st.async.release.sys.global.b64 [h], 5",
      "st.relaxed.gpu h, 1",
      "st.weak s, 3",
      "fence.proxy.async",
  };
  static constexpr const char* seen[] = {"mbarrier.try_wait.parity.shared::cta.b64 r0, [m], 0",
                                         "mbarrier.test_wait.parity.shared::cta.b64 r0, [m], 1",
                                         "ld.relaxed.gpu r0, s",
                                         "ld.weak r0, s",
                                         "ld.relaxed.sys r0, h",
                                         "ld.relaxed.cta r0, h"};
  std::string out = fmt::format(
      "PTX loop\n{{ g = 7; h = 0; s @ shared P0 = 0; m @ mbarrier P0 = {}; }}\n P0@cta 0, gpu 0 | P1@cta 0, gpu 0 ;\n",
      1 + rng.below(2));
  std::vector<std::string> loop = {"L:", seen[rng.below(std::size(seen))], "beq r0, 0, L"};
  if (rng.chance(0.4)) loop.insert(loop.end(), {"M:", seen[rng.below(std::size(seen))], "beq r0, 0, M"});
  std::vector<std::string> issues;
  for (size_t k = 1 + rng.below(4); k-- > 0;) issues.emplace_back(issued[rng.below(std::size(issued))]);
  for (size_t k = 0; k < std::max(loop.size(), issues.size()); ++k)
    out += fmt::format(" {} | {} ;\n", k < issues.size() ? issues[k] : "", k < loop.size() ? loop[k] : "");
  return out + "exists (P1:r0 = 1)\n";
}

TEST(Ptx9, EnginesAgreeOnWhatEnds) {
  const cat::Model m = model("ptx-9");
  Rng rng(seed(4711));
  size_t ends = 0, goes_on = 0;
  const size_t n = asked(150);
  for (size_t k = 0; k < n; ++k) {
    const std::string text = random_loop(rng);
    const auto t = read::parse_one(make_source("random.litmus", text));
    ASSERT_TRUE(t.has_value()) << render(t.error()) << text;
    const Status a = verdict(*t, m, check::Property::termination, check::Engine::enumerate),
                 b = verdict(*t, m, check::Property::termination, check::Engine::solve);
    ASSERT_EQ(a, b) << text;
    ends += a == Status::holds;
    goes_on += a == Status::fails;
  }
  EXPECT_GT(ends, n / 20);
  EXPECT_GT(goes_on, n / 20);
}

}  // namespace
}  // namespace fencepost
