#include "flow/intervals.h"

namespace fencepost::flow {

using namespace ir;

namespace {

struct Point {
  enum : uint8_t { begin, barrier, end } kind = barrier;
  BlockId block;
  uint32_t instruction = 0;
};

bool dominates(const Cfg& cfg, const Point& a, const Point& b) {
  if (a.kind == Point::begin || b.kind == Point::end)
    return b.kind != Point::begin && (a.kind == Point::begin || a.kind == Point::end);
  if (a.kind == Point::end || b.kind == Point::begin) return false;
  return a.block == b.block ? a.instruction < b.instruction : cfg.dominates(a.block, b.block);
}

bool postdominates(const Cfg& cfg, const Point& a, const Point& b) {
  if (a.kind == Point::end) return true;  // which stands in no block, so that no other point postdominates it
  if (b.kind == Point::begin) return cfg.postdominates(a.block, {0});
  return a.block == b.block ? a.instruction > b.instruction : cfg.postdominates(a.block, b.block);
}

}  // namespace

uint32_t barrier_intervals(const Function& f, const Cfg& cfg) {
  std::vector<Point> points{{Point::begin, {0}, 0}, {Point::end, {}, 0}};
  for (uint32_t b = 0; b < f.blocks.size(); ++b)
    for (uint32_t i = 0; i < f.blocks[b].instructions.size(); ++i)
      if (const auto* x = std::get_if<Barrier>(&f.blocks[b].instructions[i].action);
          x != nullptr && x->scope != Scope::warp)
        points.push_back({Point::barrier, {b}, i});
  std::vector<std::pair<size_t, size_t>> all;
  for (size_t s = 0; s < points.size(); ++s)
    for (size_t e = 0; e < points.size(); ++e) {
      const bool from_begin = points[s].kind == Point::begin, to_end = points[e].kind == Point::end;
      if (s == e || points[s].kind == Point::end || points[e].kind == Point::begin) continue;
      // The end is behind everything, but not every way to it leads through a barrier.
      const bool first =
          from_begin || (to_end ? cfg.postdominates(points[s].block, {0}) : dominates(cfg, points[s], points[e]));
      if (first && postdominates(cfg, points[e], points[s])) all.emplace_back(s, e);
    }
  uint32_t count = 0;
  for (const auto& [s, e] : all) {
    bool innermost = true;
    for (const auto& [s2, e2] : all) {
      if (s2 == s && e2 == e) continue;
      const bool starts_within = s2 == s || points[s].kind == Point::begin || dominates(cfg, points[s], points[s2]);
      const bool ends_within = e2 == e || postdominates(cfg, points[e], points[e2]);
      if (starts_within && ends_within) innermost = false;
    }
    if (innermost) ++count;
  }
  return count;
}

}  // namespace fencepost::flow
