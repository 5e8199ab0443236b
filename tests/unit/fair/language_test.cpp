// Expressions: meaning against the host language's sets, printing, limits, and random trees printed and read again.

#include <algorithm>
#include <bit>
#include <random>

#include "fair/code.h"
#include "text.h"

namespace fencepost::fair {
namespace {

ThreadSet value(const std::string& expression, uint32_t threads, ThreadSet live, ThreadSet started) {
  return closed(expression).fair(threads, live, started);
}
bool holds(const std::string& condition, ThreadSet live = 0b0111, ThreadSet started = 0b1010, uint32_t threads = 4) {
  return value("if " + condition + " then threads else {}", threads, live, started) != 0;
}

TEST(Language, Sets) {
  EXPECT_EQ(value("threads", 4, 0, 0), 0b1111u);
  EXPECT_EQ(value("live | started", 4, 0b0101, 0b0110), 0b0111u);
  EXPECT_EQ(value("live & started", 4, 0b0101, 0b0110), 0b0100u);
  EXPECT_EQ(value("live \\ started", 4, 0b0101, 0b0110), 0b0001u);
  EXPECT_EQ(value("live \\ started \\ {min threads}", 4, 0b0101, 0), 0b0100u) << "leans left";
  EXPECT_EQ(value("threads \\ live & started", 4, 0b0101, 0b0100), 0b1011u) << "& before \\";
  EXPECT_EQ(value("{min live, max live, none}", 4, 0b1110, 0), 0b1010u);
  EXPECT_EQ(value("{}", 4, 0b1110, 0), 0u);
  EXPECT_EQ(value("{min {}}", 4, 0b1110, 0), 0u) << "the minimum of nothing is none";
  EXPECT_EQ(value("{ u in live | true }", 64, ~ThreadSet{0}, 0), ~ThreadSet{0});
}

TEST(Language, ThreadsAndIntegers) {
  EXPECT_TRUE(holds("min live == thread 0 and max live == thread 2"));
  EXPECT_TRUE(holds("thread 4 == none and thread (-1) == none and thread 99 == none"));
  EXPECT_TRUE(holds("id none == -1 and id max live == 2"));
  EXPECT_TRUE(holds("size live == 3 and size {} == 0"));
  EXPECT_TRUE(holds("2 + 3 * 4 - 1 == 13 and -2 * -3 == 6 and 7 - 2 - 1 == 4"));
  EXPECT_TRUE(holds("4294967295 * 4294967295 * 4294967295 > 0")) << "saturates";
  EXPECT_TRUE(holds("-4294967295 * 4294967295 * 4294967295 < 0"));
  EXPECT_FALSE(holds("min {} < max live")) << "none is in no order";
  EXPECT_FALSE(holds("min {} >= min {}"));
  EXPECT_TRUE(holds("min {} == none and none == min {}"));
  EXPECT_FALSE(holds("none in threads"));
  EXPECT_TRUE(holds("none not in threads"));
  EXPECT_TRUE(holds("thread 63 in live", ThreadSet{1} << 63, 0, 64));
}

TEST(Language, Conditions) {
  EXPECT_TRUE(holds("true or false and false")) << "and before or";
  EXPECT_FALSE(holds("not true or false"));
  EXPECT_TRUE(holds("not 1 == 2")) << "not after comparisons";
  EXPECT_TRUE(holds("{max live} subset live and not threads subset live"));
  EXPECT_TRUE(holds("forall u in live : u <= max live"));
  EXPECT_FALSE(holds("forall u in live : u < max live"));
  EXPECT_TRUE(holds("forall u in {} : false"));
  EXPECT_FALSE(holds("exists u in {} : true"));
  EXPECT_TRUE(holds("exists u in live : forall v in live : u <= v"));
  EXPECT_FALSE(holds("exists u in live : forall v in live : u < v"));
  EXPECT_TRUE(holds("false or exists u in live : u in started and u > min live")) << "a quantifier reaches far right";
  EXPECT_TRUE(holds("(if live == {} then none else max live) == thread 2"));
}

TEST(Language, DefinitionsAreFilledIn) {
  const Model m = model_of(
      "model \"lets\"\nlet first = min live\nlet below = { u in threads | exists v in started : u <= v }\n"
      "let both = { u in live | u in below or u == first }\nfair = { v in both | v in live }\n");
  for (ThreadSet live = 0; live < 16; ++live)
    for (ThreadSet started = 0; started < 16; ++started) {
      const ThreadSet below = started == 0 ? 0 : ~ThreadSet{0} >> std::countl_zero(started);
      EXPECT_EQ(m.fair(4, live, started), (live & below) | (live & -live));
    }
  const std::string text = to_text(m);
  EXPECT_EQ(model_of(text), m) << text;
}

TEST(Language, GrowthIsBounded) {
  std::string text = "model \"doubling\"\nlet a0 = live & started\n";
  for (int i = 1; i < 64; ++i)
    text += "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " | a" + std::to_string(i - 1) + "\n";
  const auto m = parsed(text + "fair = a63\n");
  ASSERT_FALSE(m.has_value());
  EXPECT_NE(m.error().list[0].message.find("more than 4000 parts"), std::string::npos);
  std::string long_chain = "live";
  for (int i = 0; i < 1900; ++i) long_chain += " | live";
  EXPECT_EQ(value(long_chain, 3, 5, 0), 5u);
  for (const std::string& open : {std::string("("), std::string("not "), std::string("-"), std::string("{min "),
                                  std::string("if "), std::string("min {")}) {
    std::string deep;
    for (int i = 0; i < 20000; ++i) deep += open;
    EXPECT_FALSE(parsed("model \"deep\"\nfair = " + deep).has_value());
  }
  std::string blocks = "model \"deep\"\nvar fair = live\non terminate(t) ";
  for (int i = 0; i < 20000; ++i) blocks += "{ if true ";
  EXPECT_FALSE(parsed(blocks).has_value());
}

TEST(Language, BytesOfAnyKindAreReadOrRefused) {
  const std::string good =
      "model \"m\"\nlet k = 2\nvar n[threads] : 0..3 = 0\nvar fair = { u in live | u <= max started }\n"
      "on step(t, instr) { if instr.jumped and n[t] < k { n[t] = n[t] + 1; fair = fair | {t} } else { fair = fair } }\n"
      "on terminate(t) { fair = fair \\ {t} }\n";
  model_of(good);
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (uint64_t k = random() % 4 + 1; k > 0 && !text.empty(); --k) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 8 + 1);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 12));
          break;
        default:
          text.resize(at);
          text += " ";
      }
    }
    const auto m = parsed(text);
    if (!m) {
      ASSERT_EQ(m.error().list.size(), 1u);
      render(m.error());
    } else {
      const std::string printed = to_text(*m);
      const auto again = parsed(printed);
      ASSERT_TRUE(again.has_value()) << text << "\n-- printed --\n" << printed << (again ? "" : render(again.error()));
      ASSERT_EQ(*again, *m) << printed;
    }
  }
}

// ---- random closed forms -----------------------------------------------------------------------------------------
struct Random {
  std::mt19937_64 engine;
  std::vector<std::string> bound{};
  uint64_t below(uint64_t n) { return engine() % n; }

  std::string name() { return "v" + std::to_string(bound.size()); }
  std::string under(const std::string& n, std::string (Random::*body)(int), int depth) {
    bound.push_back(n);
    std::string s = (this->*body)(depth);
    bound.pop_back();
    return s;
  }
  std::string set(int depth) {
    if (depth == 0) return std::vector<std::string>{"live", "started", "threads", "{}"}[below(4)];
    switch (below(7)) {
      case 0:
        return "(" + set(depth - 1) + " | " + set(depth - 1) + ")";
      case 1:
        return "(" + set(depth - 1) + " & " + set(depth - 1) + ")";
      case 2:
        return "(" + set(depth - 1) + " \\ " + set(depth - 1) + ")";
      case 3:
        return "{" + thread(depth - 1) + (below(2) != 0 ? ", " + thread(depth - 1) : "") + "}";
      case 4:
        return "(if " + truth(depth - 1) + " then " + set(depth - 1) + " else " + set(depth - 1) + ")";
      default: {
        if (bound.size() >= k_max_binders) return "live";
        const std::string n = name(), from = set(depth - 1);
        return "{ " + n + " in " + from + " | " + under(n, &Random::truth, depth - 1) + " }";
      }
    }
  }
  std::string thread(int depth) {
    if (!bound.empty() && below(2) != 0) return bound[below(bound.size())];
    if (depth == 0) return below(3) == 0 ? "none" : "max started";
    switch (below(5)) {
      case 0:
        return "min " + set(depth - 1);
      case 1:
        return "max " + set(depth - 1);
      case 2:
        return "thread " + number(depth - 1);
      case 3:
        return "(if " + truth(depth - 1) + " then " + thread(depth - 1) + " else " + thread(depth - 1) + ")";
      default:
        return "min live";
    }
  }
  std::string number(int depth) {
    if (depth == 0) return std::to_string(below(4));
    switch (below(6)) {
      case 0:
        return "(" + number(depth - 1) + " + " + number(depth - 1) + ")";
      case 1:
        return "(" + number(depth - 1) + " - " + number(depth - 1) + ")";
      case 2:
        return "(" + number(depth - 1) + " * " + number(depth - 1) + ")";
      case 3:
        return "size " + set(depth - 1);
      case 4:
        return "(-" + number(depth - 1) + ")";
      default:
        return "id " + thread(depth - 1);
    }
  }
  std::string truth(int depth) {
    static const std::vector<std::string> signs = {" < ", " <= ", " > ", " >= ", " == ", " != "};
    if (depth == 0) return below(2) != 0 ? thread(0) + signs[below(6)] + thread(0) : thread(0) + " in started";
    switch (below(9)) {
      case 0:
        return "(" + truth(depth - 1) + " and " + truth(depth - 1) + ")";
      case 1:
        return "(" + truth(depth - 1) + " or " + truth(depth - 1) + ")";
      case 2:
        return "(not " + truth(depth - 1) + ")";
      case 3:
        return thread(depth - 1) + signs[below(6)] + thread(depth - 1);
      case 4:
        return number(depth - 1) + signs[below(6)] + number(depth - 1);
      case 5:
        return "(" + set(depth - 1) + " subset " + set(depth - 1) + ")";
      case 6:
        return thread(depth - 1) + (below(2) != 0 ? " in " : " not in ") + set(depth - 1);
      default: {
        if (bound.size() >= k_max_binders) return "true";
        const std::string n = name(), from = set(depth - 1);
        return std::string(below(2) != 0 ? "(exists " : "(forall ") + n + " in " + from + " : " +
               under(n, &Random::truth, depth - 1) + ")";
      }
    }
  }
};

// What runs is a translation of the tree; the tree's evaluation is the definition.
TEST(Language, RandomExpressionsPrintAndRunAsTheirTree) {
  Random random{std::mt19937_64(11)};
  for (int i = 0; i < 4000; ++i) {
    const std::string text = random.set(1 + static_cast<int>(random.below(5)));
    const Model m = closed(text);
    const std::string printed = *m.closed_form_text();
    const Model again = closed(printed);
    ASSERT_EQ(again.closed_form_expr(), m.closed_form_expr()) << text << "\n" << printed;
    for (int k = 0; k < 12; ++k) {
      const uint32_t n = k == 0 ? 64 : k == 1 ? 0 : 1 + static_cast<uint32_t>(random.below(6));
      Environment env;
      env.threads = all_of(n);
      env.live = random.engine() & env.threads;
      env.started = random.engine() & env.threads;
      if (n == 64) env.live &= 0x8000000000000421, env.started &= 0x8000100000000003, env.threads = ~ThreadSet{0};
      if (n == 64 && text.size() > 200) continue;
      ASSERT_EQ(m.fair(n, env.live, env.started), static_cast<ThreadSet>(evaluate(m.closed_form_expr(), env)))
          << text << "\nof " << n << ", live " << to_text(env.live) << ", started " << to_text(env.started);
    }
  }
}

TEST(Language, CommonBindersAreWords) {
  const auto loops = [](const std::string& text) { return Code(closed(text).closed_form_expr()).loops(); };
  EXPECT_FALSE(loops("{ t in live | t <= max started }"));
  EXPECT_FALSE(loops("{ u in live | exists s in started : u <= s }"));
  EXPECT_FALSE(loops("{ u in live | not (u in started and u > min live) or forall v in live : v >= u }"));
  EXPECT_FALSE(loops(
      "if exists u in live : u in started then { u in live | if u < max live then true else u in started } else {}"));
  EXPECT_TRUE(loops("{ u in live | id u < 3 }"));
  EXPECT_TRUE(loops("{ u in live | exists v in started : u <= v and v in live }"));
}

TEST(Language, PrintedNamesDoNotCollide) {
  // The definition's bound name is also a variable's, an event's and an enclosing binder's.
  const Model m = model_of(
      "model \"names\"\nlet upper = { t in live | exists u in started : t > u }\nvar u2 = none\nvar fair = {}\n"
      "on step(t, u) { u2 = t\n fair = fair | { v in upper | u.jumped and v == u2 } }\n"
      "on terminate(u) { fair = fair & live & (upper | { t in fair | t in live }) }\n");
  const std::string text = to_text(m);
  EXPECT_EQ(model_of(text), m) << text;
}

TEST(Language, SummaryIsTheFirstSentence) {
  EXPECT_EQ(model_of("# a: b\n# and c. More.\n\n# Else\nmodel \"m\"\nfair = live\n").summary(), "a: b and c");
  EXPECT_EQ(model_of("model \"m\" # later\nfair = live\n").summary(), "");
  EXPECT_EQ(model_of("\xEF\xBB\xBF// only this\r\nmodel \"m\"\r\nfair = live\r\n").summary(), "only this");
}

}  // namespace
}  // namespace fencepost::fair
