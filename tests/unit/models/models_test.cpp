// The shipped models as files: they load, quickly, without findings, and say of themselves what is true.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/job.h"
#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

std::string header(const std::string& text, const std::string& key) {
  const std::string open = "(* " + key + ": ";
  const size_t a = text.find(open);
  if (a == std::string::npos) return "";
  const size_t b = text.find(" *)", a);
  return text.substr(a + open.size(), b - a - open.size());
}

const vocab::Dialect k_dialects[] = {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl};

TEST(Models, TheNamedOnesAreThere) {
  std::set<std::string> names;
  for (const auto& m : cat::shipped_models()) names.insert(m.name);
  for (const char* n : {"sc",
                        "ptx-6.0",
                        "ptx-7.5",
                        "vulkan",
                        "vulkan-nochains",
                        "opencl",
                        "rmo-scoped",
                        "ptx-7.5-asplos24",
                        "vulkan-asplos24",
                        "ptx-6.0-tables",
                        "ptx-7.5-tables",
                        "ptx-8",
                        "ptx-9",
                        "vulkan-tables",
                        "vulkan-nochains-tables",
                        "opencl-tables",
                        "opencl-3.1",
                        "opencl-popl16",
                        "vulkan-alloy",
                        "vulkan-alloy-nochains",
                        "cuda",
                        "cuda-volatile"})
    EXPECT_TRUE(names.contains(n)) << n;
}

TEST(Models, LoadWithoutFindings) {
  for (const auto& m : cat::shipped_models()) {
    const std::string text = text_of(m.path);
    for (vocab::Dialect d : k_dialects) {
      if (!header(text, "dialect").empty() && d != m.dialect) continue;
      const cat::LoadOptions options = cat::options_for(m.path, d);
      EXPECT_EQ(options.dialect, d) << m.path;
      auto loaded = cat::load_file(m.path, options);
      ASSERT_TRUE(loaded) << render(loaded.error());
      for (const auto& f : cat::lint(m.path, options)) ADD_FAILURE() << f.rule << " " << render(f.diagnostic);
    }
  }
}

TEST(Models, HeadersNameEveryAxiom) {
  for (const auto& m : cat::shipped_models()) {
    const std::string text = text_of(m.path);
    EXPECT_FALSE(m.summary.empty()) << m.path;
    EXPECT_NE(text.find("Provenance"), std::string::npos) << m.path;
    EXPECT_NE(text.find("Known gaps"), std::string::npos) << m.path;
    auto loaded = cat::load_model(m.name, m.dialect);
    ASSERT_TRUE(loaded) << render(loaded.error());
    std::set<std::string> said, real;
    std::istringstream words(header(text, "axioms"));
    for (std::string w; words >> w;) said.insert(w);
    for (const auto& a : loaded->axioms)
      if (a.span.source && a.span.source->name == m.path) real.insert(a.name);
    EXPECT_EQ(said, real) << m.path;
    for (const std::string& a : real)  // the provenance block speaks of each axiom by name
      EXPECT_NE(text.find(a, text.find("Provenance")), std::string::npos) << m.path << ": " << a;
  }
}

// Tables 1 and 2 and figures 4 and 8 of the ASPLOS 2024 paper: their names are there for models that include ours.
TEST(Models, NamesOfTheAsplosPaper) {
  const auto loads = [](const char* include, vocab::Dialect dialect, const std::vector<std::string>& relations,
                        const std::vector<std::string>& sets) {
    std::string text = fmt::format("(* dialect: {} *)\ninclude \"{}\"\n", vocab::name(dialect), include);
    for (const auto& r : relations) text += fmt::format("irreflexive {0} \\ {0}\n", r);
    for (const auto& s : sets) text += fmt::format("empty {0} \\ {0}\n", s);
    const auto path =
        std::filesystem::temp_directory_path() / fmt::format("names-{}-{}.cat", vocab::name(dialect), getpid());
    std::ofstream(path) << text;
    const auto loaded = cat::load_model(path.string(), dialect);
    std::filesystem::remove(path);
    EXPECT_TRUE(loaded) << render(loaded.error());
  };
  loads("ptx-7.5-asplos24.cat", vocab::Dialect::ptx,
        {"sr", "scta", "vloc", "sync_barrier", "sync_fence", "ms1", "ms2", "ms3", "same-proxy", "morally-strong",
         "observation", "release-pattern", "acquire-pattern", "sync", "cause-base", "proxy-fence-ops",
         "proxy-preserved-cause-base", "cause"},
        {"strong-write", "strong-read", "strong-m", "strong-operation"});
  loads("vulkan-asplos24.cat", vocab::Dialect::vulkan,
        {"ssg",        "swg",      "sqf",      "ssw",        "vloc",       "syncbar",      "inscope",
         "mutordatom", "avvisSem", "avvisSet", "avvisinc",   "posctosem",  "posemtosc",    "asmo",
         "rs",         "hypors",   "sw",       "ithbsemsc0", "ithbsemsc1", "ithbsemsc01",  "hb",
         "avsg",       "avwg",     "avqf",     "avsh",       "avdv",       "vissg",        "viswg",
         "visqf",      "vissh",    "visdv",    "locord",     "w-locord",   "non-rmw-reads"},
        {"PRIV", "SEMSC01", "AVSG", "AVWG", "AVQF", "AVSHADER", "VISSG", "VISWG", "VISQF", "VISSHADER"});
}

// A relation of the prelude is empty in no execution that reaches the state, or may be: asked by a model that says
// nothing else.
TEST(Models, NamesOfThePtxPrelude) {
  const auto reached = [](const std::string& axiom, const std::string& test) {
    const auto path = std::filesystem::temp_directory_path() / fmt::format("of-prelude-{}.cat", getpid());
    std::ofstream(path) << "(* dialect: ptx *)\n(* instructions: asynchronous *)\nempty " << axiom << " as asked\n";
    const auto model = cat::load_model(path.string(), vocab::Dialect::ptx);
    std::filesystem::remove(path);
    if (!model) return std::string("error: ") + render(model.error());
    const auto t = read::parse_one(make_source("t.litmus", "PTX t\n" + test));
    if (!t) return std::string("error: ") + render(t.error());
    std::string out;
    for (check::Engine e : {check::Engine::enumerate, check::Engine::solve}) {
      check::Options o;
      o.engine = e;
      Job job = Job::with_budget(30);
      out += check::check(*t, *model, o, job).verdict.status == Status::holds ? "yes " : "no ";
    }
    return out;
  };
  const std::string one = "{ x = 0; }\n P0@cta 0, gpu 0 ;\n",
                    two = "{ x = 0; }\n P0@cta 0, gpu 0 | P1@cta 1, gpu 0 ;\n";
  const std::string rf_in = one + " st.weak x, 1 ;\n ld.weak r0, x ;\nexists (P0:r0 = 1)\n";
  const std::string rf_out = two + " st.weak x, 1 | ld.weak r0, x ;\nexists (P1:r0 = 1)\n";
  const std::string co_in = one + " st.weak x, 1 ;\n st.weak x, 2 ;\nexists (x = 2)\n";
  const std::string co_out = two + " st.relaxed.gpu x, 1 | st.relaxed.gpu x, 2 ;\nexists (x = 2)\n";
  const std::string fr_in = one + " ld.weak r0, x ;\n st.weak x, 1 ;\nexists (P0:r0 = 0)\n";
  const std::string fr_out = two + " ld.weak r0, x | st.weak x, 1 ;\nexists (P0:r0 = 0)\n";
  EXPECT_EQ(reached("rfi", rf_in), "no no ");
  EXPECT_EQ(reached("rfi", rf_out), "yes yes ");
  EXPECT_EQ(reached("rfe", rf_in), "yes yes ");
  EXPECT_EQ(reached("rfe", rf_out), "no no ");
  EXPECT_EQ(reached("fri", fr_in), "no no ");
  EXPECT_EQ(reached("fri", fr_out), "yes yes ");
  EXPECT_EQ(reached("fre", fr_in), "yes yes ");
  EXPECT_EQ(reached("fre", fr_out), "no no ");
  EXPECT_EQ(reached("po-loc", fr_in), "no no ");
  EXPECT_EQ(reached("po-loc", fr_out), "yes yes ");
  // Every write comes after the initial one, which is of no thread. Those that race have no order unless a model asks.
  const std::string in_order = "(((W * W) & loc) \\ (co | co^-1 | id)) as total\nempty ";
  EXPECT_EQ(reached(in_order + "([W \\ IW]; coi; [W \\ IW])", co_in), "no no ");
  EXPECT_EQ(reached(in_order + "([W \\ IW]; coi; [W \\ IW])", co_out), "yes yes ");
  EXPECT_EQ(reached(in_order + "([W \\ IW]; coe; [W \\ IW])", co_in), "yes yes ");
  EXPECT_EQ(reached(in_order + "([W \\ IW]; coe; [W \\ IW])", co_out), "no no ");
  const auto at_cta = [](int n) {
    return fmt::format("{{ x = 0; }}\n P0@cta 0, cluster 0, gpu 0 | P1@cta {}, cluster 0, gpu 0 ;\n", n);
  };
  const std::string cluster =
      " barrier.cluster.arrive | barrier.cluster.arrive ;\n"
      " barrier.cluster.wait | barrier.cluster.wait ;\nexists (x = 0)\n";
  EXPECT_EQ(reached("sync_barrier \\ int", at_cta(0) + " bar.sync 0 | bar.sync 0 ;\nexists (x = 0)\n"), "no no ");
  EXPECT_EQ(reached("sync_barrier \\ int", at_cta(1) + cluster), "yes yes ");
  EXPECT_EQ(reached("syncbar \\ int", at_cta(1) + cluster), "no no ");
}

TEST(Models, LoadQuickly) {
  const auto start = std::chrono::steady_clock::now();
  for (const auto& m : cat::shipped_models()) ASSERT_TRUE(cat::load_model(m.name, m.dialect));
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(ms / static_cast<double>(cat::shipped_models().size()), 50.0)
      << "a model should load in a few milliseconds";
}

}  // namespace
}  // namespace fencepost
