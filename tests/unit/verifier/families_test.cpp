// Kernels drawn from families of index arithmetic, loops and barriers, against a run of every thread.
//
// A family is a small language: places, guards, loops whose rounds are counted, barriers. A kernel of it is drawn by
// its number, and a model of a few lines runs all of its threads for all values of the parameters up to a limit. Law 1:
// where two threads meet in the model, the kernel is not verified. Law 2: of the kernels without such a meeting, at
// least as many are verified as on the day when the number was written here; each family holds those forms that the
// prover is built for, so that a lost proof is a fault. (A meeting beyond the limits, and a proof that the prover does
// not find, are why law 2 counts.)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

using Values = std::map<std::string, int64_t>;

struct Term {
  std::string text;
  std::function<int64_t(const Values&)> value;
};

Term number(int64_t n) {
  return {std::to_string(n), [n](const Values&) { return n; }};
}
Term name(const std::string& n) {
  return {n, [n](const Values& v) { return v.at(n); }};
}
int64_t apply(char op, int64_t a, int64_t b) {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b == 0 ? 0 : a / b;
    case '%':
      return b == 0 ? 0 : a % b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case 'l':
      return a << (b & 31);
    case 'r':
      return a >> (b & 31);
    case '<':
      return a < b;
    case '>':
      return a > b;
    case 'L':
      return a <= b;
    case 'G':
      return a >= b;
    case '=':
      return a == b;
    default:
      return a != b;
  }
}
std::string spelled(char op) {
  switch (op) {
    case 'l':
      return "<<";
    case 'r':
      return ">>";
    case 'L':
      return "<=";
    case 'G':
      return ">=";
    case '=':
      return "==";
    case '!':
      return "!=";
    default:
      return std::string(1, op);
  }
}
Term both(const Term& a, char op, const Term& b) {
  return {fmt::format("({} {} {})", a.text, spelled(op), b.text),
          [=](const Values& v) { return apply(op, a.value(v), b.value(v)); }};
}

class Draw {
 public:
  explicit Draw(uint32_t seed) : engine_(seed) {}
  uint32_t below(uint32_t n) { return engine_() % n; }
  template <class T>
  T one(std::initializer_list<T> of) {
    return of.begin()[below(static_cast<uint32_t>(of.size()))];
  }

 private:
  std::minstd_rand engine_;
};

// ---- what a kernel does --------------------------------------------------------------------------------------------

// A statement: an access, a barrier of the block, a loop, or a branch.
struct Statement {
  enum Kind { store, load, barrier, loop, branch } kind;
  bool shared = false;  // of the block, not of the grid
  Term place;           // of an access; of a branch: the condition
  std::string variable;
  Term from, step;
  char test = '<', advance = '+';
  Term until;
  std::vector<Statement> inside;
};

std::string text_of(const std::vector<Statement>& list) {
  std::string out;
  for (const Statement& s : list) {
    const std::string array = s.shared ? "s" : "o";
    switch (s.kind) {
      case Statement::store:
        out += fmt::format("{}[{}] = t + 64 * g; ", array, s.place.text);
        break;
      case Statement::load:
        out += fmt::format("sum += {}[{}]; ", array, s.place.text);
        break;
      case Statement::barrier:
        out += "__syncthreads(); ";
        break;
      case Statement::branch:
        out += fmt::format("if ({}) {{ {}}} ", s.place.text, text_of(s.inside));
        break;
      case Statement::loop:
        out += fmt::format("for (int {0} = {1}; {0} {2} {3}; {0} = {0} {4} {5}) {{ {6}}} ", s.variable, s.from.text,
                           spelled(s.test), s.until.text, spelled(s.advance), s.step.text, text_of(s.inside));
        break;
    }
  }
  return out;
}

struct Access {
  int64_t thread, block, phase;
  bool write;
};
using Places = std::map<std::pair<bool, int64_t>, std::vector<Access>>;

// All accesses of one thread. False: a loop that is too long.
bool run(const std::vector<Statement>& list, Values& v, int64_t& phase, Places& out) {
  for (const Statement& s : list) {
    if (s.kind == Statement::store || s.kind == Statement::load) {
      out[{s.shared, s.place.value(v)}].push_back({v["t"], v["g"], phase, s.kind == Statement::store});
    } else if (s.kind == Statement::barrier) {
      ++phase;
    } else if (s.kind == Statement::branch) {
      if (s.place.value(v) != 0 && !run(s.inside, v, phase, out)) return false;
    } else {
      int64_t i = s.from.value(v);
      for (unsigned rounds = 0;; ++rounds) {
        v[s.variable] = i;
        if (apply(s.test, i, s.until.value(v)) == 0) break;
        if (rounds > 64 || !run(s.inside, v, phase, out)) return false;
        i = static_cast<int32_t>(apply(s.advance, i, s.step.value(v)));
      }
    }
  }
  return true;
}

struct Kernel {
  std::vector<Statement> body;
  uint32_t threads = 8, blocks = 3;
};

// Two threads meet at a place, one of them with a store. None: some thread does not end here.
std::optional<bool> meets(const Kernel& k, const std::vector<Values>& parameters) {
  for (const Values& p : parameters) {
    Places places;
    for (int64_t g = 0; g < k.blocks; ++g)
      for (int64_t t = 0; t < k.threads; ++t) {
        Values v = p;
        v["t"] = t;
        v["g"] = g;
        int64_t phase = 0;
        if (!run(k.body, v, phase, places)) return std::nullopt;
      }
    for (const auto& [place, list] : places)
      for (const Access& a : list)
        for (const Access& b : list) {
          if (!(a.write || b.write) || (a.thread == b.thread && a.block == b.block)) continue;
          const bool same_block = a.block == b.block;
          if (place.first ? same_block && a.phase == b.phase : !same_block || a.phase == b.phase) return true;
        }
  }
  return false;
}

struct Counts {
  unsigned right = 0, verified = 0, wrong = 0;
};

// Law 1, and the numbers for law 2.
Counts hold(const std::function<Kernel(Draw&)>& family, unsigned count, const std::vector<Values>& parameters) {
  Counts out;
  for (uint32_t seed = 1; seed <= count; ++seed) {
    Draw draw(seed * 7919);
    for (int warm = 0; warm < 4; ++warm) draw.below(2);
    const Kernel k = family(draw);
    const std::optional<bool> race = meets(k, parameters);
    if (!race) continue;
    const auto o = launch::parse(
        {fmt::format("--blockDim={}", k.threads), fmt::format("--gridDim={}", k.blocks), "--no-attack", "--timeout=5"});
    EXPECT_TRUE(o);
    const std::string source =
        "__global__ void k(int *o, int n, int m) { __shared__ int s[64]; int t = threadIdx.x, g = blockIdx.x, sum = "
        "0; " +
        text_of(k.body) + "}";
    const launch::Answer a = answer(*o, make_source("k.cu", source));
    EXPECT_TRUE(a.exit_code == 0 || a.exit_code == 1 || a.exit_code == 3) << source << a.err;
    if (*race) {
      EXPECT_NE(a.exit_code, 0) << seed << ": " << source;
    }
    out.wrong += *race;
    out.right += !*race;
    out.verified += !*race && a.exit_code == 0;
    if (!*race && a.exit_code != 0 && std::getenv("FENCEPOST_FAMILIES") != nullptr)
      fmt::print("{}: exit {}: {}\n", seed, a.exit_code, source);
  }
  return out;
}

class Families : public testing::Test {
 protected:
  void SetUp() override {
    if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  }
  // At least so many right kernels, of which so many are verified, and so many wrong ones.
  static void expect(const Counts& c, unsigned right, unsigned verified, unsigned wrong) {
    EXPECT_GE(c.right, right);
    EXPECT_GE(c.verified, verified) << "of " << c.right << ": a proof was lost; FENCEPOST_FAMILIES=1 prints them";
    EXPECT_GE(c.wrong, wrong);
  }
};

const std::vector<Values> k_sizes = [] {
  std::vector<Values> out;
  for (int64_t n : {-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 31, 60})
    for (int64_t m : {0, 1, 3, 8, 25}) out.push_back({{"n", n}, {"m", m}});
  return out;
}();
const std::vector<Values> k_none{{{"n", 1}, {"m", 1}}};

const Term k_t = name("t"), k_g = name("g"), k_n = name("n"), k_m = name("m");
const Term k_id = both(both(number(8), '*', k_g), '+', k_t);

Statement access(Statement::Kind kind, bool shared, Term place) {
  Statement s{.kind = kind, .shared = shared};
  s.place = std::move(place);
  return s;
}
Statement when(Term condition, std::vector<Statement> inside) {
  Statement s{.kind = Statement::branch};
  s.place = std::move(condition);
  s.inside = std::move(inside);
  return s;
}
Statement rounds(const std::string& variable, Term from, char test, Term until, char advance, Term step,
                 std::vector<Statement> inside) {
  Statement s{.kind = Statement::loop};
  s.variable = variable;
  s.from = std::move(from);
  s.test = test;
  s.until = std::move(until);
  s.advance = advance;
  s.step = std::move(step);
  s.inside = std::move(inside);
  return s;
}

// Places by arithmetic on the number of the thread.
TEST_F(Families, Arithmetic) {
  const auto place = [](Draw& d) {
    Term e = d.one({k_id, k_id, both(both(k_g, '*', number(8)), '|', k_t), both(both(k_t, '*', number(3)), '+', k_g)});
    for (uint32_t k = d.below(3); k > 0; --k) switch (d.below(7)) {
        case 0:
          e = both(e, '*', number(1 + d.below(4)));
          break;
        case 1:
          e = both(e, '+', number(d.below(9)));
          break;
        case 2:
          e = both(number(40 + d.below(3)), '-', e);
          break;
        case 3:
          e = both(e, d.one({'/', 'r'}), number(1 + d.below(2)));
          break;
        case 4:
          e = both(e, '^', number(d.below(32)));
          break;
        case 5:
          e = both(e, d.one({'%', '&'}), number(d.one({7, 15, 23, 24, 31, 32})));
          break;
        case 6:
          e = both(e, 'l', number(d.below(3)));
          break;
      }
    return e;
  };
  const Counts c = hold(
      [&](Draw& d) {
        const Term e = place(d), guard = both(place(d), d.one({'<', '>', 'L', 'G', '=', '!'}), number(d.below(24)));
        Kernel k;
        switch (d.below(4)) {
          case 0:
            k.body = {access(Statement::store, false, e)};
            break;
          case 1:
            k.body = {when(guard, {access(Statement::store, false, e)})};
            break;
          case 2:
            k.body = {when(both(both(k_t, '%', number(2)), '=', number(d.below(2))),
                           {access(Statement::store, false, both(e, d.one({'/', 'r'}), number(d.one({1, 2}))))})};
            break;
          case 3:
            k.body = {access(Statement::store, false, both(e, '*', number(2))),
                      access(Statement::load, false, both(both(place(d), '*', number(2)), '+', number(d.below(2))))};
            break;
        }
        return k;
      },
      80, k_none);
  expect(c, 58, 58, 22);
}

// Loops over the elements of a thread: every form of a test and of a step.
TEST_F(Families, Loops) {
  const Counts c = hold(
      [&](Draw& d) {
        const bool down = d.below(3) == 0;
        const int64_t width = 1 + d.below(5), last = d.below(2) == 0 ? width : width + d.below(2);
        Kernel k;
        const Term own = both(k_id, '*', number(width));
        const auto store = [&](const Term& i) { return access(Statement::store, false, both(own, '+', i)); };
        const Term i = name("i");
        switch (d.below(6)) {
          case 0:  // 0, 1, ... or from the end
            k.body = {down ? rounds("i", number(last - 1), d.one({'G', '>', '!'}), number(d.below(2) == 0 ? 0 : -1),
                                    '-', number(1), {store(i)})
                           : rounds("i", number(d.below(2)), d.one({'<', 'L', '!'}), number(last), '+', number(1),
                                    {store(i)})};
            break;
          case 1:  // by another step
            k.body = {rounds("i", number(0), d.one({'<', 'L'}), number(last + 2), '+', number(1 + d.below(3)),
                             {store(both(i, '/', number(2)))})};
            break;
          case 2:  // of the grid, as far as n
            k.body = {rounds("i", both(k_id, '+', number(d.below(3))), d.one({'<', 'L', '!'}),
                             both(k_n, '+', number(d.below(3))), '+', number(d.one({24, 24, 23, 48, 12})),
                             {access(Statement::store, false, i)})};
            break;
          case 3:  // doubled or halved
            k.body = {
                d.below(2) == 0
                    ? rounds("i", number(1), d.one({'<', 'L'}), number(d.one({4, 8, 9})), d.one({'*', 'l'}),
                             number(d.one({1, 2})),
                             {access(Statement::store, false, both(both(k_id, '*', number(d.one({8, 16}))), '+', i))})
                    : rounds(
                          "i", number(d.one({8, 16})), d.one({'>', 'G', '!'}), number(d.one({0, 1})), d.one({'/', 'r'}),
                          number(d.one({1, 2})),
                          {access(Statement::store, false, both(both(k_id, '*', number(d.one({16, 17}))), '+', i))})};
            break;
          case 4:  // two loops, one in the other
            k.body = {rounds(
                "i", number(0), '<', number(2), '+', number(1),
                {rounds("j", number(0), d.one({'<', 'L'}), number(width), '+', number(1),
                        {access(Statement::store, false,
                                both(both(both(k_id, '*', number(2)), '+', i), d.one({'*', '*', '+'}), number(width))),
                         access(Statement::store, false,
                                both(both(both(both(k_id, '*', number(2)), '+', i), '*', number(width)), '+',
                                     name("j")))})})};
            break;
          case 5:  // as many rounds as the thread says
            k.body = {rounds("i", number(0), d.one({'<', 'L'}), k_t, '+', number(1),
                             {access(Statement::store, false, both(both(k_id, '*', number(d.one({7, 8}))), '+', i))})};
            break;
        }
        return k;
      },
      60, k_sizes);
  expect(c, 44, 43, 11);
}

// Rows and columns of sizes that are known at run time.
TEST_F(Families, Rows) {
  const Counts c = hold(
      [&](Draw& d) {
        Kernel k;
        k.threads = 8;
        k.blocks = 3;
        // Columns by threads, rows by blocks or by rounds.
        const Term width = d.one({k_n, k_n, both(k_n, '+', number(1)), both(k_n, '*', number(2))});
        const Term limit = d.one({width, width, both(width, '-', number(1)), both(width, '+', number(1)), k_m});
        const Term inside = both(k_t, d.one({'<', '<', 'L'}), limit);
        const Term row = d.one({k_g, k_g, both(k_g, '+', number(1)), both(number(2), '-', k_g)});
        const Term place = both(both(row, '*', width), '+', k_t);
        switch (d.below(4)) {
          case 0:
            k.body = {when(inside, {access(Statement::store, false, place)})};
            break;
          case 1:
            k.body = {when(inside, {access(Statement::store, false, both(both(k_t, '*', number(3)), '+', k_g))})};
            break;
          case 2: {
            const Term line = both(both(name("i"), '*', number(d.one({2, 3, 3}))), '+', k_g);
            k.body = {
                when(inside, {rounds("i", number(0), '<', d.one({k_m, number(3)}), '+', number(1),
                                     {access(Statement::store, false, both(both(line, '*', width), '+', k_t))})})};
            break;
          }
          case 3:
            k.body = {when(both(inside, '&', both(k_t, 'G', number(0))),
                           {access(Statement::store, false, both(place, '*', number(d.one({1, 2})))),
                            access(Statement::load, false, both(both(place, '*', number(2)), '+', number(1)))})};
            break;
        }
        return k;
      },
      40, k_sizes);
  expect(c, 20, 20, 20);
}

// What barriers of a block keep apart, in a row and in rounds.
TEST_F(Families, Phases) {
  const Counts c = hold(
      [&](Draw& d) {
        Kernel k;
        const auto mine = [&] { return d.one({k_t, k_t, both(k_t, '^', number(1)), both(number(7), '-', k_t)}); };
        const auto barrier = [&](std::vector<Statement>& to) {
          if (d.below(5) != 0) to.push_back({.kind = Statement::barrier});
        };
        const Term i = name("i");
        std::vector<Statement> in;
        const uint32_t form = d.below(4);
        const Term half = both(both(i, d.one({'&', '&', '%'}), number(d.one({1, 1, 2}))), '*', number(8));
        const Term other = both(both(both(i, '+', number(1)), '&', number(1)), '*', number(8));
        if (form == 0) {  // one after another
          in.push_back(access(Statement::store, true, mine()));
          barrier(in);
          in.push_back(access(d.one({Statement::load, Statement::store}), true, mine()));
          barrier(in);
          in.push_back(access(Statement::load, true, mine()));
          k.body = std::move(in);
        } else if (form == 1) {  // in rounds
          in.push_back(access(Statement::store, true, mine()));
          barrier(in);
          in.push_back(access(Statement::load, true, mine()));
          barrier(in);
          k.body = {rounds("i", number(0), '<', d.one({number(3), k_n}), '+', number(1), std::move(in))};
        } else if (form == 2) {  // two halves in turn
          in.push_back(access(Statement::store, true, both(half, '+', mine())));
          barrier(in);
          in.push_back(access(Statement::load, true, both(d.one({half, half, other}), '+', mine())));
          k.body = {rounds("i", number(0), '<', d.one({number(4), k_n}), '+', number(1), std::move(in))};
        } else {  // a tree
          in.push_back(when(both(k_t, d.one({'<', '<', 'L'}), i),
                            {access(Statement::load, true, both(k_t, '+', i)), access(Statement::store, true, k_t)}));
          barrier(in);
          k.body = {access(Statement::store, true, k_t),
                    {.kind = Statement::barrier},
                    rounds("i", number(4), '>', number(0), d.one({'/', 'r'}), number(d.one({1, 2})), std::move(in))};
          if (k.body[2].advance == '/' && k.body[2].step.text == "1") k.body[2].step = number(2);
          if (k.body[2].advance == 'r') k.body[2].step = number(1);
        }
        return k;
      },
      50, k_sizes);
  expect(c, 36, 36, 14);
}

}  // namespace
}  // namespace fencepost::verifier
