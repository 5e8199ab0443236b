// Tensor copies (PTX ISA 9.4, 9.7.10.28.5, 9.7.10.29, 9.7.15.17). A tensor map of a test says which locations are the
// boxes of its tensor, and its value is the number of the first one, as the global address of a descriptor is; what
// tensormap.replace or a store to the map changes is that number. A copy reads the map through the tensormap proxy,
// then the box, or writes it, through the async proxy.
//
//   box = value of the map + coordinate      at most one coordinate is other than 0
//   no such box                              zeros are read, nothing is written: out of bounds (5.5.3.3)
//   value of the map outside of its boxes    undefined-behavior: the descriptor has an address that is not the tensor's
//
// Which bytes a box has (interleave, swizzle, im2col) changes no order: a mode of im2col without offsets is as the
// tile.
// A location that is no declared map may be given to a copy into shared memory: what is copied is then its value, which
// tells which descriptor was read.
#include <fmt/format.h>

#include <algorithm>

#include "litmus/ptx_operation.h"

namespace fencepost::litmus {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using prog::Tag;
using prog::TagSet;
using term::Expr;
using term::Op;

class TensorCopy : public Operation {
 public:
  using Operation::Operation;

  void run() {
    switch (w_.form->meaning) {
      case Meaning::tensor_replace:
        return replace();
      case Meaning::tensor_copy_and_fence:
        return copy_and_fence();
      case Meaning::tensor_load:
        check(w_.locations[1]);
        return load_boxes();
      case Meaning::tensor_prefetch:
        check(w_.locations[0]);
        return prefetch();
      default:
        check(w_.locations[0]);
        return store_boxes();
    }
  }

 private:
  bool rows() const { return w_.has("tile::gather4") || w_.has("tile::scatter4"); }

  // 9.7.10.28.5.3: coordinates as many as dimensions, but a column and four rows of gather4 and scatter4.
  void check(prog::SymbolId map) {
    in_space(map, false, false);
    const std::string dimension = w_.mnemonic.substr(w_.mnemonic.find("tensor.") + 7, 1);
    if (rows() && dimension != "2") fail("four rows are those of a tensor of two dimensions", "write .2d");
    const bool flat = dimension == "1" || dimension == "2";
    if (flat && w_.mnemonic.find("im2col") != std::string::npos)
      fail("an im2col mode asks for three dimensions or more", "write .3d, .4d or .5d");
    const size_t many = rows() ? 5 : static_cast<size_t>(dimension.front() - '0');
    if (w_.coordinates.size() != many)
      fail(fmt::format("{} coordinates, and {} has {}", w_.coordinates.size(), m_.text(), many),
           rows() ? "a column and four rows" : "one coordinate for each dimension");
    check_im2col(many);
    check_overrides(many);
    if (!prog::is_tensor_map(object(map))) check_plain(map);
    const auto other = [](const Expr& e) { return !e.is_const(0); };
    if (rows() ? other(w_.coordinates[0]) : std::count_if(w_.coordinates.begin(), w_.coordinates.end(), other) > 1)
      refuse("boxes in more than one dimension", "one coordinate of a litmus test is other than 0");
  }
  void check_im2col(size_t dimensions) {
    if (w_.im2col.empty()) return;
    const size_t many = w_.has("im2col") ? dimensions - 2 : 2;
    if (w_.im2col.size() != many)
      fail(fmt::format("{} values for im2col, and {} has {}", w_.im2col.size(), m_.text(), many),
           ".im2col has two less than dimensions, .im2col::w and .im2col::w::128 have two");
    if (std::any_of(w_.im2col.begin(), w_.im2col.end(), [](const Expr& e) { return !e.is_const(0); }))
      refuse("im2col offsets other than 0", "write 0");
  }
  // 9.7.10.28.5.2.2: coordinates must be zero, and the mode tile.
  void check_overrides(size_t dimensions) {
    if (!w_.has("override::global_dim") && !w_.has("override::global_dim_stride")) return;
    if (w_.has("override::global_dim") != (dimensions == 1))
      fail(".override::global_dim is that of one dimension", "others write .override::global_dim_stride");
    if (!w_.base) fail("other dimensions ask for another address", "write .override::global_address too");
    if (w_.sizes.size() != dimensions)
      fail(fmt::format("{} sizes for {} dimensions", w_.sizes.size(), dimensions), "write one for each");
    if (w_.mnemonic.find("im2col") != std::string::npos || rows())
      fail("other dimensions are those of the mode tile", "leave the mode away");
    const auto bad = [](const Expr& e, bool zero) { return !e.is_const() || (e.value() == 0) != zero; };
    if (std::any_of(w_.coordinates.begin(), w_.coordinates.end(), [&](const Expr& e) { return bad(e, true); }))
      fail("coordinates other than 0 beside other dimensions are undefined", "write 0");
    if (std::any_of(w_.sizes.begin(), w_.sizes.end(), [&](const Expr& e) { return bad(e, false); }))
      refuse("sizes that are 0 or in registers", "write numbers from 1 on");
  }
  // A location that is no declared map.
  void check_plain(prog::SymbolId map) {
    const std::string hint = fmt::format("declare it with its boxes, as in '{} @ tensormap x'", name_of(map));
    if (w_.form->meaning != Meaning::tensor_load) fail(fmt::format("{} is not a tensor map", name_of(map)), hint);
    if (w_.base || rows() || !w_.coordinates[0].is_const(0) || w_.coordinates.size() > 1)
      fail(fmt::format("{} has no boxes, and the one coordinate 0", name_of(map)), hint);
  }

  std::vector<prog::SymbolId> boxes_of(prog::SymbolId map) const { return prog::boxes_of(b_.test, object(map)); }

  // The number of the first box; the map is read even where its address is not used.
  Expr first_box(prog::SymbolId map) {
    const Expr value = load({Tag::TMAP, Tag::WEAK}, map);
    const Expr first = w_.base ? *w_.base : value;
    undefined_if(term::binary(Op::uge, first, number(boxes_of(map).size())));
    return first;
  }
  // The numbers of the boxes of the copy: one, or one for each row.
  std::vector<Expr> numbers(const Expr& first) const {
    std::vector<Expr> out;
    if (rows()) {
      for (size_t k = 1; k < w_.coordinates.size(); ++k) out.push_back(term::binary(Op::add, first, w_.coordinates[k]));
    } else {
      Expr box = first;
      for (const Expr& e : w_.coordinates)
        if (!e.is_const(0)) box = term::binary(Op::add, box, e);
      out.push_back(box);
    }
    return out;
  }
  // f(location) in an instruction that is executed where the number is that of the location.
  template <class F>
  void for_each_box(prog::SymbolId map, const Expr& number_of_box, const F& f) {
    const std::vector<prog::SymbolId> boxes = boxes_of(map);
    for (size_t k = 0; k < boxes.size(); ++k) {
      const Expr here = term::binary(Op::eq, number_of_box, number(k));
      if (here.is_const(0)) continue;
      const prog::RegId p = here.is_const() ? k_none : predicate(here);
      f(boxes[k], p);
    }
  }
  Expr read_box(prog::SymbolId map, const Expr& number_of_box) {
    Expr out = number(0);
    for_each_box(map, number_of_box, [&](prog::SymbolId box, prog::RegId p) {
      const Expr value = load({Tag::ASYNC, Tag::WEAK}, box);
      t_.instructions().back().predicate = p;
      out = p == k_none ? value : term::ite(term::binary(Op::ne, t_.value_of(p), number(0)), value, out);
    });
    return out;
  }

  // ---- into shared memory ----
  // Of a multicast, one destination in each CTA, and of each a copy of its own; of gather4 one for each row.
  void load_boxes() {
    const prog::SymbolId map = w_.locations[1];
    const std::vector<prog::SymbolId> to = w_.lists[0];
    const size_t per_copy = rows() ? 4 : 1;
    if (rows() && w_.mask) refuse(".tile::gather4 beside .multicast::cluster", "write one of them");
    if (rows() && to.size() != 4) fail("gather4 has four rows", "write four locations, as in [{a, b, c, d}]");
    if (to.size() / per_copy != w_.mbarriers.size())
      fail("the lists of destinations and of mbarriers differ in length", "write one mbarrier for each destination");
    if (w_.mask || (!rows() && to.size() > 1)) check_mask(to);
    for (size_t k = 0; k < w_.mbarriers.size(); ++k) {
      if (k > 0) next_operation();
      for (size_t r = 0; r < per_copy; ++r) in_space(to[k + r], true, w_.has("shared::cta"));
      signal(to[k], w_.mbarriers[k]);
      if (!prog::is_tensor_map(object(map))) {
        store({Tag::ASYNC, Tag::WEAK}, to[k], load({Tag::TMAP, Tag::WEAK}, map));
      } else {
        const std::vector<Expr> boxes = numbers(first_box(map));
        for (size_t r = 0; r < boxes.size(); ++r) store({Tag::ASYNC, Tag::WEAK}, to[k + r], read_box(map, boxes[r]));
      }
      complete(w_.mbarriers[k], k_box * per_copy);
      track(1);  // a group may tell that its map was read
    }
  }
  // .cta_group::2: "either the same CTA as the shared memory destination or its peer-CTA", the other of a pair.
  void signal(prog::SymbolId destination, prog::SymbolId m) {
    if (!w_.has("cta_group::2")) return signal_with(destination, m);
    at_mbarrier(m, false);
    const uint32_t there = object(destination).home, here = object(m).home;
    const bool pair = same_cluster(b_, there, here) && cta_rank(b_, there) / 2 == cta_rank(b_, here) / 2;
    const bool even = cta_rank(b_, here) % 2 == cta_rank(b_, object(w_.mbarrier).home) % 2;
    if (!pair || !even) undefined_if(number(1));
  }

  void prefetch() {
    const prog::SymbolId map = w_.locations[0];
    for (const Expr& box : numbers(first_box(map))) read_box(map, box);
  }

  // ---- from shared memory ----
  void store_boxes() {
    const prog::SymbolId map = w_.locations[0];
    const std::vector<prog::SymbolId>& from = w_.lists[1];
    if (from.size() != (rows() ? 4 : 1))
      fail(rows() ? "scatter4 has four rows" : "a tensor copy has one source", "write as many locations");
    for (const prog::SymbolId s : from) in_space(s, true, true);
    const std::vector<Expr> boxes = numbers(first_box(map));
    const bool reduces = w_.form->meaning == Meaning::tensor_reduce;
    for (size_t r = 0; r < boxes.size(); ++r) {
      const Expr value = load({Tag::ASYNC, Tag::WEAK}, from[r]);
      for_each_box(map, boxes[r], [&](prog::SymbolId box, prog::RegId p) {
        // 9.7.10.28.5.4: "individually .relaxed.gpu"
        if (reduces)
          reduce({Tag::ASYNC, Tag::RLX, Tag::GPU}, box, value);
        else
          store({Tag::ASYNC, Tag::WEAK}, box, value);
        t_.instructions().back().predicate = p;
      });
    }
    track(1);
  }

  // ---- tensor maps themselves: weak operations through the generic proxy ----
  void replace() {
    const prog::SymbolId map = w_.locations[0];
    const bool shared = object(map).home != k_none;
    if (w_.has("shared::cta") || shared) in_space(map, w_.has("shared::cta") || !w_.has("global"), true);
    Instr& i = event(Kind::store, {Tag::W, Tag::GEN, Tag::WEAK});
    i.addr.symbol = map;
    i.value = w_.values[0];
  }

  // "Performs a memory copy from the source to the destination, then a uni-directional proxy fence" (9.7.15.17).
  void copy_and_fence() {
    in_space(w_.locations[0], false, false);
    in_space(w_.locations[1], true, true);
    Instr& read = event(Kind::load, {Tag::R, Tag::GEN, Tag::WEAK});
    read.dst = t_.temporary();
    read.addr.symbol = w_.locations[1];
    const Expr value = t_.value_of(read.dst);
    Instr& write = event(Kind::store, {Tag::W, Tag::GEN, Tag::WEAK});
    write.addr.symbol = w_.locations[0];
    write.value = value;
    event(Kind::fence, {Tag::F, Tag::REL, Tag::TMAP, scope_tag(w_.scope, "sys")});
  }
};

}  // namespace

void lower_tensor(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m, Written w) {
  TensorCopy(c, b, t, m, std::move(w)).run();
}

}  // namespace fencepost::litmus
