// Small kernels (tests/golden/records): the verdict, and what it is made of: what the analyses say of loops, branches
// and arrays; facts, accesses, barriers and questions of the run of two threads; the answer. The verdict is what
// matters. The rest shows what changes in a proof where no verdict does: FENCEPOST_RECORD=1 writes it anew, to be read.
//
// A kernel begins with a line "=== NAME EXIT OPTIONS", where EXIT is 0 only where the kernel is right, and 1 only where
// it is wrong; "-": it is not decided here (a run takes long, or the truth is not known). Its record stands in the file
// beside it.
#include "record.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "decide.h"
#include "flow/flags.h"
#include "verifier/engine_options.h"

namespace fencepost::verifier {
namespace {

struct Kernel {
  std::string name, text;
  std::string exit_code;
  std::vector<std::string> options;
};

std::string file(const std::string& name) {
  return std::string(FENCEPOST_SOURCE_DIR) + "/tests/golden/records/" + name;
}

std::vector<Kernel> read_kernels(const std::string& group) {
  std::ifstream in(file(group + ".kernels"));
  std::vector<Kernel> out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== ")) {
      std::istringstream words(line.substr(4));
      Kernel k;
      words >> k.name >> k.exit_code;
      for (std::string w; words >> w;) k.options.push_back(w);
      out.push_back(std::move(k));
    } else if (!out.empty()) {
      out.back().text += line + "\n";
    }
  }
  return out;
}

std::map<std::string, std::string> read_records(const std::string& group) {
  std::ifstream in(file(group + ".record"));
  std::map<std::string, std::string> out;
  std::string name;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("=== "))
      name = line.substr(4);
    else
      out[name] += line + "\n";
  return out;
}

// `orders`: also what may order threads, but for barriers of all.
std::string record(const Kernel& k, bool orders) {
  const bool cuda = k.name.ends_with(".cu");
  auto words = k.options;
  auto o = launch::parse(words);
  if (!o) return "options\n";
  o->dialect = cuda ? ir::Dialect::cuda : ir::Dialect::opencl;
  clangfe::Options c;
  c.dialect = *o->dialect;
  c.pointer_bits = 64;
  c.inline_calls = o->inline_calls;
  auto unit = clangfe::read(make_source(k.name, k.text), c);
  if (!unit) return render(unit.error());
  ir::Module& m = unit->module;
  if (cuda) flow::strengthen_flags(m);
  const flow::Effects effects(m);
  std::string out;
  for (uint32_t f = 0; f < m.functions.size(); ++f) {
    if (!m.functions[f].kernel) continue;
    prove::Options p = engine_options(*o, m, m.functions[f]);
    p.jobs = 1;
    for (const ir::Block& b : m.functions[f].blocks)
      for (const ir::Instruction& in : b.instructions)
        if (const auto* at = std::get_if<ir::Atomic>(&in.action); at != nullptr && at->spelling.starts_with("volatile"))
          out += fmt::format("flag: {} at {}\n", at->spelling, m.places[in.place.index].line);
    out += "-- flow\n" + flow_record(m, {f}, p.launch);
    out +=
        "-- within a group\n" + trace_record(m, effects, {f}, p, order::Pairing::same_group, order::Lanes::any, orders);
    if (effects.function({f}).warp_barrier)
      out += "-- within a warp\n" +
             trace_record(m, effects, {f}, p, order::Pairing::same_group, order::Lanes::same_warp, orders);
    out += "-- between groups\n" +
           trace_record(m, effects, {f}, p, order::Pairing::other_group, order::Lanes::any, orders);
    out += "-- answer\n" + answer_record(m, {f}, p);
    // Functions that stay functions, from the states that this kernel gives them.
    for (const auto& [g, contract] : prove::prove(m, {f}, p, Job{}).contracts) {
      prove::Options called = p;
      called.contract = contract;
      out += fmt::format("-- function {}\n", m.functions[g].name);
      for (const auto pairing : {order::Pairing::same_group, order::Pairing::other_group})
        out += trace_record(m, effects, {g}, called, pairing, order::Lanes::any);
      out += answer_record(m, {g}, called);
    }
  }
  return out;
}

bool of_orders(std::string_view group) {
  return group == "messages" || group == "tickets" || group == "meetings" || group == "orders" || group == "pairs" ||
         group.starts_with("drawn");
}

constexpr size_t k_parts = 4;  // of a group: a test case each

class Records : public testing::TestWithParam<std::tuple<const char*, size_t>> {
 protected:
  void SetUp() override {
    if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
    const auto& [name, part] = GetParam();
    const std::vector<Kernel> all = read_kernels(name);
    for (size_t i = part; i < all.size(); i += k_parts) kernels.push_back(all[i]);
    ASSERT_FALSE(kernels.empty());
  }
  std::vector<Kernel> kernels;
};

// Forms that showed as gaps when faults were planted.
INSTANTIATE_TEST_SUITE_P(Further, Records,
                         testing::Combine(testing::Values("further"), testing::Range(size_t{0}, k_parts)),
                         [](const auto& i) { return "further_" + std::to_string(std::get<1>(i.param)); });

TEST_P(Records, VerdictsAreThoseThatAreKept) {
  for (const Kernel& k : kernels) {
    if (k.exit_code == "-") continue;
    std::vector<Case> one{{k.name.c_str(), k.text.c_str(), std::stoi(k.exit_code), "", k.options, true}};
    one[0].options.push_back("--no-attack");
    decide(one);
  }
}

TEST_P(Records, WhatTheyAreMadeOfIsToo) {
  const auto& [name, part] = GetParam();
  if (std::getenv("FENCEPOST_RECORD") != nullptr) {
    if (part != 0) GTEST_SKIP() << "written with the first part";
    std::ofstream out(file(std::string(name) + ".record"));
    for (const Kernel& k : read_kernels(name)) out << "=== " << k.name << "\n" << record(k, of_orders(name));
    return;
  }
  auto kept = read_records(name);
  for (const Kernel& k : kernels) EXPECT_EQ(kept[k.name], record(k, of_orders(name))) << k.name;
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Records,
    testing::Combine(testing::Values("loops", "counting", "flow", "calls", "annotations", "memory", "rows", "counts",
                                     "ways", "tickets_1", "tickets_2", "tickets_3", "meetings_1", "meetings_2",
                                     "meetings_3", "meetings_4", "meetings_5", "values_1", "values_2", "values_3",
                                     "values_4", "more_1", "more_2"),
                     testing::Range(size_t{0}, k_parts)),
    [](const auto& i) { return std::string(std::get<0>(i.param)) + "_" + std::to_string(std::get<1>(i.param)); });

INSTANTIATE_TEST_SUITE_P(Orders, Records,
                         testing::Combine(testing::Values("messages", "tickets", "meetings", "orders", "pairs"),
                                          testing::Range(size_t{0}, k_parts)),
                         [](const auto& i) {
                           return std::string(std::get<0>(i.param)) + "_" + std::to_string(std::get<1>(i.param));
                         });

// Changes of the kernels above, drawn at random, that lead to places of the prover that few of those come to. Nobody
// has said what is true of most of them: their records show what changes.
INSTANTIATE_TEST_SUITE_P(Drawn, Records,
                         testing::Combine(testing::Values("drawn_1", "drawn_2", "drawn_3"),
                                          testing::Range(size_t{0}, k_parts)),
                         [](const auto& i) {
                           return std::string(std::get<0>(i.param)) + "_" + std::to_string(std::get<1>(i.param));
                         });

}  // namespace
}  // namespace fencepost::verifier
