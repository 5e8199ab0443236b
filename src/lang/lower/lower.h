#pragma once
// Instruction mappings as data: a table says what each instruction of one dialect becomes in another, and a test is
// rewritten by it. The result is printed and read again by the front end, so that it is exactly what its text says.
//
// A table (docs/lowering.md) is lines of words; '#' begins a comment.
//   lowering NAME
//   from LANGUAGE MODEL            to LANGUAGE MODEL          PTX, VULKAN, OPENCL; the models that judge
//   scope WORD -> WORD             every scope word of the source that the rules may meet
//   place LEVEL -> LEVEL           a thread's group of the source level becomes its group of the target level;
//                                  'thread' on the left: a group for each thread
//   PATTERN -> FORM [; FORM...]    or 'nothing'; the first rule that fits is taken
// Patterns and forms are dotted words, as PTX and VULKAN mnemonics are; those of OPENCL are
// load|store.plain, load|store|fence.ORDER.SCOPE, rmw.ORDER.SCOPE.OP, barrier; those of CUDA are
// load|store.plain|volatile and the names of functions. SCOPE and OP in capitals stand for any scope and operation; a
// last word '*' for any rest. An exchange is OP exch in every dialect.
// A word that no instruction of its language has is an error.
// Errors are located; what a table or a dialect cannot express is unsupported and named.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "prog/syntax.h"
#include "prog/test.h"

namespace fencepost::lower {

using Words = std::vector<std::string>;

struct Rule {
  Words from;
  std::vector<Words> to;  // empty: nothing
  Span span;
};

struct Table {
  std::string name;
  prog::Syntax from = prog::Syntax::ptx, to = prog::Syntax::ptx;
  std::string from_model, to_model;
  std::vector<std::pair<std::string, std::string>> scopes, places;
  std::vector<Rule> rules;
};

Expected<Table> parse_table(SourcePtr source);
Expected<Table> load_table(const std::string& name_or_file);  // "opencl-ptx", or a .map file
std::vector<std::string> shipped_tables();

// The test in the target's dialect: same title, registers, locations and question. `used`, if given, has a place for
// each rule, and true is put for those that some instruction has met.
Expected<prog::Test> apply(const Table& table, const prog::Test& test, std::vector<bool>* used = nullptr);
// A rule's pattern as it is written.
std::string to_string(const Rule& r);

// Tests of two and three threads with at most `accesses` accesses, over the instructions on the left of the table's
// rules. All combinations, smallest first, within these limits: at most two locations; stores write 1, 2, ... per
// location; one scope for a whole test, narrow with threads in one group, wide and narrow with each in its own; at most
// one fence in a thread, between its first two accesses, which then have no order of their own; read-modify-writes
// (exchanges) in tests of up to three accesses; of tests that differ in the order of like threads, one; every thread
// shares a location that somebody writes. Behind them, whatever `accesses` is, message passing and store buffering by
// each ordered read-modify-write and every ordered access, over each pair of fences, and store buffering over a
// barrier. `visit` returns false to stop.
struct Generated {
  uint64_t number = 0;
  prog::Test test;
};
void generate(const Table& table, uint32_t accesses, const std::function<bool(Generated)>& visit);
// Ordered read-modify-writes that are in no such test, since the table maps no access without order.
std::vector<std::string> unjudged_updates(const Table& table);
// Does the rule map something that orders: an access with an order, a fence or a barrier? (Not a relaxed fence.)
bool orders(const Rule& r);
uint64_t count_generated(const Table& table, uint32_t accesses);

}  // namespace fencepost::lower
