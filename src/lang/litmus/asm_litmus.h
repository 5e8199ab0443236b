#pragma once
// The frame that PTX and VULKAN litmus files share:
//   LANG title  { initial state }  [{ ssw pairs }]  thread row ;  instruction rows ;  question
// A dialect gives the scope levels of a thread, the form of an alias, and its instructions.
#include "litmus/asm_builder.h"

namespace fencepost::litmus {

struct AsmDialect {
  prog::Syntax syntax;
  prog::Dialect dialect;
  std::vector<std::string_view> levels;  // as the thread row names them; in prog::ScopePath order, below the root
  bool proxied_aliases = false;          // "y @ surface aliases x"; else "y aliases x"
  bool ssw = false;                      // a second block of thread pairs
  void (*instruction)(Cursor&, AsmBuilder&, ThreadBuilder&, const Mnemonic&) = nullptr;
  // The thread row may name clusters too, "P0@cta 0, cluster 0, gpu 0": all threads or none, since CTAs that name none
  // are clusters of their own, and one that was forgotten would be a narrower scope without a word. CTAs are numbered
  // on their device, with and without clusters, so a CTA is in one cluster.
  bool clusters = false;
  bool hosts = false;  // the thread row may have "P1@host": an x86 thread of the host
};

prog::Test parse_asm(const SourcePtr& source, const AsmDialect& dialect);  // throws ParseError

}  // namespace fencepost::litmus
