// What is not known of the machine and of the caller, as variables: which pointers are null, and where arrays lie.
//
// Null pointers. A parameter that the kernel compares with null may be null; for others a null pointer is a fault of
// the caller, since nothing in the kernel speaks of it. An access through a parameter that is null is such a fault too,
// so it is no finding, unless it is made only where the pointer is null; what else the kernel does there is looked at.
// That such an access is not made is an assumption if the kernel asks whether that pointer is null, and does not keep
// the access to where it is not. One of these that the host's launch gives as null is null. Others that it gives as
// null are arrays all the same: many a file has 0 for whatever its caller would give, or for what a mode of the kernel
// does not use. Where an access through one is possible, that is an assumption.
#include <algorithm>
#include <bit>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

// The pointer parameters of the entry that some comparison with null may be about. Structures that hold pointers are
// noted in the memory.
std::set<size_t> Execution::compared_with_null() const {
  std::set<size_t> found;
  const Function& entry = m_.function(entry_);
  bool unclear = false;  // a comparison in a function that is called, or of a pointer that was read from somewhere
  const flow::FunctionEffects& e = effects_.function(entry_);
  for (uint32_t n = 0; n < m_.functions.size(); ++n) {
    if (e.reached[n] == 0) continue;
    const Function& f = m_.functions[n];
    std::vector<const Instruction*> made(f.values.size());
    for (const Block& b : f.blocks)
      for (const Instruction& in : b.instructions)
        for (const ValueId r : in.results) made[r.index] = &in;
    std::vector<ValueId> todo;
    for (const Block& b : f.blocks)
      for (const Instruction& in : b.instructions) {
        const auto* c = std::get_if<Compute>(&in.action);
        if (c == nullptr || c->operands.size() != 2) continue;
        const bool compares =
            c->op == Op::pointer_eq || c->op == Op::pointer_ult || (c->op >= Op::eq && c->op <= Op::uge);
        if (!compares) continue;
        for (const size_t k : {0, 1}) {
          const Value& other = f.value(c->operands[1 - k]);
          const Instruction* from = made[c->operands[k].index];
          const auto* x = from == nullptr ? nullptr : std::get_if<Compute>(&from->action);
          if (other.kind == Value::constant && other.constant_bits == 0 &&
              (c->op == Op::pointer_eq || c->op == Op::pointer_ult || (x != nullptr && x->op == Op::pointer_to_bits)))
            todo.push_back(c->operands[k]);
        }
      }
    std::vector<uint8_t> seen(f.values.size());
    while (!todo.empty()) {
      const ValueId v = todo.back();
      todo.pop_back();
      if (seen[v.index] != 0) continue;
      seen[v.index] = 1;
      if (f.value(v).kind == Value::parameter) {
        if (n == entry_.index)
          found.insert(f.value(v).index);
        else
          unclear = true;
      }
      const Instruction* in = made[v.index];
      if (in == nullptr) continue;
      if (std::holds_alternative<Load>(in->action)) unclear = true;
      if (std::holds_alternative<Phi>(in->action) || std::holds_alternative<Compute>(in->action))
        for_each_operand(in->action, [&](ValueId o) { todo.push_back(o); });
    }
  }
  if (unclear)
    for (size_t i = 0; i < entry.parameters.size(); ++i) found.insert(i);
  return found;
}

// Whether the kernel compares a pointer with null: which of those that may be null it is.
void Execution::note_null_test(Term pointer) {
  const std::vector<uint64_t> names = formula::names(pool_, base_of(pointer));
  for (const auto& [name, null] : null_parameters)
    if (std::ranges::find(names, pool_[null].value) != names.end()) tested_null.insert(pool_[null].value);
}

void Execution::pointer_checks(Activation& a, const Access& access, Pair pointer, Pair guard, PlaceId place, Mode mode,
                               bool writes) {
  // Nothing that the kernel is given by name: what the pointer leads to, and whether it is null, the text does not say.
  if (access.regions.empty() && mentions(a, access.pointer, [](const Instruction& in) {
        const auto* c = std::get_if<Compute>(&in.action);
        return std::holds_alternative<Load>(in.action) || (c != nullptr && c->op == Op::bits_to_pointer);
      })) {
    unsupported.insert("an access through a pointer that is loaded from memory or made of a number");
    return;
  }
  const Term base = base_of(pointer[0]);
  std::vector<Term> nowhere{guard[0]};
  // A parameter that is null where it is used is the caller's fault, but for an access that is made only if it is null.
  if (!null_parameters.empty()) {
    const std::vector<uint64_t> names = formula::names(pool_, base);
    for (const auto& [name, null] : null_parameters) {
      const uint64_t variable = pool_[null].value;
      if (std::ranges::find(names, variable) == names.end() || pool_.is_false(pool_.all(guard[0], pool_.not_(null))))
        continue;
      nowhere.push_back(pool_.not_(null));
      const Term through = pool_.all({guard[0], null, pool_.eq(base, pool_.constant(0, 16))});
      if (Obligation* o = oblige(Kind::null_pointer, through, place, false, mode); o != nullptr) {
        o->assumes = "the pointer '" + name + "', which the kernel compares with null, is not null where it is used";
        o->if_tested = variable;
      }
    }
  }
  for (RegionId r : access.regions) {
    const Term here = pool_.eq(base, pool_.constant(r.index + 1, 16));
    nowhere.push_back(pool_.not_(here));
    if (!mode.check || pool_.is_false(here)) continue;
    const Region& region = m_.region(r);
    if (const auto null = given_null.find(r.index); null != given_null.end())
      if (Obligation* o = oblige(Kind::null_pointer, pool_.all(guard[0], here), place, false, mode); o != nullptr)
        o->assumes = "the null that this launch gives for '" + null->second + "' stands for an array";
    if (writes && region.space == Space::constant) {
      if (Obligation* o = oblige(Kind::constant_write, pool_.all(guard[0], here), place, false, mode); o != nullptr)
        o->region = r;
    }
    if (options_.check_bounds && region.size && region.origin != Origin::image) {
      const uint8_t ow = pointers.offset_bits;
      // Of an address that was mapped without the number of the block (clusters.cpp).
      const Term given = offset_of(pointer[0]);
      const Term offset = access.remote ? pool_.zext(pool_.extract(given, 0, k_group_bits), ow) : given;
      const Term fits = *region.size >= access.bytes
                            ? pool_.ule(offset, pool_.constant(*region.size - access.bytes, ow))
                            : pool_.no();
      if (Obligation* o =
              oblige(Kind::out_of_bounds, pool_.all({guard[0], here, pool_.not_(fits)}), place, false, mode);
          o != nullptr) {
        o->region = r;
        o->offset = offset;
        o->bytes = access.bytes;
      }
    }
  }
  if (Obligation* o = oblige(Kind::null_pointer, pool_.all(std::move(nowhere)), place, false, mode); o != nullptr) {
    o->bytes = access.bytes;
    if (!access.regions.empty()) o->region = access.regions.front();
  }
}

// How many low bits of the address of an array are zero.
uint8_t Execution::alignment(Term base) const {
  constexpr uint8_t k_most = 4;
  if (!options_.element_aligned) return k_most;
  const formula::Node& n = pool_[base];
  if (n.op == formula::Op::ite) return std::min(alignment(n.kids[1]), alignment(n.kids[2]));
  if (!pool_.is_constant(base)) return 0;
  const uint64_t v = pool_.value(base);
  if (v == 0 || v > m_.regions.size()) return k_most;
  // Larger elements may be structures of words.
  constexpr uint8_t k_word = 2;
  const uint32_t element = std::max<uint32_t>(1, m_.regions[v - 1].element);
  return std::min<uint8_t>(k_word, static_cast<uint8_t>(std::countr_zero(element)));
}

// Two parameters are taken to be of different arrays. A kernel that asks whether they are of one has code for both
// answers, of which one would never be looked at.
void Execution::compare_parameters(Term a, Term b) {
  if (!options_.nullable) return;
  const auto parameters = [&](Term base) {
    std::set<uint64_t> found;
    std::vector<Term> todo{base};
    while (!todo.empty()) {
      const formula::Node n = pool_[todo.back()];
      const Term t = todo.back();
      todo.pop_back();
      if (n.op == formula::Op::ite) todo.insert(todo.end(), {n.kids[1], n.kids[2]});
      if (!pool_.is_constant(t) || pool_.value(t) == 0 || pool_.value(t) > m_.regions.size()) continue;
      if (m_.regions[pool_.value(t) - 1].origin == Origin::parameter) found.insert(pool_.value(t));
    }
    return found;
  };
  const std::set<uint64_t> x = parameters(base_of(a)), y = parameters(base_of(b));
  if (x.empty() || y.empty()) return;
  if (std::none_of(x.begin(), x.end(), [&](uint64_t r) { return y.contains(r); }))
    unsupported.insert("a comparison of two pointer parameters, which are taken to be of different arrays");
}

// Is it an object of which each thread, or each of the two groups, has one of its own?
Term Execution::own_object(Term base) {
  const flow::Threads threads = pairing_ == Pairing::same_group ? flow::Threads::of_group : flow::Threads::of_grid;
  std::vector<Term> own;
  for (uint32_t r = 0; r < m_.regions.size(); ++r)
    if (flow::own_object(m_.regions[r], threads)) own.push_back(pool_.eq(base, pool_.constant(r + 1, 16)));
  return pool_.any(std::move(own));
}

// A pointer into a thread's own object that is read from memory of all may be another thread's.
bool Execution::own_apart(Term a, Term b) {
  const auto read = [&](Term base) {
    const std::vector<uint64_t> names = formula::names(pool_, base);
    return std::any_of(names.begin(), names.end(), [&](uint64_t n) {
      return n >= formula::k_function && Memory::contents(m_, pool_.symbol_name(n - formula::k_function));
    });
  };
  return (read(base_of(a)) && !pool_.is_false(own_object(base_of(b)))) ||
         (read(base_of(b)) && !pool_.is_false(own_object(base_of(a))));
}

}  // namespace fencepost::prove
