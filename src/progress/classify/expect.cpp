#include <fmt/format.h>

#include <map>

#include "classify/classify.h"

namespace fencepost::classify {
namespace {

constexpr std::string_view k_header = "config,id,model,fairness,verdict";

struct Field {
  std::string_view text;
  Span span;
};

Field trimmed(const SourcePtr& source, size_t begin, size_t end) {
  const std::string& s = source->text;
  while (begin < end && (s[begin] == ' ' || s[begin] == '\t')) ++begin;
  while (end > begin && (s[end - 1] == ' ' || s[end - 1] == '\t' || s[end - 1] == '\r')) --end;
  return {std::string_view(s).substr(begin, end - begin),
          Span{source, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}};
}

std::vector<Field> fields_of(const SourcePtr& source, size_t begin, size_t end) {
  std::vector<Field> fields;
  for (size_t at = begin;;) {
    const size_t comma = std::min(source->text.find(',', at), end);
    fields.push_back(trimmed(source, at, comma));
    if (comma == end) return fields;
    at = comma + 1;
  }
}

Expected<Row> row_of(const std::vector<Field>& f, const Field& line) {
  if (f.size() != 5)
    return error_at(line.span, fmt::format("a row has 5 fields, this one has {}", f.size()),
                    fmt::format("write {}", k_header));
  for (const Field* field : {&f[1], &f[2]})
    if (field->text.empty())
      return error_at(line.span, field == &f[1] ? "the test's id is missing" : "the model is missing",
                      fmt::format("write {}", k_header));
  Row r;
  r.test = f[0].text.empty() ? std::string(f[1].text) : fmt::format("{}/{}", f[0].text, f[1].text);
  r.model = f[2].text;
  r.span = line.span;
  r.test_span = f[0].text.empty() ? f[1].span : join(f[0].span, f[1].span);
  r.model_span = f[2].span;
  if (f[3].text == "weak")
    r.fairness = oracle::Fairness::weak;
  else if (f[3].text == "strong")
    r.fairness = oracle::Fairness::strong;
  else
    return error_at(f[3].span, fmt::format("fairness '{}' is not known", f[3].text), "write weak or strong");
  if (f[4].text == "PASS")
    r.passes = true;
  else if (f[4].text != "FAIL")
    return error_at(f[4].span, fmt::format("verdict '{}' is not known", f[4].text), "write PASS or FAIL");
  return r;
}

}  // namespace

Expected<std::vector<Row>> parse_expectations(const SourcePtr& source) {
  std::vector<Row> rows;
  const std::string& text = source->text;
  bool header = false;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const Field line = trimmed(source, begin, end);
    if (!line.text.empty()) {
      if (!header) {
        if (line.text != k_header)
          return error_at(line.span, "the first line is not the header of a table of verdicts",
                          fmt::format("begin with {}", k_header));
        header = true;
      } else {
        auto row = row_of(fields_of(source, line.span.begin, line.span.end), line);
        if (!row) return std::unexpected(row.error());
        rows.push_back(std::move(*row));
      }
    }
    begin = end + 1;
  }
  if (!header)
    return error_at(Span{source, 0, 0}, "a table of verdicts has a header", fmt::format("begin with {}", k_header));
  return rows;
}

Expected<Agreement> expect(const std::vector<Row>& rows, const std::vector<axb::Test>& tests,
                           const std::vector<fair::Model>& models, const oracle::Options& options) {
  std::map<std::string, uint32_t> test_named, model_named;
  std::vector<std::string> test_names, model_names;
  for (uint32_t k = 0; k < tests.size(); ++k)
    if (test_named.try_emplace(tests[k].name, k).second) test_names.push_back(tests[k].name);
  for (const fair::Model& m : models) model_names.push_back(table_name(m.name()));
  for (const fair::ModelInfo& info : fair::shipped_models()) model_names.push_back(table_name(info.name));

  // Only the models and tests that rows are about are decided.
  std::vector<fair::Model> used;
  std::vector<uint32_t> model_of, test_of;
  for (const Row& r : rows) {
    const auto test = test_named.find(r.test);
    if (test == test_named.end()) {
      const std::string near = nearest(r.test, test_names);
      return error_at(
          r.test_span, fmt::format("no test is called '{}'", r.test),
          near.empty() ? "give the tests that the table is about" : fmt::format("did you mean '{}'?", near));
    }
    test_of.push_back(test->second);
    const std::string wanted = table_name(r.model);
    auto model = model_named.find(wanted);
    if (model == model_named.end()) {
      std::optional<fair::Model> found;
      for (const fair::Model& m : models)
        if (table_name(m.name()) == wanted) found = m;
      for (const fair::ModelInfo& info : fair::shipped_models())
        if (!found && table_name(info.name) == wanted) {
          auto loaded = fair::load_model(info.name);
          if (!loaded) return std::unexpected(loaded.error());
          found = *loaded;
        }
      if (!found) {
        const std::string near = nearest(wanted, model_names);
        return error_at(r.model_span, fmt::format("no model is called '{}'", r.model),
                        near.empty() ? "give the model's file as well" : fmt::format("did you mean '{}'?", near));
      }
      model = model_named.emplace(wanted, static_cast<uint32_t>(used.size())).first;
      used.push_back(*found);
    }
    model_of.push_back(model->second);
  }

  oracle::Decider decide(used, options);
  std::vector<std::vector<oracle::Pair>> verdicts(tests.size());
  Agreement agreement;
  for (size_t k = 0; k < rows.size(); ++k) {
    std::vector<oracle::Pair>& v = verdicts[test_of[k]];
    if (v.empty()) {
      auto all = decide(tests[test_of[k]]);
      if (!all) return std::unexpected(all.error());
      if (!*all)
        return unsupported_at(rows[k].test_span,
                              fmt::format("test {} has more than {} states", rows[k].test, options.max_states),
                              "raise the limit of states");
      v.assign((*all)->begin(), (*all)->end());
    }
    if (passes(v[model_of[k]], rows[k].fairness) == rows[k].passes) {
      ++agreement.passed;
    } else {
      ++agreement.failed;
      agreement.mismatches.push_back(rows[k]);
    }
  }
  return agreement;
}

}  // namespace fencepost::classify
