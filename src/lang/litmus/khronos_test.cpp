// The `.test` notation of KhronosGroup/Vulkan-MemoryModel (alloy/litmus.cpp there defines it): one line per
// instruction, NEW* lines between groups, values written at the accesses, SATISFIABLE and NOSOLUTION lines.
//
// One file is one Test: every load gets a register, `= v` at a load becomes a conjunct of the filter, and the
// question is `exists true`, that is: some execution meets the filter. Every SATISFIABLE or NOSOLUTION line is one
// Expectation of that test:
//   SATISFIABLE consistent[X]             condition holds          NOSOLUTION consistent[X]             condition fails
//   SATISFIABLE consistent[X] && #dr>0    races fails              NOSOLUTION consistent[X] && #dr>0    races holds
//   SATISFIABLE consistent[X] && #dr=0    race_free holds          NOSOLUTION consistent[X] && #dr=0    race_free fails
// Beside a line "NOSOLUTION .. && #dr>0" the clause "SATISFIABLE .. && #dr=0" says no more than that the condition
// holds, and is put so. NOCHAINS selects the variant "nochains". Other clauses are kept as text, property "".
// A barrier waits for the threads inside its own scope (the notation has one scope for both).
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "litmus/asm_vulkan.h"
#include "litmus/condition.h"
#include "litmus/parse.h"
#include "litmus/test_title.h"
#include "prog/syntax.h"

namespace fencepost::litmus {
namespace {

using prog::Instr;
using prog::Kind;

enum Group : int { g_none = -1, g_qf, g_wg, g_sg };

class Reader {
 public:
  explicit Reader(SourcePtr source)
      : source_(std::move(source)), b_(prog::Syntax::vulkan_test, prog::Dialect::vulkan) {}

  prog::Test parse() {
    const std::string_view text = source_->text;
    b_.test.title = stem_of(source_->name);
    for (size_t begin = 0; begin < text.size();) {
      size_t end = text.find('\n', begin);
      if (end == std::string_view::npos) end = text.size();
      line(static_cast<uint32_t>(begin), static_cast<uint32_t>(end));
      begin = end + 1;
    }
    finish();
    return std::move(b_.test);
  }

 private:
  static constexpr LexOptions k_lex = {.litmus_comments = false, .c_comments = true, .c_operators = false};

  void line(uint32_t begin, uint32_t end) {
    const std::string_view text = std::string_view(source_->text).substr(begin, end - begin);
    if (take_title(text, b_.test.title)) return;
    Cursor c(source_, k_lex, begin, end);
    if (c.at_end()) return;
    const Token first = c.expect_word("an instruction or a directive",
                                      "lines are NEW..., SLOC, SSW, SATISFIABLE, NOSOLUTION or an instruction");
    if (first.is("SATISFIABLE") || first.is("NOSOLUTION")) {
      question(first, text.substr(first.begin - begin));
      return;  // the rest is not ours to tokenise
    }
    if (first.is("NEWQF"))
      pending_ = g_qf;
    else if (first.is("NEWWG"))
      pending_ = pending_ == g_none ? g_wg : std::min<int>(pending_, g_wg);
    else if (first.is("NEWSG"))
      pending_ = pending_ == g_none ? g_sg : pending_;
    else if (first.is("NEWTHREAD"))
      new_thread(c, first);
    else if (first.is("SLOC"))
      same_location(c);
    else if (first.is("SSW"))
      system_synchronizes(c);
    else {
      Cursor again(source_, k_lex, begin, end);
      instruction(again);
      return;
    }
    group_ = c.span(first);
    end_of_line(c);
  }

  void end_of_line(Cursor& c) const {
    if (!c.at_end())
      c.fail(c.peek(), fmt::format("unexpected {} at the end of the line", litmus::quoted(c.peek().text)),
             "one instruction or directive per line");
  }

  // ---- threads ----
  void add_thread(uint32_t number, const Span& at) {
    for (const uint32_t n : numbers_)
      if (n == number) fail_at(at, fmt::format("thread {} exists already", number), "give every thread its own number");
    if (!numbers_.empty() && pending_ != g_none) {
      ++path_[1 + static_cast<size_t>(pending_)];
      for (size_t k = 2 + static_cast<size_t>(pending_); k < path_.size(); ++k) path_[k] = 0;
    }
    pending_ = g_none;
    numbers_.push_back(number);
    scopes_.push_back(path_);
    b_.threads.emplace_back();
  }

  void new_thread(Cursor& c, const Token& at) {
    // Without a number: one more than the thread before; instructions above the first NEWTHREAD are thread 0.
    uint32_t number = numbers_.empty() ? 1 : numbers_.back() + 1;
    if (!c.at_end()) number = static_cast<uint32_t>(number_value(c, c.expect_number("a thread number"), 0xfffffffe));
    add_thread(number, c.span(at));
  }

  ThreadBuilder& thread(const Span& at) {
    if (numbers_.empty()) {
      pending_ = g_none;
      add_thread(0, at);
    }
    if (pending_ != g_none)
      fail_at(at, "this instruction would put its thread into two groups", "add NEWTHREAD after NEWQF, NEWWG or NEWSG");
    return b_.threads.back();
  }

  void system_synchronizes(Cursor& c) {
    Pair p;
    for (uint32_t* id : {&p.a, &p.b}) {
      const Token t = c.expect_number("a thread number", "write SSW 0 1");
      *id = static_cast<uint32_t>(number_value(c, t, 0xffffffff));
      p.span = c.span(t);
    }
    ssw_.push_back(p);
  }

  // ---- locations ----
  uint32_t variable(const Token& t) {
    for (uint32_t i = 0; i < variables_.size(); ++i)
      if (variables_[i].text == t.text) return i;
    variables_.push_back(t);
    return static_cast<uint32_t>(variables_.size() - 1);
  }

  void same_location(Cursor& c) {
    const Token a = c.expect_word("a location", "write SLOC x y");
    const Token b = c.expect_word("a second location", "write SLOC x y");
    sloc_.emplace_back(a, b);
  }

  // ---- instructions ----
  void instruction(Cursor& c) {
    const Mnemonic m = parse_mnemonic(c);
    const Span head = c.span(m.head());
    const VulkanOp op = parse_vulkan_op(c, m, VulkanSpelling::khronos);
    if (op.kind == VulkanOp::Kind::none) {
      std::vector<std::string> known = vulkan_mnemonics();
      for (const char* d : {"NEWQF", "NEWWG", "NEWSG", "NEWTHREAD", "SLOC", "SSW", "SATISFIABLE", "NOSOLUTION"})
        known.emplace_back(d);
      fail_at(head, fmt::format("there is no instruction {}", litmus::quoted(m.head().text)),
              suggest(m.head().text, known, "instructions are st ld rmw membar cbar avdevice visdevice"));
    }
    ThreadBuilder& t = thread(head);
    Instr i;
    i.mnemonic = op.mnemonic;
    i.tags = op.tags;
    i.store_tags = op.store_tags;
    switch (op.kind) {
      case VulkanOp::Kind::fence:
        i.kind = Kind::fence;
        break;
      case VulkanOp::Kind::barrier: {
        i.kind = Kind::barrier;
        const Token n = c.expect_number("a barrier instance", "number the barriers that meet, as in cbar.scopewg 0");
        i.barrier.instance = std::to_string(number_value(c, n));
        i.barrier.level = op.scope_level;
        break;
      }
      default:
        access(c, t, op, i);
        break;
    }
    i.span = c.since(m.head().begin);
    t.emit(std::move(i));
    end_of_line(c);
  }

  void access(Cursor& c, ThreadBuilder& t, const VulkanOp& op, Instr& i) {
    i.addr.symbol = variable(c.expect_word("a location", "name the memory location, as in st.sc0 x = 1"));
    std::vector<uint64_t> values;
    if (c.accept("="))
      while (values.size() < (op.kind == VulkanOp::Kind::rmw ? 2u : 1u) && !c.at_end())
        values.push_back(parse_constant(c));
    if (op.kind != VulkanOp::Kind::store) {
      i.dst = t.reg(fmt::format("r{}", t.code().registers.size()));
      if (!values.empty()) require(i.dst, values[0]);
    }
    switch (op.kind) {
      case VulkanOp::Kind::load:
        i.kind = Kind::load;
        break;
      case VulkanOp::Kind::store:
        i.kind = Kind::store;
        if (values.empty()) unsupported(here(c), "a store without a value", "write the value, as in st.sc0 x = 1");
        i.value = term::constant(values[0], 64);
        i.args = {i.value};
        break;
      default:
        i.kind = Kind::rmw;
        if (values.size() < 2)
          unsupported(here(c), "a read-modify-write without both values",
                      "write the value read and the value written, as in x = 1 2");
        i.value = term::constant(values[1], 64);
        i.args = {i.value};
        break;
    }
  }

  static Span here(Cursor& c) { return c.span(c.last_end(), c.last_end()); }

  void require(prog::RegId reg, uint64_t value) {
    prog::Cond atom;
    atom.kind = prog::Cond::Kind::atom;
    atom.lhs.kind = prog::CondValue::Kind::reg;
    atom.lhs.thread = static_cast<uint32_t>(b_.threads.size() - 1);
    atom.lhs.reg = reg;
    atom.rhs.constant = value;
    filter_.push_back(std::move(atom));
  }

  // ---- questions ----
  struct Clause {
    bool satisfiable = true, consistent = false, other = false;
    int race = -1;  // 0: #dr=0, 1: #dr>0
    bool chains = true;
  };

  void question(const Token& first, std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\t')) text.remove_suffix(1);
    Clause q;
    q.satisfiable = first.is("SATISFIABLE");
    std::string_view rest = text.substr(first.text.size());
    const size_t at = rest.find("NOCHAINS");
    if (at != std::string_view::npos) {
      q.chains = false;
      rest = rest.substr(at + 8);
    }
    std::string dense;
    std::copy_if(rest.begin(), rest.end(), std::back_inserter(dense), [](char x) { return x != ' ' && x != '\t'; });
    for (size_t pos = 0; pos <= dense.size();) {
      const size_t end = std::min(dense.find("&&", pos), dense.size());
      const std::string_view part = std::string_view(dense).substr(pos, end - pos);
      if (part == "consistent[X]")
        q.consistent = true;
      else if (part == "#dr=0" && q.race < 0)
        q.race = 0;
      else if (part == "#dr>0" && q.race < 0)
        q.race = 1;
      else
        q.other = true;
      pos = end + 2;
    }
    if (dense.empty())
      fail_at(Span{source_, first.begin, first.end}, fmt::format("{} lacks its formula", first.text),
              "write SATISFIABLE consistent[X] && #dr=0");
    prog::Expectation e;
    e.text = std::string(text);
    e.variant = q.chains ? "" : "nochains";
    b_.test.expectations.push_back(std::move(e));
    clauses_.push_back(q);
  }

  // A clause without consistent[X] also speaks of inconsistent executions: its NOSOLUTION is the stronger claim and
  // implies ours, its SATISFIABLE the weaker one, of which we can judge nothing.
  static bool expressible(const Clause& q) { return !q.other && (q.consistent || (!q.satisfiable && q.race == 1)); }

  void finish_questions() {
    for (size_t i = 0; i < clauses_.size(); ++i) {
      const Clause& q = clauses_[i];
      prog::Expectation& e = b_.test.expectations[i];
      if (!expressible(q)) {
        e.property = "";
        continue;
      }
      if (q.race < 0) {
        e.property = "condition";
        e.holds = q.satisfiable;
      } else if (q.race == 1) {
        e.property = "races";
        e.holds = !q.satisfiable;
      } else {
        const bool no_race_beside = std::any_of(clauses_.begin(), clauses_.end(), [&](const Clause& o) {
          return expressible(o) && !o.satisfiable && o.race == 1 && o.chains == q.chains;
        });
        e.property = q.satisfiable && no_race_beside ? "condition" : "race_free";
        e.holds = q.satisfiable;
      }
    }
  }

  uint32_t find_variable(const Token& t) const {
    for (uint32_t i = 0; i < variables_.size(); ++i)
      if (variables_[i].text == t.text) return i;
    std::vector<std::string> names;
    for (const Token& v : variables_) names.emplace_back(v.text);
    fail_at(Span{source_, t.begin, t.end}, fmt::format("no instruction uses the location {}", litmus::quoted(t.text)),
            suggest(t.text, names, "SLOC takes two locations that instructions name"));
  }

  void finish() {
    const auto size = static_cast<uint32_t>(source_->text.size());
    if (b_.threads.empty())
      fail_at(Span{source_, size, size}, "the test has no instructions", "start a thread with NEWTHREAD");
    if (pending_ != g_none && !b_.threads.empty() && group_.source != nullptr)
      fail_at(group_, "no thread follows this group", "add NEWTHREAD and instructions, or remove the line");
    // Names that SLOC joins share one object: that of the name that occurs first.
    std::vector<uint32_t> parent(variables_.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](uint32_t v) {
      while (parent[v] != v) v = parent[v];
      return v;
    };
    for (const auto& [a, b] : sloc_) {
      const uint32_t x = root(find_variable(a)), y = root(find_variable(b));
      parent[std::max(x, y)] = std::min(x, y);
    }
    for (uint32_t v = 0; v < variables_.size(); ++v) {
      const Span span{source_, variables_[v].begin, variables_[v].end};
      const uint32_t r = root(v);
      if (r == v)
        b_.declare(variables_[v].text, span);
      else
        b_.alias(variables_[v].text, r, "", span);
    }
    for (const Pair& p : ssw_) {
      const auto index = [&](uint32_t number) {
        const auto at = std::find(numbers_.begin(), numbers_.end(), number);
        if (at == numbers_.end())
          fail_at(p.span, fmt::format("there is no thread {}", number),
                  "number threads with NEWTHREAD 0, NEWTHREAD 1, ...");
        return static_cast<uint32_t>(at - numbers_.begin());
      };
      const uint32_t a = index(p.a), b = index(p.b);
      b_.test.ssw.emplace_back(a, b);
    }
    b_.finish_threads(std::move(scopes_));
    if (!filter_.empty()) b_.test.filter = join_conditions(prog::Cond::Kind::and_, std::move(filter_));
    b_.test.quantifier = prog::Quantifier::exists;
    finish_questions();
    b_.test.span = Span{source_, 0, size};
  }

  struct Pair {
    uint32_t a = 0, b = 0;
    Span span;
  };

  SourcePtr source_;
  AsmBuilder b_;
  int pending_ = g_none;  // widest group opened since the last thread
  Span group_;            // the last directive
  prog::ScopePath path_ = {0, 0, 0, 0};
  std::vector<uint32_t> numbers_;  // by thread: its number in the file
  std::vector<prog::ScopePath> scopes_;
  std::vector<Token> variables_;  // in the order in which they first occur; their index is the symbol
  std::vector<std::pair<Token, Token>> sloc_;
  std::vector<Pair> ssw_;
  std::vector<prog::Cond> filter_;
  std::vector<Clause> clauses_;  // parallel to test.expectations
};

}  // namespace

Expected<std::vector<prog::Test>> parse_khronos_test(SourcePtr source) {
  return guarded([&] {
    std::vector<prog::Test> out;
    out.push_back(Reader(source).parse());
    return out;
  });
}

}  // namespace fencepost::litmus
