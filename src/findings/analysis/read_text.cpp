// The forms that are text. Each reader goes through its input once and names the line it cannot read.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "analysis/read.h"
#include "analysis/read_parts.h"
#include "base/source.h"

namespace fencepost::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view k_mark = "\xef\xbb\xbf";  // of byte order, as spreadsheets write it

struct Line {
  std::string_view text;
  uint32_t begin = 0;
};

class Lines {
 public:
  explicit Lines(const SourcePtr& s) : source_(s), at_(std::string_view(s->text).starts_with(k_mark) ? 3 : 0) {}
  bool next(Line& line) {
    if (at_ >= source_->text.size()) return false;
    const size_t end = std::min(source_->text.find('\n', at_), source_->text.size());
    line.begin = static_cast<uint32_t>(at_);
    line.text = std::string_view(source_->text).substr(at_, end - at_);
    if (!line.text.empty() && line.text.back() == '\r') line.text.remove_suffix(1);
    at_ = end + 1;
    return true;
  }
  Span span(const Line& line) const {
    return {source_, line.begin, line.begin + static_cast<uint32_t>(std::max<size_t>(1, line.text.size()))};
  }

 private:
  SourcePtr source_;
  size_t at_;
};

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> words(std::string_view s, std::string_view separators = " \t") {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < s.size();) {
    const size_t begin = s.find_first_not_of(separators, at);
    if (begin == std::string_view::npos) break;
    const size_t end = std::min(s.find_first_of(separators, begin), s.size());
    out.push_back(s.substr(begin, end - begin));
    at = end;
  }
  return out;
}

template <class N>
bool number(std::string_view text, N& n) {
  const auto r = std::from_chars(text.data(), text.data() + text.size(), n);
  return r.ec == std::errc() && r.ptr == text.data() + text.size();
}

// Counts beyond are mistakes; sums of those below do not overflow.
constexpr uint64_t k_most_instances = 1'000'000'000'000'000;

// A count that may end in a comma, as prose has it.
bool whole(std::string_view text, uint64_t& n) {
  while (!text.empty() && (text.back() == ',' || text.back() == ';')) text.remove_suffix(1);
  return number(text, n) && n <= k_most_instances;
}

// A state as litmus7 -hexa writes it, "0:X0=0x1; y=0;", with decimal numbers. What is no number stays.
std::string decimal(std::string_view state) {
  std::string out;
  for (size_t at = 0; at < state.size();) {
    size_t begin = state.find("=0x", at);
    if (begin == std::string_view::npos) return out += state.substr(at);
    out += state.substr(at, ++begin - at);
    const size_t end = std::min(state.find(';', begin), state.size());
    uint64_t n = 0;
    const auto r = std::from_chars(state.data() + begin + 2, state.data() + end, n, 16);
    out += r.ec == std::errc() && r.ptr == state.data() + end ? std::to_string(n)
                                                              : std::string(state.substr(begin, end - begin));
    at = end;
  }
  return out;
}

// The cells of one line (RFC 4180); none: a quote is not closed.
std::optional<std::vector<std::string>> csv_cells(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      out.back() += line[i++];
    else if (c == '"' && (quoted || out.back().empty()))
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  if (quoted) return std::nullopt;
  for (std::string& cell : out) cell = std::string(trimmed(cell));
  return out;
}

// ---- litmus7 ----------------------------------------------------------------------------------------
struct LogTest {
  std::string name;
  uint64_t positive = 0, instances = 0, histogram = 0;
  double seconds = 0;
  std::string device;
  bool witnesses = false, required = false;
  std::map<std::string, uint64_t> states;
  std::string what_ran;
};

void keep(Table& out, const LogTest& t, const std::string& device) {
  Cell& c = out.at(out.device(t.device.empty() ? device : t.device), out.test(t.name), out.configuration("log"));
  c.measured = true;
  // Of "forall (...)" what counts is what does not meet it.
  const uint64_t asked = t.required ? t.instances - t.positive : t.positive;
  c.weak += asked;
  c.instances += t.instances;
  c.seconds += t.seconds;
  c.batches.push_back({static_cast<double>(asked), static_cast<double>(t.instances), t.seconds});
  for (const auto& [state, count] : t.states) c.states[state] += count;
  // Of several runs the weakest claim holds.
  if (c.batches.size() == 1)
    c.what_ran = t.what_ran;
  else if (c.what_ran != t.what_ran)
    c.what_ran.clear();
}

Expected<Table> read_litmus_log(SourcePtr source, const std::string& device) {
  Table out;
  out.format = "litmus7 log";
  Lines lines(source);
  Line line;
  std::optional<LogTest> open;
  const auto close = [&](const Span& at) -> Expected<void> {
    if (!open) return {};
    if (!open->witnesses)
      return error_at(at, fmt::format("the log of '{}' ends before its line 'Positive: N, Negative: N'", open->name),
                      "the log was cut; leave the unfinished test out");
    if (open->histogram != 0 && open->histogram != open->instances)
      return error_at(at,
                      fmt::format("the histogram of '{}' has {} instances, and its witnesses are {}", open->name,
                                  open->histogram, open->instances),
                      "a log that does not add up proves nothing");
    keep(out, *open, device);
    open.reset();
    return {};
  };
  while (lines.next(line)) {
    const auto w = words(line.text);
    if (w.empty()) continue;
    const auto bad = [&](const char* what) { return error_at(lines.span(line), what, "as litmus7 writes it"); };
    if (w[0] == "Test" && w.size() >= 2 && w.size() <= 3) {
      if (auto ok = close(lines.span(line)); !ok) return std::unexpected(ok.error());
      open = LogTest{};
      open->name = std::string(w[1]);
      open->required = w.size() == 3 && w[2] == "Required";
    } else if (!open) {
      continue;
    } else if (const size_t mark = line.text.find('>'); mark != std::string_view::npos && mark > 0 &&
                                                        (line.text[mark - 1] == '*' || line.text[mark - 1] == ':') &&
                                                        line.text[0] >= '0' && line.text[0] <= '9') {
      uint64_t n = 0;
      if (!whole(trimmed(line.text.substr(0, mark - 1)), n)) return bad("a count is needed before '>'");
      open->histogram += n;
      open->states[decimal(trimmed(line.text.substr(mark + 1)))] += n;
    } else if (w[0] == "Positive:") {
      uint64_t yes = 0, no = 0;
      if (w.size() != 4 || w[2] != "Negative:" || !whole(w[1], yes) || !whole(w[3], no))
        return bad("'Positive: N, Negative: N' is needed");
      open->positive = yes;
      open->instances = yes + no;
      open->witnesses = true;
    } else if (w[0] == "Observation" && w.size() == 5 && !open->witnesses) {
      uint64_t yes = 0, no = 0;
      if (!whole(w[3], yes) || !whole(w[4], no)) return bad("'Observation NAME WORD N N' is needed");
      open->positive = yes;
      open->instances = yes + no;
      open->witnesses = true;
    } else if (w[0] == "Time" && w.size() == 3) {
      if (!number(w[2], open->seconds) || !(open->seconds >= 0 && open->seconds < 1e12))
        return bad("'Time NAME SECONDS' is needed");
    } else if (line.text.starts_with("WhatRan=")) {
      open->what_ran = std::string(trimmed(line.text.substr(8)));
    } else if (line.text.starts_with("Device=")) {
      open->device = std::string(trimmed(line.text.substr(7)));
    }
  }
  if (auto ok = close(source->text.empty() ? Span{}
                                           : Span{source, static_cast<uint32_t>(source->text.size() - 1),
                                                  static_cast<uint32_t>(source->text.size())});
      !ok)
    return std::unexpected(ok.error());
  return out;
}

// ---- cuda-litmus ------------------------------------------------------------------------------------
Expected<Table> read_cuda_log(SourcePtr source, const std::string& device) {
  Table out;
  out.format = "cuda-litmus log";
  const uint32_t d = out.device(device);
  Lines lines(source);
  Line line;
  std::optional<uint32_t> iteration;
  std::unordered_map<std::string, uint32_t> known;  // there are thousands of tests and iterations of them
  while (lines.next(line)) {
    const auto w = words(line.text);
    if (w.size() == 2 && w[0] == "Iteration:") {
      iteration = out.configuration(fmt::format("{}", w[1]));
      continue;
    }
    if (w.size() < 8 || w[0] != "Test" || w[2] != "weak:") continue;
    uint64_t weak = 0, total = 0, rate = 0;
    if (w[4] != "total:" || w[6] != "rate:" || !whole(w[3], weak) || !whole(w[5], total) || !whole(w[7], rate) ||
        weak > total)
      return error_at(lines.span(line), "'Test NAME weak: N, total: N, rate: N per second' is needed");
    if (!iteration) iteration = out.configuration("0");
    const auto [it, fresh] = known.try_emplace(std::string(w[1]), static_cast<uint32_t>(out.tests.size()));
    if (fresh) out.tests.push_back({it->first, "", "", ""});
    Cell& c = out.at(d, it->second, *iteration);
    c.measured = true;
    c.weak += weak;
    c.instances += total;
    // The log's rate is cut to a whole number; without events it says nothing of the time.
    if (weak > 0 && rate > 0) c.seconds += static_cast<double>(weak) / static_cast<double>(rate);
    c.batches.push_back({static_cast<double>(weak), static_cast<double>(total), 0});
  }
  return out;
}

Expected<Table> read_cuda_csv(SourcePtr source) {
  Table out;
  out.format = "cuda-litmus csv";
  out.sightings = true;
  Lines lines(source);
  Line line;
  std::vector<uint32_t> devices;
  const uint32_t c = out.configuration("all");
  while (lines.next(line)) {
    const auto w = words(line.text, ",");
    if (w.empty()) continue;
    if (devices.empty()) {
      if (w.size() < 4) return error_at(lines.span(line), "'test,base,strengthened,DEVICE,...' is needed");
      for (size_t k = 3; k < w.size(); ++k) devices.push_back(out.device(std::string(w[k])));
      continue;
    }
    if (w.size() != devices.size() + 3)
      return error_at(lines.span(line),
                      fmt::format("{} fields are needed, and there are {}", devices.size() + 3, w.size()));
    const auto verdict = [&](std::string_view v) {
      return v == "INSTANCE" ? "allowed" : v == "UNSAT" ? "forbidden" : "";
    };
    const uint32_t t = static_cast<uint32_t>(out.tests.size());
    out.tests.push_back({std::string(w[0]), "", "", fmt::format("{}/{}", verdict(w[1]), verdict(w[2]))});
    for (size_t k = 0; k < devices.size(); ++k) {
      Cell& cell = out.at(devices[k], t, c);
      cell.measured = true;
      if (w[k + 3] != "seen" && w[k + 3] != "not seen")
        return error_at(lines.span(line), fmt::format("'{}' is neither 'seen' nor 'not seen'", w[k + 3]));
      cell.weak = w[k + 3] == "seen" ? 1 : 0;
    }
  }
  return out;
}

// ---- tables of counts -------------------------------------------------------------------------------
// A column of whole numbers is a device; a column of texts is none, and a remark says so.
Expected<Table> read_counts_csv(SourcePtr source) {
  Table out;
  out.format = "table of counts";
  Lines lines(source);
  Line line;
  std::vector<std::string> heads;
  std::vector<std::pair<Line, std::vector<std::string>>> rows;
  while (lines.next(line)) {
    if (trimmed(line.text).empty()) continue;
    const auto cells = csv_cells(line.text);
    if (!cells) return error_at(lines.span(line), "a quote of this line is not closed", "RFC 4180 has the notation");
    if (heads.empty()) {
      heads = *cells;
      continue;
    }
    if (cells->size() != heads.size())
      return error_at(lines.span(line), fmt::format("{} cells, and {} columns", cells->size(), heads.size()),
                      "every row has a cell for each column; an empty one was not measured");
    rows.emplace_back(line, *cells);
  }
  const auto column = [&](const char* name) {
    return static_cast<size_t>(std::find(heads.begin(), heads.end(), name) - heads.begin());
  };
  const size_t test = column("test"), instances = column("instances"), table = column("table");
  std::vector<std::pair<size_t, uint32_t>> devices;
  std::string left_out;
  for (size_t k = 0; k < heads.size(); ++k) {
    if (k == test || k == instances || k == table) continue;
    const bool texts = !rows.empty() && std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
      uint64_t n = 0;
      return !number(row.second[k], n);
    });
    if (texts)
      left_out += (left_out.empty() ? "" : ", ") + heads[k];
    else
      devices.emplace_back(k, out.device(heads[k]));
  }
  if (!left_out.empty()) out.remarks.push_back("columns without counts are left out: " + left_out);
  out.sightings = instances == heads.size();  // without the number of instances there are no rates
  const uint32_t c = out.configuration("all");
  for (const auto& [at, cells] : rows) {
    uint64_t all = 0;
    if (!out.sightings && !whole(cells[instances], all))
      return error_at(lines.span(at), fmt::format("'{}' is not a number of instances", cells[instances]));
    for (const auto& [k, d] : devices) {
      if (cells[k].empty()) continue;
      uint64_t n = 0;
      if (!whole(cells[k], n) || (!out.sightings && n > all))
        return error_at(lines.span(at), fmt::format("'{}' of {} is not a count", cells[k], heads[k]),
                        out.sightings ? "a whole number, or nothing where it was not measured"
                                      : "a whole number, not more than the instances");
      Cell& cell = out.at(d, out.test(cells[test]), c);
      if (cell.measured) return error_at(lines.span(at), fmt::format("'{}' of {} has two rows", cells[test], heads[k]));
      cell.measured = true;
      cell.weak = n;
      cell.instances = all;
    }
  }
  return out;
}

// The first line names a column `test`.
bool is_counts_csv(std::string_view text) {
  const auto cells = csv_cells(text.substr(0, text.find_first_of("\r\n")));
  return cells && cells->size() > 1 && std::find(cells->begin(), cells->end(), "test") != cells->end();
}

// ---- WebGPU -----------------------------------------------------------------------------------------
const char* webgpu_mutator(const std::string& test) {
  if (test.find("Mutations") != std::string::npos) return "reverse-po-loc";
  if (test.find("Coherency") != std::string::npos) return "weaken-po-loc";
  return "weaken-sw";
}

bool is_number(const std::string& s) { return !s.empty() && s.find_first_not_of("0123456789") == std::string::npos; }

bool is_result(const Json& j) {
  return j.is_object() && j.contains("seq") && j.contains("interleaved") && j.contains("weak");
}

}  // namespace

Expected<void> add_configurations(Table& out, const std::string& text, const std::string& device,
                                  const SourcePtr& source) {
  const Json j = Json::parse(text, nullptr, false);
  const Span whole_text = source ? Span{source, 0, 1} : Span{};
  if (j.is_discarded() || !j.is_object())
    return error_at(whole_text, "this is not a JSON object of configurations",
                    "{\"0\": {TEST: {\"seq\": N, \"interleaved\": N, \"weak\": N}}}");
  const uint32_t d = out.device(device);
  for (const auto& [configuration, results] : j.items()) {
    if (!is_number(configuration) || !results.is_object()) continue;
    const uint32_t c = out.configuration(configuration);
    for (const auto& [test, r] : results.items()) {
      if (!is_result(r)) continue;
      const auto count = [&](const char* what) -> std::optional<uint64_t> {
        const Json& n = r[what];
        if (!n.is_number()) return std::nullopt;
        const double v = n.get<double>();
        if (!(v >= 0 && v <= static_cast<double>(k_most_instances)) || v != std::floor(v)) return std::nullopt;
        return static_cast<uint64_t>(v);
      };
      const auto seq = count("seq"), interleaved = count("interleaved"), weak = count("weak");
      if (!seq || !interleaved || !weak)
        return error_at(whole_text,
                        fmt::format("configuration {}, test '{}': a count is not a number", configuration, test));
      const uint32_t t = out.test(test);
      out.tests[t].mutator = webgpu_mutator(test);
      Cell& cell = out.at(d, t, c);
      cell.measured = true;
      cell.weak = *weak;
      cell.instances = *seq + *interleaved + *weak;
      cell.split = Split{*seq, *interleaved, *weak};
      if (r.contains("durationSeconds") && r["durationSeconds"].is_number())
        cell.seconds = std::clamp(r["durationSeconds"].get<double>(), 0.0, 1e12);
    }
  }
  return {};
}

Expected<Table> read_text(SourcePtr source, const std::string& device) {
  const std::string_view text = source->text;
  const size_t mark = text.starts_with(k_mark) ? k_mark.size() : 0;
  const size_t first = text.find_first_not_of(" \t\r\n", mark);
  Expected<Table> out = error_at({}, "");
  if (first != std::string::npos && text[first] == '{') {
    Table t;
    t.format = "configurations";
    const auto ok = add_configurations(t, std::string(text.substr(mark)), device, source);
    if (!ok) return std::unexpected(ok.error());
    out = std::move(t);
  } else if (text.substr(mark).starts_with("test,base,strengthened,")) {
    out = read_cuda_csv(source);
  } else if (is_counts_csv(text.substr(mark))) {
    out = read_counts_csv(source);
  } else if (text.find("\nIteration: ") != std::string::npos || text.substr(mark).starts_with("Iteration: ")) {
    out = read_cuda_log(source, device);
  } else if (text.find("Histogram (") != std::string::npos || text.find("\nObservation ") != std::string::npos) {
    out = read_litmus_log(source, device);
  } else {
    return error_at(
        first == std::string::npos ? Span{}
                                   : Span{source, static_cast<uint32_t>(first), static_cast<uint32_t>(first + 1)},
        fmt::format("{} is not a result set that this program knows", source->name),
        "a store, a log of litmus7 or cuda-litmus, JSON of WebGPU configurations, a CSV table with a column "
        "'test', or a folder of these");
  }
  if (out && out->measured() == 0)
    return error_at({}, fmt::format("{} is a {}, and has no results", source->name, out->format));
  return out;
}

}  // namespace fencepost::analysis
