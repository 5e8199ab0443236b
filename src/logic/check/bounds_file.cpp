#include "check/bounds_file.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "prog/test.h"

namespace fencepost::check {
namespace {

constexpr uint32_t k_most = 1000;  // as --bound

struct Word {
  std::string text;
  Span span;
};

class Reader {
 public:
  explicit Reader(SourcePtr source) : source_(std::move(source)) {}

  Expected<BoundsFile> read() {
    const std::string& text = source_->text;
    file_.span = {source_, 0, static_cast<uint32_t>(std::min(text.find('\n'), text.size()))};
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      if (auto ok = line(at, end); !ok) return std::unexpected(ok.error());
      at = end + 1;
    }
    if (file_.programs.empty())
      return error_at(file_.span, "a file of bounds names its program",
                      "write 'program FILE#TITLE' first, or make the file with --save-bounds");
    return std::move(file_);
  }

 private:
  std::vector<Word> words(size_t at, size_t end) const {
    std::vector<Word> out;
    const std::string& t = source_->text;
    const auto blank = [&](size_t i) { return t[i] == ' ' || t[i] == '\t' || t[i] == '\r'; };
    while (at < end) {
      if (blank(at)) {
        ++at;
        continue;
      }
      size_t stop = at;
      while (stop < end && !blank(stop)) ++stop;
      out.push_back({t.substr(at, stop - at), {source_, static_cast<uint32_t>(at), static_cast<uint32_t>(stop)}});
      at = stop;
    }
    return out;
  }

  Expected<void> line(size_t at, size_t end) {
    const auto w = words(at, end);
    if (w.empty() || w[0].text[0] == '#') return {};
    if (w[0].text == "program") {
      if (w.size() < 2) return error_at(w[0].span, "the program's name is missing", "write 'program FILE#TITLE'");
      const Span name{source_, w[1].span.begin, w.back().span.end};
      for (const ProgramBounds& p : file_.programs)
        if (p.program == name.text())
          return error_at(name, "this program has been here before", "put its loops together");
      file_.programs.push_back({std::string(name.text()), {}, name});
      return {};
    }
    if (w[0].text != "loop") {
      const std::string near = nearest(w[0].text, {"program", "loop"});
      return error_at(w[0].span, "a line begins with 'program' or 'loop'",
                      near.empty() ? "begin a comment with '#'" : "did you mean '" + near + "'?");
    }
    if (file_.programs.empty())
      return error_at(w[0].span, "this loop belongs to no program", "write 'program FILE#TITLE' before it");
    static const std::vector<std::string> keys = {"loop", "line", "threads", "bound"};
    for (size_t k = 0; k < keys.size(); ++k)
      if (w.size() <= 2 * k + 1 || w[2 * k].text != keys[k])
        return error_at(w[std::min(2 * k, w.size() - 1)].span, "'" + keys[k] + "' and its value are missing here",
                        "write 'loop LC00 line 12 threads P0 bound 4'");
    if (w.size() > 8)
      return error_at(w[8].span, "the line should end here", "begin a comment on a line of its own, with '#'");
    BoundsEntry e{w[1].text, 0, {}, 1, w[1].span, w[3].span, w[5].span};
    const auto line = number(w[3], 0, 0xffffffffu);
    if (!line) return std::unexpected(line.error());
    e.line = *line;
    const auto bound = number(w[7], 1, k_most);
    if (!bound) return std::unexpected(bound.error());
    e.bound = *bound;
    if (auto ok = threads(w[5], e.threads); !ok) return ok;
    file_.programs.back().loops.push_back(std::move(e));
    return {};
  }

  static std::optional<uint32_t> whole(std::string_view text) {
    uint32_t n = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return n;
  }

  static Expected<uint32_t> number(const Word& w, uint32_t least, uint32_t most) {
    const auto n = whole(w.text);
    if (!n || *n < least || *n > most)
      return error_at(
          w.span, "a whole number from " + std::to_string(least) + " to " + std::to_string(most) + " is needed here");
    return *n;
  }

  // P0-P2,P5
  static Expected<void> threads(const Word& w, std::vector<uint32_t>& out) {
    const auto one = [](std::string_view text) -> std::optional<uint32_t> {
      if (text.size() < 2 || text[0] != 'P') return std::nullopt;
      return whole(text.substr(1));
    };
    const std::string_view text = w.text;
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find(',', at), text.size());
      const std::string_view part = text.substr(at, end - at);
      const size_t dash = part.find('-');
      const auto first = one(part.substr(0, dash));
      const auto last = dash == std::string_view::npos ? first : one(part.substr(dash + 1));
      if (!first || !last || *last < *first || *last - *first >= 4096)
        return error_at(
            {w.span.source, w.span.begin + static_cast<uint32_t>(at), w.span.begin + static_cast<uint32_t>(end)},
            "threads are needed here", "write P0, P0,P2 or P0-P3");
      for (uint32_t t = *first; t <= *last; ++t) out.push_back(t);
      at = end + 1;
    }
    return {};
  }

  SourcePtr source_;
  BoundsFile file_;
};

uint32_t line_of(const prog::Test& test, const prog::LoopId& loop) {
  const prog::Template& code = test.code(loop.first);
  return code.code[code.labels[loop.second].at].span.position().line;
}

const std::string& name_of(const prog::Test& test, const prog::LoopId& loop) {
  return test.code(loop.first).labels[loop.second].name;
}

std::string list(const std::vector<uint32_t>& threads) {
  std::string out;
  for (size_t i = 0; i < threads.size();) {
    size_t j = i;
    while (j + 1 < threads.size() && threads[j + 1] == threads[j] + 1) ++j;
    out += (out.empty() ? "P" : ",P") + std::to_string(threads[i]);
    if (j > i) out += "-P" + std::to_string(threads[j]);
    i = j + 1;
  }
  return out;
}

}  // namespace

std::string program_name(const std::string& path, const prog::Test& test) {
  const size_t slash = path.rfind('/');
  std::string out = (slash == std::string::npos ? path : path.substr(slash + 1)) + "#" + test.title;
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

Expected<BoundsFile> parse_bounds(SourcePtr source) { return Reader(std::move(source)).read(); }

Expected<prog::LoopBounds> bounds_for(const BoundsFile& file, const std::string& program, const prog::Test& test,
                                      uint32_t others) {
  prog::LoopBounds out = others;
  const auto loops = prog::loops_of(test);
  const auto at = std::find_if(file.programs.begin(), file.programs.end(),
                               [&](const ProgramBounds& p) { return p.program == program; });
  if (at == file.programs.end()) {
    if (loops.empty()) return out;
    std::vector<std::string> names;
    for (const ProgramBounds& p : file.programs) names.push_back(p.program);
    const std::string near = nearest(program, names);
    const auto meant = std::find(names.begin(), names.end(), near);
    const ProgramBounds& shown = file.programs[meant == names.end() ? 0 : static_cast<size_t>(meant - names.begin())];
    return error_at(shown.span, "these are not the bounds of " + program,
                    "if that is this program's new name, write it here; else make its file with --save-bounds");
  }
  for (const BoundsEntry& e : at->loops)
    for (uint32_t t : e.threads) {
      const std::string who = "P" + std::to_string(t);
      if (t >= test.threads.size())
        return error_at(e.threads_span, program + " has no thread " + who,
                        "it has P0 to P" + std::to_string(test.threads.size() - 1));
      std::vector<std::string> names;
      std::optional<prog::LoopId> found;
      for (const prog::LoopId& l : loops)
        if (l.first == t) {
          names.push_back(name_of(test, l));
          if (names.back() == e.label && (!found || line_of(test, l) == e.line)) found = l;
        }
      if (!found) {
        const std::string near = nearest(e.label, names);
        return error_at(e.label_span, who + " of " + program + " has no loop " + e.label,
                        names.empty()  ? "it has no loops; save the bounds again"
                        : near.empty() ? "it has " + names.front() + "; save the bounds again"
                                       : "did you mean " + near + "?");
      }
      if (const uint32_t line = line_of(test, *found); line != e.line)
        return error_at(e.line_span, "the loop " + e.label + " of " + who + " stands on line " + std::to_string(line),
                        "the program has changed: save the bounds again, or put the line right");
      if (!out.loops.emplace(*found, e.bound).second)
        return error_at(e.label_span, "the loop " + e.label + " of " + who + " has a bound already",
                        "keep one of the two");
    }
  return out;
}

std::string print_bounds(const std::string& program, const prog::Test& test, const prog::LoopBounds& bounds,
                         const std::string& remark) {
  std::vector<BoundsEntry> entries;
  for (const prog::LoopId& l : prog::loops_of(test)) {
    const uint32_t bound = bounds.of(l.first, l.second);
    const auto same = std::find_if(entries.begin(), entries.end(), [&](const BoundsEntry& e) {
      return e.label == name_of(test, l) && e.line == line_of(test, l) && e.bound == bound &&
             e.threads.back() != l.first;
    });
    if (same != entries.end())
      same->threads.push_back(l.first);
    else
      entries.push_back({name_of(test, l), line_of(test, l), {l.first}, bound, {}, {}, {}});
  }
  if (entries.empty()) return "";
  std::string out = "program " + program + "\n";
  if (!remark.empty()) out += "# " + remark + "\n";
  for (const BoundsEntry& e : entries)
    out += "loop " + e.label + " line " + std::to_string(e.line) + " threads " + list(e.threads) + " bound " +
           std::to_string(e.bound) + "\n";
  return out;
}

}  // namespace fencepost::check
