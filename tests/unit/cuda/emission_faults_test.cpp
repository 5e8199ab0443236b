// Faults planted in what is printed: each must show in the text (emit::fault_of) or, where the text is whole, in the
// machine code (the gate; with ptxas only).
#include <functional>

#include "emit/kernel_ptx.h"
#include "inspect/ptx_gate.h"
#include "kernels.h"

using namespace fencepost;

namespace {

struct Printed {
  code::Kernel kernel;
  emit::PtxText ptx;
};

Printed printed() {
  Printed p{role_of({"st.relaxed.gpu x 1", "fence.sc.gpu", "ld.acquire.gpu y", "st.release.gpu z 1"}), {}};
  p.ptx = *emit::kernel_ptx(p.kernel);
  return p;
}

// Removes the line in which `what` stands, or puts `with` in its place.
void edit(std::string& text, const std::string& what, const std::string& with) {
  const size_t at = text.find("\t" + what);
  ASSERT_NE(at, std::string::npos) << what;
  if (with.empty())
    text.erase(at, text.find('\n', at) + 1 - at);
  else
    text.replace(at + 1, what.size(), with);
}

struct Fault {
  const char* name;
  std::function<void(Printed&)> plant;
};

const std::vector<Fault> k_in_text = {
    {"dropped fence", [](Printed& p) { edit(p.ptx.text, "fence.sc.gpu", ""); }},
    {"weaker fence", [](Printed& p) { edit(p.ptx.text, "fence.sc.gpu", "fence.acq_rel.gpu"); }},
    {"narrower scope", [](Printed& p) { edit(p.ptx.text, "st.relaxed.gpu", "st.relaxed.cta"); }},
    {"lost order", [](Printed& p) { edit(p.ptx.text, "ld.acquire.gpu", "ld.relaxed.gpu"); }},
    {"dropped store", [](Printed& p) { edit(p.ptx.text, "st.release.gpu", ""); }},
    {"an instruction and its site are both left out",
     [](Printed& p) {
       edit(p.ptx.text, "fence.sc.gpu", "");
       p.ptx.sites.erase(p.ptx.sites.begin() + 1);
     }},
    {"instructions change places", [](Printed& p) { std::swap(p.ptx.sites[0], p.ptx.sites[3]); }},
};

TEST(EmissionFaults, NoneIsSeenWhereNoneIs) {
  const Printed p = printed();
  EXPECT_EQ(emit::fault_of(p.ptx, p.kernel), "");
  const code::Kernel frame = every_statement();
  EXPECT_EQ(emit::fault_of(*emit::kernel_ptx(frame), frame), "");
}

TEST(EmissionFaults, EveryPlantedOneShowsInTheText) {
  for (const Fault& f : k_in_text) {
    Printed p = printed();
    f.plant(p);
    EXPECT_NE(emit::fault_of(p.ptx, p.kernel), "") << f.name;
  }
}

TEST(EmissionFaults, AFrameWithoutItsAccessesIsNamed) {
  const code::Kernel frame = every_statement();
  emit::PtxText text = *emit::kernel_ptx(frame);
  ASSERT_FALSE(text.frame.empty());
  edit(text.text, text.frame.back().instruction, "");
  EXPECT_NE(emit::fault_of(text, frame).find("the frame's"), std::string::npos);
}

// A faulty text that passed as whole would still be caught in machine code.
TEST(EmissionFaults, TheGateCatchesThemToo) {
  SKIP_WITHOUT_PTXAS();
  for (const Fault& f : k_in_text) {
    Printed p = printed();
    f.plant(p);
    const auto made = device::cuda::assemble(*ptxas(), p.ptx.text, 90);
    ASSERT_FALSE(made.cubin.empty()) << f.name << made.message;
    const bool unseen = std::string(f.name).find("both") != std::string::npos;  // why the text is looked at as well
    EXPECT_EQ(inspect::what_ran(p.ptx, made.cubin).verdict == inspect::WhatRan::as_written, unseen) << f.name;
  }
}

}  // namespace
