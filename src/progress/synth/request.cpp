// Requests as text and back, and what is refused before any work.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "synth/code.h"

namespace fencepost::synth {
namespace {

struct Named {
  const char* name;
  const char* meaning;
};
constexpr std::array<Named, k_constraints> k_names = {{
    {"ends", "from every reachable state the end of all threads can be reached"},
    {"no-surplus-threads", "every thread takes some step"},
    {"no-surplus-locations", "every location is named by some instruction"},
    {"interesting", "the reachable graph has a cycle"},
    {"comparisons", "an instruction whose two ways are the same exchanges and compares with 0"},
    {"stores",
     "what is exchanged is branched on by another thread and changes memory; what is branched on is named by another "
     "thread"},
    {"branches", "every branch is reached with its value equal and with it different"},
}};

std::vector<std::string> words(std::string_view text, char separator) {
  std::vector<std::string> r;
  size_t at = 0;
  while (at <= text.size()) {
    const size_t end = std::min(text.find(separator, at), text.size());
    std::string w(text.substr(at, end - at));
    w.erase(0, w.find_first_not_of(" \t") == std::string::npos ? w.size() : w.find_first_not_of(" \t"));
    while (!w.empty() && (w.back() == ' ' || w.back() == '\t')) w.pop_back();
    r.push_back(std::move(w));
    at = end + 1;
  }
  return r;
}

Span place(const SourcePtr& source) { return {source, 0, static_cast<uint32_t>(source->text.size())}; }

std::unexpected<Diagnostics> unknown_word(const char* what, std::string_view text, const std::string& word,
                                          const std::vector<std::string>& known) {
  const SourcePtr source = make_source(std::string("<") + what + ">", std::string(text));
  Span span = place(source);
  if (const size_t at = text.find(word); !word.empty() && at != std::string_view::npos)
    span = {source, static_cast<uint32_t>(at), static_cast<uint32_t>(at + word.size())};
  std::string hint;
  if (const std::string near = nearest(word, known); !near.empty()) {
    hint = "did you mean '" + near + "'?";
  } else {
    for (const auto& k : known) hint += (hint.empty() ? "one of: " : ", ") + k;
  }
  return error_at(span, "there is no " + std::string(what) + " '" + word + "'", hint);
}

}  // namespace

const char* name(Constraint c) { return k_names[static_cast<size_t>(c)].name; }
const char* meaning(Constraint c) { return k_names[static_cast<size_t>(c)].meaning; }

Expected<Constraints> parse_constraints(std::string_view text) {
  std::vector<std::string> known = {"all", "none"};
  for (const Named& n : k_names) known.emplace_back(n.name);
  Constraints r = Constraints::none();
  bool first = true;
  for (std::string w : words(text, ',')) {
    const bool away = !w.empty() && w[0] == '-';
    if (away) {
      w.erase(0, 1);
      if (first) r = Constraints::all();
    }
    std::replace(w.begin(), w.end(), '_', '-');
    first = false;
    if (w == "all" && !away) {
      r = Constraints::all();
    } else if (w == "none" && !away) {
      r = Constraints::none();
    } else {
      const auto at = std::find_if(k_names.begin(), k_names.end(), [&](const Named& n) { return w == n.name; });
      if (at == k_names.end()) return unknown_word("constraint", text, w, known);
      const auto c = static_cast<Constraint>(at - k_names.begin());
      r = away ? r.without(c) : r.with(c);
    }
  }
  return r;
}

std::string to_string(Constraints c) {
  if (c == Constraints::all()) return "all";
  std::string s;
  for (uint32_t k = 0; k < k_constraints; ++k)
    if (c.has(static_cast<Constraint>(k))) s += fmt::format("{}{}", s.empty() ? "" : ",", k_names[k].name);
  return s.empty() ? "none" : s;
}

namespace {
constexpr std::array<const char*, 5> k_kinds = {"any", "store", "check", "exch_branch", "chk_branch"};
constexpr std::array<const char*, 5> k_targets = {"any", "self", "back", "forward", "end"};
}  // namespace

Expected<Shape> parse_shape(std::string_view text) {
  std::vector<std::string> parts = words(text, ' ');
  std::erase(parts, "");
  Shape s;
  const std::vector<std::string> kinds(k_kinds.begin(), k_kinds.end()), targets(k_targets.begin(), k_targets.end());
  if (parts.empty()) return unknown_word("instruction shape", text, "", kinds);
  const auto kind = std::find(kinds.begin(), kinds.end(), parts[0]);
  if (kind == kinds.end()) return unknown_word("instruction shape", text, parts[0], kinds);
  s.kind = static_cast<Shape::Kind>(kind - kinds.begin());
  if (parts.size() > 1) {
    const auto target = std::find(targets.begin(), targets.end(), parts[1]);
    if (target == targets.end()) return unknown_word("jump target", text, parts[1], targets);
    s.target = static_cast<Shape::Target>(target - targets.begin());
  }
  if (parts.size() > 2) return unknown_word("instruction shape", text, parts[2], {});
  if ((s.kind == Shape::Kind::store || s.kind == Shape::Kind::check) && s.target != Shape::Target::any)
    return error_at(
        place(make_source("<instruction shape>", std::string(text))),
        std::string("a ") + k_kinds[static_cast<size_t>(s.kind)] + " goes to the next instruction and has no target",
        "leave out '" + parts[1] + "'");
  return s;
}

Expected<std::vector<Shape>> parse_shapes(std::string_view text) {
  std::vector<Shape> r;
  for (const std::string& w : words(text, ',')) {
    auto s = parse_shape(w);
    if (!s) return std::unexpected(s.error());
    r.push_back(*s);
  }
  return r;
}

std::string to_string(const Shape& s) {
  std::string r = k_kinds[static_cast<size_t>(s.kind)];
  if (s.target != Shape::Target::any) r += std::string(" ") + k_targets[static_cast<size_t>(s.target)];
  return r;
}

Expected<Symmetry> parse_symmetry(std::string_view text) {
  Symmetry s{false, false, false};
  for (const std::string& w : words(text, ',')) {
    if (w == "none") {
      s = {false, false, false};
    } else if (w == "locations") {
      s.locations = true;
    } else if (w == "threads") {
      s.threads = true;
    } else if (w == "values") {
      s.values = true;
    } else {
      return unknown_word("symmetry", text, w, {"none", "locations", "threads", "values"});
    }
  }
  if ((s.threads || s.values) && !s.locations)
    return error_at(place(make_source("<symmetry>", std::string(text))),
                    "symmetry of threads or values needs that of locations too", "write locations,threads");
  return s;
}

Expected<void> validate(const Request& r) {
  const auto bad = [](const std::string& what, const std::string& hint) { return error_at(Span{}, what, hint); };
  const uint32_t threads = r.per_thread.empty() ? r.threads : static_cast<uint32_t>(r.per_thread.size());
  const uint32_t instructions =
      r.per_thread.empty() ? r.instructions : std::accumulate(r.per_thread.begin(), r.per_thread.end(), 0u);
  const auto range = [&](const char* what, uint32_t n, uint32_t max) -> Expected<void> {
    if (n >= 1 && n <= max) return {};
    return bad("synthesis takes 1 to " + std::to_string(max) + " " + what + ", not " + std::to_string(n), "");
  };
  if (auto e = range("threads", threads, k_max_threads); !e) return e;
  if (auto e = range("instructions", instructions, k_max_instructions); !e) return e;
  if (auto e = range("locations", r.locations, k_max_locations); !e) return e;
  if (auto e = range("values", r.values, k_max_values); !e) return e;
  const bool empty_thread = std::find(r.per_thread.begin(), r.per_thread.end(), 0u) != r.per_thread.end();
  if (r.constraints.has(Constraint::no_surplus_threads) && (empty_thread || instructions < threads))
    return bad("every thread needs an instruction, and there are " + std::to_string(instructions) + " for " +
                   std::to_string(threads) + " threads",
               "threads without code are allowed without the constraint no-surplus-threads");
  // The largest graph is that of the most even split.
  uint64_t states = 1;
  for (uint32_t x = 0; x < std::min(r.locations, instructions); ++x) states *= r.values;
  for (uint32_t t = 0; t < threads; ++t) {
    const uint32_t n =
        r.per_thread.empty() ? instructions / threads + (t < instructions % threads ? 1 : 0) : r.per_thread[t];
    states *= n + 1;
  }
  if (states > k_max_states)
    return bad("tests of this size have up to " + std::to_string(states) + " states each, and synthesis handles " +
                   std::to_string(k_max_states),
               "take fewer threads, locations or values");
  return {};
}

std::string config_name(const Request& r) {
  if (r.per_thread.empty()) return fmt::format("{}t{}i", r.threads, r.instructions);
  return fmt::format("{}t{}i({})", r.per_thread.size(), std::accumulate(r.per_thread.begin(), r.per_thread.end(), 0u),
                     fmt::join(r.per_thread, ","));
}

}  // namespace fencepost::synth
