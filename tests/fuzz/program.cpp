#include "program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "prog/syntax.h"
#include "read/read.h"

namespace fencepost::fuzz {

bool in_c(prog::Syntax s) { return s == prog::Syntax::opencl || s == prog::Syntax::cuda; }

namespace {

std::string text(const Atom& a, prog::Syntax syntax) {
  if (a.thread < 0) return fmt::format("{} = {}", a.name, a.value);
  return fmt::format("{}{}:{} = {}", in_c(syntax) || syntax == prog::Syntax::gpu_ptx ? "" : "P", a.thread, a.name,
                     a.value);
}

std::string text(const Conjunction& c, prog::Syntax syntax) {
  std::string out;
  for (const Atom& a : c) out += (out.empty() ? "" : " /\\ ") + text(a, syntax);
  return out;
}

std::string text(const Question& q, prog::Syntax syntax) {
  std::string body;
  for (const Conjunction& c : q.disjuncts) body += fmt::format("{}({})", body.empty() ? "" : " \\/ ", text(c, syntax));
  if (q.negated) body = "~(" + body + ")";
  switch (q.quantifier) {
    case prog::Quantifier::exists:
      return "exists (" + body + ")\n";
    case prog::Quantifier::not_exists:
      return "~exists (" + body + ")\n";
    case prog::Quantifier::forall:
      return "forall (" + body + ")\n";
    default:
      return "";
  }
}

// Threads side by side, cells padded so that a person can read a reproducer.
std::string columns(const Program& p) {
  size_t rows = 0;
  std::vector<size_t> width;
  for (size_t t = 0; t < p.threads.size(); ++t) {
    const ThreadText& thread = p.threads[t];
    rows = std::max(rows, thread.items.size());
    size_t w = fmt::format("P{}{}", t, thread.place).size();
    for (const std::string& item : thread.items) w = std::max(w, item.size());
    width.push_back(w);
  }
  std::string out;
  const auto row = [&](auto cell) {
    for (size_t t = 0; t < p.threads.size(); ++t)
      out += fmt::format("{} {:<{}} ", t == 0 ? "" : "|", cell(t), width[t]);
    out += ";\n";
  };
  row([&](size_t t) { return fmt::format("P{}{}", t, p.threads[t].place); });
  for (size_t r = 0; r < rows; ++r)
    row([&](size_t t) { return r < p.threads[t].items.size() ? p.threads[t].items[r] : std::string(); });
  return out;
}

std::string bodies(const Program& p) {
  std::string out;
  for (size_t t = 0; t < p.threads.size(); ++t) {
    out += fmt::format("P{}{} ({}) {{\n", t, p.threads[t].place, p.parameters);
    for (const std::string& item : p.threads[t].items) out += "  " + item + "\n";
    out += "}\n";
  }
  return out;
}

// Without thread t: later threads move up, and what mentioned t goes.
void remove_thread(Program& p, int t) {
  p.threads.erase(p.threads.begin() + t);
  const auto renumber = [t](Conjunction& c) {
    std::erase_if(c, [t](const Atom& a) { return a.thread == t; });
    for (Atom& a : c)
      if (a.thread > t) --a.thread;
  };
  renumber(p.filter);
  for (Conjunction& c : p.question.disjuncts) renumber(c);
  std::erase_if(p.question.disjuncts, [](const Conjunction& c) { return c.empty(); });
  std::erase_if(p.ssw, [t](auto s) { return s.first == t || s.second == t; });
  for (auto& [a, b] : p.ssw) {
    if (a > t) --a;
    if (b > t) --b;
  }
  if (p.question.disjuncts.empty()) p.question = {};
}

}  // namespace

std::string render(const Program& p) {
  std::string out;
  switch (p.syntax) {
    case prog::Syntax::vulkan:
      out = "VULKAN ";
      break;
    case prog::Syntax::opencl:
      out = "OPENCL ";
      break;
    case prog::Syntax::cuda:
      out = "CUDA ";
      break;
    case prog::Syntax::gpu_ptx:
      out = "GPU_PTX ";
      break;
    default:
      out = "PTX ";
      break;
  }
  out += p.title + "\n{\n";
  for (const std::string& i : p.init) out += "  " + i + ";\n";
  out += "}\n";
  if (!p.ssw.empty()) {
    out += "{\n";
    for (const auto& [a, b] : p.ssw) out += fmt::format("  ssw {} {};\n", a, b);
    out += "}\n";
  }
  out += in_c(p.syntax) ? bodies(p) : columns(p);
  for (const std::string& d : p.declarations) out += d + "\n";
  if (!p.filter.empty()) out += "filter (" + text(p.filter, p.syntax) + ")\n";
  out += text(p.question, p.syntax);
  return out;
}

Expected<prog::Test> parse(const Program& p) { return read::parse_one(make_source(p.title + ".litmus", render(p))); }

std::vector<Program> smaller(const Program& p) {
  std::vector<Program> out;
  const auto with = [&](auto change) {
    Program q = p;
    change(q);
    out.push_back(std::move(q));
  };
  if (p.threads.size() > 1)
    for (int t = static_cast<int>(p.threads.size()) - 1; t >= 0; --t) with([&](Program& q) { remove_thread(q, t); });
  for (size_t t = 0; t < p.threads.size(); ++t) {
    const size_t n = p.threads[t].items.size();
    if (n > 3) {
      with([&](Program& q) { q.threads[t].items.resize(n / 2); });
      with([&](Program& q) {
        q.threads[t].items.erase(q.threads[t].items.begin(), q.threads[t].items.begin() + static_cast<long>(n / 2));
      });
    }
  }
  if (!p.filter.empty()) with([](Program& q) { q.filter.clear(); });
  for (size_t d = 0; d < p.question.disjuncts.size(); ++d) {
    if (p.question.disjuncts.size() > 1)
      with([&](Program& q) { q.question.disjuncts.erase(q.question.disjuncts.begin() + static_cast<long>(d)); });
    const Conjunction& c = p.question.disjuncts[d];
    for (size_t k = 0; c.size() > 1 && k < c.size(); ++k)
      with([&](Program& q) { q.question.disjuncts[d].erase(q.question.disjuncts[d].begin() + static_cast<long>(k)); });
  }
  if (p.question.quantifier != prog::Quantifier::none) with([](Program& q) { q.question = {}; });
  for (size_t t = 0; t < p.threads.size(); ++t)
    for (size_t i = 0; i < p.threads[t].items.size(); ++i)
      with([&](Program& q) { q.threads[t].items.erase(q.threads[t].items.begin() + static_cast<long>(i)); });
  // A jump and its label, or a read and what depends on it, go only together.
  for (size_t t = 0; t < p.threads.size(); ++t)
    for (size_t i = 0; i < p.threads[t].items.size(); ++i)
      for (size_t j = i + 1; j < p.threads[t].items.size(); ++j)
        with([&](Program& q) {
          auto& items = q.threads[t].items;
          items.erase(items.begin() + static_cast<long>(j));
          items.erase(items.begin() + static_cast<long>(i));
        });
  for (size_t i = 0; i < p.init.size(); ++i)
    with([&](Program& q) { q.init.erase(q.init.begin() + static_cast<long>(i)); });
  for (size_t i = 0; i < p.ssw.size(); ++i)
    with([&](Program& q) { q.ssw.erase(q.ssw.begin() + static_cast<long>(i)); });
  return out;
}

Program generate(Rng& rng) {
  const uint64_t k = rng.below(100);
  if (k < 34) return generate_ptx(rng);
  if (k < 44) return generate_gpu_ptx(rng);
  if (k < 68) return generate_vulkan(rng);
  if (k < 76) return generate_cuda(rng);
  return generate_opencl(rng);
}

const std::vector<std::string>& classes() {
  static const std::vector<std::string> k_classes = {"plain load",
                                                     "plain store",
                                                     "relaxed load",
                                                     "relaxed store",
                                                     "acquire load",
                                                     "release store",
                                                     "seq_cst access",
                                                     "rmw operation",
                                                     "rmw exchange",
                                                     "rmw compare-exchange",
                                                     "fence acq_rel",
                                                     "fence one-sided",
                                                     "fence sc",
                                                     "fence proxy",
                                                     "proxy access",
                                                     "alias",
                                                     "barrier plain",
                                                     "barrier named",
                                                     "barrier quorum",
                                                     "barrier arrive",
                                                     "avdevice",
                                                     "visdevice",
                                                     "av or vis access",
                                                     "sem av or vis",
                                                     "ssw",
                                                     "filter",
                                                     "branch",
                                                     "spin loop",
                                                     "data dependency",
                                                     "address dependency",
                                                     "control dependency",
                                                     "local arithmetic",
                                                     "scopes differ",
                                                     "cluster scope",
                                                     "types differ",
                                                     "failure order",
                                                     "barrier register"};
  return k_classes;
}

}  // namespace fencepost::fuzz
