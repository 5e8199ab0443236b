// Variables of the thread (.local, parameters of calls) as values: pieces of bytes at known places, little end first. A
// piece that is read or written in another size is cut or put together. What has a computed place goes to memory.
#include <fmt/format.h>

#include <algorithm>

#include "ptxmod/lower.h"

namespace fencepost::ptxmod {

using T = term::Op;

namespace {

// `bytes` bytes of a piece, from its byte `from` on.
Value cut(const Value& v, uint64_t from, uint32_t bytes, const Expr& e) {
  const auto w = static_cast<uint8_t>(8 * bytes);
  if (v.is(Value::Kind::opaque)) return Value::opaque(w);
  if (!e) return Value::undefined(v.what, w);
  return Value::scalar(term::resize(term::binary(T::lshr, e, term::constant(8 * from, e.width())), w, false));
}

}  // namespace

// The bytes of a key out of the pieces that hold them, where these are numbers and hold them all.
std::optional<Value> Lowering::composed(const Values& values, const Key& key) {
  const auto w = static_cast<uint8_t>(8 * key.bytes);
  const int64_t end = key.at + static_cast<int64_t>(key.bytes);
  Expr whole = term::constant(0, w);
  uint64_t have = 0;  // bytes
  bool opaque = false;
  for (const auto& [k, v] : values) {
    if (!k.memory || k.id != key.id) continue;
    const int64_t from = std::max(k.at, key.at), to = std::min(k.at + static_cast<int64_t>(k.bytes), end);
    if (from >= to) continue;
    const uint64_t bytes = term::mask(static_cast<uint8_t>(to - from)) << (from - key.at);
    if ((have & bytes) == bytes) continue;  // a larger piece holds it too
    have |= bytes;
    opaque = opaque || v.is(Value::Kind::opaque);
    if (opaque) continue;
    if (!v.is(Value::Kind::scalar)) return std::nullopt;
    const Value part = cut(v, static_cast<uint64_t>(from - k.at), static_cast<uint32_t>(to - from), v.e);
    const Expr at = term::constant(static_cast<uint64_t>(8 * (from - key.at)), w);
    const Expr placed = term::binary(T::shl, term::resize(part.e, w, false), at);
    const Expr mask =
        term::constant((term::mask(static_cast<uint8_t>(8 * (to - from))) << (8 * (from - key.at))) & term::mask(w), w);
    whole = term::binary(T::or_, term::binary(T::and_, whole, term::unary(T::not_, mask)), placed);
  }
  if (have != term::mask(static_cast<uint8_t>(key.bytes))) return std::nullopt;
  return opaque ? Value::opaque(w) : Value::scalar(whole);
}

Value Lowering::own_bytes(const Key& key) {
  if (const auto it = now_.find(key); it != now_.end()) return it->second;
  const int64_t end = key.at + static_cast<int64_t>(key.bytes);
  bool any_piece = false;
  for (auto& [k, v] : now_) {
    if (!k.memory || k.id != key.id || k.at >= end || k.at + static_cast<int64_t>(k.bytes) <= key.at) continue;
    any_piece = true;
    if (!v.is(Value::Kind::scalar) && !v.is(Value::Kind::opaque)) v = Value::scalar(term(v));
  }
  const std::string what = fmt::format("{}+{}", memory_.name(roots_[key.id]), key.at);
  if (!any_piece) return Value::undefined(what, static_cast<uint8_t>(8 * key.bytes));
  if (auto v = composed(now_, key)) return settle(*v, what);
  memory_.decision(roots_[key.id]).in_memory = true;  // some of it was never written
  throw Restart{};
}

// Pieces that the new one covers in part keep the rest, in sizes that are powers of two.
void Lowering::set_own_bytes(const Key& key, Value v) {
  const int64_t end = key.at + static_cast<int64_t>(key.bytes);
  Values rest;
  std::vector<Key> gone;
  for (const auto& [k, old] : now_) {
    const int64_t last = k.at + static_cast<int64_t>(k.bytes);
    if (!k.memory || k.id != key.id || k == key || k.at >= end || last <= key.at) continue;
    gone.push_back(k);
    Expr e;
    if (!old.is(Value::Kind::opaque) && !old.is(Value::Kind::undefined)) e = term(old);
    for (int64_t at = k.at; at < last;) {
      if (at >= key.at && at < end) {
        at = end;
        continue;
      }
      const int64_t stop = at < key.at ? std::min(last, key.at) : last;
      int64_t size = 8;
      while (at % size != 0 || at + size > stop) size /= 2;
      rest.emplace(Key{true, key.id, at, static_cast<uint32_t>(size)},
                   cut(old, static_cast<uint64_t>(at - k.at), static_cast<uint32_t>(size), e));
      at += size;
    }
  }
  for (const Key& k : gone) now_.erase(k);
  for (auto& [k, part] : rest) now_.try_emplace(k, std::move(part));
  now_[key] = settle(std::move(v), memory_.name(roots_[key.id]));
}

}  // namespace fencepost::ptxmod
