// Contracts of functions: collected at calls, taken up where a function is verified for itself.
#include "prove/contract.h"

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

void Contract::join(const Contract& o) {
  if (o.calls == 0) return;
  if (calls == 0) {
    *this = o;
    return;
  }
  calls += o.calls;
  for (size_t i = 0; i < parameters.size() && i < o.parameters.size(); ++i) {
    ParameterFacts& a = parameters[i];
    const ParameterFacts& b = o.parameters[i];
    a.bases.insert(b.bases.begin(), b.bases.end());
    a.anywhere = a.anywhere || b.anywhere;
    a.low = std::min(a.low, b.low);
    a.high = std::max(a.high, b.high);
    a.trailing_zeros = std::min(a.trailing_zeros, b.trailing_zeros);
    for (const size_t t : k_both) a.same[t] = a.same[t] && b.same[t];
    for (const size_t d : k_dimensions) a.local_id[d] = a.local_id[d] && b.local_id[d];
  }
}

// The constants that a term chooses from; false: it may be something else.
bool Execution::constants_of(Term t, std::set<uint64_t>& out, int depth) const {
  if (pool_.is_constant(t)) {
    out.insert(pool_.value(t));
    return out.size() <= 16;
  }
  if (pool_[t].op != formula::Op::ite || depth > 16) return false;
  return constants_of(pool_[t].kids[1], out, depth + 1) && constants_of(pool_[t].kids[2], out, depth + 1);
}

void Execution::note_call(const Function& f, FunctionId id, const std::vector<Pair>& arguments) {
  Contract c;
  c.calls = 1;
  for (size_t i = 0; i < f.parameters.size() && i < arguments.size(); ++i) {
    ParameterFacts p;
    p.pointer = f.parameters[i].type.kind == Type::pointer;
    const Pair x = arguments[i];
    const Term number = p.pointer ? offset_of(x[0]) : x[0];
    if (p.pointer) p.anywhere = !constants_of(base_of(x[0]), p.bases, 0);
    p.low = pool_[number].low;
    p.high = pool_[number].high;
    p.trailing_zeros = pool_.is_constant(number, 0) ? 64 : pool_[number].trailing_zeros;
    p.same = {true, true};
    p.same[pairing_ == Pairing::same_group ? 0 : 1] = x[0] == x[1];
    for (const size_t d : k_dimensions) {
      const uint8_t w = pool_.width(number);
      p.local_id[d] = !p.pointer && w >= 32 && number == pool_.zext(local_id[0][d], w);
    }
    c.parameters.push_back(std::move(p));
  }
  contracts[id.index].join(c);
}

// A number of which the contract knows something; none: nothing.
Pair Execution::by_contract(const ParameterFacts& p, uint8_t w, const std::string& name, std::vector<Term>& bounds) {
  const bool same = p.same[pairing_ == Pairing::same_group ? 0 : 1];
  Pair r;
  for (const size_t t : k_both) {
    if (t == 1 && same) {
      r[1] = r[0];
      break;
    }
    const std::string own = t == 0 ? name : name + "'";
    for (const size_t d : k_dimensions)
      if (!p.pointer && p.local_id[d]) r[t] = pool_.zext(local_id[t][d], w);
    if (r[t]) continue;
    if (p.low == p.high) {
      r[t] = pool_.constant(p.low, w);
    } else if (p.trailing_zeros > 0 && p.trailing_zeros < w) {
      r[t] = pool_.concat(pool_.variable(static_cast<uint8_t>(w - p.trailing_zeros), own),
                          pool_.constant(0, p.trailing_zeros));
      bounds.push_back(pool_.ule(pool_.constant(p.low, w), r[t]));
      bounds.push_back(pool_.ule(r[t], pool_.constant(p.high, w)));
    } else if (p.high < formula::ones(w)) {
      r[t] = pool_.number_below(p.high + 1, w, own, bounds);
      bounds.push_back(pool_.ule(pool_.constant(p.low, w), r[t]));
    } else {
      r[t] = pool_.variable(w, own);
      bounds.push_back(pool_.ule(pool_.constant(p.low, w), r[t]));
    }
  }
  return r;
}

Pair Execution::parameter_by_contract(const ParameterFacts& p, Type type, const std::string& name) {
  std::vector<Term> bounds;
  Pair r;
  if (p.pointer) {
    const bool same = p.same[pairing_ == Pairing::same_group ? 0 : 1];
    const Pair offset = by_contract(p, pointers.offset_bits, name, bounds);
    Pair base;
    if (!p.anywhere && p.bases.size() == 1) {
      base = both(pool_.constant(*p.bases.begin(), 16));
    } else {
      base = unknown(16, name + " base", same);
      for (const size_t t : k_both) {
        if (p.anywhere) continue;
        std::vector<Term> one;
        for (const uint64_t b : p.bases) one.push_back(pool_.eq(base[t], pool_.constant(b, 16)));
        bounds.push_back(pool_.any(std::move(one)));
      }
    }
    for (const size_t t : k_both) r[t] = pool_.concat(base[t], offset[t]);
  } else {
    r = by_contract(p, width(type), name, bounds);
  }
  for (const Term b : bounds) {
    if (pool_.is_true(b)) continue;
    Fact f;
    f.term = b;
    f.threads = 0;
    f.names = formula::names(pool_, b);
    trace.facts.push_back(std::move(f));
  }
  return r;
}

}  // namespace fencepost::prove
