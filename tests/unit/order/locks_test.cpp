// Critical sections, record by record: what an attempt protects, and that each part is needed.
#include "order/locks.h"

#include <gtest/gtest.h>

#include <functional>

#include "scene.h"

namespace fencepost::order {
namespace {

using namespace ir;

constexpr RegionId k_lock = Scene::k_counter;

// if (cas(&lock, 0, 1) == 0) { fence; d = x; fence; exchange(&lock, 0); }
struct Section : Scene {
  Section() {
    taken = fresh("taken", 1);
    attempt = {.region = k_lock, .guard = yes(), .offset = both(number(0)), .taken = taken, .position = 10};
    attempt.aligned = true;
    release = attempt;
    release.guard = taken;
    release.taken = {};
    release.position = 30;
    release.release = true;
    data = access(AccessKind::write, k_data, 20, taken, both(number(0)));
    x.fences = {fence(12, taken), fence(24, taken)};
  }
  Locks engine() {
    x.locks = {attempt, release};
    x.locks.insert(x.locks.end(), more.begin(), more.end());
    return Locks(pool, m, x, setting, [this](std::vector<Term> goal, uint32_t position) {
      return impossible(std::move(goal), {position, position});
    });
  }
  bool held() { return !engine().held(data).empty(); }
  bool valid() { return engine().valid(k_lock); }
  Pair taken;
  LockRecord attempt, release;
  AccessRecord data;
  std::vector<LockRecord> more;
};

using Change = std::function<void(Section&)>;

bool held(const Change& change) {
  Section s;
  change(s);
  return s.held();
}
bool valid(const Change& change) {
  Section s;
  change(s);
  return s.valid();
}

TEST(CriticalSection, holds_the_place_of_its_lock) {
  Section s;
  s.attempt.offset = s.release.offset = s.both(s.number(8));
  const std::vector<Held> h = s.engine().held(s.data);
  ASSERT_EQ(h.size(), 1u);
  EXPECT_EQ(h[0].region, k_lock);
  EXPECT_EQ(h[0].offset[0], s.number(8));
  EXPECT_TRUE(s.engine().any());
  EXPECT_TRUE(s.valid());
  EXPECT_FALSE(s.engine().valid(Scene::k_data));
  EXPECT_TRUE(held([](Section&) {}));
  EXPECT_FALSE(held([](Section& s) { s.data.guard = s.yes(); }));
  EXPECT_FALSE(held([](Section& s) { s.data.guard[0] = s.pool.yes(); }));
  EXPECT_FALSE(held([](Section& s) { s.data.guard[1] = s.pool.yes(); }));
  EXPECT_FALSE(held([](Section& s) { s.attempt.guard = s.fresh("c", 1); }));
  EXPECT_FALSE(held([](Section& s) { s.attempt.position = 21; }));
  EXPECT_FALSE(held([](Section& s) { s.attempt.position = 20; }));
}

TEST(CriticalSection, needs_a_fence_behind_the_attempt) {
  EXPECT_FALSE(held([](Section& s) { s.x.fences.erase(s.x.fences.begin()); }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[0].position = 9; }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[0].position = 21; }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[0].order = Order::release; }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[0].order = Order::relaxed; }));
  EXPECT_TRUE(held([](Section& s) { s.x.fences[0].order = Order::acquire; }));
  EXPECT_TRUE(held([](Section& s) { s.x.fences[0].order = Order::acq_rel; }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[0].guard[0] = s.pool.no(); }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[0].guard[1] = s.pool.no(); }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[0].scope = Scope::group; }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[0].scope = Scope::cluster; }));
  EXPECT_TRUE(held([](Section& s) { s.x.fences[0].scope = Scope::system; }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[0].global = false; }));
  EXPECT_TRUE(held([](Section& s) { s.x.fences[0].local = false; }));
  EXPECT_FALSE(held([](Section& s) {
    s.data.space = Space::group;
    s.x.fences[0].local = false;
  }));
  EXPECT_TRUE(held([](Section& s) {
    s.data.space = Space::group;
    s.x.fences[0].global = s.x.fences[1].global = false;
  }));
  // Two fences, one for each way there.
  EXPECT_TRUE(held([](Section& s) {
    const Pair c = s.fresh("c", 1);
    s.x.fences[0].guard = c;
    s.x.fences.push_back(s.fence(13, {s.pool.not_(c[0]), s.pool.not_(c[1])}));
  }));
  const auto by_order = [](const Change& change) {
    return held([&](Section& s) {
      s.x.fences.erase(s.x.fences.begin());
      s.attempt.acquires = true;
      change(s);
    });
  };
  EXPECT_TRUE(by_order([](Section&) {}));
  EXPECT_TRUE(by_order([](Section& s) { s.m.dialect = s.setting.dialect = Dialect::opencl; }));
  EXPECT_TRUE(by_order([](Section& s) { s.data.space = Space::group; }));
  EXPECT_FALSE(by_order([](Section& s) {
    s.setting.dialect = Dialect::opencl;
    s.data.space = Space::group;
  }));
}

TEST(CriticalSection, needs_a_fence_before_the_release) {
  EXPECT_FALSE(held([](Section& s) { s.x.fences.pop_back(); }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[1].position = 19; }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[1].position = 31; }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[1].order = Order::acquire; }));
  EXPECT_TRUE(held([](Section& s) { s.x.fences[1].order = Order::release; }));
  EXPECT_TRUE(held([](Section& s) { s.x.fences[1].order = Order::acq_rel; }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[1].scope = Scope::group; }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[1].global = false; }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[1].guard[0] = s.pool.no(); }));
  EXPECT_FALSE(held([](Section& s) { s.x.fences[1].guard[1] = s.pool.no(); }));
  EXPECT_FALSE(held([](Section& s) { s.release.scope = Scope::group; }));
  const auto by_order = [](const Change& change) {
    return held([&](Section& s) {
      s.x.fences.pop_back();
      s.release.releases = true;
      change(s);
    });
  };
  EXPECT_TRUE(by_order([](Section&) {}));
  EXPECT_TRUE(by_order([](Section& s) { s.setting.dialect = Dialect::opencl; }));
  EXPECT_FALSE(by_order([](Section& s) {
    s.setting.dialect = Dialect::opencl;
    s.data.space = Space::group;
  }));
  EXPECT_FALSE(by_order([](Section& s) { s.release.scope = Scope::group; }));
  // Of another lock.
  EXPECT_TRUE(held([](Section& s) {
    LockRecord other = s.release;
    other.region = Scene::k_other;
    other.position = 22;
    s.more = {other};
  }));
}

TEST(CriticalSection, ends_with_the_release) {
  const auto between = [](const Change& change) {
    return held([&](Section& s) {
      LockRecord early = s.release;
      early.position = 15;
      s.more = {early};
      change(s);
    });
  };
  EXPECT_FALSE(between([](Section&) {}));
  EXPECT_TRUE(between([](Section& s) {
    s.more[0].position = 9;
    s.more.push_back(s.attempt);
    s.more[1].position = 5;
  }));
  EXPECT_TRUE(between([](Section& s) { s.more[0].region = Scene::k_other; }));
  // In a further iteration of a loop around the access alone, or around both.
  const auto looped = [&](std::vector<uint32_t> attempt, std::vector<uint32_t> data, std::vector<uint32_t> release,
                          bool releases) {
    return held([&](Section& s) {
      s.attempt.loops = std::move(attempt);
      s.data.loops = std::move(data);
      s.release.loops = std::move(release);
      s.release.releases = releases;
    });
  };
  EXPECT_TRUE(looped({1}, {1}, {1}, false));
  EXPECT_FALSE(looped({1}, {1, 2}, {1, 2}, true));
  EXPECT_TRUE(looped({1, 2}, {1, 2}, {1, 2}, true));
  EXPECT_TRUE(looped({1}, {1, 2}, {1}, false));
}

TEST(CriticalSection, a_release_before_it_is_of_the_next_iteration) {
  // while (..) { exchange(&lock, 0) if held; cas; fence; d = x; } : the release stands before the attempt.
  const auto before = [](const Change& change) {
    return held([&](Section& s) {
      LockRecord first = s.attempt;
      first.position = 2;
      s.release.position = 5;
      s.more = {first};
      s.x.fences.pop_back();
      change(s);
    });
  };
  EXPECT_TRUE(before([](Section&) {}));
  const auto in_one = [](Section& s) { s.attempt.loops = s.data.loops = s.release.loops = s.more[0].loops = {4}; };
  EXPECT_FALSE(before(in_one));
  EXPECT_TRUE(before([&](Section& s) {
    in_one(s);
    s.release.releases = true;
  }));
  EXPECT_TRUE(before([&](Section& s) {
    in_one(s);
    s.release.loops = s.more[0].loops = {3};
  }));
}

// while (cas(&lock, 0, 1) == 1); the threads go on that were not refused.
TEST(CriticalSection, may_be_entered_by_who_is_not_refused) {
  const auto entered = [](const Change& change) {
    Section s;
    const Pair got = s.fresh("got", 1);
    s.attempt.not_refused = got;
    s.release.guard = s.data.guard = got;
    s.x.fences = {s.fence(12, got), s.fence(24, got)};
    change(s);
    const Locks locks = s.engine();
    EXPECT_EQ(locks.valid(k_lock), locks.from_zero(k_lock));
    return !locks.held(s.data).empty();
  };
  EXPECT_TRUE(entered([](Section&) {}));
  EXPECT_FALSE(entered([](Section& s) { s.attempt.not_refused = {}; }));
  EXPECT_FALSE(entered([](Section& s) { s.attempt.not_refused[0] = s.fresh("c", 1)[0]; }));
  EXPECT_FALSE(entered([](Section& s) { s.attempt.not_refused[1] = s.fresh("c", 1)[1]; }));
  EXPECT_FALSE(entered([](Section& s) { s.data.guard = s.yes(); }));
  EXPECT_FALSE(entered([](Section& s) { s.release.guard = s.yes(); }));
  EXPECT_FALSE(entered([](Section& s) { s.release.aligned = false; }));
  EXPECT_FALSE(entered([](Section& s) { s.x.fences.clear(); }));
  // What is shown without it needs it not.
  Section s;
  s.attempt.not_refused = s.fresh("got", 1);
  EXPECT_TRUE(s.held());
  EXPECT_FALSE(s.engine().from_zero(k_lock));
}

TEST(CriticalSection, ends_where_threads_meet) {
  const auto meeting = [](uint32_t position, std::vector<uint32_t> loops, std::vector<uint32_t> attempt,
                          std::vector<uint32_t> data) {
    return held([&](Section& s) {
      s.x.meetings = {{position, std::move(loops)}};
      s.attempt.loops = std::move(attempt);
      s.data.loops = std::move(data);
    });
  };
  EXPECT_FALSE(meeting(15, {}, {}, {}));
  EXPECT_TRUE(meeting(9, {}, {}, {}));
  EXPECT_FALSE(meeting(25, {}, {}, {}));  // before the release
  EXPECT_TRUE(meeting(35, {}, {}, {}));
  EXPECT_FALSE(meeting(35, {7}, {}, {7}));
  EXPECT_TRUE(meeting(35, {7}, {7}, {7}));
  EXPECT_TRUE(meeting(35, {8}, {}, {7}));
}

TEST(CriticalSection, is_of_a_lock_that_only_holders_release) {
  EXPECT_FALSE(valid([](Section& s) { s.attempt.aligned = false; }));
  EXPECT_FALSE(valid([](Section& s) { s.release.aligned = false; }));
  EXPECT_FALSE(valid([](Section& s) { s.release.guard = s.yes(); }));
  EXPECT_FALSE(valid([](Section& s) { s.release.guard[0] = s.pool.yes(); }));
  EXPECT_FALSE(valid([](Section& s) { s.release.guard[1] = s.pool.yes(); }));
  EXPECT_FALSE(valid([](Section& s) { s.release.offset = s.both(s.number(4)); }));
  EXPECT_FALSE(valid([](Section& s) { s.release.offset[1] = s.number(4); }));
  EXPECT_FALSE(valid([](Section& s) { s.release.position = 9; }));
  EXPECT_FALSE(valid([](Section& s) { s.release.position = 10; }));
  EXPECT_TRUE(valid([](Section& s) {
    s.release.guard = s.yes();
    s.release.again = true;
  }));
  EXPECT_FALSE(valid([](Section& s) {
    s.release.again = true;
    s.release.aligned = false;
  }));
  EXPECT_FALSE(valid([](Section& s) { s.attempt.region = Scene::k_other; }));
  EXPECT_TRUE(valid([](Section& s) {
    LockRecord other = s.release;
    other.region = Scene::k_other;
    other.guard = s.yes();
    s.more = {other};
  }));
  // Each of several.
  EXPECT_FALSE(valid([](Section& s) {
    LockRecord again = s.release;
    again.position = 40;
    s.more = {again};
  }));
  EXPECT_FALSE(held([](Section& s) { s.release.offset = s.both(s.number(4)); }));
}

TEST(CriticalSection, reaches_all_who_may_take_the_lock) {
  const auto narrow = [](const Change& change) {
    return held([&](Section& s) {
      s.attempt.scope = s.release.scope = Scope::group;
      for (FenceRecord& f : s.x.fences) f.scope = Scope::group;
      change(s);
    });
  };
  EXPECT_FALSE(narrow([](Section&) {}));
  EXPECT_TRUE(narrow([](Section& s) { s.setting.one_group = true; }));
  EXPECT_FALSE(narrow([](Section& s) { s.setting.pairing = Pairing::same_group; }));
  const auto of_group = [](Section& s) {
    s.attempt.region = s.release.region = Scene::k_shared;
    s.setting.pairing = Pairing::same_group;
  };
  EXPECT_TRUE(narrow(of_group));
  EXPECT_FALSE(narrow([&](Section& s) {
    of_group(s);
    s.setting.pairing = Pairing::other_group;
  }));
  EXPECT_FALSE(narrow([&](Section& s) {
    of_group(s);
    s.attempt.scope = Scope::warp;
  }));
  EXPECT_FALSE(narrow([&](Section& s) {
    of_group(s);
    s.release.scope = Scope::warp;
  }));
  EXPECT_FALSE(narrow([](Section& s) {
    s.setting.one_group = true;
    s.x.fences[0].scope = Scope::thread;
  }));
  EXPECT_FALSE(held([](Section& s) { s.attempt.scope = Scope::group; }));
}

}  // namespace
}  // namespace fencepost::order
