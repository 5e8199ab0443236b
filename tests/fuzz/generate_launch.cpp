// Random launches: copies of one lock-like thread over two workgroups. What makes a lock decidable without search (one
// order of the acquisitions, at most one of which reads a write; bounds/forbidden.h) and what must notice that it is
// not
// (a narrow scope, a relaxed order, a read-modify-write that is a plain store) meet here in every program.
#include <algorithm>

#include "draft.h"
#include "prog/syntax.h"

namespace fencepost::fuzz {
namespace {

struct Launch {
  Rng& rng;
  std::string wide, narrow;

  std::string scope() { return rng.chance(0.85) ? wide : narrow; }

  // Whether a failed attempt goes to the end. The order of writes and the last source of a read are decided by rules of
  // their own (bounds/rules.h) where it does and the release is a read-modify-write; both are drawn more often.
  static bool leaves(const std::vector<uint64_t>& draw) { return draw[2] % 3 != 0; }

  // Attempt, critical section, release; `own` is a location of the thread's own.
  std::vector<std::string> ptx(const std::string& own, const std::vector<uint64_t>& draw) {
    std::vector<std::string> out;
    const char* order[] = {"acquire", "relaxed", "acq_rel"};
    const std::string head = fmt::format("atom.{}.{}", order[draw[0] % 3], scopes[0]);
    const char* ops[] = {".cas r0, x, 0, 1", ".exch r0, x, 1", ".add r0, x, 1", ".add r0, x, 1"};
    out.push_back(head + ops[draw[1] % 4]);
    if (leaves(draw)) out.push_back("bne r0, 0, LC00");
    if (draw[3] % 2 == 0)
      out.push_back(draw[3] % 4 == 0 ? "ld.weak r1, y" : fmt::format("ld.relaxed.{} r1, y", scopes[1]));
    if (draw[4] % 3 != 0)
      out.push_back(draw[4] % 3 == 1 ? "st.weak y, 1" : fmt::format("st.relaxed.{} y, 1", scopes[1]));
    if (draw[5] % 4 == 0) out.push_back(fmt::format("st.weak {}, r0", own));
    const char* release[] = {"st.release.{} x, 0", "st.relaxed.{} x, 0", "atom.release.{}.exch r3, x, 0",
                             "atom.acq_rel.{}.add r3, x, 1"};
    if (const size_t k = draw[6] % 6; k != 5)
      out.push_back(fmt::format(fmt::runtime(release[std::min<size_t>(k, 3)]), scopes[2]));
    if (leaves(draw)) out.push_back("LC00:");
    return out;
  }

  std::vector<std::string> vulkan(const std::string& own, const std::vector<uint64_t>& draw) {
    std::vector<std::string> out;
    const char* order[] = {".acq", "", ".acq_rel"};
    const char* ops[] = {"", ".add", ".add"};
    const size_t o = draw[0] % 3;
    out.push_back(fmt::format("rmw.atom{}.{}.sc0{}{} r0, x, 1", order[o], scopes[0],
                              o == 1   ? ""
                              : o == 0 ? ".semsc0.semvis"
                                       : ".semsc0.semav.semvis",
                              ops[draw[1] % 3]));
    if (leaves(draw)) out.push_back("bne r0, 0, LC00");
    const char* reads[] = {"ld.nonpriv.sc0 r1, y", "ld.vis.{}.sc0 r1, y", "ld.atom.{}.sc0 r1, y", "ld.sc0 r1, y"};
    if (draw[3] % 5 != 4) out.push_back(fmt::format(fmt::runtime(reads[draw[3] % 5]), scopes[1]));
    const char* writes[] = {"st.nonpriv.sc0 y, 1", "st.av.{}.sc0 y, 1", "st.atom.{}.sc0 y, 1"};
    if (draw[4] % 4 != 3) out.push_back(fmt::format(fmt::runtime(writes[draw[4] % 4]), scopes[1]));
    if (draw[5] % 4 == 0) out.push_back(fmt::format("st.nonpriv.sc0 {}, r0", own));
    const char* release[] = {"st.atom.rel.{}.sc0.semsc0.semav x, 0", "st.atom.{}.sc0 x, 0",
                             "rmw.atom.rel.{}.sc0.semsc0 r3, x, 0", "rmw.atom.acq_rel.{}.sc0.semsc0.add r3, x, 1"};
    if (const size_t k = draw[6] % 6; k != 5)
      out.push_back(fmt::format(fmt::runtime(release[std::min<size_t>(k, 3)]), scopes[2]));
    if (leaves(draw)) out.push_back("LC00:");
    return out;
  }

  std::vector<std::string> opencl(const std::vector<uint64_t>& draw) {
    std::vector<std::string> out;
    const char* order[] = {"acquire", "relaxed", "acq_rel", "seq_cst"};
    const char* ops[] = {"atomic_exchange_explicit", "atomic_fetch_add_explicit"};
    out.push_back(
        fmt::format("int r0 = {}(x, 1, memory_order_{}, {});", ops[draw[1] % 2], order[draw[0] % 4], scopes[0]));
    if (draw[3] % 2 == 0) out.push_back("int r1 = *y;");
    if (draw[4] % 2 == 0) out.push_back("*y = 1;");
    const char* release[] = {"release", "relaxed", "seq_cst"};
    const size_t k = draw[6] % 6;
    if (k < 3) out.push_back(fmt::format("atomic_store_explicit(x, 0, memory_order_{}, {});", release[k], scopes[2]));
    if (k == 3 || k == 4)
      out.push_back(fmt::format("int r3 = atomic_fetch_add_explicit(x, 1, memory_order_acq_rel, {});", scopes[2]));
    return out;
  }

  std::vector<std::string> scopes;
};

}  // namespace

Program generate_launch(Rng& rng) {
  Program p;
  p.title = "launch";
  const size_t notation = weighted(rng, {3, 4, 3});
  p.syntax = notation == 0 ? prog::Syntax::ptx : notation == 1 ? prog::Syntax::vulkan : prog::Syntax::opencl;
  Launch g{rng,
           notation == 0   ? "gpu"
           : notation == 1 ? "dv"
                           : "memory_scope_device",
           notation == 0   ? "cta"
           : notation == 1 ? "wg"
                           : "memory_scope_work_group",
           {}};
  for (int k = 0; k < 3; ++k) g.scopes.push_back(g.scope());
  std::vector<uint64_t> draw;
  for (int k = 0; k < 8; ++k) draw.push_back(rng.below(60));
  const size_t threads = 2 + weighted(rng, {4, 5, 1});
  const size_t group = rng.chance(0.7) ? (threads + 1) / 2 : threads;  // invocations of a workgroup
  if (notation == 2) {
    p.parameters = "global atomic_int* x, global int* y";
    p.init = {"[x] = 0", "[y] = 0"};
  } else {
    p.init = {"x = 0", "y = 0"};
  }
  for (size_t t = 0; t < threads; ++t) {
    const std::string own = fmt::format("xown{}", t);
    const size_t wg = t / group;
    ThreadText text;
    text.place = notation == 0   ? fmt::format("@cta {},gpu 0", wg)
                 : notation == 1 ? fmt::format("@sg 0,wg {},qf 0", wg)
                                 : fmt::format("@wg {}, dev 0", wg);
    text.items = notation == 0 ? g.ptx(own, draw) : notation == 1 ? g.vulkan(own, draw) : g.opencl(draw);
    p.threads.push_back(std::move(text));
  }
  if (notation != 2 && draw[5] % 4 == 0)
    for (size_t t = 0; t < threads; ++t) p.init.push_back(fmt::format("xown{} = 0", t));
  return p;
}

}  // namespace fencepost::fuzz
