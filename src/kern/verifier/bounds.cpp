#include "verifier/bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/front.h"

namespace fencepost::verifier {
namespace {

using namespace ir;
using launch::Size;

constexpr uint64_t k_threads = 1024;
constexpr std::array<uint64_t, 3> k_block = {1024, 1024, 64}, k_grid = {0x7fffffff, 65535, 65535};

uint64_t most_threads(const clangfe::HostKernel* kernel) {
  return kernel == nullptr ? k_threads : std::min(k_threads, kernel->most_threads.value_or(k_threads));
}

// The size of a block that the kernel's calls ask for, along one axis.
Size asked(const clangfe::HostKernel* kernel, uint32_t d) {
  return kernel == nullptr || kernel->needs.empty() ? Size{} : Size{kernel->needs.front().size[d]};
}

}  // namespace

std::string impossible(const launch::Launch& l, const clangfe::HostKernel* kernel) {
  uint64_t threads = 1;
  for (uint32_t d = 0; d < 3; ++d) {
    const Size block = l.local(d), grid = l.groups(d);
    if (block && *block > k_block[d])
      return fmt::format("a block of {} threads along {} cannot be launched: at most {}", *block, "xyz"[d], k_block[d]);
    if (grid && *grid > k_grid[d])
      return fmt::format("a grid of {} blocks along {} cannot be launched: at most {}", *grid, "xyz"[d], k_grid[d]);
    threads *= block.value_or(1);
  }
  if (threads > most_threads(kernel))
    return fmt::format("a block of {} threads cannot be launched: at most {}{}", threads, most_threads(kernel),
                       most_threads(kernel) < k_threads ? ", by __launch_bounds__" : "");
  if (kernel == nullptr) return "";
  for (const clangfe::BlockNeed& n : kernel->needs)
    for (uint32_t d = 0; d < 3; ++d)
      for (const Size& size : {l.local(d), asked(kernel, d)})
        if (size && *size != n.size[d])
          return fmt::format("'{}' is for blocks of {}x{}x{} threads, and is called in one of {} along {}", n.what,
                             n.size[0], n.size[1], n.size[2], *size, "xyz"[d]);
  return "";
}

std::string excluded(const launch::Launch& l, const Module& m, FunctionId kernel) {
  const Function& f = m.function(kernel);
  if (f.blocks.empty()) return "";
  std::vector<const Compute*> made(f.values.size());
  for (const Instruction& i : f.blocks[0].instructions) {
    if (const auto* c = std::get_if<Compute>(&i.action); c != nullptr && !i.results.empty())
      made[i.results[0].index] = c;
    const auto* a = std::get_if<Annotation>(&i.action);
    const Compute* eq = a == nullptr || a->note != Note::requires_ || a->candidate ? nullptr : made[a->condition.index];
    if (eq == nullptr || eq->op != Op::eq) continue;
    for (size_t k = 0; k < 2; ++k) {
      const Compute* id = made[eq->operands[k].index];
      if (id != nullptr && id->op == Op::zext) id = made[id->operands[0].index];
      const Value& n = f.value(eq->operands[1 - k]);
      if (id == nullptr || id->op != Op::id || id->imm != static_cast<uint64_t>(IdKind::local_size) ||
          n.kind != Value::constant)
        continue;
      if (const Size size = l.local(id->dimension); size && *size != n.constant_bits)
        return fmt::format("a group of {} threads along {} cannot be launched: the kernel requires {}", *size,
                           "xyz"[id->dimension], n.constant_bits);
    }
  }
  return "";
}

bool bound_sizes(Module& m, FunctionId kernel, const launch::Launch& l, const clangfe::HostKernel* host) {
  Front front(m.functions[kernel.index]);
  const uint64_t most = most_threads(host);
  uint64_t fixed = 1;
  std::vector<ValueId> free;
  for (uint32_t d = 0; d < 3; ++d) fixed *= l.local(d).value_or(1);
  const auto at_most = [&](ValueId v, uint64_t n) {
    front.require(front.make({.op = Op::ule, .operands = {v, front.number(n)}}, 1));
  };
  for (uint32_t d = 0; d < 3; ++d) {
    if (!l.local(d)) {
      const ValueId size = front.size(IdKind::local_size, d);
      if (const Size need = asked(host, d)) {
        front.require(front.make({.op = Op::eq, .operands = {size, front.number(*need)}}, 1));
      } else {
        at_most(size, std::min(k_block[d], std::max<uint64_t>(1, most / fixed)));
        free.push_back(size);
      }
    }
    if (d > 0 && !l.groups(d)) at_most(front.size(IdKind::num_groups, d), k_grid[d]);
  }
  if (free.size() > 1) {
    ValueId all = free[0];
    for (size_t k = 1; k < free.size(); ++k) all = front.make({.op = Op::mul, .operands = {all, free[k]}}, 32);
    at_most(all, std::max<uint64_t>(1, most / fixed));
  }
  front.done();
  return front.any();
}

bool meets_grid(const Module& m, FunctionId kernel) {
  std::vector<FunctionId> todo{kernel};
  std::vector<uint8_t> seen(m.functions.size());
  while (!todo.empty()) {
    const FunctionId f = todo.back();
    todo.pop_back();
    if (std::exchange(seen[f.index], 1) != 0) continue;
    for (const Block& b : m.function(f).blocks)
      for (const Instruction& i : b.instructions) {
        if (const auto* x = std::get_if<Barrier>(&i.action); x != nullptr && x->scope == Scope::device) return true;
        if (const auto* c = std::get_if<Call>(&i.action); c != nullptr && c->callee) todo.push_back(c->callee);
      }
  }
  return false;
}

}  // namespace fencepost::verifier
