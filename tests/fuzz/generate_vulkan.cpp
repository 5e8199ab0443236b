// Random VULKAN litmus tests: storage classes, availability and visibility, system-synchronizes-with.
#include "draft.h"
#include "prog/syntax.h"

namespace fencepost::fuzz {

namespace {

struct Vulkan {
  Rng& rng;
  Program p;
  std::vector<std::string> symbols;
  std::vector<std::string> storage;  // "sc0", ... of each symbol
  bool careful = false;              // non-private accesses with availability and visibility: fewer races
  double fences = 1;

  std::string scope() { return std::vector<std::string>{"sg", "wg", "qf", "dv"}[weighted(rng, {1, 4, 2, 5})]; }
  std::string class_of(size_t s) { return rng.chance(0.94) ? storage[s] : "sc0"; }
  std::string semantics() {
    return std::vector<std::string>{".semsc0", ".semsc0.semsc1", ".semsc1"}[weighted(rng, {7, 3, 1})];
  }
  // The planned location, if there is a plan.
  size_t symbol(const ThreadDraft& t) {
    return t.location < 0 ? rng.below(symbols.size()) : static_cast<size_t>(t.location);
  }

  std::string sem_tail(bool release, bool acquire) {
    std::string out;
    if (release && rng.chance(0.35)) out += ".semav";
    if (acquire && rng.chance(0.35)) out += ".semvis";
    if (!out.empty()) p.classes.insert("sem av or vis");
    return out;
  }

  void load(ThreadDraft& t) {
    const size_t s = symbol(t);
    const std::string sc = class_of(s);
    std::string head;
    switch (weighted(rng, {careful ? 0.3 : 1.5, 0.8, careful ? 4.0 : 1.5, 2, 3})) {
      case 0:
        head = "ld." + sc;
        p.classes.insert("plain load");
        break;
      case 1:
        head = "ld.nonpriv." + sc;
        p.classes.insert("plain load");
        break;
      case 2:
        head = fmt::format("ld.vis.{}.{}", scope(), sc);
        p.classes.insert("av or vis access");
        break;
      case 3:
        head = fmt::format("ld.atom.{}.{}", scope(), sc);
        p.classes.insert("relaxed load");
        break;
      default:
        head = fmt::format("ld.atom.acq.{}.{}{}{}", scope(), sc, semantics(), sem_tail(false, true));
        p.classes.insert("acquire load");
    }
    const std::string r = t.fresh();
    t.items.push_back(fmt::format("{} {}, {}", head, r, symbols[s]));
    t.read.push_back(r);
  }

  void store(ThreadDraft& t) {
    const size_t s = symbol(t);
    const std::string sc = class_of(s);
    std::string head;
    switch (weighted(rng, {careful ? 0.3 : 1.5, 0.8, careful ? 4.0 : 1.5, 2, 3})) {
      case 0:
        head = "st." + sc;
        p.classes.insert("plain store");
        break;
      case 1:
        head = "st.nonpriv." + sc;
        p.classes.insert("plain store");
        break;
      case 2:
        head = fmt::format("st.av.{}.{}", scope(), sc);
        p.classes.insert("av or vis access");
        break;
      case 3:
        head = fmt::format("st.atom.{}.{}", scope(), sc);
        p.classes.insert("relaxed store");
        break;
      default:
        head = fmt::format("st.atom.rel.{}.{}{}{}", scope(), sc, semantics(), sem_tail(true, false));
        p.classes.insert("release store");
    }
    t.items.push_back(fmt::format("{} {}, {}", head, symbols[s], value(rng, t, p)));
  }

  void rmw(ThreadDraft& t) {
    const size_t s = symbol(t);
    static const std::vector<std::string> k_orders = {"", ".acq", ".rel", ".acq_rel"};
    const std::string order = k_orders[rng.below(4)];
    std::string head = fmt::format("rmw.atom{}.{}.{}", order, scope(), class_of(s));
    if (!order.empty()) head += semantics() + sem_tail(order != ".acq", order != ".rel");
    const bool exchange = rng.chance(0.45);
    if (!exchange) head += std::vector<std::string>{".add", ".or", ".xor"}[weighted(rng, {4, 1, 1})];
    p.classes.insert(exchange ? "rmw exchange" : "rmw operation");
    const std::string v = value(rng, t, p);
    const std::string r = t.fresh();
    t.items.push_back(fmt::format("{} {}, {}, {}", head, r, symbols[s], v));
    t.read.push_back(r);
  }

  void fence(ThreadDraft& t) {
    switch (weighted(rng, {4, 1.6, 1.6})) {
      case 1:
        t.items.emplace_back("avdevice");
        p.classes.insert("avdevice");
        return;
      case 2:
        t.items.emplace_back("visdevice");
        p.classes.insert("visdevice");
        return;
      default:
        break;
    }
    const size_t kind = rng.below(3);
    const std::string order = std::vector<std::string>{"acq", "rel", "acq_rel"}[kind];
    t.items.push_back(fmt::format("membar.{}.{}{}{}", order, scope(), semantics(), sem_tail(kind != 0, kind != 1)));
    p.classes.insert(kind == 2 ? "fence acq_rel" : "fence one-sided");
  }

  void planned(ThreadDraft& t, const std::vector<PlannedAccess>& plan) {
    follow(
        rng, t, plan, [&](bool write) { rng.chance(0.12) ? rmw(t)
                                        : write          ? store(t)
                                                         : load(t); },
        [&] { rng.chance(0.85) ? fence(t) : branch(rng, t, p); });
    close_labels(rng, t, true);
  }

  void thread(ThreadDraft& t, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      switch (weighted(rng, {5, 5, 1.8, 2.6 * fences, 0.8, 0.8, 0.5})) {
        case 0:
          load(t);
          break;
        case 1:
          store(t);
          break;
        case 2:
          rmw(t);
          break;
        case 3:
          fence(t);
          break;
        case 4:
          arithmetic(rng, t, p);
          break;
        case 5:
          branch(rng, t, p);
          break;
        default: {
          const std::string r = t.fresh();
          spin(rng, t, p, fmt::format("ld.atom.acq.{}.{}.semsc0 {}, x", scope(), storage[0], r), r);
        }
      }
      close_labels(rng, t, false);
    }
    close_labels(rng, t, true);
  }

  void locations(size_t n) {
    for (size_t i = 0; i < n; ++i) {
      symbols.push_back(k_locations[i]);
      storage.push_back(rng.chance(0.8) ? "sc0" : "sc1");
      p.init.push_back(fmt::format("{} = {}", k_locations[i], rng.chance(0.85) ? 0 : rng.below(3)));
    }
    if (rng.chance(0.15)) {
      const size_t of = rng.below(n);
      p.init.push_back(fmt::format("a aliases {}", k_locations[of]));
      symbols.emplace_back("a");
      storage.push_back(storage[of]);
      p.classes.insert("alias");
    }
  }

  void barriers(std::vector<ThreadDraft>& threads) {
    const size_t kind = weighted(rng, {3, 3, 4, 2});
    const std::string instance = std::to_string(rng.below(2));
    for (ThreadDraft& t : threads) {
      if (!rng.chance(0.85)) continue;
      const size_t mine = kind == 3 ? rng.below(3) : kind;
      const std::string order = std::vector<std::string>{"", ".acq", ".rel", ".acq_rel"}[weighted(rng, {3, 1, 1, 4})];
      std::string text = "cbar" + order + "." + (rng.chance(0.8) ? "wg" : scope());
      if (!order.empty()) text += semantics() + sem_tail(order != ".acq", order != ".rel");
      text += " " + (rng.chance(0.95) ? instance : std::string("7"));
      if (mine >= 1)
        text += rng.chance(0.12) && !t.read.empty() ? fmt::format(", {}", rng.pick(t.read))
                                                    : fmt::format(", {}", rng.chance(0.9) ? 1 : 2);
      if (mine == 2) text += fmt::format(", {}", 1 + rng.below(threads.size()));
      p.classes.insert(mine == 0 ? "barrier plain" : mine == 1 ? "barrier named" : "barrier quorum");
      if (text.find(", r") != std::string::npos)
        t.items.push_back(text);
      else
        insert_anywhere(rng, t, text);
    }
  }

  void places(size_t n) {
    const size_t kind = weighted(rng, {3, 3, 2, 2});  // one workgroup, own workgroups, one subgroup, anyhow
    std::set<std::string> seen;
    for (size_t t = 0; t < n; ++t) {
      const uint64_t sg = kind == 2 ? 0 : kind == 3 ? rng.below(2) : t;
      const uint64_t wg = kind == 1 ? t : kind == 3 ? rng.below(2) : 0;
      const uint64_t qf = kind == 3 ? rng.below(2) : 0;
      p.threads[t].place = fmt::format("@sg {}, wg {}, qf {}", sg, wg, qf);
      seen.insert(p.threads[t].place);
    }
    if (seen.size() > 1) p.classes.insert("scopes differ");
    if (n > 1 && rng.chance(0.25)) {
      const size_t pairs = 1 + rng.below(2);
      for (size_t i = 0; i < pairs; ++i) {
        const int a = static_cast<int>(rng.below(n));
        p.ssw.emplace_back(a, (a + 1 + static_cast<int>(rng.below(n - 1))) % static_cast<int>(n));
      }
      p.classes.insert("ssw");
    }
  }
};

}  // namespace

Program generate_vulkan(Rng& rng) {
  Vulkan g{rng, {}, {}, {}, rng.chance(0.5), rng.chance(0.4) ? 2.0 : 1.0};
  g.p.syntax = prog::Syntax::vulkan;
  g.p.title = "fuzz";
  const Shape s = shape(rng);
  g.locations(s.locations);
  std::vector<ThreadDraft> threads(s.sizes.size());
  for (size_t t = 0; t < threads.size(); ++t)
    s.plan.empty() ? g.thread(threads[t], s.sizes[t]) : g.planned(threads[t], s.plan[t]);
  if (rng.chance(threads.size() > 1 ? 0.35 : 0.1)) g.barriers(threads);
  for (ThreadDraft& t : threads) g.p.threads.push_back({"", std::move(t.items)});
  g.places(threads.size());
  return std::move(g.p);
}

}  // namespace fencepost::fuzz
