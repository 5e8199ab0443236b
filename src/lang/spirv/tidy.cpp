#include "spirv/tidy.h"

#include <algorithm>
#include <set>

#include "term/term.h"

namespace fencepost::spirv {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using term::Expr;
using T = term::Op;

namespace {

class Tidier {
 public:
  explicit Tidier(prog::Template t) : t_(std::move(t)) {}

  prog::Template run() {
    do {
      do drop_labels();
      while (remove_dead());
    } while (straighten_all());
    split_spins();
    drop_labels();
    renumber();
    return std::move(t_);
  }

 private:
  prog::LabelId label(std::string name) {
    t_.labels.push_back({std::move(name), 0});
    return static_cast<prog::LabelId>(t_.labels.size() - 1);
  }

  template <class F>
  static void for_each_read(const Instr& i, F&& f) {
    for (const Expr* e : {&i.value, &i.guard, &i.result, &i.addr.index, &i.barrier.id, &i.barrier.quorum})
      if (*e)
        term::for_each_variable(*e, [&](uint64_t v) {
          if (v != prog::k_old_value) f(static_cast<prog::RegId>(v));
        });
    if (i.predicate != k_none) f(i.predicate);
  }

  using Set = std::vector<uint64_t>;  // of registers
  static bool has(const Set& s, prog::RegId r) { return (s[r / 64] >> (r % 64) & 1) != 0; }
  static void put(Set& s, prog::RegId r) { s[r / 64] |= uint64_t{1} << (r % 64); }
  static void take(Set& s, prog::RegId r) { s[r / 64] &= ~(uint64_t{1} << (r % 64)); }
  static bool join(Set& s, const Set& o) {
    bool changed = false;
    for (size_t k = 0; k < s.size(); ++k) {
      changed = changed || (o[k] & ~s[k]) != 0;
      s[k] |= o[k];
    }
    return changed;
  }
  static void step_back(Set& l, const Instr& i) {
    if (i.dst != k_none && i.predicate == k_none) take(l, i.dst);
    if (i.spurious != k_none && i.predicate == k_none) take(l, i.spurious);
    for_each_read(i, [&](prog::RegId r) { put(l, r); });
  }

  // What lives behind the last instruction of each block, by the block's first.
  struct Piece {
    size_t begin = 0, end = 0;
    Set live_out, live_in;
  };
  std::vector<Piece> liveness() const {
    const size_t n = t_.code.size(), words = t_.registers.size() / 64 + 1;
    std::vector<Piece> pieces;
    std::vector<size_t> at(t_.labels.size(), 0);  // piece that a label begins
    for (size_t k = 0; k < n; ++k) {
      const bool begins = k == 0 || t_.code[k].kind == Kind::label || transfers(t_.code[k - 1]);
      if (begins) pieces.push_back({k, k, Set(words), Set(words)});
      pieces.back().end = k + 1;
      if (t_.code[k].kind == Kind::label) at[t_.code[k].label] = pieces.size() - 1;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t p = pieces.size(); p-- > 0;) {
        Piece& x = pieces[p];
        const Instr& last = t_.code[x.end - 1];
        if (transfers(last)) join(x.live_out, pieces[at[last.label]].live_in);
        if (last.kind != Kind::jump && p + 1 < pieces.size()) join(x.live_out, pieces[p + 1].live_in);
        Set l = x.live_out;
        for (size_t k = x.end; k-- > x.begin;) step_back(l, t_.code[k]);
        changed = join(x.live_in, l) || changed;
      }
    }
    return pieces;
  }

  // One round of liveness; true when something went away.
  bool remove_dead() {
    const size_t n = t_.code.size();
    std::vector<bool> read(t_.registers.size(), false);  // by something else than what sets it, as a counter does
    for (const Instr& i : t_.code)
      for_each_read(i, [&](prog::RegId r) {
        if (i.kind != Kind::local || i.dst != r) read[r] = true;
      });
    std::vector<bool> dead(n, false);
    for (const Piece& p : liveness()) {
      Set l = p.live_out;
      for (size_t k = p.end; k-- > p.begin;) {
        const Instr& i = t_.code[k];
        const bool pure = i.kind == Kind::local || (i.kind == Kind::load && i.mnemonic == "undefined");
        dead[k] = (i.kind == Kind::local && !read[i.dst]) || (pure && !has(l, i.dst));
        step_back(l, i);
      }
    }
    std::vector<Instr> kept;
    for (size_t k = 0; k < n; ++k)
      if (!dead[k]) kept.push_back(std::move(t_.code[k]));
    const bool removed = kept.size() != n;
    t_.code = std::move(kept);
    return removed;
  }

  size_t position(prog::LabelId l) const {
    size_t k = 0;
    while (t_.code[k].kind != Kind::label || t_.code[k].label != l) ++k;
    return k;
  }
  static bool transfers(const Instr& i) { return i.kind == Kind::jump || i.kind == Kind::branch; }

  bool straighten_all() {
    bool any = false;
    while (straighten()) {
      any = true;
      drop_labels();
    }
    return any;
  }
  // One small improvement of the control flow; true when there was one.
  bool straighten() {
    for (size_t k = 0; k < t_.code.size(); ++k) {
      Instr& i = t_.code[k];
      // A register that is only there for the branch behind it.
      if (i.kind == Kind::local && i.predicate == k_none && k + 1 < t_.code.size() &&
          t_.code[k + 1].kind == Kind::branch && t_.code[k + 1].value.is_var() &&
          t_.code[k + 1].value.value() == i.dst && reads_of(i.dst) == 1) {
        t_.code[k + 1].value = i.value;
        t_.code.erase(t_.code.begin() + static_cast<std::ptrdiff_t>(k));
        return true;
      }
      if (!transfers(i)) continue;
      if (const prog::LabelId end = onward(i.label, k); end != i.label) {
        i.label = end;
        return true;
      }
      // Over labels only: to where the code goes anyway.
      size_t next = k + 1;
      while (next < t_.code.size() && t_.code[next].kind == Kind::label && t_.code[next].label != i.label) ++next;
      if (next < t_.code.size() && t_.code[next].kind == Kind::label) {
        t_.code.erase(t_.code.begin() + static_cast<std::ptrdiff_t>(k));
        return true;
      }
      // Unreachable behind a jump.
      if (i.kind == Kind::jump && k + 1 < t_.code.size() && t_.code[k + 1].kind != Kind::label &&
          t_.code[k + 1].kind != Kind::barrier) {
        t_.code.erase(t_.code.begin() + static_cast<std::ptrdiff_t>(k) + 1);
        return true;
      }
      // if c, A; goto B; A:   is   if !c, B; A:
      if (i.kind == Kind::branch && k + 2 < t_.code.size() && t_.code[k + 1].kind == Kind::jump) {
        size_t a = k + 2;
        while (a < t_.code.size() && t_.code[a].kind == Kind::label && t_.code[a].label != i.label) ++a;
        if (a < t_.code.size() && t_.code[a].kind == Kind::label) {
          i.value = term::unary(T::not_, i.value);
          i.label = t_.code[k + 1].label;
          t_.code.erase(t_.code.begin() + static_cast<std::ptrdiff_t>(k) + 1);
          return true;
        }
      }
    }
    return false;
  }
  // Where a transfer to `l` from position `k` ends up through jumps; `l` itself where jumps only lead round in a
  // circle.
  prog::LabelId onward(prog::LabelId l, size_t k) const {
    std::set<prog::LabelId> met{l};
    for (prog::LabelId at = l;;) {
      size_t to = position(at);
      while (to + 1 < t_.code.size() && t_.code[to].kind == Kind::label) ++to;
      if (t_.code[to].kind != Kind::jump || to == k) return at;
      at = t_.code[to].label;
      if (!met.insert(at).second) return l;
    }
  }
  size_t reads_of(prog::RegId r) const {
    size_t n = 0;
    for (const Instr& i : t_.code) for_each_read(i, [&](prog::RegId x) { n += x == r; });
    return n;
  }

  // A loop that goes back early, before anything had an effect, and later after an effect, becomes two, one in the
  // other: bounds then count what has an effect, and the inner one is a spin (docs/semantics.md, Loops).
  void split_spins() {
    for (size_t k = 0; k < t_.code.size(); ++k) {
      if (t_.code[k].kind != Kind::label) continue;
      const prog::LabelId l = t_.code[k].label;
      std::vector<size_t> back;
      for (size_t j = k; j < t_.code.size(); ++j)
        if (transfers(t_.code[j]) && t_.code[j].label == l) back.push_back(j);
      if (back.size() < 2) continue;
      std::set<prog::RegId> set, read;
      size_t quiet = k + 1;
      for (; quiet < t_.code.size(); ++quiet) {
        const Instr& i = t_.code[quiet];
        if (i.kind == Kind::store || i.kind == Kind::rmw || i.kind == Kind::barrier || i.predicate != k_none) break;
        bool carried = false;
        for_each_read(i, [&](prog::RegId r) {
          if (!set.contains(r)) read.insert(r);
        });
        if (i.dst != k_none) {
          carried = read.contains(i.dst);
          set.insert(i.dst);
        }
        if (carried) break;
      }
      size_t early = 0;
      while (early < back.size() && back[early] < quiet) ++early;
      if (early == 0 || early == back.size()) continue;
      const prog::LabelId inner = label(t_.labels[l].name + ".spin");
      for (size_t n = 0; n < early; ++n) t_.code[back[n]].label = inner;
      Instr at = t_.code[k];
      at.label = inner;
      t_.code.insert(t_.code.begin() + static_cast<std::ptrdiff_t>(k) + 1, at);
      ++k;
    }
  }

  void drop_labels() {
    std::vector<bool> used(t_.labels.size(), false);
    for (const Instr& i : t_.code)
      if (i.kind == Kind::jump || i.kind == Kind::branch) used[i.label] = true;
    std::erase_if(t_.code, [&](const Instr& i) { return i.kind == Kind::label && !used[i.label]; });
    std::vector<prog::Label> labels;
    std::vector<prog::LabelId> now(t_.labels.size(), k_none);
    for (uint32_t k = 0; k < t_.code.size(); ++k)
      if (t_.code[k].kind == Kind::label) {
        now[t_.code[k].label] = static_cast<prog::LabelId>(labels.size());
        labels.push_back({t_.labels[t_.code[k].label].name, k});
      }
    for (Instr& i : t_.code)
      if (i.label != k_none) i.label = now[i.label];
    t_.labels = std::move(labels);
  }

  void renumber() {
    std::vector<prog::RegId> now(t_.registers.size(), k_none);
    std::vector<prog::Register> registers;
    const auto use = [&](prog::RegId r) {
      if (now[r] == k_none) {
        now[r] = static_cast<prog::RegId>(registers.size());
        registers.push_back(t_.registers[r]);
      }
      return now[r];
    };
    for (const Instr& i : t_.code) {
      for_each_read(i, use);
      if (i.dst != k_none) use(i.dst);
      if (i.spurious != k_none) use(i.spurious);
    }
    const auto change = [&](Expr& e) {
      if (e)
        e = term::substitute(
            e, [&](uint64_t v, uint8_t w) { return v == prog::k_old_value ? Expr{} : term::variable(now[v], w); });
    };
    for (Instr& i : t_.code) {
      for (Expr* e : {&i.value, &i.guard, &i.result, &i.addr.index, &i.barrier.id, &i.barrier.quorum}) change(*e);
      if (i.dst != k_none) i.dst = now[i.dst];
      if (i.spurious != k_none) i.spurious = now[i.spurious];
      if (i.predicate != k_none) i.predicate = now[i.predicate];
    }
    t_.registers = std::move(registers);
  }

  prog::Template t_;
};

}  // namespace

prog::Template tidied(prog::Template t) { return Tidier(std::move(t)).run(); }

}  // namespace fencepost::spirv
