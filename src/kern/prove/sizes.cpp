// Launches whose size is not fixed.
#include "prove/execute.h"

namespace fencepost::prove {

// Positions in rows whose length is not fixed, id * size, are numbers of their own of which only is known that rows do
// not overlap: enough for most questions, and no multiplier in them. What they are by definition is asked when a
// question needs it (`definitions`). A grid has at most 2^31 threads in a dimension, so that nothing wraps; that is an
// assumption, and said.
void Execution::products_of_sizes() {
  const auto state = [&](Term k) {
    if (pool_.is_true(k)) return;
    Fact f;
    f.term = k;
    f.threads = 0;
    f.names = formula::names(pool_, k);
    facts.push_back(std::move(f));
  };
  const Term most = pool_.constant(uint64_t{1} << 31, 32);
  const auto product = [&](Term a, Term b, const std::string& name) {
    const Term v = pool_.variable(32, name);
    products_[{std::min(a, b), std::max(a, b)}] = v;
    definitions.push_back(pool_.eq(pool_.zext(v, 64), pool_.mul(pool_.zext(a, 64), pool_.zext(b, 64))));
    return v;
  };
  const auto rows = [&](const std::array<Term, 2>& id, Term count, Term size, const std::string& name) {
    const Term total = product(count, size, name + " total");
    state(pool_.ule(total, most));
    state(pool_.ule(size, total));
    Pair p;
    for (size_t t = 0; t < 2; ++t) {
      p[t] = t == 1 && id[1] == id[0] ? p[0] : product(id[t], size, name + std::to_string(t));
      state(pool_.ule(p[t], pool_.sub(total, size)));
      state(pool_.implies(pool_.eq(id[t], pool_.constant(0, 32)), pool_.eq(p[t], pool_.constant(0, 32))));
    }
    if (p[0] == p[1]) return;
    for (const size_t t : {size_t{0}, size_t{1}})
      state(pool_.implies(pool_.ult(id[t], id[1 - t]), pool_.ule(pool_.add(p[t], size), p[1 - t])));
    state(pool_.implies(pool_.eq(id[0], id[1]), pool_.eq(p[0], p[1])));
  };
  bool any = false;
  for (size_t d = 0; d < 3; ++d) {
    if (pool_.is_constant(local_size_[d]) || options_.global_size[d] != 0) continue;
    any = true;
    const std::string name = "row." + std::to_string(d) + ".";
    if (!pool_.is_constant(num_groups_[d], 1))
      rows({group_id[0][d], group_id[1][d]}, num_groups_[d], local_size_[d], name);
    if (d + 1 < 3 && !pool_.is_constant(local_size_[d + 1], 1))
      rows({local_id[0][d + 1], local_id[1][d + 1]}, local_size_[d + 1], local_size_[d], name + "local ");
  }
  if (any) assumptions.insert("the grid has at most 2^31 threads in each dimension");
}

// a * b where it is one of these; none: it is not.
Term Execution::known_product(Term a, Term b) const {
  if (products_.empty()) return {};
  const auto narrow = [&](Term t) { return pool_[t].op == formula::Op::zext && pool_.width(pool_[t].kids[0]) == 32 ? pool_[t].kids[0] : t; };
  const Term x = narrow(a), y = narrow(b);
  const auto it = products_.find({std::min(x, y), std::max(x, y)});
  return it == products_.end() ? Term{} : it->second;
}

}  // namespace fencepost::prove
