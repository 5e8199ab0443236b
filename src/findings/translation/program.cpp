#include "translation/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace fencepost::translation {
namespace {

constexpr std::array<const char*, 12> k_ops = {"ld", "st",  "add", "sub", "exch", "and",
                                               "or", "xor", "max", "min", "cas",  "fence"};
constexpr std::array<const char*, 7> k_orders = {"plain",   "volatile", "relaxed", "acquire",
                                                 "release", "acq_rel",  "seq_cst"};
constexpr std::array<const char*, 3> k_scopes = {"block", "device", "system"};
constexpr std::array<const char*, 3> k_spellings = {"ref", "builtin", "old"};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  size_t from = 0;
  while (true) {
    const size_t to = text.find(at, from);
    std::string part = text.substr(from, to == std::string::npos ? to : to - from);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    out.push_back(part);
    if (to == std::string::npos) return out;
    from = to + 1;
  }
}

// The place of a word in a table.
template <class E, size_t N>
bool find(const std::array<const char*, N>& table, const std::string& word, E& out) {
  for (size_t k = 0; k < N; ++k)
    if (word == table[k]) {
      out = static_cast<E>(k);
      return true;
    }
  return false;
}

bool number(const std::string& word, uint32_t& out) {
  if (word.empty() || word.size() > 4 || word.find_first_not_of("0123456789") != std::string::npos) return false;
  out = static_cast<uint32_t>(std::stoul(word));
  return true;
}

std::unexpected<Diagnostics> wrong(const std::string& what, const std::string& word, const std::string& in) {
  return error_at({}, fmt::format("'{}' in '{}' is not {}", word, in, what),
                  "for example 'block 0: st.plain d 1; st.release.device.ref x 1 | block 1: ld.acquire.device.ref x; "
                  "?1 ld.plain d'");
}

Expected<Statement> parse_statement(const std::string& text) {
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, std::string());
  Statement s;
  if (!words.empty() && words.front().starts_with("?")) {
    uint32_t value = 0;
    if (!number(words.front().substr(1), value)) return wrong("a condition", words.front(), text);
    s.guard = value;
    words.erase(words.begin());
  }
  if (words.empty()) return wrong("a statement", text, text);
  const std::vector<std::string> form = split(words.front(), '.');
  if (!find(k_ops, form[0], s.op)) return wrong("an operation", form[0], text);
  if (form.size() < 2 || !find(k_orders, form[1], s.order)) return wrong("an order", words.front(), text);
  if (form.size() != (s.is_atomic() ? 4u : 2u))
    return wrong("of the form OPERATION.ORDER.SCOPE.SPELLING", words.front(), text);
  if (s.is_atomic() && !find(k_scopes, form[2], s.scope)) return wrong("a scope", form[2], text);
  if (s.is_atomic() && !find(k_spellings, form[3], s.spelling)) return wrong("a spelling", form[3], text);
  if (!is_possible(s)) return wrong("an operation that there is", words.front(), text);
  const size_t operands = s.op == Op::fence ? 0 : s.op == Op::ld ? 1 : s.op == Op::cas ? 3 : 2;
  if (words.size() != 1 + operands) return wrong("a statement with its operands", words.front(), text);
  if (operands > 0) {
    if (words[1].size() != 1 || std::string_view(k_places).find(words[1]) == std::string_view::npos)
      return wrong("a place", words[1], text);
    s.place = words[1][0];
  }
  if (!is_possible(s)) return wrong("an operation of 64 bits", words.front(), text);
  if (operands > 1 && !number(words[2], s.value)) return wrong("a value", words[2], text);
  if (operands > 2 && !number(words[3], s.written)) return wrong("a value", words[3], text);
  return s;
}

}  // namespace

const char* name(Op o) { return k_ops[static_cast<size_t>(o)]; }
const char* name(Order o) { return k_orders[static_cast<size_t>(o)]; }
const char* name(Scope s) { return k_scopes[static_cast<size_t>(s)]; }
const char* name(Spelling s) { return k_spellings[static_cast<size_t>(s)]; }

uint32_t Program::blocks() const {
  uint32_t out = 0;
  for (const Thread& t : threads) out = std::max(out, t.block + 1);
  return out;
}

uint32_t Program::number_in_block(size_t thread) const {
  uint32_t out = 0;
  for (size_t t = 0; t < thread; ++t) out += threads[t].block == threads[thread].block ? 1 : 0;
  return out;
}

uint32_t Program::threads_of_block() const {
  uint32_t out = 0;
  for (size_t t = 0; t < threads.size(); ++t) out = std::max(out, number_in_block(t) + 1);
  return out;
}

bool Program::uses(char place) const {
  for (const Thread& t : threads)
    for (const Statement& s : t.body)
      if (s.op != Op::fence && s.place == place) return true;
  return false;
}

bool Program::writes(char place) const {
  for (const Thread& t : threads)
    for (const Statement& s : t.body)
      if (s.op != Op::fence && s.op != Op::ld && s.place == place) return true;
  return false;
}

bool is_possible(const Statement& s) {
  if (!s.is_atomic()) return s.op == Op::ld || s.op == Op::st;
  if (s.spelling == Spelling::old)
    return s.op == Op::fence ? s.order == Order::seq_cst
                             : s.is_update() && s.order == Order::relaxed && (s.op != Op::sub || s.bits() == 32);
  if (s.op == Op::ld) return s.order != Order::release && s.order != Order::acq_rel;
  if (s.op == Op::st) return s.order != Order::acquire && s.order != Order::acq_rel;
  return s.op != Op::fence || s.order != Order::relaxed;
}

Order order_of_failure(Order o) {
  return o == Order::acq_rel ? Order::acquire : o == Order::release ? Order::relaxed : o;
}

std::string to_string(const Statement& s) {
  std::string out = s.guard ? fmt::format("?{} ", *s.guard) : "";
  out += fmt::format("{}.{}", name(s.op), name(s.order));
  if (s.is_atomic()) out += fmt::format(".{}.{}", name(s.scope), name(s.spelling));
  if (s.op != Op::fence) out += fmt::format(" {}", s.place);
  if (s.op != Op::fence && s.op != Op::ld) out += fmt::format(" {}", s.value);
  if (s.op == Op::cas) out += fmt::format(" {}", s.written);
  return out;
}

std::string to_string(const Program& p) {
  std::string out;
  for (const Thread& t : p.threads) {
    out += fmt::format("{}block {}:", out.empty() ? "" : " | ", t.block);
    for (size_t k = 0; k < t.body.size(); ++k) out += (k == 0 ? " " : "; ") + to_string(t.body[k]);
  }
  return out;
}

Expected<Program> parse_program(const std::string& text) {
  Program p;
  for (const std::string& part : split(text, '|')) {
    const size_t colon = part.find(':');
    uint32_t block = 0;
    if (!part.starts_with("block ") || colon == std::string::npos || !number(part.substr(6, colon - 6), block) ||
        block > 7)
      return wrong("a thread, which begins with 'block N:', N from 0 to 7", part, text);
    Thread t{block, {}};
    bool result = false;
    for (const std::string& one : split(part.substr(colon + 1), ';')) {
      const auto s = parse_statement(one);
      if (!s) return std::unexpected(s.error());
      if (s->guard && !result) return wrong("a condition behind a result", one, text);
      result = result || (!s->guard && s->has_result());
      t.body.push_back(*s);
    }
    p.threads.push_back(std::move(t));
  }
  if (p.threads.size() > 4) return wrong("a program of at most four threads", text, text);
  return p;
}

}  // namespace fencepost::translation
