// Random GPU_PTX tests, the format of the 2014 thesis: cache operators, volatile, membar, memory regions,
// addresses in registers (for address dependencies), predicates.
#include "draft.h"
#include "prog/syntax.h"

namespace fencepost::fuzz {

namespace {

// Registers are r<n> for values, d<n> for addresses, p<n> for predicates; d0, d1, ... start as the locations.
struct Draft : ThreadDraft {
  uint32_t pointers = 0;
  uint32_t predicates = 0;
};

struct GpuPtx {
  Rng& rng;
  Program p;
  size_t locations = 2;

  std::string pointer(Draft& t) {
    const std::string base =
        fmt::format("d{}", t.location < 0 ? rng.below(locations) : static_cast<size_t>(t.location));
    if (t.read.empty() || !rng.chance(0.35)) return base;
    // r ^ r is zero, but depends on the read.
    const std::string zero = t.fresh(), from = rng.pick(t.read);
    const std::string wide = fmt::format("d{}", t.pointers++), at = fmt::format("d{}", t.pointers++);
    t.items.push_back(fmt::format("xor.b32 {}, {}, {}", zero, from, from));
    t.items.push_back(fmt::format("cvt.u64.u32 {}, {}", wide, zero));
    t.items.push_back(fmt::format("add.u64 {}, {}, {}", at, base, wide));
    p.classes.insert("address dependency");
    p.classes.insert("local arithmetic");
    return at;
  }

  // "" or "@p0 ", with the instruction that sets the predicate.
  std::string guard(Draft& t) {
    if (t.read.empty() || !rng.chance(0.15)) return "";
    const std::string name = fmt::format("p{}", t.predicates++);
    t.items.push_back(
        fmt::format("setp.{}.s32 {}, {}, {}", rng.chance(0.5) ? "eq" : "ne", name, rng.pick(t.read), rng.below(2)));
    p.classes.insert("branch");
    p.classes.insert("control dependency");
    return fmt::format("@{}{} ", rng.chance(0.3) ? "!" : "", name);
  }

  void load(Draft& t) {
    const std::string at = pointer(t);
    const std::string when = guard(t);
    const std::string r = t.fresh();
    const size_t kind = weighted(rng, {3, 2, 3});
    t.items.push_back(fmt::format("{}ld.{}.s32 {}, [{}]", when,
                                  kind == 0   ? "cg"
                                  : kind == 1 ? "ca"
                                              : "volatile",
                                  r, at));
    t.read.push_back(r);
    p.classes.insert(kind == 2 ? "relaxed load" : "plain load");
  }

  void store(Draft& t) {
    const std::string at = pointer(t);
    const std::string when = guard(t);
    const bool is_volatile = rng.chance(0.4);
    t.items.push_back(fmt::format("{}st.{}.s32 [{}], {}", when, is_volatile ? "volatile" : "cg", at, value(rng, t, p)));
    p.classes.insert(is_volatile ? "relaxed store" : "plain store");
  }

  void rmw(Draft& t) {
    const std::string at = pointer(t);
    const std::string v = value(rng, t, p);
    const std::string r = t.fresh();
    const size_t kind = weighted(rng, {2, 2, 3});
    if (kind == 0) t.items.push_back(fmt::format("atom.add.s32 {}, [{}], {}", r, at, v));
    if (kind == 1) t.items.push_back(fmt::format("atom.exch.s32 {}, [{}], {}", r, at, v));
    if (kind == 2) t.items.push_back(fmt::format("atom.cas.s32 {}, [{}], {}, {}", r, at, rng.below(2), v));
    p.classes.insert(kind == 0 ? "rmw operation" : kind == 1 ? "rmw exchange" : "rmw compare-exchange");
    t.read.push_back(r);
  }

  void planned(Draft& t, const std::vector<PlannedAccess>& plan) {
    t.pointers = static_cast<uint32_t>(locations);
    follow(
        rng, t, plan, [&](bool write) { rng.chance(0.12) ? rmw(t)
                                        : write          ? store(t)
                                                         : load(t); }, [&] { fence(t); });
  }

  void fence(Draft& t) {
    t.items.push_back(fmt::format("membar.{}", std::vector<std::string>{"cta", "gl", "sys"}[weighted(rng, {4, 4, 1})]));
    p.classes.insert("fence sc");
  }

  void thread(Draft& t, size_t size) {
    t.pointers = static_cast<uint32_t>(locations);
    for (size_t i = 0; i < size; ++i) {
      switch (weighted(rng, {5, 5, 2, 3})) {
        case 0:
          load(t);
          break;
        case 1:
          store(t);
          break;
        case 2:
          rmw(t);
          break;
        default:
          fence(t);
      }
    }
  }

  void declare(const Draft& t, size_t thread) {
    for (uint32_t r = 0; r < t.registers; ++r) p.init.push_back(fmt::format("{}:.reg .s32 r{}", thread, r));
    for (uint32_t r = 0; r < t.predicates; ++r) p.init.push_back(fmt::format("{}:.reg .pred p{}", thread, r));
    for (uint32_t r = 0; r < t.pointers; ++r)
      p.init.push_back(
          fmt::format("{}:.reg .b64 d{}{}", thread, r, r < locations ? " = " + k_locations[r] : std::string()));
  }

  // Whether all threads are of one CTA, which alone may share a location in shared memory.
  bool places(size_t n) {
    const size_t kind = weighted(rng, {3, 3, 3});  // one warp, own warps, own ctas
    std::string tree;
    for (size_t t = 0; t < n; ++t) {
      p.threads[t].place = "";
      if (kind == 0) tree += fmt::format(" T{}", t);
      if (kind == 1) tree += fmt::format(" (warp T{})", t);
      if (kind == 2) tree += fmt::format(" (cta (warp T{}))", t);
    }
    if (kind == 0) tree = " (cta (warp" + tree + "))";
    if (kind == 1) tree = " (cta" + tree + ")";
    p.declarations.push_back("ScopeTree (device" + tree + ")");
    if (kind == 2 && n > 1) p.classes.insert("scopes differ");
    return kind != 2;
  }
};

}  // namespace

Program generate_gpu_ptx(Rng& rng) {
  GpuPtx g{rng, {}, 1};
  g.p.syntax = prog::Syntax::gpu_ptx;
  g.p.title = "fuzz";
  const Shape s = shape(rng);
  g.locations = s.locations;
  std::vector<Draft> threads(s.sizes.size());
  for (size_t t = 0; t < threads.size(); ++t)
    s.plan.empty() ? g.thread(threads[t], s.sizes[t]) : g.planned(threads[t], s.plan[t]);
  for (size_t t = 0; t < threads.size(); ++t) {
    g.declare(threads[t], t);
    g.p.threads.push_back({"", std::move(threads[t].items)});
  }
  const bool one_cta = g.places(threads.size());
  std::string map;
  const bool shared = one_cta && s.locations > 1 && rng.chance(0.3);
  for (size_t l = 0; l < s.locations; ++l)
    map += fmt::format("{}{}: {}", l == 0 ? "" : ", ", k_locations[l], shared && l == 1 ? "shared" : "global");
  g.p.declarations.push_back(map);
  return std::move(g.p);
}

}  // namespace fencepost::fuzz
