// Random CUDA litmus tests: atomic functions and fences of three scopes, plain and volatile accesses, shared memory,
// barriers of blocks and warps, types of several widths.
#include "draft.h"

namespace fencepost::fuzz {

namespace {

struct Cuda {
  Rng& rng;
  Program p;
  std::vector<std::string> types = {};  // of each location
  size_t locations = 1;
  double fences = 1;
  bool warps = false;

  std::string ending() { return std::vector<std::string>{"", "_block", "_system"}[weighted(rng, {5, 3, 1.5})]; }
  std::string location(const ThreadDraft& t) {
    return k_locations[t.location >= 0 ? static_cast<size_t>(t.location) : rng.below(locations)];
  }
  std::string declared() { return rng.chance(0.8) ? "int" : "unsigned int"; }

  std::string atomic(ThreadDraft& t, bool wanted, bool write) {
    const std::string x = location(t);
    const size_t kind = write ? weighted(rng, {2, 4, 2}) : weighted(rng, {5, 1, 2});
    std::string call;
    if (kind == 0) {
      const std::string op = one_of(rng, {"Add", "Sub", "Max", "Min", "Or", "And", "Xor"});
      call = write ? fmt::format("atomic{}{}({}, {})", op, ending(), x, value(rng, t, p))
                   : fmt::format("atomicAdd{}({}, 0)", ending(), x);
      p.classes.insert("rmw operation");
    } else if (kind == 1) {
      call = fmt::format("atomicExch{}({}, {})", ending(), x, value(rng, t, p));
      p.classes.insert("rmw exchange");
    } else {
      call = fmt::format("atomicCAS{}({}, {}, {})", ending(), x, rng.below(2), value(rng, t, p));
      p.classes.insert("rmw compare-exchange");
    }
    if (!wanted) return call + ";";
    const std::string r = t.fresh();
    t.read.push_back(r);
    return fmt::format("{} {} = {};", declared(), r, call);
  }
  std::string load(ThreadDraft& t) {
    if (rng.chance(0.55)) return atomic(t, true, false);
    const std::string x = location(t);
    const std::string r = t.fresh();
    t.read.push_back(r);
    p.classes.insert("plain load");
    return fmt::format("{} {} = *{};", declared(), r, x);
  }
  std::string store(ThreadDraft& t) {
    if (rng.chance(0.55)) return atomic(t, rng.chance(0.4), true);
    p.classes.insert("plain store");
    return fmt::format("*{} = {};", location(t), value(rng, t, p));
  }
  std::string fence() {
    p.classes.insert("fence sc");
    return fmt::format("__threadfence{}();", ending());
  }
  std::string conditional(ThreadDraft& t) {
    p.classes.insert("branch");
    if (!t.read.empty()) p.classes.insert("control dependency");
    const std::string head = fmt::format("if ({} {} {})", t.read.empty() ? constant(rng) : rng.pick(t.read),
                                         rng.chance(0.6) ? "==" : "!=", rng.below(2));
    const std::vector<std::string> before = t.read;
    std::string body = rng.chance(0.8) ? store(t) : fence();
    t.read = before;
    return head + " { " + body + " }";
  }

  void thread(ThreadDraft& t, const std::vector<PlannedAccess>& plan, size_t size) {
    const auto add = [&](std::string s) { t.items.push_back(std::move(s)); };
    if (!plan.empty()) {
      follow(rng, t, plan, [&](bool write) { add(write ? store(t) : load(t)); }, [&] { add(fence()); });
      return;
    }
    for (size_t i = 0; i < size; ++i) switch (weighted(rng, {5, 5, 2 * fences, 1})) {
        case 0:
          add(load(t));
          break;
        case 1:
          add(store(t));
          break;
        case 2:
          add(fence());
          break;
        default:
          add(conditional(t));
      }
  }

  void memory(size_t n) {
    locations = n;
    for (size_t i = 0; i < n; ++i) {
      const bool shared = rng.chance(0.12), is_volatile = rng.chance(0.15);
      types.push_back(declared());
      if (types.back() != "int") p.classes.insert("types differ");
      p.init.push_back(fmt::format("{} = {}", k_locations[i], rng.chance(0.85) ? 0 : rng.below(3)));
      p.parameters += fmt::format("{}{}{}{}* {}", i == 0 ? "" : ", ", shared ? "__shared__ " : "",
                                  is_volatile ? "volatile " : "", types.back(), k_locations[i]);
    }
  }

  void barriers(std::vector<ThreadDraft>& threads) {
    const std::string barrier = warps && rng.chance(0.5) ? "__syncwarp" : "__syncthreads";
    for (ThreadDraft& t : threads)
      if (rng.chance(0.9)) {
        insert_anywhere(rng, t, barrier + "();");
        p.classes.insert("barrier plain");
      }
  }

  void places(size_t n) {
    const size_t kind = weighted(rng, {4, 3, 3});
    std::set<std::string> seen;
    for (size_t t = 0; t < n; ++t) {
      const uint64_t block = kind == 0 ? 0 : kind == 1 ? t : rng.below(2);
      p.threads[t].place = fmt::format("@{}block {}, device {}", warps ? fmt::format("warp {}, ", rng.below(2)) : "",
                                       block, kind == 2 ? rng.below(2) : 0);
      seen.insert(p.threads[t].place);
    }
    if (seen.size() > 1) p.classes.insert("scopes differ");
  }
};

}  // namespace

Program generate_cuda(Rng& rng) {
  Cuda g{rng, {}, {}, 1, rng.chance(0.4) ? 2.0 : 0.8, rng.chance(0.3)};
  g.p.syntax = prog::Syntax::cuda;
  g.p.title = "fuzz";
  const Shape s = shape(rng);
  g.memory(s.locations);
  std::vector<ThreadDraft> threads(s.sizes.size());
  for (size_t t = 0; t < threads.size(); ++t)
    g.thread(threads[t], s.plan.empty() ? std::vector<PlannedAccess>{} : s.plan[t], s.sizes[t]);
  if (rng.chance(threads.size() > 1 ? 0.3 : 0.05)) g.barriers(threads);
  for (ThreadDraft& t : threads) g.p.threads.push_back({"", std::move(t.items)});
  g.places(threads.size());
  return std::move(g.p);
}

}  // namespace fencepost::fuzz
