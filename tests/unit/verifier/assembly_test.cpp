// Inline PTX of several instructions. Kernels that are right stand beside weakened ones, which must not be verified.
#include "decide.h"

namespace fencepost::verifier {
namespace {

// A kernel with shared memory `s` of 4096 bytes whose address is `a`, thread `t`, block `b`.
std::string kernel(const std::string& body) {
  return "__global__ void k(unsigned *o, const unsigned *g, int n) {"
         "  __shared__ __align__(128) unsigned s[1024]; const unsigned t = threadIdx.x, b = blockIdx.x; unsigned a;"
         "  asm(\"{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }\" : \"=r\"(a) : \"l\"(s));\n" +
         body + "\n}\n";
}

void is(int exit_code, const std::string& body, const char* says = "") {
  const std::string text = kernel(body);
  decide({{"k.cu", text.c_str(), exit_code, says}});
}

// Verified as it stands, and not with any of the changes.
void only(const std::string& body, const std::vector<std::pair<std::string, std::string>>& changes) {
  is(0, body);
  if (!clangfe::available()) return;
  for (const auto& [what, by] : changes) {
    std::string text = kernel(body);
    const size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), by);
    const auto o = launch::parse({"--blockDim=64", "--gridDim=4"});
    const launch::Answer x = answer(*o, make_source("k.cu", text));
    EXPECT_TRUE(x.exit_code == 1 || x.exit_code == 3) << x.exit_code << "\n" << text << x.out << x.err;
    EXPECT_EQ(x.out.find("not read"), std::string::npos) << text << x.out << x.err;
  }
}

const std::string k_barrier = "__syncthreads();";

TEST(Assembly, vector_accesses_are_accesses_of_their_bytes) {
  only("asm volatile(\"st.shared.v4.u32 [%0], {%1, %1, %1, %1};\" :: \"r\"(a + t * 16), \"r\"(t) : \"memory\");" +
           k_barrier +
           "unsigned x, y, z, w;"
           "asm volatile(\"ld.shared::cta.v4.b32 {%0, %1, %2, %3}, [%4+0];\" : \"=r\"(x), \"=r\"(y), \"=r\"(z), "
           "\"=r\"(w)"
           " : \"r\"(a + (63 - t) * 16));"
           "o[b * 64 + t] = x + y + z + w;",
       {{k_barrier, ""}, {"a + t * 16", "a + t * 8"}, {"v4.u32 [%0]", "v4.u32 [%0+16]; st.shared.v4.u32 [%0]"}});
  only(
      "asm volatile(\"st.global.L1::no_allocate.L2::cache_hint.v2.b32 [%0], {%1, %1}, %2;\" :: \"l\"(o + (b * 64 + t) "
      "* 2),"
      " \"r\"(t), \"l\"(0x12F0000000000000ULL) : \"memory\");",
      {{"(b * 64 + t) * 2", "b * 64 + t"}});
}

TEST(Assembly, words_of_128_bits_are_four_words) {
  only(
      "__int128_t v; ((unsigned*)&v)[0] = t; ((unsigned*)&v)[1] = ((unsigned*)&v)[2] = ((unsigned*)&v)[3] = b;"
      "asm volatile(\"st.shared.b128 [%0], %1;\" :: \"r\"(a + t * 16), \"q\"(v) : \"memory\");" +
          k_barrier +
          "__int128_t u; asm volatile(\"ld.shared.b128 %0, [%1];\" : \"=q\"(u) : \"r\"(a + (63 - t) * 16));"
          "const unsigned* w = (const unsigned*)&u; o[b * 64 + t] = w[0] + w[3];",
      {{k_barrier, ""}, {"a + t * 16", "a + t * 8"}});
}

TEST(Assembly, rows_may_be_swizzled_and_addresses_may_go_round_a_loop) {
  only(
      "const unsigned row = t / 8, at = a + row * 128 + (((t % 8) ^ (row % 8)) << 4);"
      "asm volatile(\"st.shared.v4.u32 [%0], {%1, %1, %1, %1};\" :: \"r\"(at), \"r\"(t) : \"memory\");",
      {{"row * 128", "row * 64"}});
  only(
      "unsigned at = a + t * 4;"
      "for (int i = 0; i < 4; ++i, at += 256) asm volatile(\"st.shared.b32 [%0], %1;\" :: \"r\"(at), \"r\"(t));",
      {{"at += 256", "at += 252"}});
}

TEST(Assembly, predicates_guard_what_they_stand_before) {
  const std::string store =
      "asm volatile(\"{ .reg .pred p; setp.eq.u32 p, %1, 0; @p st.global.u32 [%0], %2; }\" :: \"l\"(o + b), \"r\"(t),"
      " \"r\"(t + b));";
  only(store,
       {{"@p", "@!p"}, {"setp.eq", "setp.ne"}, {"@p st", "st"}, {"setp.eq.u32 p, %1, 0", "setp.lt.u32 p, %1, 2"}});
  // A result that a predicate leaves alone has the value that it had.
  only(
      "unsigned r = 0; asm volatile(\"{ .reg .pred p; setp.eq.u32 p, %1, 5; @p mov.s32 %0, 1; }\" : \"+r\"(r) : "
      "\"r\"(t));"
      "if (r) o[b] = t;",
      {{"p, %1, 5", "p, %1, %1"}, {"\"+r\"(r)", "\"=r\"(r)"}, {"setp.eq", "setp.ne"}});
}

TEST(Assembly, integers_are_computed_exactly) {
  only(
      "unsigned i; asm(\"{ .reg .u32 x, y; shl.b32 x, %1, 1; mad.lo.u32 y, %2, 128, x; shr.u32 %0, y, 1; }\""
      " : \"=r\"(i) : \"r\"(t), \"r\"(b)); o[i] = t;",
      {{"%2, 128", "%2, 96"}, {"%1, 1", "%1, 31"}, {"shr.u32 %0, y, 1", "shr.u32 %0, y, 2"}});
  only(
      "unsigned i; asm(\"{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {l, h}; }\" : \"=r\"(i) : \"r\"(t + 64 * "
      "b));"
      "o[i] = t;",
      {{"%0, {l, h}", "%0, {h, h}"}});
  // Amounts past the width give 0, and the names of an inner scope are its own.
  only(
      "unsigned i; asm(\"{ .reg .u32 x; mov.u32 x, %1; { .reg .u32 x; mov.u32 x, 7; } shl.b32 %0, %1, 32;"
      " add.u32 %0, %0, x; }\" : \"=&r\"(i) : \"r\"(t + 64 * b)); o[i] = t;",
      {{"{ .reg .u32 x; mov.u32 x, 7; }", "mov.u32 x, 7;"}});
}

TEST(Assembly, a_register_of_elsewhere_is_not_known) {
  is(3,
     "unsigned r, q; asm volatile(\"mov.u32 f, %1; mov.u32 %0, 0;\" : \"=r\"(q) : \"r\"(t));"
     "asm volatile(\"mov.u32 %0, f;\" : \"=r\"(r)); if (r == 3) __syncthreads(); o[b * 64 + t] = q;",
     "not supported");
}

TEST(Assembly, a_predicate_of_elsewhere_is_not_known) {
  is(3, "asm volatile(\"@p bar.sync 0;\"); o[b * 64 + t] = t;", "@p bar.sync");
  is(3, "asm volatile(\"@%0 st.global.u32 [%1], %0;\" :: \"r\"(t), \"l\"(o + b * 64 + t));", "st.global");
}

TEST(Assembly, a_carry_of_elsewhere_is_not_known) {
  is(0,
     "unsigned l, h; asm(\"{ add.cc.u32 %0, %2, %2; addc.u32 %1, 0, 0; }\" : \"=&r\"(l), \"=r\"(h) : \"r\"(t));"
     "o[b * 64 + t] = l + h;");
  is(3,
     "unsigned l, h; asm volatile(\"add.cc.u32 %0, %1, %1;\" : \"=r\"(l) : \"r\"(t << 31));"
     "asm volatile(\"addc.u32 %0, 0, 0;\" : \"=r\"(h)); if (h) __syncthreads(); o[b * 64 + t] = l;",
     "addc.u32");
}

TEST(Assembly, jumps_stay_inside) {
  only(
      "unsigned r; asm volatile(\"{ .reg .pred p; mov.u32 %0, 0; L: add.u32 %0, %0, 1; setp.lt.u32 p, %0, %1;"
      " @p bra.uni L; }\" : \"=&r\"(r) : \"r\"(t)); o[b * 64 + t] = r;",
      {{"o[b * 64 + t]", "o[b * 64 + (r & 1)]"}});
  is(3, "asm volatile(\"bra ELSEWHERE;\"); o[b * 64 + t] = t;", "not supported");
}

TEST(Assembly, what_lanes_do_together_all_lanes_come_to) {
  only("asm volatile(\"setmaxnreg.dec.sync.aligned.u32 40;\"); o[b * 64 + t] = t;",
       {{"asm volatile(\"setm", "if (t < 7) asm volatile(\"setm"}});
  only(
      "unsigned r; asm volatile(\"redux.sync.max.s32 %0, %1, 0xffffffff;\" : \"=r\"(r) : \"r\"(t)); o[b * 64 + t] = r;",
      {{"unsigned r; asm", "unsigned r = 0; if (t < 7) asm"}});
}

TEST(Assembly, shuffles_are_of_any_type_and_may_tell_whether_the_lane_is_there) {
  only(
      "float r; asm volatile(\"shfl.sync.idx.b32 %0, %1, 0, 0x1f, 0xffffffff;\" : \"=f\"(r) : \"f\"((float)t));"
      "o[b * 64 + t] = (unsigned)r;",
      {{"float r; asm", "float r = 0; if (t < 7) asm"}});
  only(
      "unsigned r, p; asm volatile(\"{ .reg .pred q; shfl.sync.down.b32 %0|q, %2, 1, 0x1f, 0xffffffff;"
      " selp.u32 %1, 1, 0, q; }\" : \"=r\"(r), \"=r\"(p) : \"r\"(t)); o[b * 64 + t] = p ? r : 0;",
      {{"o[b * 64 + t]", "o[b * 64 + p]"}});
}

TEST(Assembly, one_lane_of_the_mask_is_elected) {
  only(
      "unsigned e = 0; asm volatile(\"{ .reg .pred p; elect.sync _|p, %1; @p mov.s32 %0, 1; }\" : \"+r\"(e) :"
      " \"r\"(0xffffffffu)); if (e) o[b * 2 + t / 32] = t;",
      {{"@p", "@!p"}, {"t / 32", "t / 64"}, {"if (e)", "if (!e)"}});
}

TEST(Assembly, matrices_are_read_by_rows) {
  const std::string read =
      "unsigned x, y, z, w; asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\""
      " : \"=r\"(x), \"=r\"(y), \"=r\"(z), \"=r\"(w) : \"r\"(a + (t ^ 32) * 16));"
      "o[b * 64 + t] = x + y + z + w;";
  only("asm volatile(\"st.shared.v4.u32 [%0], {%1, %1, %1, %1};\" :: \"r\"(a + t * 16), \"r\"(t));" + k_barrier + read,
       {{k_barrier, ""}, {k_barrier, "__syncwarp();"}});
  // The addresses of the lanes behind the eighth are not used.
  const std::string few =
      "unsigned x; asm volatile(\"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];\" : \"=r\"(x) : \"r\"(a + (t % "
      "32 < 8 ?"
      " 2048 : 0)));"
      "asm volatile(\"st.shared.u32 [%0], %1;\" :: \"r\"(a + t * 4), \"r\"(x));";
  only(few, {{"t % 32 < 8", "t % 32 < 7"}});
  const std::string bytes =
      "unsigned x, y; asm volatile(\"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0, %1}, [%2];\""
      " : \"=r\"(x), \"=r\"(y) : \"r\"(a + (t % 32 < 16 ? 2048 : 0)));"
      "asm volatile(\"st.shared.u32 [%0], %1;\" :: \"r\"(a + t * 4), \"r\"(x + y));";
  only(bytes, {{"t % 32 < 16", "t % 32 < 15"}});
  only("asm volatile(\"stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1};\" :: \"r\"(a + t * 16), \"r\"(t));",
       {{"t * 16", "t * 8"}});
}

const std::string k_init =
    "if (t == 0) asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 64;\" :: \"r\"(a) : \"memory\");";
const std::string k_arrive =
    "asm volatile(\"mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];\" :: \"r\"(a) : \"memory\");";
const std::string k_wait =
    "asm volatile(\"{ .reg .pred P1; LAB_WAIT: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 P1, [%0], 0;"
    " @P1 bra.uni DONE_%=; bra.uni LAB_WAIT; DONE_%=: }\" :: \"r\"(a) : \"memory\");";

TEST(Assembly, an_mbarrier_orders_who_arrives_before_who_waits) {
  only(k_init + k_barrier + k_arrive + k_wait + "o[b * 64 + t] = t;", {{k_barrier, ""}});
  only(k_init + k_barrier + "s[64 + t] = t;" + k_arrive + k_wait + "o[b * 64 + t] = s[127 - t];",
       {{k_wait, ""}, {"[%0], 0; @P1", "[%0], 1; @P1"}, {".acquire", ".relaxed"}, {".release", ".relaxed"}});
}

TEST(Assembly, copies_that_others_wait_for_are_not_decided_by_their_name) {
  const std::string copy =
      "if (t == 0) asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256,"
      " [%2];\" :: \"r\"(a + 1024), \"l\"(g + b * 64), \"r\"(a) : \"memory\");";
  is(3, k_init + k_barrier + copy + k_wait + "o[b * 64 + t] = s[256 + t];", "orders");
  // What it writes stays inside; but it says of more bytes than are expected.
  const std::string inside = k_init + k_barrier + copy + k_arrive + k_wait + "o[b * 64 + t] = s[64 + t];";
  is(3, inside, "is told of as many bytes as are expected there");
  is(3, inside, "!orders");
}

TEST(Assembly, what_is_not_followed_leaves_the_kernel_undecided) {
  const std::string kernel =
      "float c[4] = {}; asm volatile(\"{ wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, "
      "1,"
      " 1, 1, 0, 0; }\" : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3]) : \"l\"(1ull), \"l\"(2ull) : "
      "\"memory\");"
      "o[b * 64 + t] = (unsigned)c[0];";
  is(3, kernel, "what 'wgmma.mma_async' does to memory");
  is(3,
     "asm volatile(\"barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;\"); o[b * 64 + t] = "
     "t;",
     "what 'barrier.cluster.arrive' does to memory");
  is(3, "asm volatile(\"st.async.weak.shared::cluster.b32 [%0], %1, [%0];\" :: \"r\"(a), \"r\"(1)); o[b * 64 + t] = t;",
     "what 'st.async' does to memory");
}

TEST(Assembly, copies_may_fill_with_zeros) {
  const std::string copy =
      "asm volatile(\"{ .reg .pred p; setp.lt.u32 p, %3, 60; @p cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2; "
      "}\""
      " :: \"r\"(a + t * 16), \"l\"(g + t * 4), \"r\"(t < n ? 16 : 0), \"r\"(t));";
  only(copy + "asm volatile(\"cp.async.wait_all;\");" + k_barrier +
           "o[b * 64 + t] = s[t * 4 + 4 < 1024 ? t * 4 + 4 : 0];",
       {{"asm volatile(\"cp.async.wait_all;\");", ""}, {k_barrier, ""}, {"t * 16", "t * 12"}});
}

TEST(Assembly, hints_and_waits_for_other_grids_do_nothing_here) {
  only(
      "asm volatile(\"griddepcontrol.wait;\" ::: \"memory\"); asm volatile(\"prefetch.global.L2 [%0];\" :: \"l\"(g));"
      "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\"); o[b * 64 + t] = t;"
      "asm volatile(\"griddepcontrol.launch_dependents;\");",
      {{"b * 64 + t", "b * 63 + t"}});
}

TEST(Assembly, what_is_not_in_the_table_is_refused_by_its_text) {
  is(3, "asm volatile(\"ld.frob.u32 %0, [%1];\" : \"=r\"(a) : \"l\"(g)); o[b * 64 + t] = a;", "ld.frob.u32");
  is(3, "asm volatile(\"{ .reg .pred p; setp.eq.u32 p, %0, 0; @p brkpt; }\" :: \"r\"(t)); o[b * 64 + t] = t;",
     "'brkpt;'");
  is(3, "asm volatile(\"st.param.u32 [%0], %1;\" :: \"l\"(o), \"r\"(t));", "st.param.u32");
}

TEST(Assembly, a_state_space_is_that_of_what_is_accessed) {
  // By one instruction, and by several.
  is(3, "asm volatile(\"st.local.u32 [%0], %1;\" :: \"l\"(o + b * 64 + t), \"r\"(t) : \"memory\");",
     "'st.local.u32' of 'o'");
  is(3, "asm volatile(\"{ st.local.v2.u32 [%0], {%1, %1}; }\" :: \"l\"(o + (b * 64 + t) * 2), \"r\"(t) : \"memory\");",
     "'st.local.v2.u32' of 'o'");
  is(3, "asm volatile(\"{ ld.shared.u32 %0, [%1+4]; }\" : \"=r\"(a) : \"l\"(g)); o[b * 64 + t] = a;",
     "'ld.shared.u32' of 'g'");
  is(3, "asm volatile(\"ld.relaxed.gpu.global.u32 %0, [%1];\" : \"=r\"(a) : \"l\"(s)); o[b * 64 + t] = a;",
     "'ld.relaxed.gpu.global.u32' of 's'");
  is(3, "asm volatile(\"red.shared.add.u32 [%0], %1;\" :: \"l\"(o), \"r\"(t));", "'red.shared.add.u32' of 'o'");
  is(0,
     "unsigned own = 0; asm volatile(\"st.local.u32 [%0], %1;\" :: \"l\"(&own), \"r\"(t) : \"memory\"); o[b * 64 + t] "
     "= own;");
  is(0, "asm volatile(\"st.global.u32 [%0], %1;\" :: \"l\"(o + b * 64 + t), \"r\"(t) : \"memory\");");
  is(0, "asm volatile(\"st.u32 [%0], %1;\" :: \"l\"(o + b * 64 + t), \"r\"(t) : \"memory\");");
}

TEST(Assembly, another_state_space_concerns_its_kernel) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const std::string text =
      "__global__ void good(unsigned *o) { o[threadIdx.x] = 1; }\n"
      "__global__ void bad(unsigned *o) {\n  asm volatile(\"st.local.u32 [%0], 1;\" :: \"l\"(o)); }\n"
      "int main() { good<<<1, 64>>>(0); bad<<<1, 64>>>(0); }\n";
  const launch::Answer a = answer(*launch::parse({}), make_source("k.cu", text));
  EXPECT_NE(a.out.find("good  verified"), std::string::npos) << a.out << a.err;
  EXPECT_NE(a.out.find("bad  not read  k.cu:3:3: 'st.local.u32' of 'o'"), std::string::npos) << a.out << a.err;
}

TEST(Assembly, text_that_is_no_ptx_is_refused) {
  for (const char* text :
       {"{ membar.gl;", "membar.gl; }", "{{ membar.gl; }", "} membar.gl; {", "{", "}", "} {",
        "{ .reg .u32 x; mov.u32 x, 1;", "mov.u32 %0, %1; }", "membar.gl", "{ membar.gl }", "{ { membar.gl; }"})
    is(3, "asm volatile(\"" + std::string(text) + "\" : \"=r\"(a) : \"r\"(t) : \"memory\"); o[b * 64 + t] = t;",
       "the inline assembly");
  is(3, "asm volatile(\"st.global.u32 %0, %1;\" :: \"l\"(o + b * 64 + t), \"r\"(t));", "the inline assembly");
  is(3, "asm volatile(\"st.global.u32 [%0, %1;\" :: \"l\"(o + b * 64 + t), \"r\"(t));", "the inline assembly");
  is(0, "asm volatile(\"{ { membar.gl; } }\" ::: \"memory\"); asm volatile(\"{ }\"); o[b * 64 + t] = t;");
}

}  // namespace
}  // namespace fencepost::verifier
