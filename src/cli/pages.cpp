#include "cli/pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/help.h"

namespace fencepost::cli {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t at = text.find('\n');
    out.push_back(text.substr(0, at));
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  }
  return out;
}

size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// For troff: hyphens are minus signs, backslashes are printed, and no line is taken for a request.
std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

// Sections whose lines stand for themselves: commands, tables of verbs and of exit codes.
bool is_literal(std::string_view head) {
  return head == "SYNOPSIS" || head == "EXAMPLES" || head == "VERBS" || head == "EXIT STATUS";
}

// The lines of a section that is not literal, from `at` to the next head.
std::string filled(const std::vector<std::string_view>& lines, size_t& at) {
  std::string out;
  bool paragraph = false;  // the next line of text begins one; after a head none does
  for (; at < lines.size() && (lines[at].empty() || lines[at].front() == ' '); ++at) {
    const std::string_view line = lines[at];
    const size_t indent = indent_of(line);
    const std::string_view words = line.substr(indent);
    if (words.empty()) {
      paragraph = !out.empty();
    } else if (indent == 4 && words.starts_with('-')) {
      out += ".TP\n.B " + troff(words) + "\n";
      paragraph = false;
    } else {
      if (paragraph && indent == 4) out += ".PP\n";
      out += troff(words) + "\n";
      paragraph = false;
    }
  }
  return out;
}

std::string literal(const std::vector<std::string_view>& lines, size_t& at) {
  std::string out = ".nf\n";
  for (; at < lines.size() && (lines[at].empty() || lines[at].front() == ' '); ++at)
    if (!lines[at].empty() || (at + 1 < lines.size() && lines[at + 1].starts_with(' ')))
      out += troff(lines[at].substr(std::min<size_t>(4, lines[at].size()))) + "\n";
  return out + ".fi\n";
}

}  // namespace

std::string manual_page(const std::string& name, std::string_view text) {
  const auto lines = lines_of(text);
  const std::string_view title = lines.empty() ? std::string_view() : lines.front();
  const size_t dash = title.find(" - ");
  const std::string_view summary = dash == std::string_view::npos ? title : title.substr(dash + 3);
  std::string out = fmt::format(".TH {} 1 \"\" \"{}\" \"User commands\"\n.SH NAME\n{} \\- {}\n", upper(troff(name)),
                                version(), troff(name), troff(summary));
  for (size_t at = 1; at < lines.size();) {
    if (lines[at].empty()) {
      ++at;
      continue;
    }
    const std::string_view head = lines[at++];
    out += ".SH " + upper(troff(head)) + "\n";
    out += is_literal(head) ? literal(lines, at) : filled(lines, at);
  }
  if (name != "fencepost") out += ".SH SEE ALSO\n.BR fencepost (1)\n";
  return out;
}

std::vector<CompletedVerb::Option> options_in(std::string_view help) {
  std::vector<CompletedVerb::Option> out;
  const auto lines = lines_of(help);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("    -")) continue;
    CompletedVerb::Option option;
    for (std::string_view rest = lines[i].substr(4); rest.starts_with('-');) {
      const std::string_view word = rest.substr(0, rest.find_first_of(" ,=["));
      option.spellings.emplace_back(word);
      rest.remove_prefix(word.size());
      option.takes_value = rest.starts_with('=') || (rest.starts_with(' ') && rest.size() > 1 && rest[1] != '-');
      rest = rest.starts_with(", ") ? rest.substr(2) : std::string_view();
    }
    if (i + 1 < lines.size() && lines[i + 1].starts_with("        ")) option.help = lines[i + 1].substr(8);
    out.push_back(std::move(option));
  }
  return out;
}

namespace {

CompletedVerb completed(const VerbInfo& verb) {
  CompletedVerb out{verb.name, verb.summary, {}};
  for (const OptionInfo& o : option_table()) {
    if (!takes(verb.verb, o)) continue;
    CompletedVerb::Option option;
    if (*o.letter != 0) option.spellings.emplace_back(o.letter);
    option.spellings.emplace_back(o.name);
    option.takes_value = o.type != Type::flag;
    option.help = std::string_view(o.help).substr(0, std::string_view(o.help).find(". "));
    if (o.type == Type::choice)
      for (std::string_view rest = o.range; !rest.empty();) {
        const size_t at = rest.find('|');
        option.values.emplace_back(rest.substr(0, at));
        rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
      }
    else if (option.spellings.back() == "--model")
      option.values = {"NAME"};
    out.options.push_back(std::move(option));
  }
  out.options.push_back({{"-h", "--help"}, {}, false, "Print this text"});
  return out;
}

// For shells: between single quotes, which no text has then.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += "'\\''";
    else if (c == '\n')
      out += ' ';
    else
      out += c;
  return out + "'";
}

constexpr const char* k_models = "$(fencepost models 2>/dev/null | cut -d ' ' -f 1)";

std::string words_of(const CompletedVerb::Option& option) {
  return option.values == std::vector<std::string>{"NAME"} ? k_models
                                                           : fmt::format("{}", fmt::join(option.values, " "));
}

// The first words of verbs of two: "progress".
std::vector<std::string> groups_in(const std::vector<CompletedVerb>& verbs) {
  std::vector<std::string> out;
  for (const CompletedVerb& v : verbs)
    if (const size_t at = v.name.find(' ');
        at != std::string::npos && std::ranges::find(out, v.name.substr(0, at)) == out.end())
      out.push_back(v.name.substr(0, at));
  return out;
}

// bash and zsh take the same function: zsh by its bashcompinit.
std::string bash(const std::vector<CompletedVerb>& verbs) {
  std::vector<std::string> first = {"help"};
  const auto groups = groups_in(verbs);
  for (const CompletedVerb& v : verbs)
    if (v.name.find(' ') == std::string::npos) first.push_back(v.name);
  first.insert(first.end(), groups.begin(), groups.end());
  std::string out = fmt::format(
      "_fencepost() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}} "
      "options= values=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{}\" -- \"$current\") $(compgen -W \"--help --version\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n",
      fmt::join(first, " "));
  for (const std::string& group : groups) {
    std::vector<std::string> second;
    for (const CompletedVerb& v : verbs)
      if (v.name.starts_with(group + " ")) second.push_back(v.name.substr(group.size() + 1));
    out += fmt::format(
        "  if [ \"$verb\" = {0} ]; then\n"
        "    if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
        "      COMPREPLY=($(compgen -W \"{1}\" -- \"$current\"))\n"
        "      return\n"
        "    fi\n"
        "    verb=\"{0} ${{COMP_WORDS[2]}}\"\n"
        "  fi\n",
        group, fmt::join(second, " "));
  }
  out += "  case $verb in\n";
  for (const CompletedVerb& v : verbs) {
    std::string options, values;
    for (const CompletedVerb::Option& o : v.options) {
      for (const std::string& s : o.spellings) options += (options.empty() ? "" : " ") + s;
      if (!o.values.empty())
        values += fmt::format("        {}) values=\"{}\" ;;\n", fmt::join(o.spellings, "|"), words_of(o));
    }
    out += fmt::format("    {})\n      options=\"{}\"\n", in_quotes(v.name), options);
    if (!values.empty())
      out += "      case $before in\n" + values + "      esac ;;\n";
    else
      out += "      ;;\n";
  }
  return out +
         "  esac\n"
         "  if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$current\")); fi\n"
         "  if [ -z \"$values\" ] && [ \"${current#-}\" != \"$current\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
         "  elif [ ${#COMPREPLY[@]} -eq 0 ]; then\n"
         "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _fencepost fencepost\n";
}

std::string fish(const std::vector<CompletedVerb>& verbs) {
  std::string out;
  for (const CompletedVerb& v : verbs)
    if (v.name.find(' ') == std::string::npos)
      out += fmt::format("complete -c fencepost -n __fish_use_subcommand -a {} -d {}\n", v.name, in_quotes(v.summary));
  for (const std::string& group : groups_in(verbs))
    out += fmt::format("complete -c fencepost -n __fish_use_subcommand -a {}\n", group);
  for (const CompletedVerb& v : verbs) {
    const size_t space = v.name.find(' ');
    std::string when = "__fish_seen_subcommand_from " + v.name;
    if (space != std::string::npos) {
      const std::string group = v.name.substr(0, space), second = v.name.substr(space + 1);
      out += fmt::format("complete -c fencepost -n '__fish_seen_subcommand_from {}' -a {} -d {}\n", group, second,
                         in_quotes(v.summary));
      when = fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}", group, second);
    }
    for (const CompletedVerb::Option& o : v.options) {
      std::string line = fmt::format("complete -c fencepost -n {}", in_quotes(when));
      for (const std::string& s : o.spellings)
        line += s.starts_with("--") ? " -l " + s.substr(2)
                : s.size() == 2     ? " -s " + s.substr(1)
                                    : " -o " + s.substr(1);
      if (o.values == std::vector<std::string>{"NAME"})
        line += " -r -a '(fencepost models 2>/dev/null | string split -f1 \" \")'";
      else if (!o.values.empty())
        line += fmt::format(" -x -a '{}'", fmt::join(o.values, " "));
      else if (o.takes_value)
        line += " -r";
      out += line + " -d " + in_quotes(o.help) + "\n";
    }
  }
  return out;
}

std::vector<CompletedVerb> completed_verbs(const std::function<std::string()>& help_of_prove) {
  std::vector<CompletedVerb> out;
  for (const VerbInfo& v : verb_table()) {
    if (v.hidden) continue;
    out.push_back(completed(v));
    if (v.verb == Verb::prove) out.back().options = options_in(help_of_prove());
  }
  return out;
}

Expected<std::string> manual(const std::string& verb, const std::function<std::string()>& help_of_prove) {
  if (verb.empty()) return manual_page("fencepost", help());
  for (const VerbInfo& v : verb_table())
    if (verb == v.name && !v.hidden) {
      std::string name = fmt::format("fencepost-{}", v.name);
      std::ranges::replace(name, ' ', '-');
      return manual_page(name, v.verb == Verb::prove ? help_of_prove() : help(v.verb));
    }
  return error_at({}, fmt::format("unknown command '{}'", verb),
                  "fencepost help --man VERB; fencepost --help lists them");
}

}  // namespace

std::string completion(Shell shell, const std::vector<CompletedVerb>& verbs) {
  switch (shell) {
    case Shell::bash:
      return bash(verbs);
    case Shell::zsh:
      return "#compdef fencepost\nautoload -U +X bashcompinit && bashcompinit\n" + bash(verbs);
    case Shell::fish:
      return fish(verbs);
  }
  FENCEPOST_INVARIANT(false, "a shell");
}

Expected<std::string> page(const std::vector<std::string>& args, const std::function<std::string()>& help_of_prove) {
  std::string rest;
  for (size_t i = 1; i < args.size(); ++i) rest += (i > 1 ? " " : "") + args[i];
  if (args.front() == "--man") return manual(rest, help_of_prove);
  if (args.front() != "--completion")
    return error_at({}, fmt::format("'{}' is not an option of 'help'", args.front()),
                    "fencepost help --man [VERB], fencepost help --completion bash|zsh|fish, fencepost help VERB");
  for (const auto& [name, shell] : {std::pair("bash", Shell::bash), {"zsh", Shell::zsh}, {"fish", Shell::fish}})
    if (rest == name) return completion(shell, completed_verbs(help_of_prove));
  return error_at({}, fmt::format("'{}' is not a shell that has completions here", rest), "bash, zsh or fish");
}

}  // namespace fencepost::cli
