// Operands of control barriers, and what the barriers of one test are called together.
//
//   a          the barrier that the value a names; a number or a register (PTX ISA, "bar{.cta}, barrier{.cta}"). "If no
//              thread count is specified, all threads in the CTA participate in the barrier", whatever their code.
//              Where a lies outside of 0 to 15 the ISA has no such barrier.
//   a, b       as the published corpora write it: of the arrivals at instance a, those of one id b meet
//   a, b, q    the same, and q arrivals are enough
//   a, n       as the ISA writes it: n is the number of threads that come to a
//
// One spelling, two meanings: the ISA's second operand is a number of threads, a multiple of 32 since whole warps
// are counted; the corpora's is a number of a barrier. `bar.sync` and `barrier.sync`, which no corpus writes, are the
// ISA's; in `bar.cta.sync` an operand of 16 or more is a number of threads, because there are 16 barriers. A thread of
// a litmus test stands for its warp, so a number of threads says nothing new if it is 32 for each thread of the CTA
// that comes to the barrier, and any other is unsupported: whoever comes first would meet.
//
// A register names the barrier by its value. Where the value can be read off the code (the register keeps its initial
// value, or is set to a constant once before any jump) the number stands in its place. If that fails for one barrier,
// all barriers of the test are named by value (prog::Barrier: no instance), and the engines compare values. An id of
// the corpora's cannot stand beside such a name.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "litmus/asm_builder.h"

namespace fencepost::litmus {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;

constexpr uint64_t k_barriers = 16;  // PTX ISA: "barriers numbered from 0 through 15"
constexpr uint64_t k_warp = 32;

[[noreturn]] void fail_number(const Span& span, uint64_t number) {
  fail_at(span, fmt::format("there is no barrier {}", number), "barriers are numbered from 0 through 15");
}

struct Place {
  uint32_t thread = 0;
  Instr* instr = nullptr;
};

// The barriers of all threads, in order.
std::vector<Place> barriers_of(std::vector<ThreadBuilder>& threads) {
  std::vector<Place> out;
  for (uint32_t t = 0; t < threads.size(); ++t)
    for (Instr& i : threads[t].instructions())
      if (i.kind == Kind::barrier) out.push_back({t, &i});
  return out;
}

bool by_value(const Instr& i) { return i.barrier.by_value(); }
bool counted(const Instr& i) { return i.barrier.quorum && !i.barrier.id; }

// Whether the constants of `known` and nothing else are in the term; its value then.
std::optional<uint64_t> value_of(const term::Expr& e, const std::map<uint64_t, uint64_t>& known) {
  return term::eval(e, [&](uint64_t v) -> std::optional<uint64_t> {
    const auto at = known.find(v);
    return at == known.end() ? std::nullopt : std::optional(at->second);
  });
}

// Puts numbers for names whose value can be read off the code of one thread.
void settle_names(std::vector<Instr>& code, const RegisterValues& initial, size_t registers) {
  std::vector<uint32_t> written(registers, 0);
  for (const Instr& i : code)
    if (i.dst != k_none) ++written[i.dst];
  std::map<uint64_t, uint64_t> known;
  for (prog::RegId r = 0; r < registers; ++r) {
    const auto start = initial.find(r);
    if (written[r] != 0 || (start != initial.end() && !start->second)) continue;
    known[r] = start == initial.end() ? 0 : *start->second;
  }
  bool straight = true;
  for (Instr& i : code) {
    straight = straight && i.kind != Kind::label && i.kind != Kind::branch && i.kind != Kind::jump;
    if (straight && i.kind == Kind::local && i.predicate == k_none && written[i.dst] == 1)
      if (const auto v = value_of(i.value, known)) known[i.dst] = *v;
    if (i.kind != Kind::barrier || !by_value(i)) continue;
    const auto name = value_of(i.barrier.id, known);
    if (!name) continue;
    if (i.barrier.everyone && *name >= k_barriers) fail_number(i.span, *name);
    i.args = {i.barrier.id};  // as written, for the printer
    i.barrier.instance = std::to_string(*name);
    i.barrier.id = {};
  }
}

// A number of threads is that of the threads that come to the barrier, everywhere in the group, or it is refused.
void check_counts(const prog::ScopePath& group, const std::string& instance, const std::vector<Place>& all) {
  std::set<uint32_t> threads;
  const Instr *with = nullptr, *without = nullptr;
  for (const Place& p : all) {
    threads.insert(p.thread);
    if (!counted(*p.instr)) {
      without = p.instr;
    } else {
      if (with != nullptr && with->barrier.quorum.value() != p.instr->barrier.quorum.value())
        unsupported(p.instr->span,
                    fmt::format("two numbers of threads, {} and {}, at barrier {}", with->barrier.quorum.value(),
                                p.instr->barrier.quorum.value(), instance),
                    "PTX leaves a barrier undefined whose numbers of threads differ: give one number");
      with = p.instr;
    }
  }
  if (with == nullptr) return;
  const uint64_t n = with->barrier.quorum.value();
  if (without != nullptr)
    unsupported(without->span,
                fmt::format("barrier {} with no number of threads here and with {} elsewhere", instance, n),
                "PTX leaves a barrier undefined whose numbers of threads differ: give one number, or none");
  if (n != k_warp * threads.size())
    unsupported(with->span,
                fmt::format("a barrier for {} threads, where {} of cta {} come to barrier {}, each for a warp of {}", n,
                            threads.size(), group.back(), instance, k_warp),
                fmt::format("write {}, or leave the number away", k_warp * threads.size()));
  for (const Place& p : all) p.instr->barrier.quorum = {};
}

// An id at one place and none at another would never meet; in the ISA the operand is no id.
void check_ids(const std::string& instance, const std::vector<Place>& all) {
  const auto with = std::find_if(all.begin(), all.end(),
                                 [](const Place& p) { return p.instr->barrier.id && !p.instr->barrier.quorum; });
  const auto without = std::find_if(all.begin(), all.end(), [](const Place& p) { return !p.instr->barrier.id; });
  if (with == all.end() || without == all.end()) return;
  unsupported(without->instr->span, fmt::format("barrier {} has one operand here and two elsewhere", instance),
              "as an id the second never meets the first, as a number of threads it leaves the barrier undefined: "
              "write both alike");
}

}  // namespace

void parse_barrier_operands(Cursor& c, ThreadBuilder& t, const Mnemonic& m, Instr& out) {
  out.kind = Kind::barrier;
  const bool isa = m.head().is("barrier") || (m.head().is("bar") && !(m.parts.size() > 1 && m.parts[1].is("cta")));
  const bool ptx = isa || m.head().is("bar");
  if (at_register(c)) {
    out.barrier.id = parse_value(c, t);  // no instance: named by value
  } else {
    const Token n = c.peek();
    if (n.kind != Tok::number)
      c.fail_expected(n, "a barrier instance", fmt::format("write {} 0 for the barrier with number 0", m.text()));
    const uint64_t number = number_value(c, n);
    if (ptx && number >= k_barriers) fail_number(c.span(n), number);
    out.barrier.instance = std::to_string(number);
    c.next();
  }
  out.barrier.everyone = ptx && !c.at(",");
  if (!c.accept(",")) return;
  const Token second = c.peek();
  const term::Expr operand = parse_value(c, t);
  const bool third = c.at(",");
  if (ptx && !third && (isa || (operand.is_const() && operand.value() >= k_barriers))) {
    if (!operand.is_const()) unsupported(c.span(second), "a number of threads in a register", "write the number");
    if (operand.value() == 0 || operand.value() % k_warp != 0)
      c.fail(second, fmt::format("{} threads are not whole warps", operand.value()),
             fmt::format("the number of threads is a multiple of {}", k_warp));
    out.barrier.quorum = operand;  // without an id: until name_barriers has looked at it
    out.spelling = {std::to_string(operand.value())};
    return;
  }
  if (isa)
    c.fail(c.peek(), "a barrier with an id and a quorum is written bar.cta.sync", "write bar.cta.sync a, id, quorum");
  if (out.barrier.instance.empty())
    unsupported(c.span(second), "an id beside a barrier that a register names",
                "name the instance by a number, as in bar.cta.sync 0, r2");
  out.barrier.id = operand;
  if (c.accept(",")) out.barrier.quorum = parse_value(c, t);
}

void name_barriers(std::vector<ThreadBuilder>& threads, const std::vector<prog::ScopePath>& scopes,
                   const std::vector<RegisterValues>& initial) {
  for (uint32_t t = 0; t < threads.size(); ++t)
    settle_names(threads[t].instructions(), initial[t], threads[t].code().registers.size());
  const std::vector<Place> all = barriers_of(threads);
  const auto open = std::find_if(all.begin(), all.end(), [](const Place& p) { return by_value(*p.instr); });
  if (open != all.end()) {
    for (const Place& p : all) {
      if (by_value(*p.instr) && !p.instr->barrier.quorum) continue;
      if (p.instr->barrier.id || p.instr->barrier.quorum)
        unsupported(p.instr->span, "an id or a number of threads beside a barrier whose name is computed",
                    "name every barrier of the test by one operand");
      if (p.instr->tags.has(prog::Tag::CLUSTER) || p.instr->tags.has(prog::Tag::WARP))
        unsupported(p.instr->span, "a barrier of a cluster or warp beside one whose name is computed",
                    "name every barrier of the test by a number");
      p.instr->barrier.id = term::constant(std::stoull(p.instr->barrier.instance), 64);
      p.instr->barrier.instance.clear();
    }
    return;
  }
  std::map<std::pair<prog::ScopePath, std::string>, std::vector<Place>> groups;
  for (const Place& p : all) {
    prog::ScopePath group = scopes[p.thread];
    group.resize(std::min<size_t>(group.size(), p.instr->barrier.level + 1));
    groups[{group, p.instr->barrier.instance}].push_back(p);
  }
  for (const auto& [key, places] : groups) {
    check_counts(key.first, key.second, places);
    if (places.front().instr->mnemonic.starts_with("bar.")) check_ids(key.second, places);
  }
}

}  // namespace fencepost::litmus
