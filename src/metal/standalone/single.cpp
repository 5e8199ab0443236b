#include "standalone/single.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "plan/plan.h"
#include "plan/role.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::standalone {
namespace {

using namespace plan;

using code::Statement;
using term::Expr;
using vocab::Tag;
using List = std::vector<Statement>;

Expr c32(uint64_t v) { return term::constant(v, 32); }

struct Refused {
  Diagnostics why;
};
[[noreturn]] void refuse(const Span& span, std::string what, std::string hint = {}) {
  throw Refused{unsupported_at(span, std::move(what), std::move(hint)).error()};
}

// A name that is an identifier and none of `taken`.
std::string identifier(const std::string& name, std::set<std::string>& taken) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out = "x" + out;
  while (!taken.insert(out).second) out += "_";
  return out;
}

class Maker {
 public:
  Maker(const prog::Test& test, const SingleOptions& options) : t_(test), options_(options) { out_.test = test; }

  Single run(const Program& program) {
    for (const prog::Symbol& y : t_.symbols)
      if (y.aliased != prog::k_none)
        refuse(y.span, fmt::format("'{}' is another reference to its memory, and a text has one for each", y.name));
    out_.tree = program.tree;
    out_.loops = program.loops;
    out_.observables = program.observables;
    narrow_ = program.narrow && !options_.wide;
    shape();
    objects(program);
    out_.kernel.name = "test";
    group_ = code::add_variable(out_.kernel, "group");
    lane_ = code::add_variable(out_.kernel, "lane");
    if (pointers_) lay_out_together();
    roles(program);
    if (!pointers_) lay_out_apart();
    results();
    assemble();
    return std::move(out_);
  }

 private:
  Expr val(code::Var v) const { return code::value_of(out_.kernel, v); }
  static Expr eq(const Expr& a, uint64_t v) { return term::binary(term::Op::eq, a, c32(v)); }
  uint32_t words_of(prog::ObjectId o) const { return word_width(t_.objects[o].width, narrow_) / 32; }
  uint32_t lane_of(const Seat& s) const { return s.warp * out_.subgroup + s.position; }

  void shape() {
    out_.groups = out_.tree.blocks;
    out_.subgroups = out_.tree.warps;
    out_.subgroup = std::max(out_.tree.positions, options_.subgroup);
    if (options_.subgroup != 0 && out_.tree.positions > options_.subgroup)
      refuse(t_.span,
             fmt::format("{} threads share a subgroup of {} invocations", out_.tree.positions, options_.subgroup));
  }

  // Where objects live. VULKAN: the storage class of the accesses says it, sc1 is a workgroup's memory.
  void objects(const Program& program) {
    shared_ = program.shared;
    std::vector<int> sc1(t_.objects.size(), -1);
    pointers_ = false;
    for (uint32_t th = 0; th < t_.threads.size(); ++th)
      for (const prog::Instr& i : t_.instrs(th)) {
        if (i.kind != prog::Kind::load && i.kind != prog::Kind::store && i.kind != prog::Kind::rmw) continue;
        if (i.addr.symbol == prog::k_none || (i.addr.index && !i.addr.index.is_const())) pointers_ = true;
        if (t_.dialect != vocab::Dialect::vulkan || i.addr.symbol == prog::k_none) continue;
        const prog::ObjectId o = t_.symbols[i.addr.symbol].object;
        const int is = (i.tags | i.store_tags).has(Tag::SC1);
        if (sc1[o] >= 0 && sc1[o] != is)
          refuse(i.span, fmt::format("'{}' is accessed in two storage classes", t_.objects[o].name),
                 "a location is in one");
        sc1[o] = is;
      }
    for (prog::ObjectId o = 0; o < sc1.size(); ++o)
      if (sc1[o] == 1) shared_[o] = true;
    std::vector<uint32_t> block(t_.objects.size(), prog::k_none);
    for (uint32_t th = 0; th < t_.threads.size(); ++th)
      for (const prog::Instr& i : t_.instrs(th)) {
        if (i.addr.symbol == prog::k_none || i.kind == prog::Kind::local) continue;
        const prog::ObjectId o = t_.symbols[i.addr.symbol].object;
        if (!shared_[o]) continue;
        if (block[o] != prog::k_none && block[o] != out_.tree.seats[th].block)
          refuse(i.span,
                 fmt::format("'{}' is in the memory of a workgroup, and threads of two access it", t_.objects[o].name));
        block[o] = out_.tree.seats[th].block;
      }
    owner_ = block;
    base_.assign(t_.objects.size(), 0);
    for (prog::ObjectId o = 0; o < t_.objects.size(); ++o)
      if (shared_[o]) {
        base_[o] = out_.kernel.shared_words;
        out_.kernel.shared_words += (words_of(o) * static_cast<uint32_t>(t_.objects[o].init.size()) + 1) / 2 * 2;
      }
  }

  void lay_out_together() {
    uint32_t end = 0;
    for (prog::ObjectId o = 0; o < t_.objects.size(); ++o)
      if (!shared_[o]) {
        base_[o] = end;
        end += (words_of(o) * static_cast<uint32_t>(t_.objects[o].init.size()) + 1) / 2 * 2;
      }
    Single::Buffer b;
    b.words.resize(end);
    for (prog::ObjectId o = 0; o < t_.objects.size(); ++o)
      if (!shared_[o]) put_initial(o, b.words, base_[o]);
    out_.kernel.buffers.push_back({"memory", false});
    out_.buffers.push_back(std::move(b));
    buffer_.assign(t_.objects.size(), 0);
    taken_.insert("memory");
  }

  // Constant places: a buffer for each object. Roles were made as if object o began at o * k_apart.
  void lay_out_apart() {
    buffer_.assign(t_.objects.size(), 0);
    for (prog::ObjectId o = 0; o < t_.objects.size(); ++o) {
      if (shared_[o]) continue;
      buffer_[o] = static_cast<uint32_t>(out_.kernel.buffers.size());
      Single::Buffer b;
      b.words.resize(words_of(o) * t_.objects[o].init.size());
      put_initial(o, b.words, 0);
      out_.kernel.buffers.push_back({identifier(t_.objects[o].name, taken_), false});
      out_.buffers.push_back(std::move(b));
    }
    for (code::Operation& op : out_.kernel.operations) {
      if (!op.place.index || op.place.buffer == code::k_shared) continue;
      FENCEPOST_INVARIANT(op.place.index.is_const(), "a place that was to be constant is not");
      const uint64_t at = op.place.index.value();
      op.place.buffer = buffer_[at / k_apart];
      op.place.index = c32(at % k_apart);
    }
    base_.assign(base_.size(), 0);
    uint32_t end = 0;
    for (prog::ObjectId o = 0; o < t_.objects.size(); ++o)
      if (shared_[o]) {
        base_[o] = end;
        end += (words_of(o) * static_cast<uint32_t>(t_.objects[o].init.size()) + 1) / 2 * 2;
      }
  }

  void put_initial(prog::ObjectId o, std::vector<uint32_t>& words, uint32_t at) const {
    const prog::Object& object = t_.objects[o];
    for (size_t c = 0; c < object.init.size(); ++c) {
      words[at + c * words_of(o)] = static_cast<uint32_t>(object.init[c]);
      if (words_of(o) == 2) words[at + c * 2 + 1] = static_cast<uint32_t>(object.init[c] >> 32);
    }
  }

  static constexpr uint64_t k_apart = 1u << 16;

  void roles(const Program& program) {
    for (uint32_t th = 0; th < t_.threads.size(); ++th) {
      RoleContext c{
          t_, program.values, narrow_, shared_, std::vector<uint32_t>(t_.objects.size(), 0), c32(options_.spin_limit),
          {}};
      for (prog::ObjectId o = 0; o < t_.objects.size(); ++o)
        c.bases.push_back(c32(shared_[o] || pointers_ ? base_[o] : o * k_apart));
      const size_t first = out_.kernel.operations.size();
      auto code = role_code(out_.kernel, th, c);
      if (!code) throw Refused{code.error()};
      // The address variables of instructions are constants here.
      const auto at = [&](uint64_t v, uint8_t) -> Expr {
        for (uint32_t p = 0; p < code->addresses.size(); ++p)
          if (code->addresses[p] == v) return c.bases[t_.symbols[t_.instrs(th)[p].addr.symbol].object];
        return {};
      };
      for (size_t k = first; k < out_.kernel.operations.size(); ++k)
        if (out_.kernel.operations[k].place.index)
          out_.kernel.operations[k].place.index = term::substitute(out_.kernel.operations[k].place.index, at);
      codes_.push_back(std::move(*code));
    }
  }

  // ---- results ----
  void results() {
    out_buffer_ = static_cast<uint32_t>(out_.kernel.buffers.size());
    out_.kernel.buffers.push_back({identifier("out", taken_), false});
    // One width for all of `out`: some languages have one type for a buffer.
    uint8_t width = 32;
    for (const prog::Observable& o : out_.observables)
      if (o.is_register) {
        const code::Var v = codes_[o.thread].registers[o.reg];
        if (v != code::k_no_var && out_.kernel.variables[v].width == 64) width = 64;
      } else if (shared_[t_.symbols[o.symbol].object] && words_of(t_.symbols[o.symbol].object) == 2) {
        width = 64;
      }
    uint32_t end = 0;
    for (const prog::Observable& o : out_.observables) {
      const prog::ObjectId object = o.is_register ? 0 : t_.symbols[o.symbol].object;
      if (o.is_register || shared_[object]) {
        out_.where.push_back({out_buffer_, end, width});
        end += width / 32;
        continue;
      }
      out_.where.push_back({buffer_[object], static_cast<uint32_t>(base_[object] + o.cell * words_of(object)),
                            word_width(t_.objects[object].width, narrow_)});
    }
    out_.buffers.push_back({std::vector<uint32_t>(std::max(end, 1u))});
  }

  // Registers of a thread to `out`, at its end.
  void report(uint32_t thread, List& body) const {
    for (size_t k = 0; k < out_.observables.size(); ++k) {
      const prog::Observable& o = out_.observables[k];
      if (!o.is_register || o.thread != thread) continue;
      const Single::Where& w = out_.where[k];
      const code::Var v = codes_[thread].registers[o.reg];
      Expr value = term::constant(0, w.width);
      if (v != code::k_no_var)
        value = term::resize(val(v), w.width, false);
      else
        for (const prog::InitValue& i : t_.threads[thread].init)
          if (i.reg == o.reg) value = term::constant(i.value, w.width);
      body.push_back(code::store({w.buffer, c32(w.word), w.width}, value));
    }
  }

  // ---- the kernel ----
  void assemble() {
    List& body = out_.kernel.body;
    body = {code::read_builtin(group_, code::Builtin::group), code::read_builtin(lane_, code::Builtin::lane)};
    for (uint32_t b = 0; b < out_.groups; ++b) {
      List part = block(b);
      if (!part.empty()) body.push_back(code::branch(eq(val(group_), b), std::move(part)));
    }
  }

  List only(uint32_t lane, List list) const { return {code::branch(eq(val(lane_), lane), std::move(list))}; }

  List block(uint32_t b) {
    List out;
    std::vector<uint32_t> threads;
    for (uint32_t th = 0; th < t_.threads.size(); ++th)
      if (out_.tree.seats[th].block == b) threads.push_back(th);
    if (threads.empty()) return out;
    const auto append = [&](List more) {
      out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    List first, last;
    for (prog::ObjectId o = 0; o < t_.objects.size(); ++o)
      if (shared_[o] && owner_[o] == b) copies(o, first, last);
    if (!first.empty()) {
      append(only(0, std::move(first)));
      out.push_back(code::barrier());
    }
    const size_t segments = codes_[threads[0]].segments.size();
    for (const uint32_t th : threads)
      if (codes_[th].segments.size() != segments)
        refuse(t_.span, "threads of one workgroup pass different numbers of barriers",
               "every thread of the group must pass each");
    for (size_t s = 0; s < segments; ++s) {
      if (s > 0) out.push_back(code::test(barrier(threads, s - 1)));
      for (const uint32_t th : threads) {
        List list;
        if (s == 0) {
          list.push_back(code::note(fmt::format("thread P{}", th)));
          for (const Statement& x : codes_[th].start) list.push_back(x);
        }
        list.insert(list.end(), codes_[th].segments[s].begin(), codes_[th].segments[s].end());
        if (s + 1 == segments) report(th, list);
        append(only(lane_of(out_.tree.seats[th]), std::move(list)));
      }
    }
    if (!last.empty()) {
      out.push_back(code::barrier());
      append(only(0, std::move(last)));
    }
    return out;
  }

  // The one barrier that stands for each thread's own; they must be the same instruction.
  uint32_t barrier(const std::vector<uint32_t>& threads, size_t n) {
    code::Operation o;
    o.role = threads[0];
    o.position = codes_[threads[0]].barrier_positions[n];
    o.instr = codes_[threads[0]].barriers[n];
    o.dialect = t_.dialect;
    for (const uint32_t th : threads)
      if (codes_[th].barriers[n].tags != o.instr.tags || codes_[th].barriers[n].mnemonic != o.instr.mnemonic)
        refuse(codes_[th].barriers[n].span, "threads of one workgroup meet at barriers of different kinds");
    for (const uint32_t th : threads)
      if (codes_[th].barriers[n].barrier != o.instr.barrier)
        refuse(codes_[th].barriers[n].span, "threads of one workgroup stand at different barriers",
               "give them one number");
    out_.kernel.operations.push_back(std::move(o));
    return static_cast<uint32_t>(out_.kernel.operations.size() - 1);
  }

  // Shared memory gets its initial values from lane 0, and its observed cells go to `out`.
  void copies(prog::ObjectId o, List& first, List& last) {
    const prog::Object& object = t_.objects[o];
    const uint8_t w = word_width(object.width, narrow_);
    for (size_t c = 0; c < object.init.size(); ++c)
      first.push_back(
          code::store({code::k_shared, c32(base_[o] + c * words_of(o)), w}, term::constant(object.init[c], w)));
    for (size_t k = 0; k < out_.observables.size(); ++k) {
      const prog::Observable& seen = out_.observables[k];
      if (seen.is_register || t_.symbols[seen.symbol].object != o) continue;
      const code::Var v = code::add_variable(out_.kernel, fmt::format("final{}", k), w);
      last.push_back(code::load(v, {code::k_shared, c32(base_[o] + seen.cell * words_of(o)), w}));
      last.push_back(code::store({out_.where[k].buffer, c32(out_.where[k].word), out_.where[k].width},
                                 term::resize(val(v), out_.where[k].width, false)));
    }
  }

  const prog::Test& t_;
  SingleOptions options_;
  Single out_;
  bool narrow_ = false, pointers_ = false;
  std::vector<bool> shared_;
  std::vector<uint32_t> base_, owner_, buffer_;  // by object
  std::vector<RoleCode> codes_;
  std::set<std::string> taken_;
  uint32_t out_buffer_ = 0;
  code::Var group_ = 0, lane_ = 0;
};

}  // namespace

Expected<Single> single_kernel(const prog::Test& test, const SingleOptions& options) {
  // A device that refuses nothing: what is refused is what no device can run.
  Target any;
  any.subgroup = 32;
  any.max_lanes = 1024;
  any.shared_words = 8192;
  auto program = make_program(test, any, Shape{});
  if (!program) return std::unexpected(program.error());
  try {
    Single s = Maker(test, options).run(*program);
    const std::string fault = code::fault_of(s.kernel);
    FENCEPOST_INVARIANT(fault.empty(), "the kernel of a single instance is at fault");
    return s;
  } catch (const Refused& r) {
    return std::unexpected(r.why);
  }
}

}  // namespace fencepost::standalone
