#include "campaign/plan_file.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>

#include "base/printable.h"

namespace fencepost::campaign {
namespace {

// toml++ counts lines and columns from 1.
Span span_at(const SourcePtr& source, const toml::source_region& region) {
  uint32_t offset = 0;
  for (uint32_t line = 1; line < region.begin.line && offset < source->text.size(); ++line) {
    const size_t end = source->text.find('\n', offset);
    offset = end == std::string::npos ? static_cast<uint32_t>(source->text.size()) : static_cast<uint32_t>(end + 1);
  }
  offset = std::min(offset + region.begin.column - (region.begin.column > 0 ? 1 : 0),
                    static_cast<uint32_t>(source->text.size()));
  uint32_t end = offset;
  while (end < source->text.size() && source->text[end] != '\n' && source->text[end] != ' ') ++end;
  return {source, offset, std::max(end, offset)};
}

// Reads the keys of one table and remembers which it was asked for, so that the rest can be named as unknown.
class Reader {
 public:
  Reader(const SourcePtr& source, const toml::table& table, Diagnostics& errors)
      : source_(source), table_(table), errors_(errors) {}

  const toml::node* find(const char* key) {
    if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) keys_.push_back(key);  // asked twice for its place
    return table_.get(key);
  }
  void fail(const toml::node& at, std::string message, std::string hint = {}) {
    errors_.append(error_at(span_at(source_, at.source()), std::move(message), std::move(hint)).error());
  }
  bool text(const char* key, std::string& to) {
    const toml::node* n = find(key);
    if (n == nullptr) return false;
    if (const auto v = n->value_exact<std::string>())
      to = *v;
    else
      fail(*n, fmt::format("'{}' is a string", key), "write it in double quotes");
    return true;
  }
  // A text that tables, logs and file names repeat: one line.
  bool name(std::string& to) {
    if (!text("name", to)) return false;
    if (printable_name(to) != to) fail(*find("name"), "a name is one line without control characters");
    return true;
  }
  void texts(const char* key, std::vector<std::string>& to) {
    const toml::node* n = find(key);
    if (n == nullptr) return;
    if (const auto* list = n->as_array()) {
      for (const toml::node& item : *list) {
        if (const auto v = item.value_exact<std::string>())
          to.push_back(*v);
        else
          fail(item, fmt::format("'{}' is a list of strings", key));
      }
    } else if (const auto v = n->value_exact<std::string>()) {
      to.push_back(*v);
    } else {
      fail(*n, fmt::format("'{}' is a list of strings", key), "for example [\"cpu\", \"cuda\"]");
    }
  }
  void flag(const char* key, bool& to) {
    const toml::node* n = find(key);
    if (n == nullptr) return;
    if (const auto v = n->value_exact<bool>())
      to = *v;
    else
      fail(*n, fmt::format("'{}' is true or false", key));
  }
  template <class T>
  void whole(const char* key, T& to, int64_t least, int64_t most) {
    const toml::node* n = find(key);
    if (n == nullptr) return;
    const auto v = n->value_exact<int64_t>();
    if (!v || *v < least || *v > most)
      fail(*n, fmt::format("'{}' is a whole number from {} to {}", key, least, most));
    else
      to = static_cast<T>(*v);
  }
  void seconds(const char* key, double& to) {
    const toml::node* n = find(key);
    if (n == nullptr) return;
    const auto v = n->value<double>();
    if (!v || n->is_string() || !(*v > 0) || *v > 1e7)
      fail(*n, fmt::format("'{}' is a number of seconds above 0", key));
    else
      to = *v;
  }
  void no_others() {
    for (const auto& [key, node] : table_) {
      const std::string k(key.str());
      if (std::find(keys_.begin(), keys_.end(), k) != keys_.end()) continue;
      const std::string near = nearest(k, keys_);
      std::string all;
      for (const std::string& x : keys_) all += (all.empty() ? "" : ", ") + x;
      errors_.append(error_at(span_at(source_, key.source()), fmt::format("there is no key '{}' here", k),
                              near.empty() ? "the keys are " + all : fmt::format("did you mean '{}'?", near))
                         .error());
    }
  }

 private:
  const SourcePtr& source_;
  const toml::table& table_;
  Diagnostics& errors_;
  std::vector<std::string> keys_;
};

template <class E>
void choice(Reader& r, const char* key, E& to, const std::vector<E>& values) {
  std::string text;
  const toml::node* n = r.find(key);
  if (n == nullptr || !r.text(key, text)) return;
  std::string words;
  for (const E e : values) {
    if (text == name(e)) {
      to = e;
      return;
    }
    words += fmt::format("{}{}", words.empty() ? "" : ", ", name(e));
  }
  r.fail(*n, fmt::format("'{}' is not a {}", text, key), "write one of " + words);
}

}  // namespace

bool Configuration::applies(const std::string& title) const {
  return tests.empty() || std::any_of(tests.begin(), tests.end(),
                                      [&](const std::string& t) { return fnmatch(t.c_str(), title.c_str(), 0) == 0; });
}

Expected<Plan> read_plan(SourcePtr source) {
  toml::table table;
  try {
    table = toml::parse(source->text, source->name);
  } catch (const toml::parse_error& e) {
    return error_at(span_at(source, e.source()), fmt::format("this is not TOML: {}", e.description()),
                    "see docs/campaigns.md for a plan");
  }
  Plan plan;
  plan.text = source->text;
  Diagnostics errors;
  campaign::Options shared;
  shared.group_seconds = 0.1;
  Reader r(source, table, errors);
  const Span whole_file{source, 0, 0};
  r.name(plan.name);
  r.texts("tests", plan.tests);
  r.texts("devices", plan.devices);
  r.text("model", plan.model);
  r.flag("weakenings", plan.weakenings);
  r.whole("seed", shared.seed, 0, INT64_MAX);
  r.whole("iterations", shared.iterations, 1, INT64_MAX);
  r.seconds("seconds", shared.seconds);
  r.seconds("unseen_seconds", shared.unseen_seconds);
  r.whole("until_events", shared.events, 1, INT64_MAX);
  r.seconds("group_seconds", shared.group_seconds);
  r.seconds("launch_limit", shared.launch_limit);
  r.whole("series", shared.series_room, 0, 1 << 20);
  const toml::node* list = r.find("configuration");
  if (list != nullptr) {
    const toml::array* tables = list->as_array();
    if (tables == nullptr || !tables->is_array_of_tables()) {
      r.fail(*list, "'configuration' is a list of tables", "begin each with [[configuration]]");
    } else {
      for (const toml::node& item : *tables) {
        Configuration c;
        c.options = shared;
        Reader q(source, *item.as_table(), errors);
        if (!q.name(c.name) || c.name.empty()) q.fail(item, "a configuration needs a name", "name = \"stressed\"");
        choice(q, "mode", c.options.shape.mode,
               std::vector{plan::Mode::parallel, plan::Mode::warp, plan::Mode::single});
        choice(q, "region", c.options.shape.region,
               std::vector(std::begin(plan::k_regions), std::end(plan::k_regions)));
        std::string parameters;
        const toml::node* at = q.find("parameters");
        if (at != nullptr && q.text("parameters", parameters))
          if (const auto set = plan::set_parameters(c.options.parameters, parameters); !set)
            q.fail(*at, set.error().list.front().message, set.error().list.front().hint);
        q.texts("tests", c.tests);
        if (const toml::node* tests = q.find("tests")) c.at = span_at(source, tests->source());
        q.flag("give_way", c.options.give_way);
        q.no_others();
        for (const Configuration& other : plan.configurations)
          if (other.name == c.name && (other.tests.empty() || c.tests.empty()))
            q.fail(
                item, fmt::format("the name '{}' is used twice", c.name),
                "a store knows configurations by their names; two may share one where each says for which tests it is");
        plan.configurations.push_back(std::move(c));
      }
    }
  }
  r.no_others();
  if (!errors.has_errors()) {
    if (plan.name.empty())
      errors.append(error_at(whole_file, "the plan has no name", "name = \"my campaign\"").error());
    if (plan.tests.empty())
      errors.append(error_at(whole_file, "the plan names no tests", "tests = [\"*.litmus\"]").error());
    if (plan.devices.empty())
      errors.append(
          error_at(whole_file, "the plan names no devices", "devices = [\"cpu\"]; `fencepost devices` lists them")
              .error());
    if (shared.unseen_seconds > 0 && shared.unseen_seconds < shared.seconds)
      errors.append(error_at(whole_file, "'unseen_seconds' is shorter than 'seconds'",
                             "it is how long a test runs whose outcome does not show")
                        .error());
    if (shared.iterations == 0 && shared.seconds == 0 && shared.events == 0)
      errors.append(error_at(whole_file, "the plan has no end", "give iterations, seconds or until_events").error());
  }
  if (errors.has_errors()) return std::unexpected(std::move(errors));
  if (plan.configurations.empty()) plan.configurations.push_back({"default", shared});
  const std::filesystem::path folder =
      source->name == "-" ? std::filesystem::path() : std::filesystem::path(source->name).parent_path();
  for (std::string& t : plan.tests)
    if (!folder.empty() && std::filesystem::path(t).is_relative()) t = (folder / t).lexically_normal().string();
  return plan;
}

Expected<std::vector<std::string>> left_out(const Plan& plan, const std::vector<std::string>& titles) {
  Diagnostics errors;
  for (const Configuration& c : plan.configurations)
    if (std::none_of(titles.begin(), titles.end(), [&](const std::string& t) { return c.applies(t); }))
      errors.append(error_at(c.at, fmt::format("no test of the plan has a title for '{}'", c.name),
                             "patterns are of titles, the name in a test's first line, and not of files")
                        .error());
  if (errors.has_errors()) return std::unexpected(std::move(errors));
  std::vector<std::string> out;
  for (const std::string& t : titles)
    if (std::none_of(plan.configurations.begin(), plan.configurations.end(),
                     [&](const Configuration& c) { return c.applies(t); }))
      out.push_back(t);
  return out;
}

Expected<std::vector<std::string>> files_of(const std::string& pattern) {
  const std::filesystem::path path(pattern);
  const std::string last = path.filename().string();
  std::error_code failed;
  std::vector<std::string> out;
  if (last.find_first_of("*?") == std::string::npos) {
    if (!std::filesystem::exists(path, failed)) return error_at({}, fmt::format("{}: no such file or folder", pattern));
    out.push_back(pattern);
    return out;
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::filesystem::directory_iterator entries(folder, failed), end;
  for (; !failed && entries != end; entries.increment(failed))
    if (const auto& at = entries->path(); fnmatch(last.c_str(), at.filename().c_str(), FNM_PERIOD) == 0)
      out.push_back((path.has_parent_path() ? at : at.filename()).string());
  if (failed && failed != std::errc::no_such_file_or_directory)
    return error_at({}, fmt::format("the folder '{}' cannot be read: {}", folder.string(), failed.message()));
  if (out.empty())
    return error_at({}, fmt::format("{}: no file matches", pattern), "patterns are relative to the plan");
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace fencepost::campaign
