#include "alike.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "prog/syntax.h"

namespace fencepost::fuzz {

void make_alike(Rng& rng, Program& p) {
  if (p.threads.empty() || p.syntax == prog::Syntax::gpu_ptx) return;
  if (p.threads.size() < 2 || (p.threads.size() == 2 && rng.chance(0.5))) p.threads.push_back(p.threads.front());
  const size_t first = rng.below(p.threads.size() > 2 ? 2 : 1);
  const std::vector<ThreadText> before = p.threads;
  for (size_t t = first + 1; t < p.threads.size(); ++t) {
    p.threads[t].items = p.threads[first].items;
    if (rng.chance(0.6)) p.threads[t].place = p.threads[first].place;
  }
  // Nearly the same, which must be noticed.
  if (!in_c(p.syntax) && rng.chance(0.2)) {
    const size_t t = first + 1 + rng.below(p.threads.size() - first - 1);
    auto& items = p.threads[t].items;
    const auto& others = before[t].items;
    const std::string& other = others.empty() ? std::string() : others[rng.below(others.size())];
    if (!items.empty() && !other.empty() && items.back().find("LC") == std::string::npos &&
        other.find("LC") == std::string::npos && other.find("B") == std::string::npos)
      items.back() = other;
  }
  if (in_c(p.syntax) || !rng.chance(0.5)) return;
  // Each copy its own location; the others keep what they have.
  const std::string shared(1, rng.chance(0.5) ? 'x' : 'y');
  const std::regex word("\\b" + shared + "\\b");
  std::vector<std::string> init;
  for (const std::string& entry : p.init)
    if (std::regex_search(entry, word) && entry.find(" aliases ") != std::string::npos) return;
  for (size_t t = first; t < p.threads.size(); ++t) {
    const std::string own = fmt::format("{}own{}", shared, t);
    for (std::string& item : p.threads[t].items) item = std::regex_replace(item, word, own);
    for (const std::string& entry : p.init)
      if (std::regex_search(entry, word)) init.push_back(std::regex_replace(entry, word, own));
  }
  for (std::string& entry : init)
    if (const size_t zero = entry.find("= 0"); zero != std::string::npos && rng.chance(0.1)) entry[zero + 2] = '1';
  p.init.insert(p.init.end(), init.begin(), init.end());
}

void ask_alike(const Program& p, Question& q) {
  const auto own = [](const std::string& name, size_t t) {
    const std::string tail = fmt::format("own{}", t);
    return name.size() == tail.size() + 1 && name.ends_with(tail);
  };
  // As the code would read for thread 0.
  const auto plain = [&](size_t t) {
    std::vector<std::string> items = p.threads[t].items;
    for (std::string& i : items) i = std::regex_replace(i, std::regex(fmt::format("own{}\\b", t)), "");
    return items;
  };
  for (size_t a = 0; a < p.threads.size(); ++a)
    for (size_t b = a + 1; b < p.threads.size(); ++b) {
      if (plain(a) != plain(b)) continue;
      std::vector<Conjunction> more;
      for (Conjunction c : q.disjuncts) {
        for (Atom& atom : c) {
          if (atom.thread == static_cast<int>(a))
            atom.thread = static_cast<int>(b);
          else if (atom.thread == static_cast<int>(b))
            atom.thread = static_cast<int>(a);
          else if (atom.thread < 0 && own(atom.name, a))
            atom.name = fmt::format("{}own{}", atom.name[0], b);
          else if (atom.thread < 0 && own(atom.name, b))
            atom.name = fmt::format("{}own{}", atom.name[0], a);
        }
        if (std::find(q.disjuncts.begin(), q.disjuncts.end(), c) == q.disjuncts.end() &&
            std::find(more.begin(), more.end(), c) == more.end())
          more.push_back(std::move(c));
      }
      q.disjuncts.insert(q.disjuncts.end(), more.begin(), more.end());
    }
}

}  // namespace fencepost::fuzz
