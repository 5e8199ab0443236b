#include "oracle/program.h"

#include <algorithm>
#include <bit>

namespace fencepost::oracle {

Program::Field Program::place(uint32_t bits) {
  if (bits_ + bits > 64) {
    ++words_;
    bits_ = 0;
  }
  Field f{words_ - 1, bits_, bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1, 0};
  if (bits == 0) f.shift = 0;
  bits_ += bits;
  return f;
}

void Program::compile(const axb::Test& test, Rider rider) {
  rider_ = rider;
  threads_ = static_cast<uint32_t>(test.threads.size());
  words_ = 1;
  bits_ = 0;
  live_at_start_ = 0;
  pcs_.resize(threads_);
  for (uint32_t t = 0; t < threads_; ++t) {
    const auto length = static_cast<uint32_t>(test.threads[t].code.size());
    pcs_[t] = place(static_cast<uint32_t>(std::bit_width(length)));
    pcs_[t].last = length;
    if (length != 0) live_at_start_ |= fair::ThreadSet{1} << t;
  }

  const auto locations = static_cast<uint32_t>(test.locations.size());
  values_.clear();
  value_base_.resize(locations + 1);
  locations_.resize(locations);
  for (uint32_t l = 0; l < locations; ++l) {
    const auto base = static_cast<uint32_t>(values_.size());
    value_base_[l] = base;
    values_.push_back(test.locations[l].init);
    for (const axb::Thread& thread : test.threads)
      for (const axb::Instr& i : thread.code)
        if (i.location == l && i.exchanges &&
            std::find(values_.begin() + base, values_.end(), i.value) == values_.end())
          values_.push_back(i.value);
    locations_[l] = place(static_cast<uint32_t>(std::bit_width(values_.size() - base - 1)));
  }
  value_base_[locations] = static_cast<uint32_t>(values_.size());
  auto index_of = [&](uint32_t l, axb::Value v) -> uint64_t {
    for (uint32_t k = value_base_[l]; k < value_base_[l + 1]; ++k)
      if (values_[k] == v) return k - value_base_[l];
    return ~uint64_t{0};
  };

  started_.clear();
  if (rider == Rider::started)
    for (uint32_t t = 0; t < threads_; ++t) started_.push_back(place(1));
  if (rider == Rider::machine) machine_ = place(32);

  ops_.clear();
  op_base_.resize(threads_);
  for (uint32_t t = 0; t < threads_; ++t) {
    op_base_[t] = static_cast<uint32_t>(ops_.size());
    const Field& pc = pcs_[t];
    for (uint32_t k = 0; k < pc.last; ++k) {
      const axb::Instr& i = test.threads[t].code[k];
      const Field& l = locations_[i.location];
      Op o;
      o.check = index_of(i.location, i.check);
      o.location_mask = l.mask;
      o.location_shift = l.shift;
      o.location_word = l.word;
      o.pc_word = pc.word;
      o.pc_clear = pc.mask << pc.shift;
      // "jump" is what follows an equal value, "next" what follows another.
      o.pc_jump = uint64_t{i.unless ? k + 1 : i.jump} << pc.shift;
      o.pc_next = uint64_t{i.unless ? i.jump : k + 1} << pc.shift;
      if (i.compares) o.kept = 0;
      if (i.exchanges) {
        o.location_clear = l.mask << l.shift;
        o.location_set = index_of(i.location, i.value) << l.shift;
      }
      if (rider == Rider::started) {
        o.started_word = started_[t].word;
        o.started = uint64_t{1} << started_[t].shift;
      }
      o.clear = o.pc_clear | o.location_clear;
      o.clear_next = o.pc_clear | (o.location_clear & o.kept);
      o.jump = o.pc_jump | o.location_set | o.started;
      o.next = o.pc_next | (o.location_set & o.kept) | o.started;
      ops_.push_back(o);
    }
  }
}

void Program::initial(uint64_t* state) const { std::fill(state, state + words_, 0); }

fair::ThreadSet Program::live(const uint64_t* state) const {
  fair::ThreadSet s = 0;
  for (uint32_t t = 0; t < threads_; ++t) s |= fair::ThreadSet{live(state, t)} << t;
  return s;
}

fair::ThreadSet Program::started(const uint64_t* state) const {
  fair::ThreadSet s = 0;
  for (uint32_t t = 0; t < threads_; ++t) s |= get(state, started_[t]) << t;
  return s;
}

void Program::step(const uint64_t* from, uint64_t* to, uint32_t t) const {
  const Op& o = op(t, pc(from, t));
  const bool jumps = ((from[o.location_word] >> o.location_shift) & o.location_mask) == o.check;
  std::copy(from, from + words_, to);
  const uint64_t kept = jumps ? ~uint64_t{0} : o.kept;
  to[o.location_word] = (to[o.location_word] & ~(o.location_clear & kept)) | (o.location_set & kept);
  to[o.pc_word] = (to[o.pc_word] & ~o.pc_clear) | (jumps ? o.pc_jump : o.pc_next);
  to[o.started_word] |= o.started;
}

fair::Step Program::describe(const axb::Test& test, const uint64_t* from, uint32_t t) const {
  const uint32_t at = pc(from, t);
  const axb::Instr& i = test.threads[t].code[at];
  fair::Step s;
  s.location = i.location;
  s.compared = i.check;
  const axb::Value old = value(from, i.location);
  s.exchanged = axb::writes(i, old);
  s.exchanged_value = s.exchanged ? i.value : 0;
  s.jumped = axb::jumps(i, old);
  return s;
}

}  // namespace fencepost::oracle
