#include "fair/code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace fencepost::fair {
namespace {

using Act = Code::Act;
using Node = Code::Node;

bool mentions(const Expr& e, uint32_t u) {
  return (e.op == Op::bound && e.index == u) ||
         std::any_of(e.children.begin(), e.children.end(), [&](const Expr& c) { return mentions(c, u); });
}
bool is_bound(const Expr& e, uint32_t u) { return e.op == Op::bound && e.index == u; }

// a op b is b mirrored(op) a.
Op mirrored(Op op) {
  switch (op) {
    case Op::less:
      return Op::greater;
    case Op::less_equal:
      return Op::greater_equal;
    case Op::greater:
      return Op::less;
    case Op::greater_equal:
      return Op::less_equal;
    default:
      return op;
  }
}

struct Runner {
  const Node* nodes;
  const Environment& env;
  std::array<int64_t, k_max_binders> bound;  // set before it is read: a bound thread is read within its loop only

  int64_t loop(const Node& n) {
    const auto domain = static_cast<ThreadSet>(of(n.a));
    ThreadSet held = 0;
    for (ThreadSet left = domain; left != 0; left &= left - 1) {
      bound[n.index] = std::countr_zero(left);
      const bool yes = of(n.b) != 0;
      if (n.act == Act::loop_exists && yes) return 1;
      if (n.act == Act::loop_forall && !yes) return 0;
      if (yes) held |= left & -left;
    }
    return n.act == Act::loop_set ? static_cast<int64_t>(held) : n.act == Act::loop_forall;
  }

  static int64_t saturate(__int128 v) {
    return static_cast<int64_t>(
        std::clamp<__int128>(v, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()));
  }
  static int64_t of_word(uint64_t v) {
    return static_cast<int64_t>(std::min<uint64_t>(v, std::numeric_limits<int64_t>::max()));
  }
  static ThreadSet bit(int64_t t) { return t == k_none ? 0 : ThreadSet{1} << t; }
  static ThreadSet below(int64_t t) { return t == k_none ? 0 : (ThreadSet{1} << t) - 1; }
  static ThreadSet from(int64_t t) { return t == k_none ? 0 : ~ThreadSet{0} << t; }

  int64_t of(uint32_t at) {
    const Node& n = nodes[at];
    switch (n.act) {
      case Act::constant:
        return n.value;
      case Act::live:
        return static_cast<int64_t>(env.live);
      case Act::started:
        return static_cast<int64_t>(env.started);
      case Act::threads:
        return static_cast<int64_t>(env.threads);
      case Act::fair:
        return static_cast<int64_t>(env.fair);
      case Act::bound:
        return bound[n.index];
      case Act::variable:
        return env.variables[env.variable_at[n.index]];
      case Act::event_thread:
        return env.event_thread;
      case Act::location:
        return env.step.location;
      case Act::value:
        return of_word(env.step.exchanged_value);
      case Act::compared:
        return of_word(env.step.compared);
      case Act::exchanged:
        return env.step.exchanged;
      case Act::jumped:
        return env.step.jumped;
      case Act::loop_set:
      case Act::loop_forall:
      case Act::loop_exists:
        return loop(n);
      case Act::choose:
        return of(of(n.a) != 0 ? n.b : n.c);
      case Act::logical_and:
        return of(n.a) != 0 && of(n.b) != 0;
      case Act::logical_or:
        return of(n.a) != 0 || of(n.b) != 0;
      default:
        return n.act >= Act::unite ? binary(n) : unary(n);
    }
  }

  int64_t unary(const Node& n) {
    const int64_t a = of(n.a);
    const auto s = static_cast<ThreadSet>(a);
    switch (n.act) {
      case Act::element:
        return a == k_none ? 0 : env.variables[env.variable_at[n.index] + static_cast<size_t>(a)];
      case Act::minimum:
        return s == 0 ? k_none : std::countr_zero(s);
      case Act::maximum:
        return s == 0 ? k_none : 63 - std::countl_zero(s);
      case Act::size:
        return std::popcount(s);
      case Act::thread_of:
        return a >= 0 && a < 64 && (env.threads >> a & 1) != 0 ? a : k_none;
      case Act::negate:
        return saturate(-static_cast<__int128>(a));
      case Act::logical_not:
        return a == 0;
      case Act::singleton:
        return static_cast<int64_t>(bit(a));
      case Act::complement:
        return ~a;
      case Act::mask:
        return a != 0 ? -1 : 0;
      case Act::nonempty:
        return a != 0;
      case Act::empty:
        return a == 0;
      case Act::below:
        return static_cast<int64_t>(below(a));
      case Act::up_to:
        return static_cast<int64_t>(below(a) | bit(a));
      case Act::above:
        return static_cast<int64_t>(from(a) & ~bit(a));
      default:
        return static_cast<int64_t>(from(a));
    }
  }

  int64_t binary(const Node& n) {
    const int64_t a = of(n.a), b = of(n.b);
    switch (n.act) {
      case Act::unite:
        return a | b;
      case Act::intersect:
        return a & b;
      case Act::subtract:
        return a & ~b;
      case Act::add:
        return saturate(static_cast<__int128>(a) + b);
      case Act::sub:
        return saturate(static_cast<__int128>(a) - b);
      case Act::mul:
        return saturate(static_cast<__int128>(a) * b);
      case Act::equal:
        return a == b;
      case Act::not_equal:
        return a != b;
      case Act::less:
        return a < b;
      case Act::less_equal:
        return a <= b;
      case Act::thread_less:
        return a != k_none && a < b;  // b none is -1, below every id
      case Act::thread_less_equal:
        return a != k_none && a <= b;
      case Act::in:
        return (bit(a) & static_cast<ThreadSet>(b)) != 0;
      default:
        return (a & ~b) == 0;  // subset
    }
  }
};

}  // namespace

Code::Code(const Expr& e) { root_ = compile(e); }

int64_t Code::run(const Environment& env) const {
  Runner r{nodes_.data(), env, {}};
  return r.of(root_);
}

bool Code::loops() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& n) {
    return n.act == Act::loop_set || n.act == Act::loop_forall || n.act == Act::loop_exists;
  });
}

uint32_t Code::emit(Act act, uint32_t a, uint32_t b, uint32_t c) {
  Node n;
  n.act = act;
  n.a = a;
  n.b = b;
  n.c = c;
  nodes_.push_back(n);
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t Code::constant(int64_t value) {
  const uint32_t at = emit(Act::constant);
  nodes_[at].value = value;
  return at;
}

uint32_t Code::leaf(const Expr& e) {
  static constexpr std::pair<Op, Act> k_leaves[] = {{Op::live, Act::live},
                                                    {Op::started, Act::started},
                                                    {Op::threads, Act::threads},
                                                    {Op::fair, Act::fair},
                                                    {Op::bound, Act::bound},
                                                    {Op::variable, Act::variable},
                                                    {Op::event_thread, Act::event_thread},
                                                    {Op::instr_location, Act::location},
                                                    {Op::instr_value, Act::value},
                                                    {Op::instr_compared, Act::compared},
                                                    {Op::instr_exchanged, Act::exchanged},
                                                    {Op::instr_jumped, Act::jumped}};
  for (const auto& [op, act] : k_leaves)
    if (op == e.op) {
      const uint32_t at = emit(act);
      nodes_[at].index = e.index;
      return at;
    }
  return constant(e.op == Op::none ? k_none : e.value);
}

uint32_t Code::compare(const Expr& e) {
  const uint32_t a = compile(e.children[0]), b = compile(e.children[1]);
  const bool threads = e.children[0].type == Type::thread;
  const Act less = threads ? Act::thread_less : Act::less;
  const Act less_equal = threads ? Act::thread_less_equal : Act::less_equal;
  switch (e.op) {
    case Op::less:
      return emit(less, a, b);
    case Op::less_equal:
      return emit(less_equal, a, b);
    case Op::greater:
      return emit(less, b, a);
    default:
      return emit(less_equal, b, a);
  }
}

uint32_t Code::compile(const Expr& e) {
  static constexpr std::pair<Op, Act> k_same[] = {{Op::element, Act::element},
                                                  {Op::minimum, Act::minimum},
                                                  {Op::maximum, Act::maximum},
                                                  {Op::size, Act::size},
                                                  {Op::thread_of, Act::thread_of},
                                                  {Op::negate, Act::negate},
                                                  {Op::logical_not, Act::logical_not},
                                                  {Op::unite, Act::unite},
                                                  {Op::intersect, Act::intersect},
                                                  {Op::subtract, Act::subtract},
                                                  {Op::add, Act::add},
                                                  {Op::sub, Act::sub},
                                                  {Op::mul, Act::mul},
                                                  {Op::equal, Act::equal},
                                                  {Op::not_equal, Act::not_equal},
                                                  {Op::in, Act::in},
                                                  {Op::subset, Act::subset},
                                                  {Op::logical_and, Act::logical_and},
                                                  {Op::logical_or, Act::logical_or},
                                                  {Op::choose, Act::choose}};
  switch (e.op) {
    case Op::id:
      return compile(e.children[0]);
    case Op::not_in:
      return emit(Act::logical_not, emit(Act::in, compile(e.children[0]), compile(e.children[1])));
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return compare(e);
    case Op::comprehension:
    case Op::forall:
    case Op::exists:
      return binder(e);
    case Op::set_of: {
      std::optional<uint32_t> all;
      for (const Expr& c : e.children) {
        const uint32_t one = emit(Act::singleton, compile(c));
        all = all ? emit(Act::unite, *all, one) : one;
      }
      return all ? *all : constant(0);
    }
    default:
      break;
  }
  if (e.children.empty()) return leaf(e);
  for (const auto& [op, act] : k_same)
    if (op == e.op) {
      std::array<uint32_t, 3> c{};
      for (size_t i = 0; i < e.children.size(); ++i) c[i] = compile(e.children[i]);
      const uint32_t at = emit(act, c[0], c[1], c[2]);
      nodes_[at].index = e.index;
      return at;
    }
  FENCEPOST_INVARIANT(false, "every operator of the language is compiled");
  return 0;
}

uint32_t Code::binder(const Expr& e) {
  const uint32_t domain = compile(e.children[0]);
  const size_t before = nodes_.size();
  if (const auto w = word(e.children[1], e.index)) {
    if (e.op == Op::comprehension) return emit(Act::intersect, domain, *w);
    if (e.op == Op::exists) return emit(Act::nonempty, emit(Act::intersect, domain, *w));
    return emit(Act::empty, emit(Act::subtract, domain, *w));
  }
  nodes_.resize(before);
  const uint32_t body = compile(e.children[1]);
  const uint32_t at = emit(e.op == Op::comprehension ? Act::loop_set
                           : e.op == Op::exists      ? Act::loop_exists
                                                     : Act::loop_forall,
                           domain, body);
  nodes_[at].index = e.index;
  return at;
}

// The threads u with "u op limit".
std::optional<uint32_t> Code::word_of_order(Op op, const Expr& limit) {
  const uint32_t t = compile(limit);
  switch (op) {
    case Op::less:
      return emit(Act::below, t);
    case Op::less_equal:
      return emit(Act::up_to, t);
    case Op::greater:
      return emit(Act::above, t);
    case Op::greater_equal:
      return emit(Act::from, t);
    case Op::equal:
      return emit(Act::singleton, t);
    case Op::not_equal:
      return emit(Act::complement, emit(Act::singleton, t));
    default:
      return std::nullopt;
  }
}

std::optional<uint32_t> Code::word(const Expr& p, uint32_t u) {
  if (!mentions(p, u)) return emit(Act::mask, compile(p));
  const auto both = [&](Act act, const Expr& x, const Expr& y) -> std::optional<uint32_t> {
    const auto a = word(x, u);
    if (!a) return std::nullopt;
    const auto b = word(y, u);
    if (!b) return std::nullopt;
    return emit(act, *a, *b);
  };
  switch (p.op) {
    case Op::logical_and:
      return both(Act::intersect, p.children[0], p.children[1]);
    case Op::logical_or:
      return both(Act::unite, p.children[0], p.children[1]);
    case Op::logical_not: {
      const auto a = word(p.children[0], u);
      return a ? std::optional(emit(Act::complement, *a)) : std::nullopt;
    }
    case Op::choose: {
      const auto c = word(p.children[0], u);
      if (!c) return std::nullopt;
      const auto a = word(p.children[1], u);
      if (!a) return std::nullopt;
      const auto b = word(p.children[2], u);
      if (!b) return std::nullopt;
      return emit(Act::unite, emit(Act::intersect, *c, *a), emit(Act::subtract, *b, *c));
    }
    case Op::in:
    case Op::not_in: {
      if (!is_bound(p.children[0], u) || mentions(p.children[1], u)) return std::nullopt;
      const uint32_t s = compile(p.children[1]);
      return p.op == Op::in ? s : emit(Act::complement, s);
    }
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      if (p.children[0].type != Type::thread) return std::nullopt;
      if (is_bound(p.children[0], u) && !mentions(p.children[1], u)) return word_of_order(p.op, p.children[1]);
      if (is_bound(p.children[1], u) && !mentions(p.children[0], u))
        return word_of_order(mirrored(p.op), p.children[0]);
      return std::nullopt;
    case Op::forall:
    case Op::exists:
      return word_of_inner(p, u);
    default:
      return std::nullopt;
  }
}

// exists / forall v in S : u op v, with S without u: the extreme member of S decides.
std::optional<uint32_t> Code::word_of_inner(const Expr& p, uint32_t u) {
  const Expr& domain = p.children[0];
  const Expr& body = p.children[1];
  if (mentions(domain, u) || body.children.size() != 2) return std::nullopt;
  Op op = body.op;
  if (is_bound(body.children[1], u) && is_bound(body.children[0], p.index))
    op = mirrored(op);
  else if (!is_bound(body.children[0], u) || !is_bound(body.children[1], p.index))
    return std::nullopt;
  const bool upward = op == Op::less || op == Op::less_equal, downward = op == Op::greater || op == Op::greater_equal;
  if (!upward && !downward) return std::nullopt;
  const uint32_t s = compile(domain);
  const bool exists = p.op == Op::exists;
  const uint32_t extreme = emit(upward == exists ? Act::maximum : Act::minimum, s);
  const uint32_t reach = emit(op == Op::less         ? Act::below
                              : op == Op::less_equal ? Act::up_to
                              : op == Op::greater    ? Act::above
                                                     : Act::from,
                              extreme);
  return exists ? reach : emit(Act::unite, reach, emit(Act::mask, emit(Act::empty, s)));
}

}  // namespace fencepost::fair
