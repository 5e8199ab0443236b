// Our own notation (docs/progress.md):
//
//   file    := test+
//   test    := "progress" STRING ["config" STRING] {decl} thread {thread}
//   decl    := name ["=" value] {"," name ["=" value]} ";"
//   thread  := "thread" number "{" {[label ":"] instr} {name ":"} "}"
//   instr   := name "=" value ";"
//            | "exch" "(" name "," value ")" ";"
//            | "cas" "(" name "," value "," value ")" ";"
//            | "barrier" ";"
//            | "if" "(" (name | "exch" "(" name "," value ")") "==" value ")" "goto" target ";"
//            | "if" "(" "cas" "(" name "," value "," value ")" ("==" | "!=") value ")" "goto" target ";"
//   label   := number, which must be the instruction's position, or a name
//   target  := "end" | number | label
//
// Names of labels are resolved and not kept. A jump may go to the number of instructions, which is the end.
//
// cas(x, e, v) exchanges v for e; the value compared with is e, so that "==" jumps where it exchanged and "!=" where
// not.
//
// barrier; is notation: all threads of the test meet, as workgroups do that have no such instruction, through memory.
// The k-th barrier of thread t is written out as  b<k>_<t> = 1;  and, for every other thread u,  if (b<k>_<u> == 0)
// goto here; Every thread has as many barriers. A flag is set once and for all, so no jump goes backwards over a
// barrier. A barrier counts as one instruction before it is written out: numbers and jumps of the text mean what they
// say there.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "axb/scan.h"

namespace fencepost::axb {
namespace {

struct PendingJump {
  size_t instr;
  Token target;
};

struct Barrier {
  uint32_t thread = 0, pc = 0;  // where it stands, as one instruction
  Span span;
};

class TextReader {
 public:
  explicit TextReader(const SourcePtr& source) : in_(source, true) {}

  std::vector<Test> read() {
    std::vector<Test> out;
    do out.push_back(test());
    while (!in_.at_end());
    return out;
  }

 private:
  Test test();
  void declarations(Test& t);
  void thread(Test& t, std::vector<std::optional<Thread>>& threads);
  Thread body(const Test& t, uint32_t id);
  void write_out_barriers(Test& t);
  void label(std::map<std::string, uint32_t, std::less<>>& labels, uint32_t pc);
  Instr instruction(const Test& t, std::optional<Token>& target);
  std::pair<uint32_t, std::optional<Value>> operand(const Test& t);  // location, and the value exchanged
  std::pair<uint32_t, Value> exchange(const Test& t);
  uint32_t location(const Test& t);
  uint32_t resolve(const Token& target, size_t size, const std::map<std::string, uint32_t, std::less<>>& labels);
  Value swapped(const Test& t, Instr& i);  // cas(x, e, v): e

  Scanner in_;
  std::vector<Barrier> barriers_;  // of the test in hand
};

Test TextReader::test() {
  Test t;
  barriers_.clear();
  const uint32_t begin = in_.peek().begin;
  if (!in_.at("progress"))
    in_.fail_expected("'progress' and the name of a test",
                      in_.peek().kind == Tok::word
                          ? suggest(in_.peek().text, {"progress"}, "a test starts with: progress \"name\"")
                          : "a test starts with: progress \"name\"");
  in_.next();
  t.name = in_.expect_string("the name of the test");
  if (in_.accept("config")) t.config = in_.expect_string("the name of the configuration");
  declarations(t);
  if (!in_.at("thread"))
    in_.fail_expected("'thread'", in_.peek().kind == Tok::word
                                      ? suggest(in_.peek().text, {"thread"}, "write: thread 0 { ... }")
                                      : "write: thread 0 { ... }");
  t.remarks = in_.take_comment_lines();
  std::vector<std::optional<Thread>> threads;
  std::vector<Span> ids;
  while (in_.at("thread")) thread(t, threads);
  for (size_t i = 0; i < threads.size(); ++i) {
    if (!threads[i])
      fail_at(threads.back()->span, fmt::format("there is a thread {} but no thread {}", threads.size() - 1, i),
              "threads are numbered from 0 without gaps; an empty one is written: thread 0 { }");
    t.threads.push_back(std::move(*threads[i]));
  }
  t.span = in_.since(begin);
  write_out_barriers(t);
  return t;
}

void TextReader::write_out_barriers(Test& t) {
  if (barriers_.empty()) return;
  const auto threads = static_cast<uint32_t>(t.threads.size());
  std::vector<std::vector<Barrier>> of(threads);
  for (const Barrier& b : barriers_) of[b.thread].push_back(b);
  for (uint32_t n = 0; n < threads; ++n)
    if (of[n].size() != of[barriers_.front().thread].size())
      fail_at(barriers_.front().span,
              fmt::format("thread {} has {} barrier{} and thread {} has {}", barriers_.front().thread,
                          of[barriers_.front().thread].size(), of[barriers_.front().thread].size() == 1 ? "" : "s", n,
                          of[n].size()),
              "all threads of a test meet at each of its barriers");
  for (uint32_t n = 0; n < threads; ++n)
    for (const Barrier& b : of[n])
      for (uint32_t pc = b.pc; pc < t.threads[n].code.size(); ++pc)
        if (const Instr& i = t.threads[n].code[pc]; i.jump <= b.pc && pc > b.pc)
          fail_at(i.span, "a jump goes backwards over a barrier",
                  "a barrier is passed once: its flags are never taken down");
  const auto flag = [&](size_t k, uint32_t n) {
    std::string name = fmt::format("b{}_{}", k, n);
    const auto taken = [&] {
      return std::ranges::any_of(t.locations, [&](const Location& l) { return l.name == name; });
    };
    while (taken()) name += '_';
    t.locations.push_back({.name = name});
    return static_cast<uint32_t>(t.locations.size() - 1);
  };
  std::vector<std::vector<uint32_t>> flags(of.front().size());  // by barrier, then thread
  for (size_t k = 0; k < flags.size(); ++k)
    for (uint32_t n = 0; n < threads; ++n) flags[k].push_back(flag(k, n));
  for (uint32_t n = 0; n < threads; ++n) {
    const std::vector<Instr> before = std::move(t.threads[n].code);
    std::vector<uint32_t> at(before.size() + 1);  // where each instruction goes
    uint32_t next = 0;
    for (uint32_t pc = 0, k = 0; pc <= before.size(); ++pc) {
      at[pc] = next;
      const bool barrier = k < of[n].size() && of[n][k].pc == pc;
      next += barrier ? threads : 1;
      k += barrier;
    }
    std::vector<Instr> code;
    for (uint32_t pc = 0, k = 0; pc < before.size(); ++pc) {
      if (k == of[n].size() || of[n][k].pc != pc) {
        code.push_back(before[pc]);
        code.back().jump = at[before[pc].jump];
        continue;
      }
      const auto add = [&](Instr i) {
        i.span = of[n][k].span;
        code.push_back(i);
      };
      add({.location = flags[k][n], .jump = static_cast<uint32_t>(code.size()) + 1, .exchanges = true, .value = 1});
      for (uint32_t u = 0; u < threads; ++u)
        if (u != n) add({.location = flags[k][u], .check = 0, .jump = static_cast<uint32_t>(code.size())});
      ++k;
    }
    t.threads[n].code = std::move(code);
  }
}

void TextReader::declarations(Test& t) {
  while (in_.peek().kind == Tok::word && !in_.at("thread") && !in_.at("progress")) {
    do {
      const Token name = in_.peek();
      if (name.kind != Tok::word)
        in_.fail_expected("a location", "write the name of a location, declared above the threads: x = 0;");
      if (is_reserved(name.text))
        in_.fail(name, fmt::format("{} is a keyword and names no location", axb::quoted(name.text)),
                 "choose another name");
      in_.next();
      if (in_.at("{") || in_.peek().kind == Tok::number)
        in_.fail(name, fmt::format("expected 'thread', found {}", axb::quoted(name.text)), "write: thread 0 { ... }");
      for (const Location& l : t.locations)
        if (l.name == name.text)
          in_.fail(name, fmt::format("location {} is declared twice", axb::quoted(name.text)), "remove one of the two");
      Location l{.name = std::string(name.text)};
      if (in_.accept("=")) l.init = in_.expect_value("an initial value");
      t.locations.push_back(std::move(l));
    } while (in_.accept(","));
    in_.expect(";", "declarations look like: x = 0, y = 1;");
  }
}

void TextReader::thread(Test& t, std::vector<std::optional<Thread>>& threads) {
  in_.take_comment_lines();
  const Token keyword = in_.next();
  const Token id = in_.peek();
  const Value n = in_.expect_value("the number of the thread", "threads are numbered 0, 1, 2, ...");
  if (n >= k_max_threads)
    in_.fail(id, fmt::format("thread {} is one too many", n),
             fmt::format("a test has at most {} threads, numbered from 0", k_max_threads));
  if (n >= threads.size()) threads.resize(n + 1);
  if (threads[n])
    in_.fail(id, fmt::format("thread {} is given twice", n),
             "the first one stands above; threads have distinct numbers");
  in_.expect("{", "write: thread 0 { ... }");
  Thread th = body(t, n);
  th.span = in_.since(keyword.begin);
  threads[n] = std::move(th);
}

Thread TextReader::body(const Test& t, uint32_t id) {
  Thread th;
  std::map<std::string, uint32_t, std::less<>> labels;
  std::vector<PendingJump> jumps;
  while (!in_.at("}")) {
    if (in_.at_end()) in_.fail_expected("'}'", "the thread's code is not closed");
    const uint32_t begin = in_.peek().begin;
    const Token first = in_.peek();
    // A label is a number, or a name that ':' follows.
    if (first.kind == Tok::number) {
      const Value n = in_.value_of(first, "a label");
      if (n != th.code.size())
        in_.fail(first, fmt::format("this is instruction {} of its thread, not {}", th.code.size(), n),
                 "numbers at instructions count them from 0; leave them out, or use names");
      in_.next();
      in_.expect(":");
      continue;
    }
    if (first.kind != Tok::word)
      in_.fail_expected("an instruction", "write: x = 1;  or  if (x == 0) goto end;  or  if (exch(x, 1) == 1) goto 0;");
    std::optional<Token> target;
    Instr i;
    if (!is_reserved(first.text)) {
      in_.next();
      if (in_.at(":")) {
        if (!labels.emplace(std::string(first.text), static_cast<uint32_t>(th.code.size())).second)
          in_.fail(first, fmt::format("label {} is given twice in this thread", axb::quoted(first.text)),
                   "rename one of the two");
        in_.next();
        continue;
      }
      // A store: `x = 1;`
      bool known = false;
      std::vector<std::string> names;
      for (uint32_t k = 0; k < t.locations.size(); ++k) {
        names.push_back(t.locations[k].name);
        if (t.locations[k].name == first.text) i.location = k, known = true;
      }
      if (!in_.at("=")) {
        names.insert(names.end(), {"if", "exch", "cas", "barrier"});
        in_.fail(
            first, fmt::format("{} does not begin an instruction", axb::quoted(first.text)),
            suggest(first.text, names, "write: x = 1;  or  if (x == 0) goto end;  or  if (exch(x, 1) == 1) goto 0;"));
      }
      if (!known)
        in_.fail(first, fmt::format("unknown location {}", axb::quoted(first.text)),
                 suggest(first.text, names, fmt::format("declare it above the threads: {} = 0;", first.text)));
      in_.next();
      i.value = in_.expect_value("the value to store", "a store writes a constant: x = 1;");
      i.exchanges = true;
      i.jump = static_cast<uint32_t>(th.code.size()) + 1;
      in_.expect(";");
    } else if (in_.accept("barrier")) {
      barriers_.push_back({id, static_cast<uint32_t>(th.code.size()), in_.since(begin)});
      in_.expect(";");
      i.jump = static_cast<uint32_t>(th.code.size()) + 1;  // a place until it is written out
    } else {
      i = instruction(t, target);
      if (target)
        jumps.push_back({th.code.size(), *target});
      else
        i.jump = static_cast<uint32_t>(th.code.size()) + 1;
    }
    i.span = in_.since(begin);
    th.code.push_back(std::move(i));
  }
  for (const PendingJump& j : jumps) {
    Instr& i = th.code[j.instr];
    i.jump = resolve(j.target, th.code.size(), labels);
    if (i.jump == j.instr + 1) i.unless = false;                   // both ways lead there
    if (is_store(i, static_cast<uint32_t>(j.instr))) i.check = 0;  // what a store compares with does not matter
  }
  in_.take_comment_lines();  // in the code; those after the last thread belong to the next test
  in_.expect("}");
  return th;
}

Instr TextReader::instruction(const Test& t, std::optional<Token>& target) {
  Instr i;
  if (in_.at("cas")) {
    swapped(t, i);
    in_.expect(";");
    return i;
  }
  if (in_.at("exch")) {  // the value read is not looked at: a store
    std::tie(i.location, i.value) = exchange(t);
    i.exchanges = true;
    in_.expect(";");
    return i;
  }
  if (in_.at("goto"))
    in_.fail(in_.peek(), "there is no unconditional jump among the exchange-branch instructions",
             "a jump depends on a value, as in: if (x == 0) goto 2;");
  if (!in_.at("if"))
    in_.fail_expected("an instruction", "write: x = 1;  or  if (x == 0) goto end;  or  if (exch(x, 1) == 1) goto 0;");
  in_.next();
  in_.expect("(", "write: if (x == 0) goto end;");
  if (in_.at("cas")) {
    const Value expected = swapped(t, i);
    i.unless = in_.at("!=");
    if (!in_.accept("!=")) in_.expect("==", "write: if (cas(x, 0, 1) != 0) goto 0;");
    const Token value = in_.peek();
    if (in_.expect_value("the value to compare with") != expected)
      in_.fail(value, fmt::format("a compare-and-swap is compared with the value that it expects, {}", expected),
               fmt::format("'== {0}': it exchanged; '!= {0}': it did not", expected));
    in_.expect(")");
    in_.expect("goto", "write: if (cas(x, 0, 1) != 0) goto 0;");
    if (in_.peek().kind != Tok::word && in_.peek().kind != Tok::number)
      in_.fail_expected("where to jump", "a label, the number of an instruction, or 'end'");
    target = in_.next();
    in_.expect(";");
    return i;
  }
  std::optional<Value> exchanged;
  std::tie(i.location, exchanged) = operand(t);
  i.exchanges = exchanged.has_value();
  i.value = exchanged.value_or(0);
  if (in_.at("!="))
    in_.fail(in_.peek(), "an instruction compares for equality only",
             "exchange the two ways: jump on the equal value, and let the other one go on");
  if (in_.at("=")) in_.fail(in_.peek(), "'=' assigns; a comparison is written '=='", "write: if (x == 0) goto end;");
  in_.expect("==", "write: if (x == 0) goto end;");
  i.check = in_.expect_value("the value to compare with");
  in_.expect(")");
  in_.expect("goto", "write: if (x == 0) goto end;");
  if (in_.peek().kind != Tok::word && in_.peek().kind != Tok::number)
    in_.fail_expected("where to jump", "a label, the number of an instruction, or 'end'");
  target = in_.next();
  in_.expect(";");
  return i;
}

std::pair<uint32_t, std::optional<Value>> TextReader::operand(const Test& t) {
  if (!in_.at("exch")) return {location(t), std::nullopt};
  const auto [l, v] = exchange(t);
  return {l, v};
}

std::pair<uint32_t, Value> TextReader::exchange(const Test& t) {
  in_.expect("exch");
  in_.expect("(", "write: exch(x, 1)");
  const uint32_t l = location(t);
  in_.expect(",", "write: exch(x, 1)");
  const Value v = in_.expect_value("the value to exchange for");
  in_.expect(")");
  return {l, v};
}

Value TextReader::swapped(const Test& t, Instr& i) {
  const char* form = "write: cas(x, 0, 1): exchange 1 for 0";
  in_.expect("cas");
  in_.expect("(", form);
  i.location = location(t);
  in_.expect(",", form);
  i.check = in_.expect_value("the value that is expected", form);
  in_.expect(",", form);
  i.value = in_.expect_value("the value to exchange for", form);
  in_.expect(")", form);
  i.exchanges = i.compares = true;
  return i.check;
}

uint32_t TextReader::location(const Test& t) {
  const Token name = in_.peek();
  if (name.kind != Tok::word)
    in_.fail_expected("a location", "write the name of a location, declared above the threads: x = 0;");
  std::vector<std::string> names;
  for (uint32_t k = 0; k < t.locations.size(); ++k) {
    if (t.locations[k].name == name.text) {
      in_.next();
      return k;
    }
    names.push_back(t.locations[k].name);
  }
  in_.fail(name, fmt::format("unknown location {}", axb::quoted(name.text)),
           suggest(name.text, names,
                   is_reserved(name.text) ? "this is a keyword"
                                          : fmt::format("declare it above the threads: {} = 0;", name.text)));
}

uint32_t TextReader::resolve(const Token& target, size_t size,
                             const std::map<std::string, uint32_t, std::less<>>& labels) {
  if (target.text == "end") return static_cast<uint32_t>(size);
  if (target.kind == Tok::number) {
    const Value n = in_.value_of(target, "where to jump");
    if (n > size)
      in_.fail(target, fmt::format("jump to instruction {} of a thread that has {}", n, size),
               fmt::format("instructions are numbered from 0; {} or 'end' is the end", size));
    return n;
  }
  if (const auto it = labels.find(target.text); it != labels.end()) return it->second;
  std::vector<std::string> names = {"end"};
  for (const auto& [name, at] : labels) names.push_back(name);
  in_.fail(target, fmt::format("no label {} in this thread", axb::quoted(target.text)),
           suggest(target.text, names, "jump to a label of the same thread, to an instruction's number, or to 'end'"));
}

}  // namespace

std::vector<Test> parse_text(const SourcePtr& source) { return TextReader(source).read(); }

}  // namespace fencepost::axb
