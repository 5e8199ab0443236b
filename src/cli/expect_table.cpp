#include "cli/expect_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fencepost::cli {
namespace {

struct Field {
  std::string text;
  Span span;
};

// One line into fields, blanks around unquoted ones dropped. Quotes do not reach across lines.
Expected<std::vector<Field>> split_line(const SourcePtr& source, uint32_t begin, uint32_t end) {
  const std::string& all = source->text;
  std::vector<Field> out;
  uint32_t at = begin;
  for (;;) {
    while (at < end && (all[at] == ' ' || all[at] == '\t')) ++at;
    Field f;
    const uint32_t start = at;
    if (at < end && all[at] == '"') {
      ++at;
      for (;; ++at) {
        if (at >= end)
          return error_at({source, start, end}, "the quote is not closed on this line",
                          "double a quote to mean one: \"\"");
        if (all[at] != '"') {
          f.text += all[at];
        } else if (at + 1 < end && all[at + 1] == '"') {
          f.text += all[at++];
        } else {
          break;
        }
      }
      ++at;
      while (at < end && (all[at] == ' ' || all[at] == '\t')) ++at;
      if (at < end && all[at] != ',')
        return error_at({source, at, at + 1}, "a comma is missing after the quoted field");
      f.span = {source, start, at};
    } else {
      while (at < end && all[at] != ',') ++at;
      uint32_t stop = at;
      while (stop > start && (all[stop - 1] == ' ' || all[stop - 1] == '\t')) --stop;
      f.text = all.substr(start, stop - start);
      f.span = {source, start, std::max(stop, start)};
    }
    out.push_back(std::move(f));
    if (at >= end) return out;
    ++at;  // the comma
  }
}

enum Column : size_t { k_suite, k_model, k_property, k_path, k_expected, k_bound, k_grid, k_columns };
constexpr const char* k_column_names[k_columns] = {"suite", "model", "property", "path", "expected", "bound", "grid"};
constexpr bool k_required[k_columns] = {false, true, true, true, true, false, false};

struct Header {
  size_t at[k_columns];  // field index, or SIZE_MAX
  size_t fields = 0;
};

Expected<Header> read_header(const std::vector<Field>& fields) {
  Header h;
  h.fields = fields.size();
  for (size_t c = 0; c < k_columns; ++c) {
    h.at[c] = SIZE_MAX;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].text != k_column_names[c]) continue;
      if (h.at[c] != SIZE_MAX)
        return error_at(fields[i].span, fmt::format("the column '{}' stands twice", k_column_names[c]));
      h.at[c] = i;
    }
    if (h.at[c] == SIZE_MAX && k_required[c])
      return error_at(fields.front().span, fmt::format("the table has no column '{}'", k_column_names[c]),
                      "the first line names the columns: suite,model,property,path,expected");
  }
  return h;
}

Expected<ExpectRow> read_row(const Header& h, const std::vector<Field>& fields) {
  if (fields.size() != h.fields)
    return error_at(join(fields.front().span, fields.back().span),
                    fmt::format("this row has {} fields, and the header has {}", fields.size(), h.fields));
  const auto field = [&](Column c) -> const Field* { return h.at[c] == SIZE_MAX ? nullptr : &fields[h.at[c]]; };
  const auto text = [&](Column c) { return field(c) != nullptr ? field(c)->text : std::string(); };
  ExpectRow row;
  row.suite = text(k_suite);
  row.model = text(k_model);
  row.property = text(k_property);
  row.path = text(k_path);
  row.grid = text(k_grid);
  row.span = join(fields.front().span, fields.back().span);
  for (const Column c : {k_model, k_property, k_path})
    if (text(c).empty()) return error_at(field(c)->span, fmt::format("the field '{}' is empty", k_column_names[c]));
  const std::string expected = text(k_expected);
  if (expected == "1" || expected == "PASS")
    row.expected = Status::holds;
  else if (expected == "0" || expected == "FAIL")
    row.expected = Status::fails;
  else if (expected == "UNKNOWN")
    row.expected = Status::unknown;
  else
    return error_at(field(k_expected)->span, fmt::format("'{}' is not an expected verdict", expected),
                    "1 or PASS, 0 or FAIL, UNKNOWN");
  if (const std::string bound = text(k_bound); !bound.empty()) {
    uint32_t n = 0;
    const auto [end, failed] = std::from_chars(bound.data(), bound.data() + bound.size(), n);
    if (failed != std::errc{} || end != bound.data() + bound.size() || n == 0 || n > 1000)
      return error_at(field(k_bound)->span, fmt::format("'{}' is not a bound", bound), "a whole number in 1..1000");
    row.bound = n;
  }
  return row;
}

}  // namespace

Expected<std::vector<ExpectRow>> read_expect_table(const SourcePtr& source) {
  const std::string& all = source->text;
  std::vector<ExpectRow> rows;
  std::optional<Header> header;
  for (size_t begin = 0; begin < all.size();) {
    size_t end = all.find('\n', begin);
    const size_t next = end == std::string::npos ? all.size() : end + 1;
    if (end == std::string::npos) end = all.size();
    if (end > begin && all[end - 1] == '\r') --end;
    const std::string_view line(all.data() + begin, end - begin);
    const auto from = static_cast<uint32_t>(begin), to = static_cast<uint32_t>(end);
    begin = next;
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with("#") || line.starts_with("//"))
      continue;
    const auto fields = split_line(source, from, to);
    if (!fields) return std::unexpected(fields.error());
    if (!header) {
      const auto h = read_header(*fields);
      if (!h) return std::unexpected(h.error());
      header = *h;
      continue;
    }
    auto row = read_row(*header, *fields);
    if (!row) return std::unexpected(row.error());
    rows.push_back(std::move(*row));
  }
  if (!header)
    return error_at({source, 0, 0}, "the table is empty",
                    "the first line names the columns: suite,model,property,path,expected");
  return rows;
}

Expected<std::vector<ExpectRow>> read_expect_lines(const SourcePtr& source, const std::string& path) {
  const std::string& all = source->text;
  std::vector<ExpectRow> rows;
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find('\n', begin), all.size());
    const size_t stop = std::min(all.find('#', begin), end);
    std::vector<std::string> words;
    for (size_t at = begin; at < stop;) {
      const size_t from = all.find_first_not_of(" \t\r", at);
      if (from >= stop) break;
      at = std::min(all.find_first_of(" \t\r", from), stop);
      words.push_back(all.substr(from, at - from));
    }
    const Span span{source, static_cast<uint32_t>(begin), static_cast<uint32_t>(stop)};
    begin = end + 1;
    if (words.empty()) continue;
    ExpectRow row;
    row.path = path;
    row.span = span;
    bool known = words.size() == 3;
    if (known) {
      row.model = words[0];
      row.property = words[1];
      known = words[2] == "holds" || words[2] == "fails" || words[2] == "unknown";
      row.expected = words[2] == "fails" ? Status::fails : words[2] == "unknown" ? Status::unknown : Status::holds;
    }
    if (!known || !question_of(row))
      return error_at(span, "this line is not an expectation",
                      "model property verdict, for example: ptx-7.5 condition fails # why");
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string shipped_name(const std::string& model) {
  // The published names. A shipped model of the plain name is the document's text, which differs in places.
  if (model.starts_with("ptx-v")) return "ptx-" + model.substr(5) + "-tables";
  if (model == "vulkan" || model == "vulkan-nochains" || model == "opencl") return model + "-tables";
  return model;
}

std::optional<Question> question_of(const ExpectRow& row) {
  std::string property = row.property;
  Question q;
  constexpr std::string_view k_ignore = "+ignore_filter";
  if (property.ends_with(k_ignore)) {
    q.filter = false;
    property.resize(property.size() - k_ignore.size());
  }
  if (property == "program_spec" || property == "condition") return q;
  if (property == "cat_spec" || property == "races") {
    q.property = check::Property::races;
    return q;
  }
  if (property == "termination" || (property.starts_with("termination[") && property.ends_with("]"))) {
    q.property = check::Property::termination;
    if (property.size() > 13) q.progress = property.substr(12, property.size() - 13);
    std::replace(q.progress.begin(), q.progress.end(), ';', ',');  // tables whose columns are separated by commas
    return q;
  }
  return std::nullopt;
}

uint32_t bound_of(const ExpectRow& row) {
  if (row.bound) return *row.bound;
  const bool liveness = row.property.starts_with("termination");
  return liveness && row.model.starts_with("vulkan") ? 4 : 1;
}

}  // namespace fencepost::cli
