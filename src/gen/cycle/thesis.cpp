#include "cycle/thesis.h"

#include <fmt/format.h>

#include <string_view>

#include "base/diagnostic.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::gen {
namespace {

struct Block {  // rows of one configuration of a table
  const char* table;
  char configuration;
  std::vector<const char*> tests;
};

const std::vector<Block>& blocks() {
  static const std::vector<const char*> corr = {"CoRR", "CoRR+membar.ctas", "CoRR+membar.gls"},
                                        mp_volatile = {"MP-volatile", "MP-volatile+membar.ctas",
                                                       "MP-volatile+membar.gls"},
                                        mp = {"MP", "MP+membar.ctas", "MP+membar.gls", "MP+membar.cta+addr"},
                                        ld = {"LD+addrs",      "LD+datas",       "LD+membar.ctas",
                                              "LD+membar.gls", "LD+membar.syss", "LD"},
                                        sb = {"SB+membar.ctas", "SB+membar.gls", "SB+membar.syss", "SB"},
                                        iriw = {"IRIW", "IRIW+membar.ctas", "IRIW+membar.gls", "IRIW+addrs"},
                                        ww = {"2+2W+membar.ctas", "2+2W+membar.gls", "2+2W+membar.syss", "2+2W"},
                                        r = {"R+membar.ctas", "R+membar.gls", "R+membar.syss", "R"},
                                        s = {"S+membar.cta+addr", "S+membar.cta+data",
                                             "S+membar.ctas",     "S+membar.gl+addr",
                                             "S+membar.gl+data",  "S+membar.gls",
                                             "S+membar.syss",     "S"};
  static const std::vector<Block> all = {
      {"4.1", 'S', corr},
      {"4.1", 'G', corr},
      {"4.1", 'K', corr},
      {"4.2", 'K', {"MP-L1", "MP-L1+membar.ctas", "MP-L1+membar.gls", "MP-L1+membar.syss"}},
      {"4.3", 'K', {"CoRR-L2-L1", "CoRR-L2-L1+membar.ctas", "CoRR-L2-L1+membar.gls", "CoRR-L2-L1+membar.syss"}},
      {"4.4", 'S', mp_volatile},
      {"4.4", 'G', mp_volatile},
      {"4.4", 'K', mp_volatile},
      {"4.5", 'K', {"CAS-SL", "CAS-SL+membar.ctas", "CAS-SL+membar.gls"}},
      {"4.6", 'K', {"EXCH-SL", "EXCH-SL+membar.ctas", "EXCH-SL+membar.gls"}},
      {"4.7", 'K', {"DLB-MP-meant", "DLB-MP-meant+membar.ctas", "DLB-MP-meant+membar.gls"}},
      {"5.2", 'S', mp},
      {"5.2", 'G', mp},
      {"5.2", 'K', {"MP", "MP+membar.ctas", "MP+membar.gl+membar.cta", "MP+membar.gls", "MP+membar.gl+addr"}},
      {"5.3", 'S', ld},
      {"5.3", 'G', ld},
      {"5.3", 'K', {"LD", "LD+membar.ctas", "LD+addrs", "LD+datas", "LD+membar.gls"}},
      {"5.4", 'S', sb},
      {"5.4", 'G', sb},
      {"5.4", 'K', {"SB", "SB+membar.ctas", "SB+membar.gls"}},
      {"5.5", 'S', iriw},
      {"5.5", 'G', iriw},
      {"5.5", 'K', iriw},
      {"5.6", 'S', ww},
      {"5.6", 'G', ww},
      {"5.6", 'K', {"2+2W", "2+2W+membar.ctas", "2+2W+membar.gls"}},
      {"5.7", 'S', r},
      {"5.7", 'G', r},
      {"5.7", 'K', {"R", "R+membar.ctas", "R+membar.gls"}},
      {"5.8", 'S', s},
      {"5.8", 'G', s},
      {"5.8", 'K', {"S", "S+membar.ctas", "S+membar.gls", "S+membar.gl+data", "S+membar.gl+addr"}},
  };
  return all;
}

// "+membar.gl+addr" as docs/gen.md writes it: "+fence.sc.gpu+addr".
std::string own_tags(std::string tags) {
  for (const auto& [theirs, ours] : {std::pair("membar.cta", "fence.sc.cta"), std::pair("membar.gl", "fence.sc.gpu"),
                                     std::pair("membar.sys", "fence.sc.sys")})
    for (size_t at = tags.find(theirs); at != std::string::npos; at = tags.find(theirs))
      tags.replace(at, std::string_view(theirs).size(), ours);
  return tags;
}

Spec cycle_row(const std::string& test, char configuration) {
  const size_t tags = test.find('+', test.starts_with("2+2W") ? 2 : 0);
  std::string family = test.substr(0, tags);
  const std::string rest = tags == std::string::npos ? "" : test.substr(tags);
  const bool l1 = family == "MP-L1", corr_l1 = family == "CoRR-L2-L1", is_volatile = family == "MP-volatile";
  family = family.substr(0, family.find('-'));
  const bool four = family == "IRIW";
  const char* place = configuration == 'K' ? (four ? "0.1.2.3" : "0.1") : (four ? "0123" : "01");
  if (family == "LD") family = "LB";
  auto spec = parse_name(family + own_tags(rest) + "@" + place);
  FENCEPOST_INVARIANT(spec.has_value(), "a row of the thesis is a cycle with a name");
  Cycle& c = spec->cycle;
  for (size_t k = 0; k < c.size(); ++k) {
    Node& n = c.nodes[k];
    if (configuration == 'S') n.region = Region::shared;
    if (is_volatile) n.sem = Sem::volatile_;
    const bool second = !c.edges[c.before(k)].external;
    if (c.edges[k].from == Dir::read && (l1 || (corr_l1 && second))) n.cache = Cache::ca;
  }
  return *spec;
}

// Store buffering in one CTA, each location in a region of its own.
Spec mixed_row(bool x_shared, bool y_shared) {
  const auto c = parse_cycle("PodWR Fre PodWR Fre");
  FENCEPOST_INVARIANT(c.has_value(), "store buffering is a cycle");
  auto spec = spec_of(*c, "01");
  FENCEPOST_INVARIANT(spec.has_value(), "store buffering has a placement in one CTA");
  for (size_t k = 0; k < 4; ++k) {
    const bool x = k == 0 || k == 3;
    if (x ? x_shared : y_shared) spec->cycle.nodes[k].region = Region::shared;
  }
  return *spec;
}

constexpr const char* k_apart = "ScopeTree (device (cta (warp T0)) (cta (warp T1)))\n";

// The lock m is taken (1); T0 stores x and releases it, T1 takes it by `take` and must see x.
std::string lock_text(const std::string& name, const char* take, const std::string& fence) {
  std::string out = fmt::format(
      "GPU_PTX {}\n{{\n x = 0; m = 1;\n 0:.reg .b64 ax = x; 0:.reg .b64 am = m; 0:.reg .b32 r0;\n"
      " 1:.reg .b64 ax = x; 1:.reg .b64 am = m; 1:.reg .b32 r1; 1:.reg .pred p; 1:.reg .u32 r3;\n}}\n T0 | T1 ;\n"
      " st.cg.u32 [ax], 1 | {} ;\n",
      name, take);
  if (!fence.empty()) out += fmt::format(" {} | ;\n", fence);
  out += " atom.exch.b32 r0, [am], 0 | setp.eq.u32 p, r1, 0 ;\n";
  if (!fence.empty()) out += fmt::format(" | @p {} ;\n", fence);
  return out + " | @p ld.cg.u32 r3, [ax] ;\n" + k_apart + "x: global, m: global\nexists (1:r1=0 /\\ 1:r3=0)\n";
}

// The owner pushes a task d and moves the tail t; the thief sees the tail moved and takes the task.
std::string queue_text(const std::string& name, const std::string& fence) {
  std::string out = fmt::format(
      "GPU_PTX {}\n{{\n d = 0; t = 0;\n 0:.reg .b64 ad = d; 0:.reg .b64 at = t; 0:.reg .u32 r2;\n"
      " 1:.reg .b64 ad = d; 1:.reg .b64 at = t; 1:.reg .u32 r0; 1:.reg .pred p; 1:.reg .u32 r2;\n}}\n T0 | T1 ;\n"
      " st.cg.u32 [ad], 1 | ld.volatile.u32 r0, [at] ;\n",
      name);
  if (!fence.empty()) out += fmt::format(" {} | ;\n", fence);
  out += " ld.volatile.u32 r2, [at] | setp.eq.u32 p, r0, 0 ;\n add.u32 r2, r2, 1 | ;\n st.volatile.u32 [at], r2 | ;\n";
  if (!fence.empty()) out += fmt::format(" | @!p {} ;\n", fence);
  return out + " | @!p ld.cg.u32 r2, [ad] ;\n" + k_apart + "d: global, t: global\nexists (1:r0=1 /\\ 1:r2=0)\n";
}

ThesisRow row_of(const std::string& table, const std::string& test, char configuration) {
  ThesisRow row{table, fmt::format("{}@{}", test, configuration), std::nullopt, ""};
  const size_t tags = test.find('+');
  const std::string fence = tags == std::string::npos ? "" : test.substr(tags + 1, test.size() - tags - 2);
  if (test.starts_with("CAS-SL"))
    row.text = lock_text(row.name, "atom.cas.b32 r1, [am], 0, 1", fence);
  else if (test.starts_with("EXCH-SL"))
    row.text = lock_text(row.name, "atom.exch.b32 r1, [am], 1", fence);
  else if (test.starts_with("DLB-MP"))
    row.text = queue_text(row.name, fence);
  else
    row.spec = cycle_row(test, configuration);
  return row;
}

}  // namespace

std::vector<ThesisRow> thesis_rows() {
  std::vector<ThesisRow> out;
  for (const Block& b : blocks())
    for (const char* test : b.tests) out.push_back(row_of(b.table, test, b.configuration));
  for (const bool x : {true, false})
    for (const bool y : {true, false})
      out.push_back(
          {"6.1", fmt::format("SB-x{}-y{}", x ? "shared" : "global", y ? "shared" : "global"), mixed_row(x, y), ""});
  return out;
}

Expected<prog::Test> make_test(const ThesisRow& row) {
  if (!row.spec) return read::parse_one(make_source(row.name + ".litmus", row.text));
  TestOptions o;
  o.syntax = prog::Syntax::gpu_ptx;
  o.title = row.name;
  return make_test(*row.spec, o);
}

}  // namespace fencepost::gen
