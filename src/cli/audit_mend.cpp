// One inserted line that mends a race which prove has found: a barrier of the block between the two accesses, or a
// fence beside an atomic operation between them. Nothing is known of it but what prove says of the changed text.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "cli/audit.h"

namespace fencepost::cli::audit {
namespace {

struct Pair {
  size_t first = 0, second = 0;  // lines, ascending
  bool confirmed = false, one_block = false;
  auto key() const { return std::pair(first, second); }
};

std::string text_at(const Json& j, const char* key) { return j.contains(key) && j[key].is_string() ? j[key] : ""; }

// The races of prove's rows whose two accesses stand in this file; confirmed ones first, then near ones.
std::vector<Pair> pairs_of(const std::vector<Json>& rows, const std::string& path) {
  std::vector<Pair> out;
  for (const Json& row : rows)
    for (const Json& f : row.value("findings", Json::array())) {
      const Json threads = f.value("threads", Json::array());
      if (text_at(f, "kind") != "data-race" || threads.size() != 2) continue;
      std::vector<size_t> lines;
      for (const Json& t : threads)
        if (t.contains("place") && t["place"].is_object() && text_at(t["place"], "file") == path)
          lines.push_back(t["place"].value("line", size_t{0}));
      if (lines.size() != 2) continue;
      Pair p{std::min(lines[0], lines[1]), std::max(lines[0], lines[1]), f.value("confirmed", false),
             threads[0].value("group_id", Json()) == threads[1].value("group_id", Json())};
      if (std::ranges::none_of(out, [&](const Pair& o) { return o.key() == p.key(); })) out.push_back(p);
    }
  std::ranges::stable_sort(out, [](const Pair& a, const Pair& b) {
    return a.confirmed != b.confirmed ? a.confirmed : a.second - a.first < b.second - b.first;
  });
  return out;
}

struct Change {
  size_t line = 0;  // before which it stands
  std::string text;
};

// Whether a statement may be put before this line without becoming another's body.
bool begins_statement(const std::vector<std::string>& lines, size_t line) {
  for (size_t k = line - 1; k-- > 0;) {
    std::string before = lines[k].substr(0, lines[k].find("//"));
    before.erase(before.find_last_not_of(" \t\r") + 1);
    if (before.empty()) continue;
    return before.back() == ';' || before.back() == '{' || before.back() == '}' || before.ends_with("*/");
  }
  return false;
}

// Places between the two accesses where a barrier may stand, from the second on upwards: the nearest, and the nearest
// with fewer braces around it, since all threads have to come there.
std::vector<size_t> places_between(const Pair& p, const std::vector<std::string>& lines) {
  std::vector<size_t> out;
  std::vector<int> depth(lines.size() + 1, 0);  // of braces, before a line
  for (size_t k = 0; k < lines.size(); ++k)
    depth[k + 1] = depth[k] + static_cast<int>(std::ranges::count(lines[k], '{') - std::ranges::count(lines[k], '}'));
  int least = -1;
  for (size_t n = std::min(p.second, lines.size()); n > p.first; --n) {
    if (!begins_statement(lines, n) || (least >= 0 && depth[n - 1] >= least)) continue;
    least = depth[n - 1];
    out.push_back(n);
  }
  return out;
}

std::vector<Change> changes_for(const Pair& p, const std::vector<std::string>& lines, bool opencl) {
  std::vector<Change> out;
  const auto add = [&](size_t line, const char* text) {
    if (line > 1 && line <= lines.size() && begins_statement(lines, line)) out.push_back({line, text});
  };
  const char* barrier = opencl ? "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);" : "__syncthreads();";
  if (p.one_block) {
    for (const size_t n : places_between(p, lines)) add(n, barrier);
    add(p.second + 1, barrier);  // at the end of a loop whose next round reads
    if (p.first != p.second) add(p.first, barrier);
    if (!opencl) add(p.second + 1, "__syncwarp();");
    if (!opencl) add(p.second, "__syncwarp();");
  }
  if (opencl) return out;
  for (size_t n = p.first; n <= p.second && n <= lines.size() && out.size() < 8; ++n)
    if (lines[n - 1].find("atomic") != std::string::npos && lines[n - 1].find("//") != 0 && n > p.first)
      add(n, "__threadfence();"), add(n + 1, "__threadfence();");
  return out;
}

std::string with(const std::vector<std::string>& lines, const Change& c) {
  std::string out;
  for (size_t k = 0; k < lines.size(); ++k) {
    // On one line with what follows, so that no other line moves.
    if (k + 1 == c.line) out += c.text + " ";
    out += lines[k] + "\n";
  }
  return out;
}

}  // namespace

void mend(std::vector<Json>& rows, const std::string& path, const std::string& text,
          const std::function<std::vector<Json>(const std::string& changed)>& prove) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string l; std::getline(in, l);) lines.push_back(std::move(l));
  std::vector<Pair> open = pairs_of(rows, path);
  std::set<std::pair<size_t, size_t>> known;
  for (const Pair& p : open) known.insert(p.key());
  std::set<std::pair<size_t, std::string>> tried;
  const auto defects = [](const std::vector<Json>& of) {
    size_t n = 0;
    for (const Json& row : of)
      for (const Json& f : row.value("findings", Json::array())) n += text_at(f, "kind") != "data-race";
    return n;
  };
  while (!open.empty()) {
    const Pair p = open.front();
    open.erase(open.begin());
    for (const Change& c : changes_for(p, lines, path.ends_with(".cl"))) {
      if (!tried.emplace(c.line, c.text).second) continue;
      const std::vector<Json> after = prove(with(lines, c));
      if (after.empty()) continue;
      const auto decided = [](const Json& row) {
        const std::string v = text_at(row, "verdict");
        return v == "holds" || (v == "fails" && text_at(row, "detail").empty());
      };
      std::set<std::pair<size_t, size_t>> left;
      for (const Pair& q : pairs_of(after, path)) left.insert(q.key());
      if (!std::ranges::all_of(after, decided) || left.contains(p.key()) || defects(after) > defects(rows) ||
          !std::ranges::includes(known, left))
        continue;
      for (Json& row : rows)
        for (Json& f : row["findings"]) {
          const std::vector<Pair> of = pairs_of({{{"findings", Json::array({f})}}}, path);
          if (!of.empty() && !left.contains(of.front().key()) && !f.contains("mend"))
            f["mend"] = {{"line", c.line}, {"text", fmt::format("line {}: insert {}", c.line, c.text)}};
        }
      std::erase_if(open, [&](const Pair& q) { return !left.contains(q.key()); });
      break;
    }
  }
}

}  // namespace fencepost::cli::audit
