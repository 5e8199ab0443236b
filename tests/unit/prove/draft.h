#pragma once
// Kernels built by hand, for the tests of the prover.
#include <gtest/gtest.h>

#include "ir/ir.h"
#include "ir/verify.h"
#include "prove/prove.h"

namespace fencepost::prove {

using namespace ir;

inline constexpr Type k_int{Type::bits, 32}, k_bit{Type::bits, 1}, k_pointer{Type::pointer, 32};

class Draft {
 public:
  Draft() {
    m.sources.push_back(make_source("k.cl", std::string(200, '\n')));
    f.name = f.symbol = "foo";
    f.kernel = f.body = true;
    at = block();
  }
  BlockId block() {
    f.blocks.push_back({{}, Return{}, {}});
    return {static_cast<uint32_t>(f.blocks.size() - 1)};
  }
  ValueId value(Value v) {
    f.values.push_back(std::move(v));
    return {static_cast<uint32_t>(f.values.size() - 1)};
  }
  ValueId constant(uint64_t bits, Type t = k_int) {
    return value({.kind = Value::constant, .type = t, .constant_bits = bits});
  }
  ValueId pointer_parameter(const std::string& name) {
    Region r;
    r.name = name;
    r.owner = {0};
    r.element = 4;
    m.regions.push_back(r);
    const RegionId id{static_cast<uint32_t>(m.regions.size() - 1)};
    f.parameters.push_back({name, k_pointer, static_cast<uint32_t>(f.parameters.size()), id});
    return value({.kind = Value::parameter,
                  .type = k_pointer,
                  .index = static_cast<uint32_t>(f.parameters.size() - 1),
                  .name = name});
  }
  ValueId scalar_parameter(const std::string& name, Type t = k_int) {
    f.parameters.push_back({name, t, static_cast<uint32_t>(f.parameters.size()), {}});
    return value(
        {.kind = Value::parameter, .type = t, .index = static_cast<uint32_t>(f.parameters.size() - 1), .name = name});
  }
  ValueId group_array(const std::string& name, uint64_t size) {
    Region r;
    r.name = name;
    r.space = Space::group;
    r.origin = Origin::variable;
    r.element = 4;
    r.size = size;
    m.regions.push_back(r);
    return value(
        {.kind = Value::region_address, .type = k_pointer, .region = {static_cast<uint32_t>(m.regions.size() - 1)}});
  }
  PlaceId place() {
    m.places.push_back({0, static_cast<uint32_t>(m.places.size() + 1), 1, {}});
    return {static_cast<uint32_t>(m.places.size() - 1)};
  }
  ValueId put(Action a, Type t) {
    const ValueId r = value({.kind = Value::result, .type = t});
    f.blocks[at.index].instructions.push_back({{r}, std::move(a), place()});
    return r;
  }
  void put(Action a) { f.blocks[at.index].instructions.push_back({{}, std::move(a), place()}); }
  ValueId op(Op o, ValueId a, ValueId b, bool nsw = false) {
    const bool truth = o >= Op::eq && o <= Op::uge;
    return put(Compute{.op = o, .operands = {a, b}, .no_signed_wrap = nsw}, truth ? k_bit : f.value(a).type);
  }
  ValueId id(IdKind k, uint8_t dimension = 0) {
    return put(Compute{.op = Op::id, .imm = static_cast<uint64_t>(k), .dimension = dimension}, k_int);
  }
  ValueId lid() { return id(IdKind::local_id); }
  ValueId gid() { return id(IdKind::group_id); }
  ValueId global_id() { return op(Op::add, op(Op::mul, gid(), id(IdKind::local_size)), lid()); }
  ValueId element(ValueId array, ValueId index) {
    const ValueId bytes = op(Op::mul, index, constant(4), true);
    return put(Compute{.op = Op::pointer_add, .operands = {array, bytes}}, k_pointer);
  }
  std::vector<RegionId> regions(ValueId array) {
    const Value& v = f.value(array);
    return {v.kind == Value::parameter ? f.parameters[v.index].region : v.region};
  }
  ValueId load(ValueId array, ValueId index) {
    return put(Load{{.pointer = element(array, index), .bytes = 4, .regions = regions(array), .site = m.sites++}},
               k_int);
  }
  void store(ValueId array, ValueId index, ValueId v) {
    put(Store{{.pointer = element(array, index), .bytes = 4, .regions = regions(array), .site = m.sites++}, v});
  }
  ValueId atomic_add(ValueId array, ValueId index, ValueId v) {
    return put(
        Atomic{.op = AtomicOp::add,
               .access = {.pointer = element(array, index), .bytes = 4, .regions = regions(array), .site = m.sites++},
               .operands = {v},
               .spelling = "atomic_add"},
        k_int);
  }
  void barrier(bool local = true, bool global = true) {
    put(Barrier{.local_fence = constant(local ? 1 : 0, k_bit), .global_fence = constant(global ? 1 : 0, k_bit)});
  }
  void note(Note n, ValueId c) { put(Annotation{n, c}); }
  void jump(BlockId to) { f.blocks[at.index].terminator = Jump{to}; }
  void branch(ValueId c, BlockId t, BlockId e) { f.blocks[at.index].terminator = Branch{c, t, e}; }
  // if (c) { body }
  template <class Body>
  void when(ValueId c, Body body) {
    const BlockId then = block(), join = block();
    branch(c, then, join);
    at = then;
    body();
    jump(join);
    at = join;
  }
  // One of two values, by the side that was taken.
  template <class Then, class Otherwise>
  ValueId either(ValueId c, Then then_value, Otherwise other_value) {
    const BlockId then = block(), otherwise = block(), join = block();
    branch(c, then, otherwise);
    at = then;
    const ValueId a = then_value();
    const BlockId then_end = at;
    jump(join);
    at = otherwise;
    const ValueId b = other_value();
    const BlockId other_end = at;
    jump(join);
    at = join;
    const ValueId v = value({.kind = Value::result, .type = k_int, .name = "v"});
    f.blocks[join.index].instructions.push_back({{v}, Phi{.entries = {{then_end, a}, {other_end, b}}}, {}});
    return v;
  }
  // for (i = from, j = start; i `compare` to; i += step, j = more(i, j)) body(i, j); j afterwards.
  template <class More, class Body>
  ValueId accumulate(ValueId from, Op compare, ValueId to, uint64_t step, ValueId start, More more, Body body) {
    const BlockId before = at, header = block(), inside = block(), after = block();
    jump(header);
    at = header;
    const ValueId i = value({.kind = Value::result, .type = k_int, .name = "i"});
    const ValueId j = value({.kind = Value::result, .type = k_int, .name = "j"});
    f.blocks[header.index].instructions.push_back({{i}, Phi{}, {}});
    f.blocks[header.index].instructions.push_back({{j}, Phi{}, {}});
    header_notes(i);
    branch(op(compare, i, to), inside, after);
    at = inside;
    body(i, j);
    const ValueId n = op(Op::add, i, constant(step)), m = more(i, j);
    jump(header);
    std::get<Phi>(f.blocks[header.index].instructions[0].action).entries = {{before, from}, {at, n}};
    std::get<Phi>(f.blocks[header.index].instructions[1].action).entries = {{before, start}, {at, m}};
    at = after;
    return j;
  }
  // for (i = from; i `compare` to; i = next(i)) body(i)
  template <class Next, class Body>
  void loop(ValueId from, Op compare, ValueId to, Next next, Body body) {
    const BlockId before = at, header = block(), inside = block(), after = block();
    jump(header);
    at = header;
    const ValueId i = value({.kind = Value::result, .type = k_int, .name = "i"});
    const size_t phi = f.blocks[header.index].instructions.size();
    f.blocks[header.index].instructions.push_back({{i}, Phi{}, {}});
    header_notes(i);
    branch(op(compare, i, to), inside, after);
    at = inside;
    body(i);
    const ValueId n = next(i);
    jump(header);
    std::get<Phi>(f.blocks[header.index].instructions[phi].action).entries = {{before, from}, {at, n}};
    at = after;
  }
  template <class Body>
  void count(ValueId from, ValueId to, uint64_t step, Body body) {
    loop(from, Op::slt, to, [&](ValueId i) { return op(Op::add, i, constant(step), true); }, body);
  }
  std::function<void(ValueId)> header_notes = [](ValueId) {};

  Result run(uint64_t local = 64, uint64_t groups = 4, double seconds = 0) {
    m.functions = {f};
    const auto faults = ir::faults(m);
    EXPECT_TRUE(faults.empty()) << (faults.empty() ? "" : faults.front());
    options.launch.local_size[0] = local;
    options.launch.num_groups[0] = groups;
    return prove(m, {0}, options, seconds > 0 ? Job::with_budget(seconds) : Job{});
  }
  Status verdict(uint64_t local = 64, uint64_t groups = 4, double seconds = 0) {
    last = run(local, groups, seconds);
    return last.verdict.status;
  }

  Module m;
  Function f;
  BlockId at;
  Options options;
  Result last;
};

}  // namespace fencepost::prove
