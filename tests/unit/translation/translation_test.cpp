// Programs of the hunt below the language: notation, drawing, what the source means, and the judgement of modules that
// are right and wrong. No compiler is needed; tests/system/hunt_programs has one.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/child.h"
#include "base/source.h"
#include "base/write_file.h"
#include "cat/library.h"
#include "check/check.h"
#include "hunt/litmus.h"
#include "prog/test.h"
#include "read/read.h"
#include "refine/refinement.h"
#include "translation/compile.h"
#include "translation/conduct.h"
#include "translation/draw_programs.h"
#include "translation/judge.h"
#include "translation/kept.h"
#include "translation/reduce.h"
#include "translation/show.h"
#include "translation/texts.h"

using namespace fencepost;
using namespace fencepost::translation;

namespace {

Program program(const std::string& text) {
  const auto p = parse_program(text);
  EXPECT_TRUE(p.has_value()) << text;
  return p ? *p : Program{};
}

const char* k_message =
    "block 0: st.plain d 1; add.release.device.builtin x 1 | block 1: ld.acquire.device.ref x; ?1 ld.plain d";

// The module that clang 19 makes of k_message, but for the mnemonic of the addition.
Compiled message_with(const std::string& addition) {
  std::string out = ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry t0(\n";
  for (int k = 0; k < 8; ++k) out += ".param .u64 t0_param_" + std::to_string(k) + (k < 7 ? ",\n" : "\n)\n{\n");
  out +=
      ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n"
      "ld.param.u64 %rd1, [t0_param_0];\nld.param.u64 %rd2, [t0_param_4];\nld.param.u64 %rd3, [t0_param_6];\n"
      "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra $second;\n"
      "st.u32 [%rd2], 1;\n" +
      addition +
      " %r2, [%rd1], 1;\nst.u32 [%rd3], %r2;\nret;\n$second:\n"
      "ld.acquire.gpu.u32 %r3, [%rd1];\nmov.u32 %r4, 0;\nsetp.ne.u32 %p2, %r3, 1;\n@%p2 bra $end;\n"
      "ld.u32 %r4, [%rd2];\n$end:\nst.u32 [%rd3+4], %r3;\nst.u32 [%rd3+8], %r4;\nret;\n}\n";
  return {Compiled::State::good, "", "t0", out};
}

}  // namespace

TEST(Programs, AreReadBackAsTheyAreWritten) {
  for (uint64_t n = 0; n < 2000; ++n) {
    const Program p = draw_program(7, n);
    const auto again = parse_program(to_string(p));
    ASSERT_TRUE(again.has_value()) << to_string(p);
    EXPECT_EQ(*again, p) << to_string(p);
    for (const Thread& t : p.threads)
      for (const Statement& s : t.body) EXPECT_TRUE(is_possible(s)) << to_string(s);
  }
}

TEST(Programs, AreDrawnByNumberAndCoverEveryOperation) {
  EXPECT_EQ(draw_program(3, 41), draw_program(3, 41));
  EXPECT_NE(to_string(draw_program(3, 41)), to_string(draw_program(4, 41)));
  std::set<std::string> seen;
  for (uint64_t n = 0; n < 3000; ++n)
    for (const Thread& t : draw_program(1, n).threads)
      for (const Statement& s : t.body) {
        seen.insert(name(s.op));
        seen.insert(name(s.order));
        seen.insert(name(s.scope));
        seen.insert(name(s.spelling));
      }
  EXPECT_EQ(seen.size(), 12u + 7u + 3u + 3u);
}

// Atomic operations of OpenCL C race unless their scopes are the same, so a program has one scope, but for one in ten.
TEST(Programs, OfOpenclHaveOneScope) {
  size_t mixed = 0;
  for (uint64_t n = 0; n < 1000; ++n) {
    std::set<Scope> scopes;
    for (const Thread& t : draw_program(1, n, Language::opencl).threads)
      for (const Statement& s : t.body)
        if (s.is_atomic()) scopes.insert(s.scope);
    mixed += scopes.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(mixed, 10u);
  EXPECT_LT(mixed, 100u);
}

// A back end that cannot select a form: only statements of that form are spelt otherwise.
TEST(Programs, AreSpeltOtherwiseWhereABackEndEnds) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/llc";
  ASSERT_TRUE(
      write_file(path,
                 "#!/bin/sh\nfor a in \"$@\"; do case $a in *.ll) source=$a;; esac; done\n"
                 "if grep -q 'load atomic.*acquire' $source; then echo 'LLVM ERROR: Cannot select: load'; exit 134; "
                 "fi\n"));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  Configuration c;
  c.compiler.language = Language::llvm;
  c.compiler.path = path;
  c.target = "sm_90";
  Program p = program(
      "block 0: ld.acquire.device.builtin x; add.acquire.device.builtin x 1; ?1 ld.acquire.device.builtin u | "
      "block 1: ld.relaxed.device.builtin x; ld.acquire.device.ref x");
  const auto forms = respell(c, p);
  EXPECT_EQ(to_string(p),
            "block 0: ld.acquire.device.ref x; add.acquire.device.builtin x 1; ?1 ld.acquire.device.ref u | "
            "block 1: ld.relaxed.device.builtin x; ld.acquire.device.ref x");
  ASSERT_EQ(forms.size(), 2u);
  EXPECT_EQ(forms[0].form, "ld.acquire.device.builtin x");
  EXPECT_NE(forms[0].message.find("Cannot select"), std::string::npos);
  c.compiler.language = Language::nvcc;
  Program same = program("block 0: ld.acquire.device.builtin x");
  EXPECT_TRUE(respell(c, same).empty());
}

TEST(Programs, ThatAreWrongAreNamedByTheirWord) {
  const auto message = [](const std::string& text) {
    const auto p = parse_program(text);
    return p ? std::string("read") : p.error().list.front().message;
  };
  EXPECT_NE(message("block 0: ld.release.device.ref x").find("ld.release.device.ref"), std::string::npos);
  EXPECT_NE(message("block 0: ld.acquire.gpu.ref x").find("'gpu'"), std::string::npos);
  EXPECT_NE(message("block 0: add.acquire.device.old x 1").find("add.acquire.device.old"), std::string::npos);
  EXPECT_NE(message("block 0: sub.relaxed.device.old u 1").find("64 bits"), std::string::npos);
  EXPECT_NE(message("block 0: ?1 ld.plain d").find("behind a result"), std::string::npos);
  EXPECT_NE(message("block 0: st.plain q 1").find("'q'"), std::string::npos);
  EXPECT_NE(message("thread 0: st.plain d 1").find("block N"), std::string::npos);
  EXPECT_NE(message("").find("block N"), std::string::npos);
}

// The source is judged by its litmus test; the reader of CUDA C++ must find the same outcomes in the text that a
// compiler gets.
TEST(Programs, AsLitmusTestsAreWhatTheReaderOfCudaReads) {
  const auto models = models_for(Language::nvcc);
  ASSERT_TRUE(models.has_value());
  size_t compared = 0;
  for (uint64_t n = 0; compared < 12 && n < 200; ++n) {
    const Program p = draw_program(11, n);
    bool readable = true;
    std::string condition;
    refine::Names names;
    for (const Thread& t : p.threads)
      for (const Statement& s : t.body) readable = readable && (!s.is_atomic() || s.spelling != Spelling::builtin);
    if (!readable) continue;
    const auto shows = [&](const std::string& cell, const std::string& source) {
      condition += (condition.empty() ? "" : " && ") + cell + " == 0";
      names[cell] = source;
      if (cell.ends_with("[0]")) names[cell.substr(0, 1)] = source;
    };
    for (const char c : std::string(k_places))
      if (p.writes(c)) shows(std::string(1, c) + "[0]", std::string(1, c));
    for (const Result& r : results_of(p))
      shows((r.bits == 64 ? "w[" : "o[") + std::to_string(r.index) + "]",
            std::to_string(r.thread) + ":r" + std::to_string(r.number));
    spirv::LaunchOptions launch;
    launch.grid.emplace();
    launch.grid->subgroups = p.threads_of_block();
    launch.grid->workgroups[0] = p.blocks();
    launch.condition = "exists (" + condition + ")";
    const auto text = std::make_shared<Source>(Source{"t.cu", text_of({p}, Language::nvcc).text});
    const auto target = read::parse(text, launch);
    if (!target && target.error().list.front().fault == Fault::unsupported)
      GTEST_SKIP() << target.error().list.front().message;
    ASSERT_TRUE(target.has_value()) << text->text << target.error().list.front().message;
    const auto source = read::parse_one(std::make_shared<Source>(Source{"t.litmus", litmus_of(p)}));
    ASSERT_TRUE(source.has_value()) << litmus_of(p);
    Job job;
    const auto r = refine::refine(*source, models->source, target->front(), models->source, {}, job, names);
    ASSERT_TRUE(r.has_value()) << to_string(p) << r.error().list.front().message;
    EXPECT_EQ(r->verdict.status, Status::holds) << to_string(p) << r->verdict.detail;
    if (!r->undefined) EXPECT_EQ(r->source_states, r->target_states) << to_string(p);
    ++compared;
  }
  EXPECT_EQ(compared, 12u);
}

TEST(Judge, SaysWhatACompilerLost) {
  const auto models = models_for(Language::clang);
  ASSERT_TRUE(models.has_value());
  const Program p = program(k_message);
  const auto judged = [&](const std::string& addition) {
    return judge(p, message_with(addition), Language::clang, *models, 20);
  };
  EXPECT_EQ(judged("atom.add.release.gpu.u32").state, 'r');
  EXPECT_EQ(judged("fence.acq_rel.gpu;\natom.add.relaxed.gpu.u32").state, 'r');
  EXPECT_EQ(judged("atom.add.acq_rel.sys.u32").state, 'r');
  const Judged relaxed = judged("atom.global.add.u32");
  EXPECT_EQ(relaxed.state, 'f');
  EXPECT_NE(relaxed.detail.find("1:r0=1; 1:r1=0;"), std::string::npos) << relaxed.detail;
  EXPECT_EQ(judged("atom.add.release.cta.u32").state, 'f');
  EXPECT_EQ(judged("multimem.red.add.release.gpu.global.u32").state, 'n');
  EXPECT_EQ(judge(p, {Compiled::State::refused, "no such thing", "", ""}, Language::clang, *models, 20).state, 'x');
}

TEST(Judge, AProgramWithARaceIsVacuousAndNotRight) {
  const auto models = models_for(Language::clang);
  ASSERT_TRUE(models.has_value());
  Program p = program(k_message);
  p.threads[0].body[1].order = Order::relaxed;
  EXPECT_EQ(judge(p, message_with("atom.add.release.gpu.u32"), Language::clang, *models, 20).state, 'v');
}

TEST(Judge, TellsTheAxiomThatForbidsTheOutcome) {
  const auto models = models_for(Language::clang);
  ASSERT_TRUE(models.has_value());
  const Program p = program(k_message);
  const Judged j = judge(p, message_with("atom.global.add.u32"), Language::clang, *models, 20);
  const Reason why = why_forbidden(p, j.detail, *models, 20);
  ASSERT_FALSE(why.axioms.empty());
  EXPECT_EQ(why.axioms.front(), "coherence");
  EXPECT_NE(why.story.find("axiom"), std::string::npos);
}

// SPIR-V has bytes that are no text; what a report writes is what the compiler made.
TEST(Reports, HaveTheBinaryThatWasKept) {
  std::string binary;
  for (int n = 0; n < 512; ++n) binary += static_cast<char>(n * 7);
  const ScratchFolder folder;
  const std::string path = folder.path() + "/h.db";
  auto ledger = hunt::Ledger::open(path, 1, 100, "opencl", "2");
  ASSERT_TRUE(ledger.has_value());
  hunt::Fault f;
  f.signature = "opencl update.release.builtin";
  f.effect = "new-outcome";
  f.configuration = "opencl-15.0.6 spirv64 -O3";
  f.reduced = f.test = k_message;
  f.culprit = "add.release.device.builtin x 1";
  f.listing = kept(binary, Language::opencl);
  f.repair = "ref";
  ASSERT_TRUE(ledger->keep(f));
  const auto s = fencepost::translation::summary_of(*ledger, path);
  ASSERT_TRUE(s.has_value());
  bool found = false;
  for (const hunt::ReportFile& file : fencepost::translation::report_files(*s)) {
    if (file.path.ends_with("made.spv")) EXPECT_EQ(file.text, binary);
    found = found || file.path.ends_with("made.spv");
    if (file.path.ends_with("report.md"))
      for (const char* part :
           {"# opencl 15.0.6, spirv64: `atomic_fetch_add_explicit(x, 1, memory_order_release, memory_scope_device)` "
            "loses",
            "read-modify-write (add) of x with order release and scope device", "- **Expected:** ", "- **Actual:** "})
        EXPECT_NE(file.text.find(part), std::string::npos) << part << "\n" << file.text;
  }
  EXPECT_TRUE(found);
}

// A program of one thread ends in one way, which the report says, with the names of both operations; another compiler's
// row has its own source.
TEST(Reports, OfOneThreadSayHowItEnds) {
  hunt::Fault f;
  f.signature = "clang update.relaxed.old";
  f.effect = "new-outcome";
  f.configuration = "clang-19.1.7 sm_90 -O3";
  f.culprit = "min.relaxed.block.old x 1";
  f.test = f.reduced = "block 0: sub.relaxed.device.ref x 5; min.relaxed.block.old x 1";
  f.detail = "x=4294967291; 0:r0=0; 0:r1=4294967291;";
  f.listing = ".target sm_90\n\tatom.cta.min.s32 %r1, [%rd1], 1;\n";
  f.right_listing = ".target sm_90\n\tatom.global.min.u32 %r1, [%rd1], 1;\n";
  f.right_where = f.configuration + ", as block 0: sub.relaxed.device.ref x 5; min.relaxed.device.old x 1";
  f.toolkit = "clang 19.1.7, headers of CUDA 12.9";
  Configuration clang;
  clang.compiler.language = Language::clang;
  clang.compiler.version = "19.1.7";
  f.known = known_fault(clang, program("block 0: " + f.culprit).threads[0].body[0]);
  f.table = {{f.configuration, "fault"}, {"nvcc-13.5.37 sm_90 -O3", "right"}};
  fencepost::translation::Summary s;
  s.faults.push_back(f);
  std::map<std::string, std::string> files;
  for (const hunt::ReportFile& file : fencepost::translation::report_files(s))
    files[file.path.substr(file.path.find('/') + 1)] = file.text;
  const std::string& text = files["report.md"];
  for (const char* part :
       {"# clang 19.1.7, sm_90: unsigned `atomicMin_block(x, 1u)` becomes the signed `atom.cta.min.s32`",
        "ends with `x=1; 0:r0=0; 0:r1=4294967291;`", "ends with `x=4294967291; 0:r0=0; 0:r1=4294967291;`",
        "// <<< here", "headers of CUDA 12.9", "LLVM has mended this in", "it was not run on a device",
        "## Why it is wrong", "has the bits of -5", "It differs from the source above in", "-ptx source-nvcc.cu",
        "## In one line", "written as atomicMin_block.",
        "The same operation with scope device in place of block, by the same compiler", "With Fencepost (optional)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("docs/"), std::string::npos);
  EXPECT_NE(files["source-nvcc.cu"].find("atomicMin_block"), std::string::npos);
  EXPECT_NE(files["right.cu"].find("atomicMin(x, 1u)"), std::string::npos);
}

// Where one handover forbids the outcome, its three steps are told without the files of the model.
TEST(Reports, OfAHandoverTellItsSteps) {
  hunt::Fault f;
  f.signature = "clang update.acquire.builtin";
  f.effect = "new-outcome";
  f.configuration = "clang-19.1.7 sm_90 -O3";
  f.culprit = "add.acquire.device.builtin x 1";
  f.test = f.reduced = "block 0: " + f.culprit + "; ld.relaxed.device.ref y | block 1: st.relaxed.device.ref y 4; " +
                       "add.release.device.ref x 5";
  f.detail = "x=6; y=4; 0:r0=5; 0:r1=0; 1:r0=0;";
  f.listing = ".target sm_90\n\tatom.global.add.u32 %r1, [%rd1], 1;\n";
  f.right_listing = ".target sm_90\n\tatom.add.acquire.gpu.u32 %r1, [%rd1], 1;\n";
  const std::string events =
      "coherence\n  P0  (wg 0)\n    a: R x = 5  r0\n    c: R y = 0  r1\n  P1  (wg 1)\n    e: W y = 4  s\n    g: W x = "
      "5  t\n";
  f.reason = events + "      a -po-> c -fr-> e -po-> g -rf-> a\n          g -by-atomics-> a\n";
  const auto text_of_report = [&] {
    fencepost::translation::Summary s;
    s.faults.push_back(f);
    for (const hunt::ReportFile& file : fencepost::translation::report_files(s))
      if (file.path.ends_with("report.md")) return file.text;
    return std::string();
  };
  const std::string text = text_of_report();
  for (const char* part : {"1. `W x = 5` of thread 1 (a release) is what `R x = 5` of thread 0 (an acquire) reads",
                           "2. `W y = 4` of thread 1 stands before the one and `R y = 0` of thread 0 behind the other",
                           "which is relaxed\n", "no fence stands beside it, so there is none on its side"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  f.reason = events + "      a -po-> c -fr-> e -po-> g -rf-> a\n";  // not by a release and an acquire
  EXPECT_EQ(text_of_report().find("(a release)"), std::string::npos);
}

// Each litmus test of a fault asks what its role says: the model forbids the outcome with the instruction as written
// and with forms in its place, and allows that of the control.
TEST(DeviceTests, AreForbiddenButForTheControl) {
  const auto model = cat::load_model("ptx-9", vocab::Dialect::ptx);
  ASSERT_TRUE(model.has_value());
  const auto tests = [](const char* effect, const char* culprit, const char* test = "") {
    hunt::Fault f;
    f.effect = effect;
    f.culprit = culprit;
    f.reduced = test;
    return hunt::device_tests(f);
  };
  size_t forbidden = 0, allowed = 0;
  for (const auto& [effect, culprit, test] : {std::tuple{"no-invalidate", "atom.acquire.gpu.shared.add.u64@s1", ""},
                                              std::tuple{"no-wait", "ld.acquire.gpu.global.u32@p1", ""},
                                              std::tuple{"no-membar", "red.release.gpu.shared.add.u64@s1", ""},
                                              std::tuple{"no-membar", "st.release.sys.global.b64@p1", ""},
                                              std::tuple{"no-membar", "st.release.cluster.global.b32@p1", ""},
                                              std::tuple{"no-membar", "fence.acq_rel.gpu", ""},
                                              std::tuple{"no-invalidate", "fence.acquire.gpu", ""},
                                              std::tuple{"no-membar", "fence.release.cluster", ""},
                                              std::tuple{"weak-membar", "fence.sc.gpu", ""},
                                              std::tuple{"no-membar", "membar.gl", ""},
                                              std::tuple{"reordered", "ld.relaxed.gpu.global.b32@p1",
                                                         "ld.volatile.global.b32@q1; ld.relaxed.gpu.global.b32@p1"},
                                              std::tuple{"reordered", "ld.relaxed.gpu.shared.b64@s1",
                                                         "ld.volatile.shared.b64@t1; ld.relaxed.gpu.shared.b64@s1"},
                                              std::tuple{"reordered", "atom.acq_rel.gpu.shared.add.u64@s4",
                                                         "st.weak.global.u32@p2; atom.acq_rel.gpu.shared.add.u64@s4"},
                                              std::tuple{"absent", "st.relaxed.gpu.global.u32@p1", ""},
                                              std::tuple{"skipped", "st.volatile.global.u64@p1", ""},
                                              std::tuple{"elsewhere", "red.relaxed.gpu.global.or.b32@p1", ""},
                                              std::tuple{"repeated", "red.relaxed.gpu.global.add.u32@p1", ""},
                                              std::tuple{"split", "ld.relaxed.gpu.global.u64@p1", ""},
                                              std::tuple{"width", "st.weak.global.u32@p1", ""},
                                              std::tuple{"weaker", "ld.relaxed.gpu.global.u32@p1", ""}}) {
    const auto made = tests(effect, culprit, test);
    ASSERT_TRUE(made.has_value()) << effect << " " << culprit << ": " << made.error().list.front().message;
    EXPECT_EQ(made->front().role, hunt::DeviceTest::Role::fault);
    for (const hunt::DeviceTest& d : *made) {
      const auto read = read::parse_one(std::make_shared<Source>(Source{d.name, d.text}));
      ASSERT_TRUE(read.has_value()) << d.text << read.error().list.front().message;
      Job job = Job::with_budget(60);
      const auto r = check::check(*read, *model, {}, job);
      const bool control = d.role == hunt::DeviceTest::Role::control;
      EXPECT_EQ(r.verdict.status, control ? Status::holds : Status::fails) << d.text;
      (control ? allowed : forbidden) += 1;
    }
  }
  EXPECT_GT(forbidden, 35u);
  EXPECT_GT(allowed, 15u);
}

// A fault that needs no other thread is shown in one, and its values are those of unsigned words.
TEST(Judge, ValuesAreUnsigned) {
  const Program p = program("block 0: sub.relaxed.device.ref x 5");
  Compiled made = message_with("atom.add.u32");
  made.module.replace(made.module.find("st.u32 [%rd2], 1;"), 17, "");
  made.module.replace(made.module.find("atom.add.u32 %r2, [%rd1], 1;"), 28, "atom.add.u32 %r2, [%rd1], -7;");
  const auto models = models_for(Language::clang);
  ASSERT_TRUE(models.has_value());
  const Judged j = judge(p, made, Language::clang, *models, 20);
  EXPECT_EQ(j.state, 'f') << j.detail;
  EXPECT_NE(j.detail.find("x=4294967289;"), std::string::npos) << j.detail;
  EXPECT_EQ(j.detail.find("=-"), std::string::npos) << j.detail;
}

// What a reduction can turn into the culprit has its signature; what it cannot has not.
TEST(Signatures, SurviveReduction) {
  const auto statement = [](const char* text) { return program(std::string("block 0: ") + text).threads[0].body[0]; };
  const Statement acquire = statement("add.acquire.device.builtin x 1");
  for (const char* text : {"add.acquire.device.builtin x 1", "or.acq_rel.system.builtin y 2",
                           "exch.seq_cst.block.builtin u 3", "cas.acq_rel.device.builtin x 0 5"})
    EXPECT_TRUE(covers(acquire, statement(text))) << text;
  for (const char* text : {"add.release.device.builtin x 1", "add.relaxed.device.builtin x 1",
                           "add.acq_rel.device.ref x 1", "ld.acquire.device.builtin x", "st.plain d 1"})
    EXPECT_FALSE(covers(acquire, statement(text))) << text;
  EXPECT_FALSE(covers(statement("cas.acquire.device.builtin x 0 1"), acquire));
  EXPECT_FALSE(covers(statement("add.seq_cst.device.builtin x 1"), statement("add.acq_rel.device.builtin x 1")));
  EXPECT_TRUE(is_of_kind(acquire, statement("xor.acquire.block.builtin u 1")));
  EXPECT_FALSE(is_of_kind(acquire, statement("xor.acq_rel.block.builtin u 1")));
  EXPECT_FALSE(is_of_kind(acquire, statement("cas.acquire.device.builtin x 0 1")));
  EXPECT_EQ(to_string(weakened(statement("cas.seq_cst.device.builtin x 0 5"), acquire)),
            "add.acquire.device.builtin x 5");
  EXPECT_EQ(to_string(weakened(statement("or.seq_cst.device.builtin x 5"), acquire)), "or.acquire.device.builtin x 5");
}

TEST(KnownFaults, OfLlvmAreByVersion) {
  Configuration c;
  c.compiler.language = Language::llvm;
  const auto known = [&](const char* version, const char* statement) {
    c.compiler.version = version;
    return !known_fault(c, program(std::string("block 0: ") + statement).threads[0].body[0]).empty();
  };
  for (const char* version : {"19.1.7", "20.1.8", "22.1.0"})
    EXPECT_TRUE(known(version, "add.release.device.builtin x 1")) << version;
  EXPECT_FALSE(known("24.0.0", "add.release.device.builtin x 1"));
  EXPECT_TRUE(known("20.1.8", "cas.release.device.builtin x 0 1"));
  EXPECT_FALSE(known("22.1.0", "cas.release.device.builtin x 0 1"));
  EXPECT_FALSE(known("19.1.7", "add.release.device.ref x 1"));
  EXPECT_FALSE(known("19.1.7", "add.relaxed.device.builtin x 1"));
  c.compiler.language = Language::clang;
  EXPECT_TRUE(known("19.1.7", "min.relaxed.block.old x 1"));
  EXPECT_TRUE(known("19.1.7", "max.relaxed.system.old u 1"));
  EXPECT_FALSE(known("19.1.7", "min.relaxed.device.old x 1"));
  EXPECT_FALSE(known("19.1.7", "add.relaxed.block.old x 1"));
  // Each has a section for its report, with a program of one line and the change that mends it.
  const auto note = [&](const char* statement) {
    c.compiler.version = "19.1.7";
    return known_note(known_fault(c, program(std::string("block 0: ") + statement).threads[0].body[0]));
  };
  for (const char* part : {"-nocudainc", "atomicrmw add ptr %x, i32 1 syncscope(\"device\") release", "/pull/179553"})
    EXPECT_NE(note("add.release.device.builtin x 1").find(part), std::string::npos) << part;
  for (const char* part : {"-nocudainc", "__nvvm_atom_cta_min_gen_ui(x, 1u)", "unsigned long long"})
    EXPECT_NE(note("min.relaxed.block.old x 1").find(part), std::string::npos) << part;
  EXPECT_EQ(known_note("another"), "");
  const auto mended = [&](const char* statement) {
    return known_mended(known_fault(c, program(std::string("block 0: ") + statement).threads[0].body[0]));
  };
  EXPECT_NE(mended("add.release.device.builtin x 1").find("/pull/179553"), std::string::npos);
  EXPECT_NE(mended("min.relaxed.block.old x 1").find("/pull/200735"), std::string::npos);
  EXPECT_EQ(known_mended("another"), "");
}

TEST(Modules, AreSplitByKernel) {
  const std::string module =
      ".version 8.5\n.target sm_90\n// .globl t0  // -- Begin function t0\n    // @t0\n.visible .entry "
      "t0(\n)\n{\nret;\n}\n"
      "// @t10\n.visible .entry t10(\n)\n{\nexit;\n}\n";
  const auto parts = split_module(module, {"t0", "t10", "t1"});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_NE(parts[0].find("ret;"), std::string::npos);
  EXPECT_EQ(parts[0].find("exit;"), std::string::npos);
  EXPECT_NE(parts[1].find(".version"), std::string::npos);
  EXPECT_NE(parts[1].find("exit;"), std::string::npos);
  EXPECT_EQ(parts[1].find("ret;"), std::string::npos);
  EXPECT_TRUE(parts[2].empty());
}

TEST(Texts, OfEveryLanguageHaveALineForEachKernel) {
  std::vector<Program> programs;
  for (uint64_t n = 0; n < 20; ++n) programs.push_back(draw_program(5, n));
  for (const Language l : {Language::nvcc, Language::clang, Language::llvm, Language::opencl}) {
    const Text t = text_of(programs, l);
    ASSERT_EQ(t.lines.size(), programs.size() + 1);
    std::vector<std::string> lines{""};
    for (size_t from = 0, to = t.text.find('\n'); to != std::string::npos; from = to + 1, to = t.text.find('\n', from))
      lines.push_back(t.text.substr(from, to - from));
    for (size_t n = 0; n < programs.size(); ++n)
      EXPECT_NE(lines[t.lines[n]].find("t" + std::to_string(n) + "("), std::string::npos) << lines[t.lines[n]];
  }
}
