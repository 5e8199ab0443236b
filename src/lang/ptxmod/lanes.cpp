// Exchange between the lanes of a warp (PTX ISA, "Data Movement and Conversion Instructions": shfl.sync; "Parallel
// Synchronization and Communication Instructions": vote.sync, match.sync, activemask, redux.sync, elect.sync).
//
// Each "will cause executing thread to wait until all non-exited threads corresponding to membermask have executed" the
// same instruction "with the same qualifiers and same membermask value": the k-th time that a lane executes an
// exchange of that name it gives a value, waits, and takes what the others gave the k-th time (prog/lanes.h). What a
// lane gives that never comes is any value; one that memory lets come or not is refused (uniform.cpp).
#include "prog/lanes.h"

#include <fmt/format.h>

#include <algorithm>

#include "litmus/lexer.h"
#include "ptxmod/lower.h"

namespace fencepost::ptxmod {

using prog::k_none;
using prog::Kind;
using vocab::Tag;
using T = term::Op;

namespace {

constexpr uint32_t k_warp_level = 3;  // of the scope path, in both dialects

Expr c32(uint64_t n) { return term::constant(n & 0xffffffff, 32); }

}  // namespace

std::string exchange_name(const Node& n, bool cuda) {
  const std::vector<std::string>& w = n.words;
  if (!cuda || w.size() < 3) return n.mnemonic();
  if (w[0] == "shfl")
    return w[2] == "idx" ? "__shfl_sync" : fmt::format("__shfl_{}_sync", w[2] == "bfly" ? "xor" : w[2]);
  if (w[0] == "vote") return fmt::format("__{}_sync", w[2]);
  if (w[0] == "match") return fmt::format("__match_{}_sync", w[1]);
  if (w[0] == "redux") return fmt::format("__reduce_{}_sync", w[2]);
  return n.mnemonic();
}

// Where a register may have its value from, through moves: an instruction of that name.
bool Lowering::comes_from(uint32_t reg, const char* head) const {
  std::set<uint32_t> seen;
  std::vector<uint32_t> open = {reg};
  while (!open.empty()) {
    const uint32_t r = open.back();
    open.pop_back();
    if (!seen.insert(r).second) continue;
    for (const Node& n : flat_.nodes) {
      if (n.kind != Node::Kind::instruction || n.words.empty() || n.args.empty()) continue;
      if (n.args[0].kind != Argument::Kind::reg || n.args[0].index != r) continue;
      if (n.words[0] == head) return true;
      if (n.words[0] == "mov" && n.args[1].kind == Argument::Kind::reg) open.push_back(n.args[1].index);
    }
  }
  return false;
}

// The lanes of the launch that a mask names.
uint64_t Lowering::named_lanes(const Argument& mask) {
  const Expr m = number(mask, 32);
  if (m.is_const()) return m.value();
  const std::string said = exchange_name(*node_, flat_.cuda), hint = "a mask names the lanes that come, in a number";
  if (mask.kind == Argument::Kind::reg && comes_from(mask.index, "activemask"))
    refuse(fmt::format("{}: a mask that {} gives is not read: the lanes that are active may be any", said,
                       flat_.cuda ? "__activemask" : "activemask"),
           hint);
  refuse(fmt::format("{}: a mask of lanes that is computed is not read", said), hint);
}

// What the lanes that `asked` has give, behind the barrier at which all that are named wait.
Lowering::Gathered Lowering::exchange(const Value& own, uint64_t named, uint64_t asked) {
  if (guard_) refuse("an exchange between lanes under a predicate is not read");
  const std::string name = fmt::format("{} {:x}", node_->mnemonic(), named), said = exchange_name(*node_, flat_.cuda);
  Gathered out;
  out.of.resize(launch_.grid.subgroup);
  out.opaque = memory_.opaque_exchange(name, own.is(Value::Kind::opaque));
  const auto counter = static_cast<uint32_t>(exchanges_.try_emplace(name, exchanges_.size()).first->second);
  const Key key{true, k_counters + counter, 0, 4};
  const auto before = now_.find(key);
  const Expr round = before == now_.end() ? c32(0) : term(before->second);
  // In a loop the index is one of the cells by construction; prog::too_many_exchanges holds the bound to it.
  const uint64_t cells = round.is_const() ? round.value() + 1 : prog::k_exchanges;
  const Expr kept = round.is_const() ? round : term::binary(T::and_, round, c32(prog::k_exchanges - 1));
  const Expr index = term::resize(kept, 64, false);
  const uint8_t width = own.width == 1 ? uint8_t{8} : own.width;
  const auto cell = [&](uint32_t lane) {
    prog::Address a;
    a.symbol =
        memory_.given_by_lane(fmt::format("{}@{}", name, thread_ - place_.lane + lane), width, node_->span, cells);
    a.index = index.is_const(0) ? Expr{} : index;
    return a;
  };
  if (!out.opaque) {
    const Expr mine = term(own);
    prog::Instr& in = emit(Kind::store, said + " gives");
    in.addr = cell(place_.lane);
    in.value = term::resize(mine, width, false);
    in.tags = {Tag::WARP};
    out.of[place_.lane] = mine;
  }
  prog::Instr& wait = emit(Kind::barrier, said);
  wait.barrier.instance = "lanes " + name;
  wait.barrier.level = k_warp_level;
  wait.tags = {Tag::WARP};
  for (uint32_t lane = 0; lane < out.of.size() && !out.opaque; ++lane) {
    if (lane == place_.lane || ((named & asked) >> lane & 1) == 0) continue;
    if (memory_.has_ended(name, thread_ - place_.lane + lane)) continue;
    const prog::RegId r = reg(fmt::format("lane{}", lane), width);
    prog::Instr& in = emit(Kind::load, said + " takes");
    in.dst = r;
    in.addr = cell(lane);
    in.tags = {Tag::WARP};
    out.of[lane] = own.width == 1 ? term::truth(var(r)) : var(r);
  }
  now_[key] = settle(Value::scalar(term::binary(T::add, round, c32(1))), "exchanges");
  return out;
}

void Lowering::warp() {
  const std::vector<std::string>& words = node_->words;
  const std::string& head = words[0];
  const uint32_t lanes = launch_.grid.subgroup;
  if (lanes > 32) refuse("a warp has at most 32 threads");
  notes_.lanes = notes_.lanes || lanes == 1;
  if (head == "activemask") {  // those that happen to be together with this one
    const Expr mine = c32(uint64_t{1} << place_.lane), all = c32(term::mask(static_cast<uint8_t>(lanes)));
    const Expr others = lanes == 1 ? c32(0) : any(32, "active", {});
    define(argument(0), Value::scalar(term::binary(T::or_, mine, term::binary(T::and_, others, all))));
    return;
  }
  if (head == "elect" && argument(0).kind == Argument::Kind::list && argument(0).parts.size() == 2) {
    const uint64_t named = named_lanes(argument(1));
    if ((named >> place_.lane & 1) == 0) undefined_behaviour({});
    if (lanes > 1) {
      exchange(Value::constant(0, 32), named, 0);
      notes_.alike[node_] = false;  // one lane has another predicate than the others
    }
    // One of the named lanes, the same each time.
    Expr leader = c32(0);
    if (lanes > 1) {
      const Expr chosen =
          term(Value::unknown(fmt::format("leader of {:x}@{}", named, thread_ - place_.lane), uint8_t{32}));
      bool first = true;
      for (uint32_t l = 0; l < lanes; ++l) {
        if ((named >> l & 1) == 0) continue;
        leader = first ? c32(l) : term::ite(term::binary(T::eq, chosen, c32(l)), c32(l), leader);
        first = false;
      }
    }
    const Argument to = argument(0);
    define(to.parts[0], Value::scalar(leader));
    define(to.parts[1], Value::scalar(term::binary(T::eq, leader, c32(place_.lane))));
    return;
  }
  if (head == "shfl") return shuffle();
  if (head == "vote") return vote();
  if (head == "match") return match();
  if (head == "redux") return reduce();
  refuse("this instruction is not read", "docs/ptx-modules.md lists the instructions that are");
}

// shfl.sync.mode.b32 d|p, a, b, c, mask: the own value if the lane asked for is out of range.
void Lowering::shuffle() {
  const std::vector<std::string>& words = node_->words;
  if (words.size() != 4 || words[1] != "sync") refuse("shfl without .sync is not read");
  arguments(5);
  const std::string& mode = words[2];
  const auto width = static_cast<uint8_t>(8 * bytes_of(words[3]));
  const Value a = value(argument(1), width);
  const Expr b = number(argument(2), 32), c = number(argument(3), 32);
  const uint64_t named = named_lanes(argument(4));
  const Expr mine = c32(place_.lane), k31 = c32(31), by = term::binary(T::and_, b, k31),
             part = term::binary(T::and_, term::binary(T::lshr, c, c32(8)), k31), within = term::unary(T::not_, part);
  const Expr least = term::binary(T::and_, mine, part),
             most = term::binary(T::or_, least, term::binary(T::and_, term::binary(T::and_, c, k31), within));
  Expr from;
  if (mode == "up")
    from = term::binary(T::sub, mine, by);
  else if (mode == "down")
    from = term::binary(T::add, mine, by);
  else if (mode == "bfly")
    from = term::binary(T::xor_, mine, by);
  else if (mode == "idx")
    from = term::binary(T::or_, least, term::binary(T::and_, by, within));
  else
    fail(fmt::format("shfl has no '.{}'", mode));
  const Expr inside = term::binary(mode == "up" ? T::sge : T::sle, from, most);
  from = term::ite(inside, from, mine);
  const Argument to = argument(0);
  Value out = a;
  if ((named >> place_.lane & 1) == 0) {
    undefined_behaviour({});
    out = Value::scalar(any(width, "lane", {}));
  } else {
    uint64_t asked = named;
    if (from.is_const()) asked = from.value() < 32 ? uint64_t{1} << from.value() : 0;
    const Gathered given =
        launch_.grid.subgroup == 1 ? Gathered{{term(a)}, a.is(Value::Kind::opaque)} : exchange(a, named, asked);
    // One lane of the launch gives to all: with the index beyond the clamp each lane keeps its own value, and a lane
    // that the launch does not have gives each any value.
    const bool whole = part.is_const(0) && mode == "idx" && inside.is_const(1) && from.is_const() &&
                       from.value() < launch_.grid.subgroup;
    const uint64_t all = term::mask(static_cast<uint8_t>(launch_.grid.subgroup));
    auto& alike = notes_.alike.try_emplace(node_, true).first->second;
    alike = alike && whole && (named & all) == all;
    if (given.opaque) {
      out = Value::opaque(width);
    } else {
      Expr there = term::constant(0, 1);
      for (uint32_t l = 0; l < given.of.size(); ++l)
        if (given.of[l]) there = term::binary(T::or_, there, term::binary(T::eq, from, c32(l)));
      const Expr other = term::unary(T::not_, there);
      Expr e = other.is_const(0) ? Expr{} : any(width, "lane", other);
      for (uint32_t l = 0; l < given.of.size(); ++l) {
        if (!given.of[l]) continue;
        const Expr here = term::binary(T::eq, from, c32(l));
        e = !e ? given.of[l] : term::ite(here, given.of[l], e);
      }
      out = Value::scalar(e);
    }
  }
  if (to.kind == Argument::Kind::list) {
    if (to.parts.size() != 2) fail("the results are written d|p");
    define(to.parts[0], out);
    define(to.parts[1], Value::scalar(inside));
  } else {
    define(to, out);
  }
}

// vote.sync.{any,all,uni,ballot} d, p, mask
void Lowering::vote() {
  const std::vector<std::string>& words = node_->words;
  if (words.size() != 4 || words[1] != "sync") refuse("vote without .sync is not read");
  arguments(3);
  const std::string& mode = words[2];
  if (mode != "any" && mode != "all" && mode != "uni" && mode != "ballot") fail(fmt::format("vote has no '.{}'", mode));
  Value mine = value(argument(1), 1);
  if (argument(1).negated) mine = Value::scalar(term(mine));
  const uint64_t named = named_lanes(argument(2));
  if ((named >> place_.lane & 1) == 0) {
    undefined_behaviour({});
    return define(argument(0), Value::scalar(any(mode == "ballot" ? 32 : 1, "lane", {})));
  }
  if (mine.is(Value::Kind::opaque)) mine = Value::scalar(term(mine));
  const Gathered given = launch_.grid.subgroup == 1 ? Gathered{{term(mine)}} : exchange(mine, named, named);
  const uint64_t all = term::mask(static_cast<uint8_t>(launch_.grid.subgroup));
  auto& alike = notes_.alike.try_emplace(node_, true).first->second;
  alike = alike && (named & all) == all;
  Expr some = term::constant(0, 1), every = term::constant(1, 1), ballot = c32(0);
  for (uint32_t l = 0; l < given.of.size(); ++l) {
    const Expr& p = given.of[l];
    if (!p) continue;
    some = term::binary(T::or_, some, p);
    every = term::binary(T::and_, every, p);
    ballot = term::binary(T::or_, ballot, term::binary(T::shl, term::resize(p, 32, false), c32(l)));
  }
  define(argument(0), Value::scalar(mode == "any"   ? some
                                    : mode == "all" ? every
                                    : mode == "uni" ? term::binary(T::or_, every, term::unary(T::not_, some))
                                                    : ballot));
}

// match.{any,all}.sync.type d[|p], a, mask: the lanes with the same value; p, of .all: all have it.
void Lowering::match() {
  const std::vector<std::string>& words = node_->words;
  if (words.size() != 4 || words[2] != "sync" || (words[1] != "any" && words[1] != "all"))
    refuse("this instruction is not read", "docs/ptx-modules.md lists the instructions that are");
  arguments(3);
  const bool of_all = words[1] == "all";
  const Value mine = value(argument(1), static_cast<uint8_t>(8 * bytes_of(words[3])));
  if (mine.is(Value::Kind::opaque)) refuse("lanes whose values are results of floating point arithmetic");
  const uint64_t named = named_lanes(argument(2));
  const uint64_t all = term::mask(static_cast<uint8_t>(launch_.grid.subgroup));
  const Argument to = argument(0);
  if (to.kind == Argument::Kind::list && (!of_all || to.parts.size() != 2)) fail("only .all has a second result, d|p");
  Expr mask, same;
  if ((named >> place_.lane & 1) == 0) {
    undefined_behaviour({});
    mask = any(32, "lane", {});
    same = any(1, "lane", {});
  } else {
    const Gathered given = launch_.grid.subgroup == 1 ? Gathered{{term(mine)}} : exchange(mine, named, named);
    if (given.opaque) refuse("lanes whose values are results of floating point arithmetic");
    auto& alike = notes_.alike.try_emplace(node_, true).first->second;
    alike = alike && of_all && (named & all) == all;
    mask = c32(0);
    same = term::constant(1, 1);
    uint64_t present = 0;
    for (uint32_t l = 0; l < given.of.size(); ++l) {
      if (!given.of[l]) continue;
      present |= uint64_t{1} << l;
      const Expr equal = term::binary(T::eq, given.of[l], given.of[place_.lane]);
      same = term::binary(T::and_, same, equal);
      mask = term::binary(T::or_, mask, term::binary(T::shl, term::resize(equal, 32, false), c32(l)));
    }
    if (of_all) mask = term::ite(same, c32(present), c32(0));
  }
  if (to.kind != Argument::Kind::list) return define(to, Value::scalar(mask));
  define(to.parts[0], Value::scalar(mask));
  define(to.parts[1], Value::scalar(same));
}

// redux.sync.op.type d, a, mask
void Lowering::reduce() {
  const std::vector<std::string>& words = node_->words;
  if (words.size() != 4 || words[1] != "sync")
    refuse("this instruction is not read", "docs/ptx-modules.md lists the instructions that are");
  arguments(3);
  const std::string& op = words[2];
  const bool is_signed = words[3] == "s32";
  static const std::map<std::string, std::pair<T, T>> k_ops = {
      {"add", {T::add, T::add}},   {"min", {T::umin, T::smin}}, {"max", {T::umax, T::smax}},
      {"and", {T::and_, T::and_}}, {"or", {T::or_, T::or_}},    {"xor", {T::xor_, T::xor_}}};
  const auto it = k_ops.find(op);
  if (it == k_ops.end()) fail(fmt::format("redux has no '.{}'", op));
  const Value mine = value(argument(1), 32);
  const uint64_t named = named_lanes(argument(2));
  if ((named >> place_.lane & 1) == 0) {
    undefined_behaviour({});
    return define(argument(0), Value::scalar(any(32, "lane", {})));
  }
  const Gathered given =
      launch_.grid.subgroup == 1 ? Gathered{{term(mine)}, mine.is(Value::Kind::opaque)} : exchange(mine, named, named);
  const uint64_t all = term::mask(static_cast<uint8_t>(launch_.grid.subgroup));
  auto& alike = notes_.alike.try_emplace(node_, true).first->second;
  alike = alike && (named & all) == all;
  if (given.opaque) return define(argument(0), Value::opaque(32));
  Expr sum;
  for (const Expr& e : given.of)
    if (e) sum = !sum ? e : term::binary(is_signed ? it->second.second : it->second.first, sum, e);
  define(argument(0), Value::scalar(sum));
}

namespace {

// The lanes that an instance names: its last word, in hexadecimal digits. Of exchanges, and of barriers of a warp.
std::optional<uint64_t> named_by(const prog::Instr& i) {
  const std::string& name = i.barrier.instance;
  if (i.kind != Kind::barrier || !(name.starts_with("lanes ") || name.starts_with("warp "))) return std::nullopt;
  return std::stoull(name.substr(name.rfind(' ') + 1), nullptr, 16);
}

uint32_t warp_of(const spirv::Launch& launch, uint32_t thread) {
  const spirv::Place p = launch.place(thread);
  return launch.global_workgroup(p) * launch.grid.subgroups + p.subgroup;
}

// Does instruction j jump to instruction k or before it?
bool jumps_back(const prog::Template& t, size_t j, size_t k) {
  const prog::Instr& i = t.code[j];
  return (i.kind == Kind::branch || i.kind == Kind::jump) && t.labels[i.label].at <= k;
}

// May the thread wait for something, at a barrier or in a loop?
bool may_wait(const prog::Template& t) {
  for (size_t k = 0; k < t.code.size(); ++k)
    if (t.code[k].kind == Kind::barrier || jumps_back(t, k, k)) return true;
  return false;
}

// A lane that is named and does not come is waited for until it ends. That is modelled where nothing can keep it from
// its end: then it is as if it were not named. A vote, a match and a reduction are over "all non-exited threads in
// membermask" (PTX ISA, vote.sync, match.sync, redux.sync): the threads are lowered once more without that lane.
void check_absent(const std::vector<prog::Template>& threads, const spirv::Launch& launch, Decisions& decisions) {
  const std::string prefix = "lanes ";
  bool again = false;
  struct Lane {
    uint32_t thread = 0;
    std::map<std::string, const prog::Instr*> comes;  // to these instances, first by this instruction
  };
  std::map<uint32_t, std::vector<Lane>> warps;
  for (uint32_t t = 0; t < threads.size(); ++t) {
    Lane lane{t, {}};
    for (const prog::Instr& i : threads[t].code)
      if (named_by(i)) lane.comes.try_emplace(i.barrier.instance, &i);
    warps[warp_of(launch, t)].push_back(std::move(lane));
  }
  for (const auto& [warp, lanes] : warps)
    for (const Lane& lane : lanes)
      for (const auto& [instance, first] : lane.comes) {
        FENCEPOST_INVARIANT(
            !instance.starts_with(prefix) || !decisions.ended.contains({instance.substr(prefix.size()), lane.thread}),
            "a lane that had ended comes to the exchange");
        for (const Lane& other : lanes) {
          const prog::Instr& i = *first;
          if ((*named_by(i) >> launch.place(other.thread).lane & 1) == 0 || other.comes.contains(instance)) continue;
          if (may_wait(threads[other.thread]))
            litmus::unsupported(i.span, "a lane that the mask names goes another way, and may wait there",
                                "a mask names the lanes that come");
          if (!instance.starts_with(prefix) || instance.starts_with("lanes shfl")) continue;
          if (instance.starts_with("lanes elect"))
            litmus::unsupported(i.span, "a lane that the mask names has ended, or never comes",
                                "a mask names the lanes that come");
          again = decisions.ended.emplace(instance.substr(prefix.size()), other.thread).second || again;
        }
      }
  if (again) throw Restart{};
}

}  // namespace

void settle_exchanges(prog::Test& test, std::vector<prog::Template>& threads, const spirv::Launch& launch,
                      Decisions& decisions) {
  struct Often {
    uint32_t once = 0, in_loops = 0;
    bool operator==(const Often&) const = default;
  };
  std::set<prog::SymbolId> given;
  std::map<std::pair<uint32_t, std::string>, Often> first;  // by warp and name: of its first lane that comes
  for (uint32_t t = 0; t < threads.size(); ++t) {
    const auto& code = threads[t].code;
    const uint32_t warp = warp_of(launch, t);
    std::map<std::string, std::pair<Often, Span>> own;
    for (size_t k = 0; k < code.size(); ++k) {
      const prog::Instr& i = code[k];
      if (!prog::is_lane(i.tags)) continue;
      if (i.kind == Kind::store) given.insert(i.addr.symbol);
      if (i.kind != Kind::barrier) continue;
      bool in_loop = false;
      for (size_t j = k + 1; j < code.size() && !in_loop; ++j) in_loop = jumps_back(threads[t], j, k);
      auto& [often, span] = own[i.barrier.instance];
      ++(in_loop ? often.in_loops : often.once);
      span = i.span;
    }
    for (const auto& [name, how] : own) {
      const auto [it, fresh] = first.try_emplace({warp, name}, how.first);
      if (!fresh && !(it->second == how.first))
        litmus::unsupported(how.second, "lanes of a warp come to this exchange unequally often",
                            "a launch 1.S.W has one thread per warp");
    }
  }
  check_absent(threads, launch, decisions);
  std::set<prog::SymbolId> taken;
  for (prog::Template& t : threads)
    for (prog::Instr& i : t.code) {
      if (i.kind != Kind::load || !prog::is_lane(i.tags) || given.contains(i.addr.symbol)) continue;
      // The cell holds any value, but one.
      if (!taken.insert(i.addr.symbol).second)
        litmus::unsupported(i.span, "several lanes take from a lane that never comes, and each may find another value",
                            "a mask names the lanes that come");
      prog::Object& o = test.objects[test.symbols[i.addr.symbol].object];
      o.tags.remove(Tag::WARP);
      o.undefined.assign(o.init.size(), true);
      i.tags.remove(Tag::WARP);
      if (test.dialect == prog::Dialect::opencl) i.tags.add(Tag::NA);
    }
}

}  // namespace fencepost::ptxmod
