// Exchange between the lanes of a warp (PTX ISA, "Data Movement and Conversion Instructions": shfl.sync; "Parallel
// Synchronization and Communication Instructions": vote.sync, match.sync, activemask, redux.sync, elect.sync).
#include <fmt/format.h>

#include "ptxmod/lower.h"

namespace fencepost::ptxmod {

using T = term::Op;

// What lanes give each other is read for warps of one thread: nobody else is there.
void Lowering::warp() {
  const std::vector<std::string>& words = node_->words;
  if (launch_.grid.subgroup != 1)
    refuse("exchange between the lanes of a warp is read for launches with one thread per warp only",
           "choose a launch 1.S.W");
  notes_.lanes = true;
  const std::string& head = words[0];
  if (head == "activemask") {
    define(argument(0), Value::constant(1, 32));
    return;
  }
  if (head == "elect" && argument(0).kind == Argument::Kind::list && argument(0).parts.size() == 2) {
    const Argument to = argument(0);
    define(to.parts[0], Value::constant(0, 32));
    define(to.parts[1], Value::constant(1, 1));
    return;
  }
  if (head == "shfl") {
    // shfl.sync.mode.b32 d|p, a, b, c, mask: the own value if the lane asked for is the own one or is out of range.
    if (words.size() < 4 || words[1] != "sync") refuse("shfl without .sync is not read");
    arguments(5);
    const std::string& mode = words[2];
    const Value a = value(argument(1), 32);
    const Expr b = number(argument(2), 32), c = number(argument(3), 32);
    const Expr none = term::constant(0, 32);
    const Expr limit = term::binary(T::and_, c, term::constant(31, 32)),
               part = term::binary(T::and_, term::binary(T::lshr, c, term::constant(8, 32)), term::constant(31, 32));
    const Expr by = term::binary(T::and_, b, term::constant(31, 32));
    // The lane is 0: the lowest of its part, whose highest is the limit without the bits of the part.
    const Expr most = term::binary(T::and_, limit, term::unary(T::not_, part));
    Expr from, inside;
    if (mode == "up") {
      from = term::unary(T::neg, by);
      inside = term::binary(T::sge, from, most);
    } else if (mode == "down" || mode == "bfly") {
      from = by;
      inside = term::binary(T::sle, from, most);
    } else if (mode == "idx") {
      from = term::binary(T::and_, by, term::unary(T::not_, part));
      inside = term::binary(T::sle, from, most);
    } else {
      fail(fmt::format("shfl has no '.{}'", mode));
    }
    const Expr other = term::binary(T::and_, inside, term::binary(T::ne, from, none));  // a lane that is not there
    Value out = a;
    if (!other.is_const(0)) {
      const Expr unknown = any(32, "lane", guarded(other));
      out = a.is(Value::Kind::opaque) ? a : select(other, Value::scalar(unknown), a);
    }
    const Argument to = argument(0);
    if (to.kind == Argument::Kind::list) {
      if (to.parts.size() != 2) fail("the results are written d|p");
      define(to.parts[0], out);
      define(to.parts[1], Value::scalar(inside));
    } else {
      define(to, out);
    }
    return;
  }
  if (head == "vote") {
    if (words.size() < 4 || words[1] != "sync") refuse("vote without .sync is not read");
    arguments(3);
    const Expr p = number(argument(1), 1);
    if (words[2] == "ballot")
      define(argument(0), Value::scalar(term::resize(p, 32, false)));
    else if (words[2] == "all" || words[2] == "any")
      define(argument(0), Value::scalar(p));
    else if (words[2] == "uni")
      define(argument(0), Value::constant(1, 1));
    else
      fail(fmt::format("vote has no '.{}'", words[2]));
    return;
  }
  // match.{any,all}.sync.type d[|p], a, mask: the lanes with the same value; p, of .all: all have it.
  if (head == "match" && words.size() == 4 && words[2] == "sync" && (words[1] == "any" || words[1] == "all")) {
    arguments(3);
    const Argument to = argument(0);
    if (to.kind != Argument::Kind::list) {
      define(to, Value::constant(1, 32));
      return;
    }
    if (words[1] != "all" || to.parts.size() != 2) fail("only .all has a second result, d|p");
    define(to.parts[0], Value::constant(1, 32));
    define(to.parts[1], Value::constant(1, 1));
    return;
  }
  if (head == "redux" && words.size() == 4 && words[1] == "sync") {
    arguments(3);
    define(argument(0), value(argument(1), 32));
    return;
  }
  refuse("this instruction is not read", "docs/ptx-modules.md lists the instructions that are");
}

}  // namespace fencepost::ptxmod
