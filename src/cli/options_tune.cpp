// The options of tune.
#include "cli/option_rows.h"

namespace fencepost::cli {
namespace {

constexpr OptionInfo k_rows[] = {
    {"--store", "", "FILE", Type::text, "tune.db", "", 0, 0, "store", k_tune,
     "The store that everything measured is added to; made when missing. What it holds already is not measured again.",
     put<&Settings::tune_store>},
    {"--campaign", "", "NAME", Type::text, "search, explore or ablate", "", 0, 0, "store", k_tune,
     "The name under which the store keeps this work; --replay: only data sets of this name.",
     put<&Settings::campaign>},
    {"--strategy", "", "STRATEGY", Type::choice, "halving", "halving|peek|peek-published|exhaustive", 0, 0, "tune",
     k_tune,
     "'halving': all configurations get a few rounds, the better half twice as many, and so on. 'peek': one after "
     "another, and dropped as soon as it "
     "is shown to be worse than the best so far. 'peek-published': the same by the rule of OOPSLA 2020. 'exhaustive': "
     "each in full.",
     put<&Settings::strategy>},
    {"--objective", "", "OBJECTIVE", Type::choice, "per-second", "per-second|per-instance", 0, 0, "tune", k_tune,
     "What is best: most weak outcomes per second of wall time, or per instance.", put<&Settings::objective>},
    {"--configurations", "", "M", Type::whole, "64", "2..1000000", 2, 1000000, "tune", k_tune,
     "Random configurations of a set. With --budget, further sets are searched until it is spent.",
     put<&Settings::configurations>},
    {"--rounds", "", "N", Type::whole, "100", "1..1000000", 1, 1000000, "tune", k_tune,
     "Rounds of a configuration that is measured in full; in each round, what the configuration leaves open is drawn "
     "anew. From 80 rounds on it is "
     "tested whether the rate stayed the same. --ablate: of each cell, at least.",
     put<&Settings::tune_rounds>},
    {"--peeks", "", "P", Type::whole, "10", "1..1000000", 1, 1000000, "tune", k_tune,
     "peek-published: looks while a configuration is measured in full.", put<&Settings::peeks>},
    {"--look-events", "", "N", Type::whole, "12", "1..1000000", 1, 1000000, "tune", k_tune,
     "peek: a look after as many rounds as the best so far needs to show so many weak outcomes.",
     put<&Settings::look_events>},
    {"--first-rounds", "", "N", Type::whole, "", "1..1000000", 1, 1000000, "tune", k_tune,
     "halving: rounds that every configuration gets; without it 3, and 4 from 80 --rounds on.",
     put<&Settings::first_rounds>},
    {"--keep-one-in", "", "N", Type::whole, "2", "2..1000", 2, 1000, "tune", k_tune,
     "halving: one in so many goes on, with so many times the rounds.", put<&Settings::keep_one_in>},
    {"--restarts", "", "N", Type::whole, "2", "0..1000", 0, 1000, "tune", k_tune,
     "How often a configuration whose rate did not stay the same is begun again before it is set aside.",
     put<&Settings::restarts>},
    {"--confirm-rounds", "", "N", Type::whole, "100", "10..1000000", 10, 1000000, "tune", k_tune,
     "Rounds on fresh seeds of the winner, of the median configuration and of no stress.",
     put<&Settings::confirm_rounds>},
    {"--explore", "", "", Type::flag, "", "", 0, 0, "tune", k_tune,
     "Measure every configuration alike: a data set for 'stats' and --replay.", put<&Settings::explore>},
    {"--executions", "", "N", Type::whole, "10000", "1..10^12", 1, 1000000000000, "tune", k_tune,
     "--explore: at least so many instances of a configuration, in at least --rounds rounds.",
     put<&Settings::executions>},
    {"--replay", "", "STORE", Type::text, "", "", 0, 0, "tune", k_tune,
     "Search in the data sets of a store in virtual time, by every strategy: how fast, and how near to the best.",
     put<&Settings::replay>},
    {"--repeats", "", "N", Type::whole, "32", "1..100000", 1, 100000, "tune", k_tune,
     "--replay: orders of the configurations that are tried.", put<&Settings::repeats>},
    {"--ablate", "", "", Type::flag, "", "", 0, 0, "tune", k_tune,
     "Measure {none, bank conflicts, stress, both} with {none, random threads, synchronisation, both}.",
     put<&Settings::ablate>},
};

}  // namespace

std::span<const OptionInfo> tune_options() { return k_rows; }

}  // namespace fencepost::cli
