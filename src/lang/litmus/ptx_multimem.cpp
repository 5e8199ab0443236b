// Operations on multimem addresses (PTX ISA 9.4, 8.2.3, 9.7.10.13, 9.7.10.15, 9.7.10.28.4.4, 9.7.10.28.4.5). One such
// address stands for several locations: an operation on it is an access to each of them, in no order, through the
// generic proxy (the copies: the async proxy), by a virtual address of its own. Whether that address is an alias of the
// locations' own (8.2.2) is left open by the text: a reading of the model (MM).
#include <fmt/format.h>

#include "litmus/ptx_operation.h"

namespace fencepost::litmus {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using prog::Tag;
using prog::TagSet;
using term::Expr;

class Multimem : public Operation {
 public:
  using Operation::Operation;

  void run() {
    const Meaning meaning = w_.form->meaning;
    for (size_t k = 0; k < w_.locations.size(); ++k)
      if (k == 0 || vector()) check_address(w_.locations[k]);  // of a copy the second is its source
    if (meaning != Meaning::multimem_red) check_order_and_scope();
    check_vector();
    switch (meaning) {
      case Meaning::multimem_load:
        return load_reduce();
      case Meaning::multimem_store:
      case Meaning::multimem_red:
        return store_or_reduce();
      case Meaning::multimem_store_async:
      case Meaning::multimem_red_async:
        return store_or_reduce_async();
      default:
        return copy();
    }
  }

 private:
  bool vector() const { return w_.has("v2") || w_.has("v4") || w_.has("v8"); }

  // "Address operand must be a multimem address. Otherwise, the behavior is undefined."
  void check_address(prog::SymbolId s) const {
    if (b_.multimem(s) == nullptr)
      fail(fmt::format("{} is not a multimem address", name_of(s)),
           fmt::format("declare one as in 'mm @ multimem {}, y'", name_of(s)));
  }
  // 9.7.10.15: "the size of the specified type along with .vec must equal 32, 64 or 128 bits".
  void check_vector() const {
    uint32_t bits = 0;
    for (const std::string_view w : w_.words) {
      if (w == "f64") bits = 64;
      if (w == "f32" || w == "f16x2" || w == "bf16x2" || w.ends_with("x4")) bits = 32;
      if (w == "f16" || w == "bf16" || w == "e5m2x2" || w == "e4m3x2") bits = 16;
      if (w == "e5m2" || w == "e4m3") bits = 8;
    }
    if (w_.form->meaning > Meaning::multimem_red || bits == 0) return;
    const uint32_t all = bits * (w_.has("v2") ? 2 : w_.has("v4") ? 4 : w_.has("v8") ? 8 : 1);
    if (all != 32 && all != 64 && all != 128)
      fail(fmt::format("{} bits in all", all), "the type and the vector together have 32, 64 or 128 bits");
    const bool small = bits <= 16 || !w_.has("f32");
    if (w_.has("acc::f32") && !(w_.has("f16") || w_.has("f16x2") || w_.has("bf16") || w_.has("bf16x2")))
      fail(".acc::f32 is that of f16 and bf16", "leave it away");
    if (w_.has("acc::f16") && (!small || w_.has("f16") || w_.has("f16x2") || w_.has("bf16") || w_.has("bf16x2")))
      fail(".acc::f16 is that of e5m2 and e4m3", "leave it away");
    if (w_.has("f32") && (w_.has("min") || w_.has("max"))) fail("'f32' has no min and max", "write .add");
  }

  TagSet tags(std::string_view order, std::string_view scope) const {
    TagSet out = {Tag::GEN, Tag::ALIAS, Tag::VEC, order_tag(w_.sem, order)};
    if (!out.has(Tag::WEAK)) out.add(scope_tag(w_.scope, scope));
    return out;
  }

  // The operation on all values that are read. Of a vector one operand after the other.
  void load_reduce() {
    for (size_t k = 0; k < w_.lists.size(); ++k) {
      std::vector<Expr> read;
      for (const prog::SymbolId s : w_.lists[k]) {
        Instr& i = event(Kind::load, tags("weak", "sys") | TagSet{Tag::R});
        i.dst = t_.temporary();
        i.addr.symbol = s;
        read.push_back(t_.value_of(i.dst));
      }
      Expr all = read.front();
      for (size_t j = 1; j < read.size(); ++j) all = reduced(all, read[j]);
      Instr result;
      result.kind = Kind::local;
      result.dst = w_.registers[k];
      result.value = all;
      if (result.dst != k_none) emit(std::move(result));
    }
  }

  void store_or_reduce() {
    const bool reduces = w_.form->meaning == Meaning::multimem_red;
    for (size_t k = 0; k < w_.lists.size(); ++k)
      for (const prog::SymbolId s : w_.lists[k]) {
        TagSet t = tags(reduces ? "relaxed" : "weak", "sys");
        if (!reduces) {
          Instr& i = event(Kind::store, t | TagSet{Tag::W});
          i.addr.symbol = s;
          i.value = w_.values[k];
          continue;
        }
        t.add(Tag::RMW);
        Instr& i = event(Kind::rmw, {});
        i.store_tags = t | TagSet{Tag::W};
        t.remove(Tag::REL).add(Tag::RLX);
        i.tags = t | TagSet{Tag::R, Tag::RED};
        i.addr.symbol = s;
        i.value = reduced(term::variable(prog::k_old_value, 64), w_.values[k]);
      }
  }

  // As st.async.release and red.async.release, at each location.
  void store_or_reduce_async() {
    for (const prog::SymbolId s : w_.lists[0]) {
      const TagSet t = {Tag::GEN, Tag::ALIAS, scope_tag(w_.scope, "sys")};
      if (w_.form->meaning == Meaning::multimem_store_async)
        store(t | TagSet{Tag::REL}, s, w_.values[0]);
      else
        reduce(t | TagSet{Tag::RLX}, s, w_.values[0], Tag::REL);
    }
  }

  // A bulk copy or reduction into all locations.
  void copy() {
    check_size({});
    const bool strong = w_.sem == "relaxed", reduces = w_.form->meaning == Meaning::multimem_reduce;
    if (!reduces && strong != w_.has("b128"))
      fail(fmt::format("{} has .relaxed and .b128 together, or neither", litmus::quoted(m_.text())),
           "a weak copy has no type");
    in_space(w_.locations[1], true, true);
    const uint64_t first = w_.byte_mask && w_.byte_mask->is_const() ? w_.byte_mask->value() & 0xff : 0xff;
    if ((w_.byte_mask && !w_.byte_mask->is_const()) || (first != 0 && first != 0xff))
      refuse("a byte mask that has a part of a location", "write a number whose low 8 bits are all 1 or all 0");
    if (first != 0) {
      const TagSet weak = {Tag::ASYNC, Tag::WEAK};
      const Expr value = load(reduces ? weak : bulk_tags(), w_.locations[1]);
      for (const prog::SymbolId s : w_.lists[0])
        if (reduces)
          reduce({Tag::ASYNC, Tag::ALIAS, Tag::RLX, scope_tag(w_.scope, "sys")}, s, value);
        else
          store(bulk_tags() | TagSet{Tag::ALIAS}, s, value);
    }
    track(1);
  }
};

}  // namespace

void lower_multimem(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m, Written w) {
  Multimem(c, b, t, m, std::move(w)).run();
}

}  // namespace fencepost::litmus
