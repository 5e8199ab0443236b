#include "trial/kernel.h"

#include <utility>

#include "term/term.h"

namespace fencepost::trial {
namespace {

using code::Order;
using code::Place;
using code::Statement;
using code::Var;
using term::Expr;
using term::Op;

Expr number(uint64_t v) { return term::constant(v, 32); }

class Writer {
 public:
  Writer(const axb::Test& test, const KernelOptions& options) : test_(test), options_(options) {
    k_.name = "progress";
    k_.buffers = {{"parameters", true}, {"roles", true}, {"memory", false}, {"sync", false}, {"ends", false}};
    gid_ = code::add_variable(k_, "gid");
    lane_ = code::add_variable(k_, "lane_id");
    size_ = code::add_variable(k_, "group_size");
    thread_ = code::add_variable(k_, "role_thread");
    instance_ = code::add_variable(k_, "instance");
    instances_ = code::add_variable(k_, "instances");
    padding_ = code::add_variable(k_, "padding");
    most_ = code::add_variable(k_, "most_steps");
    low_ = code::add_variable(k_, "limit_low");
    high_ = code::add_variable(k_, "limit_high");
    limit_ = code::add_variable(k_, "time_limit", 64);
    start_ = code::add_variable(k_, "began", 64);
    now_ = code::add_variable(k_, "now", 64);
    pc_ = code::add_variable(k_, "pc");
    steps_ = code::add_variable(k_, "steps");
    flag_ = code::add_variable(k_, "flag");
    end_ = code::add_variable(k_, "how");
    old_ = code::add_variable(k_, "old_value");
    count_ = code::add_variable(k_, "counted");
    left_ = code::add_variable(k_, "left_to_do");
  }

  code::Kernel write() {
    auto& body = k_.body;
    prologue(body);
    std::vector<Statement> role;
    for (uint32_t t = 0; t < test_.threads.size(); ++t)
      role.push_back(code::branch(is(thread_, t), thread(test_.threads[t])));
    std::vector<Statement> none = {code::set(end_, end(End::no_role))};
    contend(none);
    body.push_back(code::branch(is(thread_, k_no_thread), std::move(none), std::move(role)));
    // Who was stopped is not counted: the counter is the number of invocations that came to their end.
    body.push_back(
        code::branch(term::binary(Op::or_, is(end_, static_cast<uint32_t>(End::ended)),
                                  is(end_, static_cast<uint32_t>(End::no_role))),
                     {code::atomic(code::AtomicOp::add, count_, at(Buffer::sync, number(k_sync_counter)), number(1))}));
    body.push_back(code::store(at(Buffer::ends, value(gid_)),
                               term::binary(Op::or_, value(end_), term::binary(Op::shl, value(pc_), number(8)))));
    return std::move(k_);
  }

 private:
  Expr value(Var v) const { return code::value_of(k_, v); }
  Expr is(Var v, uint32_t n) const { return term::binary(Op::eq, value(v), number(n)); }
  static Expr end(End e) { return number(static_cast<uint32_t>(e)); }
  static Place at(Buffer b, Expr index) { return {static_cast<uint32_t>(b), std::move(index), 32}; }
  Statement parameter(Var v, Parameter p) const {
    return code::load(v, at(Buffer::parameters, number(static_cast<uint32_t>(p))));
  }

  void prologue(std::vector<Statement>& body) {
    body.push_back(code::read_builtin(gid_, code::Builtin::group));
    body.push_back(code::read_builtin(size_, code::Builtin::lanes));
    body.push_back(code::read_builtin(lane_, code::Builtin::lane));
    body.push_back(
        code::set(gid_, term::binary(Op::add, term::binary(Op::mul, value(gid_), value(size_)), value(lane_))));
    body.push_back(parameter(low_, Parameter::limit_low));
    body.push_back(parameter(high_, Parameter::limit_high));
    body.push_back(code::set(
        limit_, term::binary(Op::or_, term::resize(value(low_), 64, false),
                             term::binary(Op::shl, term::resize(value(high_), 64, false), term::constant(32, 64)))));
    body.push_back(parameter(most_, Parameter::steps));
    body.push_back(parameter(instances_, Parameter::instances));
    body.push_back(parameter(padding_, Parameter::padding));
    const Expr entry = term::binary(Op::mul, value(gid_), number(k_role_words));
    body.push_back(code::load(thread_, at(Buffer::roles, entry)));
    body.push_back(code::load(instance_, at(Buffer::roles, term::binary(Op::add, entry, number(1)))));
    body.push_back(code::clock(start_));
  }

  Place location(uint32_t l) const {
    const Expr word = term::binary(Op::add, term::binary(Op::mul, number(l), value(instances_)), value(instance_));
    return at(Buffer::memory, term::binary(Op::mul, word, value(padding_)));
  }

  void instruction(const axb::Instr& i, uint32_t pc, std::vector<Statement>& out) const {
    const bool fenced = options_.order != exports::Order::relaxed;
    const bool partial = options_.order == exports::Order::acq_rel;
    if (fenced) out.push_back(code::fence(partial));
    if (i.compares)
      out.push_back(code::atomic(code::AtomicOp::compare_exchange, old_, location(i.location), number(i.value),
                                 Order::device, number(i.check)));
    else if (i.exchanges)
      out.push_back(code::atomic(code::AtomicOp::exchange, old_, location(i.location), number(i.value)));
    else if (options_.loads == exports::Loads::add)
      out.push_back(code::atomic(code::AtomicOp::add, old_, location(i.location), number(0)));
    else
      out.push_back(code::load(old_, location(i.location), Order::device));
    if (fenced) out.push_back(code::fence(partial));
    const Expr next = number(pc + 1);
    const Expr jump = number(i.jump);
    out.push_back(code::set(pc_, axb::is_store(i, pc)
                                     ? next
                                     : term::ite(is(old_, i.check), i.unless ? next : jump, i.unless ? jump : next)));
  }

  void watchdog(std::vector<Statement>& out) const {
    std::vector<Statement> look = {
        code::load(flag_, at(Buffer::sync, number(k_sync_flag)), Order::device),
        code::clock(now_),
    };
    const Expr late = term::binary(Op::uge, term::binary(Op::sub, value(now_), value(start_)), value(limit_));
    const Expr over = term::binary(Op::or_, late, term::binary(Op::uge, value(steps_), value(most_)));
    look.push_back(code::branch(
        term::binary(Op::and_, is(flag_, 0), over),
        {code::store(at(Buffer::sync, number(k_sync_flag)), number(1), Order::device), code::set(flag_, number(1))}));
    out.push_back(code::branch(
        term::binary(Op::eq, term::binary(Op::and_, value(steps_), number(k_look - 1)), number(0)), std::move(look)));
    out.push_back(code::leave_if(term::binary(Op::ne, value(flag_), number(0))));
    out.push_back(code::set(steps_, term::binary(Op::add, value(steps_), number(1))));
  }

  std::vector<Statement> thread(const axb::Thread& t) const {
    const auto length = static_cast<uint32_t>(t.code.size());
    std::vector<Statement> chain;  // if pc = 0 .. else if pc = 1 ..
    for (uint32_t pc = length; pc-- > 0;) {
      std::vector<Statement> body;
      instruction(t.code[pc], pc, body);
      std::vector<Statement> whole = {code::branch(is(pc_, pc), std::move(body), std::move(chain))};
      chain = std::move(whole);
    }
    std::vector<Statement> loop = {code::leave_if(term::binary(Op::uge, value(pc_), number(length)))};
    if (options_.watchdog) watchdog(loop);
    for (Statement& s : chain) loop.push_back(std::move(s));
    const Expr done = term::binary(Op::uge, value(pc_), number(length));
    const Expr begun = term::binary(Op::ne, value(steps_), number(0));
    return {
        code::loop(std::move(loop)),
        code::set(end_, term::ite(done, end(End::ended), term::ite(begun, end(End::waiting), end(End::unstarted))))};
  }

  // Invocations without a role add 0 to the locations, one after another.
  void contend(std::vector<Statement>& out) const {
    const Expr words = term::binary(Op::mul, number(static_cast<uint32_t>(test_.locations.size())), value(instances_));
    const Expr word = term::binary(Op::urem, term::binary(Op::add, value(gid_), value(left_)), words);
    out.push_back(parameter(left_, Parameter::contention));
    out.push_back(code::loop({code::leave_if(is(left_, 0)),
                              code::atomic(code::AtomicOp::add, old_,
                                           at(Buffer::memory, term::binary(Op::mul, word, value(padding_))), number(0)),
                              code::set(left_, term::binary(Op::sub, value(left_), number(1)))}));
  }

  const axb::Test& test_;
  KernelOptions options_;
  code::Kernel k_;
  Var gid_, lane_, size_, thread_, instance_, instances_, padding_, most_, low_, high_, limit_, start_, now_, pc_,
      steps_, flag_, end_, old_, count_, left_;
};

}  // namespace

code::Kernel make_kernel(const axb::Test& test, const KernelOptions& options) {
  code::Kernel k = Writer(test, options).write();
  const std::string fault = code::fault_of(k);
  FENCEPOST_INVARIANT(fault.empty(), fault.c_str());
  return k;
}

std::vector<uint32_t> role_table(const exports::Layout& layout, uint32_t spread) {
  const uint32_t total = layout.total * spread;
  std::vector<uint32_t> words(size_t{total} * k_role_words);
  for (uint32_t gid = 0; gid < total; ++gid) {
    const auto role = gid % spread == 0 ? exports::role_of(layout, gid / spread) : std::nullopt;
    words[size_t{gid} * k_role_words] = role ? role->thread : k_no_thread;
    words[size_t{gid} * k_role_words + 1] = role ? role->instance : 0;
  }
  return words;
}

}  // namespace fencepost::trial
