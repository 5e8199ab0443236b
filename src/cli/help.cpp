#include "cli/help.h"

#include <fmt/format.h>

namespace fencepost::cli {
namespace {

constexpr size_t k_width = 100;  // columns of a help text

constexpr const char* k_exit_status =
    "0  the property holds\n"
    "1  the property fails\n"
    "2  the input or the command line is at fault\n"
    "3  unknown within the bound, unsupported, or given up at the budget\n"
    "4  an internal error\n"
    "For several tests, the worst: 4, then 2, 1, 3, 0.";

// Paragraphs (separated by an empty line) folded to the width, each line indented.
std::string fold(std::string_view text, size_t indent) {
  const std::string pad(indent, ' ');
  std::string out, line;
  const auto flush = [&] {
    if (!line.empty()) out += pad + line + "\n";
    line.clear();
  };
  std::string word;
  const auto take = [&] {
    if (word.empty()) return;
    if (!line.empty() && indent + line.size() + 1 + word.size() > k_width) flush();
    if (!line.empty()) line += ' ';
    line += word;
    word.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && i + 1 < text.size() && text[i + 1] == '\n') {
      take();
      flush();
      out += "\n";
      ++i;
    } else if (text[i] == ' ' || text[i] == '\n') {
      take();
    } else {
      word += text[i];
    }
  }
  take();
  flush();
  return out;
}

std::string lines(std::string_view text, std::string_view pad) {
  std::string out;
  while (!text.empty()) {
    const size_t at = text.find('\n');
    out += fmt::format("{}{}\n", pad, text.substr(0, at));
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  }
  return out;
}

std::string spelling(const OptionInfo& o) {
  std::string out = *o.letter != 0 ? fmt::format("{}, {}", o.letter, o.name) : std::string(o.name);
  if (*o.metavar != 0) out += fmt::format(" {}", o.metavar);
  return out;
}

std::string values(const OptionInfo& o) {
  std::string range = o.range;
  if (o.type == Type::choice)
    for (size_t at = 0; (at = range.find('|', at)) != std::string::npos; at += 2) range.replace(at, 1, ", ");
  std::string out;
  if (!range.empty()) out += fmt::format("Values: {}. ", range);
  if (*o.preset != 0) out += fmt::format("Default: {}. ", o.preset);
  if (!out.empty()) out.pop_back();
  return out;
}

std::string synopsis(const VerbInfo& v) {
  bool options = false;
  for (const OptionInfo& o : option_table()) options = options || takes(v.verb, o);
  return fmt::format("fencepost {}{}{}{}", v.name, options ? " [OPTION...]" : "", *v.operands != 0 ? " " : "",
                     v.operands);
}

}  // namespace

std::string version() { return "fencepost " FENCEPOST_VERSION; }

std::string help() {
  std::string out =
      "fencepost - decide what concurrent GPU programs may do\n\n"
      "SYNOPSIS\n    fencepost VERB [OPTION...] [OPERAND...]\n    fencepost VERB --help\n    fencepost --version "
      "[--verbose]\n\n"
      "VERBS\n";
  for (const VerbInfo& v : verb_table())
    if (!v.hidden) out += fmt::format("    {:<17}  {}\n", v.name, v.summary);
  out += "\nEXIT STATUS\n" + lines(k_exit_status, "    ");
  return out;
}

std::string help_of_group(const std::string& word) {
  std::string out = fmt::format(
      "SYNOPSIS\n    fencepost {0} VERB [OPTION...] [OPERAND...]\n    fencepost {0} VERB --help\n\nVERBS\n", word);
  for (const VerbInfo& v : verb_table())
    if (!v.hidden && std::string_view(v.name).starts_with(word + " "))
      out += fmt::format("    {:<17}  {}\n", v.name, v.summary);
  return out;
}

std::string help(Verb verb) {
  const VerbInfo& v = info(verb);
  std::string out = fmt::format("fencepost {} - {}\n\nSYNOPSIS\n    {}\n\nDESCRIPTION\n{}", v.name, v.summary,
                                synopsis(v), fold(v.description, 4));
  out += "\nOPTIONS\n";
  for (const OptionInfo& o : option_table())
    if (takes(verb, o)) out += fmt::format("    {}\n{}", spelling(o), fold(std::string(o.help) + " " + values(o), 8));
  out += "    -h, --help\n        Print this text.\n";
  out += "\nEXIT STATUS\n" + lines(k_exit_status, "    ");
  if (*v.examples != 0) out += "\nEXAMPLES\n" + lines(v.examples, "    ");
  return out;
}

std::string markdown() {
  std::string out =
      "# Verbs and options\n\n"
      "Made by `fencepost help-markdown` from the table that also makes the parser and `--help`.\n\n"
      "## Verbs\n";
  for (const VerbInfo& v : verb_table()) {
    if (v.hidden) continue;
    out += fmt::format("\n### {}\n\n`{}`: {}.\n\n{}\n", v.name, synopsis(v), v.summary, v.description);
    std::string names;
    for (const OptionInfo& o : option_table())
      if (takes(v.verb, o)) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", o.name);
    if (!names.empty()) out += fmt::format("\nOptions: {}.\n", names);
    if (*v.examples != 0) out += fmt::format("\n```sh\n{}\n```\n", v.examples);
  }
  const auto cell = [](std::string text) {
    for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
    return text;
  };
  out += "\n## Options\n\n| option | values | default | room | meaning |\n|---|---|---|---|---|\n";
  for (const OptionInfo& o : option_table())
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", cell(spelling(o)), cell(o.range), cell(o.preset), o.room,
                       cell(o.help));
  out += fmt::format("\n## Exit status\n\n```\n{}\n```\n", k_exit_status);
  return out;
}

}  // namespace fencepost::cli
