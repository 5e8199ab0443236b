#include "ptxmod/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "litmus/lexer.h"
#include "spirv/order.h"
#include "spirv/tidy.h"
#include "spirv/value.h"

namespace fencepost::ptxmod {

using prog::k_none;
using prog::Kind;
using T = term::Op;

namespace {

constexpr int k_most_passes = 5000;
constexpr uint32_t k_most_nodes = 24;  // of a term that is not put into a register
constexpr uint64_t k_most_unit = 64;

}  // namespace

void reads_and_writes(const Node& n, std::set<uint32_t>& reads, std::set<uint32_t>& writes, uint32_t carry) {
  const auto all = [](const Argument& a, auto&& self, std::set<uint32_t>& out) -> void {
    if (a.kind == Argument::Kind::reg) out.insert(a.index);
    for (const Argument& p : a.parts) self(p, self, out);
  };
  if (n.predicate != k_nothing) reads.insert(n.predicate);
  const std::string head = n.words.empty() ? "" : n.words[0];
  const bool sets_first = head != "st" && head != "red" && head != "bar" && head != "barrier" && head != "brx" &&
                          head != "fence" && head != "membar" && head != "prefetch" && head != "prefetchu" &&
                          (head != "cuda" || (n.words[1] != "st" && n.words[1] != "ub" && n.words[1] != "syncwarp"));
  for (size_t k = 0; k < n.args.size(); ++k) {
    const bool address = n.args[k].kind == Argument::Kind::address;
    const bool second = head == "cuda" && n.words[1] == "cas" && k == 1;
    all(n.args[k], all, (second || (k == 0 && sets_first)) && !address ? writes : reads);
  }
  const bool carries = std::find(n.words.begin(), n.words.end(), "cc") != n.words.end() || head == "addc" ||
                       head == "subc" || head == "madc";
  if (carries) {
    reads.insert(carry);
    if (std::find(n.words.begin(), n.words.end(), "cc") != n.words.end()) writes.insert(carry);
  }
  if (n.predicate != k_nothing) reads.insert(writes.begin(), writes.end());
}

uint64_t divisor(const Expr& e, uint64_t most) {
  switch (e.op()) {
    case T::constant:
      return e.value() == 0 ? most : std::min(most, uint64_t{1} << std::countr_zero(e.value()));
    case T::add:
    case T::sub:
    case T::or_:
    case T::xor_:
      return std::min(divisor(e.kids()[0], most), divisor(e.kids()[1], most));
    case T::and_:
      return std::max(divisor(e.kids()[0], most), divisor(e.kids()[1], most));
    case T::mul:
      return std::min(most, divisor(e.kids()[0], most) * divisor(e.kids()[1], most));
    case T::shl:
      if (!e.kids()[1].is_const() || e.kids()[1].value() > 16) return divisor(e.kids()[0], most);
      return std::min(most, divisor(e.kids()[0], most) << e.kids()[1].value());
    case T::ite:
      return std::min(divisor(e.kids()[1], most), divisor(e.kids()[2], most));
    case T::neg:
    case T::zext:
    case T::sext:
    case T::trunc:
      return divisor(e.kids()[0], most);
    default:
      return 1;
  }
}

Blocks blocks_of(const Flat& flat) {
  Blocks out;
  out.at_label.assign(flat.labels.size(), k_nothing);
  const auto open = [&](size_t begin) {
    out.blocks.push_back({begin, begin, {}});
    return static_cast<uint32_t>(out.blocks.size() - 1);
  };
  open(0);  // the start, which no branch leads to
  uint32_t b = open(0);
  const auto ends = [](const Node& n) { return n.kind == Node::Kind::jump || !n.table.empty(); };
  for (size_t k = 0; k < flat.nodes.size(); ++k) {
    const Node& n = flat.nodes[k];
    if (n.kind == Node::Kind::label) {
      if (out.blocks[b].begin != k) {
        out.blocks[b].end = k;
        b = open(k);
      }
      out.at_label[n.label] = b;
      out.blocks[b].begin = k + 1;
    } else if (ends(n) && k + 1 < flat.nodes.size()) {
      out.blocks[b].end = k + 1;
      b = open(k + 1);
    }
  }
  out.blocks[b].end = flat.nodes.size();
  for (uint32_t k = 0; k < out.blocks.size(); ++k) {
    Blocks::Block& x = out.blocks[k];
    x.end = std::max(x.end, x.begin);
    const Node* last = x.begin < x.end ? &flat.nodes[x.end - 1] : nullptr;
    const auto to = [&](uint32_t t) {
      if (t != k_nothing && t < out.blocks.size() && std::find(x.next.begin(), x.next.end(), t) == x.next.end())
        x.next.push_back(t);
    };
    if (last != nullptr && last->kind == Node::Kind::jump) {
      to(out.at_label[last->label]);
      if (last->predicate != k_nothing) to(k + 1);
    } else if (last != nullptr && !last->table.empty()) {
      for (const uint32_t l : last->table) to(out.at_label[l]);
      if (last->predicate != k_nothing) to(k + 1);
    } else {
      to(k + 1);
    }
  }
  std::vector<std::vector<uint32_t>> next;
  for (const Blocks::Block& x : out.blocks) next.push_back(x.next);
  out.order = spirv::loops_together(next, 0);
  out.rank.assign(next.size(), k_nothing);
  for (uint32_t k = 0; k < out.order.size(); ++k) out.rank[out.order[k]] = k;
  out.in_loop.assign(next.size(), false);
  for (const uint32_t s : out.order)
    for (const uint32_t t : next[s])
      if (out.rank[t] <= out.rank[s])
        for (uint32_t k = out.rank[t]; k <= out.rank[s]; ++k) out.in_loop[out.order[k]] = true;
  // Liveness.
  const auto carry = static_cast<uint32_t>(flat.registers.size());
  std::vector<std::set<uint32_t>> uses(next.size()), sets(next.size());
  for (uint32_t k = 0; k < next.size(); ++k)
    for (size_t n = out.blocks[k].begin; n < out.blocks[k].end; ++n) {
      std::set<uint32_t> reads, writes;
      reads_and_writes(flat.nodes[n], reads, writes, carry);
      for (const uint32_t r : reads)
        if (!sets[k].contains(r)) uses[k].insert(r);
      sets[k].insert(writes.begin(), writes.end());
    }
  out.live_in = uses;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t o = out.order.size(); o-- > 0;) {
      const uint32_t k = out.order[o];
      for (const uint32_t t : next[k])
        for (const uint32_t r : out.live_in[t])
          if (!sets[k].contains(r)) changed = out.live_in[k].insert(r).second || changed;
    }
  }
  return out;
}

Lowering::Lowering(Memory& memory, const Flat& flat, const Blocks& flow, const spirv::Launch& launch, Who who,
                   Notes& notes)
    : memory_(memory),
      flat_(flat),
      flow_(flow),
      launch_(launch),
      thread_(who.thread),
      place_(launch.place(who.at)),
      notes_(notes) {
  roots_.emplace_back();  // k_number_root
}

prog::Template Lowering::run() {
  for (int k = 0; !pass(); ++k)
    FENCEPOST_INVARIANT(k < k_most_passes, "the passes over a kernel do not come to an end");
  early_ends_ = find_early_ends();
  return linear();
}

bool Lowering::pass() {
  t_ = {};
  again_ = false;
  anything_ = 0;
  states_.assign(flow_.blocks.size(), {});
  states_[0].reached = true;
  for (const uint32_t b : flow_.order) {
    if (!states_[b].reached) continue;
    enter(b);
    block(b);
    states_[b].out = std::move(now_);
    states_[b].done = true;
  }
  for (uint32_t b = 0; b < states_.size(); ++b) {
    if (states_[b].reached && !states_[b].done) {
      node_ = &flat_.nodes[std::min(flow_.blocks[b].begin, flat_.nodes.size() - 1)];
      litmus::unsupported(node_->span, "a loop with several entries is not read");
    }
    if (!states_[b].done) continue;
    for (const uint32_t p : states_[b].from) {
      if (flow_.rank[b] > flow_.rank[p]) continue;
      for (const auto& [key, v] : states_[b].in) check({b, key}, v, incoming(p, key));
      for (const auto& [key, v] : states_[p].out)
        if (key.memory && !states_[b].in.contains(key) && carried_.emplace(b, key).second) again_ = true;
    }
  }
  return !again_;
}

std::string Lowering::key_name(const Key& key) const {
  if (key.memory && key.id >= k_counters) return "exchanges";
  if (key.memory) return fmt::format("{}+{}", memory_.name(roots_[key.id]), key.at);
  return key.id < flat_.registers.size() ? flat_.registers[key.id].name : "CC.CF";
}

Value Lowering::incoming(uint32_t from, const Key& key) const {
  const auto it = states_[from].out.find(key);
  if (it != states_[from].out.end()) return it->second;
  if (key.memory && key.id >= k_counters) return Value::constant(0, 32);
  if (key.memory)
    if (auto v = composed(states_[from].out, key)) return *v;
  const uint8_t w = key.memory                        ? static_cast<uint8_t>(8 * key.bytes)
                    : key.id < flat_.registers.size() ? flat_.registers[key.id].width
                                                      : 1;
  return Value::undefined(key_name(key), w);
}

void Lowering::enter(uint32_t b) {
  here_ = b;
  State& st = states_[b];
  code_ = &st.code;
  demanded_.clear();
  now_.clear();
  guard_ = {};
  node_ = &flat_.nodes[std::min(flow_.blocks[b].begin, flat_.nodes.size() - 1)];
  std::set<Key> keys;
  for (const uint32_t r : flow_.live_in[b]) keys.insert({false, r, 0, 0});
  for (auto it = carried_.lower_bound({b, Key{}}); it != carried_.end() && it->first == b; ++it)
    keys.insert(it->second);
  std::vector<uint32_t> known;
  for (const uint32_t p : st.from)
    if (states_[p].done) {
      known.push_back(p);
      for (const auto& [key, v] : states_[p].out)
        if (key.memory) keys.insert(key);
    }
  for (const Key& key : keys) {
    std::vector<Value> in;
    for (const uint32_t p : known) in.push_back(incoming(p, key));
    if (b == 0) in.push_back(incoming(0, key));
    if (!in.empty()) now_[key] = meet({b, key}, in);
  }
  st.in = now_;
}

Value Lowering::meet(const Place& place, const std::vector<Value>& in) {
  const Value& first = in.front();
  const auto any_is = [&](Value::Kind k) {
    return std::any_of(in.begin(), in.end(), [&](const Value& v) { return v.is(k); });
  };
  if (opaque_joins_.contains(place) || any_is(Value::Kind::opaque)) return Value::opaque(first.width);
  if (!needed_.contains(place) && std::all_of(in.begin(), in.end(), [&](const Value& v) { return v == first; }))
    return first;
  Join j;
  j.key = place.second;
  j.width = first.width;
  j.span = node_->span;
  Value out;
  if (any_is(Value::Kind::address) || join_roots_.contains(place)) {
    out = meet_addresses(j, place, in);
  } else {
    j.reg = reg(key_name(place.second), first.width);
    out = Value::scalar(var(j.reg));
  }
  states_[place.first].joins.push_back(std::move(j));
  return out;
}

std::vector<Target> Lowering::targets_of(const Value& v) {
  if (v.is(Value::Kind::address)) return v.targets;
  return {Target{{}, k_number_root, term::resize(term(v), 64, false)}};
}

bool Lowering::add_roots(const Place& place, const Value& v) {
  auto& roots = join_roots_[place];
  bool changed = false;
  const auto add = [&](const Origin& root, uint64_t unit) {
    const auto [it, fresh] = roots.try_emplace(root, unit);
    if (fresh) changed = true;
    if (unit < it->second) {
      it->second = unit;
      changed = true;
    }
  };
  if (!v.is(Value::Kind::address)) {
    add(Origin{}, 1);
    return changed;
  }
  for (const Target& t : v.targets) add(t.origin(), t.root == k_number_root ? 1 : divisor(t.offset, k_most_unit));
  return changed;
}

Value Lowering::meet_addresses(Join& j, const Place& place, const std::vector<Value>& in) {
  j.address = true;
  for (const Value& v : in) add_roots(place, v);
  j.roots = join_roots_[place];
  if (j.roots.size() > 250) refuse("an address that may be in more than 250 objects");
  const std::string name = key_name(place.second);
  if (j.roots.size() > 1) j.choice = reg(name + ".which", 8);
  j.reg = reg(name + ".at", 64);
  std::vector<Target> targets;
  uint64_t n = 0;
  for (const auto& [root, unit] : j.roots) {
    Target t;
    if (j.roots.size() > 1) t.when = term::binary(T::eq, var(j.choice), term::constant(n, 8));
    t.root = root.root;
    t.generic = root.generic;
    t.ended = root.ended;
    const auto shift = static_cast<uint64_t>(std::countr_zero(unit));
    t.offset = shift == 0 ? var(j.reg) : term::binary(T::shl, var(j.reg), term::constant(shift, 64));
    targets.push_back(std::move(t));
    ++n;
  }
  return Value::address(std::move(targets), j.width);
}

void Lowering::copy_address(const Join& j, const Value& v, std::vector<std::pair<prog::RegId, Expr>>& pending) {
  Expr choice, at;
  const std::vector<Target> targets = targets_of(v);
  for (size_t n = targets.size(); n-- > 0;) {
    const Target& t = targets[n];
    const auto root = j.roots.find(t.origin());
    if (root == j.roots.end()) {  // found out in this pass: there is another
      again_ = true;
      continue;
    }
    const auto put = [&](Expr& to, const Expr& e) { to = !to || !t.when ? e : term::ite(t.when, e, to); };
    put(choice, term::constant(static_cast<uint64_t>(std::distance(j.roots.begin(), root)), 8));
    const auto shift = static_cast<uint64_t>(std::countr_zero(root->second));
    put(at, shift == 0 ? t.offset : term::binary(T::ashr, t.offset, term::constant(shift, 64)));
  }
  if (j.choice != k_none && choice) pending.emplace_back(j.choice, choice);
  if (at) pending.emplace_back(j.reg, at);
}

void Lowering::check(const Place& place, const Value& assumed, const Value& brought) {
  if (assumed.is(Value::Kind::opaque)) return;
  if (brought.is(Value::Kind::opaque)) {
    opaque_joins_.insert(place);
    again_ = true;
    return;
  }
  const auto& joins = states_[place.first].joins;
  const auto j = std::find_if(joins.begin(), joins.end(), [&](const Join& x) { return x.key == place.second; });
  if (j == joins.end()) {
    if (assumed == brought) return;
    needed_.insert(place);
    if (brought.is(Value::Kind::address)) add_roots(place, brought);
    again_ = true;
    return;
  }
  if (j->address) {
    if (add_roots(place, brought)) again_ = true;
  } else if (brought.is(Value::Kind::address)) {
    add_roots(place, brought);
    again_ = true;
  }
}

void Lowering::go(uint32_t to, Expr when) {
  if (when && when.is_const(0)) return;
  State& st = states_[here_];
  if (when && when.is_const(1)) when = {};
  st.ways.push_back({to, std::move(when)});
  states_[to].reached = true;
  if (std::find(states_[to].from.begin(), states_[to].from.end(), here_) == states_[to].from.end())
    states_[to].from.push_back(here_);
}

// The copies on the way from one block to another, in an order in which none overwrites what another still reads.
std::vector<prog::Instr> Lowering::edge_code(uint32_t from, uint32_t to) {
  std::vector<prog::Instr> out;
  code_ = &out;
  here_ = from;
  demanded_.clear();
  guard_ = {};
  std::vector<std::pair<prog::RegId, Expr>> pending;
  node_ = &flat_.nodes[std::min(std::max<size_t>(flow_.blocks[from].end, 1) - 1, flat_.nodes.size() - 1)];
  for (const Join& j : states_[to].joins) {
    const Value v = incoming(from, j.key);
    if (j.address)
      copy_address(j, v, pending);
    else
      pending.emplace_back(j.reg, term(v));
  }
  std::erase_if(pending, [](const auto& p) { return p.second.is_var() && p.second.value() == p.first; });
  const auto reads = [](const Expr& e, prog::RegId r) {
    bool found = false;
    term::for_each_variable(e, [&](uint64_t x) { found = found || x == r; });
    return found;
  };
  const auto move = [&](prog::RegId r, Expr e) {
    prog::Instr& i = emit(Kind::local, "mov");
    i.dst = r;
    i.value = std::move(e);
  };
  while (!pending.empty()) {
    bool moved = false;
    for (size_t k = 0; k < pending.size() && !moved; ++k) {
      bool free = true;
      for (size_t n = 0; n < pending.size(); ++n)
        free = free && (n == k || !reads(pending[n].second, pending[k].first));
      if (!free) continue;
      move(pending[k].first, pending[k].second);
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(k));
      moved = true;
    }
    if (moved) continue;
    // A cycle: the old value of one register moves aside.
    const prog::RegId r = pending.front().first;
    const prog::RegId aside = reg(t_.registers[r].name + ".old", t_.registers[r].width);
    move(aside, var(r));
    for (auto& [dst, e] : pending)
      e = term::substitute(e, [&](uint64_t x, uint8_t) { return x == r ? var(aside) : Expr{}; });
  }
  return out;
}

std::vector<Taken> Lowering::taken() const {
  std::vector<Taken> out(states_.size());
  for (size_t b = 0; b < states_.size(); ++b) {
    out[b].reached = states_[b].done;
    for (const Way& w : states_[b].ways) out[b].next.insert(w.to);
  }
  return out;
}

prog::Template Lowering::linear() {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<prog::Instr>> edges;
  std::vector<uint32_t> order;
  for (const uint32_t b : flow_.order) {
    if (!states_[b].done) continue;
    order.push_back(b);
    for (const Way& w : states_[b].ways) edges[{b, w.to}] = edge_code(b, w.to);
  }
  prog::Template t;
  t.registers = std::move(t_.registers);
  const auto label = [&](std::string name) {
    t.labels.push_back({std::move(name), 0});
    return static_cast<prog::LabelId>(t.labels.size() - 1);
  };
  const auto add = [&](Kind kind, const char* mnemonic, prog::LabelId l, Expr value, const Span& span) {
    prog::Instr i;
    i.kind = kind;
    i.mnemonic = mnemonic;
    i.label = l;
    i.value = std::move(value);
    i.span = span;
    t.code.push_back(std::move(i));
  };
  std::vector<std::string> names(flow_.blocks.size());
  for (uint32_t l = 0; l < flow_.at_label.size(); ++l)
    if (flow_.at_label[l] != k_nothing && names[flow_.at_label[l]].empty()) names[flow_.at_label[l]] = flat_.labels[l];
  std::map<uint32_t, prog::LabelId> labels;
  for (const uint32_t b : order) labels[b] = label(names[b].empty() ? fmt::format("block{}", b) : names[b]);
  const prog::LabelId end = label("end");
  for (size_t k = 0; k < order.size(); ++k) {
    const uint32_t b = order[k];
    const uint32_t next = k + 1 < order.size() ? order[k + 1] : k_nothing;
    State& st = states_[b];
    const Blocks::Block& g = flow_.blocks[b];
    const Span span = flat_.nodes[std::min(std::max<size_t>(g.end, 1) - 1, flat_.nodes.size() - 1)].span;
    add(Kind::label, "", labels[b], {}, flat_.nodes[std::min(g.begin, flat_.nodes.size() - 1)].span);
    for (prog::Instr& i : st.code) t.code.push_back(std::move(i));
    if (st.ways.empty()) {
      if (next != k_nothing) add(Kind::jump, "goto", end, {}, span);
      continue;
    }
    const auto follow = [&](const Way& w, bool last) {
      for (prog::Instr& i : edges[{b, w.to}]) t.code.push_back(i);
      if (!last || w.to != next) add(Kind::jump, "goto", labels[w.to], {}, span);
    };
    std::vector<std::pair<prog::LabelId, const Way*>> later;
    for (size_t n = 0; n + 1 < st.ways.size(); ++n) {
      const Way& w = st.ways[n];
      if (edges[{b, w.to}].empty()) {
        add(Kind::branch, "if", labels[w.to], w.when, span);
      } else {
        later.emplace_back(label(fmt::format("{}.{}", t.labels[labels[b]].name, n)), &w);
        add(Kind::branch, "if", later.back().first, w.when, span);
      }
    }
    follow(st.ways.back(), later.empty());
    for (size_t n = 0; n < later.size(); ++n) {
      add(Kind::label, "", later[n].first, {}, span);
      follow(*later[n].second, n + 1 == later.size());
    }
  }
  add(Kind::label, "", end, {}, flat_.nodes.back().span);
  return spirv::tidied(std::move(t));
}

// ---- values ----------------------------------------------------------------------------------------------

void Lowering::refuse(std::string why, std::string hint) const {
  if (flat_.cuda) litmus::unsupported(node_->span, std::move(why), std::move(hint));
  const std::string where = node_->line.empty() ? "" : fmt::format(" ({})", node_->line);
  litmus::unsupported(node_->span, fmt::format("{}{}: {}", node_->mnemonic(), where, why), std::move(hint));
}

void Lowering::fail(std::string why, std::string hint) const {
  litmus::fail_at(node_->span, fmt::format("{}: {}", node_->mnemonic(), why), std::move(hint));
}

prog::RegId Lowering::reg(const std::string& name, uint8_t width) {
  t_.registers.push_back({name, width, "", true});
  return static_cast<prog::RegId>(t_.registers.size() - 1);
}

prog::Instr& Lowering::emit(Kind kind, std::string mnemonic) {
  prog::Instr in;
  in.kind = kind;
  in.mnemonic = std::move(mnemonic);
  in.span = node_->span;
  if (!node_->line.empty()) in.spelling = {node_->line};
  code_->push_back(std::move(in));
  return code_->back();
}

prog::RegId Lowering::set(Expr e, const std::string& name) {
  const prog::RegId r = reg(name, e.width());
  prog::Instr& in = emit(Kind::local, node_->mnemonic());
  in.dst = r;
  in.value = std::move(e);
  return r;
}

Value Lowering::settle(Value v, const std::string& name) {
  const auto large = [](const Expr& e) { return spirv::term_size(e, k_most_nodes + 1) > k_most_nodes; };
  if (v.is(Value::Kind::scalar) && large(v.e)) v.e = var(set(v.e, name));
  for (Target& t : v.targets) {
    if (t.when && large(t.when)) t.when = var(set(t.when, name + ".when"));
    if (!large(t.offset)) continue;
    const auto shift = static_cast<uint64_t>(std::countr_zero(divisor(t.offset, k_most_unit)));
    const Expr by = term::constant(shift, 64);
    t.offset = var(set(shift == 0 ? t.offset : term::binary(T::ashr, t.offset, by), name + ".at"));
    if (shift != 0) t.offset = term::binary(T::shl, t.offset, by);
  }
  return v;
}

// Any value: the initial one of a cell that nothing else reads. In a loop each round takes the next of several cells.
Expr Lowering::any(uint8_t w, const std::string& what, const Expr& when) {
  const uint8_t cell = w == 1 ? 8 : w;
  const std::string name = fmt::format("{}#{}@{}", what, anything_++, thread_);
  // Beyond the end of a buffer of CUDA C++ lies one value for each place in the text, as for shaders: a loop that waits
  // for another thread would else look as if it changed something in each round.
  const bool repeats = flow_.in_loop[here_] && !(flat_.cuda && what == "elsewhere");
  const prog::RegId r = reg(name, cell);
  prog::RegId predicate = k_none, round = k_none;
  if (when && !when.is_const(1)) {
    prog::Instr& clear = emit(Kind::local, "mov");
    clear.dst = r;
    clear.value = term::constant(0, cell);
    predicate = set(when, "outside");
  }
  prog::Address a;
  a.symbol = memory_.unknown(name, cell, node_->span, repeats ? k_rounds : 1);
  if (repeats) {
    round = reg(name + ".round", 64);
    a.index = term::binary(T::and_, var(round), term::constant(k_rounds - 1, 64));
  }
  prog::Instr& in = emit(Kind::load, "undefined");
  in.dst = r;
  in.addr = std::move(a);
  in.predicate = predicate;
  if (flat_.cuda) in.tags = {vocab::Tag::NA};
  if (repeats) {
    prog::Instr& next = emit(Kind::local, "mov");
    next.dst = round;
    next.value = term::binary(T::add, var(round), term::constant(1, 64));
  }
  return w == 1 ? term::truth(var(r)) : var(r);
}

Expr Lowering::number_of(const Target& t) {
  if (t.root == k_number_root) return t.offset;
  const RootKey& r = roots_[t.root];
  if (r.at != k_itself && !memory_.decision(r).addressed) {  // it may be a number as well
    memory_.note_number(r);
    const std::string what = memory_.name(r);
    auto it = demanded_.find(what);
    if (it == demanded_.end()) {
      const prog::RegId x = reg(what, 64);
      prog::Instr& in = emit(Kind::load, "undefined");
      in.dst = x;
      in.addr.symbol = memory_.unknown(what, 64, node_->span);
      if (flat_.cuda) in.tags = {vocab::Tag::NA};
      it = demanded_.emplace(what, x).first;
    }
    return term::binary(T::add, var(it->second), t.offset);
  }
  notes_.addresses = true;
  const std::string& space = flat_.variables[r.variable].space;
  const bool shared = r.at == k_itself && space == "shared";
  // Apart, whatever their sizes; by variable, so that all threads see one number.
  const uint64_t base =
      shared ? 0x10000 * (uint64_t{r.variable} + 1)
             : 0x700000000000 + 0x100000000 * (uint64_t{r.variable} * 64 + static_cast<uint64_t>(r.at + 8) / 8);
  const uint64_t window = t.generic ? uint64_t{1} << 56 : 0;
  return term::binary(T::add, term::constant(window + base, 64), t.offset);
}

Expr Lowering::term(const Value& v) {
  switch (v.kind) {
    case Value::Kind::scalar:
      return v.e;
    case Value::Kind::opaque:
      notes_.opaque = true;
      return any(v.width, "float", guard_);
    case Value::Kind::undefined:
      return any(v.width, v.what, {});
    case Value::Kind::unknown: {
      const auto it = demanded_.find(v.what);
      prog::RegId r = it == demanded_.end() ? k_none : it->second;
      if (r == k_none) {
        r = reg(v.what, v.width);
        prog::Instr& in = emit(Kind::load, "undefined");
        in.dst = r;
        in.addr.symbol = memory_.unknown(v.what, v.width, node_->span);
        if (flat_.cuda) in.tags = {vocab::Tag::NA};
        demanded_[v.what] = r;
      }
      return var(r);
    }
    case Value::Kind::distance:
      return term::resize(term::binary(T::sub, number_of(v.targets[0]), number_of(v.targets[1])), v.width, false);
    case Value::Kind::address:
      break;
  }
  Expr out;
  for (size_t k = v.targets.size(); k-- > 0;) {
    const Expr e = number_of(v.targets[k]);
    out = !out || !v.targets[k].when ? e : term::ite(v.targets[k].when, e, out);
  }
  return term::resize(out, v.width, false);
}

Value Lowering::resized(const Value& v, uint8_t width, bool is_signed) {
  if (v.width == width) return v;
  switch (v.kind) {
    case Value::Kind::scalar:
      return Value::scalar(width == 1 ? term::truth(v.e) : term::resize(v.e, width, is_signed));
    case Value::Kind::opaque:
      return Value::opaque(width);
    case Value::Kind::address:  // an address of shared memory fits into 32 bits
      if (width >= 32 && v.width >= 32) {
        const bool shared =
            std::all_of(v.targets.begin(), v.targets.end(), [&](const Target& t) { return windowed(t) && !t.generic; });
        if (shared) return Value::address(v.targets, width);
      }
      break;
    default:
      break;
  }
  return Value::scalar(term::resize(term(v), width, is_signed));
}

Value Lowering::select(const Expr& when, const Value& yes, const Value& no) {
  if (!when || when.is_const(1) || yes == no) return yes;
  if (when.is_const(0)) return no;
  if (yes.is(Value::Kind::opaque) || no.is(Value::Kind::opaque)) return Value::opaque(yes.width);
  if (!yes.is(Value::Kind::address) && !no.is(Value::Kind::address))
    return Value::scalar(term::ite(when, term(yes), term(no)));
  std::vector<Target> out;
  const auto add = [&](const Value& v, const Expr& c) {
    for (Target t : targets_of(v)) {
      t.when = t.when ? term::binary(T::and_, c, t.when) : c;
      const auto same = std::find_if(out.begin(), out.end(), [&](const Target& x) { return x.origin() == t.origin(); });
      if (same == out.end()) {
        out.push_back(std::move(t));
        continue;
      }
      same->offset = term::ite(same->when, same->offset, t.offset);
      same->when = term::binary(T::or_, same->when, t.when);
    }
  };
  add(yes, when);
  add(no, term::unary(T::not_, when));
  if (out.size() == 1) out[0].when = {};
  return Value::address(std::move(out), yes.width);
}

}  // namespace fencepost::ptxmod
