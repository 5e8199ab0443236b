#pragma once
// The machine code of asynchronous PTX instructions, for the gate (ptx_gate.h). Inside inspect only.
//
//   PTX                                            machine code (ptxas 12.9 and 13.5, sm_90a)
//   cp.async                                       LDGSTS.<bits>, with .BYPASS for .cg
//   cp.async.commit_group, wait_group N            LDGDEPBAR, DEPBAR.LE.N; wait_all: both, with 0
//   cp.async.mbarrier.arrive                       SYNCS.ARRIVE.TRANS64.RED.A0T1; ARRIVES.LDGSTSBAR.64.TRANSCNT
//   cp.async.mbarrier.arrive.noinc                 ARRIVES.LDGSTSBAR.64.ARVCNT
//   cp.async.bulk                                  UBLKCP.<to>.<from>, with .STRONG.<scope> for .relaxed
//   cp.reduce.async.bulk                           UBLKRED.<to>.<from>.<operation>.<type>
//   cp.async.bulk.commit_group, wait_group{.read}  UTMACMDFLUSH, DEPBAR.LE.N and, but for .read, CCTL.IVALL
//   st.async, red.async                            STAS.<bits>, REDAS.<operation>.<type>
//   mbarrier.init, .inval                          SYNCS.EXCH.64 (FENCE.VIEW.ASYNC.S may stand before), SYNCS.CCTL.IV
//   mbarrier.arrive                                SYNCS.ARRIVE.TRANS64.<count>; release at .cluster: MEMBAR.ALL.GPU
//                                                  before; a peer's: .RED; arrive_drop: .OPTOUT
//   mbarrier.expect_tx, .complete_tx               SYNCS.ARRIVE.TRANS64.RED.A0TR, .A0TX
//   mbarrier.test_wait, .try_wait                  SYNCS.PHASECHK.TRANS64{.TRYWAIT}; acquire at .cluster: CCTL.IVALL;
//                                                  with a limit of time SYNCS.PHASECHK.TRANS64 stands between
//   barrier.cluster.arrive                         UCGABAR_ARV; release: MEMBAR.ALL.GPU before
//   barrier.cluster.wait                           UCGABAR_WAIT; CCTL.IVALL
//   fence.proxy.async{.shared::cluster}            MEMBAR.ALL.GPU; FENCE.VIEW.ASYNC.S
//   fence.release.sync_restrict, and               MEMBAR.ALL.CTA; FENCE.VIEW.ASYNC.S
//   fence.proxy.async::generic.release
//   fence.acquire.sync_restrict, its .read form,   nothing
//   fence.proxy.async::generic.acquire,
//   fence.mbarrier_init
//   fence.proxy.alias.acquire, .release            CCTL.IVALL; MEMBAR.ALL.SYS
//   fence.proxy.tensormap::generic.release         MEMBAR.ALL.SYS at .sys, else MEMBAR.ALL.GPU
//   fence.proxy.tensormap::generic.acquire         UTMACCTL.IV; UTMACMDFLUSH with 13.5
//   tensormap.replace of an address                STG.64; 13.5 clears a bit of the map as well: LDG.32, STG.32
//   cp.async.bulk.tensor.<n>d, tile                UTMALDG.<n>D
//   st.async.release, red.async.release (sm_100a)  MEMBAR.ALL.CTA; USTGR.<bits>.STRONG.<scope>, or
//                                                  UREDGR.ADD.<type>.STRONG.<scope>; DEPBAR.LE.0 with 12.9. ptxas
//                                                  takes red.async.relaxed.global as well: the same code
//   bar.warp.sync                                  WARPSYNC, which lanes that are together pass by (BRA.DIV)
//
// Orders at scope cta are no instructions, so a relaxed form there has the machine code of the other. Counts of
// arrivals, bytes, parities and addresses stand in registers and are not read.
#include <optional>
#include <string>
#include <vector>

namespace fencepost::inspect {

// Of "mbarrier.arrive.shared::cta.b64 _, [m], 2": alternatives, the usual one first. Nothing: the instruction is none
// of these. An empty list: its machine code cannot be read.
std::optional<std::vector<std::vector<std::string>>> async_sass(const std::string& instruction);

}  // namespace fencepost::inspect
