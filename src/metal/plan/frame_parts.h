#pragma once
// What the three kernels of a Program are built with: expressions, and a kernel under construction. Inside plan only.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "plan/frame.h"
#include "term/term.h"

namespace fencepost::plan::parts {

using code::Statement;
using code::Var;
using term::Expr;
using term::Op;
using List = std::vector<Statement>;

inline Expr n32(uint64_t v) { return term::constant(v, 32); }
inline Expr operator+(const Expr& a, const Expr& b) { return term::binary(Op::add, a, b); }
inline Expr operator-(const Expr& a, const Expr& b) { return term::binary(Op::sub, a, b); }
inline Expr operator*(const Expr& a, const Expr& b) { return term::binary(Op::mul, a, b); }
inline Expr operator/(const Expr& a, const Expr& b) { return term::binary(Op::udiv, a, b); }
inline Expr operator%(const Expr& a, const Expr& b) { return term::binary(Op::urem, a, b); }
inline Expr operator&&(const Expr& a, const Expr& b) { return term::binary(Op::and_, a, b); }
inline Expr operator||(const Expr& a, const Expr& b) { return term::binary(Op::or_, a, b); }
inline Expr operator!(const Expr& a) { return term::unary(Op::not_, a); }
inline Expr eq(const Expr& a, const Expr& b) { return term::binary(Op::eq, a, b); }
inline Expr less(const Expr& a, const Expr& b) { return term::binary(Op::ult, a, b); }
inline Expr at_least(const Expr& a, const Expr& b) { return term::binary(Op::uge, a, b); }
inline Expr wide(const Expr& a) { return term::resize(a, 64, false); }
inline Expr narrow(const Expr& a) { return term::resize(a, 32, false); }

inline void append(List& out, List more) {
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// A kernel under construction: its parameters, each loaded once, and named values.
class Frame {
 public:
  Frame(Program& p, Phase phase, std::string name, const std::vector<BufferUse>& uses) : p_(p), phase_(phase) {
    k_.name = std::move(name);
    for (const BufferUse u : uses) use(u);
    // The alignment's words of each device.
    if (p.several && phase == Phase::test && p.tree.host) buffer(BufferUse::sync, k_meeting);
    if (p.several && phase == Phase::test && !p.tree.host)
      for (const uint32_t d : p.tree.places) buffer(BufferUse::sync, d);
    group_ = builtin("group", code::Builtin::group);
    lane_ = builtin("lane", code::Builtin::lane);
    groups_ = builtin("groups", code::Builtin::groups);
    lanes_ = builtin("lanes", code::Builtin::lanes);
  }

  Expr parameter(const std::string& name) {
    const auto [word, fresh] = p_.parameter_words.emplace(name, p_.parameter_count);
    if (fresh) ++p_.parameter_count;
    if (const auto known = loaded_.find(name); known != loaded_.end()) return known->second;
    std::string id = "p_" + name;
    std::replace(id.begin(), id.end(), '-', '_');
    std::replace(id.begin(), id.end(), '.', '_');
    const Var v = code::add_variable(k_, id);
    first_.push_back(code::load(v, place(BufferUse::parameters, n32(word->second))));
    return loaded_[name] = code::value_of(k_, v);
  }

  // `number`: which of several; the first, without.
  code::Place place(BufferUse u, Expr index, uint8_t width = 32) const {
    return {find(u, std::nullopt), std::move(index), width};
  }
  code::Place numbered(BufferUse u, uint32_t number, Expr index, uint8_t width = 32) const {
    return {find(u, p_.several ? std::optional(number) : std::nullopt), std::move(index), width};
  }
  uint32_t memory_buffer(prog::ObjectId o) const {
    return find(BufferUse::memory, p_.several ? std::optional(o) : std::nullopt);
  }
  code::Place memory(prog::ObjectId o, Expr index, uint8_t width = 32) const {
    return {memory_buffer(o), std::move(index), width};
  }
  code::Place sync(uint32_t which) const { return place(BufferUse::sync, n32(uint64_t{which} * k_sync_stride)); }
  static code::Place shared(Expr index, uint8_t width = 32) { return {code::k_shared, std::move(index), width}; }

  Var variable(const std::string& name, uint8_t width = 32) { return code::add_variable(k_, name, width); }
  Expr get(Var v) const { return code::value_of(k_, v); }
  // name := value, as an expression
  Expr named(List& out, const std::string& name, Expr value) {
    const Var v = variable(name, value.width());
    out.push_back(code::set(v, std::move(value)));
    return get(v);
  }

  // base + ((sa * x + sc) mod instances) * stride, the product in 64 bits.
  Expr scattered(const std::string& object, const Expr& x) {
    const Expr slot = narrow((wide(parameter(object + ".a")) * wide(x) + wide(parameter(object + ".c"))) %
                             wide(parameter("instances")));
    return parameter(object + ".base") + slot * parameter(object + ".stride");
  }

  void finish(List body) {
    k_.body = std::move(first_);
    append(k_.body, std::move(body));
    const std::string fault = code::fault_of(k_);
    FENCEPOST_INVARIANT(fault.empty(), fault.c_str());
    p_.kernels[static_cast<size_t>(phase_)] = std::move(k_);
    p_.uses[static_cast<size_t>(phase_)] = std::move(uses_);
    p_.numbers[static_cast<size_t>(phase_)] = std::move(numbers_);
  }

  code::Kernel& kernel() { return k_; }
  Expr group() const { return get(group_); }
  Expr lane() const { return get(lane_); }
  Expr groups() const { return get(groups_); }
  Expr lanes() const { return get(lanes_); }

 private:
  void buffer(BufferUse u, uint32_t number) {
    std::string name = plan::name(u);
    if (p_.several && number != k_own) name += number == k_meeting ? "_host" : fmt::format("_{}", number);
    k_.buffers.push_back({std::move(name), u == BufferUse::parameters || u == BufferUse::interest});
    uses_.push_back(u);
    numbers_.push_back(number);
  }
  void use(BufferUse u) {
    if (!p_.several) return buffer(u, 0);
    if (u == BufferUse::memory) {
      for (uint32_t o = 0; o < p_.test.objects.size(); ++o) buffer(u, o);
    } else if (u == BufferUse::out && phase_ != Phase::test) {
      for (const uint32_t d : p_.tree.places) buffer(u, d);
    } else {
      buffer(u, k_own);
    }
  }
  uint32_t find(BufferUse u, std::optional<uint32_t> number) const {
    for (uint32_t k = 0; k < uses_.size(); ++k)
      if (uses_[k] == u && (!number || numbers_[k] == *number)) return k;
    FENCEPOST_INVARIANT(false, "a kernel uses a buffer that it does not have");
    return 0;
  }

  Var builtin(const std::string& name, code::Builtin b) {
    const Var v = code::add_variable(k_, name);
    first_.push_back(code::read_builtin(v, b));
    return v;
  }

  Program& p_;
  Phase phase_;
  code::Kernel k_;
  std::vector<BufferUse> uses_;
  std::vector<uint32_t> numbers_;
  List first_;
  std::map<std::string, Expr> loaded_;
  Var group_, lane_, groups_, lanes_;
};

inline std::string object_name(prog::ObjectId o) { return fmt::format("o{}", o); }

// for (n := id of the invocation; n < limit; n += number of invocations) body
inline List over_all(Frame& f, const std::string& name, const Expr& limit,
                     const std::function<List(const Expr&)>& body) {
  List out;
  const Var n = f.variable(name);
  out.push_back(code::set(n, f.group() * f.lanes() + f.lane()));
  List inner = {code::leave_if(at_least(f.get(n), limit))};
  append(inner, body(f.get(n)));
  inner.push_back(code::set(n, f.get(n) + f.groups() * f.lanes()));
  out.push_back(code::loop(std::move(inner)));
  return out;
}

// The kernels before and after the test.
void initialise(Program& p);
void classify(Program& p);

}  // namespace fencepost::plan::parts
