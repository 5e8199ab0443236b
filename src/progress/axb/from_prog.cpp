// A litmus thread as AXB. Between two accesses a thread computes with what it has read; all that matters of it is where
// it goes. So each access is followed symbolically, its value a variable, until the next accesses: at the first branch
// on the value the walk splits into "equal to c" and "different from c", and each must lead to one access whatever else
// happens. What is left is a graph with two successors per access. AXB needs the "different" one to be the next
// instruction, so the instructions are laid out along these edges from the entry; an edge that returns cannot be
// expressed.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "axb/scan.h"
#include "axb/translate.h"
#include "prog/test.h"
#include "term/term.h"

namespace fencepost::axb {
namespace {

using prog::Kind;
using prog::Tag;
using term::Op;

constexpr uint64_t k_read = 0;   // variable: the value just read
constexpr uint64_t k_stale = 1;  // variable: anything else that is not known
constexpr uint32_t k_most_splits = 256;
constexpr size_t k_end = SIZE_MAX;  // of the thread, as the place of a next access

struct Split {
  uint64_t value = 0;
  bool when_equal = true;  // the condition is value == read, else value != read
};

struct Access {
  Instr instr;    // without jump
  size_t at = 0;  // in the code
  size_t equal = k_end, different = k_end;
  bool splits = false;
};

class ThreadReader {
 public:
  ThreadReader(const prog::Test& test, uint32_t thread, const std::vector<std::set<Value>>& values)
      : test_(test), id_(thread), code_(test.code(thread)), values_(values) {}

  Thread read();

 private:
  using Registers = std::vector<term::Expr>;  // over k_read and k_stale
  struct Walk {
    size_t at = 0;
    Registers registers;
    std::optional<uint64_t> equal;      // what the value read is known to be
    std::optional<uint64_t> different;  // or not to be
  };

  [[noreturn]] void refuse(const prog::Instr& i, std::string what, std::string hint) const {
    fail_at(i.span, fmt::format("P{}: {}", id_, what), std::move(hint));
  }
  Access access(size_t at);
  void follow(Access& a);
  size_t next_access(Walk w, Access* split_into, size_t steps);
  size_t target(const prog::Instr& i) const { return code_.labels.at(i.label).at; }
  std::optional<Split> split_of(const term::Expr& e) const;
  Value value_of(const prog::Instr& i, const term::Expr& e, uint8_t width) const;
  Registers unknown() const {
    Registers out;
    for (const prog::Register& r : code_.registers) out.push_back(term::variable(k_stale, r.width));
    return out;
  }
  void turn_round(Access& a) const;
  size_t after(size_t at) const {
    const auto it = accesses_.upper_bound(at);
    return it == accesses_.end() ? k_end : it->first;
  }

  const prog::Test& test_;
  uint32_t id_;
  const prog::Template& code_;
  const std::vector<std::set<Value>>& values_;
  std::map<size_t, Access> accesses_;  // by place in the code
  uint32_t splits_ = 0;                // since the last access: each is a level of recursion
};

bool is_access(const prog::Instr& i) { return i.kind == Kind::load || i.kind == Kind::store || i.kind == Kind::rmw; }

bool is_atomic(const prog::Test& test, const prog::Instr& i) {
  switch (test.dialect) {
    case vocab::Dialect::vulkan:
      return i.tags.has(Tag::ATOM);
    case vocab::Dialect::opencl:
      return i.tags.has(Tag::A);
    default:
      return !i.tags.has(Tag::WEAK);
  }
}

bool mentions(const term::Expr& e, uint64_t variable) {
  bool found = false;
  term::for_each_variable(e, [&](uint64_t v) { found = found || v == variable; });
  return found;
}

std::optional<uint64_t> value_under(const term::Expr& e, std::optional<uint64_t> read) {
  return term::eval(e, [&](uint64_t v) { return v == k_read ? read : std::nullopt; });
}

Value ThreadReader::value_of(const prog::Instr& i, const term::Expr& e, uint8_t width) const {
  const uint64_t v = e.value() & term::mask(width);
  if (v > 0xffffffff)
    refuse(i, fmt::format("the value {} does not fit 32 bits", term::to_signed(v, width)),
           "values are 0 to 4294967295 here");
  return static_cast<Value>(v);
}

// Expected and new value of a compare-and-swap with constants: guarded (OpenCL), or writing back the old value (PTX).
std::optional<std::pair<term::Expr, term::Expr>> compare_and_swap(const prog::Instr& i) {
  if (i.kind != Kind::rmw) return std::nullopt;
  const auto is_old = [](const term::Expr& e) { return e.is_var() && e.value() == prog::k_old_value; };
  const auto expected = [&](const term::Expr& e) -> std::optional<term::Expr> {
    if (e.op() != Op::eq) return std::nullopt;
    for (const size_t k : {0u, 1u})
      if (is_old(e.kids()[k]) && e.kids()[1 - k].is_const()) return e.kids()[1 - k];
    return std::nullopt;
  };
  if (i.guard) {
    const auto want = expected(i.guard);
    return want && i.value.is_const() ? std::optional(std::pair(*want, i.value)) : std::nullopt;
  }
  if (i.value.op() != Op::ite || !i.value.kids()[1].is_const() || !is_old(i.value.kids()[2])) return std::nullopt;
  const auto want = expected(i.value.kids()[0]);
  return want ? std::optional(std::pair(*want, i.value.kids()[1])) : std::nullopt;
}

Access ThreadReader::access(size_t at) {
  const prog::Instr& i = code_.code[at];
  if (!i.addr.direct() && !(i.addr.symbol != prog::k_none && i.addr.index.is_const(0)))
    refuse(i, "accesses memory through a computed address", "an exchange-branch instruction names its location");
  if (!is_atomic(test_, i))
    refuse(i, "this access is not atomic",
           "exchange-branch instructions are atomic; write ld.relaxed, ld.atom, atomic_load");
  Access a;
  a.at = at;
  a.instr.span = i.span;
  a.instr.location = test_.symbols[i.addr.symbol].object;
  const uint8_t width = test_.objects[a.instr.location].width;
  if (i.kind == Kind::load) return a;
  if (i.spurious != prog::k_none) refuse(i, "a weak compare-and-swap, which may fail at will", "write the strong one");
  if (const auto cas = compare_and_swap(i)) {
    if (i.result)
      refuse(i, "this compare-and-swap gives something else than the old value", "compare the old value instead");
    a.instr.exchanges = a.instr.compares = true;
    a.instr.check = value_of(i, cas->first, width);
    a.instr.value = value_of(i, cas->second, width);
    return a;
  }
  if (i.guard) refuse(i, "writes only under a condition", "only compare-and-swap with constants can be expressed");
  if (i.kind == Kind::rmw && i.value.is_var() && i.value.value() == prog::k_old_value) return a;  // adds 0
  if (!i.value.is_const()) {
    if (i.kind == Kind::rmw && mentions(i.value, prog::k_old_value))
      refuse(i, "a read-modify-write whose new value depends on the old one",
             "only exchange, and adding 0, can be expressed");
    refuse(i, "the value stored is not a constant", "write the number itself");
  }
  if (i.result)
    refuse(i, "this read-modify-write gives something else than the old value", "only exchange can be expressed");
  a.instr.exchanges = true;
  a.instr.value = value_of(i, i.value, width);
  return a;
}

// e as "read == c" or "read != c". Nothing when it is neither.
std::optional<Split> ThreadReader::split_of(const term::Expr& e) const {
  if (e.op() == Op::not_ && e.width() == 1) {
    auto s = split_of(e.kids()[0]);
    if (s) s->when_equal = !s->when_equal;
    return s;
  }
  if (e.op() != Op::eq && e.op() != Op::ne) return std::nullopt;
  const bool constant_first = e.kids()[0].is_const();
  const term::Expr& c = e.kids()[constant_first ? 0 : 1];
  term::Expr x = e.kids()[constant_first ? 1 : 0];
  if (!c.is_const()) return std::nullopt;
  const bool equal = e.op() == Op::eq;
  if (x.is_var()) return Split{c.value(), equal};
  if (x.op() != Op::zext && x.op() != Op::sext) return std::nullopt;
  const bool is_signed = x.op() == Op::sext;
  x = x.kids()[0];
  const uint64_t back = c.value() & term::mask(x.width());
  const uint64_t again =
      (is_signed ? static_cast<uint64_t>(term::to_signed(back, x.width())) : back) & term::mask(c.width());
  if (again != c.value()) return std::nullopt;  // no value compares equal
  if (x.is_var()) return Split{back, equal};
  if (x.width() != 1) return std::nullopt;
  auto s = split_of(x);  // a comparison kept in a register, compared with 0 or 1
  if (s && (back == 1) != equal) s->when_equal = !s->when_equal;
  return s;
}

// The next access from w.at on, k_end if the thread ends. At the first branch on the value read, and only if
// `split_into` is given, fills in both ways; any later one must not matter.
size_t ThreadReader::next_access(Walk w, Access* split_into, size_t steps) {
  while (w.at < code_.code.size()) {
    const prog::Instr& i = code_.code[w.at];
    if (i.predicate != prog::k_none) refuse(i, "a predicated instruction", "write a branch instead");
    if (is_access(i)) return w.at;
    if (++steps > 4 * code_.code.size())
      refuse(i, "a loop that accesses no memory", "every instruction is an access; remove the loop");
    switch (i.kind) {
      case Kind::barrier:
        refuse(i, "a control barrier", "exchange-branch instructions never wait");
      case Kind::local: {
        const auto known = [&](uint64_t v, uint8_t width) {
          return v < w.registers.size() ? w.registers[v] : term::variable(k_stale, width);
        };
        w.registers[i.dst] = term::substitute(i.value, known);
        break;
      }
      case Kind::jump:
        w.at = target(i);
        continue;
      case Kind::branch: {
        const term::Expr e = term::substitute(i.value, [&](uint64_t v, uint8_t) { return w.registers.at(v); });
        if (mentions(e, k_stale))
          refuse(i, "branches on a value that was read before the last access",
                 "an instruction branches on the value that it reads itself");
        if (const auto v = value_under(e, w.equal)) {
          w.at = *v != 0 ? target(i) : w.at + 1;
          continue;
        }
        auto s = split_of(e);
        if (!s && e.width() != 1) s = split_of(term::truth(e));
        if (!s)
          refuse(i, "compares the value read otherwise than for equality with a constant",
                 "write beq or bne, == or !=");
        if (++splits_ > k_most_splits)
          refuse(i, fmt::format("more than {} branches on one value", k_most_splits),
                 "an instruction tells one value from all others");
        Walk yes = w, no = std::move(w);
        yes.at = target(i), no.at = no.at + 1;
        Walk& equal = s->when_equal ? yes : no;
        Walk& different = s->when_equal ? no : yes;
        if (different.different == s->value) return next_access(std::move(different), nullptr, steps);
        const bool first = split_into != nullptr;
        equal.equal = s->value;
        equal.different.reset();
        if (first) different.different = s->value;
        const size_t to_equal = next_access(std::move(equal), nullptr, steps);
        const size_t to_different = next_access(std::move(different), nullptr, steps);
        if (first) {
          split_into->splits = true;
          const prog::Instr& from = code_.code[split_into->at];
          const uint8_t width = test_.objects[split_into->instr.location].width;
          const Value check = value_of(from, term::constant(s->value, width), width);
          if (split_into->instr.compares && check != split_into->instr.check)
            refuse(
                i,
                fmt::format("compares a compare-and-swap with {}, and it expects {}", check, split_into->instr.check),
                "the branch tells success from failure");
          split_into->instr.check = check;
          split_into->equal = to_equal;
          split_into->different = to_different;
        } else if (to_equal != to_different) {
          refuse(i, "a second branch on the same value", "an instruction tells one value from all others");
        }
        return to_different;
      }
      default:
        break;  // labels; fences order nothing where instructions take effect one by one
    }
    ++w.at;
  }
  return k_end;
}

void ThreadReader::follow(Access& a) {
  const prog::Instr& i = code_.code[a.at];
  Walk w{a.at + 1, unknown(), std::nullopt, std::nullopt};
  if (i.dst != prog::k_none && i.kind != Kind::store)
    w.registers[i.dst] = term::resize(term::variable(k_read, test_.objects[a.instr.location].width),
                                      code_.registers[i.dst].width, false);
  splits_ = 0;
  const size_t next = next_access(std::move(w), &a, 0);
  if (!a.splits) a.equal = a.different = next;
}

// "Goes on if different from c" is "goes on if equal to d" where c and d are all that the location ever holds. Done
// where it makes the following instruction the one that comes next.
void ThreadReader::turn_round(Access& a) const {
  const std::set<Value>& all = values_[a.instr.location];
  const size_t next = after(a.at);
  if (a.instr.compares || !a.splits || a.equal == a.different || a.different == next || a.equal != next) return;
  if (all.size() != 2 || !all.contains(a.instr.check)) return;
  a.instr.check = *all.begin() == a.instr.check ? *all.rbegin() : *all.begin();
  std::swap(a.equal, a.different);
}

Thread ThreadReader::read() {
  Walk start{0, {}, std::nullopt, std::nullopt};
  for (const prog::Register& r : code_.registers) start.registers.push_back(term::constant(0, r.width));
  for (const prog::InitValue& v : test_.threads[id_].init)
    start.registers[v.reg] = v.address == prog::k_none ? term::constant(v.value, code_.registers[v.reg].width)
                                                       : term::variable(k_stale, code_.registers[v.reg].width);
  for (size_t at = 0; at < code_.code.size(); ++at)
    if (is_access(code_.code[at])) accesses_.emplace(at, Access{});
  Thread out;
  std::map<size_t, uint32_t> position;
  std::vector<const Access*> order;
  for (size_t at = next_access(std::move(start), nullptr, 0); at != k_end;) {
    Access& a = accesses_.at(at);
    a = access(at);
    follow(a);
    turn_round(a);
    position.emplace(at, static_cast<uint32_t>(order.size()));
    order.push_back(&a);
    // A compare-and-swap may jump either way: where failure goes back, success goes on.
    if (a.instr.compares && a.splits && a.equal != a.different &&
        (a.different == k_end ? a.equal == after(at) : position.contains(a.different))) {
      a.instr.unless = true;
      std::swap(a.equal, a.different);
    }
    if (a.different != k_end && position.contains(a.different))
      refuse(code_.code[at],
             a.splits && a.equal != a.different ? fmt::format("goes back for every value but {}", a.instr.check)
                                                : std::string("is followed by an unconditional jump backwards"),
             "an instruction jumps on one value and goes on with the next instruction otherwise");
    at = a.different;
  }
  for (uint32_t pc = 0; pc < order.size(); ++pc) {
    Instr i = order[pc]->instr;
    const size_t to = order[pc]->equal;
    if (to != k_end && !position.contains(to))
      refuse(code_.code[order[pc]->at], "jumps to code that nothing else runs into",
             "an instruction jumps to code that the thread also reaches without that jump");
    i.jump = to == k_end ? static_cast<uint32_t>(order.size()) : position.at(to);
    if (is_store(i, pc)) i.check = 0;
    if (i.jump == pc + 1) i.unless = false;
    out.code.push_back(std::move(i));
  }
  return out;
}

Test read(const prog::Test& test) {
  Test out;
  out.name = test.title;
  out.span = test.span;
  std::vector<std::set<Value>> values;
  for (const prog::Object& o : test.objects) {
    if (o.init.size() != 1)
      fail_at(o.span, fmt::format("{} is an array", axb::quoted(o.name)), "locations hold one value each");
    const bool address = !o.init_address.empty() && o.init_address[0] != prog::k_none;
    if (address || o.init[0] > 0xffffffff)
      fail_at(o.span, fmt::format("the initial value of {} does not fit 32 bits", axb::quoted(o.name)),
              "values are 0 to 4294967295 here");
    Location l{.name = o.name, .init = static_cast<Value>(o.init[0])};
    const auto clashes = [&] {
      if (is_reserved(l.name) ||
          std::ranges::any_of(out.locations, [&](const Location& k) { return k.name == l.name; }))
        return true;
      return l.name != o.name && std::ranges::any_of(test.objects, [&](const auto& k) { return k.name == l.name; });
    };
    while (clashes()) l.name += '_';
    values.push_back({l.init});
    out.locations.push_back(std::move(l));
  }
  if (test.threads.empty()) fail_at(test.span, "the test has no thread", "a test has 1 to 64 threads");
  if (test.threads.size() > k_max_threads)
    fail_at(test.span, fmt::format("the test has {} threads", test.threads.size()), "a test has 1 to 64 threads");
  for (const prog::Template& t : test.templates)
    for (const prog::Instr& i : t.code)
      if ((i.kind == Kind::store || i.kind == Kind::rmw) && i.addr.symbol != prog::k_none && i.value.is_const())
        values[test.symbols[i.addr.symbol].object].insert(static_cast<Value>(i.value.value()));
  for (uint32_t n = 0; n < test.threads.size(); ++n) out.threads.push_back(ThreadReader(test, n, values).read());
  return out;
}

}  // namespace

Expected<Test> from_prog(const prog::Test& test) {
  try {
    Test out = read(test);
    if (auto good = validate(out); !good) return std::unexpected(std::move(good.error()));
    return out;
  } catch (ParseError& e) {
    return std::unexpected(std::move(e.diagnostics));
  }
}

}  // namespace fencepost::axb
