// The options of gen and suite.
#include "cli/option_rows.h"

namespace fencepost::cli {
namespace {

Expected<void> put_notation(Settings& s, const Value& v) {
  s.notation = v.text;
  for (char& c : s.notation) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return {};
}

constexpr OptionInfo k_rows[] = {
    {"--cycle", "-c", "CYCLE", Type::text, "", "", 0, 0, "cycle", k_gen,
     "Make the test of this cycle of relations, such as 'PodWW Rfe PodRR Fre' (docs/gen.md has the vocabulary).",
     put<&Settings::cycle>},
    {"--families", "-f", "NAME,...|all", Type::list, "", "", 0, 0, "cycle", k_gen | k_suite | k_certify,
     "Make all tests of these families (MP, SB, ..., or directions by thread, WW+RR), or of all families up to "
     "--threads. gen, suite: 'async' alone is every path of asynchronous PTX.",
     put<&Settings::families>},
    {"--threads", "-t", "N", Type::whole, "2", "2..6", 2, 6, "cycle", k_gen | k_suite | k_certify,
     "Families of up to this many threads. suite, certify: at most 3, besides IRIW.", put<&Settings::family_size>},
    {"--relations", "", "KIND,...", Type::list, "Po", "", 0, 0, "cycle", k_gen,
     "What may join two accesses of a thread: Po, Fence.sc.gpu, DpData, ...; every choice is made.",
     put<&Settings::relations>},
    {"--reads", "", "ACCESS,...", Type::list, "the default access", "", 0, 0, "cycle", k_gen,
     "What a read may be: relaxed.gpu, acquire.cta, ...; every choice is made.", put<&Settings::reads>},
    {"--writes", "", "ACCESS,...", Type::list, "the default access", "", 0, 0, "cycle", k_gen, "What a write may be.",
     put<&Settings::writes>},
    {"--uniform", "", "", Type::flag, "", "", 0, 0, "cycle", k_gen,
     "All reads of a test are the first of --reads and all writes the first of --writes, or all the second, and so on.",
     put<&Settings::uniform>},
    {"--one-location", "", "", Type::flag, "", "", 0, 0, "cycle", k_gen,
     "Families of one location (CoRR, CoRW, ...) in place of those of several.", put<&Settings::one_location>},
    {"--dialect", "-d", "DIALECT", Type::choice, "PTX", "PTX|GPU_PTX|VULKAN|OPENCL|ptx|gpu_ptx|vulkan|opencl", 0, 0,
     "cycle", k_gen | k_suite | k_certify, "The notation of the tests; certify: by default that of the device.",
     put_notation},
    {"--access", "", "ACCESS", Type::text, "weak; VULKAN, OPENCL: relaxed.sys", "", 0, 0, "cycle", k_gen,
     "What an access is that the cycle says nothing of.", put<&Settings::access>},
    {"--scopes", "-s", "all|TREE,...", Type::list, "each thread in a CTA of its own", "", 0, 0, "cycle", k_gen,
     "Where the threads run: '01.2' puts threads 0 and 1 into one CTA and 2 into another, '_' separates devices; 'all' "
     "makes every "
     "placement that an automorphism of the cycle does not make equal to another.",
     put<&Settings::placements>},
    {"--decide", "", "", Type::flag, "", "", 0, 0, "suite", k_gen,
     "Say of each test whether --model allows its condition.", put<&Settings::decide>},
    {"--allowed", "", "", Type::flag, "", "", 0, 0, "suite", k_gen, "Keep only tests whose condition the model allows.",
     put<&Settings::allowed>},
    {"--forbidden", "", "", Type::flag, "", "", 0, 0, "suite", k_gen,
     "Keep only tests whose condition the model forbids.", put<&Settings::forbidden>},
    {"--minimal", "", "", Type::flag, "", "", 0, 0, "suite", k_gen,
     "Keep only forbidden tests of which every weakening by one step is allowed.", put<&Settings::minimal>},
    {"--separating", "", "MODEL,MODEL", Type::list, "", "", 0, 0, "suite", k_gen,
     "Keep only tests that one of these two models allows and the other forbids.", put<&Settings::separating>},
    {"--thesis", "", "", Type::flag, "", "", 0, 0, "cycle", k_gen,
     "The classic families in GPU_PTX with every membar, in the three configurations of the 2014 thesis: one CTA with "
     "shared memory, one "
     "CTA with global memory, two CTAs; and the rows of its tables that are not among them.",
     put<&Settings::thesis>},
    {"--rows", "", "", Type::flag, "", "", 0, 0, "cycle", k_gen,
     "With --thesis: the 135 rows of its tables 4.1 to 6.1 alone, by the names that they have there (docs/gen.md).",
     put<&Settings::rows>},
    {"--limit", "", "N", Type::whole, "none", "1..100000000", 1, 100000000, "cycle", k_gen,
     "Stop after this many tests.", put<&Settings::most>},
    {"--mutants", "", "", Type::flag, "", "", 0, 0, "suite", k_suite,
     "Also make the mutants of each test and decide them.", put<&Settings::mutants>},
};

}  // namespace

std::span<const OptionInfo> gen_options() { return k_rows; }

}  // namespace fencepost::cli
