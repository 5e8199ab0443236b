#include "verifier/strict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "flow/defined.h"

namespace fencepost::verifier {
namespace {

using namespace ir;

// The kernel and what it calls.
std::vector<const Function*> reached(const Module& m, FunctionId kernel) {
  std::vector<FunctionId> todo{kernel};
  std::set<uint32_t> seen{kernel.index};
  std::vector<const Function*> out;
  while (!todo.empty()) {
    const Function& f = m.function(todo.back());
    todo.pop_back();
    out.push_back(&f);
    const auto add = [&](FunctionId g) {
      if (g && seen.insert(g.index).second) todo.push_back(g);
    };
    for (const Block& b : f.blocks)
      for (const Instruction& i : b.instructions)
        if (const auto* c = std::get_if<Call>(&i.action)) {
          add(c->callee);
          std::ranges::for_each(c->targets, add);
        }
  }
  return out;
}

// Arithmetic of the source on signed numbers. The step from an index to its bytes is none: outside of an array there is
// nothing to access.
bool signed_arithmetic(const Module& m, FunctionId kernel) {
  for (const Function* of : reached(m, kernel)) {
    const Function& f = *of;
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
  for (const Function* f : reached(m, kernel))
    for (const Block& b : f->blocks)
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
  std::vector<std::string> out;
  for (const prove::Assumption& a : proof.assumptions) out.push_back(a.text);
  if (signed_arithmetic(m, kernel)) out.emplace_back("signed numbers do not overflow");
  if (std::ranges::any_of(reached(m, kernel), [](const Function* f) { return flow::divides(*f); }))
    out.emplace_back("no divisor is 0");
  if (proof.small_offsets) out.emplace_back("offsets are less than 2^46 bytes");
  if (const auto names = given(m, kernel); !names.empty())
    out.push_back(fmt::format("{} are different arrays", fmt::join(names, ", ")));
  if (!proof.warps.empty()) out.emplace_back("threads of a warp go in lock-step");
  if (*o.dialect == Dialect::cuda && source.find("__CUDA_ARCH__") != std::string::npos)
    out.push_back(fmt::format("__CUDA_ARCH__ is {}", launch::cuda_arch_of(o)));
  std::ranges::copy(assumed_by_user(m, kernel), std::back_inserter(out));
  return out;
}

std::vector<std::string> assumed_by_user(const Module& m, FunctionId kernel) {
  std::set<std::string> out;  // an inlined function's is there once for each call
  for (const Function* f : reached(m, kernel))
    for (const Block& b : f->blocks)
      for (const Instruction& i : b.instructions)
        if (const auto* n = std::get_if<Annotation>(&i.action);
            n != nullptr && n->note == Note::assume && !n->candidate && where(m, i.place) != "")
          out.insert(fmt::format("what is assumed at {} holds", where(m, i.place)));
  return {out.begin(), out.end()};
}

std::string not_looked_at(const prove::Result& r, bool time_is_spent, double timeout) {
  if (!r.unsupported.empty()) return fmt::format("unsupported: {}", fmt::join(r.unsupported, ", "));
  if (!r.gave_up) return "";
  return time_is_spent ? fmt::format("no answer within {:.3g} s", timeout)
                       : std::string("some questions were not answered");
}

bool without_effect(const Module& m, FunctionId kernel) {
  const auto seen = [&](const Access& a) {
    return a.regions.empty() || std::any_of(a.regions.begin(), a.regions.end(),
                                            [&](RegionId r) { return m.region(r).space != Space::private_; });
  };
  for (const Block& b : m.function(kernel).blocks)
    for (const Instruction& i : b.instructions) {
      const auto* load = std::get_if<Load>(&i.action);
      const auto* store = std::get_if<Store>(&i.action);
      const auto* said = std::get_if<Annotation>(&i.action);
      const bool idle = load != nullptr    ? load->spec || !seen(load->access)
                        : store != nullptr ? !seen(store->access)
                        : said != nullptr
                            ? said->note != Note::assert_
                            : std::holds_alternative<Phi>(i.action) || std::holds_alternative<Compute>(i.action) ||
                                  std::holds_alternative<Frame>(i.action);
      if (!idle) return false;
    }
  return true;
}

std::string left_out(const std::vector<clangfe::OtherText>& other_text, bool given, bool idle) {
  for (const clangfe::OtherText& n : other_text) {
    if ((!n.open && !idle) || (given && !n.by_compiler)) continue;
    if (n.by_compiler) return n.text + "; -DNAME=VALUE or --clang-opt=-UNAME says what is meant";
    const uint32_t newest = *std::rbegin(clangfe::k_cuda_archs);
    const auto next = std::find_if(std::begin(clangfe::k_cuda_archs), std::end(clangfe::k_cuda_archs),
                                   [&](uint32_t a) { return a >= n.wants; });
    return n.text + (n.wants > newest ? fmt::format("; --cuda-arch={} decides the kernel without them", newest)
                     : n.wants > 0    ? fmt::format("; say --cuda-arch={}", *next)
                                      : "; --cuda-arch says the one that is meant");
  }
  return "";
}

std::string other_start(const Module& m, const prove::Result& proof, const Question& question) {
  for (const prove::Assumption& a : proof.assumptions) {
    if (a.kind != prove::Assumption::starts_at_zero) continue;
    const auto start = question.starts.find(m.region(a.region).name);
    if (start == question.starts.end() || (start->second.again && proof.put_back.contains(a.region))) continue;
    return fmt::format("a proof assumes that {}, and {}{}", a.text, start->second.why,
                       start->second.again ? ", which is not shown to leave 0 there" : "");
  }
  return "";
}

std::string way_on(const std::string& kernel, const std::string& why, const std::string& path) {
  if (why.starts_with("gave up: no answer"))
    return "     = hint: a longer --timeout may do, or smaller questions: sizes of the launch, numbers by "
           "--kernel-args, "
           "__requires(..) that bounds them\n";
  if (why.find(" whether messages through ") == std::string::npos &&
      why.find(" whether what atomics do to ") == std::string::npos)
    return "";
  return fmt::format(
      "     = hint: not every lock and message is followed; a small launch decides it: fencepost check --entry {} "
      "--grid "
      "1.1.2 --property races --bound auto {}\n",
      kernel, path);
}

void HandedOn::proved(size_t row, const std::string& kernel, const Module& m, const prove::Result& proof,
                      const Question& question) {
  for (const RegionId r : proof.put_back) ++put_back_[{kernel, m.region(r).name}];
  for (const prove::Assumption& a : proof.assumptions) {
    if (a.kind != prove::Assumption::starts_at_zero) continue;
    const std::string& name = m.region(a.region).name;
    const auto start = question.starts.find(name);
    if (start == question.starts.end() || !start->second.again) continue;
    Row r{row, kernel, name, fmt::format("a proof assumes that {}, and {}", a.text, start->second.why), {kernel}};
    r.others.insert(r.others.end(), start->second.others.begin(), start->second.others.end());
    rows_.push_back(std::move(r));
  }
}

std::vector<std::pair<size_t, std::string>> HandedOn::broken() const {
  std::vector<std::pair<size_t, std::string>> out;
  for (auto r = rows_.rbegin(); r != rows_.rend(); ++r)
    for (const std::string& kernel : r->others) {
      const auto asked = asked_.find(kernel);
      const auto back = put_back_.find({kernel, r->counter});
      if (asked != asked_.end() && back != put_back_.end() && back->second >= asked->second) continue;
      if (out.empty() || out.back().first != r->row)
        out.emplace_back(r->row, r->why + ", which is not shown to leave 0 there");
      break;
    }
  return out;
}

std::string not_granted(const launch::Options& o, const prove::Result& proof) {
  const bool ptx = o.model == launch::Model::ptx;
  for (const prove::Assumption& a : proof.assumptions)
    if (ptx ? a.kind == prove::Assumption::as_in_guide || a.kind == prove::Assumption::matrix_stores
            : a.kind == prove::Assumption::fences_in_order)
      return fmt::format(
          "the model {} does not say that {}{}", ptx ? "ptx" : "cuda", a.text.substr(0, a.text.find(", as in")),
          ptx ? "" : "; let the thread that makes the atomic operation have the fence, or ask --model=ptx");
  return "";
}

}  // namespace fencepost::verifier
