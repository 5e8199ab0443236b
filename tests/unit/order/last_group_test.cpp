// The last ticket of a grid, record by record: what it orders, on which assumption, and that each part is needed.
#include "order/last_group.h"

#include <gtest/gtest.h>

#include <functional>

#include "scene.h"

namespace fencepost::order {
namespace {

using namespace ir;

// d[..] = x; barrier; if (lid == 0) { fence; k = add(&counter, 1); fence; } barrier; if (k == groups - 1) .. = d[..];
struct Reduction : Scene {
  explicit Reduction(uint64_t groups = 4) {
    value = fresh("k");
    master = fresh("k of the first");
    k.region = k_counter;
    k.guard = first();
    k.value = value;
    k.master_guard = yes();
    k.master_value = master;
    k.groups = number(groups);
    k.position = 20;
    k.first_thread = true;
    ticket = by(access(AccessKind::atomic, k_counter, 20, first(), both(number(0))), add);
    came_last = no_less(master, groups - 1);
    written = access(AccessKind::write, k_data, 10, yes(), fresh("i"));
    read = access(AccessKind::read, k_data, 50, came_last, fresh("j"));
    x.group_barriers = {barrier(14), barrier(34)};
    x.fences = {fence(17, first()), fence(23, first())};
  }
  AccessRecord put_back(Pair guard, Pair now) {
    AccessRecord a = access(AccessKind::write, k_counter, 60, guard, both(number(0)));
    a.value = now;
    return a;
  }
  LastGroup engine() {
    x.last_tickets = {k};
    x.accesses = {written, ticket, read};
    x.accesses.insert(x.accesses.end(), more.begin(), more.end());
    for (const TicketRecord& other : tickets) x.last_tickets.push_back(other);
    return LastGroup(pool, m, x, [this](std::vector<Term> goal, uint32_t position) {
      return impossible(std::move(goal), {position, position});
    });
  }
  // "" not ordered, else "ordered" and the assumptions but for that on the counter's first value.
  std::string answer() {
    LastGroup last = engine();
    const AccessRecord &a = x.accesses[of_ticket ? 1 : 0], &b = x.accesses[2];
    const Term t = last.ordered(a, b);
    if (!impossible({a.guard[0], b.guard[1], pool.not_(t)}, {b.position, b.position})) return "";
    std::string out = "ordered";
    for (const Assumption& s : last.assumptions) {
      if (s.kind == Assumption::as_in_guide) out += ", as in the guide";
      if (s.kind == Assumption::fences_in_order)
        out += s.text.starts_with("of two") ? ", fences in order" : ", a fence of each";
    }
    return out;
  }
  bool puts_back() { return engine().puts_back(k_counter); }

  Atomic add{.op = AtomicOp::add}, exchange{.op = AtomicOp::exchange}, compare{.op = AtomicOp::compare_exchange};
  Pair value, master, came_last;
  TicketRecord k;
  AccessRecord written, ticket, read;
  std::vector<AccessRecord> more;
  std::vector<TicketRecord> tickets;
  bool of_ticket = false;  // the ticket itself, in place of what was written before it
};

using Change = std::function<void(Reduction&)>;

std::string with(const Change& change) {
  Reduction r;
  change(r);
  return r.answer();
}

TEST(LastTicket, orders_what_was_written_before_it) {
  EXPECT_EQ(with([](Reduction&) {}), "ordered");
  EXPECT_EQ(with([](Reduction& r) { r.read.guard = r.yes(); }), "");
  EXPECT_EQ(with([](Reduction& r) { r.read.guard = r.no_less(r.master, 2); }), "");
  EXPECT_EQ(with([](Reduction& r) { r.read.guard[1] = r.pool.yes(); }), "");
  EXPECT_EQ(with([](Reduction& r) { r.read.guard = r.all(r.first(), r.no_less(r.value, 3)); }), "ordered");
  EXPECT_EQ(with([](Reduction& r) { r.read.guard = r.all(r.first(), r.no_less(r.value, 2)); }), "");
  EXPECT_EQ(with([](Reduction& r) { r.k.master_guard = r.first(); }), "");
  EXPECT_EQ(with([](Reduction& r) { r.k.groups = r.number(5); }), "");
  // Accesses that are no one's in the order of the program.
  EXPECT_EQ(with([](Reduction& r) { r.written.mode = Mode::asynchronous; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.read.mode = Mode::asynchronous; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.written.by_contract = true; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.read.by_contract = true; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.written.position = 21; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.read.position = 19; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.read.position = 20; }), "");
}

TEST(LastTicket, needs_a_release_before_it) {
  EXPECT_EQ(with([](Reduction& r) { r.x.fences[0].scope = Scope::group; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.x.fences[0].scope = Scope::cluster; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.x.fences[0].scope = Scope::system; }), "ordered");
  EXPECT_EQ(with([](Reduction& r) { r.x.fences[0].in_loop = true; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.x.fences[0].global = false; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.x.fences[0].order = Order::acquire; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.x.fences[0].order = Order::relaxed; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.x.fences[0].order = Order::release; }), "ordered");
  EXPECT_EQ(with([](Reduction& r) { r.x.fences[0].order = Order::acq_rel; }), "ordered");
  EXPECT_EQ(with([](Reduction& r) { r.x.fences[0].guard = r.fresh("c", 1); }), "");
  EXPECT_EQ(with([](Reduction& r) { r.x.fences[0].position = 24; }), "");
  EXPECT_EQ(with([](Reduction& r) {
              r.x.fences[0].position = 24;
              r.k.releases = true;
            }),
            "ordered");
  EXPECT_EQ(with([](Reduction& r) { r.x.group_barriers[0].position = 9; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.x.group_barriers[0].position = 21; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.x.group_barriers[0].position = 18; }), "");
  // What the barrier orders, for who writes and for who takes the ticket.
  EXPECT_EQ(with([](Reduction& r) { r.x.group_barriers[0].global = r.both(r.pool.no()); }), "");
  EXPECT_EQ(with([](Reduction& r) { r.x.group_barriers[0].global = r.first(); }), "");
  EXPECT_EQ(with([](Reduction& r) {
              r.written.guard =
                  r.is(r.x.local_id[0][0] == Term{} ? Pair{} : Pair{r.x.local_id[0][0], r.x.local_id[1][0]}, 5);
              r.x.group_barriers[0].global = r.written.guard;
            }),
            "");
  // Its own writes need no barrier.
  const auto own = [](Reduction& r) {
    r.x.group_barriers.erase(r.x.group_barriers.begin());
    r.written.guard = r.first();
  };
  EXPECT_EQ(with(own), "ordered");
  EXPECT_EQ(with([&](Reduction& r) {
              own(r);
              r.written.guard = r.yes();
            }),
            "");
  EXPECT_EQ(with([&](Reduction& r) {
              own(r);
              r.x.fences[0].position = 9;
            }),
            "");
  EXPECT_EQ(with([&](Reduction& r) {
              own(r);
              r.x.fences.erase(r.x.fences.begin());
              r.k.releases = true;
            }),
            "ordered");
}

TEST(LastTicket, a_fence_of_each_writer_counts_in_cuda) {
  const auto each = [](Reduction& r) { r.x.fences[0] = r.fence(12, r.yes()); };
  const auto and_then = [&](const Change& change) {
    return with([&](Reduction& r) {
      each(r);
      change(r);
    });
  };
  EXPECT_EQ(with(each), "ordered, fences in order");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences.pop_back(); }), "ordered, as in the guide, a fence of each");
  EXPECT_EQ(and_then([](Reduction& r) { r.m.dialect = Dialect::opencl; }), "");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[0].order = Order::acq_rel; }), "");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[0].global = false; }), "");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[0].in_loop = true; }), "");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[0].scope = Scope::group; }), "");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[0].guard = r.first(); }), "");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[0].position = 9; }), "");
  // Beside one that is not sequentially consistent on the other side.
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[1].order = Order::acquire; }), "");
  // And one of each on the other side too.
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[1] = r.fence(40, r.yes()); }), "ordered, fences in order");
}

TEST(LastTicket, needs_an_acquire_behind_it) {
  EXPECT_EQ(with([](Reduction& r) { r.x.fences.pop_back(); }), "ordered, as in the guide");
  const auto fence = [](const Change& change) {
    return with([&](Reduction& r) {
      r.m.dialect = Dialect::opencl;
      change(r);
    });
  };
  EXPECT_EQ(fence([](Reduction&) {}), "ordered");
  EXPECT_EQ(fence([](Reduction& r) { r.x.fences.pop_back(); }), "");
  EXPECT_EQ(fence([](Reduction& r) { r.x.fences[1].in_loop = true; }), "");
  EXPECT_EQ(fence([](Reduction& r) { r.x.fences[1].global = false; }), "");
  EXPECT_EQ(fence([](Reduction& r) { r.x.fences[1].scope = Scope::group; }), "");
  EXPECT_EQ(fence([](Reduction& r) { r.x.fences[1].order = Order::release; }), "");
  EXPECT_EQ(fence([](Reduction& r) { r.x.fences[1].order = Order::acquire; }), "ordered");
  EXPECT_EQ(fence([](Reduction& r) { r.x.fences[1].guard = r.fresh("c", 1); }), "");
  EXPECT_EQ(fence([](Reduction& r) {
              r.x.fences[1].guard = r.all(r.first(), {r.pool.any(r.came_last[0], r.no_less(r.value, 3)[0]),
                                                      r.pool.any(r.came_last[1], r.no_less(r.value, 3)[1])});
            }),
            "ordered");
  EXPECT_EQ(fence([](Reduction& r) { r.x.fences[1].position = 19; }), "");
  EXPECT_EQ(fence([](Reduction& r) { r.x.fences[1].position = 40; }), "");
  EXPECT_EQ(fence([](Reduction& r) { r.x.fences[1].position = 51; }), "");
  EXPECT_EQ(fence([](Reduction& r) {
              r.x.fences.pop_back();
              r.k.acquires = true;
            }),
            "ordered");
  EXPECT_EQ(fence([](Reduction& r) { r.x.group_barriers[1].position = 19; }), "");
  EXPECT_EQ(fence([](Reduction& r) { r.x.group_barriers[1].position = 51; }), "");
  EXPECT_EQ(fence([](Reduction& r) { r.x.group_barriers[1].global = r.both(r.pool.no()); }), "");
  EXPECT_EQ(fence([](Reduction& r) { r.x.group_barriers[1].global = r.first(); }), "");
  EXPECT_EQ(fence([](Reduction& r) {
              r.x.group_barriers[1].global = r.all(r.came_last, r.is({r.x.local_id[0][0], r.x.local_id[1][0]}, 5));
              r.read.guard = r.x.group_barriers[1].global;
            }),
            "");
  // Its own reads need no barrier, but a fence or an acquire.
  const auto own = [](Reduction& r) {
    r.m.dialect = Dialect::opencl;
    r.x.group_barriers.pop_back();
    r.read.guard = r.all(r.first(), r.no_less(r.value, 3));
  };
  EXPECT_EQ(with(own), "ordered");
  EXPECT_EQ(with([&](Reduction& r) {
              own(r);
              r.read.guard = r.came_last;
            }),
            "");
  EXPECT_EQ(with([&](Reduction& r) {
              own(r);
              r.x.fences.pop_back();
            }),
            "");
  EXPECT_EQ(with([&](Reduction& r) {
              own(r);
              r.m.dialect = Dialect::cuda;
              r.x.fences.pop_back();
            }),
            "");
  EXPECT_EQ(with([&](Reduction& r) {
              own(r);
              r.x.fences.pop_back();
              r.k.acquires = true;
            }),
            "ordered");
}

TEST(LastTicket, a_fence_of_each_reader_counts_in_cuda) {
  const auto each = [](Reduction& r) { r.x.fences[1] = r.fence(40, r.yes()); };
  const auto and_then = [&](const Change& change) {
    return with([&](Reduction& r) {
      each(r);
      change(r);
    });
  };
  EXPECT_EQ(with(each), "ordered, fences in order");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[0].order = Order::release; }), "ordered, as in the guide");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[1].order = Order::acquire; }), "ordered, as in the guide");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[1].global = false; }), "ordered, as in the guide");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[1].in_loop = true; }), "ordered, as in the guide");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[1].scope = Scope::group; }), "ordered, as in the guide");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[1].guard = r.fresh("c", 1); }), "ordered, as in the guide");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[1].guard = r.came_last; }), "ordered, fences in order");
  EXPECT_EQ(and_then([](Reduction& r) { r.x.fences[1].position = 51; }), "ordered, as in the guide");
  EXPECT_EQ(and_then([](Reduction& r) { r.m.dialect = Dialect::opencl; }), "");
}

TEST(LastTicket, comes_before_what_the_last_group_does_to_the_counter) {
  const auto counter = [](const Change& change) {
    return with([&](Reduction& r) {
      r.of_ticket = true;
      r.read = r.put_back(r.came_last, r.both(r.number(0)));
      change(r);
    });
  };
  EXPECT_EQ(counter([](Reduction&) {}), "ordered");
  EXPECT_EQ(counter([](Reduction& r) { r.x.fences.clear(); }), "ordered");
  EXPECT_EQ(counter([](Reduction& r) { r.x.group_barriers.pop_back(); }), "");
  EXPECT_EQ(counter([](Reduction& r) {
              r.x.group_barriers.clear();
              r.read.guard = r.all(r.first(), r.no_less(r.value, 3));
            }),
            "ordered");
  EXPECT_EQ(counter([](Reduction& r) { r.read.guard = r.yes(); }), "");
  const auto opencl = [&](bool acquires, bool releases) {
    return counter([&](Reduction& r) {
      r.m.dialect = Dialect::opencl;
      r.k.acquires = acquires;
      r.k.releases = releases;
    });
  };
  EXPECT_EQ(opencl(true, true), "ordered");
  EXPECT_EQ(opencl(true, false), "");
  EXPECT_EQ(opencl(false, true), "");
  // Another array at the ticket's position is none of it.
  EXPECT_EQ(counter([](Reduction& r) { r.ticket.region = Scene::k_other; }), "");
}

TEST(LastTicket, is_valid_where_nothing_else_touches_the_counter) {
  const auto beside = [](const Change& change) {
    return with([&](Reduction& r) {
      r.more = {r.put_back(r.came_last, r.both(r.number(7)))};
      change(r);
    });
  };
  EXPECT_EQ(beside([](Reduction&) {}), "ordered");
  EXPECT_EQ(beside([](Reduction& r) { r.more[0].guard = r.yes(); }), "");
  EXPECT_EQ(beside([](Reduction& r) { r.more[0].guard[0] = r.pool.yes(); }), "");
  EXPECT_EQ(beside([](Reduction& r) { r.more[0].guard[1] = r.pool.yes(); }), "");
  EXPECT_EQ(beside([](Reduction& r) { r.more[0].position = 19; }), "");
  EXPECT_EQ(beside([](Reduction& r) {
              r.more[0].guard = r.yes();
              r.more[0].region = Scene::k_other;
            }),
            "ordered");
  const auto harmless = [&](const Change& change) {
    return beside([&](Reduction& r) {
      r.more[0].guard = r.yes();
      r.more[0].position = 19;
      change(r);
    });
  };
  EXPECT_EQ(harmless([](Reduction& r) { r.more[0].kind = AccessKind::read; }), "ordered");
  EXPECT_EQ(harmless([](Reduction& r) { r.more[0].leaves = true; }), "ordered");
  EXPECT_EQ(beside([](Reduction& r) { r.more[0].mode = Mode::asynchronous; }), "");
  EXPECT_EQ(beside([](Reduction& r) { r.more[0].by_contract = true; }), "");
  EXPECT_EQ(with([](Reduction& r) { r.k.first_thread = false; }), "");
  EXPECT_EQ(with([](Reduction& r) {
              TicketRecord other = r.k;
              other.position = 22;
              r.tickets = {other};
            }),
            "");
  EXPECT_EQ(with([](Reduction& r) {
              TicketRecord other = r.k;
              other.region = Scene::k_other;
              r.tickets = {other};
            }),
            "ordered");
  Reduction r;
  LastGroup last = r.engine();
  EXPECT_TRUE(last.any());
  EXPECT_TRUE(last.valid(Scene::k_counter));
  EXPECT_FALSE(last.valid(Scene::k_data));
  // That two groups are not both the last is known from then on, and not before.
  const Term two = r.pool.all({r.came_last[0], r.came_last[1]});
  EXPECT_TRUE(r.impossible({two}, {20, 20}));
  EXPECT_FALSE(r.impossible({two}, {19, 20}));
  EXPECT_FALSE(r.impossible({two}, {20, 19}));
  EXPECT_FALSE(r.impossible({r.came_last[0]}, {20, 20}));
}

TEST(LastTicket, counter_is_put_back_by_the_limit_or_by_the_last_group) {
  const auto back = [](const Change& change) {
    Reduction r;
    change(r);
    return r.puts_back();
  };
  EXPECT_FALSE(back([](Reduction&) {}));
  for (const auto& [limit, is] : {std::pair<uint64_t, bool>{3, true}, {2, false}, {4, false}, {0, false}})
    EXPECT_EQ(back([&](Reduction& r) { r.k.limit = r.both(r.number(limit)); }), is) << limit;
  EXPECT_FALSE(back([](Reduction& r) { r.k.limit = r.both(r.number(3, 16)); }));
  const auto by_hand = [&](const Change& change) {
    return back([&](Reduction& r) {
      r.more = {r.put_back(r.all(r.first(), r.came_last), r.both(r.number(0)))};
      change(r);
    });
  };
  EXPECT_TRUE(by_hand([](Reduction&) {}));
  EXPECT_TRUE(by_hand([](Reduction& r) { r.k.limit = r.both(r.number(4)); }));
  EXPECT_TRUE(by_hand([](Reduction& r) { r.more[0].guard = r.all(r.first(), r.no_less(r.value, 3)); }));
  EXPECT_TRUE(by_hand([](Reduction& r) { r.more[0].guard = r.all(r.first(), r.is(r.value, 3)); }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.more[0].guard = r.all(r.more[0].guard, r.fresh("c", 1)); }));
  EXPECT_FALSE(by_hand(
      [](Reduction& r) { r.more[0].guard = r.all(r.came_last, r.is({r.x.local_id[0][1], r.x.local_id[1][1]}, 1)); }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.more[0].value = r.both(r.number(1)); }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.more[0].value = r.fresh("v"); }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.more[0].value = {}; }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.more[0].offset = r.both(r.number(4)); }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.more[0].bytes = 8; }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.more[0].value = r.both(r.number(0, 16)); }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.more[0].iteration = r.fresh("n"); }));
  EXPECT_TRUE(by_hand([](Reduction& r) { r.more[0] = Scene::by(r.more[0], r.exchange); }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.more[0] = Scene::by(r.more[0], r.compare); }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.k.master_guard = r.fresh("c", 1); }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.ticket.offset = r.fresh("o"); }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.ticket.position = 21; }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.k.limit = r.both(r.number(2)); }));
  // Beside it others look, and something else is put there.
  EXPECT_TRUE(by_hand([](Reduction& r) {
    r.more.push_back(r.put_back(r.came_last, r.both(r.number(9))));
    r.more[1].kind = AccessKind::read;
  }));
  EXPECT_TRUE(by_hand([](Reduction& r) {
    r.more.push_back(r.put_back(r.came_last, r.both(r.number(9))));
    r.more[1].leaves = true;
  }));
  EXPECT_FALSE(by_hand([](Reduction& r) { r.more.push_back(r.put_back(r.came_last, r.both(r.number(9)))); }));
  EXPECT_TRUE(by_hand([](Reduction& r) {
    r.more.push_back(r.put_back(r.came_last, r.both(r.number(9))));
    r.more[1].region = Scene::k_other;
  }));
}

// ---- counters that all wait for ----------------------------------------------------------------------------------

// d[..] = x; barrier; if (lid == 0) { fence; add(&counter, 1); while (load(&counter) < groups); fence; } barrier;
// .. = d[..];
struct Meeting : Reduction {
  explicit Meeting(uint8_t width = 32) : Reduction(4) {
    read.guard = yes();
    seen = fresh("n", width);
    o.region = k_counter;
    o.guard = first();
    o.value = seen;
    o.offset = both(number(0));
    o.bytes = width / 8u;
    o.position = 22;
    o.aligned = true;
    left(4);
  }
  // What the loop leaves: the first thread of the group has read so much.
  void left(uint64_t n) {
    x.facts.clear();
    for (const size_t t : k_both)
      know(pool.implies(first()[t], pool.ule(number(n, pool.width(seen[t])), seen[t])), 23,
           static_cast<uint8_t>(1u << t));
  }
  std::string answer() {
    x.observations = {o};
    x.observations.insert(x.observations.end(), others.begin(), others.end());
    return Reduction::answer();
  }
  Pair seen;
  ObservationRecord o;
  std::vector<ObservationRecord> others;
};

std::string met(const std::function<void(Meeting&)>& change) {
  Meeting r;
  change(r);
  return r.answer();
}

TEST(MetTickets, who_has_read_all_tickets_is_behind_them) {
  EXPECT_EQ(met([](Meeting&) {}), "ordered");
  EXPECT_EQ(met([](Meeting& r) { r.left(3); }), "");
  EXPECT_EQ(met([](Meeting& r) { r.o.scope = Scope::group; }), "");
  EXPECT_EQ(met([](Meeting& r) { r.o.aligned = false; }), "");
  EXPECT_EQ(met([](Meeting& r) { r.o.region = Scene::k_other; }), "");
  EXPECT_EQ(met([](Meeting& r) { r.o.value = r.fresh("n", 16); }), "");
  EXPECT_EQ(met([](Meeting& r) { r.o.guard = r.both(r.pool.no()); }), "");
  EXPECT_EQ(met([](Meeting& r) { r.x.fences.pop_back(); }), "");
  EXPECT_EQ(met([](Meeting& r) {
              r.x.fences.pop_back();
              r.o.acquires = true;
            }),
            "ordered");
  EXPECT_EQ(met([](Meeting& r) { r.x.group_barriers.pop_back(); }), "");
  EXPECT_EQ(met([](Meeting& r) { r.x.group_barriers[1].global = r.both(r.pool.no()); }), "");
  EXPECT_EQ(met([](Meeting& r) { r.x.group_barriers[1].position = 21; }), "");
  EXPECT_EQ(met([](Meeting& r) { r.read.position = 22; }), "");
  // Nothing but tickets may change it.
  const auto beside = [](const std::function<void(AccessRecord&)>& change) {
    return met([&](Meeting& r) {
      r.more = {r.put_back(r.came_last, r.both(r.number(0)))};
      change(r.more[0]);
    });
  };
  EXPECT_EQ(beside([](AccessRecord&) {}), "");
  EXPECT_EQ(beside([](AccessRecord& a) { a.kind = AccessKind::read; }), "ordered");
  EXPECT_EQ(beside([](AccessRecord& a) { a.leaves = true; }), "ordered");
  EXPECT_EQ(beside([](AccessRecord& a) { a.region = Scene::k_other; }), "ordered");
  // Every thread reads for itself.
  const auto each = [](Meeting& r) {
    r.o.guard = r.yes();
    r.read.guard = r.no_less(r.seen, 4);
    r.x.group_barriers.pop_back();
    r.x.fences[1] = r.fence(30, r.yes());
  };
  EXPECT_EQ(met(each), "ordered");
  EXPECT_EQ(met([&](Meeting& r) {
              each(r);
              r.read.guard = r.no_less(r.seen, 3);
            }),
            "");
  EXPECT_EQ(met([&](Meeting& r) {
              each(r);
              r.o.guard = r.fresh("c", 1);
            }),
            "");
  EXPECT_EQ(met([&](Meeting& r) {
              each(r);
              r.x.fences[1].guard = r.first();
            }),
            "");
  EXPECT_EQ(met([&](Meeting& r) {
              each(r);
              r.k.groups = r.number(0);
              r.read.guard = r.yes();
            }),
            "");
}

// Twice round: a second ticket, behind a read of all of the first.
std::string twice(const std::function<void(Meeting&)>& change) {
  Meeting r;
  TicketRecord second = r.k;
  second.position = 30;
  second.value = r.fresh("k");
  r.more = {Scene::by(r.access(AccessKind::atomic, Scene::k_counter, 30, r.first(), r.both(r.number(0))), r.add)};
  r.x.fences.push_back(r.fence(28, r.first()));
  r.x.fences.push_back(r.fence(33, r.first()));
  ObservationRecord again = r.o;
  again.value = r.fresh("n");
  again.position = 31;
  r.others = {again};
  // What was written between the two, and is read behind the second.
  r.written.position = 25;
  r.x.group_barriers = {r.barrier(26), r.barrier(35)};
  r.tickets = {second};
  for (const size_t t : k_both)
    r.know(r.pool.implies(r.first()[t], r.pool.ule(r.number(8), again.value[t])), 32, static_cast<uint8_t>(1u << t));
  change(r);
  return r.answer();
}

TEST(MetTickets, several_of_one_counter_take_turns) {
  EXPECT_EQ(twice([](Meeting&) {}), "ordered");
  EXPECT_EQ(twice([](Meeting& r) { r.others[0].value = r.fresh("n"); }), "");
  EXPECT_EQ(twice([](Meeting& r) { r.o.value = r.fresh("n"); }), "");
  EXPECT_EQ(twice([](Meeting& r) { r.o.aligned = false; }), "");
  EXPECT_EQ(twice([](Meeting& r) { r.o.scope = Scope::group; }), "");
  EXPECT_EQ(twice([](Meeting& r) { r.o.region = Scene::k_other; }), "");
  EXPECT_EQ(twice([](Meeting& r) { r.o.guard = r.both(r.pool.no()); }), "");
  EXPECT_EQ(twice([](Meeting& r) { r.o.position = 19; }), "");
  EXPECT_EQ(twice([](Meeting& r) { r.tickets[0].first_thread = false; }), "");
  EXPECT_EQ(twice([](Meeting& r) { r.tickets[0].groups = r.number(5); }), "");
  EXPECT_EQ(twice([](Meeting& r) { r.k.groups = r.tickets[0].groups = r.fresh("groups")[0]; }), "");
  EXPECT_EQ(twice([](Meeting& r) { r.k.groups = r.tickets[0].groups = r.number(0); }), "");
  EXPECT_EQ(twice([](Meeting& r) { r.k.groups = r.tickets[0].groups = r.number(uint64_t{1} << 30); }), "");
  EXPECT_EQ(twice([](Meeting& r) {
              r.more.push_back(r.put_back(r.yes(), r.both(r.number(0))));
              r.more[1].position = 21;
            }),
            "");
  // A ticket that comes last orders nothing there: the counter goes on.
  EXPECT_EQ(twice([](Meeting& r) {
              r.others.clear();
              r.read.guard = r.no_less({r.tickets[0].master_value[0], r.tickets[0].master_value[1]}, 3);
            }),
            "");
}

}  // namespace
}  // namespace fencepost::order
