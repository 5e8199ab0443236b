// Relations, choices and demands. docs/semantics.md is the specification; each
// label names its rule.
#include "verify/encode.h"

#include <algorithm>

namespace fencepost::verify {
namespace {

class Encoder {
 public:
  Encoder(const Program& p, const CatModel& prelude, const CatModel& model, const Question& q)
      : p_(p), prelude_(prelude), model_(model), q_(q) {}

  Encoding encode() {
    refuse();
    // A bit of a read is constant if it is in all writes that it may read from,
    // which may rest on bits found before.
    KnownBits known;
    for (int round = 0; round < 20; ++round) {
      out_ = {};
      registers_.clear();
      complete_.clear();
      unroll(p_, q_, known, out_, registers_, complete_);
      if (!learn(known)) break;
    }
    n_ = out_.events.size();
    for (const Event& e : out_.events) c_.names.push_back(e.name);
    base_relations();
    reads();
    coherence();
    fence_order();
    barriers();
    std::vector<Lit> flags;
    CatEvaluator cat(c_, base_);
    cat.judge(prelude_, "prelude", flags);
    cat.judge(model_, "model", flags);
    question(flags);
    return std::move(out_);
  }

 private:
  const Event& at(size_t i) const { return out_.events[i]; }
  static bool same_cell(const Event& a, const Event& b) { return a.object >= 0 && a.object == b.object; }
  Relation nothing() const { return Relation(n_, EventSet(n_, k_false)); }
  void refuse() const {
    static const char* const k_names[] = {"ptx", "vulkan", "opencl"};
    const auto header = [&](const char* key) {
      const auto h = model_.headers.find(key);
      return h == model_.headers.end() ? std::string() : h->second;
    };
    if (!header("dialect").empty() && header("dialect") != k_names[static_cast<size_t>(p_.dialect)])
      throw NotCertified("a test of this dialect under a model of the dialect '" + header("dialect") + "'");
    if (!header("variants").empty()) throw NotCertified("a model with variants");
    for (const Object& o : p_.objects) {
      if (o.local_in.empty() || header("spaces") == "any") continue;
      std::set<std::vector<uint64_t>> groups;
      for (const int t : o.local_in) groups.insert(p_.threads[t].place);
      if (groups.size() > 1 || o.tags.contains("GLOBAL")) throw NotCertified("a local location of several work-groups");
    }
    if (!q_.races && p_.quantifier.empty()) throw NotCertified("a test without a question");
  }

  bool learn(KnownBits& known) const {
    bool found = false;
    for (const Event& r : out_.events) {
      if (!r.read || r.exec == k_false) continue;
      auto& bits = known[r.name];
      for (size_t k = 0; k < static_cast<size_t>(r.width); ++k) {
        if (bits[k]) continue;
        bool zero = true, one = true;
        for (const Event& w : out_.events) {
          if (!w.write || w.exec == k_false || !same_cell(w, r)) continue;
          zero = zero && w.value[k] == k_false;
          one = one && w.value[k] == k_true;
        }
        if (zero == one) continue;
        bits[k] = one;
        found = true;
      }
    }
    return found;
  }

  // ---- relations that the program fixes ----
  // Whether they are in one group of the level. Level 0: all threads; -1: the thread itself.
  bool inside(int s, int t, int level) const {
    const auto &a = p_.threads[s].place, &b = p_.threads[t].place;
    return s == t || (level >= 0 && std::equal(a.begin(), a.begin() + level + 1, b.begin()));
  }

  // The scope that an event names, as a level; the narrowest tag counts.
  std::optional<int> scope(const Event& e) const {
    static const std::map<Dialect, std::vector<std::pair<const char*, int>>> k = {
        {Dialect::ptx, {{"CTA", 2}, {"GPU", 1}, {"SYS", 0}}},
        {Dialect::vulkan, {{"SG", 3}, {"WG", 2}, {"QF", 1}, {"DV", 0}}},
        {Dialect::opencl, {{"WI", -1}, {"WG", 2}, {"DV", 1}, {"ALL", 0}}}};
    for (const auto& [tag, level] : k.at(p_.dialect))
      if (e.tags.contains(tag)) return level;
    return std::nullopt;
  }

  void base_relations() {
    static const std::map<Dialect, std::vector<std::pair<const char*, int>>> k_levels = {
        {Dialect::ptx, {{"sgpu", 1}, {"scta", 2}, {"scluster", 2}}},
        {Dialect::vulkan, {{"sdv", 0}, {"sqf", 1}, {"swg", 2}, {"ssg", 3}}},
        {Dialect::opencl, {{"sdv", 1}, {"swg", 2}}}};
    static const std::map<Dialect, std::vector<const char*>> k_tags = {
        {Dialect::ptx,
         {"RLX", "ACQ_REL", "SC", "WEAK", "CTA", "GPU", "SYS", "GEN", "TEX", "SUR", "CON", "ALIAS", "RED", "CLUSTER"}},
        {Dialect::vulkan,
         {"ATOM",   "NONPRIV", "AV",     "VIS", "SEMAV", "SEMVIS", "SC0", "SC1",  "SC2",      "SC3",      "SEMSC0",
          "SEMSC1", "SEMSC2",  "SEMSC3", "SG",  "WG",    "QF",     "DV",  "CBAR", "AVDEVICE", "VISDEVICE"}},
        {Dialect::opencl,
         {"RLX", "ACQ_REL", "SC", "WG", "DV", "WI", "ALL", "GLOBAL", "LOCAL", "GENERIC", "NAL", "A", "NA"}}};
    for (const char* r :
         {"po", "int", "ext", "id", "loc", "rf", "co", "amo", "lxsx", "addr", "data", "ctrl", "sr", "syncbar"})
      base_.relations.emplace(r, nothing());
    for (const auto& [r, level] : k_levels.at(p_.dialect)) base_.relations.emplace(r, nothing());
    if (p_.dialect != Dialect::opencl) base_.relations.emplace("vloc", nothing());
    if (p_.dialect == Dialect::vulkan) base_.relations.emplace("ssw", nothing());
    for (const char* t : {"R", "W", "F", "IW", "RMW", "B", "UB", "ACQ", "REL"}) base_.sets[t].assign(n_, k_false);
    for (const char* t : k_tags.at(p_.dialect)) base_.sets[t].assign(n_, k_false);
    for (size_t i = 0; i < n_; ++i) {
      const Event& e = at(i);
      base_.events.push_back(e.exec);
      c_.label("tags", i, i);
      for (const auto& [t, when] : e.tags) {
        if (!base_.sets.contains(t)) throw NotCertified("the tag '" + t + "'");
        base_.sets[t][i] = c_.both(e.exec, when);
      }
    }
    base_.sets["_"] = base_.events;
    base_.sets["M"].assign(n_, k_false);
    for (size_t i = 0; i < n_; ++i)
      if (at(i).read || at(i).write) base_.sets["M"][i] = at(i).exec;
    for (size_t i = 0; i < n_; ++i)
      for (size_t j = 0; j < n_; ++j) fixed_pair(i, j, k_levels.at(p_.dialect));
    dependencies();
  }

  void fixed_pair(size_t i, size_t j, const std::vector<std::pair<const char*, int>>& levels) {
    const Event &a = at(i), &b = at(j);
    c_.label("fixed", i, j);
    const Lit here = c_.both(a.exec, b.exec);
    const auto put = [&](const char* r) { base_.relations.at(r)[i][j] = here; };
    if (i == j) put("id");
    const bool init = a.thread < 0 || b.thread < 0;
    const bool same_thread = init ? i == j : a.thread == b.thread;
    put(same_thread ? "int" : "ext");
    if (same_thread && i < j) put("po");
    if (same_cell(a, b)) put("loc");
    if (p_.dialect != Dialect::opencl && a.symbol >= 0 && b.symbol >= 0 &&
        p_.symbols[a.symbol].generic == p_.symbols[b.symbol].generic)
      put("vloc");
    if (init) return;
    for (const auto& [r, level] : levels)
      if (inside(a.thread, b.thread, level)) put(r);
    const auto s = scope(a), t = scope(b);
    if (s && t && inside(a.thread, b.thread, *s) && inside(a.thread, b.thread, *t)) put("sr");
    if (p_.dialect == Dialect::vulkan &&
        std::find(p_.ssw.begin(), p_.ssw.end(), std::pair(a.thread, b.thread)) != p_.ssw.end())
      put("ssw");
  }

  void dependencies() {
    for (size_t j = 0; j < n_; ++j) {
      const Event& e = at(j);
      for (const auto& [r, from] : {std::pair("data", &e.data), std::pair("addr", &e.addr), std::pair("ctrl", &e.ctrl)})
        for (const auto& [i, when] : *from) {
          c_.label("dependency", static_cast<size_t>(i), j);
          base_.relations.at(r)[i][j] = c_.all({at(static_cast<size_t>(i)).exec, e.exec, when});
        }
      if (e.partner >= 0) base_.relations.at("amo")[j][e.partner] = at(static_cast<size_t>(e.partner)).exec;
    }
  }

  // ---- choices ----
  void reads() {
    Relation& rf = base_.relations.at("rf");
    for (size_t r = 0; r < n_; ++r) {
      if (!at(r).read || at(r).exec == k_false) continue;
      std::vector<Lit> some = {negated(at(r).exec)};
      std::vector<std::pair<size_t, Lit>> from;
      for (size_t w = 0; w < n_; ++w) {
        if (!at(w).write || at(w).exec == k_false || !same_cell(at(w), at(r))) continue;
        c_.label("rf", w, r);
        const Lit l = rf[w][r] = c_.input("rf " + c_.pair(w, r));
        c_.demand_any({negated(l), at(w).exec});
        c_.demand_any({negated(l), at(r).exec});
        for (const auto& [other, m] : from) c_.demand_any({negated(l), negated(m)});
        c_.label("rf value", w, r);
        for (size_t k = 0; k < static_cast<size_t>(at(r).width); ++k) {
          const Lit x = at(w).value[k], y = at(r).value[k];
          if (x == y) continue;
          c_.demand_any({negated(l), negated(x), y});
          c_.demand_any({negated(l), x, negated(y)});
        }
        from.emplace_back(w, l);
        some.push_back(l);
      }
      c_.label("rf some", r, r);
      c_.demand_any(std::move(some));
    }
  }

  // co: total in vulkan and opencl, a strict partial order in ptx; the initial write first.
  void coherence() {
    Relation& co = base_.relations.at("co");
    const auto writes = [&](size_t i) { return at(i).write && at(i).exec != k_false; };
    const auto related = [&](size_t i, size_t j) {
      return at(i).thread >= 0 && at(j).thread >= 0 && writes(i) && writes(j) && same_cell(at(i), at(j));
    };
    for (size_t i = 0; i < n_; ++i)
      for (size_t j = 0; j < n_; ++j)
        if (at(i).thread < 0 && at(j).thread >= 0 && writes(j) && same_cell(at(i), at(j))) co[i][j] = at(j).exec;
    c_.label("co");
    if (p_.dialect != Dialect::ptx) {
      const Relation order = c_.total_order(n_, related, "co");
      for (size_t i = 0; i < n_; ++i)
        for (size_t j = 0; j < n_; ++j)
          if (i != j && related(i, j)) co[i][j] = c_.all({order[i][j], at(i).exec, at(j).exec});
      return;
    }
    for (size_t i = 0; i < n_; ++i)
      for (size_t j = 0; j < n_; ++j) {
        if (i == j || !related(i, j)) continue;
        c_.label("co", i, j);
        const Lit l = co[i][j] = c_.input("co " + c_.pair(i, j));
        c_.demand_any({negated(l), at(i).exec});
        c_.demand_any({negated(l), at(j).exec});
        if (j < i) c_.demand_any({negated(l), negated(co[j][i])});
      }
    for (size_t i = 0; i < n_; ++i)
      for (size_t j = 0; j < n_; ++j)
        for (size_t k = 0; k < n_; ++k) {
          if (i == j || j == k || k == i || !related(i, j) || !related(j, k)) continue;
          c_.label("co transitive", i, k);
          c_.demand_any({negated(co[i][j]), negated(co[j][k]), co[i][k]});
        }
  }

  // fsc: each pair of SC fences in each other's scope, in one direction,
  // without cycles. Where there is no cycle there is a total order that goes
  // along with it, and the execution's choice is that order.
  void fence_order() {
    if (p_.dialect != Dialect::ptx) return;
    Relation fsc = nothing(), sync = nothing();
    const Relation& sr = base_.relations.at("sr");
    const auto related = [&](size_t i, size_t j) {
      for (const size_t k : {i, j})
        if (!at(k).tags.contains("F") || !at(k).tags.contains("SC")) return false;
      return true;
    };
    c_.label("fsc");
    const Relation order = c_.total_order(n_, related, "fsc");
    for (size_t i = 0; i < n_; ++i)
      for (size_t j = 0; j < n_; ++j) {
        if (i == j || !related(i, j)) continue;
        c_.label("fsc", i, j);
        fsc[i][j] = sync[i][j] = c_.both(order[i][j], sr[i][j]);
        if (sr[i][j] == k_false) sync[i][j] = c_.all({c_.input("sync_fence " + c_.pair(i, j)), at(i).exec, at(j).exec});
      }
    base_.relations.emplace("fsc", std::move(fsc));
    base_.relations.emplace("sync_fence", std::move(sync));
  }

  // ---- barriers ----
  Lit same_group(size_t i, size_t j) {
    const Event &a = at(i), &b = at(j);
    if (a.barrier->instance != b.barrier->instance || !inside(a.thread, b.thread, 2)) return k_false;
    return c_.all({a.arrived, b.arrived, c_.equal(a.ordinal, b.ordinal)});
  }
  Lit equal_ids(size_t i, size_t j) {
    const bool a = at(i).barrier->id != nullptr, b = at(j).barrier->id != nullptr;
    return a != b ? k_false : a ? c_.equal(at(i).id, at(j).id) : k_true;
  }
  bool takes_part(const Event& a, size_t t) const {
    const auto mentioned = model_.headers.find("barriers");
    if (a.barrier->everyone && (mentioned == model_.headers.end() || mentioned->second != "mentioned")) return true;
    const auto& code = p_.threads[t].code;
    return std::any_of(code.begin(), code.end(), [&](const Instr& i) {
      return i.kind == Instr::Kind::barrier && i.instance == a.barrier->instance;
    });
  }
  // Every barrier of the instance in the code of t has an id that is a constant
  // and another one.
  Lit never_meets(const Event& a, size_t t) {
    if (!a.barrier->id) return k_false;
    std::vector<Lit> other;
    for (const Instr& i : p_.threads[t].code)
      if (i.kind == Instr::Kind::barrier && i.instance == a.barrier->instance && i.id)
        other.push_back(i.id->op != "const" ? k_false : negated(c_.equal(a.id, Circuit::constant(i.id->value))));
    return c_.all(std::move(other));
  }

  // At least as many of the literals hold as the number says.
  Lit at_least(const std::vector<Lit>& of, const Word& number) {
    Word count = Circuit::constant(0);
    for (const Lit l : of) count = c_.add(count, Circuit::constant(0), l);
    return negated(c_.less(count, number));
  }

  // Passing is the least fixpoint: whom a barrier waits for must have arrived
  // there without its help.
  void barriers() {
    std::vector<size_t> all;
    for (size_t i = 0; i < n_; ++i)
      if (at(i).barrier != nullptr) all.push_back(i);
    members_.assign(n_, k_false);
    const bool quorums =
        std::any_of(all.begin(), all.end(), [&](size_t i) { return at(i).barrier->quorum != nullptr; });
    for (const size_t i : all) {
      if (!quorums) break;
      c_.label("quorum", i, i);
      members_[i] = c_.input("member " + at(i).name);
      c_.demand_any({negated(members_[i]), at(i).arrived});
    }
    Relation& syncbar = base_.relations.at("syncbar");
    Relation before = nothing();  // i passes before j does, since j waits for an
                                  // arrival behind i
    for (const size_t i : all) {
      for (const size_t j : all) {
        if (at(j).barrier->arrive) continue;
        c_.label("syncbar", i, j);
        syncbar[i][j] = c_.all({same_group(i, j), equal_ids(i, j), at(i).exec, at(j).exec});
        if (at(i).barrier->quorum) syncbar[i][j] = c_.both(syncbar[i][j], members_[i]);
      }
      if (at(i).barrier->arrive) continue;
      c_.label("barrier", i, i);
      if (at(i).barrier->quorum)
        quorum(i, all, before);
      else
        everybody(i, all, before);
    }
    c_.label("barrier order");
    c_.demand_acyclic(before);
  }

  // i waits for the arrival j if `when`: for what j's thread has to pass
  // before.
  void waits(size_t i, size_t j, Lit when, const std::vector<size_t>& all, Relation& before) {
    for (const size_t k : all) {
      if (k >= j || at(k).thread != at(j).thread || at(k).barrier->arrive || when == k_false) continue;
      before[k][i] = c_.either(before[k][i], c_.all({when, at(i).exec, at(k).exec}));
    }
  }

  void everybody(size_t i, const std::vector<size_t>& all, Relation& before) {
    const Event& a = at(i);
    std::vector<Lit> support;
    for (size_t t = 0; t < p_.threads.size(); ++t) {
      if (!inside(a.thread, static_cast<int>(t), 2) || !takes_part(a, t)) continue;
      std::vector<Lit> there = {never_meets(a, t)};
      for (const size_t j : all) {
        if (at(j).thread != static_cast<int>(t)) continue;
        there.push_back(same_group(i, j));
        waits(i, j, there.back(), all, before);
      }
      support.push_back(c_.any(std::move(there)));
    }
    const Lit passes = c_.all(std::move(support));
    c_.demand_any({negated(a.exec), passes});
    c_.demand_any({negated(a.arrived), negated(passes), a.exec});
  }

  void quorum(size_t i, const std::vector<size_t>& all, Relation& before) {
    const Event& a = at(i);
    std::vector<Lit> meet, members, used;
    for (const size_t j : all) {
      meet.push_back(c_.both(same_group(i, j), equal_ids(i, j)));
      if (meet.back() == k_false) continue;
      members.push_back(c_.both(meet.back(), members_[j]));
      c_.label("barrier", i, j);
      used.push_back(c_.both(meet.back(), c_.input("waits " + c_.pair(i, j))));
      waits(i, j, used.back(), all, before);
    }
    c_.label("quorum", i, i);
    c_.demand_any({negated(a.exec), at_least(members, a.quorum)});
    c_.label("barrier", i, i);
    c_.demand_any({negated(a.exec), at_least(used, a.quorum)});
    c_.demand_any({negated(a.arrived), negated(at_least(meet, a.quorum)), a.exec});
  }

  // ---- what is asked ----
  Lit condition(const Expr& e) {
    const Word w = evaluate(c_, e, [&](const Expr& l) {
      if (l.op == "reg") return registers_[l.thread][l.index];
      const int object = p_.symbols[l.index].object;
      return l.op == "address" ? Circuit::constant(0x1000 * (static_cast<uint64_t>(object) + 1)) : final_value(object);
    });
    return c_.any({w.begin(), w.end()});
  }

  // The value of a write that no other follows in co; where co is partial, the
  // execution chooses among those.
  Word final_value(int object) {
    if (const auto known = final_.find(object); known != final_.end()) return known->second;
    const Relation& co = base_.relations.at("co");
    Word out = Circuit::constant(0);
    std::vector<Lit> some;
    std::vector<std::pair<Lit, size_t>> last;
    for (size_t w = 0; w < n_; ++w) {
      if (!at(w).write || at(w).object != object || at(w).exec == k_false) continue;
      c_.label("final value", w, w);
      std::vector<Lit> is_last = {at(w).exec};
      for (size_t x = 0; x < n_; ++x) is_last.push_back(negated(co[w][x]));
      Lit l = c_.all(std::move(is_last));
      if (p_.dialect == Dialect::ptx) {
        const Lit chosen = c_.input("final " + at(w).name);
        c_.demand_any({negated(chosen), l});
        for (const Lit other : some) c_.demand_any({negated(chosen), negated(other)});
        some.push_back(chosen);
        l = chosen;
      }
      last.emplace_back(l, w);
    }
    c_.label("final value", static_cast<size_t>(object));
    if (p_.dialect == Dialect::ptx) c_.demand_any(some);
    for (const auto& [l, w] : last)
      for (size_t k = 0; k < 64; ++k) out[k] = c_.either(out[k], c_.both(l, at(w).value[k]));
    for (size_t k = static_cast<size_t>(p_.objects[object].width); k < 64; ++k) out[k] = out[k - 1];
    final_.emplace(object, out);
    return out;
  }

  void question(const std::vector<Lit>& flags) {
    if (p_.filter && q_.use_filter) {
      c_.label("filter");
      const Lit f = condition(*p_.filter);
      c_.label("filter");
      c_.demand(f);
    }
    if (q_.races) {
      c_.label("flag");
      c_.demand_any(flags);
      return;
    }
    for (size_t t = 0; t < complete_.size(); ++t) {
      c_.label("complete", t);
      c_.demand(complete_[t]);
    }
    c_.label("condition");
    const Lit l = condition(*p_.condition);
    c_.label("condition");
    c_.demand(p_.quantifier == "forall" ? negated(l) : l);
  }

  const Program& p_;
  const CatModel &prelude_, &model_;
  const Question& q_;
  Encoding out_;
  Circuit& c_ = out_.circuit;
  size_t n_ = 0;
  std::vector<std::vector<Word>> registers_;
  std::vector<Lit> complete_;
  BaseFacts base_;
  std::map<int, Word> final_;
  std::vector<Lit> members_;  // barriers: the arrival is one of those that a quorum counts
};

}  // namespace

Encoding encode(const Program& program, const CatModel& prelude, const CatModel& model, const Question& question) {
  return Encoder(program, prelude, model, question).encode();
}

}  // namespace fencepost::verify
