// The launch of a run.
//
// Warps of unknown size (OpenCL: "the mapping of work-items to sub-groups is implementation-defined", OpenCL 3.0 API
// 3.2.1). Each thread has a number of its sub-group and a number in it, as variables. Known is only that two threads of
// a group do not have both in common, and that all numbers are below their counts. A linear mapping with an unknown
// size was tried and lost: it assumes what no specification says, and divides by a variable.
#include "prove/run.h"

#include <algorithm>
#include <unordered_map>

#include "formula/solve.h"

namespace fencepost::prove {

using namespace ir;

namespace {

std::string dimension_name(const char* what, int thread, size_t d) {
  return std::string(what) + std::to_string(thread) + "." + std::to_string(d);
}

}  // namespace

Run::Run(Pool& pool, const Module& m, const flow::Effects& effects, FunctionId entry, const Options& options,
         Pairing pairing, Lanes lanes, Groups groups)
    : products(pool),
      memory(pool, m, Pointers{}, pairing == Pairing::same_group),
      pool_(pool),
      m_(m),
      effects_(effects),
      entry_(entry),
      options_(options),
      pairing_(pairing),
      lanes_(lanes),
      groups_(groups) {}

void Run::launch() {
  // Numbers of the launch: from the start, about no particular thread.
  const auto state = [&](Term t) {
    if (pool_.is_true(t)) return;
    Fact f;
    f.term = t;
    f.threads = 0;
    f.names = formula::names(pool_, t);
    trace.facts.push_back(std::move(f));
  };
  std::array<uint64_t, Products::k_axes> fixed{};
  for (const size_t d : k_dimensions) {
    const bool divided = options_.global_size[d] != 0;  // into groups of a size that is not fixed
    fixed[d] = divided ? options_.global_size[d] : options_.launch.local_size[d];
    fixed[d + 3] = divided ? 1 : options_.launch.num_groups[d];
  }
  products.launch(fixed, state);
  if (products.any()) assumptions.insert(products.assumption());
  for (const size_t d : k_dimensions) {
    const uint64_t whole = options_.global_size[d];
    if (whole != 0) {
      std::vector<Term> bounds;
      const auto divisor = [&](uint64_t size, const std::string& what) {
        if (size != 0) return pool_.constant(size, 32);
        const Term v = pool_.number_below(whole + 1, 32, what + "." + std::to_string(d), bounds);
        bounds.push_back(pool_.ule(pool_.constant(1, 32), v));
        return v;
      };
      local_size[d] = divisor(options_.launch.local_size[d], "local_size");
      num_groups[d] = divisor(options_.launch.num_groups[d], "num_groups");
      if (!(pool_.is_constant(local_size[d]) && pool_.is_constant(num_groups[d])))
        bounds.push_back(pool_.eq(pool_.mul(pool_.zext(local_size[d], 64), pool_.zext(num_groups[d], 64)),
                                  pool_.constant(whole, 64)));
      for (Term b : bounds) state(b);
    } else {
      local_size[d] = products.size(d, "local_size." + std::to_string(d));
      num_groups[d] = products.size(d + 3, "num_groups." + std::to_string(d));
    }
    const auto id = [&](size_t axis, int t) {
      const Term count = axis < 3 ? local_size[d] : num_groups[d];
      const std::string name = dimension_name(axis < 3 ? "lid" : "gid", t, d);
      if (whole == 0) return products.id(axis, t, name);
      std::vector<Term> bounds;
      const Term v = pool_.number_below(pool_[count].high, 32, name, bounds);
      bounds.push_back(pool_.ult(v, count));
      for (Term b : bounds) state(b);
      return v;
    };
    for (const int t : {0, 1}) {
      local_id[static_cast<size_t>(t)][d] = id(d, t);
      group_id[static_cast<size_t>(t)][d] = t == 1 && pairing_ == Pairing::same_group ? group_id[0][d] : id(d + 3, t);
    }
  }
  std::vector<Term> differ;
  for (const size_t d : k_dimensions) {
    if (pairing_ == Pairing::same_group)
      differ.push_back(pool_.ne(local_id[0][d], local_id[1][d]));
    else
      differ.push_back(pool_.ne(group_id[0][d], group_id[1][d]));
  }
  distinct = pool_.any(std::move(differ));
  clusters(state);
  same_warp = pool_.no();
  const bool unknown_size = options_.warp_size == 0 && options_.warp_sync == 0;
  if (unknown_size) unknown_warps(state);
  if (unknown_size && pairing_ == Pairing::same_group && options_.warp_barriers) {
    same_warp = pool_.eq(warp_of[0], warp_of[1]);
  } else if (pairing_ == Pairing::same_group && (options_.warp_sync > 0 || options_.warp_barriers)) {
    Pair warp;
    for (const size_t t : k_both) {
      const uint32_t lanes = options_.warp_sync > 0 ? options_.warp_sync : options_.warp_size;
      warp[t] = pool_.udiv(flat_id(t), pool_.constant(lanes, 32));
    }
    same_warp = pool_.eq(warp[0], warp[1]);
  }
  if (lanes_ != Lanes::any) {
    Fact f;
    f.term = lanes_ == Lanes::same_warp ? same_warp : pool_.not_(same_warp);
    f.threads = 0;
    f.names = formula::names(pool_, f.term);
    if (!pool_.is_true(f.term)) trace.facts.push_back(std::move(f));
    same_warp = pool_.truth(lanes_ == Lanes::same_warp);
  }

  trace.local_id = local_id;
  trace.group_id = group_id;
  trace.same_warp = same_warp;
  trace.distinct = distinct;
}

void Run::unknown_warps(const std::function<void(Term)>& state) {
  warp_size = pool_.variable(32, "sub_group_size");
  warp_count = pool_.variable(32, "sub_groups");
  uint64_t threads = 1;
  for (const Term n : local_size)
    if (!pool_.is_constant(n) || __builtin_mul_overflow(threads, pool_.value(n), &threads)) threads = 0;
  for (const Term n : {warp_size, warp_count}) {
    state(pool_.ule(pool_.constant(1, 32), n));
    if (threads != 0) state(pool_.ule(n, pool_.constant(threads, 32)));
  }
  for (const size_t t : k_both) {
    warp_of[t] = pool_.variable(32, t == 0 ? "sub_group" : "sub_group'");
    lane_of[t] = pool_.variable(32, t == 0 ? "lane" : "lane'");
    state(pool_.ult(warp_of[t], warp_count));
    state(pool_.ult(lane_of[t], warp_size));
  }
  if (pairing_ == Pairing::same_group)
    state(pool_.implies(distinct, pool_.any(pool_.ne(warp_of[0], warp_of[1]), pool_.ne(lane_of[0], lane_of[1]))));
}

bool Run::implied(const Pair& guard, const Pair& by) const {
  return std::ranges::all_of(order::k_both,
                             [&](size_t t) { return pool_.is_false(pool_.all(by[t], pool_.not_(guard[t]))); });
}

Term Run::flat_id(size_t thread) const {
  const auto& id = local_id[thread];
  return pool_.add(id[0], pool_.mul(local_size[0], pool_.add(id[1], pool_.mul(local_size[1], id[2]))));
}

Term Run::with_ids(Term t, size_t thread, const Ids& ids) const {
  std::unordered_map<uint32_t, Term> memo;
  for (const size_t d : k_dimensions) {
    const Term id = local_id[thread][d];
    const formula::Node n = pool_[id];
    const Term v = n.op == formula::Op::zext ? n.kids[0] : id;
    if (!pool_.is_constant(v)) memo.emplace(v.id, pool_.constant(ids[d], pool_.width(v)));
  }
  return pool_.substitute(t, memo);
}

std::vector<Run::Ids> Run::threads_by_ids() const {
  std::vector<Ids> threads;
  const auto& size = options_.launch.local_size;
  for (uint64_t z = 0; z < size[2]; ++z)
    for (uint64_t y = 0; y < size[1]; ++y)
      for (uint64_t x = 0; x < size[0] && threads.size() <= 1024; ++x) threads.push_back({x, y, z});
  if (threads.size() > 1024) threads.clear();
  return threads;
}

uint64_t Run::threads_of_group() const {
  uint64_t threads = 1;
  for (const uint64_t n : options_.launch.local_size) threads *= n;
  return threads;
}

void Run::forget_written(const Pair& guard, std::initializer_list<Space> spaces) {
  for (uint32_t x = 0; x < m_.regions.size(); ++x)
    if (effects().writes[x] != 0 && !memory.adversarial({x}) && std::ranges::count(spaces, m_.regions[x].space) != 0)
      memory.forget({x}, guard, false);
}

}  // namespace fencepost::prove
