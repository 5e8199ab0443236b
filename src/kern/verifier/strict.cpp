#include "verifier/strict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace fencepost::verifier {
namespace {

using namespace ir;

// Arithmetic of the source on signed numbers. The step from an index to its bytes is none: outside of an array there is
// nothing to access.
bool signed_arithmetic(const Module& m) {
  for (const Function& f : m.functions) {
    std::set<uint32_t> steps;
    for (const Block& b : f.blocks)
      for (const Instruction& i : b.instructions)
        if (const auto* c = std::get_if<Compute>(&i.action); c != nullptr && c->op == Op::pointer_add)
          steps.insert(c->operands[1].index);
    for (const Block& b : f.blocks)
      for (const Instruction& i : b.instructions)
        if (const auto* c = std::get_if<Compute>(&i.action); c != nullptr && c->no_signed_wrap &&
                                                             !(c->op == Op::mul && steps.contains(i.results[0].index) &&
                                                               f.value(c->operands[1]).kind == Value::constant))
          return true;
  }
  return false;
}

// Arrays that the kernel is given by pointers, if there are two and one of them is written.
std::vector<std::string> given(const Module& m, FunctionId kernel) {
  std::vector<std::string> names;
  std::set<uint32_t> written;
  for (const Function& f : m.functions)
    for (const Block& b : f.blocks)
      for (const Instruction& i : b.instructions) {
        if (const auto* s = std::get_if<Store>(&i.action))
          for (const RegionId r : s->access.regions) written.insert(r.index);
        if (const auto* a = std::get_if<Atomic>(&i.action))
          for (const RegionId r : a->access.regions) written.insert(r.index);
      }
  bool any = false;
  bool parameter = false;
  for (uint32_t r = 0; r < m.regions.size(); ++r) {
    const Region& x = m.regions[r];
    const bool own = x.origin == Origin::parameter && x.owner == kernel;
    // The host may give a pointer to an array of file scope, too.
    const bool of_file = x.origin == Origin::variable && x.space == Space::global;
    if (!own && !of_file) continue;
    names.push_back(x.name);
    parameter = parameter || own;
    any = any || written.contains(r);
  }
  if (!any || !parameter || names.size() < 2) names.clear();
  return names;
}

}  // namespace

std::vector<std::string> taken_for_granted(const Module& m, FunctionId kernel, const launch::Options& o,
                                           const prove::Result& proof, const std::string& source) {
  std::vector<std::string> out(proof.assumptions.begin(), proof.assumptions.end());
  if (signed_arithmetic(m)) out.emplace_back("signed numbers do not overflow");
  if (proof.small_offsets) out.emplace_back("offsets are less than 2^46 bytes");
  if (const auto names = given(m, kernel); !names.empty())
    out.push_back(fmt::format("{} are different arrays", fmt::join(names, ", ")));
  if (!proof.warps.empty()) out.emplace_back("threads of a warp go in lock-step");
  if (*o.dialect == Dialect::cuda && !o.cuda_arch && source.find("__CUDA_ARCH__") != std::string::npos)
    out.push_back(fmt::format("__CUDA_ARCH__ is {}", launch::cuda_arch_of(o)));
  for (const Function& f : m.functions)
    for (const Block& b : f.blocks)
      for (const Instruction& i : b.instructions)
        if (const auto* n = std::get_if<Annotation>(&i.action);
            n != nullptr && n->note == Note::assume && !n->candidate && where(m, i.place) != "")
          out.push_back(fmt::format("what is assumed at {} holds", where(m, i.place)));
  return out;
}

namespace {

// One less than something, as `gridDim.x - 1` is.
bool one_less(const Function& f, ValueId v) {
  for (const Block& b : f.blocks)
    for (const Instruction& i : b.instructions) {
      const auto* c = std::get_if<Compute>(&i.action);
      if (c == nullptr || i.results.empty() || i.results[0] != v || c->operands.size() != 2) continue;
      const Value& by = f.value(c->operands[1]);
      if (by.kind != Value::constant) return false;
      return (c->op == Op::sub && by.constant_bits == 1) ||
             (c->op == Op::add && by.constant_bits == (by.type.width == 64 ? ~0ull : (1ull << by.type.width) - 1));
    }
  return false;
}

// The kernel puts 0 there, or counts so that it comes back to 0.
bool resets(const Module& m, const std::string& array) {
  for (const Function& f : m.functions)
    for (const Block& b : f.blocks)
      for (const Instruction& i : b.instructions) {
        const auto zero = [&](ValueId v) {
          return f.value(v).kind == Value::constant && f.value(v).constant_bits == 0;
        };
        const auto there = [&](const Access& a) {
          return a.regions.size() == 1 && m.region(a.regions[0]).name == array;
        };
        if (const auto* s = std::get_if<Store>(&i.action); s != nullptr && there(s->access) && zero(s->value))
          return true;
        const auto* a = std::get_if<Atomic>(&i.action);
        if (a == nullptr || !there(a->access)) continue;
        if (a->op == AtomicOp::increment_to && one_less(f, a->operands[0])) return true;
        if ((a->op == AtomicOp::exchange || a->op == AtomicOp::store) && zero(a->operands[0])) return true;
      }
  return false;
}

}  // namespace

std::string other_start(const Module& m, const prove::Result& proof, const Question& question) {
  for (const auto& [name, start] : question.starts) {
    const std::string assumed = fmt::format("the counter {} is 0 when the kernel starts", name);
    if (!proof.assumptions.contains(assumed) || (start.again && resets(m, name))) continue;
    return fmt::format("a proof assumes that {}, and {}", assumed, start.why);
  }
  return "";
}

std::string not_granted(const launch::Options& o, const prove::Result& proof) {
  if (o.model != launch::Model::ptx) return "";
  for (const std::string& a : proof.assumptions)
    if (a.find("as in CUDA's guide") != std::string::npos)
      return fmt::format("the model ptx does not say that {}", a.substr(0, a.find(", as in")));
  return "";
}

}  // namespace fencepost::verifier
