// Bulk copies read and write through the asynchronous proxy: what was stored before needs a fence of both proxies.
#include "decide.h"

namespace fencepost::verifier {
namespace {

const std::string k_head =
    "__global__ void k(int *d, int n) { __shared__ alignas(16) int s[64]; int t = threadIdx.x;"
    " unsigned a = (unsigned)__cvta_generic_to_shared(s);";
const std::string k_copy =
    "asm volatile(\"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\""
    " :: \"l\"(d + blockIdx.x * 64), \"r\"(a) : \"memory\");";
const std::string k_commit = "asm volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\");";
const std::string k_wait = "asm volatile(\"cp.async.bulk.wait_group.read 0;\" ::: \"memory\");";
const std::string k_fence = "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");";
const std::string k_all = "asm volatile(\"fence.proxy.async;\" ::: \"memory\");";
const std::string k_by_first = "if (t == 0) {" + k_copy + k_commit + k_wait + "} }";
const char* const k_said = "generic writes before a bulk copy without fence.proxy.async";
const char* const k_ends = "a bulk copy that its thread does not wait for before it ends";

void is(int exit_code, const std::string& body, const char* says = "", const std::string& block = "64") {
  const std::string text = k_head + body;
  decide({{"k.cu", text.c_str(), exit_code, says, {"--blockDim=" + block}}});
}

TEST(Proxies, what_was_stored_is_fenced_before_a_bulk_copy_reads_it) {
  const std::string barrier = "__syncthreads();";
  for (const std::string& fence : {k_fence, k_all}) is(0, "s[t] = t;" + fence + barrier + k_by_first);
  is(0, "for (int i = t; i < 64; i += 32) s[i] = i;" + k_fence + barrier + k_by_first, "", "32");
  is(0, "if (t < n) s[t] = t;" + k_fence + barrier + k_by_first);
  is(0, "if (t < n) { s[t] = t;" + k_fence + "}" + barrier + k_by_first);
  is(0, "if (t == 0) { for (int i = 0; i < 64; ++i) s[i] = i;" + k_fence + k_copy + k_commit + k_wait + "} }");
  // Without it, behind the barrier, before the store, by one thread, by some, of other memory, of another proxy.
  is(3, "s[t] = t;" + barrier + k_by_first, k_said);
  is(3, "s[t] = t;" + barrier + k_fence + k_by_first, k_said);
  is(3, k_fence + "s[t] = t;" + barrier + k_by_first, k_said);
  is(3, "s[t] = t; if (t == 0) {" + k_fence + "}" + barrier + k_by_first, k_said);
  is(3, "s[t] = t; if (t < n) {" + k_fence + "}" + barrier + k_by_first, k_said);
  is(3, "s[t] = t; asm volatile(\"fence.proxy.async.global;\" ::: \"memory\");" + barrier + k_by_first, k_said);
  is(3, "s[t] = t; asm volatile(\"fence.proxy.alias;\" ::: \"memory\");" + barrier + k_by_first, k_said);
  is(3, "atomicExch(&s[t], t);" + barrier + k_by_first, k_said);
  is(3, "s[0] = t;" + k_copy + k_commit + k_wait + "}", k_said, "1");
  is(3, "if (t == 0) { for (int i = 0; i < 64; ++i) s[i] = i;" + k_copy + k_commit + k_wait + "} }", k_said);
  is(3, "for (int i = t; i < 64; i += 32) {" + k_fence + " s[i] = i; }" + barrier + k_by_first, k_said, "32");
  is(3,
     "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(a + 4 * t), \"l\"(d + 65536 + t) : "
     "\"memory\");"
     "asm volatile(\"cp.async.wait_all;\" ::: \"memory\");" +
         barrier + k_by_first,
     k_said);
}

TEST(Proxies, what_was_read_is_fenced_before_a_bulk_copy_writes_there) {
  const char* const said = "generic accesses before a bulk copy to their place without fence.proxy.async";
  const std::string move = "s[t] = d[blockIdx.x * 64 + t];";
  is(0, move + k_all + "__syncthreads();" + k_by_first);
  is(3, move + k_fence + "__syncthreads();" + k_by_first, said);
}

TEST(Proxies, a_bulk_copy_is_waited_for_before_its_thread_ends) {
  const std::string before = "s[t] = t;" + k_fence + "__syncthreads();";
  is(0, before + "if (t == 0) {" + k_copy + k_commit + "asm volatile(\"cp.async.bulk.wait_group 0;\"); } }");
  is(0, before + "if (t == 0) { for (int i = 0; i < 4; ++i) { d += 65536;" + k_copy + k_commit + "}" + k_wait + "} }");
  is(3, before + "if (t == 0) {" + k_copy + k_commit + "} }", k_ends);
  is(3, before + "if (t == 0) {" + k_copy + k_wait + "} }", k_ends);
  is(3, before + "if (t == 0) {" + k_copy + k_wait + k_commit + "} }", k_ends);
  is(3, before + "if (t == 0) {" + k_commit + k_copy + k_wait + "} }", k_ends);
  is(3, before + "if (t == 0) {" + k_copy + k_commit + "asm volatile(\"cp.async.bulk.wait_group 1;\"); } }", k_ends);
  is(3, before + "if (t == 0) {" + k_copy + k_commit + "if (n) " + k_wait + "} }", k_ends);
  is(3, before + "if (t == 0) {" + k_copy + k_commit + "if (n) return;" + k_wait + "} }", k_ends);
  is(3, before + "if (t == 0) {" + k_copy + k_commit + "}" + "if (t == 1) {" + k_wait + "} }", k_ends);
}

// Groups of cp.async are others.
TEST(Proxies, a_bulk_copy_is_in_no_group_of_other_copies) {
  is(3, "s[t] = t;" + k_fence + "__syncthreads(); if (t == 0) {" + k_copy +
            "asm volatile(\"cp.async.commit_group;\"); asm volatile(\"cp.async.wait_group 0;\");" + k_commit + k_wait +
            "} __syncthreads(); d[blockIdx.x * 64 + t] = 1; }");
}

}  // namespace
}  // namespace fencepost::verifier
