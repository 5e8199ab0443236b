// One instruction in two is drawn from all that PTX has, the others are plain accesses beside it, which a scheduler may
// move. A form that a target does not have is refused by its assembler and counted as refused; so the tables below may
// be generous.
#include "hunt/draw_tests.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "base/job.h"

namespace fencepost::hunt {
namespace {

using Words = std::string;

template <size_t N>
Words pick(Rng& rng, const std::array<const char*, N>& from) {
  return from[rng.below(N)];
}

constexpr std::array<const char*, 4> k_scopes = {"cta", "cluster", "gpu", "sys"};
// Places of each space, those that ask most of a compiler more than once.
constexpr std::array<const char*, 8> k_global = {"p", "p", "p", "q", "q", "w", "p", "q"};
constexpr std::array<const char*, 6> k_generic = {"u", "u", "u", "k", "h", "u"};
constexpr std::array<const char*, 5> k_shared = {"s", "s", "t", "t", "t"};

struct Place {
  Words space;  // "", ".global", ".shared", ".shared::cta", ".shared::cluster", ".local"
  char letter;
};
Place draw_place(Rng& rng) {
  const uint64_t n = rng.below(100);
  if (n < 38) return {".global", pick(rng, k_global)[0]};
  if (n < 58) return {"", pick(rng, k_generic)[0]};
  if (n < 80) return {".shared", pick(rng, k_shared)[0]};
  if (n < 85) return {".shared::cta", pick(rng, k_shared)[0]};
  if (n < 98) return {".shared::cluster", 'c'};
  return {".local", 'l'};
}

Words draw_type(Rng& rng) {
  static constexpr std::array<const char*, 14> types = {"b32", "u32", "s32", "f32", "b64", "u64",  "f64",
                                                        "b16", "u16", "b8",  "u8",  "s8",  "b128", "u64"};
  return pick(rng, types);
}

// "v2.u32"; a vector has at most 256 bits, and only global memory has more than 128.
Words draw_shape(Rng& rng, const Place& p) {
  if (!rng.chance(0.15)) return draw_type(rng);
  static constexpr std::array<const char*, 8> usual = {"v2.u32", "v4.u32", "v2.u64", "v4.f32",
                                                       "v2.b16", "v4.b8",  "v2.f64", "v4.b16"};
  static constexpr std::array<const char*, 2> wide = {"v8.b32", "v4.b64"};
  return p.space == ".global" && rng.chance(0.1) ? pick(rng, wide) : pick(rng, usual);
}

uint32_t draw_number(Rng& rng) { return 1 + static_cast<uint32_t>(rng.below(4)); }

Instruction made(const Words& words, char place, uint32_t number) {
  const auto i = instruction_of(words, place, number, Guard::none);
  FENCEPOST_INVARIANT(i.has_value(), "a drawn instruction is known");
  return *i;
}

Instruction plain(Rng& rng) {
  Place p = draw_place(rng);
  if (p.space == ".local" || p.space == ".shared::cluster") p = {".global", 'p'};
  const Words type = rng.chance(0.7) ? Words("u32") : draw_type(rng);
  const Words head = rng.chance(0.5) ? "ld" : "st";
  return made(fmt::format("{}.weak{}.{}", head, p.space, type), p.letter, draw_number(rng));
}

Instruction load_or_store(Rng& rng) {
  const Place p = draw_place(rng);
  const bool load = rng.chance(0.5);
  const Words head = load ? "ld" : "st", scope = pick(rng, k_scopes), shape = draw_shape(rng, p);
  const uint32_t number = draw_number(rng);
  const auto with = [&](const Words& order) { return made(head + order + p.space + "." + shape, p.letter, number); };
  switch (rng.below(10)) {
    case 0:
      return with(".weak");
    case 1:
      return with(".volatile");
    case 2:
      return made(fmt::format("{}.mmio.relaxed.sys.global.{}", head, draw_type(rng)), 'p', number);
    case 3: {
      static constexpr std::array<const char*, 5> loads = {"ca", "cg", "cs", "lu", "cv"};
      static constexpr std::array<const char*, 4> stores = {"wb", "cg", "cs", "wt"};
      return made(fmt::format("{}{}.{}.{}", head, p.space, load ? pick(rng, loads) : pick(rng, stores), shape),
                  p.letter, number);
    }
    case 4:
      return load && rng.chance(0.3) ? made("ld.global.nc." + shape, 'p', number) : with(".relaxed." + scope);
    case 5:
    case 6:
      return with(".relaxed." + scope);
    default:
      return with((load ? ".acquire." : ".release.") + scope);
  }
}

Words draw_operation(Rng& rng, bool has_result) {
  static constexpr std::array<const char*, 40> all = {
      "add.u32",         "add.s32",        "add.u64",          "add.u64",  "add.f32",  "add.f64",  "add.noftz.f16",
      "add.noftz.f16x2", "add.noftz.bf16", "add.noftz.bf16x2", "min.s32",  "min.u32",  "max.u64",  "max.s64",
      "min.s64",         "min.u64",        "max.u32",          "and.b32",  "and.b64",  "or.b32",   "or.b64",
      "xor.b32",         "xor.b64",        "inc.u32",          "dec.u32",  "add.u64",  "add.f32",  "add.u32",
      "add.v2.f32",      "add.v4.f32",     "exch.b32",         "exch.b64", "exch.b32", "exch.b64", "exch.b128",
      "cas.b32",         "cas.b64",        "cas.b16",          "cas.b128", "cas.b64"};
  return all[rng.below(has_result ? all.size() : 30)];
}

Instruction atomic(Rng& rng) {
  Place p = draw_place(rng);
  if (p.space == ".local") p = {".shared", 's'};
  const bool has_result = rng.chance(0.65);
  static constexpr std::array<const char*, 4> orders = {"relaxed", "acquire", "release", "acq_rel"};
  static constexpr std::array<const char*, 2> reductions = {"relaxed", "release"};
  const Words order = has_result ? pick(rng, orders) : pick(rng, reductions),
              operation = draw_operation(rng, has_result);
  if (operation.find(".v") != Words::npos) p = {".global", 'p'};
  const Words scoped = rng.chance(0.95) ? "." + order + "." + pick(rng, k_scopes) : Words();
  return made(fmt::format("{}{}{}.{}", has_result ? "atom" : "red", scoped, p.space, operation), p.letter,
              draw_number(rng));
}

Instruction ordering(Rng& rng) {
  static constexpr std::array<const char*, 34> all = {"fence.sc.cta",
                                                      "fence.sc.cluster",
                                                      "fence.sc.gpu",
                                                      "fence.sc.sys",
                                                      "fence.acq_rel.cta",
                                                      "fence.acq_rel.cluster",
                                                      "fence.acq_rel.gpu",
                                                      "fence.acq_rel.sys",
                                                      "fence.acq_rel.gpu",
                                                      "fence.acquire.cta",
                                                      "fence.acquire.cluster",
                                                      "fence.acquire.gpu",
                                                      "fence.acquire.sys",
                                                      "fence.release.cta",
                                                      "fence.release.cluster",
                                                      "fence.release.gpu",
                                                      "fence.release.sys",
                                                      "membar.cta",
                                                      "membar.gl",
                                                      "membar.sys",
                                                      "fence.sc.gpu",
                                                      "fence.acq_rel.cta",
                                                      "fence.proxy.alias",
                                                      "fence.proxy.async",
                                                      "fence.proxy.async.global",
                                                      "fence.proxy.async.shared::cta",
                                                      "fence.proxy.async.shared::cluster",
                                                      "fence.proxy.tensormap::generic.release.gpu",
                                                      "fence.proxy.tensormap::generic.acquire.gpu",
                                                      "bar.sync",
                                                      "barrier.sync",
                                                      "bar.sync",
                                                      "barrier.cluster.release+acquire",
                                                      "barrier.cluster.relaxed+acquire"};
  return made(pick(rng, all), 0, 0);
}

// One value in three that is written or taken is a constant.
Value draw_value(Rng& rng, const Instruction& i) {
  if (!i.is_access() || !i.writes() || !rng.chance(0.35)) return Value::parameter;
  static constexpr std::array<Value, 4> all = {Value::zero, Value::one, Value::ones, Value::real};
  return all[rng.below(i.is_real() ? 4 : 3)];
}

}  // namespace

PtxTest draw_test(uint64_t seed, uint64_t number) {
  Rng rng(seed * 0x9e3779b97f4a7c15u + number);
  PtxTest t;
  t.loop = rng.chance(0.12);
  const uint64_t size = 1 + rng.below(5);
  const uint64_t main = rng.below(size);
  for (uint64_t k = 0; k < size; ++k) {
    const uint64_t kind = k == main ? 3 + rng.below(7) : rng.below(8);
    Instruction i = kind < 3 ? plain(rng) : kind < 6 ? load_or_store(rng) : kind < 9 ? atomic(rng) : ordering(rng);
    if (kind == 7 && k != main) i = ordering(rng);
    if (i.is_access() && rng.chance(0.08)) i.guard = rng.chance(0.5) ? Guard::predicate : Guard::branch;
    i.value = draw_value(rng, i);
    i.unused = i.is_access() && i.reads() && rng.chance(i.kind == Kind::atomic ? 0.35 : 0.15);
    t.body.push_back(i);
  }
  t.late = rng.chance(0.3);
  return t;
}

}  // namespace fencepost::hunt
