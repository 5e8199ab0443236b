// Messages, record by record: what orders two accesses, on which assumption, and that each part is needed.
#include "order/messages.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>

#include "scene.h"

namespace fencepost::order {
namespace {

using namespace ir;

constexpr RegionId k_flag = Scene::k_counter;

// One thread of the first group: d = x; fence; flag = 1; one of the second: while (flag != 1); fence; .. = d;
struct Flag : Scene {
  Flag() {
    sender = all(first(), group_is(0));
    receiver = all(first(), group_is(1));
    seen = fresh("seen");
    written = access(AccessKind::write, k_data, 10, sender, both(number(0)));
    send = by(access(AccessKind::write, k_flag, 14, sender, both(number(0))), store);
    send.value = both(number(1));
    o = {.region = k_flag, .guard = receiver, .offset = both(number(0)), .value = seen, .bytes = 4, .position = 20};
    o.aligned = true;
    read = access(AccessKind::read, k_data, 24, receiver, both(number(0)));
    x.fences = {fence(12, sender), fence(22, receiver)};
    left(receiver, 1);
    last = std::nullopt;
  }
  Pair group_is(uint64_t n) { return at(x.group_id, n); }
  Pair id_is(uint64_t n) { return at(x.local_id, n); }
  Pair at(const std::array<std::array<Term, 3>, 2>& ids, uint64_t n) {
    Pair r;
    for (const size_t t : k_both)
      r[t] = pool.all({pool.eq(ids[t][0], number(n)), pool.eq(ids[t][1], number(0)), pool.eq(ids[t][2], number(0))});
    return r;
  }
  // What the loop around the read leaves.
  void left(const Pair& guard, uint64_t value) {
    x.facts.clear();
    know({pool.implies(guard[0], is(seen, value)[0]), pool.implies(guard[1], is(seen, value)[1])}, 21);
  }
  // All threads of the two groups, with barriers around what the first thread does.
  void by_groups() {
    written.guard = group_is(0);
    read.guard = group_is(1);
    x.barriers = {barrier(11), barrier(23)};
    x.group_barriers = x.barriers;
  }

  static void variables(const Pool& pool, Term t, std::vector<Term>& out) {
    std::vector<Term> todo{t};
    while (!todo.empty()) {
      const Term u = todo.back();
      todo.pop_back();
      if (pool[u].op == formula::Op::variable) out.push_back(u);
      for (const Term k : pool[u].kids) todo.push_back(k);
    }
  }
  Term renamed(Term t, Messages::Renaming& memo) {
    std::vector<Term> own;
    variables(pool, t, own);
    for (const Term v : own)
      if (!memo.contains(v.id)) memo.emplace(v.id, pool.variable(pool.width(v), "another"));
    return pool.substitute(t, memo);
  }
  Term of_first(Term t, int thread) {
    Messages::Renaming& memo = firsts[static_cast<size_t>(thread)];
    for (const Term id : x.local_id[static_cast<size_t>(thread)]) memo.emplace(id.id, number(0));
    // A group's number is that of all its threads.
    for (const Term id : x.group_id[static_cast<size_t>(thread)]) memo.emplace(id.id, id);
    return renamed(t, memo);
  }
  Messages engine() {
    x.observations = {o};
    x.observations.insert(x.observations.end(), others.begin(), others.end());
    x.accesses = {written, send, read};
    x.accesses.insert(x.accesses.end(), more.begin(), more.end());
    last.emplace(pool, m, x, [this](std::vector<Term> goal, uint32_t position) {
      return impossible(std::move(goal), {position, position});
    });
    return Messages(
        pool, m, x, setting,
        [this](std::vector<Term> goal, std::array<uint32_t, 2> limits) { return impossible(std::move(goal), limits); },
        {[this](Term t, Messages::Renaming& r) { return renamed(t, r); },
         [this](Term t, int thread) { return of_first(t, thread); }},
        *last);
  }
  std::vector<Term> goal(size_t one, size_t other) {
    return {x.accesses[one].guard[0], x.accesses[other].guard[1],
            pool.eq(x.accesses[one].offset[0], x.accesses[other].offset[1])};
  }
  // Of what is written and read; `turned`: of the reader as thread 0.
  std::string answer(bool turned = false) {
    Messages e = engine();
    const size_t one = turned ? 2 : 0, other = turned ? 0 : 2;
    if (!e.ordered(x.accesses[one], x.accesses[other], goal(one, other))) return "";
    std::string out = "ordered";
    for (const Assumption& s : e.assumptions) out += s.kind == Assumption::fences_in_order ? ", fences in order" : "";
    return out;
  }
  bool perhaps() {
    Messages e = engine();
    const RegionId r = e.perhaps(x.accesses[0], x.accesses[2], goal(0, 2));
    return r == k_flag;
  }
  Atomic store{.op = AtomicOp::store}, releasing{.op = AtomicOp::store, .order = Order::release};
  Atomic exchange{.op = AtomicOp::exchange}, add{.op = AtomicOp::add};
  Atomic of_group{.op = AtomicOp::store, .scope = Scope::group};
  Pair sender, receiver, seen;
  AccessRecord written, send, read;
  ObservationRecord o;
  std::vector<ObservationRecord> others;
  std::vector<AccessRecord> more;
  std::array<Messages::Renaming, 2> firsts;
  std::optional<LastGroup> last;
};

using Change = std::function<void(Flag&)>;
std::string with(const Change& change) {
  Flag f;
  change(f);
  const std::string one = f.answer(), other = f.answer(true);
  EXPECT_EQ(one, other) << "the one way round and the other";
  return one;
}

TEST(Message, orders_what_stands_before_it_and_behind_it) {
  EXPECT_EQ(with([](Flag&) {}), "ordered");
  EXPECT_EQ(with([](Flag& f) { f.x.facts.clear(); }), "");
  EXPECT_EQ(with([](Flag& f) { f.left(f.receiver, 0); }), "");
  EXPECT_EQ(with([](Flag& f) { f.left(f.receiver, 2); }), "ordered");  // nobody writes 2: it never ends
  EXPECT_EQ(with([](Flag& f) { f.read.guard = f.yes(); }), "");
  EXPECT_EQ(with([](Flag& f) { f.written.guard = f.yes(); }), "");
  for (const bool reads : {false, true}) {
    const auto access = [&](const std::function<void(AccessRecord&)>& change) {
      return with([&](Flag& f) { change(reads ? f.read : f.written); });
    };
    EXPECT_EQ(access([](AccessRecord& a) { a.mode = Mode::asynchronous; }), "");
    EXPECT_EQ(access([](AccessRecord& a) { a.by_contract = true; }), "");
    EXPECT_EQ(access([](AccessRecord& a) { a.spec = true; }), "");
  }
  EXPECT_EQ(with([](Flag& f) { f.written.position = 15; }), "");
  EXPECT_EQ(with([](Flag& f) { f.written.position = 14; }), "");
  EXPECT_EQ(with([](Flag& f) { f.read.position = 20; }), "");
  EXPECT_EQ(with([](Flag& f) { f.written.loops = f.send.loops = {3}; }), "");
  EXPECT_EQ(with([](Flag& f) { f.written.loops = {3}; }), "ordered");
}

TEST(Message, needs_a_fence_on_each_side) {
  for (const bool reads : {false, true}) {
    const auto fence = [&](const std::function<void(Flag&, FenceRecord&)>& change) {
      return with([&](Flag& f) { change(f, f.x.fences[reads ? 1 : 0]); });
    };
    EXPECT_EQ(fence([](Flag&, FenceRecord& n) { n.scope = Scope::group; }), "");
    EXPECT_EQ(fence([](Flag&, FenceRecord& n) { n.scope = Scope::cluster; }), "");
    EXPECT_EQ(fence([](Flag&, FenceRecord& n) { n.global = false; }), "");
    EXPECT_EQ(fence([](Flag&, FenceRecord& n) { n.local = false; }), "ordered");
    EXPECT_EQ(fence([](Flag& f, FenceRecord& n) { n.guard = f.fresh("c", 1); }), "");
    EXPECT_EQ(fence([](Flag&, FenceRecord& n) { n.order = Order::relaxed; }), "");
    EXPECT_EQ(fence([&](Flag&, FenceRecord& n) { n.order = reads ? Order::release : Order::acquire; }), "");
    EXPECT_EQ(fence([&](Flag&, FenceRecord& n) { n.order = reads ? Order::acquire : Order::release; }), "ordered");
    EXPECT_EQ(fence([&](Flag&, FenceRecord& n) { n.position = reads ? 19 : 9; }), "");
    EXPECT_EQ(fence([&](Flag&, FenceRecord& n) { n.position = reads ? 25 : 15; }), "");
  }
  // Or a read that acquires; in OpenCL that is of its own memory.
  const auto acquiring = [](const Change& change) {
    return with([&](Flag& f) {
      f.x.fences.pop_back();
      f.o.acquires = true;
      change(f);
    });
  };
  EXPECT_EQ(acquiring([](Flag&) {}), "ordered");
  EXPECT_EQ(acquiring([](Flag& f) { f.written.space = f.read.space = Space::group; }), "ordered");
  EXPECT_EQ(acquiring([](Flag& f) { f.setting.dialect = f.m.dialect = Dialect::opencl; }), "ordered");
  EXPECT_EQ(acquiring([](Flag& f) {
              f.setting.dialect = f.m.dialect = Dialect::opencl;
              f.written.space = f.read.space = Space::group;
            }),
            "");
}

TEST(Message, is_of_an_atomic_place_that_both_reach) {
  EXPECT_EQ(with([](Flag& f) { f.o.aligned = false; }), "");
  EXPECT_EQ(with([](Flag& f) { f.o.scope = Scope::group; }), "");
  EXPECT_EQ(with([](Flag& f) { f.o.scope = Scope::cluster; }), "");
  EXPECT_EQ(with([](Flag& f) { f.o.scope = Scope::system; }), "ordered");
  EXPECT_EQ(with([](Flag& f) { f.send.atomic = &f.of_group; }), "");
  EXPECT_EQ(with([](Flag& f) { f.send.mode = Mode::plain; }), "");
  EXPECT_EQ(with([](Flag& f) { f.send.bytes = 2; }), "");
  EXPECT_EQ(with([](Flag& f) { f.send.bytes = f.o.bytes = 3; }), "");
  EXPECT_EQ(with([](Flag& f) { f.send.offset = f.o.offset = f.both(f.number(2)); }), "");
  EXPECT_EQ(with([](Flag& f) { f.m.regions[k_flag.index].space = Space::group; }), "");
  EXPECT_EQ(with([](Flag& f) { f.send.value = {}; }), "ordered");  // whatever it writes, nobody else writes
}

TEST(Message, is_granted_by_all_writers_or_by_none) {
  const auto also = [](const Change& change) {
    return with([&](Flag& f) {
      AccessRecord w = f.send;
      w.guard = f.all(f.first(), f.group_is(2));
      w.position = 30;
      f.more = {w};
      change(f);
    });
  };
  EXPECT_EQ(also([](Flag&) {}), "");
  EXPECT_EQ(also([](Flag& f) { f.more[0].value = f.both(f.number(7)); }), "ordered");
  EXPECT_EQ(also([](Flag& f) { f.more[0].value = {}; }), "");
  EXPECT_EQ(also([](Flag& f) { f.more[0].value = f.both(f.number(7, 16)); }), "");
  EXPECT_EQ(also([](Flag& f) { f.more[0].offset = f.both(f.number(4)); }), "ordered");
  EXPECT_EQ(also([](Flag& f) { f.more[0].region = Scene::k_other; }), "ordered");
  EXPECT_EQ(also([](Flag& f) { f.more[0].kind = AccessKind::read; }), "ordered");
  EXPECT_EQ(also([](Flag& f) { f.more[0].leaves = true; }), "ordered");
  // One that is no atomic of the place's bytes may write any value there.
  const auto plain = [&](uint64_t at, uint32_t bytes) {
    return also([&](Flag& f) {
      f.more[0].mode = Mode::plain;
      f.more[0].value = f.both(f.number(7));
      f.more[0].offset = f.both(f.number(at));
      f.more[0].bytes = bytes;
      f.send.offset = f.o.offset = f.both(f.number(8));
    });
  };
  EXPECT_EQ(plain(8, 4), "");
  EXPECT_EQ(plain(4, 4), "ordered");
  EXPECT_EQ(plain(5, 4), "");
  EXPECT_EQ(plain(7, 1), "ordered");
  EXPECT_EQ(plain(11, 1), "");
  EXPECT_EQ(plain(12, 4), "ordered");
  // The sender's other thread, and the sender once more behind its data.
  EXPECT_EQ(also([](Flag& f) { f.more[0].guard = f.all(f.id_is(5), f.group_is(0)); }), "");
  EXPECT_EQ(also([](Flag& f) { f.more[0].guard = f.sender; }), "ordered");
  EXPECT_EQ(also([](Flag& f) {
              f.more[0].guard = f.sender;
              f.more[0].position = 5;
            }),
            "");
  // What is known of each thread there, and as far as it comes.
  const auto known = [&](uint32_t from, uint32_t until) {
    return also([&](Flag& f) {
      const Pair v = f.fresh("v");
      f.more[0].value = v;
      f.know({f.pool.ne(v[0], f.number(1)), f.pool.ne(v[1], f.number(1))}, from);
      for (size_t i = f.x.facts.size() - 2; i < f.x.facts.size(); ++i) f.x.facts[i].until = {until, until};
    });
  };
  EXPECT_EQ(known(5, 40), "ordered");
  EXPECT_EQ(known(30, 30), "ordered");
  EXPECT_EQ(known(31, 40), "");
  EXPECT_EQ(known(5, 29), "");
  // In one group.
  EXPECT_EQ(also([](Flag& f) { f.setting.one_group = true; }), "ordered");
  // Who has taken the sender's ticket writes the flag; but tickets of two threads are apart, as far as that is known.
  const auto by_ticket = [&](uint32_t of_data, uint32_t of_flag, uint32_t until_data, uint32_t until_flag) {
    return also([&](Flag& f) {
      const Pair ticket = f.fresh("ticket");
      f.written.guard = f.all(f.sender, f.is(ticket, 7));
      f.more[0].guard = f.all(f.more[0].guard, f.is(ticket, 7));
      ApartRecord r{.guard = f.yes(), .offset = f.both(f.number(0)), .value = ticket, .step = {1, 1}};
      r.from = {of_data, of_flag};
      r.until = {until_data, until_flag};
      f.x.apart.push_back(r);
      std::swap(r.from[0], r.from[1]);
      std::swap(r.until[0], r.until[1]);
      f.x.apart.push_back(r);
    });
  };
  EXPECT_EQ(by_ticket(5, 5, 50, 50), "ordered");
  EXPECT_EQ(by_ticket(10, 30, 10, 30), "ordered");
  EXPECT_EQ(by_ticket(11, 30, 50, 50), "");
  EXPECT_EQ(by_ticket(10, 31, 50, 50), "");
  EXPECT_EQ(by_ticket(5, 5, 9, 30), "");
  EXPECT_EQ(by_ticket(5, 5, 10, 29), "");
}

TEST(Message, of_a_release_in_the_write) {
  const auto releasing = [](const Change& change) {
    return with([&](Flag& f) {
      f.x.fences.erase(f.x.fences.begin());
      f.send.atomic = &f.releasing;
      change(f);
    });
  };
  EXPECT_EQ(releasing([](Flag&) {}), "ordered");
  EXPECT_EQ(releasing([](Flag& f) { f.send.atomic = &f.store; }), "");
  EXPECT_EQ(releasing([](Flag& f) { f.setting.dialect = f.m.dialect = Dialect::opencl; }), "ordered");
  EXPECT_EQ(releasing([](Flag& f) {
              f.setting.dialect = f.m.dialect = Dialect::opencl;
              f.written.space = f.read.space = Space::group;
            }),
            "");
}

TEST(Message, to_a_group_by_its_first_thread) {
  const auto groups = [](const Change& change) {
    return with([&](Flag& f) {
      f.by_groups();
      change(f);
    });
  };
  EXPECT_EQ(groups([](Flag&) {}), "ordered");
  for (const size_t n : {0, 1}) {
    const auto barrier = [&](const std::function<void(Flag&, BarrierRecord&)>& change) {
      return groups([&](Flag& f) { change(f, f.x.group_barriers[n]); });
    };
    EXPECT_EQ(barrier([](Flag& f, BarrierRecord& b) { b.global = f.both(f.pool.no()); }), "") << n;
    EXPECT_EQ(barrier([](Flag& f, BarrierRecord& b) { b.local = f.both(f.pool.no()); }), "ordered") << n;
    EXPECT_EQ(barrier([](Flag& f, BarrierRecord& b) { b.global = f.first(); }), "") << n;
    EXPECT_EQ(barrier([](Flag&, BarrierRecord& b) { b.by = Provider::warp; }), "") << n;
    EXPECT_EQ(barrier([](Flag& f, BarrierRecord& b) { b.meets = f.pool.yes(); }), "") << n;
    EXPECT_EQ(barrier([&](Flag&, BarrierRecord& b) { b.position = n == 0 ? 9 : 19; }), "") << n;
    EXPECT_EQ(barrier([&](Flag&, BarrierRecord& b) { b.position = n == 0 ? 15 : 25; }), "") << n;
  }
  EXPECT_EQ(groups([](Flag& f) { f.x.group_barriers[1].guard = f.fresh("c", 1); }), "ordered");
  EXPECT_EQ(groups([](Flag& f) { f.x.fences.erase(f.x.fences.begin()); }), "");
  EXPECT_EQ(groups([](Flag& f) { f.x.fences.pop_back(); }), "");
  EXPECT_EQ(groups([](Flag& f) {
              f.x.fences.pop_back();
              f.o.acquires = true;
            }),
            "ordered");
  EXPECT_EQ(groups([](Flag& f) { f.x.fences[0].position = 9; }), "");
  EXPECT_EQ(groups([](Flag& f) { f.x.fences[1].position = 19; }), "");
  EXPECT_EQ(groups([](Flag& f) { f.x.fences[0].scope = Scope::group; }), "");
  EXPECT_EQ(groups([](Flag& f) { f.x.fences[1].scope = Scope::group; }), "");
  EXPECT_EQ(groups([](Flag& f) { f.x.fences[0].guard = f.fresh("c", 1); }), "");
  EXPECT_EQ(groups([](Flag& f) { f.x.fences[1].guard = f.fresh("c", 1); }), "");
  EXPECT_EQ(groups([](Flag& f) { f.written.loops = f.send.loops = {2}; }), "");
  EXPECT_EQ(groups([](Flag& f) {
              f.send.atomic = &f.releasing;
              f.x.fences.erase(f.x.fences.begin());
            }),
            "ordered");
}

// CUDA's fences may stand in the thread that makes the access, if both sides have one.
TEST(Message, of_fences_on_the_other_side_of_the_barrier) {
  const auto apart = [](const Change& change) {
    return with([&](Flag& f) {
      f.by_groups();
      f.x.group_barriers[1].position = 23;
      f.read.position = 27;
      f.x.fences = {f.fence(12, f.sender), f.fence(25, f.group_is(1))};
      change(f);
    });
  };
  EXPECT_EQ(apart([](Flag&) {}), "ordered, fences in order");
  EXPECT_EQ(apart([](Flag& f) { f.x.fences[1].order = Order::acq_rel; }), "");
  EXPECT_EQ(apart([](Flag& f) { f.x.fences[0].order = Order::acq_rel; }), "");
  EXPECT_EQ(apart([](Flag& f) { f.x.fences[1].guard = f.receiver; }), "");
  EXPECT_EQ(apart([](Flag& f) { f.x.fences[1].position = 28; }), "");
  EXPECT_EQ(apart([](Flag& f) { f.setting.dialect = f.m.dialect = Dialect::opencl; }), "");
  // Before the barrier of the sender's group, in the thread that writes the data.
  const auto early = [&](const Change& change) {
    return apart([&](Flag& f) {
      f.x.group_barriers[0].position = 12;
      f.x.fences[0] = f.fence(11, f.group_is(0));
      change(f);
    });
  };
  EXPECT_EQ(early([](Flag&) {}), "ordered, fences in order");
  EXPECT_EQ(early([](Flag& f) { f.x.fences[0].order = Order::acq_rel; }), "");
  EXPECT_EQ(early([](Flag& f) { f.x.fences[0].guard = f.sender; }), "");
  EXPECT_EQ(early([](Flag& f) { f.x.fences[0].position = 9; }), "");
  EXPECT_EQ(early([](Flag& f) { f.x.fences[1] = f.fence(22, f.receiver); }), "ordered, fences in order");
}

TEST(Message, within_one_group_reaches_by_narrower_scopes) {
  const auto narrow = [](const Change& change) {
    return with([&](Flag& f) {
      f.setting.pairing = Pairing::same_group;
      f.x.group_id[1] = f.x.group_id[0];
      f.sender = f.all(f.id_is(0), f.group_is(0));
      f.receiver = f.all(f.id_is(1), f.group_is(0));
      f.written.guard = f.send.guard = f.sender;
      f.read.guard = f.o.guard = f.receiver;
      f.left(f.receiver, 1);
      f.x.fences = {f.fence(12, f.sender), f.fence(22, f.receiver)};
      change(f);
    });
  };
  EXPECT_EQ(narrow([](Flag&) {}), "ordered");
  EXPECT_EQ(narrow([](Flag& f) { f.o.scope = Scope::group; }), "ordered");
  EXPECT_EQ(narrow([](Flag& f) { f.o.scope = Scope::cluster; }), "ordered");
  EXPECT_EQ(narrow([](Flag& f) { f.o.scope = Scope::warp; }), "");
  EXPECT_EQ(narrow([](Flag& f) { f.x.fences[0].scope = Scope::group; }), "ordered");
  EXPECT_EQ(narrow([](Flag& f) { f.x.fences[1].scope = Scope::group; }), "ordered");
  EXPECT_EQ(narrow([](Flag& f) { f.x.fences[0].scope = Scope::warp; }), "");
  EXPECT_EQ(narrow([](Flag& f) { f.x.fences[1].scope = Scope::warp; }), "");
}

// Each group writes, takes a ticket, and the last one sets the flag that all wait for.
struct LastFlag : Flag {
  LastFlag() {
    k.region = k_tickets;
    k.guard = first();
    k.value = fresh("k");
    k.master_guard = yes();
    k.master_value = fresh("k of the first");
    k.groups = number(4);
    k.position = 8;
    k.first_thread = true;
    written = access(AccessKind::write, k_data, 2, yes(), both(number(0)));
    const Pair last_one = all(first(), no_less(k.value, 3));
    send.guard = last_one;
    read.guard = first();
    o.guard = first();
    left(first(), 1);
    x.group_barriers = {barrier(4)};
    x.fences = {fence(6, first()), fence(11, last_one), fence(22, first())};
    more = {by(access(AccessKind::atomic, k_tickets, 8, first(), both(number(0))), add)};
    x.last_tickets = {k};
  }
  static constexpr RegionId k_tickets = Scene::k_other;
  TicketRecord k;
};
std::string by_last(const std::function<void(LastFlag&)>& change) {
  LastFlag f;
  change(f);
  return f.answer();
}

TEST(Message, of_the_last_group_is_behind_all_tickets) {
  EXPECT_EQ(by_last([](LastFlag&) {}), "ordered");
  EXPECT_EQ(by_last([](LastFlag& f) { f.x.last_tickets.clear(); }), "");
  EXPECT_EQ(by_last([](LastFlag& f) { f.setting.pairing = Pairing::same_group; }), "");
  EXPECT_EQ(by_last([](LastFlag& f) { f.send.guard = f.first(); }), "");
  EXPECT_EQ(by_last([](LastFlag& f) { f.send.guard = f.all(f.first(), f.no_less(f.k.value, 2)); }), "");
  EXPECT_EQ(by_last([](LastFlag& f) { f.send.mode = Mode::plain; }), "");
  for (const size_t n : {0, 1, 2})
    EXPECT_EQ(by_last([&](LastFlag& f) { f.x.fences.erase(f.x.fences.begin() + static_cast<std::ptrdiff_t>(n)); }), "")
        << n;
  // Its fence hands on what it has seen: behind the ticket, before the flag, and of both kinds.
  const auto hands_on = [](const std::function<void(LastFlag&, FenceRecord&)>& change) {
    return by_last([&](LastFlag& f) { change(f, f.x.fences[1]); });
  };
  EXPECT_EQ(hands_on([](LastFlag&, FenceRecord& n) { n.order = Order::acq_rel; }), "ordered");
  EXPECT_EQ(hands_on([](LastFlag&, FenceRecord& n) { n.order = Order::release; }), "");
  EXPECT_EQ(hands_on([](LastFlag&, FenceRecord& n) { n.order = Order::acquire; }), "");
  EXPECT_EQ(hands_on([](LastFlag&, FenceRecord& n) { n.scope = Scope::group; }), "");
  EXPECT_EQ(hands_on([](LastFlag&, FenceRecord& n) { n.global = false; }), "");
  EXPECT_EQ(hands_on([](LastFlag& f, FenceRecord& n) { n.guard = f.fresh("c", 1); }), "");
  EXPECT_EQ(hands_on([](LastFlag& f, FenceRecord& n) { n.guard = {n.guard[0], f.pool.no()}; }), "");
  EXPECT_EQ(hands_on([](LastFlag& f, FenceRecord& n) { n.guard = {f.pool.no(), n.guard[1]}; }), "ordered");
  EXPECT_EQ(hands_on([](LastFlag&, FenceRecord& n) { n.position = 15; }), "");
  EXPECT_EQ(hands_on([](LastFlag&, FenceRecord& n) { n.position = 7; }), "");
  for (const bool first : {false, true})
    EXPECT_EQ(hands_on([&](LastFlag& f, FenceRecord& n) {
                FenceRecord other = n;
                n.order = first ? Order::release : Order::acquire;
                other.order = first ? Order::acquire : Order::release;
                other.position = 12;
                f.x.fences.push_back(other);
              }),
              "");
  // The reader of the flag needs a fence of its own.
  EXPECT_EQ(by_last([](LastFlag& f) { f.x.fences[2].order = Order::release; }), "");
}

// ---- turns ---------------------------------------------------------------------------------------------------------

// if (lid == 0) { while (turn != gid); fence; } barrier; d = x; barrier; if (lid == 0) { fence; turn = gid + 1; }
struct Turns : Flag {
  Turns() {
    written = access(AccessKind::write, k_data, 24, yes(), both(number(0)));
    read = access(AccessKind::read, k_data, 26, yes(), both(number(0)));
    x.group_barriers = {barrier(23), barrier(27)};
    o.guard = first();
    send = by(access(AccessKind::write, k_flag, 30, first(), both(number(0))), store);
    for (const size_t t : k_both) send.value[t] = pool.add(seen[t], number(1));
    x.fences = {fence(22, first()), fence(28, first())};
    x.facts.clear();
    for (const size_t t : k_both)
      know(pool.implies(first()[t], pool.eq(seen[t], x.group_id[t][0])), 21, static_cast<uint8_t>(1u << t));
    for (const size_t t : k_both)
      for (const size_t d : {1, 2}) x.group_id[t][d] = number(0);
    know(pool.ne(x.group_id[0][0], x.group_id[1][0]), 0, 3);
  }
};
std::string in_turns(const std::function<void(Turns&)>& change) {
  Turns f;
  change(f);
  return f.answer();
}

TEST(Turn, comes_before_all_that_follow) {
  EXPECT_EQ(in_turns([](Turns&) {}), "ordered");
  EXPECT_EQ(in_turns([](Turns& f) { f.x.facts.clear(); }), "");
  EXPECT_EQ(in_turns([](Turns& f) {
              for (const size_t t : k_both) f.send.value[t] = f.pool.add(f.seen[t], f.number(2));
            }),
            "");
  EXPECT_EQ(in_turns([](Turns& f) { f.send.value = {}; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.send.guard = f.yes(); }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.send.mode = Mode::plain; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.send.bytes = 8; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.send.atomic = &f.of_group; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.send.loops = {2}; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.send.position = 20; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.send.offset = f.both(f.number(4)); }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.send.offset = f.o.offset = f.both(f.number(2)); }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.o.scope = Scope::group; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.o.aligned = false; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.o.position = 25; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.setting.pairing = Pairing::same_group; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.written.space = f.read.space = Space::group; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.m.regions[k_flag.index].space = Space::group; }), "");
  for (const size_t n : {0, 1}) {
    EXPECT_EQ(in_turns([&](Turns& f) { f.x.fences[n].scope = Scope::group; }), "") << n;
    EXPECT_EQ(in_turns([&](Turns& f) { f.x.fences[n].global = false; }), "") << n;
    EXPECT_EQ(in_turns([&](Turns& f) { f.x.fences[n].guard = f.fresh("c", 1); }), "") << n;
    EXPECT_EQ(in_turns([&](Turns& f) { f.x.fences.erase(f.x.fences.begin() + static_cast<std::ptrdiff_t>(n)); }), "")
        << n;
  }
  EXPECT_EQ(in_turns([](Turns& f) { f.x.fences[0].order = f.x.fences[1].order = Order::acq_rel; }), "ordered");
  EXPECT_EQ(in_turns([](Turns& f) { f.x.fences[0].order = Order::release; }), "");
  EXPECT_EQ(in_turns([](Turns& f) { f.x.fences[1].order = Order::acquire; }), "");
  // By the orders of the read and of the write, in CUDA.
  const auto by_orders = [](const std::function<void(Turns&)>& change) {
    return in_turns([&](Turns& f) {
      f.x.fences.clear();
      f.o.acquires = true;
      f.send.atomic = &f.releasing;
      change(f);
    });
  };
  EXPECT_EQ(by_orders([](Turns&) {}), "ordered");
  EXPECT_EQ(by_orders([](Turns& f) { f.o.acquires = false; }), "");
  EXPECT_EQ(by_orders([](Turns& f) { f.send.atomic = &f.store; }), "");
  EXPECT_EQ(by_orders([](Turns& f) { f.setting.dialect = f.m.dialect = Dialect::opencl; }), "");
  // By fences of the one thread that makes the access, on the other sides of the barriers: then each turn needs such a
  // fence, too.
  const auto by_another = [](const std::function<void(Turns&)>& change) {
    return in_turns([&](Turns& f) {
      f.written.guard = f.read.guard = f.id_is(5);
      f.x.group_barriers = {f.barrier(22), f.barrier(28)};
      f.x.fences = {f.fence(23, f.id_is(5)), f.fence(27, f.id_is(5)), f.fence(29, f.first())};
      change(f);
    });
  };
  EXPECT_EQ(by_another([](Turns&) {}), "ordered, fences in order");
  for (const size_t n : {0, 2}) EXPECT_EQ(by_another([&](Turns& f) { f.x.fences[n].order = Order::acq_rel; }), "") << n;
  // Somebody else who writes any value, or one turn too many.
  const auto also = [](const std::function<void(Turns&)>& change) {
    return in_turns([&](Turns& f) {
      AccessRecord w = f.send;
      w.position = 40;
      f.more = {w};
      change(f);
    });
  };
  EXPECT_EQ(also([](Turns& f) { f.more[0].value = f.both(f.number(7)); }), "");
  EXPECT_EQ(also([](Turns& f) { f.more[0].region = Scene::k_other; }), "ordered");
  EXPECT_EQ(also([](Turns& f) {
              f.more[0].value = f.both(f.number(7));
              f.more[0].leaves = true;
            }),
            "ordered");
}

// ---- places that are handed over -----------------------------------------------------------------------------------

// One thread: while (full != 0); fence; d = x; fence; full = 1;
// Another: while (full != 1); fence; .. = d; fence; full = 0;
struct Hand : Flag {
  Hand() {
    producer = all(id_is(0), group_is(0));
    consumer = all(id_is(0), group_is(1));
    const Pair empty = fresh("empty"), full = fresh("full");
    o.guard = producer;
    o.value = empty;
    o.position = 10;
    written = access(AccessKind::write, k_data, 14, producer, both(number(0)));
    send = by(access(AccessKind::write, k_flag, 18, producer, both(number(0))), store);
    send.value = both(number(1));
    ObservationRecord taken = o;
    taken.guard = consumer;
    taken.value = full;
    taken.position = 20;
    others = {taken};
    read = access(AccessKind::read, k_data, 24, consumer, both(number(0)));
    more = {by(access(AccessKind::write, k_flag, 28, consumer, both(number(0))), store)};
    more[0].value = both(number(0));
    written.loops = send.loops = {1};
    o.loops = {1, 2};
    read.loops = more[0].loops = {4};
    others[0].loops = {4, 3};
    x.fences = {fence(12, producer), fence(16, producer), fence(22, consumer), fence(26, consumer)};
    for (FenceRecord& f : x.fences) f.in_loop = true;
    x.facts.clear();
    know({pool.implies(producer[0], is(empty, 0)[0]), pool.implies(producer[1], is(empty, 0)[1])}, 11);
    know({pool.implies(consumer[0], is(full, 1)[0]), pool.implies(consumer[1], is(full, 1)[1])}, 21);
  }
  Pair producer, consumer;
};
std::string handed(const std::function<void(Hand&)>& change) {
  Hand f;
  change(f);
  const std::string one = f.answer(), other = f.answer(true);
  EXPECT_EQ(one, other) << "the one way round and the other";
  return one;
}

TEST(HandOver, is_by_fences_around_what_the_holder_does) {
  EXPECT_EQ(handed([](Hand&) {}), "ordered");
  EXPECT_EQ(handed([](Hand& f) { f.x.facts.clear(); }), "");
  for (const size_t n : {0, 1, 2, 3}) {
    const auto fence = [&](const std::function<void(Hand&, FenceRecord&)>& change) {
      return handed([&](Hand& f) { change(f, f.x.fences[n]); });
    };
    EXPECT_EQ(fence([](Hand&, FenceRecord& g) { g.scope = Scope::group; }), "") << n;
    EXPECT_EQ(fence([](Hand&, FenceRecord& g) { g.global = false; }), "") << n;
    EXPECT_EQ(fence([](Hand& f, FenceRecord& g) { g.guard = f.fresh("c", 1); }), "") << n;
    EXPECT_EQ(fence([](Hand&, FenceRecord& g) { g.order = Order::relaxed; }), "") << n;
    EXPECT_EQ(fence([](Hand&, FenceRecord& g) { g.order = Order::acq_rel; }), "ordered") << n;
    EXPECT_EQ(fence([&](Hand&, FenceRecord& g) { g.order = n % 2 == 0 ? Order::release : Order::acquire; }), "") << n;
    EXPECT_EQ(fence([&](Hand&, FenceRecord& g) { g.order = n % 2 == 0 ? Order::acquire : Order::release; }), "ordered")
        << n;
    EXPECT_EQ(fence([](Hand&, FenceRecord& g) { g.position = 50; }), "") << n;
  }
}

// In CUDA, where an order is of global and of shared memory.
TEST(HandOver, is_by_the_orders_of_reads_and_writes) {
  const auto by_orders = [](const std::function<void(Hand&)>& change) {
    return handed([&](Hand& f) {
      f.x.fences.clear();
      f.o.acquires = f.others[0].acquires = true;
      f.send.atomic = f.more[0].atomic = &f.releasing;
      change(f);
    });
  };
  EXPECT_EQ(by_orders([](Hand&) {}), "ordered");
  EXPECT_EQ(by_orders([](Hand& f) { f.o.acquires = false; }), "");
  EXPECT_EQ(by_orders([](Hand& f) { f.others[0].acquires = false; }), "");
  EXPECT_EQ(by_orders([](Hand& f) { f.send.atomic = &f.store; }), "");
  EXPECT_EQ(by_orders([](Hand& f) { f.more[0].atomic = &f.store; }), "");
  EXPECT_EQ(by_orders([](Hand& f) { f.setting.dialect = f.m.dialect = Dialect::opencl; }), "");
  // A write that releases, behind a fence for what was read: in OpenCL it is of its own memory.
  const auto releasing = [](const std::function<void(Hand&)>& change) {
    return handed([&](Hand& f) {
      f.x.fences = {f.x.fences[0], f.x.fences[2]};
      f.send.atomic = f.more[0].atomic = &f.releasing;
      change(f);
    });
  };
  EXPECT_EQ(releasing([](Hand&) {}), "ordered");
  EXPECT_EQ(releasing([](Hand& f) { f.written.space = f.read.space = Space::group; }), "ordered");
  EXPECT_EQ(releasing([](Hand& f) { f.send.atomic = &f.store; }), "");
  EXPECT_EQ(releasing([](Hand& f) { f.setting.dialect = f.m.dialect = Dialect::opencl; }), "ordered");
  EXPECT_EQ(releasing([](Hand& f) {
              f.setting.dialect = f.m.dialect = Dialect::opencl;
              f.written.space = f.read.space = Space::group;
            }),
            "");
}

TEST(HandOver, is_of_a_place_that_only_holders_write) {
  for (const bool consumer : {false, true}) {
    const auto write = [&](const std::function<void(Hand&, AccessRecord&)>& change) {
      return handed([&](Hand& f) { change(f, consumer ? f.more[0] : f.send); });
    };
    EXPECT_EQ(write([](Hand&, AccessRecord& w) { w.mode = Mode::plain; }), "");
    EXPECT_EQ(write([](Hand& f, AccessRecord& w) { w.atomic = &f.of_group; }), "");
    EXPECT_EQ(write([](Hand&, AccessRecord& w) { w.bytes = 8; }), "");
    EXPECT_EQ(write([](Hand&, AccessRecord& w) { w.spec = true; }), "");
    EXPECT_EQ(write([](Hand&, AccessRecord& w) { w.by_contract = true; }), "");
    EXPECT_EQ(write([](Hand& f, AccessRecord& w) { w.guard = f.yes(); }), "");
    // Where nobody writes what the consumer waits for, it never goes on.
    EXPECT_EQ(write([](Hand& f, AccessRecord& w) { w.offset = f.both(f.number(4)); }), consumer ? "" : "ordered");
    EXPECT_EQ(write([](Hand&, AccessRecord& w) { w.position = 5; }), "");
    EXPECT_EQ(write([](Hand&, AccessRecord& w) { w.loops.push_back(9); }), "");
  }
  EXPECT_EQ(handed([](Hand& f) { f.o.aligned = false; }), "");
  EXPECT_EQ(handed([](Hand& f) { f.o.scope = Scope::group; }), "");
  EXPECT_EQ(handed([](Hand& f) { f.others[0].aligned = false; }), "");
  EXPECT_EQ(handed([](Hand& f) { f.others[0].scope = Scope::group; }), "");
  EXPECT_EQ(handed([](Hand& f) { f.o.guard = f.fresh("c", 1); }), "");
  EXPECT_EQ(handed([](Hand& f) { f.others[0].guard = f.fresh("c", 1); }), "");
  EXPECT_EQ(handed([](Hand& f) { f.o.position = 15; }), "");
  EXPECT_EQ(handed([](Hand& f) { f.others[0].position = 25; }), "");
  EXPECT_EQ(handed([](Hand& f) { f.o.loops = {2}; }), "");
  EXPECT_EQ(handed([](Hand& f) { f.others[0].loops = {3}; }), "");
  EXPECT_EQ(handed([](Hand& f) { f.m.regions[k_flag.index].space = Space::group; }), "");
  // Two threads that produce.
  const auto two_produce = [](const std::function<void(Hand&)>& change) {
    return handed([&](Hand& f) {
      const Pair two = {f.pool.any(f.producer[0], f.all(f.id_is(1), f.group_is(0))[0]),
                        f.pool.any(f.producer[1], f.all(f.id_is(1), f.group_is(0))[1])};
      f.o.guard = f.send.guard = f.written.guard = f.x.fences[0].guard = f.x.fences[1].guard = two;
      f.know({f.pool.implies(two[0], f.is(f.o.value, 0)[0]), f.pool.implies(two[1], f.is(f.o.value, 0)[1])}, 11);
      change(f);
    });
  };
  EXPECT_EQ(two_produce([](Hand&) {}), "");
  // What is known of each thread of a launch is known of a third one, and what is known of these two is not.
  EXPECT_EQ(two_produce([](Hand& f) {
              for (const size_t t : k_both) f.know(f.pool.ne(f.x.local_id[t][0], f.number(1)), 0, 0);
            }),
            "ordered");
  EXPECT_EQ(two_produce([](Hand& f) {
              const auto other = [&](size_t t) { return f.pool.ne(f.x.local_id[t][0], f.number(1)); };
              f.know(f.pool.all(other(0), f.pool.any(other(1), f.pool.eq(f.x.group_id[1][0], f.number(1)))), 0, 0);
            }),
            "");
  // A write between the read and the use, of the reader or of another thread.
  const auto also = [](const std::function<void(Hand&, AccessRecord&)>& change) {
    return handed([&](Hand& f) {
      AccessRecord w = f.send;
      w.position = 13;
      f.more.push_back(w);
      change(f, f.more[1]);
    });
  };
  EXPECT_EQ(also([](Hand&, AccessRecord&) {}), "");
  EXPECT_EQ(also([](Hand&, AccessRecord& w) { w.region = Scene::k_other; }), "ordered");
  EXPECT_EQ(also([](Hand&, AccessRecord& w) { w.leaves = true; }), "ordered");
  EXPECT_EQ(also([](Hand&, AccessRecord& w) { w.kind = AccessKind::read; }), "ordered");
  EXPECT_EQ(also([](Hand& f, AccessRecord& w) { w.guard = f.both(f.pool.no()); }), "");
}

TEST(HandOver, is_by_the_last_read_and_not_behind_a_write) {
  // Each of them once.
  const auto once = [](const std::function<void(Hand&)>& change) {
    return handed([&](Hand& f) {
      f.written.loops = f.send.loops = f.read.loops = f.more[0].loops = {};
      f.o.loops = {2};
      f.others[0].loops = {3};
      change(f);
    });
  };
  EXPECT_EQ(once([](Hand&) {}), "ordered");
  const auto also = [&](uint32_t position, const std::function<void(Hand&, AccessRecord&)>& change) {
    return once([&](Hand& f) {
      AccessRecord w = f.send;
      w.position = position;
      f.more.push_back(w);
      change(f, f.more[1]);
    });
  };
  EXPECT_EQ(also(13, [](Hand&, AccessRecord&) {}), "");
  EXPECT_EQ(also(10, [](Hand&, AccessRecord&) {}), "");                             // by the comparison that reads
  EXPECT_EQ(also(13, [](Hand& f, AccessRecord& w) { w.guard = f.consumer; }), "");  // which holds nothing there
  // An earlier read, of what it was then.
  const auto reads = [&](uint32_t position, bool first) {
    return once([&](Hand& f) {
      ObservationRecord early = f.o;
      early.position = position;
      early.value = f.fresh("early");
      if (first) std::swap(f.o, early);
      f.others.push_back(early);
    });
  };
  EXPECT_EQ(reads(8, false), "ordered");
  EXPECT_EQ(reads(8, true), "ordered");
  EXPECT_EQ(once([](Hand& f) {
              ObservationRecord other = f.o;
              other.region = Scene::k_other;
              other.position = 13;
              other.value = f.fresh("other");
              f.others.push_back(other);
            }),
            "ordered");
  EXPECT_EQ(once([](Hand& f) { f.others[0].bytes = f.more[0].bytes = 8; }), "");
}

// ---- orders that are not shown -------------------------------------------------------------------------------------

bool perhaps(const Change& change) {
  Flag f;
  change(f);
  return f.perhaps();
}

TEST(PerhapsMessage, needs_a_release_and_an_acquire) {
  EXPECT_TRUE(perhaps([](Flag&) {}));
  EXPECT_FALSE(perhaps([](Flag& f) { f.x.fences.clear(); }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.x.fences.pop_back(); }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.x.fences.erase(f.x.fences.begin()); }));
  EXPECT_TRUE(perhaps([](Flag& f) {
    f.x.fences.pop_back();
    f.o.acquires = true;
  }));
  EXPECT_TRUE(perhaps([](Flag& f) {
    f.x.fences.erase(f.x.fences.begin());
    f.send.atomic = &f.releasing;
  }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.x.fences[0].scope = Scope::group; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.x.fences[1].global = false; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.x.fences[0].position = 9; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.x.fences[1].position = 25; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.o.position = 24; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.written.position = 15; }));
  EXPECT_TRUE(perhaps([](Flag& f) {
    f.written.position = 15;
    f.written.loops = f.send.loops = {1};
    f.x.fences[0].in_loop = true;
  }));
  EXPECT_FALSE(perhaps([](Flag& f) {
    f.written.position = 15;
    f.written.loops = f.send.loops = {1};
  }));
  EXPECT_TRUE(perhaps([](Flag& f) {
    f.o.position = 25;
    f.o.loops = f.read.loops = {1};
    f.x.fences[1].in_loop = true;
  }));
  EXPECT_FALSE(perhaps([](Flag& f) {
    f.o.position = 25;
    f.o.loops = f.read.loops = {1};
    f.x.fences[1].position = 30;
  }));
}

TEST(PerhapsMessage, needs_a_place_that_may_carry_it) {
  EXPECT_FALSE(perhaps([](Flag& f) { f.o.aligned = false; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.o.scope = Scope::group; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.m.regions[k_flag.index].space = Space::group; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.send.mode = Mode::plain; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.send.region = Scene::k_other; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.send.kind = AccessKind::read; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.send.leaves = true; }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.send.value = f.both(f.number(5)); }));
  EXPECT_TRUE(perhaps([](Flag& f) { f.send.value = {}; }));
  EXPECT_TRUE(perhaps([](Flag& f) { f.send.value = f.both(f.number(5, 16)); }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.send.offset = f.both(f.number(4)); }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.send.guard = f.both(f.pool.no()); }));
  EXPECT_FALSE(perhaps([](Flag& f) { f.o.guard = f.both(f.pool.no()); }));
  // Another thread of the group may write or read there, or the same one in another iteration.
  EXPECT_TRUE(perhaps([](Flag& f) {
    f.send.offset = f.both(f.number(4));
    f.send.loops = {2};
  }));
  EXPECT_TRUE(perhaps([](Flag& f) {
    f.send.offset = f.both(f.number(4));
    f.o.loops = f.read.loops = {2};
  }));
  EXPECT_TRUE(perhaps([](Flag& f) {
    f.send.offset = f.both(f.number(4));
    f.x.group_barriers = {f.barrier(11)};
  }));
  EXPECT_TRUE(perhaps([](Flag& f) {
    f.send.offset = f.both(f.number(4));
    f.x.group_barriers = {f.barrier(23)};
  }));
  EXPECT_FALSE(perhaps([](Flag& f) {
    f.send.offset = f.both(f.number(4));
    f.x.group_barriers = {f.barrier(9), f.barrier(17), f.barrier(25)};
  }));
  for (const bool reads : {false, true}) {
    const auto access = [&](const std::function<void(AccessRecord&)>& change) {
      return perhaps([&](Flag& f) { change(reads ? f.read : f.written); });
    };
    EXPECT_FALSE(access([](AccessRecord& a) { a.mode = Mode::asynchronous; }));
    EXPECT_FALSE(access([](AccessRecord& a) { a.by_contract = true; }));
    EXPECT_FALSE(access([](AccessRecord& a) { a.spec = true; }));
  }
}

TEST(PerhapsMessage, may_go_through_others_who_pass_on_what_they_have_read) {
  // The reader's flag is written by others, who have read the sender's before.
  const auto through = [](const Change& change) {
    return perhaps([&](Flag& f) {
      const Pair third = f.group_is(2);
      ObservationRecord got = f.o;
      got.guard = third;
      got.value = f.fresh("got");
      got.offset = f.both(f.number(4));
      got.position = 16;
      f.others = {got};
      f.send.offset = f.both(f.number(4));
      AccessRecord on = f.send;
      on.guard = third;
      on.offset = f.both(f.number(0));
      on.position = 18;
      f.more = {on};
      change(f);
    });
  };
  EXPECT_TRUE(through([](Flag&) {}));
  EXPECT_FALSE(through([](Flag& f) { f.more[0].position = 15; }));
  EXPECT_FALSE(through([](Flag& f) { f.more[0].mode = Mode::plain; }));
  EXPECT_FALSE(through([](Flag& f) { f.more[0].kind = AccessKind::read; }));
  EXPECT_FALSE(through([](Flag& f) { f.more[0].leaves = true; }));
  EXPECT_FALSE(through([](Flag& f) { f.more[0].region = Scene::k_other; }));
  EXPECT_TRUE(through([](Flag& f) {
    f.more[0].position = 15;
    f.more[0].loops = f.others[0].loops = {5};
  }));
  EXPECT_FALSE(through([](Flag& f) { f.others[0].guard = f.both(f.pool.no()); }));
}

}  // namespace
}  // namespace fencepost::order
