#pragma once
// Loop bounds as text that people read and edit; `--save-bounds` writes it and `--bounds` reads it.
//
//   # comment
//   program ticket.litmus#Ticket lock                 the file's name without its folder, '#', the title of the test
//   loop LC00 line 12 threads P0-P2,P5 bound 4        the label, where it stands, whose loop it is
//
// A bound says how often the body of the loop may run; as with bound auto, iterations that change nothing are not
// counted.
// Loops that are not listed have the bound of the command line. A file that does not fit the program (another name, no
// such loop, the loop on another line) is an error, placed in the file.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "prog/loop_bounds.h"

namespace fencepost::check {

struct BoundsEntry {
  std::string label;
  uint32_t line = 0;
  std::vector<uint32_t> threads;
  uint32_t bound = 1;
  Span label_span, line_span, threads_span;
};

struct ProgramBounds {
  std::string program;
  std::vector<BoundsEntry> loops;
  Span span;
};

struct BoundsFile {
  std::vector<ProgramBounds> programs;
  Span span;
};

// "ticket.litmus#Ticket lock" of "locks/ticket.litmus".
std::string program_name(const std::string& path, const prog::Test& test);

Expected<BoundsFile> parse_bounds(SourcePtr source);

// The bounds of `test`, which is called `program`; loops that are not listed have the bound `others`. A program without
// loops needs no place in the file.
Expected<prog::LoopBounds> bounds_for(const BoundsFile& file, const std::string& program, const prog::Test& test,
                                      uint32_t others);

// The part of a file about one program, ready to be read again; "" for a program without loops. `remark` becomes a
// comment.
std::string print_bounds(const std::string& program, const prog::Test& test, const prog::LoopBounds& bounds,
                         const std::string& remark);

inline constexpr const char* k_bounds_head =
    "# How often the bodies of loops may run, not counting iterations that change nothing. Edit the numbers as you "
    "like.\n";

}  // namespace fencepost::check
