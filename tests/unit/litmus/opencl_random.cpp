// Random OPENCL programs print and read back to the same value: every expression form, nested loads, control flow
// and compare-exchange; and no mutated text crashes the parser. Seeded, so a failure repeats.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "asm_support.h"
#include "base/job.h"

using namespace asm_test;
namespace fs = std::filesystem;

namespace {

class Generator {
 public:
  explicit Generator(Rng& rng) : rng_(rng) {}

  std::string test() {
    std::string out =
        "OPENCL random\n{ [x] = 3; int y = -1; atomic_int z; int A[3] = {1, 2, 3}; long w = 7; char c = -2; uint u = "
        "9; p = &x; }\n";
    for (int t = 0; t < 2; ++t) {
      out += "P" + std::to_string(t) + "@wg 0, dev " + std::to_string(t) +
             " (global atomic_int* x, volatile local int* y, atomic_int* z, global int* A, global long* w, char* c, "
             "uint* u, int** p) {\n";
      out += "  int a = 1, b; uint v = 2; long l = 3; bool f = a == 1; int* q = *p; int e;\n";
      budget_ = 6 + static_cast<int>(rng_.below(8));
      loops_ = 0;
      out += block(3);
      out += "}\n";
    }
    return out + "exists (0:a = 1 /\\ (1:b != 2 \\/ x = [y] \\/ A[1] < 3) /\\ ~(0:x = y))\n";
  }

 private:
  template <size_t N>
  std::string pick(const char* const (&list)[N]) {
    return list[rng_.below(N)];
  }

  std::string pointer(int depth) {
    switch (rng_.below(6)) {
      case 0:
        return "x";
      case 1:
        return "y";
      case 2:
        return "z";
      case 3:
        return "q";
      case 4:
        return "A + " + std::to_string(rng_.below(3));
      default:
        return depth > 0 ? "A + " + expression(depth - 1) : "A";
    }
  }

  std::string expression(int depth) {
    if (depth <= 0) {
      static const char* const leaves[] = {"a",  "b",  "v",  "l",  "f",  "0",  "1",  "-5",   "0x7fffffff", "7u",
                                           "9L", "*x", "*y", "*q", "*w", "*c", "*u", "A[1]", "**p",        "(char)a"};
      return pick(leaves);
    }
    const std::string k = expression(depth - 1);
    static const char* const binary[] = {"+",  "-",  "*",  "/", "%",  "&", "|",  "^",  "<<",
                                         ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
    switch (rng_.below(14)) {
      case 0:
        return "(" + k + " ? " + expression(depth - 1) + " : (long)" + expression(depth - 1) + ")";
      case 1:
        return "(" + k + " ? " + expression(0) + " : (int)" + expression(0) + ")";
      case 2: {
        static const char* const ops[] = {"!", "-", "~", "(int)", "(uint)", "(long)", "(char)", "(bool)"};
        return pick(ops) + "(" + k + ")";
      }
      case 3: {
        static const char* const fs[] = {"atomic_fetch_add(x, ", "atomic_exchange(z, ", "atomic_fetch_max(u, ",
                                         "atomic_fetch_xor_explicit(z, "};
        const size_t f = rng_.below(4);
        return std::string(fs[f]) + k + (f == 3 ? ", memory_order_acquire, memory_scope_work_group)" : ")");
      }
      case 4:
        return "atomic_load_explicit(" + pointer(depth - 1) + ", memory_order_acquire)";
      case 5:
        return "atomic_compare_exchange_strong(x, y, " + k + ")";
      case 6:
        return "atomic_compare_exchange_weak_explicit(z, &e, " + k +
               ", memory_order_acq_rel, memory_order_relaxed, memory_scope_device)";
      case 7:
        return "min(" + k + ", " + expression(depth - 1) + ")";
      case 8:
        return "*(" + pointer(depth - 1) + ")";
      case 9:
        return "({ int t" + std::to_string(names_++) + " = " + k + "; " + expression(depth - 1) + "; })";
      default:
        return "(" + k + " " + pick(binary) + " " + expression(depth - 1) + ")";
    }
  }

  std::string block(int depth) {
    std::string out;
    while (budget_ > 0) {
      --budget_;
      out += statement(depth);
      if (rng_.below(4) == 0) break;
    }
    return out;
  }

  std::string statement(int depth) {
    const std::string e = expression(static_cast<int>(rng_.below(4)));
    static const char* const variables[] = {"a", "b", "v", "l", "f", "e"};
    switch (rng_.below(18)) {
      case 0:
        return "*(" + pointer(1) + ") = " + e + ";\n";
      case 1:
        return "atomic_store_explicit(" + pointer(1) + ", " + e +
               ", memory_order_release, memory_scope_all_svm_devices);\n";
      case 2:
        return "if (" + e + ") {\n" + (depth > 0 ? block(depth - 1) : ";") + "}\n";
      case 3:
        return "if (" + e + ") {\n" + (depth > 0 ? block(depth - 1) : ";") + "} else {\n" +
               (depth > 0 ? block(depth - 1) : ";") + "}\n";
      case 4: {
        ++loops_;
        std::string body = depth > 0 ? block(depth - 1) : ";";
        --loops_;
        return "while (" + e + ") {\n" + body + (rng_.below(2) ? "if (a) break; else continue;" : "") + "}\n";
      }
      case 5: {
        std::string body = depth > 0 ? block(depth - 1) : ";";
        return "do {\n" + body + "} while (" + e + ");\n";
      }
      case 6: {
        std::string n = "i" + std::to_string(names_++);
        return "for (int " + n + " = 0; " + n + " < 2; " + n + "++) {\n" + (depth > 0 ? block(depth - 1) : ";") + "}\n";
      }
      case 7:
        return "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, "
               "memory_scope_device);\n";
      case 8:
        return rng_.below(2) ? "B2: barrier(CLK_GLOBAL_MEM_FENCE);\n"
                             : "work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n";
      case 9:
        return "int d" + std::to_string(names_++) + " = " + e + ";\n";
      case 10:
        return "long d" + std::to_string(names_++) + (rng_.below(2) ? ";\n" : " = " + e + ";\n");
      case 11:
        return e + ";\n";
      case 12:
        return pick(variables) + " += " + e + ";\n";
      case 13:
        return "A[" + std::to_string(rng_.below(3)) + "]++;\n";
      case 14:
        return "q = q + " + e + ";\n";
      case 15: {
        std::string n = "L" + std::to_string(names_++);
        return "if (" + e + ") goto " + n + ";\n" + statement(0) + n + ": ;\n";
      }
      default:
        return pick(variables) + " = " + e + ";\n";
    }
  }

  Rng& rng_;
  int budget_ = 0;
  int loops_ = 0;
  uint32_t names_ = 0;
};

TEST(OpenclRandom, ProgramsRoundTrip) {
  // FENCEPOST_ROUND_TRIPS sets the number of programs, which is also the seed.
  const char* wanted = std::getenv("FENCEPOST_ROUND_TRIPS");
  const int count = wanted != nullptr ? std::max(1, std::atoi(wanted)) : 1200;
  Rng rng(static_cast<uint64_t>(count));
  int parsed = 0;
  for (int i = 0; i < count; ++i) {
    const std::string text = Generator(rng).test();
    const auto t = read::parse_one(make_source("r.litmus", text));
    if (!t) {
      // Only what a random expression may do wrong: a fixed index out of range, a constant as an address.
      const std::string m = t.error().list.front().message;
      EXPECT_TRUE(m.find("has no cell") != std::string::npos || m.find("not the address") != std::string::npos ||
                  m.find("wider") != std::string::npos || m.find("what may be 0") != std::string::npos)
          << render(t.error());
      continue;
    }
    ++parsed;
    expect_round_trip(*t);
    ASSERT_FALSE(HasFailure()) << text;
  }
  EXPECT_GT(parsed, count / 4);
}

const char* const k_seeds[] = {
    "OPENCL seed \"remark\"\n{ [x]=0; int y=1; atomic_int z; 0:a=x; int A[2]={0,1}; q=&y; w=*y; }\n"
    "P0@wg 0, dev 0 (global atomic_int* x, local int* y, volatile int* z, int* A) { // line\n int r = *y + A[1]; /* "
    "block */ if (r == 1) { *y = 2; } else while (atomic_load(x) != 1) { r++; }\n"
    " B1: barrier(CLK_GLOBAL_MEM_FENCE); int t = atomic_compare_exchange_strong_explicit(x, y, r, "
    "memory_order_acq_rel, memory_order_relaxed, memory_scope_device); }\n"
    "P1 (global atomic_int* x) { do { atomic_store(x, 1); } while (0); }\n(* comment *)\nlocations [x; 0:r] exists "
    "(0:r = 1 /\\ x = 2)\n",
    "GPU_PTX seed\n{ global x = 0; shared y = 1; 0:.reg .s32 r0; 0:.reg .b64 r1 = x; 0:.reg .pred p; 1:.reg .s32 r0 = "
    "-1; }\n T0 | T1 ;\n"
    " st.cg.s32 [r1], 1 | L: ld.volatile.s32 r0, [x] ;\n setp.eq.s32 p, r0, 0 | bra L ;\n @!p atom.cas.b32 r0, [y], 0, "
    "1 | membar.gl ;\n add.s32 r0, r0, 1 | ;\n"
    "ScopeTree (device (cta (warp T0)) (cta (warp T1)))\nx: global, y: shared\nexists (0:r0=1 /\\ T1:r0=0)\n",
};

std::string mutate(Rng& rng, std::string s) {
  static const char* const pieces[] = {
      "|",  ";",   "{",           "}",       "(",       ")",     "P1",     "r",    "*",     "&",  "exists", ".",
      ",",  "=",   "==",          "&&",      "||",      "?",     ":",      "int ", "long ", "(*", "/*",     "//",
      "-1", "0x",  "99999999999", "\xff",    "while (", "else ", "({",     "})",   "[",     "]",  "++",     "@",
      "\n", "_t0", "x",           "goto L;", "L: ",     "warp",  "shared", "r1",   "T0",    "~"};
  for (uint64_t k = 1 + rng.below(2); k > 0 && !s.empty(); --k) {
    const size_t at = rng.below(s.size());
    switch (rng.below(5)) {
      case 0:
        s.erase(at, 1 + rng.below(8));
        break;
      case 1:
        s.insert(at, pieces[rng.below(std::size(pieces))]);
        break;
      case 2:
        s[at] = static_cast<char>(rng.next());
        break;
      case 3:
        s.insert(at, s.substr(rng.below(s.size()), rng.below(20)));
        break;
      default:
        s.resize(at);
        break;
    }
  }
  return s;
}

TEST(OpenclRandom, MutatedTextsNeverCrashAndRoundTrip) {
  Rng rng(11);
  size_t parsed = 0, refused = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::string text = mutate(rng, k_seeds[i % std::size(k_seeds)]);
    const auto t = read::parse(make_source("m.litmus", text));
    if (!t) {
      ++refused;
      const Diagnostic& d = t.error().list.front();
      ASSERT_FALSE(d.hint.empty()) << render(d) << text;
      ASSERT_TRUE(d.span.source != nullptr) << render(d) << text;
      continue;
    }
    ++parsed;
    for (const auto& x : *t) expect_round_trip(x);
    ASSERT_FALSE(HasFailure()) << text;
  }
  EXPECT_GT(parsed, 250u);  // both sides of the parsers were met
  EXPECT_GT(refused, 2500u);
}

TEST(OpenclRandom, EveryPrefix) {
  for (const std::string text : k_seeds)
    for (size_t n = 0; n < text.size(); ++n) (void)read::parse(make_source("m.litmus", text.substr(0, n)));
}

TEST(OpenclCorpus, RoundTrip) {
  const char* root = std::getenv("FENCEPOST_PEER_CORPUS");
  if (root == nullptr) GTEST_SKIP() << "FENCEPOST_PEER_CORPUS is not set: 178 OPENCL files were NOT tested";
  size_t n = 0;
  for (const auto& e : fs::recursive_directory_iterator(fs::path(root) / "litmus" / "OPENCL")) {
    if (e.path().extension() != ".litmus") continue;
    const auto t = read::parse_file(e.path().string());
    ASSERT_TRUE(t.has_value()) << render(t.error());
    expect_round_trip(t->front());
    ++n;
  }
  EXPECT_EQ(n, 178u);
}

// Long inputs are refused or read, not fatal: parsing recurses no deeper than its limits.
TEST(OpenclRandom, DeepAndLongInputs) {
  const std::string head = "OPENCL t\n{}\nP0 (int* x) { int r = ";
  const std::string tail = "; }\n";
  const auto refuse = [](const std::string& text) {
    const auto t = read::parse(make_source("d.litmus", text));
    ASSERT_FALSE(t.has_value());
    EXPECT_FALSE(t.error().list.front().hint.empty());
  };
  const auto many = [](const std::string& s, size_t n) {
    std::string out;
    for (size_t k = 0; k < n; ++k) out += s;
    return out;
  };
  refuse(head + many("(", 100000) + "1" + many(")", 100000) + tail);
  refuse(head + many("- ", 100000) + "1" + tail);
  refuse(head + "1" + many("+1", 100000) + tail);
  refuse(head + many("1 ? 1 : ", 100000) + "1" + tail);
  refuse(head + "x" + many("[0]", 100000) + tail);
  refuse("OPENCL t\n{}\nP0 (int* x) { " + many("{", 100000) + many("}", 100000) + " }\n");
  refuse("OPENCL t\n{}\nP0 (int* x) { " + many("if (1) ", 100000) + "; }\n");
  refuse("GPU_PTX t\n{}\nT0 ;\nScopeTree " + many("(device ", 100000) + "\n");
  // Sums of loads are long but fine.
  const auto t = read::parse_one(make_source("d.litmus", head + "*x" + many(" + *x", 200) + tail));
  ASSERT_TRUE(t.has_value()) << render(t.error());
  expect_round_trip(*t);
}

}  // namespace
