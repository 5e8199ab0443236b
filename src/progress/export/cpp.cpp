// C++ threads. The watchdog is a flag which the loops read: the only target whose participants can be stopped for
// certain.
#include <fmt/format.h>

#include <algorithm>

#include "export/plan.h"

namespace fencepost::exports {
namespace {

std::string_view order_of(Order o, bool load) {
  switch (o) {
    case Order::relaxed:
      return "std::memory_order_relaxed";
    case Order::acq_rel:
      return load ? "std::memory_order_acquire" : "std::memory_order_acq_rel";
    case Order::seq_cst:
      return "std::memory_order_seq_cst";
  }
  return "";
}

constexpr std::string_view k_main = R"(
// Starts all threads, lets them go at once and waits for the counter or the time-out. Returns how many ended.
unsigned run_once(const Test& test, unsigned seconds, unsigned& first_without_end, bool show_memory) {
  std::vector<Word> memory(std::size_t{test.locations} * test.words);
  for (unsigned l = 0; l < test.locations; ++l)
    for (unsigned w = 0; w < test.words; ++w) memory[std::size_t{l} * test.words + w].store(test.initial[l]);
  std::atomic<unsigned> counter{0};
  std::atomic<bool> go{false}, stop{false};
  std::vector<char> ended(test.total, 0);
  std::vector<std::thread> pool;
  pool.reserve(test.total);
  for (unsigned gid = 0; gid < test.total; ++gid)
    pool.emplace_back([&, gid] {
      go.wait(false);
      const Role role = test.role(gid);
      if (role.takes_part && !test.run(role.thread, role.instance, memory.data(), stop)) return;
      ended[gid] = 1;
      counter.fetch_add(1);
    });
  go.store(true);
  go.notify_all();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (counter.load() != test.total && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  stop.store(true);
  for (auto& thread : pool) thread.join();
  first_without_end = 0;
  while (first_without_end < test.total && ended[first_without_end]) ++first_without_end;
  for (unsigned l = 0; show_memory && l < test.locations; ++l) {
    std::printf("%s location %u:", test.name, l);
    for (unsigned w = 0; w < test.words; ++w) std::printf(" %u", memory[std::size_t{l} * test.words + w].load());
    std::printf("\n");
  }
  return counter.load();
}

int usage(const char* program) {
  std::fprintf(stderr, "usage: %s [--runs N] [--seconds S] [--test NAME] [--roles | --memory]\n", program);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  unsigned runs = k_runs, seconds = k_seconds;
  bool roles = false, memory = false;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--roles" || option == "--memory") {
      (option == "--roles" ? roles : memory) = true;
      continue;
    }
    if (i + 1 == argc) return usage(argv[0]);
    const std::string value = argv[++i];
    if (option == "--runs") runs = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    else if (option == "--seconds") seconds = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    else if (option == "--test") only = value;
    else return usage(argv[0]);
  }
  if (runs == 0 || seconds == 0) return usage(argv[0]);
  unsigned tests = 0, failed = 0;
  for (const Test& test : k_tests) {
    if (!only.empty() && only != test.name) continue;
    ++tests;
    if (roles) {
      for (unsigned gid = 0; gid < test.total; ++gid) {
        const Role role = test.role(gid);
        if (role.takes_part) std::printf("%s id %u thread %u instance %u\n", test.name, gid, role.thread, role.instance);
        else std::printf("%s id %u no role\n", test.name, gid);
      }
      continue;
    }
    bool all_ended = true;
    for (unsigned run = 1; run <= runs && all_ended; ++run) {
      unsigned stuck = 0;
      const unsigned counted = run_once(test, seconds, stuck, memory);
      if (counted == test.total) continue;
      all_ended = false;
      const Role role = test.role(stuck);
      std::printf("%s: timed out after %u s in run %u: %u of %u ended; id %u (thread %u of instance %u) did not\n", test.name,
                  seconds, run, counted, test.total, stuck, role.thread, role.instance);
    }
    if (all_ended) std::printf("%s: all %u ended, %u of %u runs\n", test.name, test.total, runs, runs);
    std::fflush(stdout);
    failed += !all_ended;
  }
  if (tests == 0) {
    std::fprintf(stderr, "no test is called '%s'\n", only.c_str());
    return 2;
  }
  if (roles) return 0;
  std::printf("%u tests, %u failed\n", tests, failed);
  return failed == 0 ? 0 : 1;
}
)";

}  // namespace

std::string print_cpp(const std::vector<Plan>& plans, const Options& o) {
  const Dialect d{
      .uint = "unsigned", .function = "", .instance = true, .going = " && !stop.load(std::memory_order_relaxed)"};
  size_t most = 1;
  for (const auto& p : plans) most = std::max(most, p.test->locations.size());
  std::string out = heading(plans, o);
  out +=
      "//\n// Build: c++ -std=c++20 -O2 -pthread FILE.cpp.   Run: ./a.out [--runs N] [--seconds S] [--test NAME]; "
      "--memory\n"
      "// prints every location after each run, --roles the mapping alone. Exit code: 0 when every run ended, 1 when "
      "one timed\n"
      "// out, 2 when used wrongly. The time-out sets a flag that the loops read, so that the program ends by "
      "itself.\n";
  out +=
      "#include <atomic>\n#include <chrono>\n#include <cstddef>\n#include <cstdio>\n#include <cstdlib>\n#include "
      "<string>\n"
      "#include <thread>\n#include <vector>\n\nnamespace {\n\n";
  out += fmt::format(
      "using Word = std::atomic<unsigned>;\nconstexpr unsigned k_runs = {}, k_seconds = {};\n\nstruct Role {{\n  "
      "unsigned thread, instance;\n  bool "
      "takes_part;\n}};\n\n",
      o.runs, o.time_out);
  out += fmt::format(
      "[[maybe_unused]] unsigned exchange(Word* word, unsigned value) {{ return word->exchange(value, {}); }}\n",
      order_of(o.order, false));
  out += o.loads == Loads::add
             ? fmt::format("[[maybe_unused]] unsigned fetch(Word* word) {{ return word->fetch_add(0u, {}); }}\n\n",
                           order_of(o.order, false))
             : fmt::format("[[maybe_unused]] unsigned fetch(Word* word) {{ return word->load({}); }}\n\n",
                           order_of(o.order, true));
  out += hybrid_functions(o, d);
  for (const auto& p : plans) {
    const auto used = used_locations(*p.test);
    out += description(p);
    out += fmt::format("Role {}_role(unsigned gid) {{\n{}  return {{thread, instance, takes_part}};\n}}\n", p.name,
                       role(p, d));
    // False: stopped by the time-out.
    out += fmt::format(
        "bool {}([[maybe_unused]] unsigned thread, [[maybe_unused]] unsigned instance, [[maybe_unused]] Word* memory,\n"
        "    [[maybe_unused]] const std::atomic<bool>& stop) {{\n  bool ended = true;\n",
        p.name);
    for (size_t l = 0; l < used.size(); ++l)
      if (used[l]) out += fmt::format("  Word* {} = {};\n", p.locations[l], word_of(p, l));
    out += threads(p, d, 2) + "  return ended;\n}\n\n";
  }
  out += fmt::format(
      "struct Test {{\n  const char* name;\n  Role (*role)(unsigned gid);\n"
      "  bool (*run)(unsigned thread, unsigned instance, Word* memory, const std::atomic<bool>& stop);\n"
      "  unsigned total;             // threads started\n  unsigned locations, words;  // words: of one location over "
      "all instances\n  unsigned initial[{}];\n}};\n"
      "constexpr Test k_tests[] = {{\n",
      most);
  for (const auto& p : plans) {
    std::string initial;
    for (const auto& l : p.test->locations) initial += fmt::format("{}{}u", initial.empty() ? "" : ", ", l.init);
    out += fmt::format("    {{\"{0}\", {0}_role, {0}, {1}, {2}, {3}, {{{4}}}}},\n", p.name, p.layout.total,
                       p.test->locations.size(), p.words, initial);
  }
  out += "};\n";
  return out + std::string(k_main);
}

}  // namespace fencepost::exports
