// No text crashes the room, takes long or makes it answer without a place: mutations of shipped models, random
// tokens, and texts that grow without bound when they are read naively.
#include <algorithm>
#include <filesystem>

#include "base/job.h"
#include "cat/library.h"
#include "cat/resolve.h"
#include "text.h"

namespace fencepost::cat {
namespace {

namespace fs = std::filesystem;

void check(const std::string& body) {
  const auto m = load(body);
  if (!m) {
    ASSERT_FALSE(m.error().list.empty());
    for (const Diagnostic& d : m.error().list) {
      EXPECT_FALSE(d.message.empty());
      EXPECT_NE(d.span.source, nullptr) << d.message << "\n" << body;
      EXPECT_FALSE(render(d).empty());
    }
  } else {
    EXPECT_EQ(polarities(*m).size(), m->nodes.size());
    for (const Axiom& a : m->axioms) EXPECT_LT(a.node, m->nodes.size());
  }
  lint_text(make_source("test.cat", body), {});
}

TEST(Robustness, MutatedModels) {
  std::vector<std::string> texts;
  for (const auto& e : fs::directory_iterator(models_dir()))
    if (e.path().extension() == ".cat") texts.push_back((*read_source(e.path().string()))->text);
  std::sort(texts.begin(), texts.end());
  ASSERT_FALSE(texts.empty());
  const std::string alphabet = "()[]{}*+?^~&\\;|=,-1 \n\"'_aR";
  Rng rng(1);
  for (int round = 0; round < 400; ++round) {
    std::string t = rng.pick(texts);
    for (uint64_t n = 1 + rng.below(6); n > 0 && !t.empty(); --n) {
      const size_t at = rng.below(t.size());
      switch (rng.below(4)) {
        case 0:
          t.erase(at, 1 + rng.below(20));
          break;
        case 1:
          t.insert(at, 1, alphabet[rng.below(alphabet.size())]);
          break;
        case 2:
          t[at] = static_cast<char>(rng.below(256));
          break;
        default:
          t.insert(at, t.substr(rng.below(t.size()), rng.below(40)));
      }
    }
    check(t);
  }
}

TEST(Robustness, RandomTokens) {
  const std::vector<const char*> words = {
      "let",  "rec",  "and",    "in",        "fun",  "->",  "=",   "(",    ")",       "[",     "]",
      "*",    "+",    "?",      "^-1",       "~",    "&",   "\\",  ";",    "|",       "po",    "rf",
      "R",    "W",    "x",      "y",         "f",    "0",   "_",   ",",    "acyclic", "empty", "as",
      "flag", "show", "domain", "procedure", "call", "end", "try", "with", "{}",      "\n"};
  Rng rng(2);
  for (int round = 0; round < 3000; ++round) {
    std::string t = "let x = po let f(y) = y ";
    for (uint64_t n = rng.below(30); n > 0; --n) t += std::string(words[rng.below(words.size())]) + " ";
    check(t);
  }
}

std::string repeat(const std::string& s, size_t n) {
  std::string out;
  for (size_t i = 0; i < n; ++i) out += s;
  return out;
}

TEST(Robustness, DeepAndLongTexts) {
  for (const char* open : {"(", "[", "~", "let x = ", "f(", "fun x -> ", "try ", "(*", "{", "po | (", "po * ~", "x "})
    check("let x = " + repeat(open, 100000));
  check("let x = po" + repeat(" | po", 100000));
  check("let x = po" + repeat("+", 100000));
  EXPECT_EQ(complaint("let x = po" + repeat("; po", 900)), "loads");
  EXPECT_EQ(complaint("let rec x = x" + repeat(" | x", 900) + " | rf"), "loads");
  EXPECT_NE(complaint("let x = po" + repeat("+", 900)), "loads");
  check("let f" + repeat(" x", 100000) + " = x");
  check(repeat("let x = po ", 20000));
  check("let x0 = po\n" + [] {
    std::string t;
    for (int i = 1; i < 20000; ++i) t += "let x" + std::to_string(i) + " = x" + std::to_string(i - 1) + "; rf\n";
    return t;
  }());
}

TEST(Robustness, ModelsThatGrowExponentially) {
  std::string functions = "let f0(r) = (r; po) | (rf; r)\n";
  std::string procedures = "procedure p0(r) = acyclic r end\n";
  for (int i = 1; i < 60; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    functions += "let f" + n + "(r) = f" + before + "(f" + before + "(r)) | r\n";
    procedures += "procedure p" + n + "(r) = call p" + before + "(r) call p" + before + "(r) end\n";
  }
  EXPECT_NE(complaint(functions + "let x = f59(co)"), "loads");
  EXPECT_NE(complaint(procedures + "call p59(co)"), "loads");
  // Deep application without blow-up.
  std::string chain = "let g0(r) = r; po\n";
  for (int i = 1; i < 5000; ++i) chain += "let g" + std::to_string(i) + "(r) = g" + std::to_string(i - 1) + "(r; po)\n";
  EXPECT_NE(complaint(chain + "let x = g4999(co)"), "loads");
  EXPECT_EQ(complaint(chain + "let x = g400(co)"), "loads");
}

}  // namespace
}  // namespace fencepost::cat
