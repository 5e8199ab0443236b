// How links make edges.
#include "order/edge.h"

#include <gtest/gtest.h>

#include "formula/pool.h"
#include "ir/ir.h"
#include "order/records.h"

namespace fencepost::order {
namespace {

class Links : public testing::Test {
 protected:
  Link link(uint32_t at, bool group, bool global, bool cumulative = true) {
    return {at, at, pool.yes(), {pool.truth(group), pool.truth(global)}, cumulative};
  }
  AccessRecord access(uint32_t position, ir::Space space) {
    AccessRecord a;
    a.position = position;
    a.space = space;
    return a;
  }
  Pool pool;
};

TEST_F(Links, a_barrier_orders_the_memory_that_it_names) {
  const AccessRecord shared = access(1, ir::Space::group), global = access(1, ir::Space::global);
  EXPECT_TRUE(pool.is_true(ordered(pool, link(2, true, false), shared, access(3, ir::Space::group))));
  EXPECT_TRUE(pool.is_false(ordered(pool, link(2, true, false), global, access(3, ir::Space::global))));
  EXPECT_TRUE(pool.is_false(ordered(pool, link(2, true, true), shared, access(2, ir::Space::group))));
}

TEST_F(Links, the_orders_of_local_and_of_global_memory_do_not_mix) {
  const auto both = compose(pool, link(2, true, false), link(3, false, true));
  ASSERT_TRUE(both);
  EXPECT_TRUE(pool.is_false(both->cover.group));
  EXPECT_TRUE(pool.is_false(both->cover.global));
}

TEST_F(Links, what_is_not_cumulative_passes_nothing_on) {
  EXPECT_TRUE(compose(pool, link(2, true, true, false), link(3, true, true)));
  EXPECT_FALSE(compose(pool, link(2, true, true), link(3, true, true, false)));
  EXPECT_FALSE(compose(pool, link(4, true, true), link(3, true, true)));
}

TEST_F(Links, one_behind_the_other_go_from_the_first_to_the_second) {
  const auto both = compose(pool, link(2, true, true, false), link(5, true, true));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->from, 2u);
  EXPECT_EQ(both->to, 5u);
  EXPECT_FALSE(both->cumulative);
  EXPECT_TRUE(compose(pool, link(2, true, true), link(5, true, true))->cumulative);
  EXPECT_TRUE(compose(pool, link(5, true, true), link(5, true, true)));
  EXPECT_FALSE(compose(pool, link(6, true, true), link(5, true, true)));
}

TEST_F(Links, accesses_stand_before_and_behind) {
  const AccessRecord first = access(2, ir::Space::group), second = access(4, ir::Space::group);
  EXPECT_TRUE(pool.is_true(ordered(pool, link(3, true, true), first, second)));
  EXPECT_TRUE(pool.is_false(ordered(pool, link(2, true, true), first, second)));
  EXPECT_TRUE(pool.is_false(ordered(pool, link(4, true, true), first, second)));
}

TEST_F(Links, who_never_comes_is_not_the_first_thread) {
  Trace x;
  for (Term& id : x.local_id[0]) id = pool.variable(32, "lid");
  std::vector<Term> zero;
  for (const Term id : x.local_id[0]) zero.push_back(pool.eq(id, pool.constant(0, 32)));
  EXPECT_TRUE(made_by_first(pool, x, pool.all(zero), 0));
  EXPECT_FALSE(made_by_first(pool, x, zero[0], 0));
  EXPECT_FALSE(made_by_first(pool, x, pool.no(), 0));
}

}  // namespace
}  // namespace fencepost::order
