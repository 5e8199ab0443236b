// Programs that people know by name, as patterns of our own writing. A pattern stands for all orders of its threads;
// where these differ, the name says which thread waits.
#include <algorithm>
#include <map>
#include <numeric>

#include "synth/code.h"

namespace fencepost::synth {
namespace {

struct Pattern {
  const char* name;
  const char* summary;
  const char* waits;  // how the name goes on where the order of threads matters; {} is the thread; "" if it does not
  uint32_t waiter;    // thread of the pattern that is {}
  const char* text;
};

constexpr Pattern k_patterns[] = {
    {"producer-consumer, one way", "One thread waits until the other has set a flag.", "thread {} waits", 0,
     R"(progress "p" x;
thread 0 { 0: if (x == 0) goto 0; }
thread 1 { x = 1; })"},
    {"producer-consumer, both ways", "A flag is set, awaited, taken back, and that is awaited.", "thread {} begins", 0,
     R"(progress "p" x;
thread 0 { x = 1; 1: if (x == 1) goto 1; }
thread 1 { 0: if (x == 0) goto 0; x = 0; })"},
    {"producer-consumer, chain of three", "The second thread waits for the first, the third for the second.",
     "thread {} waits last", 2,
     R"(progress "p" x, y;
thread 0 { x = 1; }
thread 1 { 0: if (x == 0) goto 0; y = 1; }
thread 2 { 0: if (y == 0) goto 0; })"},
    {"rendezvous", "Each thread sets its flag and waits for the other's.", "", 0,
     R"(progress "p" x, y;
thread 0 { x = 1; 1: if (y == 0) goto 1; }
thread 1 { y = 1; 1: if (x == 0) goto 1; })"},
    {"mutex, simplified", "One thread locks and unlocks; the other waits until it finds it open.", "thread {} waits", 0,
     R"(progress "p" x;
thread 0 { 0: if (x == 1) goto 0; }
thread 1 { x = 1; x = 0; })"},
    {"mutex, by exchange", "Lock by exchanging until it was open; unlock by storing (figure 2).", "", 0,
     R"(progress "p" x;
thread 0 { 0: if (exch(x, 1) == 1) goto 0; x = 0; }
thread 1 { 0: if (exch(x, 1) == 1) goto 0; x = 0; })"},
    {"mutex, by exchange, three threads", "Lock by exchanging until it was open; unlock by storing.", "", 0,
     R"(progress "p" x;
thread 0 { 0: if (exch(x, 1) == 1) goto 0; x = 0; }
thread 1 { 0: if (exch(x, 1) == 1) goto 0; x = 0; }
thread 2 { 0: if (exch(x, 1) == 1) goto 0; x = 0; })"},
    {"mutex, test and exchange", "Wait until it looks open, then exchange; unlock by storing.", "", 0,
     R"(progress "p" x;
thread 0 { 0: if (x == 1) goto 0; 1: if (exch(x, 1) == 1) goto 0; x = 0; }
thread 1 { 0: if (x == 1) goto 0; 1: if (exch(x, 1) == 1) goto 0; x = 0; })"},
    {"dining philosophers", "Two threads undo each other's exchange until one is left alone with it.",
     "thread {} gives", 0,
     R"(progress "p" x;
thread 0 { 0: if (exch(x, 0) == 1) goto 0; }
thread 1 { 0: if (exch(x, 1) == 0) goto 0; })"},
};

std::vector<Idiom> make() {
  std::vector<Idiom> all;
  for (const Pattern& p : k_patterns) {
    const auto parsed = axb::parse(make_source("<idiom>", p.text));
    FENCEPOST_INVARIANT(parsed.has_value() && parsed->size() == 1, "the patterns of idioms are well-formed");
    const Program program = from_test(parsed->front());
    std::vector<uint32_t> order(program.size());
    std::iota(order.begin(), order.end(), 0u);
    do {
      Program q;
      for (const uint32_t t : order) q.push_back(program[t]);
      q = with_locations_in_order(q);
      Idiom i{p.name, p.summary, to_test(q, locations_used(q))};
      if (*p.waits != 0) {
        std::string waits = p.waits;
        const auto at = std::find(order.begin(), order.end(), p.waiter) - order.begin();
        waits.replace(waits.find("{}"), 2, std::to_string(at));
        i.name += " (" + waits + ")";
      }
      i.test.name = i.name;
      const auto same = [&](const Idiom& o) { return o.test.threads == i.test.threads; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(std::move(i));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return all;
}

bool small(const axb::Test& t) {
  if (t.threads.size() > k_max_threads || t.locations.size() > k_max_locations) return false;
  for (const auto& l : t.locations)
    if (l.init != 0) return false;
  for (const auto& th : t.threads) {
    if (th.code.size() > k_max_instructions) return false;
    for (const auto& i : th.code)
      if (i.check >= k_max_values || i.value >= k_max_values || i.compares) return false;
  }
  return true;
}

const std::map<Program, std::string>& names() {
  static const std::map<Program, std::string> k_names = [] {
    std::map<Program, std::string> m;
    for (const Idiom& i : make()) m.emplace(from_test(i.test), i.name);
    return m;
  }();
  return k_names;
}

}  // namespace

std::vector<Idiom> idioms() { return make(); }

std::string idiom_of(const axb::Test& test) {
  if (!small(test)) return "";
  const auto at = names().find(with_locations_in_order(from_test(test)));
  return at == names().end() ? "" : at->second;
}

}  // namespace fencepost::synth
