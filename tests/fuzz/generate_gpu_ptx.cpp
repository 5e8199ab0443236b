// Random GPU_PTX tests, the format of the 2014 thesis: cache operators, volatile, membar, memory regions,
// addresses in registers (for address dependencies), predicates.
#include "draft.h"

namespace fencepost::fuzz {

namespace {

struct GpuPtx {
  Rng& rng;
  Program p;
  size_t locations = 2;

  // A register that holds the address of a location; the initial state sets one per location.
  std::string pointer(ThreadDraft& t) {
    const uint64_t l = rng.below(locations);
    const std::string base = fmt::format("r{}", 20 + l);
    if (t.read.empty() || !rng.chance(0.3)) return base;
    // r := read ^ read is zero, but depends on the read.
    const std::string zero = t.fresh(), at = t.fresh(), from = rng.pick(t.read);
    t.items.push_back(fmt::format("xor.b32 {}, {}, {}", zero, from, from));
    t.items.push_back(fmt::format("add.s32 {}, {}, {}", at, base, zero));
    p.classes.insert("address dependency");
    p.classes.insert("local arithmetic");
    return at;
  }

  void load(ThreadDraft& t) {
    const std::string at = pointer(t);
    const std::string r = t.fresh();
    const size_t kind = weighted(rng, {3, 2, 3});
    t.items.push_back(fmt::format("ld.{}.s32 {}, [{}]", kind == 0 ? "cg" : kind == 1 ? "ca" : "volatile", r, at));
    t.read.push_back(r);
    p.classes.insert(kind == 2 ? "relaxed load" : "plain load");
  }

  void store(ThreadDraft& t) {
    const std::string at = pointer(t);
    const bool is_volatile = rng.chance(0.4);
    t.items.push_back(fmt::format("st.{}.s32 [{}], {}", is_volatile ? "volatile" : "cg", at, value(rng, t, p)));
    p.classes.insert(is_volatile ? "relaxed store" : "plain store");
  }

  void rmw(ThreadDraft& t) {
    const std::string at = pointer(t);
    const std::string v = value(rng, t, p);
    const std::string r = t.fresh();
    const size_t kind = weighted(rng, {2, 2, 3});
    if (kind == 0) t.items.push_back(fmt::format("atom.add.s32 {}, [{}], {}", r, at, v));
    if (kind == 1) t.items.push_back(fmt::format("atom.exch.b32 {}, [{}], {}", r, at, v));
    if (kind == 2) t.items.push_back(fmt::format("atom.cas.b32 {}, [{}], {}, {}", r, at, rng.below(2), v));
    p.classes.insert(kind == 0 ? "rmw operation" : kind == 1 ? "rmw exchange" : "rmw compare-exchange");
    t.read.push_back(r);
  }

  void thread(ThreadDraft& t, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      switch (weighted(rng, {5, 5, 2, 3})) {
        case 0: load(t); break;
        case 1: store(t); break;
        case 2: rmw(t); break;
        default:
          t.items.push_back(fmt::format("membar.{}", std::vector<std::string>{"cta", "gl", "sys"}[weighted(rng, {4, 4, 1})]));
          p.classes.insert("fence sc");
      }
    }
  }

  void places(size_t n) {
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
  }
};

}  // namespace

Program generate_gpu_ptx(Rng& rng) {
  GpuPtx g{rng, {}, 1};
  g.p.syntax = prog::Syntax::gpu_ptx;
  g.p.title = "fuzz";
  const Shape s = shape(rng);
  g.locations = s.locations;
  std::vector<ThreadDraft> threads(s.sizes.size());
  for (size_t t = 0; t < threads.size(); ++t) g.thread(threads[t], s.sizes[t]);
  for (size_t t = 0; t < threads.size(); ++t) {
    for (size_t l = 0; l < s.locations; ++l) g.p.init.push_back(fmt::format("{}:r{} = {}", t, 20 + l, k_locations[l]));
    g.p.threads.push_back({"", std::move(threads[t].items)});
  }
  g.places(threads.size());
  std::string map;
  const bool shared = g.p.threads.size() > 1 && rng.chance(0.2);
  for (size_t l = 0; l < s.locations; ++l) map += fmt::format("{}{}: {}", l == 0 ? "" : ", ", k_locations[l], shared && l == 1 ? "shared" : "global");
  g.p.declarations.push_back(map);
  return std::move(g.p);
}

}  // namespace fencepost::fuzz
