// The published notation, one test per text. Locations and positions are numbers; blank lines and line breaks mean
// nothing. The order of the arguments differs from the paper's AXB(...).
//
//   THREAD0
//   atomic_store(location, value)
//   atomic_chk_branch(location, check, target)
//   atomic_exch_branch(location, check, exchanged, target)     target: a position in the thread, or END
//   THREAD1
//   ...
//
// Two additions of ours, which the published tools refuse. The compare-and-swap, jumping where it exchanged or where it
// did not: atomic_cas_branch and atomic_cas_fail_branch, with the arguments of atomic_exch_branch. And INIT(location,
// value) before the first thread; ours writes it only where the initial value is not 0 or the location is used by no
// instruction.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "axb/scan.h"

namespace fencepost::axb {
namespace {

const std::vector<std::string> k_instructions = {"atomic_store", "atomic_chk_branch", "atomic_exch_branch",
                                                 "atomic_cas_branch", "atomic_cas_fail_branch"};

// Numbered locations become as many Location values as the largest number asks for; a slip such as 10000000 should not.
constexpr Value k_most_locations = 4096;

class PseudoCodeReader {
 public:
  explicit PseudoCodeReader(const SourcePtr& source) : in_(source, true) {}
  Test read();

 private:
  bool at_thread() const { return in_.peek().kind == Tok::word && in_.peek().text.starts_with("THREAD"); }
  uint32_t location(Test& t);
  Thread body(Test& t);
  Instr instruction(Test& t, uint32_t pc, Token& target);

  Scanner in_;
};

uint32_t PseudoCodeReader::location(Test& t) {
  const Token token = in_.peek();
  const Value l = in_.expect_value("a location", "this notation numbers locations from 0");
  if (l >= k_most_locations)
    in_.fail(token, fmt::format("location {} is out of range", l),
             fmt::format("there are at most {}", k_most_locations));
  while (t.locations.size() <= l)
    t.locations.push_back({.name = default_location_name(static_cast<uint32_t>(t.locations.size()))});
  return l;
}

Instr PseudoCodeReader::instruction(Test& t, uint32_t pc, Token& target) {
  const Token op = in_.next();
  Instr i;
  in_.expect("(", "write the arguments in parentheses");
  i.location = location(t);
  const char* more =
      "atomic_store(location, value); atomic_chk_branch(location, check, target); "
      "atomic_exch_branch(location, check, exchanged, target)";
  in_.expect(",", more);
  if (op.text == "atomic_store") {
    i.exchanges = true;
    i.value = in_.expect_value("the value to store", more);
    i.jump = pc + 1;
    target = Token{};
    in_.expect(")", more);
    return i;
  }
  i.check = in_.expect_value("the value to compare with", more);
  in_.expect(",", more);
  if (op.text != "atomic_chk_branch") {
    i.exchanges = true;
    i.compares = op.text != "atomic_exch_branch";
    i.unless = op.text == "atomic_cas_fail_branch";
    i.value = in_.expect_value("the value to exchange for", more);
    in_.expect(",", more);
  }
  if (!in_.at("END") && in_.peek().kind != Tok::number)
    in_.fail_expected("where to jump", "a position in the thread, counted from 0, or END");
  target = in_.next();
  in_.expect(")", more);
  return i;
}

Thread PseudoCodeReader::body(Test& t) {
  Thread th;
  std::vector<Token> targets;
  while (!in_.at_end() && !at_thread()) {
    const Token op = in_.peek();
    if (std::ranges::find(k_instructions, op.text) == k_instructions.end()) {
      const std::string known = fmt::format("{}", fmt::join(k_instructions, ", "));
      if (op.kind != Tok::word) in_.fail_expected("an instruction", known);
      std::vector<std::string> near = k_instructions;
      near.emplace_back("THREAD0");
      in_.fail(op, fmt::format("{} is not an instruction", axb::quoted(op.text)),
               suggest(op.text, near, "known: " + known));
    }
    Token target;
    Instr i = instruction(t, static_cast<uint32_t>(th.code.size()), target);
    i.span = in_.since(op.begin);
    th.code.push_back(std::move(i));
    targets.push_back(target);
    in_.accept(";");
  }
  for (size_t pc = 0; pc < th.code.size(); ++pc) {
    if (targets[pc].kind == Tok::end) continue;  // a store
    Instr& i = th.code[pc];
    if (targets[pc].text == "END") {
      i.jump = static_cast<uint32_t>(th.code.size());
    } else {
      i.jump = in_.value_of(targets[pc], "where to jump");
      if (i.jump > th.code.size())
        in_.fail(targets[pc], fmt::format("jump to instruction {} of a thread that has {}", i.jump, th.code.size()),
                 fmt::format("instructions are numbered from 0; {} or END is the end", th.code.size()));
    }
    if (is_store(i, static_cast<uint32_t>(pc))) i.check = 0;
    if (i.jump == pc + 1) i.unless = false;
  }
  return th;
}

// The published tests lie at .../2t_3i_22/22.txt: configuration 2t3i, number 22. Any other file gives its name to the
// test.
void name_after_file(Test& t, std::string_view path) {
  const size_t slash = path.find_last_of('/');
  std::string_view stem = slash == std::string_view::npos ? path : path.substr(slash + 1);
  stem = stem.substr(0, stem.find('.', 1));
  if (stem.empty() || stem == "-" || stem.starts_with('<')) return;
  t.name = stem;
  if (slash == std::string_view::npos) return;
  std::string_view folder = path.substr(0, slash);
  folder = folder.substr(folder.find_last_of('/') + 1);  // npos + 1 == 0
  std::vector<std::string> numbers(1);
  for (const char c : folder) {
    if (c >= '0' && c <= '9')
      numbers.back() += c;
    else if (c == '_')
      numbers.emplace_back();
  }
  if (numbers.size() != 3 || std::ranges::any_of(numbers, &std::string::empty) ||
      folder != fmt::format("{}t_{}i_{}", numbers[0], numbers[1], numbers[2]) || stem != numbers[2])
    return;
  t.config = fmt::format("{}t{}i", numbers[0], numbers[1]);
  t.name = fmt::format("{}/{}", t.config, numbers[2]);
}

Test PseudoCodeReader::read() {
  Test t;
  name_after_file(t, in_.source()->name);
  const uint32_t begin = in_.peek().begin;
  std::vector<bool> given;
  while (in_.at("INIT")) {
    const Token init = in_.next();
    in_.expect("(", "write: INIT(0, 1)");
    const uint32_t l = location(t);
    given.resize(std::max<size_t>(given.size(), l + 1));
    if (given[l])
      in_.fail(init, fmt::format("location {} is given an initial value twice", l), "remove one of the two");
    given[l] = true;
    in_.expect(",", "write: INIT(0, 1)");
    t.locations[l].init = in_.expect_value("an initial value");
    in_.expect(")", "write: INIT(0, 1)");
    in_.accept(";");
  }
  if (!at_thread())
    in_.fail_expected("'THREAD0'", in_.peek().kind == Tok::word && in_.peek().text.starts_with("atomic_")
                                       ? "instructions stand below the line that names their thread"
                                       : "this looks like the published pseudo-code, which starts with THREAD0");
  t.remarks = in_.take_comment_lines();
  while (!in_.at_end()) {
    if (!at_thread()) in_.fail_expected("'THREAD' and its number", "write: THREAD0");
    const Token name = in_.next();
    Token digits = name;
    digits.text.remove_prefix(6);
    if (digits.text.empty() && in_.peek().kind == Tok::number) digits = in_.next();
    if (digits.text.empty()) in_.fail(name, "a thread needs its number", "write: THREAD0");
    const Value n = in_.value_of(digits, "the number of the thread");
    if (n < t.threads.size())
      in_.fail(name, fmt::format("thread {} is given twice", n), "a text in this notation holds one test");
    if (n >= k_max_threads)
      in_.fail(name, fmt::format("thread {} is one too many", n),
               fmt::format("a test has at most {} threads, numbered from 0", k_max_threads));
    if (n > t.threads.size())
      in_.fail(name, fmt::format("expected thread {}, found thread {}", t.threads.size(), n),
               "threads are numbered from 0, in order");
    Thread th = body(t);
    th.span = in_.since(name.begin);
    t.threads.push_back(std::move(th));
  }
  t.span = in_.since(begin);
  return t;
}

}  // namespace

std::vector<Test> parse_pseudo_code(const SourcePtr& source) { return {PseudoCodeReader(source).read()}; }

}  // namespace fencepost::axb
