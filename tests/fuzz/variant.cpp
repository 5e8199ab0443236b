#include "variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

namespace fencepost::fuzz {

namespace {

// Every match, with what stands around it left as it is.
std::string replaced(const std::string& text, const std::regex& what,
                     const std::function<std::string(const std::smatch&)>& by) {
  std::string out;
  auto from = text.cbegin();
  for (std::sregex_iterator it(text.begin(), text.end(), what), end; it != end; ++it) {
    out.append(from, (*it)[0].first);
    out += by(*it);
    from = (*it)[0].second;
  }
  out.append(from, text.cend());
  return out;
}

const std::regex k_word("[A-Za-z_][A-Za-z0-9_]*");
constexpr int k_register_shift = 11, k_label_shift = 30, k_place_shift = 3;

std::string renamed_word(const std::string& w) {
  static const std::regex location("[xyzabABC]|[xy]own[0-9]+"), reg("r[0-9]+"), label("LC[0-9]+"), barrier("B[0-9]");
  if (std::regex_match(w, location)) return "m_" + w;
  if (std::regex_match(w, reg)) return fmt::format("r{}", std::stoi(w.substr(1)) + k_register_shift);
  if (std::regex_match(w, label)) return fmt::format("LC{:02}", std::stoi(w.substr(2)) + k_label_shift);
  if (std::regex_match(w, barrier)) return w + "7";
  return w;
}

std::string renamed_text(const std::string& text) {
  return replaced(text, k_word, [](const std::smatch& m) { return renamed_word(m.str()); });
}

std::string original_name(const std::string& observable) {
  return replaced(observable, k_word, [](const std::smatch& m) {
    const std::string w = m.str();
    if (w.starts_with("m_")) return w.substr(2);
    if (w[0] == 'r') return fmt::format("r{}", std::stoi(w.substr(1)) - k_register_shift);
    return w;
  });
}

// bar.cta.sync 1, ... with another number; even and odd ones change places.
std::string other_barrier(const std::string& item) {
  static const std::regex barrier("^(bar\\.cta\\.(?:sync|arrive) )([0-9]+)(.*)$");
  std::smatch m;
  if (!std::regex_match(item, m, barrier)) return item;
  return fmt::format("{}{}{}", m.str(1), std::stoul(m.str(2)) ^ 1u, m.str(3));
}

void each_atom(Program& p, const std::function<void(Atom&)>& change) {
  for (Atom& a : p.filter) change(a);
  for (Conjunction& c : p.question.disjuncts)
    for (Atom& a : c) change(a);
}

}  // namespace

Variant permuted(const Program& p, const std::vector<size_t>& order) {
  Variant v{p, {}};
  std::vector<size_t> now(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    v.program.threads[i] = p.threads[order[i]];
    now[order[i]] = i;
  }
  const auto moved = [&](const std::string& number) { return std::to_string(now[std::stoul(number)]); };
  for (auto& [a, b] : v.program.ssw)
    a = static_cast<int>(now[static_cast<size_t>(a)]), b = static_cast<int>(now[static_cast<size_t>(b)]);
  static const std::regex owner("^([0-9]+):"), leaf("\\bT([0-9]+)\\b");
  for (std::string& entry : v.program.init)
    entry = replaced(entry, owner, [&](const std::smatch& m) { return moved(m.str(1)) + ":"; });
  for (std::string& d : v.program.declarations)
    d = replaced(d, leaf, [&](const std::smatch& m) { return "T" + moved(m.str(1)); });
  // Local memory is called after the first thread of its group.
  static const std::regex instance("@P([0-9]+)"), inner("(warp|sg) [0-9]+,? *");
  std::vector<size_t> first;
  for (const ThreadText& t : p.threads) {
    const auto group = [](const ThreadText& one) { return std::regex_replace(one.place, inner, ""); };
    const auto at = std::find_if(p.threads.begin(), p.threads.end(),
                                 [&](const ThreadText& other) { return group(other) == group(t); });
    first.push_back(static_cast<size_t>(at - p.threads.begin()));
  }
  each_atom(v.program, [&](Atom& a) {
    if (a.thread >= 0) a.thread = static_cast<int>(now[static_cast<size_t>(a.thread)]);
    a.name = replaced(a.name, instance, [&](const std::smatch& m) { return "@P" + moved(m.str(1)); });
  });
  v.called = [order, first](const std::string& observable) {
    const std::string text = replaced(
        observable, owner, [&](const std::smatch& m) { return std::to_string(order[std::stoul(m.str(1))]) + ":"; });
    return replaced(text, instance,
                    [&](const std::smatch& m) { return fmt::format("@P{}", first[order[std::stoul(m.str(1))]]); });
  };
  return v;
}

Variant renamed(const Program& p) {
  Variant v{p, original_name};
  static const std::regex place("\\b(cta|cluster|gpu|sg|wg|qf|dev|block|device|warp) ([0-9]+)");
  const bool numbers = !p.classes.contains("barrier register");
  for (ThreadText& t : v.program.threads) {
    t.place = replaced(t.place, place, [](const std::smatch& m) {
      return fmt::format("{} {}", m.str(1), std::stoul(m.str(2)) + k_place_shift);
    });
    for (std::string& item : t.items) item = renamed_text(numbers ? other_barrier(item) : item);
  }
  for (std::string& entry : v.program.init) entry = renamed_text(entry);
  for (std::string& d : v.program.declarations) d = renamed_text(d);
  v.program.parameters = renamed_text(p.parameters);
  each_atom(v.program, [](Atom& a) { a.name = renamed_text(a.name); });
  return v;
}

std::optional<Variant> with_location(const Program& p) {
  if (p.syntax == prog::Syntax::gpu_ptx) return std::nullopt;
  Variant v{p, [](const std::string& o) { return o == "unrelated" ? std::string() : o; }};
  v.program.init.push_back(p.syntax == prog::Syntax::opencl ? "[unrelated] = 3" : "unrelated = 3");
  if (p.syntax == prog::Syntax::opencl) v.program.parameters += ", global int* unrelated";
  if (p.syntax == prog::Syntax::cuda) v.program.parameters += ", int* unrelated";
  return v;
}

std::optional<Variant> with_register_barriers(const Program& p, bool hidden) {
  static const std::regex barrier("^(bar\\.cta\\.(?:sync|arrive)) ([^,]*)(, .*)?$");
  if (p.syntax != prog::Syntax::ptx) return std::nullopt;
  Variant v{p, [](const std::string& o) { return o.ends_with(":r90") || o.ends_with(":r91") ? std::string() : o; }};
  v.program.classes.insert("barrier register");
  bool some = false;
  for (ThreadText& t : v.program.threads) {
    std::map<std::string, std::string> set;  // number -> register
    for (std::string& item : t.items) {
      std::smatch m;
      if (!std::regex_match(item, m, barrier)) continue;
      if (m[3].matched) return std::nullopt;
      const std::string number = m.str(2);
      if (number[0] == 'r') continue;
      const std::string r = set.emplace(number, fmt::format("r{}", 90 + set.size())).first->second;
      if (set.size() > 2) return std::nullopt;
      item = m.str(1) + " " + r;
      some = true;
    }
    std::vector<std::string> before;
    if (hidden && !set.empty()) before.emplace_back("bne 0, 0, LC99");
    for (const auto& [number, r] : set) before.push_back(fmt::format("add {}, {}, 0", r, number));
    if (hidden && !set.empty()) before.emplace_back("LC99:");
    t.items.insert(t.items.begin(), before.begin(), before.end());
  }
  if (!some) return std::nullopt;
  return v;
}

std::optional<std::pair<Program, Program>> with_failing_exchanges(const Program& p) {
  static const std::regex exchange(
      "^int (r[0-9]+) = atomic_compare_exchange_strong_explicit\\((.*), &(r[0-9]+), [^,]*, memory_order_[a-z_]*, "
      "memory_order_([a-z_]*), ([a-z_]*)\\);$");
  // What is written must not depend on what was read: without an axiom against values out of thin air the expected
  // value could come from nowhere, through two threads that each write what the other has written, and be met.
  static const std::regex copies(
      "atomic_fetch_|atomic_(store|exchange)_explicit\\([^,]*, *[^0-9, ]|"
      "atomic_compare_exchange_[a-z]*_explicit\\([^,]*,[^,]*, *[^0-9, ]|"
      "(^|[{;] *)[^={]*[^ ={] = r[0-9]+( [+] 1)?;");
  if (p.syntax != prog::Syntax::opencl) return std::nullopt;
  for (const ThreadText& t : p.threads)
    for (const std::string& item : t.items)
      if (std::regex_search(item, copies)) return std::nullopt;
  std::pair<Program, Program> out{p, p};
  bool some = false;
  for (size_t t = 0; t < p.threads.size(); ++t)
    for (size_t i = 0; i < p.threads[t].items.size(); ++i) {
      std::smatch m;
      const std::string& item = p.threads[t].items[i];
      if (!std::regex_match(item, m, exchange)) continue;
      const std::regex expected("^([a-z]+ " + m.str(3) + " = )[0-9]+;$");
      for (Program* q : {&out.first, &out.second})
        for (std::string& other : q->threads[t].items)
          other = std::regex_replace(other, expected,
                                     "$01"
                                     "77;");
      out.second.threads[t].items[i] = fmt::format("{} = atomic_load_explicit({}, memory_order_{}, {}); int {} = 0;",
                                                   m.str(3), m.str(2), m.str(4), m.str(5), m.str(1));
      some = true;
    }
  if (!some) return std::nullopt;
  return out;
}

}  // namespace fencepost::fuzz
