#include "kernels.h"

#include <map>
#include <sstream>

using namespace fencepost;
using namespace fencepost::code;
using term::Expr;
using term::Op;

const std::optional<device::cuda::Assembler>& ptxas() {
  static const std::optional<device::cuda::Assembler> found = device::cuda::find_assembler();
  return found;
}

namespace {

Expr c32(uint64_t v) { return term::constant(v, 32); }
Expr c64(uint64_t v) { return term::constant(v, 64); }

constexpr Op k_binary[] = {Op::add,  Op::sub, Op::mul,  Op::sdiv, Op::udiv, Op::srem, Op::urem, Op::and_, Op::or_,
                           Op::xor_, Op::shl, Op::lshr, Op::ashr, Op::smin, Op::smax, Op::umin, Op::umax, Op::eq,
                           Op::ne,   Op::slt, Op::sle,  Op::sgt,  Op::sge,  Op::ult,  Op::ule,  Op::ugt,  Op::uge};

}  // namespace

Kernel every_statement() {
  Kernel k;
  k.name = "every_statement";
  k.buffers = {{"memory"}, {"out"}};
  k.shared_words = 64;
  const Var a = add_variable(k, "a"), b = add_variable(k, "b"), wide = add_variable(k, "wide", 64),
            more = add_variable(k, "more", 64), bit = add_variable(k, "bit", 1),
            other = add_variable(k, "other_bit", 1), i = add_variable(k, "i"), old = add_variable(k, "old"),
            old_wide = add_variable(k, "old_wide", 64), time = add_variable(k, "time", 64),
            sum = add_variable(k, "sum"), group = add_variable(k, "group"), lane = add_variable(k, "lane"),
            groups = add_variable(k, "groups"), lanes = add_variable(k, "lanes");
  const auto v = [&](Var x) { return value_of(k, x); };
  uint64_t next = 0;
  std::vector<Statement> body;
  const auto put = [&](Expr e) {  // to the next words of out
    if (e.width() == 1) e = term::resize(e, 32, false);
    const bool two = e.width() == 64;
    if (two) next += next % 2;
    body.push_back(store({1, c32(next), e.width()}, e));
    next += two ? 2 : 1;
  };
  body.push_back(note("the ids of the launch"));
  body.push_back(read_builtin(group, Builtin::group));
  body.push_back(read_builtin(lane, Builtin::lane));
  body.push_back(read_builtin(groups, Builtin::groups));
  body.push_back(read_builtin(lanes, Builtin::lanes));
  for (Var x : {group, lane, groups, lanes}) put(v(x));
  // memory: 0..3 operands, 8.. atomics
  body.push_back(load(a, {0, c32(0)}));
  body.push_back(load(b, {0, c64(1)}, Order::group));
  body.push_back(load(wide, {0, c32(2), 64}, Order::device));
  body.push_back(load(more, {0, c32(4), 64}));
  body.push_back(set(bit, term::binary(Op::ult, v(a), v(b))));
  body.push_back(set(other, term::binary(Op::eq, term::resize(v(wide), 32, false), v(b))));
  for (const Op op : k_binary) {
    put(term::binary(op, v(a), v(b)));
    put(term::binary(op, v(b), v(a)));
    put(term::binary(op, v(a), c32(0)));
    put(term::binary(op, v(wide), v(more)));
    put(term::binary(op, v(more), term::binary(Op::and_, v(wide), c64(0x7f))));
    put(term::binary(op, v(bit), v(other)));
    put(term::binary(op, v(other), v(bit)));
    put(term::binary(op, v(other), v(other)));
  }
  put(term::binary(Op::sdiv, c32(0x80000000), v(b)));
  put(term::binary(Op::srem, c32(0x80000000), v(b)));
  for (const Op op : {Op::not_, Op::neg})
    put(term::unary(op, v(a))), put(term::unary(op, v(wide))), put(term::unary(op, v(bit)));
  put(term::ite(v(bit), v(a), v(b)));
  put(term::ite(v(bit), v(wide), v(more)));
  put(term::ite(v(bit), v(other), v(bit)));
  put(term::resize(v(a), 64, false));
  put(term::resize(v(a), 64, true));
  put(term::resize(v(bit), 64, true));
  put(term::resize(v(bit), 32, true));
  put(term::resize(v(wide), 32, false));
  put(term::resize(v(more), 1, false));
  put(term::binary(Op::xor_, v(a), v(a)));
  for (const bool shared : {false, true}) {
    const uint32_t in = shared ? k_shared : 0;
    const uint64_t at = shared ? 0 : 8;
    if (shared)
      for (uint64_t w = 0; w < 16; ++w) body.push_back(store({in, c32(w)}, c32(w + 7)));
    body.push_back(barrier());
    for (const Order o : {Order::group, Order::device}) {
      for (const AtomicOp op : {AtomicOp::add, AtomicOp::exchange, AtomicOp::or_, AtomicOp::max}) {
        body.push_back(atomic(op, old, {in, c32(at)}, v(b), o));
        put(v(old));
        body.push_back(atomic(op, old_wide, {in, c64(at + 2), 64}, v(wide), o));
        put(v(old_wide));
        body.push_back(atomic(op, k_no_var, {in, c32(at + 1)}, v(a), o));
      }
      for (const uint64_t expected : {0ull, 12ull}) {
        body.push_back(atomic(AtomicOp::compare_exchange, old, {in, c32(at + 4)}, v(a), o, c32(expected)));
        put(v(old));
        body.push_back(atomic(AtomicOp::compare_exchange, old_wide, {in, c32(at + 6), 64}, v(wide), o, c64(expected)));
        put(v(old_wide));
      }
      body.push_back(store({in, term::binary(Op::and_, v(b), c32(7))}, c32(99), o));
      body.push_back(store({in, term::binary(Op::and_, v(wide), c64(6)), 64}, v(more), o));
    }
    for (uint64_t w = 0; w < 8; ++w) body.push_back(load(old, {in, c32(at + w)})), put(v(old));
  }
  body.push_back(fence());
  body.push_back(clock(time));
  body.push_back(pause(c32(10)));
  body.push_back(pause(term::binary(Op::and_, v(b), c32(15))));
  // sum of i for i < 10 except 5, by a nested loop that leaves at once
  body.push_back(loop({leave_if(term::binary(Op::uge, v(i), c32(10))),
                       branch(term::binary(Op::eq, v(i), c32(5)), {note("five")},
                              {set(sum, term::binary(Op::add, v(sum), v(i))), loop({leave_if()})}),
                       set(i, term::binary(Op::add, v(i), c32(1)))}));
  put(v(sum));
  put(v(i));
  k.body = std::move(body);
  return k;
}

std::optional<Kernel> straight_kernel(const prog::Test& test, std::string& why) {
  Kernel k;
  k.name = "straight";
  k.buffers = {{"where"}, {"memory"}, {"out"}};
  const Var group = add_variable(k, "group");
  k.body.push_back(read_builtin(group, Builtin::group));
  std::vector<Var> place;
  for (const prog::Object& o : test.objects) {
    place.push_back(add_variable(k, "at" + std::to_string(place.size())));
    k.body.push_back(load(place.back(), {0, c32(place.size() - 1)}));
    if (o.tags.has(vocab::Tag::SHARED)) k.shared_words = 1024;
  }
  uint32_t out = 0;
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    const prog::Template& code = test.code(t);
    std::vector<Var> regs;
    for (const prog::Register& r : code.registers) {
      if (r.width != 1 && r.width != 32 && r.width != 64) {
        why = "a register of " + std::to_string(r.width) + " bits";
        return std::nullopt;
      }
      regs.push_back(add_variable(k, "r" + std::to_string(t) + "_" + std::to_string(regs.size()), r.width));
    }
    const auto here = [&](const Expr& e) {
      return term::substitute(
          e, [&](uint64_t r, uint8_t) { return r == prog::k_old_value ? Expr() : value_of(k, regs[r]); });
    };
    std::vector<Statement> body;
    for (uint32_t p = 0; p < code.code.size(); ++p) {
      const prog::Instr& i = code.code[p];
      if (i.kind == prog::Kind::label || i.kind == prog::Kind::jump || i.kind == prog::Kind::branch) continue;
      if (i.kind == prog::Kind::local) {
        body.push_back(set(regs[i.dst], here(i.value)));
        continue;
      }
      Operation op;
      op.role = t;
      op.position = p;
      op.instr = i;
      op.dialect = test.dialect;
      if (i.kind != prog::Kind::fence && i.kind != prog::Kind::barrier) {
        const prog::ObjectId object = i.addr.symbol == prog::k_none ? 0 : test.symbols[i.addr.symbol].object;
        const prog::Object& o = test.objects[object];
        op.place = {o.tags.has(vocab::Tag::SHARED) ? k_shared : 1, value_of(k, place[object]), o.width};
        if (i.addr.index)
          op.place.index = term::binary(Op::add, op.place.index, term::resize(here(i.addr.index), 32, false));
      }
      const auto fitted = [&](const Expr& e, uint8_t w) { return e ? term::resize(here(e), w, true) : e; };
      op.guard = i.guard ? here(i.guard) : Expr();
      op.value = i.kind == prog::Kind::store ? fitted(i.value, op.place.width) : i.value ? here(i.value) : Expr();
      op.result = i.result ? here(i.result) : Expr();
      if (i.dst != prog::k_none) op.var = regs[i.dst];
      k.operations.push_back(op);
      body.push_back(code::test(static_cast<uint32_t>(k.operations.size() - 1)));
    }
    for (const Var r : regs) {
      const uint8_t w = k.variables[r].width;
      body.push_back(store({2, c32(out), w == 64 ? uint8_t{64} : uint8_t{32}},
                           w == 1 ? term::resize(value_of(k, r), 32, false) : value_of(k, r)));
      out += 2;
    }
    k.body.push_back(branch(term::binary(Op::eq, value_of(k, group), c32(t)), std::move(body)));
  }
  return k;
}

Kernel role_of(const std::vector<std::string>& instructions, bool shared, uint8_t width) {
  Kernel k;
  k.name = "role";
  k.buffers = {{"where"}, {"memory"}, {"out"}};
  if (shared) k.shared_words = 64;
  std::map<std::string, Var> places;
  std::vector<Statement> body, after;
  const Var lane = add_variable(k, "lane");  // no address is the same for a whole warp
  k.body.push_back(read_builtin(lane, Builtin::lane));
  uint64_t out = 0;
  for (const std::string& text : instructions) {
    std::istringstream in(text);
    std::string mnemonic, location, value, second;
    in >> mnemonic >> location >> value >> second;
    Operation op;
    op.position = static_cast<uint32_t>(k.operations.size());
    op.instr.mnemonic = mnemonic;
    const std::string head = mnemonic.substr(0, mnemonic.find('.'));
    const auto number = [&](const std::string& s) { return term::constant(std::stoull(s), width); };
    const Expr old = term::variable(prog::k_old_value, width);
    if (head == "fence" || head == "membar") {
      op.instr.kind = prog::Kind::fence;
    } else if (head == "bar") {
      op.instr.kind = prog::Kind::barrier;
      op.instr.barrier.instance = "0";
    } else {
      if (!places.contains(location)) {
        const Var at = add_variable(k, "at_" + location);
        k.body.push_back(load(at, {0, term::binary(Op::add, value_of(k, lane), c32(1024 * places.size()))}));
        places.emplace(location, at);
      }
      op.place = {shared ? k_shared : 1, value_of(k, places[location]), width};
      const bool writes_only = head == "st" || head == "red", reads_only = head.ends_with("ld");
      if (!writes_only) op.var = add_variable(k, "r" + std::to_string(op.position), width);
      op.instr.kind = reads_only ? prog::Kind::load : head == "st" ? prog::Kind::store : prog::Kind::rmw;
      if (head == "st") op.value = number(value);
      if (op.instr.kind == prog::Kind::rmw) {
        const bool cas = mnemonic.find("cas") != std::string::npos, exch = mnemonic.find("exch") != std::string::npos;
        op.value =
            cas    ? term::ite(term::binary(Op::eq, old, number(value)), number(second), old)
            : exch ? number(value)
                   : term::binary(mnemonic.find("max") != std::string::npos ? Op::umax : Op::add, old, number(value));
      }
      if (!writes_only) {
        after.push_back(store({2, c32(out), width}, value_of(k, op.var)));
        out += 2;
      }
    }
    k.operations.push_back(op);
    body.push_back(code::test(op.position));
  }
  k.body.insert(k.body.end(), body.begin(), body.end());
  k.body.insert(k.body.end(), after.begin(), after.end());
  return k;
}
