// The one design of HTML pages: what comes first, what is loaded, and that text and marks can be read on light and on
// dark grounds.
#include "draw/document.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <regex>

#include "draw/graph.h"
#include "draw/scatter.h"
#include "draw/style.h"

namespace fencepost::draw {
namespace {

// SHA-256 (FIPS 180-4) in base 64.
std::string sha256_base64(std::string text) {
  const auto primes = [] {
    std::vector<uint32_t> list;
    for (uint32_t n = 2; list.size() < 64; ++n)
      if (std::all_of(list.begin(), list.end(), [&](uint32_t p) { return n % p != 0; })) list.push_back(n);
    return list;
  }();
  const auto fraction = [](long double v) {
    return static_cast<uint32_t>(std::floor((v - std::floor(v)) * 4294967296.0L));
  };
  std::array<uint32_t, 64> k{};
  std::array<uint32_t, 8> h{};
  for (size_t i = 0; i < 64; ++i) k[i] = fraction(std::cbrt(static_cast<long double>(primes[i])));
  for (size_t i = 0; i < 8; ++i) h[i] = fraction(std::sqrt(static_cast<long double>(primes[i])));
  const uint64_t bits = text.size() * 8;
  text += '\x80';
  while (text.size() % 64 != 56) text += '\0';
  for (int b = 56; b >= 0; b -= 8) text += static_cast<char>(bits >> b);
  for (size_t at = 0; at < text.size(); at += 64) {
    std::array<uint32_t, 64> w{};
    for (size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(text[at + i]);
    for (size_t i = 16; i < 64; ++i) {
      const uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto s = h;
    for (size_t i = 0; i < 64; ++i) {
      const uint32_t t1 = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                          ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
      const uint32_t t2 = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) +
                          ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
    }
    for (size_t i = 0; i < 8; ++i) h[i] += s[i];
  }
  std::string bytes, out;
  for (const uint32_t x : h)
    for (int b = 24; b >= 0; b -= 8) bytes += static_cast<char>(x >> b);
  constexpr const char* k_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t v = 0;
    for (size_t j = 0; j < 3; ++j) v = v << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) out += i + j > bytes.size() ? '=' : k_digits[v >> (18 - 6 * j) & 63];
  }
  return out;
}

double luminance(std::string c) {
  if (c.size() == 4) c = {'#', c[1], c[1], c[2], c[2], c[3], c[3]};
  double sum = 0;
  constexpr double k_weights[] = {0.2126, 0.7152, 0.0722};
  for (size_t i = 0; i < 3; ++i) {
    const double v = std::stoi(c.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    sum += k_weights[i] * (v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
  }
  return sum;
}
// WCAG 2.2, contrast ratio: 1 to 21.
double contrast(const std::string& a, const std::string& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

// The variables of a ":root{...}".
std::map<std::string, std::string> variables(const std::string& style, size_t from) {
  std::map<std::string, std::string> out;
  const size_t open = style.find(":root{", from), end = style.find('}', open);
  const std::string list = style.substr(open + 6, end - open - 6);
  static const std::regex one("--([a-z0-9]+):(#[0-9a-f]+)");
  for (std::sregex_iterator it(list.begin(), list.end(), one), stop; it != stop; ++it) out[(*it)[1]] = (*it)[2];
  return out;
}

Document sample() {
  Document d;
  d.title = "A <page>";
  d.verdict = Verdict{Tone::open, "INCOMPLETE", {"One & only.", "Two."}};
  d.lead = {"Lead <b>."};
  d.rests_on = {{"device", "\"X\""}};
  d.parts = {
      {"a", "First", section("s1", "Races", "", "<p>x</p>\n")},
      {"b", "Second", section("s2", "Rates", "A lead.", table("T", {{"n", "v"}, {{"1", "2"}, {"3", "4"}}, 1}, 9))}};
  d.foot = "Foot.";
  return d;
}

TEST(Document, TheVerdictComesFirstAndEveryTextIsEscaped) {
  const std::string p = html(sample());
  const std::vector<const char*> order = {"<title>INCOMPLETE: A &lt;page&gt;</title>",
                                          "<h1>A &lt;page&gt;</h1>",
                                          "<strong>INCOMPLETE</strong>",
                                          "One &amp; only.",
                                          "Lead &lt;b&gt;.",
                                          "<dt>device</dt><dd>&quot;X&quot;</dd>",
                                          "<nav ",
                                          "href=\"#a\">First</a>",
                                          "href=\"#s1\">Races</a>",
                                          "href=\"#b\">Second</a>",
                                          "href=\"#s2\">Rates</a>",
                                          "<h2 class=\"part\" id=\"a\">First</h2>",
                                          "<h2 id=\"s1\">Races</h2>",
                                          "<h2 class=\"part\" id=\"b\">",
                                          "Foot.",
                                          "<script>"};
  size_t at = 0;
  for (const char* what : order) {
    const size_t next = p.find(what, at);
    ASSERT_NE(next, std::string::npos) << what;
    at = next;
  }
  EXPECT_EQ(p, html(sample()));
}

TEST(Document, OnePartHasNoTitleOfItsOwn) {
  Document d = sample();
  d.parts.pop_back();
  const std::string p = html(d);
  EXPECT_EQ(p.find("class=\"part\""), std::string::npos);
  EXPECT_NE(p.find("href=\"#s1\">Races</a>"), std::string::npos);
}

// A policy that admits another script than the page's runs none.
TEST(Document, ThePolicyAdmitsItsOwnScriptAlone) {
  ASSERT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  const std::string p = html(sample());
  const size_t script = p.find("<script>") + 8;
  const std::string text = p.substr(script, p.find("</script>") - script);
  EXPECT_EQ(text, document_script());
  EXPECT_NE(p.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(p.find("script-src 'sha256-" + sha256_base64(text) + "'"), std::string::npos) << sha256_base64(text);
}

TEST(Document, ColoursCanBeRead) {
  const std::string style(document_style());
  for (const size_t from : {size_t{0}, style.find("prefers-color-scheme:dark")}) {
    const auto v = variables(style, from);
    for (const char* ground : {"ground", "card"}) {
      for (const char* text : {"ink", "soft", "c0", "bad", "good", "open"})
        EXPECT_GE(contrast(v.at(text), v.at(ground)), 4.5) << text << " on " << ground;
      for (const char* mark : {"c0", "c1", "c2", "c3", "c4", "c5"})
        EXPECT_GE(contrast(v.at(mark), v.at(ground)), 3.0) << mark << " on " << ground;
    }
  }
}

// A colour without a pair stays as it is on a dark ground, perhaps black.
TEST(Document, PicturesHaveADarkSide) {
  Graph g;
  g.title = "T";
  g.columns = {{"P0", "cta 0"}};
  g.nodes = {{"a", "st x, 1", 0, 0, true}, {"b", "ld r0, x", 0, 1, false}};
  g.edges = {};
  for (const Style& s : styles()) g.edges.push_back({0, 1, std::string(s.name), std::string(s.name), false});
  g.edges.push_back({0, 1, "rf", "rf", true});
  for (const std::string& svg :
       {to_svg(g), to_svg(Scatter{"t", "x", "y", 0.01, 100, {{1, 2, "p", true}, {1, 1, "q"}}})}) {
    const size_t rules = svg.find("@media (prefers-color-scheme:dark)");
    ASSERT_NE(rules, std::string::npos);
    const std::string shapes = svg.substr(0, rules);
    static const std::regex used("(fill|stroke)(=\"|:)(#[0-9a-f]{6})");
    for (std::sregex_iterator it(shapes.begin(), shapes.end(), used), end; it != end; ++it) {
      const std::string c = (*it)[3];
      EXPECT_TRUE(std::any_of(colour_pairs().begin(), colour_pairs().end(), [&](const ColourPair& x) {
        return x.light == c;
      })) << c;
    }
  }
  for (const Style& s : styles()) {
    const auto pair = std::find_if(colour_pairs().begin(), colour_pairs().end(),
                                   [&](const ColourPair& x) { return x.light == s.colour; });
    ASSERT_NE(pair, colour_pairs().end()) << s.colour;
    EXPECT_GE(contrast(std::string(pair->dark), "#0d1117"), 4.5) << s.name;
  }
}

}  // namespace
}  // namespace fencepost::draw
