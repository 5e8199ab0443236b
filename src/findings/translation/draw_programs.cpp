#include "translation/draw_programs.h"

#include <algorithm>
#include <array>

#include "base/job.h"

namespace fencepost::translation {
namespace {

constexpr std::array<Op, 9> k_updates = {Op::add,  Op::exch, Op::sub, Op::and_, Op::or_,
                                         Op::xor_, Op::max,  Op::min, Op::cas};

class Drawing {
 public:
  Drawing(uint64_t seed, uint64_t number, Language language)
      : rng_(seed * 0x9e3779b97f4a7c15u + number), language_(language) {}

  Program program() {
    const size_t threads = rng_.chance(0.35) ? 3 : 2;
    const bool one_block = rng_.chance(0.25);
    for (size_t t = 0; t < threads; ++t) {
      const uint32_t block =
          one_block || (t > 0 && rng_.chance(0.15)) ? (t == 0 ? 0 : p_.threads.back().block) : static_cast<uint32_t>(t);
      p_.threads.push_back({block, {}});
    }
    number_blocks();
    narrow_ = p_.blocks() == 1 && rng_.chance(0.6);
    wide_ = rng_.chance(0.5);
    if (language_ == Language::opencl && rng_.chance(0.9)) one_scope_ = scope();
    if (rng_.chance(0.5))
      atomics();
    else
      message();
    return std::move(p_);
  }

 private:
  void number_blocks() {
    uint32_t next = 0;
    for (size_t t = 0; t < p_.threads.size(); ++t) {
      const uint32_t old = p_.threads[t].block;
      if (t > 0 && old == before_) {
        p_.threads[t].block = p_.threads[t - 1].block;
      } else {
        p_.threads[t].block = next++;
      }
      before_ = old;
    }
  }

  Scope scope() {
    if (one_scope_) return *one_scope_;
    if (narrow_) return Scope::block;
    if (rng_.chance(0.04)) return Scope::block;
    return rng_.chance(0.25) ? Scope::system : Scope::device;
  }
  Spelling spelling() {
    const uint64_t n = rng_.below(10);
    return n < 4 ? Spelling::ref : n < 8 ? Spelling::builtin : Spelling::old;
  }
  char flag() { return wide_ && rng_.chance(0.3) ? 'u' : 'x'; }

  Statement atomic(Op op, Order order, char place) {
    Statement s;
    s.op = op;
    s.order = order;
    s.scope = scope();
    s.place = place;
    s.spelling = spelling();
    // clang 19 has no fence of its own that is narrower than the system. What LLVM lacks is spelt otherwise
    // (compile.h).
    if (language_ != Language::llvm && op == Op::fence && s.spelling == Spelling::builtin && s.scope != Scope::system &&
        rng_.chance(0.8))
      s.spelling = Spelling::ref;
    if (!is_possible(s)) s.spelling = rng_.chance(0.5) ? Spelling::ref : Spelling::builtin;
    s.value = op == Op::cas ? 0 : next_++;
    s.written = op == Op::cas ? next_++ : 0;
    if (op == Op::ld || op == Op::fence) s.value = 0;
    if (op == Op::and_) s.value = 4;
    return s;
  }
  Order order_for(Op op) {
    static constexpr std::array<Order, 5> orders = {Order::relaxed, Order::acquire, Order::release, Order::acq_rel,
                                                    Order::seq_cst};
    Statement s;
    s.op = op;
    do s.order = rng_.pick(orders);
    while (!is_possible(s));
    return s.order;
  }
  Op access() {
    const uint64_t n = rng_.below(10);
    return n < 3 ? Op::ld : n < 6 ? Op::st : rng_.pick(k_updates);
  }
  Statement fence(Order order) { return atomic(Op::fence, order, 'x'); }

  void atomics() {
    const std::string places = wide_ && rng_.chance(0.3) ? "uv" : "xy";
    const bool one_place = rng_.chance(0.2);
    const size_t most = p_.threads.size() == 3 ? 2 : 3;
    for (size_t t = 0; t < p_.threads.size(); ++t) {
      size_t count = 1 + rng_.below(most);
      count += rng_.chance(0.6) ? 1 : 0;
      size_t at = rng_.below(2);
      for (size_t k = 0; k < std::min(count, most); ++k) {
        if (k > 0 && rng_.chance(0.25)) p_.threads[t].body.push_back(fence(order_for(Op::fence)));
        const Op op = access();
        p_.threads[t].body.push_back(atomic(op, order_for(op), places[one_place ? 0 : at]));
        at = rng_.chance(0.75) ? 1 - at : at;
      }
    }
  }

  // A data access that races unless it is ordered, or a relaxed one that shows order without a race.
  Statement data(Op op) {
    Statement s;
    s.place = 'd';
    s.op = op;
    const uint64_t n = rng_.below(10);
    s.order = n < 5 ? Order::plain : n < 7 ? Order::volatile_ : Order::relaxed;
    if (s.order == Order::relaxed) return atomic(op, Order::relaxed, 'd');
    s.value = op == Op::st ? next_++ : 0;
    return s;
  }

  // Writes the flag, with the order that hands over what was before, as an order of its own or as a fence.
  uint32_t hand_over(Thread& t, char place, bool right, std::optional<uint32_t> guard) {
    const Op op = rng_.chance(0.5) ? Op::st : rng_.chance(0.6) ? Op::add : rng_.chance(0.5) ? Op::exch : Op::or_;
    static constexpr std::array<Order, 3> strong = {Order::release, Order::acq_rel, Order::seq_cst};
    const bool by_fence = rng_.chance(0.35);
    Statement s = atomic(op, order_for(op), place);
    if (right && by_fence) {
      Statement f = fence(rng_.pick(strong));
      f.guard = guard;
      t.body.push_back(f);
      s = atomic(op, Order::relaxed, place);
    } else if (right) {
      Order o = rng_.pick(strong);
      if (op == Op::st && o == Order::acq_rel) o = Order::release;
      s = atomic(op, o, place);
    }
    s.guard = guard;
    t.body.push_back(s);
    return s.value;
  }

  // Reads the flag; what follows under the condition is behind it.
  void take_over(Thread& t, char place, bool right) {
    const bool update = rng_.chance(0.35);
    const Op op = update ? (rng_.chance(0.7) ? Op::add : Op::or_) : Op::ld;
    static constexpr std::array<Order, 3> strong = {Order::acquire, Order::acq_rel, Order::seq_cst};
    const bool by_fence = rng_.chance(0.35);
    Order o = right ? (by_fence ? Order::relaxed : rng_.pick(strong)) : order_for(op);
    if (op == Op::ld && o == Order::acq_rel) o = Order::acquire;
    Statement s = atomic(op, o, place);
    if (update) s.value = rng_.chance(0.5) ? 0 : 16;
    t.body.push_back(s);
    if (right && by_fence) t.body.push_back(fence(rng_.pick(strong)));
  }

  void message() {
    const bool right = rng_.chance(0.75);
    const bool relay = p_.threads.size() == 3 && rng_.chance(0.6);
    const char one = flag(), two = one == 'x' ? 'y' : 'v';
    Thread& writer = p_.threads[0];
    writer.body.push_back(data(Op::st));
    const uint32_t sent = hand_over(writer, one, right, std::nullopt);
    Thread& second = p_.threads[1];
    take_over(second, one, right);
    uint32_t relayed = sent;
    if (relay) {
      relayed = hand_over(second, two, right, sent);
      take_over(p_.threads[2], two, right);
    }
    Thread& last = p_.threads[relay ? 2 : 1];
    Statement read = data(rng_.chance(0.85) ? Op::ld : Op::st);
    read.guard = relayed;
    last.body.push_back(read);
    if (p_.threads.size() == 3 && !relay) {
      const Op op = access();
      const Order order = order_for(op);
      p_.threads[2].body.push_back(atomic(op, order, rng_.chance(0.5) ? one : two));
      if (rng_.chance(0.5)) p_.threads[2].body.push_back(atomic(Op::ld, order_for(Op::ld), one));
    }
  }

  Rng rng_;
  Language language_;
  Program p_;
  std::optional<Scope> one_scope_;
  bool narrow_ = false, wide_ = false;
  uint32_t next_ = 1, before_ = 0;
};

}  // namespace

Program draw_program(uint64_t seed, uint64_t number, Language language) {
  return Drawing(seed, number, language).program();
}

const char* drawing_of(Language language) {
  return language == Language::opencl || language == Language::llvm ? "2" : "";
}

}  // namespace fencepost::translation
