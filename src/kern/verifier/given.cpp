#include "verifier/given.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace fencepost::verifier {
namespace {

constexpr size_t k_longest = 2000;  // of the text of a launch

// Without the blanks around it, and one for each run of them.
std::string tidy(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

bool is_word(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':'; });
}

}  // namespace

std::vector<std::string> arguments_at(const Span& launch) {
  if (!launch.source || launch.begin >= launch.source->text.size()) return {};
  const std::string_view text = std::string_view(launch.source->text).substr(launch.begin, k_longest);
  const size_t sizes = text.find("<<<"), behind = text.find(">>>", sizes);
  if (sizes == text.npos || behind == text.npos || text.substr(0, sizes).find_first_of(";{}") != text.npos) return {};
  size_t at = text.find_first_not_of(" \t\r\n", behind + 3);
  if (at == text.npos || text[at] != '(') return {};
  std::vector<std::string> out;
  int depth = 0;
  for (size_t from = ++at; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'' || c == '#' || text.substr(at, 2) == "//" || text.substr(at, 2) == "/*") return {};
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (depth == 0 && (c == ',' || c == ')')) {
      out.push_back(tidy(text.substr(from, at - from)));
      if (c == ')') return out;
      from = at + 1;
    }
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  return {};
}

namespace {

// A structure that is given by value, of which the kernel reads numbers.
bool reads_numbers_of(const ir::Function& kernel, const ir::Module& m, const ir::Parameter& p) {
  if (!p.region || m.region(p.region).origin != ir::Origin::by_value) return false;
  for (const ir::Block& b : kernel.blocks)
    for (const ir::Instruction& i : b.instructions)
      if (const auto* l = std::get_if<ir::Load>(&i.action);
          l != nullptr && kernel.value(i.results[0]).type.kind == ir::Type::bits &&
          std::ranges::find(l->access.regions, p.region) != l->access.regions.end())
        return true;
  return false;
}

}  // namespace

std::vector<std::string> given_by_host(const ir::Module& m, const ir::Function& kernel, const prove::Finding& finding,
                                       const std::vector<clangfe::HostLaunch>& launches,
                                       const std::vector<Span>& places) {
  std::vector<std::string> out;
  for (const clangfe::HostLaunch& h : launches) {
    const auto same = [&](const Span& s) { return s.source == h.place.source && s.begin == h.place.begin; };
    if (h.named_only || std::ranges::none_of(places, same)) continue;
    const std::vector<std::string> words = arguments_at(h.place);
    if (words.size() != h.arguments.size()) continue;
    for (const ir::Parameter& p : kernel.parameters) {
      if (!reads_numbers_of(kernel, m, p) || p.source_index >= words.size()) continue;
      const auto member = [&](const clangfe::HostRelations::Target& t) {
        return t.kind == clangfe::HostRelations::Target::member && t.number == p.source_index;
      };
      if (std::ranges::any_of(h.relations.targets, member)) continue;
      std::string note = fmt::format("the numbers in '{}' are any here; the launch at {} gives `{}`", p.name,
                                     h.place.location(), words[p.source_index]);
      if (std::ranges::find(out, note) == out.end()) out.push_back(std::move(note));
    }
    for (const auto& [name, value] : finding.arguments) {
      const auto p = std::ranges::find(kernel.parameters, name, &ir::Parameter::name);
      if (p == kernel.parameters.end() || p->source_index >= words.size() || h.arguments[p->source_index]) continue;
      const auto read = [&](const clangfe::HostRelations::Target& t) {
        return t.kind == clangfe::HostRelations::Target::argument && t.number == p->source_index;
      };
      if (std::ranges::any_of(h.relations.targets, read) || is_word(words[p->source_index])) continue;
      std::string note = fmt::format("{} = {} here; the launch at {} gives `{}`", name, value, h.place.location(),
                                     words[p->source_index]);
      if (std::ranges::find(out, note) == out.end()) out.push_back(std::move(note));
    }
  }
  return out;
}

}  // namespace fencepost::verifier
