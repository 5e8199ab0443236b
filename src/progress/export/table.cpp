#include "export/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "axb/test.h"

namespace fencepost::exports {
namespace {

struct Word {
  std::string_view text;
  Span span;
};

// White space separates words; comments are none.
std::vector<Word> words_of(const SourcePtr& source) {
  std::vector<Word> out;
  const std::string_view text = source->text;
  for (size_t at = 0; at < text.size();) {
    const size_t word = text.find_first_not_of(" \t\r\n\f\v", at);
    if (word == std::string_view::npos) break;
    if (text[word] == '#') {
      at = std::min(text.find('\n', word), text.size());
      continue;
    }
    const bool bracket = text[word] == '(' || text[word] == ')';
    at = bracket ? word + 1 : std::min(text.find_first_of(" \t\r\n\f\v#()", word), text.size());
    out.push_back({text.substr(word, at - word), {source, static_cast<uint32_t>(word), static_cast<uint32_t>(at)}});
  }
  return out;
}

std::string quoted(std::string_view word) {
  constexpr size_t k_longest = 40;
  return fmt::format("'{}{}'", word.substr(0, k_longest), word.size() > k_longest ? "..." : "");
}

bool names_a_mapping(std::string_view word) {
  return !word.empty() && word.size() <= 64 && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::optional<uint32_t> number(std::string_view digits) {
  uint32_t v = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), v);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return std::nullopt;
  return v;
}

std::optional<Role> role_in(std::string_view word) {
  const size_t dot = word.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto instance = number(word.substr(0, dot)), thread = number(word.substr(dot + 1));
  if (!instance || !thread) return std::nullopt;
  return Role{*thread, *instance};
}

}  // namespace

Expected<std::shared_ptr<const RoleTable>> parse_table(const SourcePtr& source) {
  if (source->text.size() > 0x7fffffff) return error_at({source, 0, 0}, "this text is larger than 2 GiB");
  const std::vector<Word> words = words_of(source);
  const char* shape = "a mapping begins with: mapping NAME";
  if (words.empty()) return error_at({source, 0, 0}, "the text is empty", shape);
  if (words[0].text != "mapping")
    return error_at(words[0].span, fmt::format("expected 'mapping', found {}", quoted(words[0].text)), shape);
  if (words.size() < 2) return error_at(words[0].span, "the mapping has no name", shape);
  if (!names_a_mapping(words[1].text) || role_in(words[1].text))
    return error_at(words[1].span, fmt::format("{} cannot name a mapping", quoted(words[1].text)),
                    "a name is letters, digits, '-' and '_', at most 64");
  if (mapping_from(words[1].text) || words[1].text == "table")
    return error_at(words[1].span, fmt::format("{} is a mapping already", quoted(words[1].text)),
                    "choose another name");
  auto out = std::make_shared<RoleTable>();
  out->name = words[1].text;
  size_t at = 2;
  if (at < words.size() && words[at].text == "any-order") out->any_order = true, ++at;
  if (at == words.size())
    return error_at(words.back().span, "the mapping has no invocation",
                    "list INSTANCE.THREAD of each launched invocation: 0.0 0.1 1.0 1.1");
  std::map<std::pair<uint32_t, uint32_t>, size_t> where, ids;  // instance, thread -> word; -> id
  const auto launch = [&](std::optional<Role> role, size_t word) -> Expected<void> {
    if (out->roles.size() == k_max_total)
      return error_at(words[word].span, "more than 2^24 invocations", "a launch has at most 16777216");
    if (role) {
      const auto [before, added] = where.emplace(std::pair{role->instance, role->thread}, word);
      if (!added)
        return error_at(words[word].span,
                        fmt::format("thread {} of instance {} is played twice", role->thread, role->instance),
                        fmt::format("the first time at {}", words[before->second].span.location()));
      ids[before->first] = out->roles.size();
      out->threads = std::max(out->threads, role->thread + 1);
    }
    out->roles.push_back(role);
    return {};
  };
  const auto listed = [&](size_t word) -> Expected<std::optional<Role>> {
    const auto& [text, span] = words[word];
    if (text == "-") return std::nullopt;
    const auto role = role_in(text);
    if (!role)
      return error_at(span, fmt::format("{} is not a role", quoted(text)),
                      "write INSTANCE.THREAD, as in 3.0, or '-' for an invocation without a role");
    if (role->thread >= axb::k_max_threads)
      return error_at(span, fmt::format("thread {} is one too many", role->thread),
                      fmt::format("a test has at most {} threads, numbered from 0", axb::k_max_threads));
    if (role->instance >= k_max_total)
      return error_at(span, fmt::format("instance {} is one too many", role->instance),
                      "instances are numbered from 0, and a launch has at most 2^24 invocations");
    return role;
  };
  while (at < words.size()) {
    if (words[at].text != "repeat") {
      const auto role = listed(at);
      if (!role) return std::unexpected(role.error());
      if (const auto ok = launch(*role, at++); !ok) return std::unexpected(ok.error());
      continue;
    }
    const char* form = "write: repeat 100 ( 0.0 0.1 )";
    const size_t head = at;
    const auto times = at + 1 < words.size() ? number(words[at + 1].text) : std::nullopt;
    if (!times || *times == 0 || *times > k_max_total)
      return error_at(words[std::min(at + 1, words.size() - 1)].span, "'repeat' needs how often, 1 to 2^24", form);
    if (at + 2 >= words.size() || words[at + 2].text != "(")
      return error_at(words[std::min(at + 2, words.size() - 1)].span, "'(' is missing after 'repeat'", form);
    std::vector<std::pair<std::optional<Role>, size_t>> block;
    for (at += 3; at < words.size() && words[at].text != ")"; ++at) {
      const auto role = listed(at);
      if (!role) return std::unexpected(role.error());
      block.emplace_back(*role, at);
    }
    if (at == words.size()) return error_at(words[head].span, "the ')' of this 'repeat' is missing", form);
    if (block.empty()) return error_at(words[at].span, "there is nothing to repeat", form);
    ++at;
    uint32_t least = k_max_total, most = 0;  // instances
    for (const auto& [role, word] : block)
      if (role) least = std::min(least, role->instance), most = std::max(most, role->instance);
    const uint32_t step = least > most ? 0 : most - least + 1;
    for (uint32_t n = 0; n < *times; ++n)
      for (auto [role, word] : block) {
        if (role) role->instance += n * step;
        if (const auto ok = launch(role, word); !ok) return std::unexpected(ok.error());
      }
  }
  if (where.empty()) return error_at(words.back().span, "no invocation has a role", "write INSTANCE.THREAD, as in 0.0");
  out->instances = where.rbegin()->first.first + 1;
  // Gaps: the pairs are sorted, so the first that differs from what is due names what is missing.
  uint32_t instance = 0, thread = 0;
  for (const auto& [role, word] : where) {
    if (role != std::pair{instance, thread})
      return error_at(words[word].span, fmt::format("no invocation plays thread {} of instance {}", thread, instance),
                      fmt::format("instances and threads are numbered from 0 without gaps; this mapping has {} threads",
                                  out->threads));
    if (++thread == out->threads) thread = 0, ++instance;
  }
  if (thread != 0)
    return error_at(words[where.rbegin()->second].span,
                    fmt::format("no invocation plays thread {} of instance {}", thread, instance),
                    fmt::format("each instance has all {} threads", out->threads));
  if (!out->any_order)
    for (const auto& [role, word] : where) {
      if (role.second == 0) continue;
      if (ids.at({role.first, role.second - 1}) > ids.at(role))
        return error_at(
            words[word].span,
            fmt::format("thread {} of instance {} has a smaller id than thread {}", role.second, role.first,
                        role.second - 1),
            "HSA and LOBE speak of the order of ids: exchange the two, or write 'any-order' after the name; "
            "then these models are not judged");
    }
  return out;
}

std::string to_text(const RoleTable& table) {
  std::string out = fmt::format("mapping {}\n{}", table.name, table.any_order ? "any-order\n" : "");
  constexpr size_t k_line = 12;
  for (size_t i = 0; i < table.roles.size(); ++i) {
    const auto& role = table.roles[i];
    out += role ? fmt::format("{}.{}", role->instance, role->thread) : "-";
    out += i + 1 == table.roles.size() || i % k_line == k_line - 1 ? '\n' : ' ';
  }
  return out;
}

}  // namespace fencepost::exports
