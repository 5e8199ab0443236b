// Random PTX litmus tests: scopes, clusters, proxies and aliases, named barriers with quorum, proxy fences.
#include <map>

#include "draft.h"
#include "prog/syntax.h"

namespace fencepost::fuzz {

namespace {

struct Ptx {
  Rng& rng;
  Program p;
  std::vector<std::string> symbols;  // locations and aliases
  std::vector<size_t> object;        // location of each symbol
  std::vector<std::string> proxies;  // proxy of each symbol: "", generic, texture, surface, constant
  bool proxied = false;
  double fences = 1;
  bool clusters = false;

  std::string scope() {
    if (clusters && rng.chance(0.45)) {
      p.classes.insert("cluster scope");
      return "cluster";
    }
    return std::vector<std::string>{"cta", "gpu", "sys"}[weighted(rng, {4, 5, 1.5})];
  }

  // A symbol; one of the planned location, if there is a plan.
  size_t symbol(const ThreadDraft& t) {
    if (t.location < 0) return rng.below(symbols.size());
    std::vector<size_t> fitting;
    for (size_t i = 0; i < symbols.size(); ++i)
      if (object[i] == static_cast<size_t>(t.location)) fitting.push_back(i);
    return rng.pick(fitting);
  }

  // The mnemonic of an access through the proxy that fits the symbol (nine times out of ten).
  std::string through(const std::string& op, const std::string& proxy) {
    const std::string use =
        rng.chance(0.9) ? proxy : std::vector<std::string>{"", "texture", "surface", "constant"}[rng.below(4)];
    if (use != "" && use != "generic") p.classes.insert("proxy access");
    if (use == "surface") return "su" + op;
    if (op == "ld" && use == "texture") return "tld";
    if (op == "ld" && use == "constant") return "cold";
    return op;
  }

  void load(ThreadDraft& t) {
    const size_t s = symbol(t);
    const std::string op = through("ld", proxies[s]);
    const std::string r = t.fresh();
    const size_t kind = weighted(rng, {3, 3, 3});
    if (kind == 0)
      t.items.push_back(fmt::format("{}.weak {}, {}", op, r, symbols[s]));
    else
      t.items.push_back(fmt::format("{}.{}.{} {}, {}", op, kind == 1 ? "relaxed" : "acquire", scope(), r, symbols[s]));
    t.read.push_back(r);
    p.classes.insert(kind == 0 ? "plain load" : kind == 1 ? "relaxed load" : "acquire load");
  }

  void store(ThreadDraft& t) {
    const size_t s = symbol(t);
    const std::string op = through("st", proxies[s] == "surface" ? "surface" : "");
    const std::string v = value(rng, t, p);
    const size_t kind = weighted(rng, {3, 3, 3});
    if (kind == 0)
      t.items.push_back(fmt::format("{}.weak {}, {}", op, symbols[s], v));
    else
      t.items.push_back(fmt::format("{}.{}.{} {}, {}", op, kind == 1 ? "relaxed" : "release", scope(), symbols[s], v));
    p.classes.insert(kind == 0 ? "plain store" : kind == 1 ? "relaxed store" : "release store");
  }

  void rmw(ThreadDraft& t) {
    static const std::vector<std::string> k_orders = {"relaxed", "acquire", "release", "acq_rel"};
    static const std::vector<std::string> k_ops = {"add", "and", "or", "xor"};
    const size_t s = symbol(t);
    const std::string head =
        fmt::format("{}.{}.{}", proxies[s] == "surface" ? "suatom" : "atom", k_orders[rng.below(4)], scope());
    const size_t kind = weighted(rng, {2, 2, 3, 1});
    if (kind == 3) {
      t.items.push_back(
          fmt::format("red.{}.{}.add {}, {}", k_orders[rng.below(4)], scope(), symbols[s], value(rng, t, p)));
      p.classes.insert("rmw operation");
      return;
    }
    const std::string v = value(rng, t, p);
    const std::string r = t.fresh();
    if (kind == 0)
      t.items.push_back(fmt::format("{}.{} {}, {}, {}", head, k_ops[weighted(rng, {4, 1, 1, 1})], r, symbols[s], v));
    if (kind == 1) t.items.push_back(fmt::format("{}.exch {}, {}, {}", head, r, symbols[s], v));
    if (kind == 2) t.items.push_back(fmt::format("{}.cas {}, {}, {}, {}", head, r, symbols[s], rng.below(2), v));
    p.classes.insert(kind == 0 ? "rmw operation" : kind == 1 ? "rmw exchange" : "rmw compare-exchange");
    t.read.push_back(r);
  }

  void fence(ThreadDraft& t) {
    if (proxied && rng.chance(0.85)) {
      t.items.push_back("fence.proxy." + std::vector<std::string>{"alias", "generic", "constant", "texture",
                                                                  "surface"}[weighted(rng, {4, 1, 2, 2, 2})]);
      p.classes.insert("fence proxy");
      return;
    }
    const bool sc = rng.chance(0.5);
    t.items.push_back(fmt::format("fence.{}.{}", sc ? "sc" : "acq_rel", scope()));
    p.classes.insert(sc ? "fence sc" : "fence acq_rel");
  }

  void planned(ThreadDraft& t, const std::vector<PlannedAccess>& plan) {
    follow(
        rng, t, plan, [&](bool write) { rng.chance(0.12) ? rmw(t)
                                        : write          ? store(t)
                                                         : load(t); },
        [&] { rng.chance(0.8) ? fence(t) : branch(rng, t, p); });
    close_labels(rng, t, true);
  }

  void thread(ThreadDraft& t, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      switch (weighted(rng, {5, 5, 2, 2.6 * fences, 0.8, 0.8, 0.5})) {
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
          if (rng.chance(0.2))
            spin(rng, t, p, fmt::format("atom.relaxed.{}.exch {}, {}, {}", scope(), r, k_locations[0], rng.below(2)),
                 r);
          else
            spin(rng, t, p,
                 fmt::format("ld.{}.{} {}, {}", rng.chance(0.5) ? "acquire" : "relaxed", scope(), r, k_locations[0]),
                 r);
        }
      }
      close_labels(rng, t, false);
    }
    close_labels(rng, t, true);
  }

  void locations(size_t n) {
    for (size_t i = 0; i < n; ++i) {
      symbols.push_back(k_locations[i]);
      object.push_back(i);
      proxies.emplace_back();
      p.init.push_back(fmt::format("{} = {}", k_locations[i], rng.chance(0.85) ? 0 : rng.below(3)));
    }
    if (!proxied) return;
    static const std::vector<std::string> k_proxies = {"generic", "texture", "surface", "constant"};
    const size_t aliases = 1 + rng.below(2);
    for (size_t i = 0; i < aliases; ++i) {
      const std::string proxy = k_proxies[weighted(rng, {2, 2, 2, 2})];
      const std::string name = i == 0 ? "a" : "b";
      const size_t of = rng.below(n);
      p.init.push_back(fmt::format("{} @ {} aliases {}", name, proxy, k_locations[of]));
      object.push_back(of);
      symbols.push_back(name);
      proxies.push_back(proxy);
    }
    p.classes.insert("alias");
  }

  // The barrier by a register that the thread sets first, perhaps behind a jump that is never taken, so that its value
  // cannot be read off the code.
  std::string in_register(ThreadDraft& t, const std::string& text) {
    const size_t space = text.find(' ');
    const std::string r = t.fresh();
    std::vector<std::string> set = {fmt::format("add {}, {}, 0", r, text.substr(space + 1))};
    if (rng.chance(0.4)) {
      const std::string label = fmt::format("LC{:02}", t.labels++);
      set = {fmt::format("bne 0, 0, {}", label), set.front(), label + ":"};
    }
    t.items.insert(t.items.begin(), set.begin(), set.end());
    return text.substr(0, space + 1) + r;
  }

  void barriers(std::vector<ThreadDraft>& threads) {
    // Plain, with an id, with a quorum, by a register alone; a barrier with one operand here and two there is refused.
    const size_t kind = weighted(rng, {3, 3, 4, 4});
    const std::string instance = std::to_string(rng.below(2));
    const size_t rounds = rng.chance(0.25) ? 2 : 1;
    for (size_t round = 0; round < rounds; ++round)
      for (ThreadDraft& t : threads) {
        if (!rng.chance(0.85)) continue;
        const size_t mine = kind == 3 ? 0 : kind;
        const bool arrive = rng.chance(0.3);
        std::string text = fmt::format("bar.cta.{} {}", arrive ? "arrive" : "sync",
                                       rounds > 1         ? std::to_string(round)
                                       : rng.chance(0.95) ? instance
                                                          : "7");
        if (kind == 3 && !t.read.empty() && rng.chance(0.5))
          text = fmt::format("bar.cta.{} {}", arrive ? "arrive" : "sync", rng.pick(t.read));
        else if (kind == 3 && rng.chance(0.5))  // the same number, in a register that nothing else names
          text = in_register(t, text);
        if (mine >= 1)
          text += rng.chance(0.12) && !t.read.empty() ? fmt::format(", {}", rng.pick(t.read))
                                                      : fmt::format(", {}", rng.chance(0.9) ? 1 : 2);
        if (mine == 2) text += fmt::format(", {}", 1 + rng.below(threads.size()));
        p.classes.insert(mine == 0 ? "barrier plain" : mine == 1 ? "barrier named" : "barrier quorum");
        if (arrive) p.classes.insert("barrier arrive");
        if (text.find(" r") != std::string::npos) p.classes.insert("barrier register");
        if (text.find(" r") != std::string::npos)
          t.items.push_back(text);  // after what defines the register
        else
          insert_anywhere(rng, t, text);
      }
  }

  void places(size_t n) {
    const size_t kind = weighted(rng, {4, 3, 3});  // one cta, own ctas, anyhow
    std::set<std::string> seen;
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> cluster_of;  // of a gpu's CTA
    // Without places in clusters the scope is that of the CTA.
    const bool placed = clusters && rng.chance(0.85);
    for (size_t t = 0; t < n; ++t) {
      const uint64_t cta = kind == 0 ? 0 : kind == 1 ? t : rng.below(2);
      const uint64_t gpu = kind == 2 ? rng.below(2) : 0;
      p.threads[t].place = fmt::format("@cta {},gpu {}", cta, gpu);
      if (placed) {
        const auto [at, fresh] = cluster_of.emplace(std::pair(gpu, cta), 0);
        if (fresh) at->second = rng.below(2);
        p.threads[t].place = fmt::format("@cta {},cluster {},gpu {}", cta, at->second, gpu);
      }
      seen.insert(p.threads[t].place);
    }
    if (seen.size() > 1) p.classes.insert("scopes differ");
  }
};

}  // namespace

Program generate_ptx(Rng& rng) {
  Ptx g{rng, {}, {}, {}, {}, rng.chance(0.5), rng.chance(0.4) ? 2.0 : 0.8, rng.chance(0.4)};
  g.p.syntax = prog::Syntax::ptx;
  g.p.title = "fuzz";
  const Shape s = shape(rng);
  g.locations(s.locations);
  std::vector<ThreadDraft> threads(s.sizes.size());
  for (size_t t = 0; t < threads.size(); ++t)
    s.plan.empty() ? g.thread(threads[t], s.sizes[t]) : g.planned(threads[t], s.plan[t]);
  if (rng.chance(threads.size() > 1 ? 0.5 : 0.1)) g.barriers(threads);
  for (ThreadDraft& t : threads) g.p.threads.push_back({"", std::move(t.items)});
  g.places(threads.size());
  return std::move(g.p);
}

}  // namespace fencepost::fuzz
