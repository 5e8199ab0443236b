#include "emit/kernel_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emit/ptx_code.h"
#include "emit/ptx_instruction.h"
#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::emit {
namespace {

using code::Statement;
using K = Statement::Kind;

// Slots of `opaque`, 8 bytes each: the sink's address, the zero of kept dependencies, then one zero for each site.
constexpr uint32_t k_sink_slot = 0, k_zero_slot = 1, k_first_slot = 2;
constexpr uint32_t k_parameter_limit = 4096;    // bytes of all parameters
constexpr uint32_t k_cluster_sm = 90;           // the first architecture with clusters
constexpr uint32_t k_lock_step_sm = 60;         // the last architecture with one program counter for a warp
constexpr uint32_t k_shared_limit = 48 * 1024;  // bytes of a static .shared variable

void for_each_statement(const std::vector<Statement>& body, const auto& f) {
  for (const Statement& s : body) {
    f(s);
    for_each_statement(s.body, f);
    for_each_statement(s.other, f);
  }
}

uint32_t sites_of(const code::Kernel& k) {
  uint32_t n = 0;
  for_each_statement(k.body, [&](const Statement& s) { n += s.kind == K::test ? 1 : 0; });
  return n;
}

// A fault of the input, thrown to kernel_ptx.
struct Refusal {
  Diagnostics why;
};

class Printer {
 public:
  Printer(const code::Kernel& kernel, const PtxOptions& options)
      : kernel_(kernel), options_(options), code_(registers(kernel), observed(kernel), slot(k_zero_slot)) {
    out_.kernel = kernel.name;
    find_reads();
  }

  PtxText print() {
    if (kernel_.shared_words * 4ull > k_shared_limit)
      refuse({}, fmt::format("{} words of shared memory are more than the {} of a static variable",
                             kernel_.shared_words, k_shared_limit / 4));
    if (opaque_bytes(kernel_) + 8 * kernel_.buffers.size() > k_parameter_limit)
      refuse({}, fmt::format("{} instructions of tests are more than the parameters of one kernel can serve",
                             sites_of(kernel_)));
    if (options_.lock_step && sites_of(kernel_) > 0)
      refuse({}, "instructions of a litmus test have no form for warps in lock step");
    if (options_.sm < k_cluster_sm) {
      for (const code::Operation& op : kernel_.operations)
        if (op.instr.tags.has(vocab::Tag::CLUSTER) || op.instr.store_tags.has(vocab::Tag::CLUSTER))
          refuse(op.instr.span,
                 fmt::format("'{}' has the scope .cluster, and sm_{} has no clusters", op.instr.mnemonic, options_.sm),
                 "they begin with sm_90");
      if (code::uses_clusters(kernel_))
        refuse({}, fmt::format("the threads of this test are placed in clusters, and sm_{} has none", options_.sm),
               "they begin with sm_90");
    }
    prologue();
    statements(kernel_.body);
    epilogue();
    out_.text = head() + code_.text() + "\tret;\n}\n";
    return std::move(out_);
  }

 private:
  static std::vector<std::string> registers(const code::Kernel& k) {
    std::vector<std::string> out;
    for (const code::Variable& v : k.variables) out.push_back("%v_" + v.name);
    return out;
  }
  // Variables that may hold what an instruction of the test has read, or something computed from it.
  static std::vector<bool> observed(const code::Kernel& k) {
    std::vector<bool> out(k.variables.size(), false);
    for (const code::Operation& op : k.operations)
      if (op.var != code::k_no_var) out[op.var] = true;
    for (bool again = true; again;) {
      again = false;
      for_each_statement(k.body, [&](const Statement& s) {
        if (s.kind != K::set || out[s.var]) return;
        bool from = false;
        term::for_each_variable(s.value, [&](uint64_t v) { from = from || out[v]; });
        if (from) out[s.var] = again = true;
      });
    }
    return out;
  }
  static std::string slot(uint32_t n) { return fmt::format("opaque+{}", 8 * n); }

  [[noreturn]] static void refuse(const Span& span, std::string what, std::string hint = {}) {
    throw Refusal{unsupported_at(span, std::move(what), std::move(hint)).error()};
  }

  void find_reads() {
    const auto reads = [&](const term::Expr& e) { term::for_each_variable(e, [&](uint64_t v) { read_.insert(v); }); };
    for_each_statement(kernel_.body, [&](const Statement& s) {
      reads(s.value), reads(s.compare), reads(s.place.index);
      if (s.kind != K::test) return;
      const code::Operation& op = kernel_.operations[s.operation];
      reads(op.place.index), reads(op.value), reads(op.guard), reads(op.result);
    });
  }

  const std::string& reg(code::Var v) const { return names_[v]; }
  uint8_t width(code::Var v) const { return kernel_.variables[v].width; }

  // The first version of PTX that knows the target, and at least 7.8. An assembler refuses an older one.
  static uint32_t first_version(uint32_t sm) {
    if (sm == 107) return 94;
    if (sm == 88 || sm == 110) return 90;
    if (sm == 103 || sm == 121) return 88;
    return sm >= 120 ? 87 : sm >= 100 ? 86 : 78;
  }

  // ---- frame of the module ----
  std::string head() const {
    const uint32_t version = std::max(first_version(options_.sm), version_);
    std::string out = fmt::format(".version {}.{}\n.target sm_{}\n.address_size 64\n.file 1 \"{}\"\n\n", version / 10,
                                  version % 10, options_.lock_step ? k_lock_step_sm : options_.sm, kernel_.name);
    out += fmt::format(".visible .entry {}(\n", kernel_.name);
    for (size_t b = 0; b < kernel_.buffers.size(); ++b)
      out += fmt::format("\t.param .u64 buffer_{},\n", kernel_.buffers[b].name);
    out += fmt::format("\t.param .align 8 .b8 opaque[{}]\n)\n.maxntid {}, 1, 1\n{{\n", opaque_bytes(kernel_),
                       kernel_.group_limit);
    if (kernel_.shared_words > 0)
      out += fmt::format("\t.shared .align 8 .b32 shared_words[{}];\n", kernel_.shared_words);
    for (size_t v = 0; v < kernel_.variables.size(); ++v)
      out += fmt::format("\t.reg .{} {};\n", type_of(kernel_.variables[v].width), names_[v]);
    for (size_t b = 0; b < kernel_.buffers.size(); ++b)
      out += fmt::format("\t.reg .b64 %b_{};\n", kernel_.buffers[b].name);
    if (kernel_.shared_words > 0) out += "\t.reg .b32 %shared;\n";
    out += "\t.reg .b64 %sink;\n";
    return out + code_.declarations();
  }

  static const char* type_of(uint8_t width) { return width == 1 ? "pred" : width == 64 ? "b64" : "b32"; }

  void prologue() {
    frame();
    for (const code::Buffer& b : kernel_.buffers) {
      code_.line(fmt::format("ld.param.u64 %b_{0}, [buffer_{0}]", b.name));
      code_.line(fmt::format("cvta.to.global.u64 %b_{0}, %b_{0}", b.name));
    }
    if (kernel_.shared_words > 0) code_.line("mov.u32 %shared, shared_words");
    for (size_t v = 0; v < kernel_.variables.size(); ++v)
      code_.line(width(static_cast<code::Var>(v)) == 1
                     ? fmt::format("mov.pred {}, 0", names_[v])
                     : fmt::format("mov.b{} {}, 0", width(static_cast<code::Var>(v)), names_[v]));
    code_.line("mov.b64 %sink, 0");
  }

  // The sink is stored where `opaque` says, and no launch says where.
  void epilogue() {
    frame();
    const std::string at = code_.fresh(64), given = code_.fresh(1);
    code_.line(fmt::format("ld.param.u64 {}, [{}]", at, slot(k_sink_slot)));
    code_.line(fmt::format("setp.ne.u64 {}, {}, 0", given, at));
    code_.line(fmt::format("@{} st.volatile.global.b64 [{}], %sink", given, at));
  }

  void frame() {
    if (line_ != k_frame_line) code_.directive(fmt::format(".loc 1 {} 0", k_frame_line));
    line_ = k_frame_line;
  }

  // Keeps a value that nobody reads.
  void keep(code::Var v) {
    if (v != code::k_no_var && !read_.contains(v)) keep(reg(v), width(v));
  }
  void keep(const std::string& value, uint8_t bits) {
    std::string wide = value;
    if (bits != 64) {
      wide = code_.fresh(64);
      code_.line(bits == 1 ? fmt::format("selp.b64 {}, 1, 0, {}", wide, value)
                           : fmt::format("cvt.u64.u32 {}, {}", wide, value));
    }
    code_.line(fmt::format("xor.b64 %sink, %sink, {}", wide));
  }

  // ---- addresses ----
  // `site`: add its own zero; `by_lane`: one that could differ between the lanes of a warp.
  std::string address(const code::Place& p, int64_t site = -1, bool by_lane = false) {
    const bool shared = p.buffer == code::k_shared;
    const std::string base = shared ? "%shared" : "%b_" + kernel_.buffers[p.buffer].name;
    const uint8_t w = shared ? 32 : 64;
    if (site < 0 && p.index.is_const()) return fmt::format("[{}+{}]", base, 4 * p.index.value());
    const std::string index = code_.value(p.index);
    std::string at = code_.fresh(w);
    const uint8_t from = p.index.width();
    if (shared && from == 64) {
      const std::string narrow = code_.fresh(32);
      if (p.index.is_const())
        code_.line(fmt::format("mov.b32 {}, {}", narrow, index));
      else
        code_.line(fmt::format("cvt.u32.u64 {}, {}", narrow, index));
      code_.line(fmt::format("mad.lo.u32 {}, {}, 4, {}", at, narrow, base));
    } else if (shared) {
      code_.line(fmt::format("mad.lo.u32 {}, {}, 4, {}", at, index, base));
    } else if (from == 64) {
      code_.line(fmt::format("mad.lo.u64 {}, {}, 4, {}", at, index, base));
    } else {
      code_.line(fmt::format("mad.wide.u32 {}, {}, 4, {}", at, index, base));
    }
    if (site >= 0 && options_.runtime_addresses) {
      std::string zero = code_.fresh(w);
      const std::string moved = code_.fresh(w);
      code_.line(fmt::format("ld.param.u{} {}, [{}]", w, zero, slot(k_first_slot + static_cast<uint32_t>(site))));
      if (by_lane) {
        std::string lane = code_.fresh(32);
        code_.line(fmt::format("mov.u32 {}, %tid.x", lane));
        if (w == 64) {
          const std::string wide = code_.fresh(64);
          code_.line(fmt::format("cvt.u64.u32 {}, {}", wide, lane));
          lane = wide;
        }
        const std::string own = code_.fresh(w);
        code_.line(fmt::format("and.b{} {}, {}, {}", w, own, zero, lane));
        zero = own;
      }
      code_.line(fmt::format("add.u{} {}, {}, {}", w, moved, at, zero));
      at = moved;
    }
    return fmt::format("[{}]", at);
  }
  static const char* space(const code::Place& p) { return p.buffer == code::k_shared ? "shared" : "global"; }
  const char* order(code::Order o) const {
    if (options_.lock_step) return "volatile";  // no .weak, .relaxed and .cta before sm_70
    return o == code::Order::plain    ? "weak"
           : o == code::Order::group  ? "relaxed.cta"
           : o == code::Order::system ? "relaxed.sys"
                                      : "relaxed.gpu";
  }

  // ---- statements ----
  void statements(const std::vector<Statement>& body) {
    for (const Statement& s : body) {
      code_.forget();
      frame();
      statement(s);
    }
    code_.forget();
  }

  void statement(const Statement& s) {
    switch (s.kind) {
      case K::set: {
        const std::string v = code_.value(s.value);
        code_.line(width(s.var) == 1 ? fmt::format("mov.pred {}, {}", reg(s.var), v)
                                     : fmt::format("mov.b{} {}, {}", width(s.var), reg(s.var), v));
        return;
      }
      case K::builtin: {
        static constexpr const char* special[] = {"%ctaid.x",     "%tid.x",           "%nctaid.x",        "%ntid.x",
                                                  "%clusterid.x", "%cluster_ctarank", "%cluster_nctarank"};
        code_.line(fmt::format("mov.u32 {}, {}", reg(s.var), special[static_cast<size_t>(s.builtin)]));
        return;
      }
      case K::load: {
        const std::string at = address(s.place);
        access(s, fmt::format("ld.{}.{}.b{}", order(s.order), space(s.place), s.place.width),
               fmt::format("{}, {}", reg(s.var), at));
        keep(s.var);
        return;
      }
      case K::store: {
        const std::string v = code_.value(s.value), at = address(s.place);
        access(s, fmt::format("st.{}.{}.b{}", order(s.order), space(s.place), s.place.width),
               fmt::format("{}, {}", at, v));
        return;
      }
      case K::atomic:
        return atomic(s);
      case K::test:
        return site(s.operation);
      case K::fence:
        if (options_.lock_step)
          code_.line("membar.gl");
        else
          code_.line(s.partial ? "fence.acq_rel.gpu" : "fence.sc.gpu");
        return;
      case K::barrier:
        code_.line(options_.lock_step ? "bar.sync 0" : "barrier.sync 0");
        return;
      case K::branch:
        return branch(s);
      case K::loop:
        return loop(s);
      case K::leave:
        FENCEPOST_INVARIANT(!ends_.empty(), "a kernel leaves a loop outside every loop");
        jump(s.value, true, ends_.back());
        ++segment_;
        return;
      case K::clock:
        code_.line(fmt::format("mov.u64 {}, %globaltimer", reg(s.var)));
        return;
      case K::pause: {
        std::string v = code_.value(s.value);
        if (s.value.width() == 64 && !s.value.is_const()) {
          const std::string narrow = code_.fresh(32);
          code_.line(fmt::format("cvt.u32.u64 {}, {}", narrow, v));
          v = narrow;
        }
        if (!options_.lock_step) code_.line(fmt::format("nanosleep.u32 {}", v));
        return;
      }
      case K::note:
        code_.comment(s.text);
        return;
    }
  }

  // An access of the frame; a relaxed one with a line of its own.
  void access(const Statement& s, const std::string& instruction, const std::string& operands) {
    const bool relaxed = s.kind == K::atomic || s.order != code::Order::plain;
    if (relaxed) {
      line_ = k_first_frame_site + static_cast<uint32_t>(out_.frame.size());
      code_.directive(fmt::format(".loc 1 {} 0", line_));
      PtxSite site;
      site.line = line_;
      site.segment = segment_;
      site.loops = static_cast<uint32_t>(ends_.size());
      site.instruction = instruction;
      out_.frame.push_back(std::move(site));
    }
    code_.line(instruction + " " + operands);
    frame();
  }

  void atomic(const Statement& s) {
    const uint8_t w = s.place.width;
    const std::string v = code_.value(s.value);
    const std::string compare =
        s.op == code::AtomicOp::compare_exchange ? code_.value(s.compare) + ", " : std::string();
    const std::string at = address(s.place);
    static constexpr const char* names[] = {"add.u", "exch.b", "cas.b", "or.b", "max.u"};
    const char* name = names[static_cast<size_t>(s.op)];
    const bool returns = s.op == code::AtomicOp::exchange || s.op == code::AtomicOp::compare_exchange;
    const char* scope = s.order == code::Order::group ? "cta" : "gpu";
    const std::string how = options_.lock_step
                                ? fmt::format("{}.{}.{}{}", space(s.place), scope, name, w)  // relaxed by default
                                : fmt::format("relaxed.{}.{}.{}{}", scope, space(s.place), name, w);
    if (s.var == code::k_no_var && !returns)
      access(s, "red." + how, fmt::format("{}, {}", at, v));
    else
      access(s, "atom." + how, fmt::format("{}, {}, {}{}", s.var == code::k_no_var ? "_" : reg(s.var), at, compare, v));
  }

  // Goes to `target` if the condition is `when`.
  void jump(const term::Expr& condition, bool when, const std::string& target) {
    if (!condition || condition.is_const()) {
      if (!condition || (condition.value() != 0) == when) code_.line("bra " + target);
      return;
    }
    const std::string p = code_.predicate(condition);
    code_.line(fmt::format("@{}{} bra {}", when ? "" : "!", p, target));
  }

  void branch(const Statement& s) {
    const std::string end = code_.label();
    const std::string other = s.other.empty() ? end : code_.label();
    jump(s.value, false, other);
    ++segment_;
    statements(s.body);
    frame();
    if (!s.other.empty()) {
      code_.line("bra " + end);
      code_.place(other);
      ++segment_;
      statements(s.other);
      frame();
    }
    code_.place(end);
    ++segment_;
  }

  void loop(const Statement& s) {
    const std::string begin = code_.label(), end = code_.label();
    code_.place(begin);
    code_.directive(".pragma \"nounroll\";");
    ++segment_;
    ends_.push_back(end);
    statements(s.body);
    ends_.pop_back();
    frame();
    code_.line("bra " + begin);
    code_.place(end);
    ++segment_;
  }

  // ---- instructions of the test ----
  void site(uint32_t index) {
    const code::Operation& op = kernel_.operations[index];
    const auto read = ptx_instruction(op);
    if (!read) throw Refusal{read.error()};
    const PtxInstruction& i = *read;
    version_ = std::max(version_, i.version);
    const auto number = static_cast<uint32_t>(out_.sites.size());
    std::string operands;
    std::string old;
    if (i.head == "barrier")
      operands = barrier_operands(op);
    else if (i.head != "fence" && i.head != "membar")
      operands = memory_operands(op, i, number, old);
    const uint32_t line = k_first_site + number;
    code_.directive(fmt::format(".loc 1 {} 0", line));
    line_ = line;
    code_.line(i.text + operands);
    frame();
    if (op.result && op.var != code::k_no_var) {
      code_.set_old(old);
      const std::string v = code_.value(op.result);
      code_.line(width(op.var) == 1 ? fmt::format("mov.pred {}, {}", reg(op.var), v)
                                    : fmt::format("mov.b{} {}, {}", width(op.var), reg(op.var), v));
    }
    if (i.head == "ld" && op.var == code::k_no_var)
      keep(old, op.place.width);
    else if (i.head == "ld" || i.head == "atom")
      keep(op.var);
    out_.sites.push_back(
        {index, op.role, op.position, line, segment_, static_cast<uint32_t>(ends_.size()), i.text, place_text(op, i)});
  }

  std::string memory_operands(const code::Operation& op, const PtxInstruction& i, uint32_t number, std::string& old) {
    std::string value, expected;
    if (i.operand) value = code_.value(i.operand);
    if (i.expected) expected = code_.value(i.expected) + ", ";
    const std::string at = address(op.place, number, i.head == "atom" || i.head == "red");
    if (i.head == "st" || i.head == "red") return fmt::format(" {}, {}", at, value);
    if (op.var == code::k_no_var)
      old = "_";
    else
      old = op.result ? code_.fresh(op.place.width) : reg(op.var);
    if (old != "_" && !op.result && width(op.var) != op.place.width)
      refuse(op.instr.span,
             fmt::format("'{}' reads {} bits into a register of {}", op.instr.mnemonic, op.place.width, width(op.var)));
    if (old == "_" && i.head == "ld") {  // a load needs a register; the sink keeps it
      old = code_.fresh(op.place.width);
      return fmt::format(" {}, {}", old, at);
    }
    return i.head == "ld" ? fmt::format(" {}, {}", old, at) : fmt::format(" {}, {}, {}{}", old, at, expected, value);
  }

  // Number of the barrier, then how many invocations take part.
  std::string barrier_operands(const code::Operation& op) {
    const prog::Barrier& b = op.instr.barrier;
    std::string id;
    if (op.value)
      id = code_.value(op.value);
    else if (!b.id && !b.instance.empty() && b.instance.find_first_not_of("0123456789") == std::string::npos &&
             b.instance.size() < 3)
      id = b.instance;
    else if (b.id && b.id.is_const())
      id = fmt::format("{}", b.id.value());
    else
      refuse(op.instr.span, fmt::format("the number of '{}' is not known", op.instr.mnemonic),
             "use a constant from 0 to 15");
    if (id.find_first_not_of("0123456789") == std::string::npos && std::stoul(id) > 15)
      refuse(op.instr.span, fmt::format("there is no barrier {}", id), "devices have the barriers 0 to 15");
    if (b.quorum && !op.guard)
      refuse(op.instr.span,
             fmt::format("'{}' waits for a number of threads, and devices count whole warps", op.instr.mnemonic));
    std::string quorum;
    if (op.guard) {
      quorum = ", " + code_.value(op.guard);
    } else if (b.arrive) {
      const std::string all = code_.fresh(32);
      code_.line(fmt::format("mov.u32 {}, %ntid.x", all));
      quorum = ", " + all;
    }
    return " " + id + quorum;
  }

  std::string place_text(const code::Operation& op, const PtxInstruction& i) const {
    if (i.head == "fence" || i.head == "membar" || i.head == "barrier") return {};
    const std::string base = op.place.buffer == code::k_shared ? "shared" : kernel_.buffers[op.place.buffer].name;
    return fmt::format("{}[{}]", base,
                       term::to_string(op.place.index, [&](uint64_t v) { return kernel_.variables[v].name; }));
  }

  const code::Kernel& kernel_;
  PtxOptions options_;
  std::vector<std::string> names_ = registers(kernel_);
  PtxCode code_;
  PtxText out_;
  std::set<uint64_t> read_;
  std::vector<std::string> ends_;
  uint32_t line_ = 0, segment_ = 0, version_ = 0;
};

}  // namespace

uint32_t opaque_bytes(const code::Kernel& kernel) { return 8 * (k_first_slot + sites_of(kernel)); }

std::string fault_of(const PtxText& text, const code::Kernel& kernel) {
  std::vector<uint32_t> wanted;
  for_each_statement(kernel.body, [&](const Statement& s) {
    if (s.kind == K::test) wanted.push_back(s.operation);
  });
  if (wanted.size() != text.sites.size())
    return fmt::format("{} instructions of the test are printed, and there are {}", text.sites.size(), wanted.size());
  size_t at = 0;
  // The line after the next `.loc` with this number.
  const auto on_line = [&](const PtxSite& s) {
    const std::string loc = fmt::format(".loc 1 {} 0", s.line);
    const size_t found = text.text.find(loc, at);
    if (found == std::string::npos) return false;
    at = text.text.find('\n', found);
    return at != std::string::npos && text.text.compare(at + 2, s.instruction.size(), s.instruction) == 0 &&
           (text.text[at + 2 + s.instruction.size()] == ' ' || text.text[at + 2 + s.instruction.size()] == ';');
  };
  for (size_t i = 0; i < wanted.size(); ++i) {
    const PtxSite& s = text.sites[i];
    const code::Operation& op = kernel.operations[wanted[i]];
    const auto i_read = ptx_instruction(op);
    if (s.operation != wanted[i] || s.role != op.role || s.position != op.position || !i_read ||
        i_read->text != s.instruction)
      return fmt::format("instruction {} of thread {} is not printed as it is written", op.position, op.role);
    if (!on_line(s))
      return fmt::format("the text lacks {}, instruction {} of thread {}", s.instruction, s.position, s.role);
  }
  at = 0;
  for (const PtxSite& s : text.frame)
    if (!on_line(s)) return fmt::format("the text lacks the frame's {}", s.instruction);
  return {};
}

Expected<PtxText> kernel_ptx(const code::Kernel& kernel, const PtxOptions& options) {
  try {
    return Printer(kernel, options).print();
  } catch (const Refusal& r) {
    return std::unexpected(r.why);
  } catch (const PtxUnsupported& u) {
    return unsupported_at({}, u.what, u.hint);
  }
}

Expected<std::string> kernels_ptx(const std::vector<code::Kernel>& kernels, const PtxOptions& options) {
  // The first lines of a module name version, target and file: the newest version serves all.
  std::string version, rest, out;
  for (const code::Kernel& k : kernels) {
    auto one = kernel_ptx(k, options);
    if (!one) return std::unexpected(one.error());
    const size_t line = one->text.find('\n'), entry = one->text.find(".visible");
    version = std::max(version, one->text.substr(0, line));
    rest = one->text.substr(line, entry - line);
    out += (out.empty() ? "" : "\n") + one->text.substr(entry);
  }
  return version + rest + out;
}

}  // namespace fencepost::emit
