#pragma once
// The gate between a litmus test and its evidence: are the instructions of the test in the machine code, each as the
// table below says, and in the order of the test?
//
// Line information (kernel_ptx.h) leads from machine instructions back to the instruction of the test that they came
// from. For each of them the memory instructions that carry its line, in the order of addresses, must be what the table
// expects, once or (a duplicated block) several times; ERRBAR, which only reports errors, is overlooked. In straight
// code (equal segments of one role) addresses must rise in the order of the test, and where its instructions are there
// differently often, on every way through the machine code each comes after the one before it. An instruction in a loop
// must be in as many loops of the machine code (a load that spins may not be made once for all). An atomic operation
// whose address is the same for a whole warp, which becomes one operation for all lanes, is called merged. Where lines
// are off by one fence (sm_80), the straight code is compared as a whole, with the fence right before it that has no
// line of the test.
//
//   PTX                                    machine code (ptxas 13.0, sm_90)
//   ld.weak                                LDG.WEAK
//   ld.relaxed.S, ld.ca .cg .cv, volatile  LDG.STRONG.S; ca = SM, cg = GPU, cv and volatile = SYS, cluster = GPU
//   ld.acquire.S                           LDG.STRONG.S and, above cta, CCTL.IVALL
//   ld.mmio.relaxed.sys                    LDG.MMIO.SYS
//   st, likewise                           STG; release: MEMBAR.ALL.S before
//   atom, red                              ATOMG or REDG .STRONG.S; release: MEMBAR.ALL.S before; acquire:
//                                          CCTL.IVALL after
//   of shared memory                       LDS, STS, ATOMS: only fences tell orders apart; 64-bit arithmetic is a
//                                          loop of LDS and ATOMS.CAST
//   fence.acq_rel.S, fence.release.S       MEMBAR.ALL.S and, above cta, CCTL.IVALL (acq_rel)
//   fence.acquire.S                        above cta: CCTL.IVALL; cta: nothing
//   fence.sc.S, membar.S                   MEMBAR.SC.S and, above cta, CCTL.IVALL
//   fence.proxy.alias                      MEMBAR.SC.GPU or, decided at run time, MEMBAR.SC.SYS; CCTL.IVALL
//   fence.proxy.async                      MEMBAR.ALL.GPU; FENCE.VIEW.ASYNC.S (.global: FENCE.VIEW.ASYNC.G;
//                                          .shared::cta: MEMBAR.ALL.CTA before)
//   barrier.sync, barrier.arrive           BAR.SYNC, BAR.ARV
//   of shared memory of another CTA        LD, ST (generic addresses)
//   what is asynchronous                   async_sass.h
//
// An access of global memory that is issued before the answer of the mbarrier that it stands behind is called reordered
// (BUGS-FOUND.md): scoreboards tell, as no branch stands between.
//
// Before sm_90 an acquire in shared memory has no CCTL.IVALL, so such tests are called dropped there.
//
// Rewrites of ptxas 13.0 that it finds, each with a test: an overwritten relaxed store is deleted; weak loads of one
// place are merged; a weak load after a store to its place is answered by the store. And one defect: releasing and
// acquiring 64-bit arithmetic on shared memory loses its fences on sm_90 and later (BUGS-FOUND.md).
#include <string>
#include <vector>

#include "emit/kernel_ptx.h"
#include "inspect/cubin.h"
#include "inspect/what_ran.h"

namespace fencepost::inspect {

// The memory instructions expected for "ld.acquire.gpu.global.b32"; alternatives, the usual one first. None: its
// machine code cannot be read.
std::vector<std::vector<std::string>> expected_sass(const std::string& instruction);

WhatRanReport what_ran(const emit::PtxText& ptx, const std::string& cubin);
WhatRanReport what_ran(const emit::PtxText& ptx, const CubinKernel& kernel);

}  // namespace fencepost::inspect
