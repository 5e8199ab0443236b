#include "fair/expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace fencepost::fair {
namespace {

int64_t saturate(__int128 v) {
  return static_cast<int64_t>(
      std::clamp<__int128>(v, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()));
}

int64_t of_word(uint64_t v) { return static_cast<int64_t>(std::min<uint64_t>(v, std::numeric_limits<int64_t>::max())); }

// The definition of the language, node by node.
struct Evaluator {
  const Environment& env;
  std::array<int64_t, k_max_binders> bound{};

  ThreadSet set(const Expr& e) { return static_cast<ThreadSet>(of(e)); }

  int64_t binder(const Expr& e) {
    const ThreadSet domain = set(e.children[0]);
    ThreadSet held = 0;
    for (ThreadSet left = domain; left != 0; left &= left - 1) {
      bound[e.index] = std::countr_zero(left);
      if (of(e.children[1]) != 0) held |= left & -left;
    }
    if (e.op == Op::comprehension) return static_cast<int64_t>(held);
    return e.op == Op::exists ? held != 0 : held == domain;
  }

  int64_t leaf(const Expr& e) {
    switch (e.op) {
      case Op::live:
        return static_cast<int64_t>(env.live);
      case Op::started:
        return static_cast<int64_t>(env.started);
      case Op::threads:
        return static_cast<int64_t>(env.threads);
      case Op::fair:
        return static_cast<int64_t>(env.fair);
      case Op::number:
      case Op::truth:
        return e.value;
      case Op::bound:
        return bound[e.index];
      case Op::variable:
        return env.variables[env.variable_at[e.index]];
      case Op::event_thread:
        return env.event_thread;
      case Op::instr_location:
        return env.step.location;
      case Op::instr_value:
        return of_word(env.step.exchanged_value);
      case Op::instr_compared:
        return of_word(env.step.compared);
      case Op::instr_exchanged:
        return env.step.exchanged;
      case Op::instr_jumped:
        return env.step.jumped;
      default:
        return k_none;
    }
  }

  int64_t unary(const Expr& e) {
    const int64_t a = of(e.children[0]);
    const auto s = static_cast<ThreadSet>(a);
    switch (e.op) {
      case Op::element:
        return a == k_none ? 0 : env.variables[env.variable_at[e.index] + static_cast<size_t>(a)];
      case Op::minimum:
        return s == 0 ? k_none : std::countr_zero(s);
      case Op::maximum:
        return s == 0 ? k_none : 63 - std::countl_zero(s);
      case Op::size:
        return std::popcount(s);
      case Op::id:
        return a;
      case Op::thread_of:
        return a >= 0 && a < 64 && (env.threads >> a & 1) != 0 ? a : k_none;
      case Op::negate:
        return saturate(-static_cast<__int128>(a));
      default:
        return a == 0;  // logical_not
    }
  }

  int64_t order(const Expr& e) {
    const int64_t a = of(e.children[0]), b = of(e.children[1]);
    if (e.children[0].type == Type::thread && (a == k_none || b == k_none)) return 0;
    switch (e.op) {
      case Op::less:
        return a < b;
      case Op::less_equal:
        return a <= b;
      case Op::greater:
        return a > b;
      default:
        return a >= b;
    }
  }

  int64_t binary(const Expr& e) {
    const int64_t a = of(e.children[0]), b = of(e.children[1]);
    const auto x = static_cast<ThreadSet>(a), y = static_cast<ThreadSet>(b);
    const bool member = a != k_none && (y >> (a & 63) & 1) != 0;
    switch (e.op) {
      case Op::unite:
        return static_cast<int64_t>(x | y);
      case Op::intersect:
        return static_cast<int64_t>(x & y);
      case Op::subtract:
        return static_cast<int64_t>(x & ~y);
      case Op::add:
        return saturate(static_cast<__int128>(a) + b);
      case Op::sub:
        return saturate(static_cast<__int128>(a) - b);
      case Op::mul:
        return saturate(static_cast<__int128>(a) * b);
      case Op::equal:
        return a == b;
      case Op::not_equal:
        return a != b;
      case Op::in:
        return member;
      case Op::not_in:
        return !member;
      default:
        return (x & ~y) == 0;  // subset
    }
  }

  int64_t of(const Expr& e) {
    switch (e.op) {
      case Op::set_of: {
        ThreadSet s = 0;
        for (const Expr& c : e.children)
          if (const int64_t t = of(c); t != k_none) s |= ThreadSet{1} << t;
        return static_cast<int64_t>(s);
      }
      case Op::choose:
        return of(of(e.children[0]) != 0 ? e.children[1] : e.children[2]);
      case Op::logical_and:
        return of(e.children[0]) != 0 && of(e.children[1]) != 0;
      case Op::logical_or:
        return of(e.children[0]) != 0 || of(e.children[1]) != 0;
      case Op::comprehension:
      case Op::forall:
      case Op::exists:
        return binder(e);
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal:
        return order(e);
      default:
        break;
    }
    return e.children.empty() ? leaf(e) : e.children.size() == 1 ? unary(e) : binary(e);
  }
};

// ---- printing ------------------------------------------------------------------------------------------------
// Binding strength, loosest first; the parser's levels.
enum : int {
  k_prefix = 0,
  k_or,
  k_and,
  k_not,
  k_compare,
  k_unite,
  k_subtract,
  k_intersect,
  k_sum,
  k_product,
  k_apply,
  k_atom
};

struct Infix {
  Op op;
  const char* sign;
  int level;
};
constexpr std::array<Infix, 17> k_infix = {{{Op::logical_or, "or", k_or},
                                            {Op::logical_and, "and", k_and},
                                            {Op::equal, "==", k_compare},
                                            {Op::not_equal, "!=", k_compare},
                                            {Op::less, "<", k_compare},
                                            {Op::less_equal, "<=", k_compare},
                                            {Op::greater, ">", k_compare},
                                            {Op::greater_equal, ">=", k_compare},
                                            {Op::in, "in", k_compare},
                                            {Op::not_in, "not in", k_compare},
                                            {Op::subset, "subset", k_compare},
                                            {Op::unite, "|", k_unite},
                                            {Op::subtract, "\\", k_subtract},
                                            {Op::intersect, "&", k_intersect},
                                            {Op::add, "+", k_sum},
                                            {Op::sub, "-", k_sum},
                                            {Op::mul, "*", k_product}}};

struct Printer {
  const std::vector<std::string>& taken;
  std::vector<std::string> bound{};

  std::string paren(bool needed, std::string s) { return needed ? "(" + std::move(s) + ")" : s; }

  // A name that no enclosing binder and no word of the expression's surroundings has.
  std::string fresh(const std::string& wanted) {
    std::string word = wanted;
    const auto in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), word) != names.end();
    };
    for (int i = 2; in(bound) || in(taken); ++i) word = fmt::format("{}{}", wanted, i);
    return word;
  }

  std::string binder(const Expr& e, int level) {
    const std::string word = fresh(e.word);
    const std::string domain = of(e.children[0], k_subtract);
    bound.push_back(word);
    const std::string body = of(e.children[1], k_prefix);
    bound.pop_back();
    if (e.op == Op::comprehension) return fmt::format("{{ {} in {} | {} }}", word, domain, body);
    return paren(level > k_prefix,
                 fmt::format("{} {} in {} : {}", e.op == Op::forall ? "forall" : "exists", word, domain, body));
  }

  std::string set_of(const Expr& e) {
    std::vector<std::string> parts;
    for (const Expr& c : e.children) parts.push_back(of(c, k_prefix));
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }

  std::string applied(const char* word, const Expr& e, int level) {
    return paren(level > k_apply, fmt::format("{} {}", word, of(e.children[0], k_apply)));
  }

  std::string of(const Expr& e, int level) {
    for (const Infix& i : k_infix)
      if (i.op == e.op) {
        // Comparisons do not chain; the others lean left, except that and/or are printed as they are nested.
        const int left = i.level == k_compare ? i.level + 1 : i.level;
        return paren(level > i.level,
                     fmt::format("{} {} {}", of(e.children[0], left), i.sign, of(e.children[1], i.level + 1)));
      }
    switch (e.op) {
      case Op::live:
        return "live";
      case Op::started:
        return "started";
      case Op::threads:
        return "threads";
      case Op::fair:
        return "fair";
      case Op::number:
        return fmt::format("{}", e.value);
      case Op::truth:
        return e.value != 0 ? "true" : "false";
      case Op::none:
        return "none";
      case Op::bound:
        return e.index < bound.size() ? bound[e.index] : e.word;
      case Op::variable:
      case Op::event_thread:
        return e.word;
      case Op::instr_location:
        return e.word + ".location";
      case Op::instr_value:
        return e.word + ".value";
      case Op::instr_compared:
        return e.word + ".compared";
      case Op::instr_exchanged:
        return e.word + ".exchanged";
      case Op::instr_jumped:
        return e.word + ".jumped";
      case Op::element:
        return fmt::format("{}[{}]", e.word, of(e.children[0], k_prefix));
      case Op::minimum:
        return applied("min", e, level);
      case Op::maximum:
        return applied("max", e, level);
      case Op::size:
        return applied("size", e, level);
      case Op::id:
        return applied("id", e, level);
      case Op::thread_of:
        return applied("thread", e, level);
      case Op::negate:
        return paren(level > k_apply, "-" + of(e.children[0], k_apply));
      case Op::logical_not:
        return paren(level > k_not, "not " + of(e.children[0], k_not));
      case Op::set_of:
        return set_of(e);
      case Op::choose:
        return paren(level > k_prefix, fmt::format("if {} then {} else {}", of(e.children[0], k_prefix),
                                                   of(e.children[1], k_prefix), of(e.children[2], k_prefix)));
      default:
        return binder(e, level);
    }
  }
};

}  // namespace

const char* name(Type t) {
  switch (t) {
    case Type::set:
      return "set";
    case Type::thread:
      return "thread";
    case Type::integer:
      return "integer";
    case Type::boolean:
      return "boolean";
  }
  return "set";
}

bool operator==(const Expr& a, const Expr& b) {
  return a.op == b.op && a.type == b.type && a.index == b.index && a.value == b.value && a.children == b.children;
}

int64_t evaluate(const Expr& e, const Environment& env) { return Evaluator{env}.of(e); }

std::string to_text(const Expr& e, const std::vector<std::string>& taken) { return Printer{taken}.of(e, k_prefix); }

}  // namespace fencepost::fair
