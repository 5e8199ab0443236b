// CLI11 splits the arguments (--name=value, -j4, --, operands); the tables say what is known, and the range
// checks are our own so that every refusal reads alike and carries a hint. CLI11 is told only of options that the
// command line may name: to set up all options of `check` takes it an eighth of the time of a small test.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <map>

#include "base/printable.h"
#include "base/trace.h"
#include "cli/effects.h"
#include "cli/file_kind.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/untrusted.h"

namespace fencepost::cli {
namespace {

Expected<Parsed> text(std::string t) { return Parsed{std::nullopt, std::move(t)}; }

const VerbInfo* find_verb(const std::string& name) {
  for (const VerbInfo& v : verb_table())
    if (name == v.name) return &v;
  return nullptr;
}

// Verbs of two words share the first: "progress".
bool is_group(const std::string& word) {
  for (const VerbInfo& v : verb_table())
    if (std::string_view(v.name).starts_with(word + " ")) return true;
  return false;
}

std::unexpected<Diagnostics> unknown_verb(const std::string& word) {
  std::vector<std::string> names;
  for (const VerbInfo& v : verb_table())
    if (!v.hidden) names.emplace_back(v.name);
  if (is_group(word))
    return error_at({}, fmt::format("'{}' needs a second word", word),
                    fmt::format("fencepost {} --help lists them", word));
  std::vector<std::string> known = names;  // and the first words of those that have two
  for (const std::string& n : names)
    if (n.find(' ') != std::string::npos) known.push_back(n.substr(0, n.find(' ')));
  const std::string near = nearest(word, known);
  if (const FileKind kind = kind_of_file(word); kind != FileKind::unknown)
    return error_at({}, fmt::format("no verb is given; {} is {}", word, name(kind)),
                    hint_for(kind, printable_name(word)));
  if (!near.empty())
    return error_at({}, fmt::format("unknown command '{}'", word), fmt::format("did you mean '{}'?", near));
  return error_at({}, fmt::format("unknown command '{}'", word),
                  word.find('.') != std::string::npos || word.find('/') != std::string::npos
                      ? fmt::format("to decide a test: fencepost check {}", word)
                      : fmt::format("the verbs are {}", fmt::join(names, ", ")));
}

std::unexpected<Diagnostics> unknown_option(const VerbInfo& verb, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> own;
  for (const OptionInfo& o : option_table()) {
    if (takes(verb.verb, o))
      own.emplace_back(o.name);
    else if (name == o.name && name == "--untrusted")
      return error_at({}, fmt::format("'{}' is not asked with {}: {}", verb.name, name, never_untrusted(verb.verb)),
                      "docs/untrusted.md lists the verbs that are");
    else if (name == o.name || (name == o.letter && *o.letter != 0))
      return error_at({}, fmt::format("'{}' does not take {}", verb.name, o.name),
                      fmt::format("'fencepost {} --help' lists its options", verb.name));
  }
  std::string near = nearest(name, own);
  // The same word in another number, "--family": the one option that begins as this one.
  if (near.empty() && name.size() > 5)
    for (const std::string& o : own)
      if (o.starts_with(name.substr(0, name.size() - 1))) near = near.empty() ? o : "--";
  if (near == "--") near.clear();
  return error_at({}, fmt::format("'{}' is not an option of '{}'", name, verb.name),
                  near.empty() ? fmt::format("'fencepost {} --help' lists its options", verb.name)
                               : fmt::format("did you mean '{}'?", near));
}

// Whether `words` may give the option: as --name or --name=value, or with its letter among others, as in -wj4.
bool may_be_given(const OptionInfo& o, std::span<const std::string> words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& w) {
    if (w.starts_with("--")) return std::string_view(w).substr(0, w.find('=')) == o.name;
    return w.starts_with("-") && *o.letter != 0 && w.find(o.letter[1]) != std::string::npos;
  });
}

// Whether there is more than operands.
bool has_options(std::span<const std::string> words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& w) { return w.size() > 1 && w[0] == '-'; });
}

struct Split {
  bool help = false;  // that is asked for instead
};

// The operands, the values of each option, and the flags among `words`, as CLI11 tells them apart.
Expected<Split> split(const VerbInfo& verb, std::span<const std::string> words, std::vector<std::string>& operands,
                      std::map<const OptionInfo*, std::vector<std::string>>& given,
                      std::vector<const OptionInfo*>& flags) {
  ::CLI::App app;
  app.set_help_flag("-h,--help");
  app.allow_extras(false);
  bool flag = false;
  std::vector<std::pair<const OptionInfo*, ::CLI::Option*>> flag_options;
  for (const OptionInfo& o : option_table()) {
    if (!takes(verb.verb, o) || !may_be_given(o, words)) continue;
    const std::string spelling = *o.letter != 0 ? fmt::format("{},{}", o.letter, o.name) : std::string(o.name);
    if (o.type == Type::flag)
      flag_options.emplace_back(&o, app.add_flag(spelling, flag));
    else
      app.add_option(spelling, given[&o])
          ->expected(1)
          ->allow_extra_args(false)
          ->multi_option_policy(::CLI::MultiOptionPolicy::TakeAll);
  }
  app.add_option("operands", operands);
  try {
    std::vector<std::string> backwards(words.rbegin(), words.rend());  // as CLI11 takes them
    app.parse(backwards);
  } catch (const ::CLI::CallForHelp&) {
    return Split{true};
  } catch (const ::CLI::ExtrasError&) {
    for (const std::string& w : words)
      if (w.size() > 1 && w[0] == '-') {
        const std::string word = w.substr(0, w.find('='));
        if (app.get_option_no_throw(word) == nullptr &&
            (word[1] == '-' || app.get_option_no_throw(word.substr(0, 2)) == nullptr))
          return unknown_option(verb, w);
      }
    return error_at({}, fmt::format("'{}' takes no more operands", verb.name),
                    fmt::format("fencepost {} --help", verb.name));
  } catch (const ::CLI::ParseError& e) {
    const std::string said = e.what();  // "--grid: 1 required TEXT missing"
    const bool no_value = said.ends_with("missing") && said.find(':') != std::string::npos;
    return error_at({}, no_value ? said.substr(0, said.find(':')) + " needs a value" : said,
                    fmt::format("'fencepost {} --help' lists its options", verb.name));
  }
  for (const auto& [info, option] : flag_options)
    if (option->count() > 0) flags.push_back(info);
  return Split{};
}

}  // namespace

Expected<Parsed> parse_command_line(const std::vector<std::string>& args) {
  if (args.empty())
    return error_at({}, "no verb is given",
                    "fencepost FILE says what can be asked of a file; fencepost --help lists the verbs");
  const std::string& first = args.front();
  if (first == "--version" || first == "-V") return text(version() + "\n");
  if (first == "--help" || first == "-h" || (first == "help" && args.size() == 1)) return text(help());
  const size_t begin = first == "help" ? 1 : 0;
  size_t rest = begin + 1;  // the first argument after the verb
  std::string name = args[begin];
  if (is_group(name)) {
    const bool asks = rest == args.size() ? begin == 1 : args[rest] == "--help" || args[rest] == "-h";
    if (asks && find_verb(name) == nullptr) return text(help_of_group(name));
    // A word that is a verb itself ("hunt") may have operands behind it.
    const bool second = rest < args.size() && !args[rest].starts_with("-");
    if (second && (find_verb(name) == nullptr || find_verb(name + " " + args[rest]) != nullptr))
      name += " " + args[rest++];
  }
  const VerbInfo* verb = find_verb(name);
  if (verb == nullptr) {
    if (first.starts_with("-"))
      return error_at({}, fmt::format("'{}' stands before a verb", first), "fencepost VERB [OPTION...]");
    return unknown_verb(name);
  }
  if (first == "help") return text(help(verb->verb));

  CommandLine line;
  line.verb = verb->verb;
  const std::span<const std::string> words = std::span(args).subspan(rest);
  std::map<const OptionInfo*, std::vector<std::string>> given;
  std::vector<const OptionInfo*> flags;  // given
  if (!has_options(words)) {
    line.operands.assign(words.begin(), words.end());
  } else if (auto other = split(*verb, words, line.operands, given, flags); !other) {
    return std::unexpected(other.error());
  } else if (other->help) {
    return text(help(verb->verb));
  }
  for (const OptionInfo* f : flags) {
    if (const auto ok = store(line.settings, *f, ""); !ok) return std::unexpected(ok.error());
    line.settings.given.emplace_back(f->name);
  }
  trace::turn_off();  // of an earlier question
  for (const OptionInfo& o : option_table()) {
    const auto found = given.find(&o);
    if (found == given.end() || found->second.empty()) continue;
    if (found->second.size() > 1)
      return error_at({}, fmt::format("{} is given {} times", o.name, found->second.size()), "give it once");
    if (const auto ok = store(line.settings, o, found->second.front()); !ok) return std::unexpected(ok.error());
    line.settings.given.emplace_back(o.name);
  }
  if (line.operands.size() < verb->least)
    return error_at({}, fmt::format("'{}' needs {}", verb->name, verb->operands),
                    fmt::format("fencepost {} --help", verb->name));
  if (line.operands.size() > verb->most)
    return error_at({},
                    fmt::format("'{}' takes {}, and '{}' is one operand too many", verb->name,
                                *verb->operands != 0 ? verb->operands : "no operands", line.operands[verb->most]),
                    fmt::format("fencepost {} --help", verb->name));
  if (const auto ok = all_have_effect(line); !ok) return std::unexpected(ok.error());
  return Parsed{std::move(line), ""};
}

}  // namespace fencepost::cli
