// Pure instructions as formulas.
#include <algorithm>

#include "base/diagnostic.h"
#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

// How many bits are set. Of more than a few bits it is a function, so that sums hold it as one number: of it is known
// that fewer bits are a smaller number, and what it is only where that is not enough (ones_facts).
namespace {
constexpr uint8_t k_ones_width = 7;
constexpr size_t k_most_ones = 16;
const std::string k_ones = "ones in";
Term sum_of_bits(Pool& p, Term x, uint8_t w) {
  Term r = p.constant(0, w);
  for (uint8_t i = 0; i < p.width(x); ++i) r = p.add(r, w == 1 ? p.extract(x, i, 1) : p.zext(p.extract(x, i, 1), w));
  return r;
}
}  // namespace

Term Execution::ones_in(Term x) {
  const uint8_t w = pool_.width(x);
  if (w < 16 || pool_[x].high < 256) return sum_of_bits(pool_, x, w);
  return pool_.zext(floating(k_ones, k_ones_width, {x}), w);
}

void Execution::ones_facts() {
  std::vector<Term> all;
  for (uint32_t i = 0; i < pool_.size(); ++i) {
    const formula::Node& n = pool_[Term{i}];
    if (n.op == formula::Op::apply && pool_.symbol_name(n.value).starts_with("f." + k_ones)) all.push_back(Term{i});
  }
  const auto state = [&](Term claim, std::vector<Term> about, bool late = false) {
    Fact f;
    f.term = claim;
    f.late = late;
    f.threads = 0;
    std::set<uint64_t> names;
    for (const Term t : about) names.insert(pool_[t].value + formula::k_function);
    f.names.assign(names.begin(), names.end());
    if (!pool_.is_true(claim)) trace.facts.push_back(std::move(f));
  };
  for (const Term n : all) {
    const Term x = pool_[n].kids[0];
    state(pool_.eq(pool_.eq(x, pool_.constant(0, pool_.width(x))), pool_.eq(n, pool_.constant(0, k_ones_width))), {n});
    state(pool_.ule(n, pool_.constant(pool_.width(x), k_ones_width)), {n});
  }
  for (const Term n : all) state(pool_.eq(n, sum_of_bits(pool_, pool_[n].kids[0], k_ones_width)), {n}, true);
  if (all.size() > k_most_ones) all.resize(k_most_ones);
  for (const Term n : all)
    for (const Term m : all) {
      const Term x = pool_[n].kids[0], y = pool_[m].kids[0];
      if (n == m || pool_.width(x) != pool_.width(y)) continue;
      const Term within = pool_.eq(pool_.and_(x, pool_.not_(y)), pool_.constant(0, pool_.width(x)));
      state(pool_.implies(within, pool_.any(pool_.eq(x, y), pool_.ult(n, m))), {n, m});
    }
}

Term Execution::floating(const std::string& name, uint8_t width, const std::vector<Term>& operands) {
  std::vector<uint8_t> widths;
  for (Term o : operands) widths.push_back(pool_.width(o));
  return pool_.apply(pool_.symbol(function_symbol(name, width, widths)), width, operands);
}

// A signed number in the width of an offset: what is promised not to wrap is computed without wrapping.
Rows::Sum Execution::wide(Activation& a, ValueId v, Term term, int thread, int depth) {
  const uint8_t w = pointers.offset_bits, from = pool_.width(term);
  const __int128 half = __int128{1} << (from - 1);
  const auto leaf = [&] {
    const formula::Node& n = pool_[term];
    return rows.leaf(from <= w ? pool_.sext(term, w) : pool_.extract(term, 0, w), term, n.signed_low, n.signed_high);
  };
  if (pool_.is_constant(term)) return leaf();
  const auto counter = [&](ValueId x, bool is_signed) {
    const auto it = a.wide.find(x.index);
    return it != a.wide.end() && it->second.is_signed == is_signed ? it->second.value[static_cast<size_t>(thread)]
                                                                   : Term{};
  };
  // In rows, as guards speak of it.
  if (const Term exact = from < w ? counter(v, true) : Term{}; exact)
    return rows.leaf(exact, products.any() ? term : exact, -half, half - 1);
  const Instruction* in = a.recurrences->definition(v);
  const auto* c = in == nullptr ? nullptr : std::get_if<Compute>(&in->action);
  if (c == nullptr || depth >= 32) return leaf();
  const auto operand = [&](size_t i) {
    return in_pure_ ? pure(a, c->operands[i], thread, Mode{}, nullptr)
                    : get(a, c->operands[i])[static_cast<size_t>(thread)];
  };
  const auto kid = [&](size_t i) { return wide(a, c->operands[i], operand(i), thread, depth + 1); };
  const auto noted = [&](Rows::Sum s) {
    if (from > w) s.whole = term;
    if (!in_pure_) rows.note(s);
    return s;
  };
  // Modulo 2^w, wider operations may wrap as they like.
  if ((c->no_signed_wrap || from >= w) && c->operands.size() == 2) {
    if (c->op == Op::add || c->op == Op::sub)
      return noted(rows.add(kid(0), kid(1), c->op == Op::sub, from, c->no_signed_wrap));
    if (c->op == Op::mul) return noted(rows.multiply(kid(0), kid(1), from, c->no_signed_wrap));
    if (const Term by = get(a, c->operands[1])[0]; c->op == Op::shl && pool_.is_constant(by)) {
      const uint64_t power = uint64_t{1} << std::min<uint64_t>(pool_.value(by), 47);
      return noted(rows.multiply(kid(0), rows.leaf(pool_.constant(power, w), pool_.constant(power, w), power, power),
                                 from, c->no_signed_wrap));
    }
  }
  if (c->op == Op::sext) return kid(0);
  if (c->op == Op::zext)
    if (const uint8_t narrow = a.f->value(c->operands[0]).type.width; narrow < w)
      if (const Term exact = counter(c->operands[0], false); exact)
        return rows.leaf(exact, products.any() ? pool_.zext(operand(0), 64) : exact, 0, (__int128{1} << narrow) - 1);
  return leaf();
}

Term Execution::moved(Term offset, const Rows::Sum& by) {
  const Rows::Sum whole = rows.add(rows.known(offset), by, false, pointers.offset_bits, true);
  if (!in_pure_) rows.note(whole);
  return whole.term;
}

Term Execution::compute(Activation& a, const Compute& c, Type type, const std::vector<Term>& o, int thread, Mode mode,
                        const std::vector<Pair>& pairs) {
  const auto t = static_cast<size_t>(thread);
  const uint8_t w = width(type);
  Pool& p = pool_;
  const auto same_width = [&](Term x, uint8_t to, bool is_signed) {
    const uint8_t from = p.width(x);
    if (from == to) return x;
    if (from > to) return p.extract(x, 0, to);
    return is_signed ? p.sext(x, to) : p.zext(x, to);
  };
  const auto count_bits = [&](Term x, bool leading) {
    // clz, ctz: the position of the first set bit from one end.
    const uint8_t n = p.width(x);
    Term r = p.constant(n, n);
    for (uint8_t i = 0; i < n; ++i) {
      const uint8_t bit = leading ? i : static_cast<uint8_t>(n - 1 - i);
      r = p.ite(p.extract(x, bit, 1), p.constant(leading ? n - 1u - bit : bit, n), r);
    }
    return r;
  };
  switch (c.op) {
    case Op::not_:
      return p.not_(o[0]);
    case Op::neg:
      return p.neg(o[0]);
    case Op::add:
      return p.add(o[0], o[1]);
    case Op::sub:
      return p.sub(o[0], o[1]);
    case Op::mul:
      return p.mul(o[0], o[1]);
    case Op::sdiv:
    case Op::srem: {
      if (p[o[0]].signed_low >= 0 && products.positive(o[1]))
        return c.op == Op::sdiv ? p.udiv(o[0], o[1]) : p.urem(o[0], o[1]);
      // SMT-LIB's values for a zero divisor.
      const Term zero = p.eq(o[1], p.constant(0, w));
      if (c.op == Op::srem) return p.ite(zero, o[0], p.srem(o[0], o[1]));
      return p.ite(zero, p.ite(p.slt(o[0], p.constant(0, w)), p.constant(1, w), p.constant(~uint64_t{0}, w)),
                   p.sdiv(o[0], o[1]));
    }
    case Op::udiv:
      return p.udiv(o[0], o[1]);
    case Op::urem:
      return p.urem(o[0], o[1]);
    case Op::and_:
      return p.and_(o[0], o[1]);
    case Op::or_:
      return p.or_(o[0], o[1]);
    case Op::xor_:
      return p.xor_(o[0], o[1]);
    case Op::shl:
      return p.shl(o[0], o[1]);
    case Op::lshr:
      return p.lshr(o[0], o[1]);
    case Op::ashr:
      return p.ashr(o[0], o[1]);
    case Op::smin:
      return p.ite(p.sle(o[0], o[1]), o[0], o[1]);
    case Op::smax:
      return p.ite(p.sle(o[0], o[1]), o[1], o[0]);
    case Op::umin:
      return p.ite(p.ule(o[0], o[1]), o[0], o[1]);
    case Op::umax:
      return p.ite(p.ule(o[0], o[1]), o[1], o[0]);
    case Op::clz:
      return count_bits(o[0], true);
    case Op::ctz:
      return count_bits(o[0], false);
    case Op::popcount:
      return ones_in(o[0]);
    case Op::bitreverse: {
      Term r = p.extract(o[0], 0, 1);
      for (uint8_t i = 1; i < w; ++i) r = p.concat(r, p.extract(o[0], i, 1));
      return r;
    }
    case Op::byteswap: {
      Term r = p.extract(o[0], 0, 8);
      for (uint8_t i = 8; i < w; i = static_cast<uint8_t>(i + 8)) r = p.concat(r, p.extract(o[0], i, 8));
      return r;
    }
    case Op::pointer_eq:
      compare_parameters(o[0], o[1]);
      for (size_t k = 0; k < 2; ++k)
        if (p.is_constant(o[k]) && p.value(o[k]) == 0) note_null_test(o[1 - k]);
      return own_apart(o[0], o[1]) ? p.all(p.eq(o[0], o[1]), memory.any(1)) : p.eq(o[0], o[1]);
    case Op::eq:
      return p.eq(o[0], o[1]);
    case Op::ne:
      return p.ne(o[0], o[1]);
    case Op::slt:
      return p.slt(o[0], o[1]);
    case Op::sle:
      return p.sle(o[0], o[1]);
    case Op::sgt:
      return p.slt(o[1], o[0]);
    case Op::sge:
      return p.sle(o[1], o[0]);
    case Op::ult:
      return p.ult(o[0], o[1]);
    case Op::ule:
      return p.ule(o[0], o[1]);
    case Op::ugt:
      return p.ult(o[1], o[0]);
    case Op::uge:
      return p.ule(o[1], o[0]);
    case Op::ite:
      return p.ite(o[0], o[1], o[2]);
    case Op::zext:
      return same_width(o[0], w, false);
    case Op::sext:
      return same_width(o[0], w, true);
    case Op::trunc:
      return same_width(o[0], w, false);
    case Op::extract:
      return p.extract(o[0], static_cast<uint8_t>(c.imm), w);
    case Op::concat:
      return p.concat(o[0], o[1]);
    case Op::pointer_add:
      return p.concat(base_of(o[0]), moved(offset_of(o[0]), wide(a, c.operands[1], o[1], thread, 0)));
    case Op::map_rank:
      return p.concat(base_of(o[0]), mapped(offset_of(o[0]), o[1], t));
    case Op::pointer_ult: {
      const Term same = p.eq(base_of(o[0]), base_of(o[1])), null = p.constant(0, 16);
      // Where objects of a thread's own lie, among themselves and among others, differs between threads.
      const Term own = p.all({p.any(own_object(base_of(o[0])), own_object(base_of(o[1]))), p.ne(base_of(o[0]), null),
                              p.ne(base_of(o[1]), null)});
      // Nobody says which of two arrays lies lower. The reference's suite takes the order of the parameters.
      compare_parameters(o[0], o[1]);
      const Term order = p.concat(base_of(o[0]), base_of(o[1]));
      const Term before = options_.nullable && !p.is_true(same)
                              ? p.ite(p.any(p.eq(base_of(o[0]), null), p.eq(base_of(o[1]), null)),
                                      p.ult(base_of(o[0]), base_of(o[1])), p.apply(p.symbol("lies_lower"), 1, {order}))
                              : p.ult(base_of(o[0]), base_of(o[1]));
      const bool unclear = !p.is_false(own) && !p.is_true(same);
      return p.ite(same, p.ult(offset_of(o[0]), offset_of(o[1])), unclear ? p.ite(own, memory.any(1), before) : before);
    }
    case Op::pointer_to_bits: {
      // For each region an unknown multiple of what its elements ask for.
      const Term base = base_of(o[0]);
      note_null_test(o[0]);
      const uint8_t zeros = alignment(base);
      if (w <= 4) return memory.any(w);
      const auto high = static_cast<uint8_t>(w - zeros);
      const std::string symbol = "address" + std::to_string(w) + (zeros == 4 ? "" : "." + std::to_string(zeros));
      const auto place = [&](const std::string& name) {
        const Term units = p.apply(p.symbol(name), high, {base});
        return p.scale(zeros == 0 ? units : p.zext(units, w), uint64_t{1} << zeros);
      };
      // Each thread's object has an address of its own.
      const Term own = own_object(base);
      Term address = place(symbol);
      if (!p.is_false(own)) address = p.ite(own, place(symbol + (t == 0 ? "a" : "b")), address);
      address = p.ite(p.eq(base, p.constant(0, 16)), p.constant(0, w), address);
      return p.add(address, same_width(offset_of(o[0]), w, true));
    }
    case Op::bits_to_pointer: {
      const Instruction* from = a.recurrences->definition(c.operands[0]);
      const auto* source = from == nullptr ? nullptr : std::get_if<Compute>(&from->action);
      if (source != nullptr && source->op == Op::pointer_to_bits) return get(a, source->operands[0])[t];
      if (p.is_constant(o[0], 0)) return p.constant(0, w);
      return memory.any(w);
    }
    case Op::fneg:
      return floating("neg", w, o);
    case Op::fadd:
      return floating("add", w, o);
    case Op::fsub:
      return floating("sub", w, o);
    case Op::fmul:
      return floating("mul", w, o);
    case Op::fdiv:
      return floating("div", w, o);
    case Op::frem:
      return floating("rem", w, o);
    case Op::fabs:
      return floating("abs", w, o);
    case Op::fma:
      return floating("fma", w, o);
    case Op::fcmp:
      if (static_cast<FloatCompare>(c.imm) == FloatCompare::never) return p.no();
      if (static_cast<FloatCompare>(c.imm) == FloatCompare::always) return p.yes();
      return floating(std::string("compare.") + ir::name(static_cast<FloatCompare>(c.imm)), 1, o);
    case Op::float_to_sint:
      return floating("to_sint", w, o);
    case Op::float_to_uint:
      return floating("to_uint", w, o);
    case Op::sint_to_float:
      return floating("from_sint", w, o);
    case Op::uint_to_float:
      return floating("from_uint", w, o);
    case Op::float_to_float:
      return floating("convert", w, o);
    case Op::function: {
      const std::string symbol = "function " + m_.symbols[c.symbol.index];
      return floating(symbol, w, o);
    }
    case Op::id: {
      const size_t d = c.dimension;
      const auto flat = [&](const std::array<Term, 3>& id, const std::array<Term, 3>& size) {
        return p.add(id[0], p.mul(size[0], p.add(id[1], p.mul(size[1], id[2]))));
      };
      const Term warp = p.constant(options_.warp_size, 32);
      Term r;
      switch (static_cast<IdKind>(c.imm)) {
        case IdKind::local_id:
          r = d == 0 && id_instance_[t] ? id_instance_[t] : local_id[t][d];
          break;
        case IdKind::group_id:
          r = group_id[t][d];
          break;
        case IdKind::local_size:
          r = local_size[d];
          break;
        case IdKind::num_groups:
          r = num_groups[d];
          break;
        case IdKind::global_offset:
          r = p.constant(options_.global_offset[d], 32);
          break;
        case IdKind::work_dim:
          r = p.constant(options_.work_dim, 32);
          break;
        case IdKind::cluster_rank:
          r = cluster_rank[t][d];
          break;
        case IdKind::cluster_size:
          r = cluster_size[d];
          break;
        case IdKind::lane:
          if (lane_of[t]) {
            r = lane_of[t];
            break;
          }
          r = p.urem(flat(local_id[t], local_size), warp);
          break;
        case IdKind::warp:
          if (warp_of[t]) {
            r = warp_of[t];
            break;
          }
          r = p.udiv(flat(local_id[t], local_size), warp);
          break;
        case IdKind::warp_size:
          r = warp_size ? warp_size : warp;
          break;
        case IdKind::num_warps: {
          if (warp_count) {
            r = warp_count;
            break;
          }
          const Term threads = p.mul(local_size[0], p.mul(local_size[1], local_size[2]));
          r = p.udiv(p.add(threads, p.constant(options_.warp_size - 1, 32)), warp);
          break;
        }
      }
      return same_width(r, w, false);
    }
    case Op::any:
      return memory.any(w);
    case Op::other:
      // Only what stands in step can be compared.
      return mode.lockstep && !pairs.empty() ? pairs[0][1 - t] : memory.any(w);
    case Op::enabled:
      return a.guard[t];
    case Op::dominator_enabled: {
      const BlockId d = a.cfg->immediate_dominator(a.block);
      return d ? a.guards[d.index][t] : a.guard[t];
    }
    case Op::implies:
      return p.implies(o[0], o[1]);
    case Op::pointer_base:
      return same_width(base_of(o[0]), w, false);
    case Op::pointer_offset:
      return same_width(offset_of(o[0]), w, false);
    case Op::no_overflow_add: {
      const uint8_t from = p.width(o[0]);
      if (from > 56) {
        unsupported.insert("overflow of 64-bit additions");
        return memory.any(1);
      }
      const bool is_signed = c.imm == 1;
      Term wide = p.constant(0, 64), narrow = p.constant(0, from);
      for (Term x : o) {
        wide = p.add(wide, is_signed ? p.sext(x, 64) : p.zext(x, 64));
        narrow = p.add(narrow, x);
      }
      return p.eq(wide, is_signed ? p.sext(narrow, 64) : p.zext(narrow, 64));
    }
    case Op::accessed:
    case Op::access_offset:
      return accessed(c, o[0], thread, w, mode);
    case Op::taken_value:
      return taken(c, o, thread, mode);
    case Op::old:
    case Op::return_value:
      break;  // execute.cpp
  }
  FENCEPOST_INVARIANT(false, "an instruction without a formula was executed");
  return {};
}

}  // namespace fencepost::prove
