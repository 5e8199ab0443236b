#include "formula/second.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <unordered_set>

#include "base/write_file.h"

namespace fencepost::formula {
namespace {

std::string bits(uint64_t value, uint8_t width) { return fmt::format("(_ bv{} {})", value & ones(width), width); }

std::string sort(uint8_t width) { return fmt::format("(_ BitVec {})", width); }

// Functions are one for each symbol and widths of arguments and result.
std::string function_name(const Pool& pool, Term t) {
  std::string s = fmt::format("f{}", pool[t].value);
  for (const Term k : pool[t].kids) s += fmt::format("_{}", pool.width(k));
  return s + fmt::format("_{}", pool.width(t));
}

std::string definition(const Pool& pool, Term t) {
  const Node& n = pool[t];
  const auto kid = [&](size_t i) { return fmt::format("t{}", n.kids[i].id); };
  const auto two = [&](const char* op) { return fmt::format("({} {} {})", op, kid(0), kid(1)); };
  const auto truth = [&](const std::string& condition) { return fmt::format("(ite {} #b1 #b0)", condition); };
  // Division by zero gives 0 where it is signed.
  const auto guarded = [&](const char* op) {
    const std::string zero = bits(0, n.width);
    return fmt::format("(ite (= {} {}) {} {})", kid(1), zero, zero, two(op));
  };
  switch (n.op) {
    case Op::constant:
      return bits(n.value, n.width);
    case Op::variable:
      return fmt::format("v{}_{}", n.value, n.width);
    case Op::apply: {
      if (n.kids.empty()) return function_name(pool, t);
      std::string s = "(" + function_name(pool, t);
      for (size_t i = 0; i < n.kids.size(); ++i) s += " " + kid(i);
      return s + ")";
    }
    case Op::all: {
      std::string s = "(bvand";
      for (size_t i = 0; i < n.kids.size(); ++i) s += " " + kid(i);
      return s + ")";
    }
    case Op::not_:
      return fmt::format("(bvnot {})", kid(0));
    case Op::ite:
      return fmt::format("(ite (= {} #b1) {} {})", kid(0), kid(1), kid(2));
    case Op::sum: {
      std::string s = bits(n.value, n.width);
      for (size_t i = 0; i < n.kids.size(); ++i)
        s = fmt::format("(bvadd {} (bvmul {} {}))", s, bits(n.coefficients[i], n.width), kid(i));
      return s;
    }
    case Op::mul:
      return two("bvmul");
    case Op::udiv:
      return two("bvudiv");
    case Op::urem:
      return two("bvurem");
    case Op::sdiv:
      return guarded("bvsdiv");
    case Op::srem:
      return guarded("bvsrem");
    case Op::and_:
      return two("bvand");
    case Op::or_:
      return two("bvor");
    case Op::xor_:
      return two("bvxor");
    case Op::shl:
      return two("bvshl");
    case Op::lshr:
      return two("bvlshr");
    case Op::ashr:
      return two("bvashr");
    case Op::eq:
      return truth(two("="));
    case Op::ult:
      return truth(two("bvult"));
    case Op::slt:
      return truth(two("bvslt"));
    case Op::zext:
      return fmt::format("((_ zero_extend {}) {})", n.width - pool.width(n.kids[0]), kid(0));
    case Op::sext:
      return fmt::format("((_ sign_extend {}) {})", n.width - pool.width(n.kids[0]), kid(0));
    case Op::extract:
      return fmt::format("((_ extract {} {}) {})", n.value + n.width - 1, n.value, kid(0));
    case Op::concat:
      return two("concat");
  }
  return "";
}

const char* name(Answer a) { return a == Answer::sat ? "sat" : a == Answer::unsat ? "unsat" : "unknown"; }

}  // namespace

std::string smt_text(const Pool& pool, const std::vector<Term>& conjunction) {
  std::string declared, defined;
  std::set<std::string> known;
  std::unordered_set<uint32_t> done;
  std::vector<Term> todo(conjunction);
  while (!todo.empty()) {
    const Term t = todo.back();
    if (done.contains(t.id)) {
      todo.pop_back();
      continue;
    }
    const Node& n = pool[t];
    bool ready = true;
    for (const Term k : n.kids)
      if (!done.contains(k.id)) {
        todo.push_back(k);
        ready = false;
      }
    if (!ready) continue;
    todo.pop_back();
    done.insert(t.id);
    if (n.op == Op::variable)
      declared += fmt::format("(declare-const v{}_{} {})  ; {}\n", n.value, n.width, sort(n.width),
                              pool.variable_name(n.value));
    if (n.op == Op::apply && known.insert(function_name(pool, t)).second) {
      std::string arguments;
      for (const Term k : n.kids) arguments += (arguments.empty() ? "" : " ") + sort(pool.width(k));
      declared += fmt::format("(declare-fun {} ({}) {})  ; {}\n", function_name(pool, t), arguments, sort(n.width),
                              pool.symbol_name(n.value));
    }
    defined += fmt::format("(define-fun t{} () {} {})\n", t.id, sort(n.width), definition(pool, t));
  }
  std::string s = "(set-logic QF_UFBV)\n" + declared + defined;
  for (const Term t : conjunction) s += fmt::format("(assert (= t{} #b1))\n", t.id);
  return s + "(check-sat)\n";
}

Expected<std::shared_ptr<Second>> Second::make(const Setup& setup) {
  std::shared_ptr<Second> s(new Second(setup));
  if (!setup.dump.empty()) {
    std::error_code ec;
    std::filesystem::create_directories(setup.dump, ec);
    if (!std::filesystem::is_directory(setup.dump, ec))
      return error_at({}, fmt::format("the folder '{}' cannot be made", setup.dump), "--smt-dump=DIR");
  }
  if (setup.solver.empty()) return s;
  s->program_ = find_program(setup.solver, {});
  if (s->program_.empty())
    return error_at({}, fmt::format("'{}' is not on PATH", setup.solver),
                    "Debian has the packages z3 and cvc5; without --second-opinion none is needed");
  if (s->scratch_.path().empty()) return error_at({}, "no folder for the questions can be made", "set TMPDIR");
  return s;
}

void Second::hear(const Pool& pool, const std::vector<Term>& conjunction, Answer ours) {
  if (ours == Answer::unknown) return;
  // As a comment: solvers that are told a status abort where they find another.
  const std::string text = fmt::format("; answered {}\n", name(ours)) + smt_text(pool, conjunction);
  uint64_t number = 0;
  {
    const std::lock_guard lock(guard_);
    number = next_++;
  }
  std::string file;
  const auto write = [&](const std::string& folder) {
    file = fmt::format("{}/question-{:06}.smt2", folder, number);
    const Written written = write_file(file, text);
    if (written) return;
    const std::lock_guard lock(guard_);
    if (told_.lost.empty()) told_.lost = written.why.list.front().message;
  };
  if (!setup_.dump.empty()) {
    write(setup_.dump);
    const std::lock_guard lock(guard_);
    ++told_.dumped;
  }
  if (program_.empty()) return;
  if (file.empty()) write(scratch_.path());
  std::vector<std::string> words{program_};
  if (setup_.solver == "z3") words.insert(words.end(), {"-smt2", fmt::format("-T:{}", setup_.seconds), file});
  if (setup_.solver == "cvc5")
    words.insert(words.end(), {"--lang=smt2", fmt::format("--tlimit={}", 1000 * setup_.seconds), file});
  if (setup_.solver == "bitwuzla") words.insert(words.end(), {"-t", fmt::format("{}", 1000 * setup_.seconds), file});
  const auto begin = std::chrono::steady_clock::now();
  const ChildResult r = run_child(words, fmt::format("{}/answer-{:06}", scratch_.path(), number),
                                  std::chrono::seconds(setup_.seconds + 5));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::string first = r.output.substr(0, r.output.find_first_of("\r\n"));
  const std::lock_guard lock(guard_);
  told_.seconds += seconds;
  if (first == name(ours)) {
    ++told_.agreed;
  } else if (first == "sat" || first == "unsat") {
    ++told_.disagreed;
    if (told_.disagreements.size() < 5)
      told_.disagreements.push_back(
          fmt::format("{} says {}, our own solver says {}{}", setup_.solver, first, name(ours),
                      setup_.dump.empty() ? " (--smt-dump=DIR keeps the question)" : ": " + file));
  } else {
    ++told_.unanswered;
    const bool late = r.timed_out || first == "unknown" || first.find("timeout") != std::string::npos ||
                      r.output.find("interrupted") != std::string::npos;
    if (!late && told_.fault.empty()) told_.fault = first.substr(0, 200);
  }
  if (setup_.dump.empty()) {
    std::error_code ec;
    std::filesystem::remove(file, ec);
  }
  std::error_code ec;
  std::filesystem::remove(fmt::format("{}/answer-{:06}", scratch_.path(), number), ec);
}

Second::Told Second::told() const {
  const std::lock_guard lock(guard_);
  return told_;
}

}  // namespace fencepost::formula
