#pragma once
// A random litmus test as text in pieces: what the generators make, what the engines are asked about after
// parsing, and what the shrinker takes apart. Text and not prog::Test, so that every program that the engines
// meet is one that a person could have written, with the tags and the lowering that the front ends give it,
// and so that a reproducer needs no printer.
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/job.h"
#include "prog/syntax.h"
#include "prog/test.h"

namespace fencepost::fuzz {

// One comparison of the condition. `thread` < 0: a location; else the register `name` of that thread.
struct Atom {
  int thread = -1;
  std::string name;
  std::string value;
  bool operator==(const Atom&) const = default;
};
using Conjunction = std::vector<Atom>;

// A disjunction of conjunctions, perhaps negated. No disjunct: no condition.
struct Question {
  prog::Quantifier quantifier = prog::Quantifier::none;
  bool negated = false;
  std::vector<Conjunction> disjuncts;
};

struct ThreadText {
  std::string place;               // "@cta 0,gpu 0"
  std::vector<std::string> items;  // one instruction, label or statement each
};

struct Program {
  prog::Syntax syntax = prog::Syntax::ptx;
  std::string title;
  std::vector<std::string> init;  // entries of the initial state
  std::vector<std::pair<int, int>> ssw;
  std::string parameters;                 // opencl: of every thread
  std::vector<std::string> declarations;  // gpu_ptx: memory map entries
  std::vector<ThreadText> threads;
  Conjunction filter;
  Question question;
  std::set<std::string> classes;  // instruction classes that occur, by name
};

// Threads are functions, not columns.
bool in_c(prog::Syntax s);

std::string render(const Program& p);
Expected<prog::Test> parse(const Program& p);

// Smaller neighbours, the most daring first: without a thread, without an item, without an initial value,
// a pair, a filter, a conjunct or a disjunct. They need not parse.
std::vector<Program> smaller(const Program& p);

// Generators. Same generator state, same program. The program has no question yet.
Program generate_ptx(Rng& rng);
Program generate_vulkan(Rng& rng);
Program generate_opencl(Rng& rng);
Program generate_gpu_ptx(Rng& rng);
Program generate_cuda(Rng& rng);
// Copies of a lock-like thread, in one of three notations.
Program generate_launch(Rng& rng);
// One of the first five.
Program generate(Rng& rng);

// The classes that a run must have met often enough (see statistics.h): every class that a generator can make.
const std::vector<std::string>& classes();

}  // namespace fencepost::fuzz
