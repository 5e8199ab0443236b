#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cli/option_rows.h"

namespace fencepost::cli {
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (true) {
    const size_t at = text.find(separator);
    out.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

namespace {

std::unexpected<Diagnostics> bad(const OptionInfo& o, const std::string& value, std::string_view wanted,
                                 std::string hint) {
  return error_at({}, fmt::format("'{}' is not a value for {}: {}", value, o.name, wanted), std::move(hint));
}

Expected<uint64_t> whole(const OptionInfo& o, const std::string& value) {
  uint64_t n = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), n);
  if (failed != std::errc{} || end != value.data() + value.size() || n < o.least || n > o.most)
    return bad(o, value, fmt::format("a whole number in {} is needed", o.range),
               fmt::format("the default is {}", o.preset));
  return n;
}

Expected<double> seconds(const OptionInfo& o, const std::string& value) {
  double n = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), n);
  const std::string_view unit(end, static_cast<size_t>(value.data() + value.size() - end));
  const double factor = unit == "ms"                  ? 1e-3
                        : unit == "s" || unit.empty() ? 1
                        : unit == "m"                 ? 60
                        : unit == "h"                 ? 3600
                                                      : 0;
  if (failed != std::errc{} || factor == 0 || !std::isfinite(n) || n <= 0)
    return bad(o, value, "a positive time is needed", o.range);
  return n * factor;
}

}  // namespace

Expected<void> store(Settings& s, const OptionInfo& o, const std::string& value) {
  Value v{value};
  switch (o.type) {
    case Type::flag:
      break;
    case Type::text:
    case Type::list:
      if (value.empty())
        return error_at({}, fmt::format("{} needs a value", o.name), fmt::format("{} {}", o.name, o.metavar));
      break;
    case Type::whole_or_auto:
      if (value == "auto") break;
      [[fallthrough]];
    case Type::whole: {
      const auto n = whole(o, value);
      if (!n) return std::unexpected(n.error());
      v.number = *n;
      break;
    }
    case Type::seconds: {
      const auto t = seconds(o, value);
      if (!t) return std::unexpected(t.error());
      v.time = *t;
      break;
    }
    case Type::choice: {
      const auto words = split(o.range, '|');
      bool found = false;
      for (const std::string& w : words) found = found || w == value;
      if (!found) {
        const std::string near = nearest(value, words);
        return bad(o, value, fmt::format("one of {} is needed", fmt::join(words, ", ")),
                   near.empty() ? fmt::format("the default is {}", o.preset) : fmt::format("did you mean '{}'?", near));
      }
      break;
    }
  }
  return o.put(s, v);
}

}  // namespace fencepost::cli
