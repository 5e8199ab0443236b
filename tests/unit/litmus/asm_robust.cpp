// No input crashes a parser, and whatever parses prints and parses again to the same value. Random mutations of
// small texts of our own; the generator is seeded, so a failure repeats.
#include "asm_support.h"
#include "base/job.h"

using namespace asm_test;

namespace {

const char* const k_seeds[][2] = {
    {"m.litmus",
     "PTX seed \"remark\"\n{ x = 1; y @ surface aliases x; z = x; P0:r1 = &x; P1:r9 = 0; }\n P0@cta 0,gpu 0 | P1@cta "
     "1,gpu 0 ;\n"
     " LC00: | suld.weak r2, y ;\n st.release.sys x, 1 | atom.acq_rel.gpu.cas r0, z, 0, 1 ;\n bne r0, 1, LC00 | "
     "bar.cta.sync 1, r2, 2 ;\n"
     " add r3, r0, -2 | fence.proxy.alias ;\nlocations [x; 0:r1] filter (0:r0 = 1 \\/ ~x=3) exists (1:r0 = 2 /\\ x < "
     "0x1f)\n"},
    {"m.litmus",
     "VULKAN seed\n{ x = 1; y aliases x; }\n{ ssw 0 1; }\n P0@sg 0,wg 0,qf 0 | P1@sg 1,wg 0,qf 0 ;\n"
     " st.av.wg.sc0 x, 1 | rmw.atom.acq.wg.sc0.semsc0.semvis.add r0, y, 2 ;\n cbar.acq_rel.dv.semsc0 1, r2 | "
     "membar.rel.wg.semsc1.semav ;\n"
     " avdevice | ld.sc0 r3, 1 ;\n~exists (1:r0 = 2 /\\ x = y)\n"},
    {"m.test",
     "NEWWG\nNEWSG\nNEWTHREAD\nst.av.scopedev.sc0 x = 1\nNEWSG\nNEWTHREAD\nrmw.acq.semsc0.scopewg.sc1 y = 1 "
     "2\ncbar.scopewg 3\nld.sc0 z\n"
     "SLOC x z\nSSW 1 2\nSATISFIABLE NOCHAINS consistent[X] && #dr=0\n"},
    {"m.test",
     ".global x;\n.texref t virtually aliases x;\nd0.b0.t0 {\n  $0 [x], 1;\n  $1\n}\nd0.b1.t0 { ld.acquire.gpu r0, [x] "
     "== 1; tld r1, [t]; }\n"
     "$2 (r1 $3 1 || not r0 == 2) as out;\n$$\nst | fence.proxy.texture; | assert | ==\nsust | | permit | !=\n"},
};

std::string mutate(Rng& rng, std::string s) {
  static const char* const pieces[] = {
      "|",    ";",       "{", "}",  "(",       ")",    "P1", "r0", "LC00:", "exists", ".",
      ",",    "$1",      "~", "(*", "<<",      "\"",   "=",  "&",  "-1",    "0x",     "99999999999999999999",
      "\xff", "aliases", "@", "\n", "NEWSG\n", "$$\n", "x",  "[",  "]",     "filter"};
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

TEST(AsmRobust, MutatedTextsNeverCrashAndRoundTrip) {
  Rng rng(20240607);
  size_t parsed = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto& seed = k_seeds[i % std::size(k_seeds)];
    const std::string text = mutate(rng, seed[1]);
    const auto tests = read::parse(make_source(seed[0], text));
    if (!tests) {
      ++refused;
      ASSERT_FALSE(tests.error().list.empty()) << text;
      const Diagnostic& d = tests.error().list.front();
      ASSERT_FALSE(d.hint.empty()) << render(d) << text;
      ASSERT_TRUE(d.span.source != nullptr) << render(d) << text;
      continue;
    }
    ++parsed;
    for (const auto& t : *tests) expect_round_trip(t);
    ASSERT_FALSE(HasFailure()) << text;
  }
  EXPECT_GT(parsed, 1000u);  // both sides of the parsers were met
  EXPECT_GT(refused, 5000u);
}

TEST(AsmRobust, SeedsParse) {
  for (const auto& seed : k_seeds)
    for (const auto& t : parse_all(seed[1], seed[0])) expect_round_trip(t);
}

TEST(AsmRobust, EveryPrefix) {
  for (const auto& seed : k_seeds) {
    const std::string text = seed[1];
    for (size_t n = 0; n < text.size(); ++n) (void)read::parse(make_source(seed[0], text.substr(0, n)));
  }
}

}  // namespace
