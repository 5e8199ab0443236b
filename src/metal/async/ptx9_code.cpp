#include "async/ptx9_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "code/kernel.h"
#include "emit/ptx_code.h"
#include "emit/ptx_instruction.h"
#include "prog/ptx_objects.h"
#include "prog/shape.h"
#include "vocab/vocab.h"

namespace fencepost::async::ptx9 {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using vocab::Tag;

enum class Window : uint8_t { shared, generic, global };

bool has(const std::vector<std::string>& words, std::string_view w) {
  return std::find(words.begin(), words.end(), w) != words.end();
}

// mnemonic begins with these words
bool begins(const std::string& mnemonic, std::string_view with) {
  return mnemonic.starts_with(with) && (mnemonic.size() == with.size() || mnemonic[with.size()] == '.');
}

class Writer {
 public:
  Writer(const prog::Test& test, const Layout& layout, uint32_t thread, uint32_t slot)
      : t_(test),
        layout_(layout),
        thread_(thread),
        block_(layout.tree.seats[thread].block),
        code_(names(test, thread), observed(test, thread), fmt::format("opaque+{}", 8 * k_zero_slot)) {
    out_.slots = slot;
  }

  Code run(const std::vector<Told>& told) {
    find_backward();
    find_loops();
    const auto& code = t_.instrs(thread_);
    registers();
    for (uint32_t k = 0; k < code.size(); ++k)
      if (!code[k].hidden) instruction(code[k], k);
    missing_barriers();
    own_groups();
    for (const Told& x : told)
      code_.line(fmt::format("st.weak.global.b64 [%out+{}], {}", x.at, wide(name(x.reg), width(x.reg))));
    out_.text = "{\n" + declarations() + code_.text() + "}\n";
    return std::move(out_);
  }

 private:
  static std::vector<std::string> names(const prog::Test& test, uint32_t thread) {
    std::vector<std::string> out;
    for (size_t r = 0; r < test.code(thread).registers.size(); ++r) out.push_back(fmt::format("%v{}", r));
    return out;
  }
  // Registers that may hold what was read, for kept dependencies.
  static std::vector<bool> observed(const prog::Test& test, uint32_t thread) {
    std::vector<bool> out(test.code(thread).registers.size(), true);
    return out;
  }
  std::string name(prog::RegId r) const { return fmt::format("%v{}", r); }
  uint8_t width(prog::RegId r) const { return t_.code(thread_).registers[r].width; }
  std::optional<prog::RegId> register_of(const std::string& word) const {
    const auto& all = t_.code(thread_).registers;
    for (prog::RegId r = 0; r < all.size(); ++r)
      if (all[r].name == word) return r;
    return std::nullopt;
  }

  std::string declarations() const {
    std::string out;
    for (prog::RegId r = 0; r < t_.code(thread_).registers.size(); ++r) {
      const uint8_t w = width(r);
      out += fmt::format("\t.reg .{} {};\n", w == 1 ? "pred" : w == 64 ? "b64" : "b32", name(r));
    }
    for (const auto& [type, many] : odd_)
      for (uint32_t k = 0; k < many; ++k) out += fmt::format("\t.reg .{0} %{0}_{1};\n", type, k);
    return out + code_.declarations();
  }
  // A register of a type that terms do not have: "b8", "b16", "b128".
  std::string odd(const std::string& type) { return fmt::format("%{}_{}", type, odd_[type]++); }

  void registers() {
    for (prog::RegId r = 0; r < t_.code(thread_).registers.size(); ++r) {
      uint64_t v = 0;
      for (const prog::InitValue& i : t_.threads[thread_].init)
        if (i.reg == r) v = i.value;
      if (width(r) == 1)
        code_.line(fmt::format("mov.pred {}, {}", name(r), v != 0 ? 1 : 0));
      else
        code_.line(fmt::format("mov.b{} {}, {}", width(r) == 64 ? 64 : 32, name(r), static_cast<int64_t>(v)));
    }
  }

  // ---- addresses ----
  static std::string zero_of(uint32_t slot) { return fmt::format("opaque+{}", 8 * slot); }

  // "[reg]": the location's address for this instruction.
  // `by_lane`: no assembler knows it to be one address for all lanes, and makes one operation for the warp.
  // `here`: in the own CTA, whose CTA the object's may not be.
  std::string address(prog::SymbolId s, Window window, bool by_lane = false, bool here = false) {
    const prog::Symbol& symbol = t_.symbols[s];
    const Place& p = layout_.objects[symbol.object];
    if (!p.shared) {
      const std::string at = code_.fresh(64), zero = code_.fresh(64);
      code_.line(fmt::format("ld.param.u64 {}, [{}]", zero, zero_of(slot_)));
      if (by_lane) {
        const std::string lane = code_.fresh(64);
        code_.line(fmt::format("cvt.u64.u32 {}, %lane", lane));
        code_.line(fmt::format("and.b64 {0}, {0}, {1}", zero, lane));
      }
      code_.line(fmt::format("add.u64 {}, {}, {}", at, zero, symbol.aliased != k_none ? "%aliases" : "%memory"));
      return offset(at, p.at);
    }
    const bool own = here || p.block == block_;
    std::string at = code_.fresh(32);
    const std::string zero = code_.fresh(32);
    code_.line(fmt::format("ld.param.u32 {}, [{}]", zero, zero_of(slot_)));
    if (by_lane) code_.line(fmt::format("and.b32 {0}, {0}, %lane", zero));
    code_.line(fmt::format("mov.u32 {}, shared_memory", at));
    code_.line(fmt::format("add.u32 {0}, {0}, {1}", at, zero));
    if (p.at > 0) code_.line(fmt::format("add.u32 {0}, {0}, {1}", at, p.at));
    if (!own) code_.line(fmt::format("mapa.shared::cluster.u32 {0}, {0}, {1}", at, rank_of(p.block)));
    if (window == Window::shared) return fmt::format("[{}]", at);
    const std::string wide = code_.fresh(64);
    code_.line(fmt::format("cvt.u64.u32 {}, {}", wide, at));
    code_.line(fmt::format("cvta.shared{0}.u64 {1}, {1}", own ? "" : "::cluster", wide));
    return fmt::format("[{}]", wide);
  }
  std::string offset(const std::string& at, uint32_t bytes) {
    if (bytes > 0) code_.line(fmt::format("add.u64 {0}, {0}, {1}", at, bytes));
    return fmt::format("[{}]", at);
  }
  uint32_t rank_of(uint32_t block) const {
    for (const plan::Seat& s : layout_.tree.seats)
      if (s.block == block) return s.rank;
    return 0;
  }

  // ---- values ----
  std::string wide(const std::string& value, uint8_t from) {
    if (from == 64) return value;
    const std::string out = code_.fresh(64);
    code_.line(from == 1 ? fmt::format("selp.b64 {}, 1, 0, {}", out, value)
                         : fmt::format("cvt.s64.s32 {}, {}", out, value));
    return out;
  }
  // A register or number of the written operands, in 32 or 64 bits.
  std::string operand(const std::string& word, uint8_t bits, const Span& span) {
    const auto r = register_of(word);
    if (!r) return word;
    if (width(*r) == bits) return name(*r);
    if (bits == 64) return wide(name(*r), width(*r));
    if (width(*r) != 64) refuse(span, fmt::format("'{}' has {} bits", word, width(*r)), "use a register of 64 bits");
    const std::string out = code_.fresh(32);
    code_.line(fmt::format("cvt.u32.u64 {}, {}", out, name(*r)));
    return out;
  }

  // ---- instructions ----
  void instruction(const Instr& i, uint32_t position) {
    code_.forget();
    code_.comment(prog::to_string(t_, thread_, i));
    out_.needs.also(needs_of(i.mnemonic));
    slot_ = out_.slots++;
    at_ = position;
    std::string skip;
    if (i.predicate != k_none) {
      const std::string p = code_.fresh(1);
      skip = code_.label();
      code_.line(fmt::format("setp.ne.u64 {}, {}, 0", p, wide(name(i.predicate), width(i.predicate))));
      code_.line(fmt::format("@{}{} bra {}", i.predicate_negated ? "" : "!", p, skip));
      ++segment_;
    }
    const bool local = i.kind == Kind::local && !i.operands;
    if (i.kind == Kind::label || i.kind == Kind::jump || i.kind == Kind::branch || local)
      control(i, position);
    else if (i.kind == Kind::barrier)
      barrier(i);
    else if (i.kind == Kind::fence || i.operands)
      written(i);
    else
      access(i, position);
    if (skip.empty()) return;
    code_.place(skip);
    ++segment_;
  }

  // One instruction of the test, on a line of its own. `place`: its address as text, "" for those that have none.
  void site(const std::string& instruction, const std::string& operands, std::string place = {}) {
    site(instruction, operands, std::move(place), instruction);
  }
  void site(const std::string& instruction, const std::string& operands, std::string place, std::string told) {
    emit::PtxSite s;
    s.role = thread_;
    s.position = at_;
    s.line = emit::k_first_site + slot_;
    s.segment = segment_;
    s.loops = loops_[at_];
    s.instruction = std::move(told);
    s.place = std::move(place);
    code_.directive(fmt::format(".loc 1 {} 0", s.line));
    code_.line(instruction + operands);
    code_.directive(fmt::format(".loc 1 {} 0", emit::k_frame_line));
    out_.sites.push_back(std::move(s));
  }
  std::string place_of(const Instr& i) const { return t_.symbols[i.addr.symbol].name; }

  std::string label(prog::LabelId l) const { return fmt::format("T{}", l); }

  void find_backward() {
    const auto& code = t_.instrs(thread_);
    for (uint32_t k = 0; k < code.size(); ++k) {
      if (code[k].kind != Kind::jump && code[k].kind != Kind::branch) continue;
      const uint32_t to = t_.code(thread_).labels[code[k].label].at;
      for (uint32_t j = std::min(k, to); j < std::max(k, to); ++j)
        if (code[j].kind == Kind::barrier)
          refuse(code[j].span, fmt::format("'{}' in a loop or behind a branch", code[j].mnemonic),
                 "a thread whose loop met its limit would leave the others waiting; write the iterations out");
    }
  }

  // Loops around each instruction: jumps back over it, told apart by where they go to.
  void find_loops() {
    const auto& code = t_.instrs(thread_);
    std::vector<std::set<uint32_t>> heads(code.size());
    for (uint32_t k = 0; k < code.size(); ++k) {
      if (code[k].kind != Kind::jump && code[k].kind != Kind::branch) continue;
      const uint32_t to = t_.code(thread_).labels[code[k].label].at;
      for (uint32_t j = to; j <= k; ++j) heads[j].insert(to);
    }
    for (const auto& h : heads) loops_.push_back(static_cast<uint32_t>(h.size()));
  }

  void control(const Instr& i, uint32_t position) {
    if (i.kind != Kind::local) ++segment_;
    if (i.kind == Kind::label) return code_.place(label(i.label));
    if (i.kind == Kind::local) {
      const std::string v = code_.value(i.value);
      code_.line(width(i.dst) == 1 ? fmt::format("mov.pred {}, {}", name(i.dst), v)
                                   : fmt::format("mov.b{} {}, {}", width(i.dst), name(i.dst), v));
      return;
    }
    std::string when;
    const std::string past = code_.label();
    if (i.kind == Kind::branch) {
      std::string p;
      if (i.value.is_const()) {
        if (i.value.value() == 0) return;
      } else if (i.value.width() == 1) {
        p = code_.predicate(i.value);
      } else {
        p = code_.fresh(1);
        code_.line(fmt::format("setp.ne.b{} {}, {}, 0", i.value.width(), p, code_.value(i.value)));
      }
      if (!p.empty()) code_.line(fmt::format("@!{} bra {}", p, past));
    }
    if (t_.code(thread_).labels[i.label].at <= position) {
      const std::string now = code_.fresh(64), late = code_.fresh(1);
      code_.line(fmt::format("mov.u64 {}, %globaltimer", now));
      code_.line(fmt::format("setp.gt.u64 {}, {}, %limit", late, now));
      code_.line(fmt::format("@{} mov.u32 %gaveup, 1", late));
      code_.line(fmt::format("@{} bra {}", late, past));
    }
    code_.line("bra " + label(i.label));
    code_.place(past);
  }

  void barrier(const Instr& i) {
    if (begins(i.mnemonic, "barrier.cluster")) {
      (i.barrier.arrive ? arrivals_ : waits_) += 1;
      return site(i.mnemonic, "");
    }
    if (i.barrier.level == *vocab::level_of(prog::Dialect::ptx, "warp")) {
      return site("bar.warp.sync", " 0xffffffff");
    }
    const prog::Barrier& b = i.barrier;
    const std::string id = b.id && b.id.is_const() ? std::to_string(b.id.value()) : b.instance;
    if (id.empty() || id.size() > 2 || id.find_first_not_of("0123456789") != std::string::npos || std::stoul(id) > 15)
      refuse(i.span, fmt::format("the number of '{}' is not known", i.mnemonic), "use a constant from 0 to 15");
    if (b.quorum)
      refuse(i.span, fmt::format("'{}' waits for a number of threads, and devices count whole warps", i.mnemonic),
             "leave the number out");
    site(b.arrive ? "barrier.cta.arrive" : "barrier.cta.sync", fmt::format(" {}, {}", id, 32 * warps_at(b)));
  }
  // Warps of this CTA that have the barrier.
  uint32_t warps_at(const prog::Barrier& b) const {
    std::set<uint32_t> warps;
    for (const prog::Thread& th : t_.threads) {
      if (layout_.tree.seats[th.id].block != block_) continue;
      for (const Instr& i : t_.instrs(th.id))
        if (i.kind == Kind::barrier && !i.hidden && i.barrier.instance == b.instance && i.barrier.id == b.id)
          warps.insert(layout_.tree.seats[th.id].warp);
    }
    return static_cast<uint32_t>(warps.size());
  }

  // All threads of a cluster arrive as often as the one that arrives most, since the barrier counts all that run.
  void missing_barriers() {
    uint32_t most = 0;
    for (const prog::Thread& th : t_.threads) {
      if (layout_.tree.seats[th.id].cluster != layout_.tree.seats[thread_].cluster) continue;
      uint32_t n = 0;
      for (const Instr& i : t_.instrs(th.id)) n += !i.hidden && begins(i.mnemonic, "barrier.cluster.arrive") ? 1 : 0;
      most = std::max(most, n);
    }
    if (arrivals_ > waits_) code_.line("barrier.cluster.wait");
    for (; arrivals_ < most; ++arrivals_) {
      code_.comment("others of the cluster have this barrier");
      code_.line("barrier.cluster.arrive.relaxed");
      code_.line("barrier.cluster.wait");
    }
  }

  // Nothing is in flight when the CTA ends.
  void own_groups() {
    bool bulk = false, other = false;
    for (const Instr& i : t_.instrs(thread_)) {
      bulk = bulk || i.mnemonic.find("bulk_group") != std::string::npos;
      other = other || begins(i.mnemonic, "cp.async.ca") || begins(i.mnemonic, "cp.async.cg");
    }
    if (bulk) code_.line("cp.async.bulk.commit_group"), code_.line("cp.async.bulk.wait_group 0");
    if (other) code_.line("cp.async.wait_all");
  }

  // ld, st, atom, red of one location, and vectors.
  void access(const Instr& i, uint32_t position) {
    if (i.addr.symbol == k_none || i.addr.index)
      refuse(i.span, fmt::format("'{}' computes its address", i.mnemonic), "name the location");
    const Place& p = layout_.objects[t_.symbols[i.addr.symbol].object];
    if (layout_.maps[t_.symbols[i.addr.symbol].object]) return change_map(i);
    code::Operation op;
    op.role = thread_;
    op.position = position;
    op.instr = i;
    op.place.buffer = p.shared ? code::k_shared : 0;
    op.place.width = 64;
    op.value = i.value;
    op.guard = i.guard;
    op.result = i.result;
    op.var = i.dst;
    const auto read = emit::ptx_instruction(op);
    if (!read) throw Refused{read.error()};
    out_.needs.also({std::max(80u, read->version), 90});
    std::string text = read->text;
    if (p.shared && p.block != block_) text.replace(text.find(".shared"), 7, ".shared::cluster");
    std::string value, expected;
    if (read->operand) value = code_.value(read->operand);
    if (read->expected) expected = code_.value(read->expected) + ", ";
    const std::string at = address(i.addr.symbol, Window::shared, read->head == "atom" || read->head == "red");
    if (read->head == "st" || read->head == "red") return site(text, fmt::format(" {}, {}", at, value), place_of(i));
    const std::string old = i.dst == k_none && read->head == "atom" ? "_"
                            : i.dst == k_none || i.result           ? code_.fresh(64)
                                                                    : name(i.dst);
    if (i.dst != k_none && !i.result && width(i.dst) != 64)
      refuse(i.span, fmt::format("'{}' reads 64 bits into a register of {}", i.mnemonic, width(i.dst)));
    site(text,
         read->head == "ld" ? fmt::format(" {}, {}", old, at) : fmt::format(" {}, {}, {}{}", old, at, expected, value),
         place_of(i));
    if (!i.result || i.dst == k_none) return;
    code_.set_old(old);
    code_.line(fmt::format("mov.b64 {}, {}", name(i.dst), code_.value(i.result)));
  }

  // A tensor map whose value is v describes its box v, or the 16 bytes that hold v.
  void change_map(const Instr& i) {
    const prog::SymbolId map = i.addr.symbol;
    const auto boxes = prog::boxes_of(t_, t_.objects[t_.symbols[map].object]);
    const bool shared = layout_.objects[t_.symbols[map].object].shared;
    if (!i.value.is_const())
      refuse(i.span, fmt::format("'{}' changes a tensor map to a value that is not known", i.mnemonic),
             "write the number of a box");
    std::string to = code_.fresh(64);
    if (boxes.empty()) {
      code_.line(fmt::format("add.u64 {}, %values, {}", to, 16 * i.value.value()));
    } else {
      const bool known = i.value.value() < boxes.size();
      const std::string at = address(boxes[known ? i.value.value() : 0], Window::global);
      code_.line(fmt::format("add.u64 {}, {}, {}", to, at.substr(1, at.size() - 2),
                             known ? 0 : k_place_bytes * i.value.value()));  // the address of no box
    }
    const std::string at = address(map, shared ? Window::shared : Window::global);
    site(fmt::format("tensormap.replace.tile.global_address.{}.b1024.b64", shared ? "shared::cta" : "global"),
         fmt::format(" {}, {}", at, to), place_of(i));
    out_.needs.also({83, 90});
  }

  void vector(const Instr& i) {
    // The other element follows in the code.
    const auto& code = t_.instrs(thread_);
    const Instr& other = *(std::find_if(code.begin(), code.end(), [&](const Instr& x) { return &x == &i; }) + 1);
    const Place &a = layout_.objects[t_.symbols[i.addr.symbol].object],
                &b = layout_.objects[t_.symbols[other.addr.symbol].object];
    const Instr &low = a.at < b.at ? i : other, &high = a.at < b.at ? other : i;
    const char* space = !a.shared ? ".global" : a.block == block_ ? ".shared" : ".shared::cluster";
    std::string text = i.mnemonic;
    text.insert(text.find(".v2"), space);
    if (i.kind == Kind::load) {
      std::array<std::string, 2> into;
      for (size_t k = 0; k < 2; ++k) {
        const prog::RegId r = (k == 0 ? low : high).dst;
        into[k] = r == k_none ? code_.fresh(64) : name(r);
      }
      const std::string at = address(low.addr.symbol, Window::shared);
      return site(text, fmt::format(" {{{}, {}}}, {}", into[0], into[1], at), place_of(low));
    }
    std::array<std::string, 2> from;
    for (size_t k = 0; k < 2; ++k) {
      from[k] = code_.fresh(64);
      code_.line(fmt::format("mov.b64 {}, {}", from[k], code_.value((k == 0 ? low : high).value)));
    }
    const std::string at = address(low.addr.symbol, Window::shared);
    site(text, fmt::format(" {}, {{{}, {}}}", at, from[0], from[1]), place_of(low));
  }

  // The instructions that the ISA writes so: their text stays, and operands become registers.
  void written(const Instr& i) {
    if (i.tags.has(Tag::VEC) && !i.tags.has(Tag::ALIAS)) return vector(i);
    if (begins(i.mnemonic, "tensormap.replace")) return change_map(i);
    const auto words = prog::words_of(i.mnemonic);
    std::vector<std::string> operands = operands_of(i);
    const std::vector<Window> windows = windows_of(i.mnemonic, words);
    const bool waits = words.front() == "mbarrier" && (has(words, "test_wait") || has(words, "try_wait"));
    const bool asks = has(words, "check_layout") || waits, counts = has(words, "pending_count");
    const bool reads = begins(i.mnemonic, "multimem.ld_reduce");
    std::string answer, list;
    size_t location = 0;
    for (size_t k = 0; k < operands.size(); ++k) {
      std::string& word = operands[k];
      if (word.front() == '[') {
        word = bracket(i, word, windows[std::min(location, windows.size() - 1)]);
        ++location;
      } else if (asks && k == 0) {
        answer = code_.fresh(1);
        word = answer;
      } else if (counts && k == 0) {
        answer = code_.fresh(32);
        word = answer;
      } else if (reads && k == 0) {
        list = word;
        word = results(word, data_bits(words));
      } else if (word.front() == '{') {
        const bool data = words.front() == "multimem";  // else what im2col has, which is 0
        word = each_of(word, [&](const std::string& w) { return data ? in_register(w, data_bits(words), i.span) : w; });
      } else if (const size_t differs = word.find("!="); differs != std::string::npos) {
        const std::string p = code_.fresh(1);
        code_.line(fmt::format("setp.ne.u64 {}, {}, 0", p, operand(word.substr(0, differs), 64, i.span)));
        word = p;
      } else if (word != "_") {
        word = is_policy(words, k, operands.size()) ? policy() : operand(word, bits_of(words, waits, k), i.span);
        if (words.back() == "b128" && words[0] == "st") word = widened(word);
        if (words.back() == "f64" || words.back() == "f32") word = in_register(word, data_bits(words), i.span);
      }
    }
    std::string text;
    for (size_t k = 0; k < operands.size(); ++k) text += (k == 0 ? " " : ", ") + operands[k];
    site(i.mnemonic, text, "", i.operands && !i.operands->empty() ? i.mnemonic + " " + *i.operands : i.mnemonic);
    if (reads) return take_results(list, operands[0], data_bits(words));
    if (answer.empty()) return;
    const prog::RegId r = *register_of(operands_of(i).front());
    if (counts)
      return code_.line(fmt::format("{} {}, {}", width(r) == 32 ? "mov.b32" : "cvt.u64.u32", name(r), answer));
    code_.line(width(r) == 1 ? fmt::format("mov.pred {}, {}", name(r), answer)
                             : fmt::format("selp.b{} {}, 1, 0, {}", width(r), name(r), answer));
  }

  // By operand in brackets.
  static std::vector<Window> windows_of(const std::string& mnemonic, const std::vector<std::string>& words) {
    const bool here = has(words, "shared") || has(words, "shared::cta"), there = has(words, "shared::cluster");
    if (begins(mnemonic, "cp.async.bulk.prefetch.tensor")) return {Window::generic};
    if (begins(mnemonic, "cp.async.bulk.prefetch")) return {Window::global};
    if (begins(mnemonic, "cp.async.bulk.tensor") && has(words, "mbarrier::complete_tx::bytes"))
      return {Window::shared, Window::generic, Window::shared};
    if (begins(mnemonic, "cp.async.bulk.tensor") || begins(mnemonic, "cp.reduce.async.bulk.tensor"))
      return {Window::generic, Window::shared};
    if (begins(mnemonic, "cp.async.bulk") || begins(mnemonic, "cp.reduce.async.bulk") ||
        begins(mnemonic, "multimem.cp") || begins(mnemonic, "tensormap.cp_fenceproxy"))
      return bulk_windows(words);
    if (begins(mnemonic, "st.bulk")) return {here ? Window::shared : Window::generic};
    if (begins(mnemonic, "cp.async.mbarrier")) return {here ? Window::shared : Window::generic};
    if (begins(mnemonic, "cp.async")) return {Window::shared, Window::global};
    if (words.front() == "mbarrier") return {here || there ? Window::shared : Window::generic};
    if (words.front() == "clusterlaunchcontrol") return {Window::shared, Window::shared};
    return {there ? Window::shared : Window::generic, there ? Window::shared : Window::generic};
  }

  // "[s]", "[{s, t}]", "[mm]", "[map, {r0, 0}]", "[map, r1, {1, 1}, {16}, r2, {0, 0}]".
  std::string bracket(const Instr& i, const std::string& word, Window window) {
    const auto symbols = symbols_of(t_, word);
    FENCEPOST_INVARIANT(!symbols.empty(), "an operand names no location");
    // A multicast takes the address in the own CTA: "the same CTA-relative offset".
    const bool here = i.mnemonic.find(".multicast::") != std::string::npos;
    const std::string at = address(symbols.front(), window, false, here);
    const size_t comma = word.find(',');
    if (word[1] == '{' || comma == std::string::npos) return at;
    std::string out = at.substr(0, at.size() - 1);
    std::vector<std::string> parts;
    int depth = 0;
    for (const char c : word.substr(comma + 1, word.size() - comma - 2)) {
      if (parts.empty() || (c == ',' && depth == 0)) parts.emplace_back();
      if (c == '{') ++depth;
      if (c == '}') --depth;
      if ((c != ',' || depth > 0) && c != ' ') parts.back() += c;
    }
    for (size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].front() == '{')
        out += ", " + each_of(parts[k], [&](const std::string& w) {
                 const bool stride = k > 0 && k + 2 < parts.size() && parts[k - 1].front() == '{';
                 return stride ? in_register(w, 32, i.span) : operand(w, 32, i.span);
               });
      else
        out += ", " + in_register(parts[k], k == 0 ? 64 : 16, i.span);
    }
    return out + "]";
  }
  std::string in_register(const std::string& word, uint8_t bits, const Span& span) {
    if (bits != 16) {
      const std::string out = code_.fresh(bits);
      code_.line(fmt::format("mov.b{} {}, {}", bits, out, operand(word, bits, span)));
      return out;
    }
    const std::string out = odd("b16");
    code_.line(fmt::format("cvt.u16.u32 {}, {}", out, operand(word, 32, span)));
    return out;
  }
  std::string widened(const std::string& word) {
    const std::string low = code_.fresh(64), out = odd("b128");
    code_.line(fmt::format("mov.b64 {}, {}", low, word));
    code_.line(fmt::format("mov.b128 {}, {{{}, {}}}", out, low, low));
    return out;
  }
  template <class F>
  static std::string each_of(const std::string& list, const F& f) {
    std::string out = "{", one;
    for (const char c : list.substr(1)) {
      if (c == ',' || c == '}') {
        out += f(one) + (c == ',' ? ", " : "}");
        one.clear();
      } else if (c != ' ') {
        one += c;
      }
    }
    return out;
  }

  // Registers of the size of the data, and their way back into those of the test.
  std::string results(const std::string& word, uint8_t bits) {
    const auto one = [&](const std::string&) {
      return bits == 64 || bits == 32 ? code_.fresh(bits) : odd(bits == 16 ? "b16" : "b8");
    };
    return word.front() == '{' ? each_of(word, one) : one(word);
  }
  void take_results(const std::string& to, const std::string& from, uint8_t bits) {
    std::vector<std::string> a, b;
    const auto split = [](const std::string& text, std::vector<std::string>& out) {
      if (text.front() != '{') return out.push_back(text);
      each_of(text, [&](const std::string& w) {
        out.push_back(w);
        return w;
      });
    };
    split(to, a);
    split(from, b);
    for (size_t k = 0; k < a.size(); ++k) {
      const auto r = register_of(a[k]);
      if (!r || width(*r) != 64) continue;
      code_.line(bits == 64 ? fmt::format("mov.b64 {}, {}", name(*r), b[k])
                            : fmt::format("cvt.u64.u{} {}, {}", bits, name(*r), b[k]));
    }
  }

  // Source and destination as the mnemonic names them; an mbarrier stands in shared memory.
  static std::vector<Window> bulk_windows(const std::vector<std::string>& words) {
    std::vector<Window> out;
    for (const std::string& w : words) {
      if (w == "global") out.push_back(Window::global);
      if (w == "shared::cta" || w == "shared::cluster") out.push_back(Window::shared);
    }
    out.push_back(Window::shared);
    return out;
  }

  // What the mnemonic's type says; 64 without one.
  static uint8_t data_bits(const std::vector<std::string>& words) {
    const std::string& type = words.back();
    if (type == "b32" || type == "u32" || type == "s32" || type == "f32" || type == "f16x2" || type == "bf16x2" ||
        type.ends_with("x4"))
      return 32;
    if (type == "f16" || type == "bf16" || type == "e5m2x2" || type == "e4m3x2") return 16;
    return type == "e5m2" || type == "e4m3" ? 8 : 64;
  }
  // A policy is a hint: any that is one will do.
  static bool is_policy(const std::vector<std::string>& words, size_t operand, size_t operands) {
    return has(words, "L2::cache_hint") && operand + (has(words, "cp_mask") ? 2 : 1) == operands;
  }
  std::string policy() {
    const std::string out = code_.fresh(64);
    code_.line(fmt::format("createpolicy.fractional.L2::evict_last.b64 {}, 0.5", out));
    return out;
  }
  // Counts, bytes, masks and parities have 32 bits, states of mbarriers 64, and data those of its type.
  static uint8_t bits_of(const std::vector<std::string>& words, bool waits, size_t operand) {
    if (words.front() == "mbarrier") {
      if (has(words, "pending_count")) return 64;
      if (waits) return has(words, "parity") || operand == 3 ? 32 : 64;  // the last one limits the time
      const bool returns = has(words, "arrive") || has(words, "arrive_drop");
      return returns && operand == 0 ? 64 : 32;
    }
    return data_bits(words);
  }

  const prog::Test& t_;
  const Layout& layout_;
  uint32_t thread_, block_, slot_ = 0, arrivals_ = 0, waits_ = 0;
  uint32_t at_ = 0, segment_ = 0;  // of the instruction at hand
  std::vector<uint32_t> loops_;    // by position
  std::map<std::string, uint32_t> odd_;
  emit::PtxCode code_;
  Code out_;
};

}  // namespace

namespace {
struct NeedsRow {
  std::string_view begin, part;
  Needs needs;
};
// "Introduced in PTX ISA version" and "Requires sm_" of each instruction's notes.
constexpr NeedsRow k_needs[] = {
    {"fence.acquire", "", {86, 90}},
    {"st.bulk", "", {86, 100}},
    {"fence.release", "", {86, 90}},
    {"fence.proxy.async::generic", "", {86, 90}},
    {"fence.proxy.async::generic", "::read", {94, 90}},
    {"fence.proxy.tensormap", "", {83, 90}},
    {"fence.proxy.alias.", "", {94, 90}},
    {"mbarrier.arrive", ".relaxed", {86, 90}},
    {"mbarrier.test_wait", ".relaxed", {86, 90}},
    {"mbarrier.try_wait", ".relaxed", {86, 90}},
    {"mbarrier", "phase_type", {93, 90}},
    {"mbarrier", "layout", {93, 90}},
    {"cp.async.bulk", ".shared::cta.global", {86, 90}},
    {"cp.async.bulk", ".relaxed", {93, 90}},
    {"cp.async.bulk.tensor", "::gather4", {86, 100}},
    {"cp.async.bulk.tensor", "::scatter4", {86, 100}},
    {"cp.async.bulk.prefetch.tensor", "::gather4", {86, 100}},
    {"cp.async.bulk.tensor", "im2col::w", {86, 100}},
    {"cp.async.bulk.prefetch.tensor", "im2col::w", {86, 100}},
    {"cp.async.bulk.tensor", ".cta_group", {86, 100}},
    {"cp", ".cp_mask", {86, 100}},
    {"multimem.cp", ".cp_mask", {91, 100}},
    {"cp", ".ignore_oob", {92, 90}},
    {"cp", "::16b", {94, 90}},
    {"cp", "::32b", {94, 107}},
    {"mbarrier", "::32b", {94, 107}},
    {"cp", "report::disabled", {94, 107}},
    {"cp", "L2::evict_last", {94, 107}},
    {"cp", ".override::", {94, 107}},
    {"cp", "im2col_no_offs::w", {94, 107}},
    {"cp.reduce", ".noftz.f32", {94, 90}},
    {"cp.reduce.async.bulk.relaxed", "", {93, 90}},
    {"multimem", "", {81, 90}},
    {"multimem", "acc::f32", {82, 90}},
    {"multimem.ld_reduce", ".e4m3", {86, 100}},
    {"multimem.ld_reduce", ".e5m2", {86, 100}},
    {"multimem.st", ".e4m3", {86, 100}},
    {"multimem.st", ".e5m2", {86, 100}},
    {"multimem.cp", "", {91, 90}},
    {"multimem.cp", ".relaxed", {93, 90}},
    {"multimem.cp", ".noftz.f32", {94, 90}},
    {"multimem.st.async", "", {93, 100}},
    {"multimem.red.async", "", {93, 100}},
    {"clusterlaunchcontrol", "", {86, 100}},
    {"tensormap", "", {83, 90}},
    {"mbarrier.check_layout", "", {93, 90}},
    {"fence.proxy.generic::fabric", "", {93, 100}},
    {"fence.proxy.fabric", "", {93, 100}},
    {"st.async", "", {81, 90}},
    {"st.async", ".b128", {92, 90}},
    {"red.async", "", {81, 90}},
    {"st.async.release", "", {87, 100}},
    {"red.async.release", "", {87, 100}},
};
}  // namespace

Needs needs_of(const std::string& mnemonic) {
  Needs out;
  for (const NeedsRow& r : k_needs)
    if (mnemonic.starts_with(r.begin) && mnemonic.find(r.part) != std::string::npos) out.also(r.needs);
  return out;
}

Code code_of(const prog::Test& test, const Layout& layout, uint32_t thread, const std::vector<Told>& told,
             uint32_t first_slot) {
  return Writer(test, layout, thread, first_slot).run(told);
}

}  // namespace fencepost::async::ptx9
