#include "random_model.h"

#include <fmt/format.h>

#include <vector>

#include "draft.h"

namespace fencepost::fuzz {

namespace {

struct Modeller {
  Rng& rng;
  std::vector<std::string> tags;
  std::vector<std::string> relations;  // bases and what has been defined so far
  std::vector<std::string> sets;
  std::vector<std::string> recursive;  // variables of the group that is being defined

  Modeller(Rng& r, vocab::Dialect d) : rng(r) {
    const auto mask = static_cast<uint8_t>(1u << static_cast<unsigned>(d));
    for (const vocab::TagInfo& t : vocab::tags())
      if ((t.dialects & mask) != 0) tags.emplace_back(t.name);
    // The relations that decide anything are named more often.
    relations = {"po",     "rf",  "co",  "po",  "rf",  "co",  "fr",  "fr",
                 "po-loc", "rfe", "fre", "coe", "rmw", "ext", "ext", "int"};
    for (const vocab::BaseInfo& b : vocab::bases())
      if ((b.dialects & mask) != 0 && b.base != vocab::Base::lxsx) relations.emplace_back(b.name);
  }

  std::string leaf_set() {
    static const std::vector<std::string> k_common = {"R", "W", "F", "M", "_", "IW", "RMW"};
    if (!sets.empty() && rng.chance(0.3)) return rng.pick(sets);
    return rng.chance(0.5) ? k_common[rng.below(k_common.size())] : rng.pick(tags);
  }

  std::string set(int depth) {
    if (depth <= 0 || rng.chance(0.4)) return leaf_set();
    switch (weighted(rng, {3, 2, 2, 1, 1, 1})) {
      case 0:
        return fmt::format("({} | {})", set(depth - 1), set(depth - 1));
      case 1:
        return fmt::format("({} & {})", set(depth - 1), set(depth - 1));
      case 2:
        return fmt::format("({} \\ {})", set(depth - 1), set(depth - 1));
      case 3:
        return fmt::format("(~{})", set(depth - 1));
      case 4:
        return fmt::format("domain({})", relation(depth - 1, false));
      default:
        return fmt::format("range({})", relation(depth - 1, false));
    }
  }

  // `positive`: the variables of the recursive group may be used.
  std::string relation(int depth, bool positive) {
    if (positive && !recursive.empty() && rng.chance(0.35)) return rng.pick(recursive);
    if (depth <= 0 || rng.chance(0.25)) {
      if (rng.chance(0.15)) return fmt::format("[{}]", leaf_set());
      return rng.pick(relations);
    }
    const int d = depth - 1;
    switch (weighted(rng, {5, 3, 3, 4, 1.2, 1, 0.7, 0.7, 1, 1, 1.5, 0.3})) {
      case 0:
        return fmt::format("({} | {})", relation(d, positive), relation(d, positive));
      case 1:
        return fmt::format("({} & {})", relation(d, positive), relation(d, positive));
      case 2:
        return fmt::format("({} \\ {})", relation(d, positive), relation(d, false));
      case 3:
        return fmt::format("({}; {})", relation(d, positive), relation(d, positive));
      case 4:
        return fmt::format("({})^-1", relation(d, positive));
      case 5:
        return fmt::format("({})+", relation(d, positive));
      case 6:
        return fmt::format("({})*", relation(d, positive));
      case 7:
        return fmt::format("({})?", relation(d, positive));
      case 8:
        return fmt::format("[{}]", set(d));
      case 9:
        return fmt::format("({} * {})", set(d), set(d));
      case 10:
        return fmt::format("([{}]; {}; [{}])", leaf_set(), relation(d, positive), leaf_set());
      default:
        return fmt::format("(~{})", relation(d, false));
    }
  }

  std::string definitions() {
    std::string out;
    for (uint64_t i = 1 + rng.below(3); i > 0; --i) {
      const std::string name = fmt::format("s{}", sets.size());
      out += fmt::format("let {} = {}\n", name, set(2));
      sets.push_back(name);
    }
    uint32_t defined = 0;
    for (uint64_t i = 1 + rng.below(3); i > 0; --i) {
      const std::string name = fmt::format("r{}", defined++);
      out += fmt::format("let {} = {}\n", name, relation(3, false));
      relations.push_back(name);
    }
    if (rng.chance(0.4)) {
      out += fmt::format("let f(a, b) = (a; {}; b) | {}\n", relation(1, false), relation(1, false));
      out += fmt::format("let r{} = f({}, {})\n", defined, relation(1, false), relation(1, false));
      relations.push_back(fmt::format("r{}", defined++));
    }
    if (rng.chance(0.7)) {
      const size_t group = 1 + rng.below(2);
      for (size_t k = 0; k < group; ++k) recursive.push_back(fmt::format("h{}", k));
      for (size_t k = 0; k < group; ++k)
        out += fmt::format("{} h{} = {} | {}\n", k == 0 ? "let rec" : "and", k, relation(1, false), relation(2, true));
      for (const std::string& name : recursive) relations.push_back(name);
      recursive.clear();
    }
    return out;
  }

  // Something that gives the model a spine, so that it neither allows nor forbids everything.
  std::string spine() {
    switch (rng.below(6)) {
      case 0:
        return "acyclic (po-loc | rf | fr | co) as spine\n";
      case 1:
        return fmt::format("acyclic ((po & {}) | rfe | fre | co) as spine\n", relation(1, false));
      case 2:
        return fmt::format("irreflexive (fr; ({})?) as spine\n", relation(1, false));
      case 3:
        return fmt::format("acyclic ([{}]; po; [{}]) | rf | co | fr as spine\n", leaf_set(), leaf_set());
      case 4:
        return fmt::format("let hb = ([{}]; rf; [{}]) | po\nirreflexive (hb+; (rf | co | fr)?) as spine\n", leaf_set(),
                           leaf_set());
      default:
        return fmt::format("acyclic (rf | (po \\ {})) as spine\n", relation(1, false));
    }
  }

  // A flag in the shape of a data race: conflicting accesses that a random order leaves apart.
  std::string race() {
    const std::string order = relation(2, false);
    return fmt::format(
        "flag ~empty (((W * M) | (M * W)) & loc & ext) \\ (({} | {}^-1) | (IW * _) | (_ * IW)) as race\n", order,
        "(" + order + ")");
  }

  std::string axiom(size_t k) {
    static const std::vector<std::string> k_changing = {"rf", "co", "fr", "rfe", "fre", "coe"};
    const std::string pair = k_changing[rng.below(k_changing.size())];
    switch (weighted(rng, {3, 3, 3, 0.4, 2, 1})) {
      case 0:
        return fmt::format("acyclic {} & ext as a{}\n", relation(3, false), k);
      case 1:
        return fmt::format("irreflexive ({}; {}) as a{}\n", pair, relation(2, false), k);
      case 2:
        return fmt::format("empty ({} & {}) as a{}\n", pair, relation(2, false), k);
      case 3:
        return fmt::format("~empty ({}) as a{}\n", relation(2, false), k);
      case 4:
        return fmt::format("flag ~empty ({}) & {} as a{}\n", relation(2, false), relation(1, false), k);
      default:
        return fmt::format("flag ~acyclic ({} | {}) as a{}\n", pair, relation(2, false), k);
    }
  }
};

}  // namespace

std::string random_model(Rng& rng, vocab::Dialect dialect) {
  Modeller m(rng, dialect);
  std::string out = "\"random\"\n" + m.definitions();
  if (rng.chance(0.8)) out += m.spine();
  for (size_t k = 0, n = 1 + rng.below(3); k < n; ++k) out += m.axiom(k);
  if (rng.chance(0.7)) out += m.race();
  return out;
}

}  // namespace fencepost::fuzz
