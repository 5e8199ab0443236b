#include "export/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace fencepost::exports {

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\\' || c < 32 || c > 126 ? ' ' : c;  // a backslash at the end joins lines
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

namespace {

std::string_view sentence(Mapping m) {
  switch (m) {
    case Mapping::plain:
      return "plain: the first T invocations are the threads, id k is thread k";
    case Mapping::round_robin:
      return "round-robin: id g is thread g % T of instance g / T";
    case Mapping::chunked:
      return "chunked: with N / T ids per thread, id g is thread g / (N / T) of instance g % (N / T)";
    case Mapping::hybrid:
      return "hybrid: ids are drawn into instances; within an instance a larger id is a larger thread";
    case Mapping::paired:
      return "paired: threads 0 and 1 of an instance have neighbouring ids, each further thread has N / T ids of its "
             "own";
    case Mapping::table:
      break;
  }
  return "";
}

}  // namespace

std::string heading(const std::vector<Plan>& plans, const Options& o) {
  std::string out;
  if (plans.size() == 1) {
    const Plan& p = plans[0];
    out += fmt::format("// Progress test {}: {} threads, {} instance{}, {} invocations launched.\n", p.title,
                       p.layout.threads, p.instances, p.instances == 1 ? "" : "s", p.layout.total);
  } else {
    out += fmt::format("// {} progress tests.\n", plans.size());
  }
  out += fmt::format("// Mapping {}.\n", sentence(o.mapping));
  if (o.mapping == Mapping::hybrid) out += fmt::format("// Seed of the draw: {}.\n", o.seed);
  out += fmt::format("// Atomics are {}; a load is {}; a store is an exchange.\n", to_string(o.order),
                     o.loads == Loads::add ? "a fetch-and-add of 0" : "an atomic load");
  out += "// Every launched invocation adds 1 to the counter when it ends: the counter is N iff all ended.\n";
  return out;
}

std::string description(const Plan& p) {
  std::string out = fmt::format("// {}: {} threads, {} instance{}", p.title, p.layout.threads, p.instances,
                                p.instances == 1 ? "" : "s");
  if (const uint32_t surplus = p.layout.total - participants(p.layout); surplus && p.layout.mapping != Mapping::plain)
    out += fmt::format(", {} surplus invocation{} without a role", surplus, surplus == 1 ? "" : "s");
  return out + "\n";
}

std::string hybrid_functions(const Options& o, const Dialect& d) {
  if (o.mapping != Mapping::hybrid) return "";
  const auto keys = permutation(1, o.seed).keys;
  std::string out = fmt::format(
      "// A permutation of 0..size-1: four Feistel rounds on 2 * half_bits bits, repeated until the value is in "
      "range.\n"
      "// Slot s belongs to instance s / T. hybrid_id is the inverse of hybrid_slot. The keys come from the seed.\n"
      "{1}{0} hybrid_mix({0} part, {0} key, {0} half_bits) {{\n"
      "  {0} m = (part + key) * {2}u;\n"
      "  m = (m ^ (m >> 15)) * {3}u;\n"
      "  return m >> (32u - half_bits);\n"
      "}}\n",
      d.uint, d.function, k_mix_first, k_mix_second);
  out += fmt::format(
      "{1}{0} hybrid_slot({0} id, {0} size, {0} half_bits) {{\n  do {{\n"
      "    {0} left = id >> half_bits, right = id & ((1u << half_bits) - 1u);\n",
      d.uint, d.function);
  for (size_t i = 0; i < keys.size(); ++i)
    out += fmt::format("    {0} ^= hybrid_mix({1}, {2}u, half_bits);\n", i % 2 ? "right" : "left",
                       i % 2 ? "left" : "right", keys[i]);
  out += "    id = left << half_bits | right;\n  } while (id >= size);\n  return id;\n}\n";
  out += fmt::format(
      "{1}{0} hybrid_id({0} slot, {0} size, {0} half_bits) {{\n  do {{\n"
      "    {0} left = slot >> half_bits, right = slot & ((1u << half_bits) - 1u);\n",
      d.uint, d.function);
  for (size_t i = keys.size(); i-- > 0;)
    out += fmt::format("    {0} ^= hybrid_mix({1}, {2}u, half_bits);\n", i % 2 ? "right" : "left",
                       i % 2 ? "left" : "right", keys[i]);
  return out + "    slot = left << half_bits | right;\n  } while (slot >= size);\n  return slot;\n}\n\n";
}

std::string role(const Plan& p, const Dialect& d) {
  const uint32_t t = p.layout.threads, used = participants(p.layout);
  switch (p.layout.mapping) {
    case Mapping::plain:
      return fmt::format("  const {0} thread = gid;\n{2}  const bool takes_part = gid < {1}u;\n", d.uint, t,
                         d.instance ? fmt::format("  const {} instance = 0u;\n", d.uint) : "");
    case Mapping::round_robin:
      return fmt::format(
          "  const {0} thread = gid % {1}u;\n  const {0} instance = gid / {1}u;\n  const bool takes_part = instance < "
          "{2}u;\n",
          d.uint, t, p.instances);
    case Mapping::chunked:
      return fmt::format(
          "  const {0} thread = gid / {1}u;\n  const {0} instance = gid % {1}u;\n  const bool takes_part = thread < "
          "{2}u;\n",
          d.uint, p.instances, t);
    case Mapping::hybrid: {
      const auto draw = permutation(used, p.layout.seed);
      return fmt::format(
          "  {0} thread = 0u;\n  {0} instance = 0u;\n  const bool takes_part = gid < {1}u;\n  if (takes_part) {{\n"
          "    instance = hybrid_slot(gid, {1}u, {2}u) / {3}u;\n"
          "    for ({0} j = 0u; j < {3}u; ++j) thread += hybrid_id(instance * {3}u + j, {1}u, {2}u) < gid ? 1u : 0u;\n "
          " }}\n",
          d.uint, used, draw.half_bits, t);
    }
    case Mapping::paired: {
      const uint32_t together = std::min(t, 2u);
      return fmt::format(
          "  const bool together = gid < {1}u;\n  const {0} thread = together ? gid % {2}u : gid / {3}u;\n"
          "  const {0} instance = together ? gid / {2}u : gid % {3}u;\n  const bool takes_part = gid < {4}u;\n",
          d.uint, together * p.instances, together, p.instances, used);
    }
    case Mapping::table:  // check() of export.cpp refuses it
      break;
  }
  return "";
}

std::string word_of(const Plan& p, size_t location) {
  std::string out = "memory";
  if (location > 0) out += fmt::format(" + {}u", location * p.words);
  if (p.instances > 1) out += p.padding == 1 ? " + instance" : fmt::format(" + instance * {}u", p.padding);
  return out;
}

std::vector<bool> used_locations(const axb::Test& test) {
  std::vector<bool> used(test.locations.size());
  for (const auto& thread : test.threads)
    for (const auto& i : thread.code) used[i.location] = true;
  return used;
}

std::string threads(const Plan& p, const Dialect& d, int indent) {
  const std::string in(static_cast<size_t>(indent), ' ');
  std::string out;
  for (uint32_t k = 0; k < p.test->threads.size(); ++k) {
    const auto& code = p.test->threads[k].code;
    if (code.empty()) {
      out += fmt::format("{}// Thread {} has no code: it ends at once.\n", in, k);
      continue;
    }
    out += fmt::format(
        "{0}if (thread == {1}u) {{\n{0}  {2} pc = 0u;\n{0}  while (pc != {3}u{4}) {{\n{0}    switch (pc) {{\n", in, k,
        d.uint, code.size(), d.going);
    for (uint32_t pc = 0; pc < code.size(); ++pc) {
      const auto& i = code[pc];
      const std::string where = p.locations[i.location] + std::string(d.index);
      const std::string access =
          i.exchanges ? fmt::format("exchange({}, {}u)", where, i.value) : fmt::format("fetch({})", where);
      std::string step = i.jump == pc + 1 ? fmt::format("{}; pc = {}u;", access, pc + 1)
                                          : fmt::format("pc = {} == {}u ? {}u : {}u;", access, i.check, i.jump, pc + 1);
      out +=
          fmt::format("{}      case {}u: {} break;  // {}\n", in, pc, step, one_line(axb::to_string(*p.test, k, pc)));
    }
    out += fmt::format("{0}    }}\n{0}  }}\n", in);
    if (!d.going.empty()) out += fmt::format("{}  ended = pc == {}u;\n", in, code.size());
    out += in + "}\n";
  }
  return out;
}

}  // namespace fencepost::exports
