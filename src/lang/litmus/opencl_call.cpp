// Functions of OPENCL threads: the atomics of C11 with the explicit scopes of OpenCL C 2.0 (section 6.13.11),
// fences and work-group barriers (section 6.13.8).
//
// Without an order: memory_order_seq_cst; without a scope: memory_scope_device. A compare-exchange that fails is a
// load with the order of failure (OpenCL C 3.0 section 6.15.12.7.6); the releasing part of release and acq_rel, which
// C forbids there and published tests write, does nothing for a load. A weak compare-exchange may fail although it
// finds what it expects (6.15.12.7.6, "may fail spuriously"): such a failure is the same load, and the function gives
// false. memory_order_consume is read as relaxed, the weaker reading.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "litmus/opencl_lower.h"
#include "prog/shape.h"

namespace fencepost::litmus::opencl {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using term::Op;
using vocab::Tag;

namespace {

constexpr std::array<const char*, 6> k_orders = {"memory_order_relaxed", "memory_order_consume",
                                                 "memory_order_acquire", "memory_order_release",
                                                 "memory_order_acq_rel", "memory_order_seq_cst"};

struct NamedScope {
  const char* name;
  Tag tag;
};
constexpr std::array<NamedScope, 5> k_scopes = {{{"memory_scope_work_item", Tag::WI},
                                                 {"memory_scope_work_group", Tag::WG},
                                                 {"memory_scope_device", Tag::DV},
                                                 {"memory_scope_all_svm_devices", Tag::ALL},
                                                 {"memory_scope_all_devices", Tag::ALL}}};

std::vector<std::string> function_names() {
  std::vector<std::string> out = {"atomic_thread_fence",
                                  "atomic_work_item_fence",
                                  "mem_fence",
                                  "read_mem_fence",
                                  "write_mem_fence",
                                  "barrier",
                                  "work_group_barrier",
                                  "min",
                                  "max"};
  for (const char* name : {"atomic_flag_test_and_set", "atomic_flag_clear"}) {
    out.emplace_back(name);
    out.push_back(fmt::format("{}_explicit", name));
  }
  for (const char* op : {"load", "store", "exchange", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor",
                         "fetch_min", "fetch_max", "compare_exchange_strong", "compare_exchange_weak"}) {
    out.push_back(fmt::format("atomic_{}", op));
    out.push_back(fmt::format("atomic_{}_explicit", op));
  }
  return out;
}

std::string order_of(const Expr& e) {
  std::vector<std::string> names(k_orders.begin(), k_orders.end());
  if (e.kind == Expr::Kind::name && std::find(names.begin(), names.end(), e.op) != names.end()) return e.op;
  fail_at(e.span, "a memory order is expected here",
          e.kind == Expr::Kind::name
              ? suggest(e.op, names, "write memory_order_relaxed, _acquire, _release, _acq_rel or _seq_cst")
              : "write memory_order_relaxed, _acquire, _release, _acq_rel or _seq_cst");
}

Tag scope_of(const Expr& e) {
  std::vector<std::string> names;
  for (const NamedScope& s : k_scopes) {
    if (e.kind == Expr::Kind::name && e.op == s.name) return s.tag;
    names.emplace_back(s.name);
  }
  if (e.kind == Expr::Kind::name && e.op == "memory_scope_sub_group")
    unsupported(e.span, "the sub-group scope has no place in the OpenCL models here", "use memory_scope_work_group");
  fail_at(e.span, "a memory scope is expected here",
          e.kind == Expr::Kind::name
              ? suggest(e.op, names, "write memory_scope_work_group, _device or _all_svm_devices")
              : "write memory_scope_work_group, _device or _all_svm_devices");
}

Tag load_order(const std::string& order) {
  if (order == "memory_order_acquire" || order == "memory_order_acq_rel") return Tag::ACQ;
  return order == "memory_order_seq_cst" ? Tag::SC : Tag::RLX;
}

Tag store_order(const std::string& order) {
  if (order == "memory_order_release" || order == "memory_order_acq_rel") return Tag::REL;
  return order == "memory_order_seq_cst" ? Tag::SC : Tag::RLX;
}

Tag fence_order(const std::string& order) {
  if (order == "memory_order_acquire") return Tag::ACQ;
  if (order == "memory_order_release") return Tag::REL;
  if (order == "memory_order_acq_rel") return Tag::ACQ_REL;
  return order == "memory_order_seq_cst" ? Tag::SC : Tag::RLX;
}

void check_arguments(const Expr& e, size_t least, size_t most, std::string_view usage) {
  if (e.kids.size() >= least && e.kids.size() <= most) return;
  const std::string count = least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
  fail_at(
      e.span,
      fmt::format("{} takes {} argument{}, not {}", litmus::quoted(e.op), count, most == 1 ? "" : "s", e.kids.size()),
      fmt::format("write {}", usage));
}

// CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, or 0.
void fence_flags(const Expr& e, vocab::TagSet& tags) {
  if (e.kind == Expr::Kind::binary && e.op == "|") {
    fence_flags(*e.kids[0], tags);
    fence_flags(*e.kids[1], tags);
  } else if (e.kind == Expr::Kind::name && e.op == "CLK_GLOBAL_MEM_FENCE") {
    tags.add(Tag::GLOBAL);
  } else if (e.kind == Expr::Kind::name && e.op == "CLK_LOCAL_MEM_FENCE") {
    tags.add(Tag::LOCAL);
  } else if (e.kind == Expr::Kind::name && e.op == "CLK_IMAGE_MEM_FENCE") {
    unsupported(e.span, "image memory is not supported", "use CLK_GLOBAL_MEM_FENCE");
  } else if (!(e.kind == Expr::Kind::number && e.number == 0)) {
    fail_at(e.span, "fence flags are expected here",
            "write CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE or both joined by |");
  }
}

std::string flags_text(const vocab::TagSet& tags) {
  if (tags.has(Tag::GLOBAL) && tags.has(Tag::LOCAL)) return "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE";
  if (tags.has(Tag::GLOBAL)) return "CLK_GLOBAL_MEM_FENCE";
  return tags.has(Tag::LOCAL) ? "CLK_LOCAL_MEM_FENCE" : "0";
}

}  // namespace

Value Lowering::call(const Expr& e, bool wanted, Dest* dest) {
  if (cuda()) return cuda_call(e, wanted, dest);
  std::string name = e.op;
  if (name == "SCAS") name = "atomic_compare_exchange_strong";
  if (name == "WCAS") name = "atomic_compare_exchange_weak";
  if (name == "min" || name == "max") return minmax(e);
  if (name == "atomic_work_item_fence" || name == "atomic_thread_fence" || name.ends_with("mem_fence"))
    return fence_call(e);
  if (name.find("barrier") != std::string::npos) fail_at(e.span, "a barrier is a statement", "write it on its own");
  if (name.starts_with("atomic_")) {
    std::string operation = name.substr(7);
    const bool is_explicit = operation.ends_with("_explicit");
    if (is_explicit) operation.resize(operation.size() - 9);
    if (operation == "compare_exchange_strong" || operation == "compare_exchange_weak")
      return compare_exchange(e, name, is_explicit, wanted, dest);
    if (operation == "flag_test_and_set" || operation == "flag_clear")
      return flag_call(e, operation == "flag_clear", is_explicit, wanted, dest);
    for (const char* known : {"load", "store", "exchange", "fetch_add", "fetch_sub", "fetch_and", "fetch_or",
                              "fetch_xor", "fetch_min", "fetch_max"})
      if (operation == known) return atomic_call(e, operation, is_explicit, wanted, dest);
  }
  const std::string hint = suggest(e.op, function_names(),
                                   "known are atomic_load, atomic_store, atomic_exchange, atomic_fetch_*, "
                                   "atomic_compare_exchange_*, atomic_flag_*, fences and barriers");
  fail_at(e.span, fmt::format("unknown function {}", litmus::quoted(e.op)), hint);
}

Value Lowering::atomic_call(const Expr& e, const std::string& operation, bool is_explicit, bool wanted, Dest* dest) {
  const bool is_load = operation == "load";
  const size_t operands = is_load ? 1 : 2;
  const std::string usage = fmt::format("{}(p{}{})", e.op, is_load ? "" : ", value",
                                        is_explicit ? ", memory_order_relaxed[, memory_scope_device]" : "");
  check_arguments(e, operands + (is_explicit ? 1 : 0), operands + (is_explicit ? 2 : 0), usage);
  return atomic_at(std::nullopt, e, operation, is_explicit, wanted, dest);
}

// An atomic operation at `at`, or where its first argument says.
Value Lowering::atomic_at(const std::optional<Place>& at, const Expr& e, const std::string& operation, bool is_explicit,
                          bool wanted, Dest* dest) {
  const bool is_load = operation == "load";
  const bool is_store = operation == "store";
  const size_t operands = is_load ? 1 : 2;
  Instr i;
  i.mnemonic = e.op;
  std::string order = "memory_order_seq_cst";
  Tag scope = Tag::DV;
  if (is_explicit) {
    order = order_of(*e.kids[operands]);
    i.spelling.push_back(order);
    if (e.kids.size() > operands + 1) {
      scope = scope_of(*e.kids[operands + 1]);
      i.spelling.push_back(e.kids[operands + 1]->op);
    }
    const bool acquires = order == "memory_order_acquire" || order == "memory_order_consume";
    if ((is_load && (order == "memory_order_release" || order == "memory_order_acq_rel")) ||
        (is_store && (acquires || order == "memory_order_acq_rel")))
      fail_at(e.kids[operands]->span, fmt::format("a {} cannot have the order {}", operation, order),
              is_load ? "write memory_order_acquire, or relaxed, or seq_cst"
                      : "write memory_order_release, or relaxed, or seq_cst");
  }
  const Place p = at ? *at : place_of(value(*e.kids[0]), e.kids[0]->span);
  const CType type = p.type.plain();
  i.addr = p.addr;
  if (is_load) {
    i.kind = Kind::load;
    i.tags = {Tag::A, load_order(order), scope};
    const prog::RegId reg = i.dst = destination(dest, type);
    emit(std::move(i), e.span);
    return register_value(reg, type);
  }
  const term::Expr operand = convert(value(*e.kids[1]), type, e.kids[1]->span);
  i.args = {operand};
  i.tags = {Tag::A, store_order(order), scope};
  Value none;
  none.is_void = true;
  if (is_store) {
    i.kind = Kind::store;
    i.value = operand;
    emit(std::move(i), e.span);
    return none;
  }
  if (type.pointer() && operation != "exchange" && operation != "fetch_add" && operation != "fetch_sub")
    fail_at(e.span, fmt::format("{} of a pointer", litmus::quoted(operation)), "use intptr_t");
  i.kind = Kind::rmw;
  i.store_tags = i.tags;
  i.tags = {Tag::A, load_order(order), scope};
  const uint8_t width = type.value_width();
  const term::Expr old = term::variable(prog::k_old_value, width);
  const bool s = type.value_signed();
  if (operation == "exchange")
    i.value = operand;
  else if (operation == "fetch_add")
    i.value = term::binary(Op::add, old, operand);
  else if (operation == "fetch_sub")
    i.value = term::binary(Op::sub, old, operand);
  else if (operation == "fetch_and")
    i.value = term::binary(Op::and_, old, operand);
  else if (operation == "fetch_or")
    i.value = term::binary(Op::or_, old, operand);
  else if (operation == "fetch_xor")
    i.value = term::binary(Op::xor_, old, operand);
  else if (operation == "fetch_min")
    i.value = term::binary(s ? Op::smin : Op::umin, old, operand);
  else
    i.value = term::binary(s ? Op::smax : Op::umax, old, operand);
  if (!wanted) {
    emit(std::move(i), e.span);
    return none;
  }
  const prog::RegId reg = i.dst = destination(dest, type);
  emit(std::move(i), e.span);
  return register_value(reg, type);
}

// A flag is an atomic_int that is 0 (clear) or 1 (set): to set it is to exchange it with 1, to clear it is to store 0
// (OpenCL C 3.0, 6.15.12.7.8 and 6.15.12.7.9). So it is also printed and run.
Value Lowering::flag_call(const Expr& e, bool clear, bool is_explicit, bool wanted, Dest* dest) {
  check_arguments(e, is_explicit ? 2 : 1, is_explicit ? 3 : 1,
                  fmt::format("{}(p{})", e.op, is_explicit ? ", memory_order_acquire[, memory_scope_device]" : ""));
  Expr same;
  same.kind = Expr::Kind::call;
  same.span = e.span;
  const std::string operation = clear ? "store" : "exchange";
  same.op = fmt::format("atomic_{}{}", operation, is_explicit ? "_explicit" : "");
  const auto add = [&](const Expr& from) {
    same.kids.push_back(std::make_unique<Expr>());
    same.kids.back()->kind = from.kind;
    same.kids.back()->op = from.op;
    same.kids.back()->span = from.span;
    return same.kids.back().get();
  };
  Value flag = value(*e.kids[0]);
  if (!flag.type.pointer() || !flag.type.flag)
    fail_at(e.kids[0]->span, "this is not the address of an atomic_flag", "declare the parameter as atomic_flag*");
  flag.type.flag = false;
  const Place place = place_of(flag, e.kids[0]->span);
  add(*e.kids[0]);
  Expr* number = add(*e.kids[0]);
  number->kind = Expr::Kind::number;
  number->number = clear ? 0 : 1;
  for (size_t k = 1; k < e.kids.size(); ++k) add(*e.kids[k]);
  return atomic_at(place, same, operation, is_explicit, wanted, dest);
}

Value Lowering::compare_exchange(const Expr& e, const std::string& mnemonic, bool is_explicit, bool wanted,
                                 Dest* dest) {
  check_arguments(
      e, is_explicit ? 5 : 3, is_explicit ? 6 : 3,
      fmt::format("{}(p, expected, desired{})", mnemonic,
                  is_explicit ? ", memory_order_acq_rel, memory_order_acquire[, memory_scope_device]" : ""));
  Instr rmw;
  rmw.kind = Kind::rmw;
  rmw.mnemonic = mnemonic;
  std::string order = "memory_order_seq_cst";
  Tag scope = Tag::DV;
  if (is_explicit) {
    order = order_of(*e.kids[3]);
    rmw.spelling = {order, order_of(*e.kids[4])};
    if (e.kids.size() > 5) {
      scope = scope_of(*e.kids[5]);
      rmw.spelling.push_back(e.kids[5]->op);
    }
  }
  rmw.tags = {Tag::A, load_order(order), scope};
  rmw.store_tags = {Tag::A, store_order(order), scope};
  rmw.failed_tags = prog::opencl_failed_tags(rmw.tags, rmw.spelling);

  const Place object = place_of(value(*e.kids[0]), e.kids[0]->span);
  const CType type = object.type.plain();

  // Expected: a variable (&r, or r of integer type) or memory.
  const Expr* expected = e.kids[1].get();
  if (expected->kind == Expr::Kind::unary && expected->op == "&" && expected->kids[0]->kind == Expr::Kind::name)
    expected = expected->kids[0].get();
  const auto var = expected->kind == Expr::Kind::name ? variables_.find(expected->op) : variables_.end();
  const bool in_register = var != variables_.end() && (expected != e.kids[1].get() || !var->second.type.pointer());
  Place memory;
  if (!in_register) memory = place_of(value(*e.kids[1]), e.kids[1]->span);
  if (!in_register && memory.type.value_width() != type.value_width())
    unsupported(e.kids[1]->span, "expected and object have different widths", "declare them with one type");
  const term::Expr desired = convert(value(*e.kids[2]), type, e.kids[2]->span);

  term::Expr want;
  if (in_register) {
    want = convert(register_value(var->second.reg, var->second.type), type, e.kids[1]->span);
  } else {
    Instr load;
    load.kind = Kind::load;
    load.mnemonic = "cas.expected";
    load.addr = memory.addr;
    load.tags = {Tag::NA};
    const prog::RegId reg = load.dst = temporary(type);
    emit(std::move(load), e.span);
    want = register_value(reg, type).e;
  }
  rmw.addr = object.addr;
  rmw.value = desired;
  rmw.guard = term::binary(Op::eq, term::variable(prog::k_old_value, type.value_width()), want);
  rmw.args = {want, desired};
  const prog::RegId old = rmw.dst = temporary(type);
  const bool weak = mnemonic.starts_with("atomic_compare_exchange_weak");
  const prog::RegId spurious = rmw.spurious = weak ? temporary(int_type()) : k_none;
  emit(std::move(rmw), e.span);
  Value success;
  success.e = term::binary(Op::eq, register_value(old, type).e, want);
  if (weak)
    success.e = term::binary(Op::and_, std::move(success.e),
                             term::unary(Op::not_, term::truth(register_value(spurious, int_type()).e)));

  const auto result = [&]() -> Value {
    if (!wanted) {
      Value none;
      none.is_void = true;
      return none;
    }
    const prog::RegId reg = destination(dest, int_type());
    Instr i;
    i.kind = Kind::local;
    i.mnemonic = "cas.result";
    i.dst = reg;
    i.value = term::resize(success.e, t_.registers[reg].width, false);
    i.args = {i.value};
    emit(std::move(i), e.span);
    return register_value(reg, int_type());
  };
  if (in_register) {
    // The result is read off before `expected` changes.
    if (dest && dest->name == var->first) dest = nullptr;
    const prog::RegId reg = var->second.reg;
    const CType var_type = var->second.type;
    const Value v = result();
    Instr i;
    i.kind = Kind::local;
    i.mnemonic = "cas.update";
    i.dst = reg;
    i.value = convert(register_value(old, type), var_type, e.span);
    i.args = {i.value};
    emit(std::move(i), e.span);
    return v;
  }
  const If failed = begin_if(term::unary(Op::not_, success.e), false, e.span);
  t_.code.back().mnemonic = "cas.branch";
  Instr back;
  back.kind = Kind::store;
  back.mnemonic = "cas.failure";
  back.addr = memory.addr;
  back.value = register_value(old, type).e;
  back.args = {back.value};
  back.tags = {Tag::NA, Tag::WI};
  emit(std::move(back), e.span);
  end_if(failed, e.span);
  t_.code.back().mnemonic = "cas.end";
  return result();
}

Value Lowering::fence_call(const Expr& e) {
  Value none;
  none.is_void = true;
  Instr i;
  i.kind = Kind::fence;
  i.mnemonic = e.op;
  vocab::TagSet tags = {Tag::F};
  if (e.op == "atomic_work_item_fence") {
    check_arguments(e, 3, 3, "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)");
    vocab::TagSet spaces;
    fence_flags(*e.kids[0], spaces);
    const std::string order = order_of(*e.kids[1]);
    i.spelling = {flags_text(spaces), order};
    tags |= spaces;
    tags.add(fence_order(order)).add(scope_of(*e.kids[2]));
    i.spelling.push_back(e.kids[2]->op);
  } else if (e.op == "atomic_thread_fence") {
    // C11's fence knows neither scope nor space: device scope, as atomics without a scope, and both spaces.
    check_arguments(e, 1, 1, "atomic_thread_fence(memory_order_acq_rel)");
    const std::string order = order_of(*e.kids[0]);
    i.spelling = {order};
    tags |= {fence_order(order), Tag::DV, Tag::GLOBAL, Tag::LOCAL};
  } else if (e.op == "mem_fence" || e.op == "read_mem_fence" || e.op == "write_mem_fence") {
    // OpenCL C 2.0 section 6.13.8 defines these by atomic_work_item_fence at work-group scope.
    check_arguments(e, 1, 1, fmt::format("{}(CLK_GLOBAL_MEM_FENCE)", e.op));
    vocab::TagSet spaces;
    fence_flags(*e.kids[0], spaces);
    i.spelling = {flags_text(spaces)};
    tags |= spaces;
    tags.add(e.op == "mem_fence" ? Tag::ACQ_REL : e.op == "read_mem_fence" ? Tag::ACQ : Tag::REL).add(Tag::WG);
  } else {
    fail_at(e.span, fmt::format("unknown function {}", litmus::quoted(e.op)),
            suggest(e.op, function_names(), "fences are atomic_work_item_fence and mem_fence"));
  }
  i.tags = tags;
  emit(std::move(i), e.span);
  return none;
}

Value Lowering::barrier_call(const Expr& e, const std::string& label) {
  Value none;
  none.is_void = true;
  if (cuda())
    fail_at(e.span, fmt::format("unknown function {}", litmus::quoted(e.op)), "the barrier of CUDA is __syncthreads()");
  if (e.op == "sub_group_barrier") unsupported(e.span, "sub-group barriers are not supported", "use barrier");
  if (e.op != "barrier" && e.op != "work_group_barrier")
    fail_at(e.span, fmt::format("unknown function {}", litmus::quoted(e.op)),
            suggest(e.op, function_names(), "barriers are barrier and work_group_barrier"));
  check_arguments(e, 1, 2, fmt::format("{}(CLK_GLOBAL_MEM_FENCE)", e.op));
  if (ast_.scope.empty())
    fail_at(e.span, fmt::format("thread P{} belongs to no work-group", ast_.id),
            fmt::format("write P{}@wg 0, dev 0", ast_.id));
  Instr i;
  i.kind = Kind::barrier;
  i.mnemonic = e.op;
  vocab::TagSet spaces;
  fence_flags(*e.kids[0], spaces);
  i.spelling = {flags_text(spaces)};
  i.tags = {Tag::F, Tag::B, Tag::ACQ_REL, Tag::WG};
  i.tags |= spaces;
  if (e.kids.size() > 1) {
    if (scope_of(*e.kids[1]) != Tag::WG)
      unsupported(e.kids[1]->span, "a work-group barrier with another memory scope is not supported",
                  "write memory_scope_work_group");
    i.spelling.push_back(e.kids[1]->op);
  }
  // Unnamed barriers meet in the order in which they stand in their threads.
  i.barrier.instance = label.empty() ? fmt::format("#{}", unnamed_barriers_++) : label;
  i.barrier.level = *vocab::level_of(vocab::Dialect::opencl, "wg");
  emit(std::move(i), e.span);
  return none;
}

}  // namespace fencepost::litmus::opencl
