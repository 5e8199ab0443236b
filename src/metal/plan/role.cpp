#include "plan/role.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace fencepost::plan {
namespace {

using code::Statement;
using prog::Instr;
using prog::Kind;
using prog::LabelId;
using term::Expr;
using term::Op;
using List = std::vector<Statement>;

constexpr LabelId k_gave_up_label = k_gave_up - 1;  // `to` holds label + 1

Expr c32(uint64_t v) { return term::constant(v, 32); }

void append(List& out, List more) {
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Thrown inside this file only.
struct Refused {
  Diagnostics why;
};
[[noreturn]] void refuse(const Span& span, std::string what, std::string hint = {}) {
  throw Refused{unsupported_at(span, std::move(what), std::move(hint)).error()};
}

class Translator {
 public:
  Translator(code::Kernel& k, uint32_t thread, const RoleContext& c)
      : k_(k), t_(thread), c_(c), code_(c.test.code(thread)), size_(static_cast<uint32_t>(code_.code.size())) {}

  RoleCode run() {
    variables();
    find_loops();
    std::set<LabelId> escapes;
    List last = emit(0, size_, escapes, true);
    out_.segments.push_back(std::move(last));
    return std::move(out_);
  }

 private:
  code::Var variable(const std::string& name, uint8_t width) {
    return code::add_variable(k_, fmt::format("r{}_{}", t_, name), width);
  }

  void check_width(uint8_t width, const Span& span) const {
    if (std::string why = refused_width("a value", width, false); !why.empty()) refuse(span, std::move(why));
  }

  void variables() {
    std::vector<bool> used(code_.registers.size(), false);
    const auto widths = [&](const auto& self, const Expr& e) -> void {
      check_width(e.width(), c_.test.span);
      for (const Expr& kid : e.kids()) self(self, kid);
    };
    const auto use = [&](const Expr& e) {
      if (e) widths(widths, e);
      if (e)
        term::for_each_variable(e, [&](uint64_t r) {
          if (r < used.size()) used[r] = true;
        });
    };
    for (const Instr& i : code_.code) {
      use(i.value), use(i.guard), use(i.result);
      if (i.addr.symbol == prog::k_none || i.addr.index) use(i.addr.index);
      if (i.dst != prog::k_none) used[i.dst] = true;
      if (i.predicate != prog::k_none) used[i.predicate] = true;
    }
    out_.to = variable("to", 32);
    out_.registers.assign(code_.registers.size(), code::k_no_var);
    out_.start.push_back(code::set(out_.to, c32(0)));
    for (prog::RegId r = 0; r < used.size(); ++r) {
      if (!used[r]) continue;
      check_width(code_.registers[r].width, c_.test.span);
      const bool pointer = c_.values.pointer[t_][r];
      const uint8_t width = pointer ? uint8_t{32} : word_width(code_.registers[r].width, c_.narrow);
      out_.registers[r] = variable(std::to_string(r), width);
      Expr first = term::constant(0, width);
      for (const prog::InitValue& i : c_.test.threads[t_].init)
        if (i.reg == r)
          first =
              i.address != prog::k_none ? c_.bases[c_.test.symbols[i.address].object] : term::constant(i.value, width);
      out_.start.push_back(code::set(out_.registers[r], first));
    }
    out_.addresses.assign(size_, code::k_no_var);
    for (uint32_t p = 0; p < size_; ++p) {
      const Instr& i = code_.code[p];
      if ((i.kind == Kind::load || i.kind == Kind::store || i.kind == Kind::rmw) && i.addr.symbol != prog::k_none)
        out_.addresses[p] = variable(fmt::format("at{}", p), 32);
    }
  }

  // ---- expressions ----
  Expr lift(const Expr& e, uint8_t old_width) const {
    const uint8_t width = word_width(e.width(), c_.narrow);
    switch (e.op()) {
      case Op::constant:
        check_width(e.width(), c_.test.span);
        return term::constant(e.value(), width);
      case Op::variable:
        if (e.value() == prog::k_old_value) return term::variable(prog::k_old_value, old_width);
        return code::value_of(k_, out_.registers[e.value()]);
      case Op::ite:
        return term::ite(lift(e.kids()[0], old_width), lift(e.kids()[1], old_width), lift(e.kids()[2], old_width));
      case Op::zext:
      case Op::trunc:
        return term::resize(lift(e.kids()[0], old_width), width, false);
      case Op::sext:
        return term::resize(lift(e.kids()[0], old_width), width, true);
      case Op::not_:
      case Op::neg:
        return term::unary(e.op(), lift(e.kids()[0], old_width));
      default:
        return term::binary(e.op(), lift(e.kids()[0], old_width), lift(e.kids()[1], old_width));
    }
  }

  bool is_pointer(const Expr& e) const {
    bool found = false;
    term::for_each_variable(
        e, [&](uint64_t r) { found = found || (r < code_.registers.size() && c_.values.pointer[t_][r]); });
    return found;
  }

  // An address register, or a sum with one: a word index (values.h has seen to the form).
  Expr lift_pointer(const Expr& e, uint32_t words) const {
    if (!is_pointer(e)) {
      const Expr number = term::resize(lift(e, 32), 32, true);
      return words == 1 ? number : term::binary(Op::mul, number, c32(words));
    }
    if (e.is_var()) return code::value_of(k_, out_.registers[e.value()]);
    return term::binary(Op::add, lift_pointer(e.kids()[0], words), lift_pointer(e.kids()[1], words));
  }

  uint32_t words_of(prog::ObjectId o) const { return word_width(c_.test.objects[o].width, c_.narrow) / 32; }

  // ---- instructions ----
  code::Place place(uint32_t p, const Instr& i) const {
    const Reach& reach = c_.values.targets[t_][p];
    const prog::Object& o = c_.test.objects[reach.object];
    if (std::string why = refused_width("'" + o.name + "'", o.width, true); !why.empty())
      refuse(i.span, std::move(why));
    code::Place place;
    place.buffer = c_.shared[reach.object] ? code::k_shared : c_.memory_buffers[reach.object];
    place.width = word_width(o.width, c_.narrow);
    const uint32_t words = place.width / 32;
    if (i.addr.symbol == prog::k_none) {
      // The register's arithmetic was in cells when it was set; with two words for a cell only cell 0 is right.
      if (words != 1 && reach.cells != std::set<uint64_t>{0})
        refuse(i.span, "a computed address leads into an array of 64-bit words");
      place.index = lift_pointer(i.addr.index, words);
      return place;
    }
    place.index = code::value_of(k_, out_.addresses[p]);
    if (i.addr.index) {
      const Expr cell = term::resize(lift(i.addr.index, 32), 32, false);
      place.index = term::binary(Op::add, place.index, words == 1 ? cell : term::binary(Op::mul, cell, c32(words)));
    }
    return place;
  }

  uint32_t operation(uint32_t p, const Instr& i) {
    code::Operation o;
    o.role = t_;
    o.position = p;
    o.instr = i;
    o.dialect = c_.test.dialect;
    if (i.kind == Kind::load || i.kind == Kind::store || i.kind == Kind::rmw) {
      o.place = place(p, i);
      const uint8_t w = o.place.width;
      if (i.value) o.value = term::resize(lift(i.value, w), w, true);
      if (i.guard) o.guard = lift(i.guard, w);
      if (i.result) o.result = lift(i.result, w);
      if (i.dst != prog::k_none) {
        o.var = out_.registers[i.dst];
        const uint8_t have = o.result ? o.result.width() : w, want = k_.variables[o.var].width;
        if (have != want && i.kind == Kind::rmw) {
          if (!o.result) o.result = term::variable(prog::k_old_value, w);
          o.result = term::resize(o.result, want, true);
        } else if (have != want) {
          refuse(i.span, "a load into a register of another width than its location");
        }
      }
    }
    k_.operations.push_back(std::move(o));
    return static_cast<uint32_t>(k_.operations.size() - 1);
  }

  List instruction(uint32_t p, const Instr& i) {
    // A locked operation of x86 is its fences too.
    if (i.hidden && i.tags.has(prog::Tag::HOST)) return {};
    if (i.kind != Kind::local) return {code::test(operation(p, i))};
    if (i.dst == prog::k_none) return {};
    const code::Var v = out_.registers[i.dst];
    if (c_.values.pointer[t_][i.dst]) return {code::set(v, lift_pointer(i.value, 1))};
    return {code::set(v, term::resize(lift(i.value, 32), k_.variables[v].width, false))};
  }

  Expr truth_of(const Expr& e) const { return term::truth(lift(e, 32)); }

  List predicated(const Instr& i, List body) const {
    if (i.predicate == prog::k_none) return body;
    const Expr p = term::truth(code::value_of(k_, out_.registers[i.predicate]));
    return {code::branch(i.predicate_negated ? term::unary(Op::not_, p) : p, std::move(body))};
  }

  // ---- control flow ----
  bool jumps(const Instr& i) const { return i.kind == Kind::jump || i.kind == Kind::branch; }
  uint32_t target(const Instr& i) const { return code_.labels[i.label].at; }

  void find_loops() {
    last_back_.assign(code_.labels.size(), prog::k_none);
    for (uint32_t p = 0; p < size_; ++p) {
      const Instr& i = code_.code[p];
      if (!jumps(i) || target(i) > p) continue;
      last_back_[i.label] = p;
      out_.loops = true;
    }
    if (out_.loops) {
      spins_ = variable("spins", 32);
      out_.start.push_back(code::set(spins_, c32(0)));
    }
  }

  // Nobody jumps into (lo, hi) from outside, nor out of it: a stretch that can stand in a branch of its own. Jumps to
  // `hi` are jumps to its end.
  bool closed(uint32_t lo, uint32_t hi) const {
    for (uint32_t p = 0; p < size_; ++p) {
      const Instr& i = code_.code[p];
      if (!jumps(i)) continue;
      const bool from = p >= lo && p < hi;
      if (from ? target(i) < lo || target(i) > hi : target(i) >= lo && target(i) < hi) return false;
    }
    return true;
  }

  List go_to(LabelId l) const { return {code::set(out_.to, c32(uint64_t{l} + 1))}; }
  Expr free_to_run() const { return term::binary(Op::eq, code::value_of(k_, out_.to), c32(0)); }

  // Statements of [lo, hi). `escapes`: labels outside that it may jump to (k_gave_up_label: a loop met the limit).
  List emit(uint32_t lo, uint32_t hi, std::set<LabelId>& escapes, bool outermost) {
    List out, guarded;
    std::set<LabelId> pending;
    const auto flush = [&] {
      if (!guarded.empty()) out.push_back(code::branch(free_to_run(), std::exchange(guarded, {})));
    };
    const auto add = [&](List more, const std::set<LabelId>& leaves) {
      append(pending.empty() ? out : guarded, std::move(more));
      if (leaves.empty()) return;
      flush();
      pending.insert(leaves.begin(), leaves.end());
    };
    for (uint32_t p = lo; p < hi;) {
      const Instr& i = code_.code[p];
      if (i.kind == Kind::label) {
        if (pending.erase(i.label) > 0) {
          flush();
          const Expr to = code::value_of(k_, out_.to);
          out.push_back(
              code::set(out_.to, term::ite(term::binary(Op::eq, to, c32(uint64_t{i.label} + 1)), c32(0), to)));
        }
        if (last_back_[i.label] == prog::k_none) {
          ++p;
          continue;
        }
        const uint32_t end = last_back_[i.label] + 1;
        if (end > hi) refuse(i.span, "two loops overlap here", "runs know loops that lie inside of each other");
        std::set<LabelId> leaves;
        List body = loop(p, end, i, leaves);
        add(std::move(body), leaves);
        p = end;
        continue;
      }
      if (i.kind == Kind::barrier) {
        if (!outermost || (!pending.empty() && pending != std::set<LabelId>{k_gave_up_label}) ||
            i.predicate != prog::k_none)
          refuse(i.span, "a barrier inside of a branch or loop",
                 "runs know barriers that every thread of the group passes");
        check_barrier(i);
        flush();
        out_.segments.push_back(std::exchange(out, {}));
        out_.barriers.push_back(i);
        out_.barrier_positions.push_back(p);
        ++p;
        continue;
      }
      if (!jumps(i)) {
        add(predicated(i, instruction(p, i)), {});
        ++p;
        continue;
      }
      const uint32_t to = target(i);
      if (i.kind == Kind::branch && i.predicate == prog::k_none && to > p && to <= hi) {
        std::set<LabelId> leaves;
        if (closed(p + 1, to)) {
          List body = emit(p + 1, to, leaves, false);
          if (!body.empty()) add({code::branch(term::unary(Op::not_, truth_of(i.value)), std::move(body))}, leaves);
          p = to;
          continue;
        }
        // if (!c) { A; goto end } else { B } end:
        const Instr& before = code_.code[to - 1];
        if (to - 1 > p && before.kind == Kind::jump && before.predicate == prog::k_none && target(before) > to &&
            target(before) <= hi && closed(p + 1, to - 1) && only_entry(i.label, p) && closed(to + 1, target(before))) {
          List then = emit(p + 1, to - 1, leaves, false), other = emit(to + 1, target(before), leaves, false);
          add({code::branch(term::unary(Op::not_, truth_of(i.value)), std::move(then), std::move(other))}, leaves);
          p = target(before);
          continue;
        }
      }
      List jump = go_to(i.label);
      if (i.kind == Kind::branch) jump = {code::branch(truth_of(i.value), std::move(jump))};
      add(predicated(i, std::move(jump)), {i.label});
      ++p;
    }
    flush();
    escapes.insert(pending.begin(), pending.end());
    return out;
  }

  // The label's only user is the branch at `p`.
  bool only_entry(LabelId l, uint32_t p) const {
    for (uint32_t x = 0; x < size_; ++x)
      if (x != p && jumps(code_.code[x]) && code_.code[x].label == l) return false;
    return true;
  }

  List loop(uint32_t head, uint32_t end, const Instr& label, std::set<LabelId>& leaves) {
    for (uint32_t p = 0; p < size_; ++p) {
      const Instr& i = code_.code[p];
      if (jumps(i) && (p < head || p >= end) && target(i) > head && target(i) < end)
        refuse(i.span, "this jump enters a loop in its middle",
               "runs know loops that are entered at their first instruction");
    }
    std::set<LabelId> inner;
    List body = emit(head + 1, end, inner, false);
    inner.erase(label.label);
    const Expr to = code::value_of(k_, out_.to);
    body.push_back(code::leave_if(term::binary(Op::ne, to, c32(uint64_t{label.label} + 1))));
    body.push_back(code::set(out_.to, c32(0)));
    body.push_back(code::set(spins_, term::binary(Op::add, code::value_of(k_, spins_), c32(1))));
    body.push_back(code::branch(term::binary(Op::uge, code::value_of(k_, spins_), c_.spin_limit),
                                {code::set(out_.to, c32(k_gave_up))}));
    body.push_back(code::leave_if(term::binary(Op::ne, to, c32(0))));
    leaves = std::move(inner);
    leaves.insert(k_gave_up_label);
    return {code::loop(std::move(body))};
  }

  void check_barrier(const Instr& i) const {
    if (i.barrier.quorum)
      refuse(i.span, "a barrier for part of the group", "runs know barriers that the whole group passes");
    if (i.barrier.arrive)
      refuse(i.span, "a barrier that is arrived at without waiting", "runs know barriers that the whole group passes");
    if (i.barrier.id && !i.barrier.id.is_const())
      refuse(i.span, "a barrier whose number is computed", "runs know barriers with a constant number");
    if (i.barrier.level != 2) refuse(i.span, "a barrier of another group than the workgroup");
  }

  code::Kernel& k_;
  uint32_t t_;
  const RoleContext& c_;
  const prog::Template& code_;
  uint32_t size_;
  RoleCode out_;
  code::Var spins_ = code::k_no_var;
  std::vector<uint32_t> last_back_;  // by label: the last position that jumps back to it
};

}  // namespace

uint8_t word_width(uint8_t width, bool narrow) { return width == 64 && narrow ? uint8_t{32} : width; }

std::string refused_width(const std::string& what, uint8_t width, bool location) {
  if (width == 32 || width == 64 || (width == 1 && !location)) return {};
  return fmt::format("{} has {} bits, and only words of 32 and 64 bits can be run", what, width);
}

Expected<RoleCode> role_code(code::Kernel& k, uint32_t thread, const RoleContext& context) {
  try {
    return Translator(k, thread, context).run();
  } catch (const Refused& r) {
    return std::unexpected(r.why);
  }
}

}  // namespace fencepost::plan
