#pragma once
// Texts with small changes, drawn by a fixed seed, and what a reader says of each: tests/golden/mutants has a digest
// for each. A limit that is off by one, a refusal that is gone, another word or place in a message, a term that is no
// longer made smaller: each shows in some of them, wherever in the readers it is. What is right is not said here; it
// is said by the tests with answers.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "golden.h"

namespace mutants {

class Draw {  // splitmix64: the same numbers on every machine
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  size_t below(size_t n) { return n == 0 ? 0 : next() % n; }
  template <class List>
  const auto& of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  uint64_t state_;
};

inline std::vector<std::string> words(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string w; in >> w;) out.push_back(w);
  return out;
}

inline std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& p : parts) out += (out.empty() ? "" : between) + p;
  return out;
}

// Lines of headers change by characters, those of code by words.
inline std::string changed(const std::string& text, Draw& draw) {
  static const char* const k_numbers[] = {"0",   "1",   "2",     "3",     "4",          "5",  "7",  "8",
                                          "16",  "31",  "32",    "33",    "63",         "64", "65", "127",
                                          "128", "129", "65535", "65536", "4294967295", "-1"};
  static const char k_signs[] = "{}[]()=<>!,;.%-_@ \t0azAZ9`/*&|~+#'\"";
  std::vector<std::string> lines = golden::lines(text);
  size_t at = draw.below(lines.size());
  for (size_t tries = 0; lines[at].empty() && tries < 10; ++tries) at = draw.below(lines.size());
  std::string& line = lines[at];
  const bool header = line.find('@') != std::string::npos;
  if (header && draw.below(8) != 0) {
    const bool launch = line.find("Config") != std::string::npos;
    const size_t k = line.find('@') + draw.below(line.size() - line.find('@'));
    const char sign = k_signs[draw.below(sizeof k_signs - 1)];
    switch (draw.below(4)) {
      case 0:
        line.erase(k, 1);
        break;
      case 1:
        if (!launch) line.insert(k, 1, line[k]);
        break;
      case 2:
        line[k] = launch && sign == '9' ? '2' : sign;
        break;
      default:
        if (!launch || sign < '0' || sign > '9') line.insert(k, 1, sign);
    }
    return joined(lines, "\n") + "\n";
  }
  std::vector<std::string> w = words(line);
  const std::vector<std::string> other = words(draw.of(lines));
  switch (draw.below(header ? 3 : 9)) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(draw.below(lines.size())), std::string(line));
      break;
    case 2:
      std::swap(line, lines[(at + 1) % lines.size()]);
      break;
    case 3:
      if (!w.empty()) w.pop_back();
      line = joined(w, " ");
      break;
    case 4:
      line += std::string(" ") + (other.empty() ? "0" : draw.of(other));
      break;
    case 5:
      line += std::string(" ") + draw.of(k_numbers);
      break;
    case 6:
      if (!w.empty()) w[draw.below(w.size())] = draw.of(k_numbers);
      line = joined(w, " ");
      break;
    default:
      if (!w.empty() && !other.empty()) w[draw.below(w.size())] = draw.of(other);
      line = joined(w, " ");
  }
  return joined(lines, "\n") + "\n";
}

inline std::string digest(const std::string& text) {  // FNV-1a, folded
  uint64_t n = 14695981039346656037u;
  for (const char c : text) n = (n ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char out[12];
  std::snprintf(out, sizeof out, "%08x", static_cast<unsigned>(n ^ (n >> 32)));
  return out;
}

// A line for each of `count` mutants: number, and a digest of what is said of it. On a difference both texts are shown
// of the first that differs.
inline void compare(const std::string& name, const std::string& base, size_t count,
                    const std::function<std::string(const std::string&)>& said) {
  Draw draw(0x5eed);
  std::string out;
  std::vector<std::string> texts, answers;
  for (size_t k = 0; k < count; ++k) {
    texts.push_back(changed(base, draw));
    if (draw.below(3) == 0) texts.back() = changed(texts.back(), draw);
    answers.push_back(said(texts.back()));
    out += std::to_string(k) + " " + digest(answers.back()) + "\n";
  }
  golden::compare("mutants/" + name + ".txt", out);
  if (!testing::Test::HasFailure()) return;
  std::ifstream file(FENCEPOST_SOURCE_DIR "/tests/golden/mutants/" + name + ".txt", std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  const auto expected = golden::lines(all.str()), found = golden::lines(out);
  for (size_t k = 0; k < found.size(); ++k)
    if (k >= expected.size() || expected[k] != found[k]) {
      ADD_FAILURE() << "the first that differs:\n" << texts[k] << "\nnow:\n" << answers[k];
      return;
    }
}

}  // namespace mutants
