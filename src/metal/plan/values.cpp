#include "plan/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "prog/test.h"
#include "term/term.h"

namespace fencepost::plan {
namespace {

using prog::Instr;
using prog::Kind;
using term::Expr;
using term::Op;

constexpr uint64_t k_most_combinations = 65536;

using Registers = std::vector<ValueSet>;

class Analysis {
 public:
  explicit Analysis(const prog::Test& test) : test_(test) {}

  Expected<Values> run() {
    if (const auto ok = initial(); !ok) return std::unexpected(ok.error());
    uint32_t writes = 1;
    bool repeated = false;  // some write stands in a loop
    for (uint32_t t = 0; t < test_.threads.size(); ++t) {
      pointers(t);
      const auto& code = test_.instrs(t);
      std::vector<bool> in_loop(code.size(), false);
      for (uint32_t p = 0; p < code.size(); ++p) {
        if (code[p].kind != Kind::jump && code[p].kind != Kind::branch) continue;
        for (uint32_t x = test_.code(t).labels[code[p].label].at; x <= p; ++x) in_loop[x] = v_.loops = true;
      }
      for (uint32_t p = 0; p < code.size(); ++p) {
        if (code[p].kind != Kind::store && code[p].kind != Kind::rmw) continue;
        ++writes;
        repeated = repeated || in_loop[p];
      }
    }
    const uint32_t rounds = repeated ? 2 * k_most_values : writes;
    for (uint32_t round = 0; round <= rounds; ++round) {
      grown_ = false;
      for (uint32_t t = 0; t < test_.threads.size(); ++t)
        if (const auto ok = thread(t); !ok) return std::unexpected(ok.error());
      if (!grown_) break;
    }
    if (repeated && grown_)
      return unsupported_at(test_.span, "a loop of the test gives a cell ever new values", k_hint);
    v_.narrow = narrow_;
    return std::move(v_);
  }

 private:
  static constexpr const char* k_hint = "runs count states, so every register and cell must have few possible values";

  Expected<void> initial() {
    for (const prog::Object& o : test_.objects) {
      std::vector<ValueSet> cells;
      for (size_t c = 0; c < o.init.size(); ++c) {
        if (c < o.init_address.size() && o.init_address[c] != prog::k_none)
          return unsupported_at(o.span, fmt::format("'{}' starts as an address, and runs know numbers only", o.name),
                                "let threads name the location directly");
        cells.push_back({o.init[c] & term::mask(o.width)});
        fits(o.init[c] & term::mask(o.width), o.width);
      }
      v_.cells.push_back(std::move(cells));
    }
    for (uint32_t t = 0; t < test_.threads.size(); ++t) {
      v_.registers.emplace_back(test_.code(t).registers.size());
      v_.pointer.emplace_back(test_.code(t).registers.size(), false);
      v_.targets.emplace_back(test_.instrs(t).size());
    }
    return {};
  }

  // Registers that hold addresses: initial ones, and what local arithmetic makes of them.
  void pointers(uint32_t t) {
    std::vector<bool>& p = v_.pointer[t];
    for (const prog::InitValue& i : test_.threads[t].init)
      if (i.address != prog::k_none) p[i.reg] = true;
    for (bool more = true; more;) {
      more = false;
      for (const Instr& i : test_.instrs(t)) {
        if (i.kind != Kind::local || i.dst == prog::k_none || p[i.dst] || !mentions_pointer(t, i.value)) continue;
        p[i.dst] = more = true;
      }
    }
  }

  bool mentions_pointer(uint32_t t, const Expr& e) const {
    bool found = false;
    if (e)
      term::for_each_variable(e, [&](uint64_t r) { found = found || (r < v_.pointer[t].size() && v_.pointer[t][r]); });
    return found;
  }

  // address | address + number | number + address
  bool is_sum(uint32_t t, const Expr& e) const {
    if (e.is_var()) return true;
    if (e.op() != Op::add) return false;
    const bool left = mentions_pointer(t, e.kids()[0]), right = mentions_pointer(t, e.kids()[1]);
    return left != right && is_sum(t, e.kids()[left ? 0 : 1]);
  }

  void fits(uint64_t value, uint8_t width) {
    const int64_t s = term::to_signed(value, width);
    if (width > 32 && s != static_cast<int32_t>(s)) narrow_ = false;
  }

  // Operators whose result in 32 bits is that in 64 bits, cut off, when operands and result fit.
  void fits(const Expr& e) {
    if (!e) return;
    switch (e.op()) {
      case Op::constant:
        fits(e.value(), e.width());
        return;
      case Op::sdiv:
      case Op::udiv:
      case Op::srem:
      case Op::urem:
      case Op::shl:
      case Op::lshr:
      case Op::ashr:
      case Op::trunc:
      case Op::zext:
      case Op::sext:
        if (e.width() > 32 && !(e.op() == Op::zext && e.kids()[0].width() == 1)) narrow_ = false;
        if (e.op() == Op::trunc && e.kids()[0].width() > 32) narrow_ = false;
        break;
      default:
        break;
    }
    for (const Expr& k : e.kids()) fits(k);
  }

  // Calls back for every combination of values of the variables of `expressions`.
  Expected<void> combinations(const std::vector<Expr>& expressions, const Registers& env, const ValueSet* old,
                              const Instr& at, const std::function<void(const term::Env&)>& visit) const {
    std::map<uint64_t, const ValueSet*> variables;
    for (const Expr& e : expressions)
      if (e) term::for_each_variable(e, [&](uint64_t v) { variables[v] = v == prog::k_old_value ? old : &env[v]; });
    uint64_t count = 1;
    for (const auto& [v, set] : variables) count *= set->size();
    if (count > k_most_combinations)
      return unsupported_at(at.span, "too many combinations of values reach this instruction", k_hint);
    std::vector<std::pair<uint64_t, std::vector<uint64_t>>> lists;
    for (const auto& [v, set] : variables) lists.emplace_back(v, std::vector<uint64_t>(set->begin(), set->end()));
    for (uint64_t n = 0; n < count; ++n) {
      std::map<uint64_t, uint64_t> value;
      uint64_t rest = n;
      for (const auto& [v, list] : lists) {
        value[v] = list[rest % list.size()];
        rest /= list.size();
      }
      visit([&](uint64_t v) -> std::optional<uint64_t> { return value.at(v); });
    }
    return {};
  }

  Expected<ValueSet> values(const Expr& e, const Registers& env, const Instr& at) {
    ValueSet out;
    const auto ok = combinations({e}, env, nullptr, at, [&](const term::Env& v) { out.insert(*term::eval(e, v)); });
    if (!ok) return std::unexpected(ok.error());
    return out;
  }

  Expected<void> add(ValueSet& set, uint64_t value, uint8_t width, const Instr& at, bool number) {
    value &= term::mask(width);
    if (!set.insert(value).second) return {};
    if (number) fits(value, width);
    if (set.size() > k_most_values)
      return unsupported_at(at.span, fmt::format("more than {} values are possible here", k_most_values), k_hint);
    return {};
  }

  Expected<void> add_to_cell(const Reach& reach, uint64_t value, const Instr& at) {
    const uint8_t width = test_.objects[reach.object].width;
    for (const uint64_t c : reach.cells) {
      ValueSet& set = v_.cells[reach.object][c];
      const size_t before = set.size();
      if (const auto ok = add(set, value, width, at, true); !ok) return ok;
      grown_ = grown_ || set.size() != before;
    }
    return {};
  }

  Expected<void> find_target(uint32_t t, uint32_t position, const Instr& i, const Registers& env) {
    Reach& reach = v_.targets[t][position];
    const bool computed = i.addr.symbol == prog::k_none;
    if (!computed) reach.object = test_.symbols[i.addr.symbol].object;
    if (computed && !mentions_pointer(t, i.addr.index))
      return unsupported_at(i.span, "this address is not one that a register holds from the beginning",
                            "runs place every instance anew");
    if (computed && !is_sum(t, i.addr.index))
      return unsupported_at(i.span, "this address is computed in another way than address plus number",
                            "runs place every instance anew");
    ValueSet where = {0};
    if (i.addr.index) {
      const auto found = values(i.addr.index, env, i);
      if (!found) return std::unexpected(found.error());
      where = *found;
    }
    for (const uint64_t w : where) {
      uint64_t cell = w;
      if (computed) {
        const uint64_t object = w / prog::k_object_stride - 1;
        if (w < prog::k_object_stride || object >= test_.objects.size() ||
            (!reach.cells.empty() && object != reach.object))
          return unsupported_at(i.span, "this address may lead to several objects or to none",
                                "runs need one object for each access");
        reach.object = static_cast<prog::ObjectId>(object);
        cell = w % prog::k_object_stride;
      }
      if (cell >= test_.objects[reach.object].init.size())
        return unsupported_at(i.span, fmt::format("cell {} of '{}' does not exist, and this instruction may access it",
                                                  cell, test_.objects[reach.object].name));
      reach.cells.insert(cell);
    }
    return {};
  }

  Expected<void> memory(uint32_t t, uint32_t position, const Instr& i, Registers& env) {
    if (const auto ok = find_target(t, position, i, env); !ok) return ok;
    for (const Expr* e : {&i.value, &i.guard, &i.result}) {
      fits(*e);
      if (mentions_pointer(t, *e))
        return unsupported_at(i.span, "an address is used as a value here, and runs know numbers only");
    }
    const Reach& reach = v_.targets[t][position];
    ValueSet old;
    for (const uint64_t c : reach.cells) old.insert(v_.cells[reach.object][c].begin(), v_.cells[reach.object][c].end());
    const uint8_t width = i.dst == prog::k_none ? uint8_t{64} : test_.code(t).registers[i.dst].width;
    if (i.kind == Kind::load) {
      env[i.dst].clear();
      for (const uint64_t v : old)
        if (const auto ok = add(env[i.dst], v, width, i, true); !ok) return ok;
      return {};
    }
    ValueSet results;
    Expected<void> ok;
    const auto done = combinations({i.value, i.guard, i.result}, env, &old, i, [&](const term::Env& v) {
      if (!ok) return;
      if (!i.guard || *term::eval(i.guard, v) != 0) ok = add_to_cell(reach, *term::eval(i.value, v), i);
      if (i.result) results.insert(*term::eval(i.result, v));
    });
    if (!done) return done;
    if (!ok) return ok;
    if (i.dst == prog::k_none) return {};
    env[i.dst].clear();
    for (const uint64_t v : i.result ? results : old)
      if (const auto added = add(env[i.dst], v, width, i, true); !added) return added;
    return {};
  }

  Expected<void> execute(uint32_t t, uint32_t position, const Instr& i, Registers& env) {
    switch (i.kind) {
      case Kind::local: {
        if (i.dst == prog::k_none) return {};
        const bool pointer = mentions_pointer(t, i.value);
        if (pointer && !is_sum(t, i.value))
          return unsupported_at(i.span, "this address is computed in another way than address plus number",
                                "runs place every instance anew");
        if (!pointer) fits(i.value);
        const auto found = values(i.value, env, i);
        if (!found) return std::unexpected(found.error());
        // `mov a, y` is a number here, and runs place y anew for every instance.
        if (!pointer && v_.pointer[t][i.dst] &&
            std::any_of(found->begin(), found->end(), [](uint64_t v) { return v >= prog::k_object_stride; }))
          return unsupported_at(i.span, "an address that the code itself names goes into a register",
                                "runs know addresses that registers hold from the beginning");
        ValueSet set;
        for (const uint64_t v : *found)
          if (const auto ok = add(set, v, test_.code(t).registers[i.dst].width, i, !pointer); !ok) return ok;
        env[i.dst] = std::move(set);
        return {};
      }
      case Kind::load:
      case Kind::store:
      case Kind::rmw:
        return memory(t, position, i, env);
      default:
        return {};
    }
  }

  // Unites `env` into the state before `at`; true when that grew.
  static bool unite(std::optional<Registers>& at, const Registers& env) {
    if (!at) {
      at = env;
      return true;
    }
    bool grew = false;
    for (size_t r = 0; r < env.size(); ++r) {
      const size_t before = (*at)[r].size();
      (*at)[r].insert(env[r].begin(), env[r].end());
      grew = grew || (*at)[r].size() != before;
    }
    return grew;
  }

  Expected<void> thread(uint32_t t) {
    const prog::Template& code = test_.code(t);
    const auto size = static_cast<uint32_t>(code.code.size());
    std::vector<std::optional<Registers>> before(size + 1);
    Registers start(code.registers.size(), ValueSet{0});
    for (const prog::InitValue& i : test_.threads[t].init) {
      start[i.reg] = {i.address != prog::k_none ? prog::address_of(test_.symbols[i.address].object)
                                                : i.value & term::mask(code.registers[i.reg].width)};
      if (i.address == prog::k_none)
        fits(i.value & term::mask(code.registers[i.reg].width), code.registers[i.reg].width);
    }
    before[0] = start;
    std::set<uint32_t> work = {0};
    while (!work.empty()) {
      const uint32_t p = *work.begin();
      work.erase(work.begin());
      if (p == size) continue;
      const Instr& i = code.code[p];
      Registers env = *before[p];
      for (size_t r = 0; r < env.size(); ++r)
        if (env[r].size() > k_most_values)
          return unsupported_at(
              i.span,
              fmt::format("more than {} values are possible for {} here", k_most_values, code.registers[r].name),
              k_hint);
      const auto flow = [&](uint32_t to, const Registers& e) {
        if (unite(before[to], e)) work.insert(to);
      };
      bool runs = true, skips = false;
      if (i.predicate != prog::k_none) {
        const ValueSet& set = env[i.predicate];
        const bool zero = set.contains(0), other = set.size() > (zero ? 1u : 0u);
        runs = i.predicate_negated ? zero : other;
        skips = i.predicate_negated ? other : zero;
      }
      if (skips) flow(p + 1, env);
      if (!runs) continue;
      if (i.kind == Kind::jump) {
        flow(code.labels[i.label].at, env);
        continue;
      }
      if (i.kind == Kind::branch) {
        fits(i.value);
        const auto taken = values(i.value, env, i);
        if (!taken) return std::unexpected(taken.error());
        if (taken->contains(0)) flow(p + 1, env);
        if (taken->size() > (taken->contains(0) ? 1u : 0u)) flow(code.labels[i.label].at, env);
        continue;
      }
      if (const auto ok = execute(t, p, i, env); !ok) return ok;
      flow(p + 1, env);
    }
    if (before[size]) v_.registers[t] = *before[size];
    return {};
  }

  const prog::Test& test_;
  Values v_;
  bool grown_ = false;
  bool narrow_ = true;
};

}  // namespace

Expected<Values> possible_values(const prog::Test& test) { return Analysis(test).run(); }

}  // namespace fencepost::plan
