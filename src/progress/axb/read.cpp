// Chooses the notation by the first token, reads files, and validates.
#include <fmt/format.h>

#include "axb/scan.h"
#include "base/printable.h"
#include "base/read_file.h"

namespace fencepost::axb {
namespace {

bool is_digits(std::string_view s) {
  for (const char c : s)
    if (c < '0' || c > '9') return false;
  return true;
}

std::vector<Test> read(const SourcePtr& source) {
  const Scanner first(source, true);
  if (first.at_end())
    fail_at(Span{source, 0, 0}, "the text is empty", "a progress test starts with: progress \"name\"");
  if (first.at("{")) return parse_json_lines(source);
  const std::string_view word = first.peek().text;
  if ((word.starts_with("THREAD") && is_digits(word.substr(6))) || word == "INIT" || word.starts_with("atomic_"))
    return parse_pseudo_code(source);
  return parse_text(source);
}

}  // namespace

Expected<std::vector<Test>> parse(const SourcePtr& source) {
  try {
    std::vector<Test> tests = read(source);
    // Names go into lines of text, documents and programs: they are made printable here, once.
    for (Test& t : tests) t.name = printable_name(t.name);
    return tests;
  } catch (ParseError& e) {
    return std::unexpected(std::move(e.diagnostics));
  }
}

Expected<std::vector<Test>> parse_file(const std::string& path) {
  auto source = read_file(path);
  if (!source) return std::unexpected(std::move(source.error()));
  return parse(*std::move(source));
}

bool has_compare_and_swap(const Test& test) {
  for (const Thread& t : test.threads)
    for (const Instr& i : t.code)
      if (i.compares) return true;
  return false;
}

Expected<void> validate(const Test& test) {
  if (test.threads.empty()) return error_at(test.span, "the test has no thread", "a test has 1 to 64 threads");
  if (test.threads.size() > k_max_threads)
    return error_at(test.span, fmt::format("the test has {} threads", test.threads.size()),
                    "a test has 1 to 64 threads");
  for (size_t k = 0; k < test.locations.size(); ++k) {
    const std::string& name = test.locations[k].name;
    if (!is_name(name) || is_reserved(name))
      return error_at(test.span, fmt::format("{} cannot name a location", axb::quoted(name)),
                      "a name is a letter, then letters and digits, and no keyword");
    for (size_t j = 0; j < k; ++j)
      if (test.locations[j].name == name)
        return error_at(test.span, fmt::format("two locations are named {}", axb::quoted(name)),
                        "give each location a name of its own");
  }
  for (const std::string& r : test.remarks)
    if (r.find_first_of("\n\r") != std::string::npos)
      return error_at(test.span, "a remark holds a line break", "make two remarks of it");
  for (size_t n = 0; n < test.threads.size(); ++n) {
    const std::vector<Instr>& code = test.threads[n].code;
    for (uint32_t pc = 0; pc < code.size(); ++pc) {
      const Instr& i = code[pc];
      const std::string where = fmt::format("thread {}, instruction {}", n, pc);
      if (i.location >= test.locations.size())
        return error_at(i.span, fmt::format("{}: location {} of {}", where, i.location, test.locations.size()),
                        "locations are counted from 0");
      if (i.jump > code.size())
        return error_at(i.span, fmt::format("{}: jump to {} of {} instructions", where, i.jump, code.size()),
                        fmt::format("a jump to {} is the end", code.size()));
      if (!i.exchanges && i.value != 0)
        return error_at(i.span, fmt::format("{}: does not exchange, but has the value {}", where, i.value),
                        "that value is 0 by convention, so that equal tests compare equal");
      if ((i.compares && !i.exchanges) || (i.unless && !i.compares) || (i.unless && i.jump == pc + 1))
        return error_at(i.span, fmt::format("{}: no compare-and-swap that can be written", where),
                        "it exchanges, and jumps 'unless' only where that is another place than the next instruction");
      if (is_store(i, pc) && i.check != 0)
        return error_at(i.span, fmt::format("{}: a store that compares with {}", where, i.check),
                        "that value is 0 by convention, so that equal tests compare equal");
    }
  }
  return {};
}

}  // namespace fencepost::axb
