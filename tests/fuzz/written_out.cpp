#include "written_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

namespace fencepost::fuzz {
namespace {

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(" \t");
  return first == std::string::npos ? "" : s.substr(first, s.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> out(1);
  for (char c : row) {
    if (c == ';') break;
    if (c == '|')
      out.emplace_back();
    else
      out.back() += c;
  }
  for (std::string& s : out) s = trimmed(s);
  return out;
}

bool is_label(const std::string& item) { return item.back() == ':'; }
bool is_jump(const std::string& item) {
  for (const char* word : {"goto ", "beq ", "bne ", "blt ", "bgt ", "ble ", "bge "})
    if (item.starts_with(word)) return true;
  return false;
}
std::string target_of(const std::string& jump) { return jump.substr(jump.find_last_of(" ") + 1); }

// One column of instructions.
class Column {
 public:
  Column(std::vector<std::string> items, uint32_t thread, const BoundOf& bound)
      : items_(std::move(items)), thread_(thread), bound_(bound) {
    for (size_t i = 0; i < items_.size(); ++i)
      if (is_label(items_[i])) at_[items_[i].substr(0, items_[i].size() - 1)] = i;
    std::map<std::string, size_t> last;
    for (size_t i = 0; i < items_.size(); ++i)
      if (is_jump(items_[i]) && at_.at(target_of(items_[i])) <= i) last[target_of(items_[i])] = i;
    for (const auto& [label, end] : last) loops_.push_back({label, at_.at(label), end});
    for (bool again = true; again;) {
      again = false;
      for (Loop& outer : loops_)
        for (const Loop& inner : loops_)
          if (inner.begin > outer.begin && inner.begin <= outer.end && inner.end > outer.end) {
            outer.end = inner.end;
            again = true;
          }
    }
  }

  std::vector<std::string> write() {
    const size_t first = visit(0, std::vector<uint32_t>(loops_.size(), 0));
    std::reverse(order_.begin(), order_.end());
    std::vector<std::string> out;
    if (first != k_end && order_.front() != first) out.push_back("goto " + name(first));
    for (size_t k = 0; k < order_.size(); ++k) {
      const Copy& c = copies_[order_[k]];
      out.push_back(name(order_[k]) + ":");
      const std::string& item = items_[c.pc];
      bool falls = true;
      if (is_jump(item)) {
        out.push_back(item.substr(0, item.find_last_of(" ") + 1) + name(c.jumps));
        falls = !item.starts_with("goto");
      } else if (!is_label(item)) {
        out.push_back(item);
      }
      if (falls && (k + 1 == order_.size() || order_[k + 1] != c.falls)) out.push_back("goto " + name(c.falls));
    }
    out.push_back(name(k_stop) + ":");
    out.push_back("ld r99, 1");
    out.push_back(name(k_end) + ":");
    return out;
  }

 private:
  static constexpr size_t k_end = 1000000, k_stop = 1000001;
  struct Loop {
    std::string label;
    size_t begin, end;
  };
  struct Copy {
    size_t pc = 0, falls = k_end, jumps = k_end;
  };

  static std::string name(size_t copy) {
    return copy == k_end ? "LC9999" : copy == k_stop ? "LC9998" : fmt::format("LC{}", copy);
  }

  // The copy of instruction `pc` with these counts of jumps back, by loop.
  size_t visit(size_t pc, std::vector<uint32_t> counts) {
    if (pc >= items_.size()) return k_end;
    for (size_t l = 0; l < loops_.size(); ++l)
      if (pc < loops_[l].begin || pc > loops_[l].end) counts[l] = 0;
    const auto [known, fresh] = known_.emplace(std::pair{pc, counts}, copies_.size());
    if (!fresh) return known->second;
    const size_t me = copies_.size();
    copies_.push_back({pc, k_end, k_end});
    if (is_jump(items_[pc])) {
      const std::string label = target_of(items_[pc]);
      const size_t to = at_.at(label);
      std::vector<uint32_t> then = counts;
      bool stops = false;
      if (to <= pc) {
        size_t l = 0;
        while (loops_[l].label != label) ++l;
        stops = ++then[l] >= bound_(thread_, label);
      }
      const size_t jumps = stops ? k_stop : visit(to, then);
      copies_[me].jumps = jumps;
    }
    const size_t falls = items_[pc].starts_with("goto ") ? k_end : visit(pc + 1, counts);
    copies_[me].falls = falls;
    order_.push_back(me);
    return me;
  }

  std::vector<std::string> items_;
  uint32_t thread_;
  const BoundOf& bound_;
  std::map<std::string, size_t> at_;
  std::vector<Loop> loops_;
  std::vector<Copy> copies_;
  std::map<std::pair<size_t, std::vector<uint32_t>>, size_t> known_;
  std::vector<size_t> order_;  // copies, when all that may follow have been visited
};

std::string question(const std::string& line, size_t threads) {
  const size_t open = line.find('(');
  const std::string quantifier = trimmed(line.substr(0, open)), body = trimmed(line.substr(open));
  const bool all = quantifier == "forall";
  std::string out = quantifier + " (" + body;
  for (size_t t = 0; t < threads; ++t) out += fmt::format(" {} P{}:r99 == {}", all ? "\\/" : "/\\", t, all ? 1 : 0);
  return out + ")\n";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string assembly(const std::string& text, const BoundOf& bound) {
  const auto lines = lines_of(text);
  std::string out;
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> items;
  size_t l = 0;
  // The title may begin with P too: the threads' line is the first with a '@'.
  for (l = 0; lines[l].find('@') == std::string::npos; ++l) out += lines[l] + "\n";
  heads = cells_of(lines[l++]);
  items.resize(heads.size());
  for (; l < lines.size() && lines[l].find(';') != std::string::npos && !lines[l].starts_with("locations"); ++l) {
    const auto row = cells_of(lines[l]);
    for (size_t t = 0; t < row.size(); ++t)
      if (!row[t].empty()) items[t].push_back(row[t]);
  }
  size_t rows = 0;
  for (uint32_t t = 0; t < items.size(); ++t) {
    items[t] = Column(std::move(items[t]), t, bound).write();
    rows = std::max(rows, items[t].size());
  }
  for (size_t t = 0; t < heads.size(); ++t) out += (t == 0 ? " " : " | ") + heads[t];
  out += " ;\n";
  for (size_t i = 0; i < rows; ++i) {
    for (size_t t = 0; t < items.size(); ++t)
      out += (t == 0 ? " " : " | ") + (i < items[t].size() ? items[t][i] : std::string());
    out += " ;\n";
  }
  for (; l < lines.size(); ++l) {
    if (!lines[l].starts_with("locations")) {
      out += question(lines[l], heads.size());
      continue;
    }
    std::string more;
    for (size_t t = 0; t < heads.size(); ++t) more += fmt::format(" {}:r99;", t);
    out += lines[l].substr(0, lines[l].rfind(']')) + more + "]\n";
  }
  return out;
}

// while (C) { S } of one line becomes if (C) { S if (C) { S r99 = 1; goto out; } }.
std::string structured(const std::string& text, const BoundOf& bound) {
  std::string out;
  size_t threads = 0;
  uint32_t construct = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("P")) {
      construct = 0;
      ++threads;
      out += line + "\n  int r99 = 0;\n";
    } else if (line == "}") {
      out += "  out: ;\n}\n";
    } else if (line.starts_with("  while (")) {
      const size_t open = line.find('{');
      const std::string head = line.substr(8, open - 8), body = line.substr(open + 1, line.rfind('}') - open - 1);
      const uint32_t times = bound(static_cast<uint32_t>(threads - 1), fmt::format("while.{}", construct++));
      std::string nested = "r99 = 1; goto out;";
      for (uint32_t k = 0; k < times; ++k) nested = fmt::format("if {}{{{}{} }}", head, body, nested);
      out += "  " + nested + "\n";
    } else if (line.starts_with("exists") || line.starts_with("forall") || line.starts_with("~exists")) {
      out += question(line, threads);
    } else {
      if (line.find("  if (") != std::string::npos) ++construct;
      out += line + "\n";
    }
  }
  return out;
}

}  // namespace

std::string written_out(const std::string& text, const BoundOf& bound) {
  return text.starts_with("OPENCL") ? structured(text, bound) : assembly(text, bound);
}

}  // namespace fencepost::fuzz
